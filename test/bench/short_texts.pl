#!/usr/bin/perl
# Short texts and edits of them: perl short_texts.pl KIND ROWS QUERIES <PACKAGES
#
# Prints lines of COPY (edit, nr, text): ROWS originals, whose edit is empty, and QUERIES copies
# of originals for each edit. PACKAGES is the output of apt-cache dumpavail. The output is the
# same in every run. Kinds:
#
#   titles     descriptions of packages, 3 to 14 words. If ROWS is more than there are, further
#              titles are the first words of one and the last words of another
#   names      first name, family name; the family names are words of the descriptions
#   addresses  name, street and number, postcode, city
#   codes      letters and digits, as of articles in a shop
#   urls       home pages of packages, with a path

use strict;
use warnings;
use utf8;
use open qw(:std :utf8);

my ($kind, $rows, $queries) = @ARGV;
my (@titles, @names, @homes, %seen, %words);
my $state = 42;

sub number
{
	my ($n) = @_;
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 2147483648 * $n);
}

sub one_of { return $_[ number(scalar @_) ]; }

# Twice as many small numbers as large ones: names are not evenly frequent.
sub skewed { return $_[ int(number(1000)**2 / 1e6 * @_) ]; }

while (<STDIN>)
{
	chomp;
	if (/^Package: (\S+)/ && !$seen{"package $1"}++) { push @names, $1; }
	elsif (/^Homepage: (\S+)/ && !$seen{$1}++) { push @homes, $1; }
	elsif (/^Description: (\S.*)/)
	{
		my $title = $1 =~ tr/\t\\//dr;
		my $n = split ' ', $title;
		push @titles, $title if $n >= 3 && $n <= 14 && !$seen{ lc $title }++;
		$words{ lc $_ }++ for $title =~ /\b[A-Za-z][a-z]{4,9}\b/g;
	}
}
my @family = map { ucfirst } grep { $words{$_} >= 2 } sort keys %words;
my @first = qw(James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara Richard Susan
  Joseph Jessica Thomas Sarah Charles Karen Christopher Nancy Daniel Lisa Matthew Betty Anthony Margaret Donald Sandra
  José María Jürgen Björn Zoë Renée François Łukasz Søren Åsa Anaïs Günther Andreas Katharina Sebastian Alexander);
my @kinds = ([ Street => 'St' ], [ Road => 'Rd' ], [ Avenue => 'Ave' ], [ Lane => 'Ln' ], [ Square => 'Sq' ]);

sub title
{
	my @a = split ' ', $titles[ number(scalar @titles) ];	# one_of would copy all titles
	my @b = split ' ', $titles[ number(scalar @titles) ];
	my $n = 2 + number(@a - 2);
	my $m = 2 + number(@b - 2);
	return join ' ', @a[ 0 .. $n - 1 ], @b[ -$m .. -1 ];
}
sub name { return one_of(@first) . (number(3) ? '' : ' ' . one_of(@first)) . ' ' . one_of(@family); }

my %make = (
	titles => sub { return $_[0] < @titles ? $titles[ $_[0] ] : title() },
	names => \&name,
	addresses => sub {
		return sprintf '%s, %s %s %d, %05d %s', name(), one_of(@family), one_of(@kinds)->[0], 1 + number(200),
		  number(100000), skewed(@family);
	},
	codes => sub {
		return sprintf '%s-%s%04d-%s%d', uc substr(one_of(@family), 0, 3), chr(65 + number(26)), number(10000),
		  one_of(qw(BLK WHT RED BLU GRN)), 10 * number(60);
	},
	urls => sub { return one_of(@homes) =~ s{/$}{}r . '/' . one_of(@names) . '/' . lc one_of(@family); },
);

# One error of typing: a letter replaced, left out, added, or exchanged with the next
sub mistype
{
	my ($text) = @_;
	my $at = number(length($text) - 1);
	my $how = number(4);
	my $letter = chr(97 + number(26));

	substr($text, $at, 1) = $letter if $how == 0;
	substr($text, $at, 1) = '' if $how == 1;
	substr($text, $at, 0) = $letter if $how == 2;
	substr($text, $at, 2) = reverse substr($text, $at, 2) if $how == 3;
	return $text;
}

sub with_words
{
	my ($text, $change) = @_;
	my @words = split ' ', $text;
	$change->(\@words);
	return join ' ', @words;
}

my %accents = ('é' => 'e', 'í' => 'i', 'ü' => 'u', 'ö' => 'o', 'ë' => 'e', 'ç' => 'c', 'Ł' => 'L', 'ø' => 'o',
	'Å' => 'A', 'ï' => 'i');
my %edits = (
	'1 typing error' => \&mistype,
	'2 typing errors' => sub { mistype(mistype(@_)) },
	'3 typing errors' => sub { mistype(mistype(mistype(@_))) },
	'word added' => sub { with_words($_[0], sub { splice @{ $_[0] }, number(1 + @{ $_[0] }), 0, lc one_of(@family) }) },
	'word dropped' => sub { with_words($_[0], sub { splice @{ $_[0] }, number(scalar @{ $_[0] }), 1 }) },
	'word replaced' => sub { with_words($_[0], sub { $_[0][ number(scalar @{ $_[0] }) ] = lc one_of(@family) }) },
	'words shuffled' => sub {
		with_words($_[0], sub { my $w = $_[0]; for my $i (reverse 1 .. $#$w) { my $j = number($i + 1); @$w[ $i, $j ] = @$w[ $j, $i ] } });
	},
	'words turned' => sub { with_words($_[0], sub { push @{ $_[0] }, shift @{ $_[0] } }) },
	'abbreviation' => sub { with_words($_[0], sub { my ($w) = sort { length $b <=> length $a } @{ $_[0] }; $_ = $_ eq $w ? substr($w, 0, 4) . '.' : $_ for @{ $_[0] } }) },
	'initial' => sub { $_[0] =~ s/^(\S)\S*/$1./r },
	'street abbreviated' => sub { my $t = $_[0]; $t =~ s/ $_->[0] / $_->[1]. / for @kinds; $t },
	'accents missing' => sub { my $t = $_[0]; $t =~ s/$_/$accents{$_}/g for keys %accents; $t },
	'OCR' => sub { my $t = $_[0]; my %read = (l => 1, o => 0, e => 'c', S => 5, B => 8, m => 'rn', i => 'l', h => 'b', 0 => 'O', 1 => 'l', 5 => 'S', 8 => 'B'); $t =~ s{([loeSBmih0158])}{number(5) ? $1 : $read{$1}}ge; $t },
	'hyphens missing' => sub { $_[0] =~ tr/-//dr },
	'https, www' => sub { $_[0] =~ s{^https?://(www\.)?}{http://www.}r },
	'path longer' => sub { $_[0] . '/' . lc one_of(@family) },
);
my @typing = ('1 typing error', '2 typing errors', '3 typing errors');
my %edits_of = (
	titles => [ 'word added', 'word dropped', 'word replaced', 'words shuffled', @typing, 'abbreviation', 'OCR' ],
	names => [ @typing, 'words turned', 'initial', 'accents missing', 'word dropped' ],
	addresses => [ @typing, 'words turned', 'initial', 'street abbreviated', 'accents missing', 'word dropped', 'OCR' ],
	codes => [ @typing[ 0, 1 ], 'hyphens missing', 'OCR' ],
	urls => [ @typing, 'https, www', 'path longer' ],
);

my @texts = map { $make{$kind}->($_) } 0 .. $rows - 1;
printf "\\N\t%d\t%s\n", $_, $texts[$_] for 0 .. $#texts;
for my $edit (@{ $edits_of{$kind} })
{
	for (my $found = 0; $found < $queries;)
	{
		my $nr = number(scalar @texts);
		my $text = $edits{$edit}->($texts[$nr]);
		next if $text eq $texts[$nr] || length $text < 4;
		print "$edit\t$nr\t$text\n";
		$found++;
	}
}
