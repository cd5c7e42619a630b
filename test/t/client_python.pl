# The Python package of client/python: built as its README says, and its tests on this server.  Tests
# of a driver or package that is not installed are skipped.

use Cwd qw(abs_path);
use SimhashPage;
use SimhashTest;

my $python = python();
plan skip_all => 'needs /usr/bin/python3, or PYTHON' unless -x $python;

my $needs = 'import setuptools, pip, wheel, os, sysconfig; assert int(setuptools.__version__.split(".")[0]) >= 61; '
  . 'assert os.path.exists(sysconfig.get_path("include") + "/Python.h")';
plan skip_all => 'needs python3-dev, python3-pip, python3-setuptools and python3-wheel'
  unless IPC::Run::run([ $python, '-c', $needs ], '>', \my $had, '2>', \my $lacks);

my $node = start_node('python', 'autovacuum = off');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

is((join ' ', grep { slurp_file($_) =~ /PyEval_|PyGILState|BEGIN_ALLOW_THREADS/ } glob 'client/python/module/*.[ch]'),
	'client/python/module/unlocked.c', 'one file releases and takes the lock');

my $dir = PostgreSQL::Test::Utils::tempdir();
my $source = abs_path('client/python');
my ($out, $err);
my $built = IPC::Run::run(
	[ $python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-build-isolation', '--no-deps',
		'--no-index', '--target', "$dir/lib", $source ],
	'>', \$out, '2>', \$err);
ok($built, 'the package is built') or BAIL_OUT($err);

# The command, with which a test compares examples/many_machines.py
{
	# make exports the variables of its command line
	local %ENV = %ENV;
	delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};
	$built = IPC::Run::run([ 'make', '-s', '-j2', '-C', 'client', "BUILD=$dir/build", 'command' ], '>', \$out, '2>&1');
}
$ENV{PGSIMHASH} = $built ? "$dir/build/pgsimhash" : '';
like($out, qr/needs simdjson/, 'there is no command because it needs simdjson') unless $built;

$ENV{PYTHONPATH} = "$dir/lib";
$ENV{PYTHONDONTWRITEBYTECODE} = 1;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGUSER} = $node->safe_psql('postgres', 'SELECT current_user');
$ENV{PGDATABASE} = 'postgres';
delete $ENV{PGAPPNAME};

# No module of a driver is loaded before its own module of the package is.
my $loaded = 'import sys, pgsimhash; sys.exit(" ".join({m.split(".")[0] for m in sys.modules} & '
  . '{"psycopg", "psycopg2", "asyncpg", "sqlalchemy", "django", "numpy", "pyarrow"}) or 0)';
ok(IPC::Run::run([ $python, '-c', $loaded ], '>', \$out, '2>', \$err), 'the package imports no library') or diag($err);

chdir $source or die "$source: $!";
my $passed = IPC::Run::run([ $python, '-m', 'unittest', '--verbose', '--buffer' ], '>', \$out, '2>', \$err);
my $tests = 0;
while ($err =~ /^(.+) \.\.\. (?:.* )?(ok|FAIL|ERROR|skipped (.*))$/mg)
{
	my ($name, $result, $reason) = ($1, $2, $3);
	$tests++;
  SKIP:
	{
		skip "$name: $reason", 1 if defined $reason;
		ok($result eq 'ok', $name);
	}
}
my ($ran) = $err =~ /^Ran (\d+) tests? /m;
is($tests, $ran, 'every test is counted') or diag($err);
ok($passed, 'unittest passes') or diag($err);

$node->stop;
done_testing();
