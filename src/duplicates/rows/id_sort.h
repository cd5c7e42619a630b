/*-------------------------------------------------------------------------
 *
 * id_sort.h
 *		A sort of ids that have numbers.
 *
 * Integers are sorted as numbers (core/store/external_sort.h), other ids by their type's
 * order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ID_SORT_H
#define SIMHASH_ID_SORT_H

#include "postgres.h"

#include "core/env.h"
#include "utils/typcache.h"

typedef enum IdSortKey
{
	/* by id; the order of equal ids is undefined unless they are integers */
	BY_ID,
	BY_ID_AND_NUMBER,

	/*
	 * by the upper half of the number.  Ids must be added in the order of the
	 * lower halves.  A sort of integer ids does not return the lower halves.
	 */
	BY_UPPER_HALF
} IdSortKey;

typedef struct IdSort IdSort;

extern IdSort *id_sort_begin(TypeCacheEntry *type, Oid collation, IdSortKey key, size_t memory,
							 const Env *env);
extern void id_sort_put(IdSort *sort, Datum id, uint64 number);
extern void id_sort_finish(IdSort *sort);

/* Get the next id, which is valid until the next call, and its number; false at the end. */
extern bool id_sort_next(IdSort *sort, Datum *id, uint64 *number);
extern void id_sort_end(IdSort *sort);

#endif							/* SIMHASH_ID_SORT_H */
