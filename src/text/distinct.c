/*
 * The set of features; see distinct.h.
 *
 * Features are well mixed, but their authors may not be well meaning: a slot is
 * found by multiplicative hashing with the environment's random factor.
 */
#include <string.h>

#include "distinct.h"

#define REHASH_STRETCH 8192		/* slots between checks for interrupts */

void
simhash_distinct_init(DistinctSet *set, const TextEnv *env)
{
	set->env = env;
	set->slots = set->small;
	set->n_slots = 0;
	set->count = 0;
	set->shift = 64;
	set->has_zero = false;
}

void
simhash_distinct_free(DistinctSet *set)
{
	if (set->slots != set->small)
		set->env->release(set->env->arg, set->slots);
}

static inline size_t
slot_of(const DistinctSet *set, uint64_t hash)
{
	return (size_t) (hash * (set->env->salt | 1) >> set->shift);
}

/* Make the set hold at least needed hashes at a load of at most a half. */
static void
grow(DistinctSet *set, size_t needed)
{
	const TextEnv *env = set->env;
	uint64_t   *old = set->slots;
	size_t		n_old = set->n_slots;
	size_t		n_slots = 16;
	int			shift = 60;
	uint64_t   *slots = set->small;
	size_t		i;

	while (n_slots / 2 < needed)
	{
		n_slots *= 2;
		shift--;
	}
	if (n_old > 0 || n_slots > DISTINCT_SMALL)
		slots = env->resize(env->arg, NULL, n_slots * sizeof(*slots));
	memset(slots, 0, n_slots * sizeof(*slots));
	set->slots = slots;
	set->n_slots = n_slots;
	set->shift = shift;

	for (i = 0; i < n_old; i++)
	{
		size_t		slot = slot_of(set, old[i]);

		if (i % REHASH_STRETCH == 0)
			env->check_interrupts(env->arg);
		if (old[i] == 0)
			continue;
		while (slots[slot] != 0)
			slot = (slot + 1) & (n_slots - 1);
		slots[slot] = old[i];
	}
	if (n_old > 0 && old != set->small)
		env->release(env->arg, old);
}

size_t
simhash_distinct_add(DistinctSet *set, uint64_t *hashes, size_t n)
{
	uint64_t   *slots;
	size_t		mask;
	size_t		n_new = 0;
	bool		zero = false;
	size_t		i;

	if ((set->count + n) * 2 > set->n_slots)
		grow(set, set->count + n);
	slots = set->slots;
	mask = set->n_slots - 1;

	for (i = 0; i < n; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		slot = slot_of(set, hash);

		while (slots[slot] != 0 && slots[slot] != hash)
			slot = (slot + 1) & mask;

		/*
		 * Whether it is new is hard to predict: no branch.  A zero is never
		 * counted here, as an empty slot is equal to it.
		 */
		hashes[n_new] = hash;
		n_new += slots[slot] != hash;
		slots[slot] = hash;
		zero |= hash == 0;
	}
	if (zero && !set->has_zero)
	{
		set->has_zero = true;
		hashes[n_new++] = 0;
	}
	set->count += n_new;
	return n_new;
}
