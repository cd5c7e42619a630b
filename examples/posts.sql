-- The table of an application with tenants: exact reposts are rejected, and edited versions are stored and marked.  Posts
-- with the same text and different titles are different posts.

CREATE TABLE posts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id integer NOT NULL, title text,
  body text NOT NULL, created timestamptz NOT NULL DEFAULT now(),
  duplicate_of bigint REFERENCES posts,    -- with ON DELETE SET NULL, duplicates of a deleted post would become originals
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(coalesce(title, '') || ' ' || body)) STORED);
CREATE INDEX posts_originals ON posts USING bitblock (tenant_id, fp) WHERE duplicate_of IS NULL;
CREATE UNIQUE INDEX posts_copies ON posts (tenant_id, simhash_copy_key(coalesce(title, '') || ' ' || body));
CREATE INDEX posts_versions ON posts (coalesce(duplicate_of, id));
CREATE TRIGGER posts_original BEFORE INSERT ON posts FOR EACH ROW
  EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'equal=tenant_id', 'confirm=body', 'title=title');

INSERT INTO posts (tenant_id, title, body) SELECT tenant_id, title, 'You care for the patients of a small hospital, by day
  and by night, and you train new members of the team. We offer thirty days of leave, a ticket for all trains and buses,
  and help with finding a flat. Send us a letter and a short account of your life.' || more
FROM (VALUES (1, 'Nurse in Bonn', ''), (1, 'Doctor in Oslo', ''), (1, 'Update: Nurse in Bonn', ' Start: at once.'),
  (1, 'NURSE in Bonn', ''), (2, 'Nurse in Bonn', '')) v (tenant_id, title, more) ON CONFLICT DO NOTHING;

-- "Also published as": the other versions of a post
SELECT o.id, o.title FROM posts p JOIN posts o ON coalesce(o.duplicate_of, o.id) = coalesce(p.duplicate_of, p.id)
WHERE p.id = 3 AND o.id <> p.id;
--  id |     title
-- ----+---------------
--   1 | Nurse in Bonn
-- (1 row)

-- The newest version of each post
SELECT DISTINCT ON (coalesce(duplicate_of, id)) id, title FROM posts WHERE tenant_id = 1
ORDER BY coalesce(duplicate_of, id), created DESC, id DESC;
--  id |         title
-- ----+-----------------------
--   3 | Update: Nurse in Bonn
--   2 | Doctor in Oslo
-- (2 rows)

-- A list in another order, without posts that are near a post above them; it also leaves out siblings, such as post 2
SELECT id, title FROM (SELECT *, bit_is_first(fp) OVER (ORDER BY created, id) AS first FROM posts WHERE tenant_id = 1) p
WHERE first ORDER BY created, id LIMIT 10;
--  id |     title
-- ----+---------------
--   1 | Nurse in Bonn
-- (1 row)

-- With Alembic, add this to a table that has no copies (a large table in use needs the steps of large-tables.md).  Write
-- the expressions in the model as \d posts shows them, with ' '::text instead of ' ', so that "alembic check" reports no
-- change.  The block with autocommit commits what precedes it: set transaction_per_migration=True in env.py.
--
--   def upgrade():
--       op.execute("ALTER TABLE posts ADD duplicate_of bigint REFERENCES posts, "
--                  "ADD fp bit(256) GENERATED ALWAYS AS "
--                  "(minhash_bits((COALESCE(title, ''::text) || ' '::text) || body)) STORED")
--       with op.get_context().autocommit_block():    # CONCURRENTLY cannot run in a transaction
--           op.execute("CREATE INDEX CONCURRENTLY posts_originals ON posts USING bitblock (tenant_id, fp) "
--                      "WHERE duplicate_of IS NULL")
--           op.execute("CREATE UNIQUE INDEX CONCURRENTLY posts_copies "
--                      "ON posts (tenant_id, simhash_copy_key((COALESCE(title, ''::text) || ' '::text) || body))")
--       op.execute("CREATE TRIGGER ...")    # as above
