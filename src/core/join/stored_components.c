/*-------------------------------------------------------------------------
 *
 * stored_components.c
 *		Connected components of fingerprints in a temporary file.
 *
 * An array of all rows is faster than a table of those that are connected, and takes its
 * place if it fits in half of the memory.
 *
 *-------------------------------------------------------------------------
 */
#include "roots.h"
#include "stored_groups.h"
#include "stored_pairs.h"

typedef struct Components
{
	uint32_t   *parents;		/* of all rows, or NULL */
	Connections *connections;	/* without parents */
} Components;

static void
connect(void *arg, uint32_t a, uint32_t b)
{
	Components *components = arg;

	if (components->parents != NULL)
		join_roots(components->parents, a, b);
	else
		simhash_connections_add(components->connections, a, b);
}

/* Give out all rows that are not the first of their components. */
static void
give_members(Components *components, size_t n, const JoinEnv *env, GroupMember member, void *arg)
{
	uint64_t	row;
	uint64_t	first;

	if (components->parents == NULL)
	{
		simhash_connections_finish(components->connections);
		while (simhash_connections_next(components->connections, &row, &first))
			if (row != first)
				member(arg, (uint32_t) row, (uint32_t) first);
		return;
	}
	end_roots(components->parents, n);
	for (row = 0; row < n; row++)
	{
		if (row % ROWS_BETWEEN_CHECKS == 0)
			join_check_interrupts(env);
		if (components->parents[row] != row)
			member(arg, (uint32_t) row, components->parents[row]);
	}
}

/* Like the functions of a PairsSource */
static void *
begin(void *arg, StoredSet *set, int distance, size_t memory, const JoinEnv *env)
{
	(void) arg;
	return simhash_stored_pairs_begin(set, distance, memory, env);
}

static size_t
next(void *pairs, const FingerprintPair **found)
{
	return simhash_stored_pairs_next(pairs, found);
}

static void
end(void *pairs)
{
	simhash_stored_pairs_end(pairs);
}

const PairsSource simhash_serial_pairs = {begin, next, end, NULL};

void
simhash_stored_components(StoredSet *set, int distance, size_t memory, const JoinEnv *env,
						  const PairsSource *source, GroupMember member, void *arg)
{
	Components	components = {NULL, NULL};
	uint64_t	array = set->n * sizeof(uint32_t);
	StoredSet  *distinct;
	void	   *pairs;
	const FingerprintPair *found;
	size_t		n;

	if (distance < 0)
		return;
	if (array <= memory / 2)
	{
		components.parents = join_alloc(env, (size_t) array);
		begin_roots(components.parents, (size_t) set->n);
		memory -= (size_t) array;
	}
	else
	{
		memory /= 2;
		components.connections = simhash_connections_begin(memory, env);
	}
	distinct = simhash_stored_distinct(set, memory, env, connect, &components);
	pairs = source->begin(source->arg, distinct, distance, memory, env);
	while ((n = source->next(pairs, &found)) > 0)
		for (size_t i = 0; i < n; i++)
			connect(&components, found[i].a, found[i].b);
	source->end(pairs);
	simhash_stored_end(distinct);
	give_members(&components, (size_t) set->n, env, member, arg);
	if (components.connections != NULL)
		simhash_connections_end(components.connections);
	join_free(env, components.parents);
}
