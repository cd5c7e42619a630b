-- Index access method bitblock.
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'simhash_bitblock_ops';

-- The index's answer equals the sequential scan's.
SELECT shape, method_differences('bitblock', shape, 1500)
FROM unnest(ARRAY['random', 'equal', 'clusters', 'few bits', 'few values', 'low bits', 'high bits', 'counter', 'extremes']) shape;

-- A table large enough for splits, inner pages and radii that differ: before
-- and after VACUUM, with new rows in the place of old ones.
CREATE TABLE large (id int, fp simhash) WITH (autovacuum_enabled = off);
CREATE INDEX large_fp ON large USING bitblock (fp);
INSERT INTO large SELECT * FROM shaped_fps('clusters', 5000);
INSERT INTO large SELECT id + 5000, fp FROM shaped_fps('random', 25000);
INSERT INTO large SELECT 100000 + i, NULL FROM generate_series(1, 700) i;
SELECT bitblock_check('large_fp', true);
SELECT differences('large', ARRAY[random_fp('1'), random_fp('none')]);
DELETE FROM large WHERE id % 2 = 0;
SELECT differences('large', ARRAY[random_fp('1')]);
VACUUM large;
SELECT bitblock_check('large_fp', true);
SELECT tree, height, entries FROM bitblock_stats('large_fp');
SELECT differences('large', ARRAY[random_fp('1')]);
INSERT INTO large SELECT id + 200000, fp FROM shaped_fps('random', 10000);
UPDATE large SET fp = flip(fp, 3, id::text) WHERE id % 7 = 0;
DELETE FROM large WHERE id BETWEEN 5000 AND 30000;
VACUUM large;
INSERT INTO large SELECT id + 300000, fp FROM shaped_fps('few values', 5000);
SELECT bitblock_check('large_fp', true);
SELECT differences('large', ARRAY[random_fp('1'), random_fp('none')]);
ANALYZE large;

-- All kinds of keys: none, one, two, contradicting, NULL, in a rescan
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT plan_of('SELECT count(*) FROM large');
SELECT count(*), count(fp) FROM large;
SELECT plan_of('SELECT id FROM large WHERE fp <-> ''0123456789abcdef'' <= 3');
SELECT plan_of('SELECT fp FROM large ORDER BY fp <-> ''0123456789abcdef'' LIMIT 3');
SELECT count(*) FROM large WHERE fp = random_fp('5');
SELECT count(*) FROM large WHERE fp <-> random_fp('5') <= 3 AND fp <-> random_fp('6') <= 3;
SELECT count(*) FROM large WHERE fp <-> NULL <= 3;
SELECT count(*) FROM large WHERE fp <-> random_fp('5') <= NULL;
SELECT count(*) FROM large WHERE fp IS NULL;
SELECT count(*) FROM large WHERE fp IS NOT NULL;
SELECT count(*) FROM large WHERE fp IS NULL AND fp % random_fp('5');
SELECT (SELECT count(*) FROM large l WHERE l.fp <-> q.fp <= 3) FROM (VALUES (random_fp('5')), (random_fp('none')), (NULL), (random_fp('6'))) q(fp);

-- Nearest: rows without fingerprint come last, ties are broken by what follows
SELECT count(*) FROM (SELECT id FROM large ORDER BY fp <-> NULL) s;
SELECT count(*), count(d), bool_and((d IS NULL) = (n > 17500)) AS nulls_last FROM (SELECT fp <-> random_fp('5') AS d, row_number() OVER () AS n FROM (SELECT fp FROM large ORDER BY fp <-> random_fp('5') OFFSET 0) t) s;
SET enable_sort = off;
CREATE TEMP TABLE by_index AS SELECT row_number() OVER () AS n, * FROM (SELECT fp <-> random_fp('5') AS a, fp <-> random_fp('6') AS b FROM large ORDER BY fp <-> random_fp('5'), fp <-> random_fp('6')) s;
RESET enable_sort;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_seqscan = on;
SELECT count(*) FROM by_index JOIN (SELECT row_number() OVER () AS n, * FROM (SELECT fp <-> random_fp('5') AS a, fp <-> random_fp('6') AS b FROM large ORDER BY fp <-> random_fp('5'), fp <-> random_fp('6')) s) t USING (n) WHERE (by_index.a, by_index.b) IS DISTINCT FROM (t.a, t.b);
RESET enable_indexscan; RESET enable_indexonlyscan;
SET enable_seqscan = off;
-- In little memory: several passes, and one that is interrupted
SET work_mem = '64kB';
SELECT differences('large', ARRAY[random_fp('5')]);
RESET work_mem;
RESET enable_bitmapscan; RESET enable_seqscan;

-- BitmapAnd with another index, and the condition of a join
CREATE INDEX large_id ON large (id);
SET enable_seqscan = off; SET enable_indexscan = off;
SELECT plan_of('SELECT count(*) FROM large WHERE fp <-> random_fp(''1'') <= 20 AND id < 3000');
SELECT count(*) FROM large WHERE fp <-> random_fp('1') <= 20 AND id < 3000;
RESET enable_indexscan;
SET enable_indexscan = on; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(*) FROM large a JOIN large b ON a.fp <-> b.fp <= 3 AND a.id < b.id WHERE a.id < 2000 AND b.id < 5000;
RESET enable_bitmapscan; RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_seqscan; RESET enable_indexscan;
SELECT count(*) FROM large a JOIN large b ON (a.fp <~> b.fp) <= 3 AND a.id < b.id WHERE a.id < 2000 AND b.id < 5000;
DROP TABLE large;

-- Sorted and unsorted builds, in memory and in files, give the same index
CREATE TABLE built (id int, fp simhash);
INSERT INTO built SELECT * FROM shaped_fps('random', 60000);
INSERT INTO built SELECT id + 60000, fp FROM shaped_fps('low bits', 30000);
INSERT INTO built SELECT id + 90000, fp FROM shaped_fps('equal', 45000);
INSERT INTO built VALUES (0, NULL);
CREATE INDEX in_memory ON built USING bitblock (fp);
SET maintenance_work_mem = '1MB';
CREATE INDEX in_files ON built USING bitblock (fp) WITH (fillfactor = 50);
-- no block value has more rows than fit in memory
CREATE INDEX in_few_files ON built USING bitblock (fp) WHERE id BETWEEN 1 AND 60000;
RESET maintenance_work_mem;
SELECT bitblock_check('in_memory', true), bitblock_check('in_files', true), bitblock_check('in_few_files', true);
SELECT tree, entries, fill > 0.88 OR tree = 4 AS full FROM bitblock_stats('in_few_files');
SELECT m.tree, m.entries, m.entries = f.entries AS same, m.fill > 0.88 OR m.tree = 4 AS full, f.fill BETWEEN 0.45 AND 0.5 OR m.tree = 4 AS half
FROM bitblock_stats('in_memory') m JOIN bitblock_stats('in_files') f USING (tree);
DROP TABLE built;

-- Options and what is refused
CREATE TABLE refused (id int, fp simhash);
CREATE INDEX ON refused USING bitblock (fp, id);
CREATE INDEX ON refused USING bitblock (fp) INCLUDE (id);
CREATE UNIQUE INDEX ON refused USING bitblock (fp);
CREATE INDEX ON refused USING bitblock (fp) WITH (fillfactor = 5);
CREATE INDEX ON refused USING bitblock (fp) WITH (pages = 5);
CREATE INDEX ON refused USING bitblock (id);
CREATE INDEX refused_btree ON refused (id);
SELECT bitblock_check('refused_btree');
SELECT * FROM bitblock_stats('refused');
DROP TABLE refused;

-- Exclusion constraint: a table that cannot hold two near-duplicates
CREATE TABLE unlike (id int, fp simhash, EXCLUDE USING bitblock (fp WITH %));
INSERT INTO unlike VALUES (1, '0000000000000000'), (2, '000000000000003f'), (3, NULL), (4, NULL);
INSERT INTO unlike VALUES (5, '000000000000001f');
INSERT INTO unlike VALUES (5, '000000000000001f') ON CONFLICT DO NOTHING;
INSERT INTO unlike SELECT id, fp FROM shaped_fps('clusters', 2000) ON CONFLICT DO NOTHING;
SELECT count(*) FROM unlike;
SELECT count(*) FROM unlike a JOIN unlike b ON a.fp <-> b.fp <= 5 AND a.id < b.id;
SELECT count(*) FROM shaped_fps('clusters', 2000) s WHERE NOT EXISTS (SELECT 1 FROM unlike u WHERE u.fp <-> s.fp <= 5);
-- Its checks keep no memory until the command ends
CREATE FUNCTION memory_used() RETURNS numeric LANGUAGE sql AS $$ SELECT sum(total_bytes) FROM pg_backend_memory_contexts $$;
WITH kept AS (INSERT INTO unlike SELECT id, random_fp('kept' || id) FROM generate_series(1, 3000) id
              RETURNING CASE WHEN id % 1000 = 0 THEN memory_used() END AS bytes)
SELECT max(bytes) - min(bytes) < 2000000 AS little FROM kept;
DROP FUNCTION memory_used();
DROP TABLE unlike;

-- VACUUM does not know how many of the rows a partial index has
CREATE TABLE few AS SELECT id, fp FROM shaped_fps('random', 2000);
CREATE INDEX few_fp ON few USING bitblock (fp);
CREATE INDEX few_partial ON few USING bitblock (fp) WHERE id <= 100;
INSERT INTO few SELECT 100 + id, fp FROM shaped_fps('random', 1000);
ANALYZE few;
VACUUM few;
SELECT relname, reltuples FROM pg_class WHERE relname LIKE 'few_%' ORDER BY 1;
DROP TABLE few;

-- Unlogged and temporary tables, CREATE INDEX CONCURRENTLY, REINDEX, VACUUM FULL
CREATE UNLOGGED TABLE quick AS SELECT * FROM shaped_fps('random', 2000);
CREATE INDEX CONCURRENTLY quick_fp ON quick USING bitblock (fp);
REINDEX INDEX CONCURRENTLY quick_fp;
SELECT bitblock_check('quick_fp', true);
VACUUM FULL quick;
SELECT bitblock_check('quick_fp', true);
SELECT differences('quick', ARRAY[random_fp('5')]);
TRUNCATE quick;
INSERT INTO quick SELECT * FROM shaped_fps('random', 100);
SELECT bitblock_check('quick_fp', true);
CLUSTER quick USING quick_fp;
DROP TABLE quick;
CREATE TEMP TABLE passing AS SELECT * FROM shaped_fps('random', 2000);
CREATE INDEX passing_fp ON passing USING bitblock (fp);
INSERT INTO passing SELECT * FROM shaped_fps('clusters', 2000);
SELECT bitblock_check('passing_fp', true);
SELECT differences('passing', ARRAY[random_fp('5')]);
DROP TABLE passing;

-- Cursors: backward through a Materialize node
CREATE TABLE cursors AS SELECT * FROM shaped_fps('clusters', 2000);
CREATE INDEX ON cursors USING bitblock (fp);
SET enable_seqscan = off; SET enable_bitmapscan = off;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT fp <-> random_fp('7') AS d FROM cursors ORDER BY fp <-> random_fp('7');
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
COMMIT;
RESET enable_seqscan; RESET enable_bitmapscan;
DROP TABLE cursors;

-- HOT updates: the index keeps the root of the chain
CREATE TABLE chains (id int, fp simhash, note int) WITH (fillfactor = 50);
INSERT INTO chains SELECT id, fp, 0 FROM shaped_fps('random', 500);
UPDATE chains SET note = 1;
UPDATE chains SET note = 2 WHERE id % 2 = 0;
CREATE INDEX chains_fp ON chains USING bitblock (fp);
UPDATE chains SET note = note + 1;
SELECT bitblock_check('chains_fp', true);
SELECT differences('chains', ARRAY[random_fp('5')]);
DROP TABLE chains;
