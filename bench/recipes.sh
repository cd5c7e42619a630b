# Section recipes of bench.sh, which sources this file: result lists, signatures, components, sets of hashes,
# groups kept up to date

# recipe_row WHAT COMMAND: a row with the median time of a command
recipe_row()
{
	local times= i

	for ((i = 0; i < builds; i++)); do
		times+=" $(timed "$2")"
	done
	row "$1" "$(figure "$(median $times)")"
}

# The procedure that keeps groups up to date
create_group_docs()
{
	$pin "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -f "$root/examples/groups.sql" || die "examples/groups.sql failed"
}

# groups_rows: the rows of the groups of $rows documents of 256 bits, the last 1% in a batch
groups_rows()
{
	local new="id > $((rows - rows / 100))"

	query "CREATE TABLE docs AS SELECT id, fp::bit(256) AS fp FROM wide WHERE NOT $new;
		ALTER TABLE docs ADD PRIMARY KEY (id);
		CREATE INDEX docs_fp ON docs USING bitblock (fp)"
	query "VACUUM ANALYZE docs"
	create_group_docs
	row "groups, first run" "$(figure "$(timed "CALL group_docs()")")"
	query "VACUUM ANALYZE doc_groups"
	query "INSERT INTO docs SELECT id, fp FROM wide WHERE $new"
	recipe_row "lookups of 1% new rows" \
		"SELECT count(*) FROM wide n JOIN docs d ON d.fp % n.fp::bit(256) WHERE n.$new"
	row "groups, 1% new, their ids given" "$(figure "$(timed \
		"SELECT format('CALL group_docs(%L)', array_agg(id)) AS call FROM wide WHERE $new \\gset
		:call;")")"
	row "groups, nothing new, all rows compared" "$(figure "$(timed "CALL group_docs()")")"
	query "DROP TABLE docs, doc_groups"
	query "DROP PROCEDURE group_docs"
}

section_recipes()
{
	local n

	create_table uniform
	create_table wide
	echo
	echo "### Recipes, $rows rows: ms, median of $builds"
	echo
	header "what" "ms"
	for n in 1000 10000; do
		recipe_row "list of $n without near-duplicates, simhash" "SELECT count(*) FROM
			(SELECT simhash_is_first(fp) OVER (ORDER BY id) AS first FROM uniform WHERE id <= $n) s WHERE first"
		recipe_row "the same, 256 bits, a tenth near" "SELECT count(*) FROM
			(SELECT bit_is_first(fp, 31) OVER (ORDER BY id) AS first FROM wide WHERE id <= $n) s WHERE first"
	done
	query "CREATE TABLE signatures AS SELECT (SELECT string_agg(decode(md5(g || ' ' || i), 'hex'), '')
		FROM generate_series(1, 32) i) AS sig FROM generate_series(1, $rows / 10) g;
		CREATE TABLE ten AS SELECT sig FROM signatures, generate_series(1, 10)"
	recipe_row "signatures of 128 values of 4 bytes" "SELECT count(minhash_bits_from_signature(sig, 4)) FROM ten"
	query "DROP TABLE signatures, ten;
		CREATE TABLE edges AS SELECT hashint8extended(i, 1) % $rows AS a, hashint8extended(i, 2) % $rows AS b
			FROM generate_series(1, $rows) i"
	recipe_row "components of random edges" "SELECT count(*) FROM simhash_components('SELECT a, b FROM edges')"
	recipe_row "stars of random edges" "SELECT count(*) FROM simhash_stars('SELECT a, b FROM edges')"
	query "DROP TABLE edges;
		CREATE TABLE same AS SELECT i AS id, 'Page not found. The page that you are looking for does not exist or has been moved. '
			|| repeat('Please check the address or go back to the home page. ', 8) AS body FROM generate_series(1, 30000) i;
		CREATE TABLE siblings AS SELECT i AS id, format('Weather in %1\$s today. The weather in %1\$s is fine. %2\$s Good bye from %1\$s',
			'City' || translate(i::text, '0123456789', 'abcdefghij'), (SELECT string_agg('word' || chr(97 + j % 26) || chr(97 + j / 26), ' ') FROM generate_series(1, 150) j)) AS body
			FROM generate_series(1, 8000) i;
		CREATE TABLE texts AS SELECT i AS id, (SELECT string_agg('w' || hashint8extended(CASE WHEN i % 5 = 0 THEN i - 1 ELSE i END * 400 + j, 1) % 20000, ' ')
			FROM generate_series(1, 300) j) AS body FROM generate_series(1, $rows / 100) i"
	recipe_row "minhash_bits of 30,000 equal texts" "SELECT count(minhash_bits(body)) FROM same"
	recipe_row "simhash_duplicates of 30,000 equal texts" "SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM same')"
	recipe_row "simhash_duplicates of 8,000 texts of one template" "SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM siblings')"
	recipe_row "minhash_bits of $((rows / 100)) texts of 2 kB" "SELECT count(minhash_bits(body)) FROM texts"
	recipe_row "simhash_duplicates of these, a fifth copies" "SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM texts')"
	query "DROP TABLE same, siblings, texts;
		CREATE TABLE frames AS SELECT id / 300 AS video, id % 300 AS n, fp::bit(256) AS hash FROM wide;
		CREATE INDEX frames_hash ON frames USING bitblock (hash);
		CREATE INDEX ON frames (video)"
	query "VACUUM ANALYZE frames"
	recipe_row "a set of 300 hashes, within 31" "SELECT f.video, count(DISTINCT q.n), count(DISTINCT f.n)
		FROM frames q JOIN frames f ON f.hash <-> q.hash <= 31 WHERE q.video = 1 AND f.video <> 1
		GROUP BY f.video HAVING count(DISTINCT q.n) >= 30"
	recipe_row "300 lookups in a loop" "DO 'DECLARE q record; BEGIN FOR q IN SELECT hash FROM frames WHERE video = 1 LOOP
		PERFORM count(*) FROM frames f WHERE f.hash <-> q.hash <= 31; END LOOP; END'"
	query "DROP TABLE frames"
	groups_rows
}
