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
 * simhash_near_pairs_next processes one block of the join after the other.  If the block has
 * ranges, it divides these ranges of the fingerprints.  Then it does a series of tasks.  Ranges do
 * not depend on each other, and neither do tasks, so several processes can share the work of a
 * block with the functions below.  Each process begins the join with a copy of the set, and goes
 * through all blocks.
 */
extern int	simhash_near_pairs_blocks(const NearPairs *pairs);
extern bool simhash_near_pairs_next_block(NearPairs *pairs);
extern uint32_t simhash_near_pairs_ranges(const NearPairs *pairs);
extern size_t simhash_near_pairs_range_bytes(const NearPairs *pairs);
extern size_t simhash_near_pairs_results_bytes(const NearPairs *pairs);
extern void simhash_near_pairs_divide(NearPairs *pairs, uint32_t range,
									  PartsWriter *writer, void *result);
extern void simhash_near_pairs_set_divided(NearPairs *pairs, void *results, JoinFile **files);
extern size_t simhash_near_pairs_tasks(const NearPairs *pairs);
extern void simhash_near_pairs_begin_task(NearPairs *pairs, size_t task);
extern size_t simhash_near_pairs_next_in_task(NearPairs *pairs, const FingerprintPair **found);

/* The pairs of a task, in a file that a process has written. */
typedef struct TaskPairs
{
	uint32_t	block;
	uint32_t	file;			/* number among the files */
	uint64_t	task;
	uint64_t	first;
	uint64_t	n;
} TaskPairs;

extern void simhash_near_pairs_set_written(NearPairs *pairs, TaskPairs *tasks, size_t ntasks,
										   JoinFile *const *files, size_t nfiles);

#endif							/* SIMHASH_NEAR_PAIRS_TASKS_H */
