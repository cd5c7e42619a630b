/*-------------------------------------------------------------------------
 *
 * escape.h
 *		Control characters, which could be commands to the terminal. The command writes them as
 *		escape sequences, except in records, which are written unchanged.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_ESCAPE_H
#define PGSIMHASH_ESCAPE_H

#include <stddef.h>

/*
 * The number of bytes of a control character with which some UTF-8 begins, and its code point; 0
 * bytes if it begins with another character.
 */
static inline size_t
control_character(const char *bytes, size_t n, unsigned *code)
{
	const unsigned char *c = (const unsigned char *) bytes;

	*code = c[0];
	if (c[0] < 0x20 || c[0] == 0x7F)
		return 1;
	if (c[0] != 0xC2 || n < 2 || c[1] < 0x80 || c[1] > 0x9F)
		return 0;
	*code = c[1];
	return 2;
}

#endif
