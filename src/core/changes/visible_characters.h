/*-------------------------------------------------------------------------
 *
 * visible_characters.h
 *		Characters of a text other than white space, and whether two of them are the same.
 *
 * White space is that of normalize.h.  If case is folded, two characters are
 * the same if their full case foldings are equal, without normalisation.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_VISIBLE_CHARACTERS_H
#define SIMHASH_VISIBLE_CHARACTERS_H

#include <stdbool.h>

#include "../text/bytes.h"
#include "../env.h"
#include "../text/unicode/normalize.h"
#include "../text/unicode/unicode_tables.h"

#define NO_CHARACTER UINT32_MAX /* at a border of the text */

/* A stretch of a text, from byte "start" to before byte "end". */
typedef struct Span
{
	size_t		start;
	size_t		end;
} Span;

static inline Span
span_of(size_t start, size_t end)
{
	Span		span = {start, end};

	return span;
}

/* A text that is compared. */
typedef struct Bytes
{
	const uint8_t *text;
	size_t		len;
	const Env  *env;
} Bytes;

static inline Bytes
bytes_of(const char *utf8, size_t len, const Env *env)
{
	Bytes		bytes = {(const uint8_t *) utf8, len, env};

	return bytes;
}

/*
 * Move *place.  All loops over characters do this, so every one of them checks for interrupts, once
 * for 64 kB.
 */
static inline void
move_place(const Bytes *t, size_t *place, size_t to)
{
	if ((*place ^ to) >> 16 != 0)
		check_interrupts(t->env);
	*place = to;
}

/* Return the character that begins at *place, which is before end, and advance *place. */
static inline uint32_t
next_character(const Bytes *t, size_t *place, size_t end)
{
	uint32_t	c;
	int			length = utf8_decode(t->text + *place, t->text + end, &c);

	if (length == 0)
	{
		/* a byte that is not UTF-8 is a character that is equal to itself */
		c = 0x110000 + t->text[*place];
		length = 1;
	}
	move_place(t, place, *place + (size_t) length);
	return c;
}

/* Return the character that ends at *place, which is after start, and move *place before it. */
static inline uint32_t
previous_character(const Bytes *t, size_t *place, size_t start)
{
	size_t		end = *place;
	size_t		p = end - 1;
	uint32_t	c;

	while (p > start && end - p < 4 && (t->text[p] & 0xC0) == 0x80)
		p--;
	move_place(t, place, p);
	c = next_character(t, &p, end);
	if (p == end)
		return c;
	*place = end - 1;
	p = *place;
	return next_character(t, &p, end);
}

/* The character after a place, or before it; NO_CHARACTER at a border of the text. */
static inline uint32_t
character_at(const Bytes *t, size_t place)
{
	return place < t->len ? next_character(t, &place, t->len) : NO_CHARACTER;
}

static inline uint32_t
character_before(const Bytes *t, size_t place)
{
	return place > 0 ? previous_character(t, &place, 0) : NO_CHARACTER;
}

/*
 * Return the next character other than white space, and advance *place.  If there is none, return
 * NO_CHARACTER, and *place is end.
 */
static inline uint32_t
next_visible(const Bytes *t, size_t *place, size_t end)
{
	while (*place < end)
	{
		uint32_t	c = next_character(t, place, end);

		if (!is_white_space(c))
			return c;
	}
	return NO_CHARACTER;
}

/* Like next_visible, towards the beginning. */
static inline uint32_t
previous_visible(const Bytes *t, size_t *place, size_t start)
{
	while (*place > start)
	{
		uint32_t	c = previous_character(t, place, start);

		if (!is_white_space(c))
			return c;
	}
	return NO_CHARACTER;
}

/* The place after white space that begins at a place, and the one before white space that ends there */
static inline size_t
skip_space(const Bytes *t, size_t place, size_t end)
{
	while (place < end && is_white_space(character_at(t, place)))
		next_character(t, &place, end);
	return place;
}

static inline size_t
skip_space_before(const Bytes *t, size_t place, size_t start)
{
	while (place > start && is_white_space(character_before(t, place)))
		previous_character(t, &place, start);
	return place;
}

/* Fold circled letters, which have a case.  They are signs, so the tables of the forms do not. */
static inline uint32_t
fold_sign(uint32_t c)
{
	if (c >= 0x24B6 && c <= 0x24CF)
		return c + 26;
	return c;
}

/* Find the characters of a form of c.  Returns their number. */
static inline int
expand_character(uint32_t form, uint32_t c, const NormChar **chars, NormChar *room)
{
	if (c <= 0x10FFFF)
		return core_expand(form, form == UNICODE_CASE_FOLDED ? fold_sign(c) : c, chars, room);
	room[0] = c;
	*chars = room;
	return 1;
}

/* The first character of a form of c, or NO_CHARACTER if c vanishes in this form. */
static inline NormChar
first_of_form(uint32_t form, uint32_t c)
{
	const NormChar *chars;
	NormChar	room[NORM_ROOM];

	return expand_character(form, c, &chars, room) > 0 ? chars[0] : NO_CHARACTER;
}

static inline bool
same_character(uint32_t c, uint32_t d, bool fold)
{
	const NormChar *of_c;
	const NormChar *of_d;
	NormChar	room_c[NORM_ROOM];
	NormChar	room_d[NORM_ROOM];
	int			n;

	if (c == d || !fold || c == NO_CHARACTER || d == NO_CHARACTER)
		return c == d;
	n = expand_character(UNICODE_CASE_FOLDED, c, &of_c, room_c);
	return n == expand_character(UNICODE_CASE_FOLDED, d, &of_d, room_d) &&
		memcmp(of_c, of_d, (size_t) n * sizeof(NormChar)) == 0;
}

#endif
