-- The planner's choice among all kinds of index, by distance and size of the table.
CREATE FUNCTION chosen(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  plan text;
BEGIN
  EXECUTE 'EXPLAIN (COSTS OFF, FORMAT json) ' || query INTO plan;
  RETURN coalesce(substring(plan FROM '"Index Name": "([^"]*)"'), substring(plan FROM 'Seq Scan'));
END $$;
CREATE FUNCTION choices() RETURNS TABLE (query text, choice text) LANGUAGE sql AS $$
  SELECT q, chosen('SELECT id FROM docs ' || q)
  FROM (SELECT 1, k, format('WHERE fp <-> ''0123456789abcdef'' <= %s', k) FROM unnest(ARRAY[0, 3, 8, 20, 64]) k
        UNION ALL SELECT 2, 0, 'WHERE fp % ''0123456789abcdef'''
        UNION ALL SELECT 3, 0, 'WHERE fp = ''0123456789abcdef'''
        UNION ALL SELECT 4, 0, 'WHERE fp IS NULL'
        UNION ALL SELECT 5, 0, 'ORDER BY fp <-> ''0123456789abcdef'' LIMIT 10'
        UNION ALL SELECT 6, 0, 'ORDER BY fp LIMIT 10') s(a, b, q)
  ORDER BY a, b
$$;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE docs (id int, fp simhash) WITH (autovacuum_enabled = off);
CREATE INDEX by_bitblock ON docs USING bitblock (fp);
CREATE INDEX by_gist ON docs USING gist (fp);
CREATE INDEX by_btree ON docs USING btree (fp);
INSERT INTO docs SELECT * FROM shaped_fps('random', 1000);
VACUUM ANALYZE docs;
SELECT * FROM choices();

-- a hundred thousand rows; and without GiST beside
DROP INDEX by_bitblock, by_gist, by_btree;
INSERT INTO docs SELECT * FROM shaped_fps('random', 99000);
CREATE INDEX by_bitblock ON docs USING bitblock (fp);
CREATE INDEX by_gist ON docs USING gist (fp);
CREATE INDEX by_btree ON docs USING btree (fp);
VACUUM ANALYZE docs;
SELECT * FROM choices();
DROP INDEX by_gist;
SELECT * FROM choices();

-- a million
DROP INDEX by_bitblock, by_btree;
INSERT INTO docs SELECT * FROM shaped_fps('random', 900000);
CREATE INDEX by_bitblock ON docs USING bitblock (fp);
CREATE INDEX by_btree ON docs USING btree (fp);
VACUUM ANALYZE docs;
SELECT * FROM choices();
CREATE INDEX by_gist ON docs USING gist (fp);
SELECT * FROM choices();
DROP TABLE docs;
DROP FUNCTION chosen, choices;
