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
extern bool simhash_is_digit(uint32_t c);

/* A digit, or a Chinese numeral. */
extern bool simhash_is_numeral(uint32_t c);

/*
 * Does the white space between two places stand in a number, so that it makes another number of
 * it?  That is so if nothing but signs and white space is between two numerals around it, as in
 * "1. 5" or "3 -5".  More than MOST_SIGNS signs on one side of the white space are no part of a
 * number.  The answer depends on this text alone, so "has the same white space in its numbers" is
 * transitive.
 */
#define MOST_SIGNS 16

extern bool simhash_space_is_in_number(const Bytes *t, size_t start, size_t end);

#endif
