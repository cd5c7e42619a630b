/*-------------------------------------------------------------------------
 *
 * unit_votes.c
 *		The vote, see unit_votes.h: a positional population count by carry-save adders
 *		(Klarqvist, Mula and Lemire, "Efficient computation of positional population counts
 *		using SIMD instructions", 2021, after Harley and Seal), whose 64 lanes here are the
 *		bits of a machine word.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "unit_votes.h"

#define VOTE_BLOCK 16			/* hashes added together */

void
core_vote_init(Vote *vote)
{
	memset(vote, 0, sizeof(*vote));
}

/* Add a and b to *sum in each lane, and return the carry. */
static inline uint64_t
add_carry(uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t	half = *sum ^ a;
	uint64_t	carry = (*sum & a) | (half & b);

	*sum = half ^ b;
	return carry;
}

static inline void
add_hashes(uint64_t *planes, const uint64_t *h)
{
	uint64_t	twos[8];
	uint64_t	fours[4];
	uint64_t	eights[2];
	uint64_t	carry;

	twos[0] = add_carry(&planes[0], h[0], h[1]);
	twos[1] = add_carry(&planes[0], h[2], h[3]);
	twos[2] = add_carry(&planes[0], h[4], h[5]);
	twos[3] = add_carry(&planes[0], h[6], h[7]);
	twos[4] = add_carry(&planes[0], h[8], h[9]);
	twos[5] = add_carry(&planes[0], h[10], h[11]);
	twos[6] = add_carry(&planes[0], h[12], h[13]);
	twos[7] = add_carry(&planes[0], h[14], h[15]);
	fours[0] = add_carry(&planes[1], twos[0], twos[1]);
	fours[1] = add_carry(&planes[1], twos[2], twos[3]);
	fours[2] = add_carry(&planes[1], twos[4], twos[5]);
	fours[3] = add_carry(&planes[1], twos[6], twos[7]);
	eights[0] = add_carry(&planes[2], fours[0], fours[1]);
	eights[1] = add_carry(&planes[2], fours[2], fours[3]);
	carry = add_carry(&planes[3], eights[0], eights[1]);

	for (int i = 4; carry != 0; i++)
	{
		uint64_t	plane = planes[i];

		planes[i] = plane ^ carry;
		carry &= plane;
	}
}

void
core_vote_add(Vote *vote, const uint64_t *hashes, size_t n)
{
	size_t		i;

	for (i = 0; i + VOTE_BLOCK <= n; i += VOTE_BLOCK)
		add_hashes(vote->planes, hashes + i);
	if (i < n)
	{
		/* zeros add nothing to any count */
		uint64_t	rest[VOTE_BLOCK] = {0};

		memcpy(rest, hashes + i, (n - i) * sizeof(*hashes));
		add_hashes(vote->planes, rest);
	}
	vote->n += n;
}

void
core_vote_combine(Vote *vote, const Vote *other)
{
	uint64_t	carry = 0;

	for (int i = 0; i < VOTE_PLANES; i++)
		carry = add_carry(&vote->planes[i], other->planes[i], carry);
	vote->n += other->n;
}

uint64_t
core_vote_count(const Vote *vote, int bit)
{
	uint64_t	count = 0;

	for (int i = 0; i < VOTE_PLANES; i++)
		count |= (vote->planes[i] >> bit & 1) << i;
	return count;
}

/* Bit b is set if its count is above a number. */
static uint64_t
counts_above(const Vote *vote, uint64_t number)
{
	uint64_t	greater = 0;
	uint64_t	equal = ~UINT64_C(0);

	/* compare all counts with the number at once, from the highest plane down */
	for (int i = VOTE_PLANES - 1; i >= 0; i--)
	{
		uint64_t	bit = (uint64_t) 0 - (number >> i & 1);

		greater |= equal & vote->planes[i] & ~bit;
		equal &= ~(vote->planes[i] ^ bit);
	}
	return greater;
}

bool
core_vote_is_valid(const Vote *vote)
{
	return vote->n >> (VOTE_PLANES - 1) == 0 && counts_above(vote, vote->n) == 0;
}

uint64_t
core_vote_result(const Vote *vote)
{
	return counts_above(vote, vote->n / 2);
}
