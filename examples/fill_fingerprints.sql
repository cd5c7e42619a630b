-- fill_fingerprints(first, last): compute the missing fingerprints of the rows with these ids, in batches.
--
-- A trigger computes the fingerprint of a row when fp is updated (see large-tables.md).  Each batch locks its rows
-- against other writers for a fraction of a second, and commits.  You can call an interrupted procedure again.  With
-- replicas, or with little space on disk, make the batches smaller and call pg_sleep after COMMIT.  If the key is not a
-- number, make the batches ranges of another indexed column, such as the time of creation.

CREATE PROCEDURE fill_fingerprints(first bigint, last bigint, batch integer DEFAULT 10000) LANGUAGE plpgsql AS $$
DECLARE started timestamptz := clock_timestamp();
BEGIN
  FOR start IN first .. last BY batch LOOP
    UPDATE docs SET fp = NULL    -- the trigger computes it
    WHERE id BETWEEN start AND least(start + batch - 1, last) AND fp IS NULL;
    COMMIT;
    IF (start - first) / batch % 10 = 9 THEN
      RAISE NOTICE 'id % of %, %', start + batch - 1, last, clock_timestamp() - started;
    END IF;
  END LOOP;
END $$;
