-- Load documents in bulk: copy them into a staging table, and insert those that are not near a document in the table.
-- Of several new near-duplicates only the first is inserted, even if another session inserts them at the same time.
\set ON_ERROR_STOP on

CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL, fp bit(256),
  EXCLUDE USING bitblock (fp WITH %));
INSERT INTO docs (body, fp)
  SELECT d, minhash_bits(d) FROM (VALUES ('The quick brown fox jumps over the lazy dog.')) v (d);

CREATE TABLE staging (n bigint GENERATED ALWAYS AS IDENTITY, body text NOT NULL,
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
COPY staging (body) FROM stdin;
the quick, brown fox jumps over the lazy dog
Something else altogether, which is not in the table yet.
something else, altogether, which is not in the table yet
\.
ANALYZE staging;

-- Two loads at the same time can deadlock (40P01).  The lock prevents that, and lets other sessions read.  Without
-- other loads you do not need it.
BEGIN;
LOCK TABLE docs IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO docs (body, fp)
  SELECT body, fp FROM staging s WHERE NOT EXISTS (SELECT FROM docs d WHERE d.fp % s.fp) ORDER BY n
  ON CONFLICT DO NOTHING;
COMMIT;

-- What was left out, and why.  Drop the staging table when you have looked at it.
SELECT s.body, d.body AS stored FROM staging s JOIN docs d ON s.fp % d.fp WHERE s.body <> d.body ORDER BY n;
--                            body                            |                          stored
-- -----------------------------------------------------------+-----------------------------------------------------------
--  the quick, brown fox jumps over the lazy dog              | The quick brown fox jumps over the lazy dog.
--  something else, altogether, which is not in the table yet | Something else altogether, which is not in the table yet.
-- (2 rows)
