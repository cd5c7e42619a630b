-- bigint: the same bits
SELECT (-1)::bigint::simhash, 1::bigint::simhash, 'ffffffffffffffff'::simhash::bigint, '8000000000000000'::simhash::bigint;

-- integer and smallint: as from bigint
SELECT (-1)::integer::simhash, 255::integer::simhash, (-2147483648)::integer::simhash, (-1)::smallint::simhash, 255::smallint::simhash, 32767::smallint::simhash;
SELECT 0::simhash;

-- bit(64): the most significant bit first
SELECT '8000000000000001'::simhash::bit(64);
SELECT B'1000010010101101111111100000101011010001001111100001001011001011'::simhash;
SELECT '0123456789abcdef'::simhash::bit varying::simhash;
SELECT B'101'::simhash;
SELECT (B'0' || '0123456789abcdef'::simhash::bit(64))::simhash;

-- bytea: eight bytes, the most significant first
SELECT '0123456789abcdef'::simhash::bytea, '\x0123456789abcdef'::bytea::simhash;
SELECT '\x01234567'::bytea::simhash;
SELECT '\x0123456789abcdef01'::bytea::simhash;
SELECT ''::bytea::simhash;

-- numeric: unsigned
SELECT 'ffffffffffffffff'::simhash::numeric, '0000000000000000'::simhash::numeric, '8000000000000000'::simhash::numeric;
SELECT 18446744073709551615::numeric::simhash, 0::numeric::simhash, 9223372036854775808::numeric::simhash, 255.000::numeric::simhash;
SELECT 18446744073709551616::numeric::simhash;
SELECT (-1)::numeric::simhash;
SELECT 1e30::numeric::simhash;
SELECT 0.5::numeric::simhash;
SELECT (-0.5)::numeric::simhash;
SELECT 'NaN'::numeric::simhash;

-- Round trips
SELECT count(*) FROM shaped_fps('random', 1000) UNION ALL
SELECT count(*) FROM (SELECT * FROM shaped_fps('random', 1000) UNION SELECT * FROM shaped_fps('extremes', 1000)) s
WHERE fp::bigint::simhash <> fp OR fp::bit(64)::simhash <> fp OR fp::bytea::simhash <> fp
   OR fp::numeric::simhash <> fp OR fp::text::simhash <> fp OR lpad(to_hex(fp::bigint), 16, '0') <> fp::text
   OR encode(fp::bytea, 'hex') <> fp::text;

-- A cast reads what is written, a call takes the fingerprint of the text
CREATE DOMAIN body_text AS text;
SELECT '0123456789abcdef'::text::simhash, '0123456789abcdef'::varchar::simhash, '0123456789abcdef  '::char(20)::simhash;
SELECT count(DISTINCT f) AS one, (min(f::text)) <> '0123456789abcdef' AS of_the_text FROM (VALUES
  (simhash('0123456789abcdef')), (simhash('0123456789abcdef'::text)), (simhash('0123456789abcdef'::varchar)),
  (simhash('0123456789abcdef'::char(20))), (simhash('0123456789abcdef'::body_text))) v(f);
DROP DOMAIN body_text;
SELECT 'some text'::text::simhash;

-- Forms of other programs
SELECT DISTINCT v.* FROM (VALUES ('0xD1C2B3A495867708'::simhash), ('D1C2B3A495867708'), (lpad('d1c2b3a495867708', 16, '0')::simhash), (15114840818873431816::numeric::simhash),
  ((-3331903254836119800)::bigint::simhash), (decode('0cKzpJWGdwg=', 'base64')::simhash), (decode(translate('0cKzpJWGdwg', '-_', '+/') || '=', 'base64')::simhash)) v;
SELECT '1234567890123456'::simhash, 1234567890123456::simhash, '1234567890123456'::text::numeric::simhash;
SELECT '2b3a495867708'::simhash;
SELECT '0x2b3a495867708'::simhash;
SELECT '12345'::simhash;
SELECT '-3331903254836119800'::simhash;
SELECT '15114840818873431816'::simhash;
SELECT '0cKzpJWGdwg='::simhash;
SELECT '-_KzpJWGdwg='::simhash;
SELECT decode(translate('-_KzpJWGdwg=', '-_', '+/'), 'base64')::simhash;
SELECT '\xd1c2b3a495867708'::simhash;
SELECT '\xd1c2b3a495867708'::bytea::simhash;
SELECT 'ISCC:EAA4DQVTUSKYM5YI'::simhash;
SELECT ('0b' || repeat('01', 32))::simhash;
SELECT 'd1c2b3a495867708d1c2b3a495867708'::simhash;
SELECT '0xd1c2b3a495867708d1c2b3a495867708'::simhash;
SELECT '12345678901234567890123456789012'::simhash;
SELECT ''::simhash;
SELECT '0x'::simhash;
SELECT '-'::simhash;
