/*-------------------------------------------------------------------------
 *
 * block_plan.h
 *		The blocks of bits that a join of fingerprints sorts by.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_BLOCK_PLAN_H
#define SIMHASH_BLOCK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../widths.h"
#include "../store/fingerprints.h"

/* With JOIN_TEST_SIZES a few hundred fingerprints reach all code in this directory. */
#ifndef JOIN_TEST_SIZES
#define MAX_BLOCK_BITS	22		/* each value has a counter of 4 bytes */
#else
#define MAX_BLOCK_BITS	8
#endif
#define MAX_BLOCKS		16
#define MAX_RADIUS		4		/* of a block */

/* What it costs, in nanoseconds, to ... */
#define COST_SORT		12.0	/* sort a fingerprint by a block */
#define COST_VALUE		2.0		/* count and sum a value of the block */
#define COST_VISIT		3.0		/* look up a value within the radius */
#define COST_GATHER		2.0		/* copy a fingerprint that has this value */
#define COST_BEGIN		15.0	/* begin to compare one with many */
#define COST_LOAD		8.0		/* read a fingerprint from a file */
#define COST_AGAIN		8.0		/* recognise a pair that was found before */
#ifndef JOIN_TEST_SIZES
#define COST_COMPARE	0.25	/* compare a word of a pair */
#define COST_COMPARE_ALL 0.2	/* the same in whole tiles; 0.12: AVX-512 */
#else
#define COST_COMPARE	50.0
#define COST_COMPARE_ALL 50.0
#endif

/*
 * A choice of disjoint blocks of bits, such that fingerprints within the
 * distance differ in at most "radius" bits of some block.  Radius -1 leaves a
 * block out.
 */
typedef struct BlockPlan
{
	int			nblocks;		/* 0: compare all with all */
	int			block_bits;
	uint64_t	masks[MAX_BLOCKS];
	int			radii[MAX_BLOCKS];
} BlockPlan;

/*
 * A share of the distance for each word, such that fingerprints within the distance
 * differ in at most "radius" bits of some word.  Radius -1 leaves a word out.
 */
typedef struct WordPlan
{
	int			distance;
	int			radii[MOST_WORDS];
} WordPlan;

/*
 * Plan the join of a with b, or of a with itself if b is NULL.  The join
 * looks at "bits" only, and finds pairs within "distance" in these bits.  A
 * block has at most most_bits, and most_bits is at most MAX_BLOCK_BITS.  The plan has
 * no blocks if it is cheaper to compare all with all, in "words" words of each pair.
 */
extern void core_plan_blocks(const uint64_t *a, size_t na,
							 const uint64_t *b, size_t nb,
							 uint64_t bits, int distance, int most_bits,
							 double words, BlockPlan *plan);

/*
 * Plan the join of n fingerprints with themselves, by one word.  The plan is made from a sample of
 * the fingerprints.  "part_bits" of a block's bits divide the fingerprints into parts, and the join
 * reads a part again for each other part within the block's radius.
 */
extern void core_plan_parts(const Fingerprints *sample, int word, double n,
							int distance, int most_bits, int part_bits,
							double words, BlockPlan *plan);

/*
 * Divide the distance among the words.  A word's share is in proportion to the number of bits in
 * which two fingerprints of a sample differ in that word.
 */
extern void core_plan_words(const Fingerprints *fps, int distance, WordPlan *plan);

/* The number of bits of the widest block with at most "values" values, at least 1. */
extern int	core_most_block_bits(size_t values);

#endif							/* SIMHASH_BLOCK_PLAN_H */
