/*
 * Fuzz target: sums of weighted features.  The order of features makes no difference,
 * nor does their division among tallies that are combined.
 *
 * The input is a sequence of hashes and weights, 16 bytes each.
 */
#include <math.h>

#include "../../src/core/text/minwise.h"
#include "../../src/core/text/tally.h"
#include "fuzz_env.h"

#define MOST 512

static void
require_same(Tally *a, Tally *b)
{
	uint64_t	f = 0;
	uint64_t	g = 0;

	REQUIRE(simhash_tally_result(a, &f) == simhash_tally_result(b, &g) && f == g);
	for (int bit = 0; bit < 64; bit++)
		REQUIRE(simhash_tally_sum(a, bit) == simhash_tally_sum(b, bit));
}

/* The sums of a single feature are its weight. */
static void
require_weight(uint64_t hash, double weight, const TextEnv *env)
{
	Tally		tally;

	simhash_tally_init(&tally);
	simhash_tally_add(&tally, hash, weight, env);
	for (int bit = 0; bit < 64; bit++)
		REQUIRE(simhash_tally_sum(&tally, bit) == (hash >> bit & 1 ? weight : -weight));
	simhash_tally_free(&tally, env);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t hashes[MOST];
	static double weights[MOST];
	TextEnv		env = fuzz_env(1);
	Tally		forward;
	Tally		backward;
	Tally		part;
	MinWise		min;
	MinWise		min_part;
	uint64_t	f = 0;
	uint64_t	g = 0;
	size_t		n = 0;

	while (size > 0 && n < MOST)
	{
		uint64_t	bits;

		hashes[n] = take(&data, &size, 8);
		bits = take(&data, &size, 8);
		memcpy(&weights[n], &bits, sizeof(bits));
		if (isfinite(weights[n]))	/* the caller's promise */
			n++;
	}

	simhash_tally_init(&forward);
	simhash_tally_init(&backward);
	simhash_tally_init(&part);
	simhash_minwise_init(&min);
	simhash_minwise_init(&min_part);
	for (size_t i = 0; i < n; i++)
	{
		require_weight(hashes[i], weights[i], &env);
		simhash_tally_add(&forward, hashes[i], weights[i], &env);
		simhash_tally_add(i % 3 == 0 ? &part : &backward, hashes[n - 1 - i],
						  weights[n - 1 - i], &env);
		simhash_minwise_add(&min, &hashes[i], 1);
		simhash_minwise_add(&min_part, &hashes[n - 1 - i], 1);
	}
	simhash_tally_combine(&backward, &part, &env);
	require_same(&forward, &backward);
	REQUIRE(simhash_minwise_result(&min, &f) == simhash_minwise_result(&min_part, &g) &&
			f == g);

	/* a vote against the complement is a vote for the feature */
	for (size_t i = 0; i < n; i++)
	{
		simhash_tally_add(&forward, hashes[i], weights[i], &env);
		simhash_tally_add(&backward, ~hashes[i], -weights[i], &env);
	}
	require_same(&forward, &backward);

	simhash_tally_free(&forward, &env);
	simhash_tally_free(&backward, &env);
	simhash_tally_free(&part, &env);
	return 0;
}
