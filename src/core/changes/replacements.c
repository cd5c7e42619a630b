/*-------------------------------------------------------------------------
 *
 * replacements.c
 *		How many words of two texts are replaced; see replacements.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/counts.h"
#include "../text/mix.h"
#include "match.h"
#include "replacements.h"

#define MOST_REPEATED_WORDS 4

typedef struct Counter
{
	const ReadText *a;
	const ReadText *b;
	FeatureCounts pairs;		/* of a word and the one that replaces it */
	bool		numbers;
	const Env  *env;
	Replacements *result;
} Counter;

/* Remember the words of a replacement, and note how often one of them has been replaced so. */
static void
add_pairs(Counter *c, size_t a, size_t b, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	pair = mix64(c->a->list.words[a + i] * MIX_FACTOR + c->b->list.words[b + i]);
		uint32_t	times;

		if (has_only_digits(c->a, a + i) || has_only_digits(c->b, b + i))
			continue;
		core_counts_add(&c->pairs, &pair, 1);
		times = *core_counts_of(&c->pairs, pair);
		if (times > c->result->most_equal)
			c->result->most_equal = times;
	}
}

/* Are all words between two places numbers? */
static bool
are_all_digits(const ReadText *text, size_t start, size_t end, const Env *env)
{
	while (start < end && has_only_digits(text, start))
		tick(env, start++);
	return start == end;
}

/* Count the change between two matches, if there are words between them. */
static void
count_change(Counter *c, size_t a, size_t a_end, size_t b, size_t b_end)
{
	if (a == a_end && b == b_end)
		return;
	if (!c->numbers && are_all_digits(c->a, a, a_end, c->env) &&
		are_all_digits(c->b, b, b_end, c->env))
		return;
	c->result->n_changes++;
	if (a == a_end || b == b_end)
		return;
	c->result->n_replaced++;
	if (a_end - a == b_end - b && a_end - a <= MOST_REPEATED_WORDS)
		add_pairs(c, a, b, a_end - a);
}

void
core_count_replacements(const ReadText *a, const ReadText *b, bool numbers, const Env *env,
						Replacements *result)
{
	size_t	   *matches = env_alloc(env, (a->list.n + 1) * sizeof(size_t));
	size_t		a_end = 0;		/* of the last match */
	size_t		b_end = 0;
	Counter		c = {.a = a,.b = b,.numbers = numbers,.env = env,.result = result};

	memset(result, 0, sizeof(Replacements));
	core_match_words(&a->list, &b->list, env, matches);
	core_counts_init(&c.pairs, env);
	for (size_t i = 0; i < a->list.n; i++)
	{
		tick(env, i);
		if (matches[i] == NO_MATCH)
			continue;
		result->n_matched++;
		count_change(&c, a_end, i, b_end, matches[i]);
		a_end = i + 1;
		b_end = matches[i] + 1;
	}
	count_change(&c, a_end, a->list.n, b_end, b->list.n);
	core_counts_free(&c.pairs);
	env_free(env, matches);
}
