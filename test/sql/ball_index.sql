-- Indexes of balls find what a sequential scan finds, whatever the radii in them.

CREATE FUNCTION ball_differences(method text, shape text, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  q simhash_ball;
  condition text;
  pass text;
  stage text;
  expected text;
  answer text;
  rechecked bigint := 0;
  compared int := 0;
BEGIN
  -- radii of all sizes, rows that hold nothing and rows without a ball
  CREATE TABLE balls AS
  SELECT id, fp, CASE WHEN id % 50 = 0 THEN NULL ELSE simhash_ball(fp, CASE id % 5 WHEN 0 THEN -1 WHEN 1 THEN 8 ELSE id * 7 % 66 END) END AS ball
  FROM shaped_fps(shape, n);
  EXECUTE format('CREATE INDEX balls_ball ON balls USING %I (ball)', method);
  EXECUTE format('CREATE INDEX balls_8 ON balls USING %I (simhash_ball(fp, 8)) WHERE id %% 2 = 0', method);
  FOREACH stage IN ARRAY ARRAY['built', 'changed', 'rebuilt'] LOOP
    IF stage = 'changed' THEN
      INSERT INTO balls SELECT id + n, flip(fp, 2, 'more ' || id), simhash_ball(fp, id % 12) FROM balls;
      UPDATE balls SET ball = simhash_ball(substr(ball::text, 2, 16)::simhash, substring(ball::text FROM ',(.*)>')::int - 1) WHERE id % 4 = 1;
      DELETE FROM balls WHERE id % 3 = 0;
    END IF;
    FOR q IN
      SELECT simhash_ball(flip(center, radius % 5, 'q' || radius), radius)
      FROM unnest(ARRAY[-1, 0, 1, 3, 8, 13, 40, 64]) radius,
           unnest(ARRAY[(SELECT fp FROM balls ORDER BY md5(id::text) LIMIT 1), '0000000000000000', 'ffffffffffffffff', random_fp('other')]) center
    LOOP
      FOREACH condition IN ARRAY ARRAY[
        format('ball && %L', q), format('%L && ball', q), format('ball && %L AND ball && %L', q, simhash_ball(exclusive_or(substr(q::text, 2, 16)::simhash, '0000000000000011'), 9)),
        format('id %% 2 = 0 AND simhash_ball(fp, 8) && %L', q), format('ball && %L OR ball IS NULL', q),
        'ball IS NULL', 'ball IS NOT NULL', 'ball && NULL', 'true'] LOOP
        expected := NULL;
        FOREACH pass IN ARRAY ARRAY['enable_seqscan', 'enable_indexscan', 'enable_bitmapscan'] LOOP
          PERFORM set_config(s, CASE WHEN s = pass THEN 'on' ELSE 'off' END, true)
          FROM unnest(ARRAY['enable_seqscan', 'enable_indexscan', 'enable_bitmapscan']) s;
          EXECUTE format('SELECT coalesce(array_agg(id ORDER BY id), ''{}'')::text FROM balls WHERE %s', condition) INTO answer;
          IF answer <> expected THEN
            RETURN NEXT format('%s: %s by %s', stage, condition, pass);
          END IF;
          expected := coalesce(expected, answer);
          compared := compared + 1;
        END LOOP;
        IF expected <> '{}' THEN rechecked := rechecked + 1; END IF;
      END LOOP;
    END LOOP;
    IF method = 'bitblock' THEN
      PERFORM bitblock_check('balls_ball', true), bitblock_check('balls_8', true);
    END IF;
    IF stage = 'changed' THEN
      REINDEX TABLE balls;
    END IF;
  END LOOP;
  DROP TABLE balls;
  RETURN NEXT format('%s comparisons, %s', compared, CASE WHEN rechecked * 4 > compared / 3 THEN 'many of them with answers' ELSE 'few with answers' END);
END $$;

SELECT method, shape, d FROM unnest(ARRAY['gist', 'bitblock']) method,
  unnest(ARRAY['random', 'equal', 'clusters', 'few bits', 'low bits', 'extremes']) shape, ball_differences(method, shape, 600) d;

-- A bitmap that has become lossy, and the plans
CREATE TABLE balls AS SELECT id, simhash_ball(fp, id % 20) AS ball, fp FROM shaped_fps('clusters', 20000);
CREATE INDEX balls_gist ON balls USING gist (ball);
VACUUM ANALYZE balls;
SET enable_seqscan = off; SET enable_indexscan = off;
SELECT plan_of('SELECT * FROM balls WHERE ball && ''<c4ca4238a0b92382,40>''');
SET work_mem = '64kB';
SELECT count(*), count(*) FILTER (WHERE NOT ball && simhash_ball(random_fp('1'), 40)) FROM balls WHERE ball && simhash_ball(random_fp('1'), 40);
CREATE INDEX balls_bitblock ON balls USING bitblock (ball);
SELECT plan_of('SELECT * FROM balls WHERE ball && ''<c4ca4238a0b92382,40>''');
SELECT count(*), count(*) FILTER (WHERE NOT ball && simhash_ball(random_fp('1'), 40)) FROM balls WHERE ball && simhash_ball(random_fp('1'), 40);
RESET work_mem; SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT count(*) FROM balls WHERE ball && simhash_ball(random_fp('1'), 40);
RESET enable_indexscan; SET enable_seqscan = off;
-- a ball is never returned by the index, but rows are counted by it
SELECT plan_of('SELECT ball FROM balls WHERE ball && ''<0123456789abcdef,3>''');
DROP INDEX balls_gist;
SELECT plan_of('SELECT count(*) FROM balls');
SELECT count(*) FROM balls;
-- a join probes it, with either table's ball inside
SELECT plan_of('SELECT count(*) FROM balls a JOIN balls b ON a.ball && b.ball WHERE a.id <= 50');
SELECT count(*), (SELECT count(*) FROM balls a JOIN balls b ON a.fp <-> b.fp <= least(a.id % 20, b.id % 20) WHERE a.id <= 50) AS expected
FROM balls a JOIN balls b ON b.ball && a.ball WHERE a.id <= 50;
RESET enable_seqscan; RESET enable_bitmapscan;

-- Estimates of && are those of the distance to the centre within the smaller radius
CREATE INDEX balls_8 ON balls USING bitblock (simhash_ball(fp, 8));
CREATE INDEX balls_8_gist ON balls USING gist (simhash_ball(fp, 8));
ANALYZE balls;
SELECT plan_of('SELECT * FROM balls WHERE simhash_ball(fp, 8) && ''<0123456789abcdef,3>''');
SELECT k, estimated(format('SELECT * FROM balls WHERE simhash_ball(fp, %s) && %L', j, simhash_ball(fp, k)))
        = estimated(format('SELECT * FROM balls WHERE fp <-> %L <= %s', fp, least(j, k))) AS same
FROM balls, (VALUES (8, 3), (8, 8), (3, 30), (30, 64), (8, -1)) v (j, k) WHERE id = 7;
SELECT estimated('SELECT * FROM balls a JOIN balls b ON simhash_ball(a.fp, 8) && simhash_ball(b.fp, 8)')
     = estimated('SELECT * FROM balls a JOIN balls b ON a.fp <-> b.fp <= 8') AS same,
       estimated('SELECT * FROM balls WHERE simhash_ball(fp, 8) && NULL') AS of_null,
       estimated('SELECT * FROM balls WHERE ball && ''<0123456789abcdef,64>''') AS all_rows;

-- Exclusion: no two within the radius, in the order of arrival; NULL excludes nothing
CREATE FUNCTION excluded(method text, shape text, radius int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  kept int[];
  expected int[] := '{}';
  r record;
BEGIN
  CREATE TABLE unlike (id int, fp simhash);
  EXECUTE format('ALTER TABLE unlike ADD EXCLUDE USING %I (simhash_ball(fp, %s) WITH &&)', method, radius);
  INSERT INTO unlike VALUES (-1, NULL), (0, NULL);
  INSERT INTO unlike SELECT * FROM shaped_fps(shape, 800) ORDER BY id ON CONFLICT DO NOTHING;
  SELECT array_agg(id ORDER BY id) INTO kept FROM unlike WHERE id > 0;
  -- the first of each, by brute force
  FOR r IN SELECT * FROM shaped_fps(shape, 800) ORDER BY id LOOP
    IF NOT EXISTS (SELECT FROM unnest(expected) e JOIN shaped s ON s.id = e WHERE s.fp <-> r.fp <= radius) THEN
      expected := expected || r.id;
    END IF;
  END LOOP;
  BEGIN
    INSERT INTO unlike SELECT 1000, flip(fp, greatest(least(radius, 1), 0), 'one') FROM unlike WHERE id > 0 ORDER BY id LIMIT 1;
    IF radius >= 0 THEN RETURN 'a near-duplicate was not refused'; END IF;
  EXCEPTION WHEN exclusion_violation THEN
    IF radius < 0 THEN RETURN 'a row was refused'; END IF;
  END;
  DROP TABLE unlike;
  RETURN CASE WHEN kept = expected THEN 'kept ' || cardinality(kept) ELSE format('kept %s, expected %s', kept, expected) END;
END $$;
CREATE TABLE shaped (id int PRIMARY KEY, fp simhash);
DO $$
DECLARE m text; s text; r int; got text;
BEGIN
  FOREACH s IN ARRAY ARRAY['random', 'equal', 'clusters', 'few bits', 'low bits', 'extremes'] LOOP
    TRUNCATE shaped;
    INSERT INTO shaped SELECT * FROM shaped_fps(s, 800);
    FOREACH r IN ARRAY ARRAY[-1, 0, 3, 8, 20, 64] LOOP
      FOREACH m IN ARRAY ARRAY['gist', 'bitblock'] LOOP
        got := excluded(m, s, r);
        RAISE NOTICE '% % %: %', s, r, m, got;
      END LOOP;
    END LOOP;
  END LOOP;
END $$;

-- An exclusion constraint is made over rows that are there, or refused; so is one of
-- balls of different radii, where the smaller decides
CREATE TABLE unlike (fp simhash, radius int);
INSERT INTO unlike VALUES ('0000000000000000', 8), ('00000000000000ff', 7);
-- PostgreSQL 17 puts the schema before names
\set VERBOSITY terse
ALTER TABLE unlike ADD EXCLUDE USING bitblock (simhash_ball(fp, 8) WITH &&);
\set VERBOSITY default
ALTER TABLE unlike ADD CONSTRAINT by_radius EXCLUDE USING bitblock (simhash_ball(fp, radius) WITH &&);
INSERT INTO unlike VALUES ('00000000000000fe', 8);
INSERT INTO unlike VALUES ('00000000000000fe', 6);
ALTER TABLE unlike ADD CONSTRAINT by_radius_gist EXCLUDE USING gist (simhash_ball(fp, radius) WITH &&);
INSERT INTO unlike VALUES ('00000000000000fe', 2);
ALTER TABLE unlike DROP CONSTRAINT by_radius;
INSERT INTO unlike VALUES ('00000000000000fe', 2);
-- together with another column that gist can index
CREATE TABLE per_tenant (tenants int4range, fp simhash, EXCLUDE USING gist (tenants WITH &&, simhash_ball(fp, 8) WITH &&));
INSERT INTO per_tenant VALUES ('[1,2)', '0000000000000000'), ('[2,4)', '00000000000000ff'), ('[1,4)', '00000000000fffff');
INSERT INTO per_tenant VALUES ('[3,9)', '0000000000000000');
DROP TABLE per_tenant, unlike, balls, shaped;
-- what the operator classes are not for
CREATE TABLE no (b simhash_ball);
CREATE UNIQUE INDEX ON no USING bitblock (b);
CREATE INDEX ON no USING bitblock (b simhash_bitblock_ops);
\set VERBOSITY terse
ALTER TABLE no ADD EXCLUDE USING bitblock (b WITH @>);
\set VERBOSITY default
DROP TABLE no;
DROP FUNCTION ball_differences, excluded;
