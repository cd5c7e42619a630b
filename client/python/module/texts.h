/*-------------------------------------------------------------------------
 *
 * texts.h
 *		Texts of Python objects, which the functions of this file's second half read without
 *		the interpreter's lock, and without copies of those that nothing can change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_TEXTS_H
#define PGSIMHASH_TEXTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#include "arrow.h"

typedef enum TextForm
{
	TEXT_NONE,					/* None, NULL */
	TEXT_UTF8,					/* or bytes that should be */
	TEXT_SHARED_UTF8,			/* the same in memory that may change meanwhile */
	TEXT_LATIN1,				/* code points of 1, 2 and 4 bytes */
	TEXT_UCS2,
	TEXT_UCS4
} TextForm;

typedef struct PythonText
{
	const void *data;
	size_t		length;			/* bytes of UTF-8, or else code points */
	TextForm	form;
} PythonText;

/* Memory for the UTF-8 of a text; an object of zeros is empty. */
typedef struct Scratch
{
	char	   *bytes;
	size_t		size;
} Scratch;

/* Many texts. */
typedef struct Texts
{
	size_t		n;
	PyObject   *tuple;			/* of str, bytes and None; or else */
	ArrowTexts *arrow;			/* arrays of Arrow; or else */
	Py_buffer	buffer;			/* an array of NumPy, of U or S */
	TextForm	form;			/* of the buffer */
	bool		has_buffer;
} Texts;

/*
 * These need the lock.  They return false with an exception.  texts_close releases what
 * texts_open, also after a failure, has acquired.
 */
extern bool text_open(PyObject *object, PythonText *text);
extern bool texts_open(PyObject *object, Texts *texts);
extern void texts_close(Texts *texts);

/* The exception for a text that is not UTF-8. */
extern void set_not_utf8(PyObject *object);

/* These need no lock. */
extern PythonText texts_get(const Texts *texts, size_t i);

/*
 * The UTF-8 of a text, in the text or in "scratch".  The library looks at a text more than once, so a
 * text that may change is copied.  Returns PGSIMHASH_OK, PGSIMHASH_NO_MEMORY, or
 * PGSIMHASH_INVALID_UTF8 for numbers that are no code points.  The library checks the rest.
 */
extern int	text_utf8(const PythonText *text, Scratch *scratch, const char **utf8, size_t *length);

#endif
