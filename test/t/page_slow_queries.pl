# The SQL of doc/slow-queries.md runs without change, on smaller tables.  The slow and the
# fast form of each entry return the same rows.  The fast form has the plan that the
# page promises, and visits fewer rows or pages than the slow form.

use JSON::PP;
use SimhashPage;
use SimhashTest;

my $rows = 40000;

# For each entry of the page:
#   plan    what the plan of the fast form must match
#   fewer   the fast form visits fewer of these than the slow form
#   answer  query whose result is compared instead of the forms' results
#   ordered the order of the rows is compared
#   until   the slow form is slow up to this version of PostgreSQL
my $fp_index = qr/"Index Name":"docs_fp_idx"/;
my %entries = (
	'`WHERE EXISTS` on a distance' => { plan => $fp_index, fewer => [ 'rows', 'pages' ] },
	'DELETE' =>
	  { plan => $fp_index, fewer => [ 'rows', 'pages' ], answer => 'SELECT id FROM docs' },
	'`WHERE tenant = … ORDER BY fp <-> q LIMIT n`' =>
	  { plan => qr/"Index Name":"docs_tenant_idx"/, fewer => [ 'rows', 'pages' ] },
	'A `WITH` query that is used twice' => { plan => $fp_index, fewer => [ 'rows', 'pages' ] },
	'`ORDER BY fp <-> q, id LIMIT n`' =>
	  { plan => $fp_index, fewer => [ 'rows', 'pages' ], ordered => 1, until => 16 },
	'`NOT EXISTS` on a distance and a partition key' =>
	  { plan => qr/"Index Name":"archive_12_fp_idx"/, fewer => ['rows'] },
	'`LEFT JOIN … WHERE d.id IS NULL`' => { plan => $fp_index, fewer => [ 'rows', 'pages' ], until => 18 },
	'A join of two large tables' => { plan => qr/"Function Name":"simhash_pairs"/, fewer => ['pages'] },
	'The distance is a parameter, and there is another condition' =>
	  { plan => qr/"Index Name":"docs_tenant_idx"/, fewer => [ 'rows', 'pages' ] },
);

my $node = start_node('queries', 'autovacuum = off');
my ($major) = $node->safe_psql('postgres', 'SHOW server_version_num') =~ /^(\d+)\d{4}$/;

# The SQL of the page: the first block, whose tables are in a file, and the forms of each section
my ($first, @blocks) = sql_blocks('doc/slow-queries.md');
my ($file, $explain) = $first->{sql} =~ /^\\i (\S+)\n(.*)/s;
my $tables = slurp_file($file);
my %measured = slurp_file('bench/results/queries.md') =~ /^\| (.*?) \| ([\d.]+ \| [\d.]+) \|$/mg;
my %forms;
for my $block (@blocks)
{
	my $form;
	my @times = $block->{sql} =~ /^-- (?:slow|fast), ([\d.]+) ms/mg;

	is(join(' | ', @times), $measured{ $block->{section} }, "$block->{section}: the times are those of bench/results");

	for (split(/^/, $block->{sql}))
	{
		if (/^-- (slow|fast)\b/) { $form = $1 }
		else { $forms{ $block->{section} }{$form} .= $_ }
	}
}
# A DELETE has the condition of the first entry.
$forms{DELETE}{slow} = $forms{'`WHERE EXISTS` on a distance'}{slow} =~ s/^SELECT id/DELETE/r;
($forms{DELETE}{fast}) = map { "$_;\n" } slurp_file('doc/slow-queries.md') =~ /`(DELETE\sFROM\sdocs\sd\sUSING [^`]*)`/;
# The fast form of a parameter is executed as often as the slow form.
is($forms{'The distance is a parameter, and there is another condition'}{fast} =~ s/^(EXECUTE .*, )32\);/"${1}3);\n" x 5 . $&/me, 1, 'five executions more');
is_deeply([ sort keys %forms ], [ sort keys %entries ], 'every entry of the page has its tests');
is($tables =~ s/\b1000000\b/$rows/g, 1, 'the file has the number of rows once');
$node->safe_psql('postgres', $tables);
links_exist('doc/slow-queries.md');

# The plan that the page shows
my $plan;
is($node->psql('postgres', $explain, stdout => \$plan, extra_params => [ '-P', 'format=aligned', '-P', 'tuples_only=off' ]), 0, 'EXPLAIN');
is($plan =~ s/ +$//gmr =~ s/\n*\z/\n/r, $first->{answer}, 'the plan that the page shows');

# The forms could treat NULL differently.
my $next = $rows + 1;
$node->safe_psql('postgres', qq{
	INSERT INTO docs VALUES ($next, 999, NULL);
	INSERT INTO archive VALUES ($next, '2026-01-01', NULL);
	INSERT INTO staging VALUES (0, '2026-01-01', NULL), (-1, NULL, '0123456789abcdef');
	INSERT INTO wanted VALUES (NULL)});

# The result of a form, or of the query "answer" after the form.  A roll-back undoes the
# form.
sub answer
{
	my ($entry, $sql) = @_;
	my $query = $entry->{answer};
	my $answer = $node->safe_psql('postgres', "BEGIN;\n$sql" . ($query ? "$query;\n" : '') . 'ROLLBACK;');

	return $entry->{ordered} ? $answer : join("\n", sort split(/\n/, $answer));
}

# Rows that a plan's nodes have returned or filtered out
sub rows_visited
{
	my ($plan) = @_;
	my $visited = 0;

	$visited += $plan->{$_} || 0
	  for 'Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck';
	$visited *= $plan->{'Actual Loops'};
	$visited += rows_visited($_) for @{ $plan->{Plans} || [] };
	return $visited;
}

# The plan of a form's last command as JSON on one line, the number of rows that it
# visits, and the number of pages.
sub plan_of
{
	my ($sql) = @_;
	my @commands = split(/(?<=;)\n/, $sql);
	my $last = pop @commands;
	my $plan = decode_json($node->safe_psql('postgres',
			join("\n", 'BEGIN;', '\o /dev/null', @commands, '\o',
				"EXPLAIN (ANALYZE, BUFFERS, TIMING off, COSTS off, FORMAT json) $last", 'ROLLBACK;')))->[0]{Plan};

	return {
		json => JSON::PP->new->canonical->encode($plan),
		rows => rows_visited($plan),
		pages => $plan->{'Shared Hit Blocks'} + $plan->{'Shared Read Blocks'},
	};
}

for my $name (sort keys %entries)
{
	my $entry = $entries{$name};
	my ($slow, $fast) = @{ $forms{$name} }{ 'slow', 'fast' };
	my $answer = answer($entry, $slow);

	isnt($answer, '', "$name: there are rows");
	is(answer($entry, $fast), $answer, "$name: the fast form has the same");

	my ($slow_plan, $fast_plan) = (plan_of($slow), plan_of($fast));
	like($fast_plan->{json}, $entry->{plan}, "$name: plan");
	if ($major > ($entry->{until} || $major))
	{
		like($slow_plan->{json}, $entry->{plan}, "$name: plan of the slow form in PostgreSQL $major");
		next;
	}
	cmp_ok($fast_plan->{$_}, '<', $slow_plan->{$_}, "$name: $_") for @{ $entry->{fewer} };
}

$node->stop;
done_testing();
