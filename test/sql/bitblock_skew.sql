-- bitblock where fingerprints are distributed badly, and where rows come and go.

-- Many equal, few values, one half of the bits only, sorted: as large as its
-- entries need, and searched without reading it all.
CREATE FUNCTION pages_read(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
  RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::int + (plan->0->'Plan'->>'Shared Read Blocks')::int;
END $$;
CREATE FUNCTION skew(shape text, n int) RETURNS TABLE (entries bigint, filled boolean, matches bigint, few_pages boolean)
LANGUAGE plpgsql AS $$
DECLARE
  q simhash;
BEGIN
  CREATE TABLE s (id int, fp simhash) WITH (autovacuum_enabled = off);
  CREATE INDEX s_fp ON s USING bitblock (fp);
  INSERT INTO s SELECT * FROM shaped_fps(shape, n);
  PERFORM bitblock_check('s_fp', true);
  SELECT fp INTO q FROM s WHERE id = 7;
  SET LOCAL enable_seqscan = off;
  SET LOCAL enable_bitmapscan = off;
  SELECT max(b.entries), bool_and(b.fill > 0.45 OR b.tree = 4) INTO entries, filled FROM bitblock_stats('s_fp') b;
  EXECUTE format('SELECT count(*) FROM s WHERE fp <-> %L <= 2', q) INTO matches;
  -- what is far from all: next to nothing is to be read for it
  few_pages := pages_read(format('SELECT id FROM s WHERE fp <-> %L <= 3', complement(q))) < 40;
  DROP TABLE s;
  RETURN NEXT;
END $$;
SELECT shape, (skew(shape, 40000)).* FROM unnest(ARRAY['equal', 'few values', 'low bits', 'high bits', 'counter', 'random']) shape;

-- A block that is the same everywhere is left out where others decide
CREATE TABLE last16 (id int, fp simhash);
INSERT INTO last16 SELECT id, ((fp::bigint & -65536) | 4660)::simhash FROM shaped_fps('random', 60000);
CREATE INDEX last16_fp ON last16 USING bitblock (fp);
ANALYZE last16;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT pages_read('SELECT id FROM last16 WHERE fp <-> ''7777777777771234'' <= 3') < 80 AS few_pages;
RESET enable_seqscan; RESET enable_bitmapscan;
SELECT differences('last16', ARRAY['7777777777771234'::simhash, random_fp('3')]);
DROP TABLE last16;

-- What a backend remembers of an index grows old, and is replaced
CREATE TABLE growing (id int, fp simhash) WITH (autovacuum_enabled = off);
CREATE INDEX growing_fp ON growing USING bitblock (fp);
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT sum((SELECT count(*) FROM growing WHERE fp <-> random_fp(i::text) <= 3)) FROM generate_series(1, 100) i;
INSERT INTO growing SELECT * FROM shaped_fps('random', rows_of_test(100000));
SELECT sum((SELECT count(*) FROM growing WHERE fp <-> random_fp(i::text) <= 3)) FROM generate_series(1, 100) i;
SELECT pages_read('SELECT id FROM growing WHERE fp <-> ''0123456789abcdef'' <= 3') <= 12 AS few_pages;
RESET enable_seqscan; RESET enable_bitmapscan;
SELECT differences('growing', ARRAY[random_fp('3')]);
DELETE FROM growing WHERE id % 50 <> 0;
VACUUM growing;
SELECT differences('growing', ARRAY[random_fp('50')]);
DROP TABLE growing;
DROP FUNCTION skew, pages_read;

-- Rounds of replacing all rows: emptied pages are used again. With random
-- fingerprints pages empty here and there, with a counter from the left on.
-- (VACUUM is to remove them all, so no older snapshot, of an ANALYZE say, may see them.)
CREATE PROCEDURE wait_for_snapshots() LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..12000 LOOP
    PERFORM pg_stat_clear_snapshot();
    ASSERT i < 12000, 'a snapshot has been held for ten minutes';
    EXIT WHEN NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid());
    PERFORM pg_sleep(0.05);
  END LOOP;
END $$;
CREATE TABLE replaced (round int, fp simhash) WITH (autovacuum_enabled = off);
CREATE INDEX replaced_fp ON replaced USING bitblock (fp);
CREATE TABLE sizes (shape text, round int, pages bigint);
SELECT format('INSERT INTO replaced SELECT %s, %s FROM generate_series(%s, %s) i', round,
         CASE shape WHEN 'counter' THEN 'i::bigint::simhash' ELSE 'random_fp(i::text)' END, round * rows_of_test(100000), (round + 1) * rows_of_test(100000) - 1),
       format('DELETE FROM replaced WHERE round < %s', round),
       'CALL wait_for_snapshots()',
       'VACUUM replaced',
       format('INSERT INTO sizes VALUES (%L, %s, pg_relation_size(''replaced_fp'') / current_setting(''block_size'')::int)', shape, round),
       CASE WHEN round % 10 = 0 THEN 'SELECT bitblock_check(''replaced_fp'', true)' END
FROM unnest(ARRAY[0, 20]) first, LATERAL (VALUES (CASE first WHEN 0 THEN 'counter' ELSE 'random' END)) s(shape), generate_series(first + 1, first + 20) round
ORDER BY round
\set ECHO none
\gexec
\set ECHO all
SELECT shape, max(pages) FILTER (WHERE round % 20 = 0) <= 1.5 * max(pages) FILTER (WHERE round % 20 = 3) AS steady FROM sizes GROUP BY shape ORDER BY shape;
-- and with nothing left, all but a few pages are free
DELETE FROM replaced;
VACUUM replaced;
VACUUM replaced;
SELECT tree, inner_pages + leaf_pages <= 6 AS few_pages, entries FROM bitblock_stats('replaced_fp');
SELECT bitblock_check('replaced_fp', true);
DROP TABLE sizes;
DROP TABLE replaced;
DROP PROCEDURE wait_for_snapshots;
