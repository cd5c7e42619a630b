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
#include "review.h"

#define FINGERPRINT_WORDS (PGSIMHASH_DUPLICATES_BITS / 64)
#define FOUND_AT_ONCE 1024
#define OUT_BYTES (1 << 16)
#define NEAR (PGSIMHASH_REVISION + 1)	/* as a kind: another document */
#define KINDS 3

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

/* Of the title, a blank and the text of a record; without a title, of the text. */
typedef struct TextPlace
{
	uint64_t	start;
	uint64_t	title_length;
} TextPlace;

static struct
{
	pgsimhash_duplicates *search;
	FILE	   *records;		/* each with its length in front */
	size_t		n;
	bool		wants_ids;
	Buffer		ids;
	Buffer		id_places;		/* size_t, one for each record and the end */
	bool		wants_fingerprints;
	Buffer		fingerprints;	/* of all records; zeros if it has none */
	Buffer		members;		/* uint32_t: the records that have one */
	FILE	   *texts;			/* titles and texts for the review page, or
								 * NULL */
	Buffer		text_places;	/* TextPlace, one for each record and the end */
	Buffer		header;
	Buffer		found;			/* pgsimhash_duplicate */
	size_t		n_by_numbers;	/* records that only numbers tell apart from
								 * an earlier one */
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
		buffer_append(out, record->id, record->id_length);
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
write_temporary(FILE *file, const char *bytes, size_t n)
{
	if (n > 0 && fwrite(bytes, 1, n, file) != n)
		fail(EXIT_TROUBLE, "could not write a temporary file: %s", strerror(errno));
}

static void
write_record(const void *bytes, size_t n)
{
	write_temporary(corpus.records, (const char *) &n, sizeof(n));
	write_temporary(corpus.records, bytes, n);
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
add_fingerprint(const Row *row)
{
	uint32_t	number = (uint32_t) corpus.n;

	if (!corpus.wants_fingerprints)
		return;
	buffer_append(&corpus.fingerprints, row->fingerprint, sizeof(row->fingerprint));
	if (row->has_fingerprint)
		buffer_append(&corpus.members, &number, sizeof(number));
}

static void
add_text(const char *title, size_t title_length, const char *text, size_t length)
{
	TextPlace	place = {0, title_length};

	if (corpus.texts == NULL)
		return;
	place.start = (uint64_t) ftello(corpus.texts);
	buffer_append(&corpus.text_places, &place, sizeof(place));
	write_temporary(corpus.texts, title, title_length);
	write_temporary(corpus.texts, " ", title_length > 0);
	write_temporary(corpus.texts, text, length);
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
		add_fingerprint(&row);
		add_text(title, row.title_length, text, row.text_length);
		write_record(text + row.text_length, row.n_bytes);
		corpus.n++;
	}
}

static const char *
id_of(size_t record, size_t *length)
{
	const size_t *places = (const size_t *) (const void *) corpus.id_places.bytes;

	*length = places[record + 1] - places[record];
	return corpus.ids.bytes + places[record];
}

/* ---------- the duplicates ---------- */

static pgsimhash_duplicate *
found_duplicates(size_t *n)
{
	*n = corpus.found.length / sizeof(pgsimhash_duplicate);
	return (pgsimhash_duplicate *) (void *) corpus.found.bytes;
}

/* Find the copies and revisions, and, if texts decide, the records that only numbers tell apart. */
static void
find_duplicates(const Options *options, bool texts_decide)
{
	pgsimhash_duplicate some[FOUND_AT_ONCE];
	size_t		n;

	check(pgsimhash_duplicates_find(corpus.search, NULL, options->jobs,
									texts_decide ? &corpus.n_by_numbers : NULL));
	do
	{
		check(pgsimhash_duplicates_next(corpus.search, some, FOUND_AT_ONCE, &n));
		buffer_append(&corpus.found, some, n * sizeof(some[0]));
	} while (n > 0);
	pgsimhash_duplicates_end(corpus.search);
}

static const uint64_t *
fingerprint_of(size_t record)
{
	return (const uint64_t *) (const void *) corpus.fingerprints.bytes + record * FINGERPRINT_WORDS;
}

/*
 * The keeper of each record: that of the star to which the record, or the first one of its copies,
 * belongs, as simhash_clusters finds them.  "first" has the first copy of each record.
 */
static uint32_t *
find_keepers(const uint32_t *first, int distance, size_t memory)
{
	uint32_t   *members = (uint32_t *) (void *) corpus.members.bytes;
	size_t		n_members = corpus.members.length / sizeof(uint32_t);
	Buffer		words = {NULL, 0, 0, 0};
	uint32_t   *keepers = allocate(corpus.n * sizeof(uint32_t));
	uint32_t   *groups;
	size_t		n = 0;

	if (memory > 0)
		buffer_move_to_disk(&words);
	for (size_t i = 0; i < n_members; i++)
		if (first[members[i]] == members[i])
		{
			buffer_append(&words, fingerprint_of(members[i]), FINGERPRINT_WORDS * sizeof(uint64_t));
			members[n++] = members[i];
		}
	groups = allocate(n * sizeof(uint32_t));
	if (n > 0)
		check(pgsimhash_groups((const uint64_t *) (const void *) words.bytes, n, PGSIMHASH_DUPLICATES_BITS,
							   distance, PGSIMHASH_STAR, memory, groups));
	for (size_t i = 0; i < corpus.n; i++)
		keepers[i] = (uint32_t) i;
	for (size_t i = 0; i < n; i++)
		keepers[members[i]] = members[groups[i]];
	for (size_t i = 0; i < corpus.n; i++)
		keepers[i] = keepers[first[i]];
	free(groups);
	buffer_free(&words);
	return keepers;
}

/* Replace what was found by the records of each star, which are near its keeper. */
static void
find_near(int distance, size_t memory)
{
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);
	uint32_t   *first = allocate(corpus.n * sizeof(uint32_t));	/* of the copies */
	uint32_t   *original = allocate(corpus.n * sizeof(uint32_t));	/* of the first copy */
	uint32_t   *keepers;

	for (size_t i = 0; i < corpus.n; i++)
		first[i] = original[i] = (uint32_t) i;
	for (size_t i = 0; i < n; i++)
		(found[i].kind == PGSIMHASH_COPY ? first : original)[found[i].text] = found[i].original;
	keepers = find_keepers(first, distance, memory);
	corpus.found.length = 0;
	for (size_t i = 0; i < corpus.n; i++)
	{
		uint32_t	keeper = keepers[i];
		pgsimhash_duplicate near = {(uint32_t) i, keeper, NEAR, 0};

		if (keeper == i)
			continue;
		if (first[i] == first[keeper])
			near.kind = PGSIMHASH_COPY;
		else if (original[first[i]] == original[first[keeper]])
			near.kind = PGSIMHASH_REVISION;
		near.distance = pgsimhash_distance(fingerprint_of(i), fingerprint_of(keeper),
										   PGSIMHASH_DUPLICATES_BITS);
		buffer_append(&corpus.found, &near, sizeof(near));
	}
	free(first);
	free(original);
	free(keepers);
}

/* ---------- the result ---------- */

static void
report_found(const char *path)
{
	static const char *const kinds[KINDS] = {"copy", "revision", "near"};
	FILE	   *file = fopen(path, "w");
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);
	Buffer		line = {NULL, 0, 0, 0};

	if (file == NULL)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < n; i++)
	{
		size_t		length;
		const char *id = id_of(found[i].text, &length);

		line.length = 0;
		append_copy_id(&line, id, length);
		buffer_append(&line, "\t", 1);
		id = id_of(found[i].original, &length);
		append_copy_id(&line, id, length);
		buffer_printf(&line, "\t%s\t%d\n", kinds[found[i].kind], found[i].distance);
		if (fwrite(line.bytes, 1, line.length, file) != line.length)
			fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	}
	if (fclose(file) != 0)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	buffer_free(&line);
}

/* Read the title and the text of a record into a buffer. */
static void
read_text(size_t record, Buffer *buffer, ReviewText *read)
{
	const TextPlace *place = (const TextPlace *) (const void *) corpus.text_places.bytes + record;

	buffer->length = 0;
	read->length = (size_t) (place[1].start - place[0].start);
	read->text = buffer_reserve(buffer, read->length);
	read->name = read->text;
	read->name_length = (size_t) place->title_length;
	read->id = id_of(record, &read->id_length);
	if (fseeko(corpus.texts, (off_t) place->start, SEEK_SET) != 0 ||
		(read->length > 0 && fread(buffer->bytes, 1, read->length, corpus.texts) != read->length))
		fail(EXIT_TROUBLE, "could not read a temporary file: %s", strerror(errno));
}

/* A ReviewPair */
static void
get_pair(size_t pair, ReviewText *keeper, ReviewText *other)
{
	static Buffer texts[2];
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n) + pair;

	read_text(found->original, &texts[0], keeper);
	read_text(found->text, &texts[1], other);
}

static void
review_found(const Options *options)
{
	size_t		n;

	(void) found_duplicates(&n);
	add_text(NULL, 0, NULL, 0);
	if (fflush(corpus.texts) != 0)
		fail(EXIT_TROUBLE, "could not write a temporary file: %s", strerror(errno));
	write_review(options->review, n, get_pair, options->memory > 0);
	fclose(corpus.texts);
}

/* Mark the records that are left out, and say how many. */
static bool *
choose_records(RemoveKind most)
{
	bool	   *is_left_out = allocate(corpus.n);
	size_t		counts[KINDS] = {0};
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);

	memset(is_left_out, false, corpus.n);
	for (size_t i = 0; i < n; i++)
	{
		is_left_out[found[i].text] = found[i].kind <= (int) most;
		counts[found[i].kind]++;
	}
	if (most == REMOVE_COPIES)
		say("read %zu records, left out %zu copies, found and kept %zu revisions", corpus.n, counts[PGSIMHASH_COPY],
			counts[PGSIMHASH_REVISION]);
	else if (most == REMOVE_REVISIONS)
		say("read %zu records, left out %zu copies and %zu revisions", corpus.n,
			counts[PGSIMHASH_COPY], counts[PGSIMHASH_REVISION]);
	else
		say("read %zu records, left out %zu copies, %zu revisions and %zu other near texts", corpus.n,
			counts[PGSIMHASH_COPY], counts[PGSIMHASH_REVISION], counts[NEAR]);
	return is_left_out;
}

static void
say_what_numbers_decide(void)
{
	static const char hint[] = "if these are dates, counters or reference numbers, use --no-numbers";

	if (corpus.n_by_numbers == 0)
		return;
	if (corpus.n_by_numbers == 1)
		say("1 document differs from an earlier one in numbers only, and was left out of the revisions; %s", hint);
	else
		say("%zu documents differ from an earlier one in numbers only, and were left out of the revisions; %s",
			corpus.n_by_numbers, hint);
}

static void
write_others(const bool *is_left_out)
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
		if (is_left_out[i])
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

static FILE *
temporary_stream(void)
{
	int			fd = temporary_file();
	FILE	   *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (file == NULL)
		fail(EXIT_TROUBLE, "could not create a temporary file: %s", strerror(errno));
	return file;
}

int
run_dedupe(const Options *options, char **arguments, int n)
{
	bool		texts_decide = options->remove != REMOVE_NEAR;
	int			distance = options->within;
	bool	   *is_left_out;
	int			status;

	if (distance == NO_BOUND)
		distance = texts_decide ? PGSIMHASH_CANDIDATES(PGSIMHASH_DUPLICATES_BITS) :
			PGSIMHASH_NEAR(PGSIMHASH_DUPLICATES_BITS);
	if (options->input.kind == INPUT_FILES)
		fail(EXIT_USAGE, "dedupe requires --field or --lines");
	corpus.records = temporary_stream();
	if (options->review != NULL)
		corpus.texts = temporary_stream();
	corpus.wants_ids = options->report != NULL || options->review != NULL;
	corpus.wants_fingerprints = !texts_decide;
	if (options->memory > 0)
	{
		buffer_move_to_disk(&corpus.found);
		buffer_move_to_disk(&corpus.fingerprints);
	}
	check(pgsimhash_duplicates_begin(options->input.title != NULL, !options->no_numbers, distance,
									 options->memory, &corpus.search));
	status = work_on_records(options, arguments, n, write_row, add_rows);
	add_id(NULL, 0);
	find_duplicates(options, texts_decide);
	if (!texts_decide)
		find_near(distance, options->memory);
	if (options->report != NULL)
		report_found(options->report);
	if (options->review != NULL)
		review_found(options);
	is_left_out = choose_records(options->remove);
	say_what_numbers_decide();
	write_others(is_left_out);
	free(is_left_out);
	fclose(corpus.records);
	return status;
}
