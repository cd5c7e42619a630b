/*-------------------------------------------------------------------------
 *
 * character_numbers.h
 *		Numbers of characters in a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_CHARACTER_NUMBERS_H
#define PGSIMHASH_CHARACTER_NUMBERS_H

#include "core/env.h"

/* Counts characters from the beginning of a text to its end; begin with zeros. */
typedef struct CharacterNumbers
{
	const char *text;
	const Env  *env;
	size_t		bytes;
	size_t		characters;
} CharacterNumbers;

/* The byte is not before those of earlier calls. */
static inline size_t
characters_before(CharacterNumbers *counter, size_t byte)
{
	while (counter->bytes < byte)
	{
		const char *bytes = counter->text + counter->bytes;
		size_t		n = byte - counter->bytes;
		size_t		characters = 0;

		if (n >= STEPS_BETWEEN_CHECKS)
		{
			n = STEPS_BETWEEN_CHECKS;
			check_interrupts(counter->env);
		}
		for (size_t i = 0; i < n; i++)
			characters += (bytes[i] & 0xC0) != 0x80;
		counter->bytes += n;
		counter->characters += characters;
	}
	return counter->characters;
}

#endif
