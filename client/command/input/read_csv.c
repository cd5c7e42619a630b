/*-------------------------------------------------------------------------
 *
 * read_csv.c
 *		CSV with a header line, by the library libcsv. Only a parser knows where a record
 *		ends, so the reading thread parses. A batch has the fields of each record, and if they
 *		are needed the bytes of the record in the file, and those of the header.
 *
 *-------------------------------------------------------------------------
 */
#include <csv.h>
#include <stdio.h>
#include <string.h>

#include "../fail.h"
#include "format.h"

#define CSV_PART	(1 << 16)	/* bytes read at a time */
#define BEGINNING	10			/* bytes that tell the form of a file */
#define NO_COLUMN	(-1)

/* Before a record in a batch */
typedef struct CsvHead
{
	size_t		line;
	uint64_t	number;
	bool		has_id;
	bool		has_text;
	bool		has_more;		/* fields than the header */
} CsvHead;

/* The reading thread's state in a file. */
typedef struct CsvState
{
	Input	   *input;
	const char *name;
	int			text_column;
	int			title_column;
	int			id_column;
	bool		in_header;
	bool		has_semicolon;	/* the last name in it */
	int			columns;		/* of the header */
	int			column;			/* of the next field */
	size_t		line;			/* of the record that is being read */
	size_t		newlines;		/* in its fields */
	bool		has_id;			/* the record */
	bool		has_text;
	Buffer		id;
	Buffer		title;
	Buffer		text;
	Buffer		bytes;			/* since the last record, if they are needed */
	uint64_t	offset;			/* of their end in the file */
} CsvState;

static bool
field_is(const char *name, const char *bytes, size_t length)
{
	return length == strlen(name) && memcmp(name, bytes, length) == 0;
}

static void
take_name(CsvState *state, const char *bytes, size_t length)
{
	if (state->column == 0 && byte_order_mark(bytes, length) > 0)
		fail(EXIT_WRONG_RECORD, "%s:%zu: byte order mark after the beginning of the file",
			 shown_name(state->name), state->line);
	state->has_semicolon = memchr(bytes, ';', length) != NULL;
	if (state->input->options->field != NULL &&
		field_is(state->input->options->field, bytes, length))
		state->text_column = state->column;
	if (state->input->options->title != NULL &&
		field_is(state->input->options->title, bytes, length))
		state->title_column = state->column;
	if (field_is(id_field(state->input->options), bytes, length))
		state->id_column = state->column;
}

/* libcsv has read a field. */
static void
take_field(void *bytes, size_t length, void *arg)
{
	CsvState   *state = arg;

	if (state->in_header)
		take_name(state, bytes, length);
	else
	{
		if (state->column == state->text_column)
		{
			buffer_append(&state->text, bytes, length);
			state->has_text = true;
		}
		if (state->column == state->title_column)
			buffer_append(&state->title, bytes, length);
		if (state->column == state->id_column)
		{
			buffer_append(&state->id, bytes, length);
			state->has_id = true;
		}
	}
	for (const char *p = bytes; (p = memchr(p, '\n', length - (size_t) (p - (char *) bytes))); p++)
		state->newlines++;
	state->column++;
}

static void
check_column(const CsvState *state, int column, const char *name)
{
	if (column == NO_COLUMN)
		fail(EXIT_TROUBLE, "%s: column \"%s\" does not exist%s", shown_name(state->name), name,
			 state->has_semicolon && state->columns == 1 ?
			 "; columns must be separated by commas, not semicolons" : "");
}

static void
end_header(CsvState *state)
{
	const InputOptions *options = state->input->options;

	state->input->files->list[state->input->file].beginning = state->offset;
	state->columns = state->column;
	if (options->field != NULL)
		check_column(state, state->text_column, options->field);
	if (options->title != NULL)
		check_column(state, state->title_column, options->title);
	decide_id(state->input, state->id_column != NO_COLUMN);
	if (state->input->id_is_field)
		check_column(state, state->id_column, id_field(options));
}

static void
end_record(CsvState *state)
{
	Batch	   *batch = input_batch(state->input);
	CsvHead		head = {state->line, state->input->number, state->has_id,
	state->has_text || state->input->options->field == NULL, state->column > state->columns};
	Record		record = {.id = state->id.bytes,.id_length = state->id.length,
		.title = state->title.bytes,.title_length = state->title.length,
		.text = state->text.bytes,.text_length = state->text.length,
		.bytes = state->bytes.bytes,.n_bytes = state->bytes.length,
		.place = {state->offset - state->bytes.length, state->bytes.length, state->input->file},
	.is_header = state->in_header};

	state->input->number += !state->in_header;
	buffer_append(&batch->data, &head, sizeof(head));
	pack_record(&batch->data, &record);
	state->id.length = state->title.length = state->text.length = 0;
	state->has_id = state->has_text = false;
	batch->line = state->line;
	if (batch->data.length >= BATCH_BYTES)
		input_submit(state->input);
}

/* libcsv has read the end of a line.  A line without fields is blank. */
static void
take_line(int end, void *arg)
{
	CsvState   *state = arg;

	if (state->column > 0)
	{
		if (state->in_header)
			end_header(state);
		if (!state->in_header || state->input->options->keep_records)
			end_record(state);
		state->in_header = false;
	}
	state->bytes.length = 0;
	state->line += state->newlines + (end == '\n');
	state->newlines = 0;
	state->column = 0;
}

/* The bytes up to the first end of a line, with that. */
static size_t
line_length(const char *bytes, size_t n)
{
	const char *end = memchr(bytes, '\n', n);
	const char *before;

	if (end != NULL)
		n = (size_t) (end - bytes) + 1;
	before = memchr(bytes, '\r', n);
	return before == NULL ? n : (size_t) (before - bytes) + 1;
}

/*
 * Parse some bytes of the file.  If the record's bytes are kept: a record ends only at
 * the end of a line, so the parser gets one line at a time then.
 */
static void
parse(struct csv_parser *parser, CsvState *state, const char *bytes, size_t n)
{
	size_t		length;

	for (size_t at = 0; at < n; at += length)
	{
		length = n - at;
		if (state->input->options->keep_records)
		{
			length = line_length(bytes + at, length);
			buffer_append(&state->bytes, bytes + at, length);
			state->offset += length;
		}
		if (csv_parse(parser, bytes + at, length, take_field, take_line, state) != length)
			fail(EXIT_TROUBLE, "%s:%zu: %s", shown_name(state->name), state->line,
				 csv_strerror(csv_error(parser)));
	}
}

/* Read enough of the file to tell its form, or all of it. */
static void
read_beginning(Input *input, Buffer *part)
{
	while (part->length < BEGINNING && input_bytes(input, part, CSV_PART) > 0)
		;
}

static void
csv_read(Input *input)
{
	const char *name = input->files->list[input->file].path;
	CsvState	state = {.input = input,.name = name,.text_column = NO_COLUMN,
	.title_column = NO_COLUMN,.id_column = NO_COLUMN,.in_header = true,.line = 1};
	struct csv_parser parser;
	Buffer		part = {NULL, 0, 0, 0};
	size_t		mark;

	input_submit(input);
	if (csv_init(&parser, CSV_REPALL_NL) != 0)
		fail(EXIT_TROUBLE, "out of memory");
	read_beginning(input, &part);
	check_form(name, part.bytes, part.length);
	mark = byte_order_mark(part.bytes, part.length);
	if (input->options->keep_records)
		buffer_append(&state.bytes, part.bytes, mark);
	state.offset = mark;
	while (part.length > 0)
	{
		parse(&parser, &state, part.bytes + mark, part.length - mark);
		input_batch(input)->input_bytes += part.length;
		part.length = mark = 0;
		input_bytes(input, &part, CSV_PART);
	}
	/* libcsv looks for the end of the last field only if it is strict */
	csv_set_opts(&parser, CSV_REPALL_NL | CSV_STRICT | CSV_STRICT_FINI);
	if (csv_fini(&parser, take_field, take_line, &state) != 0)
		fail(EXIT_WRONG_RECORD, "%s:%zu: unterminated quoted field", shown_name(name),
			 state.line);
	csv_free(&parser);
	input_submit(input);
	buffer_free(&part);
	buffer_free(&state.id);
	buffer_free(&state.title);
	buffer_free(&state.text);
	buffer_free(&state.bytes);
}

static RecordStatus
csv_next(RecordReader *reader, Record *record)
{
	const Buffer *data = &reader->batch->data;
	CsvHead		head;

	if (reader->at == data->length)
		return RECORD_END;
	memcpy(&head, data->bytes + reader->at, sizeof(head));
	reader->at += sizeof(head);
	unpack_record(data, &reader->at, record);
	reader->line = head.line;
	if (!record->is_header && (head.has_more || !head.has_text || (reader->batch->id_is_field && !head.has_id)))
	{
		snprintf(reader->error, sizeof(reader->error), "the record has %s fields than the header",
				 head.has_more ? "more" : "fewer");
		return RECORD_WRONG;
	}
	if (!reader->batch->id_is_field)
		set_number(reader, record, head.number);
	return RECORD_FOUND;
}

const Format format_csv = {csv_read, csv_next, NULL};
