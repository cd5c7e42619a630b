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
	counts->n_slots = COUNTS_SMALL;
	counts->n_keys = 0;
	counts->shift = 64 - COUNTS_SMALL_LOG2;
	memset(counts->small_counts, 0, sizeof(counts->small_counts));
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

/* Are counts at most three quarters full with n features? */
static inline bool
has_room(const FeatureCounts *counts, size_t n)
{
	return n <= counts->n_slots / 4 * 3;
}

/* Make room for n features. */
static void
grow_counts(FeatureCounts *counts, size_t n)
{
	const Env  *env = counts->env;
	uint64_t   *old_keys = counts->keys;
	uint32_t   *old_counts = counts->counts;
	size_t		n_old = counts->n_keys > 0 ? counts->n_slots : 0;

	while (!has_room(counts, n))
	{
		counts->n_slots *= 2;
		counts->shift--;
	}
	counts->keys = env_alloc(env, counts->n_slots * sizeof(*counts->keys));
	counts->counts = env_alloc(env, counts->n_slots * sizeof(*counts->counts));
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
	if (old_keys != counts->small_keys)
	{
		env_free(env, old_keys);
		env_free(env, old_counts);
	}
}

void
core_counts_expect(FeatureCounts *counts, size_t n)
{
	if (!has_room(counts, n))
		grow_counts(counts, n);
}

uint32_t *
core_counts_reserve(FeatureCounts *counts, uint64_t hash)
{
	size_t		slot;

	if (!has_room(counts, counts->n_keys + 1))
		grow_counts(counts, counts->n_keys + 1);
	slot = slot_of(counts, hash);
	counts->n_keys += counts->counts[slot] == 0;
	counts->keys[slot] = hash;
	return &counts->counts[slot];
}

void
core_counts_add(FeatureCounts *counts, const uint64_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		uint32_t   *count = core_counts_reserve(counts, hashes[i]);

		*count += *count < UINT32_MAX;
	}
}

uint64_t
core_counts_number(FeatureCounts *counts, uint64_t hash)
{
	uint32_t	before = *core_counts_of(counts, hash);

	core_counts_add(counts, &hash, 1);
	return before > 0 ? feature_pair(hash, before) : hash;
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
