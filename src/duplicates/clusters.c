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
#include "parallel_pairs.h"
#include "query.h"
#include "stored_clusters.h"
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
	Documents  *documents;		/* NULL if there are no rows */
	StoredClusters *stored;		/* of documents in files; or else: */
	uint32	   *clusters;		/* by document: one that stands for its
								 * cluster */
	uint32	   *smallest;		/* by that one: the document with the smallest
								 * id, and */
	uint32	   *sizes;			/* the number of documents of the cluster */
	size_t		next;			/* document of the next row */
} ClustersState;

static void
end_clusters(Datum arg)
{
	ClustersState *state = (ClustersState *) DatumGetPointer(arg);

	if (state->stored != NULL)
		stored_clusters_end(state->stored);
	temp_files_end(state->documents->files);
}

/* Find the smallest document and the size of each cluster. */
static void
count_clusters(ClustersState *state)
{
	const Documents *documents = state->documents;
	size_t		n = documents->n;

	state->smallest = join_alloc(&documents->env, n * sizeof(uint32));
	state->sizes = join_alloc(&documents->env, n * sizeof(uint32));
	memset(state->sizes, 0, n * sizeof(uint32));
	for (size_t i = 0; i < n; i++)
	{
		uint32		cluster = state->clusters[i];

		if (state->sizes[cluster]++ == 0 ||
			documents_compare(documents, i, state->smallest[cluster]) < 0)
			state->smallest[cluster] = i;
	}
}

static void
find_clusters(ClustersState *state, int distance, int method, Oid function)
{
	Documents  *documents = state->documents;
	const JoinEnv *env = &documents->env;
	Fingerprints fps;

	if (method == METHOD_STAR)
		documents_sort(documents);
	if (documents->stored != NULL)
	{
		ParallelSource parallel = {documents->files, function};
		PairsSource source = {parallel_pairs_begin, parallel_pairs_next, parallel_pairs_end,
		&parallel};

		state->stored = stored_clusters_begin(documents->stored, method == METHOD_STAR ?
											  simhash_stored_stars : simhash_stored_components,
											  distance, join_memory(), &source);
		return;
	}
	fps = documents_fingerprints(documents);
	state->clusters = join_alloc(env, documents->n * sizeof(uint32));
	if (method == METHOD_STAR)
		simhash_stars(&fps, distance, documents_memory_left(documents), env, state->clusters);
	else
		simhash_components(&fps, distance, env, state->clusters);
	pfree(documents->words);
	documents->words = NULL;
	count_clusters(state);
}

/* The next row of the result; false if there is none. */
static bool
next_row(ClustersState *state, ClusterRow *row)
{
	const Documents *documents = state->documents;
	uint32		cluster;

	if (state->stored != NULL)
		return stored_clusters_next(state->stored, row);
	if (state->next == documents->n)
		return false;
	cluster = state->clusters[state->next];
	row->id = documents->ids[state->next++];
	row->cluster = documents->ids[state->smallest[cluster]];
	row->size = state->sizes[cluster];
	return true;
}

static Datum
next_member(FunctionCallInfo fcinfo, Documents *(*read_documents) (FunctionCallInfo))
{
	FuncCallContext *funcctx;
	ClustersState *state;
	ClusterRow	row;
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
		{
			find_clusters(state, documents_distance(state->documents, fcinfo), method,
						  fcinfo->flinfo->fn_oid);
			at_early_end(fcinfo, end_clusters, state);
		}
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}
	funcctx = SRF_PERCALL_SETUP();
	state = funcctx->user_fctx;

	CHECK_FOR_INTERRUPTS();
	if (state->documents != NULL)
	{
		if (next_row(state, &row))
		{
			Datum		values[3] = {row.id, row.cluster, Int64GetDatum(row.size)};
			bool		nulls[3] = {false};

			SRF_RETURN_NEXT(funcctx,
							HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
															  nulls)));
		}
		at_end(fcinfo, end_clusters, state);
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
