/*-------------------------------------------------------------------------
 *
 * same_document.h
 *		Is a text the same document as another one: a copy, or an edited version?
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SAME_DOCUMENT_H
#define SIMHASH_SAME_DOCUMENT_H

#include "../text/places.h"
#include "first_change.h"

/*
 * The texts are the same document if all of these hold:
 *
 * - In each reading of first_change.h the first change is at most 1, or at most 3 behind
 *   SAME_BEGINNING equal words.
 * - With "numbers", no number is replaced: not both texts have a number that the other one has
 *   not.  A number is a word with a digit.  Numbers with other signs beside them are others:
 *   -500 and 500, -$5 and $5, 1.5 and 1-5, .5 and 5, 20 % and 20 $.
 * - If one of the texts has fewer than SHORT_DOCUMENT words, no word is replaced.  Without
 *   "numbers", words of digits only do not count.
 *
 * A copy is the same document in any case, and for a text without words nothing else is.  The
 * answer is the same with the texts exchanged.  Time and memory are linear in the lengths of the
 * texts.
 */
extern bool simhash_same_document_of_texts(const char *a, size_t a_len, const char *b,
										   size_t b_len, bool numbers, const TextEnv *env);

#define SHORT_DOCUMENT 30

/* The same for texts that are read. */
extern bool simhash_same_document_of_read(const ReadText *a, const ReadText *b, bool numbers,
										  const TextEnv *env);

/* Reads the numbers of a text in their order. */
typedef struct NumberReader
{
	const ReadText *text;
	PlaceReader places;
	size_t		word;			/* the next one */
} NumberReader;

extern void simhash_numbers_begin(NumberReader *reader, const ReadText *text, const TextEnv *env);

/*
 * Store a hash of the next number, that is, word with a digit, and of the signs beside it; false
 * if there is none.
 */
extern bool simhash_next_number(NumberReader *reader, uint64_t *number);

#endif
