/*-------------------------------------------------------------------------
 *
 * bound.c
 *		The bound from a resemblance; see bound.h.
 *
 * The mathematical libraries of two machines may differ in the last bit of a power or a
 * logarithm, so the functions use none.
 *
 *-------------------------------------------------------------------------
 */
#include "bound.h"
#include "salts.h"


/* Store the probability of each distance from 0 to bits. */
static void
share_of_distances(double differs, int bits, double *shares)
{
	double		share = 1;

	/* at least 2^-1024, which is no 0 */
	for (int i = 0; i < bits; i++)
		share *= 1 - differs;
	shares[0] = share;
	for (int i = 1; i <= bits; i++)
	{
		share = share * (bits - i + 1) / i * (differs / (1 - differs));
		shares[i] = share;
	}
}

int
core_minwise_bound(double resemblance, int bits, double recall)
{
	double		differs = (1 - resemblance) / 2;
	double		shares[MOST_BITS + 1];
	double		found = 0;
	double		missed = 0;
	int			bound;

	if (differs == 0)
		return 0;
	if (recall == 1)
		return bits;
	share_of_distances(differs, bits, shares);

	/*
	 * Sum the shares on one side of the bound, those farthest from it first.
	 * The side is the one whose sum is below one half, because a small
	 * difference from 1 would be rounded.
	 */
	if (recall < 0.5)
	{
		for (bound = 0; bound < bits; bound++)
		{
			found += shares[bound];
			if (found >= recall)
				break;
		}
	}
	else
	{
		for (bound = bits; bound > 0; bound--)
		{
			missed += shares[bound];
			if (missed > 1 - recall)
				break;
		}
	}
	return bound;
}
