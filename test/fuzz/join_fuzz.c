/*
 * Fuzz target: pairs, components and stars of a set of fingerprints match their
 * definitions, for any amount of memory.  Plans of larger sets leave out no pair.
 * The target is built with JOIN_TEST_SIZES, so that a few hundred fingerprints need
 * several levels, passes and chunks.  test/unit/join_test.c has the usual sizes and
 * thousands of fingerprints.
 *
 * The input is the distance, the size of the memory, the width of the fingerprints, and
 * steps that make fingerprints: a new fingerprint, one with a flipped bit, many in a row
 * or around one.
 */
#define MOST_ROWS 300

#include "../unit/join_check.h"
#include "fuzz.h"

#define MANY 2000

static uint64_t given[MOST_ROWS];

static const Env env = {
	.resize = fuzz_resize,.release = fuzz_release,.check_interrupts = fuzz_check_interrupts,
	TEST_FILES
};

static void *
exact_room(size_t size)
{
	void	   *room = calloc(1, size > 0 ? size : 1);

	REQUIRE(room != NULL);
	return room;
}

static size_t
make_fps(const uint8_t *data, size_t size)
{
	size_t		n = 0;

	while (size > 0 && n < MOST_ROWS)
	{
		uint8_t		how = (uint8_t) take(&data, &size, 1);
		uint64_t	base = n > 0 ? given[n - 1 - (how >> 3) % n] : 0;
		uint64_t	step;
		int			count;

		switch (how & 7)
		{
			case 0:
				given[n++] = take(&data, &size, 8);
				break;
			case 1:
				given[n++] = base;
				break;
			case 2:
				given[n++] = ~base;
				break;
			case 3:
				/* a run that differs in few bits, or in all */
				count = (int) take(&data, &size, 1);
				step = take(&data, &size, 1) << (how >> 3) * 2;
				for (int i = 0; i < count && n < MOST_ROWS; i++)
					given[n++] = base += step;
				break;
			case 4:
				count = (int) take(&data, &size, 1);
				for (int i = 0; i < count && n < MOST_ROWS; i++)
					given[n++] = base = (base ^ base >> 31 ^ (uint64_t) i) *
						UINT64_C(0x9E3779B97F4A7C15);
				break;
			case 5:
				/* around one fingerprint, each up to three bits from it */
				count = (int) take(&data, &size, 1);
				step = take(&data, &size, 2) | 1;
				for (int i = 0; i < count && n < MOST_ROWS; i++)
				{
					uint64_t	x = (step + (uint64_t) i) * UINT64_C(0x9E3779B97F4A7C15);

					given[n] = base;
					for (uint64_t flips = x >> 62; flips > 0; flips--)
						given[n] ^= UINT64_C(1) << (x >> flips * 6 & 63);
					n++;
				}
				break;
			default:
				given[n++] = base ^ UINT64_C(1) << take(&data, &size, 1) % 64;
		}
	}
	return n;
}

/*
 * Make a wide fingerprint from each given one.  The given fingerprint decides which words
 * depend on it, so that many wide fingerprints differ in few words.
 */
static uint64_t *
widen(size_t n, int nwords)
{
	uint64_t   *words = exact_room(n * (size_t) nwords * sizeof(uint64_t));

	for (size_t i = 0; i < n; i++)
		for (int w = 0; w < nwords; w++)
		{
			uint64_t	x = given[i];
			int			turn = w * 7 % 64;

			if (turn > 0)
				x = x << turn | x >> (64 - turn);
			words[i * (size_t) nwords + (size_t) w] =
				w == 0 || (given[i] >> w * 3 & 1) != 0 ? x : UINT64_C(0x9E3779B97F4A7C15) << w;
		}
	return words;
}

/* For any words, a pair within the distance is within the radius of some word. */
static void
check_words(const Fingerprints *fps, int distance)
{
	WordPlan	plan;
	int			reach = 0;
	bool		all = distance < 0;

	core_plan_words(fps, distance, &plan);
	for (int word = 0; word < MOST_WORDS; word++)
	{
		REQUIRE(plan.radii[word] >= -1 && (word < fps->nwords || plan.radii[word] == -1));
		reach += plan.radii[word] + 1;
		all |= plan.radii[word] >= 64;
	}
	REQUIRE(all || reach == distance + 1);
}

/*
 * A plan for a large set has disjoint blocks of the bits that count.  One of the
 * blocks has few enough of any differing bits.
 */
static void
check_plan(size_t n, int distance, uint64_t bits)
{
	static uint64_t many[MANY];
	BlockPlan	plan;
	uint64_t	seen = 0;
	int			found_within = 0;

	for (size_t i = 0; i < MANY; i++)
		many[i] = given[i % n] ^ (i / n * UINT64_C(0x9E3779B97F4A7C15) & bits);
	core_plan_blocks(many, MANY, NULL, 0, bits, distance, MAX_BLOCK_BITS, 1, &plan);
	REQUIRE(plan.nblocks >= 0 && plan.nblocks <= MAX_BLOCKS);
	for (int block = 0; block < plan.nblocks; block++)
	{
		REQUIRE((plan.masks[block] & (seen | ~bits)) == 0);
		REQUIRE(__builtin_popcountll(plan.masks[block]) == plan.block_bits);
		REQUIRE(plan.radii[block] >= -1 && plan.radii[block] <= MAX_RADIUS);
		seen |= plan.masks[block];
		found_within += plan.radii[block] + 1;
	}
	REQUIRE(plan.nblocks == 0 || found_within > distance);
}

/*
 * Every valid plan finds every pair in the first block that contains the pair, also
 * a plan that the planner would not choose: random bits, in blocks of random width,
 * with random radii.
 */
static void
check_random_plan(const Fingerprints *fps, int distance, uint64_t state)
{
	RowSet		set = {NULL, fps->n, 0};
	WordPlan	words;
	BlockPlan	plan;
	int			bits[64];
	int			reach = 0;

	core_plan_words(fps, distance, &words);
	for (int i = 0; i < 64; i++)
	{
		int			k;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		k = (int) ((state >> 33) % (uint64_t) (i + 1));
		bits[i] = bits[k];
		bits[k] = i;
	}
	plan.block_bits = 1 + (int) (state >> 40) % MAX_BLOCK_BITS;
	plan.nblocks = 1 + (int) (state >> 48) % MAX_BLOCKS;
	if (plan.nblocks * plan.block_bits > 64)
		plan.nblocks = 64 / plan.block_bits;
	for (int block = 0; block < plan.nblocks; block++)
	{
		plan.masks[block] = 0;
		plan.radii[block] = -1;
		for (int i = 0; i < plan.block_bits; i++)
			plan.masks[block] |= UINT64_C(1) << bits[block * plan.block_bits + i];
	}
	for (int tries = 0; reach <= distance && tries < 1000; tries++)
	{
		int			block;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		block = (int) ((state >> 33) % (uint64_t) plan.nblocks);
		if (plan.radii[block] >= MAX_RADIUS || plan.radii[block] >= plan.block_bits - 1)
			continue;
		plan.radii[block]++;
		reach++;
	}
	if (distance < 0 || reach <= distance)
		return;

	forget_found(fps->n);
	for (int block = 0; block < plan.nblocks; block++)
	{
		FingerprintPair *pairs;
		size_t		npairs;
		BlockJoin	wanted = {0, &plan, block, 0, 0, 0};	/* the whole block */
		Join	   *join;

		if (plan.radii[block] < 0)
			continue;
		join = core_join_begin_block(fps, &words, &set, NULL, &wanted, &env);
		while ((npairs = core_join_next(join, &pairs)) > 0)
			for (size_t i = 0; i < npairs; i++)
				REQUIRE(wrong_found(fps->n, pairs[i].a, pairs[i].b, pairs[i].distance) == 0);
		core_join_end(join);
	}
	for (size_t a = 0; a < set.n; a++)
		for (size_t b = a + 1; b < set.n; b++)
			REQUIRE(times_found[a][b] == (distance_of[a][b] <= distance));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int widths[] = {1, 2, 3, 4, 5, 8, 9, 16};
	int			distance = (int) take(&data, &size, 1) - 1;
	int			mode = (int) take(&data, &size, 1);
	size_t		passes = (size_t) mode % 16;
	Fingerprints fps;
	size_t		memory;
	uint64_t   *words;

	fps.nwords = widths[mode >> 5];
	fps.n = make_fps(data, size);
	memory = passes == 0 ? 1 << 30 : fps.n * 28 / passes;
	if (distance > 70)
		distance %= 12 * fps.nwords;	/* only sets that need a plan */
	fps.words = words = widen(fps.n, fps.nwords);
	define_distances(&fps);
	check_words(&fps, distance);
	REQUIRE(wrong_row_pairs(&fps, distance, memory, &env) == 0);
	REQUIRE(wrong_groups(&fps, distance, memory, &env, core_components, define_components) == 0);
	REQUIRE(wrong_groups(&fps, distance, memory, &env, core_stars, define_stars) == 0);
	REQUIRE(wrong_groups(&fps, distance, memory, &env, stars_by_rule, define_stars_by_rule) == 0);
	REQUIRE(wrong_joined(&fps, distance, &env) == 0);
	if (fps.n > 0 && fps.nwords == 1)
	{
		check_plan(fps.n, distance, mode & 16 ? given[0] : ~UINT64_C(0));
		for (uint64_t plan = 1; plan <= 4; plan++)
			check_random_plan(&fps, distance, given[0] * plan + size + plan);
	}
	free(words);
	return 0;
}
