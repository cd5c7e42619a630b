/*-------------------------------------------------------------------------
 *
 * selectivity.h
 *		How many rows are within a distance, or at least at a distance.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SELECTIVITY_H
#define SIMHASH_SELECTIVITY_H

#include "postgres.h"

#include "kind.h"
#include "nodes/pathnodes.h"

/* "The distance of a and b is at most bound" or, if at_least, "at least bound" */
typedef struct Question
{
	PlannerInfo *root;
	const Kind *kind;

	/*
	 * the function applied to statistics: PostgreSQL checks whether the user
	 * may see them
	 */
	Oid			function;
	Node	   *a;
	Node	   *b;
	Node	   *bound;			/* NULL if the caller does not know it */
	bool		at_least;
	int			varRelid;
	SpecialJoinInfo *sjinfo;	/* NULL for a restriction */
} Question;

extern Selectivity distance_selectivity(Question *question);

#endif							/* SIMHASH_SELECTIVITY_H */
