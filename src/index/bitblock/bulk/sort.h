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

/*
 * A tree is divided among processes, and its entries among files, by buckets.  A bucket
 * has the entries whose windows begin with the same BB_BUCKET_BITS bits.  If the index has
 * leading columns, the buckets for processes go by the tags instead.
 */
#define BB_BUCKET_BITS				10
#define BB_BUCKETS					(1 << BB_BUCKET_BITS)

typedef struct BBSort BBSort;

/* Begin a sort of entries in about memory_kb of memory, and files beyond that. */
extern BBSort *bb_sort_begin(int memory_kb, int64 n);

/* Tell how many entries of each bucket will be added, until the sort is empty again. */
extern void bb_sort_expect(BBSort *sort, const int64 *counts);

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
