/*
 * Bits of a word.
 */
#ifndef SIMHASH_TEXT_BITS_H
#define SIMHASH_TEXT_BITS_H

#include <stdint.h>

/* The number of the lowest set bit; bits must not be 0 */
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

#endif
