/*
 * Words by dictionary, for scripts written without spaces: the word
 * boundaries of ICU's break iterator, which has dictionaries of Chinese,
 * Japanese, Thai, Lao, Khmer and Burmese.  The boundaries depend on the
 * version of ICU.
 *
 * ICU reads at most 16 kB of a text at a time.  Its words are those of the
 * whole text unless a stretch is longer.  A stretch contains no white space
 * or control character of ASCII, no ideographic space, comma or full stop,
 * and no "!" or "?", wide or not.  In a longer stretch ICU reads 16 kB, and
 * then again from the beginning of the last word.
 */
#ifndef SIMHASH_DICTIONARY_H
#define SIMHASH_DICTIONARY_H

#include <stdbool.h>

#include "text_env.h"

/* Was this library built with ICU?  If not, the functions below fail. */
extern bool simhash_dictionary_exists(void);

/*
 * Begin with a text.  There is one iterator in the process: a text that is begun
 * ends the one before.
 */
extern void simhash_dictionary_start(const char *utf8, size_t len,
									 const TextEnv *env);

/*
 * The next boundary, in bytes from the beginning of the text, up to its length.  May
 * jump out of the text as env does.
 */
extern size_t simhash_dictionary_next(const TextEnv *env);

#endif
