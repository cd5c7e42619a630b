# Installing, moving, dumping, updating and dropping the extension.

use SimhashInstalled;
use SimhashTest;

my $node = start_node('install', 'autovacuum = off');

sub sql { return $node->safe_psql(@_); }

# The extension is trusted: the owner of a database may install it without being
# superuser.
sql('postgres', q{CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner});
is( $node->safe_psql('owned', 'CREATE EXTENSION simhash; SELECT 1',
		extra_params => [ '-U', 'owner' ]),
	1, 'the owner of a database installs it');

# He may have created functions and operators in the schema that fit the calls of the install script
# better than PostgreSQL's own.  The script runs as a superuser, so it must not call them.
sub planted
{
	my ($name, $types, $result, $operator) = @_;
	my @types = split /, /, $types;
	return qq{CREATE FUNCTION planted.$name($types) RETURNS $result LANGUAGE plpgsql AS
		'BEGIN RAISE WARNING ''$name($types) as %'', current_user; RETURN NULL; END';}
	  . ($operator ? "CREATE OPERATOR planted.$operator (LEFTARG = $types[0], RIGHTARG = $types[1], FUNCTION = planted.$name);" : '');
}
sql('postgres', 'CREATE DATABASE attacked OWNER owner');
my ($status, $out, $warnings) = $node->psql('attacked', join("\n", 'CREATE SCHEMA planted;',
		map({ planted('format', join(', ', ('text') x $_), 'text') } 2 .. 10),
		planted('replace', 'name, text, text', 'text'), planted('replace', 'varchar, text, text', 'text'),
		planted('current_setting', 'varchar', 'text'), planted('row_number', '', 'bigint'),
		map({ (planted('equal', "oid, $_", 'boolean', '='), planted('unequal', "oid, $_", 'boolean', '<>')) }
			'regtype', 'regnamespace', 'regclass', 'bigint'),
		planted('equal', 'name, text', 'boolean', '='), planted('joined', 'text, varchar', 'text', '||'),
		'CREATE EXTENSION simhash SCHEMA planted; SELECT count(*) > 30 FROM pg_amop WHERE amopmethod = (SELECT oid FROM pg_am WHERE amname = \'bitblock\');'),
	extra_params => [ '-U', 'owner' ]);
is($warnings, '', 'no function of the owner runs as superuser');
is("$status $out", '0 t', 'and the extension is complete');

# Into any schema, and from one to another
sql('postgres', 'CREATE DATABASE source');
create_everything($node, 'source');
my $contents = contents($node, 'source');
my ($near) = $contents =~ /^near\|(\d+)/m;
cmp_ok($near, '>=', 10, 'near-duplicates are found');
sql('source', 'CREATE SCHEMA other; ALTER EXTENSION simhash SET SCHEMA other');
is(contents($node, 'source'), $contents, 'and after the extension has moved');

# Nothing depends on the search_path, as in maintenance and when dumps are restored.
is( sql('source', q{
		SET search_path = '';
		SELECT other.simhash('a b c'::text) OPERATOR(other.<->) other.simhash('c d e'::text) > 0;
		REINDEX TABLE public.docs;
		VACUUM ANALYZE public.docs;
		REFRESH MATERIALIZED VIEW public.sums;
		UPDATE public.docs SET body = body WHERE id < 100;
		INSERT INTO public.apart_bitblock SELECT fp FROM public.docs ON CONFLICT DO NOTHING;
		SELECT count(*) >= 10 FROM other.simhash_pairs('SELECT id, fp FROM public.docs', NULL::bigint, 3);
		SELECT count(DISTINCT cluster) BETWEEN 2 AND 2000 FROM other.simhash_clusters('SELECT id, fp FROM public.docs', NULL::bigint, 3);
		SELECT other.bitblock_check('public.docs_bitblock', true);
		SELECT sum(b.entries) > 2000 FROM other.bitblock_stats('public.docs_bitblock') b;
		BEGIN;
		INSERT INTO public.marked (fp) VALUES ('0000000000000001');
		SELECT duplicate_of FROM public.marked ORDER BY id DESC LIMIT 1;
		ROLLBACK;
		SELECT count(*) > 2 FROM other.simhash_features('a b'::text)}),
	"t\nt\nt\n\nt\n1\nt", 'with an empty search_path');

# pg_dump with psql, and pg_restore -j
my $dir = $node->backup_dir;
mkdir $dir;
sub dump_of
{
	my ($db, $file) = @_;
	$node->command_ok([ 'pg_dump', '-f', "$dir/$file", $node->connstr($db) ], "$db: pg_dump");
	my $text = slurp_file("$dir/$file");
	$text =~ s/^\\(un)?restrict .*\n//mg;	# a random word
	return $text;
}
my $dump = dump_of('source', 'plain.sql');
sql('postgres', 'CREATE DATABASE plain');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/plain.sql", $node->connstr('plain') ], 'psql');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/custom.dump", $node->connstr('source') ], 'pg_dump -Fc');
sql('postgres', 'CREATE DATABASE custom');
$node->command_ok([ 'pg_restore', '-j', '2', '-d', $node->connstr('custom'), "$dir/custom.dump" ], 'pg_restore -j');
$contents = contents($node, 'source');
for my $db ('plain', 'custom')
{
	ok(dump_of($db, "$db.again") eq $dump, "$db: dumped again, it is the same")
	  or system 'diff', "$dir/plain.sql", "$dir/$db.again";
	verify_everything($node, $db, 'other', $contents);
}

# After ALTER EXTENSION UPDATE the catalogs are those of a fresh installation.  First,
# the comparison must see a difference.
sql('postgres', 'CREATE DATABASE fresh; CREATE DATABASE changed');
sql($_, 'CREATE EXTENSION simhash') for 'fresh', 'changed';
my $catalogs = extension_catalogs($node, 'fresh');
cmp_ok(scalar(() = $catalogs =~ /\n/g), '>', 500, 'there are catalogs to compare');
ok(extension_catalogs($node, 'changed') eq $catalogs, 'two installations are equal')
  or diag differences($catalogs, extension_catalogs($node, 'changed'));
for my $change (
	'ALTER FUNCTION simhash_within COST 77',
	'ALTER FUNCTION simhash_within VOLATILE',
	q{COMMENT ON TYPE simhash IS 'changed'},
	'GRANT EXECUTE ON FUNCTION bitblock_stats TO public',
	'ALTER OPERATOR = (simhash, simhash) SET (RESTRICT = NONE)',
	'ALTER OPERATOR FAMILY simhash_gist_ops USING gist ADD OPERATOR 40 <> (simhash, simhash)',
	'ALTER EXTENSION simhash DROP FUNCTION simhash_within',
	'CREATE FUNCTION stray() RETURNS int LANGUAGE sql RETURN 1; ALTER EXTENSION simhash ADD FUNCTION stray()')
{
	sql('changed', $change);
	ok(extension_catalogs($node, 'changed') ne $catalogs, "not after $change");
	sql('changed', q{DROP EXTENSION simhash CASCADE; DROP FUNCTION IF EXISTS stray, simhash_within; CREATE EXTENSION simhash});
}

sub differences
{
	my %lines = map { map { $_ => 1 } split /\n/ } @_;
	my @each = map { { map { $_ => 1 } split /\n/ } } @_;
	return join "\n", map { ($each[0]{$_} ? '- ' : '+ ') . $_ }
	  grep { !($each[0]{$_} && $each[1]{$_}) } sort keys %lines;
}

# The query of doc/reference.md lists the functions that users call.
my ($query) = slurp_file('doc/reference.md') =~ /^```sql\n(SELECT p\.oid::regprocedure.*?)^```/ms;
my $functions = sql('fresh', $query);
like($functions, qr/^minhash\(text\)\|.*^simhash_clusters\(/ms, 'functions for users');
unlike($functions, qr/\|internal|_(in|out|sel|support)\(/, 'and no internal ones');

# every path from an installable version to another version
my @paths = split /\n/, sql('postgres', q{
	SELECT source || ' ' || target FROM pg_extension_update_paths('simhash')
	WHERE path IS NOT NULL
	AND source IN (SELECT version FROM pg_available_extension_versions WHERE name = 'simhash')
	AND target IN (SELECT version FROM pg_available_extension_versions WHERE name = 'simhash')
	ORDER BY 1});
my @versions = split /\n/, sql('postgres', q{
	SELECT version FROM pg_available_extension_versions WHERE name = 'simhash'
	AND version <> (SELECT default_version FROM pg_available_extensions WHERE name = 'simhash')});
SKIP:
{
	skip 'there is one version only, nothing to update from', 1 unless @versions;
	for my $version (@versions)
	{
		ok((grep { $_ =~ /^\Q$version\E / } @paths), "$version can be updated");
	}
}
for my $path (@paths)
{
	my ($from, $to) = split / /, $path;
	my $db = "update from $from to $to";

	sql('postgres', qq{CREATE DATABASE "$db"; CREATE DATABASE "$db, fresh"});
	sql($db, qq{CREATE EXTENSION simhash VERSION '$from'; ALTER EXTENSION simhash UPDATE TO '$to'});
	sql("$db, fresh", qq{CREATE EXTENSION simhash VERSION '$to'});
	my @both = map { extension_catalogs($node, $_) } "$db, fresh", $db;
	ok($both[0] eq $both[1], "$db: as if installed afresh") or diag differences(@both);
}

# Dropping leaves nothing in any catalog
sql('postgres', 'CREATE DATABASE empty');
my $rows = rows_of_catalogs($node, 'empty');
sql('empty', 'CREATE EXTENSION simhash');
isnt(rows_of_catalogs($node, 'empty'), $rows, 'there are rows to be dropped');
sql('empty', 'DROP EXTENSION simhash');
is(rows_of_catalogs($node, 'empty'), $rows, 'dropping the extension leaves nothing');
sql('source', 'DROP EXTENSION simhash CASCADE');
is( sql('source', q{SELECT (SELECT count(*) FROM pg_proc WHERE probin LIKE '%simhash%')
		+ (SELECT count(*) FROM pg_type WHERE typname ~ 'simhash|hamming|fingerprint')
		+ (SELECT count(*) FROM pg_opclass WHERE opcname LIKE 'simhash%')
		+ (SELECT count(*) FROM pg_am WHERE amname = 'bitblock')
		+ (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal)
		+ (SELECT count(*) FROM pg_operator o JOIN pg_namespace n ON n.oid = oprnamespace WHERE nspname = 'other')}),
	0, 'nor where it was in use');
is(sql('source', 'SELECT count(*) FROM docs'), 2010, 'but the documents');

$node->stop;
done_testing();
