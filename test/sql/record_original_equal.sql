-- simhash_record_original: the option "equal"

-- Columns that must be equal, with NULL as a value of its own: expected are the smallest ids of
-- originals of the same tenant and language
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN lang AS varchar(9);
CREATE FUNCTION recorded_within(fingerprint text, arguments text, index_ddl text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  originals int[] := '{}';
  original int;
  wrong int := 0;
  duplicates int := 0;
  nulls int := 0;
  searches bigint;
BEGIN
  EXECUTE format('CREATE TABLE docs (id int PRIMARY KEY, tenant bigint, "Lang" lang, mood mood, shop text GENERATED ALWAYS AS (''shop '' || tenant::text) STORED, fp %s, duplicate_of int)', fingerprint);
  CREATE INDEX ON docs (tenant);
  EXECUTE 'CREATE INDEX searched ON docs USING ' || index_ddl;
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', %s)', arguments);
  EXECUTE format($q$INSERT INTO docs (id, tenant, "Lang", mood, fp) SELECT id, nullif(id %% 7, 3) %% 3, (ARRAY['de', 'en', NULL, 'en'])[1 + (hashint4(id) & 3)], (ARRAY['sad', 'ok'])[1 + (hashint4(-id) & 1)]::mood, %s
    FROM shaped_fps('clusters', 600) ORDER BY id$q$, CASE WHEN fingerprint ~ 'bit' THEN 'fp::bit(64) || (id % 3)::bit(64)' ELSE 'fp' END);
  SELECT pg_stat_get_xact_numscans('searched'::regclass) INTO searches;
  FOR r IN SELECT * FROM docs ORDER BY id LOOP
    SELECT min(d.id) INTO original FROM docs d
    WHERE d.id = ANY (originals) AND d.tenant IS NOT DISTINCT FROM r.tenant AND length(replace((d.fp::bit varying # r.fp::bit varying)::text, '0', '')) <= 5
      AND (arguments !~ 'Lang' OR d."Lang" IS NOT DISTINCT FROM r."Lang") AND (arguments !~ 'mood' OR d.mood IS NOT DISTINCT FROM r.mood);
    IF original IS NULL THEN
      originals := originals || r.id;
    END IF;
    wrong := wrong + (original IS DISTINCT FROM r.duplicate_of)::int;
    duplicates := duplicates + (original IS NOT NULL)::int;
    nulls := nulls + (original IS NOT NULL AND r.tenant IS NULL)::int;
  END LOOP;
  DROP TABLE docs;
  RETURN format('%s wrong, %s duplicates, %s without tenant, %s searches', wrong, duplicates, nulls, searches);
END $$;
SELECT arguments, index_ddl, recorded_within('simhash', arguments, index_ddl) AS simhash, recorded_within('bit(128)', arguments, index_ddl) AS bits
FROM (VALUES ($$'within=5', 'equal=tenant'$$, 'bitblock (tenant, fp)'), ($$'within=5', 'equal=tenant'$$, 'bitblock (tenant, fp) WHERE duplicate_of IS NULL'),
  ($$'within=5', 'lock', 'equal= TENANT , "Lang",mood '$$, 'bitblock (mood, tenant, "Lang", fp)'), ($$'within=5', 'equal=tenant,"Lang"', 'lock'$$, 'bitblock (tenant, fp)'),
  ($$'within=5', 'equal=tenant, "Lang"'$$, 'bitblock (fp)'), ($$'within=5', 'equal=tenant, shop'$$, 'bitblock (shop, fp)')) v(arguments, index_ddl);
-- the same without the distance
SELECT arguments, recorded_within('simhash', arguments, 'bitblock (tenant, fp)') FROM (VALUES ($$'equal=tenant'$$), ($$'lock', 'equal=tenant'$$)) v(arguments);
-- an upsert finds its own row in another tenant, too
CREATE TABLE upserts (tenant int, id int PRIMARY KEY, fp simhash, duplicate_of int);
CREATE INDEX ON upserts USING bitblock (tenant, fp);
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=tenant');
INSERT INTO upserts VALUES (1, 1, '0000000000000000'), (1, 2, '0000000000000000'), (2, 3, '0000000000000000') RETURNING *;
INSERT INTO upserts VALUES (2, 1, '0000000000000000') ON CONFLICT (id) DO UPDATE SET tenant = excluded.tenant, duplicate_of = excluded.duplicate_of RETURNING *;
-- which indexes suffice
CREATE FUNCTION served_by(definition text, tenant int DEFAULT 7) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'CREATE INDEX served_by ON upserts USING ' || definition;
  INSERT INTO upserts SELECT served_by.tenant, i, '0000000000000000' FROM generate_series(11, 13) i;
  RAISE EXCEPTION '%', (SELECT count(duplicate_of) FROM upserts WHERE id > 10) || ' duplicates' USING ERRCODE = '12345';
EXCEPTION
  WHEN SQLSTATE '12345' OR SQLSTATE '55000' THEN
    RETURN SQLERRM;
END $$;
DROP INDEX upserts_tenant_fp_idx;
INSERT INTO upserts VALUES (2, 4, '0000000000000000');
SELECT d AS definition, served_by(d) FROM unnest(ARRAY['bitblock (tenant, fp)', 'bitblock (fp)', 'gist (fp)', 'bitblock (id, fp)', 'bitblock (tenant, id, fp)',
  'bitblock (tenant, fp) WHERE duplicate_of IS NULL AND tenant IS NOT NULL', 'bitblock (tenant, fp) WHERE tenant = 7', 'bitblock (tenant, simhash_ball(fp, 3))', 'bitblock ((tenant + 0), fp)']) d;
SELECT served_by('bitblock (tenant, fp) WHERE tenant IS NOT NULL', NULL) AS without_null, served_by('bitblock (tenant, fp) WHERE tenant IS NULL', NULL) AS of_null;
-- a column that gets another type, and another name
CREATE INDEX ON upserts USING bitblock (tenant, fp);
ALTER TABLE upserts ALTER tenant TYPE text COLLATE "C";
INSERT INTO upserts VALUES ('2', 4, '0000000000000000'), ('x', 5, '0000000000000000'), ('x', 6, '0000000000000000') RETURNING *;
DROP INDEX upserts_tenant_fp_idx;
CREATE INDEX ON upserts USING bitblock (tenant COLLATE "POSIX", fp);
INSERT INTO upserts VALUES ('2', 7, '0000000000000000');
ALTER TABLE upserts RENAME tenant TO customer;
INSERT INTO upserts VALUES ('2', 7, '0000000000000000');
DROP TABLE upserts;
DROP FUNCTION served_by;
-- columns of domains: over types whose "=" is polymorphic, and with another collation than the column
CREATE DOMAIN feeling AS mood;
CREATE DOMAIN trail AS text[];
CREATE DOMAIN code AS char(3) COLLATE "C";
CREATE TABLE domains (feeling feeling, trail trail, code code COLLATE "POSIX", id code COLLATE "POSIX", fp simhash, duplicate_of code COLLATE "POSIX");
CREATE INDEX domains_index ON domains USING bitblock (feeling, code, fp);
CREATE TRIGGER original BEFORE INSERT ON domains FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=feeling, trail, code');
BEGIN;
INSERT INTO domains SELECT feeling::mood, trail::trail, code, row_number() OVER (), '0000000000000000'
FROM (VALUES ('ok', '{a}', 'de'), ('ok', '{a}', 'de'), ('ok', '{a}', 'da'), ('sad', '{a}', 'de'), ('ok', '{b}', 'de')) v(feeling, trail, code) RETURNING *;
SELECT pg_stat_get_xact_numscans('domains_index'::regclass) AS searches;
COMMIT;
DROP TABLE domains;
DROP DOMAIN feeling, trail, code;
-- columns of composite types: a row of NULLs is not NULL, as for GROUP BY
CREATE TYPE place AS (shelf int, box int);
CREATE TABLE composite (id place, place place, fp simhash, duplicate_of place);
CREATE INDEX composite_index ON composite USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON composite FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=place');
INSERT INTO composite SELECT ROW(1, i)::place, place, '0000000000000000'
FROM (VALUES (1, (NULL, NULL)::place), (2, NULL), (3, (NULL, 1)::place), (4, (1, 1)::place),
             (5, (NULL, NULL)::place), (6, NULL), (7, (1, 1)::place), (8, (NULL, 1)::place)) v (i, place);
SELECT id, place, place IS NOT DISTINCT FROM NULL AS is_null, duplicate_of, coalesce(duplicate_of, id) = first_value(id) OVER (PARTITION BY place ORDER BY id) AS as_group_by FROM composite ORDER BY id;
-- and a row that is recorded as the duplicate of a row of NULLs is no original
INSERT INTO composite VALUES ((0, 0), (2, 2), '0000000000000000', (NULL, NULL));
INSERT INTO composite VALUES ((2, 1), (2, 2), '0000000000000000'), ((2, 2), (2, 2), '0000000000000000') RETURNING id, duplicate_of;
-- (NULL, 1) = (NULL, 1), so an index WHERE place IS NOT NULL does not have all originals
DROP INDEX composite_index;
CREATE INDEX ON composite USING bitblock (fp) WHERE place IS NOT NULL;
INSERT INTO composite VALUES ((3, 1), (1, 1), '0000000000000000');
DROP TABLE composite;
DROP TYPE place;
-- partitions by the tenant; columns of other numbers
CREATE TABLE parts (tenant int, id int, fp simhash, duplicate_of int) PARTITION BY LIST (tenant);
CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1, 2);
CREATE TABLE part2 (gone int, duplicate_of int, fp simhash, id int, tenant int);
ALTER TABLE part2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION part2 DEFAULT;
CREATE INDEX ON parts USING bitblock (tenant, fp);
CREATE TRIGGER original BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=tenant');
INSERT INTO parts VALUES (1, 1, '0000000000000000'), (2, 2, '0000000000000001'), (3, 3, '0000000000000000'), (NULL, 4, '0000000000000000'), (2, 5, '0000000000000000'), (NULL, 6, '0000000000000001')
  RETURNING tableoid::regclass, *;
INSERT INTO part2 (tenant, id, fp) VALUES (3, 7, '0000000000000003') RETURNING *;
DROP TABLE parts;
-- row-level security: the trigger searches the rows of the tenant that the user may see
CREATE ROLE simhash_tenant;
CREATE TABLE secret (tenant int, id int, fp simhash, duplicate_of int);
CREATE INDEX ON secret USING bitblock (tenant, fp);
CREATE TRIGGER original BEFORE INSERT ON secret FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=tenant');
INSERT INTO secret VALUES (1, 1, '0000000000000000'), (2, 2, '0000000000000000');
GRANT SELECT, INSERT ON secret TO simhash_tenant;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secret TO simhash_tenant USING (tenant = current_setting('test.tenant')::int);
SET ROLE simhash_tenant;
SET test.tenant = 2;
BEGIN;
SELECT pg_stat_get_xact_numscans('secret_tenant_fp_idx'::regclass) AS before \gset
INSERT INTO secret VALUES (2, 3, '0000000000000001') RETURNING *;
SELECT pg_stat_get_xact_numscans('secret_tenant_fp_idx'::regclass) - :before AS searches;
COMMIT;
INSERT INTO secret VALUES (1, 4, '0000000000000001') RETURNING *;
RESET ROLE;
RESET test.tenant;
DROP TABLE secret;
DROP ROLE simhash_tenant;
-- another index looks as good while the table is empty: the table grows, and the trigger plans again
CREATE TABLE grows (tenant int, id int, fp bit(256), duplicate_of int);
CREATE INDEX ON grows USING bitblock (tenant, fp);
CREATE INDEX ON grows (tenant);
CREATE TRIGGER original BEFORE INSERT ON grows FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=31', 'equal=tenant');
VACUUM ANALYZE grows;
BEGIN;
INSERT INTO grows SELECT 1, i, bit_from_hex(md5(i::text) || md5(-i || '')) FROM generate_series(1, 3000) i;
SELECT pg_stat_get_xact_tuples_returned('grows_tenant_idx'::regclass) < 1000000 AS few_by_tenant, count(duplicate_of) FROM grows;
COMMIT;
DROP TABLE grows;
-- errors
CREATE TABLE bad (id int, fp simhash, duplicate_of int, tenant int, place point, "Equal" int, mood mood, lang lang, tags int[]);
CREATE INDEX ON bad USING bitblock (fp);
CREATE FUNCTION tried(options text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', %s)', options);
  INSERT INTO bad (id, fp) VALUES (1, '0000000000000000');
END $$;
SELECT tried($$'within=3', 'equal='$$);
SELECT tried($$'within=3', 'equal=tenant,'$$);
SELECT tried($$'within=3', 'equal=tenant id'$$);
SELECT tried($$'within=3', 'equal="tenant'$$);
SELECT tried($$'within=3', 'tenant'$$);
SELECT tried($$'within=3', 'lock', 'lock'$$);
SELECT tried($$'within=3', 'equal=tenant', 'equal="Equal"'$$);
SELECT tried($$'within=3', 'lock', 'equal=tenant', 'lock'$$);
SELECT tried($$'equal=tenant', 3$$);
SELECT tried($$'locked'$$);
SELECT tried($$'within=3', 'equal=Equal'$$);
SELECT tried($$'within=3', 'equal=tenant, ctid'$$);
SELECT tried($$'within=3', 'equal=fp'$$);
SELECT tried($$'within=3', 'equal=duplicate_of'$$);
SELECT tried($$'within=3', 'equal=tenant, id'$$);
SELECT tried($$'within=3', 'equal=tenant, Tenant'$$);
SELECT tried($$'within=3', 'equal=tenant, place'$$);
DROP INDEX bad_fp_idx;
SELECT tried($$'within=3', 'equal=tenant, "Equal"'$$);
-- the hint has columns that bitblock can have
SELECT tried($$'equal=mood, tags, lang, tenant', 'lock'$$);
SELECT tried($$'within=3', 'equal=tenant, "Equal"'$$) FROM bad WHERE false;
DROP TABLE bad;
DROP FUNCTION recorded_within;
DROP TYPE mood;
DROP DOMAIN lang;
DROP FUNCTION tried;
