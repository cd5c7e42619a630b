-- Order is that of the unsigned number.
SELECT fp FROM (VALUES ('8000000000000000'::simhash), ('7fffffffffffffff'), ('ffffffffffffffff'), ('0000000000000000'), ('0000000000000001')) v(fp)
ORDER BY fp;

-- Against numeric, on random pairs and on extremes
SELECT count(*) AS pairs, count(*) FILTER (WHERE (a < b) <> (a::numeric < b::numeric) OR (a <= b) <> (a::numeric <= b::numeric)
  OR (a = b) <> (a::numeric = b::numeric) OR (a <> b) <> (a::numeric <> b::numeric)
  OR (a > b) <> (a::numeric > b::numeric) OR (a >= b) <> (a::numeric >= b::numeric)
  OR simhash_cmp(a, b) <> sign(a::numeric - b::numeric)) AS wrong
FROM (SELECT x.fp AS a, y.fp AS b FROM shaped_fps('extremes', 60) x, shaped_fps('extremes', 60) y
      UNION ALL SELECT x.fp, y.fp FROM shaped_fps('random', 60) x, shaped_fps('random', 60) y) s;

-- DISTINCT, GROUP BY, joins in every way, hash partitioning
CREATE TABLE compare_t AS SELECT * FROM shaped_fps('few values', 3000);
ANALYZE compare_t;
SET enable_hashagg = off;
SELECT count(*) FROM (SELECT fp FROM compare_t GROUP BY fp) s;
RESET enable_hashagg;
SET enable_sort = off;
SELECT count(*) FROM (SELECT DISTINCT fp FROM compare_t) s;
RESET enable_sort;
SET enable_mergejoin = off; SET enable_nestloop = off;
SELECT count(*) FROM compare_t a JOIN compare_t b USING (fp);
SELECT * FROM plan_of('SELECT count(*) FROM compare_t a JOIN compare_t b USING (fp)') p WHERE p ~ 'Join|Cond';
RESET enable_mergejoin; SET enable_hashjoin = off;
SELECT count(*) FROM compare_t a JOIN compare_t b USING (fp);
SELECT * FROM plan_of('SELECT count(*) FROM compare_t a JOIN compare_t b USING (fp)') p WHERE p ~ 'Join|Cond';
RESET enable_hashjoin; RESET enable_nestloop;

CREATE INDEX compare_btree ON compare_t (fp);
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT * FROM plan_of('SELECT fp FROM compare_t ORDER BY fp LIMIT 1') p WHERE p ~ 'Index';
SELECT min(fp::numeric) = (SELECT fp FROM compare_t ORDER BY fp LIMIT 1)::numeric AS same FROM compare_t;
RESET enable_seqscan; RESET enable_bitmapscan;
DROP INDEX compare_btree;
CREATE INDEX compare_hash ON compare_t USING hash (fp);
SET enable_seqscan = off;
SELECT count(*) FROM compare_t WHERE fp = random_fp('3');
RESET enable_seqscan;
DROP TABLE compare_t;

CREATE TABLE compare_p (id int, fp simhash) PARTITION BY HASH (fp);
CREATE TABLE compare_p0 PARTITION OF compare_p FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE compare_p1 PARTITION OF compare_p FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO compare_p SELECT * FROM shaped_fps('random', 1000);
SELECT count(*) BETWEEN 400 AND 600 AS balanced FROM compare_p0;
SELECT count(*) FROM plan_of($$SELECT * FROM compare_p WHERE fp = '0123456789abcdef'$$) p WHERE p ~ 'Scan';
DROP TABLE compare_p;

-- The hash decides partitions, and never changes.
SELECT simhash_hash('0123456789abcdef'), simhash_hash_extended('0123456789abcdef', 0), simhash_hash_extended('0123456789abcdef', 42);
SELECT simhash_hash('0123456789abcdef')::bit(32) = simhash_hash_extended('0123456789abcdef', 0)::bit(32) AS agree;
