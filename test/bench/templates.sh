#!/bin/bash
# Fingerprints of templated and of scanned texts: bash test/bench/templates.sh
#
# The texts are this machine's copyright files and manual pages, and artificial forms,
# lists of numbers and posts. The script prints the tables of doc/quality.md. With
# PLOTS=DIR it also writes the plots of distances into that folder.

set -o pipefail

. "$(dirname "$0")/../lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

pages=${PAGES:-1500}	# manual pages

# The texts as lines: kind, a tab, and the body in base64
collect()
{
	local file

	for file in /usr/share/doc/*/copyright; do
		printf 'copyright\t%s\n' "$(base64 -w0 "$file")"
	done
	find /usr/share/man/man1 /usr/share/man/man8 -type f -name '*.gz' | sort |
		awk -v n="$pages" '{ page[NR] = $0 }
			END { for (i = 0; i < n && i < NR; i++) print page[1 + int(i * NR / n)] }' |
		while read -r file; do
			# A page that only includes another one is a copy of it.
			! zcat "$file" | head -n 5 | grep -q '^\.so' || continue
			printf 'manual page\t%s\n' "$(MANWIDTH=80 timeout 10 man -P cat -E UTF-8 --no-hyphenation "$file" 2>/dev/null |
				col -bx | base64 -w0)"
		done
}

start_benchmark "jit = off" &&
	collect >"$work/texts" &&
	step "Loading the texts" sql -c "CREATE TABLE loaded (kind text, body text)" \
		-c "\\copy loaded FROM '$work/texts'" >&2 || exit 1
sql -f "$root/test/bench/templates.sql" && sql -f "$root/test/bench/scanned.sql" || exit 1
if [ -n "$PLOTS" ]; then
	for kind in "manual page" form; do
		sql -At -v fps="SELECT minhash(body) FROM texts WHERE kind = '$kind'" \
			-f "$root/doc/distances.sql" >"$PLOTS/distances-${kind%% *}.svg" || exit 1
	done
fi
