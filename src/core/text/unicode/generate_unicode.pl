#!/usr/bin/perl
#
# Write unicode_tables.h from the files of the Unicode Character Database:
#
#     perl generate_unicode.pl /usr/share/unicode > unicode_tables.h
#
# With --list behind the folder, write the table of doc/internals.md instead: all
# that a fingerprint takes as the same and Unicode does not.
#
# Fingerprints are stored, so the tables are pinned to one Unicode version: the
# script refuses any other.  It also refuses to write tables whose normalisation,
# without the exceptions listed below, differs from the database's own NFKC_Casefold
# property, or that break what normalize.c relies on.

use strict;
use warnings;

my $VERSION = '15.0.0';

# Written as an enum; normalize.c relies on characters' kinds coming first.
my @KINDS = qw(SEPARATOR WORD CJK SPACELESS MARK IGNORED MAPPED HANGUL);
my %KIND  = map { $KINDS[$_] => $_ } 0 .. $#KINDS;

# The kind of characters of a mapping that are a number of their own.  Characters have no
# kind MAPPED, and three bits for the kind.
$KIND{NUMBER} = $KIND{MAPPED};

my $BLOCK_BITS = 5;
my $BLOCK      = 1 << $BLOCK_BITS;
my $CHUNK_BITS = 12;			# code points of one entry of the top stage
my $MAX        = 0x10FFFF;

my $YPOGEGRAMMENI = 0x0345;		# a mark that case-folds to a letter
my $IOTA          = 0x03B9;

my $dir = shift // die "usage: $0 DIRECTORY [--list]\n";
my $list = shift // '';

# ---------------------------------------------------------------------------
# What Unicode does not take as the same, and readers do
# ---------------------------------------------------------------------------

# The forms of a text.  "spelling" folds what writers may leave out or write in two
# ways, and needs the other two.
my @FORMS = (
	{ name => 'FOLDED_NORMALIZED', case => 1, normalize => 1, spelling => 1 },
	{ name => 'NORMALIZED',        normalize => 1 },
	{ name => 'CASE_FOLDED',       case => 1 },
	{ name => 'AS_IS' });

sub ranges
{
	return map { /^(\w+)-(\w+)$/ ? hex($1) .. hex($2) : hex $_ } split / /, shift;
}

# Letters that are used as apostrophes.  They are separators in all forms, because the
# apostrophes of ASCII and of typography are.
my %apostrophe = map { $_ => 1 } ranges('02B9-02BF 02C8 02EE A78B A78C 07F4 07F5');

# The ordinal indicators are typed for the sign of degrees, and this sign for them.  They are
# signs in all forms.
my %ordinal = map { $_ => 1 } ranges('00AA 00BA');

# Signs that may belong to the word before them: the tokeniser sees their compatibility forms as
# these signs, and those of other signs as they are.
my %word_sign = map { ord, 1 } '+', '#';

# Circles that are typed for the ideographic zero behind a numeral, in the form that folds
# spellings.  The value of a circle is a mapping to a separator and the zero: normalize.c
# chooses one of the two.
my $ZERO = 0x3007;
my %circle = map { $_ => 1 } ranges('25CB 25EF FFEE');

# Spacing forms of marks, such as U+00B4, stand for apostrophes and quotation marks.  Their
# compatibility decomposition is a space and a mark: marks vanish after white space and at
# the beginning of a text, and a separator is left.  The voicing marks of Kana stay, because
# they belong to the letter before them, and so does the spacing ypogegrammeni, which is
# folded to a letter.

# Letters that stretch a word.  They vanish if case is folded.
my %stretcher = map { $_ => 1 } ranges('0640 07FA');

# What nobody sees, and Unicode does not ignore by default: signs of annotations and of
# objects, which the text of office documents has within words, and the layout of
# hieroglyphs.  What encloses a digit or a letter vanishes as it does from circled digits.
my %invisible = map { $_ => 1 } ranges('20DD-20E0 20E2-20E4 FFF9-FFFC 13430-1343F');

# Letters that are typed for each other, or that readers take for each other.  Letters with
# strokes and hooks are added from the database.
my %same_letter = (
	(map { $_ => [0x064A] } ranges('0649 06CC')),				# yeh
	(map { $_ => [0x0643] } ranges('06A9')),					# kaf
	(map { $_ => [0x0647] } ranges('0629 06BE 06C1 06C3 06D5')),	# heh and teh marbuta
	(map { $_ => [0x0627] } ranges('0671')),					# alef wasla
	(map { $_ => [0x06AF] } ranges('06AB 06AC 0762')),			# gaf of Pashto and Jawi
	0x05F0 => [0x05D5, 0x05D5], 0x05F1 => [0x05D5, 0x05D9],		# Yiddish ligatures
	0x05F2 => [0x05D9, 0x05D9],
	0x0131 => [0x69],											# Turkish i
	0x00E6 => [0x61, 0x65], 0x0153 => [0x6F, 0x65],				# ligatures
	(map { $_ => [0x65] } ranges('01DD 0259 025B')),			# Azerbaijani, Kanuri, Twi
	0x0254 => [0x6F], 0x0275 => [0x6F],
	0x014B => [0x6E], 0x0263 => [0x67], 0x0269 => [0x69],		# Ewe, Sami, Kabiye
	0x028A => [0x75], 0x0289 => [0x75], 0x0292 => [0x7A],
	0x00F0 => [0x64], 0x00FE => [0x74, 0x68],					# Icelandic
	0x04D9 => [0x0430], 0x04E9 => [0x043E], 0x04BB => [0x0445],	# Kazakh, Tatar, Kyrgyz
	0x04AF => [0x0443], 0x04B1 => [0x0443], 0x04A1 => [0x043A],
	0x04D5 => [0x0430, 0x0435],									# Ossetian, as the Latin ligature

	# Final consonants, which were a consonant, a virama and a joiner before they were letters
	0x09CE => [0x09A4, 0x09CD],									# Bengali
	0x0D7A => [0x0D23, 0x0D4D], 0x0D7B => [0x0D28, 0x0D4D],		# Malayalam
	0x0D7C => [0x0D30, 0x0D4D], 0x0D7D => [0x0D32, 0x0D4D],
	0x0D7E => [0x0D33, 0x0D4D], 0x0D7F => [0x0D15, 0x0D4D],
	0x0D54 => [0x0D2E, 0x0D4D], 0x0D55 => [0x0D2F, 0x0D4D],
	0x0D56 => [0x0D34, 0x0D4D], 0x0D4E => [0x0D30, 0x0D4D],
	0x0C5D => [0x0C28, 0x0C4D], 0x0CDD => [0x0CA8, 0x0CCD],		# Telugu, Kannada

	# Letters that look like two others
	0x0972 => [0x0905, 0x0945], 0x0986 => [0x0985, 0x09BE],		# Marathi, Bengali
	0x0A86 => [0x0A85, 0x0ABE], 0x0A8F => [0x0A85, 0x0AC7],		# Gujarati
	0x0A93 => [0x0A85, 0x0ACB], 0x0B06 => [0x0B05, 0x0B3E],		# Gujarati, Odia
	0x0BD7 => [0x0BB3], 0x0BB6 => [0x0BB8],						# Tamil au and sri
	0x0E41 => [0x0E40, 0x0E40], 0x0EC1 => [0x0EC0, 0x0EC0],		# Thai, Lao

	0x0A70 => [0x0A02],											# Punjabi nasal sign
	0x0D57 => [0x0D46, 0x0D57]);								# Malayalam au: see %order

# Marks that are typed in any order, with the class that orders them.  Unicode gives them
# none.  In Malayalam the e before the sign of au may be absent: the sign brings one, and a mark
# that follows itself vanishes.  (Behind the e, the aa of o needs a class, too.)
my %order = (
	(map { $_ => 103 } ranges('0E31 0E34-0E37')), 0x0E4D => 108,	# Thai: before and after tones
	(map { $_ => 118 } ranges('0EB1 0EB4-0EB7 0EBB')), 0x0ECD => 123,	# Lao
	0x0D46 => 2, 0x0D57 => 3, 0x0D3E => 4);

# The letters of Thai and Lao that vanish after a nasal sign: aa of the vowel am, which is typed as
# one letter, or in two parts with the tone between or before them.
my %after_nasal = (0x0E32 => 0x0E4D, 0x0EB2 => 0x0ECD);

# Marks that writers may leave out.  One of these bits of a mark and of the character
# before it lets the mark vanish; a mark with the last bit always vanishes.
my ($ACCENT, $BREVE, $DIAERESIS, $HAMZA, $SPACE, $ALWAYS) = (1, 2, 4, 8, 16, 32);

sub mark_bits
{
	my ($cp, $form) = @_;
	my $bits = left_out_bits($cp);
	return 0 if !$bits || !$form->{normalize};
	return $form->{spelling} ? $bits | $SPACE : $SPACE;
}

sub left_out_bits
{
	my ($cp) = @_;
	return 0 if category($cp) !~ /^M/;

	# Hebrew points and accents; Arabic vowels and signs of recitation; Syriac points
	return $ALWAYS if ($cp >= 0x0591 && $cp <= 0x05C7) || $cp == 0xFB1E;
	return $ALWAYS if $cp >= 0x0730 && $cp <= 0x074A;
	return $HAMZA if $cp >= 0x0653 && $cp <= 0x0655;
	return $ALWAYS
	  if ($cp >= 0x0610 && $cp <= 0x06ED) || ($cp >= 0x0898 && $cp <= 0x08FF)
	  || ($cp >= 0x10EFD && $cp <= 0x10EFF);

	# Nuktas of India; U+1037, of the same class, is a tone of Burmese
	return $ALWAYS if ccc($cp) == 7 && $cp < 0x1000;

	# U+0345 is folded to a letter; from U+0363 on, marks are letters.
	return 0 if $cp < 0x0300 || $cp > 0x0362 || $cp == $YPOGEGRAMMENI;
	return $cp == 0x0306 ? $BREVE : $cp == 0x0308 ? $DIAERESIS : $ACCENT;
}

# The blank of Braille looks like a space between words, so it is one.
my $BRAILLE_BLANK = 0x2800;
my %white_space = map { $_ => 1 } $BRAILLE_BLANK,
  ranges('0009-000D 0020 0085 00A0 1680 2000-200A 2028 2029 202F 205F 3000');

# Two marks are parts of letters that nobody writes without them: U+0439 and U+0457.
my %base_bits = (
	0x0438 => $ACCENT | $DIAERESIS,
	0x0456 => $ACCENT | $BREVE,
	(map { $_ => $HAMZA } ranges('0627 0647')));

my @script;

sub base_bits
{
	my ($cp) = @_;
	return $SPACE if $white_space{$cp};
	return $base_bits{$cp} if $base_bits{$cp};
	return category($cp) =~ /^L/ && ($script[$cp] // '') =~ /^(Latin|Greek|Cyrillic)$/ ?
	  $ACCENT | $BREVE | $DIAERESIS : 0;
}

# ---------------------------------------------------------------------------
# Reading the database
# ---------------------------------------------------------------------------

sub open_ucd
{
	my ($name, $check) = @_;
	open(my $fh, '<', "$dir/$name") or die "$dir/$name: $!\n";
	if ($check)
	{
		my $first = <$fh>;
		$first =~ /-\Q$VERSION\E\.txt$/
		  or die "$name is not of Unicode $VERSION: $first";
	}
	return $fh;
}

# Calls back with (first, last, fields...) for each line.
sub each_range
{
	my ($name, $check, $callback) = @_;
	my $fh = open_ucd($name, $check);
	while (my $line = <$fh>)
	{
		$line =~ s/#.*//;
		$line =~ s/\s+$//;
		next if $line eq '';
		my ($range, @fields) = split /\s*;\s*/, $line, -1;
		my ($first, $last) = $range =~ /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?$/
		  or die "$name: cannot read: $line\n";
		$callback->(hex $first, hex($last // $first), @fields);
	}
}

my (@category, @ccc, @decimal, %digits, %own_number, %small_letter, %canonical, %compatible, %fold, @ignorable, @spaceless,
	%nfkc_cf);
my $range_first;

each_range('UnicodeData.txt', 0, sub
{
	my ($cp, undef, $name, $gc, $ccc, undef, $decomposition, $decimal, undef, $number) = @_;
	my $first = $cp;

	if ($name =~ /, First>$/)
	{
		$range_first = $cp;
		return;
	}
	$first = $range_first if $name =~ /, Last>$/;
	for my $c ($first .. $cp)
	{
		$category[$c] = $gc;
		$ccc[$c] = $ccc if $ccc;
		$decimal[$c] = $decimal if $gc eq 'Nd';
	}
	$small_letter{$1} = $cp if $name =~ /^((?:LATIN|CYRILLIC) SMALL LETTER .*)/;
	$digits{$cp} = [ map { ord } split //, $number ]
	  if $decomposition eq '' && $name =~ /CIRCLED .*(DIGIT|NUMBER) /;
	# Superscript digits and fractions are numbers of their own, not parts of the word before them.
	$own_number{$cp} = 1 if $decomposition =~ /^<super> 003[0-9]$|^<fraction>/;
	if ($decomposition =~ /^(<\w+> )?([0-9A-F ]+)$/)
	{
		my @to = map { hex } split / /, $2;
		(defined $1 ? $compatible{$cp} : $canonical{$cp}) = \@to;
	}
	elsif ($decomposition ne '')
	{
		die "UnicodeData.txt: strange decomposition $decomposition\n";
	}
});

each_range('CaseFolding.txt', 1, sub
{
	my ($cp, undef, $status, $to) = @_;
	$fold{$cp} = [ map { hex } split / /, $to ] if $status =~ /^[CF]$/;
});

each_range('DerivedCoreProperties.txt', 1, sub
{
	my ($first, $last, $property) = @_;
	return if $property ne 'Default_Ignorable_Code_Point';
	$ignorable[$_] = 1 for $first .. $last;
});

each_range('LineBreak.txt', 1, sub
{
	my ($first, $last, $class) = @_;
	return if $class ne 'SA';
	$spaceless[$_] = 1 for $first .. $last;
});

each_range('Scripts.txt', 1, sub
{
	my ($first, $last, $script) = @_;
	$script[$_] = $script for $first .. $last;
});

each_range('DerivedNormalizationProps.txt', 1, sub
{
	my ($first, $last, $property, $to) = @_;
	return if $property ne 'NFKC_CF';
	$nfkc_cf{$_} = [ map { hex } split / /, $to ] for $first .. $last;
});

# Letters with strokes, hooks and the like, which Unicode does not decompose: they are typed
# without them, as other letters are typed without their diacritics.
for my $name (keys %small_letter)
{
	my $cp = $small_letter{$name};
	$same_letter{$cp} = $same_letter{ $small_letter{$1} } // [ $small_letter{$1} ]
	  if $name =~ /^(LATIN SMALL LETTER [A-Z]|CYRILLIC SMALL LETTER [A-Z]+) WITH /
	  && $small_letter{$1} && !$canonical{$cp} && !$compatible{$cp};
}

sub category { return $category[ $_[0] ] // 'Cn'; }
sub ccc      { return $ccc[ $_[0] ] // 0; }

# The class that orders a mark in a form.  Without normalisation marks stay in the order in
# which they are.
sub class_in
{
	my ($cp, $form) = @_;
	return $order{$cp} if $form->{spelling} && $order{$cp};
	return $form->{normalize} ? ccc($cp) : 0;
}

# ---------------------------------------------------------------------------
# Normalisation of one code point
# ---------------------------------------------------------------------------

sub is_hangul { return $_[0] >= 0xAC00 && $_[0] <= 0xD7A3; }

sub hangul
{
	my $s = $_[0] - 0xAC00;
	my @jamo = (0x1100 + int($s / 588), 0x1161 + int(($s % 588) / 28));
	push @jamo, 0x11A7 + $s % 28 if $s % 28;
	return @jamo;
}

sub ordered
{
	my ($form, @in) = @_;
	my @out;
	while (@in)
	{
		my @run;
		push @run, shift @in while @in && class_in($in[0], $form);
		push @out, map { $run[$_] }
		  sort { class_in($run[$a], $form) <=> class_in($run[$b], $form) || $a <=> $b } 0 .. $#run;
		push @out, shift @in if @in;
	}
	return @out;
}

# Decomposition goes before folding, so that a ypogegrammeni inside a precomposed
# letter remains one: it is folded to iota only after canonical ordering.  Folded
# at once it would stop the marks behind it from being ordered, and canonically
# equivalent texts would differ.  (That also goes for normalisation without case
# folding.)
sub closure
{
	my ($cp, $form) = @_;
	my $to;
	if ($form->{normalize})
	{
		return () if $ignorable[$cp];
		return map { closure($_, $form) } hangul($cp) if is_hangul($cp);
		$to = $canonical{$cp} // $compatible{$cp};
	}
	$to //= $fold{$cp}
	  if $form->{case} && ($cp != $YPOGEGRAMMENI || !$form->{normalize});
	return $cp if !$to;
	return map { closure($_, $form) } @$to;
}

# The characters of a code point after the exceptions.  Marks before the first letter stay
# (normalize.c knows the letter before them).
sub folded
{
	my ($cp, $form) = @_;
	my @to = closure($cp, $form);
	my $base = 0;
	my %before;

	return $cp if $ordinal{$cp};
	return ($cp, $ZERO) if $circle{$cp} && $form->{spelling};
	return @to if !$form->{normalize};
	@to = map {
		defined $decimal[$_] ? 0x30 + $decimal[$_] : $digits{$_} ? @{ $digits{$_} } : $_
	} grep { !$invisible{$_} } @to;
	if ($form->{case} && @to > 1)
	{
		@to = grep { !$stretcher{$_} } @to;
	}
	if ($form->{spelling})
	{
		@to = map { $same_letter{$_} ? @{ $same_letter{$_} } : $_ } @to;
		@to = grep { $before{$_} = 1; !$after_nasal{$_} || !$before{ $after_nasal{$_} } } @to;
	}
	return grep {
		$base = $_ if !ccc($_);
		!$base || !(mark_bits($_, $form) & (base_bits($base) | $ALWAYS));
	} @to;
}

sub canonical_decomposition
{
	my ($cp) = @_;
	return hangul($cp) if is_hangul($cp);
	return $cp if !$canonical{$cp};
	return map { canonical_decomposition($_) } @{ $canonical{$cp} };
}

sub in_cjk_range
{
	my ($cp) = @_;
	return
	     $cp == 0x3005
	  || $cp == 0x3007
	  || ($cp >= 0x3040  && $cp <= 0x30FF)
	  || ($cp >= 0x31F0  && $cp <= 0x31FF)
	  || ($cp >= 0x3400  && $cp <= 0x4DBF)
	  || ($cp >= 0x4E00  && $cp <= 0x9FFF)
	  || ($cp >= 0xF900  && $cp <= 0xFAFF)
	  || ($cp >= 0x20000 && $cp <= 0x3FFFF);
}

# The kind of a code point that is its own normal form.
sub base_kind
{
	my ($cp) = @_;
	my $gc = category($cp);

	return 'SEPARATOR' if $apostrophe{$cp} || $ordinal{$cp};
	return 'MARK' if $gc =~ /^M/;
	if (in_cjk_range($cp))
	{
		return $gc =~ /^([PSZ]|C[^n])/ ? 'SEPARATOR' : 'CJK';
	}
	if ($gc =~ /^L/)
	{
		return $spaceless[$cp] ? 'SPACELESS' : ($script[$cp] // '') eq 'Hangul' ? 'HANGUL' : 'WORD';
	}
	return 'WORD' if $gc =~ /^N/ || $gc eq 'Cn';
	return 'SEPARATOR';
}

# A character of the mapping of $from
sub pack_char
{
	my ($cp, $form, $from) = @_;
	my $kind = base_kind($cp);
	$kind = 'NUMBER' if $kind eq 'WORD' && $own_number{$from};
	return $cp | $KIND{$kind} << 21 | class_in($cp, $form) << 24;
}

# ---------------------------------------------------------------------------
# The table of doc/internals.md
# ---------------------------------------------------------------------------

sub show_ranges
{
	my (@in) = sort { $a <=> $b } @_;
	my @out;
	while (@in)
	{
		my $first = shift @in;
		my $last = $first;
		$last = shift @in while @in && $in[0] == $last + 1;
		push @out, $first == $last ? sprintf('%04X', $first) : sprintf('%04X-%04X', $first, $last);
	}
	return join ' ', @out;
}

sub show_row { my ($what, $cps, $to) = @_; print "| $what | ", show_ranges(@$cps), " | $to |\n"; }

# The marks with one of these bits
sub marks { my ($bits) = @_; return [ grep { left_out_bits($_) & $bits } 0x300 .. 0x10EFF ]; }

# The letters after which marks with these bits vanish
sub letters
{
	my ($bits) = @_;
	return show_ranges(grep { $base_bits{$_} & $bits } keys %base_bits);
}

if ($list eq '--list')
{
	my $form = $FORMS[0];
	my %letters_to;

	print "| what | code points | folded to |\n|---|---|---|\n";
	show_row('decimal digits', [ grep { defined $decimal[$_] && $_ > 0x39 } 0 .. $MAX ], 'ASCII digits');
	show_row('other circled digits', [ keys %digits ], 'ASCII digits');
	show_row('what encloses a character; what nobody sees', [ keys %invisible ], 'nothing');
	show_row('blank of Braille', [ $BRAILLE_BLANK ], 'whitespace');
	show_row('letters used as apostrophes', [ keys %apostrophe ], 'a separator');
	show_row('ordinal indicators', [ keys %ordinal ], 'a separator');
	show_row('superscript digits, fractions', [ keys %own_number ], 'a number of its own');
	show_row('circles', [ keys %circle ], sprintf('%04X behind a Chinese numeral', $ZERO));
	show_row('spacing marks', [ grep {
		my @to = closure($_, $form);
		@to > 1 && $to[0] == 0x20 && left_out_bits($to[1]) } 0 .. 0xFFFF ], 'a separator');
	show_row('letters that stretch a word', [ keys %stretcher ], 'nothing');
	show_row('Hebrew points and accents', [ grep { $_ < 0x600 || $_ == 0xFB1E } @{ marks($ALWAYS) } ], 'nothing');
	show_row('Arabic vowels and signs of recitation, Syriac points', [ grep { $_ >= 0x600 && ccc($_) != 7 && $_ != 0xFB1E } @{ marks($ALWAYS) } ], 'nothing');
	show_row('nuktas', [ grep { ccc($_) == 7 } @{ marks($ALWAYS) } ], 'nothing');
	show_row('Arabic madda and hamza', marks($HAMZA), 'nothing after ' . letters($HAMZA));
	show_row('diacritics of Latin, Greek and Cyrillic', marks($ACCENT | $BREVE | $DIAERESIS),
		'nothing after their letters, except 0306 after 0438 and 0308 after 0456');
	show_row('marks typed in any order', [ keys %order ], 'one order');
	print "| marks that follow themselves | all with a combining class | one mark |\n";
	show_row('letters of the vowel am', [ keys %after_nasal ], 'nothing after ' . show_ranges(values %after_nasal));
	push @{ $letters_to{ join ' ', map { sprintf '%04X', $_ } @{ $same_letter{$_} } } }, $_ for keys %same_letter;
	show_row('letters', $letters_to{$_}, $_) for sort keys %letters_to;
	exit;
}

my (@offsets, @pool, %mapping);
my ($longest, $max_ccc) = (0, 0);

sub check_default_form
{
	my ($cp, @to) = @_;
	my @folded = map { $_ == $YPOGEGRAMMENI ? $IOTA : $_ } @to;
	my @wanted = ordered($FORMS[1],
		map { canonical_decomposition($_) } @{ $nfkc_cf{$cp} // [$cp] });
	my $u = sprintf('U+%04X', $cp);

	"@folded" eq "@wanted" or die "$u: not NFKC_Casefold: @folded, @wanted\n";

	# What normalize.c relies on
	!ccc($cp) || category($cp) =~ /^M/ or die "$u: non-starter, but no mark\n";
	!ccc($cp) || !$ignorable[$cp] or die "$u: ignorable non-starter\n";
	ccc($cp) != 240 || $cp == $YPOGEGRAMMENI or die "$u: class 240\n";
	$max_ccc = ccc($cp) if ccc($cp) > $max_ccc;
	return;
}

# The sets of bits of marks, numbered
my @mark_bits = (0);

sub class_of
{
	my ($bits) = @_;
	my ($class) = grep { $mark_bits[$_] == $bits } 0 .. $#mark_bits;
	return $class if defined $class;
	push @mark_bits, $bits;
	@mark_bits <= 32 or die "too many kinds of marks\n";
	return $#mark_bits;
}

# What the trie says of a code point in a form.
sub value_of
{
	my ($cp, $form) = @_;
	my @to = folded($cp, $form);
	my $kind;
	my $value;

	@to = ordered($form, @to);
	check_default_form($cp, ordered($FORMS[1], closure($cp, $form))) if $form == $FORMS[0];

	# normalize.c lets it vanish, and places.c knows that it belongs to a word
	return $KIND{MARK} | class_of($ALWAYS) << 3 if $form->{case} && $form->{normalize} && $stretcher{$cp};
	if (@to && class_in($to[0], $form))
	{
		class_in($_, $form) or die "$cp: starter after a leading non-starter\n" for @to;
		@to <= 4 or die "$cp: more marks than NORM_ROOM\n";
	}
	$longest = @to if @to > $longest;

	if ($form->{normalize} && is_hangul($cp))
	{
		$kind = 'HANGUL';
	}
	elsif (!@to)
	{
		$kind = 'IGNORED';
	}
	elsif ($own_number{$cp})
	{
		$kind = 'MAPPED';
	}
	elsif (@to == 1 && $to[0] == $cp)
	{
		$kind = base_kind($cp);
	}
	elsif (!(@to == 1 && $word_sign{ $to[0] }) && !grep { base_kind($_) ne 'SEPARATOR' } @to)
	{
		$kind = 'SEPARATOR';
	}
	else
	{
		$kind = 'MAPPED';
	}
	$value = $KIND{$kind};
	$value |= 1 << 3 if $kind eq 'HANGUL' && @to == 1;
	$value |= class_of(mark_bits($cp, $form)) << 3 | class_in($cp, $form) << 8 if $kind eq 'MARK';
	if ($kind eq 'MAPPED')
	{
		my @packed = map { pack_char($_, $form, $cp) } @to;
		if (!exists $mapping{"@packed"})
		{
			$mapping{"@packed"} = @offsets;
			push @offsets, scalar @pool;
			push @pool, @packed;
		}
		$value |= $mapping{"@packed"} << 3;
	}
	return $value;
}

my @values;		# of each form
for my $form (@FORMS)
{
	push @values, [ map { value_of($_, $form) } 0 .. $MAX ];
}

# The characters after which marks may vanish, as ranges of the characters of folded texts
my @bases;
for my $cp (0 .. $MAX)
{
	my $kind = $values[0][$cp] & 7;
	next if $kind == $KIND{MARK} || $kind == $KIND{IGNORED} || $kind == $KIND{MAPPED};
	my $bits = $kind != $KIND{SEPARATOR} ? base_bits($cp)
	  : $white_space{$cp} || (folded($cp, $FORMS[0]))[-1] != 0x20 ? 0 : $SPACE;
	my $last = @bases ? $bases[-1] : undef;
	if ($last && $last->[2] == $bits) { $last->[1] = $cp }
	else { push @bases, [ $cp, $cp, $bits ] }
}
@bases = grep { $_->[2] } @bases;
$max_ccc == 240 or die "highest combining class is $max_ccc\n";
@offsets < 8192 or die "too many mappings\n";
push @offsets, scalar @pool;
@pool < 65536 or die "mappings too long\n";

# ---------------------------------------------------------------------------
# The trie: the plane 0 part of the middle stage, one for each form, is indexed by
# cp >> BLOCK_BITS, the others by way of the form's top stage.
# ---------------------------------------------------------------------------

my (@blocks, %block, @middle, @top, %chunk);

sub block_of
{
	my ($value, $first) = @_;
	my @v   = @$value[ $first .. $first + $BLOCK - 1 ];
	my $key = "@v";
	if (!exists $block{$key})
	{
		$block{$key} = @blocks / $BLOCK;
		push @blocks, @v;
	}
	return $block{$key};
}

for my $value (@values)
{
	for (my $cp = 0; $cp < 0x10000; $cp += $BLOCK)
	{
		push @middle, block_of($value, $cp);
	}
}
for my $value (@values)
{
	for (my $cp = 0x10000; $cp <= $MAX; $cp += 1 << $CHUNK_BITS)
	{
		my @entries;
		for (my $c = $cp; $c < $cp + (1 << $CHUNK_BITS); $c += $BLOCK)
		{
			push @entries, block_of($value, $c);
		}
		my $key = "@entries";
		if (!exists $chunk{$key})
		{
			$chunk{$key} = @middle;
			push @middle, @entries;
		}
		push @top, $chunk{$key};
	}
}
@middle < 65536 or die "middle stage too long\n";

# ---------------------------------------------------------------------------
# Output
# ---------------------------------------------------------------------------

sub write_array
{
	my ($type, $name, $format, @values) = @_;
	my $line = "\t";
	printf "\nstatic const %s %s[%d] = {\n", $type, $name, scalar @values;
	for my $v (@values)
	{
		my $item = sprintf($format, $v) . ',';
		if (length($line) + length($item) > 76)
		{
			print "$line\n";
			$line = "\t";
		}
		$line .= $item;
	}
	print "$line\n};\n";
}

# An expression in C that gives each of these code points a bit, and others 0
sub bit_of
{
	my ($n, $expression) = (0, '');
	$expression .= sprintf '(cp) == 0x%04X ? %d : ', $_, 1 << $n++ for sort { $a <=> $b } @_;
	return "($expression" . '0)';
}

printf STDERR "%d mappings of %d characters, %d blocks, %d bytes\n",
  scalar(@offsets) - 1, scalar @pool, @blocks / $BLOCK,
  2 * (@blocks + @middle + @top + @offsets) + 4 * @pool;

my $forms = join "\n", map { "\tUNICODE_$FORMS[$_]{name} = $_," } 0 .. $#FORMS;
$forms =~ s/,$//;
my $kinds = join "\n", map { "\tCHAR_$KINDS[$_] = $_," } 0 .. $#KINDS;
$kinds .= "\n\tCHAR_NUMBER = $KIND{NUMBER}";

print <<"END";
/*
 * Properties and mappings of Unicode $VERSION code points, as simhash needs them.
 *
 * Generated by generate_unicode.pl from UnicodeData.txt, CaseFolding.txt,
 * DerivedCoreProperties.txt, LineBreak.txt, Scripts.txt and DerivedNormalizationProps.txt:
 * do not edit.  Stored fingerprints depend on these tables, so they stay at this
 * Unicode version.
 */
#ifndef SIMHASH_UNICODE_TABLES_H
#define SIMHASH_UNICODE_TABLES_H

#include <stdint.h>

#define UNICODE_TABLES_VERSION "$VERSION"

/*
 * What a code point is to the tokeniser, or what normalisation has to do first.  CHAR_IGNORED
 * and CHAR_MAPPED do not occur in normalised text.  CHAR_HANGUL is a letter of Hangul; the value
 * of a syllable that normalisation decomposes has no other bits.  The kind CHAR_NUMBER is only
 * of characters, as CHAR_MAPPED is only of values: a superscript digit, or a digit of a fraction.
 */
enum
{
$kinds
};

/*
 * The forms of a text.  UNICODE_FOLDED_NORMALIZED also folds what writers may leave out or
 * write in two ways; UNICODE_CASE_FOLDED folds case alone.
 */
enum
{
$forms
};

/*
 * Marks that writers may leave out: bits of a mark, and of the characters after which it
 * vanishes.  A mark with UNICODE_VANISHES vanishes everywhere.  UNICODE_AFTER_SPACE is for
 * what Unicode takes as a space, or as a space with a mark.
 */
#define UNICODE_VANISHES $ALWAYS
#define UNICODE_AFTER_SPACE $SPACE

/*
 * The vowel am of Thai and Lao is a nasal sign and a letter, with tones between them.  The letter
 * vanishes if the marks before it have the sign of its script: if these two have a bit in common.
 */
#define UNICODE_NASAL(cp) @{[ bit_of(values %after_nasal) ]}
#define UNICODE_AFTER_NASAL(cp) @{[ bit_of(keys %after_nasal) ]}

#define UNICODE_BLOCK_BITS $BLOCK_BITS	/* code points of a block, as a power of 2 */
#define UNICODE_CHUNK_BITS $CHUNK_BITS	/* code points of a chunk, ditto */
#define UNICODE_LONGEST_MAPPING $longest	/* characters */
END

print <<'END';

/*
 * Three-stage trie, a top stage and a part of the middle stage for each form.  Its
 * values hold a kind in bits 0-2; with CHAR_MARK a place in unicode_mark_bits in bits 3-7
 * and the canonical combining class in bits 8-15; with CHAR_MAPPED the number of the
 * mapping in bits 3-15.
 */
END
write_array('uint16_t', 'unicode_top',    '%d', @top);
write_array('uint16_t', 'unicode_middle', '%d', @middle);
write_array('uint16_t', 'unicode_values', '%d', @blocks);

print <<'END';

/*
 * Mapping m is the characters unicode_mapped[unicode_mapping[m]] up to, not
 * including, unicode_mapped[unicode_mapping[m + 1]], in canonical order: code
 * point in bits 0-20, kind in bits 21-23, combining class in bits 24-31.
 */
END
write_array('uint16_t', 'unicode_mapping', '%d',     @offsets);
write_array('uint32_t', 'unicode_mapped',  '0x%08X', @pool);

write_array('uint8_t', 'unicode_mark_bits', '%d', @mark_bits);

print <<'END';

/* The characters after which marks may vanish, with the bits of these marks */
static const struct
{
	uint32_t	first;
	uint32_t	last;
	uint32_t	bits;
}			unicode_bases[] = {
END
printf "\t{0x%04X, 0x%04X, %d},\n", @$_ for @bases;
print "};\n";
print "\n#endif\n";
