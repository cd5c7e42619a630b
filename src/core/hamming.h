/*-------------------------------------------------------------------------
 *
 * hamming.h
 *		The Hamming distances of many fingerprints to one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HAMMING_H
#define HAMMING_H

#include <stdbool.h>
#include <stdint.h>

/* The number of set bits, where no instruction can be relied on */
static inline int
hamming_weight(uint64_t x)
{
	x = x - ((x >> 1) & UINT64_C(0x5555555555555555));
	x = (x & UINT64_C(0x3333333333333333)) +
		((x >> 2) & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (int) ((x * UINT64_C(0x0101010101010101)) >> 56);
}

/*
 * Writes to "hits" the indexes, ascending, of those of the n fingerprints in
 * "fingerprints" that are within "radius" of q, and returns their number.  A
 * fingerprint is "words" words, one after the other.  n is at most 65536, and
 * "hits" has room for n.
 */
typedef int (*hamming_within_function) (const uint64_t *fps, int n,
										const uint64_t *q, int words,
										int radius, uint16_t *hits);

/* The fastest that this machine can run, chosen at the first call */
extern hamming_within_function hamming_within;

/* One implementation, for tests */
typedef struct HammingKernel
{
	const char *name;
	hamming_within_function within;
	bool		(*supported) (void);
} HammingKernel;

/* All that were compiled, best first; the last runs everywhere. */
extern const HammingKernel hamming_kernels[];
extern const int hamming_nkernels;

#endif							/* HAMMING_H */
