/*-------------------------------------------------------------------------
 *
 * unit_votes.h
 *		The vote: every feature adds 1 to the sums of the bits set in its hash, and subtracts
 *		1 from the others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_UNIT_VOTES_H
#define SIMHASH_UNIT_VOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VOTE_PLANES 48			/* enough for 2^48 - 1 features */

/*
 * The planes hold the number of features with bit b set, in binary: bit i of the
 * number is bit b of planes[i].
 */
typedef struct Vote
{
	uint64_t	n;				/* number of features */
	uint64_t	planes[VOTE_PLANES];
} Vote;

/* Begin without features. */
extern void core_vote_init(Vote *vote);

/* Add n features. */
extern void core_vote_add(Vote *vote, const uint64_t *hashes, size_t n);

/* Add other's features to vote's. */
extern void core_vote_combine(Vote *vote, const Vote *other);

/*
 * Can features make such a vote, and is there room for as many again?  The functions
 * above rely on both.
 */
extern bool core_vote_is_valid(const Vote *vote);

/* The number of features that have the bit set. */
extern uint64_t core_vote_count(const Vote *vote, int bit);

/* Bit b is set if more than half of the features have it set. */
extern uint64_t core_vote_result(const Vote *vote);

#endif
