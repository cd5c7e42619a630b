/*
 * Do two titles name the same document?
 */
#ifndef SIMHASH_SAME_TITLE_H
#define SIMHASH_SAME_TITLE_H

#include "../text/text_env.h"

/* The share of their distinct words that two titles of one document have in common, in tenths */
#define SAME_TITLE_TENTHS 6

/* Have two titles so many words in common?  Each may have some that the other one has not. */
static inline bool
enough_title_words(size_t shared, size_t n_a, size_t n_b)
{
	return 10 * shared >= SAME_TITLE_TENTHS * (n_a + n_b - shared);
}

/*
 * Do two titles share SAME_TITLE_TENTHS of their words?  Words are those of TEXT_OPTIONS_DEFAULT,
 * each counted once.  Two titles without words are the same.
 */
extern bool simhash_same_title(const char *a, size_t a_len, const char *b, size_t b_len,
							   const TextEnv *env);

#endif
