#!/bin/bash
# What each thing gains that relies on more than PostgreSQL promises (promises.h of bitblock):
#
#   bash bench/plain.sh [SWITCH...]      default BB_PLAIN_WAL BB_PLAIN_MAP BB_PLAIN_PREFETCH
#
# For each switch the script builds the library again with it. Two databases of a private server
# have the same data, and each has one of the builds. Each round runs every query in one database
# and then in the other, in turns. The table has the medians, and the gain in percent, of the
# usual build. Run it on a calm machine. Settings in the environment:
#   ROWS=1000000  ROUNDS=15  CPU=1     rows of a table, rounds, the core to run on

case "$*" in
	*-h* | *--help*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
exec </dev/null

. "$(dirname "$0")/../test/lib.sh"
rows=${ROWS:-1000000}
rounds=${ROUNDS:-15}
cpu=${CPU:-$(taskset -cp $$ | sed 's/.*[ ,-]//')}
pin="taskset -c $cpu"

trap 'status=$?; trap - EXIT; remove_work_folder; exit $status' EXIT
trap 'exit 130' INT TERM HUP

# Each query: a name, SQL to prepare it in the session, and the timed SQL
names=("20,000 probes within 3, 64 bits" "2,000 probes within 8, 64 bits" "500 nearest 10, 64 bits"
	"2,000 probes within 15, 256 bits" "20,000 single queries within 3" "insertion of 20,000 rows"
	"insertion of 5,000 rows of 256 bits")
prepare=("" "" "" "" ""
	"TRUNCATE added; INSERT INTO added SELECT * FROM docs LIMIT 50000"
	"TRUNCATE wide_added; INSERT INTO wide_added SELECT * FROM wide LIMIT 20000")
timed=("SELECT count(*) FROM (SELECT fp FROM asked LIMIT 20000) a JOIN docs d ON d.fp <-> a.fp <= 3"
	"SELECT count(*) FROM (SELECT fp FROM asked LIMIT 2000) a JOIN docs d ON d.fp <-> a.fp <= 8"
	"SELECT count(*) FROM (SELECT fp FROM asked LIMIT 500) a, LATERAL (SELECT id FROM docs d ORDER BY d.fp <-> a.fp LIMIT 10) n"
	"SELECT count(*) FROM (SELECT wide FROM asked LIMIT 2000) a JOIN wide d ON d.fp <-> a.wide <= 15"
	"DO 'DECLARE f simhash; BEGIN FOR f IN SELECT fp FROM asked LIMIT 20000 LOOP PERFORM id FROM docs WHERE fp <-> f <= 3; END LOOP; END'"
	"INSERT INTO added SELECT id + 10000000, fp FROM (SELECT * FROM docs OFFSET 60000 LIMIT 20000) s"
	"INSERT INTO wide_added SELECT id + 10000000, fp FROM (SELECT * FROM wide OFFSET 30000 LIMIT 5000) s")

create_data()
{
	sql -d usual -c "
		CREATE EXTENSION simhash;
		CREATE TABLE docs AS SELECT g::bigint AS id, ('x' || substr(md5(g::text), 1, 16))::bit(64)::bigint::simhash AS fp
			FROM generate_series(1, $rows) g;
		CREATE TABLE wide AS SELECT id, ('x' || md5('a' || id) || md5('b' || id))::bit(256) AS fp FROM docs;
		CREATE TABLE asked AS SELECT (d.fp::bigint # (1::bigint << (d.id % 63)::int))::simhash AS fp, w.fp AS wide
			FROM docs d JOIN wide w USING (id) WHERE id % 37 = 0 ORDER BY hashint8(id);
		CREATE TABLE added (id bigint, fp simhash);
		CREATE TABLE wide_added (id bigint, fp bit(256));
		CREATE INDEX ON docs USING bitblock (fp);
		CREATE INDEX ON wide USING bitblock (fp);
		CREATE INDEX ON added USING bitblock (fp);
		CREATE INDEX ON wide_added USING bitblock (fp)" &&
		sql -d usual -c "VACUUM (FREEZE, ANALYZE)"
}

# plain_build SWITCH: the library with it, in the database "plain"
plain_build()
{
	rm -rf "$work/plain" && cp -r "$work/simhash" "$work/plain" &&
		(cd "$work/plain" && rm -f simhash.so src/index/bitblock/*.o src/index/bitblock/*/*.o) &&
		make -C "$work/plain" --no-print-directory PG_CONFIG="$PG_CONFIG" -j "$(nproc)" with_llvm=no \
			simhash.so COPT="-D$1" &&
		chmod 755 "$work/plain" "$work/plain/simhash.so" &&
		sql -d postgres -c "DROP DATABASE IF EXISTS plain" -c "CREATE DATABASE plain TEMPLATE usual" &&
		sql -d plain -c "UPDATE pg_proc SET probin = '$work/plain/simhash.so' WHERE probin = '\$libdir/simhash'"
}

# run DATABASE NUMBER: milliseconds of the timed SQL
run()
{
	$pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 -d "$1" 2>&1 <<-END |
		SET enable_seqscan = off;
		${prepare[$2]};
		\\timing on
		${timed[$2]};
	END
		sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | tail -n 1
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

start_benchmark "shared_buffers = ${SHARED_BUFFERS:-2GB}" "maintenance_work_mem = 256MB" \
	"work_mem = 64MB" "max_wal_size = 100GB" "checkpoint_timeout = 1d" "autovacuum = off" "jit = off" \
	"max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" || exit 1
{
	sql -d postgres -c "CREATE DATABASE usual" && step "Making the data" create_data
} >&2 || exit 1
echo "| switch | query | plain, ms | usual, ms | gain (median of $rounds pairs) |"
echo "|---|---|---|---|---|"
for switch in ${*:-BB_PLAIN_WAL BB_PLAIN_MAP BB_PLAIN_PREFETCH}; do
	step "Building with $switch" plain_build "$switch" >&2 || exit 1
	for i in "${!names[@]}"; do
		: >"$work/pairs"
		for ((round = -1; round < rounds; round++)); do
			# the order changes; the first round only fills the caches
			if ((round % 2)); then
				usual=$(run usual $i); plain=$(run plain $i)
			else
				plain=$(run plain $i); usual=$(run usual $i)
			fi
			if [ -z "$usual" ] || [ -z "$plain" ]; then
				echo "failed: ${timed[$i]}" >&2
				exit 1
			fi
			((round < 0)) || echo "$plain $usual" >>"$work/pairs"
		done
		printf '| `%s` | %s | %.1f | %.1f | %+.1f %% |\n' "$switch" "${names[$i]}" \
			"$(cut -d ' ' -f 1 "$work/pairs" | median)" "$(cut -d ' ' -f 2 "$work/pairs" | median)" \
			"$(awk '{ print 100 * (1 - $2 / $1) }' "$work/pairs" | median)"
	done
done
