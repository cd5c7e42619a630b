-- Search fingerprints on a server without the extension.  A bigint holds 64 bits, as "pgsimhash minhash --bigint" writes
-- them, and each of four B-trees has 16 of them, a block.
\set ON_ERROR_STOP on

CREATE TABLE docs (id bigint PRIMARY KEY, fp bigint);
CREATE INDEX docs_block_1 ON docs (((fp >> 48 & 65535)::integer));
CREATE INDEX docs_block_2 ON docs (((fp >> 32 & 65535)::integer));
CREATE INDEX docs_block_3 ON docs (((fp >> 16 & 65535)::integer));
CREATE INDEX docs_block_4 ON docs (((fp & 65535)::integer));
INSERT INTO docs VALUES (1, 81985529216486895), (2, 81985529216486894), (3, 81704049944743404), (4, -7);

-- Two fingerprints within 3 have at least one equal block.
PREPARE within_3(bigint) AS
SELECT id FROM docs
WHERE ((fp >> 48 & 65535)::integer = ($1 >> 48 & 65535)::integer OR
       (fp >> 32 & 65535)::integer = ($1 >> 32 & 65535)::integer OR
       (fp >> 16 & 65535)::integer = ($1 >> 16 & 65535)::integer OR
       (fp & 65535)::integer = ($1 & 65535)::integer)
  AND bit_count((fp # $1)::bit(64)) <= 3
ORDER BY id;
EXECUTE within_3(81985529216486895);
--  id
-- ----
--   1
--   2
-- (2 rows)

-- Two fingerprints within 5 have an equal block among the last two, or a block among the first two that differs in at
-- most one bit.  The function returns a block and the 16 values that differ from it in one bit.
CREATE FUNCTION blocks_within_1(block integer) RETURNS integer[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(block # (65536 >> i & 65535)) FROM generate_series(0, 16) i $$;

PREPARE within_5(bigint) AS
SELECT id FROM docs
WHERE ((fp >> 48 & 65535)::integer = ANY (blocks_within_1(($1 >> 48 & 65535)::integer)) OR
       (fp >> 32 & 65535)::integer = ANY (blocks_within_1(($1 >> 32 & 65535)::integer)) OR
       (fp >> 16 & 65535)::integer = ($1 >> 16 & 65535)::integer OR
       (fp & 65535)::integer = ($1 & 65535)::integer)
  AND bit_count((fp # $1)::bit(64)) <= 5
ORDER BY id;
EXECUTE within_5(81985529216486895);
--  id
-- ----
--   1
--   2
--   3
-- (3 rows)

-- When the server gets the extension, keep the fingerprints and replace the indexes.
CREATE EXTENSION simhash;
DROP INDEX docs_block_1, docs_block_2, docs_block_3, docs_block_4;
ALTER TABLE docs ALTER fp TYPE simhash USING fp::simhash;
CREATE INDEX ON docs USING bitblock (fp);
