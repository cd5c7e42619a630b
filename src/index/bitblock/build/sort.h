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

extern BBSort *bb_sort_begin(int memory_kb);
extern void bb_sort_expect(BBSort *sort, int bits, const int64 *counts, int from, int to,
						   int64 n);
extern void bb_sort_put(BBSort *sort, BBWindow window, const ItemPointerData *tid);
extern void bb_sort_perform(BBSort *sort);
extern int	bb_sort_take(BBSort *sort, BBEntry *entries, int max);
extern void bb_sort_reset(BBSort *sort);
extern void bb_sort_end(BBSort *sort);

#endif							/* BITBLOCK_BUILD_SORT_H */
