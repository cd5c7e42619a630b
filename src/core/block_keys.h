/*-------------------------------------------------------------------------
 *
 * block_keys.h
 *		The keys of a fingerprint.  Two fingerprints within the distance have at
 *		least one key in common.
 *
 * The bits are cut into distance + 1 blocks of nearly equal width.  Each differing
 * bit changes one block, so at least one block is equal (the pigeonhole principle).
 * A key is a block's value with the block's number in the bits above, so an
 * equi-join never compares different blocks.
 *
 * A value with more bits than a key has room for is folded.  Equal values remain
 * equal.  Different values may become equal, so a join by keys must also check the
 * distance.
 *
 * Keys are stored in tables.  They must never change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_BLOCK_KEYS_H
#define SIMHASH_BLOCK_KEYS_H

#include <stdint.h>

#define MOST_BLOCK_KEYS	UINT16_MAX

/* The number of keys of nbits bits for a distance, which can be any integer. */
static inline int64_t
block_key_count(int32_t nbits, int32_t distance)
{
	int32_t		within = distance < nbits ? distance : nbits;

	return (int64_t) (within < -1 ? -1 : within) + 1;
}

/*
 * Store the n keys of a fingerprint, n <= MOST_BLOCK_KEYS.  Its first bit is the most
 * significant bit of the first byte.
 */
extern void block_keys(const uint8_t *bits, int32_t nbits, int n, int64_t *keys);

#endif
