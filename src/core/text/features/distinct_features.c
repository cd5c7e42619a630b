/*-------------------------------------------------------------------------
 *
 * distinct_features.c
 *		The set of features; see distinct_features.h.
 *
 * Features are well mixed, but an attacker may choose them.  So a slot is
 * found by multiplicative hashing with the environment's random factor.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "distinct_features.h"

#define MOST_EXPECTED 16384		/* 256 kB */
#define HIGHEST_BIT (UINT64_C(1) << 63)

/* 512 kB: larger sets save memory rather than time. */
#define MANY_SLOTS 65536

void
core_distinct_init(DistinctSet *set, const Env *env, size_t expected)
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
core_distinct_free(DistinctSet *set)
{
	if (set->slots != set->small)
		env_free(set->env, set->slots);
}

/* The highest bit of the result: is x not 0?  Compilers make no branch of this. */
static inline uint64_t
not_zero(uint64_t x)
{
	return x | (0 - x);
}

/*
 * Give hashes their own slots if these slots are empty.  The function moves
 * hashes that were not in the set to the front, and returns their number.  It
 * moves hashes whose slot has another hash to rest, and stores their number in
 * n_rest.
 *
 * There is no branch, because its outcome would be hard to predict.  No
 * store's address depends on a load, so later loads can go ahead of the store.
 */
static inline size_t
claim(const DistinctSet *set, uint64_t *hashes, size_t n, uint64_t *rest,
	  size_t *n_rest, size_t *n_zeros)
{
	uint64_t   *slots = set->slots;
	uint64_t	factor = set->env->salt | 1;
	int			shift = set->shift;
	size_t		n_new = 0;
	size_t		n_left = 0;
	size_t		zeros = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		slot = (size_t) (hash * factor >> shift);
		uint64_t	there = slots[slot];
		uint64_t	if_empty = (not_zero(there) >> 63) - 1;

		there |= hash & if_empty;
		slots[slot] = there;
		hashes[n_new] = hash;
		n_new -= if_empty;
		rest[n_left] = hash;
		n_left += not_zero(there ^ hash) >> 63;
		zeros += hash == 0;
	}
	*n_rest = n_left;
	*n_zeros = zeros;
	return n_new;
}

/*
 * Find slots for hashes whose own slots have other hashes.  The function moves new
 * hashes to the front and returns their number.
 */
static inline size_t
insert_rest(const DistinctSet *set, const uint64_t *hashes, size_t n, uint64_t *added)
{
	uint64_t   *slots = set->slots;
	uint64_t	factor = set->env->salt | 1;
	int			shift = set->shift;
	size_t		mask = set->n_slots - 1;
	size_t		n_new = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		slot = (size_t) (hash * factor >> shift) ^ 1;
		uint64_t	there = slots[slot];

		while ((not_zero(there) & not_zero(there ^ hash)) >= HIGHEST_BIT)
		{
			slot = (slot + 1) & mask;
			there = slots[slot];
		}
		slots[slot] = hash;
		added[n_new] = hash;
		n_new += not_zero(there ^ hash) >> 63;
	}
	return n_new;
}

/* Remove zeros and return the number of the other hashes. */
static size_t
without_zeros(uint64_t *hashes, size_t n)
{
	size_t		n_left = 0;

	for (size_t i = 0; i < n; i++)
	{
		hashes[n_left] = hashes[i];
		n_left += hashes[i] != 0;
	}
	return n_left;
}

/*
 * Add n hashes, at most DISTINCT_BATCH, for which the set has room.  The function
 * moves new hashes to the front and returns their number.
 */
static inline size_t
insert(DistinctSet *set, uint64_t *hashes, size_t n)
{
	uint64_t	rest[DISTINCT_BATCH];
	size_t		n_rest;
	size_t		n_new;
	size_t		zeros;

	n_new = claim(set, hashes, n, rest, &n_rest, &zeros);
	if (zeros > 0)
	{
		/* a slot with 0 is empty */
		n_new = without_zeros(hashes, n_new);
		n_rest = without_zeros(rest, n_rest);
		if (!set->has_zero)
			hashes[n_new++] = 0;
		set->has_zero = true;
	}
	n_new += insert_rest(set, rest, n_rest, hashes + n_new);
	set->count += n_new;
	return n_new;
}

/* The number of hashes that n_slots may hold. */
static size_t
room_of(size_t n_slots)
{
	return n_slots < MANY_SLOTS ? n_slots / 2 : n_slots / 4 * 3;
}

/*
 * Make the set large enough for needed hashes.  A large set takes at most 22 bytes
 * for each hash, and half as much again while it grows.
 */
static void
grow_set(DistinctSet *set, size_t needed)
{
	const Env  *env = set->env;
	uint64_t   *old = set->slots;
	size_t		n_old = set->n_slots;
	size_t		n_slots = 16;
	int			shift = 60;

	if (needed < set->expected)
		needed = set->expected;
	while (room_of(n_slots) < needed)
	{
		n_slots *= 2;
		shift--;
	}
	if (n_old > 0 && n_slots < MANY_SLOTS)
	{
		/*
		 * grow by a factor of 4, because moving hashes costs more than the
		 * space
		 */
		n_slots *= 2;
		shift--;
	}
	if (n_old > 0 || n_slots > DISTINCT_SMALL)
		set->slots = env_alloc(env, n_slots * sizeof(*old));
	memset(set->slots, 0, n_slots * sizeof(*old));
	set->n_slots = n_slots;
	set->room = room_of(n_slots);
	set->shift = shift;

	set->count = 0;
	for (size_t i = 0; i < n_old; i += DISTINCT_BATCH)
	{
		uint64_t	hashes[DISTINCT_BATCH];
		size_t		n = 0;

		check_interrupts(env);
		for (size_t k = i; k < n_old && k < i + DISTINCT_BATCH; k++)
		{
			hashes[n] = old[k];
			n += old[k] != 0;
		}
		insert(set, hashes, n);
	}
	if (n_old > 0 && old != set->small)
		env_free(env, old);
}

size_t
core_distinct_add(DistinctSet *set, uint64_t *hashes, size_t n)
{
	if (set->count + n > set->room)
		grow_set(set, set->count + n);
	return insert(set, hashes, n);
}
