/*-------------------------------------------------------------------------
 *
 * leaf_list.h
 *		The leaves that a search will read, listed or counted from the inner pages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_LEAF_LIST_H
#define BITBLOCK_LEAF_LIST_H

#include "index/bitblock/store/read_ahead.h"
#include "radii.h"

/* The window trees of a shape, for a choice of radii. */
static inline BBForest
bb_forest(BBShape shape)
{
	BBForest	forest;

	forest.blocks = shape.blocks;
	forest.scan_leaves = bb_usual_leaf(shape, 0) / bb_usual_leaf(shape, bb_row_tree(shape));
	return forest;
}

/* Estimate the number of leaves of a window tree from the number of pages of the file. */
static inline double
bb_leaves_of_file(BBShape shape, double pages)
{
	double		trees = shape.blocks;

	if (bb_is_wide(shape))
		trees += bb_forest(shape).scan_leaves;
	return Max(pages - bb_reserved_pages(shape), trees) / trees;
}

/* A leaf, and the expected number of its first wanted entry. */
typedef struct BBListedLeaf
{
	BlockNumber blkno;
	int			entry;
} BBListedLeaf;

/* The leaves in which a set of probes may find entries.  The list is a hint and may be outdated. */
typedef struct BBLeafList
{
	BBListedLeaf *leaves;		/* in the order of keys */
	int			n;
	int			max;			/* leaves beyond this number are only counted */
	/* does it have all leaves?  If not, do not use it */
	bool		complete;
	double		count;			/* number of leaves, or an estimate of it */
	/* does tree_leaves take all levels into account? */
	bool		tree_counted;
	/* estimate of the number of leaves of the tree */
	double		tree_leaves;
} BBLeafList;

/* Prefetch a leaf this many leaves before it is read */
#define BB_PREFETCH_LEAVES		2

/* List the leaves of a tree in which the probes may find entries. */
extern void bb_list_leaves(BBAhead *ahead, int tree, const BBProbes *probes,
						   int max, BBLeafList *list);

/* Estimate the number of leaves of a tree with entries of a tag. */
extern double bb_tag_leaves(Relation index, int tree, uint32 tag);

/* Estimate the number of leaves of a window tree with entries of a scope. */
extern double bb_scope_leaves(Relation index, BBShape shape, uint32 tag, const uint64 *center);

#endif							/* BITBLOCK_LEAF_LIST_H */
