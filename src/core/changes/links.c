/*-------------------------------------------------------------------------
 *
 * links.c
 *		Links in a text; see links.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "links.h"

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

void
simhash_links_begin(LinkReader *reader, const Bytes *t)
{
	reader->t = t;
	reader->start = reader->end = 0;
	reader->next_scheme = find_sign(t, 0, ':');
	reader->next_www = find_sign(t, 0, '.');
}

bool
simhash_links_cover(LinkReader *reader, size_t place)
{
	const Bytes *t = reader->t;

	while (reader->end <= place)
	{
		size_t		end = reader->end;

		if (reader->next_scheme != SIZE_MAX && reader->next_scheme < end)
			reader->next_scheme = find_sign(t, end, ':');
		if (reader->next_www != SIZE_MAX && reader->next_www < end)
			reader->next_www = find_sign(t, end, '.');
		reader->start = reader->next_scheme < reader->next_www ? reader->next_scheme :
			reader->next_www;
		if (reader->start == SIZE_MAX)
		{
			reader->end = SIZE_MAX;
			break;
		}
		reader->end = reader->start;
		while (reader->end < t->len && !is_white_space(character_at(t, reader->end)))
			next_character(t, &reader->end, t->len);
	}
	return reader->start <= place;
}

/* Would the characters on both sides of a place, without the white space there, begin a link? */
static bool
divides_beginning(const Bytes *t, size_t start, size_t end)
{
	static const char *const beginnings[] = {"http://", "https://", "www."};
	char		near[16];		/* the characters around the place */
	int			n = 0;

	for (size_t i = start > 7 ? start - 7 : 0; i < start; i++)
		near[n++] = (char) (t->text[i] < 0x80 ? t->text[i] | 0x20 : ' ');
	near[n++] = (char) t->text[end];
	near[n] = '\0';
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		for (int before = (int) strlen(beginnings[i]) - 1; before > 0; before--)
			if (before < n && beginnings[i][before] == near[n - 1] &&
				strncmp(near + n - 1 - before, beginnings[i], (size_t) before) == 0)
				return true;
	return false;
}

bool
simhash_space_ends_link(const Bytes *t, size_t start, size_t end)
{
	uint8_t		next;

	if (start == 0 || end >= t->len)
		return false;
	next = t->text[end];
	if ((next == ':' || next == '/' || next == '.') && divides_beginning(t, start, end))
		return true;
	while (start > 0 && !is_white_space(character_before(t, start)))
	{
		previous_character(t, &start, 0);
		if (is_link_sign(t, start))
			return true;
	}
	return false;
}
