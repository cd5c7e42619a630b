/*-------------------------------------------------------------------------
 *
 * one.c
 *		Functions of one text, and of two.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "functions.h"
#include "texts.h"
#include "unlocked.h"

/* Below this length a call takes less time than a change of the lock's owner may. */
#define BYTES_WITH_LOCK 4096

/* A text that is an argument. */
typedef struct Argument
{
	PyObject   *object;			/* borrowed */
	PythonText	text;
	Scratch		scratch;
	const char *utf8;
	size_t		length;
} Argument;

typedef struct Call
{
	Argument	a;
	Argument	b;				/* object NULL: there is none */
	bool		is_unlocked;
	Unlocked	unlocked;
} Call;

/* Returns false with an exception if the result is an error. */
static bool call_end(Call *call, int result);

static int
read_argument(Argument *argument)
{
	return argument->object == NULL ? PGSIMHASH_OK :
		text_utf8(&argument->text, &argument->scratch, &argument->utf8, &argument->length);
}

/* Get the texts, and release the lock if they are long. */
static bool
call_begin(Call *call)
{
	int			result;

	if (!text_open(call->a.object, &call->a.text) ||
		(call->b.object != NULL && !text_open(call->b.object, &call->b.text)))
		return false;
	if (call->a.text.length + call->b.text.length > BYTES_WITH_LOCK)
	{
		call->is_unlocked = true;
		unlock(&call->unlocked);
	}
	result = read_argument(&call->a);
	if (result == PGSIMHASH_OK)
		result = read_argument(&call->b);
	return result == PGSIMHASH_OK || call_end(call, result);
}

static bool
call_end(Call *call, int result)
{
	if (call->is_unlocked)
		lock(&call->unlocked);
	free(call->a.scratch.bytes);
	free(call->b.scratch.bytes);
	if (result >= 0)
		return true;
	if (result == PGSIMHASH_INVALID_UTF8)
	{
		/* the second text is wrong unless the first one is */
		set_not_utf8(call->a.object);
		if (call->b.object != NULL && PyErr_ExceptionMatches(PyExc_ValueError) &&
			!PyErr_ExceptionMatches(PyExc_UnicodeError))
		{
			PyErr_Clear();
			set_not_utf8(call->b.object);
		}
	}
	else
		set_error(result);
	return false;
}

static PyObject *
share_or_none(int result, double share)
{
	if (result == PGSIMHASH_NULL)
		Py_RETURN_NONE;
	return PyFloat_FromDouble(share);
}

PyObject *
py_fingerprint(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	int			is_simhash;
	int			bits;
	pgsimhash_options options;
	uint64_t	words[PGSIMHASH_MOST_WORDS];
	int			result;

	if (!PyArg_ParseTuple(args, "pOiO&", &is_simhash, &call.a.object, &bits, get_options,
						  &options))
		return NULL;
	if (call.a.object == Py_None)
		Py_RETURN_NONE;
	if (!call_begin(&call))
		return NULL;
	result = (is_simhash ? pgsimhash_simhash : pgsimhash_minhash)
		(call.a.utf8, call.a.length, bits, &options, words);
	if (!call_end(&call, result))
		return NULL;
	if (result == PGSIMHASH_NULL)
		Py_RETURN_NONE;
	return bytes_of_words(words, PGSIMHASH_WORDS(bits));
}

PyObject *
py_resemblance(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	pgsimhash_options options;
	double		share = 0;
	int			result;

	if (!PyArg_ParseTuple(args, "OOO&", &call.a.object, &call.b.object, get_options, &options) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_resemblance(call.a.utf8, call.a.length, call.b.utf8, call.b.length,
								   &options, &share);
	return call_end(&call, result) ? share_or_none(result, share) : NULL;
}

PyObject *
py_containment(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	int			n;
	pgsimhash_options options;
	double		share = 0;
	int			result;

	if (!PyArg_ParseTuple(args, "OOiO&", &call.a.object, &call.b.object, &n, get_options,
						  &options) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_containment(call.a.utf8, call.a.length, call.b.utf8, call.b.length, n,
								   &options, &share);
	return call_end(&call, result) ? share_or_none(result, share) : NULL;
}

/* ---------- passages ---------- */

PyObject *
py_passage_keys(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	int			words;
	int			n;
	pgsimhash_options options;
	int64_t    *keys = NULL;
	size_t		n_keys = 0;
	int			result;
	PyObject   *list = NULL;

	if (!PyArg_ParseTuple(args, "OiiO&", &call.a.object, &words, &n, get_options, &options) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_passage_keys(call.a.utf8, call.a.length, words, n, &options, &keys,
									&n_keys);
	if (call_end(&call, result))
		list = list_of_keys(keys, n_keys);
	pgsimhash_free(keys);
	return list;
}

/* Places in the texts of a call */
typedef struct Found
{
	const Call *call;
	const pgsimhash_passage *passages;
	const pgsimhash_change *changes;
} Found;

/* The indexes of a place: of characters in a str, and of bytes in bytes. */
typedef struct Indexes
{
	unsigned long long start;
	unsigned long long length;
} Indexes;

static Indexes
indexes_of(const Argument *argument, const pgsimhash_place *place)
{
	bool		in_bytes = PyBytes_Check(argument->object);
	Indexes		indexes = {in_bytes ? place->byte : place->character,
	in_bytes ? place->bytes : place->characters};

	return indexes;
}

static PyObject *
make_passage(const void *arg, size_t i)
{
	const Found *found = arg;
	const pgsimhash_passage *passage = &found->passages[i];
	Indexes		a = indexes_of(&found->call->a, &passage->a);
	Indexes		b = indexes_of(&found->call->b, &passage->b);

	return Py_BuildValue("KKKKK", a.start, a.length, b.start, b.length,
						 (unsigned long long) passage->words);
}

PyObject *
py_passages(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	int			words;
	int			gap;
	pgsimhash_options options;
	pgsimhash_passage *passages = NULL;
	size_t		n = 0;
	int			result;
	PyObject   *list = NULL;

	if (!PyArg_ParseTuple(args, "OOiiO&", &call.a.object, &call.b.object, &words, &gap,
						  get_options, &options) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_passages(call.a.utf8, call.a.length, call.b.utf8, call.b.length, words,
								gap, &options, &passages, &n);
	if (call_end(&call, result))
	{
		Found		found = {.call = &call,.passages = passages};

		list = list_of(&found, n, make_passage);
	}
	pgsimhash_free(passages);
	return list;
}

/* ---------- changes ---------- */

PyObject *
py_first_change(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	int			numbers;
	uint64_t	value = 0;
	int			result;

	if (!PyArg_ParseTuple(args, "OOp", &call.a.object, &call.b.object, &numbers) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_first_change(call.a.utf8, call.a.length, call.b.utf8, call.b.length,
									numbers, &value);
	return call_end(&call, result) ? PyLong_FromUnsignedLongLong(value) : NULL;
}

PyObject *
py_same_document(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	int			numbers;
	int			same = 0;
	int			result;

	if (!PyArg_ParseTuple(args, "OOp", &call.a.object, &call.b.object, &numbers) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_same_document(call.a.utf8, call.a.length, call.b.utf8, call.b.length,
									 numbers, &same);
	return call_end(&call, result) ? PyBool_FromLong(same) : NULL;
}

PyObject *
py_copy_key(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	unsigned char key[16];
	int			result;

	if (!PyArg_ParseTuple(args, "O", &call.a.object) || !call_begin(&call))
		return NULL;
	result = pgsimhash_copy_key(call.a.utf8, call.a.length, key);
	if (!call_end(&call, result))
		return NULL;
	if (result == PGSIMHASH_NULL)
		Py_RETURN_NONE;
	return PyBytes_FromStringAndSize((const char *) key, sizeof(key));
}

static PyObject *
make_change(const void *arg, size_t i)
{
	const Found *found = arg;
	const pgsimhash_change *change = &found->changes[i];
	Indexes		a = indexes_of(&found->call->a, &change->a);
	Indexes		b = indexes_of(&found->call->b, &change->b);

	return Py_BuildValue("KKKKiK", a.start, a.length, b.start, b.length, change->kind,
						 (unsigned long long) change->times);
}

PyObject *
py_changes(PyObject *Py_UNUSED(module), PyObject *args)
{
	Call		call = {0};
	pgsimhash_options options;
	pgsimhash_change *changes = NULL;
	size_t		n = 0;
	int			result;
	PyObject   *list = NULL;

	if (!PyArg_ParseTuple(args, "OOO&", &call.a.object, &call.b.object, get_options, &options) ||
		!call_begin(&call))
		return NULL;
	result = pgsimhash_changes(call.a.utf8, call.a.length, call.b.utf8, call.b.length, &options,
							   &changes, &n);
	if (call_end(&call, result))
	{
		Found		found = {.call = &call,.changes = changes};

		list = list_of(&found, n, make_change);
	}
	pgsimhash_free(changes);
	return list;
}
