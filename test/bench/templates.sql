-- How many pairs of different templated texts have near fingerprints, and which share of
-- edited copies is found, by the features.  templates.sh runs this script, after it has
-- loaded the table loaded (kind, body in base64).
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;
SELECT setseed(0.5) \g /dev/null

CREATE FUNCTION text_of(encoded text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN convert_from(decode(encoded, 'base64'), 'UTF8');
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;	-- another encoding
END $$;
CREATE TABLE texts (id int GENERATED ALWAYS AS IDENTITY, kind text, body text);
INSERT INTO texts (kind, body)
SELECT DISTINCT kind, b FROM (SELECT kind, text_of(body) AS b FROM loaded) s WHERE length(b) > 600 ORDER BY kind, b;
INSERT INTO texts (kind, body)
SELECT 'form', format('Application for a building permit. Name of the applicant: %s %s. Address: %s Street %s. '
  'Date of birth: %s. The applicant asks for the permission to build on the plot named below, and declares that all '
  'statements on this page are true and complete. The authority answers within six weeks. Plot number: %s. Height of the '
  'building in metres: %s. Please enclose a plan in two copies, proof of ownership and the receipt for the fee. '
  'Signature of the applicant, place and date.',
  substr(md5('a' || n), 1, 7), substr(md5('b' || n), 1, 6), substr(md5('c' || n), 1, 8), 1 + (random() * 200)::int,
  date '1940-01-01' + (random() * 24000)::int, (random() * 100000)::int, 3 + (random() * 40)::int)
FROM generate_series(1, 1000) n;
INSERT INTO texts (kind, body)
SELECT 'numbers', (SELECT string_agg((random() * 1000)::int::text, ' ') FROM generate_series(1, 300) WHERE n > 0)
FROM generate_series(1, 1000) n;
INSERT INTO texts (kind, body)
SELECT 'post', format('New video is online! Watch it here: https://example.com/watch?v=%s and do not forget to subscribe #%s',
  substr(md5('v' || n), 1, 11), (ARRAY['news', 'music', 'sports', 'travel'])[1 + n % 4])
FROM generate_series(1, 1000) n;

-- Copies: one word replaced, and 5 % of the words replaced
CREATE TABLE copies AS
SELECT id, kind, share, (SELECT string_agg(CASE WHEN random() < share OR n = 3
                                THEN substr(md5(id || '/' || n || '/' || share), 1, 6) ELSE word END, ' ' ORDER BY n)
                         FROM regexp_split_to_table(btrim(body, E' \n\t'), '\s+') WITH ORDINALITY w (word, n)) AS body
FROM texts, (VALUES (0), (0.05)) s (share);

-- Features that more than 1 % of the texts of a kind have
CREATE TABLE common AS
SELECT kind, hash, count(*)::float8 / n AS share
FROM texts JOIN (SELECT kind, count(*) AS n FROM texts GROUP BY kind) k USING (kind), simhash_features(body)
GROUP BY kind, hash, n HAVING count(*) > .01 * n;
CREATE UNIQUE INDEX ON common (kind, hash);
ANALYZE;

CREATE TABLE choices (nr int GENERATED ALWAYS AS IDENTITY, choice text, bits int, expression text);
INSERT INTO choices (choice, bits, expression) VALUES
  ('minhash', 64, 'minhash_bits(body, 64)'),
  ('simhash', 64, 'simhash_bits(body, 64)'),
  ('minhash, three words', 64, $$minhash_bits(body, 64, 'words', n => 3)$$),
  ('minhash, 3 characters', 64, $$minhash_bits(body, 64, 'characters', n => 3)$$),
  ('256 bits', 256, 'minhash_bits(body, 256)'),
  ('256 bits, three words', 256, $$minhash_bits(body, 256, 'words', n => 3)$$),
  ('rare features (5 %)', 64, $$(SELECT minhash_bits_agg(hash, 64) FROM simhash_features(body) f
    WHERE NOT EXISTS (SELECT FROM common WHERE common.kind = s.kind AND common.hash = f.hash AND common.share > .05))$$),
  ('rare features (1 %)', 64, $$(SELECT minhash_bits_agg(hash, 64) FROM simhash_features(body) f
    WHERE NOT EXISTS (SELECT FROM common WHERE common.kind = s.kind AND common.hash = f.hash AND common.share > .01))$$);

-- Distances are multiples of a 64th of the bits.
CREATE TABLE results (nr int, kind text, share numeric, d int, pairs bigint);
CREATE TABLE near (nr int, kind text, a int, b int);
DO $$
DECLARE c choices;
BEGIN
  FOR c IN SELECT * FROM choices ORDER BY nr LOOP
    CREATE TEMP TABLE f (id int, kind text, share numeric, fp bit varying);
    EXECUTE format('INSERT INTO f SELECT id, kind, NULL, %1$s FROM texts s UNION ALL SELECT id, kind, share, %1$s FROM copies s',
                   c.expression);
    ANALYZE f;
    INSERT INTO results SELECT c.nr, o.kind, e.share, coalesce(ceil((o.fp <-> e.fp) * 64.0 / c.bits), 64), count(*)
      FROM f o JOIN f e USING (id) WHERE o.share IS NULL AND e.share IS NOT NULL GROUP BY 1, 2, 3, 4;
    INSERT INTO results SELECT c.nr, a.kind, NULL::numeric, ceil((a.fp <-> b.fp) * 64.0 / c.bits), count(*)
      FROM f a JOIN f b USING (kind) WHERE a.id < b.id AND a.share IS NULL AND b.share IS NULL AND a.fp <-> b.fp <= 12 * c.bits / 64
      GROUP BY 1, 2, 3, 4;
    INSERT INTO near SELECT c.nr, a.kind, a.id, b.id
      FROM f a JOIN f b USING (kind) WHERE a.id < b.id AND a.share IS NULL AND b.share IS NULL AND a.fp <-> b.fp <= 8 * c.bits / 64
        AND kind IN ('copyright', 'manual page');
    DROP TABLE f;
  END LOOP;
END $$;

SELECT kind, count(*) AS texts, count(*) * (count(*) - 1) / 2 AS pairs,
       (SELECT distance FROM simhash_calibrate(array_agg(minhash(body))) ORDER BY pairs DESC LIMIT 1) AS most_at
FROM texts GROUP BY kind ORDER BY kind;
CREATE TABLE alike AS
SELECT a, b, simhash_resemblance(x.body, y.body) AS r
FROM (SELECT DISTINCT a, b FROM near) n JOIN texts x ON x.id = a JOIN texts y ON y.id = b;
SELECT results.kind, choice, coalesce(sum(pairs) FILTER (WHERE share IS NULL AND d <= 3), 0) AS pairs_3,
       coalesce(sum(pairs) FILTER (WHERE share IS NULL AND d <= 8), 0) AS pairs_8,
       (SELECT count(*) FROM near JOIN alike USING (a, b)
        WHERE near.nr = choices.nr AND near.kind = results.kind AND r < .5) AS unlike_8,
       round(coalesce(sum(pairs) FILTER (WHERE share = 0 AND d <= 3), 0) / sum(pairs) FILTER (WHERE share = 0), 2) AS word_3,
       round(coalesce(sum(pairs) FILTER (WHERE share = 0 AND d <= 8), 0) / sum(pairs) FILTER (WHERE share = 0), 2) AS word_8,
       round(coalesce(sum(pairs) FILTER (WHERE share > 0 AND d <= 3), 0) / sum(pairs) FILTER (WHERE share > 0), 2) AS share_3,
       round(coalesce(sum(pairs) FILTER (WHERE share > 0 AND d <= 8), 0) / sum(pairs) FILTER (WHERE share > 0), 2) AS share_8
FROM results JOIN choices USING (nr) GROUP BY results.kind, choices.nr, choice ORDER BY kind, choices.nr;
