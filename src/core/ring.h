/*-------------------------------------------------------------------------
 *
 * ring.h
 *		The pigeonring principle (Qin and Xiao, "Pigeonring: A principle for faster
 *		thresholded similarity search", VLDB 2018).
 *
 * The blocks of a fingerprint form a ring: block 0 follows the last block.  Let the block
 * radii r_i be as in pigeonhole.h, sum(r_i + 1) = k + 1.  Then each fingerprint within k
 * of the query has a block t with this property: for every length l, its distance from the
 * query over the l blocks from t on is at most r_t + ... + r_(t+l-1) + l - 1.  For l = 1
 * this is the pigeonhole principle.  A radius of -1 needs no special treatment.
 *
 * A window is 64 bits of a fingerprint: the RING_CHAIN blocks from t on, block t in the
 * most significant bits.  So a window shows whether block t fulfils the principle for
 * every length up to RING_CHAIN.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_RING_H
#define SIMHASH_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "hamming.h"

#define RING_CHAIN				4	/* blocks of a window */

/* most[l - 1] is the largest number of differing bits in a chain of l blocks */
typedef struct RingLimits
{
	int			most[RING_CHAIN];
} RingLimits;

/* The limits of the chains that begin at block t.  radii has nblocks elements. */
static inline void
ring_limits(const int *radii, int nblocks, int t, RingLimits *limits)
{
	int			sum = -1;

	for (int l = 0; l < RING_CHAIN; l++)
	{
		sum += radii[(t + l) % nblocks] + 1;
		limits->most[l] = sum;
	}
}

/* Is a window within every limit from the query's window at the same block? */
static inline bool
ring_holds(uint64_t window, uint64_t query, const RingLimits *limits)
{
	uint64_t	difference = window ^ query;

	for (int l = RING_CHAIN; l > 0; l--)
		if (hamming_weight(difference >> (64 - 16 * l)) > limits->most[l - 1])
			return false;
	return true;
}

#endif							/* SIMHASH_RING_H */
