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
 * 〇一七万三两九二五亿 仟伍佰億兆兩八六十千 卅叁叄参參四壹壱廿拾 捌柒玖百肆萬貳贰弐弍 陆陸零, each at its
 * place by a hash
 */
extern const uint16_t core_chinese_numerals[128];

/*
 * A Chinese numeral.  Most of them also occur in ordinary words.
 */
static inline bool
is_chinese_numeral(uint32_t c)
{
	return c >= 0x3007 && core_chinese_numerals[c * UINT32_C(0xD5F4B3B3) >> 25] == c;
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

/* A decimal digit or another numeral */
static inline bool
is_any_numeral(uint32_t c)
{
	return c < 0x80 ? c - '0' < 10 : c >= 0x9F4 && (is_chinese_numeral(c) || core_is_other_numeral(c));
}

#endif
