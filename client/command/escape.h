/*-------------------------------------------------------------------------
 *
 * escape.h
 *		Control characters, and bytes that are not UTF-8, could be commands to the terminal. The
 *		command writes them as escape sequences, except in records, which are written unchanged.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_ESCAPE_H
#define PGSIMHASH_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* A character of a text, or a byte that is not UTF-8 */
typedef struct Character
{
	size_t		length;			/* bytes */
	unsigned	code;			/* of one that must be escaped */
	bool		is_utf8;
	bool		must_escape;
} Character;

/* The character with which n bytes begin; n is not 0. */
extern Character first_character(const char *bytes, size_t n);

#define ESCAPED_BYTES 6			/* the longest escape sequence of a character */

/* Write the escape sequence that people read: \u001B, or \x9B for a byte; with a 0 behind it.  Return its length. */
extern size_t show_escaped(char *to, Character character);

#endif
