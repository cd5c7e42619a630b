/*-------------------------------------------------------------------------
 *
 * functions.h
 *		The functions of the module pgsimhash._core. pgsimhash/_core.pyi has their arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_FUNCTIONS_H
#define PGSIMHASH_FUNCTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "pgsimhash.h"

/* of one text or two */
extern PyObject *py_fingerprint(PyObject *module, PyObject *args);
extern PyObject *py_resemblance(PyObject *module, PyObject *args);
extern PyObject *py_containment(PyObject *module, PyObject *args);
extern PyObject *py_passage_keys(PyObject *module, PyObject *args);
extern PyObject *py_passages(PyObject *module, PyObject *args);
extern PyObject *py_first_change(PyObject *module, PyObject *args);
extern PyObject *py_same_document(PyObject *module, PyObject *args);
extern PyObject *py_changes(PyObject *module, PyObject *args);

extern PyObject *py_copy_key(PyObject *module, PyObject *args);

/* of many texts */
extern PyObject *py_duplicates(PyObject *module, PyObject *args);
extern PyObject *py_fingerprint_many(PyObject *module, PyObject *args);

/* of features */
extern PyObject *py_from_features(PyObject *module, PyObject *args);

/* of fingerprints */
extern PyObject *py_bound(PyObject *module, PyObject *args);
extern PyObject *py_block_keys(PyObject *module, PyObject *args);
extern PyObject *py_distances(PyObject *module, PyObject *args);
extern PyObject *py_within(PyObject *module, PyObject *args);
extern PyObject *py_pairs_begin(PyObject *module, PyObject *args);
extern PyObject *py_pairs_next(PyObject *module, PyObject *search);
extern PyObject *py_groups(PyObject *module, PyObject *args);
extern PyObject *py_stars(PyObject *module, PyObject *args);

/* For "O&": a tuple (features, n, weight, no_fold, no_normalization). */
extern int	get_options(PyObject *object, void *options);

/* A list of n objects, which a function makes of their numbers.  NULL with an exception. */
typedef PyObject *(*MakeItem) (const void *arg, size_t i);
extern PyObject *list_of(const void *arg, size_t n, MakeItem make);
extern PyObject *list_of_keys(const int64_t *keys, size_t n);

/* Return the bytes that a call of the library has filled, or NULL after its error. */
extern PyObject *bytes_or_error(PyObject *bytes, int result);

/* The bytes of n words, the most significant first. */
extern PyObject *bytes_of_words(const uint64_t *words, int n);

/* Raise the exception of a result below 0, and return NULL. */
extern PyObject *set_error(int result);

#endif
