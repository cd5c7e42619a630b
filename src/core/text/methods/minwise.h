/*-------------------------------------------------------------------------
 *
 * minwise.h
 *		The one-bit min-wise fingerprint of a set of features: one-permutation hashing (Li,
 *		Owen and Zhang, NIPS 2012) into 64 bins, empty bins filled from others (Shrivastava,
 *		ICML 2017), one bit of each (Li and Koenig, WWW 2010).
 *
 * This is word 0 of a wide fingerprint.  The other words are the same for other
 * hashes, see salts.h.  All functions take the states of "words" words.
 *
 * Each constant and step decides the value of fingerprints, and fingerprints
 * are stored: never change them.
 *
 * 1. y = mix64 of the feature's hash.  Its top 6 bits give the feature's bin,
 * 	  the other 58 its rank there.  Each bin keeps its smallest rank.
 * 2. An empty bin b takes the rank of the first bin that is not empty among
 * 	  b ^ p1, b ^ p2, ... b ^ p63, where p1 = 1 and the next p is p * 2 modulo
 * 	  x^6 + x + 1 over GF(2): every number from 1 to 63 comes once.
 * 3. Bit b of the fingerprint is the lowest bit of
 * 	  mix64(rank * 64 + b * MIX_FACTOR).
 *
 * If two sets have resemblance J (Jaccard), any bin has the same rank in both
 * with probability J.  So 32 (1 - J) is the mean distance of their
 * fingerprints, for each word of 64 bits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_MINWISE_H
#define SIMHASH_MINWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernels/minwise_bins.h"

typedef struct MinWise
{
	/* smallest rank * 64, or MINWISE_EMPTY, which is no multiple of 64 */
	uint64_t	bins[MINWISE_BINS];
} MinWise;

/* Begin without features. */
extern void core_minwise_init(MinWise *min, int words);

/* Repeated features make no difference. */
extern void core_minwise_add(MinWise *min, int words, const uint64_t *hashes,
							 size_t n);

/* Merge other into min. */
extern void core_minwise_combine(MinWise *min, const MinWise *other, int words);

/* Store the words.  Return false if there was no feature. */
extern bool core_minwise_result(const MinWise *min, int words,
								uint64_t *fingerprint);

#endif
