/*-------------------------------------------------------------------------
 *
 * copy.h
 *		Copies: texts that have the same characters except for white space and case, the
 *		same words, and the same white space in their numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COPY_H
#define SIMHASH_COPY_H

#include "visible_characters.h"

/* Are two texts copies?  If "fold" is true, letters that differ in case are equal. */
extern bool core_are_copies(const Bytes *a, const Bytes *b, bool fold);

/*
 * Do two stretches have the same characters except for white space and case, and the same white
 * space in numbers?  Words are not compared.
 */
extern bool core_same_stretches(const Bytes *a, Span of_a, const Bytes *b, Span of_b, bool fold);

/*
 * Are the texts copies?  The function looks only at characters.
 *
 * If the answer is no, or is not known, store two places before the first difference.  There
 * the same word begins in both texts, or the texts begin.  The texts before the places are
 * copies.  At least one more word begins before the difference, unless the texts begin at the
 * places.
 */
extern bool core_is_copy(const Bytes *a, const Bytes *b, bool fold, size_t *a_place,
						 size_t *b_place);

#endif
