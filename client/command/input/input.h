/*-------------------------------------------------------------------------
 *
 * input.h
 *		The records of the input: texts with their ids.
 *
 * One thread reads files and cuts them into batches.  Workers find the records in the batches.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_INPUT_H
#define PGSIMHASH_INPUT_H

#include "batch.h"
#include "input_files.h"
#include "json_reader.h"
#include "places.h"
#include "pool.h"

typedef enum InputKind
{
	INPUT_FILES,				/* each file is a text, and its path is the id */
	INPUT_LINES,				/* each line is a text */
	INPUT_FIELDS,				/* .csv: CSV; any other file: JSON Lines */
	INPUT_JSON,
	INPUT_CSV
} InputKind;

typedef struct InputOptions
{
	InputKind	kind;

	/*
	 * The text's field.  NULL: there is none, or the whole line is the text.
	 */
	const char *field;

	const char *title;			/* field of the title, or NULL */

	/*
	 * The id's field.  NULL: "id" if the first record has it, otherwise ids
	 * are the numbers of records.
	 */
	const char *id;

	bool		keep_records;	/* are the bytes of records needed? */

	/* Paths that are read before all others, as known records. */
	char	  **known;
	int			n_known;

	/* Files that are replaced when all input is read, or NULL. */
	const char *outputs[N_OUTPUTS];
} InputOptions;

#define DEFAULT_ID_FIELD "id"

/* The fields of a record.  They are valid until the next record is read. */
typedef struct Record
{
	const char *id;
	size_t		id_length;
	bool		id_is_number;
	const char *text;			/* NULL: the field is null */
	size_t		text_length;
	const char *title;
	size_t		title_length;	/* 0 without a title */
	const char *bytes;			/* of the record in the file, if needed */
	size_t		n_bytes;
	Place		place;			/* of the bytes */
	bool		is_utf8;		/* are text and title known to be UTF-8? */

	/*
	 * Is this the header of CSV, not a record?  Set only if bytes are needed.
	 */
	bool		is_header;
} Record;

/* Append a record with the bytes of its fields. */
extern void pack_record(Buffer *out, const Record *record);

/* Get the record at a place, which moves behind it.  Its fields are in the buffer. */
extern void unpack_record(const Buffer *from, size_t *at, Record *record);

typedef enum RecordStatus
{
	RECORD_FOUND,
	RECORD_WRONG,				/* reader->error says why, reader->line where */
	RECORD_END
} RecordStatus;

/* Of the fields that the options name, those that some object of JSON has */
typedef enum FieldBits
{
	HAS_OBJECT = 1,				/* there is an object at all */
	HAS_TEXT = 2,
	HAS_TITLE = 4,
	HAS_ID = 8
} FieldBits;

/* A worker's reader of batches. */
typedef struct RecordReader
{
	const InputOptions *options;
	JsonReader *json;			/* or NULL before the first use */
	Buffer		file;
	char		number[24];		/* the id of a record without one */

	const Batch *batch;
	size_t		at;				/* place in its data */
	size_t		line;			/* of the last record; 0 if it is a whole file */
	const char *name;			/* of the file of the last record */
	unsigned	fields;			/* FieldBits of the objects in the batch */
	char		error[200];
} RecordReader;

extern void record_reader_init(RecordReader *reader, const InputOptions *options);
extern void record_reader_free(RecordReader *reader);
extern void record_reader_begin(RecordReader *reader, const Batch *batch);
extern RecordStatus record_reader_next(RecordReader *reader, Record *record);

typedef struct Input Input;

/* Find all files of the paths and folders, and open the outputs (input_files.h). */
extern Input *input_open(const InputOptions *options, char **paths, int n_paths);

/*
 * Read all files into the pool.  If records are kept, they can be read again: those of a pipe from a
 * copy in a temporary file.
 */
extern void input_read(Input *input, Pool *pool);

/* After that, read some records into the pool again.  All of them are right, unless a file has changed. */
extern void input_read_again(Input *input, Pool *pool, ChosenRecords *chosen);

#endif
