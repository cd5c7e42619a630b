# The same text has the same fingerprint in databases of every locale and collation
# provider: the pinned fingerprint.

use FindBin;
use SimhashTest;

# name, text, simhash and minhash of each pinned text, from the C source of the unit
# tests
sub pins
{
	my @pins;
	my $source = slurp_file("$FindBin::RealBin/../unit/pins.h");
	while ($source =~ /\{"([^"]*)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+),\s*UINT64_C\(0x(\w+)\),\s*UINT64_C\(0x(\w+)\)\}/g)
	{
		my ($name, $text, $simhash, $minhash) = ($1, $2, $3, $4);
		$text =~ s/"\s*"//g;
		$text =~ s/^"|"\s*$//g;
		$text =~ s/\\x([0-9A-Fa-f]{2})/chr hex $1/ge;
		die "escape in $name" if $text =~ /\\/;
		push @pins, [ $name, unpack('H*', $text), $simhash, $minhash ];
	}
	is(scalar @pins, scalar(() = $source =~ /^\{"/mg), 'all pins are read');
	return @pins;
}
my @pins = pins();

# The test makes its own locales, because few machines have all of them.  PostgreSQL
# finds them by LOCPATH.
my $locales = PostgreSQL::Test::Utils::tempdir();
my %libc;
for my $language ('en_US', 'zh_CN', 'tr_TR')
{
	next if system("localedef -i $language -f UTF-8 $locales/$language.UTF-8 >/dev/null 2>&1") >> 8 > 1;
	$libc{"$language.UTF-8"} = 1 if -e "$locales/$language.UTF-8/LC_COLLATE";
}
$ENV{LOCPATH} = $locales if %libc;

my $node = start_node('collations', 'autovacuum = off');
my $has_icu = $node->safe_psql('postgres', q{SELECT count(*) > 0 FROM pg_collation WHERE collprovider = 'i'}) eq 't';
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

# The fingerprints of the pinned texts in each database
my $everything = q{
	SELECT count(*) FROM pins WHERE simhash(body) <> s OR minhash(body) <> m;
	SELECT md5(string_agg(simhash(body, 'words', n => 3)::text || minhash(body, 'characters', n => 4)::text
		|| simhash(body, 'words and pairs', fold => false)::text || simhash(body, 'words', normalization => false)::text
		|| simhash(body, 'words and pairs', weight => 'logarithm')::text
		|| simhash_from_features(string_to_array(body, ' '))::text, ',' ORDER BY name COLLATE "C")) FROM pins;
	SELECT md5(string_agg(f::text, ',' ORDER BY name COLLATE "C", f.hash, f.feature COLLATE "C")) FROM pins, simhash_features(body) f;
	SELECT simhash_agg(body), minhash_agg(body) FROM pins;
	SELECT md5(string_agg(simhash_resemblance(a.body, b.body)::text || (a.s <-> b.m), ',' ORDER BY a.name COLLATE "C", b.name COLLATE "C")) FROM pins a, pins b;
	SELECT md5(string_agg(name, ',' ORDER BY s, name COLLATE "C")) FROM pins;
	SELECT md5(string_agg(a || ' ' || b || ' ' || distance, ',' ORDER BY a COLLATE "C", b COLLATE "C"))
		FROM simhash_pairs('SELECT name COLLATE "C", s FROM pins', NULL::text COLLATE "C", 26);
};

sub fill
{
	my ($db) = @_;
	$node->safe_psql($db, 'CREATE EXTENSION simhash; CREATE TABLE pins (name text, body text, s simhash, m simhash)');
	$node->safe_psql($db, "INSERT INTO pins VALUES " . join ', ', map {
		"('$_->[0]', convert_from('\\x$_->[1]', 'UTF8'), '$_->[2]', '$_->[3]')" } @pins);
}

$node->safe_psql('postgres', q{CREATE DATABASE c TEMPLATE template0});
fill('c');
my $expected = $node->safe_psql('c', $everything);
like($expected, qr/^0\n/, 'C: fingerprints are those that are pinned');
is($node->safe_psql('c', 'SELECT count(DISTINCT s) FROM pins'), scalar(keys %{ { map { $_->[2] => 1 } @pins } }), 'of all of them');

my @databases = map { [ $_, "LC_COLLATE '$_' LC_CTYPE '$_'", $libc{$_} || $_ eq 'C.UTF-8', "there is no locale $_" ] }
  ('C.UTF-8', 'en_US.UTF-8', 'zh_CN.UTF-8', 'tr_TR.UTF-8');
push @databases, map { [ "ICU $_", "LOCALE_PROVIDER icu ICU_LOCALE '$_' LC_COLLATE 'C' LC_CTYPE 'C'",
		$has_icu && $version >= 150000, 'databases cannot have ICU collations here' ] }
  ('und', 'en-US', 'zh-Hans-CN', 'tr', 'de-u-co-phonebk-ks-level1');
push @databases, map { [ "builtin $_", "LOCALE_PROVIDER builtin BUILTIN_LOCALE '$_' LC_COLLATE 'C' LC_CTYPE 'C'",
		$version >= ($_ eq 'PG_UNICODE_FAST' ? 180000 : 170000), 'PostgreSQL has no such locale yet' ] }
  ('C', 'C.UTF-8', 'PG_UNICODE_FAST');
for (@databases)
{
	my ($name, $options, $possible, $reason) = @$_;
  SKIP:
	{
		skip "$name: $reason", 1 unless $possible;
		my ($ret, $out, $err) = $node->psql('postgres', qq{CREATE DATABASE "$name" TEMPLATE template0 ENCODING 'UTF8' $options});
		skip "$name: $err", 1 if $err =~ /invalid (locale name|LC_)/ && $name eq 'C.UTF-8';
		fill($name);
		is($node->safe_psql($name, $everything), $expected, "$name: everything is as in C");
	}
}

# A column's collation makes no difference either, even if different texts are equal
# under that collation.
SKIP:
{
	skip 'there are no ICU collations', 1 unless $has_icu;
	$node->safe_psql('c', q{
		CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
		ALTER TABLE pins ALTER body TYPE text COLLATE loose;
	});
	is($node->safe_psql('c', q{SELECT 'A' = 'a' COLLATE loose}), 't', 'a collation that ignores case');
	is( $node->safe_psql('c', q{SELECT count(*) FROM pins WHERE simhash(body) <> s OR minhash(body) <> m;
			SELECT simhash_agg(body), minhash_agg(body) FROM pins}),
		join("\n", (split /\n/, $expected)[ 0, 3 ]), 'columns with it');
	my $words = q{simhash_from_features(ARRAY['a', 'A', 'b']%s)};
	is( $node->safe_psql('c', 'SELECT ' . sprintf($words, ' COLLATE loose')),
		$node->safe_psql('c', 'SELECT ' . sprintf($words, '')), 'and arrays');
}

$node->stop;
done_testing();
