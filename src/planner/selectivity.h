/*-------------------------------------------------------------------------
 *
 * selectivity.h
 *		How many rows are within a distance.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SELECTIVITY_H
#define SIMHASH_SELECTIVITY_H

#include "postgres.h"

#include "nodes/pathnodes.h"

extern double random_pair_within(int32 radius);
extern Selectivity distance_selectivity(PlannerInfo *root, Oid schema,
										Oid function, Node *a, Node *b,
										Node *radius, int varRelid,
										SpecialJoinInfo *sjinfo);

#endif							/* SIMHASH_SELECTIVITY_H */
