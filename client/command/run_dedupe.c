/*-------------------------------------------------------------------------
 *
 * run_dedupe.c
 *		The command dedupe. The workers compute fingerprints. Files are read three times: all
 *		fingerprints tell which records are near another one, the texts of these are given to the
 *		library, and the records that stay are written. The records of known files come first.
 *
 *-------------------------------------------------------------------------
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "input/format.h"
#include "internal.h"
#include "progress.h"
#include "records.h"
#include "review/review.h"

#define FINGERPRINT_WORDS (PGSIMHASH_DUPLICATES_BITS / 64)
#define FOUND_AT_ONCE 1024
#define OUT_BYTES (1 << 16)
#define NEAR (PGSIMHASH_REVISION + 1)	/* as a kind: another document */
#define KINDS 3

/* A record between the workers and the writer, with the fields that the writer needs */
typedef struct Row
{
	Record		record;
	uint64_t	fingerprint[FINGERPRINT_WORDS];
} Row;

static struct
{
	Input	   *input;
	pgsimhash_duplicates *search;
	size_t		n;
	size_t		n_known;		/* the first ones */
	Buffer		places;			/* Place, one for each record */
	ChosenRecords near;			/* records that are read again for their texts */

	/* The number of each searched text's record, as uint32_t. */
	Buffer		searched;
	size_t		n_known_searched;

	Buffer		text_places;	/* uint64_t, of the same for the page */

	bool		wants_ids;
	Buffer		ids;
	Buffer		id_places;		/* size_t, one for each record and the end */
	Buffer		fingerprints;	/* of all records; zeros if it has none */
	Buffer		header;
	Buffer		found;			/* pgsimhash_duplicate */

	/* Records that differ from an earlier one only in numbers. */
	size_t		n_by_numbers;
	size_t		n_limited;
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

/* Append a row, with the title and the text if they are wanted, and the bytes of a header. */
static void
append_row(Buffer *out, const Record *record, bool with_texts, const uint64_t *fingerprint)
{
	Record		needed = *record;

	if (!corpus.wants_ids || record->is_header)
		needed.id_length = 0;
	if (!with_texts)
		needed.title_length = 0;
	if (!with_texts || record->text == NULL)
		needed.text_length = 0;
	if (!record->is_header)
		needed.n_bytes = 0;
	pack_record(out, &needed);
	buffer_append(out, fingerprint, FINGERPRINT_WORDS * sizeof(uint64_t));
}

/* Read the next row.  Return false at the end. */
static bool
next_row(const Buffer *rows, size_t *at, Row *row)
{
	if (*at == rows->length)
		return false;
	unpack_record(rows, at, &row->record);
	memcpy(row->fingerprint, rows->bytes + *at, sizeof(row->fingerprint));
	*at += sizeof(row->fingerprint);
	return true;
}

/* A RecordWork: compute the fingerprint of title and text, which are together in the buffer meanwhile. */
static const char *
write_row(const Options *options, const Record *record, Buffer *out)
{
	uint64_t	fingerprint[FINGERPRINT_WORDS] = {0};
	size_t		whole = out->length;
	int			result = PGSIMHASH_NULL;

	(void) options;
	if (!record->is_header && record->text != NULL)
	{
		buffer_append(out, record->title, record->title_length);
		buffer_append(out, " ", 1);
		buffer_append(out, record->text, record->text_length);
		result = fingerprint_text(true, record->is_utf8, out->bytes + whole, out->length - whole,
								  PGSIMHASH_DUPLICATES_BITS, NULL, fingerprint);
		out->length = whole;
	}
	if (result < 0)
		return problem_of(result);
	append_row(out, record, false, fingerprint);
	return NULL;
}

/* A RecordWork: have the texts of a record that is read again. */
static const char *
write_texts(const Options *options, const Record *record, Buffer *out)
{
	static const uint64_t known[FINGERPRINT_WORDS] = {0};

	(void) options;
	if (!record->is_header)
		append_row(out, record, true, known);
	return NULL;
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
add_id(const char *id, size_t length)
{
	if (!corpus.wants_ids)
		return;
	buffer_append(&corpus.id_places, &corpus.ids.length, sizeof(size_t));
	buffer_append(&corpus.ids, id, length);
}

/* A RowsWriter of all records.  Headers of known files are not written, and may differ. */
static void
add_rows(const Buffer *rows)
{
	Row			row;

	for (size_t at = 0; next_row(rows, &at, &row);)
	{
		const Record *record = &row.record;
		bool		is_known = record->place.file < corpus.input->files->n_known;

		if (record->is_header)
		{
			if (!is_known)
				append_header(&corpus.header, record->bytes, record->n_bytes);
			continue;
		}
		buffer_append(&corpus.places, &record->place, sizeof(Place));
		add_id(record->id, record->id_length);
		buffer_append(&corpus.fingerprints, row.fingerprint, sizeof(row.fingerprint));
		corpus.n++;
		corpus.n_known += is_known;
	}
}

static const uint64_t *
fingerprint_of(size_t record)
{
	return (const uint64_t *) (const void *) corpus.fingerprints.bytes + record * FINGERPRINT_WORDS;
}

static bool
has_fingerprint(size_t record)
{
	const uint64_t *words = fingerprint_of(record);

	for (int i = 0; i < FINGERPRINT_WORDS; i++)
		if (words[i] != 0)
			return true;
	return false;
}

/* Add the text of a record to the search.  Without a fingerprint it has no words, and no duplicates. */
static void
add_text(uint32_t number, const Record *record)
{
	bool		has_words = has_fingerprint(number);
	uint64_t	place = duplicates_next_place(corpus.search);
	int			result = pgsimhash_duplicates_add(corpus.search, record->title,
												  has_words ? record->title_length : 0,
												  record->text, has_words ? record->text_length : 0,
												  has_words ? fingerprint_of(number) : NULL);

	if (result == PGSIMHASH_INVALID_UTF8)
		input_changed(corpus.input->files);
	check(result);
	buffer_append(&corpus.searched, &number, sizeof(number));
	corpus.n_known_searched += number < corpus.n_known;
	if (corpus.wants_ids)
		buffer_append(&corpus.text_places, &place, sizeof(place));
}

/* A RowsWriter of the records that are read again */
static void
add_near_rows(const Buffer *rows)
{
	ChosenRecords *near = &corpus.near;
	Row			row;

	for (size_t at = 0; next_row(rows, &at, &row); near->next++)
	{
		if (next_chosen(near) == NULL)
			input_changed(corpus.input->files);
		add_text((uint32_t) near->next, &row.record);
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

/* Mark the new records that are within the distance of another one, with these, and count them all. */
static size_t
find_near_records(bool *is_near, int distance, size_t memory)
{
	uint32_t   *groups = allocate(corpus.n * sizeof(uint32_t));
	size_t		n = 0;

	memset(is_near, false, corpus.n);
	if (corpus.n > 0)
		check(groups_of_new(fingerprint_of(0), corpus.n, corpus.n_known, PGSIMHASH_DUPLICATES_BITS,
							distance, PGSIMHASH_COMPONENTS, memory, groups));
	for (size_t i = 0; i < corpus.n; i++)
		if (groups[i] != i && has_fingerprint(i))
			is_near[i] = is_near[groups[i]] = true;
	for (size_t i = 0; i < corpus.n; i++)
		n += is_near[i];
	free(groups);
	return n;
}

/* Read the records that are near another one again, and add their texts to the search. */
static void
add_near_texts(const Options *options, int distance)
{
	const Place *places = (const Place *) (const void *) corpus.places.bytes;
	bool	   *is_near = allocate(corpus.n);
	ChosenRecords chosen = {places, is_near, corpus.n, 0};
	size_t		n;

	progress_begin("finding near texts", 0);
	n = find_near_records(is_near, distance, options->memory);
	corpus.near = chosen;
	progress_begin("reading near texts", chosen_bytes(&chosen));
	work_again(options, corpus.input, &chosen, write_texts, add_near_rows);
	if (corpus.searched.length / sizeof(uint32_t) != n)
		input_changed(corpus.input->files);
	free(is_near);
}

/* Find the copies and revisions, and, if texts decide, the records that only numbers tell apart. */
static void
find_duplicates(const Options *options, bool texts_decide)
{
	const uint32_t *searched = (const uint32_t *) (const void *) corpus.searched.bytes;
	static char what[50];
	pgsimhash_duplicate some[FOUND_AT_ONCE];
	size_t		n;

	snprintf(what, sizeof(what), "comparing %zu texts", corpus.searched.length / sizeof(uint32_t));
	progress_begin(what, 0);
	check(pgsimhash_duplicates_find(corpus.search, corpus.n_known_searched, NULL, options->jobs,
									texts_decide ? &corpus.n_by_numbers : NULL, &corpus.n_limited));
	do
	{
		check(pgsimhash_duplicates_next(corpus.search, some, FOUND_AT_ONCE, &n));
		for (size_t i = 0; i < n; i++)
		{
			some[i].text = searched[some[i].text];
			some[i].original = searched[some[i].original];
		}
		buffer_append(&corpus.found, some, n * sizeof(some[0]));
	} while (n > 0);
}

/*
 * The keeper of each record: that of its star, as simhash_clusters finds them.  Only searched records are
 * near another one.
 */
static uint32_t *
find_keepers(int distance, size_t memory)
{
	Buffer		words = {NULL, 0, 0, 0};
	uint32_t   *keepers = allocate(corpus.n * sizeof(uint32_t));
	const uint32_t *searched = (const uint32_t *) (const void *) corpus.searched.bytes;
	size_t		n_searched = corpus.searched.length / sizeof(uint32_t);
	uint32_t   *members = allocate(n_searched * sizeof(uint32_t));
	uint32_t   *groups;
	size_t		n = 0;
	size_t		known = 0;

	if (memory > 0)
		buffer_move_to_disk(&words);
	for (size_t i = 0; i < corpus.n; i++)
		keepers[i] = (uint32_t) i;
	for (size_t i = 0; i < n_searched; i++)
	{
		if (!has_fingerprint(searched[i]))
			continue;
		buffer_append(&words, fingerprint_of(searched[i]), FINGERPRINT_WORDS * sizeof(uint64_t));
		members[n++] = searched[i];
		known += searched[i] < corpus.n_known;
	}
	groups = allocate(n * sizeof(uint32_t));
	if (n > 0)
		check(groups_of_new((const uint64_t *) (const void *) words.bytes, n, known,
							PGSIMHASH_DUPLICATES_BITS, distance, PGSIMHASH_STAR, memory, groups));
	for (size_t i = 0; i < n; i++)
		keepers[members[i]] = members[groups[i]];
	free(groups);
	free(members);
	buffer_free(&words);
	return keepers;
}

/* Replace what was found by the records of each star, which are near its keeper. */
static void
find_near(int distance, size_t memory)
{
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);
	bool	   *is_copy = allocate(corpus.n);
	uint32_t   *original = allocate(corpus.n * sizeof(uint32_t));
	uint32_t   *keepers = find_keepers(distance, memory);

	for (size_t i = 0; i < corpus.n; i++)
	{
		is_copy[i] = false;
		original[i] = (uint32_t) i;
	}
	for (size_t i = 0; i < n; i++)
	{
		is_copy[found[i].text] = found[i].kind == PGSIMHASH_COPY;
		original[found[i].text] = found[i].original;
	}
	corpus.found.length = 0;
	for (size_t i = 0; i < corpus.n; i++)
	{
		uint32_t	keeper = keepers[i];
		pgsimhash_duplicate near = {(uint32_t) i, keeper, NEAR, 0};

		if (keeper == i)
			continue;
		if (is_copy[i])
			near.kind = PGSIMHASH_COPY;
		else if (original[i] == original[keeper])
			near.kind = PGSIMHASH_REVISION;
		near.distance = pgsimhash_distance(fingerprint_of(i), fingerprint_of(keeper),
										   PGSIMHASH_DUPLICATES_BITS);
		buffer_append(&corpus.found, &near, sizeof(near));
	}
	free(is_copy);
	free(original);
	free(keepers);
}

/* ---------- the result ---------- */

/* If there are known files, the file of an original says whether it is known. */
static void
report_found(int fd, const char *path, const Buffer *measured)
{
	const Place *places = (const Place *) (const void *) corpus.places.bytes;
	static const char *const kinds[KINDS] = {"copy", "revision", "near"};
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);
	Buffer		out = {NULL, 0, 0, 0};

	for (size_t i = 0; i < n; i++)
	{
		size_t		length;
		const char *id = id_of(found[i].text, &length);

		append_copy_id(&out, id, length);
		buffer_append(&out, "\t", 1);
		id = id_of(found[i].original, &length);
		append_copy_id(&out, id, length);
		buffer_printf(&out, "\t%s\t%d\t%s", kinds[found[i].kind], found[i].distance,
					  class_of_pair(measured, i));
		if (corpus.input->options->n_known > 0)
		{
			const char *file = corpus.input->files->list[places[found[i].original].file].path;

			buffer_append(&out, "\t", 1);
			append_copy_id(&out, file, strlen(file));
		}
		buffer_append(&out, "\n", 1);
		if (out.length >= OUT_BYTES || i == n - 1)
		{
			write_all(fd, out.bytes, out.length, path);
			out.length = 0;
		}
	}
	close_output(fd, path);
	buffer_free(&out);
}

/* The number in the search of a record's text */
static size_t
text_of(size_t record)
{
	const uint32_t *searched = (const uint32_t *) (const void *) corpus.searched.bytes;
	size_t		low = 0;
	size_t		high = corpus.searched.length / sizeof(uint32_t);

	while (high - low > 1)
	{
		size_t		middle = low + (high - low) / 2;

		if (searched[middle] <= record)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Get the title and the text of a record.  Those of the call before stay valid. */
static void
read_text(size_t record, ReviewText *read)
{
	const uint64_t *places = (const uint64_t *) (const void *) corpus.text_places.bytes;
	size_t		text = text_of(record);

	check(duplicates_read_text(corpus.search, (uint32_t) text, places[text], &read->text,
							   &read->length, &read->name_length));
	read->name = read->text;
	read->id = id_of(record, &read->id_length);
}

/* A ReviewPair */
static void
get_pair(size_t pair, ReviewText *keeper, ReviewText *other)
{
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n) + pair;

	read_text(found->original, keeper);
	read_text(found->text, other);
}

typedef char Counted[48];

/* Write a number and the noun that it counts. */
static const char *
count(char *counted, size_t n, const char *one, const char *many)
{
	snprintf(counted, sizeof(Counted), "%zu %s", n, n == 1 ? one : many);
	return counted;
}

/* Say how many records stay, and how many do not. */
static void
say_counts(RemoveKind most)
{
	size_t		counts[KINDS] = {0};
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);
	Counted		copies;
	Counted		revisions;
	Counted		others;
	Counted		records;
	char		read[sizeof(Counted) + 40];

	if (corpus.input->options->n_known > 0)
		snprintf(read, sizeof(read), "%zu known and %s", corpus.n_known,
				 count(records, corpus.n - corpus.n_known, "new record", "new records"));
	else
		count(read, corpus.n, "record", "records");
	for (size_t i = 0; i < n; i++)
		counts[found[i].kind]++;
	count(copies, counts[PGSIMHASH_COPY], "copy", "copies");
	count(revisions, counts[PGSIMHASH_REVISION], "revision", "revisions");
	count(others, counts[NEAR], "other near text", "other near texts");
	if (most == REMOVE_COPIES)
		say("read %s, left out %s, found and kept %s", read, copies, revisions);
	else if (most == REMOVE_REVISIONS)
		say("read %s, left out %s and %s", read, copies, revisions);
	else
		say("read %s, left out %s, %s and %s", read, copies, revisions, others);
}

static void
say_what_numbers_decide(void)
{
	static const char hint[] = "if these are dates, counters or reference numbers, use --no-numbers";

	if (corpus.n_by_numbers == 1)
		say("1 document differs from an earlier one in numbers only, and is not a revision; %s", hint);
	else if (corpus.n_by_numbers > 1)
		say("%zu documents differ from an earlier one in numbers only, and are not revisions; %s",
			corpus.n_by_numbers, hint);
}

static void
say_what_is_limited(void)
{
	static const char hint[] = "if documents share a template, remove the text that all of them have in common";

	if (corpus.n_limited == 1)
		say("1 document reached the limit of comparisons, so its original can be missed; %s", hint);
	else if (corpus.n_limited > 1)
		say("%zu documents reached the limit of comparisons, so their originals can be missed; %s",
			corpus.n_limited, hint);
}

/* Write the new records that stay. */
static void
write_records(RemoveKind most)
{
	bool	   *stays = allocate(corpus.n);
	ChosenRecords chosen = {(const Place *) (const void *) corpus.places.bytes, stays, corpus.n, 0};
	size_t		n;
	const pgsimhash_duplicate *found = found_duplicates(&n);
	const Place *place;
	PlaceReader reader;
	Buffer		out = {NULL, 0, 0, 0};

	for (size_t i = 0; i < corpus.n; i++)
		stays[i] = i >= corpus.n_known;
	for (size_t i = 0; i < n; i++)
		stays[found[i].text] = found[i].kind > (int) most;
	if (!isatty(STDOUT_FILENO))
		progress_begin("writing", chosen_bytes(&chosen));
	place_reader_begin(&reader, corpus.input->files);
	buffer_append(&out, corpus.header.bytes, corpus.header.length);
	for (; (place = next_chosen(&chosen)) != NULL; chosen.next++)
	{
		place_reader_append(&reader, place, &out);
		if (out.length >= OUT_BYTES)
		{
			write_out(&out);
			progress_add(out.length);
			out.length = 0;
		}
	}
	place_reader_end(&reader);
	write_out(&out);
	progress_end();
	buffer_free(&out);
	free(stays);
}

int
run_dedupe(const Options *options, char **arguments, int n)
{
	const char *report = options->input.outputs[OUTPUT_REPORT];
	const char *review = options->input.outputs[OUTPUT_REVIEW];
	bool		texts_decide = options->remove != REMOVE_NEAR;
	int			distance = options->within;
	int			status;
	Buffer		measured = {NULL, 0, 0, 0};

	if (distance == NO_BOUND)
		distance = texts_decide ? PGSIMHASH_CANDIDATES(PGSIMHASH_DUPLICATES_BITS) :
			PGSIMHASH_NEAR(PGSIMHASH_DUPLICATES_BITS);
	if (options->input.kind == INPUT_FILES)
		fail(EXIT_USAGE, "dedupe requires --field or --lines");
	corpus.input = input_open(&options->input, arguments, n);
	corpus.wants_ids = report != NULL || review != NULL;
	if (options->memory > 0)
	{
		buffer_move_to_disk(&corpus.found);
		buffer_move_to_disk(&corpus.fingerprints);
		buffer_move_to_disk(&corpus.places);
		buffer_move_to_disk(&corpus.searched);
		buffer_move_to_disk(&corpus.text_places);
		buffer_move_to_disk(&measured);
	}
	check(pgsimhash_duplicates_begin(options->input.title != NULL, !options->no_numbers, distance,
									 options->memory, &corpus.search));
	status = work_on_records(options, corpus.input, write_row, add_rows);
	if (corpus.n == corpus.n_known)
		input_keep_outputs(corpus.input->files);
	add_id(NULL, 0);
	add_near_texts(options, distance);
	if (texts_decide)
		buffer_free(&corpus.fingerprints);
	find_duplicates(options, texts_decide);
	if (!texts_decide)
		find_near(distance, options->memory);
	progress_end();
	if (corpus.wants_ids)
		measure_pairs(corpus.found.length / sizeof(pgsimhash_duplicate), get_pair, &measured);
	if (report != NULL)
		report_found(input_output(corpus.input->files, OUTPUT_REPORT), report, &measured);
	if (review != NULL)
		write_review(input_output(corpus.input->files, OUTPUT_REVIEW), review, &measured, get_pair);
	buffer_free(&measured);
	pgsimhash_duplicates_end(corpus.search);
	write_records(options->remove);
	say_counts(options->remove);
	say_what_numbers_decide();
	say_what_is_limited();
	return status;
}
