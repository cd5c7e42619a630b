-- simhash_record_original: upserts, MERGE, and rows that move

-- An upsert makes no row a duplicate of itself, and the next one finds it
CREATE TABLE upserts (id int PRIMARY KEY, fp simhash, duplicate_of int);
CREATE INDEX ON upserts USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO upserts VALUES (5, '0000000000000000'), (7, '00000000ffffffff');
PREPARE upsert (int, simhash) AS INSERT INTO upserts VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, duplicate_of = excluded.duplicate_of RETURNING *;
EXECUTE upsert (5, '0000000000000000');
EXECUTE upsert (5, '0000000000000001');
EXECUTE upsert (6, '0000000000000001');
EXECUTE upsert (6, '0000000000000003');
EXECUTE upsert (7, '0000000000000007');
EXECUTE upsert (7, '0000000000000007');
EXECUTE upsert (7, '00000000ffffffff');
-- the equality of the type, whatever the search_path says
CREATE SCHEMA decoy;
CREATE FUNCTION decoy.never(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE OPERATOR decoy.= (LEFTARG = int, RIGHTARG = int, FUNCTION = decoy.never);
SET search_path = decoy, pg_catalog, public;
CREATE INDEX ON upserts (fp);
EXECUTE upsert (5, '0000000000000001');
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA decoy CASCADE;
RESET client_min_messages;
DROP TABLE upserts;
DEALLOCATE upsert;
-- ids of other types; one that is generated; none
CREATE FUNCTION upserted(type text, ids text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  EXECUTE format('CREATE TABLE upserts (id %s PRIMARY KEY, fp simhash, duplicate_of %1$s)', type);
  CREATE INDEX ON upserts USING bitblock (fp);
  CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
  FOR i IN 1..6 LOOP
    EXECUTE format('INSERT INTO upserts VALUES (%L, ''0000000000000000'') ON CONFLICT (id) DO UPDATE SET duplicate_of = excluded.duplicate_of', ids[1 + i % 2]);
  END LOOP;
  EXECUTE 'SELECT string_agg(id::text || '' of '' || coalesce(duplicate_of::text, ''none''), '', '' ORDER BY id) FROM upserts' INTO result;
  DROP TABLE upserts;
  RETURN result;
END $$;
SELECT type, upserted(type, ids) FROM (VALUES ('bigint', '{1,2}'::text[]), ('text COLLATE "C"', '{a,b}'), ('varchar(5)', '{a,b}'), ('char(5)', '{a,b}'), ('numeric', '{1.0,2}'),
  ('uuid', '{00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002}'), ('int[]', '{"{1,2}","{2,1}"}'), ('int4range', '{"[1,2)","[2,3)"}'), ('oid', '{1,2}')) v(type, ids);
DROP FUNCTION upserted;
CREATE TABLE upserts (id text GENERATED ALWAYS AS (upper(body)) STORED PRIMARY KEY, body text, fp simhash, duplicate_of text);
CREATE INDEX ON upserts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO upserts (body, fp) VALUES ('b', '0000000000000000');
INSERT INTO upserts (body, fp) VALUES ('b', '0000000000000001') ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, duplicate_of = excluded.duplicate_of RETURNING *;
INSERT INTO upserts (body, fp) VALUES ('c', '0000000000000001') ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, duplicate_of = excluded.duplicate_of RETURNING *;
DROP TABLE upserts;
CREATE TABLE upserts (id int, fp simhash, duplicate_of int);
CREATE INDEX ON upserts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
INSERT INTO upserts VALUES (1, '0000000000000000'), (NULL, '0000000000000000') RETURNING *;
DROP TABLE upserts;

-- MERGE, where there is one, and a row that an UPDATE moves to another partition
CREATE TABLE moves (id int, part int, fp simhash, duplicate_of int) PARTITION BY LIST (part);
CREATE TABLE moves1 PARTITION OF moves FOR VALUES IN (1);
CREATE TABLE moves2 PARTITION OF moves FOR VALUES IN (2);
CREATE INDEX ON moves USING bitblock (fp) WHERE duplicate_of IS NULL;
CREATE TRIGGER original BEFORE INSERT ON moves FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
DO $$
BEGIN
  EXECUTE CASE WHEN current_setting('server_version_num')::int >= 150000
    THEN 'MERGE INTO moves m USING (SELECT i FROM generate_series(1, 4) i ORDER BY i) s ON m.id = s.i WHEN NOT MATCHED THEN INSERT (id, part, fp) VALUES (i, 1 + i % 2, random_fp((i % 3)::text))'
    ELSE 'INSERT INTO moves (id, part, fp) SELECT i, 1 + i % 2, random_fp((i % 3)::text) FROM generate_series(1, 4) i' END;
END $$;
SELECT array_agg(part ORDER BY id) AS parts, count(duplicate_of), (SELECT count(*) FROM moves d JOIN moves o ON d.duplicate_of = o.id AND d.fp = o.fp AND o.duplicate_of IS NULL) AS right FROM moves;
UPDATE moves SET part = 3 - part;
SELECT array_agg(part ORDER BY id) AS parts, count(duplicate_of), (SELECT count(*) FROM moves d JOIN moves o ON d.duplicate_of = o.id AND d.fp = o.fp AND o.duplicate_of IS NULL) AS right FROM moves;
DROP TABLE moves;
