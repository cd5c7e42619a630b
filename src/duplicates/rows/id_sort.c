/*-------------------------------------------------------------------------
 *
 * id_sort.c
 *		A sort of ids that have numbers; see id_sort.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/store/external_sort.h"
#include "id_sort.h"
#include "ids.h"
#include "miscadmin.h"
#include "server/tuple_sort.h"

struct IdSort
{
	Oid			type;
	bool		by_number;
	/* sorts integer ids, as ranks; NULL for others */
	ExternalSort *integers;
	/* sorts other ids, as (id, number) or, by number, as (number, id) */
	TupleSort  *tuples;
};

/* Begin a sort in the current memory context. */
IdSort *
id_sort_begin(TypeCacheEntry *type, Oid collation, IdSortKey key, size_t memory,
			  const Env *env)
{
	IdSort	   *sort = palloc0(sizeof(IdSort));
	TupleSortColumn id = {type->type_id, type->lt_opr, collation};
	TupleSortColumn number = INT8_COLUMN;
	uint64		rank;

	sort->type = type->type_id;
	sort->by_number = key == BY_UPPER_HALF;
	if (integer_rank(sort->type, (Datum) 0, &rank))
		sort->integers = core_external_sort_begin(sort->by_number ? LONG_VALUES : LONG_KEYS,
												  memory, env);
	else
	{
		TupleSortColumn columns[2] = {sort->by_number ? number : id, sort->by_number ? id : number};

		sort->tuples = tuple_sort_begin(columns, 2, key == BY_ID_AND_NUMBER ? 2 : 1, memory,
										TUPLESORT_NONE);
	}
	return sort;
}

/* Map unsigned numbers to signed ones that have the same order. */
static inline int64
signed_number(uint64 number)
{
	return (int64) (number ^ UINT64CONST(1) << 63);
}

void
id_sort_put(IdSort *sort, Datum id, uint64 number)
{
	uint64		rank;

	if (sort->integers == NULL)
	{
		Datum		n = Int64GetDatum(signed_number(number));
		Datum		values[2] = {sort->by_number ? n : id, sort->by_number ? id : n};

		tuple_sort_put(sort->tuples, values);
	}
	else if (integer_rank(sort->type, id, &rank))
		core_external_sort_add(sort->integers, sort->by_number ? number >> 32 : rank,
							   sort->by_number ? rank : number);
}

void
id_sort_finish(IdSort *sort)
{
	if (sort->integers != NULL)
		core_external_sort_finish(sort->integers);
	else
		tuplesort_performsort(sort->tuples->state);
}

bool
id_sort_next(IdSort *sort, Datum *id, uint64 *number)
{
	const Datum *values;
	uint64		key;
	uint64		value;

	CHECK_FOR_INTERRUPTS();
	if (sort->integers != NULL)
	{
		if (!core_external_sort_next(sort->integers, &key, &value))
			return false;
		*id = id_of_rank(sort->type, sort->by_number ? value : key);
		*number = sort->by_number ? key << 32 : value;
		return true;
	}
	values = tuple_sort_next(sort->tuples);
	if (values == NULL)
		return false;
	*id = values[sort->by_number ? 1 : 0];
	*number = (uint64) signed_number((uint64) DatumGetInt64(values[sort->by_number ? 0 : 1]));
	return true;
}

void
id_sort_end(IdSort *sort)
{
	if (sort->integers != NULL)
		core_external_sort_end(sort->integers);
	else
		tuple_sort_end(sort->tuples);
	pfree(sort);
}
