/*-------------------------------------------------------------------------
 *
 * links.h
 *		Links in a text.
 *
 * A link begins with http://, https:// or www. and ends before white space.  The data of a URI, such
 * as data:image/png;base64,iVBORw0K, are a link, too, which begins with ;base64, and ends with the
 * digits of Base64.  Numbers in links do not count, so white space at the end of a link counts in
 * copies, and so does white space inside of http:// and the others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_LINKS_H
#define SIMHASH_LINKS_H

#include "visible_characters.h"

#define LINK_SIGNS ":.,"			/* of http://, www. and base64, */
#define N_LINK_SIGNS 3

/* Reads the links of a text in their order. */
typedef struct LinkReader
{
	const Bytes *t;
	size_t		start;			/* of the current link: its sign */
	size_t		end;
	size_t		next[N_LINK_SIGNS]; /* the next link of each kind, or SIZE_MAX */
} LinkReader;

/* Begin to read the links of a text. */
extern void core_links_begin(LinkReader *reader, const Bytes *t);

/* Is a place behind the current link in the next one, which becomes the current one? */
extern bool core_links_move(LinkReader *reader, size_t place);

/* Does white space between two places end a link that something follows, or divide its beginning? */
extern bool core_space_ends_link(const Bytes *t, size_t start, size_t end);

/* Would the characters on both sides of white space, which is between two places, begin a link? */
extern bool core_space_divides_link(const Bytes *t, size_t start, size_t end);

/* Is a word of ASCII letters before a place, in either case? */
extern bool core_is_word_before(const Bytes *t, size_t place, const char *word);

/* Is ;base64 before a place, perhaps with white space behind the semicolon? */
extern bool core_is_base64_before(const Bytes *t, size_t place);

/* Is a place, which is not before that of the call before, in a link?  The time is linear. */
static inline bool
core_links_cover(LinkReader *reader, size_t place)
{
	return place < reader->end ? reader->start <= place : core_links_move(reader, place);
}

/* Has a text data of a URI? */
extern bool core_has_data(const Bytes *t);

/* Is the current link the data of a URI? */
static inline bool
is_data(const LinkReader *reader)
{
	return reader->start < reader->t->len && reader->t->text[reader->start] == ',';
}

/* Is the byte one of LINK_SIGNS with which a link begins?  The functions above find links by these. */
static inline bool
is_link_sign(const Bytes *t, size_t place)
{
	const uint8_t *p = t->text + place;

	switch (*p)
	{
		case ':':
			return t->len - place >= 3 && p[1] == '/' && p[2] == '/' &&
				(core_is_word_before(t, place, "http") || core_is_word_before(t, place, "https"));
		case '.':
			return core_is_word_before(t, place, "www");
		case ',':
			return place > 0 && p[-1] == '4' && core_is_base64_before(t, place);
		default:
			return false;
	}
}

#endif
