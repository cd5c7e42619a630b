/*-------------------------------------------------------------------------
 *
 * numerals.c
 *		Numerals, and white space in numbers; see numerals.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/unicode/numerals.h"
#include "../text/unicode/unicode.h"
#include "numerals.h"
#include "signs.h"

/* Is the character, or one of those that normalisation makes of it, a digit or a Chinese numeral? */
static bool
is_numeral(uint32_t c, bool chinese)
{
	const NormChar *chars;
	NormChar	room[NORM_ROOM];

	if (c < 0x80)
		return c >= '0' && c <= '9';
	for (int n = expand_character(UNICODE_NORMALIZED, c, &chars, room); n-- > 0;)
		if (NORM_CODE_POINT(chars[n]) - '0' < 10 ||
			(chinese && is_chinese_numeral(NORM_CODE_POINT(chars[n]))))
			return true;
	return false;
}

bool
core_is_digit(uint32_t c)
{
	return is_numeral(c, false);
}

bool
core_is_numeral(uint32_t c)
{
	return is_numeral(c, true);
}

/* Is the character something other than a sign, such as a letter or a mark? */
static bool
is_letter(uint32_t c)
{
	NormChar	first;

	if (c < 0x80)
		return is_ascii_letter((uint8_t) c);
	first = first_of_form(UNICODE_NORMALIZED, c);
	return first != NO_CHARACTER && NORM_KIND(first) != CHAR_SEPARATOR;
}

/* Is a numeral before a place, or behind it, with only a few signs and white space between? */
static bool
is_numeral_near(const Bytes *t, size_t place, bool behind)
{
	for (int n_signs = 0; n_signs <= MOST_SIGNS; n_signs++)
	{
		uint32_t	c = behind ? next_visible(t, &place, t->len) :
			previous_visible(t, &place, 0);

		if (core_is_numeral(c))
			return true;
		if (c == NO_CHARACTER || is_letter(c))
			return false;
	}
	return false;
}

/* A full stop or comma.  Most characters are letters. */
static bool
is_point(uint32_t c)
{
	uint32_t	sign = c;

	if (c >= 0x80)
	{
		if (c > 0x10FFFF || (unicode_value(UNICODE_NORMALIZED, c) & 7) != CHAR_SEPARATOR)
			return false;
		sign = core_sign_of(c);
	}
	return sign == '.' || sign == ',';
}

/* Does a place divide a point from what is before it, or a digit from the point before it? */
static bool
is_beside_point(const Bytes *t, size_t start, size_t end)
{
	uint32_t	c = next_visible(t, &end, t->len);

	if (is_point(c))
		return core_is_digit(next_visible(t, &end, t->len));
	return core_is_digit(c) && is_point(previous_visible(t, &start, 0));
}

bool
core_space_is_in_number(const Bytes *t, size_t start, size_t end)
{
	/* usually a letter follows */
	if (start == 0 || end >= t->len || is_ascii_letter(t->text[end]))
		return false;
	if (is_beside_point(t, start, end))
		return true;
	return !is_ascii_letter(t->text[start - 1]) &&
		is_numeral_near(t, start, false) && is_numeral_near(t, end, true);
}
