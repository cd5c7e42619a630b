/*-------------------------------------------------------------------------
 *
 * mix.h
 *		A fixed one-to-one mix of 64 bits with full avalanche: the finaliser of SplitMix64
 *		(variant 13 of Stafford's mixers for MurmurHash3).
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_MIX_H
#define SIMHASH_MIX_H

#include <stdint.h>

/* 2^64 divided by the golden ratio, odd */
#define MIX_FACTOR UINT64_C(0x9E3779B97F4A7C15)

#define MIX_MULTIPLIER_1 UINT64_C(0xBF58476D1CE4E5B9)
#define MIX_MULTIPLIER_2 UINT64_C(0x94D049BB133111EB)

static inline uint64_t
mix64(uint64_t x)
{
	x = (x ^ x >> 30) * MIX_MULTIPLIER_1;
	x = (x ^ x >> 27) * MIX_MULTIPLIER_2;
	return x ^ x >> 31;
}

#endif
