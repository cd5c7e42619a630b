-- Pairs and groups of bit strings: the same as a join in SQL finds, for every kind of length.
CREATE FUNCTION flip_bits(fp bit varying, bits int, seed text) RETURNS bit varying LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  place int;
BEGIN
  FOR i IN 1..bits LOOP
    place := abs(hashtext(seed || i) % length(fp));
    fp := set_bit(fp, place, 1 - get_bit(fp, place));
  END LOOP;
  RETURN fp;
END $$;
CREATE FUNCTION bits_apart(a bit varying, b bit varying) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT length(replace((a # b)::text, '0', '')) $$;
CREATE FUNCTION wide_fps(shape text, bits int, n int) RETURNS TABLE (id int, fp bit varying) LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT i, ' || CASE shape
    WHEN 'random'   THEN 'random_bits($2, i::text)::bit varying'
    WHEN 'equal'    THEN 'random_bits($2, ''x'')::bit varying'
    WHEN 'clusters' THEN 'flip_bits(random_bits($2, (i % 20)::text)::bit varying, i / 20 * $2 / 64, i::text)'
    WHEN 'few bits' THEN 'flip_bits(repeat(''0'', $2)::bit varying, i % 3, i::text)'
    WHEN 'head'     THEN 'substring(random_bits($2, ''x'') || random_bits($2, i::text) FROM 25 FOR $2)::bit varying'
    WHEN 'chain'    THEN 'repeat(''1'', 3 * i)::bit varying || repeat(''0'', $2)::bit varying'
    END || ' FROM generate_series(1, $1) i' USING n, bits;
END $$;

CREATE FUNCTION wide_differences(shape text, bits int, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  k int; form text; wrong bigint; found bigint := 0;
BEGIN
  CREATE TEMP TABLE t AS SELECT id, substring(fp FROM 1 FOR bits)::bit varying AS fp FROM wide_fps(shape, bits, n);
  CREATE TEMP TABLE near AS SELECT a.id AS a, b.id AS b, bits_apart(a.fp, b.fp) AS distance FROM t a JOIN t b ON a.id < b.id;
  FOREACH k IN ARRAY ARRAY[-5, 0, 1, 3, bits / 16, bits / 8, bits / 3, bits - 1, bits, 5000] LOOP
    FOREACH form IN ARRAY ARRAY['SELECT * FROM unnest((SELECT array_agg(id ORDER BY md5(id::text)) FROM t), (SELECT array_agg(fp ORDER BY md5(id::text)) FROM t))',
                                'SELECT id, fp FROM t ORDER BY id % 7, id DESC'] LOOP
      CREATE TEMP TABLE answer AS SELECT * FROM simhash_pairs(form, NULL::int, k);
      SELECT count(*) INTO wrong FROM ((SELECT * FROM answer EXCEPT ALL SELECT * FROM near WHERE distance <= k)
                            UNION ALL (SELECT * FROM near WHERE distance <= k EXCEPT ALL SELECT * FROM answer)) s;
      IF wrong > 0 THEN RETURN NEXT format('%s of %s bits, within %s by %s: %s wrong', shape, bits, k, form, wrong); END IF;
      found := found + (SELECT count(*) FROM answer);
      DROP TABLE answer;
    END LOOP;
    EXECUTE format('SELECT count(*) FROM (SELECT * FROM simhash_clusters(''SELECT id, fp FROM t'', NULL::int, %1$s) EXCEPT
      SELECT * FROM simhash_clusters(''SELECT id, fp FROM t ORDER BY md5(id::text)'', NULL::int, %1$s)) s', k) INTO wrong;
    IF wrong > 0 THEN RETURN NEXT format('%s of %s bits, within %s: %s clusters', shape, bits, k, wrong); END IF;
    -- each document is within the distance of its keeper, and no two keepers are
    EXECUTE format('WITH c AS MATERIALIZED (SELECT * FROM simhash_clusters(''SELECT id, fp FROM t'', NULL::int, %1$s, ''star''))
      SELECT (SELECT count(*) FROM c JOIN near ON a = cluster AND b = id WHERE distance > %1$s) +
             (SELECT count(*) FROM near JOIN c c1 ON c1.id = a JOIN c c2 ON c2.id = b WHERE c1.cluster = a AND c2.cluster = b AND distance <= %1$s)', k) INTO wrong;
    IF wrong > 0 THEN RETURN NEXT format('%s of %s bits, within %s: %s stars', shape, bits, k, wrong); END IF;
  END LOOP;
  DROP TABLE t, near;
  RETURN NEXT format('%s of %s bits: %s pairs', shape, bits, CASE WHEN found > 0 THEN 'some' ELSE 'no' END);
END $$;
SELECT wide_differences(shape, bits, 60) FROM unnest('{random,equal,clusters,few bits,head,chain}'::text[]) shape, unnest('{64,80,128,144,256,1024}'::int[]) bits;

-- Components: groups of documents that a chain connects
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1,2,3,4}'::int[], ARRAY[repeat('0', 80), repeat('0', 76) || '1111', repeat('0', 72) || '11111111', repeat('1', 80)]::bit(80)[])$$, 4) ORDER BY id;
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1,2,3,4}'::int[], ARRAY[repeat('0', 80), repeat('0', 76) || '1111', repeat('0', 72) || '11111111', repeat('1', 80)]::bit(80)[])$$, 4, 'star') ORDER BY id;

-- bit(64) gives the same result as the same rows of type simhash
CREATE TABLE both_types AS SELECT id, fp, fp::bit(64) AS bits FROM shaped_fps('clusters', 500);
SELECT k, count(*) > 0 AS some, count(*) FILTER (WHERE wide IS NULL OR s IS NULL) AS different
FROM generate_series(0, 8, 4) k, LATERAL (SELECT wide, s FROM simhash_pairs('SELECT id, bits FROM both_types', NULL::int, k) wide FULL JOIN simhash_pairs('SELECT id, fp FROM both_types', NULL::int, k) s ON wide = s) x GROUP BY k ORDER BY k;
SELECT k, method, count(*) AS documents, count(*) FILTER (WHERE wide IS NULL OR s IS NULL) AS different
FROM generate_series(0, 8, 4) k, unnest('{components,star}'::text[]) method, LATERAL (SELECT wide, s FROM simhash_clusters('SELECT id, bits FROM both_types', NULL::int, k, method) wide FULL JOIN simhash_clusters('SELECT id, fp FROM both_types', NULL::int, k, method) s ON wide = s) x GROUP BY 1, 2 ORDER BY 1, 2;
DROP TABLE both_types;

-- In passes, with the least memory, the result is the same as in memory
CREATE TABLE wide AS SELECT (10 * id + s)::int AS id, fp::bit(144) AS fp FROM unnest('{random,clusters,head}'::text[], ARRAY[40000, 400, 1500]) WITH ORDINALITY u(shape, n, s), wide_fps(shape, 144, n);
CREATE VIEW wide_sums AS SELECT k, p.*, c.* FROM unnest('{0,3,12,60}'::int[]) k, LATERAL
  (SELECT count(*) AS pairs, sum(distance) AS distances, sum(hashint8(a::bigint << 32 | b)::numeric) AS hashes FROM simhash_pairs('SELECT id, fp FROM wide WHERE id % 10 > 1 OR ' || (k < 60), NULL::int, k)) p, LATERAL
  (SELECT count(DISTINCT cluster) AS clusters, sum(hashint8(id::bigint << 32 | cluster)::numeric) AS cluster_hashes FROM simhash_clusters('SELECT id, fp FROM wide', NULL::int, least(k, 12), 'star')) c;
SET maintenance_work_mem = '1GB';
CREATE TABLE wide_in_memory AS SELECT * FROM wide_sums;
SET maintenance_work_mem = '1MB';
SELECT k, pairs > 0 AS some_pairs, clusters < 41900 AS fewer_clusters FROM wide_sums JOIN wide_in_memory USING (k, pairs, distances, hashes, clusters, cluster_hashes) ORDER BY k;
RESET maintenance_work_mem;
DROP TABLE wide, wide_in_memory CASCADE;

-- Values of any form: short headers, compressed, stored out of line; domains; bit varying
CREATE DOMAIN image_hash AS bit(256);
CREATE TABLE images (id int, hash image_hash, note text, wide bit varying);
ALTER TABLE images ALTER note SET STORAGE PLAIN, ALTER wide SET STORAGE EXTERNAL;
INSERT INTO images SELECT i, repeat(CASE WHEN i < 3 THEN '0' ELSE '1' END, 256)::bit(256), repeat('x', i), random_bits(1024, (i / 2)::text) FROM generate_series(1, 4) i;
UPDATE images SET note = repeat('x', 1900) WHERE id <> 2;
SELECT pg_relation_size(reltoastrelid) > 0 AS out_of_line FROM pg_class WHERE oid = 'images'::regclass;
SELECT * FROM simhash_pairs('SELECT id, hash FROM images', NULL::int, 0) ORDER BY a, b;
SELECT * FROM simhash_pairs('SELECT id, wide FROM images', NULL::int, 0) ORDER BY a, b;
SELECT * FROM simhash_pairs('SELECT * FROM unnest((SELECT array_agg(id ORDER BY id) FROM images), (SELECT array_agg(wide ORDER BY id) FROM images))', 0) ORDER BY a, b;
SELECT * FROM simhash_pairs('SELECT * FROM unnest((SELECT array_agg(id ORDER BY id) FROM images), (SELECT array_agg(hash::bit(256) ORDER BY id) FROM images))', 255) ORDER BY a, b;
SELECT a, b, distance FROM simhash_pairs('SELECT id, hash # ~hash FROM images', NULL::int, 0) ORDER BY a, b;
DROP TABLE images;
DROP DOMAIN image_hash;

-- The default distance is that of %, at every width, as is NULL
SELECT bits, count(*) FILTER (WHERE pairs <> near) AS wrong FROM unnest(ARRAY[64, 96, 128, 144, 256, 512, 1024]) bits, generate_series(1, 3) seed,
  LATERAL (SELECT array_agg(id ORDER BY id) AS ids, array_agg(b ORDER BY id) AS fps FROM (SELECT id, random_bits(bits, seed::text) # (repeat('0', bits - id)::bit varying || repeat('1', id)::bit varying) AS b FROM generate_series(0, bits / 8, 3) id) s) d,
  LATERAL format('SELECT * FROM unnest(%L::int[], %L::bit varying[])', ids, fps) docs,
  LATERAL (SELECT (SELECT count(*) FROM unnest(fps) WITH ORDINALITY x (x, i) JOIN unnest(fps) WITH ORDINALITY y (y, j) ON x % y AND i < j) AS near,
    unnest(ARRAY[(SELECT count(*) FROM simhash_pairs(docs)), (SELECT count(*) FROM simhash_pairs(docs, distance => NULL)), (SELECT count(*) FROM simhash_pairs(docs, bits * 5 / 64)),
      (SELECT count(*) FROM simhash_pairs(format('SELECT unnest(%L::int[]), unnest(%L::bit(%s)[])', ids, fps, bits), NULL::int))]) AS pairs) p
GROUP BY 1 ORDER BY 1;
SELECT bits, count(DISTINCT a.cluster) AS varying, count(DISTINCT q.cluster) AS fixed, count(DISTINCT s.cluster) AS star
FROM unnest(ARRAY[64, 256]) bits, LATERAL (SELECT ARRAY[0, 1, 2] AS ids, ARRAY[repeat('0', bits), repeat('1', bits * 5 / 64) || repeat('0', bits - bits * 5 / 64), repeat('1', bits * 10 / 64 + 1) || repeat('0', bits - bits * 10 / 64 - 1)]::bit varying[] AS fps) d,
  LATERAL format('SELECT * FROM unnest(%L::int[], %L::bit varying[])', ids, fps) docs,
  LATERAL simhash_clusters(docs) a JOIN LATERAL simhash_clusters(format('SELECT unnest(%L::int[]), unnest(%L::bit(%s)[])', ids, fps, bits), NULL::int) q USING (id)
  JOIN LATERAL simhash_clusters(docs, method => 'star') s USING (id) GROUP BY 1 ORDER BY 1;

-- NULL, and no documents
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1,2,3,NULL}'::int[], ARRAY[repeat('1', 96), NULL, repeat('1', 96), NULL]::bit(96)[])$$, 0);
SELECT * FROM simhash_pairs('SELECT i, CASE WHEN i > 1 THEN repeat(''1'', 96)::bit(96) END FROM generate_series(1, 3) i', NULL::int, 0);
SELECT count(*) FROM simhash_pairs($$SELECT * FROM unnest('{}'::int[], '{}'::bit[])$$, 3);
SELECT count(*) FROM simhash_pairs($$SELECT * FROM unnest('{1}'::int[], '{NULL}'::bit[])$$, 3);
SELECT count(*) FROM simhash_pairs($$SELECT * FROM unnest('{1,2}'::int[], array_fill(repeat('1', 96)::bit(96), ARRAY[2]))$$, distance => NULL);
SELECT count(*) FROM simhash_clusters($$SELECT * FROM unnest('{1,2}'::int[], array_fill(repeat('1', 96)::bit(96), ARRAY[2]))$$, 0);
SELECT count(*) FROM simhash_pairs('SELECT 1, NULL::bit(96) WHERE false', NULL::int, 3);
SELECT count(*) FROM simhash_clusters('SELECT 1, NULL::bit(96)', NULL::int, 3);

-- Errors
SELECT * FROM simhash_pairs('SELECT i, repeat(''1'', 64 + 16 * i)::bit varying FROM generate_series(0, 1) i', NULL::int, 3);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1,2}'::int[], ARRAY[repeat('1', 128), repeat('1', 256)]::bit varying[])$$, 3);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1}'::int[], ARRAY[repeat('1', 48)]::bit varying[])$$, 3);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1}'::int[], ARRAY[repeat('1', 100)]::bit varying[])$$, 3);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1}'::int[], ARRAY[repeat('1', 1040)]::bit varying[])$$, 3);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1}'::int[], '{""}'::bit varying[])$$, 3);
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1,NULL}'::int[], array_fill(repeat('1', 96)::bit(96), ARRAY[2]))$$, 3);
SELECT * FROM simhash_clusters($$SELECT * FROM unnest('{1}'::int[], array_fill(repeat('1', 96)::bit(96), ARRAY[1]))$$, 3, 'stars');
SELECT * FROM simhash_pairs('SELECT 1, ''\x00''::bytea', NULL::int, 3);
\set VERBOSITY sqlstate
SELECT * FROM simhash_pairs($$SELECT * FROM unnest('{1,2}'::int[], ARRAY[repeat('1', 128), repeat('1', 256)]::bit varying[])$$, 3);
SELECT repeat('1', 128)::bit varying # repeat('1', 256)::bit varying;
\set VERBOSITY default

DROP FUNCTION wide_differences, wide_fps, bits_apart, flip_bits;
