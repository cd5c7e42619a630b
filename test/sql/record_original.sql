-- simhash_record_original: rows are kept, and say whose near-duplicates they are.

-- What is to be recorded: for each row, in the order of ids, the smallest id of the
-- originals before it within the distance.
CREATE FUNCTION expected_originals(shape text, n int, k int) RETURNS TABLE (id int, duplicate_of int) LANGUAGE plpgsql AS $$
DECLARE
  r record;
  ids int[] := '{}';
  fps simhash[] := '{}';
BEGIN
  FOR r IN SELECT * FROM shaped_fps(shape, n) s ORDER BY s.id LOOP
    id := r.id;
    SELECT min(ids[i]) INTO duplicate_of FROM generate_subscripts(fps, 1) i WHERE (fps[i] <~> r.fp) <= k;
    IF duplicate_of IS NULL THEN
      ids := ids || r.id;
      fps := fps || r.fp;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

CREATE FUNCTION recorded(shape text, n int, k int, index_ddl text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong bigint; duplicates bigint;
BEGIN
  CREATE TABLE docs (id int PRIMARY KEY, fp simhash, duplicate_of int);
  EXECUTE index_ddl;
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', ''within=%s'')', k);
  -- many rows in one command, some in commands of their own
  INSERT INTO docs SELECT * FROM shaped_fps(shape, n) s WHERE s.id <= n - 5 ORDER BY s.id;
  FOR i IN n - 4 .. n LOOP
    INSERT INTO docs SELECT * FROM shaped_fps(shape, n) s WHERE s.id = i;
  END LOOP;
  SELECT count(*) FILTER (WHERE d.duplicate_of IS DISTINCT FROM e.duplicate_of OR d.id IS NULL), count(d.duplicate_of) INTO wrong, duplicates
  FROM expected_originals(shape, n, k) e LEFT JOIN docs d USING (id);
  DROP TABLE docs;
  RETURN format('%s wrong, %s duplicates', wrong, duplicates);
END $$;

SELECT shape, k, recorded(shape, 500, k, 'CREATE INDEX ON docs USING bitblock (fp)') AS bitblock,
       recorded(shape, 500, k, 'CREATE INDEX ON docs USING gist (fp) WHERE duplicate_of IS NULL') AS gist_of_originals
FROM unnest(ARRAY['random', 'equal', 'clusters', 'few bits', 'low bits', 'extremes']) shape, unnest(ARRAY[0, 3, 8, 24, 64]) k;

-- A generated column; COPY; a row that names its original itself; one without words
CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text,
  fp simhash GENERATED ALWAYS AS (simhash(body)) STORED, duplicate_of bigint REFERENCES docs);
CREATE INDEX docs_fp ON docs USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO docs (body) VALUES ('the quick brown fox'), ('The QUICK brown fox!'), ('an altogether different text');
COPY docs (body, duplicate_of) FROM stdin;
the quick, brown fox	\N
yet another of the texts	\N
yet another: of the texts	\N
yet another -- of the texts	3
...	\N
...	\N
\.
SELECT id, body, duplicate_of FROM docs ORDER BY id;
-- the function of a generated column is replaced
CREATE FUNCTION fp_of(text) RETURNS simhash LANGUAGE sql IMMUTABLE AS 'SELECT simhash($1)';
CREATE TABLE others (id int, body text, fp simhash GENERATED ALWAYS AS (fp_of(body)) STORED, duplicate_of int);
CREATE INDEX ON others USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON others FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO others VALUES (1, 'the quick brown fox'), (2, 'The QUICK brown fox!');
CREATE OR REPLACE FUNCTION fp_of(text) RETURNS simhash LANGUAGE sql IMMUTABLE AS 'SELECT minhash($1)';
INSERT INTO others VALUES (3, 'the lazy dog'), (4, 'The LAZY dog!');
SELECT id, body, fp = minhash(body) AS by_new_function, duplicate_of FROM others ORDER BY id;
DROP TABLE others;
DROP FUNCTION fp_of;
-- a duplicate is nobody's original: without number 1 the next one is, of those after it
UPDATE docs SET duplicate_of = NULL WHERE duplicate_of = 1;
DELETE FROM docs WHERE id = 1;
INSERT INTO docs (body) VALUES ('the quick brown fox') RETURNING id, duplicate_of;

-- The plan made for a small table is by the index, and goes on so while the table grows
CREATE TABLE grows (id int, fp simhash, duplicate_of int);
CREATE INDEX ON grows USING bitblock (fp);
CREATE INDEX ON grows (id);
CREATE TRIGGER original BEFORE INSERT ON grows FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3');
INSERT INTO grows VALUES (-1, 'ffffffffffffffff');
VACUUM ANALYZE grows;
BEGIN;
INSERT INTO grows SELECT i, random_fp((i % 2500)::text) FROM generate_series(1, 5000) i;
SELECT idx_scan >= 5000 AS each_by_index FROM pg_stat_xact_user_tables WHERE relname = 'grows';
SELECT count(*), count(duplicate_of), count(*) FILTER (WHERE duplicate_of = id - 2500) AS right FROM grows;
ROLLBACK;

-- With an index of originals only, copies of a text are not met again by each search
CREATE TABLE copies (id int, fp simhash, duplicate_of int);
CREATE INDEX ON copies USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON copies FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3');
BEGIN;
INSERT INTO copies SELECT i, '0123456789abcdef' FROM generate_series(1, 3000) i;
SELECT idx_scan AS searches, idx_tup_fetch AS rows_met FROM pg_stat_xact_user_tables WHERE relname = 'copies';
SELECT count(*), count(duplicate_of), min(duplicate_of), max(duplicate_of) FROM copies;
COMMIT;
DROP TABLE copies;

-- Changes that the kept plan must notice
INSERT INTO grows VALUES (1, '0000000000000000'), (2, '0000000000000001') RETURNING *;
ALTER TABLE grows ADD COLUMN first text DEFAULT 'x';
ALTER TABLE grows RENAME fp TO fingerprint;
INSERT INTO grows VALUES (3, '0000000000000003');
DROP TRIGGER original ON grows;
CREATE TRIGGER original BEFORE INSERT ON grows FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fingerprint', 'duplicate_of', 'id', 'within=1');
INSERT INTO grows VALUES (3, '0000000000000003') RETURNING *;
ALTER TABLE grows DROP COLUMN duplicate_of;
INSERT INTO grows VALUES (4, '0000000000000003');
ALTER TABLE grows ADD COLUMN duplicate_of int;
INSERT INTO grows VALUES (4, '0000000000000003') RETURNING *;
ALTER TABLE grows ALTER id TYPE bigint, ALTER duplicate_of TYPE bigint;
INSERT INTO grows VALUES (5000000000, '00000000000000ff'), (5000000001, '00000000000000fe') RETURNING *;
CREATE SCHEMA moved;
ALTER EXTENSION simhash SET SCHEMA moved;
INSERT INTO grows VALUES (5000000002, '00000000000000fe') RETURNING *;
ALTER SCHEMA moved RENAME TO renamed;
INSERT INTO grows VALUES (5000000003, '00000000000000fe') RETURNING *;
ALTER EXTENSION simhash SET SCHEMA public;
DROP SCHEMA renamed;
DROP INDEX grows_fp_idx;
INSERT INTO grows VALUES (5000000004, '00000000000000fe') RETURNING *;
DROP TABLE grows;

-- Any type of id, domains; names that need quotes; a search_path without the extension
CREATE SCHEMA "Odd ""one";
CREATE TABLE "Odd ""one"."My docs" ("Id" text COLLATE "C" PRIMARY KEY, "F p" simhash, "Of" text);
CREATE INDEX ON "Odd ""one"."My docs" USING bitblock ("F p");
CREATE TRIGGER original BEFORE INSERT ON "Odd ""one"."My docs" FOR EACH ROW EXECUTE FUNCTION simhash_record_original('F p', 'Of', 'Id', 'within=8');
ALTER TABLE "Odd ""one"."My docs" DROP CONSTRAINT "My docs_pkey";
CREATE DOMAIN "Odd ""one".name AS text COLLATE "C" CHECK (VALUE <> '');
CREATE DOMAIN "Odd ""one".print AS simhash;
ALTER TABLE "Odd ""one"."My docs" ALTER "Id" TYPE "Odd ""one".name, ALTER "Of" TYPE "Odd ""one".name, ALTER "F p" TYPE "Odd ""one".print;
SET search_path = pg_temp;
INSERT INTO "Odd ""one"."My docs" VALUES ('b', '0000000000000000'), ('a', '00000000000001ff'), ('c', '000000000000000f') RETURNING "Id", "Of";
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA "Odd ""one" CASCADE;
RESET client_min_messages;

-- Partitions: the whole table is searched, also from a partition of other column numbers
CREATE TABLE parts (id int, fp simhash, duplicate_of int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE part2 (gone int, duplicate_of int, fp simhash, id int);
ALTER TABLE part2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION part2 FOR VALUES FROM (10) TO (20);
CREATE INDEX ON parts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock');
INSERT INTO parts VALUES (1, '0000000000000000'), (11, '0000000000000007'), (12, '000000000000000f'), (2, '00000000000000ff') RETURNING tableoid::regclass, *;
INSERT INTO part2 (id, fp) VALUES (13, '0000000000000001') RETURNING *;
SELECT locktype, classid::regclass, mode FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_trigger'::regclass;
BEGIN;
INSERT INTO parts VALUES (3, '0000000000000000');
INSERT INTO part2 (id, fp) VALUES (14, '0000000000000001');
SELECT locktype, classid::regclass, objid = (SELECT oid FROM pg_trigger WHERE tgrelid = 'parts'::regclass) AS of_the_root, mode FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_trigger'::regclass;
COMMIT;
DROP TABLE parts;

-- Inheritance: the whole tree is searched, also from a child table, which has a trigger of its own
CREATE TABLE tree (id int, fp simhash, duplicate_of int);
CREATE TABLE branch (duplicate_of int, gone int, fp simhash, id int);
ALTER TABLE branch DROP COLUMN gone;
ALTER TABLE branch INHERIT tree;
CREATE TABLE twig () INHERITS (branch);
CREATE FUNCTION grow(name text, arguments text DEFAULT $$'fp', 'duplicate_of', 'id', 'within=3', 'lock'$$) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE INDEX ON %I USING bitblock (fp) WHERE duplicate_of IS NULL', name);
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION simhash_record_original(%s)', name, arguments);
END $$;
SELECT grow(name) FROM unnest(ARRAY['tree', 'branch']) name;
INSERT INTO tree VALUES (1, '0000000000000000');
SELECT grow('twig');
INSERT INTO tree VALUES (1, '0000000000000000') RETURNING tableoid::regclass, *;
BEGIN;
INSERT INTO twig (id, fp) VALUES (2, '0000000000000001'), (3, '000000000000ffff') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO branch (id, fp) VALUES (4, '0000000000000003'), (5, '00000000000fffff'), (6, '000000000000ffff') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO tree VALUES (7, '00000000000fffff') RETURNING tableoid::regclass, id, duplicate_of;
SELECT classid::regclass, (SELECT tgrelid::regclass FROM pg_trigger t WHERE t.oid = objid), mode FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_trigger'::regclass;
SELECT relname, idx_scan >= 6 AS each_by_index FROM pg_stat_xact_user_tables WHERE relname IN ('tree', 'branch', 'twig') ORDER BY 1;
COMMIT;
-- a child table that comes, and one that goes
CREATE TABLE bud () INHERITS (tree);
INSERT INTO tree VALUES (8, '0000000000000000');
SELECT grow('bud');
INSERT INTO bud VALUES (8, '0000000000000000'), (9, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO twig (id, fp) VALUES (10, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
ALTER TABLE bud NO INHERIT tree;
INSERT INTO twig (id, fp) VALUES (11, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO bud VALUES (12, '0000000000000000'), (13, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
-- of two parents with the trigger neither is the right one; one with another trigger is not searched
CREATE TABLE graft () INHERITS (bud, tree);
SELECT grow('graft');
INSERT INTO graft VALUES (14, '0000000000000000');
ALTER TRIGGER original ON bud RENAME TO others;
INSERT INTO graft VALUES (14, '0000000000000000');
DROP TRIGGER others ON bud;
INSERT INTO graft VALUES (14, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
-- a parent without the trigger, whose own parent has it
DROP TRIGGER original ON twig;
CREATE TABLE shoot () INHERITS (twig);
SELECT grow('shoot');
INSERT INTO shoot (id, fp) VALUES (14, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
DROP TABLE shoot;
SELECT grow('bud');
DROP TRIGGER original ON tree;
SELECT grow('tree', $$'fp', 'duplicate_of', 'id', 'within=4'$$);
INSERT INTO graft VALUES (15, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO branch (id, fp) VALUES (16, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
DROP TABLE tree, branch, twig, bud, graft;
DROP FUNCTION grow;

-- The index must serve the search: its first column is the fingerprint, and its predicate
-- follows from what is searched
CREATE TABLE served (id int, fp simhash, duplicate_of int);
CREATE TRIGGER original BEFORE INSERT ON served FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3');
CREATE FUNCTION served_by(definition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE searches bigint;
BEGIN
  EXECUTE 'CREATE INDEX served_by ON served USING ' || definition;
  IF definition ~ '^bitblock \(fp\)$' THEN
    UPDATE pg_index SET indisvalid = current_setting('test.valid')::boolean WHERE indexrelid = 'served_by'::regclass;
  END IF;
  INSERT INTO served SELECT i, '0000000000000000' FROM generate_series(1, 3) i;
  SELECT idx_scan INTO searches FROM pg_stat_xact_user_tables WHERE relname = 'served';
  RAISE EXCEPTION '%', (SELECT count(duplicate_of) FROM served) || ' duplicates, by index ' || searches USING ERRCODE = '12345';
EXCEPTION
  WHEN SQLSTATE '12345' OR SQLSTATE '55000' THEN
    RETURN SQLERRM;
END $$;
SET test.valid = 'true';
SELECT d AS definition, served_by(d) FROM unnest(ARRAY[
  'bitblock (fp)', 'bitblock (fp) WHERE duplicate_of IS NULL', 'gist (fp) WHERE duplicate_of IS NULL AND fp IS NOT NULL', 'gist (fp, int4range(id, id, ''[]''))',
  'bitblock (fp) WHERE id < 0', 'bitblock (fp) WHERE id > 0 AND duplicate_of IS NULL', 'bitblock (fp) WHERE duplicate_of IS NOT NULL', 'gist (fp) WHERE duplicate_of > 0 OR id IS NULL',
  'gist (int4range(id, id, ''[]''), fp)', 'bitblock (exclusive_or(fp, fp))', 'bitblock (simhash_ball(fp, 8))']) d;
SET test.valid = 'false';
SELECT served_by('bitblock (fp)');
RESET test.valid;
DROP TABLE served;
DROP FUNCTION served_by;

-- The plan is compiled by no JIT, however dear it is
SELECT 'jit=off' = ANY (proconfig) AS without_jit FROM pg_proc WHERE proname = 'simhash_record_original';

-- An upsert makes no row a duplicate of itself, and the next one finds it
CREATE TABLE upserts (id int PRIMARY KEY, fp simhash, duplicate_of int);
CREATE INDEX ON upserts USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO upserts VALUES (5, '0000000000000000'), (7, '00000000ffffffff');
PREPARE upsert (int, simhash) AS INSERT INTO upserts VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, duplicate_of = excluded.duplicate_of RETURNING *;
EXECUTE upsert (5, '0000000000000000');
EXECUTE upsert (5, '0000000000000001');
EXECUTE upsert (6, '0000000000000001');
EXECUTE upsert (6, '0000000000000003');
EXECUTE upsert (7, '0000000000000007');
EXECUTE upsert (7, '0000000000000007');
EXECUTE upsert (7, '00000000ffffffff');
-- the equality of the type, whatever the search_path says
CREATE SCHEMA decoy;
CREATE FUNCTION decoy.never(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE OPERATOR decoy.= (LEFTARG = int, RIGHTARG = int, FUNCTION = decoy.never);
SET search_path = decoy, pg_catalog, public;
CREATE INDEX ON upserts (fp);
EXECUTE upsert (5, '0000000000000001');
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA decoy CASCADE;
RESET client_min_messages;
DROP TABLE upserts;
DEALLOCATE upsert;
-- ids of other types; one that is generated; none
CREATE FUNCTION upserted(type text, ids text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  EXECUTE format('CREATE TABLE upserts (id %s PRIMARY KEY, fp simhash, duplicate_of %1$s)', type);
  CREATE INDEX ON upserts USING bitblock (fp);
  CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
  FOR i IN 1..6 LOOP
    EXECUTE format('INSERT INTO upserts VALUES (%L, ''0000000000000000'') ON CONFLICT (id) DO UPDATE SET duplicate_of = excluded.duplicate_of', ids[1 + i % 2]);
  END LOOP;
  EXECUTE 'SELECT string_agg(id::text || '' of '' || coalesce(duplicate_of::text, ''none''), '', '' ORDER BY id) FROM upserts' INTO result;
  DROP TABLE upserts;
  RETURN result;
END $$;
SELECT type, upserted(type, ids) FROM (VALUES ('bigint', '{1,2}'::text[]), ('text COLLATE "C"', '{a,b}'), ('varchar(5)', '{a,b}'), ('char(5)', '{a,b}'), ('numeric', '{1.0,2}'),
  ('uuid', '{00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002}'), ('int[]', '{"{1,2}","{2,1}"}'), ('int4range', '{"[1,2)","[2,3)"}'), ('oid', '{1,2}')) v(type, ids);
DROP FUNCTION upserted;
CREATE TABLE upserts (id text GENERATED ALWAYS AS (upper(body)) STORED PRIMARY KEY, body text, fp simhash, duplicate_of text);
CREATE INDEX ON upserts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO upserts (body, fp) VALUES ('b', '0000000000000000');
INSERT INTO upserts (body, fp) VALUES ('b', '0000000000000001') ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, duplicate_of = excluded.duplicate_of RETURNING *;
INSERT INTO upserts (body, fp) VALUES ('c', '0000000000000001') ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, duplicate_of = excluded.duplicate_of RETURNING *;
DROP TABLE upserts;
CREATE TABLE upserts (id int, fp simhash, duplicate_of int);
CREATE INDEX ON upserts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO upserts VALUES (1, '0000000000000000'), (NULL, '0000000000000000') RETURNING *;
DROP TABLE upserts;

-- MERGE, where there is one, and a row that an UPDATE moves to another partition
CREATE TABLE moves (id int, part int, fp simhash, duplicate_of int) PARTITION BY LIST (part);
CREATE TABLE moves1 PARTITION OF moves FOR VALUES IN (1);
CREATE TABLE moves2 PARTITION OF moves FOR VALUES IN (2);
CREATE INDEX ON moves USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON moves FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
DO $$
BEGIN
  EXECUTE CASE WHEN current_setting('server_version_num')::int >= 150000
    THEN 'MERGE INTO moves m USING (SELECT i FROM generate_series(1, 4) i ORDER BY i) s ON m.id = s.i WHEN NOT MATCHED THEN INSERT (id, part, fp) VALUES (i, 1 + i % 2, random_fp((i % 3)::text))'
    ELSE 'INSERT INTO moves (id, part, fp) SELECT i, 1 + i % 2, random_fp((i % 3)::text) FROM generate_series(1, 4) i' END;
END $$;
SELECT array_agg(part ORDER BY id) AS parts, count(duplicate_of), (SELECT count(*) FROM moves d JOIN moves o ON d.duplicate_of = o.id AND d.fp = o.fp AND o.duplicate_of IS NULL) AS right FROM moves;
UPDATE moves SET part = 3 - part;
SELECT array_agg(part ORDER BY id) AS parts, count(duplicate_of), (SELECT count(*) FROM moves d JOIN moves o ON d.duplicate_of = o.id AND d.fp = o.fp AND o.duplicate_of IS NULL) AS right FROM moves;
DROP TABLE moves;

-- A trigger that is replaced
CREATE TABLE replaced (id int, fp simhash, duplicate_of int);
CREATE INDEX ON replaced USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON replaced FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3');
INSERT INTO replaced VALUES (1, '0000000000000000'), (2, '00000000000000ff') RETURNING *;
CREATE OR REPLACE TRIGGER original BEFORE INSERT ON replaced FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=8');
INSERT INTO replaced VALUES (3, '00000000000000ff') RETURNING *;
DROP TABLE replaced;

-- Memory: one plan for all partitions, and none of triggers that are gone, also if their
-- table was made in a transaction that failed
CREATE FUNCTION plans() RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND ident ~ '^SELECT .* OFFSET 0' $$;
CREATE TABLE many (id int, fp simhash GENERATED ALWAYS AS (lpad(to_hex(id), 16, '0')::simhash) STORED, duplicate_of int) PARTITION BY LIST (id);
DO $$ BEGIN FOR i IN 1..30 LOOP EXECUTE format('CREATE TABLE many%s PARTITION OF many FOR VALUES IN (%1$s, -%1$s)', i); END LOOP; END $$;
CREATE INDEX ON many USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON many FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=0');
INSERT INTO many (id) VALUES (1);
SELECT plans() AS before \gset
INSERT INTO many (id) SELECT i FROM generate_series(2, 30) i;
SELECT plans() <= :before AS shared, count(*), count(duplicate_of) FROM many;
DROP TABLE many;
CREATE FUNCTION come_and_go(rounds int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint;
BEGIN
  FOR i IN 1..rounds LOOP
    IF i = 3 THEN
      before := plans();
    END IF;
    BEGIN
      CREATE TABLE comes (id int, fp simhash, duplicate_of int);
      CREATE INDEX ON comes USING bitblock (fp);
      CREATE TRIGGER original BEFORE INSERT ON comes FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=0');
      EXECUTE 'INSERT INTO comes VALUES (1, ''0000000000000000'')';
      IF i % 3 = 0 THEN
        RAISE division_by_zero;
      ELSIF i % 3 = 1 THEN
        DROP TRIGGER original ON comes;
        EXECUTE 'INSERT INTO comes VALUES (1, ''0000000000000000'')';
      END IF;
      DROP TABLE comes;
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
  END LOOP;
  RETURN plans() - before;
END $$;
SELECT come_and_go(30) <= 1 AS freed;
DROP FUNCTION come_and_go;
-- a plan for each set of columns that are NULL, but not more than a session keeps
CREATE TABLE sparse (id int GENERATED ALWAYS AS IDENTITY, fp simhash, c1 int, c2 int, c3 int, c4 int, c5 int, c6 int, c7 int, duplicate_of int);
CREATE INDEX ON sparse USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON sparse FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=0', 'equal=c1, c2, c3, c4, c5, c6, c7');
CREATE VIEW all_nulls (fp, c1, c2, c3, c4, c5, c6, c7) AS SELECT '0000000000000000'::simhash, nullif(i & 1, 0), nullif(i & 2, 0), nullif(i & 4, 0), nullif(i & 8, 0), nullif(i & 16, 0), nullif(i & 32, 0), nullif(i & 64, 0) FROM generate_series(0, 127) i;
INSERT INTO sparse (fp, c1, c2, c3, c4, c5, c6, c7) TABLE all_nulls;
SELECT plans() AS kept;
INSERT INTO sparse (fp, c1, c2, c3, c4, c5, c6, c7) TABLE all_nulls;
SELECT plans() AS kept, count(*), count(*) FILTER (WHERE duplicate_of = id - 128) AS right FROM sparse;

-- A search that inserts rows itself, through a policy, and so has plans freed and its own
-- made invalid while it is executed, when it is also the one used longest ago; and one that fails
CREATE ROLE simhash_nested;
CREATE TABLE outside (id int, fp simhash, duplicate_of int);
CREATE TABLE inner1 (id int, fp simhash, duplicate_of int);
CREATE TABLE inner2 (id int, fp simhash, duplicate_of int);
CREATE INDEX ON outside USING bitblock (fp); CREATE INDEX ON inner1 USING bitblock (fp); CREATE INDEX ON inner2 USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON outside FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
CREATE TRIGGER original BEFORE INSERT ON inner1 FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
CREATE TRIGGER original BEFORE INSERT ON inner2 FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
CREATE SEQUENCE calls;
CREATE FUNCTION nested() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  n int := nextval('calls');
BEGIN
  IF current_setting('test.depth')::int > 0 THEN
    PERFORM set_config('test.depth', (current_setting('test.depth')::int - 1)::text, false);
    INSERT INTO inner1 VALUES (2 * n, '0000000000000000');
    PERFORM make_invalid();
    INSERT INTO inner2 VALUES (n, '0000000000000000');
    INSERT INTO inner1 VALUES (2 * n + 1, '0000000000000000');
    INSERT INTO sparse (fp, c1, c2, c3, c4, c5, c6, c7) TABLE all_nulls;
    INSERT INTO outside VALUES (n + 100, '0000000000000000');
  END IF;
  RETURN 1 / current_setting('test.divisor')::int = 1;
END $$;
CREATE FUNCTION make_invalid() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'ANALYZE outside, inner1';
GRANT ALL ON outside, inner1, inner2, sparse, all_nulls, calls TO simhash_nested;
ALTER TABLE outside ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON outside FOR SELECT TO simhash_nested USING (nested());
CREATE POLICY add ON outside FOR INSERT TO simhash_nested WITH CHECK (true);
INSERT INTO outside VALUES (1, '0000000000000000');
SET client_min_messages = error;
SET ROLE simhash_nested;
SET test.depth = 4; SET test.divisor = 1;
INSERT INTO outside VALUES (2, '0000000000000000');
SET test.divisor = 0;
INSERT INTO outside VALUES (3, '0000000000000000');
RESET ROLE;
RESET client_min_messages;
ALTER TABLE outside RENAME TO outdoors;
SET ROLE simhash_nested;
SET test.divisor = 1;
INSERT INTO outdoors VALUES (3, '0000000000000000');
RESET ROLE;
SELECT id, duplicate_of FROM outdoors ORDER BY id;
SELECT count(*), count(duplicate_of) FROM inner1;
SELECT count(*), count(duplicate_of) FROM inner2;
DROP VIEW all_nulls;
DROP TABLE outdoors, inner1, inner2, sparse;
ANALYZE docs;
INSERT INTO docs (body) VALUES ('yet another of the texts');
SELECT plans() <= 1 AS freed;
DROP FUNCTION nested, make_invalid, plans;
DROP SEQUENCE calls;
DROP ROLE simhash_nested;
RESET test.depth; RESET test.divisor;

-- Who inserts must be allowed to see what is there
CREATE ROLE simhash_inserter;
GRANT INSERT ON docs TO simhash_inserter;
SET ROLE simhash_inserter;
INSERT INTO docs (body) VALUES ('the quick brown fox');
RESET ROLE;
GRANT SELECT ON docs TO simhash_inserter;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY later ON docs FOR SELECT TO simhash_inserter USING (id > 10);
CREATE POLICY anything ON docs FOR INSERT TO simhash_inserter WITH CHECK (true);
INSERT INTO docs (body) VALUES ('the quick brown fox') RETURNING duplicate_of AS of_all;
SET ROLE simhash_inserter;
INSERT INTO docs (body) VALUES ('the quick brown fox') RETURNING duplicate_of AS of_visible;
RESET ROLE;
REVOKE ALL ON docs FROM simhash_inserter;
DROP POLICY later ON docs; DROP POLICY anything ON docs;
DROP ROLE simhash_inserter;

-- Errors
SELECT simhash_record_original();
CREATE TABLE bad (id int, fp simhash, place point, near point, body text, gen int GENERATED ALWAYS AS (id) STORED, duplicate_of int, far bigint, code varchar(9), short varchar(5));
CREATE FUNCTION tried(arguments text, event text DEFAULT 'BEFORE INSERT', level text DEFAULT 'ROW') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER original %s ON bad FOR EACH %s EXECUTE FUNCTION simhash_record_original(%s)', event, level, arguments);
  INSERT INTO bad (id, fp) VALUES (1, '0000000000000000');
  UPDATE bad SET id = 2;
END $$;
SELECT tried('');
SELECT tried('''fp'', ''duplicate_of''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3'', ''lock'', 1');
-- columns in the wrong order: the column that the trigger sets must allow NULL
ALTER TABLE bad ALTER id SET NOT NULL;
SELECT tried('''fp'', ''id'', ''duplicate_of''');
ALTER TABLE bad ALTER id DROP NOT NULL;
SELECT tried('''fpp'', ''duplicate_of'', ''id''');
SELECT tried('''fp'', ''duplicat_of'', ''id''');
SELECT tried('''fp'', ''duplicate_of'', ''ctid''');
SELECT tried('''body'', ''duplicate_of'', ''id''');
SELECT tried('''fp'', ''far'', ''id''');
SELECT tried('''fp'', ''short'', ''code''');
SELECT tried('''fp'', ''gen'', ''id''');
SELECT tried('''fp'', ''id'', ''id''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=65''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=-1''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3 bits''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3 ''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within= 3''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''lock''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=+3''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3'', ''within=3''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', 3');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''3'', ''lock''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''3 bits''');
\set VERBOSITY sqlstate
SELECT tried('''fp'', ''duplicate_of'', ''id'', 3');
\set VERBOSITY default
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=99999999999999999999''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3'', ''locked''');
SELECT tried('''fp'', ''duplicate_of'', ''id''');
CREATE INDEX ON bad (fp);
SELECT tried('''fp'', ''duplicate_of'', ''id''');
CREATE INDEX ON bad USING bitblock (fp);
SELECT tried('''fp'', ''near'', ''place''');
ALTER TABLE bad ALTER near TYPE xid USING NULL, ALTER place TYPE xid USING NULL;
SELECT tried('''fp'', ''near'', ''place'', ''confirm=body''');
SELECT tried('''fp'', ''duplicate_of'', ''id''', 'AFTER INSERT');
SELECT tried('''fp'', ''duplicate_of'', ''id''', 'BEFORE INSERT', 'STATEMENT');
SELECT tried('''fp'', ''duplicate_of'', ''id''', 'BEFORE UPDATE');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3'', ''lock''');
SELECT tried('''fp'', ''duplicate_of'', ''id'', ''within=3''') FROM bad WHERE false;
DROP TABLE bad, docs;
DROP FUNCTION expected_originals, recorded, tried;

-- Bit strings: of a type with a length, of a domain over such a type, of varying length, generated
CREATE FUNCTION recorded_bits(type text, arguments text, k int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  originals int[] := '{}';
  original int;
  wrong int := 0;
  duplicates int := 0;
BEGIN
  EXECUTE format('CREATE TABLE images (id int PRIMARY KEY, hex text, b %s, duplicate_of int)', type);
  CREATE INDEX ON images USING bitblock (b) WITH (bits = 128) WHERE duplicate_of IS NULL;
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON images FOR EACH ROW EXECUTE FUNCTION simhash_record_original(%s)', arguments);
  IF type ~ 'GENERATED' THEN
    INSERT INTO images (id, hex) SELECT id, fp || lpad((id % 3)::text, 16, '0') FROM shaped_fps('clusters', 300);
  ELSE
    INSERT INTO images (id, b) SELECT id, fp::bit(64) || (id % 3)::bit(64) FROM shaped_fps('clusters', 300);
  END IF;
  FOR r IN SELECT id, b, duplicate_of FROM images ORDER BY id LOOP
    SELECT min(i.id) INTO original FROM images i WHERE i.id = ANY (originals) AND length(replace((i.b # r.b)::text, '0', '')) <= k;
    IF original IS NULL THEN
      originals := originals || r.id;
    END IF;
    wrong := wrong + (original IS DISTINCT FROM r.duplicate_of)::int;
    duplicates := duplicates + (original IS NOT NULL)::int;
  END LOOP;
  DROP TABLE images;
  RETURN format('%s wrong, %s duplicates', wrong, duplicates);
END $$;
CREATE DOMAIN hash128 AS bit(128);
SELECT k, recorded_bits('bit(128)', format($$'b', 'duplicate_of', 'id', 'within=%s'$$, k), k) AS fixed,
       recorded_bits('bit varying', format($$'b', 'duplicate_of', 'id', 'within=%s', 'lock'$$, k), k) AS varying
FROM unnest(ARRAY[0, 3, 8, 70, 128]) k;
SELECT recorded_bits('bit(128)', $$'b', 'duplicate_of', 'id'$$, 10) AS fixed, recorded_bits('hash128', $$'b', 'duplicate_of', 'id'$$, 10) AS domain,
       recorded_bits('bit(128) GENERATED ALWAYS AS (bit_from_hex(hex)) STORED', $$'b', 'duplicate_of', 'id', 'within=5'$$, 5) AS generated;
SELECT recorded_bits('bit(128)', $$'b', 'duplicate_of', 'id', 'within=129'$$, 0);
SELECT recorded_bits('bit varying', $$'b', 'duplicate_of', 'id'$$, 0);
SELECT recorded_bits('bit varying', $$'b', 'duplicate_of', 'id', 'within=2147483648'$$, 0);
CREATE TABLE images (id int, b bit varying, duplicate_of int);
CREATE INDEX ON images USING bitblock (b) WITH (bits = 64);
CREATE TRIGGER original BEFORE INSERT ON images FOR EACH ROW EXECUTE FUNCTION simhash_record_original('b', 'duplicate_of', 'id', 'within=3');
INSERT INTO images VALUES (1, x'0123456789abcdef'), (2, NULL), (3, x'0123456789abcdee');
INSERT INTO images VALUES (4, x'01');
SELECT id, duplicate_of FROM images ORDER BY id;
DROP TABLE images;
DROP DOMAIN hash128;
DROP FUNCTION recorded_bits;

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

-- The option "confirm": a near original is the row's original only if their texts are the same
-- document.  Manuals of one template stay originals, and revisions are marked.
CREATE TABLE manuals (id int PRIMARY KEY, title varchar(20), body text, fp simhash DEFAULT '0000000000000000', duplicate_of int);
CREATE INDEX ON manuals USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON manuals FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'confirm=title, body');
INSERT INTO manuals VALUES (1, 'sin', 'sin(x) is the sine of x. Link sin by -lm. See also cos.'), (2, 'cos', 'cos(x) is the cosine of x. Link cos by -lm. See also sin.'),
  (3, 'sin', 'sin(x) is the sine of x. Link sin by -lm. See also cos, tan.'), (4, 'COS', 'COS(x): is the cosine of x; link COS by -lm; see also sin'),
  (5, 'tan', 'tan(x) is the tangent of x. Link tan by -lm. See also sin.'), (6, 'cos', 'cos(x) is the cosine of x. Link cos by -lm. See also the sine: sin.') RETURNING id, title, duplicate_of;
COPY manuals (id, title, body) FROM stdin;
7	tan	tan(x) is the tangent of x. Link tan by -lm. See also sin and cos.
8	exp	exp(x) is e to the power of x. Link exp by -lm. See also log.
9	exp	exp(x) is e to the power of x. Link exp by -lm. See also log and pow.
\.
INSERT INTO manuals (id, title, body) SELECT id + 9, title, upper(body) FROM manuals ORDER BY id;
SELECT id, title, duplicate_of FROM manuals WHERE id > 6 ORDER BY id;
-- NULL is an empty text
INSERT INTO manuals VALUES (30, NULL, 'exp exp(x) is e to the power of x. Link exp by -lm.'), (31, 'exp exp(x) is e', 'to the power of x. Link exp by -lm.'), (32, 'log log log', NULL), (33, NULL, 'log log log'),
  (34, NULL, NULL), (35, '', ' ') RETURNING id, title, body, duplicate_of;
-- the smallest id of those that are confirmed: 3 is a revision of 1 and of 2, but 1 is none of 2
TRUNCATE manuals;
INSERT INTO manuals VALUES (2, 'cat', 'dog on the deck of the old ferry at noon'), (1, 'cow', 'dog on the deck of the old ferry at noon'), (3, 'cow', 'cat dog on the deck of the old ferry at noon'), (4, 'cat', 'dog on the deck of the old ferry at noon!'), (5, 'dog', 'dog dog on the deck of the old ferry at noon') RETURNING id, duplicate_of;
-- an original that is too far; and upserts
INSERT INTO manuals VALUES (6, 'cow', 'cow dog on the deck of the old ferry at noon', '00000000000007ff') RETURNING id, duplicate_of;
INSERT INTO manuals VALUES (2, 'cow', 'cat dog on the deck of the old ferry at noon'), (1, 'cow', 'cow cow dog on the deck of the old ferry at noon') ON CONFLICT (id) DO UPDATE SET body = excluded.body, duplicate_of = excluded.duplicate_of RETURNING id, duplicate_of;
-- the original is among many siblings, whose texts are stored out of line
TRUNCATE manuals;
ALTER TABLE manuals ALTER body SET STORAGE EXTERNAL;
INSERT INTO manuals SELECT i, 'manual' || i, repeat(format('manual%s is a command. ', i), 200) FROM generate_series(1, 60) i;
SELECT count(*), count(duplicate_of) FROM manuals;
INSERT INTO manuals SELECT 100 + id, title, body || 'It has no options.' FROM manuals WHERE id IN (1, 15, 16, 17, 32, 33, 60) ORDER BY id RETURNING id, duplicate_of;
INSERT INTO manuals VALUES (200, 'manual61', repeat('manual61 is a command. ', 200)) RETURNING id, duplicate_of;
-- the user must be allowed to read the texts, and may see some originals only
CREATE ROLE simhash_reader;
GRANT INSERT, SELECT (id, fp, duplicate_of) ON manuals TO simhash_reader;
SET ROLE simhash_reader;
INSERT INTO manuals VALUES (201, 'manual1', repeat('manual1 is a command. ', 200));
RESET ROLE;
GRANT SELECT ON manuals TO simhash_reader;
ALTER TABLE manuals ENABLE ROW LEVEL SECURITY;
CREATE POLICY later ON manuals FOR SELECT TO simhash_reader USING (id > 1);
CREATE POLICY anything ON manuals FOR INSERT TO simhash_reader WITH CHECK (true);
SET ROLE simhash_reader;
INSERT INTO manuals VALUES (201, 'manual1', repeat('manual1 is a command. ', 200)), (202, 'manual2', repeat('manual2 is a command. ', 200)) RETURNING id, duplicate_of;
RESET ROLE;
-- a column that is renamed
ALTER TABLE manuals RENAME body TO contents;
INSERT INTO manuals VALUES (300, 'exp', 'exp');
DROP TABLE manuals;
DROP ROLE simhash_reader;
-- with each option: recorded are the smallest ids of the originals within the distance that are the same document
CREATE FUNCTION titles_agree(a text, b text) RETURNS boolean LANGUAGE sql AS $$
  SELECT NOT coalesce(bool_or(in_a IS NULL) AND bool_or(in_b IS NULL), false) AND 5 * count(*) FILTER (WHERE in_a = in_b) >= 3 * count(*)
  FROM (SELECT DISTINCT unnest(regexp_matches(lower(a), '\w+', 'g')) AS in_a) a FULL JOIN (SELECT DISTINCT unnest(regexp_matches(lower(b), '\w+', 'g')) AS in_b) b ON in_a = in_b
$$;
CREATE FUNCTION recorded_revisions(arguments text, numbers bool, k int DEFAULT 3, type text DEFAULT 'simhash') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  original int;
  near boolean;
  wrong int := 0;
  duplicates int := 0;
  siblings int := 0;
BEGIN
  EXECUTE format('CREATE TABLE pages (id int PRIMARY KEY, tenant int, title char(9), body text, whole text GENERATED ALWAYS AS (coalesce(title, '''') || '' '' || body) STORED, fp %s, duplicate_of int)', type);
  CREATE INDEX ON pages USING bitblock (fp) WHERE duplicate_of IS NULL;
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON pages FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', %s)', arguments);
  -- few different words, so that first changes from 0 to 4 are frequent; every other text is long
  -- and few different titles, if they are compared
  EXECUTE format($q$INSERT INTO pages (id, tenant, title, body, fp) SELECT id, nullif(id %% 3, 0), %s,
    repeat('the harbour ', id %% 2 * 15) || (SELECT string_agg(chr(97 + (hashint4(id * 10 + i) & 3)), ' ') FROM generate_series(1, 4 - id %% 2 * 2 + (hashint4(id) & 3)) i) || ' ' || (hashint4(id) & 1), %s FROM shaped_fps('clusters', 600) ORDER BY id$q$,
    CASE WHEN arguments ~ 'title=' THEN $q$(ARRAY['a', 'a b', 'A, B', 'a b c', 'b a d', 'a b c d', '', NULL])[1 + (hashint4(-id) & 7)]$q$ ELSE $q$'a'$q$ END,
    CASE WHEN type ~ 'bit' THEN 'fp::bit(64) || fp::bit(64)' ELSE 'fp' END);
  FOR r IN SELECT * FROM pages ORDER BY id LOOP
    WITH near AS (SELECT p.id, p.whole, simhash_copy_key(p.whole) = simhash_copy_key(r.whole) AS copy, simhash_same_document(p.whole, r.whole, recorded_revisions.numbers) AS same FROM pages p
    WHERE p.id < r.id AND p.duplicate_of IS NULL AND length(replace((p.fp::bit varying # r.fp::bit varying)::text, '0', '')) <= k
      AND (arguments !~ 'tenant' OR p.tenant IS NOT DISTINCT FROM r.tenant) AND (arguments !~ 'title=' OR titles_agree(p.title, r.title))),
    copies AS (SELECT min(id) AS id FROM near WHERE copy),
    -- the first versions show slots: places at which they and the new text continue in three ways
    versions AS (SELECT near.* FROM near, copies WHERE same AND NOT coalesce(near.id >= copies.id, false) ORDER BY id LIMIT 3),
    partings AS (SELECT id, v.numbers, p.* FROM versions, (VALUES (true), (false)) v (numbers), parting(reading(r.whole, v.numbers), reading(whole, v.numbers)) p),
    slots AS (SELECT p.numbers, context FROM partings p, unnest(follow) f GROUP BY 1, 2 HAVING count(DISTINCT f) > 2)
    SELECT coalesce((SELECT min(id) FROM versions WHERE id NOT IN (SELECT id FROM partings p JOIN slots s USING (numbers, context))), (SELECT id FROM copies)), EXISTS (SELECT FROM near) INTO original, near;
    wrong := wrong + (original IS DISTINCT FROM r.duplicate_of)::int;
    duplicates := duplicates + (original IS NOT NULL)::int;
    siblings := siblings + (original IS NULL AND near)::int;
  END LOOP;
  DROP TABLE pages;
  RETURN format('%s wrong, %s duplicates, %s siblings', wrong, duplicates, siblings);
END $$;
SELECT arguments, numbers, recorded_revisions(arguments, numbers, k, type)
FROM (VALUES ($$'within=3', 'confirm=title, body'$$, true, 3, 'simhash'), ($$'confirm=whole'$$, true, 10, 'simhash'), ($$'confirm=whole', 'numbers=yes'$$, true, 20, 'bit(128)'), ($$'within=8', 'numbers=false', 'confirm=title,body'$$, false, 8, 'bit(128)'),
  ($$'within=3', 'confirm=whole', 'numbers=off', 'lock', 'equal=tenant'$$, false, 3, 'simhash'), ($$'equal=tenant', 'confirm=whole', 'numbers=no'$$, false, 10, 'simhash'),
  ($$'within=8', 'title=title', 'confirm=body'$$, true, 8, 'simhash'), ($$'within=10', 'numbers=false', 'confirm=body', 'equal=tenant', 'title=title', 'lock'$$, false, 10, 'bit(128)')) v(arguments, numbers, k, type);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT recorded_revisions($$'within=3', 'confirm=title, body', 'lock'$$, true);
COMMIT;
DROP FUNCTION recorded_revisions, titles_agree;
-- columns of domains, of partitions that have other numbers, and names that need quotes
CREATE DOMAIN name_of AS char(20);
CREATE DOMAIN "Text" AS varchar CHECK (VALUE <> '');
CREATE TABLE parts (id int, "Title" name_of, "The body" "Text", fp simhash, duplicate_of int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE part2 (gone int, duplicate_of int, "The body" "Text", fp simhash, "Title" name_of, id int);
ALTER TABLE part2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION part2 FOR VALUES FROM (10) TO (20);
CREATE INDEX ON parts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock', 'confirm="Title", "The body"', 'numbers=false');
SET search_path = pg_temp;
INSERT INTO public.parts SELECT id, title, body, '0000000000000000' FROM (VALUES (1, 'sin', 'sine'), (11, 'cos', 'cosine'), (2, 'cos', 'Cosine'), (12, 'sin', 'sine!'), (13, 'sin', 'sines')) v(id, title, body)
  RETURNING tableoid::regclass, id, duplicate_of;
RESET search_path;
INSERT INTO part2 (id, "Title", "The body", fp) VALUES (14, 'cos', 'cosine', '0000000000000001') RETURNING id, duplicate_of;
DROP TABLE parts;
DROP DOMAIN name_of, "Text";
-- the option "title": a near original must have the title of the row, too
CREATE TABLE jobs (id int, tenant int, "Title" varchar(40), body text, fp simhash DEFAULT '0000000000000000', duplicate_of int);
CREATE INDEX ON jobs USING bitblock (tenant, fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=tenant', 'confirm=body', 'title="Title"');
SELECT 'We are a family company with offices in four countries. We offer thirty days of leave, a ticket for trains and buses, and a room with a view. You have some years of experience, '
  'you like to work with others, and you speak two languages. Send us your letter and a short account of your life, by post or by mail. Reference 4711' AS body \gset
INSERT INTO jobs SELECT i, tenant, title, :'body' || more FROM (VALUES (1, 1, 'Nurse in Bonn', ''), (2, 1, 'Driver in Oslo', ''), (3, 1, 'Update: Nurse in Bonn', ' New.'), (4, 1, 'DRIVER, in Oslo!', ''),
  (5, 2, 'Driver in Oslo', ''), (6, 1, 'Nurse in Oslo', ''), (7, 1, 'Nurse in Bonn', '0'), (8, NULL, 'Driver in Oslo', ''), (9, NULL, 'Driver in Oslo', '.'),
  (10, 2, 'Driver in Oslo', ' Driver'), (11, 1, 'Cook', ''), (12, 1, 'Cook in a school', '')) v(i, tenant, title, more) RETURNING id, tenant, "Title", duplicate_of;
-- without "title" they are one document, because no word of the titles is in the body
SELECT simhash_same_document('Nurse in Bonn ' || :'body', 'Driver in Oslo ' || :'body');
-- NULL is an empty title; titles without words agree with each other only
INSERT INTO jobs SELECT i, 3, title, body FROM (VALUES (21, NULL, :'body'), (22, NULL, upper(:'body')), (23, '', :'body'), (24, '...', :'body'), (25, 'Cook', :'body'),
  (26, 'Cook', NULL), (27, 'COOK', ''), (28, NULL, 'cook'), (29, NULL, NULL), (30, '-', '')) v(i, title, body) RETURNING id, "Title", left(body, 6) AS body, duplicate_of;
-- one text that is divided into title and body in several ways: titles must agree, as for simhash_duplicates
INSERT INTO jobs SELECT i, 4, title, body FROM (VALUES (51, 'Nurse', 'in Bonn by day or by night'), (52, 'Nurse in Bonn', 'by day or by night'), (53, 'NURSE in Bonn by', 'day or  by night'), (54, NULL, 'nurse in Bonn by day or by night'),
  (55, 'Nurse in Bonn by day or by night', ''), (56, 'Nurse', 'in Bern by day or by night'), (57, 'Nurse in Bern', 'by day or by night'), (58, 'Nurse in Bern by day', 'or by nights'), (59, 'Nurs', 'e in Bonn by day or by night')) v(i, title, body)
  RETURNING id, "Title", body, duplicate_of;
SELECT * FROM simhash_duplicates('SELECT id, fp, "Title", body FROM jobs WHERE tenant = 4', within => 3) ORDER BY id;
-- numbers
DROP TRIGGER original ON jobs;
CREATE TRIGGER original BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'numbers=false', 'title="Title"', 'lock', 'equal=tenant', 'confirm=body', 3);
INSERT INTO jobs VALUES (31, 1, 'Nurse in Bonn', :'body' || '9');
DROP TRIGGER original ON jobs;
CREATE TRIGGER original BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'numbers=false', 'title="Title"', 'lock', 'equal=tenant', 'confirm=body');
INSERT INTO jobs VALUES (30, 9, 'Nurse in Bonn', :'body' || '8'), (31, 9, 'Nurse in Bonn', :'body' || '9'), (32, 9, 'Nurse in Bern', :'body' || '9') RETURNING id, duplicate_of;
-- a column that is renamed
ALTER TABLE jobs RENAME "Title" TO title;
INSERT INTO jobs VALUES (33, 1, 'Nurse in Bonn', :'body');
DROP TABLE jobs;
-- a fingerprint of title and text, when the title is NULL
CREATE TABLE untitled (id int, title text, body text, fp bit(128) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body, 128)) STORED, duplicate_of int);
CREATE INDEX ON untitled USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON untitled FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'title=title', 'confirm=body');
INSERT INTO untitled (id, title, body) VALUES (1, NULL, 'The ship with the new lamps has arrived at the quay'), (2, NULL, 'THE ship with the new lamps has arrived at the quay'), (3, '', 'The ship with the new lamps has arrived at the quay.'),
  (4, 'The ship', 'with the new lamps has arrived at the quay'), (5, 'Lamps', 'The ship with the new lamps has arrived at the quay') RETURNING id, duplicate_of;
SELECT id, original, kind FROM simhash_duplicates('SELECT id, fp, title, body FROM untitled') ORDER BY id;
DROP TABLE untitled;
-- more siblings than are compared: the nearest ones are, and copies are found among all of the same fingerprint
CREATE TABLE lockers (id int, body text, fp simhash, duplicate_of int);
CREATE FUNCTION locker(i int) RETURNS text LANGUAGE sql RETURN format('Locker %s is yours until the end of the term. Please leave it clean and open when you go.', i);
INSERT INTO lockers SELECT i, locker(i) || repeat(' ', CASE WHEN i > 4200 THEN 3000 ELSE 0 END), CASE WHEN i <= 4000 THEN '0000000000000000' WHEN i <= 4200 THEN '0f00000000000000' ELSE '00ff000000000000' END::simhash FROM generate_series(1, 19200) i;
INSERT INTO lockers VALUES (20000, locker(17), '0000000000000000'), (20001, 'New: ' || locker(20002), '0f0000000000000f'), (20002, locker(20002), '0f0000000000000e');
CREATE INDEX ON lockers USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON lockers FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'confirm=body');
INSERT INTO lockers VALUES (30001, upper(locker(3990)), '0000000000000000'), (30002, locker(17) || ' ', '0000000000000000'), (30003, locker(30003), '0000000000000000') RETURNING id, duplicate_of;
CREATE OR REPLACE TRIGGER original BEFORE INSERT ON lockers FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock', 'confirm=body');
-- a sibling, a revision of the nearest one, and a copy that has a revision with a smaller id
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO lockers VALUES (30004, locker(30004), '0f00000000000006'), (30005, locker(20002) || ' Thank you.', '0f00000000000006'), (30006, locker(20002), '0f0000000000000e') RETURNING id, duplicate_of;
COMMIT;
-- rows that are read, of 15,000 near ones, also of the same fingerprint
BEGIN;
CREATE FUNCTION rows_read() RETURNS bigint LANGUAGE sql AS $$ SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'lockers' $$;
SELECT rows_read() AS before \gset
INSERT INTO lockers VALUES (30007, locker(30007), '00ff000000000001');
SELECT rows_read() - :before <= 5200 AS few;
SELECT rows_read() AS before \gset
INSERT INTO lockers VALUES (30008, locker(30008), '00ff000000000000');
SELECT rows_read() - :before <= 15000 AS few;
ROLLBACK;
DROP TABLE lockers;
DROP FUNCTION locker;
-- errors
CREATE TABLE bad (id int, fp simhash, duplicate_of int, title varchar(9), body text, number int);
CREATE INDEX ON bad USING bitblock (fp);
SELECT tried($$'confirm='$$);
SELECT tried($$'within=3', 'confirm=title body'$$);
SELECT tried($$'within=3', 'confirm=titel'$$);
SELECT tried($$'within=3', 'confirm=title, fp'$$);
SELECT tried($$'within=3', 'confirm=body, title, body'$$);
SELECT tried($$'within=3', 'confirm=title, number'$$);
SELECT tried($$'within=3', 'confirm=title', 'confirm=body'$$);
SELECT tried($$'within=3', 'numbers=false'$$);
SELECT tried($$'within=3', 'title=title'$$);
SELECT tried($$'within=3', 'title=title', 'equal=number'$$);
SELECT tried($$'within=3', 'title=', 'confirm=body'$$);
SELECT tried($$'within=3', 'title=title, body', 'confirm=body'$$);
SELECT tried($$'within=3', 'title="title', 'confirm=body'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=titel'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=Title', 'title=title'$$);
SELECT tried($$'within=3', 'confirm=body, title', 'title=title'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=fp'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=number'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers='$$);
SELECT tried($$'within=3', 'numbers=-1', 'confirm=body'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers=true', 'numbers=true'$$);
SELECT tried($$'within=3', 'confirm=body', 'first_change=1'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers=false', 'lock', 'equal=number', 'title=title', 'lock'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers=false', 'lock', 'equal=number', 'title=title'$$);
DROP TRIGGER original ON bad;
SELECT tried(quote_literal('confirm=' || (SELECT string_agg('column' || i, ', ') FROM generate_series(1, 32) i)));
DROP TABLE bad;
DROP FUNCTION tried;
