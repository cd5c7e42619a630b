/*-------------------------------------------------------------------------
 *
 * unicode.h
 *		Looking up code points in the tables.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_UNICODE_H
#define SIMHASH_UNICODE_H

#include "unicode_tables.h"

/*
 * The entry of cp in the tables of a form.  unicode_tables.h describes the value: a
 * kind in bits 0-2, and in the other bits a value that depends on the kind.
 */
static inline uint32_t
unicode_value(uint32_t form, uint32_t cp)
{
	uint32_t	block = cp >> UNICODE_BLOCK_BITS;

	if (cp >= 0x10000)
	{
		uint32_t	per_chunk = 1 << (UNICODE_CHUNK_BITS - UNICODE_BLOCK_BITS);
		uint32_t	n_chunks = 0x100000 >> UNICODE_CHUNK_BITS;

		block = unicode_top[form * n_chunks +
							((cp - 0x10000) >> UNICODE_CHUNK_BITS)] +
			(block & (per_chunk - 1));
	}
	else
		block += form * (0x10000 >> UNICODE_BLOCK_BITS);
	return unicode_values[((uint32_t) unicode_middle[block] << UNICODE_BLOCK_BITS) +
						  (cp & ((1 << UNICODE_BLOCK_BITS) - 1))];
}

#endif
