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

/* The number of set bits, without a special instruction. */
static inline int
hamming_weight(uint64_t x)
{
	x = x - ((x >> 1) & UINT64_C(0x5555555555555555));
	x = (x & UINT64_C(0x3333333333333333)) +
		((x >> 2) & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (int) ((x * UINT64_C(0x0101010101010101)) >> 56);
}

/* The distance of two fingerprints of "words" words. */
static inline int
hamming_between(const uint64_t *a, const uint64_t *b, int words)
{
	int			distance = 0;

	for (int w = 0; w < words; w++)
		distance += hamming_weight(a[w] ^ b[w]);
	return distance;
}

/*
 * Write to "hits" the indexes, ascending, of the fingerprints that are within
 * "radius" of q, and return their number.  "fps" has n fingerprints, one after
 * the other; each has "words" words.  n is at most 65536, and "hits" has room
 * for n.
 */
typedef int (*hamming_within_function) (const uint64_t *fps, int n,
										const uint64_t *q, int words,
										int radius, uint16_t *hits);

/* The fastest kernel that this machine can run, chosen at the first call. */
extern hamming_within_function hamming_within;

/* One kernel, for tests. */
typedef struct HammingKernel
{
	const char *name;
	hamming_within_function within;
	bool		(*supported) (void);
} HammingKernel;

/* All compiled kernels, the best first.  The last kernel runs everywhere. */
extern const HammingKernel hamming_kernels[];

/* Their number. */
extern const int hamming_nkernels;

#endif							/* HAMMING_H */
