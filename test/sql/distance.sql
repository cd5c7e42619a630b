SELECT '0000000000000000'::simhash <-> 'ffffffffffffffff' AS "64", '0123456789abcdef'::simhash <-> '0123456789abcdef' AS "0",
       '0123456789abcdef'::simhash <~> '0123456789abcdee' AS "1", simhash_distance('000000000000000f', '0000000000000000') AS "4";
SELECT '000000000000001f'::simhash % '0000000000000000' AS near, '000000000000003f'::simhash % '0000000000000000' AS not_near;
SELECT k, simhash_within('000000000000000f', '0000000000000000', k)
FROM unnest(ARRAY[-2147483648, -1, 0, 3, 4, 64, 65, 2147483647]) k;
SELECT NULL::simhash <-> '0000000000000000', simhash_within('0000000000000000', NULL, 3), simhash_within('0000000000000000', '0000000000000000', NULL),
       NULL::simhash % '0000000000000000';

-- To clients a distance is an integer: only a cast ever names the domain
SELECT '0000000000000000'::simhash <-> 'ffffffffffffffff' AS d \gdesc
CREATE TABLE distance_t AS SELECT id, fp, fp <-> '0123456789abcdef' AS d FROM shaped_fps('clusters', 2000);
SELECT d + 1 AS plus, -d AS minus, d / 2 AS half, d::float8 / 64 AS ratio, d % 2 AS mod, coalesce(d, 0), greatest(d, 5),
       CASE WHEN d > 3 THEN 'far' ELSE 'near' END, width_bucket(d, 0, 64, 8), d::text, d || ' bits' AS text, to_char(d, '99')
FROM distance_t WHERE id = 1;
SELECT count(d), min(d), max(d), sum(d), round(avg(d), 3), percentile_disc(0.5) WITHIN GROUP (ORDER BY d) FROM distance_t;
SELECT d, count(*) FROM distance_t GROUP BY d ORDER BY d LIMIT 3;
SELECT array_agg(d ORDER BY d) FROM (SELECT DISTINCT d FROM distance_t ORDER BY d LIMIT 5) s;
SELECT count(*) FROM distance_t WHERE d IN (20, 21, 22);
SELECT count(*) FROM distance_t WHERE d = ANY (ARRAY[20, 21, 22]) AND d <> 21 AND NOT d = 20;
SELECT count(*) FROM distance_t WHERE d BETWEEN 20 AND 22 AND d < 22.5 AND d <= 22::float8;
SELECT count(*) FROM distance_t a WHERE d IN (SELECT b.d FROM distance_t b WHERE b.id < 3);
SELECT d FROM distance_t WHERE id = 1 UNION SELECT 30 ORDER BY 1;

-- A stored distance keeps its indexes, hash joins and merge joins
CREATE INDEX distance_d ON distance_t (d);
ANALYZE distance_t;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT plan_of('SELECT id FROM distance_t WHERE d <= 15');
SELECT plan_of('SELECT id FROM distance_t WHERE d < 15::bigint');
SELECT plan_of('SELECT id FROM distance_t WHERE d = 15::smallint');
SELECT plan_of('SELECT id FROM distance_t WHERE d = ''15''');
SELECT plan_of('SELECT id FROM distance_t WHERE 15 >= d');
SELECT plan_of('SELECT id FROM distance_t WHERE 15::smallint > d');
SELECT plan_of('SELECT id FROM distance_t WHERE 15::bigint = d');
SELECT plan_of('SELECT id FROM distance_t WHERE d > 50');
PREPARE by_distance AS SELECT count(*) FROM distance_t WHERE d <= $1;
EXECUTE by_distance(15);
DEALLOCATE by_distance;
RESET enable_seqscan; RESET enable_bitmapscan;
SET enable_nestloop = off; SET enable_mergejoin = off;
SELECT plan_of('SELECT count(*) FROM distance_t a JOIN distance_t b ON a.d = b.d') LIMIT 2;
SELECT plan_of('SELECT count(*) FROM distance_t a JOIN distance_t b ON a.d = b.id') LIMIT 2;
SET enable_hashjoin = off; RESET enable_mergejoin;
SELECT plan_of('SELECT count(*) FROM distance_t a JOIN distance_t b ON a.d = b.d') LIMIT 2;
RESET enable_hashjoin; RESET enable_nestloop;

-- Comparisons of rows, as for the next page of a list
SELECT count(*) FILTER (WHERE (d, id) < (20, 1000)) = count(*) FILTER (WHERE (d::int, id) < (20, 1000)) AS lt,
       count(*) FILTER (WHERE (d, id) <= (20::smallint, 1000)) = count(*) FILTER (WHERE (d::int, id) <= (20, 1000)) AS le,
       count(*) FILTER (WHERE (d, id) > (20, 1000)) = count(*) FILTER (WHERE (d::int, id) > (20, 1000)) AS gt,
       count(*) FILTER (WHERE (d, id) >= (20::bigint, 1000)) = count(*) FILTER (WHERE (d::int, id) >= (20, 1000)) AS ge,
       count(*) FILTER (WHERE (20::bigint, 1000) >= (d, id)) = count(*) FILTER (WHERE (d::int, id) <= (20, 1000)) AS ge2,
       count(*) FILTER (WHERE (20::smallint, 1000) > (d, id)) = count(*) FILTER (WHERE (d::int, id) < (20, 1000)) AS gt2,
       count(*) FILTER (WHERE (fp <-> '0123456789abcdef', id) < (20, 1000)) = count(*) FILTER (WHERE (d::int, id) < (20, 1000)) AS of_distance,
       count(*) FILTER (WHERE (d, d) < (fp <-> '0123456789abcdee', d)) = count(*) FILTER (WHERE d < fp <-> '0123456789abcdee') AS of_two,
       count(*) AS "all" FROM distance_t;
SELECT count(*) FROM distance_t a WHERE (d, id) IN (SELECT b.d, b.id FROM distance_t b WHERE b.id < 3);
SELECT count(*) FROM distance_t a WHERE (d, id) NOT IN (SELECT b.d::int, b.id FROM distance_t b WHERE b.id < 3);
SELECT count(*) FROM distance_t a WHERE (d, id) = ANY (SELECT b.d::bigint, b.id FROM distance_t b WHERE b.id < 3) OR (d, id) IN ((1, 1), (99, 2));

-- Any bound, of any integer type, on either side, gives what plain arithmetic
-- gives: here with a column, a constant, and a parameter as bound.
CREATE TABLE bounds (b bigint);
INSERT INTO bounds VALUES (-9223372036854775808), (-2147483649), (-2147483648), (-2), (-1), (0), (1), (20), (24), (63), (64), (65), (2147483647), (2147483648), (9223372036854775807), (NULL);
DO $$
DECLARE
  q text := '''0123456789abcdef''::simhash';
  op text; typ text; b bigint; bound text; got bigint; param bigint; want bigint; tried int := 0; differ int := 0;
BEGIN
  FOREACH op IN ARRAY ARRAY['<=', '<', '=', '>=', '>', '<>'] LOOP
    FOREACH typ IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'numeric', 'unknown'] LOOP
      FOR b IN SELECT bounds.b FROM bounds WHERE typ IN ('bigint', 'numeric') OR bounds.b IS NULL
          OR typ = 'smallint' AND bounds.b BETWEEN -32768 AND 32767
          OR typ IN ('integer', 'unknown') AND bounds.b BETWEEN -2147483648 AND 2147483647 LOOP
        bound := quote_nullable(b) || CASE typ WHEN 'unknown' THEN '' ELSE '::' || typ END;
        FOR side IN 1..2 LOOP
          EXECUTE format(CASE side WHEN 1 THEN 'SELECT count(*) FROM distance_t WHERE (fp <~> %s) %s %s'
                         ELSE 'SELECT count(*) FROM distance_t WHERE %3$s %2$s (fp <~> %1$s)' END,
                         q, op, bound || CASE typ WHEN 'unknown' THEN '::int' ELSE '' END) INTO want;
          EXECUTE format(CASE side WHEN 1 THEN 'SELECT count(*) FROM distance_t WHERE fp <-> %s %s %s'
                         ELSE 'SELECT count(*) FROM distance_t WHERE %3$s %2$s (fp <-> %1$s)' END, q, op, bound) INTO got;
          SET LOCAL plan_cache_mode = force_generic_plan;
          EXECUTE format('PREPARE bounded%s AS SELECT count(*) FROM distance_t WHERE %s',
                         CASE typ WHEN 'unknown' THEN '' ELSE '(' || typ || ')' END,
                         CASE side WHEN 1 THEN format('fp <-> %s %s $1', q, op) ELSE format('$1 %s (fp <-> %s)', op, q) END);
          EXECUTE format('EXECUTE bounded(%L)', b) INTO param;
          DEALLOCATE bounded;
          tried := tried + 1;
          IF got <> want OR param <> want THEN
            differ := differ + 1;
            RAISE NOTICE 'distance % % (side %): % and %, not %', op, bound, side, got, param, want;
          END IF;
        END LOOP;
      END LOOP;
    END LOOP;
  END LOOP;
  RAISE NOTICE '% compared, % differ', tried, differ;
END $$;
SELECT b, count(*) FILTER (WHERE fp <-> '0123456789abcdef' <= b) AS le, count(*) FILTER (WHERE fp <-> '0123456789abcdef' < b) AS lt,
       count(*) FILTER (WHERE fp <-> '0123456789abcdef' = b) AS eq, count(*) FILTER (WHERE b >= fp <-> '0123456789abcdef') AS ge,
       count(*) FILTER (WHERE b > fp <-> '0123456789abcdef') AS gt, count(*) FILTER (WHERE b = fp <-> '0123456789abcdef') AS eq
FROM bounds, distance_t GROUP BY b ORDER BY b;
DROP TABLE distance_t, bounds;
