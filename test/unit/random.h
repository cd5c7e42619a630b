/*
 * Random numbers for tests, equal in every run: SplitMix64.
 */
#ifndef SIMHASH_TEST_RANDOM_H
#define SIMHASH_TEST_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 20230101;

static inline uint64_t
random64(void)
{
	uint64_t	x = random_state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

#endif
