/*
 * The one-bit min-wise fingerprint; see minwise.h.
 */
#include "minwise.h"
#include "mix.h"

void
simhash_minwise_init(MinWise *min)
{
	int			b;

	for (b = 0; b < MINWISE_BINS; b++)
		min->bins[b] = MINWISE_EMPTY;
}

void
simhash_minwise_add(MinWise *min, const uint64_t *hashes, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		uint64_t	y = mix64(hashes[i]);
		uint64_t   *bin = &min->bins[y >> 58];

		y <<= 6;
		if (y < *bin)
			*bin = y;
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

bool
simhash_minwise_result(const MinWise *min, uint64_t *fingerprint)
{
	uint64_t	filled = 0;
	uint64_t	bits = 0;
	unsigned int b;

	for (b = 0; b < MINWISE_BINS; b++)
		filled |= (uint64_t) (min->bins[b] != MINWISE_EMPTY) << b;
	if (filled == 0)
		return false;
	for (b = 0; b < MINWISE_BINS; b++)
	{
		unsigned int from = b;
		unsigned int p = 1;

		for (; (filled >> from & 1) == 0; p = p << 1 ^ (p >> 5) * 0x43)
			from = b ^ p;
		bits |= (mix64(min->bins[from] + b * MIX_FACTOR) & 1) << b;
	}
	*fingerprint = bits;
	return true;
}
