-- The tables of bench/results/short.md: what characters and pg_trgm find among short texts, and in what time.
-- short.sh runs this script for each kind of text, after it has loaded the table texts (edit, nr, body).
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;
SELECT setseed(0.5) \g /dev/null

CREATE TABLE originals AS SELECT nr, body FROM texts WHERE edit IS NULL;
CREATE TABLE trees AS TABLE originals;	-- the same rows under GiST
CREATE FUNCTION mixed(document text, VARIADIC numbers int[]) RETURNS bit LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT minhash_bits_agg(hash, 256) FROM unnest(numbers) n,
    simhash_features(document, CASE n WHEN 0 THEN 'words' ELSE 'characters' END, n => CASE n WHEN 0 THEN 1 ELSE n END) $$;
ALTER TABLE originals ADD f0 bit(256), ADD f3 bit(256), ADD f128 bit(128), ADD f256 bit(256), ADD f512 bit(512),
  ADD f23 bit(256), ADD f02 bit(256), ADD f12 bit(256);
UPDATE originals SET f0 = minhash_bits(body, 256),
  f3 = minhash_bits(body, 256, 'characters', n => 3),
  f128 = minhash_bits(body, 128, 'characters', n => 2),
  f256 = minhash_bits(body, 256, 'characters', n => 2),
  f512 = minhash_bits(body, 512, 'characters', n => 2),
  f23 = mixed(body, 2, 3), f02 = mixed(body, 0, 2), f12 = mixed(body, 1, 2);
VACUUM FULL originals;

-- A method is a prepared statement with the text and the number of its original.
CREATE TABLE methods (nr int GENERATED ALWAYS AS IDENTITY, method text, threshold float8, query text);
INSERT INTO methods (method, threshold, query)
SELECT format('%s%s', features, ', within ' || k), NULL, format('%s <-> %s <= %s', f, expression, k)
FROM (VALUES ('default', 'f0', 'minhash_bits($1, 256)', '{48}'::int[]),
             ('3 characters, 256 bits', 'f3', 'minhash_bits($1, 256, ''characters'', n => 3)', '{48,64}'),
             ('2 characters, 128 bits', 'f128', 'minhash_bits($1, 128, ''characters'', n => 2)', '{24}'),
             ('2 characters, 256 bits', 'f256', 'minhash_bits($1, 256, ''characters'', n => 2)', '{48,64}'),
             ('2 characters, 512 bits', 'f512', 'minhash_bits($1, 512, ''characters'', n => 2)', '{96}'),
             ('2 and 3 characters', 'f23', 'mixed($1, 2, 3)', '{64}'),
             ('words and 2 characters', 'f02', 'mixed($1, 0, 2)', '{64}'),
             ('1 and 2 characters', 'f12', 'mixed($1, 1, 2)', '{48}')) v (features, f, expression, bounds),
     unnest(bounds) k;
INSERT INTO methods (method, threshold, query)
SELECT '2 characters, 256 bits, ' || method, NULL, 'f256 <-> minhash_bits($1, 256, ''characters'', n => 2) <= ' || query
FROM (VALUES
  ('within 64, resemblance >= .5', $$64 AND simhash_resemblance(body, $1, 'characters', 2) >= .5$$),
  ('within 76, resemblance >= .5', $$76 AND simhash_resemblance(body, $1, 'characters', 2) >= .5$$),
  ('within 64, similarity >= .5', '64 AND similarity(body, $1) >= .5'),
  ('within 76, similarity >= .5', '76 AND similarity(body, $1) >= .5'),
  -- n letters have n - 1 pairs, of which an error changes at most 2.
  ('bound from the length, resemblance >= .4', $$minhash_bound(greatest((length($1) - 5) / (length($1) + 3.0), .4), 256)
   AND simhash_resemblance(body, $1, 'characters', 2) >= .4$$)) v (method, query);
INSERT INTO methods (method, threshold, query) VALUES
  ('2 characters, 256 bits, the nearest ten', NULL, 'nearest 10'),
  ('pg_trgm, GIN, similarity .6', .6, 'body % $1'),
  ('pg_trgm, GIN, similarity .5', .5, 'body % $1'),
  ('pg_trgm, GIN, similarity .4', .4, 'body % $1'),
  ('pg_trgm, GiST, similarity .6', .6, 'trees'),
  ('pg_trgm, GiST, the nearest ten', NULL, 'trees 10');
DELETE FROM methods WHERE method !~ :'only';

CREATE TABLE built (index text, seconds numeric, mb numeric);
-- An index that no method needs is not built.  Its name is that with which its methods begin.
CREATE PROCEDURE build(name text, definition text) LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
BEGIN
  IF NOT EXISTS (SELECT FROM methods WHERE starts_with(method, name)) THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON %s', name, definition);
  INSERT INTO built VALUES (name, extract(epoch FROM clock_timestamp() - began), pg_relation_size(quote_ident(name)::regclass) / 1048576.0);
END $$;
CALL build('default', 'originals USING bitblock (f0)');
CALL build('3 characters, 256 bits', 'originals USING bitblock (f3)');
CALL build('2 characters, 128 bits', 'originals USING bitblock (f128)');
CALL build('2 characters, 256 bits', 'originals USING bitblock (f256)');
CALL build('2 characters, 512 bits', 'originals USING bitblock (f512)');
CALL build('2 and 3 characters', 'originals USING bitblock (f23)');
CALL build('words and 2 characters', 'originals USING bitblock (f02)');
CALL build('1 and 2 characters', 'originals USING bitblock (f12)');
CALL build('pg_trgm, GIN', 'originals USING gin (body gin_trgm_ops)');
CALL build('pg_trgm, GiST', 'trees USING gist (body gist_trgm_ops (siglen = 64))');
VACUUM ANALYZE originals;
VACUUM ANALYZE trees;

SELECT format('PREPARE m%s (text, int) AS SELECT count(*), count(*) FILTER (WHERE nr = $2) FROM %s', nr,
  CASE WHEN query LIKE 'nearest%' THEN format($$(SELECT nr FROM originals
                                                 ORDER BY f256 <-> minhash_bits($1, 256, 'characters', n => 2) LIMIT %s) s$$, split_part(query, ' ', 2))
       WHEN query = 'trees' THEN 'trees WHERE body % $1'
       WHEN query = 'trees 10' THEN '(SELECT nr FROM trees ORDER BY body <-> $1 LIMIT 10) s'
       ELSE 'originals WHERE ' || query END) FROM methods \gexec
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE results (method int, edit text, found int, others int, ms float8);
DO $$
DECLARE r record; began timestamptz; n bigint; own bigint;
BEGIN
  FOR r IN SELECT m.nr AS method, threshold, edit, q.nr, body FROM texts q, methods m
           WHERE edit IS NOT NULL ORDER BY random() LOOP
    IF r.threshold IS NOT NULL THEN
      PERFORM set_config('pg_trgm.similarity_threshold', r.threshold::text, false);
    END IF;
    began := clock_timestamp();
    EXECUTE format('EXECUTE m%s (%L, %s)', r.method, r.body, r.nr) INTO n, own;
    INSERT INTO results VALUES (r.method, r.edit, own, n - own, extract(epoch FROM clock_timestamp() - began) * 1000);
  END LOOP;
END $$;

\t on
SELECT format(E'\n## %s: %s\n', :'kind', count(*)) FROM originals;
SELECT format('| share found / other texts found | %s | ms, median | mean |', string_agg(edit, ' | ' ORDER BY edit)) FROM (SELECT DISTINCT edit FROM results) e;
SELECT '|---|' || repeat('---|', count(DISTINCT edit)::int + 2) FROM results;
SELECT format('| %s | %s | %s | %s |', m.method,
  (SELECT string_agg(format('%s / %s', to_char(found, 'FM0.00'), round(others, CASE WHEN others < 9.5 THEN 1 ELSE 0 END)), ' | ' ORDER BY edit)
   FROM (SELECT edit, avg(found) AS found, avg(others) AS others FROM results r WHERE r.method = m.nr GROUP BY edit) e),
  round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 3), round(avg(ms)::numeric, 3))
FROM methods m JOIN results r ON r.method = m.nr GROUP BY m.nr, m.method ORDER BY m.nr;
SELECT E'\n| index | build, s | MB |\n|---|---|---|';
SELECT format('| %s | %s | %s |', index, round(seconds, 1), round(mb)) FROM built;
