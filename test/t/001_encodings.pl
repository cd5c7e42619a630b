# The same text has the same fingerprint in every server encoding.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('encodings');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

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

# SQL_ASCII says nothing of the bytes: they count as UTF-8, or are refused.
create('ascii', 'SQL_ASCII');
is( $node->safe_psql('ascii', "SELECT simhash(convert_from('\\x$text{western}', 'SQL_ASCII'))"),
	$expected{western}, 'SQL_ASCII: bytes that are UTF-8');
my ($ret, $out, $err) =
  $node->psql('ascii', "SELECT simhash(convert_from('\\x41ff42', 'SQL_ASCII'))");
isnt($ret, 0, 'SQL_ASCII: other bytes are refused');
like($err, qr/invalid byte sequence for encoding "UTF8": 0xff/, 'and the message says why');

# An encoding that cannot be converted says so.
create('mule', 'MULE_INTERNAL');
($ret, $out, $err) = $node->psql('mule', "SELECT simhash('plain'::text)");
isnt($ret, 0, 'MULE_INTERNAL is refused');
like($err, qr/conversion.*"MULE_INTERNAL".*"UTF8"/, 'and the message says why');

$node->stop;
done_testing();
