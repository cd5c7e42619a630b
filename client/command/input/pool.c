/*-------------------------------------------------------------------------
 *
 * pool.c
 *		Workers; see pool.h.
 *
 *-------------------------------------------------------------------------
 */
#include "pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../fail.h"

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_FILLED,
	SLOT_WORKED_ON,
	SLOT_DONE
} SlotState;

typedef struct Slot
{
	SlotState	state;
	Batch		batch;
} Slot;

/* Batch number i is in slot i % n_slots. */
struct Pool
{
	PoolMethods methods;
	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t changed;
	uint64_t	n_filled;		/* batches so far */
	uint64_t	n_taken;
	uint64_t	n_written;
	bool		writing;		/* does a worker write? */
	bool		at_end;
	int			n_slots;
	Slot	   *slots;
	void	   *own_worker;		/* of the thread that fills batches */
	int			n_threads;		/* the others */
	pthread_t  *threads;
};

static Slot *
slot_of(Pool *pool, uint64_t number)
{
	return &pool->slots[number % (uint64_t) pool->n_slots];
}

static void
clear_batch(Batch *batch)
{
	batch->data.length = batch->out.length = batch->errors.length = 0;
	batch->n_errors = 0;
	batch->input_bytes = 0;
}

/*
 * Write the batches that are done, as far as none before them is missing.  One thread at a time
 * writes.  The caller holds the lock, which the function releases meanwhile.
 */
static void
write_done(Pool *pool)
{
	if (pool->writing)
		return;
	pool->writing = true;
	while (slot_of(pool, pool->n_written)->state == SLOT_DONE)
	{
		Slot	   *slot = slot_of(pool, pool->n_written);

		pthread_mutex_unlock(&pool->lock);
		pool->methods.write(pool->methods.arg, &slot->batch);
		clear_batch(&slot->batch);
		pthread_mutex_lock(&pool->lock);
		slot->state = SLOT_FREE;
		pool->n_written++;
		pthread_cond_broadcast(&pool->changed);
	}
	pool->writing = false;
}

/*
 * Work on the next batch, if there is one that no thread has taken.  The caller holds the lock,
 * which the function releases meanwhile.
 */
static bool
work_on_next(Pool *pool, void *worker)
{
	Slot	   *slot;

	if (pool->n_taken == pool->n_filled)
		return false;
	slot = slot_of(pool, pool->n_taken++);
	slot->state = SLOT_WORKED_ON;
	pthread_mutex_unlock(&pool->lock);
	pool->methods.work(worker, &slot->batch);
	pthread_mutex_lock(&pool->lock);
	slot->state = SLOT_DONE;
	write_done(pool);
	return true;
}

/* Work until the end of the input. */
static void
work_to_end(Pool *pool, void *worker)
{
	pthread_mutex_lock(&pool->lock);
	while (work_on_next(pool, worker) || !pool->at_end)
		if (pool->n_taken == pool->n_filled && !pool->at_end)
			pthread_cond_wait(&pool->changed, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	pool->methods.free_worker(worker);
}

static void *
worker_main(void *arg)
{
	Pool	   *pool = arg;

	work_to_end(pool, pool->methods.new_worker(pool->methods.arg));
	return NULL;
}

Pool *
pool_begin(const PoolMethods *methods, int jobs)
{
	Pool	   *pool = allocate(sizeof(Pool));

	memset(pool, 0, sizeof(Pool));
	pool->methods = *methods;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	pool->n_slots = 2 * jobs;
	pool->own_worker = methods->new_worker(methods->arg);
	pool->slots = allocate((size_t) pool->n_slots * sizeof(Slot));
	memset(pool->slots, 0, (size_t) pool->n_slots * sizeof(Slot));
	pool->threads = allocate((size_t) jobs * sizeof(pthread_t));
	for (; pool->n_threads < jobs - 1; pool->n_threads++)
		if (pthread_create(&pool->threads[pool->n_threads], NULL, worker_main, pool) != 0)
			fail(EXIT_TROUBLE, "could not start a thread");
	return pool;
}

Batch *
pool_batch(Pool *pool)
{
	Slot	   *slot = slot_of(pool, pool->n_filled);

	pthread_mutex_lock(&pool->lock);
	while (slot->state != SLOT_FREE)
		if (!work_on_next(pool, pool->own_worker))
			pthread_cond_wait(&pool->changed, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return &slot->batch;
}

void
pool_submit(Pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	slot_of(pool, pool->n_filled)->state = SLOT_FILLED;
	pool->n_filled++;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

void
pool_end(Pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->at_end = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	work_to_end(pool, pool->own_worker);
	for (int i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
	for (int i = 0; i < pool->n_slots; i++)
	{
		buffer_free(&pool->slots[i].batch.data);
		buffer_free(&pool->slots[i].batch.out);
		buffer_free(&pool->slots[i].batch.errors);
	}
	free(pool->slots);
	free(pool->threads);
	free(pool);
}
