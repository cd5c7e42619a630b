-- keep(body): insert a document from many sessions at once, and mark it if a near original is in the table.
--
-- The trigger alone would miss originals of concurrent transactions.  The exclusion constraint makes a session wait for
-- a concurrent insert of a near-duplicate, and rejects the row if the other session commits.  The function then repeats
-- the insert, and the trigger sees the original.
--
-- Call keep once in each transaction.  Trigger and constraint must have the same distance, and the trigger must see all
-- originals in spite of row-level security.  Under REPEATABLE READ and SERIALIZABLE the function fails with 40001 instead
-- of repeating: repeat the transaction.  The constraint rejects siblings, so do not use 'confirm=...' with it.
\set ON_ERROR_STOP on

CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL,
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED, duplicate_of bigint REFERENCES docs,
  CONSTRAINT one_original EXCLUDE USING bitblock (fp WITH %) WHERE (duplicate_of IS NULL));
CREATE TRIGGER original BEFORE INSERT ON docs FOR EACH ROW
  EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');

CREATE FUNCTION keep(new_body text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE new_id bigint;
BEGIN
  FOR attempt IN 1..100 LOOP
    INSERT INTO docs (body) VALUES (new_body)
      ON CONFLICT ON CONSTRAINT one_original DO NOTHING RETURNING id INTO new_id;
    IF FOUND THEN RETURN new_id; END IF;
    -- another session has inserted the original: the next attempt sees it
  END LOOP;
  RAISE EXCEPTION 'the original is hidden from the trigger';
END $$;

SELECT keep('The quick brown fox jumps over the lazy dog.');
SELECT keep('The quick, brown fox jumps over the lazy dog!');
SELECT id, duplicate_of FROM docs ORDER BY id;
--  id | duplicate_of
-- ----+--------------
--   1 |
--   2 |            1
-- (2 rows)
