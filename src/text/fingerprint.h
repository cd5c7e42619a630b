/*
 * The fingerprints of a text: Charikar's simhash, and the one-bit min-wise
 * fingerprint, of its distinct words and pairs of adjacent words.
 *
 * Fingerprints are stored in tables and indexes: they must never change, with no
 * machine, compiler or release.
 */
#ifndef SIMHASH_FINGERPRINT_H
#define SIMHASH_FINGERPRINT_H

#include <stdbool.h>

#include "text_env.h"

/*
 * Store the fingerprint of len bytes of UTF-8; false if the text has no token.
 * Bytes that are not UTF-8 count as separators.  Takes time linear in len, and
 * memory, all of it from env, proportional to the number of distinct features.
 */
extern bool simhash_text(const char *utf8, size_t len, const TextEnv *env,
						 uint64_t *fingerprint);

/* The same for the min-wise fingerprint, which takes no memory. */
extern bool simhash_minwise_text(const char *utf8, size_t len,
								 const TextEnv *env, uint64_t *fingerprint);

#endif
