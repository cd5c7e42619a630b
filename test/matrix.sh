#!/bin/bash
# All tests on several versions of PostgreSQL: bash test/matrix.sh [-k KIND]... [VERSION]...
#
# Needs root on Debian, and debootstrap.  Each version (by default 13, 15, 17 and 18)
# gets a Debian release that has it, in a folder below SIMHASH_CHROOTS (by default
# /var/tmp/simhash-matrix), which stays for the next run.  The script runs test/check.sh
# there, with -k only some kinds of test (unit, regress, isolation, tap).  Versions
# after 13 also get PostgreSQL 13, for the test of pg_upgrade.  The script ends with one
# line for each version.

export LC_ALL=C DEBIAN_FRONTEND=noninteractive
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
[ $# -gt 0 ] || set -- 13 15 17 18
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
		13) echo bullseye ;;
		15) echo bookworm ;;
		17) echo trixie ;;
		18) echo sid ;;
		*) return 1 ;;
	esac
}

# A Debian with that PostgreSQL; made if there is none
make_chroot()
{
	local version=$1 folder=$2 release

	[ ! -x "$folder/usr/lib/postgresql/$version/bin/postgres" ] || return 0
	release=$(release_of "$version") || {
		echo "no release of Debian is known for PostgreSQL $version" >&2
		return 1
	}
	debootstrap --variant=minbase --include="postgresql-$version,postgresql-server-dev-$version,gcc,make,libc6-dev,libxxhash-dev,libipc-run-perl,libicu-dev,pkg-config,unicode-data,bzip2,perl" \
		"$release" "$folder" >"$folder.log" 2>&1
}

# PostgreSQL 13 beside a later version, with the extension that the tests of 13 have
# installed
add_13()
{
	local folder=$1 from=$chroots/pg13

	if [ ! -x "$folder/usr/lib/postgresql/13/bin/postgres" ]; then
		cp "$from/etc/apt/sources.list" "$folder/etc/apt/sources.list.d/13.list"
		# an installation starts no server
		printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
		chmod 755 "$folder/usr/sbin/policy-rc.d"
		{
			chroot "$folder" apt-get -q update -o Dir::Etc::sourceparts=- \
				-o Dir::Etc::sourcelist=sources.list.d/13.list -o APT::Get::List-Cleanup=0 &&
				chroot "$folder" apt-get -qy install --no-install-recommends postgresql-13
		} >>"$folder.log" 2>&1 || return 1
	fi
	cp "$from/usr/lib/postgresql/13/lib/simhash.so" "$folder/usr/lib/postgresql/13/lib/" &&
		cp "$from"/usr/share/postgresql/13/extension/simhash* \
			"$folder/usr/share/postgresql/13/extension/"
}

mount_into()
{
	mountpoint -q "$2" && return 0
	mount "${@:3}" "$1" "$2" && mounted+=("$2")
}

summary=
have_13=
mkdir -p "$chroots"
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
	if [ "$have_13" ] && ! add_13 "$folder"; then
		echo "could not add PostgreSQL 13: pg_upgrade is not tested"
		tail -n 5 "$folder.log"
	fi
	rm -rf "$folder/opt/simhash"
	mkdir -p "$folder/opt/simhash"
	tar -C "$root" --exclude=./.git --exclude='*.o' --exclude='*.so' --exclude='*.bc' -cf - . |
		tar -C "$folder/opt/simhash" --no-same-owner -xf -
	chroot "$folder" env TMPDIR=/tmp \
		PG_CONFIG="/usr/lib/postgresql/$version/bin/pg_config" \
		SIMHASH_SOAK="${SIMHASH_SOAK:-1}" \
		bash /opt/simhash/test/check.sh "${kinds[@]}" 2>&1 | tee "$folder.out"
	[ "${PIPESTATUS[0]}" = 0 ] || failed=1
	[ "$version" != 13 ] || have_13=1
	summary+="$version: $(tail -n 1 "$folder.out")"$'\n'
	unmount
done
echo
printf '%s' "$summary"
exit $failed
