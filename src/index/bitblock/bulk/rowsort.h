/*-------------------------------------------------------------------------
 *
 * rowsort.h
 *		Sorting the rows of a new index with leading columns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILD_ROWSORT_H
#define BITBLOCK_BUILD_ROWSORT_H

#include "index/bitblock/store/column_value.h"
#include "index/bitblock/store/page.h"

typedef struct BBRowSort BBRowSort;

/* Begin a sort of rows in the order of a row tree or of the tree of NULLs. */
extern BBRowSort *bb_row_sort_begin(BBShape shape, int tree, int memory_kb);

/* Add a row. */
extern void bb_row_sort_put(BBRowSort *sort, const BBRow *row);

/* Sort the rows. */
extern void bb_row_sort_perform(BBRowSort *sort);

/* Return the next key, and its fingerprint if the tree stores it whole. */
extern bool bb_row_sort_next(BBRowSort *sort, BBKey *key, uint64 *fp);

/* Free the sort and delete its files. */
extern void bb_row_sort_end(BBRowSort *sort);

#endif							/* BITBLOCK_BUILD_ROWSORT_H */
