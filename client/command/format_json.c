/*
 * JSON Lines: each line is an object.  Lines of white space are left out.
 */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "format.h"

static JsonReader *
new_reader(void)
{
	JsonReader *json = json_reader_new();

	if (json == NULL)
		fail(EXIT_TROUBLE, "out of memory");
	return json;
}

static bool
is_blank(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strchr(" \t\r", line[i]) == NULL || line[i] == '\0')
			return false;
	return true;
}

static void
json_read(Input *input, const char *name, int fd, uint64_t size)
{
	(void) size;
	lines_read(input, &format_json, name, fd);
}

/* Set the id of a record, from its field or its number; false if the field is wrong. */
static bool
set_id(RecordReader *reader, Record *record, const JsonField *id)
{
	const Batch *batch = reader->batch;

	if (!batch->id_is_field)
	{
		set_number(reader, record, batch->number + (reader->line - batch->line));
		return true;
	}
	record->id = id->bytes;
	record->id_length = id->length;
	record->id_is_number = id->kind == JSON_INTEGER;
	return id->kind == JSON_INTEGER || id->kind == JSON_STRING;
}

/* A problem of a field, or of the whole line if name is NULL */
static void
set_error(RecordReader *reader, const char *name, const char *problem)
{
	if (name == NULL)
		snprintf(reader->error, sizeof(reader->error), "%s", problem);
	else
		snprintf(reader->error, sizeof(reader->error), "field \"%.100s\": %s", name, problem);
}

/* Find the next object, which becomes the record's text, and the two fields.  Return false at the end. */
static bool
next_object(RecordReader *reader, const char **problem, Record *record, JsonField *text,
			JsonField *id)
{
	const char *line;
	size_t		length;

	if (reader->json == NULL)
		reader->json = new_reader();
	do
		if (!next_line(reader, &line, &length))
			return false;
	while (is_blank(line, length));
	record->text = line;
	record->text_length = length;
	/* simdjson skips a mark in front of each object since version 3.6, and not before. */
	if (byte_order_mark(line, length) > 0)
	{
		*problem = "a byte order mark is not at the beginning of the file";
		text->kind = id->kind = JSON_MISSING;
		return true;
	}
	*problem = json_reader_read(reader->json, line, length, reader->options->field, text,
								id_field(reader->options), id);
	return true;
}

static RecordStatus
json_next(RecordReader *reader, Record *record)
{
	const char *problem;
	const char *name = reader->options->field;
	JsonField	text;
	JsonField	id;

	if (!next_object(reader, &problem, record, &text, &id))
		return RECORD_END;
	if (problem == NULL && name != NULL && text.kind == JSON_MISSING)
		problem = "the object has no such field";
	else if (problem == NULL && name != NULL && text.kind != JSON_STRING && text.kind != JSON_NULL)
		problem = "the value is not a string";
	else if (problem == NULL && !set_id(reader, record, &id))
	{
		name = id_field(reader->options);
		problem = id.kind == JSON_MISSING ? "the object has no such field" :
			"the value is neither a string nor an integer";
	}
	else if (problem != NULL)
		name = NULL;
	if (problem != NULL)
	{
		set_error(reader, name, problem);
		return RECORD_WRONG;
	}
	if (name == NULL)
		return RECORD_FOUND;
	record->text = text.kind == JSON_NULL ? NULL : text.bytes;
	record->text_length = text.length;
	record->is_utf8 = true;
	return RECORD_FOUND;
}

/* The first object decides, wrong lines before it do not. */
static bool
json_first_has_id(const InputOptions *options, const Batch *batch, bool *has_id)
{
	RecordReader reader;
	Record		record;
	const char *problem = "";
	JsonField	text;
	JsonField	id;
	bool		found;

	record_reader_init(&reader, options);
	record_reader_begin(&reader, batch);
	do
		found = next_object(&reader, &problem, &record, &text, &id);
	while (found && problem != NULL);
	record_reader_free(&reader);
	*has_id = found && id.kind != JSON_MISSING;
	return found;
}

const Format format_json = {json_read, json_next, json_first_has_id};
