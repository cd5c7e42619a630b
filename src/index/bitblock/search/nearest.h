/*-------------------------------------------------------------------------
 *
 * nearest.h
 *		Matches of a bitblock index in the order of distance.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_NEAREST_H
#define BITBLOCK_NEAREST_H

#include "multi_search.h"

typedef struct BBNearest BBNearest;

/* Start a search for entries in the order of their distance. */
extern BBNearest *bb_nearest_begin(Relation index, BBShape shape, Snapshot snapshot,
								   const BBScopes *scopes,
								   const BBFingerprint *centers, int ncenters,
								   const BBConditions *conditions);

/* Call a function at the end of each pass, and at the end of the search. */
extern void bb_nearest_observe(BBNearest *nearest, BBObserve observe, void *arg);

/* Report the steps of the current pass, if the caller wants the report. */
extern void bb_nearest_report(BBNearest *nearest);

/* Find the next nearest; false at the end. */
extern bool bb_nearest_next(BBNearest *nearest, BBMatch *match);

/* Return the match that follows after n others, if it is known. */
extern const BBMatch *bb_nearest_coming(BBNearest *nearest, int n);

/* End a search, and delete its files. */
extern void bb_nearest_end(BBNearest *nearest);

#endif							/* BITBLOCK_NEAREST_H */
