/*-------------------------------------------------------------------------
 *
 * places.h
 *		Places of words: from which byte to which byte of the original text a word reaches,
 *		whatever normalisation does to the word, and whether it is a number.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PLACES_H
#define SIMHASH_PLACES_H

#include "../text_options.h"
#include "../unicode/normalize.h"

typedef struct WordPlace
{
	size_t		word;			/* number of the word in the text, from 0 on */
	size_t		start;			/* of its first code point, in bytes */
	size_t		end;			/* of its last code point */

	/*
	 * Are all of its characters numerals (numerals.h) after normalisation, or
	 * Roman numerals before it?
	 */
	bool		is_number;

	bool		has_digit;		/* is one of them? */
} WordPlace;

/* More than a block of ASCII or a code point has. */
#define RECENT_WORDS 64

/* In place of the number of a word: any word with a digit */
#define ANY_WITH_DIGIT SIZE_MAX

/* Reads a text from its beginning to its end. */
typedef struct PlaceReader
{
	Normalizer	norm;
	const uint8_t *text;
	/* number of the word that is looked for, or ANY_WITH_DIGIT */
	size_t		wanted;
	size_t		n_words;		/* complete words */
	/* the first of the last ones whose place is stored */
	size_t		known;
	int			kind;			/* of the open word, or CHAR_SEPARATOR */

	/*
	 * Letters of an open stretch without spaces, at most as many as a word
	 * has.
	 */
	size_t		letters;

	size_t		oldest;			/* the first of these letters in starts */

	/* Of the open word, or of the last letters of the stretch. */
	size_t		starts[3];

	size_t		end;			/* of the open word so far; never decreases */
	bool		is_number;		/* is the open word one so far? */
	bool		has_digit;
	bool		has_script;		/* has it a Greek or Cyrillic letter, in folded text? */
	bool		behind_letter;	/* may signs belong to it after its last character? */
	bool		is_roman;		/* is a Roman numeral being read? */
	size_t		n_signs;		/* behind it, which may belong to it */
	size_t		signs_end;
	bool		has_iota;		/* is an ypogegrammeni in the marks? */
	size_t		iota_start;		/* of the first one */
	size_t		iota_end;		/* of the last one */

	/* Word i is at i % RECENT_WORDS, from "wanted" or "known" on. */
	WordPlace	recent[RECENT_WORDS];
} PlaceReader;

/* Begin to read the places of a text's words. */
extern void core_places_init(PlaceReader *reader, const char *utf8, size_t len,
							 const TextOptions *options, const Env *env);

/*
 * Store the place of a word, whose number is not below that of the call before.
 * Return false if the text has no such word.  The words are those of
 * core_tokens_next with the same options, whose tokens are TOKENS_WORDS.  If a code
 * point gives several words, they have the same place.  Neither starts nor ends
 * decrease from word to word.
 */
extern bool core_places_find(PlaceReader *reader, size_t word, WordPlace *place);

/*
 * The same for the next word with a digit from a word on, whose number is not below that of
 * the call before.  Return false if there is none.  A Chinese numeral that is surely not a number
 * (read_text.h) does not count.
 */
extern bool core_places_find_digit(PlaceReader *reader, size_t word, WordPlace *place);

/* May the function above find a word?  This is much faster. */
extern bool core_has_digit(const char *utf8, size_t len, const TextOptions *options, const Env *env);

/*
 * Fill in the places of n words.  Their numbers are in ascending order, and some may
 * be equal.  The places of words that the text does not have stay as they are.
 */
extern void core_word_places(const char *utf8, size_t len,
							 const TextOptions *options, const Env *env,
							 WordPlace *places, size_t n);

#endif
