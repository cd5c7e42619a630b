/*-------------------------------------------------------------------------
 *
 * phases.h
 *		A leader and its parallel workers, which go through phases of work together.
 *
 * The work of a phase is a number of tasks.  Each process takes the next task that no
 * process has taken.  A barrier ends a phase.  A worker that starts late joins the
 * present phase, and the workers may have ended all phases before the leader begins.
 *
 * The leader calls phases_begin, phases_work and phases_end.  A worker calls phases_work.
 * A process without workers calls phases_alone and phases_work_alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PHASES_H
#define SIMHASH_PHASES_H

#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/barrier.h"

typedef struct Phases
{
	Barrier		barrier;
	int			n;
	pg_atomic_uint32 workers;	/* number of workers that have taken part */
	/* the number of tasks taken so far, by phase */
	pg_atomic_uint64 tasks[FLEXIBLE_ARRAY_MEMBER];
} Phases;

/* The work of a process in a phase. */
typedef void (*PhaseWork) (void *arg, int phase);

/* Shared memory: a copy of the bytes, or zeros if they are NULL */
typedef struct SharedPiece
{
	uint64		key;
	Size		size;
	const void *bytes;
} SharedPiece;

/* Initialize shared memory before workers start. */
typedef void (*SharedInit) (ParallelContext *context, void *arg);

extern ParallelContext *phases_begin(Oid function, const char *worker_main, int workers, int n,
									 const SharedPiece *pieces, int npieces, SharedInit init,
									 void *arg);
extern void phases_end(ParallelContext *context);

extern Phases *phases_alone(int n);
extern void phases_work_alone(Phases *phases, PhaseWork work, void *arg);

extern Phases *phases_of(shm_toc *toc);
extern void phases_work(shm_toc *toc, PhaseWork work, void *arg);

/* Take the next task of a phase, and return its number, which may be beyond the last task. */
static inline uint64
phases_next_task(Phases *phases, int phase)
{
	CHECK_FOR_INTERRUPTS();
	return pg_atomic_fetch_add_u64(&phases->tasks[phase], 1);
}

#endif							/* SIMHASH_PHASES_H */
