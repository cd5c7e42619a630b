/*-------------------------------------------------------------------------
 *
 * parallel_parts.h
 *		The duplicates of parts of the texts, found by several processes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PARALLEL_PARTS_H
#define SIMHASH_PARALLEL_PARTS_H

#include "core/duplicates/duplicate_search.h"
#include "parallel_pairs.h"

extern void parallel_parts_find(Duplicates *duplicates, const DuplicateOptions *options,
								const ParallelSource *source);

#endif							/* SIMHASH_PARALLEL_PARTS_H */
