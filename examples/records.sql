-- record_bits(parts): one fingerprint of several columns, to find persons, companies or addresses that were recorded
-- twice.  Each part has features of its own, so a city does not match a family name.  A part with more features has more
-- weight: this example uses only the first five letters of the street, and the date twice, as a whole and in parts, so
-- that people of one household, who share the rest, are not near.  The weights were chosen on persons made by rule after
-- the description of FEBRL's generator (bench/short_texts.pl); FEBRL's own files have not been measured.  Expect less
-- precision on other data.
--
-- The body of the function is not a string, so that a dump with the column can be restored.
\set ON_ERROR_STOP on

CREATE FUNCTION record_bits(VARIADIC parts text[]) RETURNS bit LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT minhash_bits_agg(part_nr || feature, 256)
  FROM unnest(parts) WITH ORDINALITY p (part, part_nr), simhash_features(part, 'characters', n => 2));

-- An absent value is ''.
CREATE TABLE people (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  given text NOT NULL, family text NOT NULL, street text NOT NULL, city text NOT NULL, born text NOT NULL,
  fp bit(256) GENERATED ALWAYS AS (record_bits(given || ' ' || family, left(street, 5) || city, born,
    split_part(born, '-', 1), split_part(born, '-', 2), split_part(born, '-', 3))) STORED);
CREATE INDEX ON people USING bitblock (fp);
INSERT INTO people (given, family, street, city, born) VALUES
  ('Maria', 'Galloway', 'Abbey Road 12', 'Galway', '1971-03-05'),
  ('Galloway', 'Marai', 'Abbey Rd. 12', 'Galway', '1971-03-05'),
  ('Tom', 'Galloway', 'Abbey Road 12', 'Galway', '1999-10-17');

-- All pairs
SELECT a.id, b.id, a.fp <-> b.fp AS distance FROM people a JOIN people b ON a.fp <-> b.fp <= 48 AND a.id < b.id;

-- Confirmed by an equal date of birth or by similar names
SELECT a.id, b.id FROM people a JOIN people b ON a.fp <-> b.fp <= 48 AND a.id < b.id
WHERE a.born = b.born
   OR simhash_resemblance(a.given || ' ' || a.family, b.given || ' ' || b.family, 'characters', 2) >= 0.6;
