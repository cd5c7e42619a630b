-- Distances that replace the bands of an LSH index (b bands of r hashes each): the resemblance at which the bands find
-- half of the pairs, the distances that find half of these, and those that find .95 of the pairs of the tool's threshold.
\set ON_ERROR_STOP on

SELECT tool, b || ' x ' || r AS bands, round(half::numeric, 2) AS half, minhash_bound(half, 256, 0.5) AS "of 256 bits",
       minhash_bound(half, 64, 0.5) AS "of 64", minhash_bound(threshold, 256) AS ".95 of 256", minhash_bound(threshold, 64) AS "of 64"
FROM (VALUES ('datasketch, 0.8 of 128', .8, 9, 13), ('text-dedup, 0.7 of 256', .7, 25, 10), ('datatrove, FineWeb', .75, 14, 8))
       v (tool, threshold, b, r), LATERAL (SELECT (1 - 0.5 ^ (1.0 / b)) ^ (1.0 / r)) h (half);
--           tool          |  bands  | half | of 256 bits | of 64 | .95 of 256 | of 64
-- ------------------------+---------+------+-------------+-------+------------+-------
--  datasketch, 0.8 of 128 | 9 x 13  | 0.82 |          23 |     6 |         34 |    11
--  text-dedup, 0.7 of 256 | 25 x 10 | 0.70 |          39 |    10 |         48 |    14
--  datatrove, FineWeb     | 14 x 8  | 0.68 |          40 |    10 |         41 |    13
-- (3 rows)
