/*-------------------------------------------------------------------------
 *
 * numerals.c
 *		Numerals, and white space in numbers; see numerals.h.
 *
 *-------------------------------------------------------------------------
 */
#include "numerals.h"

/* 〇一七万三两九二五亿 仟伍佰億兆兩八六十千 卅叁参參四壹廿拾捌柒 玖百肆萬貳贰陆陸零 */
static const uint16_t chinese_numerals[] = {
	0x3007, 0x4E00, 0x4E03, 0x4E07, 0x4E09, 0x4E24, 0x4E5D, 0x4E8C, 0x4E94, 0x4EBF,
	0x4EDF, 0x4F0D, 0x4F70, 0x5104, 0x5146, 0x5169, 0x516B, 0x516D, 0x5341, 0x5343,
	0x5345, 0x53C1, 0x53C2, 0x53C3, 0x56DB, 0x58F9, 0x5EFF, 0x62FE, 0x634C, 0x67D2,
	0x7396, 0x767E, 0x8086, 0x842C, 0x8CB3, 0x8D30, 0x9646, 0x9678, 0x96F6
};

static bool
is_chinese_numeral(uint32_t c)
{
	for (size_t i = 0; i < sizeof(chinese_numerals) / sizeof(chinese_numerals[0]); i++)
		if (chinese_numerals[i] == c)
			return true;
	return false;
}

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

static inline bool
is_point(uint32_t c)
{
	return c == '.' || c == ',';
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
