/*-------------------------------------------------------------------------
 *
 * distinct_fingerprints.c
 *		One of each equal fingerprints of a set.
 *
 * The set may be larger than memory.  Hashes divide the fingerprints in parts.  A hash table
 * finds the equal ones of a part.  It is fast because a part fits in the processor's cache.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <string.h>

#include "near_pairs.h"

#ifndef JOIN_TEST_SIZES
#define MOST_PARTS		1024
#define PART_BYTES		(1 << 20)	/* of a part in memory, for the
									 * processor's cache */
#define FEWEST_ROWS		1024
#define MOST_PROBES		128		/* slots that a search looks at */
#else
#define MOST_PARTS		4
#define PART_BYTES		512
#define FEWEST_ROWS		8
#define MOST_PROBES		4
#endif

#define SLOTS_PER_ROW	2		/* half of the slots stay free: most searches
								 * end soon */

typedef struct Distinct
{
	const JoinEnv *env;
	FingerprintSet *result;
	EqualRows	equal;
	void	   *arg;
	size_t		room;
	uint64_t   *fps;
	uint32_t   *rows;
	size_t		n;
	uint32_t   *slots;			/* of a hash table: 1 + the index of a
								 * fingerprint, or 0 */
	size_t		nslots;			/* that hashes choose; MOST_PROBES are behind
								 * them */
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
 * The index of the fingerprint in memory that equals fp, or n if there is none.  The table then
 * takes fp as number n, unless others have all slots of the search.  In that case fp and all
 * that equal it stay.  So no choice of fingerprints makes searches long.
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

/* Add some fingerprints behind those in memory, and leave one of each equal ones. */
static inline void
leave_distinct(Distinct *distinct, size_t added, int nwords)
{
	size_t		end = distinct->n + added;

	for (size_t i = distinct->n; i < end; i++)
	{
		const uint64_t *fp = distinct->fps + i * (size_t) nwords;
		uint32_t	row = distinct->rows[i];
		size_t		found = find_or_add(distinct, fp, nwords);

		if (i % ROWS_BETWEEN_CHECKS == 0)
			join_check_interrupts(distinct->env);
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

/* Move what is in memory to the result. */
static void
give_out(Distinct *distinct)
{
	size_t		nwords = (size_t) distinct->result->nwords;

	for (size_t i = 0; i < distinct->n; i++)
		simhash_set_add(distinct->result, distinct->fps + i * nwords, distinct->rows[i]);
	distinct->n = 0;
}

/* The table's bytes for some fingerprints in memory. */
static inline size_t
table_bytes(size_t rows)
{
	return (rows * SLOTS_PER_ROW + MOST_PROBES) * sizeof(uint32_t);
}

/*
 * Equal fingerprints are in one part.  If a part does not fit, what is distinct in memory
 * is given out before all equal ones were met, and the result has several of them.
 */
static void
add_part(Distinct *distinct, Parts *parts, uint32_t part)
{
	int			nwords = distinct->result->nwords;
	uint64_t	done = 0;
	uint64_t	rows = simhash_parts_rows(parts, part);
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
		simhash_parts_read(parts, part, done, some,
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

/*
 * A set with one of each equal fingerprints, or a few if memory is short or if hashes collide.
 * For each one left out, "equal" is called with the row of one that is not.
 */
FingerprintSet *
simhash_distinct(FingerprintSet *set, size_t memory, const JoinEnv *env, EqualRows equal,
				 void *arg)
{
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
	simhash_parts_begin(&parts, set, nparts, memory / 4);
	simhash_parts_divide_all(&parts, parts_by_hash, &parts);

	for (uint32_t part = 0; part < nparts; part++)
		if (simhash_parts_rows(&parts, part) > largest)
			largest = simhash_parts_rows(&parts, part);
	if (distinct.room > largest)
		distinct.room = (size_t) largest;
	distinct.result = simhash_set_begin(set->nwords, env);
	distinct.fps = join_alloc(env, distinct.room * (size_t) set->nwords * sizeof(uint64_t));
	distinct.rows = join_alloc(env, distinct.room * sizeof(uint32_t));
	distinct.slots = join_alloc(env, table_bytes(distinct.room));
	for (uint32_t part = 0; part < nparts; part++)
		add_part(&distinct, &parts, part);
	simhash_parts_end(&parts);
	join_free(env, distinct.fps);
	join_free(env, distinct.rows);
	join_free(env, distinct.slots);
	return distinct.result;
}
