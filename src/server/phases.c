/*-------------------------------------------------------------------------
 *
 * phases.c
 *		A leader and its parallel workers; see phases.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog.h"
#include "compat.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "phases.h"
#include "tcop/tcopprot.h"

/* Keys of the shared memory.  Callers must use other keys. */
#define KEY_PHASES			UINT64CONST(0xFA5E000000000001)
#define KEY_QUERY			UINT64CONST(0xFA5E000000000002)
#define KEY_WAL_USAGE		UINT64CONST(0xFA5E000000000003)
#define KEY_BUFFER_USAGE	UINT64CONST(0xFA5E000000000004)

static Size
phases_size(int n)
{
	return offsetof(Phases, tasks) + n * sizeof(pg_atomic_uint64);
}

static void
init_phases(Phases *phases, int n)
{
	phases->n = n;
	BarrierInit(&phases->barrier, 0);
	pg_atomic_init_u32(&phases->workers, 0);
	for (int phase = 0; phase < n; phase++)
		pg_atomic_init_u64(&phases->tasks[phase], 0);
}

/* ----------
 * The leader
 * ----------
 */

static void
reserve(ParallelContext *context, Size size)
{
	shm_toc_estimate_chunk(&context->estimator, size);
	shm_toc_estimate_keys(&context->estimator, 1);
}

/* Allocate reserved memory, and fill it with the bytes, or with zeros if they are NULL. */
static void *
allocate(ParallelContext *context, uint64 key, Size size, const void *bytes)
{
	void	   *memory = shm_toc_allocate(context->toc, size);

	if (bytes != NULL)
		memcpy(memory, bytes, size);
	else
		memset(memory, 0, size);
	shm_toc_insert(context->toc, key, memory);
	return memory;
}

/*
 * Prepare n phases, and start up to "workers" workers, which share the pieces.  They run the
 * function "worker_main" of the library that has the SQL function "function".  "init" may be
 * NULL.  The transaction is in parallel mode until phases_end.  Return NULL, in no parallel
 * mode, if no worker can be started.
 */
ParallelContext *
phases_begin(Oid function, const char *worker_main, int workers, int n,
			 const SharedPiece *pieces, int npieces, SharedInit init, void *arg)
{
	Size		query_size = debug_query_string ? strlen(debug_query_string) + 1 : 0;
	ParallelContext *context;

	EnterParallelMode();
	context = CreateParallelContext(own_library(function), worker_main, workers);
	reserve(context, phases_size(n));
	reserve(context, workers * sizeof(WalUsage));
	reserve(context, workers * sizeof(BufferUsage));
	if (query_size > 0)
		reserve(context, query_size);
	for (int i = 0; i < npieces; i++)
		reserve(context, pieces[i].size);
	InitializeParallelDSM(context);
	if (context->seg != NULL)
	{
		init_phases(allocate(context, KEY_PHASES, phases_size(n), NULL), n);
		allocate(context, KEY_WAL_USAGE, context->nworkers * sizeof(WalUsage), NULL);
		allocate(context, KEY_BUFFER_USAGE, context->nworkers * sizeof(BufferUsage), NULL);
		if (query_size > 0)
			allocate(context, KEY_QUERY, query_size, debug_query_string);
		for (int i = 0; i < npieces; i++)
			allocate(context, pieces[i].key, pieces[i].size, pieces[i].bytes);
		if (init != NULL)
			init(context, arg);
		LaunchParallelWorkers(context);
		if (context->nworkers_launched > 0)
			return context;
	}
	phases_end(context);
	return NULL;
}

/* End the workers, if there are any, and the parallel mode. */
void
phases_end(ParallelContext *context)
{
	if (context->seg != NULL)
	{
		BufferUsage *buffer_usage = shm_toc_lookup(context->toc, KEY_BUFFER_USAGE, false);
		WalUsage   *wal_usage = shm_toc_lookup(context->toc, KEY_WAL_USAGE, false);

		WaitForParallelWorkersToFinish(context);
		for (int i = 0; i < context->nworkers_launched; i++)
			InstrAccumParallelQuery(&buffer_usage[i], &wal_usage[i]);
	}
	DestroyParallelContext(context);
	ExitParallelMode();
}

/* ----------
 * All processes
 * ----------
 */

Phases *
phases_of(shm_toc *toc)
{
	return shm_toc_lookup(toc, KEY_PHASES, false);
}

/* Work through the phases, from the current one on. */
static void
take_part(Phases *phases, PhaseWork work, void *arg)
{
	int			phase = BarrierAttach(&phases->barrier);

	if (IsParallelWorker() && phase < phases->n)
		pg_atomic_fetch_add_u32(&phases->workers, 1);
	for (; phase < phases->n; phase++)
	{
		work(arg, phase);
		BarrierArriveAndWait(&phases->barrier, WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
	}
	BarrierDetach(&phases->barrier);
}

/* Make n phases for a process without workers, in the current memory context. */
Phases *
phases_alone(int n)
{
	Phases	   *phases = palloc(phases_size(n));

	init_phases(phases, n);
	return phases;
}

void
phases_work_alone(Phases *phases, PhaseWork work, void *arg)
{
	for (int phase = 0; phase < phases->n; phase++)
		work(arg, phase);
}

/* Work through the phases.  A worker's usage of buffers and WAL is added to the leader's. */
void
phases_work(shm_toc *toc, PhaseWork work, void *arg)
{
	Phases	   *phases = phases_of(toc);
	WalUsage   *wal_usage = shm_toc_lookup(toc, KEY_WAL_USAGE, false);
	BufferUsage *buffer_usage = shm_toc_lookup(toc, KEY_BUFFER_USAGE, false);

	if (!IsParallelWorker())
	{
		take_part(phases, work, arg);
		return;
	}
	debug_query_string = shm_toc_lookup(toc, KEY_QUERY, true);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	InstrStartParallelQuery();
	take_part(phases, work, arg);
	InstrEndParallelQuery(&buffer_usage[ParallelWorkerNumber],
						  &wal_usage[ParallelWorkerNumber]);
}
