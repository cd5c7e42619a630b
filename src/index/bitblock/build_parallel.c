/*-------------------------------------------------------------------------
 *
 * build_parallel.c
 *		Building a bitblock index by several processes.
 *
 * The leader and its workers go through phases together (README.md, "Build"):
 *
 *		scan		each reads ranges of the table and writes their rows to temporary files
 *		rows		they write the row tree if it is not a window tree, or if rows have
 *					tags, and the tree of rows without a fingerprint
 *		windows		they sort and write the other trees
 *		log			they log all pages
 *
 * The work of a phase is a number of tasks, and each process takes the next one that no process
 * has taken.  A barrier ends a phase, except that rows without tags need not be written before
 * their windows.  A worker that starts late joins the present phase.
 *
 * The first process that has scanned adds the pages of the index to its file, while the others
 * sort windows already: two processes that extend a file wait for each other in the kernel.
 *
 * The result is the index that one process would write, except for the order of the pages: the
 * number of rows is known before the first tree is written, so each tree has a layout
 * (build_tree.c), and processes write parts of a tree side by side.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/xloginsert.h"
#include "build.h"
#include "build_rows.h"
#include "build_tree.h"
#include "catalog/index.h"
#include "catalog/pg_proc.h"
#include "commands/progress.h"
#include "leading_columns.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "server/compat.h"
#include "server/phases.h"
#include "storage/condition_variable.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/* Ranges of the table for each process: the more, the better processes end a scan together */
#define RANGES_OF_PROCESS		64

/* Tasks of window trees for each process, at least */
#define TASKS_OF_PROCESS		2
#define MAX_PARTS				64	/* of a tree */

#define EXTEND_PAGES			128 /* at once */
#define LOG_PAGES				256 /* of a task */

/*
 * Trees are divided by the first bits of windows, or of tags if there are tags.  A bucket is the
 * rows with the same bits.
 */
#define BUCKET_BITS				10
#define BUCKETS					(1 << BUCKET_BITS)

/* Key of the shared memory */
#define KEY_SHARED				UINT64CONST(0xB1B0000000000001)

typedef enum Phase
{
	PHASE_SCAN,
	PHASE_ROWS,
	PHASE_WINDOWS,
	PHASE_LOG,
	PHASES
} Phase;

typedef struct SharedBuild
{
	/* set by the leader before workers start */
	Oid			heap;
	Oid			index;
	bool		concurrent;
	BBShape		shape;
	int			processes;		/* at most, with the leader */
	BlockNumber heap_pages;
	BlockNumber range_pages;
	SharedFileSet files;

	pg_atomic_flag extending;	/* has a process begun to extend the file? */
	pg_atomic_uint32 extended;	/* has it done so? */
	ConditionVariable extended_cv;
	pg_atomic_uint32 broken_hot_chain;
	pg_atomic_uint64 pages_read;
	pg_atomic_uint64 rows_read; /* of the table */
	pg_atomic_uint64 entries_written;	/* of window trees, about */

	/* rows in each bucket of a tree; with tags all trees have the same */
	pg_atomic_uint64 counts[BB_MAX_BLOCKS][BUCKETS];
	int			nranges;
	BBRowRange	ranges[FLEXIBLE_ARRAY_MEMBER];
} SharedBuild;

/* A part of a tree: buckets, and the ranks of their rows. */
typedef struct Part
{
	int			from;			/* buckets from .. to - 1 */
	int			to;
	int64		rank;			/* of the first row */
	int64		n;				/* rows */
} Part;

/* A process that takes part. */
typedef struct BuildProcess
{
	int			number;			/* 0 is the leader */
	Phases	   *phases;
	SharedBuild *shared;
	Relation	heap;
	Relation	index;
	IndexInfo  *info;
	int			memory_kb;
	BBSharedRows *rows;
	int64		(*counts)[BUCKETS]; /* of its own rows, in the scan */

	/* from then on */
	int64		n[2];			/* rows with and without a fingerprint */
	BlockNumber npages;			/* of the index */
	BBTreeLayout layouts[BB_MAX_TREES];
	int			tree;			/* whose part it reads */
	Part		part;
	BBSort	   *sort;			/* or NULL */
	BBBuildProgress progress;
} BuildProcess;

/* The number of parts that make "trees" trees enough tasks. */
static int
parts_of_tree(const SharedBuild *shared, int trees)
{
	int			parts = (TASKS_OF_PROCESS * shared->processes + trees - 1) / trees;

	return Min(parts, MAX_PARTS);
}

/* ----------
 * Reading the table
 * ----------
 */

/* The number of trees whose buckets have counts of their own. */
static int
counted_trees(BBShape shape)
{
	return bb_is_tagged(shape) ? 1 : shape.blocks;
}

/* The bucket of a row in a counted tree. */
static inline int
bucket_of(BBShape shape, const BBRow *row, int tree)
{
	return bb_is_tagged(shape) ? row->tag >> (32 - BUCKET_BITS) :
		bb_block(row->fp, tree) >> (BB_BLOCK_BITS - BUCKET_BITS);
}

static void
take_row(void *arg, const BBRow *row)
{
	BuildProcess *process = arg;
	BBShape		shape = process->shared->shape;

	bb_shared_rows_put(process->rows, row);
	for (int tree = 0; tree < counted_trees(shape) && !row->isnull; tree++)
		process->counts[tree][bucket_of(shape, row, tree)]++;
}

/* Read a range of the table.  All processes use the same snapshot, if it is not SnapshotAny. */
static void
scan_range(BuildProcess *process, int64 number)
{
	SharedBuild *shared = process->shared;
	BlockNumber first = number * shared->range_pages;
	BlockNumber n = Min(shared->range_pages, shared->heap_pages - first);
	TableScanDesc scan = table_beginscan_strat(process->heap,
											   shared->concurrent ? GetActiveSnapshot() : SnapshotAny,
											   0, NULL, true, false);
	double		rows;
	uint64		pages;

	heap_setscanlimits(scan, first, n);
	bb_shared_rows_begin_range(process->rows, process->number, &shared->ranges[number]);
	rows = bb_scan_rows(process->heap, process->index, process->info, shared->shape, scan,
						take_row, process);
	pg_atomic_fetch_add_u64(&shared->rows_read, (uint64) rows);
	pages = pg_atomic_add_fetch_u64(&shared->pages_read, n);
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE, pages);
}

static void
scan_table(BuildProcess *process)
{
	SharedBuild *shared = process->shared;
	int			trees = counted_trees(shared->shape);
	uint64		number;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_SCAN);
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL, shared->heap_pages);
	process->counts = palloc0(trees * sizeof(process->counts[0]));
	while ((number = phases_next_task(process->phases, PHASE_SCAN)) < shared->nranges)
		scan_range(process, number);
	bb_shared_rows_publish(process->rows);
	for (int tree = 0; tree < trees; tree++)
		for (int i = 0; i < BUCKETS; i++)
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

/* Find out the number of rows and the pages of the trees. */
static void
lay_out(BuildProcess *process)
{
	SharedBuild *shared = process->shared;
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

/* Clear the reserved pages of the trees that have entries. */
static void
clear_reserved(BuildProcess *process)
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
 * Add the pages of the trees to the file, unless another process does.  As without workers this
 * makes room on the disk, so no page fails to be written later.
 */
static void
extend_file(BuildProcess *process)
{
	SharedBuild *shared = process->shared;
	BlockNumber first = bb_reserved_pages(shared->shape);

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_SORT);
	if (!pg_atomic_test_set_flag(&shared->extending))
		return;
	clear_reserved(process);
	for (; first < process->npages; first += EXTEND_PAGES)
	{
		CHECK_FOR_INTERRUPTS();
		extend_relation_zeroed(process->index, first,
							   Min(EXTEND_PAGES, process->npages - first));
	}
	pg_atomic_fetch_or_u32(&shared->extended, 1);
	ConditionVariableBroadcast(&shared->extended_cv);
}

/* Wait until the file has all pages. */
static void
await_file(BuildProcess *process)
{
	SharedBuild *shared = process->shared;

	if (pg_atomic_read_u32(&shared->extended) != 0)
		return;
	ConditionVariablePrepareToSleep(&shared->extended_cv);
	while (pg_atomic_read_u32(&shared->extended) == 0)
		ConditionVariableSleep(&shared->extended_cv, WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
	ConditionVariableCancelSleep();
}

static void
log_pages(BuildProcess *process)
{
	int64		first;

	if (!RelationNeedsWAL(process->index))
		return;
	while ((first = phases_next_task(process->phases, PHASE_LOG) * LOG_PAGES) < process->npages)
		log_newpage_range(process->index, MAIN_FORKNUM, first,
						  Min(first + LOG_PAGES, process->npages), true);
}

/* ----------
 * Parts of trees
 * ----------
 */

/* Part number i of n parts of a tree, which have about the same numbers of rows. */
static Part
part_of_tree(BuildProcess *process, int tree, int i, int n)
{
	BBShape		shape = process->shared->shape;
	pg_atomic_uint64 *counts = process->shared->counts[bb_is_tagged(shape) ? 0 : tree];
	int64		before = 0;
	Part		part = {0};

	if (n == 1)
	{
		part.to = BUCKETS;
		part.n = process->n[BB_FILLED];
		return part;
	}
	for (int bucket = 0; bucket < BUCKETS; bucket++)
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

/* Begin to read the rows of a kind that belong to a part of a tree. */
static void
read_part(BuildProcess *process, int kind, int tree, Part part)
{
	process->tree = tree;
	process->part = part;
	bb_shared_rows_read(process->rows, kind, process->shared->ranges, process->shared->nranges);
}

/* The next of these rows; false at the end. */
static inline bool
next_of_part(BuildProcess *process, BBRow *row)
{
	while (bb_shared_rows_next(process->rows, row))
	{
		int			bucket = bucket_of(process->shared->shape, row, process->tree);

		if (bucket >= process->part.from && bucket < process->part.to)
			return true;
	}
	return false;
}

/* ----------
 * The row tree, and the tree of rows without a fingerprint
 * ----------
 */

/* Write the rows of a range of the table to a tree that is in the order of TIDs. */
static void
write_range(BuildProcess *process, int tree, int kind, int64 number)
{
	const BBRowRange *ranges = process->shared->ranges;
	BBTreeBuilder builder;
	BBRow		row;
	int64		rank = 0;

	if (ranges[number].n[kind] == 0)
		return;
	for (int i = 0; i < number; i++)
		rank += ranges[i].n[kind];
	await_file(process);
	bb_shared_rows_read(process->rows, kind, &ranges[number], 1);
	bb_tree_begin_part(&builder, process->index, &process->layouts[tree], rank);
	while (bb_shared_rows_next(process->rows, &row))
		bb_tree_add(&builder, bb_row_key(BB_NO_TAG, &row.tid), row.fp);
	bb_tree_finish(&builder);
}

/* Sort the rows with tags of a part, or those without a fingerprint, and write them to a tree. */
static void
write_tagged(BuildProcess *process, int tree, int kind, Part part)
{
	BBRowSort  *sort;
	BBTreeBuilder builder;
	BBRow		row;

	if (part.n == 0)
		return;
	sort = bb_row_sort_begin(process->shared->shape, tree, process->memory_kb);
	read_part(process, kind, tree, part);
	while (next_of_part(process, &row))
		bb_row_sort_put(sort, &row);
	await_file(process);
	bb_tree_begin_part(&builder, process->index, &process->layouts[tree], part.rank);
	bb_tree_add_rows(&builder, sort);
	bb_tree_finish(&builder);
}

static void
write_rows(BuildProcess *process)
{
	BBShape		shape = process->shared->shape;
	bool		tagged = bb_is_tagged(shape);
	int			parts = parts_of_tree(process->shared, 1);
	int64		n = tagged ? parts + 1 : process->shared->nranges;
	int64		task;

	while ((task = phases_next_task(process->phases, PHASE_ROWS)) < n)
	{
		if (tagged && task == parts)
		{
			Part		nulls = {0, BUCKETS, 0, process->n[BB_NULL]};

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
write_windows(BuildProcess *process, int tree, Part part)
{
	SharedBuild *shared = process->shared;
	int64		counts[BUCKETS];
	BBTreeBuilder builder;
	BBRow		row;

	for (int bucket = part.from; bucket < part.to; bucket++)
		counts[bucket] = pg_atomic_read_u64(&shared->counts[tree][bucket]);
	bb_sort_expect(process->sort, BUCKET_BITS, counts, part.from, part.to, part.n);
	read_part(process, BB_FILLED, tree, part);
	while (next_of_part(process, &row))
		bb_sort_put(process->sort, bb_window(shared->shape, row.fp, tree), &row.tid);
	bb_sort_first(process->sort, 0, -1);
	await_file(process);
	bb_tree_begin_part(&builder, process->index, &process->layouts[tree], part.rank);
	bb_tree_add_sorted(&builder, BB_NO_TAG, process->sort, &process->progress);
	bb_tree_finish(&builder);
	bb_sort_reset(process->sort);
}

/* Write a part of a window tree of an index with leading columns, from the row tree. */
static void
write_tagged_windows(BuildProcess *process, int tree, Part part)
{
	BBShape		shape = process->shared->shape;
	int			row_tree = bb_row_tree(shape);
	int64		full = bb_layout_page(process->index, shape, row_tree, 0);
	BBRowPart	rows;
	BBTreeBuilder builder;

	rows.leaf = bb_layout_blkno(&process->layouts[row_tree], 0, part.rank / full);
	rows.skip = part.rank % full;
	rows.n = part.n;
	bb_tree_begin_part(&builder, process->index, &process->layouts[tree], part.rank);
	bb_tree_add_windows(&builder, rows, process->sort, &process->progress);
	bb_tree_finish(&builder);
}

static void
write_window_trees(BuildProcess *process)
{
	SharedBuild *shared = process->shared;
	BBShape		shape = shared->shape;
	bool		tagged = bb_is_tagged(shape);
	int			first = tagged && !bb_is_wide(shape) ? bb_row_tree(shape) + 1 : 0;
	int			trees = shape.blocks - first;
	int			parts = parts_of_tree(shared, trees);
	int64		task;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, BB_PHASE_PARALLEL);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, trees * process->n[BB_FILLED]);
	process->sort = bb_sort_begin(process->memory_kb);
	process->progress.total = &shared->entries_written;
	while ((task = phases_next_task(process->phases, PHASE_WINDOWS)) < trees * parts)
	{
		int			tree = first + (int) (task / parts);
		Part		part = part_of_tree(process, tree, task % parts, parts);

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
 * Processes
 * ----------
 */

/*
 * Write the trees that depend on no other tree: all of them unless there are tags.  Windows come
 * first, because the file need not be extended before they are sorted.
 */
static void
write_first_trees(BuildProcess *process)
{
	extend_file(process);
	if (!bb_is_tagged(process->shared->shape))
		write_window_trees(process);
	write_rows(process);
}

/* Write the trees that are made from the row tree. */
static void
write_other_trees(BuildProcess *process)
{
	if (bb_is_tagged(process->shared->shape))
		write_window_trees(process);
}

/* The work of a phase. */
static void
work_in_phase(void *arg, int phase)
{
	static void (*const work[PHASES]) (BuildProcess *process) = {
		scan_table, write_first_trees, write_other_trees, log_pages
	};
	BuildProcess *process = arg;

	if (phase > PHASE_SCAN && process->npages == 0)
		lay_out(process);
	work[phase] (process);
}

/* The parts of shared memory that leader and workers use. */
static void
find_shared(BuildProcess *process, shm_toc *toc)
{
	process->phases = phases_of(toc);
	process->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	process->memory_kb = maintenance_work_mem / process->shared->processes;
	process->rows = bb_shared_rows_begin(process->shared->shape, &process->shared->files,
										 process->shared->processes);
}

/* The entry point of a worker. */
void
bitblock_build_worker(dsm_segment *segment, shm_toc *toc)
{
	BuildProcess *process = palloc0(sizeof(BuildProcess));
	LOCKMODE	heap_lock;
	LOCKMODE	index_lock;

	find_shared(process, toc);
	SharedFileSetAttach(&process->shared->files, segment);

	/* the locks that the leader has */
	heap_lock = process->shared->concurrent ? ShareUpdateExclusiveLock : ShareLock;
	index_lock = process->shared->concurrent ? RowExclusiveLock : AccessExclusiveLock;
	process->heap = table_open(process->shared->heap, heap_lock);
	process->index = index_open(process->shared->index, index_lock);
	process->number = ParallelWorkerNumber + 1;
	process->info = BuildIndexInfo(process->index);
	process->info->ii_Concurrent = process->shared->concurrent;

	phases_work(toc, work_in_phase, process);
	bb_shared_rows_end(process->rows);
	index_close(process->index, index_lock);
	table_close(process->heap, heap_lock);
}

/* ----------
 * The leader
 * ----------
 */

/*
 * Start workers for an index, and set up the memory that they share.  Returns NULL if there are
 * none.
 */
static ParallelContext *
begin_parallel(Relation heap, Relation index, IndexInfo *info, BBShape shape, int workers)
{
	BlockNumber heap_pages = RelationGetNumberOfBlocks(heap);
	BlockNumber range_pages = heap_pages / (RANGES_OF_PROCESS * (workers + 1)) + 1;
	int			nranges = (heap_pages + range_pages - 1) / range_pages;
	Size		size = offsetof(SharedBuild, ranges) + nranges * sizeof(BBRowRange);
	ParallelContext *context = phases_begin(index->rd_amhandler, "bitblock_build_worker", workers,
											PHASES);

	phases_reserve(context, size);
	if (phases_share(context, PHASES))
	{
		SharedBuild *shared = phases_allocate(context, KEY_SHARED, size);

		shared->heap = RelationGetRelid(heap);
		shared->index = RelationGetRelid(index);
		shared->concurrent = info->ii_Concurrent;
		shared->shape = shape;
		shared->processes = workers + 1;
		shared->heap_pages = heap_pages;
		shared->range_pages = range_pages;
		shared->nranges = nranges;
		pg_atomic_init_flag(&shared->extending);
		pg_atomic_init_u32(&shared->extended, 0);
		ConditionVariableInit(&shared->extended_cv);
		pg_atomic_init_u32(&shared->broken_hot_chain, 0);
		pg_atomic_init_u64(&shared->pages_read, 0);
		pg_atomic_init_u64(&shared->rows_read, 0);
		pg_atomic_init_u64(&shared->entries_written, 0);
		SharedFileSetInit(&shared->files, context->seg);
		for (int tree = 0; tree < counted_trees(shape); tree++)
			for (int i = 0; i < BUCKETS; i++)
				pg_atomic_init_u64(&shared->counts[tree][i], 0);
		if (phases_launch(context))
			return context;
	}
	phases_end(context);
	return NULL;
}

/* The number of workers to ask for. */
static int
plan_workers(Relation heap, Relation index, IndexInfo *info, BBShape shape)
{
	/* PostgreSQL asks only whether expressions and predicates are safe. */
	for (int i = 0; i < shape.leading; i++)
		if (func_parallel(index_getprocid(index, i + 1, BB_HASH_PROC)) != PROPARALLEL_SAFE)
			return 0;
	/* Other table access methods need not have ranges. */
	if (heap->rd_tableam != GetHeapamTableAmRoutine())
		return 0;
	return index_build_workers(heap, index, info);
}

/*
 * Write the trees of an index that has its reserved pages, by several processes.  Returns false,
 * and does nothing, if PostgreSQL gives no workers for it.
 */
bool
bb_build_parallel(Relation heap, Relation index, IndexInfo *info, BBShape shape,
				  IndexBuildResult *result)
{
	int			workers = plan_workers(heap, index, info, shape);
	BuildProcess *process;
	ParallelContext *context = NULL;

	if (workers > 0)
		context = begin_parallel(heap, index, info, shape, workers);
	if (context == NULL)
		return false;
	ereport(DEBUG1,
			(errmsg_internal("index \"%s\": building with %d parallel workers",
							 RelationGetRelationName(index), context->nworkers_launched)));

	process = palloc0(sizeof(BuildProcess));
	find_shared(process, context->toc);
	process->heap = heap;
	process->index = index;
	process->info = info;
#ifdef BB_TEST_LATE_LEADER
	WaitForParallelWorkersToFinish(context);
#endif
	phases_work(context->toc, work_in_phase, process);
	/* The workers may have ended all phases before the leader attached. */
	if (process->npages == 0)
		lay_out(process);
	ereport(DEBUG1,
			(errmsg_internal("index \"%s\": %u parallel workers took part",
							 RelationGetRelationName(index),
							 pg_atomic_read_u32(&process->phases->workers))));
	result->heap_tuples = pg_atomic_read_u64(&process->shared->rows_read);
	result->index_tuples = process->n[BB_FILLED] + process->n[BB_NULL];
	if (pg_atomic_read_u32(&process->shared->broken_hot_chain) != 0)
		info->ii_BrokenHotChain = true;
	bb_shared_rows_end(process->rows);
	phases_end(context);
	pfree(process);
	return true;
}
