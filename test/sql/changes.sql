-- All that differs between two texts, in order
CREATE TABLE pairs (id serial PRIMARY KEY, a text, b text);
INSERT INTO pairs (a, b) VALUES
  -- signs
  ('pay -500 now', 'pay 500 now'), ('C++ is old', 'C# is old'), ('a < b', 'a > b'), ('[✓] done', '[ ] done'), ('☑ done', '☐ done'), ('1.5', '1-5'), ('20 %', '20 €'),
  ('10:30', '10.30'), ('guilty.', 'guilty?'), ('in 2023, it', 'in 2023 it'), ('1 000', '1,000'), ('x — 5', 'x 5'), ('a–b', 'a b'), ('wise` man', 'wise'' man'),
  ('a b', E'a \u200Bb'), ('٣،٥', '٣ ٥'), ('…', '?'), ('', '!'),
  -- form
  ('10²', '102'), ('1½ litres', '11⁄2 litres'), ('Maße', 'Masse'), ('ＡＢＣ', 'abc'), ('ﬁne', 'fine'), (E'e\u0301', 'é'), ('㎏', 'kg'),
  -- punctuation
  ('one, two', 'one two'), ('He said: "yes".', 'He said “yes”'), ('a (b) c', 'a [b] c'), ('x - y', 'x — y'), ('well...', 'well…'), ('你好，世界。', '你好、世界'), ('it''s', 'it’s'),
  -- words
  ('The cat sat.', 'The cat sat down.'), ('One. Three.', 'One. Two. Three.'), ('see "a" and', 'see "b" "a" and'), ('(a) (b)', '(a) (x) (b)'), ('a, b c', 'a (x) b c'),
  ('MD5SUM is md5sum. Use MD5SUM!', 'SHA512SUM is sha512sum. Use SHA512SUM!'), ('ab c', 'a bc'), ('Version 1.2 of 2023', 'Version 1.2.3 of 2024'), ('５ cats', '６ cats'),
  ('0 0 0', '0 0 0 0'), ('one', ''), ('', 'one'), ('a b c d e f', 'f e d c b a'), ('正弦函数', '余弦函数'), ('กขคงจฉ', 'กขคซงจฉ'), ('กขคงจฉ', 'กขค งจฉ'),
  -- copies
  ('US', 'us'), ('ẞ', 'ß'), (E'a\u00A0b', E' A\n\tB\u3000'), ('K', 'K'), ('', ' '), ('', ''), ('a ,b', 'a, b'), ('中 文', '中文'), ('-5', '- 5');
-- The width of U+200B depends on the version of psql
SELECT p.id, p.a, replace(p.b, E'\u200B', '(U+200B)') AS b, c.change AS n, a_start, a_length, b_start, b_length, a_text, replace(b_text, E'\u200B', '(U+200B)') AS b_text, kind, times
FROM pairs p LEFT JOIN LATERAL simhash_changes(p.a, p.b) c ON true ORDER BY p.id, c.change;
-- The reader decides whether case matters
SELECT p.a, p.b, c.change AS n, a_text, b_text, kind, times
FROM (VALUES ('US', 'us'), ('ẞ', 'ß'), ('The cat', 'the  cat'), ('a b', E'a\nb'), ('US and us', 'us and US')) p (a, b) LEFT JOIN LATERAL simhash_changes(p.a, p.b, fold => false) c ON true;
SELECT * FROM simhash_changes('US us.', 'us us', false);
-- Roman numerals and circled letters have a case
SELECT count(*) FILTER (WHERE fold_case) AS folded, count(*) FILTER (WHERE NOT fold_case) AS kept, count(DISTINCT times) AS times
FROM generate_series(x'2160'::int, x'216F'::int) n, (VALUES (true), (false)) f (fold_case), simhash_changes(chr(n) || ' ' || chr(n + 16), chr(n + 16) || ' ' || chr(n), fold_case);
SELECT a_text, b_text, kind, times FROM simhash_changes('Ⓐ Ⓩ ⓐ x Ⓐ+ x Ⅳ', 'ⓐ ⓩ Ⓐ x ⓐ- x IV', true);
SELECT a_text, b_text, kind, times FROM simhash_changes('x Ⅳ x ⅳ', 'x IV x IV');
-- Chinese and Roman numerals are numbers where the rule takes them for numbers
SELECT a, b, kind, a_text, b_text
FROM (VALUES ('合同第三号', '合同第五号'), ('合同三十五号', '合同三十六号'), ('一定要去', '十定要去'), ('a 三十 b', 'a b'), ('八月 x', '9月 x'), ('፲፪ x', '፲፫ x'), ('三 x', '五 x'), ('x Ⅷ', 'x Ⅶ'), ('x ⅩⅢ', 'x xii'), ('x Ⅷ', 'x VIII')) v (a, b), simhash_changes(a, b);
-- Brackets and quotation marks near digits are signs, also with white space between them
SELECT a, b, c.kind, c.a_text, c.b_text
FROM (VALUES
  ('lost ( 500 )', 'lost 500'), ('a [ ٥ ] b', 'a ٥ b'), ('5 "', '5 '''), (E'6 \u00A0’ and', '6 and'), ('- ( 500 )', '( 500 )'), ('( five )', 'five'), ('in May, 2023', 'in May 2023')) p (a, b),
  simhash_changes(a, b) c;

-- Replace each change's text of a by that of b
CREATE FUNCTION apply_changes(a text, b text, fold_case boolean) RETURNS text LANGUAGE sql AS $$
  SELECT COALESCE(string_agg(substr(a, previous, a_start - previous) || b_text, '' ORDER BY change), '') || substr(a, COALESCE(max(a_start + a_length), 1))
  FROM (SELECT *, lag(a_start + a_length, 1, 1) OVER (ORDER BY change) AS previous FROM simhash_changes(a, b, fold_case)) c $$;
CREATE FUNCTION without_space(t text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(t, E'[\\s\u00A0\u3000]', '', 'g') $$;
CREATE TABLE all_pairs AS
SELECT x.a, y.b, fold_case FROM pairs x, pairs y, (VALUES (true), (false)) f (fold_case)
UNION ALL SELECT a || ' (' || b || ') ' || a, b || '. ' || a || b, fold_case FROM pairs, (VALUES (true), (false)) f (fold_case);
SELECT count(*) AS pairs, count(*) FILTER (WHERE without_space(apply_changes(a, b, false)) <> without_space(b)) AS wrong FROM all_pairs WHERE NOT fold_case;
SELECT count(*) AS wrong FROM all_pairs WHERE fold_case AND lower(without_space(translate(apply_changes(a, b, true), 'ẞKÉ', 'ßké'))) <> lower(without_space(translate(b, 'ẞKÉ', 'ßké')));
SELECT count(*) AS wrong FROM all_pairs, simhash_changes(a, b, fold_case) WHERE substr(a, a_start, a_length) <> a_text OR substr(b, b_start, b_length) <> b_text OR a_length + b_length = 0;
SELECT count(*) AS wrong FROM all_pairs WHERE (lower(without_space(a)) = lower(without_space(b))) < NOT EXISTS (SELECT FROM simhash_changes(a, b)) AND a || b !~ '[ẞKÉ]';
-- Texts before and behind, of any length, move places alone (a place at the beginning of a text would be behind the word before)
SELECT count(*) AS wrong FROM pairs, generate_series(1, 70, 3) n,
  LATERAL (SELECT array_agg(c::text) AS changes FROM simhash_changes(a, b) c) x,
  LATERAL (SELECT array_agg(ROW(change, a_start - 2 * n, a_length, b_start - 2 * n, b_length, a_text, b_text, kind, times)::text) AS changes
           FROM simhash_changes(repeat('w ', n) || a || ' end', repeat('W ', n) || b || ' end')) y
WHERE x.changes IS DISTINCT FROM y.changes AND a <> '' AND a <> 'a b c d e f' AND b <> '' AND a !~ '^[^[:alnum:]]' AND b !~ '^[^[:alnum:]]' AND a !~ '[^[:alnum:]]$' AND b !~ '[^[:alnum:]]$';
-- What is a copy, what punctuation, and what another text.  White space inside a number is a difference
SELECT a, b, COALESCE(string_agg(kind || ' ' || quote_literal(a_text) || ' ' || quote_literal(b_text), ', ' ORDER BY change), 'copy') AS changes
FROM (VALUES
  (1, 'Take 1. 5 pills', 'Take 1.5 pills'), (2, '10, 5', '10,5'), (3, '3 -5', '3-5'), (4, '三 五', '三五'), (5, '1.5', '1 . 5'), (6, '1 . 5', '1 5'), (7, '1.  5', E'1.\n5'), (8, '٣ -٥', '٣-٥'),
  (9, 'Balance: - EUR 500', 'Balance: EUR 500'), (10, '500 EUR -', '500 EUR'), (11, '- $ 500', '$ 500'), (12, '气温 - 五度', '气温 五度'), (13, '三.五', '三五'), (14, '统一。', '统一'),
  (15, 'Τι είναι;', 'Τι είναι'), (16, 'one; two', 'one two'), (17, 'f''(x)', 'f(x)'), (18, 'f(x)', 'f x'), (19, 'a.b@c.de', 'a b@c.de'), (20, 'it''s', 'it’s'), (21, 'the end - of it', 'the end of it'),
  (22, '中文，好', '中文好'), (23, '10 : 30', '10 30'), (24, '½ -½', '½-½'), (25, '5 kg', '5kg'), (26, '☐ 5', '☑ 5'), (27, 'mW', 'MW'), (28, '1990 .', '1990.'), (29, 'not', 'n ot'), (30, 'x ≠ y', 'x = y')) p (n, a, b)
  LEFT JOIN LATERAL simhash_changes(a, b) c ON true GROUP BY n, a, b ORDER BY n;
-- The key of copies: equal if and only if there is no change
SELECT count(*) AS pairs, count(*) FILTER (WHERE (simhash_copy_key(a) = simhash_copy_key(b)) <> NOT EXISTS (SELECT FROM simhash_changes(a, b))) AS wrong FROM all_pairs WHERE fold_case;
SELECT t, simhash_copy_key(t) FROM (VALUES (''), ('Hello, world'), ('hello,WORLD'), ('1. 5'), ('1.5'), ('Straße 三五 ㎏')) v (t);
SELECT simhash_copy_key(NULL);

SELECT count(*) FROM simhash_changes(NULL, 'a');
SELECT count(*) FROM simhash_changes('a', NULL);
SELECT count(*) FROM simhash_changes('a', 'b', NULL);

-- A soft hyphen, whose width psql's versions show differently
SELECT kind, length(a_text), length(b_text) FROM simhash_changes(E'wo\u00ADrd', 'word');

-- Long texts, and stopping
CREATE TABLE long_texts AS
SELECT repeat('word ', 1000000) AS words, repeat('12 7 ', 1000000) AS numbers, repeat('ก', 500000) AS thai, repeat('-', 3000000) AS dashes,
       (SELECT string_agg('w' || i, ' ' ORDER BY i) FROM generate_series(1, 300000) i) AS up, (SELECT string_agg('w' || i, ' ' ORDER BY -i) FROM generate_series(1, 300000) i) AS down
FROM generate_series(1, 1) n;
SELECT change, a_length, b_length, kind, times FROM long_texts, simhash_changes(words, words || 'word');
SELECT change, a_length, b_length, kind, times FROM long_texts, simhash_changes(words, numbers);
SELECT change, a_length, b_length, kind, times FROM long_texts, simhash_changes(thai, thai || 'กข');
SELECT change, a_length, b_length, kind, times FROM long_texts, simhash_changes(dashes || 'x', dashes || '-');
SELECT change, a_length, b_length, kind, times FROM long_texts, simhash_changes(up, down);
SELECT count(*) FROM long_texts, simhash_changes(up, replace(upper(up), ' ', E'\n '));
SET LOCAL statement_timeout = 50 \; SELECT count(*) FROM long_texts, generate_series(1, 1000) n, simhash_changes(up || n, down);
SET LOCAL statement_timeout = 50 \; SELECT count(*) FROM long_texts, generate_series(1, 1000) n, simhash_changes(words || n, words || n || '.');
SET LOCAL statement_timeout = 50 \; SELECT count(*) FROM long_texts, generate_series(1, 1000) n, simhash_changes(dashes || n, dashes || '.');
DROP FUNCTION apply_changes, without_space;
DROP TABLE pairs, all_pairs, long_texts;
