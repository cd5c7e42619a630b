# The SQL of doc/passages.md runs without change, from top to bottom, and so do the examples that it
# names. Its answers are the answers that the page shows. On 100,000 documents with default statistics its queries
# use the GIN index. Every file that contains half of a licence is found.

use SimhashPage;
use SimhashTest;

my $documents = 100000;

my $node = start_node('passages', 'autovacuum = off', 'shared_buffers = 256MB');

# Queries and their answers after the SQL of a section
my %holds = (
	'Ignore signatures, page headers and licences' => [
		q{INSERT INTO frequent_keys SELECT unnest(keys) FROM docs WHERE id = 2;
		  SELECT array_agg(id ORDER BY id) FROM docs WHERE keys && rare_keys((SELECT keys FROM docs WHERE id = 1))} => '{1}',
		q{SELECT rare_keys((SELECT keys FROM docs WHERE id = 2))} => '{}',
		q{DELETE FROM frequent_keys; SELECT count(*) FROM docs WHERE keys && rare_keys((SELECT keys FROM docs WHERE id = 1))} => 2,
	],
);

# The same of the examples
my %examples = (
	'examples/passage_pairs.sql' => [
		q{SELECT string_agg(id || ':' || shared, ' ' ORDER BY id) FROM (SELECT id, count(*) AS shared
		  FROM unnest((SELECT simhash_passage_keys(body) FROM docs WHERE id = 1)) k (key) JOIN doc_keys USING (key) GROUP BY id) s} => '1:3 2:1',
		q{SELECT string_agg(a.id || ' ' || b.id || ' ' || p.words, ', ') FROM docs a, docs b,
		  LATERAL (SELECT words FROM simhash_passages(a.body, b.body) LIMIT 1) p
		  WHERE a.id < b.id AND EXISTS (SELECT FROM doc_keys x JOIN doc_keys y USING (key) WHERE x.id = a.id AND y.id = b.id)} => '1 2 39',
		# Chinese, with the default keys
		q{BEGIN; INSERT INTO docs (body) VALUES
		    ('他写道：“港口的早晨总是从雾里开始的，渔船一条接一条地驶出防波堤，岸上的人还在睡梦之中，只有灯塔看守人醒着，数着它们的灯火。”文章到此结束。');
		  WITH q AS MATERIALIZED (SELECT t, simhash_passage_keys(t) AS keys FROM (VALUES
		    ('港口的早晨总是从雾里开始的，渔船一条接一条地驶出防波堤，岸上的人还在睡梦之中，只有灯塔看守人醒着，数着它们的灯火')) v (t))
		  SELECT p.a_start, p.words FROM q, docs d, simhash_passages(d.body, q.t) p WHERE d.keys && q.keys; ROLLBACK} => '6|52',
		# partitions
		q{CREATE TABLE posts (day date, body text, keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED)
		    PARTITION BY RANGE (day);
		  CREATE TABLE posts_2025 PARTITION OF posts FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
		  CREATE TABLE posts_2026 PARTITION OF posts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
		  CREATE INDEX ON posts USING gin (keys);
		  INSERT INTO posts SELECT date '2025-11-10' + 60 * id::integer, body FROM docs;
		  WITH q AS MATERIALIZED (SELECT body, simhash_passage_keys(body) AS keys FROM docs WHERE id = 1)
		  SELECT p.day, s.words FROM q, posts p, simhash_passages(p.body, q.body) s
		  WHERE p.keys && q.keys AND p.day >= '2026-01-01' ORDER BY 1} => "2026-01-09|53\n2026-03-10|39",
	],
	'examples/reject_passages.sql' => [
		'INSERT INTO essays (body) SELECT body FROM docs WHERE id = 1' => '',
		q{DO $$ BEGIN INSERT INTO essays (body) SELECT body FROM docs WHERE id = 2; RAISE 'not refused';
		  EXCEPTION WHEN unique_violation THEN NULL; END $$;
		  INSERT INTO essays (body) SELECT body FROM docs WHERE id = 3;
		  UPDATE essays SET body = body || '!';
		  SELECT count(*) FROM essays} => 2,
		# concurrent inserts wait for each other
		q{SET client_min_messages = warning; BEGIN; UPDATE essays SET body = body || '.';
		  SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid(); COMMIT} => 1,
	],
);

my $has_licences = -d '/usr/share/common-licenses' && glob('/usr/share/doc/*/copyright');
my @blocks = sql_blocks('doc/passages.md');
my $prepared = join('', map { $_->{sql} =~ /^(PREPARE .*?;\n)/gms } @blocks);

# and without the frequent keys, as the page says
$prepared .= $1 =~ s/PREPARE find\b/PREPARE find_rare/r =~ s/(simhash_passage_keys\(\$1\))/rare_keys($1)/r
  if $prepared =~ /^(PREPARE find\(.*?;\n)/ms;

is(run_blocks($node, 'postgres', \@blocks, %holds), 3, 'answers that the page shows');
for my $file (sort keys %examples)
{
	is($node->psql('postgres', slurp_file($file), on_error_stop => 1), 0, $file);
	answers_are($node, 'postgres', $file, @{ $examples{$file} });
}

# The licences: comparing each licence with each file finds the same.
SKIP:
{
	skip 'this machine has no /usr/share/common-licenses or no copyright files', 2 unless $has_licences;

	$node->safe_psql('postgres', q{
		CREATE FUNCTION read_text(path text) RETURNS text LANGUAGE plpgsql AS $$
		BEGIN
		  RETURN convert_from(pg_read_binary_file(path, 0, 10000000, true), 'UTF8');
		EXCEPTION WHEN character_not_in_repertoire THEN
		  RETURN convert_from(pg_read_binary_file(path, 0, 10000000, true), 'LATIN1');
		END $$;
		CREATE TABLE licences AS
		  SELECT name, read_text('/usr/share/common-licenses/' || name) AS body
		  FROM pg_ls_dir('/usr/share/common-licenses', true, false) name;
		CREATE TABLE files (name text PRIMARY KEY, body text,
		  keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
		INSERT INTO files (name, body)
		  SELECT name, read_text('/usr/share/doc/' || name || '/copyright')
		  FROM pg_ls_dir('/usr/share/doc', true, false) name
		  WHERE (pg_stat_file('/usr/share/doc/' || name || '/copyright', true)).size > 0;
		CREATE INDEX ON files USING gin (keys);
		ANALYZE;

		-- files that contain at least half of a licence
		CREATE VIEW contained AS
		  WITH l AS MATERIALIZED (SELECT name, body, simhash_passage_keys(body) AS keys FROM licences)
		  SELECT l.name AS licence, f.name AS file, simhash_containment(l.body, f.body) AS share
		  FROM l JOIN files f ON f.keys && l.keys
		  WHERE simhash_containment(l.body, f.body) >= 0.5;

		-- where the longest passages of each are
		SELECT c.licence, c.file, p.a_start, p.a_length, p.words
		FROM contained c JOIN licences l ON l.name = c.licence JOIN files f ON f.name = c.file,
		  LATERAL (SELECT * FROM simhash_passages(f.body, l.body) LIMIT 3) p
		ORDER BY c.licence, c.file, p.words DESC;});

	# several licences may be links to one file
	my $missed = $node->safe_psql('postgres', q{
		SELECT count(*), count(*) FILTER (WHERE c.file IS NULL), string_agg(l.name || ' in ' || f.name, ', ') FILTER (WHERE c.file IS NULL)
		FROM licences l CROSS JOIN files f LEFT JOIN contained c ON c.licence = l.name AND c.file = f.name
		WHERE simhash_containment(l.body, f.body) >= 0.5});
	my ($pairs, $not_found, $which) = split(/\|/, $missed);

	is($not_found, 0, 'every file that contains half of a licence is found') or diag($which);
	ok($pairs > 0, 'there are such files');
	note("figures: licences: $pairs pairs of a licence and a file");
}

# Plans with default statistics
$node->safe_psql('postgres', qq{
	INSERT INTO docs (body)
	SELECT string_agg('w' || (hashint8extended(id, i) & 16383), ' ' ORDER BY i)
	FROM generate_series(1, $documents) id, generate_series(1, 60) i GROUP BY id;
	INSERT INTO doc_keys SELECT k.key, id FROM docs, unnest(keys) k (key);
	VACUUM ANALYZE docs; ANALYZE doc_keys});
is($node->safe_psql('postgres', 'SELECT count(*) >= 100000 FROM docs'), 't', 'documents');

my $long = join(' ', map { "w$_" } 1 .. 5000);
for my $mode ('auto', 'force_custom_plan', 'force_generic_plan')
{
	for my $statement ('find', 'find_short', 'find_rare')
	{
		for my $text ('too short', 'w1 w2 w3 w4 w5 w6 w7 w8 w9 w10', $long)
		{
			my $plan = $node->safe_psql('postgres', qq{
				SET plan_cache_mode = $mode; $prepared
				EXPLAIN (COSTS off) EXECUTE $statement('$text')});

			ok($plan =~ /Bitmap Index Scan on docs_keys_idx/ && $plan !~ /Seq Scan on docs/,
				"plan of $statement, $mode, " . length($text) . ' characters') or diag($plan);
		}
	}
}
for my $query (
	q{SELECT id FROM docs WHERE keys && rare_keys(simhash_passage_keys('some text'))},
	q{SELECT id FROM docs WHERE keys && simhash_passage_keys('w1 w2 w3 w4 w5 w6 w7 w8 w9 w10')},
	map { $_->{sql} } grep { $_->{section} eq 'Rank documents by shared keys' } @blocks)
{
	my $plan = $node->safe_psql('postgres', "EXPLAIN (COSTS off) $query");

	ok($plan =~ /Bitmap Index Scan on docs_keys_idx/ && $plan !~ /Seq Scan on docs/,
		'plan of ' . substr($query, 0, 60)) or diag($plan);
}
like($node->safe_psql('postgres', q{PREPARE many(text) AS SELECT id, count(*) FROM unnest(simhash_passage_keys($1)) k (key) JOIN doc_keys USING (key) GROUP BY id;
	SET plan_cache_mode = force_generic_plan; EXPLAIN (COSTS off) EXECUTE many('x')}),
	qr/Index Only Scan using doc_keys_key_id_idx/, 'plan of many keys');

# Recall: what shares 30 adjacent words is found among all documents.
is($node->safe_psql('postgres', q{
	WITH q AS MATERIALIZED (SELECT id, 'x y ' || split.part || ' z' AS text FROM docs,
	    LATERAL (SELECT string_agg(word, ' ' ORDER BY n) AS part FROM regexp_split_to_table(body, ' ') WITH ORDINALITY w (word, n) WHERE n BETWEEN 11 AND 40) split
	  WHERE id % 1000 = 7),
	k AS MATERIALIZED (SELECT id, text, simhash_passage_keys(text) AS keys FROM q)
	SELECT count(*) = count(p.words) AND min(p.words) = 30 FROM k LEFT JOIN docs d ON d.keys && k.keys AND d.id = k.id LEFT JOIN LATERAL simhash_passages(d.body, k.text) p ON true}),
	't', 'passages of 30 words are found');

links_exist('doc/passages.md');

$node->stop;
done_testing();
