-- Near-duplicates by the three longest sentences of a text, as Baidu is said to find them.  Use minhash_bits(body)
-- instead.  Share of edits that is found, by the share of the text that was changed, and share of 1.9 million pairs of
-- other texts that is found (make bench-quality, corpus debian):
--
-- |                                | all  | under 1% | 1-5% | 5-10% | 10-25% | other texts |
-- |--------------------------------|------|-----------|-------|--------|---------|-------------|
-- | the same three sentences       | .283 | .608      | .328  | .218   | .106    | 1.7e-4      |
-- | two in common                  | .623 | .931      | .700  | .575   | .406    | 1.4e-3      |
-- | one in common                  | .828 | .989      | .875  | .811   | .699    | 5.8e-3      |
-- | minhash(body) within 5         | .676 | .998      | .945  | .656   | .221    | 3.4e-8      |
-- | minhash_bits(body) within 20   | .646 | .998      | .977  | .615   | .118    | none        |
-- | minhash_bits(body) within 48   | .973 | 1.000     | 1.000 | 1.000  | .902    | 4.0e-7      |
\set ON_ERROR_STOP on

CREATE TABLE docs (id bigint PRIMARY KEY, body text NOT NULL);
INSERT INTO docs VALUES
  (1, 'How are you? I am fine. Thanks. The harbour master has closed the north pier after the storm.'),
  (2, 'How are you? I am fine, thanks! The harbour master has closed the north pier after a storm.'),
  (3, 'Heat the oil in a large pan, fry the onions until they are golden, and add garlic and tomatoes.');

CREATE TABLE sentences AS
SELECT id, key FROM docs, LATERAL (
  SELECT minhash(sentence)::bigint AS key
  FROM regexp_split_to_table(body, '[.!?;]\s+|[。！？；…]|\n\s*\n') sentence
  WHERE minhash(sentence) IS NOT NULL
  GROUP BY key ORDER BY max(length(sentence)) DESC, key LIMIT 3) longest;
CREATE INDEX ON sentences (key);
SELECT a.id, b.id, count(*) AS common
FROM sentences a JOIN sentences b USING (key) WHERE a.id < b.id GROUP BY a.id, b.id;
--  id | id | common
-- ----+----+--------
--   1 |  2 |      1
-- (1 row)
