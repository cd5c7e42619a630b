/*-------------------------------------------------------------------------
 *
 * rotation.h
 *		Fingerprints as the access method sees them: a number of blocks of 16
 *		bits, which it can rotate and compare.
 *
 * Only this file knows the width of a fingerprint.  All other code uses
 * BB_WORDS and BB_BLOCKS and the functions below.
 *
 * Block 0 is the most significant block.  A fingerprint rotated by b blocks
 * has its block b in front.  The order of rotated fingerprints is that of the
 * unsigned number.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PRINT_H
#define BITBLOCK_PRINT_H

#include "core/hamming.h"
#include "simhash.h"

#define BB_WORDS				1
#define BB_BLOCKS				4
#define BB_BLOCK_BITS			16
#define BB_BLOCK_VALUES			(1 << BB_BLOCK_BITS)
#define BB_BITS					(BB_BLOCKS * BB_BLOCK_BITS)

typedef Simhash BBFingerprint;

#define DatumGetBBFingerprint(d)		DatumGetSimhash(d)
#define BBFingerprintGetDatum(p)		SimhashGetDatum(p)

/* The smallest in the order of fingerprints */
#define BB_LOWEST_FINGERPRINT			((BBFingerprint) 0)

static inline BBFingerprint
bb_rotate(BBFingerprint p, int blocks)
{
	int			bits = blocks * BB_BLOCK_BITS;

	return bits == 0 ? p : (p << bits) | (p >> (BB_BITS - bits));
}

/* The inverse of bb_rotate */
static inline BBFingerprint
bb_unrotate(BBFingerprint p, int blocks)
{
	return bb_rotate(p, (BB_BLOCKS - blocks) % BB_BLOCKS);
}

/* The block in front */
static inline int
bb_prefix(BBFingerprint p)
{
	return (int) (p >> (BB_BITS - BB_BLOCK_BITS));
}

/* The smallest fingerprint with that block in front */
static inline BBFingerprint
bb_from_prefix(int value)
{
	return (BBFingerprint) value << (BB_BITS - BB_BLOCK_BITS);
}

/* The largest fingerprint with that block in front */
static inline BBFingerprint
bb_last_of_prefix(int value)
{
	return bb_from_prefix(value) | ~bb_from_prefix(BB_BLOCK_VALUES - 1);
}

/* Block b */
static inline int
bb_block(BBFingerprint p, int b)
{
	return bb_prefix(bb_rotate(p, b));
}

static inline int
bb_distance(BBFingerprint a, BBFingerprint b)
{
	return hamming_distance(a, b);
}

/* The distance of a block of two fingerprints */
static inline int
bb_block_distance(BBFingerprint a, BBFingerprint b, int block)
{
	return pg_popcount32((uint32) bb_block(a ^ b, block));
}

/*
 * Writes to "hits" the indexes, ascending, of those of the n fingerprints that are
 * within radius of center, and returns their number.
 */
static inline int
bb_within(const BBFingerprint *fps, int n, BBFingerprint center, int radius,
		  uint16 *hits)
{
	return hamming_within((const uint64_t *) fps, n, (const uint64_t *) &center,
						  BB_WORDS, radius, hits);
}

/* How far a fingerprint is from low to high, 0 to less than 1 */
static inline double
bb_share(BBFingerprint p, BBFingerprint low, BBFingerprint high)
{
	if (p <= low)
		return 0;
	if (p >= high)
		return 1 - 1e-9;
	return (double) (p - low) / ((double) (high - low) + 1);
}

static inline int
bb_compare_fps(BBFingerprint a, BBFingerprint b)
{
	return (a > b) - (a < b);
}

#endif							/* BITBLOCK_PRINT_H */
