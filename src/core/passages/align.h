/*-------------------------------------------------------------------------
 *
 * align.h
 *		Alignment: the passages that two texts have in common, and where.
 *
 * A run is a stretch of equal adjacent words.  A passage is a chain of runs in the
 * same order in both texts, with at most "gap" other words between two runs in
 * either text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ALIGN_H
#define SIMHASH_ALIGN_H

#include "../text/tokens/words.h"

#define MOST_GAP_WORDS 1000

typedef struct Passage
{
	/* words, from 0 on; the ends are behind the last words */
	size_t		a_start;
	size_t		a_end;
	size_t		b_start;
	size_t		b_end;
	size_t		words;			/* equal words */
} Passage;

/*
 * Store the passages of at least least_words equal words in *passages, the longest
 * first, and return their number.  A passage is left out if longer passages cover it
 * in both texts, except for fewer than least_words words.  The caller releases
 * *passages, which is never NULL.
 *
 * Time and memory are linear in the number of words, whatever the texts are.  In a
 * text that repeats itself the function follows a limited number of runs at a time, so
 * it may miss repetitions of a passage.
 */
extern size_t core_align(const WordList *a, const WordList *b,
						 size_t least_words, size_t gap, const Env *env,
						 Passage **passages);

#endif
