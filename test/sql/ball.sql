SELECT simhash_ball('0123456789abcdef', 3), '<0123456789abcdef,3>'::simhash_ball, ' < 0x0123456789ABCDEF , 64 > '::simhash_ball;
-- a radius of any size stands for what it holds
SELECT simhash_ball('0123456789abcdef', -2147483648), simhash_ball('0123456789abcdef', 2147483647), '<0123456789abcdef,100000000000>'::simhash_ball;
SELECT center('<0123456789abcdef,3>'::simhash_ball), radius('<0123456789abcdef,3>'::simhash_ball);
SELECT 'x'::simhash_ball;
SELECT '<0123456789abcdef>'::simhash_ball;
SELECT '<0123456789abcdef,>'::simhash_ball;
SELECT '<0123456789abcdef,3'::simhash_ball;
SELECT '<0123456789abcdef,3> x'::simhash_ball;
SELECT '<0123456789abcde,3>'::simhash_ball;
SELECT '<0123456789abcdef,3.5>'::simhash_ball;
SELECT '<0123456789abcdef,99999999999999999999>'::simhash_ball;
SELECT simhash_ball_send('<0123456789abcdef,3>');

-- fp <@ ball, ball @> fp, and simhash_within say the same
SELECT count(*), count(*) FILTER (WHERE f.fp <@ simhash_ball(g.fp, k) <> (f.fp <-> g.fp <= k)
    OR simhash_ball(g.fp, k) @> f.fp <> (f.fp <-> g.fp <= k)
    OR simhash_within(f.fp, g.fp, k) <> (bit_count(f.fp # g.fp) <= k)) AS wrong
FROM shaped_fps('extremes', 30) f, shaped_fps('extremes', 30) g, generate_series(-2, 66) k;
