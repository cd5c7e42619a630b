-- The words that differ first, and how much more often they occur in their own text
CREATE TABLE first_changes (id int PRIMARY KEY, a text, b text);
INSERT INTO first_changes VALUES
  (1, 'The cat sat.', 'the CAT, sat!'),
  (2, 'The cat sat', 'The cat sat down'),
  (3, 'sin(3) computes the sine. sin is in libm. See also cos.', 'cos(3) computes the cosine. cos is in libm. See also sin.'),
  (4, 'Report 7 of 2023. The harbour is open. 2023 was dry.', 'Report 7 of 2024. The harbour is open. 2024 was dry.'),
  (5, 'ISO 8859-1 and 8859-1 tables', 'ISO 8859-9 and 8859-9 tables'),
  (6, '正弦 sin 函数：正弦的值', '余弦 sin 函数：余弦的值'),
  (7, 'a a a b', 'b a a a'),
  (8, 'pier north pier', 'north pier north'),
  (9, 'One word more here', 'One word here, more'),
  (10, 'Version 1.2 of the guide', 'Version 1.2.3 of the guide'),
  -- no words, or one text only
  (11, '', ''), (12, '', 'a a'), (13, '... -- !', ''), (14, '?', 'a 1 a'), (15, '', '1 2 2'), (16, '', '1 a b a'),
  (17, 'a b', 'a b c c c'), (18, 'a b', 'a b 1 1 2 1'), (19, 'a b', 'a b 1 1 c c'), (20, 'a 5', 'a b b 5'),
  -- numbers alone; numbers on both sides, and of different count
  (21, '1 2 3', '3 2 1'), (22, '1 1 1', '2'), (23, '7 7 x', '7 x x'), (24, '1 x 2 x 3', 'x 4 x 5'), (25, '12 12 a', 'a'),
  (26, '0 x 0', '00 x 00 x'), (27, '1a 1a', '2a 2a'), (28, 'v2 v2', '2 2'), (29, '1,000 1,000', '1.001 001'),
  -- case and normalisation: full width, superscripts, fractions, circled digits, ligatures, marks, soft hyphens
  (30, 'ＦＵＬＬ　ｗｉｄｔｈ', 'full width'), (31, '１２３ a １２３', '124 a 124'), (32, '２０２３ 年 ２０２３', '2024 年 2024'),
  (33, '10² and 10²', '102 and 102'), (34, '10² and 10²', '10³ and 10³'), (35, '½ cup ½', '1⁄2 cup 1⁄2'), (36, '½ cup ½', '⅓ cup ⅓'),
  (37, '1½ 1½', '11 2 11 2'), (38, '1½ x½ 1½', '1¼ y¼ 1¼'), (39, '① a ①', '② a ②'), (40, '⑴ a ⑴', '⑵ a ⑵'), (41, '⒈ a', 'a'),
  (42, 'ﬁn ﬁn', 'FIN fin'), (43, E'cafe\u0301 cafe\u0301', 'CAFÉ café'), (44, 'straße', 'STRASSE'), (45, E'1\u00AD2 x 1\u00AD2', '13 x 13'),
  (46, E'5\u0301 5\u0301', '6 6'), (47, E'\u03B1\u0345 x', 'αι x'), (48, '１a１ １a１', '２a２ ２a２'), (49, '𝟏𝟐 𝟏𝟐', '𝟑 𝟑'),
  -- digits of other scripts are numbers, and a Roman numeral is also its letters; a single Chinese numeral is not one
  (50, '٢٠٢٣ ٢٠٢٣', '٢٠٢٤ ٢٠٢٤'), (51, '२०२३ २०२३', '२०२४ २०२४'), (52, '三 三', '四 四'), (53, 'Ⅻ Ⅻ', 'xi xi'),
  -- scripts: one Han or Kana each; two syllables each of Hangul; three letters each of Thai
  (54, '京都の寺と京都の庭', '奈良の寺と奈良の庭'), (55, 'カタカナ カ', 'ひらがな ひ'), (56, 'ｶﾀｶﾅ', 'カタカナ'), (57, '㌖ ㌖', 'キロメートル キログラム'),
  (58, '서울은 크다 서울은', '부산은 크다 부산은'), (59, '서울은크다서울은', '부산은크다부산은'), (60, 'กขค กขค กขค', 'กขง กขง'),
  (61, 'กขคงกขคง', 'กขคจกขคจ'), (62, 'ﷺ', 'صلى الله عليه وسلم'), (63, 'ﷺ ﷺ', 'x'), (64, 'Съешь ЕЩЁ ещё', 'съешь же же'),
  -- what stands around the words that differ
  (65, '(md5sum) md5sum: md5sum', '(sha512sum) sha512sum: sha512sum'), (66, repeat('a ', 100) || 'x' || repeat(' y', 100), repeat('a ', 100) || 'y' || repeat(' x', 90)),
  (67, '-500', '500'), (68, 'C++', 'C#'), (69, 'Volume 1 Volume', 'Issue 2 Issue');
SELECT id, simhash_first_change(a, b) AS value, simhash_first_change(a, b, numbers => false) AS without_numbers FROM first_changes ORDER BY id;

-- The same from b to a, and 0 for a text and itself
SELECT id FROM first_changes, (VALUES (true), (false)) v (numbers)
WHERE simhash_first_change(a, b, numbers) <> simhash_first_change(b, a, numbers)
   OR simhash_first_change(a, a || ' ', numbers) <> 0 OR simhash_first_change(b, b, numbers) <> 0;

-- Whatever stands before it in equal, and with other numbers
SELECT count(*) AS differ FROM first_changes, generate_series(1, 70) n
WHERE simhash_first_change(repeat('word ', n) || a, repeat('word ', n) || b) <> simhash_first_change(a, b)
   OR simhash_first_change(repeat('é:', n) || a, repeat('É-', n) || b) <> simhash_first_change(a, b)
   OR simhash_first_change(repeat('w 1 ', n) || a, repeat('2 w 3 ', n) || b, false) <> simhash_first_change('w ' || a, 'w ' || b, false);

-- The same document: copies and edited versions, but no other number, no other sign beside a number, and in
-- short texts no other word
CREATE TABLE forms (id int PRIMARY KEY, a text, b text);
INSERT INTO forms SELECT id, concat_ws(' ', begin_a, body, end_a), concat_ws(' ', begin_b, body, end_b)
FROM (VALUES (1, 'Invoice 17', '', 'Invoice 18', ''), (2, 'Invoice 17', '', 'Invoice 17', 'Paid.'), (3, 'Invoice 17', '', 'Invoice 17', 'Paid 500.'),
  (4, 'Invoice', '-500', 'Invoice', '500'), (5, 'Invoice', '1.5', 'Invoice', '1-5'), (6, 'Invoice', '20 %', 'Invoice', '20 $'), (7, 'Invoice', '$5', 'Invoice', '€5'),
  (8, 'Invoice', '500', 'Invoice', '٥٠٠'), (9, 'Invoice', '8mm', 'Invoice', '9mm'), (10, 'Invoice', '"500"', 'Invoice', '(500).'), (11, 'Invoice', '1,500', 'Invoice', '1.500'),
  (12, 'Report of 2023', '2023', 'Report of 2024', '2024'), (13, 'Report', 'pier pier pier', 'Report', 'quay quay quay'), (14, 'Pier', 'pier pier', 'Quay', 'quay quay'),
  (15, 'Report', '10:30', 'Report', '10.30'), (16, 'Report', '5°', 'Report', '5%'), (17, 'Report', '第5章', 'Report', '第6章'), (18, 'Report', 'at 5', 'Report', 'at -5'),
  (19, 'Take', '.5 mg', 'Take', '5 mg'), (20, 'Balance', '-$500', 'Balance', '$500'), (21, 'Balance', '-€ 500', 'Balance', '€ 500'), (22, 'Today', '20 ℃', 'Today', '20℃'),
  (23, 'Today', '20 ℃', 'Today', '20 °C'), (24, 'Today', E'-\u200B5', 'Today', '5'), (25, 'Today', E'-\u200B5', 'Today', '-5'), (26, 'Today', 'at .5', 'Today', 'at -.5'), (27, 'Go', 'left,5', 'Go', 'left, 5')) v (id, begin_a, end_a, begin_b, end_b),
  (SELECT string_agg('w' || chr(97 + i % 26) || chr(97 + i / 26), ' ') FROM generate_series(1, 40) i) t (body);
INSERT INTO forms VALUES (101, 'Blue shirt, size M', 'Red shirt, size M'), (102, 'Blue shirt', 'Blue shirt, size M'), (103, '', ''), (104, '', 'a'), (105, '!', ' ! '), (106, '!', '?'), (107, 'Shirt 5', 'shirt  5!'),
  (108, 'Ⅷ Shirt', 'VIII shirt'), (109, 'Ⅷ Shirt', 'VIII shirt 5'), (110, '5 Ⅷ Shirt', 'VIII shirt'), (111, 'Ⅷ Shirt', 'Ⅶ Shirt');
SELECT id, simhash_same_document(a, b) AS same, simhash_same_document(a, b, numbers => false) AS without_numbers,
       simhash_same_document(b, a) AS reverse, simhash_same_document(a, a || E'\n') AS copy FROM forms ORDER BY id;
SELECT simhash_same_document(NULL, 'a') IS NULL AS a, simhash_same_document('a', NULL) IS NULL AS b;
DROP TABLE forms;

-- Signs beside a number: those of one kind are the same, and so are a sign and its compatibility forms; quotation marks and the
-- marks of a list do not belong to the number.  Chinese numerals are numbers unless they stand alone in a word.  No rows: all pairs are as wanted.
CREATE TABLE beside (a text, b text, wanted bool);
INSERT INTO beside VALUES ('up 7%', 'up 7％', true), ('¥800', '￥800', true), ('at 9:45', 'at 9：45', true), ('3/4/2021', '３／４／２０２１', true), ('2,750', '２，７５０', true), ('0.8', '０．８', true),
  ('-40', '－40', true), ('−40', '-40', true), ('+3', '＋３', true), ('+3', '⁺3', true), ('＄70', '$70', true), ('8〜9', '8～9', true), ('8~9', '8∼9', true), ('2.5%', '٢٫٥٪', true), ('6,300', '٦٬٣٠٠', true),
  ('6’300', '6''300', true), ('6’300', '6′300', true), ('6''2"', '6’2”', true), ('6''2"', '6′2″', true), ('3·4', '3・4', true), ('8∶1', '8:1', true), ('3/4', '¾', true), ('3/4%', '¾ %', true), ('1⁄8', '⅛', true), ('.7 g', '．７ g', true),
  ('#12', '＃12', true), ('**36 nets**', '36 nets', true), (E'* 36 nets\n* 4 oars', E'• 36 nets\n• 4 oars', true), (E'> 36 nets', '36 nets', true), ('the `depth` 36', 'the depth 36', true), ('| 36 | nets |', '36 nets', true),
  ('“36” nets', '36 nets', true), ('(2,750)', '2,750', true), ('<net1>', 'net1', true), ('36, b4', '36 b4', true), ('-p80', 'p80', true), ('¿ä4', 'ä4', true), ('-é4', 'é4', true),
  ('-40', '40', false), ('－40', '40', false), ('at - 40', 'at 40', false), ('at + 40', 'at 40', false), ('at ＋ 40', 'at - 40', false), ('2.7', '2-7', false), ('.7', '7', false), ('．７', '7', false), ('7 %', '7 $', false), ('7 ％', '7 ＄', false),
  ('2.7', '2,7', false), ('２．７', '2,7', false), ('٢٫٧', '٢٬٧', false), ('6''2', '6.2', false), ('6’2', '6”2', false), ('9:45', '9.45', false), ('3/4', '3:4', false), ('¾', '3.4', false), ('9°', '9%', false), ('¾%', '¾$', false),
  ('p < 0.05', 'p > 0.05', false), ('± 4', '4', false), ('-¾', '¾', false), ('-.7', '.7', false), ('$70', '￥70', false),
  ('第十二号', '第十三号', false), ('叁仟元', '肆仟元', false), ('壱万円', '弐万円', false), ('弍佰元', '叄佰元', false), ('第二章', '第三章', false), ('六月', '七月', false), ('二〇一一', '二〇一二', false), ('二〇〇八年', '二○○八年', true), ('二〇一一', '二◯一一', true), ('二○一一', '二○一二', false), ('㈠', '(一)', true), ('一样', '十足', true), ('Kapitel Ⅷ', 'Kapitel Ⅶ', false), ('ⅻ, 4', 'ⅹⅰ, 4', false), ('第Ⅸ章', '第Ⅹ章', false), ('Ⅷ', 'VIII', true), ('Ⅷ', 'ⅷ', true), ('XⅢ', 'ⅩⅢ', true), ('https://一.example/第三章', 'https://一.example/第四章', true);
SELECT b.* FROM beside b, (SELECT string_agg('w' || chr(97 + i % 26) || chr(97 + i / 26), ' ') FROM generate_series(1, 40) i) t (body)
WHERE simhash_same_document(body || ' ' || a, body || ' ' || b) <> wanted OR simhash_same_document(concat_ws(' ', b, body), concat_ws(' ', a, body)) <> wanted OR NOT simhash_same_document(concat_ws(' ', a, body), concat_ws(' ', b, body), numbers => false);
DROP TABLE beside;
-- A Chinese numeral that is a number in one of the texts only: neither order is another answer
SELECT a, b FROM (VALUES ('二二`二', '〡¹二'), ('፻一ﷻ', '一一,一ﷻ')) v (a, b) WHERE simhash_same_document(a, b, numbers => false) <> simhash_same_document(b, a, numbers => false);

SELECT simhash_first_change(NULL, 'a') IS NULL AS a, simhash_first_change('a', NULL) IS NULL AS b, simhash_first_change('a', 'b', NULL) IS NULL AS numbers;

-- The price stands behind cheap conditions and behind the index
SET enable_seqscan = off;
CREATE TABLE revisions (id int PRIMARY KEY, body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body, 256)) STORED);
CREATE INDEX ON revisions USING bitblock (fp);
SELECT * FROM plan_of('SELECT a.id, b.id FROM revisions a JOIN revisions b ON simhash_first_change(a.body, b.body) <= 1 AND a.fp % b.fp AND a.id < b.id AND a.body <> b.body');
RESET enable_seqscan;
DROP INDEX revisions_fp_idx;
SET plan_cache_mode = force_generic_plan;
PREPARE near(bit) AS SELECT id FROM revisions WHERE simhash_first_change(body, 'x') <= 1 AND fp % $1 AND body <> 'x';
EXPLAIN (COSTS off) EXECUTE near(B'0');
DEALLOCATE near;
RESET plan_cache_mode;

-- Long texts: of one word, of numbers alone, of numbers that normalisation makes, and of letters without a space
CREATE TABLE long_texts AS
SELECT n, repeat('word ', 2000000) AS words, repeat('12 7 ', 2000000) AS numbers, repeat('１２ ', 500000) AS wide, repeat('ก', 1000000) AS thai, repeat('é', 1000000) || '1' AS letters,
       repeat('1', 5000000) AS digits, repeat('２', 1000000) AS wide_digits
FROM generate_series(1, 1) n;
SELECT simhash_first_change(words, words || 'x') AS words, simhash_first_change(words, 'x ' || words) AS other_words, simhash_first_change(numbers, 'a') AS numbers,
       simhash_first_change(numbers, 'a ' || numbers, false) AS without, simhash_first_change(wide, '12 a', false) AS wide, simhash_first_change(thai, letters) AS thai,
       simhash_first_change(digits || ' ' || digits || ' x', wide_digits || ' x x') AS digits FROM long_texts;
SET LOCAL statement_timeout = 50 \; SELECT simhash_first_change(words || 'x', numbers) FROM long_texts, generate_series(1, 100);
SET LOCAL statement_timeout = 50 \; SELECT sum(simhash_first_change(wide, 'x', false)) FROM long_texts, generate_series(1, 100);
DROP TABLE first_changes, revisions, long_texts;

-- Numbers in links do not count, and whitespace at the end of a link is part of a copy
SELECT a, b, simhash_same_document(t || a, t || b) AS same, simhash_copy_key(t || a) = simhash_copy_key(t || b) AS copy
FROM (VALUES ('https://a.example/?id=5', 'https://a.example/?id=6'), ('HTTP://a.example/5', 'http://a.example/6'), ('(www.a.example/5)', '(www.a.example/6)'), ('www.a.example 5', 'www.a.example 6'),
  ('http://a.example/5 6', 'http://a.example/6 5'), ('xhttp://a.example/5', 'xhttp://a.example/6'), ('http:/a/5', 'http:/a/6'), ('www,5', 'www,6'), ('a.example/5', 'a.example/6'),
  ('http://a.example/ 5', 'http://a.example/5'), ('http://a.example/ -x', 'http://a.example/-x'), ('http: //a.example/5', 'http://a.example/5'), ('www .a/5', 'www.a/5'), (E'http://a.example/\n(x', 'http://a.example/  (x'),
  ('http://a.example/5', E'http://a.example/5 \n')) v (a, b), (VALUES ('The ferry to the islands leaves from the south pier today, because the storm has closed the north pier. Please allow some minutes more for the walk to the boats, and bring warm clothes. See ')) w (t);
-- The data of a URI are one word, in which numbers do not count
CREATE TEMP TABLE pictures AS SELECT id, md5(id::text) || string_agg(chr(97 + (i * i + id) % 26) || md5((i * id)::text), '/' ORDER BY i) AS data FROM generate_series(1, 300) i, generate_series(1, 2) id GROUP BY id;
SELECT n, x.id <> y.id AS other, simhash_same_document(replace(a, '@', x.data), replace(b, '@', y.data)) AS same, simhash_copy_key(replace(a, '@', x.data)) = simhash_copy_key(replace(b, '@', y.data)) AS copy
FROM (VALUES ('other note', 'Minutes of Monday. The budget of the harbour was discussed. ![](data:image/png;base64,@)', 'Recipe for Friday. Fry the onions in oil, and serve them. ![](data:image/png;base64,@)'),
  ('typo', 'The ferry leaves from the south pier. ![](data:image/png;base64,@)', 'The ferry leaves from the south piers. ![](data:image/png;base64,@)'),
  ('number', 'The ferry leaves from the south pier. ![](data:image/png;base64,@) 5', 'The ferry leaves from the south pier. ![](data:image/png;base64,@) 6'),
  ('long', 'The ferry leaves from the south pier, because the storm of the last night has closed the north pier for at least two weeks, and the boats to the islands are full on all days. ![](data:image/png;base64,@)', 'The ferry leaves from the south pier, because the storm of the last night has closed the north pier for at least two weeks, and the boats to the islands are full on all days. ![](DATA:image/png;BASE64,@)')) v (n, a, b), pictures x, pictures y WHERE x.id = 1 ORDER BY 1, 2;
SELECT a, b, simhash_copy_key(a) = simhash_copy_key(b) AS copy FROM (VALUES ('data:;base64,YQ==b', 'data:;base64,YQ== b'), ('data:;base64,YQ(b', 'data:;base64,YQ (b'), ('data:;base64,YQ(b', 'data:;base64,YQ( b'), ('data:; base64,YQ', 'data:;base64,YQ'), ('data:;base64 ,YQ', 'data:;base64,YQ'), ('data: (b', 'data:(b'), ('base64,(b', 'base64, (b')) v (a, b);
DROP TABLE pictures;
-- Short texts: a typo is no other word, and below ten words nothing is added
SELECT a, b, simhash_same_document(a, b) AS same, simhash_same_document(b, a, false) AS exchanged
FROM (VALUES ('The ferry leaves from the harbour', 'The ferry leaves from the harbor'), ('The ferry leaves from the harbour', 'The ferry leaves from the harobur'), ('The ferry leaves from the harbour', 'The ferry leaves from the hraobur'),
  ('Accommodation at the pier', 'Acomodation at the pier'), ('Accommodation at the pier', 'Acmodation at the pier'), ('To York by train', 'To Cork by train'), ('To York by train', 'To Yorks by train'), ('a new car', 'a new cat'),
  ('The ferry sails from the pier', 'The fery sails from the pierr'), ('Pier A100 is closed', 'Pier A101 is closed'), ('Definitions for node', 'Definitions for node and deno'), ('Dutch-French dictionary', 'French-Dutch dictionary'),
  ('The ferry leaves from the south pier at noon on Sundays', 'The ferry leaves from the south pier at noon on all Sundays'), ('Ferry 5 to the islands', 'Ferry to the islands')) v (a, b);
