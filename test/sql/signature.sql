-- Fingerprints of MinHash signatures that other programs have made

-- The lowest bit of each value, the first value first, in every form
CREATE TABLE signatures AS
SELECT n, array_agg(value ORDER BY i) AS sig,
       string_agg(decode(reverse_hex, 'hex'), '' ORDER BY i) AS little8, string_agg(int8send(value), '' ORDER BY i) AS big8,
       string_agg(substring(decode(reverse_hex, 'hex'), 1, 4), '' ORDER BY i) AS little4, string_agg(substring(int8send(value), 5, 4), '' ORDER BY i) AS big4,
       string_agg((value & 1)::text, '' ORDER BY i)::bit varying AS lowest
FROM unnest('{64,80,112,128,256,1024}'::int[]) n, generate_series(1, n) i, hashint8extended(n * 10000 + i, 0) value,
  LATERAL (SELECT string_agg(substring(int8send(value)::text, 1 + 2 * b, 2), '' ORDER BY b DESC) AS reverse_hex FROM generate_series(1, 8) b) r
GROUP BY n;
SELECT n, a, a = minhash_bits_from_signature(little8, 8) AND a = minhash_bits_from_signature(big8, 8, 'big') AND a = minhash_bits_from_signature(little4, 4, 'little') AND a = minhash_bits_from_signature(big4, 4, byte_order => 'BIG') AND a = lowest AS same, length(a)
FROM (SELECT *, minhash_bits_from_signature(sig) AS a FROM signatures) s ORDER BY n LIMIT 2;
SELECT bool_and(a = minhash_bits_from_signature(little8, 8) AND a = minhash_bits_from_signature(big8, 8, 'big') AND a = minhash_bits_from_signature(little4, 4) AND a = minhash_bits_from_signature(big4, 4, 'big') AND a = lowest) AS same
FROM (SELECT *, minhash_bits_from_signature(sig) AS a FROM signatures) s;
-- Any lower bound; signatures out of line and compressed
SELECT minhash_bits_from_signature(('[5:68]=' || sig::text)::bigint[]) = minhash_bits_from_signature(sig) AS same FROM signatures WHERE n = 64;
CREATE TABLE long_signatures (sig bigint[], bytes bytea);
ALTER TABLE long_signatures ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO long_signatures SELECT array_agg((i % 3)::bigint ORDER BY i), string_agg(int4send(i % 3), '' ORDER BY i) FROM generate_series(1, 1024) i;
SELECT minhash_bits_from_signature(sig) = minhash_bits_from_signature(bytes, 4, 'big') AND minhash_bits_from_signature(sig) = repeat('100', 342)::bit(1024) AS same FROM long_signatures;

-- An empty set has no fingerprint: all its values are the largest hash.
SELECT minhash_bits_from_signature(array_fill(4294967295, ARRAY[128])) IS NULL AS by_array, minhash_bits_from_signature(decode(repeat('ff', 512), 'hex'), 4) IS NULL AS by_bytes,
       minhash_bits_from_signature(NULL) IS NULL AS of_null, minhash_bits_from_signature(NULL, 4) IS NULL AS of_null_bytes;

-- Errors
SELECT minhash_bits_from_signature('{}');
SELECT minhash_bits_from_signature(array_agg(i::bigint)) FROM generate_series(1, 100) i;
SELECT minhash_bits_from_signature(array_agg(i::bigint)) FROM generate_series(1, 1040) i;
SELECT minhash_bits_from_signature(array_agg(nullif(i, 7)::bigint)) FROM generate_series(1, 64) i;
SELECT minhash_bits_from_signature(array_agg(sig)) FROM signatures WHERE n = 64;
SELECT minhash_bits_from_signature(little8, 3) FROM signatures WHERE n = 64;
SELECT minhash_bits_from_signature(substring(little8, 1, 255), 4) FROM signatures WHERE n = 64;
SELECT minhash_bits_from_signature(''::bytea, 4);
SELECT minhash_bits_from_signature(little8, 8, 'native') FROM signatures WHERE n = 64;

-- The law n(1 - J)/2, for signatures by the method of datasketch: the lower 32 bits of (a h + b) modulo 2^61 - 1.
-- Its arithmetic is that of 64 bits, which may overflow.  120 pairs of sets with J from 0 to 1
CREATE FUNCTION uint(seed text, bits int) RETURNS numeric LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x' || substr(md5(seed), 1, 16))::bit(64) >> (64 - bits))::simhash::numeric $$;
CREATE TABLE hashes AS
SELECT wrap, e, i, mod(CASE WHEN wrap THEN mod(x, 18446744073709551616) ELSE x END, 2305843009213693951)::bigint & 4294967295 AS value
FROM generate_series(1, 1000) e, generate_series(1, 128) i, unnest('{f,t}'::bool[]) wrap,
  LATERAL (SELECT (1 + uint('a' || i, 60)) * uint('h' || e, 32) + uint('b' || i, 60) AS x OFFSET 0) x;
CREATE TABLE sets AS
SELECT pair, wrap, side, minhash_bits_from_signature(array_agg(value ORDER BY i)) AS fp
FROM (SELECT pair, side, wrap, i, min(value) AS value
      FROM generate_series(0, 119) pair, generate_series(1, 2) side, hashes
      WHERE e BETWEEN 7 * pair + 1 + CASE WHEN side = 1 THEN 0 ELSE pair % 12 END AND 7 * pair + 20 + CASE WHEN side = 1 THEN 0 ELSE pair % 12 END
      GROUP BY 1, 2, 3, 4) v
GROUP BY 1, 2, 3;
CREATE TABLE distances AS
SELECT wrap, a.fp <#~> b.fp AS d, minhash_resemblance(a.fp, b.fp) AS estimate, (20 - pair % 12)::float8 / (20 + pair % 12) AS j
FROM sets a JOIN sets b USING (pair, wrap) WHERE a.side = 1 AND b.side = 2;
SELECT wrap, count(*) AS pairs, round(min(j)::numeric, 2) AS least, max(d) FILTER (WHERE j = 1) AS equal_sets,
       abs(sum(d - 64 * (1 - j))) / sqrt(sum(32 * (1 - j) * (1 + j))) < 3 AS as_expected,
       sqrt(avg((d - 64 * (1 - j))^2 / (32 * (1 - j) * (1 + j))) FILTER (WHERE j < 1)) BETWEEN 0.8 AND 1.2 AS spread,
       avg((d <= minhash_bound(j, 128))::int) BETWEEN 0.9 AND 1 AS found
FROM distances GROUP BY wrap ORDER BY wrap;
SELECT wrap, avg((SELECT avg(get_bit(fp, i)) FROM generate_series(0, 127) i)) BETWEEN 0.47 AND 0.53 AS fair FROM sets GROUP BY wrap ORDER BY wrap;

-- An index finds them.  A bound exists for each width of an index.
SELECT bits, minhash_bound(0.8, bits) FROM unnest('{64,80,112,128,1008}'::int[]) bits;
ALTER TABLE sets ALTER fp TYPE bit(128);
CREATE INDEX ON sets USING bitblock (fp);
SET enable_seqscan = off;
SELECT plan_of('SELECT FROM sets WHERE fp <-> (SELECT minhash_bits_from_signature(sig) FROM signatures WHERE n = 128) <= minhash_bound(0.8, 128)');
SELECT count(*) > 100 AS found, count(*) = (SELECT count(*) FROM sets a JOIN sets b ON a.fp <#~> b.fp <= minhash_bound(0.8, 128)) AS exact
FROM sets a JOIN sets b ON a.fp <-> b.fp <= minhash_bound(0.8, 128);
RESET enable_seqscan;
DROP TABLE signatures, long_signatures, hashes, sets, distances;
DROP FUNCTION uint;
