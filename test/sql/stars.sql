-- Stars of any edges

-- The definition: an id joins the earliest keeper that is before it and has an edge to it, and an
-- id without such a keeper is one.  By induction over the order this has one solution.
CREATE FUNCTION star_differences(edges text, keep text DEFAULT NULL) RETURNS TABLE (wrong bigint, ids bigint, keepers bigint) LANGUAGE plpgsql AS $$
DECLARE
  id_type text;
BEGIN
  EXECUTE 'CREATE TEMP TABLE given AS SELECT a, b FROM (' || edges || ') e (a, b)';
  SELECT format_type(atttypid, atttypmod) INTO id_type FROM pg_attribute WHERE attrelid = 'given'::regclass AND attname = 'a';
  EXECUTE 'CREATE TEMP TABLE preferred AS SELECT k AS id, row_number() OVER () AS place FROM (' || coalesce(keep, 'SELECT a FROM given WHERE false') || ') k (k)';
  CREATE TEMP TABLE ranks AS SELECT id, row_number() OVER (ORDER BY place, id) AS rank
    FROM (SELECT a FROM given UNION SELECT b FROM given) v (id) LEFT JOIN (SELECT id, min(place) AS place FROM preferred GROUP BY id) w USING (id) WHERE id IS NOT NULL;
  EXECUTE format('CREATE TEMP TABLE found AS SELECT * FROM simhash_stars($1, NULL::%s, $2)', id_type) USING edges, keep;
  ANALYZE given; ANALYZE ranks; ANALYZE found;
  RETURN QUERY
    WITH links AS MATERIALIZED (SELECT a, b FROM given WHERE a <> b UNION SELECT b, a FROM given WHERE a <> b),
    joins AS MATERIALIZED (SELECT l.a, min(rb.rank) AS rank FROM links l JOIN ranks ra ON ra.id = l.a JOIN ranks rb ON rb.id = l.b JOIN found f ON f.id = l.b AND f.keeper = l.b
      WHERE rb.rank < ra.rank GROUP BY l.a),
    expected AS MATERIALIZED (SELECT r.id, coalesce(k.id, r.id) AS keeper FROM ranks r LEFT JOIN joins j ON j.a = r.id LEFT JOIN ranks k ON k.rank = j.rank)
    SELECT (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE found) x) + (SELECT count(*) FROM (TABLE found EXCEPT ALL TABLE expected) x),
      count(*), count(*) FILTER (WHERE id = keeper) FROM found;
  DROP TABLE given, preferred, ranks, found;
END $$;

SELECT * FROM simhash_stars('VALUES (3, 1), (3, 2), (4, 3), (1, 3), (6, 6), (NULL, 7), (8, NULL), (NULL, NULL)', NULL::integer) ORDER BY id;
SELECT * FROM simhash_stars('VALUES (3, 1), (3, 2), (4, 3), (1, 3), (6, 6), (NULL, 7), (8, NULL), (NULL, NULL)', 1, 'VALUES (4), (NULL), (100), (1), (4), (2)') ORDER BY id;

-- Random graphs of several densities, for several types and orders
CREATE TYPE pair AS (x integer, y text);
CREATE FUNCTION id_as(type text, number text) RETURNS text LANGUAGE sql AS $$
  SELECT format(CASE type WHEN 'text' THEN 'md5((%s)::text)' WHEN 'uuid' THEN 'md5((%s)::text)::uuid' WHEN 'date' THEN $q$date '2000-01-01' + (%s)$q$
    WHEN 'bigint' THEN '(%s)::bigint * 10000000019 - 5000000000000' WHEN 'name' THEN $q$('n' || (%s))::name$q$ WHEN 'pair' THEN $q$ROW((%s) %% 7, 'p' || %1$s)::pair$q$
    WHEN 'bytea' THEN 'sha256((%s)::text::bytea)' ELSE '(%s - 200)::' || type END, number) $$;
SELECT n, type, o.name, d.* FROM unnest('{50,150,250,900,20000}'::int[]) n, unnest('{smallint,integer,bigint,text,uuid,numeric,date,name,pair,bytea}'::text[]) type,
  (VALUES ('none', NULL), ('smallest', 'ORDER BY 1'), ('largest', 'ORDER BY 1 DESC'), ('random', 'ORDER BY hashint4(i)'), ('some', 'WHERE i % 3 = 0 ORDER BY hashint4(-i)')) o (name, clauses),
  star_differences(format('SELECT %s, %s FROM generate_series(1, %s) i', id_as(type, 'abs(hashint4(i) % 400)'), id_as(type, 'abs(hashint4(-i) % 400)'), n),
    format('SELECT %s FROM generate_series(1, 500) i ', id_as(type, 'i')) || o.clauses) d
WHERE type IN ('bigint', 'text') OR n = 250 AND o.name <> 'smallest' ORDER BY 1, 2, 3;
SELECT v.name, o.name, d.* FROM (VALUES
  ('path', 'SELECT i, i + 1 FROM generate_series(1, 100) i'), ('path backward', 'SELECT i + 1, i FROM generate_series(100, 1, -1) i'),
  ('star', 'SELECT 50, i FROM generate_series(1, 101) i'), ('loops', 'SELECT i, i FROM generate_series(1, 101) i'), ('equal edges', 'SELECT 1, 2 FROM generate_series(1, 3000)'),
  ('one id', 'SELECT 1, 1 FROM generate_series(1, 3000)'), ('cliques', 'SELECT c * 10 + i, c * 10 + k FROM generate_series(0, 9) c, generate_series(1, 9) i, generate_series(1, 9) k'),
  ('all', 'SELECT i, k FROM generate_series(1, 101) i, generate_series(1, 101) k'), ('two colours', 'SELECT i * 2, k * 2 + 1 FROM generate_series(0, 50) i, generate_series(0, 50) k'),
  ('ends of NULL', 'SELECT nullif(i % 7, 0), nullif(i % 11, 0) + 50 FROM generate_series(1, 50) i'), ('extremes', 'VALUES (-2147483648, 2147483647), (0, -1), (2147483647, 5), (5, 0)')) v (name, edges),
  (VALUES ('none', NULL), ('largest', 'SELECT i FROM generate_series(101, 0, -1) i'), ('random', 'SELECT i FROM generate_series(0, 101) i ORDER BY hashint4(i)'),
    ('repeated', 'SELECT CASE WHEN i % 5 > 0 THEN abs(hashint4(i)) % 150 END FROM generate_series(1, 120) i')) o (name, keep), star_differences(edges, keep) d ORDER BY 1, 2;
SELECT * FROM simhash_stars('VALUES (9223372036854775807, -9223372036854775808), (0, 9223372036854775807), (-1, 0)', NULL::bigint, 'SELECT 9223372036854775807') ORDER BY id;
SELECT * FROM simhash_stars('VALUES (32767::int2, (-32768)::int2), (0::int2, (-32768)::int2)', NULL::int2) ORDER BY id;

-- In little memory, and for any order of edges: the same rows, in the same order
CREATE TABLE edges AS SELECT abs(hashint4(i)) % 50000 AS a, abs(hashint4(-i)) % 50000 AS b FROM generate_series(1, 60000) i;
SET maintenance_work_mem = '1MB';
SELECT * FROM unnest('{integer,bigint,numeric,text}'::text[]) type, star_differences(format('SELECT a::%s, b::%1$s FROM edges', type));
SELECT type, d.* FROM unnest('{bigint,text}'::text[]) type, star_differences(format('SELECT a::%s, b::%1$s FROM edges', type), format('SELECT i::%s FROM generate_series(1, 40000) i ORDER BY hashint4(i)', type)) d;
RESET maintenance_work_mem;
CREATE FUNCTION star_rows(type text, clauses text, keep text, memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  PERFORM set_config('maintenance_work_mem', memory, true);
  EXECUTE format('SELECT md5(string_agg(id || '' '' || keeper, '','' ORDER BY n)) FROM simhash_stars($1, NULL::%s, $2) WITH ORDINALITY s (id, keeper, n)', type) INTO result
    USING format('SELECT a::%s, b::%1$s FROM edges UNION ALL SELECT b::%1$s, a::%1$s FROM edges WHERE a %% 10 = 0 %s', type, clauses), format(keep, type);
  RETURN result;
END $$;
SELECT type, keep IS NOT NULL AS keep, count(*), count(DISTINCT star_rows(type, clauses, keep, memory))
FROM unnest('{integer,bigint,numeric,text}'::text[]) type, unnest(ARRAY[NULL, 'SELECT i::%s FROM generate_series(1, 40000) i ORDER BY hashint4(i)']) keep,
  unnest('{"","ORDER BY 1, 2","ORDER BY 2 DESC, 1"}'::text[]) clauses, unnest('{1MB,256MB}'::text[]) memory GROUP BY 1, 2 ORDER BY 1, 2;

-- Groups by stars are the stars of the pairs.
CREATE TABLE near_docs AS SELECT id, fp FROM shaped_fps('clusters', 2000);
SELECT k, (SELECT count(*) FROM (SELECT id, cluster FROM simhash_clusters('TABLE near_docs', 1, k, 'star') EXCEPT
    SELECT * FROM simhash_stars(format('SELECT a, b FROM simhash_pairs(''TABLE near_docs'', 1, %s) UNION ALL SELECT id, NULL FROM near_docs', k), 1)) x) AS wrong,
  (SELECT count(DISTINCT cluster) < 2000 FROM simhash_clusters('TABLE near_docs', 1, k, 'star')) AS grouped FROM unnest('{0,3,8}'::int[]) k;

-- No edges, no query; the row types; the order of the ids is that of the collation
SELECT * FROM simhash_stars('SELECT 1, 2 WHERE false', 1);
SELECT * FROM simhash_stars('SELECT 1, 2 WHERE false', 1, 'SELECT 1');
SELECT * FROM simhash_stars(NULL, NULL::uuid, 'SELECT 1');
SELECT * FROM simhash_stars('SELECT 1, 2', 1, 'SELECT 1 WHERE false') ORDER BY id;
SELECT simhash_stars('SELECT 3, 2', 1) ORDER BY 1;
SELECT count(*) FROM (SELECT simhash_stars('TABLE edges', 1) LIMIT 5) s;
CREATE DOMAIN page AS integer;
SELECT * FROM simhash_stars('SELECT 3::page, 2::page', 1, 'SELECT 3::page') ORDER BY id;
SELECT * FROM simhash_stars('SELECT 3::page, 2::page', NULL::page, 'SELECT 3::page') ORDER BY id;
SELECT * FROM simhash_stars($$VALUES ('b', 'B')$$, NULL::text);
SELECT DISTINCT keeper FROM simhash_stars($$VALUES ('b', 'B'), ('B', 'a')$$, id_type => NULL::text COLLATE "C");
SELECT * FROM simhash_stars($$SELECT repeat('long', 1000000) || i, 'short' FROM generate_series(1, 3) i$$, NULL::text, $$VALUES ('short')$$) s (id, keeper) WHERE length(id) < 10;

-- Errors
SELECT * FROM simhash_stars('SELECT 1', 1);
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2, 3', 1);
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2', NULL::bigint);
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2::bigint', 1);
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2', 1, 'SELECT 1, 2');
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2', 1, 'SELECT 1::bigint');
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT point(1, 2), point(2, 3)', NULL::point);
\echo :SQLSTATE
SELECT * FROM simhash_stars('DELETE FROM near_docs RETURNING id, id', 1);
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2', 1, 'DELETE FROM near_docs RETURNING id');
\echo :SQLSTATE
SELECT * FROM simhash_stars('SELECT 1, 2', 1, 'CHECKPOINT');
\echo :SQLSTATE
DROP TABLE near_docs, edges;
DROP DOMAIN page;
DROP FUNCTION star_differences, star_rows, id_as;
DROP TYPE pair;
