/*-------------------------------------------------------------------------
 *
 * pairs.c
 *		simhash_pairs, bit_pairs: all pairs of documents within a distance.
 *
 * The function returns rows one by one.  So a call in a select list keeps no
 * rows in memory, and LIMIT ends the join.  The pairs of documents in temporary
 * files are returned in batches, because the ids of a batch are read in their
 * order.  The first batches are small.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "core/join/radix.h"
#include "core/join/row_pairs.h"
#include "documents.h"
#include "miscadmin.h"
#include "parallel_pairs.h"
#include "query.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(simhash_pairs_of_arrays);
PG_FUNCTION_INFO_V1(simhash_pairs_of_query);

#define FIRST_BATCH		64
/* Bytes for each pair of a batch: two ids, their rows in order, and a copy for the sort */
#define BATCH_PAIR_BYTES	(sizeof(FingerprintPair) + 2 * (sizeof(Datum) + 2 * 12))

/* Pairs and the ids of each, one after the other */
typedef struct Batch
{
	MemoryContext context;		/* of the batch */
	size_t		room;
	size_t		most;
	size_t		n;
	size_t		at;
	FingerprintPair *pairs;
	Datum	   *ids;
	const FingerprintPair *found;	/* the join's pairs */
	size_t		nfound;
	size_t		found_at;
} Batch;

typedef struct PairsState
{
	Documents  *documents;		/* NULL if there are no pairs */
	RowPairs   *pairs;			/* of documents in memory */
	ParallelSource source;
	void	   *stored;			/* of documents in files */
	Batch		batch;
} PairsState;

static void
end_pairs(Datum state)
{
	temp_files_end(((PairsState *) DatumGetPointer(state))->documents->files);
}

static void
begin_pairs(PairsState *state, int distance, Oid function)
{
	Documents  *documents = state->documents;

	if (documents->stored == NULL)
	{
		Fingerprints fps = documents_fingerprints(documents);

		state->pairs = simhash_row_pairs_begin(&fps, distance, ALL_PAIRS, &documents->env);
	}
	else
	{
		size_t		id_bytes = documents->stored->ids_size / documents->n;

		state->source.files = documents->files;
		state->source.function = function;
		state->stored = parallel_pairs_begin(&state->source, documents->stored->set, distance,
											 join_memory() / 8 * 7, &documents->env);
		state->batch.context = AllocSetContextCreate(CurrentMemoryContext, "simhash pairs",
													 ALLOCSET_DEFAULT_SIZES);
		state->batch.most = join_memory() / 8 / (BATCH_PAIR_BYTES + 2 * id_bytes);
	}
}

/* Read the ids of a batch, each document's only once. */
static void
read_batch_ids(StoredDocuments *stored, Batch *batch, const JoinEnv *env)
{
	size_t		n = 2 * batch->n;
	uint64	   *documents = palloc(n * sizeof(uint64));
	uint32	   *places = palloc(n * sizeof(uint32));

	for (size_t i = 0; i < n; i++)
	{
		documents[i] = i % 2 == 0 ? batch->pairs[i / 2].a : batch->pairs[i / 2].b;
		places[i] = (uint32) i;
	}
	simhash_sort_fps(documents, places, n, env);
	batch->ids = palloc(n * sizeof(Datum));
	for (size_t i = 0; i < n; i++)
		batch->ids[places[i]] = i > 0 && documents[i] == documents[i - 1] ?
			batch->ids[places[i - 1]] : stored_documents_id(stored, documents[i]);
	pfree(documents);
	pfree(places);
}

/* Fill the batch with the next pairs; false if there are none. */
static bool
next_batch(PairsState *state)
{
	Batch	   *batch = &state->batch;
	MemoryContext old;

	MemoryContextReset(batch->context);
	old = MemoryContextSwitchTo(batch->context);
	batch->room = batch->room == 0 ? FIRST_BATCH : Min(batch->room * 4, batch->most);
	batch->room = Max(Min(batch->room, MaxAllocSize / BATCH_PAIR_BYTES), 1);
	batch->pairs = palloc(batch->room * sizeof(FingerprintPair));
	batch->n = batch->at = 0;
	while (batch->n < batch->room)
	{
		size_t		some;

		if (batch->found_at == batch->nfound)
		{
			batch->nfound = parallel_pairs_next(state->stored, &batch->found);
			batch->found_at = 0;
			if (batch->nfound == 0)
				break;
		}
		some = Min(batch->nfound - batch->found_at, batch->room - batch->n);
		memcpy(batch->pairs + batch->n, batch->found + batch->found_at,
			   some * sizeof(FingerprintPair));
		batch->n += some;
		batch->found_at += some;
	}
	if (batch->n > 0)
		read_batch_ids(state->documents->stored, batch, &state->documents->env);
	MemoryContextSwitchTo(old);
	return batch->n > 0;
}

/* The next pair and its ids, the smaller one first; false if there is none. */
static bool
find_next_pair(PairsState *state, FingerprintPair *pair, Datum *ids)
{
	const Documents *documents = state->documents;
	Batch	   *batch = &state->batch;
	int			order;

	if (state->stored == NULL)
	{
		if (!simhash_row_pairs_next(state->pairs, pair))
			return false;
		ids[0] = documents->ids[pair->a];
		ids[1] = documents->ids[pair->b];
	}
	else
	{
		if (batch->at == batch->n && !next_batch(state))
			return false;
		*pair = batch->pairs[batch->at];
		ids[0] = batch->ids[2 * batch->at];
		ids[1] = batch->ids[2 * batch->at + 1];
		batch->at++;
	}
	order = documents_compare_ids(documents, ids[0], ids[1]);
	if (order > 0 || (order == 0 && pair->a > pair->b))
	{
		Datum		id = ids[0];

		ids[0] = ids[1];
		ids[1] = id;
	}
	return true;
}

static Datum
next_pair(FunctionCallInfo fcinfo, Documents *(*read_documents) (FunctionCallInfo))
{
	FuncCallContext *funcctx;
	PairsState *state;
	FingerprintPair pair;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = begin_rows(fcinfo);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		state = palloc0(sizeof(PairsState));
		state->documents = read_documents(fcinfo);
		if (state->documents != NULL)
		{
			begin_pairs(state, documents_distance(state->documents, fcinfo),
						fcinfo->flinfo->fn_oid);
			at_early_end(fcinfo, end_pairs, state);
		}
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();
	state = funcctx->user_fctx;

	CHECK_FOR_INTERRUPTS();
	if (state->documents != NULL)
	{
		if (find_next_pair(state, &pair, values))
		{
			values[2] = Int32GetDatum(pair.distance);
			SRF_RETURN_NEXT(funcctx,
							HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
															  nulls)));
		}
		at_end(fcinfo, end_pairs, state);
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
