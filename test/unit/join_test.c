/*
 * Tests of the join: pairs, components and stars against their definitions, over
 * fingerprints of many widths and shapes, in memory and in passes.  SIMHASH_SOAK=n runs them n
 * times, over other data each time.  MAX_N and LARGE_N are the numbers of fingerprints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/core/hamming.h"
#include "../../src/core/join/near_pairs_tasks.h"
#include "../../src/core/permutation.h"
#include "random.h"

#ifndef MAX_N
#ifdef JOIN_TEST_SIZES
#define MAX_N		120
#else
#define MAX_N		2200		/* more than the join compares at a time */
#endif
#endif
#define MOST_ROWS	MAX_N
#include "join_check.h"
#ifndef LARGE_N
#ifdef JOIN_TEST_SIZES
#define LARGE_N		500
#else
#define LARGE_N		40000
#endif
#endif
/* With more memory than this, a join takes what its rows need. */
#define PLENTY		((size_t) 1 << 28)
#define ROW_BYTES(nwords)	((nwords) * 8 + 28)

static const int distances[] = {-1, 0, 1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 24, 63, 64, 100};

#define NDISTANCES	((int) (sizeof(distances) / sizeof(distances[0])))

static int	passed;
static int	failed;
static bool few_rounds;			/* is SIMHASH_SOAK less than 1? */

/* ----------
 * Surroundings
 * ----------
 */

#define HEADER		16			/* size, stored before each block */

static long blocks;				/* number of bytes not yet freed */
static size_t bytes_in_use;
static size_t most_bytes;
static long interrupt_checks;

static void *
test_resize(void *arg, void *ptr, size_t size)
{
	char	   *block = ptr == NULL ? NULL : (char *) ptr - HEADER;

	(void) arg;
	blocks += ptr == NULL;
	if (block != NULL)
		bytes_in_use -= *(size_t *) block;
	block = realloc(block, size + HEADER);
	if (block == NULL)
		abort();
	*(size_t *) block = size;
	bytes_in_use += size;
	if (bytes_in_use > most_bytes)
		most_bytes = bytes_in_use;
	return block + HEADER;
}

static void
test_release(void *arg, void *ptr)
{
	char	   *block = (char *) ptr - HEADER;

	(void) arg;
	blocks--;
	bytes_in_use -= *(size_t *) block;
	free(block);
}

static void
test_check_interrupts(void *arg)
{
	(void) arg;
	interrupt_checks++;
}

static const Env env = {
	.resize = test_resize,.release = test_release,.check_interrupts = test_check_interrupts,
	TEST_FILES
};

/* ----------
 * Fingerprints
 * ----------
 */

static uint64_t
with_flips(uint64_t fp, int flips)
{
	for (int i = 0; i < flips; i++)
		fp ^= UINT64_C(1) << random64() % 64;
	return fp;
}

static const char *const shapes[] = {
	"random", "equal", "few values", "clusters", "one cluster", "few bits", "counter",
	"counter in high bits", "constant tail", "half with a constant head", "extremes",
	"pairs of far", "repeated halves", "near-duplicates", "groups of 16 bits", "groups of 32 bits",
	"unlike blocks", "unlike blocks", "unlike blocks", "unlike blocks", "unlike blocks"
};

#define NSHAPES		((int) (sizeof(shapes) / sizeof(shapes[0])))

/*
 * The distribution of a block of 16 bits, chosen again for each set of
 * fingerprints.
 */
typedef struct BlockShape
{
	int			kind;
	uint64_t	value;
	int			other;			/* an earlier block */
} BlockShape;

static BlockShape block_shapes[4];

static void
choose_block_shapes(void)
{
	for (int block = 0; block < 4; block++)
	{
		block_shapes[block].kind = (int) (random64() % (block == 0 ? 7 : 9));
		block_shapes[block].value = random64() & 0xffff;
		block_shapes[block].other = block == 0 ? 0 : (int) (random64() % block);
	}
}

static uint64_t
unlike_blocks(void)
{
	uint64_t	values[4];
	uint64_t	fp = 0;

	for (int block = 0; block < 4; block++)
	{
		const BlockShape *shape = &block_shapes[block];
		uint64_t	x = random64() & 0xffff;

		switch (shape->kind)
		{
			case 0:				/* constant */
				x = shape->value;
				break;
			case 1:				/* few values */
				x = shape->value * (x % 7) & 0xffff;
				break;
			case 2:				/* half of the range */
				x >>= 1;
				break;
			case 3:				/* powers of two */
				x = UINT64_C(1) << x % 16;
				break;
			case 4:				/* Zipf */
				x = UINT64_C(65536) / (x + 1) * shape->value & 0xffff;
				break;
			case 5:				/* one bit apart, or equal */
				x = shape->value ^ (x % 2 << shape->value % 16);
				break;
			case 6:				/* uniform */
				break;
			case 7:				/* the same as another block */
				x = values[shape->other];
				break;
			default:			/* one bit from another block */
				x = values[shape->other] ^ UINT64_C(1) << x % 16;
		}
		values[block] = x;
		fp = fp << 16 | x;
	}
	return fp;
}

/*
 * Groups of bits that are nearly all set or nearly all clear.  Each fingerprint has
 * other groups set.
 */
static uint64_t
groups_of(int bits)
{
	uint64_t	fp = 0;

	for (int group = 0; group < 64; group += bits)
		if (random64() % 2 == 0)
			fp |= (~UINT64_C(0) >> (64 - bits)) << group;
	return fp ^ (random64() & random64() & random64() & random64());
}

static uint64_t centres[64];

static uint64_t
shaped(int shape, uint64_t i)
{
	if (centres[0] == 0)
		for (int c = 0; c < 64; c++)
			centres[c] = random64();
	switch (shape)
	{
		case 0:
			return random64();
		case 1:
			return centres[0];
		case 2:
			return centres[random64() % 16];
		case 3:
			return with_flips(centres[i % 40], (int) (random64() % 9));
		case 4:
			return with_flips(centres[1], (int) (random64() % 7));
		case 5:
			return with_flips(0, (int) (i % 3));
		case 6:
			return i;
		case 7:
			return i << 40;
		case 8:
			return (random64() & ~UINT64_C(0xffffffff)) | 0x12345678;
		case 9:
			return i % 2 == 0 ? random64() : random64() >> 40 | centres[2] << 24;
		case 10:
			return i % 4 == 0 ? 0 : i % 4 == 1 ? ~UINT64_C(0) : i % 4 == 2 ?
				UINT64_C(1) << i % 64 : ~(UINT64_C(1) << i % 64);
		case 11:
			return i % 2 == 0 ? random64() | UINT64_C(0xffff000000000000) :
				random64() & UINT64_C(0x0000ffffffffffff);
		case 12:
			return (random64() & 0xffff) * UINT64_C(0x0001000100010001);
		case 13:
			return i % 5 != 0 ? random64() : with_flips(centres[random64() % 64], 2);
		case 14:
			return groups_of(16);
		case 15:
			return groups_of(32);
		default:
			return unlike_blocks();
	}
}

static uint64_t fps[MAX_N * MOST_WORDS];
static Fingerprints
fingerprints(const uint64_t *words, int nwords, size_t n)
{
	Fingerprints all = {words, nwords, n};

	return all;
}

static void
make_fps(int shape, size_t n)
{
	choose_block_shapes();
	for (size_t i = 0; i < n; i++)
		fps[i] = shaped(shape, i);
}

/* Fingerprints of n rows and nbits each; some are near earlier ones. */
static void
make_wide_fps(int shape, size_t n, int nbits)
{
	size_t		nwords = (size_t) (nbits + 63) / 64;

	choose_block_shapes();
	for (size_t i = 0; i < n; i++)
	{
		uint64_t   *fp = fps + i * nwords;
		uint64_t	flips = random64() % 3 == 0 ? random64() % 12 : random64() % (uint64_t) nbits / 3;

		if (i == 0 || random64() % 2 == 0)
			for (size_t w = 0; w < nwords; w++)
				fp[w] = shaped(shape, i * nwords + w);
		else
		{
			/* often a chain: each fingerprint is near the one before it */
			memcpy(fp, fp - nwords * (1 + random64() % (i < 9 ? i : 9)), nwords * 8);
			for (; flips > 0; flips--)
			{
				uint64_t	bit = random64() % (uint64_t) nbits;

				fp[bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
			}
		}
		if (nbits % 64 != 0)
			fp[nwords - 1] &= ~(~UINT64_C(0) >> nbits % 64);
	}
}

/* ----------
 * Tests
 * ----------
 */

static void
result(const char *what, int nbits, int shape, size_t n, long wrong)
{
	printf("%sok %d - %s: %d bits, %s, %zu", wrong == 0 ? "" : "not ", passed + failed + 1,
		   what, nbits, shapes[shape], n);
	if (wrong != 0)
		printf(" # %ld wrong", wrong);
	printf("\n");
	if (wrong == 0)
		passed++;
	else
		failed++;
}

/* Count the errors of each kind within a distance. */
static void
count_wrong(const Fingerprints *all, int distance, size_t memory, bool two_sets, long *wrong)
{
	wrong[0] += wrong_row_pairs(all, distance, memory, &env);
	if (two_sets)
		wrong[1] += wrong_joined(all, distance, &env);
	wrong[2] += wrong_groups(all, distance, memory, &env, core_components, define_components);
	wrong[3] += wrong_groups(all, distance, memory, &env, core_stars, define_stars);
	wrong[4] += wrong_groups(all, distance, memory, &env, stars_by_rule, define_stars_by_rule);
}

static void
results(int nbits, int shape, size_t n, const long *wrong)
{
	static const char *const kinds[] = {"pairs", "pairs of two sets", "components", "stars",
	"stars by a rule"};

	for (int kind = 0; kind < 5; kind++)
		result(kinds[kind], nbits, shape, n, wrong[kind]);
}

/*
 * For sets that are too large for a matrix, compare the number of pairs and
 * the sum of a hash of each pair.
 */
static uint64_t
pair_hash(uint64_t a, uint64_t b)
{
	uint64_t	x = (a < b ? a << 32 | b : b << 32 | a) * UINT64_C(0x9E3779B97F4A7C15);

	return (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

static long
wrong_large(int shape, int distance, size_t memory)
{
	static uint64_t large[LARGE_N];
	static uint16_t hits[LARGE_N];
	Fingerprints all = fingerprints(large, 1, LARGE_N);
	RowPairs	pairs;
	FingerprintPair pair;
	long		n = 0;
	uint64_t	sum = 0;

	for (size_t i = 0; i < LARGE_N; i++)
		large[i] = shaped(shape, i);
	for (int a = 0; a < LARGE_N; a++)
	{
		int			nhits = hamming_within(large + a + 1, LARGE_N - a - 1, large + a, 1,
										   distance, hits);

		for (int i = 0; i < nhits; i++)
			sum += pair_hash((uint64_t) a, (uint64_t) a + 1 + hits[i]);
		n += nhits;
	}
	pairs = row_pairs_begin(&all, distance, memory, &env);
	while (row_pairs_next(&pairs, &pair))
	{
		sum -= pair_hash(pair.a, pair.b);
		n--;
	}
	row_pairs_end(&pairs);
	return n != 0 ? n : sum != 0;
}

/* Find all pairs, and end. */
static void
drain(RowPairs pairs)
{
	FingerprintPair pair;

	while (row_pairs_next(&pairs, &pair))
		;
	row_pairs_end(&pairs);
}

/*
 * The join's memory must stay below the limit, or without a limit below the
 * expected memory for the number of fingerprints.  The data have each shape that
 * has few pairs.
 */
static void
test_memory(void)
{
	static uint64_t many[300000];
	static uint32_t clusters[300000];
	static const int kinds[] = {0, 3, 9, 13};
	const size_t n = 300000;
	const size_t buffers = 256 * 1024;
	Fingerprints all = fingerprints(many, 1, n);

	for (int kind = 0; kind < 4; kind++)
	{
		long		wrong = 0;

		for (size_t i = 0; i < n; i++)
			many[i] = kind == 1 ? with_flips(i / 3 * UINT64_C(0x9E3779B97F4A7C15), i % 3) :
				shaped(kinds[kind], i);
		for (int k = 0; k < 5; k++)
			for (size_t limit = 1 << 20; limit <= (size_t) 1 << 30; limit *= limit < 64 << 20 ? 4 : 16)
			{
				size_t		bound = limit <= PLENTY ? limit : n * ROW_BYTES(1) + buffers;

				most_bytes = 0;
				drain(row_pairs_begin(&all, k, limit, &env));
				if (most_bytes > bound)
				{
					printf("# pairs within %d of %s, limit %zu: %zu\n", k,
						   shapes[kinds[kind]], limit, most_bytes);
					wrong++;
				}
			}
		result("memory of pairs", 64, kinds[kind], n, wrong);
	}

	/*
	 * of 256 bits, a third near another; what there is for each row is the
	 * same
	 */
	all = fingerprints(many, 4, n / 4);
	for (size_t i = 0; i < n; i++)
		many[i] = i < 4 || i / 4 % 3 > 0 ? random64() : with_flips(many[i - 4], (int) (i % 9));
	for (size_t limit = 1 << 20; limit <= (size_t) 1 << 30; limit *= limit < 16 << 20 ? 4 : 64)
	{
		size_t		bound = limit <= PLENTY ? limit : all.n * ROW_BYTES(4) + buffers;
		long		wrong = 0;

		for (int k = 3; k < 40; k = k * 2 + 1)
		{
			most_bytes = 0;
			drain(row_pairs_begin(&all, k, limit, &env));
			wrong += most_bytes > bound;
		}
		result("memory of pairs", 256, 13, all.n, wrong);
	}

	/* all within the distance of the first row: the pairs would be quadratic */
	all = fingerprints(many, 1, 20000);
	for (int i = 0; i < 20000; i++)
		many[i] = with_flips(centres[1], (int) (random64() % 5));
	for (size_t limit = 1 << 20; limit <= (size_t) 1 << 33; limit <<= 13)
	{
		long		wrong = 0;

		most_bytes = 0;
		groups_of_rows(core_stars, &all, 8, limit, &env, clusters);
		for (int i = 0; i < 20000; i++)
			wrong += many[clusters[i]] != many[0] &&
				__builtin_popcountll(many[0] ^ many[i]) <= 8;
		if (most_bytes > 16 << 20)
			wrong += (long) most_bytes;
		result("stars of a template, whatever memory there is", 64, 4, 20000, wrong);
	}
}

/* Join all with all, and return the number of comparisons for each pair and word, or more. */
static double
comparisons_of_join(const Fingerprints *all, int distance)
{
	RowPairs	pairs = row_pairs_begin(all, distance, 1 << 30, &env);

	interrupt_checks = 0;
	drain(pairs);
	/* at least one check in 2^22 comparisons */
	return (double) interrupt_checks * (1 << 22) /
		((double) all->n * (double) (all->n - 1) / 2 * all->nwords);
}

/* If the bits of a group are equal, a plan that looks cheap is expensive. */
static void
test_correlated(void)
{
	static const int ks[] = {5, 8, 12, 16};
	static uint64_t many[LARGE_N / 4 * 3];

	for (int test = 0; test < 4; test++)
	{
		int			shape = 14 + test % 2;
		int			nwords = test < 2 ? 1 : 3;
		size_t		n = LARGE_N / 4 * (test < 2 ? 3 : 1);
		Fingerprints all = fingerprints(many, nwords, n);
		double		most = 0;

		for (size_t i = 0; i < LARGE_N / 4 * 3; i++)
			many[i] = shaped(shape, i);
		/* permute the bits, as callers that join wide fingerprints do */
		if (nwords > 1)
		{
			static BitPermutation permutation;

			bit_permutation_init(&permutation, 64 * nwords);
			for (size_t i = 0; i < LARGE_N / 4 * 3; i += (size_t) nwords)
				bit_permute(&permutation, many + i, many + i);
		}
		for (int k = 0; k < 4; k++)
		{
			double		comparisons = comparisons_of_join(&all, nwords * ks[k]);

			if (comparisons > most)
				most = comparisons;
		}
		result("at most 4 times the comparisons of all with all", 64 * nwords, shape, n,
			   most <= 4 ? 0 : (long) most);
	}
}

/*
 * Up to a sixth of the bits of each fingerprint differ from a centre.  Blocks would compare fewer
 * pairs, but find the same ones again and again, and take several times as long.
 */
static void
test_wide_cloud(void)
{
	enum
	{
		N = 6000,
		WORDS = 16
	};
	static uint64_t many[N * WORDS];
	Fingerprints all = fingerprints(many, WORDS, N);
	double		comparisons;

	for (size_t i = 0; i < N; i++)
		for (uint64_t flips = random64() % 171; flips > 0; flips--)
			many[i * WORDS + random64() % WORDS] ^= UINT64_C(1) << random64() % 64;
	comparisons = comparisons_of_join(&all, 40);
	result("a wide cloud is compared all with all", 64 * WORDS, 4, N,
		   comparisons > 0.9 && comparisons < 2 ? 0 : (long) (100 * comparisons));
}

/* Pairs, components and stars of wide fingerprints, within distances that suit their width */
static void
test_wide(void)
{
	static const int widths[] = {80, 96, 112, 128, 144, 256, 512, 1024};
	static const size_t sizes[] = {2, 25, MAX_N < 300 ? MAX_N : 300};

	for (int width = 0; width < (int) (sizeof(widths) / sizeof(widths[0])); width++)
		for (int shape = 0; shape < NSHAPES; shape++)
			for (int s = 0; s < (int) (sizeof(sizes) / sizeof(sizes[0])); s++)
			{
				int			nbits = widths[width];
				int			nwords = (nbits + 63) / 64;
				const int	ks[] = {-1, 0, 1, 3, 2 * nwords + 1, nbits / 16, nbits / 8,
				nbits / 4, nbits};
				size_t		n = sizes[s];
				long		wrong[5] = {0};

				Fingerprints all = fingerprints(fps, nwords, n);

				make_wide_fps(shape, n, nbits);
				define_distances(&all);
				for (int d = 0; d < (int) (sizeof(ks) / sizeof(ks[0])); d++)
					for (int memory = 0; memory <= 2; memory++)
					{
						size_t		bytes = memory == 0 ? 1 << 30 : memory == 1 ? n * 9 : n;
						int			k = ks[d];

						count_wrong(&all, k, bytes, memory == 0, wrong);
					}
				results(nbits, shape, n, wrong);
			}
}

/*
 * Rows of up to three clouds, whose rows are near each other or nearly so, with chains that leave
 * the clouds, and others.
 */
static void
make_clouds(size_t n, size_t nwords)
{
	uint64_t	centres[3][MOST_WORDS];
	uint64_t	nclouds = 1 + random64() % 3;
	uint64_t	share = random64() % 10;
	uint64_t	spread = 1 + random64() % (nwords * (random64() % 2 == 0 ? 6 : 24));

	for (int cloud = 0; cloud < 3; cloud++)
		for (size_t w = 0; w < nwords; w++)
			centres[cloud][w] = cloud == 0 ? 0 : random64();
	for (size_t i = 0; i < n; i++)
	{
		uint64_t   *fp = fps + i * nwords;
		uint64_t	flips = random64() % spread;

		if (random64() % 10 <= share)
			memcpy(fp, centres[random64() % nclouds], nwords * 8);
		else if (i > 0 && random64() % 2 == 0)
			memcpy(fp, fps + random64() % i * nwords, nwords * 8);
		else
			for (size_t w = 0; w < nwords; w++)
				fp[w] = random64();
		for (; flips > 0; flips--)
			fp[random64() % nwords] ^= UINT64_C(1) << random64() % 64;
	}
}

/* The components of clouds are those of all pairs, but not all pairs of a cloud are found. */
static void
test_clouds(void)
{
	static const int widths[] = {1, 2, 4, 16};
	static uint64_t many[LARGE_N * 4];
	static uint32_t groups[LARGE_N];
	Fingerprints all = fingerprints(many, 4, LARGE_N);
	long		wrong = 0;

	for (int round = 0; round < 60; round++)
	{
		int			nwords = widths[round % 4];
		size_t		n = 2 + random64() % (MAX_N < 600 ? MAX_N - 2 : 600);
		Fingerprints clouds = fingerprints(fps, nwords, n);

		wrong = 0;
		make_clouds(n, (size_t) nwords);
		define_distances(&clouds);
		for (int k = 1; k < nwords * 24; k += 1 + (int) (random64() % (uint64_t) (nwords * 8)))
			for (size_t bytes = 1; bytes <= 1 << 30; bytes <<= 15)
				wrong += wrong_groups(&clouds, k, n * bytes, &env, core_components,
									  define_components);
		result("components of clouds", 64 * nwords, 4, n, wrong);
	}

	/*
	 * in few of these, two large clouds have a tile in common before a chain
	 * connects them
	 */
	wrong = 0;
	for (int round = 0; round < 1000; round++)
	{
		size_t		n = 2 + random64() % (MAX_N < 600 ? MAX_N - 2 : 600);
		Fingerprints clouds = fingerprints(fps, 1, n);

		make_clouds(n, 1);
		define_distances(&clouds);
		for (int k = 12; k < 24; k += 1 + (int) (random64() % 8))
			wrong += wrong_groups(&clouds, k, n, &env, core_components, define_components);
	}
	result("components of many clouds", 64, 4, MAX_N < 600 ? MAX_N : 600, wrong);

	/* near-black frames, and others */
	wrong = 0;
	for (size_t i = 0; i < LARGE_N * 4; i++)
		many[i] = i / 4 % 16 == 15 ? random64() : 0;
	for (size_t i = 1; i < LARGE_N; i++)
		for (int flip = 0; flip < 12; flip++)
			many[i * 4 + random64() % 4] ^= UINT64_C(1) << random64() % 64;
	interrupt_checks = 0;
	groups_of_rows(core_components, &all, 24, 1 << 30, &env, groups);
	for (size_t i = 0; i < LARGE_N; i++)
		wrong += groups[i] != (i % 16 == 15 ? i : 0);
	result("components of near-black frames", 256, 4, LARGE_N, wrong);

	/*
	 * at most one check in 2^22 comparisons of a word of all with all, and
	 * some others
	 */
	wrong = interrupt_checks - 100 - (long) LARGE_N * LARGE_N / 2 * 4 / (1 << 22);
	if (LARGE_N > 500)
		result("a cloud costs few comparisons", 256, 4, LARGE_N, wrong < 0 ? 0 : wrong);
}

/* The trees of random edges and of chains, as often visited */
static void
test_roots(void)
{
	static uint32_t labels[MAX_N];
	static uint32_t parents[MAX_N];

	for (int test = 0; test < 60; test++)
	{
		size_t		n = 2 + random64() % (MAX_N - 2);
		size_t		nedges = test % 4 == 0 ? n * 30 : random64() % (2 * n);
		uint64_t	seed = random64();
		long		wrong = 0;
		bool		changed = true;

		begin_roots(parents, n);
		for (size_t v = 0; v < n; v++)
			labels[v] = (uint32_t) v;

		/*
		 * the edges twice: to join them, and to spread the smallest label
		 * until none changes
		 */
		for (int round = 0; changed; round++)
		{
			uint64_t	state = seed;

			changed = false;
			for (size_t i = 0; i < nedges; i++)
			{
				size_t		a = (state = state * UINT64_C(6364136223846793005) + 99) >> 33;
				size_t		b = (state = state * UINT64_C(6364136223846793005) + 99) >> 33;

				a %= n;
				b = test % 5 == 0 ? (a + 1) % n : b % n;
				if (round == 0)
					join_roots(parents, (uint32_t) a, (uint32_t) b);
				if (labels[a] != labels[b])
				{
					labels[a] = labels[b] = labels[a] < labels[b] ? labels[a] : labels[b];
					changed = true;
				}
			}
		}
		end_roots(parents, n);
		for (size_t v = 0; v < n; v++)
			wrong += parents[v] != labels[v];
		result("roots", 64, 0, n, wrong);
	}
}

/* Chains of many vertices, of edges in any order */
static void
test_many_roots(void)
{
	static const size_t lengths[] = {2, 5, 100 * LARGE_N};
	static uint32_t parents[20 * LARGE_N];

	for (int kind = 0; kind < 3; kind++)
		for (int order = 0; order < 3; order++)
		{
			size_t		n = 20 * LARGE_N;
			long		wrong = 0;

			begin_roots(parents, n);
			for (size_t i = 0; i < n; i++)
			{
				size_t		a = order == 0 ? i : order == 1 ? n - 1 - i : i * 7919 % n;

				join_roots(parents, (uint32_t) a, (uint32_t) (a % lengths[kind] == 0 ? a : a - 1));
			}
			end_roots(parents, n);
			for (size_t a = 0; a < n; a++)
				wrong += parents[a] != a - a % lengths[kind];
			result("many roots", 64, 0, n, wrong);
		}
}

/* Random pairs of numbers in order, equal keys in the order in which they were added */
static void
test_external_sort(void)
{
	static const NumberWidths widths[] = {SHORT_NUMBERS, LONG_KEYS, LONG_VALUES};
	static uint64_t keys[LARGE_N];
	static uint64_t values[LARGE_N];
	static bool seen[LARGE_N];

	for (int test = 0; test < 90; test++)
	{
		NumberWidths width = widths[test % 3];
		size_t		n = test < 6 ? (size_t) test / 3 : random64() % (test < 60 ? 200 : LARGE_N);
		uint64_t	spread = test % 4 == 0 ? 1 + n / 3 : width == LONG_KEYS ? UINT64_MAX : UINT32_MAX;
		ExternalSort *sort = core_external_sort_begin(width, test % 2 == 0 ? 1 : 1 << 24, &env);
		uint64_t	key_before = 0;
		uint64_t	value_before = 0;
		uint64_t	key;
		uint64_t	value;
		size_t		count = 0;
		long		wrong = 0;

		for (size_t i = 0; i < n; i++)
		{
			keys[i] = random64() % spread;
			/* the place of the pair among all, which ascends, is in the value */
			values[i] = width == LONG_VALUES ? i << 40 | (random64() & 0xffff) : i;
			seen[i] = false;
			core_external_sort_add(sort, keys[i], values[i]);
		}
		core_external_sort_finish(sort);
		for (; core_external_sort_next(sort, &key, &value); count++)
		{
			size_t		place = (size_t) (width == LONG_VALUES ? value >> 40 : value);

			wrong += place >= n || seen[place] || keys[place] != key || values[place] != value;
			if (place < n)
				seen[place] = true;
			if (count > 0)
				wrong += key < key_before ||
					(key == key_before && (width == SHORT_NUMBERS ?
										   value_before > key && value <= key :
										   value < value_before));
			key_before = key;
			value_before = value;
		}
		wrong += count != n || core_external_sort_next(sort, &key, &value);
		core_external_sort_end(sort);
		result("sort of numbers", 64, 0, n, wrong);
	}
}

/* Stars of random edges in any order, with repeated ones and rows that equal earlier ones */
static void
test_star_links(void)
{
	static uint32_t keepers[MAX_N];
	static uint32_t expected[MAX_N];
	static uint32_t equal[MAX_N];	/* to this row */
	static unsigned char edges[MAX_N][MAX_N];

	for (int test = 0; test < 60; test++)
	{
		size_t		n = 1 + random64() % MAX_N;
		size_t		nedges = test % 4 == 0 ? n * n / 3 : test % 4 == 1 ? n / 2 : n * 2;
		size_t		memory = test % 3 == 0 ? 1 << 24 : 1;
		ExternalSort *links = core_external_sort_begin(SHORT_NUMBERS, memory, &env);
		long		wrong = 0;

		memset(edges, 0, sizeof(edges));
		for (size_t row = 0; row < n; row++)
		{
			equal[row] = row > 0 && test % 5 == 0 && random64() % 4 == 0 ? equal[row - 1] : (uint32_t) row;
			keepers[row] = expected[row] = (uint32_t) row;
			if (equal[row] != row)
				core_external_sort_add(links, equal[row], row);
		}
		for (size_t i = 0; i < nedges && n > 1; i++)
		{
			uint32_t	a = equal[test % 7 == 0 ? 0 : random64() % n];
			uint32_t	b = equal[test % 11 == 0 ? (a + 1) % n : random64() % n];

			if (a == b)
				continue;
			edges[a][b] = edges[b][a] = 1;
			core_external_sort_add(links, a > b ? a : b, a > b ? b : a);
		}
		for (size_t row = 0; row < n; row++)
			for (size_t keeper = 0; equal[row] == row && keeper < row; keeper++)
				if (edges[row][keeper] && expected[keeper] == keeper && equal[keeper] == keeper)
				{
					expected[row] = (uint32_t) keeper;
					break;
				}
		for (size_t row = 0; row < n; row++)
			expected[row] = expected[equal[row]];
		core_star_of_links(links, n, &env, set_member, keepers);
		core_external_sort_end(links);
		for (size_t row = 0; row < n; row++)
			wrong += keepers[row] != expected[row];
		result("stars of links", 64, 0, n, wrong);
	}
}

/* Many numbers: little memory stays little, and each pair is read a few times. */
static void
test_many_numbers(void)
{
	static const NumberWidths widths[] = {SHORT_NUMBERS, LONG_KEYS, LONG_VALUES};

	for (int width = 0; width < 3; width++)
	{
		uint64_t	n = 20 * LARGE_N;
		ExternalSort *sort;
		uint64_t	next = 0;
		uint64_t	key;
		uint64_t	value;
		long		wrong = 0;

		most_bytes = bytes_in_use;
		bytes_read = 0;
		sort = core_external_sort_begin(widths[width], 1 << 20, &env);
		for (uint64_t i = 0; i < n; i++)
			core_external_sort_add(sort, i * 7919 % n, i);
		core_external_sort_finish(sort);
		for (; core_external_sort_next(sort, &key, &value); next++)
			wrong += key != next || value * 7919 % n != next;
		core_external_sort_end(sort);
		wrong += next != n;
		wrong += most_bytes > 2 << 20;
		wrong += bytes_read > n * 50;
		result("sort of many numbers", 64, 0, n, wrong);
	}
}

/*
 * Stars are the same whatever memory there is: with few pairs, with more than fit in memory, with
 * too many, with many equal rows, and with equal hashes of unlike ones.
 */
static void
test_stars(void)
{
	static uint64_t many[4 * LARGE_N];
	static uint32_t expected[LARGE_N];
	static uint32_t found[LARGE_N];

	for (int kind = 0; kind < 7; kind++)
		for (int nwords = 1; nwords <= 4; nwords += 3)
		{
			static const size_t rows_of_group[] = {2, 6, 15, 60, LARGE_N, 1, 2};
			size_t		n = nwords == 1 ? LARGE_N : LARGE_N / 4;
			Fingerprints all = fingerprints(many, nwords, n);
			size_t		ngroups = n / rows_of_group[kind] + 1;
			long		wrong = 0;

			for (size_t i = 0; i < n; i++)
			{
				uint64_t	group = random64() % ngroups;

				for (int word = 0; word < nwords; word++)
				{
					uint64_t   *fp = &many[i * (size_t) nwords + (size_t) word];

					*fp = (group + 1) * (UINT64_C(0x9E3779B97F4A7C15) + (uint64_t) word * 77777);
					*fp = kind == 5 && i % 3 > 0 ? 7 : with_flips(*fp, (int) (random64() % 3));

					/*
					 * half are near each other, and the others have the same
					 * hash
					 */
					if (kind == 6 && i % 2 == 0)
						*fp = with_flips(7, (int) (random64() % 2));
					else if (kind == 6)
						*fp = word == 0 ? group : word == 1 ? 7 - mix64(group) : 7;
				}
			}
			groups_of_rows(core_stars, &all, 3 * nwords, 1 << 30, &env, expected);
			for (size_t memory = 1; memory <= (size_t) 1 << 28; memory *= memory == 1 ? 1 << 16 : 16)
			{
				groups_of_rows(core_stars, &all, 3 * nwords, memory, &env, found);
				for (size_t i = 0; i < n; i++)
					wrong += found[i] != expected[i];
			}
			result("stars in any memory", 64 * nwords, 3, n, wrong);
		}
}

typedef struct EqualRow
{
	const Fingerprints *fps;
	uint32_t   *firsts;			/* NONE of a row that stays */
	long		wrong;
} EqualRow;

static void
note_equal(void *arg, uint32_t first, uint32_t other)
{
	EqualRow   *equal = arg;

	equal->wrong += first >= other || equal->firsts[other] != NONE ||
		memcmp(fingerprint_of_row(equal->fps, first), fingerprint_of_row(equal->fps, other),
			   (size_t) equal->fps->nwords * 8) != 0;
	equal->firsts[other] = first;
}

/*
 * One of each equal rows stays, and is the first of the others.  In small sizes more may stay
 * unless all are equal.
 */
static long
wrong_distinct(const Fingerprints *all, size_t ndistinct, size_t memory)
{
	static uint32_t firsts[LARGE_N];
	static bool stays[LARGE_N];
	EqualRow	equal = {all, firsts, 0};
	FingerprintSet *set = set_of_all(all, &env);
	size_t		bytes_before = bytes_in_use;
	FingerprintSet *distinct;
	uint64_t	fp[MOST_WORDS];
	uint32_t	row;

	memset(firsts, 0xff, sizeof(firsts));
	memset(stays, 0, sizeof(stays));
	most_bytes = bytes_in_use;
	distinct = core_distinct(set, memory, note_equal, &equal);

	/* buffers of files come to it, and a few rows are always in memory */
	equal.wrong += most_bytes - bytes_before > memory + (1 << 19);
#ifdef JOIN_TEST_SIZES
	if (ndistinct > 1)
		equal.wrong += distinct->n < ndistinct;
	else
#endif
		equal.wrong += distinct->n != ndistinct;
	for (uint64_t i = 0; i < distinct->n; i++)
	{
		core_set_read(distinct, i, 1, fp, &row);
		equal.wrong += stays[row] || firsts[row] != NONE ||
			memcmp(fp, fingerprint_of_row(all, row), (size_t) all->nwords * 8) != 0;
		stays[row] = true;
	}
	for (size_t i = 0; i < all->n; i++)
		equal.wrong += !stays[firsts[i] == NONE ? i : firsts[i]];
	core_set_end(distinct);
	core_set_end(set);
	return equal.wrong;
}

static void
test_distinct(void)
{
	static uint64_t many[16 * LARGE_N];
	static bool met[LARGE_N];

	/* rows of a value: one, all, many, a few; half of the rows have one value */
	for (int kind = 0; kind < 5; kind++)
		for (int nwords = 1; nwords <= 16; nwords *= 4)
			for (int size = 0; size < 3; size++)
			{
				size_t		n = size < 2 ? (size_t) size : LARGE_N;
				Fingerprints all = fingerprints(many, nwords, n);
				size_t		ndistinct = 0;
				long		wrong = 0;

				memset(met, 0, sizeof(met));
				for (size_t i = 0; i < n; i++)
				{
					uint64_t	value = i;

					if (kind == 1 || (kind == 4 && i % 2 == 0))
						value = 0;
					else if (kind == 2 || kind == 3)
						value = random64() % (kind == 2 ? 16 : n / 6 + 1);
					ndistinct += !met[value];
					met[value] = true;

					/* of several words only one differs */
					for (int word = 0; word < nwords; word++)
						many[i * (size_t) nwords + (size_t) word] =
							word == (int) value % nwords ? value << 20 : 7;
				}
				for (size_t memory = 1; memory <= (size_t) 1 << 28; memory *= memory == 1 ? 1 << 18 : 32)
					wrong += wrong_distinct(&all, ndistinct, memory);
				result("one of each equal fingerprints", 64 * nwords, kind, n, wrong);
			}
}

#define COPIES	3

/* Divide the ranges of the present block in any order, by copies that share them. */
static void
divide_by_copies(NearPairs *const *copies, char *results, JoinFile **files)
{
	const Parts *parts = core_near_pairs_parts(copies[0]);
	PartsWriter writers[COPIES];

	memset(writers, 0, sizeof(writers));
	for (uint32_t i = 0; i < COPIES; i++)
	{
		files[i] = writers[i].file = test_create_file(NULL);
		writers[i].number = i;
	}
	for (uint32_t range = parts->nranges; range-- > 0;)
	{
		uint32_t	i = (uint32_t) (random64() % COPIES);

		core_near_pairs_divide(copies[i], range, &writers[i], results);
	}
	for (uint32_t i = 0; i < COPIES; i++)
		core_parts_writer_end(&writers[i]);
}

/*
 * Ranges and tasks in any order, of copies that share them, give the pairs of the whole in its
 * order.
 */
static long
wrong_tasks(const Fingerprints *all, int distance, size_t memory)
{
	FingerprintSet *set = set_of_all(all, &env);
	NearPairs  *pairs = core_near_pairs_begin(set, distance, memory);
	const Parts *parts = core_near_pairs_parts(pairs);
	char	   *results = malloc(parts != NULL ? parts->nranges * parts->range_bytes : 1);
	FingerprintSet *sets[COPIES];
	NearPairs  *copies[COPIES];
	JoinFile   *files[COPIES];
	const FingerprintPair *found;
	const FingerprintPair *expected;
	size_t		nexpected = 0;
	size_t		at = 0;
	size_t		some;
	long		wrong = 0;
	bool		any = true;

	core_set_flush(set);
	set->file->copies = COPIES;
	for (int i = 0; i < COPIES; i++)
	{
		sets[i] = core_set_copy(set, set->file, &env);
		copies[i] = core_near_pairs_begin(sets[i], distance, memory);
	}
	while (any)
	{
		size_t		ntasks;
		bool		divided;

		for (int i = 0; i < COPIES; i++)
			any = core_near_pairs_next_block(copies[i]);
		divided = any && parts != NULL;
		if (divided)
			divide_by_copies(copies, results, files);
		ntasks = 0;
		for (int i = 0; i < COPIES && any; i++)
			ntasks = core_near_pairs_begin_tasks(copies[i], results, files);

		/*
		 * later tasks first, so that each is begun in another state than
		 * alone
		 */
		for (size_t task = 0; task < ntasks; task++)
		{
			NearPairs  *copy = copies[task % COPIES];

			core_near_pairs_begin_task(copy, ntasks - 1 - task);
			while (core_near_pairs_next_in_task(copy, &found) > 0)
				;
			core_near_pairs_begin_task(copy, task);
			while ((some = core_near_pairs_next_in_task(copy, &found)) > 0)
				for (size_t i = 0; i < some; i++)
				{
					if (at == nexpected)
					{
						nexpected = core_near_pairs_next(pairs, &expected);
						at = 0;
					}
					wrong += nexpected == 0 ||
						memcmp(&found[i], &expected[at], sizeof(FingerprintPair)) != 0;
					at += at < nexpected;
				}
		}
		for (int i = 0; i < COPIES && divided; i++)
			test_remove_file(files[i]);
	}
	wrong += at != nexpected || core_near_pairs_next(pairs, &expected) > 0;
	core_near_pairs_end(pairs);
	for (int i = 0; i < COPIES; i++)
	{
		core_near_pairs_end(copies[i]);
		core_set_end(sets[i]);
	}
	core_set_end(set);
	free(results);
	return wrong;
}

static void
test_tasks(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
		for (int nwords = 1; nwords <= 4; nwords += 3)
			for (int memory = 0; memory < 2; memory++)
			{
				size_t		n = MAX_N / (size_t) nwords;
				Fingerprints all = fingerprints(fps, nwords, n);

				make_wide_fps(shape, n, 64 * nwords);
				result("tasks", 64 * nwords, shape, n,
					   wrong_tasks(&all, 3 * nwords, memory == 0 ? 1 : 1 << 20));
			}
}

/* All tests once; the number of times that a join could be interrupted */
static long
run_tests(void)
{
	static const size_t sizes[] = {0, 1, 2, 3, 17, MAX_N < 600 ? MAX_N / 2 : 600, MAX_N};
	long		checks = 0;

	for (int shape = 0; shape < NSHAPES; shape++)
		for (int s = 0; s < (int) (sizeof(sizes) / sizeof(sizes[0])); s++)
		{
			size_t		n = sizes[s];
			long		wrong[5] = {0};

			Fingerprints all = fingerprints(fps, 1, n);

			make_fps(shape, n);
			define_distances(&all);
			for (int d = 0; d < NDISTANCES; d++)
			{
				int			k = distances[d];

				/* for the largest sets, or in few rounds, only distances with different plans */
				if (n > (few_rounds ? 100 : 1000) && d % 3 != s % 3 && k != 3)
					continue;
				for (int memory = 0; memory <= (n > 1000 ? 1 : 2); memory++)
				{
					/* all rows at once, in some passes or chunks, in many */
					size_t		bytes = memory == 0 ? 1 << 30 : memory == 1 ? n * 9 : n;

					count_wrong(&all, k, bytes, memory == 0, wrong);
				}
			}
			results(64, shape, n, wrong);
			if (n == MAX_N)
				checks += interrupt_checks;
		}
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		long		wrong = 0;

		/* in the other shapes most pairs are near */
		if (shape > 13)
			continue;
		if (shape != 0 && shape != 3 && shape < 8)
			continue;
		if (shape == 10)
			continue;
		for (int k = 1; k < 10; k += 4)
			wrong += wrong_large(shape, k, k == 5 ? LARGE_N * 9 : 1 << 30) != 0;
		result("pairs of many", 64, shape, LARGE_N, wrong);
	}
	test_wide();
	test_clouds();
	test_roots();
	test_many_roots();
	test_external_sort();
	test_star_links();
	test_tasks();
	test_stars();
	test_distinct();
	if (LARGE_N > 500)
	{
		test_memory();
		test_correlated();
		test_wide_cloud();
		test_many_numbers();
	}
	return checks;
}

int
main(void)
{
	const char *soak = getenv("SIMHASH_SOAK");
	long		checks = 0;

	few_rounds = soak != NULL && atof(soak) < 1;
	for (long round = 0; round == 0 || (soak != NULL && round < atol(soak)); round++)
		checks += run_tests();
	printf("%sok %d - all memory and files are given back # %ld, %ld\n",
		   blocks == 0 && open_files == 0 ? "" : "not ", passed + failed + 1, blocks, open_files);
	if (blocks == 0 && open_files == 0)
		passed++;
	else
		failed++;
	printf("%sok %d - can be interrupted\n", checks > 0 ? "" : "not ",
		   passed + failed + 1);
	if (checks > 0)
		passed++;
	else
		failed++;
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}
