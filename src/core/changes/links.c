/*-------------------------------------------------------------------------
 *
 * links.c
 *		Links in a text; see links.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "links.h"

/*
 * Fold a letter of http, https, www or base64.  Of all characters that are not ASCII, only U+017F folds to one
 * of these letters.
 */
static uint32_t
fold_letter(uint32_t c)
{
	if (c == 0x17F)
		return 's';
	return c - 'A' < 26 ? c + 'a' - 'A' : c;
}

/*
 * Does a letter at a place continue a word, that is, is it behind a letter or digit of an alphabet?
 * Marks may be between them, but no white space.
 */
static bool
continues_word(const Bytes *t, size_t place)
{
	while (place > 0)
	{
		const NormChar *chars;
		NormChar	room[NORM_ROOM];
		int			n = expand_character(UNICODE_FOLDED_NORMALIZED,
										 previous_character(t, &place, 0), &chars, room);

		while (n > 0 && NORM_KIND(chars[n - 1]) == CHAR_MARK)
			n--;
		if (n > 0)
			return NORM_KIND(chars[n - 1]) == CHAR_WORD;
	}
	return false;
}

/* Do letters and digits of ASCII end at *place?  If so, it moves before them. */
static bool
skip_letters_before(const Bytes *t, size_t *place, const char *letters)
{
	for (size_t i = strlen(letters); i-- > 0;)
		if (*place == 0 || fold_letter(previous_character(t, place, 0)) != (uint8_t) letters[i])
			return false;
	return true;
}

bool
core_is_word_before(const Bytes *t, size_t place, const char *word)
{
	return skip_letters_before(t, &place, word) && !continues_word(t, place);
}

bool
core_is_base64_before(const Bytes *t, size_t place)
{
	return skip_letters_before(t, &place, "base64") && previous_visible(t, &place, 0) == ';';
}

/*
 * A digit of Base64, also in URLs, padding, or the sign of an escaped one.  U+017F and U+212A fold to
 * letters of ASCII.
 */
static inline bool
is_base64(uint32_t c)
{
	return c < 0x80 ? is_ascii_word((uint8_t) c) || c == '+' || c == '/' || c == '=' || c == '-' ||
		c == '_' || c == '%' : c == 0x17F || c == 0x212A;
}

/* The next place from one on where a link of a kind begins, which a sign tells; SIZE_MAX if none */
static size_t
find_sign(const Bytes *t, size_t from, int sign)
{
	while (from < t->len)
	{
		const uint8_t *found = memchr(t->text + from, sign, t->len - from);

		if (found == NULL)
			break;
		if (is_link_sign(t, (size_t) (found - t->text)))
			return (size_t) (found - t->text);
		move_place(t, &from, (size_t) (found - t->text) + 1);
	}
	return SIZE_MAX;
}

/* The place behind a link, which begins with a sign at a place */
static size_t
end_of_link(const Bytes *t, size_t place)
{
	bool		data = t->text[place] == ',';

	move_place(t, &place, place + 1);
	while (place < t->len)
	{
		uint32_t	c = character_at(t, place);

		if (data ? !is_base64(c) : is_white_space(c))
			break;
		next_character(t, &place, t->len);
	}
	return place;
}

bool
core_has_data(const Bytes *t)
{
	return find_sign(t, 0, ',') != SIZE_MAX;
}

void
core_links_begin(LinkReader *reader, const Bytes *t)
{
	reader->t = t;
	reader->start = reader->end = 0;
	for (int i = 0; i < N_LINK_SIGNS; i++)
		reader->next[i] = find_sign(t, 0, LINK_SIGNS[i]);
}

bool
core_links_move(LinkReader *reader, size_t place)
{
	const Bytes *t = reader->t;

	while (reader->end <= place)
	{
		reader->start = SIZE_MAX;
		for (int i = 0; i < N_LINK_SIGNS; i++)
		{
			if (reader->next[i] < reader->end)
				reader->next[i] = find_sign(t, reader->end, LINK_SIGNS[i]);
			if (reader->next[i] < reader->start)
				reader->start = reader->next[i];
		}
		reader->end = reader->start == SIZE_MAX ? SIZE_MAX : end_of_link(t, reader->start);
	}
	return reader->start <= place;
}

#define MOST_BEFORE 7			/* characters of a beginning but one */

/* Like core_space_divides_link, if a sign of a beginning follows */
static bool
divides_beginning(const Bytes *t, size_t start, size_t end)
{
	static const char *const beginnings[] = {"http://", "https://", "www.", "base64,"};
	char		near[MOST_BEFORE + 1];	/* the characters around the place */
	int			n = MOST_BEFORE;

	memset(near, ' ', MOST_BEFORE);
	for (int i = MOST_BEFORE; i > 0 && start > 0;)
	{
		uint32_t	c = fold_letter(previous_character(t, &start, 0));

		near[--i] = (char) (c < 0x80 ? c : ' ');
	}
	near[n++] = (char) t->text[end];
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		for (int before = (int) strlen(beginnings[i]) - 1; before > 0; before--)
			if (before < n && beginnings[i][before] == near[n - 1] &&
				strncmp(near + n - 1 - before, beginnings[i], (size_t) before) == 0)
				return true;
	return false;
}

bool
core_space_divides_link(const Bytes *t, size_t start, size_t end)
{
	uint8_t		next;

	if (start == 0 || end >= t->len)
		return false;
	next = t->text[end];
	return (next == ':' || next == '/' || next == '.' || next == ',') &&
		divides_beginning(t, start, end);
}

bool
core_space_ends_link(const Bytes *t, size_t start, size_t end)
{
	bool		in_data = true; /* may it be the end of data? */

	if (end >= t->len)
		return false;
	if (core_space_divides_link(t, start, end))
		return true;
	while (start > 0)
	{
		uint32_t	c = t->text[start - 1];

		/* decode only what is not ASCII */
		if (c < 0x80)
			move_place(t, &start, start - 1);
		else
			c = previous_character(t, &start, 0);
		if (is_white_space(c))
			return false;
		if ((c != ',' || in_data) && is_link_sign(t, start))
			return true;
		in_data &= is_base64(c);
	}
	return false;
}
