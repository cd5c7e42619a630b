/*-------------------------------------------------------------------------
 *
 * repeats.h
 *		Features of characters that come again.
 *
 * A set does not tell 500 from 5000, or Henry II from Henry III: all pairs of characters are the
 * same.  So a feature that is made of digits, with the signs between them, or of one character
 * that is repeated, counts each time that it occurs.  Other features stay a set, because repeated
 * pairs of letters in a title say little.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_REPEATS_H
#define SIMHASH_REPEATS_H

#include "../text_options.h"
#include "counts.h"

#define DIGITS_AND_SIGNS 12

typedef struct Repeats
{
	FeatureCounts counts;
	bool		numbered;		/* or is nothing numbered with these options? */
	size_t		shingle;
	uint64_t	digits[DIGITS_AND_SIGNS];	/* hashes of these characters */
	uint64_t	low_bits;		/* bit h % 64 for each such hash h */
	uint64_t	last;			/* the last character */
	size_t		n_equal;		/* how often it has stood there */
	size_t		n_digits;		/* digits and signs up to it */
} Repeats;

/* Begin to number the repeats of features. */
extern void core_repeats_init(Repeats *repeats, const TextOptions *options, const Env *env);

/* Free the memory. */
extern void core_repeats_free(Repeats *repeats);

/*
 * Make such features distinct that have occurred before, k > 0 times: they become
 * feature_pair(feature, k).  The n features are those that core_make_features has made of the
 * next n_tokens tokens.
 */
extern void core_number_repeats(Repeats *repeats, const uint64_t *tokens, size_t n_tokens,
								uint64_t *features, size_t n);

#endif
