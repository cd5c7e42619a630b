#!/bin/bash
# The tests under checkers of memory and of undefined behaviour:
#
#   bash test/sanitize.sh asan       the extension built with AddressSanitizer and
#                                    UndefinedBehaviorSanitizer, in any server
#   bash test/sanitize.sh valgrind   the server under valgrind
#   bash test/sanitize.sh assert     a server with assertions, its memory cleared
#                                    when it is freed; the regression tests also with each
#                                    query in a parallel worker; the TAP tests, too
#   bash test/sanitize.sh plain      no checker: the plain forms of all that relies on more
#                                    than PostgreSQL promises (src/index/bitblock/store/promises.h);
#                                    PLAIN="-DBB_PLAIN_MAP ..." chooses other switches
#   bash test/sanitize.sh coverage   no checker: the share of lines of each file that the
#                                    regression and isolation tests run (needs gcov)
#   bash test/sanitize.sh fuzz [SECONDS]
#                                    libFuzzer (clang) on every target of test/fuzz
#
# PG_CONFIG chooses the PostgreSQL, which is copied: nothing is installed into it.
# TESTS="setup type ..." runs only some of the regression tests and, with assertions, of the
# TAP tests (without .pl). Under valgrind the
# largest tables of some tests have MOST_ROWS rows (default 5,000).
#
# AddressSanitizer needs a server without translated messages. (Debian's servers have
# them and hang with AddressSanitizer.) Only a server that was built for it shows
# valgrind every chunk of palloc, or has assertions. This build of PostgreSQL's sources
# serves all modes:
#
#   ./configure --prefix=$HOME/pg-debug --enable-cassert --enable-debug \
#       --enable-tap-tests CPPFLAGS=-DUSE_VALGRIND CFLAGS='-O1 -g'
#   make && make install
#   PG_CONFIG=$HOME/pg-debug/bin/pg_config bash test/sanitize.sh valgrind
#
# VALGRIND_SUPPRESSIONS is a file of suppressions for reports about PostgreSQL:
# src/tools/valgrind.supp in PostgreSQL's sources. A report with the extension on its
# stack fails the run. Other reports are only counted.

case "$1" in
	asan | valgrind | assert | plain | coverage | fuzz) mode=$1; shift ;;
	*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
exec </dev/null

. "$(dirname "$0")/lib.sh"

failed=0
trap 'remove_work_folder' EXIT
trap 'exit 130' INT TERM HUP

# Copies the parts of the installation that the script writes to, and the parts that
# must be near them. The parts of a copy find each other by relative paths.
copy_installation()
{
	local folder

	for folder in bindir pkglibdir sharedir includedir-server; do
		folder=$("$PG_CONFIG" --$folder)
		mkdir -p "$work/copy$folder" && cp -a "$folder/." "$work/copy$folder/" || return 1
	done
	# libraries that programs find by a path relative to themselves
	folder=$("$PG_CONFIG" --libdir)
	cp -a "$folder"/libpq.so* "$work/copy$folder/" 2>/dev/null
	PG_CONFIG=$work/copy$("$PG_CONFIG" --bindir)/pg_config
	bindir=$("$PG_CONFIG" --bindir)
}

fail()
{
	failed=$((failed + 1))
	echo "  FAILED: $*"
}

# The path of a sanitizer's runtime library
runtime_library()
{
	cc -print-file-name="$1"
}

# The names in TESTS that are TAP tests, or, with -v, those that are not
tests_that_are_tap()
{
	local name

	for name in $TESTS; do
		if [ -e "$work/simhash/test/t/$name.pl" ]; then
			[ "$1" = -v ] || echo "$name"
		elif [ "$1" = -v ]; then
			echo "$name"
		fi
	done
}

# run_make NAME LOG ARGUMENT...: tests of the copy
run_make()
{
	start=$(now)
	(cd "$work/simhash" && as_server make --no-print-directory PG_CONFIG="$PG_CONFIG" \
		installcheck "${@:3}") >"$work/$2" 2>&1 || {
		fail "$1"
		tail -n 200 "$work/$2"
	}
	echo "  $1: $(seconds $(($(now) - start)))"
}

# run_tests [LABEL]: the regression tests
run_tests()
{
	local log=$work/tests.log tests

	tests=$(tests_that_are_tap -v)
	[ -z "$TESTS" ] || [ -n "$tests" ] || return 0
	run_make "${1:-regression tests}" tests.log ${TESTS:+REGRESS="$(echo $tests)"} ISOLATION= TAP_TESTS=
	grep -E '^(ok|not ok|(test| )+[^ ]+ +\.\.\.) ?' "$log"
	[ ! -s "$work/simhash/regression.diffs" ] ||
		as_server tail -n 200 "$work/simhash/regression.diffs"
}

# The regression tests, with each query in a parallel worker that may run there
run_tests_in_workers()
{
	local setting=debug_parallel_query

	[ "${pg_version%%[!0-9]*}" -ge 16 ] || setting=force_parallel_mode
	export PGOPTIONS="-c $setting=regress"
	run_tests "regression tests in parallel workers"
	unset PGOPTIONS
}

# Isolation tests, if this PostgreSQL has the isolation tester
run_isolation_tests()
{
	[ -x "$(dirname "$("$PG_CONFIG" --pgxs)")/../test/isolation/pg_isolation_regress" ] &&
		[ -z "$TESTS" ] || return 0
	run_make "isolation tests" isolation.log REGRESS= TAP_TESTS=
}

# TAP tests, if this PostgreSQL has their modules. They start servers of their own, and kill some.
run_tap_tests()
{
	local tests

	tests=$(tests_that_are_tap)
	[ -e "$(dirname "$("$PG_CONFIG" --pgxs)")/../test/perl/PostgreSQL/Test/Cluster.pm" ] || {
		echo "  TAP tests: skipped, PostgreSQL comes without their modules (--enable-tap-tests)"
		return
	}
	[ -z "$TESTS" ] || [ -n "$tests" ] || return 0
	run_make "TAP tests" tap.log REGRESS= ISOLATION= TAP_TESTS=1 \
		PROVE_TESTS="${tests:+$(printf 'test/t/%s.pl ' $tests)}" PROVE_FLAGS="-I test/t --timer -j $(nproc)"
	grep -E '^(test/t/|\[).*(ok|skipped|Failed)' "$work/tap.log"
	# log_is_calm in test/t/SimhashTest.pm says why this assertion is PostgreSQL's own
	as_server grep -rE 'TRAP|terminated by signal (6|11)' "$work/simhash/tmp_check/log" |
		grep -v '!IsTransactionOrTransactionBlock.*"pgstat\.c"' &&
		fail "server processes of TAP tests died"
}

# Looks for processes of the server that died. A sanitizer's report ends a process by
# SIGABRT.
show_crashes()
{
	as_server grep -E 'PANIC|TRAP|was terminated' "$work/data/server.log" && fail "server processes died"
	find_leaks && fail "resources were not released"
	true
}

# build_and_install STEP COPT
build_and_install()
{
	pin=
	step "$1" build with_llvm=no COPT="$2" &&
		step "Installing into the copy" install_extension
}

# After all builds
start_test_server()
{
	hand_over_sources && start_server "$@"
}

print_reports()
{
	as_server sh -c 'cat "$1"/*' sh "$work/reports"
}

asan()
{
	build_and_install "Building with sanitizers" \
		"-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" || return 1
	# PostgreSQL does not free all memory at exit, and measures its stack by addresses.
	pin="env LD_PRELOAD=$(runtime_library libasan.so):$(runtime_library libubsan.so)
		ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1:log_path=$work/reports/asan
		UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1:log_path=$work/reports/ubsan"
	# Debian's servers translate messages, and hang with this library.
	if ! as_server timeout 20 $pin "$bindir/postgres" --version >/dev/null; then
		echo "$bindir/postgres does not run with AddressSanitizer: take one built without --enable-nls" >&2
		return 1
	fi
	step "Starting a private server" start_test_server "jit = off" || return 1
	run_tests
	run_isolation_tests
	show_crashes
	if [ -n "$(ls "$work/reports")" ]; then
		fail "sanitizers reported"
		print_reports | head -n 200
	fi
}

valgrind()
{
	command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; return 1; }
	build_and_install "Building" "-O1 -g" || return 1
	pin="valgrind --quiet --trace-children=yes --leak-check=no --read-var-info=no
		--gen-suppressions=no --num-callers=40 --fullpath-after=
		${VALGRIND_SUPPRESSIONS:+--suppressions=$VALGRIND_SUPPRESSIONS}
		--log-file=$work/reports/%p"
	step "Starting a private server" start_test_server "jit = off" \
		"autovacuum = off" "authentication_timeout = 600" \
		"simhash_test.most_rows = ${MOST_ROWS:-5000}" || return 1
	run_tests
	show_crashes
	stop_server
	sleep 2
	# A report ends at an empty line.
	print_reports | sed -E 's/^==[0-9]+== ?//' |
		awk -v ours="$work/simhash/src/" -v out="$work/ours.txt" '
			BEGIN { RS = ""; FS = "\n" }
			!/(at|by) 0x/ { next }
			index($0, ours) { n++; print $0 "\n" >out; next }
			{ others++ }
			END { printf "  reports: %d with the extension on the stack, %d others\n", n, others }'
	if [ -s "$work/ours.txt" ]; then
		fail "valgrind reported"
		head -n 200 "$work/ours.txt"
	fi
}

assertions()
{
	build_and_install "Building" "-O1 -g -Wall -Wextra -Werror" || return 1
	step "Building with small index pages" build_small_pages || return 1
	step "Building for tests of WAL and of builds" build_generic_wal || return 1
	step "Starting a private server" start_test_server "jit = off" \
		"debug_discard_caches = ${DISCARD_CACHES:-0}" \
		"wal_consistency_checking = 'all'" || return 1
	if [ "$(sql -d postgres -Atc 'SHOW debug_assertions')" != on ]; then
		fail "this server was built without --enable-cassert"
		return
	fi
	run_tests
	run_tests_in_workers
	run_isolation_tests
	run_tap_tests
	show_crashes
}

plain()
{
	build_and_install "Building the plain forms" "-Wall -Wextra -Werror ${PLAIN:--DBB_PLAIN}" || return 1
	step "Starting a private server" start_test_server "jit = off" || return 1
	run_tests
	run_isolation_tests
	show_crashes
}

coverage()
{
	build_and_install "Building" "-O0 -g --coverage" || return 1
	step "Starting a private server" start_test_server "jit = off" || return 1
	run_tests
	run_isolation_tests
	show_crashes
	# A server process writes its counts when it ends.
	as_server "$bindir/pg_ctl" -D "$work/data" -m fast -s -w stop
	server_pid=
	(cd "$work/simhash" && as_server find src -name '*.gcda' -exec gcov -n -r {} + 2>/dev/null) |
		awk -F"'" '/^File / { file = $2 }
			/^Lines executed:/ && file != "" {
				split($0, part, /[:%]| of /)
				printf "  %6.1f %% of %5d lines  %s\n", part[2], part[4], file
				file = ""
			}' | sort -k 6 -u >"$work/coverage.txt"
	[ -s "$work/coverage.txt" ] || fail "no counts of lines"
	cat "$work/coverage.txt"
	awk '{ lines += $4; run += $1 * $4 / 100 }
		END { if (lines) printf "  %6.1f %% of %5d lines\n", 100 * run / lines, lines }' "$work/coverage.txt"
}

if [ $mode = fuzz ]; then
	exec make -C "$(dirname "$0")/fuzz" fuzz SECONDS="${1:-60}"
fi
make_work_folder
echo "simhash: tests, $mode"
prepare_machine test || exit 1
echo "  PostgreSQL $pg_version"
step "Copying PostgreSQL" copy_installation || exit 1
step "Copying the sources" copy_sources || exit 1
mkdir "$work/reports" && hand_over reports || exit 1
case $mode in
	asan) asan || failed=$((failed + 1)) ;;
	valgrind) valgrind || failed=$((failed + 1)) ;;
	assert) assertions || failed=$((failed + 1)) ;;
	plain) plain || failed=$((failed + 1)) ;;
	coverage) coverage || failed=$((failed + 1)) ;;
esac
echo
if [ $failed -eq 0 ]; then
	echo "clean"
else
	echo "not clean"
	exit 1
fi
