/*-------------------------------------------------------------------------
 *
 * punctuation.h
 *		Punctuation: what changes between words without a change of meaning that matters to
 *		most readers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PUNCTUATION_H
#define SIMHASH_PUNCTUATION_H

#include "visible_characters.h"

/*
 * Does a stretch between words consist of punctuation, apart from white space?  Punctuation is
 *
 * - full stops, commas, semicolons, colons and ellipses, neither beside a digit nor between two
 *   numerals, white space apart; no semicolon after a Greek letter, which is a question mark
 * - quotation marks, apostrophes and brackets, not beside a digit, white space apart
 * - dashes that have white space, or a border of the text, on both sides, and no numeral near them:
 *   neither next to the white space nor after a currency or a unit
 *
 * The characters are listed in punctuation.c.  A stretch without white space between two words, as
 * in "a.b@c.de" or "f(x)", is not punctuation, unless it is one apostrophe or quotation mark, or
 * one of the words is of a script without spaces.
 */
extern bool core_is_punctuation(const Bytes *t, Span stretch);

/*
 * Are all letters, digits and marks of a stretch numerals after normalisation?  A single Chinese numeral
 * counts if it is a number or a part of one (read_text.h).
 */
extern bool core_is_number(const Bytes *t, Span stretch);

#endif
