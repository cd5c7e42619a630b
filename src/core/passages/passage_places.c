/*-------------------------------------------------------------------------
 *
 * passage_places.c
 *		Places of passages; see passage_places.h.
 *
 *-------------------------------------------------------------------------
 */
#include "merge_sort.h"
#include "passage_places.h"

static void
merge_places(const void *sorted, size_t middle, size_t n, void *merged, const Env *env)
{
	const WordPlace *from = sorted;
	WordPlace  *to = merged;
	size_t		a = 0;
	size_t		b = middle;

	for (size_t i = 0; i < n; i++)
	{
		tick(env, i);
		if (b == n || (a < middle && from[a].word <= from[b].word))
			to[i] = from[a++];
		else
			to[i] = from[b++];
	}
}

void
core_passage_places(const char *utf8, size_t len, const TextOptions *options,
					const Env *env, const Passage *passages, size_t n, bool in_a,
					PassagePlaces *places)
{
	WordPlace  *words = env_alloc(env, 2 * n * sizeof(WordPlace));

	for (size_t i = 0; i < n; i++)
	{
		const Passage *p = &passages[i];

		words[2 * i].word = in_a ? p->a_start : p->b_start;
		words[2 * i + 1].word = (in_a ? p->a_end : p->b_end) - 1;
	}
	core_merge_sort(words, 2 * n, sizeof(WordPlace), 1, merge_places, env);
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
