# Section passages of bench.sh, which sources this file: keys of passages, queries under GIN, alignment

# passage_documents N WORDS: N documents of WORDS words, a line each, with frequencies like
# those of a language.  A tenth of them end with one of 20 signatures of 60 words
passage_documents()
{
	perl -e 'use strict; use warnings;
		my ($n, $length) = @ARGV;
		srand(2);
		my @words = map { join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) } 1 .. 30000;
		my @signatures = map { join(" ", map { $words[rand(@words)] } 1 .. 60) } 1 .. 20;
		for my $i (1 .. $n) {
			print join(" ", map { $words[int(@words ** rand())] } 1 .. $length),
				$i % 10 ? "" : " " . $signatures[rand(20)], "\n";
		}' "$1" "$2"
}

# passage_queries FILE N WORDS: N new texts of WORDS words, each with 100 words of a
# document of the file and a signature of the file
passage_queries()
{
	perl -e 'use strict; use warnings;
		my ($file, $n, $length) = @ARGV;
		srand(3);
		my $size = -s $file;
		open my $lines, "<", $file or die;
		my @words = map { join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) } 1 .. 30000;
		sub random_line { seek $lines, rand($size * 0.9), 0; <$lines>; return split(/\s+/, <$lines>) }
		for (1 .. $n) {
			my @passage = (random_line())[50 .. 149];
			my @signature;
			do { @signature = random_line() } while @signature < 500;
			print join(" ", (map { $words[rand(@words)] } 161 .. $length), @passage, @signature[-60 .. -1]), "\n";
		}' "$1" "$2" "$3"
}

# Speed of the keys and their number, for the documents in $work/texts
passage_key_rows()
{
	local mb words keys minhash default all nothing

	query "DROP TABLE IF EXISTS texts; CREATE TABLE texts (body text); ALTER TABLE texts ALTER body SET STORAGE EXTERNAL"
	sql -c "\\copy texts FROM '$work/texts'" || die "loading failed"
	mb=$(query "SELECT sum(octet_length(body)) / 1e6 FROM texts")
	words=$(query "SELECT sum(n) FROM texts, LATERAL (SELECT count(*) AS n FROM regexp_matches(body, '[[:alnum:]]+', 'g')) w")
	keys=$(query "SELECT sum(cardinality(simhash_passage_keys(body))) FROM texts")
	read -r minhash default all nothing <<<"$(best_times cpu_time "WITH texts AS MATERIALIZED (SELECT body || '' AS body FROM texts)" 7 \
		"minhash(body)" "simhash_passage_keys(body)" "simhash_passage_keys(body, words => 8)" body | tr '\n' ' ')"
	row "$1" "$(calc "$mb * 1000 / ($minhash - $nothing)" %.0f)" "$(calc "$mb * 1000 / ($default - $nothing)" %.0f)" \
		"$(calc "($minhash - $nothing) / ($default - $nothing)")" "$(calc "$mb * 1000 / ($all - $nothing)" %.0f)" \
		"$(calc "1000 * $keys / $words" %.1f)"
	query "DROP TABLE texts"
}

# passage_query NAME WITH: a line of the table of queries.  WITH computes the keys of $1
passage_query()
{
	local words find located

	for words in 440 5000; do
		drive -s "$seconds" "WITH q AS MATERIALIZED (SELECT $2 AS keys) SELECT d.id FROM q, docs d WHERE d.keys && q.keys" \
			"$work/queries_$words" "$plan_mode"
		find="$us|$n_rows"
		drive -s "$seconds" "WITH q AS MATERIALIZED (SELECT $2 AS keys) SELECT d.id, p.* FROM q, docs d, simhash_passages(d.body, \$1) p WHERE d.keys && q.keys" \
			"$work/queries_$words" "$plan_mode"
		row "$1" "$words" "$(calc "${find#*|}" %.1f)" "$(figure "${find%|*} / 1000" 2)" "$(figure "$us / 1000" 2)"
	done
}

# alignment WORDS TIMES: a line of the table of simhash_passages for two texts
alignment()
{
	local ms

	query "CREATE TABLE aligned AS
		SELECT string_agg('w' || hashint8extended(i, 0) % 3000, ' ' ORDER BY i) AS a,
			string_agg(CASE WHEN i % 60 = 0 THEN 'x' WHEN i % 60 <> 20 THEN 'w' || hashint8extended(i, 0) % 3000 END
				|| CASE WHEN i % 60 = 40 THEN ' y' ELSE '' END, ' ' ORDER BY i) AS b
		FROM generate_series(1, $1) i;
		ALTER TABLE aligned ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL"
	ms=$(timed "SELECT count(p.words) FROM generate_series(1, $2) g, aligned, simhash_passages(a || left(g::text, 0), b) p")
	row "$1" "$(calc "$ms / $2" %.3f)"
	query "DROP TABLE aligned"
}

# Keys of passages: speed, number, size, queries among documents, alignment, inserts
section_passages()
{
	local bytes texts=${TEXTS:-/usr/share/doc/*/copyright} words ms plain with

	echo
	echo "### Keys of passages, in memory, MB/s"
	echo
	header "documents of" "minhash" "simhash_passage_keys" "x minhash" "with words => 8" "keys per 1000 words"
	for bytes in 1000 10000 100000; do
		cat $texts | tr -cd '\11\12\40-\176' | head -c 32000000 |
			documents_of $bytes bytes >"$work/texts"
		passage_key_rows "English, $bytes bytes"
	done
	passage_documents "$documents" 440 >"$work/documents"
	head -n 10000 "$work/documents" >"$work/texts"
	passage_key_rows "random words, 440 words"

	echo
	echo "### $documents documents of 440 words under GIN"
	echo
	query "CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, body text,
			keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
		COPY docs (body) FROM '$work/documents'"
	ms=$(timed "CREATE INDEX docs_keys ON docs USING gin (keys)")
	query "VACUUM ANALYZE docs"
	words=$(calc "440 + 6")
	header "" "kB per 1000 words"
	row "array" "$(calc "$(query "SELECT avg(pg_column_size(keys)) FROM docs") / $words")"
	row "GIN, built in $(calc "$ms / 1000" %.1f) s" "$(calc "$(size_of docs_keys) / $documents / $words")"
	query "CREATE TABLE frequent_keys (key bigint PRIMARY KEY);
		INSERT INTO frequent_keys SELECT k.key FROM docs, unnest(keys) k (key) GROUP BY 1 HAVING count(*) > 100;
		CREATE FUNCTION rare_keys(bigint[]) RETURNS bigint[] LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
			'SELECT coalesce(array_agg(k.key ORDER BY k.key), ''{}'') FROM unnest(\$1) k (key)
			WHERE NOT EXISTS (SELECT FROM frequent_keys f WHERE f.key = k.key)';
		ANALYZE frequent_keys"
	echo
	echo "Median of a query, with a list of $(query "SELECT count(*) FROM frequent_keys") keys of more than 100 documents:"
	echo
	passage_queries "$work/documents" 200 440 >"$work/queries_440"
	passage_queries "$work/documents" 200 5000 >"$work/queries_5000"
	header "keys of the query" "words" "rows" "ms" "ms, with simhash_passages"
	passage_query "all" "simhash_passage_keys(\$1)"
	passage_query "without the list" "rare_keys(simhash_passage_keys(\$1))"
	passage_query "words => 8, without the list" "rare_keys(simhash_passage_keys(\$1, words => 8))"

	echo
	echo "Two texts with 5% edits, simhash_passages:"
	echo
	header "words" "ms"
	alignment 440 1000
	alignment 40000 20

	echo
	echo "Inserts, ms for a document of 440 words; VACUUM includes GIN's clean-up of its list:"
	echo
	head -n 10000 "$work/documents" >"$work/texts"
	query "DROP TABLE docs; CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, body text); CHECKPOINT"
	drive -t "INSERT INTO docs (body) VALUES (\$1)" "$work/texts"
	plain=$(calc "$mean / 1000 + $(timed "VACUUM docs") / 10000" %.4f)
	query "DROP TABLE docs; CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, body text,
			keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
		COPY docs (body) FROM '$work/documents';
		CREATE INDEX ON docs USING gin (keys); CHECKPOINT"
	query "VACUUM docs"
	drive -t "INSERT INTO docs (body) VALUES (\$1)" "$work/texts"
	with=$(calc "$mean / 1000 + $(timed "VACUUM docs") / 10000" %.4f)
	header "table" "ms"
	row "without keys" "$plain"
	row "with keys and GIN, in a table of $documents" "$with"
	query "DROP TABLE docs, frequent_keys; DROP FUNCTION rare_keys"
}
