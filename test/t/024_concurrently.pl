# The validation of a concurrently built index gets each row once, not once for each
# tree. After an interrupted insertion or VACUUM the first tree has all rows, because
# the validation reads only that tree.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

seed_random();
my $node = PostgreSQL::Test::Cluster->new('node');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nautovacuum = off\njit = off");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id int, fp simhash);
	INSERT INTO docs SELECT i, CASE WHEN i <= 10 THEN 0 WHEN i % 10 > 0 THEN ('x' || substr(md5(i::text), 1, 16))::bit(64)::bigint END::simhash
		FROM generate_series(1, 6000) i;
	CREATE INDEX docs_fp ON docs USING bitblock (fp)});

# PostgreSQL reports what the callback got.
for my $command ('CREATE INDEX CONCURRENTLY other ON docs USING bitblock (fp)', 'REINDEX INDEX CONCURRENTLY other')
{
	my (undef, $out, $err) = $node->psql('postgres', "SET client_min_messages = debug2;\n$command");
	my ($found) = $err =~ /validate_index found (.*)/;
	is($found, '6000 heap tuples, 6000 index tuples; inserted 0 missing tuples', $command);
}
$node->safe_psql('postgres', 'DROP INDEX other; VACUUM docs');

# A VACUUM does not come to its end, because an index-only scan has pinned the first
# leaf of the first tree.  Entries are then gone from other trees, but not from the
# first.
my $entries = q{SELECT string_agg(entries::text, ' ' ORDER BY tree) FROM bitblock_stats('docs_fp')};
is($node->safe_psql('postgres', $entries), '5401 5401 5401 5401 599', 'entries of each tree');
$node->safe_psql('postgres', 'DELETE FROM docs WHERE id % 3 = 0 AND id > 10');
my ($in, $out) = ('', '');
my $reader = IPC::Run::start(
	[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, 'postgres' ],
	'<', \$in, '>', \$out, IPC::Run::timeout(120));
$in = "BEGIN; SET enable_seqscan = off; SET enable_bitmapscan = off;
	DECLARE c CURSOR FOR SELECT fp FROM docs WHERE fp = '0000000000000000'; FETCH 1 FROM c; SELECT 'open';\n";
$reader->pump until $out =~ /open/;
my (undef, undef, $err) = $node->psql('postgres', "SET statement_timeout = '2s'; VACUUM (INDEX_CLEANUP ON) docs");
like($err, qr/statement timeout/, 'VACUUM waits for the pin, and is cancelled');
# in some versions VACUUM keeps the rows of the table's page that the scan has pinned
like($node->safe_psql('postgres', $entries), qr/^5401 (36\d\d) \1 \1 599$/, 'the first tree has the entries that are gone from others');
$in = "FETCH ALL FROM c; COMMIT;\n";
$reader->finish;
$node->safe_psql('postgres', q{SELECT bitblock_check('docs_fp', true); VACUUM (INDEX_CLEANUP ON) docs; SELECT bitblock_check('docs_fp', true)});
is($node->safe_psql('postgres', $entries), '3604 3604 3604 3604 399', 'the next VACUUM ends');
is($node->safe_psql('postgres', q{SELECT reltuples FROM pg_class WHERE relname = 'docs_fp'}), 4003, 'and has counted the rows');

# Beside writers
create_model($node, 'model', 1500) if $node->safe_psql('postgres', 'CREATE DATABASE model') eq '';
for my $round (1 .. rounds(4))
{
	my $writers = start_bench($node, 'model', 2, 2, pgbench_script("write$round", 'SELECT op(3000);'));
	my $builder = start_bench($node, 'model', 1, 2, pgbench_script("build$round", q{
		DROP INDEX IF EXISTS b_other;
		CREATE INDEX CONCURRENTLY b_other ON b USING bitblock (fp);
		REINDEX INDEX CONCURRENTLY b_fp;
		VACUUM (INDEX_CLEANUP ON) b;}));
	cmp_ok(end_bench($_), '>', 0, "round $round: at work") for $writers, $builder;
	verify_all($node, 'model', 2, "round $round: sound");
}

$node->stop;
done_testing();
