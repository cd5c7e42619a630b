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

extern BBNearest *bb_nearest_begin(Relation index, BBShape shape, Snapshot snapshot,
								   const BBScopes *scopes,
								   const BBFingerprint *centers, int ncenters,
								   const BBConditions *conditions);
extern void bb_nearest_observe(BBNearest *nearest, BBObserve observe, void *arg);
extern void bb_nearest_report(BBNearest *nearest);
extern bool bb_nearest_next(BBNearest *nearest, BBMatch *match);
extern const BBMatch *bb_nearest_coming(BBNearest *nearest, int n);
extern void bb_nearest_end(BBNearest *nearest);

#endif							/* BITBLOCK_NEAREST_H */
