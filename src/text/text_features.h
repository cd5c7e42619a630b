/*
 * Features: what of a text is compared, as 64-bit hashes.  Here every token, and
 * every pair of adjacent tokens.
 */
#ifndef SIMHASH_TEXT_FEATURES_H
#define SIMHASH_TEXT_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEATURES_PER_TOKEN 2

typedef struct FeatureMaker
{
	bool		has_last;
	uint64_t	last;			/* the last token of the batch before */
} FeatureMaker;

/*
 * The feature of two tokens in this order: a linear combination, which tells the
 * order, through a mix of full avalanche.  The factor is 2^64 over the golden
 * ratio, odd; the mix is the finaliser of SplitMix64 (Stafford's variant 13 of
 * MurmurHash3's).
 */
static inline uint64_t
feature_pair(uint64_t first, uint64_t second)
{
	uint64_t	x = first * UINT64_C(0x9E3779B97F4A7C15) + second;

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
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
