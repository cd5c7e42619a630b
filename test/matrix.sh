#!/bin/bash
# All tests on several versions of PostgreSQL: bash test/matrix.sh [-k KIND]... [VERSION]...
#
# Needs root on Debian, and debootstrap.  Each version (by default 14 to 19) gets a release of
# Debian or Ubuntu that has it, in a folder below SIMHASH_CHROOTS (by default
# /var/tmp/simhash-matrix), which stays for the next run.  The script runs test/check.sh
# there, with -k only some kinds of test (unit, regress, isolation, tap).  Versions
# after 15 also get PostgreSQL 15, for the test of pg_upgrade.  The script ends with one
# line for each version.

export LC_ALL=C DEBIAN_FRONTEND=noninteractive TMPDIR=/tmp
root=$(cd "$(dirname "$0")/.." && pwd)
chroots=${SIMHASH_CHROOTS:-/var/tmp/simhash-matrix}
mounted=()
kinds=()
failed=0

case "$1" in
	-h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
while [ "$1" = -k ]; do
	kinds+=("$2")
	shift 2
done
[ $# -gt 0 ] || set -- 14 15 16 17 18 19
if [ "$(id -u)" != 0 ]; then
	echo "this needs root" >&2
	exit 1
fi

unmount()
{
	local folder

	for folder in "${mounted[@]}"; do
		umount "$folder"
	done
	mounted=()
}
trap unmount EXIT
trap 'exit 130' INT TERM HUP

release_of()
{
	case $1 in
		14) echo jammy ;;
		15) echo bookworm ;;
		16) echo noble ;;
		17) echo trixie ;;
		18 | 19) echo sid ;;
		*) return 1 ;;
	esac
}

# PostgreSQL 19 is in Debian's experimental suite, of which a mirror may have an old state.
install_server()
{
	local version=$1 folder=$2 suite=()

	if [ -e "$folder/etc/lsb-release" ]; then
		# the newest minor release
		sed -E 's/ (jammy|noble) / \1-updates /' "$folder/etc/apt/sources.list" >"$folder/etc/apt/sources.list.d/updates.list"
		chroot "$folder" apt-get -q update || return 1
	elif [ "$version" = 19 ]; then
		sed 's/ sid / experimental /' "$folder/etc/apt/sources.list" >"$folder/etc/apt/sources.list.d/experimental.list"
		chroot "$folder" apt-get -q update -o Acquire::Check-Valid-Until=false || return 1
		suite=(-t experimental)
	fi
	# an installation starts no server
	printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
	chmod 755 "$folder/usr/sbin/policy-rc.d"
	chroot "$folder" apt-get -qy install --no-install-recommends "${suite[@]}" \
		"postgresql-$version" "postgresql-server-dev-$version"
}

# A system with that PostgreSQL; made if there is none
make_chroot()
{
	local version=$1 folder=$2 release options=() source=()

	[ ! -e "$folder/made" ] || return 0
	rm -rf --one-file-system "$folder"
	release=$(release_of "$version") || {
		echo "no release is known for PostgreSQL $version" >&2
		return 1
	}
	case $release in
		jammy | noble)
			options=(--components=main,universe)
			source=(http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy)
			if [ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]; then
				echo "the signature of $release is not checked: there is no ubuntu-keyring"
				options+=(--no-check-gpg)
			fi
			;;
	esac
	{
		debootstrap --variant=minbase "${options[@]}" --include="gcc,make,libc6-dev,libxxhash-dev,libipc-run-perl,libicu-dev,pkg-config,unicode-data,bzip2,perl,postgresql-common" \
			"$release" "$folder" "${source[@]}" && install_server "$version" "$folder" && touch "$folder/made"
	} >"$folder.log" 2>&1
}

# PostgreSQL 15 beside a later version, with the extension that the tests of 15 have
# installed
add_15()
{
	local folder=$1 from=$chroots/pg15

	if [ ! -x "$folder/usr/lib/postgresql/15/bin/postgres" ]; then
		cp "$from/etc/apt/sources.list" "$folder/etc/apt/sources.list.d/15.list"
		{
			chroot "$folder" apt-get -q update -o Dir::Etc::sourceparts=- \
				-o Dir::Etc::sourcelist=sources.list.d/15.list -o APT::Get::List-Cleanup=0 &&
				chroot "$folder" apt-get -qy install --no-install-recommends postgresql-15
		} >>"$folder.log" 2>&1 || return 1
	fi
	cp "$from/usr/lib/postgresql/15/lib/simhash.so" "$folder/usr/lib/postgresql/15/lib/" &&
		cp "$from"/usr/share/postgresql/15/extension/simhash* \
			"$folder/usr/share/postgresql/15/extension/"
}

mount_into()
{
	mountpoint -q "$2" && return 0
	mount "${@:3}" "$1" "$2" && mounted+=("$2")
}

summary=
have_15=
mkdir -p "$chroots"
# Others can make a folder of this name before us, and root is to run what it has.
if [ -L "$chroots" ] || [ ! -O "$chroots" ]; then
	echo "$chroots is not a folder of root" >&2
	exit 1
fi
for version; do
	folder=$chroots/pg$version
	echo "=== PostgreSQL $version"
	if ! make_chroot "$version" "$folder"; then
		tail -n 5 "$folder.log" 2>/dev/null
		summary+="$version: no system to test it on"$'\n'
		failed=1
		continue
	fi
	mount_into proc "$folder/proc" -t proc
	mount_into /dev "$folder/dev" --bind
	if [ "$have_15" ] && ! add_15 "$folder"; then
		echo "could not add PostgreSQL 15: pg_upgrade is not tested"
		tail -n 5 "$folder.log"
	fi
	rm -rf "$folder/opt/simhash"
	mkdir -p "$folder/opt/simhash"
	tar -C "$root" --exclude=./.git --exclude='*.o' --exclude='*.so' --exclude='*.bc' -cf - . |
		tar -C "$folder/opt/simhash" --no-same-owner -xf -
	chroot "$folder" env \
		PG_CONFIG="/usr/lib/postgresql/$version/bin/pg_config" \
		SIMHASH_SOAK="${SIMHASH_SOAK:-1}" \
		bash /opt/simhash/test/check.sh "${kinds[@]}" 2>&1 | tee "$folder.out"
	[ "${PIPESTATUS[0]}" = 0 ] || failed=1
	[ "$version" != 15 ] || have_15=1
	summary+="$version: $(tail -n 1 "$folder.out")"$'\n'
	unmount
done
echo
printf '%s' "$summary"
exit $failed
