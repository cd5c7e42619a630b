/*-------------------------------------------------------------------------
 *
 * token_hash.h
 *		The hash of a token: XXH3, 64 bits, seed 0, of its UTF-8 bytes.
 *
 * xxHash's header does the work, compiled into this library.  The functions
 * for short tokens below implement the same algorithm on bytes that are
 * already in registers.  They do not branch on the length, because the length
 * of words in running text is unpredictable.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TOKEN_HASH_H
#define SIMHASH_TOKEN_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../bytes.h"
#include "../mix.h"

/* From XXH3's default secret: bytes 0-3 ^ 4-7, 8-15 ^ 16-23, and so on */
#define TOKEN_HASH_FLIP_1TO3 UINT64_C(0x87275a9b)
#define TOKEN_HASH_FLIP_4TO8 UINT64_C(0xc73ab174c5ecd5a2)
#define TOKEN_HASH_FLIP_LOW UINT64_C(0x6782737bea4239b9)
#define TOKEN_HASH_FLIP_HIGH UINT64_C(0xaf56bc3b0996523a)

#define TOKEN_HASH_PRIME_1TO3_1 UINT64_C(0xC2B2AE3D27D4EB4F)
#define TOKEN_HASH_PRIME_1TO3_2 UINT64_C(0x165667B19E3779F9)
#define TOKEN_HASH_PRIME_4TO8 UINT64_C(0x9FB21C651E98DF25)

/* combined is laid out as in XXH3_len_1to3_64b. */
static inline uint64_t
token_hash_combined(uint64_t combined)
{
	uint64_t	h = combined ^ TOKEN_HASH_FLIP_1TO3;

	h ^= h >> 33;
	h *= TOKEN_HASH_PRIME_1TO3_1;
	h ^= h >> 29;
	h *= TOKEN_HASH_PRIME_1TO3_2;
	return h ^ h >> 32;
}

/* The low 3 bytes of combined encode the token; the rest is 0. */
static inline uint64_t
token_hash_3(uint64_t bytes)
{
	return token_hash_combined((bytes & 0xFF) << 16 | (bytes >> 8 & 0xFF) << 24 |
							   bytes >> 16 | 3 << 8);
}

/*
 * The low bytes of "bytes" are the token of 1 to 8 bytes, the first byte lowest.
 * The rest is 0.
 */
static inline uint64_t
token_hash_1to8(uint64_t bytes, unsigned int length)
{
	uint64_t	first = bytes & 0xFF;
	uint64_t	middle = bytes >> 8 * (length / 2) & 0xFF;
	uint64_t	last = bytes >> 8 * (length - 1);
	uint64_t	h3 = token_hash_combined(first << 16 | middle << 24 | last |
										 length << 8);
	uint64_t	last4 = bytes >> ((8 * length - 32) & 63) & 0xFFFFFFFF;
	uint64_t	h8 = ((bytes << 32) + last4) ^ TOKEN_HASH_FLIP_4TO8;
	uint64_t	is_long;

	h8 ^= (h8 << 49 | h8 >> 15) ^ (h8 << 24 | h8 >> 40);
	h8 *= TOKEN_HASH_PRIME_4TO8;
	h8 ^= (h8 >> 35) + length;
	h8 *= TOKEN_HASH_PRIME_4TO8;
	h8 ^= h8 >> 28;

	is_long = (uint64_t) 0 - (length > 3);
	return (h3 & ~is_long) | (h8 & is_long);
}

/* low has the first 8 of the 9 to 16 bytes, high has the last 8. */
static inline uint64_t
token_hash_9to16(uint64_t low, uint64_t high, unsigned int length)
{
	uint64_t	h;

	low ^= TOKEN_HASH_FLIP_LOW;
	high ^= TOKEN_HASH_FLIP_HIGH;
	h = length + XXH_swap64(low) + high + XXH3_mul128_fold64(low, high);
	h ^= h >> 37;
	h *= UINT64_C(0x165667919E3779F9);
	return h ^ h >> 32;
}

/*
 * A token of any length except 0.  8 bytes are readable at p even if the token
 * is shorter.
 */
static inline uint64_t
token_hash(const uint8_t *p, size_t length)
{
	if (length <= 8)
		return token_hash_1to8(load_le64(p) & ~UINT64_C(0) >> (64 - 8 * length),
							   (unsigned int) length);
	if (length <= 16)
		return token_hash_9to16(load_le64(p), load_le64(p + length - 8),
								(unsigned int) length);
	return XXH3_64bits(p, length);
}

/*
 * The feature of two tokens in this order: a linear combination, which depends on
 * the order, and a mix with full avalanche.  For more tokens the combination has
 * more powers of the factor.  The feature of one token is the token's hash.
 */
static inline uint64_t
feature_pair(uint64_t first, uint64_t second)
{
	return mix64(first * MIX_FACTOR + second);
}

#endif
