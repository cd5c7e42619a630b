# The SQL of doc/deduplication.md runs without change and does what the page says.

use SimhashPage;
use SimhashTest;

# Queries and their answers after the SQL of a section
my %holds = (
	'Mark or delete them' => [
		# the sibling is near, and stays; the copy went
		'SELECT array_agg((id, duplicate_of) ORDER BY id) FROM docs' => '{"(1,)","(2,)","(3,1)"}',
		'SELECT a.fp % b.fp FROM docs a, docs b WHERE a.id = 1 AND b.id = 2' => 't',
		# a copy of a marked document goes, too, and a text that differs in a sign stays
		q{INSERT INTO docs (title, body, duplicate_of) SELECT title, body || ' ', 1 FROM docs WHERE id = 3;
		  INSERT INTO docs (title, body, duplicate_of) SELECT title, body || ' ?', 1 FROM docs WHERE id = 3;
		  DELETE FROM docs USING simhash_duplicates('SELECT id, fp, title, body FROM docs') x WHERE docs.id = x.id AND x.kind = 'copy';
		  SELECT array_agg(id ORDER BY id) FROM docs} => '{1,2,3,6}',
	],
	'Refuse them' => [
		'SELECT count(*) FROM docs' => 1,
		q{CREATE TABLE notes (body text NOT NULL, EXCLUDE USING bitblock ((minhash_bits(body)::bit(256)) WITH %));
		  INSERT INTO notes VALUES ('The quick brown fox jumps over the lazy dog');
		  INSERT INTO notes VALUES ('THE quick brown fox jumps over the lazy dog') ON CONFLICT DO NOTHING;
		  INSERT INTO notes VALUES ('Something else altogether');
		  SELECT count(*) FROM notes} => 2,
		q{CREATE TABLE hashes (fp bit(256), EXCLUDE USING bitblock (bit_ball(fp, 31) WITH &&) WITH (bits = 256));
		  INSERT INTO hashes VALUES (minhash_bits('a b')), (minhash_bits('a b') # (~ 0)::bit(31)::bit(256)) ON CONFLICT DO NOTHING;
		  SELECT count(*) FROM hashes} => 1,
		q{CREATE EXTENSION IF NOT EXISTS btree_gist;
		  CREATE TABLE editions (years int4range, fp simhash, EXCLUDE USING gist (years WITH &&, fp WITH %));
		  INSERT INTO editions VALUES ('[1990,2000)', '000000000000001f');
		  INSERT INTO editions VALUES ('[1995,2005)', '0000000000000000') ON CONFLICT DO NOTHING;
		  INSERT INTO editions VALUES ('[2000,2005)', '0000000000000000') ON CONFLICT DO NOTHING;
		  SELECT array_agg(years ORDER BY years) FROM editions} => '{"[1990,2000)","[2000,2005)"}',
		q{CREATE TABLE forms (body text, is_template boolean DEFAULT false, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED,
			EXCLUDE USING bitblock (fp WITH %) WHERE (NOT is_template));
		  INSERT INTO forms VALUES ('one form'), ('one form') ON CONFLICT DO NOTHING;
		  INSERT INTO forms VALUES ('one form', true), ('one form', true) ON CONFLICT DO NOTHING;
		  SELECT count(*) FROM forms} => 3,
		q{CREATE SCHEMA ext; ALTER EXTENSION simhash SET SCHEMA ext;
		  CREATE TABLE elsewhere (fp bit(256), EXCLUDE USING bitblock (fp WITH OPERATOR(ext.%)));
		  INSERT INTO elsewhere VALUES (ext.minhash_bits('a b')), (ext.minhash_bits('A b')) ON CONFLICT DO NOTHING;
		  SELECT count(*) FROM elsewhere} => 1,
	],
	'Keep them and record the original' => [
		'SELECT array_agg((id, duplicate_of) ORDER BY id) FROM docs' => '{"(1,)","(2,1)","(3,)","(4,1)"}',
		q{INSERT INTO docs (body) VALUES ('something else altogether of which there is nothing yet') RETURNING duplicate_of} => 3,
		'SELECT count(*) FROM docs WHERE duplicate_of IS NULL' => 2,
		'SELECT array_agg((id, duplicate_of) ORDER BY id), (SELECT count(*) FROM manuals a JOIN manuals b ON a.id < b.id AND a.fp % b.fp) FROM manuals'
		  => '{"(1,)","(2,)","(3,1)"}|3',
		'SELECT array_agg(id ORDER BY id) FROM (SELECT DISTINCT ON (coalesce(duplicate_of, id)) id, body FROM docs
		  ORDER BY coalesce(duplicate_of, id), id DESC) newest' => '{4,5}',
	],
	'Keep the newest' => [
		'SELECT array_agg(id) FROM docs WHERE duplicate_of IS NULL' => '{2}',
	],
	'Remembered decisions' => [
		q{SELECT decide(a.body, b.body, false) FROM docs a, docs b WHERE (a.id, b.id) = (2, 1);
		  SELECT count(*), bool_or(same) FROM decided} => "\n2|f",
	],
	'Reject exact copies' => [
		'SELECT count(*), count(DISTINCT tenant) FROM docs' => '2|2',
		q{SELECT count(*) FROM docs WHERE tenant = 7 AND simhash_copy_key(title || ' ' || body) = simhash_copy_key('storm THE HARBOUR MASTER has closed the north pier.')} => 1,
	],
	'Result lists without near-duplicates' => [
		q{SELECT array_agg(id ORDER BY id) FROM (SELECT id, bit_is_first(fp) OVER (ORDER BY id DESC) AS first FROM docs) s WHERE first} => '{2,3}',
	],
	'For an application' => [
		# the repost is rejected, the other title is another post, and so is that of another tenant
		'SELECT array_agg((id, duplicate_of) ORDER BY id), bool_and(fp % (SELECT fp FROM posts WHERE id = 1)) FROM posts' => '{"(1,)","(2,)","(3,1)","(5,)"}|t',
		'SELECT o.id, o.title FROM posts p JOIN posts o ON coalesce(o.duplicate_of, o.id) = coalesce(p.duplicate_of, p.id)
		  WHERE p.id = 3 AND o.id <> p.id' => '1|Nurse in Bonn',
		'SELECT array_agg(id ORDER BY id) FROM (SELECT DISTINCT ON (coalesce(duplicate_of, id)) id FROM posts WHERE tenant_id = 1
		  ORDER BY coalesce(duplicate_of, id), created DESC, id DESC) newest' => '{2,3}',
		'SELECT array_agg(id ORDER BY id) FROM (SELECT id, bit_is_first(fp) OVER (ORDER BY created, id) AS first FROM posts
		  WHERE tenant_id = 1) p WHERE first' => '{1}',
		# as Alembic compares the expressions
		q{SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'posts'::regclass AND pg_get_expr(adbin, adrelid) ~ 'minhash'}
		  => q{minhash_bits(((title || ' '::text) || body))},
		q{SELECT substring(pg_get_indexdef('posts_copies'::regclass) from 'simhash_copy_key.*')} => q{simhash_copy_key(((title || ' '::text) || body)))},
	],
	'Groups kept up to date' => [ 'SELECT count(*) FROM doc_groups' => 3 ],
	'Load in bulk' => [
		'SELECT array_agg(body ORDER BY id) FROM docs' =>
		  '{"The quick brown fox jumps over the lazy dog.","Something else altogether, of which there is nothing yet."}',
		q{SET enable_hashjoin = off; SET enable_seqscan = off;
		  CREATE TEMP TABLE staged AS SELECT fp FROM docs;
		  CREATE TEMP TABLE plan (line text);
		  DO $$ DECLARE line text; BEGIN
		    FOR line IN EXPLAIN SELECT FROM staged s WHERE NOT EXISTS (SELECT FROM docs d WHERE d.fp % s.fp) LOOP
		      INSERT INTO plan VALUES (line);
		    END LOOP; END $$;
		  SELECT bool_or(line ~ 'Nested Loop Anti Join'), bool_or(line ~ 'Scan using docs_fp_excl') FROM plan} => 't|t',
	],
);

my $node = start_node('deduplication');

# Each section runs in a database of its own.  033_existing_table.pl runs the last one.
my %blocks;
push @{ $blocks{ $_->{section} } }, $_ for grep { $_->{section} ne 'A large table in use' } sql_blocks('doc/deduplication.md');
is_deeply([ sort keys %blocks ], [ sort keys %holds ], 'every section with SQL has its tests');

for my $section (sort keys %blocks)
{
	my ($name) = lc($section) =~ s/\W+/_/gr;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION simhash');
	run_blocks($node, $name, $blocks{$section}, $section => $holds{$section});
}

# Eight sessions run a script this many times each, and all end in time.  Returns the
# number of deadlocks.
sub run_sessions
{
	my ($name, $db, $times, $script, @options) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.sql";
	my $log_size = -s $node->logfile;
	my $all = 8 * $times;
	my ($out, $err) = ('', '');

	append_to_file($file, $script);
	my $ok = eval {
		IPC::Run::run(
			[ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', $times, @options, '-f', $file,
				'-h', $node->host, '-p', $node->port, $db ],
			'>', \$out, '2>', \$err, IPC::Run::timeout(120)) };
	ok($ok, "$name: eight sessions end") or diag($@ // '', $out, $err);
	like($out, qr{transactions actually processed: $all/$all\b}, "$name: all of their transactions succeed");
	my $deadlocks = () = substr(slurp_file($node->logfile), $log_size) =~ /deadlock detected/g;
	return $deadlocks;
}

$node->append_conf('postgresql.conf', 'deadlock_timeout = 10ms');
$node->reload;

# Originals of many sessions: with the exclusion constraint and the page's function, one
# row a transaction; with 'lock', transactions of many rows, each transaction in another
# order.
my $db = 'keep_them_and_record_the_original';
my $document = q{md5(n::text) || ' ' || md5((n + 1000)::text) || repeat('!', (random() * 5)::int)};
my $invariant = q{
	SELECT count(*), count(*) FILTER (WHERE duplicate_of IS NULL),
		(SELECT count(*) FROM docs a JOIN docs b ON a.id < b.id AND (a.fp <-> b.fp) + 0 <= 20
			WHERE a.duplicate_of IS NULL AND b.duplicate_of IS NULL),
		(SELECT count(*) FROM docs d JOIN docs o ON d.duplicate_of = o.id
			WHERE o.duplicate_of IS NOT NULL OR (d.fp <-> o.fp) + 0 > 20) FROM docs};

$node->safe_psql($db, 'TRUNCATE docs');
is(run_sessions('keep', $db, 150, qq{
\\set n random(1, 20)
SELECT keep($document) FROM (SELECT :n AS n) s;
}), 0, 'keep: no deadlock');
is($node->safe_psql($db, $invariant), '1200|20|0|0', 'keep: one original of each document');

my ($lock) = grep { /'lock'/ } map { $_->{sql} } @{ $blocks{'Keep them and record the original'} };
$node->safe_psql($db, "TRUNCATE docs; ALTER TABLE docs DROP CONSTRAINT one_original; $lock");
my $many = "INSERT INTO docs (body) SELECT $document FROM generate_series(1, 300) n ORDER BY random();";
is(run_sessions('lock', $db, 3, "$many\n"), 0, 'lock: no deadlock');
is($node->safe_psql($db, $invariant), '7200|300|0|0', 'lock: one original of each document');

# Sessions of all isolation levels at once repeat a transaction that gets 40001.
# pgbench can do that from PostgreSQL 15 on.
SKIP:
{
	skip 'pgbench does not repeat transactions', 4
	  if `pgbench --version` =~ / (\d+)/ && $1 < 15;
	$node->safe_psql($db, 'TRUNCATE docs');
	is(run_sessions('levels', $db, 10, q{
\set level random(1, 3)
\if :level = 1
BEGIN;
\elif :level = 2
BEGIN ISOLATION LEVEL REPEATABLE READ;
\else
BEGIN ISOLATION LEVEL SERIALIZABLE;
\endif
} . $many =~ s/300/30/r . "\nCOMMIT;\n", '--max-tries=1000'), 0, 'lock at all isolation levels: no deadlock');
	is($node->safe_psql($db, $invariant), '2400|30|0|0', 'lock at all isolation levels: one original of each document');
}

# Bulk loads take turns.
is(run_sessions('bulk', 'load_in_bulk', 2, qq{BEGIN;
LOCK TABLE docs IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO docs (body, fp) SELECT body, minhash_bits(body)
	FROM (SELECT $document AS body FROM generate_series(1, 300) n ORDER BY random()) s
	ON CONFLICT DO NOTHING;
COMMIT;
}), 0, 'bulk: no deadlock');
is( $node->safe_psql('load_in_bulk', q{SELECT count(*), count(DISTINCT rtrim(body, '!')) FROM docs WHERE body ~ '^[0-9a-f]{32} '}),
	'300|300', 'bulk: one of each document is there');

$node->stop;
done_testing();
