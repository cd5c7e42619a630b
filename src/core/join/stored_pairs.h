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
 * The join's work is a series of blocks, and a block's work is a series of tasks, which are
 * independent of each other.  simhash_stored_pairs_next does all of it.
 */
extern StoredPairs *simhash_stored_pairs_begin(StoredSet *set, int distance, size_t memory,
											   const JoinEnv *env);
extern size_t simhash_stored_pairs_next(StoredPairs *pairs, const FingerprintPair **found);
extern void simhash_stored_pairs_end(StoredPairs *pairs);

extern bool simhash_stored_pairs_block(StoredPairs *pairs);
extern size_t simhash_stored_pairs_tasks(const StoredPairs *pairs);
extern int	simhash_stored_pairs_blocks(const StoredPairs *pairs, int *present);
extern void simhash_stored_pairs_task(StoredPairs *pairs, size_t task);
extern size_t simhash_stored_pairs_in_task(StoredPairs *pairs, const FingerprintPair **found);

/* The same join in another process, for the tasks of the present block */
extern size_t simhash_stored_pairs_size(const StoredPairs *pairs);
extern void simhash_stored_pairs_write(const StoredPairs *pairs, void *to);
extern JoinFile *simhash_stored_pairs_file(StoredPairs *pairs);
extern StoredPairs *simhash_stored_pairs_copy(const void *written, JoinFile *file,
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
