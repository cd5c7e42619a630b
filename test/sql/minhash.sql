-- Min-wise fingerprints are stored in people's tables: never change a value here.
SELECT name, minhash(body) FROM (VALUES
  (1, 'one letter', 'a'),
  (2, 'English', 'The quick brown fox jumps over the lazy dog.'),
  (3, 'longer English', 'When in the Course of human events, it becomes necessary for one people to dissolve the political bands which have connected them with another, and to assume among the powers of the earth, the separate and equal station to which the Laws of Nature and of Nature''s God entitle them, a decent respect to the opinions of mankind requires that they should declare the causes which impel them to the separation.'),
  (4, 'French', 'Dès Noël où un zéphyr haï me vêt de glaçons würmiens'),
  (5, 'Chinese', '人人生而自由，在尊严和权利上一律平等。'),
  (6, 'one character', '人'),
  (7, 'Thai', 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน'),
  (8, 'mixed', 'PostgreSQL的ＳＱＬ、ภาษาไทย and ﬁnal naïve Ⅻ №5 ½')
) v(ord, name, body) ORDER BY ord;
SELECT minhash(string_agg(i || ' bottles of beer on the wall', ', ' ORDER BY i)) AS one_megabyte FROM generate_series(1, 30000) i;

-- No word: no fingerprint
SELECT minhash('') IS NULL AS empty, minhash(' .,;!?-- ') IS NULL AS punctuation, minhash(NULL) IS NULL AS null;
-- A literal, varchar and char are texts
SELECT minhash('Some text') = minhash('Some text'::varchar) AS varchar, minhash('Some text') = minhash('Some text'::char(20)) AS char;
-- What makes no difference, and what does
SELECT minhash('Hello, World!') = minhash(E'  hello\n\tWORLD') AS spelling, minhash(U&'caf\00E9') = minhash(U&'CAFE\0301') AS composed,
       minhash('a a a a b a') = minhash('a b a a') AS distinct_features, minhash('a b c d') <> minhash('d c b a') AS word_order,
       minhash('a b c') <> simhash('a b c') AS another_kind;

-- The distance is about 32 (1 - J), J the resemblance of the sets of features:
-- of 2,000 words one in 20 changed, J is 3,700 of 4,300
SELECT avg(minhash(a) <-> minhash(b)) BETWEEN 3.7 AND 5.7 AS near, avg(minhash(a) <-> minhash(c)) BETWEEN 30 AND 34 AS different
FROM (SELECT seed, string_agg(md5(seed || 'a' || i), ' ' ORDER BY i) AS a, string_agg(md5(seed || CASE WHEN i % 20 = 0 THEN 'b' ELSE 'a' END || i), ' ' ORDER BY i) AS b,
             string_agg(md5(seed || 'c' || i), ' ' ORDER BY i) AS c
      FROM generate_series(1, 40) seed, generate_series(1, 2000) i GROUP BY seed) s;

-- Generated columns, and the same index
CREATE TABLE stored (body text, fp simhash GENERATED ALWAYS AS (minhash(body)) STORED);
INSERT INTO stored SELECT string_agg(md5((i / 2)::text), ' ') FROM generate_series(1, 3000) i;
CREATE INDEX ON stored USING gist (fp);
SELECT count(*) FROM stored WHERE fp <-> minhash(body) <= 0;
DROP TABLE stored;

-- A long text can be cancelled
SET LOCAL statement_timeout = '100ms' \; SELECT minhash(repeat('a bc def ', 50000000));
