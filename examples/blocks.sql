-- Lookups within 3 bits that ask at most four of many servers (Manku, Jain and Das Sarma, WWW 2007): a copy of the
-- fingerprints, divided by the keys of simhash_blocks.  The table docs (id, fp simhash) is given, and the partitions may be
-- foreign tables.
--
-- * Keys for 3 serve distances up to 3.
-- * PostgreSQL prunes partitions when it makes the plan, so the fingerprint must be a constant, or a parameter of a custom
--   plan (SET plan_cache_mode = force_custom_plan).  A generic plan asks all partitions.
-- * The table has k + 1 times as many rows as docs.  From ten million rows on, give the partitions an index USING bitblock
--   (fp) instead of (block): the key then only decides which servers are asked.  With more than some 30 million rows per
--   server, a lookup's total work by (block) is the same as by id.
-- * Copies of one document share all keys, so they load servers unevenly.  Put each different fingerprint into the table
--   once, with the list of its documents (PRIMARY KEY (block, fp)).
\set ON_ERROR_STOP on

CREATE TABLE blocks (block bigint NOT NULL, fp simhash NOT NULL, id bigint NOT NULL) PARTITION BY HASH (block);
CREATE TABLE blocks_0 PARTITION OF blocks FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE blocks_1 PARTITION OF blocks FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON blocks (block);
INSERT INTO blocks SELECT block, fp, id FROM docs, unnest(simhash_blocks(fp, 3)) block;

-- A lookup: at most four partitions can hold an answer, and only they are asked
SELECT DISTINCT id FROM blocks
WHERE block = ANY (simhash_blocks('0123456789abcdef', 3)) AND fp <-> '0123456789abcdef' <= 3;

-- All pairs: each partition by itself.  postgres_fdw ships the join of each partition, and only pairs come back
-- (use_remote_estimate, ANALYZE blocks).
SET enable_partitionwise_join = on;
SELECT DISTINCT a.id, b.id FROM blocks a JOIN blocks b USING (block)
WHERE a.id < b.id AND a.fp <-> b.fp <= 3;

-- Keep the table up to date
CREATE FUNCTION keep_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM blocks WHERE block = ANY (simhash_blocks(OLD.fp, 3)) AND id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO blocks SELECT block, NEW.fp, NEW.id FROM unnest(simhash_blocks(NEW.fp, 3)) block;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_blocks AFTER INSERT OR UPDATE OR DELETE ON docs
  FOR EACH ROW EXECUTE FUNCTION keep_blocks();
