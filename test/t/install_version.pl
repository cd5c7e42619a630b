# All files name the same version: the release, and its first two parts for the extension.  The
# packages have the names that repositories of PostgreSQL's extensions expect, and one file has
# their addresses.

use SimhashTest;

my ($release) = slurp_file('META.json') =~ /"version": "(\d+\.\d+\.\d+)"/;
my ($version) = $release =~ /^(\d+\.\d+)\./;

sub names
{
	my ($file, $pattern, $expected) = @_;
	my @found = slurp_file($file) =~ /$pattern/mg;
	is(join(' ', @found), $expected, "$file: $pattern");
	return;
}

names('META.json', qr/^    *"version": "([^"]+)"(?!,\s*"url")/m, $release);
names('META.json', qr/"file": "sql\/simhash--(.*)\.sql"/, $version);
names('simhash.control', qr/^default_version = '(.*)'/m, $version);
names('src/module.c', qr/\.version = "(.*?)"/, $release);
names('doc/reference.md', qr/errors of version\s+([0-9.]*[0-9])/m, $version);
names('packaging/rpm/postgresql-simhash.spec', qr/^Version: *(.*)/m, $release);
names('packaging/nix/simhash.nix', qr/^  version = "(.*)";/m, $release);
names('packaging/cloudnativepg/Dockerfile', qr/-t simhash:([0-9.]*)-/, $release);
names('packaging/README.md', qr{/simhash:([0-9.]*)-18}, "$release $release");
names('client/Makefile', qr/^VERSION = (.*)/m, $version);
names('client/pgsimhash.h', qr/^#define PGSIMHASH_VERSION "(.*)"/m, $version);
names('client/python/pyproject.toml', qr/^version = "(.*)"/m, $version);
ok(-e "sql/simhash--$version.sql", 'there is an install script');
like(slurp_file('CHANGELOG.md'), qr/\A# Changelog\n\n## \Q$release\E /, 'CHANGELOG.md begins with it');
like(slurp_file('debian/changelog'), qr/\Apostgresql-simhash \(\Q$release\E-/, 'and debian/changelog');

# PGDG and Pigsty: postgresql-17-simhash and simhash_17
names('debian/control.in', qr/^Package: (postgresql.*)/m, 'postgresql-PGVERSION-simhash');
names('packaging/rpm/postgresql-simhash.spec', qr/^Name: *(.*)/m, 'simhash_%{pgmajorversion}');

my $copy = PostgreSQL::Test::Utils::tempdir;
my $write = "(cd '$copy' && sh packaging/addresses.sh)";
my $compare = "diff -r META.json '$copy/META.json' && diff -r debian '$copy/debian' && diff -r packaging '$copy/packaging'";
system_or_bail('cp', '-r', 'META.json', 'debian', 'packaging', $copy);
is(`$write 2>&1; $compare`, '', 'every address is that of packaging/addresses.sh');
system_or_bail('sed', '-i', "s|='https*://[^/]*/|='https://example.org/simhash/|; s|='.*@.*'|='simhash\@example.org'|", "$copy/packaging/addresses.sh");
my ($domain) = slurp_file('packaging/addresses.sh') =~ m{homepage='https?://([^/]*)};
is(`$write 2>&1; grep -rn '$domain' '$copy'`, '', 'which writes others');
is(`grep -rE 'https://example.org/simhash/|simhash\@example.org' '$copy' | wc -l`, "19\n", 'in each place');

done_testing();
