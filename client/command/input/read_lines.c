/*-------------------------------------------------------------------------
 *
 * read_lines.c
 *		Lines that are texts, and the lines of other formats. A batch has whole lines.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "format.h"
#include "json_reader.h"

#define LINES_PART (1 << 17)	/* bytes read at a time */

static uint64_t
count_newlines(const char *bytes, size_t length)
{
	const char *end = bytes + length;
	uint64_t	n = 0;

	for (; (bytes = memchr(bytes, '\n', (size_t) (end - bytes))) != NULL; bytes++)
		n++;
	return n;
}

/* Bytes up to the end of the last line; 0 if there is none. */
static size_t
whole_lines(const Buffer *data, size_t searched)
{
	const char *newline = memrchr(data->bytes + searched, '\n', data->length - searched);

	return newline == NULL ? 0 : (size_t) (newline - data->bytes) + 1;
}

/*
 * Read at least a batch, and more until there is a whole line, behind the bytes that are
 * there.  Return the bytes of the whole lines, or of all at the end of the file.
 */
static size_t
fill(Input *input, Batch *batch)
{
	Buffer	   *data = &batch->data;
	size_t		searched = 0;

	for (;;)
	{
		size_t		whole;

		if (input_bytes(input, data, LINES_PART) == 0)
			return data->length;
		if (data->length < BATCH_BYTES)
			continue;
		whole = whole_lines(data, searched);
		if (whole > 0)
			return whole;
		searched = data->length;
	}
}

void
lines_read(Input *input)
{
	Buffer		rest = {NULL, 0, 0, 0};

	/* the first record that is read again is not the beginning of the file */
	size_t		line = input->chosen == NULL ? 1 : 2;
	uint64_t	offset = 0;

	input_submit(input);
	for (;;)
	{
		Batch	   *batch = input_batch(input);
		Buffer	   *data = &batch->data;
		size_t		whole;
		uint64_t	n_lines;

		buffer_append(data, rest.bytes, rest.length);
		whole = fill(input, batch);
		if (line == 1)
			check_form(batch->file, data->bytes, data->length);
		rest.length = 0;
		buffer_append(&rest, data->bytes + whole, data->length - whole);
		data->length = whole;
		buffer_reserve(data, JSON_PADDING);
		batch->line = line;
		batch->offset = offset;
		offset += whole;
		batch->input_bytes = whole;
		if (whole == 0)
			break;
		n_lines = count_newlines(data->bytes, whole) + (data->bytes[whole - 1] != '\n');
		line += n_lines;
		input->number += n_lines;
		input_submit(input);
	}
	input_submit(input);
	buffer_free(&rest);
}

bool
next_line(RecordReader *reader, const char **line, size_t *length)
{
	const Buffer *data = &reader->batch->data;
	size_t		left;
	const char *newline;

	if (reader->at > 0)
		reader->line++;
	else if (reader->line == 1)
		reader->at = byte_order_mark(data->bytes, data->length);
	left = data->length - reader->at;
	if (left == 0)
		return false;
	*line = data->bytes + reader->at;
	newline = memchr(*line, '\n', left);
	*length = newline == NULL ? left : (size_t) (newline - *line);
	reader->at += *length + (newline != NULL);
	return true;
}

void
set_bytes(const RecordReader *reader, Record *record, const char *line, size_t length)
{
	record->bytes = line;
	record->n_bytes = length;
	record->place.offset = reader->batch->offset + (uint64_t) (line - reader->batch->data.bytes);
	record->place.length = length;
}

static RecordStatus
line_next(RecordReader *reader, Record *record)
{
	const Batch *batch = reader->batch;

	if (!next_line(reader, &record->text, &record->text_length))
		return RECORD_END;
	set_bytes(reader, record, record->text, record->text_length);
	set_number(reader, record, batch->number + (reader->line - batch->line));
	return RECORD_FOUND;
}

const Format format_line = {lines_read, line_next, NULL};
