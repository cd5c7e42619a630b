/*-------------------------------------------------------------------------
 *
 * insert.c
 *		Insertion into a bitblock index.
 *
 * README.md, "Insertion", explains the WAL records of an insertion and of a split, and
 * "Order of the trees" the order of locks.  VACUUM relies on the row tree being in the
 * first record.  While several leaves are locked, the only input or output is writing
 * WAL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "bitblock.h"
#include "index/bitblock/store/cache.h"
#include "index/bitblock/store/column_value.h"
#include "index/bitblock/store/read_ahead.h"
#include "index/bitblock/store/tree.h"
#include "insert_wal.h"
#include "miscadmin.h"
#include "utils/rel.h"

static void finish_split(Relation index, Buffer left, const BBLocked *below);

/* An entry of a page to be split: its key, and its number in the page. */
typedef struct SplitEntry
{
	BBKey		key;
	int			number;
} SplitEntry;

static int
compare_split_entries(const void *a, const void *b)
{
	return bb_compare(((const SplitEntry *) a)->key, ((const SplitEntry *) b)->key);
}

/*
 * The number of entries that remain on the left page: half of them, or nearly all if the
 * page is the last of its level and keys arrive in ascending order.
 */
static int
choose_cut(Relation index, Buffer buffer, const SplitEntry *entries, int n,
		   BBKey next)
{
	int			cut = n / 2;

	if (bb_is_rightmost(BufferGetPage(buffer)) &&
		bb_compare(next, entries[n - 1].key) > 0)
		cut = n - Max(n / 10, 1);

	/* equal keys should not occur; if they do, keep them together */
	while (cut > 0 && bb_compare(entries[cut - 1].key, entries[cut].key) == 0)
		cut--;
	if (cut == 0)
		bb_report_corruption(index, BufferGetBlockNumber(buffer),
							 "too many equal entries");
	return cut;
}

/*
 * Remove all entries that are not below "high" from the page.  As many of the other
 * entries as possible keep their places, because WAL contains only changes.
 */
static void
remove_upper(Page page, BBKey high, int remain)
{
	int			n = bb_count(page);

	if (BBPageGetOpaque(page)->level == 0)
	{
		int			from = remain;

		for (int i = 0; i < remain; i++)
		{
			if (bb_compare(bb_key_at(page, i), high) < 0)
				continue;
			while (from < n && bb_compare(bb_key_at(page, from), high) >= 0)
				from++;
			Assert(from < n);
			bb_copy_entry(page, i, page, from);
			from++;
		}
	}
	bb_set_count(page, remain);
	bb_note_sorted(page);
}

static void
fill_page(Page page, Page from, const SplitEntry *entries, int n)
{
	bb_set_count(page, n);
	for (int i = 0; i < n; i++)
		bb_copy_entry(page, i, from, entries[i].number);
	bb_note_sorted(page);
}

/* The entries of a page, in order. */
static SplitEntry *
sort_entries_of_page(Page page)
{
	int			n = bb_count(page);
	SplitEntry *entries = palloc(n * sizeof(SplitEntry));

	for (int i = 0; i < n; i++)
	{
		entries[i].key = bb_key_at(page, i);
		entries[i].number = i;
	}
	if (BBPageGetOpaque(page)->level == 0)
		qsort(entries, n, sizeof(SplitEntry), compare_split_entries);
	return entries;
}

/* Fill a new page with entries of the page "whole", for the keys from low to high. */
static void
make_half(BBShape shape, Page half, Page whole, BBKey low, BBKey high, BlockNumber right,
		  const SplitEntry *entries, int n)
{
	BBPageOpaque opaque = BBPageGetOpaque(whole);

	bb_page_init(half, shape, opaque->tree, opaque->level);
	bb_set_low(half, low);
	bb_set_right(half, high, right);
	fill_page(half, whole, entries, n);
}

/*
 * Split a page that is not a root: move the upper entries to a new page.  The mark
 * BB_INCOMPLETE_SPLIT says that the new page has no downlink yet.
 */
static void
split_right(Relation index, Buffer buffer, const SplitEntry *entries, int cut)
{
	BBKey		middle = entries[cut].key;
	Buffer		right = bb_new_buffer(index);
	GenericXLogState *state = GenericXLogStart(index);
	Page		page = GenericXLogRegisterBuffer(state, buffer, 0);
	Page		right_page = GenericXLogRegisterBuffer(state, right,
													   GENERIC_XLOG_FULL_IMAGE);

	make_half(bb_shape(index), right_page, page, middle, bb_high(page),
			  BBPageGetOpaque(page)->right, entries + cut, bb_count(page) - cut);
	remove_upper(page, middle, cut);
	bb_set_right(page, middle, BufferGetBlockNumber(right));
	BBPageGetOpaque(page)->flags |= BB_INCOMPLETE_SPLIT;
	GenericXLogFinish(state);
	UnlockReleaseBuffer(right);
}

/* Split a root: all entries move to two new pages, and the root is one level higher. */
static void
split_root(Relation index, Buffer buffer, const SplitEntry *entries, int cut)
{
	BBShape		shape = bb_shape(index);
	BBKey		middle = entries[cut].key;
	Buffer		left = bb_new_buffer(index);
	Buffer		right = bb_new_buffer(index);
	GenericXLogState *state = GenericXLogStart(index);
	Page		page = GenericXLogRegisterBuffer(state, buffer, 0);
	Page		right_page = GenericXLogRegisterBuffer(state, right,
													   GENERIC_XLOG_FULL_IMAGE);
	Page		left_page = GenericXLogRegisterBuffer(state, left,
													  GENERIC_XLOG_FULL_IMAGE);
	BBKey		low = bb_low(page);
	int			tree = BBPageGetOpaque(page)->tree;
	int			level = BBPageGetOpaque(page)->level;

	make_half(shape, right_page, page, middle, bb_high(page),
			  BBPageGetOpaque(page)->right, entries + cut, bb_count(page) - cut);
	make_half(shape, left_page, page, low, middle, BufferGetBlockNumber(right),
			  entries, cut);
	bb_page_init(page, shape, tree, level + 1);
	bb_append(page, low, BufferGetBlockNumber(left));
	bb_append(page, middle, BufferGetBlockNumber(right));
	GenericXLogFinish(state);
	UnlockReleaseBuffer(right);
	UnlockReleaseBuffer(left);
}

/*
 * Split a full page to make room for the key "next".  The page is exclusively locked and
 * not marked.  The function releases the buffer.  "below" lists the other pages that the
 * caller has locked.
 */
static void
split_page(Relation index, Buffer buffer, BBKey next, const BBLocked *below)
{
	Page		page = BufferGetPage(buffer);
	BBPageOpaque opaque = BBPageGetOpaque(page);
	bool		is_root = BufferGetBlockNumber(buffer) == BB_ROOT(opaque->tree);
	SplitEntry *entries = sort_entries_of_page(page);
	int			cut = choose_cut(index, buffer, entries, bb_count(page), next);

	Assert(!(opaque->flags & BB_INCOMPLETE_SPLIT));
	if (bb_compare(entries[cut].key, bb_low(page)) <= 0 ||
		bb_is_right_of(entries[cut].key, page))
		bb_report_corruption(index, BufferGetBlockNumber(buffer),
							 "entry is outside the range of its page");
	if (is_root && opaque->level == BB_MAX_LEVEL)
		elog(ERROR, "index \"%s\" cannot grow any higher",
			 RelationGetRelationName(index));

	if (is_root)
	{
		split_root(index, buffer, entries, cut);
		UnlockReleaseBuffer(buffer);
	}
	else
	{
		split_right(index, buffer, entries, cut);
		finish_split(index, buffer, below);
	}
	pfree(entries);
}

/*
 * Complete the split of a page that is marked BB_INCOMPLETE_SPLIT: add the downlink of
 * its right neighbour to the parent, and clear the mark.  The page is exclusively locked.
 * The function unlocks and releases it.  "below" lists the other pages that the caller
 * has locked.
 */
static void
finish_split(Relation index, Buffer left, const BBLocked *below)
{
	BBLocked	locked = {BufferGetBlockNumber(left), below};
	Page		page = BufferGetPage(left);
	BBPageOpaque opaque = BBPageGetOpaque(page);
	BBKey		key = bb_high(page);

	Assert(opaque->flags & BB_INCOMPLETE_SPLIT);
	if (bb_is_rightmost(page))
		bb_report_corruption(index, BufferGetBlockNumber(left),
							 "incomplete split has no right neighbour");
	for (;;)
	{
		Buffer		parent = bb_find_parent(index, opaque->tree, key,
											opaque->level + 1, &locked);
		Page		parent_page;
		GenericXLogState *state;
		int			before;

		if (!BufferIsValid(parent))
			bb_report_corruption(index, BufferGetBlockNumber(left),
								 "could not find the parent of a page");
		parent_page = BufferGetPage(parent);
		if (BBPageGetOpaque(parent_page)->flags & BB_INCOMPLETE_SPLIT)
		{
			finish_split(index, parent, &locked);
			continue;
		}
		if (bb_count(parent_page) >= bb_capacity(parent_page))
		{
			split_page(index, parent, key, &locked);
			continue;
		}

		before = bb_find_child(parent_page, key);
		if (before < 0 || bb_compare(bb_key_at(parent_page, before), key) == 0)
			bb_report_corruption(index, BufferGetBlockNumber(parent),
								 "no place for a downlink in parent page");

		state = GenericXLogStart(index);
		parent_page = GenericXLogRegisterBuffer(state, parent, 0);
		page = GenericXLogRegisterBuffer(state, left, 0);
		bb_insert_sorted(parent_page, key, opaque->right);
		BBPageGetOpaque(page)->flags &= ~BB_INCOMPLETE_SPLIT;
		GenericXLogFinish(state);
		UnlockReleaseBuffer(parent);
		UnlockReleaseBuffer(left);
		return;
	}
}

/* Complete the split of a page that was marked, unless the mark is gone. */
static void
finish_split_of(Relation index, BlockNumber blkno)
{
	Buffer		buffer = bb_read(index, blkno, BUFFER_LOCK_EXCLUSIVE);
	uint16		flags = BBPageGetOpaque(BufferGetPage(buffer))->flags;

	if ((flags & BB_INCOMPLETE_SPLIT) && !(flags & BB_DELETED))
		finish_split(index, buffer, NULL);
	else
		UnlockReleaseBuffer(buffer);
}

/* May key be appended to the page?  The page is locked. */
static bool
takes(Page page, int tree, BBKey key)
{
	return bb_is_on_path(page, tree, 0, key) && !bb_is_right_of(key, page) &&
		bb_count(page) < bb_capacity(page);
}

/*
 * Find a leaf that is responsible for key and has room, and split pages to make room if
 * necessary.  Returns the leaf pinned and not locked, so another process may fill it
 * again.
 */
static Buffer
find_room(Relation index, int tree, BBKey key)
{
	for (;;)
	{
		BlockNumber incomplete;
		Buffer		buffer = bb_find(index, tree, key, 0, BUFFER_LOCK_SHARE,
									 &incomplete);
		Page		page = BufferGetPage(buffer);
		bool		full = bb_count(page) >= bb_capacity(page);

		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		if (incomplete != InvalidBlockNumber)
		{
			ReleaseBuffer(buffer);
			finish_split_of(index, incomplete);
			continue;
		}
		if (!full)
			return buffer;

		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		bb_check_buffer(index, buffer);
		if (bb_is_on_path(page, tree, 0, key) && !bb_is_right_of(key, page) &&
			bb_count(page) >= bb_capacity(page) &&
			!(BBPageGetOpaque(page)->flags & BB_INCOMPLETE_SPLIT))
			split_page(index, buffer, key, NULL);
		else
			UnlockReleaseBuffer(buffer);
	}
}

/* The insertion of a row. */
typedef struct RowInsertion
{
	BBAhead		ahead;
	BBRow		row;
	/* in the order in which leaves are locked */
	BBPath		entries[BB_MAX_TREES];
	int			n;
	/* number of entries whose leaves were asked for */
	int			asked;
} RowInsertion;

/* If the index is cold, ask for the leaves of the entries from number i on before they are read. */
static void
ask_for_leaves_of_row(RowInsertion *insertion, int i)
{
	int			depth = bb_depth(&insertion->ahead);
	int			from = Max(insertion->asked, i);
	int			to = Min(insertion->n, i + 1 + depth);

	if (depth == 0 || from >= to || (from == i && to == i + 1))
		return;
	bb_ask_paths(&insertion->ahead, insertion->entries + from, to - from, true);
	insertion->asked = to;
}

/*
 * Append n entries of a row, beginning with number "first", to n trees in one WAL record.
 * All n leaves must be locked and have room at the same time.  If another process has
 * filled or split one of them before it is locked, the function begins again.  n is at
 * most MAX_GENERIC_XLOG_PAGES.
 */
static void
insert_entries(RowInsertion *insertion, int first, int n)
{
	Relation	index = insertion->ahead.index;
	const BBPath *entries = insertion->entries + first;
	Buffer		buffers[MAX_GENERIC_XLOG_PAGES];
	bool		fits;

	do
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
		{
			ask_for_leaves_of_row(insertion, first + i);
			buffers[i] = find_room(index, entries[i].tree, entries[i].key);
		}

		fits = true;
		for (int i = 0; i < n; i++)
		{
			LockBuffer(buffers[i], BUFFER_LOCK_EXCLUSIVE);
			bb_check_buffer(index, buffers[i]);
			if (!takes(BufferGetPage(buffers[i]), entries[i].tree, entries[i].key))
				fits = false;
		}
		if (!fits)
			for (int i = 0; i < n; i++)
				UnlockReleaseBuffer(buffers[i]);
	} while (!fits);

	bb_append_logged(index, buffers, entries, insertion->row.fp, n);
	for (int i = 0; i < n; i++)
		UnlockReleaseBuffer(buffers[i]);
}

static void
add_entry(RowInsertion *insertion, int tree, BBKey key)
{
	insertion->entries[insertion->n].tree = tree;
	insertion->entries[insertion->n++].key = key;
}

/* List the entries of the row, the row tree's entry first. */
static void
list_entries(BBShape shape, RowInsertion *insertion)
{
	const BBRow *row = &insertion->row;

	insertion->n = 0;
	if (row->isnull || bb_is_wide(shape))
		add_entry(insertion, row->isnull ? bb_null_tree(shape) : bb_row_tree(shape),
				  bb_row_key(row->tag, &row->tid));
	for (int t = 0; t < shape.blocks && !row->isnull; t++)
		add_entry(insertion, t, bb_key(row->tag, bb_window(shape, row->fp, t), &row->tid));
}

bool
bb_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
		  Relation heap, IndexUniqueCheck check_unique,
		  bool index_unchanged,
		  struct IndexInfo *info)
{
	BBShape		shape = bb_shape(index);
	RowInsertion insertion;

	bb_read_row(index, shape, values, isnull, tid, &insertion.row);
	bb_ahead_init(&insertion.ahead, index, false);
	insertion.asked = 0;
	list_entries(shape, &insertion);
	for (int i = 0; i < insertion.n; i += MAX_GENERIC_XLOG_PAGES)
		insert_entries(&insertion, i, Min(MAX_GENERIC_XLOG_PAGES, insertion.n - i));
	return false;
}
