# Indexes of bit strings: values of another length, toasted values, expressions, builds
# that need temporary files, parallel VACUUM and parallel queries, and cursors.

use SimhashTest;

seed_random();
my $bits = (128, 144, 256)[ int rand 3 ];
note "bit($bits)";
my $node = start_node('node', 'autovacuum = off', 'min_parallel_index_scan_size = 0', 'min_parallel_table_scan_size = 0');
$node->safe_psql('postgres', qq{
	CREATE EXTENSION simhash;
	CREATE FUNCTION fp(i int) RETURNS bit LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
	\$\$ SELECT ('x' || md5(i::text) || md5((-i)::text))::bit($bits) \$\$;
});

# The same answers by index as by sequential scan
sub answers_agree
{
	my ($name, $index, @queries) = @_;
	for my $query (@queries)
	{
		my $expected = $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; $query");
		my $settings = 'SET enable_seqscan = off; SET enable_sort = off;';

		like($node->safe_psql('postgres', "$settings EXPLAIN $query"), qr/\b$index\b/, "$name: by index");
		is($node->safe_psql('postgres', "$settings $query"), $expected, "$name: $query");
	}
	return;
}

# Values and queries of another length
$node->safe_psql('postgres', qq{
	CREATE TABLE lengths (id int, fp bit varying);
	INSERT INTO lengths SELECT i, fp(i) FROM generate_series(1, 100) i;
	INSERT INTO lengths VALUES (0, B'101'), (-1, NULL);
});
my $create = "CREATE INDEX lengths_fp ON lengths USING bitblock (fp) WITH (bits = $bits)";
my $wrong = qr/ERROR:  22026: bit string length 3 does not match type bit\($bits\)/;
for (
	[ 'build with a value of another length', $create, $wrong ],
	[ 'without it', "DELETE FROM lengths WHERE id = 0", qr/^$/ ],
	[ 'build', $create, qr/^$/ ],
	[ 'check', "SELECT bitblock_check('lengths_fp', true)", qr/^$/ ],
	[ 'insertion of another length', "INSERT INTO lengths VALUES (0, B'101')", $wrong ],
	[ 'update to another length', "UPDATE lengths SET fp = B'101' WHERE id = 7", $wrong ],
	[ 'bound to another length', "SELECT id FROM lengths WHERE fp <-> B'101' <= 3", qr/^$/ ],
	[ 'nearest of another length', "SELECT id FROM lengths ORDER BY fp <-> B'101' LIMIT 1", qr/22026/ ],
	[ 'equal to another length', "DO \$\$ BEGIN ASSERT NOT EXISTS (SELECT FROM lengths WHERE fp::bit = B'101'); END \$\$", qr/^$/ ],
	[ 'another value for the next index', "ALTER INDEX lengths_fp SET (bits = 64)", qr/^$/ ],
	[ 'the index is of the first', "INSERT INTO lengths VALUES (200, fp(200))", qr/^$/ ],
	[ 'check again', "SELECT bitblock_check('lengths_fp', true)", qr/^$/ ],
	[ 'REINDEX is of the second', 'REINDEX INDEX lengths_fp', qr/22026/ ])
{
	my ($name, $statement, $pattern) = @$_;
	my (undef, undef, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET enable_seqscan = off; SET enable_sort = off; $statement");
	like($err, $pattern, $name);
}
answers_agree('after errors', 'lengths_fp', 'SELECT count(*) FROM lengths WHERE fp <-> fp(7) <= 60');

# Values that are compressed, or stored outside of the row
$node->safe_psql('postgres', qq{
	CREATE TABLE toasted (id int, filler text DEFAULT repeat('x', 2100), fp bit varying);
	ALTER TABLE toasted ALTER filler SET STORAGE PLAIN;
	INSERT INTO toasted (id, fp) SELECT i, (i % 16)::bit(1024) FROM generate_series(1, 200) i;
	ALTER TABLE toasted ALTER fp SET STORAGE EXTERNAL;
	INSERT INTO toasted (id, fp) SELECT i, (i % 16)::bit(1024) FROM generate_series(201, 400) i;
	CREATE INDEX toasted_fp ON toasted USING bitblock (fp) WITH (bits = 1024);
	INSERT INTO toasted (id, fp) SELECT i, (i % 16)::bit(1024) FROM generate_series(401, 600) i;
});
is($node->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE pg_column_size(fp) < 100) > 0, pg_relation_size(reltoastrelid) > 0
	FROM toasted, pg_class WHERE oid = 'toasted'::regclass GROUP BY reltoastrelid}), 't|t', 'values are compressed, and stored outside');
$node->safe_psql('postgres', q{SELECT bitblock_check('toasted_fp', true)});
answers_agree('toasted', 'toasted_fp', "SELECT count(*), sum(id) FROM toasted WHERE fp <-> 0::bit(1024) <= 1",
	'SELECT array_agg(d) FROM (SELECT fp <-> 3::bit(1024) AS d FROM toasted ORDER BY fp <-> 3::bit(1024) LIMIT 300) s',
	'SELECT count(*), sum(id) FROM toasted a WHERE fp <-> (SELECT fp FROM toasted WHERE id = 7) <= 0');

# Many rows; some blocks are the same in all rows, and some have few values
$node->safe_psql('postgres', qq{
	CREATE TABLE docs (id int, fp bit($bits));
	INSERT INTO docs SELECT i, CASE WHEN i % 10 = 0 THEN NULL ELSE fp(i / 3) & (repeat('1', $bits - 40) || repeat('0', 40))::bit($bits) END FROM generate_series(1, 60000) i;
	SET maintenance_work_mem = '1MB';
	CREATE INDEX docs_fp ON docs USING bitblock (fp);
	CREATE INDEX docs_of ON docs USING bitblock ((id % 3), fp);
	CREATE INDEX docs_masked ON docs USING bitblock ((fp & fp(1))) WITH (bits = $bits);
	SELECT bitblock_check('docs_fp', true), bitblock_check('docs_masked', true), bitblock_check('docs_of', true);
	VACUUM ANALYZE docs;
});
ok($node->poll_query_until('postgres', "SELECT temp_files > 3 * $bits / 16 FROM pg_stat_database WHERE datname = 'postgres'"),
	'builds have used temporary files');
answers_agree('a leading column', 'docs_of', "SELECT count(*), sum(id) FROM docs WHERE fp <-> fp(31) <= 60 AND id % 3 = 1",
	"SELECT count(*), sum(id) FROM docs WHERE fp IS NULL AND id % 3 = 2",
	"SELECT array_agg(d) FROM (SELECT fp <-> fp(77) AS d FROM docs WHERE id % 3 = 0 ORDER BY fp <-> fp(77) LIMIT 100) s");
$node->safe_psql('postgres', 'DROP INDEX docs_of');
my @queries = map { (
	"SELECT count(*), sum(id) FROM docs WHERE fp <-> fp($_) <= @{[ int rand $bits / 5 ]}",
	"SELECT count(*) FROM docs WHERE fp <-> (SELECT fp FROM docs WHERE id = $_) <= @{[ int rand $bits / 8 ]}") } 31, 3001;
answers_agree('built with files', 'docs_fp', @queries,
	"SELECT array_agg(d) FROM (SELECT fp <-> fp(77) AS d FROM docs ORDER BY fp <-> fp(77) LIMIT 100) s");
answers_agree('an expression', 'docs_masked', "SELECT count(*), sum(id) FROM docs WHERE (fp & fp(1)) <-> fp(31) <= @{[ int $bits / 3 ]}",
	"SELECT array_agg(d) FROM (SELECT (fp & fp(1)) <-> fp(2) AS d FROM docs ORDER BY (fp & fp(1)) <-> fp(2) LIMIT 20) s");

# A parallel query
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;';
my $near = "SELECT count(*), sum(id) FROM docs WHERE fp <-> fp(31) <= @{[ int $bits * 0.45 ]}";
like($node->safe_psql('postgres', "$parallel EXPLAIN $near"), qr/Parallel Bitmap Heap Scan/, 'a parallel bitmap scan');
is($node->safe_psql('postgres', "$parallel $near"), $node->safe_psql('postgres', "SET enable_bitmapscan = off; SET enable_indexscan = off; $near"), 'and its answer');

# Cursors: every row once, in the order of distance, also after a commit
my $rows = q{SELECT coalesce((fp <-> fp(5))::int, 2000) AS d FROM docs ORDER BY fp <-> fp(5)};
my @found = split /\n/, $node->safe_psql('postgres', qq{
	SET enable_seqscan = off; SET enable_sort = off; SET work_mem = '64kB';
	BEGIN; DECLARE c CURSOR WITH HOLD FOR $rows; FETCH 10 FROM c; COMMIT;
	FETCH 10 FROM c; DELETE FROM docs WHERE id % 7 = 0; FETCH ALL FROM c; CLOSE c;
	});
my @expected = sort { $a <=> $b } @found;
is(scalar(@found), 60000, 'a cursor returns every row');
is(join(',', @found), join(',', @expected), 'in order');
is($node->safe_psql('postgres', qq{SET enable_seqscan = off; SET enable_sort = off;
		BEGIN; DECLARE c SCROLL CURSOR FOR $rows LIMIT 50; MOVE 30 FROM c; MOVE BACKWARD 20 FROM c; FETCH 5 FROM c; COMMIT}),
	$node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_indexonlyscan = off; SELECT d FROM ($rows LIMIT 50) s OFFSET 10 LIMIT 5"),
	'a scrollable cursor');

# VACUUM with one worker for each index
my (undef, undef, $said) = $node->psql('postgres', 'VACUUM (PARALLEL 2, VERBOSE, INDEX_CLEANUP ON) docs');
like($said, qr/launched \d parallel vacuum worker/, 'a parallel VACUUM');
$node->safe_psql('postgres', q{SELECT bitblock_check('docs_fp', true), bitblock_check('docs_masked', true)});
is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT reltuples::text, ' ') FROM pg_class WHERE relname IN ('docs', 'docs_fp', 'docs_masked')}),
	$node->safe_psql('postgres', 'SELECT count(*) FROM docs'), 'which counts the rows');
answers_agree('after it', 'docs_fp', @queries);

$node->stop;
done_testing();
