/*-------------------------------------------------------------------------
 *
 * typo.h
 *		Is a word a typo of another one?
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TYPO_H
#define SIMHASH_TYPO_H

#include "read_text.h"

#define MOST_TYPO_WORDS 30
#define MOST_TYPO_LETTERS 40

/*
 * Do two texts have the same words in the same order, except one, for which the other text has a
 * typo?  Unless "numbers" is true, words of digits alone are left out.  A typo of a word is within a distance of 1 of it, or of 2 if
 * both have 8 letters or more.  The distance is that of Damerau and Levenshtein: the number of
 * letters inserted, deleted, replaced or exchanged with their neighbor, each at most once.  Both
 * words have 4 to MOST_TYPO_LETTERS letters, the first one in common, and no digit: Cork and York are
 * two cities.  Texts of more than MOST_TYPO_WORDS words are not compared.
 */
extern bool core_differ_by_typo(const ReadText *a, const ReadText *b, bool numbers,
								const Env *env);

#endif
