# Counts of what searches, builds, joins and simhash_duplicates() cost (pages, bytes, comparisons, memory) are at
# most those of test/costs.tsv, plus a tenth.

use SimhashTest;

# With SIMHASH_COSTS=file the test also writes the counts of this run there.
my $costs_file = 'test/costs.tsv';
my %limit;
for my $line (split /\n/, slurp_file($costs_file))
{
	next if $line =~ /^#|^$/;
	my ($name, $count) = split /\t/, $line;
	$limit{$name} = $count;
}
my @measured;

my $node = start_node('costs', 'autovacuum = off', 'fsync = off', 'full_page_writes = off', 'shared_buffers = 256MB',
	'max_parallel_workers = 0', 'max_parallel_maintenance_workers = 0', 'max_wal_size = 4GB', 'checkpoint_timeout = 1d', 'log_temp_files = 0',
	'wal_level = replica');
my ($postmaster) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');
my $has_memory = -r "/proc/$postmaster/maps" && slurp_file("/proc/$postmaster/maps") !~ /asan|valgrind/;

# Compare a count with that of the file.  It may grow by a tenth, memory by three tenths, and small counts by 3.
sub check_count
{
	my ($name, $count) = @_;
	my $share = $name =~ /, memory/ ? 0.3 : 0.1;
	my $known = $limit{$name};

	push @measured, "$name\t$count";
	if (!defined $known)
	{
		fail("$name: $count is not in $costs_file");
		return;
	}
	my $most = $known * (1 + $share) > $known + 3 ? $known * (1 + $share) : $known + 3;
	ok($count <= $most, "$name: $count") or diag("$costs_file has $known. If a change is worth the costs, renew the file (CONTRIBUTING.md).");
	note("$name: $count, which is less than the $known of $costs_file: renew the file") if $count < $known * (1 - $share) - 3;
	return;
}

$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	-- the nodes of a plan and all pages of their tables and indexes that a query asks for, in memory or not
	CREATE FUNCTION pages(query text) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE
		plan json;
	BEGIN
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off, SUMMARY off, FORMAT json) ' || query INTO plan;
		IF query ~ '^SELECT' AND (plan->0->'Plan')::text !~ 'Index' THEN
			RAISE EXCEPTION 'no index is used by %', query;
		END IF;
		RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint + (plan->0->'Plan'->>'Shared Read Blocks')::bigint;
	END $$;
	CREATE FUNCTION wal(query text) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE
		plan json;
	BEGIN
		EXECUTE 'EXPLAIN (ANALYZE, WAL, COSTS off, TIMING off, SUMMARY off, FORMAT json) ' || query INTO plan;
		RETURN (plan->0->'Plan'->>'WAL Bytes')::bigint;
	END $$;
	CREATE FUNCTION hash(i bigint, seed int) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT hashint8extended($1, $2)';
	-- a value with a few bits changed, 1 to 3
	CREATE FUNCTION changed(fp bigint, i bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
		$$ SELECT $1 # (1::bigint << (hash($2, 7) & 63)::int) # (1::bigint << (hash($2, 8) & 63)::int) # (1::bigint << (hash($2, 9) & 63)::int) $$;
	-- fingerprints of number i of three kinds: even, clouds of a thousand, fifty values
	CREATE FUNCTION fp64(kind text, i bigint) RETURNS simhash LANGUAGE sql IMMUTABLE AS
		$$ SELECT (CASE $1 WHEN 'even' THEN hash($2, 1) WHEN 'clouds' THEN changed(hash($2 / 1000, 1), $2) ELSE hash($2 % 50, 1) END)::simhash $$;
	CREATE FUNCTION fp256(kind text, i bigint) RETURNS bit(256) LANGUAGE sql IMMUTABLE AS
		$$ SELECT fp64($1, $2)::bit(64) || hash(CASE $1 WHEN 'even' THEN $2 WHEN 'clouds' THEN $2 / 1000 ELSE $2 % 50 END, 2)::bit(64) ||
		   fp64($1, $2 + 50000000)::bit(64) || hash(CASE $1 WHEN 'even' THEN $2 WHEN 'clouds' THEN $2 / 1000 ELSE $2 % 50 END, 3)::bit(64) $$});

# The sum of the pages of ten queries
sub check_pages
{
	my ($name, $query) = @_;

	# the first query of a session reads the catalogs and the metapage
	check_count("$name, pages", $node->safe_psql('postgres', qq{SET enable_seqscan = off; SET enable_bitmapscan = off;
		SELECT pages($query) FROM generate_series(1, 1) i \\g /dev/null
		SELECT sum(pages($query)) FROM generate_series(1, 10) i}));
	return;
}

### Searches and builds

for my $bits (64, 256)
{
	my $type = $bits == 64 ? 'simhash' : "bit($bits)";

	for my $case ([ 'even', 300_000 ], [ 'even', 3_000_000 ], [ 'clouds', 300_000 ], $bits == 64 ? [ 'few values', 300_000 ] : ())
	{
		my ($kind, $n) = @$case;
		my $label = "$bits bits, $kind, $n rows";

		$node->safe_psql('postgres', qq{
			CREATE UNLOGGED TABLE t AS SELECT i AS id, fp$bits('$kind', i)::$type AS fp FROM generate_series(1, $n) i;
			CREATE INDEX t_fp ON t USING bitblock (fp);
			VACUUM ANALYZE t});
		check_count("$label, index, pages", $node->safe_psql('postgres', q{SELECT pg_relation_size('t_fp') / 8192}));
		for my $k ($bits == 64 ? (3, 5, 8, 12) : (8, 20, 32, 48))
		{
			check_pages("$label, within $k", qq{format('SELECT count(*) FROM t WHERE fp <-> %L <= $k', fp$bits('$kind', i * 29989))});
		}
		for my $limit (1, 10, 100)
		{
			check_pages("$label, nearest $limit", qq{format('SELECT id FROM t ORDER BY fp <-> %L LIMIT $limit', fp$bits('$kind', i * 29989))});
			check_pages("$label, nearest $limit of another value", qq{format('SELECT id FROM t ORDER BY fp <-> %L LIMIT $limit', fp$bits('even', -i))});
		}
		if ($n == 300_000)
		{
			$node->safe_psql('postgres', qq{CREATE TABLE probes AS SELECT fp$bits('$kind', i * 1000)::$type AS fp FROM generate_series(1, 200) i; ANALYZE probes});
			check_count("$label, index join, pages", $node->safe_psql('postgres', q{SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
				SELECT pages('SELECT count(*) FROM probes p JOIN t ON t.fp % p.fp')})) if $kind ne 'few values';
			$node->safe_psql('postgres', q{DROP TABLE probes});
		}
		$node->safe_psql('postgres', q{DROP TABLE t});
	}

	# columns in front, and what a row and a build write to the log
	$node->safe_psql('postgres', qq{
		CREATE TABLE t AS SELECT i AS id, i % 100 AS tenant, fp$bits('clouds', i)::$type AS fp FROM generate_series(1, 300000) i;
		VACUUM ANALYZE t});
	for my $columns ('fp', 'tenant, fp')
	{
		my ($before, $after) = split /\n/, $node->safe_psql('postgres', qq{
			SELECT pg_current_wal_insert_lsn();
			CREATE INDEX t_fp ON t USING bitblock ($columns);
			SELECT pg_current_wal_insert_lsn()});

		check_count("$bits bits, ($columns), build, bytes of WAL", $node->safe_psql('postgres', qq{SELECT '$after'::pg_lsn - '$before'::pg_lsn}));
		check_count("$bits bits, ($columns), 1,000 rows inserted, bytes of WAL", $node->safe_psql('postgres',
			qq{SELECT wal('INSERT INTO t SELECT i, i % 100, fp$bits(''even'', i) FROM generate_series(400001, 401000) i')}));
		check_count("$bits bits, ($columns), 1,000 rows inserted, pages", $node->safe_psql('postgres',
			qq{SELECT pages('INSERT INTO t SELECT i, i % 100, fp$bits(''even'', i) FROM generate_series(500001, 501000) i')}));
		if ($columns ne 'fp')
		{
			check_pages("$bits bits, tenant, near", qq{format('SELECT count(*) FROM t WHERE tenant = %s AND fp %% %L', i, fp$bits('clouds', i * 29989))});
			check_pages("$bits bits, ten tenants, near", qq{format('SELECT count(*) FROM t WHERE tenant = ANY (''{1,2,3,4,5,6,7,8,9,10}'') AND fp %% %L', fp$bits('clouds', i * 29989))});
			check_pages("$bits bits, tenant, nearest 10", qq{format('SELECT id FROM t WHERE tenant = %s ORDER BY fp <-> %L LIMIT 10', i, fp$bits('clouds', i * 29989))});
		}
		$node->safe_psql('postgres', q{DELETE FROM t WHERE id > 300000; DROP INDEX t_fp; VACUUM t});
	}
	$node->safe_psql('postgres', qq{ALTER TABLE t RENAME TO clouds$bits});
}

### Memory and temporary files

# Check what a statement adds to the address space of its process, in kB, and the bytes of its temporary files, with
# this maintenance_work_mem.
sub check_memory
{
	my ($name, $memory, $statement) = @_;
	my ($status, $out, $err) = $node->psql('postgres', qq{
		SET maintenance_work_mem = '$memory'; SET client_min_messages = log; SET log_temp_files = 0;
		SELECT count(simhash_distance(fp, fp)) FROM (VALUES ('0000000000000000'::simhash)) v (fp);
		SELECT substring(pg_read_file('/proc/self/status', 0, 100000) FROM 'VmPeak:\\s*(\\d+)');
		$statement;
		SELECT 'peak ' || substring(pg_read_file('/proc/self/status', 0, 100000) FROM 'VmPeak:\\s*(\\d+)')}, on_error_stop => 1);
	my $bytes = 0;

	is($status, 0, "$name with $memory") or diag($err);
	my ($before) = $out =~ /^1\n(\d+)/;
	my ($after) = $out =~ /peak (\d+)/;
	$bytes += $1 while $err =~ /temporary file: .*, size (\d+)/g;
	check_count("$name, $memory, temporary bytes", $bytes);
	check_count("$name, $memory, memory in kB", $after - $before) if $has_memory;
	return;
}

for my $memory ('1MB', '64MB')
{
	for my $bits (64, 256)
	{
		check_memory("$bits bits, build", $memory, "CREATE INDEX t_fp ON clouds$bits USING bitblock (fp)");
		$node->safe_psql('postgres', 'DROP INDEX t_fp');
		check_memory("$bits bits, pairs", $memory, "SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM clouds$bits ', 1)");
		check_memory("$bits bits, clusters", $memory, "SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM clouds$bits')");
		check_memory("$bits bits, stars", $memory, "SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM clouds$bits', method => 'star')");
	}
}

### Duplicates: comparisons at n and 2n texts, so that a square shows

$node->safe_psql('postgres', q{
	-- number n of the words of text i
	CREATE FUNCTION word(i bigint, n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT translate(to_hex(abs(hash($1 * 1000 + $2, 5)) % 4096), '0123456789', 'ghijklmnop') $$;
	CREATE FUNCTION prose(i bigint, n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT string_agg(word($1, w), ' ') FROM generate_series(1, $2) w $$;
	CREATE FUNCTION advert(i bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT format('%2$s Apply to %1$s today. %1$s is a fair employer, %1$s pays well, and %1$s needs you.', translate($1::text, '0123456789', 'abcdefghij'), prose(0, 30)) $$;
	CREATE FUNCTION collection(kind text, n bigint) RETURNS TABLE (id bigint, body text) LANGUAGE sql AS $$
		SELECT i, CASE kind
			WHEN 'few near' THEN prose(CASE WHEN i % 20 = 0 THEN i - 1 ELSE i END, 60) || CASE WHEN i % 20 = 0 THEN ' and more' ELSE '' END
			WHEN 'copies' THEN CASE WHEN i % 2 = 0 THEN upper(prose(i % 10, 60)) ELSE prose(i % 10, 60) END
			WHEN 'names' THEN CASE WHEN i <= n / 2 THEN advert(i) ELSE advert(i - n / 2) || ' Please send no photographs.' END
			WHEN 'one word' THEN prose(0, 20) || ' ' || translate(i::text, '0123456789', 'abcdefghij') || ' ' || prose(1, 20)
			WHEN 'numbers' THEN prose(0, 30) || ' ' || i || ' ' || prose(1, 30)
			WHEN 'versions' THEN prose(i / 20, 60) || repeat(' ' || word(i, 1), (i % 20)::int / 4)
			ELSE body END
		FROM generate_series(1, n) i, LATERAL (SELECT CASE i % 4 WHEN 0 THEN prose(i, 60) WHEN 1 THEN advert(i)
			WHEN 2 THEN prose(i / 40, 60) || ' ' || i % 40 ELSE prose(2, 40) || ' ' || i END AS body) m
	$$});
my $folder = PostgreSQL::Test::Utils::tempdir();
my $cc = $ENV{CC} || 'cc';
is(system("$cc -std=gnu11 -O1 -pthread -DPGSIMHASH_BUILD -Iclient -Isrc -o $folder/costs test/client/costs.c \$(ls client/lib/*.c | grep -v api_duplicates) src/core/*.c src/core/*/*.c src/core/*/*/*.c -lm"),
	0, 'a program with the C library is built');
for my $kind ('few near', 'copies', 'names', 'one word', 'numbers', 'versions', 'mixed')
{
	for my $n (1000, 2000)
	{
		my ($status, $out, $err) = $node->psql('postgres', qq{
			CREATE TABLE texts AS SELECT * FROM collection('$kind', $n);
			SET maintenance_work_mem = '64MB'; SET client_min_messages = debug1;
			SELECT count(*), count(*) FILTER (WHERE id - original = $n / 2) FROM simhash_duplicates('SELECT id, body FROM texts')}, on_error_stop => 1);
		my ($found, $right) = split /\|/, $out;
		my @counts = $err =~ /DEBUG:  simhash_duplicates compared (\d+) pairs by sketches and (\d+) by texts, and read (\d+) texts/;

		is($status, 0, "$kind, $n texts") or diag($err);
		# each of these is a revision of the text with half its number
		check_count("$kind, $n texts, revisions missed", $n / 2 - $right) if $kind eq 'names';
		check_count("$kind, $n texts, sketches compared", $counts[0]);
		check_count("$kind, $n texts, texts compared", $counts[1]);
		check_count("$kind, $n texts, texts read", $counts[2]);
		$node->safe_psql('postgres', qq{COPY (SELECT body FROM texts ORDER BY id) TO '$folder/texts'; DROP TABLE texts});
		my @of_library = split ' ', `$folder/costs <$folder/texts`;
		is($of_library[0], $found, "$kind, $n texts: the library finds the same duplicates");
		check_count("$kind, $n texts, texts compared by the library", $of_library[2]);
		check_count("$kind, $n texts, texts read by the library", $of_library[3]);
	}
}

log_is_calm($node, 'costs');
$node->stop;
if ($ENV{SIMHASH_COSTS})
{
	open(my $file, '>', $ENV{SIMHASH_COSTS}) or die "$ENV{SIMHASH_COSTS}: $!";
	print $file map { "$_\n" } @measured;
	close $file;
}
is(join(', ', grep { my $name = $_; !grep { /^\Q$name\E\t/ } @measured } grep { $has_memory || !/, memory/ } sort keys %limit), '', 'every count of the file was measured');
done_testing();
