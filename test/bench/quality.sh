#!/bin/bash
# Quality of fingerprints on labelled pairs of texts: make bench-quality
#
# SIMHASH_PAIRS names the file of the pairs. It has a header line, and then lines of
# tab-separated columns with the escapes of COPY: label (1 near-duplicate, 0 not),
# bucket (length/kind), lang, text_a, text_b, and source, whose last part names the
# document. The script prints the tables of doc/quality.md. With PLOTS=DIR it also
# writes the plots into that folder (needs gnuplot with cairo).

set -o pipefail

. "$(dirname "$0")/../lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

if [ ! -r "$SIMHASH_PAIRS" ]; then
	echo "quality: set SIMHASH_PAIRS to a file of labelled pairs" >&2
	exit 1
fi
start_benchmark "jit = off" &&
	step "Loading the pairs" sql \
		-c "CREATE TABLE pairs (label int, bucket text, lang text, text_a text, text_b text, source text)" \
		-c "\\copy pairs FROM PROGRAM 'tail -n +2 $SIMHASH_PAIRS'" >&2 || exit 1
sql -f "$root/test/bench/quality.sql" && sql -f "$root/test/bench/quality_width.sql" || exit 1
if [ -n "$PLOTS" ]; then
	sql -At -F ' ' -v folder="$work" -f "$root/test/bench/quality_plots.sql" &&
		gnuplot -e "data='$work'; out='$PLOTS'" "$root/test/bench/quality.gnuplot" || exit 1
fi
installed_is_ours || {
	echo "quality: another build of simhash was installed meanwhile" >&2
	exit 1
}
