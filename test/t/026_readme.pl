# The SQL of README.md runs without change, from top to bottom, and its answers are
# those that the page shows.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off");
$node->start;

# Without the white space at the ends of lines
sub trimmed
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\n*\z/\n/;
	return $text;
}

my $page = slurp_file('README.md');
my $answers = 0;
while ($page =~ /^```sql\n(.*?)^```\n(?:```\n(.*?)^```\n)?/gms)
{
	my ($sql, $shown) = ($1, $2);
	my ($name) = $sql =~ /^(.*)/;
	my ($stdout, $stderr);

	my $status = $node->psql(
		'postgres', $sql,
		stdout => \$stdout,
		stderr => \$stderr,
		extra_params => [ '-P', 'format=aligned', '-P', 'tuples_only=off', '-v', 'ON_ERROR_STOP=1' ]);
	is($status, 0, $name) or diag($stderr);
	next unless defined $shown;
	is(trimmed($stdout), trimmed($shown), "answer of: $name");
	$answers++;
}
is($answers, 3, 'answers that the page shows');
cmp_ok(scalar(split(/^/, $page)), '<=', 200, 'lines of the page');

# The files that the page links to exist.
my @missing = grep { !-e $_ } map { s/#.*//r } $page =~ /\]\((?!http)([^)]+)\)/g;
is("@missing", '', 'files that the page links to');

$node->stop;
done_testing();
