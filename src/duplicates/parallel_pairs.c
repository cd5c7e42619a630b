/*-------------------------------------------------------------------------
 *
 * parallel_pairs.c
 *		The pairs of a set of fingerprints, found by several processes.
 *
 * For each block the fingerprints are divided in parts, range by range, and then
 * joined, task by task (core/join/stored_pairs.c).  The workers and the leader take
 * one range or task after the other, and each process writes to a file that all can
 * read.  Ranges and tasks do not depend on the number of workers, and the leader
 * returns the pairs in the order of the tasks.  So neither the pairs nor their order
 * depend on the number of workers.
 *
 * The work is done in rounds.  A round divides all ranges of a block, or does tasks, and
 * then no process begins a task after some seconds.  The workers wait for the next round,
 * because starting them takes milliseconds.  A function that returns rows one by one must
 * not be in parallel mode when it returns a row, so the workers end before that.
 *
 * A task that has very many pairs is given up and ends the round, so that files of pairs
 * stay small.  The leader does the task alone while it returns the pairs, and goes on
 * alone until a task has fewer pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "parallel_pairs.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "server/catalog.h"
#include "server/compat.h"
#include "server/progress.h"
#include "server/server_join.h"
#include "storage/condition_variable.h"
#include "storage/spin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#define KEY_SHARED		UINT64CONST(0xB17B10C000000001)
#define KEY_ROUND		UINT64CONST(0xB17B10C000000002)
#define KEY_NAMES		UINT64CONST(0xB17B10C000000003)
#define KEY_JOIN		UINT64CONST(0xB17B10C000000004)
#define KEY_RESULTS		UINT64CONST(0xB17B10C000000005)
#define ROUND_MAGIC		UINT64CONST(0xB17B10C000000000)

/* From this number of fingerprints on several processes join. */
#define FEWEST_SHARED	(1 << 17)

/* What a process needs at least, and the number of processes that more memory is for */
#define PROCESS_MEMORY	((size_t) 28 * 1024 * 1024)
#define MOST_PROCESSES	16

/*
 * All fingerprints are in the memory of each process if there is memory for so many processes.
 * To divide fingerprints of several words costs more.
 */
#define WHOLE_PROCESSES(nwords)	((nwords) > 1 ? 2 : 8)

/* Time between two moments at which pairs are returned */
#define FIRST_WORK_MS	4000
#define LAST_WORK_MS	64000
#define MOST_TASK_PAIRS	(4 * 1024 * 1024)
#define PAIRS_AT_A_TIME	4096
#define MS_BETWEEN_REPORTS	1000

#define TOO_MANY_PAIRS	(-1)

/* The pairs of a task in the file of the process that did it */
typedef struct TaskResult
{
	int			process;		/* the leader is 0; or TOO_MANY_PAIRS */
	uint64		first;
	uint64		n;
} TaskResult;

/* What the leader and its workers share until the workers end */
typedef struct Shared
{
	dsm_handle	files;
	ConditionVariable changed;	/* what follows */
	slock_t		lock;			/* of what follows */
	uint32		nrounds;		/* so far */
	dsm_handle	round;			/* the present one */
	bool		is_open;		/* may a worker still join it? */
	bool		at_end;			/* is there no round any more? */
	int			working;		/* workers in the round */
} Shared;

/* A round.  It has a segment of its own, with the join and the results. */
typedef struct Round
{
	uint32		number;			/* in the whole call */
	uint32		nfiles;			/* that the round reads */
	bool		divides;		/* are the tasks below ranges? */
	uint64		first_task;
	uint64		ntasks;			/* from the first one on */
	pg_atomic_uint64 next_task; /* from the first one on */
	pg_atomic_uint32 given_up;	/* tasks */
	pg_atomic_uint32 joined;	/* a bit for each process */
	TimestampTz until;			/* no task that is not a range begins later */
} Round;

/* A task that has been done, or given up */
typedef struct KnownTask
{
	size_t		task;
	JoinFile   *file;			/* NULL: it has been given up */
	uint64		first;			/* pair in the file */
	uint64		n;
} KnownTask;

typedef struct ParallelPairs
{
	const JoinEnv *env;
	NearPairs *pairs;
	TempFiles  *files;
	char	   *library;
	int			workers;		/* 0: the leader does all */
	ParallelContext *context;	/* of workers that run, or NULL */
	Shared	   *shared;
	uint32		nrounds;
	int			work_ms;
	size_t		ntasks;			/* of the block */
	size_t		next_task;		/* the next to be done */
	bool		alone;			/* did the task before have very many pairs? */
	KnownTask  *known;			/* tasks whose pairs have not been returned yet */
	size_t		nknown;
	size_t		next_known;
	JoinFile  **known_files;
	size_t		nknown_files;
	const KnownTask *result;	/* whose pairs are returned, or NULL */
	bool		in_process;		/* is the leader doing the task? */
	size_t		task;
	uint64		at;				/* number of the task's pairs so far */
	FingerprintPair *found;
} ParallelPairs;

PGDLLEXPORT void simhash_pairs_worker(dsm_segment *segment, shm_toc *toc);

/* ----------
 * Tasks
 * ----------
 */

static void
file_name(char *name, uint32 round, int process)
{
	snprintf(name, NAMEDATALEN, "round.%u.%d", round, process);
}

/* Report a range or a task if the progress is wanted.  The leader speaks for the workers. */
static void
report_progress(const NearPairs *pairs, bool divides, size_t task)
{
	int			block;
	int			blocks;

	if (IsParallelWorker() || !progress_is_due())
		return;
	blocks = simhash_near_pairs_blocks(pairs, &block);
	if (divides)
		ereport(NOTICE,
				(errmsg("dividing fingerprints: block %d of %d, part %zu of %zu", block, blocks,
						task + 1, (size_t) simhash_near_pairs_ranges(pairs))));
	else
		ereport(NOTICE,
				(errmsg("finding pairs: block %d of %d, part %zu of %zu", block, blocks, task + 1,
						simhash_near_pairs_tasks(pairs))));
}

/* Write the pairs of a task. */
static void
do_task(Round *round, NearPairs *pairs, size_t task, JoinFile *out, uint64 *written,
		int process, TaskResult *result)
{
	const FingerprintPair *found;
	size_t		n;
	uint64		before = *written;

	report_progress(pairs, false, task);
	simhash_near_pairs_task(pairs, task);
	while ((n = simhash_near_pairs_in_task(pairs, &found)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		report_progress(pairs, false, task);
		if (*written - before + n > MOST_TASK_PAIRS)
		{
			result->process = TOO_MANY_PAIRS;
			pg_atomic_fetch_add_u32(&round->given_up, 1);
			return;
		}
		temp_file_append(out, found, n * sizeof(FingerprintPair));
		*written += n;
	}
	result->first = before;
	result->n = *written - before;
	result->process = process;
}

/*
 * Do tasks or divide ranges until the round ends.  The leader does at least one.  Returns the file
 * that was written.
 */
static JoinFile *
do_tasks(Round *round, NearPairs *pairs, TempFiles *files, int process, char *results)
{
	char		name[NAMEDATALEN];
	PartsWriter writer = {0};
	uint64		written = 0;

	file_name(name, round->number, process);
	writer.file = temp_file_create_named(files, name);
	writer.number = process;
	for (int n = 0; round->divides || (process == 0 && n == 0) ||
		 (pg_atomic_read_u32(&round->given_up) == 0 &&
		  GetCurrentTimestamp() < round->until); n++)
	{
		uint64		task = pg_atomic_fetch_add_u64(&round->next_task, 1);

		if (task >= round->ntasks)
			break;
		if (!round->divides)
			do_task(round, pairs, round->first_task + task, writer.file, &written, process,
					(TaskResult *) results + task);
		else
		{
			report_progress(pairs, true, task);
			simhash_near_pairs_divide(pairs, task, &writer,
										results + task * simhash_near_pairs_range_bytes(pairs));
		}
	}
	simhash_parts_writer_end(&writer);
	temp_file_publish(writer.file);
	return writer.file;
}

/* ----------
 * Workers
 * ----------
 */

/* Take part in a round. */
static void
work_in_round(dsm_handle handle, TempFiles *files, const JoinEnv *env)
{
	dsm_segment *segment = dsm_attach(handle);
	shm_toc    *toc;
	Round	   *round;
	const char *names;
	JoinFile  **opened;
	JoinFile   *written;
	NearPairs *pairs;

	if (segment == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not map dynamic shared memory segment")));
	toc = shm_toc_attach(ROUND_MAGIC, dsm_segment_address(segment));
	round = shm_toc_lookup(toc, KEY_ROUND, false);
	names = shm_toc_lookup(toc, KEY_NAMES, false);
	pg_atomic_fetch_or_u32(&round->joined, UINT32_C(1) << (ParallelWorkerNumber + 1));
	opened = palloc(round->nfiles * sizeof(JoinFile *));
	for (uint32 i = 0; i < round->nfiles; i++)
		opened[i] = temp_file_open(files, names + i * NAMEDATALEN);
	pairs = simhash_near_pairs_copy(shm_toc_lookup(toc, KEY_JOIN, false), opened, env);
	written = do_tasks(round, pairs, files, ParallelWorkerNumber + 1,
					   shm_toc_lookup(toc, KEY_RESULTS, false));
	simhash_near_pairs_end(pairs);
	temp_file_remove(written);
	for (uint32 i = 0; i < round->nfiles; i++)
		temp_file_remove(opened[i]);
	pfree(opened);
	dsm_detach(segment);
}

/* The main function of a worker */
void
simhash_pairs_worker(dsm_segment *segment, shm_toc *toc)
{
	Shared	   *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	TempFiles  *files = temp_files_attach(shared->files);
	JoinEnv		env = join_env(CurrentMemoryContext, files);
	uint32		seen = 0;
	bool		at_end = false;

	ConditionVariablePrepareToSleep(&shared->changed);
	while (!at_end)
	{
		dsm_handle	round = 0;
		bool		joins;

		SpinLockAcquire(&shared->lock);
		at_end = shared->at_end;
		joins = !at_end && shared->is_open && shared->nrounds != seen;
		if (joins)
		{
			seen = shared->nrounds;
			round = shared->round;
			shared->working++;
		}
		SpinLockRelease(&shared->lock);
		if (joins)
		{
			ConditionVariableCancelSleep();
			work_in_round(round, files, &env);
			SpinLockAcquire(&shared->lock);
			shared->working--;
			SpinLockRelease(&shared->lock);
			ConditionVariableBroadcast(&shared->changed);
		}
		else if (!at_end)
			ConditionVariableSleep(&shared->changed, PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
	temp_files_end(files);
}

/* Start the workers; false if there are none. */
static bool
begin_workers(ParallelPairs *parallel)
{
	ParallelContext *context;

	EnterParallelMode();
	context = CreateParallelContext(parallel->library, "simhash_pairs_worker",
									parallel->workers);
	shm_toc_estimate_chunk(&context->estimator, sizeof(Shared));
	shm_toc_estimate_keys(&context->estimator, 1);
	InitializeParallelDSM(context);
	if (context->nworkers > 0)
	{
		Shared	   *shared = shm_toc_allocate(context->toc, sizeof(Shared));

		memset(shared, 0, sizeof(Shared));
		shared->files = temp_files_handle(parallel->files);
		ConditionVariableInit(&shared->changed);
		SpinLockInit(&shared->lock);
		shm_toc_insert(context->toc, KEY_SHARED, shared);
		parallel->shared = shared;
		LaunchParallelWorkers(context);
	}
	parallel->context = context;
	return context->nworkers_launched > 0;
}

static void
end_workers(ParallelPairs *parallel)
{
	Shared	   *shared = parallel->shared;

	if (parallel->context == NULL)
		return;
	if (parallel->context->nworkers_launched > 0)
	{
		SpinLockAcquire(&shared->lock);
		shared->at_end = true;
		SpinLockRelease(&shared->lock);
		ConditionVariableBroadcast(&shared->changed);
		WaitForParallelWorkersToFinish(parallel->context);
	}
	DestroyParallelContext(parallel->context);
	ExitParallelMode();
	parallel->context = NULL;
	parallel->shared = NULL;
}

/* Are there workers, or can they be started? */
static bool
have_workers(ParallelPairs *parallel)
{
	if (parallel->workers == 0)
		return false;
	if (parallel->context == NULL && !begin_workers(parallel))
		end_workers(parallel);
	return parallel->context != NULL;
}

/* ----------
 * Rounds
 * ----------
 */

static void *
share(shm_toc *toc, uint64 key, Size size)
{
	void	   *shared = shm_toc_allocate(toc, size);

	memset(shared, 0, size);
	shm_toc_insert(toc, key, shared);
	return shared;
}

/* Make the segment of a round; NULL if the server has no more segments. */
static dsm_segment *
make_round(ParallelPairs *parallel, bool divides, size_t ntasks, Size result_bytes,
		   TimestampTz until)
{
	NearPairs *pairs = parallel->pairs;
	JoinFile   *const *files;
	uint32		nfiles = simhash_near_pairs_files(pairs, &files);
	Size		sizes[] = {sizeof(Round), nfiles * NAMEDATALEN, simhash_near_pairs_size(pairs),
	ntasks * result_bytes};
	shm_toc_estimator estimator;
	dsm_segment *segment;
	shm_toc    *toc;
	Round	   *round;
	char	   *names;

	shm_toc_initialize_estimator(&estimator);
	for (int i = 0; i < lengthof(sizes); i++)
		shm_toc_estimate_chunk(&estimator, sizes[i]);
	shm_toc_estimate_keys(&estimator, lengthof(sizes));
	segment = dsm_create(shm_toc_estimate(&estimator), DSM_CREATE_NULL_IF_MAXSEGMENTS);
	if (segment == NULL)
		return NULL;
	toc = shm_toc_create(ROUND_MAGIC, dsm_segment_address(segment),
						 shm_toc_estimate(&estimator));
	round = share(toc, KEY_ROUND, sizes[0]);
	names = share(toc, KEY_NAMES, sizes[1]);
	simhash_near_pairs_write(pairs, share(toc, KEY_JOIN, sizes[2]));
	share(toc, KEY_RESULTS, sizes[3]);
	for (uint32 i = 0; i < nfiles; i++)
	{
		temp_file_publish(files[i]);
		strlcpy(names + i * NAMEDATALEN, temp_file_name(files[i]), NAMEDATALEN);
	}
	round->number = parallel->nrounds++;
	round->nfiles = nfiles;
	round->divides = divides;
	round->first_task = divides ? 0 : parallel->next_task;
	round->ntasks = ntasks;
	pg_atomic_init_u64(&round->next_task, 0);
	pg_atomic_init_u32(&round->given_up, 0);
	pg_atomic_init_u32(&round->joined, 0);
	round->until = until;
	return segment;
}

/* Let the workers join a round. */
static void
open_round(Shared *shared, dsm_handle round)
{
	SpinLockAcquire(&shared->lock);
	shared->nrounds++;
	shared->round = round;
	shared->is_open = true;
	SpinLockRelease(&shared->lock);
	ConditionVariableBroadcast(&shared->changed);
}

/* Let no worker join the round any more, and wait until those that have joined it end it. */
static void
close_round(const ParallelPairs *parallel, Round *round)
{
	Shared	   *shared = parallel->shared;

	ConditionVariablePrepareToSleep(&shared->changed);
	for (;;)
	{
		int			working;

		SpinLockAcquire(&shared->lock);
		shared->is_open = false;
		working = shared->working;
		SpinLockRelease(&shared->lock);
		if (working == 0)
			break;
		report_progress(parallel->pairs, round->divides, round->first_task +
						Min(pg_atomic_read_u64(&round->next_task), round->ntasks) - 1);
		(void) ConditionVariableTimedSleep(&shared->changed, MS_BETWEEN_REPORTS,
										   PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
}

/*
 * The file of a worker, which is empty if the worker has not joined the round
 */
static JoinFile *
file_of_worker(const ParallelPairs *parallel, Round *round, int process)
{
	char		name[NAMEDATALEN];

	file_name(name, round->number, process);
	if ((pg_atomic_read_u32(&round->joined) >> process & 1) == 0)
		return temp_file_create_named(parallel->files, name);
	return temp_file_open(parallel->files, name);
}

/* Keep the results of tasks, and the files of the processes that did them. */
static void
keep_results(ParallelPairs *parallel, const TaskResult *results, size_t done,
			 JoinFile *const *files, size_t nfiles)
{
	const JoinEnv *env = parallel->env;

	parallel->known = env->resize(env->arg, parallel->known,
								  (parallel->nknown + done) * sizeof(KnownTask));
	for (size_t i = 0; i < done; i++)
	{
		KnownTask  *known = &parallel->known[parallel->nknown++];

		known->task = parallel->next_task + i;
		known->file = results[i].process == TOO_MANY_PAIRS ? NULL : files[results[i].process];
		known->first = results[i].first;
		known->n = results[i].n;
	}
	parallel->known_files = env->resize(env->arg, parallel->known_files,
										(parallel->nknown_files + nfiles) * sizeof(JoinFile *));
	memcpy(parallel->known_files + parallel->nknown_files, files, nfiles * sizeof(JoinFile *));
	parallel->nknown_files += nfiles;
}

/* All known pairs have been returned. */
static void
end_results(ParallelPairs *parallel)
{
	for (size_t i = 0; i < parallel->nknown_files; i++)
		temp_file_remove(parallel->known_files[i]);
	parallel->nknown_files = parallel->nknown = parallel->next_known = 0;
	parallel->result = NULL;
}

/*
 * Divide all ranges of the present block, or do tasks from the next one on until a moment, by
 * several processes.  Returns false if a task had very many pairs, or if there is no segment for
 * the round, so that the leader goes on alone.
 */
static bool
run_round(ParallelPairs *parallel, bool divides, TimestampTz until)
{
	NearPairs *pairs = parallel->pairs;
	size_t		left = divides ? simhash_near_pairs_ranges(pairs) :
		parallel->ntasks - parallel->next_task;
	int			processes = parallel->context->nworkers_launched + 1;
	JoinFile  **files = palloc(processes * sizeof(JoinFile *));
	dsm_segment *segment = make_round(parallel, divides, left,
									  divides ? simhash_near_pairs_range_bytes(pairs) :
									  sizeof(TaskResult), until);
	shm_toc    *toc;
	Round	   *round;
	char	   *results;
	bool		few = true;

	if (segment == NULL)
		return false;
	toc = shm_toc_attach(ROUND_MAGIC, dsm_segment_address(segment));
	round = shm_toc_lookup(toc, KEY_ROUND, false);
	results = shm_toc_lookup(toc, KEY_RESULTS, false);
	open_round(parallel->shared, dsm_segment_handle(segment));
	files[0] = do_tasks(round, pairs, parallel->files, 0, results);
	close_round(parallel, round);
	for (int process = 1; process < processes; process++)
		files[process] = file_of_worker(parallel, round, process);
	if (divides)
		simhash_near_pairs_set_divided(pairs, results, files, processes);
	else
	{
		size_t		done = Min(pg_atomic_read_u64(&round->next_task), left);

		keep_results(parallel, (TaskResult *) results, done, files, processes);
		parallel->next_task += done;
		few = pg_atomic_read_u32(&round->given_up) == 0;
	}
	dsm_detach(segment);
	pfree(files);
	return few;
}

/* Begin the next block; false if there is none. */
static bool
next_block(ParallelPairs *parallel)
{
	uint32		ranges;

	if (!simhash_near_pairs_block(parallel->pairs))
		return false;
	ranges = simhash_near_pairs_ranges(parallel->pairs);
	if (ranges > 0 &&
		!(ranges > 1 && have_workers(parallel) && run_round(parallel, true, 0)))
		simhash_near_pairs_divide_all(parallel->pairs);
	parallel->ntasks = simhash_near_pairs_tasks(parallel->pairs);
	parallel->next_task = 0;
	parallel->alone = false;
	return true;
}

/* Do tasks by several processes for some time, and end the workers. */
static void
run_rounds(ParallelPairs *parallel)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), parallel->work_ms);

	while (parallel->next_task < parallel->ntasks || next_block(parallel))
		if (parallel->next_task < parallel->ntasks &&
			(parallel->alone || !have_workers(parallel) ||
			 !run_round(parallel, false, until) || GetCurrentTimestamp() >= until))
			break;
	end_workers(parallel);
	parallel->work_ms = Min(parallel->work_ms * 2, LAST_WORK_MS);
}

/* Let the leader do a task alone. */
static void
begin_task(ParallelPairs *parallel, size_t task)
{
	parallel->task = task;
	report_progress(parallel->pairs, false, task);
	simhash_near_pairs_task(parallel->pairs, task);
	parallel->in_process = true;
}

/* Go to the next task that is known, or that the leader does alone; false if there is none. */
static bool
next_task(ParallelPairs *parallel)
{
	parallel->at = 0;
	parallel->result = NULL;
	if (parallel->next_known == parallel->nknown)
	{
		end_results(parallel);
		run_rounds(parallel);
	}
	if (parallel->next_known < parallel->nknown)
	{
		const KnownTask *known = &parallel->known[parallel->next_known++];

		if (known->file == NULL)
			begin_task(parallel, known->task);
		else
			parallel->result = known;
		return true;
	}
	if (parallel->next_task == parallel->ntasks)
		return false;
	begin_task(parallel, parallel->next_task++);
	return true;
}

/* ----------
 * Interface
 * ----------
 */

/* The number of workers that a call may use */
int
parallel_pairs_workers(void)
{
	return IsInParallelMode() ? 0 : max_parallel_maintenance_workers;
}

/*
 * Begin to find the pairs of a set, in about "memory" bytes of all processes.  The memory of a
 * task, and so the tasks, do not depend on the number of workers.
 */
void *
parallel_pairs_begin(void *source, FingerprintSet *set, int distance, size_t memory,
					 const JoinEnv *env)
{
	ParallelPairs *parallel = palloc0(sizeof(ParallelPairs));
	size_t		task_memory = Max(Min(memory, PROCESS_MEMORY), memory / MOST_PROCESSES);
	size_t		whole = simhash_near_pairs_whole(set);

	if (whole <= memory / WHOLE_PROCESSES(set->nwords))
		task_memory = Max(task_memory, whole);
	parallel->env = env;
	parallel->files = ((ParallelSource *) source)->files;
	if (parallel->files->shared && set->n >= FEWEST_SHARED)
		parallel->workers = Min(parallel_pairs_workers(), (int) (memory / task_memory) - 1);
	if (parallel->workers > 0)
		parallel->library = own_library(((ParallelSource *) source)->function);
	parallel->found = palloc(PAIRS_AT_A_TIME * sizeof(FingerprintPair));
	parallel->work_ms = FIRST_WORK_MS;
	parallel->pairs = simhash_near_pairs_begin(set, distance, task_memory, env);
	return parallel;
}

/* Read some pairs of the present task from its result; 0 at the end. */
static size_t
read_result(ParallelPairs *parallel)
{
	const KnownTask *known = parallel->result;
	size_t		n = (size_t) Min(known->n - parallel->at, PAIRS_AT_A_TIME);

	if (n > 0)
		temp_file_read(known->file, (known->first + parallel->at) * sizeof(FingerprintPair),
					   parallel->found, n * sizeof(FingerprintPair));
	return n;
}

/* Like simhash_near_pairs_next */
size_t
parallel_pairs_next(void *pairs, const FingerprintPair **found)
{
	ParallelPairs *parallel = pairs;

	do
	{
		size_t		n = 0;

		if (parallel->in_process)
		{
			report_progress(parallel->pairs, false, parallel->task);
			n = simhash_near_pairs_in_task(parallel->pairs, found);
		}
		else if (parallel->result != NULL)
		{
			n = read_result(parallel);
			*found = parallel->found;
		}
		parallel->at += n;
		if (n > 0)
			return n;
		if (parallel->in_process)
			parallel->alone = parallel->at > MOST_TASK_PAIRS;
		parallel->in_process = false;
	} while (next_task(parallel));
	return 0;
}

void
parallel_pairs_end(void *pairs)
{
	ParallelPairs *parallel = pairs;

	end_results(parallel);
	simhash_near_pairs_end(parallel->pairs);
	join_free(parallel->env, parallel->known);
	join_free(parallel->env, parallel->known_files);
	pfree(parallel->found);
	pfree(parallel);
}
