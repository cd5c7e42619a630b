-- bit(64) has bit operators: the most significant bit is first
SELECT ('00000000000000ff'::simhash::bit(64) # '000000000000000f'::simhash::bit(64))::simhash AS xor, (~ '00000000000000ff'::simhash::bit(64))::simhash AS not,
       get_bit('8000000000000001'::simhash::bit(64), 0) AS first, get_bit('8000000000000001'::simhash::bit(64), 1) AS second;

-- A distance is the number of bits of the exclusive or, is symmetric and is a metric
SELECT count(*) AS pairs, count(*) FILTER (WHERE a.fp <-> b.fp <> length(replace((a.fp::bit(64) # b.fp::bit(64))::text, '0', ''))
    OR a.fp <~> b.fp <> (SELECT sum(get_bit(a.fp::bit(64) # b.fp::bit(64), i)) FROM generate_series(0, 63) i)
    OR a.fp <-> b.fp <> b.fp <-> a.fp OR (a.fp <-> b.fp = 0) <> (a.fp = b.fp)
    OR a.fp <-> (~ b.fp::bit(64))::simhash <> 64 - (a.fp <-> b.fp)) AS wrong
FROM shaped_fps('extremes', 70) a, shaped_fps('extremes', 70) b;
