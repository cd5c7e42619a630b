#!/bin/bash
# Other machines, by cross compilers and qemu: bash test/emulate.sh [arm64] [i386] [s390x]
#
# arm64: the unit tests run, with every pinned fingerprint.  i386 (32 bits) and s390x
# (big-endian) have to be refused by the build.  The plain C of src/core that compiles
# there is tested, too: on s390x with every pinned fingerprint.  On i386 the code for
# texts does not compile, because there is no __int128.
#
# Needs qemu-user-static, the cross compilers gcc-aarch64-linux-gnu, gcc-i686-linux-gnu
# and gcc-s390x-linux-gnu, libxxhash-dev, and the headers of a PostgreSQL server
# (PG_CONFIG).  Words by dictionary are left out, because ICU is a library of this machine.
# The tests of the join run on arm64 only.  The largest sets, of which they compare all
# pairs, are a quarter of the usual size: those sets would take most of the time.

failed=0
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

case "$1" in
	-h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ $# -gt 0 ] || set -- arm64 i386 s390x

fail()
{
	failed=$((failed + 1))
	echo "  FAILED: $*"
}

# run_units COMPILER EMULATOR MACHINE TEST...: unit tests of src/core
run_units()
{
	local compiler=$1 emulator=$2 unit=$work/$3/test/unit test

	mkdir -p "$work/$3/test" &&
		cp -r "$root/src" "$work/$3/" && cp -r "$root/test/unit" "$work/$3/test/" &&
		rm -rf "$unit"/*_test "$unit/objects" || return 1
	for test in "${@:4}"; do
		if ! make -s -C "$unit" CC="$compiler" CFLAGS="-O2 -g -static -DLARGE_N=10000" "$test" >"$work/log" 2>&1; then
			fail "$test: not built"
			tail -n 20 "$work/log"
			continue
		fi
		if ! (cd "$unit" && timeout "${SIMHASH_LIMIT:-7200}" "$emulator" "./$test" $([ $test != text_test ] || echo "${UNICODE_DIR:-/usr/share/unicode}")) >"$work/log" 2>&1; then
			fail "$test"
			grep -v '^ok' "$work/log" | head -n 20
		fi
		printf '  %-18s%s\n' "$test" "$(tail -n 1 "$work/log")"
	done
}

# refuses COMPILER MESSAGE DEFINITION...: server/compat.h must not compile for that machine
# against a server of that machine, whose pg_config.h has these definitions
refuses()
{
	local compiler=$1 message=$2 headers
	shift 2

	headers=$("${PG_CONFIG:-pg_config}" --includedir-server)
	rm -rf "$work/server"
	cp -r "$headers" "$work/server"
	printf '%s\n' "$@" >>"$work/server/pg_config.h"
	printf '#include "postgres.h"\n#include "server/compat.h"\n' >"$work/refused.c"
	if "$compiler" -E -I"$work/server" -I"$root/src" "$work/refused.c" 2>&1 >/dev/null |
		grep -q "#error \"$message"; then
		echo "  refused: $message"
	else
		fail "not refused with \"$message\""
	fi
}

for machine; do
	echo "$machine"
	case $machine in
		arm64) run_units aarch64-linux-gnu-gcc qemu-aarch64-static arm64 hamming_test permutation_test text_test passages_test first_change_test join_test ;;
		i386)
			refuses i686-linux-gnu-gcc "simhash needs a 64-bit server" \
				'#undef SIZEOF_VOID_P' '#define SIZEOF_VOID_P 4'
			run_units i686-linux-gnu-gcc qemu-i386-static i386 hamming_test permutation_test
			;;
		s390x)
			refuses s390x-linux-gnu-gcc "simhash needs a little-endian server" \
				'#define WORDS_BIGENDIAN 1'
			run_units s390x-linux-gnu-gcc qemu-s390x-static s390x hamming_test permutation_test text_test passages_test first_change_test
			;;
		*) fail "unknown machine $machine" ;;
	esac
done
[ $failed -eq 0 ]
