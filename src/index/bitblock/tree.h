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
#include "probes.h"
#include "readahead.h"

/* The window trees of a shape, for a choice of radii */
static inline BBForest
bb_forest(BBShape shape)
{
	BBForest	forest;

	forest.blocks = shape.blocks;
	forest.scan_leaves = bb_usual_leaf(shape, 0) / bb_usual_leaf(shape, bb_row_tree(shape));
	return forest;
}

/* The number of leaves of a window tree, about, in a file of so many pages */
static inline double
bb_leaves_of_file(BBShape shape, double pages)
{
	double		trees = shape.blocks;

	if (bb_is_wide(shape))
		trees += bb_forest(shape).scan_leaves;
	return Max(pages - bb_reserved_pages(shape), trees) / trees;
}

/* A leaf, and the expected number of its first wanted entry */
typedef struct BBListedLeaf
{
	BlockNumber block;
	int			entry;
} BBListedLeaf;

/*
 * The leaves where a set of probes is expected.  The list is a hint and may be outdated.
 */
typedef struct BBLeafList
{
	BBListedLeaf *leaves;		/* in the order of keys */
	int			n;
	int			max;			/* leaves beyond this number are only counted */
	bool		complete;		/* has it all leaves?  If not, use none */
	double		count;			/* number of leaves, or an estimate of it */
	bool		tree_counted;	/* does tree_leaves take all levels into
								 * account? */
	double		tree_leaves;	/* estimate of the number of leaves of the
								 * tree */
} BBLeafList;

/* The number of leaves between the prefetch of a leaf and its reading */
#define BB_PREFETCH_LEAVES		2

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
extern void bb_list_leaves(BBAhead *ahead, int tree, const BBProbes *probes,
						   int max, BBLeafList *list);
extern double bb_tree_leaves(Relation index, int tree, int value);
extern double bb_tag_leaves(Relation index, int tree, uint32 tag);

#endif							/* BITBLOCK_TREE_H */
