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
	bool		repeated;		/* is a word replaced by another twice? */
} Replacements;

/*
 * Count the changes of two texts, unless "numbers" is true without those of digits only.
 * "repeated" looks at replacements of at most 4 words by as many,
 * word by word, and not at numbers.  The time is near-linear.
 */
extern void core_count_replacements(const ReadText *a, const ReadText *b, bool numbers,
									const Env *env, Replacements *result);

#endif
