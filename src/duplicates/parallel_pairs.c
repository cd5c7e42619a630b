/*-------------------------------------------------------------------------
 *
 * parallel_pairs.c
 *		The pairs of a set of fingerprints, found by several processes.
 *
 * The leader and its workers go through the blocks of the join together
 * (core/join/near_pairs.c).  A block has two phases: the processes divide ranges of the
 * fingerprints, and then they join, task by task.  In the last phase each process writes
 * to the end of its file which tasks it has done.
 *
 * The join ends before the leader returns the first pair, because a function that returns
 * rows one by one must not be in parallel mode when it returns a row.  Ranges and tasks do
 * not depend on the number of workers, and the leader returns the pairs in the order of
 * the tasks.  So neither the pairs nor their order depend on the number of workers.
 *
 * If there are very many pairs, the workers end, and the leader finds all pairs alone,
 * while it returns them.  So the files of pairs stay small.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "parallel_pairs.h"
#include "server/phases.h"
#include "server/progress.h"
#include "server/server_join.h"

#define KEY_SHARED		UINT64CONST(0xB17B10C000000001)
#define KEY_JOIN		UINT64CONST(0xB17B10C000000002)
#define KEY_RESULTS		UINT64CONST(0xB17B10C000000003)

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

/* With more pairs for each fingerprint the leader goes on alone. */
#define MOST_PAIRS_OF_ROW	32

#define PAIRS_AT_A_TIME	4096
#define MOST_BLOCKS		(MOST_WORDS * MAX_BLOCKS)

/* The phases of each block, before the last phase of all */
enum
{
	DIVIDE,
	JOIN,
	PHASES_OF_BLOCK
};

/* The pairs of a task, in the file of the process that did it */
typedef struct TaskPairs
{
	uint32		block;
	uint32		process;
	uint64		task;
	uint64		first;
	uint64		n;
} TaskPairs;

/* What leader and workers share.  A set of processes has a bit for each; bit 0 is the leader. */
typedef struct Shared
{
	dsm_handle	files;
	int			processes;		/* at most, with the leader */
	int			blocks;
	uint64		most;			/* pairs */
	char		set_file[NAMEDATALEN];
	pg_atomic_uint64 npairs;	/* found so far */
	pg_atomic_uint32 have_pairs;	/* processes with a file of pairs */
	uint64		pairs_of[MOST_PROCESSES];
	uint64		tasks_of[MOST_PROCESSES];	/* with pairs */
	pg_atomic_uint32 have_parts[MOST_BLOCKS];	/* processes that divided ranges */
} Shared;

/* A process that takes part */
typedef struct Process
{
	int			number;			/* 0 is the leader */
	Phases	   *phases;
	Shared	   *shared;
	char	   *results;		/* of dividing the ranges of a block */
	TempFiles  *files;
	NearPairs  *pairs;
	int			blocks;			/* begun so far */
	bool		in_block;		/* false after the last block */
	JoinFile   *parts[MOST_PROCESSES];	/* open files of the block */
	JoinFile   *found;			/* pairs, or NULL */
	TaskPairs  *tasks;
	size_t		ntasks;
	size_t		room;
} Process;

typedef struct ParallelPairs
{
	NearPairs  *alone;			/* of the leader, or NULL: */
	JoinFile   *found[MOST_PROCESSES];
	TaskPairs  *tasks;			/* in their order */
	size_t		ntasks;
	size_t		task;			/* the present one */
	uint64		at;				/* its next pair */
	FingerprintPair *buffer;
} ParallelPairs;

PGDLLEXPORT void simhash_pairs_worker(dsm_segment *segment, shm_toc *toc);

/*
 * Report a range, or the present task, if the progress is wanted.  The leader speaks for the
 * workers.
 */
static void
report_progress(const NearPairs *pairs, const uint64 *range)
{
	NearPairsProgress progress;

	if (IsParallelWorker() || !progress_is_due())
		return;
	progress = simhash_near_pairs_progress(pairs);
	if (range != NULL)
		ereport(NOTICE,
				(errmsg("dividing fingerprints: block %d of %d, part " UINT64_FORMAT " of %u",
						progress.block, progress.blocks, *range + 1,
						simhash_near_pairs_ranges(pairs))));
	else
		ereport(NOTICE,
				(errmsg("finding pairs: block %d of %d, part %zu of %zu", progress.block,
						progress.blocks, progress.task + 1, simhash_near_pairs_tasks(pairs))));
}

/* ----------
 * Phases
 * ----------
 */

static inline bool
is_one_of(pg_atomic_uint32 *processes, int process)
{
	return (pg_atomic_read_u32(processes) >> process & 1) != 0;
}

static inline void
add_to(pg_atomic_uint32 *processes, int process)
{
	pg_atomic_fetch_or_u32(processes, UINT32_C(1) << process);
}

static void
parts_name(char *name, int block, int process)
{
	snprintf(name, NAMEDATALEN, "parts.%d.%d", block, process);
}

static void
pairs_name(char *name, int process)
{
	snprintf(name, NAMEDATALEN, "pairs.%d", process);
}

/* No process opens a file of the block any more.  The leader removes the files. */
static void
close_parts(Process *process)
{
	for (int i = 0; i < process->shared->processes; i++)
	{
		if (process->parts[i] != NULL)
			temp_file_remove(process->parts[i]);
		process->parts[i] = NULL;
	}
}

/* Divide ranges of the present block until all are taken. */
static void
divide_ranges(Process *process, int phase)
{
	int			block = phase / PHASES_OF_BLOCK;
	uint32		ranges = simhash_near_pairs_ranges(process->pairs);
	size_t		bytes = simhash_near_pairs_range_bytes(process->pairs);
	PartsWriter writer = {0};
	char		name[NAMEDATALEN];
	uint64		range;

	while ((range = phases_next_task(process->phases, phase)) < ranges)
	{
		if (writer.file == NULL)
		{
			parts_name(name, block, process->number);
			writer.file = temp_file_create_named(process->files, name);
			writer.number = process->number;
		}
		report_progress(process->pairs, &range);
		simhash_near_pairs_divide(process->pairs, (uint32) range, &writer,
								  process->results + range * bytes);
	}
	if (writer.file == NULL)
		return;
	simhash_parts_writer_end(&writer);
	temp_file_publish(writer.file);
	process->parts[process->number] = writer.file;
	add_to(&process->shared->have_parts[block], process->number);
}

static void
open_parts(Process *process, int block)
{
	char		name[NAMEDATALEN];

	for (int i = 0; i < process->shared->processes; i++)
		if (process->parts[i] == NULL && is_one_of(&process->shared->have_parts[block], i))
		{
			parts_name(name, block, i);
			process->parts[i] = temp_file_open(process->files, name);
		}
	simhash_near_pairs_set_divided(process->pairs, process->results, process->parts);
}

static inline bool
has_too_many_pairs(Shared *shared)
{
	return pg_atomic_read_u64(&shared->npairs) > shared->most;
}

/* Write the pairs of a task, unless there are too many. */
static void
do_task(Process *process, int block, uint64 task)
{
	Shared	   *shared = process->shared;
	const FingerprintPair *found;
	uint64	   *written = &shared->pairs_of[process->number];
	TaskPairs	result = {block, process->number, task, *written, 0};
	char		name[NAMEDATALEN];
	size_t		n;

	simhash_near_pairs_begin_task(process->pairs, task);
	report_progress(process->pairs, NULL);
	while ((n = simhash_near_pairs_next_in_task(process->pairs, &found)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		report_progress(process->pairs, NULL);
		pg_atomic_fetch_add_u64(&shared->npairs, n);
		if (has_too_many_pairs(shared))
			return;
		if (process->found == NULL)
		{
			pairs_name(name, process->number);
			process->found = temp_file_create_named(process->files, name);
		}
		temp_file_append(process->found, found, n * sizeof(FingerprintPair));
		*written += n;
	}
	result.n = *written - result.first;
	if (result.n == 0)
		return;
	if (process->ntasks == process->room)
	{
		process->room = Max(64, process->room * 2);
		process->tasks = process->tasks == NULL ? palloc(process->room * sizeof(TaskPairs)) :
			repalloc_huge(process->tasks, process->room * sizeof(TaskPairs));
	}
	process->tasks[process->ntasks++] = result;
}

/* Join tasks of the present block until all are taken. */
static void
do_tasks(Process *process, int phase)
{
	int			block = phase / PHASES_OF_BLOCK;
	uint64		task;

	if (simhash_near_pairs_ranges(process->pairs) > 0)
		open_parts(process, block);
	while (!has_too_many_pairs(process->shared) &&
		   (task = phases_next_task(process->phases, phase)) <
		   simhash_near_pairs_tasks(process->pairs))
		do_task(process, block, task);
}

/* Let the leader read the pairs, and which tasks they are of. */
static void
give_results(Process *process)
{
	close_parts(process);
	if (process->found == NULL)
		return;
	if (has_too_many_pairs(process->shared))
	{
		temp_file_remove(process->found);
		return;
	}
	temp_file_append(process->found, process->tasks, process->ntasks * sizeof(TaskPairs));
	temp_file_publish(process->found);
	process->shared->tasks_of[process->number] = process->ntasks;
	add_to(&process->shared->have_pairs, process->number);
}

/* The work of a phase */
static void
work_in_phase(void *arg, int phase)
{
	Process    *process = arg;

	if (phase == process->shared->blocks * PHASES_OF_BLOCK)
	{
		give_results(process);
		return;
	}
	if (process->blocks <= phase / PHASES_OF_BLOCK)
		close_parts(process);
	for (; process->blocks <= phase / PHASES_OF_BLOCK; process->blocks++)
		process->in_block = simhash_near_pairs_next_block(process->pairs);
	if (!process->in_block)
		return;
	if (phase % PHASES_OF_BLOCK == DIVIDE)
		divide_ranges(process, phase);
	else
		do_tasks(process, phase);
}

/* ----------
 * Processes
 * ----------
 */

static Process *
make_process(int number, shm_toc *toc, TempFiles *files)
{
	Process    *process = palloc0(sizeof(Process));

	process->number = number;
	process->phases = phases_of(toc);
	process->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	process->results = shm_toc_lookup(toc, KEY_RESULTS, false);
	process->files = files;
	return process;
}

/* The main function of a worker */
void
simhash_pairs_worker(dsm_segment *segment, shm_toc *toc)
{
	Shared	   *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	TempFiles  *files = temp_files_attach(shared->files);
	JoinEnv		env = join_env(CurrentMemoryContext, files);
	Process    *process = make_process(ParallelWorkerNumber + 1, toc, files);

	process->pairs = simhash_near_pairs_copy(shm_toc_lookup(toc, KEY_JOIN, false),
											 temp_file_open(files, shared->set_file), &env);
	phases_work(toc, work_in_phase, process);
	simhash_near_pairs_end(process->pairs);
	temp_files_end(files);
}

static void
init_shared(Shared *shared, NearPairs *pairs, const FingerprintSet *set, TempFiles *files,
			int processes, uint64 most)
{
	shared->files = temp_files_handle(files);
	shared->processes = processes;
	shared->blocks = simhash_near_pairs_progress(pairs).blocks;
	shared->most = most;
	strlcpy(shared->set_file, temp_file_name(set->file), NAMEDATALEN);
	pg_atomic_init_u64(&shared->npairs, 0);
	pg_atomic_init_u32(&shared->have_pairs, 0);
	for (int block = 0; block < MOST_BLOCKS; block++)
		pg_atomic_init_u32(&shared->have_parts[block], 0);
}

/* Start workers.  Returns NULL if there are none. */
static ParallelContext *
begin_workers(ParallelSource *source, NearPairs *pairs, FingerprintSet *set, int workers,
			  uint64 most)
{
	int			n = simhash_near_pairs_progress(pairs).blocks * PHASES_OF_BLOCK + 1;
	Size		results = simhash_near_pairs_results_bytes(pairs);
	ParallelContext *context = phases_begin(source->function, "simhash_pairs_worker", workers, n);

	phases_reserve(context, sizeof(Shared));
	phases_reserve(context, simhash_near_pairs_size());
	phases_reserve(context, results);
	if (phases_share(context, n))
	{
		simhash_near_pairs_write(pairs, phases_allocate(context, KEY_JOIN,
														simhash_near_pairs_size()));
		temp_file_publish(set->file);
		init_shared(phases_allocate(context, KEY_SHARED, sizeof(Shared)), pairs, set,
					source->files, workers + 1, most);
		phases_allocate(context, KEY_RESULTS, results);
		if (phases_launch(context))
			return context;
	}
	phases_end(context);
	return NULL;
}

static int
compare_tasks(const void *a, const void *b)
{
	const TaskPairs *x = a;
	const TaskPairs *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Read which tasks have pairs, and open the files of the pairs. */
static void
take_results(ParallelPairs *parallel, Process *process)
{
	Shared	   *shared = process->shared;
	char		name[NAMEDATALEN];
	size_t		n = 0;

	for (int i = 0; i < shared->processes; i++)
		n += shared->tasks_of[i];
	parallel->tasks = MemoryContextAllocHuge(CurrentMemoryContext, (n + 1) * sizeof(TaskPairs));
	for (int i = 0; i < shared->processes; i++)
	{
		if (!is_one_of(&shared->have_pairs, i))
			continue;
		pairs_name(name, i);
		parallel->found[i] = i == 0 ? process->found : temp_file_open(process->files, name);
		temp_file_read(parallel->found[i], shared->pairs_of[i] * sizeof(FingerprintPair),
					   parallel->tasks + parallel->ntasks,
					   shared->tasks_of[i] * sizeof(TaskPairs));
		parallel->ntasks += shared->tasks_of[i];
	}
	qsort(parallel->tasks, parallel->ntasks, sizeof(TaskPairs), compare_tasks);
}

/* What the processes have found */
typedef enum Found
{
	NOTHING,					/* there are no workers */
	ALL_PAIRS,
	TOO_MANY_PAIRS
} Found;

/* Find all pairs by several processes. */
static Found
find_together(ParallelPairs *parallel, ParallelSource *source, NearPairs *pairs,
			  FingerprintSet *set, int workers, uint64 most)
{
	ParallelContext *context = begin_workers(source, pairs, set, workers, most);
	Process    *process;
	Found		found;

	if (context == NULL)
		return NOTHING;
	process = make_process(0, context->toc, source->files);
	process->pairs = pairs;
	phases_work(context->toc, work_in_phase, process);
	found = has_too_many_pairs(process->shared) ? TOO_MANY_PAIRS : ALL_PAIRS;
	if (found == ALL_PAIRS)
		take_results(parallel, process);
	phases_end(context);
	if (process->tasks != NULL)
		pfree(process->tasks);
	pfree(process);
	return found;
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
 * task, and so the tasks, do not depend on the number of workers.  The result is NULL if the
 * processes have found more than "most" pairs.
 */
void *
parallel_pairs_begin(void *arg, FingerprintSet *set, int distance, uint64_t most, size_t memory,
					 const JoinEnv *env)
{
	ParallelSource *source = arg;
	ParallelPairs *parallel = palloc0(sizeof(ParallelPairs));
	size_t		task_memory = Max(Min(memory, PROCESS_MEMORY), memory / MOST_PROCESSES);
	size_t		whole = simhash_near_pairs_whole_bytes(set);
	uint64		few = set->n * MOST_PAIRS_OF_ROW;
	NearPairs  *pairs;
	int			workers = 0;
	Found		found;

	if (whole <= memory / WHOLE_PROCESSES(set->nwords))
		task_memory = Max(task_memory, whole);
	if (source->files->shared && set->n >= FEWEST_SHARED)
		workers = Min(parallel_pairs_workers(), (int) (memory / task_memory) - 1);
	pairs = simhash_near_pairs_begin(set, distance, task_memory, env);
	parallel->alone = pairs;
	if (workers <= 0 || simhash_near_pairs_progress(pairs).blocks == 0)
		return parallel;
	found = find_together(parallel, source, pairs, set, workers, Min(most, few));
	if (found == NOTHING)
		return parallel;
	simhash_near_pairs_end(pairs);
	parallel->alone = NULL;
	if (found == ALL_PAIRS)
		parallel->buffer = palloc(PAIRS_AT_A_TIME * sizeof(FingerprintPair));
	else if (most <= few)
	{
		pfree(parallel);
		return NULL;
	}
	else
		parallel->alone = simhash_near_pairs_begin(set, distance, task_memory, env);
	return parallel;
}

/* Read some pairs of the tasks, in their order; 0 at the end. */
static size_t
read_pairs(ParallelPairs *parallel)
{
	const TaskPairs *task = &parallel->tasks[parallel->task];
	size_t		n;

	if (parallel->task == parallel->ntasks)
		return 0;
	n = (size_t) Min(task->n - parallel->at, PAIRS_AT_A_TIME);
	temp_file_read(parallel->found[task->process],
				   (task->first + parallel->at) * sizeof(FingerprintPair), parallel->buffer,
				   n * sizeof(FingerprintPair));
	parallel->at += n;
	if (parallel->at == task->n)
	{
		parallel->task++;
		parallel->at = 0;
	}
	return n;
}

/* Like simhash_near_pairs_next */
size_t
parallel_pairs_next(void *pairs, const FingerprintPair **found)
{
	ParallelPairs *parallel = pairs;
	size_t		n;

	if (parallel->alone == NULL)
	{
		*found = parallel->buffer;
		return read_pairs(parallel);
	}
	do
	{
		n = simhash_near_pairs_next_in_task(parallel->alone, found);
		if (n == 0 && !simhash_near_pairs_next_task(parallel->alone))
			return 0;
		report_progress(parallel->alone, NULL);
	} while (n == 0);
	return n;
}

void
parallel_pairs_end(void *pairs)
{
	ParallelPairs *parallel = pairs;

	if (parallel->alone != NULL)
		simhash_near_pairs_end(parallel->alone);
	for (int i = 0; i < MOST_PROCESSES; i++)
		if (parallel->found[i] != NULL)
			temp_file_remove(parallel->found[i]);
	if (parallel->tasks != NULL)
		pfree(parallel->tasks);
	if (parallel->buffer != NULL)
		pfree(parallel->buffer);
	pfree(parallel);
}
