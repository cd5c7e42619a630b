-- The extension, and what the other tests share.
CREATE EXTENSION simhash;
-- Compiling the many small queries below would take longer than they do.
SELECT current_database() AS db \gset
ALTER DATABASE :"db" SET jit = off;

-- Reproducible fingerprints of several shapes.
CREATE FUNCTION random_fp(seed text) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ('x' || substr(md5(seed), 1, 16))::bit(64)::simhash $$;

CREATE FUNCTION exclusive_or(a simhash, b simhash) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (a::bigint # b::bigint)::public.simhash $$;

CREATE FUNCTION complement(fp simhash) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (~ fp::bigint)::public.simhash $$;

CREATE FUNCTION complement(bits bit) RETURNS bit varying
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ~ bits $$;

CREATE FUNCTION flip(fp simhash, bits int, seed text) RETURNS simhash
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  FOR i IN 1..bits LOOP
    fp := (fp::bigint # (1::bigint << (abs(hashtext(seed || i)) % 64)))::simhash;
  END LOOP;
  RETURN fp;
END $$;

CREATE FUNCTION shaped_fps(shape text, n int) RETURNS TABLE (id int, fp simhash)
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT i, ' || CASE shape
    WHEN 'random'   THEN 'random_fp(i::text)'
    WHEN 'equal'    THEN $q$'0123456789abcdef'::simhash$q$
    WHEN 'clusters' THEN $q$flip(random_fp((i % 40)::text), i / 40 % 9, i::text)$q$
    WHEN 'few bits' THEN $q$flip(0::bigint::simhash, i % 3, i::text)$q$
    WHEN 'few values' THEN $q$random_fp((i % 16)::text)$q$
    WHEN 'low bits' THEN $q$((random_fp('low')::bigint & -65536) | (random_fp(i::text)::bigint & 65535))::simhash$q$
    WHEN 'high bits' THEN $q$((random_fp('high')::bigint & 281474976710655) | (random_fp(i::text)::bigint & -281474976710656))::simhash$q$
    WHEN 'counter'  THEN 'i::bigint::simhash'
    WHEN 'extremes' THEN $q$CASE i % 5 WHEN 0 THEN 0::bigint WHEN 1 THEN -1::bigint
                              WHEN 2 THEN 1::bigint << (i % 64)
                              WHEN 3 THEN ~(1::bigint << (i % 64))
                              ELSE ~0::bigint # i::bigint END::simhash$q$
    END || ' FROM generate_series(1, $1) i' USING n;
END $$;

CREATE FUNCTION random_bits(n int, seed text) RETURNS bit LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT substring(bit_from_hex(string_agg(md5(seed || i), '')), 1, n) FROM generate_series(0, n / 128) i $$;
-- n bits of which one in 2^m is set
CREATE FUNCTION sparse_bits(n int, m int, seed text) RETURNS bit LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT bit_and(random_bits(n, seed || ' ' || i)) FROM generate_series(1, m) i $$;

-- How many rows a long test takes: n, or fewer under valgrind (test/sanitize.sh).
CREATE FUNCTION rows_of_test(n int) RETURNS int LANGUAGE sql STABLE AS
$$ SELECT least(n, current_setting('simhash_test.most_rows', true)::int) $$;

-- The parts of a plan that say how rows are found.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'Scan|Cond:|Filter:|Order By:|Sort|Merge|Join|Nested|Append|One-Time' THEN
      -- PostgreSQL 17 and later write $0 in other ways
      RETURN NEXT regexp_replace(line, '\(InitPlan (expr_)?1\)(\.col1)?', '$0');
    END IF;
  END LOOP;
END $$;

-- The estimated number of rows of a query; and what is not estimated within a factor of 3 or 3 rows
CREATE FUNCTION estimated(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN plan -> 0 -> 'Plan' -> 'Plan Rows';
END $$;
CREATE FUNCTION misjudged(query text) RETURNS TABLE (estimate float8, actual bigint, query_text text)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'SELECT count(*) FROM (' || query || ') s' INTO actual;
  estimate := estimated(query);
  query_text := regexp_replace(query, '[01]{64,}', 'bits', 'g');
  IF abs(estimate - actual) > 3 AND NOT estimate / greatest(actual, 1) BETWEEN 1 / 3.0 AND 3 THEN
    RETURN NEXT;
  END IF;
END $$;

-- Compare index and sequential scan over table t (id int, fp simhash): within
-- every k from -1 to 65, equality, %, nearest, both together.  One row per
-- difference; the last row counts what was compared.
CREATE FUNCTION differences(t regclass, queries simhash[]) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  q simhash;
  k int;
  condition text;
  answers text[];
  answer text;
  compared int := 0;
BEGIN
  FOREACH q IN ARRAY queries LOOP
    FOR condition IN
      SELECT format('fp <-> %L <= %s', q, i) FROM generate_series(-1, 65) i
      UNION ALL SELECT format('fp = %L', q)
      UNION ALL SELECT format('fp %% %L', q)
      UNION ALL SELECT format('fp <-> %L <= 9 AND fp <-> %L <= 7', q, exclusive_or(q, '0x000000000000000f'))
      UNION ALL SELECT format('fp <-> %L <= 3 AND fp = %L', q, complement(q))
    LOOP
      answers := '{}';
      FOR pass IN 0..2 LOOP
        PERFORM set_config('enable_seqscan', CASE pass WHEN 0 THEN 'on' ELSE 'off' END, true),
                set_config('enable_indexscan', CASE pass WHEN 1 THEN 'on' ELSE 'off' END, true),
                set_config('enable_indexonlyscan', CASE pass WHEN 1 THEN 'on' ELSE 'off' END, true),
                set_config('enable_bitmapscan', CASE pass WHEN 2 THEN 'on' ELSE 'off' END, true);
        EXECUTE format('SELECT coalesce(array_agg(id ORDER BY id), ''{}'')::text FROM %s WHERE %s', t, condition)
          INTO answer;
        answers := answers || answer;
      END LOOP;
      IF answers[2] <> answers[1] OR answers[3] <> answers[1] THEN
        RETURN NEXT format('%s: %s', t, condition);
      END IF;
      compared := compared + 1;
    END LOOP;

    -- distances in order are unique, which rows of equal distance come is not
    FOREACH condition IN ARRAY ARRAY['', format('WHERE fp <-> %L <= 24', q),
                                     format('WHERE fp <-> %L <= 9', complement(q))] LOOP
      FOREACH k IN ARRAY ARRAY[1, 10, 2147483647] LOOP
        answers := '{}';
        FOR pass IN 0..1 LOOP
          PERFORM set_config('enable_seqscan', CASE pass WHEN 0 THEN 'on' ELSE 'off' END, true),
                  set_config('enable_indexscan', CASE pass WHEN 1 THEN 'on' ELSE 'off' END, true),
                  set_config('enable_indexonlyscan', CASE pass WHEN 1 THEN 'on' ELSE 'off' END, true),
                  set_config('enable_sort', CASE pass WHEN 0 THEN 'on' ELSE 'off' END, true),
                  set_config('enable_bitmapscan', 'off', true);
          EXECUTE format('WITH s AS MATERIALIZED (SELECT id, (fp <~> %1$L) AS hamming_of_row, fp <-> %1$L AS d
                                FROM %2$s %3$s ORDER BY fp <-> %1$L LIMIT %4$s)
                          SELECT array_agg(d)::text || (SELECT count(DISTINCT id) FROM s) || bool_and(d = hamming_of_row) FROM s',
                         q, t, condition, k) INTO answer;
          answers := answers || coalesce(answer, 'none');
        END LOOP;
        IF answers[2] <> answers[1] THEN
          RETURN NEXT format('%s: nearest %s of %s %s', t, k, q, condition);
        END IF;
        compared := compared + 1;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN NEXT format('%s comparisons', compared);
END $$;

-- Compare index and sequential scan for one shape of fingerprints: in an index
-- built at once, inserted row by row, after deletes, updates and VACUUM.
CREATE FUNCTION method_differences(method text, shape text, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  queries simhash[];
BEGIN
  CREATE TABLE built (id int, fp simhash);
  INSERT INTO built SELECT * FROM shaped_fps(shape, rows_of_test(n));
  EXECUTE format('CREATE INDEX built_fp ON built USING %I (fp)', method);
  CREATE TABLE inserted (id int, fp simhash);
  EXECUTE format('CREATE INDEX inserted_fp ON inserted USING %I (fp)', method);
  INSERT INTO inserted SELECT * FROM built;
  INSERT INTO inserted VALUES (0, NULL), (-1, NULL);
  SELECT array_agg(flip(fp, id % 4, id::text)) INTO queries FROM (SELECT * FROM built ORDER BY md5(id::text) LIMIT 3) s;
  queries := queries || '{0000000000000000,ffffffffffffffff,0123456789abcdef}'::simhash[] || random_fp('none');
  RETURN QUERY SELECT differences('built', queries);
  RETURN QUERY SELECT differences('inserted', queries);
  DELETE FROM inserted WHERE id % 3 = 0;
  UPDATE inserted SET fp = flip(fp, 2, id::text) WHERE id % 3 = 1;
  RETURN QUERY SELECT differences('inserted', queries);
  IF method = 'bitblock' THEN
    PERFORM bitblock_check('built_fp', true), bitblock_check('inserted_fp', true);
  END IF;
  DROP TABLE built, inserted;
END $$;

-- The words of a text of ASCII and Chinese characters, also without numbers, and where two texts part: up to five words before the
-- first difference, and up to two words that follow in each
CREATE FUNCTION reading(t text, numbers boolean) RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$ SELECT COALESCE(array_agg(m[1] ORDER BY n), '{}') FROM regexp_matches(lower(t), '[a-z0-9]+|[\u4e00-\u9fff]', 'g') WITH ORDINALITY w (m, n) WHERE numbers OR m[1] !~ '^[0-9]+$' $$;
CREATE FUNCTION parting(x text[], y text[]) RETURNS TABLE (contexts text[], follow text[]) LANGUAGE sql IMMUTABLE AS
$$ SELECT (SELECT array_agg(array_to_string(x[greatest(place - 5, 1):place - 1], ' ') ORDER BY place DESC) FROM generate_series(greatest(n - CASE WHEN x[n] ~ '^[0-9]+$' OR y[n] ~ '^[0-9]+$' THEN 0 ELSE 3 END, 1), n) place), ARRAY[array_to_string(x[n:n + 1], ' '), array_to_string(y[n:n + 1], ' ')]
   FROM (SELECT min(i) AS n FROM generate_series(1, greatest(cardinality(x), cardinality(y)) + 1) i WHERE x[i] IS DISTINCT FROM y[i] OR i > cardinality(x)) f $$;

-- The other tests load another build of the library if the setting says so (test/check.sh).
UPDATE pg_proc SET probin = current_setting('simhash_test.module') WHERE probin = '$libdir/simhash' AND current_setting('simhash_test.module', true) <> '';
