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

-- The settings with which the trigger plans its search do not stay
SELECT count(*) FROM pg_settings WHERE name IN ('enable_sort', 'enable_seqscan', 'jit') AND setting = reset_val;

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
  SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND ident ~ '^SELECT t.id, .* ORDER BY t.fp' $$;
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
SELECT plans() BETWEEN 20 AND 100 AS kept;
INSERT INTO sparse (fp, c1, c2, c3, c4, c5, c6, c7) TABLE all_nulls;
SELECT plans() BETWEEN 20 AND 100 AS kept, count(*), count(*) FILTER (WHERE duplicate_of = id - 128) AS right FROM sparse;

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
