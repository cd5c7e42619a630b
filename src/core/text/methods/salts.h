/*-------------------------------------------------------------------------
 *
 * salts.h
 *		The hashes of each 64-bit word of a wide fingerprint, made with a salt.
 *
 * Word 0 is the fingerprint of 64 bits.  Every other word is a fingerprint of 64
 * bits of the same features with other hashes.  So the first words of a fingerprint
 * are the narrower fingerprint.
 *
 * 		min-wise: word r is that of the hashes h ^ word_salt(r)
 * 		vote: word r > 0 is that of the hashes mix64(h ^ word_salt(r))
 *
 * The min-wise fingerprint mixes all hashes itself.  The salt is combined by
 * exclusive or: with h + r * MIX_FACTOR, features that are multiples of MIX_FACTOR
 * would make the words shifts of each other.
 *
 * The salts decide the value of fingerprints, and fingerprints are stored: never
 * change them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SALTS_H
#define SIMHASH_SALTS_H

#include "../../widths.h"
#include "../mix.h"

/* 0 for word 0 */
static inline uint64_t
word_salt(int word)
{
	return mix64((uint64_t) word * MIX_FACTOR);
}

/* The hash that votes on a word. */
static inline uint64_t
word_vote(int word, uint64_t hash)
{
	return word == 0 ? hash : mix64(hash ^ word_salt(word));
}

#endif
