# Installing, moving, dumping and dropping the extension.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('install');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

sub sql { return $node->safe_psql(@_); }

# Trusted: the owner of a database may install it, being no superuser.
sql('postgres', q{CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner});
is( $node->safe_psql('owned', 'CREATE EXTENSION simhash; SELECT 1',
		extra_params => [ '-U', 'owner' ]),
	1, 'the owner of a database installs it');

# Into any schema, and from one to another
sql('postgres', q{CREATE DATABASE source});
sql('source', q{
	CREATE SCHEMA ext;
	CREATE EXTENSION simhash WITH SCHEMA ext;
	CREATE TABLE docs (
		id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		body text NOT NULL,
		fp   ext.simhash GENERATED ALWAYS AS (ext.simhash(body)) STORED);
	CREATE INDEX docs_fp ON docs USING gist (fp);
	CREATE TABLE unlike (fp ext.simhash, EXCLUDE USING gist (fp WITH OPERATOR(ext.%)),
		CONSTRAINT unlike_8 EXCLUDE USING bitblock (ext.simhash_ball(fp, 8) WITH OPERATOR(ext.&&)));
	CREATE TABLE marked (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, fp ext.simhash, duplicate_of bigint);
	CREATE INDEX ON marked USING bitblock (fp) WHERE duplicate_of IS NULL;
	CREATE TRIGGER original BEFORE INSERT ON marked FOR EACH ROW
		EXECUTE FUNCTION ext.simhash_record_original('fp', 'duplicate_of', 'id', 8);
	INSERT INTO marked (fp) VALUES ('0000000000000000'), ('00000000000000ff');
	CREATE VIEW near AS SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b
		ON a.fp OPERATOR(ext.<->) b.fp OPERATOR(ext.<=) 3 AND a.id < b.id;
	CREATE INDEX docs_partial ON docs (id) WHERE fp OPERATOR(ext.<->) '0123456789abcdef' OPERATOR(ext.<=) 20;
	INSERT INTO docs (body) SELECT 'document ' || i || ' ' || md5((i / 2)::text) || ' ' || md5((i / 3)::text)
		FROM generate_series(1, 2000) i;
	INSERT INTO docs (body) SELECT upper(body) FROM docs WHERE id <= 10;
	INSERT INTO unlike SELECT fp FROM docs ON CONFLICT DO NOTHING;
});
my $pairs = sql('source', 'SELECT count(*) FROM near');
cmp_ok($pairs, '>=', 10, 'near-duplicates are found');
sql('source', 'CREATE SCHEMA other; ALTER EXTENSION simhash SET SCHEMA other');
is(sql('source', 'SELECT count(*) FROM near'), $pairs, 'and after the extension has moved');
is( sql('source', q{SET search_path = ''; SELECT other.simhash('a b c'::text) OPERATOR(other.<->) other.simhash('c d e'::text) > 0}),
	't', 'with an empty search_path');

# pg_dump | psql, and pg_restore -j
my $dir = $node->backup_dir;
mkdir $dir;
my $all = q{SELECT md5(string_agg(id || body || fp::text, ',' ORDER BY id)) FROM docs};
$node->command_ok([ 'pg_dump', '-f', "$dir/plain.sql", $node->connstr('source') ], 'pg_dump');
sql('postgres', 'CREATE DATABASE plain');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/plain.sql", $node->connstr('plain') ], 'psql');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/custom.dump", $node->connstr('source') ], 'pg_dump -Fc');
sql('postgres', 'CREATE DATABASE custom');
$node->command_ok([ 'pg_restore', '-j', '2', '-d', $node->connstr('custom'), "$dir/custom.dump" ], 'pg_restore -j');
for my $db ('plain', 'custom')
{
	is(sql($db, $all), sql('source', $all), "$db: same rows and fingerprints");
	is(sql($db, 'SELECT count(*) FROM near'), $pairs, "$db: same pairs");
	is( sql($db, 'SELECT count(*) FROM unlike'),
		sql('source', 'SELECT count(*) FROM unlike'),
		"$db: same constrained rows");
	is( sql($db, q{INSERT INTO unlike SELECT fp FROM unlike ON CONFLICT DO NOTHING;
			SELECT bool_and(indisvalid) FROM pg_index WHERE indrelid = 'unlike'::regclass})
		. sql($db, 'SELECT count(*) FROM unlike'),
		't' . sql('source', 'SELECT count(*) FROM unlike'), "$db: constraints hold");
	is( sql($db, q{INSERT INTO marked (fp) VALUES ('000000000000000f');
			SELECT array_agg((id, duplicate_of) ORDER BY id) FROM marked}),
		'{"(1,)","(2,1)","(3,1)"}', "$db: originals are recorded");
	like( sql($db, q{SET enable_seqscan = off; SET search_path = public, other;
			EXPLAIN SELECT 1 FROM docs WHERE fp <-> '0123456789abcdef' <= 3}),
		qr/docs_fp/, "$db: index used");
}

# Dropping leaves nothing
sql('source', 'DROP EXTENSION simhash CASCADE');
is( sql('source', q{SELECT (SELECT count(*) FROM pg_proc WHERE probin LIKE '%simhash%')
		+ (SELECT count(*) FROM pg_type WHERE typname ~ 'simhash|hamming')
		+ (SELECT count(*) FROM pg_opclass WHERE opcname LIKE 'simhash%')
		+ (SELECT count(*) FROM pg_operator o JOIN pg_namespace n ON n.oid = oprnamespace WHERE nspname = 'other')}),
	0, 'dropping the extension leaves nothing');
is(sql('source', 'SELECT count(*) FROM docs'), 2010, 'but the documents');

$node->stop;
done_testing();
