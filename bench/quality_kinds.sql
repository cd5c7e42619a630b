-- Texts that are no prose: how many pairs of different texts are near each other, and which share of edited copies is
-- found, by the features.  quality.sh runs this script, after it has loaded the tables files (kind, lang, document, body),
-- documents (kind, body) and licence_rules (body).
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;
SELECT setseed(0.5) \g /dev/null

CREATE TABLE items (id int GENERATED ALWAYS AS IDENTITY, kind text, body text);
-- The condition on n makes each row call random() anew.
INSERT INTO items (kind, body)
SELECT 'table of shares (0.00 to 1.00)', (SELECT string_agg(to_char(random(), 'FM0.00') || CASE WHEN m % 5 = 0 THEN E'\n' ELSE ' ' END, '') FROM generate_series(1, 200) m WHERE n > 0)
FROM generate_series(1, 2000) n;
INSERT INTO items (kind, body)
SELECT 'access log', (SELECT string_agg(format('10.0.0.%s - - [%s +0000] "GET /%s/%s.html HTTP/1.1" 200 %s "-" "Mozilla/5.0 (X11; Linux x86_64; rv:%s.0) Gecko/20100101 Firefox/%s.0"',
    (random() * 9)::int, to_char(timestamp '2026-01-01' + n * interval '20 minutes' + m * interval '20 seconds', 'DD/Mon/YYYY:HH24:MI:SS'),
    (ARRAY['news', 'shop', 'help', 'blog', 'img'])[1 + (random() * 4)::int], (random() * 5)::int, 1000 + (random() * 20)::int, v, v), E'\n')
  FROM (SELECT m, 120 + (random() * 3)::int AS v FROM generate_series(1, 60) m WHERE n > 0 OFFSET 0) m)
FROM generate_series(1, 2000) n;
INSERT INTO items (kind, body)
SELECT 'product', format('%s %s, %s, size %s. This product is made of %s and comes in a recyclable box. We deliver within %s working days. You may send the product '
  'back within thirty days, if it is unused and in its original box, and we pay the money back within a week. The guarantee is two years from the day of the purchase; '
  'keep the invoice. Do not wash the product above forty degrees, do not iron it, and keep it away from children under three years. Our customer service answers '
  'questions about this product from Monday to Friday between nine and five. Article number %s. Price: %s euro.',
  (ARRAY['Alba', 'Nord', 'Vela', 'Pico', 'Terra', 'Luma'])[1 + (random() * 5)::int], (ARRAY['shirt', 'jacket', 'blanket', 'scarf', 'trousers', 'cap', 'bag', 'gloves'])[1 + (random() * 7)::int],
  (ARRAY['red', 'blue', 'black', 'white', 'green', 'grey'])[1 + (random() * 5)::int], 34 + (random() * 20)::int, (ARRAY['cotton', 'wool', 'linen', 'polyester'])[1 + (random() * 3)::int],
  2 + (random() * 5)::int, 100000 + (random() * 899999)::int, 10 + (random() * 150)::int)
FROM generate_series(1, 2000) n;
INSERT INTO items (kind, body)
SELECT 'form', format('Application for a building permit. Name of the applicant: %s %s. Address: %s Street %s. '
  'Date of birth: %s. The applicant asks for the permission to build on the plot named below, and declares that all '
  'statements on this page are true and complete. The authority answers within six weeks. Plot number: %s. Height of the '
  'building in metres: %s. Please enclose a plan in two copies, proof of ownership and the receipt for the fee. '
  'Signature of the applicant, place and date.',
  substr(md5('a' || n), 1, 7), substr(md5('b' || n), 1, 6), substr(md5('c' || n), 1, 8), 1 + (random() * 200)::int,
  date '1940-01-01' + (random() * 24000)::int, (random() * 100000)::int, 3 + (random() * 40)::int)
FROM generate_series(1, 2000) n;
INSERT INTO items (kind, body)
SELECT 'post with a link', format('New video is online! Watch it here: https://example.com/watch?v=%s and do not forget to subscribe #%s',
  substr(md5('v' || n), 1, 11), (ARRAY['news', 'music', 'sports', 'travel'])[1 + n % 4])
FROM generate_series(1, 2000) n;
INSERT INTO items (kind, body) SELECT 'licence', body FROM (SELECT body FROM documents WHERE kind = 'copyright' GROUP BY body ORDER BY md5(body) LIMIT 2000) s;
INSERT INTO items (kind, body) SELECT 'licence rule', body FROM (SELECT body FROM licence_rules GROUP BY body ORDER BY md5(body) LIMIT 2000) s;
INSERT INTO items (kind, body) SELECT 'HTML', body FROM (SELECT body FROM files WHERE kind = 'HTML' AND lang = 'en' GROUP BY body ORDER BY md5(body) LIMIT 2000) s;
INSERT INTO items (kind, body) SELECT 'code', body FROM (SELECT body FROM files WHERE kind = 'code' GROUP BY body ORDER BY md5(body) LIMIT 2000) s;

-- Scripts and styles, and then all tags, are replaced by a space.
\ir ../examples/without_tags.sql
INSERT INTO items (kind, body) SELECT 'HTML without tags', without_tags(body) FROM items WHERE kind = 'HTML';

-- Copies with 5% of the words replaced
CREATE TABLE copies AS
SELECT id, kind, (SELECT string_agg(CASE WHEN (hashtextextended(n || '/' || word, id) & 1023) < 51 THEN substr(md5(id || '/' || n), 1, 6) ELSE word END, ' ' ORDER BY n)
                  FROM regexp_split_to_table(btrim(body, E' \n\t'), '\s+') WITH ORDINALITY w (word, n)) AS body
FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY md5(body)) AS nr FROM items WHERE length(body) < 50000) i WHERE nr <= 500;

-- Features that more than 5% of the texts of a kind have
CREATE TABLE common AS
SELECT kind, hash FROM items JOIN (SELECT kind, count(*) AS n FROM items GROUP BY kind) k USING (kind), simhash_features(body)
GROUP BY kind, hash, n HAVING count(*) > .05 * n;
CREATE UNIQUE INDEX ON common (kind, hash);
ANALYZE;

CREATE TABLE choices_of_kinds (nr int GENERATED ALWAYS AS IDENTITY, choice text, bits int, expression text);
INSERT INTO choices_of_kinds (choice, bits, expression) VALUES
  ('default', 64, 'minhash_bits(body, 64)'), ('default', 256, 'minhash_bits(body, 256)'),
  ('three words', 64, $$minhash_bits(body, 64, 'words', n => 3)$$), ('three words', 256, $$minhash_bits(body, 256, 'words', n => 3)$$),
  ('five words', 256, $$minhash_bits(body, 256, 'words', n => 5)$$),
  ('4 characters', 256, $$minhash_bits(body, 256, 'characters', n => 4)$$),
  ('parts between spaces', 256, $$minhash_bits_from_features(regexp_split_to_array(body, '\s+'), 256)$$),
  ('without template', 256, $$(SELECT minhash_bits_agg(hash, 256) FROM simhash_features(body) f
    WHERE NOT EXISTS (SELECT FROM common WHERE common.kind = s.kind AND common.hash = f.hash))$$);
CREATE TABLE near_of_kinds (nr int, kind text, a int, b int);
CREATE TABLE found_of_kinds (nr int, kind text, found float8);
DO $$
DECLARE c choices_of_kinds; k text;
BEGIN
  FOR c IN SELECT * FROM choices_of_kinds ORDER BY nr LOOP
    DROP TABLE IF EXISTS f;
    EXECUTE format('CREATE TEMP TABLE f AS SELECT id, kind, %s AS fp FROM items s', c.expression);
    FOR k IN SELECT DISTINCT kind FROM items LOOP
      INSERT INTO near_of_kinds SELECT c.nr, k, a, b FROM simhash_pairs(format('SELECT id, fp FROM f WHERE kind = %L AND fp IS NOT NULL', k), NULL::int, c.bits * 5 / 64);
    END LOOP;
    EXECUTE format('INSERT INTO found_of_kinds SELECT %s, kind, avg(coalesce((f.fp <-> c.fp <= %s)::int, 0)) FROM f JOIN (SELECT id, %s AS fp FROM copies s) c USING (id) GROUP BY kind',
                   c.nr, c.bits * 5 / 64, c.expression);
  END LOOP;
END $$;
CREATE TABLE alike_of_kinds AS
SELECT a, b, simhash_resemblance(x.body, y.body) AS r
FROM (SELECT DISTINCT a, b FROM near_of_kinds JOIN choices_of_kinds USING (nr) WHERE choice = 'default') n JOIN items x ON x.id = a JOIN items y ON y.id = b;

\t on
SELECT E'\n## Texts that are no prose\n\nPairs of different texts within 5/64 of the bits, and the share of copies with 5% other words that is found\n';
SELECT format('| texts | %s |', string_agg(choice || ', ' || bits, ' | ' ORDER BY nr)) FROM choices_of_kinds;
SELECT format('| %s %s | %s |', (SELECT count(*) FROM items i WHERE i.kind = k.kind), kind,
              string_agg(format('%s, %s', (SELECT count(*) FROM near_of_kinds n WHERE n.nr = c.nr AND n.kind = k.kind),
                                to_char((SELECT found FROM found_of_kinds n WHERE n.nr = c.nr AND n.kind = k.kind), 'FM0.00')), ' | ' ORDER BY nr))
FROM (SELECT DISTINCT kind FROM items) k, choices_of_kinds c GROUP BY kind ORDER BY kind;
SELECT E'\nPairs within 64/5 and 256/20 that share less than .7 of their default features:\n';
SELECT format('| %s | %s / %s |', kind, count(*) FILTER (WHERE bits = 64 AND r < .7), count(*) FILTER (WHERE bits = 256 AND r < .7))
FROM near_of_kinds JOIN choices_of_kinds USING (nr) JOIN alike_of_kinds USING (a, b) WHERE choice = 'default' GROUP BY kind ORDER BY kind;

\t on
-- What other programs add to a text, and the expressions of doc/measurements.md that remove it
CREATE TABLE paragraphs AS SELECT row_number() OVER (ORDER BY md5(t))::int AS id, t
FROM (SELECT DISTINCT regexp_split_to_table(body, '\n') AS t FROM (SELECT body FROM documents WHERE lang = 'en' AND kind IN ('manual page', 'documentation') AND release = 0 ORDER BY md5(document), md5(body) LIMIT 1000) d) p
WHERE cardinality(string_to_array(t, ' ')) BETWEEN 30 AND 80 ORDER BY md5(t) LIMIT 500;
CREATE TABLE dressed AS
SELECT id, kind, a, b, CASE kind
    WHEN 'posts' THEN 'https?://\S+|RT @\w+|[#@]' WHEN 'subtitles' THEN '(\d+\r?\n)?[\d:,.]+ --> [\d:,.]+|\[?\d+:\d\d(:\d\d)?\]?' ELSE '(\w)[-‐]\r?\n\s*' END AS expression,
  CASE kind WHEN 'words cut by line ends' THEN '\1' ELSE ' ' END AS instead
FROM paragraphs, LATERAL (VALUES
  ('posts', left(t, 220) || ' https://t.co/' || substr(md5(id::text), 1, 10), 'RT @' || substr(md5(id || 'n'), 1, 7) || ': ' || left(t, 220) || ' https://t.co/' || substr(md5(id || 'm'), 1, 10) || ' #' || substr(md5(id || 't'), 1, 5)),
  ('subtitles', (SELECT string_agg(CASE WHEN n % 7 = 1 THEN format(E'\n\n%s\n00:%s:%s,000 --> 00:%s:%s,500\n', (n + 6) / 7, n / 60 % 60, n % 60, (n + 3) / 60, (n + 3) % 60) ELSE ' ' END || w, '' ORDER BY n) FROM regexp_split_to_table(t, ' ') WITH ORDINALITY x (w, n)),
                (SELECT string_agg(CASE WHEN n % 9 = 1 THEN format(E'\n\n%s\n00:%s:%s,000 --> 00:%s:%s,500\n', (n + 8) / 9, n / 60 + 7, n % 60, (n + 3) / 60 + 7, (n + 3) % 60) ELSE ' ' END || w, '' ORDER BY n) FROM regexp_split_to_table(t, ' ') WITH ORDINALITY x (w, n))),
  ('words cut by line ends', t, (SELECT string_agg(CASE WHEN n % 11 = 0 AND length(w) > 5 THEN substr(w, 1, 3) || E'-\n' || substr(w, 4) ELSE w END, ' ' ORDER BY n) FROM regexp_split_to_table(t, ' ') WITH ORDINALITY x (w, n)))
) v (kind, a, b);
SELECT E'\n## What to strip\n\nShare of 500 paragraphs in two dresses that are found\n\n| texts | within 20 | within 48 | three words, within 20 | 3 characters, within 48 | stripped, within 20 |\n|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s |', kind, to_char(avg((minhash_bits(a) % minhash_bits(b))::int), 'FM0.00'), to_char(avg((minhash_bits(a) <-> minhash_bits(b) <= 48)::int), 'FM0.00'),
  to_char(avg((minhash_bits(a, features => 'words', n => 3) % minhash_bits(b, features => 'words', n => 3))::int), 'FM0.00'),
  to_char(avg((minhash_bits(a, features => 'characters', n => 3) <-> minhash_bits(b, features => 'characters', n => 3) <= 48)::int), 'FM0.00'),
  to_char(avg((minhash_bits(regexp_replace(a, expression, instead, 'g')) % minhash_bits(regexp_replace(b, expression, instead, 'g')))::int), 'FM0.00'))
FROM dressed GROUP BY kind ORDER BY kind;
