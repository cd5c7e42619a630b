-- Fingerprints of the words that a document adds to its template, for a table docs with a column body:
--
--   psql -f examples/without_template.sql
--
-- Ignores the words and pairs of words that more than 5% of the documents have. They are the rows of the table template.
-- Keep that table unchanged, because every fingerprint in the column own depends on it: a new document is stored with the
-- expression of the UPDATE. A document that has only words of the template gets NULL.
\set ON_ERROR_STOP on

CREATE TABLE template AS
SELECT hash FROM docs, simhash_features(body)
GROUP BY hash HAVING count(*) > 0.05 * (SELECT count(*) FROM docs);
CREATE UNIQUE INDEX ON template (hash);

ALTER TABLE docs ADD own bit(256);
UPDATE docs SET own = (
  SELECT minhash_bits_agg(hash, 256) FROM simhash_features(body) f
  WHERE NOT EXISTS (SELECT FROM template t WHERE t.hash = f.hash));
