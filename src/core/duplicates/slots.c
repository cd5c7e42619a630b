/*-------------------------------------------------------------------------
 *
 * slots.c
 *		Slots of templates; see slots.h.
 *
 * The pairs are in a file.  A sort brings together what follows the same words in a group.  Neither
 * groups nor slots depend on the order of the pairs.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../store/external_sort.h"
#include "../store/roots.h"
#include "../text/mix.h"
#include "slots.h"

struct Slots
{
	const Env  *env;
	size_t		memory;
	uint32_t	n;				/* texts */
	JoinFile   *pairs;
	uint64_t	n_pairs;
	ExternalSort *sort;			/* of places, while slots are found */
	/* As core_slots_find has found them: */
	uint32_t   *groups;			/* trees of texts (roots.h) */
	uint8_t    *grouped;		/* a bit for each text of a pair */
	uint64_t   *slots;			/* hashes of groups and contexts, ascending */
	size_t		n_slots;
	size_t		room;
};

Slots *
core_slots_begin(uint32_t n, size_t memory, const Env *env)
{
	Slots	   *slots = env_alloc(env, sizeof(Slots));

	memset(slots, 0, sizeof(Slots));
	slots->env = env;
	slots->memory = memory;
	slots->n = n;
	slots->groups = env_alloc(env, n * sizeof(uint32_t));
	slots->grouped = env_alloc(env, n / 8 + 1);
	slots->pairs = env->create_file(env->file_arg);
	return slots;
}

void
core_slots_add(Slots *slots, const PartedPair *pair)
{
	slots->env->append(slots->pairs, pair, sizeof(PartedPair));
	slots->n_pairs++;
}

void
core_slots_for_each(Slots *slots, VisitPair visit, void *arg)
{
	PartedPair	pair;

	for (uint64_t i = 0; i < slots->n_pairs; i++)
	{
		tick(slots->env, i);
		slots->env->read(slots->pairs, i * sizeof(PartedPair), &pair, sizeof(PartedPair));
		visit(arg, &pair);
	}
}

static void
join_groups(void *arg, const PartedPair *pair)
{
	Slots	   *slots = arg;

	join_roots(slots->groups, pair->text, pair->original);
	slots->grouped[pair->text / 8] |= (uint8_t) (1 << pair->text % 8);
	slots->grouped[pair->original / 8] |= (uint8_t) (1 << pair->original % 8);
}

static inline uint64_t
key_of(Slots *slots, uint32_t text, uint64_t context)
{
	return mix64(context + find_root(slots->groups, text) * MIX_FACTOR);
}

/* Add what follows in both texts to a sort by places. */
static void
sort_pair(void *arg, const PartedPair *pair)
{
	Slots	   *slots = arg;

	for (int reading = 0; reading < 2; reading++)
	{
		const Parting *parting = &pair->partings[reading];

		for (int i = 0; i < 2 && parting->n_places > 0; i++)
			core_external_sort_add(slots->sort, key_of(slots, pair->text, parting->contexts[0]),
								   parting->follow[i] >> 32);
	}
}

static void
add_slot(Slots *slots, uint64_t key)
{
	if (slots->n_slots == slots->room)
	{
		slots->room = 2 * slots->room + 64;
		slots->slots = env_resize(slots->env, slots->slots,
								  slots->room * sizeof(uint64_t));
	}
	slots->slots[slots->n_slots++] = key;
}

/* The different ways in which texts continue at a place, at most WAYS_OF_SLOT */
typedef struct Ways
{
	uint64_t	ways[WAYS_OF_SLOT];
	int			n;
} Ways;

/* Add a way.  Return whether there are now enough for a slot, and were not before. */
static bool
add_way(Ways *ways, uint64_t way)
{
	for (int i = 0; i < ways->n; i++)
		if (ways->ways[i] == way)
			return false;
	if (ways->n == WAYS_OF_SLOT)
		return false;
	ways->ways[ways->n++] = way;
	return ways->n == WAYS_OF_SLOT;
}

/* Read the sorted keys, and add those with enough different values. */
static void
read_keys(Slots *slots)
{
	Ways		ways = {.n = 0};
	uint64_t	before = 0;
	uint64_t	key;
	uint64_t	way;

	while (core_external_sort_next(slots->sort, &key, &way))
	{
		if (key != before)
			ways.n = 0;
		before = key;
		if (add_way(&ways, way))
			add_slot(slots, key);
	}
}

static bool
is_slot(const Slots *slots, uint64_t key)
{
	size_t		low = 0;
	size_t		high = slots->n_slots;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (slots->slots[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < slots->n_slots && slots->slots[low] == key;
}

static bool
part_in_group(Slots *slots, uint32_t text, const PartedPair *pair)
{
	for (int reading = 0; reading < 2; reading++)
	{
		const Parting *parting = &pair->partings[reading];

		for (size_t place = 0; place < parting->n_places; place++)
			if (is_slot(slots, key_of(slots, text, parting->contexts[place])))
				return true;
	}
	return false;
}

bool
core_slots_part(Slots *slots, const PartedPair *pair)
{
	return part_in_group(slots, pair->text, pair) || part_in_group(slots, pair->original, pair);
}

bool
core_slots_find(Slots *slots)
{
	slots->sort = core_external_sort_begin(LONG_KEYS, slots->memory, slots->env);
	begin_roots(slots->groups, slots->n);
	memset(slots->grouped, 0, slots->n / 8 + 1);
	core_slots_for_each(slots, join_groups, slots);
	core_slots_for_each(slots, sort_pair, slots);
	core_external_sort_finish(slots->sort);
	slots->n_slots = 0;
	read_keys(slots);
	core_external_sort_end(slots->sort);
	return slots->n_slots > 0;
}

bool
core_slots_have(const Slots *slots, uint32_t text)
{
	return (slots->grouped[text / 8] >> text % 8 & 1) != 0;
}

void
core_slots_end(Slots *slots)
{
	slots->env->remove_file(slots->pairs);
	env_free(slots->env, slots->groups);
	env_free(slots->env, slots->grouped);
	env_free(slots->env, slots->slots);
	env_free(slots->env, slots);
}

/* Do the texts of a few pairs continue in enough ways at a place? */
static bool
is_slot_of_few(const PartedPair *pairs, int n, int reading, uint64_t context)
{
	Ways		ways = {.n = 0};

	for (int i = 0; i < n; i++)
	{
		const Parting *parting = &pairs[i].partings[reading];

		if (parting->n_places > 0 && parting->contexts[0] == context &&
			(add_way(&ways, parting->follow[0]) || add_way(&ways, parting->follow[1])))
			return true;
	}
	return false;
}

bool
core_few_part(const PartedPair *pairs, int n, int i)
{
	for (int reading = 0; reading < 2; reading++)
		for (size_t place = 0; place < pairs[i].partings[reading].n_places; place++)
			if (is_slot_of_few(pairs, n, reading, pairs[i].partings[reading].contexts[place]))
				return true;
	return false;
}
