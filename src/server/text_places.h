/*-------------------------------------------------------------------------
 *
 * text_places.h
 *		Places in a text: bytes of UTF-8, which core finds, and characters
 *		and bytes of the server's encoding, which SQL shows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_PLACES_H
#define SIMHASH_TEXT_PLACES_H

#include "postgres.h"

#include "server_text.h"

/* Counts the characters of a text from its beginning to its end; begin with zeros. */
typedef struct CharacterCounter
{
	const Utf8Text *t;
	size_t		utf8;			/* bytes so far */
	size_t		original;		/* the same in the encoding EUC_JIS_2004 */
	size_t		characters;
} CharacterCounter;

/*
 * The number of characters that begin before a byte of the UTF-8.  The byte is not before
 * those of earlier calls.
 */
extern size_t count_characters(CharacterCounter *c, size_t byte);

/*
 * The number of characters that end at a byte or before.  It differs from the number of
 * those that begin before the byte if the byte is within a character.
 */
extern size_t count_whole_characters(CharacterCounter *c, size_t byte);

/* Finds characters in the server's encoding, from the text's beginning to its end. */
typedef struct CharacterFinder
{
	const Utf8Text *t;
	size_t		characters;
	size_t		bytes;
} CharacterFinder;

/* The bytes before so many characters, whose number is not below that of earlier calls. */
extern size_t find_character(CharacterFinder *f, size_t characters);

#endif							/* SIMHASH_TEXT_PLACES_H */
