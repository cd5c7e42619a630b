-- Measure fingerprints of several widths.  The script prints the tables of the section
-- "Which width" of doc/quality.md.  quality.sh runs it after quality.sql, whose tables
-- documents and alike it uses.
--
-- A part of n bits of a fingerprint of 1024 bits is a fingerprint of n bits with other hashes.  So
-- each figure pools 1024 / n fingerprints of each text.
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;

CREATE TABLE widths (method text, bits int, part int);
INSERT INTO widths
SELECT method, bits, part FROM unnest('{minhash,simhash}'::text[]) method, unnest('{64,128,256,512}'::int[]) bits, generate_series(0, 1024 / bits - 1) part;
CREATE FUNCTION part_of(fp bit, bits int, part int) RETURNS bit
LANGUAGE sql IMMUTABLE AS $$ SELECT substring(fp FROM part * bits + 1 FOR bits) $$;

-- All texts of documents, as quality.sql takes documents.  Two texts count as others unless
-- they share half of their words and pairs.  Only for fingerprints that are near enough, the
-- texts themselves are compared.
CREATE TABLE texts AS
SELECT lang, document, body, minhash_bits(body, 1024) AS minhash, simhash_bits(body, 1024) AS simhash
FROM (SELECT DISTINCT lang, regexp_replace(part, '^.*/', '') AS document, CASE place WHEN 1 THEN text_a ELSE text_b END AS body
      FROM pairs, unnest(string_to_array(source, ' | ')) WITH ORDINALITY s (part, place)
      WHERE bucket NOT LIKE 'XS/%' AND source !~ '^(NDD|hand)') t;
CREATE TABLE others AS
SELECT a.minhash AS minhash_a, b.minhash AS minhash_b, a.simhash AS simhash_a, b.simhash AS simhash_b
FROM texts a JOIN texts b USING (lang)
WHERE a.document < b.document AND (lang, a.document, b.document) NOT IN (TABLE alike) AND
      CASE WHEN a.minhash <-> b.minhash <= minhash_bound(0.5, 1024, 0.999999) THEN simhash_resemblance(a.body, b.body) < 0.5 ELSE true END;
CREATE TABLE apart_by_width AS
SELECT method, bits, d, count(*) AS n
FROM others, widths, LATERAL (SELECT CASE method WHEN 'minhash' THEN part_of(minhash_a, bits, part) <-> part_of(minhash_b, bits, part)
                                                 ELSE part_of(simhash_a, bits, part) <-> part_of(simhash_b, bits, part) END AS d) s
GROUP BY 1, 2, 3;

-- Edits that people have made
CREATE TABLE edits AS
SELECT CASE WHEN bucket LIKE 'XS/%' THEN 'XS' ELSE split_part(bucket, '/', 2) END AS kind, simhash_resemblance(text_a, text_b) AS resemblance,
       minhash_bits(text_a, 1024) AS minhash_a, minhash_bits(text_b, 1024) AS minhash_b, simhash_bits(text_a, 1024) AS simhash_a, simhash_bits(text_b, 1024) AS simhash_b
FROM pairs WHERE label = 1 AND bucket ~ '/(e<1|e1-5|e5-10|e10-25|ndd)$';
CREATE TABLE edits_by_width AS
SELECT method, bits, kind, d, count(*) AS n
FROM edits, widths, LATERAL (SELECT CASE method WHEN 'minhash' THEN part_of(minhash_a, bits, part) <-> part_of(minhash_b, bits, part)
                                                ELSE part_of(simhash_a, bits, part) <-> part_of(simhash_b, bits, part) END AS d) s
GROUP BY 1, 2, 3, 4;

-- The largest bound with at most a share of false positives
CREATE FUNCTION width_bound(m text, b int, share float8) RETURNS int
LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(k) FILTER (WHERE positives <= share * total), -1)
  FROM (SELECT k, sum(coalesce(n, 0)) OVER (ORDER BY k) AS positives, sum(n) OVER () AS total
        FROM generate_series(0, b) k LEFT JOIN apart_by_width a ON a.method = m AND a.bits = b AND a.d = k) s
$$;
CREATE FUNCTION width_recall(m text, b int, kinds text, bound int) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT to_char(sum(n) FILTER (WHERE d <= bound) / sum(n), 'FM0.000') FROM edits_by_width WHERE method = m AND bits = b AND kind ~ kinds
$$;
-- The least bound that finds a share of the edits
CREATE FUNCTION width_bound_of_recall(m text, b int, kinds text, share float8) RETURNS int
LANGUAGE sql STABLE AS $$
  SELECT min(d) FROM (SELECT d, sum(sum(n)) OVER (ORDER BY d) / sum(sum(n)) OVER () AS found FROM edits_by_width WHERE method = m AND bits = b AND kind ~ kinds GROUP BY d) s
  WHERE found >= share
$$;
CREATE FUNCTION width_false(m text, b int, bound int) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT coalesce(replace(replace(to_char(sum(n) FILTER (WHERE d <= bound) / sum(n), '9.9EEEE'), 'e-0', 'e-'), ' ', ''), 'none seen') FROM apart_by_width WHERE method = m AND bits = b
$$;

\t on
SELECT E'\n## Which width\n';
SELECT (SELECT count(*) FROM edits WHERE kind <> 'XS'), 'edits of texts of 20 words and more,', (SELECT count(*) FROM edits WHERE kind = 'XS'), 'of shorter texts;', (SELECT count(*) FROM others), E'pairs of texts of different documents.\n' \g (fieldsep=' ')
SELECT '| method | bits | recall at FPR 1e-4 (bound) | at 1e-6 (bound) | edits of 10-25 % at 1e-6 | under 20 words at 1e-6 |';
SELECT '|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s (%s) | %s (%s) | %s | %s |', method, bits, width_recall(method, bits, '^[en]', b4), b4, width_recall(method, bits, '^[en]', b6), b6, width_recall(method, bits, 'e10-25', b6), width_recall(method, bits, 'XS', b6))
FROM (SELECT DISTINCT method, bits FROM widths) w, LATERAL (SELECT width_bound(method, bits, 1e-4) AS b4, width_bound(method, bits, 1e-6) AS b6) b ORDER BY method, bits;

SELECT E'\nThe least bound that finds .95 of the edits, and its false positive rate:\n';
SELECT '| share of words changed | mean resemblance | minhash, 64 bits | 128 | 256 | 512 |';
SELECT '|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s |', kind, (SELECT to_char(avg(resemblance), 'FM0.00') FROM edits e WHERE e.kind = k.kind),
              string_agg(bound || ' (' || width_false('minhash', bits, bound) || ')', ' | ' ORDER BY bits))
FROM unnest('{e<1,e1-5,e5-10,e10-25,XS}'::text[]) WITH ORDINALITY k(kind, nr), unnest('{64,128,256,512}'::int[]) bits, LATERAL (SELECT width_bound_of_recall('minhash', bits, '^' || kind || '$', 0.95) AS bound) b
GROUP BY kind, nr ORDER BY nr;

SELECT E'\nThe bound that `minhash_bound` gives for a resemblance, and its false positive rate:\n';
SELECT '| resemblance | 64 bits | 128 | 256 | 512 |';
SELECT '|---|---|---|---|---|';
SELECT format('| %s | %s |', j, string_agg(minhash_bound(j, bits) || ' (' || width_false('minhash', bits, minhash_bound(j, bits)) || ')', ' | ' ORDER BY bits))
FROM unnest('{0.5,0.6,0.7,0.8,0.9,0.95}'::float8[]) j, unnest('{64,128,256,512}'::int[]) bits GROUP BY j ORDER BY j;

SELECT E'\nThe error of `minhash_resemblance` for these edits, and sqrt((1 - J^2) / n):\n';
SELECT '| bits | standard deviation | expected | mean error |';
SELECT '|---|---|---|---|';
SELECT format('| %s | %s | %s | %s |', bits, to_char(sqrt(avg(error * error)), 'FM0.000'), to_char(sqrt(avg((1 - resemblance * resemblance) / bits)), 'FM0.000'), to_char(avg(error), 'FM0.000'))
FROM (SELECT bits, resemblance, minhash_resemblance(part_of(minhash_a, bits, part), part_of(minhash_b, bits, part)) - resemblance AS error FROM edits, widths WHERE method = 'minhash') s
GROUP BY bits ORDER BY bits;
