/*
 * Fuzz target: the block values that a query of bitblock searches for.  The radii
 * always find all fingerprints within the distance, even if the counted numbers of
 * leaves are surprising at every step.  The values within a radius are complete.
 */
#include "fuzz.h"				/* before PostgreSQL defines its own printf */

#include "postgres.h"

#include <math.h>

#include "index/bitblock/search/radii.h"

static int
block_distance(int a, int b)
{
	int			distance = 0;

	for (int x = a ^ b; x != 0; x &= x - 1)
		distance++;
	return distance;
}

/* The pairs of blocks within the limits are complete, ascending, and as many as expected. */
static void
check_pairs(int first, int second, int radius, int both)
{
	int			npairs;
	double		leaves = bb_pair_leaves(radius, both, 30, &npairs);
	uint32	   *firsts = malloc(bb_ball_size(radius) * sizeof(uint32));
	uint32	   *pairs = malloc(npairs * sizeof(uint32) + 1);
	int			n;

	if (leaves < HUGE_VAL)
	{
		int			nfirsts = bb_ball_values(first, radius, firsts);

		n = bb_ball_pairs(first, second, both, firsts, nfirsts, pairs);
		REQUIRE(n == npairs);
		for (int i = 0; i < n; i++)
		{
			int			distance = block_distance(pairs[i] >> 16, first);

			REQUIRE(distance <= radius &&
					distance + block_distance(pairs[i] & 0xffff, second) <= both);
			REQUIRE(i == 0 || pairs[i] > pairs[i - 1]);
		}
	}
	free(firsts);
	free(pairs);
}

static void
check_values(int center, int radius)
{
	int			size = bb_ball_size(radius);
	uint32	   *values = malloc(size * sizeof(uint32) + 1);
	int			n = bb_ball_values(center, radius, values);
	int			at = 0;

	REQUIRE(n == size);
	for (int value = 0; value < BB_BLOCK_VALUES; value++)
	{
		if (block_distance(value, center) > radius)
			continue;
		REQUIRE(at < n && values[at] == (uint32) value << BB_BLOCK_BITS);
		at++;
	}
	REQUIRE(at == n);
	free(values);
}

/*
 * An index that consists only of numbers of leaves, which come from the input.  No
 * real index needs to have these numbers.
 */
typedef struct Trees
{
	const uint8_t *data;
	size_t		size;
	BBForest	forest;
	double		leaves[BB_MAX_BLOCKS];
	int			counted[BB_MAX_BLOCKS]; /* the last counted radius */
	double		count[BB_MAX_BLOCKS];
	int			counts;
} Trees;

static double
count_leaves(void *arg, int tree, int radius, double expected, double *tree_leaves)
{
	Trees	   *trees = arg;
	unsigned	kind = (unsigned) take(&trees->data, &trees->size, 1);
	double		leaves;

	REQUIRE(tree >= 0 && tree < trees->forest.blocks);
	REQUIRE(radius >= 0 && radius <= BB_BLOCK_BITS);
	REQUIRE(isfinite(expected) && expected >= 0);
	*tree_leaves = trees->leaves[tree];
	switch (kind % 5)
	{
		case 0:
			leaves = 0;
			break;
		case 1:					/* the estimated number */
			leaves = expected;
			break;
		case 2:					/* nearly a surprise */
			leaves = 2 * expected + 8;
			break;
		case 3:
			leaves = trees->leaves[tree];
			break;
		default:
			leaves = (double) take(&trees->data, &trees->size, kind % 4);
	}
	trees->counted[tree] = radius;
	trees->count[tree] = leaves;
	trees->counts++;
	return leaves;
}

/*
 * The chosen radii find all fingerprints within k for any contents of the trees, and each
 * radius beyond "before" was the last one counted in its tree.  If nothing is chosen, the
 * search would cost more than reading a tree.  Returns whether radii were chosen.
 */
static bool
check_choice(Trees *trees, int k, const BBRadii *before, BBRadii *radii)
{
	double		total = 0;
	int			blocks = trees->forest.blocks;
	int			reach = 0;
	bool		chosen;

	trees->counts = 0;
	for (int t = 0; t < blocks; t++)
	{
		trees->leaves[t] = 1 + (double) take(&trees->data, &trees->size, 3);
		trees->counted[t] = -1;
	}
	chosen = bb_choose_counted(&trees->forest, k, before, count_leaves, trees, radii);
	for (int t = 0; chosen && t < blocks; t++)
	{
		int			least = before == NULL ? -1 : before->radius[t];

		REQUIRE(radii->radius[t] >= least && radii->radius[t] <= BB_BLOCK_BITS);
		reach += radii->radius[t] + 1;
		if (radii->radius[t] == least)
			continue;
		REQUIRE(trees->counted[t] == radii->radius[t]);
		total += trees->count[t];
	}
	REQUIRE(!chosen || reach == k + 1);
	REQUIRE(!chosen ||
			total <= trees->leaves[0] * trees->forest.scan_leaves * BB_SEQUENTIAL_COST);
	REQUIRE(trees->counts <= 10 * blocks);
	return chosen;
}

/* Choose radii for k, and then more for a larger distance, as a nearest search does. */
static void
check_choices(const uint8_t *data, size_t size, BBForest forest, int k)
{
	Trees		trees = {.data = data,.size = size,.forest = forest};
	int			more = 1 + (int) take(&trees.data, &trees.size, 1) % 16;
	BBRadii		before;
	BBRadii		radii;

	if (check_choice(&trees, k, NULL, &before) && k + more < forest.blocks * BB_BLOCK_BITS)
		(void) check_choice(&trees, k + more, &before, &radii);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int			width = (int) take(&data, &size, 1);
	int			blocks = width % 2 == 0 ? BB_WINDOW_BLOCKS :
		BB_WINDOW_BLOCKS + width / 2 % (BB_MAX_BLOCKS - BB_WINDOW_BLOCKS + 1);
	int			bits = blocks * BB_BLOCK_BITS;
	BBForest	forest = {blocks, 1 + (double) (width % 7)};
	int			k = (int) take(&data, &size, blocks == BB_WINDOW_BLOCKS ? 1 : 2) % (bits + 2) - 1;
	int			center = (int) take(&data, &size, 2);
	int			most = (int) (take(&data, &size, 1) % (BB_BLOCK_BITS + 1));
	int			second = (int) (take(&data, &size, 1) % (BB_BLOCK_BITS + 2));
	double		entries = (double) take(&data, &size, 8);
	BBTreeCost	costs[BB_MAX_BLOCKS];
	BBRadii		radii;
	double		cost;
	double		sum = 0;
	int			found = 0;
	int			radius;

	check_values(center, most);
	check_pairs(center, k & 0xffff, most, most + second);
	if (k >= 0 && k < bits)
		check_choices(data, size, forest, k);

	/* costs as estimated, and any costs that grow with the radius */
	bb_even_costs(blocks, (double) take(&data, &size, 4), costs);
	for (int t = 0; t < blocks; t++)
	{
		for (int r = 0; r <= BB_BLOCK_BITS + 1; r++)
		{
			REQUIRE(isfinite(costs[t].leaves[r]));
			REQUIRE(r == 0 || costs[t].leaves[r] >= costs[t].leaves[r - 1]);
			/* a radius is not free because the tree has few leaves */
			REQUIRE(costs[t].leaves[r] >= bb_ball_size(r - 1) / 1000.0);
		}
		for (int r = 1; size > 0 && r <= BB_BLOCK_BITS + 1; r++)
			costs[t].leaves[r] = costs[t].leaves[r - 1] + (double) take(&data, &size, 1);
	}
	bb_raise_cost(&costs[center % blocks], most, 100);
	cost = bb_choose_radii(blocks, costs, k, &radii);
	for (int t = 0; t < blocks; t++)
	{
		REQUIRE(radii.radius[t] >= -1 && radii.radius[t] <= BB_BLOCK_BITS);
		found += radii.radius[t] + 1;
		sum += costs[t].leaves[radii.radius[t] + 1];
	}
	REQUIRE(cost == sum);
	REQUIRE(found == k + 1);

	radius = bb_expected_radius(bits, entries, 10);
	REQUIRE(radius >= 0 && radius <= bits);
	return 0;
}
