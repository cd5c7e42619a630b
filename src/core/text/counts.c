/*
 * Counts of features; see counts.h.  A slot is found as in distinct.c.
 */
#include <string.h>

#include "counts.h"

#define FIRST_SLOTS 256
#define REHASH_STRETCH 4096		/* old slots moved between interrupts */

void
simhash_counts_init(FeatureCounts *counts, const TextEnv *env)
{
	memset(counts, 0, sizeof(*counts));
	counts->env = env;
}

void
simhash_counts_free(FeatureCounts *counts)
{
	if (counts->n_slots == 0)
		return;
	counts->env->release(counts->env->arg, counts->keys);
	counts->env->release(counts->env->arg, counts->counts);
}

/* The slot of hash, or the empty slot where it belongs */
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
grow(FeatureCounts *counts)
{
	const TextEnv *env = counts->env;
	FeatureCounts old = *counts;
	size_t		i;

	counts->n_slots = old.n_slots == 0 ? FIRST_SLOTS : old.n_slots * 2;
	counts->shift = 64;
	for (i = counts->n_slots; i > 1; i /= 2)
		counts->shift--;
	counts->keys = env->resize(env->arg, NULL,
							   counts->n_slots * sizeof(*counts->keys));
	counts->counts = env->resize(env->arg, NULL,
								 counts->n_slots * sizeof(*counts->counts));
	memset(counts->counts, 0, counts->n_slots * sizeof(*counts->counts));
	for (i = 0; i < old.n_slots; i++)
	{
		if (i % REHASH_STRETCH == 0)
			env->check_interrupts(env->arg);
		if (old.counts[i] != 0)
		{
			size_t		slot = slot_of(counts, old.keys[i]);

			counts->keys[slot] = old.keys[i];
			counts->counts[slot] = old.counts[i];
		}
	}
	simhash_counts_free(&old);
}

void
simhash_counts_add(FeatureCounts *counts, const uint64_t *hashes, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		size_t		slot;

		/* at most three quarters full */
		if (counts->n_keys >= counts->n_slots / 4 * 3)
			grow(counts);
		slot = slot_of(counts, hashes[i]);
		counts->keys[slot] = hashes[i];
		counts->n_keys += counts->counts[slot] == 0;
		if (counts->counts[slot] < UINT32_MAX)
			counts->counts[slot]++;
	}
}

uint32_t *
simhash_counts_of(const FeatureCounts *counts, uint64_t hash)
{
	return &counts->counts[slot_of(counts, hash)];
}
