# A search asks for the pages that it will read.  bench/disk.c counts the pages that were
# asked for before they were read.  Answers do not depend on the asking.

use FindBin;
use SimhashTest;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $model = "$dir/model";
my $log = "$dir/log";
my $disk = "$dir/disk.so";

system("cc -O2 -shared -fPIC -o $disk $FindBin::RealBin/../../bench/disk.c -ldl -lpthread >/dev/null 2>&1") == 0
  or plan skip_all => 'the model of a disk does not compile';

# Set the latency of a page, in microseconds.
sub set_latency
{
	my ($us) = @_;
	unlink $model;
	append_to_file($model, "$us 64 $log\n");
	return;
}

set_latency(0);
chmod 0777, $dir;

# Start a server that has the model of a disk
sub with_disk
{
	my ($start) = @_;
	local $ENV{LD_PRELOAD} = $disk;
	local $ENV{DISK_MODEL} = $model;
	return $start->();
}

my $node = with_disk(sub {
	start_node('node', { allows_streaming => 1 }, 'autovacuum = off', 'shared_buffers = 1MB', 'temp_buffers = 800kB', 'work_mem = 4MB',
		'max_parallel_workers_per_gather = 0', 'effective_io_concurrency = 32', 'maintenance_io_concurrency = 32',
		major_version() >= 18 ? 'io_method = sync' : ()) });

# Unlike data: random fingerprints, families of neighbours, one value many times, and NULL
my $tables = q{
	CREATE FUNCTION bits(i int) RETURNS bit LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || md5(i::text) || md5(i || '+'))::bit(256) $$;
	CREATE FUNCTION bits_near(i int) RETURNS bit LANGUAGE sql IMMUTABLE AS
	$$ SELECT set_bit(set_bit(bits(i % 40), i % 256, i % 2), i / 7 % 256, i / 3 % 2)::bit(256) $$;
	CREATE TABLE narrow (id int, fp simhash) WITH (autovacuum_enabled = off);
	CREATE TABLE wide (id int, fp bit(256)) WITH (autovacuum_enabled = off);
	INSERT INTO wide SELECT i, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 31 = 0 THEN bits(1)
		WHEN i % 5 = 0 THEN bits_near(i) ELSE bits(i) END FROM generate_series(1, 20000 / divisor) i;
	INSERT INTO narrow SELECT i, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 31 = 0 THEN bits(1)::bit(64)
		WHEN i % 5 = 0 THEN bits_near(i)::bit(64) ELSE bits(i)::bit(64) END::simhash FROM generate_series(1, 60000 / divisor) i;
	CREATE INDEX narrow_fp ON narrow USING bitblock (fp);
	CREATE INDEX wide_fp ON wide USING bitblock (fp);
};
$node->safe_psql('postgres', 'CREATE EXTENSION simhash;' . $tables =~ s/divisor/1/gr . q{
	-- one value of a block is on many leaves
	CREATE TABLE dense AS SELECT i AS id, (bits(i)::bit(64) & x'0003000300030003')::simhash AS fp FROM generate_series(1, 150000) i;
	CREATE INDEX dense_fp ON dense USING bitblock (fp);
	ANALYZE dense;
	VACUUM ANALYZE narrow, wide;
});

my $query64 = 'bits(7)::bit(64)::simhash';
my $by_index = 'SET enable_seqscan = off; SET enable_sort = off;';

# The pages that a command read, and the share that it had asked for.  The model counts the
# session's reads of catalogs, too.
sub asked_share
{
	my ($sql, $settings) = @_;
	my $lines = -e $log ? () = slurp_file($log) =~ /\n/g : 0;
	my $explain = $sql =~ /VACUUM/ ? '' : 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF)';
	set_latency(1);
	my $plan = $node->safe_psql('postgres', "$settings; SET client_min_messages = error; $explain $sql");
	set_latency(0);
	my @lines;
	for (1 .. 1000)
	{
		@lines = -e $log ? split /\n/, slurp_file($log) : ();
		last if @lines > $lines;
		select undef, undef, undef, 0.01;
	}
	my ($read, $asked) = $lines[-1] =~ /(\d+) (\d+)/;
	$read = $plan =~ / read=(\d+)/ ? $1 : 0 if $explain;
	return ($read, $read ? $asked / $read : 0);
}

# Each way of reading
my @ways = (
	[ 'within 8 of 64 bits', "SELECT count(*) FROM narrow WHERE fp <-> $query64 <= 8", 40 ],
	[ 'nearest of 64 bits', "SELECT id FROM narrow ORDER BY fp <-> $query64 LIMIT 500", 60 ],
	[ 'dense scan of 64 bits', "SELECT count(*) FROM narrow WHERE fp <-> $query64 <= 30", 60 ],
	[ 'within 31 of 256 bits', "SELECT count(*) FROM wide WHERE fp <-> bits(7) <= 31", 60 ],
	[ 'nearest of 256 bits', "SELECT id FROM wide ORDER BY fp <-> bits(7) LIMIT 500", 60 ],
	[ 'all entries', "SELECT count(*) FROM narrow WHERE fp IS NOT NULL", 60 ],
	[ 'a value on many leaves', "SELECT sum(id) FROM dense WHERE fp <-> (bits(7)::bit(64) & x'0003000300030003')::simhash <= 0", 60 ],
	[ 'insertions', 'INSERT INTO wide SELECT -i, bits(-i) FROM generate_series(1, 20) i', 60 ],
	[ 'bitblock_check', "SELECT bitblock_check('wide_fp')", 60 ],
	[ 'bitblock_stats', "SELECT sum(entries) FROM bitblock_stats('narrow_fp')", 60 ],
);

for my $way (@ways)
{
	my ($name, $sql, $least) = @$way;
	my ($read, $share) = asked_share($sql, "$by_index SET maintenance_io_concurrency = 32");
	cmp_ok($share, '>=', 0.8, "$name: most pages were asked for") or diag "$read pages, $share";
	($read, $share) = asked_share($sql =~ s/-i/-1000 - i/gr, "$by_index SET effective_io_concurrency = 0; SET maintenance_io_concurrency = 0");
	is($share, 0, "$name: 0 switches the asking off");
	cmp_ok($read, '>=', $least, "$name: pages were read");
}

# VACUUM
$node->safe_psql('postgres', 'DELETE FROM wide WHERE id % 20 = 0; DELETE FROM narrow WHERE id % 20 = 0');
my (undef, $share) = asked_share('VACUUM (INDEX_CLEANUP on, TRUNCATE off) wide', "$by_index SET maintenance_io_concurrency = 32");
cmp_ok($share, '>=', 0.7, 'VACUUM: most pages were asked for');
(undef, $share) = asked_share('VACUUM (INDEX_CLEANUP on, TRUNCATE off) narrow', 'SET maintenance_io_concurrency = 0; SET effective_io_concurrency = 0');
is($share, 0, 'VACUUM: 0 switches the asking off');

# Answers are those of a sequential scan, also in the order of distance.
sub compare
{
	my ($db, $settings, $name, $tables) = @_;
	my $differences = $node->safe_psql($db, qq{
		$settings
		SET client_min_messages = error;
		CREATE FUNCTION pg_temp.differences() RETURNS SETOF text LANGUAGE plpgsql AS \$\$
		DECLARE t text; k int; q text; expected text; answer text; kind text;
		BEGIN
			FOR t, q IN SELECT t1, CASE t1 WHEN '$tables->[0]' THEN quote_literal(bits(i)::bit(64)::simhash::text) || '::simhash' ELSE quote_literal(bits(i)::text) || '::bit(256)' END
				FROM unnest(ARRAY['$tables->[0]', '$tables->[1]']) t1, unnest(ARRAY[1, 5, 12, 100000]) i LOOP
				FOREACH k IN ARRAY ARRAY[0, 3, 8, 20, 31, 60, 100] LOOP
					SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
					EXECUTE format('SELECT count(*) || md5(string_agg(id::text, '','' ORDER BY id)) FROM %s WHERE fp <-> %s <= %s', t, q, k) INTO expected;
					SET enable_seqscan = off;
					FOREACH kind IN ARRAY ARRAY['indexscan', 'bitmapscan'] LOOP
						PERFORM set_config('enable_indexscan', (kind = 'indexscan')::text, true), set_config('enable_bitmapscan', (kind = 'bitmapscan')::text, true);
						EXECUTE format('SELECT count(*) || md5(string_agg(id::text, '','' ORDER BY id)) FROM %s WHERE fp <-> %s <= %s', t, q, k) INTO answer;
						IF answer IS DISTINCT FROM expected THEN
							RETURN NEXT format('%s %s within %s of %s', kind, t, k, q);
						END IF;
					END LOOP;
				END LOOP;
				SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
				EXECUTE format('SELECT string_agg(d::text, '','') FROM (SELECT fp <-> %s AS d FROM %s ORDER BY 1 LIMIT 3000) s', q, t) INTO expected;
				SET enable_seqscan = off; SET enable_indexscan = on;
				EXECUTE format('SELECT string_agg(d::text, '','') FROM (SELECT fp <-> %s AS d FROM %s ORDER BY fp <-> %s LIMIT 3000) s', q, t, q) INTO answer;
				IF answer IS DISTINCT FROM expected THEN
					RETURN NEXT format('nearest %s to %s', t, q);
				END IF;
			END LOOP;
		END \$\$;
		SELECT pg_temp.differences();
	});
	is($differences, '', $name);
	return;
}

compare('postgres', "SET effective_io_concurrency = $_;", "answers, effective_io_concurrency $_", [ 'narrow', 'wide' ]) for 0, 1, 32, 1000;
# Pages of 8 entries make deep trees
$node->safe_psql('postgres', 'CREATE DATABASE small');
$node->safe_psql('small', 'CREATE EXTENSION simhash');
use_small_pages($node, 'small');
$node->safe_psql('small', $tables =~ s/divisor/10/gr . 'VACUUM ANALYZE narrow, wide');
compare('small', "SET effective_io_concurrency = $_;", "small pages, effective_io_concurrency $_", [ 'narrow', 'wide' ]) for 2, 100;
compare('postgres', q{
	CREATE TEMP TABLE narrow_temp AS SELECT * FROM narrow WHERE id <= 40000;
	CREATE TEMP TABLE wide_temp AS SELECT * FROM wide WHERE id <= 10000;
	CREATE INDEX ON narrow_temp USING bitblock (fp);
	CREATE INDEX ON wide_temp USING bitblock (fp);
	ANALYZE narrow_temp; ANALYZE wide_temp;}, 'temporary tables', [ 'narrow_temp', 'wide_temp' ]);

# A scan that waits for its client holds no pin, so VACUUM ends.  The scan misses no row although
# leaves split meanwhile.
my $expected = $node->safe_psql('postgres', "SELECT count(*) FROM wide WHERE fp <-> bits(12) <= 100");
my $session = start_session($node);
$session->{in} .= "$by_index SET enable_bitmapscan = off; SET cursor_tuple_fraction = 0; BEGIN ISOLATION LEVEL REPEATABLE READ;
	DECLARE c CURSOR FOR SELECT 'row', id FROM wide WHERE fp <-> bits(12) <= 100; FETCH 1 FROM c;\n\\echo fetched\n";
wait_for($session, 'out', qr/fetched/);
$node->safe_psql('postgres', q{
	SET statement_timeout = '120s';
	INSERT INTO wide SELECT 100000 + i, bits_near(i) FROM generate_series(1, 5000) i;
	VACUUM (INDEX_CLEANUP on) wide;
});
pass('VACUUM does not wait for a scan that has asked for pages');
$session->{in} .= "FETCH ALL FROM c; COMMIT;\n";
end_session($session);
is(scalar(() = $session->{out} =~ /row/g), $expected, 'pages that split between the list and the reading');

# Cancel in the middle
set_latency(20000);
for my $sql ("SELECT count(*) FROM narrow WHERE fp <-> $query64 <= 8", 'SELECT count(*) FROM wide WHERE fp <-> bits(5) <= 60',
	"SELECT id FROM wide ORDER BY fp <-> bits(5) LIMIT 10", "SELECT bitblock_check('wide_fp')")
{
	my ($ret, $stdout, $stderr) = $node->psql('postgres', "$by_index SET effective_io_concurrency = 4; SET maintenance_io_concurrency = 4; SET statement_timeout = 100; $sql");
	like($stderr, qr/canceling statement/, "cancelled: $sql");
}
set_latency(0);
$node->safe_psql('postgres', "SET statement_timeout = '120s'; DELETE FROM wide WHERE id % 7 = 0; VACUUM wide; VACUUM narrow");
$node->safe_psql('postgres', "SELECT bitblock_check('narrow_fp', true), bitblock_check('wide_fp', true)");
pass('no pin is left');

# An error in a read: every 16th page of two indexes is damaged.  The session goes on.
$node->safe_psql('postgres', q{
	CREATE TABLE narrow_damaged AS SELECT * FROM narrow;
	CREATE TABLE wide_damaged AS SELECT * FROM wide;
	CREATE INDEX narrow_damaged_fp ON narrow_damaged USING bitblock (fp);
	CREATE INDEX wide_damaged_fp ON wide_damaged USING bitblock (fp);
	DELETE FROM narrow_damaged WHERE id % 3 = 0;
	DELETE FROM wide_damaged WHERE id % 3 = 0;
	VACUUM (INDEX_CLEANUP off, ANALYZE) narrow_damaged, wide_damaged;
});
my @files = map { $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('${_}_damaged_fp')") } ('narrow', 'wide');
$node->stop;
for my $file (@files)
{
	open my $handle, '+<:raw', $file or die "$file: $!";
	for (my $block = 47; $block * 8192 < -s $file; $block += 16)
	{
		seek $handle, $block * 8192, 0;
		print $handle "\xff" x 100;
	}
	close $handle;
}
with_disk(sub { $node->start });
my $good = "SELECT 'good ' || count(*) FROM narrow WHERE fp <-> $query64 <= 8";
my ($undamaged) = $node->safe_psql('postgres', "$by_index $good");
for my $depth (0, 32)
{
	for my $sql ("SELECT count(*) FROM narrow_damaged WHERE fp <-> $query64 <= 12", "SELECT id FROM narrow_damaged ORDER BY fp <-> $query64 LIMIT 500",
		'SELECT count(*) FROM wide_damaged WHERE fp <-> bits(7) <= 48', 'SELECT count(*) FROM wide_damaged WHERE fp IS NOT NULL',
		'INSERT INTO wide_damaged SELECT -i, bits(-i) FROM generate_series(1, 200) i',
		'VACUUM (INDEX_CLEANUP on) wide_damaged', "SELECT bitblock_check('narrow_damaged_fp', true)")
	{
		my ($ret, $stdout, $stderr) = $node->psql('postgres', "$by_index SET enable_bitmapscan = off; SET effective_io_concurrency = $depth; SET maintenance_io_concurrency = $depth;\n$sql;\n$good", on_error_stop => 0);
		like($stderr, qr/invalid page in block/, "an error in a read, $depth pages ahead: $sql");
		like($stdout, qr/^\Q$undamaged\E$/m, 'the session goes on');
	}
}

# DROP and REINDEX after pages were asked for that are not read
for my $table ('narrow_damaged', 'wide_damaged')
{
	$node->safe_psql('postgres', "REINDEX TABLE $table");
	my $fp = $table =~ /narrow/ ? $query64 : 'bits(7)';
	my $stdout = $node->safe_psql('postgres', qq{
		$by_index SET enable_bitmapscan = off; SET cursor_tuple_fraction = 0;
		CREATE TEMP TABLE expected AS SELECT id FROM $table WHERE fp <-> $fp <= 100;
		BEGIN; DECLARE c CURSOR FOR SELECT id FROM $table WHERE fp <-> $fp <= 100; MOVE 1 FROM c; CLOSE c; REINDEX TABLE $table; COMMIT;
		SELECT (SELECT count(*) FROM expected) - count(*) FROM $table WHERE fp <-> $fp <= 100;
		BEGIN; DECLARE c CURSOR FOR SELECT id FROM $table WHERE fp <-> $fp <= 100; MOVE 1 FROM c; CLOSE c; DROP TABLE $table; COMMIT;
		$good;
	});
	is($stdout, "0\n$undamaged", "DROP of $table after pages were asked for");
}

# A standby
my $standby = with_disk(sub { start_standby($node) });
$node->safe_psql('postgres', 'INSERT INTO narrow SELECT -i, bits_near(i)::bit(64)::simhash FROM generate_series(1, 5000) i');
$node->wait_for_catchup($standby);
my $sum = 'SELECT count(*), sum(id) FROM narrow WHERE fp <-> bits(5)::bit(64)::simhash <= 8';
is($standby->safe_psql('postgres', "$by_index $sum"), $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; $sum"), 'a standby');
$standby->stop;

unlike(slurp_file($node->logfile), qr/refcount leak|pinned|TRAP|PANIC/, 'no word of leaks in the log');
$node->stop;
done_testing();
