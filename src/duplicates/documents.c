/*-------------------------------------------------------------------------
 *
 * documents.c
 *		Ids and fingerprints of many documents: from two arrays, or from the two
 *		columns of a query.
 *
 * Fingerprints are of type simhash, or bit strings that all have the same
 * length.  This file puts the bits of bit strings in a pseudo-random order, which
 * changes no distance (core/permutation.h explains the reason).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "core/join/radix.h"
#include "core/join/row_pairs.h"
#include "documents.h"
#include "executor/tuptable.h"
#include "fingerprint/width.h"
#include "ids.h"
#include "parallel_pairs.h"
#include "parser/parse_coerce.h"
#include "query.h"
#include "server/catalog.h"
#include "server/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#define ID_BLOCK	(64 * 1024)

/* Documents from which on several processes may join them */
#define FEWEST_SHARED	(1 << 17)

#define DOCUMENTS_BETWEEN_NOTICES	(1 << 16)

/* ----------
 * Memory
 * ----------
 */

/* Bytes of a document's groups: which one, its first document, its size */
#define GROUP_BYTES	12

/* Bytes for each document in memory, without the join */
static inline size_t
document_bytes(const Documents *documents)
{
	return sizeof(Datum) + documents->nwords * sizeof(uint64) + GROUP_BYTES;
}

size_t
documents_memory_left(const Documents *documents)
{
	size_t		used = documents->n * document_bytes(documents) + documents->blocks;

	return used < join_memory() ? join_memory() - used : 0;
}

/* Is there room for one more document and for the join of all? */
static inline bool
one_more_fits(const Documents *documents)
{
	return (documents->n + 1) * (document_bytes(documents) + JOIN_ROW_BYTES) +
		documents->blocks <= join_memory();
}

/* ----------
 * Documents
 * ----------
 */

/* Is the type bit, bit varying, or a domain over one of them? */
static bool
is_bit_string(Oid type)
{
	return IsBinaryCoercible(type, VARBITOID);
}

static Documents *
make_documents(Oid type, Oid collation)
{
	Documents  *documents = palloc0(sizeof(Documents));

	progress_begin();
	documents->context = CurrentMemoryContext;
	documents->id_context = AllocSetContextCreate(CurrentMemoryContext, "simhash ids",
												  ALLOCSET_DEFAULT_SIZES);
	documents->files = temp_files_begin(parallel_pairs_workers() > 0);
	documents->env = join_env(CurrentMemoryContext, documents->files);
	documents->type = type_of_ids(type);
	documents->collation = collation;
	return documents;
}

static void
reserve(Documents *documents, size_t room)
{
	const JoinEnv *env = &documents->env;

	documents->ids = env->resize(env->arg, documents->ids, room * sizeof(Datum));
	documents->words = env->resize(env->arg, documents->words,
								   room * Max(documents->nwords, 1) * sizeof(uint64));
	documents->room = room;
}

/* Allocate the arrays, with room for at least one document. */
static void
begin_documents(Documents *documents, Oid fingerprint_type, size_t room)
{
	documents->bit_strings = is_bit_string(fingerprint_type);
	if (!documents->bit_strings)
	{
		documents->nbits = SIMHASH_BITS;
		documents->nwords = 1;
	}
	reserve(documents, Max(room, 1));
}

/* Set the length of all bit strings; an error if they cannot be fingerprints. */
static void
set_length(Documents *documents, int nbits)
{
	check_width(nbits, BITS_STEP);
	documents->nbits = nbits;
	documents->nwords = bit_string_words(nbits);
	documents->permutation = MemoryContextAlloc(documents->context, sizeof(BitPermutation));
	bit_permutation_init(documents->permutation, nbits);
	reserve(documents, documents->room);
}

static void
read_bit_string(Documents *documents, Datum fp, uint64 *permuted)
{
	BitValue	value = DatumGetBitValue(fp);
	uint64		words[MOST_WORDS];

	if (documents->nbits == 0)
		set_length(documents, value.nbits);
	if (value.nbits != documents->nbits)
		report_unlike_lengths(documents->nbits, value.nbits);
	bit_value_words(value, words);
	bit_permute(documents->permutation, words, permuted);
	bit_value_free_copy(value, fp);
}

/*
 * A copy of an id that is passed by reference.  Many ids share one chunk of memory, because
 * palloc would add a header to each id.
 */
static Datum
copy_id(Documents *documents, Datum id)
{
	TypeCacheEntry *type = documents->type;
	Datum		whole = id;
	Size		size;
	char	   *copy;

	if (type->typlen == -1)
		whole = PointerGetDatum(PG_DETOAST_DATUM_PACKED(id));
	size = datumGetSize(whole, false, type->typlen);
	if (MAXALIGN(size) > documents->block_left)
	{
		documents->block_left = Max(MAXALIGN(size), ID_BLOCK);
		documents->block = MemoryContextAllocHuge(documents->id_context,
												  documents->block_left);
		documents->blocks += documents->block_left;
	}
	copy = documents->block;
	memcpy(copy, DatumGetPointer(whole), size);
	documents->block += MAXALIGN(size);
	documents->block_left -= MAXALIGN(size);
	if (whole != id)
		pfree(DatumGetPointer(whole));
	return PointerGetDatum(copy);
}

/* Move all documents to temporary files. */
static void
store_documents(Documents *documents)
{
	StoredDocuments *stored = stored_documents_begin(documents->type, documents->collation,
													 documents->nwords, &documents->env);

	for (size_t i = 0; i < documents->n; i++)
		stored_documents_add(stored, documents->ids[i],
							 documents->words + i * documents->nwords);
	pfree(documents->ids);
	pfree(documents->words);
	documents->ids = NULL;
	documents->words = NULL;
	MemoryContextReset(documents->id_context);
	documents->blocks = 0;
	documents->stored = stored;
}

/*
 * Must the documents move to files before the next one?  They do if memory is short, or if they
 * become as many as several processes join.  The number of processes has no influence, so that
 * the order of rows does not depend on it.
 */
static inline bool
must_store(const Documents *documents)
{
	return documents->n + 1 >= FEWEST_SHARED ||
		(documents->n > 0 && !one_more_fits(documents));
}

static void
add_in_memory(Documents *documents, Datum id, const uint64 *words)
{
	if (documents->n == documents->room)
		reserve(documents, Min(documents->room * 2, PG_UINT32_MAX - 1));
	documents->ids[documents->n] =
		documents->type->typbyval ? id : copy_id(documents, id);
	memcpy(documents->words + documents->n * documents->nwords, words,
		   documents->nwords * sizeof(uint64));
}

static void
add_in_files(Documents *documents, Datum id, const uint64 *words)
{
	Datum		whole = id;

	if (documents->type->typlen == -1)
		whole = PointerGetDatum(PG_DETOAST_DATUM_PACKED(id));
	stored_documents_add(documents->stored, whole, words);
	if (whole != id)
		pfree(DatumGetPointer(whole));
}

/* Add a document unless its fingerprint is NULL. */
static void
add_document(Documents *documents, Datum id, bool id_null, Datum fp, bool fp_null)
{
	uint64		words[MOST_WORDS];

	if (fp_null)
		return;
	if (id_null)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("id of a document must not be null")));
	if (documents->n >= PG_UINT32_MAX - 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many documents"),
				 errdetail("At most %u can be joined at a time.", PG_UINT32_MAX - 1)));
	if (documents->bit_strings)
		read_bit_string(documents, fp, words);
	else
		words[0] = DatumGetSimhash(fp);
	if (documents->stored == NULL && must_store(documents))
		store_documents(documents);
	if (documents->stored == NULL)
		add_in_memory(documents, id, words);
	else
		add_in_files(documents, id, words);
	documents->n++;
	if (documents->n % DOCUMENTS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg("%zu documents have been read", documents->n)));
}

/*
 * The documents of the arguments "ids anyarray" and "fps simhash[]" or "fps bit[]", in the
 * current memory context; NULL if an argument is NULL
 */
Documents *
documents_from_arrays(FunctionCallInfo fcinfo)
{
	ArrayType  *ids;
	ArrayType  *fps;
	int			n_ids;
	int			n_fps;
	Documents  *documents;
	ArrayIterator id_iterator;
	ArrayIterator fp_iterator;
	Datum		id;
	Datum		fp;
	bool		id_null;
	bool		fp_null;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return NULL;
	ids = PG_GETARG_ARRAYTYPE_P(0);
	fps = PG_GETARG_ARRAYTYPE_P(1);
	n_ids = ArrayGetNItems(ARR_NDIM(ids), ARR_DIMS(ids));
	n_fps = ArrayGetNItems(ARR_NDIM(fps), ARR_DIMS(fps));
	if (n_ids != n_fps)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of ids and of fingerprints must have the same length"),
				 errdetail("There are %d ids and %d fingerprints.", n_ids, n_fps)));
	documents = make_documents(ARR_ELEMTYPE(ids), PG_GET_COLLATION());
	begin_documents(documents, ARR_ELEMTYPE(fps), Min(n_ids, FEWEST_SHARED));
	id_iterator = array_create_iterator(ids, 0, NULL);
	fp_iterator = array_create_iterator(fps, 0, NULL);
	while (array_iterate(id_iterator, &id, &id_null) &&
		   array_iterate(fp_iterator, &fp, &fp_null))
		add_document(documents, id, id_null, fp, fp_null);
	array_free_iterator(id_iterator);
	array_free_iterator(fp_iterator);
	PG_FREE_IF_COPY(ids, 0);
	PG_FREE_IF_COPY(fps, 1);
	return documents;
}

/* ----------
 * Queries
 * ----------
 */

/* What the columns of a query must be */
typedef struct QueryColumns
{
	Documents  *documents;
	Oid			id_type;
	Oid			simhash_type;
} QueryColumns;

static void
begin_query_documents(TupleDesc desc, void *arg)
{
	QueryColumns *columns = arg;
	Oid			fp;

	if (desc->natts != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must return two columns, the id and the fingerprint of a document"),
				 errdetail("It returns %d.", desc->natts)));
	check_id_column(desc, 1, columns->id_type, "the query");
	fp = TupleDescAttr(desc, 1)->atttypid;
	if (!IsBinaryCoercible(fp, columns->simhash_type) && !is_bit_string(fp))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column 2 of the query, the fingerprint, must be of type %s or bit",
						format_type_be(columns->simhash_type)),
				 errdetail("It is of type %s.", format_type_be(fp))));
	begin_documents(columns->documents, fp, 1024);
}

static void
receive_document(TupleTableSlot *slot, void *arg)
{
	slot_getsomeattrs(slot, 2);
	add_document(((QueryColumns *) arg)->documents,
				 slot->tts_values[0], slot->tts_isnull[0],
				 slot->tts_values[1], slot->tts_isnull[1]);
}

/*
 * The documents of the arguments "query text" and "id_type anyelement", in the current memory
 * context; NULL if the query is NULL.  Only the type of id_type matters.
 */
Documents *
documents_from_query(FunctionCallInfo fcinfo)
{
	QueryColumns columns;

	if (PG_ARGISNULL(0))
		return NULL;
	columns.id_type = id_type_of_args(fcinfo);
	columns.simhash_type = own_type(own_schema(fcinfo->flinfo->fn_oid), "simhash");
	columns.documents = make_documents(columns.id_type, PG_GET_COLLATION());
	read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), "SELECT id, fp FROM docs",
			   begin_query_documents, receive_document, &columns);
	return columns.documents;
}

/* ----------
 * Order
 * ----------
 */

static int
compare_documents(const void *a, const void *b, void *documents)
{
	CHECK_FOR_INTERRUPTS();
	return documents_compare(documents, *(const uint32 *) a, *(const uint32 *) b);
}

/* Sort the documents by their ids.  Documents with equal ids stay in their order. */
void
documents_sort(Documents *documents)
{
	const JoinEnv *env = &documents->env;
	size_t		n = documents->n;
	uint32	   *order;
	uint64	   *column;
	bool		have_ranks = true;
	size_t		i;
	int			word;

	if (documents->stored != NULL)
	{
		/* the sort takes more than it is given, while it merges */
		documents->stored = stored_documents_sort(documents->stored, join_memory() / 4 * 3);
		return;
	}
	order = join_alloc(env, n * sizeof(uint32));
	column = join_alloc(env, n * sizeof(uint64));
	StaticAssertStmt(sizeof(Datum) == sizeof(uint64), "one buffer for both columns");
	for (i = 0; i < n; i++)
		order[i] = (uint32) i;
	for (i = 0; i < n && have_ranks; i++)
		have_ranks = integer_rank(documents->type->type_id, documents->ids[i], &column[i]);
	if (have_ranks)
		simhash_sort_fps(column, order, n, env);
	else
		qsort_arg(order, n, sizeof(uint32), compare_documents, documents);

	for (word = 0; word < documents->nwords; word++)
	{
		for (i = 0; i < n; i++)
			column[i] = documents->words[order[i] * (size_t) documents->nwords + word];
		for (i = 0; i < n; i++)
			documents->words[i * documents->nwords + word] = column[i];
	}
	for (i = 0; i < n; i++)
		column[i] = documents->ids[order[i]];
	memcpy(documents->ids, column, n * sizeof(uint64));
	pfree(column);
	pfree(order);
}
