/*-------------------------------------------------------------------------
 *
 * sketch.c
 *		Sketches of texts, by which most pairs of texts of one template are told apart.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../changes/same_title.h"
#include "../hamming.h"
#include "../text/features/counts.h"
#include "sketch.h"

/* Bits that are set for each number and for each word.  Numbers are rare. */
#define BITS_A_NUMBER	3
#define BITS_A_WORD		2

static inline uint64_t
bit_of(uint64_t hash, int i, size_t n_bits)
{
	return (hash >> 16 * i) % n_bits;
}

static inline void
set_bits(uint64_t *bits, size_t n_bits, int n, uint64_t hash)
{
	for (int i = 0; i < n; i++)
		bits[bit_of(hash, i, n_bits) / 64] |= UINT64_C(1) << bit_of(hash, i, n_bits) % 64;
}

static inline bool
has_bits(const uint64_t *bits, size_t n_bits, int n, uint64_t hash)
{
	for (int i = 0; i < n; i++)
		if ((bits[bit_of(hash, i, n_bits) / 64] >> bit_of(hash, i, n_bits) % 64 & 1) == 0)
			return false;
	return true;
}

/* ----------
 * Making
 * ----------
 */

/* Does a word occur again behind a place? */
static bool
occurs_again(const WordList *list, size_t place, const Env *env)
{
	for (size_t i = place + 1; i < list->n; i++)
	{
		if (list->words[i] == list->words[place])
			return true;
		tick(env, i);
	}
	return false;
}

/*
 * Set the bits of all words.  "repeated" gets those of the words that had all of their bits
 * before, and so of every word that occurs more than once.
 */
static void
sketch_words(const WordList *list, const Env *env, Sketch *sketch, uint64_t *repeated)
{
	for (size_t i = 0; i < list->n; i++)
	{
		if (has_bits(sketch->words, WORDS_BITS, BITS_A_WORD, list->words[i]))
			set_bits(repeated, WORDS_BITS, BITS_A_WORD, list->words[i]);
		else
			set_bits(sketch->words, WORDS_BITS, BITS_A_WORD, list->words[i]);
		tick(env, i);
	}
}

static void
sketch_first_words(const ReadText *text, const uint64_t *repeated, const Env *env,
				   Sketch *sketch)
{
	for (size_t word = 0; word < text->list.n && sketch->n_first < FIRST_WORDS; word++)
	{
		uint64_t	hash = text->list.words[word];
		int			n = sketch->n_first;
		int			before = 0;

		tick(env, word);
		if (has_only_digits(text, word))
			continue;
		while (before < n && sketch->first[before] != hash)
			before++;
		sketch->again[n] = before < n ||
			(has_bits(repeated, WORDS_BITS, BITS_A_WORD, hash) &&
			 occurs_again(&text->list, word, env));
		sketch->first[n] = hash;
		sketch->n_first++;
	}
}

static void
sketch_title(const ReadText *text, size_t title_len, const Env *env, Sketch *sketch)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	WordList	list;
	FeatureCounts distinct;

	if (title_len == 0)
		return;
	core_read_words(text->utf8, title_len, &options, env, &list);
	core_counts_init(&distinct, env);
	core_counts_add(&distinct, list.words, list.n);
	for (size_t i = 0; i < list.n; i++)
		set_bits(&sketch->title, 64, 1, list.words[i]);
	sketch->title_words = (uint32_t) distinct.n_keys;
	core_counts_free(&distinct);
	env_free(env, list.words);
}

void
core_sketch(const ReadText *text, size_t title_len, const Env *env, Sketch *sketch)
{
	uint64_t	repeated[WORDS_BITS / 64] = {0};

	memset(sketch, 0, sizeof(Sketch));
	sketch->is_short = text->list.n < SHORT_DOCUMENT;
	sketch_words(&text->list, env, sketch, repeated);
	sketch_first_words(text, repeated, env, sketch);
	sketch_title(text, title_len, env, sketch);
	for (size_t i = 0; i < text->n_numbers; i++)
	{
		set_bits(sketch->numbers, NUMBERS_BITS, BITS_A_NUMBER, text->numbers[i]);
		tick(env, i);
	}
}

/* ----------
 * Comparing
 * ----------
 */

/* Does each text have a bit that the other one lacks, and so a number that it lacks? */
static inline bool
both_have_own(const uint64_t *a, const uint64_t *b, int n_words)
{
	uint64_t	own_a = 0;
	uint64_t	own_b = 0;

	for (int i = 0; i < n_words; i++)
	{
		own_a |= a[i] & ~b[i];
		own_b |= b[i] & ~a[i];
	}
	return own_a != 0 && own_b != 0;
}

/*
 * Does each text have a word that the other one lacks, and one of them several?  If each has only
 * one, it may be a typo.
 */
static inline bool
several_are_replaced(const uint64_t *a, const uint64_t *b, int n_words)
{
	int			own_a = 0;
	int			own_b = 0;

	for (int i = 0; i < n_words; i++)
	{
		own_a += hamming_weight(a[i] & ~b[i]);
		own_b += hamming_weight(b[i] & ~a[i]);
	}
	return own_a > 0 && own_b > 0 && (own_a > BITS_A_WORD || own_b > BITS_A_WORD);
}

/* Does the word number i of "here" occur more than once there, and not at all in "there"? */
static inline bool
is_name(const Sketch *here, const Sketch *there, int i)
{
	return here->again[i] && !has_bits(there->words, WORDS_BITS, BITS_A_WORD, here->first[i]);
}

/*
 * Does the reading without numbers have a value above 1 (first_change.h), with fewer than
 * SAME_BEGINNING equal words before the first change?
 */
static bool
begin_with_names(const Sketch *a, const Sketch *b)
{
	int			n = a->n_first < b->n_first ? a->n_first : b->n_first;
	int			i = 0;

	while (i < n && a->first[i] == b->first[i])
		i++;
	return i < n && (is_name(a, b, i) || is_name(b, a, i));
}

/*
 * Do the titles have too few words in common?  A title has at least one word of its own for each bit
 * that the other one lacks, which leaves at most of_a or of_b common words.
 */
static bool
titles_differ(const Sketch *a, const Sketch *b)
{
	size_t		of_a = a->title_words - (size_t) hamming_weight(a->title & ~b->title);
	size_t		of_b = b->title_words - (size_t) hamming_weight(b->title & ~a->title);

	return !enough_title_words(of_a < of_b ? of_a : of_b, a->title_words, b->title_words);
}

bool
core_sketches_differ(const Sketch *a, const Sketch *b, bool numbers, bool titles)
{
	if (numbers && both_have_own(a->numbers, b->numbers, NUMBERS_BITS / 64))
		return true;
	if (begin_with_names(a, b))
		return true;
	if (numbers && (a->is_short || b->is_short) &&
		several_are_replaced(a->words, b->words, WORDS_BITS / 64))
		return true;
	return titles && titles_differ(a, b);
}
