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
 * with the level above.  It keeps the first tree's entries, 16 bytes each, in
 * the order of their TIDs.  The other trees must have the same entries unless
 * an insertion or a VACUUM ended halfway.  In that case the row must be
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
#include "bitblock.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "commands/defrem.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "open.h"
#include "storage/lmgr.h"
#include "tree.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bitblock_check);

/* An entry of the first tree, with the trees that have it as well */
typedef struct KnownEntry
{
	BBFingerprint fp;
	ItemPointerData tid;
	uint16		trees;			/* a bit for each, and HAS_ROW */
} KnownEntry;

#define ALL_TREES				((1 << BB_BLOCKS) - 1)
#define HAS_ROW					(1 << BB_TREES) /* that the snapshot sees */

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
	Relation	heap;
	Snapshot	snapshot;
	BlockNumber blocks;
	BlockNumber heap_blocks;
	bool	   *seen;			/* pages that belong to a tree */
	int			tree;

	Downlinks	above;			/* of the level above the one being read */

	/* entries: the fingerprints', and the TIDs of rows without */
	KnownEntry *known;
	int64		nknown;
	int64		max_known;
	KnownEntry *nulls;
	int64		nnulls;
	int64		max_nulls;
} CheckState;

static void
append_known(KnownEntry **entries, int64 *n, int64 *max, const KnownEntry *entry)
{
	if (*n == *max)
	{
		*max = Max(*max * 2, 1024);
		if (*entries == NULL)
			*entries = palloc(*max * sizeof(KnownEntry));
		else
			*entries = repalloc_huge(*entries, *max * sizeof(KnownEntry));
	}
	(*entries)[(*n)++] = *entry;
}

static int
compare_known(const void *a, const void *b)
{
	uint64		x = bb_tid_number(&((const KnownEntry *) a)->tid);
	uint64		y = bb_tid_number(&((const KnownEntry *) b)->tid);

	CHECK_FOR_INTERRUPTS();
	if (x != y)
		return x < y ? -1 : 1;
	return bb_compare_fps(((const KnownEntry *) a)->fp,
						  ((const KnownEntry *) b)->fp);
}

static KnownEntry *
find_known(KnownEntry *entries, int64 n, BBFingerprint fp, const ItemPointerData *tid)
{
	KnownEntry	key;

	key.fp = fp;
	key.tid = *tid;
	return n == 0 ? NULL : bsearch(&key, entries, n, sizeof(KnownEntry), compare_known);
}

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
is_visible(CheckState *state, const ItemPointerData *tid)
{
	TupleTableSlot *slot;
	IndexFetchTableData *fetch;
	ItemPointerData copy = *tid;
	bool		again = false;
	bool		all_dead = false;
	bool		found;

	if (ItemPointerGetBlockNumberNoCheck(tid) >= state->heap_blocks)
		return false;
	slot = table_slot_create(state->heap, NULL);
	fetch = table_index_fetch_begin(state->heap, 0);
	found = table_index_fetch_tuple(fetch, &copy, state->snapshot, slot, &again,
									&all_dead);
	table_index_fetch_end(fetch);
	ExecDropSingleTupleTableSlot(slot);
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

static void
check_leaf_entry(CheckState *state, BlockNumber block, BBKey key)
{
	KnownEntry	entry;
	KnownEntry *known;

	bb_key_tid(key, &entry.tid);
	if (!bb_tid_is_valid(&entry.tid))
		bb_report_corruption(state->index, block, "entry has an invalid TID");
	entry.trees = 1 << state->tree;
	if (state->tree == BB_NULL_TREE)
	{
		entry.fp = key.fp;
		if (bb_compare_fps(key.fp, BB_NULL_FINGERPRINT) != 0)
			bb_report_corruption(state->index, block,
								 "entry of a null value has a fingerprint");
		append_known(&state->nulls, &state->nnulls, &state->max_nulls, &entry);
		return;
	}
	entry.fp = bb_unrotate(key.fp, state->tree);
	if (state->tree == 0)
	{
		append_known(&state->known, &state->nknown, &state->max_known, &entry);
		return;
	}
	known = find_known(state->known, state->nknown, entry.fp, &entry.tid);
	if (known != NULL)
		known->trees |= entry.trees;
	else if (is_visible(state, &entry.tid))
		bb_report_corruption(state->index, block,
							 "entry of a visible row is missing from the first tree");
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
	BBKey	   *keys = palloc(BB_LEAF_CAPACITY * sizeof(BBKey));
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
				check_leaf_entry(state, block, keys[i]);
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

	if (tree == 0)
		qsort(state->known, state->nknown, sizeof(KnownEntry), compare_known);
	if (tree == BB_NULL_TREE)
		qsort(state->nulls, state->nnulls, sizeof(KnownEntry), compare_known);
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

#define MISSING_FROM_A_TREE \
	"The row at (%u,%u) is missing from at least one tree."

/* "detail" is a sentence with the place of the row, block and offset. */
static void
report_row(CheckState *state, const ItemPointerData *tid, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" does not match its table",
					RelationGetRelationName(state->index)),
			 errdetail_internal(detail, ItemPointerGetBlockNumberNoCheck(tid),
								ItemPointerGetOffsetNumberNoCheck(tid)),
			 errhint("Please REINDEX it.")));
}

/* Entries that are not in all trees must be of rows that nobody can see. */
static void
check_agreement(CheckState *state)
{
	for (int64 i = 0; i < state->nknown; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (state->known[i].trees != ALL_TREES &&
			is_visible(state, &state->known[i].tid))
			report_row(state, &state->known[i].tid, MISSING_FROM_A_TREE);
	}
}

static void
row_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			 bool tuple_is_alive, void *arg)
{
	CheckState *state = arg;
	KnownEntry *known;

	if (isnull[0])
	{
		known = find_known(state->nulls, state->nnulls, BB_NULL_FINGERPRINT, tid);
		if (known == NULL)
			report_row(state, tid,
					   "The row at (%u,%u) is missing from the tree of rows without a fingerprint.");
	}
	else
	{
		known = find_known(state->known, state->nknown,
						   bb_value_fp(index, values[0]), tid);
		if (known == NULL)
			report_row(state, tid, "The row at (%u,%u) is missing from the first tree.");
		if ((known->trees & ALL_TREES) != ALL_TREES)
			report_row(state, tid, MISSING_FROM_A_TREE);
	}
	known->trees |= HAS_ROW;
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
check_rows_of(CheckState *state, const KnownEntry *entries, int64 n)
{
	Buffer		map = InvalidBuffer;

	if (RecoveryInProgress())
		return;
	for (int64 i = 0; i < n; i++)
	{
		BlockNumber block = ItemPointerGetBlockNumberNoCheck(&entries[i].tid);

		CHECK_FOR_INTERRUPTS();
		if (!(entries[i].trees & HAS_ROW) && block < state->heap_blocks &&
			VM_ALL_VISIBLE(state->heap, block, &map) &&
			!is_visible(state, &entries[i].tid))
			report_row(state, &entries[i].tid,
					   "The index has an entry of the row at (%u,%u), which is gone from a page that is all-visible.");
	}
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

	if (heapallindexed)
		check_snapshot(&state);
	for (int tree = 0; tree < BB_TREES; tree++)
		check_tree(&state, tree);
	check_other_pages(&state);
	check_agreement(&state);
	if (heapallindexed)
	{
		check_heap(&state);
		check_rows_of(&state, state.known, state.nknown);
		check_rows_of(&state, state.nulls, state.nnulls);
	}

	UnregisterSnapshot(state.snapshot);
	bb_close(state.index, state.heap, lockmode);
	PG_RETURN_VOID();
}
