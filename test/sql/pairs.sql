-- All pairs of documents, of a table and of arrays: what the join in SQL finds.
CREATE FUNCTION pairs_differences(shape text, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  k int; form text; wrong bigint; found bigint := 0;
BEGIN
  CREATE TEMP TABLE t AS SELECT * FROM shaped_fps(shape, n);
  CREATE TEMP TABLE near AS SELECT a.id AS a, b.id AS b, a.fp <~> b.fp AS distance FROM t a JOIN t b ON a.id < b.id;
  FOREACH k IN ARRAY ARRAY[-5, 0, 1, 2, 3, 5, 8, 16, 32, 64, 1000] LOOP
    FOREACH form IN ARRAY ARRAY['''SELECT * FROM unnest((SELECT array_agg(id ORDER BY md5(id::text)) FROM t), (SELECT array_agg(fp ORDER BY md5(id::text)) FROM t))''',
                                '''SELECT id, fp FROM t ORDER BY id % 7, id DESC'', NULL::int'] LOOP
      EXECUTE format('CREATE TEMP TABLE answer AS SELECT * FROM simhash_pairs(%s, %s)', form, k);
      SELECT count(*) INTO wrong FROM ((SELECT * FROM answer EXCEPT ALL SELECT * FROM near WHERE distance <= k)
                            UNION ALL (SELECT * FROM near WHERE distance <= k EXCEPT ALL SELECT * FROM answer)) s;
      IF wrong > 0 THEN RETURN NEXT format('%s, within %s of %s: %s wrong', shape, k, form, wrong); END IF;
      found := found + (SELECT count(*) FROM answer);
      DROP TABLE answer;
    END LOOP;
  END LOOP;
  DROP TABLE t, near;
  RETURN NEXT format('%s: %s pairs', shape, CASE WHEN found > 0 THEN 'some' ELSE 'no' END);
END $$;
SELECT pairs_differences(shape, 150) FROM unnest('{random,equal,clusters,few bits,few values,low bits,high bits,counter,extremes}'::text[]) shape;
SELECT pairs_differences('clusters', n) FROM generate_series(2, 4) n;

-- In passes, with as little memory as there can be, the same as in memory
CREATE TABLE many AS SELECT (10 * id + s)::int AS id, fp FROM unnest('{random,clusters,low bits,high bits,few bits}'::text[], ARRAY[36000, 1500, 3000, 3000, 500]) WITH ORDINALITY u(shape, n, s), shaped_fps(shape, n);
CREATE VIEW pair_sums AS SELECT k, p.* FROM generate_series(0, 4, 2) k, LATERAL
  (SELECT count(*) AS pairs, sum(distance) AS distances, sum(hashint8(a::bigint << 32 | b)::numeric) AS hashes FROM simhash_pairs('SELECT id, fp FROM many', NULL::int, k)) p;
CREATE VIEW cluster_sums AS SELECT k, method, c.* FROM generate_series(0, 4, 2) k, unnest('{components,star}'::text[]) method, LATERAL
  (SELECT count(*) AS documents, count(DISTINCT cluster) AS clusters, sum(size) AS sizes, sum(hashint8(id::bigint << 32 | cluster)::numeric) AS hashes FROM simhash_clusters('SELECT id, fp FROM many', NULL::int, k, method)) c;
SET maintenance_work_mem = '1GB';
CREATE TABLE pairs_in_memory AS SELECT * FROM pair_sums;
CREATE TABLE clusters_in_memory AS SELECT * FROM cluster_sums;
SET maintenance_work_mem = '1MB';
SELECT count(*) AS documents FROM many;
SELECT k, pairs > 0 AS some_pairs FROM pair_sums JOIN pairs_in_memory USING (k, pairs, distances, hashes) ORDER BY k;
SELECT k, method, clusters < documents AS fewer_clusters FROM cluster_sums JOIN clusters_in_memory USING (k, method, documents, clusters, sizes, hashes) ORDER BY k, method;
RESET maintenance_work_mem;

-- What the index finds
CREATE INDEX many_fp ON many USING bitblock (fp);
ANALYZE many;
SELECT count(*) = (SELECT pairs FROM pairs_in_memory WHERE k = 2) AS as_by_index FROM many a JOIN many b ON a.fp <-> b.fp <= 2 AND a.id < b.id;

-- The join in SQL: a nested loop over the index, in parallel workers
DELETE FROM many WHERE id % 10 <> 1;
INSERT INTO many SELECT -id, flip(fp, 2, id::text) FROM many WHERE id % 100 = 1;
VACUUM ANALYZE many;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM many a JOIN many b ON a.fp <-> b.fp <= 3 AND a.id < b.id;
SELECT count(*) > 0 AND count(*) = (SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM many', NULL::int, 3)) AS in_parallel FROM many a JOIN many b ON a.fp <-> b.fp <= 3 AND a.id < b.id;
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
DROP TABLE many, pairs_in_memory, clusters_in_memory CASCADE;

-- Ids of any type with an order; a is the smaller one
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{b,A,a,c}'::text[], '{1111111111111111,1111111111111111,1111111111111113,0000000000000000}'::simhash[])$$, NULL::text COLLATE "C", 1) ORDER BY a, b;
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{2.50,-1,1e100,NaN}'::numeric[], array_fill('1111111111111111'::simhash, ARRAY[4]))$$, NULL::numeric) ORDER BY a, b;
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{00000000-0000-0000-0000-000000000002,00000000-0000-0000-0000-000000000001}'::uuid[], '{1111111111111111,1111111111111111}'::simhash[])$$, NULL::uuid);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{32767,-32768}'::smallint[], '{1111111111111111,1111111111111111}'::simhash[])$$, id_type => NULL::smallint);
SELECT * FROM simhash_pairs($$VALUES (ROW(1, 'b'::text), '1111111111111111'::simhash), (ROW(1, 'a'::text), '1111111111111111')$$, NULL::record);
SELECT length(a), length(b), distance FROM simhash_pairs($$SELECT repeat(md5(i::text), 100000 * i), '1111111111111111'::simhash FROM generate_series(1, 2) i$$, NULL::text);
CREATE DOMAIN doc_id AS int CHECK (VALUE > 0);
CREATE TEMP TABLE domain_docs (id doc_id, fp simhash);
INSERT INTO domain_docs VALUES (1, '1111111111111111'), (2, '1111111111111110'), (3, NULL), (4, '1111111111111111');
SELECT * FROM simhash_pairs('SELECT id, fp FROM domain_docs', NULL::doc_id) ORDER BY a, b;
SELECT * FROM simhash_pairs('SELECT id, fp FROM domain_docs', NULL::int, 0);
SELECT * FROM simhash_pairs('SELECT ''x''::varchar, fp FROM domain_docs', NULL::text, 0);
DROP TABLE domain_docs;
DROP DOMAIN doc_id;

-- Documents without fingerprint are left out, the same id may come twice
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1,2,3,4}'::int[], '{1111111111111111,NULL,1111111111111111,NULL}'::simhash[])$$);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{NULL,2,3}'::int[], '{NULL,1111111111111111,1111111111111111}'::simhash[])$$);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{7,7}'::int[], '{1111111111111111,1111111111111111}'::simhash[])$$);
SELECT count(*) FROM simhash_pairs($$SELECT * FROM unnest('{}'::int[], '{}'::simhash[])$$);
SELECT count(*) FROM generate_series(-1, 64, 13) distance, simhash_pairs('SELECT 1, NULL::simhash WHERE false', NULL::int, distance);
-- the default distance is that of %, as is NULL
SELECT a, b, distance, (SELECT x % y FROM unnest(ARRAY['0000000000000000', '000000000000001f', '00000000000007ff']::simhash[]) WITH ORDINALITY x (x, i), unnest(ARRAY['0000000000000000', '000000000000001f', '00000000000007ff']::simhash[]) WITH ORDINALITY y (y, j) WHERE (i, j) = (a, b)) AS near
FROM simhash_pairs($$SELECT * FROM unnest('{1,2,3}'::int[], '{0000000000000000,000000000000001f,00000000000007ff}'::simhash[])$$);
SELECT count(*) FROM simhash_pairs($$SELECT * FROM unnest('{1,2,3}'::int[], '{0000000000000000,000000000000001f,00000000000007ff}'::simhash[])$$, distance => NULL);
SELECT count(*) FROM simhash_pairs($$SELECT * FROM unnest('{1,2}'::int[], '{1111111111111111,1111111111111111}'::simhash[])$$, distance => NULL);
SELECT count(*) FROM simhash_pairs(NULL, NULL::int);
SELECT count(*) FROM simhash_pairs('SELECT 1, ''1111111111111111''::simhash', NULL::int, NULL);
SELECT count(*) FROM simhash_pairs('SELECT 1, NULL::simhash', NULL::int);

-- Errors
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1,NULL}'::int[], '{1111111111111111,1111111111111111}'::simhash[])$$);
SELECT * FROM simhash_pairs('SELECT NULL::int, ''1111111111111111''::simhash', NULL::int);
SELECT * FROM simhash_pairs($$SELECT '{}'::json, '1111111111111111'::simhash$$, NULL::json);
SELECT * FROM simhash_pairs('SELECT 1::bigint, ''1111111111111111''::simhash', id_type => NULL::int);
SELECT * FROM simhash_pairs('SELECT ''a'', ''1111111111111111''::simhash');
SELECT * FROM simhash_pairs('SELECT 1, ''1111111111111111''::text', NULL::int);
-- the columns in the wrong order
SELECT * FROM simhash_pairs('SELECT ''1111111111111111''::simhash, 1', NULL::int);
SELECT * FROM simhash_pairs('SELECT B''1''::bit(64), 1', NULL::bit);
SELECT * FROM simhash_clusters('SELECT B''1''::bit varying, 1', NULL::int, method => 'star');
SELECT * FROM simhash_pairs('SELECT ''a''::text, 1', NULL::int);
SELECT * FROM simhash_pairs('SELECT 1', NULL::int);
SELECT * FROM simhash_pairs('SELECT 1, ''1111111111111111''::simhash, 3', NULL::int);
SELECT * FROM simhash_pairs('', NULL::int);
SELECT * FROM simhash_pairs('SELECT 1; SELECT 2', NULL::int);
SELECT * FROM simhash_pairs('CREATE TABLE written (i int)', NULL::int);
SELECT * FROM simhash_pairs('SELECT no_such_column FROM pg_class', NULL::int);
-- PostgreSQL 19 words these errors otherwise
\set VERBOSITY sqlstate
SELECT * FROM simhash_pairs('SELECT 1, ''1111111111111111''::simhash', NULL);
\set VERBOSITY default
CREATE TABLE docs (id int PRIMARY KEY, fp simhash);
INSERT INTO docs SELECT i, CASE WHEN i > 100 THEN '1111111111111111'::simhash ELSE random_fp(i::text) END FROM generate_series(1, 110) i;
SELECT * FROM simhash_pairs('DELETE FROM docs RETURNING id, fp', NULL::int);
SELECT * FROM simhash_pairs('SELECT id, fp FROM docs FOR UPDATE', NULL::int);
SELECT * FROM simhash_pairs('WITH gone AS (DELETE FROM docs RETURNING *) SELECT id, fp FROM gone', NULL::int);
SELECT * FROM simhash_pairs('SELECT 1 / (110 - id), fp FROM docs ORDER BY id', NULL::int);

-- What the caller sees, with the rights of the caller
BEGIN;
UPDATE docs SET fp = '1111111111111111' WHERE id = 1;
SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int);
ROLLBACK;
SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int);
SELECT count(*) FROM simhash_pairs('SELECT a, fp FROM simhash_pairs(''SELECT id, fp FROM docs'') JOIN docs ON a = id', 0);
-- ids of all integer types and of domains over them without the type, as bigint; other types have to be named
CREATE DOMAIN small_id AS smallint;
SELECT pg_typeof(a), count(*), sum(a), sum(b), sum(distance) FROM simhash_pairs('SELECT id::small_id, fp FROM docs', 3) GROUP BY 1
UNION ALL SELECT pg_typeof(a), count(*), sum(a), sum(b), sum(distance) FROM simhash_pairs('SELECT id, fp FROM docs', distance => 3) GROUP BY 1
UNION ALL SELECT pg_typeof(a), count(*), sum(a), sum(b), sum(distance) FROM simhash_pairs('SELECT id::bigint, fp FROM docs', NULL::bigint, 3) GROUP BY 1
UNION ALL SELECT pg_typeof(a), count(*), sum(a), sum(b), sum(distance) FROM simhash_pairs('SELECT id::smallint, fp FROM docs', id_type => NULL::smallint, distance => 3) GROUP BY 1;
SELECT pg_typeof(a), a, b FROM simhash_pairs('SELECT -id::smallint, fp FROM docs WHERE id < 3', 64);
SELECT pg_typeof(a), count(*) FROM simhash_pairs('SELECT id::text, fp FROM docs', NULL::text) GROUP BY 1;
SELECT pg_typeof(id), count(*), count(DISTINCT cluster) FROM simhash_clusters('SELECT id, fp FROM docs', 3, 'star') GROUP BY 1;
SELECT * FROM simhash_components('SELECT 1, 2::smallint UNION ALL SELECT 2, 3') ORDER BY id;
SELECT * FROM simhash_stars('SELECT 1, 2::bigint UNION ALL SELECT 3, 2', 'SELECT 2::smallint') ORDER BY id;
CREATE ROLE simhash_nobody;
SET ROLE simhash_nobody;
SELECT * FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int);
RESET ROLE;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON docs USING (id <= 103);
GRANT SELECT ON docs TO simhash_nobody;
SET ROLE simhash_nobody;
SELECT * FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int) ORDER BY a, b;
RESET ROLE;
DROP OWNED BY simhash_nobody;
DROP ROLE simhash_nobody;

-- Rows come as they are found: the 5e9 pairs of 100,000 equal fingerprints are not
-- waited for
SET statement_timeout = '20min';
SELECT simhash_pairs('SELECT i, ''1111111111111111''::simhash FROM generate_series(1, 100000) i', NULL::int) LIMIT 3;
-- from PostgreSQL 19 on in FROM, too
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 190000 THEN
    PERFORM FROM simhash_pairs('SELECT i, ''1111111111111111''::simhash FROM generate_series(1, 100000) i', NULL::int) LIMIT 3;
    PERFORM FROM simhash_pairs('SELECT i, ''1111111111111111''::simhash FROM generate_series(1, 100000) i') LIMIT 3;
  END IF;
END $$;
BEGIN;
DECLARE c CURSOR FOR SELECT simhash_pairs('SELECT i, (i % 2)::bigint::simhash FROM generate_series(1, 100000) i', NULL::int);
FETCH 2 FROM c;
MOVE 1000000 IN c;
CLOSE c;
COMMIT;
DO $$
DECLARE n int := 0; p record;
BEGIN
  FOR i IN 1..3 LOOP
    FOR p IN SELECT simhash_pairs('SELECT id, fp FROM docs', NULL::int) LOOP
      n := n + 1;
      EXIT WHEN n % 5 = 0;
    END LOOP;
  END LOOP;
  RAISE NOTICE '% pairs', n;
END $$;
-- a nested loop makes one call, LATERAL one for each row
CREATE SEQUENCE reads;
BEGIN;
SET LOCAL enable_material = off;
SELECT count(*), bool_and(p IS NOT NULL) FROM (SELECT p FROM generate_series(1, 5) g LEFT JOIN simhash_pairs('SELECT id, fp FROM docs WHERE nextval(''reads'') > 0', NULL::int) p ON p.a > g LIMIT 1000) p;
SELECT last_value = (SELECT count(*) FROM docs) AS once FROM reads;
SELECT k, x, z FROM generate_series(0, 1) k, LATERAL simhash_pairs('SELECT id, fp FROM docs WHERE id % 7 > ' || k, NULL::int, k) p (x, y, z) WHERE y > 104 ORDER BY k DESC, y DESC, x DESC LIMIT 5;
SELECT k, (SELECT a FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int, k) p WHERE a > 100 + k ORDER BY p DESC LIMIT 1) FROM generate_series(0, 1) k;
ROLLBACK;
DROP SEQUENCE reads;
-- and they can be cancelled, before or after a NOTICE
SET client_min_messages = warning;
SET LOCAL statement_timeout = '100ms' \; SELECT count(*) FROM simhash_pairs('SELECT i, ''1111111111111111''::simhash FROM generate_series(1, 100000) i', NULL::int);
SET LOCAL statement_timeout = '100ms' \; SELECT count(*) FROM simhash_pairs('SELECT i, random_fp(i::text) FROM generate_series(1, 20000) i', NULL::int, 25);
RESET client_min_messages;
DROP TABLE docs;
DROP FUNCTION pairs_differences(text, int);

-- a NOTICE names the number of documents with one fingerprint if it is large, once in a call
SELECT count(*), max(distance) FROM (SELECT (simhash_pairs($$
  SELECT i, repeat('0', 64)::bit(64)::simhash FROM generate_series(1, 5100) i UNION ALL
  SELECT i, repeat('1', 64)::bit(64)::simhash FROM generate_series(5101, 10500) i $$, NULL::int)).* LIMIT 200000) p;
SELECT count(*) FROM simhash_pairs($$
  SELECT i, ((i / 100)::bit(64) || (i / 100 * 97)::bit(64))::bit(128) FROM generate_series(1, 4900) i $$, NULL::int, 0);
