# Shared by all TAP tests, which get strict, warnings, Test::More and PostgreSQL's modules
# from here: servers and sessions.  For the tests of crashes, standbys and damage: random
# operations on three indexed tables and a model of them, and the comparison of all four.
#
#   SIMHASH_SEED=n          repeat the random choices of a run, which prints its seed
#   SIMHASH_SOAK=n          n times as many rounds
#   SIMHASH_SMALL_PAGES=f   a build of the library with pages of few entries, for
#                           deep trees of few rows (check.sh makes one)
#   SIMHASH_GENERIC_WAL=f   a build in which PostgreSQL's own code makes the WAL record of
#                           an insertion, for index_insertion_wal.pl (ditto).  The leader
#                           of a parallel build comes last, for index_parallel_build.pl.

package SimhashTest;

use strict;
use warnings;

use Exporter;
use IPC::Run;
use POSIX ();
use Time::HiRes;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = (
	qw(start_node start_standby start_restored start_session wait_for end_session no_checksums major_version seed_random
	  rounds figures processor_time wait_for_work cancel_process checked_wal use_small_pages create_model pgbench_script start_bench end_bench
	  python verify_all crash_server crash_process wait_until_up log_is_calm),
	grep { /^\w/ } @PostgreSQL::Test::Utils::EXPORT, @Test::More::EXPORT);

sub import
{
	strict->import;
	warnings->import;
	goto &Exporter::import;
}

my $seed;

# A new server with these lines in postgresql.conf.  Its answers do not depend on the locale.
# A reference to a hash before the lines has arguments of init().  A statement that hangs is
# cancelled in the end, and the error names it.
sub start_node
{
	my ($name, @settings) = @_;
	my %init = ref $settings[0] ? %{ shift @settings } : ();
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(%init, extra => [ '--locale=C', '--encoding=UTF8', @{ $init{extra} // [] } ]);
	$node->append_conf('postgresql.conf', join("\n", 'jit = off', "statement_timeout = '" . 3 * $PostgreSQL::Test::Utils::timeout_default . "s'", @settings));
	$node->start;
	return $node;
}

# An argument of initdb for tests of damaged pages: the extension must see the damage, not
# PostgreSQL's checksums
sub no_checksums
{
	return (extra => [ major_version() >= 18 ? '--no-data-checksums' : () ]);
}

# A standby of a server, made of a new backup
sub start_standby
{
	my ($primary, @settings) = @_;
	my $standby = PostgreSQL::Test::Cluster->new('standby');

	$primary->backup('for_standby');
	$standby->init_from_backup($primary, 'for_standby', has_streaming => 1);
	$standby->append_conf('postgresql.conf', join("\n", @settings));
	$standby->start;
	return $standby;
}

# A server restored from the backup 'base' of another one and its archive, until the target
# that the settings name
sub start_restored
{
	my ($name, $primary, @settings) = @_;
	my $restored = PostgreSQL::Test::Cluster->new($name);

	$restored->init_from_backup($primary, 'base', has_restoring => 1, standby => 0);
	$restored->append_conf('postgresql.conf', join("\n", 'archive_mode = off', 'recovery_target_action = promote', @settings));
	$restored->start;
	$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'no end of recovery';
	return $restored;
}

# A limit of time after which a test that waits for a process dies, and says which.  It is not a
# part of what is tested: check.sh sets it to many times what a busy machine needs.
sub time_limit
{
	my ($what) = @_;
	my (undef, $file, $line) = caller(1);
	my $limit = $PostgreSQL::Test::Utils::timeout_default;

	return IPC::Run::timeout($limit, exception => "$what of $file, line $line, has not ended after $limit seconds");
}

# A session beside others.  The caller appends SQL to {in}, and reads {out} and {err}, after
# wait_for or end_session.
sub start_session
{
	my ($node, @arguments) = @_;
	my %session = (in => '', out => '', err => '', timer => time_limit('the session'));

	$session{psql} = IPC::Run::start(
		[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, @arguments, 'postgres' ],
		'<', \$session{in}, '>', \$session{out}, '2>', \$session{err}, $session{timer});
	return \%session;
}

# Wait until a session has written what matches the pattern, to 'out' or to 'err'.  Returns the
# first group of the pattern.
sub wait_for
{
	my ($session, $field, $pattern) = @_;

	$session->{timer}->start;
	while ($session->{$field} !~ $pattern)
	{
		eval { $session->{psql}->pump; 1 }
		  or die "no /$pattern/ in $field of a session: $@\nout: $session->{out}\nerr: $session->{err}\n";
	}
	return ($session->{$field} =~ $pattern)[0];
}

# Wait until a session has ended.  Returns whether it succeeded.
sub end_session
{
	my ($session) = @_;

	$session->{timer}->start;
	return $session->{psql}->finish;
}

# The major version of the server, also before there is a server
sub major_version
{
	my ($major) = `postgres --version` =~ / (\d+)/;
	return $major;
}

# The Python that PYTHON names, or the one that has the packages which check.sh installs: the distribution's,
# which may not be the first one in PATH
sub python
{
	return $ENV{PYTHON} if defined $ENV{PYTHON} && -x $ENV{PYTHON};
	my @candidates = grep { -x } '/usr/bin/python3', grep { /python3\.\d+$/ } glob('/usr/bin/python3.*');
	my ($with_packages) = grep { IPC::Run::run([ $_, '-c', 'import setuptools, psycopg2' ], '>', \my $out, '2>', \my $err) } @candidates;
	return $with_packages // $candidates[0] // 'python3';
}

# Every test with random choices calls this function once.
sub seed_random
{
	$seed = $ENV{SIMHASH_SEED} || (time ^ ($$ << 8)) & 0x7fffffff;
	srand($seed);
	note "SIMHASH_SEED=$seed";
	return $seed;
}

sub rounds
{
	my ($n) = @_;
	return int($n * ($ENV{SIMHASH_SOAK} || 1)) || 1;
}

# Reports the number of operations, for check.sh
sub figures
{
	my ($what) = @_;
	diag "figures: $what";
	return;
}

# The setting wal_consistency_checking for servers whose GiST indexes lose entries to
# scans: every resource manager but gist.  Replay of Gist/DELETE sets a flag of the page
# that the primary does not set, and PostgreSQL reports that as a difference.  Other
# servers use 'all'.
sub checked_wal
{
	return "'heap2, heap, btree, gin, hash, sequence, spgist, brin, generic'";
}

# The next sessions use the build with small pages, if there is one.  Call this function
# before there are any indexes.
sub use_small_pages
{
	my ($node, $db) = @_;
	my $library = $ENV{SIMHASH_SMALL_PAGES};

	if (!$library)
	{
		note 'SIMHASH_SMALL_PAGES is not set: pages of the usual size';
		return;
	}
	$node->safe_psql($db, "UPDATE pg_proc SET probin = '$library' WHERE probin = '\$libdir/simhash'");
	return;
}

# Tables b (bitblock), g (GiST) and w (bitblock, bit strings) have the same rows as table
# model, which has no index on fingerprints.  op() makes a random change of all four
# tables.  The bit strings, of a random width, are made of the other fingerprints.  Tables b and
# w also have indexes with a leading column, whose value depends on the id.
sub create_model
{
	my ($node, $db, $rows) = @_;
	my $bits = (64, 128, 128, 144, 256, 256, 512, 1024)[ int rand 8 ];
	my $copies = int(($bits + 63) / 64);

	note "$db: bit($bits)";
	$node->safe_psql($db, 'CREATE EXTENSION simhash');
	use_small_pages($node, $db);
	$node->safe_psql($db, qq{
		CREATE DOMAIN wide AS bit($bits);
		CREATE FUNCTION bits() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $bits';
		CREATE FUNCTION widen(fp simhash) RETURNS bit LANGUAGE sql IMMUTABLE AS
		\$\$ SELECT repeat(fp::bit(64)::text, $copies)::bit($bits) \$\$;
	});
	$node->safe_psql($db, q{
		CREATE SEQUENCE ids;
		CREATE TABLE model (id bigint PRIMARY KEY, fp simhash, n int, wide wide GENERATED ALWAYS AS (widen(fp)) STORED)
			WITH (autovacuum_enabled = off);
		CREATE FUNCTION tenant_of(id bigint) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT nullif(id % 5, 3)::int';
		CREATE TABLE b (id bigint PRIMARY KEY, fp simhash, n int, tenant int GENERATED ALWAYS AS (tenant_of(id)) STORED) WITH (autovacuum_enabled = off);
		CREATE TABLE g (id bigint PRIMARY KEY, fp simhash, n int) WITH (autovacuum_enabled = off);
		CREATE TABLE w (id bigint PRIMARY KEY, fp wide, n int, tenant int GENERATED ALWAYS AS (tenant_of(id)) STORED) WITH (autovacuum_enabled = off);
		CREATE INDEX b_fp ON b USING bitblock (fp);
		CREATE INDEX g_fp ON g USING gist (fp);
		CREATE INDEX w_fp ON w USING bitblock (fp);
		CREATE INDEX b_tenant ON b USING bitblock (tenant, fp);
		CREATE INDEX w_tenant ON w USING bitblock (tenant, fp);
		CREATE TABLE ledger (id bigint);

		CREATE FUNCTION random_bits() RETURNS bigint LANGUAGE sql VOLATILE AS
		$$ SELECT ('x' || substr(md5(random()::text), 1, 16))::bit(64)::bigint $$;

		-- A fingerprint of a random shape; center is shared by a whole statement.
		CREATE FUNCTION random_fp(shape int, center bigint, i int) RETURNS simhash LANGUAGE sql VOLATILE AS
		$$ SELECT CASE shape
			WHEN 0 THEN center
			WHEN 1 THEN center # (1::bigint << (random() * 63)::int)
			WHEN 2 THEN (center & ~65535) | i
			WHEN 3 THEN (ARRAY[0, -1, NULL, 1, 9223372036854775807])[1 + i % 5]
			WHEN 4 THEN center + i
			ELSE random_bits() END::simhash $$;

		CREATE FUNCTION op(max_rows int) RETURNS void LANGUAGE plpgsql AS $$
		DECLARE
			kind int := (random() * 9)::int;
			size int := 1 + (random() * random() * 60)::int;
			shape int := (random() * 9)::int;
			center bigint := CASE WHEN random() < 0.3 THEN 81985529216486895 ELSE random_bits() END;
			victims bigint[];
		BEGIN
			IF kind >= 5 AND (SELECT count(*) FROM model) > max_rows THEN
				kind := 4;
				size := 3 * size;
			END IF;
			IF kind < 5 THEN
				SELECT array_agg(id) INTO victims FROM (
					SELECT id FROM model WHERE id >= (SELECT (min(id) + random() * (max(id) - min(id)))::bigint FROM model WHERE id > 0)
					AND id > 0 ORDER BY id LIMIT size FOR UPDATE SKIP LOCKED) s;
			END IF;
			IF kind = 0 THEN	-- an update of another column
				UPDATE model SET n = n + 1 WHERE id = ANY (victims);
				UPDATE b SET n = n + 1 WHERE id = ANY (victims);
				UPDATE g SET n = n + 1 WHERE id = ANY (victims);
				UPDATE w SET n = n + 1 WHERE id = ANY (victims);
			ELSIF kind = 1 THEN	-- of the fingerprint
				WITH changed AS (UPDATE model SET fp = random_fp(shape, center, (id % 64)::int) WHERE id = ANY (victims) RETURNING id, fp, wide),
					x AS (UPDATE b SET fp = c.fp FROM changed c WHERE c.id = b.id),
					y AS (UPDATE w SET fp = c.wide FROM changed c WHERE c.id = w.id)
				UPDATE g SET fp = c.fp FROM changed c WHERE c.id = g.id;
			ELSIF kind = 2 THEN	-- what comes to nothing
				BEGIN
					INSERT INTO b SELECT nextval('ids'), random_fp(shape, center, i), -1 FROM generate_series(1, size) i;
					INSERT INTO g SELECT nextval('ids'), random_fp(shape, center, i), -1 FROM generate_series(1, size) i;
					INSERT INTO w SELECT nextval('ids'), widen(random_fp(shape, center, i)), -1 FROM generate_series(1, size) i;
					DELETE FROM b WHERE id = ANY (victims);
					DELETE FROM w WHERE id = ANY (victims);
					RAISE division_by_zero;
				EXCEPTION WHEN division_by_zero THEN
					NULL;
				END;
			ELSIF kind < 5 THEN
				DELETE FROM model WHERE id = ANY (victims);
				DELETE FROM b WHERE id = ANY (victims);
				DELETE FROM g WHERE id = ANY (victims);
				DELETE FROM w WHERE id = ANY (victims);
			ELSE
				WITH new AS (INSERT INTO model SELECT nextval('ids'), random_fp(shape, center, i), 0 FROM generate_series(1, size) i RETURNING *),
					x AS (INSERT INTO b SELECT id, fp, n FROM new),
					y AS (INSERT INTO w SELECT id, wide, n FROM new)
				INSERT INTO g SELECT id, fp, n FROM new;
			END IF;
		END $$;

		-- Rows that are never changed: who got the number back has it for certain.
		CREATE FUNCTION keep() RETURNS bigint LANGUAGE sql AS $$
			WITH new AS (INSERT INTO model SELECT -nextval('ids'), random_bits()::simhash, 0 RETURNING *),
				x AS (INSERT INTO b SELECT id, fp, n FROM new),
				y AS (INSERT INTO g SELECT id, fp, n FROM new),
				z AS (INSERT INTO w SELECT id, wide, n FROM new)
			SELECT id FROM new $$;

		-- Differences between the answers by index from b, g and w and those of the model,
		-- in the caller's snapshot (so that others may write meanwhile).
		CREATE FUNCTION differences(queries int) RETURNS SETOF text LANGUAGE plpgsql STABLE
		SET enable_seqscan = off SET enable_sort = on AS $$
		DECLARE
			q simhash;
			wide_q wide;
			asked text;
			k int;
			t text;
			all_tenants bool;
			tenant_asked int;
			of_tenant text;
			method text;
			expected text;
			answer text;
			compared int := 0;
		BEGIN
			FOR i IN 1..queries LOOP
				SELECT CASE i % 4 WHEN 0 THEN random_bits()::simhash WHEN 1 THEN '0123456789abcdef'
					ELSE (fp::bigint # (1::bigint << (random() * 63)::int))::simhash END INTO q
					FROM model WHERE fp IS NOT NULL ORDER BY random() LIMIT 1;
				CONTINUE WHEN q IS NULL;
				wide_q := widen(q);
				FOR flips IN 1..(random() * bits() / 20)::int LOOP
					wide_q := set_bit(wide_q, (random() * (bits() - 1))::int, flips % 2);
				END LOOP;
				FOREACH t IN ARRAY ARRAY['b', 'g', 'w'] LOOP
					asked := CASE t WHEN 'w' THEN wide_q::text ELSE q::text END;
					FOREACH k IN ARRAY ARRAY[0, 3, 8, 13, 22, 40, 64] LOOP
						all_tenants := t = 'g' OR random() < 0.5;
						tenant_asked := (ARRAY[0, 1, 2, NULL])[1 + (random() * 3)::int];
						of_tenant := CASE WHEN all_tenants THEN 'true' ELSE coalesce('tenant = ' || tenant_asked, 'tenant IS NULL') END;
						IF t = 'w' THEN
							k := k * bits() / 64 + i % 4;
							SELECT count(*) || ' ' || coalesce(sum(id), 0) || ' ' || coalesce(sum(id * id), 0) INTO expected
								FROM model WHERE wide <-> wide_q <= k AND (all_tenants OR tenant_of(id) IS NOT DISTINCT FROM tenant_asked);
						ELSE
							SELECT count(*) || ' ' || coalesce(sum(id), 0) || ' ' || coalesce(sum(id * id), 0) INTO expected
								FROM model WHERE (fp <~> q) <= k AND (all_tenants OR tenant_of(id) IS NOT DISTINCT FROM tenant_asked);
						END IF;
						FOREACH method IN ARRAY ARRAY['indexscan', 'bitmapscan'] LOOP
							PERFORM set_config('enable_indexscan', (method = 'indexscan')::text, true),
								set_config('enable_bitmapscan', (method = 'bitmapscan')::text, true);
							EXECUTE format('SELECT count(*) || '' '' || coalesce(sum(id), 0) || '' '' || coalesce(sum(id * id), 0)
								FROM %I WHERE fp <-> %L <= %s AND %s', t, asked, k, of_tenant) INTO answer;
							compared := compared + 1;
							IF answer <> expected THEN
								RETURN NEXT format('%s %s, %s, within %s of %s: %s, not %s', t, method, of_tenant, k, asked, answer, expected);
							END IF;
						END LOOP;
					END LOOP;
					PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
					FOREACH k IN ARRAY ARRAY[10, 100000] LOOP
						SELECT md5(string_agg(d::text, ' ' ORDER BY d)) INTO expected
							FROM (SELECT CASE t WHEN 'w' THEN wide <-> wide_q ELSE fp <-> q END AS d FROM model WHERE all_tenants OR tenant_of(id) IS NOT DISTINCT FROM tenant_asked ORDER BY 1 LIMIT k) s;
						EXECUTE format('SELECT md5(string_agg(d::text, '' '' ORDER BY n)) FROM (
							SELECT row_number() OVER () AS n, d FROM (SELECT fp <-> %L AS d FROM %I WHERE %s ORDER BY fp <-> %L LIMIT %s) s) s2',
							asked, t, of_tenant, asked, k) INTO answer;
						compared := compared + 1;
						IF answer IS DISTINCT FROM expected THEN
							RETURN NEXT format('%s, %s, %s nearest to %s', t, of_tenant, k, asked);
						END IF;
					END LOOP;
				END LOOP;
			END LOOP;
			PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'on', true),
				set_config('enable_seqscan', 'on', true);
			FOREACH t IN ARRAY ARRAY['b', 'g', 'w'] LOOP
				EXECUTE format('SELECT count(*) FROM model m FULL JOIN %I t ON t.id = m.id
					WHERE m.id IS NULL OR t.id IS NULL OR t.fp IS DISTINCT FROM m.%I OR t.n <> m.n',
					t, CASE t WHEN 'w' THEN 'wide' ELSE 'fp' END) INTO k;
				IF k > 0 THEN
					RETURN NEXT format('%s rows of %s are not those of the model', k, t);
				END IF;
			END LOOP;
			RETURN NEXT compared || ' compared';
		END $$;

		-- The same, as an error
		CREATE FUNCTION must_agree(queries int) RETURNS void LANGUAGE plpgsql AS $$
		DECLARE found text;
		BEGIN
			SELECT string_agg(d, '; ') INTO found FROM differences(queries) d;
			IF found !~ '^[0-9]+ compared$' THEN
				RAISE EXCEPTION 'answers differ: %', found;
			END IF;
		END $$;

		CREATE FUNCTION check_indexes() RETURNS SETOF text LANGUAGE plpgsql AS $$
		DECLARE i regclass;
		BEGIN
			FOR i IN SELECT c.oid FROM pg_class c JOIN pg_am a ON a.oid = relam JOIN pg_index x ON x.indexrelid = c.oid
				WHERE amname = 'bitblock' AND relkind = 'i' AND indisvalid AND relpersistence <> 't' LOOP
				PERFORM bitblock_check(i, true);
				RETURN NEXT i::text;
			END LOOP;
		END $$;
	});
	$node->safe_psql($db, "SELECT op(100000) FROM generate_series(1, $rows / 10)");
	return;
}

# A file with a script for pgbench
sub pgbench_script
{
	my ($name, $text) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir();

	append_to_file("$dir/$name", $text);
	return "$dir/$name";
}

# Start pgbench against a node, for so many seconds, or with options such as '-t 20'
sub start_bench
{
	my ($node, $db, $clients, $length, @scripts) = @_;
	my ($out, $err) = ('', '');
	my $handle = IPC::Run::start(
		[ 'pgbench', '-n', '-c', $clients, $length =~ /^-/ ? split ' ', $length : ('-T', $length),
			'--random-seed=' . int(rand(1 << 30)), '-h', $node->host,
			'-p', $node->port, (map { ('-f', $_) } @scripts), $db ],
		'>', \$out, '2>', \$err, time_limit('pgbench'));
	return { handle => $handle, out => \$out, err => \$err };
}

# Wait for the end of pgbench.  Returns the number of transactions, or 0 if one failed.
sub end_bench
{
	my ($bench) = @_;
	$bench->{handle}->finish;
	my ($done) = ${ $bench->{out} } =~ /actually processed: (\d+)/;
	return $done if $done && ${ $bench->{err} } !~ /ERROR|aborted/;
	diag ${ $bench->{out} } . ${ $bench->{err} };
	return 0;
}

# The indexes must be sound, and their answers those of the model.  Returns the number
# of compared answers.
sub verify_all
{
	my ($node, $db, $queries, $name) = @_;
	my ($ret, $out, $err) = $node->psql($db,
		"SELECT check_indexes(); BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT differences($queries)");
	my $sound = $ret == 0 && $out =~ /^b_fp/m && $out =~ /^w_fp/m && $out =~ /^b_tenant/m && $out =~ /^w_tenant/m && $out =~ /(\d+) compared\z/ && $out !~ / not | nearest /;
	my $compared = $1;
	ok($sound, $name) or diag "SIMHASH_SEED=$seed\n$out\n$err";
	return $sound ? $compared : 0;
}

# Seconds of the processor that a process has used
sub processor_time
{
	my ($pid) = @_;
	return (split ' ', slurp_file("/proc/$pid/schedstat"))[0] / 1e9 if -r "/proc/$pid/schedstat";
	my ($fields) = slurp_file("/proc/$pid/stat") =~ /\) (.*)/;
	my ($user, $system) = (split ' ', $fields)[ 11, 12 ];
	return ($user + $system) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# Wait until a process has used so many more seconds of the processor.
sub wait_for_work
{
	my ($pid, $seconds) = @_;
	my $begun = processor_time($pid);

	for (my $tries = 0; processor_time($pid) < $begun + $seconds; $tries++)
	{
		die "process $pid does nothing" if $tries > 100 * $PostgreSQL::Test::Utils::timeout_default;
		Time::HiRes::sleep(0.01);
	}
	return;
}

# Cancel what a process does.  Returns the seconds of the processor that it had used when the signal
# arrived: it is stopped meanwhile, because on a busy machine the test might have to wait between
# the look at the time and the signal.
sub cancel_process
{
	my ($pid) = @_;

	kill 'STOP', $pid;
	wait_for_state($pid, qr/[TZ]|^$/);
	my $used = processor_time($pid);
	kill 'INT', $pid;
	kill 'CONT', $pid;
	return $used;
}

# The processes of a server, the postmaster first
sub processes
{
	my ($node) = @_;
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @children;

	for my $stat (glob '/proc/[0-9]*/stat')
	{
		open my $file, '<', $stat or next;
		push @children, $1 if (<$file> // '') =~ /^(\d+) \(.*\) \S (\d+)/ && $2 == $postmaster;
		close $file;
	}
	return ($postmaster, @children);
}

# The letter of a process's state, see proc(5); '' if there is no such process
sub state
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return '';
	return (<$file> // '') =~ /^\d+ \(.*\) (\S)/ ? $1 : '';
}

sub wait_for_state
{
	my ($pid, $wanted) = @_;
	my $tries = 0;

	select undef, undef, undef, 0.01 while state($pid) !~ $wanted && $tries++ < 1000;
	return;
}

# kill -9 of a whole server
sub crash_server
{
	my ($node) = @_;
	my ($postmaster) = processes($node);

	# A child that was born after the others were listed might wait forever for a lock
	# of a killed process, and keep the server from starting again.
	kill 'STOP', $postmaster;
	wait_for_state($postmaster, qr/[TZ]|^$/);
	my (undef, @children) = processes($node);

	$node->kill9;
	kill 'KILL', @children;
	wait_for_state($_, qr/Z|^$/) for $postmaster, @children;

	# they are dead, but perhaps not yet reaped, which only init can do
	unlink $node->data_dir . '/postmaster.pid', $node->host . '/.s.PGSQL.' . $node->port . '.lock';
	return;
}

# kill -9 of one process of the server, after which the others restart
sub crash_process
{
	my ($node) = @_;
	my ($postmaster, @children) = processes($node);

	kill 'KILL', $children[ int rand @children ];
	return;
}

# Wait after the crash of a process.  If recovery fails, there is no server to wait for.
sub wait_until_up
{
	my ($node) = @_;

	for (1 .. 600)
	{
		# a file, not standard input, because psql may end before the input is written
		return if IPC::Run::run(
			[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-c', 'SELECT 1', 'postgres' ],
			'<', '/dev/null', '>', '/dev/null', '2>', '/dev/null');
		last unless -e $node->data_dir . '/postmaster.pid';
		select undef, undef, undef, 0.05;
	}
	die 'the server did not recover: see its log';
}

# The server's log must not contain forbidden messages.  If the postmaster is killed while a
# process ends a parallel transaction, PostgreSQL with assertions ends the process this way:
# PostgreSQL stores the statistics before the transaction has ended.
sub log_is_calm
{
	my ($node, $name) = @_;
	my $log = slurp_file($node->logfile);
	my %orphans = map { $_ => 1 } $log =~ /\[(\d+)\].*FATAL:  postmaster exited during a parallel transaction/g;
	my @lines = grep {
		!(/TRAP.*!IsTransactionOrTransactionBlock.*"pgstat\.c".*PID: (\d+)/ && $orphans{$1})
	} grep {
		/Please REINDEX/ || !/HINT|possibly corrupted shared memory/ && /PANIC|TRAP|inconsistent page|terminated by signal (?!9\b)|corrupt|could not (open|read)|invalid page/
	} split /\n/, $log;
	ok(!@lines, "$name: no word of crashes or corruption in the log") or diag join "\n", @lines[ 0 .. ($#lines < 20 ? $#lines : 20) ];
	return;
}

1;
