-- The index's answer equals the sequential scan's.
SELECT shape, method_differences('gist', shape, 1500)
FROM unnest(ARRAY['random', 'equal', 'clusters', 'few bits', 'few values', 'low bits', 'high bits', 'counter', 'extremes']) shape;

-- VACUUM, reuse, several levels
CREATE TABLE large (id int, fp simhash);
CREATE INDEX large_fp ON large USING gist (fp);
INSERT INTO large SELECT * FROM shaped_fps('clusters', 20000);
DELETE FROM large WHERE id % 2 = 0;
VACUUM ANALYZE large;
SELECT differences('large', ARRAY[random_fp('1'), random_fp('none')]);
INSERT INTO large SELECT id + 100000, fp FROM shaped_fps('random', 10000);
SELECT differences('large', ARRAY[random_fp('1'), random_fp('none')]);
VACUUM large;

-- All kinds of keys: none, one, two, contradicting, NULL, in a rescan
SET enable_seqscan = off;
SELECT plan_of('SELECT count(*) FROM large');
SELECT count(*) FROM large;
SELECT plan_of('SELECT fp FROM large WHERE fp <-> ''0123456789abcdef'' <= 20');
SELECT count(*), count(*) FILTER (WHERE (fp <~> '0123456789abcdef') > 20) AS wrong FROM (SELECT fp FROM large WHERE fp <-> '0123456789abcdef' <= 20 OFFSET 0) s;
SELECT count(*) FROM large WHERE fp = random_fp('5');
SELECT count(*) FROM large WHERE fp <-> random_fp('5') <= 3 AND fp <-> random_fp('6') <= 3;
SELECT count(*) FROM large WHERE fp <-> NULL <= 3;
SELECT count(*) FROM large WHERE fp <-> random_fp('5') <= NULL;
SELECT count(*) FROM large WHERE fp IS NULL;
SELECT (SELECT count(*) FROM large l WHERE l.fp <-> q.fp <= 3) FROM (VALUES (random_fp('5')), (random_fp('none')), (NULL), (random_fp('6'))) q(fp);
SELECT count(*) FROM (SELECT id FROM large ORDER BY fp <-> NULL LIMIT 3) s;
RESET enable_seqscan;
DROP TABLE large;

-- A million equal fingerprints would be slow to test; fifty thousand are not.
CREATE TABLE same AS SELECT i AS id, '0123456789abcdef'::simhash AS fp FROM generate_series(1, 50000) i;
CREATE INDEX same_fp ON same USING gist (fp);
INSERT INTO same SELECT i, '0123456789abcdef' FROM generate_series(50001, 60000) i;
SET enable_seqscan = off;
SELECT count(*) FROM same WHERE fp <-> '0123456789abcdef' <= 0;
SELECT count(*) FROM same WHERE fp <-> '0123456789abcdee' <= 0;
RESET enable_seqscan;
DROP TABLE same;

-- Exclusion constraint: a table that cannot hold two near-duplicates
CREATE TABLE unlike (id int, fp simhash, EXCLUDE USING gist (fp WITH %));
INSERT INTO unlike VALUES (1, '0000000000000000'), (2, '000000000000003f'), (3, NULL), (4, NULL);
INSERT INTO unlike VALUES (5, '000000000000001f');
INSERT INTO unlike VALUES (5, '000000000000001f') ON CONFLICT DO NOTHING;
INSERT INTO unlike SELECT id, fp FROM shaped_fps('clusters', 2000) ON CONFLICT DO NOTHING;
SELECT count(*) FROM unlike;
SELECT count(*) FROM unlike a JOIN unlike b ON a.fp <-> b.fp <= 5 AND a.id < b.id;
SELECT count(*) FROM shaped_fps('clusters', 2000) s WHERE NOT EXISTS (SELECT 1 FROM unlike u WHERE u.fp <-> s.fp <= 5);
DROP TABLE unlike;

-- Multicolumn with btree_gist, and including columns
SELECT count(*) > 0 AS have_btree_gist FROM pg_available_extensions WHERE name = 'btree_gist' \gset
\if :have_btree_gist
CREATE EXTENSION btree_gist;
CREATE TABLE tenants (tenant int, id int, fp simhash, EXCLUDE USING gist (tenant WITH =, fp WITH %));
INSERT INTO tenants SELECT id % 10, id, fp FROM shaped_fps('random', 10000);
INSERT INTO tenants SELECT 3, 0, fp FROM tenants WHERE id = 3;
INSERT INTO tenants SELECT 4, 0, fp FROM tenants WHERE id = 3;
ANALYZE tenants;
SELECT plan_of('SELECT id FROM tenants WHERE tenant = 3 AND fp <-> ''0123456789abcdef'' <= 3');
SELECT id FROM tenants WHERE tenant = 4 AND fp <-> random_fp('3') <= 3;
DROP TABLE tenants;
DROP EXTENSION btree_gist;
\endif

-- Equal fingerprints whose times overlap: from PostgreSQL 18 on by keys with WITHOUT OVERLAPS
CREATE TABLE valid (id int, fp simhash NOT NULL, during int4range NOT NULL);
DO $$
BEGIN
  IF current_setting('server_version_num')::int < 180000 THEN
    ALTER TABLE valid ADD CONSTRAINT once EXCLUDE USING gist (fp WITH =, during WITH &&);
    RETURN;
  END IF;
  EXECUTE 'ALTER TABLE valid ADD CONSTRAINT once PRIMARY KEY (fp, during WITHOUT OVERLAPS)';
  CREATE TABLE referring (fp simhash, during int4range);
  EXECUTE 'ALTER TABLE referring ADD FOREIGN KEY (fp, PERIOD during) REFERENCES valid (fp, PERIOD during)';
  INSERT INTO valid VALUES (0, '000000000000000f', '[1,5)'), (0, '000000000000000f', '[5,9)');
  INSERT INTO referring VALUES ('000000000000000f', '[2,7)');
  BEGIN
    INSERT INTO referring VALUES ('000000000000001f', '[2,7)');
    RAISE 'a fingerprint that is near is not equal';
  EXCEPTION WHEN foreign_key_violation THEN
    DROP TABLE referring;
  END;
END
$$;
INSERT INTO valid VALUES (1, '0123456789abcdef', '[1,5)'), (2, '0123456789abcdef', '[5,9)'), (3, '0123456789abcdee', '[1,9)');
INSERT INTO valid VALUES (4, '0123456789abcdef', '[4,6)');
INSERT INTO valid SELECT id, fp, '[4,6)' FROM valid ON CONFLICT DO NOTHING;
SELECT id, fp, during FROM valid WHERE id > 0 ORDER BY id;
DROP TABLE valid;

-- Unlogged and temporary tables, CREATE INDEX CONCURRENTLY, REINDEX, CLUSTER
CREATE UNLOGGED TABLE quick AS SELECT * FROM shaped_fps('random', 2000);
CREATE INDEX CONCURRENTLY quick_fp ON quick USING gist (fp);
REINDEX INDEX CONCURRENTLY quick_fp;
CLUSTER quick USING quick_fp;
SELECT differences('quick', ARRAY[random_fp('5')]);
DROP TABLE quick;
CREATE TEMP TABLE passing AS SELECT * FROM shaped_fps('random', 2000);
CREATE INDEX ON passing USING gist (fp);
SELECT differences('passing', ARRAY[random_fp('5')]);
DROP TABLE passing;

-- Backward and held cursors
CREATE TABLE cursors AS SELECT * FROM shaped_fps('clusters', 2000);
CREATE INDEX ON cursors USING gist (fp);
SET enable_seqscan = off; SET enable_bitmapscan = off;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT fp <-> random_fp('7') AS d FROM cursors ORDER BY fp <-> random_fp('7');
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
COMMIT;
RESET enable_seqscan; RESET enable_bitmapscan;
DROP TABLE cursors;

-- Keys are internal
SELECT ''::simhash_gist_key;
