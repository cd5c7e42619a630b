/*-------------------------------------------------------------------------
 *
 * pairs.c
 *		simhash_pairs, bit_pairs: all pairs of documents within a distance.
 *
 * The function returns rows one by one.  So a call in a select list keeps no
 * rows in memory, and LIMIT ends the join.  The memory of the join is that of
 * core/join/row_pairs.c, within the limit of join_memory (documents.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "core/join/row_pairs.h"
#include "documents.h"
#include "miscadmin.h"
#include "query.h"

PG_FUNCTION_INFO_V1(simhash_pairs_of_arrays);
PG_FUNCTION_INFO_V1(simhash_pairs_of_query);

typedef struct PairsState
{
	Documents  *documents;		/* NULL if there are no pairs */
	JoinEnv		env;
	RowPairs   *pairs;
} PairsState;

static Datum
next_pair(FunctionCallInfo fcinfo, Documents *(*read_documents) (FunctionCallInfo))
{
	FuncCallContext *funcctx;
	PairsState *state;
	FingerprintPair pair;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = begin_rows(fcinfo);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		state = palloc0(sizeof(PairsState));
		state->env = join_env(CurrentMemoryContext);
		state->documents = read_documents(fcinfo);
		if (state->documents != NULL)
		{
			Fingerprints fps = documents_fingerprints(state->documents);
			int			distance = documents_distance(state->documents, fcinfo);

			state->pairs = simhash_row_pairs_begin(&fps, distance, ALL_PAIRS, join_memory(),
												   &state->env);
		}
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();
	state = funcctx->user_fctx;

	CHECK_FOR_INTERRUPTS();
	if (state->documents != NULL && simhash_row_pairs_next(state->pairs, &pair))
	{
		bool		ordered = documents_compare(state->documents, pair.a, pair.b) < 0;
		Datum		values[3];
		bool		nulls[3] = {false};

		values[0] = state->documents->ids[ordered ? pair.a : pair.b];
		values[1] = state->documents->ids[ordered ? pair.b : pair.a];
		values[2] = Int32GetDatum(pair.distance);
		SRF_RETURN_NEXT(funcctx,
						HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values, nulls)));
	}
	SRF_RETURN_DONE(funcctx);
}

Datum
simhash_pairs_of_arrays(PG_FUNCTION_ARGS)
{
	return next_pair(fcinfo, documents_from_arrays);
}

Datum
simhash_pairs_of_query(PG_FUNCTION_ARGS)
{
	return next_pair(fcinfo, documents_from_query);
}
