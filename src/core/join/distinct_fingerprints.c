/*-------------------------------------------------------------------------
 *
 * distinct_fingerprints.c
 *		Removing duplicates from a set of fingerprints.
 *
 * The set may be larger than memory.  The hashes of the fingerprints divide it into parts, so that
 * equal fingerprints are in the same part, and a hash table finds the equal ones of a part.  The
 * table is fast because a part fits in the processor's cache.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <string.h>

#include "near_pairs.h"

#ifndef JOIN_TEST_SIZES
#define MOST_PARTS		1024

/* A part this large fits in the processor's cache. */
#define PART_BYTES		(1 << 20)

#define FEWEST_ROWS		1024
#define MOST_PROBES		128		/* slots that a search looks at */
#else
#define MOST_PARTS		4
#define PART_BYTES		512
#define FEWEST_ROWS		8
#define MOST_PROBES		4
#endif

/* Half of the slots remain free, so that most searches are short. */
#define SLOTS_PER_ROW	2

typedef struct Distinct
{
	const Env  *env;
	FingerprintSet *result;
	EqualRows	equal;
	void	   *arg;
	size_t		room;
	uint64_t   *fps;
	uint32_t   *rows;
	size_t		n;

	/* A hash table: 1 + the index of a fingerprint, or 0. */
	uint32_t   *slots;

	/* Slots that hashes can choose.  MOST_PROBES others follow. */
	size_t		nslots;
} Distinct;

/*
 * The lowest bits of a hash choose a part, and the highest bits a slot.  The number of parts is a
 * power of two.
 */
static void
parts_by_hash(const void *arg, const uint64_t *fps, size_t n, uint16_t *parts)
{
	const Parts *all = arg;
	int			nwords = all->set->nwords;

	for (size_t i = 0; i < n; i++, fps += nwords)
		parts[i] = (uint16_t) (hash_fingerprint(fps, nwords) & (all->nparts - 1));
}

/*
 * Find the fingerprint in memory that equals fp, and return its index, or n if there is none.  In
 * that case fp is entered into the table as number n, unless all slots that the search looks at
 * are taken.  Then fp is kept without being entered, and so are fingerprints that equal it.  This limit keeps searches short for any choice of fingerprints.
 */
static inline size_t
find_or_add(const Distinct *distinct, const uint64_t *fp, int nwords)
{
	uint64_t	hash = hash_fingerprint(fp, nwords);
	uint32_t   *slot = distinct->slots + ((hash >> 33) * distinct->nslots >> 31);

	for (int probe = 0; probe < MOST_PROBES; probe++, slot++)
	{
		if (*slot == 0)
		{
			*slot = (uint32_t) distinct->n + 1;
			break;
		}
		if (same_fingerprint(fp, distinct->fps + (*slot - 1) * (size_t) nwords, nwords))
			return *slot - 1;
	}
	return distinct->n;
}

/* Remove duplicates from the fingerprints that have been read to memory after the first n. */
static inline void
leave_distinct(Distinct *distinct, size_t added, int nwords)
{
	size_t		end = distinct->n + added;

	for (size_t i = distinct->n; i < end; i++)
	{
		const uint64_t *fp = distinct->fps + i * (size_t) nwords;
		uint32_t	row = distinct->rows[i];
		size_t		found = find_or_add(distinct, fp, nwords);

		tick(distinct->env, i);
		if (found < distinct->n)
		{
			distinct->equal(distinct->arg, distinct->rows[found], row);
			continue;
		}
		if (found < i)
		{
			memcpy(distinct->fps + found * (size_t) nwords, fp,
				   (size_t) nwords * sizeof(uint64_t));
			distinct->rows[found] = row;
		}
		distinct->n++;
	}
}

/* Move the fingerprints in memory to the result. */
static void
give_out(Distinct *distinct)
{
	size_t		nwords = (size_t) distinct->result->nwords;

	for (size_t i = 0; i < distinct->n; i++)
		core_set_add(distinct->result, distinct->fps + i * nwords, distinct->rows[i]);
	distinct->n = 0;
}

/* The size of the table for this number of fingerprints in memory. */
static inline size_t
table_bytes(size_t rows)
{
	return (rows * SLOTS_PER_ROW + MOST_PROBES) * sizeof(uint32_t);
}

/*
 * Add a part to the result, without duplicates.  If the part does not fit in memory, the distinct
 * fingerprints in memory are moved to the result before the whole part has been read, so the result
 * may contain some of them several times.
 */
static void
add_part(Distinct *distinct, Parts *parts, uint32_t part)
{
	int			nwords = distinct->result->nwords;
	uint64_t	done = 0;
	uint64_t	rows = core_parts_rows(parts, part);
	size_t		most = rows < distinct->room ? (size_t) rows : distinct->room;

	distinct->nslots = most * SLOTS_PER_ROW;
	while (done < rows)
	{
		uint64_t	left = rows - done;
		size_t		some;

		if (left > most - distinct->n && distinct->n > most / 2)
			give_out(distinct);
		if (distinct->n == 0)
			memset(distinct->slots, 0, table_bytes(most));
		some = most - distinct->n;
		if (some > left)
			some = (size_t) left;
		core_parts_read(parts, part, done, some,
						distinct->fps + distinct->n * (size_t) nwords,
						distinct->rows + distinct->n);
		done += some;
		if (nwords == 1)
			leave_distinct(distinct, some, 1);
		else
			leave_distinct(distinct, some, nwords);
	}
	give_out(distinct);
}

FingerprintSet *
core_distinct(FingerprintSet *set, size_t memory, EqualRows equal, void *arg)
{
	const Env  *env = set->env;
	size_t		row_bytes = (size_t) set->nwords * 8 + 4 + SLOTS_PER_ROW * 4;
	Distinct	distinct = {env, NULL, equal, arg, memory / 4 * 3 / row_bytes,
	NULL, NULL, 0, NULL, 0};
	uint64_t	part_rows = PART_BYTES / row_bytes;
	uint64_t	largest = 0;
	uint32_t	nparts = 1;
	Parts		parts;

	if (distinct.room < FEWEST_ROWS)
		distinct.room = FEWEST_ROWS;
	if (part_rows > distinct.room / 4 * 3)
		part_rows = distinct.room / 4 * 3;
	while (nparts < MOST_PARTS && set->n / nparts > part_rows)
		nparts *= 2;
	core_parts_begin(&parts, set, nparts, memory / 4);
	core_parts_divide_all(&parts, parts_by_hash, &parts);

	for (uint32_t part = 0; part < nparts; part++)
		if (core_parts_rows(&parts, part) > largest)
			largest = core_parts_rows(&parts, part);
	if (distinct.room > largest)
		distinct.room = (size_t) largest;
	distinct.result = core_set_begin(set->nwords, env);
	distinct.fps = env_alloc(env, distinct.room * (size_t) set->nwords * sizeof(uint64_t));
	distinct.rows = env_alloc(env, distinct.room * sizeof(uint32_t));
	distinct.slots = env_alloc(env, table_bytes(distinct.room));
	for (uint32_t part = 0; part < nparts; part++)
		add_part(&distinct, &parts, part);
	core_parts_end(&parts);
	env_free(env, distinct.fps);
	env_free(env, distinct.rows);
	env_free(env, distinct.slots);
	return distinct.result;
}
