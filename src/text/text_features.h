/*
 * Features: what of a text is compared, as 64-bit hashes.  Here every token, and
 * every pair of adjacent tokens.
 */
#ifndef SIMHASH_TEXT_FEATURES_H
#define SIMHASH_TEXT_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mix.h"

#define FEATURES_PER_TOKEN 2

typedef struct FeatureMaker
{
	bool		has_last;
	uint64_t	last;			/* the last token of the batch before */
} FeatureMaker;

/*
 * The feature of two tokens in this order: a linear combination, which tells the
 * order, through a mix of full avalanche.
 */
static inline uint64_t
feature_pair(uint64_t first, uint64_t second)
{
	return mix64(first * MIX_FACTOR + second);
}

static inline void
features_init(FeatureMaker *maker)
{
	maker->has_last = false;
}

/*
 * Store the features that the next n tokens add, FEATURES_PER_TOKEN * n at most,
 * and return how many.
 */
extern size_t simhash_features(FeatureMaker *maker, const uint64_t *tokens,
							   size_t n, uint64_t *features);

#endif
