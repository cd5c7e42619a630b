/*-------------------------------------------------------------------------
 *
 * fingerprints.c
 *		Functions of fingerprints, which are words of 64 bits in the buffer of an object.
 *
 *-------------------------------------------------------------------------
 */
#include "functions.h"
#include "unlocked.h"

#define PAIRS_AT_ONCE 4096

/* The number of fingerprints in a buffer; -1 with an exception. */
static Py_ssize_t
count_fingerprints(const Py_buffer *buffer, int bits)
{
	Py_ssize_t	size = PGSIMHASH_WORDS(bits) * (Py_ssize_t) sizeof(uint64_t);

	if (bits >= 1 && bits <= PGSIMHASH_MOST_BITS && buffer->len % size == 0 &&
		(uintptr_t) buffer->buf % sizeof(uint64_t) == 0)
		return buffer->len / size;
	PyErr_SetString(PyExc_ValueError, pgsimhash_message(PGSIMHASH_INVALID_OPTION));
	return -1;
}

/* Is one fingerprint in the buffer?  If not, there is an exception. */
static bool
is_one_fingerprint(const Py_buffer *buffer, int bits)
{
	Py_ssize_t	n = count_fingerprints(buffer, bits);

	if (n >= 0 && n != 1)
		PyErr_SetString(PyExc_ValueError, pgsimhash_message(PGSIMHASH_INVALID_OPTION));
	return n == 1;
}

PyObject *
py_bound(PyObject *Py_UNUSED(module), PyObject *args)
{
	double		resemblance;
	double		recall;
	int			bits;
	int			bound = 0;
	int			result;

	if (!PyArg_ParseTuple(args, "did", &resemblance, &bits, &recall))
		return NULL;
	result = pgsimhash_bound(resemblance, bits, recall, &bound);
	return result < 0 ? set_error(result) : PyLong_FromLong(bound);
}

PyObject *
py_block_keys(PyObject *Py_UNUSED(module), PyObject *args)
{
	Py_buffer	fp;
	int			bits;
	int			distance;
	int64_t		keys[PGSIMHASH_MOST_BITS + 1];
	size_t		n = 0;
	PyObject   *list = NULL;

	if (!PyArg_ParseTuple(args, "y*ii", &fp, &bits, &distance))
		return NULL;
	if (is_one_fingerprint(&fp, bits) &&
		pgsimhash_block_keys(fp.buf, bits, distance, keys, &n) == PGSIMHASH_OK)
		list = list_of_keys(keys, n);
	PyBuffer_Release(&fp);
	return list;
}

/* ---------- one fingerprint against many ---------- */

typedef struct Query
{
	Py_buffer	fps;
	Py_buffer	q;
	int			bits;
	Py_ssize_t	n;
} Query;

static bool
query_check(Query *query)
{
	query->n = count_fingerprints(&query->fps, query->bits);
	return query->n >= 0 && is_one_fingerprint(&query->q, query->bits);
}

static void
query_end(Query *query)
{
	PyBuffer_Release(&query->fps);
	PyBuffer_Release(&query->q);
}

PyObject *
py_distances(PyObject *Py_UNUSED(module), PyObject *args)
{
	Query		query;
	PyObject   *distances = NULL;

	if (!PyArg_ParseTuple(args, "y*y*i", &query.fps, &query.q, &query.bits))
		return NULL;
	if (query_check(&query))
		distances = PyBytes_FromStringAndSize(NULL, query.n * (Py_ssize_t) sizeof(uint16_t));
	if (distances != NULL)
	{
		uint16_t   *to = (uint16_t *) PyBytes_AS_STRING(distances);
		Unlocked	unlocked;
		int			result;

		unlock(&unlocked);
		result = pgsimhash_distances(query.fps.buf, (size_t) query.n, query.q.buf, query.bits, to);
		lock(&unlocked);
		distances = bytes_or_error(distances, result);
	}
	query_end(&query);
	return distances;
}

static PyObject *
make_number(const void *numbers, size_t i)
{
	return PyLong_FromSize_t(((const size_t *) numbers)[i]);
}

PyObject *
py_within(PyObject *Py_UNUSED(module), PyObject *args)
{
	Query		query;
	int			radius;
	size_t	   *found;
	size_t		n_found = 0;
	int			result;
	Unlocked	unlocked;
	PyObject   *list = NULL;

	if (!PyArg_ParseTuple(args, "y*y*ii", &query.fps, &query.q, &query.bits, &radius))
		return NULL;
	if (query_check(&query))
	{
		found = PyMem_RawMalloc(((size_t) query.n + 1) * sizeof(size_t));
		if (found == NULL)
			PyErr_NoMemory();
		else
		{
			unlock(&unlocked);
			result = pgsimhash_within(query.fps.buf, (size_t) query.n, query.q.buf, query.bits,
									  radius, found, &n_found);
			lock(&unlocked);
			list = result < 0 ? set_error(result) : list_of(found, n_found, make_number);
			PyMem_RawFree(found);
		}
	}
	query_end(&query);
	return list;
}

/* ---------- pairs and groups ---------- */

/* What a capsule of py_pairs_begin has. */
typedef struct PairsCapsule
{
	Py_buffer	fps;
	pgsimhash_pairs *pairs;
} PairsCapsule;

#define SEARCH_NAME "pgsimhash.pairs"

static void
end_search(PairsCapsule *search)
{
	pgsimhash_pairs_end(search->pairs);
	PyBuffer_Release(&search->fps);
	PyMem_Free(search);
}

static void
end_capsule(PyObject *capsule)
{
	end_search(PyCapsule_GetPointer(capsule, SEARCH_NAME));
}

PyObject *
py_pairs_begin(PyObject *Py_UNUSED(module), PyObject *args)
{
	PairsCapsule *search = PyMem_Calloc(1, sizeof(PairsCapsule));
	int			bits;
	int			distance;
	Py_ssize_t	n;
	Unlocked	unlocked;
	int			result;
	PyObject   *capsule = NULL;

	if (search == NULL)
		return PyErr_NoMemory();
	if (PyArg_ParseTuple(args, "y*ii", &search->fps, &bits, &distance) &&
		(n = count_fingerprints(&search->fps, bits)) >= 0)
	{
		unlock(&unlocked);
		result = pgsimhash_pairs_begin(search->fps.buf, (size_t) n, bits, distance, 0,
									   &search->pairs);
		lock(&unlocked);
		if (result < 0)
			set_error(result);
		else
			capsule = PyCapsule_New(search, SEARCH_NAME, end_capsule);
	}
	if (capsule == NULL)
		end_search(search);
	return capsule;
}

static PyObject *
make_pair(const void *pairs, size_t i)
{
	const pgsimhash_pair *pair = (const pgsimhash_pair *) pairs + i;

	return Py_BuildValue("IIi", pair->a, pair->b, pair->distance);
}

PyObject *
py_pairs_next(PyObject *Py_UNUSED(module), PyObject *capsule)
{
	PairsCapsule *search = PyCapsule_GetPointer(capsule, SEARCH_NAME);
	pgsimhash_pair *found;
	size_t		n = 0;
	Unlocked	unlocked;
	int			result;
	PyObject   *list;

	if (search == NULL)
		return NULL;
	found = PyMem_RawMalloc(PAIRS_AT_ONCE * sizeof(pgsimhash_pair));
	if (found == NULL)
		return PyErr_NoMemory();
	unlock(&unlocked);
	result = pgsimhash_pairs_next(search->pairs, found, PAIRS_AT_ONCE, &n);
	lock(&unlocked);
	list = result < 0 ? set_error(result) : list_of(found, n, make_pair);
	PyMem_RawFree(found);
	return list;
}

PyObject *
py_groups(PyObject *Py_UNUSED(module), PyObject *args)
{
	Py_buffer	fps;
	int			bits;
	int			distance;
	int			method;
	Py_ssize_t	n;
	PyObject   *groups = NULL;

	if (!PyArg_ParseTuple(args, "y*iii", &fps, &bits, &distance, &method))
		return NULL;
	n = count_fingerprints(&fps, bits);
	if (n >= 0)
		groups = PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t) sizeof(uint32_t));
	if (groups != NULL)
	{
		uint32_t   *to = (uint32_t *) PyBytes_AS_STRING(groups);
		Unlocked	unlocked;
		int			result;

		unlock(&unlocked);
		result = pgsimhash_groups(fps.buf, (size_t) n, bits, distance, method, 0, to);
		lock(&unlocked);
		groups = bytes_or_error(groups, result);
	}
	PyBuffer_Release(&fps);
	return groups;
}

PyObject *
py_stars(PyObject *Py_UNUSED(module), PyObject *args)
{
	Py_buffer	edges;
	unsigned int n;
	PyObject   *keepers = NULL;

	if (!PyArg_ParseTuple(args, "y*I", &edges, &n))
		return NULL;
	keepers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t) n * (Py_ssize_t) sizeof(uint32_t));
	if (keepers != NULL)
	{
		uint32_t   *to = (uint32_t *) PyBytes_AS_STRING(keepers);
		size_t		n_edges = (size_t) edges.len / sizeof(pgsimhash_edge);
		Unlocked	unlocked;
		int			result;

		unlock(&unlocked);
		result = pgsimhash_stars(edges.buf, n_edges, n, to);
		lock(&unlocked);
		keepers = bytes_or_error(keepers, result);
	}
	PyBuffer_Release(&edges);
	return keepers;
}
