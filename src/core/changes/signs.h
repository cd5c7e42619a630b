/*-------------------------------------------------------------------------
 *
 * signs.h
 *		Signs: characters other than letters, digits, marks and white space.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SIGNS_H
#define SIMHASH_SIGNS_H

#include "visible_characters.h"

/*
 * The sign that stands for all signs of a kind: for a dash or a minus '-', for an apostrophe '\'',
 * for a full-width percent sign '%'.  Other signs stand for themselves.  0 if the character is no
 * sign.
 */
extern uint32_t core_sign_of(uint32_t c);

/*
 * The signs before the number that is between two places, and the unit behind it, or 0.  "nth" is the
 * number of words with a digit before it that begin in the same code point, as the second one of
 * U+00BD does.
 *
 * Any sign between two digits counts: 1.5, 10:30.  Otherwise a sign counts if it is a minus, a plus,
 * a comparison, a unit, or the decimal point of .5; and so does a minus before a unit or such a
 * point: -$5, -.5.  White space between counts only if copies have it, and then only units do.  So
 * neither quotation marks nor what marks the items of a list belong to a number.  No sign counts before
 * a word that begins with a letter, as in <file1> and -p80.
 */
extern uint64_t core_signs_before(const Bytes *t, size_t start, int nth);
extern uint32_t core_unit_behind(const Bytes *t, size_t end, int nth);

/* The characters before a place and behind it, after normalisation, without what vanishes */
extern uint32_t core_character_beside(const Bytes *t, size_t place, bool behind);

#endif
