-- Measure which share of edited texts fingerprints find, and which share of pairs of other texts.
-- quality.sh runs this script, after it has loaded the tables revisions (corpus, lang, unit, share, words, document,
-- text_a, text_b) and files (kind, lang, document, body).
--
-- A part of n bits of a fingerprint of 1024 bits is a fingerprint of n bits with other hashes.  So
-- each figure pools 1024 / n fingerprints of each text.
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;

-- Edits of two corpora.  Only edits of wording count as edits: changes of form (case, punctuation, white space, forms of
-- Unicode) are a kind of their own.
CREATE TABLE edits (id int GENERATED ALWAYS AS IDENTITY, corpus text, lang text, length text, kind text, document text, a text, b text);
INSERT INTO edits (corpus, lang, length, kind, document, a, b)
SELECT corpus, lang, length, kind, document, text_a, text_b
FROM (SELECT *, row_number() OVER (PARTITION BY corpus, lang, length, kind ORDER BY md5(text_a || text_b)) AS nr
      FROM (SELECT *, CASE WHEN words < 20 THEN 'XS' WHEN words < 100 THEN 'S' WHEN words < 500 THEN 'M' ELSE 'L' END AS length,
                   CASE WHEN share = 0 THEN 'form' WHEN share < .01 THEN 'e<1' WHEN share < .05 THEN 'e1-5' WHEN share < .1 THEN 'e5-10' ELSE 'e10-25' END AS kind
            FROM revisions) r) s
WHERE nr <= 200;

-- Texts of documents.  Two texts of different documents count as others unless they share half of their words and
-- pairs.  Only for fingerprints that are near enough, the texts themselves are compared.
CREATE TABLE texts AS
SELECT row_number() OVER ()::int AS id, corpus, lang, length, document, body
FROM (SELECT *, row_number() OVER (PARTITION BY corpus, lang, length = 'XS' ORDER BY place, md5(body)) AS nr
      FROM (SELECT DISTINCT ON (corpus, lang, document, length) 1 AS place, corpus, lang, length, document, a AS body FROM edits
            WHERE kind <> 'form' ORDER BY corpus, lang, document, length, md5(a)) d
      UNION ALL
      -- where few documents changed, also others
      SELECT *, row_number() OVER (PARTITION BY lang ORDER BY place, md5(body))
      FROM (SELECT 2 AS place, 'debian', lang, CASE WHEN words < 100 THEN 'S' WHEN words < 500 THEN 'M' ELSE 'L' END, document, body
            FROM (SELECT *, (SELECT count(*) FROM regexp_matches(body, '[一-鿿ぁ-ヿ]|[a-z0-9äöüß]+', 'gi')) AS words FROM files
                  WHERE kind IN ('manual page', 'documentation') AND lang <> 'en' AND length(body) < 8000) f
            WHERE words >= 20) o) r
WHERE nr + CASE place WHEN 1 THEN 0 ELSE 400 END <= CASE length WHEN 'XS' THEN 400 ELSE 800 END;
CREATE TABLE text_fps AS SELECT id, minhash_bits(body, 1024) AS fp FROM texts;
DELETE FROM texts WHERE id IN (SELECT id FROM text_fps WHERE fp IS NULL);
CREATE UNIQUE INDEX ON texts (id);
CREATE UNIQUE INDEX ON text_fps (id);
ANALYZE;
CREATE TABLE others AS
SELECT corpus, lang, CASE WHEN a.length = b.length THEN a.length ELSE 'mixed' END AS length, a.id AS a, b.id AS b
FROM texts a JOIN texts b USING (corpus, lang), text_fps x, text_fps y
WHERE a.id < b.id AND a.document <> b.document AND (a.length = 'XS') = (b.length = 'XS') AND x.id = a.id AND y.id = b.id AND
      CASE WHEN x.fp <-> y.fp <= minhash_bound(0.5, 1024, 0.999999) THEN simhash_resemblance(a.body, b.body) < 0.5 ELSE true END;
ANALYZE others;

-- Distances of edits and of other texts for each choice of features and each width
CREATE TABLE choices (nr int GENERATED ALWAYS AS IDENTITY, choice text, expression text, widths int[], parts int);
INSERT INTO choices (choice, expression, widths, parts) VALUES
  ('minhash', 'minhash_bits(%s, 1024)', '{64,128,256,512}', 16),
  ('simhash', 'simhash_bits(%s, 1024)', '{64,256}', 4),
  ('words', $$minhash_bits(%s, 1024, 'words')$$, '{64,256}', 4),
  ('pairs', $$minhash_bits(%s, 1024, 'words', n => 2)$$, '{64,256}', 2),
  ('three words', $$minhash_bits(%s, 1024, 'words', n => 3)$$, '{64,256}', 2),
  ('4 characters', $$minhash_bits(%s, 1024, 'characters', n => 4)$$, '{64,256}', 2),
  ('words and pairs, frequency (simhash)', $$simhash_bits(%s, 1024, 'words and pairs', weight => 'frequency')$$, '{64,256}', 2),
  ('words, frequency (simhash)', $$simhash_bits(%s, 1024, 'words', weight => 'frequency')$$, '{64,256}', 2),
  ('text search, english', $$minhash_bits_from_features(tsvector_to_array(to_tsvector('english', %s)), 1024)$$, '{64,256}', 2);
CREATE FUNCTION part_of(fp bit, bits int, part int) RETURNS bit
LANGUAGE sql IMMUTABLE AS $$ SELECT substring(fp FROM part * bits + 1 FOR bits) $$;
CREATE TABLE near (nr int, bits int, corpus text, lang text, length text, kind text, d int, n bigint);
CREATE TABLE apart (nr int, bits int, corpus text, lang text, length text, d int, n bigint);
DO $$
DECLARE c choices;
BEGIN
  FOR c IN SELECT * FROM choices ORDER BY nr LOOP
    DROP TABLE IF EXISTS fps;
    EXECUTE format('CREATE TEMP TABLE fps AS SELECT id, %s AS fp FROM texts', format(c.expression, 'body'));
    ANALYZE fps;
    EXECUTE format('INSERT INTO near SELECT %s, bits, corpus, lang, length, kind, coalesce(part_of(x, bits, part) <-> part_of(y, bits, part), bits), count(*)
      FROM (SELECT *, %s AS x, %s AS y FROM edits OFFSET 0) e, unnest(%L::int[]) bits, generate_series(0, least(%s, 1024 / bits) - 1) part
      GROUP BY 2, 3, 4, 5, 6, 7', c.nr, format(c.expression, 'a'), format(c.expression, 'b'), c.widths, c.parts);
    INSERT INTO apart SELECT c.nr, bits, corpus, lang, length, coalesce(part_of(x.fp, bits, part) <-> part_of(y.fp, bits, part), bits), count(*)
      FROM others, fps x, fps y, unnest(c.widths) bits, generate_series(0, least(c.parts, 1024 / bits) - 1) part
      WHERE x.id = a AND y.id = b GROUP BY 2, 3, 4, 5, 6;
  END LOOP;
END $$;

-- The largest bound with at most a share of false positives, the share found within a bound, and the share of pairs of
-- other texts within a bound
CREATE FUNCTION bound_at(choice int, b int, c text, share float8, langs text DEFAULT '', lengths text DEFAULT '^(?!XS)') RETURNS int
LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(k) FILTER (WHERE positives <= share * total), -1)
  FROM (SELECT k, sum(coalesce(n, 0)) OVER (ORDER BY k) AS positives, sum(n) OVER () AS total
        FROM generate_series(0, b) k
             LEFT JOIN (SELECT d, sum(n) AS n FROM apart WHERE nr = choice AND bits = b AND corpus = c AND lang ~ ('^(' || langs || ')') AND length ~ lengths GROUP BY d) a ON d = k) s
$$;
CREATE FUNCTION found(choice int, b int, c text, bound int, kinds text DEFAULT '^[en]', langs text DEFAULT '', lengths text DEFAULT '^(?!XS)') RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_char(sum(n) FILTER (WHERE d <= bound) / sum(n), 'FM0.000'), '') FROM near
  WHERE nr = choice AND bits = b AND corpus = c AND kind ~ kinds AND lang ~ ('^(' || langs || ')') AND length ~ lengths
$$;
CREATE FUNCTION false_rate(choice int, b int, c text, bound int, langs text DEFAULT '', lengths text DEFAULT '^(?!XS)') RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT coalesce(replace(replace(to_char(sum(n) FILTER (WHERE d <= bound) / sum(n), '9.9EEEE'), 'e-0', 'e-'), ' ', ''), 'none')
  FROM apart WHERE nr = choice AND bits = b AND corpus = c AND lang ~ ('^(' || langs || ')') AND length ~ lengths
$$;

\t on
SELECT E'\n## What is found\n';
SELECT format('%s: %s edits of wording of 20 words and more, %s of shorter texts, %s changes of form; %s pairs of other texts of 20 words and more (%s left out that share half of their features), %s of shorter ones',
              corpus, count(*) FILTER (WHERE kind <> 'form' AND length <> 'XS'), count(*) FILTER (WHERE kind <> 'form' AND length = 'XS'), count(*) FILTER (WHERE kind = 'form'),
              (SELECT count(*) FROM others o WHERE o.corpus = e.corpus AND length <> 'XS'),
              (SELECT count(*) FROM texts a JOIN texts b USING (corpus, lang) WHERE corpus = e.corpus AND a.id < b.id AND a.document <> b.document AND a.length <> 'XS' AND b.length <> 'XS') -
                (SELECT count(*) FROM others o WHERE o.corpus = e.corpus AND length <> 'XS'),
              (SELECT count(*) FROM others o WHERE o.corpus = e.corpus AND length = 'XS'))
FROM edits e GROUP BY corpus ORDER BY corpus;
SELECT corpus, lang, count(*) FILTER (WHERE kind <> 'form') AS edits, count(*) FILTER (WHERE kind = 'form') AS form,
       (SELECT count(*) FROM texts t WHERE (t.corpus, t.lang) = (e.corpus, e.lang)) AS texts
FROM edits e GROUP BY corpus, lang ORDER BY corpus, lang;
SELECT E'\n| corpus | fingerprint | all edits | under 1% | 1-5% | 5-10% | 10-25% | under 20 words | form only | false | false, under 20 words |';
SELECT '|---|---|---|---|---|---|---|---|---|---|---|';
CREATE TABLE bounds_shown (bits int, k int);
INSERT INTO bounds_shown VALUES (64, 3), (64, 5), (64, 8), (128, 10), (128, 26), (256, 20), (256, 28), (256, 48), (512, 40), (512, 90);
SELECT format('| %s | %s / %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |', corpus, bits, k, found(1, bits, corpus, k), found(1, bits, corpus, k, 'e<1'),
              found(1, bits, corpus, k, 'e1-5'), found(1, bits, corpus, k, 'e5-10'), found(1, bits, corpus, k, 'e10-25'),
              found(1, bits, corpus, k, '^[en]', '', '^XS'), found(1, bits, corpus, k, 'form', '', ''), false_rate(1, bits, corpus, k), false_rate(1, bits, corpus, k, '', '^XS'))
FROM bounds_shown, (SELECT DISTINCT corpus FROM edits) c ORDER BY corpus, bits, k;

SELECT E'\n### By length and by language\n';
SELECT '| corpus | fingerprint | under 20 words | 20-100 | 100-500 | longer | English | German | Chinese | Japanese | code |';
SELECT '|---|---|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s / %s | %s |', corpus, bits, k,
              (SELECT string_agg(found(1, bits, corpus, k, '^[en]', '', length), ' | ' ORDER BY i) FROM unnest('{^XS,^S,^M,^L}'::text[]) WITH ORDINALITY l (length, i)) || ' | ' ||
              (SELECT string_agg(found(1, bits, corpus, k, '^[en]', lang), ' | ' ORDER BY i) FROM unnest('{en,de,zh,ja,code}'::text[]) WITH ORDINALITY l (lang, i)))
FROM bounds_shown, (SELECT DISTINCT corpus FROM edits) c WHERE (bits, k) IN ((64, 5), (256, 20), (256, 28), (256, 48)) ORDER BY corpus, bits, k;

SELECT E'\n### Recall at a false positive rate\n';
SELECT '| method | bits | recall at FPR 1e-4 (bound) | at 1e-6 (bound) | edits of 10-25% at 1e-6 | under 20 words at 1e-6 | corpus |';
SELECT '|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s (%s) | %s (%s) | %s | %s | %s |', choice, bits, found(nr, bits, corpus, b4), b4, found(nr, bits, corpus, b6), b6,
              found(nr, bits, corpus, b6, 'e10-25'), found(nr, bits, corpus, b6, '^[en]', '', '^XS'), corpus)
FROM choices, unnest(widths) bits, (SELECT DISTINCT corpus FROM edits) c, LATERAL (SELECT bound_at(nr, bits, corpus, 1e-4) AS b4, bound_at(nr, bits, corpus, 1e-6) AS b6) b
WHERE nr <= 2 ORDER BY corpus, nr, bits;

SELECT E'\n### Bounds for a resemblance, and the share of pairs of other texts within them\n';
SELECT '| resemblance | corpus | 64 bits | 128 | 256 | 512 |';
SELECT '|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s |', j, corpus, string_agg(minhash_bound(j, bits) || ' (' || false_rate(1, bits, corpus, minhash_bound(j, bits)) || ')', ' | ' ORDER BY bits))
FROM unnest('{0.5,0.6,0.7,0.8,0.9}'::float8[]) j, unnest('{64,128,256,512}'::int[]) bits, (SELECT DISTINCT corpus FROM edits) c GROUP BY j, corpus ORDER BY j, corpus;

SELECT E'\n### The three longest sentences of examples/longest_sentences.sql\n';
CREATE FUNCTION longest(body text) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(key ORDER BY key)
  FROM (SELECT minhash(sentence)::bigint AS key FROM regexp_split_to_table(body, '[.!?;]\s+|[。！？；…]|\n\s*\n') sentence
        WHERE minhash(sentence) IS NOT NULL GROUP BY key ORDER BY max(length(sentence)) DESC, key LIMIT 3) l
$$;
CREATE TABLE sentences AS SELECT id, longest(body) AS keys FROM texts WHERE length <> 'XS';
CREATE UNIQUE INDEX ON sentences (id);
CREATE TABLE sentences_shared AS
SELECT corpus, kind, CASE WHEN x = y THEN 3 ELSE (SELECT count(*) FROM unnest(x) key WHERE key = ANY (y)) END AS common, x = y AS same
FROM (SELECT corpus, kind, longest(a) AS x, longest(b) AS y FROM edits WHERE kind <> 'form' AND length <> 'XS'
      UNION ALL
      SELECT corpus, 'other', x.keys, y.keys FROM others o JOIN sentences x ON x.id = a JOIN sentences y ON y.id = b) s;
SELECT '| corpus | in common | all edits | under 1% | 1-5% | 5-10% | 10-25% | false |';
SELECT '|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s |', corpus, coalesce(n::text, 'same')) || string_agg(share, '' ORDER BY i) FROM (
  SELECT corpus, n, i, format(' %s |', CASE WHEN i < 6 THEN to_char(avg(found::int), 'FM0.000') WHEN bool_or(found) THEN replace(replace(to_char(avg(found::int), '9.9EEEE'), 'e-0', 'e-'), ' ', '') ELSE 'none' END) AS share
  FROM (SELECT corpus, n, kind, coalesce(common >= n, same, false) AS found FROM sentences_shared, unnest('{null,2,1}'::int[]) n) f,
       unnest('{^e,e<1,e1-5,e5-10,e10-25,other}'::text[]) WITH ORDINALITY k (kinds, i)
  WHERE kind ~ kinds GROUP BY corpus, n, i) s
GROUP BY corpus, n ORDER BY corpus, n DESC NULLS FIRST;

SELECT E'\n## Features\n';
SELECT '| corpus | features | bits | found within 5/64 | within 3/16 | false within 3/16 | recall at FPR 1e-4 (bound) |';
SELECT '|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s | %s (%s) |', corpus, choice, bits, found(nr, bits, corpus, bits * 5 / 64), found(nr, bits, corpus, bits * 3 / 16), false_rate(nr, bits, corpus, bits * 3 / 16),
              found(nr, bits, corpus, b4), b4)
FROM choices, unnest(widths) bits, (SELECT DISTINCT corpus FROM edits) c, LATERAL (SELECT bound_at(nr, bits, corpus, 1e-4) AS b4) b
WHERE bits IN (64, 256) ORDER BY corpus, bits, nr;

SELECT E'\n### Chinese and Japanese: words (single characters) or words and pairs, by length\n';
SELECT '| corpus | language | length | edits | other pairs | bits | features | found within 5/64 | within 3/16 | at FPR 1e-4 (bound) | at 1e-5 (bound) | false within 5/64 | within 3/16 |';
SELECT '|---|---|---|---|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s (%s) | %s (%s) | %s | %s |', corpus, lang, length,
              (SELECT count(*) FROM edits e WHERE e.corpus = c.corpus AND e.lang = l.lang AND e.length ~ n.length AND kind <> 'form'),
              (SELECT count(*) FROM others o WHERE o.corpus = c.corpus AND o.lang = l.lang AND o.length ~ n.length),
              bits, choice, found(nr, bits, corpus, bits * 5 / 64, '^[en]', lang, length), found(nr, bits, corpus, bits * 3 / 16, '^[en]', lang, length),
              found(nr, bits, corpus, b4, '^[en]', lang, length), b4, found(nr, bits, corpus, b5, '^[en]', lang, length), b5,
              false_rate(nr, bits, corpus, bits * 5 / 64, lang, length), false_rate(nr, bits, corpus, bits * 3 / 16, lang, length))
FROM choices, unnest('{64,256}'::int[]) bits, (SELECT DISTINCT corpus FROM edits) c, unnest('{zh,ja}'::text[]) l (lang), unnest('{^(?!XS),^XS,^S,^M,^L}'::text[]) WITH ORDINALITY n (length, i),
     LATERAL (SELECT bound_at(nr, bits, corpus, 1e-4, lang, length) AS b4, bound_at(nr, bits, corpus, 1e-5, lang, length) AS b5) b
WHERE nr IN (1, 3) AND EXISTS (SELECT FROM edits e WHERE e.corpus = c.corpus AND e.lang = l.lang)
ORDER BY corpus, lang DESC, i, bits, nr;
