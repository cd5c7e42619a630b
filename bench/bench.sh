#!/bin/bash
# Measurements, as tables in Markdown: bash bench/bench.sh [SECTION...]
#
# Sections: index (build, size, lookups), build (by several processes, on all cores), wide (the
# same as index for bit strings), tenants (the same with a column in front of the fingerprint),
# join, pairs, workers (pairs by parallel workers, on all processors), queries (the slow and fast
# forms of doc/slow-queries.md), insert, ingest, bulk, skew, text, passages (keys of passages, GIN),
# recipes (result lists, signatures, components, sets of hashes, groups kept up to date); default
# all.  Section disk (an index larger than memory, on a model of a disk) runs only if it is named.
# Everything runs on a private server, one client, client and server pinned to
# the same core. The data are the same in every run. Settings in the environment:
#   ROWS=1000000           rows of each table
#   METHODS="gist bitblock"  index methods; those that are not there are left out
#   DATA="uniform clustered"
#   SECONDS_EACH=1         time for each figure of the lookups
#   WORKERS="0 1 2 4"      workers of section build, at most as many as there are cores
#   BUILDS=3               builds of each index, with the median as result; rounds of
#                          sections pairs and queries
#   INSERTS=100000         rows of each round of inserts
#   DOCUMENTS=100000       documents of sections ingest, bulk and passages
#   CPU=1                  core to run on; default the last one
#   SHARED_BUFFERS=2GB  MAINTENANCE_WORK_MEM=256MB
#   PLAN=auto              plan_cache_mode of the lookups
#   WIDTHS="128 256 512 1024"  bits of section wide
#   HASHES="FILE..."       for section wide: tables of real hashes.  Each line has a hash in
#                          binary digits, or in hexadecimal digits after an x
#   DISK_US=100  DISK_DEPTH=32  of section disk: microseconds a page, pages under way at once
#   TEXTS="FILE..."        text for sections text and passages
#   CHINESE_TEXTS="FILE..."  Chinese, for the same; left out if there is none

case "$*" in
	*-h* | *--help*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
exec </dev/null

. "$(dirname "$0")/../test/lib.sh"
export PGCLIENTENCODING=UTF8 PGDATABASE=postgres

sections=${*:-index build wide tenants join pairs workers queries insert ingest bulk skew text passages recipes}
rows=${ROWS:-1000000}
data=${DATA:-uniform clustered}
seconds=${SECONDS_EACH:-1}
builds=${BUILDS:-3}
inserts=${INSERTS:-100000}
documents=${DOCUMENTS:-100000}
widths=${WIDTHS:-128 256 512 1024}
cpu=${CPU:-$(taskset -cp $$ | sed 's/.*[ ,-]//')}
pin="taskset -c $cpu"
plan_mode="SET plan_cache_mode = ${PLAN:-auto}"
n_queries=20000

trap 'status=$?; trap - EXIT; remove_work_folder; exit $status' EXIT
trap 'exit 130' INT TERM HUP

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

# drive OPTION... STATEMENT FILE SETTING...: sets us, mean, last (99 %), n_rows, how
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

create_table_as()
{
	query "CREATE TABLE $1 AS SELECT g::bigint AS id, $2 AS fp FROM generate_series(1, $rows) g"
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

############################################################################
# Sections
############################################################################

# measure_builds TABLE: sets build[METHOD] and size[METHOD]
measure_builds()
{
	local method i

	for ((i = 0; i < builds; i++)); do
		for method in btree $methods; do
			query "DROP INDEX IF EXISTS measured; CHECKPOINT"
			build_times[$method]+=" $(timed "CREATE INDEX measured ON $1 USING $method (fp)")"
			size[$method]=$(size_of measured)
		done
	done
	query "DROP INDEX measured"
	for method in btree $methods; do
		build[$method]=$(median ${build_times[$method]})
	done
}

within()
{
	echo "SELECT id FROM $1 WHERE fp <-> \$1 <= $2"
}

nearest()
{
	echo "SELECT id FROM $1 ORDER BY fp <-> \$1 LIMIT 10"
}

section_index()
{
	local table method k kind

	write_id_queries
	for table in $data; do
		local -A build=() build_times=() size=() cell=()
		local pk=() queries=()

		create_table "$table"
		write_fp_queries "$table"
		echo
		echo "### $rows $table fingerprints"
		echo
		measure_builds "$table"
		header "index" "build" "x btree" "size" "x btree"
		for method in btree $methods; do
			row "$method" "$(calc "${build[$method]} / 1000") s" \
				"$(calc "${build[$method]} / ${build[btree]}")" \
				"$(calc "${size[$method]} / 1e6" %.0f) MB" \
				"$(calc "${size[$method]} / ${size[btree]}")"
		done
		echo

		# the queries: name, kind of query points, statement
		for k in 0 1 2 3 4 5 6 8 10; do
			for kind in stored random; do
				queries+=("within $k of a $kind fingerprint|$kind|$(within "$table" $k)")
			done
		done
		queries+=("within 16, count|random|SELECT count(*) FROM $table WHERE fp <-> \$1 <= 16")
		for kind in stored random centre; do
			[ ! -e "$work/$kind" ] ||
				queries+=("nearest 10 of a $kind fingerprint|$kind|$(nearest "$table")")
		done
		lookup "$(within "$table" 3)" random
		scan=$us
		lookup "$(nearest "$table")" random
		scan_nearest=$us
		for method in $methods; do
			query "CREATE INDEX measured ON $table USING $method (fp)"
			query "VACUUM ANALYZE $table"
			prewarm measured
			for q in "${queries[@]}"; do
				IFS='|' read -r name kind statement <<<"$q"
				drive -s "$(calc "$seconds / 3")" "SELECT id, fp FROM $table WHERE id = \$1" \
					"$work/ids" "$plan_mode"
				pk+=("$us")
				lookup "$statement" "$kind"
				cell[$method,$name]="$us|$n_rows|$mark|$(calc "$us / ${pk[-1]}")"
			done
			query "DROP INDEX measured"
		done
		pk_us=$(median "${pk[@]}")
		echo "Primary key lookup, measured before each query: median" \
			"$(calc "$pk_us / 1000" %.4f) ms, from" \
			"$(calc "$(printf '%s\n' "${pk[@]}" | sort -n | head -n 1) / 1000" %.4f) to" \
			"$(calc "$(printf '%s\n' "${pk[@]}" | sort -n | tail -n 1) / 1000" %.4f) ms."
		echo "Sequential scan: within 3 $(calc "$scan / 1000" %.1f) ms," \
			"nearest 10 $(calc "$scan_nearest / 1000" %.1f) ms."
		echo
		local columns=()
		for method in $methods; do
			columns+=("$method, ms" "x PK")
		done
		header "median of a query" "rows" "${columns[@]}"
		for q in "${queries[@]}"; do
			IFS='|' read -r name kind statement <<<"$q"
			columns=()
			for method in $methods; do
				IFS='|' read -r us n_rows mark ratio <<<"${cell[$method,$name]}"
				columns+=("$(calc "$us / 1000" %.4f)$mark" "$ratio")
			done
			row "$name" "$(calc "$n_rows" %.1f)" "${columns[@]}"
		done
	done
}

# bits_of N SEED: SQL for N random bits
bits_of()
{
	local part all=

	for ((part = 0; part < $1; part += 128)); do
		all+="${all:+ || }md5($2 || ' $part')"
	done
	echo "('x' || $all)::bit($1)"
}

# create_wide TABLE N: a tenth of the rows differ from one of the nine rows before in up to
# a fifth of the bits
create_wide()
{
	[ "$(query "SELECT to_regclass('$1') IS NULL")" = t ] || return 0
	query "
		CREATE FUNCTION pg_temp.flipped(fp bit, flips integer, seed bigint) RETURNS bit LANGUAGE plpgsql AS \$\$
		DECLARE b integer;
		BEGIN
			FOR i IN 1 .. flips LOOP
				b := (hashint8extended(seed, i) & 2147483647) % length(fp);
				fp := set_bit(fp, b, 1 - get_bit(fp, b));
			END LOOP;
			RETURN fp;
		END \$\$;
		CREATE TABLE $1 (id bigint, fp bit($2));
		INSERT INTO $1 SELECT g, CASE WHEN g % 10 > 0 THEN $(bits_of "$2" "g")
			ELSE pg_temp.flipped($(bits_of "$2" "(g - 1 - g / 10 % 9)"), (g / 10 % ($2 / 5))::integer, g) END
			FROM generate_series(1, $rows) g"
	finish_table "$1"
}

# create_real TABLE FILE: a table of the hashes in a file
create_real()
{
	query "CREATE TABLE $1 (id bigint GENERATED ALWAYS AS IDENTITY, fp bit varying)"
	$pin "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -c "\\copy $1 (fp) FROM '$2'" || die "failed: $2"
	query "ALTER TABLE $1 ALTER COLUMN fp TYPE bit($(query "SELECT length(fp) FROM $1 LIMIT 1"))"
	finish_table "$1"
}

finish_table()
{
	query "ALTER TABLE $1 ADD PRIMARY KEY (id)"
	query "VACUUM (FREEZE, ANALYZE) $1"
	prewarm "$1"
	prewarm "$1_pkey"
}

# wide_lookup TABLE NAME STATEMENT FILE: a line of the table of lookups.  It
# measures the lookup by primary key before and after
wide_lookup()
{
	local before after

	drive -s "$(calc "$seconds / 3")" "SELECT id, fp FROM $1 WHERE id = \$1" "$work/ids" "$plan_mode"
	before=$us
	lookup "$3" "$4"
	local found_us=$us found_mean=$mean found_last=$last found_rows=$n_rows
	drive -s "$(calc "$seconds / 3")" "SELECT id, fp FROM $1 WHERE id = \$1" "$work/ids" "$plan_mode"
	after=$us
	row "$1" "$2" "$(calc "$found_rows" %.1f)" "$(calc "$found_us / 1000" %.4f)$mark" \
		"$(calc "$found_mean / 1000" %.4f)" "$(calc "$found_last / 1000" %.2f)" \
		"$(calc "2 * $found_us / ($before + $after)")" "$(calc "2 * $found_mean / ($before + $after)")"
}

# Alternatives: a sequential scan, and the HNSW index of pgvector if that is installed
wide_others()
{
	local ef answers

	write_queries few "SELECT fp FROM $1 WHERE id IN (SELECT 1 + (hashint8(g)::bigint + 2147483648) % $rows FROM generate_series(1, 20) g)"
	wide_lookup "$1" "bit_count(fp # q) <= $2, sequential scan" \
		"SELECT id FROM $1 WHERE bit_count(fp # \$1) <= $2" few
	[ "$(query "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")" = 1 ] || return 0
	query "CREATE EXTENSION IF NOT EXISTS vector"
	answers=$(timed "CREATE INDEX measured_hnsw ON $1 USING hnsw (fp bit_hamming_ops)")
	row "$1" "pgvector HNSW, build, s" "" "$(calc "$answers / 1000" %.0f)" "" "" "" ""
	for ef in 40 200 1000; do
		plan_mode="SET hnsw.ef_search = $ef" wide_lookup "$1" "pgvector HNSW, nearest 10, ef_search $ef" \
			"SELECT id FROM $1 ORDER BY fp <~> \$1 LIMIT 10" stored
	done
	query "DROP INDEX measured_hnsw"
}

# build_by_workers TABLE COLUMNS: a row for each number of workers
build_by_workers()
{
	local workers i times seconds alone=

	for workers in ${WORKERS:-0 1 2 4}; do
		[ "$workers" -le "$(nproc)" ] || continue
		query "ALTER TABLE $1 SET (parallel_workers = $workers)"
		times=
		for ((i = 0; i < builds; i++)); do
			times+=" $(timed "SET max_parallel_maintenance_workers = $workers;
				CREATE INDEX measured ON $1 USING bitblock ($2);")"
			query "DROP INDEX measured"
		done
		# shellcheck disable=SC2086
		seconds=$(calc "$(median $times) / 1000")
		alone=${alone:-$seconds}
		row "$1 ($2)" "$workers" "$seconds" "$(calc "$alone / $seconds")"
	done
	query "ALTER TABLE $1 RESET (parallel_workers)"
}

section_build()
{
	create_table uniform
	create_table wide
	taskset -cp "$(taskset -cp $$ | sed 's/.*: //')" "$server_pid" >/dev/null
	echo
	echo "### Builds by several processes, $rows rows, $(nproc) cores, median of $builds"
	echo
	header "index" "workers" "build, s" "times as fast"
	build_by_workers uniform fp
	build_by_workers uniform "(id % 1000), fp"
	build_by_workers wide fp
	taskset -cp "$cpu" "$server_pid" >/dev/null
}

section_wide()
{
	local n table k file build64 build size file real=

	write_id_queries
	echo
	echo "### $rows bit strings"
	echo
	create_table uniform
	build64=$(timed "CREATE INDEX measured ON uniform USING bitblock (fp)")
	query "DROP INDEX measured"
	for file in $HASHES; do
		table=$(basename "$file" | sed 's/[^a-z0-9].*//')
		create_real "$table" "$file"
		real+=" $table"
	done
	header "table" "build, s" "x 64 bits" "bytes a row"
	for n in $widths; do
		create_wide "bits_$n" "$n"
	done
	for table in $(printf 'bits_%s ' $widths) $real; do
		build=$(timed "CREATE INDEX ${table}_fp ON $table USING bitblock (fp)")
		query "VACUUM ANALYZE $table"
		prewarm "${table}_fp"
		row "$table" "$(calc "$build / 1000")" "$(calc "$build / $build64")" \
			"$(query "SELECT round(pg_relation_size('${table}_fp') / count(*)::numeric) FROM $table")"
	done
	echo
	header "table" "query" "rows" "median, ms" "mean, ms" "99 %, ms" "median, x PK" "mean, x PK"
	for n in $widths; do
		table=bits_$n
		write_fp_queries "$table"
		write_queries random "SELECT $(bits_of "$n" "'query ' || g") FROM generate_series(1, 200) g"
		case $n in
			128) set -- 7 10 15 20 ;;
			256) set -- 15 20 28 31 40 48 ;;
			*) set -- $((n / 16 - 1)) $((n / 8 - 1)) ;;
		esac
		for k; do
			wide_lookup "$table" "within $k" "$(within "$table" "$k")" stored
		done
		wide_lookup "$table" "nearest 10 of a random one" "$(nearest "$table")" random
		[ "$n" != 256 ] || wide_others "$table" 31
	done
	for table in $real; do
		write_queries stored "SELECT fp FROM $table JOIN generate_series(1, 1000) g
			ON id = 1 + (hashint8(g)::bigint + 2147483648) % (SELECT max(id) FROM $table) ORDER BY g"
		for k in 8 15 31; do
			wide_lookup "$table" "within $k" "$(within "$table" "$k")" stored
		done
	done
	case " $widths " in *" 256 "*) wide_join; wide_near; wide_inserts ;; esac
	for table in $(printf 'bits_%s ' $widths) $real; do
		query "DROP TABLE $table"
	done
}

# Ten rows within 31 of a query: the nearest ten
wide_near()
{
	query "CREATE TABLE near_256 (id bigint, fp bit(256));
		INSERT INTO near_256 SELECT g, $(bits_of 256 "('near ' || g / 12)") #
			($(bits_of 256 "('a ' || g)") & $(bits_of 256 "('b ' || g)") & $(bits_of 256 "('c ' || g)") & $(bits_of 256 "('d ' || g)"))
			FROM generate_series(0, $rows - 1) g"
	finish_table near_256
	query "CREATE INDEX near_256_fp ON near_256 USING bitblock (fp)"
	query "VACUUM ANALYZE near_256"
	prewarm near_256_fp
	write_queries centre "SELECT $(bits_of 256 "('near ' || g * 7)") FROM generate_series(1, 2000) g"
	echo
	header "table" "query" "rows" "median, ms" "mean, ms" "99 %, ms" "median, x PK" "mean, x PK"
	wide_lookup near_256 "nearest 10, twelve of them within 31" "$(nearest near_256)" centre
	query "DROP TABLE near_256"
}

wide_join()
{
	local ms

	query "CREATE TABLE probes AS SELECT fp FROM bits_256 WHERE id % 100 = 0 LIMIT 5000; ANALYZE probes"
	ms=$(timed "SET enable_seqscan = on; SELECT count(*) FROM probes p JOIN bits_256 t ON p.fp <-> t.fp <= 31")
	echo
	echo "Join, one probe within 31 of 256 bits: $(calc "$ms * 1000 / $(query "SELECT count(*) FROM probes")" %.0f) microseconds."
	query "DROP TABLE probes"
}

wide_inserts()
{
	local with without

	query "CREATE TABLE target AS TABLE bits_256; ALTER TABLE target ADD PRIMARY KEY (id)"
	query "SELECT $rows + g, $(bits_of 256 "'insert ' || g") FROM generate_series(1, $inserts / 5) g" |
		tr '|' '\t' >"$work/inserts"
	query "CHECKPOINT"
	drive -t "INSERT INTO target VALUES (\$1, \$2)" "$work/inserts"
	without=$mean
	query "DELETE FROM target WHERE id > $rows; CREATE INDEX measured ON target USING bitblock (fp)"
	query "VACUUM target"
	query "CHECKPOINT"
	lsn=$(query "SELECT pg_current_wal_insert_lsn()")
	drive -t "INSERT INTO target VALUES (\$1, \$2)" "$work/inserts"
	with=$mean
	echo
	echo "Single-row inserts of 256 bits: $(calc "1e6 / $without" %.0f) a second with the primary key," \
		"$(calc "1e6 / $with" %.0f) with the index, too ($(calc "$without / $with"));" \
		"$(query "SELECT round(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$lsn') / ($inserts / 5))") bytes of WAL a row."
	query "DROP TABLE target"
}

# create_tenants TABLE FINGERPRINT: rows of 1,000 tenants in random order; the size of tenant
# n is proportional to 1/n
create_tenants()
{
	query "
		CREATE TABLE $1 AS
			SELECT g::bigint AS id,
				1 + width_bucket(((hashint8extended(g, 1) >> 12) & ((1::bigint << 52) - 1)) / (1::bigint << 52)::float8, shares) AS tenant,
				$2 AS fp
			FROM generate_series(1, $rows) g, (
				SELECT array_agg(share::float8 ORDER BY n) AS shares FROM (
					SELECT n, sum(1.0 / n) OVER (ORDER BY n) / sum(1.0 / n) OVER () AS share
					FROM generate_series(1, 1000) n) s
				WHERE n < 1000) s"
	finish_table "$1"
}

# tenant_queries FILE TABLE TENANTS [FINGERPRINT]: a tenant and a fingerprint in each line, a
# fingerprint of the tenant unless an expression of g is given
tenant_queries()
{
	query "SELECT tenant, ${4:-fp} FROM (
			SELECT *, row_number() OVER (ORDER BY hashint8(id), id) AS g FROM $2 WHERE tenant IN ($3)) s
		ORDER BY g LIMIT 2000" | tr '|' '\t' >"$work/$1"
	[ -s "$work/$1" ] || die "no queries of tenants $3"
}

# in_turn STATEMENT FILE OTHER OTHER_FILE: sets us, n_rows, how and mark of the first
# statement, and ratio, the median of its time divided by the other's, measured in turn
in_turn()
{
	local round other times=() ratios=()

	for round in 1 2 3 4 5; do
		drive -s "$(calc "$seconds / 5")" "$3" "$work/$4" "$plan_mode"
		other=$us
		lookup_for "$(calc "$seconds / 5")" "$1" "$2"
		times+=("$us")
		ratios+=("$(calc "$us / $other" %.4f)")
	done
	us=$(median "${times[@]}")
	ratio=$(median "${ratios[@]}")
}

within_tenant()
{
	echo "SELECT id FROM $1 WHERE tenant = \$1 AND fp <-> \$2 <= $2"
}

# tenant_lookup NAME TABLE INDEX STATEMENT FILE: a line of the table of lookups
tenant_lookup()
{
	in_turn "$4" "$5" "SELECT id, fp FROM $2 WHERE id = \$1" ids
	row "$1" "$3" "$(calc "$n_rows" %.1f)" "$(calc "$us / 1000" %.4f)$mark" "$(calc "$ratio")"
}

# tenant_lookups TABLE INDEX: the queries of 64 bits
tenant_lookups()
{
	local k

	for k in 3 8; do
		tenant_lookup "within $k, a tenant of $some_size" "$1" "$2" "$(within_tenant "$1" $k)" of_some
	done
	tenant_lookup "nearest 10, a tenant of $some_size, none near" "$1" "$2" \
		"SELECT id FROM $1 WHERE tenant = \$1 ORDER BY fp <-> \$2 LIMIT 10" random
	tenant_lookup "nearest 10, twenty tenants of about this size" "$1" "$2" \
		"SELECT id FROM $1 WHERE tenant = ANY (ARRAY(SELECT generate_series(\$1, \$1 + 19))) ORDER BY fp <-> \$2 LIMIT 10" random
	tenant_lookup "within 3, the largest tenant, of $largest_size" "$1" "$2" "$(within_tenant "$1" 3)" of_largest
}

# An index (tenant, fp) beside an index (fp) of an equal table, and beside GiST
section_tenants()
{
	local some some_size largest_size build size

	write_id_queries
	echo
	echo "### $rows rows of 1,000 tenants"
	echo
	create_tenants tenants "$(fingerprint "'uniform ' || g")"
	query "CREATE TABLE untagged AS TABLE tenants"
	finish_table untagged
	query "CREATE TABLE largest AS SELECT id, fp FROM tenants WHERE tenant = 1"
	finish_table largest
	some=$(query "SELECT string_agg(tenant::text, ',') FROM (SELECT tenant FROM tenants GROUP BY 1
		ORDER BY abs(count(*) - 10000), 1 LIMIT 5) s")
	some_size=$(query "SELECT to_char(count(*) / 5, 'FM999,999,999') || ' rows' FROM tenants WHERE tenant IN ($some)")
	largest_size=$(query "SELECT to_char(count(*), 'FM999,999,999') || ' rows' FROM largest")
	tenant_queries of_some tenants "$some"
	tenant_queries random tenants "$some" "$(fingerprint "'query ' || g")"
	tenant_queries of_largest tenants 1
	cut -f 2 "$work/of_largest" >"$work/alone"

	header "index" "build, s" "size, MB" "x index on the fingerprint alone"
	build=$(timed "CREATE INDEX untagged_fp ON untagged USING bitblock (fp)")
	size=$(size_of untagged_fp)
	row "bitblock (fp)" "$(calc "$build / 1000")" "$(calc "$size / 1e6" %.0f)" ""
	build=$(timed "CREATE INDEX tenants_fp ON tenants USING bitblock (tenant, fp)")
	row "bitblock (tenant, fp)" "$(calc "$build / 1000")" "$(calc "$(size_of tenants_fp) / 1e6" %.0f)" \
		"$(calc "$(size_of tenants_fp) / $size")"
	query "CREATE INDEX largest_fp ON largest USING bitblock (fp)"
	query "VACUUM ANALYZE tenants, untagged, largest"
	prewarm tenants_fp
	prewarm untagged_fp
	prewarm largest_fp

	echo
	header "query" "index" "rows" "median, ms" "x PK"
	tenant_lookups tenants "bitblock (tenant, fp)"
	tenant_lookups untagged "bitblock (fp), filter"
	in_turn "$(within_tenant tenants 3)" of_largest "$(within largest 3)" alone
	echo
	echo "Within 3 in the largest tenant: $(calc "$ratio") times the query of a table of these rows" \
		"with bitblock (fp)."
	tenant_inserts
	tenant_gist
	query "DROP TABLE tenants, untagged, largest"

	create_tenants tenants "$(bits_of 256 g)"
	query "CREATE INDEX tenants_fp ON tenants USING bitblock (tenant, fp)"
	query "VACUUM ANALYZE tenants"
	prewarm tenants_fp
	tenant_queries of_some tenants "$some"
	echo
	header "256 bits" "index" "rows" "median, ms" "x PK"
	tenant_lookup "within 31, a tenant of $some_size" tenants "bitblock (tenant, fp)" "$(within_tenant tenants 31)" of_some
	query "DROP TABLE tenants"
}

# Inserts into the two tables in turn
tenant_inserts()
{
	local round table
	local -A rate=() times=()

	for round in 1 2 3; do
		query "SELECT $rows + $round * $inserts + g, tenant, $(fingerprint "'insert $round ' || g")
			FROM generate_series(1, $inserts) g JOIN tenants t
				ON t.id = 1 + (hashint8(g + $round)::bigint + 2147483648) % $rows" | tr '|' '\t' >"$work/inserts"
		for table in untagged tenants; do
			query "CHECKPOINT"
			drive -t "INSERT INTO $table VALUES (\$1, \$2, \$3)" "$work/inserts"
			times[$table]+=" $mean"
		done
	done
	for table in untagged tenants; do
		rate[$table]=$(calc "1e6 / $(median ${times[$table]})" %.0f)
	done
	echo
	echo "Single-row inserts, primary key and index: ${rate[untagged]} a second with bitblock (fp)," \
		"${rate[tenants]} with bitblock (tenant, fp) ($(calc "${rate[tenants]} / ${rate[untagged]}"))."
}

# The same lookups by GiST, if btree_gist is there
tenant_gist()
{
	local build

	[ "$(query "SELECT count(*) FROM pg_available_extensions WHERE name = 'btree_gist'")" = 1 ] || return 0
	query "CREATE EXTENSION IF NOT EXISTS btree_gist; DROP INDEX untagged_fp"
	build=$(timed "CREATE INDEX untagged_gist ON untagged USING gist (tenant, fp)")
	query "VACUUM ANALYZE untagged"
	prewarm untagged_gist
	echo
	echo "gist (tenant, fp): built in $(calc "$build / 1000") s, $(calc "$(size_of untagged_gist) / 1e6" %.0f) MB."
	echo
	header "query" "index" "rows" "median, ms" "x PK"
	tenant_lookups untagged "gist (tenant, fp)"
}

# The inner side of a join of pairs
section_join()
{
	local method table k n ms plan

	echo
	echo "### Pair join: time of one probe of the inner index"
	echo
	header "data" "index" "k" "probes" "microseconds a probe" "plan"
	for table in $data; do
		create_table "$table"
		for method in $methods; do
			query "CREATE INDEX measured ON $table USING $method (fp)"
			query "VACUUM ANALYZE $table"
			prewarm measured
			for k in 3 8; do
				for n in 1000 100000; do
					query "DROP TABLE IF EXISTS probes;
						CREATE TABLE probes AS SELECT fp FROM $table
						WHERE id <= $n * 3 AND id % 3 = 0;
						ANALYZE probes"
					join="SELECT count(*) FROM probes p JOIN $table t ON p.fp <-> t.fp <= $k"
					plan=$(query "SET max_parallel_workers_per_gather = 0; EXPLAIN (COSTS OFF) $join" |
						sed -n 's/^[ >-]*\(.*Scan\) using measured.*/\1/p;s/^[ >-]*\(Bitmap Index Scan\).*/\1/p' | head -n 1)
					ms=
					[ -n "$plan" ] || break
					ms=$(timed "$join")
					n=$(query "SELECT count(*) FROM probes")
					[ "$(calc "$ms > 100" %d)" = 0 ] || break
				done
				if [ -n "$ms" ]; then
					row "$table" "$method" $k "$n" "$(calc "$ms * 1000 / $n")" "$plan"
				else
					row "$table" "$method" $k "" "" "the planner does not use the index"
				fi
			done
			query "DROP INDEX measured"
		done
	done
	query "DROP TABLE IF EXISTS probes"
}

# cpu_of COMMAND: CPU seconds of the server process, and its largest memory in MB
# without shared memory
cpu_of()
{
	local cpu="SELECT (split_part(s, ' ', 14)::bigint + split_part(s, ' ', 15)::bigint) / $(getconf CLK_TCK).0 AS cpu
		FROM pg_read_file('/proc/self/stat', 0, 1000) s"

	$pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 <<<"$cpu \\gset before_
		$1 \\g /dev/null
		SELECT ($cpu) - :before_cpu,
			((regexp_match(s, 'VmHWM:\s*(\d+)'))[1]::bigint - (regexp_match(s, 'RssShmem:\s*(\d+)'))[1]::bigint) / 1000
		FROM pg_read_file('/proc/self/status', 0, 10000) s" || die "failed: $1"
}

# pairs_rows TABLE: measure the statements of standard input, in lines "name|statement"
pairs_rows()
{
	local name statement cpu memory cpus k

	while IFS='|' read -r name statement; do
		[[ $name != *SQL* || $rows -le 2000000 ]] || continue
		cpus=()
		for ((k = 0; k < builds; k++)); do
			read -r cpu memory <<<"$(cpu_of "$statement" | tr '|' ' ')"
			cpus+=("$cpu")
		done
		row "$1" "$name" "$(calc "$(median "${cpus[@]}")")" "$memory"
	done
}

# All pairs and groups of a table, beside other operations that read the whole table
section_pairs()
{
	local table

	echo
	echo "### Pairs and groups of $rows fingerprints: CPU seconds, median of $builds"
	echo
	header "data" "what" "CPU s" "memory, MB"
	for table in uniform near_duplicates; do
		create_table "$table"
		# the join in SQL would take minutes
		if [ "$rows" -le 2000000 ]; then
			query "CREATE INDEX measured ON $table USING bitblock (fp)"
			prewarm measured
		fi
		pairs_rows "$table" <<-END
			read it, in order of fingerprint|SELECT fp FROM $table ORDER BY fp OFFSET $((rows - 1))
			equal ones, SQL|SELECT count(*) FROM $table a JOIN $table b ON a.fp = b.fp AND a.id < b.id
			within 3, SQL|SELECT count(*) FROM $table a JOIN $table b ON a.fp <-> b.fp <= 3 AND a.id < b.id
			simhash_pairs, 3|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM $table', 3)
			simhash_pairs, 8|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM $table', 8)
			simhash_clusters, 3|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM $table', 3)
			simhash_clusters, 3, star|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM $table', 3, 'star')
			delete all but the first, 3|BEGIN; DELETE FROM $table USING simhash_clusters('SELECT id, fp FROM $table', 3, 'star') c WHERE $table.id = c.id AND c.id <> c.cluster; ROLLBACK
		END
		[ "$rows" -gt 2000000 ] || query "DROP INDEX measured"
	done
	create_table wide
	pairs_rows wide <<-END
		read it, in order of fingerprint|SELECT fp FROM wide ORDER BY fp OFFSET $((rows - 1))
		simhash_pairs, 15|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM wide', 15)
		simhash_pairs, 31|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM wide', 31)
		simhash_clusters, 31|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM wide', 31)
		simhash_clusters, 31, star|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM wide', 31, 'star')
	END
}

# elapsed WORKERS MEMORY QUERY: seconds on all processors
elapsed()
{
	"$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 <<<"SET max_parallel_maintenance_workers = $1;
		SET maintenance_work_mem = '$2';
		\\timing on
		$3" | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | awk 'END { print $1 / 1000 }'
}

# All pairs and groups by several processes, and with little memory
section_workers()
{
	local memory workers what table k method call name

	echo
	echo "### Pairs and groups of $rows fingerprints by workers: seconds, median of $builds"
	echo
	header "data" "what" "memory" "0 workers" "1 worker" "2 workers"
	# its new sessions run on all processors
	taskset -acp 0-$(($(nproc --all) - 1)) "$server_pid" >/dev/null
	for table in uniform wide; do
		create_table "$table"
		for what in pairs,3 pairs,5 pairs,8 clusters,3 clusters,5 clusters,5,star; do
			IFS=, read -r what k method <<<"$what"
			[ "$table" = uniform ] || k=$((k * 4 - 1))
			call="SELECT count(*) FROM (SELECT simhash_$what('SELECT id, fp FROM $table', NULL::bigint, $k${method:+, '$method'})) s"
			for memory in 64MB 8GB; do
				local times=()
				for workers in 0 1 2; do
					local taken=()
					for ((name = 0; name < builds; name++)); do
						taken+=("$(elapsed $workers $memory "$call")")
					done
					times+=("$(calc "$(median "${taken[@]}")")")
				done
				row "$table" "simhash_$what, $k${method:+, $method}" "$memory" "${times[@]}"
			done
		done
	done
	taskset -acp "$cpu" "$server_pid" >/dev/null
}

# form_ms FILE: milliseconds of all commands of the file, executed for the second time
# in a session and rolled back
form_ms()
{
	local answer form

	form=$(cat "$1")
	answer=$($pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 \
		<<<"BEGIN;
			$form
			ROLLBACK;
			DEALLOCATE ALL;
			BEGIN;
			\\timing on
			$form
			\\timing off
			ROLLBACK") || die "failed: $1: ${answer:0:1000}"
	sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' <<<"$answer" | awk '{ ms += $1 } END { print ms }'
}

# The forms of doc/slow-queries.md in turn, on the tables of its example
section_queries()
{
	local n entries round form
	local -A ms=()

	query "DROP TABLE IF EXISTS docs"
	mkdir -p "$work/queries"
	awk -v to="$work/queries" '
		/^## / { form = ""; title = substr($0, 4) }
		/^-- slow/ { form = ++n ".slow"; print title >(to "/" n ".title") }
		/^-- fast/ { form = n ".fast" }
		/^```/ { inside = $0 == "```sql"; next }
		inside && form != "" { print >(to "/" form) }' "$root/doc/slow-queries.md"
	sed "s/\<1000000\>/$rows/" "$root/examples/slow_queries.sql" | $pin "$bindir/psql" -X -q -v ON_ERROR_STOP=1 ||
		die "examples/slow_queries.sql failed"
	entries=$(cd "$work/queries" && echo *.title | tr ' ' '\n' | sort -n | sed 's/\..*//')
	for ((round = 0; round < builds; round++)); do
		for n in $entries; do
			for form in slow fast; do
				ms[$n.$form]+=" $(form_ms "$work/queries/$n.$form")"
			done
		done
	done
	echo
	echo "### Queries of doc/slow-queries.md, $rows rows: ms, median of $builds"
	echo
	header "query" "slow, ms" "fast, ms"
	for n in $entries; do
		row "$(cat "$work/queries/$n.title")" "$(calc "$(median ${ms[$n.slow]})" %.1f)" \
			"$(calc "$(median ${ms[$n.fast]})")"
	done
	query "DROP TABLE docs, archive, staging, wanted"
}

# Inserts into a table that has rows already, one row in each statement, in one
# transaction. The WAL has no full-page images, because these depend on the time of the
# last checkpoint.
section_insert()
{
	local method round lsn wal elapsed

	echo
	echo "### $inserts single-row inserts in one transaction, into $rows rows"
	echo
	create_table uniform
	query "CREATE TABLE target AS TABLE uniform; ALTER TABLE target ADD PRIMARY KEY (id)"
	header "indexes" "rows/s" "x primary key only" "WAL a row" "of it by the index" "x btree"
	local -A rate=() wal_row=()
	for method in "" btree $methods; do
		local rates=() wals=()

		[ -z "$method" ] || query "CREATE INDEX measured ON target USING $method (fp)"
		query "VACUUM ANALYZE target"
		for round in 1 2 3; do
			query "SELECT $rows + ($round - 1) * $inserts + g, $(fingerprint "'insert $round ' || g")
				FROM generate_series(1, $inserts) g" | tr '|' '\t' >"$work/inserts"
			query "CHECKPOINT"
			lsn=$(query "SELECT pg_current_wal_insert_lsn()")
			drive -t "INSERT INTO target VALUES (\$1, \$2)" "$work/inserts"
			wals+=("$(query "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$lsn') / $inserts")")
			rates+=("$(calc "1e6 / $mean" %.0f)")
		done
		rate[x$method]=$(median "${rates[@]}")
		wal_row[x$method]=$(median "${wals[@]}")
		[ -z "$method" ] || query "DROP INDEX measured"
		query "DELETE FROM target WHERE id > $rows"
		query "VACUUM target"
	done
	row "primary key" "${rate[x]}" 1.00 "$(calc "${wal_row[x]}" %.0f)" "" ""
	for method in btree $methods; do
		row "primary key, $method" "${rate[x$method]}" \
			"$(calc "${rate[x$method]} / ${rate[x]}")" \
			"$(calc "${wal_row[x$method]}" %.0f)" \
			"$(calc "${wal_row[x$method]} - ${wal_row[x]}" %.0f)" \
			"$(calc "(${wal_row[x$method]} - ${wal_row[x]}) / (${wal_row[xbtree]} - ${wal_row[x]})")"
	done
	query "DROP TABLE target"
}

# synthetic_documents N BYTES: lines of words, with frequencies like those of a
# language; every fifth line is a copy of one of the thousand lines before it, with one
# word replaced
synthetic_documents()
{
	perl -e 'use strict; use warnings;
		my ($n, $bytes) = @ARGV;
		my (@words, @recent);
		srand(1);
		push @words, join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) for 1 .. 30000;
		sub word { return $words[int(@words ** rand())] }
		for my $i (1 .. $n) {
			my $text;
			if ($i % 5 == 0) {
				my @text = split(/ /, $recent[rand(@recent)]);
				$text[rand(@text)] = word();
				$text = join(" ", @text);
			} else {
				$text = word();
				$text .= " " . word() while length($text) < $bytes;
			}
			$recent[$i % 1000 < @recent ? $i % 1000 : @recent] = $text;
			print $text, "\n";
		}' "$1" "$2"
}

# templated_documents N BYTES SIBLINGS: lines of words.  In each template a name comes at the
# beginning and five more times, and so many documents in a row differ in the name only.
templated_documents()
{
	synthetic_documents $((($1 + $3 - 1) / $3)) "$2" | perl -lane '
		BEGIN { srand(2); our $siblings = pop @ARGV; }
		my @places = (0, map { int(rand(@F)) } 1 .. 5);
		for my $i (1 .. $siblings) {
			my $name = join("", map { chr(97 + int(rand(26))) } 1 .. 10);
			@F[@places] = ($name) x @places;
			print "@F";
		}' /dev/stdin "$3" | head -n "$1"
}

section_ingest()
{
	synthetic_documents "$documents" 2000 >"$work/documents"
	ingest "$documents documents of 2 kB, a fifth of them near-duplicates" \
		< <(ingest_tables simhash "minhash(body)"; ingest_tables "bit(256)" "minhash_bits(body)")
	# a document has ten siblings before it, on average
	templated_documents "$documents" 2000 21 >"$work/documents"
	ingest "$documents documents of 2 kB, templates of 21 siblings each" \
		< <(ingest_tables "bit(256)" "minhash_bits(body)" | grep -v "EXCLUDE")
}

# ingest TITLE, with lines of ingest_tables: deduplicating ingest, and the same inserts with only an
# index: one document in each statement, in one transaction.
# Every table takes each slice of the documents, in an order that changes from slice to
# slice.  The figures are medians over the slices: a machine that gets slower for a while
# changes them little.
ingest()
{
	local slices=40 slice type fingerprint n i title table definition conflict reference=
	local -A titles=() statements=() fingerprints=() times=()

	split -n "l/$slices" -d "$work/documents" "$work/slice."
	n=0
	while IFS='|' read -r type fingerprint title definition conflict; do
		table=docs_$n
		titles[$table]=$title
		fingerprints[$table]=$fingerprint
		statements[$table]="INSERT INTO $table (body) VALUES (\$1) $conflict"
		query "CREATE TABLE $table (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text,
			fp $type GENERATED ALWAYS AS ($fingerprint) STORED, duplicate_of bigint);
			${definition//@/$table}"
		n=$((n + 1))
	done
	for slice in "$work"/slice.*; do
		for table in $(printf '%s\n' "${!titles[@]}" | shuf --random-source="$slice"); do
			query "CHECKPOINT"
			drive -t "${statements[$table]}" "$slice"
			times[$table]+=" $mean"
		done
	done
	echo
	echo "### Ingest of $1"
	echo
	header "fingerprint" "table" "microseconds a row" "x primary key only" "rows" "of them originals"
	reference=${times[docs_0]}
	for ((i = 0; i < n; i++)); do
		table=docs_$i
		row "${fingerprints[$table]}" "${titles[$table]}" "$(calc "$(median ${times[$table]})" %.0f)" \
			"$(calc "$(median $(ratios "${times[$table]}" "$reference"))")" \
			"$(query "SELECT count(*) FROM $table")" \
			"$(query "SELECT count(*) FROM $table WHERE duplicate_of IS NULL")"
		query "DROP TABLE $table"
	done
}

# ratios A B: a/b for the numbers of two lists
ratios()
{
	paste <(printf '%s\n' $1) <(printf '%s\n' $2) | awk '{ print $1 / $2 }'
}

# ingest_tables TYPE FINGERPRINT: type, fingerprint, title, definition (@ is the name) and ON
# CONFLICT of each table
ingest_tables()
{
	local index="CREATE INDEX ON @ USING bitblock (fp)" exclude="EXCLUDE USING bitblock (fp WITH %)"

	echo "$1|$2|primary key only"
	echo "$1|$2|bitblock index|$index"
	echo "$1|$2|$exclude|ALTER TABLE @ ADD $exclude|ON CONFLICT DO NOTHING"
	echo "$1|$2|bitblock index, simhash_record_original|$index; $(original_trigger @)"
	echo "$1|$2|bitblock index, simhash_record_original, confirm|$index; $(original_trigger @ ", 'confirm=body'")"
}

# Ways to load documents in bulk into a table that already has half of them
section_bulk()
{
	local name definition load ms

	synthetic_documents "$documents" 2000 >"$work/documents"
	query "CREATE TABLE known (n bigint GENERATED ALWAYS AS IDENTITY, body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
		COPY known (body) FROM '$work/documents'"
	echo
	echo "### Bulk load of $documents documents of 2 kB into a table that has half of them"
	echo
	header "through a staging table" "s" "rows/s" "rows after" "originals"
	while IFS='|' read -r name definition load; do
		query "CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text, fp bit(256), duplicate_of bigint);
			$definition; INSERT INTO docs (body, fp) SELECT body, fp FROM known WHERE n % 2 = 0 ORDER BY n ON CONFLICT DO NOTHING;
			ANALYZE docs; CHECKPOINT"
		ms=$(timed "$load")
		row "$name" "$(calc "$ms / 1000" %.1f)" "$(calc "$documents * 1000 / $ms" %.0f)" \
			"$(query "SELECT count(*) FROM docs")" \
			"$(query "SELECT count(*) FROM docs WHERE duplicate_of IS NULL")"
		query "DROP TABLE docs"
	done <<-END
		INSERT ... SELECT, near-duplicates get in|CREATE INDEX ON docs USING bitblock (fp)|$(bulk_load)
		INSERT ... SELECT ON CONFLICT DO NOTHING|ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)|$(bulk_load "ORDER BY n ON CONFLICT DO NOTHING")
		the same with an anti-join before|ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)|$(bulk_load "WHERE NOT EXISTS (SELECT FROM docs d WHERE d.fp % s.fp) ORDER BY n ON CONFLICT DO NOTHING")
		INSERT ... SELECT, simhash_record_original|CREATE INDEX ON docs USING bitblock (fp); $(original_trigger docs)|$(bulk_load "ORDER BY n")
	END
	query "DROP TABLE known"
}

# original_trigger TABLE [OPTIONS]
original_trigger()
{
	echo "CREATE TRIGGER original BEFORE INSERT ON $1 FOR EACH ROW" \
		"EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id'$2)"
}

# bulk_load REST: COPY into a staging table, and from the staging table into docs, as
# one command
bulk_load()
{
	echo "DO \$\$ BEGIN" \
		"CREATE TEMP TABLE staging (n bigint GENERATED ALWAYS AS IDENTITY, body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);" \
		"COPY staging (body) FROM '$work/documents';" \
		"ANALYZE staging;" \
		"INSERT INTO docs (body, fp) SELECT body, fp FROM staging s $1;" \
		"END \$\$"
}

section_skew()
{
	local table method

	echo
	echo "### Skewed fingerprints, $rows rows: build, size, within 3 of a stored fingerprint"
	echo
	write_id_queries
	header "data" "index" "build" "size" "rows" "ms" "x PK"
	for table in constant_tail few_values; do
		local -A build=() build_times=() size=()

		create_table "$table"
		write_fp_queries "$table"
		measure_builds "$table"
		lookup "SELECT id, fp FROM $table WHERE id = \$1" ids
		pk_us=$us
		for method in $methods; do
			query "CREATE INDEX measured ON $table USING $method (fp)"
			query "VACUUM ANALYZE $table"
			prewarm measured
			lookup "$(within "$table" 3)" stored
			row "$table" "$method" "$(calc "${build[$method]} / 1000") s" \
				"$(calc "${size[$method]} / 1e6" %.0f) MB" "$(calc "$n_rows" %.0f)" \
				"$(calc "$us / 1000" %.4f)$mark" "$(calc "$us / $pk_us")"
			query "DROP INDEX measured"
		done
		# the cost of fetching these rows by equality with a btree
		query "CREATE INDEX measured ON $table (fp)"
		query "VACUUM ANALYZE $table"
		lookup "SELECT id FROM $table WHERE fp = \$1" stored
		row "$table" "btree, equality" "$(calc "${build[btree]} / 1000") s" \
			"$(calc "${size[btree]} / 1e6" %.0f) MB" "$(calc "$n_rows" %.0f)" \
			"$(calc "$us / 1000" %.4f)$mark" "$(calc "$us / $pk_us")"
		query "DROP TABLE $table"
	done
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

# text_rows LABEL [in-row]: rows of the table for the documents in $work/texts
text_rows()
{
	local storage place from mb simhash minhash md5 tsvector nothing best

	[ -s "$work/texts" ] || die "there is no text"
	for storage in MEMORY EXTERNAL EXTENDED; do
		from=
		case $2,$storage in
			in-row,MEMORY) place="in the row" ;;
			in-row,*) break ;;
			*MEMORY)
				# as in a generated column or a trigger
				place="in memory"
				from="WITH texts AS MATERIALIZED (SELECT body || '' AS body FROM texts)"
				;;
			*EXTERNAL) place="out of line" ;;
			*) place="compressed, the default" ;;
		esac
		query "DROP TABLE IF EXISTS texts;
			CREATE TABLE texts (body text);
			ALTER TABLE texts ALTER body SET STORAGE ${storage/MEMORY/EXTERNAL}"
		sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
		query "VACUUM ANALYZE texts"
		mb=$(query "SELECT sum(octet_length(body)) / 1e6 FROM texts")
		[ "$(query "SELECT simhash(body) IS NOT NULL FROM texts LIMIT 1")" = t ] ||
			die "simhash() gives no fingerprint"
		best=$(best_times timed "$from" 9 "simhash(body)" "minhash(body)" "md5(body)" body)
		read -r simhash minhash md5 nothing <<<"${best//$'\n'/ }"
		[ -n "$from" ] || nothing=0
		tsvector=$(best_times timed "$from" 1 "to_tsvector('simple', body)")
		row "$1" "$place" "$(calc "$mb" %.1f)" \
			"$(calc "$mb * 1000 / ($simhash - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($minhash - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($md5 - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($tsvector - $nothing)" %.0f)" \
			"$(calc "($md5 - $nothing) / ($simhash - $nothing)")" \
			"$(calc "($md5 - $nothing) / ($minhash - $nothing)")"
	done
	query "DROP TABLE texts"
}

# width_rows LABEL: rows of the table of widths for the documents in $work/texts, in memory.
# Each document is read several times, because a short query is hard to measure.
width_rows()
{
	local from="WITH texts AS MATERIALIZED (SELECT body || '' AS body FROM texts, generate_series(1, 5))"
	local method mb best nothing md5 narrow ms bits
	local -a cells expressions

	query "DROP TABLE IF EXISTS texts; CREATE TABLE texts (body text);
		ALTER TABLE texts ALTER body SET STORAGE EXTERNAL"
	sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
	query "VACUUM ANALYZE texts"
	mb=$(query "SELECT 5 * sum(octet_length(body)) / 1e6 FROM texts")
	for method in minhash simhash; do
		expressions=(body "md5(body)" "$method(body)")
		for bits in 64 128 256 512 1024; do
			expressions+=("${method}_bits(body, $bits)")
		done
		best=$(best_times cpu_time "$from" 9 "${expressions[@]}")
		read -r nothing md5 narrow best <<<"${best//$'\n'/ }"
		cells=()
		for ms in $best; do
			cells+=("$(calc "$mb * 1000 / ($ms - $nothing)" %.0f) ($(calc "($narrow - $nothing) / ($ms - $nothing)"))")
		done
		row "$1" "$method" "$(calc "$mb * 1000 / ($md5 - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($narrow - $nothing)" %.0f)" "${cells[@]}"
	done
	query "DROP TABLE texts"
}

# comparison_rows: microseconds of CPU to compare two texts in memory: a document of $work/texts
# with a word inserted, or in other case
comparison_rows()
{
	local from="WITH texts AS MATERIALIZED (SELECT body || '' AS a, upper(body) AS copy,
		left(body, 5000) || ' amended ' || substr(body, 5001) AS b FROM texts)"
	local n nothing i best
	local -a expressions=(a "md5(a) || md5(b)" "simhash_resemblance(a, b)" "simhash_first_change(a, b)"
		"(SELECT max(change) FROM simhash_changes(a, b))" "nullif(NOT EXISTS (SELECT FROM simhash_changes(a, copy)), false)")
	local -a labels=("" "\`md5\` of both" "\`simhash_resemblance\`" "\`simhash_first_change\`"
		"\`simhash_changes\`" "\`NOT EXISTS\` of \`simhash_changes\`, a copy")

	query "DROP TABLE IF EXISTS texts; CREATE TABLE texts (body text)"
	sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
	query "VACUUM ANALYZE texts"
	n=$(query "SELECT count(*) FROM texts")
	best=($(best_times cpu_time "$from" 9 "${expressions[@]}"))
	nothing=${best[0]}
	for ((i = 1; i < ${#expressions[@]}; i++)); do
		row "${labels[i]}" "$(calc "(${best[i]} - $nothing) * 1000 / $n" %.0f)"
	done
	query "DROP TABLE texts"
}

# Compares simhash(text) and minhash(text) with md5(text) and to_tsvector, and wide
# fingerprints with those of 64 bits
section_text()
{
	local bytes texts=${TEXTS:-/usr/share/doc/*/copyright}

	echo
	echo "### simhash(text) and minhash(text), MB/s"
	echo
	header "documents of" "storage" "MB" "simhash" "minhash" "md5" \
		"to_tsvector" "simhash / md5" "minhash / md5"
	for bytes in 1000 10000 100000; do
		# ASCII only, so that a document may end after any byte
		cat $texts | tr -cd '\11\12\40-\176' | head -c 32000000 |
			documents_of $bytes bytes >"$work/texts"
		text_rows "English, $bytes bytes" "$([ $bytes != 1000 ] || echo in-row)"
	done
	if [ -n "$CHINESE_TEXTS" ]; then
		cat $CHINESE_TEXTS | head -c 32000000 | documents_of 6000 characters \
			>"$work/texts" 2>/dev/null
		text_rows "Chinese, 6000 characters"
	fi

	echo
	echo "### Fingerprints by width, MB/s of CPU time (share of the speed of 64 bits), documents in memory"
	echo
	header "documents of" "method" "md5" "64 bits" "bit(64)" "128" "256" "512" "1024"
	for bytes in 120 1000 10000; do
		cat $texts | tr -cd '\11\12\40-\176' | head -c 32000000 |
			documents_of $bytes bytes >"$work/texts"
		width_rows "English, $bytes bytes"
	done

	echo
	echo "### Two English texts of 10 kB, a word inserted: us of CPU time, in memory"
	echo
	header "what" "us"
	comparison_rows
}

# passage_documents N WORDS: lines of N documents of so many words, with frequencies like
# those of a language.  A tenth of them end with one of 20 signatures of 60 words
passage_documents()
{
	perl -e 'use strict; use warnings;
		my ($n, $length) = @ARGV;
		srand(2);
		my @words = map { join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) } 1 .. 30000;
		my @signatures = map { join(" ", map { $words[rand(@words)] } 1 .. 60) } 1 .. 20;
		for my $i (1 .. $n) {
			print join(" ", map { $words[int(@words ** rand())] } 1 .. $length),
				$i % 10 ? "" : " " . $signatures[rand(20)], "\n";
		}' "$1" "$2"
}

# passage_queries FILE N WORDS: N new texts of so many words, each with 100 words of a
# document of the file and a signature of the file
passage_queries()
{
	perl -e 'use strict; use warnings;
		my ($file, $n, $length) = @ARGV;
		srand(3);
		my $size = -s $file;
		open my $lines, "<", $file or die;
		my @words = map { join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) } 1 .. 30000;
		sub random_line { seek $lines, rand($size * 0.9), 0; <$lines>; return split(/\s+/, <$lines>) }
		for (1 .. $n) {
			my @passage = (random_line())[50 .. 149];
			my @signature;
			do { @signature = random_line() } while @signature < 500;
			print join(" ", (map { $words[rand(@words)] } 161 .. $length), @passage, @signature[-60 .. -1]), "\n";
		}' "$1" "$2" "$3"
}

# Speed of the keys and their number, for the documents in $work/texts
passage_key_rows()
{
	local mb words keys minhash default all nothing

	query "DROP TABLE IF EXISTS texts; CREATE TABLE texts (body text); ALTER TABLE texts ALTER body SET STORAGE EXTERNAL"
	sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
	mb=$(query "SELECT sum(octet_length(body)) / 1e6 FROM texts")
	words=$(query "SELECT sum(n) FROM texts, LATERAL (SELECT count(*) AS n FROM regexp_matches(body, '[[:alnum:]]+', 'g')) w")
	keys=$(query "SELECT sum(cardinality(simhash_passage_keys(body))) FROM texts")
	read -r minhash default all nothing <<<"$(best_times cpu_time "WITH texts AS MATERIALIZED (SELECT body || '' AS body FROM texts)" 7 \
		"minhash(body)" "simhash_passage_keys(body)" "simhash_passage_keys(body, words => 8)" body | tr '\n' ' ')"
	row "$1" "$(calc "$mb * 1000 / ($minhash - $nothing)" %.0f)" "$(calc "$mb * 1000 / ($default - $nothing)" %.0f)" \
		"$(calc "($minhash - $nothing) / ($default - $nothing)")" "$(calc "$mb * 1000 / ($all - $nothing)" %.0f)" \
		"$(calc "1000 * $keys / $words" %.1f)"
	query "DROP TABLE texts"
}

# passage_query NAME WITH: a line of the table of queries.  WITH computes the keys of $1
passage_query()
{
	local words find located

	for words in 440 5000; do
		drive -s "$seconds" "WITH q AS MATERIALIZED (SELECT $2 AS keys) SELECT d.id FROM q, docs d WHERE d.keys && q.keys" \
			"$work/queries_$words" "$plan_mode"
		find="$us|$n_rows"
		drive -s "$seconds" "WITH q AS MATERIALIZED (SELECT $2 AS keys) SELECT d.id, p.* FROM q, docs d, simhash_passages(d.body, \$1) p WHERE d.keys && q.keys" \
			"$work/queries_$words" "$plan_mode"
		row "$1" "$words" "$(calc "${find#*|}" %.1f)" "$(calc "${find%|*} / 1000" %.3f)" "$(calc "$us / 1000" %.3f)"
	done
}

# alignment WORDS TIMES: a line of the table of simhash_passages for two texts
alignment()
{
	local ms

	query "CREATE TABLE aligned AS
		SELECT string_agg('w' || hashint8extended(i, 0) % 3000, ' ' ORDER BY i) AS a,
			string_agg(CASE WHEN i % 60 = 0 THEN 'x' WHEN i % 60 <> 20 THEN 'w' || hashint8extended(i, 0) % 3000 END
				|| CASE WHEN i % 60 = 40 THEN ' y' ELSE '' END, ' ' ORDER BY i) AS b
		FROM generate_series(1, $1) i;
		ALTER TABLE aligned ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL"
	ms=$(timed "SELECT count(p.words) FROM generate_series(1, $2) g, aligned, simhash_passages(a || left(g::text, 0), b) p")
	row "$1" "$(calc "$ms / $2" %.3f)"
	query "DROP TABLE aligned"
}

# Keys of passages: speed, number, size, queries among documents, alignment, inserts
section_passages()
{
	local bytes texts=${TEXTS:-/usr/share/doc/*/copyright} words ms plain with

	echo
	echo "### Keys of passages, in memory, MB/s"
	echo
	header "documents of" "minhash" "simhash_passage_keys" "x minhash" "with words => 8" "keys per 1000 words"
	for bytes in 1000 10000 100000; do
		cat $texts | tr -cd '\11\12\40-\176' | head -c 32000000 |
			documents_of $bytes bytes >"$work/texts"
		passage_key_rows "English, $bytes bytes"
	done
	passage_documents "$documents" 440 >"$work/documents"
	head -n 10000 "$work/documents" >"$work/texts"
	passage_key_rows "random words, 440 words"

	echo
	echo "### $documents documents of 440 words under GIN"
	echo
	query "CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, body text,
			keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
		COPY docs (body) FROM '$work/documents'"
	ms=$(timed "CREATE INDEX docs_keys ON docs USING gin (keys)")
	query "VACUUM ANALYZE docs"
	words=$(calc "440 + 6")
	header "" "kB per 1000 words"
	row "array" "$(calc "$(query "SELECT avg(pg_column_size(keys)) FROM docs") / $words")"
	row "GIN, built in $(calc "$ms / 1000" %.1f) s" "$(calc "$(size_of docs_keys) / $documents / $words")"
	query "CREATE TABLE frequent_keys (key bigint PRIMARY KEY);
		INSERT INTO frequent_keys SELECT k.key FROM docs, unnest(keys) k (key) GROUP BY 1 HAVING count(*) > 100;
		CREATE FUNCTION rare_keys(bigint[]) RETURNS bigint[] LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
			'SELECT coalesce(array_agg(k.key ORDER BY k.key), ''{}'') FROM unnest(\$1) k (key)
			WHERE NOT EXISTS (SELECT FROM frequent_keys f WHERE f.key = k.key)';
		ANALYZE frequent_keys"
	echo
	echo "Median of a query, with a list of $(query "SELECT count(*) FROM frequent_keys") keys of more than 100 documents:"
	echo
	passage_queries "$work/documents" 200 440 >"$work/queries_440"
	passage_queries "$work/documents" 200 5000 >"$work/queries_5000"
	header "keys of the query" "words" "rows" "ms" "ms, with simhash_passages"
	passage_query "all" "simhash_passage_keys(\$1)"
	passage_query "without the list" "rare_keys(simhash_passage_keys(\$1))"
	passage_query "words => 8, without the list" "rare_keys(simhash_passage_keys(\$1, words => 8))"

	echo
	echo "Two texts with 5 % edits, simhash_passages:"
	echo
	header "words" "ms"
	alignment 440 1000
	alignment 40000 20

	echo
	echo "Inserts, ms for a document of 440 words; VACUUM includes GIN's clean-up of its list:"
	echo
	head -n 10000 "$work/documents" >"$work/texts"
	query "DROP TABLE docs; CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, body text); CHECKPOINT"
	drive -t "INSERT INTO docs (body) VALUES (\$1)" "$work/texts"
	plain=$(calc "$mean / 1000 + $(timed "VACUUM docs") / 10000" %.4f)
	query "DROP TABLE docs; CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, body text,
			keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
		COPY docs (body) FROM '$work/documents';
		CREATE INDEX ON docs USING gin (keys); CHECKPOINT"
	query "VACUUM docs"
	drive -t "INSERT INTO docs (body) VALUES (\$1)" "$work/texts"
	with=$(calc "$mean / 1000 + $(timed "VACUUM docs") / 10000" %.4f)
	header "table" "ms"
	row "without keys" "$plain"
	row "with keys and GIN, in a table of $documents" "$with"
	query "DROP TABLE docs, frequent_keys; DROP FUNCTION rare_keys"
}

# restart_with OPTIONS [VARIABLE=VALUE...]: restarts the server with options and an environment
restart_with()
{
	local options=$1

	shift
	# shellcheck disable=SC2086
	as_server "$bindir/pg_ctl" -D "$work/data" -m fast -w -s stop &&
		as_server env "$@" $pin "$bindir/pg_ctl" -D "$work/data" -l "$work/data/server.log" \
			-o "$options" -w -s start || die "the server did not start again"
	server_pid=$(head -n 1 "$work/data/postmaster.pid")
}

# set_disk MICROSECONDS: the latency of a page, for new connections
set_disk()
{
	echo "$1 ${DISK_DEPTH:-32}" >"$work/disk"
	chmod 644 "$work/disk"
}

# vacuum_disk METHOD: the time of VACUUM after 5 % of the rows were deleted, in memory and on disk
vacuum_disk()
{
	local us times=

	for us in 0 "${DISK_US:-100}"; do
		query "DROP TABLE IF EXISTS vacuumed;
			CREATE TABLE vacuumed AS SELECT g::bigint AS id, $(fingerprint "'v' || g") AS fp FROM generate_series(1, $rows) g;
			CREATE INDEX ON vacuumed USING $1 (fp)"
		query "VACUUM vacuumed"
		query "DELETE FROM vacuumed WHERE id % 20 = 0"
		query "CHECKPOINT"
		[ "$us" != 0 ] || query "SELECT count(*) FROM vacuumed" >/dev/null
		[ "$us" = 0 ] || query "SELECT count(id) FROM cold" >/dev/null
		set_disk "$us"
		times+=" $(timed "SET maintenance_io_concurrency = 64; VACUUM vacuumed")"
		set_disk 0
	done
	echo "$times"
}

section_disk()
{
	local queries kind q name statement file depth i buffers times
	local -A cell=() all=()

	query "CREATE TABLE cold AS SELECT g::bigint AS id, $(fingerprint "'cold ' || g") AS fp FROM generate_series(1, 10 * $rows::bigint) g;
		ALTER TABLE cold ADD PRIMARY KEY (id);
		CREATE INDEX cold_fp ON cold USING bitblock (fp);
		CREATE TABLE cold_wide AS SELECT g::bigint AS id, $(bits_256 "'cold ' || g") AS fp FROM generate_series(1, $rows) g;
		CREATE INDEX cold_wide_fp ON cold_wide USING bitblock (fp)"
	query "VACUUM (FREEZE, ANALYZE) cold, cold_wide"
	query "CHECKPOINT"
	write_queries cold_ids "SELECT 1 + (hashint8(g)::bigint + 2147483648) % (10 * $rows::bigint) FROM generate_series(1, $n_queries) g"
	write_queries cold_64 "SELECT $(fingerprint "'query ' || g") FROM generate_series(1, $n_queries) g"
	write_queries cold_256 "SELECT $(bits_256 "'query ' || g") FROM generate_series(1, $n_queries) g"
	buffers=$(($(size_of cold_fp) / 10 / 8192))
	step "Compiling the model of a disk" cc -O2 -shared -fPIC -o "$work/disk.so" "$root/bench/disk.c" >&2 ||
		die "the model of a disk does not compile"
	set_disk 0
	restart_with "-c shared_buffers=$buffers" LD_PRELOAD="$work/disk.so" DISK_MODEL="$work/disk"
	queries=("primary key|SELECT id, fp FROM cold WHERE id = \$1|cold_ids"
		"within 3|$(within cold 3)|cold_64" "within 5|$(within cold 5)|cold_64"
		"within 8|$(within cold 8)|cold_64" "nearest 10 of a random fingerprint|$(nearest cold)|cold_64"
		"256 bits, within 31|$(within cold_wide 31)|cold_256"
		"256 bits, nearest 10 of a random fingerprint|$(nearest cold_wide)|cold_256"
		"256 bits, a row inserted|INSERT INTO cold_wide VALUES (-1, \$1)|cold_256")
	set_disk "${DISK_US:-100}"
	for ((i = 0; i < builds; i++)); do
		for depth in 0 64; do
			for q in "${queries[@]}"; do
				IFS='|' read -r name statement file <<<"$q"
				drive -s "$seconds" "$statement" "$work/$file" "SET effective_io_concurrency = $depth"
				all[$depth,$name]+=" $us"
			done
		done
	done
	set_disk 0
	echo
	echo "### An index larger than memory"
	echo
	echo "$((10 * rows)) fingerprints of 64 bits, $rows of 256; shared buffers $((buffers / 128)) MB;" \
		"a disk of ${DISK_US:-100} us a page, ${DISK_DEPTH:-32} pages at once. Medians of queries in ms," \
		"and multiples of the primary key lookup in the same column:"
	echo
	header "effective_io_concurrency" "0" "x PK" "64" "x PK"
	for q in "${queries[@]}"; do
		IFS='|' read -r name statement file <<<"$q"
		cell=()
		for depth in 0 64; do
			cell[$depth]=$(median ${all[$depth,$name]})
			cell[$depth,pk]=$(median ${all[$depth,primary key]})
		done
		row "$name" "$(calc "${cell[0]} / 1000" %.3f)" "$(calc "${cell[0]} / ${cell[0,pk]}" %.1f)" \
			"$(calc "${cell[64]} / 1000" %.3f)" "$(calc "${cell[64]} / ${cell[64,pk]}" %.1f)"
	done
	echo
	restart_with "-c shared_buffers=$((buffers * 2))" LD_PRELOAD="$work/disk.so" DISK_MODEL="$work/disk"
	echo "VACUUM after 5 % of $rows rows were deleted, maintenance_io_concurrency 64:"
	echo
	header "index" "in memory, ms" "on the disk, ms"
	for kind in btree bitblock; do
		read -r -a times <<<"$(vacuum_disk $kind)"
		row "$kind" "$(calc "${times[0]}" %.0f)" "$(calc "${times[1]}" %.0f)"
	done
	query "DROP TABLE cold, cold_wide, vacuumed"
	restart_with ""
}

# recipe_row WHAT COMMAND: a row with the median time of a command
recipe_row()
{
	local times= i

	for ((i = 0; i < builds; i++)); do
		times+=" $(timed "$2")"
	done
	row "$1" "$(calc "$(median $times)" %.1f)"
}

# The procedure that keeps groups up to date
create_group_docs()
{
	$pin "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -f "$root/examples/groups.sql" || die "examples/groups.sql failed"
}

# groups_rows: the rows of the groups of $rows documents of 256 bits, the last 1 % in a batch
groups_rows()
{
	local new="id > $((rows - rows / 100))"

	query "CREATE TABLE docs AS SELECT id, fp::bit(256) AS fp FROM wide WHERE NOT $new;
		ALTER TABLE docs ADD PRIMARY KEY (id);
		CREATE INDEX docs_fp ON docs USING bitblock (fp)"
	query "VACUUM ANALYZE docs"
	create_group_docs
	row "groups, first run" "$(calc "$(timed "CALL group_docs()")" %.1f)"
	query "VACUUM ANALYZE doc_groups"
	query "INSERT INTO docs SELECT id, fp FROM wide WHERE $new"
	recipe_row "lookups of 1 % new rows" \
		"SELECT count(*) FROM wide n JOIN docs d ON d.fp % n.fp::bit(256) WHERE n.$new"
	row "groups, 1 % new, their ids given" "$(calc "$(timed \
		"SELECT format('CALL group_docs(%L)', array_agg(id)) FROM wide WHERE $new \\gexec")" %.1f)"
	row "groups, nothing new, all rows compared" "$(calc "$(timed "CALL group_docs()")" %.1f)"
	query "DROP TABLE docs, doc_groups"
	query "DROP PROCEDURE group_docs"
}

section_recipes()
{
	local n

	create_table uniform
	create_table wide
	echo
	echo "### Recipes, $rows rows: ms, median of $builds"
	echo
	header "what" "ms"
	for n in 1000 10000; do
		recipe_row "list of $n without near-duplicates, simhash" "SELECT count(*) FROM
			(SELECT simhash_is_first(fp) OVER (ORDER BY id) AS first FROM uniform WHERE id <= $n) s WHERE first"
		recipe_row "the same, 256 bits, a tenth near" "SELECT count(*) FROM
			(SELECT bit_is_first(fp, 31) OVER (ORDER BY id) AS first FROM wide WHERE id <= $n) s WHERE first"
	done
	query "CREATE TABLE signatures AS SELECT (SELECT string_agg(decode(md5(g || ' ' || i), 'hex'), '')
		FROM generate_series(1, 32) i) AS sig FROM generate_series(1, $rows / 10) g;
		CREATE TABLE ten AS SELECT sig FROM signatures, generate_series(1, 10)"
	recipe_row "signatures of 128 values of 4 bytes" "SELECT count(minhash_bits_from_signature(sig, 4)) FROM ten"
	query "DROP TABLE signatures, ten;
		CREATE TABLE edges AS SELECT hashint8extended(i, 1) % $rows AS a, hashint8extended(i, 2) % $rows AS b
			FROM generate_series(1, $rows) i"
	recipe_row "components of random edges" "SELECT count(*) FROM simhash_components('SELECT a, b FROM edges')"
	recipe_row "stars of random edges" "SELECT count(*) FROM simhash_stars('SELECT a, b FROM edges')"
	query "DROP TABLE edges;
		CREATE TABLE same AS SELECT i AS id, 'Page not found. The page that you are looking for does not exist or has been moved. '
			|| repeat('Please check the address or go back to the home page. ', 8) AS body FROM generate_series(1, 30000) i;
		CREATE TABLE siblings AS SELECT i AS id, format('Weather in %1\$s today. The weather in %1\$s is fine. %2\$s Good bye from %1\$s',
			'City' || translate(i::text, '0123456789', 'abcdefghij'), (SELECT string_agg('word' || chr(97 + j % 26) || chr(97 + j / 26), ' ') FROM generate_series(1, 150) j)) AS body
			FROM generate_series(1, 8000) i;
		CREATE TABLE texts AS SELECT i AS id, (SELECT string_agg('w' || hashint8extended(CASE WHEN i % 5 = 0 THEN i - 1 ELSE i END * 400 + j, 1) % 20000, ' ')
			FROM generate_series(1, 300) j) AS body FROM generate_series(1, $rows / 100) i"
	recipe_row "minhash_bits of 30,000 equal texts" "SELECT count(minhash_bits(body)) FROM same"
	recipe_row "simhash_duplicates of 30,000 equal texts" "SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM same')"
	recipe_row "simhash_duplicates of 8,000 texts of one template" "SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM siblings')"
	recipe_row "minhash_bits of $((rows / 100)) texts of 2 kB" "SELECT count(minhash_bits(body)) FROM texts"
	recipe_row "simhash_duplicates of these, a fifth copies" "SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM texts')"
	query "DROP TABLE same, siblings, texts;
		CREATE TABLE frames AS SELECT id / 300 AS video, id % 300 AS n, fp::bit(256) AS hash FROM wide;
		CREATE INDEX frames_hash ON frames USING bitblock (hash);
		CREATE INDEX ON frames (video)"
	query "VACUUM ANALYZE frames"
	recipe_row "a set of 300 hashes, within 31" "SELECT f.video, count(DISTINCT q.n), count(DISTINCT f.n)
		FROM frames q JOIN frames f ON f.hash <-> q.hash <= 31 WHERE q.video = 1 AND f.video <> 1
		GROUP BY f.video HAVING count(DISTINCT q.n) >= 30"
	recipe_row "300 lookups in a loop" "DO 'DECLARE q record; BEGIN FOR q IN SELECT hash FROM frames WHERE video = 1 LOOP
		PERFORM count(*) FROM frames f WHERE f.hash <-> q.hash <= 31; END LOOP; END'"
	query "DROP TABLE frames"
	groups_rows
}

############################################################################

for section in $sections; do
	declare -F "section_$section" >/dev/null || die "no section called $section"
done
start_benchmark "shared_buffers = ${SHARED_BUFFERS:-2GB}" \
	"maintenance_work_mem = ${MAINTENANCE_WORK_MEM:-256MB}" \
	"work_mem = 64MB" "max_wal_size = 100GB" "checkpoint_timeout = 1d" \
	"full_page_writes = off" "autovacuum = off" "jit = off" "client_min_messages = warning" \
	"max_parallel_maintenance_workers = 0" "max_parallel_workers_per_gather = 0" &&
	step "Compiling the driver" cc -O2 -o "$work/driver" "$root/bench/driver.c" \
		-I"$("$PG_CONFIG" --includedir)" -L"$("$PG_CONFIG" --libdir)" \
		-Wl,-rpath,"$("$PG_CONFIG" --libdir)" -lpq >&2 || exit 1

have_prewarm=$(query "SELECT 1 FROM pg_available_extensions WHERE name = 'pg_prewarm'")
[ -z "$have_prewarm" ] || query "CREATE EXTENSION pg_prewarm"
methods=
for method in ${METHODS:-gist bitblock}; do
	if [ "$(query "SELECT count(*) FROM pg_am WHERE amname = '$method'")" = 1 ]; then
		methods="$methods $method"
	else
		echo "bench: there is no access method $method: left out" >&2
	fi
done

echo "## simhash, measured $(date -u +%Y-%m-%d)"
echo
echo "PostgreSQL ${pg_version%% *}, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
	"client and server on one core, everything in memory, no parallel workers;" \
	"shared_buffers ${SHARED_BUFFERS:-2GB}, maintenance_work_mem ${MAINTENANCE_WORK_MEM:-256MB}." \
	"Load of the machine at the start: $(cut -d ' ' -f 1 /proc/loadavg)."
echo "\"x PK\" is a multiple of a primary key lookup by the same client;" \
	"(seq.) is a query for which the planner chose a sequential scan."
for section in $sections; do
	"section_$section"
	installed_is_ours ||
		die "another build of simhash was installed meanwhile: the figures above are not valid"
done
