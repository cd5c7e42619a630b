/*-------------------------------------------------------------------------
 *
 * minwise.c
 *		The one-bit min-wise fingerprint; see minwise.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../kernels/token_kernels.h"
#include "minwise.h"
#include "salts.h"

/* 4 kB of hashes stay in the cache for all words. */
#define HASHES_AT_ONCE 512

void
core_minwise_init(MinWise *min, int words)
{
	for (int r = 0; r < words; r++)
	{
		for (int b = 0; b < MINWISE_BINS; b++)
			min[r].bins[b] = MINWISE_EMPTY;
	}
}

void
core_minwise_add(MinWise *min, int words, const uint64_t *hashes, size_t n)
{
	while (n > 0)
	{
		size_t		part = n < HASHES_AT_ONCE ? n : HASHES_AT_ONCE;

		for (int r = 0; r < words; r++)
			core_token_kernel()->add_to_bins(min[r].bins, hashes, part, word_salt(r));
		hashes += part;
		n -= part;
	}
}

void
core_minwise_combine(MinWise *min, const MinWise *other, int words)
{
	for (int r = 0; r < words; r++)
	{
		for (int b = 0; b < MINWISE_BINS; b++)
		{
			if (other[r].bins[b] < min[r].bins[b])
				min[r].bins[b] = other[r].bins[b];
		}
	}
}

bool
core_minwise_result(const MinWise *min, int words, uint64_t *fingerprint)
{
	int			b;

	/* a feature is in some bin of each word */
	for (b = 0; b < MINWISE_BINS; b++)
	{
		if (min->bins[b] != MINWISE_EMPTY)
			break;
	}
	if (b == MINWISE_BINS)
		return false;
	for (int r = 0; r < words; r++)
		fingerprint[r] = core_token_kernel()->bits_of_bins(min[r].bins);
	return true;
}
