#!/bin/bash
# Short texts and records, beside pg_trgm and soundex: make bench-short
#
# Prints the tables of bench/results/short.md. The texts and their edits come by rule (short_texts.pl) from the package
# lists of this machine, and from translated package lists and word lists, which the script downloads from a
# mirror of Debian with apt-get; nothing is installed. Needs pg_trgm and fuzzystrmatch. Settings in the
# environment:
#   KINDS="titles german japanese chinese posts names addresses products codes urls records"
#   ROWS=59000     texts of each kind
#   QUERIES=200    edited texts of each kind of edit
#   ONLY=          a regular expression: measure these methods alone

. "$(dirname "$0")/../test/lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

mirror=${MIRROR:-http://deb.debian.org/debian}

# Puts the lists into the work folder
fetch_lists()
(
	folder=$work/lists
	apt=(env APT_CONFIG="$folder/apt.conf" apt-get -q -o Dir::Etc::parts=/dev/null)

	mkdir -p "$folder"/{state/lists/partial,cache/archives/partial} && cd "$folder" || return 1
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >sources.list
	printf '%s;\n' "Dir::State \"$folder/state\"" 'Dir::State::status "/dev/null"' "Dir::Cache \"$folder/cache\"" \
		"Dir::Etc::sourcelist \"$folder/sources.list\"" 'Dir::Etc::sourceparts "-"' 'APT::Sandbox::User "root"' >apt.conf
	"${apt[@]}" -o Acquire::Languages=de,en,ja,zh_CN update || return 1
	for language in de en ja zh_CN; do
		/usr/lib/apt/apt-helper cat-file state/lists/*Translation-"${language/_/%5f}"* >"Translation-$language" || return 1
	done
	"${apt[@]}" download miscfiles wamerican-large || return 1
	for deb in *.deb; do
		dpkg-deb -x "$deb" . || return 1
	done
)

start_benchmark "jit = off" "work_mem = 256MB" "shared_buffers = 3GB" "maintenance_work_mem = 512MB" \
	"max_wal_size = 8GB" "fsync = off" "autovacuum = off" || exit 1
step "Downloading lists" fetch_lists >&2 || exit 1
apt-cache dumpavail >"$work/packages" || exit 1
sql -c "CREATE EXTENSION pg_trgm" -c "CREATE EXTENSION fuzzystrmatch" || exit 1
for kind in ${KINDS:-titles german japanese chinese posts names addresses products codes urls records}; do
	perl "$root/bench/short_texts.pl" "$kind" "${ROWS:-59000}" "${QUERIES:-200}" "$work/lists" \
		<"$work/packages" >"$work/texts" || exit 1
	[ "$kind" = records ] && script=short_records.sql || script=short.sql
	sql -c "DROP SCHEMA IF EXISTS short CASCADE; CREATE SCHEMA short" || exit 1
	PGOPTIONS="-c search_path=short,public" sql -c "CREATE TABLE texts (edit text, nr int, body text)" \
		-c "\\copy texts FROM '$work/texts'" -v kind="$kind" -v only="${ONLY:-.}" \
		-f "$root/bench/$script" || exit 1
done
