# A plan that returns other columns than the query that was analyzed is an error, in each function that
# takes a query and in the trigger: a planner of another extension (test/other_plan.c) makes such plans.

use SimhashTest;

my $cc = $ENV{CC} || 'cc';
chomp(my $include = `pg_config --includedir-server`);
my $library = PostgreSQL::Test::Utils::tempdir() . '/other_plan.so';
is(system("$cc -shared -fPIC -O1 -I$include -D_GNU_SOURCE -o $library test/other_plan.c"), 0, 'the planner compiles');

my $node = start_node('types');
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id text, fp bit(256), title text, body text, duplicate_of text);
	INSERT INTO docs SELECT i, minhash_bits(b), 'Title', b FROM generate_series(1, 6) i,
		concat('one two three four five six seven eight nine ten', repeat(' more', i / 3)) b;
	CREATE INDEX ON docs USING bitblock (fp);
	CREATE TABLE numbers AS SELECT id::bigint, fp, title, body FROM docs});

# Each query with columns of other types, and with too few and too many: what would be read as an address, or
# as a number that is an address
my $number = '4702111234474983745::bigint';
my $long = "repeat('x', 40)";
my $fp = "B'1'::bit(256)";
my %calls = (
	"SELECT * FROM simhash_duplicates('SELECT id, fp, title, body FROM docs /* x */', id_type => NULL::text)" =>
		[ "$number, $fp", "'1'::text, $number", "'1'::text", "'1'::text, $fp, 1, 2", "'1'::name, $fp" ],
	"SELECT * FROM simhash_duplicates('SELECT id, body FROM numbers /* x */')" => [ "$long, $fp", "$number, $long", "1, $fp" ],
	"SELECT * FROM simhash_duplicates('SELECT id, body FROM numbers /* x */ LIMIT 9')" => [ "$long, $long", "$number, 1", "$number" ],
	"SELECT * FROM simhash_pairs('SELECT id, fp FROM docs /* x */', NULL::text)" => [ "$number, $fp", "'1'::text, $number", "'1'::text" ],
	"SELECT * FROM simhash_clusters('SELECT id, fp FROM numbers /* x */')" => [ "$long, $fp", "$number, $number", "$number" ],
	"SELECT * FROM simhash_components('SELECT id, duplicate_of FROM docs /* x */', NULL::text)" => [ "$number, '1'::text", "'1'::text, $number" ],
	"SELECT * FROM simhash_stars('SELECT id, id FROM numbers /* x */', NULL::bigint)" => [ "$long, $number", "$number" ],
	"SELECT * FROM simhash_stars('SELECT id, id FROM numbers', NULL::bigint, 'SELECT id FROM numbers /* x */')" => [ $long, "$number, $number" ],
	"SELECT * FROM simhash_duplicates('SELECT id, body FROM numbers', new => 'SELECT id FROM numbers WHERE id > 2 /* x */')" => [ $long, "$number, $number" ]);
for my $call (sort keys %calls)
{
	for my $columns (@{ $calls{$call} })
	{
		# psql sends the call itself to the planner, too: its text is in a variable of the server
		my ($status, $out, $err) = $node->psql('postgres', qq{
			LOAD '$library';
			SET other_plan.query = \$q\$SELECT $columns\$q\$;
			SET other_plan.marker = '/* x */';
			DO \$do\$ BEGIN /* other_plan */ EXECUTE \$q\$SELECT count(*) FROM ($call) s /* other_plan */\$q\$; END \$do\$}, on_error_stop => 0);
		like($err, qr/ERROR:  (query returns other columns than before|column \d of|query must return|(keep|new) query must return)/, "$call: $columns");
	}
	is($node->safe_psql('postgres', qq{LOAD '$library'; SELECT count(*) > 0 FROM ($call) s}), 't', "$call without another plan");
}

# The second pass alone, and the trigger's search
for my $columns ("$number, 'text'", "'1'::text, $number", "'1'::text, 'text'::text, 'title'::name", "'1'::text")
{
	my ($status, $out, $err) = $node->psql('postgres', qq{
		LOAD '$library';
		SET other_plan.query = \$q\$SELECT $columns\$q\$;
		CREATE FUNCTION pg_temp.later() RETURNS boolean LANGUAGE plpgsql STABLE AS
			\$f\$ BEGIN PERFORM set_config('other_plan.marker', '/* x */', false); RETURN true; END \$f\$;
		SELECT * FROM simhash_duplicates('SELECT id, fp, body FROM docs /* x */', id_type => NULL::text,
			keep => 'SELECT id FROM docs WHERE pg_temp.later()') /* other_plan */}, on_error_stop => 0);
	like($err, qr/ERROR:  query returns other columns than before/, "second pass: $columns");
}
$node->safe_psql('postgres', q{CREATE TRIGGER original BEFORE INSERT ON docs FOR EACH ROW
	EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'confirm=body')});
for my $columns ("$number, 'text'::text, 1", "'1'::text, $number, 1", "'1'::text", "'1'::text, 'text'::text, $number",
	"'1'::text, 'text'::text, 1, 1")
{
	my ($status, $out, $err) = $node->psql('postgres', qq{
		LOAD '$library';
		SET other_plan.query = \$q\$SELECT $columns\$q\$;
		SET other_plan.marker = 'IS NULL AND';
		INSERT INTO docs SELECT 'new', fp, title, body FROM docs LIMIT 1}, on_error_stop => 0);
	like($err, qr/ERROR:  query returns other columns than before/, "trigger: $columns");
}
is($node->safe_psql('postgres', q{INSERT INTO docs SELECT 'new', fp, title, body FROM docs WHERE id = '1' RETURNING duplicate_of}), '1', 'the trigger');
log_is_calm($node, 'types');
$node->stop;
done_testing();
