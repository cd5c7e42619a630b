/*-------------------------------------------------------------------------
 *
 * probes.c
 *		The block values that a query looks for, and their cost.
 *
 * A query searches some trees, each for all block values within a radius.  The pigeonhole principle
 * says which radii find all rows within a distance (core/pigeonhole.h): raising any one radius by
 * one raises that distance by one.
 *
 * This file knows neither pages nor the server.  Both the executor and the
 * planner use it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "core/hamming.h"
#include "core/pigeonhole.h"
#include "port/pg_bitutils.h"
#include "probes.h"

/*
 * Choose radii at most this many times, and keep the last choice even if its leaves are more than
 * expected
 */
#define MAX_CHOICES				8

/* The largest number of pairs of blocks that a search looks for in a tree */
#define BB_MAX_PAIRS			100000

/* Looking up this many block values takes as much time as reading a leaf */
#define VALUES_OF_LEAF			64.0

/* The radius within which "wanted" of "entries" random fingerprints are expected. */
int
bb_expected_radius(int bits, double entries, double wanted)
{
	return entries > 0 ? pigeonhole_radius_of_share(bits, wanted / entries) : bits;
}

/* The number of block values at distance rmin to rmax from a block value. */
int
bb_ball_size(int rmin, int rmax)
{
	if (rmax == 0)
		return 1;
	return (int) (pigeonhole_ball_size(BB_BLOCK_BITS, rmin, rmax) + 0.5);
}

/*
 * Write to pairs, ascending, the pairs of blocks that differ from center in one of the "varied"
 * bits, and also center itself if with_center is true.  Returns the end of the pairs.
 */
static uint32 *
ball_of_one(uint32 center, uint32 varied, bool with_center, uint32 *pairs)
{
	uint32		bit;

	for (uint32 ones = center & varied; ones != 0; ones ^= bit)
	{
		bit = UINT32_C(1) << pg_leftmost_one_pos32(ones);
		*pairs++ = center ^ bit;
	}
	if (with_center)
		*pairs++ = center;
	for (uint32 zeros = ~center & varied; zeros != 0; zeros ^= bit)
	{
		bit = zeros & -zeros;
		*pairs++ = center ^ bit;
	}
	return pairs;
}

/*
 * Write to pairs, ascending, the pairs of blocks at distance rmin to rmax from center that differ
 * from it only in the "varied" bits, which follow each other.  Returns the end of the pairs.
 */
static uint32 *
ball_below(uint32 center, int rmin, int rmax, uint32 varied, uint32 *pairs)
{
	uint32		first = varied & ~(varied >> 1);

	if (rmax < 0 || (varied == 0 && rmin > 0))
		return pairs;
	if (rmax == 0 || varied == 0)
	{
		*pairs = center;
		return pairs + 1;
	}
	if (rmax == 1)
		return ball_of_one(center, varied, rmin <= 0, pairs);
	for (int bit = 0; bit <= 1; bit++)
	{
		bool		differs = ((center & first) != 0) != bit;

		pairs = ball_below(differs ? center ^ first : center, rmin - differs, rmax - differs,
						   varied ^ first, pairs);
	}
	return pairs;
}

/* The pair of a block value and 0. */
static inline uint32
first_of_pair(int value)
{
	return (uint32) value << BB_BLOCK_BITS;
}

/*
 * Write to pairs the block values at distance rmin to rmax from center, ascending, each in a
 * pair with 0.  "pairs" has room for bb_ball_size pairs.  Returns their number.
 */
int
bb_ball_values(int center, int rmin, int rmax, uint32 *pairs)
{
	return ball_below(first_of_pair(center), rmin, rmax, first_of_pair(BB_BLOCK_VALUES - 1),
					  pairs) - pairs;
}

/* The number of second blocks that make pairs with a first block at distance d. */
static int
pairs_of_first(int d, int both)
{
	return bb_ball_size(0, Min(both - d, BB_BLOCK_BITS));
}

/*
 * Estimate the number of leaves that have pairs of blocks which bb_ball_pairs returns, if each
 * block value has leaves_of_value leaves.  *npairs becomes the number of pairs.  Returns HUGE_VAL
 * if there are too many pairs.
 */
double
bb_pair_leaves(int radius, int both, double leaves_of_value, int *npairs)
{
	double		leaves = 0;

	*npairs = 0;
	for (int d = 0; d <= Min(radius, both); d++)
	{
		double		firsts = pigeonhole_binomial(BB_BLOCK_BITS, d);
		double		places = pairs_of_first(d, both);

		leaves += firsts * leaves_of_value * (1 - exp(-places / leaves_of_value));
		if (*npairs + firsts * places > BB_MAX_PAIRS)
			return HUGE_VAL;
		*npairs += (int) (firsts * places);
	}
	return leaves;
}

/*
 * Write to pairs, ascending, the pairs of blocks whose first block is one of "firsts" (see
 * bb_ball_values), and whose distance from the pair of "first" and "second" is at most "both".
 * "pairs" has room for them (bb_pair_leaves).  Returns their number.
 */
int
bb_ball_pairs(int first, int second, int both, const uint32 *firsts, int nfirsts,
			  uint32 *pairs)
{
	uint32	   *end = pairs;

	for (int i = 0; i < nfirsts; i++)
	{
		int			rest = both - hamming_weight(firsts[i] ^ first_of_pair(first));

		end = ball_below(firsts[i] | second, 0, rest, BB_BLOCK_VALUES - 1, end);
	}
	return end - pairs;
}

/*
 * Estimate the cost of each radius in a tree of tree_leaves leaves whose block values are evenly
 * distributed.  If there are fewer leaves than block values, a leaf holds all values with the same
 * first bits, so several values within a radius are in the same leaf.
 */
static void
tree_cost(double tree_leaves, BBTreeCost *cost)
{
	double		bits = log2(Max(tree_leaves, 1));
	double		per_value = tree_leaves / BB_BLOCK_VALUES;
	double		leaves = 0;
	double		term = 1;		/* block values at distance r */
	double		values = 0;		/* within r, without the center */

	cost->leaves[0] = 0;
	for (int r = 0; r <= BB_BLOCK_BITS; r++)
	{
		if (bits >= BB_BLOCK_BITS)
			leaves += pigeonhole_binomial(BB_BLOCK_BITS, r);
		else
		{
			int			whole = (int) bits;
			double		part = bits - whole;

			if (r <= whole)
				leaves += (1 - part) * pigeonhole_binomial(whole, r);
			if (r <= whole + 1)
				leaves += part * pigeonhole_binomial(whole + 1, r);
		}
		/* values that begin in one leaf may end in the next */
		cost->leaves[r + 1] = Min(leaves * (1 + per_value), Max(tree_leaves, 1)) +
			values / VALUES_OF_LEAF;
		term = term * (BB_BLOCK_BITS - r) / (r + 1);
		values += term;
	}
}

StaticAssertDecl(sizeof(BBTreeCost) == (BB_BLOCK_BITS + 2) * sizeof(double),
				 "costs of trees are an array of costs");

/* Give every tree the same costs, because nothing is known of their differences. */
void
bb_even_costs(int blocks, double tree_leaves, BBTreeCost *costs)
{
	tree_cost(tree_leaves, &costs[0]);
	for (int t = 1; t < blocks; t++)
		costs[t] = costs[0];
#ifdef BB_TEST_CAPACITY
	/* tests need every choice that finds all rows, not only the best one */
	for (int t = 0; t < blocks; t++)
	{
		static uint32 state = 1;
		double		factor;

		state = state * 1664525 + 1013904223;
		factor = ldexp(1, (int) (state >> 30) - 2);
		for (int r = 0; r <= BB_BLOCK_BITS + 1; r++)
			costs[t].leaves[r] *= factor;
	}
#endif
}

/* The tree whose radius costs least to raise; -1 if all have the largest radius. */
int
bb_next_tree(int blocks, const BBTreeCost *costs, const BBRadii *radii)
{
	return pigeonhole_cheapest_raise(costs->leaves, lengthof(costs->leaves), blocks,
									 BB_BLOCK_BITS, radii->radius);
}

/*
 * Choose the radii that find all rows within k at about the least cost.  Returns the cost.
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

/*
 * Make the first choice, which needs no costs: radius 0 in k + 1 trees, if there are that many.
 * Otherwise count only tree 0, to learn the size of the trees.  Returns whether the choice finds
 * all rows at about the expected cost.
 */
static bool
count_equal_blocks(int blocks, int k, BBCountLeaves count, void *arg, BBRadii *radii,
				   Counted *counted, double *tree_leaves)
{
	int			trees = k < blocks ? k + 1 : 1;
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
	return k < blocks && !surprise;
}

/*
 * Choose the cheapest radii by the expected costs, count their leaves, and choose again while
 * a count is a surprise.  Returns false as soon as a choice costs more than reading all rows.
 *
 * If the result is true, every radius of the choice has been counted.
 */
static bool
choose_and_count(const BBForest *forest, int k, BBCountLeaves count, void *arg,
				 BBRadii *radii, Counted *counted, double tree_leaves)
{
	BBTreeCost	costs[BB_MAX_BLOCKS];
	int			blocks = forest->blocks;

	bb_even_costs(blocks, tree_leaves, costs);
	for (int t = 0; t < blocks; t++)
		if (counted[t].radius == 0 &&
			bb_is_surprise(counted[t].leaves, costs[t].leaves[1]))
			bb_raise_cost(&costs[t], 0, counted[t].leaves - costs[t].leaves[1]);

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

			if (r < 0 || r == counted[t].radius)
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
 * Choose how to find all rows within k, by counting leaves.  k is at least 0 and less than
 * the number of bits.  Returns false if reading everything is best.  Otherwise *radii is the
 * choice, and in each tree with a radius that radius is the last that was counted.
 */
bool
bb_choose_counted(const BBForest *forest, int k, BBCountLeaves count, void *arg,
				  BBRadii *radii)
{
	Counted		counted[BB_MAX_BLOCKS];
	double		tree_leaves = 1;
	double		leaves = 0;

	if (!count_equal_blocks(forest->blocks, k, count, arg, radii, counted, &tree_leaves) &&
		!choose_and_count(forest, k, count, arg, radii, counted, tree_leaves))
		return false;
	for (int t = 0; t < forest->blocks; t++)
		if (radii->radius[t] >= 0)
			leaves += counted[t].leaves;
	return leaves <= tree_leaves * forest->scan_leaves * BB_SEQUENTIAL_COST;
}
