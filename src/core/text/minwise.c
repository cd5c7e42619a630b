/*
 * The one-bit min-wise fingerprint; see minwise.h.
 */
#include "bits.h"
#include "minwise.h"
#include "mix.h"
#include "token_kernels.h"

#define RANKS_AT_ONCE 512		/* hashes between two looks at the largest
								 * rank */

void
simhash_minwise_init(MinWise *min)
{
	int			b;

	for (b = 0; b < MINWISE_BINS; b++)
		min->bins[b] = MINWISE_EMPTY;
}

/* The limit for a rank, times 64: larger ranks change no bin */
static uint64_t
largest(const MinWise *min)
{
	uint64_t	most = 0;
	int			b;

	for (b = 0; b < MINWISE_BINS; b++)
		most = min->bins[b] > most ? min->bins[b] : most;
	return most;
}

void
simhash_minwise_add(MinWise *min, const uint64_t *hashes, size_t n)
{
	const TokenKernel *kernel = simhash_token_kernel();

	while (n > 0)
	{
		uint64_t	mixed[RANKS_AT_ONCE];
		size_t		part = n < RANKS_AT_ONCE ? n : RANKS_AT_ONCE;
		uint64_t	below = part < MINWISE_BINS ? MINWISE_EMPTY : largest(min);
		size_t		n_below = kernel->ranks(hashes, part, below, mixed);
		size_t		i;

		for (i = 0; i < n_below; i++)
		{
			uint64_t   *bin = &min->bins[mixed[i] >> 58];
			uint64_t	rank = mixed[i] << 6;

			/* always store, because a branch would be hard to predict */
			*bin = rank < *bin ? rank : *bin;
		}
		hashes += part;
		n -= part;
	}
}

void
simhash_minwise_combine(MinWise *min, const MinWise *other)
{
	int			b;

	for (b = 0; b < MINWISE_BINS; b++)
	{
		if (other->bins[b] < min->bins[b])
			min->bins[b] = other->bins[b];
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
	int			i;

	for (i = 0; i < 6; i++)
	{
		if ((p >> i & 1) != 0)
			bits = (bits & lower[i]) << (1 << i) | (bits >> (1 << i) & lower[i]);
	}
	return bits;
}

bool
simhash_minwise_result(const MinWise *min, uint64_t *fingerprint)
{
	uint64_t	ranks[MINWISE_BINS];
	uint64_t	filled = 0;
	uint64_t	empty;
	uint64_t	bits = 0;
	unsigned int p = 1;
	unsigned int b;

	for (b = 0; b < MINWISE_BINS; b++)
	{
		ranks[b] = min->bins[b];
		filled |= (uint64_t) (ranks[b] != MINWISE_EMPTY) << b;
	}
	if (filled == 0)
		return false;

	/* the same p for all bins that are still empty */
	for (empty = ~filled; empty != 0; p = p << 1 ^ (p >> 5) * 0x43)
	{
		uint64_t	fill = empty & exclusive_or_places(filled, p);

		empty ^= fill;
		for (; fill != 0; fill &= fill - 1)
		{
			b = (unsigned int) lowest_bit(fill);
			ranks[b] = min->bins[b ^ p];
		}
	}
	for (b = 0; b < MINWISE_BINS; b++)
		bits |= (mix64(ranks[b] + b * MIX_FACTOR) & 1) << b;
	*fingerprint = bits;
	return true;
}
