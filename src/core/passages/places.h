/*
 * Places of words: from which byte to which byte of the original text a word reaches,
 * whatever normalisation does to the word.
 */
#ifndef SIMHASH_PLACES_H
#define SIMHASH_PLACES_H

#include "../text/text_env.h"
#include "../text/text_options.h"

typedef struct WordPlace
{
	size_t		word;			/* number of the word in the text, from 0 on */
	size_t		start;			/* of its first code point, in bytes */
	size_t		end;			/* of its last code point */
} WordPlace;

/*
 * Fill in the places of n words.  Their numbers are in ascending order, and some may
 * be equal.  The words are those of simhash_tokens_next with the same options, whose
 * tokens are TOKENS_WORDS.  If a code point gives several words, they have the same
 * place.  Neither starts nor ends decrease from word to word.
 */
extern void simhash_word_places(const char *utf8, size_t len,
								const TextOptions *options, const TextEnv *env,
								WordPlace *places, size_t n);

#endif
