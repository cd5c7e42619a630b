-- Columns before the fingerprint: each query once by sequential scan, by index scan and by bitmap
-- scan.

-- Compare the plans of table t (id int, ...): each of the conditions on other columns alone, and
-- with conditions on the fingerprint expression; and the nearest rows.  q is a fingerprint.  One
-- row for each difference; the last row counts the queries that have answers, the scans, and the
-- scans of the index that serve all conditions.
CREATE FUNCTION leading_differences(t regclass, fp text, q text, bounds int[], conditions text[]) RETURNS SETOF text
LANGUAGE plpgsql SET enable_indexonlyscan = off AS $$
DECLARE
  condition text;
  form text;
  query text;
  line text;
  plan text;
  answers text[];
  nearest int;
  queries int := 0;
  index_scans int := 0;
  bitmap_scans int := 0;
  answered int := 0;
  served int := 0;
BEGIN
  FOREACH condition IN ARRAY conditions LOOP
    FOR form IN
      SELECT 'WHERE ' || condition || format(f, fp, q, k) || o
      FROM unnest(bounds) k, unnest(ARRAY[' AND %1$s <-> %2$s <= %3$s']) f, unnest(ARRAY['', format(' ORDER BY %s <-> %s', fp, q)]) o
      UNION ALL
      SELECT 'WHERE ' || condition || format(f, fp, q, bounds[2], bounds[3] / 2, bounds[1]) || o
      FROM unnest(ARRAY['', ' AND %1$s = %2$s', ' AND %1$s IS NULL', ' AND %1$s IS NOT NULL', ' AND %1$s <-> %2$s <= %4$s AND %1$s <-> complement(%2$s) <= %4$s + 30',
                        ' AND %1$s <-> NULL <= %3$s', ' AND %1$s <-> %2$s BETWEEN 1 AND %4$s']) f,
        unnest(ARRAY['', format(' ORDER BY %s <-> %s', fp, q), format(' ORDER BY %1$s <-> %2$s, %1$s <-> complement(%2$s) LIMIT 10', fp, q)]) o
      WHERE o = '' OR f !~ '-> NULL|BETWEEN'
    LOOP
      nearest := (form ~ 'ORDER BY')::int;
      answers := '{}';
      -- distances in order are unique, which rows of equal distance come is not
      IF nearest = 0 THEN
        query := format('SELECT coalesce(array_agg(id ORDER BY id), ''{}'')::text FROM %s %s', t, form);
      ELSE
        query := format('WITH s AS MATERIALIZED (SELECT id, %1$s AS fp, %1$s <-> %2$s AS d, (%3$s) AS fulfilled FROM %4$s %5$s)
                         SELECT coalesce(array_agg(coalesce(d, -1)), ''{}'')::text || (SELECT count(DISTINCT id) FROM s) || (SELECT count(*) FROM s WHERE fulfilled) FROM s',
                        fp, q, condition, t, form);
      END IF;
      FOR pass IN 0..2 - nearest LOOP
        PERFORM set_config('enable_seqscan', (pass = 0)::text, true), set_config('enable_sort', (pass = 0)::text, true),
                set_config('enable_indexscan', (pass = 1)::text, true), set_config('enable_bitmapscan', (pass = 2)::text, true);
        plan := '';
        IF pass > 0 THEN
          FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
            plan := plan || line || ' ';
          END LOOP;
        END IF;
        index_scans := index_scans + (pass = 1 AND plan ~ 'Index Scan using')::int;
        bitmap_scans := bitmap_scans + (pass = 2 AND plan ~ 'Bitmap Index Scan on')::int;
        -- the plan of an array depends on its cost
        served := served + (condition !~ ' (IN|= ANY) ' AND plan ~ 'Index Cond: ' AND plan !~ ' Filter:|Seq Scan|Result')::int;
        EXECUTE query INTO STRICT line;
        answers := answers || line;
      END LOOP;
      FOR pass IN 1..2 - nearest LOOP
        IF answers[pass + 1] <> answers[1] THEN
          RETURN NEXT format('pass %s of %s: %s, not %s', pass, form, left(answers[pass + 1], 80), left(answers[1], 80));
        END IF;
      END LOOP;
      queries := queries + 1;
      answered := answered + (answers[1] !~ '^\{\}')::int;
    END LOOP;
  END LOOP;
  RETURN NEXT format('%s queries, %s with rows; %s index scans, %s bitmap scans, %s without filter', queries, answered, index_scans, bitmap_scans, served);
END $$;

-- Every type.  Rows with n = 7 have NULL.
DO $$ BEGIN
  CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
EXCEPTION WHEN OTHERS THEN
  CREATE COLLATION loose FROM "C";	-- a server without ICU
END $$;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'none', 'other', 'more', 'last');
CREATE DOMAIN tenant_id AS bigint CHECK (value > -5);
CREATE DOMAIN tenant_text AS varchar(20) NOT NULL;
CREATE TABLE typed (id int, n int, fp simhash, c_int2 int2, c_int4 int4, c_int8 int8, c_oid oid, c_text text, c_loose text COLLATE loose, c_varchar varchar(9),
  c_char char(6), c_quoted "char", c_name name, c_uuid uuid, c_bool bool, c_date date, c_time time, c_timestamp timestamp, c_timestamptz timestamptz,
  c_numeric numeric, c_bytea bytea, c_enum mood, c_inet inet, c_cidr cidr, c_domain tenant_id, c_text_domain tenant_text);
INSERT INTO typed
SELECT i, n, CASE WHEN i % 11 > 0 THEN flip(random_fp((i % 20)::text), i % 9, i::text) END, n - 3, n - 3, n - 3, n,
  'text ' || n, (ARRAY['a', 'A', 'aa', 'b', 'B', 'ab', 'aB'])[n], 'v' || n, 'c' || n, chr(64 + n), 'name' || n, md5(n::text)::uuid, n % 2 = 0, date '2020-01-01' + n, time '00:00' + n * interval '1 hour',
  timestamp '2020-01-01' + n * interval '1 hour', timestamptz '2020-01-01 00:00Z' + n * interval '1 hour',
  CASE WHEN i % 3 = 0 THEN n + 0.00 ELSE n END, decode(md5(n::text), 'hex'), (enum_range(NULL::mood))[n], ('10.0.0.' || n)::inet, ('10.0.' || n || '.0/24')::cidr, n - 3, 'd' || n
FROM generate_series(1, rows_of_test(700)) i, LATERAL (SELECT CASE WHEN i % 5 < 3 THEN 1 ELSE 1 + i % 7 END AS n) s;
DO $$
DECLARE c name;
BEGIN
  FOR c IN SELECT attname FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attname ~ '^c_' AND attname <> 'c_text_domain' LOOP
    EXECUTE format('UPDATE typed SET %I = NULL WHERE n = 7', c);
  END LOOP;
END $$;
VACUUM ANALYZE typed;
SET timezone = 'UTC';
CREATE FUNCTION typed_differences(columns text, VARIADIC conditions text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE INDEX typed_index ON typed USING bitblock (%s, fp)', columns);
  RETURN QUERY SELECT columns || ': ' || d FROM leading_differences('typed', 'fp', format('%L::simhash', flip(random_fp('1'), 2, 'q')), '{0,8,40}',
    conditions || (regexp_replace(columns, ',.*', '') || ' IS NULL')) d;
  PERFORM bitblock_check('typed_index', true);
  DROP INDEX typed_index;
END $$;
SELECT typed_differences('c_int2', 'c_int2 = 3::int2', 'c_int2 = -2', 'c_int2 = -2::bigint', '70000 = c_int2', 'c_int2 = 7000000000');
SELECT typed_differences('c_int4', 'c_int4 = 3', 'c_int4 = -2::int2', 'c_int4 = -2::bigint', 'c_int4 = 7000000000', 'c_int4 = 4294967294', 'c_int4 IN (1, 3, NULL)');
SELECT typed_differences('c_int8', 'c_int8 = 3', 'c_int8 = -2::int2', '-2::int = c_int8', '-2::bigint = c_int8', 'c_int8 = ANY (''{1,2}''::int[])', 'c_int8 IN (1, 2, 9)');
SELECT typed_differences('c_oid', 'c_oid = 1', 'c_oid = 2::oid', 'c_oid = 9');
SELECT typed_differences('c_text', 'c_text = ''text 1''', 'c_text = ''text 2''::varchar', 'c_text = ''text 3''::name', 'c_text = ''''');
-- a server without ICU finds other rows
SELECT d FROM typed_differences('c_loose', 'c_loose = ''a''', 'c_loose = ''A''', 'c_loose = ''AA''', 'c_loose = ''AB''', 'c_loose = ''A'' COLLATE "C"', 'c_loose IN (''aA'', ''B'')') d WHERE d !~ ' with rows; ';
SELECT typed_differences('c_loose COLLATE "C"', 'c_loose = ''a''', 'c_loose COLLATE "C" = ''A''', 'c_loose COLLATE "C" = ANY (ARRAY[''a'', ''B''])');
SELECT typed_differences('c_varchar', 'c_varchar = ''v1''', 'c_varchar = ''v2''::text', 'c_varchar = ''v3''::varchar', 'c_varchar IN (''v1'', ''v2'')', 'c_varchar = ''v1  ''');
SELECT typed_differences('c_char', 'c_char = ''c1''', 'c_char = ''c2    ''', 'c_char = ''c3         ''::bpchar', 'c_char = ''c1''::text');
SELECT typed_differences('c_quoted', 'c_quoted = ''A''', 'c_quoted = ''C''');
-- type name has no operator class, because its hash function ignores collations
SELECT typed_differences('(c_name::text)', 'c_name::text = ''name1''', 'c_name::text = ''name2''::varchar', 'c_name::text = ''name9''');
SELECT typed_differences('c_uuid', format('c_uuid = %L', md5('1')), format('c_uuid = %L', md5('2')));
SELECT typed_differences('c_bool', 'c_bool = (SELECT true)', 'c_bool = (SELECT false)', 'c_bool IN ((SELECT true), (SELECT false))');
-- whether an index serves these depends on the version of PostgreSQL
SELECT d FROM typed_differences('c_bool', 'c_bool', 'NOT c_bool', 'c_bool = true', 'c_bool IS TRUE', 'c_bool IS NOT TRUE', 'c_bool IS UNKNOWN') d WHERE d !~ ' with rows; ';
SELECT typed_differences('c_date', 'c_date = ''2020-01-02''', 'c_date = timestamp ''2020-01-03 00:00''');
SELECT typed_differences('c_time', 'c_time = ''01:00''', 'c_time = ''03:00:00.0''');
SELECT typed_differences('c_timestamp', 'c_timestamp = ''2020-01-01 01:00''', 'c_timestamp = ''2020-01-01 02:00''');
SELECT typed_differences('c_timestamptz', 'c_timestamptz = ''2020-01-01 01:00Z''', 'c_timestamptz = ''2020-01-01 03:00+01:00''');
SELECT typed_differences('c_numeric', 'c_numeric = 1', 'c_numeric = 1.000', 'c_numeric = 2.0', 'c_numeric = ''NaN''', 'c_numeric IN (1.0, 3)');
SELECT typed_differences('c_bytea', format('c_bytea = decode(%L, ''hex'')', md5('1')), 'c_bytea = ''''');
SELECT typed_differences('c_enum', 'c_enum = ''sad''', 'c_enum = ''ok''', 'c_enum IN (''happy'', ''last'')');
SELECT typed_differences('c_inet', 'c_inet = ''10.0.0.1''', 'c_inet = ''10.0.0.2/32''', 'c_inet = ''10.0.0.1/24''');
SELECT typed_differences('c_cidr', 'c_cidr = ''10.0.1.0/24''', 'c_cidr = ''10.0.2.0/24''::inet');
SELECT typed_differences('c_domain', 'c_domain = 3', 'c_domain = -2::tenant_id', 'c_domain = -2::int2');
SELECT typed_differences('c_text_domain', 'c_text_domain = ''d1''', 'c_text_domain = ''d3''::tenant_text');

-- NULL, contradictions, arrays
-- (plans of OR depend on the version)
SELECT regexp_replace(typed_differences('c_int4', 'c_int4 = NULL', 'c_int4 IS NOT NULL', 'c_int4 = 1 AND c_int4 = 2', 'c_int4 = 1 AND c_int4 IS NOT NULL', 'c_int4 IS NULL AND c_int4 = 1',
  'c_int4 = ANY (ARRAY[NULL, 1])', 'c_int4 = ANY (ARRAY[1, 1, 2])', 'c_int4 = ALL (ARRAY[1, 1])', 'c_int4 IS DISTINCT FROM 1', 'c_int4 <> 1', 'c_int4 > 1',
  'c_int4 = 1 AND n < 3', '(c_int4 = 1 OR c_int4 IS NULL)', 'true'), ';.*', '') AS typed_differences;

-- Several columns, all or some or none of them known; expressions
SELECT typed_differences('c_int8, c_text', 'c_int8 = -2 AND c_text = ''text 1''', 'c_int8 = -2', 'c_text = ''text 2''', 'c_int8 = -2 AND c_text = ''text 2''', 'c_text IS NULL', 'c_int8 IS NULL AND c_text IS NULL',
  'c_int8 IS NOT NULL AND c_text = ''text 1''', 'c_int8 = -1 AND c_text IS NULL', 'c_int8 IN (-2, -1) AND c_text IN (''text 1'', ''text 2'')', '(c_int8, c_text) = (-1, ''text 2'')', 'true');
SELECT typed_differences('c_int2, c_bool, c_enum, c_uuid', 'c_int2 = -2 AND c_bool = (SELECT false) AND c_enum = ''sad'' AND c_uuid = md5(''1'')::uuid', 'c_uuid = md5(''2'')::uuid', 'c_int2 = -2 AND c_enum = ''sad''', 'n = 1');
SELECT typed_differences('lower(c_text), (n % 3)', 'lower(c_text) = ''text 1'' AND n % 3 = 1', 'lower(c_text) = ''text 2'' AND n % 3 = 2::bigint', 'n % 3 = 1', 'lower(c_text) = ''text 7''');
-- the same column twice: each position has the condition
SELECT typed_differences('c_int4, c_int4', 'c_int4 = 1', 'c_int4 = ANY (ARRAY[1, -2])');
-- all columns that an index may have
SELECT typed_differences(string_agg('c_int4', ', '), 'c_int4 = -2') ~ ': [0-9]+ queries, [1-9][0-9]* with rows' AS same FROM generate_series(1, 31);

-- A partial index
CREATE INDEX typed_partial ON typed USING bitblock (c_int4, fp) WHERE n > 1;
SELECT leading_differences('typed', 'fp', format('%L::simhash', random_fp('1')), '{-1,0,8,14,64}', '{c_int4 = 1 AND n > 1,c_int4 = -2 AND n > 1,n > 1}');
DROP INDEX typed_partial;

-- The operand of a condition from a join and from a generic plan
CREATE INDEX typed_index ON typed USING bitblock (c_int8, c_varchar, fp);
CREATE TABLE asked AS SELECT DISTINCT ON (c_int8) c_int8::int4 AS tenant, c_varchar AS lang, flip(fp, 1, 'x') AS fp FROM typed WHERE fp IS NOT NULL ORDER BY c_int8, id;
ANALYZE asked;
SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SET enable_bitmapscan = off;
SELECT plan_of('SELECT count(*) FROM asked a JOIN typed t ON t.c_int8 = a.tenant AND t.c_varchar = a.lang AND t.fp <-> a.fp <= 10');
SELECT count(*), sum(id) FROM asked a JOIN typed t ON t.c_int8 = a.tenant AND t.c_varchar = a.lang AND t.fp <-> a.fp <= 10;
SELECT a.tenant, array_agg(d) FROM asked a LEFT JOIN LATERAL (SELECT t.fp <-> a.fp AS d FROM typed t WHERE t.c_int8 = a.tenant AND t.c_varchar = a.lang ORDER BY t.fp <-> a.fp LIMIT 3) s ON true GROUP BY 1 ORDER BY 1;
SET enable_seqscan = on; SET enable_indexscan = off;
SELECT count(*), sum(id) FROM asked a JOIN typed t ON t.c_int8 = a.tenant AND t.c_varchar = a.lang AND t.fp <-> a.fp <= 10;
SELECT a.tenant, array_agg(d) FROM asked a LEFT JOIN LATERAL (SELECT t.fp <-> a.fp AS d FROM typed t WHERE t.c_int8 = a.tenant AND t.c_varchar = a.lang ORDER BY t.fp <-> a.fp LIMIT 3) s ON true GROUP BY 1 ORDER BY 1;
RESET enable_seqscan; RESET enable_indexscan; RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material;
SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
PREPARE near_row(bigint, text, simhash, int) AS SELECT count(*), sum(id) FROM typed WHERE c_int8 = $1 AND c_varchar = $2 AND fp <-> $3 <= $4;
EXECUTE near_row(-2, 'v1', random_fp('1'), 8);
EXECUTE near_row(-2, NULL, random_fp('1'), 8);
EXECUTE near_row(-1, 'v2', random_fp('1'), 64);
EXECUTE near_row(-1, 'v1', random_fp('1'), 64);
DEALLOCATE near_row;
RESET plan_cache_mode;
-- a cursor that goes back needs a copy of the rows
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM typed WHERE c_int8 = -1 AND c_varchar = 'v2' AND fp IS NULL ORDER BY id;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
COMMIT;
RESET enable_seqscan; RESET enable_bitmapscan;
DROP TABLE asked;

-- There are no index-only scans
VACUUM typed;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT plan_of('SELECT count(*) FROM typed');
SELECT plan_of('SELECT fp FROM typed WHERE c_int8 = 1 AND c_varchar = ''v4'' AND fp <-> ''0000000000000000'' <= 3');
SELECT plan_of('SELECT c_int8, c_varchar, fp FROM typed WHERE c_int8 = 1 AND c_varchar = ''v4'' ORDER BY fp <-> ''0000000000000000''');
SELECT plan_of('SELECT c_int8 FROM typed WHERE c_int8 = 1');
SELECT count(*) FROM typed;
SELECT count(*) FROM (SELECT fp FROM typed WHERE c_int8 = 1 AND c_varchar = 'v4' AND fp <-> '0000000000000000' <= 64) s;
SET enable_indexscan = off;
SELECT plan_of('SELECT fp FROM typed WHERE c_int8 = 1 AND c_varchar = ''v4'' AND fp <-> ''0000000000000000'' <= 3') ~ 'Index Only' AS only LIMIT 1;
RESET enable_seqscan; RESET enable_bitmapscan; RESET enable_indexscan;
SELECT a, pg_index_column_has_property('typed_index', a, 'returnable') AS returnable, pg_index_column_has_property('typed_index', a, 'search_nulls') AS nulls FROM generate_series(1, 3) a;

-- A scan returns the rows of its tag only: the executor removes no row unless tags have 2 bits.
CREATE FUNCTION removed_rows(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
    IF line ~ 'Rows Removed' AND coalesce(current_setting('simhash_test.module', true), '') = '' THEN
      RETURN NEXT line;
    END IF;
  END LOOP;
END $$;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT removed_rows(format('SELECT FROM typed WHERE c_int8 %s AND c_varchar %s AND fp %s', a, b, f)) FROM unnest(ARRAY['= -2', 'IS NULL', '= 2']) a, unnest(ARRAY['= ''v1''', 'IS NULL', '= ''v5''']) b,
  unnest(ARRAY['<-> ''0123456789abcdef'' <= 64', '<-> ''0123456789abcdef'' <= 20', 'IS NULL', 'IS NOT NULL ORDER BY fp <-> ''0123456789abcdef''']) f;
RESET enable_seqscan; RESET enable_bitmapscan;
DROP FUNCTION removed_rows;

-- Rows that change, VACUUM and REINDEX
CREATE FUNCTION changed_differences() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT leading_differences('typed', 'fp', format('%L::simhash', flip(random_fp('1'), 2, 'q')), '{-1,0,8,14,64}',
    '{c_int8 = -2 AND c_varchar = $x$v1$x$,c_int8 = 40 AND c_varchar = $x$new$x$,c_int8 IS NULL AND c_varchar IS NULL,c_int8 = 3}'::text[]) $$;
SELECT bitblock_check('typed_index', true);
SELECT tree, entries = (SELECT count(fp) FROM typed) AS all_rows FROM bitblock_stats('typed_index') ORDER BY tree;
UPDATE typed SET c_int8 = 40, c_varchar = 'new' WHERE id % 4 = 0;
UPDATE typed SET c_varchar = NULL WHERE id % 17 = 0;
UPDATE typed SET fp = flip(fp, 3, 'other') WHERE id % 4 = 1;
DELETE FROM typed WHERE id % 6 = 1;
SELECT changed_differences();
VACUUM typed;
SELECT bitblock_check('typed_index', true);
SELECT changed_differences();
REINDEX INDEX CONCURRENTLY typed_index;
SELECT bitblock_check('typed_index', true);
SELECT changed_differences();
TRUNCATE typed;
SELECT bitblock_check('typed_index', true);
DROP TABLE typed CASCADE;
DROP FUNCTION typed_differences, changed_differences;

-- The other fingerprints: bit strings of each width, balls, domains, expressions
CREATE FUNCTION tenant_bits(n int, seed text) RETURNS bit LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT substring(bit_from_hex(string_agg(md5(seed || i), '')), 1, n) FROM generate_series(0, n / 128) i $$;
CREATE FUNCTION bits_differences(n int, rows int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  q text := format('%L::bit(%s)', set_bit(tenant_bits(n, '3'), 5, 1), n);
  bounds int[] := ARRAY[-1, 0, n / 8, n / 4, n];
BEGIN
  EXECUTE format('CREATE TABLE pictures (id int, tenant int, lang text, b bit(%s), v bit varying)', n);
  INSERT INTO pictures SELECT i, CASE WHEN i % 2 = 0 THEN i % 4 WHEN i % 13 > 0 THEN i % 10 END, 'l' || i % 3,
    b, b FROM generate_series(1, rows_of_test(rows) / 2) i,
    LATERAL (SELECT CASE WHEN i % 12 > 0 THEN tenant_bits(n, (i % 15)::text) # (tenant_bits(n, i::text) & tenant_bits(n, 'x' || i) & tenant_bits(n, 'y' || i)) END AS b) s;
  CREATE INDEX pictures_index ON pictures USING bitblock (tenant, lang, b);
  INSERT INTO pictures SELECT id + rows, tenant, lang, b, v FROM pictures;
  RETURN QUERY SELECT n || ' bits: ' || d FROM leading_differences('pictures', 'b', q, bounds, '{tenant = 2 AND lang = $x$l1$x$,tenant = 3 AND lang = $x$l2$x$,tenant IS NULL AND lang = $x$l1$x$,tenant = 2}') d;
  PERFORM bitblock_check('pictures_index', true);
  DELETE FROM pictures WHERE id % 5 = 0;
  DROP INDEX pictures_index;
  EXECUTE format('CREATE INDEX pictures_index ON pictures USING bitblock (tenant, v) WITH (bits = %s, fillfactor = 60)', n);
  RETURN QUERY SELECT n || ' bits, varying: ' || d FROM leading_differences('pictures', 'v', q || '::bit varying', bounds, '{tenant = 2,tenant = 1::bigint,tenant IS NULL}') d;
  PERFORM bitblock_check('pictures_index', true);
  DROP INDEX pictures_index;
  EXECUTE format('CREATE INDEX pictures_index ON pictures USING bitblock (lang, (~b)) WITH (bits = %s)', n);
  RETURN QUERY SELECT n || ' bits, expression: ' || d FROM leading_differences('pictures', '(~b)', '~' || q, bounds, '{lang = $x$l1$x$,lang = $x$l4$x$}') d;
  DROP TABLE pictures;
END $$;
SELECT bits_differences(n, rows) FROM (VALUES (64, 600), (80, 300), (128, 300), (256, 400), (1024, 200)) v (n, rows);
CREATE DOMAIN hash AS simhash;
CREATE TABLE docs (id int, tenant int, fp hash, ball simhash_ball);
INSERT INTO docs SELECT i, i % 6, fp, simhash_ball(fp, i / 40 % 20 - 1) FROM shaped_fps('clusters', rows_of_test(600)) s (i, fp);
INSERT INTO docs SELECT -i, NULLIF(i, 3), NULL, NULL FROM generate_series(0, 5) i;
CREATE INDEX docs_fp ON docs USING bitblock (tenant, fp);
SELECT leading_differences('docs', 'fp', format('%L::simhash', random_fp('1')), '{-1,0,8,14,64}', '{tenant = 1,tenant IS NULL}');
DROP INDEX docs_fp;
CREATE INDEX docs_ball ON docs USING bitblock (tenant, ball);
CREATE INDEX docs_radius ON docs USING bitblock (tenant, simhash_ball(fp, 4));
CREATE FUNCTION ball_answers(ball text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE query text := format('WITH q AS MATERIALIZED (SELECT id, fp, k FROM shaped_fps(''clusters'', 4), unnest(''{-1,0,4,20,64}''::int[]) k)
    SELECT string_agg(ids, '' '') FROM (SELECT coalesce(string_agg(d.id::text, '','' ORDER BY d.id), ''-'') AS ids
    FROM q LEFT JOIN docs d ON d.tenant = q.id AND %s && simhash_ball(q.fp, q.k) GROUP BY q.k, q.id ORDER BY q.k, q.id) s', ball);
BEGIN
  RETURN QUERY SELECT p FROM plan_of(query) p WHERE p ~ 'Index Cond';
  RETURN QUERY EXECUTE format('SELECT length(s.string_agg) || '' '' || md5(s.string_agg) FROM (%s) s', query);
END $$;
SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT b, ball_answers(b) FROM unnest('{d.ball,"simhash_ball(d.fp, 4)"}'::text[]) b;
SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_indexscan = on;
SELECT b, ball_answers(b) FROM unnest('{d.ball,"simhash_ball(d.fp, 4)"}'::text[]) b;
SET enable_indexscan = off; SET enable_bitmapscan = on;
SELECT b, ball_answers(b) FROM unnest('{d.ball,"simhash_ball(d.fp, 4)"}'::text[]) b;
RESET enable_seqscan; RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_hashjoin; RESET enable_mergejoin;
SELECT bitblock_check('docs_ball', true), bitblock_check('docs_radius', true);
DROP TABLE docs;
DROP FUNCTION ball_answers;

-- Which columns an index may have
CREATE TABLE refused (id int, a text, n name, j json, p point, fp simhash, fp2 simhash, b bit(64), ball simhash_ball);
CREATE INDEX ON refused USING bitblock (fp, id);
CREATE INDEX ON refused USING bitblock (id);
CREATE INDEX ON refused USING bitblock (id, a);
CREATE INDEX ON refused USING bitblock (fp, fp2);
CREATE INDEX ON refused USING bitblock (id, b, fp);
CREATE INDEX ON refused USING bitblock (ball, id, fp);
CREATE INDEX ON refused USING bitblock (fp, fp);
CREATE INDEX ON refused USING bitblock (n, fp);
CREATE INDEX ON refused USING bitblock (j, fp);
CREATE INDEX ON refused USING bitblock (p, fp);
CREATE INDEX ON refused USING bitblock (id, fp) INCLUDE (a);
CREATE UNIQUE INDEX ON refused USING bitblock (id, fp);
-- PostgreSQL 19 words these errors otherwise
\set VERBOSITY sqlstate
CREATE INDEX ON refused USING bitblock (id DESC, fp);
CREATE INDEX ON refused USING bitblock (id, fp NULLS FIRST);
\set VERBOSITY default
CREATE INDEX ON refused USING bitblock (id, fp) WITH (bits = 128);
CREATE INDEX ON refused USING bitblock (id int4_bitblock_ops, a text_bitblock_ops, fp simhash_bitblock_ops) WITH (bits = 64, fillfactor = 70);
CREATE INDEX ON refused USING bitblock (id text_bitblock_ops, fp);
-- a leading column has only =
SET enable_seqscan = off;
SELECT plan_of('SELECT * FROM refused WHERE id < 3 AND a LIKE ''x%'' ORDER BY id');
ALTER TABLE refused ADD EXCLUDE USING bitblock (id WITH <>, fp WITH %);
ALTER TABLE refused ADD EXCLUDE USING bitblock (id WITH =);
RESET enable_seqscan;
DROP TABLE refused;

-- Exclusion: near-duplicates are refused within a tenant, and a row with a NULL tenant has none
CREATE TABLE kept (id int GENERATED ALWAYS AS IDENTITY, tenant bigint, lang text, fp simhash, CONSTRAINT near EXCLUDE USING bitblock (tenant WITH =, lang WITH =, fp WITH %));
INSERT INTO kept (tenant, lang, fp) VALUES (1, 'en', '000000000000ff00'), (2, 'en', '000000000000ff00'), (1, 'de', '000000000000ff00'), (NULL, 'en', '000000000000ff00'), (NULL, 'en', '000000000000ff00'), (1, NULL, '000000000000ff00'), (1, NULL, '000000000000ff00'), (1, 'en', NULL), (1, 'en', NULL);
INSERT INTO kept (tenant, lang, fp) VALUES (1, 'en', '000000000000ff01');
INSERT INTO kept (tenant, lang, fp) VALUES (1, 'en', '000000000000ff01') ON CONFLICT DO NOTHING;
INSERT INTO kept (tenant, lang, fp) VALUES (3, 'en', '000000000000ff01'), (3, 'en', '000000000000fe00') ON CONFLICT ON CONSTRAINT near DO NOTHING RETURNING tenant, fp;
UPDATE kept SET tenant = 2 WHERE tenant = 1 AND lang = 'en' AND fp IS NOT NULL;
UPDATE kept SET lang = lang WHERE tenant = 2;
TRUNCATE kept;
INSERT INTO kept (tenant, lang, fp) SELECT i % 5, 'l' || i % 2, fp FROM shaped_fps('clusters', rows_of_test(800)) s (i, fp) ON CONFLICT DO NOTHING;
SELECT count(*) > 40 AS some, count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.id <> k.id AND (o.tenant, o.lang) = (k.tenant, k.lang) AND o.fp <-> k.fp <= 5)) AS near_duplicates FROM kept k;
SELECT count(*) FROM shaped_fps('clusters', rows_of_test(800)) s (i, fp) WHERE NOT EXISTS (SELECT FROM kept k WHERE k.tenant = i % 5 AND k.lang = 'l' || i % 2 AND k.fp <-> s.fp <= 5);
DROP TABLE kept;
-- with a radius, deferred, and by a collation
CREATE TABLE kept (tenant text COLLATE loose, fp simhash, CONSTRAINT near EXCLUDE USING bitblock (tenant WITH =, simhash_ball(fp, 4) WITH &&) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO kept VALUES ('a', '000000000000ff00');
BEGIN;
INSERT INTO kept VALUES ('a', '000000000000ff0f'), ('b', '000000000000ff0f');
SELECT count(*) FROM kept;
UPDATE kept SET tenant = 'c' WHERE fp = '000000000000ff00';
COMMIT;
SELECT * FROM kept ORDER BY 1, 2;
BEGIN;
INSERT INTO kept VALUES ('c', '0000000000000000'), ('c', '000000000000ffff');
INSERT INTO kept VALUES ('c', '000000000000ff01');
COMMIT;
DO $$ BEGIN
  IF 'a' = 'A' COLLATE loose THEN
    INSERT INTO kept VALUES ('C', '000000000000ff01');
    RAISE 'the collation makes no difference';
  END IF;
EXCEPTION WHEN exclusion_violation THEN
  NULL;
END $$;
DROP TABLE kept;
CREATE TABLE kept (tenant int, b bit(256), EXCLUDE USING bitblock (tenant WITH =, bit_ball(b, 31) WITH &&) WITH (bits = 256));
INSERT INTO kept SELECT t, tenant_bits(256, '1') FROM generate_series(1, 3) t;
INSERT INTO kept SELECT t, set_bit(tenant_bits(256, '1'), 200, 1 - get_bit(tenant_bits(256, '1'), 200)) FROM generate_series(1, 5) t ON CONFLICT DO NOTHING RETURNING tenant;
DROP TABLE kept;
CREATE TABLE kept (tenant int, b bit(256), EXCLUDE USING bitblock (tenant WITH =, b WITH %));
INSERT INTO kept SELECT t, 0::bit(256) FROM generate_series(1, 3) t;
INSERT INTO kept SELECT t, ((1 << 20) - 1)::bit(256) FROM generate_series(1, 5) t ON CONFLICT DO NOTHING RETURNING tenant;
INSERT INTO kept SELECT t, ((1 << 21) - 1)::bit(256) FROM generate_series(1, 5) t ON CONFLICT DO NOTHING RETURNING tenant;
DROP TABLE kept;
-- the rows that exist must keep the constraint, too
CREATE TABLE kept AS SELECT i % 2 AS tenant, '000000000000000f'::simhash AS fp FROM generate_series(1, 3) i;
ALTER TABLE kept ADD CONSTRAINT near EXCLUDE USING bitblock (tenant WITH =, fp WITH %);
DELETE FROM kept WHERE ctid = (SELECT max(ctid) FROM kept WHERE tenant = 1);
ALTER TABLE kept ADD CONSTRAINT near EXCLUDE USING bitblock (tenant WITH =, fp WITH %);
DROP TABLE kept;
-- a partitioned table whose partition key is among the columns with =; PostgreSQL 17 and newer
-- have such constraints
CREATE TABLE parts (tenant int, fp simhash) PARTITION BY LIST (tenant);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1, 2);
CREATE TABLE parts2 (fp simhash, dropped int, tenant int);
ALTER TABLE parts2 DROP COLUMN dropped;
ALTER TABLE parts ATTACH PARTITION parts2 FOR VALUES IN (3);
CREATE INDEX ON parts USING bitblock (tenant, fp);
DO $$
DECLARE accepted text;
BEGIN
  IF current_setting('server_version_num')::int < 170000 THEN
    BEGIN
      ALTER TABLE parts ADD EXCLUDE USING bitblock (tenant WITH =, fp WITH %);
      RAISE 'an exclusion constraint of a partitioned table was accepted';
    EXCEPTION WHEN feature_not_supported THEN
      NULL;
    END;
    ALTER TABLE parts1 ADD EXCLUDE USING bitblock (tenant WITH =, fp WITH %);
    ALTER TABLE parts2 ADD EXCLUDE USING bitblock (tenant WITH =, fp WITH %);
  ELSE
    BEGIN
      ALTER TABLE parts ADD EXCLUDE USING bitblock (fp WITH %);
      RAISE 'a constraint without the partition key was accepted';
    EXCEPTION WHEN feature_not_supported THEN
      NULL;
    END;
    ALTER TABLE parts ADD EXCLUDE USING bitblock (tenant WITH =, fp WITH %);
  END IF;
END $$;
INSERT INTO parts VALUES (1, '00000000000000ff'), (2, '00000000000000ff'), (3, '00000000000000ff');
INSERT INTO parts VALUES (3, '0000000000000003') ON CONFLICT DO NOTHING;
INSERT INTO parts VALUES (3, '000000000000007f') ON CONFLICT DO NOTHING;
INSERT INTO parts VALUES (1, '000000000000007f') ON CONFLICT DO NOTHING;
SELECT * FROM parts ORDER BY 1, 2;
DO $$ BEGIN
  UPDATE parts SET tenant = 3 WHERE tenant = 2;
EXCEPTION WHEN exclusion_violation THEN
  RAISE NOTICE 'refused';
END $$;
SET enable_seqscan = off;
SELECT tenant, fp FROM parts WHERE tenant = 3 AND fp <-> '00000000000000ff' <= 6 ORDER BY fp <-> '00000000000000ff';
RESET enable_seqscan;
DROP TABLE parts;

-- An operator class of a user's own for another type
CREATE OPERATOR CLASS macaddr_bitblock DEFAULT FOR TYPE macaddr USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashmacaddr(macaddr);
CREATE OPERATOR CLASS range_bitblock FOR TYPE anyrange USING bitblock AS OPERATOR 18 =, FUNCTION 1 hash_range(anyrange);
CREATE OPERATOR CLASS float_bitblock FOR TYPE float8 USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashfloat8(float8);
SELECT opcname, amvalidate(c.oid) FROM pg_opclass c WHERE opcname IN ('macaddr_bitblock', 'range_bitblock', 'float_bitblock') ORDER BY 1;
CREATE TABLE own (id int, m macaddr, r int4range, f float8, fp simhash);
INSERT INTO own SELECT i, ('00:00:00:00:00:0' || i % 5)::macaddr, CASE WHEN i % 7 > 0 THEN int4range(i % 5, 9) END, (i % 3 - 1) * CASE WHEN i % 4 = 0 THEN -1 ELSE 1 END * 0.0 + i % 3 / 2, fp FROM shaped_fps('clusters', rows_of_test(400)) s (i, fp);
CREATE INDEX own_index ON own USING bitblock (m, r range_bitblock, fp);
SELECT leading_differences('own', 'fp', format('%L::simhash', random_fp('1')), '{-1,0,8,14,64}', '{m = $x$000000000001$x$ AND r = $x$[1\,8]$x$,r IS NULL AND m = $x$000000000002$x$,m = $x$000000000001$x$}');
DROP INDEX own_index;
CREATE INDEX own_index ON own USING bitblock (f float_bitblock, fp);
SELECT leading_differences('own', 'fp', format('%L::simhash', random_fp('1')), '{-1,0,8,14,64}', '{f = 0,f = $x$-0$x$,f = 1}');
SELECT bitblock_check('own_index', true);
DROP TABLE own;
DROP OPERATOR CLASS macaddr_bitblock USING bitblock;
DROP OPERATOR CLASS range_bitblock USING bitblock;
DROP OPERATOR CLASS float_bitblock USING bitblock;
-- amvalidate says what is wrong
CREATE FUNCTION two_hashes(text, text) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE FUNCTION long_hash(macaddr) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 1::bigint';
CREATE OPERATOR FAMILY wrong USING bitblock;
\set VERBOSITY terse
CREATE FUNCTION validity(definition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE valid boolean;
BEGIN
  EXECUTE 'CREATE OPERATOR CLASS wrong FOR TYPE macaddr USING bitblock FAMILY wrong AS ' || definition;
  SELECT amvalidate(oid) INTO valid FROM pg_opclass WHERE opcname = 'wrong';
  DROP OPERATOR FAMILY wrong USING bitblock;
  CREATE OPERATOR FAMILY wrong USING bitblock;
  RETURN valid;
END $$;
SELECT validity('OPERATOR 18 =, FUNCTION 1 hashmacaddr(macaddr)');
SELECT validity('OPERATOR 18 =, OPERATOR 18 = (macaddr8, macaddr8), FUNCTION 1 hashmacaddr(macaddr), FUNCTION 1 (macaddr8, macaddr8) hashmacaddr8(macaddr8)');
SELECT validity('OPERATOR 1 =, FUNCTION 1 hashmacaddr(macaddr)');
SELECT validity('OPERATOR 18 =, OPERATOR 19 <, FUNCTION 1 hashmacaddr(macaddr)');
SELECT validity('OPERATOR 18 =, FUNCTION 1 long_hash(macaddr)');
SELECT validity('OPERATOR 18 =, FUNCTION 1 hashmacaddr(macaddr), FUNCTION 1 (text, text) two_hashes(text, text)');
SELECT validity('OPERATOR 18 =, OPERATOR 18 = (text, text), FUNCTION 1 hashmacaddr(macaddr)');
SELECT validity('OPERATOR 18 =');
SELECT validity('FUNCTION 1 hashmacaddr(macaddr)');
SELECT validity('OPERATOR 18 =, FUNCTION 2 hashmacaddr(macaddr)');
SELECT validity('OPERATOR 18 <>, FUNCTION 1 hashmacaddr(macaddr)');
\set VERBOSITY default
-- CREATE INDEX refuses what would give wrong answers
CREATE TABLE refused (m macaddr, fp simhash);
CREATE OPERATOR CLASS wrong FOR TYPE macaddr USING bitblock AS OPERATOR 18 <>, FUNCTION 1 hashmacaddr(macaddr);
CREATE INDEX ON refused USING bitblock (m wrong, fp);
DROP OPERATOR FAMILY wrong USING bitblock;
CREATE OPERATOR CLASS wrong FOR TYPE macaddr USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashmacaddrextended(macaddr, bigint);
CREATE INDEX ON refused USING bitblock (m wrong, fp);
DROP OPERATOR FAMILY wrong USING bitblock;
CREATE OPERATOR CLASS wrong FOR TYPE macaddr USING bitblock AS OPERATOR 18 =;
CREATE INDEX ON refused USING bitblock (m wrong, fp);
CREATE INDEX ON refused USING bitblock (m wrong);
DROP OPERATOR FAMILY wrong USING bitblock;
CREATE OPERATOR CLASS wrong FOR TYPE macaddr USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashtext(text);
CREATE INDEX ON refused USING bitblock (m wrong, fp);
DROP OPERATOR FAMILY wrong USING bitblock;
DROP TABLE refused;
DROP FUNCTION validity, two_hashes, long_hash;

DROP FUNCTION bits_differences, tenant_bits, leading_differences;
DROP TYPE mood;
DROP DOMAIN tenant_id, tenant_text, hash;
DROP COLLATION loose;
