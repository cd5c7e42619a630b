#!/usr/bin/perl
# C sources have no compound literals, which pgindent cannot read, and declare the variable of a
# loop in the "for".  In src/core and client a comment beside code ends on its line.  Functions of
# src/core do not begin with simhash_, as SQL functions do.

use strict;
use warnings;
use File::Find;
use FindBin;

# A statement: a block, a loop or condition with its statement, or what ends in a semicolon
my $grammar = qr/
	(?(DEFINE)
		(?<paren> \( (?: [^()]++ | (?&paren) )* \) )
		(?<block> \{ (?: [^{}]++ | (?&block) )* \} )
		(?<statement> \s* (?: (?&block)
			| (?:for|while|if|switch) \s* (?&paren) (?&statement) (?: \s* else\b (?&statement) )?
			| do\b (?&statement) \s* while \s* (?&paren) ;
			| [^;{}]* ; )))/x;
my $integer = qr/(?:unsigned\s+)?(?:int|long|size_t|Size|u?int\d+(?:_t)?)/;

my $root = "$FindBin::RealBin/../..";
my (@files, @wrong);
# Not what compilers write into client/build and client/python/build
find(sub { push @files, $File::Find::name if /\.(?:[ch]|cc)$/ && !-l && $File::Find::dir !~ m{^\Q$root\E/client/(?:python/)?build}; },
	"$root/src", "$root/client", "$root/test");
for my $file (sort @files)
{
	open(my $in, '<', $file) or die "could not open $file: $!";
	my $code = do { local $/; <$in> };
	my $name = substr($file, length("$root/"));

	while ($name =~ m{^(?:src/core|client)/} && $code =~ m{^.*[^\s/].*/\*(?:(?!\*/).)*$}gm)
	{
		push @wrong, sprintf('%s:%d: long comment beside code', $name, 1 + (substr($code, 0, $-[0]) =~ tr/\n//));
	}
	$code =~ s{(/\*.*?\*/)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'}{defined $1 ? $1 =~ tr/\n//cdr : '0'}gse;
	while ($code =~ /(?:=|\breturn|[,(&])\s*\((?:(?:const|struct) )*\w+(?:\s*\*|\[\w*\])*\)\s*\{/g)
	{
		push @wrong, sprintf('%s:%d: compound literal', $name, 1 + (substr($code, 0, $-[0]) =~ tr/\n//));
	}
	push @wrong, "$name: $1 is not a name of the core" if $name =~ m{^src/core/} && $code =~ /\b(simhash_\w+)/;
	while ($code =~ /^\{\n(.*?)^\}/gms)
	{
		my ($body, $line) = ($1, 2 + (substr($code, 0, $-[0]) =~ tr/\n//));

		while ($body =~ /^\t+$integer\s+(\w+);/gm)
		{
			my ($variable, $at) = ($1, $-[0]);
			my $rest = substr($body, $+[0]);

			push @wrong, sprintf('%s:%d: %s belongs in its "for"', $name,
				$line + (substr($body, 0, $at) =~ tr/\n//), $variable)
			  if $rest =~ s/\bfor \($variable = (?:[^()]++|(?&paren))*\)(?&statement)$grammar//g
			  && $rest !~ /(?<!\.)(?<!->)\b$variable\b/;
		}
	}
}
print map { "not ok - $_\n" } @wrong;
print scalar(@files), ' files in style: ',
  @wrong ? 'no' : 'ok', "\n";
exit(@files > 300 && !@wrong ? 0 : 1);
