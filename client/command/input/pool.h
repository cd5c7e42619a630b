/*-------------------------------------------------------------------------
 *
 * pool.h
 *		Workers: one thread fills batches, all threads work on them, and the batches leave in
 *		the order in which they came. The thread that fills batches works when all batches are
 *		full.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_POOL_H
#define PGSIMHASH_POOL_H

#include "batch.h"

typedef struct PoolMethods
{
	/* Called in each thread; returns the state of its worker. */
	void	   *(*new_worker) (void *arg);

	void		(*work) (void *worker, Batch *batch);
	void		(*free_worker) (void *worker);
	void		(*write) (void *arg, Batch *batch); /* one at a time, in order */
	void	   *arg;
} PoolMethods;

typedef struct Pool Pool;

/* "jobs" threads work, one of which is the caller's. */
extern Pool *pool_begin(const PoolMethods *methods, int jobs);

/* An empty batch.  The function works, or waits, until there is one. */
extern Batch *pool_batch(Pool *pool);

/* Give the batch of the last call of pool_batch to the workers. */
extern void pool_submit(Pool *pool);

/* Wait until all batches are written, and free the pool. */
extern void pool_end(Pool *pool);

#endif
