-- Distances of all pairs, and those of chance.
SELECT distance, pairs, pairs_within FROM simhash_calibrate(ARRAY['0000000000000000', '0000000000000001', '0000000000000003', 'ffffffffffffffff', NULL]::simhash[]) WHERE pairs > 0;
SELECT count(*) AS rows, sum(pairs) AS pairs, round(sum(expected)) AS expected, max(pairs_within) AS pairs_within, round(max(expected_within)) AS expected_within
FROM simhash_calibrate((SELECT array_agg(random_fp(i::text)) FROM generate_series(1, 1001) i));
-- random fingerprints are as chance would have them
SELECT bool_and(abs(pairs - expected) < 6 * sqrt(expected) + 3) AS by_chance FROM simhash_calibrate((SELECT array_agg(random_fp(i::text)) FROM generate_series(1, 2000) i));
SELECT distance, pairs, round(expected * 2 ^ 64) AS binomial FROM simhash_calibrate(ARRAY['0000000000000000', 'ffffffffffffffff']::simhash[]) WHERE distance IN (0, 1, 2, 3, 64);
SELECT sum(pairs) AS pairs, sum(expected) AS expected FROM simhash_calibrate('{}');
SELECT sum(pairs) AS pairs, sum(expected) AS expected FROM simhash_calibrate(ARRAY['0000000000000000'::simhash]);
SELECT count(*) FROM simhash_calibrate(NULL);
SELECT sum(pairs) FROM simhash_calibrate('{{0000000000000000,0000000000000000},{0000000000000000,0000000000000000}}'::simhash[]);
-- cancelled
SET LOCAL statement_timeout = '300ms' \; SELECT sum(pairs) FROM simhash_calibrate(array_fill('0000000000000000'::simhash, ARRAY[2000000]));
