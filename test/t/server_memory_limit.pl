# The memory of builds, joins and searches depends on the number of rows, not on
# maintenance_work_mem and work_mem: a server whose address space is limited builds indexes of
# small tables with settings of 64 GB, also with parallel workers.

use SimhashTest;

plan skip_all => 'no prlimit, or no /proc' if system('prlimit --version >/dev/null 2>&1') != 0 || !-r '/proc/self/status';

my $node = start_node('node', 'autovacuum = off', 'shared_buffers = 32MB', 'max_worker_processes = 8', 'max_parallel_workers = 8',
	'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 0');
my ($postmaster) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');
plan skip_all => 'AddressSanitizer and valgrind need address space' if slurp_file("/proc/$postmaster/maps") =~ /asan|valgrind/;

my %types = (64 => 'simhash', 256 => 'bit(256)', 1024 => 'bit(1024)');

$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE FUNCTION bits(seed text, n int) RETURNS bit LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg(('x' || md5(seed || ' ' || i))::bit(128)::text, '')::bit(1024)::bit(1024) FROM generate_series(1, 8) i $$;
	CREATE FUNCTION peak() RETURNS int LANGUAGE sql AS
	$$ SELECT substring(pg_read_file('/proc/self/status', 0, 100000) FROM 'VmPeak:\s*(\d+)')::int $$;
	CREATE FUNCTION size() RETURNS int LANGUAGE sql AS
	$$ SELECT substring(pg_read_file('/proc/self/status', 0, 100000) FROM 'VmSize:\s*(\d+)')::int $$});
for my $bits (sort keys %types)
{
	my $fp = $bits == 64 ? 'bits(i::text, 64)::bit(64)::simhash' : "bits(i::text, $bits)::bit($bits)";

	$node->safe_psql('postgres', qq{
		CREATE TABLE t$bits (id int, tenant int, fp $types{$bits});
		INSERT INTO t$bits SELECT i, i % 7, CASE WHEN i % 10 > 0 THEN $fp END FROM generate_series(1, 1000) i;
		INSERT INTO t$bits SELECT i + 1000, tenant, fp FROM t$bits, LATERAL (SELECT id AS i) l WHERE id <= 200;
		CREATE TABLE empty$bits (LIKE t$bits);
		CREATE UNLOGGED TABLE unlogged$bits (LIKE t$bits);
		CREATE INDEX ON unlogged$bits USING bitblock (tenant, fp)});
}

# What a build adds to the address space of its process
my $few = "SET max_parallel_maintenance_workers = 0; SET maintenance_work_mem = '1MB'";
for my $bits (sort keys %types)
{
	for my $columns ('fp', 'tenant, fp')
	{
		my ($before, $after) = split /\n/, $node->safe_psql('postgres', qq{
			$few; CREATE INDEX i ON t$bits USING bitblock ($columns); DROP INDEX i;
			SELECT peak();
			SET maintenance_work_mem = '1GB'; SET work_mem = '1GB'; CREATE INDEX i ON t$bits USING bitblock ($columns); DROP INDEX i;
			SELECT peak()});

		cmp_ok($after - $before, '<', 10 * 1024, "$bits bits, $columns: memory of a build of 1,000 rows with 1 GB, in kB");
	}
}

# From now on no process of the server may have 100 MB more than a session that has done nothing.
my $limit = ($node->safe_psql('postgres', q{LOAD 'simhash'; SELECT size()}) + 100 * 1024) * 1024;
system_or_bail('prlimit', '--pid', $postmaster, "--as=$limit");
my ($ret, $out, $err) = $node->psql('postgres', q{SELECT length(repeat('x', 200000000))});
like($err, qr/out of memory/, 'the address space is limited');

my $much = "SET maintenance_work_mem = '64GB'; SET work_mem = '64GB'";

sub works
{
	my ($name, $sql) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', "$much; $sql");

	is($err, '', $name);
	return;
}

for my $bits (sort keys %types)
{
	for my $columns ('fp', 'tenant, fp')
	{
		my $on = "USING bitblock ($columns)";

		works("$bits bits, $columns: an empty table", "CREATE INDEX ON empty$bits $on; TRUNCATE empty$bits; REINDEX TABLE empty$bits");
		for my $workers (0, 2)
		{
			works("$bits bits, $columns, $workers workers: build", qq{
				SET max_parallel_maintenance_workers = $workers; ALTER TABLE t$bits SET (parallel_workers = $workers);
				CREATE INDEX i ON t$bits $on; REINDEX INDEX i; VACUUM FULL t$bits; DROP INDEX i});
		}
		works("$bits bits, $columns: CONCURRENTLY", "CREATE INDEX CONCURRENTLY i ON t$bits $on");
		works("$bits bits, $columns: REINDEX CONCURRENTLY", "REINDEX INDEX CONCURRENTLY i");
		works("$bits bits, $columns: DELETE", "DELETE FROM t$bits WHERE id % 100 = 1");
		works("$bits bits, $columns: VACUUM", "VACUUM t$bits");
		works("$bits bits, $columns: searches", qq{
			SET enable_seqscan = off;
			SELECT count(*) FROM t$bits WHERE tenant = 1 AND fp % (SELECT fp FROM t$bits WHERE id = 2);
			SELECT id FROM t$bits WHERE tenant = 1 ORDER BY fp <-> (SELECT fp FROM t$bits WHERE id = 2) LIMIT 1000;
			SELECT count(*) FROM t$bits WHERE tenant IN (1, 2) AND fp % ANY (ARRAY(SELECT fp FROM t$bits WHERE fp IS NOT NULL))});
		$node->safe_psql('postgres', 'DROP INDEX i');
	}
	works("$bits bits: TRUNCATE of an unlogged table", "TRUNCATE unlogged$bits");
	works("$bits bits: $_", "SET enable_indexscan = off; SELECT count(*) FROM $_")
	  for "simhash_pairs('SELECT id, fp FROM t$bits', NULL::int)", "simhash_clusters('SELECT id, fp FROM t$bits ORDER BY -id', NULL::int)",
	  "simhash_clusters('SELECT id, fp FROM t$bits ORDER BY -id', NULL::int, method => 'star')",
	  "simhash_pairs('SELECT id::text, fp FROM t$bits', NULL::text)",
	  "simhash_clusters('SELECT id::text, fp FROM t$bits', NULL::text, method => 'star')";
}
works("edges: $_", "SELECT count(*) FROM $_")
  for "simhash_components('SELECT id, id + 1 FROM t64', NULL::int)", "simhash_components('SELECT id::text, tenant::text FROM t64', NULL::text)",
  "simhash_stars('SELECT id, id + 1 FROM t64', NULL::int)", "simhash_stars('SELECT id::text, tenant::text FROM t64', NULL::text, 'SELECT id::text FROM t64')";
$node->stop;
done_testing();
