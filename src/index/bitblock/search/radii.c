/*-------------------------------------------------------------------------
 *
 * radii.c
 *		The choice of the radius of each tree.
 *
 * A query searches some trees, each for all block values within a radius (probes.c).  The
 * pigeonhole principle says which radii find all rows within a distance
 * (core/pigeonhole.h): raising any one radius by one raises that distance by one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/pigeonhole.h"
#include "radii.h"

/*
 * Choose radii at most this many times, and keep the last choice even if its leaves are
 * more than expected
 */
#define MAX_CHOICES				8

/* The radius within which "wanted" of "entries" random fingerprints are expected. */
int
bb_expected_radius(int bits, double entries, double wanted)
{
	return entries > 0 ? pigeonhole_radius_of_share(bits, wanted / entries) : bits;
}

/* The tree whose radius costs least to raise; -1 if all have the largest radius. */
int
bb_next_tree(int blocks, const BBTreeCost *costs, const BBRadii *radii)
{
	return pigeonhole_cheapest_raise(costs->leaves, lengthof(costs->leaves), blocks,
									 BB_BLOCK_BITS, radii->radius);
}

/*
 * Choose the radii that find all rows within k at about the least cost.  Returns the
 * cost.
 */
double
bb_choose_radii(int blocks, const BBTreeCost *costs, int k, BBRadii *radii)
{
	double		cost = 0;

	for (int t = 0; t < blocks; t++)
		radii->radius[t] = -1;
	for (int i = 0; i <= k; i++)
	{
		int			t = bb_next_tree(blocks, costs, radii);

		if (t < 0)
			break;
		radii->radius[t]++;
	}
	for (int t = 0; t < blocks; t++)
		cost += costs[t].leaves[radii->radius[t] + 1];
	return cost;
}

/*
 * Note that a radius costs "excess" leaves more than expected.  All larger radii cost as
 * much more, because their leaves include the leaves of this radius.
 */
void
bb_raise_cost(BBTreeCost *cost, int radius, double excess)
{
	for (int r = radius; r <= BB_BLOCK_BITS; r++)
		cost->leaves[r + 1] += excess;
}

/* ----------
 * The choice by the contents of the trees
 * ----------
 */

/* The last count in a tree; radius -1 if there was none. */
typedef struct Counted
{
	int			radius;
	double		leaves;
} Counted;

/* The radius in tree t that an earlier search has read; -1 if there is none. */
static inline int
radius_before(const BBRadii *before, int t)
{
	return before == NULL ? -1 : before->radius[t];
}

/*
 * Make the first choice, which needs no costs: radius 0 in k + 1 trees, if there are that
 * many and nothing was read before.  Otherwise count only tree 0, to learn the size of
 * the trees.  Returns whether the choice finds all rows at about the expected cost.
 */
static bool
count_equal_blocks(int blocks, int k, const BBRadii *before, BBCountLeaves count, void *arg,
				   BBRadii *radii, Counted *counted, double *tree_leaves)
{
	bool		complete = k < blocks && before == NULL;
	int			trees = complete ? k + 1 : 1;
	bool		surprise = false;

	for (int t = 0; t < blocks; t++)
	{
		double		ignored;

		radii->radius[t] = counted[t].radius = -1;
		counted[t].leaves = 0;
		if (t >= trees)
			continue;
		radii->radius[t] = counted[t].radius = 0;
		counted[t].leaves = count(arg, t, 0, 1, t == 0 ? tree_leaves : &ignored);
		surprise = surprise || bb_is_surprise(counted[t].leaves, 1);
	}
	return complete && !surprise;
}

/*
 * Choose the cheapest radii by the expected costs, count their leaves, and choose again
 * while a count is a surprise.  Returns false as soon as a choice costs more than reading
 * all rows.
 *
 * If the result is true, every radius of the choice beyond "before" has been counted.
 */
static bool
choose_and_count(const BBForest *forest, int k, const BBRadii *before, BBCountLeaves count,
				 void *arg, BBRadii *radii, Counted *counted, double tree_leaves)
{
	BBTreeCost	costs[BB_MAX_BLOCKS];
	int			blocks = forest->blocks;

	bb_even_costs(blocks, tree_leaves, costs);
	for (int t = 0; t < blocks; t++)
	{
		if (radius_before(before, t) < 0 && counted[t].radius == 0 &&
			bb_is_surprise(counted[t].leaves, costs[t].leaves[1]))
			bb_raise_cost(&costs[t], 0, counted[t].leaves - costs[t].leaves[1]);
		for (int r = 0; r <= radius_before(before, t); r++)
			costs[t].leaves[r + 1] = 0;
	}

	for (int choice = 0; choice < MAX_CHOICES; choice++)
	{
		bool		surprise = false;

		if (bb_choose_radii(blocks, costs, k, radii) >
			tree_leaves * forest->scan_leaves * BB_SEQUENTIAL_COST)
			return false;
		for (int t = 0; t < blocks; t++)
		{
			int			r = radii->radius[t];
			double		expected = costs[t].leaves[r + 1];
			double		ignored;

			if (r <= radius_before(before, t) || r == counted[t].radius)
				continue;
			counted[t].radius = r;
			counted[t].leaves = count(arg, t, r, expected, &ignored);
			if (bb_is_surprise(counted[t].leaves, expected))
			{
				bb_raise_cost(&costs[t], r, counted[t].leaves - expected);
				surprise = true;
			}
		}
		if (!surprise)
			break;
	}
	return true;
}

/*
 * Choose how to find all rows within k, by counting leaves.  k is at least 0 and less
 * than the number of bits.  If "before" is not NULL, an earlier search has read these
 * radii, which find all rows within a distance below k, and they cost nothing now.
 * Returns false if reading everything is best.  Otherwise *radii is the choice.  In each
 * tree its radius is at least that of "before", and a larger one is the last that was
 * counted.
 */
bool
bb_choose_counted(const BBForest *forest, int k, const BBRadii *before, BBCountLeaves count,
				  void *arg, BBRadii *radii)
{
	Counted		counted[BB_MAX_BLOCKS];
	double		tree_leaves = 1;
	double		leaves = 0;

	if (!count_equal_blocks(forest->blocks, k, before, count, arg, radii, counted,
							&tree_leaves) &&
		!choose_and_count(forest, k, before, count, arg, radii, counted, tree_leaves))
		return false;
	for (int t = 0; t < forest->blocks; t++)
		if (radii->radius[t] > radius_before(before, t))
			leaves += counted[t].leaves;
	return leaves <= tree_leaves * forest->scan_leaves * BB_SEQUENTIAL_COST;
}
