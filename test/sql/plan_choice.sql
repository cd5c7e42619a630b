-- Plans where there is more than one way to go, and what they are chosen by.  All
-- tables are small enough for ANALYZE to read all of their rows.

-- The scans of a plan, in its order: names of indexes, or of tables read in sequence.
-- Which kind of index scan it is differs from version to version.
CREATE FUNCTION scans(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  found text[];
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    found := found || coalesce(substring(line FROM 'Index (?:Only )?Scan (?:Backward )?(?:using|on) (\w+)'), substring(line FROM 'Seq Scan on \w+'));
  END LOOP;
  RETURN array_to_string(array_remove(found, NULL), ', ');
END $$;
-- What an index is asked
CREATE FUNCTION conditions(query text) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT trim(line) FROM plan_of(query) line WHERE line ~ 'Index Cond|Order By|Seq Scan' $$;
-- Estimated rows of a plan
CREATE FUNCTION estimate(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
-- The least time that planning took, in ms
CREATE FUNCTION planning_ms(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  plan json;
  least_ms float8 := 'infinity';
BEGIN
  FOR i IN 1..20 LOOP
    EXECUTE 'EXPLAIN (SUMMARY, FORMAT json) ' || query INTO plan;
    least_ms := least(least_ms, (plan -> 0 ->> 'Planning Time')::float8);
  END LOOP;
  RETURN least_ms;
END $$;
SET max_parallel_workers_per_gather = 0;

-- Beside GiST indexes that have the fingerprint as one of their columns, in any place
CREATE TABLE docs (id int PRIMARY KEY, period int4range, body text, fp simhash) WITH (autovacuum_enabled = off);
INSERT INTO docs SELECT id, int4range(id, id + 1000), 'x', fp FROM shaped_fps('random', 30000);
CREATE INDEX by_bitblock ON docs USING bitblock (fp);
CREATE INDEX by_period_fp ON docs USING gist (period, fp);
CREATE TABLE few AS SELECT id, fp FROM docs WHERE id % 50 = 0;
VACUUM ANALYZE docs, few;
SELECT scans($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT scans($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 24$$);
SELECT scans($$SELECT id FROM docs ORDER BY fp <-> '0123456789abcdef' LIMIT 10$$);
SELECT scans($$SELECT f.id, d.id FROM few f JOIN docs d ON d.fp <-> f.fp <= 3$$);
SELECT scans($$SELECT id FROM docs WHERE period @> 7 AND fp <-> '0123456789abcdef' <= 3$$);
-- where the other column leaves fewer rows, GiST has its use
SELECT scans($$SELECT id FROM docs WHERE period @> 7 AND fp <-> '0123456789abcdef' <= 26$$);
SELECT scans($$SELECT id FROM docs WHERE period @> 7 ORDER BY fp <-> '0123456789abcdef' LIMIT 10$$);
-- as the first of two columns, and as an expression
DROP INDEX by_period_fp;
CREATE INDEX by_fp_period ON docs USING gist (fp, period);
CREATE INDEX by_flipped ON docs USING bitblock (complement(fp));
CREATE INDEX by_period_flipped ON docs USING gist (period, complement(fp));
VACUUM ANALYZE docs;
SELECT scans($$SELECT id FROM docs WHERE fp <-> '0123456789abcdef' <= 3$$);
SELECT scans($$SELECT id FROM docs WHERE complement(fp) <-> '0123456789abcdef' <= 3$$);
SELECT scans($$SELECT id FROM docs ORDER BY complement(fp) <-> '0123456789abcdef' LIMIT 10$$);
DROP TABLE docs;

-- A query value that is not known, where some values or groups are frequent
CREATE FUNCTION grouped_docs(shape text, n int) RETURNS TABLE (id int, created int, fp simhash)
LANGUAGE sql AS $$
  SELECT i, abs(hashtext('created' || i)), CASE shape
    WHEN 'unique' THEN random_fp(i::text)
    WHEN 'clusters' THEN flip(random_fp((i % 3000)::text), i / 3000 % 4, i::text)
    WHEN 'half alike' THEN CASE WHEN i % 2 = 0 THEN flip(random_fp('template'), i % 6, i::text) ELSE random_fp(i::text) END
    WHEN 'half equal' THEN CASE WHEN i % 2 = 0 THEN random_fp('template') ELSE random_fp(i::text) END
    WHEN 'zipf' THEN random_fp('z' || floor(exp(ln(n) * ((abs(hashtext('rank' || i)) % 65536) / 65536.0)))::int)
  END FROM generate_series(1, n) i
$$;
CREATE FUNCTION grouped_choices(shape text) RETURNS TABLE (few boolean, newest text, joined text) LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS docs;
  CREATE TABLE docs (id int PRIMARY KEY, created int, fp simhash) WITH (autovacuum_enabled = off);
  INSERT INTO docs SELECT * FROM grouped_docs(shape, 30000);
  CREATE INDEX by_bitblock ON docs USING bitblock (fp);
  CREATE INDEX by_created ON docs (created);
  ANALYZE docs;
  RETURN QUERY SELECT
    estimate('SELECT 1 FROM docs WHERE fp <-> (SELECT fp FROM docs WHERE id = 777) <= 3') BETWEEN 1 AND 50,
    scans('SELECT id FROM docs WHERE fp <-> (SELECT fp FROM docs WHERE id = 777) <= 3 ORDER BY created DESC LIMIT 10'),
    scans('SELECT id, body FROM docs JOIN bodies USING (id) WHERE fp <-> (SELECT fp FROM docs WHERE id = 777) <= 3 ORDER BY created DESC LIMIT 10');
END $$;
SET client_min_messages = warning;
CREATE TABLE bodies (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = off);
INSERT INTO bodies SELECT i, md5(i::text) FROM generate_series(1, 30000) i;
VACUUM ANALYZE bodies;
SELECT shape, c.* FROM unnest(ARRAY['clusters', 'half alike', 'half equal', 'zipf']) shape, grouped_choices(shape) c;
-- the number of pairs is still that of rows, not of values
SELECT estimate('SELECT 1 FROM docs a JOIN docs b ON a.fp = b.fp') / estimate('SELECT 1 FROM docs a JOIN docs b ON a.fp <-> b.fp <= 0') BETWEEN 0.3 AND 3 AS alike;
SELECT * FROM grouped_choices('unique');
RESET client_min_messages;

-- Several values at once: each is a search of its own
SELECT scans($$SELECT id FROM docs WHERE fp IN ('0123456789abcdef', '1123456789abcdef', '2123456789abcdef') AND created > 2145700000$$) ~ 'by_bitblock' AS by_bitblock;  -- alone, or with the other one
SELECT scans($$SELECT id FROM docs WHERE fp % ANY ('{0123456789abcdef,1123456789abcdef}') AND created > 2140000000$$);
SELECT scans($$SELECT id FROM docs WHERE fp <@ ANY (ARRAY(SELECT simhash_ball(fp, 3) FROM few))$$);
SELECT scans($$SELECT id FROM docs WHERE fp <@ ANY ('{"<0123456789abcdef,3>","<1123456789abcdef,2>"}') AND created > 2145700000$$);
-- one of them is dear
SELECT scans($$SELECT id FROM docs WHERE fp <@ ANY ('{"<0123456789abcdef,3>","<1123456789abcdef,40>"}') AND created > 2145700000$$);
DROP TABLE docs, bodies, few;

-- Far from a fingerprint: near its complement
CREATE TABLE docs (id int, fp simhash) WITH (autovacuum_enabled = off);
INSERT INTO docs SELECT * FROM shaped_fps('random', 20000);
INSERT INTO docs SELECT -i, flip(complement(random_fp('1')), i % 5, i::text) FROM generate_series(1, 12) i;
INSERT INTO docs VALUES (0, NULL);
CREATE INDEX by_bitblock ON docs USING bitblock (fp);
VACUUM ANALYZE docs;
SELECT random_fp('1') AS q \gset
SELECT conditions(format('SELECT id FROM docs WHERE fp <-> %L > 56', :'q'));
SELECT conditions(format('SELECT id FROM docs WHERE %L::simhash <-> fp >= 57::bigint', :'q'));
SELECT conditions(format('SELECT id FROM docs WHERE 57::smallint <= fp <-> %L', :'q'));
SELECT conditions(format('SELECT id FROM docs WHERE ''56'' < fp <-> %L', :'q'));
SELECT conditions(format('SELECT id FROM docs ORDER BY fp <-> complement(%L::simhash) LIMIT 3', :'q'));
-- whichever side of a join has the rows to search for
SELECT conditions($$SELECT a.id, b.id FROM (SELECT * FROM docs OFFSET 0 LIMIT 10) a JOIN docs b ON a.fp <-> b.fp > 56$$);
SELECT conditions($$SELECT a.id, b.id FROM (SELECT * FROM docs OFFSET 0 LIMIT 10) a JOIN docs b ON b.fp <-> a.fp > 56$$);
SELECT k, estimate(format('SELECT 1 FROM docs WHERE fp <-> %L > %s', :'q', k)) / greatest(count(*) FILTER (WHERE fp <-> :'q' > k), 3) BETWEEN 0.3 AND 3 AS estimated
FROM unnest(ARRAY[-1, 0, 3, 24, 32, 40, 48, 56, 63, 64]) k, docs GROUP BY k ORDER BY k;
-- parameters, and the same answers by every way
SET plan_cache_mode = force_generic_plan;
PREPARE beyond(simhash, int) AS SELECT count(*), sum(id) FROM docs WHERE fp <-> $1 > $2;
PREPARE from_on(simhash, bigint) AS SELECT count(*), sum(id) FROM docs WHERE $2 <= $1 <-> fp;
SELECT conditions($$EXECUTE beyond('0123456789abcdef', 56)$$);
SELECT conditions($$EXECUTE from_on('0123456789abcdef', 57)$$);
CREATE FUNCTION far_differences() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  q simhash := random_fp('1'); compared int := 0; want text; got text[]; way text; answer text;
BEGIN
  FOR k IN -2..66 LOOP
    SELECT (count(*), sum(id))::text INTO want FROM docs WHERE (fp <~> q) > k;
    got := '{}';
    FOREACH way IN ARRAY ARRAY['enable_indexscan', 'enable_bitmapscan', 'enable_seqscan'] LOOP
      PERFORM set_config(w, CASE WHEN w = way THEN 'on' ELSE 'off' END, true) FROM unnest(ARRAY['enable_indexscan', 'enable_bitmapscan', 'enable_seqscan', 'enable_indexonlyscan']) w;
      EXECUTE format('SELECT (count(*), sum(id))::text FROM docs WHERE fp <-> %L > %s', q, k) INTO answer;
      got := got || answer;
      EXECUTE format('SELECT (count(*), sum(id))::text FROM docs WHERE %s <= %L::simhash <-> fp', k + 1, q) INTO answer;
      got := got || answer;
      EXECUTE format('SELECT (s.a, s.b)::text FROM (SELECT count(*) AS a, sum(id) AS b FROM docs WHERE fp <-> %L BETWEEN %s AND 70) s', q, k + 1) INTO answer;
      got := got || answer;
    END LOOP;
    compared := compared + cardinality(got);
    IF want <> ALL (got) OR EXISTS (SELECT FROM unnest(got) g WHERE g <> want) THEN
      RETURN NEXT format('k = %s: %s, not %s', k, got, want);
    END IF;
  END LOOP;
  RETURN NEXT compared || ' answers';
END $$;
SELECT far_differences();
RESET plan_cache_mode;
RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_seqscan; RESET enable_indexonlyscan;
DEALLOCATE ALL;

-- A radius that is not known: a bitmap serves all of them, unless few rows are wanted
CREATE FUNCTION is_bitmap(query text) RETURNS boolean LANGUAGE sql AS
$$ SELECT bool_or(line ~ 'Bitmap Index Scan on by_bitblock') FROM plan_of(query) line $$;
PREPARE within(simhash, int) AS SELECT sum(id) FROM docs WHERE fp <-> $1 <= $2;
PREPARE within_sorted(simhash, int) AS SELECT id FROM docs WHERE fp <-> $1 <= $2 ORDER BY id LIMIT 10;
PREPARE within_counted(simhash, int) AS SELECT count(id) FROM docs WHERE fp <-> $1 <= $2 LIMIT 1;
PREPARE within_any(simhash, int) AS SELECT id FROM docs WHERE fp <-> $1 <= $2 LIMIT 10;
PREPARE within_exists(simhash, int) AS SELECT EXISTS (SELECT FROM docs WHERE fp <-> $1 <= $2);
PREPARE within_3(simhash) AS SELECT sum(id) FROM docs WHERE fp <-> $1 <= 3;
PREPARE within_both(simhash, int) AS SELECT sum(id) FROM docs WHERE fp <-> $1 <= $2 AND fp % $1;
PREPARE within_join(int) AS SELECT a.id, b.id FROM (SELECT * FROM docs LIMIT 1000) a JOIN docs b ON a.fp <-> b.fp <= $1;
SET plan_cache_mode = force_generic_plan;
SELECT is_bitmap('EXECUTE within(''0123456789abcdef'', 3)') AS "all", is_bitmap('EXECUTE within_sorted(''0123456789abcdef'', 3)') AS sorted,
       is_bitmap('EXECUTE within_counted(''0123456789abcdef'', 3)') AS counted,
       is_bitmap('EXECUTE within_any(''0123456789abcdef'', 3)') AS "any", is_bitmap('EXECUTE within_exists(''0123456789abcdef'', 3)') AS "exists",
       is_bitmap('EXECUTE within_3(''0123456789abcdef'')') AS "3", is_bitmap('EXECUTE within_both(''0123456789abcdef'', 8)') AS "3 or less",
       is_bitmap('EXECUTE within_join(3)') AS "join";
-- it is no dearer than the plans for one radius, so that the sixth execution has it
RESET plan_cache_mode;
DO $$
BEGIN
  FOR i IN 1..6 LOOP
    EXECUTE 'EXECUTE within(''0123456789abcdef'', 3)';
  END LOOP;
END $$;
SELECT bool_or(line ~ 'simhash_ball\(\$1, \$2\)') AS generic FROM plan_of('EXECUTE within(''0123456789abcdef'', 3)') line;
DEALLOCATE ALL;

-- Planning with large statistics
CREATE TABLE large AS SELECT id, CASE WHEN id % 2 = 0 THEN random_fp((id % 2000)::text) ELSE fp END AS fp FROM shaped_fps('random', 30000);
ALTER TABLE large ALTER fp SET STATISTICS 1000;
CREATE INDEX large_fp ON large USING bitblock (fp);
ANALYZE large;
SELECT array_length(most_common_vals::text::text[], 1) AS common, array_length(histogram_bounds::text::text[], 1) AS bounds FROM pg_stats WHERE tablename = 'large' AND attname = 'fp';
SELECT planning_ms($$SELECT id FROM large WHERE fp <-> '0123456789abcdef' <= 3$$) < 2 AS known,
       planning_ms($$SELECT id FROM large WHERE fp <-> (SELECT fp FROM large WHERE id = 7) <= 3$$) < 2 AS unknown,
       planning_ms($$SELECT count(*) FROM large a JOIN large b ON a.fp <-> b.fp <= 3$$) < 4 AS joined;
DROP TABLE large;

-- Rows of simhash_pairs and simhash_clusters
SELECT estimate($$SELECT * FROM simhash_pairs('SELECT id, fp FROM docs', NULL::int)$$) AS pairs,
       estimate($$SELECT * FROM simhash_clusters('SELECT id, fp FROM docs', NULL::int)$$) AS clusters;

-- A stored distance: IN is PostgreSQL's own only over the integer
CREATE TABLE distances AS SELECT id, fp <-> '0123456789abcdef' AS d FROM docs;
CREATE INDEX by_d ON distances (d);
VACUUM ANALYZE distances;
SELECT scans('SELECT id FROM distances WHERE d = 12');
SELECT scans('SELECT id FROM distances WHERE d IN (12)');
SELECT scans('SELECT id FROM distances WHERE d IN (12, 13)');
SELECT scans('SELECT id FROM distances WHERE d::integer IN (12, 13)');
SELECT scans('SELECT id FROM distances WHERE d::integer = ANY (ARRAY[12, 13])');
SELECT count(*) FILTER (WHERE d IN (12, 13)) = count(*) FILTER (WHERE d::integer IN (12, 13)) AS same FROM distances;
DROP TABLE distances, docs;

-- The nearest of a tenant that only the execution knows: a tenant may have many more rows than
-- the average, and then it takes long to sort its rows
CREATE TABLE tenants (tenant int, id int, fp simhash, PRIMARY KEY (tenant, id));
INSERT INTO tenants SELECT CASE WHEN id <= 10000 THEN 1 ELSE id / 10 END, id, fp FROM shaped_fps('random', 20000);
CREATE INDEX tenants_fp ON tenants USING bitblock (tenant, fp);
VACUUM ANALYZE tenants;
PREPARE nearest(int, simhash) AS SELECT id FROM tenants WHERE tenant = $1 ORDER BY fp <-> $2 LIMIT 100;
SET plan_cache_mode = force_generic_plan;
SELECT plan_of($$EXECUTE nearest(1, '0123456789abcdef')$$) AS generic;
RESET plan_cache_mode;
SELECT plan_of($$SELECT n.id FROM unnest('{1,1500}'::int[]) t(tenant),
  LATERAL (SELECT id FROM tenants WHERE tenant = t.tenant ORDER BY fp <-> '0123456789abcdef' LIMIT 100) n$$) AS of_several;
DROP TABLE tenants;
DEALLOCATE nearest;
DROP FUNCTION scans, conditions, is_bitmap, estimate, planning_ms, grouped_docs, grouped_choices, far_differences;

-- A tenant of most rows and one of 100 rows, by custom and generic plans
CREATE TABLE sized (tenant int, fp simhash);
INSERT INTO sized SELECT CASE WHEN i <= 100 THEN 2 WHEN i <= 30000 THEN 3 + i % 50 ELSE 1 END, hashint8extended(i, 0)::simhash
FROM generate_series(1, 60000) i;
CREATE INDEX sized_tenant_fp ON sized USING bitblock (tenant, fp);
CREATE INDEX sized_fp ON sized USING bitblock (fp);
CREATE INDEX sized_tenant ON sized (tenant);
VACUUM ANALYZE sized;
CREATE FUNCTION index_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'sized_|Seq Scan|Sort' THEN RETURN regexp_replace(line, '.*(sized_\w+|Seq Scan|Sort).*', '\1'); END IF;
  END LOOP;
END $$;
PREPARE near_in_tenant(int, simhash) AS SELECT * FROM sized WHERE tenant = $1 AND fp <-> $2 <= 3;
PREPARE nearest_in_tenant(int, simhash) AS SELECT * FROM sized WHERE tenant = $1 ORDER BY fp <-> $2 LIMIT 3;
SELECT mode, tenant, index_of(format('EXECUTE near_in_tenant(%s, ''0123456789abcdef'')', tenant)) AS near,
  index_of(format('EXECUTE nearest_in_tenant(%s, ''0123456789abcdef'')', tenant)) AS nearest
FROM unnest('{force_custom_plan,force_generic_plan}'::text[]) mode, LATERAL set_config('plan_cache_mode', mode, false) s, unnest('{1,2}'::int[]) tenant;
RESET plan_cache_mode;
SELECT index_of('SELECT * FROM sized WHERE fp <-> ''0123456789abcdef'' <= 3');
DROP TABLE sized;
DROP FUNCTION index_of;
