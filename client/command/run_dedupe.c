/*-------------------------------------------------------------------------
 *
 * run_dedupe.c
 *		The command dedupe. The workers compute fingerprints. The thread that writes gives the
 *		texts to the library, and the bytes of the records to a temporary file, so that the
 *		input is read once.
 *
 *-------------------------------------------------------------------------
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "format.h"
#include "lib/temporary_file.h"
#include "lib/texts.h"
#include "progress.h"
#include "records.h"

#define FINGERPRINT_WORDS (PGSIMHASH_DUPLICATES_BITS / 64)
#define FOUND_AT_ONCE 1024
#define OUT_BYTES (1 << 16)
#define ORIGINAL 2				/* as a kind */

/*
 * Of a record between the workers and the writer.  The bytes of the id, the title, the text and the
 * record follow.
 */
typedef struct Row
{
	size_t		id_length;
	size_t		title_length;
	size_t		text_length;
	size_t		n_bytes;
	uint64_t	fingerprint[FINGERPRINT_WORDS];
	bool		has_fingerprint;
	bool		is_header;
} Row;

static struct
{
	pgsimhash_duplicates *search;
	FILE	   *records;		/* each with its length in front */
	size_t		n;
	bool		wants_ids;
	Buffer		ids;			/* as COPY reads them */
	Buffer		id_places;		/* size_t, one for each record and the end */
	Buffer		header;
}			corpus;

static void
check(int result)
{
	if (result == PGSIMHASH_FILE_ERROR)
		fail(EXIT_TROUBLE, "could not write a temporary file: %s", strerror(errno));
	if (result < 0)
		fail(EXIT_TROUBLE, "%s", problem_of(result));
}

/* ---------- reading ---------- */

static const char *
write_row(const Options *options, const Record *record, Buffer *out)
{
	size_t		start = out->length;
	uint64_t	word;
	Row			row = {.title_length = record->title_length,.n_bytes = record->n_bytes,
	.is_header = record->is_header};
	int			result = PGSIMHASH_NULL;

	(void) options;
	if (!record->is_header && record->text != NULL)
	{
		row.text_length = record->text_length;
		result = fingerprint_text(true, record->is_utf8, record->text, record->text_length,
								  PGSIMHASH_DUPLICATES_BITS, NULL, row.fingerprint);
	}
	row.has_fingerprint = result == PGSIMHASH_OK;
	if (result >= 0 && !record->is_utf8 && record->title_length > 0)
		result = fingerprint_text(false, false, record->title, record->title_length, 64, NULL, &word);
	if (result < 0)
		return problem_of(result);
	buffer_append(out, &row, sizeof(Row));
	if (!record->is_header)
		append_copy_id(out, record->id, record->id_length);
	row.id_length = out->length - start - sizeof(Row);
	memcpy(out->bytes + start, &row, sizeof(Row));
	buffer_append(out, record->title, record->title_length);
	buffer_append(out, record->text, row.text_length);
	buffer_append(out, record->bytes, record->n_bytes);
	return NULL;
}

/* Add a record and the end of its line.  The newline behind a carriage return is not in its bytes. */
static void
append_record(Buffer *out, const char *bytes, size_t length)
{
	length -= length > 0 && bytes[length - 1] == '\n';
	buffer_append(out, bytes, length);
	buffer_append(out, "\n", 1);
}

/*
 * Add the header of a file of CSV if it is the first one.  The others may differ from it in the byte
 * order mark and in the end of the line.
 */
static void
append_header(Buffer *out, const char *bytes, size_t length)
{
	static Buffer header = {NULL, 0, 0, 0}; /* of the first file */
	size_t		mark = byte_order_mark(bytes, length);
	bool		is_first = header.length == 0;

	if (is_first)
		append_record(out, bytes, length);
	bytes += mark;
	length -= mark;
	length -= length > 0 && bytes[length - 1] == '\n';
	length -= length > 0 && bytes[length - 1] == '\r';
	if (is_first)
		buffer_append(&header, bytes, length);
	else if (length != header.length || memcmp(bytes, header.bytes, length) != 0)
		fail(EXIT_WRONG_RECORD, "the files have different headers");
}

static void
write_record(const void *bytes, size_t n)
{
	if (fwrite(&n, sizeof(n), 1, corpus.records) != 1 ||
		(n > 0 && fwrite(bytes, 1, n, corpus.records) != n))
		fail(EXIT_TROUBLE, "could not write a temporary file: %s", strerror(errno));
}

static void
add_id(const char *id, size_t length)
{
	if (!corpus.wants_ids)
		return;
	buffer_append(&corpus.id_places, &corpus.ids.length, sizeof(size_t));
	buffer_append(&corpus.ids, id, length);
}

static void
add_rows(const Buffer *rows)
{
	size_t		at = 0;

	while (at < rows->length)
	{
		Row			row;
		const char *id = rows->bytes + at + sizeof(Row);
		const char *title;
		const char *text;

		memcpy(&row, rows->bytes + at, sizeof(Row));
		title = id + row.id_length;
		text = title + row.title_length;
		at += sizeof(Row) + row.id_length + row.title_length + row.text_length + row.n_bytes;
		if (row.is_header)
		{
			append_header(&corpus.header, text + row.text_length, row.n_bytes);
			continue;
		}
		/* a text without words has no fingerprint, and no duplicates */
		check(pgsimhash_duplicates_add(corpus.search, title, row.title_length,
									   text, row.has_fingerprint ? row.text_length : 0,
									   row.has_fingerprint ? row.fingerprint : NULL));
		add_id(id, row.id_length);
		write_record(text + row.text_length, row.n_bytes);
		corpus.n++;
	}
}

/* ---------- the result ---------- */

static void
append_id(Buffer *out, size_t record)
{
	const size_t *places = (const size_t *) (const void *) corpus.id_places.bytes;

	buffer_append(out, corpus.ids.bytes + places[record], places[record + 1] - places[record]);
}

static void
report(FILE *file, const char *path, const pgsimhash_duplicate *found, size_t n)
{
	Buffer		out = {NULL, 0, 0, 0};

	for (size_t i = 0; i < n; i++)
	{
		append_id(&out, found[i].text);
		buffer_append(&out, "\t", 1);
		append_id(&out, found[i].original);
		buffer_append_string(&out, found[i].kind == PGSIMHASH_COPY ? "\tcopy\n" : "\trevision\n");
	}
	if (fwrite(out.bytes, 1, out.length, file) != out.length)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	buffer_free(&out);
}

/* Find the kind of each record, and write the report. */
static unsigned char *
find_kinds(const Options *options, FILE *file)
{
	pgsimhash_duplicate found[FOUND_AT_ONCE];
	unsigned char *kinds = allocate(corpus.n + 1);
	size_t		n;
	size_t		counts[2] = {0, 0};

	memset(kinds, ORIGINAL, corpus.n);
	add_id(NULL, 0);
	check(pgsimhash_duplicates_find(corpus.search, NULL));
	do
	{
		check(pgsimhash_duplicates_next(corpus.search, found, FOUND_AT_ONCE, &n));
		for (size_t i = 0; i < n; i++)
		{
			kinds[found[i].text] = (unsigned char) found[i].kind;
			counts[found[i].kind]++;
		}
		if (file != NULL)
			report(file, options->report, found, n);
	} while (n > 0);
	say("read %zu records, left out %zu copies and %zu revisions", corpus.n,
		counts[PGSIMHASH_COPY], counts[PGSIMHASH_REVISION]);
	return kinds;
}

static void
write_originals(const unsigned char *kinds)
{
	Buffer		record = {NULL, 0, 0, 0};
	Buffer		out = {NULL, 0, 0, 0};
	size_t		length;

	buffer_append(&out, corpus.header.bytes, corpus.header.length);
	if (fflush(corpus.records) != 0 || fseek(corpus.records, 0, SEEK_SET) != 0)
		fail(EXIT_TROUBLE, "could not write a temporary file: %s", strerror(errno));
	for (size_t i = 0; i < corpus.n; i++)
	{
		record.length = 0;
		if (fread(&length, sizeof(length), 1, corpus.records) != 1 ||
			(length > 0 && fread(buffer_reserve(&record, length), 1, length, corpus.records) != length))
			fail(EXIT_TROUBLE, "could not read a temporary file: %s", strerror(errno));
		if (kinds[i] != ORIGINAL)
			continue;
		append_record(&out, record.bytes, length);
		if (out.length >= OUT_BYTES)
		{
			write_out(&out);
			out.length = 0;
		}
	}
	write_out(&out);
	buffer_free(&record);
	buffer_free(&out);
}

int
run_dedupe(const Options *options, char **arguments, int n)
{
	FILE	   *file = NULL;
	int			fd = temporary_file();
	unsigned char *kinds;
	int			status;

	if (options->input.kind == INPUT_FILES)
		fail(EXIT_USAGE, "dedupe requires --field or --lines");
	if (fd < 0 || (corpus.records = fdopen(fd, "w+")) == NULL)
		fail(EXIT_TROUBLE, "could not create a temporary file: %s", strerror(errno));
	corpus.wants_ids = options->report != NULL;
	check(pgsimhash_duplicates_begin(options->input.title != NULL, !options->no_numbers,
									 options->within != NO_BOUND ? options->within : PGSIMHASH_NEAR(PGSIMHASH_DUPLICATES_BITS),
									 options->memory, &corpus.search));
	status = work_on_records(options, arguments, n, write_row, add_rows);
	if (options->report != NULL && (file = fopen(options->report, "w")) == NULL)
		fail(EXIT_TROUBLE, "%s: %s", options->report, strerror(errno));
	kinds = find_kinds(options, file);
	if (file != NULL && fclose(file) != 0)
		fail(EXIT_TROUBLE, "%s: %s", options->report, strerror(errno));
	pgsimhash_duplicates_end(corpus.search);
	write_originals(kinds);
	free(kinds);
	fclose(corpus.records);
	return status;
}
