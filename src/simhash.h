/*-------------------------------------------------------------------------
 *
 * simhash.h
 *		The types "simhash" and "simhash_ball" as the C code sees them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_H
#define SIMHASH_H

#include "postgres.h"

#include "fmgr.h"
#include "port/pg_bitutils.h"
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

/* The distance of near-duplicates for the operator % */
#define NEAR_DISTANCE			3

/* Hamming distance, 0..64. */
static inline int32
hamming_distance(Simhash a, Simhash b)
{
	return (int32) pg_popcount64(a ^ b);
}

/* A bound of any integer type, as a radius */
static inline int32
radius_clamp(int64 bound)
{
	return (int32) Max(RADIUS_NONE, Min(bound, RADIUS_ALL));
}

/*
 * The radius for "distance <= bound", or for "distance < bound" if strict.  The
 * radius is RADIUS_NONE or more.  The fingerprints can have any length.
 */
static inline int32
radius_of_bound(int64 bound, bool strict)
{
	bound = Max(RADIUS_NONE, Min(bound, PG_INT32_MAX));
	return (int32) Max(RADIUS_NONE, bound - (strict ? 1 : 0));
}

/*
 * The radius around the complement for "distance >= bound", or for "distance >
 * bound" if strict.  The fingerprints have the given number of bits.  The distance
 * from the complement is bits minus the distance.
 */
static inline int32
radius_of_complement(int64 bound, bool strict, int32 bits)
{
	/* clamping the bound first changes no result, and prevents overflow */
	bound = Max(RADIUS_NONE, Min(bound, (int64) bits + 1));
	return (int32) Max(RADIUS_NONE, Min(bits - bound - (strict ? 1 : 0), bits));
}

static inline bool
ball_contains(const SimhashBall *ball, Simhash f)
{
	return hamming_distance(ball->center, f) <= ball->radius;
}

/*
 * A ball of bit strings.  The radius is kept within -1 (holds nothing) and
 * BIT_RADIUS_ALL (holds every string of that length).
 */
typedef struct BitBall
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int32		radius;
	int32		nbits;
	bits8		bits[FLEXIBLE_ARRAY_MEMBER];	/* as in VarBit */
} BitBall;

#define BIT_RADIUS_ALL			1024

#define DatumGetBitBallP(d)		((BitBall *) PG_DETOAST_DATUM(d))
#define PG_GETARG_BIT_BALL_P(n)	DatumGetBitBallP(PG_GETARG_DATUM(n))

/* ball.c */
extern Datum make_ball(Simhash center, int64 radius);

#endif							/* SIMHASH_H */
