-- Every way to write a query of bit strings shows an index condition, as for simhash (plan.sql,
-- plan_choice.sql).  Plans show "bits" for long bit strings.
CREATE FUNCTION bits_plan(query text) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT regexp_replace(line, '[01]{64,}', 'bits', 'g') FROM plan_of(replace(query, '?', quote_literal(random_bits(256, '5')))) line $$;
CREATE TABLE images (id int PRIMARY KEY, pdq bit(256));
INSERT INTO images SELECT i, random_bits(256, i::text) FROM generate_series(1, 5000) i;
CREATE INDEX images_pdq ON images USING bitblock (pdq);
VACUUM ANALYZE images;

-- Comparison operators
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? < 32');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? = 0');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? = 20');
SELECT bits_plan('SELECT id FROM images WHERE 20 = ? <-> pdq');
SELECT bits_plan('SELECT id FROM images WHERE 31 >= pdq <-> ?');
SELECT bits_plan('SELECT id FROM images WHERE 32 > pdq <-> ?');
SELECT bits_plan('SELECT id FROM images WHERE ? <-> pdq <= 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? BETWEEN 10 AND 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? >= 225');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? > 224');
SELECT bits_plan('SELECT id FROM images WHERE 225 <= ? <-> pdq');
SELECT bits_plan('SELECT id FROM images WHERE pdq <#~> ? <= 31');  -- the plain integer: no
SELECT bits_plan('SELECT id FROM images WHERE bit_distance(pdq, ?) <= 31');
SELECT bits_plan('SELECT id FROM images WHERE bit_within(pdq, ?, 31)');
SELECT bits_plan('SELECT id FROM images WHERE bit_within(?, pdq, 31)');
SELECT bits_plan('SELECT id FROM images WHERE pdq <@ bit_ball(?, 31)');
SELECT bits_plan('SELECT id FROM images WHERE bit_ball(?, 31) @> pdq');
SELECT bits_plan('SELECT id FROM images WHERE pdq % ?');
SELECT bits_plan('SELECT id FROM images WHERE ? % pdq');
SELECT bits_plan('SELECT id FROM images WHERE pdq % (?::bit varying) AND pdq <-> ? <= 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq % ANY (ARRAY[?, ~B?])');
SELECT bits_plan('SELECT id FROM images WHERE pdq % ? OR pdq <-> ~B? <= 20');
SELECT bits_plan('SELECT id FROM images WHERE pdq = ?');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= 40 AND pdq <-> ? <= 31 AND id > 7');
SELECT bits_plan('SELECT id FROM images WHERE pdq IS NULL');
-- forms of the literal
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> B? <= 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> (?::bit varying) <= 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> bit_from_hex(repeat(''0f'', 32)) <= 31');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> x''' || repeat('0f', 32) || ''' <= 31');

-- Types of the bound, and bounds above 64 and above the length
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= 31::smallint');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? < 32::bigint');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= ''31''');
SELECT bits_plan('SELECT id FROM images WHERE 31::bigint >= pdq <-> ?');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= 65');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= -5');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? < -9223372036854775808');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? > 9223372036854775807');

-- Prepared statements: custom and generic plans; parameters of every type
CREATE FUNCTION bits_prepared(types text, query text, args text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE mode text; line text;
BEGIN
  FOREACH mode IN ARRAY ARRAY['force_custom_plan', 'force_generic_plan'] LOOP
    PERFORM set_config('plan_cache_mode', mode, true);
    EXECUTE 'PREPARE stmt' || types || ' AS ' || query;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) EXECUTE stmt' || replace(args, '?', quote_literal(random_bits(256, '5'))) LOOP
      RETURN NEXT regexp_replace(line, '[01]{64,}', 'bits', 'g');
    END LOOP;
    DEALLOCATE stmt;
  END LOOP;
END $$;
SELECT bits_prepared('', 'SELECT id FROM images WHERE pdq <-> $1 <= $2', '(?, 31)');
SELECT bits_prepared('', 'SELECT id FROM images WHERE $2 > $1 <-> pdq', '(?, 32)');
SELECT bits_prepared('', 'SELECT id FROM images WHERE pdq <-> $1 = 0', '(?)');
SELECT bits_prepared('', 'SELECT id FROM images WHERE pdq <-> $1 = $2', '(?, 20)');
SELECT bits_prepared('', 'SELECT id FROM images WHERE pdq <-> $1 >= $2', '(?, 225)');
SELECT bits_prepared('', 'SELECT id FROM images WHERE pdq <-> $1 BETWEEN $2 AND $3', '(?, 10, 31)');
SELECT bits_prepared('(bit, smallint)', 'SELECT id FROM images WHERE pdq <-> $1 <= $2', '(?, 31)');
SELECT bits_prepared('(bit(256), integer)', 'SELECT id FROM images WHERE pdq <-> $1 <= $2', '(?, 31)');
SELECT bits_prepared('(bit varying, bigint)', 'SELECT id FROM images WHERE pdq <-> $1 <= $2', '(?, 31)');
SELECT bits_prepared('(bit, bigint)', 'SELECT id FROM images WHERE pdq <-> $1 > $2', '(?, 224)');
SELECT bits_prepared('', 'SELECT id FROM images WHERE pdq % $1', '(?)');
SELECT bits_prepared('(bit varying)', 'SELECT id FROM images WHERE $1 % pdq', '(?)');
SELECT bits_prepared('(bit[])', 'SELECT id FROM images WHERE pdq % ANY ($1)', '(ARRAY[B?])');
SELECT bits_prepared('(bit_ball)', 'SELECT id FROM images WHERE pdq <@ $1', '(bit_ball(?, 31))');
SELECT bits_prepared('', 'SELECT id FROM images ORDER BY pdq <-> $1 LIMIT 3', '(?)');
SELECT bits_prepared('(text)', 'SELECT id FROM images WHERE pdq <-> bit_from_hex($1) <= 31', '(repeat(''0f'', 32))');

-- Nearest neighbours, alone and with a bound
SELECT bits_plan('SELECT id FROM images ORDER BY pdq <-> ? LIMIT 10');
SELECT bits_plan('SELECT id FROM images ORDER BY ? <-> pdq LIMIT 10');
SELECT bits_plan('SELECT id FROM images ORDER BY pdq <#~> ? LIMIT 10');
SELECT bits_plan('SELECT id, pdq <-> ? AS distance FROM images WHERE pdq <-> ? <= 80 ORDER BY distance LIMIT 10');
SELECT bits_plan('SELECT id FROM images ORDER BY pdq <-> ~B? LIMIT 10');
SELECT bits_plan('SELECT id FROM images ORDER BY pdq <-> ? DESC LIMIT 10');
SELECT bits_plan('SELECT pdq FROM images WHERE pdq <-> ? <= 31');

-- Joins, on either side
CREATE TABLE incoming (id int, pdq bit(256), k int);
INSERT INTO incoming SELECT i, random_bits(256, i::text) # (repeat('0', 250)::bit varying || i::bit(6)), i % 6 FROM generate_series(1, 100) i;
ANALYZE incoming;
SELECT bits_plan('SELECT a.id, b.id FROM images a JOIN images b ON a.pdq <-> b.pdq <= 31 AND a.id < b.id');
SELECT bits_plan('SELECT a.id, b.id FROM images a JOIN images b ON b.pdq <-> a.pdq < 32 AND a.id < b.id');
SELECT bits_plan('SELECT a.id, b.id FROM images a JOIN images b ON a.pdq % b.pdq AND a.id < b.id');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i JOIN images d ON i.pdq % d.pdq');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i JOIN images d ON d.pdq % i.pdq');
SELECT bits_plan('SELECT id FROM incoming i WHERE NOT EXISTS (SELECT 1 FROM images d WHERE d.pdq % i.pdq)');
SELECT bits_plan('SELECT id FROM images WHERE pdq % (SELECT pdq FROM incoming WHERE id = 7)');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i JOIN images d ON d.pdq <-> i.pdq <= 31');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i JOIN images d ON i.pdq <-> d.pdq <= i.k');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i JOIN images d ON i.pdq <-> d.pdq >= 225');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i JOIN images d ON d.pdq <-> i.pdq > i.k + 220');
SELECT bits_plan('SELECT i.id, d.id FROM incoming i LEFT JOIN images d ON i.pdq <-> d.pdq <= 31');
SELECT bits_plan('SELECT i.id, n.* FROM incoming i, LATERAL (SELECT d.id, d.pdq <-> i.pdq AS distance FROM images d ORDER BY d.pdq <-> i.pdq LIMIT 1) n');
SELECT bits_plan('SELECT id FROM incoming i WHERE EXISTS (SELECT 1 FROM images d WHERE d.pdq <-> i.pdq <= 31)');
SELECT bits_plan('SELECT id FROM incoming i WHERE NOT EXISTS (SELECT 1 FROM images d WHERE d.pdq <-> i.pdq <= 31)');
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> (SELECT pdq FROM incoming WHERE id = 7) <= 31');
SELECT count(*) FROM incoming i JOIN images d ON i.pdq <-> d.pdq <= i.k;
SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
SELECT count(*) FROM incoming i JOIN images d ON i.pdq <-> d.pdq <= i.k;
RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_indexonlyscan;

-- UPDATE and DELETE, views, functions
SELECT bits_plan('UPDATE images SET id = id WHERE pdq <-> ? <= 31');
SELECT bits_plan('DELETE FROM images d USING incoming i WHERE d.pdq <-> i.pdq <= 31');
CREATE VIEW images_view AS SELECT id, pdq FROM images WHERE id > 0;
SELECT bits_plan('SELECT id FROM images_view WHERE pdq <-> ? <= 31');
SELECT bits_plan('WITH d AS (SELECT * FROM images) SELECT id FROM d WHERE pdq <-> ? <= 31');
CREATE FUNCTION near_images(q bit, k int) RETURNS SETOF int LANGUAGE sql STABLE AS $$ SELECT id FROM images WHERE pdq <-> q <= k $$;
SELECT bits_plan('SELECT * FROM near_images(?, 31)');
CREATE FUNCTION near_images_plpgsql(q bit, k bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM images WHERE pdq <-> q <= k);
END $$;
SELECT near_images_plpgsql(q, 0), near_images_plpgsql(q, 256), near_images_plpgsql(q, -1) FROM random_bits(256, '5') q;

-- Other columns: varying length, a domain, an expression, a partial index
CREATE DOMAIN hash256 AS bit(256);
CREATE TABLE columns AS SELECT id, pdq AS b, pdq::bit varying AS v, pdq::hash256 AS d, encode(bit_to_bytea(pdq), 'hex') AS hex FROM images;
CREATE INDEX ON columns USING bitblock (v) WITH (bits = 256);
CREATE INDEX ON columns USING bitblock (d);
CREATE INDEX ON columns USING bitblock (bit_from_hex(hex)) WITH (bits = 256);
CREATE INDEX partial ON columns USING bitblock (b) WHERE id > 10;
ANALYZE columns;
SELECT bits_plan('SELECT id FROM columns WHERE v <-> ? <= 31');
SELECT bits_plan('SELECT id FROM columns ORDER BY v <-> ? LIMIT 5');
SELECT bits_plan('SELECT id FROM columns WHERE v % ?');
SELECT bits_plan('SELECT id FROM columns WHERE d % ?');
SELECT bits_plan('SELECT id FROM columns WHERE bit_from_hex(hex) % ?');
SELECT bits_plan('SELECT c.id FROM incoming i JOIN columns c ON c.v % i.pdq');
SELECT bits_plan('SELECT id FROM columns WHERE d <-> ? <= 31');
SELECT bits_plan('SELECT id FROM columns ORDER BY d <-> ? LIMIT 5');
SELECT bits_plan('SELECT id FROM columns WHERE bit_from_hex(hex) <-> ? <= 31');
SELECT bits_plan('SELECT id FROM columns WHERE b <-> ? <= 31 AND id > 20');
SELECT bits_plan('SELECT c.id FROM incoming i JOIN columns c ON c.v <-> i.pdq <= 31');
DROP TABLE columns;

-- Partitions
CREATE TABLE parts (id int, pdq bit(256)) PARTITION BY RANGE (id);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (2500);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (2500) TO (6000);
INSERT INTO parts SELECT * FROM images;
CREATE INDEX ON parts USING bitblock (pdq);
ANALYZE parts;
SELECT bits_plan('SELECT id FROM parts WHERE pdq <-> ? <= 31');
SELECT bits_plan('SELECT id FROM parts WHERE pdq % ?');
SELECT bits_plan('SELECT id FROM parts ORDER BY pdq <-> ? LIMIT 5');
DROP TABLE parts;

-- Row-level security, as a user who is not the owner
CREATE ROLE bits_reader;
CREATE TABLE secured (id int, owner name, pdq bit(256));
INSERT INTO secured SELECT id, CASE WHEN id % 2 = 0 THEN 'bits_reader' ELSE 'other' END, pdq FROM images;
CREATE INDEX ON secured USING bitblock (pdq);
ANALYZE secured;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secured USING (owner = current_user);
GRANT SELECT ON secured, incoming TO bits_reader;
SET ROLE bits_reader;
SELECT bits_plan('SELECT id FROM secured WHERE pdq <-> ? <= 31');
SELECT bits_plan('SELECT id FROM secured WHERE pdq % ?');
SELECT bits_plan('SELECT id FROM secured WHERE pdq <-> ? >= 225');
SELECT bits_plan('SELECT id FROM secured WHERE pdq <-> ? = 5');
SELECT bits_prepared('(bit, bigint)', 'SELECT id FROM secured WHERE pdq <-> $1 < $2', '(?, 31)');
SELECT bits_plan('SELECT s.id FROM incoming i JOIN secured s ON i.pdq <-> s.pdq <= 31');
SELECT bits_plan('SELECT s.id FROM incoming i JOIN secured s ON i.pdq <-> s.pdq >= 225');
SELECT id FROM secured WHERE pdq <-> random_bits(256, '6') <= 0 OR pdq <-> random_bits(256, '7') <= 0;
RESET ROLE;
DROP TABLE secured;

-- Far bounds lead to a sequential scan
SELECT bits_plan('SELECT id FROM images WHERE pdq <-> ? <= 140');

-- The estimate does not depend on an index of GiST that cannot serve the condition
CREATE FUNCTION bits_cost(query text) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || replace(query, '?', quote_literal(random_bits(256, '7'))) INTO plan;
  RETURN plan #>> '{0,Plan,Total Cost}';
END $$;
SELECT bits_cost('SELECT id FROM images WHERE pdq <-> ? <= 60') AS within, bits_cost('SELECT id FROM images ORDER BY pdq <-> ?') AS nearest \gset
SELECT count(*) > 0 AS have_btree_gist FROM pg_available_extensions WHERE name = 'btree_gist' \gset
\if :have_btree_gist
CREATE EXTENSION btree_gist;
CREATE INDEX images_gist ON images USING gist (pdq);
\endif
SELECT bits_cost('SELECT id FROM images WHERE pdq <-> ? <= 60') >= :within AS within, bits_cost('SELECT id FROM images ORDER BY pdq <-> ?') >= :nearest AS nearest;
DROP FUNCTION bits_cost;
\if :have_btree_gist
DROP INDEX images_gist;
DROP EXTENSION btree_gist;
\endif

DROP OWNED BY bits_reader;
DROP ROLE bits_reader;
DROP TABLE images, incoming CASCADE;
DROP DOMAIN hash256;
DROP FUNCTION bits_plan, bits_prepared, near_images, near_images_plpgsql;
