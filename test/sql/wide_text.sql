-- Wide fingerprints of texts are stored in people's tables: never change a value here.
SELECT name, bit_to_hex(minhash_bits(body, 256)) AS minhash, bit_to_hex(simhash_bits(body, 256)) AS simhash FROM (VALUES
  (1, 'one letter', 'a'),
  (2, 'English', 'The quick brown fox jumps over the lazy dog.'),
  (3, 'Chinese', '人人生而自由，在尊严和权利上一律平等。'),
  (4, 'one character', '人'),
  (5, 'French', 'Dès Noël où un zéphyr haï me vêt de glaçons würmiens')
) v(ord, name, body) ORDER BY ord;
SELECT bit_to_hex(minhash_bits(body, 1024)) AS minhash, bit_to_hex(simhash_bits(body, 1024)) AS simhash
FROM (SELECT string_agg(i || ' bottles of beer on the wall', ', ' ORDER BY i) AS body FROM generate_series(1, 300) i) s;

-- Every prefix is the fingerprint of that length, and the first 64 bits are the fingerprint of 64 bits
CREATE TABLE forms (form text, narrow text, wide text);
INSERT INTO forms VALUES
  ('minhash of a text', 'minhash(body)', 'minhash_bits(body, bits)'),
  ('simhash of a text', 'simhash(body)', 'simhash_bits(body, bits)'),
  ('minhash with options', $$minhash(body, 'characters', n => 5, fold => false)$$, $$minhash_bits(body, bits, 'characters', n => 5, fold => false)$$),
  ('simhash with options', $$simhash(body, 'words', n => 3, normalization => false)$$, $$simhash_bits(body, bits, 'words', n => 3, normalization => false)$$),
  ('frequency', $$simhash(body, 'words', weight => 'frequency')$$, $$simhash_bits(body, bits, 'words', weight => 'frequency')$$),
  ('logarithm', $$simhash(body, 'words', weight => 'logarithm')$$, $$simhash_bits(body, bits, 'words', weight => 'logarithm')$$),
  ('default options', $$simhash(body)$$, $$simhash_bits(body, bits, NULL, NULL, NULL, NULL, NULL)$$),
  ('minhash of text[]', $$minhash_from_features(string_to_array(body, ' '))$$, $$minhash_bits_from_features(string_to_array(body, ' '), bits)$$),
  ('simhash of text[]', $$simhash_from_features(string_to_array(body, ' '))$$, $$simhash_bits_from_features(string_to_array(body, ' '), bits)$$),
  ('weighted text[]', $$simhash_from_features(string_to_array(body, ' ', 'b'), weights(body))$$, $$simhash_bits_from_features(string_to_array(body, ' ', 'b'), weights(body), bits)$$),
  ('minhash of bigint[]', 'minhash_from_features(hashes(body))', 'minhash_bits_from_features(hashes(body), bits)'),
  ('simhash of bigint[]', 'simhash_from_features(hashes(body))', 'simhash_bits_from_features(hashes(body), bits)'),
  ('weighted bigint[]', 'simhash_from_features(hashes(body), weights(body))', 'simhash_bits_from_features(hashes(body), weights(body), bits)'),
  ('minhash_agg of text', $$(SELECT minhash_agg(f) FROM unnest(string_to_array(body, ' ')) f)$$, $$(SELECT minhash_bits_agg(f, bits) FROM unnest(string_to_array(body, ' ')) f)$$),
  ('simhash_agg of text', $$(SELECT simhash_agg(f) FROM unnest(string_to_array(body, ' ')) f)$$, $$(SELECT simhash_bits_agg(f, bits) FROM unnest(string_to_array(body, ' ')) f)$$),
  ('weighted text', $$(SELECT simhash_weighted_agg(f, w) FROM unnest(string_to_array(body, ' '), weights(body)) u(f, w))$$, $$(SELECT simhash_bits_weighted_agg(f, w, bits) FROM unnest(string_to_array(body, ' '), weights(body)) u(f, w))$$),
  ('minhash_agg of bigint', $$(SELECT minhash_agg(f) FROM unnest(hashes(body)) f)$$, $$(SELECT minhash_bits_agg(f, bits) FROM unnest(hashes(body)) f)$$),
  ('simhash_agg of bigint', $$(SELECT simhash_agg(f) FROM unnest(hashes(body)) f)$$, $$(SELECT simhash_bits_agg(f, bits) FROM unnest(hashes(body)) f)$$),
  ('weighted bigint', $$(SELECT simhash_weighted_agg(f, w) FROM unnest(hashes(body), weights(body)) u(f, w))$$, $$(SELECT simhash_bits_weighted_agg(f, w, bits) FROM unnest(hashes(body), weights(body)) u(f, w))$$),
  ('features', $$simhash(body)$$, $$(SELECT simhash_bits_weighted_agg(hash, weight, bits) FROM simhash_features(body))$$);
CREATE FUNCTION hashes(body text) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$ SELECT array_agg(hashtextextended(f, 7)) FROM unnest(string_to_array(body, ' ')) f $$;
CREATE FUNCTION weights(body text) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$ SELECT array_agg((i * 7919 % 1000 - 300) * 10.0 ^ (i % 31 - 15)) FROM generate_series(1, cardinality(string_to_array(body, ' '))) i $$;
CREATE TABLE bodies AS SELECT 'The quick brown fox b jumps over the lazy dog, and the foxes JUMPED again: 人人生而自由 Ünïcode'::text AS body
  UNION ALL SELECT 'word' UNION ALL SELECT string_agg(md5((i % 900)::text), ' ' ORDER BY i) FROM generate_series(1, 1000) i UNION ALL SELECT '' UNION ALL SELECT NULL;
DO $$
DECLARE
  f forms;
  b text;
  narrow simhash;
  widest bit(1024);
  fp varbit;
  n int := 0;
BEGIN
  FOR f IN SELECT * FROM forms LOOP
    FOR b IN SELECT body FROM bodies LOOP
      EXECUTE format('SELECT %s, %s FROM (SELECT $1 AS body, 1024 AS bits) s', f.narrow, f.wide) INTO narrow, widest USING b;
      FOR bits IN 64 .. 1024 BY 64 LOOP
        EXECUTE format('SELECT %s FROM (SELECT $1 AS body, $2 AS bits) s', f.wide) INTO fp USING b, bits;
        IF fp IS DISTINCT FROM substring(widest FOR bits) OR length(fp) <> bits OR substring(fp FOR 64) IS DISTINCT FROM narrow::bit(64) THEN
          RAISE WARNING '% of %, % bits: % is not %', f.form, left(b, 20), bits, fp, widest;
        END IF;
        n := n + (fp IS NOT NULL)::int;
      END LOOP;
    END LOOP;
  END LOOP;
  RAISE NOTICE '% fingerprints', n;
END $$;
-- The words differ
SELECT count(DISTINCT get_byte(bit_to_bytea(minhash_bits('a b', 1024)), i * 8)) > 12 AS minhash, count(DISTINCT get_byte(bit_to_bytea(simhash_bits('a', 1024)), i * 8)) > 12 AS simhash FROM generate_series(0, 15) i;

-- The default of bits is 256, also in the catalog of expressions
DO $$
DECLARE
  f record;
  b text;
  same boolean;
  n int := 0;
BEGIN
  FOR f IN SELECT form, wide, replace(replace(wide, ', bits, NULL, NULL, NULL, NULL, NULL', ', n => NULL, weight => NULL'), ', bits', '') AS shorter FROM forms WHERE wide !~ '_agg\(' LOOP
    f.shorter := regexp_replace(f.shorter, '''(words|characters)''', 'features => \&');
    FOR b IN SELECT body FROM bodies LOOP
      EXECUTE format('SELECT %s IS NOT DISTINCT FROM %s FROM (SELECT $1 AS body, 256 AS bits) s', f.shorter, f.wide) INTO same USING b;
      IF NOT same THEN
        RAISE WARNING '% of %: % is not %', f.form, left(b, 20), f.shorter, f.wide;
      END IF;
      n := n + 1;
    END LOOP;
  END LOOP;
  RAISE NOTICE '% calls', n;
END $$;
CREATE TABLE defaults (body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED, words bit(128) GENERATED ALWAYS AS (simhash_bits(body, 128, features => 'words')) STORED);
CREATE INDEX defaults_body ON defaults USING bitblock ((minhash_bits(body))) WITH (bits = 256);
INSERT INTO defaults SELECT body FROM bodies;
SELECT count(*) AS rows, count(fp) AS fingerprints, bool_and(fp = minhash_bits(body, 256)) AS same, bool_and(words = simhash_bits(body, 128, 'words')) AS same_words FROM defaults;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'defaults'::regclass ORDER BY adnum;
SET enable_seqscan = off; SET enable_bitmapscan = off;
-- the same expression, with and without the default
EXPLAIN (COSTS OFF) SELECT body FROM defaults WHERE minhash_bits(body, 256) <-> minhash_bits('word') <= 3;
SELECT body FROM defaults WHERE minhash_bits(body, 256) <-> minhash_bits('word') <= 3;
PREPARE of_default AS SELECT body FROM defaults WHERE minhash_bits(body) <-> minhash_bits($1) <= 3;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_default('word');
EXECUTE of_default('word');
EXECUTE of_default(NULL);
DEALLOCATE of_default;
RESET plan_cache_mode; RESET enable_seqscan; RESET enable_bitmapscan;
DROP TABLE defaults;
-- Options are checked also for a text that is NULL
SELECT minhash_bits(NULL::text, features => 'word');

-- NULLs are those of 64 bits
SELECT minhash_bits('', 128) IS NULL AS empty, simhash_bits(' .,;', 128) IS NULL AS punctuation, minhash_bits(NULL, 128) IS NULL AS null, simhash_bits('a', NULL::integer) IS NULL AS null_bits,
       minhash_bits('a', NULL::integer, 'words') IS NULL AS null_bits_options, minhash_bits(NULL, 128, 'words') IS NULL AS null_options, simhash_bits_from_features('{}'::text[], 128) IS NULL AS no_features,
       simhash_bits_from_features(ARRAY['a'], ARRAY[0], 128) IS NULL AS zero, simhash_bits_from_features(ARRAY['a', NULL, 'b'], ARRAY[1, 5, NULL], 128) = simhash_bits('a', 128) AS nulls, minhash_bits_from_features('{NULL}'::bigint[], 128) IS NULL AS only_nulls;
-- A literal, varchar and char are texts
SELECT minhash_bits('Some text', 128) = minhash_bits('some text'::varchar, 128) AS varchar, simhash_bits('Some text', 128) = simhash_bits('some text'::char(20), 128) AS char,
       simhash_bits('some text', 128, 'words') = simhash_bits('some text', bits => 128, features => 'words') AS literal;
-- Weights are exact in every word; a tie gives 0
SELECT simhash_bits_from_features(ARRAY['a', 'b', 'a'], ARRAY[1e308, 1e-308, -1e308], 256) = simhash_bits('b', 256) AS range, simhash_bits_from_features(ARRAY['a', 'a'], ARRAY[2, -2], 128) = repeat('0', 128)::bit(128) AS cancelled,
       simhash_bits_from_features(ARRAY['a'], ARRAY[-2], 256) = ~simhash_bits('a', 256) AS negative;

-- Errors
SELECT minhash_bits('a', 0);
SELECT simhash_bits('a', 100);
SELECT simhash_bits('a', 1088, 'words');
SELECT minhash_bits_from_features(ARRAY['a'], -64);
SELECT minhash_bits_agg('a', 65);
SELECT simhash_bits_from_features(ARRAY['a', 'b'], ARRAY[1], 128);
SELECT simhash_bits_from_features(ARRAY['a'], ARRAY['NaN'::float8], 128);
SELECT simhash_bits('a', 128, 'shingles');
SELECT simhash_bits('a', 128, 'words', n => 0);
SELECT simhash_bits_agg(f, bits) FROM (VALUES ('a', 128), ('b', 256)) v(f, bits);
SELECT minhash_bits_agg(f, bits) FROM (VALUES (1, 64), (2, 1024)) v(f, bits);
SELECT simhash_bits_weighted_agg('a', 'Infinity', 128);
\set VERBOSITY sqlstate
SELECT minhash_bits('a', 128, 'words', weight => 'frequency');
SELECT minhash_bits_from_features(ARRAY['a'], ARRAY[1], 128);
\set VERBOSITY default

-- Aggregates: any order of rows, any division among workers, groups and windows
CREATE TABLE given AS SELECT i AS id, md5((i % 5000)::text) AS feature, hashtextextended((i % 5000)::text, 7) AS hash, (i * 7919 % 1000 - 300) * 10.0 ^ (i % 31 - 15) AS weight FROM generate_series(1, 20000) i;
INSERT INTO given VALUES (20001, NULL, NULL, 1e300), (20002, 'x', 1, NULL), (20003, 'y', 2, 0);
SELECT simhash_bits_agg(feature, 192) AS text, simhash_bits_agg(hash, 192) AS hash, simhash_bits_weighted_agg(feature, weight, 192) AS weighted_text, simhash_bits_weighted_agg(hash, weight, 192) AS weighted_hash,
       minhash_bits_agg(feature, 192) AS min_text, minhash_bits_agg(hash, 192) AS min_hash FROM given \gset serial_
SELECT bit_to_hex(:'serial_text'::varbit) AS text, bit_to_hex(:'serial_hash'::varbit) AS hash, bit_to_hex(:'serial_min_text'::varbit) AS min_text;
SELECT bit_to_hex(:'serial_weighted_text'::varbit) AS weighted_text, bit_to_hex(:'serial_weighted_hash'::varbit) AS weighted_hash, bit_to_hex(:'serial_min_hash'::varbit) AS min_hash;
SELECT simhash_bits_from_features(array_agg(feature), 192) = :'serial_text' AS texts, simhash_bits_from_features(array_agg(hash), array_agg(weight::float8), 192) = :'serial_weighted_hash' AS weighted, minhash_bits_from_features(array_agg(hash), 192) = :'serial_min_hash' AS min FROM given;
SELECT bool_and(weighted = :'serial_weighted_text') AS weighted, bool_and(min = :'serial_min_text') AS min
FROM generate_series(1, 5) seed, LATERAL (SELECT simhash_bits_weighted_agg(feature, weight, 192) AS weighted, minhash_bits_agg(feature, 192) AS min FROM (SELECT * FROM given ORDER BY hashint4extended(id, seed)) s) t;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 3;
SELECT * FROM plan_of('SELECT simhash_bits_agg(feature, 192), simhash_bits_weighted_agg(hash, weight, 192), minhash_bits_agg(feature, 192) FROM given') p WHERE p ~ 'Parallel Seq Scan';
SELECT simhash_bits_agg(feature, 192) = :'serial_text' AS texts, simhash_bits_agg(hash, 192) = :'serial_hash' AS hashes, simhash_bits_weighted_agg(feature, weight, 192) = :'serial_weighted_text' AS weighted_text,
       simhash_bits_weighted_agg(hash, weight, 192) = :'serial_weighted_hash' AS weighted_hash, minhash_bits_agg(feature, 192) = :'serial_min_text' AS min_text, minhash_bits_agg(hash, 192) = :'serial_min_hash' AS min_hash FROM given;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
SELECT simhash_bits_agg(feature, 128) IS NULL AS none, minhash_bits_agg(hash, 128) IS NULL AS min_none FROM given WHERE id < 0;
SELECT simhash_bits_agg(feature, 128) IS NULL AS nulls, minhash_bits_agg(hash, NULL) IS NULL AS null_bits, simhash_bits_weighted_agg(hash, 1, 128) IS NULL AS weighted_nulls FROM given WHERE hash IS NULL;
SELECT count(*) AS windows FROM (SELECT id, simhash_bits_weighted_agg(feature, weight, 128) OVER w AS agg, minhash_bits_agg(feature, 128) OVER w AS min, array_agg(feature) OVER w AS features, array_agg(weight::float8) OVER w AS weights
  FROM given WHERE id <= 200 WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)) s WHERE agg = simhash_bits_from_features(features, weights, 128) AND min = minhash_bits_from_features(features, 128);
DROP TABLE given, forms, bodies;
DROP FUNCTION hashes, weights;

-- The pure vote of hashes of any number of bits
SELECT bit_to_hex(simhash_bits_from_features(array_agg(('x' || md5(f))::bit(128)))) AS md5 FROM unnest(ARRAY['aaa', 'bbb']) f;
SELECT simhash_bits_from_features(ARRAY[B'100101', B'101011', B'101011'], ARRAY[4, 5, 3]) AS textbook, simhash_bits_from_features(ARRAY[B'1100', B'1010', NULL, B'1001']) AS majority, simhash_bits_from_features(ARRAY[B'01', B'10']) AS tie,
       simhash_bits_from_features(ARRAY[B'01', B'10'], ARRAY[1.5, -2]) AS weights, simhash_bits_from_features('{}'::bit[]) IS NULL AS empty, simhash_bits_from_features(ARRAY[B'01'], ARRAY[0]) IS NULL AS zero, simhash_bits_from_features(ARRAY[B'01', B'10'], ARRAY[NULL, 1]) AS null_weight;
SELECT bool_and(simhash_bits_from_features(hashes) = simhash_bits_from_features(array_agg, 64) AND simhash_bits_from_features(hashes, weights) = simhash_bits_from_features(array_agg, weights, 64)) AS same_as_bigint
FROM (SELECT array_agg(hash), array_agg(hash::bit(64)) AS hashes, array_agg((hash % 100)::float8) AS weights FROM (SELECT g, hashint8extended(i, g) AS hash FROM generate_series(1, 50) i, generate_series(1, 20) g) s GROUP BY g) t;
SELECT length(simhash_bits_from_features(ARRAY[repeat('10', 512)::varbit])) AS most, simhash_bits_from_features(ARRAY[B'0'], ARRAY[-1]) AS one, simhash_bits_from_features(ARRAY[repeat('0', 65)::varbit], ARRAY[-1]) = repeat('1', 65)::varbit AS negative;
-- bit[] in a cast is bit(1)[]
SELECT simhash_bits_from_features('{0101,1100,0111}'::varbit[]) AS varbit, simhash_bits_from_features('{0101,1100,0111}'::bit(4)[]) AS bit_4, simhash_bits_from_features('{0101,1100,0111}'::bit[]) AS bit_1;
-- an untyped literal could be an array of another type
-- PostgreSQL 19 words these errors otherwise
\set VERBOSITY sqlstate
SELECT simhash_bits_from_features('{0101,1100,0111}');
\set VERBOSITY default
SELECT simhash_bits_from_features(ARRAY[B'01', B'010']);
SELECT simhash_bits_from_features(ARRAY[B'01', B'010'], ARRAY[1, 0]);
SELECT simhash_bits_from_features(ARRAY[B'']);
SELECT simhash_bits_from_features(ARRAY[repeat('1', 1025)::varbit]);
SELECT simhash_bits_from_features(ARRAY[B'01'], ARRAY[1, 2]);
SELECT simhash_bits_from_features(ARRAY[B'01'], ARRAY['NaN'::float8]);

-- simhash_explain: the sums of each bit, numbered as get_bit numbers them
SELECT * FROM simhash_explain(ARRAY[B'100101', B'101011'], ARRAY[4, 5]);
SELECT string_agg(sum::text, ' ' ORDER BY bit_number) AS unweighted FROM simhash_explain(ARRAY[B'1100', B'1010', B'1001']);
SELECT count(*) AS bits, bool_and(is_set = (get_bit(simhash_bits_from_features(hashes, ARRAY[1, 2.5, -1]), bit_number) = 1)) AS same, bool_and(is_set = (sum > 0)) AS sums
FROM (SELECT array_agg(('x' || md5(i::text) || md5(i || 'x'))::bit(200)) AS hashes FROM generate_series(1, 3) i) s, simhash_explain(hashes, ARRAY[1, 2.5, -1]);
SELECT count(*) FROM simhash_explain('{}'::bit[]);
SELECT count(*) FROM simhash_explain(NULL::bit[]);
SELECT count(*) FROM simhash_explain(ARRAY[B'01'], ARRAY[0]);
SELECT count(*) FROM simhash_explain(ARRAY[B'01'], ARRAY[1, 2]);

-- The least bound with a recall, from a resemblance
SELECT j, minhash_bound(j, 64) AS "64", minhash_bound(j, 128) AS "128", minhash_bound(j, 256) AS "256", minhash_bound(j, 512) AS "512", minhash_bound(j, 1024) AS "1024" FROM unnest('{0,0.5,0.6,0.7,0.8,0.9,0.95,0.999,1}'::float8[]) j;
SELECT r, minhash_bound(0.8, 256, r) AS bound FROM unnest('{1e-30,0.01,0.5,0.9,0.99,0.999999,0.999999999999,1}'::float8[]) r;
SELECT minhash_bound(1, 64, 1) AS equal, minhash_bound(0, 1024, 1) AS different, minhash_bound(0, 64, recall => 0.5) AS half, minhash_bound(NULL, 64) IS NULL AS null;
-- as the binomial distribution has it, summed in numeric
WITH RECURSIVE shares(k, share, found) AS (
  SELECT 0, power(0.85::numeric(40, 39), 128), power(0.85::numeric(40, 39), 128)
  UNION ALL SELECT k + 1, share * (128 - k) / (k + 1) * 0.15 / 0.85, found + share * (128 - k) / (k + 1) * 0.15 / 0.85 FROM shares WHERE k < 128)
SELECT bool_and(minhash_bound(0.7, 128, r) = (SELECT min(k) FROM shares WHERE found >= r)) AS binomial FROM unnest('{0.001,0.1,0.3,0.5,0.7,0.9,0.95,0.99,0.999}'::float8[]) r;
-- also far from 1, where 1 - recall is rounded
WITH RECURSIVE shares(k, share, found) AS (
  SELECT 0, power(0.5::numeric(130, 128), 128), power(0.5::numeric(130, 128), 128)
  UNION ALL SELECT k + 1, share * (128 - k) / (k + 1), found + share * (128 - k) / (k + 1) FROM shares WHERE k < 128)
SELECT r, minhash_bound(0, 128, r) AS bound, (SELECT min(k) FROM shares WHERE found >= r) AS binomial FROM unnest('{1e-36,1e-30,1e-20,1e-16,1e-15,1e-9}'::float8[]) r;
SELECT minhash_bound(1.1, 64);
SELECT minhash_bound(-0.1, 64);
SELECT minhash_bound('NaN', 64);
SELECT minhash_bound(0.8, 100);
SELECT minhash_bound(0.8, 64, 0);
SELECT minhash_bound(0.8, 64, 1.5);

-- The estimate of a resemblance from fingerprints
SELECT minhash_resemblance(minhash('a b c'), minhash('A, b: C')) AS equal, minhash_resemblance(f, complement(f)) AS complement, minhash_resemblance(f, exclusive_or(f, 255::bigint::simhash)) AS one_byte, minhash_resemblance(f, NULL) IS NULL AS null FROM (SELECT minhash('a b c') AS f) s;
SELECT minhash_resemblance(minhash_bits('a b c', 256), minhash_bits('A, b: C', 256)) AS equal, minhash_resemblance(B'0000', B'0001') AS quarter, minhash_resemblance(B'', B'') AS no_bits;
SELECT minhash_resemblance(minhash_bits('a', 128), minhash_bits('a', 256));
-- its standard deviation is sqrt((1 - J^2) / n), and a bound finds its share of the pairs
SELECT bits, abs(avg(error)) < 0.03 AS unbiased, stddev(error) / sqrt((1 - 0.6 * 0.6) / bits) BETWEEN 0.85 AND 1.15 AS as_expected, avg((d <= minhash_bound(0.6, bits))::int) BETWEEN 0.93 AND 1 AS found
FROM (SELECT bits, a <-> b AS d, minhash_resemblance(a, b) - 0.6 AS error
      FROM unnest('{64,256,1024}'::int[]) bits, generate_series(1, 400) seed,
           LATERAL (SELECT minhash_bits_agg(hashint8extended(i, seed), bits) FILTER (WHERE i <= 400) AS a, minhash_bits_agg(hashint8extended(i, seed), bits) FILTER (WHERE i > 100) AS b FROM generate_series(1, 500) i) s) t
GROUP BY bits ORDER BY bits;

-- A table: generated column, index, groups
CREATE TABLE wide_docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body, 256)) STORED);
INSERT INTO wide_docs (body) SELECT string_agg(md5((i / 2)::text || w || CASE WHEN i % 2 = 1 AND w = 7 THEN 'x' ELSE '' END), ' ' ORDER BY w) FROM generate_series(2, 4001) i, generate_series(1, 60) w GROUP BY i ORDER BY i;
INSERT INTO wide_docs (body) VALUES ('');
CREATE INDEX ON wide_docs USING bitblock (fp);
ANALYZE wide_docs;
SET plan_cache_mode = force_generic_plan;
PREPARE near_text(text) AS SELECT id, minhash_resemblance(fp, minhash_bits($1, 256)) > 0.8 AS near FROM wide_docs WHERE fp <-> minhash_bits($1, 256) <= minhash_bound(0.8, 256) ORDER BY id;
SELECT * FROM plan_of('EXECUTE near_text($$a text$$)');
SELECT body FROM wide_docs WHERE id = 100 \gset
EXECUTE near_text(:'body');
RESET plan_cache_mode;
SELECT size, count(*) FROM simhash_clusters('SELECT id, fp FROM wide_docs', NULL::bigint, minhash_bound(0.8, 256)) GROUP BY size ORDER BY size;
SELECT count(*) AS pairs, max(distance) <= minhash_bound(0.8, 256) AS near FROM simhash_pairs('SELECT id, fp FROM wide_docs', NULL::bigint, minhash_bound(0.8, 256));
SELECT sum(pairs) FILTER (WHERE distance <= 34) AS near FROM bit_calibrate(ARRAY(SELECT fp FROM wide_docs WHERE id <= 1000));
-- another length
CREATE TABLE narrow_docs (body text, fp bit(128) GENERATED ALWAYS AS (minhash_bits(body, 256)) STORED);
INSERT INTO narrow_docs VALUES ('a');
-- an index of the expression, also in an empty table
CREATE INDEX ON narrow_docs USING bitblock (minhash_bits(body, 128));
CREATE INDEX ON narrow_docs USING bitblock ((minhash_bits(body, 128)::bit(128)));
DROP TABLE wide_docs, narrow_docs;

-- A long text can be cancelled
SET LOCAL statement_timeout = '100ms' \; SELECT minhash_bits(repeat('a bc def ', 50000000), 256);
SET LOCAL statement_timeout = '100ms' \; SELECT simhash_bits(repeat('a bc def ', 50000000), 256);
