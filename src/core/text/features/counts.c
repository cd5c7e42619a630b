/*-------------------------------------------------------------------------
 *
 * counts.c
 *		Counts and weights of features; see counts.h. A slot is found as in distinct_features.c.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../kernels/token_hash.h"
#include "counts.h"

void
core_counts_init(FeatureCounts *counts, const Env *env)
{
	counts->env = env;
	counts->keys = counts->small_keys;
	counts->counts = counts->small_counts;
	counts->n_slots = 0;
	counts->n_keys = 0;
}

void
core_counts_free(FeatureCounts *counts)
{
	if (counts->keys == counts->small_keys)
		return;
	env_free(counts->env, counts->keys);
	env_free(counts->env, counts->counts);
}

/* The slot of hash, or the empty slot where it belongs. */
static inline size_t
slot_of(const FeatureCounts *counts, uint64_t hash)
{
	size_t		mask = counts->n_slots - 1;
	size_t		slot = (size_t) (hash * (counts->env->salt | 1) >> counts->shift);

	while (counts->counts[slot] != 0 && counts->keys[slot] != hash)
		slot = (slot + 1) & mask;
	return slot;
}

static void
grow_counts(FeatureCounts *counts)
{
	const Env  *env = counts->env;
	uint64_t   *old_keys = counts->keys;
	uint32_t   *old_counts = counts->counts;
	size_t		n_old = counts->n_slots;

	counts->n_slots = n_old == 0 ? COUNTS_SMALL : n_old * 2;
	counts->shift = 64;
	for (size_t i = counts->n_slots; i > 1; i /= 2)
		counts->shift--;
	if (n_old > 0)
	{
		counts->keys = env_alloc(env,
								 counts->n_slots * sizeof(*counts->keys));
		counts->counts = env_alloc(env,
								   counts->n_slots * sizeof(*counts->counts));
	}
	memset(counts->counts, 0, counts->n_slots * sizeof(*counts->counts));
	for (size_t i = 0; i < n_old; i++)
	{
		tick(env, i);
		if (old_counts[i] != 0)
		{
			size_t		slot = slot_of(counts, old_keys[i]);

			counts->keys[slot] = old_keys[i];
			counts->counts[slot] = old_counts[i];
		}
	}
	if (n_old > COUNTS_SMALL)
	{
		env_free(env, old_keys);
		env_free(env, old_counts);
	}
}

/* Count a feature, and return its count before. */
static inline uint32_t
count(FeatureCounts *counts, uint64_t hash)
{
	size_t		slot;
	uint32_t	before;

	/* at most three quarters full */
	if (counts->n_keys >= counts->n_slots / 4 * 3)
		grow_counts(counts);
	slot = slot_of(counts, hash);
	before = counts->counts[slot];
	counts->keys[slot] = hash;
	counts->n_keys += before == 0;
	if (before < UINT32_MAX)
		counts->counts[slot] = before + 1;
	return before;
}

void
core_counts_add(FeatureCounts *counts, const uint64_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		count(counts, hashes[i]);
}

void
core_counts_number(FeatureCounts *counts, uint64_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	before = count(counts, hashes[i]);

		if (before > 0)
			hashes[i] = feature_pair(hashes[i], before);
	}
}

uint32_t *
core_counts_of(const FeatureCounts *counts, uint64_t hash)
{
	return &counts->counts[slot_of(counts, hash)];
}

/*
 * 1 + log2 count, in steps of 2^-16 rounded down.  The computation uses integers,
 * because the mathematical libraries of two machines may differ in the last bit of
 * a logarithm.
 */
static double
logarithm_weight(uint32_t count)
{
	uint64_t	x = count;		/* becomes a number in [1, 2), times 2^31 */
	uint32_t	logarithm = 31;

	for (; x < UINT64_C(1) << 31; x <<= 1)
		logarithm--;
	for (int i = 0; i < 16; i++)
	{
		x = x * x >> 31;
		logarithm <<= 1;
		if (x >= UINT64_C(1) << 32)
		{
			logarithm |= 1;
			x >>= 1;
		}
	}
	return 1 + logarithm / 65536.0;
}

double
core_feature_weight(FeatureWeight weight, uint32_t count)
{
	switch (weight)
	{
		case WEIGHT_FREQUENCY:
			return count;
		case WEIGHT_LOGARITHM:
			return logarithm_weight(count);
		default:
			return 1;
	}
}
