-- What happens to marks in the table of posts.sql: posts are marked anew, and people undo marks, edit and delete posts.
\set ON_ERROR_STOP on
\i examples/posts.sql

-- What people decide about texts.  A decision also applies to copies of the text, and no longer applies after an edit.
ALTER TABLE posts ADD UNIQUE (tenant_id, id);
CREATE TABLE decided (tenant_id integer, copy_key uuid, PRIMARY KEY (tenant_id, copy_key),
  -- the post of which this text is a duplicate, or NULL if the text is an original.  If another decision makes that post a
  -- duplicate, its original is meant.  Decisions that lead in a circle are ignored.  Only decide about texts whose mark is
  -- wrong: the rule no longer applies to a text that was decided, nor to revisions of it.
  original uuid, FOREIGN KEY (tenant_id, original) REFERENCES posts (tenant_id, id) ON DELETE CASCADE);

-- For a text that was decided, the view returns the key instead of the title, so that only its copies match it.
CREATE VIEW posts_to_judge AS
SELECT p.id, p.tenant_id, p.fp, CASE WHEN c.copy_key IS NULL THEN p.title ELSE c.copy_key::text END AS title, p.body
FROM posts p LEFT JOIN decided c USING (tenant_id, copy_key) WHERE octet_length(p.body) >= 60;

ALTER TABLE posts ADD mark text;    -- copy, revision or decided; NULL if the trigger has set duplicate_of

-- judge(tenant, ids): mark the posts of a tenant, or some of them and their duplicates, by the rule and the decisions.  An
-- original stays one unless it is judged and matches another one.  Of new duplicates, the oldest becomes the original.  If
-- the numbers of your texts change, add numbers => false to the call of simhash_duplicates, and 'numbers=false' to the trigger.
CREATE FUNCTION judge(tenant integer, ids uuid[] DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  judged text := format('tenant_id = %L', tenant);
  updated bigint;
  changed bigint := 0;
BEGIN
  IF ids = '{}' THEN RETURN 0; END IF;
  -- Compare these posts with each other and with the originals near them.  The index finds those of 100 new posts among
  -- 100,000 in 0.15 s, and those of 10,000 in 6 s; simhash_duplicates(..., new => ...) takes 0.45 s and 1.2 s, because it reads
  -- all fingerprints.  So judge single posts by ids, and after a batch all: judge(tenant) takes 3 s.
  IF ids IS NOT NULL THEN
    ids := ids || ARRAY(SELECT id FROM posts WHERE tenant_id = tenant AND duplicate_of = ANY (ids));
    judged := judged || format(' AND id = ANY (%L)', ids || ARRAY(
      SELECT o.id FROM posts p JOIN posts o ON o.tenant_id = p.tenant_id AND o.fp <-> p.fp <= 40 AND o.duplicate_of IS NULL
      WHERE p.id = ANY (ids)));
  END IF;
  -- New marks change which posts are originals, and so are compared first: repeat until no mark changes.
  FOR pass IN 1..10 LOOP
    WITH RECURSIVE chains AS (    -- the decisions that follow from each other, and the key of the last original
      SELECT c.copy_key, o.id, o.copy_key AS next_key FROM decided c JOIN posts o ON o.id = c.original
      WHERE c.tenant_id = tenant AND (ids IS NULL OR c.copy_key IN (SELECT copy_key FROM posts WHERE id = ANY (ids)))
      UNION ALL
      SELECT c.copy_key, o.id, o.copy_key FROM chains c
        JOIN decided d ON d.tenant_id = tenant AND d.copy_key = c.next_key JOIN posts o ON o.id = d.original)
      CYCLE next_key SET circle USING path,
    decisions AS (
      SELECT copy_key, id FROM chains c WHERE NOT EXISTS (
        SELECT FROM decided d JOIN posts o ON o.id = d.original WHERE d.tenant_id = tenant AND d.copy_key = c.next_key)),
    found AS MATERIALIZED (
      SELECT * FROM simhash_duplicates('SELECT id, fp, title, body FROM posts_to_judge WHERE ' || judged, id_type => NULL::uuid,
        keep => format('SELECT id FROM posts WHERE %s ORDER BY duplicate_of IS NOT NULL OR id = ANY (%L), created, id',
                       judged, coalesce(ids, '{}'))))
    UPDATE posts SET duplicate_of = x.original, mark = x.mark
    FROM (SELECT p.id, CASE WHEN o.id IS NULL THEN f.kind ELSE 'decided' END AS mark,
                 CASE WHEN o.id IS NULL THEN f.original WHEN ids IS NULL OR o.id = ANY (ids) THEN coalesce(other.original, o.id)
                      ELSE coalesce(o.duplicate_of, o.id) END AS original
          FROM posts p LEFT JOIN decisions d USING (copy_key) LEFT JOIN posts o ON o.id = d.id
            LEFT JOIN found f ON f.id = p.id LEFT JOIN found other ON other.id = o.id
          WHERE p.tenant_id = tenant AND (ids IS NULL OR p.id = ANY (ids))) x
    WHERE posts.id = x.id AND (posts.duplicate_of, posts.mark) IS DISTINCT FROM (x.original, x.mark);
    GET DIAGNOSTICS updated = ROW_COUNT;
    changed := changed + updated;
    EXIT WHEN updated = 0 OR ids IS NOT NULL;
  END LOOP;
  RETURN changed;
END $$;

-- Mark the posts of a tenant.  You can repeat this: it only updates rows whose mark changes.
SELECT judge(1);
SELECT p.title, p.mark, o.title AS original FROM posts p JOIN posts o ON o.id = p.duplicate_of;
--          title         |   mark   |   original
-- -----------------------+----------+---------------
--  Update: Nurse in Bonn | revision | Nurse in Bonn
-- (1 row)

-- Undo a wrong mark.  Later calls of judge do not set it again.
INSERT INTO decided SELECT tenant_id, copy_key, NULL FROM posts WHERE title = 'Update: Nurse in Bonn'
  ON CONFLICT (tenant_id, copy_key) DO UPDATE SET original = excluded.original;
SELECT judge(1);
SELECT p.title, p.mark, o.title AS original FROM posts p JOIN posts o ON o.id = p.duplicate_of;
--  title | mark | original
-- -------+------+----------
-- (0 rows)

-- Mark a duplicate that the rule misses
INSERT INTO decided SELECT d.tenant_id, d.copy_key, o.id FROM posts d, posts o
  WHERE d.title = 'Update: Nurse in Bonn' AND o.title = 'Doctor in Oslo'
  ON CONFLICT (tenant_id, copy_key) DO UPDATE SET original = excluded.original;
SELECT judge(1);
SELECT p.title, p.mark, o.title AS original FROM posts p JOIN posts o ON o.id = p.duplicate_of;
--          title         |  mark   |    original
-- -----------------------+---------+----------------
--  Update: Nurse in Bonn | decided | Doctor in Oslo
-- (1 row)

-- When a text is edited, or gets another tenant, judge the post and those that point to it
CREATE FUNCTION judge_duplicates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN    -- the decisions that name the post are deleted with it, but only after this trigger
    DELETE FROM decided WHERE tenant_id = OLD.tenant_id AND original = OLD.id;
  END IF;
  PERFORM judge(OLD.tenant_id, ARRAY[OLD.id]);
  IF TG_OP = 'UPDATE' AND NEW.tenant_id <> OLD.tenant_id THEN
    PERFORM judge(NEW.tenant_id, ARRAY[NEW.id]);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER posts_edited AFTER UPDATE OF title, body, tenant_id ON posts FOR EACH ROW
  WHEN ((OLD.tenant_id, OLD.copy_key) IS DISTINCT FROM (NEW.tenant_id, NEW.copy_key)) EXECUTE FUNCTION judge_duplicates();

-- When an original is deleted, judge those that point to it, so that the oldest becomes their original.  Triggers fire in
-- the order of their names.  This one must fire before that of the foreign key, which is RI_ConstraintTrigger_a_...
CREATE TRIGGER "A_promote" AFTER DELETE ON posts FOR EACH ROW WHEN (OLD.duplicate_of IS NULL)
  EXECUTE FUNCTION judge_duplicates();

INSERT INTO posts (tenant_id, title, body) SELECT 1, 'Cook in Rome', 'You cook for two hundred guests each evening, plan the
  menus of the week, and buy vegetables at the market. We offer a small flat above the kitchen, and free Mondays.' || more
FROM unnest(ARRAY['', ' Start: in May.', ' Start: in May. Write to us.', ' Start: in May. Write to us. No calls, please.']) more;
DELETE FROM posts WHERE title = 'Cook in Rome' AND duplicate_of IS NULL;
SELECT right(p.body, 15) AS post, right(o.body, 15) AS original
FROM posts p LEFT JOIN posts o ON o.id = p.duplicate_of WHERE p.title = 'Cook in Rome' ORDER BY p.created;
--       post       |    original
-- -----------------+-----------------
--   Start: in May. |
--  y. Write to us. |  Start: in May.
--   calls, please. |  Start: in May.
-- (3 rows)

UPDATE posts SET body = 'The kitchen is closed, because the storm has damaged its roof and all of the stoves. We will let you
  know when it opens again, and when we need a cook.' WHERE title = 'Cook in Rome' AND duplicate_of IS NULL;
SELECT right(p.body, 15) AS post, right(o.body, 15) AS original
FROM posts p LEFT JOIN posts o ON o.id = p.duplicate_of WHERE p.title = 'Cook in Rome' ORDER BY p.created;
--       post       |    original
-- -----------------+-----------------
--  we need a cook. |
--  y. Write to us. |
--   calls, please. | y. Write to us.
-- (3 rows)

-- With concurrent sessions, the insert of a duplicate waits for the DELETE of its original, and then fails (23503): repeat
-- it.  The DELETE of an original waits for inserts of its duplicates.  Sessions that edit at once do not see each other's
-- texts, as in the trigger, and may wait for each other (40P01): repeat the transaction, and call judge(tenant) regularly.
-- This is also needed because the trigger posts_original does not know the table decided.

-- Keep the exact reposts that a table already has, and reject new ones: exclude the old ones by a column of their own.  Do
-- not exclude marked rows (WHERE duplicate_of IS NULL): the trigger marks a repost before the index sees it, and the index
-- would accept it.  If you delete the only post of a text that is no old repost, set old_repost of another one to false.  Add
-- AND NOT old_repost to the condition of ON CONFLICT (tenant_id, copy_key).
DROP INDEX posts_copies;
INSERT INTO posts (tenant_id, title, body) SELECT tenant_id, title, body FROM posts WHERE title = 'Doctor in Oslo';    -- an old repost
ALTER TABLE posts ADD old_repost boolean NOT NULL DEFAULT false;
UPDATE posts SET old_repost = true
FROM (SELECT id, row_number() OVER (PARTITION BY tenant_id, copy_key ORDER BY created, id) AS place FROM posts) p
WHERE posts.id = p.id AND place > 1;
CREATE UNIQUE INDEX posts_copies ON posts (tenant_id, copy_key) WHERE octet_length(body) >= 60 AND NOT old_repost;
INSERT INTO posts (tenant_id, title, body) SELECT tenant_id, title, body FROM posts WHERE title = 'Doctor in Oslo' AND old_repost
  ON CONFLICT DO NOTHING;
SELECT count(*), count(*) FILTER (WHERE old_repost) AS old_reposts FROM posts WHERE title = 'Doctor in Oslo';
--  count | old_reposts
-- -------+-------------
--      2 |           1
-- (1 row)
