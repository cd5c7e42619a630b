# simhash_first_change is that of a model, which has its own words: Perl's NFKC, case folding and
# properties of Unicode.  Labelled pairs of revisions and siblings have the values of the definition.
#
#   SIMHASH_SOAK=n          n times as many random pairs
#   SIMHASH_DATA=folder     the folder of the file revisions_dev.tsv: label, kind, language and two
#                           texts, as COPY writes them; without it these tests are skipped

use utf8;
use Encode;
use Unicode::Normalize;
use Unicode::UCD 'num';
use SimhashTest;

my $node = start_node('first_change', 'autovacuum = off');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# ---------- the model ----------

# Words of Latin, Greek, Cyrillic, Hangul, Han, Kana and Thai
sub words_of
{
	my ($text) = @_;
	my $form = NFD(CORE::fc(NFKC($text =~ s/[\x{ad}\x{640}]//gr))) =~ s/(\p{Nd})/num($1)/ger =~ s/[\x{2b9}-\x{2bf}]/'/gr;
	my @words;
	while ($form =~ /(\p{Han}\p{M}*|[\p{Hiragana}\p{Katakana}]\p{M}*)|((?:\p{Thai}\p{M}*\s*)+)|((?:\p{Hangul}\p{M}*\s*)+)|((?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Hangul}])[\p{L}\p{N}]\p{M}*)+)/g)
	{
		my ($alone, $thai, $hangul, $word) = ($1, $2, $3, $4);
		if (defined($thai // $hangul))
		{
			my $stretch = ($thai // $hangul) =~ s/\s//gr;
			my $letter = defined $thai ? qr/\p{Thai}\p{M}*/ : qr/(?:^(?![\x{1100}-\x{115f}])|[\x{1100}-\x{115f}])[^\x{1100}-\x{115f}]*/;
			my @letters = $stretch =~ /$letter/g;
			my $more = defined $thai ? 2 : 1;
			push @words, @letters <= $more ? join('', @letters) : map { join '', @letters[ $_ - $more .. $_ ] } $more .. $#letters;
		}
		else
		{
			push @words, $alone // $word;
		}
	}
	return @words;
}

sub reading
{
	my ($a, $b) = @_;
	my $p = 0;
	$p++ while $p < @$a && $p < @$b && $a->[$p] eq $b->[$p];
	my $value = 0;
	for ([ $a, $b ], [ $b, $a ])
	{
		my ($own, $other) = @$_;
		next if $p == @$own;
		my $more = grep({ $_ eq $own->[$p] } @$own) - grep({ $_ eq $own->[$p] } @$other);
		$value = $more if $more > $value;
	}
	return $value;
}

# The values with and without numbers
sub first_changes
{
	my ($x, $y) = @_;
	my @a = words_of($x);
	my @b = words_of($y);
	my $all = reading(\@a, \@b);
	my $without = reading([ grep { !/^[0-9]+$/ } @a ], [ grep { !/^[0-9]+$/ } @b ]);
	return ($all > $without ? $all : $without, $without);
}

is((join ' ', words_of("Größe １２½ ÉTÉ e\x{301}x 正弦カタ, กขคง한국 x")), (join ' ', map { NFD($_) } 'grösse', '121', '2', 'été', 'éx', qw(正 弦 カ タ กขค ขคง 한국 x)),
	'words of the model');

# ---------- random pairs ----------

seed_random();
my $n_pairs = rounds(100_000);
my @pieces = (
	[qw(md5sum sha512sum SIN cos name Pier north NORTH stage the of a)], [qw(1 2 3 12 2023 2024 0 007 １２ ２ ½ 10² ① 3a)],
	[qw(Größe STRASSE straße été ÉTÉ naïve ﬁn fin)], [qw(Ωμέγα ΩΜΈΓΑ γη съешь ЕЩЁ ещё)], [qw(正弦 余 函数 的 值 カタ ひら)],
	[qw(서울 부산 크다 한국)], [qw(กขค กขง ทั้ง ๑๒)], [qw(كتاب كتـاب کتاب كِتاب ١٢ ۱۲)], [qw(Oʻzbek O'zbek १२ 12)]);
my @between = (' ', ' ', ' ', ', ', '. ', '-', '', "\n", '/', '(');

sub pick { return $_[ rand @_ ] }

sub random_text
{
	my ($n, @kinds) = @_;
	return join '', map { (pick(@{ pick(@kinds) }), pick(@between)) } 1 .. $n;
}

my (@values, @lines);
for my $id (1 .. $n_pairs)
{
	# what both begin with, what differs, and more; of few kinds, so that words come again
	my @kinds = map { pick(@pieces) } 1 .. 1 + int rand 3;
	my $begin = random_text(int rand 8, @kinds);
	my $end = random_text(int rand 12, @kinds);
	my ($x, $y) = map { $begin . random_text(int rand 3, @kinds, $pieces[1]) . (rand() < .6 ? $end : random_text(int rand 12, @kinds)) } 0 .. 1;
	$y = uc $y if rand() < .1;
	$y = NFD($y) if rand() < .1;
	my @value = first_changes($x, $y);
	push @values, \@value;
	push @lines, join "\t", $id, @value, map { unpack 'H*', encode('UTF-8', $_) } $x, $y;
}
my $folder = PostgreSQL::Test::Utils::tempdir();
append_to_file("$folder/pairs", join "\n", @lines, '');
$node->safe_psql('postgres', <<"END");
CREATE TABLE hex (id int, value int, without int, a text, b text);
\\copy hex FROM '$folder/pairs'
CREATE TABLE pairs AS SELECT id, value, without, convert_from(decode(a, 'hex'), 'UTF8') AS a, convert_from(decode(b, 'hex'), 'UTF8') AS b FROM hex;
END
is($node->safe_psql('postgres', 'SELECT id, value, without, simhash_first_change(a, b), simhash_first_change(a, b, false), to_json(a), to_json(b) FROM pairs
	WHERE (simhash_first_change(a, b), simhash_first_change(a, b, false)) IS DISTINCT FROM (value, without) LIMIT 3'), '', "$n_pairs random pairs");
is($node->safe_psql('postgres', 'SELECT id FROM pairs WHERE simhash_first_change(b, a) <> value OR simhash_first_change(b, a, false) <> without LIMIT 3'), '',
	'in the other order');
for my $kind ([ 0, 'value = 0' ], [ 1, 'value = 1' ], [ 2, 'value >= 2' ], [ 3, 'value > without' ])
{
	cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM pairs WHERE $kind->[1]"), '>', $n_pairs / 20, "many with $kind->[1]");
}
figures("$n_pairs pairs have the first change of the model");

# ---------- labelled pairs ----------

my $file = ($ENV{SIMHASH_DATA} // '') . '/revisions_dev.tsv';

SKIP:
{
	skip 'needs revisions_dev.tsv: see SIMHASH_DATA', 2 unless $ENV{SIMHASH_DATA} && -r $file;

	$node->safe_psql('postgres', "CREATE TABLE labelled (label text, kind text, lang text, a text, b text);\n\\copy labelled FROM '$file'");
	is($node->safe_psql('postgres', q{SELECT label, count(*), count(*) FILTER (WHERE simhash_first_change(a, b) <= 1) FROM labelled GROUP BY 1 ORDER BY 1}),
		"revision|160|139\nsibling|160|3", 'revisions and siblings with a first change of at most 1');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM labelled WHERE simhash_first_change(a, b) <> simhash_first_change(b, a)'), 0, 'in the other order');
}

$node->stop;
done_testing();
