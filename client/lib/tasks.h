/*-------------------------------------------------------------------------
 *
 * tasks.h
 *		Tasks of a call, done by several threads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_TASKS_H
#define PGSIMHASH_TASKS_H

#include "call.h"

/* Does task number "task" in the call of a thread.  "arg" is that of do_tasks. */
typedef void (*TaskBody) (Call *call, void *arg, size_t task);

/*
 * Do n tasks in up to "threads" threads, this one included.  The function returns when all threads
 * have ended, and leaves the call if a task has failed or the caller stops the call.
 */
extern void do_tasks(Call *call, int threads, size_t n, TaskBody body, void *arg);

#endif
