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
#include <string.h>

#include "groups.h"
#include "../store/roots.h"

/* Fingerprints that are copied at once */
#define ROWS_READ		1024

/* The rows of components */
typedef struct Components
{
	const Env  *env;
	uint32_t   *parents;		/* roots.h */
	size_t		n;				/* rows */
	bool	   *is_new;			/* is a row, or an equal one, new?  NULL: all are */
} Components;

static void
connect(void *arg, uint32_t kept, uint32_t row)
{
	Components *c = arg;

	join_roots(c->parents, kept, row);
	if (c->is_new != NULL && c->is_new[row])
		c->is_new[kept] = true;
}

/* Copy a set, the new rows last. */
static FingerprintSet *
new_last(FingerprintSet *set, const bool *is_new)
{
	const Env  *env = set->env;
	size_t		nwords = (size_t) set->nwords;
	FingerprintSet *sorted = core_set_begin(set->nwords, env);
	uint64_t   *fps = env_alloc(env, ROWS_READ * nwords * sizeof(uint64_t));
	uint32_t	rows[ROWS_READ];
	uint64_t	n_known = 0;

	for (int round = 0; round < 2; round++)
	{
		for (uint64_t done = 0; done < set->n; done += ROWS_READ)
		{
			size_t		n = set->n - done < ROWS_READ ? (size_t) (set->n - done) : ROWS_READ;

			core_set_read(set, done, n, fps, rows);
			for (size_t i = 0; i < n; i++)
				if (is_new[rows[i]] == (round == 1))
					core_set_add(sorted, fps + i * nwords, rows[i]);
		}
		if (round == 0)
			n_known = sorted->n;
	}
	sorted->n_new = sorted->n - n_known;
	env_free(env, fps);
	core_set_end(set);
	return sorted;
}

/* Join the trees of the rows of each pair. */
static void
join_pairs(Components *c, FingerprintSet *set, int distance, size_t memory, const PairsSource *source)
{
	void	   *pairs = source->begin(source->arg, set, distance, UINT64_MAX, c->parents, memory);
	const FingerprintPair *found;
	size_t		n;

	while ((n = source->next(pairs, &found)) > 0)
		for (size_t i = 0; i < n; i++)
			join_roots(c->parents, found[i].a, found[i].b);
	source->end(pairs);
}

/* Report all rows that are not the first of their components, those of new rows alone. */
static void
give_members(Components *c, GroupMember member, void *arg)
{
	uint32_t   *parents = c->parents;

	end_roots(parents, c->n);
	if (c->is_new != NULL)
		for (size_t row = 0; row < c->n; row++)
			if (c->is_new[row])
				c->is_new[parents[row]] = true;
	for (size_t row = 0; row < c->n; row++)
	{
		tick(c->env, row);
		if (parents[row] != row && (c->is_new == NULL || c->is_new[parents[row]]))
			member(arg, (uint32_t) row, parents[row]);
	}
}

/*
 * The array of all rows is allocated even if it is larger than "memory".  The join gets the rest of
 * "memory", but at least half of it.
 */
void
core_components_of_new(FingerprintSet *set, const bool *is_new, int distance, size_t memory,
					   const PairsSource *source, GroupMember member, void *arg)
{
	const Env  *env = set->env;
	Components	c = {env, NULL, (size_t) set->n, NULL};
	size_t		array = c.n * sizeof(uint32_t);
	FingerprintSet *distinct;

	if (distance < 0)
		return;
	c.parents = env_alloc(env, array);
	begin_roots(c.parents, c.n);
	if (is_new != NULL)
		c.is_new = memcpy(env_alloc(env, c.n), is_new, c.n);
	memory -= array < memory / 2 ? array : memory / 2;
	distinct = core_distinct(set, memory, connect, &c);
	if (is_new != NULL)
		distinct = new_last(distinct, c.is_new);
	if (is_new == NULL || distinct->n_new > 0)
		join_pairs(&c, distinct, distance, memory, source);
	core_set_end(distinct);
	give_members(&c, member, arg);
	env_free(env, c.parents);
	env_free(env, c.is_new);
}

void
core_components(FingerprintSet *set, int distance, size_t memory,
				const PairsSource *source, GroupMember member, void *arg)
{
	core_components_of_new(set, NULL, distance, memory, source, member, arg);
}
