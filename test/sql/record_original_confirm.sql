-- simhash_record_original: the options "confirm", "title" and "numbers"

-- The option "confirm": a near original is the row's original only if their texts are the same
-- document.  Manuals of one template stay originals, and revisions are marked.
CREATE TABLE manuals (id int PRIMARY KEY, title varchar(20), body text, fp simhash DEFAULT '0000000000000000', duplicate_of int);
CREATE INDEX ON manuals USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON manuals FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'confirm=title, body');
INSERT INTO manuals VALUES (1, 'sin', 'sin(x) is the sine of x. Link sin by -lm. See also cos.'), (2, 'cos', 'cos(x) is the cosine of x. Link cos by -lm. See also sin.'),
  (3, 'sin', 'sin(x) is the sine of x. Link sin by -lm. See also cos, tan.'), (4, 'COS', 'COS(x): is the cosine of x; link COS by -lm; see also sin'),
  (5, 'tan', 'tan(x) is the tangent of x. Link tan by -lm. See also sin.'), (6, 'cos', 'cos(x) is the cosine of x. Link cos by -lm. See also the sine: sin.') RETURNING id, title, duplicate_of;
COPY manuals (id, title, body) FROM stdin;
7	tan	tan(x) is the tangent of x. Link tan by -lm. See also sin and cos.
8	exp	exp(x) is e to the power of x. Link exp by -lm. See also log.
9	exp	exp(x) is e to the power of x. Link exp by -lm. See also log and pow.
\.
INSERT INTO manuals (id, title, body) SELECT id + 9, title, upper(body) FROM manuals ORDER BY id;
SELECT id, title, duplicate_of FROM manuals WHERE id > 6 ORDER BY id;
-- NULL is an empty text
INSERT INTO manuals VALUES (30, NULL, 'exp exp(x) is e to the power of x. Link exp by -lm.'), (31, 'exp exp(x) is e', 'to the power of x. Link exp by -lm.'), (32, 'log log log', NULL), (33, NULL, 'log log log'),
  (34, NULL, NULL), (35, '', ' ') RETURNING id, title, body, duplicate_of;
-- the smallest id of those that are confirmed: 3 is a revision of 1 and of 2, but 1 is none of 2
TRUNCATE manuals;
INSERT INTO manuals VALUES (2, 'cat', 'dog on the deck of the old ferry at noon'), (1, 'cow', 'dog on the deck of the old ferry at noon'), (3, 'cow', 'cat dog on the deck of the old ferry at noon'), (4, 'cat', 'dog on the deck of the old ferry at noon!'), (5, 'dog', 'dog dog on the deck of the old ferry at noon') RETURNING id, duplicate_of;
-- an original that is too far; and upserts
INSERT INTO manuals VALUES (6, 'cow', 'cow dog on the deck of the old ferry at noon', '00000000000007ff') RETURNING id, duplicate_of;
INSERT INTO manuals VALUES (2, 'cow', 'cat dog on the deck of the old ferry at noon'), (1, 'cow', 'cow cow dog on the deck of the old ferry at noon') ON CONFLICT (id) DO UPDATE SET body = excluded.body, duplicate_of = excluded.duplicate_of RETURNING id, duplicate_of;
-- the original is among many siblings, whose texts are stored out of line
TRUNCATE manuals;
ALTER TABLE manuals ALTER body SET STORAGE EXTERNAL;
INSERT INTO manuals SELECT i, 'manual' || i, repeat(format('manual%s is a command. ', i), 200) FROM generate_series(1, 60) i;
SELECT count(*), count(duplicate_of) FROM manuals;
INSERT INTO manuals SELECT 100 + id, title, body || 'It has no options.' FROM manuals WHERE id IN (1, 15, 16, 17, 32, 33, 60) ORDER BY id RETURNING id, duplicate_of;
INSERT INTO manuals VALUES (200, 'manual61', repeat('manual61 is a command. ', 200)) RETURNING id, duplicate_of;
-- the user must be allowed to read the texts, and may see some originals only
CREATE ROLE simhash_reader;
GRANT INSERT, SELECT (id, fp, duplicate_of) ON manuals TO simhash_reader;
SET ROLE simhash_reader;
INSERT INTO manuals VALUES (201, 'manual1', repeat('manual1 is a command. ', 200));
RESET ROLE;
GRANT SELECT ON manuals TO simhash_reader;
ALTER TABLE manuals ENABLE ROW LEVEL SECURITY;
CREATE POLICY later ON manuals FOR SELECT TO simhash_reader USING (id > 1);
CREATE POLICY anything ON manuals FOR INSERT TO simhash_reader WITH CHECK (true);
SET ROLE simhash_reader;
INSERT INTO manuals VALUES (201, 'manual1', repeat('manual1 is a command. ', 200)), (202, 'manual2', repeat('manual2 is a command. ', 200)) RETURNING id, duplicate_of;
RESET ROLE;
-- a column that is renamed
ALTER TABLE manuals RENAME body TO contents;
INSERT INTO manuals VALUES (300, 'exp', 'exp');
DROP TABLE manuals;
DROP ROLE simhash_reader;
-- with each option: recorded are the smallest ids of the originals within the distance that are the same document
CREATE FUNCTION titles_agree(a text, b text) RETURNS boolean LANGUAGE sql AS $$
  SELECT NOT coalesce(bool_or(in_a IS NULL) AND bool_or(in_b IS NULL), false) AND 5 * count(*) FILTER (WHERE in_a = in_b) >= 3 * count(*)
  FROM (SELECT DISTINCT unnest(regexp_matches(lower(a), '\w+', 'g')) AS in_a) a FULL JOIN (SELECT DISTINCT unnest(regexp_matches(lower(b), '\w+', 'g')) AS in_b) b ON in_a = in_b
$$;
CREATE FUNCTION recorded_revisions(arguments text, numbers bool, k int DEFAULT 3, type text DEFAULT 'simhash') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  original int;
  near boolean;
  wrong int := 0;
  duplicates int := 0;
  siblings int := 0;
BEGIN
  EXECUTE format('CREATE TABLE pages (id int PRIMARY KEY, tenant int, title char(9), body text, whole text GENERATED ALWAYS AS (coalesce(title, '''') || '' '' || body) STORED, fp %s, duplicate_of int)', type);
  CREATE INDEX ON pages USING bitblock (fp) WHERE duplicate_of IS NULL;
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON pages FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', %s)', arguments);
  -- few different words, so that first changes from 0 to 4 are frequent; every other text is long
  -- and few different titles, if they are compared
  EXECUTE format($q$INSERT INTO pages (id, tenant, title, body, fp) SELECT id, nullif(id %% 3, 0), %s,
    repeat('the harbour ', id %% 2 * 15) || (SELECT string_agg(chr(97 + (hashint4(id * 10 + i) & 3)), ' ') FROM generate_series(1, 4 - id %% 2 * 2 + (hashint4(id) & 3)) i) || ' ' || (hashint4(id) & 1), %s FROM shaped_fps('clusters', 600) ORDER BY id$q$,
    CASE WHEN arguments ~ 'title=' THEN $q$(ARRAY['a', 'a b', 'A, B', 'a b c', 'b a d', 'a b c d', '', NULL])[1 + (hashint4(-id) & 7)]$q$ ELSE $q$'a'$q$ END,
    CASE WHEN type ~ 'bit' THEN 'fp::bit(64) || fp::bit(64)' ELSE 'fp' END);
  FOR r IN SELECT * FROM pages ORDER BY id LOOP
    WITH near AS (SELECT p.id, p.whole, simhash_copy_key(p.whole) = simhash_copy_key(r.whole) AS copy, simhash_same_document(p.whole, r.whole, recorded_revisions.numbers) AS same FROM pages p
    WHERE p.id < r.id AND p.duplicate_of IS NULL AND length(replace((p.fp::bit varying # r.fp::bit varying)::text, '0', '')) <= k
      AND (arguments !~ 'tenant' OR p.tenant IS NOT DISTINCT FROM r.tenant) AND (arguments !~ 'title=' OR titles_agree(p.title, r.title))),
    copies AS (SELECT min(id) AS id FROM near WHERE copy),
    -- the first versions show slots: places at which they and the new text continue in three ways
    versions AS (SELECT near.* FROM near, copies WHERE same AND NOT coalesce(near.id >= copies.id, false) ORDER BY id LIMIT 3),
    partings AS (SELECT id, v.numbers, p.* FROM versions, (VALUES (true), (false)) v (numbers), parting(reading(r.whole, v.numbers), reading(whole, v.numbers)) p),
    slots AS (SELECT p.numbers, contexts[1] AS context FROM partings p, unnest(follow) f GROUP BY 1, 2 HAVING count(DISTINCT f) > 2)
    SELECT coalesce((SELECT min(id) FROM versions WHERE id NOT IN (SELECT id FROM partings p JOIN slots s ON s.numbers = p.numbers AND context = ANY (contexts))), (SELECT id FROM copies)), EXISTS (SELECT FROM near) INTO original, near;
    wrong := wrong + (original IS DISTINCT FROM r.duplicate_of)::int;
    duplicates := duplicates + (original IS NOT NULL)::int;
    siblings := siblings + (original IS NULL AND near)::int;
  END LOOP;
  DROP TABLE pages;
  RETURN format('%s wrong, %s duplicates, %s siblings', wrong, duplicates, siblings);
END $$;
SELECT arguments, numbers, recorded_revisions(arguments, numbers, k, type)
FROM (VALUES ($$'within=3', 'confirm=title, body'$$, true, 3, 'simhash'), ($$'confirm=whole'$$, true, 10, 'simhash'), ($$'confirm=whole', 'numbers=yes'$$, true, 20, 'bit(128)'), ($$'within=8', 'numbers=false', 'confirm=title,body'$$, false, 8, 'bit(128)'),
  ($$'within=3', 'confirm=whole', 'numbers=off', 'lock', 'equal=tenant'$$, false, 3, 'simhash'), ($$'equal=tenant', 'confirm=whole', 'numbers=no'$$, false, 10, 'simhash'),
  ($$'within=8', 'title=title', 'confirm=body'$$, true, 8, 'simhash'), ($$'within=10', 'numbers=false', 'confirm=body', 'equal=tenant', 'title=title', 'lock'$$, false, 10, 'bit(128)')) v(arguments, numbers, k, type);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT recorded_revisions($$'within=3', 'confirm=title, body', 'lock'$$, true);
COMMIT;
DROP FUNCTION recorded_revisions, titles_agree;
-- columns of domains, of partitions that have other numbers, and names that need quotes
CREATE DOMAIN name_of AS char(20);
CREATE DOMAIN "Text" AS varchar CHECK (VALUE <> '');
CREATE TABLE parts (id int, "Title" name_of, "The body" "Text", fp simhash, duplicate_of int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE part2 (gone int, duplicate_of int, "The body" "Text", fp simhash, "Title" name_of, id int);
ALTER TABLE part2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION part2 FOR VALUES FROM (10) TO (20);
CREATE INDEX ON parts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock', 'confirm="Title", "The body"', 'numbers=false');
SET search_path = pg_temp;
INSERT INTO public.parts SELECT id, title, body, '0000000000000000' FROM (VALUES (1, 'sin', 'sine'), (11, 'cos', 'cosine'), (2, 'cos', 'Cosine'), (12, 'sin', 'sine!'), (13, 'sin', 'sines')) v(id, title, body)
  RETURNING tableoid::regclass, id, duplicate_of;
RESET search_path;
INSERT INTO part2 (id, "Title", "The body", fp) VALUES (14, 'cos', 'cosine', '0000000000000001') RETURNING id, duplicate_of;
DROP TABLE parts;
DROP DOMAIN name_of, "Text";
-- the option "title": a near original must have the title of the row, too
CREATE TABLE jobs (id int, tenant int, "Title" varchar(40), body text, fp simhash DEFAULT '0000000000000000', duplicate_of int);
CREATE INDEX ON jobs USING bitblock (tenant, fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=tenant', 'confirm=body', 'title="Title"');
SELECT 'We are a family company with offices in four countries. We offer thirty days of leave, a ticket for trains and buses, and a room with a view. You have some years of experience, '
  'you like to work with others, and you speak two languages. Send us your letter and a short account of your life, by post or by mail. Reference 4711' AS body \gset
INSERT INTO jobs SELECT i, tenant, title, :'body' || more FROM (VALUES (1, 1, 'Nurse in Bonn', ''), (2, 1, 'Driver in Oslo', ''), (3, 1, 'Update: Nurse in Bonn', ' New.'), (4, 1, 'DRIVER, in Oslo!', ''),
  (5, 2, 'Driver in Oslo', ''), (6, 1, 'Nurse in Oslo', ''), (7, 1, 'Nurse in Bonn', '0'), (8, NULL, 'Driver in Oslo', ''), (9, NULL, 'Driver in Oslo', '.'),
  (10, 2, 'Driver in Oslo', ' Driver'), (11, 1, 'Cook', ''), (12, 1, 'Cook in a school', '')) v(i, tenant, title, more) RETURNING id, tenant, "Title", duplicate_of;
-- without "title" they are one document, because no word of the titles is in the body
SELECT simhash_same_document('Nurse in Bonn ' || :'body', 'Driver in Oslo ' || :'body');
-- NULL is an empty title; titles without words agree with each other only
INSERT INTO jobs SELECT i, 3, title, body FROM (VALUES (21, NULL, :'body'), (22, NULL, upper(:'body')), (23, '', :'body'), (24, '...', :'body'), (25, 'Cook', :'body'),
  (26, 'Cook', NULL), (27, 'COOK', ''), (28, NULL, 'cook'), (29, NULL, NULL), (30, '-', '')) v(i, title, body) RETURNING id, "Title", left(body, 6) AS body, duplicate_of;
-- one text that is divided into title and body in several ways: titles must agree, as for simhash_duplicates
INSERT INTO jobs SELECT i, 4, title, body FROM (VALUES (51, 'Nurse', 'in Bonn by day or by night'), (52, 'Nurse in Bonn', 'by day or by night'), (53, 'NURSE in Bonn by', 'day or  by night'), (54, NULL, 'nurse in Bonn by day or by night'),
  (55, 'Nurse in Bonn by day or by night', ''), (56, 'Nurse', 'in Bern by day or by night'), (57, 'Nurse in Bern', 'by day or by night'), (58, 'Nurse in Bern by day', 'or by nights'), (59, 'Nurs', 'e in Bonn by day or by night')) v(i, title, body)
  RETURNING id, "Title", body, duplicate_of;
SELECT * FROM simhash_duplicates('SELECT id, fp, "Title", body FROM jobs WHERE tenant = 4', within => 3) ORDER BY id;
-- numbers
DROP TRIGGER original ON jobs;
CREATE TRIGGER original BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'numbers=false', 'title="Title"', 'lock', 'equal=tenant', 'confirm=body', 3);
INSERT INTO jobs VALUES (31, 1, 'Nurse in Bonn', :'body' || '9');
DROP TRIGGER original ON jobs;
CREATE TRIGGER original BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'numbers=false', 'title="Title"', 'lock', 'equal=tenant', 'confirm=body');
INSERT INTO jobs VALUES (30, 9, 'Nurse in Bonn', :'body' || '8'), (31, 9, 'Nurse in Bonn', :'body' || '9'), (32, 9, 'Nurse in Bern', :'body' || '9') RETURNING id, duplicate_of;
-- a column that is renamed
ALTER TABLE jobs RENAME "Title" TO title;
INSERT INTO jobs VALUES (33, 1, 'Nurse in Bonn', :'body');
DROP TABLE jobs;
-- a fingerprint of title and text, when the title is NULL
CREATE TABLE untitled (id int, title text, body text, fp bit(128) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body, 128)) STORED, duplicate_of int);
CREATE INDEX ON untitled USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON untitled FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'title=title', 'confirm=body');
INSERT INTO untitled (id, title, body) VALUES (1, NULL, 'The ship with the new lamps has arrived at the quay'), (2, NULL, 'THE ship with the new lamps has arrived at the quay'), (3, '', 'The ship with the new lamps has arrived at the quay.'),
  (4, 'The ship', 'with the new lamps has arrived at the quay'), (5, 'Lamps', 'The ship with the new lamps has arrived at the quay') RETURNING id, duplicate_of;
SELECT id, original, kind FROM simhash_duplicates('SELECT id, fp, title, body FROM untitled') ORDER BY id;
DROP TABLE untitled;
-- more siblings than are compared: the nearest ones are, and copies are found among all of the same fingerprint
CREATE TABLE lockers (id int, body text, fp simhash, duplicate_of int);
CREATE FUNCTION locker(i int) RETURNS text LANGUAGE sql RETURN format('Locker %s is yours until the end of the term. Please leave it clean and open when you go.', i);
INSERT INTO lockers SELECT i, locker(i) || repeat(' ', CASE WHEN i > 4200 THEN 3000 ELSE 0 END), CASE WHEN i <= 4000 THEN '0000000000000000' WHEN i <= 4200 THEN '0f00000000000000' ELSE '00ff000000000000' END::simhash FROM generate_series(1, 19200) i;
INSERT INTO lockers VALUES (20000, locker(17), '0000000000000000'), (20001, 'New: ' || locker(20002), '0f0000000000000f'), (20002, locker(20002), '0f0000000000000e');
CREATE INDEX ON lockers USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON lockers FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'confirm=body');
INSERT INTO lockers VALUES (30001, upper(locker(3990)), '0000000000000000'), (30002, locker(17) || ' ', '0000000000000000'), (30003, locker(30003), '0000000000000000') RETURNING id, duplicate_of;
CREATE OR REPLACE TRIGGER original BEFORE INSERT ON lockers FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock', 'confirm=body');
-- a sibling, a revision of the nearest one, and a copy that has a revision with a smaller id
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO lockers VALUES (30004, locker(30004), '0f00000000000006'), (30005, locker(20002) || ' Thank you.', '0f00000000000006'), (30006, locker(20002), '0f0000000000000e') RETURNING id, duplicate_of;
COMMIT;
-- rows that are read, of 15,000 near ones, also of the same fingerprint
BEGIN;
CREATE FUNCTION rows_read() RETURNS bigint LANGUAGE sql AS $$ SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'lockers' $$;
SELECT rows_read() AS before \gset
INSERT INTO lockers VALUES (30007, locker(30007), '00ff000000000001');
SELECT rows_read() - :before <= 5200 AS few;
SELECT rows_read() AS before \gset
INSERT INTO lockers VALUES (30008, locker(30008), '00ff000000000000');
SELECT rows_read() - :before <= 15000 AS few;
ROLLBACK;
DROP TABLE lockers;
DROP FUNCTION locker;
-- large texts: the nearest originals whose titles agree are compared, until 16 MB have been read
CREATE TABLE books (id int, title text, body text, fp simhash, duplicate_of int);
ALTER TABLE books ALTER body SET STORAGE EXTERNAL;
CREATE FUNCTION book(i int) RETURNS text LANGUAGE sql RETURN format('Book %s is yours until the end of the term. ', i) || repeat('Please leave it clean and open when you go. ', 45454);
INSERT INTO books SELECT i, 'Book ' || i, book(i), ((1::bigint << (10 - i)) - 1)::simhash FROM generate_series(1, 10) i;
CREATE INDEX ON books USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON books FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=20', 'confirm=body');
CREATE FUNCTION texts_read() RETURNS int LANGUAGE sql AS $$
  SELECT round(pg_stat_get_xact_tuples_returned(indexrelid) * 1996.0 / length(book(1))) FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE relname = 'books'
$$;
BEGIN;
SELECT texts_read() AS before \gset
INSERT INTO books VALUES (11, 'Book 11', book(11), '0000000000000000') RETURNING id, duplicate_of;
SELECT texts_read() - :before AS texts;
COMMIT;
-- a revision of the nearest one, and of one that is too far
BEGIN;
SELECT texts_read() AS before \gset
INSERT INTO books VALUES (12, 'Book 10', book(10) || 'Thanks.', '0000000000000000'), (13, 'Book 1', book(1) || 'Thanks.', '0000000000000000') RETURNING id, duplicate_of;
SELECT texts_read() - :before AS texts;
COMMIT;
CREATE OR REPLACE TRIGGER original BEFORE INSERT ON books FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=20', 'title=title', 'confirm=body');
BEGIN;
SELECT texts_read() AS before \gset
INSERT INTO books VALUES (14, 'Book 1', book(1) || 'Thanks.', '0000000000000000') RETURNING id, duplicate_of;
SELECT texts_read() - :before AS texts;
COMMIT;
-- copies among more originals than are compared, of one fingerprint
INSERT INTO books SELECT i, 'Book ' || i, book(i), 'ffffffffffffffff' FROM generate_series(101, 110) i;
INSERT INTO books SELECT i, 'Book ' || i, 'Book ' || i, 'ffffffffffffffff' FROM generate_series(200, 300) i;
CREATE OR REPLACE TRIGGER original BEFORE INSERT ON books FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=20', 'confirm=body');
BEGIN;
SELECT texts_read() AS before \gset
INSERT INTO books VALUES (301, 'Book 301', book(301), 'ffffffffffffffff') RETURNING id, duplicate_of;
SELECT texts_read() - :before <= 9 AS few;
COMMIT;
DROP TABLE books;
DROP FUNCTION book, texts_read;
-- errors
CREATE TABLE bad (id int, fp simhash, duplicate_of int, title varchar(9), body text, number int);
CREATE INDEX ON bad USING bitblock (fp);
CREATE FUNCTION tried(options text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', %s)', options);
  INSERT INTO bad (id, fp) VALUES (1, '0000000000000000');
END $$;
SELECT tried($$'confirm='$$);
SELECT tried($$'within=3', 'confirm=title body'$$);
SELECT tried($$'within=3', 'confirm=titel'$$);
SELECT tried($$'within=3', 'confirm=title, fp'$$);
SELECT tried($$'within=3', 'confirm=body, title, body'$$);
SELECT tried($$'within=3', 'confirm=title, number'$$);
SELECT tried($$'within=3', 'confirm=title', 'confirm=body'$$);
SELECT tried($$'within=3', 'numbers=false'$$);
SELECT tried($$'within=3', 'title=title'$$);
SELECT tried($$'within=3', 'title=title', 'equal=number'$$);
SELECT tried($$'within=3', 'title=', 'confirm=body'$$);
SELECT tried($$'within=3', 'title=title, body', 'confirm=body'$$);
SELECT tried($$'within=3', 'title="title', 'confirm=body'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=titel'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=Title', 'title=title'$$);
SELECT tried($$'within=3', 'confirm=body, title', 'title=title'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=fp'$$);
SELECT tried($$'within=3', 'confirm=body', 'title=number'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers='$$);
SELECT tried($$'within=3', 'numbers=-1', 'confirm=body'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers=true', 'numbers=true'$$);
SELECT tried($$'within=3', 'confirm=body', 'first_change=1'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers=false', 'lock', 'equal=number', 'title=title', 'lock'$$);
SELECT tried($$'within=3', 'confirm=body', 'numbers=false', 'lock', 'equal=number', 'title=title'$$);
DROP TRIGGER original ON bad;
SELECT tried(quote_literal('confirm=' || (SELECT string_agg('column' || i, ', ') FROM generate_series(1, 32) i)));
DROP TABLE bad;
DROP FUNCTION tried;
