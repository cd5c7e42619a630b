# The SQL of README.md runs without change, from top to bottom, and its answers are
# those that the page shows.

use SimhashPage;
use SimhashTest;

my $node = start_node('readme');
my @blocks = sql_blocks('README.md');

is(run_blocks($node, 'postgres', \@blocks), 3, 'answers that the page shows');
cmp_ok(scalar(split(/^/, slurp_file('README.md'))), '<=', 190, 'lines of the page');
links_exist('README.md');

$node->stop;
done_testing();
