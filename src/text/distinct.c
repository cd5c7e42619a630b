/*
 * The set of features; see distinct.h.
 *
 * Features are well mixed, but their authors may not be well meaning: a slot is
 * found by multiplicative hashing with the environment's random factor.
 */
#include <string.h>

#include "distinct.h"

#define MOST_EXPECTED 16384		/* 256 kB */
#define HIGHEST_BIT (UINT64_C(1) << 63)
#define MANY_SLOTS 65536		/* 512 kB: from here on memory counts more than time */
#define REHASH_STRETCH 512		/* old slots read at a time */

void
simhash_distinct_init(DistinctSet *set, const TextEnv *env, size_t expected)
{
	set->env = env;
	set->expected = expected < MOST_EXPECTED ? expected : MOST_EXPECTED;
	set->slots = set->small;
	set->n_slots = 0;
	set->count = 0;
	set->room = 0;
	set->shift = 64;
	set->has_zero = false;
}

void
simhash_distinct_free(DistinctSet *set)
{
	if (set->slots != set->small)
		set->env->release(set->env->arg, set->slots);
}

/* In the highest bit: is x not 0?  Compilers make no branch of it. */
static inline uint64_t
not_zero(uint64_t x)
{
	return x | (0 - x);
}

/*
 * The set has room for n more.  Those that are new are moved to the front;
 * returns how many.
 */
static inline size_t
insert(DistinctSet *set, uint64_t *hashes, size_t n)
{
	uint64_t   *slots = set->slots;
	uint64_t	factor = set->env->salt | 1;
	int			shift = set->shift;
	size_t		mask = set->n_slots - 1;
	uint64_t	no_zero = HIGHEST_BIT;
	size_t		n_new = 0;
	size_t		i;

	for (i = 0; i < n; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		slot = (size_t) (hash * factor >> shift);
		uint64_t	there = slots[slot];

		/*
		 * Whether a hash is new is hard to predict, and so is whether another
		 * has its slot: the first two places are tried without a branch.
		 */
		slot ^= (not_zero(there) & not_zero(there ^ hash)) >> 63;
		there = slots[slot];
		while ((not_zero(there) & not_zero(there ^ hash)) >= HIGHEST_BIT)
		{
			slot = (slot + 1) & mask;
			there = slots[slot];
		}
		slots[slot] = hash;
		hashes[n_new] = hash;
		n_new += not_zero(there ^ hash) >> 63;
		no_zero &= not_zero(hash);
	}
	if (no_zero == 0 && !set->has_zero)
	{
		/* never new above, as an empty slot is equal to it */
		set->has_zero = true;
		hashes[n_new++] = 0;
	}
	set->count += n_new;
	return n_new;
}

/* How many hashes so many slots may hold */
static size_t
room_of(size_t n_slots)
{
	return n_slots < MANY_SLOTS ? n_slots / 2 : n_slots / 4 * 3;
}

/*
 * Make the set hold at least needed hashes.  A large set takes at most 22 bytes for
 * each, and half as much again while it grows.
 */
static void
grow(DistinctSet *set, size_t needed)
{
	const TextEnv *env = set->env;
	uint64_t   *old = set->slots;
	size_t		n_old = set->n_slots;
	size_t		n_slots = 16;
	int			shift = 60;
	size_t		i;

	if (needed < set->expected)
		needed = set->expected;
	while (room_of(n_slots) < needed)
	{
		n_slots *= 2;
		shift--;
	}
	if (n_old > 0 && n_slots < MANY_SLOTS)
	{
		/* by 4 at a time, as to move everything costs more than the space */
		n_slots *= 2;
		shift--;
	}
	if (n_old > 0 || n_slots > DISTINCT_SMALL)
		set->slots = env->resize(env->arg, NULL, n_slots * sizeof(*old));
	memset(set->slots, 0, n_slots * sizeof(*old));
	set->n_slots = n_slots;
	set->room = room_of(n_slots);
	set->shift = shift;

	set->count = 0;
	for (i = 0; i < n_old; i += REHASH_STRETCH)
	{
		uint64_t	hashes[REHASH_STRETCH];
		size_t		n = 0;
		size_t		k;

		env->check_interrupts(env->arg);
		for (k = i; k < n_old && k < i + REHASH_STRETCH; k++)
		{
			hashes[n] = old[k];
			n += old[k] != 0;
		}
		insert(set, hashes, n);
	}
	if (n_old > 0 && old != set->small)
		env->release(env->arg, old);
}

size_t
simhash_distinct_add(DistinctSet *set, uint64_t *hashes, size_t n)
{
	if (set->count + n > set->room)
		grow(set, set->count + n);
	return insert(set, hashes, n);
}
