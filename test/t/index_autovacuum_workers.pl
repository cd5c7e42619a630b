# Autovacuum with parallel workers (PostgreSQL 19): each worker cleans an index of the table.
# Several indexes, with and without leading columns; little memory, so that each is cleaned
# several times; a worker that is killed; a damaged index.

use Time::HiRes;
use SimhashTest;

plan skip_all => 'autovacuum has parallel workers from PostgreSQL 19 on' if major_version() < 19;

# the extension must see the damage, not PostgreSQL's checksums
my $node = start_node('autovacuum', { no_checksums() }, q{
autovacuum_naptime = 1
autovacuum_max_parallel_workers = 4
autovacuum_work_mem = 300kB
autovacuum_vacuum_cost_delay = 0
maintenance_work_mem = 64kB
log_autovacuum_min_duration = 0
min_parallel_index_scan_size = 0
restart_after_crash = on
});
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# the indexes, and the tree of NULL of each
my %null_tree = (simple => 4, of_tenant => 4, balls => 4, wide => 8, wide_of_tenant => 8);
$node->safe_psql('postgres', q{
	CREATE TABLE docs (id int, tenant int, fp simhash, pdq bit(128), padding text DEFAULT repeat('x', 300))
	WITH (autovacuum_enabled = off, autovacuum_parallel_workers = 4, autovacuum_vacuum_threshold = 1,
		autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1);
	CREATE FUNCTION add(first int, last int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO docs SELECT i, i % 7,
			CASE WHEN i % 50 > 0 THEN (('x' || substr(md5((i / 3)::text), 1, 16))::bit(64)::bigint # (i % 3))::simhash END,
			CASE WHEN i % 70 > 0 THEN ('x' || md5((i / 3)::text))::bit(128) # (i % 3)::bit(128) END
		FROM generate_series(first, last) i $$;
	SELECT add(1, 6000);
	CREATE INDEX simple ON docs USING bitblock (fp);
	CREATE INDEX of_tenant ON docs USING bitblock (tenant, fp);
	CREATE INDEX wide ON docs USING bitblock (pdq);
	CREATE INDEX wide_of_tenant ON docs USING bitblock ((tenant % 3), tenant, pdq);
	CREATE INDEX balls ON docs USING bitblock (simhash_ball(fp, 3));
	CREATE INDEX ids ON docs (id);
});

# Autovacuum cleans the table.  Returns what the log says of it from then on.
sub autovacuum
{
	my ($name) = @_;
	my $count = q{SELECT autovacuum_count FROM pg_stat_all_tables WHERE relname = 'docs'};
	my $before = $node->safe_psql('postgres', $count);
	my $log = -s $node->logfile;

	$node->safe_psql('postgres', 'ALTER TABLE docs SET (autovacuum_enabled = on)');
	$node->poll_query_until('postgres', "SELECT ($count) > $before") or die "$name: no autovacuum";
	$node->safe_psql('postgres', 'ALTER TABLE docs SET (autovacuum_enabled = off)');
	return slurp_file($node->logfile, $log);
}

# Every index is intact and has the table's rows and no others, and queries find what a sequential scan finds.
sub verify
{
	my ($name) = @_;
	my @wrong;

	my $rows = $node->safe_psql('postgres', 'SELECT count(*) FROM docs');
	for my $index (sort keys %null_tree)
	{
		my (undef, $entries, $error) = $node->psql('postgres', qq{
			SELECT sum(entries) FROM bitblock_stats('$index') WHERE tree IN (0, $null_tree{$index}) HAVING bitblock_check('$index', true) IS NOT NULL});
		push @wrong, "$index: $entries entries of $rows rows $error" if $entries ne $rows;
	}
	my $answers = q{SELECT md5(string_agg(t.*::text, ' ' ORDER BY a, b)) FROM (
			SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON a.fp <-> b.fp <= 3 WHERE a.id % 40 = 1
			UNION ALL SELECT a.id, -b.id FROM docs a JOIN docs b ON a.tenant = b.tenant AND a.fp <-> b.fp <= 3 WHERE a.id % 40 = 2
			UNION ALL SELECT -a.id, b.id FROM docs a JOIN docs b ON a.pdq % b.pdq WHERE a.id % 40 = 3
			UNION ALL SELECT -a.id, -b.id FROM docs a JOIN docs b ON b.tenant % 3 = a.tenant % 3 AND a.tenant = b.tenant AND a.pdq % b.pdq WHERE a.id % 40 = 4) t};
	my $by_index = $node->safe_psql('postgres', "SET enable_seqscan = off; $answers");
	my $by_table = $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; $answers");
	push @wrong, 'queries' if $by_index ne $by_table;
	is("@wrong", '', "$name: indexes");
	return;
}

verify('built');
$node->safe_psql('postgres', 'DELETE FROM docs WHERE id % 3 > 0 OR id % 7 = 1');
my $log = autovacuum('delete');
like($log, qr/automatic vacuum of table "postgres.public.docs": index scans: ([2-9]|\d\d)/, 'little memory: each index is cleaned several times');
like($log, qr/parallel workers: index vacuum: \d+ planned, [1-9]\d* launched/, 'workers help');
verify('delete');

# One of the workers is killed, in a vacuum that takes its time
$node->safe_psql('postgres', q{
	SELECT add(6001, 12000);
	DELETE FROM docs WHERE id % 2 = 0;
	ALTER TABLE docs SET (autovacuum_vacuum_cost_delay = 10, autovacuum_vacuum_cost_limit = 1000, autovacuum_enabled = on)});
$log = -s $node->logfile;
# a worker may end by itself before the signal
for (1 .. 2000)
{
	my (undef, $worker) = $node->psql('postgres', q{SELECT max(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
	kill 'KILL', $worker if $worker;
	last if slurp_file($node->logfile, $log) =~ /parallel worker.* was terminated by signal 9/;
	Time::HiRes::sleep(0.02);
}
ok($node->wait_for_log(qr/all server processes terminated; reinitializing/, $log), 'a worker is killed');
wait_until_up($node);
$node->safe_psql('postgres', 'ALTER TABLE docs RESET (autovacuum_vacuum_cost_delay, autovacuum_vacuum_cost_limit)');
$node->safe_psql('postgres', 'ALTER TABLE docs SET (autovacuum_enabled = off)');
$node->safe_psql('postgres', 'DELETE FROM docs WHERE id % 5 = 0');
$log = autovacuum('crash');
like($log, qr/parallel workers: index vacuum: \d+ planned, [1-9]\d* launched/, 'workers help after the crash');
verify('crash');

# Damage of one index stops the vacuum with an error that names the index
my $file = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('wide_of_tenant')});
$node->safe_psql('postgres', 'DELETE FROM docs WHERE id % 11 = 0');
$node->stop;
{
	open my $pages, '+<:raw', $file or die;
	for (my $block = 1; 8192 * $block < -s $file; $block++)
	{
		seek $pages, 8192 * $block + 8192 - 48, 0;
		print $pages "\xff" x 48;
	}
	close $pages;
}
$node->start;
$log = -s $node->logfile;
$node->safe_psql('postgres', 'ALTER TABLE docs SET (autovacuum_enabled = on)');
$node->wait_for_log(qr/ERROR: .*"wide_of_tenant"/, $log);
$node->safe_psql('postgres', 'ALTER TABLE docs SET (autovacuum_enabled = off)');
pass('damage is an error');
$node->safe_psql('postgres', q{REINDEX INDEX wide_of_tenant; DELETE FROM docs WHERE id % 13 = 0});
autovacuum('damage');
verify('damage');

$node->stop;
done_testing();
