/*-------------------------------------------------------------------------
 *
 * block_plan.h
 *		Which bits a join of fingerprints sorts by.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_BLOCK_PLAN_H
#define SIMHASH_BLOCK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With JOIN_TEST_SIZES a few hundred fingerprints get everywhere in this directory. */
#ifndef JOIN_TEST_SIZES
#define MAX_BLOCK_BITS	22		/* there is a counter for each block value */
#else
#define MAX_BLOCK_BITS	8
#endif
#define MAX_BLOCKS		16
#define MAX_RADIUS		4		/* of a block, for which values are enumerated */

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

extern void simhash_plan_blocks(const uint64_t *a, size_t na,
								const uint64_t *b, size_t nb,
								uint64_t bits, int distance, BlockPlan *plan);
extern bool simhash_plan_equal_blocks(int distance, BlockPlan *plan);

#endif							/* SIMHASH_BLOCK_PLAN_H */
