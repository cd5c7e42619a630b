#!/bin/bash
# Lays out the C sources as PostgreSQL's are: bash test/indent.sh
#
# Needs pgindent and pg_bsd_indent, which come with the server headers of PostgreSQL 17
# and later (PG_CONFIG chooses the installation). A second run changes nothing.

cd "$(dirname "$0")/.." || exit 1
bin=$("${PG_CONFIG:-pg_config}" --bindir)
lists=$(mktemp -d) || exit 1
trap 'rm -rf "$lists"' EXIT

if [ ! -x "$bin/pgindent" ]; then
	echo "there is no $bin/pgindent: PostgreSQL 17 or later has it (set PG_CONFIG)" >&2
	exit 1
fi

# The tree's types, and types of C and of the libraries
{
	find src client test bench -name '*.[ch]' -exec cat {} + | perl -0777 -ne '
		s{/\*.*?\*/}{}gs;
		print "$1\n" while /^typedef\s+(?:struct|union|enum)\b[^;{}]*\{.*?^\}\s*(\w+);/gms;
		print "$1\n" while /^typedef\s+[^;{}()]*?\b(\w+);/mg;
		print "$1\n" while /^typedef\s+[^;{}]*?\(\s*\*\s*(\w+)\)\s*\(/mg;'
	printf '%s\n' int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ssize_t \
		FILE FTS FTSENT DIR va_list pthread_t pthread_mutex_t PyObject PyMethodDef PyModuleDef \
		PyTypeObject Py_buffer Py_ssize_t UBreakIterator UErrorCode UText XXH3_state_t XXH128_hash_t \
		__m128i __m256i __m512i __mmask8 __mmask16 __mmask32 __mmask64 uint8x16_t uint64x2_t
} | sort -u >"$lists/ours"
sort -u "$lists/ours" "$("${PG_CONFIG:-pg_config}" --sharedir)/typedefs.list" >"$lists/all"

# In plain C "text" is a variable and not PostgreSQL's type. pg_bsd_indent loses the
# byte 0x80, which is a part of some characters in UTF-8: files with that byte are left
# out.
export PATH=$bin:$PATH LC_ALL=C
find src/core client test bench \( -name unicode_tables.h -o -name pins.h \) -prune -o -name '*.[ch]' -print |
	xargs grep -L $'\x80' | xargs pgindent --typedefs="$lists/ours" &&
	find src -path src/core -prune -o -name '*.[ch]' -print |
	xargs grep -L $'\x80' | xargs pgindent --typedefs="$lists/all"
