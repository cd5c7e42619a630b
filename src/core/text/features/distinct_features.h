/*-------------------------------------------------------------------------
 *
 * distinct_features.h
 *		The set of the features of a text, as far as it has been read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DISTINCT_FEATURES_H
#define SIMHASH_DISTINCT_FEATURES_H

#include <stdbool.h>

#include "../../env.h"

#define DISTINCT_SMALL 2048		/* slots of a set that allocates no memory */
#define DISTINCT_BATCH 1024		/* most hashes added at a time */

/* Open addressing with linear probing; 0 is an empty slot. */
typedef struct DistinctSet
{
	const Env  *env;
	uint64_t   *slots;			/* small, or from env */
	size_t		n_slots;		/* a power of 2; 0 before the first hash */
	size_t		count;
	size_t		room;			/* number of hashes until it must grow */
	size_t		expected;
	int			shift;			/* 64 - log2(n_slots) */
	bool		has_zero;
	uint64_t	small[DISTINCT_SMALL];
} DistinctSet;

/* "expected" is the expected number of hashes.  A wrong number only costs time. */
extern void core_distinct_init(DistinctSet *set, const Env *env,
							   size_t expected);

/* Free the memory of a set. */
extern void core_distinct_free(DistinctSet *set);

/*
 * Add n hashes, at most DISTINCT_BATCH.  The function moves new hashes, once each,
 * to the front of the array and returns their number.  It may overwrite the other
 * places.
 */
extern size_t core_distinct_add(DistinctSet *set, uint64_t *hashes, size_t n);

#endif
