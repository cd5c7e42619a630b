# With old_snapshot_threshold, up to PostgreSQL 16, VACUUM may remove rows that an old
# snapshot sees.  A query with such a snapshot must fail if it meets a page that was
# changed since, as with PostgreSQL's own indexes.  It must never miss rows silently.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

plan skip_all => 'old_snapshot_threshold is gone' if major_version() >= 17;

my $node = PostgreSQL::Test::Cluster->new('node');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nautovacuum = off\njit = off\nold_snapshot_threshold = 0");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE bitblock (id int, fp simhash);
	CREATE INDEX ON bitblock USING bitblock (fp);
	CREATE TABLE gist (id int, fp simhash);
	CREATE INDEX ON gist USING gist (fp);
	CREATE TABLE wide (id int, fp bit(128));
	CREATE INDEX ON wide USING bitblock (fp);
	CREATE TABLE tenants (id int, fp bit(128), tenant int DEFAULT 7);
	CREATE INDEX ON tenants USING bitblock (tenant, fp);
});

for my $table ('bitblock', 'gist', 'wide', 'tenants')
{
	my $type = $table =~ /wide|tenants/ ? 'bit(128)' : 'simhash';
	my $of_tenant = $table eq 'tenants' ? 'tenant = 7' : 'true';
	my $query = "SELECT id FROM $table WHERE fp <-> 0::bigint::$type <= 3 AND $of_tenant";
	my $nearest = "SELECT id FROM $table WHERE $of_tenant ORDER BY fp <-> 0::bigint::$type LIMIT 5";
	my ($in, $out, $err) = ('', '', '');
	my $reader = IPC::Run::start(
		[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, 'postgres' ],
		'<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	my $change = "INSERT INTO $table SELECT i, i::bigint::$type FROM generate_series(0, 9) i; DELETE FROM $table WHERE id > 0";
	$node->safe_psql('postgres', $change);
	$in = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET enable_seqscan = off; SET enable_sort = off;
		$query; SELECT 'open' FROM pg_sleep(6);\n";
	$reader->pump until $out =~ /open/;
	like($out, qr/^0$/m, "$table finds a row");
	$node->safe_psql('postgres', $change);
	$node->safe_psql('postgres', "VACUUM $table");
	$in = "SAVEPOINT s; $query; ROLLBACK TO s; $nearest;\n";
	$reader->finish;
	is(() = $err =~ /snapshot too old/g, 2, 'then its snapshot is too old');
}
$node->stop;
done_testing();
