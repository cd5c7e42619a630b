/*-------------------------------------------------------------------------
 *
 * simhash.h
 *		Fingerprints of 64 bits and their balls as the C code sees them: the types "simhash"
 *		and "simhash_ball".  For "bit" and "bit_ball" see type/bit_value.h.
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
 * Every fingerprint within "radius" of "center".  The radius is kept within -1 (no
 * fingerprint) and 64 (every fingerprint), which changes no answer.
 */
typedef struct SimhashBall
{
	Simhash		center;
	int32		radius;
	/* always 0, so that equal balls are equal bytes */
	int32		unused;
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
 * A bound on a distance, plus a small number.  The bound can be any integer.  A result
 * below -1 or above the largest int32 becomes that limit, which bounds the same
 * distances.
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

#endif							/* SIMHASH_H */
