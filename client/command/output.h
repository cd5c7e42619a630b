/*-------------------------------------------------------------------------
 *
 * output.h
 *		The output: rows of an id and a fingerprint.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_OUTPUT_H
#define PGSIMHASH_OUTPUT_H

#include "input/input.h"

typedef enum OutputFormat
{
	OUTPUT_COPY,				/* the text format of COPY */
	OUTPUT_JSON					/* JSON Lines */
} OutputFormat;

/* The type of a fingerprint in the database. */
typedef enum ValueType
{
	TYPE_SIMHASH,
	TYPE_BIT,
	TYPE_BIGINT
} ValueType;

typedef struct OutputOptions
{
	OutputFormat format;
	ValueType	type;
	int			bits;
} OutputOptions;

/* Write a row.  A NULL fingerprint is SQL's NULL.  Return NULL, or why the id cannot be written. */
extern const char *output_fingerprint(const OutputOptions *options, Buffer *out,
									  const Record *record, const uint64_t *fingerprint);

/* An id as COPY reads it. */
extern void append_copy_id(Buffer *out, const char *id, size_t length);

/* The same for text of COPY: control characters, and bytes that are not UTF-8, become escape sequences. */
extern void append_copy_text(Buffer *out, const char *bytes, size_t length);

/* Write what was printed of the help. */
extern void flush_help(void);

/* Write all bytes to a file, whose name is "what" in a message, or to standard output. */
extern void write_all(int fd, const char *bytes, size_t n, const char *what);
extern void write_out(const Buffer *out);

/* Close a file that was written. */
extern void close_output(int fd, const char *what);

#endif
