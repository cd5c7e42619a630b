/*-------------------------------------------------------------------------
 *
 * weighted_votes.h
 *		The vote with weights: every feature adds its weight to the sums of the bits set in
 *		its hash, and subtracts it from the others.
 *
 * Sums are exact for any finite weights.  So neither the order of votes nor
 * their division among several tallies matters.
 *
 * A tally holds the sums of a word of 64 bits.  A wide fingerprint has a tally for each
 * of its words, and the words' votes have other hashes, see salts.h.  The functions take
 * the tallies of "words" words.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_WEIGHTED_VOTES_H
#define SIMHASH_WEIGHTED_VOTES_H

#include <stdbool.h>

#include "../../env.h"
#include "unit_votes.h"

#define TALLY_LIMB_BITS 32
#define TALLY_LIMBS 70			/* 2^-1088 to 2^1152: all sums of doubles */
#define TALLY_UNIT_LIMB 34		/* the limb of 2^0 */

/*
 * The 64 sums are kept in base 2^32, in signed digits (limbs) that may exceed the
 * base: sums[i * 64 + b] is the digit of limb first_limb + i of the sum of bit b.
 * Votes of weight 1 are counted separately.
 */
typedef struct Tally
{
	Vote		units;
	int			first_limb;
	int			n_limbs;		/* 0 until the first weight other than 0 and 1 */
	uint32_t	pending;		/* no digit exceeds this many times 2^32 */
	int64_t    *sums;			/* from the environment */
} Tally;

/* Begin without features. */
extern void core_tally_init(Tally *tallies, int words);

/* Free the memory of the tallies. */
extern void core_tally_free(Tally *tallies, int words, const Env *env);

/* Votes of weight 1 for the words from word 1 on. */
extern void core_tally_add_units_wide(Tally *tallies, int words,
									  const uint64_t *hashes, size_t n);

/* Votes of weight 1. */
static inline void
core_tally_add_units(Tally *tallies, int words, const uint64_t *hashes, size_t n)
{
	core_vote_add(&tallies->units, hashes, n);
	if (words > 1)
		core_tally_add_units_wide(tallies, words, hashes, n);
}

/*
 * Add a vote of any finite weight.  A negative weight is a vote against the
 * feature, and the weight 0 is no vote.
 */
extern void core_tally_add(Tally *tallies, int words, uint64_t hash,
						   double weight, const Env *env);

/*
 * Add the votes of others to those of tallies.  The others keep the same sums, but
 * their digits may change.
 */
extern void core_tally_combine(Tally *tallies, Tally *others, int words,
							   const Env *env);

/*
 * Store the words.  A bit is set if its sum is above 0.  Return false if there was no
 * vote.
 */
extern bool core_tally_result(const Tally *tallies, int words,
							  uint64_t *fingerprint);

/* The sum of a bit of a word, rounded. */
extern double core_tally_sum(const Tally *tally, int bit);

/* The size of the state in bytes, and the bytes themselves. */
extern size_t core_tally_size(const Tally *tallies, int words);
extern void core_tally_write(const Tally *tallies, int words, uint8_t *bytes);

/*
 * Read a state into tallies that were just made.  If the bytes are not those of a
 * state, return false and leave the tallies empty.
 */
extern bool core_tally_read(Tally *tallies, int words, const uint8_t *bytes,
							size_t size, const Env *env);

#endif
