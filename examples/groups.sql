-- group_docs(ids): keep the groups of near-duplicates in a table up to date.  Call it every minute, or after each load.
-- It computes only the groups that have changed since the last call.  The table doc_groups then has the groups that
-- simhash_clusters(..., 'components') would return.
--
--   CALL group_docs();                  -- compare all rows of docs with doc_groups.  The first call computes all groups
--   CALL group_docs(ARRAY[4, 5]);       -- look at these ids only: all that were inserted, updated or deleted
--
-- The table is docs (id bigint PRIMARY KEY, fp bit(256)), with an index USING bitblock (fp) of all its rows.  Run ANALYZE
-- after you create the index.
--
-- A group that has lost a document is computed again.  Other groups only grow or merge, and unchanged rows are not
-- written.  A second call waits for the first.  A call cannot be in a transaction block (2D000): in psycopg, set
-- autocommit.  An interrupted call changes nothing.  A call costs little more than the lookups of its new documents.
--
-- For another distance, write d.fp <-> n.fp <= 28 instead of d.fp % n.fp, and add distance => 28 to the call of
-- simhash_clusters.  For ids of another type, replace each bigint except those in the line of batch.  For groups within
-- a tenant, see tenants.md.
\set ON_ERROR_STOP on

CREATE TABLE doc_groups (id bigint PRIMARY KEY, fp bit(256) NOT NULL, component bigint NOT NULL);
CREATE INDEX ON doc_groups (component);
CREATE PROCEDURE group_docs(ids bigint[] DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
  batch CONSTANT bigint := 'doc_groups'::regclass::bigint;
BEGIN
  COMMIT;  -- fails in a transaction block, before the session holds the lock
  -- one batch at a time, with a snapshot taken after the previous batch
  PERFORM pg_advisory_xact_lock(batch);  -- waits here: an interrupted call keeps no lock
  PERFORM pg_advisory_lock(batch);
  COMMIT;
  SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
  PERFORM pg_advisory_xact_lock(batch), pg_advisory_unlock(batch);
  SET LOCAL jit = off;
  -- inserted, updated and deleted documents; the deleted ones have no fp
  CREATE TEMP TABLE changed ON COMMIT DROP AS
    SELECT id, d.fp, g.component
    FROM (SELECT id, fp FROM docs WHERE ids IS NULL OR id = ANY (ids)) d
      FULL JOIN (SELECT * FROM doc_groups WHERE ids IS NULL OR id = ANY (ids)) g USING (id)
    WHERE d.fp IS DISTINCT FROM g.fp;
  DELETE FROM doc_groups WHERE id = ANY (ARRAY(SELECT id FROM changed WHERE component IS NOT NULL));
  -- documents to group again: these, and the rest of the groups that lost one
  CREATE TEMP TABLE members ON COMMIT DROP AS
    SELECT id, fp, true AS is_new FROM changed WHERE fp IS NOT NULL
    UNION ALL
    SELECT id, fp, false FROM doc_groups WHERE component = ANY (ARRAY(SELECT component FROM changed));
  ANALYZE members;
  -- documents of other groups that are near a new one
  CREATE TEMP TABLE near ON COMMIT DROP AS
    SELECT n.id, d.id AS other, d.fp
    FROM (SELECT DISTINCT ON (fp) id, fp FROM members WHERE is_new) n JOIN docs d ON d.fp % n.fp
    WHERE EXISTS (SELECT FROM doc_groups);
  DELETE FROM near USING members m WHERE m.id = near.other;
  ANALYZE near;
  CREATE TEMP TABLE found ON COMMIT DROP AS
    SELECT id, component FROM simhash_components($q$
      SELECT id, cluster FROM simhash_clusters('SELECT id, fp FROM members', id_type => NULL::bigint)
      UNION ALL
      SELECT n.id, g.component FROM near n JOIN doc_groups g ON g.id = n.other AND g.fp = n.fp$q$, id_type => NULL::bigint);
  UPDATE doc_groups g SET component = f.component FROM found f
  WHERE f.id = g.component AND g.component = ANY (ARRAY(
    SELECT id FROM found f WHERE id <> component AND NOT EXISTS (SELECT FROM members m WHERE m.id = f.id)));
  INSERT INTO doc_groups SELECT id, m.fp, f.component FROM members m JOIN found f USING (id)
    ON CONFLICT (id) DO UPDATE SET component = excluded.component WHERE doc_groups.component <> excluded.component;
END $$;
