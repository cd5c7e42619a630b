# With old_snapshot_threshold, up to PostgreSQL 16, VACUUM may remove rows that an old
# snapshot sees.  A query with such a snapshot must fail if it meets a page that was
# changed since, as with PostgreSQL's own indexes.  It must never miss rows silently.

use SimhashTest;

plan skip_all => 'old_snapshot_threshold is gone' if major_version() >= 17;

my $node = start_node('node', 'autovacuum = off', 'old_snapshot_threshold = 0');
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

# The sessions sleep at the same time.
my @tables = ('bitblock', 'gist', 'wide', 'tenants');
my %reader;
for my $table (@tables)
{
	my $type = $table =~ /wide|tenants/ ? 'bit(128)' : 'simhash';
	my $of_tenant = $table eq 'tenants' ? 'tenant = 7' : 'true';
	my $r = $reader{$table} = start_session($node);

	$r->{query} = "SELECT id FROM $table WHERE fp <-> 0::bigint::$type <= 3 AND $of_tenant";
	$r->{nearest} = "SELECT id FROM $table WHERE $of_tenant ORDER BY fp <-> 0::bigint::$type LIMIT 5";
	$r->{change} = "INSERT INTO $table SELECT i, i::bigint::$type FROM generate_series(0, 9) i; DELETE FROM $table WHERE id > 0";
	$node->safe_psql('postgres', $r->{change});
	$r->{in} = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET enable_seqscan = off; SET enable_sort = off;
		$r->{query}; SELECT 'open' FROM pg_sleep(6);\n";
	$r->{psql}->pump until $r->{in} eq '';
}
for my $table (@tables)
{
	my $r = $reader{$table};
	wait_for($r, 'out', qr/open/);
	like($r->{out}, qr/^0$/m, "$table finds a row");
	$node->safe_psql('postgres', $r->{change});
	$node->safe_psql('postgres', "VACUUM $table");
	$r->{in} = "SAVEPOINT s; $r->{query}; ROLLBACK TO s; $r->{nearest};\n";
	end_session($r);
	is(() = $r->{err} =~ /snapshot too old/g, 2, "$table: then its snapshot is too old");
}
$node->stop;
done_testing();
