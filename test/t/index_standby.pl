# A streaming standby answers queries while the primary writes, vacuums and rebuilds
# indexes, and while the standby itself is killed now and then.  Further tests:
# conflicts of its queries with VACUUM, recovery to a point in time, promotion.

use Time::HiRes;
use SimhashTest;

seed_random();

my $primary = start_node('primary', { allows_streaming => 1, has_archiving => 1 }, 'autovacuum = off', 'log_statement = none',
	'log_checkpoints = off', 'wal_keep_size = 4GB', 'max_wal_size = 2GB', 'wal_consistency_checking = ' . checked_wal());
create_model($primary, 'postgres', 1500);
$primary->backup('base');
my $standby = start_standby($primary, 'max_standby_streaming_delay = -1');

my $write = pgbench_script('write', 'SELECT op(3000);');
my @maintain = map { pgbench_script("maintain$_->[0]", $_->[1]) . "\@$_->[2]" } (
	[ 1, 'VACUUM (INDEX_CLEANUP ON) b;', 10 ],
	[ 2, 'VACUUM (INDEX_CLEANUP ON) g;', 3 ],
	[ 3, 'VACUUM (INDEX_CLEANUP ON) w;', 10 ]);

# An index that is built concurrently lacks rows that were deleted before.  The build
# waits for snapshots on the primary that still see these rows, but not for snapshots on
# a standby. A query there may miss the rows, with any index method.  So rebuild while
# no query runs there.
my $rebuild = pgbench_script('rebuild', 'REINDEX INDEX CONCURRENTLY b_fp;') . '@1';

my $compare = pgbench_script('compare', q{
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT must_agree(1);
COMMIT;
});

my $answers = 0;
my $crashes = 0;
for my $round (1 .. rounds(4))
{
	my $seconds = 2;
	my @writing = (start_bench($primary, 'postgres', 3, $seconds, $write),
		start_bench($primary, 'postgres', 1, $seconds, @maintain, $round % 2 ? () : $rebuild));
	if ($round % 2)
	{
		my $done = end_bench(start_bench($standby, 'postgres', 2, $seconds, $compare));
		cmp_ok($done, '>', 0, "round $round: answers on the standby are those of its snapshot");
		$answers += $done;
	}
	else
	{
		Time::HiRes::sleep(0.3 + rand 1);
		crash_server($standby);
		$standby->start;
		$crashes++;
	}
	cmp_ok(end_bench($_), '>', 0, "round $round: the primary was at work") for @writing;
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
	verify_all($standby, 'postgres', 2, "round $round: the standby is sound");
}
verify_all($primary, 'postgres', 2, 'and so is the primary');
my $rows = $primary->safe_psql('postgres', 'SELECT last_value FROM ids');
figures "$answers rounds of answers compared on the standby while the primary inserted about $rows rows; $crashes crashes of the standby";

# Replay merges leaves and uses their pages again, while a cursor on the standby is
# about to read them.  Replay does not have to wait: the cursor does not see the rows
# that VACUUM removes, and VACUUM leaves the table's first page alone, which the cursor
# has pinned.
$primary->safe_psql('postgres', q{
	CREATE TABLE merged (id int, fp simhash);
	CREATE INDEX merged_fp ON merged USING bitblock (fp);
	INSERT INTO merged SELECT i, i::bigint::simhash FROM generate_series(1, 10) i;
	INSERT INTO merged SELECT -i, (-i)::bigint::simhash FROM generate_series(1, 300) i;
	INSERT INTO merged SELECT i, i::bigint::simhash FROM generate_series(11, 3000) i;
	DELETE FROM merged WHERE id > 10 AND id % 50 > 0});
my $leaves = q{SELECT leaf_pages FROM bitblock_stats('merged_fp') WHERE tree = 0};
my $before = $primary->safe_psql('postgres', $leaves);
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
my $cursor = start_session($standby);
$cursor->{in} = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET enable_seqscan = off; SET enable_bitmapscan = off;
	DECLARE c CURSOR FOR SELECT id FROM merged WHERE fp <-> '0000000000000000' <= 64; FETCH 9 FROM c; SELECT 'open';\n";
wait_for($cursor, 'out', qr/open/);
$primary->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) merged');
cmp_ok($primary->safe_psql('postgres', $leaves), '<', $before / 2, 'leaves are merged');
$primary->safe_psql('postgres', 'INSERT INTO merged SELECT 5000 + i, random_bits()::simhash FROM generate_series(1, 3000) i');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
$cursor->{in} = "FETCH ALL FROM c; SELECT 'model'; SET enable_seqscan = on; SELECT id FROM merged; COMMIT;\n";
end_session($cursor);
my ($found, $expected_rows) = map { join ' ', sort /-?\d+/g } split /model/, $cursor->{out};
is($found, $expected_rows, 'and a cursor on the standby that was about to go there finds each row once');

# PostgreSQL cancels a query on the standby if VACUUM removes rows that the query sees,
# as with PostgreSQL's own indexes.  The query never sees other rows instead.
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = 100ms');
$standby->reload;
for ([ 'bitblock', 'b', "simhash '0000000000000000'" ], [ 'gist', 'g', "simhash '0000000000000000'" ], [ 'bitblock, wide', 'w', "widen('0000000000000000')" ])
{
	my ($method, $t, $query) = @$_;
	my $reader = start_session($standby);

	$reader->{in} = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET enable_seqscan = off;
		DECLARE c CURSOR FOR SELECT id FROM $t WHERE fp <-> $query <= 2000;
		FETCH 1 FROM c; SELECT 'open';\n";
	wait_for($reader, 'out', qr/open/);
	$primary->safe_psql('postgres', "DELETE FROM $_ WHERE id % 2 = 0") for 'model', 'b', 'g', 'w';
	$primary->safe_psql('postgres', "VACUUM (INDEX_CLEANUP ON) $t");
	$primary->safe_psql('postgres', 'SELECT op(3000) FROM generate_series(1, 20)');
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
	$reader->{in} = "MOVE ALL FROM c; SELECT 'moved'; COMMIT;\n";
	eval { end_session($reader) };
	like($reader->{err}, qr/conflict with recovery|terminating connection due to conflict/, "$method: a conflict cancels the query");
	verify_all($standby, 'postgres', 1, "$method: and the next one answers as the model");
}

# Recovery to a point in time restores the rows of that time
my $then = q{SELECT md5(string_agg(id || coalesce(fp::text, 'null'), ',' ORDER BY id)) FROM %s};
my $expected = $primary->safe_psql('postgres', sprintf($then, 'model'));
$primary->safe_psql('postgres', q{SELECT pg_create_restore_point('then')});
$primary->safe_psql('postgres', 'SELECT op(3000) FROM generate_series(1, 50); VACUUM (INDEX_CLEANUP ON) b; SELECT pg_switch_wal()');
my $restored = start_restored('restored', $primary, "recovery_target_name = 'then'");
is($restored->safe_psql('postgres', sprintf($then, $_)), $expected, "recovery to a point in time: $_") for 'model', 'b', 'g';
is($restored->safe_psql('postgres', sprintf($then, 'w')), $restored->safe_psql('postgres', sprintf($then, 'model') =~ s/fp/wide/r),
	'recovery to a point in time: w');
verify_all($restored, 'postgres', 2, 'recovery to a point in time: sound');
cmp_ok(end_bench(start_bench($restored, 'postgres', 3, 1, $write)), '>', 0, 'and at work');
verify_all($restored, 'postgres', 2, 'and sound after that');

# Promotion while the primary works
my @writing = (start_bench($primary, 'postgres', 3, 30, $write),
	start_bench($primary, 'postgres', 1, 30, @maintain));
Time::HiRes::sleep(0.5 + rand 1);
crash_server($primary);
$_->{handle}->finish for @writing;
$standby->promote;
verify_all($standby, 'postgres', 3, 'promoted standby');
cmp_ok(end_bench(start_bench($standby, 'postgres', 3, 1, $write)), '>', 0, 'it is at work');
verify_all($standby, 'postgres', 3, 'and sound after that');

log_is_calm($_, $_->name) for $primary, $standby, $restored;
$_->stop for $standby, $restored;
done_testing();
