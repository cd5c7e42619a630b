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

/*
 * Go to the next block.  Returns false if there is none.  If the block has parts, their ranges
 * must be divided before its tasks begin.
 */
extern bool core_near_pairs_next_block(NearPairs *pairs);

/*
 * The parts of each block, or NULL if they have none.  Their ranges take parts->nranges *
 * parts->range_bytes bytes.
 */
extern const Parts *core_near_pairs_parts(const NearPairs *pairs);

/* Divide a range by the current block, and note in "ranges", which processes may share, where. */
extern void core_near_pairs_divide(NearPairs *pairs, uint32_t range, PartsWriter *writer,
								   char *ranges);

/*
 * Begin the tasks of the current block, and return their number.  If the block has parts, all of
 * their ranges have been divided: "ranges" says where they are in which of the files.
 */
extern size_t core_near_pairs_begin_tasks(NearPairs *pairs, char *ranges, JoinFile **files);

/*
 * Begin a task of the current block: the joins of a chunk with itself and with later ones, or
 * of some values of the only chunk.
 */
extern void core_near_pairs_begin_task(NearPairs *pairs, size_t task);

/*
 * Set *found to the next pairs of rows of the task, and return their number, 0 at its end.  The
 * next call overwrites the pairs.
 */
extern size_t core_near_pairs_next_in_task(NearPairs *pairs, const FingerprintPair **found);

#endif							/* SIMHASH_NEAR_PAIRS_TASKS_H */
