/*-------------------------------------------------------------------------
 *
 * tree.h
 *		Searching the trees of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_TREE_H
#define BITBLOCK_TREE_H

#include "buffer.h"

/*
 * The pages that a process has locked while it searches for another page.  In a damaged
 * index a link may lead back to one of them, and the process would wait for its own lock.
 */
typedef struct BBLocked
{
	BlockNumber block;
	const struct BBLocked *others;	/* or NULL */
} BBLocked;

/*
 * Is the page responsible for key in that tree and level, or to the left of the page that
 * is?
 */
static inline bool
bb_is_on_path(Page page, int tree, int level, BBKey key)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return !(opaque->flags & BB_DELETED) && opaque->tree == tree &&
		opaque->level == level && bb_compare(bb_low(page), key) <= 0;
}

extern Buffer bb_find(Relation index, int tree, BBKey key, int level,
					  int lockmode, BlockNumber *incomplete);
extern Buffer bb_find_parent(Relation index, int tree, BBKey key, int level,
							 const BBLocked *locked);

#endif							/* BITBLOCK_TREE_H */
