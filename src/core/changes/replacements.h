/*-------------------------------------------------------------------------
 *
 * replacements.h
 *		The replacements among the changes of two texts.
 *
 * Matched words (see match.h) divide both texts.  A change is a stretch without matched words, in
 * one text or in both, between two matched words.  It is a replacement if it has words in both.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_REPLACEMENTS_H
#define SIMHASH_REPLACEMENTS_H

#include "first_change.h"

typedef struct Replacements
{
	size_t		n_matched;		/* words of each text */
	size_t		n_changes;
	size_t		n_replaced;		/* changes that are replacements */
	uint32_t	most_equal;		/* how often is one word replaced by the same other one? */
} Replacements;

/*
 * Count the changes of two texts, unless "numbers" is true without those of digits only.  "most_equal"
 * looks at replacements of at most 4 words by as many, word by word, and not at numbers.  The time is
 * near-linear.
 */
extern void core_count_replacements(const ReadText *a, const ReadText *b, bool numbers,
									const Env *env, Replacements *result);

#endif
