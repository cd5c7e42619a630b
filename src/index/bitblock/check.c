/*-------------------------------------------------------------------------
 *
 * check.c
 *		bitblock_check(): verification of a bitblock index.
 *
 * bitblock_check() verifies that an index has the form that page.h and tree.c describe.
 * It locks the table against writing, so that nothing moves meanwhile.  A standby cannot
 * take that lock, and replay may move entries there, so a second call should confirm an
 * error.
 *
 * The check reads each level of each tree from left to right, and compares it with the
 * level above.  Every window tree must have the rows of the row tree, each with its
 * window.  The check compares sums of hash values, so it needs no memory for the rows.
 * If the sums of a tree differ, the check compares the entries.  An insertion or a VACUUM
 * that ended halfway leaves a row in only some of the trees.  Such a row must be
 * invisible to everybody, and its page of the table must not be all-visible.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "commands/defrem.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "index/bitblock/search/row.h"
#include "index/bitblock/store/column_value.h"
#include "index/bitblock/store/open.h"
#include "index/bitblock/store/read_ahead.h"
#include "index/bitblock/store/tree.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bitblock_check);

/* Entries of a tree. */
typedef struct Entries
{
	int64		n;
	int64		max;
	struct
	{
		BBKey		key;
		uint32		child;		/* of an inner page; of a leaf, its tree */
	}		   *list;
} Entries;

typedef struct CheckState
{
	Relation	index;
	BBAhead		ahead;
	BBShape		shape;
	Relation	heap;
	Snapshot	snapshot;
	BlockNumber npages;
	BlockNumber heap_pages;
	bool	   *seen;			/* pages that belong to a tree */
	int			tree;

	/* of the level above the current one, in order */
	Entries		above;

	/* sums of the hash values of entries, by window tree */
	/* entries that the row tree implies */
	uint64		expected[BB_MAX_BLOCKS];
	uint64		sums[BB_MAX_BLOCKS];	/* entries of the tree */

	/* for visits to the table */
	MemoryContext row_context;	/* reset after each row */
	TupleTableSlot *slot;
	IndexFetchTableData *fetch;

	/*
	 * visible rows that wait until their index pages have been asked for, and
	 * are then looked up together
	 */
	BBRow	   *waiting;		/* room for bb_find_depth rows */
	BBPath	   *paths;			/* of the waiting rows */
	int			nwaiting;
} CheckState;

static void
append_entry(Entries *entries, BBKey key, uint32 child)
{
	if (entries->n == entries->max)
	{
		entries->max = Max(2 * entries->max, 1024);
		entries->list = entries->list == NULL ?
			palloc(entries->max * sizeof(entries->list[0])) :
			repalloc_huge(entries->list, entries->max * sizeof(entries->list[0]));
	}
	entries->list[entries->n].key = key;
	entries->list[entries->n++].child = child;
}

static void
free_entries(Entries *entries)
{
	if (entries->list != NULL)
		pfree(entries->list);
}

/* Is the row at a TID visible to the snapshot?  tid_number is the TID's bb_tid_number. */
static bool
is_visible(CheckState *state, uint64 tid_number)
{
	ItemPointerData tid;
	bool		again = false;
	bool		all_dead = false;
	bool		found;

	bb_number_tid(tid_number, &tid);
	if (ItemPointerGetBlockNumberNoCheck(&tid) >= state->heap_pages)
		return false;
	found = table_index_fetch_tuple(state->fetch, &tid, state->snapshot, state->slot,
									&again, &all_dead);
	ExecClearTuple(state->slot);
	return found;
}

/* ----------
 * Pages
 * ----------
 */

static int
compare_keys(const void *a, const void *b)
{
	return bb_compare(*(const BBKey *) a, *(const BBKey *) b);
}

static uint64
hash_key(BBKey key)
{
	uint64		words[] = {key.tag, key.window, key.tid};

	return hash_bytes_extended((const unsigned char *) words, sizeof(words), 0);
}

/*
 * The key that window tree "tree" should have for a row, which is entry i of a leaf of
 * the row tree.
 */
static BBKey
implied_entry(BBShape shape, Page page, int i, int tree)
{
	BBKey		key = bb_key_at(page, i);

	key.window = bb_window(shape, bb_words_at(page, i), tree);
	return key;
}

/* Check entry i of a leaf on its own, and add it to the sums. */
static void
check_leaf_entry(CheckState *state, BlockNumber blkno, Page page, int i)
{
	BBShape		shape = state->shape;
	BBKey		key = bb_key_at(page, i);

	if (!bb_tid_is_valid(&bb_rest(page, i)->tid))
		bb_report_corruption(state->index, blkno, "entry has an invalid TID");
	if (state->tree == bb_null_tree(shape) && key.window != BB_NULL_WINDOW)
		bb_report_corruption(state->index, blkno,
							 "entry of a null value has a fingerprint");
	if (state->tree < shape.blocks)
		state->sums[state->tree] += hash_key(key);
	if (state->tree == bb_row_tree(shape))
		for (int t = 0; t < shape.blocks; t++)
			state->expected[t] += hash_key(implied_entry(shape, page, i, t));
}

/* Check the page on its own.  "keys" receives its keys in ascending order. */
static void
check_entries(CheckState *state, BlockNumber blkno, Page page, BBKey *keys)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);
	PageHeader	header = (PageHeader) page;
	int			n = bb_count(page);

	for (int i = header->pd_lower; i < header->pd_upper; i++)
		if (((char *) page)[i] != 0)
			bb_report_corruption(state->index, blkno,
								 "free space of page is not zero");
	if (opaque->level > 0 && n == 0)
		bb_report_corruption(state->index, blkno, "inner page has no entries");

	for (int i = 0; i < n; i++)
		keys[i] = bb_key_at(page, i);
	for (int i = 1; i < opaque->sorted; i++)
		if (bb_compare(keys[i - 1], keys[i]) >= 0)
			bb_report_corruption(state->index, blkno,
								 "sorted part of leaf is not sorted");
	if (opaque->level > 0)
	{
		if (bb_compare(keys[0], bb_low(page)) != 0)
			bb_report_corruption(state->index, blkno,
								 "first entry of inner page is not its low key");
	}
	else
		qsort(keys, n, sizeof(BBKey), compare_keys);
	for (int i = 0; i < n; i++)
	{
		if (bb_compare(keys[i], bb_low(page)) < 0 || bb_is_right_of(keys[i], page))
			bb_report_corruption(state->index, blkno,
								 "entry is outside the range of its page");
		if (i > 0 && bb_compare(keys[i - 1], keys[i]) == 0)
			bb_report_corruption(state->index, blkno, "duplicate entry");
		if (i > 0 && bb_compare(keys[i - 1], keys[i]) > 0)
			bb_report_corruption(state->index, blkno,
								 "entries of inner page are not sorted");
	}
}

/* The state of the check of a level, which reads it from left to right. */
typedef struct LevelCheck
{
	int			level;
	BBKey		low;			/* the low that the next page must have */
	/* is the left neighbour's split incomplete? */
	bool		left_incomplete;
	/* number of the next downlink in the level above */
	int64		downlink;
} LevelCheck;

static void
copy_checked_page(CheckState *state, BlockNumber blkno, Page copy)
{
	Buffer		buffer;

	if (blkno >= state->npages)
		bb_report_corruption(state->index, blkno, "link beyond the end of the file");
	buffer = bb_read(state->index, blkno, BUFFER_LOCK_SHARE);
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

/* Check that the page is the next page of the level. */
static void
check_place(CheckState *state, const LevelCheck *at, BlockNumber blkno, Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	if (state->seen[blkno])
		bb_report_corruption(state->index, blkno, "two links to the same page");
	state->seen[blkno] = true;
	if (opaque->flags & BB_DELETED)
		bb_report_corruption(state->index, blkno, "link to a deleted page");
	if (opaque->tree != state->tree)
		bb_report_corruption(state->index, blkno, "link to a page of another tree");
	if (opaque->level != at->level)
		bb_report_corruption(state->index, blkno, "link to a page of another level");
	if (bb_compare(bb_low(page), at->low) != 0)
		bb_report_corruption(state->index, blkno,
							 "low key of page is not high key of left neighbour");
}

/*
 * Compare a page with the level above.  The next downlink must lead to the page, unless
 * the page is the right half of an incomplete split.
 */
static void
check_downlink(CheckState *state, LevelCheck *at, BlockNumber blkno)
{
	const Entries *above = &state->above;

	if (at->downlink == above->n || above->list[at->downlink].child != blkno)
	{
		if (!at->left_incomplete)
			bb_report_corruption(state->index, blkno, "page has no downlink");
		return;
	}
	if (at->left_incomplete)
		bb_report_corruption(state->index, blkno, "incomplete split has a downlink");
	if (bb_compare(above->list[at->downlink].key, at->low) != 0)
		bb_report_corruption(state->index, blkno,
							 "key of downlink is not low key of page");
	at->downlink++;
}

/*
 * Check one level, beginning with the page "blkno".  Afterwards state->above has the
 * downlinks of this level, for the level below.
 */
static void
check_level(CheckState *state, BlockNumber blkno, int level)
{
	BBKey	   *keys = palloc(BB_MAX_ENTRIES * sizeof(BBKey));
	Page		page = palloc(BLCKSZ);
	Entries		below = {0};
	LevelCheck	at = {0};
	bool		is_root = state->above.n == 0;
	int64		asked = 0;		/* downlinks whose pages were asked for */

	at.level = level;
	at.low = bb_lowest_key();
	while (blkno != InvalidBlockNumber)
	{
		int			depth = bb_depth(&state->ahead);

		CHECK_FOR_INTERRUPTS();
		asked = Max(asked, at.downlink);
		while (asked < Min(at.downlink + depth, state->above.n))
			bb_ask(&state->ahead, state->above.list[asked++].child);
		copy_checked_page(state, blkno, page);
		check_place(state, &at, blkno, page);
		if (!is_root)
			check_downlink(state, &at, blkno);
		check_entries(state, blkno, page, keys);
		for (int i = 0; i < bb_count(page); i++)
		{
			if (level == 0)
				check_leaf_entry(state, blkno, page, i);
			else
				append_entry(&below, keys[i], bb_child(page, i));
		}

		at.left_incomplete =
			(BBPageGetOpaque(page)->flags & BB_INCOMPLETE_SPLIT) != 0;
		if (at.left_incomplete && bb_is_rightmost(page))
			bb_report_corruption(state->index, blkno,
								 "incomplete split has no right neighbour");
		at.low = bb_high(page);
		blkno = BBPageGetOpaque(page)->right;
	}
	if (at.downlink < state->above.n)
		bb_report_corruption(state->index, state->above.list[at.downlink].child,
							 "downlink to a page that is not on the level below");

	free_entries(&state->above);
	state->above = below;
	pfree(keys);
	pfree(page);
}

static void
check_tree(CheckState *state, int tree)
{
	Buffer		buffer = bb_read(state->index, BB_ROOT(tree), BUFFER_LOCK_SHARE);
	int			height = BBPageGetOpaque(BufferGetPage(buffer))->level;

	UnlockReleaseBuffer(buffer);
	state->tree = tree;
	for (int level = height; level >= 0; level--)
		check_level(state, level == height ? BB_ROOT(tree) : state->above.list[0].child,
					level);
}

/* A page that belongs to no tree must be free. */
static void
check_other_pages(CheckState *state)
{
	for (BlockNumber blkno = BB_METAPAGE + 1; blkno < state->npages; blkno++)
	{
		Buffer		buffer;

		CHECK_FOR_INTERRUPTS();
		if (state->seen[blkno])
			continue;
		buffer = ReadBuffer(state->index, blkno);
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		if (!bb_is_free(state->index, buffer))
			bb_report_corruption(state->index, blkno,
								 "page belongs to no tree and is not deleted");
		UnlockReleaseBuffer(buffer);
	}
}

/* ----------
 * Rows
 * ----------
 */

/*
 * Raise an error about a row.  "detail" is the format of a sentence that contains the
 * row's page number and offset.
 */
static void
report_row(CheckState *state, uint64 tid_number, const char *detail)
{
	ItemPointerData tid;

	bb_number_tid(tid_number, &tid);
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" does not match its table",
					RelationGetRelationName(state->index)),
			 errdetail_internal(detail, ItemPointerGetBlockNumberNoCheck(&tid),
								ItemPointerGetOffsetNumberNoCheck(&tid)),
			 errhint("Please REINDEX it.")));
}

/* Call a function with a copy of each leaf of a tree, from left to right. */
static void
visit_leaves(CheckState *state, int tree,
			 void (*visit) (CheckState *state, Page page, void *arg), void *arg)
{
	BlockNumber blkno = bb_first_leaf(state->shape, tree);
	Page		page = palloc(BLCKSZ);
	BBKey		low = bb_lowest_key();
	BBAheadLevel coming;

	bb_ahead_level_init(&coming, &state->ahead, tree, 0, &bb_all_rows);
	while (blkno != InvalidBlockNumber)
	{
		CHECK_FOR_INTERRUPTS();
		bb_ask_level(&coming, low);
		copy_checked_page(state, blkno, page);
		visit(state, page, arg);
		low = bb_high(page);
		blkno = BBPageGetOpaque(page)->right;
	}
	pfree(page);
}

/*
 * Append the entries of a leaf of window tree state->tree to arg, an Entries; or, if it is
 * a leaf of the row tree, the entries that this window tree should have for its rows.
 */
static void
list_entries(CheckState *state, Page page, void *arg)
{
	bool		implied = BBPageGetOpaque(page)->tree != state->tree;

	for (int i = 0; i < bb_count(page); i++)
		append_entry(arg, implied ? implied_entry(state->shape, page, i, state->tree) :
					 bb_key_at(page, i), BBPageGetOpaque(page)->tree);
}

/*
 * Compare a window tree with the row tree, entry by entry.  If only one of the two has an
 * entry, the entry's row must be invisible.  The function needs memory for the entries of
 * both trees.
 */
static void
compare_with_row_tree(CheckState *state, int tree)
{
	Entries		entries = {0};

	state->tree = tree;
	visit_leaves(state, bb_row_tree(state->shape), list_entries, &entries);
	visit_leaves(state, tree, list_entries, &entries);
	qsort(entries.list, entries.n, sizeof(entries.list[0]), compare_keys);
	for (int64 i = 0; i < entries.n; i++)
	{
		BBKey		key = entries.list[i].key;

		CHECK_FOR_INTERRUPTS();
		if (i + 1 < entries.n && bb_compare(key, entries.list[i + 1].key) == 0)
			i++;				/* both trees have the entry */
		else if (is_visible(state, key.tid))
			report_row(state, key.tid, entries.list[i].child == tree ?
					   "The row at (%u,%u) is in a tree, but not in the row tree." :
					   "The row at (%u,%u) is missing from at least one tree.");
	}
	free_entries(&entries);
}

/* Check that every window tree has the rows of the row tree. */
static void
check_agreement(CheckState *state)
{
	for (int t = 0; t < state->shape.blocks; t++)
		if (state->sums[t] != state->expected[t])
			compare_with_row_tree(state, t);
}

/* Check that the index has a row. */
static void
check_row(CheckState *state, const BBRow *row)
{
	BBShape		shape = state->shape;

	if (row->isnull)
	{
		if (!bb_has_entry(state->index, bb_null_tree(shape), bb_row_key(row->tag, &row->tid)))
			report_row(state, bb_tid_number(&row->tid),
					   "The row at (%u,%u) is missing from the tree of rows without a fingerprint.");
	}
	else if (!bb_has_row(state->index, shape, row->tag, &row->tid, row->fp))
		report_row(state, bb_tid_number(&row->tid),
				   "The row at (%u,%u) is missing from the row tree.");
}

/* Ask for the pages of the rows that wait, if there are several, and check these rows. */
static void
check_waiting(CheckState *state)
{
	BBShape		shape = state->shape;

	for (int i = 0; i < state->nwaiting; i++)
	{
		const BBRow *row = &state->waiting[i];

		state->paths[i].tree = row->isnull ? bb_null_tree(shape) : bb_row_tree(shape);
		state->paths[i].key = row->isnull || bb_is_wide(shape) ?
			bb_row_key(row->tag, &row->tid) :
			bb_key(row->tag, bb_window(shape, row->fp, 0), &row->tid);
	}
	if (state->nwaiting > 1)
		bb_ask_paths(&state->ahead, state->paths, state->nwaiting, true);
	for (int i = 0; i < state->nwaiting; i++)
		check_row(state, &state->waiting[i]);
	state->nwaiting = 0;
}

static void
check_row_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
				   bool tuple_is_alive, void *arg)
{
	CheckState *state = arg;
	MemoryContext old = MemoryContextSwitchTo(state->row_context);

	bb_read_row(index, state->shape, values, isnull, tid, &state->waiting[state->nwaiting++]);
	if (state->nwaiting >= bb_depth(&state->ahead))
		check_waiting(state);
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->row_context);
}

/*
 * Check that the index has every visible row.  If the index is on an expression, or
 * partial, this calls functions that users have written.  They run with the rights of the
 * table's owner, as when the index is built.  Afterwards the function restores changed
 * settings.
 */
static void
check_heap(CheckState *state)
{
	Oid			caller;
	int			caller_context;
	int			nesting;
	IndexInfo  *info;
	TableScanDesc scan;

	GetUserIdAndSecContext(&caller, &caller_context);
	SetUserIdAndSecContext(state->heap->rd_rel->relowner,
						   caller_context | SECURITY_RESTRICTED_OPERATION);
	nesting = NewGUCNestLevel();
	RestrictSearchPath();

	info = BuildIndexInfo(state->index);
	scan = table_beginscan_strat(state->heap, state->snapshot, 0, NULL, true, true);

	/* like a concurrent build, read only the rows that the snapshot sees */
	info->ii_Unique = false;
	info->ii_ExclusionOps = NULL;
	info->ii_ExclusionProcs = NULL;
	info->ii_ExclusionStrats = NULL;
	info->ii_Concurrent = true;
	state->row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "bitblock check of a row",
											   ALLOCSET_SMALL_SIZES);
	state->waiting = palloc(Max(bb_find_depth(&state->ahead), 1) * sizeof(BBRow));
	state->paths = palloc(Max(bb_find_depth(&state->ahead), 1) * sizeof(BBPath));
	table_index_build_scan(state->heap, state->index, info, true, false,
						   check_row_callback, state, scan);
	check_waiting(state);
	MemoryContextDelete(state->row_context);

	AtEOXact_GUC(false, nesting);
	SetUserIdAndSecContext(caller, caller_context);
}

/* Visits to the rows of a leaf's entries. */
typedef struct Visits
{
	Buffer		map;			/* of the visibility map */
	BBAheadRows rows;
	Page		page;
	int			entry;			/* number of the current one */
} Visits;

/* A BBComing whose argument is a Visits. */
static const ItemPointerData *
coming_entry(void *arg, int n)
{
	Visits	   *visits = arg;
	int			i = visits->entry + n;

	return i < bb_count(visits->page) ? &bb_rest(visits->page, i)->tid : NULL;
}

/*
 * Check that each entry of a leaf has a row, if its page of the table is all-visible:
 * index-only scans do not visit that page.  VACUUM removes the entries before it marks
 * the page.  On a standby, replay may be between the two while the check runs.
 */
static void
check_rows_of(CheckState *state, Page page, void *arg)
{
	Visits	   *visits = arg;
	int			n = bb_count(page);

	visits->page = page;
	for (int i = 0; i < n; i++)
	{
		uint64		tid = bb_key_at(page, i).tid;
		BlockNumber blkno = (BlockNumber) (tid >> 16);

		CHECK_FOR_INTERRUPTS();
		visits->entry = i;
		if (unlikely(bb_rows_are_cold(&visits->rows)))
			bb_ask_rows(&visits->rows, coming_entry, visits);
		bb_note_row(&visits->rows);
		if (blkno < state->heap_pages && VM_ALL_VISIBLE(state->heap, blkno, &visits->map) &&
			!is_visible(state, tid))
			report_row(state, tid,
					   "The index has an entry of the row at (%u,%u), which is gone from a page that is all-visible.");
	}
}

static void
check_visibility(CheckState *state)
{
	Visits		visits = {InvalidBuffer};

	if (RecoveryInProgress())
		return;
	bb_ahead_rows_init(&visits.rows, state->heap, true);
	visit_leaves(state, bb_row_tree(state->shape), check_rows_of, &visits);
	visit_leaves(state, bb_null_tree(state->shape), check_rows_of, &visits);
	if (BufferIsValid(visits.map))
		ReleaseBuffer(visits.map);
}

/*
 * Raise an error if the snapshot is too old for the index.  If rows had changed within
 * their page before the index was built, the index has entries only for their newest
 * versions, and an older snapshot sees rows that are not in the index.
 */
static void
check_snapshot(CheckState *state)
{
	if (IsolationUsesXactSnapshot() && state->index->rd_index->indcheckxmin &&
		!TransactionIdPrecedes(HeapTupleHeaderGetXmin(state->index->rd_indextuple->t_data),
							   state->snapshot->xmin))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("index \"%s\" is newer than the snapshot of this transaction",
						RelationGetRelationName(state->index)),
				 errhint("Check it in a new transaction.")));
}

Datum
bitblock_check(PG_FUNCTION_ARGS)
{
	Oid			index_oid = PG_GETARG_OID(0);
	bool		heapallindexed = PG_GETARG_BOOL(1);
	LOCKMODE	lockmode = RecoveryInProgress() ? AccessShareLock : ShareLock;
	CheckState	state = {0};

	state.index = bb_open(index_oid, lockmode, &state.heap);
	bb_ahead_init(&state.ahead, state.index, true);
	state.npages = RelationGetNumberOfBlocks(state.index);
	state.heap_pages = RelationGetNumberOfBlocks(state.heap);
	state.seen = MemoryContextAllocExtended(CurrentMemoryContext,
											state.npages * sizeof(bool),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	state.snapshot = RegisterSnapshot(GetTransactionSnapshot());

	state.shape = bb_shape(state.index);
	state.slot = table_slot_create(state.heap, NULL);
	state.fetch = table_index_fetch_begin(state.heap, 0);

	if (heapallindexed)
		check_snapshot(&state);
	for (int tree = 0; tree < bb_trees(state.shape); tree++)
		check_tree(&state, tree);
	check_other_pages(&state);
	check_agreement(&state);
	if (heapallindexed)
	{
		check_heap(&state);
		check_visibility(&state);
	}

	table_index_fetch_end(state.fetch);
	ExecDropSingleTupleTableSlot(state.slot);

	UnregisterSnapshot(state.snapshot);
	bb_close(state.index, state.heap, lockmode);
	PG_RETURN_VOID();
}
