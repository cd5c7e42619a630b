/*-------------------------------------------------------------------------
 *
 * join.h
 *		The pairs of two sets of fingerprints within a distance.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_H
#define SIMHASH_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_plan.h"
#include "join_env.h"

/*
 * Fingerprints.  What a pair is told by are their tags, or their numbers here
 * without any.
 */
typedef struct FingerprintSet
{
	const uint64_t *fps;
	const uint32_t *tags;
	size_t		n;
} FingerprintSet;

typedef struct FingerprintPair
{
	uint32_t	a;
	uint32_t	b;
	int			distance;
} FingerprintPair;

typedef struct Join Join;

extern Join *simhash_join_begin(const FingerprintSet *a, const FingerprintSet *b,
								int distance, const JoinEnv *env);
extern Join *simhash_join_begin_block(const FingerprintSet *a, int distance,
									  const BlockPlan *plan, int block,
									  const JoinEnv *env);
extern size_t simhash_join_next(Join *join, const FingerprintPair **pairs);
extern void simhash_join_end(Join *join);

#endif							/* SIMHASH_JOIN_H */
