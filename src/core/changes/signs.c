/*-------------------------------------------------------------------------
 *
 * signs.c
 *		Signs; see signs.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/unicode/numerals.h"
#include "../text/unicode/unicode.h"
#include "signs.h"
#include "white_space.h"

/* ---------- kinds ---------- */

/* Characters that stand for one sign or, if the step is 1, for as many signs from this one on */
typedef struct SignKind
{
	uint32_t	first;
	uint32_t	last;
	uint32_t	sign;
	uint32_t	step;
} SignKind;

/*
 * Signs that look or mean the same, and compatibility forms, in ascending order.  The ordinal
 * indicators are typed for the degree sign.
 */
static const SignKind kinds[] = {
	{0x60, 0x60, '\'', 0}, {0xAA, 0xAA, 0xB0, 0}, {0xAB, 0xAB, '"', 0}, {0xB4, 0xB4, '\'', 0},
	{0xBA, 0xBA, 0xB0, 0}, {0xBB, 0xBB, '"', 0}, {0x2B9, 0x2B9, '\'', 0}, {0x2BA, 0x2BA, '"', 0},
	{0x2BB, 0x2BF, '\'', 0}, {0x2C8, 0x2C8, '\'', 0}, {0x2DD, 0x2DD, '"', 0},
	{0x384, 0x384, '\'', 0}, {0x387, 0x387, 0xB7, 0}, {0x55A, 0x55A, '\'', 0},
	{0x589, 0x589, ':', 0}, {0x58A, 0x58A, '-', 0}, {0x5BE, 0x5BE, '-', 0},
	{0x5F3, 0x5F3, '\'', 0}, {0x5F4, 0x5F4, '"', 0}, {0x609, 0x609, 0x2030, 0},
	{0x60A, 0x60A, 0x2031, 0}, {0x60C, 0x60C, ',', 0}, {0x66A, 0x66A, '%', 0},
	{0x66B, 0x66B, '.', 0}, {0x66C, 0x66C, ',', 0}, {0x1FBD, 0x1FBD, '\'', 0},
	{0x1FBF, 0x1FBF, '\'', 0}, {0x1FEF, 0x1FEF, '\'', 0}, {0x1FFD, 0x1FFE, '\'', 0},
	{0x2010, 0x2015, '-', 0}, {0x2018, 0x201B, '\'', 0}, {0x201C, 0x201F, '"', 0},
	{0x2022, 0x2022, 0xB7, 0}, {0x2024, 0x2026, '.', 0}, {0x2027, 0x2027, 0xB7, 0},
	{0x2032, 0x2032, '\'', 0}, {0x2033, 0x2034, '"', 0}, {0x2035, 0x2035, '\'', 0},
	{0x2036, 0x2037, '"', 0}, {0x2039, 0x203A, '\'', 0}, {0x203C, 0x203C, '!', 0},
	{0x2043, 0x2043, '-', 0}, {0x2044, 0x2044, '/', 0}, {0x2047, 0x2048, '?', 0},
	{0x2049, 0x2049, '!', 0}, {0x2053, 0x2053, '~', 0}, {0x207A, 0x207A, '+', 0},
	{0x207B, 0x207B, '-', 0}, {0x207C, 0x207C, '=', 0}, {0x207D, 0x207E, '(', 1},
	{0x208A, 0x208A, '+', 0}, {0x208B, 0x208B, '-', 0}, {0x208C, 0x208C, '=', 0},
	{0x208D, 0x208E, '(', 1}, {0x2212, 0x2212, '-', 0}, {0x2215, 0x2215, '/', 0},
	{0x2217, 0x2217, '*', 0}, {0x2219, 0x2219, 0xB7, 0}, {0x2236, 0x2236, ':', 0},
	{0x223C, 0x223C, '~', 0}, {0x22C5, 0x22C5, 0xB7, 0}, {0x2795, 0x2795, '+', 0},
	{0x2796, 0x2796, '-', 0}, {0x29F8, 0x29F8, '/', 0}, {0x2A74, 0x2A74, ':', 0},
	{0x2A75, 0x2A76, '=', 0}, {0x2E31, 0x2E31, 0xB7, 0}, {0x2E3A, 0x2E3B, '-', 0},
	{0x2E42, 0x2E42, '"', 0}, {0x301C, 0x301C, '~', 0}, {0x301D, 0x301F, '"', 0},
	{0x3030, 0x3030, '~', 0}, {0x30FB, 0x30FB, 0xB7, 0}, {0xA789, 0xA789, ':', 0},
	{0xA78B, 0xA78C, '\'', 0}, {0xFB29, 0xFB29, '+', 0}, {0xFE10, 0xFE10, ',', 0},
	{0xFE11, 0xFE12, 0x3001, 1}, {0xFE13, 0xFE14, ':', 1}, {0xFE15, 0xFE15, '!', 0},
	{0xFE16, 0xFE16, '?', 0}, {0xFE19, 0xFE19, '.', 0}, {0xFE30, 0xFE30, '.', 0},
	{0xFE31, 0xFE32, '-', 0}, {0xFE33, 0xFE34, '_', 0}, {0xFE35, 0xFE36, '(', 1},
	{0xFE37, 0xFE37, '{', 0}, {0xFE38, 0xFE38, '}', 0}, {0xFE47, 0xFE47, '[', 0},
	{0xFE48, 0xFE48, ']', 0}, {0xFE4D, 0xFE4F, '_', 0}, {0xFE50, 0xFE50, ',', 0},
	{0xFE51, 0xFE51, 0x3001, 0}, {0xFE52, 0xFE52, '.', 0}, {0xFE54, 0xFE54, ';', 0},
	{0xFE55, 0xFE55, ':', 0}, {0xFE56, 0xFE56, '?', 0}, {0xFE57, 0xFE57, '!', 0},
	{0xFE58, 0xFE58, '-', 0}, {0xFE59, 0xFE5A, '(', 1}, {0xFE5B, 0xFE5B, '{', 0},
	{0xFE5C, 0xFE5C, '}', 0}, {0xFE5F, 0xFE5F, '#', 0}, {0xFE60, 0xFE60, '&', 0},
	{0xFE61, 0xFE62, '*', 1}, {0xFE63, 0xFE63, '-', 0}, {0xFE64, 0xFE64, '<', 0},
	{0xFE65, 0xFE65, '>', 0}, {0xFE66, 0xFE66, '=', 0}, {0xFE68, 0xFE68, '\\', 0},
	{0xFE69, 0xFE6A, '$', 1}, {0xFE6B, 0xFE6B, '@', 0}, {0xFF01, 0xFF0F, '!', 1},
	{0xFF1A, 0xFF20, ':', 1}, {0xFF3B, 0xFF3F, '[', 1}, {0xFF40, 0xFF40, '\'', 0},
	{0xFF5B, 0xFF5E, '{', 1}, {0xFF61, 0xFF61, 0x3002, 0}, {0xFF64, 0xFF64, 0x3001, 0},
	{0xFF65, 0xFF65, 0xB7, 0}, {0xFFE0, 0xFFE1, 0xA2, 1}, {0xFFE2, 0xFFE2, 0xAC, 0},
	{0xFFE4, 0xFFE4, 0xA6, 0}, {0xFFE5, 0xFFE5, 0xA5, 0}, {0xFFE6, 0xFFE6, 0x20A9, 0},
	{0xFFE9, 0xFFEC, 0x2190, 1}
};

/* Those that count beside a number without a digit before them */
static const uint32_t signs_of_numbers[] = {'+', '-', '<', 0xB1, 0x2213, 0x2260, 0x2264, 0x2265};

/* Percent, per mille, degree, and the category Currency_Symbol */
static const SignKind units[] = {
	{0x24, 0x25, 0, 0}, {0xA2, 0xA5, 0, 0}, {0xB0, 0xB0, 0, 0}, {0x58F, 0x58F, 0, 0},
	{0x60B, 0x60B, 0, 0}, {0x7FE, 0x7FF, 0, 0}, {0x9F2, 0x9F3, 0, 0}, {0x9FB, 0x9FB, 0, 0},
	{0xAF1, 0xAF1, 0, 0}, {0xBF9, 0xBF9, 0, 0}, {0xE3F, 0xE3F, 0, 0}, {0x17DB, 0x17DB, 0, 0},
	{0x2030, 0x2031, 0, 0}, {0x20A0, 0x20CF, 0, 0}, {0xA838, 0xA838, 0, 0}
};

/* Find the kind of a character in a table, or NULL */
static const SignKind *
find_kind(const SignKind *table, size_t n, uint32_t c)
{
	size_t		low = 0;

	while (low < n)
	{
		size_t		middle = low + (n - low) / 2;

		if (table[middle].last < c)
			low = middle + 1;
		else
			n = middle;
	}
	return table[low].first <= c && c <= table[low].last ? &table[low] : NULL;
}

#define FIND_KIND(table, c) find_kind(table, sizeof(table) / sizeof(SignKind) - 1, c)

static bool
is_unit(uint32_t sign)
{
	return FIND_KIND(units, sign) != NULL;
}

/* The sign that stands for a character of the normalised form, or 0 */
static uint32_t
sign_of_form(NormChar c)
{
	const SignKind *kind = FIND_KIND(kinds, NORM_CODE_POINT(c));

	if (kind != NULL)
		return kind->sign + kind->step * (NORM_CODE_POINT(c) - kind->first);
	return NORM_KIND(c) == CHAR_SEPARATOR ? NORM_CODE_POINT(c) : 0;
}

/*
 * Point at the characters that a code point counts as: those of its form, or the code point itself if
 * the form begins with a space, as that of an accent by itself does, or would lose the sign.
 */
static int
expand_sign(uint32_t c, const NormChar **chars, NormChar *room)
{
	int			n;

	if (c < 0x80 || c > 0x10FFFF || FIND_KIND(kinds, c) == NULL)
	{
		n = expand_character(UNICODE_NORMALIZED, c, chars, room);
		if (n == 0 || !is_white_space(NORM_CODE_POINT((*chars)[0])))
			return n;
	}
	room[0] = c;
	*chars = room;
	return 1;
}

uint32_t
core_sign_of(uint32_t c)
{
	const NormChar *chars;
	NormChar	room[NORM_ROOM];

	if (c == NO_CHARACTER || is_white_space(c))
		return 0;
	return expand_sign(c, &chars, room) > 0 ? sign_of_form(chars[0]) : 0;
}

/* ---------- reading beside a number ---------- */

/* Reads the characters before a place, the nearest first. */
typedef struct ReaderBefore
{
	const Bytes *t;
	size_t		place;			/* of the code point that was read last */
	int			n;				/* its characters that are left */
	const NormChar *chars;
	NormChar	room[NORM_ROOM];
} ReaderBefore;

#define COUNTED_SPACE	' '		/* what white space that counts is read as */

/*
 * Return the next character.  Characters that vanish and marks do not count, as white space may
 * separate marks from the word before them in a copy.  White space is returned if it counts: texts
 * that differ only in other white space are copies, whose numbers are the same.
 */
static NormChar
read_before(ReaderBefore *r)
{
	for (;;)
	{
		size_t		end = r->place;
		uint32_t	c;

		while (r->n > 0)
			if (NORM_KIND(r->chars[--r->n]) != CHAR_MARK)
				return r->chars[r->n];
		if (end == 0)
			return NO_CHARACTER;
		c = previous_character(r->t, &r->place, 0);
		if (!is_white_space(c))
		{
			r->n = expand_sign(c, &r->chars, r->room);
			continue;
		}
		r->place = skip_space_before(r->t, r->place, 0);
		if (white_space_counts(r->t, r->place, end))
			return COUNTED_SPACE;
	}
}

static inline bool
is_word_character(NormChar c)
{
	return NORM_KIND(c) != CHAR_SEPARATOR && NORM_KIND(c) != CHAR_CJK;
}

/*
 * A code point may have several words, as U+00BD has 1 and 2.  Find where the one of them begins that
 * is number nth of those with a digit, and store the place behind it.
 */
static int
find_word(const NormChar *chars, int n, int nth, int *end)
{
	int			start = 0;

	*end = 0;
	for (int i = 0; i < n; i = *end + 1)
	{
		bool		has_digit = false;

		for (start = *end = i; *end < n && is_word_character(chars[*end]); ++*end)
			has_digit |= NORM_CODE_POINT(chars[*end]) - '0' < 10;
		if (has_digit && nth-- == 0)
			break;
	}
	return start;
}

/* Is an ASCII letter or digit before a place, with only blanks between?  That is the usual case. */
static inline bool
is_plain_before(const Bytes *t, size_t place)
{
	if (t->text[place] >= 0x80)
		return false;
	while (place > 0 && t->text[place - 1] == ' ')
		place--;
	return place > 0 && is_ascii_word(t->text[place - 1]);
}

static inline bool
is_plain_behind(const Bytes *t, size_t place)
{
	if (t->text[place - 1] >= 0x80)
		return false;
	while (place < t->len && t->text[place] == ' ')
		place++;
	return place < t->len && is_ascii_word(t->text[place]);
}

/* Can the character be before a decimal point that begins a number, as in .5 and -.5? */
static bool
precedes_point(NormChar c)
{
	return c == NO_CHARACTER || c == COUNTED_SPACE || sign_of_form(c) == '-';
}

static bool
is_sign_of_number(uint32_t sign)
{
	for (size_t i = 0; i < sizeof(signs_of_numbers) / sizeof(signs_of_numbers[0]); i++)
		if (signs_of_numbers[i] == sign)
			return true;
	return is_unit(sign);
}

uint64_t
core_signs_before(const Bytes *t, size_t start, int nth)
{
	ReaderBefore r = {.t = t,.place = start};
	NormChar	c;
	NormChar	before;
	uint32_t	sign;
	bool		is_point;

	/* whether or not white space counts, there is no sign */
	if (is_plain_before(t, start))
		return 0;
	/* before a letter it is punctuation */
	if (is_ascii_letter(t->text[start]))
		return 0;
	if (t->text[start] >= 0x80)
	{
		int			end;
		int			n = expand_sign(character_at(t, start), &r.chars, r.room);

		r.n = find_word(r.chars, n, nth, &end);
		if (!is_any_numeral(NORM_CODE_POINT(r.chars[r.n])))
			return 0;
	}
	c = read_before(&r);
	if (c == COUNTED_SPACE)
	{
		c = read_before(&r);
		if (c == NO_CHARACTER || !is_unit(sign_of_form(c)))
			return 0;
	}
	if (c == NO_CHARACTER || sign_of_form(c) == 0)
		return 0;
	sign = sign_of_form(c);
	before = read_before(&r);
	is_point = sign == '.' || sign == ',';
	if (!is_sign_of_number(sign) && !(is_point && precedes_point(before)) &&
		NORM_CODE_POINT(before) - '0' >= 10)
		return 0;
	if (before != NO_CHARACTER && sign_of_form(before) == '-' && (is_unit(sign) || is_point))
		return (uint64_t) '-' << 32 | sign;
	return sign;
}

/* The next character behind a place, of which i of n are read; white space does not count */
static NormChar
read_behind(const Bytes *t, size_t place, const NormChar *chars, int n, int i)
{
	NormChar	room[NORM_ROOM];

	for (;;)
	{
		uint32_t	c;

		for (; i < n; i++)
			if (NORM_KIND(chars[i]) != CHAR_MARK)
				return chars[i];
		c = next_visible(t, &place, t->len);
		if (c == NO_CHARACTER)
			return NO_CHARACTER;
		n = expand_sign(c, &chars, room);
		i = 0;
	}
}

uint32_t
core_unit_behind(const Bytes *t, size_t end, int nth)
{
	const NormChar *chars = NULL;
	NormChar	room[NORM_ROOM];
	NormChar	c;
	int			n = 0;
	int			i = 0;

	if (is_plain_behind(t, end))
		return 0;
	if (t->text[end - 1] >= 0x80)
	{
		n = expand_sign(character_before(t, end), &chars, room);
		find_word(chars, n, nth, &i);
	}
	c = read_behind(t, end, chars, n, i);
	return c != NO_CHARACTER && is_unit(sign_of_form(c)) ? sign_of_form(c) : 0;
}

uint32_t
core_character_beside(const Bytes *t, size_t place, bool behind)
{
	ReaderBefore r = {.t = t,.place = place};
	NormChar	c = behind ? read_behind(t, place, NULL, 0, 0) : read_before(&r);

	return c == NO_CHARACTER ? c : NORM_CODE_POINT(c);
}
