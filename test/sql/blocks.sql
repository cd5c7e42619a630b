-- The keys of a fingerprint: blocks from the most significant bits on, each with its
-- number above it
SELECT simhash_blocks('0123456789abcdef', 0), simhash_blocks('ffffffffffffffff', 0);
SELECT simhash_blocks('0123456789abcdef', 1);
SELECT simhash_blocks('0123456789abcdef', 3);
SELECT simhash_blocks('0123456789abcdef', 8);
SELECT simhash_blocks('8000000000000001', 63);
-- no two fingerprints are within a negative distance, any two are within 64
SELECT simhash_blocks('0123456789abcdef', -1), simhash_blocks('0123456789abcdef', -2147483648);
SELECT simhash_blocks('0123456789abcdef', 64) && simhash_blocks(complement('0123456789abcdef'::simhash), 64) AS all_within,
       simhash_blocks('0123456789abcdef', 2147483647) = simhash_blocks('0123456789abcdef', 64) AS more_is_64;
SELECT simhash_blocks(NULL, 3), simhash_blocks('0123456789abcdef', NULL);

-- distance + 1 keys, all different; and they tell the whole fingerprint, every bit
-- once: two fingerprints share all keys only if they are equal
SELECT count(*) AS compared,
       count(*) FILTER (WHERE cardinality(simhash_blocks(fp, k)) <> k + 1) AS wrong_count,
       count(*) FILTER (WHERE (SELECT count(DISTINCT b) FROM unnest(simhash_blocks(fp, k)) b) <> k + 1) AS not_distinct,
       count(*) FILTER (WHERE (SELECT count(*) FROM generate_series(0, 63) bit
         WHERE cardinality(ARRAY(SELECT unnest(simhash_blocks(fp, k)) EXCEPT SELECT unnest(simhash_blocks(exclusive_or(fp, (1::bigint << bit)::simhash), k)))) <> 1) <> 0) AS bit_not_in_one_key
FROM shaped_fps('extremes', 10), generate_series(0, 64) k;

-- Exactly so many bits differ (flip may flip one twice).
CREATE FUNCTION flip_any(fp simhash, bits int, seed text) RETURNS simhash LANGUAGE sql IMMUTABLE AS
$$ SELECT exclusive_or(fp, coalesce(bit_or(1::bigint << bit), 0)::simhash)
   FROM (SELECT bit FROM generate_series(0, 63) bit ORDER BY md5(seed || ' ' || bit) LIMIT bits) s $$;


-- Any two within the distance have a key in common. Keys of different blocks never meet.
SELECT shape, count(*) FILTER (WHERE a.fp <-> b.fp <= k) AS within,
       count(*) FILTER (WHERE a.fp <-> b.fp <= k AND NOT simhash_blocks(a.fp, k) && simhash_blocks(b.fp, k)) AS missed
FROM unnest(ARRAY['random', 'equal', 'clusters', 'few bits', 'low bits', 'extremes']) shape,
     shaped_fps(shape, 60) a, shaped_fps(shape, 60) b, generate_series(-1, 65) k
GROUP BY 1 ORDER BY 1;
SELECT k, count(*) AS pairs, count(*) FILTER (WHERE NOT simhash_blocks(a, k) && simhash_blocks(b, k)) AS missed
FROM generate_series(0, 64, 4) k, generate_series(1, 200) i, random_fp(i::text) a, flip_any(a, k, i::text) b
GROUP BY 1 ORDER BY 1;
SELECT count(*) AS meetings
FROM (SELECT DISTINCT k, i, b FROM generate_series(1, 64) k, shaped_fps('extremes', 50), unnest(simhash_blocks(fp, k)) WITH ORDINALITY AS u (b, i)) x
JOIN (SELECT DISTINCT k, i, b FROM generate_series(1, 64) k, shaped_fps('extremes', 50), unnest(simhash_blocks(fp, k)) WITH ORDINALITY AS u (b, i)) y
  USING (k, b) WHERE x.i <> y.i;

-- The equi-join finds the pairs that comparing all finds
CREATE TABLE blocks_t AS SELECT * FROM shaped_fps('clusters', 800) UNION ALL SELECT id + 1000, fp FROM shaped_fps('random', 800);
CREATE VIEW block_pairs AS
WITH keys AS (SELECT id, fp, k, block FROM blocks_t, unnest(ARRAY[0, 1, 3, 5, 8]) k, unnest(simhash_blocks(fp, k)) block)
SELECT DISTINCT k, a.id AS a, b.id AS b FROM keys a JOIN keys b USING (k, block) WHERE a.id < b.id AND a.fp <-> b.fp <= k;
CREATE VIEW all_pairs AS
SELECT k, a.id AS a, b.id AS b FROM unnest(ARRAY[0, 1, 3, 5, 8]) k, blocks_t a JOIN blocks_t b ON a.id < b.id WHERE a.fp <-> b.fp <= k;
SELECT (SELECT count(*) FROM block_pairs) AS pairs,
       (SELECT count(*) FROM (TABLE all_pairs EXCEPT TABLE block_pairs) s) AS missed,
       (SELECT count(*) FROM (TABLE block_pairs EXCEPT TABLE all_pairs) s) AS wrong;
DROP TABLE blocks_t CASCADE;
DROP FUNCTION flip_any;
