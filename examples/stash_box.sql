-- The hashes of stash-box, without pg-spgist_hamming (extension bktree).  The column stays a bigint.  A query uses the
-- index if it has the same expression and the same predicate.  For hash = x create a btree index.
\set ON_ERROR_STOP on

CREATE TABLE fingerprints (id integer PRIMARY KEY, hash bigint NOT NULL, algorithm text NOT NULL);
INSERT INTO fingerprints VALUES
  (1, ('x' || 'f8d0c3a51b4e7729')::bit(64)::bigint, 'PHASH'),
  (2, ('x' || 'f8d0c3a51b4e7728')::bit(64)::bigint, 'PHASH'),
  (3, ('x' || '07a1c3e4d9b05c63')::bit(64)::bigint, 'OSHASH');
CREATE INDEX fingerprints_phash_idx ON fingerprints USING bitblock ((hash::simhash)) WHERE algorithm = 'PHASH';
SELECT p.phash, f.id FROM unnest(ARRAY[-517698843252459735]::bigint[]) AS p (phash)
JOIN fingerprints f ON f.hash::simhash <-> p.phash::simhash <= 4 AND f.algorithm = 'PHASH' ORDER BY f.id;
--         phash        | id
-- ---------------------+----
--  -517698843252459735 |  1
--  -517698843252459735 |  2
-- (2 rows)
