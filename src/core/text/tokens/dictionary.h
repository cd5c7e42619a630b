/*-------------------------------------------------------------------------
 *
 * dictionary.h
 *		Words by dictionary, for scripts written without spaces: the word boundaries of ICU's
 *		break iterator, which has dictionaries of Chinese, Japanese, Thai, Lao, Khmer and
 *		Burmese. The boundaries depend on the version of ICU.
 *
 * ICU reads at most 16 kB of a text at a time.  The boundaries do not depend
 * on that limit unless a stretch is longer.  A stretch contains no white space
 * or control character of ASCII, no ideographic space, comma or full stop, and
 * no "!" or "?", wide or not.  ICU reads 16 kB of a longer stretch, and then
 * continues at the beginning of the last word.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DICTIONARY_H
#define SIMHASH_DICTIONARY_H

#include <stdbool.h>

#include "../../env.h"

/* Was this library built with ICU?  If not, the functions below fail. */
extern bool core_dictionary_exists(void);

/*
 * Begin with a text.  The process has one iterator, so a new text ends the previous
 * one.
 */
extern void core_dictionary_start(const char *utf8, size_t len,
								  const Env *env);

/*
 * Return the next boundary, in bytes from the beginning of the text, up to its
 * length.  The function may leave the text by a jump, if env does.
 */
extern size_t core_dictionary_next(const Env *env);

#endif
