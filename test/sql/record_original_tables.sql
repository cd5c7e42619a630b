-- simhash_record_original: names, partitions and inheritance

-- Any type of id, domains; names that need quotes; a search_path without the extension
CREATE SCHEMA "Odd ""one";
CREATE TABLE "Odd ""one"."My docs" ("Id" text COLLATE "C" PRIMARY KEY, "F p" simhash, "Of" text);
CREATE INDEX ON "Odd ""one"."My docs" USING bitblock ("F p");
CREATE TRIGGER original BEFORE INSERT ON "Odd ""one"."My docs" FOR EACH ROW EXECUTE FUNCTION simhash_record_original('F p', 'Of', 'Id', 'within=8');
ALTER TABLE "Odd ""one"."My docs" DROP CONSTRAINT "My docs_pkey";
CREATE DOMAIN "Odd ""one".name AS text COLLATE "C" CHECK (VALUE <> '');
CREATE DOMAIN "Odd ""one".print AS simhash;
ALTER TABLE "Odd ""one"."My docs" ALTER "Id" TYPE "Odd ""one".name, ALTER "Of" TYPE "Odd ""one".name, ALTER "F p" TYPE "Odd ""one".print;
SET search_path = pg_temp;
INSERT INTO "Odd ""one"."My docs" VALUES ('b', '0000000000000000'), ('a', '00000000000001ff'), ('c', '000000000000000f') RETURNING "Id", "Of";
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA "Odd ""one" CASCADE;
RESET client_min_messages;

-- Partitions: the whole table is searched, also from a partition of other column numbers
CREATE TABLE parts (id int, fp simhash, duplicate_of int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE part2 (gone int, duplicate_of int, fp simhash, id int);
ALTER TABLE part2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION part2 FOR VALUES FROM (10) TO (20);
CREATE INDEX ON parts USING bitblock (fp);
CREATE TRIGGER original BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock');
INSERT INTO parts VALUES (1, '0000000000000000'), (11, '0000000000000007'), (12, '000000000000000f'), (2, '00000000000000ff') RETURNING tableoid::regclass, *;
INSERT INTO part2 (id, fp) VALUES (13, '0000000000000001') RETURNING *;
SELECT locktype, classid::regclass, mode FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_trigger'::regclass;
BEGIN;
INSERT INTO parts VALUES (3, '0000000000000000');
INSERT INTO part2 (id, fp) VALUES (14, '0000000000000001');
SELECT locktype, classid::regclass, objid = (SELECT oid FROM pg_trigger WHERE tgrelid = 'parts'::regclass) AS of_the_root, mode FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_trigger'::regclass;
COMMIT;
DROP TABLE parts;

-- Inheritance: the whole tree is searched, also from a child table, which has a trigger of its own
CREATE TABLE tree (id int, fp simhash, duplicate_of int);
CREATE TABLE branch (duplicate_of int, gone int, fp simhash, id int);
ALTER TABLE branch DROP COLUMN gone;
ALTER TABLE branch INHERIT tree;
CREATE TABLE twig () INHERITS (branch);
CREATE FUNCTION grow(name text, arguments text DEFAULT $$'fp', 'duplicate_of', 'id', 'within=3', 'lock'$$) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE INDEX ON %I USING bitblock (fp) WHERE duplicate_of IS NULL', name);
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION simhash_record_original(%s)', name, arguments);
END $$;
SELECT grow(name) FROM unnest(ARRAY['tree', 'branch']) name;
INSERT INTO tree VALUES (1, '0000000000000000');
SELECT grow('twig');
INSERT INTO tree VALUES (1, '0000000000000000') RETURNING tableoid::regclass, *;
BEGIN;
INSERT INTO twig (id, fp) VALUES (2, '0000000000000001'), (3, '000000000000ffff') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO branch (id, fp) VALUES (4, '0000000000000003'), (5, '00000000000fffff'), (6, '000000000000ffff') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO tree VALUES (7, '00000000000fffff') RETURNING tableoid::regclass, id, duplicate_of;
SELECT classid::regclass, (SELECT tgrelid::regclass FROM pg_trigger t WHERE t.oid = objid), mode FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_trigger'::regclass;
SELECT relname, idx_scan >= 6 AS each_by_index FROM pg_stat_xact_user_tables WHERE relname IN ('tree', 'branch', 'twig') ORDER BY 1;
COMMIT;
-- a child table that comes, and one that goes
CREATE TABLE bud () INHERITS (tree);
INSERT INTO tree VALUES (8, '0000000000000000');
SELECT grow('bud');
INSERT INTO bud VALUES (8, '0000000000000000'), (9, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO twig (id, fp) VALUES (10, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
ALTER TABLE bud NO INHERIT tree;
INSERT INTO twig (id, fp) VALUES (11, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO bud VALUES (12, '0000000000000000'), (13, '0f0f0f0f0f0f0f0f') RETURNING tableoid::regclass, id, duplicate_of;
-- of two parents with the trigger neither is the right one; one with another trigger is not searched
CREATE TABLE graft () INHERITS (bud, tree);
SELECT grow('graft');
INSERT INTO graft VALUES (14, '0000000000000000');
ALTER TRIGGER original ON bud RENAME TO others;
INSERT INTO graft VALUES (14, '0000000000000000');
DROP TRIGGER others ON bud;
INSERT INTO graft VALUES (14, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
-- a parent without the trigger, whose own parent has it
DROP TRIGGER original ON twig;
CREATE TABLE shoot () INHERITS (twig);
SELECT grow('shoot');
INSERT INTO shoot (id, fp) VALUES (14, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
DROP TABLE shoot;
SELECT grow('bud');
DROP TRIGGER original ON tree;
SELECT grow('tree', $$'fp', 'duplicate_of', 'id', 'within=4'$$);
INSERT INTO graft VALUES (15, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
INSERT INTO branch (id, fp) VALUES (16, '0000000000000000') RETURNING tableoid::regclass, id, duplicate_of;
DROP TABLE tree, branch, twig, bud, graft;
DROP FUNCTION grow;
