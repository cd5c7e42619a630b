/*-------------------------------------------------------------------------
 *
 * unlocked.c
 *		Calls without the interpreter's lock; see unlocked.h.
 *
 *-------------------------------------------------------------------------
 */
#include "unlocked.h"

#include <time.h>

#include "pgsimhash.h"

/* Between two looks, because another thread may keep the lock for milliseconds */
#define NANOSECONDS_BETWEEN_LOOKS 50000000

static int64_t
nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int
look_for_signals(void *arg)
{
	Unlocked   *unlocked = arg;
	int			raised;

	if (nanoseconds() - unlocked->looked < NANOSECONDS_BETWEEN_LOOKS)
		return 0;
	lock(unlocked);
	raised = PyErr_CheckSignals() < 0;
	unlock(unlocked);
	return raised;
}

void
unlock(Unlocked *unlocked)
{
	unlocked->state = PyEval_SaveThread();
	unlocked->looked = nanoseconds();
	pgsimhash_set_stop(look_for_signals, unlocked);
}

void
lock(Unlocked *unlocked)
{
	pgsimhash_set_stop(NULL, NULL);
	PyEval_RestoreThread(unlocked->state);
}
