# Again and again SIGKILL ends the server or one of its processes, while sessions write
# rows, split and merge pages, and build, rebuild and drop indexes.  After each recovery
# the indexes are sound and answer like a sequential scan, and no committed row is lost.
# index_page_lsn.pl finds each change that the WAL lacks, whatever the moment of a crash.

use Time::HiRes;
use SimhashTest;

seed_random();
my $node = start_node('crash', 'autovacuum = off', 'restart_after_crash = on', 'max_wal_size = 512MB',
	'checkpoint_timeout = 30s', 'log_checkpoints = off', 'log_statement = none');
create_model($node, 'postgres', 1500);

my $write = pgbench_script('write', 'SELECT op(3000);');
my @maintain = map { pgbench_script("maintain$_->[0]", $_->[1]) . "\@$_->[2]" } (
	[ 1, 'VACUUM (INDEX_CLEANUP ON) b;', 10 ],
	[ 2, 'VACUUM (INDEX_CLEANUP ON) g;', 3 ],
	[ 3, "DROP INDEX IF EXISTS b_extra;\nCREATE INDEX b_extra ON b USING bitblock (fp) WITH (fillfactor = 50) WHERE id % 2 = 0;", 2 ],
	[ 4, "DROP INDEX CONCURRENTLY IF EXISTS b_other;\nCREATE INDEX CONCURRENTLY b_other ON b USING bitblock (fp);", 2 ],
	[ 5, 'REINDEX INDEX CONCURRENTLY b_fp;', 2 ],
	[ 6, 'REINDEX INDEX b_fp;', 1 ],
	[ 7, 'VACUUM FULL b;', 1 ],
	[ 8, 'CHECKPOINT;', 2 ],
	[ 9, 'VACUUM (INDEX_CLEANUP ON) w;', 10 ],
	[ 10, "DROP INDEX IF EXISTS w_extra;\nCREATE INDEX w_extra ON w USING bitblock (tenant, n, fp) WITH (fillfactor = 50) WHERE id % 2 = 0;", 2 ],
	[ 11, 'REINDEX INDEX CONCURRENTLY w_tenant;', 2 ]);

# Commits rows one by one, and writes the number of each row after its commit.
my $keep = pgbench_script('keep', "SELECT keep();\n" x 20000);
my $kept_file = PostgreSQL::Test::Utils::tempdir() . '/kept';

sub start_keeper
{
	my $handle = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, 'postgres' ],
		'<', $keep, '>', $kept_file, '2>', '/dev/null');
	return { handle => $handle };
}

my $n = rounds(10);
my %total = (kept => 0, compared => 0, one => 0);
for my $round (1 .. $n)
{
	my $one = rand() < 0.3;

	# every round has other settings
	if (!$one)
	{
		# Replay checks the WAL, except where it lacks full pages: replay makes zero
		# pages of a file that is gone, and PostgreSQL's check then fails.  A record of
		# heap2 that marks a page all-visible never contains the table's page.
		my $checked = rand() < 0.75;
		my %setting = (
			shared_buffers => [ '1MB', '4MB', '64MB' ],
			full_page_writes => [ $checked ? 'on' : 'off' ],
			wal_consistency_checking => [ $checked ? checked_wal() =~ s/heap2, //r : "''" ],
			'simhash.cache_memory' => [ 0, '20kB', '16MB' ],
			wal_buffers => [ '32kB', '1MB' ],
			maintenance_work_mem => [ '1MB', '64MB' ],
			bgwriter_delay => [ '10ms', '200ms' ]);
		$node->append_conf('postgresql.conf',
			join '', map { "$_ = $setting{$_}[rand @{ $setting{$_} }]\n" } sort keys %setting);
	}

	my $writers = start_bench($node, 'postgres', 4, 60, $write);
	my $maintenance = start_bench($node, 'postgres', 1, 60, @maintain);
	my $keeper = start_keeper();
	# a slow machine needs time for the first rows
	$node->poll_query_until('postgres', 'SELECT count(*) > 20 FROM model WHERE id < 0') or die 'no rows';
	Time::HiRes::sleep(0.15 + rand(0.9));

	$one ? crash_process($node) : crash_server($node);
	$total{one} += $one;
	$_->{handle}->finish for $keeper, $writers, $maintenance;
	$one ? wait_until_up($node) : $node->start;

	# drop the invalid index that an unfinished build leaves behind
	$node->safe_psql('postgres', q{DO $$
		DECLARE i regclass;
		BEGIN
			FOR i IN SELECT indexrelid FROM pg_index WHERE NOT indisvalid LOOP
				EXECUTE 'DROP INDEX ' || i;
			END LOOP;
		END $$});
	$total{compared} += verify_all($node, 'postgres', 2,
		"round $round: sound after " . ($one ? 'the end of one process' : 'a crash'));

	my @kept = slurp_file($kept_file) =~ /^(-\d+)\n/mg;
	my $ids = join ',', @kept;
	is($node->safe_psql('postgres', "SELECT count(*) FROM model WHERE id = ANY ('{$ids}')"),
		scalar @kept, "round $round: every committed row is there");
	$total{kept} += @kept;
	$node->safe_psql('postgres', 'DELETE FROM b WHERE id < 0; DELETE FROM g WHERE id < 0; DELETE FROM w WHERE id < 0; DELETE FROM model WHERE id < 0');
}
cmp_ok($total{kept}, '>', 10 * $n, 'rows were committed');
my $rows = $node->safe_psql('postgres', 'SELECT last_value FROM ids');
figures "$n crashes, $total{one} of them of one process; about $rows rows inserted; $total{compared} answers compared; $total{kept} rows known to be committed, none lost"
  if Test::More->builder->is_passing;

log_is_calm($node, 'crashes');
$node->stop;
done_testing();
