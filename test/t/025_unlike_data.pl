# Every answer of a bitblock index equals the answer of a sequential scan.  The tables
# have 16-bit blocks with different distributions: constant, few values, half of the
# range, powers of two, Zipf, one bit apart, correlated with another block, and mixtures
# of two such plans.  The radii of a search depend on these distributions, and so does a
# second choice of radii. The test runs once with pages of few entries, where small
# tables have many leaves, and once with pages of the usual size.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

my $seed = seed_random();
my $node = PostgreSQL::Test::Cluster->new('unlike');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', q{
fsync = off
jit = off
autovacuum = off
log_statement = none
max_parallel_workers_per_gather = 0
});
$node->start;

# A block's value for row i.  r is 16 random bits, p is the value of the block before,
# and f is the value of the first block.
my %distributions = (
	'constant'    => '1234',
	'zero'        => '0',
	'uniform'     => 'r',
	'few values'  => '((r % 5) * 9973) & 65535',
	'two extremes' => '(r % 2) * 65535',
	'upper half'  => 'r | 32768',
	'upper quarter' => '49152 + i % 16384',
	'lower half'  => 'r & 32767',
	'even'        => 'r & 65534',
	'powers of two' => '1 << (r % 16)',
	'powers and zero' => 'CASE r % 17 WHEN 16 THEN 0 ELSE 1 << (r % 17) END',
	'Zipf'        => '(65536 ^ (r / 65536.0))::int - 1 & 65535',
	'one bit apart' => '23130 # (1 << (r % 16))',
	'two bits apart' => '23130 # (1 << (r % 16)) # (1 << (r / 16 % 16))',
	'counter'     => 'i & 65535',
	'squares'     => 'i % 32 * (i % 32) % 64',
	'multiples'   => 'i * 7919 & 65535',
	'as before'   => 'p',
	'as the first' => 'f',
	'complement'  => '65535 - p',
	'a bit from before' => 'p # (1 << (r % 16))',
	'shifted'     => '((p << 3) | (p >> 13)) & 65535');
my @names = sort keys %distributions;

sub pick
{
	return $_[ int rand @_ ];
}

# The distributions of four blocks, by name: few names, and often two constants, so that
# blocks differ as much as possible
sub random_plan
{
	my @palette = (pick(@names), pick(@names), pick('constant', @names));
	my @plan = map { pick(@palette) } 1 .. 4;

	@plan[ pick(0, 1), pick(2, 3) ] = ('constant', 'constant') if rand() < 0.5;
	return @plan;
}

# The SQL expression of a fingerprint by such a plan
sub fingerprint
{
	my (@plan) = @_;
	my $from = 'SELECT i, 0 AS p0';

	# each block in its own subquery, because it may refer to the blocks before
	for my $b (1 .. 4)
	{
		my $value = $distributions{ $plan[ $b - 1 ] };
		my $before = 'p' . ($b - 1);
		my $first = $b == 1 ? '0' : 'p1';
		my $r = "(hashint8extended(i, s + $b) & 65535)::int";

		$value =~ s/\br\b/$r/g;
		$value =~ s/\bp\b/$before/g;
		$value =~ s/\bf\b/$first/g;
		$from = "SELECT *, ($value) AS p$b FROM ($from) s$b";
	}
	return "(SELECT ((p1::bigint << 48) | (p2::bigint << 32) | (p3::bigint << 16) | p4)::simhash FROM ($from) s)";
}

sub create
{
	my ($db) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION simhash');
	use_small_pages($node, $db);
	$node->safe_psql($db, q{
		-- Queries: two fingerprints and two bounds each
		CREATE TABLE q (n int, fp simhash, k int, fp2 simhash, k2 int);

		-- Fill it with fingerprints of rows, of the first rows, near rows, of blocks of several
		-- rows, and elsewhere
		CREATE FUNCTION make_queries(queries int) RETURNS void LANGUAGE plpgsql AS $$
		DECLARE
			fps simhash[] := (SELECT array_agg(fp ORDER BY id) FROM t WHERE fp IS NOT NULL);
			a simhash;
			b simhash;
			c simhash;
			mask simhash;
		BEGIN
			TRUNCATE q;
			FOR i IN 1..queries LOOP
				a := fps[1 + floor(random() * least(12, cardinality(fps)))];
				b := fps[1 + floor(random() * cardinality(fps))];
				c := fps[1 + floor(random() * cardinality(fps))];
				mask := (ARRAY['ffff000000000000', '0000ffff0000ffff', '00000000ffffffff', '00ff00ff00ff00ff'])[1 + floor(random() * 4)];
				FOR flips IN 1..CASE i % 5 WHEN 2 THEN (random() * 10)::int ELSE 0 END LOOP
					b := b # (1::bigint << (random() * 63)::int)::simhash;
				END LOOP;
				INSERT INTO q VALUES (i,
					CASE i % 5 WHEN 0 THEN a WHEN 1 THEN b WHEN 2 THEN b WHEN 3 THEN (b & mask) | (c & ~mask)
						ELSE (ARRAY[hashint8extended(i, 1)::simhash, '0000000000000000', 'ffffffffffffffff', a & mask])[1 + floor(random() * 4)] END,
					CASE WHEN random() < 0.3 THEN (random() * 66)::int - 1 ELSE (random() * 16)::int END,
					(ARRAY[a, c, b # '0000000f00000003', ~c])[1 + floor(random() * 4)],
					CASE WHEN random() < 0.5 THEN (random() * 66)::int - 1 ELSE (random() * 12)::int END);
			END LOOP;
		END $$;

		-- Run a query that returns one text for each of the queries, in their order
		CREATE FUNCTION answers(query text, mode text) RETURNS text[] LANGUAGE plpgsql AS $$
		DECLARE
			found text[];
			plan text := '';
			line text;
		BEGIN
			PERFORM set_config('enable_' || m, ((mode, m) IN (('seqscan', 'sort'), ('indexonlyscan', 'indexscan')) OR m = mode)::text, true)
				FROM unnest(ARRAY['seqscan', 'indexscan', 'indexonlyscan', 'bitmapscan', 'sort']) m;
			query := format('SELECT array_agg(a ORDER BY n) FROM (SELECT q.n, (%s)::text AS a FROM q) s', query);
			FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
				plan := plan || line || E'\n';
			END LOOP;
			IF plan !~ (CASE mode WHEN 'seqscan' THEN 'Seq Scan on t\M' WHEN 'indexscan' THEN 'Index Scan using t_'
						WHEN 'indexonlyscan' THEN 'Index Only Scan using t_' ELSE 'Bitmap Heap Scan on t\M' END) THEN
				RAISE EXCEPTION 'no %: %', mode, plan;
			END IF;
			EXECUTE query INTO found;
			RETURN found;
		END $$;

		-- One row for each answer that differs from the sequential scan's, the last row
		-- says how many were compared
		CREATE FUNCTION differences(form text, query text, modes text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
		DECLARE
			expected text[] := answers(query, 'seqscan');
			found text[];
			mode text;
			asked q;
		BEGIN
			FOREACH mode IN ARRAY modes LOOP
				found := answers(query, mode);
				FOR i IN 1..cardinality(expected) LOOP
					IF found[i] IS DISTINCT FROM expected[i] THEN
						SELECT * INTO asked FROM q WHERE n = i;
						RETURN NEXT format('%s by %s, query %s: %s, not %s', form, mode, asked,
							left(found[i], 100), left(expected[i], 100));
					END IF;
				END LOOP;
			END LOOP;
			RETURN NEXT cardinality(expected) * cardinality(modes) || ' compared';
		END $$;
	});
	return;
}

my $sum = 'SELECT count(*) || \' \' || coalesce(sum(id::bigint * id), 0)';
my @forms = (
	[ 'within', "$sum FROM t WHERE t.fp <-> q.fp <= q.k", 'indexscan', 'bitmapscan' ],
	[ 'within, index only', 'SELECT count(*) || \' \' || coalesce(sum(fp::bigint::numeric), 0) FROM t WHERE t.fp <-> q.fp <= q.k', 'indexonlyscan' ],
	[ 'two conditions', "$sum FROM t WHERE t.fp <-> q.fp <= q.k AND t.fp <-> q.fp2 <= q.k2", 'indexscan', 'bitmapscan' ],
	[ 'contradiction', "$sum FROM t WHERE t.fp <-> q.fp <= q.k / 2 AND t.fp <-> ~q.fp <= q.k2", 'indexscan' ],
	[ 'nearest', 'SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp AS d FROM t ORDER BY t.fp <-> q.fp LIMIT 10) s', 'indexscan' ],
	[ 'nearest within', 'SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp AS d FROM t WHERE t.fp <-> q.fp2 <= q.k2 ORDER BY t.fp <-> q.fp LIMIT 10) s', 'indexscan' ],
	[ 'nearest by two', 'SELECT array_agg(d) FROM (SELECT ARRAY[t.fp <-> q.fp, t.fp <-> q.fp2] AS d FROM t ORDER BY t.fp <-> q.fp, t.fp <-> q.fp2 LIMIT 10) s', 'indexscan' ],
	[ 'balls', "$sum FROM t WHERE simhash_ball(t.fp, 8) && simhash_ball(q.fp, q.k)", 'indexscan', 'bitmapscan' ]);

# Every row of a few queries, in order
my @all_forms = (
	[ 'all by distance', 'SELECT md5(string_agg(d::text, \',\')) || count(DISTINCT id) FROM (SELECT id, t.fp <-> q.fp AS d FROM t ORDER BY t.fp <-> q.fp) s', 'indexscan' ],
	[ 'all by two distances', 'SELECT md5(string_agg(d::text, \',\')) || count(DISTINCT id) FROM (SELECT id, ARRAY[t.fp <-> q.fp, t.fp <-> q.fp2] AS d FROM t ORDER BY t.fp <-> q.fp, t.fp <-> q.fp2) s', 'indexscan' ]);

my $compared = 0;
my $wrong = 0;

sub compare
{
	my ($db, $what, @run) = @_;
	my $settings = pick('', '', 'SET work_mem = 64;');
	my $out = $node->safe_psql($db, join '', $settings, map {
		my ($form, $query, @modes) = @$_;
		my $modes = join ',', @modes;
		"SELECT differences('$form', \$x\$$query\$x\$, '{$modes}');"
	} @run);

	for (split /\n/, $out)
	{
		if (/^(\d+) compared$/) { $compared += $1; next }
		next if $wrong++ > 20;
		diag "SIMHASH_SEED=$seed, $what: $_";
	}
	return;
}

# A table by two plans; a share of the rows follows the second plan.  The queries are
# stored fingerprints, fingerprints between rows, and others.
sub round
{
	my ($db, $rows, $queries) = @_;
	my @plan = random_plan();
	my @other = map { $_ eq 'constant' || rand() < 0.3 ? $_ : pick(@names) } @plan;
	my $share = pick(0, 0.0003, 0.01, 0.1, 0.5);
	my $s = int rand 1 << 30;
	my $what = "($rows rows; " . join(', ', @plan) . "; $share: " . join(', ', @other) . ")";
	my $rows_sql = sub {
		my ($from, $to) = @_;
		return "SELECT i, CASE WHEN i <= 10 * sign($share) OR (hashint8extended(i, s) & 1048575) < 1048576 * $share
				THEN " . fingerprint(@other) . ' ELSE ' . fingerprint(@plan) . " END
			FROM generate_series($from, $to) i, (VALUES (${s}::bigint)) seed (s)";
	};
	my $half = int($rows / 2);

	$node->safe_psql($db, qq{
		DROP TABLE IF EXISTS t;
		CREATE TABLE t (id int, fp simhash);
		INSERT INTO t @{[ $rows_sql->(1, $half) ]};
		CREATE INDEX t_fp ON t USING bitblock (fp);
		CREATE INDEX t_ball ON t USING bitblock (simhash_ball(fp, 8));
		INSERT INTO t @{[ $rows_sql->($half + 1, $rows) ]};
		INSERT INTO t SELECT 0, NULL FROM generate_series(1, 3);
		VACUUM ANALYZE t;
		SELECT setseed(@{[ rand() ]}), make_queries($queries);
	});
	compare($db, "$what, inserted", @forms);
	$node->safe_psql($db, 'DELETE FROM q WHERE n > 4');
	compare($db, "$what, inserted", @all_forms);
	$node->safe_psql($db, qq{
		SELECT setseed(@{[ rand() ]}), make_queries($queries);
		DELETE FROM t WHERE id % 3 = @{[ int rand 3 ]} AND random() < @{[ pick(0.1, 0.9, 1) ]};
	});
	compare($db, "$what, deleted", @forms);
	$node->safe_psql($db, 'VACUUM t');
	compare($db, "$what, vacuumed", @forms);
	$node->safe_psql($db, "REINDEX TABLE t; VACUUM t");
	compare($db, "$what, built", @forms);
	$node->safe_psql($db, "SELECT bitblock_check('t_fp', true), bitblock_check('t_ball', true)");

	# An exclusion constraint lets exactly the representatives in that simhash_clusters
	# finds in another way.
	my $k = pick(0 .. 12);
	my $kept = $node->safe_psql($db, qq{
		DROP TABLE IF EXISTS e;
		CREATE TABLE e (id int, fp simhash, EXCLUDE USING bitblock (simhash_ball(fp, $k) WITH &&));
		INSERT INTO e SELECT id, fp FROM t WHERE fp IS NOT NULL AND id <= 3000 ORDER BY id ON CONFLICT DO NOTHING;
		SELECT count(*) FILTER (WHERE e.id IS NULL AND c.id = c.cluster), count(*) FILTER (WHERE e.id IS NOT NULL AND c.id <> c.cluster), count(*)
		FROM simhash_clusters('SELECT id, fp FROM t WHERE fp IS NOT NULL AND id <= 3000 ORDER BY id', NULL::int, $k, 'star') c
		LEFT JOIN e ON e.id = c.id});
	my ($missing, $excess, $decided) = split /\|/, $kept;
	$compared += $decided;
	if ($missing || $excess)
	{
		$wrong++;
		diag "SIMHASH_SEED=$seed, $what: exclusion within $k let $excess in and left out $missing";
	}
	return;
}

for my $pages ('small', 'usual')
{
	local $ENV{SIMHASH_SMALL_PAGES} = $pages eq 'small' ? $ENV{SIMHASH_SMALL_PAGES} : '';
	my $before = $compared;
	my $rounds = rounds($pages eq 'small' ? 19 : 4);

	create($pages);
	$wrong = 0;
	for my $round (1 .. $rounds)
	{
		if ($pages eq 'small')
		{
			round($pages, 30 + int 1500 * rand() ** 2, 100);
		}
		else
		{
			round($pages, 5000 + int rand 50000, 24);
		}
	}
	is($wrong, 0, "$pages pages: every answer is the sequential scan's");
	figures "$pages pages: $rounds tables of unlike blocks, " . ($compared - $before) . ' answers compared';
}

$node->stop;
done_testing();
