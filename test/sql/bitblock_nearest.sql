-- bitblock in the order of several distances, where work_mem does not hold the rows of one.
CREATE FUNCTION temp_blocks(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) ' || query INTO plan;
  RETURN plan->0->'Plan'->>'Temp Written Blocks';
END $$;

-- Three quarters of the rows are at distance 1 from the first center
CREATE TABLE ties (id int, fp simhash);
INSERT INTO ties SELECT i, (CASE WHEN i % 2 = 0 THEN 1::bigint << 63 ELSE (i & 7)::bigint << 48 END)::simhash FROM generate_series(1, 40000) i;
INSERT INTO ties SELECT i, (1::bigint << (i % 48))::simhash FROM generate_series(40001, 60000) i;
CREATE INDEX ties_fp ON ties USING bitblock (fp);
ANALYZE ties;
SET enable_seqscan = off; SET enable_sort = off;
CREATE FUNCTION in_order() RETURNS TABLE (n bigint, ids bigint, sorted boolean) LANGUAGE sql AS $$
  SELECT count(*), count(DISTINCT id), bool_and((d, e, f) >= before) FROM (
    SELECT *, lag((d, e, f)) OVER () AS before FROM (
      SELECT id, fp <-> '0000000000000000' AS d, fp <-> '0007000000ff00ff' AS e, fp <-> 'ffff000000000000' AS f FROM ties
      ORDER BY fp <-> '0000000000000000', fp <-> '0007000000ff00ff', fp <-> 'ffff000000000000') s) s2 $$;
SELECT plan_of('SELECT id FROM ties ORDER BY fp <-> ''0000000000000000'', fp <-> ''0007000000ff00ff''');

-- enough memory, and not: then there are temporary files
SET work_mem = '64MB';
SELECT * FROM in_order();
SELECT temp_blocks('SELECT id FROM ties ORDER BY fp <-> ''0000000000000000'', fp <-> ''0007000000ff00ff''') = 0 AS in_memory;
SET work_mem = '64kB';
SELECT * FROM in_order();
SELECT temp_blocks('SELECT id FROM ties ORDER BY fp <-> ''0000000000000000'', fp <-> ''0007000000ff00ff''') > 100 AS in_files;
-- entries of equal distance need no order
SELECT temp_blocks('SELECT id FROM ties ORDER BY fp <-> ''0000000000000000''') = 0 AS in_memory;

-- a search that is left early and begun again leaves no files behind
SELECT count(*), sum(d), sum(e) FROM generate_series(1, 50) i,
  LATERAL (SELECT fp <-> i::bigint::simhash AS d, fp <-> '0007000000ff00ff' AS e FROM ties
           ORDER BY fp <-> i::bigint::simhash, fp <-> '0007000000ff00ff' LIMIT 2000) s;
SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
RESET work_mem;
SELECT count(*), sum(d), sum(e) FROM generate_series(1, 50) i,
  LATERAL (SELECT fp <-> i::bigint::simhash AS d, fp <-> '0007000000ff00ff' AS e FROM ties
           ORDER BY fp <-> i::bigint::simhash, fp <-> '0007000000ff00ff' LIMIT 2000) s;
BEGIN;
SET LOCAL work_mem = '64kB';
DECLARE c CURSOR FOR SELECT id FROM ties ORDER BY fp <-> '0000000000000000', fp <-> '0007000000ff00ff';
MOVE 30000 IN c;
SAVEPOINT s;
MOVE 100 IN c;
ROLLBACK TO s;
CLOSE c;
COMMIT;
RESET enable_seqscan; RESET enable_sort;
DROP TABLE ties;
DROP FUNCTION in_order, temp_blocks;

-- Texts of few features are near each other, in clusters, and two thirds of them have 64 equal bits.
-- A pass over all of them finds many more than it should, and narrows its range.
CREATE TABLE titles AS SELECT i AS id, (CASE WHEN i % 3 = 0 THEN b ELSE overlay(b PLACING repeat('1', 64)::bit(64) FROM 65 FOR 64) END)::bit(256) AS b
  FROM generate_series(1, rows_of_test(20000)) i,
    minhash_bits(concat_ws(' ', md5((i % 7)::text), md5((i % 61)::text), substr(md5((i / 8)::text), 1, 9), i % 2), 256, 'characters', n => 2) b;
CREATE INDEX titles_b ON titles USING bitblock (b);
ANALYZE titles;
SET enable_sort = off;
CREATE FUNCTION title_differences(q bit(256)) RETURNS TABLE (k int, by_index text, by_scan text) LANGUAGE plpgsql AS $$
DECLARE within text := 'SELECT count(*) || '' '' || coalesce(sum(id), 0) FROM titles WHERE b <-> $1 <= $2';
  nearest text := 'SELECT count(*) || '' '' || count(DISTINCT id) || '' '' || string_agg(d::text, '','' ORDER BY nr) FROM (SELECT *, row_number() OVER () AS nr FROM (SELECT id, b <-> $1 AS d FROM titles ORDER BY b <-> $1 LIMIT -$2) s) s';
BEGIN
  -- negative: so many of the nearest
  FOREACH k IN ARRAY '{0,8,16,31,48,64,80,110,-1,-10,-199,-200,-201,-500,-4000,-20000}'::int[] LOOP
    SET LOCAL enable_seqscan = off;
    EXECUTE CASE WHEN k < 0 THEN nearest ELSE within END INTO by_index USING q, k;
    SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexonlyscan = off;
    EXECUTE CASE WHEN k < 0 THEN nearest ELSE within END INTO by_scan USING q, k;
    SET LOCAL enable_indexscan = on; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_indexonlyscan = on;
    IF by_index IS DISTINCT FROM by_scan THEN RETURN NEXT; END IF;
  END LOOP;
END $$;
SELECT id, d.* FROM titles, title_differences(b) d WHERE id IN (1, 4000, 11111, 19998);
SELECT d.* FROM (VALUES (repeat('1', 256)::bit(256)), (minhash_bits('another title', 256, 'characters', n => 2)::bit(256))) v (q), title_differences(q) d;
SET enable_seqscan = off;
SELECT count(*) AS by_index FROM plan_of('SELECT id FROM titles ORDER BY b <-> repeat(''1'', 256)::bit(256) LIMIT 10') p WHERE p LIKE '%Index Scan using titles_b%';
SET work_mem = '64kB';
SELECT d.* FROM title_differences(~ repeat('1', 256)::bit(256)) d;
RESET work_mem; RESET enable_seqscan; RESET enable_sort;
-- what the pass reports is near what it should find
SELECT coalesce(max(matches) BETWEEN 200 AND 8000, rows_of_test(20000) < 20000) AS narrowed FROM titles, bitblock_explain('titles_b', b) WHERE id = 4000 AND radius IS NULL;
DROP TABLE titles;
DROP FUNCTION title_differences;

-- Each pass within a distance finds the rows that the passes before have not found, no row twice: rows near 20 values
-- among others, and for the first value more than work_mem holds.
CREATE TABLE rings AS SELECT i AS id, hashint8extended(i, 1)::simhash AS fp FROM generate_series(1, rows_of_test(200000)) i;
INSERT INTO rings
  SELECT 1000000 * q + n, (hashint8extended(q, 2) # (SELECT bit_xor(1::bigint << (hashint8extended(n, 3 + j) & 63)::int) FROM generate_series(0, n % 11) j))::simhash
  FROM generate_series(1, 20) q, generate_series(1, 60) n;
INSERT INTO rings SELECT -i, (hashint8extended(1, 2) # i)::simhash FROM generate_series(1, 16383) i;
CREATE INDEX rings_fp ON rings USING bitblock (fp);
ANALYZE rings;
CREATE FUNCTION nearest_rings(rows int) RETURNS TABLE (q int, n bigint, ids bigint, distances int[]) LANGUAGE sql AS $$
  SELECT q, a.*
  FROM generate_series(1, 20) q,
    LATERAL (SELECT count(*), count(DISTINCT id), array_agg(d ORDER BY place)
             FROM (SELECT *, row_number() OVER () AS place
                   FROM (SELECT id, fp <-> hashint8extended(q, 2)::simhash AS d FROM rings ORDER BY fp <-> hashint8extended(q, 2)::simhash LIMIT rows) n) s) a $$;
SET work_mem = '64kB';
SET enable_seqscan = off; SET enable_sort = off;
SELECT plan_of('SELECT id FROM rings ORDER BY fp <-> ''0000000000000000'' LIMIT 1');
CREATE TEMP TABLE by_index AS SELECT rows, r.* FROM unnest(ARRAY[5, 40, 100, 8000]) rows, nearest_rings(rows) r;
SET enable_indexscan = off; SET enable_seqscan = on; SET enable_sort = on;
SELECT i.rows, count(*), bool_and(i.n = i.rows AND i.ids = i.rows) AS no_row_twice, bool_and(i.distances = s.distances[:i.rows]) AS same
  FROM by_index i JOIN nearest_rings(8000) s USING (q) GROUP BY i.rows ORDER BY i.rows;
RESET enable_indexscan; RESET enable_seqscan; RESET enable_sort; RESET work_mem;
DROP TABLE rings, by_index;
DROP FUNCTION nearest_rings;
