# Words by dictionary in a server process with limited memory, and with a cancel

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SimhashTest qw(figures);
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('dictionary');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

my ($ret, $out, $err) = $node->psql('postgres', "SELECT simhash_features_by_dictionary('x')");
plan skip_all => 'built without ICU' if $ret != 0 && $err =~ /not supported by this build/;

my $text = "repeat(U&'\\4EBA\\4EBA\\751F\\800C\\81EA\\7531', %d)";
my $fingerprint = 'SELECT simhash_agg(hash, weight) FROM simhash_features_by_dictionary(' . sprintf($text, 30000) . ");\n";

# ICU reads 16 kB of a stretch at a time, with a check for interrupts between two reads.
# Without these checks the cancel takes effect 9 s late.  The test measures time of the
# processor, because a machine may stand still.
($ret, $out, $err) = $node->psql('postgres', sprintf(<<'END', sprintf $text, 5333333));
SET client_min_messages = log;
SET log_statement_stats = on;
SET statement_timeout = '500ms';
DO $$
BEGIN
	PERFORM count(*) FROM simhash_features_by_dictionary(%s, 'words');
EXCEPTION WHEN query_canceled THEN
	RAISE LOG 'cancelled';
END $$;
END
my ($user, $system) = $err =~ /LOG:  cancelled.*!\s+([\d.]+) s user, ([\d.]+) s system/s;
my $used = defined $user ? $user + $system : 'unknown';
ok(defined $user && $used < 1.5, 'a stretch of 96 MB can be cancelled after 0.5 s') or diag $err;
figures("cancelled after 0.5 s, and after $used s of the processor") if defined $user;

# The process may get "room" kB of additional memory.  The result is the right
# fingerprint or an error.  With enough memory again it is the right fingerprint.
SKIP:
{
	skip 'there is no prlimit', 1 if system('prlimit --version >/dev/null 2>&1') != 0;
	my $expected = $node->safe_psql('postgres', $fingerprint);
	my $dir = PostgreSQL::Test::Utils::tempdir;
	append_to_file("$dir/limit.sh", <<'END');
size=$(awk '/^VmSize/ { print $2 }' /proc/$1/status)
[ -z "$2" ] && soft=unlimited || soft=$(( (size + $2) * 1024 ))
prlimit --pid $1 --as=$soft:
END
	my %outcomes = (right => 0, error => 0);
	for (my $room = 0; $room <= 8192; $room += 192)
	{
		my $hangs = 0;
		($ret, $out, $err) = $node->psql('postgres', <<END, on_error_stop => 0, timeout => 60, timed_out => \$hangs);
\\set VERBOSITY sqlstate
SELECT pg_backend_pid() AS pid, simhash('x') IS NULL AS loaded \\gset
\\set limited `sh $dir/limit.sh :pid $room`
$fingerprint
\\set limited `sh $dir/limit.sh :pid`
$fingerprint
END
		my $what = $hangs ? 'goes in circles' : "$out|$err";
		$what = 'right' if $out eq "$expected\n$expected" && $err eq '';
		$what = 'error' if $out eq $expected && $err =~ /\A\S*\s*ERROR:\s+53200\s*\z/;
		$outcomes{$what}++;
		# show each kind of outcome once
		diag "with $room kB: $what" if $outcomes{$what} == 1;
		last if $hangs;
	}
	is(join(' ', sort keys %outcomes), 'error right', 'without memory: an error, or the right fingerprint');
	ok($outcomes{error} > 2 && $outcomes{right} > 2, 'both of them happen');
}

$node->stop('immediate');
done_testing();
