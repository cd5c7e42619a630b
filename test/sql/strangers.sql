-- Code of strangers: what functions in a query or a policy may do while the extension plans and runs it.
-- Whatever they change, the answer consists of ids that the query had, or the call fails with an error
-- that is not an internal one.
CREATE ROLE regress_simhash_stranger;
CREATE ROLE regress_simhash_friend;
GRANT regress_simhash_friend TO regress_simhash_stranger;
CREATE SCHEMA elsewhere;
GRANT USAGE ON SCHEMA elsewhere TO regress_simhash_stranger, regress_simhash_friend;
-- the same names with other types: numbers that would be addresses, and texts that would be numbers
CREATE TABLE elsewhere.texts (id bigint, fp bit(256), title bigint, body name);
CREATE TABLE elsewhere.numbers (id text, fp text, title text, body text);
CREATE FUNCTION elsewhere.act() RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
INSERT INTO elsewhere.texts SELECT x'4141414141414141'::bigint + i, minhash_bits('one two three four five six'), x'4242424242424242'::bigint, 'one two three four five six' FROM generate_series(1, 5) i;
INSERT INTO elsewhere.numbers SELECT repeat('x', 40), repeat('x', 40), repeat('x', 40), 'one two three four five six' FROM generate_series(1, 5) i;
GRANT SELECT ON ALL TABLES IN SCHEMA elsewhere TO regress_simhash_stranger, regress_simhash_friend;
CREATE SCHEMA strange AUTHORIZATION regress_simhash_stranger;

SET search_path = strange, public;
SET ROLE regress_simhash_stranger;
SET client_min_messages = error;
CREATE TABLE texts (id text, fp bit(256), title text, body text, duplicate_of text);
CREATE TABLE numbers (id bigint, fp bit(256), title text, body text, duplicate_of bigint);
INSERT INTO texts SELECT 'id ' || i, minhash_bits(b), 'Title', b FROM generate_series(1, 8) i, concat('One two three four five six seven eight nine ten eleven twelve', repeat(' ' || i / 2, i / 4)) b;
INSERT INTO numbers SELECT substr(id, 4)::bigint, fp, title, body FROM texts;
CREATE TEMP VIEW texts_view AS SELECT * FROM texts;
CREATE TEMP VIEW numbers_view AS SELECT * FROM numbers;
CREATE TYPE strange.pair AS (a bigint, b text);
CREATE TEMP TABLE pairs AS SELECT ROW(id, 'b')::strange.pair AS id, fp, title, body FROM numbers;

-- The function that the queries call.  What it does at its call number strangers.at is strangers.act.  A function
-- that is not volatile changes things by a volatile one.
CREATE FUNCTION strange.act_now() RETURNS void LANGUAGE plpgsql VOLATILE AS $$ BEGIN EXECUTE current_setting('strangers.act'); END $$;
CREATE FUNCTION strange.act() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  n int := current_setting('strangers.calls')::int + 1;
BEGIN
  PERFORM set_config('strangers.calls', n::text, false);
  IF n = current_setting('strangers.at')::int THEN
    PERFORM strange.act_now();
  END IF;
  RETURN true;
END $$;
-- a policy of the table with the trigger
CREATE TABLE guarded (LIKE numbers);
CREATE INDEX ON guarded USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'confirm=body');
INSERT INTO guarded SELECT * FROM numbers;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON guarded USING (strange.act()) WITH CHECK (true);

CREATE FUNCTION strange.acts() RETURNS SETOF text LANGUAGE sql AS $$
  VALUES ('SELECT'), ('SET search_path = elsewhere, strange, public'), ('SET search_path = nowhere'), ('SET role = regress_simhash_friend'), ('SET row_security = off'),
    ('SET work_mem = ''64kB''; SET maintenance_work_mem = ''1MB''; SET temp_buffers = 100'), ('SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_custom_plan'),
    ('DROP TABLE texts, numbers, pairs, guarded CASCADE'), ('DROP VIEW texts_view, numbers_view'), ('DISCARD TEMP'), ('DEALLOCATE ALL'), ('CLOSE ALL'),
    ('ALTER TABLE texts RENAME TO t; ALTER TABLE numbers RENAME TO texts; ALTER TABLE t RENAME TO numbers'),
    ('ALTER TABLE guarded RENAME TO guarded_before; CREATE TABLE guarded (LIKE texts); INSERT INTO guarded SELECT * FROM texts; INSERT INTO guarded_before SELECT * FROM numbers'),
    ('DROP VIEW texts_view, numbers_view; CREATE TEMP VIEW texts_view AS TABLE numbers; CREATE TEMP VIEW numbers_view AS TABLE texts'),
    ('ALTER VIEW texts_view RENAME TO v; ALTER VIEW numbers_view RENAME TO texts_view; ALTER VIEW v RENAME TO numbers_view'),
    ('ALTER TABLE texts ALTER id TYPE bigint USING 4702111234474983745'), ('ALTER TABLE numbers ALTER id TYPE text USING repeat(''x'', 40)'),
    ('ALTER TABLE guarded ALTER id TYPE text USING repeat(''x'', 40)'), ('ALTER TABLE guarded ALTER body TYPE bigint USING 4702111234474983745'),
    ('ALTER TABLE texts DROP id'), ('ALTER TABLE numbers ADD more text DEFAULT ''more'', DROP title CASCADE'), ('ALTER TABLE texts RENAME body TO id_2'), ('ALTER TYPE strange.pair ALTER ATTRIBUTE a TYPE text CASCADE'),
    ('INSERT INTO texts SELECT * FROM texts; INSERT INTO numbers SELECT * FROM numbers'), ('INSERT INTO guarded SELECT * FROM numbers LIMIT 2'), ('TRUNCATE texts, numbers'), ('DELETE FROM texts; DELETE FROM numbers; DELETE FROM guarded'),
    ('UPDATE numbers SET id = -id, fp = ~fp, body = NULL; UPDATE texts SET id = NULL, fp = ~fp, body = NULL'), ('ANALYZE texts, numbers, guarded'), ('CREATE INDEX ON numbers (id); CREATE INDEX ON texts (id)'), ('DROP INDEX guarded_fp_idx'),
    ('DROP FUNCTION strange.act_now()'), ('CREATE FUNCTION strange.act(int DEFAULT 1) RETURNS boolean LANGUAGE sql AS ''SELECT false'''),
    ('CREATE OR REPLACE FUNCTION strange.act() RETURNS boolean LANGUAGE sql IMMUTABLE AS ''SELECT NULL::boolean'''),
    ('SELECT count(*) FROM simhash_duplicates(''SELECT id, fp, body FROM texts WHERE act()'', id_type => NULL::text)'), ('SELECT count(*) FROM simhash_pairs(''SELECT id, fp FROM numbers WHERE act()'')'),
    ('SELECT count(*) FROM simhash_stars(''SELECT id, NULL::text FROM texts WHERE act()'', id_type => NULL::text, keep => ''SELECT id FROM texts WHERE act()'')'),
    ('DO ''BEGIN RAISE division_by_zero; END'''), ('SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(60)')
$$;
-- queries of two passes, of one pass, with views, ids of several types, "keep" and "new"
CREATE FUNCTION strange.calls() RETURNS SETOF text LANGUAGE sql AS $$
  VALUES ('SELECT id, original FROM simhash_duplicates(''SELECT id, fp, title, body FROM texts WHERE strange.act()'', id_type => NULL::text)'),
    ('SELECT id, original FROM simhash_duplicates(''SELECT id, body FROM numbers_view WHERE act()'')'),
    ('SELECT id, original FROM simhash_duplicates(''SELECT id, title, body FROM numbers WHERE act() LIMIT 100'')'),
    ('SELECT id, original FROM simhash_duplicates(''SELECT id, fp, body FROM texts_view'', id_type => NULL::text, keep => ''SELECT id FROM texts WHERE act()'', new => ''SELECT id FROM texts WHERE act() AND id <> ''''id 2'''''')'),
    ('SELECT id, original FROM simhash_duplicates(''SELECT id, fp, body FROM pairs WHERE act()'', NULL::strange.pair)'),
    ('SELECT a AS id, b FROM simhash_pairs(''SELECT id, fp FROM texts WHERE act()'', NULL::text)'),
    ('SELECT id, cluster FROM simhash_clusters(''SELECT id, fp FROM numbers_view WHERE act()'')'),
    ('SELECT id, component FROM simhash_components(''SELECT id, NULL::text FROM texts_view WHERE act()'', NULL::text)'),
    ('SELECT id, keeper FROM simhash_stars(''SELECT id, lag(id) OVER (ORDER BY id) FROM numbers WHERE act()'', NULL::bigint, ''SELECT id FROM numbers_view WHERE act()'')'),
    ('INSERT INTO guarded SELECT 9, fp, title, body FROM numbers LIMIT 1 RETURNING id, duplicate_of')
$$;
CREATE FUNCTION strange.try(call text, act text, at int, OUT code text, OUT answer text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('strangers.act', act, false), set_config('strangers.at', at::text, false), set_config('strangers.calls', '0', false);
  BEGIN
    EXECUTE format('WITH s (id, original) AS (%s) SELECT coalesce(string_agg(concat(id, '' '', original), '','' ORDER BY id::text), '''') FROM s', call) INTO answer;
    RAISE SQLSTATE 'U0000';
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    IF SQLSTATE <> 'U0000' THEN
      code := SQLSTATE; answer := SQLERRM;
    END IF;
  END;
END $$;

-- An answer has only ids of the query's table.  PostgreSQL itself raises an internal error for a plain query if a
-- function drops its table while it is planned.
CREATE TABLE tried (kind text, call text, act text, at int, code text, answer text);
CREATE PROCEDURE strange.try_all(kind text, ats int[]) LANGUAGE sql AS $$
  INSERT INTO tried SELECT kind, c, a, n, (strange.try(c, a, n)).* FROM strange.acts() a, strange.calls() c, unnest(ats) n
$$;
ALTER FUNCTION strange.act() VOLATILE; CALL strange.try_all('volatile', '{1,3,10}');
ALTER FUNCTION strange.act() STABLE; CALL strange.try_all('stable', '{1,2,3,9}');
ALTER FUNCTION strange.act() IMMUTABLE; CALL strange.try_all('immutable', '{1,2,3}');
SELECT count(*) > 3000 AS tried, count(*) FILTER (WHERE code IS NULL) > 1000 AS answered, count(DISTINCT code) > 5 AS failed FROM tried;
SELECT * FROM tried WHERE code IS NULL AND answer !~ '^((id )?-?[1-9]|\([1-8],b\)|[ ,])*$' OR (code ~ '^XX' AND NOT (kind = 'immutable' AND act ~ '^DROP' AND answer ~ '^could not open relation'));
-- without an act every call answers
SELECT DISTINCT call, code, answer FROM tried WHERE act = 'SELECT' ORDER BY call;
-- nor does the trigger run a plan that became invalid: a nested call makes a new one
SELECT DISTINCT kind, at, code, answer FROM tried WHERE call ~ '^INSERT' AND act ~ 'guarded_before' ORDER BY 1, 2;
-- Nor does it use a plan for other columns: a policy's function renames columns or replaces the trigger, and inserts
ALTER FUNCTION strange.act() VOLATILE;
CREATE TABLE renamed (id bigint, tenant bigint, other text, fp bit(256), duplicate_of bigint);
CREATE INDEX ON renamed USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON renamed FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'equal=tenant');
ALTER TABLE renamed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON renamed USING (strange.act()) WITH CHECK (true);
SELECT strange.try('INSERT INTO renamed SELECT i, 4702111234474983745, ''text'', fp FROM generate_series(1, 3) i, (SELECT fp FROM numbers LIMIT 1) n RETURNING id, duplicate_of', act, 1)
  FROM (VALUES ('SELECT'), ('ALTER TABLE renamed RENAME tenant TO t; ALTER TABLE renamed RENAME other TO tenant; INSERT INTO renamed SELECT 4, 5, ''text'', fp FROM numbers LIMIT 1'),
    ('CREATE OR REPLACE TRIGGER original BEFORE INSERT ON renamed FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id'', ''equal=other''); INSERT INTO renamed SELECT 4, 5, ''text'', fp FROM numbers LIMIT 1'),
    ('CREATE OR REPLACE TRIGGER original BEFORE INSERT ON renamed FOR EACH ROW EXECUTE FUNCTION simhash_record_original(''fp'', ''duplicate_of'', ''id''); INSERT INTO renamed SELECT 4, 5, ''text'', fp FROM numbers LIMIT 1')) a(act);

-- A query without columns
SELECT simhash_duplicates('SELECT');
SELECT simhash_duplicates('SELECT', id_type => NULL::text);
SELECT simhash_pairs('SELECT');
SELECT simhash_clusters('SELECT FROM pg_class');
SELECT simhash_components('SELECT');
SELECT simhash_stars('SELECT 1::bigint, 2::bigint', NULL::bigint, 'SELECT');
-- What a trigger searches is dropped between two rows of a command, or the trigger is replaced
CREATE TABLE oldest (id bigint, fp bit(64), duplicate_of bigint);
CREATE TABLE middle () INHERITS (oldest);
CREATE TABLE youngest () INHERITS (middle);
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{oldest,middle,youngest}'::text[] LOOP
    EXECUTE format('CREATE INDEX ON %I USING bitblock (fp) WHERE duplicate_of IS NULL', name);
    EXECUTE format($q$CREATE TRIGGER record BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3')$q$, name);
  END LOOP;
END $$;
CREATE FUNCTION drop_oldest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id = 2 THEN
    ALTER TABLE middle NO INHERIT oldest;
    DROP TABLE oldest;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a BEFORE INSERT ON youngest FOR EACH ROW EXECUTE FUNCTION drop_oldest();
INSERT INTO youngest VALUES (1, 5::bit(64)), (2, 5::bit(64));
CREATE TABLE replaced (id bigint, fp bit(64), a int, b int, duplicate_of bigint);
CREATE INDEX ON replaced USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER record BEFORE INSERT ON replaced FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=0', 'equal=a');
CREATE FUNCTION replace_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id = 11 THEN
    CREATE OR REPLACE TRIGGER record BEFORE INSERT ON replaced FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=20', 'equal=b');
    INSERT INTO replaced VALUES (100, 6::bit(64), 8, 8);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a BEFORE INSERT ON replaced FOR EACH ROW EXECUTE FUNCTION replace_trigger();
INSERT INTO replaced VALUES (10, 7::bit(64), 1, 2), (11, 7::bit(64), 1, 2);
SELECT id, duplicate_of FROM replaced ORDER BY id;
-- Whatever the settings are: a bitmap scan by another index does not search near fingerprints
CREATE TABLE referencing (id bigint PRIMARY KEY, fp bit(64), duplicate_of bigint REFERENCES referencing);
CREATE INDEX ON referencing (duplicate_of);
CREATE TRIGGER record BEFORE INSERT ON referencing FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3');
INSERT INTO referencing VALUES (1, 5::bit(64));
SET plan_cache_mode = force_custom_plan;
INSERT INTO referencing VALUES (1, 5::bit(64));
RESET plan_cache_mode;
-- A rule adds a query with other columns before the command
CREATE TEMP TABLE ruled AS SELECT id, fp, body FROM numbers;
CREATE RULE also AS ON UPDATE TO ruled DO ALSO SELECT id, fp, 4702111234474983745 FROM numbers;
SELECT simhash_duplicates('UPDATE ruled SET id = id RETURNING id, fp, body');
SELECT simhash_pairs('UPDATE ruled SET id = id RETURNING id, fp');
RESET client_min_messages;
RESET ROLE;
SET client_min_messages = error;
DROP OWNED BY regress_simhash_stranger, regress_simhash_friend CASCADE;
DROP SCHEMA elsewhere CASCADE;
RESET client_min_messages;
RESET search_path;
DROP ROLE regress_simhash_stranger, regress_simhash_friend;

-- Damaged bit strings and balls: the number of bits disagrees with the size
CREATE CAST (bytea AS bit) WITHOUT FUNCTION;
CREATE CAST (bytea AS bit_ball) WITHOUT FUNCTION;
CREATE CAST (interval AS simhash_ball) WITHOUT FUNCTION;
CREATE TABLE damaged AS SELECT * FROM unnest(ARRAY['\x', '\x00', '\x000000', '\x01000000', '\x000000', '\x40000000', '\xffffffff', '\xffffff7f', '\x0000008000', '\x4000000000000000000000', '\x40000000000000000000000000']::bytea[]) WITH ORDINALITY d (bits, n);
CREATE TABLE damaged_calls (call text);
INSERT INTO damaged_calls VALUES ('$1::bit <-> $1::bit'), ('$1::bit % $1::bit'), ('bit_ball($1::bit, 3)'), ('bit_to_hex($1::bit)'), ('bit_to_bytea($1::bit)'), ('bit_blocks($1::bit, 3)'), ('minhash_resemblance($1::bit, $1::bit)'),
  ('$1::bit <@ bit_ball(B''01'', 3)'), ('B''01'' <@ $2::bit_ball'), ('$2::bit_ball && $2::bit_ball'), ('$2::bit_ball::text'), ('$1::bit::simhash');
CREATE FUNCTION call_damaged(call text, a bytea, b bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer USING a, b;
  RETURN coalesce(answer, 'NULL');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
SELECT call, string_agg(DISTINCT call_damaged(call, bits, '\x03000000' || bits), ', ') AS answers FROM damaged, damaged_calls GROUP BY 1 ORDER BY 1;
-- a radius beyond the number of bits
SELECT call_damaged('$2::bit_ball::text', NULL, '\x050000000400000000');
SELECT ('1000000000 days 00:00:01'::interval::simhash_ball @> '0123456789abcdef'::simhash);
DROP CAST (bytea AS bit);
DROP CAST (bytea AS bit_ball);
DROP CAST (interval AS simhash_ball);
DROP TABLE damaged, damaged_calls;
DROP FUNCTION call_damaged;
