/*-------------------------------------------------------------------------
 *
 * walk.h
 *		Reading the leaves of a tree that may hold a set of keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_WALK_H
#define BITBLOCK_WALK_H

#include "tree.h"

/*
 * A walk over those leaves of a tree that may hold a set of keys, in order.
 */
typedef struct BBWalk
{
	Relation	index;
	int			tree;
	const BBProbes *probes;		/* or NULL for all keys */
	int			probe;			/* first one at or above position */
	bool		done;
	BBKey		position;		/* all keys below have been seen */
	BlockNumber right;			/* right neighbour of the last leaf, or
								 * Invalid */
	const BBLeafList *leaves;	/* or NULL */
	int			leaf;			/* next of them to try */

	/* of the leaf returned last */
	int			first_value;	/* the wanted block values that it may hold, */
	int			last_value;		/* if there are probes */
	bool		filter;			/* may hold keys that have been seen? */
	BBKey		from;			/* then, those at or above this are new */
} BBWalk;

extern void bb_walk_start(BBWalk *walk, Relation index, int tree,
						  const BBProbes *probes, const BBLeafList *leaves);
extern Buffer bb_walk_next(BBWalk *walk);

#endif							/* BITBLOCK_WALK_H */
