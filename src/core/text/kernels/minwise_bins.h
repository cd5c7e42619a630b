/*-------------------------------------------------------------------------
 *
 * minwise_bins.h
 *		The bins of a word of the min-wise fingerprint, in plain C and for wide registers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_MINWISE_BINS_H
#define SIMHASH_MINWISE_BINS_H

#include <stddef.h>
#include <stdint.h>

#define MINWISE_BINS 64
#define MINWISE_EMPTY (~UINT64_C(0))	/* of a bin without a feature */

/* Let the bin of a mixed hash keep its smallest rank. */
static inline void
keep_smallest(uint64_t *bins, uint64_t mixed)
{
	uint64_t   *bin = &bins[mixed >> 58];
	uint64_t	rank = mixed << 6;

	/* always store, because a branch would be hard to predict */
	*bin = rank < *bin ? rank : *bin;
}

/* The next p of step 2. */
static inline unsigned int
next_place(unsigned int p)
{
	return p << 1 ^ (p >> 5) * 0x43;
}

/*
 * Step 1 of minwise.h for n hashes, each XORed with salt: each bin keeps its smallest rank.
 */
extern void core_add_to_bins_scalar(uint64_t *bins, const uint64_t *hashes,
									size_t n, uint64_t salt);

/*
 * Steps 2 and 3: fill the empty bins, and take a bit of each bin.  At least one bin is
 * not empty.
 */
extern uint64_t core_bits_of_bins_scalar(const uint64_t *bins);

#endif
