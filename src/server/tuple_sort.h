/*-------------------------------------------------------------------------
 *
 * tuple_sort.h
 *		A tuplesort of tuples whose columns are given as Datums.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TUPLE_SORT_H
#define SIMHASH_TUPLE_SORT_H

#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "utils/tuplesort.h"

/* A column, which is never NULL.  If it is a key, "less" is the operator that orders it. */
typedef struct TupleSortColumn
{
	Oid			type;
	Oid			less;
	Oid			collation;
} TupleSortColumn;

#define INT8_COLUMN {INT8OID, Int8LessOperator, InvalidOid}

typedef struct TupleSort
{
	/* for calls of tuplesort's own functions */
	Tuplesortstate *state;
	TupleTableSlot *put;
	TupleTableSlot *found;
} TupleSort;

extern TupleSort *tuple_sort_begin(const TupleSortColumn *columns, int ncolumns, int nkeys,
								   size_t memory, int options);
extern void tuple_sort_put(TupleSort *sort, const Datum *values);
extern const Datum *tuple_sort_next(TupleSort *sort);
extern void tuple_sort_end(TupleSort *sort);

#endif							/* SIMHASH_TUPLE_SORT_H */
