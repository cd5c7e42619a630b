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

-- Near pairs, and what each rule says of them
CREATE TABLE near_pairs AS
SELECT g.texts, a, b, x.document = y.document AS revision,
       simhash_resemblance(x.body, y.body) >= .9 AS resemblance, NOT EXISTS (SELECT FROM simhash_changes(x.body, y.body)) AS copy,
       simhash_first_change(x.body, y.body) AS change, simhash_same_document(x.body, y.body) AS same, simhash_same_document(x.body, y.body, false) AS edition
FROM (SELECT DISTINCT texts FROM drawn) g, simhash_pairs(format('SELECT id, fp FROM drawn WHERE texts = %L', g.texts), NULL::int, 20) p
  JOIN drawn x ON x.id = a JOIN drawn y ON y.id = b;

-- The star of the pairs that a rule confirms.  The keeper is the newest text.
CREATE TABLE rules (nr int, rule text, condition text);
INSERT INTO rules VALUES (1, 'near', 'true'), (2, 'resemblance .9', 'resemblance'), (3, 'first change at most 1', 'change <= 1'),
  (4, 'same document', 'same'), (5, 'same document, numbers => false', 'edition'), (6, 'no change', 'copy');
CREATE TABLE taken AS
SELECT nr, x.texts, s.id, keeper, x.document = y.document AS revision
FROM rules, simhash_stars(format('SELECT a, b FROM near_pairs WHERE %s', condition), NULL::int) s JOIN drawn x USING (id) JOIN drawn y ON y.id = keeper
WHERE s.id <> keeper;
CREATE TABLE missed AS
SELECT nr, texts, b AS id FROM rules, near_pairs WHERE revision EXCEPT SELECT nr, texts, id FROM taken;

\t on
SELECT E'\n## Revision or sibling\n\nTexts that the star of a rule takes / of another document, and share of the near revisions that stay\n';
SELECT format('| texts | near | revisions | %s |', string_agg(rule, ' | ' ORDER BY nr)) FROM rules;
SELECT '|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s %s | %s | %s | %s |', (SELECT count(*) FROM drawn d WHERE d.texts = g.texts), texts,
              (SELECT count(*) FROM near_pairs p WHERE p.texts = g.texts), revisions,
              (SELECT string_agg(format('%s / %s, %s', (SELECT count(*) FROM taken t WHERE (t.nr, t.texts) = (r.nr, g.texts)), (SELECT count(*) FROM taken t WHERE (t.nr, t.texts) = (r.nr, g.texts) AND NOT revision),
                                        to_char((SELECT count(*) FROM missed n WHERE (n.nr, n.texts) = (r.nr, g.texts))::float8 / greatest(revisions, 1), 'FM0.00')), ' | ' ORDER BY nr) FROM rules r))
FROM (SELECT texts, count(DISTINCT b) FILTER (WHERE revision) AS revisions FROM near_pairs GROUP BY texts) g WHERE revisions >= 20 ORDER BY texts;

SELECT E'\nPairs without a change, and of them other than in white space and case\n';
SELECT format('%s, %s', count(*), count(*) FILTER (WHERE letters_of(x.body) <> letters_of(y.body))) FROM near_pairs JOIN drawn x ON x.id = a JOIN drawn y ON y.id = b WHERE copy;

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
