/*-------------------------------------------------------------------------
 *
 * near_pairs.h
 *		The pairs of fingerprints of a set within a distance, in little memory.
 *
 * A caller adds fingerprints to a set (fingerprint_set.h), begins to find its pairs, and asks
 * for the next ones until there are none.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_NEAR_PAIRS_H
#define SIMHASH_NEAR_PAIRS_H

#include "fingerprint_set.h"
#include "join.h"

typedef struct NearPairs NearPairs;

extern size_t simhash_near_pairs_whole_bytes(const FingerprintSet *set);
extern NearPairs *simhash_near_pairs_begin(FingerprintSet *set, int distance, size_t memory,
										   const JoinEnv *env);
extern void simhash_near_pairs_skip_connected(NearPairs *pairs, uint32_t *parents);
extern size_t simhash_near_pairs_next(NearPairs *pairs, const FingerprintPair **found);
extern void simhash_near_pairs_end(NearPairs *pairs);

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

/*
 * A way to find all pairs of a set, by one process or by several.  "begin" may return NULL if there
 * are more than "most".
 */
typedef struct PairsSource
{
	NearPairs  *(*begin) (void *arg, FingerprintSet *set, int distance, uint64_t most,
						  size_t memory, const JoinEnv *env);
	void	   *arg;
} PairsSource;

extern const PairsSource simhash_serial_pairs;

/* distinct_fingerprints.c.  Called for two rows with the same fingerprint: */
typedef void (*EqualRows) (void *arg, uint32_t a, uint32_t b);

extern FingerprintSet *simhash_distinct(FingerprintSet *set, size_t memory,
										const JoinEnv *env, EqualRows equal, void *arg);

#endif							/* SIMHASH_NEAR_PAIRS_H */
