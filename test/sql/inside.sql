-- What fingerprints are made of.
SELECT * FROM simhash_features('The cat, the CAFÉ; the cat') ORDER BY hash;
SELECT feature, weight FROM simhash_features('to be or not to be', 'words', n => 2, weight => 'frequency') ORDER BY feature;
SELECT feature, weight FROM simhash_features('人人生而', weight => 'logarithm') ORDER BY feature;
SELECT feature FROM simhash_features('Hé llo', 'characters', n => 3, fold => false, normalization => false) WITH ORDINALITY ORDER BY ordinality;
SELECT feature FROM simhash_features('two words', 'words', n => 3);
SELECT length(feature) FROM simhash_features(repeat('x', 10000) || ' y');
SELECT count(*) FROM (SELECT * FROM simhash_features('') UNION ALL SELECT * FROM simhash_features(NULL)) s;
SELECT simhash_features('a');

-- simhash_agg over the features is the fingerprint of the text, for every option
CREATE TABLE bodies AS
SELECT id, body FROM (VALUES (1, 'Dès Noël, la la la: où un ZÉPHYR haï me vêt de glaçons; 人人生而自由 and the the ﬁnal № 5'),
  (2, 'a'), (3, '...'), (4, ''), (5, 'สวัสดีชาวโลก สวัสดี'), (6, '한국어 텍스트 한국어'), (7, repeat('long', 200) || U&' e\0301\0323' || repeat(U&'\0301', 100)),
  (8, 'すべての人間は、生まれながらにして自由であり、すべて'), (9, 'I ❤️ PostgreSQL 🐘👩🏽‍💻 I I')) v(id, body)
UNION ALL SELECT 10, string_agg((i * i % 97)::text, ' ' ORDER BY i) FROM generate_series(1, 3000) i
UNION ALL SELECT 11, NULL;
CREATE TABLE choices AS
SELECT features, n, weight, fold, normalization
FROM (VALUES ('words and pairs', NULL), ('words', 1), ('words', 2), ('words', 3), ('words', 20), ('characters', 1), ('characters', 2), ('characters', 4), ('characters', 50)) f(features, n),
     (VALUES ('once'), ('frequency'), ('logarithm')) w(weight), (VALUES (true), (false)) c(fold), (VALUES (true), (false)) d(normalization);
SELECT count(*) AS compared, count(*) FILTER (WHERE simhash IS DISTINCT FROM of_features) AS simhash_differs,
       count(*) FILTER (WHERE minhash IS DISTINCT FROM min_of_features) AS minhash_differs, count(simhash) AS fingerprints, count(DISTINCT simhash) AS different
FROM (SELECT simhash(body, features, n, weight, fold, normalization), minhash(body, features, n, fold, normalization),
             (SELECT simhash_weighted_agg(hash, f.weight) FROM simhash_features(body, features, n, c.weight, fold, normalization) f) AS of_features,
             (SELECT minhash_agg(hash) FROM simhash_features(body, features, n, 'once', fold, normalization) f) AS min_of_features
      FROM bodies, choices c) s;
-- single words are also known by their text
SELECT count(*) AS compared, count(*) FILTER (WHERE simhash(body, 'words') IS DISTINCT FROM (SELECT simhash_agg(feature) FROM simhash_features(body, 'words'))) AS differ FROM bodies;

-- Resemblance: of {a, b, c, ab, bc} and {a, b, d, ab, bd}, 3 of 7
SELECT simhash_resemblance('a b c', 'a b d') = 3 / 7.0 AS pairs, simhash_resemblance('a b c', 'd b a', 'words') AS words, simhash_resemblance('a b', 'B, A', features => 'words') AS same,
       simhash_resemblance('a', 'b') AS different, simhash_resemblance('', 'b') AS one_empty, simhash_resemblance('', '.') AS both_empty, simhash_resemblance(NULL, 'a') AS null;
\set VERBOSITY sqlstate
SELECT simhash_resemblance('a', 'b', 'words', weight => 'logarithm');
\set VERBOSITY default
SELECT bool_and(abs(simhash_resemblance(a.body, b.body) - (SELECT count(*) FILTER (WHERE f.hash IS NOT NULL AND g.hash IS NOT NULL)::float8 / count(*)
  FROM simhash_features(a.body) f FULL JOIN simhash_features(b.body) g ON f.hash = g.hash)) < 1e-12) AS right
FROM bodies a, bodies b WHERE a.id IN (1, 8, 9, 10) AND b.id IN (1, 2, 3, 6, 9);

-- The vote on every bit
SELECT * FROM simhash_explain('a b c d', 'a b c e') WHERE differs;
SELECT bool_and(differs = (get_bit(simhash(a)::bit(64), 63 - bit_number) <> get_bit(simhash(b)::bit(64), 63 - bit_number))) AS differs, bool_and((sum_a > 0) = (get_bit(simhash(a)::bit(64), 63 - bit_number) = 1)) AS sums,
       count(*) FILTER (WHERE differs) = simhash(a) <-> simhash(b) AS distance
FROM (VALUES ('the quick brown fox', 'the quick brown dog')) v(a, b), simhash_explain(a, b) GROUP BY a, b;
SELECT bool_and((sum_a > 0) = (get_bit(simhash(a, 'words', weight => 'logarithm')::bit(64), 63 - bit_number) = 1)) AS weighted
FROM (VALUES ('the quick brown fox the fox')) v(a), simhash_explain(a, a, 'words', weight => 'logarithm');
SELECT DISTINCT differs, sum_a IS NULL AS null_a, sum_b IS NULL AS null_b FROM simhash_explain('', 'a');
SELECT count(*) FROM simhash_explain(NULL, 'a');
DROP TABLE bodies, choices;
