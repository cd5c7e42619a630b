/*-------------------------------------------------------------------------
 *
 * near_pairs_tasks.h
 *		The work of finding near pairs, divided among processes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_NEAR_PAIRS_TASKS_H
#define SIMHASH_NEAR_PAIRS_TASKS_H

#include "near_pairs.h"

/*
 * core_near_pairs_next processes one block of the join after the other.  If the block has
 * parts, it divides the ranges of the parts.  Then it does a series of tasks.  Ranges do not depend
 * on each other, and neither do tasks, so several processes can share the work of a block with the
 * functions below.  Each process begins the join with a copy of the set, and goes through all
 * blocks.
 */
extern int	core_near_pairs_blocks(const NearPairs *pairs);
extern bool core_near_pairs_next_block(NearPairs *pairs);
extern const Parts *core_near_pairs_parts(const NearPairs *pairs);
extern void core_near_pairs_divide(NearPairs *pairs, uint32_t range, PartsWriter *writer,
								   char *ranges);
extern size_t core_near_pairs_begin_tasks(NearPairs *pairs, char *ranges, JoinFile **files);
extern void core_near_pairs_begin_task(NearPairs *pairs, size_t task);
extern size_t core_near_pairs_next_in_task(NearPairs *pairs, const FingerprintPair **found);

#endif							/* SIMHASH_NEAR_PAIRS_TASKS_H */
