/*-------------------------------------------------------------------------
 *
 * first_change.c
 *		The first change between two texts; see first_change.h.
 *
 * The texts are read as hashes of words.  The reading without numbers has to know whether words
 * that differ are numbers.  It looks these words up in the text, because they are few.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/places.h"
#include "../text/words.h"
#include "first_change.h"

#define STEPS_BETWEEN_CHECKS 65536

const TextOptions simhash_words_of_changes = TEXT_OPTIONS_DEFAULT;

/* A text in a comparison. */
typedef struct ComparedText
{
	WordList	list;
	size_t		at;				/* number of the current word */
	size_t		no_number;		/* number of a word that is known not to be a
								 * number */
	PlaceReader places;
	const TextEnv *env;
} ComparedText;

static void
open_text(ComparedText *t, const ReadText *read, const TextEnv *env)
{
	t->list = read->list;
	t->at = 0;
	t->no_number = SIZE_MAX;
	t->env = env;
	simhash_places_init(&t->places, read->utf8, read->len, &simhash_words_of_changes, env);
}

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
		if (++n % STEPS_BETWEEN_CHECKS == 0)
			a->env->check_interrupts(a->env->arg);
	}
	a->at += n;
	b->at += n;
}

/* Skip the current word if it is a number.  Returns whether it is. */
static bool
skip_number(ComparedText *t)
{
	WordPlace	place;

	if (t->at == t->no_number || !simhash_places_find(&t->places, t->at, &place))
		return false;
	if (place.is_number)
		t->at++;
	else
		t->no_number = t->at;
	return place.is_number;
}

/* Like skip_equal, for a reading that ignores numbers. */
static void
skip_equal_and_numbers(ComparedText *a, ComparedText *b)
{
	size_t		steps = 0;

	do
	{
		if (++steps % STEPS_BETWEEN_CHECKS == 0)
			a->env->check_interrupts(a->env->arg);
		skip_equal(a, b);
	} while (skip_number(a) || skip_number(b));
}

static uint64_t
occurrences(uint64_t word, const ComparedText *t)
{
	uint64_t	count = 0;
	size_t		i = 0;

	while (i < t->list.n)
	{
		size_t		end = i + smaller(t->list.n - i, STEPS_BETWEEN_CHECKS);

		t->env->check_interrupts(t->env->arg);
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

void
simhash_read_text(const char *utf8, size_t len, const TextEnv *env, ReadText *text)
{
	text->utf8 = utf8;
	text->len = len;
	simhash_read_words(utf8, len, &simhash_words_of_changes, env, &text->list);
}

/* The number of words before "end" that are not numbers, at most SAME_BEGINNING. */
static size_t
count_but_numbers(const ReadText *text, size_t end, const TextEnv *env)
{
	PlaceReader places;
	WordPlace	place;
	size_t		n = 0;

	simhash_places_init(&places, text->utf8, text->len, &simhash_words_of_changes, env);
	for (size_t word = 0; word < end && n < SAME_BEGINNING; word++)
	{
		if (!simhash_places_find(&places, word, &place))
			break;
		n += !place.is_number;
	}
	return n;
}

int
simhash_read_both(const ReadText *a, const ReadText *b, bool numbers, const TextEnv *env,
				  Reading *readings)
{
	ComparedText in_a;
	ComparedText in_b;
	int			n = 0;
	size_t		at;

	open_text(&in_a, a, env);
	open_text(&in_b, b, env);
	skip_equal(&in_a, &in_b);
	if (numbers)
	{
		readings[n].value = value_of_reading(&in_a, &in_b);
		readings[n++].n_equal = smaller(in_a.at, SAME_BEGINNING);
	}

	/* usually there is no number, and both readings find the same words */
	at = in_a.at + in_b.at;
	skip_equal_and_numbers(&in_a, &in_b);
	if (!numbers || in_a.at + in_b.at != at)
		readings[n++].value = value_of_reading(&in_a, &in_b);
	readings[n - 1].n_equal = count_but_numbers(a, in_a.at, env);
	return n;
}

static uint64_t
first_change_of_read(const ReadText *a, const ReadText *b, bool numbers, const TextEnv *env)
{
	Reading		readings[2];
	int			n = simhash_read_both(a, b, numbers, env, readings);

	return n == 2 && readings[1].value > readings[0].value ? readings[1].value : readings[0].value;
}

uint64_t
simhash_first_change_of_texts(const char *a, size_t a_len, const char *b, size_t b_len,
							  bool numbers, const TextEnv *env)
{
	ReadText	in_a;
	ReadText	in_b;
	uint64_t	value;

	if (a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0))
		return 0;
	simhash_read_text(a, a_len, env, &in_a);
	simhash_read_text(b, b_len, env, &in_b);
	value = first_change_of_read(&in_a, &in_b, numbers, env);
	env->release(env->arg, in_a.list.words);
	env->release(env->arg, in_b.list.words);
	return value;
}
