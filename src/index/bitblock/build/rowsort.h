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

extern BBRowSort *bb_row_sort_begin(BBShape shape, int tree, int memory_kb);
extern void bb_row_sort_put(BBRowSort *sort, const BBRow *row);
extern void bb_row_sort_perform(BBRowSort *sort);
extern bool bb_row_sort_next(BBRowSort *sort, BBKey *key, uint64 *fp);
extern void bb_row_sort_end(BBRowSort *sort);

#endif							/* BITBLOCK_BUILD_ROWSORT_H */
