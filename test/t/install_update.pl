# ALTER EXTENSION ... UPDATE over a database in use, from each release to the next one.
# There is one release so far, so the next one is a stand-in: version 1.1 with a function
# more and other properties of another.  The stand-in is installed into a copy of this
# PostgreSQL.

use SimhashInstalled;
use SimhashTest;

# The parts of a copy find each other by relative paths.
my $copy = PostgreSQL::Test::Utils::tempdir();
my %folder;
for my $name ('bindir', 'pkglibdir', 'sharedir', 'libdir')
{
	chomp($folder{$name} = `pg_config --$name`);
}
sub copy_files
{
	my ($name, $files, @options) = @_;
	system("mkdir -p '$copy$folder{$name}' && cp @options $folder{$name}/$files '$copy$folder{$name}/'") == 0
	  or die "could not copy $folder{$name}";
}
copy_files('bindir', '*', '-a');
copy_files('pkglibdir', '.', '-rs');
copy_files('sharedir', '.', '-rs');
copy_files('libdir', 'libpq.so*', '-a') if glob "$folder{libdir}/libpq.so*" and $folder{libdir} ne $folder{pkglibdir};
$ENV{PATH} = "$copy$folder{bindir}:$ENV{PATH}";

# Replaces a file of the copy, which may be a link to that of the installation
my $extension = "$copy$folder{sharedir}/extension";
sub write_file
{
	my ($name, $content) = @_;
	unlink "$extension/$name";
	append_to_file("$extension/$name", $content);
}
my $new = q{
CREATE FUNCTION simhash_is_near(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_is_near(simhash, simhash) IS 'stand-in';
};
my $changed = q{
ALTER FUNCTION simhash_within(simhash, simhash, integer) COST 3;
COMMENT ON TYPE simhash IS 'another comment';
};
my $control = slurp_file("$extension/simhash.control");
my $script = slurp_file("$extension/simhash--1.0.sql");
like($control, qr/^default_version = '1\.0'$/m, 'the version before');

my $node = start_node('update', 'autovacuum = off');
sub sql { return $node->safe_psql(@_); }

sql('postgres', 'CREATE DATABASE used; CREATE DATABASE forgetful; CREATE DATABASE fresh');
create_everything($node, 'used');
my $contents = contents($node, 'used');
sql('forgetful', 'CREATE EXTENSION simhash SCHEMA public');

# The release
write_file('simhash.control', $control =~ s/'1\.0'/'1.1'/r);
write_file('simhash--1.1.sql', "$script$new$changed");
write_file('simhash--1.0--1.1.sql', $new);
is(sql('used', q{SELECT default_version || installed_version FROM pg_available_extensions WHERE name = 'simhash'}),
	'1.11.0', 'an update is available');
verify_everything($node, 'used', 'ext', $contents);

# An update script that forgets a change is noticed.
sql('fresh', 'CREATE EXTENSION simhash SCHEMA public');
sql('forgetful', 'ALTER EXTENSION simhash UPDATE');
isnt(extension_catalogs($node, 'forgetful'), extension_catalogs($node, 'fresh'),
	'an incomplete update differs from a fresh installation');
write_file('simhash--1.0--1.1.sql', "$new$changed");
sql('forgetful', q{DROP EXTENSION simhash; CREATE EXTENSION simhash SCHEMA public VERSION '1.0'; ALTER EXTENSION simhash UPDATE});
ok(extension_catalogs($node, 'forgetful') eq extension_catalogs($node, 'fresh'),
	'a complete update is as if installed afresh');

# Rows, indexes, constraints and the trigger survive the update.
sql('used', 'ALTER EXTENSION simhash UPDATE');
is(sql('used', q{SELECT extversion FROM pg_extension WHERE extname = 'simhash'}), '1.1', 'updated');
is(sql('used', q{SELECT ext.simhash_is_near('0123456789abcdef', '0123456789abcdef')}), 't', 'with the function that is new');
sql('used', q{DELETE FROM marked WHERE id > 2});
verify_everything($node, 'used', 'ext', $contents);

$node->stop;
done_testing();
