-- Groups of documents by their definitions, of a table and of arrays.
-- Components: the smallest id among the neighbours of each spreads until nothing changes.
CREATE FUNCTION define_components() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO expected SELECT id, id FROM t;
  LOOP
    UPDATE expected e SET cluster = s.least FROM
      (SELECT n.a, min(f.cluster) AS least FROM near n JOIN expected f ON f.id = n.b GROUP BY n.a) s
      WHERE e.id = s.a AND s.least < e.cluster;
    EXIT WHEN NOT FOUND;
  END LOOP;
END $$;

-- Stars: one document after the other
CREATE FUNCTION define_star() RETURNS void LANGUAGE plpgsql AS $$
DECLARE doc int;
BEGIN
  FOR doc IN SELECT id FROM t ORDER BY id LOOP
    INSERT INTO expected VALUES (doc, coalesce((SELECT min(b) FROM near JOIN expected ON id = b AND cluster = b WHERE a = doc AND b < doc), doc));
  END LOOP;
END $$;

CREATE FUNCTION cluster_differences(shape text, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  k int; form text; method text; wrong bigint; clusters text[] := '{}';
BEGIN
  CREATE TEMP TABLE t AS SELECT * FROM shaped_fps(shape, n);
  CREATE TEMP TABLE expected (id int, cluster int);
  FOREACH k IN ARRAY ARRAY[-5, 0, 1, 3, 8, 20, 64] LOOP
    CREATE TEMP TABLE near AS SELECT x.id AS a, y.id AS b FROM t x JOIN t y ON x.fp <~> y.fp <= k AND x.id <> y.id;
    FOREACH method IN ARRAY ARRAY['components', 'star'] LOOP
      TRUNCATE expected;
      EXECUTE format('SELECT define_%s()', method);
      clusters := clusters || (SELECT count(DISTINCT cluster)::text FROM expected);
      FOREACH form IN ARRAY ARRAY['''SELECT * FROM unnest((SELECT array_agg(id ORDER BY md5(id::text)) FROM t), (SELECT array_agg(fp ORDER BY md5(id::text)) FROM t))''',
                                  '''SELECT id, fp FROM t ORDER BY id % 7, id DESC'', NULL::int'] LOOP
        EXECUTE format('CREATE TEMP TABLE answer AS SELECT * FROM simhash_clusters(%s, %s, %L)', form, k, method);
        SELECT count(*) INTO wrong FROM expected e FULL JOIN answer a USING (id)
          LEFT JOIN (SELECT cluster, count(*) AS size FROM expected GROUP BY cluster) s ON s.cluster = e.cluster
          WHERE a.cluster IS DISTINCT FROM e.cluster OR a.size IS DISTINCT FROM s.size;
        IF wrong > 0 THEN RETURN NEXT format('%s, %s within %s of %s: %s wrong', shape, method, k, form, wrong); END IF;
        DROP TABLE answer;
      END LOOP;
    END LOOP;
    DROP TABLE near;
  END LOOP;
  DROP TABLE t, expected;
  RETURN NEXT format('%s: %s clusters', shape, array_to_string(clusters, ', '));
END $$;
SELECT cluster_differences(shape, 120) FROM unnest('{random,equal,clusters,few bits,few values,low bits,high bits,counter,extremes}'::text[]) shape;

-- A chain: as a component, and as stars
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1,2,3,4}'::int[], '{0000000000000000,0000000000000007,000000000000003f,ffffffffffffffff}'::simhash[])$$) ORDER BY id;
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1,2,3,4}'::int[], '{0000000000000000,0000000000000007,000000000000003f,ffffffffffffffff}'::simhash[])$$, method => 'star') ORDER BY id;
SELECT * FROM simhash_clusters($$VALUES (3, '0000000000000000'::simhash), (1, '0000000000000007'), (2, '000000000000003f')$$, NULL::int, 3, 'Star') ORDER BY id;

-- A million equal fingerprints have 5e11 pairs; they are a cluster in linear time
SET statement_timeout = '20min';
SELECT count(*) = rows_of_test(1000000) AS all, min(cluster), max(cluster), min(size) = count(*) AS of_one FROM simhash_clusters('SELECT i, ''1111111111111111''::simhash FROM generate_series(1, rows_of_test(1000000)) i', NULL::int);
SELECT count(*) = rows_of_test(1000000) AS all, min(cluster) = -count(*) AS smallest, max(cluster) = -count(*) AS alone, min(size) = count(*) AS of_one FROM simhash_clusters('SELECT -i, (i % 4)::bigint::simhash FROM generate_series(1, rows_of_test(1000000)) i', NULL::int, method => 'star');
SET LOCAL statement_timeout = '500ms' \; SELECT count(*) FROM simhash_clusters('SELECT i, random_fp(i::text) FROM generate_series(1, 300000) i', NULL::int, 18);

-- Ids of other types; what is equal among them; documents without fingerprint
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{b,A,a,c}'::text[], '{1111111111111111,1111111111111111,1111111111111113,0000000000000000}'::simhash[])$$, NULL::text COLLATE "C", 1) ORDER BY id;
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{b,A,a,c}'::text[], '{1111111111111111,1111111111111113,1111111111111117,0000000000000000}'::simhash[])$$, NULL::text COLLATE "C", 1, 'star') ORDER BY id;
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{9223372036854775807,-9223372036854775808,0}'::bigint[], '{1111111111111111,1111111111111111,1111111111111111}'::simhash[])$$, NULL::bigint, method => 'star') ORDER BY id;
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{5,5,NULL}'::int[], '{1111111111111111,1111111111111111,NULL}'::simhash[])$$);
SELECT * FROM simhash_clusters('SELECT DATE ''2020-01-01'' - i, ''1111111111111111''::simhash FROM generate_series(1, 2) i', NULL::date) ORDER BY id;
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1}'::int[], '{1111111111111111}'::simhash[])$$, method => NULL);
SELECT id, cluster FROM simhash_clusters($$SELECT * FROM unnest('{1,2,3}'::int[], '{0000000000000000,000000000000001f,00000000000007ff}'::simhash[])$$) ORDER BY id;
SELECT id, cluster FROM simhash_clusters($$SELECT * FROM unnest('{1,2,3}'::int[], '{0000000000000000,000000000000001f,00000000000007ff}'::simhash[])$$, distance => NULL, method => 'star') ORDER BY id;
SELECT count(*) FROM simhash_clusters($$SELECT * FROM unnest('{}'::int[], '{}'::simhash[])$$);
SELECT method, distance, count(c.id) FROM unnest('{components,star}'::text[]) method, generate_series(-1, 64, 13) distance
  LEFT JOIN LATERAL simhash_clusters('SELECT 1, NULL::simhash WHERE false', NULL::int, distance, method) c ON true GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM simhash_clusters('SELECT 1, NULL::simhash', NULL::int);
SELECT count(*) FROM simhash_clusters(NULL, NULL::int);

-- Errors
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1}'::int[], '{1111111111111111}'::simhash[])$$, method => 'stars');
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1,NULL}'::int[], '{1111111111111111,1111111111111111}'::simhash[])$$);
SELECT * FROM simhash_clusters('SELECT 1', NULL::int);

-- A table without near-duplicates in one command, and so it stays
CREATE TABLE docs (id int PRIMARY KEY, fp simhash);
INSERT INTO docs SELECT i, flip(random_fp((i % 700)::text), i / 700, i::text) FROM generate_series(1, 2000) i;
DELETE FROM docs USING simhash_clusters('SELECT id, fp FROM docs', NULL::int, method => 'star') c WHERE docs.id = c.id AND c.id <> c.cluster;
SELECT count(*), max(id) FROM docs;
SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int);
ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %);
DROP TABLE docs;
DROP FUNCTION define_components(), define_star(), cluster_differences(text, int);
