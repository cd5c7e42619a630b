/*-------------------------------------------------------------------------
 *
 * format.h
 *		The formats of the input. A format has a side in the reading thread, which cuts a file
 *		into batches, and a side in the workers, which finds the records of a batch.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_FORMAT_H
#define PGSIMHASH_FORMAT_H

#include <string.h>

#include "input.h"

/* The reading thread's state. */
struct Input
{
	const InputOptions *options;
	InputFiles *files;
	uint32_t	file;			/* that is being read */
	const struct Format *format;	/* of that file */
	int			fd;
	ChosenRecords *chosen;		/* records to read again; NULL: read all */
	PlaceReader reader;			/* of them */
	bool		at_beginning;	/* of the file, before its header */
	Pool	   *pool;
	Batch	   *batch;			/* being filled, or NULL */
	uint64_t	number;			/* of the next record */
	bool		id_is_decided;
	bool		id_is_field;	/* do records have their ids in a field? */
};

typedef struct Format
{
	/* Read input->file. */
	void		(*read) (Input *input);

	RecordStatus (*next) (RecordReader *reader, Record *record);

	/*
	 * Find the first record of a batch, and whether it has the field of ids.
	 * Return false if there is no right record.  NULL if the format has no
	 * fields, or if its reader decides.
	 */
	bool		(*first_has_id) (const InputOptions *options, const Batch *batch, bool *has_id);
} Format;

extern const Format format_file;
extern const Format format_line;
extern const Format format_json;
extern const Format format_csv;

/* The name of the field of the ids. */
extern const char *id_field(const InputOptions *options);

/* The batch being filled.  A new one is of the format and the file that is being read. */
extern Batch *input_batch(Input *input);

/* Give the batch to the workers, if there is one. */
extern void input_submit(Input *input);

/*
 * Read at least one byte, and about n, of the file behind the buffer's end, and return their number, 0 at
 * the end.  If records are read again, these are the header and the records that were chosen, each with
 * the end of its line.
 */
extern size_t input_bytes(Input *input, Buffer *buffer, size_t n);

/* Is a file, from its beginning, no text in UTF-8 but of another known form?  Return the problem, or NULL. */
extern const char *problem_of_form(const char *bytes, size_t length);

/* Fail if there is such a problem. */
extern void check_form(const char *name, const char *bytes, size_t length);

/* Decide for the whole input whether ids are in a field, if that is not decided yet. */
extern void decide_id(Input *input, bool first_has_it);

/* Make the record's number its id. */
extern void set_number(RecordReader *reader, Record *record, uint64_t number);

/* The length of a byte order mark, if the bytes begin with it. */
static inline size_t
byte_order_mark(const char *bytes, size_t length)
{
	return length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/*
 * Find the next line of a batch, without its end and, in the first line of a file, without a byte
 * order mark.  Its number becomes reader->line.  Return false at the end.
 */
extern bool next_line(RecordReader *reader, const char **line, size_t *length);

/* Make a line the bytes of the record. */
extern void set_bytes(const RecordReader *reader, Record *record, const char *line, size_t length);

/* The reading side of formats of lines. */
extern void lines_read(Input *input);

#endif
