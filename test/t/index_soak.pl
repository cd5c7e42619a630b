# Many sessions run random operations on tables with a bitblock and a GiST index, beside
# autovacuum, rebuilding and index-only scans.  The test compares every answer with the
# answer of a model table in the same snapshot.  It runs once with pages of few entries,
# and once with pages of the usual size.

use SimhashTest;

seed_random();
my $node = start_node('soak', 'log_statement = none', 'log_checkpoints = off', 'autovacuum_naptime = 1s');

my $write = pgbench_script('write', 'SELECT op(4000);');
my $compare = pgbench_script('compare', q{
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT must_agree(1);
COMMIT;
});
# All rows by index-only scan, which may trust the visibility map.  GiST has no
# index-only scan.
my $only = pgbench_script('only', q{
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT sum(fp <~> '0000000000000000') AS expected, count(*) AS rows, sum(hashtext(wide::text)) AS wide FROM model WHERE fp IS NOT NULL \gset
SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
SELECT sum(fp <~> '0000000000000000') AS b, count(*) AS b_rows FROM b WHERE fp <-> '0000000000000000' <= 64 \gset
SELECT sum(fp <~> '0000000000000000') AS n, count(*) AS n_rows FROM (SELECT fp FROM b WHERE fp <-> '0000000000000000' <= 64 ORDER BY fp <-> '00ff00ff00ff00ff') s \gset
SELECT sum(hashtext(fp::text)) AS w, count(*) AS w_rows FROM w WHERE fp <-> widen('0000000000000000') <= 1024 \gset
SELECT sum(hashtext(fp::text)) AS m, count(*) AS m_rows FROM (SELECT fp FROM w WHERE fp <-> widen('0000000000000000') <= 1024 ORDER BY fp <-> widen('00ff00ff00ff00ff')) s \gset
COMMIT;
SELECT 1 / (:wide = :w AND :rows = :w_rows AND :wide = :m AND :rows = :m_rows)::int;
SELECT 1 / (:expected = :b AND :rows = :b_rows AND :expected = :n AND :rows = :n_rows)::int;
});
# Near-duplicates that come and go under an exclusion constraint.  Keys are in one order, so that
# sessions do not wait for each other
my $apart = pgbench_script('apart', q{
INSERT INTO apart SELECT set_bit(widen(('x' || substr(md5(k::text), 1, 16))::bit(64)::simhash), (random() * (bits() - 1))::int, random()::int) FROM (SELECT (random() * 40)::int AS k FROM generate_series(1, 5) ORDER BY k) s ON CONFLICT DO NOTHING;
DELETE FROM apart WHERE ctid IN (SELECT ctid FROM apart ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED);
});
my @maintain = map { pgbench_script("maintain$_->[0]", $_->[1]) . "\@$_->[2]" } (
	[ 1, 'VACUUM (INDEX_CLEANUP ON) b;', 10 ],
	[ 2, 'VACUUM (INDEX_CLEANUP ON) g;', 5 ],
	[ 3, 'REINDEX INDEX CONCURRENTLY b_fp;', 1 ],
	[ 4, 'REINDEX INDEX CONCURRENTLY g_fp;', 1 ],
	[ 5, "DROP INDEX CONCURRENTLY IF EXISTS b_other;\nCREATE INDEX CONCURRENTLY b_other ON b USING bitblock (fp) WHERE id % 3 > 0;", 1 ],
	[ 6, 'REINDEX INDEX b_fp;', 1 ],
	[ 7, 'ANALYZE b;', 1 ],
	[ 8, 'VACUUM (INDEX_CLEANUP ON) w;', 10 ],
	[ 9, 'REINDEX INDEX CONCURRENTLY w_fp;', 1 ],
	[ 10, "DROP INDEX CONCURRENTLY IF EXISTS w_other;\nCREATE INDEX CONCURRENTLY w_other ON w USING bitblock (fp) WHERE id % 3 > 0;", 1 ],
	[ 11, 'VACUUM (INDEX_CLEANUP ON) apart;', 10 ]);

my $seconds = rounds(6);
for my $pages ('small', 'usual')
{
	local $ENV{SIMHASH_SMALL_PAGES} = $pages eq 'small' ? $ENV{SIMHASH_SMALL_PAGES} : '';
	$node->safe_psql('postgres', "CREATE DATABASE $pages");
	create_model($node, $pages, 2000);
	$node->safe_psql($pages, q{
		DO $$ BEGIN
			EXECUTE format('CREATE TABLE apart (fp wide, EXCLUDE USING bitblock (bit_ball(fp, %s) WITH &&) WITH (bits = %s))', bits() / 8, bits());
		END $$});
	my %bench = (
		writes => start_bench($node, $pages, 4, $seconds, $write),
		comparisons => start_bench($node, $pages, 2, $seconds, $compare),
		exclusion => start_bench($node, $pages, 3, $seconds, $apart),
		'index-only scans' => start_bench($node, $pages, 1, $seconds, $only),
		maintenance => start_bench($node, $pages, 1, $seconds, @maintain));
	my %done = map { $_ => end_bench($bench{$_}) } sort keys %bench;
	cmp_ok($done{$_}, '>', 0, "$pages pages: $_") for sort keys %done;
	verify_all($node, $pages, 5, "$pages pages: sound in the end");
	is($node->safe_psql($pages, 'SELECT count(*) > 1, count(*) FILTER (WHERE EXISTS (SELECT FROM apart b WHERE a.ctid <> b.ctid AND b.fp <-> a.fp <= bits() / 8)) FROM apart a'),
		't|0', "$pages pages: no two near-duplicates past the constraint");
	figures "$pages pages, $seconds s: " . join ', ', map { "$done{$_} $_" } sort keys %done;
}

log_is_calm($node, 'soak');
$node->stop;
done_testing();
