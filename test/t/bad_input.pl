# Input that SQL text cannot express: malformed binary values, bytes that are not UTF-8
# in an SQL_ASCII database, and decoys in the schema of the extension.  With
# SIMHASH_HUGE=1 also arrays of 100 million elements (some 4 GB of memory).

use Encode;
use SimhashTest;

my $node = start_node('bad_input');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
srand(20230101);

my $dir = PostgreSQL::Test::Utils::tempdir;
chmod 0755, $dir;

# A file of COPY BINARY with one row and one value
sub binary_file
{
	my ($name, $value) = @_;
	open my $file, '>:raw', "$dir/$name" or die;
	print $file "PGCOPY\n\377\r\n\0", pack('NNnN', 0, 0, 1, length $value), $value, pack('n', 65535);
	close $file;
	chmod 0644, "$dir/$name";
	return "$dir/$name";
}

# Read each of the values as the type.  Returns the number of accepted values, and the
# errors of the others by SQLSTATE.
sub receive
{
	my ($type, @values) = @_;
	my $sql = "\\set VERBOSITY sqlstate\nCREATE TEMP TABLE received (v $type);\n";
	my $n = 0;
	$sql .= "COPY received FROM '" . binary_file($n++, $_) . "' (FORMAT binary);\n" for @values;
	$sql .= "SELECT count(*) FROM received;\n";
	my ($ret, $out, $err) = $node->psql('postgres', $sql, on_error_stop => 0, on_error_die => 0);
	my %errors;
	$errors{$1}++ while $err =~ /ERROR:\s+(\w+)/g;
	return ($out, join(' ', map { "$_:$errors{$_}" } sort keys %errors));
}

sub random_bytes { return join '', map { chr(int(rand(256))) } 1 .. $_[0]; }

my ($taken, $errors) = receive('simhash', map { random_bytes($_) } 0 .. 24);
is($taken, 1, 'simhash: of 0 to 24 bytes, 8 are taken');
is($errors, '08P01:8 22P03:16', 'simhash: others are too few, or too many');
($taken, $errors) = receive('simhash_ball', map { random_bytes($_) } 0 .. 24);
is($taken, 1, 'simhash_ball: of 0 to 24 bytes, 12 are taken');
is($errors, '08P01:12 22P03:12', 'simhash_ball: others are too few, or too many');

my $ball = binary_file('ball', pack('H16 l>', '0123456789abcdef', 1_000_000));
is( $node->safe_psql('postgres', "CREATE TEMP TABLE b (v simhash_ball); COPY b FROM '$ball' (FORMAT binary); SELECT v FROM b"),
	'<0123456789abcdef,64>', 'simhash_ball: a radius of any size is read as written in text');

my $bits = pack('N', 100) . random_bytes(13) . pack('l>', 7);
($taken, $errors) = receive('bit_ball', map { substr($bits . random_bytes(4), 0, $_) } 0 .. 25);
is($taken, 1, 'bit_ball: 100 bits have 21 bytes');
is($errors, '08P01:21 22P03:4', 'bit_ball: others are too few, or too many');
($taken, $errors) = receive('bit_ball', map { pack('N', $_) . random_bytes(20) } 0x7fffffff, 0x80000000, 0xffffffff);
is("$taken $errors", '0 22P03:3', 'bit_ball: a length that no bit string has is refused');
$ball = binary_file('bit_ball', pack('N C l>', 3, 0xff, 1_000_000));
is( $node->safe_psql('postgres', "CREATE TEMP TABLE b (v bit_ball); COPY b FROM '$ball' (FORMAT binary); SELECT v, bit_ball_send(v) = bit_ball_send('<111,3>') FROM b"),
	'<111,3>|t', 'bit_ball: a radius of any size is read as written in text, and no bits behind the last one');

# Arrays: every beginning of a valid array, and a valid array with changed bytes
my $oid = $node->safe_psql('postgres', "SELECT 'simhash'::regtype::oid");
my $array = pack('N3 N2 (NQ>)3', 1, 0, $oid, 3, 1, map { (8, $_ * 1_234_567_890_123) } 1 .. 3);
($taken, $errors) = receive('simhash[]', map { substr($array, 0, $_) } 0 .. length $array);
is($taken, 1, 'simhash[]: cut off anywhere, it is refused');
my @changed = map {
	my $copy = $array;
	substr($copy, int(rand(length $copy)), 1) = random_bytes(1) for 1 .. 3;
	$copy
} 1 .. 300;
($taken, $errors) = receive('simhash[]', @changed);
unlike($errors, qr/XX/, 'simhash[]: damaged ones are errors, none internal');
cmp_ok($taken, '>', 0, 'or values');

# SQL_ASCII: bytes that are UTF-8 are a text, with the fingerprint of the same text in a
# UTF-8 database.  All functions refuse other bytes.
$node->safe_psql('postgres', q{CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0});
$node->safe_psql('ascii', 'CREATE EXTENSION simhash');
my $sample = "Caf\xc3\xa9 \xe4\xba\xba\xe4\xba\xba\xe7\x94\x9f \xe0\xb8\xa1\xe0\xb8\x99\xe0\xb8\xb8 \xf0\x9f\x98\x80 a\xcc\x81b \xef\xac\x81";
my @texts = map { substr($sample, 0, $_) } 1 .. length $sample;
for (1 .. 400)
{
	my $copy = $sample;
	my $at = int(rand(length $copy));
	substr($copy, $at, 1 + int(rand(2))) = join '', map { chr(1 + int(rand(255))) } 1 .. int(rand(3));
	push @texts, $copy;
}
my @valid = grep { my $copy = $_; eval { Encode::decode('UTF-8', $copy, Encode::FB_CROAK); 1 } } @texts;
my $values = join ',', map { "('" . unpack('H*', $_) . "')" } @texts;
my $call = q{
CREATE FUNCTION pg_temp.fingerprints(bytes text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	t text;
	calls text[] := ARRAY['simhash($1)', 'minhash($1)', 'simhash_from_features(ARRAY[$1])', 'simhash($1, ''characters'', n => 2)',
		'(SELECT md5(string_agg(encode(convert_to(feature, ''SQL_ASCII''), ''hex''), '','' ORDER BY hash)) FROM simhash_features($1))',
		'simhash_resemblance($1, $1)', '(SELECT simhash_agg(x) FROM unnest(ARRAY[$1, ''b'']) x)'];
	answer text;
	answers text := '';
BEGIN
	t := convert_from(decode(bytes, 'hex'), getdatabaseencoding());
	FOR i IN 1..cardinality(calls) LOOP
		BEGIN
			EXECUTE 'SELECT (' || calls[i] || ')::text' INTO answer USING t;
		EXCEPTION WHEN character_not_in_repertoire THEN answer := 'refused';
		END;
		answers := answers || coalesce(answer, 'NULL') || ' ';
	END LOOP;
	RETURN answers;
EXCEPTION WHEN character_not_in_repertoire THEN
	RETURN repeat('refused ', cardinality(calls));
END $$;};
my $ascii = $node->safe_psql('ascii', "$call SELECT pg_temp.fingerprints(b) FROM (VALUES $values) v(b)");
my $utf8 = $node->safe_psql('postgres', "$call SELECT pg_temp.fingerprints(b) FROM (VALUES $values) v(b)");
is($ascii, $utf8, 'SQL_ASCII: ' . @texts . ' texts, with the fingerprints of UTF8 or refused');
my $refused = () = $ascii =~ /^(refused )+$/mg;
is($refused, @texts - @valid, 'SQL_ASCII: refused is what is not UTF-8');
cmp_ok($refused, '>', 100, 'which were enough');

# A user who is not superuser installs the extension into his own schema.  The schema
# has objects with the names of the objects that the script calls.  The script calls
# none of them.
$node->safe_psql('postgres', q{
	CREATE ROLE landlord LOGIN; CREATE ROLE tenant LOGIN;
	CREATE DATABASE house OWNER landlord;});
my @as_landlord = (extra_params => [ '-U', 'landlord' ]);
my ($ret, $out, $err) = $node->psql('house', 'CREATE EXTENSION simhash', extra_params => [ '-U', 'tenant' ]);
isnt($ret, 0, 'a user without CREATE on the database does not install it');
my $decoys = join ' ', map {
	my ($name, $args) = @$_;
	"CREATE FUNCTION room.$name($args) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'decoy called as %', current_user; END \$\$;"
} ([ 'current_setting', 'text' ], [ 'simhash_eq', 'bigint, bigint' ], [ 'simhash', 'int' ]);
$node->safe_psql('house', qq{
	CREATE SCHEMA room; $decoys
	CREATE FUNCTION room.ge(int, int) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'decoy called as %', current_user; END \$\$;
	CREATE FUNCTION room.ge(bigint, int) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'decoy called as %', current_user; END \$\$;
	CREATE OPERATOR room.>= (LEFTARG = int, RIGHTARG = int, FUNCTION = room.ge);
	CREATE OPERATOR room.>= (LEFTARG = bigint, RIGHTARG = int, FUNCTION = room.ge);
	CREATE DOMAIN room.int4 AS text; CREATE DOMAIN room.bool AS text;}, @as_landlord);
($ret, $out, $err) = $node->psql('house', 'SET search_path = room; CREATE EXTENSION simhash WITH SCHEMA room', @as_landlord);
is($ret, 0, 'the owner of a database installs it, no decoy is called') or diag $err;
is( $node->safe_psql('house', q{SELECT count(*) FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		JOIN pg_authid r ON r.oid = p.proowner WHERE NOT rolsuper OR prosecdef}),
	0, 'its functions are not the installer\'s, and none runs as its owner');
for ([ 'ALTER FUNCTION room.simhash_eq(room.simhash, room.simhash) COST 2', 'change a function' ],
	[ 'ALTER DOMAIN room.hamming ADD CHECK (VALUE < 3)', 'constrain the distance' ],
	[ 'DROP OPERATOR room.% (room.simhash, room.simhash)', 'drop an operator' ],
	[ q{SELECT room.bitblock_check('pg_class'::regclass)}, 'look into pages' ])
{
	my ($what, $name) = @$_;
	($ret, $out, $err) = $node->psql('house', $what, @as_landlord);
	isnt($ret, 0, "who installed it cannot $name");
	like($err, qr/must be owner|permission denied|requires it/, 'and is told so');
}
($ret, $out, $err) = $node->psql('house', 'DROP EXTENSION simhash', @as_landlord);
is($ret, 0, 'but drop it') or diag $err;
($ret, $out, $err) = $node->psql('house', 'CREATE TYPE room.simhash AS (a int); CREATE EXTENSION simhash WITH SCHEMA room', @as_landlord);
isnt($ret, 0, 'a type of its name that is there already is not taken for it');
is($node->safe_psql('house', q{SELECT count(*) FROM pg_extension WHERE extname = 'simhash'}), 0, 'and nothing is installed');

SKIP:
{
	skip 'arrays of 100 million elements: set SIMHASH_HUGE', 2 unless $ENV{SIMHASH_HUGE};
	is( $node->safe_psql('postgres', 'SELECT simhash_from_features(array_fill(7::bigint, ARRAY[100000000])), minhash_from_features(array_fill(7::bigint, ARRAY[100000000]))'),
		'0000000000000007|91ef807ada2b559d', 'hashes');
	is( $node->safe_psql('postgres', q{SELECT simhash_from_features(array_fill('word'::text, ARRAY[100000000])) = simhash('word')}),
		't', 'texts');
}

# No process of the server has died.
$node->stop;
unlike(slurp_file($node->logfile), qr/was terminated by signal|PANIC|TRAP/, 'no process of the server died');
done_testing();
