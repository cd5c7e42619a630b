/*-------------------------------------------------------------------------
 *
 * rows.h
 *		The rows of a new bitblock index in temporary files that several processes read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILD_ROWS_H
#define BITBLOCK_BUILD_ROWS_H

#include "index/bitblock/store/column_value.h"
#include "server/temp_files.h"

/*
 * A range of the table's pages that one process has read.  Its rows are a part of that
 * process's files.
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

typedef struct BBSharedRows BBSharedRows;

/* Begin to write and read rows in files of one process or of several. */
extern BBSharedRows *bb_shared_rows_begin(BBShape shape, TempFiles *files, int processes);

/* Begin a range of the table, to which the rows belong that are put next. */
extern void bb_shared_rows_begin_range(BBSharedRows *rows, int process, BBRowRange *range);

/* Write a row. */
extern void bb_shared_rows_put(BBSharedRows *rows, const BBRow *row);

/* Let all processes read what this process has written. */
extern void bb_shared_rows_publish(BBSharedRows *rows);

/* Begin to read the rows of one kind of n ranges. */
extern void bb_shared_rows_read(BBSharedRows *rows, int kind, const BBRowRange *ranges, int n);

/* Read the next row. */
extern bool bb_shared_rows_next(BBSharedRows *rows, BBRow *row);

/* Free the memory and the files. */
extern void bb_shared_rows_end(BBSharedRows *rows);

#endif							/* BITBLOCK_BUILD_ROWS_H */
