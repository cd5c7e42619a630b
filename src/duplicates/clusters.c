/*-------------------------------------------------------------------------
 *
 * clusters.c
 *		simhash_clusters, bit_clusters: groups of documents that are near each other.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "core/join/groups.h"
#include "documents.h"
#include "fingerprint/options.h"
#include "miscadmin.h"
#include "query.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(simhash_clusters_of_arrays);
PG_FUNCTION_INFO_V1(simhash_clusters_of_query);

enum
{
	METHOD_COMPONENTS,
	METHOD_STAR
};

static const OptionName method_names[] = {
	{"components", METHOD_COMPONENTS},
	{"star", METHOD_STAR},
	{NULL}
};

typedef struct ClustersState
{
	Documents  *documents;
	uint32	   *clusters;		/* by document: one that stands for its
								 * cluster */
	uint32	   *smallest;		/* by that one: the document with the smallest
								 * id, and */
	uint32	   *sizes;			/* the number of documents of the cluster */
	size_t		next;			/* document of the next row */
} ClustersState;

static void
find_clusters(ClustersState *state, int distance, int method)
{
	Documents  *documents = state->documents;
	JoinEnv		env = join_env(CurrentMemoryContext);
	size_t		n = documents->n;
	Fingerprints fps = documents_fingerprints(documents);
	size_t		i;

	state->clusters = join_alloc(&env, n * sizeof(uint32));
	if (method == METHOD_STAR)
	{
		documents_sort(documents);
		simhash_stars(&fps, distance, join_memory(), &env, state->clusters);
	}
	else
		simhash_components(&fps, distance, join_memory(), &env, state->clusters);
	pfree(documents->words);
	documents->words = NULL;

	state->smallest = join_alloc(&env, n * sizeof(uint32));
	state->sizes = join_alloc(&env, n * sizeof(uint32));
	memset(state->sizes, 0, n * sizeof(uint32));
	for (i = 0; i < n; i++)
	{
		uint32		cluster = state->clusters[i];

		if (state->sizes[cluster]++ == 0 ||
			documents_compare(documents, i, state->smallest[cluster]) < 0)
			state->smallest[cluster] = i;
	}
}

static Datum
next_member(FunctionCallInfo fcinfo, Documents *(*read_documents) (FunctionCallInfo))
{
	FuncCallContext *funcctx;
	ClustersState *state;
	int			method = METHOD_COMPONENTS;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = begin_rows(fcinfo);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		state = palloc0(sizeof(ClustersState));
		if (!PG_ARGISNULL(3))
			method = named_option(text_to_cstring(PG_GETARG_TEXT_PP(3)), "method",
								  method_names,
								  "Methods are \"components\" (the default) and \"star\".");
		state->documents = read_documents(fcinfo);
		if (state->documents != NULL)
			find_clusters(state, documents_distance(state->documents, fcinfo), method);
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();
	state = funcctx->user_fctx;

	CHECK_FOR_INTERRUPTS();
	if (state->documents != NULL && state->next < state->documents->n)
	{
		size_t		document = state->next++;
		uint32		cluster = state->clusters[document];
		Datum		values[3];
		bool		nulls[3] = {false};

		values[0] = state->documents->ids[document];
		values[1] = state->documents->ids[state->smallest[cluster]];
		values[2] = Int64GetDatum(state->sizes[cluster]);
		SRF_RETURN_NEXT(funcctx,
						HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values, nulls)));
	}
	SRF_RETURN_DONE(funcctx);
}

Datum
simhash_clusters_of_arrays(PG_FUNCTION_ARGS)
{
	return next_member(fcinfo, documents_from_arrays);
}

Datum
simhash_clusters_of_query(PG_FUNCTION_ARGS)
{
	return next_member(fcinfo, documents_from_query);
}
