# simhash: near-duplicate search in PostgreSQL
#
#   make && make install          build and install for the pg_config in PATH
#   make installcheck             regression tests against a running server
#   bash test/check.sh            every test, on a private server
#   make check-unit               tests of the plain C, without a server
#   make check-tap                TAP tests, on private servers
#   make fuzz [SECONDS=60]        libFuzzer on every target, for so many seconds each
#   make indent                   lay out the C sources in PostgreSQL's style
#   make bench                    measure times and sizes, on a private server
#   make bench-quality            measure the quality of fingerprints, on a private server

EXTENSION = simhash
MODULE_big = simhash
DATA = $(wildcard sql/simhash--*.sql)
PGFILEDESC = "simhash - near-duplicate search"

OBJS = $(patsubst %.c,%.o,$(wildcard src/*/*.c src/*/*/*.c))

# With -Wextra PostgreSQL's headers and the calling convention of its functions cause
# these warnings.
PG_CFLAGS = -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers

PG_CPPFLAGS = -I$(srcdir)/src

REGRESS = setup opclass literals type cast compare bits distance ball blocks fingerprint \
	minhash options dictionary given textsearch inside calibrate interop tfidf \
	bit bit_plan bit_index bit_selectivity \
	plan selectivity gist bitblock bitblock_skew bitblock_radii bitblock_nearest choice \
	plan_choice ball_index tenants record_original \
	pairs clusters wide_pairs wide_text partitions hostile security
REGRESS_OPTS = --inputdir=test

EXTRA_CLEAN = src/*/*.bc src/*/*/*.bc

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)

# Some packages of PostgreSQL lack the isolation tester.
ifneq ($(wildcard $(dir $(PGXS))../test/isolation/pg_isolation_regress),)
ISOLATION = exclusion original_race original_levels bitblock_vacuum bitblock_split bitblock_pin \
	bitblock_snapshot reindex
# Before PostgreSQL 16 the tester searches the output folder for expected outputs.
ISOLATION_OPTS = --inputdir=test --outputdir=.
endif

# Words by dictionary come from ICU if PostgreSQL uses ICU and the headers of ICU are
# installed.  Otherwise, or with WITH_ICU=no, simhash_features_by_dictionary raises an
# error.
ifneq ($(WITH_ICU),no)
INCLUDEDIR_SERVER := $(shell $(PG_CONFIG) --includedir-server)
ifneq ($(shell grep -s '^.define USE_ICU 1' $(INCLUDEDIR_SERVER)/pg_config.h),)
ifeq ($(shell pkg-config --exists icu-uc 2>/dev/null && echo yes),yes)
PG_CPPFLAGS += -DSIMHASH_WITH_ICU $(shell pkg-config --cflags icu-uc)
SHLIB_LINK += $(shell pkg-config --libs icu-uc)
endif
endif
endif

include $(PGXS)

$(OBJS): $(wildcard src/*.h src/*/*.h src/*/*/*.h)

.PHONY: check-unit check-tap fuzz indent bench bench-quality
check-unit:
	$(MAKE) -C test/unit check

check-tap:
	bash test/check.sh tap

fuzz:
	bash test/sanitize.sh fuzz $(SECONDS)

indent:
	bash test/indent.sh

bench:
	bash test/bench/bench.sh

bench-quality:
	bash test/bench/quality.sh
