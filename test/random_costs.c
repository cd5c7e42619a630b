/*
 * probes.c of the builds with small pages (lib.sh): the cost of each tree is multiplied by a random
 * power of two, because tests need every choice of radii that finds all rows, not only the best one.
 */
#define bb_even_costs expected_costs
#include "probes_as_is.inc"
#undef bb_even_costs

extern void bb_even_costs(int blocks, double tree_leaves, BBTreeCost *costs);

void
bb_even_costs(int blocks, double tree_leaves, BBTreeCost *costs)
{
	static uint32 state = 1;

	expected_costs(blocks, tree_leaves, costs);
	for (int t = 0; t < blocks; t++)
	{
		double		factor;

		state = state * 1664525 + 1013904223;
		factor = ldexp(1, (int) (state >> 30) - 2);
		for (int r = 0; r <= BB_BLOCK_BITS + 1; r++)
			costs[t].leaves[r] *= factor;
	}
}
