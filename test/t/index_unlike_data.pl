# Every answer of a bitblock index equals the answer of a sequential scan.  The tables
# have 16-bit blocks with different distributions: constant, few values, half of the
# range, powers of two, Zipf, one bit apart, correlated with another block, and mixtures
# of two such plans.  The radii of a search depend on these distributions, and so does a
# second choice of radii. The columns are of each type and of several widths.  Some indexes
# have columns in front of the fingerprint, with distributions of their own.  The test runs
# with pages of few entries, where small tables have many leaves; with tags of 2 bits, which
# unlike values of leading columns share; and with pages of the usual size.
#
#   SIMHASH_DATA=folder     real fingerprints for further tables: files pdq_crops.bin and
#                           dhash_crops.bin, image hashes of 32 bytes each

use SimhashTest;

my $seed = seed_random();
my $dir = PostgreSQL::Test::Utils::tempdir();
# indexes that several processes build have to be as good
my $node = start_node('unlike', 'autovacuum = off', 'log_statement = none', 'max_parallel_workers_per_gather = 0',
	'min_parallel_table_scan_size = 0', 'max_parallel_maintenance_workers = ' . (0, 2)[ int rand 2 ]);

# A block's value from the number of its row, 16 random bits, the value of the block
# before, and the value of the first block
my %distributions = (
	'constant'    => sub { 1234 },
	'zero'        => sub { 0 },
	'uniform'     => sub { $_[1] },
	'few values'  => sub { ($_[1] % 5) * 9973 & 65535 },
	'two extremes' => sub { ($_[1] % 2) * 65535 },
	'upper half'  => sub { $_[1] | 32768 },
	'upper quarter' => sub { 49152 + $_[0] % 16384 },
	'lower half'  => sub { $_[1] & 32767 },
	'even'        => sub { $_[1] & 65534 },
	'powers of two' => sub { 1 << ($_[1] % 16) },
	'powers and zero' => sub { (1 << ($_[1] % 17)) & 65535 },
	'Zipf'        => sub { int(65536**($_[1] / 65536)) - 1 },
	'one bit apart' => sub { 23130 ^ (1 << ($_[1] % 16)) },
	'two bits apart' => sub { 23130 ^ (1 << ($_[1] % 16)) ^ (1 << (($_[1] >> 4) % 16)) },
	'counter'     => sub { $_[0] & 65535 },
	'squares'     => sub { $_[0] % 32 * ($_[0] % 32) % 64 },
	'multiples'   => sub { $_[0] * 7919 & 65535 },
	'as before'   => sub { $_[2] },
	'as the first' => sub { $_[3] },
	'complement'  => sub { 65535 - $_[2] },
	'a bit from before' => sub { $_[2] ^ (1 << ($_[1] % 16)) },
	'shifted'     => sub { (($_[2] << 3) | ($_[2] >> 13)) & 65535 });
my @names = sort keys %distributions;

sub pick
{
	return $_[ int rand @_ ];
}

# The distributions of a number of blocks, by name: few names, and often constants, so that
# blocks differ as much as possible
sub random_plan
{
	my ($blocks) = @_;
	my @palette = (pick(@names), pick(@names), pick('constant', @names));
	my @plan = map { pick(@palette) } 1 .. $blocks;

	if ($blocks > 4)
	{
		my $constant = pick(0, 0.2, 0.6, 0.9);
		@plan = map { rand() < $constant ? 'constant' : $_ } @plan;
	}
	elsif (rand() < 0.5)
	{
		@plan[ pick(0, 1), pick(2, 3) ] = ('constant', 'constant');
	}
	return @plan;
}

# The fingerprint of row i by a plan of distributions, as bytes
sub fingerprint
{
	my ($i, @plan) = @_;
	my @blocks;

	for my $name (@plan)
	{
		push @blocks, $distributions{$name}
		  ->($i, int rand 65536, $blocks[-1] // 0, $blocks[0] // 0);
	}
	return pack 'n*', @blocks;
}

# The places of the bits of a wide fingerprint in the index, as src/core/permutation.c
# defines them
sub places
{
	my ($bits) = @_;
	my @places = (0 .. $bits - 1);
	my $state = $bits;
	no warnings 'portable';

	for my $i (reverse 1 .. $bits - 1)
	{
		use integer;
		my $x = $state += 0x9E3779B97F4A7C15;
		$x = ($x ^ ($x >> 30 & 0x3ffffffff)) * 0xBF58476D1CE4E5B9;
		$x = ($x ^ ($x >> 27 & 0x1fffffffff)) * 0x94D049BB133111EB;
		$x = $x ^ ($x >> 31 & 0x1ffffffff);
		my $k = ($x >> 32 & 0xffffffff) * ($i + 1) >> 32;
		@places[ $i, $k ] = @places[ $k, $i ];
	}
	return @places;
}

# The value for which the index stores the given fingerprint.  So the blocks of a plan
# are the blocks of the index.
sub out_of_index_order
{
	my ($fp, @places) = @_;
	my $bits = unpack 'B*', $fp;

	return pack 'B*', join '', map { substr $bits, $_, 1 } @places;
}

sub create
{
	my ($db) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION simhash');
	use_small_pages($node, $db);
	$node->safe_psql($db, q{
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
			asked text;
		BEGIN
			FOREACH mode IN ARRAY modes LOOP
				found := answers(query, mode);
				FOR i IN 1..cardinality(expected) LOOP
					IF found[i] IS DISTINCT FROM expected[i] THEN
						SELECT q::text INTO asked FROM q WHERE n = i;
						RETURN NEXT format('%s by %s, query %s: %s, not %s', form, mode, left(asked, 700),
							left(found[i], 100), left(expected[i], 100));
					END IF;
				END LOOP;
			END LOOP;
			RETURN NEXT cardinality(expected) * cardinality(modes) || ' compared';
		END $$;
	});
	return;
}

# A column: its type, its number of bits, and whether the index needs the parameter bits
sub column
{
	my ($kind, $bits) = @_;

	return { kind => $kind, leading => [], bits => 64, type => 'simhash', ball => 'simhash_ball', with => '', ball_with => '' }
	  if $kind eq 'simhash';
	return { kind => $kind, leading => [], bits => $bits, ball => 'bit_ball', ball_with => "WITH (bits = $bits)",
		type => { bit => "bit($bits)", domain => "bit_$bits", varbit => 'bit varying' }->{$kind},
		with => $kind eq 'varbit' ? "WITH (bits = $bits)" : '' };
}

# The value of a leading column from the number of its row, the number of rows, and the
# fingerprint; undef is NULL
my %leading = (
	'one'         => sub { 7 },
	'all different' => sub { $_[0] },
	'Zipf'        => sub { int(30**rand()) },
	'few'         => sub { int rand 5 },
	'mostly one'  => sub { rand() < 0.98 ? 1 : int rand 9 },
	'many NULL'   => sub { rand() < 0.5 ? undef : int rand 3 },
	'NULL'        => sub { undef },
	'in order'    => sub { int($_[0] / ($_[1] / 6 + 1)) },
	'in reverse'  => sub { -int($_[0] / ($_[1] / 40 + 1)) },
	'from fingerprint' => sub { ord($_[2]) >> 5 },
	'hash'        => sub { unpack('%16C*', $_[2]) % 11 });

# Put 1 to 3 leading columns in front of a column.
sub add_leading
{
	my ($column) = @_;
	my @leading = map {
		{ name => $_, type => pick('int', 'bigint', 'text', 'numeric'), of => pick(sort keys %leading) }
	} ('a', 'b', 'c')[ 0 .. pick(0, 0, 1, 2) ];

	return { %$column, leading => \@leading, indexes => pick('fp', 'fp', 'ball') };
}

# Of each leading column: SQL from its name and type
sub of_leading
{
	my ($column, $sql) = @_;
	return join '', map { sprintf $sql, $_->{name}, $_->{type} } @{ $column->{leading} };
}

# The values of a row's leading columns as columns of COPY
sub leading_values
{
	my ($column, @row) = @_;
	return join '', map { "\t" . ($leading{ $_->{of} }->(@row) // '\N') } @{ $column->{leading} };
}

# A form of query with conditions on leading columns: = on all of them, = on all but one,
# IS NULL on one, an array for one or for all
sub with_leading
{
	my ($column, $kind, $form) = @_;
	my ($name, $query, @modes) = @$form;
	my @names = map { $_->{name} } @{ $column->{leading} };
	my $special = pick(@names);
	my %special = ('equal' => "t.$special = q.$special", 'missing' => 'true', 'null' => "t.$special IS NULL",
		'array' => "t.$special = ANY (" . pick(
			"ARRAY[q.$special, (SELECT max($special) FROM q)]", "ARRAY[NULL, q.$special, q.$special]",
			"ARRAY(SELECT $special FROM q)") . ')');
	my $condition = join ' AND ', map {
		$kind eq 'arrays' ? "t.$_ = ANY (ARRAY[(SELECT min($_) FROM q), q.$_, (SELECT max($_) FROM q)])" :
		  $_ eq $special ? $special{$kind} : "t.$_ = q.$_"
	} @names;

	$query =~ s/ FROM t WHERE / FROM t WHERE $condition AND /
	  or $query =~ s/ FROM t ORDER BY / FROM t WHERE $condition ORDER BY /
	  or die $query;
	return [ "$name, $kind", $query, grep { $_ ne 'indexonlyscan' } @modes ];
}

# The forms for which the column's indexes exist, with conditions on leading columns
sub forms_of
{
	my ($column, @forms) = @_;
	my (@served, @some);

	return @forms unless @{ $column->{leading} };
	@served = grep { ($_->[0] =~ /^balls/) == ($column->{indexes} eq 'ball') && $_->[0] !~ /index only/ } @forms;
	push @some, with_leading($column, $_, pick(@served)) for @served ? ('missing', 'null', ('array', 'arrays') x 3) : ();
	return ((map { with_leading($column, 'equal', $_) } @served), @some);
}

my $sum = 'SELECT count(*) || \' \' || coalesce(sum(id::bigint * id), 0)';

sub forms
{
	my ($column) = @_;
	my $ball = $column->{ball};
	my $usual = $column->{bits} / 8;
	my $complement = $column->{kind} eq 'simhash' ? '(~q.fp::bigint)::simhash' : '~q.fp';
	my $two_balls = "ANY (ARRAY[$ball(q.fp, q.k), NULL, $ball(q.fp2, q.k2), $ball(q.fp, q.k / 2)])";
	my $equal = pick('<-> q.fp <= 0', 'IS NOT NULL', '% q.fp');

	return (
		[ 'within', "$sum FROM t WHERE t.fp <-> q.fp <= q.k", 'indexscan', 'bitmapscan' ],
		[ 'within, index only', 'SELECT count(*) || \' \' || coalesce(sum(hashtext(fp::text)), 0) FROM t WHERE t.fp <-> q.fp <= q.k', 'indexonlyscan' ],
		# bit varying has its own operator =
		$column->{kind} eq 'varbit' ? () : [ 'equal', "$sum FROM t WHERE t.fp = q.fp", 'indexscan' ],
		[ 'near', "$sum FROM t WHERE t.fp % q.fp", 'indexscan', 'bitmapscan' ],
		[ 'near and within', "$sum FROM t WHERE q.fp2 % t.fp AND t.fp <-> q.fp <= q.k", 'indexscan' ],
		[ 'two conditions', "$sum FROM t WHERE t.fp <-> q.fp <= q.k AND t.fp <-> q.fp2 <= q.k2", 'indexscan', 'bitmapscan' ],
		[ 'contradiction', "$sum FROM t WHERE t.fp <-> q.fp <= q.k / 2 AND t.fp <-> $complement <= q.k2", 'indexscan' ],
		[ 'nearest', 'SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp AS d FROM t ORDER BY t.fp <-> q.fp LIMIT 10) s', 'indexscan', 'indexonlyscan' ],
		[ 'nearest within', 'SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp AS d FROM t WHERE t.fp <-> q.fp2 <= q.k2 ORDER BY t.fp <-> q.fp LIMIT 10) s', 'indexscan' ],
		[ 'all within by distance', 'SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp AS d FROM t WHERE t.fp <-> q.fp <= q.k ORDER BY t.fp <-> q.fp) s', 'indexscan' ],
		[ 'nearest by two', 'SELECT array_agg(d) FROM (SELECT ARRAY[t.fp <-> q.fp, t.fp <-> q.fp2] AS d FROM t ORDER BY t.fp <-> q.fp, t.fp <-> q.fp2 LIMIT 10) s', 'indexscan' ],
		# arrays on the fingerprint
		[ 'within one of two', "$sum FROM t WHERE t.fp <@ $two_balls", 'indexscan', 'bitmapscan' ],
		[ 'within one, index only', "SELECT count(*) || ' ' || coalesce(sum(hashtext(fp::text)), 0) FROM t WHERE t.fp <@ $two_balls", 'indexonlyscan' ],
		$column->{kind} eq 'varbit' ? () :
		  [ 'equal to one', "$sum FROM t WHERE t.fp = ANY (ARRAY[q.fp, NULL, q.fp, (SELECT fp FROM q a WHERE a.n = q.n + 1)]) AND t.fp $equal", 'indexscan', 'bitmapscan' ],
		[ 'near one and another', "$sum FROM t WHERE t.fp % ANY (ARRAY[q.fp, q.fp2]) AND t.fp % ANY (ARRAY[q.fp2, (SELECT fp FROM q a WHERE a.n = q.n + 1)])", 'indexscan' ],
		[ 'nearest within one', "SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp2 AS d FROM t WHERE t.fp <@ $two_balls ORDER BY t.fp <-> q.fp2 LIMIT 10) s", 'indexscan' ],
		[ 'all within one by distance', "SELECT array_agg(d) FROM (SELECT t.fp <-> q.fp AS d FROM t WHERE t.fp <@ $two_balls ORDER BY t.fp <-> q.fp) s", 'indexscan' ],
		[ 'balls and one of two', "$sum FROM t WHERE $ball(t.fp, $usual) && $two_balls", 'indexscan', 'bitmapscan' ],
		[ 'balls', "$sum FROM t WHERE $ball(t.fp, $usual) && $ball(q.fp, q.k)", 'indexscan', 'bitmapscan' ]);
}

# Every row of a few queries, in order
my @all_forms = (
	[ 'all by distance', 'SELECT md5(string_agg(d::text, \',\')) || count(DISTINCT id) FROM (SELECT id, t.fp <-> q.fp AS d FROM t ORDER BY t.fp <-> q.fp) s', 'indexscan' ],
	[ 'all by two distances', 'SELECT md5(string_agg(d::text, \',\')) || count(DISTINCT id) FROM (SELECT id, ARRAY[t.fp <-> q.fp, t.fp <-> q.fp2] AS d FROM t ORDER BY t.fp <-> q.fp, t.fp <-> q.fp2) s', 'indexscan' ]);

# A fingerprint as text for COPY
sub as_text
{
	my ($column, $fp) = @_;
	return unpack $column->{kind} eq 'simhash' ? 'H*' : 'B*', $fp;
}

# SQL that loads rows of text into a table
sub copy
{
	my ($table, @rows) = @_;

	unlink "$dir/rows_$table";
	append_to_file("$dir/rows_$table", join '', map { "$_\n" } @rows);
	return "COPY $table FROM '$dir/rows_$table';";
}

sub flip
{
	my ($fp, $bits) = @_;

	for (1 .. $bits)
	{
		my $at = int rand 8 * length $fp;
		vec($fp, $at, 1) ^= 1;
	}
	return $fp;
}

# The fingerprint of an index's only row, as the index stores it; see page.h
sub stored_fingerprint
{
	my ($db, $index, $bits) = @_;
	my $words = ($bits + 63) >> 6;
	my $trees = $bits / 16 + 2;
	my $page = $node->safe_psql($db, "CHECKPOINT; SELECT encode(pg_read_binary_file(pg_relation_filepath('$index'),
		8192 * @{[ 2 * $trees ]}, 8192), 'hex')");
	return substr pack('Q>*', unpack 'Q<*', substr pack('H*', $page), 24, 8 * $words), 0, $bits / 8;
}

sub distance
{
	my ($a, $b) = @_;
	return unpack '%32b*', $a ^ $b;
}

# SQL that makes queries of two fingerprints and two bounds.  A fingerprint is that of a row
# or of one of the first rows, is near a row, has blocks of several rows, or is random.
sub make_queries
{
	my ($column, $queries, $leading, @fps) = @_;
	my $bits = $column->{bits};
	my $none = "\0" x ($bits / 8);
	my @rows;

	for my $i (1 .. $queries)
	{
		my $first = $fps[ int rand(@fps < 12 ? @fps : 12) ];
		my $row = int rand @fps;
		my $some = $fps[$row];
		my $other = $fps[ int rand @fps ];
		my $mask = join '', map { pick("\0\0", "\0\xff", "\xff\xff") } 1 .. $bits / 16;
		my @fp = ($first, $some, flip($some, int rand $bits / 6), ($some & $mask) | ($other & ~$mask),
			pick($none, ~$none, $first & $mask, join '', map { chr int rand 256 } 1 .. $bits / 8));
		my $fp = $fp[ $i % 5 ];
		my $fp2 = pick($first, $other, flip($some, int rand 6), ~$other);

		# bounds that equal the distance of a row find most errors
		push @rows, join "\t", $i, as_text($column, $fp),
		  pick(distance($fp, $some), int(rand($bits + 3)) - 1, int rand $bits / 4, int rand $bits / 4),
		  as_text($column, $fp2),
		  pick(distance($fp2, $some), int(rand($bits + 3)) - 1, int rand $bits / 5, int rand $bits / 5) .
		  $leading->[ rand() < 0.8 ? $row : int rand @fps ];
	}
	return 'TRUNCATE q;' . copy('q', @rows);
}

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

# An exclusion constraint accepts exactly the right rows.  For a simhash,
# simhash_clusters finds these rows in another way.
sub compare_exclusion
{
	my ($db, $what, $column) = @_;
	my $bits = $column->{bits};
	my $near = rand() < 0.5;
	my $k = $near ? int $bits * 5 / 64 : rand() < 0.8 ? int rand $bits / 5 : int rand $bits + 1;
	my $compared_with = $near ? "fp WITH %) $column->{with}" : "$column->{ball}(fp, $k) WITH &&) $column->{ball_with}";
	my $default = $near ? 'NULL' : $k;
	my $by_clusters = $column->{kind} eq 'simhash' && !@{ $column->{leading} };
	my $rows = $by_clusters ? 3000 : 500;
	my $defined = of_leading($column, ', %s %s');
	my $names = of_leading($column, ', %s');
	my $equal = of_leading($column, ' AND e2.%1$s = r.%1$s');
	my $decided = $node->safe_psql($db, qq{
		DROP TABLE IF EXISTS e, e2;
		CREATE TABLE e (id int, fp $column->{type}$defined, EXCLUDE USING bitblock (@{[ of_leading($column, '%s WITH =, ') ]}$compared_with);
		INSERT INTO e SELECT id, fp$names FROM t WHERE fp IS NOT NULL AND id <= $rows ORDER BY id ON CONFLICT DO NOTHING;
		CREATE TABLE e2 (id int, fp $column->{type}$defined); }
		. ($by_clusters ? qq{
		INSERT INTO e2 SELECT id FROM simhash_clusters('SELECT id, fp FROM t WHERE fp IS NOT NULL AND id <= $rows ORDER BY id', NULL::int, $default, 'star') c WHERE id = cluster;}
		: qq{
		DO \$\$ DECLARE r record; BEGIN
			FOR r IN SELECT id, fp$names FROM t WHERE fp IS NOT NULL AND id <= $rows ORDER BY id LOOP
				INSERT INTO e2 SELECT r.id, r.fp@{[ of_leading($column, ", r.%s") ]} WHERE NOT EXISTS (SELECT FROM e2 WHERE e2.fp <-> r.fp <= $k$equal);
			END LOOP;
		END \$\$;}) . qq{
		SELECT count(*) FILTER (WHERE e.id IS NULL), count(*) FILTER (WHERE e2.id IS NULL),
			(SELECT count(*) FROM t WHERE fp IS NOT NULL AND id <= $rows)
		FROM e FULL JOIN e2 ON e.id = e2.id});
	my ($missing, $excess, $n) = split /\|/, $decided;

	$compared += $n;
	if ($missing || $excess)
	{
		$wrong++;
		diag "SIMHASH_SEED=$seed, $what: exclusion within $k let $excess in and left out $missing";
	}
	return;
}

# A table of fingerprints, which are bytes
sub round
{
	my ($db, $what, $column, $queries, @fps) = @_;
	my $n = 0;
	my @leading = map { leading_values($column, ++$n, scalar @fps, $_) } @fps;
	my @rows = map { $_ . "\t" . as_text($column, $fps[ $_ - 1 ]) . $leading[ $_ - 1 ] } 1 .. $n;
	my @nulls = map { "0\t\\N$leading[ int rand $n ]" } 1 .. pick(3, 3, 3 + $n);
	my $half = int(@rows / 2);
	my @forms = forms_of($column, forms($column));
	my $names = of_leading($column, ', %s');
	my $defined = of_leading($column, ', %s %s');
	my $in_front = of_leading($column, '%s, ');
	my %indexes = (
		fp => "CREATE INDEX t_fp ON t USING bitblock (${in_front}fp) $column->{with};",
		ball => "CREATE INDEX t_ball ON t USING bitblock (${in_front}$column->{ball}(fp, $column->{bits} / 8)) $column->{ball_with};");
	my @indexes = $column->{indexes} || ('fp', 'ball');
	# so that PostgreSQL toasts the values
	my $filler = $n <= 600 && rand() < 0.3 ? ", filler text DEFAULT repeat('x', 2100)" : '';

	$what = "$column->{type}" . join('', map { ", $_->{type} $_->{of}" } @{ $column->{leading} }) . " ($n rows$filler; $what)";
	$node->safe_psql($db, qq{
		DROP TABLE IF EXISTS t, q;
		CREATE TABLE t (id int, fp $column->{type}$defined$filler);
		@{[ $filler && 'ALTER TABLE t ALTER filler SET STORAGE PLAIN;' ]}
		CREATE TABLE q (n int, fp $column->{type}, k int, fp2 $column->{type}, k2 int$defined);
		@{[ copy('t', @rows[ 0 .. $half - 1 ]) =~ s/COPY t/COPY t (id, fp$names)/r ]}
		@{[ join '', @indexes{@indexes} ]}});
	$node->safe_psql($db, qq{
		@{[ copy('t', @rows[ $half .. $#rows ]) =~ s/COPY t/COPY t (id, fp$names)/r ]}
		@{[ copy('t', @nulls) =~ s/COPY t/COPY t (id, fp$names)/r ]}
		VACUUM ANALYZE t;
		} . make_queries($column, $queries, \@leading, @fps));
	compare($db, "$what, inserted", @forms);
	$node->safe_psql($db, 'DELETE FROM q WHERE n > 4');
	compare($db, "$what, inserted", forms_of($column, @all_forms));
	$node->safe_psql($db, make_queries($column, $queries, \@leading, @fps) . qq{
		SELECT setseed(@{[ rand() ]});
		DELETE FROM t WHERE id % 3 = @{[ int rand 3 ]} AND random() < @{[ pick(0.1, 0.9, 1) ]};
	});
	compare($db, "$what, deleted", @forms);
	$node->safe_psql($db, 'VACUUM t');
	compare($db, "$what, vacuumed", @forms);
	$node->safe_psql($db, "SET maintenance_work_mem = '@{[ pick('1MB', '64MB') ]}'; REINDEX TABLE t; VACUUM t");
	compare($db, "$what, built", @forms);
	$node->safe_psql($db, join '', map { "SELECT bitblock_check('t_$_', true);" } @indexes);
	compare_exclusion($db, $what, $column);
	return;
}

# Make a table by two plans.  A share of the rows follows the second plan.
sub unlike_round
{
	my ($db, $column, $rows, $queries) = @_;
	my @plan = random_plan($column->{bits} / 16);
	my @other = map { $_ eq 'constant' || rand() < 0.3 ? $_ : pick(@names) } @plan;
	my $share = pick(0, 0.0003, 0.01, 0.1, 0.5);
	my @places = $column->{bits} > 64 && rand() < 0.7 ? places($column->{bits}) : ();
	my @fps = map {
		my $fp = fingerprint($_, ($_ <= 10 && $share > 0) || rand() < $share ? @other : @plan);
		@places ? out_of_index_order($fp, @places) : $fp;
	} 1 .. $rows;

	round($db, join(', ', @plan) . "; $share: " . join(', ', @other) . '; ' . (@places ? 'blocks of the index' : 'blocks of the value'),
		$column, $queries, @fps);
	return;
}

my @widths = (64, 128, 144, 256, 512, 1024);
my %libraries = (small => $ENV{SIMHASH_SMALL_PAGES}, few_tags => $ENV{SIMHASH_FEW_TAGS}, usual => '');
my %rounds = (small => 19, few_tags => 7, usual => 4);
for my $pages ('small', 'few_tags', 'usual')
{
	local $ENV{SIMHASH_SMALL_PAGES} = $libraries{$pages};
	my $before = $compared;
	my $rounds = rounds($rounds{$pages});
	my $with_leading = 0;

	create($pages);
	$node->safe_psql($pages, "CREATE DOMAIN bit_$_ AS bit($_)") for @widths;
	for my $bits (grep { $_ > 64 } @widths)
	{
		my $fp = join '', map { chr int rand 256 } 1 .. $bits / 8;
		my $value = unpack 'B*', out_of_index_order($fp, places($bits));

		$node->safe_psql($pages, "CREATE TABLE one_$bits AS SELECT '$value'::bit($bits) AS fp; CREATE INDEX one_${bits}_fp ON one_$bits USING bitblock (fp)");
		is(unpack('H*', stored_fingerprint($pages, "one_${bits}_fp", $bits)), unpack('H*', $fp), "$pages pages: order of $bits bits");
	}
	$wrong = 0;
	for my $round (1 .. $rounds)
	{
		# every third round uses simhash; the other rounds use all widths in turn
		my $column = $round % 3 == 0 ? column('simhash')
		  : column(pick('bit', 'bit', 'varbit', 'domain'), $widths[ ($round + $seed) % @widths ]);
		my $share = 64 / $column->{bits};

		if ($pages eq 'few_tags' || ($round + $seed) % 2 == 0)
		{
			$column = add_leading($column);
			$with_leading++;
		}
		if ($pages ne 'usual')
		{
			unlike_round($pages, $column, 30 + int 1500 * $share**0.5 * rand() ** 2, $share == 1 ? 100 : 40);
		}
		else
		{
			unlike_round($pages, $column, 5000 + int $share * rand 50000, 24);
		}
	}
	is($wrong, 0, "$pages pages: every answer is the sequential scan's");
	figures "$pages pages: $rounds tables of unlike blocks, $with_leading with leading columns, " . ($compared - $before) . ' answers compared';
}

# Real fingerprints
for my $file ('pdq_crops.bin', 'dhash_crops.bin')
{
	SKIP:
	{
		skip "no $file: see SIMHASH_DATA", 1 unless $ENV{SIMHASH_DATA} && -e "$ENV{SIMHASH_DATA}/$file";
		my @fps = unpack '(a32)*', slurp_file("$ENV{SIMHASH_DATA}/$file");

		$wrong = 0;
		for ([ 'small', 500, 40 ], [ 'usual', 5000, 16 ])
		{
			my ($pages, $rows, $queries) = @$_;
			my $from = int rand @fps - $rows;

			round($pages, "$file from $from", column('bit', 256), $queries, @fps[ $from .. $from + $rows - 1 ]);
		}
		is($wrong, 0, "$file: every answer is the sequential scan's");
	}
}

$node->stop;
done_testing();
