-- Bit strings of any length: distance, balls, conversions, keys.
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE query;
  RETURN 'no error';
EXCEPTION WHEN others THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Reproducible bit strings, and the same with some bits inverted
CREATE FUNCTION flip_bits(b bit, positions int[]) RETURNS bit LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE p int;
BEGIN
  FOREACH p IN ARRAY positions LOOP
    b := set_bit(b, p, 1 - get_bit(b, p));
  END LOOP;
  RETURN b;
END $$;

-- Distance: the number of set bits of the exclusive or, at every length
SELECT B'0101' <-> B'0110' AS two, B'0101' <#~> B'0110' AS two, bit_distance(B'0101', B'1010') AS four,
       B'' <-> B'' AS none, pg_typeof(B'0' <-> B'1'), pg_typeof(B'0' <#~> B'1');
SELECT count(*) AS lengths, count(*) FILTER (WHERE d <> length(replace((a # b)::text, '0', '')) OR d <> a <#~> b OR d <> b <-> a) AS wrong
FROM generate_series(1, 1100) n, random_bits(n, 'a') a, random_bits(n, 'b') b, LATERAL (SELECT a <-> b) s (d);
SELECT count(*) FILTER (WHERE a <-> flip_bits(a, ARRAY[i]) <> 1) AS wrong FROM random_bits(200, 'a') a, generate_series(0, 199) i;
SELECT n, repeat('1', n)::bit varying <-> repeat('0', n)::bit varying AS all_bits FROM unnest(ARRAY[64, 127, 1024, 5000]) n;
SELECT B'01' <-> NULL AS null, bit_within(B'1', B'1', NULL) AS null;
SELECT k, bit_within(a, b, k), a <-> b <= k AS le, a <-> b < k AS lt, a <-> b = k AS eq, a <-> b >= k AS ge, a <-> b > k AS gt, k >= a <-> b AS le2, a <-> b BETWEEN k AND k + 1 AS between
FROM (VALUES (x'ffff'::bit(16), x'ff00'::bit(16))) v (a, b), unnest(ARRAY[-2147483648, -1, 0, 7, 8, 9, 16, 100, 2147483647]) k;
SELECT B'0101' <-> B'0110' < '-9223372036854775808'::bigint AS f, B'0101' <-> B'0110' > 9223372036854775807 AS f, B'0101' <-> B'0110' <= 9223372036854775807 AS t, B'0101' <-> B'0110' >= 2::smallint AS t;

-- Near: within 5/64 of the bits, at every length
SELECT count(*) AS lengths, count(*) FILTER (WHERE NOT a % flip_bits(a, f[:k]) OR a % flip_bits(a, f[:k + 1]) OR flip_bits(a, f) % a OR NOT a::bit varying % a) AS wrong
FROM generate_series(20, 1100) n, random_bits(n, 'a') a, LATERAL (SELECT n * 5 / 64, ARRAY(SELECT i * 7919 % n FROM generate_series(0, n / 8) i)) s (k, f)
WHERE n % 7919 > 0 AND k < n / 8;
SELECT B'' % B'' AS t, B'0' % B'0' AS t, B'0' % B'1' AS f, B'0' % NULL AS null, repeat('0', 5000)::bit varying % (repeat('1', 390) || repeat('0', 4610))::bit varying AS t;
SELECT proleakproof, proisstrict, provolatile, proparallel, oprcom = o.oid AS commutes, oprrest, oprjoin FROM pg_operator o JOIN pg_proc p ON p.oid = oprcode WHERE o.oid = '%(bit,bit)'::regoperator;

-- Unequal lengths: the distance raises an error, and functions in row-level conditions return NULL
SELECT error_of($$SELECT B'01' <-> B'0'$$), error_of($$SELECT B'01' <#~> B'0'$$), error_of($$SELECT bit_distance(B'01', B'0')$$);
SELECT B'01' <-> B'0';
SELECT bit_within(v, B'0', 5) AS null, v <-> B'0' <= 5 AS null, v <-> B'0' > 5 AS null, v <-> B'0' = 1 AS null,
       v % B'0' AS f, v <@ bit_ball(B'0', 5) AS f, bit_ball(B'0', 5) @> v AS f, bit_ball(B'0', 5) && bit_ball(v, 5) AS f
FROM (VALUES (B'01'), (B'011')) s (v);
-- the planner computes a distance of constants
SELECT B'01' <-> B'0' <= 5;

-- Types of the arguments
CREATE DOMAIN hash128 AS bit(128);
CREATE TEMP TABLE arguments (b bit(16), v bit varying, d hash128, fp simhash);
INSERT INTO arguments VALUES (x'00ff', x'00fe', repeat('0', 128)::bit(128), '0123456789abcdef');
SELECT b <-> '0000000011110000' AS literal, '0000000011110000' <-> b AS literal, b <-> 'x00f0' AS hex, b <-> x'00f0' AS hex, b <-> B'0000000011110000' AS binary,
       b <-> v AS varbit, v <-> v AS varbits, d <-> d AS domain, v <-> 'x0000' AS varbit, d <-> repeat('1', 128)::bit(128) AS domain,
       fp <-> '0123456789abcdee' AS simhash, fp::bit(64) <-> fp::bit(64) AS cast
FROM arguments;
PREPARE untyped AS SELECT b <-> $1, $2 <-> b, v <-> $3, bit_within(d, $4, $5), fp <-> $6, b <@ $7, $8 @> b, bit_ball($9, $10) FROM arguments;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
DEALLOCATE untyped;

-- Balls: text and binary form, radius, containment
SELECT '<0101,3>'::bit_ball, ' < 0101 , 3 > '::bit_ball, '<,0>'::bit_ball, '<0101,-7>'::bit_ball, '<0101,99999999999>'::bit_ball, '<000000001,1>'::bit_ball;
SELECT count(*) FILTER (WHERE error_of(format('SELECT %L::bit_ball', s)) !~ '^22P02 invalid input syntax for type bit_ball: ') AS accepted
FROM unnest(ARRAY['', '<', '0101,3', '<0101>', '<0101,>', '<0101,3', '<0101,3>>', '<0102,3>', '<01 01,3>', '<0101,3.5>', '<x05,3>', '<0101,99999999999999999999>', '<0123456789abcdef,3>', '<01é,3>']) s;
SELECT bit_ball(B'0101', 3), bit_ball(B'0101', -2147483648), bit_ball(B'0101', 2147483647), bit_ball(B'', 3), bit_ball(x'ff'::bit varying, 3);
SELECT count(*) AS lengths, count(*) FILTER (WHERE t <> bit_ball(b, n)::text OR t::bit_ball::text <> t) AS wrong
FROM generate_series(0, 300) n, LATERAL (SELECT CASE WHEN n = 0 THEN B'' ELSE random_bits(n, 'a') END) s (b), LATERAL (SELECT '<' || b::text || ',' || n || '>') u (t);
SELECT bit_ball_send('<010101011,3>'), bit_ball_send('<,-1>');
SELECT r, count(*) FILTER (WHERE f <@ bit_ball(b, r)) AS inside, count(*) FILTER (WHERE f <@ bit_ball(b, r) <> (f <-> b <= r) OR f <@ bit_ball(b, r) <> bit_ball(b, r) @> f) AS wrong
FROM random_bits(100, 'a') b, LATERAL (SELECT flip_bits(b, ARRAY(SELECT generate_series(1, i))) FROM generate_series(0, 99) i) s (f), unnest(ARRAY[-1, 0, 50, 98, 99, 100]) r GROUP BY 1 ORDER BY 1;
SELECT bit_ball(x'00', 4) && bit_ball(x'0f', 4) AS t, bit_ball(x'00', 4) && bit_ball(x'0f', 3) AS f, bit_ball(x'00', 3) && bit_ball(x'0f', 4) AS f, bit_ball(x'00', -1) && bit_ball(x'00', 8) AS f;
-- the ball of all bit strings at least at a distance
SELECT k, bit_ball_at_least(x'0f0', k), count(*) FILTER (WHERE (f <@ bit_ball_at_least(x'0f0', k)) IS DISTINCT FROM (f <-> x'0f0' >= k) OR (f <-> x'0f0' >= k) <> bit_at_least(f, x'0f0', k)) AS wrong
FROM unnest(ARRAY[-2147483648, -1, 0, 1, 6, 12, 13, 2147483647]) k, LATERAL (SELECT i::bit(12) FROM generate_series(0, 4095) i) s (f) GROUP BY 1 ORDER BY 1;
SELECT simhash_ball_at_least('0123456789abcdef', k) FROM unnest(ARRAY[-2147483648, 0, 40, 64, 65, 2147483647]) k;
-- stored: with short and long headers, compressed, in an array and a row
CREATE TEMP TABLE balls (n int, ball bit_ball, others bit_ball[]);
INSERT INTO balls SELECT n, bit_ball(repeat('01', n / 2)::bit varying, n / 4), ARRAY[bit_ball(repeat('01', n / 2)::bit varying, n / 4)]
FROM unnest(ARRAY[2, 64, 256, 1024, 40000, 800000]) n;
SELECT n, length(ball::text), repeat('01', n / 2)::bit varying <@ ball AS inside, pg_column_size(ball) < n / 8 AS compressed,
       others[1]::text = ball::text AS same FROM balls ORDER BY n;
CREATE TEMP TABLE wide (b bit(800000));
INSERT INTO wide VALUES (repeat('01', 400000)::bit(800000));
SELECT b <-> ~b AS distance, pg_column_size(b) < 100000 AS compressed, bit_within(b, b, 0), b <@ bit_ball(b, 0) AS inside FROM wide;

-- Text
SELECT bit_from_hex('0123456789abcdefABCDEF'), bit_from_hex('0xF'), bit_from_hex(E'\\xf0'), bit_from_hex('0X0'), bit_from_hex(E' \t\n\x0b\f\r7 '), length(bit_from_hex('')), length(bit_from_hex('0x')), pg_typeof(bit_from_hex('0'));
SELECT bit_to_hex(x'0123456789abcdef'), bit_to_hex(B''), bit_to_hex(B'1111'), bit_to_hex(x'abc'::bit varying);
SELECT error_of(format('SELECT bit_from_hex(%L)', s)) FROM unnest(ARRAY['g', '0 1', '0x0x0', 'x0', '0123é', E'\\0', '-1']) s;
SELECT error_of($$SELECT bit_to_hex(B'01')$$), error_of($$SELECT bit_to_hex(B'01010')$$);
SELECT bit_from_hex('00ff')::bit(16) AS cast, bit_from_hex('0123456789abcdef')::simhash AS simhash, bit_to_hex('0123456789abcdef'::simhash::bit(64)) AS hex;
SELECT error_of($$INSERT INTO arguments (b) VALUES (bit_from_hex('00ff00'))$$), error_of($$INSERT INTO arguments (b) VALUES (bit_from_hex('00ff'))$$);
-- Bytes
SELECT bit_from_bytea('\x00ff80'), length(bit_from_bytea('')), bit_to_bytea(x'00ff80'), bit_to_bytea(B''), pg_typeof(bit_from_bytea(''));
SELECT error_of($$SELECT bit_to_bytea(B'0101')$$), error_of($$SELECT bit_to_bytea(B'010101010')$$);
SELECT count(*) AS lengths, count(*) FILTER (WHERE bit_from_hex(bit_to_hex(b)) <> b OR bit_from_bytea(bit_to_bytea(b)) <> b OR encode(bit_to_bytea(b), 'hex') <> bit_to_hex(b) OR bit_to_hex(b)::text <> encode(substring(varbit_send(b), 5), 'hex')) AS wrong
FROM generate_series(8, 1032, 8) n, random_bits(n, 'a') b;

-- Keys: for 64 bits those of simhash
SELECT bit_blocks(x'0123', 0), bit_blocks(x'0123', 1), bit_blocks(x'0123', 2), bit_blocks(x'0123', -1), bit_blocks(B'01', 5), bit_blocks(B'', 3);
SELECT count(*) FILTER (WHERE bit_blocks(fp::bit(64), k) <> simhash_blocks(fp, k)) AS wrong FROM shaped_fps('extremes', 20), generate_series(-1, 65) k;
-- the keys by the definition in the reference
CREATE FUNCTION defined_blocks(b bit, distance int) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  n int := length(b);
  p int := least(greatest(distance, -1), n) + 1;
  w int := CASE WHEN p > 0 THEN least((n + p - 1) / p, CASE WHEN p = 1 THEN 64 ELSE 48 END) END;
  value numeric;
  folded numeric;
  part text;
  keys bigint[] := '{}';
BEGIN
  FOR i IN 0..p - 1 LOOP
    part := substring(b::text, i * n / p + 1, (i + 1) * n / p - i * n / p);
    -- the digits in base 2^w, from the last one on
    folded := 0;
    WHILE part <> '' LOOP
      folded := (lpad(right(part, w), 64, '0')::bit(64) # (SELECT lpad(f, 64, '0')::bit(64) FROM (SELECT folded::bigint::bit(64)::text) s (f)))::bigint;
      part := left(part, greatest(length(part) - w, 0));
    END LOOP;
    value := i::numeric * 2::numeric ^ w + folded;
    keys := keys || CASE WHEN value >= 2::numeric ^ 63 THEN value - 2::numeric ^ 64 ELSE value END::bigint;
  END LOOP;
  RETURN keys;
END $$;
SELECT count(*) AS compared, count(*) FILTER (WHERE bit_blocks(b, k) <> defined_blocks(b, k)) AS wrong
FROM unnest(ARRAY[1, 7, 64, 96, 97, 128, 144, 256, 1024]) n, random_bits(n, 'keys') b, unnest(ARRAY[-1, 0, 1, 2, 4, 15, 31, 63, 64, 255, 1024, 2147483647]) k;
-- two bit strings within the distance have a key in common; keys of different parts are never equal
SELECT count(*) AS pairs, count(*) FILTER (WHERE NOT bit_blocks(a, k) && bit_blocks(flip_bits(a, f), k)) AS missed,
       count(*) FILTER (WHERE (SELECT count(DISTINCT key) FROM unnest(bit_blocks(a, k)) key) <> k + 1) AS not_distinct
FROM unnest(ARRAY[64, 128, 144, 256, 1024]) n, generate_series(1, 40) k, random_bits(n, k::text) a,
  LATERAL (SELECT ARRAY(SELECT i FROM generate_series(0, n - 1) i ORDER BY md5(k::text || i) LIMIT k)) s (f);
SELECT error_of($$SELECT bit_blocks(repeat('0', 70000)::bit varying, 65535)$$), cardinality(bit_blocks(repeat('0', 70000)::bit varying, 65534));

-- Calibration
SELECT distance, pairs, pairs_within FROM bit_calibrate(ARRAY[x'0000', x'0001', x'0003', x'ffff', NULL]) WHERE pairs > 0;
SELECT count(*) AS rows, sum(pairs) AS pairs, round(sum(expected)) AS expected, bool_and(abs(pairs - expected) < 6 * sqrt(expected) + 3) AS by_chance
FROM unnest(ARRAY[64, 128, 144, 256, 1000, 1024]) n, bit_calibrate(ARRAY(SELECT random_bits(n, i::text) FROM generate_series(1, 201) i)) GROUP BY n ORDER BY n;
SELECT count(*) FROM (SELECT * FROM bit_calibrate(ARRAY(SELECT fp::bit(64) FROM shaped_fps('clusters', 200))) EXCEPT SELECT * FROM simhash_calibrate(ARRAY(SELECT fp FROM shaped_fps('clusters', 200)))) s;
SELECT * FROM bit_calibrate('{}');
SELECT * FROM bit_calibrate('{01}');
SELECT error_of($$SELECT bit_calibrate('{01,0}')$$), error_of($$SELECT bit_calibrate(ARRAY[repeat('0', 1025)::bit(1025)])$$);

DROP FUNCTION flip_bits, error_of, defined_blocks;
DROP TABLE arguments;
DROP DOMAIN hash128;

-- a hint for base64, but not for other wrong digits
SELECT bit_from_hex(encode(decode('17f29b073143d8cd97b5bbe492bdeffec1c5fee55cc1fe2112c8b9335f8b6121', 'hex'), 'base64'));
SELECT bit_from_hex('17f29b07-3143');
SELECT bit_to_hex(bit_from_bytea(decode('F/KbBzFD2M2XtbvkkqA=', 'base64')));
