/*-------------------------------------------------------------------------
 *
 * probes.c
 *		The block values within a radius, and how many leaves hold them.
 *
 * radii.c chooses the radius of each tree.  Neither file knows pages or the server.  Both
 * the executor and the planner use them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "core/hamming.h"
#include "core/pigeonhole.h"
#include "port/pg_bitutils.h"
#include "probes.h"

/* The largest number of pairs of blocks that a search looks for in a tree */
#define BB_MAX_PAIRS			100000

/* Looking up this many block values takes as much time as reading a leaf */
#define VALUES_OF_LEAF			64.0

/* The number of block values within a radius of a block value. */
int
bb_ball_size(int radius)
{
	return (int) (pigeonhole_ball_size(BB_BLOCK_BITS, 0, radius) + 0.5);
}

/*
 * Write to pairs, ascending, the pairs of blocks that differ from center in at most one
 * of the "varied" bits.  Returns the end of the pairs.
 */
static uint32 *
ball_of_one(uint32 center, uint32 varied, uint32 *pairs)
{
	uint32		bit;

	for (uint32 ones = center & varied; ones != 0; ones ^= bit)
	{
		bit = UINT32_C(1) << pg_leftmost_one_pos32(ones);
		*pairs++ = center ^ bit;
	}
	*pairs++ = center;
	for (uint32 zeros = ~center & varied; zeros != 0; zeros ^= bit)
	{
		bit = zeros & -zeros;
		*pairs++ = center ^ bit;
	}
	return pairs;
}

/*
 * Write to pairs, ascending, the pairs of blocks within a radius of center that differ
 * from it only in the "varied" bits, which follow each other.  Returns the end of the
 * pairs.
 */
static uint32 *
ball_below(uint32 center, int radius, uint32 varied, uint32 *pairs)
{
	uint32		first = varied & ~(varied >> 1);

	if (radius < 0)
		return pairs;
	if (radius == 0 || varied == 0)
	{
		*pairs = center;
		return pairs + 1;
	}
	if (radius == 1)
		return ball_of_one(center, varied, pairs);
	for (int bit = 0; bit <= 1; bit++)
	{
		bool		differs = ((center & first) != 0) != bit;

		pairs = ball_below(differs ? center ^ first : center, radius - differs, varied ^ first,
						   pairs);
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
 * Write to pairs the block values within a radius of center, ascending, each in a pair
 * with 0.  "pairs" has room for bb_ball_size pairs.  Returns their number.
 */
int
bb_ball_values(int center, int radius, uint32 *pairs)
{
	return ball_below(first_of_pair(center), radius, first_of_pair(BB_BLOCK_VALUES - 1), pairs) -
		pairs;
}

/* The number of second blocks that make pairs with a first block at distance d. */
static int
pairs_of_first(int d, int both)
{
	return bb_ball_size(Min(both - d, BB_BLOCK_BITS));
}

/*
 * Estimate the number of leaves that have pairs of blocks which bb_ball_pairs returns, if
 * each block value has leaves_of_value leaves.  *npairs becomes the number of pairs.
 * Returns HUGE_VAL if there are too many pairs.
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
 * Write to pairs, ascending, the pairs of blocks whose first block is one of "firsts"
 * (see bb_ball_values), and whose distance from the pair of "first" and "second" is at
 * most "both".  "pairs" has room for them (bb_pair_leaves).  Returns their number.
 */
int
bb_ball_pairs(int first, int second, int both, const uint32 *firsts, int nfirsts,
			  uint32 *pairs)
{
	uint32	   *end = pairs;

	for (int i = 0; i < nfirsts; i++)
	{
		int			rest = both - hamming_weight(firsts[i] ^ first_of_pair(first));

		end = ball_below(firsts[i] | second, rest, BB_BLOCK_VALUES - 1, end);
	}
	return end - pairs;
}

/*
 * Estimate the cost of each radius in a tree of tree_leaves leaves whose block values are
 * evenly distributed.  If there are fewer leaves than block values, a leaf holds all
 * values with the same first bits, so several values within a radius are in the same
 * leaf.
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
}
