/*-------------------------------------------------------------------------
 *
 * leaf_walk.h
 *		Reading the leaves of a tree that may hold a set of keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_LEAF_WALK_H
#define BITBLOCK_LEAF_WALK_H

#include "leaf_list.h"

/* A walk over those leaves of a tree that may hold a set of keys, in order. */
typedef struct BBWalk
{
	BBAhead    *ahead;
	Relation	index;
	int			tree;
	BBScopes	scopes;			/* the wanted keys have their tags */
	int			scope;			/* number of the first at or above position */
	/* of the only scope; or NULL for all keys of the scopes */
	const BBProbes *probes;
	int			probe;			/* number of the first at or above position */
	bool		done;
	BBKey		position;		/* all keys below it have been seen */
	/* right neighbour of the last leaf, or Invalid */
	BlockNumber right;
	const BBLeafList *leaves;	/* or NULL */
	int			leaf;			/* number of the next leaf to try */

	/*
	 * of the leaves, if all keys of the scopes are wanted and the index is
	 * cold; or NULL
	 */
	BBAheadLevel *level;

	/* of the leaf returned last */
	BBScopes	leaf_scopes;	/* those that it may hold */
	BBWindow	first;			/* range of wanted windows that it may hold, */
	BBWindow	last;			/* if there are probes */
	bool		filter;			/* may it hold keys that have been seen? */
	BBKey		from;			/* if so, keys at or above this one are new */
} BBWalk;

/* Begin a walk before the first key. */
extern void bb_walk_start(BBWalk *walk, BBAhead *ahead, int tree, BBScopes scopes,
						  const BBProbes *probes, const BBLeafList *leaves);

/* Return the next leaf that may hold wanted keys, pinned and locked. */
extern Buffer bb_walk_next(BBWalk *walk);

/* Does a tag in the leaf belong to one of the scopes? */
static inline bool
bb_walk_wants(const BBWalk *walk, uint32 tag)
{
	const uint32 *tags = walk->leaf_scopes.tags;
	int			n = walk->leaf_scopes.n;

	if (walk->leaf_scopes.all)
		return true;
	while (n > 1)
	{
		int			half = n / 2;

		if (tags[half] <= tag)
			tags += half;
		n -= half;
	}
	return *tags == tag;
}

#endif							/* BITBLOCK_LEAF_WALK_H */
