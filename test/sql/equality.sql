-- "distance = column of another table" joins as the same condition on integers does: FULL JOIN, hash and
-- merge joins, hashed subqueries.  An index still serves "distance = constant".
CREATE TABLE docs (id int PRIMARY KEY, fp simhash, bits bit(128), g int);
INSERT INTO docs SELECT id, fp, (fp::bit(64) || ~fp::bit(64))::bit(128), id % 7 FROM shaped_fps('clusters', 400);
INSERT INTO docs VALUES (0, NULL, NULL, NULL);
CREATE TABLE bands (id int, d int, small smallint, big bigint, h hamming, q simhash, bits bit(128));
INSERT INTO bands
  SELECT i, CASE WHEN i % 20 <> 0 THEN i % 40 END, i % 40, i % 40, i % 40, random_fp((i % 9)::text),
         (random_fp((i % 9)::text)::bit(64) || ~random_fp((i % 9)::text)::bit(64))::bit(128)
  FROM generate_series(1, 120) i;
CREATE INDEX docs_fp ON docs USING bitblock (fp);
CREATE INDEX docs_bits ON docs USING bitblock (bits);
VACUUM ANALYZE docs, bands;
SELECT random_fp('3') AS q \gset

-- The rows of a query in which D(a, b) is a distance, by each method of join, and D(a, b)::integer in place of it.
-- Returns a row for each difference.
CREATE FUNCTION joined_otherwise(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  methods text[] := '{enable_hashjoin, enable_mergejoin, enable_nestloop}';
  method text;
  other text;
  expected text;
  answer text;
BEGIN
  EXECUTE format('SELECT count(*) || md5(string_agg(r::text, E''\n'' ORDER BY r::text)) FROM (%s) r',
                 regexp_replace(query, 'D\((.*?), (.*?)\)', '(\1 <-> \2)::integer', 'g')) INTO expected;
  FOREACH method IN ARRAY methods || 'all'::text LOOP
    FOREACH other IN ARRAY methods LOOP
      PERFORM set_config(other, (method IN ('all', other))::text, true);
    END LOOP;
    EXECUTE format('SELECT count(*) || md5(string_agg(r::text, E''\n'' ORDER BY r::text)) FROM (%s) r',
                   regexp_replace(query, 'D\((.*?), (.*?)\)', '(\1 <-> \2)', 'g')) INTO answer;
    IF answer IS DISTINCT FROM expected THEN
      RETURN NEXT format('%s: %s', method, query);
    END IF;
  END LOOP;
END $$;

-- All kinds of join, each type of the bound on each side, both types of fingerprints
SELECT joined_otherwise(format('SELECT docs.id, bands.id FROM docs %s JOIN bands ON %s', kind,
                               CASE WHEN turned THEN b || ' = ' || distance ELSE distance || ' = ' || b END))
FROM unnest('{INNER, LEFT, RIGHT, FULL}'::text[]) kind,
     unnest('{bands.d, bands.small, bands.big, bands.h, bands.d + 1, bands.big - bands.d}'::text[]) b,
     unnest(ARRAY[format('D(docs.fp, %L)', :'q'), format('D(%L, docs.fp)', :'q'),
                  format('D(docs.bits, %L)', random_bits(128, '5'))]) distance,
     unnest('{f, t}'::boolean[]) turned;
-- with other conditions; the bound is a distance; fingerprints of one table
SELECT joined_otherwise(format('SELECT docs.id, bands.id FROM docs %s JOIN bands ON %s', kind, condition))
FROM unnest('{INNER, LEFT, RIGHT, FULL}'::text[]) kind,
     unnest(ARRAY[format('D(docs.fp, %L) = bands.d AND docs.g = bands.id %% 7', :'q'),
                  format('D(docs.fp, %L) = bands.d AND D(docs.fp, %1$L) <= 20', :'q'),
                  format('D(docs.fp, %L) = D(bands.q, %L)', :'q', random_fp('4')),
                  'D(docs.fp, ''00ff00ff00ff00ff'') = bands.d AND docs.id = bands.id']) condition;
SELECT joined_otherwise(format('SELECT * FROM (SELECT id, D(fp, %L) AS d FROM docs) a %s JOIN bands b USING (d)', :'q', kind))
FROM unnest('{INNER, LEFT, RIGHT, FULL}'::text[]) kind;
-- a bound of the fingerprints' own tables: FULL JOIN is impossible, as of integers
SELECT joined_otherwise(format('SELECT docs.id, bands.id FROM docs %s JOIN bands ON %s', kind, condition))
FROM unnest('{INNER, LEFT, RIGHT}'::text[]) kind,
     unnest('{"D(docs.fp, bands.q) = bands.d", "D(docs.fp, bands.q) = docs.g", "bands.d = D(bands.q, docs.fp)",
              "D(docs.fp, bands.q) = 9", "D(docs.fp, bands.q) = docs.g + bands.d", "D(docs.fp, bands.q) = docs.g AND docs.id = bands.id"}'::text[]) condition;
SELECT joined_otherwise('SELECT a.id, b.id, c.id FROM docs a JOIN docs b ON a.g = b.id JOIN bands c ON D(a.fp, b.fp) = c.d');
SELECT joined_otherwise('SELECT a.id, b.id, c.id FROM (docs a JOIN docs b ON a.g = b.id) FULL JOIN bands c ON D(a.fp, b.fp) = c.d');
SELECT joined_otherwise(format('SELECT a.id, b.id, c.id FROM bands b LEFT JOIN docs a ON D(a.fp, %L) = b.d FULL JOIN bands c ON D(a.fp, %1$L) = c.d AND b.id = c.id', :'q'));
-- semi-joins, anti-joins, subqueries; groups
SELECT joined_otherwise(replace(format('SELECT id FROM docs WHERE %s', condition), '?', quote_literal(:'q')))
FROM unnest(ARRAY['D(fp, ?) IN (SELECT d FROM bands)', 'D(fp, ?) NOT IN (SELECT d FROM bands)',
                  'D(fp, ?) NOT IN (SELECT d FROM bands WHERE d IS NOT NULL)',
                  'D(fp, ?) NOT IN (SELECT small FROM bands)', 'D(fp, ?) NOT IN (SELECT big FROM bands)',
                  'D(fp, ?) NOT IN (SELECT h FROM bands)', 'D(fp, ?) = ANY (SELECT h FROM bands)',
                  'D(fp, ?) = ALL (SELECT h FROM bands WHERE id % 40 = 3)', 'D(fp, ?) <> ALL (SELECT big FROM bands)',
                  'D(fp, ?) IN (SELECT d FROM bands) OR id < 10', '(D(fp, ?), g) IN (SELECT d, id FROM bands)',
                  '(D(fp, ?), g) NOT IN (SELECT h, id FROM bands)', 'D(fp, ?) IN (3, 20, 25)', 'D(fp, ?) NOT IN (3, 20, 25)',
                  'D(fp, ?) = (SELECT max(d) FROM bands WHERE id < 30)', 'D(fp, ?) <> 25',
                  'EXISTS (SELECT FROM bands WHERE D(docs.fp, ?) = d)', 'NOT EXISTS (SELECT FROM bands WHERE D(docs.fp, ?) = d)',
                  'EXISTS (SELECT FROM bands WHERE D(docs.fp, ?) = d) OR g = 1', 'EXISTS (SELECT FROM bands WHERE D(docs.fp, q) = d)',
                  'g IN (SELECT D(q, ?) FROM bands)', 'g NOT IN (SELECT D(q, ?) FROM bands)', 'D(fp, ?) = g', 'D(fp, ?) = id % 40']) condition;
SELECT joined_otherwise(replace('SELECT D(fp, ?) AS d, count(b.d) FROM docs LEFT JOIN bands b ON D(fp, ?) = b.d GROUP BY D(fp, ?)', '?', quote_literal(:'q')));
SELECT joined_otherwise(replace('SELECT DISTINCT D(fp, ?) FROM docs JOIN bands b ON D(fp, ?) = b.d', '?', quote_literal(:'q')));
SELECT joined_otherwise(replace('SELECT b.id, n.id FROM bands b, LATERAL (SELECT id FROM docs WHERE D(fp, ?) = b.d ORDER BY id LIMIT 2) n', '?', quote_literal(:'q')));
SELECT joined_otherwise(replace('SELECT b.id, (SELECT count(*) FROM docs WHERE D(fp, ?) = b.d) FROM bands b', '?', quote_literal(:'q')));

-- Plans: hashed or merged
CREATE FUNCTION shape_of(query text) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT regexp_replace(line, '\(ANY \(.* = \((hashed SubPlan) \w+\)\.col1\)\)', '(\1 1)') -- from PostgreSQL 17 on
FROM plan_of(query) line WHERE line ~ 'Join|Cond|Filter' $$;
SELECT shape_of($$SELECT b.d, count(docs.id) FROM bands b FULL JOIN docs ON docs.fp <-> '0123456789abcdef' = b.d GROUP BY b.d$$);
SELECT shape_of($$SELECT b.d, count(docs.id) FROM bands b LEFT JOIN docs ON b.big = docs.fp <-> '0123456789abcdef' GROUP BY b.d$$);
SELECT shape_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' NOT IN (SELECT small FROM bands)$$);
SELECT shape_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' IN (SELECT d FROM bands)$$);
-- with the extension in another schema
CREATE SCHEMA elsewhere;
ALTER EXTENSION simhash SET SCHEMA elsewhere;
SELECT shape_of($$SELECT b.d, count(docs.id) FROM bands b FULL JOIN docs ON docs.fp OPERATOR(elsewhere.<->) '0123456789abcdef' OPERATOR(elsewhere.=) b.d GROUP BY b.d$$);
SELECT shape_of($$SELECT b.d, count(docs.id) FROM bands b FULL JOIN docs ON docs.fp OPERATOR(elsewhere.<->) '0123456789abcdef' = b.d GROUP BY b.d$$);
ALTER EXTENSION simhash SET SCHEMA public;
DROP SCHEMA elsewhere;
-- an index, if the bound is a constant or belongs to the other fingerprint
SET enable_seqscan = off;
SELECT shape_of($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' = 3$$);
PREPARE equal AS SELECT id FROM docs WHERE fp <-> '0123456789abcdef' = $1;
SET plan_cache_mode = force_generic_plan;
SELECT shape_of('EXECUTE equal(3)');
RESET plan_cache_mode;
SELECT shape_of($$SELECT a.id, b.id FROM docs a JOIN docs b ON a.fp <-> b.fp = 3$$);
SELECT shape_of($$SELECT docs.id, bands.id FROM bands JOIN docs ON docs.fp <-> bands.q = bands.d$$);
SELECT shape_of($$SELECT docs.id, bands.id FROM bands JOIN docs ON docs.bits <-> bands.bits = bands.big$$);
SELECT shape_of($$SELECT b.id, n.id FROM bands b, LATERAL (SELECT id FROM docs WHERE fp <-> '0123456789abcdef' = b.d LIMIT 2) n$$);
RESET enable_seqscan;

-- Partitions join one by one.  The cost of an Append must not matter: from PostgreSQL 19 on, the planner also
-- considers the join of the whole tables, which is cheaper here, as it is for integers.
SET enable_partitionwise_join = on;
SET cpu_tuple_cost = 0;
CREATE TABLE by_distance (id int, d int) PARTITION BY RANGE (d);
CREATE TABLE by_distance1 PARTITION OF by_distance FOR VALUES FROM (0) TO (20);
CREATE TABLE by_distance2 PARTITION OF by_distance FOR VALUES FROM (20) TO (65);
INSERT INTO by_distance SELECT id, d FROM bands WHERE d IS NOT NULL;
CREATE TABLE pivots (fp simhash, d hamming) PARTITION BY RANGE (d);
CREATE TABLE pivots1 PARTITION OF pivots FOR VALUES FROM (0) TO (20);
CREATE TABLE pivots2 PARTITION OF pivots FOR VALUES FROM (20) TO (65);
INSERT INTO pivots SELECT fp, fp <-> :'q' FROM docs WHERE fp IS NOT NULL;
ANALYZE by_distance, pivots;
SELECT joined_otherwise(format('SELECT * FROM pivots %s JOIN by_distance b ON D(fp, %L) = b.d', kind, :'q')) FROM unnest('{INNER, LEFT, RIGHT, FULL}'::text[]) kind;
SELECT count(*) FROM pivots FULL JOIN by_distance b ON pivots.d = b.d;
SELECT shape_of('SELECT * FROM pivots FULL JOIN by_distance b ON pivots.d = b.d');
RESET enable_partitionwise_join;
RESET cpu_tuple_cost;

DROP TABLE docs, bands, by_distance, pivots;
DROP FUNCTION joined_otherwise, shape_of;
