/*
 * The command filter.  The workers find the ids of the records, and the thread that writes compares
 * them with the groups, which have the same order.  So nothing but a batch is in memory.
 */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "format.h"
#include "line_file.h"
#include "records.h"

/* Of a record between the workers and the writer.  The bytes of the id and of the record follow. */
typedef struct Row
{
	size_t		id_length;
	size_t		length;
	bool		is_header;
} Row;

/* The groups, of which one line at a time is read */
static struct
{
	LineFile	lines;
	bool		at_end;
	size_t		id_length;
	bool		is_first;		/* is the id the first of its group? */
	Buffer		header;			/* of the first file of CSV */
	Buffer		out;
} groups;

static void
next_group(void)
{
	const char *line;
	const char *tab;
	const char *first;
	size_t		rest;			/* bytes from "first" on */

	groups.at_end = !line_file_next(&groups.lines);
	if (groups.at_end)
		return;
	line = groups.lines.line;
	tab = memchr(line, '\t', groups.lines.length);
	first = tab == NULL ? NULL : tab + 1;
	rest = tab == NULL ? 0 : (size_t) (line + groups.lines.length - first);
	/* lines of an id and a fingerprint, the input of groups, would leave out every record */
	if (first == NULL || memchr(first, '\t', rest) == NULL)
		fail(EXIT_WRONG_RECORD, "%s:%zu: not a line of the output of groups: an id, the first id of its group, a size",
			 shown_name(groups.lines.path), groups.lines.number);
	groups.id_length = (size_t) (tab - line);
	groups.is_first = rest >= groups.id_length &&
		memcmp(first, line, groups.id_length) == 0 &&
		first[groups.id_length] == '\t';
}

static const char *
write_row(const Options *options, const Record *record, Buffer *out)
{
	size_t		start = out->length;
	Row			row = {.length = record->text_length, .is_header = record->is_header};

	(void) options;
	buffer_append(out, &row, sizeof(Row));
	if (!record->is_header)
		append_copy_id(out, record);
	row.id_length = out->length - start - sizeof(Row);
	memcpy(out->bytes + start, &row, sizeof(Row));
	buffer_append(out, record->text, record->text_length);
	return NULL;
}

/* Add a record and the end of its line.  The newline behind a carriage return is not in its bytes. */
static void
append_record(const char *bytes, size_t length)
{
	length -= length > 0 && bytes[length - 1] == '\n';
	buffer_append(&groups.out, bytes, length);
	buffer_append(&groups.out, "\n", 1);
}

/*
 * The first file's header becomes the header of the output.  The others may differ from it in
 * the byte order mark and in the end of the line.
 */
static void
take_header(const char *bytes, size_t length)
{
	size_t		mark = byte_order_mark(bytes, length);
	bool		is_first = groups.header.length == 0;

	if (is_first)
		append_record(bytes, length);
	bytes += mark;
	length -= mark;
	length -= length > 0 && bytes[length - 1] == '\n';
	length -= length > 0 && bytes[length - 1] == '\r';
	if (is_first)
		buffer_append(&groups.header, bytes, length);
	else if (length != groups.header.length || memcmp(bytes, groups.header.bytes, length) != 0)
		fail(EXIT_WRONG_RECORD, "the files have different headers");
}

static void
write_chosen(const Buffer *rows)
{
	size_t		at = 0;

	groups.out.length = 0;
	while (at < rows->length)
	{
		Row			row;
		const char *id = rows->bytes + at + sizeof(Row);
		const char *bytes;
		bool		is_wanted = true;

		memcpy(&row, rows->bytes + at, sizeof(Row));
		bytes = id + row.id_length;
		at += sizeof(Row) + row.id_length + row.length;
		if (row.is_header)
		{
			take_header(bytes, row.length);
			continue;
		}
		if (!groups.at_end && row.id_length == groups.id_length &&
			memcmp(id, groups.lines.line, row.id_length) == 0)
		{
			is_wanted = groups.is_first;
			next_group();
		}
		if (is_wanted)
			append_record(bytes, row.length);
	}
	write_out(&groups.out);
}

int
run_filter(const Options *options, char **arguments, int n)
{
	int			status;

	if (n == 0)
		fail(EXIT_USAGE, "filter reads the output of groups, and records");
	line_file_open(&groups.lines, arguments[0]);
	next_group();
	status = work_on_records(options, arguments + 1, n - 1, write_row, write_chosen);
	if (!groups.at_end)
		fail(EXIT_WRONG_RECORD, "%s:%zu: no record \"%.*s\" comes after the record of the line before",
			 shown_name(groups.lines.path), groups.lines.number, (int) groups.id_length, groups.lines.line);
	line_file_close(&groups.lines);
	return status;
}
