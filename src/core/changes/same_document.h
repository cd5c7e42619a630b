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
#include "visible_characters.h"

/*
 * The texts are the same document if all of these hold:
 *
 * - In each reading of first_change.h the first change is at most 1, or at most 3 after
 *   SAME_BEGINNING equal words.
 * - With "numbers", no number is replaced, that is, at most one of the texts has a number that the
 *   other one lacks, or has less often.  A number is a word with a digit.  Numbers with different
 *   signs before them or units after them are different: -500 and 500, -$5 and $5, 1.5 and 1-5,
 *   .5 and 5, 20 % and 20 $.
 * - If one of the texts has fewer than SHORT_DOCUMENT words, no word is replaced.  Without
 *   "numbers", words of digits only do not count.
 *
 * A copy is the same document in any case.  A text without words is the same document only as its
 * copies.  The answer does not change if the texts are exchanged, or if a copy takes the place of a
 * text: the rule reads words that copies have in common, and only white space that does.  Time
 * and memory are linear in the lengths of the texts.
 */
extern bool simhash_same_document_of_texts(const char *a, size_t a_len, const char *b,
										   size_t b_len, bool numbers, const TextEnv *env);

#define SHORT_DOCUMENT 30

/* Like simhash_same_document_of_texts, for texts whose words have been read. */
extern bool simhash_same_document_of_read(const ReadText *a, const ReadText *b, bool numbers,
										  const TextEnv *env);

/* Reads the numbers of a text in their order. */
typedef struct NumberReader
{
	const ReadText *text;
	Bytes		bytes;			/* of the text */
	PlaceReader places;
	size_t		word;			/* the next one */
} NumberReader;

extern void simhash_numbers_begin(NumberReader *reader, const ReadText *text, const TextEnv *env);

/*
 * Store a hash of the next number, that is, of the next word with a digit, and of the signs beside
 * it.  Return false if there is none.
 */
extern bool simhash_next_number(NumberReader *reader, uint64_t *number);

#endif
