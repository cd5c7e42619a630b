#!/usr/bin/perl
# Short texts and edits of them: perl short_texts.pl KIND ROWS QUERIES FOLDER <PACKAGES
#
# Prints lines of COPY (edit, nr, text): ROWS originals, whose edit is empty, and QUERIES copies
# of originals for each edit. PACKAGES is the output of apt-cache dumpavail. FOLDER has what short.sh
# downloads: package lists in other languages (Translation-de) and word lists. The output is the same
# in every run. Kinds:
#
#   titles     descriptions of packages, 3 to 14 words. If ROWS is more than there are, further
#              titles are the first words of one and the last words of another
#   german, japanese, chinese
#              translated descriptions, as many as there are
#   posts      the first 30 words of long descriptions
#   names      first name, family name
#   addresses  name, street and number, postcode, city
#   products   maker, thing, two measures; several products differ in the measures alone
#   codes      letters and digits, as of articles in a shop
#   urls       home pages of packages, with a path
#   records    persons, after the description of FEBRL's generator: first name, family name, street, city,
#              postcode and date of birth with | between them. A tenth are duplicates, with the number of
#              their original. A fifth of the others live with the one before them, and share the family name

use strict;
use warnings;
use utf8;
use open qw(:std :utf8);

my ($kind, $rows, $queries, $folder) = @ARGV;
my (@titles, @names, @homes, %seen, %words);
my $state = 42;

sub number
{
	my ($n) = @_;
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 2147483648 * $n);
}

sub one_of { return $_[ number(scalar @_) ]; }

# Few names are frequent and many are rare.
sub skewed { return $_[ int(number(10000)**2 / 1e8 * @_) ]; }

sub lines_of
{
	my ($file) = @_;
	open(my $lines, '-|', 'gzip', '-dcf', "$folder/$file") or die "$file: $!";
	chomp(my @lines = <$lines>);
	return @lines;
}

# In an order that looks random
sub mixed
{
	my @list = @_;
	for my $i (reverse 1 .. $#list) { my $j = number($i + 1); @list[ $i, $j ] = @list[ $j, $i ]; }
	return @list;
}

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
my @words = grep { $words{$_} >= 2 } sort keys %words;
my @accented = qw(José María Jürgen Björn Zoë Renée François Łukasz Søren Åsa Anaïs Günther);
my @proper = lines_of('usr/share/dict/propernames.gz');
my %first = map { $_ => 1 } @proper;
my @first = mixed(@proper, (@accented) x 8);
my @family = mixed(grep { /^[A-Z][a-z]{3,10}$/ && !$first{$_} && !/s$/ } lines_of('usr/share/dict/american-english-large'));
my @cities = mixed(grep { /^[A-Z]/ } map { /^Name\s+: (.*\S)/ } lines_of('usr/share/misc/cities.dat.gz'));
my %language = (german => 'de', japanese => 'ja', chinese => 'zh_CN', posts => 'en');
my $spaces = $kind !~ /japanese|chinese/;    # between words
if (my $language = $language{$kind})
{
	my ($long, @new);
	for (lines_of("Translation-$language"), '')
	{
		if ($kind ne 'posts') { push @new, $1 =~ tr/\t\\//dr if /^Description-$language: (\S.*)/ && length $1 > 5; next; }
		if (/^Description-$language: /) { $long = ''; }
		elsif (defined $long && /^ (\w.*)/) { $long .= "$1 "; }
		elsif (defined $long) { push @new, join ' ', (split ' ', $long =~ tr/\t\\//dr)[ 0 .. 29 ] if 30 <= split ' ', $long; undef $long; }
	}
	my %new;
	@titles = grep { !$new{ lc $_ }++ } @new;
	$rows = @titles if $rows > @titles;
}
my @letters = $spaces ? ('a' .. 'z') : map { /[\p{Han}\p{Hiragana}\p{Katakana}]/g } @titles;
my @kinds = ([ Street => 'St' ], [ Road => 'Rd' ], [ Avenue => 'Ave' ], [ Lane => 'Ln' ], [ Square => 'Sq' ]);

sub title
{
	my @a = split ' ', $titles[ number(scalar @titles) ];	# one_of would copy all titles
	my @b = split ' ', $titles[ number(scalar @titles) ];
	my $n = 2 + number(@a - 2);
	my $m = 2 + number(@b - 2);
	return join ' ', @a[ 0 .. $n - 1 ], @b[ -$m .. -1 ];
}
sub name { return skewed(@first) . (number(3) ? '' : ' ' . skewed(@first)) . ' ' . skewed(@family); }
sub street { return sprintf '%s %s %d', skewed(@family), one_of(@kinds)->[0], 1 + number(200); }

# The postcode belongs to the city.
sub place
{
	my $city = skewed(@cities);
	return ($city, sprintf '%03d%02d', unpack('%32C*', $city) % 1000, number(20));
}

my @product;

sub product
{
	@product = (one_of(@family), one_of(@words), one_of(@words), one_of(qw(mm cm kg ml W))) if !@product || !number(6);
	return sprintf '%s %s %s %d %s, %d pcs', @product[ 0 .. 2 ], 5 * (1 + number(40)), $product[3], 10 * (1 + number(12));
}

my $person;

sub person
{
	my ($city, $postcode) = place();
	my $born = sprintf '%d-%02d-%02d', 1920 + number(90), 1 + number(12), 1 + number(28);

	return $person = [ skewed(@first), skewed(@family), street(), $city, $postcode, $born ] if !$person || number(5);
	return $person = [ skewed(@first), @$person[ 1 .. 4 ], $born ];
}

my %make = (
	(map { $_ => sub { return $_[0] < @titles ? $titles[ $_[0] ] : title() } } 'titles', keys %language),
	names => \&name,
	addresses => sub { return sprintf '%s, %s, %s %s', name(), street(), reverse place() },
	products => \&product,
	codes => sub {
		return sprintf '%s-%s%04d-%s%d', uc substr(one_of(@family), 0, 3), chr(65 + number(26)), number(10000),
		  one_of(qw(BLK WHT RED BLU GRN)), 10 * number(60);
	},
	urls => sub { return one_of(@homes) =~ s{/$}{}r . '/' . one_of(@names) . '/' . lc one_of(@words); },
	records => \&person,
);

# One error of typing: a letter replaced, left out, added, or exchanged with the next
sub mistype
{
	my ($text) = @_;
	my $at = number(length($text) - 1);
	my $how = number(4);
	my $letter = one_of(@letters);

	substr($text, $at, 1) = $letter if $how == 0;
	substr($text, $at, 1) = '' if $how == 1;
	substr($text, $at, 0) = $letter if $how == 2;
	substr($text, $at, 2) = reverse substr($text, $at, 2) if $how == 3;
	return $text;
}

sub with_words
{
	my ($text, $change) = @_;
	my @words = $spaces ? split ' ', $text : $text =~ /[A-Za-z0-9.+-]+\s*|\p{Han}{1,2}|[\p{Katakana}ー]+|\p{Hiragana}{1,2}|./g;
	$change->(\@words);
	return join $spaces ? ' ' : '', @words;
}

my %accents = ('é' => 'e', 'í' => 'i', 'ü' => 'u', 'ö' => 'o', 'ë' => 'e', 'ç' => 'c', 'Ł' => 'L', 'ø' => 'o',
	'Å' => 'A', 'ï' => 'i');
my %edits = (
	'1 typing error' => \&mistype,
	'2 typing errors' => sub { mistype(mistype(@_)) },
	'3 typing errors' => sub { mistype(mistype(mistype(@_))) },
	'word added' => sub { with_words($_[0], sub { splice @{ $_[0] }, number(1 + @{ $_[0] }), 0, $spaces ? lc one_of(@words) : one_of(@letters) . one_of(@letters) }) },
	'word dropped' => sub { with_words($_[0], sub { splice @{ $_[0] }, number(scalar @{ $_[0] }), 1 }) },
	'word replaced' => sub { with_words($_[0], sub { $_[0][ number(scalar @{ $_[0] }) ] = $spaces ? lc one_of(@words) : one_of(@letters) . one_of(@letters) }) },
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
	'path longer' => sub { $_[0] . '/' . lc one_of(@words) },
	'unit joined' => sub { $_[0] =~ s/(\d) (\w)/$1$2/gr =~ s/, / /r },
	'compound split' => sub { $_[0] =~ s/(\w{4,})(\w{5,})/$1 $2/r },
	'umlauts written out' => sub { $_[0] =~ s/ä/ae/gr =~ s/ö/oe/gr =~ s/ü/ue/gr =~ s/ß/ss/gr },
);
my @typing = ('1 typing error', '2 typing errors', '3 typing errors');
my @moved = ('word dropped', 'words shuffled');
my %edits_of = (
	titles => [ @typing, @moved, 'word added', 'word replaced', 'abbreviation', 'OCR' ],
	german => [ @typing, @moved, 'word replaced', 'OCR', 'compound split', 'umlauts written out' ],
	japanese => [ @typing, @moved, 'word replaced' ],
	chinese => [ @typing, @moved, 'word replaced' ],
	posts => [ @typing, @moved, 'word replaced', 'OCR' ],
	names => [ @typing, @moved, 'initial', 'accents missing' ],
	addresses => [ @typing, @moved, 'initial', 'street abbreviated', 'accents missing', 'OCR' ],
	products => [ @typing, @moved, 'unit joined', 'abbreviation', 'OCR' ],
	codes => [ @typing, 'hyphens missing', 'OCR' ],
	urls => [ @typing, 'https, www', 'path longer' ],
);

# A duplicate of a record has one to four errors, at most two in a column.
sub duplicate
{
	my @columns = @{ $_[0] };
	my @errors = (0) x @columns;

	for (1 .. 1 + number(4))
	{
		my $at = one_of(0, 0, 1, 1, 2, 2, 3, 4, 5);
		my $how = number(10);

		next if $columns[$at] eq '' || $errors[$at]++ == 2;
		if ($how == 0 && $at != 1) { $columns[$at] = ''; }
		elsif ($how == 1) { @columns[ 0, 1 ] = @columns[ 1, 0 ]; }
		elsif ($at == 5) { substr($columns[5], one_of(3, 6, 9), 1) = number(2); $columns[5] =~ s/-00/-10/g; }
		elsif ($how == 2 && $at == 0) { $columns[0] = substr($columns[0], 0, 1); }
		elsif ($how == 2 && $at == 2) { $columns[2] = $edits{'street abbreviated'}->($columns[2]); }
		elsif ($how == 3) { $columns[$at] = $edits{OCR}->($columns[$at]); }
		elsif (length $columns[$at] > 2) { $columns[$at] = mistype($columns[$at]); }
	}
	return \@columns;
}

if ($kind eq 'records')
{
	my @records = map { person() } 1 .. $rows * .9;
	my $originals = @records;
	my @of = (0 .. $#records);

	for (1 .. $rows - $originals)
	{
		my $nr = number($originals);
		push @of, $nr;
		push @records, duplicate($records[$nr]);
	}
	printf "\\N\t%d\t%s\n", $of[$_], join '|', @{ $records[$_] } for mixed(0 .. $#records);
	exit;
}

my @texts = map { $make{$kind}->($_) } 0 .. $rows - 1;
printf "\\N\t%d\t%s\n", $_, $texts[$_] for 0 .. $#texts;
for my $edit (@{ $edits_of{$kind} })
{
	for (my $found = 0; $found < $queries;)
	{
		my $nr = number(scalar @texts);
		my $text = $edits{$edit}->($texts[$nr]);
		next if $text eq $texts[$nr] || length $text < 3;
		print "$edit\t$nr\t$text\n";
		$found++;
	}
}
