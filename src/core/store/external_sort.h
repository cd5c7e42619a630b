/*-------------------------------------------------------------------------
 *
 * external_sort.h
 *		A sort of pairs of numbers, a key and a value, in limited memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_EXTERNAL_SORT_H
#define SIMHASH_EXTERNAL_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../env.h"

/* Which of the two numbers are below 2^32.  The others are below 2^64.  The sort is by keys. */
typedef enum NumberWidths
{
	/*
	 * Both are below 2^32.  Among pairs with the same key, those whose value
	 * is not above the key come first.
	 */
	SHORT_NUMBERS,

	/* Values are below 2^32.  Pairs with the same key keep their order. */
	LONG_KEYS,

	/* Keys are below 2^32.  Pairs with the same key keep their order. */
	LONG_VALUES
} NumberWidths;

typedef struct ExternalSort ExternalSort;

/* Begin a sort that uses about "memory" bytes. */
extern ExternalSort *core_external_sort_begin(NumberWidths widths, size_t memory,
											  const Env *env);

/* Add a pair. */
extern void core_external_sort_add(ExternalSort *sort, uint64_t key, uint64_t value);

/*
 * Sort the pairs, after all of them have been added.  core_external_sort_next then returns them.
 */
extern void core_external_sort_finish(ExternalSort *sort);

/* Return the next pair in order.  The result is false at the end. */
extern bool core_external_sort_next(ExternalSort *sort, uint64_t *key, uint64_t *value);

/* The values of a key, which the function may change, in their order */
typedef void (*KeyVisitor) (void *arg, uint64_t key, uint32_t *values, size_t n);

/* Call a function for each key of a sort with LONG_KEYS, after all pairs have been added.  The sort ends. */
extern void core_external_sort_visit(ExternalSort *sort, KeyVisitor visit, void *arg);

/* End a sort, whether all pairs have been read or not. */
extern void core_external_sort_end(ExternalSort *sort);

#endif							/* SIMHASH_EXTERNAL_SORT_H */
