/*-------------------------------------------------------------------------
 *
 * stored_pairs.h
 *		The pairs of fingerprints in a temporary file, in little memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STORED_PAIRS_H
#define SIMHASH_STORED_PAIRS_H

#include "join.h"
#include "stored.h"

typedef struct StoredPairs StoredPairs;

/*
 * The join's work is a series of blocks.  A block's work is to divide ranges of the
 * fingerprints, if the block has ranges, and then a series of tasks.  Ranges are independent
 * of each other, and tasks are.  simhash_stored_pairs_next does all of it.
 */
extern size_t simhash_stored_pairs_whole(const StoredSet *set);
extern StoredPairs *simhash_stored_pairs_begin(StoredSet *set, int distance, size_t memory,
											   const JoinEnv *env);
extern size_t simhash_stored_pairs_next(StoredPairs *pairs, const FingerprintPair **found);
extern void simhash_stored_pairs_end(StoredPairs *pairs);

extern bool simhash_stored_pairs_block(StoredPairs *pairs);
extern int	simhash_stored_pairs_blocks(const StoredPairs *pairs, int *present);
extern uint32_t simhash_stored_pairs_ranges(const StoredPairs *pairs);
extern size_t simhash_stored_pairs_range_bytes(const StoredPairs *pairs);
extern void simhash_stored_pairs_divide(StoredPairs *pairs, uint32_t range,
										PartsWriter *writer, void *result);
extern void simhash_stored_pairs_set_divided(StoredPairs *pairs, const void *results,
											 JoinFile *const *files, uint32_t nfiles);
extern void simhash_stored_pairs_divide_all(StoredPairs *pairs);
extern size_t simhash_stored_pairs_tasks(const StoredPairs *pairs);
extern void simhash_stored_pairs_task(StoredPairs *pairs, size_t task);
extern size_t simhash_stored_pairs_in_task(StoredPairs *pairs, const FingerprintPair **found);

/* The same join in another process, for the ranges or the tasks of the present block */
extern size_t simhash_stored_pairs_size(const StoredPairs *pairs);
extern void simhash_stored_pairs_write(const StoredPairs *pairs, void *to);
extern uint32_t simhash_stored_pairs_files(StoredPairs *pairs, JoinFile *const **files);
extern StoredPairs *simhash_stored_pairs_copy(const void *written, JoinFile *const *files,
											  const JoinEnv *env);

/* What gives all pairs of a set: the functions above, or several processes */
typedef struct PairsSource
{
	void	   *(*begin) (void *arg, StoredSet *set, int distance, size_t memory,
						  const JoinEnv *env);
	size_t		(*next) (void *pairs, const FingerprintPair **found);
	void		(*end) (void *pairs);
	void	   *arg;			/* for begin */
} PairsSource;

/* Called for two rows with the same fingerprint */
typedef void (*EqualRows) (void *arg, uint32_t a, uint32_t b);

extern StoredSet *simhash_stored_distinct(StoredSet *set, size_t memory,
										  const JoinEnv *env, EqualRows equal, void *arg);

#endif							/* SIMHASH_STORED_PAIRS_H */
