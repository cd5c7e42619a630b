/*-------------------------------------------------------------------------
 *
 * lanes_avx512.h
 *		Loops over 8 numbers of 64 bits at a time, in registers of AVX-512.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_LANES_AVX512_H
#define SIMHASH_LANES_AVX512_H

#include <stddef.h>

#include "../cpu.h"
#include "mix.h"

#ifdef SIMHASH_X86
#include <immintrin.h>

/*
 * The lanes of the next 8 elements, or of the remaining elements if there are
 * fewer.
 */
#define LANES_LEFT(n) ((__mmask8) ((n) < 8 ? (1u << (n)) - 1 : 0xFF))

#define ALL_LANES(x) _mm512_set1_epi64((long long) (x))

CPU_AVX512 static inline __m512i
xor_shifted(__m512i x, __m512i y, unsigned int bits)
{
	return _mm512_xor_si512(x, _mm512_srli_epi64(y, bits));
}

CPU_AVX512 static inline __m512i
mix64_avx512(__m512i x)
{
	x = _mm512_mullo_epi64(xor_shifted(x, x, 30), ALL_LANES(MIX_MULTIPLIER_1));
	x = _mm512_mullo_epi64(xor_shifted(x, x, 27), ALL_LANES(MIX_MULTIPLIER_2));
	return xor_shifted(x, x, 31);
}

#endif							/* SIMHASH_X86 */

#endif
