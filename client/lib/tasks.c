/*-------------------------------------------------------------------------
 *
 * tasks.c
 *		Tasks of a call, done by several threads; see tasks.h.
 *
 *-------------------------------------------------------------------------
 */
#include "tasks.h"

#include <pthread.h>
#include <time.h>

#define NANOSECONDS_BETWEEN_LOOKS 20000000

typedef struct Tasks
{
	Call	   *call;			/* that does the tasks */
	TaskBody	body;
	void	   *arg;
	size_t		n;
	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t ended;		/* a thread */
	size_t		taken;
	int			threads;		/* that work */
	int			result;			/* PGSIMHASH_OK, or that of the first failure */
} Tasks;

static void
note_result(Tasks *tasks, int result)
{
	pthread_mutex_lock(&tasks->lock);
	if (tasks->result == PGSIMHASH_OK)
		tasks->result = result;
	pthread_mutex_unlock(&tasks->lock);
}

/* Take the next task; false if there is none, or one has failed. */
static bool
take_task(Tasks *tasks, size_t *task)
{
	bool		taken;

	pthread_mutex_lock(&tasks->lock);
	taken = tasks->taken < tasks->n && tasks->result == PGSIMHASH_OK;
	if (taken)
		*task = tasks->taken++;
	pthread_mutex_unlock(&tasks->lock);
	return taken;
}

/* A pgsimhash_stop of the other threads */
static int
has_failed(void *arg)
{
	Tasks	   *tasks = arg;
	bool		failed;

	pthread_mutex_lock(&tasks->lock);
	failed = tasks->result != PGSIMHASH_OK;
	pthread_mutex_unlock(&tasks->lock);
	return failed;
}

/* Do tasks in a call of this thread until all are taken. */
static int
work(Tasks *tasks)
{
	Call		call;
	size_t		task;

	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	call.on_disk = tasks->call->on_disk;
	while (take_task(tasks, &task))
		tasks->body(&call, tasks->arg, task);
	return call_end(&call, PGSIMHASH_OK);
}

static void *
thread_main(void *arg)
{
	Tasks	   *tasks = arg;

	pgsimhash_set_stop(has_failed, tasks);
	note_result(tasks, work(tasks));
	pthread_mutex_lock(&tasks->lock);
	tasks->threads--;
	pthread_cond_signal(&tasks->ended);
	pthread_mutex_unlock(&tasks->lock);
	return NULL;
}

/* Look now and then whether the caller stops the call, until no thread works. */
static void
wait_for_threads(Tasks *tasks)
{
	bool		all_ended = false;

	while (!all_ended)
	{
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += NANOSECONDS_BETWEEN_LOOKS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&tasks->lock);
		if (tasks->threads > 0)
			pthread_cond_timedwait(&tasks->ended, &tasks->lock, &until);
		all_ended = tasks->threads == 0;
		pthread_mutex_unlock(&tasks->lock);
		if (!has_failed(tasks) && is_stopped())
			note_result(tasks, PGSIMHASH_STOPPED);
	}
}

void
do_tasks(Call *call, int threads, size_t n, TaskBody body, void *arg)
{
	Tasks		tasks = {.call = call,.body = body,.arg = arg,.n = n};
	size_t		most = n < (size_t) threads ? n : (size_t) threads;
	pthread_t  *others = env_alloc(&call->env, most * sizeof(pthread_t));
	int			n_others = 0;

	pthread_mutex_init(&tasks.lock, NULL);
	pthread_cond_init(&tasks.ended, NULL);
	for (; n_others + 1 < (int) most; n_others++)
	{
		pthread_mutex_lock(&tasks.lock);
		tasks.threads++;
		pthread_mutex_unlock(&tasks.lock);
		/* a thread that cannot be started is not needed */
		if (pthread_create(&others[n_others], NULL, thread_main, &tasks) != 0)
		{
			pthread_mutex_lock(&tasks.lock);
			tasks.threads--;
			pthread_mutex_unlock(&tasks.lock);
			break;
		}
	}
	note_result(&tasks, work(&tasks));
	wait_for_threads(&tasks);
	for (int i = 0; i < n_others; i++)
		pthread_join(others[i], NULL);
	pthread_mutex_destroy(&tasks.lock);
	pthread_cond_destroy(&tasks.ended);
	env_free(&call->env, others);
	if (tasks.result != PGSIMHASH_OK)
		call_leave(call, tasks.result);
}
