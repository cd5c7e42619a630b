/*-------------------------------------------------------------------------
 *
 * build.c
 *		Building a bitblock index.
 *
 * README.md, "Build", says in which order the trees of each kind of index are built.
 *
 * The build writes each tree from its leaves up, with pages as full as the
 * fillfactor allows.  Pages go through shared buffers without WAL; at the end
 * the build logs all pages.  No other session sees the index before that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "bitblock.h"
#include "buffer.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "options.h"
#include "page.h"
#include "pgstat.h"
#include "rowsort.h"
#include "sort.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "value.h"

/* Phases in pg_stat_progress_create_index; phase 1 is PostgreSQL's own */
#define PHASE_SCAN				2
#define PHASE_SORT				3
#define PHASE_TREES				4	/* first of the window trees' phases */

/* The page that is being filled on one level of a tree */
typedef struct BuildLevel
{
	char	   *page;
	BlockNumber block;			/* Invalid while it is the only page of an
								 * inner level */
} BuildLevel;

/* A tree that is being written */
typedef struct TreeBuilder
{
	Relation	index;
	BBShape		shape;
	int			tree;
	int			fillfactor;
	int			height;			/* number of levels so far */
	BuildLevel	levels[BB_MAX_LEVEL + 1];
} TreeBuilder;

/*
 * Rows of one heap page, in the order of TIDs.  The heap scan does not return them in that
 * order.
 */
typedef struct PendingRows
{
	int			n;
	BBMatch    *rows;			/* room for MaxHeapTuplesPerPage */
} PendingRows;

typedef struct BuildState
{
	BBShape		shape;
	BBSort	   *sort;			/* narrow fingerprints without tags */
	BBRowSort  *row_sort;		/* rows with tags */
	BBRowSort  *null_sort;		/* those without a fingerprint */
	MemoryContext row_context;	/* reset after each row, because users may
								 * have written the hash functions */
	TreeBuilder rows;			/* row tree of wide fingerprints, or of rows
								 * with tags */
	TreeBuilder nulls;			/* tree of rows without a fingerprint */
	int64		ntuples;		/* rows with a fingerprint */
	int64		nnulls;			/* rows without one */
	PendingRows pending;
	PendingRows null_pending;
} BuildState;

static void
write_page(Relation index, BlockNumber block, const char *image)
{
	Buffer		buffer = ReadBuffer(index, block);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	START_CRIT_SECTION();
	memcpy(BufferGetPage(buffer), image, BLCKSZ);
	MarkBufferDirty(buffer);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}

/* Add an empty page to the index. */
static BlockNumber
extend_index(Relation index)
{
	Buffer		buffer = extend_relation_locked(index, MAIN_FORKNUM);
	BlockNumber block = BufferGetBlockNumber(buffer);

	UnlockReleaseBuffer(buffer);
	return block;
}

static void
start_tree(TreeBuilder *tree, Relation index, BBShape shape, int number)
{
	tree->index = index;
	tree->shape = shape;
	tree->tree = number;
	tree->fillfactor = bb_fillfactor(index);
	tree->height = 0;
}

static void add_entry(TreeBuilder *tree, int level, BBKey key, BlockNumber child);

/*
 * The page of a level for the next entry.  The entry's key is above all keys of the tree.
 * If the present page is full, the function writes it and begins another page.
 */
static Page
page_for(TreeBuilder *tree, int level, BBKey key)
{
	BuildLevel *at = &tree->levels[level];

	if (level == tree->height)
	{
		if (level > BB_MAX_LEVEL)
			elog(ERROR, "index \"%s\" cannot grow any higher",
				 RelationGetRelationName(tree->index));
		at->page = palloc(BLCKSZ);
		at->block = level == 0 ? bb_first_leaf(tree->shape, tree->tree) :
			InvalidBlockNumber;
		bb_page_init((Page) at->page, tree->shape, tree->tree, level);
		tree->height++;
	}
	else if (bb_count((Page) at->page) >=
			 Max(bb_capacity((Page) at->page) * tree->fillfactor / 100, 2))
	{
		BlockNumber next;

		CHECK_FOR_INTERRUPTS();
		if (at->block == InvalidBlockNumber)
			at->block = extend_index(tree->index);
		next = extend_index(tree->index);
		bb_set_right((Page) at->page, key, next);
		bb_note_sorted((Page) at->page);
		write_page(tree->index, at->block, at->page);
		add_entry(tree, level + 1, bb_low((Page) at->page), at->block);

		bb_page_init((Page) at->page, tree->shape, tree->tree, level);
		bb_set_low((Page) at->page, key);
		at->block = next;
	}
	return (Page) at->page;
}

/* Add an entry of one word to a level of a tree, in ascending order. */
static void
add_entry(TreeBuilder *tree, int level, BBKey key, BlockNumber child)
{
	bb_append(page_for(tree, level, key), key, child);
}

/* Add a row with a wide fingerprint to the row tree, in ascending order. */
static void
add_row(TreeBuilder *tree, BBKey key, const uint64 *fp)
{
	bb_append_row(page_for(tree, 0, key), key, fp);
}

/*
 * Write the last page of each level.  The only page of the highest level becomes the root.
 * If the tree has no entries, write_reserved_pages has already written it.
 */
static void
finish_tree(TreeBuilder *tree)
{
	for (int level = 0; level < tree->height; level++)
	{
		BuildLevel *at = &tree->levels[level];

		bb_note_sorted((Page) at->page);
		if (at->block == InvalidBlockNumber)
			write_page(tree->index, BB_ROOT(tree->tree), at->page);
		else
		{
			write_page(tree->index, at->block, at->page);
			add_entry(tree, level + 1, bb_low((Page) at->page), at->block);
		}
		pfree(at->page);
	}
}

/* Write an empty index to a fork that has no pages yet. */
static void
write_reserved_pages(Relation index, BBShape shape, ForkNumber fork, bool log)
{
	for (BlockNumber block = 0; block < bb_reserved_pages(shape); block++)
	{
		Buffer		buffer = extend_relation_locked(index, fork);

		if (BufferGetBlockNumber(buffer) != block)
			elog(ERROR, "index \"%s\" already contains data",
				 RelationGetRelationName(index));
		START_CRIT_SECTION();
		bb_reserved_page_init(BufferGetPage(buffer), shape, block);
		MarkBufferDirty(buffer);
		if (log)
			log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
		UnlockReleaseBuffer(buffer);
	}
}

/* ----------
 * Reading the heap
 * ----------
 */

static void
init_pending(BBShape shape, PendingRows *pending)
{
	pending->n = 0;
	pending->rows = palloc(MaxHeapTuplesPerPage * bb_match_size(shape));
}

/*
 * Make room for a row among the pending rows; the caller fills in the fingerprint.  The heap
 * scan reads the pages in their order, but within a page it may return the root of a HOT
 * chain after a higher TID.
 */
static BBMatch *
place_for(BBShape shape, PendingRows *pending, ItemPointer tid)
{
	Size		size = bb_match_size(shape);
	int			i = pending->n++;

	while (i > 0 &&
		   bb_tid_number(&bb_match_at(shape, pending->rows, i - 1)->tid) >
		   bb_tid_number(tid))
	{
		memcpy(bb_match_at(shape, pending->rows, i),
			   bb_match_at(shape, pending->rows, i - 1), size);
		i--;
	}
	bb_match_at(shape, pending->rows, i)->tid = *tid;
	return bb_match_at(shape, pending->rows, i);
}

/* Pass the pending rows on to the trees or to the sort. */
static void
flush_pending(BuildState *state)
{
	BBShape		shape = state->shape;

	for (int i = 0; i < state->pending.n; i++)
	{
		BBMatch    *row = bb_match_at(shape, state->pending.rows, i);

		if (bb_is_wide(shape))
			add_row(&state->rows, bb_row_key(BB_NO_TAG, &row->tid), row->fp);
		else
			bb_sort_put(state->sort, bb_window(shape, row->fp, 0), &row->tid);
	}
	state->pending.n = 0;
	for (int i = 0; i < state->null_pending.n; i++)
		add_entry(&state->nulls, 0,
				  bb_row_key(BB_NO_TAG,
							 &bb_match_at(shape, state->null_pending.rows, i)->tid),
				  InvalidBlockNumber);
	state->null_pending.n = 0;
}

/* Is the row on another heap page than the pending rows, or is there no room for it? */
static bool
is_other_page(const PendingRows *pending, ItemPointer tid)
{
	return pending->n == MaxHeapTuplesPerPage ||
		(pending->n > 0 && ItemPointerGetBlockNumber(&pending->rows[0].tid) !=
		 ItemPointerGetBlockNumber(tid));
}

/* Put a row of an index with leading columns into the sort of its tree. */
static void
tagged_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
				bool tuple_is_alive, void *arg)
{
	BuildState *state = arg;
	BBShape		shape = state->shape;
	MemoryContext old = MemoryContextSwitchTo(state->row_context);
	uint32		tag = bb_row_tag(index, shape, values, isnull);
	uint64		fp[BB_MAX_WORDS];

	if (isnull[shape.leading])
	{
		bb_row_sort_put(state->null_sort, tag, tid, NULL);
		state->nnulls++;
	}
	else
	{
		bb_value_fp(shape, values[shape.leading], fp);
		bb_row_sort_put(state->row_sort, tag, tid, fp);
		state->ntuples++;
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->row_context);
}

static void
build_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			   bool tuple_is_alive, void *arg)
{
	BuildState *state = arg;

	if (is_other_page(&state->pending, tid) || is_other_page(&state->null_pending, tid))
		flush_pending(state);
	if (isnull[0])
	{
		place_for(state->shape, &state->null_pending, tid);
		state->nnulls++;
	}
	else
	{
		bb_value_fp(state->shape, values[0],
					place_for(state->shape, &state->pending, tid)->fp);
		state->ntuples++;
	}
}

/* The search for the first row with a fingerprint */
typedef struct FirstRow
{
	Relation	heap;
	Relation	index;
	struct IndexInfo *info;
	BBShape		shape;
	int			bits;			/* of its fingerprint; 0: there is none yet */
} FirstRow;

static void
first_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			   bool tuple_is_alive, void *arg)
{
	FirstRow   *first = arg;

	if (first->bits == 0 && !isnull[first->shape.leading])
		first->bits = bb_value_bits(first->shape, values[first->shape.leading]);
}

/*
 * The number of bits of the first fingerprint in the table; 0 if there is none.  The search reads
 * more and more pages at a time, because a scan cannot end before its last page.
 */
static int
first_bits(BBShape shape, void *arg)
{
	FirstRow   *first = arg;
	BlockNumber blocks = RelationGetNumberOfBlocks(first->heap);
	BlockNumber done = 0;
	BlockNumber step = 1;

	first->shape = shape;
	while (first->bits == 0 && done < blocks)
	{
		step = Min(step, blocks - done);
		table_index_build_range_scan(first->heap, first->index, first->info, false, false, false,
									 done, step, first_callback, first, NULL);
		done += step;
		step = step <= blocks / 2 ? 2 * step : blocks;
	}
	return first->bits;
}

/* ----------
 * Writing the trees
 * ----------
 */

/* Report that the build writes its next window tree, after done_trees other ones. */
static void
report_tree(int done_trees, int64 ntuples)
{
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PHASE_TREES + done_trees);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, ntuples);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, 0);
}

/* Add all entries of a sort, which have that tag.  *done counts entries for the report. */
static void
add_sorted(TreeBuilder *tree, uint32 tag, BBSort *sort, int64 *done)
{
	BBEntry		entry;

	while (bb_sort_next(sort, &entry))
	{
		add_entry(tree, 0, bb_key(tag, entry.window, &entry.tid), InvalidBlockNumber);
		if ((++*done & 0xffff) == 0)
			pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, *done);
	}
}

/*
 * Write the trees of narrow fingerprints without tags.  Each sort uses the order of the tree
 * before.
 */
static void
write_narrow_trees(Relation index, BuildState *state)
{
	for (int block = BB_WINDOW_BLOCKS - 1; block >= 0 && state->ntuples > 0; block--)
	{
		TreeBuilder tree;
		int64		done = 0;

		if (block == BB_WINDOW_BLOCKS - 1)
			bb_sort_first(state->sort, block, block - 1);
		else
			bb_sort_by_block(state->sort, block, block - 1);
		report_tree(BB_WINDOW_BLOCKS - 1 - block, state->ntuples);
		start_tree(&tree, index, state->shape, block);
		add_sorted(&tree, BB_NO_TAG, state->sort, &done);
		finish_tree(&tree);
	}
	bb_sort_end(state->sort);
}

/* Write the row tree, and the tree of rows without a fingerprint, from the sorted rows. */
static void
write_sorted_rows(BuildState *state)
{
	BBShape		shape = state->shape;
	BBKey		key;
	uint64		fp[BB_MAX_WORDS];

	bb_row_sort_perform(state->row_sort);
	while (bb_row_sort_next(state->row_sort, &key, fp))
	{
		if (bb_is_wide(shape))
			add_row(&state->rows, key, fp);
		else
			add_entry(&state->rows, 0, key, InvalidBlockNumber);
	}
	bb_row_sort_end(state->row_sort);
	bb_row_sort_perform(state->null_sort);
	while (bb_row_sort_next(state->null_sort, &key, fp))
		add_entry(&state->nulls, 0, key, InvalidBlockNumber);
	bb_row_sort_end(state->null_sort);
}

/*
 * Write window tree "block" from the row tree, which has been written.  The build needs no
 * page locks, because no other session sees the index.
 */
static void
write_window_tree(Relation index, BBShape shape, int block, BBSort *sort)
{
	BlockNumber next = bb_first_leaf(shape, bb_row_tree(shape));
	uint32		tag = BB_NO_TAG;	/* of the entries in the sort */
	int64		done = 0;
	TreeBuilder tree;

	start_tree(&tree, index, shape, block);
	while (next != InvalidBlockNumber)
	{
		Buffer		buffer = ReadBuffer(index, next);
		Page		page = BufferGetPage(buffer);
		int			n = bb_count(page);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
		{
			if (bb_tag_at(page, i) != tag)
			{
				bb_sort_first(sort, 0, -1);
				add_sorted(&tree, tag, sort, &done);
				bb_sort_reset(sort);
				tag = bb_tag_at(page, i);
			}
			bb_sort_put(sort, bb_window(shape, bb_words_at(page, i), block),
						&bb_rest(page, i)->tid);
		}
		next = BBPageGetOpaque(page)->right;
		ReleaseBuffer(buffer);
	}
	bb_sort_first(sort, 0, -1);
	add_sorted(&tree, tag, sort, &done);
	bb_sort_reset(sort);
	finish_tree(&tree);
}

/* Finish the row tree, and write the other window trees from it. */
static void
write_window_trees(Relation index, BuildState *state)
{
	BBShape		shape = state->shape;
	int			first = bb_is_wide(shape) ? 0 : bb_row_tree(shape) + 1;
	BBSort	   *sort = bb_sort_begin(maintenance_work_mem);

	finish_tree(&state->rows);
	for (int block = first; block < shape.blocks && state->ntuples > 0; block++)
	{
		report_tree(block - first, state->ntuples);
		write_window_tree(index, shape, block, sort);
	}
	bb_sort_end(sort);
}

/* ----------
 * Interface
 * ----------
 */

IndexBuildResult *
bb_build(Relation heap, Relation index, struct IndexInfo *info)
{
	BuildState *state = palloc0(sizeof(BuildState));
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));
	FirstRow	first = {heap, index, info};
	BBShape		shape = bb_shape_to_build(index, first_bits, &first);
	bool		tagged = bb_is_tagged(shape);
	bool		by_rows = tagged || bb_is_wide(shape);

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	write_reserved_pages(index, shape, MAIN_FORKNUM, false);

	state->shape = shape;
	if (tagged)
	{
		state->row_sort = bb_row_sort_begin(shape, bb_row_tree(shape),
											maintenance_work_mem);
		state->null_sort = bb_row_sort_begin(shape, bb_null_tree(shape), work_mem);
		state->row_context = AllocSetContextCreate(CurrentMemoryContext,
												   "bitblock build of a row",
												   ALLOCSET_SMALL_SIZES);
	}
	else
	{
		init_pending(shape, &state->pending);
		init_pending(shape, &state->null_pending);
	}
	if (by_rows)
		start_tree(&state->rows, index, shape, bb_row_tree(shape));
	else
		state->sort = bb_sort_begin(maintenance_work_mem);
	start_tree(&state->nulls, index, shape, bb_null_tree(shape));
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PHASE_SCAN);

	/*
	 * not a synchronized scan, because that may begin in the middle of the
	 * heap
	 */
	result->heap_tuples = table_index_build_scan(heap, index, info, false, true,
												 tagged ? tagged_callback : build_callback,
												 state, NULL);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PHASE_SORT);
	if (tagged)
		write_sorted_rows(state);
	else
		flush_pending(state);
	finish_tree(&state->nulls);
	if (by_rows)
		write_window_trees(index, state);
	else
		write_narrow_trees(index, state);

	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(index), true);

	result->index_tuples = state->ntuples + state->nnulls;
	if (tagged)
		MemoryContextDelete(state->row_context);
	else
	{
		pfree(state->pending.rows);
		pfree(state->null_pending.rows);
	}
	pfree(state);
	return result;
}

/*
 * Write the init fork of an unlogged table's index: an empty index.  bb_build has already written
 * the index itself.
 */
void
bb_buildempty(Relation index)
{
	write_reserved_pages(index, bb_shape(index), INIT_FORKNUM, true);
}

char *
bb_buildphasename(int64 phase)
{
	if (phase == PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE)
		return "initializing";
	if (phase == PHASE_SCAN)
		return "scanning table";
	if (phase == PHASE_SORT)
		return "sorting";
	if (phase >= PHASE_TREES && phase < PHASE_TREES + BB_MAX_BLOCKS)
		return psprintf("writing tree " INT64_FORMAT, phase - PHASE_TREES + 1);
	return NULL;
}
