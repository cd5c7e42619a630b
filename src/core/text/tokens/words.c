/*-------------------------------------------------------------------------
 *
 * words.c
 *		The words of a text; see words.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "tokens.h"
#include "words.h"

void
core_read_words(const char *utf8, size_t len, const TextOptions *options,
				const Env *env, WordList *list)
{
	Tokenizer	tok;
	size_t		room = len / 5 + 2 * TOKEN_BATCH;
	size_t		n;

	list->n = 0;
	list->words = env_alloc(env, room * sizeof(*list->words));
	core_tokens_init(&tok, utf8, len, options, NULL, env);
	while (core_tokens_next(&tok, list->words + list->n, &n))
	{
		list->n += n;
		if (room - list->n < TOKEN_BATCH)
		{
			room += room / 2;
			list->words = env_resize(env, list->words,
									 room * sizeof(*list->words));
		}
	}
}

bool
core_same_words(const WordList *a, const WordList *b)
{
	return a->n == b->n && memcmp(a->words, b->words, a->n * sizeof(*a->words)) == 0;
}
