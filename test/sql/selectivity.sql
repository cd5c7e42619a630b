-- Estimates against what is there: within a factor of 3 or 3 rows.
CREATE TABLE random_docs AS SELECT * FROM shaped_fps('random', 20000);
CREATE TABLE common_docs AS SELECT * FROM shaped_fps('few values', 20000);
CREATE TABLE cluster_docs AS  -- one document in five belongs to one large cluster
SELECT id, CASE WHEN id % 5 = 0 THEN flip(random_fp('common'), 3, id::text) ELSE fp END AS fp FROM shaped_fps('random', 20000);
CREATE TABLE null_docs AS SELECT id, CASE WHEN id % 4 > 0 THEN fp END AS fp FROM random_docs;
ANALYZE random_docs, common_docs, cluster_docs, null_docs;

SELECT m.* FROM unnest(ARRAY['random_docs', 'common_docs', 'cluster_docs', 'null_docs']) t,
  unnest(ARRAY[-1, 0, 3, 8, 16, 20, 24, 32, 40, 64]) k,
  unnest(ARRAY[random_fp('none'), random_fp('5'), random_fp('common')]) q,
  misjudged(format('SELECT 1 FROM %s WHERE fp <-> %L <= %s', t, q, k)) m;
SELECT m.* FROM unnest(ARRAY['random_docs', 'common_docs', 'cluster_docs', 'null_docs']) t,
  unnest(ARRAY[random_fp('none'), random_fp('5'), random_fp('common')]) q,
  misjudged(format('SELECT 1 FROM %s WHERE fp %% %L', t, q)) m;
SELECT m.* FROM unnest(ARRAY['random_docs', 'common_docs', 'cluster_docs', 'null_docs']) t,
  unnest(ARRAY[random_fp('none'), random_fp('5'), random_fp('common')]) q,
  misjudged(format('SELECT 1 FROM %s WHERE fp <@ simhash_ball(%L, 10)', t, q)) m;

-- Joins: every pair within k
CREATE TABLE few AS SELECT * FROM random_docs WHERE id <= 500;
CREATE TABLE few_common AS SELECT * FROM common_docs WHERE id <= 500;
CREATE TABLE few_cluster AS SELECT * FROM cluster_docs WHERE id <= 500;
ANALYZE few, few_common, few_cluster;
SELECT m.* FROM unnest(ARRAY['few', 'few_common', 'few_cluster']) t, unnest(ARRAY['few', 'few_common', 'few_cluster']) u,
  unnest(ARRAY[-1, 0, 3, 20, 32, 64]) k,
  misjudged(format('SELECT 1 FROM %s t JOIN %s u ON t.fp <-> u.fp <= %s', t, u, k)) m;
SELECT m.* FROM misjudged('SELECT 1 FROM few t JOIN few_cluster u ON t.fp % u.fp') m;
-- semijoin and antijoin: each of 500 rows has a partner, or none has
SELECT m.* FROM misjudged('SELECT 1 FROM few f WHERE EXISTS (SELECT 1 FROM random_docs r WHERE r.fp <-> f.fp <= 3)') m;
SELECT m.* FROM misjudged('SELECT 1 FROM few f WHERE NOT EXISTS (SELECT 1 FROM random_docs r WHERE r.fp <-> f.fp <= 3)') m;

-- An unknown query is estimated as the average one, not at half the table
SET plan_cache_mode = force_generic_plan;
PREPARE unknown_query(simhash) AS SELECT 1 FROM random_docs WHERE fp <-> $1 <= 3;
SELECT estimated($$EXECUTE unknown_query('0123456789abcdef')$$) BETWEEN 1 AND 3 AS few;
PREPARE unknown_all(simhash, int) AS SELECT 1 FROM random_docs WHERE fp <-> $1 <= $2;
SELECT estimated($$EXECUTE unknown_all('0123456789abcdef', 64)$$) BETWEEN 1 AND 3 AS few;
PREPARE unknown_ball(simhash_ball) AS SELECT 1 FROM random_docs WHERE fp <@ $1;
SELECT estimated($$EXECUTE unknown_ball('<0123456789abcdef,3>')$$) BETWEEN 1 AND 3 AS few;
RESET plan_cache_mode;
DEALLOCATE ALL;

-- A table that was never analyzed, an empty one, one of NULLs only
CREATE TABLE bare AS SELECT * FROM random_docs LIMIT 5000;
SELECT estimated($$SELECT 1 FROM bare WHERE fp <-> '0123456789abcdef' <= 3$$) BETWEEN 1 AND 5 AS few;
CREATE TABLE nothing (fp simhash);
ANALYZE nothing;
SELECT count(*) FROM nothing WHERE fp <-> '0123456789abcdef' <= 3;
CREATE TABLE nulls AS SELECT NULL::simhash AS fp FROM generate_series(1, 1000);
ANALYZE nulls;
SELECT estimated($$SELECT 1 FROM nulls WHERE fp <-> '0123456789abcdef' <= 64$$) AS one;
SELECT estimated($$SELECT 1 FROM nulls a JOIN nulls b ON a.fp <-> b.fp <= 64$$) AS one;

-- A column of balls
CREATE TABLE balls AS SELECT simhash_ball(fp, 3) AS ball FROM random_docs LIMIT 1000;
ANALYZE balls;
SELECT estimated($$SELECT 1 FROM balls WHERE ball @> '0123456789abcdef'$$) BETWEEN 1 AND 3 AS few;
SELECT count(*) FROM balls WHERE ball @> random_fp('5');

DROP TABLE random_docs, common_docs, cluster_docs, null_docs, few, few_common, few_cluster, bare, nothing, nulls, balls;
