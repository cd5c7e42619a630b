-- Arrays of values of leading columns, and arrays of fingerprints: each query once by sequential
-- scan, and by index scan and bitmap scan with custom and generic plans.

-- One tenant has half of the rows, some have several, many have one; tenant 7 has only NULL.
CREATE TABLE posts (id int, tenant bigint, lang text, fp simhash, b bit(256));
INSERT INTO posts SELECT i, tenant, 'l' || i % 3, CASE WHEN tenant IS DISTINCT FROM 7 AND i % 29 > 0 THEN fp END,
  CASE WHEN tenant IS DISTINCT FROM 7 AND i % 29 > 0 THEN bit_from_hex(repeat(fp::text, 4)) # bit_from_hex(md5(i::text) || md5('b' || i)) & bit_from_hex(md5('c' || i) || md5('d' || i)) END
FROM shaped_fps('clusters', rows_of_test(2000)) s (i, fp),
  LATERAL (SELECT CASE WHEN i % 2 = 0 THEN 1 WHEN i % 3 = 0 THEN i % 9 WHEN i % 31 > 0 THEN 1000 + i END AS tenant) t;
CREATE INDEX posts_fp ON posts USING bitblock (tenant, fp);
VACUUM ANALYZE posts;

-- From PostgreSQL 16 on the planner sorts the rows of an aggregate with an order, unless this is off.
DO $$ BEGIN PERFORM set_config(name, 'off', false) FROM pg_settings WHERE name = 'enable_presorted_aggregate'; END $$;

-- Compare the plans of queries with the parameters $1, one of the arrays, and $2, one of the
-- fingerprints.  One row for each difference, and for each generic plan of an index scan that does
-- not serve all conditions; the last row counts the answers, and those that are not empty.
CREATE FUNCTION array_differences(type text, fps text[], queries text[], arrays text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  query text;
  array_ text;
  fp text;
  modes text[] := ARRAY['auto seqscan', 'force_custom_plan indexscan', 'force_generic_plan indexscan', 'force_custom_plan bitmapscan', 'force_generic_plan bitmapscan'];
  mode text;
  plan text;
  line text;
  expected text;
  answer text;
  answers int := 0;
  found int := 0;
BEGIN
  FOREACH query IN ARRAY queries LOOP
    -- a statement keeps its generic plan when the mode changes
    FOREACH mode IN ARRAY modes LOOP
      EXECUTE format('PREPARE %I (int[], %s) AS %s', mode, type, query);
    END LOOP;
    FOREACH array_ IN ARRAY arrays LOOP
      FOREACH fp IN ARRAY fps LOOP
        FOREACH mode IN ARRAY modes LOOP
          CONTINUE WHEN query ~ 'ORDER BY [^)]*<->' AND mode ~ 'bitmap';
          PERFORM set_config('plan_cache_mode', split_part(mode, ' ', 1), true),
            set_config('enable_seqscan', (mode ~ 'seqscan')::text, true), set_config('enable_sort', (mode ~ 'seqscan')::text, true),
            set_config('enable_indexscan', (mode ~ 'indexscan')::text, true), set_config('enable_bitmapscan', (mode ~ 'bitmap')::text, true);
          plan := '';
          FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) EXECUTE %I (%L, %L)', mode, array_, fp) LOOP
            plan := plan || line;
          END LOOP;
          EXECUTE format('EXECUTE %I (%L, %L)', mode, array_, fp) INTO answer;
          IF mode ~ 'seqscan' THEN
            expected := answer;
          ELSIF answer IS DISTINCT FROM expected THEN
            RETURN NEXT format('%s of %s with %s, %s: %s, not %s', mode, query, left(array_, 20), left(fp, 20), left(answer, 60), left(expected, 60));
          END IF;
          answers := answers + 1;
          found := found + (answer <> '{}')::int;
          -- constants may be folded away; the planner may leave conditions of a bitmap scan to a filter
          IF mode ~ 'generic' AND (plan !~ 'Index Cond: ' OR plan ~ 'Seq Scan| Sort' OR mode ~ 'indexscan' AND replace(plan, 'One-Time Filter: ', '') ~ 'Filter: ') THEN
            RETURN NEXT format('%s of %s: %s', mode, query, plan);
          END IF;
        END LOOP;
      END LOOP;
    END LOOP;
    DEALLOCATE ALL;
  END LOOP;
  RETURN NEXT format('%s answers, %s with rows', answers, found);
END $$;

-- The rows of a condition, or the distances of the nearest, in their order
CREATE FUNCTION rows_where(VARIADIC conditions text[]) RETURNS text[] LANGUAGE sql AS
$$ SELECT array_agg('SELECT coalesce(array_agg(id ORDER BY id), ''{}'')::text FROM posts WHERE ' || c) FROM unnest(conditions) c $$;
CREATE FUNCTION nearest_where(fp text, VARIADIC conditions text[]) RETURNS text[] LANGUAGE sql AS
$$ SELECT array_agg(format('SELECT coalesce(array_agg(d), ''{}'')::text || count(DISTINCT id) FROM (SELECT id, %1$s <-> $2 AS d FROM posts WHERE %2$s ORDER BY %1$s <-> $2 LIMIT %3$s) s', fp, c, n))
   FROM unnest(conditions) c, unnest(ARRAY['1', '10', 'ALL']) n $$;
CREATE VIEW tenant_lists AS
SELECT ARRAY['{}', NULL, '{NULL}', '{2}', '{2,2,NULL,5,2}', '{1,2,3,4,5,6,7,8}', '{{7,9999},{-1,1003}}', (SELECT array_agg(DISTINCT tenant)::text FROM posts)] AS lists;
CREATE FUNCTION fp_differences() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT array_differences('simhash', ARRAY[random_fp('1'), flip(random_fp('1'), 4, 'q')]::text[],
    rows_where('tenant = ANY ($1)', 'tenant = ANY ($1) AND fp <-> $2 <= -1', 'tenant = ANY ($1) AND fp <-> $2 <= 0', 'tenant = ANY ($1) AND fp <-> $2 <= 3', 'tenant = ANY ($1) AND fp <-> $2 <= 20',
      'tenant = ANY ($1) AND fp <-> $2 <= 64', 'tenant = ANY ($1) AND fp % $2', 'tenant = ANY ($1) AND fp = $2', 'tenant = ANY ($1) AND fp IS NULL', 'tenant = ANY ($1) AND fp IS NOT NULL',
      'tenant = ANY ($1) AND tenant = 2 AND fp % $2', 'tenant = ANY ($1) AND tenant IN (5, 2, 1) AND fp % $2', 'tenant = ANY ($1) AND tenant IS NULL AND fp % $2', 'tenant IN (1, 2, NULL, 1) AND fp <-> $2 <= 9 AND $1 IS NULL',
      'tenant = ANY ($1) AND fp % ANY (ARRAY[$2, NULL, complement($2), $2])')
      || nearest_where('fp', 'tenant = ANY ($1)', 'tenant = ANY ($1) AND fp <-> $2 <= 9', 'tenant = ANY ($1) AND fp <-> complement($2) <= 40', 'tenant = ANY ($1) AND tenant IN (5, 2)', 'tenant IN (1, 3) AND $1 IS NULL',
        'tenant = ANY ($1) AND fp <@ ANY (ARRAY[simhash_ball($2, 9), simhash_ball(complement($2), 20), simhash_ball($2, 7)])'),
    lists) FROM tenant_lists $$;
CREATE FUNCTION b_differences() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT array_differences('bit(256)', ARRAY(SELECT b::text FROM posts WHERE id IN (2, 9)),
    rows_where('tenant = ANY ($1) AND b <-> $2 <= 0', 'tenant = ANY ($1) AND b <-> $2 <= 70', 'tenant = ANY ($1) AND b <-> $2 <= 256', 'tenant = ANY ($1) AND b % $2', 'tenant = ANY ($1) AND b = $2', 'tenant = ANY ($1) AND b IS NULL',
      'tenant = ANY ($1) AND b = ANY (ARRAY[$2, NULL, complement($2), $2]::bit(256)[])')
      || nearest_where('b', 'tenant = ANY ($1)', 'tenant = ANY ($1) AND b <-> $2 <= 90', 'tenant IN (1, 3) AND $1 IS NULL'),
    lists) FROM tenant_lists $$;
SELECT fp_differences();
DROP INDEX posts_fp;
CREATE INDEX posts_b ON posts USING bitblock (tenant, b);
SELECT b_differences();
DROP INDEX posts_b;

-- Two columns: each combination of values.  Before PostgreSQL 17 the planner gives an ordered scan no
-- array of the second column, and cost.c adds it.
CREATE INDEX posts_lang_fp ON posts USING bitblock (tenant, lang, fp);
SELECT array_differences('simhash', ARRAY[random_fp('1')]::text[],
  rows_where('tenant = ANY ($1) AND lang = ANY (''{l1,l0,NULL,l9,l1}'') AND fp % $2', 'tenant = ANY ($1) AND lang = ''l2''', 'tenant = 1 AND lang IN (''l0'', ''l2'') AND fp <-> $2 <= cardinality($1)',
    'tenant = ANY ($1) AND lang IS NULL', 'tenant IS NULL AND lang = ANY (''{l0,l1,l2}'') AND fp <-> $2 <= cardinality($1)')
    || nearest_where('fp', 'tenant = ANY ($1) AND lang = ''l1''', 'tenant = ANY ($1) AND lang = ANY (''{l1,l0,NULL,l9,l1}'')', 'tenant = 1 AND lang IN (''l0'', ''l2'') AND fp <-> $2 <= cardinality($1) + 20'),
  lists) FROM tenant_lists;
DROP INDEX posts_lang_fp;
CREATE INDEX posts_fp ON posts USING bitblock (tenant, fp);

-- Arrays from other tables: each row is a new scan
CREATE TABLE askers (id int, tenants int[], fp simhash);
INSERT INTO askers SELECT i, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN ARRAY[1, NULL, i % 9] ELSE ARRAY(SELECT 1000 + g FROM generate_series(i, 200, i) g) || i % 9 END, flip(random_fp((i % 40)::text), i % 4, 'a') FROM generate_series(1, 30) i;
ANALYZE askers;
CREATE FUNCTION asked() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT md5(string_agg(format('%s %s', a.id, d), ',' ORDER BY a.id)) || ' ' || sum(cardinality(d)) FROM askers a,
    LATERAL (SELECT array_agg(d) AS d FROM (SELECT p.fp <-> a.fp AS d FROM posts p WHERE p.tenant = ANY (a.tenants) ORDER BY p.fp <-> a.fp LIMIT 5) s) s
  UNION ALL
  SELECT count(*) || ' ' || sum(p.id) FROM askers a JOIN posts p ON p.tenant = ANY (a.tenants) AND p.fp <-> a.fp <= 12 $$;
SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT asked();
RESET enable_indexscan; SET enable_seqscan = off; SET enable_sort = off;
SELECT asked();
SELECT plan_of('SELECT p.id FROM askers a, LATERAL (SELECT p.id FROM posts p WHERE p.tenant = ANY (a.tenants) ORDER BY p.fp <-> a.fp LIMIT 5) p');
RESET enable_seqscan; RESET enable_sort; RESET enable_bitmapscan;

-- The planner's choice, and how a scan with arrays differs from a filter
SELECT plan_of('SELECT id FROM posts WHERE tenant IN (1, 5) ORDER BY fp <-> ''0123456789abcdef'' LIMIT 10');
SELECT plan_of('SELECT id FROM posts WHERE tenant IN (2, 5) AND fp <-> ''0123456789abcdef'' <= 3');

-- Rows that change, VACUUM, more tags than work_mem holds
UPDATE posts SET tenant = tenant % 9 + 1 WHERE id % 5 = 0;
DELETE FROM posts WHERE id % 7 = 0;
SELECT fp_differences();
VACUUM posts;
SELECT bitblock_check('posts_fp', true);
SET work_mem = 64;
SELECT fp_differences();
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM posts WHERE tenant = ANY (ARRAY(SELECT generate_series(1, 20000))) ORDER BY fp <-> '0123456789abcdef' LIMIT 300) s;
RESET work_mem;

-- The fingerprint alone: arrays give each row once, and in order
CREATE TABLE alone AS SELECT id, fp, simhash_ball(fp, id % 9) AS ball FROM posts;
INSERT INTO alone VALUES (-1, '0000000000000000', simhash_ball('0000000000000000', 0));
CREATE INDEX alone_fp ON alone USING bitblock (fp);
CREATE INDEX alone_ball ON alone USING bitblock (ball);
VACUUM ANALYZE alone;
CREATE FUNCTION alone_answers() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', 'equal', count(*), sum(id)) FROM alone WHERE fp = ANY (ARRAY[random_fp('1'), NULL, random_fp('2'), random_fp('1')])
  UNION ALL SELECT concat_ws(' ', 'none', count(*), sum(id)) FROM alone WHERE fp = ANY ('{}')
  UNION ALL SELECT concat_ws(' ', 'near', count(*), sum(id)) FROM alone WHERE fp % ANY (ARRAY[random_fp('1'), flip(random_fp('1'), 2, 'a'), flip(random_fp('1'), 1, 'b')])
  UNION ALL SELECT concat_ws(' ', 'balls', count(*), sum(id)) FROM alone WHERE fp <@ ANY (ARRAY[simhash_ball(random_fp('1'), 8), simhash_ball(random_fp('1'), 3), simhash_ball(random_fp('9'), -1), simhash_ball(random_fp('2'), 30)])
  UNION ALL SELECT concat_ws(' ', 'both', count(*), sum(id)) FROM alone WHERE fp % ANY (ARRAY[random_fp('1'), random_fp('2')]) AND fp <-> random_fp('2') <= 6 AND fp % ANY (ARRAY[random_fp('3'), random_fp('2')])
  UNION ALL SELECT concat_ws(' ', 'overlap', count(*), sum(id)) FROM alone WHERE ball && ANY (ARRAY[simhash_ball(random_fp('1'), 3), simhash_ball(flip(random_fp('1'), 2, 'a'), 1)])
  UNION ALL SELECT concat_ws(' ', 'nearest', array_agg(d)) FROM (SELECT fp <-> random_fp('2') AS d FROM alone WHERE fp % ANY (ARRAY[random_fp('1'), random_fp('2'), random_fp('1')]) ORDER BY fp <-> random_fp('2') LIMIT 40) s $$;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
SELECT alone_answers();
RESET enable_indexscan; SET enable_seqscan = off; SET enable_sort = off;
SELECT alone_answers();
SET enable_indexscan = off; SET enable_bitmapscan = on;
SELECT alone_answers();
SET enable_bitmapscan = off; SET enable_indexonlyscan = on;
SELECT count(*), count(DISTINCT fp) FROM alone WHERE fp % ANY (ARRAY[random_fp('1'), random_fp('2'), flip(random_fp('1'), 1, 'a')]);
SELECT plan_of('SELECT count(*), count(DISTINCT fp) FROM alone WHERE fp % ANY (ARRAY[random_fp(''1''), random_fp(''2'')])');
RESET enable_seqscan; RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan; RESET enable_sort;

-- A bit string of another length than the column: no row within, an error for the order, as by sequential scan
SELECT count(*) FROM posts WHERE tenant IN (1, 2) AND b = ANY ('{0101}'::bit varying[]);
\set VERBOSITY sqlstate
SELECT id FROM posts WHERE tenant IN (1, 2) ORDER BY b <-> B'0101' LIMIT 1;
\set VERBOSITY default

-- Arrays of tenants and of balls: the scan searches for each pair, reads a tenant once for all balls,
-- or reads all tenants at once.  Balls are repeated, have unlike radii, and some have no rows.
CREATE PROCEDURE fill_posts(shape text) LANGUAGE sql AS $$
  TRUNCATE posts;
  INSERT INTO posts SELECT i, CASE WHEN i % 2 = 0 THEN 1 WHEN i % 3 = 0 THEN i % 5 WHEN i % 31 > 0 THEN 1000 + i END, 'l' || i % 3, nullif(fp, random_fp('3')), bit_from_hex(repeat(fp::text, 4))
    FROM shaped_fps(shape, rows_of_test(1500)) s (i, fp);
$$;
CREATE FUNCTION pair_differences(shape text, VARIADIC conditions text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  CALL fill_posts(shape);
  RETURN QUERY SELECT array_differences('simhash[]', ARRAY['{}', '{NULL}', '{0000000000000000,NULL,ffffffffffffffff,0123456789abcdef,0000000000000000}', (SELECT array_agg(flip(random_fp((i % 40)::text), i % 4, 'a'))::text FROM generate_series(1, 90) i)],
    rows_where(VARIADIC conditions), lists) FROM tenant_lists;
END $$;
CREATE FUNCTION bit_pair_differences(shape text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  CALL fill_posts(shape);
  RETURN QUERY SELECT array_differences('bit(256)[]', ARRAY['{}', (SELECT array_agg(b ORDER BY id)::text FROM posts WHERE id < 60), format('{NULL,%1$s,%2$s,%1$s}', repeat('0', 256), repeat('1', 256))],
    rows_where('tenant = ANY ($1) AND b % ANY ($2)', 'tenant = ANY ($1) AND b <@ ANY (ARRAY(SELECT bit_ball(f, (n * 7 % 130)::int - 1) FROM unnest($2) WITH ORDINALITY u (f, n)))'), lists) FROM tenant_lists;
END $$;
SELECT shape, pair_differences(shape, 'tenant = ANY ($1) AND fp % ANY ($2)', 'tenant = ANY ($1) AND fp % ANY ($2) AND fp = ANY ($2)', 'tenant = ANY ($1) AND fp <@ ANY (ARRAY(SELECT simhash_ball(f, (n * 7 % 45)::int - 1) FROM unnest($2) WITH ORDINALITY u (f, n)))')
  FROM unnest('{equal,few values,extremes,clusters}'::text[]) shape;
DROP INDEX posts_fp;
CREATE INDEX posts_lang_fp ON posts USING bitblock (tenant, lang, fp);
SELECT shape, pair_differences(shape, 'tenant = ANY ($1) AND lang = ANY (''{l1,l0,NULL,l1}'') AND fp % ANY ($2)') FROM unnest('{equal,clusters}'::text[]) shape;
DROP INDEX posts_lang_fp;
CREATE INDEX posts_b ON posts USING bitblock (tenant, b);
SELECT shape, bit_pair_differences(shape) FROM unnest('{extremes,clusters}'::text[]) shape;
CREATE INDEX posts_fp ON posts USING bitblock (tenant, fp);

-- The pages that 200 balls read: fewer than index and table have.  A search for each pair reads more.
PREPARE pairs_fp (int[], simhash[]) AS SELECT count(*) FROM posts WHERE tenant = ANY ($1) AND fp % ANY ($2);
PREPARE pairs_b (int[], bit[]) AS SELECT count(*) FROM posts WHERE tenant = ANY ($1) AND b % ANY ($2);
CREATE FUNCTION reads_once(col text, tenants text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  plan json;
  balls text;
BEGIN
  EXECUTE format('SELECT array_agg(%I)::text FROM (SELECT DISTINCT %1$I FROM posts WHERE %1$I IS NOT NULL ORDER BY 1 LIMIT 200) s', col) INTO balls;
  EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE pairs_%s (%L, %L)', col, tenants, balls) INTO plan;
  RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::int + (plan->0->'Plan'->>'Shared Read Blocks')::int < (pg_relation_size('posts_' || col) + pg_relation_size('posts')) / 8192;
END $$;
CALL fill_posts('random');
SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_indexscan = off;
SELECT col, left(tenants, 9) AS tenants, reads_once(col, tenants) FROM unnest('{fp,b}'::text[]) col, (VALUES ('{1}'), ('{3,1,2}'), ((SELECT array_agg(g)::text FROM generate_series(-9, 2600) g))) s (tenants);
RESET plan_cache_mode; RESET enable_indexscan;
-- Each row is a new scan
CREATE FUNCTION asked_pairs() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', count(*), count(DISTINCT (a.id, p.id)), sum(p.id), sum(a.id)) FROM askers a, posts p WHERE p.tenant = ANY (a.tenants) AND p.fp <@ ANY (ARRAY[simhash_ball(a.fp, a.id), simhash_ball(complement(a.fp), 25), simhash_ball(a.fp, 25)]) $$;
SELECT asked_pairs();
SET enable_indexscan = off; SET enable_bitmapscan = off; RESET enable_seqscan;
SELECT asked_pairs();
RESET enable_indexscan; RESET enable_bitmapscan;

DROP TABLE posts, askers, alone CASCADE;
DROP FUNCTION array_differences, rows_where, nearest_where, fp_differences, b_differences, asked, alone_answers, pair_differences, bit_pair_differences, reads_once, asked_pairs;
DROP PROCEDURE fill_posts;
