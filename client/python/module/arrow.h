/*-------------------------------------------------------------------------
 *
 * arrow.h
 *		Texts of Arrow's C data interface: arrays and streams of arrays of the types string,
 *		large_string, string_view, and the same of binary.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_ARROW_H
#define PGSIMHASH_ARROW_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

typedef struct ArrowTexts ArrowTexts;

/* Does the object offer its arrays by __arrow_c_stream__ or __arrow_c_array__? */
extern bool arrow_is_supported(PyObject *object);

/* NULL with an exception; arrow_close accepts NULL. */
extern ArrowTexts *arrow_open(PyObject *object);
extern void arrow_close(ArrowTexts *texts);

/* These need no lock.  A text that is NULL has NULL bytes. */
extern size_t arrow_count(const ArrowTexts *texts);
extern const char *arrow_get(const ArrowTexts *texts, size_t i, size_t *length);

#endif
