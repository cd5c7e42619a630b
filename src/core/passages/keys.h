/*-------------------------------------------------------------------------
 *
 * keys.h
 *		Keys of passages: two texts with "words" adjacent words in common have a key in
 *		common.
 *
 * The keys are chosen by winnowing (Schleimer, Wilkerson, Aiken: Winnowing: local
 * algorithms for document fingerprinting, SIGMOD 2003).  A gram is the feature of n
 * adjacent words (see text_features.h), as an unsigned number.  A window is w =
 * words - n + 1 adjacent grams.  The smallest gram of each window is a key.  If the
 * text has fewer than w grams, the smallest of all is a key.
 *
 * Keys are stored in tables and indexes.  They must never change, on any machine,
 * with any compiler or in any release.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PASSAGE_KEYS_H
#define SIMHASH_PASSAGE_KEYS_H

#include "../env.h"
#include "../text/text_options.h"

#define MOST_PASSAGE_WORDS 10000

/*
 * Store the distinct keys of len bytes of UTF-8, in ascending order, in *keys, and
 * return their number.  The caller releases *keys, which comes from env and is never
 * NULL.  options->shingle is n, and "words" is at least n and at most
 * MOST_PASSAGE_WORDS.  The time is linear in len.
 */
extern size_t core_choose_keys(const char *utf8, size_t len,
							   const TextOptions *options, int words,
							   const Env *env, int64_t **keys);

#endif
