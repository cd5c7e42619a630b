# Shared by check.sh, sanitize.sh, quickstart.sh and bench/bench.sh: install missing packages, build
# and install the extension, and start a private server that ends with the script. To be
# sourced by bash.
#
# The functions touch no existing server or cluster: the private server's files are in a
# temporary folder, and it listens on a Unix socket in that folder only.

export LC_ALL=C DEBIAN_FRONTEND=noninteractive
unset MAKEFLAGS MFLAGS MAKELEVEL	# of a `make` that called us
for name in $(compgen -e PG); do
	[ "$name" = PG_CONFIG ] || unset "$name"
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Temporary folder: sources, data, socket and logs. If we are root, it stays root's, and the server's account owns only
# data, socket, and the copied sources once nothing is built from them. What is in these folders may be a link to any
# file, so only as_server reads and writes there.
work=
server_user=	# account that owns the server, if we are root
server_pid=
progress=		# function that says what a step is doing, for step
# The compiler is that of PostgreSQL, unless CC names another one. clang does not know all
# options that PostgreSQL gives gcc.
compiler=(${CC:+CC="$CC"})
warnings="-Wall -Wextra -Werror"
case $CC in
	*clang*) warnings+=" -Wno-unknown-warning-option -Wno-ignored-attributes -Wno-ignored-optimization-argument -Wno-unused-command-line-argument" ;;
esac
no_cluster_conf=/etc/postgresql-common/createcluster.d/zz-simhash-no-cluster.conf

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	else
		echo "root or sudo is needed for: $*" >&2
		return 1
	fi
}

# ask_for_root REASON: ask for the password of sudo now, so that no later step waits for it
ask_for_root()
{
	[ "$(id -u)" != 0 ] || return 0
	if ! command -v sudo >/dev/null; then
		echo "$1, root or sudo is needed" >&2
		return 1
	fi
	sudo -n true 2>/dev/null || { echo "  $1, sudo may ask for your password." && sudo -v; }
}

# PostgreSQL refuses to run as root.
as_server()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid "$server_user" --regid "$(id -g "$server_user")" \
			--clear-groups env HOME="$work/socket" USER="$server_user" \
			LOGNAME="$server_user" "$@"
	else
		"$@"
	fi
}

# Replaces control characters, and bytes that are not UTF-8, with U+FFFD: as a part of a name they could be commands to
# the terminal
clean()
{
	perl -pe 's/((?:[\t\n\x20-\x7e]|\xc2[\xa0-\xbf]|[\xc3-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]
		|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}
		|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})++)|\xc2[\x80-\x9f]|./$1 \/\/ "\xef\xbf\xbd"/gsex'
}

now()
{
	local t=${EPOCHREALTIME/[.,]/}

	echo $((t / 1000))
}

# seconds MILLISECONDS
seconds()
{
	printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100))
}

# watch FUNCTION START: while a step runs, print what the function says of its progress. On
# a terminal each second behind the label; otherwise every $progress_interval seconds in a
# line, which the time of the step follows.
watch()
{
	local state seconds next=${progress_interval:-10}

	while sleep 1 >/dev/null && kill -0 $$ 2>/dev/null; do
		seconds=$((($(now) - $2) / 1000))
		if [ -t 1 ]; then
			state=$("$1" | clean)
			printf '\e[s%9s  %.50s\e[K\e[u' "$seconds s" "$state"
		elif [ $seconds -ge $next ]; then
			next=$((seconds + ${progress_interval:-10}))
			state="$seconds s  $("$1" | clean)"
			printf '\n    %-44.43s' "$state"
		fi
	done
}

# step LABEL COMMAND...: run the command silently and print how long it took; if it
# fails, print its output. The function $progress, if there is one, says what it does.
step()
{
	local label=$1 start status=0 watcher=
	shift

	printf '  %-46s' "$label"
	start=$(now)
	if [ -n "$progress" ]; then
		: >"$work/step.log"
		watch "$progress" "$start" 2>/dev/null &
		watcher=$!
	fi
	"$@" >"$work/step.log" 2>&1 </dev/null || status=$?
	if [ -n "$watcher" ]; then
		# Another signal could run the traps of the script, before the new process resets them.
		{ kill -KILL $watcher && wait $watcher; } 2>/dev/null
		[ ! -t 1 ] || printf '\e[K'
	fi
	if [ $status = 0 ]; then
		printf '%9s\n' "$(seconds $(($(now) - start)))"
		return 0
	else
		printf '   FAILED\n\n'
		tail -n 200 "$work/step.log" | clean
		return $status
	fi
}

make_work_folder()
{
	local parent=${TMPDIR:-/tmp}

	# The path of a socket may have 107 bytes.
	[ ${#parent} -le 60 ] || parent=/tmp
	work=$(mktemp -d "$parent/simhash.XXXXXX") || exit 1
	[ "$(id -u)" != 0 ] || chmod 711 "$work" || exit 1
}

# To be called at exit
remove_work_folder()
{
	[ ! -e "$no_cluster_conf" ] || [ -z "$no_cluster_conf_is_ours" ] ||
		as_root rm -f "$no_cluster_conf"
	stop_server
	[ -z "$work" ] || rm -rf "$work" 2>/dev/null || as_root rm -rf "$work"
}

############################################################################
# Packages
############################################################################

# Is this an installation of PostgreSQL that has the server and can build extensions?
is_complete()
{
	local pgxs bindir

	pgxs=$("$1" --pgxs 2>/dev/null) && [ -f "$pgxs" ] &&
		bindir=$("$1" --bindir) && [ -x "$bindir/postgres" ] &&
		[ -f "$("$1" --includedir-server)/postgres.h" ]
}

# Sets PG_CONFIG unless the caller did, if there is a complete installation: the
# installation in PATH, or the newest of the distribution's packages.
find_postgres()
{
	local candidate

	if [ -n "$PG_CONFIG" ]; then
		is_complete "$PG_CONFIG" && return 0
		echo "$PG_CONFIG: no PostgreSQL installation with server and PGXS" >&2
		exit 1
	fi
	for candidate in "$(command -v pg_config)" \
		$(printf '%s\n' /usr/lib/postgresql/*/bin/pg_config | sort -rV); do
		if [ -n "$candidate" ] && is_complete "$candidate"; then
			PG_CONFIG=$candidate
			return 0
		fi
	done
	return 1
}

header_exists()
{
	printf '#include <%s>\n' "$1" | cc -E - >/dev/null 2>&1
}

# Sets the array packages to the missing packages for building; with "test" also to
# those for the tests. PostgreSQL is not among them.
find_missing_packages()
{
	packages=()
	command -v cc >/dev/null && command -v gcc >/dev/null || packages+=(gcc)
	command -v make >/dev/null || packages+=(make)
	header_exists stdlib.h || packages+=(libc6-dev)
	header_exists xxhash.h || packages+=(libxxhash-dev)
	[ "$1" = test ] || return 0
	pkg-config --exists icu-uc 2>/dev/null || packages+=(pkg-config libicu-dev)
	command -v prove >/dev/null || packages+=(perl)
	perl -MIPC::Run -e 1 2>/dev/null || packages+=(libipc-run-perl)
	command -v bzip2 >/dev/null || packages+=(bzip2)
	[ -e /usr/share/unicode/UnicodeData.txt ] || packages+=(unicode-data)
	# the command of client/
	command -v g++ >/dev/null || packages+=(g++)
	c++ $(pkg-config --cflags simdjson 2>/dev/null) -std=c++17 -E -x c++ -include simdjson.h /dev/null \
		>/dev/null 2>&1 || packages+=(libsimdjson-dev)
	header_exists csv.h || packages+=(libcsv-dev)
}

# Major version of the packages to install: the version of an installed server, or the
# distribution's version
packaged_version()
{
	local version

	version=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres |
		sed -n 's,^/usr/lib/postgresql/\([0-9]*\)/bin/postgres$,\1,p' |
		sort -n | tail -n 1)
	[ -n "$version" ] || version=$(apt-cache depends postgresql |
		sed -n 's/.*Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | head -n 1)
	echo "$version"
}

apt_install()
{
	as_root apt-get install -y -q --no-install-recommends \
		-o DPkg::Lock::Timeout=300 "$@"
}

# A new server package makes a cluster and starts it, unless this file forbids that.
install_postgres()
{
	local status

	no_cluster_conf_is_ours=1
	as_root mkdir -p "${no_cluster_conf%/*}" &&
		echo 'create_main_cluster = false' |
		as_root tee "$no_cluster_conf" >/dev/null || return 1
	apt_install "$@"
	status=$?
	as_root rm -f "$no_cluster_conf"
	return $status
}

name_missing()
{
	echo "missing: ${packages[*]}" \
		"$([ -n "$PG_CONFIG" ] || echo 'PostgreSQL with its server headers')"
}

# Reads the package lists, and adds those of PostgreSQL to the array packages if there is
# no PostgreSQL
choose_packages()
{
	local version

	if ! command -v apt-get >/dev/null; then
		name_missing >&2
		return 1
	fi
	as_root apt-get update -q -o DPkg::Lock::Timeout=300 ||
		echo "continuing with the existing package lists" >&2
	[ -z "$PG_CONFIG" ] || return 0
	version=$(packaged_version)
	if [ -z "$version" ]; then
		echo "no package of PostgreSQL found" >&2
		return 1
	fi
	packages+=("postgresql-$version" "postgresql-server-dev-$version")
}

# Prints the packages and what they cost
describe_packages()
{
	echo "  Packages: ${packages[*]}"
	apt_install --print-uris "${packages[@]}" 2>/dev/null |
		awk '/^.http/ { n++; bytes += $3 }
			/^After this operation.*additional/ { disk = ", " $4 " " $5 " on disk" }
			END { if (n) printf "  to fetch, with what they need: %d files of %.1f MB%s\n", n, bytes / 1e6, disk }'
}

install_packages()
{
	if [ -n "$PG_CONFIG" ]; then
		apt_install "${packages[@]}"
	else
		install_postgres "${packages[@]}"
	fi && remember_packages "${packages[@]}"
}

# Keeps the names of packages that were installed, so that quickstart.sh can say how to remove them
remember_packages()
{
	{ mkdir -p "${installed_packages_file%/*}" && printf '%s\n' "$@" >>"$installed_packages_file"; } 2>/dev/null
	return 0
}

# What the tests of client/python need, and those of doc/command.md.  Without these packages they are skipped.
optional_packages=(jq python3-dev python3-pip python3-setuptools python3-wheel python3-psycopg python3-psycopg2
	python3-asyncpg python3-sqlalchemy alembic python3-django python3-numpy python3-distributed)

# Installs those of the packages that the distribution has; a failure is no error
install_optional_packages()
{
	local package missing=()

	command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; } || return 0
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
			! apt-cache show "$package" >/dev/null 2>&1 || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] || ! step "Installing packages of optional tests" apt_install "${missing[@]}" ||
		remember_packages "${missing[@]}"
	return 0
}

# apt_of RELEASE COMMAND...: apt with the lists of a release of Debian that prepare_apt has read
apt_of()
{
	local release=$1
	shift

	APT_CONFIG=$work/apt/$release/apt.conf "$@"
}

# prepare_apt RELEASE [TYPE]: reads the lists of a release into the work folder. Type deb-src has the sources
prepare_apt()
{
	local release=$1 folder=$work/apt/$1

	mkdir -p "$folder"/{state/lists/partial,cache/archives/partial} &&
		echo "${2:-deb} [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${MIRROR:-http://deb.debian.org/debian} $release main" \
			>"$folder/sources.list" &&
		printf '%s;\n' "Dir::State \"$folder/state\"" 'Dir::State::status "/dev/null"' \
			"Dir::Cache \"$folder/cache\"" "Dir::Etc::sourcelist \"$folder/sources.list\"" \
			'Dir::Etc::sourceparts "-"' 'Acquire::Languages "none"' 'APT::Sandbox::User "root"' \
			'Acquire::Check-Valid-Until "false"' \
			>"$folder/apt.conf" &&
		apt_of "$release" apt-get update -q
}

# Installs all missing packages, with "test" also those for the tests, and sets
# PG_CONFIG, bindir and pg_version. With $no_packages the function installs nothing: a
# missing package is an error.
prepare_machine()
{
	find_missing_packages "$1"
	if ! find_postgres || [ ${#packages[@]} -gt 0 ]; then
		if [ -n "$no_packages" ]; then
			name_missing >&2
			return 1
		fi
		! command -v apt-get >/dev/null || ask_for_root "To install packages" || return 1
		step "Reading the package lists" choose_packages || return 1
		describe_packages
		step "Installing the packages" install_packages || return 1
		if ! find_postgres; then
			echo "no PostgreSQL found after installing its packages" >&2
			return 1
		fi
	fi
	[ "$1" != test ] || [ -n "$no_packages" ] || install_optional_packages "${optional_packages[@]}"
	bindir=$("$PG_CONFIG" --bindir)
	pg_version=$("$PG_CONFIG" --version)
	pg_version=${pg_version#PostgreSQL }
	if [ "$(id -u)" = 0 ]; then
		for server_user in postgres nobody; do
			id "$server_user" >/dev/null 2>&1 && break
		done
	fi
}

############################################################################
# The extension
############################################################################

# Copies the sources to $work/simhash. So the owner of the tree's files does not change,
# and no object file of another compiler is used.
copy_sources()
{
	mkdir "$work/simhash" &&
		tar -C "$root" --exclude=./.git --exclude='*.o' --exclude='*.so' \
			--exclude='*.bc' --exclude=./results --exclude=./tmp_check \
			--exclude=./output_iso --exclude='./test/unit/*_test' \
			--exclude=./client/build --exclude='./test/client/*_test' \
			--exclude=./test/client/asan --exclude=./test/client/tsan \
			--exclude='./test/fuzz/*_replay' --exclude='./test/fuzz/*_fuzz' \
			--exclude=./test/fuzz/new -cf - . |
		tar -C "$work/simhash" --no-same-owner -xf -
}

# pgxs ARGUMENT...: make in the copy
pgxs()
{
	make -C "$work/simhash" --no-print-directory PG_CONFIG="$PG_CONFIG" "${compiler[@]}" "$@"
}

build()
{
	pgxs -j "$(nproc)" "$@"
}

install_extension()
{
	local folder

	folder=$("$PG_CONFIG" --pkglibdir)
	if [ -w "$folder" ]; then
		pgxs install
	else
		as_root make -C "$work/simhash" --no-print-directory \
			PG_CONFIG="$PG_CONFIG" "${compiler[@]}" install
	fi
}

uninstall_extension()
{
	local folder

	folder=$("$PG_CONFIG" --pkglibdir)
	if [ -w "$folder" ]; then
		pgxs uninstall
	else
		as_root make -C "$work/simhash" --no-print-directory \
			PG_CONFIG="$PG_CONFIG" "${compiler[@]}" uninstall
	fi
}

# installed_state FOLDER: the sources in the folder, PostgreSQL, the compiler and its options, and the installed files
installed_state()
{
	{
		(cd "$1" && find Makefile simhash.control sql src -type f ! -name '*.o' ! -name '*.bc' -print0 |
			sort -z | xargs -0 sha256sum)
		echo "$PG_CONFIG ${compiler[*]} $COPT $PG_CFLAGS"
		"$PG_CONFIG" --version --configure
		sha256sum "$("$PG_CONFIG" --pkglibdir)/simhash.so" "$("$PG_CONFIG" --sharedir)"/extension/simhash*
	} 2>/dev/null | sha256sum
}

cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
installed_state_file=$cache/simhash-installed
installed_packages_file=$cache/simhash-packages	# which this script or an earlier one has installed
review_file=$cache/simhash-review.html

# After install_extension: keeps the state, with the copied sources. Without the file the next run builds again
remember_installed()
{
	{ mkdir -p "${installed_state_file%/*}" && installed_state "$work/simhash" >"$installed_state_file"; } 2>/dev/null
	return 0
}

# Is the installed extension the one that was remembered, of the sources as they are?
installed_is_of_sources()
{
	[ "$(installed_state "$root")" = "$(cat "$installed_state_file" 2>/dev/null)" ]
}

# Returns false if another build has been installed since
installed_is_ours()
{
	cmp -s "$("$PG_CONFIG" --pkglibdir)/simhash.so" "$work/simhash/simhash.so"
}

# hand_over FOLDER...: gives folders of the work folder to the server's account, if we are root
hand_over()
{
	[ "$(id -u)" != 0 ] || (cd "$work" && chown -R "$server_user" "$@")
}

# After the last build and installation, because the tests write into the folder of the sources
hand_over_sources()
{
	hand_over simhash
}

# More builds of the library. They are not installed: tests load them from their folders.

# build_again NAME OBJECTS FLAGS: build those objects again into the work folder NAME. An object that
# the first build did not make is an error, or else the flags would have no effect.
build_again()
{
	(cd "$work/$1" && rm simhash.so $2) &&
		make -C "$work/$1" --no-print-directory PG_CONFIG="$PG_CONFIG" \
			-j "$(nproc)" simhash.so "${compiler[@]}" COPT="$warnings $3"
}

# copy_with_random_costs NAME: copy the build into the work folder NAME, with random_costs.c
copy_with_random_costs()
{
	cp -a "$work/simhash" "$work/$1" &&
		mv "$work/$1/src/index/bitblock/search/probes.c" "$work/$1/src/index/bitblock/search/probes_as_is.inc" &&
		cp "$work/$1/test/random_costs.c" "$work/$1/src/index/bitblock/search/probes.c"
}

# Index pages have 8 entries, so few rows make deep trees.
build_small_pages()
{
	copy_with_random_costs small &&
		build_again small 'src/index/bitblock/*.o src/index/bitblock/*/*.o' -DBB_TEST_CAPACITY=8 &&
		export SIMHASH_SMALL_PAGES=$work/small/simhash.so
}

# Index pages have 8 entries, and tags have 2 bits, so unequal values of leading columns
# often have equal tags.
build_few_tags()
{
	copy_with_random_costs tags &&
		build_again tags 'src/index/bitblock/*.o src/index/bitblock/*/*.o' '-DBB_TEST_CAPACITY=8 -DBB_TEST_TAG_BITS=2' &&
		export SIMHASH_FEW_TAGS=$work/tags/simhash.so
}

# PostgreSQL's own code makes the WAL record of an insertion, and the leader of a parallel build
# waits until its workers have ended before it takes part.
build_generic_wal()
{
	cp -a "$work/simhash" "$work/generic" &&
		build_again generic 'src/index/bitblock/insert_wal.o src/index/bitblock/bulk/build.o' \
			'-DBB_PLAIN_WAL -DBB_TEST_LATE_LEADER' &&
		export SIMHASH_GENERIC_WAL=$work/generic/simhash.so
}

############################################################################
# The private server
############################################################################

# start_server [CONFIGURATION LINE...]: starts the server with the command $pin in front. Only its account and root can
# connect, whatever the mode of the work folder, because the server trusts every connection
start_server()
{
	export PGHOST=$work/socket PGPORT=5432 PGUSER=postgres
	mkdir "$work/data" "$work/socket" &&
		chmod 700 "$work/data" "$work/socket" &&
		hand_over data socket &&
		as_server "$bindir/initdb" -D "$work/data" -U postgres -A trust \
			--encoding=UTF8 --locale=C.UTF-8 --no-sync || return 1
	printf '%s\n' "listen_addresses = ''" \
		"unix_socket_directories = '$work/socket'" \
		"port = $PGPORT" "fsync = off" "$@" |
		as_server tee -a "$work/data/postgresql.conf" >/dev/null
	# shellcheck disable=SC2086
	as_server $pin "$bindir/pg_ctl" -D "$work/data" -l "$work/data/server.log" \
		-w -s start || return 1
	server_pid=$(as_server head -n 1 "$work/data/postmaster.pid")
}

stop_server()
{
	# Not $server_pid: a signal can end the script while the server starts.
	[ -n "$work" ] && [ -e "$work/data/postmaster.pid" ] || return 0
	as_server "$bindir/pg_ctl" -D "$work/data" -m immediate -s stop >/dev/null 2>&1
	server_pid=
}

# Prints the lines in the logs of all test servers, also of those of TAP tests, that say that a file, a page, a snapshot or
# another resource was not released. Returns false if there are none: no test provokes them
find_leaks()
{
	(cd "$work" && as_server grep -rE 'WARNING:  .*(leak|still referenced|was not closed|not closed at end|still active|non-empty SPI stack)' \
		data/server.log simhash/tmp_check/log 2>/dev/null) | grep ''
}

# psql on the private server, quiet, stops at the first error
sql()
{
	"$bindir/psql" -X -q -v ON_ERROR_STOP=1 -P pager=off -P footer=off "$@"
}

# start_benchmark [CONFIGURATION LINE...]: a private server that has the extension, built from the
# sources; prints its steps to the standard error
start_benchmark()
{
	make_work_folder
	{
		prepare_machine &&
		step "Copying the sources" copy_sources &&
		step "Building" build &&
		step "Installing into PostgreSQL ${pg_version%% *}" install_extension &&
		step "Starting a private server" start_server "$@" &&
		step "Creating the extension" sql -c "CREATE EXTENSION simhash"
	} >&2
}
