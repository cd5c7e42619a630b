# The SQL of doc/deduplication.md runs without change and does what the page says.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Utils;
use SimhashPage;
use Test::More;

# Queries and their answers after the SQL of a section
my %holds = (
	'Refuse them' => [
		'SELECT count(*) FROM docs' => 1,
		'SELECT count(*) FROM notes' => 1,
		q{INSERT INTO notes VALUES ('THE quick brown fox jumps over the lazy dog') ON CONFLICT DO NOTHING;
		  INSERT INTO notes VALUES ('Something else altogether');
		  SELECT count(*) FROM notes} => 2,
		q{INSERT INTO editions VALUES ('[1990,2000)', '000000000000001f');
		  INSERT INTO editions VALUES ('[1995,2005)', '0000000000000000') ON CONFLICT DO NOTHING;
		  INSERT INTO editions VALUES ('[2000,2005)', '0000000000000000') ON CONFLICT DO NOTHING;
		  SELECT array_agg(years ORDER BY years) FROM editions} => '{"[1990,2000)","[2000,2005)"}',
	],
	'Keep them and record the original' => [
		'SELECT array_agg((id, duplicate_of) ORDER BY id) FROM docs' => '{"(1,)","(2,1)","(3,)","(4,1)"}',
		q{INSERT INTO docs (body) VALUES ('something else altogether of which there is nothing yet') RETURNING duplicate_of} => 3,
		'SELECT count(*) FROM docs WHERE duplicate_of IS NULL' => 2,
	],
	'Keep the newest' => [
		'SELECT count(*), min(id) > 1 FROM docs' => '1|t',
		q{SELECT put('Something else altogether') > 0} => 't',
		'SELECT count(*) FROM docs' => 2,
		'SELECT array_agg((id, duplicate_of) ORDER BY id) FROM versions' => '{"(1,)","(2,)","(3,1)"}',
	],
	'Load in bulk' => [
		'SELECT array_agg(body ORDER BY id) FROM docs' =>
		  '{"The quick brown fox jumps over the lazy dog.","Something else altogether, of which there is nothing yet."}',
		q{SET enable_hashjoin = off; SET enable_seqscan = off;
		  CREATE TEMP TABLE staged AS SELECT fp FROM docs;
		  CREATE TEMP TABLE plan (line text);
		  DO $$ DECLARE line text; BEGIN
		    FOR line IN EXPLAIN SELECT FROM staged s WHERE NOT EXISTS (SELECT FROM docs d WHERE simhash_ball(d.fp, 5) && simhash_ball(s.fp, 5)) LOOP
		      INSERT INTO plan VALUES (line);
		    END LOOP; END $$;
		  SELECT bool_or(line ~ 'Nested Loop Anti Join'), bool_or(line ~ 'Scan using docs_simhash_ball_excl') FROM plan} => 't|t',
	],
	'Deduplicate a corpus' => [
		'SELECT array_agg(id ORDER BY id) FROM corpus' => '{1,2}',
		'SELECT minhash_bound(0.7, 256)' => 48,
	],
);

my $node = start_node('deduplication');

# Each section runs in a database of its own.
my %blocks;
push @{ $blocks{ $_->{section} } }, $_ for sql_blocks('doc/deduplication.md');
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
		(SELECT count(*) FROM docs a JOIN docs b ON a.id < b.id AND bit_count(a.fp # b.fp) <= 5
			WHERE a.duplicate_of IS NULL AND b.duplicate_of IS NULL),
		(SELECT count(*) FROM docs d JOIN docs o ON d.duplicate_of = o.id
			WHERE o.duplicate_of IS NOT NULL OR bit_count(d.fp # o.fp) > 5) FROM docs};

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
INSERT INTO docs (body, fp) SELECT body, simhash(body)
	FROM (SELECT $document AS body FROM generate_series(1, 300) n ORDER BY random()) s
	ON CONFLICT DO NOTHING;
COMMIT;
}), 0, 'bulk: no deadlock');
is( $node->safe_psql('load_in_bulk', q{SELECT count(*), count(DISTINCT rtrim(body, '!')) FROM docs WHERE body ~ '^[0-9a-f]{32} '}),
	'300|300', 'bulk: one of each document is there');

# Sessions put near-duplicates at the same time, and one of each stays.  A session
# repeats a transaction that ends in a deadlock.
run_sessions('put', 'keep_the_newest', 100, q{\set n random(1, 20)
DO $$
BEGIN
  LOOP
    BEGIN
      PERFORM put(md5(:n::text) || ' ' || md5((:n + 100)::text) || repeat('!', (random() * 5)::int));
      EXIT;
    EXCEPTION WHEN deadlock_detected THEN NULL;
    END;
  END LOOP;
END $$;
});
is( $node->safe_psql('keep_the_newest', q{SELECT count(*), count(DISTINCT rtrim(body, '!')) FROM docs WHERE body ~ '^[0-9a-f]{32} '}),
	'20|20', 'one of each document is there');

$node->stop;
done_testing();
