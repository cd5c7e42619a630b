/*-------------------------------------------------------------------------
 *
 * edges.c
 *		Edges that a query of the caller returns, and functions that group their ids.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "edges.h"
#include "ids.h"
#include "miscadmin.h"
#include "query.h"
#include "server/progress.h"

#define MOST_EDGES	PG_INT32_MAX	/* they have fewer than 2^32 vertices */

#define ROWS_BETWEEN_NOTICES	(1 << 16)

typedef struct EdgeReader
{
	const TypeCacheEntry *type;
	AddEdge		add;
	void	   *arg;
	uint64		n;
} EdgeReader;

static void
begin_edges(TupleDesc desc, void *arg)
{
	const EdgeReader *reader = arg;

	if (desc->natts != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must return two columns, the ids of an edge"),
				 errdetail("It returns %d.", desc->natts)));
	check_id_column(desc, 1, reader->type->type_id, "the query");
	check_id_column(desc, 2, reader->type->type_id, "the query");
}

/* NULL is no vertex: an edge to it tells only that the other end is a vertex. */
static void
receive_edge(TupleTableSlot *slot, void *arg)
{
	EdgeReader *reader = arg;

	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] && slot->tts_isnull[1])
		return;
	if (++reader->n > MOST_EDGES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many edges"),
				 errdetail("At most %d can be joined at a time.", MOST_EDGES)));
	if (reader->n % ROWS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " edges have been read", reader->n)));
	reader->add(reader->arg, slot->tts_values[slot->tts_isnull[0] ? 1 : 0],
				slot->tts_values[slot->tts_isnull[1] ? 0 : 1]);
}

/* Give all edges of a query of two ids to "add". */
void
read_edges(const char *query, const TypeCacheEntry *type, AddEdge add, void *arg)
{
	EdgeReader	reader = {type, add, arg, 0};

	read_query(query, "SELECT a, b FROM edges", begin_edges, receive_edge, &reader);
}

Datum
return_id_rows(FunctionCallInfo fcinfo, const IdRows *rows)
{
	FuncCallContext *funcctx;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = begin_rows(fcinfo);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		funcctx->user_fctx = rows->begin(fcinfo);
		if (funcctx->user_fctx != NULL)
			at_early_end(fcinfo, rows->end, funcctx->user_fctx);
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();

	CHECK_FOR_INTERRUPTS();
	if (funcctx->user_fctx != NULL)
	{
		if (rows->next(funcctx->user_fctx, &values[0], &values[1]))
			SRF_RETURN_NEXT(funcctx,
							HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
															  nulls)));
		at_end(fcinfo, rows->end, funcctx->user_fctx);
	}
	SRF_RETURN_DONE(funcctx);
}
