/*-------------------------------------------------------------------------
 *
 * unlocked.h
 *		A long call without the interpreter's lock, which looks for signals now and then.
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

/* Release the lock. */
extern void unlock(Unlocked *unlocked);

/*
 * Look for signals if the last look was a while ago.  1: a signal has raised an exception, so the
 * call ends.  The argument is an Unlocked; this is a pgsimhash_stop.
 */
extern int	look_for_signals(void *unlocked);

/* Take the lock again. */
extern void lock(Unlocked *unlocked);

#endif
