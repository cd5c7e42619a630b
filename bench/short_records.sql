-- The table of records of bench/results/short.md: which pairs of records of one person are found. short.sh runs this
-- script after it has loaded the table texts (nr, body): the number of the person, and the columns.
\set ON_ERROR_STOP 1
\pset footer off
SET client_min_messages = warning;
SELECT set_config('short.only', :'only', false) \g /dev/null

CREATE FUNCTION record_bits(VARIADIC parts text[]) RETURNS bit LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT minhash_bits_agg(part_nr || feature, 256)
  FROM unnest(parts) WITH ORDINALITY p (part, part_nr), simhash_features(part, 'characters', n => 2) $$;
CREATE TABLE people AS
SELECT row_number() OVER () AS id, nr AS person, c[1] AS given, c[2] AS family, c[3] AS street, c[4] AS city, c[5] AS postcode, c[6] AS born,
       concat_ws(' ', VARIADIC c) AS line
FROM texts, string_to_array(body, '|') c;
ALTER TABLE people ADD of_line bit(256), ADD of_parts bit(256), ADD weighted bit(256);
UPDATE people SET of_line = minhash_bits(line, 256, 'characters', n => 2),
  of_parts = record_bits(given || ' ' || family, street, city || ' ' || postcode, born),
  weighted = record_bits(given || ' ' || family, left(street, 5) || city, born,
                         split_part(born, '-', 1), split_part(born, '-', 2), split_part(born, '-', 3));
VACUUM ANALYZE people;
CREATE TABLE found (method text, a bigint, b bigint);
CREATE TABLE times (method text, seconds numeric);
CREATE PROCEDURE find(method text, query text) LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
BEGIN
  IF method !~ current_setting('short.only') THEN RETURN; END IF;
  EXECUTE format('INSERT INTO found SELECT %L, a, b FROM (%s) q', method, query);
  INSERT INTO times VALUES (method, extract(epoch FROM clock_timestamp() - began));
END $$;
SELECT format('CALL find(%L, %L)', format('%s, within %s', name, k),
              format('SELECT a, b FROM simhash_pairs(''SELECT id, %I FROM people'', NULL::bigint, %s)', name, k))
FROM (VALUES ('of_line', 32), ('of_line', 48), ('of_parts', 32), ('of_parts', 48), ('weighted', 32), ('weighted', 48), ('weighted', 56)) v (name, k) \gexec
CALL find('soundex of both names', $$
  SELECT a.id AS a, b.id AS b FROM people a JOIN people b ON a.id < b.id AND a.given <> '' AND b.given <> ''
  AND soundex(a.family) = soundex(b.family) AND soundex(a.given) = soundex(b.given)$$);
CALL find('three blocks by soundex, postcode, birth', $$
  SELECT a.id AS a, b.id AS b FROM people a JOIN people b ON a.id < b.id AND a.given <> '' AND b.given <> ''
    AND soundex(a.family) = soundex(b.family) AND soundex(a.given) = soundex(b.given)
  UNION SELECT a.id, b.id FROM people a JOIN people b ON a.id < b.id AND a.postcode <> ''
    AND soundex(a.family) = soundex(b.family) AND a.postcode = b.postcode
  UNION SELECT a.id, b.id FROM people a JOIN people b ON a.id < b.id AND a.born <> ''
    AND a.born = b.born AND soundex(a.family) = soundex(b.family)$$);
-- pg_trgm: the first records only, because a join of all takes too long
CREATE INDEX ON people USING gin (line gin_trgm_ops);
SET pg_trgm.similarity_threshold = 0.6;
SET enable_seqscan = off;
CREATE TABLE sample AS SELECT id, person, line FROM people ORDER BY id LIMIT 2000;
CALL find('pg_trgm, GIN, similarity .6, 2000 records', $$
  SELECT a.id AS a, b.id AS b FROM sample a JOIN people b ON a.line % b.line AND a.id <> b.id$$);
RESET enable_seqscan;

-- Confirmed: like names, or the same date of birth
CREATE VIEW pairs AS
SELECT method, a.person = b.person AS same, a.born = b.born AND a.born <> ''
  OR simhash_resemblance(a.given || ' ' || a.family, b.given || ' ' || b.family, 'characters', 2) >= .6 AS confirmed
FROM found f JOIN people a ON a.id = f.a JOIN people b ON b.id = f.b;
\pset format unaligned
\pset fieldsep ' | '
\t on
SELECT format(E'\n## records: %s\n\n| method | pairs | recall | precision | confirmed: recall | precision | s |\n|---|---|---|---|---|---|---|', count(*)) FROM people;
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', p.method, count(*),
  round(count(*) FILTER (WHERE same) / total, 3), round(count(*) FILTER (WHERE same) / count(*)::numeric, 3),
  round(count(*) FILTER (WHERE same AND confirmed) / total, 3),
  round(count(*) FILTER (WHERE same AND confirmed) / nullif(count(*) FILTER (WHERE confirmed), 0)::numeric, 3), round(seconds, 1))
FROM pairs p JOIN times USING (method),
     LATERAL (SELECT CASE WHEN method ~ 'pg_trgm' THEN (SELECT count(*) FROM sample a JOIN people b USING (person) WHERE a.id <> b.id)
                     ELSE (SELECT count(*) FROM people a JOIN people b USING (person) WHERE a.id < b.id) END::numeric AS total) t
GROUP BY p.method, seconds, total ORDER BY min(p.method);
