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
 * rows one by one must not be in parallel mode when it returns a row.  Ranges and tasks
 * do not depend on the number of workers, and the leader returns the pairs in the order
 * of the tasks.  So neither the pairs nor their order depend on the number of workers.
 *
 * If there are very many pairs, the workers end, and the leader finds all pairs alone,
 * while it returns them.  So the files of pairs stay small.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "core/join/near_pairs_tasks.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "parallel_pairs.h"
#include "server/phases.h"
#include "server/server_env.h"

#define KEY_SHARED		UINT64CONST(0xB17B10C000000001)
#define KEY_SET			UINT64CONST(0xB17B10C000000002)
#define KEY_RANGES		UINT64CONST(0xB17B10C000000003)

/* Use several processes for at least this many fingerprints. */
#define FEWEST_SHARED	(1 << 17)

/* The least memory of a process, and the largest number of processes */
#define PROCESS_MEMORY	((size_t) 28 * 1024 * 1024)
#define MOST_PROCESSES	16

/*
 * Each process gets the memory for all fingerprints if there is enough for this many
 * processes.  Fingerprints of several words cost more to divide, so fewer processes
 * suffice.
 */
#define WHOLE_PROCESSES(nwords)	((nwords) > 1 ? 2 : 8)

/* With more pairs per fingerprint, the workers end and the leader finds all pairs alone. */
#define MOST_PAIRS_OF_ROW	32

/* Read this many pairs at once. */
#define READ_AT_ONCE	4096

/* The phases of each block.  One more phase follows those of the last block. */
enum
{
	DIVIDE,
	JOIN,
	PHASES_OF_BLOCK
};

/* What leader and workers share besides the set.  Process 0 is the leader. */
typedef struct SharedSearch
{
	dsm_handle	files;
	int			processes;		/* at most, with the leader */
	int			distance;
	size_t		memory;			/* of a process */
	uint64		most;			/* the largest number of pairs */
	char		set_file[NAMEDATALEN];
	pg_atomic_uint64 npairs;	/* found so far */
	uint64		pairs_of[MOST_PROCESSES];
	uint64		tasks_of[MOST_PROCESSES];	/* tasks that have pairs */
} SharedSearch;

/* The pairs of a task, in a file that a process has written. */
typedef struct TaskPairs
{
	uint32		block;
	uint32		file;			/* number of the process */
	uint64		task;
	uint64		first;
	uint64		n;
} TaskPairs;

/* The pairs of a set while they are returned.  This process has found them alone or with others. */
typedef struct ParallelPairs
{
	const Env  *env;
	NearPairs  *alone;			/* NULL if the tasks below have all pairs */
	TaskPairs  *tasks;			/* those with pairs, in their order */
	size_t		ntasks;
	size_t		task;			/* the current one */
	uint64		at;				/* its next pair */
	JoinFile   *files[MOST_PROCESSES];	/* NULL: a process without pairs */
	FingerprintPair *found;
} ParallelPairs;

/* A process of the join. */
typedef struct SearchProcess
{
	int			number;			/* 0 is the leader */
	Phases	   *phases;
	SharedSearch *shared;
	char	   *ranges;			/* shared memory for the ranges of a block */
	TempFiles  *files;
	NearPairs  *pairs;
	int			blocks;			/* begun so far */
	bool		in_block;		/* false after the last block */
	JoinFile   *parts[MOST_PROCESSES];	/* open files of the block */
	JoinFile   *found;			/* pairs, or NULL */
	StringInfoData tasks;		/* array of TaskPairs */
} SearchProcess;

PGDLLEXPORT void simhash_pairs_worker(dsm_segment *segment, shm_toc *toc);

/* ----------
 * Phases
 * ----------
 */

/* The names of files */
static const char *
parts_name(int block, int process)
{
	return psprintf("parts.%d.%d", block, process);
}

static const char *
pairs_name(int process)
{
	return psprintf("pairs.%d", process);
}

/*
 * Close the files of the last block, because no process reads it any more.  In the leader
 * this also removes them.
 */
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

/*
 * Go to a block.  A process that started late may have missed earlier blocks or some of
 * their phases.
 */
static void
go_to_block(SearchProcess *process, int block)
{
	if (process->blocks > block)
		return;
	close_parts(process);
	for (; process->blocks <= block; process->blocks++)
		process->in_block = core_near_pairs_next_block(process->pairs);
}

/* Divide ranges of the current block until all are taken. */
static void
divide_ranges(SearchProcess *process, int phase)
{
	int			block = phase / PHASES_OF_BLOCK;
	const Parts *parts = core_near_pairs_parts(process->pairs);
	PartsWriter writer = {0};
	uint64		range;

	while (parts != NULL &&
		   (range = phases_next_task(process->phases, phase)) < parts->nranges)
	{
		if (writer.file == NULL)
		{
			writer.file = temp_file_create_named(process->files,
												 parts_name(block, process->number));
			writer.number = process->number;
		}
		core_near_pairs_divide(process->pairs, (uint32) range, &writer, process->ranges);
	}
	if (writer.file == NULL)
		return;
	core_parts_writer_end(&writer);
	temp_file_publish(writer.file);
	process->parts[process->number] = writer.file;
}

/* Open the files that have the divided ranges of the current block. */
static void
open_parts(SearchProcess *process, const Parts *parts, int block)
{

	for (uint32 range = 0; range < parts->nranges; range++)
	{
		uint32		file = divided_range(parts, process->ranges, range)->file;

		if (process->parts[file] == NULL)
			process->parts[file] = temp_file_open(process->files, parts_name(block, file));
	}
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
	size_t		n;

	core_near_pairs_begin_task(process->pairs, task);
	while ((n = core_near_pairs_next_in_task(process->pairs, &found)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		pg_atomic_fetch_add_u64(&shared->npairs, n);
		if (has_too_many_pairs(shared))
			return;
		if (process->found == NULL)
			process->found = temp_file_create_named(process->files, pairs_name(process->number));
		temp_file_append(process->found, found, n * sizeof(FingerprintPair));
		*written += n;
	}
	result.n = *written - result.first;
	if (result.n > 0)
		appendBinaryStringInfo(&process->tasks, (const char *) &result, sizeof(TaskPairs));
}

/* Do tasks of the current block until all are taken. */
static void
do_tasks(SearchProcess *process, int phase)
{
	int			block = phase / PHASES_OF_BLOCK;
	const Parts *parts = core_near_pairs_parts(process->pairs);
	uint64		n;
	uint64		task;

	if (parts != NULL)
		open_parts(process, parts, block);
	n = core_near_pairs_begin_tasks(process->pairs, process->ranges, process->parts);
	while (!has_too_many_pairs(process->shared) &&
		   (task = phases_next_task(process->phases, phase)) < n)
		do_task(process, block, task);
}

/* Let the leader read the pairs that this process has found, and the list of their tasks. */
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
	temp_file_append(process->found, process->tasks.data, process->tasks.len);
	temp_file_publish(process->found);
	process->shared->tasks_of[process->number] = process->tasks.len / sizeof(TaskPairs);
}

/* The work of a phase. */
static void
work_in_phase(void *arg, int phase)
{
	SearchProcess *process = arg;

	if (phase == core_near_pairs_blocks(process->pairs) * PHASES_OF_BLOCK)
	{
		give_results(process);
		return;
	}
	go_to_block(process, phase / PHASES_OF_BLOCK);
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
make_pairs_process(int number, shm_toc *toc, TempFiles *files)
{
	SearchProcess *process = palloc0(sizeof(SearchProcess));

	process->number = number;
	process->phases = phases_of(toc);
	process->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	process->ranges = shm_toc_lookup(toc, KEY_RANGES, false);
	process->files = files;
	initStringInfo(&process->tasks);
	return process;
}

/* The main function of a worker. */
void
simhash_pairs_worker(dsm_segment *segment, shm_toc *toc)
{
	SharedSearch *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	TempFiles  *files = temp_files_attach(shared->files);
	Env			env = env_with_files(CurrentMemoryContext, files);
	SearchProcess *process = make_pairs_process(ParallelWorkerNumber + 1, toc, files);
	FingerprintSet *set = core_set_copy(shm_toc_lookup(toc, KEY_SET, false),
										temp_file_open(files, shared->set_file), &env);

	process->pairs = core_near_pairs_begin(set, shared->distance, shared->memory);
	phases_work(toc, work_in_phase, process);
	core_near_pairs_end(process->pairs);
	core_set_end(set);
	temp_files_end(files);
}

/*
 * Start workers, which get a copy of "shared" and read the set.  Returns NULL if none can
 * be started.
 */
static ParallelContext *
begin_pair_workers(ParallelSource *source, const NearPairs *pairs, FingerprintSet *set,
				   SharedSearch *shared)
{
	const Parts *parts = core_near_pairs_parts(pairs);
	SharedPiece pieces[] = {
		{KEY_SHARED, sizeof(SharedSearch), shared},
		{KEY_SET, core_set_bytes(set->nwords), set},
		{KEY_RANGES, parts != NULL ? parts->nranges * parts->range_bytes : 0, NULL}
	};

	core_set_flush(set);
	temp_file_publish(set->file);
	shared->files = temp_files_handle(source->files);
	strlcpy(shared->set_file, temp_file_name(set->file), NAMEDATALEN);
	pg_atomic_init_u64(&shared->npairs, 0);
	return phases_begin(source->function, "simhash_pairs_worker", shared->processes - 1,
						core_near_pairs_blocks(pairs) * PHASES_OF_BLOCK + 1,
						pieces, lengthof(pieces), NULL, NULL);
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

/* Read from all processes which tasks have pairs, and open the files of the pairs. */
static void
take_pairs(ParallelPairs *pairs, SearchProcess *process)
{
	const SharedSearch *shared = process->shared;

	for (int i = 0; i < shared->processes; i++)
		pairs->ntasks += shared->tasks_of[i];
	pairs->tasks = env_alloc(pairs->env, pairs->ntasks * sizeof(TaskPairs));
	pairs->ntasks = 0;
	for (int i = 0; i < shared->processes; i++)
	{
		if (shared->tasks_of[i] == 0)
			continue;
		pairs->files[i] = i == 0 ? process->found : temp_file_open(process->files, pairs_name(i));
		temp_file_read(pairs->files[i], shared->pairs_of[i] * sizeof(FingerprintPair),
					   pairs->tasks + pairs->ntasks, shared->tasks_of[i] * sizeof(TaskPairs));
		pairs->ntasks += shared->tasks_of[i];
	}
	qsort(pairs->tasks, pairs->ntasks, sizeof(TaskPairs), compare_tasks);
	pairs->found = env_alloc(pairs->env, READ_AT_ONCE * sizeof(FingerprintPair));
}

/*
 * Find all pairs together with workers.  pairs->alone then ends.  Returns false if there
 * are too many pairs.  If no worker can be started, nothing changes, and the result is
 * true.
 */
static bool
find_pairs_together(ParallelPairs *pairs, ParallelSource *source, FingerprintSet *set,
					SharedSearch *shared)
{
	ParallelContext *context = begin_pair_workers(source, pairs->alone, set, shared);
	SearchProcess *process;
	bool		too_many;

	if (context == NULL)
		return true;
	process = make_pairs_process(0, context->toc, source->files);
	process->pairs = pairs->alone;
	phases_work(context->toc, work_in_phase, process);
	core_near_pairs_end(pairs->alone);
	pairs->alone = NULL;
	too_many = has_too_many_pairs(process->shared);
	if (!too_many)
		take_pairs(pairs, process);
	phases_end(context);
	pfree(process->tasks.data);
	pfree(process);
	return !too_many;
}

/* ----------
 * Interface
 * ----------
 */

/*
 * Return the number of workers that a call may start.  A parallel worker cannot have
 * workers of its own.  It calls this function if a user's function is wrongly declared as
 * parallel safe.
 */
int
parallel_pairs_workers(void)
{
	return IsInParallelMode() ? 0 : max_parallel_maintenance_workers;
}

static void
end_source(void *arg)
{
	ParallelPairs *pairs = arg;

	if (pairs->alone != NULL)
		core_near_pairs_end(pairs->alone);
	for (int i = 0; i < MOST_PROCESSES; i++)
		if (pairs->files[i] != NULL)
			temp_file_remove(pairs->files[i]);
	env_free(pairs->env, pairs->tasks);
	env_free(pairs->env, pairs->found);
	env_free(pairs->env, pairs);
}

/*
 * Begin to find the pairs of a set, in about "memory" bytes of all processes.  The memory
 * of a task, and so the tasks, do not depend on the number of workers.  The result is
 * NULL if the processes have found more than "most" pairs.
 */
static void *
begin_source(void *arg, FingerprintSet *set, int distance, uint64_t most, uint32_t *parents,
			 size_t memory)
{
	ParallelSource *source = arg;
	size_t		whole = core_near_pairs_whole_bytes(set);
	uint64		few = set->n * MOST_PAIRS_OF_ROW;
	SharedSearch shared = {.distance = distance,.most = Min(most, few)};
	ParallelPairs *pairs = env_alloc(set->env, sizeof(ParallelPairs));

	shared.memory = Max(Min(memory, PROCESS_MEMORY), memory / MOST_PROCESSES);
	if (whole <= memory / WHOLE_PROCESSES(set->nwords))
		shared.memory = Max(shared.memory, whole);
	if (source->files->shared && set->n >= FEWEST_SHARED)
		shared.processes = Min(parallel_pairs_workers() + 1, (int) (memory / shared.memory));
	memset(pairs, 0, sizeof(ParallelPairs));
	pairs->env = set->env;
	pairs->alone = core_near_pairs_begin(set, distance, shared.memory);
	if (shared.processes > 1 && core_near_pairs_blocks(pairs->alone) > 0 &&
		!find_pairs_together(pairs, source, set, &shared))
	{
		if (most <= few)
		{
			end_source(pairs);
			return NULL;
		}
		pairs->alone = core_near_pairs_begin(set, distance, shared.memory);
	}
	if (pairs->alone != NULL)
		core_near_pairs_skip_connected(pairs->alone, parents);
	return pairs;
}

/* Return the next pairs of the tasks, in the order of the tasks. */
static size_t
next_of_source(void *arg, const FingerprintPair **found)
{
	ParallelPairs *pairs = arg;
	const TaskPairs *task;
	size_t		n;

	if (pairs->alone != NULL)
		return core_near_pairs_next(pairs->alone, found);
	if (pairs->task == pairs->ntasks)
		return 0;
	task = &pairs->tasks[pairs->task];
	n = Min(task->n - pairs->at, READ_AT_ONCE);
	temp_file_read(pairs->files[task->file],
				   (task->first + pairs->at) * sizeof(FingerprintPair), pairs->found,
				   n * sizeof(FingerprintPair));
	pairs->at += n;
	if (pairs->at == task->n)
	{
		pairs->task++;
		pairs->at = 0;
	}
	*found = pairs->found;
	return n;
}

/* Return the source of the pairs that this process and parallel workers find. */
PairsSource
parallel_pairs(ParallelSource *source)
{
	PairsSource pairs = {begin_source, next_of_source, end_source, source};

	return pairs;
}
