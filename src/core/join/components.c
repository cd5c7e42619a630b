/*-------------------------------------------------------------------------
 *
 * components.c
 *		Connected components: rows that a chain of near fingerprints connects.
 *
 * Rows with equal fingerprints are connected without pairs, and most pairs of rows that are already
 * connected are omitted.  So many rows that are near each other do not cost the square of their
 * number.
 *
 *-------------------------------------------------------------------------
 */
#include "groups.h"
#include "roots.h"

static void
connect(void *parents, uint32_t a, uint32_t b)
{
	join_roots(parents, a, b);
}

/* Report all rows that are not the first of their components. */
static void
give_members(uint32_t *parents, size_t n, const Env *env, GroupMember member, void *arg)
{
	end_roots(parents, n);
	for (size_t row = 0; row < n; row++)
	{
		tick(env, row);
		if (parents[row] != row)
			member(arg, (uint32_t) row, parents[row]);
	}
}

/*
 * Find connected components (groups.h).  The array of all rows is allocated even if it is larger
 * than "memory".  The join gets the rest of "memory", but at least half of it.
 */
void
core_components(FingerprintSet *set, int distance, size_t memory,
				const PairsSource *source, GroupMember member, void *arg)
{
	const Env  *env = set->env;
	size_t		n_rows = (size_t) set->n;
	size_t		array = n_rows * sizeof(uint32_t);
	uint32_t   *parents;
	FingerprintSet *distinct;
	void	   *pairs;
	const FingerprintPair *found;
	size_t		n;

	if (distance < 0)
		return;
	parents = env_alloc(env, array);
	begin_roots(parents, n_rows);
	memory -= array < memory / 2 ? array : memory / 2;
	distinct = core_distinct(set, memory, connect, parents);
	pairs = source->begin(source->arg, distinct, distance, UINT64_MAX, parents, memory);
	while ((n = source->next(pairs, &found)) > 0)
		for (size_t i = 0; i < n; i++)
			join_roots(parents, found[i].a, found[i].b);
	source->end(pairs);
	core_set_end(distinct);
	give_members(parents, n_rows, env, member, arg);
	env_free(env, parents);
}
