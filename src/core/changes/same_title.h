/*-------------------------------------------------------------------------
 *
 * same_title.h
 *		Do two titles name the same document?
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SAME_TITLE_H
#define SIMHASH_SAME_TITLE_H

#include "../env.h"

/*
 * Can two titles of n_a and n_b distinct words agree if they share this number of them?  If one has all
 * words of the other one, they need .6 of all words.  Otherwise a word is replaced, and it must be a
 * single one, which may be a typo.
 */
static inline bool
enough_title_words(size_t shared, size_t n_a, size_t n_b)
{
	if (shared < n_a && shared < n_b)
		return n_a - shared == 1 && n_b - shared == 1;
	return 10 * shared >= 6 * (n_a + n_b - shared);
}

/*
 * Do two titles name the same document?  Words may be added or left out if enough are shared, but
 * none may be replaced, except by a typo of it (typo.h).  Words in parentheses at the end, other than
 * numbers, name another document: "Ferries (timetable)".  Words are those of TEXT_OPTIONS_DEFAULT, each
 * counted once.  Two titles without words are the same.
 */
extern bool core_same_title(const char *a, size_t a_len, const char *b, size_t b_len,
							const Env *env);

#endif
