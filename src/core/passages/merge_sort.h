/*-------------------------------------------------------------------------
 *
 * merge_sort.h
 *		A merge sort that checks for interrupts. The order of equal items stays the same, and
 *		the time depends only on the number of items.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_MERGE_SORT_H
#define SIMHASH_MERGE_SORT_H

#include <stddef.h>

#include "../env.h"

/*
 * Merge the items before "middle" and those from there to n, which are sorted, into
 * "merged".  Check for interrupts if there are many.
 */
typedef void (*MergeFunction) (const void *sorted, size_t middle, size_t n,
							   void *merged, const Env *env);

/* Sort n items of a size.  Each stretch of "length" items is already sorted. */
extern void core_merge_sort(void *items, size_t n, size_t size, size_t length,
							MergeFunction merge, const Env *env);

#endif
