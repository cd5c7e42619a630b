/*-------------------------------------------------------------------------
 *
 * permutation.h
 *		A fixed pseudo-random order of the bits of wide fingerprints.
 *
 * Neighbouring bits of an image hash agree more often than random bits, so some
 * values of its blocks are frequent.  A permutation of the bits, the same for all
 * fingerprints, changes no distance and spreads such bits over the blocks.
 *
 * Indexes store permuted fingerprints, so the permutation of a width must never
 * change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PERMUTATION_H
#define SIMHASH_PERMUTATION_H

#include <stdint.h>

#include "widths.h"

#define PERMUTATION_STAGES	(2 * MOST_BITS_LOG2 - 1)

/*
 * Bit i of a fingerprint is bit 63 - i % 64 of word i / 64; the unused bits of the
 * last word are 0.
 */
typedef struct BitPermutation
{
	int			nbits;
	int			nwords;			/* of a fingerprint */
	int			nwords_inside;	/* nwords, rounded up to a power of two */
	int			nstages;
	uint64_t	masks[PERMUTATION_STAGES][MOST_WORDS];
} BitPermutation;

/* For nbits from 2 to MOST_BITS. */
extern void bit_permutation_init(BitPermutation *permutation, int nbits);

/* Permute the bits of a fingerprint, or undo that. */
extern void bit_permute(const BitPermutation *permutation, const uint64_t *from,
						uint64_t *to);
extern void bit_unpermute(const BitPermutation *permutation, const uint64_t *from,
						  uint64_t *to);

#endif							/* SIMHASH_PERMUTATION_H */
