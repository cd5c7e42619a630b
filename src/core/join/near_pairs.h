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

#include "../store/fingerprint_set.h"
#include "join.h"

/* The pairs of a set while they are found.  near_pairs_tasks.h divides the work among processes. */
typedef struct NearPairs NearPairs;

/* The memory that a join of the whole set needs, in bytes. */
extern size_t core_near_pairs_whole_bytes(const FingerprintSet *set);

/* Begin to find all pairs.  The caller keeps the set until the end. */
extern NearPairs *core_near_pairs_begin(FingerprintSet *set, int distance, size_t memory);

/*
 * Omit pairs of rows that are in the same tree (roots.h), like core_join_skip_connected.
 */
extern void core_near_pairs_skip_connected(NearPairs *pairs, uint32_t *parents);

/*
 * Set *found to the next pairs of rows, and return their number, 0 at the end and in later calls.
 * The next call overwrites the pairs.
 */
extern size_t core_near_pairs_next(NearPairs *pairs, const FingerprintPair **found);

/* End, whether all pairs have been returned or not. */
extern void core_near_pairs_end(NearPairs *pairs);

/*
 * A way to find all pairs of a set, by one process or by several.  "begin" returns what "next" and
 * "end" need, or NULL if there are more than "most" pairs and it has noticed.  "next" sets *found
 * to the next pairs, and returns their number, 0 at the end.  If "parents" is not NULL, pairs of
 * rows in the same tree (roots.h) may be omitted.
 */
typedef struct PairsSource
{
	void	   *(*begin) (void *arg, FingerprintSet *set, int distance, uint64_t most,
						  uint32_t *parents, size_t memory);
	size_t		(*next) (void *pairs, const FingerprintPair **found);
	void		(*end) (void *pairs);
	void	   *arg;
} PairsSource;

/* This process finds all pairs. */
extern const PairsSource core_serial_pairs;

/* distinct_fingerprints.c.  Called for two rows with the same fingerprint: */
typedef void (*EqualRows) (void *arg, uint32_t a, uint32_t b);

/*
 * Make a set without duplicates.  Some remain if memory is short or if hashes collide.  For each
 * fingerprint that is removed, "equal" is called with the row of one that remains, and then its own
 * row.
 */
extern FingerprintSet *core_distinct(FingerprintSet *set, size_t memory, EqualRows equal, void *arg);

#endif							/* SIMHASH_NEAR_PAIRS_H */
