/*-------------------------------------------------------------------------
 *
 * simhash.h
 *		Fingerprints and their balls as the C code sees them: the types "simhash" and
 *		"simhash_ball" of 64 bits, and "bit" and "bit_ball" of any number of bits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_H
#define SIMHASH_H

#include "postgres.h"

#include "core/near.h"
#include "fmgr.h"
#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"
#include "server/compat.h"

/* A fingerprint: 64 bits, bit 0 the least significant. */
typedef uint64 Simhash;

#define SIMHASH_BITS			64

#define DatumGetSimhash(d)		((Simhash) DatumGetUInt64(d))
#define SimhashGetDatum(f)		UInt64GetDatum(f)
#define PG_GETARG_SIMHASH(n)	DatumGetSimhash(PG_GETARG_DATUM(n))
#define PG_RETURN_SIMHASH(f)	return SimhashGetDatum(f)

/*
 * Every fingerprint within "radius" of "center".  The radius is kept within -1
 * (no fingerprint) and 64 (every fingerprint), which changes no answer.
 */
typedef struct SimhashBall
{
	Simhash		center;
	int32		radius;
	int32		unused;			/* always 0, so that equal balls are equal
								 * bytes */
} SimhashBall;

#define DatumGetSimhashBallP(d) ((SimhashBall *) DatumGetPointer(d))
#define PG_GETARG_SIMHASH_BALL_P(n) DatumGetSimhashBallP(PG_GETARG_DATUM(n))

#define RADIUS_NONE				(-1)
#define RADIUS_ALL				SIMHASH_BITS

/* Hamming distance, 0..64. */
static inline int32
hamming_distance(Simhash a, Simhash b)
{
	return (int32) pg_popcount64(a ^ b);
}

/* The radius of a ball for a bound of any integer type. */
static inline int32
radius_clamp(int64 bound)
{
	return (int32) Max(RADIUS_NONE, Min(bound, RADIUS_ALL));
}

/*
 * A bound on a distance, plus a small number.  The bound can be any integer.  A result below
 * -1 or above the largest int32 becomes that limit, which bounds the same distances.
 */
static inline int32
bound_plus(int64 bound, int32 added)
{
	bound = Max(RADIUS_NONE, Min(bound, PG_INT32_MAX));
	return (int32) Max(RADIUS_NONE, Min(bound + added, PG_INT32_MAX));
}

static inline bool
ball_contains(const SimhashBall *ball, Simhash f)
{
	return hamming_distance(ball->center, f) <= ball->radius;
}

/* A value of type "bit" or "bit varying".  The bits are not copied. */
typedef struct BitValue
{
	int32		nbits;
	const uint8 *bits;			/* as in VarBit */
} BitValue;

/*
 * The BitValue of a Datum.  The bits need not be aligned.  They are in the Datum, or in a
 * palloc'd copy if the Datum is compressed or out of line.
 */
static inline BitValue
DatumGetBitValue(Datum value)
{
	char	   *data = VARDATA_ANY(PG_DETOAST_DATUM_PACKED(value));
	BitValue	string;

	memcpy(&string.nbits, data, sizeof(string.nbits));
	string.bits = (const uint8 *) data + sizeof(string.nbits);
	return string;
}

#define PG_GETARG_BIT_VALUE(n)	DatumGetBitValue(PG_GETARG_DATUM(n))

/* Free the copy that DatumGetBitValue has made, if any.  A copy has a long header. */
static inline void
bit_value_free_copy(BitValue string, Datum value)
{
	char	   *data = (char *) string.bits - sizeof(string.nbits);

	if (data != VARDATA_ANY(DatumGetPointer(value)))
		pfree(data - VARHDRSZ);
}

static inline int32
bit_string_bytes(int32 nbits)
{
	return (int32) (((int64) nbits + BITS_PER_BYTE - 1) / BITS_PER_BYTE);
}

static inline int32
bit_string_words(int32 nbits)
{
	return (int32) (((int64) nbits + 63) / 64);
}

/*
 * Write a bit string to words of 64 bits.  The first bit is the most significant bit of the
 * first word.  Unused bits of the last word are zero.  "words" has room for
 * bit_string_words(string.nbits) words.
 */
static inline void
bit_value_words(BitValue string, uint64 *words)
{
	int32		nwords = bit_string_words(string.nbits);

	memset(words, 0, nwords * sizeof(uint64));
	memcpy(words, string.bits, bit_string_bytes(string.nbits));
	for (int32 i = 0; i < nwords; i++)
		words[i] = pg_ntoh64(words[i]);
}

/* Hamming distance of two bit strings of the same length. */
static inline int32
bit_string_distance(BitValue a, BitValue b)
{
	int32		nbytes = bit_string_bytes(a.nbits);
	int32		distance = 0;
	int32		i;

	for (i = 0; i + (int32) sizeof(uint64) <= nbytes; i += sizeof(uint64))
	{
		uint64		x;
		uint64		y;

		memcpy(&x, a.bits + i, sizeof(x));
		memcpy(&y, b.bits + i, sizeof(y));
		distance += pg_popcount64(x ^ y);
	}
	for (; i < nbytes; i++)
		distance += pg_number_of_ones[a.bits[i] ^ b.bits[i]];
	return distance;
}

/*
 * Every bit string within "radius" of a center of the same length.  The radius is kept
 * within -1 (no bit string) and that length (every bit string of the length).
 */
typedef struct BitBall
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int32		radius;
	int32		nbits;
	uint8		bits[FLEXIBLE_ARRAY_MEMBER];	/* as in VarBit */
} BitBall;

#define DatumGetBitBallP(d)		((BitBall *) PG_DETOAST_DATUM(d))
#define PG_GETARG_BIT_BALL_P(n)	DatumGetBitBallP(PG_GETARG_DATUM(n))

static inline BitValue
bit_ball_string(const BitBall *ball)
{
	BitValue	center = {ball->nbits, ball->bits};

	return center;
}

/* Does the ball contain a bit string?  It contains no bit string of another length. */
static inline bool
bit_ball_holds(const BitBall *ball, BitValue string)
{
	return string.nbits == ball->nbits &&
		bit_string_distance(bit_ball_string(ball), string) <= ball->radius;
}

/* bits.c */
extern Datum make_bit_string(const uint8 *bits, int32 nbits);
extern Datum make_bit_string_of_words(const uint64 *words, int32 nbits);
pg_noreturn extern void report_unlike_lengths(int32 a, int32 b);

#endif							/* SIMHASH_H */
