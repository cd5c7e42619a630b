/*-------------------------------------------------------------------------
 *
 * escape.c
 *		Escape sequences; see escape.h.
 *
 *-------------------------------------------------------------------------
 */
#include "escape.h"

#include <stdio.h>

/* The length of the UTF-8 of a character; 0 if the bytes are not UTF-8. */
static size_t
utf8_length(const unsigned char *c, size_t n)
{
	size_t		length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;

	if (length > n)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((c[i] & 0xC0) != 0x80)
			return 0;
	/* too long, a surrogate, or beyond U+10FFFF */
	if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
		(c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
		return 0;
	return length;
}

Character
first_character(const char *bytes, size_t n)
{
	const unsigned char *c = (const unsigned char *) bytes;
	size_t		length = utf8_length(c, n);
	Character	character = {.length = length > 0 ? length : 1,.is_utf8 = length > 0};

	character.code = c[length == 2];	/* of U+0080 to U+009F, too */
	character.must_escape = length == 0 || (length == 1 && (c[0] < 0x20 || c[0] == 0x7F)) ||
		(length == 2 && c[0] == 0xC2 && c[1] < 0xA0);
	return character;
}

size_t
show_escaped(char *to, Character character)
{
	return (size_t) sprintf(to, character.is_utf8 ? "\\u%04X" : "\\x%02X", character.code);
}
