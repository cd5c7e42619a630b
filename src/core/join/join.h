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

/* Some rows of the fingerprints; the first n rows if "rows" is NULL */
typedef struct FingerprintSet
{
	const uint32_t *rows;
	size_t		n;
} FingerprintSet;

/*
 * A pair of two fingerprints.  The join gives their numbers in the sets; row_pairs.c gives
 * rows.
 */
typedef struct FingerprintPair
{
	uint32_t	a;
	uint32_t	b;
	int			distance;
} FingerprintPair;

typedef struct Join Join;

extern Join *simhash_join_begin(const Fingerprints *fps, const WordPlan *words,
								const FingerprintSet *a, const FingerprintSet *b,
								const JoinEnv *env);
extern Join *simhash_join_begin_block(const Fingerprints *fps, const WordPlan *words,
									  const FingerprintSet *a, int word,
									  const BlockPlan *plan, int block,
									  const JoinEnv *env);
extern Join *simhash_join_begin_all(const Fingerprints *fps, const WordPlan *words,
									const JoinEnv *env);
extern size_t simhash_join_next(Join *join, const FingerprintPair **pairs);
extern void simhash_join_end(Join *join);

#endif							/* SIMHASH_JOIN_H */
