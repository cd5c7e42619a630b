/*-------------------------------------------------------------------------
 *
 * counts.h
 *		The number of times that each feature has occurred in a text so far, and its weight.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COUNTS_H
#define SIMHASH_COUNTS_H

#include <stdbool.h>

#include "../../env.h"
#include "../text_options.h"

/* Slots of counts that allocate no memory */
#define COUNTS_SMALL_LOG2 7
#define COUNTS_SMALL (1 << COUNTS_SMALL_LOG2)

/* Open addressing with linear probing; a count of 0 is an empty slot. */
typedef struct FeatureCounts
{
	const Env  *env;
	uint64_t   *keys;			/* small, or from env */
	uint32_t   *counts;
	size_t		n_slots;		/* a power of 2 */
	size_t		n_keys;
	int			shift;			/* 64 - log2(n_slots) */
	uint64_t	small_keys[COUNTS_SMALL];
	uint32_t	small_counts[COUNTS_SMALL];
} FeatureCounts;

/* Begin to count hashes. */
extern void core_counts_init(FeatureCounts *counts, const Env *env);

/* Allocate memory for n features, so that it need not grow step by step. */
extern void core_counts_expect(FeatureCounts *counts, size_t n);

/* Free the memory of the counts. */
extern void core_counts_free(FeatureCounts *counts);

/*
 * The count of a feature, which is 0 if the feature is new.  Then the caller stores a count, or any
 * other number.
 */
extern uint32_t *core_counts_reserve(FeatureCounts *counts, uint64_t hash);

/* Count n hashes. */
extern void core_counts_add(FeatureCounts *counts, const uint64_t *hashes,
							size_t n);

/*
 * Count a feature, and make it distinct if it is repeated: if it has been added k > 0 times before,
 * return feature_pair(feature, k).
 */
extern uint64_t core_counts_number(FeatureCounts *counts, uint64_t hash);

/* The count of a feature, which is 0 if it has not been added, and then stays 0. */
extern uint32_t *core_counts_of(const FeatureCounts *counts, uint64_t hash);

/* The weight of a feature that occurs count times. */
extern double core_feature_weight(FeatureWeight weight, uint32_t count);

#endif
