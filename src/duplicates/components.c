/*-------------------------------------------------------------------------
 *
 * components.c
 *		simhash_components: connected components of the edges that a query returns.
 *
 * Integer ids are the vertices themselves, so an edge needs no memory.  The edges of other
 * ids are kept in memory until all ids are known: a vertex is then the rank of an id.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "core/join/connections.h"
#include "documents.h"
#include "ids.h"
#include "miscadmin.h"
#include "query.h"
#include "utils/builtins.h"
#include "utils/datum.h"

PG_FUNCTION_INFO_V1(simhash_components_of_query);

#define MOST_EDGES	PG_INT32_MAX	/* they have fewer than 2^32 vertices */

typedef struct ComponentsState
{
	MemoryContext context;		/* of all memory */
	TempFiles  *files;
	JoinEnv		env;
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	Connections *connections;	/* NULL if there is no query */
	bool		integers;		/* vertices are integer_rank of ids */
	size_t		nedges;
	Datum	   *ends;			/* of edges, two each, if not integers */
	size_t		room;			/* number of edges */
	uint32	   *order;			/* ends in the order of ids: a rank is the
								 * place of the first end with the id */
} ComponentsState;

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

/* Keep an edge until all ids are known. */
static void
keep_edge(ComponentsState *state, Datum a, Datum b)
{
	TypeCacheEntry *type = state->type;
	MemoryContext old = MemoryContextSwitchTo(state->context);

	if (state->nedges > state->room)
	{
		state->room = Max(2 * state->room, 1024);
		state->ends = state->env.resize(state->env.arg, state->ends,
										state->room * 2 * sizeof(Datum));
	}
	if (type->typlen == -1)
	{
		a = PointerGetDatum(PG_DETOAST_DATUM_PACKED(a));
		b = PointerGetDatum(PG_DETOAST_DATUM_PACKED(b));
	}
	state->ends[2 * state->nedges - 2] = datumCopy(a, type->typbyval, type->typlen);
	state->ends[2 * state->nedges - 1] = datumCopy(b, type->typbyval, type->typlen);
	MemoryContextSwitchTo(old);
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
	if (!state->integers)
		keep_edge(state, a, b);
	else if (integer_rank(state->type->type_id, a, &rank_a) &&
			 integer_rank(state->type->type_id, b, &rank_b))
		simhash_connections_add(state->connections, rank_a, rank_b);
}

static int
compare_ends(const void *a, const void *b, void *arg)
{
	ComponentsState *state = arg;

	CHECK_FOR_INTERRUPTS();
	return DatumGetInt32(FunctionCall2Coll(&state->type->cmp_proc_finfo, state->collation,
										   state->ends[*(const uint32 *) a],
										   state->ends[*(const uint32 *) b]));
}

/* Connect the edges that were kept. */
static void
connect_edges(ComponentsState *state)
{
	size_t		n = 2 * state->nedges;
	uint32	   *ranks = join_alloc(&state->env, n * sizeof(uint32));

	state->order = join_alloc(&state->env, n * sizeof(uint32));
	for (size_t i = 0; i < n; i++)
		state->order[i] = (uint32) i;
	qsort_arg(state->order, n, sizeof(uint32), compare_ends, state);
	for (size_t i = 0; i < n; i++)
		ranks[state->order[i]] =
			i > 0 && compare_ends(&state->order[i - 1], &state->order[i], state) == 0 ?
			ranks[state->order[i - 1]] : (uint32) i;
	for (size_t i = 0; i < n; i += 2)
		simhash_connections_add(state->connections, ranks[i], ranks[i + 1]);
	join_free(&state->env, ranks);
}

static Datum
id_of_vertex(const ComponentsState *state, uint64 vertex)
{
	if (state->integers)
		return id_of_rank(state->type->type_id, vertex);
	return state->ends[state->order[vertex]];
}

static ComponentsState *
find_components(FunctionCallInfo fcinfo)
{
	ComponentsState *state = palloc0(sizeof(ComponentsState));
	uint64		rank;

	if (PG_ARGISNULL(0))
		return state;
	state->context = CurrentMemoryContext;
	state->files = temp_files_begin(false);
	state->env = join_env(CurrentMemoryContext, state->files);
	state->type = type_of_ids(id_type_of_args(fcinfo));
	state->collation = PG_GET_COLLATION();
	state->integers = integer_rank(state->type->type_id, (Datum) 0, &rank);
	state->connections = simhash_connections_begin(join_memory(), &state->env);
	read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), "SELECT a, b FROM edges",
			   begin_edges, receive_edge, state);
	if (!state->integers)
		connect_edges(state);
	simhash_connections_finish(state->connections);
	return state;
}

static void
end_components(Datum state)
{
	temp_files_end(((ComponentsState *) DatumGetPointer(state))->files);
}

/* simhash_components(query, id_type) returns (id, component). */
Datum
simhash_components_of_query(PG_FUNCTION_ARGS)
{
	FuncCallContext *funcctx;
	ComponentsState *state;
	uint64		vertex;
	uint64		root;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = begin_rows(fcinfo);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		state = find_components(fcinfo);
		if (state->connections != NULL)
			at_early_end(fcinfo, end_components, state);
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();
	state = funcctx->user_fctx;

	CHECK_FOR_INTERRUPTS();
	if (state->connections != NULL)
	{
		if (simhash_connections_next(state->connections, &vertex, &root))
		{
			Datum		values[2] = {id_of_vertex(state, vertex), id_of_vertex(state, root)};
			bool		nulls[2] = {false};

			SRF_RETURN_NEXT(funcctx,
							HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
															  nulls)));
		}
		at_end(fcinfo, end_components, state);
	}
	SRF_RETURN_DONE(funcctx);
}
