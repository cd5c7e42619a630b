/*-------------------------------------------------------------------------
 *
 * duplicates.c
 *		Duplicates among many texts.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "functions.h"
#include "texts.h"
#include "unlocked.h"

#define FOUND_AT_ONCE 1024

typedef struct DuplicatesCapsule
{
	Texts		texts;
	Texts		titles;			/* as many, or none */
	size_t		failed;			/* the text, or title, that failed */
	bool		title_failed;
	pgsimhash_duplicates *duplicates;
	size_t		n_limited;
} DuplicatesCapsule;

/* The UTF-8 of a text; None is empty. */
static int
utf8_of(const Texts *texts, size_t i, Scratch *scratch, const char **utf8, size_t *length)
{
	PythonText	text = texts_get(texts, i);

	*utf8 = "";
	*length = 0;
	return text.form == TEXT_NONE ? PGSIMHASH_OK : text_utf8(&text, scratch, utf8, length);
}

static int
add_text(DuplicatesCapsule *search, size_t i, Scratch *of_text, Scratch *of_title)
{
	const char *title = "";
	size_t		title_length = 0;
	const char *text;
	size_t		length;
	int			result = PGSIMHASH_OK;

	search->failed = i;
	if (search->titles.n > 0)
	{
		uint64_t	word;

		result = utf8_of(&search->titles, i, of_title, &title, &title_length);
		if (result == PGSIMHASH_OK && title_length > 0)
			result = pgsimhash_simhash(title, title_length, 64, NULL, &word);
		search->title_failed = result == PGSIMHASH_INVALID_UTF8;
	}
	if (result >= 0)
		result = utf8_of(&search->texts, i, of_text, &text, &length);
	if (texts_get(&search->texts, i).form == TEXT_NONE)
		title_length = 0;		/* a title alone is not a document */
	if (result >= 0)
		result = pgsimhash_duplicates_add(search->duplicates, title, title_length, text, length, NULL);
	return result;
}

static int
find(DuplicatesCapsule *search, size_t known, const uint32_t *order, int threads, Unlocked *unlocked)
{
	Scratch		of_text = {NULL, 0};
	Scratch		of_title = {NULL, 0};
	int			result = PGSIMHASH_OK;

	for (size_t i = 0; i < search->texts.n && result >= 0; i++)
		result = look_for_signals(unlocked) != 0 ? PGSIMHASH_STOPPED :
			add_text(search, i, &of_text, &of_title);
	if (result >= 0)
		result = pgsimhash_duplicates_find(search->duplicates, known, order, threads, NULL,
										   &search->n_limited);
	free(of_text.bytes);
	free(of_title.bytes);
	return result;
}

/* A list of tuples: text, original, kind, distance. */
static PyObject *
list_of_found(DuplicatesCapsule *search)
{
	pgsimhash_duplicate found[FOUND_AT_ONCE];
	PyObject   *list = PyList_New(0);
	size_t		n = 1;

	while (list != NULL && n > 0)
	{
		Unlocked	unlocked;
		int			result;

		unlock(&unlocked);
		result = pgsimhash_duplicates_next(search->duplicates, found, FOUND_AT_ONCE, &n);
		lock(&unlocked);
		if (result < 0)
		{
			Py_CLEAR(list);
			return set_error(result);
		}
		for (size_t i = 0; i < n && list != NULL; i++)
		{
			PyObject   *tuple = Py_BuildValue("IIii", found[i].text, found[i].original, found[i].kind,
											  found[i].distance);

			if (tuple == NULL || PyList_Append(list, tuple) < 0)
				Py_CLEAR(list);
			Py_XDECREF(tuple);
		}
	}
	return list;
}

static int
warn_of_limit(size_t n)
{
	return PyErr_WarnFormat(PyExc_RuntimeWarning, 2,
							n == 1 ? "%zu text reached the limit of comparisons, so its original can be missed" :
							"%zu texts reached the limit of comparisons, so their originals can be missed",
							n);
}

static void
raise(const DuplicatesCapsule *search, int result)
{
	const Texts *texts = search->title_failed ? &search->titles : &search->texts;

	if (result == PGSIMHASH_INVALID_UTF8 && texts->tuple != NULL)
		set_not_utf8(PyTuple_GET_ITEM(texts->tuple, (Py_ssize_t) search->failed));
	else
		set_error(result);
}

PyObject *
py_duplicates(PyObject *Py_UNUSED(module), PyObject *args)
{
	DuplicatesCapsule search = {0};
	PyObject   *texts;
	PyObject   *titles;
	int			numbers;
	int			within;
	Py_buffer	order;
	Py_ssize_t	memory;
	Py_ssize_t	known;
	int			threads;
	Unlocked	unlocked;
	PyObject   *list = NULL;
	int			result;

	if (!PyArg_ParseTuple(args, "OOpiz*nin", &texts, &titles, &numbers, &within, &order, &memory,
						  &threads, &known))
		return NULL;
	if (!texts_open(texts, &search.texts) ||
		(titles != Py_None && !texts_open(titles, &search.titles)))
		goto end;
	if (titles != Py_None && search.titles.n != search.texts.n)
	{
		PyErr_SetString(PyExc_ValueError, "there must be as many titles as texts");
		goto end;
	}
	if (order.buf != NULL && (size_t) order.len != search.texts.n * sizeof(uint32_t))
	{
		PyErr_Format(PyExc_ValueError, "keep must have indexes of texts: %zu texts are ordered of %zu",
					 (size_t) order.len / sizeof(uint32_t), search.texts.n);
		goto end;
	}
	if (known < 0 || (size_t) known > search.texts.n)
	{
		PyErr_Format(PyExc_ValueError, "known must be from 0 to the number of texts, %zu", search.texts.n);
		goto end;
	}
	unlock(&unlocked);
	result = pgsimhash_duplicates_begin(titles != Py_None, numbers, within, (size_t) memory,
										&search.duplicates);
	if (result == PGSIMHASH_OK)
		result = find(&search, (size_t) known, order.buf, threads, &unlocked);
	lock(&unlocked);
	if (result < 0)
		raise(&search, result);
	else if (search.n_limited == 0 || warn_of_limit(search.n_limited) == 0)
		list = list_of_found(&search);
	pgsimhash_duplicates_end(search.duplicates);
end:
	texts_close(&search.texts);
	texts_close(&search.titles);
	PyBuffer_Release(&order);
	return list;
}
