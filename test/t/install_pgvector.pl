# The extension works together with pgvector, if pgvector is installed: in one schema, in
# either order of creation, and on one column.

use SimhashTest;

my $node = start_node('pgvector');
plan skip_all => 'pgvector 0.7 or newer is not installed'
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extension_versions WHERE name = 'vector' AND string_to_array(version, '.')::int[] >= '{0,7}'}) eq '0';

my $random = q{(SELECT bit_from_hex(string_agg(md5(i || ' ' || j), '')) FROM generate_series(1, 2) j)};
for my $order ([ 'vector', 'simhash' ], [ 'simhash', 'vector' ])
{
	my $db = join '_', @$order;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	is($node->psql($db, "CREATE EXTENSION $order->[0]; CREATE EXTENSION $order->[1];"), 0, "@$order: both are in one schema");
	$node->safe_psql($db, qq{
		CREATE TABLE images (id int, b bit(256), e vector(128));
		INSERT INTO images SELECT i, $random, (SELECT array_agg(sin(i * 7 + j)) FROM generate_series(1, 128) j)::vector FROM generate_series(1, 2000) i;
		CREATE INDEX images_bitblock ON images USING bitblock (b);
		CREATE INDEX images_hnsw ON images USING hnsw (b bit_hamming_ops);
		CREATE INDEX images_quantized ON images USING bitblock ((binary_quantize(e)::bit(128)));
		VACUUM ANALYZE images;});
	my $q = $node->safe_psql($db, 'SELECT set_bit(b, 7, 1 - get_bit(b, 7)) FROM images WHERE id = 77');

	# Each operator has its index, and both count the same bits.
	for (
		[ "b <-> '$q' <= 31", 'images_bitblock', 'WHERE' ], [ "b <-> '$q' >= 250", 'images_bitblock', 'WHERE' ],
		[ "b <-> '$q' LIMIT 5", 'images_bitblock', 'ORDER BY' ], [ "b <#~> '$q' LIMIT 5", 'images_bitblock', 'ORDER BY' ],
		[ "b <~> '$q' LIMIT 5", 'images_hnsw', 'ORDER BY' ],
		[ "binary_quantize(e)::bit(128) <-> (SELECT binary_quantize(e)::bit(128) FROM images WHERE id = 5) <= 3", 'images_quantized', 'WHERE' ])
	{
		my ($condition, $index, $clause) = @$_;
		my $plan = $node->safe_psql($db, "SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT id FROM images $clause $condition");
		like($plan, qr/Scan (?:using|on) $index\b/, "@$order: " . substr($condition, 0, 8) . "... is served by $index");
	}
	is( $node->safe_psql($db, "SELECT id, b <-> '$q', b <#~> '$q', b <~> '$q', hamming_distance(b, '$q'), bit_distance(b, '$q') FROM images WHERE b <-> '$q' <= 31"),
		'77|1|1|1|1|1', "@$order: one distance by every name");
	is($node->safe_psql($db, "SELECT count(*) FROM images WHERE (b <-> '$q') <> (b <~> '$q')::int"), '0', "@$order: for all rows");

	# Calls that resolve without pgvector also resolve with it.
	is( $node->safe_psql($db, q{SELECT pg_typeof('0123456789abcdef'::simhash <-> '0123456789abcdef'), pg_typeof('0123456789abcdef' <~> '0123456789abcdef'::simhash),
			pg_typeof(B'01' <-> '01'), pg_typeof('01' <#~> B'01'), simhash_distance('0123456789abcdef', '0123456789abcdee'), bit_distance('01', '10')}),
		'hamming|integer|hamming|integer|1|2', "@$order: untyped literals");
	is($node->safe_psql($db, q{SELECT pg_typeof('[1,2]'::vector <-> '[1,3]'), '[1,2]'::vector <-> '[1,3]', pg_typeof(B'01' <~> '10')}),
		'double precision|1|double precision', "@$order: operators of pgvector");

	# Each extension can be dropped alone.
	is($node->psql($db, 'DROP EXTENSION vector CASCADE'), 0, "@$order: pgvector is dropped");
	is($node->safe_psql($db, "SET enable_seqscan = off; SELECT id FROM images WHERE b <-> '$q' <= 31"), '77', "@$order: the index remains");
}
$node->stop;
done_testing();
