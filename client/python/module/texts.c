/*-------------------------------------------------------------------------
 *
 * texts.c
 *		Texts of Python objects; see texts.h.
 *
 *-------------------------------------------------------------------------
 */
#include "texts.h"

#include <stdlib.h>
#include <string.h>

#include "core/text/bytes.h"
#include "pgsimhash.h"

/* ---------- one object ---------- */

static PythonText
text_of_object(PyObject *object)
{
	PythonText	text = {NULL, 0, TEXT_NONE};

	if (PyUnicode_Check(object))
	{
		text.data = PyUnicode_DATA(object);
		text.length = (size_t) PyUnicode_GET_LENGTH(object);
		if (PyUnicode_IS_ASCII(object))
			text.form = TEXT_UTF8;
		else if (PyUnicode_KIND(object) == PyUnicode_1BYTE_KIND)
			text.form = TEXT_LATIN1;
		else
			text.form = PyUnicode_KIND(object) == PyUnicode_2BYTE_KIND ? TEXT_UCS2 : TEXT_UCS4;
	}
	else if (PyBytes_Check(object))
	{
		text.data = PyBytes_AS_STRING(object);
		text.length = (size_t) PyBytes_GET_SIZE(object);
		text.form = TEXT_UTF8;
	}
	return text;
}

/* Can text_of_object read the object?  If not, there may be an exception. */
static bool
prepare_object(PyObject *object)
{
	if (PyBytes_Check(object))
		return true;
	if (!PyUnicode_Check(object))
		return false;
#if PY_VERSION_HEX < 0x030C0000
	return PyUnicode_READY(object) == 0;
#else
	return true;
#endif
}

bool
text_open(PyObject *object, PythonText *text)
{
	if (object == Py_None || prepare_object(object))
	{
		*text = text_of_object(object);
		return true;
	}
	if (!PyErr_Occurred())
		PyErr_Format(PyExc_TypeError, "text must be str or bytes, not %.200s",
					 Py_TYPE(object)->tp_name);
	return false;
}

void
set_not_utf8(PyObject *object)
{
	PyObject   *converted = PyBytes_Check(object) ?
		PyUnicode_DecodeUTF8(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object), "strict") :
		PyUnicode_AsUTF8String(object);

	Py_XDECREF(converted);
	if (!PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "text is not UTF-8");
}

/* ---------- many ---------- */

/* An array of NumPy with the types U and S: the characters of an element, then zeros. */
static bool
open_buffer(PyObject *object, Texts *texts)
{
	Py_buffer  *buffer = &texts->buffer;
	const char *format;
	size_t		length;

	if (PyObject_GetBuffer(object, buffer, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
	{
		PyErr_Clear();
		return false;
	}
	texts->has_buffer = true;
	format = buffer->format == NULL ? "" : buffer->format;
	if (*format == '<' || *format == '=')
		format++;
	length = strlen(format);
	if (buffer->ndim == 1 && length > 0 && strchr("ws", format[length - 1]) != NULL &&
		strspn(format, "0123456789") == length - 1)
	{
		texts->form = format[length - 1] == 's' ? TEXT_SHARED_UTF8 : TEXT_UCS4;
		texts->n = (size_t) buffer->shape[0];
		return true;
	}
	PyBuffer_Release(buffer);
	texts->has_buffer = false;
	return false;
}

static bool
open_sequence(PyObject *object, Texts *texts)
{
	texts->tuple = PySequence_Tuple(object);
	if (texts->tuple == NULL)
		return false;
	texts->n = (size_t) PyTuple_GET_SIZE(texts->tuple);
	for (size_t i = 0; i < texts->n; i++)
	{
		PyObject   *item = PyTuple_GET_ITEM(texts->tuple, i);

		if (item == Py_None || prepare_object(item))
			continue;
		if (!PyErr_Occurred())
			PyErr_Format(PyExc_TypeError, "text %zu must be str, bytes or None, not %.200s", i,
						 Py_TYPE(item)->tp_name);
		return false;
	}
	return true;
}

bool
texts_open(PyObject *object, Texts *texts)
{
	memset(texts, 0, sizeof(*texts));
	if (PyUnicode_Check(object) || PyBytes_Check(object))
	{
		PyErr_SetString(PyExc_TypeError, "texts must be several texts, not one");
		return false;
	}
	if (arrow_is_supported(object))
	{
		texts->arrow = arrow_open(object);
		if (texts->arrow == NULL)
			return false;
		texts->n = arrow_count(texts->arrow);
		return true;
	}
	if (PyObject_CheckBuffer(object) && open_buffer(object, texts))
		return true;
	return open_sequence(object, texts);
}

void
texts_close(Texts *texts)
{
	Py_CLEAR(texts->tuple);
	if (texts->has_buffer)
		PyBuffer_Release(&texts->buffer);
	texts->has_buffer = false;
	arrow_close(texts->arrow);
	texts->arrow = NULL;
}

static PythonText
text_of_buffer(const Texts *texts, size_t i)
{
	size_t		size = texts->form == TEXT_SHARED_UTF8 ? 1 : 4;
	const char *data = (const char *) texts->buffer.buf +
		(Py_ssize_t) i * texts->buffer.strides[0];
	size_t		length = (size_t) texts->buffer.itemsize / size;
	static const char zeros[4];
	PythonText	text;

	while (length > 0 && memcmp(data + (length - 1) * size, zeros, size) == 0)
		length--;
	text.data = data;
	text.length = length;
	text.form = texts->form;
	return text;
}

PythonText
texts_get(const Texts *texts, size_t i)
{
	PythonText	text;

	if (texts->tuple != NULL)
		return text_of_object(PyTuple_GET_ITEM(texts->tuple, i));
	if (texts->arrow == NULL)
		return text_of_buffer(texts, i);
	text.data = arrow_get(texts->arrow, i, &text.length);
	text.form = text.data == NULL ? TEXT_NONE : TEXT_SHARED_UTF8;
	return text;
}

/* ---------- UTF-8 ---------- */

/* Write the text as UTF-8, and return its end, or NULL if it has an invalid code point. */
static uint8_t *
put_text(uint8_t *to, const PythonText *text)
{
	uint32_t	c;

	if (text->form == TEXT_SHARED_UTF8)
	{
		memcpy(to, text->data, text->length);
		return to + text->length;
	}
	for (size_t i = 0; i < text->length; i++)
	{
		if (text->form == TEXT_LATIN1)
			c = ((const uint8_t *) text->data)[i];
		else if (text->form == TEXT_UCS2)
			c = ((const uint16_t *) text->data)[i];
		else
			memcpy(&c, (const char *) text->data + 4 * i, 4);	/* NumPy need not align */
		if (c > 0x10FFFF)
			return NULL;
		to += utf8_encode(to, c);
	}
	return to;
}

int
text_utf8(const PythonText *text, Scratch *scratch, const char **utf8, size_t *length)
{
	static const size_t most_bytes[] = {[TEXT_SHARED_UTF8] = 1,[TEXT_LATIN1] = 2,[TEXT_UCS2] = 3,[TEXT_UCS4] = 4};
	size_t		most;
	uint8_t    *end;

	if (text->form == TEXT_UTF8 || text->length == 0)
	{
		*utf8 = text->data;
		*length = text->length;
		return PGSIMHASH_OK;
	}
	most = most_bytes[text->form];
	if (text->length > SIZE_MAX / 8)
		return PGSIMHASH_NO_MEMORY;
	if (scratch->size < text->length * most)
	{
		free(scratch->bytes);
		scratch->size = text->length * most;
		scratch->bytes = malloc(scratch->size);
		if (scratch->bytes == NULL)
		{
			scratch->size = 0;
			return PGSIMHASH_NO_MEMORY;
		}
	}
	end = put_text((uint8_t *) scratch->bytes, text);
	if (end == NULL)
		return PGSIMHASH_INVALID_UTF8;
	*utf8 = scratch->bytes;
	*length = (size_t) (end - (uint8_t *) scratch->bytes);
	return PGSIMHASH_OK;
}
