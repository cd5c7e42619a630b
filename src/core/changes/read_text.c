/*-------------------------------------------------------------------------
 *
 * read_text.c
 *		Texts whose words and numbers have been read; see read_text.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/sort_hashes.h"
#include "../text/mix.h"
#include "../text/tokens/places.h"
#include "punctuation.h"
#include "read_text.h"
#include "white_space.h"

/* ---------- signs beside a number ---------- */

/*
 * The form of a sign.  Signs are all characters except letters, digits, marks and white space, for
 * which the result is 0.
 */
static uint32_t
sign_of(uint32_t c)
{
	NormChar	first;

	if (c == NO_CHARACTER || is_white_space(c))
		return 0;
	if (core_is_dash(c) || c == 0x2212)
		return '-';
	first = first_of_form(UNICODE_NORMALIZED, c);
	return NORM_KIND(first) == CHAR_SEPARATOR ? NORM_CODE_POINT(first) : 0;
}

/*
 * Does the character vanish in normalisation, as a soft hyphen does, or is it a mark of the character
 * before it?  White space may separate marks from the word before them in a copy.
 */
static bool
vanishes_in_copy(uint32_t c)
{
	NormChar	first = first_of_form(UNICODE_NORMALIZED, c);

	return first == NO_CHARACTER || NORM_KIND(first) == CHAR_MARK;
}

/*
 * Return the character before a place, and move the place before it.  Characters that vanish do not
 * count.  White space is returned if it counts: texts that differ only in other white space are
 * copies, whose numbers are the same.
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
			*place = skip_space_before(t, *place, 0);
			if (white_space_counts(t, *place, end))
				return ' ';
		}
		else if (!vanishes_in_copy(c))
			return c;
	}
	return NO_CHARACTER;
}

/* A percent sign, a currency or degrees, or 0 */
static uint32_t
unit_of(uint32_t c)
{
	uint32_t	sign = sign_of(c);

	return core_is_unit(sign) ? sign : 0;
}

/* Can the character be before a decimal point that begins a number, as in .5 and -.5? */
static bool
precedes_point(uint32_t c)
{
	return c == NO_CHARACTER || c == ' ' || sign_of(c) == '-';
}

/*
 * Is an ASCII letter or digit before a place, or behind it, with only blanks between?  Then a number
 * at this place has no sign there, whether or not the white space counts.  That is the usual case.
 */
static inline bool
is_plain_before(const Bytes *t, size_t place)
{
	while (place > 0 && t->text[place - 1] == ' ')
		place--;
	return place > 0 && is_ascii_word(t->text[place - 1]);
}

static inline bool
is_plain_behind(const Bytes *t, size_t place)
{
	while (place < t->len && t->text[place] == ' ')
		place++;
	return place < t->len && is_ascii_word(t->text[place]);
}

/*
 * Return the signs before the number that starts at a place: a dash, 1.5, 10:30, .5, $5, but not
 * "5.  A dash before a unit or a decimal point counts too: -$5, -.5.  A unit counts even before
 * white space in a number.
 */
static uint64_t
signs_before(const Bytes *t, size_t start)
{
	uint32_t	c;
	uint32_t	before;
	bool		is_point;

	if (is_plain_before(t, start))
		return 0;
	c = neighbor_before(t, &start);
	if (c == ' ')
		c = unit_of(neighbor_before(t, &start));
	if (c == NO_CHARACTER || sign_of(c) == 0)
		return 0;
	before = neighbor_before(t, &start);
	is_point = c == '.' || c == ',';
	if (unit_of(c) == 0 && core_is_punctuation_mark(c) && !core_is_dash(c) &&
		!core_is_digit(before) && !(is_point && precedes_point(before)))
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

	if (is_plain_behind(t, end))
		return 0;
	do
		c = next_visible(t, &end, t->len);
	while (c != NO_CHARACTER && vanishes_in_copy(c));
	return unit_of(c);
}

/* ---------- numbers ---------- */

/* Lists of numbers, which grow together. */
typedef struct NumberLists
{
	ReadText   *text;
	bool		hashes;			/* are hashes read? */
	size_t		n;				/* words with a digit */
	size_t		room;
} NumberLists;

static void
grow_lists(NumberLists *lists, const Env *env)
{
	ReadText   *text = lists->text;

	lists->room += lists->room / 2 + 16;
	text->digits = env_resize(env, text->digits, lists->room * sizeof(uint32_t));
	if (lists->hashes)
		text->numbers = env_resize(env, text->numbers, lists->room * sizeof(uint64_t));
}

static void
add_number(ReadText *text, const Bytes *bytes, const WordPlace *place)
{
	uint64_t	before = signs_before(bytes, place->start);
	uint64_t	behind = unit_behind(bytes, place->end);

	text->numbers[text->n_numbers++] = mix64(text->list.words[place->word] ^
											 mix64(mix64(before) ^ behind));
}

static void
read_numbers(ReadText *text, NumbersToRead numbers, const Env *env)
{
	bool		hashes = numbers != NO_NUMBERS;
	const Bytes bytes = bytes_of(text->utf8, text->len, env);
	NumberLists lists = {text, hashes, 0, 0};
	LinkReader	links;
	PlaceReader places;
	WordPlace	place = {0};

	/* most texts have no number */
	if (!core_has_digit(text->utf8, text->len, &core_words_of_changes, env))
		return;
	if (hashes)
		core_links_begin(&links, &bytes);
	core_places_init(&places, text->utf8, text->len, &core_words_of_changes, env);
	for (size_t word = 0; core_places_find_digit(&places, word, &place); word = place.word + 1)
	{
		if (lists.n == lists.room)
			grow_lists(&lists, env);
		if (hashes && !core_links_cover(&links, place.start))
			add_number(text, &bytes, &place);
		if (place.is_number && place.word <= UINT32_MAX)
			text->digits[text->n_digits++] = (uint32_t) place.word;
		tick(env, lists.n++);
	}
	if (numbers == SORTED_NUMBERS)
		core_sort_hashes(text->numbers, text->n_numbers, env);
}

/* ---------- texts ---------- */

const TextOptions core_words_of_changes = TEXT_OPTIONS_DEFAULT;

void
core_read_text(const char *utf8, size_t len, NumbersToRead numbers, const Env *env,
			   ReadText *text)
{
	memset(text, 0, sizeof(ReadText));
	text->utf8 = utf8;
	text->len = len;
	core_read_words(utf8, len, &core_words_of_changes, env, &text->list);
	read_numbers(text, numbers, env);
}

void
core_release_text(ReadText *text, const Env *env)
{
	env_free(env, text->list.words);
	env_free(env, text->numbers);
	env_free(env, text->digits);
}

bool
core_numbers_replaced(const ReadText *a, const ReadText *b, const Env *env)
{
	size_t		i = 0;
	size_t		j = 0;
	size_t		steps = 0;
	bool		own_a = false;
	bool		own_b = false;

	while (!(own_a && own_b) && (i < a->n_numbers || j < b->n_numbers))
	{
		bool		is_own_a = j == b->n_numbers ||
			(i < a->n_numbers && a->numbers[i] < b->numbers[j]);
		bool		is_own_b = i == a->n_numbers ||
			(j < b->n_numbers && b->numbers[j] < a->numbers[i]);

		own_a |= is_own_a;
		own_b |= is_own_b;
		i += !is_own_b;
		j += !is_own_a;
		tick(env, steps++);
	}
	return own_a && own_b;
}
