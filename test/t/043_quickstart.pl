# Arguments of test/quickstart.sh that end the script before it builds anything

use strict;
use warnings;

use Encode;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

sub quickstart
{
	my ($out, $err);

	IPC::Run::run([ 'bash', 'test/quickstart.sh', @_ ], '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

my ($status, $help) = quickstart('--help');
is($status, 0, '--help');
my ($names) = $help =~ /read in that encoding: (.*?) or another name/s;
for my $name (split /, /, $names)
{
	ok(Encode::find_encoding($name), "Perl knows the encoding $name");
}

my $err;
($status, undef, $err) = quickstart('--encoding=gb18030', '.');
is($status, 2, 'an encoding that Perl does not know');
my ($command) = $err =~ /^(perl .*?) lists the encodings/m;
like(`$command`, qr/\bcp936\b/, 'the error names a command that lists the encodings');
($status, undef, $err) = quickstart('no such folder');
like($err, qr/^no such folder: no such folder or file/, 'a folder that does not exist');
is($status, 2, 'and its status');

done_testing();
