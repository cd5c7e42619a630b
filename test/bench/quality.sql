-- Measure how well fingerprints of several kinds of features tell near-duplicates
-- from other texts.  The script prints the tables of doc/quality.md.  quality.sh runs
-- it, after it has loaded the table pairs (label, bucket, lang, text_a, text_b, source).
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;

CREATE TABLE choices (nr int GENERATED ALWAYS AS IDENTITY, choice text, expression text);
INSERT INTO choices (choice, expression) VALUES
  ('simhash: words and pairs, once (default)', 'simhash(%s)'),
  ('minhash: words and pairs', 'minhash(%s)'),
  ('simhash: words and pairs, frequency', $$simhash(%s, 'words and pairs', weight => 'frequency')$$),
  ('simhash: words and pairs, logarithm', $$simhash(%s, 'words and pairs', weight => 'logarithm')$$),
  ('simhash: words and pairs, case kept', $$simhash(%s, 'words and pairs', fold_case => false)$$),
  ('simhash: words and pairs, not normalised', $$simhash(%s, 'words and pairs', normalization => false)$$),
  ('simhash: words, once', $$simhash(%s, 'words')$$),
  ('simhash: words, frequency', $$simhash(%s, 'words', weight => 'frequency')$$),
  ('simhash: pairs, once', $$simhash(%s, 'words', n => 2)$$),
  ('simhash: three words, once', $$simhash(%s, 'words', n => 3)$$),
  ('simhash: 4 characters, once', $$simhash(%s, 'characters', n => 4)$$),
  ('simhash: 4 characters, frequency', $$simhash(%s, 'characters', n => 4, weight => 'frequency')$$),
  ('simhash: 6 characters, once', $$simhash(%s, 'characters', n => 6)$$),
  ('simhash: text search, english', $$simhash('english', %s)$$),
  ('minhash: words', $$minhash(%s, 'words')$$),
  ('minhash: pairs', $$minhash(%s, 'words', n => 2)$$),
  ('minhash: 4 characters', $$minhash(%s, 'characters', n => 4)$$),
  ('simhash: dictionary words and pairs, once', $$(SELECT simhash_agg(hash, weight) FROM simhash_features_by_dictionary(%s))$$),
  ('minhash: dictionary words and pairs', $$(SELECT minhash_agg(hash) FROM simhash_features_by_dictionary(%s))$$);

-- One text of each document.  The last part of a source, after its last slash, and the
-- language identify a document.  A pair of other texts has two sources.  The labelled
-- sets and the artificial texts name no document.  Two different documents count as
-- other texts unless they share half of their words and pairs, because some documents
-- are nearly copies.
CREATE TABLE documents AS
SELECT DISTINCT ON (lang, document) lang, document, regexp_replace(part, '[@/].*', '') AS collection, body
FROM pairs, unnest(string_to_array(source, ' | ')) WITH ORDINALITY s (part, place),
     LATERAL (SELECT regexp_replace(part, '^.*/', '') AS document, CASE place WHEN 1 THEN text_a ELSE text_b END AS body) t
WHERE bucket NOT LIKE 'XS/%' AND source !~ '^(NDD|hand)'
ORDER BY lang, document, md5(body);
CREATE TABLE alike AS
SELECT lang, a.document AS a, b.document AS b
FROM documents a JOIN documents b USING (lang)
WHERE a.document < b.document AND simhash_resemblance(a.body, b.body) >= 0.5;
CREATE TABLE apart (nr int, d int, n bigint);

CREATE TABLE distances (nr int, label int, length text, kind text, lang text, d int);
DO $$
DECLARE c choices;
BEGIN
  FOR c IN SELECT * FROM choices ORDER BY nr LOOP
    BEGIN
      EXECUTE format('INSERT INTO distances SELECT %s, label, split_part(bucket, ''/'', 1), split_part(bucket, ''/'', 2), lang, coalesce(%s <-> %s, 64) FROM pairs',
                     c.nr, format(c.expression, 'text_a'), format(c.expression, 'text_b'));
      EXECUTE format('WITH f AS MATERIALIZED (SELECT lang, document, %s AS fp FROM documents)
                      INSERT INTO apart SELECT %s, coalesce(a.fp <-> b.fp, 64), count(*)
                      FROM f a JOIN f b USING (lang)
                      WHERE a.document < b.document AND (lang, a.document, b.document) NOT IN (TABLE alike) GROUP BY 2',
                     format(c.expression, 'body'), c.nr);
    EXCEPTION WHEN feature_not_supported THEN
      DELETE FROM choices WHERE nr = c.nr;
    END;
  END LOOP;
END $$;

-- Measures of a kind of fingerprint, from the numbers of pairs at each distance: the
-- largest bound with at most a share of false positives, the recall within a bound, and
-- the area under the ROC (ties count half).  histogram0 counts pairs of other texts,
-- histogram1 counts near-duplicates.
CREATE FUNCTION bound_at(histogram0 bigint[], share float8) RETURNS int
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(max(k) FILTER (WHERE positives <= share * total), -1)
  FROM (SELECT k - 1 AS k, sum(histogram0[k]) OVER (ORDER BY k) AS positives, sum(histogram0[k]) OVER () AS total
        FROM generate_series(1, 65) k) s
$$;
CREATE FUNCTION recall(histogram1 bigint[], bound int) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(coalesce(sum(histogram1[k]) FILTER (WHERE k <= bound + 1), 0) / nullif(sum(histogram1[k]), 0), 'FM0.000')
  FROM generate_series(1, 65) k
$$;
CREATE FUNCTION auc(histogram0 bigint[], histogram1 bigint[]) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(sum(histogram1[k] * (farther + histogram0[k] / 2.0)) / nullif(sum(histogram1[k]) * sum(histogram0[k]), 0), 'FM0.00000')
  FROM (SELECT k, coalesce(sum(histogram0[k]) OVER (ORDER BY k DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS farther
        FROM generate_series(1, 65) k) s
$$;
CREATE VIEW histograms AS
SELECT nr, grouping(length) = 0 AS by_length, grouping(lang) = 0 AS by_lang, length, lang,
       ARRAY(SELECT count(*) FILTER (WHERE x = k) FROM generate_series(0, 64) k LEFT JOIN unnest(array_agg(d) FILTER (WHERE label = 0)) x ON x = k GROUP BY k ORDER BY k) AS h0,
       ARRAY(SELECT count(*) FILTER (WHERE x = k) FROM generate_series(0, 64) k LEFT JOIN unnest(array_agg(d) FILTER (WHERE label = 1)) x ON x = k GROUP BY k ORDER BY k) AS h1
FROM distances
GROUP BY GROUPING SETS ((nr, length), (nr, lang));

\t on
SELECT '## Texts of 20 words and more', E'\n\n', count(*) FILTER (WHERE label = 1), 'near-duplicates,', count(*) FILTER (WHERE label = 0), E'pairs of other texts.\n'
FROM pairs WHERE bucket NOT LIKE 'XS/%' \g (fieldsep=' ')
SELECT 'False positive rates (FPR) are from', sum(n), 'pairs of', (SELECT count(*) FROM documents), E'documents. Both documents of a pair\nhave the same language.', (SELECT count(*) FROM alike), E'pairs of similar documents are left out.\n'
FROM apart WHERE nr = 1 \g (fieldsep=' ')
SELECT '| features | area under ROC | recall without a false one (bound) | at FPR 1e-3 (bound) | at 1e-4 (bound) | k = 3 | 5 | 8 | 12 | false at 3 / 5 / 8 / 12 |';
SELECT '|---|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s (%s) | %s (%s) | %s (%s) | %s | %s | %s | %s | %s / %s / %s / %s |', choice, auc(h0, h1),
              recall(h1, bound_at(h0, 0)), bound_at(h0, 0),
              recall(h1, bound_at(far, 1e-3)), bound_at(far, 1e-3), recall(h1, bound_at(far, 1e-4)), bound_at(far, 1e-4),
              recall(h1, 3), recall(h1, 5), recall(h1, 8), recall(h1, 12),
              (SELECT sum(h0[k]) FROM generate_series(1, 4) k), (SELECT sum(h0[k]) FROM generate_series(1, 6) k),
              (SELECT sum(h0[k]) FROM generate_series(1, 9) k), (SELECT sum(h0[k]) FROM generate_series(1, 13) k))
FROM (SELECT nr, (SELECT array_agg(n ORDER BY k) FROM (SELECT k, sum(h0[k])::bigint AS n FROM generate_series(1, 65) k, histograms h WHERE h.nr = c.nr AND by_length AND length <> 'XS' GROUP BY k) s) AS h0,
             (SELECT array_agg(n ORDER BY k) FROM (SELECT k, sum(h1[k])::bigint AS n FROM generate_series(1, 65) k, histograms h WHERE h.nr = c.nr AND by_length AND length <> 'XS' GROUP BY k) s) AS h1,
             ARRAY(SELECT coalesce(sum(n), 0)::bigint FROM generate_series(0, 64) k LEFT JOIN apart a ON a.nr = c.nr AND a.d = k GROUP BY k ORDER BY k) AS far
      FROM choices c) h JOIN choices USING (nr) ORDER BY nr;

SELECT E'\n## Method and bound\n';
SELECT '| method | bound | 20 words and more | under 1 % | 1-5 % | 5-10 % | 10-25 % | under 20 words | false, labelled pairs | all pairs |';
SELECT '|---|---|---|---|---|---|---|---|---|---|';
WITH candidates(nr, method, k) AS (VALUES
  (2, 'minhash', 3), (2, 'minhash', 4), (2, 'minhash', 5), (2, 'minhash', 6), (2, 'minhash', 8), (2, 'minhash', 10), (2, 'minhash', 12),
  (1, 'simhash', 3), (1, 'simhash', 5), (1, 'simhash', 8), (1, 'simhash', 10), (1, 'simhash', 12))
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', method, k, to_char(avg((d <= k)::int) FILTER (WHERE label = 1 AND length <> 'XS'), 'FM0.000'),
              (SELECT string_agg(to_char(recall, 'FM0.000'), ' | ' ORDER BY nr)
               FROM (SELECT array_position('{e<1,e1-5,e5-10,e10-25}', kind) AS nr, avg((d <= k)::int) AS recall FROM distances x
                     WHERE x.nr = c.nr AND label = 1 AND length <> 'XS' AND kind = ANY ('{e<1,e1-5,e5-10,e10-25}') GROUP BY kind) s),
              to_char(avg((d <= k)::int) FILTER (WHERE label = 1 AND length = 'XS'), 'FM0.000'),
              count(*) FILTER (WHERE label = 0 AND d <= k),
              (SELECT coalesce(sum(n), 0) FROM apart a WHERE a.nr = c.nr AND a.d <= k))
FROM candidates c JOIN distances USING (nr) GROUP BY c.nr, method, k ORDER BY c.nr DESC, k;

SELECT E'\n## By length and by language\n';
SELECT E'Texts of class XS have fewer than 20 words, S fewer than 100, M fewer than 500, L more.\n';
SELECT '| features | | near / others | area under ROC | recall at FPR 1e-3 (bound) | k = 3 | 5 | 8 | 12 |';
SELECT '|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s / %s | %s | %s (%s) | %s | %s | %s | %s |', choice, coalesce(length, lang), (SELECT sum(x) FROM unnest(h1) x), (SELECT sum(x) FROM unnest(h0) x),
              auc(h0, h1), recall(h1, bound_at(h0, 1e-3)), bound_at(h0, 1e-3), recall(h1, 3), recall(h1, 5), recall(h1, 8), recall(h1, 12))
FROM histograms JOIN choices USING (nr) WHERE nr <= 2 ORDER BY nr, by_lang, array_position('{XS,S,M,L}', length), lang;

SELECT E'\n## Recall by kind of edit (texts of 20 words and more)\n';
SELECT '| | pairs | simhash k = 3 | 5 | 8 | 10 | 12 | minhash k = 3 | 5 | 8 | 10 | 12 |';
SELECT '|---|---|---|---|---|---|---|---|---|---|---|---|';
WITH r AS (
  SELECT kind, nr, k, count(*) AS n, to_char(avg((d <= k)::int), 'FM0.00') AS recall
  FROM distances, unnest('{3,5,8,10,12}'::int[]) k WHERE label = 1 AND length <> 'XS' AND nr <= 2 GROUP BY 1, 2, 3)
SELECT format('| %s | %s | %s |', kind, max(n), string_agg(recall, ' | ' ORDER BY nr, k)) FROM r GROUP BY kind
ORDER BY array_position('{e<1,e1-5,e5-10,e10-25}', kind), kind;

-- Keys of passages: recall of passages that were edited and put into another document, and
-- documents that share a key without ten adjacent words in common.
CREATE FUNCTION chance(seed text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashtextextended(seed, 7) & 1048575) / 1048576.0 $$;
-- Edit a share of the words: a third of the edits each replace, delete and insert a word.
CREATE FUNCTION edited(words text[], share float8, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(CASE WHEN c >= share THEN word WHEN c < share / 3 THEN other WHEN c < share * 2 / 3 THEN NULL ELSE word || ' ' || other END, ' ' ORDER BY n)
  FROM (SELECT word, n, chance(seed || n) AS c, words[1 + (chance(seed || '+' || n) * (cardinality(words) - 1))::int] AS other
        FROM unnest(words) WITH ORDINALITY w (word, n)) s
$$;
CREATE TABLE sources AS
SELECT row_number() OVER (ORDER BY md5(body)) AS id, collection, body, words, simhash_passage_keys(body) AS keys
FROM documents, LATERAL (SELECT regexp_split_to_array(btrim(regexp_replace(body, '[^[:alnum:]]+', ' ', 'g')), ' ') AS words) w
WHERE lang <> 'zh';
CREATE TABLE quotations AS
SELECT s.id, length, share, edited(s.words[start:start + length - 1], share, concat_ws('/', s.id, seed, length)) AS passage, h.body AS host
FROM sources s, unnest('{30,50,100,300}'::int[]) length, unnest('{0,0.02,0.05,0.1}'::float8[]) share, generate_series(1, 5) seed,
     LATERAL (SELECT 1 + (chance(concat_ws('-', s.id, seed)) * (cardinality(s.words) - length))::int AS start) place,
     LATERAL (SELECT body FROM sources h WHERE h.id = 1 + (s.id + seed * 7) % (SELECT count(*) FROM sources)) h
WHERE cardinality(s.words) >= length;
SELECT E'\n## Passages\n';
SELECT E'Share of the edited passages, each put into another document, whose source is found by a shared key.\n';
SELECT '| words of the passage | passages | words => | unedited | 2 % edits | 5 % | 10 % |';
SELECT '|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', length, count(*) / 4, kind,
              to_char(avg(found::int) FILTER (WHERE share = 0), 'FM0.000'), to_char(avg(found::int) FILTER (WHERE share = 0.02), 'FM0.000'),
              to_char(avg(found::int) FILTER (WHERE share = 0.05), 'FM0.000'), to_char(avg(found::int) FILTER (WHERE share = 0.1), 'FM0.000'))
FROM (SELECT length, share, kind, simhash_passage_keys(concat_ws(' ', left(host, length(host) / 2), passage, right(host, length(host) / 2)), words => kind) && s.keys AS found
      FROM quotations q JOIN sources s USING (id), unnest('{30,8}'::int[]) kind) f
GROUP BY length, kind ORDER BY length, kind DESC;
SELECT E'\n', count(*) FILTER (WHERE keys AND NOT passage), 'of', count(*), E'pairs of documents of different collections share a key without 10 adjacent words\nin common:',
       to_char(1e6 * count(*) FILTER (WHERE keys AND NOT passage) / count(*), 'FM990.0'), 'per million.', count(*) FILTER (WHERE passage), E'pairs have such a passage.\n'
FROM (SELECT a.keys && b.keys AS keys, CASE WHEN a.keys && b.keys THEN EXISTS (SELECT FROM simhash_passages(a.body, b.body, words => 10, gap => 0)) ELSE false END AS passage
      FROM sources a JOIN sources b ON a.id < b.id AND a.collection <> b.collection) f \g (fieldsep=' ')
SELECT E'Characters of passages of 100 words and more that simhash_passages covers, and those beside a passage:\n';
SELECT '| edits | covered | excess |';
SELECT '|---|---|---|';
SELECT format('| %s %% | %s %% | %s %% |', 100 * share, round(100.0 * sum(covered) / sum(length), 1), round(100.0 * sum(beside) / sum(length), 2))
FROM (SELECT share, length(passage), count(DISTINCT c) FILTER (WHERE c BETWEEN start AND start + length(passage) - 1) AS covered,
             count(DISTINCT c) FILTER (WHERE c NOT BETWEEN start AND start + length(passage) - 1) AS beside
      FROM (SELECT q.*, s.body, row_number() OVER () AS nr, left(host, length(host) / 2) || ' ' AS before, length(host) / 2 + 2 AS start
            FROM quotations q JOIN sources s USING (id) WHERE length >= 100 AND id % 5 = 0) f
        LEFT JOIN LATERAL simhash_passages(body, before || passage || ' ' || right(host, length(host) / 2)) p
          ON b_start < start + length(passage) AND b_start + b_length > start
        LEFT JOIN LATERAL generate_series(b_start, b_start + b_length - 1) c ON true
      GROUP BY nr, share, passage) g
GROUP BY share ORDER BY share;
