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
#include "core/join/near_pairs_tasks.h"
#include "miscadmin.h"
#include "parallel_pairs.h"
#include "server/phases.h"
#include "server/server_join.h"

#define KEY_SHARED		UINT64CONST(0xB17B10C000000001)
#define KEY_SET			UINT64CONST(0xB17B10C000000002)
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

/* The phases of each block, before the last phase of all. */
enum
{
	DIVIDE,
	JOIN,
	PHASES_OF_BLOCK
};

/* What leader and workers share beside the set; process 0 is the leader. */
typedef struct SharedSearch
{
	dsm_handle	files;
	int			processes;		/* at most, with the leader */
	int			distance;
	size_t		memory;			/* of a process */
	uint64		most;			/* pairs */
	char		set_file[NAMEDATALEN];
	pg_atomic_uint64 npairs;	/* found so far */
	uint64		pairs_of[MOST_PROCESSES];
	uint64		tasks_of[MOST_PROCESSES];	/* with pairs */
} SharedSearch;

/* A process of the join. */
typedef struct SearchProcess
{
	int			number;			/* 0 is the leader */
	Phases	   *phases;
	SharedSearch *shared;
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
} SearchProcess;

PGDLLEXPORT void simhash_pairs_worker(dsm_segment *segment, shm_toc *toc);

/* ----------
 * Phases
 * ----------
 */

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
close_parts(SearchProcess *process)
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
divide_ranges(SearchProcess *process, int phase)
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
		simhash_near_pairs_divide(process->pairs, (uint32) range, &writer,
								  process->results + range * bytes);
	}
	if (writer.file == NULL)
		return;
	simhash_parts_writer_end(&writer);
	temp_file_publish(writer.file);
	process->parts[process->number] = writer.file;
}

/* Open the files in which the ranges of the present block are. */
static void
open_parts(SearchProcess *process, int block)
{
	uint32		ranges = simhash_near_pairs_ranges(process->pairs);
	size_t		bytes = simhash_near_pairs_range_bytes(process->pairs);
	char		name[NAMEDATALEN];

	for (uint32 range = 0; range < ranges; range++)
	{
		uint32		file = ((DividedRange *) (process->results + range * bytes))->file;

		if (process->parts[file] != NULL)
			continue;
		parts_name(name, block, file);
		process->parts[file] = temp_file_open(process->files, name);
	}
	simhash_near_pairs_set_divided(process->pairs, process->results, process->parts);
}

static inline bool
has_too_many_pairs(SharedSearch *shared)
{
	return pg_atomic_read_u64(&shared->npairs) > shared->most;
}

/* Write the pairs of a task, unless there are too many. */
static void
do_task(SearchProcess *process, int block, uint64 task)
{
	SharedSearch *shared = process->shared;
	const FingerprintPair *found;
	uint64	   *written = &shared->pairs_of[process->number];
	TaskPairs	result = {block, process->number, task, *written, 0};
	char		name[NAMEDATALEN];
	size_t		n;

	simhash_near_pairs_begin_task(process->pairs, task);
	while ((n = simhash_near_pairs_next_in_task(process->pairs, &found)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
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
do_tasks(SearchProcess *process, int phase)
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
give_results(SearchProcess *process)
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
}

/* The work of a phase. */
static void
work_in_phase(void *arg, int phase)
{
	SearchProcess *process = arg;

	if (phase == simhash_near_pairs_blocks(process->pairs) * PHASES_OF_BLOCK)
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

static SearchProcess *
make_process(int number, shm_toc *toc, TempFiles *files)
{
	SearchProcess *process = palloc0(sizeof(SearchProcess));

	process->number = number;
	process->phases = phases_of(toc);
	process->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	process->results = shm_toc_lookup(toc, KEY_RESULTS, false);
	process->files = files;
	return process;
}

/* The main function of a worker. */
void
simhash_pairs_worker(dsm_segment *segment, shm_toc *toc)
{
	SharedSearch *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	TempFiles  *files = temp_files_attach(shared->files);
	JoinEnv		env = join_env(CurrentMemoryContext, files);
	SearchProcess *process = make_process(ParallelWorkerNumber + 1, toc, files);
	FingerprintSet *set = simhash_set_copy(shm_toc_lookup(toc, KEY_SET, false),
										   temp_file_open(files, shared->set_file), &env);

	process->pairs = simhash_near_pairs_begin(set, shared->distance, shared->memory, &env);
	phases_work(toc, work_in_phase, process);
	simhash_near_pairs_end(process->pairs);
	simhash_set_end(set);
	temp_files_end(files);
}

/*
 * Start workers, which share what "shared" says and the set.  Returns NULL if there are none.
 */
static ParallelContext *
begin_workers(ParallelSource *source, const NearPairs *pairs, FingerprintSet *set,
			  const SharedSearch *shared)
{
	int			workers = shared->processes - 1;
	int			n = simhash_near_pairs_blocks(pairs) * PHASES_OF_BLOCK + 1;
	Size		results = simhash_near_pairs_results_bytes(pairs);
	Size		set_bytes = simhash_set_bytes(set->nwords);
	ParallelContext *context = phases_begin(source->function, "simhash_pairs_worker", workers, n);

	phases_reserve(context, sizeof(SharedSearch));
	phases_reserve(context, set_bytes);
	phases_reserve(context, results);
	if (phases_share(context, n))
	{
		SharedSearch *copy = phases_allocate(context, KEY_SHARED, sizeof(SharedSearch));

		simhash_set_flush(set);
		temp_file_publish(set->file);
		memcpy(phases_allocate(context, KEY_SET, set_bytes), set, set_bytes);
		*copy = *shared;
		copy->files = temp_files_handle(source->files);
		strlcpy(copy->set_file, temp_file_name(set->file), NAMEDATALEN);
		pg_atomic_init_u64(&copy->npairs, 0);
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

/* Read which tasks have pairs, and let the leader's join give the pairs. */
static void
take_results(SearchProcess *process, const JoinEnv *env)
{
	SharedSearch *shared = process->shared;
	JoinFile   *files[MOST_PROCESSES] = {NULL};
	TaskPairs  *tasks;
	char		name[NAMEDATALEN];
	size_t		n = 0;

	for (int i = 0; i < shared->processes; i++)
		n += shared->tasks_of[i];
	tasks = join_alloc(env, n * sizeof(TaskPairs));
	n = 0;
	for (int i = 0; i < shared->processes; i++)
	{
		if (shared->tasks_of[i] == 0)
			continue;
		pairs_name(name, i);
		files[i] = i == 0 ? process->found : temp_file_open(process->files, name);
		temp_file_read(files[i], shared->pairs_of[i] * sizeof(FingerprintPair), tasks + n,
					   shared->tasks_of[i] * sizeof(TaskPairs));
		n += shared->tasks_of[i];
	}
	qsort(tasks, n, sizeof(TaskPairs), compare_tasks);
	simhash_near_pairs_set_written(process->pairs, tasks, n, files, shared->processes);
}

/*
 * Let workers find all pairs together with this process, and let the join give them; false if
 * there are too many.  Without workers the join still finds the pairs itself.
 */
static bool
find_together(ParallelSource *source, NearPairs *pairs, FingerprintSet *set,
			  const SharedSearch *shared, const JoinEnv *env)
{
	ParallelContext *context = begin_workers(source, pairs, set, shared);
	SearchProcess *process;
	bool		too_many;

	if (context == NULL)
		return true;
	process = make_process(0, context->toc, source->files);
	process->pairs = pairs;
	phases_work(context->toc, work_in_phase, process);
	too_many = has_too_many_pairs(process->shared);
	if (!too_many)
		take_results(process, env);
	phases_end(context);
	if (process->tasks != NULL)
		pfree(process->tasks);
	pfree(process);
	return !too_many;
}

/* ----------
 * Interface
 * ----------
 */

/* The number of workers that a call may use. */
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
NearPairs *
parallel_pairs_begin(void *arg, FingerprintSet *set, int distance, uint64_t most, size_t memory,
					 const JoinEnv *env)
{
	ParallelSource *source = arg;
	size_t		whole = simhash_near_pairs_whole_bytes(set);
	uint64		few = set->n * MOST_PAIRS_OF_ROW;
	SharedSearch shared = {.distance = distance,.most = Min(most, few)};
	NearPairs  *pairs;

	shared.memory = Max(Min(memory, PROCESS_MEMORY), memory / MOST_PROCESSES);
	if (whole <= memory / WHOLE_PROCESSES(set->nwords))
		shared.memory = Max(shared.memory, whole);
	if (source->files->shared && set->n >= FEWEST_SHARED)
		shared.processes = Min(parallel_pairs_workers() + 1, (int) (memory / shared.memory));
	pairs = simhash_near_pairs_begin(set, distance, shared.memory, env);
	if (shared.processes <= 1 || simhash_near_pairs_blocks(pairs) == 0 ||
		find_together(source, pairs, set, &shared, env))
		return pairs;
	simhash_near_pairs_end(pairs);
	return most <= few ? NULL : simhash_near_pairs_begin(set, distance, shared.memory, env);
}
