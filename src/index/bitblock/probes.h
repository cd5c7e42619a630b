/*-------------------------------------------------------------------------
 *
 * probes.h
 *		The block values that a query looks for, and their cost.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PROBES_H
#define BITBLOCK_PROBES_H

#include "shape.h"

/*
 * What a search looks for in a tree among the entries with one tag: values of the first block of a
 * window, or pairs of values of its first two blocks.
 */
typedef struct BBProbes
{
	uint32		tag;
	int			n;
	uint32	   *pairs;			/* ascending; the second block is 0 if it may
								 * have any value */
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

/*
 * One radius for each window tree, that is, for each block.  -1 leaves the tree out.
 */
typedef struct BBRadii
{
	int			radius[BB_MAX_BLOCKS];
} BBRadii;

/* The cost of each radius of a tree from -1 on: the number of leaves to read. */
typedef struct BBTreeCost
{
	double		leaves[BB_BLOCK_BITS + 2];	/* at radius + 1 */
} BBTreeCost;

/*
 * The cost of reading a leaf in sequence, as a share of the cost of looking
 * it up.  Tests with small pages need searches by probes even if reading all
 * leaves would be cheaper.
 */
#ifndef BB_TEST_CAPACITY
#define BB_SEQUENTIAL_COST		0.5
#else
#define BB_SEQUENTIAL_COST		1.0
#endif

/* The number of rows that a nearest search is expected to return */
#define BB_EXPECTED_LIMIT		10

/* The trees for which radii are chosen. */
typedef struct BBForest
{
	int			blocks;			/* number of window trees */

	/* the number of leaves of the row tree per leaf of a window tree */
	double		scan_leaves;
} BBForest;

/*
 * A function that counts the leaves of a tree that hold block values within radius of the
 * query's block value.  "expected" is the caller's guess.  *tree_leaves becomes the number
 * of leaves of that tree.
 */
typedef double (*BBCountLeaves) (void *arg, int tree, int radius,
								 double expected, double *tree_leaves);

/* Is the number of leaves much larger than expected? */
static inline bool
bb_is_surprise(double leaves, double expected)
{
	return leaves > 2 * expected + 8;
}

extern int	bb_expected_radius(int bits, double entries, double wanted);
extern int	bb_ball_size(int rmin, int rmax);
extern int	bb_ball_values(int center, int rmin, int rmax, uint32 *pairs);
extern double bb_pair_leaves(int radius, int both, double leaves_of_value, int *npairs);
extern int	bb_ball_pairs(int first, int second, int both, const uint32 *firsts, int nfirsts,
						  uint32 *pairs);
extern void bb_even_costs(int blocks, double tree_leaves, BBTreeCost *costs);
extern int	bb_next_tree(int blocks, const BBTreeCost *costs, const BBRadii *radii);
extern double bb_choose_radii(int blocks, const BBTreeCost *costs, int k,
							  BBRadii *radii);
extern void bb_raise_cost(BBTreeCost *cost, int radius, double excess);
extern bool bb_choose_counted(const BBForest *forest, int k, BBCountLeaves count,
							  void *arg, BBRadii *radii);

#endif							/* BITBLOCK_PROBES_H */
