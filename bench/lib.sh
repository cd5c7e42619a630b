# Shared by bench.sh and the files of its sections, which source it: statements and their times, rows of tables, data
# and queries

############################################################################
# Tools
############################################################################

die()
{
	echo "bench: $*" >&2
	exit 1
}

query()
{
	$pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 -c "$1" || die "failed: $1"
}

# timed COMMAND: milliseconds of one SQL command, measured by psql
timed()
{
	local answer

	answer=$($pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 \
		<<<"SET max_parallel_workers_per_gather = 0;
			\\timing on
			$1") || die "failed: $1: $answer"
	sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' <<<"$answer" | tail -n 1
}

# cpu_time QUERIES: milliseconds of CPU that the server takes to execute the last query
cpu_time()
{
	local answer

	answer=$($pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 \
		<<<"SET client_min_messages = log;
			SET log_executor_stats = on;
			$1") || die "failed: $1: $answer"
	sed -n 's/^!.\([0-9.]*\) s user, \([0-9.]*\) s system, .*/\1 \2/p' <<<"$answer" | tail -n 1 |
		awk '{ print ($1 + $2) * 1000 }'
}

median()
{
	printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# calc EXPRESSION [FORMAT]
calc()
{
	awk "BEGIN { printf(\"${2:-%.2f}\", $1) }"
}

# figure EXPRESSION [DIGITS]: a number rounded to three significant digits, without an exponent
figure()
{
	awk "BEGIN {
		digits = ${2:-3}
		x = sprintf(\"%.\" digits - 1 \"e\", $1) + 0
		decimals = digits - 1
		for (y = x < 0 ? -x : x; y > 0 && y < 0.9999999; y *= 10)
			decimals++
		for (; y >= 9.9999999; y /= 10)
			decimals--
		printf(\"%.*f\", decimals > 0 ? decimals : 0, x)
	}"
}

# drive OPTION... STATEMENT FILE SETTING...: sets us, mean, last (99%), n_rows, how
drive()
{
	local line

	line=$($pin "$work/driver" "$@") || die "failed: $*"
	IFS=$'\t' read -r us mean last _ n_rows how <<<"$line"
}

# lookup STATEMENT FILE: calls drive, and marks the figure if the planner did not
# use an index
lookup()
{
	lookup_for "$seconds" "$@"
}

# lookup_for SECONDS STATEMENT FILE
lookup_for()
{
	drive -s "$1" "$2" "$work/$3" "$plan_mode"
	mark=
	case $how in
		sequential*) mark=" (seq.)" ;;
	esac
}

# write_queries FILE SELECT
write_queries()
{
	query "$2" >"$work/$1"
	[ -s "$work/$1" ] || die "no queries: $2"
}

size_of()
{
	query "SELECT pg_relation_size('$1')"
}

prewarm()
{
	[ -z "$have_prewarm" ] || query "SELECT pg_prewarm('$1')" >/dev/null
}

row()
{
	local cell

	for cell; do
		printf '| %s ' "$cell"
	done
	printf '|\n'
}

# header COLUMN...
header()
{
	row "$@"
	row "${@//*/---}"
}

############################################################################
# Several processes
############################################################################

# start_workers WHAT: the head of a table of workers_row, for tables large, of ten times $rows of 64 bits, and wide, of
# $rows of 256.  The server's new sessions run on all cores
start_workers()
{
	local workers
	local -a columns

	create_table large
	create_table wide
	n_workers=()
	for workers in ${WORKERS:-0 1 2 4}; do
		[ "$workers" -ge "$(nproc)" ] || n_workers+=("$workers")
	done
	taskset -acp "0-$(($(nproc --all) - 1))" "$server_pid" >/dev/null
	echo
	echo "### $1 by several processes, $((10 * rows)) rows of \`simhash\`, $rows of \`bit(256)\`, median of $builds"
	echo
	echo "Seconds with each number of workers besides the leader, and maintenance_work_mem = '${MAINTENANCE_WORK_MEM:-1GB}'."
	echo
	columns=("${n_workers[@]/%/ workers}")
	header "" "${columns[@]/#1 workers/1 worker}"
}

# workers_row WHAT COMMAND [AFTER]: a row with the times of a command.  AFTER follows each, untimed
workers_row()
{
	local round workers answer
	local -A times=()
	local -a cells=()

	for ((round = 0; round < builds; round++)); do
		for workers in "${n_workers[@]}"; do
			answer=$("$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 \
				<<<"SET max_parallel_maintenance_workers = $workers;
					SET max_parallel_workers_per_gather = $workers;
					SET maintenance_work_mem = '${MAINTENANCE_WORK_MEM:-1GB}';
					\\timing on
					$2;
					\\timing off
					$3") || die "failed: $2: $answer"
			times[$workers]+=" $(sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' <<<"$answer")"
		done
	done
	for workers in "${n_workers[@]}"; do
		# shellcheck disable=SC2086
		cells+=("$(figure "$(median ${times[$workers]}) / 1000")")
	done
	row "$1" "${cells[@]}"
}

# end_workers: new sessions run on one core again
end_workers()
{
	taskset -acp "$cpu" "$server_pid" >/dev/null
}

############################################################################
# Data
############################################################################

# fingerprint SEED: SQL for 64 random bits
fingerprint()
{
	echo "('x' || substr(md5($1), 1, 16))::bit(64)::bigint::simhash"
}

# A fifth of the rows are in clusters: each cluster has 2 to 50 members with 0 to 6 bits
# flipped from the cluster's centre.
create_clustered()
{
	query "
		CREATE TABLE clusters AS
			SELECT c, centre, size FROM (
				SELECT c, $(fingerprint "'centre ' || c") AS centre,
					2 + get_byte(decode(md5('size ' || c), 'hex'), 0) % 49 AS size,
					sum(2 + get_byte(decode(md5('size ' || c), 'hex'), 0) % 49) OVER (ORDER BY c) AS total
				FROM generate_series(1, $rows / 100 + 10) c) s
			WHERE total <= $rows / 5;
		CREATE TABLE members AS
			SELECT (centre::bigint # (
				CASE WHEN f > 0 THEN 1::bigint << (get_byte(h, 1) & 63) ELSE 0 END
				| CASE WHEN f > 1 THEN 1::bigint << (get_byte(h, 2) & 63) ELSE 0 END
				| CASE WHEN f > 2 THEN 1::bigint << (get_byte(h, 3) & 63) ELSE 0 END
				| CASE WHEN f > 3 THEN 1::bigint << (get_byte(h, 4) & 63) ELSE 0 END
				| CASE WHEN f > 4 THEN 1::bigint << (get_byte(h, 5) & 63) ELSE 0 END
				| CASE WHEN f > 5 THEN 1::bigint << (get_byte(h, 6) & 63) ELSE 0 END))::simhash AS fp
			FROM (SELECT centre, decode(md5('member ' || c || ' ' || m), 'hex') AS h,
					get_byte(decode(md5('flips ' || c || ' ' || m), 'hex'), 0) % 7 AS f
				FROM clusters, generate_series(1, size) m) s;
		CREATE TABLE clustered AS
			SELECT row_number() OVER (ORDER BY hashint8(fp::bigint), fp) AS id, fp FROM (
				SELECT fp FROM members
				UNION ALL
				SELECT $(fingerprint "'alone ' || g")
				FROM generate_series(1, $rows - (SELECT count(*) FROM members)) g) s;
		DROP TABLE members"
}

# create_table NAME: a table of id and fp
create_table()
{
	[ "$(query "SELECT to_regclass('$1') IS NULL")" = t ] || return 0
	case $1 in
		clustered) create_clustered ;;
		uniform) create_table_as "$1" "$(fingerprint "'uniform ' || g")" ;;
		large) create_table_as "$1" "$(fingerprint "'uniform ' || g")" $((10 * rows)) ;;
		constant_tail)	# the last 16 bits are the same in all rows
			create_table_as "$1" "($(fingerprint "'tail ' || g")::bigint & x'ffffffffffff0000'::bigint)::simhash" ;;
		near_duplicates)	# a fifth of the rows differ in 0 to 3 bits from another row
			create_table_as "$1" "CASE WHEN g % 5 > 0 THEN $(fingerprint "'original ' || g")
				ELSE ($(fingerprint "'original ' || 5 * (abs(hashint4(g)::bigint) % ($rows / 5)) + 1")::bigint #
					 CASE WHEN g / 5 % 4 > 0 THEN 1::bigint << (g % 64) ELSE 0 END #
					 CASE WHEN g / 5 % 4 > 1 THEN 1::bigint << (g / 64 % 64) ELSE 0 END #
					 CASE WHEN g / 5 % 4 > 2 THEN 1::bigint << (g / 4096 % 64) ELSE 0 END)::simhash
				END" ;;
		few_values)
			create_table_as "$1" "$(fingerprint "'few ' || g % 1000")" ;;
		wide)	# 256 bits; a tenth differ in about 16 from one of the others
			create_table_as "$1" "(CASE WHEN g % 10 > 0 THEN $(bits_256 "'original ' || g")
				ELSE $(bits_256 "'original ' || g - 1 - abs(hashint4(g)::bigint) % 9") #
					($(bits_256 "'a ' || g") & $(bits_256 "'b ' || g") & $(bits_256 "'c ' || g") & $(bits_256 "'d ' || g"))
				END)::bit(256)" ;;
		*) die "no data called $1" ;;
	esac
	query "ALTER TABLE $1 ADD PRIMARY KEY (id)"
	query "VACUUM (FREEZE, ANALYZE) $1"
	prewarm "$1"
	prewarm "$1_pkey"
}

# bits_256 SEED: an expression for 256 random bits
bits_256()
{
	echo "('x' || md5($1) || md5($1 || '+'))::bit(256)"
}

# create_table_as NAME FINGERPRINT [ROWS]
create_table_as()
{
	query "CREATE TABLE $1 AS SELECT g::bigint AS id, $2 AS fp FROM generate_series(1, ${3:-$rows}) g"
}

finish_table()
{
	query "ALTER TABLE $1 ADD PRIMARY KEY (id)"
	query "VACUUM (FREEZE, ANALYZE) $1"
	prewarm "$1"
	prewarm "$1_pkey"
}

write_id_queries()
{
	write_queries ids "SELECT 1 + (hashint8(g)::bigint + 2147483648) % $rows FROM generate_series(1, $n_queries) g"
}

# write_fp_queries TABLE: the files of queries: stored, random, and centre if there are
# centres
write_fp_queries()
{
	write_queries stored "SELECT fp FROM $1 JOIN generate_series(1, $n_queries) g
		ON id = 1 + (hashint8(g)::bigint + 2147483648) % $rows ORDER BY g"
	write_queries random "SELECT $(fingerprint "'query ' || g") FROM generate_series(1, $n_queries) g"
	rm -f "$work/centre"
	[ "$1" != clustered ] ||
		write_queries centre "SELECT centre FROM clusters WHERE size >= 10
			ORDER BY hashint8(c) LIMIT $n_queries"
}

within()
{
	echo "SELECT id FROM $1 WHERE fp <-> \$1 <= $2"
}

nearest()
{
	echo "SELECT id FROM $1 ORDER BY fp <-> \$1 LIMIT 10"
}

# documents_of SIZE UNIT: turns standard input into rows of COPY, each of SIZE bytes or
# characters
documents_of()
{
	perl -e 'my ($size, $unit) = @ARGV;
		binmode STDIN, ":utf8" if $unit eq "characters";
		binmode STDOUT, ":utf8" if $unit eq "characters";
		my %escape = ("\\" => "\\\\", "\n" => "\\n", "\t" => "\\t", "\r" => " ");
		while (read(STDIN, my $text, $size) == $size) {
			$text =~ s/([\\\n\t\r])/$escape{$1}/g;
			$text =~ tr/\0//d;
			print "$text\n";
		}' "$1" "$2"
}

# best_times CLOCK FROM TIMES EXPRESSION...: the least milliseconds of counting each
# expression, by the function CLOCK; the expressions take turns, so that a disturbance
# affects all of them
best_times()
{
	local clock=$1 from=$2 times=$3 round i
	local -a best

	shift 3
	for ((round = 0; round < times; round++)); do
		for ((i = 1; i <= $#; i++)); do
			best[i]="${best[i]} $($clock "SET work_mem = '1GB'; $from SELECT count(${!i}) FROM texts")"
		done
	done
	for ((i = 1; i <= $#; i++)); do
		printf '%s\n' ${best[i]} | sort -n | head -n 1
	done
}
