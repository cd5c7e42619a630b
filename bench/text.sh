# Section text of bench.sh, which sources this file: speed of fingerprints and comparisons of texts

# text_rows LABEL [in-row]: rows of the table for the documents in $work/texts
text_rows()
{
	local storage place from mb simhash minhash md5 tsvector nothing best

	[ -s "$work/texts" ] || die "there is no text"
	for storage in MEMORY EXTERNAL EXTENDED; do
		from=
		case $2,$storage in
			in-row,MEMORY) place="in the row" ;;
			in-row,*) break ;;
			*MEMORY)
				# as in a generated column or a trigger
				place="in memory"
				from="WITH texts AS MATERIALIZED (SELECT body || '' AS body FROM texts)"
				;;
			*EXTERNAL) place="out of line" ;;
			*) place="compressed, the default" ;;
		esac
		query "DROP TABLE IF EXISTS texts;
			CREATE TABLE texts (body text);
			ALTER TABLE texts ALTER body SET STORAGE ${storage/MEMORY/EXTERNAL}"
		sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
		query "VACUUM ANALYZE texts"
		mb=$(query "SELECT sum(octet_length(body)) / 1e6 FROM texts")
		[ "$(query "SELECT simhash(body) IS NOT NULL FROM texts LIMIT 1")" = t ] ||
			die "simhash() gives no fingerprint"
		best=$(best_times timed "$from" 9 "simhash(body)" "minhash(body)" "md5(body)" body)
		read -r simhash minhash md5 nothing <<<"${best//$'\n'/ }"
		[ -n "$from" ] || nothing=0
		tsvector=$(best_times timed "$from" 1 "to_tsvector('simple', body)")
		row "$1" "$place" "$(calc "$mb" %.1f)" \
			"$(calc "$mb * 1000 / ($simhash - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($minhash - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($md5 - $nothing)" %.0f)" \
			"$(calc "$mb * 1000 / ($tsvector - $nothing)" %.0f)" \
			"$(calc "($md5 - $nothing) / ($simhash - $nothing)")" \
			"$(calc "($md5 - $nothing) / ($minhash - $nothing)")"
	done
	query "DROP TABLE texts"
}

# width_rows LABEL: rows of the table of widths for the documents in $work/texts, in memory.
# Each document is read several times, because a short query is hard to measure.
width_rows()
{
	local from="WITH texts AS MATERIALIZED (SELECT body || '' AS body FROM texts, generate_series(1, 5))"
	local method mb best nothing md5 ms bits
	local -a cells expressions

	query "DROP TABLE IF EXISTS texts; CREATE TABLE texts (body text);
		ALTER TABLE texts ALTER body SET STORAGE EXTERNAL"
	sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
	query "VACUUM ANALYZE texts"
	mb=$(query "SELECT 5 * sum(octet_length(body)) / 1e6 FROM texts")
	for method in minhash simhash; do
		expressions=(body "md5(body)" "$method(body)")
		for bits in 64 128 256 512 1024; do
			expressions+=("${method}_bits(body, $bits)")
		done
		best=$(best_times cpu_time "$from" 9 "${expressions[@]}")
		read -r nothing md5 best <<<"${best//$'\n'/ }"
		cells=()
		for ms in $best; do
			cells+=("$(calc "$mb * 1000 / ($ms - $nothing)" %.0f)")
		done
		row "$1" "\`$method\`" "$(calc "$mb * 1000 / ($md5 - $nothing)" %.0f)" "${cells[@]}"
	done
	query "DROP TABLE texts"
}

# comparison_rows: microseconds of CPU to compare two texts in memory: a document of $work/texts
# with a word inserted, or in other case
comparison_rows()
{
	local from="WITH texts AS MATERIALIZED (SELECT body || '' AS a, upper(body) AS copy,
		left(body, 5000) || ' amended ' || substr(body, 5001) AS b FROM texts)"
	local n nothing i best
	local -a expressions=(a "md5(a) || md5(b)" "simhash_resemblance(a, b)" "simhash_first_change(a, b)"
		"(SELECT max(change) FROM simhash_changes(a, b))" "nullif(NOT EXISTS (SELECT FROM simhash_changes(a, copy)), false)")
	local -a labels=("" "\`md5\` of both" "\`simhash_resemblance\`" "\`simhash_first_change\`"
		"\`simhash_changes\`" "\`NOT EXISTS\` of \`simhash_changes\`, a copy")

	query "DROP TABLE IF EXISTS texts; CREATE TABLE texts (body text)"
	sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
	query "VACUUM ANALYZE texts"
	n=$(query "SELECT count(*) FROM texts")
	best=($(best_times cpu_time "$from" 9 "${expressions[@]}"))
	nothing=${best[0]}
	for ((i = 1; i < ${#expressions[@]}; i++)); do
		row "${labels[i]}" "$(calc "(${best[i]} - $nothing) * 1000 / $n" %.0f)"
	done
	query "DROP TABLE texts"
}

# Compares simhash(text) and minhash(text) with md5(text) and to_tsvector, and wide
# fingerprints with those of 64 bits
section_text()
{
	local bytes texts=${TEXTS:-/usr/share/doc/*/copyright}

	echo
	echo "### simhash(text) and minhash(text), MB/s"
	echo
	header "documents of" "storage" "MB" "simhash" "minhash" "md5" \
		"to_tsvector" "simhash / md5" "minhash / md5"
	for bytes in 1000 10000 100000; do
		# ASCII only, so that a document may end after any byte
		cat $texts | tr -cd '\11\12\40-\176' | head -c 32000000 |
			documents_of $bytes bytes >"$work/texts"
		text_rows "English, $bytes bytes" "$([ $bytes != 1000 ] || echo in-row)"
	done
	if [ -n "$CHINESE_TEXTS" ]; then
		cat $CHINESE_TEXTS | head -c 32000000 | documents_of 6000 characters \
			>"$work/texts" 2>/dev/null
		text_rows "Chinese, 6000 characters"
	fi

	echo
	echo "### Fingerprints by width, MB/s of CPU time, documents in memory"
	echo
	header "documents of" "function" "\`md5\`" "64 bits" "\`bit(64)\`" "128" "256" "512" "1024"
	for bytes in 120 1000 10000; do
		cat $texts | tr -cd '\11\12\40-\176' | head -c 32000000 |
			documents_of $bytes bytes >"$work/texts"
		width_rows "English, $bytes bytes"
	done

	echo
	echo "### Two English texts of 10 kB, a word inserted: us of CPU time, in memory"
	echo
	header "what" "us"
	comparison_rows
}
