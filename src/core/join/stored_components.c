/*-------------------------------------------------------------------------
 *
 * stored_components.c
 *		Connected components of fingerprints in a temporary file.
 *
 *-------------------------------------------------------------------------
 */
#include "stored_groups.h"
#include "stored_pairs.h"

static void
connect(void *arg, uint32_t a, uint32_t b)
{
	simhash_connections_add(arg, a, b);
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
	size_t		for_connections;
	Connections *connections;
	StoredSet  *distinct;
	void	   *pairs;
	const FingerprintPair *found;
	size_t		n;
	uint64_t	row;
	uint64_t	first;

	if (distance < 0)
		return;
	for_connections = memory / 2;
	if (set->n < for_connections / CONNECTION_BYTES)
		for_connections = (size_t) set->n * CONNECTION_BYTES;
	connections = simhash_connections_begin(for_connections, env);
	memory -= for_connections;
	distinct = simhash_stored_distinct(set, memory, env, connect, connections);
	pairs = source->begin(source->arg, distinct, distance, memory, env);
	while ((n = source->next(pairs, &found)) > 0)
		for (size_t i = 0; i < n; i++)
			simhash_connections_add(connections, found[i].a, found[i].b);
	source->end(pairs);
	simhash_stored_end(distinct);
	simhash_connections_finish(connections);
	while (simhash_connections_next(connections, &row, &first))
		if (row != first)
			member(arg, (uint32_t) row, (uint32_t) first);
	simhash_connections_end(connections);
}
