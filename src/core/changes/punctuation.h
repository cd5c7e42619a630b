/*
 * Punctuation: what changes between words without a change of meaning that matters to most
 * readers.
 */
#ifndef SIMHASH_PUNCTUATION_H
#define SIMHASH_PUNCTUATION_H

#include "characters.h"

/*
 * Is all of a stretch between words punctuation, but for white space?  Punctuation is full
 * stops, commas, semicolons, colons, ellipses, quotation marks, apostrophes and brackets of
 * punctuation.c, none of them beside a digit, and dashes that have white space, or a border of
 * the text, on both sides and no digit behind the white space.
 */
extern bool simhash_is_punctuation(const Bytes *t, Span stretch, const TextEnv *env);

/* Is the character a full stop, comma, quotation mark, bracket, dash or the like? */
extern bool simhash_is_punctuation_mark(uint32_t c);

extern bool simhash_is_dash(uint32_t c);

/* Is the character, or one of those that normalisation makes of it, a decimal digit? */
extern bool simhash_is_digit(uint32_t c);

/* Are all letters, digits and marks of a stretch ASCII digits after normalisation? */
extern bool simhash_is_number(const Bytes *t, Span stretch, const TextEnv *env);

#endif
