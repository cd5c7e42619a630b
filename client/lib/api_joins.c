/*-------------------------------------------------------------------------
 *
 * api_joins.c
 *		Pairs and groups of fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "arguments.h"
#include "call.h"
#include "core/groups/groups.h"
#include "core/store/roots.h"
#include "core/permutation.h"
#include "internal.h"

/* Can the join compare n fingerprints of this width? */
static bool
can_join(size_t n, int bits)
{
	return bits >= FEWEST_BITS && bits <= MOST_BITS && bits % BITS_STEP == 0 && n < UINT32_MAX - 1;
}

/*
 * The set of all fingerprints.  Wide ones are searched with their bits in another order, which changes
 * no distance; core/permutation.h explains the reason.
 */
static FingerprintSet *
set_of_all(const uint64_t *fingerprints, size_t n, int bits, const Env *env)
{
	Fingerprints fps = {.words = fingerprints,.nwords = PGSIMHASH_WORDS(bits),.n = n};
	FingerprintSet *set = core_set_begin(fps.nwords, env);
	BitPermutation permutation;
	uint64_t	permuted[MOST_WORDS];

	bit_permutation_init(&permutation, bits);
	for (size_t row = 0; row < n; row++)
	{
		const uint64_t *fp = fingerprint_of_row(&fps, row);

		if (fps.nwords > 1)
		{
			bit_permute(&permutation, fp, permuted);
			fp = permuted;
		}
		core_set_add(set, fp, (uint32_t) row);
	}
	return set;
}

/* ---------- pairs ---------- */

struct pgsimhash_pairs
{
	Call		call;
	NearPairs  *pairs;

	/* Pairs that the caller has not got yet, from "at" on. */
	const FingerprintPair *found;

	size_t		n_found;
	size_t		at;
};

int
pgsimhash_pairs_begin(const uint64_t *fingerprints, size_t n, int bits, int distance,
					  size_t memory, pgsimhash_pairs **pairs)
{
	pgsimhash_pairs *begun;

	if (!can_join(n, bits))
		return PGSIMHASH_INVALID_OPTION;
	begun = calloc(1, sizeof(pgsimhash_pairs));
	if (begun == NULL)
		return PGSIMHASH_NO_MEMORY;
	call_begin(&begun->call);
	begun->call.on_disk = memory > 0;
	if (setjmp(begun->call.out) != 0)
	{
		int			result = begun->call.result;

		pgsimhash_pairs_end(begun);
		return result;
	}
	begun->pairs = core_near_pairs_begin(set_of_all(fingerprints, n, bits, &begun->call.env),
										 search_distance(distance, bits), search_memory(memory));
	*pairs = begun;
	return PGSIMHASH_OK;
}

int
pgsimhash_pairs_next(pgsimhash_pairs *pairs, pgsimhash_pair *found, size_t room,
					 size_t *n_found)
{
	size_t		n;

	if (setjmp(pairs->call.out) != 0)
		return pairs->call.result;
	for (n = 0; n < room; n++)
	{
		FingerprintPair pair;
		bool		ordered;

		if (pairs->at == pairs->n_found)
		{
			pairs->at = 0;
			pairs->n_found = core_near_pairs_next(pairs->pairs, &pairs->found);
			if (pairs->n_found == 0)
				break;
		}
		pair = pairs->found[pairs->at++];
		ordered = pair.a < pair.b;
		found[n].a = ordered ? pair.a : pair.b;
		found[n].b = ordered ? pair.b : pair.a;
		found[n].distance = pair.distance;
	}
	*n_found = n;
	return PGSIMHASH_OK;
}

void
pgsimhash_pairs_end(pgsimhash_pairs *pairs)
{
	if (pairs == NULL)
		return;
	(void) call_end(&pairs->call, PGSIMHASH_OK);
	free(pairs);
}

/* ---------- groups ---------- */

/* A row is in a group of its own unless it is a member of another. */
static void
set_group(void *groups, uint32_t row, uint32_t first)
{
	((uint32_t *) groups)[row] = first;
}

/* Only a call that ends well writes to the caller's array. */
static int
end_with_groups(Call *call, const uint32_t *found, size_t n, uint32_t *groups)
{
	if (n > 0)
		memcpy(groups, found, n * sizeof(uint32_t));
	return call_end(call, PGSIMHASH_OK);
}

/* The functions of a StarRule by which known rows are keepers */
static bool
is_new_row(void *known, uint32_t earlier, uint32_t row)
{
	(void) earlier;
	return row >= *(const size_t *) known;
}

int
groups_of_new(const uint64_t *fingerprints, size_t n, size_t known, int bits, int distance,
			  int method, size_t memory, uint32_t *groups)
{
	const StarRule rule = {is_new_row, is_new_row, &known};
	Call		call;
	FingerprintSet *set;
	uint32_t   *found;

	if (!can_join(n, bits) || (method != PGSIMHASH_STAR && method != PGSIMHASH_COMPONENTS))
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	call.on_disk = memory > 0;
	found = env_alloc(&call.env, n * sizeof(uint32_t));
	begin_roots(found, n);
	set = set_of_all(fingerprints, n, bits, &call.env);
	distance = search_distance(distance, bits);
	memory = search_memory(memory);
	if (method == PGSIMHASH_COMPONENTS)
		core_components_of_new(set, call_new_rows(&call, known, n), distance, memory,
							   &core_serial_pairs, set_group, found);
	else if (known > 0)
		core_stars_by_rule(set, distance, memory, &rule, set_group, found);
	else
		core_stars(set, distance, memory, &core_serial_pairs, set_group, found);
	return end_with_groups(&call, found, n, groups);
}

int
pgsimhash_groups(const uint64_t *fingerprints, size_t n, int bits,
				 int distance, int method, size_t memory, uint32_t *groups)
{
	return groups_of_new(fingerprints, n, 0, bits, distance, method, memory, groups);
}

/* ---------- stars of edges ---------- */

int
pgsimhash_stars(const pgsimhash_edge *edges, size_t n_edges, size_t n,
				uint32_t *keepers)
{
	Call		call;
	const Env  *env = &call.env;
	ExternalSort *links;
	uint32_t   *found;

	if (n_edges >= UINT32_MAX - 1 || n >= UINT32_MAX - 1)
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	links = core_external_sort_begin(SHORT_NUMBERS, ENOUGH_MEMORY, env);
	found = env_alloc(env, n * sizeof(uint32_t));
	begin_roots(found, n);
	check_interrupts(env);
	for (size_t i = 0; i < n_edges; i++)
	{
		pgsimhash_edge edge = edges[i];

		tick(env, i);
		if (edge.a >= n || edge.b >= n)
			return call_end(&call, PGSIMHASH_INVALID_OPTION);
		if (edge.a > edge.b)
			core_external_sort_add(links, edge.a, edge.b);
		else if (edge.a < edge.b)
			core_external_sort_add(links, edge.b, edge.a);
	}
	core_star_of_links(links, n, env, set_group, found);
	return end_with_groups(&call, found, n, keepers);
}
