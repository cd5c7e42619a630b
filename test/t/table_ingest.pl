# Sessions insert near-duplicates of each other at the same time.  Near-duplicates never
# get past an exclusion constraint, with either index method, by % and within 8, nor for bit
# strings.
# simhash_record_original with 'lock' makes no near-duplicate an original.

use SimhashTest;

my $sessions = 8;
my $inserts = 400;	# of each session

my $node = start_node('ingest', 'max_connections = 40');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# A copy of one of the originals, with up to $flips of its last 12 bits flipped
sub insert
{
	my ($table, $originals, $flips) = @_;
	my $fp = "('x' || substr(md5(:original::text), 1, 16))::bit(64)::bigint";

	return join("\n", "\\set original random(1, $originals)",
		(map { "\\set bit$_ random(0, 11)" } 1 .. $flips),
		"INSERT INTO $table (fp, who) VALUES (($fp"
		. join('', map { " # (1::bigint << :bit$_)" } 1 .. $flips)
		. ")::simhash, :client_id) ON CONFLICT DO NOTHING;") . "\n";
}

# The same for bit strings of 256 bits, with up to 20 flipped bits
sub insert_wide
{
	my ($table, $originals) = @_;

	return "\\set original random(1, $originals)\n\\set mask random(0, 1048575)\n\\set shift random(0, 235)\n"
		. "INSERT INTO $table (fp, who) VALUES (('x' || md5(:original::text) || md5(:original::text || ' '))::bit(256)"
		. " # ((:mask)::int::bit(256) << :shift), :client_id) ON CONFLICT DO NOTHING;\n";
}

sub run_sessions
{
	my ($script, $name) = @_;
	my $bench = start_bench($node, 'postgres', $sessions, "-j 2 -t $inserts -M prepared", pgbench_script($name, $script));

	is(end_bench($bench), $sessions * $inserts, "$name: $sessions sessions insert $inserts each");
}

for ([ 'gist', 'fp WITH %', 5 ], [ 'bitblock', 'fp WITH %', 5 ], [ 'bitblock', 'fp WITH %', 20 ],
	[ 'gist', 'simhash_ball(fp, 8) WITH &&', 8 ],
	[ 'bitblock', 'simhash_ball(fp, 8) WITH &&', 8 ],
	[ 'bitblock', 'bit_ball(fp, 31) WITH &&', 31, 'WITH (bits = 256)' ],
	[ 'bitblock', 'tenant WITH =, fp WITH %', 5, '', '_tenants' ],
	[ 'bitblock', 'tenant WITH =, bit_ball(fp, 31) WITH &&', 31, 'WITH (bits = 256)', '_tenants' ])
{
	my ($method, $element, $k, $with, $tenants) = @$_;
	my $table = "${method}_$k" . ($tenants // '');
	my $same = $tenants ? 'a.tenant = b.tenant' : 'true';
	my $type = $k > 8 ? 'bit(256)' : 'simhash';

	$node->safe_psql('postgres', "CREATE TABLE $table (fp $type, who int, tenant int DEFAULT random()::int,
		CONSTRAINT excl_$table EXCLUDE USING $method ($element) @{[ $with // '' ]})");
	run_sessions($k > 8 ? insert_wide($table, 100) : insert($table, 100, $k), $table);

	is( $node->safe_psql('postgres', "SELECT count(*) FROM $table a JOIN $table b
			ON a.ctid < b.ctid WHERE (a.fp <-> b.fp) + 0 <= $k AND $same"),
		0, "$table: no two are within $k");

	# every original is there at least once; two rows may be more than k apart
	my $kept = $node->safe_psql('postgres', "SELECT count(*) FROM $table");
	cmp_ok($kept, '>=', 90, "$table: some were kept");
	cmp_ok($kept, '<', $sessions * $inserts / 2, "$table: others were not");
	cmp_ok($node->safe_psql('postgres', "SELECT count(DISTINCT who) FROM $table"),
		'>', 1, "$table: of several sessions");
	$node->safe_psql('postgres', "SELECT bitblock_check('excl_$table', true)")
	  if $method eq 'bitblock';
}

# The same inserts without a constraint let near-duplicates in.  So the tests above can
# fail.
$node->safe_psql('postgres', 'CREATE TABLE free_3 (fp simhash, who int)');
run_sessions(insert('free_3', 100, 3), 'free_3');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM free_3 a JOIN free_3 b
		ON a.ctid < b.ctid WHERE (a.fp <~> b.fp) <= 3'),
	'>', 100, 'without a constraint near-duplicates get in');

# Every row gets in, but originals keep their distance.
$node->safe_psql('postgres', "CREATE TABLE originals_3 (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		fp simhash, who int, duplicate_of int REFERENCES originals_3);
	CREATE INDEX ON originals_3 USING bitblock (fp);
	CREATE TRIGGER original BEFORE INSERT ON originals_3 FOR EACH ROW
		EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock')");
my $insert = insert('originals_3', 100, 3);
$insert =~ s/^INSERT/BEGIN;\nINSERT/m;
run_sessions("$insert\\sleep 200 us\nCOMMIT;\n", 'originals_3');
is( $node->safe_psql('postgres', "SELECT count(*) FROM originals_3 a JOIN originals_3 b
		ON a.id < b.id WHERE (a.fp <~> b.fp) <= 3
		AND a.duplicate_of IS NULL AND b.duplicate_of IS NULL"),
	0, 'no two originals are within 3');
is( $node->safe_psql('postgres', "SELECT count(*), count(DISTINCT d.who),
		count(*) FILTER (WHERE d.duplicate_of IS NOT NULL AND o.duplicate_of IS NULL
			AND (o.fp <~> d.fp) <= 3) = count(d.duplicate_of),
		count(d.duplicate_of) > count(*) / 2
	FROM originals_3 d LEFT JOIN originals_3 o ON o.id = d.duplicate_of"),
	$sessions * $inserts . "|$sessions|t|t", 'all rows are there, and duplicates of originals');

$node->stop;
done_testing();
