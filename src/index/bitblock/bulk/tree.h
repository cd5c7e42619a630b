/*-------------------------------------------------------------------------
 *
 * tree.h
 *		Writing the trees of a new bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILD_TREE_H
#define BITBLOCK_BUILD_TREE_H

#include "index/bitblock/store/page.h"
#include "port/atomics.h"
#include "sort.h"

/*
 * The page numbers of a tree whose number of entries is known in advance, so that several
 * processes can write parts of the tree.
 */
typedef struct BBTreeLayout
{
	BBShape		shape;
	int			tree;
	int			height;			/* number of levels; 0: the tree is empty */
	/* of each level: the first page that is not reserved */
	BlockNumber first[BB_MAX_LEVEL + 1];
} BBTreeLayout;

/* The page that is being filled on one level of a tree. */
typedef struct BBBuildLevel
{
	char	   *page;
	BlockNumber blkno;
	int64		number;			/* of the page on its level */
	/* first entry that this process writes; others write those before it */
	int			from;
	int			full;			/* number of entries of a full page */
} BBBuildLevel;

/* A tree that is being written, or a part of it. */
typedef struct BBTreeBuilder
{
	Relation	index;
	const BBTreeLayout *layout;
	int64		rank;			/* of the first entry */
	int			height;			/* number of levels so far */
	BBBuildLevel levels[BB_MAX_LEVEL + 1];
} BBTreeBuilder;

/* Counts entries of window trees for pg_stat_progress_create_index. */
typedef struct BBBuildProgress
{
	int64		unreported;
	pg_atomic_uint64 *total;	/* of all processes */
} BBBuildProgress;

/* n successive entries of the row tree. */
typedef struct BBRowPart
{
	BlockNumber leaf;
	int			skip;			/* entries of the leaf before the part */
	int64		n;
} BBRowPart;

/* Return the number of entries that the build writes to a page. */
extern int64 bb_layout_page(Relation index, BBShape shape, int tree, int level);

/* Lay out the pages of a tree of n entries. */
extern void bb_layout_tree(BBTreeLayout *layout, Relation index, BBShape shape, int tree,
						   int64 n, BlockNumber *next);

/* Return the page number, in the index, of a page of a level. */
extern BlockNumber bb_layout_blkno(const BBTreeLayout *layout, int level, int64 number);

/* Begin to write a tree, or a part of it. */
extern void bb_tree_begin(BBTreeBuilder *tree, Relation index, const BBTreeLayout *layout,
						  int64 rank);

/* Append an entry to the leaves. */
extern void bb_tree_add(BBTreeBuilder *tree, BBKey key, const uint64 *fp);

/* Append all entries of a sort to the leaves. */
extern void bb_tree_add_sorted(BBTreeBuilder *tree, uint32 tag, BBSort *sort,
							   BBBuildProgress *progress);

/* Append the windows of the rows in a part of the row tree to the leaves. */
extern void bb_tree_add_windows(BBTreeBuilder *tree, BBRowPart part, BBSort *sort,
								BBBuildProgress *progress);

/* Write the last page of each level. */
extern void bb_tree_finish(BBTreeBuilder *tree);

#endif							/* BITBLOCK_BUILD_TREE_H */
