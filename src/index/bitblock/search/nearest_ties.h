/*-------------------------------------------------------------------------
 *
 * nearest_ties.h
 *		Ties of a nearest search: matches at the same distance from the first center,
 *		ordered by their distances from the other centers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_NEAREST_TIES_H
#define BITBLOCK_NEAREST_TIES_H

#include "postgres.h"

#include "index/bitblock/store/shape.h"

/*
 * The centers of a search.  The distance from the first center decides the order, and the
 * distances from the other centers order ties.
 */
typedef struct BBCenters
{
	BBShape		shape;
	const BBFingerprint *fps;
	int			n;
} BBCenters;

/* A sort of ties that uses at most work_mem. */
typedef struct BBTies BBTies;

/* Sort ties in memory. */
extern void bb_sort_ties(const BBCenters *centers, BBMatch *matches, int64 n);

/* Begin a sort of ties. */
extern BBTies *bb_ties_begin(const BBCenters *centers);

/* Add a tie. */
extern void bb_ties_put(BBTies *ties, const BBMatch *match);

/* Sort the ties. */
extern void bb_ties_sort(BBTies *ties);

/* Copy the next tie in order; false at the end. */
extern bool bb_ties_next(BBTies *ties, BBMatch *match);

/* Free the sort and delete its files. */
extern void bb_ties_end(BBTies *ties);

#endif							/* BITBLOCK_NEAREST_TIES_H */
