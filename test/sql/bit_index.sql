-- Indexes of bit strings find the same rows as a sequential scan, in every width.
CREATE FUNCTION shaped_bits(shape text, n int, rows int) RETURNS TABLE (id int, b bit) LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT i, ' || CASE shape
    WHEN 'clusters' THEN $q$random_bits($2, (i % 30)::text) # sparse_bits($2, 2 + i % 7, i::text)$q$
    WHEN 'equal'    THEN $q$random_bits($2, (i % 3)::text)$q$
    WHEN 'few bits' THEN $q$sparse_bits($2, 6, i::text)$q$
    -- neighbouring bits agree, as in hashes of images
    WHEN 'runs'     THEN $q$(SELECT string_agg(repeat(c, 8), '') FROM regexp_split_to_table(random_bits($2 / 8, (i / 4)::text)::text, '') c)::bit varying # sparse_bits($2, 5, i::text)$q$
    END || ' FROM generate_series(1, $1) i' USING rows, n;
END $$;

-- Compare index and sequential scan over table t (id int, b bit(n)): one row for each
-- difference; the last row counts the comparisons.
CREATE FUNCTION bit_differences(t regclass, n int, queries bit varying[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  q bit varying;
  k int;
  condition text;
  expected text;
  answer text;
  answered int := 0;
  compared int := 0;
BEGIN
  FOREACH q IN ARRAY queries LOOP
    FOR condition IN
      SELECT format(c, q, i, n - i) FROM unnest(ARRAY[-1, 0, 1, 5, n / 16 - 1, n / 16, n / 8, n / 4, n / 3, n / 2, n - 1, n, n + 1]) i,
        unnest(ARRAY['b <-> %1$L <= %2$s', '%2$s > %1$L <-> b', 'b <-> %1$L >= %3$s', 'b <-> %1$L = %2$s', 'b <@ bit_ball(%1$L, %2$s)']) c
      UNION ALL SELECT format(c, q, n / 4, n - n / 3, ~q::bit varying, q # ('1' || repeat('0', n - 2) || '1')::bit varying)
      FROM unnest(ARRAY['b = %1$L', 'b <-> %1$L BETWEEN 3 AND %2$s', 'b <-> %1$L <= %2$s AND b <-> %5$L <= %2$s - 2',
        'b <-> %1$L <= %2$s AND b = %4$L', 'b <-> %1$L <= %2$s AND b <-> %4$L >= %3$s', 'b <-> %1$L < 3 OR b <-> %4$L < 3 OR b IS NULL',
        'b %% %1$L', '%1$L %% b AND b <-> %4$L <= %3$s', 'b %% ANY (ARRAY[%1$L, %4$L]::bit varying[]::bit[])', 'b %% ''0101'' OR b %% NULL', 'b <-> %1$L <= NULL', 'b IS NULL', 'b IS NOT NULL', 'b = ANY (ARRAY[%1$L, %4$L]::bit varying[]::bit[])']) c
    LOOP
      expected := NULL;
      FOREACH k IN ARRAY ARRAY[0, 1, 2] LOOP
        PERFORM set_config('enable_seqscan', (k = 0)::text, true), set_config('enable_indexscan', (k = 1)::text, true),
                set_config('enable_indexonlyscan', (k = 1)::text, true), set_config('enable_bitmapscan', (k = 2)::text, true);
        EXECUTE format('SELECT coalesce(array_agg(id ORDER BY id), ''{}'')::text FROM %s WHERE %s', t, condition) INTO answer;
        IF answer <> expected THEN
          RETURN NEXT format('%s of %s bits: %s', t, n, condition);
        END IF;
        expected := coalesce(expected, answer);
      END LOOP;
      compared := compared + 1;
      answered := answered + (expected <> '{}')::int;
    END LOOP;

    -- the sequence of distances is unique; the order of rows of equal distance is not
    FOREACH condition IN ARRAY ARRAY['', format('WHERE b <-> %L <= %s', q, n / 3), format('WHERE b <-> %L <= %s', ~q::bit varying, n / 2)] LOOP
      FOR k IN SELECT unnest(ARRAY[1, 10, 2147483647]) LOOP
        expected := NULL;
        FOR pass IN 0..1 LOOP
          PERFORM set_config('enable_seqscan', (pass = 0)::text, true), set_config('enable_sort', (pass = 0)::text, true),
                  set_config('enable_indexscan', (pass = 1)::text, true), set_config('enable_indexonlyscan', (pass = 1)::text, true),
                  set_config('enable_bitmapscan', 'off', true);
          EXECUTE format('WITH s AS MATERIALIZED (SELECT id, length(replace((b # %1$L)::text, ''0'', '''')) AS counted, b <-> %1$L AS d
                                FROM %2$s %3$s ORDER BY b <-> %1$L LIMIT %4$s)
                          SELECT array_agg(d)::text || (SELECT count(DISTINCT id) FROM s) || bool_and(d = counted) FROM s', q, t, condition, k) INTO answer;
          answer := coalesce(answer, 'none');
          IF answer <> expected THEN
            RETURN NEXT format('%s of %s bits: nearest %s of %s %s', t, n, k, q, condition);
          END IF;
          expected := coalesce(expected, answer);
        END LOOP;
        compared := compared + 1;
        answered := answered + (expected <> 'none')::int;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN NEXT format('%s bits: %s comparisons, %s with rows', n, compared, answered);
END $$;

-- An index that is built at once; an index of inserted rows, some of them changed and deleted
CREATE FUNCTION width_differences(n int, shape text, rows int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE queries bit varying[];
BEGIN
  EXECUTE format('CREATE TABLE built (id int, b bit(%1$s)); CREATE TABLE inserted (id int, b bit(%1$s));', n);
  INSERT INTO built SELECT * FROM shaped_bits(shape, n, rows_of_test(rows));
  CREATE INDEX built_b ON built USING bitblock (b);
  CREATE INDEX inserted_b ON inserted USING bitblock (b);
  INSERT INTO inserted SELECT * FROM built;
  INSERT INTO inserted VALUES (0, NULL), (-1, NULL);
  DELETE FROM inserted WHERE id % 3 = 0;
  UPDATE inserted SET b = b # sparse_bits(n, 4, 'changed' || id) WHERE id % 3 = 1;
  SELECT array_agg(b # sparse_bits(n, 3 + id % 4, 'query' || id)) INTO queries FROM (SELECT * FROM built ORDER BY md5(id::text) LIMIT 2) s;
  queries := queries || ARRAY[(SELECT b FROM inserted WHERE id > 0 ORDER BY id LIMIT 1), repeat('0', n)::bit varying, random_bits(n, 'none')]::bit varying[];
  RETURN QUERY SELECT bit_differences('built', n, queries);
  RETURN QUERY SELECT bit_differences('inserted', n, queries);
  PERFORM bitblock_check('built_b', true), bitblock_check('inserted_b', true);
  DROP TABLE built, inserted;
END $$;
SELECT width_differences(n, shape, 400) FROM (VALUES (64, 'clusters'), (128, 'clusters'), (144, 'runs'), (256, 'clusters'), (1024, 'clusters'), (80, 'few bits'), (128, 'equal')) v (n, shape);

-- Larger tables, with one query each, after VACUUM
CREATE TABLE images (id int, b bit(256));
INSERT INTO images SELECT * FROM shaped_bits('clusters', 256, 6000);
INSERT INTO images SELECT -i, NULL FROM generate_series(1, 20) i;
CREATE INDEX images_b ON images USING bitblock (b);
DELETE FROM images WHERE id % 7 = 0;
VACUUM ANALYZE images;
SELECT bit_differences('images', 256, ARRAY[b # sparse_bits(256, 4, 'query')]) FROM images WHERE id = 4243;
SELECT count(*) FROM images;
SELECT bitblock_check('images_b', true);

-- Generic plans: the radius, the center and the length are known at run time only
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
PREPARE within(bit, bigint) AS SELECT count(*) FROM images WHERE b <-> $1 <= $2;
PREPARE far(bit, int) AS SELECT count(*) FROM images WHERE b <-> $1 >= $2;
PREPARE equal(bit, int) AS SELECT count(*) FROM images WHERE b <-> $1 = $2;
PREPARE nearest(bit) AS SELECT array_agg(d) FROM (SELECT b <-> $1 AS d FROM images WHERE id > 0 ORDER BY b <-> $1 LIMIT 7) s;
CREATE FUNCTION generic_answers(q bit) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE k int; answer text;
BEGIN
  FOREACH k IN ARRAY ARRAY[-1, 0, 15, 31, 63, 64, 65, 100, 120, 200, 256, 2147483647] LOOP
    EXECUTE format('EXECUTE within(%L, %s)', q, k) INTO answer;
    RETURN NEXT format('within %s: %s %s', k, answer, answer::int = (SELECT count(*) FROM images WHERE bit_count_of(b # q) <= k));
    EXECUTE format('EXECUTE far(%L, %s)', q, k) INTO answer;
    RETURN NEXT format('at least %s: %s %s', k, answer, answer::int = (SELECT count(*) FROM images WHERE bit_count_of(b # q) >= k));
    EXECUTE format('EXECUTE equal(%L, %s)', q, k) INTO answer;
    RETURN NEXT format('equal %s: %s %s', k, answer, answer::int = (SELECT count(*) FROM images WHERE bit_count_of(b # q) = k));
  END LOOP;
  EXECUTE format('EXECUTE nearest(%L)', q) INTO answer;
  RETURN NEXT answer || ' ' || (answer = (SELECT array_agg(d)::text FROM (SELECT bit_count_of(b # q) AS d FROM images WHERE b IS NOT NULL ORDER BY 1 LIMIT 7) s));
END $$;
CREATE FUNCTION bit_count_of(b bit) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT length(replace(b::text, '0', '')) $$;
SELECT generic_answers(b # sparse_bits(256, 4, 'query')) FROM images WHERE id = 4243;
EXECUTE within(B'0101', 3);
EXECUTE far(B'0101', 3);
EXECUTE nearest(B'0101');
RESET plan_cache_mode;
DEALLOCATE ALL;

-- A bit string of another length: no row fulfils a condition, by index as by sequential scan.  The
-- distance, which the nearest are ordered by, is an error both ways.
SELECT count(*) FROM images WHERE b = B'0101';
SELECT count(*) FROM images WHERE b % '0101';
SELECT count(*) FROM images WHERE b <@ '<0101,3>';
CREATE TABLE lengths (id int, n int, b bit varying) PARTITION BY LIST (n);
CREATE TABLE lengths_64 PARTITION OF lengths FOR VALUES IN (64);
CREATE TABLE lengths_128 PARTITION OF lengths FOR VALUES IN (128);
CREATE INDEX ON lengths_64 USING bitblock (b) WITH (bits = 64);
CREATE INDEX ON lengths_128 USING bitblock (n, b) WITH (bits = 128);
INSERT INTO lengths SELECT id, n, b FROM (VALUES (64), (128)) v (n), shaped_bits('clusters', n, 500);
ANALYZE lengths;
CREATE TABLE of_balls AS SELECT id, bit_ball(b, 8) AS ball FROM shaped_bits('clusters', 128, 500);
CREATE INDEX ON of_balls USING bitblock (ball) WITH (bits = 128);
CREATE FUNCTION answers_of_lengths(q bit, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  answers text[];
  planned text;
  setting text;
BEGIN
  FOREACH setting IN ARRAY ARRAY['enable_seqscan', 'enable_indexscan', 'enable_bitmapscan'] LOOP
    PERFORM set_config(s, CASE WHEN s = setting THEN 'on' ELSE 'off' END, true) FROM unnest(ARRAY['enable_seqscan', 'enable_indexscan', 'enable_bitmapscan']) s;
    SELECT string_agg(DISTINCT substring(p, '(Seq|Index|Bitmap Index) Scan'), ', ') INTO planned FROM plan_of(format(condition, quote_literal(q) || '::bit(' || length(q) || ')')) p;
    BEGIN
      EXECUTE 'SELECT count(*) FROM (' || format(condition, quote_literal(q) || '::bit(' || length(q) || ')') || ') s' INTO answer;
    EXCEPTION WHEN OTHERS THEN
      answer := SQLSTATE;
    END;
    answers := answers || (planned || ': ' || answer);
  END LOOP;
  RETURN array_to_string(answers, '; ');
END $$;
SELECT condition, length(q) AS length, answers_of_lengths(q, 'SELECT * FROM ' || condition) AS answers
FROM unnest(ARRAY['lengths WHERE b <-> %s <= 20', 'lengths WHERE b %% %s', 'lengths WHERE b <-> %s >= 20', 'lengths WHERE b <-> %s = 0',
                  'lengths WHERE b <@ bit_ball(%s, 20)', 'lengths WHERE b <@ ANY (ARRAY[bit_ball(%s, 20), bit_ball(''0101'', 4)])',
                  'lengths WHERE n = 128 AND b <-> %s <= 20', 'lengths WHERE b <-> %s <= -1',
                  'lengths WHERE b <-> %1$s <= 20 AND b <-> ''0101'' <= 20', 'of_balls WHERE ball && bit_ball(%s, 20)']) WITH ORDINALITY c (condition, i),
     (SELECT b # sparse_bits(n, 4, 'query') AS q FROM lengths WHERE id = 47 UNION ALL SELECT '0101') q ORDER BY i, 2;
-- the nearest, of one partition and within a bound
SELECT condition, length(q) AS length, answers_of_lengths(q, 'SELECT * FROM ' || condition) AS answers
FROM unnest(ARRAY['lengths_128 WHERE n = 128 ORDER BY b <-> %s LIMIT 3', 'lengths_64 ORDER BY b <-> %s LIMIT 3', 'lengths_64 WHERE b <-> %1$s <= 20 ORDER BY b <-> %1$s',
                  'lengths_64 WHERE b IS NULL ORDER BY b <-> %s']) WITH ORDINALITY c (condition, i),
     (SELECT b # sparse_bits(n, 4, 'query') AS q FROM lengths WHERE id = 47 UNION ALL SELECT '0101') q ORDER BY i, 2;
-- a join of bit strings of both lengths, and a generic plan
SET enable_seqscan = off;
SELECT bool_or(p ~ 'Index') AS by_index FROM plan_of('SELECT * FROM lengths_64 a JOIN lengths_128 b ON a.b <-> b.b <= 20') p;
SELECT count(*) FROM lengths_64 a JOIN lengths_128 b ON a.b <-> b.b <= 20;
SELECT a.n, b.n, count(*) FROM lengths a JOIN lengths b ON a.b <-> b.b <= 8 AND a.id < 50 GROUP BY 1, 2;
SET plan_cache_mode = force_generic_plan;
PREPARE within_length(bit varying, int) AS SELECT count(*) FROM lengths_64 WHERE b <-> $1 <= $2;
EXECUTE within_length(repeat('0', 64)::bit varying, 64);
EXECUTE within_length('0101', 64);
RESET plan_cache_mode; RESET enable_seqscan;
DEALLOCATE ALL;
-- row-level security: no error tells of rows that the policy hides
CREATE ROLE regress_simhash_lengths;
ALTER TABLE lengths_64 ENABLE ROW LEVEL SECURITY;
CREATE POLICY none ON lengths_64 USING (id < 0);
GRANT SELECT ON lengths_64 TO regress_simhash_lengths;
SET ROLE regress_simhash_lengths;
SET enable_seqscan = off;
SELECT bool_or(p ~ 'Index Cond') AS by_index FROM plan_of('SELECT * FROM lengths_64 WHERE b <-> ''0101'' <= 3') p;
SELECT count(*) FROM lengths_64 WHERE b <-> '0101' <= 3;
RESET enable_seqscan;
RESET ROLE;
DROP TABLE lengths, of_balls;
DROP FUNCTION answers_of_lengths;
DROP ROLE regress_simhash_lengths;

-- Joins and semijoins
SELECT count(*) FROM images a JOIN images b ON a.b <-> b.b <= 20 AND a.id < b.id AND a.id < 300;
SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT count(*) FROM images a JOIN images b ON a.b <-> b.b <= 20 AND a.id < b.id AND a.id < 300;
RESET enable_indexscan; RESET enable_bitmapscan;
DROP TABLE images;

-- Columns of varying length, domains, expressions: the parameter or the type gives the width
CREATE DOMAIN hash128 AS bit(128);
CREATE DOMAIN short_hash AS hash128;
CREATE TABLE columns (id int, v bit varying, v128 bit varying(128), d short_hash, h text);
CREATE INDEX columns_v ON columns USING bitblock (v) WITH (bits = 128);
CREATE INDEX columns_d ON columns USING bitblock (d);
CREATE INDEX columns_h ON columns USING bitblock (bit_from_hex(h)) WITH (bits = 128, fillfactor = 50);
CREATE INDEX columns_cast ON columns USING bitblock ((v128::bit(128)));
INSERT INTO columns SELECT id, b, b, b, bit_to_hex(b) FROM shaped_bits('clusters', 128, 500);
INSERT INTO columns VALUES (0, NULL, NULL, NULL, NULL);
CREATE VIEW by_v AS SELECT id, v AS b FROM columns;
CREATE VIEW by_d AS SELECT id, d AS b FROM columns;
CREATE VIEW by_h AS SELECT id, bit_from_hex(h) AS b FROM columns;
CREATE VIEW by_cast AS SELECT id, v128::bit(128) AS b FROM columns;
SELECT bit_differences(t, 128, ARRAY(SELECT b # sparse_bits(128, 4, id::text) FROM shaped_bits('clusters', 128, 2))) FROM unnest('{by_v,by_d,by_h,by_cast}'::regclass[]) t;
INSERT INTO columns (v) VALUES ('0101');
INSERT INTO columns (h) VALUES ('0123456789abcdef');
SELECT count(*) FROM columns;
DROP TABLE columns CASCADE;

-- Widths that no index supports, and unknown widths
CREATE TABLE refused (b8 bit(8), b63 bit(63), b72 bit(72), b1040 bit(1040), b64 bit(64), v bit varying, ball bit_ball);
CREATE INDEX ON refused USING bitblock (b8);
CREATE INDEX ON refused USING bitblock (b63);
CREATE INDEX ON refused USING bitblock (b72);
CREATE INDEX ON refused USING bitblock (b1040);
CREATE INDEX ON refused USING bitblock (v);
CREATE INDEX ON refused USING bitblock (v) WITH (bits = 100);
CREATE INDEX ON refused USING bitblock (v) WITH (bits = 2048);
CREATE INDEX ON refused USING bitblock (ball);
CREATE INDEX ON refused USING bitblock ((b64 # b64));
CREATE INDEX ON refused USING gist (b64);
-- expressions that say the width
CREATE TABLE said (body text, b bit(128), v bit varying);
CREATE INDEX ON said USING bitblock (minhash_bits(body));
CREATE INDEX ON said USING bitblock (simhash_bits(body, features => 'words', n => 3, bits => 512));
CREATE INDEX ON said USING bitblock (bit_ball(b, 9));
CREATE INDEX ON said USING bitblock (length(body), bit_ball(minhash_bits(body, 192), 9));
CREATE INDEX ON said USING bitblock (simhash_bits_from_features(regexp_split_to_array(body, ' '), ARRAY[1.0, 2, 1, 1], 64));
CREATE INDEX ON said USING bitblock ((b::bit varying));
SELECT indexrelid::regclass, (SELECT max(tree) + 1 FROM bitblock_stats(indexrelid)) AS trees FROM pg_index WHERE indrelid = 'said'::regclass ORDER BY indexrelid;
CREATE INDEX ON said USING bitblock (minhash_bits(body, length(body)));
CREATE INDEX ON said USING bitblock (minhash_bits(body, NULL));
CREATE INDEX ON said USING bitblock (minhash_bits(body, 100));
CREATE INDEX ON said USING bitblock (bit_ball(v, 9));
-- not a function of the extension, in its schema
CREATE FUNCTION hash_of(text, int) RETURNS bit LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN minhash_bits($1, 64 * $2); END';
CREATE INDEX ON said USING bitblock (hash_of(body, 3));
INSERT INTO said (body, b) SELECT 'a b c d', random_bits(128, '1') FROM generate_series(1, 20);
SELECT count(bitblock_check(indexrelid, true)) FROM pg_index WHERE indrelid = 'said'::regclass;
TRUNCATE said;
DROP TABLE said;
DROP FUNCTION hash_of;
INSERT INTO refused (v) VALUES (repeat('0', 64)::bit varying), (repeat('0', 128)::bit varying);
CREATE INDEX ON refused USING bitblock (v) WITH (bits = 64);
DROP TABLE refused;

-- A change of type must leave a length, with rows or without, so that TRUNCATE and a restored schema find it
CREATE TABLE widened (id int, b bit(128));
CREATE INDEX widened_b ON widened USING bitblock (b);
ALTER TABLE widened ALTER b TYPE bit varying;
CREATE INDEX widened_id_b ON widened USING bitblock ((id % 3), b);
ALTER TABLE widened ALTER b TYPE bit varying;
INSERT INTO widened SELECT i, NULL FROM generate_series(1, 3000) i;
INSERT INTO widened SELECT id, b FROM shaped_bits('clusters', 128, 300);
ALTER TABLE widened ALTER b TYPE bit varying;
ALTER INDEX widened_b SET (bits = 128);
ALTER INDEX widened_id_b SET (bits = 128);
ALTER TABLE widened ALTER b TYPE bit varying;
CREATE INDEX ON widened USING bitblock (b);
CREATE INDEX ON widened USING bitblock (bit_ball(b, 3)) WHERE id < 0;
REINDEX TABLE widened;
REINDEX INDEX CONCURRENTLY widened_b;
VACUUM FULL widened;
SELECT bitblock_check('widened_b', true), bitblock_check('widened_id_b', true);
INSERT INTO widened SELECT 0, B'0101';
TRUNCATE widened;
ALTER INDEX widened_b RESET (bits);
TRUNCATE widened;
ALTER INDEX widened_b SET (bits = 128);
TRUNCATE widened;
SELECT string_agg(pg_get_indexdef(oid), ';' ORDER BY relname) AS definitions FROM pg_class WHERE relname ~ '^widened_' \gset
DROP INDEX widened_b, widened_id_b;
:definitions;
ALTER TABLE widened SET UNLOGGED;
CREATE TABLE widened_too (LIKE widened INCLUDING ALL);
INSERT INTO widened SELECT id, b FROM shaped_bits('clusters', 128, 300);
SELECT bitblock_check('widened_b', true), bitblock_check('widened_id_b', true);
DROP TABLE widened, widened_too;
-- a parameter that contradicts the type does not keep an index from being built again
CREATE TABLE fixed (b bit(64), fp simhash);
CREATE INDEX fixed_b ON fixed USING bitblock (b);
CREATE INDEX fixed_fp ON fixed USING bitblock (fp);
ALTER INDEX fixed_b SET (bits = 128);
ALTER INDEX fixed_fp SET (bits = 128);
INSERT INTO fixed VALUES (random_bits(64, '1'), '0123456789abcdef');
REINDEX TABLE fixed;
VACUUM FULL fixed;
TRUNCATE fixed;
-- nor from being created, as by a dump
SELECT string_agg(pg_get_indexdef(oid), ';' ORDER BY relname) AS definitions FROM pg_class WHERE relname ~ '^fixed_' \gset
DROP INDEX fixed_b, fixed_fp;
:definitions;
INSERT INTO fixed VALUES (random_bits(64, '1'), '0123456789abcdef');
SELECT bitblock_check('fixed_b', true), bitblock_check('fixed_fp', true);
ALTER INDEX fixed_b RESET (bits);
ALTER INDEX fixed_fp SET (bits = 64);
REINDEX TABLE fixed;
DROP TABLE fixed;

-- Exclusion: no two rows are within the radius, in any order of insertion; other columns may be NULL
CREATE TABLE kept (id int GENERATED ALWAYS AS IDENTITY, b bit(256), EXCLUDE USING bitblock (bit_ball(b, 31) WITH &&) WITH (bits = 256));
INSERT INTO kept (b) SELECT random_bits(256, '1');
INSERT INTO kept (b) SELECT ~random_bits(256, '1');
DO $$ BEGIN
  INSERT INTO kept (b) SELECT random_bits(256, '1') # sparse_bits(256, 4, 'near');
EXCEPTION WHEN exclusion_violation THEN RAISE NOTICE 'near-duplicate refused';
END $$;
INSERT INTO kept (b) VALUES (NULL), (NULL);
INSERT INTO kept (b) SELECT b FROM shaped_bits('clusters', 256, 300) ON CONFLICT DO NOTHING;
SELECT count(*) > 20 AS some, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM kept o WHERE o.id <> k.id AND o.b <-> k.b <= 31)) AS near_duplicates FROM kept k WHERE b IS NOT NULL;
SELECT count(*) FROM shaped_bits('clusters', 256, 300) s WHERE NOT EXISTS (SELECT 1 FROM kept k WHERE k.b <-> s.b <= 31);
DROP TABLE kept;
-- the same with %, at any width, without the parameter bits unless the type has no length
CREATE FUNCTION near_exclusion(n int, type text, shape text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  wrong int := 0;
  kept_rows int;
BEGIN
  EXECUTE format('CREATE TABLE kept (id int, tenant int, b %s)', type);
  EXECUTE 'ALTER TABLE kept ADD CONSTRAINT near EXCLUDE USING bitblock (tenant WITH =, b WITH %)' || CASE WHEN type ~ 'varying' THEN format(' WITH (bits = %s)', n) ELSE '' END;
  EXECUTE 'ALTER TABLE kept ADD CONSTRAINT near_all EXCLUDE USING bitblock (b WITH %)' || CASE WHEN type ~ 'varying' THEN format(' WITH (bits = %s)', n) ELSE '' END || ' WHERE (tenant = 0)';
  INSERT INTO kept VALUES (0, 0, NULL), (0, 0, NULL);
  FOR r IN SELECT id, id % 3 AS tenant, b FROM shaped_bits(shape, n, 200) LOOP
    INSERT INTO kept VALUES (r.id, r.tenant, r.b) ON CONFLICT DO NOTHING;
    wrong := wrong + (FOUND = EXISTS (SELECT 1 FROM kept k WHERE k.tenant = r.tenant AND k.id < r.id AND length(replace((k.b # r.b)::text, '0', '')) <= n * 5 / 64))::int;
    IF NOT FOUND THEN
      BEGIN
        INSERT INTO kept VALUES (r.id, r.tenant, r.b);
        wrong := wrong + 1;
      EXCEPTION WHEN exclusion_violation THEN NULL;
      END;
    END IF;
  END LOOP;
  DELETE FROM kept WHERE id % 2 = 0;
  PERFORM bitblock_check('near', true), bitblock_check('near_all', true);
  SELECT count(*) INTO kept_rows FROM kept WHERE b IS NOT NULL;
  DROP TABLE kept;
  RETURN format('%s wrong, some kept: %s', wrong, kept_rows BETWEEN 2 AND 99);
END $$;
CREATE DOMAIN hash256 AS bit(256);
SELECT n, type, shape, near_exclusion(n, type, shape)
FROM (VALUES (64, 'bit(64)', 'clusters'), (128, 'bit(128)', 'runs'), (144, 'bit(144)', 'few bits'), (256, 'bit(256)', 'clusters'), (256, 'bit varying', 'clusters'), (256, 'hash256', 'runs'), (1024, 'bit(1024)', 'clusters')) v (n, type, shape);
CREATE TABLE kept (b bit(256), EXCLUDE USING bitblock (b WITH %));
INSERT INTO kept VALUES (0::bit(256)), (((1 << 21) - 1)::bit(256));
INSERT INTO kept VALUES (((1 << 20) - 1)::bit(256)) ON CONFLICT DO NOTHING;
TABLE kept;
DROP TABLE kept;
DROP DOMAIN hash256;
DROP FUNCTION near_exclusion;
CREATE TABLE unique_bits (b bit(64), EXCLUDE USING bitblock (b WITH =));
INSERT INTO unique_bits VALUES (random_bits(64, '1')), (random_bits(64, '2')), (NULL), (NULL);
INSERT INTO unique_bits SELECT random_bits(64, i::text)  FROM generate_series(1, 4) i ON CONFLICT DO NOTHING;
SELECT count(*) FROM unique_bits;
DROP TABLE unique_bits;
-- balls as a column, with radii of all sizes
CREATE TABLE balls AS SELECT id, bit_ball(b, id % 150 - 1) AS ball FROM shaped_bits('clusters', 144, 800);
INSERT INTO balls VALUES (0, NULL);
CREATE INDEX balls_ball ON balls USING bitblock (ball) WITH (bits = 144);
ANALYZE balls;
CREATE FUNCTION ball_overlaps() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT string_agg(CASE WHEN b.id IS NULL THEN '-' ELSE b.id::text END, ' ' ORDER BY b.id)
  FROM unnest(ARRAY[-1, 0, 8, 20, 144]) k CROSS JOIN shaped_bits('clusters', 144, 3) q LEFT JOIN balls b ON b.id % 10 = 1 AND b.ball && bit_ball(q.b, k) GROUP BY k, q.id $$;
SET enable_seqscan = off;
CREATE TEMP TABLE by_index AS SELECT row_number() OVER () AS n, o FROM ball_overlaps() o;
RESET enable_seqscan; SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT count(*), count(*) FILTER (WHERE i.o <> s.o) AS differ FROM by_index i JOIN (SELECT row_number() OVER () AS n, o FROM ball_overlaps() o) s USING (n);
RESET enable_indexscan; RESET enable_bitmapscan;
SET enable_seqscan = off;
SELECT count(*) FROM balls WHERE ball && '<0101,3>';
RESET enable_seqscan;
INSERT INTO balls VALUES (1, '<0101,3>');
DROP TABLE balls, by_index;

-- Partitions, row-level security, unlogged and temporary tables, TOAST, CONCURRENTLY, REINDEX
CREATE TABLE parts (id int, b bit(128)) PARTITION BY RANGE (id);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (200);
CREATE TABLE parts2 (b bit(128), dropped int, id int);
ALTER TABLE parts2 DROP COLUMN dropped;
ALTER TABLE parts ATTACH PARTITION parts2 FOR VALUES FROM (200) TO (1000);
CREATE INDEX ON parts USING bitblock (b);
INSERT INTO parts SELECT * FROM shaped_bits('clusters', 128, 500);
SELECT bit_differences('parts', 128, ARRAY[sparse_bits(128, 4, 'query') # random_bits(128, '7')]);
DROP TABLE parts;
CREATE UNLOGGED TABLE unlogged_bits AS SELECT id, b::bit(128) AS b, repeat('long', 600) AS long FROM shaped_bits('runs', 128, 300);
CREATE INDEX CONCURRENTLY unlogged_index ON unlogged_bits USING bitblock (b);
CREATE TEMP TABLE temp_bits AS SELECT id, b::bit(1024) AS b FROM shaped_bits('clusters', 1024, 300);
CREATE INDEX temp_index ON temp_bits USING bitblock (b);
REINDEX INDEX CONCURRENTLY unlogged_index;
SELECT bit_differences('unlogged_bits', 128, ARRAY[sparse_bits(128, 4, 'query') # random_bits(128, '7')]);
SELECT bit_differences('temp_bits', 1024, ARRAY[sparse_bits(1024, 4, 'query') # random_bits(1024, '7')]);
DROP TABLE unlogged_bits, temp_bits;

-- Index-only scans return the bit string, also one that was stored with a short header
CREATE TABLE only_bits AS SELECT id, b::bit(976) AS b FROM shaped_bits('clusters', 976, 50);
INSERT INTO only_bits SELECT id + 50, b FROM only_bits;
CREATE INDEX ON only_bits USING bitblock (b);
VACUUM only_bits;
SET enable_seqscan = off;
SELECT plan_of('SELECT b FROM only_bits WHERE b <-> b''' || repeat('0', 976) || ''' <= 900 ORDER BY b <-> b''' || repeat('0', 976) || '''') ~ '^Index Only Scan' AS only LIMIT 1;
SELECT count(*) FROM (SELECT b FROM only_bits WHERE b <-> repeat('0', 976)::bit(976) <= 900) s JOIN shaped_bits('clusters', 976, 50) t ON s.b = t.b;
RESET enable_seqscan;
DROP TABLE only_bits;

DROP DOMAIN short_hash, hash128;
DROP FUNCTION ball_overlaps, generic_answers, bit_count_of, width_differences, bit_differences, shaped_bits;
