#!/bin/bash
# Quality of fingerprints among real texts: make bench-quality
#
# The script prints the tables of bench/results/quality.md. Its texts come from the packages that quality.packages
# names with their versions: documentation of Debian that changed between releases, and README files of npm.
# It downloads them with apt-get and npm into its work folder; nothing of them is installed. The standard error
# says how much is downloaded, how long each table takes, and which packages have another version. A run
# with the versions of the list prints the same figures. Settings in the environment:
#
#   MIRROR=URL       another mirror of Debian, such as the snapshot of the date that quality.packages names
#   TEXTS=FOLDER     keeps the unpacked texts in this folder, or reads those that an earlier run has left there
#   SCANCODE=FOLDER  the sources of scancode-toolkit: adds tables of its licence rules
#   TABLES=...       runs these scripts alone, in this order: quality_passages.sql needs quality.sql
#   PLOTS=FOLDER     also writes the plot of distances into this folder
#
# What is absent is skipped with a message.

set -o pipefail

. "$(dirname "$0")/../test/lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

releases=(bullseye bookworm trixie)
list=$root/bench/quality.packages
# Folders of packages that are read, and files in them that quality_texts.pl does not take
folders=(./usr/share/man ./usr/share/doc ./usr/share/help/{C,de,ja,zh_CN} ./usr/share/libreoffice ./usr/share/gimp
	./usr/include ./usr/lib/python3 ./usr/share/perl)
unread=(png svg gif jpg jpeg ico js css woff woff2 ttf ent pdf 'pdf.*' c cpp)

# listed FOLDER: packages and versions of a folder in the list
listed()
{
	awk -v folder="$1" '$1 == folder { print $2, $3 }' "$list"
}

# downloaded: adds the size of the files in this folder to what was downloaded
downloaded()
{
	du -cb -- * | awk 'END { print $1 }' >>"$work/bytes"
}

# fetch FOLDER: downloads the packages of the folder that its release has, and unpacks them. Notes other versions
fetch()
{
	local folder=$1 release=${1%.more} deb

	mkdir -p "$work/debs/$folder" && cd "$work/debs/$folder" || return 1
	listed "$folder" | cut -d ' ' -f 1 | apt_of "$release" xargs apt-cache --no-all-versions show 2>/dev/null |
		awk '/^Package:/ { name = $2 } /^Version:/ { print name, $2 }' | sort -u >"$work/present"
	listed "$folder" | awk -v folder="$folder" 'NR == FNR { version[$1] = $2; next }
		version[$1] != $2 { print folder ": " $1 " " (version[$1] ? version[$1] : "none") " instead of " $2 }' \
		"$work/present" - >>"$work/changed"
	cut -d ' ' -f 1 "$work/present" | apt_of "$release" xargs apt-get download -q && downloaded || return 1
	for deb in *.deb; do
		mkdir -p "$texts/debian/$folder/${deb%%_*}" || return 1
		# tar fails if a package lacks one of the folders.
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$texts/debian/$folder/${deb%%_*}" --no-same-owner --wildcards \
			--exclude='*/_sources' --exclude='*/linux-doc-*.html' "${unread[@]/#/--exclude=*.}" \
			-xf - "${folders[@]/%/*}" 2>/dev/null
	done
	rm -f ./*.deb
}

fetch_debian()
{
	local release folder

	mkdir -p "$texts/debian" && printf '%s\n' "${releases[@]}" >"$texts/debian/releases" || return 1
	for release in "${releases[@]}"; do
		prepare_apt "$release" || return 1
	done
	for folder in "${releases[@]}" bookworm.more trixie.more; do
		(fetch "$folder") || return 1
	done
}

# The README files of packages of npm, as three releases
fetch_npm()
{
	local release package version folder

	for release in npm.1 npm.2 npm.3; do
		mkdir -p "$work/npm/$release" && cd "$work/npm/$release" &&
			listed $release | tr ' ' @ | xargs -n 40 npm pack --silent && downloaded || return 1
		while read -r package version; do
			folder=$texts/npm/$release/npm/$package
			mkdir -p "$folder" && tar -C "$folder" --strip-components=1 --no-same-owner --wildcards \
				-xzf "$package-$version.tgz" --ignore-case '*/readme*' || return 1
		done < <(listed $release)
	done
}

# mandoc of this machine, or of its distribution without installing it
find_mandoc()
{
	mandoc=$(command -v mandoc) && return 0
	mkdir -p "$work/mandoc" && (cd "$work/mandoc" && apt-get download -q mandoc && dpkg-deb -x mandoc_*.deb .) &&
		mandoc=$work/mandoc/usr/bin/mandoc
}

# load_texts NAME: what changed between the releases of debian or npm
load_texts()
{
	local lines=$work/lines.$1

	mkdir -p "$lines" && find_mandoc
	perl "$root/bench/quality_texts.pl" "$texts/$1" "$lines" "$mandoc" || return 1
	sql -c "ALTER TABLE revisions ALTER corpus SET DEFAULT '$1'" \
		-c "\\copy files FROM PROGRAM 'cat $lines/texts.*'" \
		-c "\\copy revisions (lang, unit, share, words, document, text_a, text_b) FROM PROGRAM 'cat $lines/edits.*'" \
		-c "\\copy documents FROM PROGRAM 'cat $lines/documents.*'"
}

# Lines of COPY: licence, text of each rule
licence_rules()
{
	find "$SCANCODE" -name '*.RULE' -print0 | sort -z | xargs -0 perl -0777 -ne '
		my ($licence, $text) = /\A---\n.*?^license_expression: (\S+)\n.*?^---\n(.*)/ms or next;
		next unless utf8::decode(my $copy = $text);
		s/\\/\\\\/g, s/\t/\\t/g, s/\r/\\r/g, s/\n/\\n/g for $text;
		print "$licence\t$text\n"'
}

load_rules()
{
	licence_rules >"$work/rules" && sql -c "\\copy licence_rules FROM '$work/rules'"
}

# measure SCRIPT: prints the tables of a script.  Each script has a schema of its own
measure()
{
	local start schema=${1%.sql}

	start=$(now)
	sql -c "CREATE SCHEMA $schema" -c "SET search_path = $schema, quality, public" -f "$root/bench/$1" || return 1
	printf '  %-46s%9s\n' "$1" "$(seconds $(($(now) - start)))" >&2
}

start_benchmark "jit = off" "work_mem = 256MB" "shared_buffers = 512MB" "max_wal_size = 4GB" || exit 1
sql <<'SQL' || exit 1
CREATE TABLE files (kind text, lang text, document text, body text);
CREATE TABLE revisions (lang text, unit text, share float8, words int, document text, text_a text, text_b text, corpus text);
CREATE TABLE documents (release int, kind text, lang text, document text, body text, untitled text);
CREATE TABLE licence_rules (licence text, body text);
-- a number from 0 to 1 that looks random
CREATE FUNCTION chance(seed text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashtextextended(seed, 7) & 1048575) / 1048576.0 $$;
SQL
texts=${TEXTS:-$work/texts}
mkdir -p "$texts" && : >"$work/changed" && echo 0 >"$work/bytes" || exit 1
if [ ! -d "$texts/debian" ]; then
	step "Downloading and unpacking packages of Debian" fetch_debian >&2 ||
		echo "quality: without packages of Debian" >&2
fi
if [ ! -d "$texts/npm" ]; then
	command -v npm >/dev/null && step "Downloading and unpacking packages of npm" fetch_npm >&2 ||
		{ rm -rf "$texts/npm"; echo "quality: without packages of npm" >&2; }
fi
awk '{ bytes += $1 } END { printf "  downloaded: %d MB\n", bytes / 1e6 }' "$work/bytes" >&2
if [ -s "$work/changed" ]; then
	echo "quality: figures will differ, because the versions of these packages do:" >&2
	cat "$work/changed" >&2
fi
for corpus in debian npm; do
	[ ! -d "$texts/$corpus" ] || step "Reading what changed between releases of $corpus" load_texts $corpus >&2 || exit 1
done
if [ -n "$SCANCODE" ]; then
	step "Loading licence rules" load_rules >&2 || exit 1
else
	echo "quality: without the licence rules of scancode-toolkit (SCANCODE)" >&2
fi
for script in ${TABLES:-revisions.sql forms.sql templates.sql quality_kinds.sql quality.sql quality_passages.sql scanned.sql}; do
	measure "$script" || exit 1
done
if [ -n "$PLOTS" ]; then
	sql -At -v calibrate=bit_calibrate -v fps="SELECT f256 FROM templates.pages WHERE kind = 'manual page' AND lang = 'en'" \
		-f "$root/examples/distances.sql" >"$PLOTS/distances-manual.svg" || exit 1
fi
installed_is_ours || {
	echo "quality: another build of simhash was installed meanwhile" >&2
	exit 1
}
