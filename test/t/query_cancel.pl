# Each function that reads texts or a query ends soon after a cancel, whatever it reads

use Time::HiRes;
use SimhashTest;

plan skip_all => 'no /proc' unless -r '/proc/self/stat';
my $node = start_node('cancel');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# Texts of 100 MB: one character or word again and again
my %texts = (
	'white space' => q{' '},
	'a letter' => q{'a'},
	'a word' => q{'a '},
	'signs' => q{'-'},
	'numbers' => q{'-1 '},
	'spaces in numbers' => q{'1. '},
	'marks' => q{U&'\0323\0301'},
	'soft hyphens' => q{U&'\00AD'},
	'Thai' => q{U&'\0E01'},
	'Chinese' => q{U&'\4E00'});

# Functions of a text t, which is another text than u, and queries with a worst case
my @of_texts = (
	'simhash_copy_key(t)', 'simhash_same_document(t, u)', 'simhash_first_change(t, u)',
	'(SELECT count(*) FROM simhash_changes(t, u))', '(SELECT count(*) FROM simhash_passages(t, u))',
	'simhash_containment(t, u)', 'simhash_resemblance(t, u)', 'minhash_bits(t, 1024)', 'simhash_bits(t, 1024)',
	'cardinality(simhash_passage_keys(t))', q{minhash(t, 'characters')}, '(SELECT count(*) FROM simhash_features(t))',
	q{(SELECT count(*) FROM simhash_explain(t, u))}, 'simhash_agg(t)', 'minhash_agg(t)');
my $fps = q{(''x'' || md5(i::text) || md5((-i)::text))::bit(256)};
my $ones = q{repeat(''1'', 256)::bit(256)};
my %queries = (
	'equal titles' => q{simhash_duplicates('SELECT i, ''one title'', ''a b c d e f g h i j k l m n o p q r s t u v '' || i FROM generate_series(1, 100000) i')},
	'equal fingerprints' => qq{simhash_duplicates('SELECT i, $ones, md5(i::text) || '' '' || i FROM generate_series(1, 100000) i')},
	'copies' => q{simhash_duplicates('SELECT i, ''one text'' FROM generate_series(1, 3000000) i')},
	'large copies' => q{simhash_duplicates('SELECT i, repeat(''one text '', 1000000) FROM generate_series(1, 100) i')},
	'large revisions' => q{simhash_duplicates('SELECT i, repeat(''one text '', 1000000) || i FROM generate_series(1, 100) i', numbers => false)},
	'large titles' => q{simhash_duplicates('SELECT i, repeat(''one text '', 1000000) || i, ''a'' FROM generate_series(1, 100) i', numbers => false)},
	'any distance' => q{simhash_duplicates('SELECT i, md5(i::text) || '' '' || i FROM generate_series(1, 100000) i', within => 256)},
	'many ids to keep' => q{simhash_duplicates('SELECT i, md5(i::text) FROM generate_series(1, 9) i', keep => 'SELECT i FROM generate_series(1, 30000000) i')},
	'pairs of equal fingerprints' => qq{simhash_pairs('SELECT i, $ones FROM generate_series(1, 300000) i')},
	'pairs at any distance' => qq{simhash_pairs('SELECT i, $fps FROM generate_series(1, 100000) i', 256)},
	'components at a large distance' => qq{simhash_clusters('SELECT i, $fps FROM generate_series(1, 200000) i', 90)},
	'stars at a large distance' => qq{simhash_clusters('SELECT i, $fps FROM generate_series(1, 200000) i', 90, 'star')},
	'a chain' => q{simhash_components('SELECT i, i + 1 FROM generate_series(1, 30000000) i')},
	'a star' => q{simhash_stars('SELECT 1, i FROM generate_series(1, 30000000) i')},
	'long ids' => q{simhash_stars('SELECT repeat(''a'', 1000) || i, ''b'' FROM generate_series(1, 3000000) i', NULL::text)});

# What is known of functions here must be all that the extension has.
my $names = join ' ', @of_texts, values %queries;
is( join(' ', grep { $names !~ /\b$_\(/ } split /\n/, $node->safe_psql(
			'postgres', q{
	SELECT DISTINCT proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
	WHERE proargtypes::oid[] @> ARRAY['text'::regtype::oid] AND NOT proargtypes::oid[] @> ARRAY['internal'::regtype::oid]
	  -- text forms, options, other types of the same code
	  AND proname NOT IN ('simhash_parse', 'bit_from_hex', 'minhash_bits_from_signature', 'simhash', 'to_simhash', 'minhash', 'simhash_features_by_dictionary',
	    'simhash_weighted_agg', 'minhash_bits_agg', 'simhash_bits_agg', 'simhash_bits_weighted_agg')
	ORDER BY 1})), '', 'each function is tried');

my $session = start_session($node);
$session->{in} = "SELECT 'process ' || pg_backend_pid();\n";
my $pid = wait_for($session, 'out', qr/process (\d+)\n/);
my $soon = 1;    # ten times what the slowest call takes on an idle machine
my ($latest, $n_cancelled, $number) = (0, 0, 0);

# The processor time that a statement takes after a cancel, which it gets after .2 s
sub lateness
{
	my ($sql) = @_;
	my $cancelled;

	$number++;
	my $begun = processor_time($pid);
	$session->{in} = "$sql;\n\\echo done $number\n";
	$session->{timer}->start;
	until ($session->{out} =~ /done $number\n/)
	{
		eval { $session->{psql}->pump_nb; 1 } or die "$sql: $@";
		Time::HiRes::sleep(0.005);
		if (!defined $cancelled && processor_time($pid) > $begun + 0.2)
		{
			$cancelled = cancel_process($pid);
		}
	}
	$n_cancelled += $session->{err} =~ /canceling/;
	$session->{err} = '';
	my $late = defined $cancelled ? processor_time($pid) - $cancelled : 0;
	$latest = $late if $late > $latest;
	return $late;
}

foreach my $text (sort keys %texts)
{
	my $repeated = "repeat(repeat($texts{$text}, 1000), 100000000 / octet_length($texts{$text}) / 1000)";
	my @late = grep { lateness("SELECT $_ IS NULL FROM (SELECT t, 'b' || t || 'c' AS u FROM (SELECT $repeated AS t OFFSET 0) x OFFSET 0) y") > $soon } @of_texts;
	is("@late", '', "$text: all functions of texts are cancelled");
}
foreach my $query (sort keys %queries)
{
	cmp_ok(lateness("SELECT count(*) FROM $queries{$query}"), '<=', $soon, "$query: cancelled");
}
cmp_ok($n_cancelled, '>', $number / 2, 'most calls did not end before');
figures(sprintf '%d of %d calls cancelled, the last after %.2f s of the processor', $n_cancelled, $number, $latest);
end_session($session);
$node->stop('immediate');
done_testing();
