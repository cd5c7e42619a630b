/*-------------------------------------------------------------------------
 *
 * same_title.c
 *		Do two titles name the same document? See same_title.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/features/counts.h"
#include "../text/tokens/words.h"
#include "same_title.h"
#include "typo.h"

bool
core_same_title(const char *a, size_t a_len, const char *b, size_t b_len, const Env *env)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	WordList	of_a;
	WordList	of_b;
	FeatureCounts in_a;
	FeatureCounts in_b;
	size_t		shared = 0;
	bool		same;

	core_read_words(a, a_len, &options, env, &of_a);
	core_read_words(b, b_len, &options, env, &of_b);
	core_counts_init(&in_a, env);
	core_counts_init(&in_b, env);
	core_counts_add(&in_a, of_a.words, of_a.n);
	core_counts_add(&in_b, of_b.words, of_b.n);
	for (size_t i = 0; i < of_a.n; i++)
	{
		uint32_t   *count = core_counts_of(&in_a, of_a.words[i]);

		if (*count != UINT32_MAX)
			shared += *core_counts_of(&in_b, of_a.words[i]) > 0;
		*count = UINT32_MAX;	/* the word has been seen */
	}
	same = enough_title_words(shared, in_a.n_keys, in_b.n_keys) &&
		(shared == in_a.n_keys || shared == in_b.n_keys ||
		 core_differ_by_typo(a, a_len, b, b_len, true, env));
	core_counts_free(&in_a);
	core_counts_free(&in_b);
	env_free(env, of_a.words);
	env_free(env, of_b.words);
	return same;
}
