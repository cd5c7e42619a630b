# Building in another folder, installing with the documents, and the errors of a build that
# misses something.

use Cwd;
use File::Basename;
use File::Find;
use SimhashPage;
use SimhashTest;

# make exports the variables of its command line
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES TAP_TESTS PROVE_TESTS REGRESS ISOLATION)};
my $source = getcwd();
my $build = PostgreSQL::Test::Utils::tempdir();
my $dest = PostgreSQL::Test::Utils::tempdir();
chomp(my $pg_config = `which pg_config`);

# make in the other folder: status and output
sub make
{
	my (@arguments) = @_;
	my $output = '';
	my $status = IPC::Run::run(
		[ 'make', '-C', $build, '-f', "$source/Makefile", 'with_llvm=no', "PG_CONFIG=$pg_config", @arguments ],
		'>', \$output, '2>&1');
	return ($status, $output);
}

sub relative_files
{
	my ($folder) = @_;
	my @files;
	find(sub { push @files, substr $File::Find::name, 1 + length $folder if -f }, $folder);
	return sort @files;
}

# What is missing is named, in one line
sub fails_with
{
	my ($name, $message, @arguments) = @_;
	my ($status, $output) = make(@arguments);
	ok(!$status, "$name: the build fails");
	like($output, $message, "$name: and says why");
	unlike($output, qr/\.c:\d|\bgcc .*\.c\b/, "$name: before it compiles anything");
}

my $fake = PostgreSQL::Test::Utils::tempdir();
fails_with('no pg_config', qr/^$fake\/pg_config was not found .*postgresql-server-dev-N/m, "PG_CONFIG=$fake/pg_config");
append_to_file("$fake/pg_config", "#!/bin/sh\necho $fake\$1\n");
chmod 0755, "$fake/pg_config";
fails_with('no headers of the server', qr/^$fake--pgxs is missing.*postgresql-server-dev-N/m, "PG_CONFIG=$fake/pg_config");
for my $header ('#include "there_is_no_xxhash.h"', '#define XXH_VERSION_NUMBER 704')
{
	open my $file, '>', "$fake/xxhash.h" or die $!;
	print $file "$header\n";
	close $file;
	local $ENV{C_INCLUDE_PATH} = $fake;
	fails_with("xxhash.h: $header", qr/^simhash needs the header of xxHash 0\.8\.0 .*libxxhash-dev/m);
}

# make splits paths at blanks.
mkdir "$fake/with blank" or die $!;
symlink $source, "$fake/a link" or die $!;
for my $folder ([ "$fake/with blank", $source ], [ $build, "$fake/a link" ])
{
	my $output = '';
	my $status = IPC::Run::run([ 'make', '-C', $folder->[0], '-f', "$folder->[1]/Makefile", "PG_CONFIG=$pg_config" ], '>', \$output, '2>&1');
	ok(!$status, 'a path with a blank: the build fails');
	like($output, qr/paths without blanks/, 'a path with a blank: and says why');
}

my ($status, $output);

# The package's tests as root: the account postgres must be able to read the sources.  The commands of
# root are replaced.
SKIP:
{
	skip 'needs dpkg-dev', 4 if !-e '/usr/share/dpkg/architecture.mk';
	my %commands = (
		id => 'echo 0',
		setpriv => qq{test "\$SIMHASH_READABLE" = yes -a "\$6 \$7 \$8" = "test -r $source/debian/rules"},
		pg_buildext => 'echo tests run');
	mkdir "$fake/root" or die $!;
	for my $command (keys %commands)
	{
		append_to_file("$fake/root/$command", "#!/bin/sh\n$commands{$command}\n");
		chmod 0755, "$fake/root/$command";
	}
	for ([ 'yes', qr/^tests run$/m ], [ 'no', qr/^The account postgres cannot read \Q$source\E: chmod a\+rx/m ])
	{
		my ($readable, $message) = @$_;
		local @ENV{qw(PATH SIMHASH_READABLE FAKEROOTKEY)} = ("$fake/root:$ENV{PATH}", $readable, '');
		$output = '';
		$status = IPC::Run::run([ 'make', '-f', 'debian/rules', 'override_dh_pgxs_test' ], '>', \$output, '2>&1');
		is($status ? 'yes' : 'no', $readable, "tests of the package, readable: $readable");
		like($output, $message, 'and the message');
	}
}

# The library of another folder has every function.  It is not that of the source folder.
($status, $output) = make('-j2', 'install', "DESTDIR=$dest", 'COPT=-O0', "VPATH=$source");	# as Debian's pg_buildext
ok($status, 'make install in another folder') or diag $output;
my @installed = relative_files($dest);
my ($library) = grep { m,/simhash\.so$, } @installed;
my ($script) = grep { m,/extension/simhash--1\.0\.sql$, } @installed;
my %symbols = map { $_ => 1 } `nm -D --defined-only $dest/$library` =~ / T (\w+)$/mg;
my ($sql) = map { slurp_file("$dest/$_") } $script;
my @functions;
while ($sql =~ /^CREATE FUNCTION (\w+)\((?:(?!^CREATE).)*?^AS 'MODULE_PATHNAME'(?:, '(\w+)')?/gms)
{
	push @functions, $2 // $1;
}
cmp_ok(scalar(@functions), '>', 100, 'functions of the script');
ok(-e "$build/src/type/type.o", 'its objects are in the other folder');
is(join(' ', grep { !$symbols{$_} } @functions), '', 'all are in the library');

# The documents are installed, and the links between them lead to installed documents.
my ($readme) = grep { m,/simhash/README\.md$, } @installed;
my $folder = dirname("$dest/$readme");
my @documents = grep { /\.md$/ } relative_files($folder);
cmp_ok(scalar(@documents), '>=', 12, 'documents are installed');
links_exist($_, $folder) for @documents;

# The regression tests run in the other folder, also on a server without a locale
my $node = start_node('build', { extra => ['--locale=C.UTF-8'] });
my $ascii = start_node('ascii', { extra => ['--encoding=SQL_ASCII'] });
for my $server ($ascii, $node)
{
	local $ENV{PGHOST} = $server->host;
	local $ENV{PGPORT} = $server->port;
	($status, $output) = make('installcheck', 'REGRESS=setup opclass fingerprint tfidf interop', 'ISOLATION=');
	ok($status, 'make installcheck in another folder, ' . $server->safe_psql('template1', 'SHOW server_encoding')) or diag $output;
}
$ascii->stop;

# Another library, loaded before, has functions of the same names.
my @own = grep { !$symbols{"pg_finfo_$_"} && !/^(Pg_magic_func|_PG_init|pg_finfo_.*)$/ } sort keys %symbols;
append_to_file("$fake/other.c", qq{#include "postgres.h"\n#include "fmgr.h"\nPG_MODULE_MAGIC;\n}
	. join '', map { "void $_(void);\nvoid $_(void) { abort(); }\n" } @own);
chomp(my $headers = `$pg_config --includedir-server`);
is(system('cc', '-w', '-fPIC', '-shared', "-I$headers", '-o', "$fake/other.so", "$fake/other.c"), 0, scalar(@own) . ' functions of another library');
is($node->safe_psql('contrib_regression', qq{
	LOAD '$fake/other.so';
	CREATE TABLE other AS SELECT n, minhash('text ' || n) AS fp FROM generate_series(1, 5000) n;
	CREATE INDEX ON other USING bitblock (fp);
	ANALYZE other;
	SET enable_seqscan = off;
	SELECT count(*) FROM other WHERE fp <-> minhash('text 7') <= 0;
	SELECT count(*) FROM simhash_pairs('SELECT n, fp FROM other', NULL::int, 0), simhash_features('text')}),
	"1\n0", 'ours are called');

($status, $output) = make('uninstall', "DESTDIR=$dest");
ok($status, 'make uninstall') or diag $output;
is(join(' ', relative_files($dest)), '', 'leaves no file');

$node->stop;
done_testing();
