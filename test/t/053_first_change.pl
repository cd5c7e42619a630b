# simhash_first_change and simhash_same_document are those of a model, which has its own words: Perl's NFKC, case folding and
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

sub form_of
{
	my ($text) = @_;
	my $form = NFD(CORE::fc(NFKC($text =~ s/[\x{ad}\x{640}]//gr))) =~ s/(\p{Nd})/num($1)/ger =~ s/[\x{2b9}-\x{2bf}]/'/gr;
	# spellings of the words below
	return $form =~ s/(?<=[\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}])\p{Mn}+//gr =~ tr/ک/ك/r;
}

# Words of Latin, Greek, Cyrillic, Hangul, Han, Kana and Thai
sub words_of
{
	my ($text) = @_;
	my $form = form_of($text);
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
	return ($value, $p);
}

sub without_numbers { return [ grep { !/^[0-9]+$/ } @{ $_[0] } ]; }

# The values with and without numbers, of the words of two texts
sub first_changes
{
	my ($a, $b) = @_;
	my ($all) = reading($a, $b);
	my ($without) = reading(without_numbers($a), without_numbers($b));
	return ($all > $without ? $all : $without, $without);
}

# The characters of a text other than white space, with a space for white space that is in a number: behind and before it
# are numerals, with at most 16 signs between, or it is beside a full stop or comma that a digit follows.  Also the
# place of each character of the text among them.
sub characters_of
{
	my ($text) = @_;
	my $numeral = qr/[\p{Nd}〇一七万三两九二五亿仟伍佰億兆兩八六十千卅叁参參四壹廿拾捌柒玖百肆萬貳贰陆陸零]/;
	my @parts = $text =~ /\s+|\S/g;
	my @kinds = map { my $c = NFKC($_); /^\s/ ? ' ' : $c =~ /\p{Nd}/ ? 'd' : $c =~ $numeral ? 'n' : $c =~ /^[\p{L}\p{M}\p{N}]/ ? 'l' : /^[.,]$/ ? 'p' : 's' } @parts;
	my $line = join '', @kinds;
	my (@characters, @places);
	for my $i (0 .. $#parts)
	{
		my ($before, $behind) = (substr($line, 0, $i), substr($line, $i + 1));
		push @places, (scalar @characters) x length $parts[$i];
		if ($kinds[$i] ne ' ')
		{
			push @characters, $parts[$i];
		}
		elsif ($before ne '' && $behind ne ''
			&& ($behind =~ /\Ap *d/ || ($behind =~ /\Ad/ && $before =~ /p\z/)
				|| ($before =~ /[nd](?: *[sp]){0,16} *\z/ && $behind =~ /\A *(?:[sp] *){0,16}[nd]/)))
		{
			push @characters, ' ';
		}
	}
	return (\@characters, \@places);
}

# The words with a digit, each with the signs beside it in the text
sub numbers_of
{
	my ($text) = @_;
	my ($characters, $places) = characters_of($text);
	my ($form, @starts, @ends) = ('');
	while ($text =~ /(\X)/g)
	{
		my $part = form_of($1);
		push @starts, ($-[0]) x length $part;
		push @ends, ($+[0]) x length $part;
		$form .= $part;
	}
	my @numbers;
	while ($form =~ /((?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Hangul}])[\p{L}\p{N}]\p{M}*)+)/g)
	{
		my ($word, $start, $end) = ($1, $starts[ $-[0] ], $ends[ $+[0] - 1 ]);
		next unless $word =~ /[0-9]/;
		my $before = join '', @$characters[ 0 .. $places->[$start] - 1 ];
		my ($unit) = substr($text, $end) =~ /^\s*([\$%])/;
		my $sign = '';
		if ($before =~ s/([\$%]) ?$// || $before =~ s/([^\p{L}\p{M}\p{N} ])$//)
		{
			$sign = $1;
			my $digit = form_of(substr $before, -1) =~ /[0-9]/;
			$sign = '' if $sign =~ /[:('.,]/ && !$digit && !($sign =~ /[.,]/ && $before =~ /(?:^|[ -])$/);
			$sign = "-$sign" if $sign =~ /[\$%.,]/ && $before =~ /-$/;
		}
		push @numbers, join '|', $sign, $word, $unit // '';
	}
	return @numbers;
}

# Has each list a word that the other one has not, or has less often?
sub replaced
{
	my ($a, $b) = @_;
	my %more;
	$more{$_}++ for @$a;
	$more{$_}-- for @$b;
	return grep({ $_ > 0 } values %more) && grep({ $_ < 0 } values %more);
}

# Is it one document, with and without numbers?
sub same_document
{
	my ($x, $y, $a, $b) = @_;
	my ($p, $q) = (without_numbers($a), without_numbers($b));
	my $short = @$a < 30 || @$b < 30;
	my ($all, $without) = map { my ($value, $equal) = reading(@$_); $value <= 1 || ($value <= 3 && $equal >= 20) } [ $a, $b ], [ $p, $q ];
	my $copy = "@$a" eq "@$b" && CORE::fc(join '|', @{ (characters_of($x))[0] }) eq CORE::fc(join '|', @{ (characters_of($y))[0] });
	my $same = $copy || $all && $without && !($short && replaced($a, $b)) && !replaced(map { [ numbers_of($_) ] } $x, $y);
	my $same_without = $copy || $without && !($short && replaced($p, $q));
	return map { $_ ? 't' : 'f' } $same, $same_without;
}

is((join ' ', words_of("Größe １２½ ÉTÉ e\x{301}x 正弦カタ, กขคง한국 x")), (join ' ', map { NFD($_) } 'grosse', '121', '2', 'ete', 'ex', qw(正 弦 カ タ กขค ขคง 한국 x)),
	'words of the model');

# ---------- random pairs ----------

seed_random();
my $n_pairs = rounds(100_000);
my @pieces = (
	[qw(md5sum sha512sum SIN cos name Pier north NORTH stage the of a)], [qw(1 2 3 12 2023 2024 0 007 １２ ２ ½ 10² ① 3a)],
	[qw(Größe STRASSE straße été ÉTÉ naïve ﬁn fin)], [qw(Ωμέγα ΩΜΈΓΑ γη съешь ЕЩЁ ещё)], [qw(正弦 余 函数 的 值 カタ ひら)],
	[qw(서울 부산 크다 한국)], [qw(กขค กขง ทั้ง ๑๒)], [qw(كتاب كتـاب کتاب كِتاب ١٢ ۱۲)], [qw(Oʻzbek O'zbek १२ 12)]);
my @between = (' ', ' ', ' ', ', ', '. ', '-', '', "\n", '/', '(', ' -', '.', ':', '%', ' % ', ' $', '+');

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
	my $begin = random_text(rand() < .2 ? 10 + int rand 25 : int rand 8, @kinds);
	my $end = random_text(rand() < .2 ? int rand 40 : int rand 12, @kinds);
	my ($x, $y) = map { $begin . random_text(int rand 3, @kinds, $pieces[1]) . (rand() < .6 ? $end : random_text(int rand 12, @kinds)) } 0 .. 1;
	$y = $x =~ s/(?<=[^\p{L}\p{N}\p{M}])\s*|\s+(?=[^\p{L}\p{N}\p{M}])/pick('', ' ')/ger if rand() < .05;
	$y = uc $y if rand() < .1;
	$y = NFD($y) if rand() < .1;
	my ($p, $q) = ([ words_of($x) ], [ words_of($y) ]);
	my @value = first_changes($p, $q);
	push @values, \@value;
	my @same = @$p && @$q ? same_document($x, $y, $p, $q) : ('\N', '\N');
	push @lines, join "\t", $id, @value, @same, map { unpack 'H*', encode('UTF-8', $_) } $x, $y;
}
my $folder = PostgreSQL::Test::Utils::tempdir();
append_to_file("$folder/pairs", join "\n", @lines, '');
$node->safe_psql('postgres', <<"END");
CREATE TABLE hex (id int, value int, without int, same bool, same_without bool, a text, b text);
\\copy hex FROM '$folder/pairs'
CREATE TABLE pairs AS SELECT id, value, without, same, same_without, convert_from(decode(a, 'hex'), 'UTF8') AS a, convert_from(decode(b, 'hex'), 'UTF8') AS b FROM hex;
END
is($node->safe_psql('postgres', 'SELECT id, value, without, simhash_first_change(a, b), simhash_first_change(a, b, false), to_json(a), to_json(b) FROM pairs
	WHERE (simhash_first_change(a, b), simhash_first_change(a, b, false)) IS DISTINCT FROM (value, without) LIMIT 3'), '', "$n_pairs random pairs");
is($node->safe_psql('postgres', 'SELECT id FROM pairs WHERE simhash_first_change(b, a) <> value OR simhash_first_change(b, a, false) <> without LIMIT 3'), '',
	'in the other order');
is($node->safe_psql('postgres', 'SELECT id, same, same_without, simhash_same_document(a, b), simhash_same_document(a, b, false), to_json(a), to_json(b) FROM pairs
	WHERE (simhash_same_document(a, b), simhash_same_document(a, b, false)) <> (same, same_without)
	OR (simhash_same_document(b, a), simhash_same_document(b, a, false)) <> (same, same_without) LIMIT 3'), '', 'the same document');
for my $kind ([ 0, 'value = 0' ], [ 1, 'value = 1' ], [ 2, 'value >= 2' ], [ 3, 'value > without' ], [ 4, 'same' ], [ 5, 'same_without AND NOT same' ], [ 6, 'NOT same_without AND value <= 1' ])
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
		"revision|160|135\nsibling|160|3", 'revisions and siblings with a first change of at most 1');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM labelled WHERE simhash_first_change(a, b) <> simhash_first_change(b, a)'), 0, 'in the other order');
}

$node->stop;
done_testing();
