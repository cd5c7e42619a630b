/*-------------------------------------------------------------------------
 *
 * batch.h
 *		A batch: some records of the input, on their way through the program.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_BATCH_H
#define PGSIMHASH_BATCH_H

#include <stdbool.h>

#include "../buffer.h"

#define BATCH_BYTES	(1 << 18)	/* about */

struct Format;

typedef struct Batch
{
	/* from the reader */
	const struct Format *format;
	const char *file;			/* name for messages */
	uint32_t	file_number;	/* in the input */
	Buffer		data;			/* of the format */
	uint64_t	offset;			/* of lines: place in the file of the data */
	size_t		line;			/* number in its file of the first line */
	uint64_t	number;			/* of the first record in the input */
	bool		id_is_field;	/* do records have their ids in a field? */
	uint64_t	input_bytes;	/* for the progress bar */

	/* from the worker */
	Buffer		out;
	Buffer		errors;			/* messages */
	uint64_t	n_errors;
	unsigned	fields;			/* FieldBits */
} Batch;

#endif
