-- Which reposts are found: articles under another title and lead, adverts with another reference number and date, and
-- offers that share a text and differ in their titles.
-- The documents are made of random words, so that the answers do not change.  To run this in an empty database
--
--   psql -X -c "CREATE EXTENSION simhash" -f examples/reposts.sql
\set ON_ERROR_STOP on

-- n words, some of them common and most of them rare
CREATE FUNCTION words(seed text, n integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(substr('badefigolumanepirosutavewizokale', 1 + w % 16 * 2, 2) || substr('nrstlmkd', 1 + w / 16 % 8, 1)
                    || substr('erinalonitesumor', 1 + w / 128 % 8 * 2, 2) || CASE w / 1024 WHEN 0 THEN '' ELSE 'a' END, ' ')
  FROM (SELECT floor(2048 * u * u * u)::integer AS w
        FROM (SELECT ('x' || substr(md5(seed || i), 1, 5))::bit(20)::integer / 1048576.0 AS u FROM generate_series(1, n) i) u) w
$$;

-- 600 articles of 140 to 440 words, each with a repost, and with a follow-up, which is another document with the same
-- background.  All end with the same 30 words.
CREATE TABLE articles (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document integer, title text, body text,
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
CREATE INDEX ON articles USING bitblock (fp);
INSERT INTO articles (document, title, body)
SELECT document, words('title' || n || post, 6), words('lead' || n || post, 40) || E'\n\n' || words('story' || document, 30 + n / 2)
  || E'\n\n' || words('background' || n, 40) || E'\n\n' || words('footer', 30)
FROM generate_series(1, 600) n, LATERAL (VALUES ('article', n), ('repost', n), ('follow-up', -n)) v (post, document);

-- 300 adverts.  Of three, one was posted again, one has the text of an advert of another flat, and one has both.
CREATE TABLE adverts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document integer, title text, body text,
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body)) STORED);
INSERT INTO adverts (document, title, body)
SELECT document, 'Flat in ' || words('town' || n, 2), format('Ref. AB-%s, published 2026-05-%s. %s. %s rooms, %s EUR. %s',
  10000 + n * 7 + post, 10 + post * 9, words('street' || n, 30), rooms, rooms * 300, words('text' || n, 60))
FROM generate_series(1, 300) n, LATERAL (VALUES (0, n, 2), (1, n, 2), (2, -n, 3)) v (post, document, rooms)
WHERE post = 0 OR post <> n % 3;
-- 1,000 offers of jobs with one text and different titles.  Every fifth one is posted again, with a few words more.  Two
-- triggers mark them, by the fingerprint of the text and by that of title and text.
CREATE TABLE offers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document bigint, title text, body text,
  of_text bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED, by_text bigint,
  of_both bit(256) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body)) STORED, by_both bigint);
CREATE INDEX ON offers USING bitblock (of_text) WHERE by_text IS NULL;
CREATE INDEX ON offers USING bitblock (of_both) WHERE by_both IS NULL;
CREATE TRIGGER by_text BEFORE INSERT ON offers FOR EACH ROW
  EXECUTE FUNCTION simhash_record_original('of_text', 'by_text', 'id', 'title=title', 'confirm=body');
CREATE TRIGGER by_both BEFORE INSERT ON offers FOR EACH ROW
  EXECUTE FUNCTION simhash_record_original('of_both', 'by_both', 'id', 'title=title', 'confirm=body');
INSERT INTO offers (document, title, body)
SELECT n, words('job' || n / 25, 2) || ' in ' || words('town' || n % 25, 3), words('offer', 60) || CASE WHEN again THEN words('again', 3) ELSE '' END
FROM generate_series(1, 1000) n, (VALUES (false), (true)) v (again) WHERE n % 5 = 0 OR NOT again ORDER BY again, n;
ANALYZE;

-- How many pairs are reposts, and how many are other documents
CREATE FUNCTION score(docs regclass, pairs text, OUT reposts bigint, OUT others bigint) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT count(*) FILTER (WHERE a.document = b.document), count(*) FILTER (WHERE a.document <> b.document)
    FROM (%s) AS p (a, b) JOIN %s a ON a.id = p.a JOIN %2$s b ON b.id = p.b', pairs, docs) INTO reposts, others;
END $$;

SET client_min_messages = warning;
SELECT how, s.* FROM (VALUES
  (1, 'duplicates, with titles', $$SELECT id, original FROM simhash_duplicates('SELECT id, fp, title, body FROM articles')$$),
  (2, 'duplicates, with titles, within 100', $$SELECT id, original FROM simhash_duplicates('SELECT id, fp, title, body FROM articles', within => 100)$$),
  (3, 'duplicates, without titles', $$SELECT id, original FROM simhash_duplicates('SELECT id, fp, body FROM articles')$$),
  (4, 'duplicates, without titles, within 100', $$SELECT id, original FROM simhash_duplicates('SELECT id, fp, body FROM articles', within => 100)$$),
  (5, 'duplicates, without titles and leads', $$SELECT id, original FROM simhash_duplicates(
     'SELECT id, substr(body, strpos(body, E''\n\n'')) FROM articles')$$),
  (6, 'search within 48', $$SELECT a.id, b.id FROM articles a JOIN articles b ON a.fp <-> b.fp <= 48 AND a.id < b.id$$),
  (7, 'search within 80, containment 0.6', $$SELECT a.id, b.id FROM articles a JOIN articles b ON a.fp <-> b.fp <= 80 AND a.id < b.id
     WHERE simhash_containment(a.body, b.body) >= 0.6$$)) q (n, how, pairs), score('articles', pairs) s ORDER BY n;
--                   how                   | reposts | others
-- ----------------------------------------+---------+--------
--  duplicates, with titles                |       0 |      0
--  duplicates, with titles, within 100    |       0 |      0
--  duplicates, without titles             |     385 |      0
--  duplicates, without titles, within 100 |     449 |      2
--  duplicates, without titles and leads   |     600 |      0
--  search within 48                       |     553 |      0
--  search within 80, containment 0.6      |     600 |      0
-- (7 rows)

SELECT how, s.* FROM (VALUES
  (1, 'duplicates', $$SELECT id, original FROM simhash_duplicates('SELECT id, fp, title, body FROM adverts')$$),
  (2, 'numbers => false', $$SELECT id, original FROM simhash_duplicates('SELECT id, fp, title, body FROM adverts', numbers => false)$$),
  (3, 'without reference and date', $$SELECT id, original FROM simhash_duplicates($q$
     SELECT id, title, regexp_replace(body, 'Ref\. \S+|\d{4}-\d\d-\d\d', '', 'g') FROM adverts$q$)$$)) q (n, how, pairs),
  score('adverts', pairs) s ORDER BY n;
--             how             | reposts | others
-- ----------------------------+---------+--------
--  duplicates                 |       0 |      0
--  numbers => false           |     100 |    100
--  without reference and date |     200 |      0
-- (3 rows)

SELECT fingerprint, count(*) FILTER (WHERE original = document) AS reposts, count(*) FILTER (WHERE original <> document) AS others
FROM offers, LATERAL (VALUES ('text', by_text), ('title and text', by_both)) v (fingerprint, original) GROUP BY 1 ORDER BY 1;
--   fingerprint   | reposts | others
-- ----------------+---------+--------
--  text           |      20 |      3
--  title and text |     200 |      4
-- (2 rows)
