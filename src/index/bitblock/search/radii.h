/*-------------------------------------------------------------------------
 *
 * radii.h
 *		The choice of the radius of each tree.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_RADII_H
#define BITBLOCK_RADII_H

#include "probes.h"

/* One radius for each window tree, that is, for each block.  -1 leaves the tree out. */
typedef struct BBRadii
{
	int			radius[BB_MAX_BLOCKS];
} BBRadii;

/*
 * The cost of reading a leaf in sequence, as a share of the cost of looking it up.  Tests
 * with small pages need searches by probes even if reading all leaves would be cheaper.
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
 * query's block value.  "expected" is the caller's guess.  *tree_leaves becomes the
 * number of leaves of that tree.
 */
typedef double (*BBCountLeaves) (void *arg, int tree, int radius,
								 double expected, double *tree_leaves);

/* Is the number of leaves much larger than expected? */
static inline bool
bb_is_surprise(double leaves, double expected)
{
	return leaves > 2 * expected + 8;
}

/* Return the radius within which "wanted" of "entries" are expected. */
extern int	bb_expected_radius(int bits, double entries, double wanted);

/* Return the tree whose radius costs least to raise; -1 if there is none. */
extern int	bb_next_tree(int blocks, const BBTreeCost *costs, const BBRadii *radii);

/* Choose the radii that find all rows within k at about the least cost. */
extern double bb_choose_radii(int blocks, const BBTreeCost *costs, int k,
							  BBRadii *radii);

/* Note that a radius costs "excess" leaves more than expected. */
extern void bb_raise_cost(BBTreeCost *cost, int radius, double excess);

/* Choose how to find all rows within k, by counting leaves. */
extern bool bb_choose_counted(const BBForest *forest, int k, const BBRadii *before,
							  BBCountLeaves count, void *arg, BBRadii *radii);

#endif							/* BITBLOCK_RADII_H */
