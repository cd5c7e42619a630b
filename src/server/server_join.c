/*-------------------------------------------------------------------------
 *
 * server_join.c
 *		The server's memory, interrupts and temporary files; see server_join.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "progress.h"
#include "server_env.h"
#include "server_join.h"

/* Report what a join does, if the progress is wanted.  The leader speaks for the workers. */
static void
report_progress(bool divides, int block, int nblocks, size_t number, size_t n)
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

/* The environment of a join whose memory is in a context and whose files are among "files" */
JoinEnv
join_env(MemoryContext context, TempFiles *files)
{
	JoinEnv		env;

	env.resize = server_resize;
	env.release = server_release;
	env.check_interrupts = server_check_interrupts;
	env.arg = context;
	env.create_file = temp_file_create;
	env.append = temp_file_append;
	env.read = temp_file_read;
	env.remove_file = temp_file_remove;
	env.file_arg = files;
	env.report = report_progress;
	env.report_compared = report_compared;
	return env;
}

/* The memory of a call in bytes: for documents, their join and groups. */
size_t
join_memory(void)
{
	return (size_t) maintenance_work_mem * 1024;
}
