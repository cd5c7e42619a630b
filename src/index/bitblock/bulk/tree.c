/*-------------------------------------------------------------------------
 *
 * tree.c
 *		Writing the trees of a new bitblock index.
 *
 * A tree is written from its leaves up, with pages as full as the fillfactor allows.
 * Pages go through shared buffers without WAL; the build logs all pages at its end.  No
 * other session sees the index before that.
 *
 * The number of entries is known in advance.  So the number of each page can be computed,
 * which is the layout, and the rank of an entry in its tree determines its page and its
 * place in the page.  Processes can therefore write parts of a tree that begin at
 * different ranks.  The first and the last page of a part may be shared with neighbouring
 * parts, and each process adds its own entries to these pages.  The process that writes
 * the first entry of a page also sets the page's low, links the page from its left
 * neighbour, and adds the page's downlink to the level above.  It writes a part of that
 * level in the same way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/progress.h"
#include "index/bitblock/store/index_options.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "tree.h"

/* The number of entries between two progress reports */
#define REPORTED_ENTRIES		(1 << 16)

/* ----------
 * Layout
 * ----------
 */

/* The number of entries that the build writes to a page. */
int64
bb_layout_page(Relation index, BBShape shape, int tree, int level)
{
	int			capacity = BB_CAPACITY(bb_is_tagged(shape), level,
									   bb_entry_words(shape, tree, level));

	return Max(capacity * bb_fillfactor(index) / 100, 2);
}

/*
 * Lay out a tree of n entries.  *next is the first free page number, and becomes the
 * first one after the tree.
 */
void
bb_layout_tree(BBTreeLayout *layout, Relation index, BBShape shape, int tree, int64 n,
			   BlockNumber *next)
{
	int64		pages = n;
	int			level;

	layout->shape = shape;
	layout->tree = tree;
	layout->height = 0;
	if (n == 0)
		return;
	do
	{
		int64		full = bb_layout_page(index, shape, tree, layout->height);
		int64		reserved;

		level = layout->height++;
		if (level > BB_MAX_LEVEL)
			elog(ERROR, "index \"%s\" cannot grow any higher", RelationGetRelationName(index));
		pages = (pages + full - 1) / full;
		reserved = level == 0 || pages == 1 ? 1 : 0;	/* first leaf or root */
		if (pages > (int64) MaxBlockNumber - *next)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("index \"%s\" would exceed the maximum number of pages",
							RelationGetRelationName(index))));
		layout->first[level] = *next;
		*next += pages - reserved;
	} while (level == 0 || pages > 1);
}

/* The page number, in the index, of page "number" of a level */
BlockNumber
bb_layout_blkno(const BBTreeLayout *layout, int level, int64 number)
{
	if (level == layout->height - 1)
		return BB_ROOT(layout->tree);
	if (level > 0)
		return layout->first[level] + number;
	return number == 0 ? bb_first_leaf(layout->shape, layout->tree) :
		layout->first[0] + number - 1;
}

/* ----------
 * Pages
 * ----------
 */

static void
write_page(Relation index, BlockNumber blkno, const char *image)
{
	Buffer		buffer = ReadBufferExtended(index, MAIN_FORKNUM, blkno, RBM_ZERO_AND_LOCK, NULL);

	START_CRIT_SECTION();
	memcpy(BufferGetPage(buffer), image, BLCKSZ);
	MarkBufferDirty(buffer);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}

/* Lock a page that other processes may write too, and initialize it if none of them has done so. */
static Buffer
lock_shared_page(const BBTreeBuilder *tree, int level, int64 number)
{
	Buffer		buffer = ReadBuffer(tree->index, bb_layout_blkno(tree->layout, level, number));

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (PageIsNew(BufferGetPage(buffer)))
		bb_page_init(BufferGetPage(buffer), tree->layout->shape, tree->layout->tree, level);
	return buffer;
}

/*
 * Copy this process's entries to a page that other processes may write too, and set the
 * bounds that this process knows: the low if it has written the first entry, the high and
 * the right-link if it has gone on to the next page.
 */
static void
merge_page(const BBTreeBuilder *tree, int level)
{
	const BBBuildLevel *at = &tree->levels[level];
	Page		image = (Page) at->page;
	Buffer		buffer = lock_shared_page(tree, level, at->number);
	Page		page = BufferGetPage(buffer);
	int			n = bb_count(image);

	if (bb_count(page) < n)
		bb_set_count(page, n);
	for (int i = at->from; i < n; i++)
		bb_copy_entry(page, i, image, i);
	if (at->from == 0)
		bb_set_low(page, bb_low(image));
	if (!bb_is_rightmost(image))
		bb_set_right(page, bb_high(image), BBPageGetOpaque(image)->right);
	bb_note_sorted(page);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

/* Set the right-link of a page's left neighbour.  The page begins with the given key. */
static void
link_page(const BBTreeBuilder *tree, int level, int64 number, BBKey key)
{
	Buffer		buffer = lock_shared_page(tree, level, number - 1);

	bb_set_right(BufferGetPage(buffer), key, bb_layout_blkno(tree->layout, level, number));
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

/* ----------
 * Levels
 * ----------
 */

static void add_entry(BBTreeBuilder *tree, int level, int64 rank, BBKey key,
					  BlockNumber child);

/* Begin a level at the page of its entry number "rank", whose key is given. */
static void
begin_level(BBTreeBuilder *tree, int level, int64 rank, BBKey key)
{
	BBBuildLevel *at = &tree->levels[level];

	if (level > BB_MAX_LEVEL)
		elog(ERROR, "index \"%s\" cannot grow any higher", RelationGetRelationName(tree->index));
	at->page = palloc(BLCKSZ);
	bb_page_init((Page) at->page, tree->layout->shape, tree->layout->tree, level);
	at->full = bb_layout_page(tree->index, tree->layout->shape, tree->layout->tree, level);
	at->number = rank / at->full;
	at->from = rank % at->full;
	tree->height++;
	at->blkno = bb_layout_blkno(tree->layout, level, at->number);
	bb_set_count((Page) at->page, at->from);
	if (at->from == 0 && at->number > 0)
	{
		bb_set_low((Page) at->page, key);
		link_page(tree, level, at->number, key);
	}
}

/*
 * Write the current page of a level.  If this process has written its first entry, and it
 * is not the root, add its downlink to the level above.
 */
static void
write_level(BBTreeBuilder *tree, int level)
{
	BBBuildLevel *at = &tree->levels[level];

	if (at->from > 0 || bb_is_rightmost((Page) at->page))
		merge_page(tree, level);
	else
	{
		bb_note_sorted((Page) at->page);
		write_page(tree->index, at->blkno, at->page);
	}
	if (at->from == 0 && at->blkno != BB_ROOT(tree->layout->tree))
		add_entry(tree, level + 1, at->number, bb_low((Page) at->page), at->blkno);
}

/* Write the page of a level, which is full, and begin the next page with the given key. */
static void
next_page(BBTreeBuilder *tree, int level, BBKey key)
{
	BBBuildLevel *at = &tree->levels[level];
	BlockNumber next = bb_layout_blkno(tree->layout, level, at->number + 1);

	CHECK_FOR_INTERRUPTS();
	bb_set_right((Page) at->page, key, next);
	write_level(tree, level);

	bb_page_init((Page) at->page, tree->layout->shape, tree->layout->tree, level);
	bb_set_low((Page) at->page, key);
	at->blkno = next;
	at->number++;
	at->from = 0;
}

/*
 * The page of a level to which the next entry will be appended.  The entry's key is above
 * all earlier ones.  The rank matters only for the first entry of the level.
 */
static inline Page
page_for(BBTreeBuilder *tree, int level, int64 rank, BBKey key)
{
	BBBuildLevel *at = &tree->levels[level];

	if (level == tree->height)
		begin_level(tree, level, rank, key);
	else if (bb_count((Page) at->page) >= at->full)
		next_page(tree, level, key);
	return (Page) at->page;
}

static inline void
add_entry(BBTreeBuilder *tree, int level, int64 rank, BBKey key, BlockNumber child)
{
	bb_append(page_for(tree, level, rank, key), key, child);
}

/* ----------
 * Interface
 * ----------
 */

/*
 * Begin to write a tree, or the part of it that begins at entry number "rank".  The pages
 * of the tree must already be in the file, and be all zero until the first process writes
 * them.
 */
void
bb_tree_begin(BBTreeBuilder *tree, Relation index, const BBTreeLayout *layout, int64 rank)
{
	tree->index = index;
	tree->layout = layout;
	tree->rank = rank;
	tree->height = 0;
}

/*
 * Append an entry to the leaves.  The caller adds entries in ascending order.  fp is used
 * only in the row tree of wide fingerprints.
 */
void
bb_tree_add(BBTreeBuilder *tree, BBKey key, const uint64 *fp)
{
	bb_append_to_leaf(page_for(tree, 0, tree->rank, key), key, fp);
}

/* Count entries of window trees, and report them now and then. */
static void
count_entries(BBBuildProgress *progress, int n)
{
	progress->unreported += n;
	if (progress->unreported < REPORTED_ENTRIES)
		return;
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE,
								 pg_atomic_add_fetch_u64(progress->total, progress->unreported));
	progress->unreported = 0;
}

/* Append all entries of a sort, which all have the given tag, to the leaves. */
void
bb_tree_add_sorted(BBTreeBuilder *tree, uint32 tag, BBSort *sort, BBBuildProgress *progress)
{
	const BBEntry *entries;
	int64		n;

	while ((entries = bb_sort_next(sort, &n)), n > 0)
		while (n > 0)
		{
			Page		page = page_for(tree, 0, tree->rank,
										bb_key(tag, entries->window, &entries->tid));
			int			room = (int) Min(n, tree->levels[0].full - bb_count(page));

			bb_append_entries(page, tag, entries, room);
			count_entries(progress, room);
			entries += room;
			n -= room;
		}
}

/*
 * Append the windows of the rows in a part of the row tree, one tag after the other.  The
 * part has all rows of its tags.  The row tree is complete, so its pages need no locks.
 */
void
bb_tree_add_windows(BBTreeBuilder *tree, BBRowPart part, BBSort *sort,
					BBBuildProgress *progress)
{
	BlockNumber next = part.leaf;
	int			i = part.skip;
	uint32		tag = BB_NO_TAG;	/* of the entries in the sort */

	while (part.n > 0)
	{
		Buffer		buffer = ReadBuffer(tree->index, next);
		Page		page = BufferGetPage(buffer);
		int			n = Min(bb_count(page), i + part.n);

		CHECK_FOR_INTERRUPTS();
		part.n -= n - i;
		for (; i < n; i++)
		{
			if (bb_tag_at(page, i) != tag)
			{
				bb_sort_perform(sort);
				bb_tree_add_sorted(tree, tag, sort, progress);
				bb_sort_reset(sort);
				tag = bb_tag_at(page, i);
			}
			bb_sort_put(sort, bb_window(tree->layout->shape, bb_words_at(page, i), tree->layout->tree),
						&bb_rest(page, i)->tid);
		}
		next = BBPageGetOpaque(page)->right;
		i = 0;
		ReleaseBuffer(buffer);
	}
	bb_sort_perform(sort);
	bb_tree_add_sorted(tree, tag, sort, progress);
	bb_sort_reset(sort);
}

void
bb_tree_finish(BBTreeBuilder *tree)
{
	for (int level = 0; level < tree->height; level++)
	{
		write_level(tree, level);
		pfree(tree->levels[level].page);
	}
}
