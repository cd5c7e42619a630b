/*-------------------------------------------------------------------------
 *
 * pigeonhole.h
 *		The general pigeonhole principle (Qin et al., "GPH: Similarity search in Hamming
 *		space", ICDE 2018) and its arithmetic.
 *
 * If two values differ by more than r_i bits in every block i, they differ by at
 * least sum(r_i + 1) bits.  So block radii with sum(r_i + 1) = k + 1 find all
 * values within k.  A radius of -1 leaves a block out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PIGEONHOLE_H
#define SIMHASH_PIGEONHOLE_H

#include <math.h>

#include "widths.h"

/* For more bits, the share of one distance may be too small for a double, also in text/bound.c. */
#define MOST_SHARE_BITS		1024

#if MOST_BITS > MOST_SHARE_BITS
#error "the arithmetic of shares does not allow so many bits"
#endif

/*
 * The number of values of n bits at distance k from one value, 0 <= k <= n: C(n, k).
 */
static inline double
pigeonhole_binomial(int n, int k)
{
	double		result = 1;

	for (int i = 1; i <= k; i++)
		result = result * (n - k + i) / i;
	return result;
}

/*
 * The number of values of n bits at distance rmin to rmax from one value; 0 if rmin
 * > rmax.
 */
static inline double
pigeonhole_ball_size(int n, int rmin, int rmax)
{
	double		size = 0;
	double		term = 1;		/* C(n, r) */

	for (int r = 0; r <= rmax && r <= n; r++)
	{
		if (r >= rmin)
			size += term;
		term = term * (n - r) / (r + 1);
	}
	return size;
}

/*
 * The share of pairs of random values of n bits that are at distance k: C(n, k) / 2^n.
 * The function multiplies shares, because for 1024 bits C(n, k) exceeds a double.
 */
static inline double
pigeonhole_share_at(int n, int k)
{
	double		result = ldexp(1, -n);

	for (int i = 1; i <= k; i++)
		result = result * (n - k + i) / i;
	return result;
}

/* The share of pairs of random values of n bits that are within radius, 0 to 1. */
static inline double
pigeonhole_share(int n, int radius)
{
	double		share = 0;
	double		term = ldexp(1, -n);

	for (int r = 0; r <= radius && r <= n; r++)
	{
		share += term;
		term = term * (n - r) / (r + 1);
	}
	return share < 1 ? share : 1;
}

/*
 * The least radius with at least this share of random pairs; n if no radius has it.
 */
static inline int
pigeonhole_radius_of_share(int n, double wanted)
{
	double		share = 0;
	double		term = ldexp(1, -n);
	int			r = 0;

	while (r < n)
	{
		share += term;
		if (share >= wanted)
			break;
		term = term * (n - r) / (r + 1);
		r++;
	}
	return r;
}

/*
 * The block whose radius can be raised by one at the least cost; the first such
 * block if several have the same cost; -1 if all blocks have the largest radius.
 * costs[block * stride + r + 1] is the cost of radius r in a block, from r = -1 on.
 */
static inline int
pigeonhole_cheapest_raise(const double *costs, int stride, int nblocks, int largest,
						  const int *radii)
{
	int			best = -1;
	double		best_cost = 0;

	for (int block = 0; block < nblocks; block++)
	{
		const double *of_block = costs + block * stride;
		int			r = radii[block];
		double		cost;

		if (r >= largest)
			continue;
		cost = of_block[r + 2] - of_block[r + 1];
		if (best < 0 || cost < best_cost)
		{
			best = block;
			best_cost = cost;
		}
	}
	return best;
}

#endif
