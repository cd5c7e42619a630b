/*
 * Fuzz target: sums of weighted features.  The order of features makes no difference,
 * nor does their division among tallies that are combined.  A tally that is written
 * and read is the same.  Changed bytes are an error or a tally like others.
 *
 * A tally has the sums of several words.  The input is a sequence of hashes and weights,
 * 16 bytes each.
 */
#include <math.h>

#include "../../src/core/text/methods/minwise.h"
#include "../../src/core/text/methods/salts.h"
#include "../../src/core/text/methods/weighted_votes.h"
#include "fuzz_env.h"

#define MOST 512
#define WORDS 3
#define HEADER 404				/* bytes of a word's state before its digits */

static void
require_same(Tally *a, Tally *b, int words)
{
	uint64_t	f[WORDS];
	uint64_t	g[WORDS];

	REQUIRE(core_tally_result(a, words, f) == core_tally_result(b, words, g) &&
			memcmp(f, g, (size_t) words * sizeof(*f)) == 0);
	for (int bit = 0; bit < words * 64; bit++)
		REQUIRE(core_tally_sum(&a[bit / 64], bit % 64) ==
				core_tally_sum(&b[bit / 64], bit % 64));
}

/* The sums of a single feature are its weight. */
static void
require_weight(uint64_t hash, double weight, const Env *env)
{
	Tally		tally[WORDS];

	core_tally_init(tally, WORDS);
	core_tally_add(tally, WORDS, hash, weight, env);
	for (int bit = 0; bit < WORDS * 64; bit++)
		REQUIRE(core_tally_sum(&tally[bit / 64], bit % 64) ==
				(word_vote(bit / 64, hash) >> bit % 64 & 1 ? weight : -weight));
	core_tally_free(tally, WORDS, env);
}

static uint8_t *
written(const Tally *tally, size_t *size)
{
	uint8_t    *bytes;

	*size = core_tally_size(tally, WORDS);
	bytes = malloc(*size);
	REQUIRE(bytes != NULL);
	core_tally_write(tally, WORDS, bytes);
	return bytes;
}

static void
require_kept(Tally *tally, const Env *env)
{
	size_t		size;
	size_t		size_again;
	uint8_t    *bytes = written(tally, &size);
	uint8_t    *again;
	Tally		copy[WORDS];

	core_tally_init(copy, WORDS);
	REQUIRE(core_tally_read(copy, WORDS, bytes, size, env));
	require_same(tally, copy, WORDS);
	again = written(copy, &size_again);
	REQUIRE(size == size_again && memcmp(bytes, again, size) == 0);
	core_tally_free(copy, WORDS, env);
	core_tally_init(copy, WORDS);
	REQUIRE(!core_tally_read(copy, WORDS, bytes, size - 1, env));
	for (int r = 0; r < WORDS; r++)
		REQUIRE(copy[r].n_limbs == 0 && copy[r].units.n == 0 && copy[r].sums == NULL);
	free(again);
	free(bytes);
}

/* Can nothing overflow when more is added? */
static void
require_room(const Tally *tally)
{
	REQUIRE(tally->units.n < UINT64_C(1) << 47);
	for (int bit = 0; bit < 64; bit++)
		REQUIRE(core_vote_count(&tally->units, bit) <= tally->units.n);
	REQUIRE(tally->pending <= UINT32_C(1) << 30);
	for (int i = 0; i < tally->n_limbs * 64; i++)
		REQUIRE(tally->sums[i] >= -((int64_t) tally->pending << 32) &&
				tally->sums[i] <= (int64_t) tally->pending << 32);
}

/* Read what may be no state, and work with it if it is one. */
static void
read_any(const uint8_t *bytes, size_t size, Tally *other, uint64_t hash,
		 double weight, const Env *env)
{
	uint8_t    *exact = exact_copy(bytes, size);
	uint64_t	f[WORDS];
	Tally		tally[WORDS];

	core_tally_init(tally, WORDS);
	if (core_tally_read(tally, WORDS, exact, size, env))
	{
		for (int r = 0; r < WORDS; r++)
			require_room(&tally[r]);
		core_tally_add(tally, WORDS, hash, weight, env);
		core_tally_add(tally, WORDS, hash, 1, env);
		core_tally_combine(tally, other, WORDS, env);
		core_tally_add(tally, WORDS, hash, weight, env);
		core_tally_add(tally, WORDS, hash, 1, env);
		core_tally_result(tally, WORDS, f);
		for (int bit = 0; bit < WORDS * 64; bit++)
			core_tally_sum(&tally[bit / 64], bit % 64);
	}
	core_tally_free(tally, WORDS, env);
	free(exact);
}

/* The state with some bytes changed, by what the input's hashes say */
static void
read_changed(Tally *tally, const uint64_t *hashes, const double *weights, size_t n,
			 const Env *env)
{
	size_t		size;
	uint8_t    *bytes = written(tally, &size);

	for (size_t i = 0; i < n && i < 16; i++)
	{
		uint64_t	random = hashes[i];

		/*
		 * any byte, then also one of the numbers between the planes and the
		 * digits
		 */
		bytes[(random >> 8) % size] = (uint8_t) random;
		read_any(bytes, size, tally, random, weights[i], env);
		bytes[HEADER - 12 + (random >> 16) % 12] ^= (uint8_t) (random >> 40);
		read_any(bytes, size - (random >> 48) % 2 * (size / 2), tally, random,
				 weights[i], env);
		core_tally_write(tally, WORDS, bytes);

		/* a large number */
		memset(bytes + 4 * ((random >> 24) % (size / 4 - 1)), 0x7f,
			   random >> 56 & 1 ? 4 : 8);
		read_any(bytes, size, tally, random, weights[i], env);
		core_tally_write(tally, WORDS, bytes);
	}
	free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t hashes[MOST];
	static double weights[MOST];
	Env			env = fuzz_env(1);
	Tally		forward[WORDS];
	Tally		backward[WORDS];
	Tally		part[WORDS];
	MinWise		min[WORDS];
	MinWise		min_part[WORDS];
	uint64_t	f[WORDS];
	uint64_t	g[WORDS];
	size_t		n = 0;

	core_tally_init(part, WORDS);
	read_any(data, size, part, 1, 2, &env);
	while (size > 0 && n < MOST)
	{
		uint64_t	bits;

		hashes[n] = take(&data, &size, 8);
		bits = take(&data, &size, 8);
		memcpy(&weights[n], &bits, sizeof(bits));
		if (isfinite(weights[n]))	/* the caller's promise */
			n++;
	}

	core_tally_init(forward, WORDS);
	core_tally_init(backward, WORDS);
	core_minwise_init(min, WORDS);
	core_minwise_init(min_part, WORDS);
	for (size_t i = 0; i < n; i++)
	{
		require_weight(hashes[i], weights[i], &env);
		core_tally_add(forward, WORDS, hashes[i], weights[i], &env);
		core_tally_add(i % 3 == 0 ? part : backward, WORDS, hashes[n - 1 - i],
					   weights[n - 1 - i], &env);
		core_minwise_add(min, WORDS, &hashes[i], 1);
		core_minwise_add(min_part, WORDS, &hashes[n - 1 - i], 1);
	}
	core_tally_combine(backward, part, WORDS, &env);
	require_same(forward, backward, WORDS);
	REQUIRE(core_minwise_result(min, WORDS, f) == (n > 0) &&
			core_minwise_result(min_part, WORDS, g) == (n > 0) &&
			(n == 0 || memcmp(f, g, sizeof(f)) == 0));

	require_kept(forward, &env);
	require_kept(part, &env);
	read_changed(forward, hashes, weights, n, &env);

	/*
	 * on the first word, a vote against the complement is a vote for the
	 * feature
	 */
	for (size_t i = 0; i < n; i++)
	{
		core_tally_add(forward, WORDS, hashes[i], weights[i], &env);
		core_tally_add(backward, WORDS, ~hashes[i], -weights[i], &env);
	}
	require_same(forward, backward, 1);

	core_tally_free(forward, WORDS, &env);
	core_tally_free(backward, WORDS, &env);
	core_tally_free(part, WORDS, &env);
	return 0;
}
