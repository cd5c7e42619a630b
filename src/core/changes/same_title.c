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
#include "visible_characters.h"

/* The place of the parenthesis with which the last words of a title begin, or the end of the title */
static size_t
find_parentheses(const ReadText *title, const Env *env)
{
	const Bytes bytes = bytes_of(title->utf8, title->len, env);
	size_t		end = skip_space_before(&bytes, bytes.len, 0);
	size_t		place = end;

	if (end == 0 || bytes.text[end - 1] != ')')
		return title->len;
	while (place > 0 && bytes.text[place - 1] != '(')
		tick(env, place--);
	return place > 0 ? place : title->len;
}

/* Is a title another one with words in parentheses behind it, and not only a number? */
static bool
is_qualified(const ReadText *title, const ReadText *other, const Env *env)
{
	size_t		place = find_parentheses(title, env);
	WordList	before;
	bool		same;

	if (place == title->len)
		return false;
	core_read_words(title->utf8, place, &core_words_of_changes, env, &before);
	same = core_same_words(&before, &other->list);
	env_free(env, before.words);
	return same && next_word(title, other->list.n, false, env) < title->list.n;
}

bool
core_same_title(const char *a, size_t a_len, const char *b, size_t b_len, const Env *env)
{
	ReadText	of_a;
	ReadText	of_b;
	FeatureCounts in_a;
	FeatureCounts in_b;
	size_t		shared = 0;
	bool		same;

	core_read_text(a, a_len, NO_NUMBERS, env, &of_a);
	core_read_text(b, b_len, NO_NUMBERS, env, &of_b);
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
		 core_differ_by_typo(&of_a, &of_b, true, env)) &&
		!is_qualified(&of_a, &of_b, env) && !is_qualified(&of_b, &of_a, env);
	core_counts_free(&in_a);
	core_counts_free(&in_b);
	core_release_text(&of_a, env);
	core_release_text(&of_b, env);
	return same;
}
