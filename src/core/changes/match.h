/*-------------------------------------------------------------------------
 *
 * match.h
 *		Matching the words of one text with those of another, in the same order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_MATCH_H
#define SIMHASH_MATCH_H

#include "../text/tokens/words.h"

#define NO_MATCH SIZE_MAX

/*
 * Match the words of a with those of b.  For each word of a, store the number of the word of b that
 * it is matched with, or NO_MATCH.  Matched words are equal, and their numbers ascend in both
 * texts.
 *
 * The result depends only on the words, and is the same if the texts are exchanged.  The time is
 * near-linear in their number, whatever the words are.
 */
extern void core_match_words(const WordList *a, const WordList *b, const Env *env,
							 size_t *matches);

#endif
