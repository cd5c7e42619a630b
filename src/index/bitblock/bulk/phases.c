/*-------------------------------------------------------------------------
 *
 * phases.c
 *		The phases of building a bitblock index, which one process or several go through.
 *
 *		scan		each process reads ranges of the table and writes their rows to temporary
 *					files
 *		extend		one process adds the pages of all trees to the index file
 *		rows		they write the row tree if it is not a window tree, or if rows have
 *					tags, and the tree of rows without a fingerprint
 *		windows		they sort and write the other trees
 *		log			they log all pages
 *
 * Each phase is divided into tasks.  A process repeatedly claims the next task that no
 * process has claimed, and a barrier ends the phase.  A worker that starts late joins the
 * current phase.
 *
 * The index does not depend on the number of processes.  The number of rows is known
 * before the first tree is written, so a layout (tree.c) fixes in advance on which page
 * each entry goes, and processes can write parts of a tree side by side.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/xloginsert.h"
#include "build_state.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "rowsort.h"
#include "server/compat.h"
#include "utils/snapmgr.h"

/* The least number of tasks of window trees for each process */
#define TASKS_OF_PROCESS		2
#define MAX_PARTS				64	/* of a tree */

#define EXTEND_PAGES			128 /* at once */
#define LOG_PAGES				256 /* of a task */

/*
 * The number of parts into which to divide each of "trees" trees, so that all processes
 * have work.
 */
static int
parts_of_tree(const BBBuild *shared, int trees)
{
	int			parts = (TASKS_OF_PROCESS * shared->processes + trees - 1) / trees;

	return shared->processes == 1 ? 1 : Min(parts, MAX_PARTS);
}

/* ----------
 * Reading the table
 * ----------
 */

/*
 * The number of trees whose buckets are counted.  With tags one tree is enough, because
 * all trees have the same buckets.
 */
int
bb_counted_trees(BBShape shape)
{
	return bb_is_tagged(shape) ? 1 : shape.blocks;
}

/* The bucket of a row in a counted tree. */
static inline int
bucket_of(BBShape shape, const BBRow *row, int tree)
{
	return bb_is_tagged(shape) ? row->tag >> (32 - BB_BUCKET_BITS) :
		bb_block(row->fp, tree) >> (BB_BLOCK_BITS - BB_BUCKET_BITS);
}

static void
take_row(void *arg, const BBRow *row)
{
	BBBuildProcess *process = arg;
	BBShape		shape = process->shared->shape;
	int			trees = row->isnull ? 0 : bb_counted_trees(shape);

	bb_shared_rows_put(process->rows, row);
	for (int tree = 0; tree < trees; tree++)
		process->counts[tree][bucket_of(shape, row, tree)]++;
}

/*
 * Scan one range of the table, and write its rows to temporary files.  A concurrent build
 * scans with the active snapshot, which is the same in all processes; other builds scan
 * with SnapshotAny.  If the range is the whole table, PostgreSQL begins the scan itself
 * and reports its progress.
 */
static void
scan_range(BBBuildProcess *process, int64 number)
{
	BBBuild    *shared = process->shared;
	BlockNumber first = number * shared->range_pages;
	BlockNumber n = Min(shared->range_pages, shared->heap_pages - first);
	TableScanDesc scan = NULL;
	double		rows;
	uint64		pages;

	if (shared->range_pages > 0)
	{
		scan = table_beginscan_strat(process->heap,
									 shared->concurrent ? GetActiveSnapshot() : SnapshotAny,
									 0, NULL, true, false);
		heap_setscanlimits(scan, first, n);
	}
	bb_shared_rows_begin_range(process->rows, process->number, &shared->ranges[number]);
	rows = bb_scan_rows(process->heap, process->index, process->info, shared->shape, scan,
						take_row, process);
	pg_atomic_fetch_add_u64(&shared->rows_read, (uint64) rows);
	if (scan == NULL)
		return;
	pages = pg_atomic_add_fetch_u64(&shared->pages_read, n);
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE, pages);
}

static void
scan_table(BBBuildProcess *process)
{
	BBBuild    *shared = process->shared;
	int			trees = bb_counted_trees(shared->shape);
	uint64		number;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_SCAN);
	if (shared->range_pages > 0)
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL, shared->heap_pages);
	process->counts = palloc0(trees * sizeof(process->counts[0]));
	while ((number = phases_next_task(process->phases, BB_BUILD_SCAN)) < shared->nranges)
		scan_range(process, number);
	bb_shared_rows_publish(process->rows);
	for (int tree = 0; tree < trees; tree++)
		for (int i = 0; i < BB_BUCKETS; i++)
			if (process->counts[tree][i] > 0)
				pg_atomic_fetch_add_u64(&shared->counts[tree][i], process->counts[tree][i]);
	pfree(process->counts);
	if (process->info->ii_BrokenHotChain)
		pg_atomic_write_u32(&shared->broken_hot_chain, 1);
}

/* ----------
 * The file
 * ----------
 */

void
bb_lay_out(BBBuildProcess *process)
{
	BBBuild    *shared = process->shared;
	BBShape		shape = shared->shape;

	process->npages = bb_reserved_pages(shape);
	for (int i = 0; i < shared->nranges; i++)
		for (int kind = 0; kind < 2; kind++)
			process->n[kind] += shared->ranges[i].n[kind];
	for (int tree = 0; tree < bb_trees(shape); tree++)
		bb_layout_tree(&process->layouts[tree], process->index, shape, tree,
					   process->n[tree == bb_null_tree(shape) ? BB_NULL : BB_FILLED],
					   &process->npages);
}

/* Make a page all zero. */
static void
clear_page(Relation index, BlockNumber blkno)
{
	Buffer		buffer = ReadBufferExtended(index, MAIN_FORKNUM, blkno, RBM_ZERO_AND_LOCK, NULL);

	memset(BufferGetPage(buffer), 0, BLCKSZ);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

/*
 * Clear the reserved pages of the trees that have entries, so that the first process that
 * writes one of these pages initializes it, as with all other pages.
 */
static void
clear_reserved(BBBuildProcess *process)
{
	BBShape		shape = process->shared->shape;

	for (int tree = 0; tree < bb_trees(shape); tree++)
		if (process->layouts[tree].height > 0)
		{
			clear_page(process->index, BB_ROOT(tree));
			clear_page(process->index, bb_first_leaf(shape, tree));
		}
}

/*
 * Extend the file by the pages of all trees.  This reserves the space on disk, so that no
 * page fails to be written later.  One process does so, because processes that extend the
 * same file wait for each other in the kernel.
 */
static void
extend_file(BBBuildProcess *process)
{
	BlockNumber first = bb_reserved_pages(process->shared->shape);

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_SORT);
	if (phases_next_task(process->phases, BB_BUILD_EXTEND) > 0)
		return;
	clear_reserved(process);
	for (; first < process->npages; first += EXTEND_PAGES)
	{
		CHECK_FOR_INTERRUPTS();
		extend_relation_zeroed(process->index, first,
							   Min(EXTEND_PAGES, process->npages - first));
	}
}

static void
log_pages(BBBuildProcess *process)
{
	int64		first;

	if (!RelationNeedsWAL(process->index))
		return;
	while ((first = phases_next_task(process->phases, BB_BUILD_LOG) * LOG_PAGES) < process->npages)
		log_newpage_range(process->index, MAIN_FORKNUM, first,
						  Min(first + LOG_PAGES, process->npages), true);
}

/* ----------
 * Parts of trees
 * ----------
 */

/*
 * Part i of n parts of a tree.  The parts have about the same number of rows, and consist
 * of whole buckets: a bucket belongs to the part that contains its middle row.
 */
static BBTreePart
part_of_tree(BBBuildProcess *process, int tree, int i, int n)
{
	BBShape		shape = process->shared->shape;
	pg_atomic_uint64 *counts = process->shared->counts[bb_is_tagged(shape) ? 0 : tree];
	int64		before = 0;
	BBTreePart	part = {0};

	if (n == 1)
	{
		part.to = BB_BUCKETS;
		part.n = process->n[BB_FILLED];
		return part;
	}
	for (int bucket = 0; bucket < BB_BUCKETS; bucket++)
	{
		int64		count = pg_atomic_read_u64(&counts[bucket]);
		int			owner = (int) ((before + count / 2) / ((double) process->n[BB_FILLED] / n));

		if (count > 0 && Min(owner, n - 1) == i)
		{
			if (part.n == 0)
			{
				part.from = bucket;
				part.rank = before;
			}
			part.to = bucket + 1;
			part.n += count;
		}
		before += count;
	}
	return part;
}

/* Begin to read the rows of a kind (BB_FILLED or BB_NULL) of the whole table. */
static void
read_rows(BBBuildProcess *process, int kind)
{
	bb_shared_rows_read(process->rows, kind, process->shared->ranges, process->shared->nranges);
}

/* Read the next row that belongs to a part of a tree.  Returns false at the end. */
static inline bool
next_of_part(BBBuildProcess *process, int tree, const BBTreePart *part, BBRow *row)
{
	while (bb_shared_rows_next(process->rows, row))
	{
		int			bucket;

		if (part->to - part->from == BB_BUCKETS)
			return true;
		bucket = bucket_of(process->shared->shape, row, tree);
		if (bucket >= part->from && bucket < part->to)
			return true;
	}
	return false;
}

/* ----------
 * The row tree, and the tree of rows without a fingerprint
 * ----------
 */

/* Write the rows of one range of the table to a tree that is ordered by TID. */
static void
write_range(BBBuildProcess *process, int tree, int kind, int64 number)
{
	const BBRowRange *ranges = process->shared->ranges;
	BBTreeBuilder builder;
	BBRow		row;
	int64		rank = 0;

	if (ranges[number].n[kind] == 0)
		return;
	for (int i = 0; i < number; i++)
		rank += ranges[i].n[kind];
	bb_shared_rows_read(process->rows, kind, &ranges[number], 1);
	bb_tree_begin(&builder, process->index, &process->layouts[tree], rank);
	while (bb_shared_rows_next(process->rows, &row))
		bb_tree_add(&builder, bb_row_key(BB_NO_TAG, &row.tid), row.fp);
	bb_tree_finish(&builder);
}

/*
 * Sort the rows of a part by their tags, and write them to a tree: the row tree of an
 * index with leading columns, or its tree of rows without a fingerprint.
 */
static void
write_tagged(BBBuildProcess *process, int tree, int kind, BBTreePart part)
{
	BBRowSort  *sort;
	BBTreeBuilder builder;
	BBRow		row;
	BBKey		key;

	if (part.n == 0)
		return;
	sort = bb_row_sort_begin(process->shared->shape, tree, process->memory_kb);
	read_rows(process, kind);
	while (next_of_part(process, tree, &part, &row))
		bb_row_sort_put(sort, &row);
	bb_row_sort_perform(sort);
	bb_tree_begin(&builder, process->index, &process->layouts[tree], part.rank);
	while (bb_row_sort_next(sort, &key, row.fp))
		bb_tree_add(&builder, key, row.fp);
	bb_row_sort_end(sort);
	bb_tree_finish(&builder);
}

static void
write_rows(BBBuildProcess *process)
{
	BBShape		shape = process->shared->shape;
	bool		tagged = bb_is_tagged(shape);
	int			parts = parts_of_tree(process->shared, 1);
	int64		n = tagged ? parts + 1 : process->shared->nranges;
	int64		task;

	while ((task = phases_next_task(process->phases, BB_BUILD_ROWS)) < n)
	{
		if (tagged && task == parts)
		{
			BBTreePart	nulls = {0, BB_BUCKETS, 0, process->n[BB_NULL]};

			write_tagged(process, bb_null_tree(shape), BB_NULL, nulls);
		}
		else if (tagged)
			write_tagged(process, bb_row_tree(shape), BB_FILLED,
						 part_of_tree(process, bb_row_tree(shape), task, parts));
		else
		{
			write_range(process, bb_null_tree(shape), BB_NULL, task);
			if (bb_is_wide(shape))
				write_range(process, bb_row_tree(shape), BB_FILLED, task);
		}
	}
}

/* ----------
 * Window trees
 * ----------
 */

/* Sort the windows of a part of a tree, and write them. */
static void
write_windows(BBBuildProcess *process, int tree, BBTreePart part)
{
	BBBuild    *shared = process->shared;
	BBTreeBuilder builder;
	BBRow		row;
	int64		counts[BB_BUCKETS] = {0};

	for (int bucket = part.from; bucket < part.to; bucket++)
		counts[bucket] = pg_atomic_read_u64(&shared->counts[tree][bucket]);
	bb_sort_expect(process->sort, counts);
	read_rows(process, BB_FILLED);
	while (next_of_part(process, tree, &part, &row))
		bb_sort_put(process->sort, bb_window(shared->shape, row.fp, tree), &row.tid);
	bb_sort_perform(process->sort);
	bb_tree_begin(&builder, process->index, &process->layouts[tree], part.rank);
	bb_tree_add_sorted(&builder, BB_NO_TAG, process->sort, &process->progress);
	bb_tree_finish(&builder);
	bb_sort_reset(process->sort);
}

/* Write a part of a window tree of an index with leading columns, from the row tree. */
static void
write_tagged_windows(BBBuildProcess *process, int tree, BBTreePart part)
{
	BBShape		shape = process->shared->shape;
	int			row_tree = bb_row_tree(shape);
	int64		full = bb_layout_page(process->index, shape, row_tree, 0);
	BBRowPart	rows;
	BBTreeBuilder builder;

	rows.leaf = bb_layout_blkno(&process->layouts[row_tree], 0, part.rank / full);
	rows.skip = part.rank % full;
	rows.n = part.n;
	bb_tree_begin(&builder, process->index, &process->layouts[tree], part.rank);
	bb_tree_add_windows(&builder, rows, process->sort, &process->progress);
	bb_tree_finish(&builder);
}

static void
write_window_trees(BBBuildProcess *process)
{
	BBBuild    *shared = process->shared;
	BBShape		shape = shared->shape;
	bool		tagged = bb_is_tagged(shape);
	int			first = tagged && !bb_is_wide(shape) ? bb_row_tree(shape) + 1 : 0;
	int			trees = shape.blocks - first;
	int			parts = parts_of_tree(shared, trees);
	int64		task;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_TREES);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, trees * process->n[BB_FILLED]);
	process->sort = bb_sort_begin(process->memory_kb, process->n[BB_FILLED]);
	process->progress.total = &shared->entries_written;
	while ((task = phases_next_task(process->phases, BB_BUILD_WINDOWS)) < trees * parts)
	{
		int			tree = first + (int) (task / parts);
		BBTreePart	part = part_of_tree(process, tree, task % parts, parts);

		if (part.n == 0)
			continue;
		if (tagged)
			write_tagged_windows(process, tree, part);
		else
			write_windows(process, tree, part);
	}
	bb_sort_end(process->sort);
}

/* ----------
 * The phases
 * ----------
 */

void
bb_work_in_phase(void *arg, int phase)
{
	static void (*const work[BB_BUILD_PHASES]) (BBBuildProcess *process) = {
		scan_table, extend_file, write_rows, write_window_trees, log_pages
	};
	BBBuildProcess *process = arg;

	if (phase > BB_BUILD_SCAN && process->npages == 0)
		bb_lay_out(process);
	work[phase] (process);
}
