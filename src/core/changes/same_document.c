/*-------------------------------------------------------------------------
 *
 * same_document.c
 *		Is a text the same document as another one? See same_document.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/counts.h"
#include "../text/unicode/ascii_block.h"
#include "../text/unicode/unicode.h"
#include "copy.h"
#include "replacements.h"
#include "same_document.h"
#include "signs.h"
#include "typo.h"

/* The largest value of a reading (first_change.h) that begins with SAME_BEGINNING equal words. */
#define MOST_BEHIND_BEGINNING 3

#define FEW_WORDS 10			/* below, a word more is a name */
#define LEAST_RESEMBLANCE 85	/* in percent */
#define MOST_REPLACED 40		/* words for each replacement */
#define MOST_NUMBERS 5			/* places where they are replaced, unless numbers count */
#define FEW_NUMBER_WORDS 3		/* in percent: in any number of places */
#define MOST_NUMBER_WORDS 10	/* in percent: in any case */
#define SIGNS_OF_DRAWING 30		/* in percent of the characters */
#define MOST_OTHER_SIGNS 20		/* the same */
#define SIGN_KINDS 256
#define TAKEN UINT32_MAX		/* a count of 0 would be an empty slot */

/* ---------- words that are replaced ---------- */

/*
 * Does each text have a word that the other one lacks, or has less often?  Words of digits only count
 * if "numbers" is true.
 */
static bool
is_replaced(const ReadText *a, const ReadText *b, bool numbers, const Env *env)
{
	FeatureCounts left;			/* words of b that a lacks; TAKEN: none */
	size_t		n_left = 0;
	bool		own_a = false;

	core_counts_init(&left, env);
	for (size_t i = 0; i < b->list.n; i++)
	{
		if (numbers || !has_only_digits(b, i))
		{
			core_counts_add(&left, &b->list.words[i], 1);
			n_left++;
		}
		tick(env, i);
	}
	for (size_t i = 0; i < a->list.n && n_left > 0; i++)
	{
		uint32_t   *count;

		tick(env, i);
		if (!numbers && has_only_digits(a, i))
			continue;
		count = core_counts_of(&left, a->list.words[i]);
		if (*count == 0 || *count == TAKEN)
			own_a = true;
		else
		{
			*count = *count == 1 ? TAKEN : *count - 1;
			n_left--;
		}
	}
	core_counts_free(&left);
	return own_a && n_left > 0;
}

/*
 * Have the texts the same words in the same order?  A word may be a number in one text only, so equal words
 * are matched before numbers are skipped.
 */
static bool
same_words(const ReadText *a, const ReadText *b, bool numbers, const Env *env)
{
	size_t		i = 0;
	size_t		j = 0;

	for (size_t steps = 0;; steps++)
	{
		bool		skip_a = true;
		bool		skip_b = true;

		tick(env, steps);
		if (i == a->list.n || j == b->list.n || a->list.words[i] != b->list.words[j])
		{
			skip_a = !numbers && has_only_digits(a, i);
			skip_b = !numbers && has_only_digits(b, j);
		}
		if (!skip_a && !skip_b)
			return i == a->list.n && j == b->list.n;
		i += skip_a;
		j += skip_b;
	}
}

/* ---------- reports ---------- */

/*
 * Has a text many words of digits only that another one lacks, for its length and in many places?  Each
 * counts once, and adjacent ones, such as those of a time, are one place.
 */
static bool
has_own_numbers(const ReadText *here, const ReadText *there, size_t shorter, const Env *env)
{
	FeatureCounts numbers;		/* those of "there", and then those that were counted */
	size_t		n_words = 0;
	size_t		n_places = 0;
	size_t		end = SIZE_MAX; /* of the last place */

	core_counts_init(&numbers, env);
	for (size_t i = 0; i < there->n_digits; i++)
	{
		core_counts_add(&numbers, &there->list.words[there->digits[i]], 1);
		tick(env, i);
	}
	for (size_t i = 0; i < here->n_digits; i++)
	{
		size_t		place = here->digits[i];

		tick(env, i);
		if (is_random_token(here, place) ||
			*core_counts_of(&numbers, here->list.words[place]) > 0)
			continue;
		core_counts_add(&numbers, &here->list.words[place], 1);
		n_words++;
		n_places += place != end;
		end = place + 1;
	}
	core_counts_free(&numbers);
	return 100 * n_words > MOST_NUMBER_WORDS * shorter ||
		(n_places > MOST_NUMBERS && 100 * n_words > FEW_NUMBER_WORDS * shorter);
}

/* Do the texts differ in as many numbers as two reports of one form do? */
static bool
are_other_reports(const ReadText *a, const ReadText *b, size_t shorter, const Env *env)
{
	return a->n_digits > 0 && b->n_digits > 0 && has_own_numbers(a, b, shorter, env) &&
		has_own_numbers(b, a, shorter, env);
}

/* ---------- drawings ---------- */

typedef struct SignCounts
{
	size_t		n_characters;
	size_t		n_signs;
	int64_t		of[SIGN_KINDS]; /* several signs may share a count */
} SignCounts;

static void
count_signs(const ReadText *text, const Env *env, SignCounts *counts)
{
	const Bytes bytes = bytes_of(text->utf8, text->len, env);
	size_t		place = 0;
	uint32_t	c;

	memset(counts, 0, sizeof(SignCounts));
	while ((c = next_visible(&bytes, &place, bytes.len)) != NO_CHARACTER)
	{
		uint32_t	sign = c < 0x80 && is_ascii_word((uint8_t) c) ? 0 : core_sign_of(fold_sign(c));

		counts->n_characters++;
		counts->n_signs += sign != 0;
		counts->of[sign % SIGN_KINDS] += sign != 0;
	}
}

/* Do many signs of a text draw something? */
static inline bool
is_drawing(const SignCounts *counts)
{
	return 100 * counts->n_signs > SIGNS_OF_DRAWING * counts->n_characters;
}

/* May a text be a drawing?  Most texts have too many letters and digits, which this counts fast. */
static bool
may_be_drawing(const ReadText *text, const Env *env)
{
	const uint8_t *p = (const uint8_t *) text->utf8;
	const uint8_t *end = p + text->len;
	size_t		n_letters = 0;
	size_t		n_others = 0;
	size_t		steps = 0;

	while (p < end)
	{
		size_t		length = 1;
		size_t		n = 0;		/* letters and digits among these bytes */
		uint32_t	c;

		if (*p < 0x80 && end - p >= ASCII_BLOCK)
		{
			uint64_t	other;
			uint64_t	signs;
			uint64_t	word = ascii_block(p, &other, &signs);

			length = other != 0 ? (size_t) lowest_bit(other) : ASCII_BLOCK;
			n = (size_t) count_bits(word & ~UINT64_C(0) >> (ASCII_BLOCK - length));
			n_others += length - n;
		}
		else if (han_at(p, end))
		{
			for (n = 1; n < STEPS_BETWEEN_CHECKS && han_at(p + 3 * n, end);)
				n++;
			length = 3 * n;
		}
		else
		{
			length = (size_t) utf8_decode(p, end, &c);
			n = length > 0 && unicode_value(UNICODE_NORMALIZED, c) % 8 % CHAR_MAPPED != CHAR_SEPARATOR;
			length += length == 0;
			n_others += 1 - n;
		}
		n_letters += n;
		p += length;
		count_steps(env, &steps, length);
	}
	return 100 * n_others > SIGNS_OF_DRAWING * (n_others + n_letters);
}

static bool
are_other_drawings(const ReadText *a, const ReadText *b, const Env *env)
{
	SignCounts	in_a;
	SignCounts	in_b;
	uint64_t	n_different = 0;

	if (!may_be_drawing(a, env))
		return false;
	count_signs(a, env, &in_a);
	if (!is_drawing(&in_a))
		return false;
	count_signs(b, env, &in_b);
	for (int i = 0; i < SIGN_KINDS; i++)
	{
		int64_t		more = in_a.of[i] - in_b.of[i];

		n_different += (uint64_t) (more < 0 ? -more : more);
	}
	return is_drawing(&in_b) &&
		100 * n_different > MOST_OTHER_SIGNS * (in_a.n_characters + in_b.n_characters);
}

/* ---------- the rule ---------- */

/* Are short texts the same but for a typo, or for words that only one of them has? */
static bool
are_short_versions(const ReadText *a, const ReadText *b, size_t shorter, bool numbers,
				   const Env *env)
{
	return (shorter < FEW_WORDS ? same_words(a, b, numbers, env) : !is_replaced(a, b, numbers, env)) ||
		core_differ_by_typo(a, b, numbers, env);
}

static bool
are_copies_of_read(const ReadText *a, const ReadText *b, const Env *env)
{
	const Bytes of_a = bytes_of(a->utf8, a->len, env);
	const Bytes of_b = bytes_of(b->utf8, b->len, env);

	return core_same_words(&a->list, &b->list) &&
		core_same_stretches(&of_a, span_of(0, a->len), &of_b, span_of(0, b->len), true);
}

/* Does a word occur from a place on? */
static bool
occurs(const WordList *list, size_t place, uint64_t word, const Env *env)
{
	for (size_t i = place; i < list->n; i++)
	{
		if (list->words[i] == word)
			return true;
		tick(env, i);
	}
	return false;
}

/*
 * Is one of the first words other than numbers repeated, and lacking in the other text?  The first
 * n_equal of them are equal.
 */
static bool
begins_with_name(const ReadText *here, const ReadText *there, size_t n_equal, const Env *env)
{
	size_t		n = 0;

	for (size_t i = 0; i < here->list.n && n < SAME_BEGINNING; i++)
	{
		uint64_t	word = here->list.words[i];

		if (!has_only_digits(here, i) && n++ >= n_equal &&
			!occurs(&there->list, 0, word, env) && occurs(&here->list, i + 1, word, env))
			return true;
		tick(env, i);
	}
	return false;
}

/* Are the readings those of an edit, not of a name? */
static bool
first_change_is_edit(const Reading *readings, int n)
{
	for (int i = 0; i < n; i++)
		if (readings[i].value > MOST_BEHIND_BEGINNING ||
			(readings[i].value > 1 && readings[i].n_equal < SAME_BEGINNING))
			return false;
	return true;
}

static uint64_t
largest_value(const Reading *readings, int n)
{
	return n > 1 && readings[1].value > readings[0].value ? readings[1].value : readings[0].value;
}

/* Is so much equal, or so little replaced, that the texts are versions of one document? */
static bool
few_are_replaced(const Replacements *r, size_t n_a, size_t n_b)
{
	size_t		shorter = n_a < n_b ? n_a : n_b;
	size_t		longer = n_a < n_b ? n_b : n_a;
	size_t		all = 2 * (n_a + n_b);
	size_t		shared = 2 * r->n_matched > r->n_changes ? 2 * r->n_matched - r->n_changes : 0;

	return 100 * shared >= LEAST_RESEMBLANCE * (all - shared) ||
		((r->n_replaced <= 1 || MOST_REPLACED * r->n_replaced <= shorter) &&
		 10 * shorter >= 7 * longer);
}

/* Check the conditions of same_document.h for texts that are not copies. */
static DocumentDifference
difference_of_versions(const ReadText *a, const ReadText *b, bool numbers, const Env *env)
{
	Reading		readings[2];
	Replacements replacements;
	size_t		shorter = a->list.n < b->list.n ? a->list.n : b->list.n;
	size_t		n_equal;		/* words other than numbers */
	bool		is_edit;
	int			n;

	if (a->list.n == 0 || b->list.n == 0)
		return DIFFERENT_WITHOUT_WORDS;
	if (numbers ? core_numbers_replaced(a, b, env) : are_other_reports(a, b, shorter, env))
		return DIFFERENT_NUMBER;
	n = core_read_both(a, b, numbers, env, readings);
	n_equal = readings[n - 1].n_equal;
	is_edit = first_change_is_edit(readings, n);
	if (!is_edit && n_equal < SAME_BEGINNING)
		return DIFFERENT_FIRST_CHANGE;
	if (shorter < SHORT_DOCUMENT && !are_short_versions(a, b, shorter, numbers, env))
		return DIFFERENT_SHORT_TEXT;
	if (n_equal < SAME_BEGINNING && begins_with_name(a, b, n_equal, env) &&
		begins_with_name(b, a, n_equal, env))
		return DIFFERENT_NAMES;
	core_count_replacements(a, b, numbers, env, &replacements);
	if (!is_edit && (replacements.most_equal > 1 || 100 * replacements.n_replaced > 3 * shorter))
		return DIFFERENT_FIRST_CHANGE;
	/* a name that occurs as often as an edited word may */
	if (replacements.most_equal >= MOST_BEHIND_BEGINNING &&
		largest_value(readings, n) >= MOST_BEHIND_BEGINNING)
		return DIFFERENT_FIRST_CHANGE;
	if (!few_are_replaced(&replacements, a->list.n, b->list.n))
		return DIFFERENT_WORDS;
	return are_other_drawings(a, b, env) ? DIFFERENT_SIGNS : SAME_DOCUMENT;
}

static DocumentDifference
difference_of_read(const ReadText *a, const ReadText *b, bool numbers, const Env *env)
{
	DocumentDifference difference = difference_of_versions(a, b, numbers, env);

	/* copies fulfil the conditions unless they have no words */
	return difference != SAME_DOCUMENT && are_copies_of_read(a, b, env) ? SAME_DOCUMENT : difference;
}

bool
core_same_document_of_read(const ReadText *a, const ReadText *b, bool numbers, const Env *env)
{
	return difference_of_read(a, b, numbers, env) == SAME_DOCUMENT;
}

DocumentDifference
core_document_difference(const char *a, size_t a_len, const char *b, size_t b_len, bool numbers,
						 const Env *env)
{
	ReadText	in_a;
	ReadText	in_b;
	DocumentDifference difference;

	if (a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0))
		return SAME_DOCUMENT;
	core_read_text(a, a_len, numbers ? SORTED_NUMBERS : NO_NUMBERS, env, &in_a);
	core_read_text(b, b_len, numbers ? SORTED_NUMBERS : NO_NUMBERS, env, &in_b);
	difference = difference_of_read(&in_a, &in_b, numbers, env);
	core_release_text(&in_a, env);
	core_release_text(&in_b, env);
	return difference;
}

bool
core_same_document_of_texts(const char *a, size_t a_len, const char *b, size_t b_len,
							bool numbers, const Env *env)
{
	return core_document_difference(a, a_len, b, b_len, numbers, env) == SAME_DOCUMENT;
}
