#!/bin/bash
# Short texts, beside pg_trgm: make bench-short
#
# Prints the tables of doc/short.md. The texts and their edits come from the package lists of this
# machine by rule (short_texts.pl). Needs pg_trgm. Settings in the environment:
#   KINDS="titles names addresses codes urls"
#   ROWS=59000     texts of each kind
#   QUERIES=100    edited texts of each kind of edit
#   ONLY=          a regular expression: measure these methods alone

. "$(dirname "$0")/../lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

start_benchmark "jit = off" "work_mem = 256MB" "shared_buffers = 3GB" "maintenance_work_mem = 512MB" \
	"max_wal_size = 8GB" "fsync = off" "autovacuum = off" || exit 1
apt-cache dumpavail >"$work/packages" || exit 1
for kind in ${KINDS:-titles names addresses codes urls}; do
	perl "$root/test/bench/short_texts.pl" "$kind" "${ROWS:-59000}" "${QUERIES:-100}" \
		<"$work/packages" >"$work/texts" || exit 1
	sql -c "DROP SCHEMA IF EXISTS short CASCADE; CREATE SCHEMA short" || exit 1
	PGOPTIONS="-c search_path=short,public" sql -c "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public" \
		-c "CREATE TABLE texts (edit text, nr int, body text)" -c "\\copy texts FROM '$work/texts'" \
		-v kind="$kind" -v only="${ONLY:-.}" -f "$root/test/bench/short.sql" || exit 1
done
