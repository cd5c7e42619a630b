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

extern BBSharedRows *bb_shared_rows_begin(BBShape shape, TempFiles *files, int processes);
extern void bb_shared_rows_begin_range(BBSharedRows *rows, int process, BBRowRange *range);
extern void bb_shared_rows_put(BBSharedRows *rows, const BBRow *row);
extern void bb_shared_rows_publish(BBSharedRows *rows);
extern void bb_shared_rows_read(BBSharedRows *rows, int kind, const BBRowRange *ranges, int n);
extern bool bb_shared_rows_next(BBSharedRows *rows, BBRow *row);
extern void bb_shared_rows_end(BBSharedRows *rows);

#endif							/* BITBLOCK_BUILD_ROWS_H */
