-- Connected components of any edges

-- The definition: a vertex's component is the smallest vertex that it reaches.
CREATE FUNCTION component_differences(edges text) RETURNS TABLE (wrong bigint, vertices bigint, components bigint) LANGUAGE plpgsql AS $$
DECLARE
  changed bigint;
BEGIN
  EXECUTE 'CREATE TEMP TABLE reached AS SELECT DISTINCT v AS id, v AS component FROM (' || edges || ') e (a, b), LATERAL (VALUES (a), (b)) x (v) WHERE v IS NOT NULL';
  ANALYZE reached;
  LOOP
    EXECUTE 'UPDATE reached r SET component = least FROM (
      SELECT v, (array_agg(least(ra.component, rb.component) ORDER BY least(ra.component, rb.component)))[1] AS least FROM (' || edges || ') e (a, b) JOIN reached ra ON ra.id = a JOIN reached rb ON rb.id = b, LATERAL (VALUES (a), (b)) x (v) GROUP BY v) m
      WHERE r.id = v AND r.component > least';
    GET DIAGNOSTICS changed = ROW_COUNT;
    EXIT WHEN changed = 0;
  END LOOP;
  EXECUTE 'CREATE TEMP TABLE found AS SELECT * FROM simhash_components($1, NULL::' || (SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'reached'::regclass AND attname = 'id') || ')' USING edges;
  RETURN QUERY SELECT (SELECT count(*) FROM (TABLE reached EXCEPT ALL TABLE found) x) + (SELECT count(*) FROM (TABLE found EXCEPT ALL TABLE reached) x),
                      count(*), count(DISTINCT component) FROM reached;
  DROP TABLE reached, found;
END $$;

-- Random graphs of several densities; chains in any order; a star; one vertex; edges to NULL; several types
SELECT n, type, d.* FROM unnest('{50,150,250,900}'::int[]) n, unnest('{smallint,integer,bigint,text,uuid,numeric,date}'::text[]) type,
  LATERAL (SELECT CASE type WHEN 'text' THEN 'md5(%s::text)' WHEN 'uuid' THEN 'md5((%s)::text)::uuid' WHEN 'date' THEN $q$date '2000-01-01' + (%s)$q$ WHEN 'bigint' THEN '(%s)::bigint * 10000000019 - 5000000000000' ELSE '(%s - 200)::' || type END AS value) v,
  component_differences(format('SELECT %s, %s FROM generate_series(1, %s) i', format(value, 'abs(hashint4(i) % 400)'), format(value, 'abs(hashint4(-i) % 400)'), n)) d
WHERE type IN ('bigint', 'text') OR n = 250;
SELECT name, d.* FROM (VALUES
  ('chain', 'SELECT i, i + 1 FROM generate_series(1, 100) i'), ('chain backward', 'SELECT i + 1, i FROM generate_series(100, 1, -1) i'),
  ('chain at random', 'SELECT i, i + 1 FROM generate_series(1, 100) i ORDER BY hashint4(i)'),
  ('star', 'SELECT 1500, i FROM generate_series(1, 3000) i'), ('loops', 'SELECT i, i FROM generate_series(1, 300) i'), ('equal edges', 'SELECT 1, 2 FROM generate_series(1, 3000)'),
  ('two trees', 'SELECT i, i / 2 * 2 - i / 4 * 2 FROM generate_series(1, 1000) i'),
  ('ends of NULL', 'SELECT nullif(i % 7, 0), nullif(i % 11, 0) + 100 FROM generate_series(1, 50) i'), ('extremes', 'VALUES (-2147483648, 2147483647), (0, -1), (2147483647, 5)')) v (name, edges), component_differences(edges) d;
SELECT * FROM simhash_components('VALUES (9223372036854775807, -9223372036854775808), (0, NULL), (NULL, -1), (NULL, NULL)', NULL::bigint) ORDER BY id;

-- Groups are the components of the pairs.
CREATE TABLE near_docs AS SELECT id, fp FROM shaped_fps('clusters', 2000);
SELECT k, count(*) FILTER (WHERE c.component IS DISTINCT FROM g.cluster) AS wrong, count(DISTINCT g.cluster) < 2000 AS grouped
FROM unnest('{0,3,8}'::int[]) k, LATERAL simhash_clusters('SELECT id, fp FROM near_docs', 1, k) g
  LEFT JOIN LATERAL (SELECT * FROM simhash_components(format('SELECT a, b FROM simhash_pairs(''SELECT id, fp FROM near_docs'', 1, %s) UNION ALL SELECT id, NULL FROM near_docs', k), 1) c WHERE c.id = g.id OFFSET 0) c ON true
WHERE g.id % 97 = 0 GROUP BY k ORDER BY k;

-- A long chain, in the worst order
SELECT count(*), min(component), max(component) FROM simhash_components('SELECT i + 1, i FROM generate_series(1, 100000) i ORDER BY -i', 1);

-- Chains in the least memory, in any order of edges, of ids at random, with equal lower bits and with equal upper bits:
-- the order of the rows is that of components, then of ids
SET maintenance_work_mem = '1MB';
SELECT name, step, length, count(*), count(*) FILTER (WHERE component IS DISTINCT FROM (n - n % length) * step) AS wrong,
  count(*) FILTER (WHERE row IS DISTINCT FROM n + 1) AS unordered
FROM (VALUES ('equal lower bits', 1::bigint << 44), ('equal upper bits', 1)) i (name, step), unnest('{2,5,100000}'::int[]) length,
  LATERAL (SELECT id / step AS n, component, row FROM simhash_components(format('SELECT a * %1$s, (a - (a %% %2$s > 0)::int) * %1$s FROM (SELECT i * 7919 %% 100000 AS a FROM generate_series(1::bigint, 100000) i) s', step, length), NULL::bigint)
    WITH ORDINALITY c (id, component, row)) c
GROUP BY name, step, length ORDER BY name, length;
RESET maintenance_work_mem;

-- More edges than fit in the least memory: neither the order of the edges nor the memory changes the rows or their order.
CREATE TABLE many_edges AS SELECT a, a / 10 * 10 + abs(hashint4(-i)) % 11 AS b FROM generate_series(1, 30000) i, LATERAL (SELECT abs(hashint4(i)) % 40000 AS a) s;
CREATE FUNCTION component_rows(type text, clauses text, memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  PERFORM set_config('maintenance_work_mem', memory, true);
  EXECUTE format('SELECT md5(string_agg(id || '' '' || component, '','' ORDER BY n)) FROM simhash_components($1, NULL::%s) WITH ORDINALITY c (id, component, n)', type) INTO result
    USING format('SELECT a::%s, b::%1$s FROM many_edges UNION ALL SELECT b::%1$s, a::%1$s FROM many_edges WHERE a %% 10 = 0 %s', type, clauses);
  RETURN result;
END $$;
SELECT type, count(*), count(DISTINCT component_rows(type, clauses, memory))
FROM unnest('{integer,bigint,numeric,text}'::text[]) type, unnest('{"","ORDER BY 1, 2","ORDER BY 2 DESC, 1"}'::text[]) clauses, unnest('{1MB,256MB}'::text[]) memory GROUP BY 1 ORDER BY 1;

-- No edges, no query; the row types; the order of the ids is that of the collation
SELECT * FROM simhash_components('SELECT 1, 2 WHERE false', 1);
SELECT * FROM simhash_components(NULL, NULL::uuid);
SELECT simhash_components('SELECT 3, 2', 1) ORDER BY 1;
CREATE DOMAIN page AS integer;
SELECT * FROM simhash_components('SELECT 3::page, 2::page', 1) ORDER BY id;
SELECT DISTINCT component FROM simhash_components($$VALUES ('b', 'B'), ('B', 'a')$$, NULL::text COLLATE "C");

-- Errors
SELECT * FROM simhash_components('SELECT 1', 1);
SELECT * FROM simhash_components('SELECT 1, 2, 3', 1);
SELECT * FROM simhash_components('SELECT 1, 2', NULL::bigint);
SELECT * FROM simhash_components('SELECT 1, 2::bigint', 1);
SELECT * FROM simhash_components('SELECT 1, B''1''', 1);
SELECT * FROM simhash_components('SELECT B''1'', 1', 1);
SELECT * FROM simhash_components('SELECT point(1, 2), point(2, 3)', NULL::point);
SELECT * FROM simhash_components('DELETE FROM near_docs RETURNING id, id', 1);
SELECT * FROM simhash_components('CHECKPOINT', 1);
DROP TABLE near_docs, many_edges;
DROP DOMAIN page;
DROP FUNCTION component_differences, component_rows;
