/*-------------------------------------------------------------------------
 *
 * block_plan.c
 *		The blocks of bits that a join of fingerprints sorts by.
 *
 * A plan is a choice of blocks and of their radii by the pigeonhole principle
 * (../pigeonhole.h).
 *
 * A few wide blocks need radii above 0, while many narrow blocks have many candidates.  Which is
 * cheaper depends on the number of fingerprints and on their bits: a bit that is the same in all
 * fingerprints does not separate them.  So the plan estimates from a sample the probability that
 * each bit differs, makes blocks of the bits that are most likely to differ, and chooses the number
 * and the width of blocks that cost least.  The plan assumes that bits do not depend on each other.
 * If a value is too frequent after all, the join makes another plan for its fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "../pigeonhole.h"
#include "block_plan.h"
#include "../store/random.h"

#define BITS			64
#define SAMPLE			256		/* fingerprints of a side in the sample */
#define GRADES			16		/* of bits, by their probability to differ */

/*
 * The share of n words in which each bit is set, from a sample.  The words are "stride" places
 * apart.
 */
static void
bit_probabilities(const uint64_t *words, size_t stride, size_t n, double *probabilities)
{
	int			set[BITS] = {0};
	uint64_t	state = 1;
	size_t		sample = n < SAMPLE ? n : SAMPLE;

	for (size_t i = 0; i < sample; i++)
	{
		/* at random: a fixed stride might agree with a pattern of the data */
		size_t		place = n > SAMPLE ? (size_t) random_below(&state, n) : i;

		for (int bit = 0; bit < BITS; bit++)
			set[bit] += (int) (words[place * stride] >> bit & 1);
	}
	for (int bit = 0; bit < BITS; bit++)
		probabilities[bit] = sample == 0 ? 0 : (double) set[bit] / sample;
}

/*
 * List the bits of the mask "bits" in "best", the most probable to differ first.  Returns
 * their number.
 */
static int
rank_bits(uint64_t bits, const double *differ, int *best)
{
	int			nbits = 0;

	for (int grade = GRADES; grade >= 0; grade--)
		for (int bit = BITS - 1; bit >= 0; bit--)
			if ((bits >> bit & 1) != 0 && (int) (differ[bit] * GRADES + 0.5) == grade)
				best[nbits++] = bit;
	return nbits;
}

/*
 * Cut the first nblocks * block_bits bits of "best" into blocks, in the order of the bits'
 * places.
 */
static void
cut_blocks(const int *best, int nblocks, int block_bits, uint64_t *masks)
{
	uint64_t	chosen = 0;
	int			bit = BITS;

	for (int i = 0; i < nblocks * block_bits; i++)
		chosen |= UINT64_C(1) << best[i];
	for (int block = 0; block < nblocks; block++)
	{
		masks[block] = 0;
		for (int i = 0; i < block_bits; i++)
		{
			do
				bit--;
			while ((chosen >> bit & 1) == 0);
			masks[block] |= UINT64_C(1) << bit;
		}
	}
}

/* within[r]: the probability that two fingerprints differ in at most r bits */
static void
block_probabilities(uint64_t mask, const double *differ, double *within)
{
	double		exactly[MAX_RADIUS + 1] = {1};

	for (int bit = 0; bit < BITS; bit++)
	{
		if ((mask >> bit & 1) == 0)
			continue;
		for (int r = MAX_RADIUS; r >= 0; r--)
			exactly[r] = exactly[r] * (1 - differ[bit]) +
				(r > 0 ? exactly[r - 1] * differ[bit] : 0);
	}
	within[0] = exactly[0];
	for (int r = 1; r <= MAX_RADIUS; r++)
		within[r] = within[r - 1] + exactly[r];
}

/* Sizes of the two sides; the same size twice for a set that is joined with itself. */
typedef struct Sides
{
	double		na;
	double		nb;
	bool		self;
	double		pairs;

	/* The number of a block's bits that divide the sides into parts, or 0. */
	int			part_bits;
} Sides;

/* Estimate the cost of a block with this number of bits and this radius, in nanoseconds. */
static double
block_cost(const Sides *sides, int bits, int radius, const double *within)
{
	double		values = (double) (UINT64_C(1) << bits);
	double		used = values < sides->na ? values : sides->na;
	double		joins;			/* joins for each part */
	double		cost;

	if (radius < 0)
		return 0;

	/*
	 * a part is joined with itself, and with half of the others within the
	 * radius
	 */
	joins = sides->part_bits == 0 ? 1 :
		(1 + pigeonhole_ball_size(sides->part_bits, 0,
								  radius < sides->part_bits ? radius : sides->part_bits)) / 2;
	cost = COST_VALUE * values +
		COST_SORT * joins * (sides->na + (sides->self ? 0 : sides->nb)) +
		COST_BEGIN * joins * sides->na + COST_COMPARE * sides->pairs * within[radius];
	if (sides->part_bits > 0)
		cost += COST_LOAD * (1 + joins) * sides->na;
	if (radius > 0)
		cost += used * pigeonhole_ball_size(bits, 0, radius) *
			(COST_VISIT + COST_GATHER * (sides->self ? 0.5 : 1) * sides->nb / values);
	return cost;
}

/*
 * Choose the radii of the blocks: raise by one the radius that costs least, until the
 * radii find all pairs within the distance.  Returns the cost of the plan, or -1 if that
 * would need a radius above MAX_RADIUS.
 */
static double
choose_radii(const Sides *sides, const double *differ, int distance,
			 BlockPlan *plan)
{
	double		within[MAX_BLOCKS][MAX_RADIUS + 1];
	double		costs[MAX_BLOCKS][MAX_RADIUS + 2];	/* from radius -1 on */
	int			largest = plan->block_bits > MAX_RADIUS ? MAX_RADIUS : plan->block_bits - 1;
	double		total = 0;

	for (int block = 0; block < plan->nblocks; block++)
	{
		block_probabilities(plan->masks[block], differ, within[block]);
		for (int r = -1; r <= MAX_RADIUS; r++)
			costs[block][r + 1] = block_cost(sides, plan->block_bits, r, within[block]);
		plan->radii[block] = -1;
	}
	for (int raised = 0; raised <= distance; raised++)
	{
		int			block = pigeonhole_cheapest_raise(costs[0], MAX_RADIUS + 2, plan->nblocks,
													  largest, plan->radii);
		int			r;

		if (block < 0)
			return -1;
		r = ++plan->radii[block];
		total += costs[block][r + 1] - costs[block][r];
	}
	return total;
}

/*
 * Find the cheapest plan.  A block has bits of the mask "bits", at most most_bits of them.  The
 * plan has no blocks if none costs less than "cost".
 */
static void
cheapest_plan(const Sides *sides, const double *differ, uint64_t bits, int distance,
			  int most_bits, double cost, BlockPlan *plan)
{
	int			best[BITS];
	int			nbits = rank_bits(bits, differ, best);
	double		best_cost = cost;

	plan->nblocks = 0;
	for (int nblocks = 1; nblocks <= MAX_BLOCKS && nblocks <= distance + 1; nblocks++)
		for (int width = 2; width <= most_bits && nblocks * width <= nbits; width++)
		{
			BlockPlan	candidate;

			/* each block costs at least its sort */
			if ((COST_SORT * sides->na + COST_VALUE * (1 << width)) * nblocks > best_cost)
				break;
			candidate.nblocks = nblocks;
			candidate.block_bits = width;
			cut_blocks(best, nblocks, width, candidate.masks);
			cost = choose_radii(sides, differ, distance, &candidate);
			if (cost >= 0 && cost < best_cost)
			{
				best_cost = cost;
				*plan = candidate;
			}
		}
}

void
core_plan_blocks(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
				 uint64_t bits, int distance, int most_bits, double words,
				 BlockPlan *plan)
{
	double		p[BITS];
	double		q[BITS];
	double		differ[BITS];
	Sides		sides = {0};

	sides.na = na;
	sides.self = b == NULL;
	sides.nb = sides.self ? na : nb;
	sides.pairs = sides.self ? sides.na * (sides.na - 1) / 2 : sides.na * sides.nb;

	bit_probabilities(a, 1, na, p);
	bit_probabilities(sides.self ? a : b, 1, sides.self ? na : nb, q);
	for (int bit = 0; bit < BITS; bit++)
		differ[bit] = p[bit] * (1 - q[bit]) + q[bit] * (1 - p[bit]);
	cheapest_plan(&sides, differ, bits, distance, most_bits,
				  COST_COMPARE * words * sides.pairs, plan);
}

void
core_plan_parts(const Fingerprints *sample, int word, double n, int distance,
				int most_bits, int part_bits, double words, BlockPlan *plan)
{
	double		p[BITS];
	double		differ[BITS];
	Sides		sides = {n, n, true, n * (n - 1) / 2, part_bits};

	bit_probabilities(sample->words + word, (size_t) sample->nwords, sample->n, p);
	for (int bit = 0; bit < BITS; bit++)
		differ[bit] = 2 * p[bit] * (1 - p[bit]);
	cheapest_plan(&sides, differ, ~UINT64_C(0), distance, most_bits,
				  COST_COMPARE * words * sides.pairs, plan);
}

void
core_plan_words(const Fingerprints *fps, int distance, WordPlan *plan)
{
	double		weights[MOST_WORDS] = {0};

	plan->distance = distance;
	for (int word = 0; word < MOST_WORDS; word++)
		plan->radii[word] = -1;
	if (fps->nwords == 1)
	{
		plan->radii[0] = distance;
		return;
	}
	for (int word = 0; word < fps->nwords; word++)
	{
		double		p[BITS];

		bit_probabilities(fps->words + word, (size_t) fps->nwords, fps->n, p);
		for (int bit = 0; bit < BITS; bit++)
			weights[word] += 2 * p[bit] * (1 - p[bit]);
	}
	for (int raised = 0; raised <= distance; raised++)
	{
		int			best = -1;
		double		best_share = 0;

		for (int word = 0; word < fps->nwords; word++)
		{
			double		share = (plan->radii[word] + 2) / (weights[word] + 1e-9);

			if (plan->radii[word] < BITS && (best < 0 || share < best_share))
			{
				best = word;
				best_share = share;
			}
		}
		/* a word with radius BITS finds all pairs, and needs no more */
		if (best >= 0)
			plan->radii[best]++;
	}
}

int
core_most_block_bits(size_t values)
{
	int			bits = 1;

	while (bits < MAX_BLOCK_BITS && (size_t) 2 << bits <= values)
		bits++;
	return bits;
}
