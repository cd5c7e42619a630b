#!/bin/bash
# All tests: bash test/check.sh [--no-packages] [--list] [quick] [unit] [regress] [isolation] [tap]
#
# Installs missing packages (Debian and Ubuntu, as root or with sudo), builds a copy of the sources with warnings as
# errors, installs the extension, runs the tests on private servers, and ends with the line "N passed, N failed, N
# skipped". Without arguments the script runs all four kinds of test, in about 15 minutes on two cores. Each minute it
# prints which tests are running.
#
#   quick             a minute: rules of style and layers, few rounds of the unit tests, and eight regression tests
#   --no-packages     install nothing; name the missing packages and fail
#   --list            print the TAP tests, and what each of them tests
#
#   PG_CONFIG, CC     choose an installation of PostgreSQL, and a compiler
#   TESTS="a b"       run only the regression tests, isolation tests or TAP tests of these names (TAP: without .pl), in
#                     this order
#   SIMHASH_JOBS=n    run n TAP files at once, by default as many as there are processors. Unit tests and the tests on
#                     one server run beside them
#   SIMHASH_SOAK=n    run n times as many rounds of the tests with random data, crashes, damage and operations as
#                     continuous integration does, by default 0.2 times as many
#   SIMHASH_SEED=n    repeat the random choices of a run, which prints its seed
#   SIMHASH_LIMIT=n   stop each kind of test after n seconds, by default 7200 and 60 times the time of the build
#   SIMHASH_DATA=folder
#                     real texts and image hashes, which are not in the repository: pairs_dev.tsv, revisions_dev.tsv,
#                     pdq_crops.bin and dhash_crops.bin. The heads of quality_pairs.pl, changes_model.pl and
#                     index_unlike_data.pl in test/t describe the files
#
# Tests of something that the machine lacks are skipped, and the last lines say why: the files of SIMHASH_DATA, drivers of
# other languages, pgvector, chromium, simdjson 3 and libcsv, an older version to update from, a feature of another version
# of PostgreSQL. For optional tests, the script also installs the packages jq, python3-dev, python3-pip, python3-setuptools,
# python3-wheel, python3-psycopg, python3-psycopg2, python3-asyncpg, python3-sqlalchemy, alembic, python3-django,
# python3-numpy and python3-distributed, if the distribution has them. `bash test/quickstart.sh --remove` prints a command
# that removes all packages that were installed. A message in a server's log about a resource that was not released is a
# failure, too.

passed=0
failed=0
skipped=0
finished=

case "$*" in
	*-h* | *--help*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	--list)
		for file in "$(dirname "$0")"/t/*.pl; do
			printf '%-26s %s\n' "$(basename "$file" .pl)" "$(sed -n '1s/^# //p' "$file")"
		done
		exit 0
		;;
esac
no_packages=
if [ "$1" = --no-packages ]; then
	no_packages=1
	shift
fi
for kind; do
	case $kind in
		quick | unit | regress | isolation | tap) ;;
		*) echo "unknown kind of test $kind; --help lists them" >&2; exit 2 ;;
	esac
done
exec </dev/null 3>&1

. "$(dirname "$0")/lib.sh"
# The stack of gcc 13 for uses after return does not align variables of 64 bytes (PR 110027).
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=0}

finish()
{
	trap - EXIT
	exec >&3	# back to the script's own output
	stop_lanes
	if [ -z "$finished" ]; then
		failed=$((failed + 1))
		echo "the tests did not run to their end"
	fi
	echo
	# Continuous integration may show only the end of the output.
	[ ! -s "$work/failures" ] || cat "$work/failures"
	remove_work_folder
	if [ $skipped -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	# A bare exit would repeat the status from before the trap.
	[ $failed -eq 0 ] && exit 0
	exit 1
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

quick=
if [ "$*" = quick ]; then
	quick=1
	set -- unit regress
	: "${SIMHASH_SOAK:=0.02}" "${TESTS:=setup bitblock plan tenants pairs duplicates record_original security}"
fi
wanted=${*:-unit regress isolation tap}
export SIMHASH_SOAK=${SIMHASH_SOAK:-0.2}
join_sizes=
case $SIMHASH_SOAK in 0.* | .*) join_sizes='-DMAX_N=1200 -DLARGE_N=10000' ;; esac
jobs=${SIMHASH_JOBS:-$(nproc)}

is_wanted()
{
	case " $wanted " in *" $1 "*) return 0 ;; esac
	return 1
}

skip()
{
	skipped=$((skipped + 1))
	printf '  %-46s%s\n' "$1" "  skipped: $2"
}

# count LABEL STATUS OK NOT-OK EXPECTED: counts the passed and failed tests of a runner.
# OK and NOT-OK are patterns of lines of its output in $log. It counts one more failure
# if the runner fails without naming a test, or if it did not run EXPECTED tests (if
# given).
count()
{
	local label=$1 status=$2 ok=$3 not_ok=$4 expected=$5 p f

	p=$(grep -cE "$ok" "$log")
	f=$(grep -cE "$not_ok" "$log")
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then	# of timeout
		f=$((f + 1))
		echo "# $label: stopped after $limit seconds: a test hangs or the machine is slow; SIMHASH_LIMIT=$((4 * limit)) gives more time" >>"$log"
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "# $label: the test program ended with status $status" >>"$log"
	elif [ -n "$expected" ] && [ $((p + f)) -ne "$expected" ]; then
		echo "# $label: $((p + f)) tests ran of $expected" >>"$log"
		f=$((f + 1))
	elif [ $((p + f)) -eq 0 ]; then
		f=1
		echo "# $label: no test ran" >>"$log"
	fi
	if [ "$f" -gt 0 ]; then
		NOT_OK=$not_ok awk -v label="$label" '
			BEGIN { file = label }
			match($0, /test\/t\/[^ ]*\.pl/) { file = substr($0, RSTART, RLENGTH) }
			$0 ~ ENVIRON["NOT_OK"] { print "FAILED: " file ": " $0; diagnosis = 10; next }
			index($0, "# " label ": ") == 1 { print "FAILED: " substr($0, 3) }
			diagnosis > 0 && /^ *#/ { print; diagnosis-- }
			/^ok/ { diagnosis = 0 }' "$log" >>"$work/failures"
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	printf '  %-46s%9s   %d passed, %d failed\n' "$label" \
		"$(seconds $(($(now) - start)))" "$p" "$f"
	[ "$f" -eq 0 ]
}

# Lanes run side by side. Each is a process group, because a signal to the script has to
# end the tests of all lanes. A lane's output appears when those before it have ended.
lanes=()

# lane NAME COMMAND...: run the commands, which are functions without arguments
lane()
{
	local name=$1
	shift

	set -m
	(
		for function; do
			$function
		done
		echo "passed=\$((passed + $passed)) failed=\$((failed + $failed)) skipped=\$((skipped + $skipped))" >"$work/$name.counts"
	) >"$work/$name.out" 2>&1 &
	set +m
	lanes+=("$name $!")
}

# What the lane of this name and process group does: the TAP files that run, or the last line of
# its newest log, and of a compiler's line only the file that it makes
running_in()
{
	local logs

	case $1 in
		tap)
			ps -eo pgid=,args= | awk -v group="$2" '
				$1 == group && /perl .*test\/t\/[^ ]*\.pl$/ && !/prove/ {
					sub(/.*test\/t\//, ""); sub(/\.pl$/, ""); print }' | sort -u | paste -s -d ' '
			return ;;
		server) logs='regress.log few_tags.log isolation.log' ;;
		*) logs='refusal.log unit.log fuzz.log client.log' ;;
	esac
	(cd "$work" && sed -e :a -e '/\\$/{N;s/\\\n//;ba' -e '}' "$(ls -t $logs | head -n 1)" | tail -n 1 |
		sed -E 's/^[^ ]+ .*-o ([^ ]+).*/compiling \1/') 2>/dev/null | cut -c -70
}

# Each minute, a line for each lane that runs
watch_lanes()
{
	local lane name pid start=$(now) next=60

	while sleep 1 >/dev/null 2>&1 3>&- && kill -0 $$ 2>/dev/null; do
		[ $((($(now) - start) / 1000)) -ge $next ] || continue
		for lane in "${lanes[@]}"; do
			read -r name pid <<<"$lane"
			! kill -0 -- "-$pid" 2>/dev/null || printf '    %4d s  %-7s%s\n' "$next" "$name" "$(running_in "$name" "$pid")"
		done
		next=$((next + 60))
	done
}

wait_for_lanes()
{
	local name pid watcher

	watch_lanes &
	watcher=$!
	while [ ${#lanes[@]} -gt 0 ]; do
		read -r name pid <<<"${lanes[0]}"
		wait "$pid"
		cat "$work/$name.out"
		if [ -e "$work/$name.counts" ]; then
			eval "$(cat "$work/$name.counts")"
		else
			failed=$((failed + 1))
			echo "  FAILED: the $name tests did not run to their end"
		fi
		lanes=("${lanes[@]:1}")
	done
	{ kill $watcher && wait $watcher; } 2>/dev/null
}

# After a signal: the tests stop their servers
stop_lanes()
{
	local lane pid tries

	for lane in "${lanes[@]}"; do
		pid=${lane#* }
		kill -TERM -- "-$pid" 2>/dev/null
		for ((tries = 0; tries < 100; tries++)); do
			kill -0 -- "-$pid" 2>/dev/null || break
			sleep 0.1
		done
	done
}

show()
{
	[ ! -s "$1" ] || { echo; echo "--- ${1#"$work"/}"; as_server tail -n "${2:-1000}" "$1"; }
}

# Tests provoke errors in the server's log. They do not provoke these messages.
show_crashes()
{
	as_server grep -E 'PANIC|TRAP|was terminated|FATAL' "$work/data/server.log" \
		>"$work/crashes"
	show "$work/crashes" 50
}

# rounds N: N of a usual run, in this run
rounds()
{
	awk -v usual="$1" -v n="$SIMHASH_SOAK" 'BEGIN { print int(usual * n) }'
}

# times_rounds SECONDS: multiplied by the number of rounds, if there are more than usual
times_rounds()
{
	awk -v seconds="$1" -v n="$SIMHASH_SOAK" 'BEGIN { print int(seconds * (n > 1 ? n : 1)) }'
}

# run COMMAND...: run it as the server's account in the copy, with a limit of time, and one for a session
# of a TAP test
run()
{
	limit=$(times_rounds "${SIMHASH_LIMIT:-$((7200 + 60 * build_time / 1000))}")
	start=$(now)
	(cd "$work/simhash" && as_server env PG_TEST_TIMEOUT_DEFAULT="${PG_TEST_TIMEOUT_DEFAULT:-$(times_rounds 600)}" \
		timeout --foreground -k 10 "$limit" "$@") >"$log" 2>&1
}

run_make()
{
	run make --no-print-directory PG_CONFIG="$PG_CONFIG" "$@"
}

# names of the files in folder $1 that end in $2, without folder and ending
names()
{
	local file

	for file in "$work/simhash/$1"/*"$2"; do
		[ ! -e "$file" ] || basename "$file" "$2"
	done
}

unit_tests()
{
	log=$work/unit.log
	if [ ! -e "$work/simhash/test/unit/Makefile" ]; then
		skip "unit tests" "there are none"
		return
	fi
	run make -C test/unit --no-print-directory -j "$(nproc)" JOIN_SIZES="$join_sizes" check
	count "unit tests" $? '^ok [0-9]+' '^not ok [0-9]+' || show "$log"
	tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [0-9]+ failed' ||
		grep '^# ' "$log" | sed 's/^/    /'
}

# The C library of client/; test/t/client_library.pl compares it with SQL
client_tests()
{
	log=$work/client.log
	run make -C test/client --no-print-directory -j "$(nproc)" check
	count "library of client/" $? '^ok [0-9]+' '^not ok [0-9]+' || show "$log"
}

# refuses MACRO VALUE MESSAGE: the build must refuse a server of that kind with the
# message. Without a message the build must accept the server.
refuses()
{
	{
		echo '#include "postgres.h"'
		[ -z "$1" ] || printf '#undef %s\n#define %s %s\n' "$1" "$1" "$2"
		echo '#include "server/compat.h"'
	} >"$work/server.c"
	cc -E -I"$root/src" -I"$("$PG_CONFIG" --includedir-server)" \
		"$work/server.c" 2>&1 >/dev/null | grep -o '"simhash needs.*"\|fatal error.*' |
		sort -u >"$work/refused.txt"
	if [ "$(cat "$work/refused.txt")" = "${3:+\"$3\"}" ]; then
		echo "ok 1 - refused: ${3:-nothing}"
	else
		echo "not ok 1 - refused: ${3:-nothing}; but: $(cat "$work/refused.txt")"
	fi
}

refusal_tests()
{
	log=$work/refusal.log
	start=$(now)
	{
		refuses
		refuses PG_VERSION_NUM 130022 "simhash needs PostgreSQL 14 or newer"
		refuses SIZEOF_VOID_P 4 "simhash needs a 64-bit server (8-byte pass-by-value types)"
		refuses WORDS_BIGENDIAN 1 "simhash needs a little-endian server (it is not tested on others)"
	} >"$log" 2>&1
	count "machines that are refused" 0 '^ok' '^not ok' 4 || show "$log"
}

# The corpus of test/fuzz, and inputs that are made of it, always the same
fuzz_tests()
{
	log=$work/fuzz.log
	echo 'int main(void) { return 0; }' >"$work/sanitizer.c"
	if ! cc -fsanitize=address,undefined -o "$work/sanitizer" "$work/sanitizer.c" 2>/dev/null; then
		skip "fuzz targets" "this compiler comes without sanitizers"
		return
	fi
	run make -C test/fuzz --no-print-directory PG_CONFIG="$PG_CONFIG" -j "$(nproc)" N="$(rounds 3000)" check
	count "fuzz targets" $? '^ok [0-9]+' '^not ok [0-9]+' || show "$log"
	sed -n 's/^ok 1 - fuzz \(.*: [0-9]* inputs\)$/    \1/p' "$log"
}

# PostgreSQL 16 and later print "ok 1 - name 5 ms", earlier ones "test name ... ok 5 ms".
regress_ok='^(ok [0-9]+ +[-+] |(test| )+[^ ]+ +\.\.\. ok)'
regress_not_ok='^(not ok [0-9]+ +[-+] |(test| )+[^ ]+ +\.\.\. (FAILED|failed))'

# run_regress LABEL VARIABLE TESTS: the tests of one of make's variables
run_regress()
{
	run_make installcheck REGRESS= ISOLATION= TAP_TESTS= "$2=$3"
	count "$1" $? "$regress_ok" "$regress_not_ok" "$(wc -w <<<"$3")" || {
		show "$log"
		show "$work/simhash/regression.diffs"
		show_crashes
	}
}

# The regression tests of leading columns with tags of 2 bits
few_tags_tests()
{
	local tests='setup opclass tenants'

	log=$work/few_tags.log
	export PGOPTIONS="-c simhash_test.module=$SIMHASH_FEW_TAGS"
	run_regress "regression tests, tags of 2 bits" REGRESS "$tests"
	unset PGOPTIONS
}

regression_tests()
{
	local listed unlisted

	log=$work/regress.log
	listed=$(cd "$work/simhash" && printf 'include Makefile\nlisted: ; @echo $(REGRESS)\n' |
		as_server make -s -f - PG_CONFIG="$PG_CONFIG" listed)
	if [ -z "$listed" ]; then
		skip "regression tests" "there are none"
		return
	fi
	run_regress "regression tests" REGRESS "${TESTS:-$listed}"
	[ -n "$TESTS" ] || few_tags_tests
	unlisted=$(names test/sql .sql | grep -vxF "$(tr ' ' '\n' <<<"$listed")")
	if [ -n "$unlisted" ]; then
		failed=$((failed + 1))
		echo "    FAILED: files in test/sql that are not in REGRESS:" $unlisted
	fi
}

isolation_tests()
{
	local specs tester

	log=$work/isolation.log
	specs=${TESTS:-$(names test/specs .spec)}
	tester=$(dirname "$("$PG_CONFIG" --pgxs)")/../test/isolation/pg_isolation_regress
	if [ -z "$specs" ]; then
		skip "isolation tests" "there are none"
		return
	elif [ ! -x "$tester" ]; then
		skip "isolation tests" "this PostgreSQL comes without pg_isolation_regress"
		return
	fi
	run_regress "isolation tests" ISOLATION "$(echo $specs)"
}

# The order in which TAP files start: those that take longest come first, so that all
# processors have work until the end. The end of a run prints the longest ones.
longest_first()
{
	awk '
		BEGIN {
			n = split("client_library servers_foreign client_python index_standby index_crash_rounds query_cancel index_damage " \
				"page_drivers duplicates_in_parts index_cache_memory index_crash_and_standby install_build join_files " \
				"page_passages index_page_lsn index_soak index_old_snapshot", long, " ")
			for (i = 1; i <= n; i++)
				place[long[i]] = i
		}
		{ print ($0 in place ? place[$0] : 99), $0 }' |
		sort -s -n -k 1,1 | cut -d " " -f 2
}

tap_tests()
{
	local scripts modules status

	log=$work/tap.log
	scripts=${TESTS:-$(names test/t .pl | longest_first)}
	modules=$(dirname "$("$PG_CONFIG" --pgxs)")/../test/perl
	if [ -z "$scripts" ]; then
		skip "TAP tests" "there are none"
		return
	elif [ ! -e "$modules/PostgreSQL/Test/Cluster.pm" ]; then
		skip "TAP tests" "this PostgreSQL comes without PostgreSQL::Test::Cluster"
		return
	fi
	run_make installcheck REGRESS= ISOLATION= TAP_TESTS=1 \
		PROVE_TESTS="$(printf 'test/t/%s.pl ' $scripts)" PROVE_FLAGS="-I test/t -v --merge --timer -j $jobs"
	status=$?
	awk '{ if (match($0, /test\/t\/[^ ]*\.pl/)) file = substr($0, RSTART + 7, RLENGTH - 10) }
		/skipped: / || /^ok [0-9].* # skip/ { sub(/.*(skipped:|# skip) */, ""); print file ": skipped: " $0 }' \
		"$log" >"$log.skipped"
	skipped=$((skipped + $(wc -l <"$log.skipped")))
	# A test that is expected to fail does not count, nor does a skipped test.
	sed -i -E '/^not ok .* # TODO/s/^not //; /^ok .* # skip/s/^/skipped /' "$log"
	count "TAP tests" $status '^ok [0-9]+' '^not ok [0-9]+' || {
		# failures may be far from the end of the log
		grep -vE '^(skipped )?ok ' "$log" >"$log.failed"
		show "$log.failed"
		for log in "$work"/simhash/tmp_check/log/*; do
			show "$log" 50
		done
		return
	}
	sed -n 's/^# figures: /    /p' "$log"
	echo "    the longest files, in seconds: $(awk 'match($0, /test\/t\/[a-z0-9_]*\.pl/) { file = substr($0, RSTART + 7, RLENGTH - 10) }
		/^ok +[0-9]+ ms/ || /\.\. ?ok +[0-9]+ ms/ { sub(/.*ok +/, ""); print int($1 / 1000), file }' "$log" |
		sort -rn | head -n 10 | awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 }')"
	uniq "$log.skipped" | sed 's/^/    /'
}

make_work_folder
echo "simhash: all tests"
echo
prepare_machine test || exit 1
echo "  PostgreSQL $pg_version"
step "Copying the sources" copy_sources || exit 1
build_time=$(now)
step "Building, warnings are errors" build COPT="$warnings" || exit 1
build_time=$(($(now) - build_time))
if is_wanted tap || { is_wanted regress && [ -z "$TESTS" ]; }; then
	step "Building with small index pages and tags" build_few_tags || exit 1
fi
if is_wanted tap; then
	step "Building with small index pages" build_small_pages || exit 1
	step "Building for tests of WAL and of builds" build_generic_wal || exit 1
fi
step "Installing into PostgreSQL $pg_version" install_extension || exit 1
remember_installed
hand_over_sources
# With sequential scans disabled every plan looks expensive enough to be compiled,
# which takes minutes over tens of thousands of small queries.
step "Starting a private server" start_server "jit = off" || exit 1
echo
tests_on_server=()
is_wanted regress && tests_on_server+=(regression_tests)
is_wanted isolation && tests_on_server+=(isolation_tests)
[ -z "$quick" ] || lane unit unit_tests
[ -n "$quick" ] || ! is_wanted unit || lane unit refusal_tests unit_tests fuzz_tests client_tests
[ ${#tests_on_server[@]} -eq 0 ] || lane server "${tests_on_server[@]}"
is_wanted tap && lane tap tap_tests
wait_for_lanes
if find_leaks >"$work/leaks"; then
	failed=$((failed + 1))
	{ echo "FAILED: resources were not released:"; head -n 50 "$work/leaks"; } >>"$work/failures"
fi
if ! installed_is_ours; then
	failed=$((failed + 1))
	echo "  FAILED: another build of simhash was installed while the tests ran"
fi
finished=1
