/*-------------------------------------------------------------------------
 *
 * row_pairs.h
 *		The pairs of rows whose fingerprints are within a distance.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ROW_PAIRS_H
#define SIMHASH_ROW_PAIRS_H

#include "join.h"

/*
 * Bytes of memory for each row: 8 for the collapsed rows, 8 for a word in the join, 12 for
 * the sorted word and its number, and up to 4 for counters.  Collapsing takes less, 24 bytes.
 */
#define JOIN_ROW_BYTES	32

typedef enum RowPairsWanted
{
	ALL_PAIRS,
	/* fewer pairs that make the same connections; linear for equal rows */
	CONNECTING_PAIRS
} RowPairsWanted;

typedef struct RowPairs RowPairs;

extern RowPairs *simhash_row_pairs_begin(const Fingerprints *fps, int distance,
										 RowPairsWanted wanted, const JoinEnv *env);
extern bool simhash_row_pairs_next(RowPairs *pairs, FingerprintPair *pair);
extern void simhash_row_pairs_end(RowPairs *pairs);

#endif							/* SIMHASH_ROW_PAIRS_H */
