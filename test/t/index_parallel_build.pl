# An index that several processes build is the index that one process builds: the same
# bitblock_stats, and the answers of a sequential scan.  After a cancelled, failed or
# killed build nothing is left.

use Time::HiRes;
use SimhashTest;

seed_random();
my $node = start_node('node', 'autovacuum = off', 'max_worker_processes = 16', 'max_parallel_workers = 8',
	'max_parallel_workers_per_gather = 0', 'min_parallel_table_scan_size = 0', 'restart_after_crash = on',
	rand() < 0.5 ? ('wal_level = minimal', 'max_wal_senders = 0') : ());
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE FUNCTION bits(seed text, n int) RETURNS bit LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg(('x' || md5(seed || ' ' || i))::bit(128)::text, '')::bit(1024)::bit(1024) FROM generate_series(1, 8) i $$});
use_small_pages($node, 'postgres');

sub any { return $_[ int rand @_ ]; }

# The text of the seed of row i, or NULL
my %data = (
	random    => 'i::text',
	constant  => q{'same'},
	few       => q{(i % 3)::text},
	nulls     => 'CASE WHEN i % 3 > 0 THEN i::text END',
	only_null => 'NULL::text',
	skewed    => q{CASE WHEN i % 10 > 0 THEN 'most' ELSE i::text END});

# A table with updated and dead rows
sub create_table
{
	my ($data, $bits, $rows, $workers) = @_;
	my $fp = "bits($data{$data}, $bits)::bit($bits)";
	my $type = $bits == 64 ? 'simhash' : "bit($bits)";

	$fp = "($fp)::simhash" if $bits == 64;
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS t;
		CREATE TABLE t (id int, tenant int, fp $type) WITH (fillfactor = 80);
		ALTER TABLE t SET (parallel_workers = $workers);
		INSERT INTO t SELECT i, CASE WHEN i % 2 = 0 THEN 1 WHEN i % 7 > 0 THEN i % 50 END, $fp FROM generate_series(1, $rows) i;
		UPDATE t SET id = id WHERE id % 11 = 0;
		DELETE FROM t WHERE id % 13 = 0});
	return;
}

# Build index "name", and return the messages.
sub build
{
	my ($name, $columns, $workers, $memory, $command) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', qq{
		SET maintenance_work_mem = '$memory'; SET max_parallel_maintenance_workers = $workers; SET client_min_messages = debug1;
		} . ($command // "CREATE INDEX $name ON t USING bitblock ($columns)"));
	is($ret, 0, "$name is built") or diag $err;
	return $err;
}

sub workers_of { return $_[0] =~ /building with (\d+) parallel workers/ ? $1 : 0 }

# Compare index "parallel" with index "serial" and with the table.
sub is_same
{
	my ($name, $bits) = @_;
	my $stats = sub { return $node->safe_psql('postgres', "SELECT * FROM bitblock_stats('$_[0]')") };
	my $near = int($bits / 8);
	my @answers = map { $node->safe_psql('postgres', qq{
			UPDATE pg_index SET indisvalid = indexrelid = 'parallel'::regclass WHERE indrelid = 't'::regclass;
			SET enable_seqscan = $_; SET enable_indexscan = @{[ $_ eq 'on' ? 'off' : 'on' ]}; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
			SELECT q.id, (SELECT array_agg(t.id ORDER BY t.id) FROM t WHERE t.fp <-> q.fp <= $near)
				FROM (SELECT * FROM t ORDER BY id LIMIT 12) q ORDER BY 1;
			SELECT q.id, (SELECT array_agg(t.id ORDER BY t.id) FROM t WHERE t.tenant = 1 AND t.fp <-> q.fp <= $near)
				FROM (SELECT * FROM t ORDER BY id DESC LIMIT 3) q ORDER BY 1;
			SELECT count(*), sum(id) FROM t WHERE fp IS NULL;
			UPDATE pg_index SET indisvalid = true WHERE indrelid = 't'::regclass}) } 'on', 'off';

	is($stats->('parallel'), $stats->('serial'), "$name: same pages");
	is($answers[1], $answers[0], "$name: same answers");
	my ($ret, $out, $err) = $node->psql('postgres', "SELECT bitblock_check('parallel', true)");
	is($err, '', "$name: sound");
	return;
}

# The seed says which cases run; each row of data and each width runs at least once.
my @cases;
push @cases, [ $_, any(64, 128, 256, 1024), any(200, 3000) ] for sort keys %data;
push @cases, [ any('random', 'nulls', 'skewed'), $_, 3000 ] for 64, 128, 256, 1024;
push @cases, [ 'random', 64, $_ ], [ 'random', 256, $_ ] for 0, 1;
push @cases, [ any(sort keys %data), any(64, 128, 144, 256), int rand 6000 ] for 1 .. rounds(6);
my $took_part = 0;
for my $case (@cases)
{
	my ($data, $bits, $rows) = @$case;
	my $workers = 1 + int rand 4;
	create_table($data, $bits, $rows, $workers);
	for my $columns ('fp', 'tenant, fp')
	{
		my $memory = any('1MB', '1MB', '3MB', '1GB');
		my $name = "$data bit($bits), $rows rows, ($columns), $workers workers, $memory";
		is(workers_of(build('serial', $columns, 0, $memory)), 0, "$name: one process");
		my $said = build('parallel', $columns, 4, $memory);
		is(workers_of($said), $workers, "$name: $workers workers");
		$took_part++ if $said =~ /: [1-9] parallel workers took part/;
		is_same($name, $bits);
		build('parallel', $columns, 4, $memory, any('REINDEX INDEX parallel', 'REINDEX INDEX CONCURRENTLY parallel'));
		is_same("$name, REINDEX", $bits);
		$node->safe_psql('postgres', 'DROP INDEX serial, parallel');
	}
}
# On a busy machine the leader may end a small build before its workers start.
cmp_ok($took_part, '>', 0, 'workers took part in builds');

# More than the sorts have room for: with the first bits distributed evenly, or all equal, and with two frequent values
for my $case (map { [ $_->[0], $_->[1], 'fp' ], [ $_->[0], $_->[1], 'tenant, fp' ] }
	[ 'hashes', 'hashint8extended(CASE WHEN i % 4 = 0 THEN i % 1000 ELSE i END, 1)' ],
	[ 'equal bits in front', "CASE WHEN i % 4 = 0 THEN i % 1000 ELSE abs(hashint4(i)::bigint) END # (7::bigint << 60)" ],
	[ 'two frequent values', 'CASE WHEN i % 8 = 0 THEN hashint8extended(i, 1) ELSE i % 2 + (7::bigint << 60) END' ])
{
	my ($data, $fp, $columns) = @$case;
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS t;
		CREATE TABLE t (id int, tenant int, fp simhash) WITH (parallel_workers = 2);
		INSERT INTO t SELECT i, i % 100 % 99, ($fp)::simhash FROM generate_series(1, 30000) i});
	build('serial', $columns, 0, '1GB');
	build('parallel', $columns, 2, '1MB');
	is_same("30000 rows, $data, ($columns)", 64);
	$node->safe_psql('postgres', 'DROP INDEX serial, parallel');
}

# Without workers: temporary tables, functions that are not safe, no processes left
$node->safe_psql('postgres', q{
	CREATE FUNCTION unsafe(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
	CREATE TABLE varying (id int, fp bit varying) WITH (parallel_workers = 2);
	INSERT INTO varying SELECT i, CASE WHEN i > 500 THEN bits(i::text, 128)::bit(128) END FROM generate_series(1, 2000) i;
	CREATE UNLOGGED TABLE unlogged WITH (parallel_workers = 2) AS SELECT * FROM t LIMIT 5000;
	CREATE TABLE parts (id int, tenant int, fp simhash) PARTITION BY RANGE (id);
	CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (1000) WITH (parallel_workers = 2);
	INSERT INTO parts SELECT * FROM t WHERE id < 1000});
for ([ 'unsafe expression', 't', '(unsafe(id)::simhash)', 0 ], [ 'unsafe predicate', 't', 'fp) WHERE (unsafe(id) > 0', 0 ],
	[ 'safe expression', 't', '((id::bigint)::simhash)', 2 ], [ 'predicate', 't', 'fp) WHERE (id > 100', 2 ],
	[ 'bit varying', 'varying', 'fp) WITH (bits = 128', 2 ], [ 'unlogged', 'unlogged', 'fp', 2 ], [ 'partitions', 'parts', 'fp', 2 ])
{
	my ($name, $table, $columns, $workers) = @$_;
	my $said = build('made', $columns, 2, '1GB', "CREATE INDEX made ON $table USING bitblock ($columns)");
	is(workers_of($said), $workers, "$name: $workers workers");
	my ($ret, $out, $err) = $node->psql('postgres', q{SELECT bitblock_check(c.oid, true) FROM pg_class c WHERE relkind = 'i' AND (relname = 'made' OR relname LIKE 'part1%')});
	is($err, '', "$name: sound");
	$node->safe_psql('postgres', 'DROP INDEX made');
}
is(workers_of(build('made', '', 2, '1GB', 'CREATE TEMP TABLE temp AS SELECT * FROM t LIMIT 1000; CREATE INDEX made ON temp USING bitblock (fp)')),
	0, 'temporary table: no workers');
is(workers_of(build('made', '', 2, '1GB', 'SET max_parallel_workers = 0; CREATE INDEX made ON t USING bitblock (fp)')),
	0, 'no workers to be had: one process');
is($node->safe_psql('postgres', "SELECT bitblock_check('made', true); DROP INDEX made"), '', 'sound');

# The workers end before the leader takes part.
SKIP:
{
	skip 'needs SIMHASH_GENERIC_WAL', 2 unless $ENV{SIMHASH_GENERIC_WAL};
	# From PostgreSQL 18 on CREATE INDEX sets the number of a table's rows only if there is autovacuum.
	$node->append_conf('postgresql.conf', "autovacuum = on\nautovacuum_naptime = '1d'");
	$node->reload;
	$node->safe_psql('postgres', 'CREATE DATABASE late');
	$node->safe_psql('late', qq{
		CREATE EXTENSION simhash;
		UPDATE pg_proc SET probin = '$ENV{SIMHASH_GENERIC_WAL}' WHERE probin = '\$libdir/simhash'});
	$node->safe_psql('late', q{
		CREATE TABLE t (tenant int, fp simhash) WITH (parallel_workers = 2);
		INSERT INTO t SELECT i % 10, CASE WHEN i % 4 > 0 THEN hashint8extended(i, 1)::simhash END FROM generate_series(1, 4000) i});
	for my $columns ('fp', 'tenant, fp')
	{
		is($node->safe_psql('late', qq{
			SET max_parallel_maintenance_workers = 2;
			CREATE INDEX made ON t USING bitblock ($columns);
			SELECT relname, reltuples FROM pg_class WHERE relname IN ('made', 't') ORDER BY 1;
			SELECT bitblock_check('made', true);
			DROP INDEX made}), "made|4000\nt|4000\n", "($columns): number of rows that only workers have read");
	}
}

# What a failed build must not leave: indexes, files, workers
sub file_names { return grep { !/pg_internal/ } glob $node->data_dir . '/base/{*/*,pgsql_tmp/*}' }
$node->safe_psql('postgres', 'CHECKPOINT');
my %files_before = map { $_ => 1 } file_names();
sub is_clean
{
	my ($name) = @_;
	is($node->safe_psql('postgres', q{SELECT relname FROM pg_class WHERE relkind = 'i' AND relname = 'failed'}), '', "$name: no index");
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'}), "$name: no workers");
	$node->safe_psql('postgres', 'CHECKPOINT');
	# the catalogs may have got pages or forks
	my @left = grep { !$files_before{$_} && -s $_ && !m{_(fsm|vm)$} } file_names();
	is("@left", '', "$name: no files");
	return;
}

$node->safe_psql('postgres', q{
	CREATE FUNCTION fails(id int, fp simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
	$$ BEGIN IF id = 25000 THEN RAISE 'row of an error'; END IF; RETURN fp; END $$;
	CREATE FUNCTION fails_in_worker(id int, fp simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
	$$ BEGIN IF id % 1000 = 0 AND (SELECT backend_type = 'parallel worker' FROM pg_stat_activity WHERE pid = pg_backend_pid())
		THEN RAISE 'error in a worker'; END IF; RETURN fp; END $$;
	CREATE FUNCTION slow(id int, fp simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
	$$ BEGIN IF id % 100 = 0 THEN PERFORM pg_sleep(0.1); END IF; RETURN fp; END $$});
my $parallel = "SET maintenance_work_mem = '1MB'; SET max_parallel_maintenance_workers = 2;";
for ([ 'error of a row', '', '(fails(id, fp))', qr/row of an error/ ],
	[ 'error in a worker', '', '(fails_in_worker(id, fp))', qr/error in a worker/ ],
	[ 'out of room, scan', "SET temp_file_limit = '64kB';", 'fp', qr/temp_file_limit/ ],
	[ 'out of room, sort', "SET temp_file_limit = '300kB';", 'fp', qr/temp_file_limit/ ])
{
	my ($name, $settings, $columns, $error) = @$_;
	my ($ret, $out, $err) = $node->psql('postgres', "$parallel $settings CREATE INDEX failed ON t USING bitblock ($columns)");
	like($err, $error, $name);
	is_clean($name);
}
# Cancel at any time
my $start = Time::HiRes::time;
$node->safe_psql('postgres', "$parallel CREATE INDEX failed ON t USING bitblock (tenant, fp); DROP INDEX failed");
my $whole = Time::HiRes::time - $start;
my $cancelled = 0;
for my $round (1 .. rounds(20))
{
	my $ms = 1 + int(1000 * $whole * $round / 20);
	my ($ret, $out, $err) = $node->psql('postgres', "$parallel SET statement_timeout = $ms; CREATE INDEX failed ON t USING bitblock (" . any('fp', 'tenant, fp') . ')');
	# The machine may have been busier when the whole build was timed.
	if ($ret == 0)
	{
		$node->safe_psql('postgres', "SELECT bitblock_check('failed', true); DROP INDEX failed");
		$whole *= 0.7;
	}
	else { $cancelled++ }
}
cmp_ok($cancelled, '>', 3, 'builds are cancelled');
is_clean('cancelled');

# kill -9 of a worker and of the leader, in the middle of a build
for my $victim ('parallel worker', 'client backend')
{
	my $session = start_session($node, '-c', $parallel, '-c', 'CREATE INDEX failed ON t USING bitblock ((slow(id, fp)))');
	ok($node->poll_query_until('postgres', q{
		SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query LIKE 'CREATE INDEX failed%'}), 'two workers are at work');
	is($node->safe_psql('postgres', 'SELECT phase FROM pg_stat_progress_create_index'), 'building index: scanning table', 'progress');
	my $pid = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = '$victim' AND query LIKE 'CREATE INDEX failed%' LIMIT 1");
	kill 'KILL', $pid;
	end_session($session);
	wait_until_up($node);
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname = 'failed'}), 0, "kill -9 of a $victim: no index");
	is($node->safe_psql('postgres', "$parallel CREATE INDEX again ON t USING bitblock (fp); SELECT bitblock_check('again', true)"), '', 'the next build is sound');
	$node->safe_psql('postgres', 'DROP INDEX again');
}
# The WAL of a parallel build makes the index.
$node->safe_psql('postgres', "$parallel CREATE INDEX parallel ON t USING bitblock (fp); CREATE INDEX parallel_tenant ON t USING bitblock (tenant, fp)");
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', "SELECT bitblock_check('parallel', true), bitblock_check('parallel_tenant', true)"), '|', 'sound after a crash');

# A cancel while many rows with equal bits in front are read, sorted and written
SKIP:
{
	skip 'no /proc', 6 unless -r '/proc/self/stat';
	$node->safe_psql('postgres', q{
		CREATE UNLOGGED TABLE ring AS SELECT ((hashint8extended(i, 1) >> 16 & x'0000ffffffff'::bigint) << 16)::simhash AS fp FROM generate_series(1, 4000000) i});
	for my $seconds (0.1, 0.3, 0.5)
	{
		my $session = start_session($node);
		$session->{in} = q{
			SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 0;
			DO $$ BEGIN
				RAISE NOTICE 'process % begins', pg_backend_pid();
				LOOP -- one build may end before the cancel
					CREATE INDEX ring_fp ON ring USING bitblock (fp);
					DROP INDEX ring_fp;
				END LOOP;
			EXCEPTION WHEN query_canceled THEN RAISE NOTICE 'cancelled'; END $$;
		};
		my $pid = wait_for($session, 'err', qr/process (\d+) begins/);
		$node->poll_query_until('postgres', "SELECT phase = 'building index: writing trees' FROM pg_stat_progress_create_index WHERE pid = $pid")
		  or die 'no build writes trees';
		wait_for_work($pid, $seconds);
		my $cancelled = cancel_process($pid);
		wait_for($session, 'err', qr/cancelled/);
		my $late = processor_time($pid) - $cancelled;
		like($session->{err}, qr/NOTICE:  cancelled/, "cancelled $seconds s after a scan");
		cmp_ok($late, '<', 0.3, 'at once');
		figures(sprintf "a build is cancelled after %.2f s of the processor", $late);
		$session->{in} = "\\q\n";
		end_session($session);
	}
	$node->safe_psql('postgres', 'DROP TABLE ring');
}

# Beside writers
$node->safe_psql('postgres', 'CREATE DATABASE model');
create_model($node, 'model', 1500);
$node->safe_psql('postgres', "ALTER DATABASE model SET max_parallel_maintenance_workers = 3");
$node->safe_psql('model', 'ALTER TABLE b SET (parallel_workers = 2); ALTER TABLE w SET (parallel_workers = 3)');
for my $round (1 .. rounds(2))
{
	my $writers = start_bench($node, 'model', 2, 4, pgbench_script("write$round", 'SELECT op(3000);'));
	my $builder = start_bench($node, 'model', 1, 4, pgbench_script("build$round", q{
		DROP INDEX IF EXISTS b_other;
		CREATE INDEX CONCURRENTLY b_other ON b USING bitblock (fp);
		REINDEX INDEX CONCURRENTLY b_fp;
		REINDEX INDEX CONCURRENTLY b_tenant;
		REINDEX INDEX CONCURRENTLY w_fp;
		REINDEX INDEX CONCURRENTLY w_tenant;}));
	cmp_ok(end_bench($_), '>', 0, "round $round: at work") for $writers, $builder;
	verify_all($node, 'model', 2, "round $round: sound");
}
log_is_calm($node, 'at the end');
$node->stop;
done_testing();
