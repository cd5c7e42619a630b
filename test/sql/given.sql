-- Features given by the caller.  Fingerprints are stored in people's tables: never
-- change a value here.
SELECT simhash_from_features(ARRAY['word', 'другое слово', '', '人']) AS texts, simhash_from_features(ARRAY[1, -1, 4711, 81985529216486895]::bigint[]) AS hashes,
       simhash_from_features(ARRAY['a', 'b', 'c'], ARRAY[0.5, 2, -0.25]) AS weighted, minhash_from_features(ARRAY['word', 'другое слово', '', '人']) AS min_texts, minhash_from_features(ARRAY[1, -1, 4711]::bigint[]) AS min_hashes;

-- Every element votes; order does not matter; a bigint is its own hash
SELECT simhash_from_features(ARRAY['a', 'a', 'a', 'b']) = simhash_from_features(ARRAY['a']) AS repeated, simhash_from_features(ARRAY['a', 'b', 'c']) = simhash_from_features(ARRAY['c', 'a', 'b']) AS ordered,
       simhash_from_features(ARRAY['a', 'b', 'c'], ARRAY[1, 1, 1]) = simhash_from_features(ARRAY['a', 'b', 'c']) AS ones, simhash_from_features(ARRAY['a', 'b'], ARRAY[3, 1]) = simhash_from_features(ARRAY['a', 'a', 'b', 'a']) AS weight,
       simhash_from_features(ARRAY[4711]::bigint[]) = 4711::bigint::simhash AS itself, simhash_from_features(ARRAY['word']) = simhash('word') AS word, simhash_from_features(ARRAY['Word']) <> simhash('word') AS as_it_is,
       minhash_from_features(ARRAY['a', 'a', 'b']) = minhash_from_features(ARRAY['b', 'a']) AS set;
-- NULLs are skipped, with their weights; nothing left is NULL
SELECT simhash_from_features(ARRAY['a', NULL, 'b', NULL]) = simhash_from_features(ARRAY['a', 'b']) AS nulls, simhash_from_features(ARRAY['a', NULL, 'b'], ARRAY[1, 5, NULL]) = simhash_from_features(ARRAY['a']) AS null_weights,
       simhash_from_features('{}'::text[]) IS NULL AS empty, simhash_from_features('{NULL}'::bigint[]) IS NULL AS only_nulls, simhash_from_features('{}'::text[], '{}') IS NULL AS no_weights, simhash_from_features(NULL::text[]) IS NULL AS null,
       minhash_from_features('{}'::text[]) IS NULL AS min_empty, minhash_from_features('{NULL}'::bigint[]) IS NULL AS min_nulls, simhash_from_features(ARRAY['a'], ARRAY[0]) IS NULL AS zero;
-- A weight of 0 is no vote, a negative one a vote against
SELECT simhash_from_features(ARRAY['a', 'b'], ARRAY[0, 1]) = simhash_from_features(ARRAY['b']) AS zero, simhash_from_features(ARRAY['a'], ARRAY[-2]) = complement(simhash_from_features(ARRAY['a'])) AS negative,
       simhash_from_features(ARRAY['a', 'a'], ARRAY[2, -2]) AS cancelled, simhash_from_features(ARRAY['a'], ARRAY['-0'::float8]) IS NULL AS negative_zero;
-- Sums are exact over the whole range of double precision
SELECT simhash_from_features(ARRAY['a', 'b', 'a'], ARRAY[1e308, 1e-308, -1e308]) = simhash_from_features(ARRAY['b']) AS range, simhash_from_features(ARRAY['a', 'b', 'a'], ARRAY[0.1, 5e-324, -0.1]) = simhash_from_features(ARRAY['b']) AS smallest,
       simhash_from_features(ARRAY['a', 'a', 'a', 'b'], ARRAY[0.1, 0.2, -0.3, 1e-30]) = simhash_from_features(ARRAY['a']) AS not_decimal, simhash_from_features(array_fill('a'::text, ARRAY[1000]) || 'b'::text, array_fill(1.7e308::float8, ARRAY[1000]) || 1::float8) = simhash_from_features(ARRAY['a']) AS beyond_double;
-- Arrays of any shape
SELECT simhash_from_features('[5:7]={a,b,c}'::text[]) = simhash_from_features(ARRAY['a', 'b', 'c']) AS bounds, simhash_from_features('{{a,b},{c,d}}'::text[]) = simhash_from_features(ARRAY['a', 'b', 'c', 'd']) AS dimensions,
       simhash_from_features('{{a,b},{c,d}}'::text[], '[0:3]={1,2,3,4}'::float8[]) = simhash_from_features(ARRAY['a', 'b', 'c', 'd'], ARRAY[1, 2, 3, 4]) AS both, simhash_from_features(ARRAY['a', 'b']::varchar[]) = simhash_from_features(ARRAY['a', 'b']) AS varchar;

-- Errors
SELECT simhash_from_features(ARRAY['a', 'b'], ARRAY[1]);
SELECT simhash_from_features('{}'::bigint[], '{1}');
SELECT simhash_from_features(ARRAY['a'], ARRAY['NaN'::float8]);
SELECT simhash_from_features(ARRAY['a'], ARRAY['Infinity'::float8]);
SELECT simhash_from_features(ARRAY[1]::bigint[], ARRAY['-Infinity'::float8]);
SELECT simhash_weighted_agg('a', 'NaN');
-- An untyped array is not a text
-- PostgreSQL 19 words these errors otherwise
\set VERBOSITY sqlstate
SELECT minhash_from_features('{a,b}');
PREPARE untyped AS SELECT minhash_from_features($1);
-- minhash takes no weights
SELECT minhash_from_features(ARRAY['a'], ARRAY[1]);
SELECT minhash_from_features(ARRAY[1]::bigint[], ARRAY[1]);
SELECT minhash_agg('a', 1);
SELECT minhash_agg(1, 1);
\set VERBOSITY default

-- Aggregates
CREATE TABLE given AS SELECT i AS id, md5((i % 5000)::text) AS feature, hashtextextended((i % 5000)::text, 7) AS hash, (i * 7919 % 1000 - 300) * 10.0 ^ (i % 31 - 15) AS weight FROM generate_series(1, 20000) i;
INSERT INTO given VALUES (20001, NULL, NULL, 1e300), (20002, 'x', 1, NULL), (20003, 'y', 2, 0);
SELECT simhash_agg(feature) AS text, simhash_agg(hash) AS hash, simhash_weighted_agg(feature, weight) AS weighted_text, simhash_weighted_agg(hash, weight) AS weighted_hash, minhash_agg(feature) AS min_text, minhash_agg(hash) AS min_hash FROM given \gset serial_
SELECT :'serial_text' AS text, :'serial_hash' AS hash, :'serial_weighted_text' AS weighted_text, :'serial_weighted_hash' AS weighted_hash, :'serial_min_text' AS min_text;
SELECT simhash_from_features(array_agg(feature)) = :'serial_text' AS texts, simhash_from_features(array_agg(hash), array_agg(weight::float8)) = :'serial_weighted_hash' AS weighted, minhash_from_features(array_agg(feature)) = :'serial_min_text' AS min FROM given;
-- any order of rows
SELECT count(DISTINCT simhash_agg) AS simhash, count(DISTINCT weighted_text) AS weighted, count(DISTINCT minhash_agg) AS minhash, bool_and(weighted_text = :'serial_weighted_text') AS same
FROM generate_series(1, 5) seed, LATERAL (SELECT simhash_agg(feature), simhash_weighted_agg(feature, weight) AS weighted_text, minhash_agg(feature)
  FROM (SELECT * FROM given ORDER BY hashint4extended(id, seed)) s) t;
-- any division among workers
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 3;
SELECT * FROM plan_of('SELECT simhash_agg(feature), simhash_weighted_agg(hash, weight), minhash_agg(feature) FROM given') p WHERE p ~ 'Parallel Seq Scan';
SELECT simhash_agg(feature) = :'serial_text' AS texts, simhash_agg(hash) = :'serial_hash' AS hashes, simhash_weighted_agg(feature, weight) = :'serial_weighted_text' AS weighted_text,
       simhash_weighted_agg(hash, weight) = :'serial_weighted_hash' AS weighted_hash, minhash_agg(feature) = :'serial_min_text' AS min_text, minhash_agg(hash) = :'serial_min_hash' AS min_hash FROM given;
SELECT count(*) AS groups, count(*) FILTER (WHERE agg IS DISTINCT FROM arr) AS differ
FROM (SELECT id % 100 AS g, simhash_weighted_agg(hash, weight) AS agg FROM given GROUP BY 1) a JOIN (SELECT id % 100 AS g, simhash_from_features(array_agg(hash), array_agg(weight::float8)) AS arr FROM given GROUP BY 1) b USING (g);
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
-- groups, windows, no rows, NULLs only
SELECT simhash_agg(feature) IS NULL AS none, minhash_agg(hash) IS NULL AS min_none FROM given WHERE id < 0;
SELECT simhash_agg(feature) IS NULL AS nulls, simhash_weighted_agg(hash, 1) IS NULL AS weighted_nulls, minhash_agg(hash) IS NULL AS min_nulls FROM given WHERE hash IS NULL;
SELECT count(*) AS windows FROM (SELECT id, simhash_weighted_agg(feature, weight) OVER w AS agg, simhash_agg(feature) OVER (ORDER BY id) AS units, array_agg(feature) OVER w AS features, array_agg(weight::float8) OVER w AS weights
  FROM given WHERE id <= 200 WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)) s WHERE agg = simhash_from_features(features, weights) AND units IS NOT NULL;
-- called by hand
DO $$
DECLARE call text;
BEGIN
  FOREACH call IN ARRAY ARRAY['simhash_agg_final(NULL::internal)', $q$simhash_agg_text(NULL::internal, 'a'::text)$q$, 'minhash_agg_combine(NULL::internal, NULL::internal)', $q$simhash_agg_deserialize('', NULL::internal)$q$] LOOP
    BEGIN
      EXECUTE 'SELECT ' || call;
      RAISE WARNING '% can be called', call;
    EXCEPTION WHEN OTHERS THEN NULL;  -- said in other words by every version
    END;
  END LOOP;
END $$;
DROP TABLE given;

-- A million elements
SELECT simhash_from_features(array_agg(hashint8extended(i, 0))) AS a_million, minhash_from_features(array_agg(i::bigint)) AS min FROM generate_series(1, 1000000) i;
-- A weight of 0 is left out like NULL; weights that cancel each other are not
SELECT simhash_from_features('{a}'::text[], '{0}') IS NULL AS zero, simhash_from_features('{a,b}'::text[], '{0,1}') = simhash_from_features('{b}'::text[]) AS left_out, simhash_from_features('{a,a}'::text[], '{2,-2}') AS cancel;
