/*-------------------------------------------------------------------------
 *
 * sort.h
 *		Sorting the entries of a new bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILD_SORT_H
#define BITBLOCK_BUILD_SORT_H

#include "index/bitblock/store/page.h"

typedef struct BBSort BBSort;

/* Begin a sort of entries in about memory_kb of memory, and files beyond that. */
extern BBSort *bb_sort_begin(int memory_kb, int64 n);

/* Add an entry.  TIDs ascend. */
extern void bb_sort_put(BBSort *sort, BBWindow window, const ItemPointerData *tid);

/* Sort the entries. */
extern void bb_sort_perform(BBSort *sort);

/* Return the next entries in their order. */
extern const BBEntry *bb_sort_next(BBSort *sort, int64 *n);

/* Empty the sort, so that it can be used again. */
extern void bb_sort_reset(BBSort *sort);

/* Free the sort and delete its files. */
extern void bb_sort_end(BBSort *sort);

#endif							/* BITBLOCK_BUILD_SORT_H */
