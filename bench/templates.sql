-- What a DELETE of near-duplicates takes among texts of one template, and how like these texts
-- are to the ones that stay.  quality.sh runs this script, after it has loaded the table files
-- (kind, lang, document, body).
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;

CREATE TABLE pages AS
SELECT row_number() OVER (ORDER BY kind, lang, md5(document))::int AS id, kind, lang,
       (SELECT count(*) FROM regexp_matches(body, '\w+', 'g')) AS words, body,
       minhash_bits(body, 64) AS f64, minhash_bits(body, 128) AS f128, minhash_bits(body, 256) AS f256, minhash_bits(body, 512) AS f512
FROM (SELECT *, row_number() OVER (PARTITION BY kind, lang ORDER BY md5(document)) AS nr FROM files) f
WHERE kind = 'manual page' OR (lang = 'en' AND nr <= 4000);
DELETE FROM pages WHERE f64 IS NULL;
CREATE UNIQUE INDEX ON pages (id);
CREATE INDEX ON pages (kind, lang);
ANALYZE pages;

-- Every document that goes, and the document that stays in its place
CREATE TABLE taken (kind text, lang text, bits int, bound int, id int, stays int, r float8);
CREATE TABLE alike AS SELECT id AS a, id AS b, 0::float8 AS r FROM pages LIMIT 0;
CREATE TABLE bounds (bits int, bound int);
INSERT INTO bounds VALUES (64, 3), (64, 5), (64, 8), (128, 10), (256, 20), (256, 28), (256, 48), (512, 40);
DO $$
DECLARE g record; b bounds;
BEGIN
  FOR g IN SELECT DISTINCT kind, lang FROM pages LOOP
    FOR b IN SELECT * FROM bounds LOOP
      INSERT INTO taken
        SELECT g.kind, g.lang, b.bits, b.bound, id, cluster
        FROM simhash_clusters(format('SELECT id, f%s FROM pages WHERE kind = %L AND lang = %L', b.bits, g.kind, g.lang), NULL::int, b.bound, 'star')
        WHERE id <> cluster;
    END LOOP;
  END LOOP;
END $$;
INSERT INTO alike SELECT t.id, stays, simhash_resemblance(a.body, b.body)
FROM (SELECT DISTINCT id, stays FROM taken) t JOIN pages a ON a.id = t.id JOIN pages b ON b.id = stays;
ANALYZE alike;
UPDATE taken SET r = alike.r FROM alike WHERE a = taken.id AND b = stays;

\t on
SELECT E'\n## Texts of one template\n\nDocuments that a DELETE takes, by how like they are to the one that stays\n';
SELECT '| texts | fingerprint | taken | resemblance < .7 | < .5 | lowest |';
SELECT '|---|---|---|---|---|---|';
SELECT format('| %s | %s / %s | %s | %s | %s | %s |',
              format('%s %s, %s', (SELECT count(*) FROM pages p WHERE p.kind = t.kind AND p.lang = t.lang), kind, lang), bits, bound, count(*),
              count(*) FILTER (WHERE r < .7), count(*) FILTER (WHERE r < .5), to_char(min(r), 'FM0.00'))
FROM taken t GROUP BY kind, lang, bits, bound ORDER BY kind <> 'manual page', kind, lang <> 'en', lang, bits, bound;
SELECT E'\nThe same of all other kinds together\n';
SELECT format('| %s files | %s / %s | %s | %s | %s | %s |', (SELECT count(*) FROM pages WHERE kind <> 'manual page'), bits, bound, count(*),
              count(*) FILTER (WHERE r < .7), count(*) FILTER (WHERE r < .5), to_char(min(r), 'FM0.00'))
FROM taken t WHERE kind <> 'manual page' GROUP BY bits, bound ORDER BY bits, bound;
SELECT E'\nEnglish manual pages by words of the page: taken, and of them resemblance < .7\n';
SELECT '| fingerprint | under 100 | 100-500 | 500-2,000 | longer |';
SELECT '|---|---|---|---|---|';
SELECT format('| %s / %s | %s |', bits, bound, string_agg(n || ', ' || unlike, ' | ' ORDER BY class))
FROM (SELECT bits, bound, width_bucket(words, '{100,500,2000}'::bigint[]) AS class, count(*) AS n, count(*) FILTER (WHERE r < .7) AS unlike
      FROM taken JOIN pages p USING (id) WHERE taken.kind = 'manual page' AND taken.lang = 'en' GROUP BY 1, 2, 3) s
GROUP BY bits, bound ORDER BY bits, bound;

-- Pairs of English manual pages of each tenth of resemblance: which fingerprints find them?
CREATE TABLE near AS
SELECT a, b FROM simhash_pairs($$SELECT id, f512 FROM pages WHERE kind = 'manual page' AND lang = 'en'$$, NULL::int, 145);
CREATE TABLE sampled AS
SELECT a, b, simhash_resemblance(x.body, y.body) AS r, x.f64 <-> y.f64 AS d64, x.f128 <-> y.f128 AS d128, x.f256 <-> y.f256 AS d256, x.f512 <-> y.f512 AS d512
FROM (SELECT a, b, row_number() OVER (PARTITION BY (p.f512 <-> q.f512) / 26 ORDER BY hashint8(a::bigint << 32 | b)) AS nr
      FROM near JOIN pages p ON p.id = a JOIN pages q ON q.id = b) n
  JOIN pages x ON x.id = a JOIN pages y ON y.id = b
WHERE nr <= 8000;
SELECT E'\nShare of pairs of English manual pages that is found, by resemblance (rounded)\n';
SELECT '| resemblance | pairs | 64 / 3 | 64 / 5 | 64 / 8 | 128 / 10 | 256 / 20 | 256 / 28 | 256 / 48 | 512 / 40 |';
SELECT '|---|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |', round(r::numeric, 1), count(*),
              to_char(avg((d64 <= 3)::int), 'FM0.000'), to_char(avg((d64 <= 5)::int), 'FM0.000'), to_char(avg((d64 <= 8)::int), 'FM0.000'),
              to_char(avg((d128 <= 10)::int), 'FM0.000'), to_char(avg((d256 <= 20)::int), 'FM0.000'), to_char(avg((d256 <= 28)::int), 'FM0.000'),
              to_char(avg((d256 <= 48)::int), 'FM0.000'), to_char(avg((d512 <= 40)::int), 'FM0.000'))
FROM sampled WHERE r >= .45 GROUP BY round(r::numeric, 1) ORDER BY 1;
DROP TABLE near;
