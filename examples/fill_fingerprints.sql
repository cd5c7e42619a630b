-- fill_fingerprints(first, past): compute the missing fingerprints of the rows from first up to past, in batches.
--
-- Ids can be of any type with an order, such as uuid.  If first is NULL, it starts with the smallest id, and if past is
-- NULL, it ends with the largest.  A trigger computes the fingerprint of a row when fp is updated (see large-tables.md).
-- Each batch locks its rows against other writers for a fraction of a second, and commits.  You can call an interrupted
-- procedure again.  With replicas, or with little space on disk, make the batches smaller and call pg_sleep after COMMIT.
\set ON_ERROR_STOP on

CREATE PROCEDURE fill_fingerprints(first docs.id%TYPE DEFAULT NULL, past docs.id%TYPE DEFAULT NULL, batch integer DEFAULT 10000)
LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz := clock_timestamp();
  start docs.id%TYPE := first;
  last docs.id%TYPE;
  batches integer := 0;
BEGIN
  IF start IS NULL THEN SELECT id INTO start FROM docs ORDER BY id LIMIT 1; END IF;
  WHILE start < past OR start IS NOT NULL AND past IS NULL LOOP
    SELECT id INTO last FROM (SELECT id FROM docs WHERE id >= start ORDER BY id LIMIT batch) b ORDER BY id DESC LIMIT 1;
    UPDATE docs SET fp = NULL    -- the trigger computes it
    WHERE id BETWEEN start AND last AND fp IS NULL;
    COMMIT;
    batches := batches + 1;
    IF batches % 10 = 0 THEN RAISE NOTICE '% batches, id %, %', batches, last, clock_timestamp() - started; END IF;
    SELECT id INTO start FROM docs WHERE id > last ORDER BY id LIMIT 1;
  END LOOP;
END $$;
