#!/bin/bash
# Quality of fingerprints among real texts: make bench-quality
#
# The script prints the tables of doc/quality.md. It measures two corpora:
#
#   releases   documentation that changed between releases of Debian. The script downloads the packages
#              below with apt-get and unpacks them into its work folder; nothing is installed.
#              TEXTS=FOLDER takes a folder of unpacked releases instead, as quality_texts.pl describes.
#   labelled   a file of labelled pairs, if SIMHASH_PAIRS names it. It has a header line, and then lines
#              of tab-separated columns with the escapes of COPY: label (1 near-duplicate, 0 not), bucket
#              (length/kind), lang, text_a, text_b, and source, whose last part names the document.
#
# What is absent is skipped: packages that a release does not have, and each corpus. TABLES="revisions.sql" runs
# the named scripts alone. PLOTS=DIR also writes the plot of distances into that folder.

set -o pipefail

. "$(dirname "$0")/../lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

releases=(bullseye bookworm trixie)
mirror=${MIRROR:-http://deb.debian.org/debian}

# Taken from each release
revised=(manpages manpages-dev manpages-de manpages-de-dev manpages-ja manpages-ja-dev manpages-zh
	libreoffice-help-en-us libreoffice-help-de libreoffice-help-ja libreoffice-help-zh-cn gnome-user-docs
	debian-reference-en debian-reference-de debian-reference-ja debian-reference-zh-cn
	developers-reference developers-reference-de developers-reference-ja
	maint-guide-de maint-guide-ja maint-guide-zh-cn debian-faq debian-faq-de debian-faq-ja debian-faq-zh-cn
	installation-guide-amd64 debian-policy debmake-doc linux-doc-5.10 linux-doc-6.1 linux-doc-6.12
	python3.9-doc python3.11-doc python3.13-doc
	gimp-help-zh-cn debian-handbook kicad-doc-zh evolution-common evince-common gedit-common nautilus-data)
# Taken from the newest release
newest=(git-man perl-doc systemd libssl-doc tcl8.6-doc tk8.6-doc coreutils util-linux ncurses-doc libcurl4-doc
	freebsd-manpages libarchive-dev openmpi-doc mpich-doc netpbm systemtap-doc cmake lvm2 libx11-dev gnupg
	gnupg-utils gpg postfix samba-common-bin bind9-utils libmoose-perl libdatetime-perl xfsprogs btrfs-progs
	cryptsetup-bin liblapack-doc libpcap-dev openssh-client openssh-server iproute2 nftables iptables bash
	zsh-doc findutils tar sed gawk ffmpeg vim-common rsync git libxcb-doc libxt-dev libxml2-dev
	perl-modules-5.40 libpython3.13-stdlib libglib2.0-dev libboost1.83-dev libgtk-3-dev libsqlite3-dev
	apache2-doc sqlite3-doc rsyslog-doc ntpsec-doc nodejs-doc php-common)
# Taken from the last two releases, as the newest packages, for the documents of revisions.sql alone
translated=(manpages-fr manpages-fr-dev libreoffice-help-ko)
# Folders of packages that are read
folders=(./usr/share/man ./usr/share/doc ./usr/share/help ./usr/share/libreoffice ./usr/share/gimp ./usr/include
	./usr/lib/python3 ./usr/share/perl)

# apt_of RELEASE COMMAND...: apt with lists of its own
apt_of()
{
	local release=$1
	shift

	APT_CONFIG=$work/apt/$release/apt.conf "$@"
}

prepare_apt()
{
	local release=$1 folder=$work/apt/$1

	mkdir -p "$folder"/{state/lists/partial,cache/archives/partial} &&
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" \
			>"$folder/sources.list" &&
		printf '%s;\n' "Dir::State \"$folder/state\"" 'Dir::State::status "/dev/null"' \
			"Dir::Cache \"$folder/cache\"" "Dir::Etc::sourcelist \"$folder/sources.list\"" \
			'Dir::Etc::sourceparts "-"' 'Acquire::Languages "none"' 'APT::Sandbox::User "root"' \
			>"$folder/apt.conf" &&
		apt_of "$release" apt-get update -q
}

# fetch RELEASE FOLDER PACKAGE...: downloads the packages that the release has and unpacks them into the folder
fetch()
{
	local release=$1 folder=$texts/$2 deb
	shift 2

	mkdir -p "$work/debs/$release" && cd "$work/debs/$release" || return 1
	apt_of "$release" apt-cache --no-all-versions show "$@" 2>/dev/null | sed -n 's/^Package: //p' | sort -u |
		APT_CONFIG=$work/apt/$release/apt.conf xargs apt-get download -q || return 1
	for deb in *.deb; do
		mkdir -p "$folder/${deb%%_*}" || return 1
		# tar fails if a package lacks one of the folders.
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$folder/${deb%%_*}" --no-same-owner --wildcards \
			--exclude='*.pdf*' --exclude='*.png' --exclude='*.svg' -xf - "${folders[@]/%/*}" 2>/dev/null
	done
	rm -f ./*.deb
}

fetch_all()
{
	local release

	mkdir -p "$texts" && printf '%s\n' "${releases[@]}" >"$texts/releases" || return 1
	for release in "${releases[@]}"; do
		prepare_apt "$release" && (fetch "$release" "$release" "${revised[@]}") || return 1
	done
	(fetch "${releases[-1]}" "${releases[-1]}" "${newest[@]}") &&
		(fetch "${releases[-2]}" "${releases[-2]}.more" "${newest[@]}" "${translated[@]}") &&
		(fetch "${releases[-1]}" "${releases[-1]}.more" "${translated[@]}")
}

# mandoc of this machine, or of its distribution without installing it
find_mandoc()
{
	mandoc=$(command -v mandoc) && return 0
	mkdir -p "$work/mandoc" && (cd "$work/mandoc" && apt-get download -q mandoc && dpkg-deb -x mandoc_*.deb .) &&
		mandoc=$work/mandoc/usr/bin/mandoc
}

# Lines of COPY: the copyright files of this machine
licences()
{
	local file

	for file in /usr/share/doc/*/copyright; do
		[ ! -r "$file" ] || printf '%s\t%s\n' "$file" "$(base64 -w0 "$file")"
	done
}

load_texts()
{
	mkdir -p "$work/lines" && find_mandoc
	perl "$root/test/bench/quality_texts.pl" "$texts" "$work/lines" "$mandoc" || return 1
	sql -c "\\copy files FROM PROGRAM 'cat $work/lines/texts.*'" \
		-c "\\copy revisions FROM PROGRAM 'cat $work/lines/edits.*'" \
		-c "\\copy documents FROM PROGRAM 'cat $work/lines/documents.*'"
}

load_machine()
{
	licences >"$work/licences"
	sql -c "\\copy encoded FROM '$work/licences'"
	[ ! -r /var/log/dpkg.log ] || sql -c "\\copy log (line) FROM '/var/log/dpkg.log' WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
}

load_pairs()
{
	sql -c "\\copy pairs FROM PROGRAM 'tail -n +2 $SIMHASH_PAIRS'"
}

# measure SCRIPT: prints the tables of a script
measure()
{
	sql -f "$root/test/bench/$1"
}

start_benchmark "jit = off" "work_mem = 256MB" "shared_buffers = 512MB" "max_wal_size = 4GB" || exit 1
sql <<'SQL' || exit 1
CREATE TABLE files (kind text, lang text, document text, body text);
CREATE TABLE revisions (lang text, unit text, share float8, words int, document text, text_a text, text_b text);
CREATE TABLE pairs (label int, bucket text, lang text, text_a text, text_b text, source text);
CREATE TABLE log (nr int GENERATED ALWAYS AS IDENTITY, line text);
CREATE TABLE encoded (document text, line text);
CREATE FUNCTION text_of(encoded text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN convert_from(decode(encoded, 'base64'), 'UTF8');
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;	-- another encoding
END $$;
CREATE VIEW licences AS SELECT document, body FROM (SELECT document, text_of(line) AS body FROM encoded OFFSET 0) e WHERE body <> '';
CREATE TABLE documents (release int, kind text, lang text, document text, body text, untitled text);
SQL
if [ -n "$TEXTS" ]; then
	texts=$TEXTS
else
	texts=$work/texts
	step "Downloading and unpacking documentation" fetch_all >&2 || echo "quality: without the corpus of releases" >&2
fi
[ ! -d "$texts" ] || step "Reading what changed between releases" load_texts >&2
step "Reading files of this machine" load_machine >&2
if [ -r "$SIMHASH_PAIRS" ]; then
	step "Loading the labelled pairs" load_pairs >&2 || exit 1
else
	echo "quality: without labelled pairs (SIMHASH_PAIRS)" >&2
fi
for script in ${TABLES:-revisions.sql templates.sql quality_kinds.sql quality.sql quality_passages.sql scanned.sql}; do
	measure "$script" || exit 1
done
if [ -n "$PLOTS" ]; then
	sql -At -v calibrate=bit_calibrate -v fps="SELECT f256 FROM pages WHERE kind = 'manual page' AND lang = 'en'" \
		-f "$root/doc/distances.sql" >"$PLOTS/distances-manual.svg" || exit 1
fi
installed_is_ours || {
	echo "quality: another build of simhash was installed meanwhile" >&2
	exit 1
}
