# simhash: near-duplicate search in PostgreSQL
#
#   make && make install          build and install for the pg_config in PATH
#   make -f /path/to/Makefile     build in the current folder instead of the sources' folder
#   make installcheck             regression tests against a running server
#   bash test/check.sh            every test, on a private server
#   make lib                      the C library and the command of client/, without a server
#   make install-lib              install both; PREFIX, LIBDIR, DESTDIR
#   make check-unit               tests of the plain C, without a server
#   make check-tap                TAP tests, on private servers
#   make fuzz [SECONDS=60]        libFuzzer on every target, for so many seconds each
#   make indent                   lay out the C sources in PostgreSQL's style
#   make bench                    measure times and sizes, on a private server
#   make bench-quality            measure the quality of fingerprints, on a private server
#   make bench-public             measure other programs beside this one, on a private server
#   make bench-short              measure short texts beside pg_trgm, on a private server

EXTENSION = simhash
MODULE_big = simhash
PGFILEDESC = "simhash - near-duplicate search"

# make -f /path/to/Makefile builds in another folder.
source := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ifneq ($(source),.)
ifneq ($(words $(CURDIR)) $(wildcard $(source)/simhash.control),1 $(source)/simhash.control)
$(error in another folder make needs paths without blanks)
endif
endif
source_files = $(patsubst $(source)/%,%,$(wildcard $(addprefix $(source)/,$(1))))

DATA = $(call source_files,sql/simhash--*.sql)
OBJS = $(patsubst %.c,%.o,$(call source_files,src/*.c src/*/*.c src/*/*/*.c src/*/*/*/*.c))
DOCUMENTS = $(call source_files,README.md README.zh-CN.md CHANGELOG.md CONTRIBUTING.md SECURITY.md \
	LICENSE doc/*.* examples/*.* bench/results/*.md packaging/README.md test/README.md src/index/bitblock/README.md \
	src/index/bitblock/*/README.md src/core/join/README.md src/core/text/unicode/README.md client/python/README.md)

# With -Wextra PostgreSQL's headers and the calling convention of its functions cause
# these warnings.
PG_CFLAGS = -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers

PG_CPPFLAGS = -I$(source)/src

# Before PostgreSQL 16 a library exports all its functions, and PostgreSQL loads libraries with
# RTLD_GLOBAL.  Without this option a function of another extension could take the place of
# ours with the same name.
SHLIB_LINK += $(patsubst linux,-Wl$(comma)-Bsymbolic-functions,$(filter linux,$(PORTNAME)))
comma := ,

REGRESS = setup opclass literals type cast compare bits distance ball blocks fingerprint \
	minhash signature options passages first_change changes dictionary given textsearch inside calibrate interop tfidf \
	bit bit_plan bit_index bit_selectivity \
	plan equality selectivity gist bitblock bitblock_skew bitblock_radii bitblock_nearest bitblock_explain choice \
	plan_choice ball_index tenants tenant_arrays \
	record_original record_original_tables record_original_upsert record_original_bits \
	record_original_equal record_original_confirm \
	pairs clusters components stars duplicates first wide_pairs wide_text partitions hostile security strangers
REGRESS_OPTS = --inputdir=$(source)/test --encoding=UTF8

EXTRA_CLEAN = src/*.bc src/*/*.bc src/*/*/*.bc src/*/*/*/*.bc

# The targets of client/ need no PostgreSQL.  They are given alone: PGXS has an install-lib, too.
client_targets = lib install-lib check-lib

PG_CONFIG ?= pg_config
ifeq ($(filter-out $(client_targets),$(or $(MAKECMDGOALS),all)),)
.PHONY: $(client_targets)
lib:
	$(MAKE) -C $(source)/client

install-lib: lib
	$(MAKE) -C $(source)/client install

check-lib:
	$(MAKE) -C $(source)/client check
else
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
endif

# Some packages of PostgreSQL lack the isolation tester.
ifneq ($(wildcard $(dir $(PGXS))../test/isolation/pg_isolation_regress),)
ISOLATION = exclusion original_race original_levels bitblock_vacuum bitblock_split bitblock_pin \
	bitblock_snapshot reindex
# Before PostgreSQL 16 the tester searches the output folder for expected outputs.
ISOLATION_OPTS = --inputdir=$(source)/test --outputdir=. --encoding=UTF8
endif

# Words by dictionary come from ICU if PostgreSQL uses ICU and the headers of ICU are
# installed.  Otherwise, or with WITH_ICU=no, simhash_features_by_dictionary raises an
# error.
ifneq ($(WITH_ICU),no)
INCLUDEDIR_SERVER := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
ifneq ($(shell grep -s '^.define USE_ICU 1' $(INCLUDEDIR_SERVER)/pg_config.h),)
ifeq ($(shell pkg-config --exists icu-uc 2>/dev/null && echo yes),yes)
PG_CPPFLAGS += -DSIMHASH_WITH_ICU $(shell pkg-config --cflags icu-uc)
SHLIB_LINK += $(shell pkg-config --libs icu-uc)
endif
endif
endif

ifneq ($(wildcard $(PGXS)),)
ifneq ($(source),.)
# The regression tests read these files in the folder in which they run.
REGRESS_PREP = $(addprefix $(CURDIR)/,README.md doc examples expected)
endif

include $(PGXS)

ifneq ($(source),.)
# With VPATH make would take objects that another build has left beside the sources.
srcdir := $(source)
override VPATH =
vpath %.c $(source)
vpath %.control $(source)
vpath %.sql $(source)

$(REGRESS_PREP): $(CURDIR)/%:
	ln -s $(abspath $(source))/$* $@
endif

$(OBJS): $(wildcard $(addprefix $(source)/src/,*.h */*.h */*/*.h */*/*/*.h))

$(OBJS) $(OBJS:.o=.bc): | prepare
.PHONY: prepare
prepare:
	@$(MKDIR_P) $(sort $(dir $(OBJS)))
	@! echo | $(CC) -E - >/dev/null 2>&1 || \
		printf '#include <xxhash.h>\n#if XXH_VERSION_NUMBER < 800\n#error\n#endif\n' | \
		$(CC) $(CPPFLAGS) $(CFLAGS) -E - >/dev/null 2>&1 || { \
		echo "simhash needs the header of xxHash 0.8.0 or newer: install libxxhash-dev (Debian, Ubuntu) or xxhash-devel (Fedora, RHEL)" >&2; \
		exit 1; }

# PGXS (DOCS) would put all documents into one folder, where links between documents break
# and their names may be those of other extensions.
ifdef docdir
documents_folder = $(DESTDIR)$(docdir)/extension/simhash

.PHONY: install-documents uninstall-documents
install: install-documents
install-documents:
	$(MKDIR_P) $(patsubst %,'$(documents_folder)/%',$(sort $(dir $(DOCUMENTS))))
	for file in $(DOCUMENTS); do \
		$(INSTALL_DATA) $(source)/$$file '$(documents_folder)'/$$file || exit 1; \
	done

uninstall: uninstall-documents
uninstall-documents:
	rm -rf '$(documents_folder)'
endif

else # no PostgreSQL to build for; the targets below need none
all install uninstall installcheck clean $(OBJS):
	@[ -n "$(PGXS)" ] || \
		echo "$(PG_CONFIG) was not found or does not run: install postgresql-server-dev-N (Debian, Ubuntu) or postgresqlN-devel (Fedora, RHEL), or set PG_CONFIG=/path/to/pg_config" >&2
	@[ -z "$(PGXS)" ] || \
		echo "$(PGXS) is missing: install postgresql-server-dev-N (Debian, Ubuntu) or postgresqlN-devel (Fedora, RHEL), or set PG_CONFIG to a pg_config that has it" >&2
	@exit 1
endif

.PHONY: check-unit check-tap fuzz indent bench bench-quality bench-public bench-short
check-unit:
	$(MAKE) -C $(source)/test/unit check

check-tap:
	bash $(source)/test/check.sh tap

fuzz:
	bash $(source)/test/sanitize.sh fuzz $(SECONDS)

indent:
	bash $(source)/test/indent.sh

bench:
	bash $(source)/bench/bench.sh

bench-quality:
	bash $(source)/bench/quality.sh

bench-public:
	bash $(source)/bench/public.sh

bench-short:
	bash $(source)/bench/short.sh
