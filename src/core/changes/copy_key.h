/*-------------------------------------------------------------------------
 *
 * copy_key.h
 *		Keys of copies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COPY_KEY_H
#define SIMHASH_COPY_KEY_H

#include "../env.h"
#include "../text/tokens/words.h"
#include "visible_characters.h"

#define COPY_KEY_BYTES 16

/*
 * Store the key of a text, or return false if it has no visible characters.  Texts that are copies
 * when case is folded (see copy.h) have the same key.  Other texts have different keys, unless their
 * hashes of 128 bits collide.
 *
 * The key is XXH3's hash of 128 bits (seed 0, canonical form) of these bytes: for each character
 * other than white space its full case folding in UTF-8, before it the byte 0xF8 plus the number
 * of its code points if that is not 1, and a space for white space that counts (white_space.h);
 * then the byte 0xFF; then the hashes of the words of TEXT_OPTIONS_DEFAULT, in little endian.
 */
extern bool core_copy_key(const char *utf8, size_t len, const Env *env, uint8_t *key);

/*
 * Return a hash of what the key is a hash of, for a text with its words.  Copies have the same
 * hash.  Other texts have different ones, unless these collide.  The hash depends on the secret of
 * the environment, so nobody can craft texts whose hashes collide.
 */
extern uint64_t core_copy_hash(const Bytes *t, const WordList *words);

#endif
