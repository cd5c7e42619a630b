/*-------------------------------------------------------------------------
 *
 * build.c
 *		Building a bitblock index.
 *
 * The build reads the heap once.  sort.c then yields the entries in the order
 * of one tree after the other.  The build writes each tree from its leaves
 * up, with pages as full as the fillfactor allows.  Pages go through shared
 * buffers without WAL; at the end the build logs all pages.  No other session
 * sees the index before that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "bitblock.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "sort.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

/* Phases in pg_stat_progress_create_index; the first is PostgreSQL's own */
#define PHASE_SCAN				2
#define PHASE_NULLS				3
#define PHASE_TREES				4	/* and following, one for each tree */

/* The page that is being filled on one level of a tree */
typedef struct BuildLevel
{
	char	   *page;
	BlockNumber block;			/* Invalid while it is the only one of the
								 * level */
} BuildLevel;

/* A tree that is being written */
typedef struct TreeBuilder
{
	Relation	index;
	int			tree;
	int			fillfactor;
	int			height;
	BuildLevel	levels[BB_MAX_LEVEL + 1];
} TreeBuilder;

typedef struct BuildState
{
	BBSort	   *sort;
	int64		ntuples;
	int64		nnulls;

	/* the entries of one heap page, to be put in the order of TIDs */
	BBEntry		pending[MaxHeapTuplesPerPage];
	int			npending;

	TreeBuilder nulls;
	BBEntry		null_pending[MaxHeapTuplesPerPage];
	int			nnull_pending;
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

static BlockNumber
extend_index(Relation index)
{
	Buffer		buffer = extend_relation_locked(index, MAIN_FORKNUM);
	BlockNumber block = BufferGetBlockNumber(buffer);

	UnlockReleaseBuffer(buffer);
	return block;
}

static void
start_tree(TreeBuilder *tree, Relation index, int number)
{
	BBOptions  *options = (BBOptions *) index->rd_options;

	tree->index = index;
	tree->tree = number;
	tree->fillfactor = options != NULL ? options->fillfactor : BB_DEFAULT_FILLFACTOR;
	tree->height = 0;
}

/*
 * Add an entry to a level of a tree, in ascending order.
 */
static void
add_entry(TreeBuilder *tree, int level, BBKey key, BlockNumber child)
{
	BuildLevel *at = &tree->levels[level];
	int			limit = Max(bb_capacity(level) * tree->fillfactor / 100, 2);

	if (level == tree->height)
	{
		if (level > BB_MAX_LEVEL)
			elog(ERROR, "index \"%s\" cannot grow any higher",
				 RelationGetRelationName(tree->index));
		at->page = palloc(BLCKSZ);
		at->block = level == 0 ? BB_FIRST_LEAF(tree->tree) : InvalidBlockNumber;
		bb_page_init((Page) at->page, tree->tree, level);
		tree->height++;
	}
	else if (bb_count((Page) at->page) >= limit)
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

		bb_page_init((Page) at->page, tree->tree, level);
		bb_set_low((Page) at->page, key);
		at->block = next;
	}
	bb_append((Page) at->page, key, child);
}

/*
 * Write the last page of each level; the only one of the highest is the root.
 * A tree without entries is there already.
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

/* An empty index, in a fork that has no pages yet */
static void
write_reserved_pages(Relation index, ForkNumber fork, bool log)
{
	for (BlockNumber block = 0; block < BB_RESERVED_PAGES; block++)
	{
		Buffer		buffer = extend_relation_locked(index, fork);

		if (BufferGetBlockNumber(buffer) != block)
			elog(ERROR, "index \"%s\" already contains data",
				 RelationGetRelationName(index));
		START_CRIT_SECTION();
		bb_reserved_page_init(BufferGetPage(buffer), block);
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

/*
 * The heap scan goes from page to page upwards, but in a page may return the
 * root of a HOT chain after a higher TID.
 */
static void
put_in_order(BBEntry *pending, int *n, BBEntry entry)
{
	int			i = (*n)++;

	while (i > 0 && bb_tid_number(&pending[i - 1].tid) > bb_tid_number(&entry.tid))
	{
		pending[i] = pending[i - 1];
		i--;
	}
	pending[i] = entry;
}

static void
flush_pending(BuildState *state)
{
	for (int i = 0; i < state->npending; i++)
		bb_sort_put(state->sort, state->pending[i].fp, &state->pending[i].tid);
	state->npending = 0;
	for (int i = 0; i < state->nnull_pending; i++)
		add_entry(&state->nulls, 0, bb_key(0, &state->null_pending[i].tid),
				  InvalidBlockNumber);
	state->nnull_pending = 0;
}

/* Is entry of another heap page than the pending ones? */
static bool
is_other_page(const BBEntry *pending, int n, const BBEntry *entry)
{
	return n == MaxHeapTuplesPerPage ||
		(n > 0 && ItemPointerGetBlockNumber(&pending[0].tid) !=
		 ItemPointerGetBlockNumber(&entry->tid));
}

static void
build_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			   bool tuple_is_alive, void *arg)
{
	BuildState *state = arg;
	BBEntry		entry;

	entry.tid = *tid;
	entry.fp = isnull[0] ? BB_NULL_FINGERPRINT : bb_value_fp(index, values[0]);
	if (is_other_page(state->pending, state->npending, &entry) ||
		is_other_page(state->null_pending, state->nnull_pending, &entry))
		flush_pending(state);
	if (isnull[0])
	{
		put_in_order(state->null_pending, &state->nnull_pending, entry);
		state->nnulls++;
	}
	else
	{
		put_in_order(state->pending, &state->npending, entry);
		state->ntuples++;
	}
}

/* ----------
 * Interface
 * ----------
 */

static void
write_tree(Relation index, BBSort *sort, int number, int64 ntuples)
{
	TreeBuilder tree;
	BBEntry		entry;
	int64		done = 0;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE,
								 PHASE_TREES + (BB_BLOCKS - 1 - number));
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, ntuples);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, 0);

	start_tree(&tree, index, number);
	while (bb_sort_next(sort, &entry))
	{
		add_entry(&tree, 0, bb_key(bb_rotate(entry.fp, number), &entry.tid),
				  InvalidBlockNumber);
		if ((++done & 0xffff) == 0)
			pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, done);
	}
	finish_tree(&tree);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, done);
}

IndexBuildResult *
bb_build(Relation heap, Relation index, struct IndexInfo *info)
{
	BuildState *state = palloc0(sizeof(BuildState));
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	write_reserved_pages(index, MAIN_FORKNUM, false);

	state->sort = bb_sort_begin(maintenance_work_mem);
	start_tree(&state->nulls, index, BB_NULL_TREE);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PHASE_SCAN);
	/* no synchronized scan: it would not begin with the first TIDs */
	result->heap_tuples = table_index_build_scan(heap, index, info, false, true,
												 build_callback, state, NULL);
	flush_pending(state);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PHASE_NULLS);
	finish_tree(&state->nulls);

	for (int block = BB_BLOCKS - 1; block >= 0 && state->ntuples > 0; block--)
	{
		if (block == BB_BLOCKS - 1)
			bb_sort_first(state->sort, block - 1);
		else
			bb_sort_by_block(state->sort, block, block - 1);
		write_tree(index, state->sort, block, state->ntuples);
	}
	bb_sort_end(state->sort);

	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(index), true);

	result->index_tuples = state->ntuples + state->nnulls;
	pfree(state);
	return result;
}

/* The index of an unlogged table, as it is after a crash */
void
bb_buildempty(Relation index)
{
	write_reserved_pages(index, INIT_FORKNUM, true);
}

char *
bb_buildphasename(int64 phase)
{
	if (phase == PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE)
		return "initializing";
	if (phase == PHASE_SCAN)
		return "scanning table";
	if (phase == PHASE_NULLS)
		return "sorting";
	if (phase >= PHASE_TREES && phase < PHASE_TREES + BB_BLOCKS)
		return psprintf("writing tree " INT64_FORMAT " of %d",
						phase - PHASE_TREES + 1, BB_BLOCKS);
	return NULL;
}
