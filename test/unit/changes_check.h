/*
 * What the changes of two texts must satisfy, whatever the texts are, by a slow and simple
 * definition.
 */
#ifndef SIMHASH_TEST_CHANGES_CHECK_H
#define SIMHASH_TEST_CHANGES_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "../../src/core/changes/changes.h"
#include "../../src/core/text/tokens/places.h"
#include "../../src/core/text/tokens/words.h"

/* The bytes of white space at p, or 0; a table of its own */
static inline size_t
space_at(const char *p, size_t left)
{
	static const char *const spaces[] = {
		"\t", "\n", "\v", "\f", "\r", " ", "\xC2\x85", "\u00A0", "\u1680", "\u2000", "\u2001",
		"\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
		"\u2028", "\u2029", "\u202F", "\u205F", "\u2800", "\u3000"
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (strlen(spaces[i]) <= left && memcmp(p, spaces[i], strlen(spaces[i])) == 0)
			return strlen(spaces[i]);
	return 0;
}

/* The next code point other than white space; its length, or 0 at the end */
static inline size_t
next_seen(const char **p, const char *end, uint32_t *c)
{
	size_t		length;

	while (*p < end && (length = space_at(*p, (size_t) (end - *p))) > 0)
		*p += length;
	if (*p >= end)
		return 0;
	length = (size_t) utf8_decode((const uint8_t *) *p, (const uint8_t *) end, c);
	if (length == 0)
	{
		*c = 0x110000 + (uint8_t) **p;
		length = 1;
	}
	*p += length;
	return length;
}

/* Roman numerals and circled letters have a case that the words do not need */
static inline uint32_t
fold_numeral(uint32_t c)
{
	return c - 0x2160 < 16 ? c + 16 : c - 0x24B6 < 26 ? c + 26 : c;
}

static inline bool
seen_equal(uint32_t c, uint32_t d, bool fold)
{
	const NormChar *x;
	const NormChar *y;
	NormChar	room_x[3];
	NormChar	room_y[3];
	int			n;

	if (c == d || !fold || c > 0x10FFFF || d > 0x10FFFF)
		return c == d;
	n = core_expand(UNICODE_CASE_FOLDED, fold_numeral(c), &x, room_x);
	return n == core_expand(UNICODE_CASE_FOLDED, fold_numeral(d), &y, room_y) &&
		memcmp(x, y, (size_t) n * sizeof(*x)) == 0;
}

/* The same but for white space and case */
static inline bool
texts_seen_equal(const char *a, size_t a_len, const char *b, size_t b_len, bool fold)
{
	const char *a_end = a + a_len;
	const char *b_end = b + b_len;
	uint32_t	c = 0;
	uint32_t	d = 0;

	for (;;)
	{
		size_t		of_a = next_seen(&a, a_end, &c);
		size_t		of_b = next_seen(&b, b_end, &d);

		if (of_a == 0 || of_b == 0)
			return of_a == of_b;
		if (!seen_equal(c, d, fold))
			return false;
	}
}

static inline size_t
count_words(const char *t, size_t len, const Env *env)
{
	TextOptions options = TEXT_OPTIONS_DEFAULT;
	WordList	list;

	core_read_words(t, len, &options, env, &list);
	env_free(env, list.words);
	return list.n;
}

/*
 * The words of a stretch.  If it begins with a mark, what comes before it decides whether the
 * mark is a word.
 */
static inline size_t
count_words_at(const char *t, Span s, const Env *env)
{
	size_t		alone = count_words(t + s.start, s.end - s.start, env);

	if (alone > 0 || s.end > 10000)
		return alone;
	return count_words(t, s.end, env) - count_words(t, s.start, env);
}

static inline bool
words_equal(const char *a, size_t a_len, const char *b, size_t b_len, const Env *env)
{
	TextOptions options = TEXT_OPTIONS_DEFAULT;
	WordList	of_a;
	WordList	of_b;
	bool		equal;

	core_read_words(a, a_len, &options, env, &of_a);
	core_read_words(b, b_len, &options, env, &of_b);
	equal = of_a.n == of_b.n && memcmp(of_a.words, of_b.words, of_a.n * sizeof(uint64_t)) == 0;
	env_free(env, of_a.words);
	env_free(env, of_b.words);
	return equal;
}

/*
 * What a character is in a number: 'd' for digits, 'n' for another numeral, 'l' for a letter or
 * mark, 'p' for a point, 's' for the rest
 */
static inline char
class_in_number(uint32_t c)
{
	static const char *const chinese =
		"〇零一二三四五六七八九十百千万萬亿億兆两兩廿卅壹壱贰貳弐弍叁叄參参肆伍陆陸柒捌玖拾佰仟";
	const NormChar *chars;
	NormChar	room[4];
	int			n;
	static const char *const points = ".,\u060C\u066B\u066C\u2024\u2025\u2026\uFE10\uFE19\uFE30\uFE50\uFE52\uFF0C\uFF0E";
	char		class = 's';
	const char *point = points;
	uint32_t	of_point;

	if (c > 0x10FFFF)
		return 's';
	while (next_seen(&point, points + strlen(points), &of_point) > 0)
		if (of_point == c)
			return 'p';
	n = core_expand(UNICODE_NORMALIZED, c, &chars, room);
	for (int i = 0; i < n; i++)
	{
		const char *p = chinese;
		uint32_t	d;

		if (NORM_CODE_POINT(chars[i]) >= '0' && NORM_CODE_POINT(chars[i]) <= '9')
			return 'd';
		while (next_seen(&p, chinese + strlen(chinese), &d) > 0)
			if (d == NORM_CODE_POINT(chars[i]))
				return 'n';
		if (i == 0 && NORM_KIND(chars[i]) != CHAR_SEPARATOR)
			class = 'l';
	}
	return class;
}

/* Is there a letter or digit of an alphabet before number n, perhaps with marks? */
static inline bool
is_behind_letter(const uint32_t *c, size_t n)
{
	while (n-- > 0 && c[n] != 0)
	{
		const NormChar *chars;
		NormChar	room[4];
		int			n_chars = c[n] > 0x10FFFF ? 0 :
			core_expand(UNICODE_FOLDED_NORMALIZED, c[n], &chars, room);

		if (c[n] > 0x10FFFF)
			return false;
		for (int i = n_chars - 1; i >= 0; i--)
			if (NORM_KIND(chars[i]) != CHAR_MARK)
				return NORM_KIND(chars[i]) == CHAR_WORD;
	}
	return false;
}

/* Do the last characters before number n, folded, spell a word? */
static inline bool
is_spelled(const uint32_t *c, size_t n, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (n < len || c[n - len + i] != (uint8_t) word[i])
			return false;
	return true;
}

/* Are the characters from one up to another one digits of Base64? */
static inline bool
is_base64_digits(const uint32_t *c, size_t from, size_t to)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789+/=-_%";

	while (from < to && (c[from] == 0x212A ||
						 (c[from] > 0 && c[from] < 0x80 && strchr(digits, (int) c[from]) != NULL)))
		from++;
	return from == to;
}

/* Is there a semicolon before number n, perhaps with white space between? */
static inline bool
is_behind_semicolon(const uint32_t *c, size_t n)
{
	while (n > 0 && c[n - 1] == 0)
		n--;
	return n > 0 && c[n - 1] == ';';
}

/* Does white space from "place" to "behind" end a link, or divide the beginning of one? */
static inline bool
ends_link(const char *t, size_t len, size_t place, size_t behind)
{
	static const char *const beginnings[] = {"http://", "https://", "www.", "base64,"};
	uint32_t   *c;				/* from some bytes before the last white space on;
								 * 0: white space */
	size_t		start = place;
	size_t		n = 0;
	bool		ends = false;

	while (start > 0 && !(start < place && space_at(t + start, place - start) > 0))
		start--;
	start = start > 240 ? start - 240 : 0;
	while (start < place && (t[start] & 0xC0) == 0x80)
		start++;
	c = malloc((place - start + 1) * sizeof(uint32_t));
	for (size_t i = start; i < place;)
	{
		size_t		space = space_at(t + i, place - i);
		const char *p = t + i;

		c[n] = 0;
		if (space > 0)
			i += space;
		else
		{
			next_seen(&p, t + place, &c[n]);
			i = (size_t) (p - t);
		}
		c[n] = c[n] == 0x17F ? 's' : c[n] - 'A' < 26 ? c[n] + 32 : c[n];
		n++;
	}
	for (int i = 0; i < 4; i++)
	{
		size_t		letters = strlen(beginnings[i]);

		for (size_t k = 1; k < letters; k++)
			ends = ends || (strchr(":/.,", beginnings[i][k]) != NULL && behind < len &&
							t[behind] == beginnings[i][k] && is_spelled(c, n, beginnings[i], k));
		for (size_t end = n; end > 0 && c[end - 1] != 0; end--)
			ends = ends || (is_spelled(c, end, beginnings[i], letters) &&
							(i < 3 ? !is_behind_letter(c, end - letters) :
							 is_base64_digits(c, end, n) && is_behind_semicolon(c, end - letters)));
	}
	free(c);
	return ends;
}

/*
 * Write the classes of all characters, in memory to be released, with a space for white space, or 'L'
 * at the end of a link
 */
static inline char *
number_classes(const char *t, size_t len, const Env *env)
{
	char	   *classes = env_alloc(env, 2 * len + 1);
	const char *p = t;
	size_t		n = 0;
	uint32_t	c;

	while (p < t + len)
	{
		const char *before = p;

		if (space_at(p, (size_t) (t + len - p)) > 0)
		{
			size_t		behind = (size_t) (p - t);
			size_t		bytes;

			while ((bytes = space_at(t + behind, len - behind)) > 0)
				behind += bytes;
			classes[n++] = ends_link(t, len, (size_t) (p - t), behind) ? 'L' : ' ';
		}
		if (next_seen(&p, t + len, &c) == 0)
			break;
		classes[n++] = before < p ? class_in_number(c) : 's';
	}
	classes[n] = 0;
	return classes;
}

static inline bool
is_space_class(char class)
{
	return class == ' ' || class == 'L';
}

/* Is a numeral there in this direction, with at most 16 signs before it? */
static inline bool
numeral_there(const char *classes, const char *p, int step)
{
	int			n_signs = 0;

	for (p += step; p >= classes && *p != 0; p += step)
	{
		if (*p == 'n' || *p == 'd')
			return true;
		if (*p == 'l' || ((*p == 's' || *p == 'p') && ++n_signs > 16))
			return false;
	}
	return false;
}

/* Is the place white space that counts? */
static inline bool
space_counts_at(const char *classes, const char *p)
{
	char		next;
	char		after;

	if (!is_space_class(*p) || p == classes || p[1] == 0)
		return false;
	if (*p == 'L')
		return true;
	next = p[1];
	after = next == 0 ? 0 : is_space_class(p[2]) ? p[3] : p[2];
	if ((next == 'p' && after == 'd') || (next == 'd' && p[-1] == 'p'))
		return true;
	return numeral_there(classes, p, -1) && numeral_there(classes, p, 1);
}

/* Have the texts, whose characters are the same, the same white space that counts? */
static inline bool
counted_spaces_equal(const char *a, size_t a_len, const char *b, size_t b_len, const Env *env)
{
	char	   *of_a = number_classes(a, a_len, env);
	char	   *of_b = number_classes(b, b_len, env);
	const char *p = of_a;
	const char *q = of_b;
	bool		equal = true;

	while (equal && (*p != 0 || *q != 0))
	{
		bool		space_p = space_counts_at(of_a, p);
		bool		space_q = space_counts_at(of_b, q);

		equal = space_p == space_q;
		p += is_space_class(*p);
		q += is_space_class(*q);
		p += *p != 0;
		q += *q != 0;
	}
	env_free(env, of_a);
	env_free(env, of_b);
	return equal;
}

/* In a text that is not UTF-8 each place is taken for the beginning of a character */
static inline bool
at_boundary(const char *t, size_t len, size_t place)
{
	if (place >= len || (t[place] & 0xC0) != 0x80)
		return place <= len;
	for (size_t i = 0; i < len;)
	{
		uint32_t	c;
		int			length = utf8_decode((const uint8_t *) t + i, (const uint8_t *) t + len, &c);

		if (length == 0)
			return true;
		i += (size_t) length;
	}
	return false;
}

/* Does a change begin or end with white space, or stand within a character? */
static inline bool
is_cut_badly(const char *t, size_t len, Span s)
{
	size_t		last;

	if (s.start > s.end || !at_boundary(t, len, s.start) || !at_boundary(t, len, s.end))
		return true;
	if (s.start == s.end)
		return false;
	for (last = s.end - 1; last > s.start && (t[last] & 0xC0) == 0x80;)
		last--;
	return space_at(t + s.start, s.end - s.start) > 0 || space_at(t + last, s.end - last) == s.end - last;
}

/*
 * NULL, or what is wrong.  Words may differ in white space alone, which splits them.  "times" is checked if there are few changes.
 */
static inline const char *
changes_fault(const char *a, size_t a_len, const char *b, size_t b_len, bool fold,
			  const Env *env, const Change *changes, size_t n)
{
	size_t		p = 0;
	size_t		q = 0;
	size_t		n_words;

	if ((n == 0) != (texts_seen_equal(a, a_len, b, b_len, fold) &&
					 counted_spaces_equal(a, a_len, b, b_len, env) &&
					 words_equal(a, a_len, b, b_len, env)))
		return "no change, but not copies, or the other way round";
	for (size_t i = 0; i <= n; i++)
	{
		const Change *c = &changes[i];
		Span		of_a = i < n ? c->a : span_of(a_len, a_len);
		Span		of_b = i < n ? c->b : span_of(b_len, b_len);
		const char *in_a = a + of_a.start;
		const char *in_b = b + of_b.start;
		size_t		size_a = of_a.end - of_a.start;
		size_t		size_b = of_b.end - of_b.start;
		bool		of_number;

		if (of_a.start < p || of_b.start < q)
			return "changes are not in order";
		/* white space in a number is shown */
		of_number = i < n && c->kind == CHANGE_SIGNS &&
			texts_seen_equal(in_a, size_a, in_b, size_b, fold);
		if (!of_number && (is_cut_badly(a, a_len, of_a) || is_cut_badly(b, b_len, of_b)))
			return "a change is cut badly";
		if (!texts_seen_equal(a + p, of_a.start - p, b + q, of_b.start - q, fold))
			return "texts between changes differ";
		p = of_a.end;
		q = of_b.end;
		if (i == n)
			break;
		n_words = count_words_at(a, of_a, env) + count_words_at(b, of_b, env);
		if (size_a == 0 && size_b == 0)
			return "a change without a text";
		if (of_number && size_a == size_b && memcmp(in_a, in_b, size_a) == 0)
			return "the texts of a change are equal";
		if (c->kind != CHANGE_SIGNS && (c->kind > CHANGE_FORM || size_a == 0 || size_b == 0) &&
			texts_seen_equal(in_a, size_a, in_b, size_b, fold))
			return "the texts of a change are equal";
		if ((c->kind == CHANGE_PUNCTUATION || c->kind == CHANGE_SIGNS) && n_words > 0)
			return "words in a change of signs";
		if (c->kind < CHANGE_FORM && n_words == 0)
			return "a change of words without words";
		if (c->kind == CHANGE_FORM && (size_a == 0 || size_b == 0))
			return "an empty form";
		if ((c->kind == CHANGE_INSERT && size_a > 0) || (c->kind == CHANGE_DELETE && size_b > 0) ||
			(c->kind == CHANGE_REPLACE && (size_a == 0 || size_b == 0)))
			return "the kind is not that of the change's texts";
		if (n <= 64)
		{
			size_t		times = 0;

			for (size_t j = 0; j < n; j++)
				times += texts_seen_equal(in_a, size_a, a + changes[j].a.start,
										  changes[j].a.end - changes[j].a.start, fold) &&
					texts_seen_equal(in_b, size_b, b + changes[j].b.start,
									 changes[j].b.end - changes[j].b.start, fold);
			if (times != c->times)
				return "times is wrong";
		}
	}
	return NULL;
}

#endif
