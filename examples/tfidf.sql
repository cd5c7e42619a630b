-- Fingerprints of the 20 terms with the largest TF-IDF weights of each document.  Keep the table terms unchanged, because
-- other weights give other fingerprints.  Give new terms the weight of the rarest.
\set ON_ERROR_STOP on

CREATE TABLE docs (id bigint PRIMARY KEY, body text NOT NULL);
INSERT INTO docs VALUES
  (1, 'How are you? I am fine. Thanks. The harbour master has closed the north pier after the storm.'),
  (2, 'How are you? I am fine, thanks! The harbour master has closed the north pier after a storm.'),
  (3, 'Heat the oil in a large pan, fry the onions until they are golden, and add garlic and tomatoes.');

CREATE TABLE terms AS
SELECT word AS term, ln((SELECT count(*) FROM docs)::float8 / ndoc) AS idf
FROM ts_stat('SELECT to_tsvector(''english'', body) FROM docs');

SELECT id, simhash_weighted_agg(term, tf * idf) AS fp
FROM docs, LATERAL (
  SELECT term, tf, idf
  FROM (SELECT lexeme AS term, cardinality(positions) AS tf
        FROM unnest(to_tsvector('english', body))) t JOIN terms USING (term)
  ORDER BY tf * idf DESC, term
  LIMIT 20) top
GROUP BY id ORDER BY id;
--  id |        fp
-- ----+------------------
--   1 | 46070a315826c5ff
--   2 | 46070a315826c5ff
--   3 | 6fae4b68378ab201
-- (3 rows)
