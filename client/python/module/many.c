/*-------------------------------------------------------------------------
 *
 * many.c
 *		Fingerprints of many texts, in several threads.
 *
 *-------------------------------------------------------------------------
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "functions.h"
#include "lib/tasks.h"
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
	atomic_bool any_missing;
	atomic_size_t not_utf8;		/* the first text that is not; SIZE_MAX: none */
} Job;

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

/* A TaskBody: do some texts.  Only texts before the first one that is not UTF-8 matter. */
static void
do_texts(Call *call, void *arg, size_t task)
{
	Job		   *job = arg;
	Scratch		scratch = {0};
	size_t		i = task * TEXTS_AT_ONCE;
	size_t		end = i + TEXTS_AT_ONCE < job->texts->n ? i + TEXTS_AT_ONCE : job->texts->n;
	size_t		first = atomic_load(&job->not_utf8);
	int			result = PGSIMHASH_OK;

	check_interrupts(&call->env);
	for (; i < end && i < first && (result = do_text(job, i, &scratch)) >= 0; i++)
		;
	free(scratch.bytes);
	if (result == PGSIMHASH_INVALID_UTF8)
		while (i < first && !atomic_compare_exchange_weak(&job->not_utf8, &first, i))
			;
	else if (result < 0)
		call_leave(call, result);
}

/* Do the job.  This needs no lock. */
static int
do_job(Job *job, int n_threads)
{
	Call		call;

	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	do_tasks(&call, n_threads, (job->texts->n + TEXTS_AT_ONCE - 1) / TEXTS_AT_ONCE, do_texts, job);
	return call_end(&call, PGSIMHASH_OK);
}

/* Do the job without the lock.  False with an exception. */
static bool
run(Job *job, int n_threads)
{
	Unlocked	unlocked;
	int			result;

	unlock(&unlocked);
	result = do_job(job, n_threads);
	lock(&unlocked);
	if (result != PGSIMHASH_OK)
		set_error(result);
	else if (job->not_utf8 != SIZE_MAX)
		PyErr_Format(PyExc_ValueError, "text %zu is not UTF-8", job->not_utf8);
	return result == PGSIMHASH_OK && job->not_utf8 == SIZE_MAX;
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
py_fingerprint_many(PyObject *Py_UNUSED(module), PyObject *args)
{
	PyObject   *object;
	int			is_simhash;
	int			n_threads;
	Texts		texts;
	Job			job = {.texts = &texts,.not_utf8 = SIZE_MAX};
	PyObject   *result = NULL;

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
