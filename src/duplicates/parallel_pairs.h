/*-------------------------------------------------------------------------
 *
 * parallel_pairs.h
 *		The pairs of a set of fingerprints, found by several processes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PARALLEL_PAIRS_H
#define SIMHASH_PARALLEL_PAIRS_H

#include "postgres.h"

#include "core/join/near_pairs.h"
#include "server/temp_files.h"

/* What a PairsSource needs besides: the files of the set, and a function of the extension. */
typedef struct ParallelSource
{
	TempFiles  *files;
	Oid			function;
} ParallelSource;

extern int	parallel_pairs_workers(void);
extern NearPairs *parallel_pairs_begin(void *source, FingerprintSet *set, int distance,
									   uint64_t most, size_t memory, const JoinEnv *env);

#endif							/* SIMHASH_PARALLEL_PAIRS_H */
