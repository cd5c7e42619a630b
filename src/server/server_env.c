/*-------------------------------------------------------------------------
 *
 * server_env.c
 *		The server's memory, interrupts, errors and temporary files; see server_env.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "progress.h"
#include "server_env.h"
#include "utils/memutils.h"

/* Allocate in this context, or in the current one if it is NULL. */
static void *
server_resize(void *context, void *ptr, size_t size)
{
	if (ptr != NULL)
		return repalloc_huge(ptr, size);
	return MemoryContextAllocHuge(context != NULL ? context : CurrentMemoryContext, size);
}

static void
server_release(void *context, void *ptr)
{
	pfree(ptr);
}

static void
server_check_interrupts(void *context)
{
	CHECK_FOR_INTERRUPTS();
}

static void
server_fail(void *arg, bool out_of_memory, const char *message)
{
	ereport(ERROR,
			(errcode(out_of_memory ? ERRCODE_OUT_OF_MEMORY :
					 ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("could not find words by dictionary: %s", message)));
}

/* Report the progress of a join, if a notice is due.  Only the leader reports. */
static void
report_join(bool divides, int block, int nblocks, size_t number, size_t n)
{
	if (IsParallelWorker() || !progress_is_due())
		return;
	if (divides)
		ereport(NOTICE,
				(errmsg("dividing fingerprints: block %d of %d, part %zu of %zu", block, nblocks,
						number, n)));
	else
		ereport(NOTICE,
				(errmsg("finding pairs: block %d of %d, part %zu of %zu", block, nblocks,
						number, n)));
}

static void
report_compared(uint64_t pairs)
{
	if (!IsParallelWorker() && progress_is_due())
		ereport(NOTICE,
				(errmsg("comparing texts: " UINT64_FORMAT " pairs of this part", (uint64) pairs)));
}

/*
 * An environment without files.  It allocates in the context that is current at the call
 * of a function of src/core/.
 */
const Env  *
server_env(void)
{
	static Env	env;

	if (env.salt == 0)
	{
		env.resize = server_resize;
		env.release = server_release;
		env.check_interrupts = server_check_interrupts;
		env.fail = server_fail;
		if (!pg_strong_random(&env.salt, sizeof(env.salt)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate random values")));
		env.salt |= 1;
	}
	return &env;
}

/* An environment whose memory is in a context and whose files are among "files". */
Env
env_with_files(MemoryContext context, TempFiles *files)
{
	Env			env = *server_env();

	env.arg = context;
	env.create_file = temp_file_create;
	env.append = temp_file_append;
	env.read = temp_file_read;
	env.remove_file = temp_file_remove;
	env.file_arg = files;
	env.report = report_join;
	env.report_compared = report_compared;
	return env;
}

/* Return the memory that a call may use for documents, their join and their groups, in bytes. */
size_t
join_memory(void)
{
	return (size_t) maintenance_work_mem * 1024;
}
