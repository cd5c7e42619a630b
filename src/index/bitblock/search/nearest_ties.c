/*-------------------------------------------------------------------------
 *
 * nearest_ties.c
 *		Ties of a nearest search: matches at the same distance from the first center,
 *		ordered by their distances from the other centers.
 *
 * If the ties fit in memory, bb_sort_ties sorts them in their array.  Otherwise the
 * search adds them to a tuplesort (BBTies), which uses at most work_mem, and files beyond
 * that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nearest_ties.h"
#include "server/compat.h"
#include "utils/tuplesort.h"

struct BBTies
{
	const BBCenters *centers;
	Tuplesortstate *sort;
};

/* Compare two matches by their distances from the second center on. */
static int
compare_ties(const void *a, const void *b, void *arg)
{
	const BBCenters *centers = arg;

	CHECK_FOR_INTERRUPTS();
	for (int i = 1; i < centers->n; i++)
	{
		const uint64 *center = centers->fps[i].words;
		int			x = bb_distance(centers->shape, ((const BBMatch *) a)->fp, center);
		int			y = bb_distance(centers->shape, ((const BBMatch *) b)->fp, center);

		if (x != y)
			return x - y;
	}
	return 0;
}

/* Sort ties in memory. */
void
bb_sort_ties(const BBCenters *centers, BBMatch *matches, int64 n)
{
	if (n > 1 && centers->n > 1)
		qsort_arg(matches, n, bb_match_size(centers->shape), compare_ties,
				  unconstify(BBCenters *, centers));
}

/*
 * Begin a sort of ties in the current memory context.  The caller keeps the centers until
 * bb_ties_end.
 */
BBTies *
bb_ties_begin(const BBCenters *centers)
{
	BBTies	   *ties = palloc(sizeof(BBTies));

	ties->centers = centers;
	ties->sort = tuplesort_begin_datum(BYTEAOID, ByteaLessOperator, InvalidOid,
									   false, work_mem, NULL, false);
	return ties;
}

/*
 * A match is sorted as a bytea.  It contains the distances of the match from the second
 * center on, two bytes each with the most significant first, and then the match itself.
 * So the order of the bytes is the order of the matches.
 */
static inline Size
size_of_distances(const BBTies *ties)
{
	return 2 * (ties->centers->n - 1);
}

void
bb_ties_put(BBTies *ties, const BBMatch *match)
{
	const BBCenters *centers = ties->centers;
	Size		match_size = bb_match_size(centers->shape);
	Size		size = VARHDRSZ + size_of_distances(ties) + match_size;
	bytea	   *tie = palloc0(size);
	unsigned char *at = (unsigned char *) VARDATA(tie);

	SET_VARSIZE(tie, size);
	for (int i = 1; i < centers->n; i++)
	{
		int			distance = bb_distance(centers->shape, match->fp,
										   centers->fps[i].words);

		*at++ = (unsigned char) (distance >> 8);
		*at++ = (unsigned char) distance;
	}
	/* leave out the padding after the TID, which may be uninitialised */
	memcpy(at + offsetof(BBMatch, tid), &match->tid, sizeof(match->tid));
	memcpy(at + offsetof(BBMatch, fp), match->fp, match_size - offsetof(BBMatch, fp));
	tuplesort_putdatum(ties->sort, PointerGetDatum(tie), false);
	pfree(tie);
}

/* Sort the ties.  No tie may be added after this. */
void
bb_ties_sort(BBTies *ties)
{
	tuplesort_performsort(ties->sort);
}

/* Copy the next tie in order to "match"; false at the end. */
bool
bb_ties_next(BBTies *ties, BBMatch *match)
{
	Datum		value;
	bool		isnull;

	if (!tuplesort_getdatum(ties->sort, true, true, &value, &isnull, NULL))
		return false;
	memcpy(match, VARDATA(DatumGetPointer(value)) + size_of_distances(ties),
		   bb_match_size(ties->centers->shape));
	pfree(DatumGetPointer(value));
	return true;
}

/* Free the sort and delete its files. */
void
bb_ties_end(BBTies *ties)
{
	tuplesort_end(ties->sort);
	pfree(ties);
}
