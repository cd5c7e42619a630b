#!/usr/bin/perl
# Texts for quality.sh: quality_texts.pl FOLDER OUTPUT [MANDOC]
#
# FOLDER has a folder for each release of a distribution, in the order of their names or as
# named in FOLDER/releases, and these have unpacked packages.  RELEASE.more has packages for
# documents alone.  The script writes files for COPY into OUTPUT:
#
#   texts      kind, lang, document, body: the files of the newest release
#   edits      lang, unit (paragraph, page), share of words changed (0: form only), words,
#              document, text_a, text_b: what changed from one release to the next
#   documents  release (0 the newest, 1), kind, lang, document, body, untitled: the files of the last
#              two releases; untitled is the body without the title of a manual page or an HTML page
#
# MANDOC renders manual pages.  Without it there are none.
use strict;
use warnings;
use utf8;
use Digest::MD5 qw(md5_hex);
use Encode qw(decode encode FB_CROAK);
use File::Compare;
use File::Find;
use List::Util qw(min max);

my ($folder, $output, $mandoc) = @ARGV;
my $workers = 2;
my @releases;
if (open my $list, '<', "$folder/releases") { chomp(@releases = <$list>) }
else { @releases = sort map { m{([^/]+)$} } grep { -d } glob "$folder/*" }

# Language of a file by its path, or undef for languages that are not measured
sub language
{
	my ($path) = @_;

	return $1 eq 'C' || $1 eq 'en' ? 'en' : $1 =~ /^(de|ja|fr|ko)$/ ? $1 : $1 =~ /^zh[-_]CN$/i ? 'zh' : undef
		if $path =~ m{/(?:man|help|translations|installation-guide-amd64|debian-handbook/html)/([a-z]{2}(?:[-_][A-Za-z]{2})?|C)(?:\.[^/]*)?/}
		|| $path =~ m{/libreoffice/help/([a-z]{2}(?:-[A-Z]{2})?)/};
	return $1 =~ /^zh/ ? 'zh' : $1
		if $path =~ m{[./-](de|ja|zh-cn|en)\.(?:html|txt)} || $path =~ m{-(de|ja|zh-cn)/};
	return undef if $path =~ m{[./][a-z]{2}(?:[-_][a-z]{2})?\.(?:html|txt)}i || $path =~ m{\.html\.(?!en)} || $path =~ m{/[a-z]{2}_[A-Z]{2}/};
	return 'en';
}

# Kind of a file by its path, or undef
sub kind
{
	my ($path) = @_;

	return 'README' if $path =~ m{^/npm/.*/readme(?:\.md|\.markdown)?$}i;
	return 'manual page' if $path =~ m{/share/man/(?:[\w.]+/)?man\d/} && $mandoc;
	return 'copyright' if $path =~ m{/copyright$};
	return 'changelog' if $path =~ m{/changelog[^/]*\.gz$|/NEWS[^/]*\.gz$};
	return 'HTML' if $path =~ m{\.html(?:\.en)?$} && $path !~ m{/_static/|/genindex|/linux-doc-};
	return 'code' if $path =~ m{\.(?:h|hpp|py|pm|pl)$};
	return 'documentation' if $path =~ m{\.(?:txt|rst|md|page)(?:\.gz)?$|/README[^/]*$} && $path !~ m{/_sources/};
	return undef;
}

# Name of a document without the versions of its package
sub document
{
	my ($path) = @_;

	$path =~ s/\.gz$//;
	$path =~ s/(linux-doc-|python|gimp.)\d[\d.]*/$1/g;
	return $path;
}

sub hash { return hex substr md5_hex(encode('UTF-8', $_[0])), 0, 7 }

sub opened
{
	my ($file) = @_;
	my $in;

	return $file =~ /\.gz$/ ? open($in, '-|', 'gzip', '-dc', $file) && $in : open($in, '<', $file) && $in;
}

sub contents
{
	my ($file, $kind) = @_;
	my ($raw, $body);

	return undef if -s $file > 3_000_000;
	if ($kind eq 'manual page')
	{
		my $source = opened($file) or return undef;
		my $head = join '', map { scalar(<$source>) // '' } 1 .. 5;
		return undef if $head =~ /^\.so /m;	# another page's name
		open my $page, '-|', $mandoc, '-T', 'utf8', '-O', 'width=500', '-K', 'utf-8', $file or return undef;
		local $/;
		$raw = <$page>;
		close $page;
		$raw =~ s/(?:[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]+)\x08//g;	# bold and underlined
	}
	else
	{
		my $in = opened($file) or return undef;
		local $/;
		$raw = <$in>;
	}
	$body = eval { decode('UTF-8', $raw // '', FB_CROAK) };
	return undef unless defined $body;
	$body =~ s/\x00//g;
	return $body;
}

my %entity = (lt => '<', gt => '>', amp => '&', quot => '"', apos => "'", nbsp => ' ');

sub without_tags
{
	my ($body) = @_;

	$body =~ s{<(head|script|style)\b.*?</\1\s*>|<!--.*?-->}{ }gsi;
	$body =~ s{</?(?:p|div|h\d|li|ul|ol|dl|dt|dd|td|th|tr|table|pre|br|hr|section|title|item|note|steps|page|info|links?|body|nav|header|footer|blockquote)\b[^>]*>}{\n\n}gi;
	$body =~ s{<[^>]*>}{}g;
	$body =~ s{&(?:#(\d+)|#x([0-9a-f]+)|(\w+));}{defined $1 ? chr $1 : defined $2 ? chr hex $2 : $entity{$3} // ' '}gei;
	return $body;
}

my $cjk = qr/[\p{Han}\p{Hiragana}\p{Katakana}]/;

sub words { return [ lc($_[0]) =~ /$cjk|(?:(?!$cjk)\w)+/g ] }

# Is a text written in this language?  Manuals leave paragraphs untranslated.
sub written_in
{
	my ($lang, $text, $words) = @_;
	my $characters = () = $text =~ /$cjk/g;

	return $characters > 0.5 * @$words && ($lang eq 'ja') == ($text =~ /\p{Hiragana}|\p{Katakana}/ ? 1 : 0) if $lang =~ /ja|zh/;
	return 0 if $characters;
	return 1 if $lang eq 'en';
	my $german = () = $text =~ /\b(?:der|die|das|und|ist|nicht|mit|für|von|ein|eine|werden|wird|den|dem|zu|auf|im)\b/gi;
	my $english = () = $text =~ /\b(?:the|and|is|not|with|for|of|a|an|be|to|in|on)\b/gi;
	return $german > $english;
}

# Words deleted and inserted between two lists (Myers), or undef above a limit
sub edits
{
	my ($a, $b, $limit) = @_;
	my ($n, $m) = (scalar @$a, scalar @$b);
	my %v = (1 => 0);

	return undef if abs($n - $m) > $limit;
	for my $d (0 .. $limit)
	{
		for (my $k = -$d; $k <= $d; $k += 2)
		{
			my $x = $k == -$d || ($k != $d && ($v{ $k - 1 } // -1) < ($v{ $k + 1 } // -1)) ? $v{ $k + 1 } : $v{ $k - 1 } + 1;
			my $y = $x - $k;
			while ($x < $n && $y < $m && $a->[$x] eq $b->[$y]) { $x++; $y++ }
			$v{$k} = $x;
			return $d if $x >= $n && $y >= $m;
		}
	}
	return undef;
}

sub escaped
{
	my ($text) = @_;

	$text =~ s/\\/\\\\/g;
	$text =~ s/\t/\\t/g;
	$text =~ s/\r/\\r/g;
	$text =~ s/\n/\\n/g;
	return encode('UTF-8', $text);
}

sub paragraphs
{
	my ($body, $kind) = @_;

	$body = without_tags($body) if $kind eq 'HTML' || $body =~ /^\s*<(?:\?xml|page)/;
	my @all = grep { /\w/ } map { s/\s+/ /gr =~ s/^ | $//gr } split /\n\s*\n/, $body;
	return @all;
}

# Files of each release: document -> path
my %files;
for my $release (@releases, map { "$_.more" } @releases)
{
	next unless -d "$folder/$release";
	find({ no_chdir => 1, preprocess => sub { sort @_ }, wanted => sub {
		return unless -f && !-l;
		my $path = $_ =~ s{^\Q$folder/$release\E}{}r;
		my $kind = kind($path) or return;
		my $lang = language($path) or return;
		return if $lang =~ /fr|ko/ && $release !~ /more/;
		$files{$release}{ document($path) } = [ $_, $kind, $lang ];
	} }, "$folder/$release");
}

my $newest = $releases[-1];
for my $worker (1 .. $workers)
{
	my $pid = fork // die "fork: $!";
	next if $pid;
	open my $texts, '>', "$output/texts.$worker" or die $!;
	open my $edits, '>', "$output/edits.$worker" or die $!;
	my $mine = sub { (hash($_[0]) >> 8) % $workers == $worker - 1 };
	my %seen;

	# All files of the newest release, once
	for my $document (sort keys %{ $files{$newest} })
	{
		next unless $mine->($document);
		my ($file, $kind, $lang) = @{ $files{$newest}{$document} };
		next if $kind eq 'code' && hash($document) % 4;
		my $body = contents($file, $kind);

		next unless defined $body && length $body > 200 && length $body < 1_000_000;
		print $texts join("\t", $kind, $lang, map { escaped($_) } $document, $body), "\n";
	}

	# All documents of the last two releases
	open my $documents, '>', "$output/documents.$worker" or die $!;
	for my $age (0, 1)
	{
		my %of = map { %{ $files{$_} // {} } } $releases[ -1 - $age ], "$releases[-1 - $age].more";

		for my $path (sort keys %of)
		{
			my ($file, $kind, $lang) = @{ $of{$path} };
			# The package, suffixes of sections and Linux' folder of architectures change.  doxygen names files by hashes.
			my $document = $path =~ s{^/[^/]*}{}r =~ s{/man\d/.*\.\d\K\w+$}{}r =~ s{/Documentation/(?:.*/)?\Karch/}{}r;
			next if $kind !~ /manual|HTML|documentation|README|copyright/ || $path =~ m{/explore-html/} || !$mine->($document);
			$lang = 'en' if $kind eq 'copyright';
			my $raw = contents($file, $kind) // next;
			my @text = paragraphs($raw, $kind);
			next if !@text || length $raw > 300_000;

			# The title of a manual page is its header, the section NAME, and its footer.
			my @untitled = $kind eq 'manual page' ? @text[ 2 .. $#text - 1 ] : @text;
			unshift @text, $1 if $kind ne 'manual page' && $raw =~ m{<title>\s*(.*?)\s*</title>}s;
			print $documents join("\t", $age, $kind, $lang, map { escaped($_) } $document, join("\n", @text), join("\n", @untitled)), "\n";
		}
	}

	# What changed from release to release
	for my $r (0 .. $#releases - 1)
	{
		my ($old, $new) = @files{ @releases[ $r, $r + 1 ] };

		for my $document (sort { hash($a) <=> hash($b) || $a cmp $b } keys %$old)
		{
			next unless $new->{$document} && $mine->($document);
			my ($file, $kind, $lang) = @{ $old->{$document} };
			next unless $kind =~ /manual|HTML|documentation|README/ && $new->{$document}[2] eq $lang;
			next unless hash($document) % 3 && compare($file, $new->{$document}[0]);
			my ($a, $b) = (contents($file, $kind), contents($new->{$document}[0], $kind));
			next unless defined $a && defined $b && $a ne $b && max(length $a, length $b) < 300_000;
			my @a = paragraphs($a, $kind);
			my @b = paragraphs($b, $kind);

			# The first and the last lines of a manual page are its header and footer.
			if ($kind eq 'manual page') { shift @a; shift @b; pop @a; pop @b }
			my @pairs;
			my @names = map { "$output/diff.$worker.$_" } 0, 1;
			for my $side (0, 1)
			{
				open my $out, '>:utf8', $names[$side] or die $!;
				print $out map { "$_\n" } $side ? @b : @a;
			}
			open my $diff, '-|', 'diff', @names or die $!;
			while (<$diff>)
			{
				next unless /^(\d+)(?:,(\d+))?c(\d+)(?:,(\d+))?$/;
				my ($first, $last, $to, $to_last) = ($1, $2 // $1, $3, $4 // $3);
				next if $last - $first != $to_last - $to;
				push @pairs, [ 'paragraph', $a[ $first - 1 + $_ ], $b[ $to - 1 + $_ ] ] for 0 .. $last - $first;
			}
			close $diff;
			push @pairs, [ 'page', join("\n\n", @a), join("\n\n", @b) ];

			my %of_document;
			for (@pairs)
			{
				my ($unit, $x, $y) = @$_;
				my ($p, $q) = (words($x), words($y));
				my $all = @$p + @$q;
				next if $all < 12 || $all > 4000 || ($unit eq 'page' && $all < 200) || $x eq $y || $seen{"$x\t$y"}++;
				next unless written_in($lang, $x, $p) && written_in($lang, $y, $q);
				my $d = edits($p, $q, int($all * 0.25));
				next unless defined $d;
				my $share = $d / $all;
				my $class = join '/', $unit, $share == 0 ? 0 : $share < .01 ? 1 : $share < .05 ? 2 : $share < .1 ? 3 : 4;

				# An edit that is the same everywhere, such as a year, counts a few times.
				my %count;
				$count{$_}++ for @$p;
				$count{$_}-- for @$q;
				my $change = join ' ', map { "$_$count{$_}" } sort grep { $count{$_} } keys %count;
				next if $d && $seen{"$lang/$change"}++ >= 3 || $of_document{$class}++ >= 3;
				print $edits join("\t", $lang, $unit, sprintf('%.4f', $share), int($all / 2), map { escaped($_) } $document, $x, $y), "\n";
			}
		}
	}
	exit 0;
}
my $failed = 0;
$failed ||= $? while wait != -1;
exit($failed ? 1 : 0);
