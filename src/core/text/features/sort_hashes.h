/*-------------------------------------------------------------------------
 *
 * sort_hashes.h
 *		Sorting of hashes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SORT_HASHES_H
#define SIMHASH_SORT_HASHES_H

#include "../../env.h"

/* Sort n hashes, or any other numbers, in ascending order.  The time is linear, whatever they are. */
extern void core_sort_hashes(uint64_t *hashes, size_t n, const Env *env);

#endif
