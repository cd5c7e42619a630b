/*-------------------------------------------------------------------------
 *
 * tuple_sort.c
 *		A tuplesort of tuples whose columns are given as Datums; see tuple_sort.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "tuple_sort.h"

#define MOST_KEYS	2

/*
 * Begin a sort by the first "nkeys" columns that uses about "memory" bytes.  "options"
 * are those of tuplesort_begin_heap.
 */
TupleSort *
tuple_sort_begin(const TupleSortColumn *columns, int ncolumns, int nkeys, size_t memory,
				 int options)
{
	TupleSort  *sort = palloc(sizeof(TupleSort));
	TupleDesc	desc = CreateTemplateTupleDesc(ncolumns);
	AttrNumber	keys[MOST_KEYS];
	Oid			operators[MOST_KEYS];
	Oid			collations[MOST_KEYS];
	bool		nulls_first[MOST_KEYS] = {false};

	Assert(nkeys <= MOST_KEYS);
	for (int i = 0; i < ncolumns; i++)
		TupleDescInitEntry(desc, i + 1, NULL, columns[i].type, -1, 0);
	TupleDescFinalize(desc);
	for (int i = 0; i < nkeys; i++)
	{
		keys[i] = i + 1;
		operators[i] = columns[i].less;
		collations[i] = columns[i].collation;
	}
	sort->put = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sort->found = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort->state = tuplesort_begin_heap(desc, nkeys, keys, operators, collations, nulls_first,
									   (int) Min(memory / 1024, MAX_KILOBYTES), NULL, options);
	return sort;
}

/* Add a tuple, before tuplesort_performsort. */
void
tuple_sort_put(TupleSort *sort, const Datum *values)
{
	TupleTableSlot *slot = sort->put;
	int			ncolumns = slot->tts_tupleDescriptor->natts;

	ExecClearTuple(slot);
	memcpy(slot->tts_values, values, ncolumns * sizeof(Datum));
	memset(slot->tts_isnull, 0, ncolumns * sizeof(bool));
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(sort->state, slot);
}

/* Return the columns of the next tuple, valid until the next call; NULL at the end. */
const Datum *
tuple_sort_next(TupleSort *sort)
{
	CHECK_FOR_INTERRUPTS();
	if (!tuplesort_gettupleslot(sort->state, true, false, sort->found, NULL))
		return NULL;
	slot_getallattrs(sort->found);
	return sort->found->tts_values;
}

void
tuple_sort_end(TupleSort *sort)
{
	ExecDropSingleTupleTableSlot(sort->found);
	ExecDropSingleTupleTableSlot(sort->put);
	tuplesort_end(sort->state);
	pfree(sort);
}
