/*-------------------------------------------------------------------------
 *
 * links.h
 *		Links in a text.
 *
 * A link begins with http://, https:// or www. and ends before white space.  Numbers in links do not
 * count, so white space at the end of a link counts in copies, and so does white space inside of
 * http:// and the others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_LINKS_H
#define SIMHASH_LINKS_H

#include "visible_characters.h"

/* Reads the links of a text in their order. */
typedef struct LinkReader
{
	const Bytes *t;
	size_t		start;			/* of the current link */
	size_t		end;
	size_t		next_scheme;	/* the next link of each kind, or SIZE_MAX */
	size_t		next_www;
} LinkReader;

extern void simhash_links_begin(LinkReader *reader, const Bytes *t);

/* Is a place, which is not before that of the call before, in a link?  The time is linear. */
extern bool simhash_links_cover(LinkReader *reader, size_t place);

/* Does white space between two places end a link that something follows, or divide its beginning? */
extern bool simhash_space_ends_link(const Bytes *t, size_t start, size_t end);

/*
 * Is the byte at a place a colon or a full stop with which a link begins?  The functions above find
 * links by these.
 */
static inline bool
is_link_sign(const Bytes *t, size_t place)
{
	const uint8_t *p = t->text + place;
	size_t		n;				/* letters before the place */

	if (*p == ':')
	{
		if (t->len - place < 3 || p[1] != '/' || p[2] != '/')
			return false;
		n = place > 0 && (p[-1] | 0x20) == 's' ? 5 : 4;
		if (place < n || (p[-(ptrdiff_t) n] | 0x20) != 'h' || (p[1 - (ptrdiff_t) n] | 0x20) != 't' ||
			(p[2 - (ptrdiff_t) n] | 0x20) != 't' || (p[3 - (ptrdiff_t) n] | 0x20) != 'p')
			return false;
	}
	else
	{
		n = 3;
		if (*p != '.' || place < n || (p[-1] | 0x20) != 'w' || (p[-2] | 0x20) != 'w' ||
			(p[-3] | 0x20) != 'w')
			return false;
	}
	return place == n || !(((uint8_t) ((p[-(ptrdiff_t) n - 1] | 0x20) - 'a') < 26) ||
						   (uint8_t) (p[-(ptrdiff_t) n - 1] - '0') < 10);
}

#endif
