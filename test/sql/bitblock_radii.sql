-- bitblock where a search chooses its radii again, as some blocks cost far more than
-- expected and others less: fingerprints whose blocks are distributed unlike each other.
CREATE FUNCTION of_blocks(b0 int, b1 int, b2 int, b3 int) RETURNS simhash LANGUAGE sql IMMUTABLE AS
$$ SELECT ((b0::bigint << 48) | (b1::bigint << 32) | (b2::bigint << 16) | b3)::simhash $$;

-- Distances at which an index gives another number of rows than a sequential scan
CREATE FUNCTION unlike_bounds(t regclass, q simhash, low int, high int) RETURNS TABLE (k int, expected bigint, by_index bigint)
LANGUAGE plpgsql AS $$
BEGIN
  FOR bound IN low..high LOOP
    k := bound;
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true),
            set_config('enable_indexonlyscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
    EXECUTE format('SELECT count(*) FROM %s WHERE fp <-> %L <= %s', t, q, k) INTO expected;
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'on', true);
    EXECUTE format('SELECT count(*) FROM %s WHERE fp <-> %L <= %s', t, q, k) INTO by_index;
    IF by_index <> expected THEN
      RETURN NEXT;
    END IF;
  END LOOP;
END $$;

-- Two constant blocks, one of the upper half, one uniform; and a few rows apart from them
CREATE TABLE halves AS SELECT of_blocks(1234, b1, 5678, b3) AS fp FROM (
  SELECT * FROM (VALUES (7,3),(7,5),(3,7),(1,15),(15,1),(31,0),(0,31),(7,0),(0,7),(1,1)) v(b1, b3)
  UNION ALL
  SELECT 32768 + i % 32768, i * 7919 % 65536 FROM generate_series(1, 52000) i) t;
CREATE INDEX ON halves USING bitblock (fp);
SELECT count(*) FROM halves WHERE fp <-> of_blocks(1234, 0, 5678, 0) <= 5;
SELECT * FROM unlike_bounds('halves', of_blocks(1234, 0, 5678, 0), 0, 64);
SELECT * FROM unlike_bounds('halves', '1234000056780000', 0, 64);

-- Other places of the constant blocks, and other distributions of the rest
CREATE FUNCTION unlike(wide int, narrow int, i int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN i > 50 THEN (ARRAY[1234, 32768 + i % 32768, i * 7919 % 65536, 49152 + i % 16384, i % 65536])[wide]
               ELSE (ARRAY[1234, i * i % 32, i * 37 % 8, 1 << (i % 5), i % 16])[narrow] END $$;
CREATE TABLE layouts (wide int[], narrow int[]);
INSERT INTO layouts VALUES ('{1,4,3,1}', '{1,2,4,1}'), ('{4,1,5,1}', '{4,1,3,1}'), ('{1,1,4,4}', '{1,1,2,4}'),
  ('{2,1,1,3}', '{3,1,1,5}'), ('{1,2,2,1}', '{1,2,3,1}'), ('{2,3,1,1}', '{5,4,1,1}'), ('{3,2,1,4}', '{2,5,1,3}');
CREATE TABLE mixed (fp simhash);
SELECT format('TRUNCATE mixed; DROP INDEX IF EXISTS mixed_fp;
  INSERT INTO mixed SELECT of_blocks(unlike(%s,%s,i), unlike(%s,%s,i), unlike(%s,%s,i), unlike(%s,%s,i)) FROM generate_series(1, 40000) i;
  CREATE INDEX mixed_fp ON mixed USING bitblock (fp)',
  wide[1], narrow[1], wide[2], narrow[2], wide[3], narrow[3], wide[4], narrow[4]),
  format('SELECT %L AS layout, u.* FROM (SELECT DISTINCT fp FROM (SELECT fp FROM mixed LIMIT 5) f) q, unlike_bounds(''mixed'', q.fp, 4, 9) u', wide)
FROM layouts
\set ECHO none
\gexec
\set ECHO all
DROP TABLE mixed, layouts;

-- A constraint on balls finds the same conflicts: the many rows exclude equal ones only
CREATE TABLE alone AS SELECT fp, 0 AS radius FROM halves WHERE fp::bigint & x'0000800000000000'::bigint <> 0;
ALTER TABLE alone ADD EXCLUDE USING bitblock (simhash_ball(fp, radius) WITH &&);
INSERT INTO alone SELECT of_blocks(1234, b1, 5678, b3), 5
FROM unnest(ARRAY[0, 1, 3, 7, 15, 31, 240, 4080]) b1, unnest(ARRAY[0, 1, 3, 7, 15, 31, 240, 4080]) b3 ORDER BY b1 DESC, b3 DESC ON CONFLICT DO NOTHING;
SELECT count(*) AS kept FROM alone WHERE radius = 5;
SELECT count(*) AS conflicts FROM (SELECT fp FROM alone WHERE radius = 5 OFFSET 0) a, (SELECT fp FROM alone WHERE radius = 5 OFFSET 0) b WHERE (a.fp <~> b.fp) BETWEEN 1 AND 5;
DROP TABLE alone, halves;
