# The same text has the same fingerprint in every server encoding.

use SimhashTest;

my $node = start_node('encodings');

sub create
{
	my ($db, $encoding) = @_;
	$node->safe_psql('postgres',
		"CREATE DATABASE $db ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	$node->safe_psql($db, 'CREATE EXTENSION simhash');
}

# The fingerprint of a text given as UTF-8 bytes, converted by the server
sub fingerprint
{
	my ($db, $hex, $encoding) = @_;
	return $node->safe_psql($db,
		"SELECT simhash(convert_from('\\x$hex'::bytea, '$encoding'))");
}

my %text = (
	western => unpack('H*', "Caf\xc3\xa9 au lait, cr\xc3\xa8me br\xc3\xbbl\xc3\xa9e et th\xc3\xa9"),
	japanese => unpack('H*', "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6\x96\x87\xe7\xab\xa0\xe3\x81\xa7\xe3\x81\x99"),
	cyrillic => unpack('H*', "\xd0\xa1\xd1\x8a\xd0\xb5\xd1\x88\xd1\x8c \xd0\xb5\xd1\x89\xd1\x91 \xd1\x8d\xd1\x82\xd0\xb8\xd1\x85"));

create('utf8', 'UTF8');
my %expected = map { $_ => fingerprint('utf8', $text{$_}, 'UTF8') } keys %text;
like($expected{$_}, qr/^[0-9a-f]{16}$/, "UTF8: $_") for sort keys %text;

for (
	[ 'LATIN1', 'western' ], [ 'WIN1252', 'western' ],
	[ 'EUC_JP', 'japanese' ], [ 'EUC_JIS_2004', 'japanese' ],
	[ 'KOI8R', 'cyrillic' ], [ 'WIN1251', 'cyrillic' ])
{
	my ($encoding, $which) = @$_;
	create(lc($encoding), $encoding);
	is(fingerprint(lc($encoding), $text{$which}, 'UTF8'),
		$expected{$which}, "$encoding: $which");
}

# The other ways to make a fingerprint: each gives the same in every encoding.
my %ways = (
	'minhash' => 'minhash(t)',
	'frequency' => "simhash(t, 'words', n => 2, weight => 'frequency')",
	'logarithm' => "simhash(t, 'words and pairs', weight => 'logarithm', fold => false)",
	'characters' => "minhash(t, 'characters', n => 3, normalization => false)",
	'array' => "simhash_from_features(string_to_array(t, ' '))",
	'array with weights' => "simhash_from_features(ARRAY[t, t || t], ARRAY[2, 0.5])",
	'array, minhash' => "minhash_from_features(ARRAY[t, 'x'])",
	'tsvector' => 'minhash_from_features(tsvector_to_array(array_to_tsvector(ARRAY[t, t || t])))',
	'aggregate' => '(SELECT simhash_weighted_agg(w, 1.5) FROM unnest(ARRAY[t, t || t]) w)',
	'aggregate, minhash' => "(SELECT minhash_agg(w) FROM regexp_split_to_table(t, ' ') w)",
	'resemblance' => "simhash_resemblance(t, t || ' ' || t)",
	'explanation' => '(SELECT md5(array_agg(e)::text) FROM simhash_explain(t, t || t) e)',
	'keys of passages' => 'simhash_passage_keys(t, 3, 2)',
	'places of passages' => "(SELECT array_agg(p::text) FROM simhash_passages(t || '. x ' || t, t || ' y', 1) p)",
	'changes' => "(SELECT array_agg(c::text) FROM simhash_changes(t || ' x, ' || t, replace(t, ' ', '. ') || ' y ' || t) c)",
	'places of changes' => "(SELECT array_agg(substr(t || ' x', a_start, a_length) = a_text AND substr(upper(t), b_start, b_length) = b_text) FROM simhash_changes(t || ' x', upper(t), false))",
	'containment' => "simhash_containment(t || ' x', t, 2)",
	'first change' => "simhash_first_change(t || ' x ' || t, t || ' 1 y')",
	'hashes of features' => "(SELECT array_agg(hash) FROM simhash_features(t))",
	'features together' => '(SELECT simhash_weighted_agg(hash, weight) = simhash(t) FROM simhash_features(t))');

sub way
{
	my ($db, $which, $way) = @_;
	return $node->safe_psql($db,
		"SELECT $ways{$way} FROM convert_from('\\x$text{$which}'::bytea, 'UTF8') t");
}

for my $way (sort keys %ways)
{
	for (
		[ 'latin1', 'western' ], [ 'euc_jp', 'japanese' ],
		[ 'koi8r', 'cyrillic' ], [ 'win1251', 'cyrillic' ])
	{
		my ($db, $which) = @$_;
		my $expected = way('utf8', $which, $way);
		isnt($expected, '', "UTF8: $way, $which");
		is(way($db, $which, $way), $expected, "$db: $way, $which");
	}
}

# Places are characters of the encoding.  EUC_JIS_2004 has characters that are two code
# points in Unicode (here か with a small circle), and the characters of SQL_ASCII are bytes.
my $ka = "\xe3\x81\x8b\xe3\x82\x9a";
sub passage
{
	my ($db, $encoding, $utf8) = @_;
	my $hex = unpack('H*', $utf8);
	return $node->safe_psql($db,
		"SELECT a_start, a_length, length(t), encode(convert_to(substr(t, a_start, a_length), '$encoding'), 'hex')
		FROM convert_from('\\x$hex'::bytea, '$encoding') t,
			simhash_passages(t, convert_from('\\x" . unpack('H*', "A${ka}B${ka}") . "'::bytea, '$encoding'), 3)");
}
my $between = unpack('H*', "a${ka}b${ka}");
is(passage('utf8', 'UTF8', "$ka-a${ka}b$ka;$ka"), "4|6|12|$between", 'UTF8: places in characters');
is(passage('euc_jis_2004', 'UTF8', "$ka-a${ka}b$ka;$ka"), "3|4|8|$between", 'EUC_JIS_2004: places in characters');

sub change
{
	my ($db, $encoding, $utf8) = @_;
	my ($a, $b) = map { unpack('H*', $_) } $utf8, "A${ka}B${ka}";
	return $node->safe_psql($db,
		"SELECT a_start, a_length, b_start, b_length, encode(convert_to(a_text, '$encoding'), 'hex'), encode(convert_to(b_text, '$encoding'), 'hex'), kind
		FROM convert_from('\\x$a'::bytea, '$encoding') t, simhash_changes(t, convert_from('\\x$b'::bytea, '$encoding'))");
}
is(change('utf8', 'UTF8', "a${ka}-c$ka"), join('|', 4, 1, 4, 0, '2d', '', "signs\n5") . join('|', '', 1, 4, 1, unpack('H*', 'c'), unpack('H*', 'B'), 'replace'), 'UTF8: places of changes');
is(change('euc_jis_2004', 'UTF8', "a${ka}-c$ka"), join('|', 3, 1, 3, 0, '2d', '', "signs\n4") . join('|', '', 1, 3, 1, unpack('H*', 'c'), unpack('H*', 'B'), 'replace'), 'EUC_JIS_2004: places of changes');

# Features are shown in the database's encoding, as far as it has their characters (the
# test compares hexadecimal bytes).
sub features
{
	my ($db, $hex) = @_;
	return $node->safe_psql($db,
		"SELECT string_agg(encode(convert_to(feature, getdatabaseencoding()), 'hex'), ' ')
		FROM simhash_features(convert_from('\\x$hex'::bytea, 'UTF8'), 'words', fold => false)");
}
is(features('utf8', unpack('H*', "\xc3\x89t\xc3\xa9")), unpack('H*', "E\xcc\x81te\xcc\x81"),
	'UTF8: features are decomposed');
is(features('latin1', unpack('H*', "\xc3\x89t\xc3\xa9 \xc3\x80")), 'c974e9 c0',
	'LATIN1: accents are composed with their letters');
is(features('koi8r', unpack('H*', "\xd0\xb9")), 'ca', 'KOI8R: the same of Cyrillic');
is(features('latin1', unpack('H*', "\xc3\xa9\xc2\xb5a")), unpack('H*', "\xe9\\u03BCa"),
	'LATIN1: what it does not have is escaped, such as the Greek mu of the micro sign');

# SQL_ASCII says nothing about the bytes: bytes that are UTF-8 are a text, other bytes
# are refused.
create('ascii', 'SQL_ASCII');
is( $node->safe_psql('ascii', "SELECT simhash(convert_from('\\x$text{western}', 'SQL_ASCII'))"),
	$expected{western}, 'SQL_ASCII: bytes that are UTF-8');
is(passage('ascii', 'SQL_ASCII', "$ka-a${ka}b$ka;$ka"), "8|14|28|$between", 'SQL_ASCII: places in bytes');
my ($ret, $out, $err) =
  $node->psql('ascii', "SELECT simhash(convert_from('\\x41ff42', 'SQL_ASCII'))");
isnt($ret, 0, 'SQL_ASCII: other bytes are refused');
like($err, qr/invalid byte sequence for encoding "UTF8": 0xff/, 'and the message says why');

# An encoding without a conversion raises an error.  PostgreSQL 19 has no such encoding.
if (major_version() < 19)
{
	create('mule', 'MULE_INTERNAL');
	($ret, $out, $err) = $node->psql('mule', "SELECT simhash('plain'::text)");
	isnt($ret, 0, 'MULE_INTERNAL is refused');
	like($err, qr/conversion.*"MULE_INTERNAL".*"UTF8"/, 'and the message says why');
}

$node->stop;
done_testing();
