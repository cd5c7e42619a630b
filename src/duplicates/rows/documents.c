/*-------------------------------------------------------------------------
 *
 * documents.c
 *		Ids and fingerprints of many documents, from the two columns of a query.
 *
 * Fingerprints are of type simhash, or bit strings that all have the same length.  This
 * file writes the documents to a file (document_file.c).  It puts the bits of bit strings
 * in a pseudo-random order, which changes no distance (core/permutation.h explains the
 * reason).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "documents.h"
#include "executor/tuptable.h"
#include "fingerprint/width.h"
#include "ids.h"
#include "../parallel/parallel_pairs.h"
#include "parser/parse_coerce.h"
#include "query.h"
#include "server/catalog.h"
#include "server/progress.h"
#include "type/bit_value.h"
#include "utils/builtins.h"

#define DOCUMENTS_BETWEEN_NOTICES	(1 << 16)

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

/* Begin to collect documents whose ids have this type. */
Documents *
documents_begin(Oid id_type, Oid collation)
{
	Documents  *documents = palloc0(sizeof(Documents));

	progress_begin();
	documents->context = CurrentMemoryContext;
	documents->files = temp_files_begin(parallel_pairs_workers() > 0);
	documents->env = env_with_files(CurrentMemoryContext, documents->files);
	documents->type = type_of_ids(id_type);
	documents->collation = collation;
	return documents;
}

bool
is_fingerprint_type(Oid type, Oid simhash_type)
{
	return IsBinaryCoercible(type, simhash_type) || is_bit_string(type);
}

/* Set the type of the fingerprints. */
void
documents_set_type(Documents *documents, Oid fingerprint_type)
{
	documents->bit_strings = is_bit_string(fingerprint_type);
	documents->nbits = documents->bit_strings ? 0 : SIMHASH_BITS;
}

/* Set the length of all bit strings.  Raises an error if fingerprints cannot have that length. */
static void
set_length(Documents *documents, int nbits)
{
	check_width(nbits, BITS_STEP);
	documents->nbits = nbits;
	documents->permutation = MemoryContextAlloc(documents->context, sizeof(BitPermutation));
	bit_permutation_init(documents->permutation, nbits);
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
}

/* Add a document with the words of its fingerprint.  This may leave memory behind. */
void
documents_add_words(Documents *documents, Datum id, const uint64 *words)
{
	Datum		whole = widened_id(documents->id_column, id);
	uint64		n;

	if (documents->file != NULL && documents->file->set->n >= PG_UINT32_MAX - 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many documents"),
				 errdetail("At most %u documents can be compared at a time.", PG_UINT32_MAX - 1)));
	if (documents->file == NULL)
		documents->file = document_file_begin(documents->type, documents->collation,
											  words_of_bits(documents->nbits),
											  &documents->env);
	if (documents->type->typlen == -1)
		whole = PointerGetDatum(PG_DETOAST_DATUM_PACKED(id));
	document_file_add(documents->file, whole, words);
	n = documents->file->set->n;
	if (n % DOCUMENTS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " documents have been read", n)));
}

/* Add a document with a fingerprint of the type that was set. */
void
documents_add(Documents *documents, Datum id, Datum fp)
{
	uint64		words[MOST_WORDS];

	if (documents->bit_strings)
		read_bit_string(documents, fp, words);
	else
		words[0] = DatumGetSimhash(fp);
	documents_add_words(documents, id, words);
}

/* Raise an error if the id of a row is NULL. */
void
require_id(TupleTableSlot *slot)
{
	if (slot->tts_isnull[0])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("id of a document must not be null")));
}

/* Raise an error unless the second column of a query has fingerprints.  hint may be NULL. */
void
require_fingerprint(TupleDesc desc, Oid simhash_type, const char *hint)
{
	Oid			type = TupleDescAttr(desc, 1)->atttypid;

	if (!is_fingerprint_type(type, simhash_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column 2 of the query, the fingerprint, must be of type %s or bit",
						format_type_be(simhash_type)),
				 errdetail("It is of type %s.", format_type_be(type)),
				 hint != NULL ? errhint("%s", hint) : 0));
}

/* ----------
 * Queries
 * ----------
 */

/* The documents that a query returns, and the types that its columns must have */
typedef struct QueryColumns
{
	Documents  *documents;
	IdType		id_type;
	Oid			simhash_type;
} QueryColumns;

static void
begin_query_documents(TupleDesc desc, void *arg)
{
	QueryColumns *columns = arg;

	require_columns(desc, 2, 2,
					"query must return two columns: the id and the fingerprint of each document",
					NULL);
	require_fingerprint(desc, columns->simhash_type,
						is_fingerprint_type(TupleDescAttr(desc, 0)->atttypid, columns->simhash_type) ?
						"Return the id first, then the fingerprint." : NULL);
	columns->documents->id_column = check_id_column(desc, 1, columns->id_type, "the query", NULL);
	documents_set_type(columns->documents, TupleDescAttr(desc, 1)->atttypid);
}

static bool
receive_id_and_fingerprint(TupleTableSlot *slot, void *arg)
{
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[1])
		return true;
	require_id(slot);
	documents_add(((QueryColumns *) arg)->documents, slot->tts_values[0], slot->tts_values[1]);
	return true;
}

/*
 * Run the query that is the first argument of the call, and return its documents in the
 * current memory context, or NULL if there are none.  If the call has most_args
 * arguments, the second one is "id_type anyelement".  Only its type matters.
 */
Documents *
documents_of_args(FunctionCallInfo fcinfo, int most_args)
{
	QueryColumns columns;
	const RowReceiver receiver = {begin_query_documents, receive_id_and_fingerprint, &columns};

	if (PG_ARGISNULL(0))
		return NULL;
	columns.id_type = id_type_of_call(fcinfo, most_args);
	columns.simhash_type = own_type(own_schema(fcinfo->flinfo->fn_oid), "simhash");
	columns.documents = documents_begin(columns.id_type.type, PG_GET_COLLATION());
	columns.documents->distance_arg = first_option(columns.id_type);
	read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), "SELECT id, fp FROM docs", receiver);
	return columns.documents->file == NULL ? NULL : columns.documents;
}
