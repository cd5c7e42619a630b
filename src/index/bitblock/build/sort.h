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
extern BBSort *bb_sort_begin(int memory_kb);

/* Announce how many entries begin with each value of their first bits. */
extern void bb_sort_expect(BBSort *sort, int bits, const int64 *counts, int from, int to,
						   int64 n);

/* Add an entry.  TIDs ascend. */
extern void bb_sort_put(BBSort *sort, BBWindow window, const ItemPointerData *tid);

/* Sort the entries. */
extern void bb_sort_perform(BBSort *sort);

/* Return up to "max" entries in their order. */
extern int	bb_sort_take(BBSort *sort, BBEntry *entries, int max);

/* Empty the sort, so that it can be used again. */
extern void bb_sort_reset(BBSort *sort);

/* Free the sort and delete its files. */
extern void bb_sort_end(BBSort *sort);

#endif							/* BITBLOCK_BUILD_SORT_H */
