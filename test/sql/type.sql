-- Text form
SELECT '0123456789abcdef'::simhash, '0xFEDCBA9876543210'::simhash, ' 0X00000000000000ff '::simhash;
SELECT '1000010010101101111111100000101011010001001111100001001011001011'::simhash AS a,
       '1000010010101101011111100000101011010001001111100001101010001011'::simhash AS b,
       '1000010010101101111111100000101011010001001111100001001011001011'::simhash
       <-> '1000010010101101011111100000101011010001001111100001101010001011' AS distance;
SELECT 'ffffffffffffffff'::simhash, '0000000000000000'::simhash;

-- Everything else is an error that names the accepted forms
SELECT ''::simhash;
SELECT '0123456789abcde'::simhash;
SELECT '0123456789abcdef0'::simhash;
SELECT '0x0123456789abcde'::simhash;
SELECT '0y0123456789abcdef'::simhash;
SELECT '0123456789abcdeg'::simhash;
SELECT '-123456789abcdef'::simhash;
SELECT '01234567 9abcdef'::simhash;
SELECT '100001001010110111111110000010101101000100111110000100101100101'::simhash;
SELECT '2000010010101101111111100000101011010001001111100001001011001011'::simhash;
\set VERBOSITY sqlstate
SELECT 'x'::simhash;
\set VERBOSITY default

-- Soft errors, where the server has them
DO $$
DECLARE answer text := '(t,f,t,f)';
BEGIN
  IF current_setting('server_version_num')::int >= 160000 THEN
    EXECUTE $q$ SELECT (pg_input_is_valid('0123456789abcdef', 'simhash'), pg_input_is_valid('x', 'simhash'),
      pg_input_is_valid('<0123456789abcdef,3>', 'simhash_ball'), pg_input_is_valid('<1,3>', 'simhash_ball')) $q$ INTO answer;
  END IF;
  RAISE NOTICE '%', answer;
END $$;

-- Storage: eight bytes, by value
SELECT typlen, typbyval, typalign FROM pg_type WHERE typname = 'simhash';

-- Binary format, through a file of COPY BINARY
SELECT simhash_send('0123456789abcdef');
CREATE TABLE type_source (id int, fp simhash, ball simhash_ball);
INSERT INTO type_source VALUES (1, '0123456789abcdef', '<0123456789abcdef,3>'), (2, 'ffffffffffffffff', '<ffffffffffffffff,64>'),
  (3, '0000000000000000', '<0000000000000000,-1>'), (4, NULL, NULL);
CREATE TABLE type_copy (LIKE type_source);
DO $$
DECLARE file text := current_setting('data_directory') || '/simhash_type_test.bin';
BEGIN
  EXECUTE format('COPY type_source TO %L (FORMAT binary)', file);
  EXECUTE format('COPY type_copy FROM %L (FORMAT binary)', file);
  EXECUTE format('COPY (SELECT) TO PROGRAM %L', 'cat >/dev/null; rm -f ' || quote_literal(file));
END $$;
SELECT * FROM type_copy ORDER BY id;
DROP TABLE type_source, type_copy;

-- Arrays, domains and composite types of it
SELECT '{0123456789abcdef,NULL,ffffffffffffffff}'::simhash[];
CREATE DOMAIN my_fp AS simhash CHECK (VALUE <> '0000000000000000');
SELECT '0123456789abcdef'::my_fp <-> 'fedcba9876543210' AS distance;
SELECT '0000000000000000'::my_fp;
DROP DOMAIN my_fp;
