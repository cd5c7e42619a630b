-- Estimates for bit strings against the true numbers of rows: within a factor of 3 or 3 rows.

-- Random bit strings; few values; one row in five from a large cluster, of a type without a length; NULLs
CREATE TABLE random_bits_256 AS SELECT i AS id, random_bits(256, i::text)::bit(256) AS b FROM generate_series(1, 8000) i;
CREATE TABLE random_bits_1024 AS SELECT i AS id, random_bits(1024, i::text)::bit(1024) AS b FROM generate_series(1, 1000) i;
CREATE TABLE common_bits AS SELECT i AS id, random_bits(128, (i % 16)::text)::bit(128) AS b FROM generate_series(1, 8000) i;
CREATE TABLE cluster_bits AS SELECT id, CASE WHEN id % 5 = 0 THEN random_bits(256, 'common') # sparse_bits(256, 6, id::text) ELSE b::bit varying END AS b FROM random_bits_256;
CREATE TABLE null_bits AS SELECT id, CASE WHEN id % 4 > 0 THEN b END AS b FROM random_bits_256;
ANALYZE random_bits_256, random_bits_1024, common_bits, cluster_bits, null_bits;
CREATE FUNCTION bit_bounds(n int) RETURNS SETOF int LANGUAGE sql AS
$$ SELECT unnest(ARRAY[-1, 0, 3, n / 16, n / 8, n / 4, 2 * n / 5, 7 * n / 16, n / 2, 9 * n / 16, n - 1, n, n + 1]) $$;
SELECT m.* FROM (VALUES ('random_bits_256', 256), ('random_bits_1024', 1024), ('common_bits', 128), ('cluster_bits', 256), ('null_bits', 256)) t (t, n),
  bit_bounds(n) k, unnest(ARRAY['none', '5', 'common']) seed, unnest(ARRAY['<=', '>=', '<', '>']) op,
  misjudged(format('SELECT 1 FROM %s WHERE b <-> %L %s %s', t, random_bits(n, seed), op, k)) m;
SELECT m.* FROM (VALUES ('random_bits_256', 256), ('common_bits', 128), ('cluster_bits', 256)) t (t, n), bit_bounds(n) k,
  misjudged(format('SELECT 1 FROM %s WHERE b <@ bit_ball(%L, %s)', t, random_bits(n, 'common'), k)) m;
-- near
SELECT m.* FROM (VALUES ('random_bits_256', 256), ('random_bits_1024', 1024), ('common_bits', 128), ('cluster_bits', 256), ('null_bits', 256)) t (t, n), unnest(ARRAY['none', '5', 'common']) seed,
  misjudged(format('SELECT 1 FROM %s WHERE b %% %L', t, random_bits(n, seed))) m;
SELECT estimated(format('SELECT 1 FROM cluster_bits WHERE b %% %L', random_bits(256, 'common'))) > 100 AS cluster;
-- equality, between
SELECT m.* FROM (VALUES ('random_bits_256', 256), ('random_bits_1024', 1024), ('cluster_bits', 256)) t (t, n), unnest(ARRAY['= 0', '= 3', 'BETWEEN 2 AND 60']) c,
  misjudged(format('SELECT 1 FROM %s WHERE b <-> %L %s', t, random_bits(n, '5'), c)) m;

-- Joins: every pair within k, and at least at k
CREATE TABLE few AS SELECT * FROM random_bits_256 WHERE id <= 300;
CREATE TABLE few_cluster AS SELECT * FROM cluster_bits WHERE id <= 300;
ANALYZE few, few_cluster;
SELECT m.* FROM unnest(ARRAY['few', 'few_cluster']) t, unnest(ARRAY['few', 'few_cluster']) u, bit_bounds(256) k, unnest(ARRAY['<=', '>=']) op,
  misjudged(format('SELECT 1 FROM %s t JOIN %s u ON t.b <-> u.b %s %s', t, u, op, k)) m;
SELECT m.* FROM unnest(ARRAY['few', 'few_cluster']) t, unnest(ARRAY['few', 'few_cluster']) u, misjudged(format('SELECT 1 FROM %s t JOIN %s u ON t.b %% u.b', t, u)) m;
SELECT m.* FROM misjudged('SELECT 1 FROM few f WHERE EXISTS (SELECT 1 FROM random_bits_256 r WHERE r.b <-> f.b <= 15)') m;
SELECT m.* FROM misjudged('SELECT 1 FROM few f WHERE NOT EXISTS (SELECT 1 FROM random_bits_256 r WHERE r.b <-> f.b <= 15)') m;

-- Many statistics, of which an average compares a part: common values, a cluster, NULLs
CREATE TABLE sampled AS
  SELECT i AS id, CASE WHEN i % 10 < 4 THEN random_bits(1024, (i % 1000)::text) WHEN i % 10 < 6 THEN random_bits(1024, 'common') # sparse_bits(1024, 6, i::text)
                       WHEN i % 10 < 9 THEN random_bits(1024, i::text) END::bit(1024) AS b FROM generate_series(1, 2000) i;
ALTER TABLE sampled ALTER b SET STATISTICS 3000;
ANALYZE sampled;
SELECT m.* FROM unnest(ARRAY[0, 3, 80, 200, 512, 1024]) k, unnest(ARRAY['<=', '>=']) op,
  misjudged(format('SELECT 1 FROM sampled t JOIN sampled u ON t.b <-> u.b %s %s', op, k)) m;
SELECT m.* FROM unnest(ARRAY[0, 3, 80, 200, 512, 1024]) k, misjudged(format('SELECT 1 FROM sampled WHERE b <-> %L <= %s', random_bits(1024, 'common'), k)) m;
-- The session remembers averages until the statistics change.
SELECT estimated('SELECT 1 FROM sampled t JOIN sampled u ON t.b % u.b') AS before \gset
SELECT estimated('SELECT 1 FROM sampled t JOIN sampled u ON t.b % u.b') = :before AS remembered;
UPDATE sampled SET b = random_bits(1024, id::text) WHERE id > 10;
ANALYZE sampled;
SELECT estimated('SELECT 1 FROM sampled t JOIN sampled u ON t.b % u.b') < :before / 10 AS forgotten;

-- The estimate takes an unknown query as the average query, and an unknown bound as that of %
SET plan_cache_mode = force_generic_plan;
PREPARE unknown_query(bit) AS SELECT 1 FROM random_bits_256 WHERE b <-> $1 <= 31;
SELECT estimated(format('EXECUTE unknown_query(%L)', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
PREPARE unknown_near(bit) AS SELECT 1 FROM random_bits_256 WHERE b % $1;
SELECT estimated(format('EXECUTE unknown_near(%L)', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
PREPARE unknown_all(bit, int) AS SELECT 1 FROM random_bits_256 WHERE b <-> $1 <= $2;
SELECT estimated(format('EXECUTE unknown_all(%L, 256)', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
PREPARE unknown_far(bit, int) AS SELECT 1 FROM random_bits_256 WHERE b <-> $1 >= $2;
SELECT estimated(format('EXECUTE unknown_far(%L, 1)', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
PREPARE unknown_ball(bit_ball) AS SELECT 1 FROM random_bits_256 WHERE b <@ $1;
SELECT estimated(format('EXECUTE unknown_ball(bit_ball(%L, 3))', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
PREPARE half(bit) AS SELECT 1 FROM random_bits_256 WHERE b <-> $1 <= 128;
SELECT estimated(format('EXECUTE half(%L)', random_bits(256, '5'))) BETWEEN 3000 AND 6000 AS half;
PREPARE far_half(bit) AS SELECT 1 FROM random_bits_256 WHERE b <-> $1 > 128;
SELECT estimated(format('EXECUTE far_half(%L)', random_bits(256, '5'))) BETWEEN 3000 AND 6000 AS half;
RESET plan_cache_mode;
DEALLOCATE ALL;

-- The length is unknown: a table without statistics, empty tables, NULLs only; very long strings
CREATE TABLE bare (b bit varying);
INSERT INTO bare SELECT b FROM random_bits_256 LIMIT 1000;
SELECT estimated('SELECT 1 FROM bare x, bare y WHERE x.b <-> y.b <= 31') BETWEEN 1 AND 2000 AS few;
CREATE TABLE nothing (b bit(64));
ANALYZE nothing;
SELECT count(*) FROM nothing WHERE b <-> random_bits(64, '1') <= 3;
CREATE TABLE nulls AS SELECT NULL::bit(64) AS b FROM generate_series(1, 1000);
ANALYZE nulls;
SELECT estimated(format('SELECT 1 FROM nulls WHERE b <-> %L <= 64', random_bits(64, '1'))) AS one;
SELECT estimated(format('SELECT 1 FROM nulls WHERE b <-> %L >= 0', random_bits(64, '1'))) AS one;
SELECT estimated('SELECT 1 FROM nulls a JOIN nulls b ON a.b <-> b.b <= 64') AS one;
CREATE TABLE long_bits AS SELECT random_bits(5000, i::text)::bit(5000) AS b FROM generate_series(1, 100) i;
ANALYZE long_bits;
SELECT m.* FROM unnest(ARRAY[-1, 0, 1000, 2000, 3000, 5000, 6000]) k, unnest(ARRAY['<=', '>']) op,
  misjudged(format('SELECT 1 FROM long_bits WHERE b <-> %L %s %s', random_bits(5000, 'none'), op, k)) m;
-- mixed lengths; the estimate uses one length of the statistics
CREATE TABLE mixed_bits AS SELECT random_bits(64 + i % 2, i::text)::bit varying AS b FROM generate_series(1, 1000) i;
ANALYZE mixed_bits;
SELECT estimated(format('SELECT 1 FROM mixed_bits WHERE b <-> %L <= 3', random_bits(64, '2'))) BETWEEN 1 AND 3 AS few;
SELECT estimated('SELECT 1 FROM mixed_bits a JOIN mixed_bits b ON a.b <-> b.b <= 3') BETWEEN 1 AND 3000 AS few;
-- a constant of another length matches nothing, however long it is
CREATE TABLE short_bits AS SELECT b::bit varying AS b FROM random_bits_256;
ALTER TABLE short_bits ALTER b SET STATISTICS 3000;
ANALYZE short_bits;
SELECT condition, estimated(format('SELECT 1 FROM short_bits WHERE ' || condition, 'repeat(''1'', 3200000)::bit varying')) AS one
  FROM unnest(ARRAY['b %% %s', '%s %% b', 'b <-> %s <= 3200000', 'b <-> %s >= 0', 'b <@ bit_ball(%s, 3200000)']) condition;
-- a column of balls
CREATE TABLE balls AS SELECT bit_ball(b, 15) AS ball FROM random_bits_256 LIMIT 1000;
ANALYZE balls;
SELECT estimated(format('SELECT 1 FROM balls WHERE ball @> %L', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
SELECT estimated(format('SELECT 1 FROM balls WHERE ball && bit_ball(%L, 15)', random_bits(256, '5'))) BETWEEN 1 AND 3 AS few;
SELECT estimated('SELECT 1 FROM balls a JOIN balls b ON a.ball && b.ball') BETWEEN 1 AND 3000 AS few;

-- The choice of a plan, by the number of rows and k: the index if few rows match, or else a sequential scan
CREATE TABLE chosen (id int, b bit(256));
CREATE INDEX chosen_b ON chosen USING bitblock (b);
CREATE FUNCTION choice(k int) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(substring(line, '(Seq|Index|Bitmap Heap) Scan'), '') FROM plan_of(format('SELECT id FROM chosen WHERE b <-> %L <= %s', random_bits(256, 'q'), k)) line $$;
INSERT INTO chosen SELECT i, random_bits(256, i::text) FROM generate_series(1, 1000) i;
VACUUM ANALYZE chosen;
SELECT k, choice(k) FROM unnest(ARRAY[-1, 0, 15, 31, 128, 200, 256]) k;
INSERT INTO chosen SELECT i, random_bits(256, i::text) FROM generate_series(1001, 20000) i;
VACUUM ANALYZE chosen;
SELECT k, choice(k) FROM unnest(ARRAY[-1, 0, 15, 31, 47, 128, 200, 256]) k;

DROP TABLE sampled, random_bits_256, random_bits_1024, common_bits, cluster_bits, null_bits, few, few_cluster, bare, nothing, nulls, long_bits, mixed_bits, short_bits, balls, chosen;
DROP FUNCTION choice, bit_bounds;
