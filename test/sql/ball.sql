SELECT simhash_ball('0123456789abcdef', 3), '<0123456789abcdef,3>'::simhash_ball, ' < 0x0123456789ABCDEF , 64 > '::simhash_ball;
-- a radius of any size stands for what it holds
SELECT simhash_ball('0123456789abcdef', -2147483648), simhash_ball('0123456789abcdef', 2147483647), '<0123456789abcdef,100000000000>'::simhash_ball;
-- PostgreSQL's function of circles is called as without the extension
SELECT radius('<(0,0),3>');
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
    OR simhash_within(f.fp, g.fp, k) <> ((f.fp <~> g.fp) <= k)) AS wrong
FROM shaped_fps('extremes', 30) f, shaped_fps('extremes', 30) g, generate_series(-2, 66) k;

-- a && b: each holds the other's center
SELECT count(*), count(*) FILTER (WHERE overlap <> (a.fp <-> b.fp <= least(j, k))) AS wrong,
       count(*) FILTER (WHERE overlap <> (a.fp <@ simhash_ball(b.fp, k) AND b.fp <@ simhash_ball(a.fp, j))) AS not_both,
       count(*) FILTER (WHERE overlap <> simhash_ball(b.fp, k) && simhash_ball(a.fp, j)) AS asymmetric, count(*) FILTER (WHERE overlap) > 0 AS some
FROM shaped_fps('extremes', 20) a, shaped_fps('extremes', 20) b, generate_series(-2, 66, 3) j, generate_series(-2, 66, 4) k,
     LATERAL (SELECT simhash_ball(a.fp, j) && simhash_ball(b.fp, k) AS overlap) s;
SELECT simhash_ball('0123456789abcdef', 0) && simhash_ball('0123456789abcdef', 0) AS itself,
       simhash_ball('0123456789abcdef', -1) && simhash_ball('0123456789abcdef', -1) AS holds_nothing,
       simhash_ball('0000000000000000', 8) && simhash_ball('000000000000ffff', 8) AS only_touch,
       NULL && simhash_ball('0123456789abcdef', 3) AS null;
