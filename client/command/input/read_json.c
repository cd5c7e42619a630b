/*-------------------------------------------------------------------------
 *
 * read_json.c
 *		JSON Lines: each line is an object. Lines of white space are left out.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "../fail.h"
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

/* A problem of a field, or of the whole line if name is NULL. */
static void
set_error(RecordReader *reader, const char *name, const char *problem)
{
	if (name == NULL)
		snprintf(reader->error, sizeof(reader->error), "%s", problem);
	else
		snprintf(reader->error, sizeof(reader->error), "field \"%.100s\": %s", name, problem);
}

enum
{
	FIELD_TEXT,
	FIELD_TITLE,
	FIELD_ID
};

/* Find the next object, whose bytes are the record's, and its fields.  Return false at the end. */
static bool
next_object(RecordReader *reader, const char **problem, Record *record, JsonField *fields)
{
	const InputOptions *options = reader->options;
	const char *const names[JSON_FIELDS] = {options->field, options->title, id_field(options)};
	const char *line;
	size_t		length;

	if (reader->json == NULL)
		reader->json = new_reader();
	do
		if (!next_line(reader, &line, &length))
			return false;
	while (is_blank(line, length));
	set_bytes(reader, record, line, length);

	/*
	 * simdjson skips a mark in front of each object since version 3.6, and
	 * not before.
	 */
	if (byte_order_mark(line, length) > 0)
	{
		*problem = "byte order mark after the beginning of the file";
		fields[FIELD_ID].kind = JSON_MISSING;
		return true;
	}
	*problem = json_reader_read(reader->json, line, length, names, fields);
	if (*problem == NULL)
		reader->fields |= HAS_OBJECT | (fields[FIELD_TEXT].kind != JSON_MISSING ? HAS_TEXT : 0) |
			(fields[FIELD_TITLE].kind != JSON_MISSING ? HAS_TITLE : 0) |
			(fields[FIELD_ID].kind != JSON_MISSING ? HAS_ID : 0);
	return true;
}

/* What is wrong with the field of a text, or NULL; without a title there is the empty one. */
static const char *
problem_of_text(const JsonField *field, bool is_title)
{
	if (field->kind == JSON_MISSING && !is_title)
		return "the object has no such field";
	return field->kind != JSON_MISSING && field->kind != JSON_STRING && field->kind != JSON_NULL ?
		"the value is not a string" : NULL;
}

/* Find what is wrong with the fields of an object, and in which one; NULL if nothing is. */
static const char *
problem_of_fields(RecordReader *reader, Record *record, const JsonField *fields,
				  const char **name)
{
	const InputOptions *options = reader->options;
	const char *problem = NULL;

	*name = options->field;
	if (*name != NULL)
		problem = problem_of_text(&fields[FIELD_TEXT], false);
	if (problem == NULL && options->title != NULL)
	{
		*name = options->title;
		problem = problem_of_text(&fields[FIELD_TITLE], true);
	}
	if (problem == NULL && !set_id(reader, record, &fields[FIELD_ID]))
	{
		*name = id_field(options);
		problem = fields[FIELD_ID].kind == JSON_MISSING ? "the object has no such field" :
			"the value is neither a string nor an integer";
	}
	return problem;
}

static RecordStatus
json_next(RecordReader *reader, Record *record)
{
	const char *problem;
	const char *name = NULL;
	JsonField	fields[JSON_FIELDS];

	if (!next_object(reader, &problem, record, fields))
		return RECORD_END;
	if (problem == NULL)
		problem = problem_of_fields(reader, record, fields, &name);
	if (problem != NULL)
	{
		set_error(reader, name, problem);
		return RECORD_WRONG;
	}
	record->is_utf8 = true;
	if (reader->options->field != NULL)
	{
		record->text = fields[FIELD_TEXT].kind == JSON_NULL ? NULL : fields[FIELD_TEXT].bytes;
		record->text_length = fields[FIELD_TEXT].length;
	}
	if (reader->options->title != NULL && fields[FIELD_TITLE].kind == JSON_STRING)
	{
		record->title = fields[FIELD_TITLE].bytes;
		record->title_length = fields[FIELD_TITLE].length;
	}
	return RECORD_FOUND;
}

/* The first object decides, wrong lines before it do not. */
static bool
json_first_has_id(const InputOptions *options, const Batch *batch, bool *has_id)
{
	RecordReader reader;
	Record		record;
	const char *problem = "";
	JsonField	fields[JSON_FIELDS];
	bool		found;

	record_reader_init(&reader, options);
	record_reader_begin(&reader, batch);
	do
		found = next_object(&reader, &problem, &record, fields);
	while (found && problem != NULL);
	record_reader_free(&reader);
	*has_id = found && fields[FIELD_ID].kind != JSON_MISSING;
	return found;
}

const Format format_json = {lines_read, json_next, json_first_has_id};
