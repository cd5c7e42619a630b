-- What a user without rights may do and learn.
CREATE ROLE regress_simhash_owner;
CREATE ROLE regress_simhash_reader;
CREATE TABLE extension_functions AS
  SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid WHERE extname = 'simhash';

-- No function runs with another's rights; whoever reads pages needs a grant; and
-- what takes internal arguments cannot be reached with anything but NULL.
SELECT count(*) AS definers FROM extension_functions WHERE prosecdef;
SELECT oid::regprocedure AS not_for_all FROM extension_functions WHERE NOT has_function_privilege('regress_simhash_reader', oid, 'EXECUTE') ORDER BY 1::text COLLATE "C";
SELECT count(*) AS internal_makers FROM extension_functions WHERE prorettype = 'internal'::regtype AND NOT 'internal'::regtype = ANY (proargtypes);
SELECT count(DISTINCT pronamespace) AS schemas FROM extension_functions;

-- LEAKPROOF: no function that is can fail, whatever its arguments
CREATE FUNCTION values_of(type regtype) RETURNS text[] LANGUAGE sql AS $$
  SELECT CASE type::text
    WHEN 'smallint' THEN '{-32768,-1,0,1,3,63,64,65,32767}'::text[]
    WHEN 'integer' THEN '{-2147483648,-1,0,1,3,63,64,65,2147483647}'
    WHEN 'hamming' THEN '{-2147483648,-1,0,1,3,63,64,65,2147483647}'
    WHEN 'bigint' THEN '{-9223372036854775808,-2147483649,-1,0,1,3,63,64,65,2147483648,9223372036854775807}'
    WHEN 'simhash' THEN '{0000000000000000,ffffffffffffffff,0123456789abcdef,8000000000000000,0000000000000001}'
    WHEN 'simhash_ball' THEN '{"<0000000000000000,-1>","<ffffffffffffffff,64>","<0123456789abcdef,3>","<0123456789abcdef,0>"}'
  END
$$;
DO $$
DECLARE
  f record;
  calls int := 0;
  given text;
BEGIN
  FOR f IN SELECT oid::regproc AS name, proargtypes::regtype[] AS types FROM extension_functions WHERE proleakproof LOOP
    FOR n IN 0..11 ^ cardinality(f.types)::int - 1 LOOP
      given := (SELECT string_agg(format('%L::%s', c.choices[1 + n / (11 ^ i)::int % cardinality(c.choices)], f.types[i]), ', ' ORDER BY i)
                FROM generate_series(0, cardinality(f.types) - 1) i, LATERAL (SELECT values_of(f.types[i]) AS choices OFFSET 0) c);
      EXECUTE format('SELECT %s(%s)', f.name, given);
      calls := calls + 1;
    END LOOP;
  END LOOP;
  RAISE NOTICE 'enough calls: %', calls > 4000;
END $$;

-- Row-level security: the index serves what the policy lets through, and neither an
-- error nor a function of the reader's sees more.
CREATE TABLE guarded (id int, owner name, fp simhash, body text);
INSERT INTO guarded SELECT id, CASE WHEN id % 10 = 0 THEN 'regress_simhash_reader' ELSE 'somebody' END, fp, 'secret ' || id FROM shaped_fps('clusters', 4000);
CREATE INDEX guarded_bitblock ON guarded USING bitblock (fp);
CREATE INDEX guarded_gist ON guarded USING gist (fp);
ANALYZE guarded;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON guarded USING (owner = current_user);
GRANT SELECT ON guarded TO regress_simhash_reader;
GRANT CREATE ON SCHEMA public TO regress_simhash_reader;
CREATE VIEW guarded_fps AS SELECT id, fp FROM guarded WHERE id % 10 = 0;
GRANT SELECT ON guarded_fps TO regress_simhash_reader;
PREPARE prepared AS SELECT id, fp FROM guarded;
SET ROLE regress_simhash_reader;
CREATE FUNCTION spy(simhash) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RAISE NOTICE ''saw %'', $1; RETURN true; END';
CREATE FUNCTION spy_text(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN IF $1 !~ ''0$'' THEN RAISE NOTICE ''saw %'', $1; END IF; RETURN true; END';
SELECT p FROM plan_of($q$SELECT id FROM guarded WHERE fp <-> random_fp('10') <= 3$q$) p WHERE p ~ 'Index Cond';
SELECT count(*) AS rows, count(*) FILTER (WHERE id % 10 > 0) AS others FROM guarded WHERE fp <-> random_fp('10') <= 64;
SELECT count(*) AS rows, count(*) FILTER (WHERE id % 10 > 0) AS others FROM (SELECT id FROM guarded ORDER BY fp <-> random_fp('10') LIMIT 5000) s;
SELECT count(*) FROM guarded WHERE fp <-> random_fp('10') <= 12 AND spy_text(body);
SELECT count(*) FROM guarded WHERE fp <-> (random_fp('11')) <= 0 AND spy(fp);
-- what can fail is not tried on rows of others: no error
SELECT count(*) FROM guarded WHERE get_bit(fp::bit(64), CASE WHEN owner = current_user THEN 0 ELSE 64 END) >= 0;
SELECT count(*) FROM guarded WHERE simhash(body, 'words', n => CASE WHEN owner = current_user THEN 1 ELSE 0 END) IS NOT NULL;
SELECT count(*) FROM guarded a JOIN guarded b ON a.fp <-> b.fp <= 3 AND a.id < b.id WHERE a.id % 10 > 0 OR b.id % 10 > 0;
-- a query given as text runs as its caller, and reads
SELECT count(*) > 0 AS pairs, bool_and(a % 10 = 0 AND b % 10 = 0) AS own FROM simhash_pairs('SELECT id, fp FROM guarded', NULL::int, 12);
SELECT count(*) AS documents, bool_and(id % 10 = 0) AS own FROM simhash_clusters('SELECT id, fp FROM guarded', NULL::int, 12);
SELECT count(*) AS documents, bool_and(id % 10 = 0) AS own FROM simhash_stars('SELECT id, NULL::int FROM guarded', NULL::int, 'SELECT id FROM guarded ORDER BY id DESC');
SELECT count(*) FROM simhash_pairs('DELETE FROM guarded RETURNING id, fp', NULL::int);
SELECT count(*) FROM simhash_pairs('WITH d AS (DELETE FROM guarded RETURNING id, fp) SELECT * FROM d', NULL::int);
SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM guarded FOR UPDATE', NULL::int);
SELECT count(*) FROM simhash_clusters('EXPLAIN ANALYZE DELETE FROM guarded', NULL::int);
SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM guarded; DROP TABLE guarded', NULL::int);
SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM guarded FOR KEY SHARE', NULL::int);
SELECT count(*) FROM simhash_pairs('SELECT id, fp INTO TEMP copied FROM guarded', NULL::int);
SELECT count(*) FROM simhash_pairs('EXPLAIN SELECT id, fp FROM guarded', NULL::int);
SELECT count(*) FROM simhash_pairs('SHOW work_mem', NULL::int);
SELECT count(*) FROM simhash_pairs('EXECUTE prepared', NULL::int);
SELECT count(*) FROM simhash_pairs('SET work_mem = ''1GB''', NULL::int);
SELECT count(*) FROM simhash_pairs('COPY guarded (id, fp) TO STDOUT', NULL::int);
SELECT count(*) FROM simhash_pairs('COMMIT', NULL::int);
SELECT count(*) FROM simhash_pairs('VALUES (1, ''00''::bytea), (2, ''00'')', NULL::int);
SELECT * FROM simhash_pairs('VALUES (1, ''0123456789abcdef''::simhash), (2, ''0123456789abcdee'')', NULL::int);
SELECT count(*) > 0 AS pairs FROM simhash_pairs('TABLE guarded_fps', NULL::int, 12);
SELECT count(*) > 0 AS pairs FROM simhash_pairs('WITH g AS (SELECT * FROM guarded) SELECT id, fp FROM g', NULL::int, 12);
-- functions in it do what they may do in any query of that caller
CREATE TABLE noted (id int);
CREATE SEQUENCE noted_id;
CREATE FUNCTION note(name) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %I (id) VALUES (1)', $1);
  PERFORM set_config('simhash_test.noted', 'yes', false), pg_advisory_xact_lock(1);
  RETURN nextval('noted_id');
END $$;
BEGIN;
SELECT count(*) FROM simhash_pairs('SELECT note(''noted''), fp FROM guarded LIMIT 3', NULL::int, 0);
SELECT count(*) AS rows, (SELECT last_value FROM noted_id) AS number, current_setting('simhash_test.noted') AS setting,
       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks FROM noted;
COMMIT;
SELECT count(*) FROM simhash_clusters('SELECT note(''guarded''), fp FROM guarded LIMIT 3', NULL::int, 0);
BEGIN READ ONLY;
SELECT count(*) FROM simhash_clusters('SELECT note(''noted''), fp FROM guarded LIMIT 3', NULL::int, 0);
ROLLBACK;
-- pages and statistics of an index are the administrator's
SELECT bitblock_check('guarded_bitblock', true);
SELECT * FROM bitblock_stats('guarded_bitblock');
RESET ROLE;

-- A view with security_barrier
CREATE VIEW barrier WITH (security_barrier) AS SELECT fp, body FROM guarded WHERE id % 10 = 0;
GRANT SELECT ON barrier TO regress_simhash_reader;
ALTER TABLE guarded DISABLE ROW LEVEL SECURITY;
SET ROLE regress_simhash_reader;
SELECT p FROM plan_of($q$SELECT fp FROM barrier WHERE fp <-> random_fp('10') <= 3 AND spy_text(body)$q$) p WHERE p ~ 'Index Cond';
SELECT count(*) FROM barrier WHERE fp <-> random_fp('10') <= 12 AND spy_text(body);
RESET ROLE;

-- Who has no right to the table has none through its index, and no estimate that
-- tells of its rows
REVOKE ALL ON guarded FROM regress_simhash_reader;
SET ROLE regress_simhash_reader;
SELECT count(*) FROM guarded WHERE fp <-> random_fp('10') <= 3;
SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM guarded', NULL::int);
EXPLAIN SELECT count(*) FROM guarded WHERE fp <-> random_fp('10') <= 3;
RESET ROLE;

-- bitblock_check of an index with somebody's functions runs them as him
CREATE TABLE owned (id int, fp simhash);
ALTER TABLE owned OWNER TO regress_simhash_owner;
GRANT CREATE ON SCHEMA public TO regress_simhash_owner;
SET ROLE regress_simhash_owner;
CREATE FUNCTION who(simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RAISE NOTICE 'as %', current_user;
  PERFORM set_config('simhash_test.setting', 'left behind', false);
  RETURN $1;
END $$;
INSERT INTO owned VALUES (1, '0123456789abcdef');
CREATE INDEX owned_fp ON owned USING bitblock (who(fp)) WHERE who(fp) IS NOT NULL;
RESET ROLE;
SELECT bitblock_check('owned_fp', true);
SELECT current_user = session_user AS myself_again, current_setting('simhash_test.setting', true) = 'left behind' AS setting;
-- also in a query that would be parallel without it
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT bitblock_check('owned_fp', true) FROM guarded WHERE id = 1;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- An exclusion constraint does not tell of a row that the policy hides
CREATE TABLE unlike_guarded (owner name DEFAULT current_user, fp simhash, EXCLUDE USING bitblock (fp WITH %));
INSERT INTO unlike_guarded VALUES ('somebody', '0123456789abcdef');
ALTER TABLE unlike_guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON unlike_guarded USING (owner = current_user);
GRANT SELECT, INSERT ON unlike_guarded TO regress_simhash_reader;
SET ROLE regress_simhash_reader;
INSERT INTO unlike_guarded (fp) VALUES ('0123456789abcdee');
INSERT INTO unlike_guarded (fp) VALUES ('0123456789abcdee') ON CONFLICT DO NOTHING;
SELECT count(*) FROM unlike_guarded;
RESET ROLE;

-- The trigger simhash_record_original runs with the rights of whoever inserts.  A user who may create
-- functions and operators in the extension's schema cannot make the trigger call them.  Each of these
-- fits a plain call of the search better than the function or operator that the search means.
CREATE DOMAIN attacked_fp AS simhash;
CREATE DOMAIN attacked_bits AS bit varying;
CREATE DOMAIN attacked_id AS int;
CREATE DOMAIN attacked_text AS text;
CREATE TYPE attacked_pair AS (a int, b int);
CREATE TABLE attacked (id attacked_id, fp attacked_fp, pair attacked_pair, code varchar(9), title varchar(9), body attacked_text, duplicate_of attacked_id);
CREATE TABLE attacked_wide (id bigint, domain_bits attacked_bits, bits bit varying, duplicate_of bigint);
CREATE INDEX ON attacked USING bitblock (fp);
CREATE INDEX ON attacked_wide USING bitblock (domain_bits) WITH (bits = 128);
CREATE INDEX ON attacked_wide USING bitblock (bits) WITH (bits = 128);
CREATE TRIGGER original BEFORE INSERT ON attacked FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'equal=pair, code', 'confirm=title, body');
CREATE TRIGGER original BEFORE INSERT ON attacked_wide FOR EACH ROW EXECUTE FUNCTION simhash_record_original('domain_bits', 'duplicate_of', 'id', 'within=3');
CREATE TRIGGER original_2 BEFORE INSERT ON attacked_wide FOR EACH ROW EXECUTE FUNCTION simhash_record_original('bits', 'duplicate_of', 'id', 'within=3');
SET ROLE regress_simhash_reader;
CREATE TEMP TABLE attacked (wrong int);
DO $$
DECLARE
  arguments text[];
BEGIN
  FOREACH arguments SLICE 1 IN ARRAY ARRAY[
      ['simhash_within', 'attacked_fp, simhash, int'], ['simhash_within', 'simhash, attacked_fp, int'],
      ['simhash_within', 'simhash, simhash, int, int DEFAULT 1'], ['simhash_within', 'simhash, simhash, VARIADIC int[]'], ['simhash_within', 'anyelement, anyelement, int'],
      ['bit_within', 'attacked_bits, bit, int'], ['bit_within', 'bit varying, bit, int'], ['bit_within', 'bit varying, bit varying, int'],
      ['<->', 'attacked_fp, simhash'], ['<->', 'attacked_fp, attacked_fp'], ['<->', 'attacked_bits, bit'], ['<->', 'bit varying, bit'], ['<=', 'hamming, attacked_id'],
      ['=', 'attacked_id, int'], ['=', 'attacked_id, attacked_id'], ['=', 'int, attacked_id'], ['=', 'attacked_pair, attacked_pair'],
      ['=', 'attacked_pair, record'], ['=', 'varchar, varchar'], ['=', 'varchar, text'], ['=', 'text, varchar'],
      ['simhash_first_change', 'attacked_text, attacked_text'], ['simhash_first_change', 'varchar, varchar'], ['simhash_first_change', 'text, text, boolean, int DEFAULT 1'],
      ['||', 'varchar, attacked_text'], ['||', 'attacked_text, varchar'], ['concat_ws', 'text, varchar, attacked_text']] LOOP
    EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS boolean LANGUAGE plpgsql AS %L', CASE WHEN arguments[1] ~ '_' THEN arguments[1] ELSE 'attack' END, arguments[2],
      format('BEGIN RAISE NOTICE ''%s(%s) as %%'', current_user; RETURN false; END', arguments[1], arguments[2]));
    IF arguments[1] !~ '_' THEN
      EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.attack)', arguments[1], split_part(arguments[2], ', ', 1), split_part(arguments[2], ', ', 2));
    END IF;
  END LOOP;
END $$;
RESET ROLE;
INSERT INTO public.attacked SELECT id, '0123456789abcdef', pair, 'a', title, title || ' is a ' || title
FROM (VALUES (1, (1, 2)::attacked_pair, 'sin'), (2, (1, 2)::attacked_pair, 'sin'), (3, NULL, 'cos'), (4, NULL, 'cos'), (5, NULL, 'sin')) v(id, pair, title);
INSERT INTO attacked_wide VALUES (1, repeat('0', 128)::bit(128)), (2, repeat('0', 128)::bit(128));
INSERT INTO attacked_wide (id, bits) VALUES (3, repeat('0', 128)::bit(128)), (4, repeat('0', 128)::bit(128));
SELECT id, duplicate_of FROM public.attacked UNION ALL SELECT id, duplicate_of FROM attacked_wide;
DROP TABLE pg_temp.attacked, public.attacked, attacked_wide;
SET client_min_messages = warning;
DROP TYPE attacked_fp, attacked_bits, attacked_id, attacked_text, attacked_pair CASCADE;
RESET client_min_messages;

DROP VIEW barrier, guarded_fps;
DEALLOCATE prepared;
DROP TABLE guarded, owned, unlike_guarded, extension_functions;
DROP OWNED BY regress_simhash_owner, regress_simhash_reader;
DROP ROLE regress_simhash_owner, regress_simhash_reader;
