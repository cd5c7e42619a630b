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

extern Selectivity distance_selectivity(PlannerInfo *root, const Kind *kind,
										Oid function, Node *a, Node *b,
										Node *bound, bool at_least, int varRelid,
										SpecialJoinInfo *sjinfo);

#endif							/* SIMHASH_SELECTIVITY_H */
