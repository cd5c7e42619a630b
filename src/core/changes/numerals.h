/*-------------------------------------------------------------------------
 *
 * numerals.h
 *		Numerals, and white space in numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_NUMERALS_H
#define SIMHASH_NUMERALS_H

#include "visible_characters.h"

/* Is the character, or one of those that normalisation makes of it, a decimal digit? */
extern bool core_is_digit(uint32_t c);

/* A digit, or a Chinese numeral. */
extern bool core_is_numeral(uint32_t c);

/*
 * Is the white space between two places in a number, so that the number would be another one
 * without it?  This is so if there are numerals on both sides, with only signs and white space
 * between them, as in "1. 5" or "3 -5".  It is not so if there are more than MOST_SIGNS signs on
 * one side of the white space.  It is also so beside a full stop or comma before a digit, because
 * "costs .5" and "costs. 5" are different numbers.  The answer depends on the characters of this
 * text other than white space, so "has the same white space in its numbers" is transitive.
 */
#define MOST_SIGNS 16

/* Is the white space from "start" to "end" within a number? */
extern bool core_space_is_in_number(const Bytes *t, size_t start, size_t end);

#endif
