/*-------------------------------------------------------------------------
 *
 * join.h
 *		The pairs of two sets of fingerprints within a distance, in memory.
 *
 * Use near_pairs.h for sets that may be larger than memory.  A join finds all pairs, or only the
 * pairs of one block or of a slice of the block's values.
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

/*
 * Begin to join a with b, or a with itself if b is NULL.  The caller keeps the
 * fingerprints, the plan, the rows and env until the end.  Equal fingerprints within a
 * set are pairs like others, and their number is quadratic.
 */
extern Join *core_join_begin(const Fingerprints *fps, const WordPlan *words,
							 const RowSet *a, const RowSet *b,
							 const Env *env);

/*
 * Begin the join of a with b, or of a with itself if b is NULL, that returns only the pairs
 * that the block finds, and that no earlier block or word finds.  If it has slices, it
 * returns the pairs of the first one.
 */
extern Join *core_join_begin_block(const Fingerprints *fps, const WordPlan *words,
								   const RowSet *a, const RowSet *b,
								   const BlockJoin *wanted, const Env *env);

/*
 * Join another slice, after the end of one.  Neither the pairs of a slice nor their order depend on
 * the slices before it, so slices may be joined in any order.
 */
extern void core_join_slice(Join *join, int slice);

/*
 * Join the same set a with another set b, after all pairs with the previous set have been returned.
 * The block is the same, and only the distance in "wanted" may differ.  a remains sorted.
 */
extern void core_join_other(Join *join, const RowSet *b, const BlockJoin *wanted);

/*
 * Let the join omit pairs of rows that are in the same tree (roots.h).  It may return some of them
 * all the same.  The caller may join trees between two calls of core_join_next.  rows_a and
 * rows_b are the rows of the fingerprints of a and of b.  If the caller joins the trees of each
 * pair, the connected components are those of all pairs.
 */
extern void core_join_skip_connected(Join *join, uint32_t *parents, const uint32_t *rows_a,
									 const uint32_t *rows_b);

/*
 * Set *pairs to the next pairs, and return their number, 0 at the end.  The caller may change
 * the pairs, and the next call overwrites them.
 */
extern size_t core_join_next(Join *join, FingerprintPair **pairs);

/* End a join, whether all pairs have been returned or not. */
extern void core_join_end(Join *join);

#endif							/* SIMHASH_JOIN_H */
