/*-------------------------------------------------------------------------
 *
 * same_title.h
 *		Do two titles name the same document?
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SAME_TITLE_H
#define SIMHASH_SAME_TITLE_H

#include "../text/text_env.h"

/*
 * Do two titles of n_a and n_b distinct words have enough words in common?  They need .6 of all
 * their words, or .75 if each has a word that the other one lacks, because a short title in which a
 * word is replaced is another title.
 */
static inline bool
enough_title_words(size_t shared, size_t n_a, size_t n_b)
{
	size_t		all = n_a + n_b - shared;

	return shared < n_a && shared < n_b ? 4 * shared >= 3 * all : 10 * shared >= 6 * all;
}

/*
 * Do two titles share enough of their words?  Words are those of TEXT_OPTIONS_DEFAULT,
 * each counted once.  Two titles without words are the same.
 */
extern bool simhash_same_title(const char *a, size_t a_len, const char *b, size_t b_len,
							   const TextEnv *env);

#endif
