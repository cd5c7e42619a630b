# Words by dictionary in a server process with limited memory, and with a cancel

use SimhashTest;

my $node = start_node('dictionary');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

my ($ret, $out, $err) = $node->psql('postgres', "SELECT simhash_features_by_dictionary('x')");
plan skip_all => 'built without ICU' if $ret != 0 && $err =~ /not supported by this build/;

my $text = "repeat(U&'\\4EBA\\4EBA\\751F\\800C\\81EA\\7531', %d)";
my $fingerprint = 'SELECT simhash_weighted_agg(hash, weight) FROM simhash_features_by_dictionary(' . sprintf($text, 30000) . ");\n";

# ICU reads 16 kB of a stretch at a time, with a check for interrupts between two reads.  If
# ICU read the whole stretch, it would return seconds later.
SKIP:
{
	skip 'no /proc', 2 unless -r '/proc/self/stat';
	my $session = start_session($node);
	$session->{in} = sprintf <<'END', sprintf $text, 5333333;
DO $$
DECLARE
	stretch text := %s;
BEGIN
	RAISE NOTICE 'process %% begins', pg_backend_pid();
	PERFORM count(*) FROM simhash_features_by_dictionary(stretch, 'words');
	RAISE NOTICE 'not cancelled';
EXCEPTION WHEN query_canceled THEN
	RAISE NOTICE 'cancelled';
END $$;
END
	my $pid = wait_for($session, 'err', qr/process (\d+) begins/);
	wait_for_work($pid, 0.5);
	my $cancelled = cancel_process($pid);
	wait_for($session, 'err', qr/cancelled/);
	my $late = processor_time($pid) - $cancelled;
	like($session->{err}, qr/NOTICE:  cancelled/, 'a stretch of 96 MB can be cancelled');
	cmp_ok($late, '<', 1, 'at once');
	figures(sprintf "cancelled after %.2f s of the processor", $late);
	end_session($session);
}

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
		($ret, $out, $err) = $node->psql('postgres', <<END, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, timed_out => \$hangs);
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
