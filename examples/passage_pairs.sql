-- All pairs of documents that share passages, and searches with texts of 5,000 words and more: a table with a row for
-- each key takes the place of the GIN index, which looks up the keys of a text one by one.  It uses the tables docs and
-- frequent_keys of doc/passages.md.
\set ON_ERROR_STOP on

CREATE TABLE doc_keys (key bigint, id bigint);
INSERT INTO doc_keys SELECT k.key, id FROM docs, unnest(keys) k (key);
CREATE INDEX ON doc_keys (key, id);
ANALYZE doc_keys;

-- The documents that share most keys with a text
SELECT id, count(*) AS shared
FROM unnest(simhash_passage_keys('a long text')) k (key) JOIN doc_keys USING (key)
GROUP BY id ORDER BY shared DESC LIMIT 20;

-- All pairs that share 2 keys or more.  A key that n documents have makes n * (n - 1) / 2 pairs, so leave out the
-- frequent keys.
SELECT a.id, b.id, count(*) AS shared
FROM doc_keys a JOIN doc_keys b USING (key)
WHERE a.id < b.id AND NOT EXISTS (SELECT FROM frequent_keys f WHERE f.key = a.key)
GROUP BY a.id, b.id HAVING count(*) >= 2;

-- All pairs, and the number of words of their longest passage
SELECT a.id, b.id, p.words
FROM (SELECT DISTINCT x.id AS a_id, y.id AS b_id FROM doc_keys x JOIN doc_keys y USING (key) WHERE x.id < y.id) pairs
  JOIN docs a ON a.id = a_id JOIN docs b ON b.id = b_id,
  LATERAL (SELECT words FROM simhash_passages(a.body, b.body) LIMIT 1) p
ORDER BY a.id, b.id;
