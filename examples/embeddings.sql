-- Binary embeddings of texts or images, with pgvector: an index of this extension for "the same with small changes", and
-- pgvector's HNSW index for "the most similar in meaning".  The distance for the former depends on the model: see
-- bit_calibrate.
\set ON_ERROR_STOP on

CREATE EXTENSION vector;
CREATE TABLE passages (id bigint PRIMARY KEY, embedding vector(512),
  code bit(512) GENERATED ALWAYS AS (binary_quantize(embedding)::bit(512)) STORED);
CREATE INDEX ON passages USING bitblock (code);
CREATE INDEX ON passages USING hnsw (code bit_hamming_ops);

-- All near embeddings
SELECT id FROM passages WHERE code <-> (SELECT code FROM passages WHERE id = 1) <= 40;

-- The most similar, also far ones: HNSW finds most of them
SELECT id FROM passages ORDER BY code <~> (SELECT code FROM passages WHERE id = 1) LIMIT 100;

-- The ten most similar, none of them within 40 of a nearer one
SELECT id FROM (SELECT *, bit_is_first(code, 40) OVER (ORDER BY distance) AS first
  FROM (SELECT *, code <~> (SELECT code FROM passages WHERE id = 1) AS distance
        FROM passages ORDER BY distance LIMIT 100) found) ranked
WHERE first ORDER BY distance LIMIT 10;
