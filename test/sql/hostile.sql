-- What nobody should do.  It gets an error that says so, or a right answer.

-- Every function of the extension, called by hand with NULLs and with extremes of
-- its arguments' types.  An internal error (XX...) is a bug.
CREATE TABLE canary (alive int);
INSERT INTO canary VALUES (1);
CREATE FUNCTION hostile_values(type regtype) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT CASE type::text
    WHEN 'smallint' THEN '{-32768,-1,0,1,3,8,15,18,64,32767}'::text[]
    WHEN 'integer' THEN '{-2147483648,-1,0,1,3,64,65,1000,1001,2147483647}'
    WHEN 'hamming' THEN '{-2147483648,-1,0,64,2147483647}'
    WHEN 'bigint' THEN '{-9223372036854775808,-1,0,1,64,9223372036854775807}'
    WHEN 'boolean' THEN '{t,f}'
    WHEN 'oid' THEN '{0,1,15,1259,4294967295}'
    WHEN 'regclass' THEN '{0,1,pg_class,pg_class_oid_index,pg_views,canary,hostile_built_fp,4294967295}'
    WHEN 'regprocedure' THEN '{0,"int4eq(int4,int4)",4294967295}'
    WHEN 'real' THEN '{NaN,Infinity,-Infinity,0,-0,-1,0.5,1e-45,3e38}'
    WHEN 'double precision' THEN '{NaN,Infinity,-Infinity,0,-0,-1,0.5,5e-324,1e308,-1e308}'
    WHEN 'numeric' THEN ARRAY['NaN', '-1', '-0.0', '0.5', '18446744073709551615', '18446744073709551616', '1e131071', '-1e-16383']
    WHEN 'bytea' THEN ARRAY['', '\x00', '\x0123456789abcdef', '\x0123456789abcdef00', '\x' || repeat('ff', 1000)]
    WHEN 'bit' THEN ARRAY['', '1', repeat('1', 63), repeat('01', 32), repeat('1', 65)]
    WHEN 'bit varying' THEN ARRAY['', '1', repeat('1', 63), repeat('01', 32), repeat('1', 65)]
    WHEN 'name' THEN '{"",words,"words and pairs",characters,english,no such thing,simhash}'
    WHEN 'simhash' THEN '{0000000000000000,ffffffffffffffff,0123456789abcdef,8000000000000000}'
    WHEN 'simhash_ball' THEN '{"<0000000000000000,-1>","<ffffffffffffffff,64>","<0123456789abcdef,3>"}'
    ELSE CASE
      WHEN type::text ~ '\[\]$' THEN ARRAY['{}', '{NULL,NULL}', '[-2147483648:-2147483647]={NULL,1}'] ||
        CASE WHEN type::text = 'simhash[]' THEN '{"{0000000000000000,NULL}","[3:4][-1:0]={{ffffffffffffffff,0000000000000000},{NULL,0123456789abcdef}}"}'::text[]
             ELSE '{"{1,2,NULL}","{1,1,1,1}","[0:1][-1:0]={{1,2},{3,NULL}}","{0.5}","{2,3,4,5,6,7}","{-1,1,0,NaN}"}' END
      ELSE ARRAY['', ' ', 'a', 'once', 'frequency', 'logarithm', '0123456789abcdef', '<0123456789abcdef,3>', '%s%n%s', E'\u0001\u007F',
        E'\u0301\u0301', E'\u0E01\u0E31\u0301', repeat(E'\u0301\u0327', 3000), repeat('x', 100000), repeat('人 ', 30000), E'\U0010FFFF\uFFFE\u0345',
        'SELECT 1', 'SELECT NULL::simhash', 'DROP TABLE canary', 'TRUNCATE canary', '; DROP TABLE canary', 'SELECT (', 'canary', 'SELECT id::bigint, fp FROM hostile_built',
        'SELECT id::bigint, fp FROM hostile_built FOR UPDATE', 'DELETE FROM canary RETURNING 1::bigint, NULL::simhash', 'EXPLAIN ANALYZE DELETE FROM canary', 'SHOW work_mem', 'COMMIT', 'CALL x()',
        'WITH d AS (DELETE FROM canary RETURNING 1::bigint AS id) SELECT id, NULL::simhash FROM d', 'SELECT 1::bigint, NULL::simhash INTO another', 'COPY canary TO STDOUT', 'VALUES (1::bigint, NULL::simhash), (NULL, ''0000000000000000'')'] END
  END
$$;
CREATE TABLE hostile_built (id int, fp simhash);
INSERT INTO hostile_built SELECT * FROM shaped_fps('extremes', 500);
CREATE INDEX hostile_built_fp ON hostile_built USING bitblock (fp);

CREATE FUNCTION call_every_function(times int) RETURNS TABLE (call text, code text, message text) LANGUAGE plpgsql AS $$
DECLARE
  f record;
  type regtype;
  choices text[];
  given text;
  calls int := 0;
BEGIN
  FOR f IN SELECT p.oid::regprocedure::text AS signature, p.oid::regproc::text AS name, proargtypes::regtype[] AS types
           FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
           JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
           WHERE extname = 'simhash' ORDER BY 1 LOOP
    FOR i IN 0..times LOOP
      given := '';
      FOR a IN 0..cardinality(f.types) - 1 LOOP
        -- polymorphic functions as those of bigint
        type := CASE f.types[a]::text WHEN 'anyelement' THEN 'bigint' WHEN 'anyarray' THEN 'bigint[]' ELSE f.types[a]::text END;
        choices := hostile_values(type);
        -- first all are NULL, then each alone, then none; what is internal cannot be had
        given := given || CASE WHEN a > 0 THEN ', ' ELSE '' END ||
          format('%L::%s', CASE WHEN i > 0 AND i <> a + 1 AND f.types[a] <> 'internal'::regtype
            THEN choices[1 + abs(hashtext(f.signature || ' ' || i || ' ' || a)::bigint) % cardinality(choices)] END, type);
      END LOOP;
      call := format('%s(%s)', f.name, given);
      calls := calls + 1;
      BEGIN
        EXECUTE 'SELECT ' || call;
      EXCEPTION WHEN OTHERS THEN
        IF SQLSTATE LIKE 'XX%' AND SQLERRM <> 'aggregate function called in non-aggregate context' THEN
          code := SQLSTATE; message := SQLERRM;
          RETURN NEXT;
        END IF;
      END;
    END LOOP;
  END LOOP;
  call := CASE WHEN calls > 10000 THEN 'all were called' ELSE calls || ' calls' END; code := NULL; message := NULL;
  RETURN NEXT;
END $$;
SET client_min_messages = error;
SELECT * FROM call_every_function(150);
RESET client_min_messages;
SELECT * FROM canary;
SELECT bitblock_check('hostile_built_fp', true);

-- Estimators and planner support attached to what they are not for
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, RESTRICT = hamming_sel, JOIN = hamming_joinsel);
CREATE OPERATOR !== (LEFTARG = text, RIGHTARG = text, FUNCTION = textne, RESTRICT = hamming_sel, JOIN = hamming_joinsel);
CREATE FUNCTION is_not(boolean) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN NOT $1; END';
CREATE OPERATOR !!! (RIGHTARG = boolean, FUNCTION = is_not, RESTRICT = hamming_sel);
CREATE SCHEMA other_types;
CREATE TYPE other_types.simhash AS ENUM ('a', 'b');
CREATE TYPE other_types.simhash_ball AS ENUM ('a', 'b');
CREATE FUNCTION other_types.contained(other_types.simhash, other_types.simhash_ball) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1::text = $2::text; END';
CREATE OPERATOR <@ (LEFTARG = other_types.simhash, RIGHTARG = other_types.simhash_ball, FUNCTION = other_types.contained, RESTRICT = hamming_sel, JOIN = hamming_joinsel);
CREATE FUNCTION any_text(text, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION any_three(text, text, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION any_one(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE TABLE misled AS SELECT i, i::text AS t, i % 2 = 0 AS b, (ARRAY['a', 'b'])[1 + i % 2]::other_types.simhash AS e FROM generate_series(1, 100) i;
CREATE INDEX ON misled (t); CREATE INDEX ON misled USING gist (int4range(i, i + 1));
ANALYZE misled;
SELECT count(*) FROM misled WHERE i === 5;
SELECT count(*) FROM misled a JOIN misled b ON a.i === b.i;
SELECT count(*) FROM misled WHERE t !== '5';
SELECT count(*) FROM misled WHERE t !== NULL;
SELECT count(*) FROM misled a JOIN misled b ON a.t !== b.t;
SELECT count(*) FROM misled WHERE !!! b;
SELECT count(*) FROM misled WHERE e OPERATOR(public.<@) 'a'::other_types.simhash_ball;
DO $$
DECLARE
  support text;
BEGIN
  FOR support IN SELECT p.oid::regproc::text FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
                 WHERE proname ~ '_support$' AND prorettype = 'internal'::regtype ORDER BY 1 LOOP
    EXECUTE format('ALTER FUNCTION any_text SUPPORT %1$s; ALTER FUNCTION any_three SUPPORT %1$s; ALTER FUNCTION any_one SUPPORT %1$s', support);
    PERFORM count(*) FROM misled WHERE any_text(t, 'x') AND any_three(t, 'x', 3) AND any_one(t);
    PERFORM count(*) FROM misled x JOIN misled y ON any_text(x.t, y.t) AND any_three(x.t, y.t, 3) AND any_one(x.t || y.t);
  END LOOP;
END $$;
DROP TABLE misled;

-- The planner support of distances attached to functions of the same types, which are
-- something else: their answers stay theirs
SET enable_seqscan = off;
CREATE FUNCTION any_distance(simhash, simhash) RETURNS hamming LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 7; END';
CREATE FUNCTION any_within(simhash, simhash, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION any_comparison(hamming, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
ALTER FUNCTION any_distance SUPPORT hamming_support; ALTER FUNCTION any_within SUPPORT hamming_support; ALTER FUNCTION any_comparison SUPPORT hamming_support;
SELECT sum(any_distance(fp, '0123456789abcdef')), count(*) FILTER (WHERE any_distance(fp, fp) <= 6) AS near FROM hostile_built;
SELECT count(*) FROM hostile_built WHERE any_within(fp, '0123456789abcdef', 3);
SELECT count(*) FROM hostile_built WHERE any_comparison(fp <-> '0123456789abcdef', 3);
-- A comparison is known under any name; without the function within there is no index
-- condition, but the same answer
SELECT count(*) FROM hostile_built WHERE fp <-> '0000000000000000' <= 2;
BEGIN;
ALTER FUNCTION hamming_le(hamming, int) RENAME TO renamed;
SELECT plan_of($$SELECT id FROM hostile_built WHERE fp <-> '0000000000000000' <= 2$$);
ALTER FUNCTION simhash_within RENAME TO renamed;
SELECT plan_of($$SELECT id FROM hostile_built WHERE fp <-> '0000000000000000' <= 2$$);
SELECT count(*) FROM hostile_built WHERE fp <-> '0000000000000000' <= 2;
ROLLBACK;
RESET enable_seqscan;

-- Indexes of columns that are of a domain, an expression, a composite's field, partial;
-- and of what they cannot be
CREATE DOMAIN fp_domain AS simhash CHECK (VALUE <> '0000000000000001');
CREATE DOMAIN fp_domain_2 AS fp_domain NOT NULL;
CREATE TYPE fp_pair AS (a simhash, b simhash);
CREATE TABLE shapes (id int, d fp_domain, d2 fp_domain_2, body text, pair fp_pair, fps simhash[]);
INSERT INTO shapes SELECT id, fp, fp, 'text ' || id, ROW(fp, complement(fp))::fp_pair, ARRAY[fp, complement(fp)] FROM shaped_fps('clusters', 1000);
CREATE FUNCTION shapes_answer(expression text, with_index boolean, OUT used boolean, OUT answer text) LANGUAGE plpgsql AS $$
DECLARE
  query text;
BEGIN
  -- near to that of some row
  EXECUTE format('SELECT exclusive_or(coalesce(%s, ''0000000000000000''), ''0000000000000005'') FROM shapes WHERE id = 47', expression) INTO query;
  query := format('SELECT id FROM shapes WHERE id > 10 AND %s <-> %L <= 8', expression, query);
  PERFORM set_config('enable_seqscan', CASE WHEN with_index THEN 'off' ELSE 'on' END, true),
          set_config('enable_indexscan', CASE WHEN with_index THEN 'on' ELSE 'off' END, true),
          set_config('enable_bitmapscan', CASE WHEN with_index THEN 'on' ELSE 'off' END, true);
  SELECT bool_or(line ~ 'shapes_index') INTO used FROM plan_of(query) line;
  EXECUTE format('SELECT string_agg(id::text, '','' ORDER BY id) FROM (%s) s', query) INTO answer;
END $$;
DO $$
DECLARE
  expression text;
  method text;
  by_index record;
  by_table record;
BEGIN
  FOREACH method IN ARRAY ARRAY['gist', 'bitblock'] LOOP
    FOREACH expression IN ARRAY ARRAY['d', 'd2', 'simhash(body)', '(pair).a', '(pair).b', 'complement((pair).a)', 'fps[2]', 'fps[3]', '(CASE WHEN id % 3 > 0 THEN d::simhash END)'] LOOP
      EXECUTE format('CREATE INDEX shapes_index ON shapes USING %s ((%s)) WHERE id > 10', method, expression);
      by_index := shapes_answer(expression, true);
      by_table := shapes_answer(expression, false);
      RAISE NOTICE '% % %: index used %, same answer %, % rows', method, repeat('.', 9 - length(method)), expression, by_index.used AND NOT by_table.used,
        by_index.answer IS NOT DISTINCT FROM by_table.answer, coalesce(cardinality(string_to_array(by_table.answer, ',')), 0);
      IF method = 'bitblock' THEN
        PERFORM bitblock_check('shapes_index', true);
      END IF;
      DROP INDEX shapes_index;
    END LOOP;
  END LOOP;
END $$;
\set VERBOSITY terse
SELECT count(*) FROM shapes s WHERE s.pair = (SELECT pair FROM shapes WHERE id = 5);
SELECT (pair).a <-> (pair).b AS distance, count(*) FROM shapes GROUP BY 1;
INSERT INTO shapes VALUES (0, '0000000000000001');
CREATE INDEX ON shapes USING bitblock (pair);
CREATE INDEX ON shapes USING bitblock (fps);
CREATE INDEX ON shapes USING bitblock (body);
CREATE INDEX ON shapes USING gist (pair);
CREATE INDEX ON shapes USING bitblock ((d <-> d2));
CREATE INDEX ON shapes USING bitblock (simhash_from_features(tsvector_to_array(to_tsvector('english', body))));
CREATE INDEX ON shapes USING bitblock (((simhash_features_by_dictionary(body)).hash::simhash));
-- PostgreSQL 19 words these errors otherwise
\set VERBOSITY sqlstate
CREATE INDEX ON shapes USING bitblock (d DESC);
CREATE INDEX ON shapes USING bitblock (d NULLS FIRST);
\set VERBOSITY terse
-- PostgreSQL 17 puts the schema before names
\set VERBOSITY sqlstate
CREATE INDEX ON shapes USING bitblock (d COLLATE "C");
CREATE INDEX ON shapes USING bitblock (d simhash_bitblock_ops (radius = 3));
\set VERBOSITY terse
CREATE INDEX ON shapes USING bitblock (d simhash_gist_ops);
CREATE INDEX ON shapes USING bitblock (d) WITH (fillfactor = 9);
CREATE INDEX ON shapes USING bitblock (d) WITH (fillfactor = 101);
CREATE INDEX ON shapes USING bitblock (d) WITH (fillfactor = 'full');
CREATE INDEX ON shapes USING bitblock (d) WITH (fillfactor = 99999999999);
CREATE INDEX ON shapes USING bitblock (d) WITH (fillfactor);
CREATE INDEX ON shapes USING gist (d) WITH (fillfactor = 9);
CREATE INDEX shapes_d ON shapes USING bitblock (d) WITH (fillfactor = 10);
ALTER INDEX shapes_d SET (fillfactor = 9);
ALTER INDEX shapes_d SET (fillfactor = 100);
ALTER INDEX shapes_d RESET (fillfactor);
CLUSTER shapes USING shapes_d;
ALTER TABLE shapes REPLICA IDENTITY USING INDEX shapes_d;
\set VERBOSITY sqlstate
ALTER TABLE shapes ADD CONSTRAINT no_equal EXCLUDE USING bitblock (d WITH <);
ALTER TABLE shapes ADD CONSTRAINT no_distant EXCLUDE USING bitblock (d WITH <->);
\set VERBOSITY terse
SELECT bitblock_check('shapes_d', true);
DROP TABLE shapes;

\set VERBOSITY default

-- Arrays of ten million elements, and one that cannot be
SELECT simhash_from_features(array_fill(7::bigint, ARRAY[10000000])), minhash_from_features(array_fill(7::bigint, ARRAY[10000000])),
       simhash_from_features(array_fill(7::bigint, ARRAY[10, 1000000], ARRAY[-5, 7])), simhash_from_features(array_fill(7::bigint, ARRAY[5000000]), array_fill(-1e308::float8, ARRAY[5000000]));
SELECT simhash_from_features(array_fill(7::bigint, ARRAY[200000000]));
-- a long computation can be cancelled
SET LOCAL statement_timeout = '200ms' \; SELECT count(*) FROM simhash_calibrate(array_fill(random_fp('x'), ARRAY[1000000]));
SET LOCAL statement_timeout = '200ms' \; SELECT simhash_from_features(array_fill('y'::text, ARRAY[30000000]));
SET LOCAL statement_timeout = '200ms' \; SELECT simhash(repeat('a b c d e f ', 20000000), 'words', weight => 'logarithm', n => 1000);
