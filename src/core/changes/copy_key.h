/*-------------------------------------------------------------------------
 *
 * copy_key.h
 *		Keys of copies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COPY_KEY_H
#define SIMHASH_COPY_KEY_H

#include "../text/text_env.h"
#include "../text/words.h"
#include "visible_characters.h"

#define COPY_KEY_BYTES 16

/*
 * Store the key of a text.  Texts that are copies when case is folded (see copy.h) have the same
 * key.  Other texts have different keys, unless their hashes of 128 bits collide.
 *
 * The key is XXH3's hash of 128 bits (seed 0, canonical form) of these bytes: for each character
 * other than white space its full case folding in UTF-8, before it the byte 0xF8 plus the number
 * of its code points if that is not 1, and a space for white space in a number (see numerals.h);
 * then the byte 0xFF; then the hashes of the words of TEXT_OPTIONS_DEFAULT, in little endian.
 */
extern void simhash_copy_key(const char *utf8, size_t len, const TextEnv *env, uint8_t *key);

/*
 * Return a hash of all characters other than white space, with case folded.  Copies have the same
 * hash.  Texts that are not copies may have the same hash too.  It takes less time than the key.
 */
extern uint64_t simhash_copy_group(const char *utf8, size_t len, const TextEnv *env);

#endif
