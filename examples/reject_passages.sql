-- A trigger that rejects a text if 30% or more of its words are in passages of one other document.  It compares only
-- documents that share a key with the text.
--
-- * With RETURN NULL instead of the error, the trigger leaves the row out silently.
-- * A BEFORE trigger does not see generated columns, so it computes the keys itself.
-- * The lock makes concurrent inserts wait for each other.  Under REPEATABLE READ and SERIALIZABLE the search may miss
--   rows that others committed during the transaction.
-- * enable_seqscan = off makes the plan use the index while the table is small.
\set ON_ERROR_STOP on

CREATE TABLE essays (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL,
  keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
CREATE INDEX ON essays USING gin (keys);
CREATE FUNCTION reject_copied() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  new_keys bigint[] := simhash_passage_keys(NEW.body);
  original bigint;
BEGIN
  PERFORM pg_advisory_xact_lock('essays'::regclass::oid::integer, 0);
  SELECT e.id INTO original FROM essays e
  WHERE e.keys && new_keys AND e.id <> NEW.id AND simhash_containment(NEW.body, e.body) >= 0.3
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'passages are copied from essay %', original USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER reject_copied BEFORE INSERT OR UPDATE OF body ON essays
  FOR EACH ROW EXECUTE FUNCTION reject_copied();
