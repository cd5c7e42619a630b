/*-------------------------------------------------------------------------
 *
 * same_document.c
 *		Is a text the same document as another one? See same_document.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/counts.h"
#include "../text/mix.h"
#include "../text/places.h"
#include "copy.h"
#include "numerals.h"
#include "punctuation.h"
#include "same_document.h"

#define MOST_BEHIND_BEGINNING 3 /* of a first change after SAME_BEGINNING
								 * equal words */
#define WORDS_BETWEEN_CHECKS 16384
#define TAKEN UINT32_MAX		/* a count of 0 would be an empty slot */

/* ---------- signs beside a number ---------- */

static const struct
{
	uint32_t	first;
	uint32_t	last;
}			units[] = {

	/* percent, per mille, degree, and the category Currency_Symbol */
	{'$', '%'}, {0xA2, 0xA5}, {0xB0, 0xB0}, {0x58F, 0x58F}, {0x60B, 0x60B}, {0x66A, 0x66A},
	{0x7FE, 0x7FF}, {0x9F2, 0x9F3}, {0x9FB, 0x9FB}, {0xAF1, 0xAF1}, {0xBF9, 0xBF9},
	{0xE3F, 0xE3F}, {0x17DB, 0x17DB}, {0x2030, 0x2031}, {0x20A0, 0x20CF}, {0xA838, 0xA838},
	{0xFDFC, 0xFDFC}, {0xFE69, 0xFE6A}, {0xFF04, 0xFF05}, {0xFFE0, 0xFFE1}, {0xFFE5, 0xFFE6}
};

static bool
is_unit(uint32_t c)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (c >= units[i].first && c <= units[i].last)
			return true;
	return false;
}

/*
 * The form of a sign.  Signs are all characters except letters, digits, marks and white space, for
 * which the result is 0.
 */
static uint32_t
sign_of(uint32_t c)
{
	const NormChar *chars;
	NormChar	room[NORM_ROOM];

	if (c == NO_CHARACTER || is_white_space(c))
		return 0;
	if (simhash_is_dash(c) || c == 0x2212)
		return '-';
	if (expand_character(UNICODE_NORMALIZED, c, &chars, room) == 0 ||
		NORM_KIND(chars[0]) != CHAR_SEPARATOR)
		return 0;
	return NORM_CODE_POINT(chars[0]);
}

/*
 * Is the character none of its own: does it vanish in normalisation, as a soft hyphen does, or is it
 * a mark?  White space may separate marks from the word before them in a copy.
 */
static bool
vanishes(uint32_t c)
{
	const NormChar *chars;
	NormChar	room[NORM_ROOM];

	return expand_character(UNICODE_NORMALIZED, c, &chars, room) == 0 ||
		NORM_KIND(chars[0]) == CHAR_MARK;
}

/*
 * Return the character before a place, and move the place before it.  Characters that vanish do not
 * count.  White space is returned if it is in a number, and otherwise does not count either: texts
 * that differ only in it are copies, whose numbers are the same.
 */
static uint32_t
neighbor_before(const Bytes *t, size_t *place)
{
	while (*place > 0)
	{
		size_t		end = *place;
		uint32_t	c = previous_character(t, place, 0);

		if (is_white_space(c))
		{
			while (is_white_space(character_before(t, *place)))
				previous_character(t, place, 0);
			if (simhash_space_is_in_number(t, *place, end))
				return ' ';
		}
		else if (!vanishes(c))
			return c;
	}
	return NO_CHARACTER;
}

/* A percent sign, a currency or degrees, or 0 */
static uint32_t
unit_of(uint32_t c)
{
	uint32_t	sign = sign_of(c);

	return is_unit(sign) ? sign : 0;
}

/* Can the character be before a decimal point that begins a number, as in .5 and -.5? */
static bool
precedes_point(uint32_t c)
{
	return c == NO_CHARACTER || c == ' ' || sign_of(c) == '-';
}

/*
 * Return the signs before the number that starts at a place: a dash, 1.5, 10:30, .5, $5, but not
 * "5.  A dash before a unit or a decimal point counts too: -$5, -.5.  A unit counts even before
 * white space in a number.
 */
static uint64_t
signs_before(const Bytes *t, size_t start)
{
	uint32_t	c = neighbor_before(t, &start);
	uint32_t	before;
	bool		is_point;

	if (c == ' ')
		c = unit_of(neighbor_before(t, &start));
	if (c == NO_CHARACTER || sign_of(c) == 0)
		return 0;
	before = neighbor_before(t, &start);
	is_point = c == '.' || c == ',';
	if (unit_of(c) == 0 && simhash_is_punctuation_mark(c) && !simhash_is_dash(c) &&
		!simhash_is_digit(before) && !(is_point && precedes_point(before)))
		return 0;
	if (sign_of(before) == '-' && (unit_of(c) != 0 || is_point))
		return (uint64_t) '-' << 32 | sign_of(c);
	return sign_of(c);
}

/* Return the unit after the number that ends at a place, or 0. */
static uint32_t
unit_behind(const Bytes *t, size_t end)
{
	uint32_t	c;

	do
		c = next_visible(t, &end, t->len);
	while (c != NO_CHARACTER && vanishes(c));
	return unit_of(c);
}

/* ---------- words that are replaced ---------- */

/* The next word, and true; false after the last one. */
typedef bool (*NextWord) (NumberReader *reader, uint64_t *word);

void
simhash_numbers_begin(NumberReader *reader, const ReadText *text, const TextEnv *env)
{
	reader->text = text;
	reader->bytes = bytes_of(text->utf8, text->len, env);
	reader->word = 0;
	simhash_places_init(&reader->places, text->utf8, text->len, &simhash_words_of_changes, env);
}

bool
simhash_next_number(NumberReader *reader, uint64_t *number)
{
	WordPlace	place;
	uint64_t	before;
	uint64_t	behind;

	if (!simhash_places_find_digit(&reader->places, reader->word, &place))
		return false;
	before = signs_before(&reader->bytes, place.start);
	behind = unit_behind(&reader->bytes, place.end);
	*number = mix64(reader->text->list.words[place.word] ^ mix64(mix64(before) ^ behind));
	reader->word = place.word + 1;
	return true;
}

static bool
next_word(NumberReader *reader, uint64_t *word)
{
	if (reader->word == reader->text->list.n)
		return false;
	*word = reader->text->list.words[reader->word++];
	return true;
}

/* The next word other than those of digits only. */
static bool
next_but_numbers(NumberReader *reader, uint64_t *word)
{
	WordPlace	place;

	while (next_word(reader, word))
	{
		if (!simhash_places_find(&reader->places, reader->word - 1, &place) || !place.is_number)
			return true;
	}
	return false;
}

/* Does each text have a word that the other one lacks, or has less often? */
static bool
is_replaced(const ReadText *a, const ReadText *b, NextWord next, const TextEnv *env)
{
	NumberReader reader;
	FeatureCounts left;			/* the words of b that are not in a; TAKEN:
								 * none */
	size_t		n_left = 0;
	bool		own_a = false;
	uint64_t	word;
	size_t		steps = 0;

	simhash_counts_init(&left, env);
	simhash_numbers_begin(&reader, b, env);
	for (; next(&reader, &word); n_left++)
	{
		simhash_counts_add(&left, &word, 1);
		if (++steps % WORDS_BETWEEN_CHECKS == 0)
			env->check_interrupts(env->arg);
	}
	simhash_numbers_begin(&reader, a, env);
	while (left.n_keys > 0 && n_left > 0 && next(&reader, &word))
	{
		uint32_t   *count = simhash_counts_of(&left, word);

		if (*count == 0 || *count == TAKEN)
			own_a = true;
		else
		{
			*count = *count == 1 ? TAKEN : *count - 1;
			n_left--;
		}
		if (++steps % WORDS_BETWEEN_CHECKS == 0)
			env->check_interrupts(env->arg);
	}
	simhash_counts_free(&left);
	return own_a && n_left > 0;
}

/* ---------- the rule ---------- */

static bool
are_copies(const ReadText *a, const ReadText *b, const TextEnv *env)
{
	const Bytes of_a = bytes_of(a->utf8, a->len, env);
	const Bytes of_b = bytes_of(b->utf8, b->len, env);

	return simhash_are_copies(&of_a, &of_b, true);
}

/* Check the conditions of same_document.h for texts that are not copies. */
static bool
is_version(const ReadText *a, const ReadText *b, bool numbers, const TextEnv *env)
{
	Reading		readings[2];
	int			n;

	if (a->list.n == 0 || b->list.n == 0)
		return false;
	n = simhash_read_both(a, b, numbers, env, readings);
	while (n-- > 0)
	{
		if (readings[n].value > MOST_BEHIND_BEGINNING ||
			(readings[n].value > 1 && readings[n].n_equal < SAME_BEGINNING))
			return false;
	}
	if ((a->list.n < SHORT_DOCUMENT || b->list.n < SHORT_DOCUMENT) &&
		is_replaced(a, b, numbers ? next_word : next_but_numbers, env))
		return false;
	return !numbers || !is_replaced(a, b, simhash_next_number, env);
}

bool
simhash_same_document_of_read(const ReadText *a, const ReadText *b, bool numbers, const TextEnv *env)
{
	/* copies fulfil the conditions unless they have no words */
	return is_version(a, b, numbers, env) || are_copies(a, b, env);
}

bool
simhash_same_document_of_texts(const char *a, size_t a_len, const char *b, size_t b_len,
							   bool numbers, const TextEnv *env)
{
	ReadText	in_a;
	ReadText	in_b;
	bool		same;

	if (a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0))
		return true;
	simhash_read_text(a, a_len, env, &in_a);
	simhash_read_text(b, b_len, env, &in_b);
	same = simhash_same_document_of_read(&in_a, &in_b, numbers, env);
	env->release(env->arg, in_a.list.words);
	env->release(env->arg, in_b.list.words);
	return same;
}
