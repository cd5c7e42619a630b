#!/bin/bash
# Other programs beside this extension, on the same data: make bench-public
#
# Prints the tables of bench/results/compared.md (public.py, labelled.py). Installs numpy, scikit-learn, faiss and psycopg2
# from Debian, and into its work folder minhash and simhash of npm. Builds pgvector from the sources of Debian 13 and installs
# it into the server of PG_CONFIG. Downloads some 100 MB. What is absent is skipped with a message.
# Settings in the environment:
#
#   PARTS="..."         these parts alone. "labelled" alone downloads nothing
#   CODES=4000000       uniform codes
#   PUBLIC_DATA=FOLDER  the folder of the public labelled sets, in the files that labelled.py names

set -o pipefail

. "$(dirname "$0")/../test/lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

pages=(manpages manpages-dev git-man coreutils util-linux libssl-doc ncurses-doc openssh-client)

install_pgvector()
{
	prepare_apt trixie deb-src && mkdir "$work/pgvector" && cd "$work/pgvector" &&
		apt_of trixie apt-get source -q --download-only pgvector && tar -xzf pgvector_*.orig.tar.gz --strip-components=1 &&
		make -s PG_CONFIG="$PG_CONFIG" "${compiler[@]}" && make -s install PG_CONFIG="$PG_CONFIG"
}

install_npm()
{
	mkdir -p "$work/node_modules" && npm install --silent --prefix "$work" minhash@0.0.9 simhash@0.1.0
}

# The titles of packages of Debian 13
make_titles()
{
	prepare_apt trixie && apt_of trixie apt-cache dumpavail |
		perl "$root/bench/short_texts.pl" titles 59000 30 >"$work/titles.tsv"
}

# The manual pages of Debian 12 and 13 as lines of JSON: the words of the page, and its name. Equal pages count once
make_documents()
{
	local release

	prepare_apt bookworm || return 1
	for release in bookworm trixie; do
		mkdir -p "$work/pages/$release" && cd "$work/pages/$release" &&
			apt_of $release apt-get download -q "${pages[@]}" && for deb in *.deb; do dpkg-deb -x "$deb" .; done
	done
	cd "$work/pages" && find . -path './*/usr/share/man/man*/*.gz' -type f | LC_ALL=C sort | perl -MJSON::PP -MDigest::MD5=md5 -MIO::Uncompress::Gunzip=gunzip -ne '
		chomp;
		my ($name) = m{/([^/]+)\.gz$};
		gunzip($_ => \my $page) or next;
		next if $page =~ /^\.so /m || !utf8::decode($page);
		$page =~ s/^[.\x27]\\".*\n//mg;			# comments
		$page =~ s/^\.\w+//mg;
		$page =~ s/\\(?:f[A-Z]|f\(\w\w|[&|^])//g;		# fonts
		my $text = $page;
		utf8::encode($text);
		print JSON::PP->new->ascii->canonical->encode({ text => $page, cluster => $name }), "\n"
			unless length $page < 200 || $seen{md5($text)}++' >"$work/documents.jsonl"
}

start_benchmark "jit = off" "shared_buffers = 2GB" "maintenance_work_mem = 1GB" "max_wal_size = 16GB" "autovacuum = off" \
	"max_parallel_maintenance_workers = 0" "max_parallel_workers_per_gather = 0" || exit 1
parts=${PARTS:-blobs unrelated uniform titles documents inserts labelled}
install_optional_packages python3-numpy python3-psycopg2 >&2
if [ "$parts" != labelled ]; then
	install_optional_packages python3-sklearn python3-faiss >&2
	step "Building pgvector" install_pgvector >&2 || echo "public: without pgvector" >&2
	step "Installing packages of npm" install_npm >&2 || echo "public: without packages of npm" >&2
	step "Reading titles of packages" make_titles >&2 || exit 1
	step "Reading manual pages" make_documents >&2 || exit 1
fi
chmod 711 "$work"
echo "$(date -u +%Y-%m-%d), PostgreSQL ${pg_version%% *}, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
	"$(nproc) cores, $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo)"
echo
dpkg-query -W -f '${Package} ${Version}, ' python3 python3-numpy python3-sklearn python3-faiss 2>/dev/null
[ "$parts" = labelled ] || echo "pgvector $(sed -n "s/^default_version = '\(.*\)'/\1/p" "$work/pgvector/vector.control"), node $(node --version)"
echo
# The python3 of Debian's packages. Each part has a process of its own, so that its memory does not depend on the
# parts before it
[ "$parts" = labelled ] || /usr/bin/python3 -c 'import faiss' 2>/dev/null || echo "public: without faiss" >&2
if [ "$parts" != labelled ]; then
	echo "| | exact | recall | precision | build, s | lookup, ms | MB |"
	echo "|---|---|---|---|---|---|---|"
fi
for part in $parts; do
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$root/bench/public.py" "$work" "$part" || exit 1
done
installed_is_ours || {
	echo "public: another build of simhash was installed meanwhile" >&2
	exit 1
}
