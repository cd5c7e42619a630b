/*
 * The number of times that each feature has occurred in a text so far.
 */
#ifndef SIMHASH_COUNTS_H
#define SIMHASH_COUNTS_H

#include <stdbool.h>

#include "text_env.h"

/* Open addressing with linear probing; a count of 0 is an empty slot. */
typedef struct FeatureCounts
{
	const TextEnv *env;
	uint64_t   *keys;
	uint32_t   *counts;
	size_t		n_slots;		/* a power of 2, or 0 */
	size_t		n_keys;
	int			shift;			/* 64 - log2(n_slots) */
} FeatureCounts;

extern void simhash_counts_init(FeatureCounts *counts, const TextEnv *env);
extern void simhash_counts_free(FeatureCounts *counts);
extern void simhash_counts_add(FeatureCounts *counts, const uint64_t *hashes,
							   size_t n);

/* The count of a feature that has been added */
extern uint32_t *simhash_counts_of(const FeatureCounts *counts, uint64_t hash);

#endif
