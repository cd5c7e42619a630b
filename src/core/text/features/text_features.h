/*-------------------------------------------------------------------------
 *
 * text_features.h
 *		Features: the parts of a text that are compared, as 64-bit hashes. By default every
 *		token and every pair of adjacent tokens is a feature. Otherwise every n adjacent
 *		tokens are a feature, or all tokens if there are fewer than n.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_FEATURES_H
#define SIMHASH_TEXT_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../mix.h"
#include "../text_options.h"

#define FEATURES_PER_TOKEN 2

typedef struct FeatureMaker
{
	int			shingle;		/* or SINGLES_AND_PAIRS */
	size_t		seen;			/* tokens so far */
	uint64_t	sum;			/* combination of the last tokens, unmixed */
	uint64_t	leaving;		/* factor of the token that leaves the shingle */
	uint64_t	ring[LONGEST_SHINGLE];	/* the last tokens */
} FeatureMaker;

/* The hash of a token or of any other string of len bytes: XXH3. */
extern uint64_t core_hash_bytes(const void *bytes, size_t len);

/* Begin to make features of words. */
extern void core_features_init(FeatureMaker *maker, int shingle);

/*
 * Store the features that end in the next n tokens, at most FEATURES_PER_TOKEN * n,
 * and return their number.
 */
extern size_t core_make_features(FeatureMaker *maker, const uint64_t *tokens,
								 size_t n, uint64_t *features);

/*
 * After the last token: store the feature of a short text and return 1, or return
 * 0.
 */
extern size_t core_features_end(FeatureMaker *maker, uint64_t *feature);

#endif
