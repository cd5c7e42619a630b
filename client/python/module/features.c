/*-------------------------------------------------------------------------
 *
 * features.c
 *		Fingerprints of features that the caller has found, such as the tokens of a text.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "functions.h"
#include "texts.h"
#include "unlocked.h"

#define FEATURES_BETWEEN_LOOKS 1024

typedef struct Features
{
	Texts		texts;
	Py_buffer	weights;		/* obj NULL: all weights are 1 */
	uint64_t   *hashes;
	double	   *weights_of_hashes;	/* or NULL */
	size_t		n;				/* hashes: the features that are not None */
	size_t		failed;			/* the feature that failed */
} Features;

/* Get the features and the weights, a buffer of doubles or None.  False with an exception. */
static bool
open_features(Features *f, PyObject *features, PyObject *weights)
{
	size_t		n_weights;

	if (!texts_open(features, &f->texts))
		return false;
	if (weights == Py_None)
		return true;
	if (PyObject_GetBuffer(weights, &f->weights, PyBUF_SIMPLE) < 0)
		return false;
	n_weights = (size_t) f->weights.len / sizeof(double);
	if (n_weights == f->texts.n)
		return true;
	PyErr_Format(PyExc_ValueError, "there are %zu features and %zu weights", f->texts.n,
				 n_weights);
	return false;
}

static void
close_features(Features *f)
{
	texts_close(&f->texts);
	if (f->weights.obj != NULL)
		PyBuffer_Release(&f->weights);
	free(f->hashes);
	free(f->weights_of_hashes);
}

static int
hash_features(Features *f, Scratch *scratch, Unlocked *unlocked)
{
	for (size_t i = 0; i < f->texts.n; i++)
	{
		PythonText	text = texts_get(&f->texts, i);
		const char *utf8;
		size_t		length;
		int			result;

		if (i % FEATURES_BETWEEN_LOOKS == 0 && look_for_signals(unlocked))
			return PGSIMHASH_STOPPED;
		if (text.form == TEXT_NONE)
			continue;
		f->failed = i;
		result = text_utf8(&text, scratch, &utf8, &length);
		if (result == PGSIMHASH_OK)
			result = pgsimhash_feature(utf8, length, &f->hashes[f->n]);
		if (result != PGSIMHASH_OK)
			return result;
		if (f->weights_of_hashes != NULL)
			f->weights_of_hashes[f->n] = ((const double *) f->weights.buf)[i];
		f->n++;
	}
	return PGSIMHASH_OK;
}

/* This needs no lock. */
static int
fingerprint_features(Features *f, bool is_simhash, int bits, uint64_t *words, Unlocked *unlocked)
{
	Scratch		scratch = {0};
	size_t		room = f->texts.n + 1;
	int			result;

	f->hashes = malloc(room * sizeof(uint64_t));
	if (f->weights.obj != NULL)
		f->weights_of_hashes = malloc(room * sizeof(double));
	if (f->hashes == NULL || (f->weights.obj != NULL && f->weights_of_hashes == NULL))
		return PGSIMHASH_NO_MEMORY;
	result = hash_features(f, &scratch, unlocked);
	free(scratch.bytes);
	if (result != PGSIMHASH_OK)
		return result;
	return is_simhash ?
		pgsimhash_simhash_features(f->hashes, f->weights_of_hashes, f->n, bits, words) :
		pgsimhash_minhash_features(f->hashes, f->n, bits, words);
}

PyObject *
py_from_features(PyObject *Py_UNUSED(module), PyObject *args)
{
	PyObject   *features;
	PyObject   *weights;
	int			is_simhash;
	int			bits;
	Features	f = {.failed = 0};
	uint64_t	words[PGSIMHASH_MOST_WORDS];
	Unlocked	unlocked;
	PyObject   *value = NULL;

	if (!PyArg_ParseTuple(args, "pOOi", &is_simhash, &features, &weights, &bits))
		return NULL;
	if (open_features(&f, features, weights))
	{
		int			result;

		unlock(&unlocked);
		result = fingerprint_features(&f, is_simhash, bits, words, &unlocked);
		lock(&unlocked);
		if (result == PGSIMHASH_OK)
			value = bytes_of_words(words, PGSIMHASH_WORDS(bits));
		else if (result == PGSIMHASH_NULL)
		{
			Py_INCREF(Py_None);
			value = Py_None;
		}
		else if (result == PGSIMHASH_INVALID_UTF8)
			PyErr_Format(PyExc_ValueError, "feature %zu is not UTF-8", f.failed);
		else if (result == PGSIMHASH_INVALID_OPTION)
			PyErr_SetString(PyExc_ValueError, "weights must be finite numbers");
		else
			set_error(result);
	}
	close_features(&f);
	return value;
}
