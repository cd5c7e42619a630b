/*-------------------------------------------------------------------------
 *
 * sharedrows.h
 *		The rows of a new bitblock index in temporary files that several processes read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_SHAREDROWS_H
#define BITBLOCK_SHAREDROWS_H

#include "server/compat.h"
#include "shape.h"
#include "storage/sharedfileset.h"

/*
 * A range of the table's pages that one process has read.  Its rows are a part of that process's
 * files.
 */
typedef struct BBRowRange
{
	int			process;
	int64		n[2];			/* rows with and without a fingerprint */
	int64		first[2];		/* number of the first in the file */
} BBRowRange;

/* The kinds of rows */
#define BB_FILLED				0	/* with a fingerprint */
#define BB_NULL					1	/* without one */

typedef struct BBRowWriter BBRowWriter;
typedef struct BBRowReader BBRowReader;

extern BBRowWriter *bb_row_writer_begin(BBShape shape, SharedFileSet *files, int process);
extern void bb_row_writer_put(BBRowWriter *writer, uint32 tag, const ItemPointerData *tid,
							  const uint64 *fp);
extern void bb_row_writer_note(const BBRowWriter *writer, BBRowRange *range);
extern void bb_row_writer_end(BBRowWriter *writer);
extern BBRowReader *bb_row_reader_begin(BBShape shape, SharedFileSet *files, int kind,
										const BBRowRange *ranges, int from, int to);
extern bool bb_row_reader_next(BBRowReader *reader, uint32 *tag, ItemPointerData *tid,
							   uint64 *fp);
extern void bb_row_reader_end(BBRowReader *reader);

#endif							/* BITBLOCK_SHAREDROWS_H */
