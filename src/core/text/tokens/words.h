/*-------------------------------------------------------------------------
 *
 * words.h
 *		The words of a text in their order, as hashes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_WORDS_H
#define SIMHASH_WORDS_H

#include "../../env.h"
#include "../text_options.h"

typedef struct WordList
{
	uint64_t   *words;
	size_t		n;
} WordList;

/*
 * Read all words, which are the tokens of core_tokens_next with the same options.
 * The caller releases list->words, which is never NULL.
 */
extern void core_read_words(const char *utf8, size_t len,
							const TextOptions *options, const Env *env,
							WordList *list);

/* Have two texts the same words in the same order? */
extern bool core_same_words(const WordList *a, const WordList *b);

#endif
