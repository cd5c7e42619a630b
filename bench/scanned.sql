-- Which share of scanned texts with errors of letters is found, by the features.
-- quality.sh runs this script, after it has loaded the table files (kind, lang, document, body).
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;

-- A share of the characters is read wrongly: 7 of 10 as another character, mostly one of
-- a similar shape, and the others are left out, followed by a speck, or
-- join or divide words.
CREATE FUNCTION scanned(body text, rate float8, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(
    CASE WHEN chance(seed || n) >= rate THEN c
         WHEN k < .7 THEN CASE WHEN strpos('l1IoO0ecnurtfihbsS5B8gqvyamdwk.,', c) > 0
           THEN substr('1ll00Oceuntrtlbh55S8Bqgyvonbvh,.', strpos('l1IoO0ecnurtfihbsS5B8gqvyamdwk.,', c), 1)
           ELSE substr('eaotinshr', 1 + floor(chance(seed || '-' || n) * 9)::int, 1) END
         WHEN k < .8 THEN ''
         WHEN k < .9 THEN c || substr('''.,il ', 1 + floor(chance(seed || '-' || n) * 6)::int, 1)
         WHEN c = ' ' THEN ''
         ELSE c || ' ' END, '' ORDER BY n)
  FROM (SELECT c, n, chance(seed || '+' || n) AS k FROM regexp_split_to_table(body, '') WITH ORDINALITY r (c, n)) s
$$;
CREATE TABLE originals AS
SELECT id, words, array_to_string(w[first:first + words - 1], ' ') AS body
FROM (SELECT row_number() OVER ()::int AS id, regexp_split_to_array(btrim(body, E' \n\t'), '\s+') AS w
      FROM (SELECT body FROM files WHERE kind = 'manual page' AND lang = 'en' AND length(body) > 4500 ORDER BY md5(document) LIMIT 400) f) t,
     (VALUES (300, 101), (60, 120)) s (words, first)
WHERE cardinality(w) >= first + words;
CREATE TABLE scans AS
SELECT id, words, rate, scanned(body, rate::float8, concat_ws('/', id, words, rate)) AS body FROM originals, (VALUES (.005), (.01), (.02), (.05), (.1)) r (rate);
CREATE TABLE different AS
SELECT a.id AS a, b.id AS b, words FROM originals a JOIN originals b USING (words)
WHERE a.id < b.id AND simhash_resemblance(a.body, b.body) < .3;

CREATE TABLE scan_choices (nr int GENERATED ALWAYS AS IDENTITY, choice text, bits int, expression text);
INSERT INTO scan_choices (choice, bits, expression) VALUES
  ('default', 64, 'minhash_bits(body, 64)'),
  ('3 characters', 64, $$minhash_bits(body, 64, 'characters', n => 3)$$),
  ('default', 256, 'minhash_bits(body, 256)'),
  ('2 characters', 256, $$minhash_bits(body, 256, 'characters', n => 2)$$),
  ('3 characters', 256, $$minhash_bits(body, 256, 'characters', n => 3)$$),
  ('4 characters', 256, $$minhash_bits(body, 256, 'characters', n => 4)$$);
CREATE TABLE scan_results (nr int, words int, rate numeric, d int, pairs bigint);
DO $$
DECLARE c scan_choices;
BEGIN
  FOR c IN SELECT * FROM scan_choices ORDER BY nr LOOP
    CREATE TEMP TABLE f (id int, words int, rate numeric, fp bit varying);
    EXECUTE format('INSERT INTO f SELECT id, words, NULL, %1$s FROM originals UNION ALL SELECT id, words, rate, %1$s FROM scans',
                   c.expression);
    INSERT INTO scan_results SELECT c.nr, words, s.rate, ceil((o.fp <-> s.fp) * 64.0 / c.bits), count(*)
      FROM f o JOIN f s USING (id, words) WHERE o.rate IS NULL AND s.rate IS NOT NULL GROUP BY 1, 2, 3, 4;
    INSERT INTO scan_results SELECT c.nr, words, NULL::numeric, ceil((a.fp <-> b.fp) * 64.0 / c.bits), count(*)
      FROM different x JOIN f a USING (words) JOIN f b USING (words)
      WHERE a.id = x.a AND b.id = x.b AND a.rate IS NULL AND b.rate IS NULL GROUP BY 1, 2, 3, 4;
    DROP TABLE f;
  END LOOP;
END $$;
\t on
SELECT E'\n## Scanned texts\n';
SELECT '| words | features | fingerprint | 0.5% errors | 1% | 2% | 5% | 10% | other pairs | of |';
SELECT '|---|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s / %s | %s | %s | %s |', words, choice, bits, bound * bits / 64,
              (SELECT string_agg(to_char(found, 'FM0.00'), ' | ' ORDER BY rate)
               FROM (SELECT rate, coalesce(sum(pairs) FILTER (WHERE d <= bound), 0) / sum(pairs) AS found FROM scan_results s
                     WHERE s.nr = r.nr AND s.words = r.words AND rate IS NOT NULL GROUP BY rate) f),
              coalesce(sum(pairs) FILTER (WHERE rate IS NULL AND d <= bound), 0), sum(pairs) FILTER (WHERE rate IS NULL))
FROM scan_results r JOIN scan_choices USING (nr), (VALUES (5), (8), (12)) b (bound)
GROUP BY words, nr, choice, bits, bound ORDER BY words, nr, bound;
