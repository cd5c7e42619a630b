# simhash_first_change and simhash_same_document are those of a model, which has its own words: Perl's NFKC, case folding and
# properties of Unicode.  Labelled pairs of revisions and siblings have the values of the definition.
#
#   SIMHASH_SOAK=n          n times as many random pairs
#   SIMHASH_DATA=folder     the folder of the file revisions_dev.tsv: label, kind, language and two
#                           texts, as COPY writes them; without it these tests are skipped

use utf8;
use Encode;
use Unicode::Normalize;
use List::Util qw(max min sum);
use Unicode::UCD 'num';
use SimhashTest;

my $node = start_node('first_change', 'autovacuum = off');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# ---------- the model ----------

sub form_of
{
	my ($text) = @_;
	# superscript digits and fractions are numbers of their own
	my $apart = $text =~ s/[\x{ad}\x{640}]//gr =~ s/([²³¹⁰⁴-⁹¼-¾⅐-⅞]+)/\x{E000}$1\x{E000}/gr;
	my $form = NFD(CORE::fc(NFKC($apart))) =~ s/(\p{Nd})/num($1)/ger =~ s/[\x{2b9}-\x{2bf}]/'/gr;
	# spellings of the words below
	return $form =~ s/(?<=[\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}])\p{Mn}+//gr =~ tr/ک/ك/r;
}

# Words of Latin, Greek, Cyrillic, Hangul, Han, Kana and Thai
sub words_of
{
	my ($text) = @_;
	my $form = form_of($text);
	my @words;
	while ($form =~ /(\p{Han}\p{M}*|[\p{Hiragana}\p{Katakana}]\p{M}*)|((?:\p{Thai}\p{M}*[^\p{L}\p{N}\p{M}]*)+)|((?:\p{Hangul}\p{M}*[^\p{L}\p{N}\p{M}]*)+)|((?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Hangul}])[\p{L}\p{N}]\p{M}*)+)/g)
	{
		my ($alone, $thai, $hangul, $word) = ($1, $2, $3, $4);
		if (defined($thai // $hangul))
		{
			my $stretch = ($thai // $hangul) =~ s/[^\p{L}\p{N}\p{M}]//gr;
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

sub without_numbers { return [ grep { !is_number($_) } @{ $_[0] } ]; }

# Has a word digits only, or is it a random token: 9 characters or more besides marks, 4 of them digits?
sub is_number { return $_[0] =~ /^[0-9]+$/ || is_token($_[0]); }
sub is_token { return $_[0] =~ /[^0-9]/ && ($_[0] =~ s/\p{M}//gr) =~ /^.{9}/s && $_[0] =~ tr/0-9// >= 4; }

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
	my $numeral = qr/[\p{Nd}〇一七万三两九二五亿仟伍佰億兆兩八六十千卅叁叄参參四壹壱廿拾捌柒玖百肆萬貳贰弐弍陆陸零]/;
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
	my $text = $_[0] =~ s/½/1⁄2/gr;
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
		if ($word =~ /^\p{N}/ && ($before =~ s/([\$%]) ?$// || $before =~ s/([^\p{L}\p{M}\p{N} ])$//))
		{
			$sign = $1;
			my $digit = form_of(substr $before, -1) =~ /[0-9]/;
			$sign = '' unless $digit || $sign =~ /[-+\$%]/ || ($sign =~ /[.,]/ && $before =~ /(?:^|[ -])$/);
			$sign = "-$sign" if $sign =~ /[\$%.,]/ && $before =~ /-$/;
			$sign =~ tr{⁄}{/};
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

# The words of a that are matched with words of b, as a list of [ place in a, place in b ]: those of equal ends; then the longest
# chain of words that occur once in each text divides the rest, or a table finds the longest common subsequence.
sub matches_of
{
	my ($a, $b, $p, $p_end, $q, $q_end) = @_;
	my (@matches, @ends);
	push @matches, [ $p++, $q++ ] while $p < $p_end && $q < $q_end && $a->[$p] eq $b->[$q];
	unshift @ends, [ --$p_end, --$q_end ] while $p < $p_end && $q < $q_end && $a->[ $p_end - 1 ] eq $b->[ $q_end - 1 ];
	return (@matches, @ends) if $p == $p_end || $q == $q_end;
	my $products = ($p_end - $p) * ($q_end - $q);
	my @chain = $products > 1024 ? chain_of($a, $b, $p, $p_end, $q, $q_end) : ();
	for (@chain)
	{
		push @matches, matches_of($a, $b, $p, $_->[0], $q, $_->[1]), $_;
		($p, $q) = ($_->[0] + 1, $_->[1] + 1);
	}
	return (@matches, @chain ? matches_of($a, $b, $p, $p_end, $q, $q_end) : subsequence_of($a, $b, $p, $p_end, $q, $q_end), @ends);
}

sub chain_of
{
	my ($a, $b, $p, $p_end, $q, $q_end) = @_;
	my (%in_a, %in_b, @last);
	push @{ $in_a{ $a->[$_] } }, $_ for $p .. $p_end - 1;
	push @{ $in_b{ $b->[$_] } }, $_ for $q .. $q_end - 1;
	for my $i (grep { @{ $in_a{ $a->[$_] } } == 1 && @{ $in_b{ $a->[$_] } // [] } == 1 } $p .. $p_end - 1)
	{
		my $j = $in_b{ $a->[$i] }[0];
		my $length = grep { $_->[1] < $j } @last;
		$last[$length] = [ $i, $j, $length ? $last[ $length - 1 ] : undef ];
	}
	my @chain;
	for (my $link = $last[-1]; $link; $link = $link->[2])
	{
		unshift @chain, [ @$link[ 0, 1 ] ];
	}
	return @chain;
}

sub subsequence_of
{
	my ($a, $b, $p, $p_end, $q, $q_end) = @_;
	my (@length, @matches);
	for my $i (reverse $p .. $p_end - 1)
	{
		for my $j (reverse $q .. $q_end - 1)
		{
			my ($below, $right) = ($length[ $i + 1 ][$j] // 0, $length[$i][ $j + 1 ] // 0);
			$length[$i][$j] = $a->[$i] eq $b->[$j] ? 1 + ($length[ $i + 1 ][ $j + 1 ] // 0) : $below > $right ? $below : $right;
		}
	}
	for (my ($i, $j) = ($p, $q); $i < $p_end && $j < $q_end;)
	{
		if ($a->[$i] eq $b->[$j]) { push @matches, [ $i++, $j++ ] }
		elsif (($length[ $i + 1 ][$j] // 0) > ($length[$i][ $j + 1 ] // 0)) { $i++ }
		else { $j++ }
	}
	return @matches;
}

# Matched words, changes, those with words on both sides, and how often a word is replaced by the same other one.  Changes of
# numbers only do not count if numbers do not.
sub replacements
{
	my ($a, $b, $numbers) = @_;
	my @matches = matches_of($a, $b, 0, scalar @$a, 0, scalar @$b);
	my ($changes, $replaced, $p, $q, %pairs) = (0, 0, 0, 0);
	for (@matches, [ scalar @$a, scalar @$b ])
	{
		my ($n, $m) = ($_->[0] - $p, $_->[1] - $q);
		my $counts = $numbers || grep { !is_number($_) } @$a[ $p .. $p + $n - 1 ], @$b[ $q .. $q + $m - 1 ];
		$changes++ if $counts && ($n || $m);
		$replaced++ if $counts && $n && $m;
		if ($n == $m && $n <= 4)
		{
			$pairs{"$a->[$_->[0]] $b->[$_->[1]]"}++ for grep { !is_number($a->[ $_->[0] ]) && !is_number($b->[ $_->[1] ]) } map { [ $p + $_, $q + $_ ] } 0 .. $n - 1;
		}
		($p, $q) = ($_->[0] + 1, $_->[1] + 1);
	}
	return (scalar @matches, $changes, $replaced, max(0, values %pairs));
}

# Is one of the first 20 words, behind the first n, repeated, and lacking in the other text?
sub begins_with_name
{
	my ($words, $all, $other, $n) = @_;
	for my $word (@$words[ $n .. ($#$words < 19 ? $#$words : 19) ])
	{
		return 1 if grep({ $_ eq $word } @$all) > 1 && !grep { $_ eq $word } @$other;
	}
	return 0;
}

# Do two lists of words differ in one word, which is a typo of the other one?
sub differ_by_typo
{
	my ($a, $b) = @_;
	return 0 if @$a != @$b || @$a > 30;
	my @differ = grep { $a->[$_] ne $b->[$_] } 0 .. $#$a;
	return 0 if @differ != 1;
	my ($x, $y) = map { [ split //, $_->[ $differ[0] ] ] } $a, $b;
	return 0 if grep { @$_ < 4 || @$_ > 40 || grep { /[0-9]/ } @$_ } $x, $y;
	return 0 if $x->[0] ne $y->[0];
	my @d;
	for my $i (0 .. @$x)
	{
		for my $j (0 .. @$y)
		{
			my @ways = ($i == 0 && $j == 0 ? 0 : ());
			push @ways, $d[ $i - 1 ][$j] + 1 if $i;
			push @ways, $d[$i][ $j - 1 ] + 1 if $j;
			push @ways, $d[ $i - 1 ][ $j - 1 ] + ($x->[ $i - 1 ] ne $y->[ $j - 1 ]) if $i && $j;
			push @ways, $d[ $i - 2 ][ $j - 2 ] + 1 if $i > 1 && $j > 1 && $x->[ $i - 1 ] eq $y->[ $j - 2 ] && $x->[ $i - 2 ] eq $y->[ $j - 1 ];
			$d[$i][$j] = min(@ways);
		}
	}
	return $d[-1][-1] <= (@$x >= 8 && @$y >= 8 ? 2 : 1);
}

# Has a list of words numbers that another one lacks, more than 10% of so many words, or more than 3% in more than 5 places?
sub has_own_numbers
{
	my ($words, $other, $n) = @_;
	my %known = map { $_ => 1 } grep { is_number($_) } @$other;
	my @own = grep { is_number($words->[$_]) && !is_token($words->[$_]) && !$known{ $words->[$_] }++ } 0 .. $#$words;
	my %is_own = map { $_ => 1 } @own;
	return 100 * @own > 10 * $n || (100 * @own > 3 * $n && grep({ !$is_own{ $_ - 1 } } @own) > 5);
}

# Do two texts that are not copies hold the rule, by their words with or without numbers?
sub holds
{
	my ($a, $b, $numbers) = @_;
	my ($p, $q) = (without_numbers($a), without_numbers($b));
	my ($min, $max) = @$a < @$b ? (scalar @$a, scalar @$b) : (scalar @$b, scalar @$a);
	return 0 if !$numbers && has_own_numbers($a, $b, $min) && has_own_numbers($b, $a, $min);
	my @readings = ($numbers ? [ reading($a, $b) ] : (), [ reading($p, $q) ]);
	my $equal = $readings[-1][1];
	my $edit = !grep { $_->[0] > 3 || ($_->[0] > 1 && $_->[1] < 20) } @readings;
	return 0 if !$edit && $equal < 20;
	my ($x, $y) = $numbers ? ($a, $b) : ($p, $q);
	return 0 if $min < 30 && ($min < 10 ? "@$x" ne "@$y" : replaced($x, $y)) && !differ_by_typo($x, $y);
	return 0 if $equal < 20 && begins_with_name($p, $a, $b, $equal) && begins_with_name($q, $b, $a, $equal);
	my ($matched, $changes, $replaced, $most_equal) = replacements($a, $b, $numbers);
	return 0 if !$edit && ($most_equal > 1 || 100 * $replaced > 3 * $min);
	return 0 if $most_equal >= 3 && grep { $_->[0] >= 3 } @readings;
	my $shared = 2 * $matched > $changes ? 2 * $matched - $changes : 0;
	return 100 * $shared >= 85 * (2 * ($min + $max) - $shared) || (($replaced <= 1 || 40 * $replaced <= $min) && 10 * $min >= 7 * $max);
}

# Have two texts many signs, more than 30% of their characters, and more than 20% of all without an equal one in the other text?
sub are_other_drawings
{
	my ($n_all, %more) = (0);
	for my $step (1, -1)
	{
		my @characters = split //, ($step > 0 ? $_[0] : $_[1]) =~ s/\s+//gr =~ s/[\x{2b9}-\x{2bf}]/'/gr;
		my @signs = grep { !/[\p{L}\p{M}\p{N}]/ } @characters;
		return 0 if 100 * @signs <= 30 * @characters;
		$more{$_} += $step for @signs;
		$n_all += @characters;
	}
	return 100 * sum(map { abs } values %more) > 20 * $n_all;
}

# Is it one document, with and without numbers?  The shorter text is matched with the longer one, and among texts of one length the
# words' hashes decide, which the model does not know: \N if they matter.
sub same_document
{
	my ($x, $y, $a, $b) = @_;
	my $copy = "@$a" eq "@$b" && CORE::fc(join '|', @{ (characters_of($x))[0] }) eq CORE::fc(join '|', @{ (characters_of($y))[0] });
	return ('t', 't') if $copy;
	return ('f', 'f') if are_other_drawings($x, $y);
	my $number = replaced(map { [ numbers_of($_) ] } $x, $y);
	my @same;
	for my $numbers (1, 0)
	{
		my ($first, $second) = (@$a <= @$b ? holds($a, $b, $numbers) : 0, @$a >= @$b ? holds($b, $a, $numbers) : 0);
		$first = $second if @$a > @$b;
		$second = $first if @$a < @$b;
		push @same, $numbers && $number ? 'f' : !$first != !$second ? '\N' : $first ? 't' : 'f';
	}
	return @same;
}

is((join ' ', words_of("Größe １２½ ÉTÉ e\x{301}x 正弦カタ, กขคง한국 x")), (join ' ', map { NFD($_) } 'grosse', '12', '1', '2', 'ete', 'ex', qw(正 弦 カ タ กขค ขคง 한국 x)),
	'words of the model');

# ---------- random pairs ----------

seed_random();
my $n_pairs = rounds(100_000);
my @pieces = (
	[qw(md5sum sha512sum SIN cos name Pier north NORTH stage the of a)], [qw(1 2 3 12 2023 2024 0 007 １２ ２ ① 3a)],
	[qw(Größe STRASSE straße été ÉTÉ naïve ﬁn fin)], [qw(Ωμέγα ΩΜΈΓΑ γη съешь ЕЩЁ ещё)], [qw(正弦 余 函数 的 值 カタ ひら)],
	[qw(서울 부산 크다 한국)], [qw(กขค กขง ทั้ง ๑๒)], [qw(كتاب كتـاب کتاب كِتاب ١٢ ۱۲)], [qw(Oʻzbek O'zbek १२ 12)]);
# A sign + directly behind a word of Latin letters may belong to it, which the model does not know.  It does not know the
# neighbours of fractions and superscripts, either.
my @between = (' ', ' ', ' ', ', ', '. ', '-', '', "\n", '/', '(', ' -', '.', ':', '%', ' % ', ' $', ' +', ' ===== ');

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
	$y =~ s/(?<=\p{Latin})\+/ +/g;
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
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM pairs WHERE same IS NULL OR same_without IS NULL'), '<', $n_pairs / 20, 'few pairs of which the model does not know it');
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
