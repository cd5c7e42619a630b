-- Options of simhash(text) and minhash(text).  Fingerprints are stored in people's
-- tables: never change a value here.
\set body '''Dès Noël, la la la: où un ZÉPHYR haï me vêt de glaçons; 人人生而自由 and the the ﬁnal № 5'''
SELECT simhash(:body, features => 'words and pairs') AS words_and_pairs, simhash(:body, features => 'words') AS words, simhash(:body, features => 'words', n => 2) AS pairs,
       simhash(:body, features => 'words', n => 5) AS five_words, simhash(:body, features => 'characters') AS characters, simhash(:body, features => 'characters', n => 3) AS three_characters;
SELECT simhash(:body, features => 'words and pairs', weight => 'frequency') AS frequency, simhash(:body, features => 'words and pairs', weight => 'logarithm') AS logarithm,
       simhash(:body, features => 'words and pairs', fold => false) AS no_folding, simhash(:body, features => 'words and pairs', normalization => false) AS no_normalization,
       simhash(:body, features => 'words and pairs', fold => false, normalization => false) AS neither;
SELECT minhash(:body, features => 'words and pairs') AS words_and_pairs, minhash(:body, features => 'words') AS words, minhash(:body, features => 'words', n => 3) AS three_words,
       minhash(:body, features => 'characters', n => 5) AS five_characters, minhash(:body, features => 'words', fold => false, normalization => false) AS as_is;

-- The defaults are those of simhash(text); NULL is an option's default
SELECT simhash(:body, features => 'words and pairs') = simhash(:body) AS simhash, minhash(:body, features => 'words and pairs') = minhash(:body) AS minhash,
       simhash(:body, features => NULL, n => NULL, weight => NULL, fold => NULL, normalization => NULL) = simhash(:body) AS null_options, simhash(:body, features => 'words', n => 1) = simhash(:body, features => 'words') AS n_words,
       simhash(:body, features => 'characters', n => 4) = simhash(:body, features => 'Characters') AS n_characters, simhash(NULL, features => 'words') IS NULL AS null_text, simhash('...', features => 'words') IS NULL AS no_word;

-- What they mean
SELECT simhash('a b', features => 'words', n => 2) <> simhash('b a', features => 'words', n => 2) AS ordered, simhash('a b a b', features => 'words', n => 2) = simhash('b a b a', features => 'words', n => 2) AS same_set,
       simhash('a b', features => 'words', n => 3) = simhash('a b', features => 'words', n => 7) AS short_text, simhash('a', features => 'words', n => 3) = simhash('a') AS one_word;
SELECT simhash('ab, cd', features => 'characters') = simhash('AbCd', features => 'characters') AS separators, simhash(U&'e\0301abc', features => 'characters', n => 2) = simhash(U&'\00E9abc', features => 'characters', n => 2) AS marks_belong,
       simhash('ab', features => 'characters') = simhash('ab', features => 'words') AS two_characters;
SELECT simhash('Word', features => 'words', fold => false) <> simhash('word', features => 'words', fold => false) AS case_kept, simhash('ﬁne', features => 'words', fold => false) = simhash('fine', features => 'words', fold => false) AS ligature,
       simhash('ﬁNE', features => 'words', normalization => false) = simhash('fine', features => 'words') AS folds_ligature, simhash('ＡＢ', features => 'words', normalization => false) <> simhash('ab', features => 'words') AS full_width,
       simhash(U&'e\0301', features => 'words', normalization => false) <> simhash(U&'\00E9', features => 'words', normalization => false) AS composed, simhash('ÉÀ', features => 'words', normalization => false) = simhash('éà', features => 'words', normalization => false) AS folded;
SELECT simhash('a a a b c', features => 'words', weight => 'frequency') = simhash('a', features => 'words') AS majority, simhash('a a a b c', features => 'words', weight => 'once') = simhash('a b c', features => 'words') AS once,
       simhash('a a b', features => 'words', weight => 'logarithm') = simhash('a a b', features => 'words', weight => 'frequency') AS two_is_two, simhash('a a a a b b', features => 'words', weight => 'logarithm') = simhash_from_features(ARRAY['a', 'b'], ARRAY[3, 2]) AS three_is_four;

-- A wrong option names the right ones
SELECT simhash('x', features => 'shingles');
SELECT simhash('x', features => 'words', n => 0);
SELECT simhash('x', features => 'words', n => 1001);
SELECT simhash('x', features => 'words and pairs', n => 2);
SELECT simhash('x', features => 'words', weight => 'tfidf');
SELECT simhash_features_by_dictionary('x', features => 'characters');
\set VERBOSITY sqlstate
SELECT minhash('x', features => 'words', weight => 'frequency');
SELECT simhash('x', features => 'words', shingle => 3);
\set VERBOSITY default
-- Options in order, of a column and of literals
SELECT simhash(t, 'words', 2) = simhash(t, features => 'words', n => 2) AS same FROM (VALUES ('a b c'::text)) v(t);
SELECT simhash('a b c', 'words');
SELECT simhash('a b c'::text, 'english');

-- Generated columns and expression indexes
CREATE TABLE stored (body text, fp simhash GENERATED ALWAYS AS (simhash(body, features => 'characters', n => 5)) STORED);
CREATE INDEX ON stored (minhash(body, 'words', n => 3));
INSERT INTO stored VALUES ('some text of some words');
SELECT fp = simhash(body, 'characters', 5) AS same FROM stored;
DROP TABLE stored;

-- Dictionaries change with ICU: one function reads them, and it is STABLE
SELECT proname, provolatile FROM pg_proc p WHERE proname ~ '^(sim|min)hash' AND 'features' = ANY (proargnames) ORDER BY 1, 2;
