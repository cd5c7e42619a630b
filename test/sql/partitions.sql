-- Partitioned tables: each query form by the index of every partition it needs, with
-- the answers of a table in one piece; what cannot be had across partitions.
SET max_parallel_workers_per_gather = 0;
CREATE TABLE whole (id int, day date, fp simhash);
INSERT INTO whole
SELECT id, date '2026-01-01' + id % 120, fp FROM (
  SELECT (row_number() OVER ())::int AS id, fp FROM (
    SELECT fp FROM shaped_fps('random', 18000) UNION ALL SELECT fp FROM shaped_fps('clusters', 3000)
    UNION ALL SELECT fp FROM shaped_fps('equal', 200) UNION ALL SELECT fp FROM shaped_fps('few bits', 400)
    UNION ALL SELECT fp FROM shaped_fps('extremes', 400)) s) s2;
INSERT INTO whole SELECT 30000 + i, date '2026-01-01' + i % 120, NULL FROM generate_series(1, 100) i;
ANALYZE whole;

-- Four partitions each: hash of the id, hash of the fingerprint, range of time.  Indexes of
-- the partitioned table are those of all partitions, also of one attached later.
CREATE TABLE by_id (LIKE whole) PARTITION BY HASH (id);
CREATE TABLE by_fp (LIKE whole) PARTITION BY HASH (fp);
CREATE TABLE by_day (LIKE whole) PARTITION BY RANGE (day);
CREATE FUNCTION month_of(i int) RETURNS date LANGUAGE sql AS $$ SELECT (date '2026-01-01' + make_interval(months => i))::date $$;
DO $$
BEGIN
  FOR i IN 0..3 LOOP
    EXECUTE format('CREATE TABLE by_id_%s PARTITION OF by_id FOR VALUES WITH (MODULUS 4, REMAINDER %1$s)', i);
    EXECUTE format('CREATE TABLE by_fp_%s PARTITION OF by_fp FOR VALUES WITH (MODULUS 4, REMAINDER %1$s)', i);
    IF i < 3 THEN
      EXECUTE format('CREATE TABLE by_day_%s PARTITION OF by_day FOR VALUES FROM (%L) TO (%L)', i, month_of(i), month_of(i + 1));
    END IF;
  END LOOP;
END $$;
CREATE INDEX ON by_id USING bitblock (fp);
CREATE INDEX ON by_fp USING bitblock (fp);
CREATE INDEX ON by_day USING bitblock (fp);
CREATE TABLE by_day_3 (fp simhash, gone int, day date, id int);	-- other column numbers
ALTER TABLE by_day_3 DROP COLUMN gone;
ALTER TABLE by_day ATTACH PARTITION by_day_3 FOR VALUES FROM ('2026-04-01') TO ('2026-05-01');
INSERT INTO by_id TABLE whole;
INSERT INTO by_fp TABLE whole;
INSERT INTO by_day TABLE whole;
ANALYZE by_id;
ANALYZE by_fp;
ANALYZE by_day;
SELECT relid, amname FROM (VALUES ('by_id'), ('by_fp'), ('by_day')) t (name), pg_partition_tree(name::regclass) p
  JOIN pg_index ON indrelid = p.relid JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam
WHERE isleaf ORDER BY relid::text;

-- Plans: lookup, parameter, nearest by Merge Append
SET enable_bitmapscan = off;	-- which of the two is cheaper is not the question here
SELECT plan_of($$SELECT id FROM by_id WHERE fp <-> 'c0ffee0123456789' <= 3$$);
SELECT plan_of($$SELECT id FROM by_id WHERE fp % 'c0ffee0123456789'$$);
SELECT plan_of($$SELECT id FROM by_id ORDER BY fp <-> 'c0ffee0123456789' LIMIT 5$$);
SELECT plan_of($$SELECT id FROM by_day WHERE fp <-> 'c0ffee0123456789' <= 8 ORDER BY fp <-> 'c0ffee0123456789' LIMIT 5$$);
PREPARE lookup (text, int) AS SELECT id FROM by_id WHERE fp <-> simhash($1) <= $2;
SET plan_cache_mode = force_generic_plan;
SELECT plan_of($$EXECUTE lookup('some text', 3)$$);
RESET plan_cache_mode;
DEALLOCATE lookup;

-- Pruning: by a constant, by a parameter when the plan is run; the fingerprint's partition
-- only when it is equal, which a distance does not tell
SELECT plan_of($$SELECT id FROM by_day WHERE day >= '2026-02-10' AND day < '2026-03-10' AND fp <-> 'c0ffee0123456789' <= 3$$);
SELECT plan_of($$SELECT id FROM by_day WHERE day = '2026-02-10' ORDER BY fp <-> 'c0ffee0123456789' LIMIT 5$$);
SELECT plan_of($$SELECT id FROM by_fp WHERE fp = 'c0ffee0123456789'$$);
SELECT count(*) AS scans FROM plan_of($$SELECT id FROM by_fp WHERE fp <-> 'c0ffee0123456789' <= 1$$) p WHERE p ~ 'Scan using';
PREPARE by_time (simhash, date) AS SELECT id FROM by_day WHERE day = $2 AND fp <-> $1 <= 3;
SET plan_cache_mode = force_generic_plan;
CREATE FUNCTION subplans_removed(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'Subplans Removed' THEN
      RETURN trim(line);
    END IF;
  END LOOP;
END $$;
SELECT subplans_removed($$EXECUTE by_time('c0ffee0123456789', '2026-02-10')$$);
RESET plan_cache_mode;
DEALLOCATE by_time;

-- The pair join: each row of one side probes every partition's index of the other
SET enable_hashjoin = off;
SELECT plan_of($$SELECT a.id, b.id FROM whole a JOIN by_id b ON a.fp <-> b.fp <= 3 AND a.id < b.id$$);
RESET enable_hashjoin;
RESET enable_bitmapscan;

-- Answers: differences() compares by index, bitmap and sequential scan, and here also
-- with the table in one piece.
CREATE VIEW queries AS SELECT ARRAY['0123456789abcdef', '0000000000000000', 'ffffffffffffffff', random_fp('7'), flip(random_fp('8'), 2, 'x')]::simhash[] AS q;
SELECT differences('by_id', q), differences('by_fp', q), differences('by_day', q) FROM queries;
CREATE FUNCTION answers_of(t regclass, q simhash, k int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  EXECUTE format('SELECT concat_ws('' '',
    (SELECT array_agg(id ORDER BY id) FROM %1$s WHERE fp <-> $1 <= $2),
    (SELECT array_agg(id ORDER BY id) FROM %1$s WHERE fp <-> $1 <= $2 AND day BETWEEN ''2026-02-20'' AND ''2026-03-05''),
    (SELECT array_agg(d) FROM (SELECT fp <-> $1 AS d FROM %1$s ORDER BY fp <-> $1 LIMIT 40 * $2) s),
    (SELECT array_agg(d) FROM (SELECT fp <-> $1 AS d FROM %1$s WHERE day = ''2026-03-05'' ORDER BY fp <-> $1 LIMIT $2) s))', t)
    INTO answer USING q, k;
  RETURN answer;
END $$;
SET enable_seqscan = off;
SET enable_sort = off;
SELECT count(*) AS compared, count(*) FILTER (WHERE answers_of('by_id', fp, k) = expected) AS by_id,
       count(*) FILTER (WHERE answers_of('by_fp', fp, k) = expected) AS by_fp,
       count(*) FILTER (WHERE answers_of('by_day', fp, k) = expected) AS by_day,
       count(*) FILTER (WHERE expected ~ ',') AS of_several_rows
FROM queries, unnest(q) fp, generate_series(0, 12, 4) k, answers_of('whole', fp, k) expected;
RESET enable_seqscan;
RESET enable_sort;
-- pairs by joining a partitioned table with itself; of the table in one piece by
-- comparing all with all
CREATE TABLE few AS SELECT * FROM whole WHERE fp IS NOT NULL AND id % 20 = 0;
CREATE TABLE few_by_fp (LIKE whole) PARTITION BY HASH (fp);
CREATE TABLE few_by_fp_0 PARTITION OF few_by_fp FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE few_by_fp_1 PARTITION OF few_by_fp FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON few_by_fp USING bitblock (fp);
INSERT INTO few_by_fp TABLE few;
ANALYZE few_by_fp;
SET enable_seqscan = off;
SELECT plan_of($$SELECT a.id, b.id FROM few_by_fp a JOIN few_by_fp b ON a.fp <-> b.fp <= 3 AND a.id < b.id$$) AS plan;
CREATE TEMP TABLE found AS SELECT k, a.id AS a, b.id AS b FROM generate_series(0, 8, 2) k, few_by_fp a JOIN few_by_fp b ON a.id < b.id WHERE a.fp <-> b.fp <= k;
RESET enable_seqscan;
CREATE TEMP TABLE expected AS SELECT k, a.id AS a, b.id AS b FROM generate_series(0, 8, 2) k, few a JOIN few b ON a.id < b.id WHERE (a.fp <~> b.fp) <= k;
SELECT count(*) > 1000 AS many, (SELECT count(*) FROM (TABLE expected EXCEPT TABLE found) s) AS missed,
       (SELECT count(*) FROM (TABLE found EXCEPT TABLE expected) s) AS wrong FROM expected;
SELECT count(*) AS differ FROM (
  (SELECT a, b FROM simhash_pairs('SELECT id, fp FROM few_by_fp', NULL::int, 4) EXCEPT SELECT a, b FROM expected WHERE k = 4)
  UNION ALL (SELECT a, b FROM expected WHERE k = 4 EXCEPT SELECT a, b FROM simhash_pairs('SELECT id, fp FROM few_by_fp', NULL::int, 4))) s;

-- A row that an UPDATE moves, a partition that goes, and one that is emptied
UPDATE by_day SET day = day + 60 WHERE fp <-> '0123456789abcdef' <= 0 AND day < '2026-03-01';
SELECT tableoid::regclass, count(*) FROM by_day WHERE fp <-> '0123456789abcdef' <= 0 GROUP BY 1 ORDER BY 1;
ALTER TABLE by_day DETACH PARTITION by_day_0;
TRUNCATE by_day_1;
SET enable_bitmapscan = off;
SELECT plan_of($$SELECT id FROM by_day WHERE fp <-> 'c0ffee0123456789' <= 3$$);
RESET enable_bitmapscan;
SELECT differences('by_day', q) FROM queries;

-- A generated column; one fingerprint per text, in whatever partition
CREATE TABLE docs (id bigint GENERATED BY DEFAULT AS IDENTITY, body text NOT NULL, fp simhash GENERATED ALWAYS AS (simhash(body)) STORED) PARTITION BY RANGE (id);
CREATE TABLE docs_1 PARTITION OF docs FOR VALUES FROM (1) TO (3);
CREATE TABLE docs_2 PARTITION OF docs FOR VALUES FROM (3) TO (100);
CREATE INDEX ON docs USING bitblock (fp);
INSERT INTO docs VALUES (1, 'the quick brown fox'), (2, 'something else altogether'), (3, 'The QUICK brown fox!'), (4, 'yet another text');
SELECT tableoid::regclass, id FROM docs WHERE fp <-> simhash('the quick brown fox') <= 3 ORDER BY id;
SELECT id, fp <-> simhash('the quick brown fox') AS distance FROM docs ORDER BY 2, 1 LIMIT 2;
-- a table cannot be partitioned by it
CREATE TABLE docs_by_fp (body text, fp simhash GENERATED ALWAYS AS (simhash(body)) STORED) PARTITION BY HASH (fp);

-- Refusing near-duplicates: PostgreSQL has no such constraint across partitions (the
-- words depend on its version), each partition has one of its own, which knows nothing of
-- the others
DO $$
BEGIN
  ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %);
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE '%', SQLSTATE;
END $$;
ALTER TABLE docs_1 ADD EXCLUDE USING bitblock (fp WITH %);
ALTER TABLE docs_2 ADD EXCLUDE USING bitblock (fp WITH %);
INSERT INTO docs VALUES (5, 'Yet another text.') ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO docs VALUES (5, 'Yet another text.');
INSERT INTO docs VALUES (6, 'Something else, altogether') RETURNING id;
DROP TABLE docs;
-- A partition for each tenant or category makes it whole: near-duplicates of the others are
-- none
CREATE TABLE mail (tenant int, fp simhash) PARTITION BY LIST (tenant);
CREATE TABLE mail_1 PARTITION OF mail (EXCLUDE USING bitblock (fp WITH %)) FOR VALUES IN (1);
CREATE TABLE mail_2 PARTITION OF mail (EXCLUDE USING bitblock (fp WITH %)) FOR VALUES IN (2);
INSERT INTO mail SELECT tenant, fp FROM generate_series(1, 2) tenant, shaped_fps('clusters', 400) ON CONFLICT DO NOTHING;
SELECT count(*) AS within, (SELECT count(DISTINCT tenant) FROM mail) AS tenants FROM mail a JOIN mail b ON a.tenant = b.tenant AND a.ctid < b.ctid AND (a.fp <~> b.fp) <= 3;
DROP TABLE mail;

-- What holds across all partitions: the trigger that records originals, and one that
-- refuses whatever it has found an original of
CREATE TABLE posts (id int, day date, fp simhash, duplicate_of int) PARTITION BY RANGE (day);
CREATE TABLE posts_1 PARTITION OF posts FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE posts_2 PARTITION OF posts FOR VALUES FROM ('2026-02-01') TO ('2026-05-01');
CREATE INDEX ON posts USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER a_original BEFORE INSERT ON posts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock');
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER b_refuse BEFORE INSERT ON posts FOR EACH ROW WHEN (NEW.duplicate_of IS NOT NULL) EXECUTE FUNCTION refuse();
INSERT INTO posts SELECT id, day, fp FROM whole WHERE id % 4 = 0 ORDER BY id;
SELECT count(*) FILTER (WHERE p.id IS NULL) > 500 AS refused, count(DISTINCT p.tableoid) AS partitions,
       count(*) FILTER (WHERE p.id IS NULL AND NOT EXISTS (SELECT FROM posts o WHERE o.id < w.id AND (o.fp <~> w.fp) <= 3)) AS refused_wrongly,
       count(*) FILTER (WHERE EXISTS (SELECT FROM posts o WHERE o.id < p.id AND (o.fp <~> p.fp) <= 3)) AS kept_wrongly
FROM whole w LEFT JOIN posts p USING (id) WHERE w.id % 4 = 0 AND w.fp IS NOT NULL AND (w.id < 2000 OR w.id > 18000);
DROP TABLE posts;
DROP FUNCTION refuse;

-- No partitions, no rows, partitions of partitions
CREATE TABLE odd (id int, fp simhash) PARTITION BY LIST (id);
CREATE INDEX ON odd USING bitblock (fp);
SELECT id FROM odd WHERE fp <-> '0000000000000000' <= 64;
CREATE TABLE odd_default PARTITION OF odd DEFAULT PARTITION BY HASH (fp);
CREATE TABLE odd_default_0 PARTITION OF odd_default FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO odd SELECT * FROM shaped_fps('few bits', 300);
SELECT differences('odd', ARRAY['0000000000000000', '0000000000000007']::simhash[]);
DROP TABLE odd;

DROP VIEW queries;
DROP TABLE whole, by_id, by_fp, by_day, by_day_0, few, few_by_fp;
DROP FUNCTION month_of, subplans_removed, answers_of;
RESET max_parallel_workers_per_gather;
