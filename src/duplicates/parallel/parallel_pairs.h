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

/* What parallel_pairs needs: the files of the set, and a function of the extension. */
typedef struct ParallelSource
{
	TempFiles  *files;
	Oid			function;
} ParallelSource;

extern int	parallel_pairs_workers(void);
extern PairsSource parallel_pairs(ParallelSource *source);

#endif							/* SIMHASH_PARALLEL_PAIRS_H */
