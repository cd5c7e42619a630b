/*-------------------------------------------------------------------------
 *
 * pairs.c
 *		simhash_pairs: all pairs of documents within a distance.
 *
 * The function returns rows one by one.  So a call in a select list keeps no rows in
 * memory, and LIMIT ends the join.  The pairs are found in batches, because the ids of a
 * batch are read in their order.  The first batches are small.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/store/radix.h"
#include "rows/documents.h"
#include "parallel/parallel_pairs.h"
#include "rows/query.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(simhash_pairs_of_documents);

#define FIRST_BATCH		64

/* Report a fingerprint that at least this many documents have. */
#define MANY_EQUAL		5000

/* The number of pairs of equal fingerprints before the first look for such a fingerprint */
#define FIRST_LOOK		(1 << 16)
#define MOST_BETWEEN_LOOKS	(1 << 22)

/*
 * Memory for each pair of a batch: the pair, two ids, and their rows twice, because they
 * are sorted
 */
#define BATCH_PAIR_BYTES	(sizeof(FingerprintPair) + 2 * (sizeof(Datum) + 2 * 12))

/* A batch of pairs, with the two ids of each pair */
typedef struct Batch
{
	MemoryContext context;		/* of the batch */
	size_t		room;
	size_t		most;
	size_t		n;
	size_t		at;
	FingerprintPair *pairs;
	Datum	   *ids;
	const FingerprintPair *found;	/* pairs that the join has returned */
	size_t		nfound;
	size_t		found_at;
} Batch;

typedef struct PairsState
{
	Documents  *documents;
	ParallelSource parallel;
	PairsSource source;
	void	   *pairs;			/* of the source */
	Batch		batch;
	uint64		nequal;			/* pairs of equal fingerprints */
	/* value of nequal at which look_for_many looks again */
	uint64		next_look;
} PairsState;

/* Read the ids of a batch.  Each document's id is read only once. */
static void
read_batch_ids(DocumentFile *file, Batch *batch, const Env *env)
{
	size_t		n = 2 * batch->n;
	uint64	   *documents = palloc(n * sizeof(uint64));
	uint32	   *places = palloc(n * sizeof(uint32));

	for (size_t i = 0; i < n; i++)
	{
		documents[i] = i % 2 == 0 ? batch->pairs[i / 2].a : batch->pairs[i / 2].b;
		places[i] = (uint32) i;
	}
	core_sort_fps(documents, places, n, env);
	batch->ids = palloc(n * sizeof(Datum));
	for (size_t i = 0; i < n; i++)
		batch->ids[places[i]] = i > 0 && documents[i] == documents[i - 1] ?
			batch->ids[places[i - 1]] : document_file_id(file, documents[i]);
	pfree(documents);
	pfree(places);
}

/* Return the number of documents that have the same fingerprint as this one. */
static uint64
count_equal(FingerprintSet *set, uint32 document)
{
	uint64		fp[MOST_WORDS];
	uint64		other[MOST_WORDS];
	uint32_t	row;
	uint64		n = 0;

	core_set_read(set, document, 1, fp, &row);
	for (uint64 i = 0; i < set->n; i++)
	{
		core_set_read(set, i, 1, other, &row);
		n += same_fingerprint(fp, other, set->nwords);
	}
	return n;
}

/*
 * Tell the user, once, that very many documents have the same fingerprint, because the
 * number of their pairs grows with the square.  Such pairs follow each other, so it
 * suffices to look at the last pair now and then.
 */
static void
look_for_many(PairsState *state, const FingerprintPair *pairs, size_t n)
{
	FingerprintSet *set = state->documents->file->set;
	uint64		n_equal;

	for (size_t i = 0; i < n; i++)
	{
		if (pairs[i].distance > 0 || ++state->nequal < state->next_look)
			continue;
		state->next_look += Min(state->nequal, Max(MOST_BETWEEN_LOOKS, set->n));
		n_equal = count_equal(set, pairs[i].a);
		if (n_equal < MANY_EQUAL)
			continue;
		state->next_look = PG_UINT64_MAX;
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " documents have the same fingerprint", n_equal),
				 errdetail("They have " UINT64_FORMAT " pairs.", n_equal * (n_equal - 1) / 2),
				 errhint("Exclude them in the query, or call simhash_clusters, which does not return every pair.")));
	}
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
			batch->nfound = state->source.next(state->pairs, &batch->found);
			batch->found_at = 0;
			if (batch->nfound == 0)
				break;
			look_for_many(state, batch->found, batch->nfound);
		}
		some = Min(batch->nfound - batch->found_at, batch->room - batch->n);
		memcpy(batch->pairs + batch->n, batch->found + batch->found_at,
			   some * sizeof(FingerprintPair));
		batch->n += some;
		batch->found_at += some;
	}
	if (batch->n > 0)
		read_batch_ids(state->documents->file, batch, &state->documents->env);
	MemoryContextSwitchTo(old);
	return batch->n > 0;
}

/* ----------
 * Rows
 * ----------
 */

static void *
begin_pairs(FunctionCallInfo fcinfo)
{
	Documents  *documents = documents_of_args(fcinfo, 3);
	size_t		memory = join_memory();
	PairsState *state;
	DocumentFile *file;

	if (documents == NULL)
		return NULL;
	file = documents->file;
	state = palloc0(sizeof(PairsState));
	state->documents = documents;
	state->parallel.files = documents->files;
	state->parallel.function = fcinfo->flinfo->fn_oid;
	state->source = parallel_pairs(&state->parallel);
	state->pairs = state->source.begin(&state->parallel, file->set,
									   documents_distance(documents, fcinfo), PG_UINT64_MAX, NULL,
									   memory / 8 * 7);
	state->next_look = FIRST_LOOK;
	state->batch.context = AllocSetContextCreate(CurrentMemoryContext, "simhash pairs",
												 ALLOCSET_DEFAULT_SIZES);
	state->batch.most = memory / 8 / (BATCH_PAIR_BYTES + 2 * file->ids_size / file->set->n);
	return state;
}

/* The next pair, with the smaller id first; false if there is none. */
static bool
next_pair(void *arg, Datum *values)
{
	PairsState *state = arg;
	Batch	   *batch = &state->batch;
	const FingerprintPair *pair;
	const Datum *ids;
	int			order;

	if (batch->at == batch->n && !next_batch(state))
		return false;
	pair = &batch->pairs[batch->at];
	ids = &batch->ids[2 * batch->at++];
	order = document_file_compare(state->documents->file, ids[0], ids[1]);
	if (order == 0)
		order = pair->a < pair->b ? -1 : 1;
	values[0] = ids[order < 0 ? 0 : 1];
	values[1] = ids[order < 0 ? 1 : 0];
	values[2] = Int32GetDatum(pair->distance);
	return true;
}

static void
end_pairs(Datum state)
{
	temp_files_end(((PairsState *) DatumGetPointer(state))->documents->files);
}

Datum
simhash_pairs_of_documents(PG_FUNCTION_ARGS)
{
	static const RowSource source = {begin_pairs, next_pair, end_pairs};

	return return_rows(fcinfo, &source);
}
