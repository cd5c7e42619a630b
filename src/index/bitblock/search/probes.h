/*-------------------------------------------------------------------------
 *
 * probes.h
 *		The block values within a radius, and how many leaves hold them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PROBES_H
#define BITBLOCK_PROBES_H

#include "index/bitblock/store/shape.h"

/*
 * What a search looks for in a tree among the entries with one tag: values of the first
 * block of a window, or pairs of values of its first two blocks.
 */
typedef struct BBProbes
{
	uint32		tag;
	int			n;
	/* ascending; the second block is 0 if it may have any value */
	uint32	   *pairs;
	BBWindow	rest;			/* the bits of a window that do not matter */
} BBProbes;

/* The lowest window that probe i looks for. */
static inline BBWindow
bb_probe_low(const BBProbes *probes, int i)
{
	return bb_from_pair(probes->pairs[i]);
}

/* The highest window that probe i looks for. */
static inline BBWindow
bb_probe_high(const BBProbes *probes, int i)
{
	return bb_from_pair(probes->pairs[i]) | probes->rest;
}

/* Look for pairs of blocks, or only for the first block of each pair. */
static inline void
bb_set_probes(BBProbes *probes, uint32 *pairs, int n, bool first_only)
{
	probes->pairs = pairs;
	probes->n = n;
	probes->rest = first_only ? ~bb_from_prefix(BB_BLOCK_VALUES - 1) :
		~bb_from_pair(PG_UINT32_MAX);
}

/* The cost of each radius of a tree from -1 on: the number of leaves to read. */
typedef struct BBTreeCost
{
	double		leaves[BB_BLOCK_BITS + 2];	/* at radius + 1 */
} BBTreeCost;

/* Return the number of block values within a radius of a block value. */
extern int	bb_ball_size(int radius);

/* Write these block values to pairs, each in a pair with 0. */
extern int	bb_ball_values(int center, int radius, uint32 *pairs);

/* Estimate the number of leaves that have the pairs of bb_ball_pairs. */
extern double bb_pair_leaves(int radius, int both, double leaves_of_value, int *npairs);

/* Write the pairs of blocks within "both" whose first block is one of "firsts". */
extern int	bb_ball_pairs(int first, int second, int both, const uint32 *firsts, int nfirsts,
						  uint32 *pairs);

/* Give every tree the same costs. */
extern void bb_even_costs(int blocks, double tree_leaves, BBTreeCost *costs);

#endif							/* BITBLOCK_PROBES_H */
