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
	{ name => 'FOLDED_NORMALIZED',      case => 1, normalize => 1, spelling => 1 },
	{ name => 'CASE_FOLDED_NORMALIZED', case => 1, normalize => 1 },
	{ name => 'NORMALIZED',             normalize => 1 },
	{ name => 'CASE_FOLDED',            case => 1 },
	{ name => 'AS_IS' });

sub ranges
{
	return map { /^(\w+)-(\w+)$/ ? hex($1) .. hex($2) : hex $_ } split / /, shift;
}

# Letters that are used as apostrophes.  They are separators in all forms, because the
# apostrophes of ASCII and of typography are.
my %apostrophe = map { $_ => 1 } ranges('02B9-02BF 02C8 02EE A78B A78C 07F4 07F5');

# Spacing forms of marks, such as U+00B4, stand for apostrophes and quotation marks.  Their
# compatibility decomposition is a space and a mark: marks vanish after white space and at
# the beginning of a text, and a separator is left.  The voicing marks of Kana stay, because
# they belong to the letter before them, and so does the spacing ypogegrammeni, which is
# folded to a letter.

# Letters that stretch a word.  They vanish if case is folded.
my %stretcher = map { $_ => 1 } ranges('0640 07FA');

# Letters that are typed for each other, or that readers take for each other.
my %same_letter = (
	(map { $_ => [0x064A] } ranges('0649 06CC')),				# yeh
	(map { $_ => [0x0643] } ranges('06A9')),					# kaf
	(map { $_ => [0x0647] } ranges('0629 06C1 06C3 06D5')),		# heh and teh marbuta
	(map { $_ => [0x0627] } ranges('0671')),					# alef wasla
	0x0131 => [0x69],											# Turkish i
	0x00E6 => [0x61, 0x65], 0x0153 => [0x6F, 0x65],				# ligatures
	0x00F8 => [0x6F], 0x0111 => [0x64], 0x0127 => [0x68],		# strokes
	0x0142 => [0x6C], 0x0167 => [0x74]);

# Marks that writers may leave out.  One of these bits of a mark and of the character
# before it lets the mark vanish; a mark with the last bit always vanishes.
my ($ACCENT, $STRESS, $DIAERESIS, $HAMZA, $SPACE, $ALWAYS) = (1, 2, 4, 8, 16, 32);

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

	# Hebrew points and accents; Arabic vowels and signs of recitation
	return $ALWAYS if ($cp >= 0x0591 && $cp <= 0x05C7) || $cp == 0xFB1E;
	return $HAMZA if $cp >= 0x0653 && $cp <= 0x0655;
	return $ALWAYS
	  if ($cp >= 0x0610 && $cp <= 0x06ED) || ($cp >= 0x0898 && $cp <= 0x08FF)
	  || ($cp >= 0x10EFD && $cp <= 0x10EFF);

	# U+0345 is folded to a letter; from U+0363 on, marks are letters.
	return 0 if $cp < 0x0300 || $cp > 0x0362 || $cp == $YPOGEGRAMMENI;
	return $ACCENT | ($cp <= 0x0301 ? $STRESS : 0) | ($cp == 0x0308 ? $DIAERESIS : 0);
}

my %white_space = map { $_ => 1 }
  ranges('0009-000D 0020 0085 00A0 1680 2000-200A 2028 2029 202F 205F 3000');

# In Cyrillic, marks are parts of letters, except for stress and the dots of U+0451.
my %base_bits = (
	(map { $_ => $STRESS } ranges('0430 0435 0438 043E 0443 044B 044D-044F 0454 0456 0463')),
	0x0435 => $STRESS | $DIAERESIS,
	(map { $_ => $HAMZA } ranges('0627 0647')));

my @script;

sub base_bits
{
	my ($cp) = @_;
	return $SPACE if $white_space{$cp};
	return $ACCENT if category($cp) =~ /^L/ && ($script[$cp] // '') =~ /^(Latin|Greek)$/;
	return $base_bits{$cp} // 0;
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

my (@category, @ccc, @decimal, %canonical, %compatible, %fold, @ignorable, @spaceless,
	%nfkc_cf);
my $range_first;

each_range('UnicodeData.txt', 0, sub
{
	my ($cp, undef, $name, $gc, $ccc, undef, $decomposition, $decimal) = @_;
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

sub category { return $category[ $_[0] ] // 'Cn'; }
sub ccc      { return $ccc[ $_[0] ] // 0; }

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

sub canonical_order
{
	my @in = @_;
	my @out;
	while (@in)
	{
		my @run;
		push @run, shift @in while @in && ccc($in[0]);
		push @out, map { $run[$_] }
		  sort { ccc($run[$a]) <=> ccc($run[$b]) || $a <=> $b } 0 .. $#run;
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

	return @to if !$form->{normalize};
	@to = map { defined $decimal[$_] ? 0x30 + $decimal[$_] : $_ } @to;
	if ($form->{case} && @to > 1)
	{
		@to = grep { !$stretcher{$_} } @to;
	}
	if ($form->{spelling})
	{
		@to = map { $same_letter{$_} ? @{ $same_letter{$_} } : $_ } @to;
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

	return 'SEPARATOR' if $apostrophe{$cp};
	return 'MARK' if $gc =~ /^M/;
	if (in_cjk_range($cp))
	{
		return $gc =~ /^([PSZ]|C[^n])/ ? 'SEPARATOR' : 'CJK';
	}
	if ($gc =~ /^L/)
	{
		return $spaceless[$cp] ? 'SPACELESS' : ($script[$cp] // '') eq 'Hangul' ? 'HANGUL' : 'WORD';
	}
	return 'WORD' if $gc eq 'Nd' || $gc eq 'Cn';
	return 'SEPARATOR';
}

# Without normalisation marks stay in the order in which they are: the tables then
# give them no class.
sub pack_char
{
	my ($cp, $form) = @_;
	my $ccc = $form->{normalize} ? ccc($cp) : 0;
	return $cp | $KIND{ base_kind($cp) } << 21 | $ccc << 24;
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
	show_row('letters used as apostrophes', [ keys %apostrophe ], 'a separator');
	show_row('spacing marks', [ grep {
		my @to = closure($_, $form);
		@to > 1 && $to[0] == 0x20 && left_out_bits($to[1]) } 0 .. 0xFFFF ], 'a separator');
	show_row('letters that stretch a word', [ keys %stretcher ], 'nothing');
	show_row('Hebrew points and accents', [ grep { $_ < 0x600 || $_ == 0xFB1E } @{ marks($ALWAYS) } ], 'nothing');
	show_row('Arabic vowels and signs of recitation', [ grep { $_ >= 0x600 && $_ != 0xFB1E } @{ marks($ALWAYS) } ], 'nothing');
	show_row('Arabic madda and hamza', marks($HAMZA), 'nothing after ' . letters($HAMZA));
	show_row('diacritics of Latin and Greek', marks($ACCENT), 'nothing after a Latin or Greek letter');
	show_row('stress in Cyrillic', marks($STRESS), 'nothing after ' . letters($STRESS));
	show_row('dots of Cyrillic 0451', marks($DIAERESIS), 'nothing after ' . letters($DIAERESIS));
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
	my @wanted = canonical_order(
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

	@to = canonical_order(@to) if $form->{normalize};
	check_default_form($cp, canonical_order(closure($cp, $form))) if $form == $FORMS[0];

	# normalize.c lets it vanish, and places.c knows that it belongs to a word
	return $KIND{MARK} | class_of($ALWAYS) << 3 if $form->{case} && $form->{normalize} && $stretcher{$cp};
	if (@to && ccc($to[0]) && $form->{normalize})
	{
		ccc($_) or die "$cp: starter after a leading non-starter\n" for @to;
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
	elsif (@to == 1 && $to[0] == $cp)
	{
		$kind = base_kind($cp);
	}
	elsif (!grep { base_kind($_) ne 'SEPARATOR' } @to)
	{
		$kind = 'SEPARATOR';
	}
	else
	{
		$kind = 'MAPPED';
	}
	$value = $KIND{$kind};
	$value |= 1 << 3 if $kind eq 'HANGUL' && @to == 1;
	$value |= class_of(mark_bits($cp, $form)) << 3 | ccc($cp) << 8 if $kind eq 'MARK' && $form->{normalize};
	if ($kind eq 'MAPPED')
	{
		my @packed = map { pack_char($_, $form) } @to;
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

printf STDERR "%d mappings of %d characters, %d blocks, %d bytes\n",
  scalar(@offsets) - 1, scalar @pool, @blocks / $BLOCK,
  2 * (@blocks + @middle + @top + @offsets) + 4 * @pool;

my $forms = join "\n", map { "\tUNICODE_$FORMS[$_]{name} = $_," } 0 .. $#FORMS;
$forms =~ s/,$//;
my $kinds = join "\n", map { "\tCHAR_$KINDS[$_] = $_," } 0 .. $#KINDS;
$kinds =~ s/,$//;

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
 * of a syllable that normalisation decomposes has no other bits.
 */
enum
{
$kinds
};

/*
 * The forms of a text.  UNICODE_FOLDED_NORMALIZED also folds what writers may leave out or
 * write in two ways; UNICODE_CASE_FOLDED_NORMALIZED and UNICODE_CASE_FOLDED fold case alone.
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
