/*-------------------------------------------------------------------------
 *
 * walk.h
 *		Reading the leaves of a tree that may hold a set of keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_WALK_H
#define BITBLOCK_WALK_H

#include "leaves.h"

/*
 * A walk over those leaves of a tree that may hold a set of keys, in order.
 */
typedef struct BBWalk
{
	BBAhead    *ahead;
	Relation	index;
	int			tree;
	BBScope		scope;			/* the wanted keys have its tag */
	const BBProbes *probes;		/* or NULL for all keys of the scope */
	int			probe;			/* number of the first at or above position */
	bool		done;
	BBKey		position;		/* all keys below it have been seen */
	BlockNumber right;			/* right neighbour of the last leaf, or
								 * Invalid */
	const BBLeafList *leaves;	/* or NULL */
	int			leaf;			/* number of the next leaf to try */
	BBAheadLevel *level;		/* of the leaves, if all keys of the scope are
								 * wanted and the index is cold; or NULL */

	/* of the leaf returned last */
	BBWindow	first;			/* range of wanted windows that it may hold, */
	BBWindow	last;			/* if there are probes */
	bool		filter;			/* may it hold keys that have been seen? */
	BBKey		from;			/* if so, keys at or above this one are new */
} BBWalk;

extern void bb_walk_start(BBWalk *walk, BBAhead *ahead, int tree, BBScope scope,
						  const BBProbes *probes, const BBLeafList *leaves);
extern Buffer bb_walk_next(BBWalk *walk);

#endif							/* BITBLOCK_WALK_H */
