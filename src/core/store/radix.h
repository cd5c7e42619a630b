/*-------------------------------------------------------------------------
 *
 * radix.h
 *		Sorting of fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_RADIX_H
#define SIMHASH_RADIX_H

#include <stdint.h>

#include "../env.h"

/*
 * Tables that turn a block of bits into a number.  The number has the bits of the block in their
 * order, without gaps.
 */
typedef struct BlockKey
{
	int			nbytes;			/* bytes of a word that have bits of the block */
	int			shifts[8];		/* the places of these bytes */
	uint32_t	bits[8][256];	/* of the number, for each value of a byte */
} BlockKey;

/* Make the tables for the block with these bits. */
extern void core_block_key_init(BlockKey *key, uint64_t mask);

static inline uint32_t
core_block_value(const BlockKey *key, uint64_t fp)
{
	uint32_t	value = 0;

	for (int i = 0; i < key->nbytes; i++)
		value |= key->bits[i][fp >> key->shifts[i] & 0xff];
	return value;
}

/*
 * Copy fingerprints in the order of a block.  The rows are the numbers of the fingerprints
 * in "fps".  The fingerprints with value v are from starts[v] to before starts[v + 1].  So
 * "starts" has one element more than the block has values.
 */
extern void core_sort_by_block(const BlockKey *key, int block_bits,
							   const uint64_t *fps, size_t n,
							   uint64_t *sorted_fps, uint32_t *sorted_rows,
							   uint32_t *starts, const Env *env);

/*
 * Sort fingerprints and their rows in place in the order of a block.  "starts" is as in
 * core_sort_by_block.  The fingerprints of one value are in no particular order.
 */
extern void core_sort_in_place_by_block(const BlockKey *key, int block_bits,
										uint64_t *fps, uint32_t *rows,
										size_t n, uint32_t *starts,
										const Env *env);

/* Sort fingerprints and their rows in ascending order.  Equal fingerprints keep their order. */
extern void core_sort_fps(uint64_t *fps, uint32_t *rows, size_t n,
						  const Env *env);

#endif							/* SIMHASH_RADIX_H */
