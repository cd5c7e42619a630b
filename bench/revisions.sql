-- Which near documents of two releases a rule takes for one document, and what it takes wrongly and misses.  quality.sh
-- runs this script, after it has loaded the table documents (release, kind, lang, document, body, untitled)
-- and licence_rules (licence, body).
--
-- Two texts of one document are revisions.  A document is known by its path, and the document of a copyright file by
-- the name of the program, because its packages share the file.  At the end all manual pages are deduplicated.
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;

CREATE FUNCTION letters_of(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT lower(regexp_replace(body, '[\s\u00a0]+', '', 'g')) $$;

-- Each text once, from the newest release that has it: then the star keeps the newest.  All rules for a licence count as
-- one document.
CREATE TABLE drawn AS
SELECT row_number() OVER (ORDER BY release, md5(document), md5(body), texts)::int AS id, texts, release, document, body, minhash_bits(body) AS fp
FROM (SELECT DISTINCT ON (texts, md5(body)) *
      FROM (SELECT texts, release, coalesce(substring(body FROM '^Format:.{0,200}\sUpstream-Name: (\S+)'), document) AS document,
                   CASE texts WHEN 'copyright, en' THEN btrim(regexp_replace(body, '\s+', ' ', 'g')) ELSE body END AS body
            FROM (SELECT CASE WHEN document ~ '^/usr/share/man/man[23]' THEN 'API page' ELSE kind END || ', ' || lang AS texts, release, document, body FROM documents
                  UNION ALL
                  SELECT CASE WHEN document ~ '/man[23]' THEN 'API page' ELSE kind END || ' without title, en', release, document, untitled
                  FROM documents WHERE kind = 'manual page' AND lang = 'en'
                  UNION ALL
                  (SELECT 'licence rule, en', 0, licence, body FROM licence_rules
                   WHERE cardinality(regexp_split_to_array(body, '\s+')) >= 50 ORDER BY md5(body) LIMIT 6000)) t) t
      ORDER BY texts, md5(body), release, document) t;
DELETE FROM drawn WHERE fp IS NULL;
CREATE UNIQUE INDEX ON drawn (id);
CREATE INDEX ON drawn (texts);
ANALYZE drawn;

-- Near pairs, and what each condition says of them
CREATE TABLE near_pairs AS
SELECT g.texts, a, b, x.document = y.document AS revision, simhash_resemblance(x.body, y.body) >= .9 AS resemblance,
       simhash_first_change(x.body, y.body) AS change, NOT EXISTS (SELECT FROM simhash_changes(x.body, y.body)) AS copy
FROM (SELECT DISTINCT texts FROM drawn) g, simhash_pairs(format('SELECT id, fp FROM drawn WHERE texts = %L', g.texts), NULL::int, 20) p
  JOIN drawn x ON x.id = a JOIN drawn y ON y.id = b;

-- What each rule marks.  The first rules are stars of the near pairs that fulfil a condition, the others are those of
-- simhash_duplicates.  The newest text of a document is kept.
CREATE TABLE rules (nr int, rule text, condition text, numbers bool);
INSERT INTO rules (nr, rule, condition) VALUES (1, 'near', 'true'), (2, 'resemblance .9', 'resemblance'), (3, 'first change at most 1', 'change <= 1'), (6, 'no change', 'copy');
INSERT INTO rules (nr, rule, numbers) VALUES (4, 'same document', true), (5, 'same document, numbers => false', false);
CREATE TABLE marked AS
SELECT nr, x.texts, m.id, m.kind, x.document = y.document AS revision
FROM (SELECT nr, id, keeper AS original, NULL AS kind FROM rules, simhash_stars(format('SELECT a, b FROM near_pairs WHERE %s', condition), NULL::int)
      WHERE condition IS NOT NULL AND id <> keeper
      UNION ALL
      SELECT nr, id, original, kind FROM rules, (SELECT DISTINCT texts FROM drawn) g,
        simhash_duplicates(format('SELECT id, fp, body FROM drawn WHERE texts = %L', texts), NULL::int, numbers => numbers)
      WHERE condition IS NULL) m
  JOIN drawn x USING (id) JOIN drawn y ON y.id = original;
CREATE TABLE missed AS
SELECT nr, texts, b AS id FROM rules, near_pairs WHERE revision EXCEPT SELECT nr, texts, id FROM marked;
DELETE FROM marked WHERE kind = 'copy';

\t on
SELECT E'\n## Revision or sibling\n\nTexts that a rule marks / as versions of another document, and share of the near revisions that stay unmarked\n';
SELECT format('| texts | near | revisions | %s |', string_agg(rule, ' | ' ORDER BY nr)) FROM rules;
SELECT '|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s %s | %s | %s | %s |', (SELECT count(*) FROM drawn d WHERE d.texts = g.texts), texts, near, revisions, string_agg(cell, ' | ' ORDER BY nr))
FROM (SELECT texts, count(*) AS near, count(DISTINCT b) FILTER (WHERE revision) AS revisions FROM near_pairs GROUP BY texts) g,
  rules r, LATERAL (SELECT format('%s / %s, %s', count(*), count(*) FILTER (WHERE NOT revision),
                                  to_char((SELECT count(*) FROM missed n WHERE (n.nr, n.texts) = (r.nr, g.texts))::float8 / greatest(revisions, 1), 'FM0.00')) AS cell
                    FROM marked m WHERE (m.nr, m.texts) = (r.nr, g.texts)) c
WHERE revisions >= 20 GROUP BY texts, near, revisions ORDER BY texts;

SELECT E'\nPairs without a change, and of them other than in white space and case\n';
SELECT format('%s, %s', count(*), count(*) FILTER (WHERE letters_of(x.body) <> letters_of(y.body))) FROM near_pairs JOIN drawn x ON x.id = a JOIN drawn y ON y.id = b WHERE copy;

-- Edits of paragraphs and pages
SELECT E'\n## Edits\n\nShare of edits that are the same document: with numbers, numbers => false, by share of words changed\n';
SELECT '| edits | within | under 1% | 1-5% | 5-10% | 10-25% |' || E'\n|---|---|---|---|---|---|';
SELECT format('| %s %ss, %s | %s | %s |', sum(n), unit, corpus, bound, string_agg(cell, ' | ' ORDER BY class))
FROM (SELECT corpus, unit, bound, width_bucket(share, '{.01,.05,.1}'::float8[]) AS class, count(*) AS n,
             to_char(avg((same AND distance <= bound)::int), 'FM0.00') || ', ' || to_char(avg((edition AND distance <= bound)::int), 'FM0.00') AS cell
      FROM (SELECT corpus, unit, share, minhash_bits(text_a) <-> minhash_bits(text_b) AS distance,
                   simhash_same_document(text_a, text_b) AS same, simhash_same_document(text_a, text_b, false) AS edition
            FROM revisions WHERE share > 0) e, (VALUES (20), (40)) b (bound) GROUP BY 1, 2, 3, 4) s
GROUP BY corpus, unit, bound ORDER BY corpus, unit, bound;

-- The recipe of README
CREATE TABLE docs AS
SELECT row_number() OVER (ORDER BY md5(document || lang || release), md5(body))::int AS id, lang, document, body, minhash_bits(body) AS fp
FROM documents WHERE kind = 'manual page';
CREATE UNIQUE INDEX ON docs (id);
ANALYZE docs;
CREATE TABLE found AS SELECT * FROM simhash_duplicates('SELECT id, fp, body FROM docs', numbers => false);
SELECT E'\nManual pages of two releases\n';
SELECT format('%s pages; %s copies, of them %s that differ in other than white space and case; %s revisions, of them %s of another document', (SELECT count(*) FROM docs),
              count(*) FILTER (WHERE kind = 'copy'), count(*) FILTER (WHERE kind = 'copy' AND letters_of(d.body) <> letters_of(o.body)),
              count(*) FILTER (WHERE kind = 'revision'), count(*) FILTER (WHERE kind = 'revision' AND (o.lang, o.document) <> (d.lang, d.document)))
FROM found JOIN docs d USING (id) JOIN docs o ON o.id = original;
SELECT format('%s copies stay', count(*) - count(DISTINCT letters_of(body))) FROM docs WHERE id NOT IN (SELECT id FROM found WHERE kind = 'copy');
