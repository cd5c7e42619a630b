#!/usr/bin/perl
#
# Write unicode_tables.h from the files of the Unicode Character Database:
#
#     perl generate_unicode.pl /usr/share/unicode > unicode_tables.h
#
# Fingerprints are stored, so the tables are pinned to one Unicode version: the
# script refuses any other.  It also refuses to write tables whose normalisation
# differs from the database's own NFKC_Casefold property, or that break what
# normalize.c relies on.
#
# There are four forms of a text: case folded or not, normalised or not.

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

my $dir = shift // die "usage: $0 DIRECTORY\n";

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

my (@category, @ccc, %canonical, %compatible, %fold, @ignorable, @spaceless,
	%nfkc_cf);
my $range_first;

each_range('UnicodeData.txt', 0, sub
{
	my ($cp, undef, $name, $gc, $ccc, undef, $decomposition) = @_;
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
	  if $form->{fold} && ($cp != $YPOGEGRAMMENI || !$form->{normalize});
	return $cp if !$to;
	return map { closure($_, $form) } @$to;
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

	return 'MARK' if $gc =~ /^M/;
	if (in_cjk_range($cp))
	{
		return $gc =~ /^([PSZ]|C[^n])/ ? 'SEPARATOR' : 'CJK';
	}
	return $spaceless[$cp] ? 'SPACELESS' : 'WORD' if $gc =~ /^L/;
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

my @FORMS = (
	{ fold => 1, normalize => 1 },
	{ fold => 0, normalize => 1 },
	{ fold => 1, normalize => 0 },
	{ fold => 0, normalize => 0 });

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

# What the trie says of a code point in a form.
sub value_of
{
	my ($cp, $form) = @_;
	my @to = closure($cp, $form);
	my $kind;
	my $value;

	@to = canonical_order(@to) if $form->{normalize};
	check_default_form($cp, @to) if $form == $FORMS[0];
	if (@to && ccc($to[0]) && $form->{normalize})
	{
		ccc($_) or die "$cp: starter after a leading non-starter\n" for @to;
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
	$value |= ccc($cp) << 8 if $kind eq 'MARK' && $form->{normalize};
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

my $kinds = join "\n", map { "\tCHAR_$KINDS[$_] = $_," } 0 .. $#KINDS;
$kinds =~ s/,$//;

print <<"END";
/*
 * Properties and mappings of Unicode $VERSION code points, as simhash needs them.
 *
 * Generated by generate_unicode.pl from UnicodeData.txt, CaseFolding.txt,
 * DerivedCoreProperties.txt, LineBreak.txt and DerivedNormalizationProps.txt:
 * do not edit.  Stored fingerprints depend on these tables, so they stay at this
 * Unicode version.
 */
#ifndef SIMHASH_UNICODE_TABLES_H
#define SIMHASH_UNICODE_TABLES_H

#include <stdint.h>

#define UNICODE_TABLES_VERSION "$VERSION"

/*
 * What a code point is to the tokeniser, or what normalisation has to do first.
 * Only the first five occur in normalised text.
 */
enum
{
$kinds
};

/* The forms of a text */
enum
{
	UNICODE_FOLDED_NORMALIZED = 0,
	UNICODE_NORMALIZED = 1,
	UNICODE_FOLDED = 2,
	UNICODE_AS_IS = 3
};

#define UNICODE_BLOCK_BITS $BLOCK_BITS	/* code points of a block, as a power of 2 */
#define UNICODE_CHUNK_BITS $CHUNK_BITS	/* code points of a chunk, ditto */
#define UNICODE_LONGEST_MAPPING $longest	/* characters */
END

print <<'END';

/*
 * Three-stage trie, a top stage and a part of the middle stage for each form.  Its
 * values hold a kind in bits 0-2; with CHAR_MARK the canonical combining class in
 * bits 8-15, with CHAR_MAPPED the number of the mapping in bits 3-15.
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
print "\n#endif\n";
