/*
 * Copies: texts that differ in nothing but white space and case.
 */
#ifndef SIMHASH_COPY_H
#define SIMHASH_COPY_H

#include "characters.h"

/*
 * Does nothing differ between the texts but white space and, if case is folded, case?  White
 * space that splits a word is a difference.
 *
 * If the answer is no, or is not known, store two places before the first difference.  There
 * the same word begins in both texts, or the texts begin.  The texts before the places are
 * copies.  At least one more word begins before the difference, unless the texts begin at the
 * places.
 */
extern bool simhash_is_copy(const Bytes *a, const Bytes *b, bool fold, const TextEnv *env,
							size_t *a_place, size_t *b_place);

#endif
