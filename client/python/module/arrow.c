/*-------------------------------------------------------------------------
 *
 * arrow.c
 *		Texts of Arrow's C data interface; see arrow.h.
 *
 * The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html, and the
 * capsules those of https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html.
 *
 *-------------------------------------------------------------------------
 */
#include "arrow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ArrowSchema
{
	const char *format;
	const char *name;
	const char *metadata;
	int64_t		flags;
	int64_t		n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void		(*release) (struct ArrowSchema *);
	void	   *private_data;
};

struct ArrowArray
{
	int64_t		length;
	int64_t		null_count;
	int64_t		offset;
	int64_t		n_buffers;
	int64_t		n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void		(*release) (struct ArrowArray *);
	void	   *private_data;
};

struct ArrowArrayStream
{
	int			(*get_schema) (struct ArrowArrayStream *, struct ArrowSchema *);
	int			(*get_next) (struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error) (struct ArrowArrayStream *);
	void		(*release) (struct ArrowArrayStream *);
	void	   *private_data;
};

/* How an array has the places of its texts. */
typedef enum Layout
{
	OFFSETS_32,
	OFFSETS_64,
	VIEWS
} Layout;

typedef struct Chunk
{
	struct ArrowArray array;
	size_t		end;			/* texts of this chunk and those before it */
} Chunk;

struct ArrowTexts
{
	PyObject   *capsules;		/* that the array or the stream came in, or NULL */
	struct ArrowSchema schema;	/* of a stream */
	Chunk	   *chunks;
	size_t		n_chunks;
	Layout		layout;
};

/* A string view: a length, and the bytes or their place in one of the buffers. */
typedef struct View
{
	int32_t		length;
	char		prefix[4];
	int32_t		buffer;
	int32_t		offset;
} View;

#define LONGEST_INLINE 12		/* bytes of a text that are in its view */
#define FIRST_VIEW_BUFFER 2		/* behind validity and views */

bool
arrow_is_supported(PyObject *object)
{
	return PyObject_HasAttrString(object, "__arrow_c_stream__") ||
		PyObject_HasAttrString(object, "__arrow_c_array__");
}

static bool
layout_of_format(const struct ArrowSchema *schema, Layout *layout)
{
	const char *format = schema->format;

	if (schema->dictionary == NULL)
	{
		if (strcmp(format, "u") == 0 || strcmp(format, "z") == 0)
			return *layout = OFFSETS_32, true;
		if (strcmp(format, "U") == 0 || strcmp(format, "Z") == 0)
			return *layout = OFFSETS_64, true;
		if (strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0)
			return *layout = VIEWS, true;
	}
	PyErr_Format(PyExc_TypeError, "texts must be an array of strings, not of Arrow's format %.100s%s",
				 format, schema->dictionary == NULL ? "" : " with a dictionary");
	return false;
}

/* Make room for a chunk behind the others.  NULL with an exception. */
static Chunk *
next_chunk(ArrowTexts *texts)
{
	Chunk	   *chunks = realloc(texts->chunks, (texts->n_chunks + 1) * sizeof(Chunk));

	if (chunks == NULL)
	{
		PyErr_NoMemory();
		return NULL;
	}
	texts->chunks = chunks;
	return memset(&chunks[texts->n_chunks], 0, sizeof(Chunk));
}

/* Add that chunk, which has its array. */
static void
add_chunk(ArrowTexts *texts, Chunk *chunk)
{
	chunk->end = arrow_count(texts) + (size_t) chunk->array.length;
	texts->n_chunks++;
}

/* Another reader of a capsule may have released its contents. */
static bool
set_released(void)
{
	PyErr_SetString(PyExc_ValueError, "the Arrow array was released");
	return false;
}

/* Take the array out of its capsule, which others may have, too. */
static bool
open_array(ArrowTexts *texts)
{
	PyObject   *schema_capsule;
	PyObject   *array_capsule;
	const struct ArrowSchema *schema;
	struct ArrowArray *array;
	Chunk	   *chunk;

	if (!PyArg_ParseTuple(texts->capsules, "OO", &schema_capsule, &array_capsule))
		return false;
	schema = PyCapsule_GetPointer(schema_capsule, "arrow_schema");
	array = schema == NULL ? NULL : PyCapsule_GetPointer(array_capsule, "arrow_array");
	if (array == NULL || !layout_of_format(schema, &texts->layout) ||
		(chunk = next_chunk(texts)) == NULL)
		return false;
	if (array->release == NULL)
		return set_released();
	chunk->array = *array;
	array->release = NULL;
	add_chunk(texts, chunk);
	return true;
}

static bool
set_stream_error(struct ArrowArrayStream *stream)
{
	const char *message = stream->get_last_error(stream);

	PyErr_Format(PyExc_ValueError, "stream of Arrow arrays failed: %.200s",
				 message == NULL ? "unknown error" : message);
	return false;
}

/* Take all arrays of the stream. */
static bool
read_stream(ArrowTexts *texts, struct ArrowArrayStream *stream)
{
	for (;;)
	{
		Chunk	   *chunk = next_chunk(texts);

		if (chunk == NULL)
			return false;
		if (stream->get_next(stream, &chunk->array) != 0)
			return set_stream_error(stream);
		if (chunk->array.release == NULL)
			return true;
		add_chunk(texts, chunk);
	}
}

static bool
open_stream(ArrowTexts *texts)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(texts->capsules, "arrow_array_stream");

	if (stream == NULL)
		return false;
	if (stream->release == NULL)
		return set_released();
	if (stream->get_schema(stream, &texts->schema) != 0)
	{
		texts->schema.release = NULL;
		return set_stream_error(stream);
	}
	return layout_of_format(&texts->schema, &texts->layout) && read_stream(texts, stream);
}

ArrowTexts *
arrow_open(PyObject *object)
{
	bool		is_stream = PyObject_HasAttrString(object, "__arrow_c_stream__");
	ArrowTexts *texts = calloc(1, sizeof(ArrowTexts));

	if (texts == NULL)
	{
		PyErr_NoMemory();
		return NULL;
	}
	texts->capsules = PyObject_CallMethod(object, is_stream ? "__arrow_c_stream__" :
										  "__arrow_c_array__", NULL);
	if (texts->capsules != NULL && (is_stream ? open_stream(texts) : open_array(texts)))
		return texts;
	arrow_close(texts);
	return NULL;
}

void
arrow_close(ArrowTexts *texts)
{
	PyObject   *type;
	PyObject   *value;
	PyObject   *traceback;

	if (texts == NULL)
		return;
	/* release may be written in Python, and need no exception */
	PyErr_Fetch(&type, &value, &traceback);
	for (size_t i = 0; i < texts->n_chunks; i++)
		if (texts->chunks[i].array.release != NULL)
			texts->chunks[i].array.release(&texts->chunks[i].array);
	if (texts->schema.release != NULL)
		texts->schema.release(&texts->schema);
	free(texts->chunks);
	Py_XDECREF(texts->capsules);
	free(texts);
	PyErr_Restore(type, value, traceback);
}

size_t
arrow_count(const ArrowTexts *texts)
{
	return texts->n_chunks == 0 ? 0 : texts->chunks[texts->n_chunks - 1].end;
}

/* The chunk with text i, and the text's number in the buffers of the chunk. */
static const struct ArrowArray *
find_chunk(const ArrowTexts *texts, size_t i, size_t *place)
{
	size_t		low = 0;
	size_t		high = texts->n_chunks - 1;
	const struct ArrowArray *array;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (texts->chunks[middle].end <= i)
			low = middle + 1;
		else
			high = middle;
	}
	array = &texts->chunks[low].array;
	*place = i - (texts->chunks[low].end - (size_t) array->length) + (size_t) array->offset;
	return array;
}

const char *
arrow_get(const ArrowTexts *texts, size_t i, size_t *length)
{
	size_t		place;
	const struct ArrowArray *array = find_chunk(texts, i, &place);
	const uint8_t *valid = array->buffers[0];

	*length = 0;
	if (valid != NULL && (valid[place / 8] >> place % 8 & 1) == 0)
		return NULL;
	if (texts->layout == VIEWS)
	{
		const View *view = (const View *) array->buffers[1] + place;

		*length = (size_t) view->length;
		return view->length <= LONGEST_INLINE ? view->prefix :
			(const char *) array->buffers[FIRST_VIEW_BUFFER + view->buffer] + view->offset;
	}
	else
	{
		bool		is_long = texts->layout == OFFSETS_64;
		const int64_t *longs = array->buffers[1];
		const int32_t *ints = array->buffers[1];
		int64_t		start = is_long ? longs[place] : ints[place];
		const char *bytes = array->buffers[2];

		*length = (size_t) ((is_long ? longs[place + 1] : ints[place + 1]) - start);
		return *length == 0 ? "" : bytes + start;
	}
}
