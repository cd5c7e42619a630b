# A session's memory of the indexes that it searches stays within simhash.cache_memory.
# The session first forgets the index that it searched least recently.  Answers do not
# depend on the memory.

use SimhashTest;

my $indexes = 400;
my $rows = 1000;	# of each table

my $node = start_node('node', 'autovacuum = off', 'shared_buffers = 200MB', 'max_locks_per_transaction = 200');
$node->safe_psql('postgres', qq{
	CREATE EXTENSION simhash;
	CREATE FUNCTION fp(i int) RETURNS simhash LANGUAGE sql IMMUTABLE AS
	\$\$ SELECT (('x' || substr(md5((i / 2)::text), 1, 16))::bit(64)::bigint # (1::bigint << (i % 64)))::simhash \$\$;
	CREATE TABLE docs (id int, fp simhash) PARTITION BY RANGE (id);
	DO \$\$ BEGIN FOR i IN 0..@{[ $indexes - 1 ]} LOOP
		EXECUTE format('CREATE TABLE docs_%s PARTITION OF docs FOR VALUES FROM (%s) TO (%s)', i, i * $rows, (i + 1) * $rows);
	END LOOP; END \$\$;
	INSERT INTO docs SELECT i, fp(i) FROM generate_series(0, $indexes * $rows - 1) i;
	CREATE INDEX ON docs USING bitblock (fp);
	CREATE TABLE large AS SELECT i AS id, fp(i) AS fp FROM generate_series(1, 100000) i;
	CREATE INDEX large_fp ON large USING bitblock (fp);

	-- 66 trees
	CREATE FUNCTION wide_fp(i int) RETURNS bit LANGUAGE sql IMMUTABLE AS
	\$\$ SELECT repeat(('x' || md5((i / 2)::text) || md5((-i / 2)::text))::bit(256)::text, 4)::bit(1024) \$\$;
	CREATE TABLE wide AS SELECT i AS id, set_bit(wide_fp(i), i % 1024, 0)::bit(1024) AS fp FROM generate_series(1, 10000) i;
	CREATE INDEX wide_fp ON wide USING bitblock (fp);
	ANALYZE;

	-- the memory of this session, in kB
	CREATE FUNCTION resident() RETURNS bigint LANGUAGE sql AS
	\$\$ SELECT substring(pg_read_file('/proc/self/status', 0, 100000) FROM 'RssAnon:\\s*(\\d+)')::bigint \$\$;

	-- Search partitions first .. last, so many times
	CREATE FUNCTION search(first int, last int, rounds int) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS \$\$
	DECLARE n bigint; total bigint := 0;
	BEGIN
		FOR round IN 1..rounds LOOP FOR i IN first..last LOOP
			EXECUTE format('SELECT count(*) FROM docs_%s WHERE fp <-> fp(%s) <= 3', i, i * $rows + round) INTO n;
			total := total + n;
		END LOOP; END LOOP;
		RETURN total;
	END \$\$;

	-- Plan the same, for which the relation cache needs memory
	CREATE FUNCTION plan() RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS \$\$
	BEGIN
		FOR i IN 0..@{[ $indexes - 1 ]} LOOP
			EXECUTE format('EXPLAIN SELECT count(*) FROM docs_%s WHERE fp <-> fp(%s) <= 3', i, i);
			EXECUTE format('EXPLAIN INSERT INTO docs_%s VALUES (%s, fp(%s))', i, i * $rows, i);
		END LOOP;
	END \$\$;
});

# A session remembers next to nothing of an insertion.
SKIP:
{
	skip 'no /proc', 1 unless -r '/proc/self/status';
	my ($before, $after) = split /\n/, $node->safe_psql('postgres', qq{
		SELECT FROM plan();
		INSERT INTO docs SELECT 1, fp(7) FROM generate_series(1, 10);
		SELECT resident();
		INSERT INTO docs SELECT $rows * i, fp(7) FROM generate_series(0, $indexes - 1) i;
		SELECT resident();
	}) =~ s/^\n//r;
	cmp_ok($after - $before, '<', 4 * $indexes, "inserting into $indexes indexes: from $before to $after kB");
	figures "memory of a session that inserts into $indexes indexes: from $before to $after kB";
}

# The memory in bytes, the number of the remembered indexes, and their names
my $remembered = q{SELECT coalesce(sum(total_bytes), 0), count(*) FROM pg_backend_memory_contexts WHERE name = 'bitblock cache'};
my $of_which = q{SELECT ident FROM pg_backend_memory_contexts WHERE name = 'bitblock cache' ORDER BY substring(ident FROM '\d+')::int};

my ($found, $bytes, $n);
for ([ '0', 0 ], [ '1kB', 1 ], [ '64kB', 64 ], [ '200kB', 200 ])
{
	my ($setting, $limit) = @$_;
	($found, $bytes, $n) = split /[\n|]/, $node->safe_psql('postgres', "SET simhash.cache_memory = '$setting'; SELECT search(0, $indexes - 1, 10); $remembered");
	cmp_ok($bytes, '<=', 1024 * $limit, "$setting: $bytes bytes, of $n indexes");
	cmp_ok($bytes, '>=', 1024 * $limit * 0.7, "$setting: and makes use of them") if $limit > 10;
}
($found, $bytes, $n) = split /[\n|]/, $node->safe_psql('postgres', "SELECT search(0, $indexes - 1, 10); $remembered");
is($n, $indexes, "by default all are remembered, in $bytes bytes");
cmp_ok($bytes, '>=', 1024 * $indexes, 'which is something');
cmp_ok($bytes, '<=', 16 * 1024 * 1024, 'within the limit');

# The session forgets the least recently searched index, not the first one, which it
# searches again and again.
my @which = split /\n/, $node->safe_psql('postgres', qq{SET simhash.cache_memory = '100kB';
	DO \$\$ BEGIN FOR i IN 1..$indexes - 1 LOOP PERFORM search(0, 0, 1), search(i, i, 1); END LOOP; END \$\$; $of_which});
my $kept = @which - 1;
is("@which", join(' ', map { "docs_${_}_fp_idx" } 0, $indexes - $kept .. $indexes - 1),
	"the $kept indexes that were searched last are remembered, and the one that always is");

# A table of many pages needs more memory for its slots.  A lower limit takes effect
# at the next search.
my @sizes = split /\n/, $node->safe_psql('postgres', qq{SET enable_seqscan = off; SET client_min_messages = error;
	DO \$\$ BEGIN FOR i IN 1..64 LOOP PERFORM id FROM large WHERE fp <-> fp(i) <= 3; END LOOP; END \$\$; $remembered;
	SET simhash.cache_memory = '2kB'; SELECT count(*) > 0 FROM large WHERE fp <-> fp(1) <= 3; $remembered;});
my ($large) = split /\|/, $sizes[0];
cmp_ok($large, '>', 4000, 'an index of many pages: slots are remembered');
is($sizes[-1], '0|0', 'and forgotten when the limit is lowered');
for ([ '16MB', 30000, 500000 ], [ '20kB', 0, 20480 ])
{
	my ($setting, $least, $most) = @$_;
	my @wide = split /\n/, $node->safe_psql('postgres', qq{SET enable_seqscan = off; SET simhash.cache_memory = '$setting'; SET client_min_messages = error;
		DO \$\$ BEGIN FOR i IN 1..64 LOOP PERFORM id FROM wide WHERE fp <-> wide_fp(i) <= 31; END LOOP; END \$\$; $remembered});
	($bytes) = split /\|/, $wide[-1];
	ok($bytes >= $least && $bytes <= $most, "an index of 66 trees, $setting: $bytes bytes");
}
for my $setting ('0', '3kB')
{
	@sizes = split /\n/, $node->safe_psql('postgres', qq{SELECT search(0, $indexes - 1, 10) > 0;
		SET simhash.cache_memory = '$setting'; SELECT search(0, 0, 10) > 0; $remembered});
	cmp_ok((split /\|/, $sizes[-1])[0], '<=', 1024 * $setting =~ s/kB//r, "$setting: and so are indexes that are not searched any more");
}

# The session forgets a dropped index when it needs the memory.
@sizes = split /\n/, $node->safe_psql('postgres', qq{SET simhash.cache_memory = '100kB'; SET client_min_messages = error;
	SELECT search(0, 60, 10) > 0; DO \$\$ BEGIN FOR i IN 0..60 LOOP EXECUTE 'DROP TABLE docs_' || i; END LOOP; END \$\$;
	SELECT search(61, 200, 10) > 0; $remembered; SELECT count(*) FROM ($of_which) i WHERE NOT EXISTS (SELECT FROM pg_class WHERE relname = ident)});
cmp_ok((split /\|/, $sizes[2])[0], '<=', 100 * 1024, 'after indexes were dropped');
is($sizes[3], 0, 'they are not remembered');

# Answers are the same at every limit, also if the limit changes between two rows.
my $query = sub {
	my ($setting, $seqscan) = @_;
	return qq{SET simhash.cache_memory = '$setting'; SET enable_seqscan = $seqscan; SET enable_sort = $seqscan;
		DO \$\$ BEGIN PERFORM set_config('enable_indexscan', CASE '$seqscan' WHEN 'on' THEN 'off' ELSE 'on' END, false),
			set_config('enable_bitmapscan', CASE '$seqscan' WHEN 'on' THEN 'off' ELSE 'on' END, false); END \$\$;
		SELECT i, k, (SELECT array_agg(id ORDER BY id) FROM docs WHERE fp <-> fp(i) <= k)
		FROM generate_series(100000, 100001) i, unnest(ARRAY[3]) k;
		SELECT i, k, (SELECT array_agg(id ORDER BY id) FROM large WHERE fp <-> fp(i) <= k),
			(SELECT array_agg(d) FROM (SELECT fp <-> fp(i) AS d FROM large ORDER BY fp <-> fp(i) LIMIT 20) s)
		FROM generate_series(1, 12) i, unnest(ARRAY[0, 3, 9, 20]) k;
		SELECT i, k, (SELECT array_agg(id ORDER BY id) FROM wide WHERE fp <-> wide_fp(i) <= k),
			(SELECT array_agg(d) FROM (SELECT fp <-> wide_fp(i) AS d FROM wide ORDER BY fp <-> wide_fp(i) LIMIT 20) s)
		FROM generate_series(1, 5) i, unnest(ARRAY[0, 31, 100]) k};
};
my $expected = $node->safe_psql('postgres', $query->('0', 'on'));
for my $setting ('0', '1kB', '20kB', '100kB', '16MB')
{
	ok($node->safe_psql('postgres', $query->($setting, 'off')) eq $expected, "$setting: answers are those of a sequential scan");
}
my $ids = $node->safe_psql('postgres', q{SET enable_seqscan = off; SET enable_bitmapscan = off; BEGIN;
	DECLARE c CURSOR FOR SELECT id FROM large WHERE fp <-> fp(5) <= 24;
	FETCH 10 FROM c; SET simhash.cache_memory = 0; SELECT -1 FROM large WHERE fp <-> fp(7) = 0;
	FETCH 10 FROM c; SET simhash.cache_memory = '1MB'; SELECT -1 FROM large WHERE fp <-> fp(8) = 0;
	ANALYZE large; FETCH 10 FROM c; REINDEX TABLE docs_300; FETCH ALL FROM c});
my @found = sort { $a <=> $b } grep { $_ > 0 } split /\n/, $ids;
is("@found", join(' ', split /\n/, $node->safe_psql('postgres', 'SELECT id FROM large WHERE (fp <~> fp(5)) <= 24 ORDER BY id')),
	'the limit changes while a cursor is open');

SKIP:
{
	skip 'PostgreSQL 15 reserves prefixes', 1 if major_version() < 15;
	my (undef, undef, $err) = $node->psql('postgres', q{SELECT simhash 'ffff0000ffff0000'; SET simhash.cash_memory = 1});
	like($err, qr/invalid configuration parameter name "simhash.cash_memory"/, 'a misspelled setting is refused');
}
is($node->safe_psql('postgres', q{SELECT simhash 'ffff0000ffff0000' \g /dev/null
	SELECT unit, context, boot_val, min_val FROM pg_settings WHERE name = 'simhash.cache_memory'}), 'kB|user|16384|0', 'as documented');

$node->stop;
done_testing();
