# Shared by the tests of dump, upgrade and update: a database that uses every part of
# the extension, a check of that database, and the extension's rows in the catalogs.

package SimhashInstalled;

use Exporter 'import';
use SimhashTest;

our @EXPORT = qw(create_everything contents verify_everything extension_catalogs
  rows_of_catalogs);

# The extension in schema ext, and tables in public that use it.
sub create_everything
{
	my ($node, $db) = @_;
	$node->safe_psql($db, q{
		CREATE SCHEMA ext;
		CREATE EXTENSION simhash WITH SCHEMA ext;
		CREATE TABLE docs (
			id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			body text NOT NULL,
			fp   ext.simhash GENERATED ALWAYS AS (ext.simhash(body)) STORED,
			mini ext.simhash GENERATED ALWAYS AS (ext.minhash(body, 'words', n => 2)) STORED);
		INSERT INTO docs (body) SELECT 'document ' || i || ' ' || md5((i / 2)::text) || ' ' || md5((i / 3)::text)
			FROM generate_series(1, 2000) i;
		INSERT INTO docs (body) SELECT upper(body) FROM docs WHERE id <= 10;
		CREATE INDEX docs_gist ON docs USING gist (fp);
		CREATE INDEX docs_bitblock ON docs USING bitblock (fp);
		CREATE INDEX docs_btree ON docs (fp, mini DESC);
		CREATE INDEX docs_hash ON docs USING hash (mini ext.simhash_hash_ops);
		CREATE INDEX docs_expression ON docs USING bitblock (ext.simhash(lower(body)) ext.simhash_bitblock_ops);
		CREATE INDEX docs_balls ON docs USING gist (ext.simhash_ball(mini, 3));
		CREATE INDEX docs_partial ON docs (id) WHERE fp OPERATOR(ext.<->) '0123456789abcdef' OPERATOR(ext.<=) 20;
		CREATE STATISTICS docs_statistics ON fp, mini FROM docs;
		CREATE VIEW near AS SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b
			ON a.fp OPERATOR(ext.<->) b.fp OPERATOR(ext.<=) 3 AND a.id < b.id;
		CREATE MATERIALIZED VIEW sums AS SELECT id % 7 AS class, ext.simhash_agg(body) AS fp FROM docs GROUP BY 1;

		CREATE DOMAIN fingerprint AS ext.simhash CHECK (VALUE OPERATOR(ext.<>) 'ffffffffffffffff');
		CREATE TABLE parts (class int, fp fingerprint DEFAULT '0000000000000001', d ext.hamming,
			CHECK (d OPERATOR(ext.<=) 64)) PARTITION BY LIST (class);
		CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
		CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
		CREATE INDEX parts_fp ON parts USING bitblock (fp);
		INSERT INTO parts SELECT id % 2, fp, fp OPERATOR(ext.<->) mini FROM docs;

		-- each operator with each method
		CREATE TABLE unlike_gist (fp ext.simhash, EXCLUDE USING gist (fp WITH OPERATOR(ext.%)));
		CREATE TABLE unlike_bitblock (fp ext.simhash, EXCLUDE USING bitblock (fp WITH OPERATOR(ext.%)) WHERE (fp IS NOT NULL));
		CREATE TABLE apart_gist (fp ext.simhash, EXCLUDE USING gist (ext.simhash_ball(fp, 8) WITH OPERATOR(ext.&&)));
		CREATE TABLE apart_bitblock (fp ext.simhash, EXCLUDE USING bitblock (ext.simhash_ball(fp, 8) WITH OPERATOR(ext.&&)));
		INSERT INTO unlike_gist SELECT fp FROM docs ON CONFLICT DO NOTHING;
		INSERT INTO unlike_bitblock SELECT fp FROM docs ON CONFLICT DO NOTHING;
		INSERT INTO apart_gist SELECT fp FROM docs ON CONFLICT DO NOTHING;
		INSERT INTO apart_bitblock SELECT fp FROM docs ON CONFLICT DO NOTHING;

		-- wide fingerprints
		CREATE TABLE images (id int, fp bit(256), EXCLUDE USING bitblock (ext.bit_ball(fp, 31) WITH OPERATOR(ext.&&)) WITH (bits = 256));
		INSERT INTO images SELECT i, ('x' || md5((i / 2)::text) || md5((-i / 2)::text))::bit(256) FROM generate_series(1, 600) i ON CONFLICT DO NOTHING;
		CREATE INDEX images_fp ON images USING bitblock (fp);
		CREATE INDEX images_hash ON images USING bitblock ((fp::bit varying)) WITH (bits = 256, fillfactor = 70);
		CREATE INDEX images_part ON images USING bitblock (substring(fp, 1, 128)) WITH (bits = 128);

		-- leading columns
		CREATE TABLE tenants (id bigint, tenant bigint, lang text, fp ext.simhash, pic bit(128),
			EXCLUDE USING bitblock (tenant WITH =, lang WITH =, fp WITH OPERATOR(ext.%)));
		INSERT INTO tenants SELECT id, nullif(id % 7, 6), 'l' || id % 2, fp, (fp::bit(64) || mini::bit(64))::bit(128) FROM docs ON CONFLICT DO NOTHING;
		CREATE INDEX tenants_pic ON tenants USING bitblock (tenant, (lower(lang)), pic) WHERE id > 5;
		CREATE OPERATOR CLASS macaddr_bitblock DEFAULT FOR TYPE macaddr USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashmacaddr(macaddr);
		CREATE TABLE devices AS SELECT ('00:00:00:00:00:0' || id % 5)::macaddr AS device, fp FROM docs;
		CREATE INDEX devices_fp ON devices USING bitblock (device, fp);

		CREATE TABLE marked (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, fp ext.simhash, duplicate_of bigint);
		CREATE INDEX ON marked USING bitblock (fp) WHERE duplicate_of IS NULL;
		CREATE TRIGGER original BEFORE INSERT ON marked FOR EACH ROW
			EXECUTE FUNCTION ext.simhash_record_original('fp', 'duplicate_of', 'id', 'within=8');
		INSERT INTO marked (fp) VALUES ('0000000000000000'), ('00000000000000ff');
		ANALYZE;
	});
	return;
}

# All rows of the tables, and of the view, for comparison
sub contents
{
	my ($node, $db) = @_;
	return $node->safe_psql($db, q{
		SET search_path = '';
		SELECT 'docs', count(*), md5(string_agg(id || body || fp::text || mini::text, ',' ORDER BY id)) FROM public.docs;
		SELECT 'near', count(*), sum(a * 1000 + b) FROM public.near;
		SELECT 'sums', string_agg(class || fp::text, ',' ORDER BY class) FROM public.sums;
		SELECT 'parts', count(*), md5(string_agg(p::text, ',' ORDER BY p::text COLLATE "C")) FROM public.parts p;
		SELECT 'unlike', count(*), md5(string_agg(fp::text, ',' ORDER BY fp::text COLLATE "C")) FROM public.unlike_gist;
		SELECT 'unlike', count(*), md5(string_agg(fp::text, ',' ORDER BY fp::text COLLATE "C")) FROM public.unlike_bitblock;
		SELECT 'apart', count(*), md5(string_agg(fp::text, ',' ORDER BY fp::text COLLATE "C")) FROM public.apart_gist;
		SELECT 'apart', count(*), md5(string_agg(fp::text, ',' ORDER BY fp::text COLLATE "C")) FROM public.apart_bitblock;
		SELECT 'images', count(*), md5(string_agg(id || fp::text, ',' ORDER BY id)) FROM public.images;
		SELECT 'tenants', count(*), md5(string_agg(t::text, ',' ORDER BY id)) FROM public.tenants t;
		SELECT 'devices', count(*), md5(string_agg(d::text, ',' ORDER BY d::text COLLATE "C")) FROM public.devices d;
		SELECT 'marked', array_agg((id, fp, duplicate_of) ORDER BY id) FROM public.marked;
	});
}

# Is the database the same as before, and do its indexes, constraints and trigger work?
# The extension is in schema $schema.
sub verify_everything
{
	my ($node, $db, $schema, $expected) = @_;

	is(contents($node, $db), $expected, "$db: same rows, fingerprints and answers");
	is( $node->safe_psql($db, qq{
			SELECT count(*) FROM (SELECT $schema.bitblock_check(c.oid, true) FROM pg_class c
				JOIN pg_am a ON a.oid = relam WHERE amname = 'bitblock' AND relkind = 'i') s}),
		14, "$db: bitblock_check of all indexes");
	is( $node->safe_psql($db, q{SELECT count(*) FROM pg_index WHERE NOT (indisvalid AND indisready)}),
		0, "$db: all are valid");
	for my $table ('unlike_gist', 'unlike_bitblock', 'apart_gist', 'apart_bitblock')
	{
		is( $node->safe_psql($db, qq{
				WITH i AS (INSERT INTO $table SELECT (fp::bigint # 1)::$schema.simhash FROM
					(SELECT fp FROM $table WHERE fp IS NOT NULL LIMIT 100) s ON CONFLICT DO NOTHING RETURNING 1)
				SELECT count(*) FROM i}),
			0, "$db: the constraint of $table holds");
	}
	is( $node->safe_psql($db, qq{
			WITH i AS (INSERT INTO images SELECT id, fp # 7::bit(256) FROM images LIMIT 100 ON CONFLICT DO NOTHING RETURNING 1)
			SELECT count(*) FROM i;
			SET search_path = public, $schema; SET enable_seqscan = off;
			SELECT count(*) FROM images a JOIN images b ON a.fp <-> b.fp <= 3 AND a.id = b.id}),
		"0\n301", "$db: wide fingerprints");
	is( $node->safe_psql($db, qq{
			WITH i AS (INSERT INTO tenants SELECT id, tenant, lang, (fp::bigint # 1)::$schema.simhash FROM
				(SELECT * FROM tenants WHERE fp IS NOT NULL AND tenant IS NOT NULL LIMIT 100) s ON CONFLICT DO NOTHING RETURNING 1)
			SELECT count(*) FROM i;
			SET search_path = public, $schema; SET enable_seqscan = off;
			SELECT count(*) FROM tenants a JOIN tenants b ON b.tenant = a.tenant AND lower(b.lang) = a.lang AND b.pic <-> a.pic <= 0 AND a.id = b.id AND b.id > 5;
			SELECT count(*) > 0, count(*) = count(*) FILTER (WHERE device = '00:00:00:00:00:03') FROM devices WHERE device = '00:00:00:00:00:03' AND fp <-> (SELECT fp FROM docs WHERE id = 3) <= 30})
		=~ s/\n\d{3,}\n/\nmany\n/r,
		"0\nmany\nt|t", "$db: leading columns");
	is( $node->safe_psql($db, q{INSERT INTO marked (fp) VALUES ('000000000000000f');
			SELECT duplicate_of FROM marked ORDER BY id DESC LIMIT 1}),
		1, "$db: originals are recorded");
	for my $method ('gist', 'bitblock')
	{
		my $other = $method eq 'gist' ? 'bitblock' : 'gist';
		my $query = q{SELECT count(*), coalesce(sum(id), 0) FROM docs WHERE fp <-> (SELECT fp FROM docs WHERE id = %d) <= 8};
		my $settings = qq{SET search_path = public, $schema; BEGIN; DROP INDEX docs_$other;};
		like( $node->safe_psql($db, "$settings SET enable_seqscan = off; EXPLAIN " . sprintf($query, 1)),
			qr/docs_$method/, "$db: the $method index is used");
		for my $id (1, 1000, 2010)
		{
			is( $node->safe_psql($db, "$settings SET enable_seqscan = off; " . sprintf($query, $id)),
				$node->safe_psql($db, "$settings DROP INDEX docs_$method; " . sprintf($query, $id)),
				"$db: and answers as the sequential scan, near $id");
		}
	}
	return;
}

# The rows of the catalogs that belong to the extension, one line each, with names
# instead of OIDs, and without what the parser left in trees.
sub extension_catalogs
{
	my ($node, $db) = @_;
	my $objects = q{
		WITH RECURSIVE objects (classid, objid) AS (
			SELECT classid, objid FROM pg_depend
				WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
				AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'simhash')
			UNION
			SELECT d.classid, d.objid FROM pg_depend d JOIN objects o
				ON d.refclassid = o.classid AND d.refobjid = o.objid
				WHERE d.deptype IN ('i', 'a') AND d.objsubid = 0)};
	my %name_of = map { split /\t/, $_, 2 } split /\n/,
	  $node->safe_psql($db, qq{$objects
		SELECT objid || E'\\t' || o.type || ' ' || o.identity
		FROM objects, pg_identify_object(classid, objid, 0) o});
	my @catalogs = split /\n/,
	  $node->safe_psql($db, "$objects SELECT DISTINCT classid::regclass FROM objects ORDER BY 1");
	my @lines = map { "has $_" } values %name_of;

	for my $catalog (@catalogs)
	{
		my $more = $catalog eq 'pg_proc'
		  ? q{ - 'proargdefaults' - 'prosqlbody' || jsonb_build_object('definition',
				CASE WHEN prokind = 'a' THEN pg_get_function_arguments(c.oid) ELSE pg_get_functiondef(c.oid) END)}
		  : '';
		push @lines, map { "$catalog $_" } split /\n/, $node->safe_psql($db, qq{$objects
			SELECT (to_jsonb(c) - 'oid' $more)::text FROM $catalog c
			WHERE oid IN (SELECT objid FROM objects WHERE classid = '$catalog'::regclass)});
	}
	for my $of (
		[ 'pg_aggregate', "'pg_proc'::regclass, c.aggfnoid" ],
		[ 'pg_description', 'c.classoid, c.objoid' ],
		[ 'pg_init_privs', 'c.classoid, c.objoid' ],
		[ 'pg_depend', 'c.classid, c.objid' ])
	{
		my ($catalog, $key) = @$of;
		push @lines, map { "$catalog $_" } split /\n/, $node->safe_psql($db, qq{$objects
			SELECT to_jsonb(c)::text FROM $catalog c WHERE ($key) IN (SELECT classid, objid FROM objects)});
	}
	push @lines, $node->safe_psql($db,
		q{SELECT to_jsonb(e) - 'oid' FROM pg_extension e WHERE extname = 'simhash'});
	s/\b(\d{5,})\b/$name_of{$1} \/\/ $1/ge for @lines;

	# the extension's own OID, and the OIDs of objects that were created in between
	my $extension = $node->safe_psql($db, q{SELECT oid FROM pg_extension WHERE extname = 'simhash'});
	s/\b$extension\b/simhash/g for @lines;
	return join "\n", sort @lines;
}

# The number of rows of each catalog
sub rows_of_catalogs
{
	my ($node, $db) = @_;
	my @catalogs = split /\n/, $node->safe_psql($db, q{SELECT relname FROM pg_class
		WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND relname <> 'pg_statistic' ORDER BY 1});
	return $node->safe_psql($db, join ' UNION ALL ', map { "SELECT '$_', count(*) FROM $_" } @catalogs);
}

1;
