-- Words by dictionary, as ICU finds them; dictionary_1.out is that of a server
-- without ICU.
SELECT feature FROM simhash_features('The cat''s 日本語のテキスト', 'words', dictionary => true) WITH ORDINALITY ORDER BY ordinality;
SELECT count(*) AS words_and_pairs FROM simhash_features('กินข้าว', 'words and pairs', dictionary => true);
SELECT simhash('人人生而自由，在尊严和权利上一律平等。', features => 'words', dictionary => true) <> simhash('人人生而自由，在尊严和权利上一律平等。', features => 'words') AS other_words,
       simhash('plain English words', features => 'words', dictionary => true) = simhash('plain English words', features => 'words') AS same_words;
-- Many of them, in turn, and after an error
SELECT count(simhash(repeat('日本語のテキスト ', i), 'words', true)), count(minhash(repeat('กินข้าว', i), 'words and pairs', true)) FROM generate_series(1, 300) i;
SET statement_timeout = '100ms';
SELECT simhash(repeat('日本語のテキスト ', 300000), 'words', dictionary => true);
RESET statement_timeout;
SELECT simhash_resemblance('日本語のテキスト', '日本語の', 'words', dictionary => true);
SELECT simhash('', features => 'words', dictionary => true) IS NULL AS empty;
