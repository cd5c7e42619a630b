/*-------------------------------------------------------------------------
 *
 * join.h
 *		The pairs of two sets of fingerprints within a distance, in memory.
 *
 * Use near_pairs.h for sets that may be larger than memory.  The function that begins a join
 * chooses its way: it finds all pairs by blocks, or only the pairs of one block or of a slice of
 * the block's values, or it compares all with all.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_H
#define SIMHASH_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_plan.h"
#include "../env.h"

/* Some rows of the fingerprints; n rows from "first" on if "rows" is NULL. */
typedef struct RowSet
{
	const uint32_t *rows;
	size_t		n;
	size_t		first;
} RowSet;

/*
 * A pair of two fingerprints.  The join gives their numbers in the sets; near_pairs.c gives
 * rows.
 */
typedef struct FingerprintPair
{
	uint32_t	a;
	uint32_t	b;
	int			distance;
} FingerprintPair;

/*
 * A join that finds only the pairs of one block of a word.  The fingerprints have already been
 * divided by some bits of the block, the prefix: all of a have the same value of these bits, and so
 * have all of b.
 */
typedef struct BlockJoin
{
	int			word;
	const BlockPlan *plan;		/* of the word */
	int			block;

	/* The bits of the block that are the same in all of a, and in all of b. */
	uint64_t	prefix;

	int			distance;		/* of a's value from b's */
	int			slices;			/* number of slices of the block's values */
} BlockJoin;

typedef struct Join Join;

extern Join *core_join_begin(const Fingerprints *fps, const WordPlan *words,
							 const RowSet *a, const RowSet *b,
							 const Env *env);
extern Join *core_join_begin_block(const Fingerprints *fps, const WordPlan *words,
								   const RowSet *a, const RowSet *b,
								   const BlockJoin *wanted, const Env *env);
extern void core_join_slice(Join *join, int slice);
extern void core_join_other(Join *join, const RowSet *b, const BlockJoin *wanted);
extern Join *core_join_begin_all(const Fingerprints *fps, const WordPlan *words,
								 const RowSet *a, const RowSet *b,
								 const Env *env);
extern void core_join_skip_connected(Join *join, uint32_t *parents, const uint32_t *rows_a,
									 const uint32_t *rows_b);
extern size_t core_join_next(Join *join, FingerprintPair **pairs);
extern void core_join_end(Join *join);

#endif							/* SIMHASH_JOIN_H */
