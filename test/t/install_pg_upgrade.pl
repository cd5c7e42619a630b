# pg_upgrade from an older PostgreSQL that also has the extension.  SIMHASH_OLD_BINDIR
# names the folder of its programs.  Without it the test searches Debian's folders.  If there is
# none, the test upgrades to the same version.

use File::Copy;
use SimhashInstalled;
use SimhashTest;

my ($addition) = slurp_file('doc/operations.md') =~ /^(ALTER OPERATOR FAMILY .*?;)/ms;

sub major
{
	my ($bindir) = @_;
	return `"$bindir/pg_config" --version` =~ /^PostgreSQL (\d+)/ ? $1 : 0;
}

# The extension must be there, in the tested version.
sub has_extension
{
	my ($bindir) = @_;
	chomp(my $share = `"$bindir/pg_config" --sharedir`);
	return -e "$share/extension/simhash.control";
}

chomp(my $new_bindir = `pg_config --bindir`);
my $new = major($new_bindir);
my @old = $ENV{SIMHASH_OLD_BINDIR} ? ($ENV{SIMHASH_OLD_BINDIR})
  : sort { major($b) <=> major($a) } grep { -x "$_/pg_upgrade" || -x "$_/initdb" } glob '/usr/lib/postgresql/*/bin';
@old = grep { my $n = major($_); $n >= 14 && $n < $new && has_extension($_) } @old;
my $old_bindir = $old[0] // $new_bindir;
note 'from ' . major($old_bindir) . " to $new";

# Both clusters have checksums, which are not the default of all versions
my @initdb = ('-A', 'trust', '-N', '-k', '--locale=C', '--encoding=UTF8');
my $dir = PostgreSQL::Test::Utils::tempdir();
my $old_node = PostgreSQL::Test::Cluster->new('old');
my $old_data = "$dir/old";
my $host = $old_node->host;
my $port = $old_node->port;
command_ok([ "$old_bindir/initdb", '-D', $old_data, @initdb ], 'initdb of the old cluster');
append_to_file("$old_data/postgresql.conf",
	"listen_addresses = ''\nunix_socket_directories = '$host'\nport = $port\nfsync = off\njit = off\nautovacuum = off\n");
command_ok([ "$old_bindir/pg_ctl", '-w', '-D', $old_data, '-l', "$PostgreSQL::Test::Utils::log_path/install_pg_upgrade_old_server.log", 'start' ], 'the old server starts');

# safe_psql needs only the place of the old server
$old_node->safe_psql('postgres', 'CREATE DATABASE source');
create_everything($old_node, 'source');
$old_node->safe_psql('source', 'ALTER EXTENSION simhash SET SCHEMA public; ALTER EXTENSION simhash SET SCHEMA ext');
my $contents = contents($old_node, 'source');
command_ok([ "$old_bindir/pg_ctl", '-w', '-D', $old_data, '-m', 'fast', 'stop' ], 'and stops');

my $node = PostgreSQL::Test::Cluster->new('new');
$node->init(extra => [ @initdb[ 3 .. $#initdb ] ]);
$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\nfsync = off");
chdir $dir;
command_ok(
	[ 'pg_upgrade', ($new >= 15 ? '--no-sync' : ()), '-b', $old_bindir, '-B', $new_bindir, '-d', $old_data,
		'-D', $node->data_dir, '-p', $port, '-P', $node->port, '-s', $host ],
	'pg_upgrade');
$node->start;
verify_everything($node, 'source', 'ext', $contents);

# The catalogs equal those of a fresh installation, and the extension can be dropped.
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE SCHEMA ext; CREATE EXTENSION simhash WITH SCHEMA ext');
$node->safe_psql('source', 'ALTER EXTENSION simhash UPDATE');
my @definitions = map {
	$node->safe_psql($_, q{SELECT pg_describe_object(classid, objid, 0), obj_description(objid, classid::regclass::name)
		FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'simhash') ORDER BY 1, 2})
} 'fresh', 'source';
is($definitions[1], $definitions[0], 'the extension has the same members');

# From PostgreSQL 18 on a fresh installation has a support function for keys with WITHOUT OVERLAPS.
# An older server did not know it, and the page says how to add it.
if ($new >= 18)
{
	my $key = 'CREATE TABLE valid (fp ext.simhash, during int4range, PRIMARY KEY (fp, during WITHOUT OVERLAPS))';

	$node->safe_psql('source', "SET search_path = ext; $addition") if major($old_bindir) < 18;
	$node->safe_psql($_, $key) for 'fresh', 'source';
	pass('keys with WITHOUT OVERLAPS');
}
is( $node->safe_psql('source', 'DROP EXTENSION simhash CASCADE; SELECT count(*) FROM docs'),
	2010, 'it can be dropped');
$node->stop;
done_testing();
