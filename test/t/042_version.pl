# All files name the same version: the release, and its first two parts for the extension.

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
names('client/Makefile', qr/^VERSION = (.*)/m, $version);
names('client/pgsimhash.h', qr/^#define PGSIMHASH_VERSION "(.*)"/m, $version);
names('client/python/pyproject.toml', qr/^version = "(.*)"/m, $version);
ok(-e "sql/simhash--$version.sql", 'there is an install script');
like(slurp_file('CHANGELOG.md'), qr/\A# Changelog\n\n## \Q$release\E /, 'CHANGELOG.md begins with it');
like(slurp_file('debian/changelog'), qr/\Apostgresql-simhash \(\Q$release\E-/, 'and debian/changelog');

done_testing();
