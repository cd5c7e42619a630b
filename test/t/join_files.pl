# Pairs and groups of documents in temporary files and by parallel workers: the same rows
# in the same order for every number of workers, the same rows for every size of memory,
# and no file, process or warning is left after LIMIT, errors and cancels.

use SimhashTest;

my $rows = 135000;	# from 131072 on several processes may find pairs

my $node = start_node('node', 'autovacuum = off', 'max_worker_processes = 8', 'max_parallel_workers = 8',
	'synchronize_seqscans = off', 'restart_after_crash = on');
$node->safe_psql('postgres', qq{
	CREATE EXTENSION simhash;
	-- random, near to an earlier one, equal, few values, with constant bits, NULL
	CREATE TABLE docs AS SELECT i AS id, CASE
		WHEN i % 500 = 0 THEN NULL
		WHEN i % 10 = 1 THEN (hashint8extended(i - 1, 1) # (1::bigint << (i % 64)::int))::simhash
		WHEN i % 100 = 7 THEN (i % 1000)::bigint::simhash
		WHEN i % 100 = 9 THEN (hashint8extended(i, 1) >> 40)::simhash
		ELSE hashint8extended(i, 1)::simhash END AS fp
	FROM generate_series(1::bigint, $rows) i;
	CREATE FUNCTION wide(i bigint, n int) RETURNS bit varying LANGUAGE sql IMMUTABLE AS
	\$\$ SELECT string_agg(hashint8extended(i, s)::bit(64)::text, '')::bit varying FROM generate_series(1, n / 64) s \$\$;
	CREATE INDEX docs_fp ON docs USING bitblock (fp);
	ANALYZE docs;
});
foreach my $n (128, 256, 512, 1024)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE docs_$n AS SELECT i AS id, wide(i / 3, $n)::bit($n) # (1::bigint << (i % 64)::int)::bit(64)::bit($n) AS fp
		FROM generate_series(1::bigint, $rows) i;
		UPDATE docs_$n SET fp = (wide(id, 64) || repeat('0', $n - 64)::bit varying)::bit($n) WHERE id % 3 = 0 AND $n < 512;
	});
}

# The rows of a call in their order, and sorted
sub rows_of
{
	my ($call, $workers, $memory) = @_;

	return $node->safe_psql('postgres', qq{
		SET max_parallel_maintenance_workers = $workers;
		SET maintenance_work_mem = '$memory';
		SELECT count(*), md5(string_agg(r::text, ' ')), md5(string_agg(r::text, ' ' ORDER BY r)) FROM (SELECT $call AS r) s});
}

sub no_files
{
	return !grep { slurp_dir_files($_) } glob($node->data_dir . '/base/pgsql_tmp/*');
}

sub slurp_dir_files
{
	my ($path) = @_;

	return -f $path || glob("$path/*");
}

my @calls = (
	(map { "simhash_pairs('SELECT id, fp FROM docs', NULL::bigint, $_)" } 0, 3, 6),
	"simhash_clusters('SELECT id, fp FROM docs', NULL::bigint, 3)",
	"simhash_clusters('SELECT id, fp FROM docs', NULL::bigint, 3, 'star')",
	"simhash_pairs('SELECT * FROM unnest((SELECT array_agg(id ORDER BY id) FROM docs), (SELECT array_agg(fp ORDER BY id) FROM docs))', 2)",
	"simhash_pairs('SELECT id::text, fp FROM docs', NULL::text, 2)",
	map { ("simhash_pairs('SELECT id, fp FROM docs_$_', NULL::bigint, " . $_ / 32 . ")",
		"simhash_clusters('SELECT id, fp FROM docs_$_', NULL::bigint, 3)",
		"simhash_clusters('SELECT id, fp FROM docs_$_', NULL::bigint, $_ / 32, 'star')") } 128, 256, 512, 1024);
foreach my $call (@calls)
{
	my $serial = rows_of($call, 0, '128MB');
	my ($count, $ordered, $sorted) = split /\|/, $serial;

	is(rows_of($call, $_, '128MB'), $serial, "$_ workers: $call") foreach $call =~ /docs'/ ? (1, 4) : (2);
	is((split /\|/, rows_of($call, 1, $_))[2], $sorted, "$_: $call") foreach '1MB', '1GB';
	cmp_ok($count, '>', 0, 'there are rows');
}

# Tasks that have too many pairs for a file, and others between them
sub frequent
{
	my ($workers) = @_;

	return $node->safe_psql('postgres', qq{
		SET max_parallel_maintenance_workers = $workers;
		SET maintenance_work_mem = '128MB';
		SELECT count(*), sum((hashint8((r).a) + 3 * hashint8((r).b)::bigint) * (row_number % 1000003)) FROM
			(SELECT r, row_number() OVER () FROM (SELECT simhash_pairs('SELECT i, (CASE WHEN i % 43 < 3
				THEN i % 43 * 7 << 58 ELSE hashint8extended(i, 1) END)::simhash FROM generate_series(1::bigint, $rows) i', NULL::bigint, 1) r OFFSET 0) p) s});
}
my $frequent = frequent(0);
cmp_ok((split /\|/, $frequent)[0], '>', 3 * 4200000, 'tasks have too many pairs');
is(frequent($_), $frequent, "$_ workers: tasks with too many pairs") foreach 1, 3;

# The index finds the same pairs.
is($node->safe_psql('postgres', "SELECT count(*) FROM docs a JOIN docs b ON a.fp <-> b.fp <= 3 AND a.id < b.id"),
	(split /\|/, rows_of($calls[1], 1, '64MB'))[0], 'the pairs of the index');

# Workers take part.
$node->safe_psql('postgres', "ALTER SYSTEM SET log_min_messages = debug1; ALTER SYSTEM SET log_temp_files = 0; SELECT pg_reload_conf()");
my $before = -s $node->logfile;
rows_of($calls[1], 2, '128MB');
my $log = substr(slurp_file($node->logfile), $before);
like($log, qr/starting background worker process "parallel worker/, 'workers start');
like($log, qr/temporary file: path/, 'files are logged');
$before = -s $node->logfile;
rows_of($calls[1], 0, '128MB');
unlike(substr(slurp_file($node->logfile), $before), qr/starting background worker process "parallel worker/, 'no workers');

# Rows that are not fetched
foreach my $workers (0, 2)
{
	my $set = "SET max_parallel_maintenance_workers = $workers; SET maintenance_work_mem = '128MB';";

	is($node->safe_psql('postgres', "$set SELECT count(*) FROM (SELECT $calls[1] LIMIT 3) s"), 3, 'LIMIT');
	is($node->safe_psql('postgres', "$set SELECT count(*) FROM (SELECT $calls[3] LIMIT 3) s"), 3, 'LIMIT of groups');
	$node->safe_psql('postgres', "$set BEGIN; DECLARE c CURSOR FOR SELECT $calls[1]; FETCH 2 FROM c; COMMIT;
		BEGIN; DECLARE c CURSOR FOR SELECT $calls[1]; FETCH 2 FROM c; SAVEPOINT s; FETCH 200 FROM c; ROLLBACK TO s; CLOSE c; ROLLBACK");
}
ok(no_files(), 'no files of rows that were not fetched');

# Open calls take all segments of shared memory that the server has; then some of them end.
# The first call with workers makes a segment of the session, which PostgreSQL cannot do later.
my $open = $node->safe_psql('postgres', q{SELECT 64 + 5 * (sum(setting::int) + 10) FROM pg_settings WHERE name ~ '^(max_connections|autovacuum_(max_workers|worker_slots)|max_worker_processes|max_wal_senders)$'});
my $take = join '', map { "DECLARE c$_ CURSOR FOR SELECT simhash_pairs('SELECT id, fp FROM docs LIMIT 40000', NULL::bigint, 0); MOVE c$_;" } 1 .. $open;
my $pairs = "SELECT count(*) FROM (SELECT $calls[1] OFFSET 0) s;";
my ($ret, $out, $err) = $node->psql('postgres', "SET max_parallel_maintenance_workers = 2; SET maintenance_work_mem = '128MB'; $pairs
	BEGIN; SET maintenance_work_mem = '1MB'; $take SET maintenance_work_mem = '128MB'; $pairs" . join('', map { "CLOSE c$_; $pairs" } 1 .. 4) . 'COMMIT', on_error_stop => 1);
is($err, '', 'calls without segments of shared memory');
is($out, join("\n", ((split /\|/, rows_of($calls[1], 0, '128MB'))[0]) x 6), 'all pairs without segments');
ok(no_files(), 'no files of open calls');

# Errors and cancels
foreach my $workers (0, 2)
{
	my $set = "SET max_parallel_maintenance_workers = $workers; SET maintenance_work_mem = '128MB';";

	foreach my $method ('simhash_pairs', 'simhash_clusters')
	{
		my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY sqlstate\n$set SET maintenance_work_mem = '1MB'; SET temp_file_limit = '1MB'; SELECT count(*) FROM $method('SELECT id, fp FROM docs', NULL::bigint, 3)");
		like($error, qr/53400/, "$method: limit of temporary files");
		ok(no_files(), 'no files after the limit');
	}
	my (undef, undef, $error) = $node->psql('postgres', "$set SET maintenance_work_mem = '1MB'; SELECT count(*) FROM simhash_pairs('SELECT 1 / ($rows - id), fp FROM docs', NULL::bigint, 3)");
	like($error, qr/division by zero/, 'an error of the query');
	ok(no_files(), 'no files after the error');
	foreach my $ms (30, 100, 200, 300, 500, 800)
	{
		# within 3 processes divide ranges first
		$node->psql('postgres', "$set SET statement_timeout = $ms; SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM docs', NULL::bigint, $_)") foreach 3, 12;
		$node->psql('postgres', "$set SET statement_timeout = $ms; SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM docs', NULL::bigint, 8)");
	}
	ok(no_files(), 'no files after cancels');
	# The error is caught, and the transaction goes on.
	is($node->safe_psql('postgres', qq{$set
		DO \$\$ BEGIN SET LOCAL temp_file_limit = '3MB'; PERFORM count(*) FROM simhash_pairs('SELECT id, fp FROM docs', NULL::bigint, 3);
		EXCEPTION WHEN configuration_limit_exceeded THEN PERFORM set_config('test.caught', 'yes', false); END \$\$;
		SELECT current_setting('test.caught'), count(*) > 0 FROM simhash_pairs('SELECT id, fp FROM docs', NULL::bigint, 3)}), 'yes|t', 'a caught error');
	ok(no_files(), 'no files after a caught error');
}
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'"), 0, 'no worker is left');
unlike(slurp_file($node->logfile), qr/leak/, 'no file or memory leaks');

# A task that has very many pairs reports its progress, too.
my $many_pairs = start_session($node);
$many_pairs->{in} = q{SET simhash.progress = on; SET maintenance_work_mem = '128MB'; SELECT 'process ' || pg_backend_pid();
	SELECT count(*) FROM (SELECT simhash_pairs('SELECT i, 7::bigint::simhash FROM generate_series(1, 140000) i', 0, 2) OFFSET 0) s;} . "\n\\q\n";
wait_for($many_pairs, 'err', qr/NOTICE:  finding pairs: block 1 of/);
pass('progress within a task');
cancel_process($many_pairs->{out} =~ /process (\d+)/);
end_session($many_pairs);

# Components and stars of edges, of ids that are integers and others
$node->safe_psql('postgres', q{CREATE TABLE edges AS SELECT hashint4(i) % 200000 AS a, hashint4(i + 1) % 200000 AS b FROM generate_series(1, 150000) i});
foreach my $type ('integer', 'numeric', 'text')
{
	my $id_type = "NULL::$type" . ($type eq 'text' ? ' COLLATE "C"' : '');
	my $edges = "'SELECT a::$type, b::$type FROM edges', $id_type";

	foreach my $call ("simhash_components($edges)", "simhash_stars('SELECT a::$type, b::$type FROM edges', id_type => $id_type)", "simhash_stars($edges, 'SELECT a::$type FROM edges ORDER BY hashint4(a)')")
	{
		my $found = (split /\|/, rows_of($call, 0, '1GB'))[2];

		is((split /\|/, rows_of($call, 0, '1MB'))[2], $found, "$call in 1 MB");
		is($node->safe_psql('postgres', "SET maintenance_work_mem = '1MB'; SELECT count(*) FROM (SELECT $call LIMIT 3) s"), 3, "LIMIT of $call");
		my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY sqlstate\nSET maintenance_work_mem = '1MB'; SET temp_file_limit = '1MB'; SELECT count(*) FROM $call");
		like($error, qr/53400/, "$call: limit of temporary files");
		$node->psql('postgres', "SET maintenance_work_mem = '1MB'; SET statement_timeout = $_; SELECT count(*) FROM $call") foreach 30, 100, 200, 300;
		ok(no_files(), "no files of $call");
	}
}
unlike(slurp_file($node->logfile), qr/leak/, 'no leaks of components and stars');
my $stderr = '';
$node->psql('postgres', q{SET simhash.progress = on; SELECT count(*) FROM simhash_components('SELECT i, i FROM generate_series(1, 65536) i WHERE i > 1 OR pg_sleep(10.1) IS NOT NULL', 1)}, stderr => \$stderr);
like($stderr, qr/NOTICE:  65536 edges have been read/, 'progress of components');
$stderr = '';
$node->psql('postgres', q{SET simhash.progress = on; SELECT count(*) FROM simhash_stars('SELECT 1, 2', 1, 'SELECT i FROM generate_series(1, 65536) i WHERE i > 1 OR pg_sleep(10.1) IS NOT NULL')}, stderr => \$stderr);
like($stderr, qr/NOTICE:  65536 ids of the keep query have been read/, 'progress of stars');

# The memory of a call, of which the sort by ids takes most here
SKIP:
{
	skip 'the memory of a process is read from /proc', 1 unless -r '/proc/self/status';
	$node->safe_psql('postgres', 'CREATE TABLE many AS SELECT i, (i % 1000000)::bigint::simhash AS fp FROM generate_series(1::bigint, 3000000) i');
	my $memory = $node->safe_psql('postgres', q{
		SET maintenance_work_mem = '64MB';
		SELECT FROM (SELECT simhash_clusters('SELECT i, fp FROM many', NULL::bigint, -1, 'star') OFFSET 2999999) s;
		SELECT sum(m[2]::bigint * CASE m[1] WHEN 'VmHWM' THEN 1 ELSE -1 END)
		FROM regexp_matches(pg_read_file('/proc/self/status', 0, 100000), '(VmHWM|RssShmem|RssFile):\s*(\d+)', 'g') m});
	cmp_ok($memory, '<', (64 + 16) * 1024, 'kB of a call with 64 MB');
	# 'components' holds 4 bytes for each document or id, of which maintenance_work_mem has half
	foreach my $call (q{simhash_components('SELECT md5(i::text), md5((i / 2)::text) FROM many WHERE i <= 1000000', NULL::text)},
		q{simhash_components('SELECT i, i / 2 FROM many', NULL::bigint)},
		q{simhash_clusters('SELECT i, fp FROM many', NULL::bigint, 0)},
		q{simhash_stars('SELECT md5(i::text), md5((i / 2)::text) FROM many WHERE i <= 1000000', NULL::text, 'SELECT md5(i::text) FROM many WHERE i <= 500000 ORDER BY -i')},
		q{simhash_stars('SELECT i, i / 2 FROM many', NULL::bigint, 'SELECT i FROM many ORDER BY -i')})
	{
		$memory = $node->safe_psql('postgres', qq{
			SET maintenance_work_mem = '8MB';
			SELECT FROM (SELECT $call OFFSET 999999) s;
			SELECT sum(m[2]::bigint * CASE m[1] WHEN 'VmHWM' THEN 1 ELSE -1 END)
			FROM regexp_matches(pg_read_file('/proc/self/status', 0, 100000), '(VmHWM|RssShmem|RssFile):\\s*(\\d+)', 'g') m});
		cmp_ok($memory, '<', (8 + 16 + ($call =~ /clusters|components.*bigint/ ? 12 - 4 : 0)) * 1024, "kB of $call with 8 MB");
	}
	$node->safe_psql('postgres', 'DROP TABLE many');
}

# Cancels at places all over a call.  The time is that of the processor from the signal until the
# session is ready again, because a machine may stand still.
SKIP:
{
	skip 'no /proc/PID/schedstat', 1 unless -r '/proc/self/schedstat';
	$node->safe_psql('postgres', q{
		CREATE TABLE million AS SELECT i AS id, hashint8extended(i - (i % 10 = 1)::int, 1)::simhash AS fp FROM generate_series(1::bigint, 1000000) i;
		CREATE TABLE wide AS SELECT id, fp::bit(64) || fp::bit(64) || wide(id, 128) AS fp FROM million WHERE id <= 300000;
		ALTER TABLE wide ALTER fp TYPE bit(256);
		CREATE INDEX million_fp ON million USING bitblock (fp)});
	my ($worst, $worst_call) = (0, '');
	foreach my $call ((map { "SELECT count(*) FROM simhash_$_" } "pairs('SELECT id, fp FROM million', NULL::bigint, 5)",
			"clusters('SELECT id, fp FROM million', NULL::bigint, 3)", "clusters('SELECT id, fp FROM wide', NULL::bigint, 20, 'star')",
			"components('SELECT id, id / 2 FROM million', NULL::bigint)", "stars('SELECT id, id / 2 FROM million', NULL::bigint)"),
		'CREATE INDEX cancelled ON wide USING bitblock (fp)', q{SELECT bitblock_check('million_fp', true)})
	{
		my $session = $node->background_psql('postgres', on_error_stop => 0);
		my $pid = $session->query_safe("SET max_parallel_maintenance_workers = 0; SET maintenance_work_mem = '256MB'; SELECT pg_backend_pid()");
		my $begun = processor_time($pid);
		$session->query("BEGIN; $call; ROLLBACK");
		my $whole = processor_time($pid) - $begun;
		foreach my $part (1 .. rounds(6))
		{
			my ($last, $still) = (0, 0);
			$begun = processor_time($pid);
			$session->query_until(qr/begun/, "BEGIN;\n\\echo begun\n$call;\n");
			until ($last > $begun + $whole * ($part - .5) / rounds(6) || $still++ > 5000)
			{
				select undef, undef, undef, .0005;
				$still = 0 if processor_time($pid) != $last;
				$last = processor_time($pid);
			}
			$last = cancel_process($pid);
			$session->query('ROLLBACK');
			my $late = 1000 * (processor_time($pid) - $last);
			($worst, $worst_call) = ($late, $call) if $late > $worst;
		}
		$session->quit;
	}
	cmp_ok($worst, '<', 300, "ms of the processor after a cancel: $worst_call");
	figures(sprintf 'cancelled after at most %.0f ms of the processor', $worst);
	$node->safe_psql('postgres', 'DROP TABLE million, wide');
}

# The death of a worker restarts the server.
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe("SET max_parallel_maintenance_workers = 2; SET maintenance_work_mem = '128MB'");
$session->query_until(qr/begun/, "\\echo begun\nSELECT count(*) FROM generate_series(1, 50) g, LATERAL (SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM docs', NULL::bigint, 16 + 0 * g)) s;\n");
my $killed = 0;
my $log_size = -s $node->logfile;
for (my $tries = 0; $tries < 1000 && !$killed; $tries++)
{
	my $worker = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1");
	$killed = $worker ne '' && kill 'KILL', $worker;
}
ok($killed, 'a worker was killed');
$node->wait_for_log(qr/all server processes terminated; reinitializing/, $log_size);
wait_until_up($node);
is((split /\|/, rows_of($calls[1], 1, '128MB'))[0], (split /\|/, rows_of($calls[1], 0, '1MB'))[0], 'pairs after the death of a worker');
ok(no_files(), 'no files after the death of a worker');

done_testing();
