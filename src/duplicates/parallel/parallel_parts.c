/*-------------------------------------------------------------------------
 *
 * parallel_parts.c
 *		The duplicates of parts of the texts, found by several processes.
 *
 * Each process takes the next part until all are taken, and writes what it finds to the
 * end of a file of its own.  Then the leader reads these files.  Parts are independent of
 * each other, so the duplicates depend neither on the number of workers nor on who takes
 * which part.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "parallel_parts.h"
#include "server/phases.h"
#include "server/progress.h"
#include "server/server_env.h"
#include "server/server_text.h"
#include "storage/spin.h"

#define KEY_SHARED		UINT64CONST(0xD0B1E00000000001)
#define KEY_SET			UINT64CONST(0xD0B1E00000000002)
#define KEY_STARTS		UINT64CONST(0xD0B1E00000000003)

/* Use several processes for at least this many bytes of texts. */
#define FEWEST_BYTES	(4 * 1024 * 1024)

#define MOST_PROCESSES	16
#define PROCESS_MEMORY	((size_t) 8 * 1024 * 1024)	/* needed at least */

/*
 * What leader and workers share besides the set and the starts of parts.  Process 0 is
 * the leader.
 */
typedef struct SharedParts
{
	dsm_handle	files;
	int			processes;		/* at most, with the leader */
	uint32		n;				/* number of all parts */
	DuplicateOptions options;
	size_t		memory;			/* of a process */
	char		set_file[NAMEDATALEN];
	char		texts_file[NAMEDATALEN];
	char		parts_file[NAMEDATALEN];	/* of PartText */
	slock_t		lock;			/* of the counts */
	DuplicateCounts counts;
	uint32		found[MOST_PROCESSES];
} SharedParts;

typedef struct PartsProcess
{
	int			number;			/* 0 is the leader */
	Phases	   *phases;
	SharedParts *shared;
	const uint32 *starts;
	TempFiles  *files;			/* shared ones */
	JoinFile   *parts;			/* the texts of all parts */
	PartSearch	search;
	JoinFile   *found;			/* or NULL */
} PartsProcess;

PGDLLEXPORT void simhash_parts_worker(dsm_segment *segment, shm_toc *toc);

/* The name of the file that has what a process has found */
static const char *
found_name(int process)
{
	return psprintf("duplicates.%d", process);
}

/* ----------
 * All processes
 * ----------
 */

static void
report_part(const SharedParts *shared, uint32 part)
{
	if (!IsParallelWorker() && progress_is_due())
		ereport(NOTICE,
				(errmsg("comparing texts: part %u of %u, " UINT64_FORMAT " pairs compared", part + 1,
						shared->n, shared->counts.compared)));
}

static void
do_part(PartsProcess *process, uint32 part)
{
	SharedParts *shared = process->shared;
	uint32		start = process->starts[part];
	uint32		n = process->starts[part + 1] - start;
	PartText   *texts = MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(PartText));
	Duplicate  *found = MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(Duplicate));
	DuplicateCounts counts;
	DuplicateCounts *sum = &shared->counts;
	uint32		n_found;

	report_part(shared, part);
	temp_file_read(process->parts, start * sizeof(PartText), texts, n * sizeof(PartText));
	n_found = core_find_in_part(&process->search, texts, n, found, &counts);
	if (process->found == NULL)
		process->found = temp_file_create_named(process->files, found_name(process->number));
	temp_file_append(process->found, found, n_found * sizeof(Duplicate));
	shared->found[process->number] += n_found;
	SpinLockAcquire(&shared->lock);
	core_add_counts(sum, &counts);
	SpinLockRelease(&shared->lock);
	pfree(texts);
	pfree(found);
}

/* Do parts until all are taken. */
static void
do_parts(void *arg, int phase)
{
	PartsProcess *process = arg;
	SharedParts *shared = process->shared;
	uint64		part;

	while ((part = phases_next_task(process->phases, phase)) < shared->n)
		do_part(process, (uint32) part);
	if (process->found != NULL)
		temp_file_publish(process->found);
}

static PartsProcess *
make_parts_process(int number, shm_toc *toc, TempFiles *files, const Env *env)
{
	PartsProcess *process = palloc0(sizeof(PartsProcess));
	SharedParts *shared = shm_toc_lookup(toc, KEY_SHARED, false);

	process->number = number;
	process->phases = phases_of(toc);
	process->shared = shared;
	process->starts = shm_toc_lookup(toc, KEY_STARTS, false);
	process->files = files;
	process->search.options = &shared->options;
	process->search.memory = shared->memory;
	process->search.env = env;
	return process;
}

/* The main function of a worker. */
void
simhash_parts_worker(dsm_segment *segment, shm_toc *toc)
{
	SharedParts *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	TempFiles  *files = temp_files_attach(shared->files);
	TempFiles  *own_files = temp_files_begin(false);
	Env			env = env_with_files(CurrentMemoryContext, own_files);
	PartsProcess *process = make_parts_process(ParallelWorkerNumber + 1, toc, files, &env);

	process->parts = temp_file_open(files, shared->parts_file);
	process->search.texts = temp_file_open(files, shared->texts_file);
	process->search.set = core_set_copy(shm_toc_lookup(toc, KEY_SET, false),
										temp_file_open(files, shared->set_file), &env);
	phases_work(toc, do_parts, process);
	core_set_end(process->search.set);
	temp_files_end(own_files);
	temp_files_end(files);
}

/* ----------
 * The leader
 * ----------
 */

/* Write the texts of all parts to a file. */
static JoinFile *
write_parts(const DuplicateParts *parts, const Env *env)
{
	JoinFile   *file = env->create_file(env->file_arg);

	env->append(file, parts->texts, parts->n_texts * sizeof(PartText));
	temp_file_publish(file);
	return file;
}

/*
 * Start workers, which get a copy of "shared" and read the texts and the set.  Returns
 * NULL if none can be started.
 */
static ParallelContext *
begin_part_workers(const ParallelSource *source, Duplicates *duplicates, JoinFile *parts_file,
				   SharedParts *shared)
{
	const DuplicateParts *parts = &duplicates->parts;
	FingerprintSet *set = duplicates->set;
	SharedPiece pieces[] = {
		{KEY_SHARED, sizeof(SharedParts), shared},
		{KEY_SET, core_set_bytes(set->nwords), set},
		{KEY_STARTS, (parts->n + 1) * sizeof(uint32), parts->starts}
	};

	core_set_flush(set);
	temp_file_publish(set->file);
	temp_file_publish(duplicates->file);
	SpinLockInit(&shared->lock);
	shared->files = temp_files_handle(source->files);
	strlcpy(shared->set_file, temp_file_name(set->file), NAMEDATALEN);
	strlcpy(shared->texts_file, temp_file_name(duplicates->file), NAMEDATALEN);
	strlcpy(shared->parts_file, temp_file_name(parts_file), NAMEDATALEN);
	return phases_begin(source->function, "simhash_parts_worker", shared->processes - 1, 1,
						pieces, lengthof(pieces), NULL, NULL);
}

/* Collect the duplicates that the processes have found. */
static void
take_duplicates(Duplicates *duplicates, PartsProcess *process)
{
	const SharedParts *shared = process->shared;

	for (int i = 0; i < shared->processes; i++)
	{
		JoinFile   *file = process->found;
		Duplicate  *found;

		if (shared->found[i] == 0)
			continue;
		if (i > 0)
			file = temp_file_open(process->files, found_name(i));
		found = MemoryContextAllocHuge(CurrentMemoryContext, shared->found[i] * sizeof(Duplicate));
		temp_file_read(file, 0, found, shared->found[i] * sizeof(Duplicate));
		core_duplicates_take(duplicates, found, shared->found[i]);
		pfree(found);
		if (i > 0)
			temp_file_remove(file);
	}
	core_add_counts(&duplicates->counts, &shared->counts);
}

/* Find the duplicates of all parts with workers.  Return false if none can be started. */
static bool
find_parts_together(Duplicates *duplicates, const ParallelSource *source, SharedParts *shared)
{
	JoinFile   *parts_file = write_parts(&duplicates->parts, duplicates->env);
	ParallelContext *context = begin_part_workers(source, duplicates, parts_file, shared);
	PartsProcess *process;

	if (context != NULL)
	{
		process = make_parts_process(0, context->toc, source->files, duplicates->env);
		process->parts = parts_file;
		process->search.texts = duplicates->file;
		process->search.set = duplicates->set;
		phases_work(context->toc, do_parts, process);
		take_duplicates(duplicates, process);
		phases_end(context);
		if (process->found != NULL)
			temp_file_remove(process->found);
		pfree(process);
	}
	temp_file_remove(parts_file);
	return context != NULL;
}

static int
count_processes(const ParallelSource *source, const Duplicates *duplicates)
{
	int			most = (int) Min(join_memory() / PROCESS_MEMORY, MOST_PROCESSES);

	if (!source->files->shared || duplicates->file_size < FEWEST_BYTES)
		return 1;
	return Max(1, Min(parallel_pairs_workers() + 1, most));
}

/* Find the duplicates of all parts. */
void
parallel_parts_find(Duplicates *duplicates, const DuplicateOptions *options,
					const ParallelSource *source)
{
	uint32		n = duplicates->parts.n;
	SharedParts shared = {.n = n,.options = *options};
	PartSearch	search = {options, join_memory(), NULL, NULL, duplicates->env};

	shared.processes = count_processes(source, duplicates);
	shared.memory = join_memory() / shared.processes;
	if (shared.processes > 1 && n > 1 && find_parts_together(duplicates, source, &shared))
		return;
	for (uint32 part = 0; part < n; part++)
	{
		shared.counts = duplicates->counts;
		report_part(&shared, part);
		core_duplicates_find(duplicates, &search, part);
	}
}
