-- Which rows of a list are the first of their near-duplicates?
CREATE TABLE hits (part int, rank int, fp simhash, wide bit varying);

-- The rule, row by row: first unless a row before it that is first itself is within the bound.
CREATE FUNCTION firsts(k int, wide bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  hit record;
  last_part int;
  kept simhash[];
  kept_wide bit varying[];
  answer text := '';
  first bool;
BEGIN
  FOR hit IN SELECT * FROM hits ORDER BY part, rank, fp LOOP
    IF hit.part IS DISTINCT FROM last_part THEN
      kept := '{}';
      kept_wide := '{}';
      last_part := hit.part;
    END IF;
    IF wide THEN
      first := NOT EXISTS (SELECT FROM unnest(kept_wide) f WHERE f <#~> hit.wide <= k);
      IF first AND hit.wide IS NOT NULL THEN
        kept_wide := kept_wide || hit.wide;
      END IF;
    ELSE
      first := NOT EXISTS (SELECT FROM unnest(kept) f WHERE f <~> hit.fp <= k);
      IF first AND hit.fp IS NOT NULL THEN
        kept := kept || hit.fp;
      END IF;
    END IF;
    answer := answer || first::int;
  END LOOP;
  RETURN answer;
END $$;

-- Every shape, in one partition and in several, with NULLs; bounds around the default
CREATE FUNCTION first_differences(shape text, n int) RETURNS TABLE (shape_of_rows text, wrong text, compared bigint, firsts bigint) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE hits;
  INSERT INTO hits SELECT CASE WHEN id % 4 = 0 THEN id % 3 ELSE 9 END, abs(hashint4(id)) % 1000,
                          CASE WHEN id % 50 > 0 THEN s.fp END,
                          CASE WHEN id % 50 > 0 THEN s.fp::bit(64) || flip(s.fp, 2, id::text)::bit(64) END
                   FROM shaped_fps(shape, n) s;
  RETURN QUERY SELECT shape, string_agg(DISTINCT k || CASE WHEN is_wide THEN ' wide' ELSE '' END, ', ') FILTER (WHERE rule <> window_answer), count(*), sum(length(replace(rule, '0', '')))
  FROM unnest('{-1,0,1,3,5,9,10,20,40,64,128,2147483647}'::int[]) k, unnest('{f,t}'::bool[]) is_wide,
    LATERAL (SELECT firsts(k, is_wide) AS rule) r,
    LATERAL (SELECT string_agg(CASE WHEN is_wide THEN w ELSE s END::int::text, '' ORDER BY part, rank, fp) AS window_answer
             FROM (SELECT *, simhash_is_first(fp, k) OVER list AS s, bit_is_first(wide, k) OVER list AS w
                   FROM hits WINDOW list AS (PARTITION BY part ORDER BY rank, fp)) x) a;
END $$;
SELECT f.* FROM unnest('{random,equal,clusters,few bits,few values,low bits,high bits,counter,extremes}'::text[]) shape, first_differences(shape, 300) f;

-- Rows that are equal by the ORDER BY of the window have their own answers, whatever the frame is.
SELECT bool_and(a = b AND a = c AND a = d) AS same, count(*) FILTER (WHERE a) AS firsts, count(*) AS rows
FROM (SELECT simhash_is_first(fp) OVER (ORDER BY tie) AS a, simhash_is_first(fp, 5) OVER (ORDER BY tie ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b,
             simhash_is_first(fp) OVER (ORDER BY tie ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c, simhash_is_first(fp, NULL) OVER (ORDER BY tie GROUPS CURRENT ROW) AS d
      FROM (SELECT 1 AS tie, flip(random_fp((i % 10)::text), i % 3, i::text) AS fp FROM generate_series(1, 100) i) x) y;

-- More rows than one comparison takes, of several widths: each 7th row is a copy of an earlier row.
SELECT bits, count(*) FILTER (WHERE first <> (i % 7 > 0)) AS wrong, bool_or(first) AS found
FROM (SELECT bits, i, bit_is_first(substring(fp, 1, bits), 0) OVER (PARTITION BY bits ORDER BY i) AS first
      FROM (SELECT i, CASE WHEN i % 7 = 0 THEN i - 3 ELSE i END AS source FROM generate_series(1, rows_of_test(7000)) i) s,
        LATERAL (SELECT bit_from_hex(string_agg(md5(source || '.' || j), '' ORDER BY j)) AS fp FROM generate_series(1, 8) j) f, unnest('{64,80,256,1024}'::int[]) bits) x
GROUP BY bits ORDER BY bits;

-- A stream of rows: no order, a filter, a limit.  The scan ends at the limit.
CREATE SEQUENCE drawn;
SELECT id FROM (SELECT id, simhash_is_first(fp, 3) OVER () AS first FROM (SELECT i AS id, (i / 10)::bigint::simhash AS fp, nextval('drawn') FROM generate_series(1, 100000) i OFFSET 0) s) s WHERE first LIMIT 2;
SELECT last_value < 1000 AS ended_early FROM drawn;

-- The bound may differ from row to row.  NULL is always first.
SELECT id, k, simhash_is_first(fp, k) OVER (ORDER BY id)
FROM (VALUES (1, '0000000000000000'::simhash, 0), (2, '000000000000000f', 3), (3, '000000000000000f', -1), (4, '000000000000000f', 3), (5, 'ffffffffffffffff', 64), (6, NULL, 64), (7, NULL, NULL), (8, '000000000000001f', NULL)) v (id, fp, k);
SELECT bit_is_first(NULL) OVER (), simhash_is_first(NULL, NULL) OVER ();

-- Errors
SELECT simhash_is_first('0123456789abcdef');
SELECT bit_is_first(fp, 3) OVER (ORDER BY length(fp)) FROM (VALUES (NULL), (repeat('1', 64)::bit(64)), (repeat('1', 80)::bit(80)::bit varying)) v (fp);
SELECT length(fp), bit_is_first(fp, 3) OVER (PARTITION BY length(fp)) FROM (VALUES (repeat('1', 64)::bit(64)), (repeat('1', 80)::bit(80)::bit varying)) v (fp);
SELECT bit_is_first(B'0101', 1) OVER ();
SELECT bit_is_first(repeat('1', 1040)::bit(1040), 1) OVER ();
SELECT bit_is_first(repeat('1', 72)::bit(72)) OVER ();
SELECT simhash_is_first(random_fp('a')) FILTER (WHERE true) OVER ();
DROP TABLE hits;
DROP SEQUENCE drawn;
DROP FUNCTION firsts, first_differences;
