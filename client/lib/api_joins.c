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
#include "core/join/groups.h"
#include "core/join/roots.h"
#include "core/join/star_links.h"
#include "core/permutation.h"

/* More than any search takes */
#define ENOUGH_MEMORY (SIZE_MAX / 4)

/* A search with less is slow. */
#define LEAST_MEMORY (1 << 20)

/* What both functions are asked for. */
typedef struct JoinInput
{
	Fingerprints fps;
	int			bits;
	int			distance;
	size_t		memory;
	bool		on_disk;
} JoinInput;

static int
search_init(JoinInput *search, const uint64_t *fingerprints, size_t n, int bits, int distance,
			size_t memory)
{
	if (!is_join_width(bits) || n >= UINT32_MAX - 1)
		return PGSIMHASH_INVALID_OPTION;
	search->fps.words = fingerprints;
	search->fps.nwords = PGSIMHASH_WORDS(bits);
	search->fps.n = n;
	search->bits = bits;
	search->distance = distance < -1 ? -1 : distance > bits ? bits : distance;
	search->on_disk = memory > 0;
	search->memory = memory == 0 || memory > ENOUGH_MEMORY ? ENOUGH_MEMORY :
		memory < LEAST_MEMORY ? LEAST_MEMORY : memory;
	return PGSIMHASH_OK;
}

/*
 * Begin a search in a call.  The result is the set of all rows.  Wide fingerprints are searched
 * with their bits in another order, which changes no distance; core/permutation.h explains the
 * reason.
 */
static FingerprintSet *
search_begin(const JoinInput *search, Call *call)
{
	const Env  *env = &call->env;
	FingerprintSet *set;
	BitPermutation permutation;
	uint64_t	permuted[MOST_WORDS];

	call->on_disk = search->on_disk;
	set = core_set_begin(search->fps.nwords, env);
	bit_permutation_init(&permutation, search->bits);
	for (size_t row = 0; row < search->fps.n; row++)
	{
		const uint64_t *fp = fingerprint_of_row(&search->fps, row);

		if (search->fps.nwords > 1)
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
	JoinInput	search;
	NearPairs  *pairs;

	/* Pairs that the caller has not got yet, from "at" on. */
	const FingerprintPair *found;

	size_t		n_found;
	size_t		at;
};

static int
begin_body(Call *call, void *arg)
{
	pgsimhash_pairs *pairs = arg;

	pairs->pairs = core_near_pairs_begin(search_begin(&pairs->search, call),
										 pairs->search.distance, pairs->search.memory);
	pairs->n_found = pairs->at = 0;
	return PGSIMHASH_OK;
}

int
pgsimhash_pairs_begin(const uint64_t *fingerprints, size_t n, int bits, int distance,
					  size_t memory, pgsimhash_pairs **pairs)
{
	JoinInput	search;
	int			result = search_init(&search, fingerprints, n, bits, distance, memory);
	pgsimhash_pairs *begun;

	if (result != PGSIMHASH_OK)
		return result;
	begun = malloc(sizeof(pgsimhash_pairs));
	if (begun == NULL)
		return PGSIMHASH_NO_MEMORY;
	begun->search = search;
	call_begin(&begun->call);
	result = call_run(&begun->call, begin_body, begun);
	if (result == PGSIMHASH_OK)
		*pairs = begun;
	else
		pgsimhash_pairs_end(begun);
	return result;
}

typedef struct NextCall
{
	pgsimhash_pairs *pairs;
	pgsimhash_pair *found;
	size_t		room;
	size_t	   *n_found;
} NextCall;

static int
next_body(Call *call, void *arg)
{
	NextCall   *c = arg;
	pgsimhash_pairs *pairs = c->pairs;
	size_t		n = 0;

	(void) call;
	while (n < c->room)
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
		c->found[n].a = ordered ? pair.a : pair.b;
		c->found[n].b = ordered ? pair.b : pair.a;
		c->found[n].distance = pair.distance;
		n++;
	}
	*c->n_found = n;
	return PGSIMHASH_OK;
}

int
pgsimhash_pairs_next(pgsimhash_pairs *pairs, pgsimhash_pair *found, size_t room,
					 size_t *n_found)
{
	NextCall	c = {pairs, found, room, n_found};

	return call_run(&pairs->call, next_body, &c);
}

void
pgsimhash_pairs_end(pgsimhash_pairs *pairs)
{
	if (pairs == NULL)
		return;
	call_end(&pairs->call);
	free(pairs);
}

/* ---------- groups ---------- */

typedef struct GroupsCall
{
	JoinInput	search;
	int			method;
	uint32_t   *groups;
} GroupsCall;

/* A row is in a group of its own unless it is a member of another. */
static void
set_group(void *groups, uint32_t row, uint32_t first)
{
	((uint32_t *) groups)[row] = first;
}

static int
groups_body(Call *call, void *arg)
{
	GroupsCall *c = arg;
	FindGroups *find = c->method == PGSIMHASH_STAR ? core_stars : core_components;
	size_t		n = c->search.fps.n;
	uint32_t   *groups = env_alloc(&call->env, n * sizeof(uint32_t));

	begin_roots(groups, n);
	find(search_begin(&c->search, call), c->search.distance, c->search.memory,
		 &core_serial_pairs, set_group, groups);
	/* only a call that ends well writes to the caller's array */
	if (n > 0)
		memcpy(c->groups, groups, n * sizeof(uint32_t));
	return PGSIMHASH_OK;
}

int
pgsimhash_groups(const uint64_t *fingerprints, size_t n, int bits,
				 int distance, int method, size_t memory, uint32_t *groups)
{
	GroupsCall	c = {.method = method,.groups = groups};
	int			result = search_init(&c.search, fingerprints, n, bits, distance, memory);

	if (result != PGSIMHASH_OK)
		return result;
	if (method != PGSIMHASH_STAR && method != PGSIMHASH_COMPONENTS)
		return PGSIMHASH_INVALID_OPTION;
	return call_once(groups_body, &c);
}

/* ---------- stars of edges ---------- */

typedef struct StarsCall
{
	const pgsimhash_edge *edges;
	size_t		n_edges;
	size_t		n;
	uint32_t   *keepers;
} StarsCall;

static int
stars_body(Call *call, void *arg)
{
	StarsCall  *c = arg;
	const Env  *env = &call->env;
	ExternalSort *links;
	uint32_t   *keepers;

	links = core_external_sort_begin(SHORT_NUMBERS, ENOUGH_MEMORY, env);
	keepers = env_alloc(env, c->n * sizeof(uint32_t));
	begin_roots(keepers, c->n);
	check_interrupts(env);
	for (size_t i = 0; i < c->n_edges; i++)
	{
		pgsimhash_edge edge = c->edges[i];

		tick(env, i);
		if (edge.a >= c->n || edge.b >= c->n)
			return PGSIMHASH_INVALID_OPTION;
		if (edge.a > edge.b)
			core_external_sort_add(links, edge.a, edge.b);
		else if (edge.a < edge.b)
			core_external_sort_add(links, edge.b, edge.a);
	}
	core_star_of_links(links, c->n, ENOUGH_MEMORY, env, NULL, set_group, keepers);
	if (c->n > 0)
		memcpy(c->keepers, keepers, c->n * sizeof(uint32_t));
	return PGSIMHASH_OK;
}

int
pgsimhash_stars(const pgsimhash_edge *edges, size_t n_edges, size_t n,
				uint32_t *keepers)
{
	StarsCall	c = {edges, n_edges, n, keepers};

	if (n_edges >= UINT32_MAX - 1 || n >= UINT32_MAX - 1)
		return PGSIMHASH_INVALID_OPTION;
	return call_once(stars_body, &c);
}
