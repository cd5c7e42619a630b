/*-------------------------------------------------------------------------
 *
 * build.c
 *		Building a bitblock index.
 *
 * README.md, "Build", says in which order the trees of each kind of index are built.  This file
 * has the build by one process, build_parallel.c the build by several.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/xloginsert.h"
#include "bitblock.h"
#include "build.h"
#include "build_rowsort.h"
#include "build_sort.h"
#include "build_tree.h"
#include "cache.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

typedef struct BuildState
{
	BBShape		shape;
	BBSort	   *sort;			/* narrow fingerprints without tags */
	BBRowSort  *row_sort;		/* rows with tags */
	BBRowSort  *null_sort;		/* those without a fingerprint */
	BBTreeBuilder rows;			/* row tree of wide fingerprints, or of rows
								 * with tags */
	BBTreeBuilder nulls;		/* tree of rows without a fingerprint */
	int64		ntuples;		/* rows with a fingerprint */
	int64		nnulls;			/* rows without one */
} BuildState;

/* Write an empty index to a fork that has no pages yet. */
static void
write_reserved_pages(Relation index, BBShape shape, ForkNumber fork, bool log)
{
	for (BlockNumber blkno = 0; blkno < bb_reserved_pages(shape); blkno++)
	{
		Buffer		buffer = extend_relation_locked(index, fork);

		if (BufferGetBlockNumber(buffer) != blkno)
			elog(ERROR, "index \"%s\" already contains data",
				 RelationGetRelationName(index));
		START_CRIT_SECTION();
		bb_reserved_page_init(BufferGetPage(buffer), shape, blkno);
		MarkBufferDirty(buffer);
		if (log)
			log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
		UnlockReleaseBuffer(buffer);
	}
}

/* Put a row into its tree, or into the sort for it. */
static void
take_row(void *arg, const BBRow *row)
{
	BuildState *state = arg;
	BBShape		shape = state->shape;

	if (row->isnull)
		state->nnulls++;
	else
		state->ntuples++;
	if (bb_is_tagged(shape))
		bb_row_sort_put(row->isnull ? state->null_sort : state->row_sort, row);
	else if (row->isnull || bb_is_wide(shape))
		bb_tree_add(row->isnull ? &state->nulls : &state->rows,
					bb_row_key(BB_NO_TAG, &row->tid), row->fp);
	else
		bb_sort_put(state->sort, bb_window(shape, row->fp, 0), &row->tid);
}

/* Report that the build writes its next window tree, after done_trees other ones. */
static void
report_tree(int done_trees, int64 ntuples)
{
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_TREES + done_trees);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, ntuples);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, 0);
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
		BBTreeBuilder tree;
		BBBuildProgress progress = {0};

		if (block == BB_WINDOW_BLOCKS - 1)
			bb_sort_first(state->sort, block, block - 1);
		else
			bb_sort_by_block(state->sort, block, block - 1);
		report_tree(BB_WINDOW_BLOCKS - 1 - block, state->ntuples);
		bb_tree_begin(&tree, index, state->shape, block);
		bb_tree_add_sorted(&tree, BB_NO_TAG, state->sort, &progress);
		bb_tree_finish(&tree);
	}
	bb_sort_end(state->sort);
}

/* Finish the row tree, and write the other window trees from it. */
static void
write_window_trees(Relation index, BuildState *state)
{
	BBShape		shape = state->shape;
	int			first = bb_is_wide(shape) ? 0 : bb_row_tree(shape) + 1;
	BBRowPart	rows = {bb_first_leaf(shape, bb_row_tree(shape)), 0, state->ntuples};
	BBSort	   *sort = bb_sort_begin(maintenance_work_mem);

	bb_tree_finish(&state->rows);
	for (int block = first; block < shape.blocks && state->ntuples > 0; block++)
	{
		BBTreeBuilder tree;
		BBBuildProgress progress = {0};

		report_tree(block - first, state->ntuples);
		bb_tree_begin(&tree, index, shape, block);
		bb_tree_add_windows(&tree, rows, sort, &progress);
		bb_tree_finish(&tree);
	}
	bb_sort_end(sort);
}

/* Write the trees of an index that has its reserved pages. */
static void
build_alone(Relation heap, Relation index, struct IndexInfo *info, BBShape shape,
			IndexBuildResult *result)
{
	BuildState *state = palloc0(sizeof(BuildState));
	bool		tagged = bb_is_tagged(shape);
	bool		by_rows = tagged || bb_is_wide(shape);

	state->shape = shape;
	if (tagged)
	{
		state->row_sort = bb_row_sort_begin(shape, bb_row_tree(shape),
											maintenance_work_mem);
		state->null_sort = bb_row_sort_begin(shape, bb_null_tree(shape), work_mem);
	}
	if (by_rows)
		bb_tree_begin(&state->rows, index, shape, bb_row_tree(shape));
	else
		state->sort = bb_sort_begin(maintenance_work_mem);
	bb_tree_begin(&state->nulls, index, shape, bb_null_tree(shape));
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_SCAN);
	result->heap_tuples = bb_scan_rows(heap, index, info, shape, NULL, take_row, state);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_SORT);
	if (tagged)
	{
		bb_tree_add_rows(&state->rows, state->row_sort);
		bb_tree_add_rows(&state->nulls, state->null_sort);
	}
	bb_tree_finish(&state->nulls);
	if (by_rows)
		write_window_trees(index, state);
	else
		write_narrow_trees(index, state);

	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(index), true);
	result->index_tuples = state->ntuples + state->nnulls;
	pfree(state);
}

/* ----------
 * Interface
 * ----------
 */

IndexBuildResult *
bb_build(Relation heap, Relation index, struct IndexInfo *info)
{
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));
	BBShape		shape = bb_shape_to_build(index);

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	write_reserved_pages(index, shape, MAIN_FORKNUM, false);
	if (!bb_build_parallel(heap, index, info, shape, result))
		build_alone(heap, index, info, shape, result);
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
	if (phase == BB_PHASE_SCAN)
		return "scanning table";
	if (phase == BB_PHASE_SORT)
		return "sorting";
	if (phase == BB_PHASE_PARALLEL)
		return "writing trees";
	if (phase >= BB_PHASE_TREES && phase < BB_PHASE_TREES + BB_MAX_BLOCKS)
		return psprintf("writing tree " INT64_FORMAT, phase - BB_PHASE_TREES + 1);
	return NULL;
}
