-- Fingerprints of other programs, bit for bit.  interop.md says what these functions
-- are for, and which values they were compared with.  The functions are not part of the
-- extension: load the file with psql -f, or copy the functions that you need.

-- The md5 of a text as hash of a feature, and its low 64 bits
CREATE FUNCTION md5_bits(feature text) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ('x' || md5(feature))::bit(128) $$;

CREATE FUNCTION md5_low(feature text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ('x' || right(md5(feature), 16))::bit(64)::bigint $$;

-- Features of a text in Python's package "simhash" (1e0ng)
CREATE FUNCTION python_features(document text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(content, i, 4)
  FROM (SELECT regexp_replace(lower(document), '[^\w一-鿌]+', '', 'g') AS content) s,
       generate_series(1, greatest(length(content) - 3, 1)) i
$$;

-- Python's package "simhash", of a text, with f = 64, with f = 128, and with f = 256 and
-- hashfunc = sha256
CREATE FUNCTION python_simhash(document text) RETURNS simhash
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT simhash_agg(md5_low(f)) FROM python_features(document) f $$;

CREATE FUNCTION python_simhash_128(document text) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT simhash_bits(array_agg(md5_bits(f)))::bit(128) FROM python_features(document) f $$;

CREATE FUNCTION python_simhash_256(document text) RETURNS bit(256)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT simhash_bits(array_agg(bit_from_bytea(sha256(convert_to(f, 'UTF8')))))::bit(256)
  FROM python_features(document) f
$$;

-- memosstilvi/simhash: lower case, words separated by white space, commas and
-- semicolons, weighted by their frequency; 128 bits
CREATE FUNCTION memosstilvi_simhash(document text) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT simhash_bits(array_agg(md5_bits(term)))::bit(128)
  FROM regexp_split_to_table(regexp_replace(lower(document), '[,;]', ' ', 'g'), '\s+') term
  WHERE term <> ''
$$;

-- Hash of strings in Python 2 on 64 bits, with the multiplier 1000003
CREATE FUNCTION python2_hash(feature text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  x numeric := ascii(feature) * 128;
BEGIN
  FOR i IN 1 .. length(feature) LOOP
    x := ((x * 1000003 % 18446744073709551616)::simhash # ascii(substr(feature, i, 1))::bigint::simhash)::numeric;
  END LOOP;
  RETURN x::simhash::bigint # length(feature);
END $$;

-- The same on 128 bits
CREATE FUNCTION python2_hash_128(feature text) RETURNS bit(128)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  two64 CONSTANT numeric := 18446744073709551616;
  high numeric := 0;
  low numeric := ascii(feature) * 128;
BEGIN
  FOR i IN 1 .. length(feature) LOOP
    low := low * 1000003;
    high := (high * 1000003 + div(low, two64)) % two64;
    low := ((low % two64)::simhash # ascii(substr(feature, i, 1))::bigint::simhash)::numeric;
  END LOOP;
  RETURN high::simhash::bit(64) || (low::simhash # length(feature)::bigint::simhash)::bit(64);
END $$;

-- The old Python class with hashbits = 128: a bit is set if the sum is >= 0
CREATE FUNCTION python2_simhash_128(words text[]) RETURNS bit(128)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ~simhash_bits(array_agg(python2_hash_128(word)), array_agg(-1::float8))::bit(128)
  FROM unnest(words) word
$$;

-- Bob Jenkins' lookup3, hashlittle2 with seeds 0: the hash of yanyiwu/simhash
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

-- CRC-32C without the final inversion: the hash of ClickHouse's functions.  The case
-- insensitive functions set bit 5 of every byte first.
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
