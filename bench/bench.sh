#!/bin/bash
# Measurements, as tables in Markdown: bash bench/bench.sh [SECTION...]
#
# Each section prints its tables, and writes them to bench/results/SECTION.md.
#
# Sections, by the file that has them; default all but disk:
#   index.sh      index (builds, sizes, lookups), build (by several processes, on all cores),
#                 skew (fingerprints with equal blocks)
#   wide.sh       wide (the same as index for bit strings)
#   tenants.sh    tenants (the same with a column in front of the fingerprint)
#   join.sh       join
#   pairs.sh      pairs, workers (pairs by parallel workers, on all processors)
#   queries.sh    queries (the slow and fast forms of doc/slow-queries.md)
#   ingest.sh     insert, ingest, bulk
#   batch.sh      batch (new documents against known ones)
#   text.sh       text
#   passages.sh   passages (keys of passages, GIN)
#   recipes.sh    recipes (result lists, signatures, components, sets of hashes, groups kept up
#                 to date)
#   dedupe.sh     dedupe (the command of client/)
#   disk.sh       disk (an index larger than memory, on a model of a disk)
#
# Everything runs on a private server with one client, client and server pinned to the same core. The data are the same
# in every run. With huge pages (sysctl vm.nr_hugepages=1300), the times of lookups do not include page faults, which
# take long on some virtual machines. Settings in the environment:
#   LABEL=NAME             write to bench/results/SECTION-NAME.md instead
#   ROWS=1000000           rows of each table
#   METHODS="bitblock gist"  index methods; methods that the server lacks are skipped
#   DATA="uniform clustered"
#   SECONDS_EACH=1         time for each figure of the lookups
#   WORKERS="0 1 2 4"      workers of sections build and workers, fewer than there are cores
#   BUILDS=3               builds of each index, with the median as result; rounds of
#                          sections pairs, workers and queries
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
#   MEGABYTES=500          size of the corpus of section dedupe
#   CHINESE_TEXTS="FILE..."  Chinese, for the same; left out if there is none

case "$*" in
	*-h* | *--help*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
exec </dev/null

. "$(dirname "$0")/../test/lib.sh"
for file in lib index wide tenants join pairs queries ingest batch text passages recipes dedupe disk; do
	. "$root/bench/$file.sh"
done
export PGCLIENTENCODING=UTF8 PGDATABASE=postgres

sections=${*:-index build wide tenants join pairs workers queries insert ingest batch bulk skew text passages recipes dedupe}
rows=${ROWS:-1000000}
data=${DATA:-uniform clustered}
seconds=${SECONDS_EACH:-1}
builds=${BUILDS:-3}
inserts=${INSERTS:-100000}
documents=${DOCUMENTS:-100000}
widths=${WIDTHS:-128 256 512 1024}
cpu=${CPU:-$(taskset -cp $$ | sed 's/.*[ ,-]//')}
pin="taskset -c $cpu"
results=$root/bench/results
plan_mode="SET plan_cache_mode = ${PLAN:-auto}"
n_queries=20000

trap 'status=$?; trap - EXIT; remove_work_folder; exit $status' EXIT
trap 'exit 130' INT TERM HUP

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
for method in ${METHODS:-bitblock gist}; do
	if [ "$(query "SELECT count(*) FROM pg_am WHERE amname = '$method'")" = 1 ]; then
		methods="$methods $method"
	else
		echo "bench: there is no access method $method: left out" >&2
	fi
done

# settings_given: the settings of the environment as NAME=VALUE, of files their names
settings_given()
{
	local name value

	for name in $(sed -n 's/^#   \([A-Z_]*\)=.*/\1/p' "$0") MAINTENANCE_WORK_MEM DISK_DEPTH COPT; do
		[ "$name" != LABEL ] && [ -n "${!name}" ] || continue
		value=$(printf '%s\n' ${!name} | sed 's:.*/::' | paste -s -d ' ')
		[[ $value != *" "* ]] || value="\"$value\""
		printf '%s=%s ' "$name" "$value"
	done
}

# introduce SECTION: the head of a file of results
introduce()
{
	echo "# Section $1"
	echo
	echo "Output of \`$(settings_given)bash bench/bench.sh $1\` on $(date -u +%Y-%m-%d): PostgreSQL ${pg_version%% *}," \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, shared_buffers ${SHARED_BUFFERS:-2GB}," \
		"maintenance_work_mem ${MAINTENANCE_WORK_MEM:-256MB}," \
		"$(awk '/^HugePages_Total/ { print $2 ? "with" : "without" }' /proc/meminfo) huge pages;" \
		"load of the machine at the start $(cut -d ' ' -f 1 /proc/loadavg)." | fold -s -w 124 | sed 's/ $//'
}

for section in $sections; do
	{
		introduce "$section"
		"section_$section"
	} >"$work/tables"
	installed_is_ours ||
		die "another build of simhash was installed meanwhile: the figures of section $section are not valid"
	cp "$work/tables" "$results/$section${LABEL:+-$LABEL}.md" || exit 1
	cat "$work/tables"
	echo
done
