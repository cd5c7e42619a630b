/*-------------------------------------------------------------------------
 *
 * many.c
 *		Fingerprints of many texts, in several threads.
 *
 *-------------------------------------------------------------------------
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "functions.h"
#include "texts.h"
#include "unlocked.h"

#define TEXTS_AT_ONCE 16		/* that a thread takes */
#define MOST_THREADS 256

/* What all threads share. */
typedef struct Job
{
	const Texts *texts;
	bool		is_simhash;
	int			bits;
	pgsimhash_options options;
	uint64_t   *words;
	char	   *valid;
	atomic_size_t next;			/* text that no thread has taken */
	atomic_bool stop;			/* take no more texts */
	atomic_bool interrupted;	/* end also in the middle of a text */
	atomic_bool any_missing;

	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t helper_ended;
	int			n_helpers;		/* that have not ended */
	size_t		failed;			/* the first text that failed */
	int			result;			/* its result */
} Job;

static void
fail(Job *job, size_t i, int result)
{
	pthread_mutex_lock(&job->lock);
	if (job->result == PGSIMHASH_OK || i < job->failed)
	{
		job->failed = i;
		job->result = result;
	}
	pthread_mutex_unlock(&job->lock);
	atomic_store(&job->stop, true);
}

static int
do_text(Job *job, size_t i, Scratch *scratch)
{
	PythonText	text = texts_get(job->texts, i);
	uint64_t   *words = job->words + i * (size_t) PGSIMHASH_WORDS(job->bits);
	int			result = PGSIMHASH_NULL;
	const char *utf8;
	size_t		length;

	if (text.form != TEXT_NONE)
		result = text_utf8(&text, scratch, &utf8, &length);
	if (result == PGSIMHASH_OK)
		result = (job->is_simhash ? pgsimhash_simhash : pgsimhash_minhash)
			(utf8, length, job->bits, &job->options, words);
	job->valid[i] = result == PGSIMHASH_OK;
	if (result == PGSIMHASH_NULL)
	{
		for (int w = 0; w < PGSIMHASH_WORDS(job->bits); w++)
			words[w] = 0;
		atomic_store_explicit(&job->any_missing, true, memory_order_relaxed);
	}
	return result;
}

/*
 * Take some texts; false after the last ones.  Texts are taken in order, and a thread stops at
 * the first that fails, so that the first one of all is found.
 */
static bool
do_some(Job *job, Scratch *scratch)
{
	size_t		i;
	size_t		end;

	if (atomic_load(&job->stop))
		return false;
	i = atomic_fetch_add(&job->next, TEXTS_AT_ONCE);
	if (i >= job->texts->n)
		return false;
	end = job->texts->n - i < TEXTS_AT_ONCE ? job->texts->n : i + TEXTS_AT_ONCE;
	for (; i < end; i++)
	{
		int			result = do_text(job, i, scratch);

		if (result == PGSIMHASH_STOPPED)
			atomic_store(&job->interrupted, true);
		else if (result < 0)
			fail(job, i, result);
		if (result < 0)
			return false;
	}
	return true;
}

/* A pgsimhash_stop of a helper: has the thread that looks for signals found one? */
static int
is_interrupted(void *arg)
{
	return atomic_load_explicit(&((Job *) arg)->interrupted, memory_order_relaxed);
}

static void *
helper(void *arg)
{
	Job		   *job = arg;
	Scratch		scratch = {0};

	pgsimhash_set_stop(is_interrupted, job);
	while (do_some(job, &scratch))
		;
	free(scratch.bytes);
	pthread_mutex_lock(&job->lock);
	job->n_helpers--;
	pthread_cond_signal(&job->helper_ended);
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

/* Work beside the helpers.  False: a signal has raised an exception. */
static bool
work(Job *job, Unlocked *unlocked)
{
	Scratch		scratch = {0};
	bool		interrupted = false;

	while (!interrupted && do_some(job, &scratch))
		interrupted = look_for_signals(unlocked) != 0;
	free(scratch.bytes);
	return !interrupted && !is_interrupted(job);
}

/* Wait for the helpers.  False: a signal has raised an exception. */
static bool
wait_for_helpers(Job *job, Unlocked *unlocked)
{
	bool		interrupted = false;

	pthread_mutex_lock(&job->lock);
	while (job->n_helpers > 0 && !interrupted)
	{
		struct timespec soon;

		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_nsec += 100000000;
		soon.tv_sec += soon.tv_nsec / 1000000000;
		soon.tv_nsec %= 1000000000;
		(void) pthread_cond_timedwait(&job->helper_ended, &job->lock, &soon);
		pthread_mutex_unlock(&job->lock);
		interrupted = look_for_signals(unlocked) != 0;
		pthread_mutex_lock(&job->lock);
	}
	pthread_mutex_unlock(&job->lock);
	return !interrupted;
}

static bool
start_helper(Job *job, pthread_t *thread)
{
	bool		started;

	pthread_mutex_lock(&job->lock);
	started = pthread_create(thread, NULL, helper, job) == 0;
	job->n_helpers += started;
	pthread_mutex_unlock(&job->lock);
	return started;
}

/* Do the job with so many threads.  The lock is released meanwhile. */
static bool
run(Job *job, int n_threads)
{
	pthread_t	threads[MOST_THREADS];
	Unlocked	unlocked;
	int			n = 0;
	bool		done;

	unlock(&unlocked);
	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->helper_ended, NULL);
	/* fewer threads than wanted do the job, too */
	while (n < n_threads - 1 && (size_t) (n + 1) * TEXTS_AT_ONCE < job->texts->n &&
		   start_helper(job, &threads[n]))
		n++;
	done = work(job, &unlocked) && wait_for_helpers(job, &unlocked);
	if (!done)
	{
		atomic_store(&job->stop, true);
		atomic_store(&job->interrupted, true);
	}
	for (; n > 0; n--)
		pthread_join(threads[n - 1], NULL);
	pthread_cond_destroy(&job->helper_ended);
	pthread_mutex_destroy(&job->lock);
	lock(&unlocked);
	if (!done)
		return false;
	if (job->result == PGSIMHASH_INVALID_UTF8)
		PyErr_Format(PyExc_ValueError, "text %zu is not UTF-8", job->failed);
	else if (job->result != PGSIMHASH_OK)
		set_error(job->result);
	return job->result == PGSIMHASH_OK;
}

/* Returns (words, valid); valid is None if no text lacks a fingerprint. */
static PyObject *
run_with_results(Job *job, int n_threads)
{
	size_t		n = job->texts->n;
	size_t		size = (size_t) PGSIMHASH_WORDS(job->bits) * sizeof(uint64_t);
	PyObject   *words = NULL;
	PyObject   *valid = NULL;
	PyObject   *result = NULL;

	if (n > PY_SSIZE_T_MAX / size)
		return PyErr_NoMemory();
	words = PyBytes_FromStringAndSize(NULL, (Py_ssize_t) (n * size));
	valid = words == NULL ? NULL : PyBytes_FromStringAndSize(NULL, (Py_ssize_t) n);
	if (valid != NULL)
	{
		job->words = (uint64_t *) PyBytes_AS_STRING(words);
		job->valid = PyBytes_AS_STRING(valid);
		if (run(job, n_threads))
			result = PyTuple_Pack(2, words, job->any_missing ? valid : Py_None);
	}
	Py_XDECREF(words);
	Py_XDECREF(valid);
	return result;
}

PyObject *
py_fingerprint_many(PyObject *module, PyObject *args)
{
	PyObject   *object;
	int			is_simhash;
	int			n_threads;
	Texts		texts;
	Job			job = {.texts = &texts};
	PyObject   *result = NULL;

	(void) module;
	if (!PyArg_ParseTuple(args, "pOiO&i", &is_simhash, &object, &job.bits, get_options,
						  &job.options, &n_threads))
		return NULL;
	job.is_simhash = is_simhash != 0;
	if (job.bits < 64 || job.bits > PGSIMHASH_MOST_BITS || job.bits % 64 != 0)
		return set_error(PGSIMHASH_INVALID_OPTION);
	if (n_threads < 1 || n_threads > MOST_THREADS)
	{
		PyErr_Format(PyExc_ValueError, "threads must be from 1 to %d", MOST_THREADS);
		return NULL;
	}
	if (texts_open(object, &texts))
		result = run_with_results(&job, n_threads);
	texts_close(&texts);
	return result;
}
