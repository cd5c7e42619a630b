-- Keys of passages: the values of some texts, which must never change
SELECT simhash_passage_keys('The quick brown fox jumps over the lazy dog') AS nine_words,
       simhash_passage_keys('The quick brown fox jumps over the lazy') AS eight,
       simhash_passage_keys('The quick brown fox jumps over the') AS seven, simhash_passage_keys('') AS none;
SELECT simhash_passage_keys('The quick brown fox jumps over the lazy dog', words => 3, n => 2);
SELECT simhash_passage_keys('人人生而自由，在尊严和权利上一律平等。', 10, 4);
SELECT array_length(k, 1), md5(k::text) FROM simhash_passage_keys((SELECT string_agg('word' || i, ' ') FROM generate_series(1, 5000) i)) k;

-- The keys are those of the definition, by the features of simhash_features.
CREATE FUNCTION defined_keys(body text, words int, n int) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  WITH grams AS (SELECT ordinality AS place, hash::numeric + CASE WHEN hash < 0 THEN 2::numeric ^ 64 ELSE 0 END AS hash, count(*) OVER () AS n_grams
                 FROM simhash_features(body, 'words', n => n) WITH ORDINALITY),
       windows AS (SELECT (SELECT min(hash) FROM grams g WHERE g.place BETWEEN w.place - (words - n) AND w.place) AS key
                   FROM grams w WHERE place > words - n OR place = n_grams)
  SELECT array_agg(key ORDER BY key) FROM (SELECT DISTINCT (CASE WHEN key >= 2::numeric ^ 63 THEN key - 2::numeric ^ 64 ELSE key END)::bigint AS key FROM windows) k
$$;
-- n different words, in which no gram repeats
CREATE FUNCTION many_words(n int, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(string_agg('w' || substr(md5(seed || i), 1, 8), ' ' ORDER BY i), '') FROM generate_series(1, n) i $$;
SELECT count(*) AS texts, count(*) FILTER (WHERE simhash_passage_keys(body, words, n) IS DISTINCT FROM defined_keys(body, words, n)) AS differ
FROM generate_series(40, 400, 40) i, LATERAL (SELECT many_words(i, 'd') AS body) b, (VALUES (30, 8), (8, 8), (12, 1), (40, 16), (31, 30)) o (words, n);
SELECT count(*) AS short_texts, count(*) FILTER (WHERE simhash_passage_keys(body, 30, 8) IS DISTINCT FROM defined_keys(body, 30, 8)) AS differ
FROM generate_series(8, 40) i, LATERAL (SELECT many_words(i, 's') AS body) b;

-- Two texts with this many adjacent words in common share a key, in every script.
CREATE TABLE scripts (script text, sentence text);
INSERT INTO scripts VALUES
  ('Latin', 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, und der heißt Dès Noël où un zéphyr haï me vêt de glaçons'),
  ('Greek', 'Τάχιστη αλώπηξ βαφής ψημένη γη, δρασκελίζει υπέρ νωθρού κυνός· ᾧ ὕδωρ'),
  ('Cyrillic', 'Съешь же ещё этих мягких французских булок, да выпей чаю'),
  ('Hebrew', 'כל בני אדם נולדו בני חורין ושווים בערכם'),
  ('Arabic', 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق ﷺ'),
  ('Devanagari', 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है'),
  ('Chinese', '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。'),
  ('Japanese', 'すべての人間は、生まれながらにして自由であり、ガードは２０２３年。㌖'),
  ('Korean', '모든 인간은 태어날 때부터 자유로우며 존엄과 권리에 있어 동등하다'),
  ('Thai', 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน'),
  ('Khmer', 'មនុស្សទាំងអស់កើតមកមានសេរីភាព'),
  ('Burmese', 'လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့်'),
  ('Georgian', 'ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით'),
  ('full width', 'ＦＵＬＬ　ｗｉｄｔｈ　１２３　ａｎｄ　ｈａｌｆ　ﾊﾝｶｸ'),
  ('marks', E'e\u0301te\u0301 x\u0323\u0301\u0345 so\u00adft ﬁnal ½ a\u200db İstanbul ŒUVRE straße');
-- a text of every sentence, in an order of its own, with a passage in the middle
CREATE FUNCTION text_around(passage text, seed text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(sentence, '. ' ORDER BY md5(seed || script)) || '. ' || passage || '. ' || string_agg(sentence, '. ' ORDER BY md5(script || seed)) FROM scripts
$$;
SELECT count(*) AS tried, count(*) FILTER (WHERE NOT a && b) AS missed, count(*) FILTER (WHERE NOT a && query OR NOT b && query) AS missed_by_query
FROM scripts, generate_series(3, 30, 3) words, (VALUES (1), (3), (8)) o (n),
     LATERAL (SELECT sentence || '; ' || many_words(greatest(words - (SELECT count(*) FROM simhash_features(sentence, 'words', n => 1)), 0)::int, script) AS passage) p,
     LATERAL (SELECT simhash_passage_keys(text_around(passage, 'a'), words, n) AS a, simhash_passage_keys(upper(text_around(passage, 'b')), words, n) AS b,
                     simhash_passage_keys(passage, n, n) AS query) k
WHERE n <= words AND script <> 'marks' AND upper(sentence) IS NOT NULL;

-- Places are those of substr in the original text.
CREATE FUNCTION shown(a text, b text, shortest int DEFAULT 3, gap int DEFAULT 15) RETURNS TABLE (of_a text, of_b text, words int) LANGUAGE sql IMMUTABLE AS
$$ SELECT substr(a, a_start, a_length), substr(b, b_start, b_length), p.words FROM simhash_passages(a, b, shortest, gap) p $$;
SELECT * FROM shown('One two; THREE four - five six.', '(three FOUR five six)');
SELECT * FROM shown(E'...cafe\u0301 E\u0301TE\u0301 noe\u0308l...', 'x café été noël y');
SELECT * FROM shown('-- ＦＵＬＬ　ｗｉｄｔｈ　１２３ --', 'the full width 123.');
SELECT * FROM shown('Die STRASSE in İSTANBUL; ŒUVRE ﬁnal', E'Die Straße in i\u0307stanbul, œuvre final');
-- psql's columns depend on the version
\pset format unaligned
SELECT * FROM shown(E'x so\u00adft hy\u00adphen and\u200b zero y', 'soft hyphen and zero');
\pset format aligned
SELECT * FROM shown('１．人人生而自由，在尊严。', '他说人人生而自由在尊严');
SELECT * FROM shown('㍿東京 ㌖', '株式会社東京キロメートル');
SELECT * FROM shown('กินข้าวแล้ว', 'x กินข้าวแล้วนะ');
SELECT * FROM shown(E'α ᾳ\u0301 β γ', E'α α\u0301\u0345 β γ');
SELECT a_start, a_length, b_start, b_length, words FROM simhash_passages('x ﷺ y', 'صلى الله عليه وسلم', words => 4);
-- In every script: what is found is the sentence, from its first word to its last.
SELECT script, btrim(sentence, '.。；') = substr(a, a_start, a_length) AS of_a, b_length = length(btrim(sentence, '.。；')) AS of_b
FROM scripts, LATERAL (SELECT 'é ' || sentence || E' e\u0301' AS a) a, LATERAL (SELECT * FROM simhash_passages(a, E'ﬁ\u0301 x ' || sentence || ' ½', words => 4) LIMIT 1) p
WHERE btrim(sentence, '.。；') <> substr(a, a_start, a_length) OR b_length <> length(btrim(sentence, '.。；'));

-- Passages: edits, gaps, repetitions, order
SELECT * FROM shown('a b c d X e f g h', 'a b c d Y e f g h', 8);
SELECT * FROM shown('a b c d X e f g h', 'a b c d Y e f g h', 4, 0);
SELECT a_start, b_start, words FROM simhash_passages('one two three four five. Something else. One two three four five', 'one two three four five', 5, 1);
SELECT a_start, b_start, words FROM simhash_passages('one two three four five', 'one two three four five. Something else. One two three four five', 5, 1);
SELECT words FROM simhash_passages(many_words(100, 'a') || ' ' || many_words(40, 'x') || ' ' || many_words(30, 'b') || ' ' || many_words(60, 'y'),
                                   many_words(60, 'y') || ' ' || many_words(50, 'c') || ' ' || many_words(40, 'x'));
SELECT * FROM simhash_passages('', '') UNION ALL SELECT * FROM simhash_passages('a b c', '', 1) UNION ALL SELECT * FROM simhash_passages('. ;', '. ;', 1);
SELECT count(*) FROM simhash_passages(NULL, 'a') UNION ALL SELECT count(*) FROM simhash_passages('a', 'a', NULL);
SELECT words FROM simhash_passages('A b', 'a b', 1), LATERAL (SELECT count(*) FROM simhash_passages('A b', 'a b', 2, fold => false)) c
UNION ALL SELECT words FROM simhash_passages(E'e\u0301 b', 'é b', 1, normalization => false);
SELECT simhash_passages('a', 'a', 1);

-- Containment
SELECT simhash_containment('b c d', 'a b c d e', 2) AS all, simhash_containment('a b c d e', 'b c d', 2) AS part, simhash_containment('x y', 'a b', 1) AS nothing,
       simhash_containment('a b c', 'a b c') AS short, simhash_containment('', 'a') AS empty, simhash_containment('a', '', 1) AS of_empty, simhash_containment(NULL, 'a') AS null;
SELECT simhash_containment('A b É', 'a b é', 3) AS folded, simhash_containment('A b', 'a b', 2, fold => false) AS not_folded,
       simhash_containment(E'a e\u0301', 'a é', 2) AS normalized, simhash_containment(E'a e\u0301', 'a é', 2, normalization => false) AS not_normalized;
SELECT round(simhash_containment(many_words(50, 'x'), many_words(500, 'a') || ' ' || many_words(50, 'x'))::numeric, 3) AS inside,
       round(simhash_containment(many_words(500, 'a') || ' ' || many_words(50, 'x'), many_words(50, 'x'))::numeric, 3) AS share;

-- Shared keys, as doc/passages.md counts them: as many as a join finds
SELECT cardinality(ARRAY(SELECT unnest(a) INTERSECT SELECT unnest(b))) AS shared, (SELECT count(*) FROM unnest(a) x JOIN unnest(b) y ON x = y) AS by_join FROM (VALUES
  ('{-9223372036854775808,-5,0,7,9223372036854775807}'::bigint[], '{-5,1,7,9223372036854775807}'::bigint[]), ('{}', '{1}'), (NULL, '{1}'),
  (simhash_passage_keys(many_words(300, 'x')), simhash_passage_keys(many_words(200, 'y') || ' ' || many_words(300, 'x')))) v (a, b);

-- Errors
CREATE FUNCTION error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text;
BEGIN
  EXECUTE statement;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN SQLSTATE || ' ' || message || ' / ' || hint;
END $$;
SELECT error_of(format('SELECT %s', call)) FROM (VALUES
  ('simhash_passage_keys(''a'', words => 7)'), ('simhash_passage_keys(''a'', words => 0)'), ('simhash_passage_keys(''a'', words => 10001)'),
  ('simhash_passage_keys(''a'', n => 0)'), ('simhash_passage_keys(''a'', n => 31)'), ('simhash_passage_keys(''a'', 10000, 1001)'),
  ('simhash_passages(''a'', ''a'', words => 0)'), ('simhash_passages(''a'', ''a'', gap => -1)'), ('simhash_passages(''a'', ''a'', gap => 1001)'),
  ('simhash_containment(''a'', ''a'', 0)'), ('simhash_containment(''a'', ''a'', 1001)')) c (call);

-- One word a million times, and other texts that repeat themselves: the time is bounded,
-- and calls can be cancelled.
SELECT simhash_passage_keys(repeat('word ', 1000000)), simhash_passage_keys(repeat('a b ', 300000), 8) IS NOT NULL AS two_words;
SELECT * FROM simhash_passages(repeat('word ', 1000000), repeat('word ', 900000));
SELECT count(*) > 0 AS found FROM simhash_passages(repeat('a b c ', 100000), repeat('a b c a ', 100000), words => 4);
SELECT simhash_containment(repeat('word ', 1000000), repeat('word ', 1000)), simhash_containment(repeat('word ', 1000), repeat('word ', 1000000));

-- A generated column and its index
CREATE TABLE passage_docs (id int PRIMARY KEY, body text, keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
INSERT INTO passage_docs SELECT i, many_words(60, 'd' || i) || CASE WHEN i % 100 = 7 THEN '. ' || many_words(40, 'quoted') || ' ' ELSE ' ' END || many_words(60, 'e' || i) FROM generate_series(1, 2000) i;
INSERT INTO passage_docs VALUES (2001, ''), (2002, NULL), (2003, 'too few words');
CREATE INDEX passage_docs_keys ON passage_docs USING gin (keys);
ANALYZE passage_docs;
PREPARE passages_of(text) AS
  WITH q AS MATERIALIZED (SELECT simhash_passage_keys($1) AS keys)
  SELECT d.id, p.words, substr(d.body, p.a_start, p.a_length) = many_words(40, 'quoted') AS exact FROM q, passage_docs d, simhash_passages(d.body, $1) p WHERE d.keys && q.keys;
SELECT 'He said: "' || many_words(40, 'quoted') || '", and left' AS quotation \gset
CREATE TABLE found AS EXECUTE passages_of(:'quotation');
SELECT count(*), min(words), max(words), bool_and(exact) AS exact, bool_and(id % 100 = 7) AS right FROM found;
SELECT count(*) AS keys FROM passage_docs WHERE id > 2000 AND keys = '{}';
SELECT count(*) FROM passage_docs WHERE keys && simhash_passage_keys(:'quotation');
SET enable_seqscan = off;
SELECT count(*) FROM passage_docs WHERE keys && simhash_passage_keys(:'quotation');
RESET enable_seqscan;
DROP TABLE found, passage_docs, scripts;
DEALLOCATE passages_of;
DROP FUNCTION defined_keys, many_words, text_around, shown, error_of;
