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

static inline BBForest
bb_forest(BBShape shape)
{
	BBForest	forest;

	forest.blocks = shape.blocks;
	forest.scan_leaves = (double) BB_LEAF_CAPACITY(1) / BB_LEAF_CAPACITY(shape.words);
	return forest;
}

/* About how many leaves a window tree has in a file of so many pages */
static inline double
bb_leaves_of_file(BBShape shape, double pages)
{
	double		trees = shape.blocks;

	if (bb_is_wide(shape))
		trees += bb_forest(shape).scan_leaves;
	return Max(pages - bb_reserved_pages(shape), trees) / trees;
}

/* A leaf, and where in it the first wanted entry is expected */
typedef struct BBListedLeaf
{
	BlockNumber block;
	int			entry;
} BBListedLeaf;

/*
 * The leaves where a set of probes is expected, a hint that may be outdated
 * when it is read.
 */
typedef struct BBLeafList
{
	BBListedLeaf *leaves;		/* in the order of keys */
	int			n;
	int			max;			/* more are not listed, but counted */
	bool		complete;		/* all of them? else none is to be used */
	double		count;			/* number of leaves, or an estimate of it */
	bool		tree_counted;	/* does tree_leaves take all levels into
								 * account? */
	double		tree_leaves;	/* estimate of the number of leaves of the
								 * tree */
} BBLeafList;

/* Leaves are asked for from memory so long before they are read */
#define BB_PREFETCH_LEAVES		2

/*
 * The pages that a process has locked while it searches for another one.  In a
 * damaged index a link may lead back to one of them, and waiting for our own
 * lock would hang.
 */
typedef struct BBLocked
{
	BlockNumber block;
	const struct BBLocked *others;	/* or NULL */
} BBLocked;

extern Buffer bb_find(Relation index, int tree, BBKey key, int level,
					  int lockmode, BlockNumber *incomplete);
extern Buffer bb_find_parent(Relation index, int tree, BBKey key, int level,
							 const BBLocked *locked);
extern bool bb_is_on_path(Page page, int tree, int level, BBKey key);
extern void bb_list_leaves(Relation index, int tree, const BBProbes *probes,
						   int max, BBLeafList *list);
extern double bb_tree_leaves(Relation index, int tree, int value);

#endif							/* BITBLOCK_TREE_H */
