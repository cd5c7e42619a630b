SELECT '00000000000000ff'::simhash # '000000000000000f' AS xor, '00000000000000f0'::simhash & '0000000000000030' AS and,
       '00000000000000f0'::simhash | '000000000000000f' AS or, ~ '00000000000000ff'::simhash AS not;
SELECT bit_count('ffffffffffffffff'::simhash), bit_count('0000000000000000'::simhash), bit_count('8000000000000001'::simhash);

-- bit 0 is the least significant
SELECT get_bit('8000000000000001'::simhash, 0), get_bit('8000000000000001'::simhash, 1), get_bit('8000000000000001'::simhash, 63);
SELECT get_bit('8000000000000001'::simhash, 64);
SELECT get_bit('8000000000000001'::simhash, -1);

-- A distance is the number of bits of the exclusive or, is symmetric and is a metric
SELECT count(*) AS pairs, count(*) FILTER (WHERE a.fp <-> b.fp <> bit_count(a.fp # b.fp)
    OR a.fp <-> b.fp <> (SELECT sum(get_bit(a.fp # b.fp, i)) FROM generate_series(0, 63) i)
    OR a.fp <-> b.fp <> b.fp <-> a.fp OR (a.fp <-> b.fp = 0) <> (a.fp = b.fp)
    OR a.fp <-> ~b.fp <> 64 - (a.fp <-> b.fp)) AS wrong
FROM shaped_fps('extremes', 70) a, shaped_fps('extremes', 70) b;
