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
 * Every fingerprint within "radius" of "center".  The radius is kept within
 * -1 (holds nothing) and 64 (holds everything), which bounds no answer.
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

/* The distance that counts as near-duplicate for the operator %. */
#define NEAR_DISTANCE			3

/* Hamming distance, 0..64. */
static inline int32
hamming_distance(Simhash a, Simhash b)
{
	return (int32) pg_popcount64(a ^ b);
}

/* A bound on a distance, of any integer, as a radius. */
static inline int32
radius_clamp(int64 bound)
{
	return (int32) Max(RADIUS_NONE, Min(bound, RADIUS_ALL));
}

/*
 * The radius that stands for "distance <= bound", or if strict for "distance <
 * bound".  If far, it is for ">=" or ">", and the center is the complement, whose
 * distance from a fingerprint is what is missing to SIMHASH_BITS.
 */
static inline int32
radius_of_bound(int64 bound, bool strict, bool far)
{
	/* what is beyond is the same bound, and leaves room for the sum */
	bound = Max(RADIUS_NONE - 1, Min(bound, RADIUS_ALL + 1));
	return radius_clamp((far ? SIMHASH_BITS - bound : bound) - (strict ? 1 : 0));
}

static inline bool
ball_contains(const SimhashBall *ball, Simhash f)
{
	return hamming_distance(ball->center, f) <= ball->radius;
}

/* ball.c */
extern Datum make_ball(Simhash center, int64 radius);

#endif							/* SIMHASH_H */
