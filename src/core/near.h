/*-------------------------------------------------------------------------
 *
 * near.h
 *		The distance of near-duplicates, the same share of the bits at every width: 5 of 64
 *		bits, 20 of 256. The operator %, its estimates, and the default distances derive from
 *		it.
 *
 * The distance of min-wise fingerprints estimates a resemblance.  5/64 of the bits estimate a
 * resemblance of .84.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_NEAR_H
#define SIMHASH_NEAR_H

#include <stdint.h>

#define NEAR_BITS_OF_64 5

static inline int32_t
near_distance(int32_t bits)
{
	return (int32_t) ((int64_t) bits * NEAR_BITS_OF_64 / 64);
}

/*
 * The distance of candidates for the same document, which their texts confirm.  Further apart,
 * documents of one template are more often different ones than versions.
 */
static inline int32_t
candidate_distance(int32_t bits)
{
	return (int32_t) ((int64_t) bits * 2 * NEAR_BITS_OF_64 / 64);
}

#endif
