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

extern StoredPairs *simhash_stored_pairs_begin(StoredSet *set, int distance, size_t memory,
											   const JoinEnv *env);
extern size_t simhash_stored_pairs_next(StoredPairs *pairs, const FingerprintPair **found);
extern void simhash_stored_pairs_end(StoredPairs *pairs);

/* Called for two rows with the same fingerprint */
typedef void (*EqualRows) (void *arg, uint32_t a, uint32_t b);

extern StoredSet *simhash_stored_distinct(StoredSet *set, size_t memory,
										  const JoinEnv *env, EqualRows equal, void *arg);

#endif							/* SIMHASH_STORED_PAIRS_H */
