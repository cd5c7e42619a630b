/*-------------------------------------------------------------------------
 *
 * block_keys.c
 *		The keys of a fingerprint; see block_keys.h.
 *
 *-------------------------------------------------------------------------
 */
#include "block_keys.h"

/*
 * The largest number of bits of a value.  If there are several blocks, their numbers take
 * the other 16 bits of a key.
 */
#define MAX_VALUE_BITS(nblocks)	((nblocks) == 1 ? 64 : 48)

/* The number in n bits of a bit string, from bit number "begin" on; n is at most 64. */
static uint64_t
read_bits(const uint8_t *bits, int64_t begin, int n)
{
	uint64_t	result = 0;

	while (n > 0)
	{
		int			left = 8 - (int) (begin % 8);
		int			taken = left < n ? left : n;

		result = result << taken |
			(bits[begin / 8] >> (left - taken) & ((1u << taken) - 1));
		begin += taken;
		n -= taken;
	}
	return result;
}

/*
 * The number in the bits from begin to before end, folded to "digit" bits: the XOR of its
 * digits of "digit" bits.
 */
static uint64_t
folded_value(const uint8_t *bits, int64_t begin, int64_t end, int digit)
{
	uint64_t	result = 0;

	while (begin < end)
	{
		int			n = end - begin < digit ? (int) (end - begin) : digit;

		result ^= read_bits(bits, end - n, n);
		end -= n;
	}
	return result;
}

void
block_keys(const uint8_t *bits, int32_t nbits, int n, int64_t *keys)
{
	int64_t		width;			/* of the widest value */

	if (n == 0)
		return;
	width = ((int64_t) nbits + n - 1) / n;
	if (width > MAX_VALUE_BITS(n))
		width = MAX_VALUE_BITS(n);
	for (int64_t i = 0; i < n; i++)
	{
		uint64_t	value = folded_value(bits, i * nbits / n, (i + 1) * nbits / n,
										 (int) width);

		/* the number of the only block is 0 */
		keys[i] = (int64_t) (n == 1 ? value : (uint64_t) i << width | value);
	}
}
