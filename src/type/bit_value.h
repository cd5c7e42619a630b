/*-------------------------------------------------------------------------
 *
 * bit_value.h
 *		Fingerprints of any number of bits and their balls as the C code sees them: the types
 *		"bit" or "bit varying", and "bit_ball".
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_BIT_VALUE_H
#define SIMHASH_BIT_VALUE_H

#include "simhash.h"
#include "utils/varbit.h"

/* A value of type "bit" or "bit varying".  The bits are not copied. */
typedef struct BitValue
{
	int32		nbits;
	const uint8 *bits;			/* as in VarBit */
} BitValue;

/* The number of bytes of this number of bits */
static inline int32
bytes_of_bits(int32 nbits)
{
	return (int32) (((int64) nbits + BITS_PER_BYTE - 1) / BITS_PER_BYTE);
}

/* Raise the error that the number of bits of a value disagrees with its size. */
pg_noreturn extern void report_damaged_bits(void);

/*
 * The BitValue of a Datum.  The bits need not be aligned.  They are in the Datum, or in a
 * palloc'd copy if the Datum is compressed or out of line.  Raises an error if the number of
 * bits disagrees with the size of the value.
 */
static inline BitValue
DatumGetBitValue(Datum datum)
{
	struct varlena *whole = PG_DETOAST_DATUM_PACKED(datum);
	const char *data = VARDATA_ANY(whole);
	int32		size = VARSIZE_ANY_EXHDR(whole) - (int32) sizeof(int32);
	BitValue	value = {-1};

	if (size >= 0)
		memcpy(&value.nbits, data, sizeof(value.nbits));
	if (value.nbits < 0 || bytes_of_bits(value.nbits) != size)
		report_damaged_bits();
	value.bits = (const uint8 *) data + sizeof(value.nbits);
	return value;
}

#define PG_GETARG_BIT_VALUE(n)	DatumGetBitValue(PG_GETARG_DATUM(n))

/* The number of 64-bit words of this number of bits */
static inline int32
words_of_bits(int32 nbits)
{
	return (int32) (((int64) nbits + 63) / 64);
}

/* Hamming distance of two bit strings of the same length. */
static inline int32
bit_value_distance(BitValue a, BitValue b)
{
	int32		nbytes = bytes_of_bits(a.nbits);
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

/* Raises an error if the radius or the size of the ball disagrees with the number of bits. */
static inline BitBall *
DatumGetBitBallP(Datum datum)
{
	BitBall    *ball = (BitBall *) PG_DETOAST_DATUM(datum);
	Size		header = offsetof(BitBall, bits);

	if (VARSIZE(ball) < header || ball->nbits < 0 ||
		VARSIZE(ball) - header != (Size) bytes_of_bits(ball->nbits) ||
		ball->radius < RADIUS_NONE || ball->radius > ball->nbits)
		report_damaged_bits();
	return ball;
}

#define PG_GETARG_BIT_BALL_P(n)	DatumGetBitBallP(PG_GETARG_DATUM(n))

static inline BitValue
bit_ball_center(const BitBall *ball)
{
	BitValue	center = {ball->nbits, ball->bits};

	return center;
}

/* Does the ball contain a bit string?  It contains no bit string of another length. */
static inline bool
bit_ball_holds(const BitBall *ball, BitValue value)
{
	return value.nbits == ball->nbits &&
		bit_value_distance(bit_ball_center(ball), value) <= ball->radius;
}

/* Free the copy that DatumGetBitValue has made of a Datum, if any. */
extern void bit_value_free_copy(BitValue value, Datum datum);

/*
 * Write a bit string to words_of_bits(value.nbits) words of 64 bits.  The first bit is
 * the most significant bit of the first word.  Unused bits of the last word are zero.
 */
extern void bit_value_words(BitValue value, uint64 *words);

/* Allocate a bit string of zeros.  Raises an error if it is too long. */
extern VarBit *alloc_bit_value(int64 nbits);

/* Make a value of type bit.  The unused bits of the last byte must be zero. */
extern Datum make_bit_value(const uint8 *bits, int32 nbits);

/* Make a value of type bit from words in the form of bit_value_words. */
extern Datum make_bit_value_of_words(const uint64 *words, int32 nbits);

/* Raise the error that bit strings of these lengths have no distance. */
pg_noreturn extern void report_unlike_lengths(int32 a, int32 b);

#endif							/* SIMHASH_BIT_VALUE_H */
