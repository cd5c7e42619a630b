/*-------------------------------------------------------------------------
 *
 * module.c
 *		The module pgsimhash._core: the C library, linked in. The package's Python code checks
 *		types and options and gives them names.
 *
 *-------------------------------------------------------------------------
 */
#include "functions.h"

#include <string.h>

int
get_options(PyObject *object, void *options)
{
	pgsimhash_options *o = options;

	memset(o, 0, sizeof(*o));
	return PyArg_ParseTuple(object, "iiiii", &o->features, &o->n, &o->weight, &o->no_fold,
							&o->no_normalization);
}

PyObject *
list_of(const void *arg, size_t n, MakeItem make)
{
	PyObject   *list = PyList_New((Py_ssize_t) n);

	for (size_t i = 0; list != NULL && i < n; i++)
	{
		PyObject   *item = make(arg, i);

		if (item == NULL)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, (Py_ssize_t) i, item);
	}
	return list;
}

static PyObject *
make_key(const void *keys, size_t i)
{
	return PyLong_FromLongLong(((const int64_t *) keys)[i]);
}

PyObject *
list_of_keys(const int64_t *keys, size_t n)
{
	return list_of(keys, n, make_key);
}

PyObject *
bytes_or_error(PyObject *bytes, int result)
{
	if (result >= 0)
		return bytes;
	Py_DECREF(bytes);
	return set_error(result);
}

PyObject *
bytes_of_words(const uint64_t *words, int n)
{
	unsigned char bytes[PGSIMHASH_MOST_BITS / 8];

	for (int i = 0; i < n * 8; i++)
		bytes[i] = (unsigned char) (words[i / 8] >> (56 - i % 8 * 8));
	return PyBytes_FromStringAndSize((const char *) bytes, n * 8);
}

PyObject *
set_error(int result)
{
	if (result == PGSIMHASH_NO_MEMORY)
		return PyErr_NoMemory();
	if (result == PGSIMHASH_STOPPED)
		return NULL;			/* a signal has raised its exception */
	PyErr_SetString(PyExc_ValueError, pgsimhash_message(result));
	return NULL;
}

static PyMethodDef methods[] = {
	{"fingerprint", py_fingerprint, METH_VARARGS, NULL},
	{"fingerprint_many", py_fingerprint_many, METH_VARARGS, NULL},
	{"from_features", py_from_features, METH_VARARGS, NULL},
	{"resemblance", py_resemblance, METH_VARARGS, NULL},
	{"containment", py_containment, METH_VARARGS, NULL},
	{"passage_keys", py_passage_keys, METH_VARARGS, NULL},
	{"passages", py_passages, METH_VARARGS, NULL},
	{"first_change", py_first_change, METH_VARARGS, NULL},
	{"same_document", py_same_document, METH_VARARGS, NULL},
	{"copy_key", py_copy_key, METH_VARARGS, NULL},
	{"duplicates", py_duplicates, METH_VARARGS, NULL},
	{"changes", py_changes, METH_VARARGS, NULL},
	{"bound", py_bound, METH_VARARGS, NULL},
	{"block_keys", py_block_keys, METH_VARARGS, NULL},
	{"distances", py_distances, METH_VARARGS, NULL},
	{"within", py_within, METH_VARARGS, NULL},
	{"pairs_begin", py_pairs_begin, METH_VARARGS, NULL},
	{"pairs_next", py_pairs_next, METH_O, NULL},
	{"groups", py_groups, METH_VARARGS, NULL},
	{"stars", py_stars, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL}
};

static int
add_constants(PyObject *module)
{
	PyObject   *kinds = PyList_New(0);
	const char *name;
	int			result = kinds == NULL ? -1 : 0;

	for (int kind = 0; result == 0 && (name = pgsimhash_change_name(kind)) != NULL; kind++)
	{
		PyObject   *string = PyUnicode_FromString(name);

		result = string == NULL ? -1 : PyList_Append(kinds, string);
		Py_XDECREF(string);
	}
	if (result == 0)
		result = PyModule_AddIntConstant(module, "near_of_64", PGSIMHASH_NEAR(64));
	if (result == 0)
		result = PyModule_AddIntConstant(module, "candidates_of_64", PGSIMHASH_CANDIDATES(64));
	if (result == 0)
		result = PyModule_AddStringConstant(module, "version", pgsimhash_version());
	if (result == 0)
		result = PyModule_AddObject(module, "change_kinds", kinds);
	if (result != 0)
		Py_XDECREF(kinds);
	return result;
}

static PyModuleDef_Slot slots[] =
{
	{
		Py_mod_exec, add_constants
	},
	{
		0, NULL
	}
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "pgsimhash._core", NULL, 0, methods, slots, NULL, NULL, NULL
};

PyMODINIT_FUNC
PyInit__core(void)
{
	return PyModuleDef_Init(&definition);
}
