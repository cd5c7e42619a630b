/* sql/simhash--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION simhash" to load this file. \quit

-- Sections are marked:
--
--   Type      types, with their input and output
--   Internal  functions that only PostgreSQL calls; their comments begin with "internal:"
--   Public    everything that users call; doc/reference.md describes it
--
-- The extension is trusted.  So a superuser runs this script also for a user who has created
-- functions and operators in the schema.  PostgreSQL prefers them if their arguments fit a call better.
-- So the DO blocks call functions as pg_catalog.name, and give operators exactly the types of PostgreSQL's
-- own operators.
--
-- The internal functions come first, because CREATE CAST, OPERATOR, AGGREGATE and
-- FUNCTION ... SUPPORT need existing functions.  ALTER FUNCTION and ALTER OPERATOR could attach
-- the planner's functions at the end, but would repeat the names of all functions and operators
-- that use them.

----------------------------------------------------------------------------
-- Type simhash: a 64-bit fingerprint
----------------------------------------------------------------------------

CREATE TYPE simhash;

CREATE FUNCTION simhash_in(cstring) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_in(cstring) IS 'internal: input of simhash';

CREATE FUNCTION simhash_out(simhash) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_out(simhash) IS 'internal: output of simhash';

CREATE FUNCTION simhash_recv(internal) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_recv(internal) IS 'internal: binary input of simhash';

CREATE FUNCTION simhash_send(simhash) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_send(simhash) IS 'internal: binary output of simhash';

CREATE TYPE simhash (
  INPUT = simhash_in,
  OUTPUT = simhash_out,
  RECEIVE = simhash_recv,
  SEND = simhash_send,
  INTERNALLENGTH = 8,
  PASSEDBYVALUE,
  ALIGNMENT = double
);
COMMENT ON TYPE simhash IS 'fingerprint of 64 bits, compared by Hamming distance';

----------------------------------------------------------------------------
-- Type hamming: a Hamming distance
----------------------------------------------------------------------------

-- The result of <-> is an integer for clients.  As a separate type it has its own
-- comparisons, from which the planner derives index conditions.  The domain has no
-- constraint, because no distance needs one, and distributed databases handle domains
-- with constraints less well.
CREATE DOMAIN hamming AS integer;
COMMENT ON DOMAIN hamming IS 'Hamming distance';

----------------------------------------------------------------------------
-- Type simhash_ball: all fingerprints within a radius of a center
----------------------------------------------------------------------------

CREATE TYPE simhash_ball;

CREATE FUNCTION simhash_ball_in(cstring) RETURNS simhash_ball
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_in(cstring) IS 'internal: input of simhash_ball';

CREATE FUNCTION simhash_ball_out(simhash_ball) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_out(simhash_ball) IS 'internal: output of simhash_ball';

CREATE FUNCTION simhash_ball_recv(internal) RETURNS simhash_ball
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_recv(internal) IS 'internal: binary input of simhash_ball';

CREATE FUNCTION simhash_ball_send(simhash_ball) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_send(simhash_ball) IS 'internal: binary output of simhash_ball';

CREATE TYPE simhash_ball (
  INPUT = simhash_ball_in,
  OUTPUT = simhash_ball_out,
  RECEIVE = simhash_ball_recv,
  SEND = simhash_ball_send,
  INTERNALLENGTH = 16,
  ALIGNMENT = double
);
COMMENT ON TYPE simhash_ball IS 'all fingerprints within a radius of a center: <center,radius>';

----------------------------------------------------------------------------
-- Type bit_ball: all bit strings within a radius of a center
----------------------------------------------------------------------------

CREATE TYPE bit_ball;

CREATE FUNCTION bit_ball_in(cstring) RETURNS bit_ball
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_ball_in(cstring) IS 'internal: input of bit_ball';

CREATE FUNCTION bit_ball_out(bit_ball) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_ball_out(bit_ball) IS 'internal: output of bit_ball';

CREATE FUNCTION bit_ball_recv(internal) RETURNS bit_ball
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_ball_recv(internal) IS 'internal: binary input of bit_ball';

CREATE FUNCTION bit_ball_send(bit_ball) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_ball_send(bit_ball) IS 'internal: binary output of bit_ball';

CREATE TYPE bit_ball (
  INPUT = bit_ball_in,
  OUTPUT = bit_ball_out,
  RECEIVE = bit_ball_recv,
  SEND = bit_ball_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE bit_ball IS 'all bit strings within a radius of a center: <center,radius>';

----------------------------------------------------------------------------
-- Internal: planner support and selectivity
----------------------------------------------------------------------------

CREATE FUNCTION hamming_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming_support(internal) IS 'internal: planner support of distances, their comparisons, simhash_within and bit_within';

CREATE FUNCTION simhash_pairs_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_pairs_support(internal) IS 'internal: planner support of simhash_pairs';

CREATE FUNCTION simhash_text_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_text_support(internal) IS 'internal: planner support of fingerprints of texts: they have no collation';

CREATE FUNCTION hamming_sel(internal, oid, internal, integer) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming_sel(internal, oid, internal, integer) IS 'internal: restriction selectivity of %, <@, @> and &&';

CREATE FUNCTION hamming_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming_joinsel(internal, oid, internal, smallint, internal) IS 'internal: join selectivity of %, <@, @> and &&';

-- Plans call these functions.  hamming_bound turns a bound of any integer type into the third
-- argument of simhash_within or simhash_at_least.  The ball of all fingerprints at least k from a
-- fingerprint is an index condition.

CREATE FUNCTION hamming_bound(bound bigint, added integer) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION hamming_bound(bigint, integer) IS 'internal: bound plus a number, clamped to integers from -1 on';

CREATE FUNCTION simhash_at_least(simhash, simhash, integer) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
SUPPORT hamming_support;
COMMENT ON FUNCTION simhash_at_least(simhash, simhash, integer) IS 'internal: distance at least the third argument';

CREATE FUNCTION simhash_ball_at_least(simhash, integer) RETURNS simhash_ball
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball_at_least(simhash, integer) IS 'internal: ball of all fingerprints at a distance of at least the second argument';

CREATE FUNCTION bit_at_least(bit, bit, integer) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
SUPPORT hamming_support;
COMMENT ON FUNCTION bit_at_least(bit, bit, integer) IS 'internal: distance at least the third argument; NULL for unequal lengths';

CREATE FUNCTION bit_ball_at_least(bit, integer) RETURNS bit_ball
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION bit_ball_at_least(bit, integer) IS 'internal: ball of all bit strings at a distance of at least the second argument';

----------------------------------------------------------------------------
-- Internal: casts
----------------------------------------------------------------------------

CREATE FUNCTION simhash_from_integer(integer) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_integer(integer) IS 'internal: cast from integer: the bits of the number as bigint';

CREATE FUNCTION simhash_from_smallint(smallint) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_smallint(smallint) IS 'internal: cast from smallint: the bits of the number as bigint';

CREATE FUNCTION simhash_to_bit(simhash) RETURNS bit varying
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_bit(simhash) IS 'internal: cast to bit: the most significant bit first';

CREATE FUNCTION simhash_from_bit(bit varying) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_bit(bit varying) IS 'internal: cast from bit: 64 bits, the most significant first';

CREATE FUNCTION simhash_to_bytea(simhash) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_bytea(simhash) IS 'internal: cast to bytea: the most significant byte first';

CREATE FUNCTION simhash_from_bytea(bytea) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_bytea(bytea) IS 'internal: cast from bytea: 8 bytes, the most significant first';

CREATE FUNCTION simhash_to_numeric(simhash) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_numeric(simhash) IS 'internal: cast to numeric: the unsigned number';

CREATE FUNCTION simhash_from_numeric(numeric) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_numeric(numeric) IS 'internal: cast from numeric: an unsigned number';

CREATE FUNCTION simhash_parse(text) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_parse(text) IS 'internal: cast from text: 16 hexadecimal or 64 binary digits';

CREATE FUNCTION simhash_parse(character) RETURNS simhash
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_parse(character) IS 'internal: cast from character: 16 hexadecimal or 64 binary digits';

----------------------------------------------------------------------------
-- Internal: operators
----------------------------------------------------------------------------

CREATE FUNCTION simhash_eq(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_eq(simhash, simhash) IS 'internal: implementation of = operator';

CREATE FUNCTION simhash_ne(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ne(simhash, simhash) IS 'internal: implementation of <> operator';

CREATE FUNCTION simhash_lt(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_lt(simhash, simhash) IS 'internal: implementation of < operator';

CREATE FUNCTION simhash_le(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_le(simhash, simhash) IS 'internal: implementation of <= operator';

CREATE FUNCTION simhash_gt(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_gt(simhash, simhash) IS 'internal: implementation of > operator';

CREATE FUNCTION simhash_ge(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ge(simhash, simhash) IS 'internal: implementation of >= operator';

CREATE FUNCTION simhash_distance(simhash, simhash) RETURNS hamming
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
SUPPORT hamming_support;
COMMENT ON FUNCTION simhash_distance(simhash, simhash) IS 'internal: implementation of <-> operator';

CREATE FUNCTION simhash_distance_integer(simhash, simhash) RETURNS integer
AS 'MODULE_PATHNAME', 'simhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_distance_integer(simhash, simhash) IS 'internal: implementation of <~> operator';

CREATE FUNCTION simhash_near(simhash, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_near(simhash, simhash) IS 'internal: implementation of % operator';

CREATE FUNCTION simhash_ball_contained(simhash, simhash_ball) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball_contained(simhash, simhash_ball) IS 'internal: implementation of <@ operator';

CREATE FUNCTION simhash_ball_contains(simhash_ball, simhash) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball_contains(simhash_ball, simhash) IS 'internal: implementation of @> operator';

CREATE FUNCTION simhash_ball_overlaps(simhash_ball, simhash_ball) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball_overlaps(simhash_ball, simhash_ball) IS 'internal: implementation of && operator';

-- The distance of bit strings of different lengths is an error, so bit_distance and
-- bit_distance_integer are not leakproof.  The other functions return false for different lengths.

CREATE FUNCTION bit_distance(bit, bit) RETURNS hamming
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT hamming_support;
COMMENT ON FUNCTION bit_distance(bit, bit) IS 'internal: implementation of <-> operator';

CREATE FUNCTION bit_distance_integer(bit, bit) RETURNS integer
AS 'MODULE_PATHNAME', 'bit_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_distance_integer(bit, bit) IS 'internal: implementation of <#~> operator';

CREATE FUNCTION bit_near(bit, bit) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION bit_near(bit, bit) IS 'internal: implementation of % operator';

CREATE FUNCTION bit_ball_contained(bit, bit_ball) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION bit_ball_contained(bit, bit_ball) IS 'internal: implementation of <@ operator';

CREATE FUNCTION bit_ball_contains(bit_ball, bit) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION bit_ball_contains(bit_ball, bit) IS 'internal: implementation of @> operator';

CREATE FUNCTION bit_ball_overlaps(bit_ball, bit_ball) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION bit_ball_overlaps(bit_ball, bit_ball) IS 'internal: implementation of && operator';

----------------------------------------------------------------------------
-- Internal: order, hashing and aggregates
----------------------------------------------------------------------------

CREATE FUNCTION simhash_cmp(simhash, simhash) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_cmp(simhash, simhash) IS 'internal: btree comparison';

CREATE FUNCTION simhash_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_sortsupport(internal) IS 'internal: btree sort support';

CREATE FUNCTION simhash_hash(simhash) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_hash(simhash) IS 'internal: hash';

CREATE FUNCTION simhash_hash_extended(simhash, bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_hash_extended(simhash, bigint) IS 'internal: hash with a seed';

CREATE FUNCTION simhash_agg_text(internal, text) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_text(internal, text) IS 'internal: transition function of simhash_agg';

CREATE FUNCTION simhash_agg_text(internal, text, double precision) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_text(internal, text, double precision) IS 'internal: transition function of simhash_weighted_agg';

CREATE FUNCTION simhash_agg_bigint(internal, bigint) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_bigint(internal, bigint) IS 'internal: transition function of simhash_agg';

CREATE FUNCTION simhash_agg_bigint(internal, bigint, double precision) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_bigint(internal, bigint, double precision) IS 'internal: transition function of simhash_weighted_agg';

CREATE FUNCTION simhash_agg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'features_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_combine(internal, internal) IS 'internal: combine function of simhash_agg';

CREATE FUNCTION simhash_agg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'features_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_serialize(internal) IS 'internal: serialization function of simhash_agg';

CREATE FUNCTION simhash_agg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'features_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_deserialize(bytea, internal) IS 'internal: deserialization function of simhash_agg';

CREATE FUNCTION simhash_agg_final(internal) RETURNS simhash
AS 'MODULE_PATHNAME', 'features_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_agg_final(internal) IS 'internal: final function of simhash_agg';

CREATE FUNCTION minhash_agg_text(internal, text) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_text(internal, text) IS 'internal: transition function of minhash_agg';

CREATE FUNCTION minhash_agg_bigint(internal, bigint) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_bigint(internal, bigint) IS 'internal: transition function of minhash_agg';

CREATE FUNCTION minhash_agg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'features_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_combine(internal, internal) IS 'internal: combine function of minhash_agg';

CREATE FUNCTION minhash_agg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'features_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_serialize(internal) IS 'internal: serialization function of minhash_agg';

CREATE FUNCTION minhash_agg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'features_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_deserialize(bytea, internal) IS 'internal: deserialization function of minhash_agg';

CREATE FUNCTION minhash_agg_final(internal) RETURNS simhash
AS 'MODULE_PATHNAME', 'features_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_final(internal) IS 'internal: final function of minhash_agg';

-- Wide fingerprints have the other functions in common with these.

CREATE FUNCTION simhash_bits_agg_text(internal, text, integer) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_bits_agg_text(internal, text, integer) IS 'internal: transition function of simhash_bits_agg';

CREATE FUNCTION simhash_bits_agg_text(internal, text, double precision, integer) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_bits_agg_text(internal, text, double precision, integer) IS 'internal: transition function of simhash_bits_weighted_agg';

CREATE FUNCTION simhash_bits_agg_bigint(internal, bigint, integer) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_bits_agg_bigint(internal, bigint, integer) IS 'internal: transition function of simhash_bits_agg';

CREATE FUNCTION simhash_bits_agg_bigint(internal, bigint, double precision, integer) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_bits_agg_bigint(internal, bigint, double precision, integer) IS 'internal: transition function of simhash_bits_weighted_agg';

CREATE FUNCTION simhash_bits_agg_final(internal) RETURNS bit
AS 'MODULE_PATHNAME', 'features_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION simhash_bits_agg_final(internal) IS 'internal: final function of simhash_bits_agg';

CREATE FUNCTION minhash_bits_agg_text(internal, text, integer) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_bits_agg_text(internal, text, integer) IS 'internal: transition function of minhash_bits_agg';

CREATE FUNCTION minhash_bits_agg_bigint(internal, bigint, integer) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_bits_agg_bigint(internal, bigint, integer) IS 'internal: transition function of minhash_bits_agg';

CREATE FUNCTION minhash_bits_agg_final(internal) RETURNS bit
AS 'MODULE_PATHNAME', 'features_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_bits_agg_final(internal) IS 'internal: final function of minhash_bits_agg';

----------------------------------------------------------------------------
-- Internal: index methods
----------------------------------------------------------------------------

CREATE TYPE simhash_gist_key;

CREATE FUNCTION simhash_gist_key_in(cstring) RETURNS simhash_gist_key
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_key_in(cstring) IS 'internal: input of simhash_gist_key';

CREATE FUNCTION simhash_gist_key_out(simhash_gist_key) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_key_out(simhash_gist_key) IS 'internal: output of simhash_gist_key';

CREATE TYPE simhash_gist_key (
  INPUT = simhash_gist_key_in,
  OUTPUT = simhash_gist_key_out,
  INTERNALLENGTH = 16,
  ALIGNMENT = double
);
COMMENT ON TYPE simhash_gist_key IS 'internal: key of a GiST index over simhash';

CREATE FUNCTION simhash_gist_compress(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_compress(internal) IS 'internal: GiST compress, simhash';

CREATE FUNCTION simhash_ball_gist_compress(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_gist_compress(internal) IS 'internal: GiST compress, simhash_ball';

CREATE FUNCTION simhash_gist_consistent(internal, simhash, smallint, oid, internal) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_consistent(internal, simhash, smallint, oid, internal) IS 'internal: GiST consistent, simhash';

CREATE FUNCTION simhash_gist_consistent(internal, simhash_ball, smallint, oid, internal) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_consistent(internal, simhash_ball, smallint, oid, internal) IS 'internal: GiST consistent, simhash_ball';

CREATE FUNCTION simhash_gist_distance(internal, simhash, smallint, oid, internal) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_distance(internal, simhash, smallint, oid, internal) IS 'internal: GiST distance';

CREATE FUNCTION simhash_gist_union(internal, internal) RETURNS simhash_gist_key
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_union(internal, internal) IS 'internal: GiST union';

CREATE FUNCTION simhash_gist_same(simhash_gist_key, simhash_gist_key, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_same(simhash_gist_key, simhash_gist_key, internal) IS 'internal: GiST same';

CREATE FUNCTION simhash_gist_penalty(internal, internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_penalty(internal, internal, internal) IS 'internal: GiST penalty';

CREATE FUNCTION simhash_gist_picksplit(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_picksplit(internal, internal) IS 'internal: GiST picksplit';

CREATE FUNCTION simhash_gist_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gist_sortsupport(internal) IS 'internal: GiST sort support';

CREATE FUNCTION bitblock_handler(internal) RETURNS index_am_handler
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bitblock_handler(internal) IS 'internal: bitblock index access method handler';

----------------------------------------------------------------------------
-- Public: casts
----------------------------------------------------------------------------

-- A bigint has the same bits as the fingerprint.
CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;
CREATE CAST (integer AS simhash) WITH FUNCTION simhash_from_integer(integer);
CREATE CAST (smallint AS simhash) WITH FUNCTION simhash_from_smallint(smallint);

CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bit(simhash);
CREATE CAST (simhash AS bit varying) WITH FUNCTION simhash_to_bit(simhash);
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bit(bit varying);
CREATE CAST (bit varying AS simhash) WITH FUNCTION simhash_from_bit(bit varying);
CREATE CAST (simhash AS bytea) WITH FUNCTION simhash_to_bytea(simhash);
CREATE CAST (bytea AS simhash) WITH FUNCTION simhash_from_bytea(bytea);
CREATE CAST (simhash AS numeric) WITH FUNCTION simhash_to_numeric(simhash);
CREATE CAST (numeric AS simhash) WITH FUNCTION simhash_from_numeric(numeric);

-- These casts read the written form, as PostgreSQL's automatic I/O conversion casts do.
-- They exist because simhash is the name of a type and of a function.  PostgreSQL treats
-- simhash(value) as a cast if the only cast is an I/O conversion, and as a function call
-- if the cast has a function.  So simhash(varchar), and simhash() of a domain over text,
-- is the fingerprint of the text.
CREATE CAST (text AS simhash) WITH FUNCTION simhash_parse(text);
CREATE CAST (character varying AS simhash) WITH FUNCTION simhash_parse(text);
CREATE CAST (character AS simhash) WITH FUNCTION simhash_parse(character);

----------------------------------------------------------------------------
-- Public: order and equality, as unsigned numbers
----------------------------------------------------------------------------

CREATE OPERATOR = (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_eq,
  COMMUTATOR = =,
  NEGATOR = <>,
  RESTRICT = eqsel, JOIN = eqjoinsel,
  HASHES, MERGES
);
COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';

CREATE OPERATOR <> (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_ne,
  COMMUTATOR = <>,
  NEGATOR = =,
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';

CREATE OPERATOR < (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_lt,
  COMMUTATOR = >,
  NEGATOR = >=,
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (simhash, simhash) IS 'less than';

CREATE OPERATOR <= (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_le,
  COMMUTATOR = >=,
  NEGATOR = >,
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less than or equal';

CREATE OPERATOR > (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_gt,
  COMMUTATOR = <,
  NEGATOR = <=,
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater than';

CREATE OPERATOR >= (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_ge,
  COMMUTATOR = <=,
  NEGATOR = <,
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater than or equal';

CREATE OPERATOR CLASS simhash_btree_ops
DEFAULT FOR TYPE simhash USING btree AS
  OPERATOR 1 <,
  OPERATOR 2 <=,
  OPERATOR 3 =,
  OPERATOR 4 >=,
  OPERATOR 5 >,
  FUNCTION 1 simhash_cmp(simhash, simhash),
  FUNCTION 2 simhash_sortsupport(internal),
  FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS simhash_btree_ops USING btree IS 'order of the unsigned number';

CREATE OPERATOR CLASS simhash_hash_ops
DEFAULT FOR TYPE simhash USING hash AS
  OPERATOR 1 =,
  FUNCTION 1 simhash_hash(simhash),
  FUNCTION 2 simhash_hash_extended(simhash, bigint);
COMMENT ON OPERATOR CLASS simhash_hash_ops USING hash IS 'equality';

----------------------------------------------------------------------------
-- Public: bit strings as text and bytes
----------------------------------------------------------------------------

CREATE FUNCTION bit_from_hex(text) RETURNS bit
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT simhash_text_support;
COMMENT ON FUNCTION bit_from_hex(text) IS 'bit string of hexadecimal digits';

CREATE FUNCTION bit_to_hex(bit) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_to_hex(bit) IS 'hexadecimal digits of a bit string';

CREATE FUNCTION bit_from_bytea(bytea) RETURNS bit
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_from_bytea(bytea) IS 'bit string of bytes';

CREATE FUNCTION bit_to_bytea(bit) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_to_bytea(bit) IS 'bytes of a bit string';

----------------------------------------------------------------------------
-- Public: Hamming distance
----------------------------------------------------------------------------

CREATE FUNCTION simhash_within(simhash, simhash, integer) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
SUPPORT hamming_support;
COMMENT ON FUNCTION simhash_within(simhash, simhash, integer) IS 'distance at most the third argument';

CREATE OPERATOR <-> (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_distance,
  COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (simhash, simhash) IS 'Hamming distance';

CREATE OPERATOR <~> (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_distance_integer,
  COMMUTATOR = <~>
);
COMMENT ON OPERATOR <~> (simhash, simhash) IS 'Hamming distance as a plain integer';

CREATE OPERATOR % (
  LEFTARG = simhash, RIGHTARG = simhash,
  FUNCTION = simhash_near,
  COMMUTATOR = %,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR % (simhash, simhash) IS 'near: Hamming distance at most 5';

----------------------------------------------------------------------------
-- Public: Hamming distance of bit strings
----------------------------------------------------------------------------

-- PostgreSQL passes a bit varying to these functions as a bit.  The functions have names of their
-- own, because overloads of the functions of simhash would make calls with untyped arguments
-- ambiguous.

CREATE FUNCTION bit_within(bit, bit, integer) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
SUPPORT hamming_support;
COMMENT ON FUNCTION bit_within(bit, bit, integer) IS 'distance at most the third argument; NULL for unequal lengths';

CREATE OPERATOR <-> (
  LEFTARG = bit, RIGHTARG = bit,
  FUNCTION = bit_distance,
  COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (bit, bit) IS 'Hamming distance';

-- <~> (bit, bit) is an operator of pgvector.
CREATE OPERATOR <#~> (
  LEFTARG = bit, RIGHTARG = bit,
  FUNCTION = bit_distance_integer,
  COMMUTATOR = <#~>
);
COMMENT ON OPERATOR <#~> (bit, bit) IS 'Hamming distance as a plain integer';

CREATE OPERATOR % (
  LEFTARG = bit, RIGHTARG = bit,
  FUNCTION = bit_near,
  COMMUTATOR = %,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR % (bit, bit) IS 'near: Hamming distance at most 5/64 of the bits; false for unequal lengths';

----------------------------------------------------------------------------
-- Public: comparisons of a distance
----------------------------------------------------------------------------

-- The operator family tells PostgreSQL what the operators mean in comparisons of rows such
-- as (fp <-> q, id) < (d, i).  There is no operator class, because indexes, sorts and joins
-- use the operator classes of integers.
CREATE OPERATOR FAMILY hamming_ops USING btree;

-- Five operators for seven pairs of types.  Their functions are PostgreSQL's own comparisons of
-- integers, with a support function that turns a comparison into simhash_within or back into
-- PostgreSQL's own operator.  Every operator has a commutator, and every operator except = has a
-- negator.
DO $$
DECLARE
  types record;
  op record;
BEGIN
  FOR types IN
    SELECT * FROM (VALUES
      ('hamming', 'hamming', '4'),
      ('hamming', 'integer', '4'),
      ('hamming', 'smallint', '42'),
      ('hamming', 'bigint', '48'),
      ('integer', 'hamming', '4'),
      ('smallint', 'hamming', '24'),
      ('bigint', 'hamming', '84')
    ) v (a, b, digits)
  LOOP
    EXECUTE pg_catalog.format('ALTER OPERATOR FAMILY hamming_ops USING btree ADD FUNCTION 1 (%s, %s) pg_catalog.btint%scmp(%s, %s)',
                              types.a, types.b, types.digits, pg_catalog.replace(types.a, 'hamming', 'integer'), pg_catalog.replace(types.b, 'hamming', 'integer'));
    FOR op IN
      SELECT * FROM (VALUES
        (1, '<', 'lt', '>', '>=', 'scalarlt', 'less than'),
        (2, '<=', 'le', '>=', '>', 'scalarle', 'less than or equal'),
        (3, '=', 'eq', '=', NULL, 'eq', 'equal'),
        (4, '>=', 'ge', '<=', '<', 'scalarge', 'greater than or equal'),
        (5, '>', 'gt', '<', '<=', 'scalargt', 'greater than')
      ) v (strategy, name, letters, commutator, negator, estimator, description)
    LOOP
      EXECUTE pg_catalog.format('CREATE FUNCTION hamming_%s(%s, %s) RETURNS boolean AS %L
                                 LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_support',
                                op.letters, types.a, types.b, 'int' || types.digits || op.letters);
      EXECUTE pg_catalog.format('COMMENT ON FUNCTION hamming_%s(%s, %s) IS %L',
                                op.letters, types.a, types.b, 'internal: implementation of ' || op.name || ' operator');
      EXECUTE pg_catalog.format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hamming_%s,
                                 COMMUTATOR = %s, %s RESTRICT = %ssel, JOIN = %sjoinsel)',
                                op.name, types.a, types.b, op.letters,
                                op.commutator, 'NEGATOR = ' || op.negator || ',', op.estimator, op.estimator);
      EXECUTE pg_catalog.format('COMMENT ON OPERATOR %s (%s, %s) IS %L', op.name, types.a, types.b, op.description);
      EXECUTE pg_catalog.format('ALTER OPERATOR FAMILY hamming_ops USING btree ADD OPERATOR %s %s (%s, %s)',
                                op.strategy, op.name, types.a, types.b);
    END LOOP;
  END LOOP;
END
$$;

----------------------------------------------------------------------------
-- Public: balls
----------------------------------------------------------------------------

CREATE FUNCTION simhash_ball(simhash, integer) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash, integer) IS 'ball of a center and a radius, which is clamped to -1..64';

CREATE OPERATOR <@ (
  LEFTARG = simhash, RIGHTARG = simhash_ball,
  FUNCTION = simhash_ball_contained,
  COMMUTATOR = @>,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR <@ (simhash, simhash_ball) IS 'is contained by';

CREATE OPERATOR @> (
  LEFTARG = simhash_ball, RIGHTARG = simhash,
  FUNCTION = simhash_ball_contains,
  COMMUTATOR = <@,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR @> (simhash_ball, simhash) IS 'contains';

CREATE OPERATOR && (
  LEFTARG = simhash_ball, RIGHTARG = simhash_ball,
  FUNCTION = simhash_ball_overlaps,
  COMMUTATOR = &&,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR && (simhash_ball, simhash_ball) IS 'each contains the other''s center';

CREATE FUNCTION bit_ball(bit, integer) RETURNS bit_ball
AS 'MODULE_PATHNAME', 'bit_ball_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION bit_ball(bit, integer) IS 'ball of a center and a radius, which is clamped to -1..length';

CREATE OPERATOR <@ (
  LEFTARG = bit, RIGHTARG = bit_ball,
  FUNCTION = bit_ball_contained,
  COMMUTATOR = @>,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR <@ (bit, bit_ball) IS 'is contained by';

CREATE OPERATOR @> (
  LEFTARG = bit_ball, RIGHTARG = bit,
  FUNCTION = bit_ball_contains,
  COMMUTATOR = <@,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR @> (bit_ball, bit) IS 'contains';

CREATE OPERATOR && (
  LEFTARG = bit_ball, RIGHTARG = bit_ball,
  FUNCTION = bit_ball_overlaps,
  COMMUTATOR = &&,
  RESTRICT = hamming_sel, JOIN = hamming_joinsel
);
COMMENT ON OPERATOR && (bit_ball, bit_ball) IS 'each contains the other''s center';

----------------------------------------------------------------------------
-- Public: keys for equi-joins
----------------------------------------------------------------------------

CREATE FUNCTION simhash_blocks(simhash, distance integer) RETURNS bigint[]
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_blocks(simhash, integer) IS 'keys of a fingerprint; two fingerprints within the distance have at least one common key';

CREATE FUNCTION bit_blocks(bit, distance integer) RETURNS bigint[]
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_blocks(bit, integer) IS 'keys of a bit string; two bit strings of equal length within the distance have at least one common key';

----------------------------------------------------------------------------
-- Public: fingerprint of a text
----------------------------------------------------------------------------

-- COST: a text of 2 kB takes about the time of this many integer operators.
CREATE FUNCTION simhash(text) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash(text) IS 'fingerprint of a text: distinct words and pairs of adjacent words; NULL if the text has no word';

-- Without this function simhash('...') with an untyped literal would be a cast to the
-- type simhash.  An exact match of the argument's type makes it a function call.
CREATE FUNCTION simhash(unknown) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_unknown' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION simhash(unknown) IS 'fingerprint of a text given as an untyped literal';

-- No type has the name to_simhash, so an untyped parameter is a text.
CREATE FUNCTION to_simhash(text) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION to_simhash(text) IS 'the same as simhash(text), also for an untyped parameter';

-- No type has the name minhash, so an untyped literal is a text.
CREATE FUNCTION minhash(text) RETURNS simhash
AS 'MODULE_PATHNAME', 'minhash_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION minhash(text) IS 'min-wise fingerprint of a text: distinct words and pairs of adjacent words; NULL if the text has no word';

-- The same with options.  These functions are not strict, because NULL stands for an
-- option's default.

CREATE FUNCTION simhash(
  document text,
  features text,
  n integer DEFAULT NULL,
  weight text DEFAULT 'once',
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash(text, text, integer, text, boolean, boolean) IS 'fingerprint of a text with options';

CREATE FUNCTION minhash(
  document text,
  features text,
  n integer DEFAULT NULL,
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS simhash
AS 'MODULE_PATHNAME', 'minhash_from_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION minhash(text, text, integer, boolean, boolean) IS 'min-wise fingerprint of a text with options';

----------------------------------------------------------------------------
-- Public: features of a fingerprint
----------------------------------------------------------------------------

CREATE FUNCTION simhash_features(
  document text,
  features text DEFAULT 'words and pairs',
  n integer DEFAULT NULL,
  weight text DEFAULT 'once',
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS TABLE (feature text, weight double precision, hash bigint)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 1000
ROWS 500;
COMMENT ON FUNCTION simhash_features(text, text, integer, text, boolean, boolean) IS 'features of a text, their weights and hashes';

-- This function is STABLE, because the words of a dictionary depend on the version of ICU.
-- No other function reads a dictionary.  So the functions that make a fingerprint of the
-- returned features are IMMUTABLE.
CREATE FUNCTION simhash_features_by_dictionary(
  document text,
  features text DEFAULT 'words and pairs',
  n integer DEFAULT NULL,
  weight text DEFAULT 'once',
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS TABLE (feature text, weight double precision, hash bigint)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE
COST 10000
ROWS 500;
COMMENT ON FUNCTION simhash_features_by_dictionary(text, text, integer, text, boolean, boolean) IS 'features of a text, their weights and hashes, words by dictionary';

CREATE FUNCTION simhash_resemblance(
  a text,
  b text,
  features text DEFAULT 'words and pairs',
  n integer DEFAULT NULL,
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION simhash_resemblance(text, text, text, integer, boolean, boolean) IS 'exact Jaccard resemblance of the sets of features of two texts';

CREATE FUNCTION simhash_explain(
  a text,
  b text,
  features text DEFAULT 'words and pairs',
  n integer DEFAULT NULL,
  weight text DEFAULT 'once',
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS TABLE (bit_number integer, differs boolean, sum_a double precision, sum_b double precision)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 1000
ROWS 64;
COMMENT ON FUNCTION simhash_explain(text, text, text, integer, text, boolean, boolean) IS 'the vote on each bit of the fingerprints of two texts';

----------------------------------------------------------------------------
-- Public: passages that texts have in common
----------------------------------------------------------------------------

-- These functions are strict, so that the plan of a query is simple to foresee.  COST: as
-- for the fingerprints, a text of 2 kB takes about the time of this many integer operators.

CREATE FUNCTION simhash_passage_keys(
  document text,
  words integer DEFAULT 30,
  n integer DEFAULT 8,
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_passage_keys_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash_passage_keys(text, integer, integer, boolean, boolean) IS 'keys of a text: two texts with this many adjacent words in common share a key';

CREATE FUNCTION simhash_passages(
  a text,
  b text,
  words integer DEFAULT 20,
  gap integer DEFAULT 15,
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS TABLE (a_start integer, a_length integer, b_start integer, b_length integer, words integer)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 10000
ROWS 2;
COMMENT ON FUNCTION simhash_passages(text, text, integer, integer, boolean, boolean) IS 'passages that two texts have in common, and their positions in characters';

CREATE FUNCTION simhash_containment(
  a text,
  b text,
  n integer DEFAULT 8,
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION simhash_containment(text, text, integer, boolean, boolean) IS 'share of the words of a that belong to n adjacent words also found in b';

----------------------------------------------------------------------------
-- Public: what changes from one text to another
----------------------------------------------------------------------------

CREATE FUNCTION simhash_first_change(a text, b text, numbers boolean DEFAULT true) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION simhash_first_change(text, text, boolean) IS 'how much more often the first differing words occur in their own text than in the other; at most 1 for a revision';

CREATE FUNCTION simhash_same_document(a text, b text, numbers boolean DEFAULT true) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION simhash_same_document(text, text, boolean) IS 'whether two near texts are versions of the same document; with numbers, a replaced number makes a different document';

CREATE FUNCTION simhash_changes(a text, b text, fold boolean DEFAULT true)
RETURNS TABLE (change integer, a_start integer, a_length integer, b_start integer, b_length integer, a_text text, b_text text, kind text, times integer)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000
ROWS 5;
COMMENT ON FUNCTION simhash_changes(text, text, boolean) IS 'differences between two texts other than whitespace and case, in order; no rows for a copy';

CREATE FUNCTION simhash_copy_key(text) RETURNS uuid
AS 'MODULE_PATHNAME', 'simhash_copy_key_of_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 200;
COMMENT ON FUNCTION simhash_copy_key(text) IS 'key of a text; two texts have the same key if and only if they are copies; NULL without visible characters';

----------------------------------------------------------------------------
-- Public: fingerprint of given features
----------------------------------------------------------------------------

-- A feature is a string, whose bytes in UTF-8 are hashed, or a bigint, which is a hash
-- already.

CREATE FUNCTION simhash_from_features(text[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash_from_features(text[]) IS 'fingerprint of features: every element votes; NULL if there is none';

CREATE FUNCTION simhash_from_features(text[], double precision[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash_from_features(text[], double precision[]) IS 'fingerprint of features and their weights';

CREATE FUNCTION simhash_from_features(bigint[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION simhash_from_features(bigint[]) IS 'fingerprint of hashed features: every element votes; NULL if there is none';

CREATE FUNCTION simhash_from_features(bigint[], double precision[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION simhash_from_features(bigint[], double precision[]) IS 'fingerprint of hashed features and their weights';

CREATE FUNCTION minhash_from_features(text[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'minhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION minhash_from_features(text[]) IS 'min-wise fingerprint of a set of features; NULL if there is none';

CREATE FUNCTION minhash_from_features(bigint[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'minhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION minhash_from_features(bigint[]) IS 'min-wise fingerprint of a set of hashed features; NULL if there is none';

CREATE AGGREGATE simhash_agg(text) (
  SFUNC = simhash_agg_text, STYPE = internal, SSPACE = 512,
  FINALFUNC = simhash_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_agg(text) IS 'fingerprint of features';

CREATE AGGREGATE simhash_weighted_agg(text, double precision) (
  SFUNC = simhash_agg_text, STYPE = internal, SSPACE = 2048,
  FINALFUNC = simhash_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_weighted_agg(text, double precision) IS 'fingerprint of features and their weights';

CREATE AGGREGATE simhash_agg(bigint) (
  SFUNC = simhash_agg_bigint, STYPE = internal, SSPACE = 512,
  FINALFUNC = simhash_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_agg(bigint) IS 'fingerprint of hashed features';

CREATE AGGREGATE simhash_weighted_agg(bigint, double precision) (
  SFUNC = simhash_agg_bigint, STYPE = internal, SSPACE = 2048,
  FINALFUNC = simhash_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_weighted_agg(bigint, double precision) IS 'fingerprint of hashed features and their weights';

CREATE AGGREGATE minhash_agg(text) (
  SFUNC = minhash_agg_text, STYPE = internal, SSPACE = 512,
  FINALFUNC = minhash_agg_final,
  COMBINEFUNC = minhash_agg_combine,
  SERIALFUNC = minhash_agg_serialize, DESERIALFUNC = minhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(text) IS 'min-wise fingerprint of a set of features';

CREATE AGGREGATE minhash_agg(bigint) (
  SFUNC = minhash_agg_bigint, STYPE = internal, SSPACE = 512,
  FINALFUNC = minhash_agg_final,
  COMBINEFUNC = minhash_agg_combine,
  SERIALFUNC = minhash_agg_serialize, DESERIALFUNC = minhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(bigint) IS 'min-wise fingerprint of a set of hashed features';

----------------------------------------------------------------------------
-- Public: wide fingerprints
----------------------------------------------------------------------------

-- The functions above with a number of bits, a multiple of 64.  "bits" stands behind the
-- text, or the features and their weights, and before the options.  COST: that of 256 bits.

-- Not strict: NULL stands for the default of an option.  The fingerprint of NULL, or of NULL bits,
-- is NULL, as in the strict functions below.

CREATE FUNCTION minhash_bits(
  document text,
  bits integer DEFAULT 256,
  features text DEFAULT 'words and pairs',
  n integer DEFAULT NULL,
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS bit
AS 'MODULE_PATHNAME', 'minhash_bits_from_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 2000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION minhash_bits(text, integer, text, integer, boolean, boolean) IS 'min-wise fingerprint of a text: distinct words and pairs of adjacent words; NULL if the text has no word';

CREATE FUNCTION simhash_bits(
  document text,
  bits integer DEFAULT 256,
  features text DEFAULT 'words and pairs',
  n integer DEFAULT NULL,
  weight text DEFAULT 'once',
  fold boolean DEFAULT true,
  normalization boolean DEFAULT true
) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 2000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash_bits(text, integer, text, integer, text, boolean, boolean) IS 'fingerprint of a text: distinct words and pairs of adjacent words; NULL if the text has no word';

CREATE FUNCTION minhash_bits_from_features(text[], bits integer DEFAULT 256) RETURNS bit
AS 'MODULE_PATHNAME', 'minhash_bits_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION minhash_bits_from_features(text[], integer) IS 'min-wise fingerprint of a set of features; NULL if there is none';

CREATE FUNCTION minhash_bits_from_features(bigint[], bits integer DEFAULT 256) RETURNS bit
AS 'MODULE_PATHNAME', 'minhash_bits_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION minhash_bits_from_features(bigint[], integer) IS 'min-wise fingerprint of a set of hashed features; NULL if there is none';

CREATE FUNCTION minhash_bits_from_signature(signature bigint[]) RETURNS bit
AS 'MODULE_PATHNAME', 'minhash_bits_from_signature_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 10;
COMMENT ON FUNCTION minhash_bits_from_signature(bigint[]) IS 'fingerprint of a MinHash signature: the lowest bit of each value; NULL if all values are equal';

CREATE FUNCTION minhash_bits_from_signature(signature bytea, value_bytes integer, byte_order text DEFAULT 'little') RETURNS bit
AS 'MODULE_PATHNAME', 'minhash_bits_from_signature_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 10;
COMMENT ON FUNCTION minhash_bits_from_signature(bytea, integer, text) IS 'fingerprint of a MinHash signature, whose values have 4 or 8 bytes: the lowest bit of each value; NULL if all values are equal';

CREATE FUNCTION simhash_bits_from_features(text[], bits integer DEFAULT 256) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash_bits_from_features(text[], integer) IS 'fingerprint of features: every element votes; NULL if there is none';

CREATE FUNCTION simhash_bits_from_features(text[], weights double precision[], bits integer DEFAULT 256) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000 SUPPORT simhash_text_support;
COMMENT ON FUNCTION simhash_bits_from_features(text[], double precision[], integer) IS 'fingerprint of features and their weights';

CREATE FUNCTION simhash_bits_from_features(bigint[], bits integer DEFAULT 256) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION simhash_bits_from_features(bigint[], integer) IS 'fingerprint of hashed features: every element votes; NULL if there is none';

CREATE FUNCTION simhash_bits_from_features(bigint[], weights double precision[], bits integer DEFAULT 256) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION simhash_bits_from_features(bigint[], double precision[], integer) IS 'fingerprint of hashed features and their weights';

-- The number of bits is that of the hashes.

CREATE FUNCTION simhash_bits_from_features(bit[]) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_bit_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION simhash_bits_from_features(bit[]) IS 'vote of hashes of any number of bits: every element votes; NULL if there is none';

CREATE FUNCTION simhash_bits_from_features(bit[], weights double precision[]) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_bits_from_bit_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION simhash_bits_from_features(bit[], double precision[]) IS 'vote of hashes of any number of bits and their weights';

CREATE AGGREGATE minhash_bits_agg(text, integer) (
  SFUNC = minhash_bits_agg_text, STYPE = internal, SSPACE = 2048,
  FINALFUNC = minhash_bits_agg_final,
  COMBINEFUNC = minhash_agg_combine,
  SERIALFUNC = minhash_agg_serialize, DESERIALFUNC = minhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_bits_agg(text, integer) IS 'min-wise fingerprint of a set of features';

CREATE AGGREGATE minhash_bits_agg(bigint, integer) (
  SFUNC = minhash_bits_agg_bigint, STYPE = internal, SSPACE = 2048,
  FINALFUNC = minhash_bits_agg_final,
  COMBINEFUNC = minhash_agg_combine,
  SERIALFUNC = minhash_agg_serialize, DESERIALFUNC = minhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_bits_agg(bigint, integer) IS 'min-wise fingerprint of a set of hashed features';

CREATE AGGREGATE simhash_bits_agg(text, integer) (
  SFUNC = simhash_bits_agg_text, STYPE = internal, SSPACE = 2048,
  FINALFUNC = simhash_bits_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_bits_agg(text, integer) IS 'fingerprint of features';

CREATE AGGREGATE simhash_bits_weighted_agg(text, double precision, integer) (
  SFUNC = simhash_bits_agg_text, STYPE = internal, SSPACE = 8192,
  FINALFUNC = simhash_bits_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_bits_weighted_agg(text, double precision, integer) IS 'fingerprint of features and their weights';

CREATE AGGREGATE simhash_bits_agg(bigint, integer) (
  SFUNC = simhash_bits_agg_bigint, STYPE = internal, SSPACE = 2048,
  FINALFUNC = simhash_bits_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_bits_agg(bigint, integer) IS 'fingerprint of hashed features';

CREATE AGGREGATE simhash_bits_weighted_agg(bigint, double precision, integer) (
  SFUNC = simhash_bits_agg_bigint, STYPE = internal, SSPACE = 8192,
  FINALFUNC = simhash_bits_agg_final,
  COMBINEFUNC = simhash_agg_combine,
  SERIALFUNC = simhash_agg_serialize, DESERIALFUNC = simhash_agg_deserialize,
  PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_bits_weighted_agg(bigint, double precision, integer) IS 'fingerprint of hashed features and their weights';

-- Not strict: without weights every feature has the weight 1.

CREATE FUNCTION simhash_explain(
  bit[],
  weights double precision[] DEFAULT NULL
) RETURNS TABLE (bit_number integer, is_set boolean, sum double precision)
AS 'MODULE_PATHNAME', 'simhash_explain_bits' LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 1000
ROWS 128;
COMMENT ON FUNCTION simhash_explain(bit[], double precision[]) IS 'the vote of hashes of any number of bits on each bit of their fingerprint';

----------------------------------------------------------------------------
-- Public: choosing a bound
----------------------------------------------------------------------------

CREATE FUNCTION minhash_resemblance(simhash, simhash) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION minhash_resemblance(simhash, simhash) IS 'estimate of the resemblance of two texts from their min-wise fingerprints: 1 - 2 * distance / 64';

CREATE FUNCTION minhash_resemblance(bit, bit) RETURNS double precision
AS 'MODULE_PATHNAME', 'minhash_bits_resemblance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_resemblance(bit, bit) IS 'estimate of the resemblance of two texts from their min-wise fingerprints: 1 - 2 * distance / length; an error for unequal lengths';

CREATE FUNCTION minhash_bound(
  resemblance double precision,
  bits integer,
  recall double precision DEFAULT 0.95
) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION minhash_bound(double precision, integer, double precision) IS 'smallest distance between min-wise fingerprints that includes a given share of the pairs with a given resemblance';

-- COST: the estimate for all pairs of some 1,000 fingerprints.
CREATE FUNCTION simhash_calibrate(
  fps simhash[]
) RETURNS TABLE (distance integer, pairs bigint, expected double precision, pairs_within bigint, expected_within double precision)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 500000
ROWS 65;
COMMENT ON FUNCTION simhash_calibrate(simhash[]) IS 'number of pairs of fingerprints at each distance, and the number expected for random fingerprints';

CREATE FUNCTION bit_calibrate(
  fps bit[]
) RETURNS TABLE (distance integer, pairs bigint, expected double precision, pairs_within bigint, expected_within double precision)
AS 'MODULE_PATHNAME', 'simhash_calibrate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000000
ROWS 257;
COMMENT ON FUNCTION bit_calibrate(bit[]) IS 'number of pairs of bit strings at each distance, and the number expected for random bit strings';

----------------------------------------------------------------------------
-- Public: operator classes for GiST
----------------------------------------------------------------------------

CREATE OPERATOR CLASS simhash_gist_ops
DEFAULT FOR TYPE simhash USING gist AS
  OPERATOR 3 %,
  OPERATOR 8 <@ (simhash, simhash_ball),
  OPERATOR 15 <~> (simhash, simhash) FOR ORDER BY integer_ops,
  OPERATOR 18 =,
  FUNCTION 1 simhash_gist_consistent(internal, simhash, smallint, oid, internal),
  FUNCTION 2 simhash_gist_union(internal, internal),
  FUNCTION 3 simhash_gist_compress(internal),
  FUNCTION 5 simhash_gist_penalty(internal, internal, internal),
  FUNCTION 6 simhash_gist_picksplit(internal, internal),
  FUNCTION 7 simhash_gist_same(simhash_gist_key, simhash_gist_key, internal),
  FUNCTION 8 simhash_gist_distance(internal, simhash, smallint, oid, internal),
  FUNCTION 11 simhash_gist_sortsupport(internal),
  STORAGE simhash_gist_key;
COMMENT ON OPERATOR CLASS simhash_gist_ops USING gist IS 'within a distance, nearest neighbours, equality';

CREATE OPERATOR CLASS simhash_ball_gist_ops
DEFAULT FOR TYPE simhash_ball USING gist AS
  OPERATOR 31 &&,
  FUNCTION 1 simhash_gist_consistent(internal, simhash_ball, smallint, oid, internal),
  FUNCTION 2 simhash_gist_union(internal, internal),
  FUNCTION 3 simhash_ball_gist_compress(internal),
  FUNCTION 5 simhash_gist_penalty(internal, internal, internal),
  FUNCTION 6 simhash_gist_picksplit(internal, internal),
  FUNCTION 7 simhash_gist_same(simhash_gist_key, simhash_gist_key, internal),
  FUNCTION 11 simhash_gist_sortsupport(internal),
  STORAGE simhash_gist_key;
COMMENT ON OPERATOR CLASS simhash_ball_gist_ops USING gist IS 'exclusion of centers within a radius';

-- WITHOUT OVERLAPS of PostgreSQL 18 asks which operator is =.
DO $$
BEGIN
  IF pg_catalog.current_setting('server_version_num')::int >= 180000 THEN
    EXECUTE 'ALTER OPERATOR FAMILY simhash_gist_ops USING gist
      ADD FUNCTION 12 ("any", "any") pg_catalog.gist_translate_cmptype_common(integer)';
  END IF;
END
$$;

----------------------------------------------------------------------------
-- Public: index access method bitblock
----------------------------------------------------------------------------

CREATE ACCESS METHOD bitblock TYPE INDEX HANDLER bitblock_handler;
COMMENT ON ACCESS METHOD bitblock IS 'bitblock index access method: fingerprints within a distance';

CREATE OPERATOR CLASS simhash_bitblock_ops
DEFAULT FOR TYPE simhash USING bitblock AS
  OPERATOR 3 %,
  OPERATOR 8 <@ (simhash, simhash_ball),
  OPERATOR 15 <~> (simhash, simhash) FOR ORDER BY integer_ops,
  OPERATOR 18 =;
COMMENT ON OPERATOR CLASS simhash_bitblock_ops USING bitblock IS 'within a distance, nearest neighbours, equality';

CREATE OPERATOR CLASS simhash_ball_bitblock_ops
DEFAULT FOR TYPE simhash_ball USING bitblock AS
  OPERATOR 31 &&,
  STORAGE simhash;
COMMENT ON OPERATOR CLASS simhash_ball_bitblock_ops USING bitblock IS 'exclusion of centers within a radius';

CREATE OPERATOR CLASS bit_bitblock_ops
DEFAULT FOR TYPE bit USING bitblock AS
  OPERATOR 3 %,
  OPERATOR 8 <@ (bit, bit_ball),
  OPERATOR 15 <#~> (bit, bit) FOR ORDER BY integer_ops,
  OPERATOR 18 =;
COMMENT ON OPERATOR CLASS bit_bitblock_ops USING bitblock IS 'within a distance, nearest neighbours, equality';

-- The operators of bit serve bit varying, too.  A class of its own makes ALTER TABLE ... ALTER COLUMN ...
-- TYPE build the index again, which asks for a length.
CREATE OPERATOR CLASS varbit_bitblock_ops
DEFAULT FOR TYPE varbit USING bitblock FAMILY bit_bitblock_ops AS
  STORAGE varbit;
COMMENT ON OPERATOR CLASS varbit_bitblock_ops USING bitblock IS 'within a distance, nearest neighbours, equality';

CREATE OPERATOR CLASS bit_ball_bitblock_ops
DEFAULT FOR TYPE bit_ball USING bitblock AS
  OPERATOR 31 &&,
  STORAGE bit;
COMMENT ON OPERATOR CLASS bit_ball_bitblock_ops USING bitblock IS 'exclusion of centers within a radius';

-- Operator classes for the columns before the fingerprint, as in USING bitblock (tenant, fp).  They
-- have the equality operators and the hash functions of PostgreSQL's hash indexes.  Their families
-- have the operators between two of the types, too: bigint = integer.
DO $$
DECLARE
  types CONSTANT oid[] := CAST(ARRAY[
    'boolean', '"char"', 'smallint', 'integer', 'bigint', 'oid', 'numeric', 'text', 'bpchar',
    'bytea', 'uuid', 'date', 'time', 'timestamp', 'timestamptz', 'inet', 'anyenum'] AS regtype[]);
  class record;
  op record;
BEGIN
  FOR class IN
    SELECT pg_catalog.replace(c.opcname::text, '_ops', '_bitblock_ops') AS name, c.opcintype::regtype AS type,
           pg_catalog.replace(f.opfname::text, '_ops', '_bitblock_ops') AS family, p.amproc::regprocedure AS hash,
           row_number() OVER (PARTITION BY f.oid ORDER BY c.opcname) = 1 AS is_first
    FROM pg_opclass c
    JOIN pg_am a ON a.oid = c.opcmethod AND a.amname = 'hash'
    JOIN pg_opfamily f ON f.oid = c.opcfamily
    JOIN pg_amproc p ON p.amprocfamily = f.oid AND p.amproclefttype = c.opcintype AND p.amprocnum = 1
    WHERE c.opcdefault AND c.opcnamespace = 'pg_catalog'::regnamespace::oid AND c.opcintype = ANY (types)
    ORDER BY f.opfname, c.opcname
  LOOP
    IF class.is_first THEN
      EXECUTE pg_catalog.format('CREATE OPERATOR FAMILY %I USING bitblock', class.family);
    END IF;
    EXECUTE pg_catalog.format('CREATE OPERATOR CLASS %I DEFAULT FOR TYPE %s USING bitblock FAMILY %I AS
                                 OPERATOR 18 pg_catalog.= (%s, %s), FUNCTION 1 %s',
                              class.name, class.type, class.family, class.type, class.type, class.hash);
    EXECUTE pg_catalog.format('COMMENT ON OPERATOR CLASS %I USING bitblock IS %L',
                              class.name, 'equality of a column before the fingerprint');
  END LOOP;
  FOR op IN
    SELECT pg_catalog.replace(f.opfname::text, '_ops', '_bitblock_ops') AS family,
           o.amoplefttype::regtype AS lefttype, o.amoprighttype::regtype AS righttype
    FROM pg_opfamily f
    JOIN pg_am a ON a.oid = f.opfmethod AND a.amname = 'hash'
    JOIN pg_amop o ON o.amopfamily = f.oid
    WHERE f.opfnamespace = 'pg_catalog'::regnamespace::oid AND o.amoplefttype <> o.amoprighttype
      AND o.amoplefttype = ANY (types) AND o.amoprighttype = ANY (types)
    ORDER BY 1, 2, 3
  LOOP
    EXECUTE pg_catalog.format('ALTER OPERATOR FAMILY %I USING bitblock ADD OPERATOR 18 pg_catalog.= (%s, %s)',
                              op.family, op.lefttype, op.righttype);
  END LOOP;
END
$$;

-- With heapallindexed it calls the functions of the index's expressions, which may be unsafe.
CREATE FUNCTION bitblock_check(index regclass, heapallindexed boolean DEFAULT false) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION bitblock_check(regclass, boolean) IS 'raise an error if a bitblock index is corrupted';
REVOKE ALL ON FUNCTION bitblock_check(regclass, boolean) FROM PUBLIC;

CREATE FUNCTION bitblock_stats(index regclass, OUT tree integer, OUT height integer, OUT inner_pages bigint, OUT leaf_pages bigint, OUT entries bigint, OUT fill double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 5;
COMMENT ON FUNCTION bitblock_stats(regclass) IS 'size of the trees of a bitblock index';
REVOKE ALL ON FUNCTION bitblock_stats(regclass) FROM PUBLIC;

CREATE FUNCTION bitblock_explain(index regclass, fingerprint anyelement, distance integer DEFAULT NULL, OUT pass integer, OUT tree integer, OUT radius integer, OUT block_values integer, OUT leaves bigint, OUT cached bigint, OUT candidates bigint, OUT looked_up bigint, OUT matches bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 5;
COMMENT ON FUNCTION bitblock_explain(regclass, anyelement, integer) IS 'what a search of a bitblock index reads';
REVOKE ALL ON FUNCTION bitblock_explain(regclass, anyelement, integer) FROM PUBLIC;

----------------------------------------------------------------------------
-- Public: pairs and groups of documents
----------------------------------------------------------------------------

-- The functions that run a query are STABLE, because the query sees the data that the caller
-- sees.  They are PARALLEL UNSAFE, because the query could fail in a parallel worker.
--
-- No function is strict: NULL stands for the default distance, which depends on the number of bits,
-- for the default method, and for a value of the ids' type.
--
-- ROWS is the estimate for 100,000 documents.

CREATE FUNCTION simhash_pairs(query text, distance integer DEFAULT NULL)
RETURNS TABLE (a bigint, b bigint, distance integer)
AS 'MODULE_PATHNAME', 'simhash_pairs_of_documents' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 25000 SUPPORT simhash_pairs_support;
COMMENT ON FUNCTION simhash_pairs(text, integer) IS 'all pairs of documents within a distance, among those that a query returns';

CREATE FUNCTION simhash_pairs(query text, id_type anyelement, distance integer DEFAULT NULL)
RETURNS TABLE (a anyelement, b anyelement, distance integer)
AS 'MODULE_PATHNAME', 'simhash_pairs_of_documents' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 25000 SUPPORT simhash_pairs_support;
COMMENT ON FUNCTION simhash_pairs(text, anyelement, integer) IS 'all pairs of documents within a distance, among those that a query returns';

CREATE FUNCTION simhash_clusters(query text, distance integer DEFAULT NULL, method text DEFAULT 'components')
RETURNS TABLE (id bigint, cluster bigint, size bigint)
AS 'MODULE_PATHNAME', 'simhash_clusters_of_documents' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 100000;
COMMENT ON FUNCTION simhash_clusters(text, integer, text) IS 'groups of documents within a distance, among those that a query returns';

CREATE FUNCTION simhash_clusters(query text, id_type anyelement, distance integer DEFAULT NULL, method text DEFAULT 'components')
RETURNS TABLE (id anyelement, cluster anyelement, size bigint)
AS 'MODULE_PATHNAME', 'simhash_clusters_of_documents' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 100000;
COMMENT ON FUNCTION simhash_clusters(text, anyelement, integer, text) IS 'groups of documents within a distance, among those that a query returns';

CREATE FUNCTION simhash_components(query text)
RETURNS TABLE (id bigint, component bigint)
AS 'MODULE_PATHNAME', 'simhash_components_of_query' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 100000;
COMMENT ON FUNCTION simhash_components(text) IS 'connected components of the edges that a query returns';

CREATE FUNCTION simhash_components(query text, id_type anyelement)
RETURNS TABLE (id anyelement, component anyelement)
AS 'MODULE_PATHNAME', 'simhash_components_of_query' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 100000;
COMMENT ON FUNCTION simhash_components(text, anyelement) IS 'connected components of the edges that a query returns';

CREATE FUNCTION simhash_stars(edges text, keep text DEFAULT NULL)
RETURNS TABLE (id bigint, keeper bigint)
AS 'MODULE_PATHNAME', 'simhash_stars_of_query' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 100000;
COMMENT ON FUNCTION simhash_stars(text, text) IS 'stars of the edges that a query returns';

CREATE FUNCTION simhash_stars(edges text, id_type anyelement, keep text DEFAULT NULL)
RETURNS TABLE (id anyelement, keeper anyelement)
AS 'MODULE_PATHNAME', 'simhash_stars_of_query' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 100000;
COMMENT ON FUNCTION simhash_stars(text, anyelement, text) IS 'stars of the edges that a query returns';

CREATE FUNCTION simhash_duplicates(query text, keep text DEFAULT NULL, numbers boolean DEFAULT true, within integer DEFAULT NULL, new text DEFAULT NULL)
RETURNS TABLE (id bigint, original bigint, kind text, distance integer)
AS 'MODULE_PATHNAME', 'simhash_duplicates_of_query' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 25000;
COMMENT ON FUNCTION simhash_duplicates(text, text, boolean, integer, text) IS 'documents that are copies or edited versions of others, among those that a query returns';

CREATE FUNCTION simhash_duplicates(query text, id_type anyelement, keep text DEFAULT NULL, numbers boolean DEFAULT true, within integer DEFAULT NULL, new text DEFAULT NULL)
RETURNS TABLE (id anyelement, original anyelement, kind text, distance integer)
AS 'MODULE_PATHNAME', 'simhash_duplicates_of_query' LANGUAGE C STABLE PARALLEL UNSAFE
COST 1000000 ROWS 25000;
COMMENT ON FUNCTION simhash_duplicates(text, anyelement, text, boolean, integer, text) IS 'documents that are copies or edited versions of others, among those that a query returns';

----------------------------------------------------------------------------
-- Public: result lists without near-duplicates
----------------------------------------------------------------------------

-- Window functions see the rows one by one.  They are not strict: NULL is always first, and NULL
-- stands for the default distance.  COST: the comparison with some 1,000 fingerprints.

CREATE FUNCTION simhash_is_first(fp simhash, distance integer DEFAULT NULL) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW
COST 50;
COMMENT ON FUNCTION simhash_is_first(simhash, integer) IS 'window function: true unless an earlier row for which it is true is within the distance';

CREATE FUNCTION bit_is_first(fp bit, distance integer DEFAULT NULL) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW
COST 200;
COMMENT ON FUNCTION bit_is_first(bit, integer) IS 'window function: true unless an earlier row for which it is true is within the distance';

----------------------------------------------------------------------------
-- Public: recording the original
----------------------------------------------------------------------------

CREATE FUNCTION simhash_record_original() RETURNS trigger
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION simhash_record_original() IS 'trigger: record the original of a new row';
