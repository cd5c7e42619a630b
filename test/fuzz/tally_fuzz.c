/*
 * Fuzz target: sums of weighted features.  The order of features makes no difference,
 * nor does their division among tallies that are combined.  A tally that is written
 * and read is the same.  Changed bytes are an error or a tally like others.
 *
 * The input is a sequence of hashes and weights, 16 bytes each.
 */
#include <math.h>

#include "../../src/core/text/minwise.h"
#include "../../src/core/text/tally.h"
#include "fuzz_env.h"

#define MOST 512
#define HEADER 404				/* bytes of a state before its digits */

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

static uint8_t *
written(const Tally *tally, size_t *size)
{
	uint8_t    *bytes;

	*size = simhash_tally_size(tally);
	bytes = malloc(*size);
	REQUIRE(bytes != NULL);
	simhash_tally_write(tally, bytes);
	return bytes;
}

static void
require_kept(Tally *tally, const TextEnv *env)
{
	size_t		size;
	size_t		size_again;
	uint8_t    *bytes = written(tally, &size);
	uint8_t    *again;
	Tally		copy;

	simhash_tally_init(&copy);
	REQUIRE(simhash_tally_read(&copy, bytes, size, env));
	require_same(tally, &copy);
	again = written(&copy, &size_again);
	REQUIRE(size == size_again && memcmp(bytes, again, size) == 0);
	simhash_tally_free(&copy, env);
	simhash_tally_init(&copy);
	REQUIRE(!simhash_tally_read(&copy, bytes, size - 1, env));
	REQUIRE(copy.n_limbs == 0 && copy.units.n == 0);
	free(again);
	free(bytes);
}

/* Can nothing overflow when more is added? */
static void
require_room(const Tally *tally)
{
	REQUIRE(tally->units.n < UINT64_C(1) << 47);
	for (int bit = 0; bit < 64; bit++)
		REQUIRE(simhash_vote_count(&tally->units, bit) <= tally->units.n);
	REQUIRE(tally->pending <= UINT32_C(1) << 30);
	for (int i = 0; i < tally->n_limbs * 64; i++)
		REQUIRE(tally->sums[i] >= -((int64_t) tally->pending << 32) &&
				tally->sums[i] <= (int64_t) tally->pending << 32);
}

/* Read what may be no state, and work with it if it is one. */
static void
read_any(const uint8_t *bytes, size_t size, Tally *other, uint64_t hash,
		 double weight, const TextEnv *env)
{
	uint8_t    *exact = exact_copy(bytes, size);
	uint64_t	f;
	Tally		tally;

	simhash_tally_init(&tally);
	if (simhash_tally_read(&tally, exact, size, env))
	{
		require_room(&tally);
		simhash_tally_add(&tally, hash, weight, env);
		simhash_tally_add(&tally, hash, 1, env);
		simhash_tally_combine(&tally, other, env);
		simhash_tally_add(&tally, hash, weight, env);
		simhash_tally_add(&tally, hash, 1, env);
		simhash_tally_result(&tally, &f);
		for (int bit = 0; bit < 64; bit++)
			simhash_tally_sum(&tally, bit);
	}
	simhash_tally_free(&tally, env);
	free(exact);
}

/* The state with some bytes changed, by what the input's hashes say */
static void
read_changed(Tally *tally, const uint64_t *hashes, const double *weights, size_t n,
			 const TextEnv *env)
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
		simhash_tally_write(tally, bytes);

		/* a large number */
		memset(bytes + 4 * ((random >> 24) % (size / 4 - 1)), 0x7f,
			   random >> 56 & 1 ? 4 : 8);
		read_any(bytes, size, tally, random, weights[i], env);
		simhash_tally_write(tally, bytes);
	}
	free(bytes);
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

	simhash_tally_init(&part);
	read_any(data, size, &part, 1, 2, &env);
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

	require_kept(&forward, &env);
	require_kept(&part, &env);
	read_changed(&forward, hashes, weights, n, &env);

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
