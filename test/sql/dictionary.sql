-- Words by dictionary, as ICU finds them; dictionary_1.out is that of a server
-- without ICU.
SELECT feature FROM simhash_features_by_dictionary('The cat''s 日本語のテキスト', 'words') WITH ORDINALITY ORDER BY ordinality;
SELECT count(*) AS words_and_pairs FROM simhash_features_by_dictionary('กินข้าว');
-- Their fingerprints
SELECT (SELECT simhash_weighted_agg(hash, weight) FROM simhash_features_by_dictionary('人人生而自由，在尊严和权利上一律平等。', 'words')) <> simhash('人人生而自由，在尊严和权利上一律平等。', features => 'words') AS other_words,
       (SELECT simhash_weighted_agg(hash, weight) FROM simhash_features_by_dictionary('plain English words and words', weight => 'frequency')) = simhash('plain English words and words', features => NULL, weight => 'frequency') AS same_words,
       (SELECT minhash_agg(hash) FROM simhash_features_by_dictionary('plain English words', 'words', n => 2)) = minhash('plain English words', 'words', n => 2) AS same_pairs;
-- Many of them, in turn, and after an error
SELECT count(simhash), count(minhash)
FROM generate_series(1, 300) i, LATERAL (SELECT simhash_weighted_agg(hash, weight) AS simhash FROM simhash_features_by_dictionary(repeat('日本語のテキスト ', i), 'words')) a,
     LATERAL (SELECT minhash_agg(hash) AS minhash FROM simhash_features_by_dictionary(repeat('กินข้าว', i))) b;
SET LOCAL statement_timeout = '100ms' \; SELECT count(*) FROM simhash_features_by_dictionary(repeat('日本語のテキスト ', 300000), 'words');
SELECT count(*) FILTER (WHERE a.hash = b.hash) / count(*)::float8 AS resemblance
FROM simhash_features_by_dictionary('日本語のテキスト', 'words') a FULL JOIN simhash_features_by_dictionary('日本語の', 'words') b USING (hash);
SELECT simhash_agg(hash) IS NULL AS empty FROM simhash_features_by_dictionary('');
SELECT count(*) AS null FROM simhash_features_by_dictionary(NULL);
