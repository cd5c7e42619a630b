-- Every way to write the query shows an index condition, without any help.
CREATE TABLE docs (id int PRIMARY KEY, fp simhash);
INSERT INTO docs SELECT * FROM shaped_fps('random', 10000);
CREATE INDEX docs_fp ON docs USING gist (fp);
VACUUM ANALYZE docs;
SELECT random_fp('5') AS q \gset

-- Comparison operators
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' < 4$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' = 0$$);
SELECT plan_of($$SELECT id FROM docs WHERE 0 = fp <-> '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' = 2$$);
SELECT plan_of($$SELECT id FROM docs WHERE 3 >= fp <-> '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE 4 > fp <-> '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE '0123456789abcdef' <-> fp <= 3$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' BETWEEN 0 AND 3$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <~> '0123456789abcdef' <= 3$$);  -- the plain integer: no
SELECT plan_of($$SELECT id FROM docs WHERE simhash_distance(fp, '0123456789abcdef') <= 3$$);
SELECT plan_of($$SELECT id FROM docs WHERE simhash_within(fp, '0123456789abcdef', 3)$$);
SELECT plan_of($$SELECT id FROM docs WHERE simhash_within('0123456789abcdef', fp, 3)$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp % '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE '0123456789abcdef' % fp$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <@ '<0123456789abcdef,3>'$$);
SELECT plan_of($$SELECT id FROM docs WHERE '<0123456789abcdef,3>'::simhash_ball @> fp$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp = '0123456789abcdef'$$);

-- Types of the bound
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 3::smallint$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 3::bigint$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= '3'$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' < 4::smallint$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' < 4::bigint$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' < '4'$$);
SELECT plan_of($$SELECT id FROM docs WHERE 3::smallint >= fp <-> '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE 3::bigint >= fp <-> '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE '3' >= fp <-> '0123456789abcdef'$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= -5$$);
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' < -9223372036854775808$$);

-- Prepared statements: custom and generic plans; parameters of every type
CREATE FUNCTION prepared_plan(types text, query text, args text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE mode text; line text;
BEGIN
  FOREACH mode IN ARRAY ARRAY['force_custom_plan', 'force_generic_plan'] LOOP
    PERFORM set_config('plan_cache_mode', mode, true);
    EXECUTE 'PREPARE stmt' || types || ' AS ' || query;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) EXECUTE stmt' || args LOOP
      RETURN NEXT line;
    END LOOP;
    DEALLOCATE stmt;
  END LOOP;
END $$;
SELECT prepared_plan('', 'SELECT id FROM docs WHERE fp <-> $1 <= $2', $$('0123456789abcdef', 3)$$);
SELECT prepared_plan('', 'SELECT id FROM docs WHERE $2 > $1 <-> fp', $$('0123456789abcdef', 4)$$);
SELECT prepared_plan('', 'SELECT id FROM docs WHERE fp <-> $1 = 0', $$('0123456789abcdef')$$);
SELECT prepared_plan('(simhash, smallint)', 'SELECT id FROM docs WHERE fp <-> $1 <= $2', $$('0123456789abcdef', 3)$$);
SELECT prepared_plan('(simhash, integer)', 'SELECT id FROM docs WHERE fp <-> $1 <= $2', $$('0123456789abcdef', 3)$$);
SELECT prepared_plan('(simhash, bigint)', 'SELECT id FROM docs WHERE fp <-> $1 <= $2', $$('0123456789abcdef', 3)$$);
SELECT prepared_plan('(simhash, bigint)', 'SELECT id FROM docs WHERE fp <-> $1 < $2', $$('0123456789abcdef', 4)$$);
SELECT prepared_plan('(simhash, bigint)', 'SELECT id FROM docs WHERE fp <-> $1 = $2', $$('0123456789abcdef', 4)$$);
SELECT prepared_plan('(simhash)', 'SELECT id FROM docs WHERE fp % $1', $$('0123456789abcdef')$$);
SELECT prepared_plan('', 'SELECT id FROM docs ORDER BY fp <-> $1 LIMIT 3', $$('0123456789abcdef')$$);
SELECT prepared_plan('(text)', 'SELECT id FROM docs WHERE fp <-> simhash($1) <= 3', $$('The quick brown fox')$$);
-- an untyped parameter of simhash() would be a cast of it to simhash: refused
PREPARE untyped AS SELECT simhash($1);

-- Nearest neighbours, alone and with a bound
SELECT plan_of($$SELECT id FROM docs ORDER BY fp <-> '0123456789abcdef' LIMIT 10$$);
SELECT plan_of($$SELECT id FROM docs ORDER BY '0123456789abcdef' <-> fp LIMIT 10$$);
SELECT plan_of($$SELECT id FROM docs ORDER BY fp <~> '0123456789abcdef' LIMIT 10$$);
SELECT plan_of($$SELECT id, fp <-> '0123456789abcdef' AS d FROM docs ORDER BY d LIMIT 10$$);
SELECT plan_of($$SELECT id, fp <-> '0123456789abcdef' AS d FROM docs WHERE fp <-> '0123456789abcdef' <= 8 ORDER BY d LIMIT 10$$);
SELECT plan_of($$SELECT id FROM docs ORDER BY fp <-> '0123456789abcdef' DESC LIMIT 10$$);

-- Joins, on either side
SELECT plan_of($$SELECT a.id, b.id FROM docs a JOIN docs b ON a.fp <-> b.fp <= 3 AND a.id < b.id$$);
SELECT plan_of($$SELECT a.id, b.id FROM docs a JOIN docs b ON b.fp <-> a.fp < 4 AND a.id < b.id$$);
SELECT plan_of($$SELECT a.id, b.id FROM docs a JOIN docs b ON a.fp % b.fp AND a.id < b.id$$);
CREATE TABLE incoming (id int, fp simhash, k int);
INSERT INTO incoming SELECT i, flip(random_fp(i::text), i % 5, i::text), i % 6 FROM generate_series(1, 100) i;
ANALYZE incoming;
SELECT plan_of($$SELECT i.id, d.id FROM incoming i JOIN docs d ON d.fp <-> i.fp <= 3$$);
SELECT plan_of($$SELECT i.id, d.id FROM incoming i JOIN docs d ON i.fp <-> d.fp <= 3$$);
SELECT plan_of($$SELECT i.id, d.id FROM incoming i JOIN docs d ON i.fp <-> d.fp <= i.k$$);
SELECT plan_of($$SELECT i.id, d.id FROM incoming i LEFT JOIN docs d ON i.fp <-> d.fp <= 3$$);
SELECT plan_of($$SELECT i.id, n.* FROM incoming i, LATERAL (SELECT d.id, d.fp <-> i.fp AS dist FROM docs d ORDER BY d.fp <-> i.fp LIMIT 1) n$$);
SELECT plan_of($$SELECT i.id, n.* FROM incoming i, LATERAL (SELECT d.id FROM docs d WHERE d.fp <-> i.fp <= i.k) n$$);
SELECT plan_of($$SELECT id FROM incoming i WHERE EXISTS (SELECT 1 FROM docs d WHERE d.fp <-> i.fp <= 3)$$);
SELECT plan_of($$SELECT id FROM incoming i WHERE NOT EXISTS (SELECT 1 FROM docs d WHERE d.fp <-> i.fp <= 3)$$);
SELECT count(*) FROM incoming i WHERE EXISTS (SELECT 1 FROM docs d WHERE d.fp <-> i.fp <= 3);
SELECT count(*) FROM incoming i WHERE NOT EXISTS (SELECT 1 FROM docs d WHERE d.fp <-> i.fp <= 3);
SELECT count(*) FROM incoming i JOIN docs d ON i.fp <-> d.fp <= i.k;
SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
SELECT count(*) FROM incoming i JOIN docs d ON i.fp <-> d.fp <= i.k;
RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_indexonlyscan;
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> (SELECT fp FROM incoming WHERE id = 7) <= 3$$);

-- UPDATE and DELETE
SELECT plan_of($$UPDATE docs SET id = id WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT plan_of($$DELETE FROM docs WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT plan_of($$DELETE FROM docs d USING incoming i WHERE d.fp <-> i.fp <= 3$$);

-- Views, CTEs, functions
CREATE VIEW docs_view AS SELECT id, fp FROM docs WHERE id > 0;
SELECT plan_of($$SELECT id FROM docs_view WHERE fp <-> '0123456789abcdef' <= 3$$);
CREATE VIEW near_view AS SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 3;
SELECT plan_of('SELECT * FROM near_view');
SELECT pg_get_viewdef('near_view'::regclass) LIKE '%fp <-> ''0123456789abcdef''::simhash) <= 3)%' AS as_written;
SELECT plan_of($$WITH d AS (SELECT * FROM docs) SELECT id FROM d WHERE fp <-> '0123456789abcdef' <= 3$$);
CREATE FUNCTION near_docs(q simhash, k int) RETURNS SETOF int LANGUAGE sql STABLE AS
$$ SELECT id FROM docs WHERE fp <-> q <= k $$;
SELECT plan_of($$SELECT * FROM near_docs('0123456789abcdef', 3)$$);
CREATE FUNCTION near_docs_plpgsql(q simhash, k bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM docs WHERE fp <-> q <= k);
END $$;
SELECT near_docs_plpgsql(:'q', 0), near_docs_plpgsql(:'q', 64), near_docs_plpgsql(:'q', -1);

-- Partial and expression indexes
CREATE INDEX docs_near ON docs (id) WHERE fp <-> '0000000000000000' <= 20;
ANALYZE docs;
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0000000000000000' <= 20 ORDER BY id LIMIT 1$$);
DROP INDEX docs_near;
CREATE TABLE texts (id int, body text);
INSERT INTO texts SELECT i, 'document number ' || i || ' about ' || md5(i::text) FROM generate_series(1, 10000) i;
CREATE INDEX texts_fp ON texts USING gist (simhash(body));
ANALYZE texts;
SELECT plan_of($$SELECT id FROM texts WHERE simhash(body) <-> '0123456789abcdef' <= 3$$);
SELECT plan_of($$SELECT id FROM texts ORDER BY simhash(body) <-> simhash('document') LIMIT 3$$);
DROP TABLE texts;

-- Domains over simhash
CREATE DOMAIN my_fp AS simhash;
CREATE TABLE domain_docs (id int, fp my_fp);
INSERT INTO domain_docs SELECT * FROM shaped_fps('random', 10000);
CREATE INDEX ON domain_docs USING gist (fp);
ANALYZE domain_docs;
SELECT plan_of($$SELECT id FROM domain_docs WHERE fp <-> '0123456789abcdef' <= 3$$);
DROP TABLE domain_docs; DROP DOMAIN my_fp;

-- Partitions
CREATE TABLE parts (id int, fp simhash) PARTITION BY RANGE (id);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (10000);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (10000) TO (20000);
INSERT INTO parts SELECT * FROM shaped_fps('random', 19999);
CREATE INDEX ON parts USING gist (fp);
ANALYZE parts;
SELECT plan_of($$SELECT id FROM parts WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT plan_of($$SELECT id FROM parts ORDER BY fp <-> '0123456789abcdef' LIMIT 5$$);
DROP TABLE parts;

-- Row-level security, as somebody who is not the owner
CREATE ROLE simhash_reader;
CREATE TABLE secured (id int, owner name, fp simhash);
INSERT INTO secured SELECT id, CASE WHEN id % 2 = 0 THEN 'simhash_reader' ELSE 'other' END, fp FROM shaped_fps('random', 10000);
CREATE INDEX ON secured USING gist (fp);
ANALYZE secured;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secured USING (owner = current_user);
GRANT SELECT ON secured TO simhash_reader;
SET ROLE simhash_reader;
SELECT plan_of($$SELECT id FROM secured WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT prepared_plan('(text, bigint)', 'SELECT id FROM secured WHERE fp <-> simhash($1) <= $2', $$('The quick brown fox', 3)$$);
SELECT plan_of($$SELECT id FROM secured ORDER BY fp <-> '0123456789abcdef' LIMIT 3$$);
SELECT id FROM secured WHERE fp <-> random_fp('6') <= 0 OR fp <-> random_fp('7') <= 0;
RESET ROLE;
DROP TABLE secured;
DROP ROLE simhash_reader;

-- Volatile arguments are not evaluated twice
CREATE SEQUENCE calls;
CREATE FUNCTION volatile_bound() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT 60 + 0 * nextval('calls')::int $$;
SELECT count(*) FROM (SELECT 1 FROM docs WHERE id <= 10 AND fp <-> '0123456789abcdef' = volatile_bound()) s;
SELECT last_value FROM calls;

-- Found whatever the search_path, in whichever schema the extension is, and by
-- somebody without a right to use that schema
CREATE SCHEMA elsewhere;
ALTER EXTENSION simhash SET SCHEMA elsewhere;
SET search_path = pg_catalog;
SELECT public.plan_of($$SELECT id FROM public.docs WHERE fp OPERATOR(elsewhere.<->) '0123456789abcdef' OPERATOR(elsewhere.<=) 3$$);
SELECT public.plan_of($$SELECT id FROM public.docs WHERE fp OPERATOR(elsewhere.<->) '0123456789abcdef' <= 3$$) AS comparison_of_integers;
SELECT public.plan_of($$SELECT id FROM public.docs WHERE elsewhere.simhash_within(fp, '0123456789abcdef', 3)$$);
SELECT public.plan_of($$SELECT id FROM public.docs ORDER BY fp OPERATOR(elsewhere.<->) '0123456789abcdef' LIMIT 3$$);
SELECT public.plan_of('SELECT * FROM public.near_view');
CREATE ROLE simhash_stranger;
GRANT SELECT ON public.near_view TO simhash_stranger;
SET ROLE simhash_stranger;
SELECT public.plan_of('SELECT * FROM public.near_view');
RESET ROLE;
RESET search_path;
ALTER EXTENSION simhash SET SCHEMA public;
DROP SCHEMA elsewhere;
DROP OWNED BY simhash_stranger;
DROP ROLE simhash_stranger;

-- Far bounds are read in sequence
SELECT plan_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 40$$);
DROP VIEW docs_view, near_view;
DROP TABLE docs, incoming;
DROP SEQUENCE calls CASCADE;

-- The distance from a fixed fingerprint in a partition key, a constraint or another index: the cast to
-- integer serves, and the distance alone does not (doc/slow-queries.md)
CREATE TABLE by_distance (id int, fp simhash) PARTITION BY RANGE ((fp <-> '0123456789abcdef'));
CREATE TABLE by_distance_far PARTITION OF by_distance FOR VALUES FROM (10) TO (MAXVALUE);
CREATE TABLE by_integer (id int, fp simhash) PARTITION BY RANGE (((fp <-> '0123456789abcdef')::integer));
CREATE TABLE by_integer_far PARTITION OF by_integer FOR VALUES FROM (10) TO (MAXVALUE);
CREATE TABLE checked_distance (id int, fp simhash, CHECK (fp <-> '0123456789abcdef' > 10));
CREATE TABLE checked_integer (id int, fp simhash, CHECK ((fp <-> '0123456789abcdef')::integer > 10));
CREATE INDEX ON checked_distance ((fp <-> '0123456789abcdef'));
CREATE INDEX ON checked_distance (id) WHERE fp <-> '0123456789abcdef' <= 25;
CREATE INDEX ON checked_integer (((fp <-> '0123456789abcdef')::integer));
SET enable_seqscan = off;
SET constraint_exclusion = on;
SELECT condition, bool_or(p ~ 'Seq Scan') AS reads_all
FROM unnest(ARRAY['by_distance WHERE fp <-> ''0123456789abcdef'' <= 3', 'by_integer WHERE (fp <-> ''0123456789abcdef'')::integer <= 3',
  'checked_distance WHERE fp <-> ''0123456789abcdef'' <= 3', 'checked_integer WHERE (fp <-> ''0123456789abcdef'')::integer <= 3',
  'checked_distance WHERE fp <-> ''0123456789abcdef'' <= 30', 'checked_integer WHERE (fp <-> ''0123456789abcdef'')::integer <= 30',
  'checked_distance WHERE id = 1 AND fp <-> ''0123456789abcdef'' <= 20',
  'checked_distance WHERE id = 1 AND fp <-> ''0123456789abcdef'' <= 25 AND fp <-> ''0123456789abcdef'' <= 20']) condition,
  plan_of('SELECT FROM ' || condition) p
GROUP BY condition ORDER BY condition COLLATE "C";
RESET enable_seqscan;
RESET constraint_exclusion;
DROP TABLE by_distance, by_integer, checked_distance, checked_integer;
