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
