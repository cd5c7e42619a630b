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

/* Are two texts copies?  Letters that differ in case are equal. */
extern bool core_are_copies(const Bytes *a, const Bytes *b);

/*
 * Do two stretches have the same characters except for white space and case, and the same white
 * space in numbers?  Words are not compared.
 */
extern bool core_same_stretches(const Bytes *a, Span of_a, const Bytes *b, Span of_b, bool fold);

/*
 * Return a place that is not behind the first difference of two texts, except for the case of ASCII
 * letters if "fold" is true.  There the same word begins in both texts, and at least one more word
 * begins before the difference; or it is the beginning, or the end of both texts.
 */
extern size_t core_equal_beginning(const Bytes *a, const Bytes *b, bool fold);

#endif
