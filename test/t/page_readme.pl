# The SQL of README.md runs without change, from top to bottom, and its answers are
# those that the page shows.

use SimhashPage;
use SimhashTest;

my $node = start_node('readme');
my @blocks = sql_blocks('README.md');

is(run_blocks($node, 'postgres', \@blocks), 3, 'answers that the page shows');
cmp_ok(scalar(split(/^/, slurp_file('README.md'))), '<=', 260, 'lines of the page');
links_exist('README.md');

# The figures of the tables of both READMEs are those of the page.
my $measurements = slurp_file('doc/measurements.md');
for my $file ('README.md', 'README.zh-CN.md')
{
	my $page = slurp_file($file);
	my $n = 0;
	while ($page =~ /^\| (?:\*\*)?(\d+) \D+? (\d+)(?:\*\*)? \|((?: [\d.]+ \|){4}) ([\d.]+) \| \d+(?: \((\d+)\))? \|$/mg)
	{
		my ($bits, $bound, $recall, $lookup, $index) = ($1, $2, $3, $4, $5);
		my ($measured) = $measurements =~ m{^\| debian \| \*{0,2}$bits / $bound\*{0,2} \|((?: [\d.]+ \|){7})}m;
		my @measured = ($measured // '') =~ /([\d.]+)/g;
		is(join(' ', map { sprintf '%.2f', $_ } $recall =~ /([\d.]+)/g), join(' ', map { sprintf '%.2f', $_ + 1e-9 } @measured[ 2 .. 5 ]), "$file: recall of $bits bits within $bound");
		my ($rows) = $measurements =~ ($bits == 64 ? qr/^\| 64 bits \|.*?\n(.*?)\n\n/ms : qr/^\| bit strings \|.*?\n(.*?)\n\n/ms);
		like($rows, qr/^\| (?:$bits bits, )?within $bound\b[^|]*\| [\d.]+ \| [\d.]+ \| \Q$lookup\E \|/m, "$file: the lookup of $bits bits within $bound");
		like($measurements, qr/^\| $bits bits(?: \(`simhash`\))? \| [\d.]+ \| [\d.]+ \| $index \|$/m, "$file: the index of $bits bits") if defined $index;
		$n++;
	}
	is($n, 3, "$file: rows of the table");
}

$node->stop;
done_testing();
