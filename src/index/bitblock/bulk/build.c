/*-------------------------------------------------------------------------
 *
 * build.c
 *		Building a bitblock index.
 *
 * A build runs in one process, the leader, and in parallel workers if PostgreSQL provides
 * any.  All of them work through the phases of phases.c (README.md, "Phases").
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/xloginsert.h"
#include "build_state.h"
#include "catalog/index.h"
#include "catalog/pg_proc.h"
#include "commands/progress.h"
#include "index/bitblock/bitblock.h"
#include "index/bitblock/store/cache.h"
#include "index/bitblock/store/leading_columns.h"
#include "miscadmin.h"
#include "server/compat.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/*
 * Divide the table into this many ranges per process.  With more ranges, processes finish
 * the scan at more nearly the same time.
 */
#define RANGES_OF_PROCESS		64

/* Key of the BBBuild in shared memory */
#define KEY_BUILD				UINT64CONST(0xB1B0000000000001)

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

/* ----------
 * All processes
 * ----------
 */

static BBBuildProcess *
make_build_process(int number, BBBuild *shared, Phases *phases, TempFiles *files)
{
	BBBuildProcess *process = palloc0(sizeof(BBBuildProcess));

	process->number = number;
	process->shared = shared;
	process->phases = phases;
	process->memory_kb = maintenance_work_mem / shared->processes;
	process->rows = bb_shared_rows_begin(shared->shape, files, shared->processes);
	return process;
}

void
bitblock_build_worker(dsm_segment *segment, shm_toc *toc)
{
	BBBuild    *shared = shm_toc_lookup(toc, KEY_BUILD, false);
	BBBuildProcess *process;
	LOCKMODE	heap_lock;
	LOCKMODE	index_lock;

	SharedFileSetAttach(&shared->files, segment);
	process = make_build_process(ParallelWorkerNumber + 1, shared, phases_of(toc),
								 temp_files_of_set(&shared->files));

	/* take the same locks as the leader */
	heap_lock = shared->concurrent ? ShareUpdateExclusiveLock : ShareLock;
	index_lock = shared->concurrent ? RowExclusiveLock : AccessExclusiveLock;
	process->heap = table_open(shared->heap, heap_lock);
	process->index = index_open(shared->index, index_lock);
	process->info = BuildIndexInfo(process->index);
	process->info->ii_Concurrent = shared->concurrent;

	phases_work(toc, bb_work_in_phase, process);
	bb_shared_rows_end(process->rows);
	index_close(process->index, index_lock);
	table_close(process->heap, heap_lock);
}

/* ----------
 * The leader
 * ----------
 */

/* The size of a BBBuild with room for nranges ranges of the table. */
static Size
size_of_build(int nranges)
{
	return offsetof(BBBuild, ranges) + nranges * sizeof(BBRowRange);
}

/*
 * Initialize a build in memory that is all zero.  It has one range, the whole table,
 * unless the caller divides the table.
 */
static void
init_build(BBBuild *shared, Relation heap, Relation index, IndexInfo *info, BBShape shape,
		   int processes)
{
	shared->heap = RelationGetRelid(heap);
	shared->index = RelationGetRelid(index);
	shared->concurrent = info->ii_Concurrent;
	shared->shape = shape;
	shared->processes = processes;
	shared->nranges = 1;
	pg_atomic_init_u32(&shared->broken_hot_chain, 0);
	pg_atomic_init_u64(&shared->pages_read, 0);
	pg_atomic_init_u64(&shared->rows_read, 0);
	pg_atomic_init_u64(&shared->entries_written, 0);
	for (int tree = 0; tree < bb_counted_trees(shape); tree++)
		for (int i = 0; i < BB_BUCKETS; i++)
			pg_atomic_init_u64(&shared->counts[tree][i], 0);
}

/* The files can only be initialized in shared memory. */
static void
init_files(ParallelContext *context, void *arg)
{
	BBBuild    *shared = shm_toc_lookup(context->toc, KEY_BUILD, false);

	SharedFileSetInit(&shared->files, context->seg);
}

/*
 * Start workers for a build, and set up the memory that they share.  Returns NULL if
 * there are none.
 */
static ParallelContext *
begin_parallel(Relation heap, Relation index, IndexInfo *info, BBShape shape, int workers)
{
	BlockNumber heap_pages = RelationGetNumberOfBlocks(heap);
	BlockNumber range_pages = heap_pages / (RANGES_OF_PROCESS * (workers + 1)) + 1;
	int			nranges = (heap_pages + range_pages - 1) / range_pages;
	BBBuild    *shared = palloc0(size_of_build(nranges));
	SharedPiece piece = {KEY_BUILD, size_of_build(nranges), shared};
	ParallelContext *context;

	init_build(shared, heap, index, info, shape, workers + 1);
	shared->heap_pages = heap_pages;
	shared->range_pages = range_pages;
	shared->nranges = nranges;
	context = phases_begin(index->rd_amhandler, "bitblock_build_worker", workers, BB_BUILD_PHASES,
						   &piece, 1, init_files, NULL);
	pfree(shared);
	return context;
}

/* The number of workers to ask for. */
static int
plan_workers(Relation heap, Relation index, IndexInfo *info, BBShape shape)
{
	/*
	 * PostgreSQL checks only that expressions and predicates are
	 * parallel-safe.  Check the hash functions too.
	 */
	for (int i = 0; i < shape.leading; i++)
		if (func_parallel(index_getprocid(index, i + 1, BB_HASH_PROC)) != PROPARALLEL_SAFE)
			return 0;
	/* Other table access methods may not be able to scan a range of pages. */
	if (heap->rd_tableam != GetHeapamTableAmRoutine())
		return 0;
	return index_build_workers(heap, index, info);
}

/* Begin a build, with workers if there are any.  *context becomes NULL if there are none. */
static BBBuildProcess *
begin_build(Relation heap, Relation index, IndexInfo *info, BBShape shape,
			ParallelContext **context)
{
	int			workers = plan_workers(heap, index, info, shape);
	BBBuild    *shared;

	*context = workers == 0 ? NULL : begin_parallel(heap, index, info, shape, workers);
	if (*context == NULL)
	{
		shared = palloc0(size_of_build(1));
		init_build(shared, heap, index, info, shape, 1);
		return make_build_process(0, shared, phases_alone(BB_BUILD_PHASES), temp_files_begin(false));
	}
	ereport(DEBUG1,
			(errmsg_internal("index \"%s\": building with %d parallel workers",
							 RelationGetRelationName(index), (*context)->nworkers_launched)));
	shared = shm_toc_lookup((*context)->toc, KEY_BUILD, false);
	return make_build_process(0, shared, phases_of((*context)->toc), temp_files_of_set(&shared->files));
}

/*
 * Work through the phases.  The workers may finish all of them before the leader
 * attaches.  Then the leader still lays out the trees, because that adds up the rows that
 * bb_build reports.
 */
static void
work(BBBuildProcess *process, ParallelContext *context)
{
	if (context == NULL)
	{
		phases_work_alone(process->phases, bb_work_in_phase, process);
		return;
	}
#ifdef BB_TEST_LATE_LEADER
	WaitForParallelWorkersToFinish(context);
#endif
	phases_work(context->toc, bb_work_in_phase, process);
	if (process->npages == 0)
		bb_lay_out(process);
	ereport(DEBUG1,
			(errmsg_internal("index \"%s\": %u parallel workers took part",
							 RelationGetRelationName(process->index),
							 pg_atomic_read_u32(&process->phases->workers))));
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
	ParallelContext *context;
	BBBuildProcess *process;

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	write_reserved_pages(index, shape, MAIN_FORKNUM, false);
	process = begin_build(heap, index, info, shape, &context);
	process->heap = heap;
	process->index = index;
	process->info = info;
	work(process, context);
	result->heap_tuples = pg_atomic_read_u64(&process->shared->rows_read);
	result->index_tuples = process->n[BB_FILLED] + process->n[BB_NULL];
	if (pg_atomic_read_u32(&process->shared->broken_hot_chain) != 0)
		info->ii_BrokenHotChain = true;
	bb_shared_rows_end(process->rows);
	if (context != NULL)
		phases_end(context);
	else
		pfree(process->shared);
	pfree(process);
	return result;
}

/*
 * Write the init fork of an unlogged table's index: an empty index.  bb_build has already
 * written the index itself.
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
	if (phase == BB_PHASE_TREES)
		return "writing trees";
	return NULL;
}
