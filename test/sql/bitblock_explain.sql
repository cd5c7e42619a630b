-- bitblock_explain: what a search reads
CREATE TABLE explained AS SELECT id, fp, repeat(fp::bit(64)::text, 4)::bit(256) AS wide
FROM shaped_fps('random', 20000) UNION ALL SELECT 20000 + id, fp, repeat(fp::bit(64)::text, 4)::bit(256) FROM shaped_fps('clusters', 2000);
INSERT INTO explained VALUES (0, NULL, NULL);
CREATE INDEX explained_fp ON explained USING bitblock (fp);
CREATE INDEX explained_wide ON explained USING bitblock (wide);
SELECT fp AS q, wide AS w FROM explained WHERE id = 20001 \gset

-- one row for each tree; the matches of all are the answer
SELECT pass, tree, radius, block_values, leaves > 0 AS reads, cached BETWEEN 0 AND leaves AS cached, candidates >= matches AS has_candidates, looked_up
FROM bitblock_explain('explained_fp', :'q'::simhash, 5);
SELECT k, sum(matches) = (SELECT count(*) FROM explained WHERE (fp <~> :'q'::simhash) <= k) AS all_found, count(*) AS steps, count(radius) AS probed
FROM unnest(ARRAY[-1, 0, 2, 3, 8, 40, 64, 100]) k, LATERAL bitblock_explain('explained_fp', :'q'::simhash, k) GROUP BY k ORDER BY k;
SELECT k, sum(matches) = (SELECT count(*) FROM explained WHERE (wide <#~> :'w'::bit(256)) <= k) AS all_found, count(*) AS steps, count(radius) AS probed,
  sum(looked_up) >= sum(matches) OR count(radius) = 0 AS looked_up
FROM unnest(ARRAY[0, 15, 31, 48, 100, 256]) k, LATERAL bitblock_explain('explained_wide', :'w'::bit(256), k) GROUP BY k ORDER BY k;

-- the nearest: the passes are numbered, and find at least ten rows
SELECT count(DISTINCT pass) = max(pass) AS numbered, sum(matches) >= 10 AS found FROM bitblock_explain('explained_fp', :'q'::simhash);
SELECT count(DISTINCT pass) = max(pass) AS numbered, sum(matches) >= 10 AS found FROM bitblock_explain('explained_wide', :'w'::bit(256));
-- a page of the index is in memory after it was read
SELECT sum(leaves) = sum(cached) AS all_cached FROM bitblock_explain('explained_fp', :'q'::simhash, 3);

-- from PostgreSQL 18 on EXPLAIN (ANALYZE) shows the sums, of all loops and passes
CREATE FUNCTION shown(query text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
  RETURN ARRAY(SELECT sum((jsonb_path_query_first(node, format('$."%s"', name)::jsonpath))::bigint)
    FROM unnest(ARRAY['Index Leaves', 'Index Candidates', 'Index Rows Looked Up', 'Index Matches']) WITH ORDINALITY names (name, i),
    jsonb_path_query(plan, 'strict $.** ? (exists(@."Index Leaves"))', silent => true) node GROUP BY i ORDER BY i);
END $$;
SET enable_seqscan = off;
SELECT name, current_setting('server_version_num')::int < 180000 OR shown(query) = expected AS as_expected
FROM (VALUES
  ('within', format('SELECT id FROM explained WHERE fp <-> %L::simhash <= 8', :'q'),
    ARRAY(SELECT unnest(ARRAY[sum(leaves), sum(candidates), sum(looked_up), sum(matches)]) FROM bitblock_explain('explained_fp', :'q'::simhash, 8))::bigint[]),
  ('wide', format('SELECT id FROM explained WHERE wide <-> %L::bit(256) <= 31', :'w'),
    ARRAY(SELECT unnest(ARRAY[sum(leaves), sum(candidates), sum(looked_up), sum(matches)]) FROM bitblock_explain('explained_wide', :'w'::bit(256), 31))::bigint[]),
  ('nearest', format('SELECT id FROM explained ORDER BY fp <-> %L::simhash LIMIT 10', :'q'),
    ARRAY(SELECT unnest(ARRAY[sum(leaves), sum(candidates), sum(looked_up), sum(matches)]) FROM bitblock_explain('explained_fp', :'q'::simhash))::bigint[]),
  ('nearest of wide', format('SELECT id FROM explained ORDER BY wide <-> %L::bit(256) LIMIT 10', :'w'),
    ARRAY(SELECT unnest(ARRAY[sum(leaves), sum(candidates), sum(looked_up), sum(matches)]) FROM bitblock_explain('explained_wide', :'w'::bit(256)))::bigint[]),
  ('loops', 'SELECT e.id FROM (SELECT fp FROM explained WHERE id <= 7 OFFSET 0) q, LATERAL (SELECT id FROM explained e WHERE e.fp <-> q.fp <= 3 OFFSET 0) e',
    ARRAY(SELECT unnest(ARRAY[sum(leaves), sum(candidates), sum(looked_up), sum(matches)]) FROM explained q, LATERAL bitblock_explain('explained_fp', q.fp, 3) WHERE id <= 7)::bigint[])
) queries (name, query, expected);
SET enable_indexscan = off;
SELECT current_setting('server_version_num')::int < 180000 OR (shown(format('SELECT id FROM explained WHERE fp <-> %L::simhash <= 8', :'q')))[4] =
  (SELECT count(*) FROM explained WHERE (fp <~> :'q'::simhash) <= 8) AS bitmap_scan;
RESET enable_indexscan;
RESET enable_seqscan;
DROP FUNCTION shown;

-- a block value on many leaves: pairs of blocks are on fewer leaves
CREATE TABLE crowded AS SELECT i AS id, (random_fp('crowded' || i)::bit(64) & x'000f000f000f000f')::simhash AS fp FROM generate_series(1, 150000) i;
CREATE INDEX crowded_fp ON crowded USING bitblock (fp);
SELECT tree, radius, block_values, leaves < 12 AS few_leaves FROM bitblock_explain('crowded_fp', '0001000200030004'::simhash, 3);
SELECT k, sum(matches) = (SELECT count(*) FROM crowded WHERE (fp <~> '0001000200030004') <= k) AS all_found, max(block_values) AS block_values
FROM unnest(ARRAY[0, 1, 2, 3, 4, 5]) k, LATERAL bitblock_explain('crowded_fp', '0001000200030004'::simhash, k) GROUP BY k ORDER BY k;
DROP TABLE crowded;

-- NULL, and what is refused
SELECT count(*) FROM bitblock_explain('explained_fp', NULL::simhash, 3);
SELECT count(*) FROM bitblock_explain(NULL, :'q'::simhash, 3);
SELECT * FROM bitblock_explain('explained_fp', 3, 3);
SELECT * FROM bitblock_explain('explained_wide', :'q'::simhash, 3);
SELECT * FROM bitblock_explain('explained_wide', B'0101', 3);
SELECT * FROM bitblock_explain('explained', :'q'::simhash, 3);
CREATE INDEX explained_id ON explained USING bitblock (id, fp);
SELECT * FROM bitblock_explain('explained_id', :'q'::simhash, 3);
CREATE INDEX explained_ball ON explained USING bitblock (simhash_ball(fp, 3));
SELECT * FROM bitblock_explain('explained_ball', :'q'::simhash, 3);
CREATE ROLE regress_explain;
SET ROLE regress_explain;
SELECT * FROM bitblock_explain('explained_fp', :'q'::simhash, 3);
RESET ROLE;
DROP ROLE regress_explain;
DROP TABLE explained;

-- Who may not read the fingerprints learns nothing about them
CREATE ROLE regress_simhash_explainer;
GRANT EXECUTE ON FUNCTION bitblock_explain(regclass, anyelement, integer) TO regress_simhash_explainer;
CREATE TABLE private (id int, fp simhash, visible boolean);
INSERT INTO private VALUES (1, '0123456789abcdef', true);
CREATE INDEX private_fp ON private USING bitblock (fp);
CREATE INDEX private_expression ON private USING bitblock ((fp::bigint::simhash));
CREATE INDEX private_partial ON private USING bitblock (fp) WHERE visible;
SET ROLE regress_simhash_explainer;
SELECT sum(matches) FROM bitblock_explain('private_fp', '0123456789abcdef'::simhash, 3);
SELECT sum(matches) FROM bitblock_explain('private_fp', '0123456789abcdef'::simhash);
RESET ROLE;
GRANT SELECT (id) ON private TO regress_simhash_explainer;
SET ROLE regress_simhash_explainer;
SELECT sum(matches) FROM bitblock_explain('private_fp', '0123456789abcdef'::simhash, 3);
RESET ROLE;
GRANT SELECT (fp) ON private TO regress_simhash_explainer;
SET ROLE regress_simhash_explainer;
SELECT sum(matches) FROM bitblock_explain('private_fp', '0123456789abcdef'::simhash, 3);
SELECT sum(matches) FROM bitblock_explain('private_expression', '0123456789abcdef'::simhash, 3);
SELECT sum(matches) FROM bitblock_explain('private_partial', '0123456789abcdef'::simhash, 3);
RESET ROLE;
GRANT SELECT ON private TO regress_simhash_explainer;
SET ROLE regress_simhash_explainer;
SELECT sum(e.matches) FROM unnest('{private_expression,private_partial}'::regclass[]) i, bitblock_explain(i, '0123456789abcdef'::simhash, 3) e;
RESET ROLE;
ALTER TABLE private ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON private USING (visible);
SET ROLE regress_simhash_explainer;
SELECT sum(matches) FROM bitblock_explain('private_fp', '0123456789abcdef'::simhash, 3);
RESET ROLE;
SELECT sum(matches) FROM bitblock_explain('private_fp', '0123456789abcdef'::simhash, 3);
REVOKE EXECUTE ON FUNCTION bitblock_explain(regclass, anyelement, integer) FROM regress_simhash_explainer;
DROP TABLE private;
DROP ROLE regress_simhash_explainer;
