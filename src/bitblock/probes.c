/*-------------------------------------------------------------------------
 *
 * probes.c
 *		Which block values a query looks for, and what that costs.
 *
 * The general pigeonhole principle (Qin et al., "GPH: Similarity search in
 * Hamming space", ICDE 2018): if a fingerprint were farther than r_i from the
 * query in every block i, its distance were at least sum(r_i + 1).  So all that
 * is within k is within r_i in some block i, if sum(r_i + 1) = k + 1.  Raising
 * any one radius by one extends the answer by one.
 *
 * This file knows nothing of pages and of the server; the executor and the
 * planner both decide by it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "probes.h"

/* Binomial coefficients of BB_BLOCK_BITS and less */
static double
choose(int n, int k)
{
	double		result = 1;

	for (int i = 1; i <= k; i++)
		result = result * (n - k + i) / i;
	return result;
}

/* The radius within which so many of random fingerprints are */
int
bb_expected_radius(double entries, double wanted)
{
	double		share = 0;
	double		term = pow(0.5, BB_BITS);
	int			d = 0;

	while (d < BB_BITS)
	{
		share += term;
		if (entries * share >= wanted)
			break;
		term = term * (BB_BITS - d) / (d + 1);
		d++;
	}
	return d;
}

/* The number of block values at distance rmin .. rmax from one */
int
bb_ball_size(int rmin, int rmax)
{
	double		size = 0;

	if (rmax == 0)
		return 1;
	for (int r = Max(rmin, 0); r <= Min(rmax, BB_BLOCK_BITS); r++)
		size += choose(BB_BLOCK_BITS, r);
	return (int) (size + 0.5);
}

/* As bb_ball_values, below a prefix of which "bits" bits are still open */
static uint16 *
ball_values_below(int center, int rmin, int rmax, int prefix, int bits,
				  uint16 *values)
{
	/* the distance so far is accounted for in rmin and rmax */
	if (rmax < 0 || rmin > bits)
		return values;
	if (bits == 0)
	{
		*values = (uint16) prefix;
		return values + 1;
	}
	bits--;
	for (int bit = 0; bit <= 1; bit++)
	{
		int			differs = ((center >> bits) & 1) != bit;

		values = ball_values_below(center, rmin - differs, rmax - differs,
								   prefix | (bit << bits), bits, values);
	}
	return values;
}

/*
 * The block values at distance rmin .. rmax from center, ascending.  values
 * has room for bb_ball_size of them; returns their number.
 */
int
bb_ball_values(int center, int rmin, int rmax, uint16 *values)
{
	if (rmin <= 0 && rmax == 0)
	{
		values[0] = (uint16) center;
		return 1;
	}
	return ball_values_below(center, rmin, rmax, 0, BB_BLOCK_BITS, values) - values;
}

/*
 * The cost of each radius in a tree of so many leaves, if its blocks are like
 * random.  With fewer leaves than block values a leaf holds all values that
 * share their first bits, and values within r share leaves with others.
 */
void
bb_tree_cost(double tree_leaves, BBTreeCost *cost)
{
	double		bits = log2(Max(tree_leaves, 1));
	double		per_value = tree_leaves / BB_BLOCK_VALUES;
	double		leaves = 0;

	cost->leaves[0] = 0;
	for (int r = 0; r <= BB_BLOCK_BITS; r++)
	{
		if (bits >= BB_BLOCK_BITS)
			leaves += choose(BB_BLOCK_BITS, r);
		else
		{
			int			whole = (int) bits;
			double		part = bits - whole;

			if (r <= whole)
				leaves += (1 - part) * choose(whole, r);
			if (r <= whole + 1)
				leaves += part * choose(whole + 1, r);
		}
		/* values that begin in one leaf may end in the next */
		cost->leaves[r + 1] = Min(leaves * (1 + per_value), Max(tree_leaves, 1));
	}
}

/* The tree whose radius is raised at the least cost, or -1 if all are full */
int
bb_next_tree(const BBTreeCost *costs, const BBRadii *radii)
{
	int			best = -1;
	double		best_cost = 0;

	for (int t = 0; t < BB_BLOCKS; t++)
	{
		int			r = radii->radius[t];
		double		cost;

		if (r >= BB_BLOCK_BITS)
			continue;
		cost = costs[t].leaves[r + 2] - costs[t].leaves[r + 1];
		if (best < 0 || cost < best_cost)
		{
			best = t;
			best_cost = cost;
		}
	}
	return best;
}

/*
 * The radii that find all within k, at about the least cost, and that cost.
 */
double
bb_choose_radii(const BBTreeCost *costs, int k, BBRadii *radii)
{
	double		cost = 0;

	for (int t = 0; t < BB_BLOCKS; t++)
		radii->radius[t] = -1;
	for (int i = 0; i <= Min(k, BB_BITS); i++)
	{
		int			t = bb_next_tree(costs, radii);

		if (t < 0)
			break;
		radii->radius[t]++;
	}
	for (int t = 0; t < BB_BLOCKS; t++)
		cost += costs[t].leaves[radii->radius[t] + 1];
	return cost;
}
