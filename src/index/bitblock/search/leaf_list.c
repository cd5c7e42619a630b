/*-------------------------------------------------------------------------
 *
 * leaf_list.c
 *		The leaves that a search will read, listed or counted from the inner pages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "index/bitblock/store/index_options.h"
#include "leaf_list.h"
#include "miscadmin.h"

/* The expected number of entries of an inner page, for estimates */
#define USUAL_FANOUT			(0.75 * BB_MAX_CHILDREN)

/* To estimate the leaves of a tag, look no deeper if it has more children than this */
#define CHILDREN_ENOUGH			4

/* Prefetch an inner page this many pages before it is read, and this many of its cache lines */
#define PREFETCH_INNER			2
#define PREFETCH_INNER_LINES	6

/* A child to visit, and the probes from "first" to "last" - 1, which may find entries below it. */
typedef struct ChildProbes
{
	BlockNumber blkno;
	int			first;
	int			last;
	int			entry;			/* see BBListedLeaf */
} ChildProbes;

static void
add_leaf(Relation index, BBLeafList *list, const ChildProbes *leaf)
{
	if (list->n < list->max)
	{
		if ((list->n & (list->n - 1)) == 0 && list->n >= 16)
			list->leaves = repalloc(list->leaves,
									2 * list->n * sizeof(BBListedLeaf));
		if (list->n < BB_PREFETCH_LEAVES)
			bb_prefetch(index, leaf->blkno, leaf->entry, BB_PREFETCH_VALUE);
		list->leaves[list->n].blkno = leaf->blkno;
		list->leaves[list->n].entry = leaf->entry;
		list->n++;
	}
	else
		list->complete = false;
	list->count++;
}

/*
 * Find the children of an inner page below which the probes from "first" to "last" - 1
 * may find entries.  "children" has room for all.  Returns their number.
 */
static int
find_children(Page page, const BBProbes *probes, int first, int last,
			  ChildProbes *children)
{
	double		usual = BB_DEFAULT_FILLFACTOR / 100.0 *
		BB_CAPACITY(bb_page_is_tagged(page), BBPageGetOpaque(page)->level - 1, 1);
	BBWindow   *windows = BBPageGetWords(page);
	int			least;			/* the entries with the tag: from least ... */
	int			count;			/* ... to count - 1 */
	int			n = 0;
	int			next = 0;		/* first entry that is not in the list yet */

	bb_find_tag(page, bb_count(page), probes->tag, &least, &count);
	for (int i = first; i < last; i++)
	{
		BBWindow	low = bb_probe_low(probes, i);
		BBWindow	high = bb_probe_high(probes, i);
		int			from = bb_skip_lower(page, least, count, probes->tag, low) - 1;
		int			to;

		from = Max(from, next - 1);
		to = Max(from, 0);
		if (from < 0)
		{
			/* all keys of the page are above the lowest key of the probe */
			if (count == 0 || windows[0] > high)
				continue;
			from = 0;
		}
		while (to + 1 < count && windows[to + 1] <= high)
			to++;
		if (from < next && n > 0)
			children[n - 1].last = i + 1;
		for (from = Max(from, next); from <= to; from++)
		{
			children[n].blkno = bb_child(page, from);
			children[n].first = i;
			children[n].last = i + 1;
			children[n].entry = from >= least && from + 1 < count ?
				bb_share(low, windows[from], windows[from + 1]) * usual : 0;
			n++;
		}
		next = Max(next, to + 1);
	}
	return n;
}

/*
 * Ask for the children of an inner page from child i on, as many as may be under way.
 * Returns the number of the first child that has not been asked for.
 */
static pg_noinline int
ask_children(BBAhead *ahead, const ChildProbes *children, int n, int i, int asked)
{
	int			depth = bb_depth(ahead);

	for (asked = Max(asked, i); asked < Min(n, i + depth); asked++)
		bb_ask(ahead, children[asked].blkno);
	return asked;
}

/*
 * List the leaves below a page in which the probes from "first" to "last" - 1 may find
 * entries.  "level" is the page's level, or -1 for the root.  If the page is no longer a
 * page of that tree and level, the function ignores it.
 */
static void
list_below(BBAhead *ahead, int tree, BlockNumber blkno, int level,
		   const BBProbes *probes, int first, int last, BBLeafList *list)
{
	Relation	index = ahead->index;
	Buffer		buffer;
	Page		page;
	BBPageOpaque opaque;
	ChildProbes children[BB_MAX_CHILDREN];
	int			n = 0;
	int			asked = 0;		/* children asked for */
	bool		is_root = level < 0;

	CHECK_FOR_INTERRUPTS();
	page = bb_read_inner(index, tree, blkno, &buffer);
	opaque = BBPageGetOpaque(page);
	if (is_root)
		level = opaque->level;
	if (opaque->tree == tree && opaque->level == level &&
		!(opaque->flags & BB_DELETED))
	{
		/* multiply once for each level, from the root down */
		if (!list->tree_counted)
		{
			list->tree_leaves *= bb_count(page);
			list->tree_counted = level <= 1;
		}
		n = find_children(page, probes, first, last, children);
	}
	bb_release_inner(buffer);

	for (int i = 0; level > 1 && i < Min(n, PREFETCH_INNER); i++)
		bb_prefetch(index, children[i].blkno, children[i].entry, PREFETCH_INNER_LINES);
	for (int i = 0; i < n; i++)
	{
		int			next = i + PREFETCH_INNER;

		if (level > 1 && next < n)
			bb_prefetch(index, children[next].blkno, children[next].entry,
						PREFETCH_INNER_LINES);
		if (level == 1)
			add_leaf(index, list, &children[i]);
		else if (list->complete)
		{
			if (n > 1 && unlikely(bb_is_cold(index)))
				asked = ask_children(ahead, children, n, i, asked);
			list_below(ahead, tree, children[i].blkno, level - 1, probes,
					   children[i].first, children[i].last, list);
		}
		else
			list->count += pow(USUAL_FANOUT, level - 1);
	}
}

/*
 * List the leaves of a tree in which the probes may find entries.  The function reads
 * only inner pages.  If there are more than max leaves, list->count is an estimate.  The
 * list is allocated in the current memory context.
 */
void
bb_list_leaves(BBAhead *ahead, int tree, const BBProbes *probes, int max,
			   BBLeafList *list)
{
	list->leaves = palloc(16 * sizeof(BBListedLeaf));
	list->n = 0;
	list->max = max;
	list->complete = true;
	list->count = 0;
	list->tree_counted = false;
	list->tree_leaves = 1;
	list_below(ahead, tree, BB_ROOT(tree), -1, probes, 0, probes->n, list);
	list->tree_leaves = Max(list->tree_leaves, 1);
}

/*
 * Estimate the number of leaves of a tree from the inner pages on the way to a block
 * value.
 */
static double
tree_leaves(Relation index, int tree, int value)
{
	uint32		pair;
	BBProbes	probes = {BB_NO_TAG};
	BBLeafList	list;
	BBAhead		ahead;

	bb_set_probes(&probes, &pair, bb_ball_values(value, 0, &pair), true);
	bb_ahead_init(&ahead, index, false);
	bb_list_leaves(&ahead, tree, &probes, 0, &list);
	pfree(list.leaves);
	return list.tree_leaves;
}

/*
 * Estimate the number of leaves below a page that may contain a tag.  "level" is as in
 * list_below.
 */
static double
tag_leaves_below(Relation index, int tree, BlockNumber blkno, int level, uint32 tag)
{
	Buffer		buffer;
	Page		page;
	BBPageOpaque opaque;
	int			first;
	int			last;
	BlockNumber children[2];
	double		leaves;

	CHECK_FOR_INTERRUPTS();
	page = bb_read_inner(index, tree, blkno, &buffer);
	opaque = BBPageGetOpaque(page);
	if (level < 0)
		level = opaque->level;
	if (opaque->tree != tree || opaque->level != level || (opaque->flags & BB_DELETED))
	{
		bb_release_inner(buffer);
		return 1;
	}

	/* the child before the first one with the tag may also contain the tag */
	bb_find_tag(page, bb_count(page), tag, &first, &last);
	first = Max(first - 1, 0);
	last = Max(last - 1, first);
	children[0] = bb_child(page, first);
	children[1] = bb_child(page, last);
	bb_release_inner(buffer);
	if (level == 1)
		return last - first + 1;

	/* among this many children, the two at the ends matter little */
	leaves = Max(last - first, 0) * pow(USUAL_FANOUT, level - 1);
	if (last - first > CHILDREN_ENOUGH)
		return leaves;

	leaves = Max(last - first - 1, 0) * pow(USUAL_FANOUT, level - 1);
	for (int i = 0; i <= (last > first ? 1 : 0); i++)
		leaves += tag_leaves_below(index, tree, children[i], level - 1, tag);
	return leaves;
}

/*
 * Estimate the number of leaves of a tree with entries of a tag, from the inner pages at
 * the two ends of the tag.
 */
double
bb_tag_leaves(Relation index, int tree, uint32 tag)
{
	return tag_leaves_below(index, tree, BB_ROOT(tree), -1, tag);
}

/*
 * Estimate the number of leaves of a window tree that have entries of a scope.  Without
 * leading columns these are all leaves, and the estimate uses the inner pages on the way
 * to "center".
 */
double
bb_scope_leaves(Relation index, BBShape shape, uint32 tag, const uint64 *center)
{
	return bb_is_tagged(shape) ? bb_tag_leaves(index, 0, tag) :
		tree_leaves(index, 0, bb_block(center, 0));
}
