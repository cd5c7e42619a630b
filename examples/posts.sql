-- The table of an application with tenants, titles and UUIDs: exact reposts are rejected, and revisions are stored and
-- marked.  Posts with the same text and different titles are different posts.  Short posts, such as "Thanks!", are neither
-- rejected nor marked, because people write the same few words.  For what follows (undo, edit, delete) see marks.sql, and
-- for mails, web pages and other texts that have to be prepared, doc/kinds-of-texts.md.
\set ON_ERROR_STOP on

CREATE TABLE posts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id integer NOT NULL, title text,
  body text NOT NULL, created timestamptz NOT NULL DEFAULT clock_timestamp(),
  duplicate_of uuid REFERENCES posts,    -- with ON DELETE SET NULL, duplicates of a deleted post would become originals
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body)) STORED,
  copy_key uuid GENERATED ALWAYS AS (simhash_copy_key(coalesce(title, '') || ' ' || body)) STORED);
CREATE INDEX posts_originals ON posts USING bitblock (tenant_id, fp) WHERE duplicate_of IS NULL;
CREATE UNIQUE INDEX posts_copies ON posts (tenant_id, copy_key) WHERE octet_length(body) >= 60;    -- also in ON CONFLICT, below
CREATE INDEX posts_duplicates ON posts (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE TRIGGER posts_original BEFORE INSERT ON posts FOR EACH ROW WHEN (octet_length(NEW.body) >= 60)
  EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'equal=tenant_id', 'confirm=body', 'title=title');

INSERT INTO posts (tenant_id, title, body) SELECT tenant_id, title, 'You care for the patients of a small hospital, by day
  and by night, and you train new members of the team. We offer thirty days of leave, a ticket for all trains and buses,
  and help with finding a flat. Send us a letter and a short account of your life.' || more
FROM (VALUES (1, 'Nurse in Bonn', ''), (1, 'Doctor in Oslo', ''), (1, 'Update: Nurse in Bonn', ' Start: at once.'),
  (1, 'NURSE in Bonn', ''), (2, 'Nurse in Bonn', '')) v (tenant_id, title, more) ON CONFLICT DO NOTHING;
INSERT INTO posts (tenant_id, body) VALUES (1, 'Thanks!'), (1, 'Thanks!')
  ON CONFLICT (tenant_id, copy_key) WHERE octet_length(body) >= 60 DO NOTHING;    -- a target needs the index's predicate

-- "Also published as": the other revisions of a post
SELECT o.title FROM posts p JOIN posts o ON coalesce(p.duplicate_of, p.id) IN (o.id, o.duplicate_of)
WHERE p.title = 'Update: Nurse in Bonn' AND o.id <> p.id;
--      title
-- ---------------
--  Nurse in Bonn
-- (1 row)

-- A list without repeats: the newest revision of each post.  It does not hide siblings, such as "Doctor in Oslo".
SELECT title FROM (SELECT DISTINCT ON (coalesce(duplicate_of, id)) * FROM posts WHERE tenant_id = 1 AND octet_length(body) >= 60
  ORDER BY coalesce(duplicate_of, id), created DESC) p ORDER BY created DESC LIMIT 10;
--          title
-- -----------------------
--  Update: Nurse in Bonn
--  Doctor in Oslo
-- (2 rows)

-- The same without marks: simhash_duplicates compares the 50 best results with each other, and keeps the best of each
WITH found AS MATERIALIZED (
  SELECT id, title, row_number() OVER (ORDER BY created DESC) AS place FROM posts
  WHERE tenant_id = 1 AND body LIKE '%hospital%' ORDER BY place LIMIT 50),
repeats AS MATERIALIZED (
  SELECT d.id FROM (SELECT array_agg(id ORDER BY place) AS ids FROM found) f, simhash_duplicates(
    format('SELECT id, fp, title, body FROM posts WHERE id = ANY (%L)', ids), id_type => NULL::uuid,
    keep => format('SELECT id FROM unnest(%L::uuid[]) WITH ORDINALITY u (id, place) ORDER BY place', ids)) d)
SELECT title FROM found WHERE id NOT IN (SELECT id FROM repeats) ORDER BY place LIMIT 10;
--          title
-- -----------------------
--  Update: Nurse in Bonn
--  Doctor in Oslo
-- (2 rows)

-- With Alembic, add this to a table that has no copies (a large table in use needs the steps of large-tables.md).  Write
-- the expressions in the model as \d posts shows them, with ' '::text instead of ' ', so that "alembic check" reports no
-- change.  The block with autocommit commits what precedes it: set transaction_per_migration=True in env.py.
--
--   def upgrade():
--       op.execute("ALTER TABLE posts ADD duplicate_of uuid REFERENCES posts, "
--                  "ADD fp bit(256) GENERATED ALWAYS AS "
--                  "(minhash_bits((COALESCE(title, ''::text) || ' '::text) || body)) STORED, "
--                  "ADD copy_key uuid GENERATED ALWAYS AS "
--                  "(simhash_copy_key((COALESCE(title, ''::text) || ' '::text) || body)) STORED")
--       with op.get_context().autocommit_block():    # CONCURRENTLY cannot run in a transaction
--           op.execute("CREATE INDEX CONCURRENTLY posts_originals ON posts USING bitblock (tenant_id, fp) "
--                      "WHERE duplicate_of IS NULL")
--           op.execute("CREATE UNIQUE INDEX CONCURRENTLY posts_copies ON posts (tenant_id, copy_key) "
--                      "WHERE octet_length(body) >= 60")
--           op.execute("CREATE INDEX CONCURRENTLY posts_duplicates ON posts (duplicate_of) "
--                      "WHERE duplicate_of IS NOT NULL")
--       op.execute("CREATE TRIGGER ...")    # as above
