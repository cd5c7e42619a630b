-- Fingerprints are stored in people's tables: never change a value here.
SELECT name, simhash(body) FROM (VALUES
  (1, 'one letter', 'a'),
  (2, 'English', 'The quick brown fox jumps over the lazy dog.'),
  (3, 'longer English', 'When in the Course of human events, it becomes necessary for one people to dissolve the political bands which have connected them with another, and to assume among the powers of the earth, the separate and equal station to which the Laws of Nature and of Nature''s God entitle them, a decent respect to the opinions of mankind requires that they should declare the causes which impel them to the separation.'),
  (4, 'French', 'Dès Noël où un zéphyr haï me vêt de glaçons würmiens'),
  (5, 'Russian', 'Съешь же ещё этих мягких французских булок, да выпей чаю'),
  (6, 'Greek', 'Τάχιστη αλώπηξ βαφής ψημένη γη, δρασκελίζει υπέρ νωθρού κυνός· ᾧ ὕδωρ'),
  (7, 'Arabic', 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق'),
  (8, 'Hindi', 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है'),
  (9, 'Chinese', '人人生而自由，在尊严和权利上一律平等。'),
  (10, 'one character', '人'),
  (11, 'Japanese', 'すべての人間は、生まれながらにして自由であり、ガードは２０２３年。'),
  (12, 'Korean', '모든 인간은 태어날 때부터 자유로우며 존엄과 권리에 있어 동등하다'),
  (13, 'Thai', 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน'),
  (14, 'emoji', 'I ❤️ PostgreSQL 🐘👩🏽‍💻 and 1️⃣ more 🎉 thing'),
  (15, 'full-width', 'ＦＵＬＬ　ｗｉｄｔｈ １２３'),
  (16, 'mixed', 'PostgreSQL的ＳＱＬ、ภาษาไทย and ﬁnal naïve Ⅻ №5 ½'),
  (17, 'combining marks', U&'e\0301\0323 o\0302\0300 \05D0\05B8\05B7 \0E01\0E34\0E48')
) v(ord, name, body) ORDER BY ord;
SELECT simhash(string_agg(i || ' bottles of beer on the wall', ', ' ORDER BY i)) AS one_megabyte, sum(length(i || ' bottles of beer on the wall, ')) AS length
FROM generate_series(1, 30000) i;
SELECT simhash(repeat('word', 250000)) AS one_word, simhash(repeat('人权', 150000)) AS two_characters, simhash('x' || repeat(U&'\0301\0323', 100000)) AS marks;

-- No word: no fingerprint
SELECT simhash('') IS NULL AS empty, simhash(' .,;!?-- ') IS NULL AS punctuation, simhash('🐘🎉') IS NULL AS emoji, simhash(NULL) IS NULL AS null,
       simhash(U&'\00AD\200B\FEFF') IS NULL AS ignorable;

-- The same by a name that is no type: also of an untyped parameter
PREPARE of_parameter AS SELECT to_simhash($1) = simhash('some text'::text) AS same, to_simhash($1) <> to_simhash('another') AS other;
EXECUTE of_parameter('Some text.');
SELECT to_simhash('0123456789abcdef') = simhash('0123456789abcdef'::text) AS no_cast, to_simhash('') IS NULL AS empty, to_simhash(NULL) IS NULL AS null;
PREPARE with_option AS SELECT simhash($1, features => 'characters', n => 3) = simhash('some text'::text, features => 'characters', n => 3) AS same;
EXECUTE with_option('some text');
DEALLOCATE ALL;

-- What makes no difference: case, punctuation, space, order of combining marks,
-- composed or decomposed, full or half width, ligatures, soft hyphens
SELECT simhash('Hello, World!') = simhash(E'  hello\n\tWORLD') AS spelling, simhash('Straße') = simhash('STRASSE') AS sharp_s,
       simhash(U&'caf\00E9') = simhash(U&'CAFE\0301') AS composed, simhash(U&'e\0301\0323') = simhash(U&'e\0323\0301') AS mark_order,
       simhash('ｈｅｌｌｏ') = simhash('hello') AS full_width, simhash('ﾊﾟｿｺﾝ') = simhash('パソコン') AS half_width,
       simhash('ﬁne') = simhash('fine') AS ligature, simhash(U&'co\00ADoperate') = simhash('cooperate') AS soft_hyphen,
       simhash(U&'\AC01') = simhash(U&'\1100\1161\11A8') AS hangul, simhash('ΣΊΣΥΦΟΣ') = simhash('σίσυφος') AS sigma, simhash('résumé') = simhash('RESUME') AS accents;
-- What does: words, their order, letters, digits
SELECT simhash('a b c d') <> simhash('d c b a') AS word_order, simhash('мой') <> simhash('мои') AS letters, simhash('1 2') <> simhash('12') AS digits,
       simhash('日本') <> simhash('本日') AS character_order;
-- Each distinct feature votes once
SELECT simhash('a a a a b a') = simhash('a b a a') AS distinct_features;

-- An edit moves few bits, another text half of them
SELECT simhash(a) <-> simhash(replace(a, 'necessary', 'needful')) <= 8 AS edited, simhash(a) <-> simhash(repeat('lorem ipsum dolor sit amet ', 5)) BETWEEN 16 AND 48 AS different
FROM (SELECT string_agg(w, ' ') AS a FROM (SELECT 'it becomes necessary for people number ' || i || ' to dissolve bands ' || md5(i::text) AS w FROM generate_series(1, 50) i) s) t;

-- varchar, char and domains over text are texts
CREATE DOMAIN body_text AS text CHECK (length(VALUE) > 0);
CREATE TABLE kinds (t text, v varchar(40), c char(40), d body_text);
INSERT INTO kinds SELECT s, s, s, s FROM (SELECT 'Some text of several words') x(s);
SELECT count(*) AS same FROM kinds WHERE simhash(t) = simhash(v) AND simhash(t) = simhash(c) AND simhash(t) = simhash(d) AND simhash(t) = simhash('Some text of several words');
DROP TABLE kinds;
DROP DOMAIN body_text;

-- Generated columns, TOAST in every storage
CREATE TABLE stored (body text, fp simhash GENERATED ALWAYS AS (simhash(body)) STORED);
INSERT INTO stored SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 3000) i;
ALTER TABLE stored ALTER body SET STORAGE EXTERNAL;
INSERT INTO stored SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 3000) i;
ALTER TABLE stored ALTER body SET STORAGE MAIN;
INSERT INTO stored SELECT repeat('compressible text ', 3000) || string_agg(md5(i::text), ' ') FROM generate_series(1, 3000) i;
INSERT INTO stored VALUES ('...');
SELECT fp, fp = simhash(body) AS same FROM stored;
DROP TABLE stored;

-- Parallel workers agree
CREATE TABLE many AS SELECT i AS id, 'text number ' || i || ' ' || md5(i::text) AS body FROM generate_series(1, 20000) i;
SELECT md5(string_agg(simhash(body)::text, ',' ORDER BY id)) AS serial FROM many \gset
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT count(*) > 0 AS parallel FROM plan_of('SELECT id, simhash(body) FROM many') p WHERE p ~ 'Parallel Seq Scan';
SELECT md5(string_agg(fp::text, ',' ORDER BY id)) = :'serial' AS same FROM (SELECT id, simhash(body) AS fp FROM many OFFSET 0) s;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
DROP TABLE many;

-- A long text can be cancelled
SET LOCAL statement_timeout = '100ms' \; SELECT simhash(repeat('a bc def ', 50000000));
