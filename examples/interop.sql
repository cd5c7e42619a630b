-- Fingerprints of other programs, bit for bit.  migrating.md lists which function corresponds to which function of a
-- program.  These functions are exact but not fast, need the encoding UTF8, and are not part of the extension: load the
-- file with psql -f, or copy the functions that you need.
--
-- The tests compare them with values that the programs made (simhash of PyPI 2.1.2, memosstilvi/simhash by Python 2.7
-- and 3, the Java class, yanyiwu/simhash, seomoz/simhash-cpp, ClickHouse's regression test), and with the definition for
-- the wide values of PyPI's package and of the class in Python.  These differences remain:
--
-- - The empty document is NULL, except in the functions for PyPI, memosstilvi and ClickHouse.
-- - Sums of weights are exact, but most programs round them.  A bit can differ if rounding decides its sign.
-- - \w and lower() follow the locale of the database: C knows only ASCII, and Turkish locales turn I into ı.  A letter can
--   be newer than one of the programs.  For Python, a final sigma after a mark or an apostrophe stays σ.
--
-- In all these programs a feature has as many votes as it has occurrences, in simhash(body) and minhash_bits(body) one.
\set ON_ERROR_STOP on

-- The md5 of a text as hash of a feature, and its low 64 bits
CREATE FUNCTION md5_bits(feature text) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ('x' || md5(feature))::bit(128) $$;

CREATE FUNCTION md5_low(feature text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ('x' || right(md5(feature), 16))::bit(64)::bigint $$;

-- lower() of Python 3, with the final sigma and with two characters for the dotted capital I
CREATE FUNCTION python_lower(document text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower(replace(regexp_replace(document, '([[:upper:][:lower:]])Σ(?![[:upper:][:lower:]])', '\1ς', 'g'), 'İ', U&'i\0307'))
$$;

-- The characters of words in Python, in lower case.  Python's \w matches letters, the underscore and all numbers, also
-- ², ½ and ①, but neither combining marks nor letters in circles: हिन्दी becomes हनद.  PostgreSQL's \w differs in these.
-- The characters here are those of the basic plane in Unicode 14.
CREATE FUNCTION python_word_characters(document text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(
    python_lower(document),
    '[^\w一-鿌'
    '\u00B2-\u00B3\u00B9\u00BC-\u00BE\u09F4-\u09F9\u0B72-\u0B77\u0BF0-\u0BF2\u0C78-\u0C7E'
    '\u0D58-\u0D5E\u0D70-\u0D78\u0F2A-\u0F33\u1369-\u137C\u16EE-\u16F0\u17F0-\u17F9\u19DA\u2070'
    '\u2074-\u2079\u2080-\u2089\u2150-\u2182\u2185-\u2189\u2460-\u249B\u24EA-\u24FF\u2776-\u2793'
    '\u2CFD\u3007\u3021-\u3029\u3038-\u303A\u3192-\u3195\u3220-\u3229\u3248-\u324F\u3251-\u325F'
    '\u3280-\u3289\u32B1-\u32BF\uA6E6-\uA6EF\uA830-\uA835'
    ']+|['
    '\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A'
    '\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A'
    '\u07A6-\u07B0\u07EB-\u07F3\u07FD\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D'
    '\u0859-\u085B\u0898-\u089F\u08CA-\u08E1\u08E3-\u0903\u093A-\u093C\u093E-\u094F\u0951-\u0957'
    '\u0962-\u0963\u0981-\u0983\u09BC\u09BE-\u09CD\u09D7\u09E2-\u09E3\u09FE-\u0A03\u0A3C-\u0A51'
    '\u0A70-\u0A71\u0A75\u0A81-\u0A83\u0ABC\u0ABE-\u0ACD\u0AE2-\u0AE3\u0AFA-\u0B03\u0B3C'
    '\u0B3E-\u0B57\u0B62-\u0B63\u0B82\u0BBE-\u0BCD\u0BD7\u0C00-\u0C04\u0C3C\u0C3E-\u0C56'
    '\u0C62-\u0C63\u0C81-\u0C83\u0CBC\u0CBE-\u0CD6\u0CE2-\u0CE3\u0D00-\u0D03\u0D3B-\u0D3C'
    '\u0D3E-\u0D4D\u0D57\u0D62-\u0D63\u0D81-\u0D83\u0DCA-\u0DDF\u0DF2-\u0DF3\u0E31\u0E34-\u0E3A'
    '\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECD\u0F18-\u0F19\u0F35\u0F37\u0F39\u0F3E-\u0F3F'
    '\u0F71-\u0F84\u0F86-\u0F87\u0F8D-\u0FBC\u0FC6\u102B-\u103E\u1056-\u1059\u105E-\u1060'
    '\u1062-\u1064\u1067-\u106D\u1071-\u1074\u1082-\u108D\u108F\u109A-\u109D\u135D-\u135F'
    '\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17B4-\u17D3\u17DD\u180B-\u180D\u180F'
    '\u1885-\u1886\u18A9\u1920-\u193B\u1A17-\u1A1B\u1A55-\u1A7F\u1AB0-\u1B04\u1B34-\u1B44'
    '\u1B6B-\u1B73\u1B80-\u1B82\u1BA1-\u1BAD\u1BE6-\u1BF3\u1C24-\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE8'
    '\u1CED\u1CF4\u1CF7-\u1CF9\u1DC0-\u1DFF\u20D0-\u20F0\u24B6-\u24E9\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF'
    '\u302A-\u302F\u3099-\u309A\uA66F-\uA672\uA674-\uA67D\uA69E-\uA69F\uA6F0-\uA6F1\uA802\uA806'
    '\uA80B\uA823-\uA827\uA82C\uA880-\uA881\uA8B4-\uA8C5\uA8E0-\uA8F1\uA8FF\uA926-\uA92D'
    '\uA947-\uA953\uA980-\uA983\uA9B3-\uA9C0\uA9E5\uAA29-\uAA36\uAA43\uAA4C-\uAA4D\uAA7B-\uAA7D'
    '\uAAB0\uAAB2-\uAAB4\uAAB7-\uAAB8\uAABE-\uAABF\uAAC1\uAAEB-\uAAEF\uAAF5-\uAAF6\uABE3-\uABEA'
    '\uABEC-\uABED\uFB1E\uFE00-\uFE0F\uFE20-\uFE2F'
    ']+', '', 'g')
$$;

-- Features of a text in Python's package "simhash" (1e0ng): every 4 adjacent characters, so its fingerprints differ from
-- simhash(body)
CREATE FUNCTION python_features(document text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(content, i, 4)
  FROM python_word_characters(document) content,
       generate_series(1, greatest(length(content) - 3, 1)) i
$$;

-- Python's package "simhash", of a text, with f = 64, with f = 128, and with f = 256 and
-- hashfunc = sha256
CREATE FUNCTION python_simhash(document text) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT simhash_agg(md5_low(f)) FROM python_features(document) f $$;

CREATE FUNCTION python_simhash_128(document text) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT simhash_bits_from_features(array_agg(md5_bits(f)))::bit(128) FROM python_features(document) f $$;

CREATE FUNCTION python_simhash_256(document text) RETURNS bit(256)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT simhash_bits_from_features(array_agg(bit_from_bytea(sha256(convert_to(f, 'UTF8')))))::bit(256)
  FROM python_features(document) f
$$;

-- memosstilvi/simhash: words in lower case, separated by whitespace, commas and semicolons, weighted by their frequency;
-- 128 bits, all 0 without a word.  With fold_case => false the words keep their case.  With python2 => true the function
-- reads bytes, as the published program does in Python 2: only the letters and the whitespace of ASCII count, so ÉTÉ and
-- été are two words, and U+3000 does not separate words.  In Python 3 all whitespace of Unicode separates words, and
-- lower() folds all letters.
CREATE FUNCTION memosstilvi_simhash(document text, fold_case boolean DEFAULT true, python2 boolean DEFAULT false) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(simhash_bits_from_features(array_agg(md5_bits(term)))::bit(128), repeat('0', 128)::bit(128))
  FROM regexp_split_to_table(
    CASE WHEN NOT fold_case THEN document WHEN python2 THEN lower(document COLLATE "C") ELSE python_lower(document) END,
    CASE WHEN python2 THEN '[ \t-\r,;]+'
      ELSE '[ \t-\r\x1c-\x1f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000,;]+' END) term
  WHERE term <> ''
$$;

-- The class with hashbits in Java and Python, which many Chinese pages publish.  Its hash is that of strings in Python 2,
-- and a bit is set if its sum is >= 0.  Values of the class, among them the keys of its four maps, of which the last is
-- missing because the highest bit is 0:
--
--   SELECT fp::numeric AS "intSimHash", bit_to_hex(substring(wide FROM 257 - 96)) AS "hashbits = 96",
--          ARRAY(SELECT substring(str FROM i FOR 16)::bit(16)::integer
--                FROM generate_series(1, length(rtrim(str, '0')) - 16 + 1, 16) i) AS "subByDistance"
--   FROM (VALUES (string_to_array('🐘 elephant 大象 𠮷野家 👩‍👩‍👧 plain', ' '))) v (words),
--        LATERAL (SELECT (~ simhash_weighted_agg(python2_hash(word, utf16 => true), -1)::bit(64))::simhash
--                 FROM unnest(words) word) f (fp),
--        reverse(fp::bit(64)::text) str, python2_simhash_256(words, utf16 => true) wide;
--        intSimHash      |      hashbits = 96       |   subByDistance
--   ---------------------+--------------------------+--------------------
--    8781302354475014639 | 7150005079dd73f74fc8d9ef | {63387,5106,61390}
--
-- An n-gram of Java is (utf16_units(body))[i : i + 2].  Some copies of the class repeat the first character of a word
-- until it has three: hash rpad(word, 3, left(word, 1)).

-- The UTF-16 units of a text: the characters of Java, JavaScript and C#, and of Python 2 on Windows and macOS.  An emoji
-- has two.
CREATE FUNCTION utf16_units(feature text) RETURNS integer[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(unit ORDER BY i, half), '{}')
  FROM generate_series(1, length(feature)) i, ascii(substr(feature, i, 1)) c,
       LATERAL (SELECT 1, c WHERE c < 65536
                UNION ALL SELECT 1, 55296 + ((c - 65536) >> 10) WHERE c >= 65536
                UNION ALL SELECT 2, 56320 + (c & 1023) WHERE c >= 65536) units (half, unit)
$$;

-- Hash of strings in Python 2 with the multiplier 1000003, on 256 bits.  The last n bits are the
-- hash on n bits.  With utf16 => true the characters are UTF-16 units, as in Java and in narrow
-- builds of Python 2.
CREATE FUNCTION python2_hash_256(feature text, utf16 boolean DEFAULT false) RETURNS bit(256)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  two32 CONSTANT numeric := 4294967296;
  two256 CONSTANT numeric := 115792089237316195423570985008687907853269984665640564039457584007913129639936;
  units integer[] := CASE WHEN utf16 THEN utf16_units(feature)
    ELSE ARRAY(SELECT ascii(substr(feature, i, 1)) FROM generate_series(1, length(feature)) i) END;
  x numeric := coalesce(units[1], 0) * 128;
  low bigint;
  bits bit varying := '';
BEGIN
  -- The last number is that of the units
  FOR i IN 1 .. cardinality(units) + 1 LOOP
    IF i <= cardinality(units) THEN
      x := x * 1000003 % two256;
    END IF;
    low := x % two32;
    x := x - low + (low # coalesce(units[i], cardinality(units))::bigint);
  END LOOP;
  FOR i IN 1 .. 8 LOOP
    bits := (x % two32)::bigint::bit(32) || bits;
    x := div(x, two32);
  END LOOP;
  RETURN bits;
END $$;

-- The same on 64 bits
CREATE FUNCTION python2_hash(feature text, utf16 boolean DEFAULT false) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT substring(python2_hash_256(feature, utf16) FROM 193)::bit(64)::bigint $$;

-- The class of Java and Python with hashbits = 256: a bit is set if the sum is >= 0.  The last n bits are
-- the fingerprint with hashbits = n.
CREATE FUNCTION python2_simhash_256(words text[], utf16 boolean DEFAULT false) RETURNS bit(256)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ~simhash_bits_from_features(array_agg(python2_hash_256(word, utf16)), array_agg(-1::float8))::bit(256)
  FROM unnest(words) word
$$;

CREATE FUNCTION python2_simhash_128(words text[], utf16 boolean DEFAULT false) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT substring(python2_simhash_256(words, utf16) FROM 129)::bit(128) $$;

-- Bob Jenkins' lookup3, hashlittle2 with seeds 0: the hash of yanyiwu/simhash.  A fingerprint is equal only with the
-- keywords and weights of cppjieba, by the same dictionary and the same frequencies.  Texts with the same keywords have the
-- same fingerprint.
CREATE FUNCTION jenkins_hash(feature text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  mask CONSTANT bigint := 4294967295;
  bytes bytea := convert_to(feature, 'UTF8');
  n int := length(bytes);
  state bigint[];
  word bigint;
  at int := 0;
  -- Rounds of mix and final: the variable that changes (1 is a, 2 is b, 3 is c), the variable
  -- that changes it, the bits of the rotation, and in mix the variable that grows
  mix CONSTANT int[] := '{{1,3,4,2},{2,1,6,3},{3,2,8,1},{1,3,16,2},{2,1,19,3},{3,2,4,1}}';
  final CONSTANT int[] := '{{3,2,14},{1,3,11},{2,1,25},{3,2,16},{1,3,4},{2,1,14},{3,2,24}}';
  x int; y int; z int; bits int;
BEGIN
  state := array_fill((3735928559 + n) & mask, ARRAY[3]);
  IF n = 0 THEN
    RETURN state[3] << 32 | state[2];
  END IF;
  bytes := bytes || '\x000000000000000000000000'::bytea;
  LOOP
    FOR i IN 1 .. 3 LOOP
      word := 0;
      FOR k IN REVERSE 3 .. 0 LOOP
        word := word << 8 | get_byte(bytes, at + 4 * (i - 1) + k);
      END LOOP;
      state[i] := (state[i] + word) & mask;
    END LOOP;
    EXIT WHEN n - at <= 12;
    FOR i IN 1 .. 6 LOOP
      x := mix[i][1]; y := mix[i][2]; bits := mix[i][3]; z := mix[i][4];
      state[x] := ((state[x] - state[y]) & mask) # (((state[y] << bits) | (state[y] >> 32 - bits)) & mask);
      state[y] := (state[y] + state[z]) & mask;
    END LOOP;
    at := at + 12;
  END LOOP;
  FOR i IN 1 .. 7 LOOP
    x := final[i][1]; y := final[i][2]; bits := final[i][3];
    state[x] := ((state[x] # state[y]) - (((state[y] << bits) | (state[y] >> 32 - bits)) & mask)) & mask;
  END LOOP;
  RETURN state[3] << 32 | state[2];
END $$;

-- CRC-32C without the final inversion: the hash of ClickHouse's functions.  The case insensitive functions set bit 5 of
-- every byte first.  The hash has 32 bits.
CREATE FUNCTION clickhouse_hash(feature bytea, fold boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  crc bigint := 4294967295;
BEGIN
  FOR i IN 0 .. length(feature) - 1 LOOP
    crc := crc # (get_byte(feature, i) | fold::int * 32);
    FOR bit IN 1 .. 8 LOOP
      crc := crc >> 1 # (crc & 1) * 2197175160;
    END LOOP;
  END LOOP;
  RETURN crc;
END $$;

-- ClickHouse: ngramSimHash(s, n), n-grams of bytes; with fold ngramSimHashCaseInsensitive
CREATE FUNCTION clickhouse_ngram_simhash(document text, n int DEFAULT 3, fold boolean DEFAULT false) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN length(bytes) = 0 THEN 'ffffffffffffffff'::simhash
              WHEN length(bytes) < n THEN clickhouse_hash(bytes, fold)::simhash
              ELSE (SELECT simhash_agg(clickhouse_hash(substr(bytes, i, n), fold))
                    FROM generate_series(1, length(bytes) - n + 1) i)
         END
  FROM (SELECT convert_to(document, 'UTF8') AS bytes) s
$$;

-- ClickHouse: ngramSimHashUTF8(s, n), n-grams of characters without the first n-gram;
-- with fold ngramSimHashCaseInsensitiveUTF8
CREATE FUNCTION clickhouse_ngram_simhash_utf8(document text, n int DEFAULT 3, fold boolean DEFAULT false) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN document = '' THEN 'ffffffffffffffff'::simhash
              WHEN length(document) < n THEN clickhouse_hash(convert_to(document, 'UTF8'), fold)::simhash
              ELSE coalesce((SELECT simhash_agg(clickhouse_hash(convert_to(substr(document, i, n), 'UTF8'), fold))
                             FROM generate_series(2, length(document) - n + 1) i), '0000000000000000')
         END
$$;

-- ClickHouse: wordShingleSimHash(s, n) and its UTF8 variant, which are equal: shingles
-- of n adjacent words of at least 4 bytes; with fold the case insensitive variants
CREATE FUNCTION clickhouse_word_simhash(document text, n int DEFAULT 3, fold boolean DEFAULT false) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(simhash_agg(clickhouse_hash(convert_to(array_to_string(words[i : i + n - 1], ''), 'UTF8'), fold)),
                  '0000000000000000')
  FROM (SELECT array_agg(word[1] ORDER BY nr) AS words
        FROM regexp_matches(document, '[^\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', 'g') WITH ORDINALITY m(word, nr)
        WHERE octet_length(convert_to(word[1], 'UTF8')) >= 4) w,
       generate_series(1, greatest(cardinality(words) - n + 1, 1)) i
  WHERE words IS NOT NULL
$$;
