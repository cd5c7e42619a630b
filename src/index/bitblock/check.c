/*-------------------------------------------------------------------------
 *
 * check.c
 *		bitblock_check(): verification of a bitblock index.
 *
 * bitblock_check() verifies that an index has the form that page.h and tree.c
 * describe.  It locks the table against writing, so that nothing moves
 * meanwhile.  A standby cannot take that lock, and replay may move entries
 * there, so a second call should confirm an error.
 *
 * The check reads each level of each tree from left to right, and compares it
 * with the level above.  Every tree of fingerprints must have the rows of the row tree,
 * each with its window.  The check compares sums of hash values, so it needs no
 * memory for the rows.  Where the sums differ, the check compares the entries.  An entry
 * may be missing from a tree, or may be in one tree only, if an insertion or a VACUUM ended
 * halfway.  In that case the row must be
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
#include "miscadmin.h"
#include "open.h"
#include "row.h"
#include "storage/lmgr.h"
#include "tree.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bitblock_check);

/* The entries of the inner pages of a level, in order */
typedef struct Downlinks
{
	BBKey	   *keys;
	BlockNumber *children;
	int64		n;
	int64		max;
} Downlinks;

typedef struct CheckState
{
	Relation	index;
	BBShape		shape;
	Relation	heap;
	Snapshot	snapshot;
	BlockNumber blocks;
	BlockNumber heap_blocks;
	bool	   *seen;			/* pages that belong to a tree */
	int			tree;

	Downlinks	above;			/* of the level above the one being read */

	/* sums of the hash values of entries, by tree */
	uint64		expected[BB_MAX_BLOCKS];	/* of those that the row tree implies */
	uint64		sums[BB_MAX_BLOCKS];

	/* to visit the table */
	TupleTableSlot *slot;
	IndexFetchTableData *fetch;
} CheckState;

static void
append_downlink(Downlinks *downlinks, BBKey key, BlockNumber child)
{
	if (downlinks->n == downlinks->max)
	{
		downlinks->max = Max(2 * downlinks->max, 1024);
		if (downlinks->keys == NULL)
		{
			downlinks->keys = palloc(downlinks->max * sizeof(BBKey));
			downlinks->children = palloc(downlinks->max * sizeof(BlockNumber));
		}
		else
		{
			downlinks->keys = repalloc_huge(downlinks->keys,
											downlinks->max * sizeof(BBKey));
			downlinks->children = repalloc_huge(downlinks->children,
												downlinks->max * sizeof(BlockNumber));
		}
	}
	downlinks->keys[downlinks->n] = key;
	downlinks->children[downlinks->n] = child;
	downlinks->n++;
}

static void
free_downlinks(Downlinks *downlinks)
{
	if (downlinks->keys != NULL)
	{
		pfree(downlinks->keys);
		pfree(downlinks->children);
	}
}

/* Can the row be seen? */
static bool
is_visible(CheckState *state, uint64 tid_number)
{
	ItemPointerData tid;
	bool		again = false;
	bool		all_dead = false;
	bool		found;

	bb_key_tid((BBKey) {.tid = tid_number}, &tid);
	if (ItemPointerGetBlockNumberNoCheck(&tid) >= state->heap_blocks)
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
hash_of(BBKey key)
{
	return hash_bytes_extended((const unsigned char *) &key, sizeof(key), 0);
}

/* The entry that a row of the row tree implies in a tree */
static BBKey
implied_entry(BBShape shape, Page page, int i, int tree)
{
	BBKey		key = bb_key_at(page, i);

	key.window = bb_window(shape, bb_words_at(page, i), tree);
	return key;
}

static void
check_leaf_entry(CheckState *state, BlockNumber block, Page page, int i)
{
	BBShape		shape = state->shape;
	BBKey		key = bb_key_at(page, i);

	if (!bb_tid_is_valid(&bb_rest(page, i)->tid))
		bb_report_corruption(state->index, block, "entry has an invalid TID");
	if (state->tree == bb_null_tree(shape) &&
		bb_compare_windows(key.window, BB_NULL_WINDOW) != 0)
		bb_report_corruption(state->index, block,
							 "entry of a null value has a fingerprint");
	if (state->tree < shape.blocks)
		state->sums[state->tree] += hash_of(key);
	if (state->tree == bb_row_tree(shape))
		for (int t = 0; t < shape.blocks; t++)
			state->expected[t] += hash_of(implied_entry(shape, page, i, t));
}

/* Check the page on its own; its keys are sorted into "keys" */
static void
check_entries(CheckState *state, BlockNumber block, Page page, BBKey *keys)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);
	PageHeader	header = (PageHeader) page;
	int			n = bb_count(page);

	for (int i = header->pd_lower; i < header->pd_upper; i++)
		if (((char *) page)[i] != 0)
			bb_report_corruption(state->index, block,
								 "free space of page is not zero");
	if (opaque->level > 0 && n == 0)
		bb_report_corruption(state->index, block, "inner page has no entries");

	for (int i = 0; i < n; i++)
		keys[i] = bb_key_at(page, i);
	for (int i = 1; i < opaque->sorted; i++)
		if (bb_compare(keys[i - 1], keys[i]) >= 0)
			bb_report_corruption(state->index, block,
								 "sorted part of leaf is not sorted");
	if (opaque->level > 0)
	{
		if (bb_compare(keys[0], bb_low(page)) != 0)
			bb_report_corruption(state->index, block,
								 "first entry of inner page is not its low key");
	}
	else
		qsort(keys, n, sizeof(BBKey), compare_keys);
	for (int i = 0; i < n; i++)
	{
		if (bb_compare(keys[i], bb_low(page)) < 0 || bb_is_right_of(keys[i], page))
			bb_report_corruption(state->index, block,
								 "entry is outside the range of its page");
		if (i > 0 && bb_compare(keys[i - 1], keys[i]) == 0)
			bb_report_corruption(state->index, block, "duplicate entry");
		if (i > 0 && bb_compare(keys[i - 1], keys[i]) > 0)
			bb_report_corruption(state->index, block,
								 "entries of inner page are not sorted");
	}
}

/* Where a check of a level is, which goes from left to right */
typedef struct LevelCheck
{
	int			level;
	BBKey		low;			/* what the next page's low is to be */
	bool		left_incomplete;	/* is the left neighbour's split incomplete? */
	int64		downlink;		/* next one of the level above */
} LevelCheck;

static void
copy_page(CheckState *state, BlockNumber block, Page copy)
{
	Buffer		buffer;

	if (block >= state->blocks)
		bb_report_corruption(state->index, block, "link beyond the end of the file");
	buffer = bb_read(state->index, block, BUFFER_LOCK_SHARE);
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

/* Check that the page is the next one of the level */
static void
check_place(CheckState *state, const LevelCheck *at, BlockNumber block, Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	if (state->seen[block])
		bb_report_corruption(state->index, block, "two links to the same page");
	state->seen[block] = true;
	if (opaque->flags & BB_DELETED)
		bb_report_corruption(state->index, block, "link to a deleted page");
	if (opaque->tree != state->tree)
		bb_report_corruption(state->index, block, "link to a page of another tree");
	if (opaque->level != at->level)
		bb_report_corruption(state->index, block, "link to a page of another level");
	if (bb_compare(bb_low(page), at->low) != 0)
		bb_report_corruption(state->index, block,
							 "low key of page is not high key of left neighbour");
}

/*
 * Compare a page with the level above: each page has the next downlink, except
 * the right half of an incomplete split.
 */
static void
check_downlink(CheckState *state, LevelCheck *at, BlockNumber block)
{
	const Downlinks *above = &state->above;

	if (at->downlink == above->n || above->children[at->downlink] != block)
	{
		if (!at->left_incomplete)
			bb_report_corruption(state->index, block, "page has no downlink");
		return;
	}
	if (at->left_incomplete)
		bb_report_corruption(state->index, block, "incomplete split has a downlink");
	if (bb_compare(above->keys[at->downlink], at->low) != 0)
		bb_report_corruption(state->index, block,
							 "key of downlink is not low key of page");
	at->downlink++;
}

/*
 * Check one level, beginning with the page "block"; then the state has what
 * its entries say of the level below.
 */
static void
check_level(CheckState *state, BlockNumber block, int level)
{
	BBKey	   *keys = palloc(BB_MAX_ENTRIES * sizeof(BBKey));
	Page		page = palloc(BLCKSZ);
	Downlinks	below = {0};
	LevelCheck	at = {0};
	bool		is_root = state->above.n == 0;

	at.level = level;
	at.low = bb_lowest_key();
	while (block != InvalidBlockNumber)
	{
		CHECK_FOR_INTERRUPTS();
		copy_page(state, block, page);
		check_place(state, &at, block, page);
		if (!is_root)
			check_downlink(state, &at, block);
		check_entries(state, block, page, keys);
		for (int i = 0; i < bb_count(page); i++)
		{
			if (level == 0)
				check_leaf_entry(state, block, page, i);
			else
				append_downlink(&below, keys[i], bb_child(page, i));
		}

		at.left_incomplete =
			(BBPageGetOpaque(page)->flags & BB_INCOMPLETE_SPLIT) != 0;
		if (at.left_incomplete && bb_is_rightmost(page))
			bb_report_corruption(state->index, block,
								 "incomplete split has no right neighbour");
		at.low = bb_high(page);
		block = BBPageGetOpaque(page)->right;
	}
	if (at.downlink < state->above.n)
		bb_report_corruption(state->index, state->above.children[at.downlink],
							 "downlink to a page that is not on the level below");

	free_downlinks(&state->above);
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
		check_level(state, level == height ? BB_ROOT(tree) : state->above.children[0],
					level);
}

/* What belongs to no tree must be free. */
static void
check_other_pages(CheckState *state)
{
	for (BlockNumber block = BB_METAPAGE + 1; block < state->blocks; block++)
	{
		Buffer		buffer;
		Page		page;

		CHECK_FOR_INTERRUPTS();
		if (state->seen[block])
			continue;
		buffer = ReadBuffer(state->index, block);
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		page = BufferGetPage(buffer);
		if (!PageIsNew(page))
		{
			bb_check_buffer(state->index, buffer);
			if (!(BBPageGetOpaque(page)->flags & BB_DELETED))
				bb_report_corruption(state->index, block,
									 "page belongs to no tree and is not deleted");
		}
		UnlockReleaseBuffer(buffer);
	}
}

/* ----------
 * Rows
 * ----------
 */

/* "detail" is a sentence with the place of the row, block and offset. */
static void
report_row(CheckState *state, uint64 tid_number, const char *detail)
{
	ItemPointerData tid;

	bb_key_tid((BBKey) {.tid = tid_number}, &tid);
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" does not match its table",
					RelationGetRelationName(state->index)),
			 errdetail_internal(detail, ItemPointerGetBlockNumberNoCheck(&tid),
								ItemPointerGetOffsetNumberNoCheck(&tid)),
			 errhint("Please REINDEX it.")));
}

/* Call a function for each leaf of a tree, from left to right; its page is a copy. */
static void
visit_leaves(CheckState *state, int tree,
			 void (*visit) (CheckState *state, Page page, void *arg), void *arg)
{
	BlockNumber block = bb_first_leaf(state->shape, tree);
	Page		page = palloc(BLCKSZ);

	while (block != InvalidBlockNumber)
	{
		CHECK_FOR_INTERRUPTS();
		copy_page(state, block, page);
		visit(state, page, arg);
		block = BBPageGetOpaque(page)->right;
	}
	pfree(page);
}

/* Entries of a tree, in no order until they are sorted */
typedef struct EntryList
{
	int			tree;			/* the entries implied in that tree, or -1 */
	int64		n;
	int64		max;
	BBKey	   *keys;
} EntryList;

/* Append the entries of a leaf to the EntryList arg */
static void
list_entries(CheckState *state, Page page, void *arg)
{
	EntryList  *list = arg;
	int			n = bb_count(page);

	while (list->n + n > list->max)
	{
		list->max = Max(2 * list->max, 1024);
		list->keys = list->keys == NULL ? palloc(list->max * sizeof(BBKey)) :
			repalloc_huge(list->keys, list->max * sizeof(BBKey));
	}
	for (int i = 0; i < n; i++)
		list->keys[list->n++] = list->tree < 0 ? bb_key_at(page, i) :
			implied_entry(state->shape, page, i, list->tree);
}

static EntryList
sorted_entries(CheckState *state, int tree, int implied_tree)
{
	EntryList	list = {.tree = implied_tree};

	visit_leaves(state, tree, list_entries, &list);
	if (list.n > 0)
		qsort(list.keys, list.n, sizeof(BBKey), compare_keys);
	return list;
}

/*
 * Compare a tree with the row tree, entry by entry.  An entry that only one of them has
 * must be of a row that nobody can see.
 */
static void
compare_entries(CheckState *state, int tree)
{
	EntryList	rows = sorted_entries(state, bb_row_tree(state->shape), tree);
	EntryList	entries = sorted_entries(state, tree, -1);
	int64		i = 0;
	int64		j = 0;

	while (i < rows.n || j < entries.n)
	{
		int			order = i == rows.n ? 1 : j == entries.n ? -1 :
			bb_compare(rows.keys[i], entries.keys[j]);

		CHECK_FOR_INTERRUPTS();
		if (order < 0 && is_visible(state, rows.keys[i].tid))
			report_row(state, rows.keys[i].tid,
					   "The row at (%u,%u) is missing from at least one tree.");
		if (order > 0 && is_visible(state, entries.keys[j].tid))
			report_row(state, entries.keys[j].tid,
					   "The row at (%u,%u) is in a tree, but not in the row tree.");
		i += order <= 0;
		j += order >= 0;
	}
	if (rows.keys != NULL)
		pfree(rows.keys);
	if (entries.keys != NULL)
		pfree(entries.keys);
}

/* Every tree must have the rows of the row tree. */
static void
check_agreement(CheckState *state)
{
	for (int t = 0; t < state->shape.blocks; t++)
		if (state->sums[t] != state->expected[t])
			compare_entries(state, t);
}

static void
row_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			 bool tuple_is_alive, void *arg)
{
	CheckState *state = arg;
	BBShape		shape = state->shape;

	if (isnull[0])
	{
		if (!bb_has_entry(index, bb_null_tree(shape), bb_key(BB_NULL_WINDOW, tid)))
			report_row(state, bb_tid_number(tid),
					   "The row at (%u,%u) is missing from the tree of rows without a fingerprint.");
	}
	else
	{
		uint64		fp[BB_MAX_WORDS];

		bb_value_fp(shape, values[0], fp);
		if (!bb_has_row(index, shape, tid, fp))
			report_row(state, bb_tid_number(tid),
					   "The row at (%u,%u) is missing from the row tree.");
	}
}

/*
 * Every row that can be seen is to be in the index.  The index may be of an
 * expression, or partial: its owner's functions run with his rights, as they do
 * when the index is built, and leave no setting behind.
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

	/* as a concurrent build does it: what the snapshot sees, no more */
	info->ii_Unique = false;
	info->ii_ExclusionOps = NULL;
	info->ii_ExclusionProcs = NULL;
	info->ii_ExclusionStrats = NULL;
	info->ii_Concurrent = true;
	table_index_build_scan(state->heap, state->index, info, true, false,
						   row_callback, state, scan);

	AtEOXact_GUC(false, nesting);
	SetUserIdAndSecContext(caller, caller_context);
}

/*
 * Where a page of the table is all-visible, index-only scans believe that entries are of
 * rows.  VACUUM removes the entries first.  Replay may be between the two while we look.
 */
static void
check_rows_of(CheckState *state, Page page, void *arg)
{
	Buffer	   *map = arg;
	int			n = bb_count(page);

	for (int i = 0; i < n; i++)
	{
		uint64		tid = bb_key_at(page, i).tid;
		BlockNumber block = (BlockNumber) (tid >> 16);

		CHECK_FOR_INTERRUPTS();
		if (block < state->heap_blocks && VM_ALL_VISIBLE(state->heap, block, map) &&
			!is_visible(state, tid))
			report_row(state, tid,
					   "The index has an entry of the row at (%u,%u), which is gone from a page that is all-visible.");
	}
}

static void
check_visibility(CheckState *state)
{
	Buffer		map = InvalidBuffer;

	if (RecoveryInProgress())
		return;
	visit_leaves(state, bb_row_tree(state->shape), check_rows_of, &map);
	visit_leaves(state, bb_null_tree(state->shape), check_rows_of, &map);
	if (BufferIsValid(map))
		ReleaseBuffer(map);
}

/*
 * An index that was built when rows had changed within their page has entries for
 * the newest versions only: an older snapshot sees rows that are not in it.
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
	state.blocks = RelationGetNumberOfBlocks(state.index);
	state.heap_blocks = RelationGetNumberOfBlocks(state.heap);
	state.seen = MemoryContextAllocExtended(CurrentMemoryContext,
											state.blocks * sizeof(bool),
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
