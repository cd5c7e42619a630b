# The SQL of doc/images.md runs without change, from top to bottom, and so do the examples that it
# names. Its answers are the answers that the page shows. Indexes serve its queries.

use SimhashPage;
use SimhashTest;

my $node = start_node('wide', 'autovacuum = off');

my $has_vector =
  $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'});

my $page = slurp_file('doc/images.md');
my ($links) = $page =~ /`(CREATE\s+INDEX\s+ON\s+links\s[^`]*)`/ or die 'the page has no index of an expression';

my ($calibrate) = $page =~ /`(SELECT \*\s+FROM\s+bit_calibrate[^`]*)`/ or die 'the page has no calibration';

# Queries and their answers after the SQL of a section
my %holds = (
	'' => [
		q{SELECT sum(pairs), max(distance) FROM bit_calibrate(ARRAY(SELECT pdq FROM images))} => '3|256',
		"SELECT count(*) FROM ($calibrate) c" => 257,
	],
	'Load' => [
		q{SELECT string_agg(name, ' ' ORDER BY id) FROM images} =>
		  'bridge.jpg bridge-small.jpg cat.jpg tower.jpg tower-grey.jpg',
		q{SELECT a.pdq <-> b.pdq FROM images a, images b WHERE a.name = 'tower.jpg' AND b.name = 'tower-grey.jpg'} => 1,
		q{SELECT length('x0f'::bit(256)), length(repeat('1', 300)::bit(256))} => '256|256',
	],
	'Query' => [
		'SELECT count(*) FROM images WHERE pdq <-> (SELECT pdq FROM images WHERE id = 1) <= 31' => 2,
		'SELECT count(*) FROM images WHERE pdq % (SELECT pdq FROM images WHERE id = 1)' => 2,
		'SELECT count(*) FROM images a JOIN images b ON a.pdq <-> b.pdq <= 31 AND a.id < b.id' => 2,
		q{SELECT id FROM images WHERE pdq = 'x17f29b073143d8cd97b5bbe492bdeffec1c5fee55cc1fe2112c8b9335f8b6121'} => 1,
	],
	'Remove near-duplicates' => [
		q{SELECT string_agg(name, ' ' ORDER BY id) FROM images} => 'bridge.jpg cat.jpg tower.jpg',
		q{WITH i AS (INSERT INTO images (name, pdq) SELECT name || ' again', pdq # repeat('1', 20)::bit(256) FROM images
		  ON CONFLICT DO NOTHING RETURNING 1) SELECT count(*) FROM i} => 0,
		# blank pictures are no copies of each other
		q{WITH i AS (INSERT INTO images (name, pdq) SELECT 'blank', (n % 2)::bit(256) FROM generate_series(1, 10) n RETURNING 1)
		  SELECT count(*) FROM i} => 10,
		q{SELECT count(*) FROM simhash_clusters('SELECT id, pdq FROM images WHERE bit_count(pdq) BETWEEN 32 AND 224', NULL::bigint, 20, 'star')} => 3,
		q{WITH d AS (DELETE FROM images WHERE name = 'blank' RETURNING 1) SELECT count(*) FROM d} => 10,
	],
	'The parameter `bits`' => [
		"CREATE TABLE links (url text PRIMARY KEY, hash text); $links" => '',
		q{INSERT INTO links SELECT name, bit_to_hex(pdq) FROM images;
		  SELECT url FROM links WHERE bit_from_hex(hash) <-> (SELECT pdq FROM images WHERE id = 1) <= 31} => 'bridge.jpg',
	],
);

# For each section, a pattern of the plan of each SELECT
my %searches = (
	'' => [qr/images_pdq_idx/],
	'Query' => [ (qr/images_pdq_idx/) x 2 ],
	'Remove near-duplicates' => [ qr/Function Scan on simhash_pairs/ ],
	'The parameter `bits`' => [ qr/vectors_substring_idx/ ],
	'examples/frames.sql' => [ (qr/frames_hash_idx/) x 2, qr/sounds_hash_idx/ ],
	'examples/embeddings.sql' => [ qr/passages_code_idx\b/, (qr/passages_code_idx1\b/) x 2 ],
);

my @blocks = sql_blocks('doc/images.md');

is(run_blocks($node, 'postgres', \@blocks, %holds), 3, 'answers that the page shows');
for my $file ('examples/frames.sql', $has_vector ? 'examples/embeddings.sql' : ())
{
	my $sql = slurp_file($file);

	is($node->psql('postgres', $sql, on_error_stop => 1), 0, $file);
	push @blocks, { section => $file, sql => $_ } for $sql =~ /^((?:SELECT|INSERT|DELETE) .*?;\n)/gms;
}

my ($message) = $page =~ /the error\s+is `([^`]*)`/ or die 'the page names no error';
my (undef, undef, $error) = $node->psql('postgres', q{INSERT INTO images (name, pdq) VALUES ('', '17f2')});
like($error, qr/\Q$message\E/, 'hexadecimal digits without x');
is($node->safe_psql('postgres', q{SELECT 'x17f2'::bit(16) = bit_from_hex('17f2')}), 't', 'and with x');

# The plans of the page's queries, on larger tables
$node->safe_psql('postgres', q{
	CREATE FUNCTION random_bits(n integer, nbits integer) RETURNS bit varying LANGUAGE sql AS $$
		SELECT substring(string_agg(bit_from_hex(md5(n || '/' || i))::text, '')::bit varying, 1, nbits)
		FROM generate_series(1, 12) i $$;
	INSERT INTO images (name, pdq) SELECT n, random_bits(n, 256)::bit(256) FROM generate_series(1, 5000) n;
	INSERT INTO links SELECT n, bit_to_hex(random_bits(n, 256)) FROM generate_series(1, 5000) n;
	INSERT INTO vectors SELECT n, random_bits(n, 1536)::bit(1536) FROM generate_series(1, 5000) n;
	-- 20 videos of 300 frames in scenes of 10; video 18 has 40 frames of video 1, and 17 has 20
	INSERT INTO frames SELECT v, n, random_bits(v * 1000 + n / 10, 256)::bit(256) # (random_bits(v * 1000 + n, 16) & random_bits(n, 16))::bit(256)
	FROM generate_series(1, 20) v, generate_series(0, 299) n;
	UPDATE frames f SET hash = a.hash # random_bits(f.n, 12)::bit(256) FROM frames a WHERE a.video = 1 AND a.n = f.n AND (f.video = 18 AND f.n < 40 OR f.video = 17 AND f.n < 20);
	ANALYZE});
my ($sets, $in_order, $audio) = map { $_->{sql} =~ /\A(SELECT .*;)/s } grep { $_->{section} eq 'examples/frames.sql' } @blocks;
is($node->safe_psql('postgres', $sets), '18|40|40', 'sets that share members');
is($node->safe_psql('postgres', $sets =~ s/f\.hash <-> q\.hash <= 31/(f.hash <#~> q.hash) + 0 <= 31/r), '18|40|40', 'and without the index');

# Video 18 begins at frame 5 of video 1 from now on, and video 19 is video 1 backwards.
$node->safe_psql('postgres', q{
	UPDATE frames f SET n = n - 5 WHERE video = 18;
	UPDATE frames f SET hash = a.hash FROM frames a WHERE a.video = 1 AND a.n = 99 - f.n AND f.video = 19 AND f.n < 100;
	-- black frames match at every offset
	INSERT INTO frames SELECT v, 1000 + n, 0::bit(256) FROM generate_series(1, 3) v, generate_series(1, 100) n});
my ($no_black) = map { $_->{sql} =~ /^(DELETE FROM frames.*?;)/ms } @blocks;
$node->safe_psql('postgres', $no_black);
is($node->safe_psql('postgres', $sets =~ s/f\.video, (?=count)/f.video, 1, /r), "19|1|100|100\n18|1|40|40", 'a set has no order');
is($node->safe_psql('postgres', $in_order), '18|-5|40', 'a clip and its offset');

# Recording 2 is a part of recording 1, with errors.
my ($windows) = map { $_->{sql} =~ /^(INSERT INTO sounds.*?;)/ms } @blocks;
$node->safe_psql('postgres', qq{
	INSERT INTO recordings SELECT r, array_agg(hashint4(r * 1000 + i)) FROM generate_series(1, 20) r, generate_series(1, 200) i GROUP BY r;
	UPDATE recordings SET fp = (SELECT array_agg(f # (1 << (i % 30)::int) ORDER BY i) FROM (SELECT fp[51:150] AS fp FROM recordings WHERE id = 1) o, unnest(o.fp) WITH ORDINALITY u (f, i)) WHERE id = 2;
	$windows ANALYZE});
is($node->safe_psql('postgres', $audio), '2|-50|98', 'a part of a recording');
$node->safe_psql('postgres', q{
	INSERT INTO passages (id, embedding)
	SELECT n, (SELECT array_agg(hashint4(n * 1000 + i)) FROM generate_series(1, 512) i)::vector
	FROM generate_series(1, 2000) n;
	ANALYZE passages}) if $has_vector;

delete $searches{'examples/embeddings.sql'} unless $has_vector;
plans_are($node, 'postgres', \@blocks, %searches);

# The index of the constraint serves a query that repeats its condition.
like($node->safe_psql('postgres', q{DROP INDEX images_pdq_idx; EXPLAIN SELECT id, name FROM images
	WHERE pdq % bit_from_hex(repeat('5a', 32)) AND bit_count(pdq) BETWEEN 32 AND 224}), qr/images_pdq_excl/, 'index of the constraint');
$node->safe_psql('postgres', 'CREATE INDEX ON images USING bitblock (pdq)');

# The forms of parameters, as drivers send them
for my $mode ('force_custom_plan', 'force_generic_plan')
{
	for my $parameter ('$1', 'bit_from_hex($1)', 'bit_from_bytea($1)')
	{
		my $value = $parameter =~ /bytea/ ? "decode(repeat('5a', 32), 'hex')"
		  : $parameter =~ /hex/ ? "repeat('5a', 32)" : "bit_from_hex(repeat('5a', 32))";

		like($node->safe_psql('postgres', qq{
			SET plan_cache_mode = $mode;
			PREPARE within AS SELECT id FROM images WHERE pdq <-> $parameter <= \$2;
			PREPARE nearest AS SELECT id FROM images ORDER BY pdq <-> $parameter LIMIT 3;
			EXPLAIN EXECUTE within($value, 31);
			EXPLAIN EXECUTE nearest($value)}),
			qr/Index Scan.*Index Cond: \(pdq <@ .*Index Scan.*Order By: \(pdq <#~> /s, "$parameter, $mode");
	}
}

links_exist('doc/images.md');

$node->stop;
done_testing();
