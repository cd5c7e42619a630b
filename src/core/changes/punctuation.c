/*-------------------------------------------------------------------------
 *
 * punctuation.c
 *		Punctuation; see punctuation.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/unicode/numerals.h"
#include "numerals.h"
#include "punctuation.h"
#include "signs.h"

typedef struct Range
{
	uint32_t	first;
	uint32_t	last;
} Range;

/*
 * Full stops, commas, semicolons, colons and ellipses (of Latin, Greek, Armenian, Arabic,
 * Devanagari and Ethiopic scripts, Chinese and Japanese), also as compatibility forms.  U+037E is
 * left out, because it is not a semicolon but the Greek question mark.
 */
static const Range stops[] = {
	{',', ','}, {'.', '.'}, {':', ';'},
	{0x55D, 0x55D}, {0x589, 0x589}, {0x60C, 0x60C}, {0x61B, 0x61B}, {0x6D4, 0x6D4},
	{0x964, 0x965}, {0x1362, 0x1365}, {0x2024, 0x2026}, {0x3001, 0x3002},
	{0xFE10, 0xFE14}, {0xFE19, 0xFE19}, {0xFE30, 0xFE30}, {0xFE50, 0xFE52}, {0xFE54, 0xFE55},
	{0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1B}, {0xFF61, 0xFF61}, {0xFF64, 0xFF64}
};

/*
 * The property Quotation_Mark, characters used as apostrophes, and the brackets of ASCII and of
 * Chinese and Japanese, also as compatibility forms.
 */
static const Range quotes_and_brackets[] = {
	{'"', '"'}, {'\'', ')'}, {'[', '['}, {']', ']'}, {'{', '{'}, {'}', '}'},
	{0xAB, 0xAB}, {0xB4, 0xB4}, {0xBB, 0xBB}, {0x2B9, 0x2BF}, {0x2C8, 0x2C8}, {0x2EE, 0x2EE},
	{0x384, 0x384}, {0x7F4, 0x7F5}, {0x1FBD, 0x1FBD}, {0x1FBF, 0x1FBF}, {0x1FFD, 0x1FFD},
	{0x2018, 0x201F}, {0x2039, 0x203A}, {0x2E42, 0x2E42},
	{0x3008, 0x3011}, {0x3014, 0x301B}, {0x301D, 0x301F}, {0xA78B, 0xA78C},
	{0xFE17, 0xFE18}, {0xFE35, 0xFE44}, {0xFE47, 0xFE48}, {0xFE59, 0xFE5E},
	{0xFF02, 0xFF02}, {0xFF07, 0xFF09}, {0xFF3B, 0xFF3B}, {0xFF3D, 0xFF3D}, {0xFF5B, 0xFF5B},
	{0xFF5D, 0xFF5D}, {0xFF5F, 0xFF60}, {0xFF62, 0xFF63}
};

/* Those of them that also occur in formulas and in paths. */
static const Range ascii_brackets[] = {
	{'(', ')'}, {'[', '['}, {']', ']'}, {'{', '{'}, {'}', '}'}
};

static const Range dashes[] = {
	{'-', '-'}, {0x2010, 0x2015}, {0x2E3A, 0x2E3B}, {0xFE31, 0xFE32}, {0xFE58, 0xFE58},
	{0xFE63, 0xFE63}, {0xFF0D, 0xFF0D}
};

static bool
in_ranges(uint32_t c, const Range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

#define IN_RANGES(c, ranges) in_ranges(c, ranges, sizeof(ranges) / sizeof(Range))

/* White space or a border of the text. */
static bool
is_gap(uint32_t c)
{
	return c == NO_CHARACTER || is_white_space(c);
}

/* In Greek the semicolon is the question mark. */
static bool
is_greek_question_mark(const Bytes *t, size_t start, uint32_t c)
{
	uint32_t	before;

	if (c != ';')
		return false;
	before = previous_visible(t, &start, 0);
	return (before >= 0x370 && before <= 0x3FF) || (before >= 0x1F00 && before <= 0x1FFF);
}

/* Is there a digit before start or after end?  White space between is ignored. */
static bool
is_near_digit(const Bytes *t, size_t start, size_t end)
{
	return core_is_digit(previous_visible(t, &start, 0)) || core_is_digit(next_visible(t, &end, t->len));
}

/* Are there numerals before start and after end?  White space between is ignored. */
static bool
is_between_numerals(const Bytes *t, size_t start, size_t end)
{
	return core_is_numeral(previous_visible(t, &start, 0)) && core_is_numeral(next_visible(t, &end, t->len));
}

static int
kind_of_mark(uint32_t c)
{
	NormChar	first = first_of_form(UNICODE_NORMALIZED, c);

	if (first == NO_CHARACTER || is_white_space(c))
		return CHAR_SEPARATOR;
	return NORM_KIND(first) == CHAR_NUMBER ? CHAR_WORD : NORM_KIND(first);
}

/*
 * Can a dash at a place be the sign of an amount?  There may be a currency or a unit between it and
 * the numeral: a few other signs, and a word of at most four letters.
 */
#define MOST_UNIT_LETTERS 4

static bool
is_sign_of_amount(const Bytes *t, size_t place, bool forwards)
{
	int			n_signs = 0;
	int			n_letters = 0;
	bool		in_word = false;

	for (;;)
	{
		uint32_t	c = forwards ? character_at(t, place) : character_before(t, place);

		if (c == NO_CHARACTER)
			return false;
		if (core_is_numeral(c))
			return true;
		if (kind_of_mark(c) != CHAR_SEPARATOR)
		{
			if (++n_letters > MOST_UNIT_LETTERS || (n_letters > 1 && !in_word))
				return false;
			in_word = true;
		}
		else if (is_white_space(c))
			in_word = false;
		else if (++n_signs > MOST_SIGNS)
			return false;
		if (forwards)
			next_character(t, &place, t->len);
		else
			previous_character(t, &place, 0);
	}
}

/*
 * Is a stretch inside a word of a script that has spaces between words, as in an address, a path or
 * a formula?  An apostrophe between letters does not count.
 */
static bool
is_inside_word(const Bytes *t, Span stretch)
{
	size_t		p = stretch.start;
	uint32_t	first = character_at(t, p);

	if (p == stretch.end || kind_of_mark(character_before(t, p)) != CHAR_WORD ||
		kind_of_mark(character_at(t, stretch.end)) != CHAR_WORD)
		return false;
	while (p < stretch.end)
		if (is_white_space(next_character(t, &p, stretch.end)))
			return false;
	p = stretch.start;
	next_character(t, &p, t->len);
	return p != stretch.end || !IN_RANGES(first, quotes_and_brackets) ||
		IN_RANGES(first, ascii_brackets);
}

bool
core_is_punctuation(const Bytes *t, Span stretch)
{
	size_t		p = stretch.start;

	if (is_inside_word(t, stretch))
		return false;
	while (p < stretch.end)
	{
		size_t		start = p;
		uint32_t	c = next_character(t, &p, stretch.end);

		if (IN_RANGES(c, dashes))
		{
			/* several dashes are one */
			while (p < stretch.end && IN_RANGES(character_at(t, p), dashes))
				next_character(t, &p, stretch.end);
			if (!is_gap(character_before(t, start)) || !is_gap(character_at(t, p)) ||
				is_sign_of_amount(t, start, false) || is_sign_of_amount(t, p, true))
				return false;
		}
		else if (IN_RANGES(c, quotes_and_brackets))
		{
			/* "( 500 )" is a negative number in accounts, and 5 " is a length */
			if (is_near_digit(t, start, p))
				return false;
		}
		else if (IN_RANGES(c, stops))
		{
			if (core_is_digit(character_before(t, start)) || core_is_digit(character_at(t, p)) ||
				is_between_numerals(t, start, p) || is_greek_question_mark(t, start, c))
				return false;
		}
		else if (!is_white_space(c))
			return false;
	}
	return true;
}

/* Is a Chinese numeral a number, or a part of one, because of the characters beside it? */
static bool
is_in_chinese_number(const Bytes *t, Span numeral)
{
	uint32_t	before = core_character_beside(t, numeral.start, false);
	uint32_t	behind = core_character_beside(t, numeral.end, true);

	return before == ORDINAL_PREFIX || core_is_counter(behind) ||
		is_chinese_numeral_or_circle(before) || is_chinese_numeral_or_circle(behind);
}

bool
core_is_number(const Bytes *t, Span stretch)
{
	size_t		p = stretch.start;

	while (p < stretch.end)
	{
		size_t		start = p;
		const NormChar *chars;
		NormChar	room[NORM_ROOM];
		uint32_t	code_point = next_character(t, &p, stretch.end);
		int			n = is_roman_numeral(code_point) ? 0 :
			expand_character(UNICODE_NORMALIZED, code_point, &chars, room);

		while (n-- > 0)
		{
			uint32_t	c = NORM_CODE_POINT(chars[n]);

			if (NORM_KIND(chars[n]) == CHAR_SEPARATOR)
				continue;
			if (!is_any_numeral(c) ||
				(is_chinese_numeral(c) && !is_in_chinese_number(t, span_of(start, p))))
				return false;
		}
	}
	return true;
}
