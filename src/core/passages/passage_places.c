/*-------------------------------------------------------------------------
 *
 * passage_places.c
 *		Places of passages; see passage_places.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/features/sort_hashes.h"
#include "passage_places.h"

void
core_passage_places(const char *utf8, size_t len, const TextOptions *options,
					const Env *env, const Passage *passages, size_t n, bool in_a,
					PassagePlaces *places)
{
	WordPlace  *words = env_alloc(env, 2 * n * sizeof(WordPlace));
	uint64_t   *numbers = env_alloc(env, 2 * n * sizeof(uint64_t));

	for (size_t i = 0; i < n; i++)
	{
		const Passage *p = &passages[i];

		numbers[2 * i] = in_a ? p->a_start : p->b_start;
		numbers[2 * i + 1] = (in_a ? p->a_end : p->b_end) - 1;
	}
	core_sort_hashes(numbers, 2 * n, env);
	for (size_t i = 0; i < 2 * n; i++)
		words[i].word = numbers[i];
	env_free(env, numbers);
	core_word_places(utf8, len, options, env, words, 2 * n);
	places->words = words;
	places->n = 2 * n;
}

const WordPlace *
core_place_of_word(const PassagePlaces *places, size_t word)
{
	size_t		low = 0;
	size_t		high = places->n - 1;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (places->words[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	return &places->words[low];
}
