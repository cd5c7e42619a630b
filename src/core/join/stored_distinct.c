/*-------------------------------------------------------------------------
 *
 * stored_distinct.c
 *		One of each equal fingerprints in a temporary file.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <string.h>

#include "collapse.h"
#include "stored_pairs.h"

#ifndef JOIN_TEST_SIZES
#define MOST_PARTS		1024
#define FEWEST_ROWS		1024
#else
#define MOST_PARTS		4
#define FEWEST_ROWS		8
#endif

typedef struct Distinct
{
	const JoinEnv *env;
	StoredSet  *result;
	EqualRows	equal;
	void	   *arg;
	size_t		room;
	uint64_t   *fps;
	uint32_t   *rows;
	bool	   *kept;
	size_t		n;
} Distinct;

static uint32_t
hash_fingerprint(const uint64_t *fp, int nwords)
{
	uint64_t	hash = 0;

	for (int word = 0; word < nwords; word++)
	{
		hash = (hash ^ fp[word]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return (uint32_t) hash;
}

/* The number of parts is a power of two. */
static void
parts_by_hash(const void *arg, const uint64_t *fps, size_t n, uint16_t *parts)
{
	const Partitions *partitions = arg;
	int			nwords = partitions->set->nwords;

	for (size_t i = 0; i < n; i++, fps += nwords)
		parts[i] = (uint16_t) (hash_fingerprint(fps, nwords) & (partitions->nparts - 1));
}

/* Leave one of each equal fingerprints in memory. */
static void
leave_distinct(Distinct *distinct)
{
	const JoinEnv *env = distinct->env;
	int			nwords = distinct->result->nwords;
	Fingerprints fps = {distinct->fps, nwords, distinct->n};
	uint32_t   *numbers = join_alloc(env, distinct->n * sizeof(uint32_t));
	Collapsed	collapsed;
	size_t		n = 0;

	for (size_t i = 0; i < distinct->n; i++)
		numbers[i] = (uint32_t) i;
	simhash_collapse(&fps, numbers, distinct->n, env, &collapsed);
	memset(distinct->kept, 0, distinct->n * sizeof(bool));
	for (size_t i = 0; i < collapsed.n; i++)
	{
		uint32_t	first = collapsed.first_rows[i];

		distinct->kept[first] = true;
		for (uint32_t k = collapsed.starts[i]; k < collapsed.starts[i + 1]; k++)
			distinct->equal(distinct->arg, distinct->rows[first],
							distinct->rows[collapsed.other_rows[k]]);
	}
	simhash_collapsed_free(&collapsed, env);
	for (size_t i = 0; i < distinct->n; i++)
		if (distinct->kept[i])
		{
			memmove(distinct->fps + n * (size_t) nwords, fingerprint_of_row(&fps, i),
					(size_t) nwords * sizeof(uint64_t));
			distinct->rows[n++] = distinct->rows[i];
		}
	distinct->n = n;
}

/* Move what is in memory to the result. */
static void
give_out(Distinct *distinct)
{
	size_t		nwords = (size_t) distinct->result->nwords;

	for (size_t i = 0; i < distinct->n; i++)
		simhash_stored_add(distinct->result, distinct->fps + i * nwords, distinct->rows[i]);
	distinct->n = 0;
}

/*
 * Equal fingerprints are in one part.  If a part does not fit, what is distinct in memory
 * is given out before all equal ones were met, and the result has several of them.
 */
static void
add_part(Distinct *distinct, Partitions *parts, uint32_t part)
{
	size_t		nwords = (size_t) distinct->result->nwords;
	uint64_t	done = 0;
	uint64_t	rows = simhash_partitions_rows(parts, part);

	while (done < rows)
	{
		uint64_t	left = rows - done;
		size_t		some;

		if (left > distinct->room - distinct->n && distinct->n > distinct->room / 2)
			give_out(distinct);
		some = distinct->room - distinct->n;
		if (some > left)
			some = (size_t) left;
		simhash_partitions_read(parts, part, done, some, distinct->fps + distinct->n * nwords,
								distinct->rows + distinct->n);
		distinct->n += some;
		done += some;
		leave_distinct(distinct);
	}
	give_out(distinct);
}

/*
 * A set with one of each equal fingerprints, or a few if memory is short.  For each one left
 * out, "equal" is called with the row of one that is not.
 */
StoredSet *
simhash_stored_distinct(StoredSet *set, size_t memory, const JoinEnv *env, EqualRows equal,
						void *arg)
{
	size_t		row_bytes = (size_t) set->nwords * 8 + 4 + 1 + 28;
	Distinct	distinct = {env, NULL, equal, arg, memory / 4 * 3 / row_bytes, NULL, NULL, NULL, 0};
	uint32_t	nparts = 1;
	Partitions	parts;

	if (distinct.room > set->n)
		distinct.room = (size_t) set->n;
	if (distinct.room < FEWEST_ROWS)
		distinct.room = FEWEST_ROWS;
	while (nparts < MOST_PARTS && set->n / nparts > distinct.room / 4 * 3)
		nparts *= 2;
	simhash_partitions_begin(&parts, set, nparts, memory / 4);
	simhash_partitions_divide_all(&parts, parts_by_hash, &parts);

	distinct.result = simhash_stored_begin(set->nwords, env);
	distinct.fps = join_alloc(env, distinct.room * (size_t) set->nwords * sizeof(uint64_t));
	distinct.rows = join_alloc(env, distinct.room * sizeof(uint32_t));
	distinct.kept = join_alloc(env, distinct.room * sizeof(bool));
	for (uint32_t part = 0; part < nparts; part++)
		add_part(&distinct, &parts, part);
	simhash_partitions_end(&parts);
	join_free(env, distinct.fps);
	join_free(env, distinct.rows);
	join_free(env, distinct.kept);
	return distinct.result;
}
