/*-------------------------------------------------------------------------
 *
 * numerals.h
 *		Numerals of normalised text: decimal digits, Chinese numerals, and others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_NUMERALS_OF_TEXT_H
#define SIMHASH_NUMERALS_OF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The bytes in UTF-8 of 〇一七万三两九二五亿 仟伍佰億兆兩八六十千 卅叁叄参參四壹壱廿拾 捌柒玖百肆萬貳贰弐弍 陆陸零, the
 * lowest first, each at its place by a hash
 */
extern const uint32_t core_chinese_numerals[128];

/*
 * Are the 3 bytes a Chinese numeral?  Most of them also occur in ordinary words.
 */
static inline bool
is_chinese_numeral_of_bytes(uint32_t bytes)
{
	return core_chinese_numerals[bytes * UINT32_C(0x18043CDB) >> 25] == bytes;
}

/* The same of a code point */
static inline bool
is_chinese_numeral(uint32_t c)
{
	return c >= 0x3007 && c < 0x10000 &&
		is_chinese_numeral_of_bytes(0x8080E0 | c >> 12 | (c >> 6 & 0x3F) << 8 | (c & 0x3F) << 16);
}

#define ORDINAL_PREFIX 0x7B2C	/* 第 */

/* One of 元円圆圓 号號年月日 条條章款项項 季届頁页 岁歳, which follow a number */
extern bool core_is_counter(uint32_t c);

/* A Chinese numeral, or a circle that stands for the zero behind one (generate_unicode.pl) */
static inline bool
is_chinese_numeral_or_circle(uint32_t c)
{
	return is_chinese_numeral(c) || c == 0x25CB || c == 0x25EF;
}

/* A letter number or a number of Unicode that has no decomposition, such as those of Ethiopic */
extern bool core_is_other_numeral(uint32_t c);

/* A Roman numeral that is a character.  Its normalised form is letters. */
static inline bool
is_roman_numeral(uint32_t c)
{
	return c - 0x2160 < 0x20;
}

/* A decimal digit or another numeral */
static inline bool
is_any_numeral(uint32_t c)
{
	return c < 0x80 ? c - '0' < 10 : c >= 0x9F4 && (is_chinese_numeral(c) || core_is_other_numeral(c));
}

#endif
