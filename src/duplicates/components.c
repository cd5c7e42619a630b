/*-------------------------------------------------------------------------
 *
 * components.c
 *		simhash_components: connected components of the edges that a query returns.
 *
 * Integer ids are the vertices themselves, so an edge needs no memory.  Of other ids a vertex
 * is the rank.  A sort by ids finds the ranks, and a sort by edges brings the ranks of an
 * edge's two ends together.  The components are sorted by vertices beside the ids, which are
 * in that order, and then with the ids by components.  The id of a component comes first there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "core/join/connections.h"
#include "documents.h"
#include "ids.h"
#include "miscadmin.h"
#include "query.h"
#include "server/compat.h"
#include "server/progress.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(simhash_components_of_query);

#define MOST_EDGES	PG_INT32_MAX	/* they have fewer than 2^32 vertices */

#define ROWS_BETWEEN_NOTICES	(1 << 16)

typedef struct ComponentsState
{
	TempFiles  *files;			/* NULL if there is no query */
	JoinEnv		env;
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	Connections *connections;	/* of integers */
	bool		integers;		/* vertices are integer_rank of ids */
	size_t		nedges;
	/* other ids */
	MemoryContext context;		/* of the component */
	MemoryContext row_context;	/* of the ids of an edge */
	TupleTableSlot *put;
	TupleTableSlot *slot;		/* of a sort */
	Tuplesortstate *sort;		/* (id, number of an edge's end), then the rows:
								 * (id, component and vertex) */
	Datum		component;		/* the present one */
	bool		have_component;
} ComponentsState;

/* Numbers below 2^32 as one that has the order of the first, and of the second for the same */
static inline Datum
numbers_datum(uint64 first, uint64 second)
{
	return Int64GetDatum((int64) ((first << 32 | second) ^ UINT64CONST(1) << 63));
}

static inline uint64
numbers_of_datum(Datum numbers)
{
	return (uint64) DatumGetInt64(numbers) ^ UINT64CONST(1) << 63;
}

/* ----------
 * Edges
 * ----------
 */

static void
begin_edges(TupleDesc desc, void *arg)
{
	ComponentsState *state = arg;

	if (desc->natts != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must return two columns, the ids of an edge"),
				 errdetail("It returns %d.", desc->natts)));
	check_id_column(desc, 1, state->type->type_id);
	check_id_column(desc, 2, state->type->type_id);
}

/* Sort ids and numbers, by column "column". */
static void
begin_sort(ComponentsState *state, AttrNumber column, size_t memory)
{
	Oid			operator = column == 1 ? state->type->lt_opr : Int8LessOperator;
	Oid			collation = column == 1 ? state->collation : InvalidOid;
	bool		nulls_first = false;

	state->sort = tuplesort_begin_heap(state->put->tts_tupleDescriptor, 1, &column, &operator,
									   &collation, &nulls_first,
									   (int) Min(memory / 1024, MAX_KILOBYTES), NULL,
									   TUPLESORT_NONE);
}

static Tuplesortstate *
begin_number_sort(void)
{
	return tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
								 (int) Min(join_memory() / 4 / 1024, MAX_KILOBYTES), NULL,
								 TUPLESORT_NONE);
}

static void
begin_ids(ComponentsState *state)
{
	TupleDesc	desc = CreateTemplateTupleDesc(2);

	TupleDescInitEntry(desc, 1, "id", state->type->type_id, -1, 0);
	TupleDescInitEntry(desc, 2, "number", INT8OID, -1, 0);
	state->context = CurrentMemoryContext;
	state->put = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	state->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	state->row_context = AllocSetContextCreate(CurrentMemoryContext, "simhash components",
											   ALLOCSET_DEFAULT_SIZES);
	begin_sort(state, 1, join_memory() / 2);
}

static void
put_row(ComponentsState *state, Datum id, Datum number)
{
	TupleTableSlot *slot = state->put;

	ExecClearTuple(slot);
	slot->tts_values[0] = id;
	slot->tts_values[1] = number;
	slot->tts_isnull[0] = slot->tts_isnull[1] = false;
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(state->sort, slot);
}

static bool
next_row(ComponentsState *state, uint64 *number)
{
	if (!tuplesort_gettupleslot(state->sort, true, false, state->slot, NULL))
		return false;
	slot_getallattrs(state->slot);
	*number = (uint64) DatumGetInt64(state->slot->tts_values[1]);
	return true;
}

/* Put the ends of an edge into the sort, whose files must not end with the query. */
static void
put_edge(ComponentsState *state, Datum a, Datum b)
{
	MemoryContext old = MemoryContextSwitchTo(state->row_context);
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = state->files->owner;
	if (state->type->typlen == -1)
	{
		a = PointerGetDatum(PG_DETOAST_DATUM_PACKED(a));
		b = PointerGetDatum(PG_DETOAST_DATUM_PACKED(b));
	}
	put_row(state, a, Int64GetDatum(2 * state->nedges - 2));
	put_row(state, b, Int64GetDatum(2 * state->nedges - 1));
	CurrentResourceOwner = owner;
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->row_context);
}

/* NULL is no vertex: an edge to it tells only that the other end is a vertex. */
static void
receive_edge(TupleTableSlot *slot, void *arg)
{
	ComponentsState *state = arg;
	Datum		a;
	Datum		b;
	uint64		rank_a;
	uint64		rank_b;

	slot_getsomeattrs(slot, 2);
	a = slot->tts_values[slot->tts_isnull[0] ? 1 : 0];
	b = slot->tts_values[slot->tts_isnull[1] ? 0 : 1];
	if (slot->tts_isnull[0] && slot->tts_isnull[1])
		return;
	if (++state->nedges > MOST_EDGES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many edges"),
				 errdetail("At most %d can be joined at a time.", MOST_EDGES)));
	if (state->nedges % ROWS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg("%zu edges have been read", state->nedges)));
	if (!state->integers)
		put_edge(state, a, b);
	else if (integer_rank(state->type->type_id, a, &rank_a) &&
			 integer_rank(state->type->type_id, b, &rank_b))
		simhash_connections_add(state->connections, rank_a, rank_b);
}

/* ----------
 * Ids that are not integers
 * ----------
 */

/* Keep the id of the present row, and free the one before. */
static void
keep_component(ComponentsState *state)
{
	const TypeCacheEntry *type = state->type;
	MemoryContext old = MemoryContextSwitchTo(state->context);

	if (state->have_component && !type->typbyval)
		pfree(DatumGetPointer(state->component));
	state->component = datumCopy(state->slot->tts_values[0], type->typbyval, type->typlen);
	state->have_component = true;
	MemoryContextSwitchTo(old);
}

/* Is the id of the present row another than the one that was kept? */
static inline bool
is_new_id(ComponentsState *state)
{
	return !state->have_component ||
		DatumGetInt32(FunctionCall2Coll(&state->type->cmp_proc_finfo, state->collation,
										state->component, state->slot->tts_values[0])) != 0;
}

/* Put the ends of edges with the ranks of their ids into "ends".  Return the ids in order. */
static Tuplestorestate *
rank_ids(ComponentsState *state, Tuplesortstate *ends)
{
	Tuplestorestate *ids = tuplestore_begin_heap(false, false,
												 (int) Min(join_memory() / 8 / 1024,
														   MAX_KILOBYTES));
	uint64		rank = PG_UINT64_MAX;
	uint64		end;
	size_t		n = 0;

	tuplesort_performsort(state->sort);
	while (next_row(state, &end))
	{
		CHECK_FOR_INTERRUPTS();
		if (is_new_id(state))
		{
			rank++;
			keep_component(state);
			tuplestore_puttupleslot(ids, state->slot);
		}
		tuplesort_putdatum(ends, numbers_datum(end, rank), false);
		if (++n % ROWS_BETWEEN_NOTICES == 0 && progress_is_due())
			ereport(NOTICE,
					(errmsg("%zu of %zu ends of edges have been ranked", n, 2 * state->nedges)));
	}
	ExecClearTuple(state->slot);
	tuplesort_end(state->sort);
	return ids;
}

static bool
next_numbers(Tuplesortstate *sort, uint64 *numbers)
{
	Datum		datum;
	bool		null;

	CHECK_FOR_INTERRUPTS();
	if (!tuplesort_getdatum(sort, true, false, &datum, &null, NULL))
		return false;
	*numbers = numbers_of_datum(datum);
	return true;
}

/* Connect the ranks of edges, and return the vertices with their components in order. */
static Tuplesortstate *
connect_ends(ComponentsState *state, Tuplesortstate *ends)
{
	Connections *connections = simhash_connections_begin(join_memory() / 2, &state->env);
	Tuplesortstate *vertices;
	uint64		a;
	uint64		b;

	tuplesort_performsort(ends);
	while (next_numbers(ends, &a) && next_numbers(ends, &b))
		simhash_connections_add(connections, a & PG_UINT32_MAX, b & PG_UINT32_MAX);
	tuplesort_end(ends);
	simhash_connections_finish(connections);
	vertices = begin_number_sort();
	while (simhash_connections_next(connections, &a, &b))
		tuplesort_putdatum(vertices, numbers_datum(a, b), false);
	simhash_connections_end(connections);
	return vertices;
}

/* Sort the ids by their components. */
static void
sort_rows(ComponentsState *state)
{
	Tuplesortstate *ends = begin_number_sort();
	Tuplestorestate *ids = rank_ids(state, ends);
	Tuplesortstate *vertices = connect_ends(state, ends);
	uint64		numbers;

	tuplesort_performsort(vertices);
	begin_sort(state, 2, join_memory() / 2);
	while (next_numbers(vertices, &numbers))
	{
		if (!tuplestore_gettupleslot(ids, true, false, state->slot))
			elog(ERROR, "there are fewer ids than vertices");
		slot_getsomeattrs(state->slot, 1);
		put_row(state, state->slot->tts_values[0],
				numbers_datum(numbers & PG_UINT32_MAX, numbers >> 32));
	}
	tuplesort_end(vertices);
	ExecClearTuple(state->slot);
	tuplestore_end(ids);
	tuplesort_performsort(state->sort);
}

/* ----------
 * Components
 * ----------
 */

static ComponentsState *
find_components(FunctionCallInfo fcinfo)
{
	ComponentsState *state = palloc0(sizeof(ComponentsState));
	uint64		rank;

	if (PG_ARGISNULL(0))
		return state;
	progress_begin();
	state->files = temp_files_begin(false);
	state->env = join_env(CurrentMemoryContext, state->files);
	state->type = type_of_ids(id_type_of_args(fcinfo));
	state->collation = PG_GET_COLLATION();
	state->integers = integer_rank(state->type->type_id, (Datum) 0, &rank);
	if (state->integers)
		state->connections = simhash_connections_begin(join_memory(), &state->env);
	else
		begin_ids(state);
	read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), "SELECT a, b FROM edges",
			   begin_edges, receive_edge, state);
	if (state->integers)
		simhash_connections_finish(state->connections);
	else
		sort_rows(state);
	return state;
}

/* The next id and its component, which are valid until the next call; false at the end */
static bool
next_id(ComponentsState *state, Datum *id, Datum *component)
{
	uint64		vertex;
	uint64		root;
	uint64		numbers;

	if (state->integers)
	{
		if (!simhash_connections_next(state->connections, &vertex, &root))
			return false;
		*id = id_of_rank(state->type->type_id, vertex);
		*component = id_of_rank(state->type->type_id, root);
		return true;
	}
	if (!next_row(state, &numbers))
		return false;
	numbers = numbers_of_datum(Int64GetDatum((int64) numbers));
	if (numbers >> 32 == (numbers & PG_UINT32_MAX))
		keep_component(state);
	*id = state->slot->tts_values[0];
	*component = state->component;
	return true;
}

static void
end_components(Datum arg)
{
	ComponentsState *state = (ComponentsState *) DatumGetPointer(arg);

	if (!state->integers)
	{
		ExecDropSingleTupleTableSlot(state->slot);
		ExecDropSingleTupleTableSlot(state->put);
		tuplesort_end(state->sort);
	}
	temp_files_end(state->files);
}

/* simhash_components(query, id_type) returns (id, component). */
Datum
simhash_components_of_query(PG_FUNCTION_ARGS)
{
	FuncCallContext *funcctx;
	ComponentsState *state;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = begin_rows(fcinfo);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		state = find_components(fcinfo);
		if (state->files != NULL)
			at_early_end(fcinfo, end_components, state);
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();
	state = funcctx->user_fctx;

	CHECK_FOR_INTERRUPTS();
	if (state->files != NULL)
	{
		if (next_id(state, &values[0], &values[1]))
			SRF_RETURN_NEXT(funcctx,
							HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
															  nulls)));
		at_end(fcinfo, end_components, state);
	}
	SRF_RETURN_DONE(funcctx);
}
