/*-------------------------------------------------------------------------
 *
 * fingerprint.h
 *		The fingerprints of a text: Charikar's simhash, and the one-bit min-wise fingerprint,
 *		of its features.
 *
 * Fingerprints are stored in tables and indexes.  They must never change, on
 * any machine, with any compiler or in any release.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FINGERPRINT_H
#define SIMHASH_FINGERPRINT_H

#include <stdbool.h>

#include "../../env.h"
#include "../text_options.h"
#include "weighted_votes.h"

/*
 * Store the fingerprint of len bytes of UTF-8, as "words" words of 64 bits (see
 * salts.h).  Return false if the text has no token.  Bytes that are not UTF-8
 * count as separators.  The time is linear in len.  All memory comes from env,
 * and is proportional to the number of distinct features.
 */
extern bool core_of_text(const char *utf8, size_t len,
						 const TextOptions *options, const Env *env,
						 int words, uint64_t *fingerprint);

/*
 * The same for the min-wise fingerprint, which has no weights, and needs memory
 * only for features that are counted (see feature_reader.h).
 */
extern bool core_minwise_text(const char *utf8, size_t len,
							  const TextOptions *options, const Env *env,
							  int words, uint64_t *fingerprint);

/* Let the features of a text vote in the words' tallies that were just made. */
extern void core_tally_text(Tally *tallies, int words, const char *utf8,
							size_t len, const TextOptions *options,
							const Env *env);

/*
 * The Jaccard resemblance of two texts' sets of features.  Return false if both
 * sets are empty.
 */
extern bool core_resemblance_text(const char *a, size_t a_len,
								  const char *b, size_t b_len,
								  const TextOptions *options,
								  const Env *env, double *resemblance);

#endif
