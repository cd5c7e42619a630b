/*-------------------------------------------------------------------------
 *
 * minwise_bins.c
 *		The bins of a word; see minwise_bins.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../bits.h"
#include "../mix.h"
#include "minwise_bins.h"

/* Hashes between two looks at the largest rank. */
#define RANKS_AT_ONCE 512

/* The limit for a rank, times 64: larger ranks change no bin. */
static uint64_t
largest(const uint64_t *bins)
{
	uint64_t	most = 0;

	for (int b = 0; b < MINWISE_BINS; b++)
		most = bins[b] > most ? bins[b] : most;
	return most;
}

/* Add at most RANKS_AT_ONCE hashes. */
static void
add_ranks_below(uint64_t *bins, const uint64_t *hashes, size_t n, uint64_t salt,
				uint64_t limit)
{
	uint64_t	mixed[RANKS_AT_ONCE];
	size_t		n_below = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t	y = mix64(hashes[i] ^ salt);

		mixed[n_below] = y;
		n_below += y << 6 < limit;
	}
	for (size_t i = 0; i < n_below; i++)
		keep_smallest(bins, mixed[i]);
}

void
core_add_to_bins_scalar(uint64_t *bins, const uint64_t *hashes, size_t n,
						uint64_t salt)
{
	while (n > 0)
	{
		size_t		part = n < RANKS_AT_ONCE ? n : RANKS_AT_ONCE;

		add_ranks_below(bins, hashes, part, salt,
						part < MINWISE_BINS ? MINWISE_EMPTY : largest(bins));
		hashes += part;
		n -= part;
	}
}

/* Bit b of the result is bit b ^ p of bits. */
static inline uint64_t
exclusive_or_places(uint64_t bits, unsigned int p)
{
	static const uint64_t lower[] = {
		UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
		UINT64_C(0x0F0F0F0F0F0F0F0F), UINT64_C(0x00FF00FF00FF00FF),
		UINT64_C(0x0000FFFF0000FFFF), UINT64_C(0x00000000FFFFFFFF)
	};

	for (int i = 0; i < 6; i++)
	{
		if ((p >> i & 1) != 0)
			bits = (bits & lower[i]) << (1 << i) | (bits >> (1 << i) & lower[i]);
	}
	return bits;
}

uint64_t
core_bits_of_bins_scalar(const uint64_t *bins)
{
	uint64_t	ranks[MINWISE_BINS];
	uint64_t	filled = 0;
	uint64_t	bits = 0;
	unsigned int p = 1;
	unsigned int b;

	for (b = 0; b < MINWISE_BINS; b++)
	{
		ranks[b] = bins[b];
		filled |= (uint64_t) (ranks[b] != MINWISE_EMPTY) << b;
	}

	/* the same p for all bins that are still empty */
	for (uint64_t empty = ~filled; empty != 0; p = next_place(p))
	{
		uint64_t	fill = empty & exclusive_or_places(filled, p);

		empty ^= fill;
		for (; fill != 0; fill &= fill - 1)
		{
			b = (unsigned int) lowest_bit(fill);
			ranks[b] = bins[b ^ p];
		}
	}
	for (b = 0; b < MINWISE_BINS; b++)
		bits |= (mix64(ranks[b] + b * MIX_FACTOR) & 1) << b;
	return bits;
}
