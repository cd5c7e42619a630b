-- Copies and edited versions among the documents of a query
CREATE TABLE articles (id int PRIMARY KEY, title text, body text);
INSERT INTO articles VALUES
  (1, 'Storm closes the northern harbour', 'The northern harbour was closed on Tuesday after the storm had damaged two of its piers. Ships were sent to the southern terminal, and the harbour office said that repairs would take three weeks.'),
  (2, 'Storm closes the northern harbour', 'the northern harbour was CLOSED on Tuesday after the storm had damaged two of its piers.  Ships were sent to the southern terminal, and the harbour office said that repairs would take three weeks.'),
  (3, 'Update: storm closes the northern harbour', 'The northern harbour was closed on Tuesday after the storm had damaged two of its piers. Ships were sent to the southern terminal, and the harbour office said that repairs would take four weeks.'),
  (4, 'Storm closes the northern airport', 'The northern harbour was closed on Tuesday after the storm had damaged two of its piers. Ships were sent to the southern terminal, and the harbour office said that repairs would take three weeks and more.'),
  (5, 'Invoice 10', 'Dear customer, for the harbour tour of last week we charge 20 EUR. Please pay within two weeks to the account that you know. Thank you for your visit, we hope to see you again on board of our ships.'),
  (6, 'Invoice 11', 'Dear customer, for the harbour tour of last week we charge 20 EUR. Please pay within two weeks to the account that you know. Thank you for your visit, we hope to see you again on board of our ships.'),
  (7, 'Invoice 10', 'Dear customer, for the harbour tour of last week we charge 20 EUR. Please pay within two weeks to the account that you know. Thank you for your visits, we hope to see you again on board of our ships.'),
  (8, NULL, '...'), (9, 'Storm', NULL), (10, NULL, ''),
  (11, 'Storm closes the northern harbour', E'The northern harbour was closed on Tuesday after the storm had damaged two of its piers.\nShips were sent to the southern terminal, and the harbour office said that repairs would take three weeks.'),
  (12, 'Update: storm closes the northern harbour', 'The northern harbour was closed on Tuesday after the storm had damaged two of its piers. Ships were sent to the southern terminal, and the harbour office said that repairs would take four weeks. ');
SELECT * FROM simhash_duplicates('SELECT id, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, title, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, title, body FROM articles', 'SELECT id FROM articles ORDER BY id DESC');
SELECT * FROM simhash_duplicates('SELECT id, title || '' '' || body FROM articles', numbers => false);
SELECT * FROM simhash_duplicates('SELECT id, minhash(body), title, body FROM articles', within => 0);
SELECT * FROM simhash_duplicates('SELECT id, minhash_bits(body, 512), body FROM articles', 'SELECT 3::smallint UNION ALL SELECT NULL UNION ALL SELECT 99 UNION ALL SELECT 3', within => -1);
SELECT pg_typeof(id), original, kind FROM simhash_duplicates('SELECT ''id'' || id, body FROM articles WHERE id < 4', id_type => NULL::text COLLATE "C");
SELECT pg_typeof(id), original, kind FROM simhash_duplicates('SELECT id, body FROM articles WHERE id < 4', NULL::int, 'SELECT 2');
SELECT count(*) FROM simhash_duplicates(NULL);
SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM articles WHERE false');
SELECT count(*) FROM simhash_duplicates('SELECT id, ''-'' FROM articles');
SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM articles', NULL);
SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM articles', keep => NULL, numbers => NULL, within => NULL);
-- those of a batch alone, of known documents or earlier ones of the batch
SELECT * FROM simhash_duplicates('SELECT id, title, body FROM articles', new => 'SELECT id FROM articles WHERE id > 10');
SELECT * FROM simhash_duplicates('SELECT id, title, body FROM articles', new => 'SELECT id FROM articles WHERE id IN (1, 2, 7)');
SELECT * FROM simhash_duplicates('SELECT id, title, body FROM articles', 'SELECT id FROM articles ORDER BY id DESC', new => 'SELECT 11 UNION ALL SELECT NULL UNION ALL SELECT 11 UNION ALL SELECT 99 UNION ALL SELECT 1');
SELECT * FROM simhash_duplicates('SELECT id, title, body FROM articles LIMIT 99', NULL::int, new => 'SELECT 12');
SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM articles', new => 'SELECT 99');
SELECT id, original, kind FROM simhash_duplicates($$SELECT n, CASE WHEN n < 3 THEN format('For %s ', n + 1) ELSE '' END || body FROM articles, generate_series(1, 3) n WHERE id = 1$$, new => 'SELECT 3');
SELECT id, original, kind FROM simhash_duplicates($$SELECT n, CASE WHEN n < 3 THEN format('For %s ', n + 1) ELSE '' END || body FROM articles, generate_series(1, 3) n WHERE id = 1$$, new => 'VALUES (2), (3)');
SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM articles', new => 'SELECT 1 WHERE false');
SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM articles WHERE false', new => 'SELECT 1');
-- a copy may be deleted, always
BEGIN;
DELETE FROM articles USING simhash_duplicates('SELECT id, title, body FROM articles') d WHERE articles.id = d.id AND d.kind = 'copy';
SELECT array_agg(id ORDER BY id) FROM articles;
SELECT count(*) FROM simhash_duplicates('SELECT id, title, body FROM articles') WHERE kind = 'copy';
ROLLBACK;

-- what is wrong
SELECT * FROM simhash_duplicates('SELECT 1, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT NULL::int, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT body, id FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, title::bytea, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, 3, title, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, minhash(body), 3, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT minhash(body), id, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT id FROM articles');
SELECT * FROM simhash_duplicates('DELETE FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, body FROM articles', 'SELECT title FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, body FROM articles', new => 'SELECT title FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, body FROM articles', new => 'SELECT id, body FROM articles');
SELECT * FROM simhash_duplicates('SELECT id, body FROM articles', new => '17');
SELECT * FROM simhash_duplicates('SELECT id::text, body FROM articles', NULL::text);
SELECT * FROM simhash_duplicates('SELECT id, B''101'', body FROM articles');
-- what the query begins and ends with, and ids of a domain
SELECT * FROM simhash_duplicates(' ; /* a */ SELECT id, body FROM articles; -- b') ORDER BY id LIMIT 1;
CREATE TYPE size_of_text AS ENUM ('short', 'long');
CREATE DOMAIN named_size AS size_of_text;
CREATE TABLE of_sizes (id named_size, body text);
INSERT INTO of_sizes VALUES ('long', 'one text'), ('short', 'One text');
SELECT * FROM simhash_duplicates('SELECT id, body FROM of_sizes', id_type => NULL::named_size);
SELECT * FROM simhash_duplicates('SELECT id, body FROM of_sizes LIMIT 2', id_type => NULL::named_size);
DROP TABLE of_sizes;
DROP DOMAIN named_size;
DROP TYPE size_of_text;
-- without the right to name the function that computes fingerprints
CREATE ROLE regress_duplicates_reader;
GRANT SELECT ON articles TO regress_duplicates_reader;
REVOKE EXECUTE ON FUNCTION minhash_bits(text, integer, text, integer, boolean, boolean) FROM PUBLIC;
SET ROLE regress_duplicates_reader;
SELECT minhash_bits('one text');
SELECT * FROM simhash_duplicates('SELECT id, body FROM articles') ORDER BY id LIMIT 1;
-- with titles, in two passes and in one; then with that right, and with stored fingerprints
CREATE TEMP TABLE titled (id, title, body) AS VALUES (1, 'Ferries', 'The ferries to the islands leave from the south pier'), (2, 'FERRIES', 'the ferries to the islands leave from the south pier today'),
  (3, NULL, 'One text of the harbour'), (4, '', 'one text of the harbour!'), (5, 'Harbour', ''), (6, 'harbour', '...'), (7, 'Harbour', NULL);
PREPARE of_titled AS SELECT d.* FROM (VALUES ('TABLE titled'), ('TABLE titled LIMIT 9')) q (query), simhash_duplicates(query, NULL::int, within => 256) d;
EXECUTE of_titled;
RESET ROLE;
GRANT EXECUTE ON FUNCTION minhash_bits(text, integer, text, integer, boolean, boolean) TO PUBLIC;
EXECUTE of_titled;
SELECT * FROM simhash_duplicates('SELECT id, minhash_bits(coalesce(title, '''') || '' '' || body), title, body FROM titled', within => 256);
DEALLOCATE of_titled;
DROP TABLE titled;
REVOKE SELECT ON articles FROM regress_duplicates_reader;
DROP ROLE regress_duplicates_reader;
-- a document without a text connects others by its fingerprint, in two passes and in one
SELECT * FROM simhash_duplicates('SELECT id, fp::bit(64), body FROM (VALUES (1, 0, ''one text''), (2, 1, NULL), (3, 3, ''One text'')) d (id, fp, body)', within => 1);
SELECT * FROM simhash_duplicates('SELECT id, fp::bit(64), body FROM (VALUES (1, 0, ''one text''), (2, 1, NULL), (3, 3, ''One text'')) d (id, fp, body) LIMIT 3', within => 1);
-- fingerprints that are not those of the texts: equal texts are copies only if near fingerprints connect them
SELECT * FROM simhash_duplicates('SELECT id, repeat(fp, 64)::bit(64), body FROM (VALUES (1, ''0'', ''one text''), (2, ''1'', ''one text''), (3, ''0'', ''another''), (4, ''1'', ''a third''), (5, ''1'', ''ONE text'')) d (id, fp, body)');

-- The same by SQL, of random documents: prose with edits, forms, short texts, Chinese, copies of everything
SET client_min_messages = warning;
SELECT setseed(.54);
CREATE FUNCTION words(n int, vocabulary int) RETURNS text LANGUAGE sql VOLATILE AS
$$ SELECT string_agg((ARRAY['storm', 'harbour', 'the', 'of', 'ship', 'pier', 'week', 'and', 'north', 'south', 'office', 'repair'])[1 + (random() * 11)::int] || CASE WHEN random() < .7 THEN 'x' || (random() * vocabulary)::int ELSE '' END, ' ') FROM generate_series(1, n) $$;
CREATE TABLE bases AS SELECT b, (ARRAY['prose', 'form', 'short', 'chinese', 'names'])[1 + b % 5] AS form,
  CASE b % 5 WHEN 0 THEN words(60, 50) WHEN 1 THEN words(40, 9) WHEN 2 THEN words(8, 3) WHEN 3 THEN '北部港口因风暴损坏了两座码头于周二关闭船只被送往南部码头港务局表示修复需要三周' || b ELSE words(50, 9) END AS t
FROM generate_series(1, 25) b;
CREATE TABLE random_docs AS
SELECT n AS id, b, CASE WHEN random() < .2 THEN NULL WHEN random() < .7 THEN 'Report on ' || form || ' ' || b ELSE 'Other ' || words(3, 2) END AS title,
  CASE form WHEN 'form' THEN 'No. ' || (random() * 20)::int || ' ' || t || ' pay ' || (random() * 3)::int || ' EUR'
    WHEN 'names' THEN format('Weather of %1$s. %2$s Yours, %1$s', (ARRAY['Bonn', 'Rome', 'Oslo', 'Bern'])[1 + (random() * 3)::int], t) ELSE t END AS body
FROM generate_series(1, 700) n, LATERAL (SELECT * FROM bases WHERE b = 1 + (n * 7919) % 25) x;
UPDATE random_docs SET body = CASE (random() * 7)::int WHEN 0 THEN upper(body) WHEN 1 THEN body || ' and more' WHEN 2 THEN replace(body, 'storm', 'flood') WHEN 3 THEN replace(body, ' ', '  ')
  WHEN 4 THEN 'Draft: ' || body WHEN 5 THEN replace(body, '风暴', '洪水') ELSE body END;
CREATE FUNCTION words_of(t text) RETURNS text[] LANGUAGE sql AS
$$ SELECT COALESCE(array_agg(DISTINCT f), '{}') FROM simhash_features(t, 'words', n => 1) f $$;
-- titles: words may be added or left out, but none is replaced, except by a typo, which none of these is
CREATE FUNCTION same_title(a text, b text) RETURNS boolean LANGUAGE sql AS
$$ SELECT (shared = cardinality(x) OR shared = cardinality(y)) AND shared >= .6 * (cardinality(x) + cardinality(y) - shared)
   FROM words_of(a) x, words_of(b) y, LATERAL (SELECT count(*) AS shared FROM unnest(x) f WHERE f = ANY (y)) s $$;
-- the slots of the pairs in "evidence": places at which the texts of a group continue in three ways
CREATE FUNCTION find_slots() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS groups, slots;
  CREATE TEMP TABLE groups AS SELECT * FROM simhash_components('SELECT a, b FROM evidence', NULL::bigint) c (id, component);
  CREATE TEMP TABLE slots AS
  SELECT component, numbers, contexts[1] AS context FROM evidence e JOIN groups ON id = a JOIN partings p USING (a, b), unnest(follow) f GROUP BY 1, 2, 3 HAVING count(DISTINCT f) > 2;
END $$;
CREATE FUNCTION at_slot(one bigint, other bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (SELECT FROM partings p JOIN slots s ON s.numbers = p.numbers AND context = ANY (contexts) JOIN groups g USING (component) WHERE p.a = one AND p.b = other AND g.id IN (one, other));
END $$;
-- documents as they are compared, the first of each copy in the order of keeping, and stars of edges: first by the rule of two texts, then
-- with the slots of the pairs that the first stars have compared
CREATE FUNCTION duplicates_by_sql(titles boolean, numbers boolean, within int, backwards boolean)
RETURNS TABLE (id bigint, original bigint, kind text, distance int) LANGUAGE plpgsql AS $$
DECLARE
  text_id bigint;
  other bigint;
BEGIN
  DROP TABLE IF EXISTS whole, edges, keepers, partings, evidence, found;
  CREATE TEMP TABLE whole AS
  SELECT d.id::bigint, d.title, minhash_bits(t) AS fp, t, simhash_copy_key(t) AS key, row_number() OVER (ORDER BY CASE WHEN backwards THEN -d.id ELSE d.id END) AS rank
  FROM random_docs d, LATERAL (SELECT CASE WHEN titles THEN COALESCE(d.title, '') || ' ' || body ELSE body END) x (t);
  CREATE TEMP TABLE keepers AS SELECT DISTINCT ON (key) * FROM whole ORDER BY key, rank;
  CREATE TEMP TABLE edges AS SELECT a.id AS a, b.id AS b FROM keepers a JOIN keepers b ON a.rank < b.rank AND a.fp <-> b.fp <= within
  WHERE simhash_same_document(a.t, b.t, numbers) AND (NOT titles OR same_title(COALESCE(a.title, ''), COALESCE(b.title, '')));
  CREATE TEMP TABLE partings AS
  SELECT e.a, e.b, r.numbers, p.contexts, p.follow FROM edges e JOIN keepers x ON x.id = e.a JOIN keepers y ON y.id = e.b, (VALUES (true), (false)) r (numbers), parting(reading(x.t, r.numbers), reading(y.t, r.numbers)) p;
  CREATE INDEX ON partings (b, a);
  CREATE TEMP TABLE evidence AS SELECT s.keeper AS a, s.id AS b FROM simhash_stars('SELECT a, b FROM edges', 'SELECT id FROM keepers ORDER BY rank') s WHERE s.id <> s.keeper;
  PERFORM find_slots();
  CREATE TEMP TABLE found AS SELECT NULL::bigint AS a, groups.id AS b FROM groups;
  FOR text_id IN SELECT groups.id FROM groups JOIN keepers USING (id) ORDER BY rank LOOP
    FOR other IN SELECT e.a FROM edges e JOIN found f ON f.b = e.a JOIN keepers k ON k.id = e.a WHERE e.b = text_id AND f.a IS NULL ORDER BY k.rank LOOP
      INSERT INTO evidence VALUES (other, text_id);
      CONTINUE WHEN at_slot(other, text_id);
      UPDATE found SET a = other WHERE b = text_id;
      EXIT;
    END LOOP;
  END LOOP;
  PERFORM find_slots();
  RETURN QUERY
  WITH revisions AS MATERIALIZED (SELECT f.b AS revision, f.a AS its FROM found f WHERE NOT at_slot(f.a, f.b)),
  marks (marked, its, what) AS (SELECT w.id, coalesce(r.its, k.id), 'copy' FROM whole w JOIN keepers k USING (key) LEFT JOIN revisions r ON r.revision = k.id WHERE w.id <> k.id
    UNION ALL SELECT revision, its, 'revision' FROM revisions)
  SELECT m.marked, m.its, m.what, (x.fp <-> y.fp)::int FROM marks m JOIN whole x ON x.id = m.marked JOIN whole y ON y.id = m.its;
END $$;
SELECT titles, numbers, within, backwards, copies > 50 AS copies, revisions > 10 AS revisions, wrong
FROM (VALUES (false, true, 20, false), (false, false, 20, false), (true, true, 20, false), (true, false, 20, true), (true, true, 60, true), (false, false, 60, true)) p (titles, numbers, within, backwards),
  LATERAL (SELECT count(*) FILTER (WHERE kind = 'copy') AS copies, count(*) FILTER (WHERE kind = 'revision') AS revisions, count(*) FILTER (WHERE n <> 2) AS wrong
    FROM (SELECT id, original, kind, distance, count(*) AS n FROM (
      SELECT * FROM duplicates_by_sql(titles, numbers, within, backwards)
      UNION ALL SELECT * FROM simhash_duplicates('SELECT id, ' || CASE WHEN titles THEN 'title, ' ELSE '' END || 'body FROM random_docs', CASE WHEN backwards THEN 'SELECT id FROM random_docs ORDER BY id DESC' END, numbers, within)) u GROUP BY 1, 2, 3, 4) g) r;
-- any order, any number of workers, and little memory
SET max_parallel_maintenance_workers = 2;
SET maintenance_work_mem = '1MB';
SELECT count(*) AS rows, count(*) FILTER (WHERE n <> 2) AS wrong
FROM (SELECT id, original, kind, distance, count(*) AS n FROM (SELECT * FROM simhash_duplicates('SELECT id, body FROM random_docs ORDER BY md5(id::text)')
      UNION ALL SELECT * FROM duplicates_by_sql(false, true, 40, false)) u GROUP BY 1, 2, 3, 4) g;
-- new documents against known ones: as if the known ones were kept first, which are no duplicates of each other
CREATE FUNCTION wrong_for_new(columns text, within int, share int) RETURNS TABLE (copies boolean, revisions boolean, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT id, %s FROM random_docs JOIN chosen USING (id)', columns);
BEGIN
  DROP TABLE IF EXISTS chosen;
  CREATE TEMP TABLE chosen AS SELECT id, id % share = 1 AS is_new FROM random_docs;
  DELETE FROM chosen USING simhash_duplicates(query || ' WHERE NOT is_new', within => within) d WHERE chosen.id = d.id;
  RETURN QUERY SELECT count(*) FILTER (WHERE g.kind = 'copy') > 10, count(*) FILTER (WHERE g.kind = 'revision') > 5, count(*) FILTER (WHERE n <> 2)
  FROM (SELECT u.*, count(*) AS n FROM (SELECT d.* FROM simhash_duplicates(query, keep => 'SELECT id FROM chosen WHERE NOT is_new ORDER BY id', within => within) d JOIN chosen USING (id) WHERE is_new
    UNION ALL SELECT * FROM simhash_duplicates(query || CASE WHEN share < 5 THEN ' LIMIT 1000' ELSE '' END, new => 'SELECT id FROM chosen WHERE is_new', within => within)) u GROUP BY id, original, kind, distance) g;
END $$;
SELECT columns, within, share, w.* FROM (VALUES ('body'), ('title, body'), ('minhash_bits(body), body')) c (columns), (VALUES (20), (60)) d (within), (VALUES (2), (3), (7)) s (share), wrong_for_new(columns, within, share) w;
-- char(n) is a text, and NULL is an empty title
SELECT * FROM simhash_duplicates($$VALUES (1, NULL, 'The ferry leaves from the south pier.'::char(60)), (2, '', 'THE FERRY LEAVES FROM THE SOUTH PIER.'),
  (3, 'Ferries'::char(20), 'The ferry leaves from the south pier.'), (4, 'Ferries', 'The ferry leaves from the south pier.')$$, NULL::int);
-- texts without visible characters are ignored, and have no key
SELECT count(*) FROM simhash_duplicates($$VALUES (1, ''), (2, E' \n '), (3, E'\u00AD\u3000')$$);
SELECT count(simhash_copy_key(t)) AS keys, count(*) FROM (VALUES (''), (E' \n '), (E'\u00AD\u3000'), ('.'), (E'\u00AD.')) v (t);
-- many texts that differ in white space in their numbers alone, half of them copies, in linear time; and many siblings
SET statement_timeout = '20min';
SELECT kind, count(*) FROM simhash_duplicates($$SELECT s, string_agg(substr('31415926535897932384626', i, 1) || CASE WHEN seed >> i - 1 & 1 = 1 THEN ' ' ELSE '' END, '' ORDER BY i)
  FROM generate_series(1, 40000) s, LATERAL (SELECT s % 20000) m (seed), generate_series(1, 23) i GROUP BY s, seed$$) GROUP BY 1;
SELECT count(*) FROM simhash_duplicates($$SELECT i, format('Dear customer, your parcel %s has left our store and will arrive within two working days. You can follow it on our page with the number above. If nobody is at home, the driver leaves a card. We thank you for your order.', i)
  FROM generate_series(1, 20000) i$$, numbers => false);
RESET statement_timeout;
-- a keep query whose ids do not fit, also of a type whose comparisons read a catalog
CREATE TYPE keep_color AS ENUM ('red', 'green');
ALTER TYPE keep_color ADD VALUE 'blue' BEFORE 'red';
SELECT * FROM simhash_duplicates('SELECT i, ''Low tide at '' || i % 2 FROM generate_series(1, 3) i', 'SELECT i FROM generate_series(50000, 1, -1) i');
SELECT * FROM simhash_duplicates('SELECT c, ''Low tide at noon'' FROM unnest(enum_range(NULL::keep_color)) c', NULL::keep_color,
  'SELECT (enum_range(NULL::keep_color))[3 - i % 3] FROM generate_series(1, 50000) i');
DROP TYPE keep_color;
RESET ALL;

-- One rule: a copy in the place of a text changes no answer, of pairs, of all documents and of the trigger
SET client_min_messages = warning;
SELECT setseed(.64);
CREATE FUNCTION other_copy(t text) RETURNS text LANGUAGE sql VOLATILE AS
$$ SELECT CASE (random() * 6)::int WHEN 0 THEN upper(t) WHEN 1 THEN replace(t, '- ', '-') WHEN 2 THEN replace(t, '-', ' - ') WHEN 3 THEN replace(t, '$', '$ ') WHEN 4 THEN replace(t, ' (', '(')
  WHEN 5 THEN replace(t, '=', E' =\n') ELSE replace(t, ' ', '  ') END $$;
CREATE TABLE drawn AS
SELECT n AS id, family, CASE WHEN n % 9 > 0 THEN 'Tides of pier ' || family END AS title,
  format('%s %s (at x=%s) costs %s$%s or %s %% of %s, weather permitting%s', (ARRAY['Ferries leave', 'The ferry leaves'])[1 + (random() * 1.2)::int], t, (random() * .6)::int,
    (ARRAY['', '-', '- '])[1 + (random() * 1.7)::int], 40, 5, (ARRAY['5', '.5', '1.5'])[1 + (random() * 1.6)::int],
    (ARRAY['', ' tonight', ' - 3', ' -3', ' 3'])[1 + (random() * 4)::int]) AS body
-- 30 families of many documents, and others of two, among which there are no slots
FROM generate_series(1, 1800) n, LATERAL (SELECT CASE WHEN n <= 600 THEN n % 30 ELSE 30 + n % 600 END) f (family), LATERAL (SELECT string_agg(md5(family || ' ' || i), ' ') FROM generate_series(1, 30) i) w (hashes),
  LATERAL (SELECT translate(hashes, '0123456789', 'ghijklmnop')) x (t);
CREATE TABLE copied AS SELECT a.*, other_copy(body) AS copy FROM drawn a;
SELECT count(*) > 2000 AS copies, count(*) FILTER (WHERE same) > 500 AS same, count(*) FILTER (WHERE NOT same) > 500 AS different, count(*) FILTER (WHERE same <> of_copies OR same <> exchanged) AS wrong
FROM (SELECT simhash_same_document(a.body, b.body) AS same, simhash_same_document(a.copy, b.copy) AS of_copies, simhash_same_document(b.body, a.copy) AS exchanged
  FROM copied a JOIN copied b ON a.family = b.family AND a.id < b.id
  WHERE simhash_copy_key(a.body) = simhash_copy_key(a.copy) AND simhash_copy_key(b.body) = simhash_copy_key(b.copy)) s;
-- a mark that white space separates from a number does not hide the unit
SELECT simhash_same_document(a, b) AS same, simhash_copy_key(a) = simhash_copy_key(c) AS copies, simhash_same_document(c, b) AS of_copy
FROM (VALUES (E'pay 5\u064e %', E'pay 5\u064e', E'pay 5 \u064e %'), (E'pay 5\u064e %', E'pay 5\u064e $', E'pay 5 \u064e %'), (E'pay $\u064e 5', E'pay 5', E'pay $ \u064e5')) v (a, b, c);
CREATE TABLE posted (id int PRIMARY KEY, title text, body text, duplicate_of int,
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body)) STORED);
CREATE INDEX ON posted USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON posted FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'title=title', 'confirm=body');
INSERT INTO posted (id, title, body) SELECT * FROM (SELECT 2 * id, title, copy FROM copied WHERE id > 600 UNION ALL SELECT 2 * id - 1, title, body FROM copied WHERE id > 600
  -- the same text, but the title is longer
  UNION ALL SELECT 4000 + id, title || ' ' || substr(body, 1, 112), substr(body, 114) FROM copied WHERE id > 600 AND body LIKE 'Ferries leave %' AND title IS NOT NULL) p (id, title, body) ORDER BY id;
SELECT count(*) > 1200 AS documents, count(d.id) FILTER (WHERE d.kind = 'copy') > 500 AS copies, count(d.id) FILTER (WHERE d.kind = 'revision') > 50 AS revisions,
  count(*) FILTER (WHERE p.duplicate_of IS DISTINCT FROM d.original) AS wrong
FROM posted p LEFT JOIN simhash_duplicates('SELECT id, fp, title, body FROM posted') d USING (id);
DROP TABLE drawn, copied, posted;
DROP FUNCTION other_copy;
RESET client_min_messages;

-- A template that only the rule tells apart: each original is found, whatever the order
CREATE TEMP TABLE adverts AS
SELECT i AS id, (SELECT t FROM bases WHERE b = 5) || format(' Apply to %1$s today. %1$s is a fair employer, %1$s pays well, and %1$s needs you.', translate(i::text, '0123456789', 'abcdefghij')) AS body FROM generate_series(1, 300) i;
INSERT INTO adverts SELECT 300 + id, body || ' Please send us no photographs.' FROM adverts;
SELECT kind, count(*), count(*) FILTER (WHERE id = original + 300) AS own FROM simhash_duplicates('SELECT id, body FROM adverts', NULL::int) GROUP BY kind;
SELECT kind, count(*), count(*) FILTER (WHERE id = original + 300) AS own FROM simhash_duplicates('SELECT 1000 - id, body FROM adverts', NULL::int) GROUP BY kind;
-- In a large component texts are compared that share a rare word.  Steps of one bit connect 10,000 words with the adverts.
CREATE TEMP TABLE steps AS
SELECT 1000 + (row_number() OVER ())::int AS id, (rpad(repeat('1', x), 80, '0') || rpad(repeat('1', y), 80, '0') || rpad(repeat('1', z), 96, '0'))::bit(256) AS fp, 'word' || x || 'y' || y || 'z' || z AS body
FROM generate_series(1, 25) x, generate_series(1, 20) y, generate_series(1, 20) z;
INSERT INTO steps SELECT id, (SELECT fp FROM steps ORDER BY id LIMIT 1), body FROM adverts;
SELECT kind, count(*), count(*) FILTER (WHERE id = original + 300) AS own FROM simhash_duplicates('SELECT id, fp, body FROM steps WHERE id < 1000', NULL::int, within => 1) GROUP BY kind;
SELECT kind, count(*), count(*) FILTER (WHERE id = original + 300) AS own FROM simhash_duplicates('SELECT id, fp, body FROM steps', NULL::int, within => 1) GROUP BY kind;
SET maintenance_work_mem = '1MB';
SELECT kind, count(*), count(*) FILTER (WHERE id = original + 300) AS own FROM simhash_duplicates('SELECT id, fp, body FROM steps', NULL::int, within => 1) GROUP BY kind;
RESET maintenance_work_mem;
-- A template
SELECT count(*) FROM simhash_duplicates($$SELECT i, format('Weather of %1$s. %2$s Yours, %1$s', translate(i::text, '0123456789', 'abcdefghij'), (SELECT t FROM bases WHERE b = 5)) FROM generate_series(1, 1200) i$$);
-- forms that are filled in with common words: every word and pair of words is in hundreds of them
SELECT kind, count(*) FROM simhash_duplicates($$SELECT i, (SELECT string_agg(repeat(chr(97 + p), 3) || CASE WHEN i >> p & 1 = 1 THEN ' yes' ELSE ' no' END, ' ' ORDER BY p) FROM generate_series(0, 25) p) FROM generate_series(1, 1000) i$$) GROUP BY kind;
-- many versions: each has another word twice
SELECT count(*), count(DISTINCT original) FROM simhash_duplicates($$SELECT i, (SELECT string_agg('w' || n || CASE WHEN n = i THEN ' w' || n ELSE '' END, ' ' ORDER BY n) FROM generate_series(1, 1200) n) FROM generate_series(0, 1200) i$$);
-- numbers alone
SELECT * FROM simhash_duplicates($$VALUES (1, 'The ferry to the islands leaves from pier 3 today, because the storm has closed the north piers.'), (2, 'The ferry to the islands leaves from pier 4 today, because the storm has closed the north piers.')$$);
SELECT * FROM simhash_duplicates($$VALUES (1, 'The ferry to the islands leaves from pier 3 today, because the storm has closed the north piers.'), (2, 'The ferry to the islands leaves from pier 4 today, because the storm has closed the north piers.')$$, numbers => false);
SELECT * FROM simhash_duplicates($$SELECT i, format('The ferry to the islands leaves from pier %s today, because the storm has closed the north piers.', i) FROM generate_series(1, 3) i$$);
SELECT * FROM simhash_duplicates($$SELECT i, format('The ferry to the islands leaves from pier %s today, because the storm has closed the north piers.', i) FROM generate_series(1, 3) i$$, numbers => false);
-- a place that three documents of a group fill in
SELECT * FROM simhash_duplicates($$SELECT i, format('We thank you for your visit of the harbour and hope that you enjoyed the tour of the %s on board of our ships. Please come again soon, and tell your friends of the tours that we offer all year, in any weather and at any tide. With kind regards, the crew of the ferry.', (ARRAY['lighthouse', 'islands', 'old town'])[i]) FROM generate_series(1, 2) i$$);
SELECT * FROM simhash_duplicates($$SELECT i, format('We thank you for your visit of the harbour and hope that you enjoyed the tour of the %s on board of our ships. Please come again soon, and tell your friends of the tours that we offer all year, in any weather and at any tide. With kind regards, the crew of the ferry.', (ARRAY['lighthouse', 'islands', 'old town'])[i]) FROM generate_series(1, 3) i$$);
-- names of several words, of which two documents share the first ones
SELECT id, original, kind FROM simhash_duplicates($$SELECT i, format('On Sunday the sailing school ended its summer course on the lake with a race around both islands, in a light wind and under a clear sky. The school confirms that %s has sailed the small boat alone, knows the lights and the rules, and may rent any boat of our harbour. We wish you calm water and a good wind, and hope to see you again next summer.',
  (ARRAY['Ada Moen', 'Bo Dahl', 'Cleo Vik', 'Ada Strand', 'Bo Maria Lie', 'Bo Maria Foss', 'Ada Moen'])[i]) || CASE WHEN i = 7 THEN ' Bring your own life jacket.' ELSE '' END FROM generate_series(1, 7) i$$);
-- a footer of long texts has no slots, but their beginning has
SELECT id, original, kind FROM simhash_duplicates($$SELECT i, (SELECT string_agg('w' || md5(n::text), ' ' ORDER BY n) FROM generate_series(1, 250) n) || ' printed for pier ' || (ARRAY['north', 'south', 'west'])[i] FROM generate_series(1, 3) i$$);
SELECT id, original, kind FROM simhash_duplicates($$SELECT i, 'printed for the pier called ' || (ARRAY['north', 'south', 'west'])[i] || (SELECT string_agg(' w' || md5(n::text), '' ORDER BY n) FROM generate_series(1, 300) n) FROM generate_series(1, 3) i$$);
SELECT id, original, kind FROM simhash_duplicates($$SELECT i, (SELECT string_agg('w' || md5(n::text), ' ' ORDER BY n) FROM generate_series(1, 190) n) || ' printed for pier ' || (ARRAY['north', 'south', 'west'])[i] FROM generate_series(1, 3) i$$);
DROP TABLE articles, bases, random_docs;
DROP FUNCTION words, words_of, same_title, find_slots, at_slot, duplicates_by_sql;

-- Texts are read of near documents only, unless the query may return other rows when it is run again
SET client_min_messages = warning;
CREATE TABLE letters (id int PRIMARY KEY, uuid uuid, name varchar(20), title text, body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
INSERT INTO letters SELECT n, md5(n::text)::uuid, 'letter ' || n, nullif(CASE n % 3 WHEN 0 THEN 'Tides' WHEN 1 THEN 'TIDES' ELSE '' END, ''), CASE WHEN n % 40 = 39 THEN NULL WHEN n % 10 < 8 THEN b ELSE (SELECT body FROM (SELECT n / 10 * 10 + (n % 7)) o (i), LATERAL (SELECT string_agg(md5(i || ' ' || k), ' ') AS body FROM generate_series(1, 40) k) x) || CASE WHEN n % 20 < 10 THEN ' and more' ELSE '' END END
FROM generate_series(1, 1000) n, LATERAL (SELECT string_agg(md5(n || ' ' || k), ' ') AS b FROM generate_series(1, 40) k) x;
CREATE FUNCTION reads(read text) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM set_config('simhash_test.reads', (current_setting('simhash_test.reads')::int + 1)::text, false); RETURN read; END $$;
CREATE FUNCTION read_twice(query text, keep text DEFAULT NULL) RETURNS TABLE (duplicates bigint, texts text, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
  n_read text;
BEGIN
  PERFORM set_config('simhash_test.reads', '0', false);
  CREATE TEMP TABLE once AS SELECT * FROM simhash_duplicates(query, keep);
  n_read := current_setting('simhash_test.reads');
  RETURN QUERY SELECT count(*) FILTER (WHERE n = 2), n_read, count(*) FILTER (WHERE n <> 2)
  FROM (SELECT id, original, kind, distance, count(*) AS n FROM (SELECT * FROM once UNION ALL SELECT * FROM simhash_duplicates(query || E'\nLIMIT 1000000', keep)) u GROUP BY 1, 2, 3, 4) g;
  DROP TABLE once;
END $$;
SELECT * FROM read_twice('SELECT id, fp, reads(body) FROM letters');
SELECT * FROM read_twice('SELECT id, fp, title, reads(body) FROM letters WHERE id > 100', 'SELECT id FROM letters ORDER BY id DESC');
SELECT * FROM read_twice('SELECT id, reads(body) FROM letters');
SELECT * FROM read_twice('WITH l AS (SELECT * FROM letters) SELECT 2 * a.id, a.fp, a.title, reads(b.body) FROM l a JOIN letters b USING (id) -- both');
SELECT * FROM read_twice('(SELECT id, fp, reads(body) FROM letters WHERE id <= 500 UNION ALL SELECT id, fp, body FROM letters WHERE id > 500)');
SELECT query, duplicates, current_setting('simhash_test.reads')::int - before AS texts
FROM (SELECT query, current_setting('simhash_test.reads')::int AS before, (SELECT count(*) FROM simhash_duplicates(query)) AS duplicates FROM unnest(ARRAY['SELECT id, fp, reads(body) FROM letters;', 'SELECT id, fp, reads(body) FROM letters TABLESAMPLE system (100)',
  'SELECT row_number() OVER (), fp, reads(body) FROM letters', 'SELECT DISTINCT ON (id) id, fp, reads(body) FROM letters', 'SELECT id, fp, reads(body) FROM letters WHERE random() < 2', 'SELECT * FROM (SELECT id, fp, reads(body) FROM letters OFFSET 0) x',
  'SELECT min(id), fp, reads(body) FROM letters GROUP BY fp, body', 'SELECT id, fp, reads(body) FROM letters JOIN ROWS FROM (now()) t ON true']) query OFFSET 0) q;
SELECT count(*), min(id::text), max(original::text) FROM simhash_duplicates('SELECT uuid, fp, body FROM letters', id_type => NULL::uuid);
SELECT count(*), min(id), max(original) FROM simhash_duplicates('SELECT name, fp, body FROM letters', id_type => NULL::text COLLATE "C");
SELECT count(*), min(id), max(original) FROM simhash_duplicates('SELECT ARRAY[id, 1], fp, body FROM letters', id_type => NULL::int[]);
-- types with a length, domains over them and over arrays, types that the caller may not name, and partitions
CREATE DOMAIN padded AS char(20);
CREATE DOMAIN several AS int[];
SELECT count(*), min(id), max(original) FROM simhash_duplicates('SELECT name::char(20), fp, body FROM letters', id_type => NULL::bpchar);
SELECT count(*), min(id), max(original) FROM simhash_duplicates('SELECT name::padded, fp, body FROM letters', id_type => NULL::padded);
SELECT count(*), min(id), max(original) FROM simhash_duplicates('SELECT ARRAY[id, 1]::several, fp, body FROM letters', id_type => NULL::several);
CREATE SCHEMA hidden;
CREATE TYPE hidden.color AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN bright AS hidden.color;
CREATE TABLE colored AS SELECT id, 'The same words stand here in all rows.' AS body FROM unnest(enum_range(NULL::hidden.color)) id;
CREATE ROLE regress_simhash_reader;
GRANT SELECT ON colored TO regress_simhash_reader;
SET ROLE regress_simhash_reader;
SELECT * FROM simhash_duplicates('SELECT id, body FROM colored', id_type => (SELECT id FROM colored LIMIT 1));
SELECT * FROM simhash_duplicates('SELECT id::bright, body FROM colored', id_type => NULL::bright);
RESET ROLE;
DROP TABLE colored;
DROP ROLE regress_simhash_reader;
DROP SCHEMA hidden CASCADE;
DROP DOMAIN padded, several;
CREATE TABLE parts (id int, fp bit(256), body text) PARTITION BY HASH (id);
SELECT format('CREATE TABLE part%s PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER %1$s)', i) FROM generate_series(0, 2) i \gexec
INSERT INTO parts SELECT id, fp, body FROM letters;
SELECT * FROM read_twice('SELECT id, fp, reads(body) FROM parts');
TRUNCATE parts;
INSERT INTO parts SELECT i, minhash_bits(body), body FROM generate_series(1, 12000) i, LATERAL (SELECT string_agg(md5((i / 2 * 10 + k)::text), ' ') AS body FROM generate_series(1, 5) k) b;
SELECT * FROM read_twice('SELECT id, fp, body FROM parts');
DROP TABLE parts;
SET maintenance_work_mem = '1MB';
SELECT count(*), left(min(id), 12), left(max(original), 12) FROM simhash_duplicates('SELECT repeat(name, 200), fp, body FROM letters', id_type => NULL::text COLLATE "C");
RESET maintenance_work_mem;
DROP TABLE letters;
DROP FUNCTION reads, read_twice;
RESET client_min_messages;
-- random tokens are numbers, also in slots
SELECT * FROM simhash_duplicates($$SELECT g, 'Lower your monthly payments today. Our lenders compete for your loan, whatever your history is, and you decide in peace. Fill in the short form and an adviser calls you on the same day, free of charge and without any duty. '
  || (ARRAY['7099ocYT9-261UccU3485', '4139vOLW7-758DoDY1425', '6080sUpj3-178CSgu9149'])[g] FROM generate_series(1, 3) g$$, NULL::int, numbers => false);
