/*-------------------------------------------------------------------------
 *
 * character_numbers.h
 *		Numbers of characters in a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_CHARACTER_NUMBERS_H
#define PGSIMHASH_CHARACTER_NUMBERS_H

#include <stddef.h>

typedef struct NumberedText
{
	const char *bytes;
	size_t		length;
} NumberedText;

/* Counts characters from the beginning of a text to its end; begin with zeros. */
typedef struct CharacterCounter
{
	const NumberedText *text;
	size_t		bytes;
	size_t		characters;
} CharacterCounter;

/* The byte is not before those of earlier calls. */
static inline size_t
characters_before(CharacterCounter *counter, size_t byte)
{
	for (; counter->bytes < byte; counter->bytes++)
		counter->characters += (counter->text->bytes[counter->bytes] & 0xC0) != 0x80;
	return counter->characters;
}

#endif
