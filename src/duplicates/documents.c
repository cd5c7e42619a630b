/*-------------------------------------------------------------------------
 *
 * documents.c
 *		Ids and fingerprints of many documents in memory: from two arrays, or from
 *		the two columns of a query.
 *
 * The query runs with the rights of the caller.  It cannot write unless it
 * calls functions that write.  A destination of our own receives its rows as
 * they are found, and keeps only ids and fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "core/join/radix.h"
#include "documents.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "server/catalog.h"
#include "server/server_env.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#define ID_BLOCK	(64 * 1024)

/* ----------
 * Memory
 * ----------
 */

JoinEnv
join_env(MemoryContext context)
{
	JoinEnv		env;

	env.resize = server_resize;
	env.release = server_release;
	env.check_interrupts = server_check_interrupts;
	env.arg = context;
	return env;
}

size_t
join_memory(void)
{
	return (size_t) maintenance_work_mem * 1024;
}

/* ----------
 * Documents
 * ----------
 */

static Documents *
make_documents(Oid type, Oid collation)
{
	Documents  *documents = palloc0(sizeof(Documents));

	documents->context = CurrentMemoryContext;
	documents->type = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	if (!OidIsValid(documents->type->cmp_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a comparison function for type %s",
						format_type_be(type)),
				 errhint("Ids must be of a type that has an order.")));
	documents->collation = collation;
	return documents;
}

static void
reserve(Documents *documents, size_t room)
{
	JoinEnv		env = join_env(documents->context);

	documents->ids = env.resize(env.arg, documents->ids, room * sizeof(Datum));
	documents->fps = env.resize(env.arg, documents->fps, room * sizeof(Simhash));
	documents->room = room;
}

/* A copy of an id that is passed by reference, without what palloc adds to each */
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
		documents->block = MemoryContextAllocHuge(documents->context,
												  documents->block_left);
	}
	copy = documents->block;
	memcpy(copy, DatumGetPointer(whole), size);
	documents->block += MAXALIGN(size);
	documents->block_left -= MAXALIGN(size);
	if (whole != id)
		pfree(DatumGetPointer(whole));
	return PointerGetDatum(copy);
}

/* A document without fingerprint is left out. */
static void
add_document(Documents *documents, Datum id, bool id_null, Datum fp, bool fp_null)
{
	if (fp_null)
		return;
	if (id_null)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("id of a document must not be null")));
	if (documents->n == documents->room)
	{
		if (documents->n >= PG_UINT32_MAX - 1)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many documents"),
					 errdetail("At most %u can be joined at a time.", PG_UINT32_MAX - 1)));
		reserve(documents, Min(documents->room * 2, PG_UINT32_MAX - 1));
	}
	documents->ids[documents->n] =
		documents->type->typbyval ? id : copy_id(documents, id);
	documents->fps[documents->n++] = DatumGetSimhash(fp);
}

/* Takes the arguments ids anyarray, fps simhash[]; NULL if one of them is. */
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
	reserve(documents, Max(n_ids, 1));
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

typedef struct DocumentReceiver
{
	DestReceiver pub;
	Documents  *documents;
} DocumentReceiver;

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static bool
receive_document(TupleTableSlot *slot, DestReceiver *self)
{
	slot_getsomeattrs(slot, 2);
	add_document(((DocumentReceiver *) self)->documents,
				 slot->tts_values[0], slot->tts_isnull[0],
				 slot->tts_values[1], slot->tts_isnull[1]);
	return true;
}

static void
receiver_done(DestReceiver *self)
{
}

static void
check_column(TupleDesc desc, int column, const char *what, Oid wanted)
{
	Oid			found = TupleDescAttr(desc, column)->atttypid;

	if (!IsBinaryCoercible(found, wanted))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %d of the query, the %s, must be of type %s",
						column + 1, what, format_type_be(wanted)),
				 errdetail("It is of type %s.", format_type_be(found)),
				 column == 0 ?
				 errhint("The type of the ids is that of the function's second argument, such as NULL::%s.",
						 format_type_be(found)) : 0));
}

/*
 * Takes the arguments query text and id_type anyelement, whose value does not
 * matter; NULL if the query is NULL.
 */
Documents *
documents_from_query(FunctionCallInfo fcinfo)
{
	char	   *query;
	Oid			id_type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	Documents  *documents;
	DocumentReceiver receiver = {{receive_document, receiver_startup, receiver_done,
	receiver_done, DestNone}};
	SPIPlanPtr	plan;
	Portal		portal;

	if (PG_ARGISNULL(0))
		return NULL;
	query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (!OidIsValid(id_type))
		elog(ERROR, "could not determine the type of the ids");
	documents = make_documents(id_type, PG_GET_COLLATION());
	reserve(documents, 1024);	/* there are arrays, also of no rows */
	receiver.documents = documents;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	if (!SPI_is_cursor_plan(plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must be a single command that returns rows"),
				 errhint("Give a query such as SELECT id, fp FROM docs.")));
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	if (portal->tupDesc->natts != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must return two columns, the id and the fingerprint of a document"),
				 errdetail("It returns %d.", portal->tupDesc->natts)));
	check_column(portal->tupDesc, 0, "id", id_type);
	check_column(portal->tupDesc, 1, "fingerprint",
				 own_type(own_schema(fcinfo->flinfo->fn_oid), "simhash"));
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, &receiver.pub);
	SPI_cursor_close(portal);
	SPI_finish();
	return documents;
}

/* ----------
 * Results
 * ----------
 */

/* To be called first by a function that returns rows one by one */
FuncCallContext *
begin_rows(FunctionCallInfo fcinfo)
{
	FuncCallContext *funcctx = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	funcctx->tuple_desc = BlessTupleDesc(desc);
	MemoryContextSwitchTo(old);
	return funcctx;
}

/* ----------
 * Order
 * ----------
 */

/* A number in the order of the ids, if the type is one of PostgreSQL's integers */
static bool
integer_rank(Oid type, Datum id, uint64 *rank)
{
	int64		value;

	switch (type)
	{
		case INT2OID:
			value = DatumGetInt16(id);
			break;
		case INT4OID:
			value = DatumGetInt32(id);
			break;
		case INT8OID:
			value = DatumGetInt64(id);
			break;
		default:
			return false;
	}
	*rank = (uint64) value ^ (UINT64CONST(1) << 63);
	return true;
}

static int
compare_documents(const void *a, const void *b, void *documents)
{
	CHECK_FOR_INTERRUPTS();
	return documents_compare(documents, *(const uint32 *) a, *(const uint32 *) b);
}

/* Put the documents in the order of their ids; those with equal ids stay in theirs. */
void
documents_sort(Documents *documents)
{
	JoinEnv		env = join_env(documents->context);
	size_t		n = documents->n;
	uint32	   *order = join_alloc(&env, n * sizeof(uint32));
	uint64	   *column = join_alloc(&env, n * sizeof(uint64));
	bool		have_ranks = true;
	size_t		i;

	StaticAssertStmt(sizeof(Datum) == sizeof(uint64), "one buffer for both columns");
	for (i = 0; i < n; i++)
		order[i] = (uint32) i;
	for (i = 0; i < n && have_ranks; i++)
		have_ranks = integer_rank(documents->type->type_id, documents->ids[i], &column[i]);
	if (have_ranks)
		simhash_sort_fps(column, order, n, &env);
	else
		qsort_arg(order, n, sizeof(uint32), compare_documents, documents);

	for (i = 0; i < n; i++)
		column[i] = documents->fps[order[i]];
	memcpy(documents->fps, column, n * sizeof(uint64));
	for (i = 0; i < n; i++)
		column[i] = documents->ids[order[i]];
	memcpy(documents->ids, column, n * sizeof(uint64));
	pfree(column);
	pfree(order);
}
