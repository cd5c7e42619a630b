/*-------------------------------------------------------------------------
 *
 * same_title.c
 *		Do two titles name the same document? See same_title.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/features/counts.h"
#include "same_title.h"
#include "typo.h"

bool
core_same_title(const char *a, size_t a_len, const char *b, size_t b_len, const Env *env)
{
	ReadText	of_a = {.utf8 = a,.len = a_len};
	ReadText	of_b = {.utf8 = b,.len = b_len};
	FeatureCounts in_a;
	FeatureCounts in_b;
	size_t		shared = 0;
	bool		same;

	core_read_words(a, a_len, &core_words_of_changes, env, &of_a.list);
	core_read_words(b, b_len, &core_words_of_changes, env, &of_b.list);
	core_counts_init(&in_a, env);
	core_counts_init(&in_b, env);
	core_counts_add(&in_a, of_a.list.words, of_a.list.n);
	core_counts_add(&in_b, of_b.list.words, of_b.list.n);
	for (size_t i = 0; i < of_a.list.n; i++)
	{
		uint32_t   *count = core_counts_of(&in_a, of_a.list.words[i]);

		if (*count != UINT32_MAX)
			shared += *core_counts_of(&in_b, of_a.list.words[i]) > 0;
		*count = UINT32_MAX;	/* the word has been seen */
	}
	same = enough_title_words(shared, in_a.n_keys, in_b.n_keys) &&
		(shared == in_a.n_keys || shared == in_b.n_keys ||
		 core_differ_by_typo(&of_a, &of_b, true, env));
	core_counts_free(&in_a);
	core_counts_free(&in_b);
	env_free(env, of_a.list.words);
	env_free(env, of_b.list.words);
	return same;
}
