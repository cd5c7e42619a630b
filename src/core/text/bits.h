/*-------------------------------------------------------------------------
 *
 * bits.h
 *		Bits of a word.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_BITS_H
#define SIMHASH_TEXT_BITS_H

#include <stdint.h>

/* The number of the lowest set bit; bits must not be 0. */
static inline int
lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
	return __builtin_ctzll(bits);
#else
	int			n = 0;

	for (; (bits & 1) == 0; bits >>= 1)
		n++;
	return n;
#endif
}

/* The number of set bits. */
static inline int
count_bits(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (int) (bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
