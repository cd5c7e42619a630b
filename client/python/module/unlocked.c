/*-------------------------------------------------------------------------
 *
 * unlocked.c
 *		A long call without the interpreter's lock.
 *
 *-------------------------------------------------------------------------
 */
#include "unlocked.h"

#include <time.h>

/* Between two looks, because another thread may keep the lock for milliseconds */
#define NANOSECONDS_BETWEEN_LOOKS 50000000

static int64_t
nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void
unlock(Unlocked *unlocked)
{
	unlocked->state = PyEval_SaveThread();
	unlocked->looked = nanoseconds();
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
lock(Unlocked *unlocked)
{
	PyEval_RestoreThread(unlocked->state);
}
