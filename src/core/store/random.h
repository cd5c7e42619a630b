/*-------------------------------------------------------------------------
 *
 * random.h
 *		Random numbers for samples.  They are the same in every run.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_RANDOM_H
#define SIMHASH_RANDOM_H

#include <stdint.h>

/*
 * A random number below n, which is from 1 to 2^32.  The caller sets the state to any number
 * before the first call.  The generator is the linear congruential one of Knuth's MMIX.
 */
static inline uint64_t
random_below(uint64_t *state, uint64_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 32) * n >> 32;
}

#endif							/* SIMHASH_RANDOM_H */
