-- simhash_record_original: fingerprints of type bit

-- Bit strings: of a type with a length, of a domain over such a type, of varying length, generated
CREATE FUNCTION recorded_bits(type text, arguments text, k int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  originals int[] := '{}';
  original int;
  wrong int := 0;
  duplicates int := 0;
BEGIN
  EXECUTE format('CREATE TABLE images (id int PRIMARY KEY, hex text, b %s, duplicate_of int)', type);
  CREATE INDEX ON images USING bitblock (b) WITH (bits = 128) WHERE duplicate_of IS NULL;
  EXECUTE format('CREATE TRIGGER original BEFORE INSERT ON images FOR EACH ROW EXECUTE FUNCTION simhash_record_original(%s)', arguments);
  IF type ~ 'GENERATED' THEN
    INSERT INTO images (id, hex) SELECT id, fp || lpad((id % 3)::text, 16, '0') FROM shaped_fps('clusters', 300);
  ELSE
    INSERT INTO images (id, b) SELECT id, fp::bit(64) || (id % 3)::bit(64) FROM shaped_fps('clusters', 300);
  END IF;
  FOR r IN SELECT id, b, duplicate_of FROM images ORDER BY id LOOP
    SELECT min(i.id) INTO original FROM images i WHERE i.id = ANY (originals) AND length(replace((i.b # r.b)::text, '0', '')) <= k;
    IF original IS NULL THEN
      originals := originals || r.id;
    END IF;
    wrong := wrong + (original IS DISTINCT FROM r.duplicate_of)::int;
    duplicates := duplicates + (original IS NOT NULL)::int;
  END LOOP;
  DROP TABLE images;
  RETURN format('%s wrong, %s duplicates', wrong, duplicates);
END $$;
CREATE DOMAIN hash128 AS bit(128);
SELECT k, recorded_bits('bit(128)', format($$'b', 'duplicate_of', 'id', 'within=%s'$$, k), k) AS fixed,
       recorded_bits('bit varying', format($$'b', 'duplicate_of', 'id', 'within=%s', 'lock'$$, k), k) AS varying
FROM unnest(ARRAY[0, 3, 8, 70, 128]) k;
SELECT recorded_bits('bit(128)', $$'b', 'duplicate_of', 'id'$$, 10) AS fixed, recorded_bits('hash128', $$'b', 'duplicate_of', 'id'$$, 10) AS domain,
       recorded_bits('bit(128) GENERATED ALWAYS AS (bit_from_hex(hex)) STORED', $$'b', 'duplicate_of', 'id', 'within=5'$$, 5) AS generated;
SELECT recorded_bits('bit(128)', $$'b', 'duplicate_of', 'id', 'within=129'$$, 0);
SELECT recorded_bits('bit varying', $$'b', 'duplicate_of', 'id'$$, 0);
SELECT recorded_bits('bit varying', $$'b', 'duplicate_of', 'id', 'within=2147483648'$$, 0);
CREATE TABLE images (id int, b bit varying, duplicate_of int);
CREATE INDEX ON images USING bitblock (b) WITH (bits = 64);
CREATE TRIGGER original BEFORE INSERT ON images FOR EACH ROW EXECUTE FUNCTION simhash_record_original('b', 'duplicate_of', 'id', 'within=3');
INSERT INTO images VALUES (1, x'0123456789abcdef'), (2, NULL), (3, x'0123456789abcdee');
INSERT INTO images VALUES (4, x'01');
SELECT id, duplicate_of FROM images ORDER BY id;
DROP TABLE images;
DROP DOMAIN hash128;
DROP FUNCTION recorded_bits;
