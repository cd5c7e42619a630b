/*-------------------------------------------------------------------------
 *
 * parallel_pairs.c
 *		The pairs of stored fingerprints, found by several processes.
 *
 * For each block the fingerprints are divided in parts, range by range, and then
 * joined, task by task (core/join/stored_pairs.c).  The workers and the leader take
 * one range or task after the other, and each process writes to a file that all can
 * read.  Ranges and tasks do not depend on the number of workers, and the leader
 * returns the pairs in the order of the tasks.  So neither the pairs nor their order
 * depend on the number of workers.
 *
 * A function that returns rows one by one must not be in parallel mode when it
 * returns a row.  So the work is done in rounds.  A round divides all ranges, or does
 * tasks, and then no process begins a task after some seconds.  A task that has very
 * many pairs is given up and ends the round, so that files of pairs stay small.  The
 * leader does the task alone while it returns the pairs, and goes on alone until a task
 * has fewer pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "documents.h"
#include "miscadmin.h"
#include "parallel_pairs.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "server/catalog.h"
#include "server/compat.h"
#include "server/progress.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#define KEY_SHARED		UINT64CONST(0xB17B10C000000001)
#define KEY_JOIN		UINT64CONST(0xB17B10C000000002)
#define KEY_RESULTS		UINT64CONST(0xB17B10C000000003)
#define KEY_NAMES		UINT64CONST(0xB17B10C000000004)

/* What a process needs at least, and the number of processes that more memory is for */
#define PROCESS_MEMORY	((size_t) 28 * 1024 * 1024)
#define MOST_PROCESSES	16

#define FIRST_ROUND_MS	4000
#define LAST_ROUND_MS	64000
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

typedef struct Shared
{
	dsm_handle	files;
	uint32		nfiles;			/* that the round reads */
	uint32		round;
	bool		divides;		/* are the tasks below ranges? */
	uint64		first_task;
	uint64		ntasks;			/* from the first one on */
	pg_atomic_uint64 next_task; /* from the first one on */
	pg_atomic_uint32 working;	/* workers that do tasks */
	pg_atomic_uint32 given_up;	/* tasks */
	TimestampTz until;			/* no task that is not a range begins later */
} Shared;

typedef struct ParallelPairs
{
	MemoryContext context;
	const JoinEnv *env;
	StoredPairs *pairs;
	TempFiles  *files;
	char	   *library;
	int			workers;		/* 0: the leader does all */
	uint32		round;
	int			round_ms;
	size_t		ntasks;			/* of the block */
	size_t		task;			/* whose pairs are returned */
	bool		in_process;		/* is the leader doing it? */
	bool		alone;			/* did the task before have very many pairs? */
	size_t		first;			/* task of the round */
	size_t		known;			/* tasks before this one have results */
	TaskResult *results;		/* of the round */
	JoinFile  **result_files;	/* of processes; NULL if not open */
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
report_progress(const StoredPairs *pairs, bool divides, size_t task)
{
	int			block;
	int			blocks;

	if (IsParallelWorker() || !progress_is_due())
		return;
	blocks = simhash_stored_pairs_blocks(pairs, &block);
	if (divides)
		ereport(NOTICE,
				(errmsg("dividing fingerprints: block %d of %d, part %zu of %zu", block, blocks,
						task + 1, (size_t) simhash_stored_pairs_ranges(pairs))));
	else
		ereport(NOTICE,
				(errmsg("finding pairs: block %d of %d, part %zu of %zu", block, blocks, task + 1,
						simhash_stored_pairs_tasks(pairs))));
}

/* Write the pairs of a task. */
static void
do_task(Shared *shared, StoredPairs *pairs, size_t task, JoinFile *out, uint64 *written,
		int process, TaskResult *result)
{
	const FingerprintPair *found;
	size_t		n;
	uint64		before = *written;

	report_progress(pairs, false, task);
	simhash_stored_pairs_task(pairs, task);
	while ((n = simhash_stored_pairs_in_task(pairs, &found)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		report_progress(pairs, false, task);
		if (*written - before + n > MOST_TASK_PAIRS)
		{
			result->process = TOO_MANY_PAIRS;
			pg_atomic_fetch_add_u32(&shared->given_up, 1);
			return;
		}
		temp_file_append(out, found, n * sizeof(FingerprintPair));
		*written += n;
	}
	result->first = before;
	result->n = *written - before;
	result->process = process;
}

/* Do tasks or divide ranges until the round ends.  The leader does at least one. */
static JoinFile *
do_tasks(Shared *shared, StoredPairs *pairs, TempFiles *files, int process, char *results)
{
	char		name[NAMEDATALEN];
	PartsWriter writer = {0};
	uint64		written = 0;

	file_name(name, shared->round, process);
	writer.file = temp_file_create_named(files, name);
	writer.number = process;
	for (int n = 0; shared->divides || (process == 0 && n == 0) ||
		 (pg_atomic_read_u32(&shared->given_up) == 0 &&
		  GetCurrentTimestamp() < shared->until); n++)
	{
		uint64		task = pg_atomic_fetch_add_u64(&shared->next_task, 1);

		if (task >= shared->ntasks)
			break;
		if (!shared->divides)
			do_task(shared, pairs, shared->first_task + task, writer.file, &written, process,
					(TaskResult *) results + task);
		else
		{
			report_progress(pairs, true, task);
			simhash_stored_pairs_divide(pairs, task, &writer,
										results + task * simhash_stored_pairs_range_bytes(pairs));
		}
	}
	simhash_parts_writer_end(&writer);
	temp_file_publish(writer.file);
	return writer.file;
}

/* The main function of a worker */
void
simhash_pairs_worker(dsm_segment *segment, shm_toc *toc)
{
	Shared	   *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	const char *names = shm_toc_lookup(toc, KEY_NAMES, false);
	TempFiles  *files = temp_files_attach(shared->files);
	JoinEnv		env = join_env(CurrentMemoryContext, files);
	JoinFile  **opened = palloc(shared->nfiles * sizeof(JoinFile *));

	pg_atomic_fetch_add_u32(&shared->working, 1);
	for (uint32 i = 0; i < shared->nfiles; i++)
		opened[i] = temp_file_open(files, names + i * NAMEDATALEN);
	do_tasks(shared,
			 simhash_stored_pairs_copy(shm_toc_lookup(toc, KEY_JOIN, false), opened, &env),
			 files, ParallelWorkerNumber + 1, shm_toc_lookup(toc, KEY_RESULTS, false));
	temp_files_end(files);
	pg_atomic_fetch_sub_u32(&shared->working, 1);
}

/* ----------
 * Rounds
 * ----------
 */

/* End the results of the last round. */
static void
end_results(ParallelPairs *parallel)
{
	for (int process = 0; process <= parallel->workers; process++)
	{
		if (parallel->result_files[process] != NULL)
			temp_file_remove(parallel->result_files[process]);
		parallel->result_files[process] = NULL;
	}
	if (parallel->results != NULL)
		pfree(parallel->results);
	parallel->results = NULL;
}

static void
reserve(ParallelContext *context, Size size)
{
	shm_toc_estimate_chunk(&context->estimator, size);
	shm_toc_estimate_keys(&context->estimator, 1);
}

static void *
share(ParallelContext *context, uint64 key, Size size)
{
	void	   *shared = shm_toc_allocate(context->toc, size);

	memset(shared, 0, size);
	shm_toc_insert(context->toc, key, shared);
	return shared;
}

static Shared *
share_round(ParallelPairs *parallel, ParallelContext *context, bool divides, size_t ntasks)
{
	Shared	   *shared = share(context, KEY_SHARED, sizeof(Shared));
	JoinFile   *const *files;
	char	   *names;

	shared->nfiles = simhash_stored_pairs_files(parallel->pairs, &files);
	names = share(context, KEY_NAMES, shared->nfiles * NAMEDATALEN);
	for (uint32 i = 0; i < shared->nfiles; i++)
	{
		temp_file_publish(files[i]);
		strlcpy(names + i * NAMEDATALEN, temp_file_name(files[i]), NAMEDATALEN);
	}
	shared->files = temp_files_handle(parallel->files);
	shared->round = parallel->round;
	shared->divides = divides;
	shared->first_task = divides ? 0 : parallel->task;
	shared->ntasks = ntasks;
	pg_atomic_init_u64(&shared->next_task, 0);
	pg_atomic_init_u32(&shared->working, 0);
	pg_atomic_init_u32(&shared->given_up, 0);
	shared->until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), parallel->round_ms);
	simhash_stored_pairs_write(parallel->pairs,
							   share(context, KEY_JOIN,
									 simhash_stored_pairs_size(parallel->pairs)));
	return shared;
}

/* Wait until no worker does tasks any more. */
static void
wait_for_workers(const ParallelPairs *parallel, Shared *shared)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (pg_atomic_read_u32(&shared->working) == 0)
			return;
		report_progress(parallel->pairs, shared->divides, shared->first_task +
						Min(pg_atomic_read_u64(&shared->next_task), shared->ntasks) - 1);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 MS_BETWEEN_REPORTS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/* Open the files of the processes.  The leader's is the first. */
static void
open_files(const ParallelPairs *parallel, const Shared *shared, int launched,
		   JoinFile **files)
{
	for (int process = 1; process <= launched; process++)
	{
		char		name[NAMEDATALEN];

		file_name(name, shared->round, process);
		files[process] = temp_file_open(parallel->files, name);
	}
}

/*
 * Divide all ranges of the present block, or do tasks from the present one on, by several
 * processes.  Returns the number of ranges or tasks done: at least one, or 0 if no worker could
 * be started.
 */
static size_t
run_round(ParallelPairs *parallel, bool divides)
{
	StoredPairs *pairs = parallel->pairs;
	size_t		left = divides ? simhash_stored_pairs_ranges(pairs) :
		parallel->ntasks - parallel->task;
	size_t		result_bytes = divides ? simhash_stored_pairs_range_bytes(pairs) :
		sizeof(TaskResult);
	size_t		done = 0;
	JoinFile   *const *files;
	ParallelContext *context;

	EnterParallelMode();
	context = CreateParallelContext(parallel->library, "simhash_pairs_worker",
									(int) Min(parallel->workers, left - 1));
	reserve(context, sizeof(Shared));
	reserve(context, simhash_stored_pairs_files(pairs, &files) * NAMEDATALEN);
	reserve(context, simhash_stored_pairs_size(pairs));
	reserve(context, left * result_bytes);
	InitializeParallelDSM(context);
	if (context->nworkers > 0)
	{
		Shared	   *shared = share_round(parallel, context, divides, left);
		char	   *results = share(context, KEY_RESULTS, left * result_bytes);
		int			launched;

		LaunchParallelWorkers(context);
		launched = context->nworkers_launched;
		if (launched > 0)
		{
			JoinFile  **written = parallel->result_files;

			written[0] = do_tasks(shared, pairs, parallel->files, 0, results);
			wait_for_workers(parallel, shared);
			WaitForParallelWorkersToFinish(context);
			done = Min(pg_atomic_read_u64(&shared->next_task), left);
			open_files(parallel, shared, launched, written);
			if (divides)
			{
				simhash_stored_pairs_set_divided(pairs, results, written, launched + 1);
				memset(written, 0, (parallel->workers + 1) * sizeof(JoinFile *));
			}
			else
			{
				parallel->results = MemoryContextAllocHuge(parallel->context,
														   done * sizeof(TaskResult));
				memcpy(parallel->results, results, done * sizeof(TaskResult));
			}
		}
	}
	DestroyParallelContext(context);
	ExitParallelMode();
	parallel->round++;
	if (!divides)
		parallel->round_ms = Min(parallel->round_ms * 2, LAST_ROUND_MS);
	return done;
}

/* Begin the next block; false if there is none. */
static bool
next_block(ParallelPairs *parallel)
{
	uint32		ranges;

	end_results(parallel);
	if (!simhash_stored_pairs_block(parallel->pairs))
		return false;
	ranges = simhash_stored_pairs_ranges(parallel->pairs);
	if (ranges > 0 &&
		(parallel->workers == 0 || ranges == 1 || run_round(parallel, true) == 0))
		simhash_stored_pairs_divide_all(parallel->pairs);
	parallel->ntasks = simhash_stored_pairs_tasks(parallel->pairs);
	parallel->task = parallel->known = 0;
	parallel->alone = false;
	return true;
}

/* Make the next tasks' pairs known, or begin to find the next task's. */
static void
next_tasks(ParallelPairs *parallel)
{
	end_results(parallel);
	parallel->first = parallel->task;
	if (parallel->workers > 0 && !parallel->alone && parallel->ntasks - parallel->task > 1)
		parallel->known = parallel->task + run_round(parallel, false);
	if (parallel->known > parallel->task)
		return;
	report_progress(parallel->pairs, false, parallel->task);
	simhash_stored_pairs_task(parallel->pairs, parallel->task);
	parallel->in_process = true;
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
parallel_pairs_begin(void *source, StoredSet *set, int distance, size_t memory,
					 const JoinEnv *env)
{
	ParallelPairs *parallel = palloc0(sizeof(ParallelPairs));
	size_t		task_memory = Max(Min(memory, PROCESS_MEMORY), memory / MOST_PROCESSES);

	parallel->context = CurrentMemoryContext;
	parallel->env = env;
	parallel->files = ((ParallelSource *) source)->files;
	if (parallel->files->shared)
		parallel->workers = Min(parallel_pairs_workers(), (int) (memory / task_memory) - 1);
	if (parallel->workers > 0)
		parallel->library = own_library(((ParallelSource *) source)->function);
	parallel->result_files = palloc0((parallel->workers + 1) * sizeof(JoinFile *));
	parallel->found = palloc(PAIRS_AT_A_TIME * sizeof(FingerprintPair));
	parallel->round_ms = FIRST_ROUND_MS;
	parallel->pairs = simhash_stored_pairs_begin(set, distance, task_memory, env);
	return parallel;
}

/* Read some pairs of the present task from its result; 0 at the end. */
static size_t
read_result(ParallelPairs *parallel, const TaskResult *result)
{
	size_t		n = (size_t) Min(result->n - parallel->at, PAIRS_AT_A_TIME);

	if (n > 0)
		temp_file_read(parallel->result_files[result->process],
					   (result->first + parallel->at) * sizeof(FingerprintPair),
					   parallel->found, n * sizeof(FingerprintPair));
	parallel->at += n;
	return n;
}

/* Like simhash_stored_pairs_next */
size_t
parallel_pairs_next(void *pairs, const FingerprintPair **found)
{
	ParallelPairs *parallel = pairs;

	for (;;)
	{
		size_t		n = 0;

		if (parallel->in_process)
		{
			report_progress(parallel->pairs, false, parallel->task);
			n = simhash_stored_pairs_in_task(parallel->pairs, found);
			parallel->at += n;
		}
		else if (parallel->task < parallel->known)
		{
			const TaskResult *result = &parallel->results[parallel->task - parallel->first];

			if (result->process == TOO_MANY_PAIRS)
			{
				simhash_stored_pairs_task(parallel->pairs, parallel->task);
				parallel->in_process = true;
				continue;
			}
			n = read_result(parallel, result);
			*found = parallel->found;
		}
		else if (parallel->task < parallel->ntasks)
		{
			next_tasks(parallel);
			continue;
		}
		else if (next_block(parallel))
			continue;
		else
			return 0;
		if (n > 0)
			return n;
		parallel->in_process = false;
		parallel->alone = parallel->at > MOST_TASK_PAIRS;
		parallel->task++;
		parallel->at = 0;
	}
}

void
parallel_pairs_end(void *pairs)
{
	ParallelPairs *parallel = pairs;

	end_results(parallel);
	simhash_stored_pairs_end(parallel->pairs);
	pfree(parallel->result_files);
	pfree(parallel->found);
	pfree(parallel);
}
