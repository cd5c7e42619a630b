/*-------------------------------------------------------------------------
 *
 * unlocked.h
 *		Calls of the library without the interpreter's lock. No other file releases or takes
 *		the lock.
 *
 * While the lock is released, the library asks this file several times a second whether a signal has
 * raised an exception, and the call then ends with PGSIMHASH_STOPPED.  While the thread has the
 * lock, the library asks nothing.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_UNLOCKED_H
#define PGSIMHASH_UNLOCKED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct Unlocked
{
	PyThreadState *state;
	int64_t		looked;			/* when it last looked for signals */
} Unlocked;

/* Release the lock, and look for signals from now on. */
extern void unlock(Unlocked *unlocked);

/*
 * Look for signals if the last look was a while ago.  1: a signal has raised an exception.  This is a
 * pgsimhash_stop; a loop over short calls of the library calls it, too.
 */
extern int	look_for_signals(void *unlocked);

/* Take the lock again. */
extern void lock(Unlocked *unlocked);

#endif
