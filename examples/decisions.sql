-- Remember what people decide about pairs of documents.
--
-- People decide about two texts, not about two ids, so the key of the table is the MD5 sums of the texts.  A decision
-- also applies to copies of these texts, and no longer applies when a text changes.  Do not use fingerprints as the key:
-- different texts can have the same fingerprint.

CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL,
  fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
INSERT INTO docs (body) VALUES ('The harbour master has closed the north pier until Monday.'),
  ('The harbour master has closed the south pier until Monday.'),
  ('The harbour master has closed the north pier until Monday noon.');

CREATE TABLE decided (a uuid, b uuid, same boolean NOT NULL, PRIMARY KEY (a, b), CHECK (a < b));
CREATE FUNCTION decide(a_body text, b_body text, same boolean) RETURNS void LANGUAGE sql AS $$
  INSERT INTO decided
  VALUES (least(md5(a_body)::uuid, md5(b_body)::uuid), greatest(md5(a_body)::uuid, md5(b_body)::uuid), same)
  ON CONFLICT (a, b) DO UPDATE SET same = excluded.same
$$;

-- Decide that 2 is the same document as 1, and that 3 is a different one
SELECT decide(a.body, b.body, b.id = 2) FROM docs a, docs b WHERE a.id = 1 AND b.id > 1;

-- Return the document of each group that stays.  A decision takes precedence over simhash_same_document.  Two texts that
-- were decided to be different may still have the same keeper: list them by a join of decided with this result.
SELECT id, keeper FROM simhash_stars($$
  SELECT a.id, b.id FROM docs a JOIN docs b ON a.fp <-> b.fp <= 48 AND a.id < b.id
    LEFT JOIN decided d ON d.a = least(md5(a.body)::uuid, md5(b.body)::uuid)
                       AND d.b = greatest(md5(a.body)::uuid, md5(b.body)::uuid)
  WHERE coalesce(d.same, simhash_same_document(a.body, b.body))$$) ORDER BY id;
--  id | keeper
-- ----+--------
--   1 |      1
--   2 |      1
-- (2 rows)
