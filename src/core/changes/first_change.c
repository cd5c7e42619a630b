/*-------------------------------------------------------------------------
 *
 * first_change.c
 *		The first change between two texts; see first_change.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/mix.h"
#include "first_change.h"

/* A text in a comparison. */
typedef struct ComparedText
{
	const ReadText *read;
	WordList	list;			/* its words */
	size_t		at;				/* number of the current word */
	const Env  *env;
} ComparedText;

static inline size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---------- readings ---------- */

/* Continue to the next words that differ, or to the end of a text. */
static void
skip_equal(ComparedText *a, ComparedText *b)
{
	size_t		left = smaller(a->list.n - a->at, b->list.n - b->at);
	const uint64_t *x = a->list.words + a->at;
	const uint64_t *y = b->list.words + b->at;
	size_t		n = 0;

	while (n < left && x[n] == y[n])
	{
		tick(a->env, n++);
	}
	a->at += n;
	b->at += n;
}

/* Is the current word a number? */
static inline bool
is_at_number(const ComparedText *t)
{
	return has_only_digits(t->read, t->at);
}

/* Does a reading ignore a word: a random token, or any number? */
static inline bool
is_ignored(const ReadText *text, size_t word, bool tokens_only)
{
	return tokens_only ? is_random_token(text, word) : has_only_digits(text, word);
}

/* Skip the current word if it is ignored.  Returns whether it is. */
static bool
skip_ignored(ComparedText *t, bool tokens_only)
{
	if (!is_ignored(t->read, t->at, tokens_only))
		return false;
	t->at++;
	return true;
}

/*
 * Like skip_equal, for a reading that ignores numbers, or random tokens only.  A Chinese numeral may be
 * a number in one text only, so both texts skip one at a time: the answer does not depend on their order.
 */
static void
skip_equal_and_numbers(ComparedText *a, ComparedText *b, bool tokens_only)
{
	size_t		steps = 0;
	bool		skipped;

	do
	{
		tick(a->env, steps++);
		skip_equal(a, b);
		skipped = skip_ignored(a, tokens_only);
		skipped |= skip_ignored(b, tokens_only);
	} while (skipped);
}

static uint64_t
occurrences(uint64_t word, const ComparedText *t)
{
	uint64_t	count = 0;
	size_t		i = 0;

	while (i < t->list.n)
	{
		size_t		end = i + smaller(t->list.n - i, STEPS_BETWEEN_CHECKS);

		check_interrupts(t->env);
		for (; i < end; i++)
			count += t->list.words[i] == word;
	}
	return count;
}

/* How much more often does the current word of "here" occur in "here" than in "there"? */
static uint64_t
excess(const ComparedText *here, const ComparedText *there)
{
	uint64_t	count_here;
	uint64_t	count_there;

	if (here->at == here->list.n)
		return 0;
	count_here = occurrences(here->list.words[here->at], here);
	count_there = occurrences(here->list.words[here->at], there);
	return count_here > count_there ? count_here - count_there : 0;
}

static uint64_t
value_of_reading(const ComparedText *a, const ComparedText *b)
{
	uint64_t	of_a = excess(a, b);
	uint64_t	of_b = excess(b, a);

	return of_a > of_b ? of_a : of_b;
}

/* The number of words before "end" that are not numbers, at most SAME_BEGINNING. */
static size_t
count_but_numbers(const ReadText *text, size_t end, const Env *env)
{
	size_t		n = 0;

	for (size_t word = 0; word < end && n < SAME_BEGINNING; word++)
	{
		n += !has_only_digits(text, word);
		tick(env, word);
	}
	return n;
}

int
core_read_both(const ReadText *a, const ReadText *b, bool numbers, const Env *env,
			   Reading *readings)
{
	ComparedText in_a = {a, a->list, 0, env};
	ComparedText in_b = {b, b->list, 0, env};
	int			n = 0;
	size_t		at;

	skip_equal(&in_a, &in_b);
	if (numbers)
	{
		readings[n].value = value_of_reading(&in_a, &in_b);
		readings[n++].n_equal = smaller(in_a.at, SAME_BEGINNING);
	}

	/* usually there is no number, and both readings find the same words */
	at = in_a.at + in_b.at;
	skip_equal_and_numbers(&in_a, &in_b, false);
	if (!numbers || in_a.at + in_b.at != at)
		readings[n++].value = value_of_reading(&in_a, &in_b);
	readings[n - 1].n_equal = smaller(count_but_numbers(a, in_a.at, env),
									  count_but_numbers(b, in_b.at, env));
	return n;
}

/* Add a word to a hash of words. */
static inline uint64_t
hash_with_word(uint64_t hash, uint64_t word)
{
	return mix64(hash * MIX_FACTOR + word);
}

/*
 * Hash up to PARTING_WORDS words before the current one, and before each of the words before it.  A
 * number does not belong to the name before it, so if the texts part at one, only that place counts.
 */
static void
hash_before(const ComparedText *t, bool numbers, bool at_number, Parting *parting)
{
	uint64_t	before[PARTING_WORDS + PARTING_PLACES - 1]; /* the nearest word first */
	size_t		n = 0;

	for (size_t i = t->at; i > 0 && n < PARTING_WORDS + PARTING_PLACES - 1; i--)
	{
		if (!is_ignored(t->read, i - 1, numbers))
			before[n++] = t->list.words[i - 1];
		tick(t->env, i);
	}
	parting->n_places = at_number ? 1 : smaller(n + 1, PARTING_PLACES);
	for (size_t place = 0; place < parting->n_places; place++)
	{
		uint64_t	hash = numbers;

		for (size_t i = place; i < n && i < place + PARTING_WORDS; i++)
			hash = hash_with_word(hash, before[i]);
		parting->contexts[place] = hash;
	}
}

/* Hash up to two words, starting with the current one. */
static uint64_t
hash_behind(const ComparedText *t, bool numbers)
{
	uint64_t	hash = 0;
	int			n = 0;

	for (size_t i = t->at; i < t->list.n && n < 2; i++)
	{
		if (!is_ignored(t->read, i, numbers))
		{
			hash = hash_with_word(hash, t->list.words[i]);
			n++;
		}
		tick(t->env, i);
	}
	return hash_with_word(hash, (uint64_t) n);
}

/* Is the rest of a text a footer? */
static bool
is_in_footer(const ComparedText *t)
{
	return t->list.n >= FOOTER_SHARE && t->list.n - t->at <= t->list.n / FOOTER_SHARE;
}

void
core_partings(const ReadText *a, const ReadText *b, const Env *env, Parting *partings)
{
	ComparedText in_a = {a, a->list, 0, env};
	ComparedText in_b = {b, b->list, 0, env};

	for (int i = 0; i < 2; i++)
	{
		skip_equal_and_numbers(&in_a, &in_b, i == 0);
		hash_before(&in_a, i == 0, is_at_number(&in_a) || is_at_number(&in_b), &partings[i]);
		if (is_in_footer(&in_a) && is_in_footer(&in_b))
			partings[i].n_places = 0;
		partings[i].follow[0] = hash_behind(&in_a, i == 0);
		partings[i].follow[1] = hash_behind(&in_b, i == 0);
	}
}

uint64_t
core_first_change_of_texts(const char *a, size_t a_len, const char *b, size_t b_len,
						   bool numbers, const Env *env)
{
	ReadText	in_a;
	ReadText	in_b;
	Reading		readings[2];
	uint64_t	value = 0;

	if (a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0))
		return 0;
	core_read_text(a, a_len, NO_NUMBERS, env, &in_a);
	core_read_text(b, b_len, NO_NUMBERS, env, &in_b);
	for (int n = core_read_both(&in_a, &in_b, numbers, env, readings); n-- > 0;)
		value = readings[n].value > value ? readings[n].value : value;
	core_release_text(&in_a, env);
	core_release_text(&in_b, env);
	return value;
}
