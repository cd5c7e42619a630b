/*-------------------------------------------------------------------------
 *
 * duplicates.c
 *		simhash_duplicates: which documents of a query are copies of others, and which are edited
 *		versions.
 *
 * core/duplicates/ finds them.  This file reads the documents of the query, and sorts their ids
 * behind those of the query "keep".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "core/duplicates/duplicates.h"
#include "core/join/external_sort.h"
#include "core/join/groups.h"
#include "core/text/fingerprint.h"
#include "documents.h"
#include "ids.h"
#include "mb/pg_wchar.h"
#include "parallel_pairs.h"
#include "parser/parse_coerce.h"
#include "query.h"
#include "server/catalog.h"
#include "server/progress.h"
#include "server/server_text.h"
#include "server/tuple_sort.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(simhash_duplicates_of_query);

#define ADVICE	"Return the id first, then the fingerprint and the title, if any, and then the text."

/* Words of the fingerprint of a document whose query returns none: minhash_bits */
#define DEFAULT_WORDS	4

/* From this number of siblings or versions of one document on, the function tells it. */
#define MANY_DOCUMENTS	1000

#define MOST_SHOWN		100		/* bytes of an id in a message */

#define NO_TEXT			PG_UINT32_MAX

/* Texts are read for at least this many bytes of ids at a time, whatever the memory is. */
#define FEWEST_BYTES	(1024 * 1024)

/*
 * Texts on other servers are read for at most this number of ids at a time, because the command to
 * each server or shard contains the ids, and planning needs up to 8 kB of memory for each.
 */
#define MOST_REMOTE_IDS	10000

typedef struct DuplicatesState
{
	Documents  *documents;
	Duplicates *duplicates;
	MemoryContext row_context;	/* of the ids of a row */
	IdType		id_type;
	Oid			simhash_type;
	TupleSort  *ids;			/* ids with their numbers: wishes, then
								 * documents */
	Oid			keep_column;	/* what widened_id needs to know */
	uint64		nwishes;
	int			fp_column;		/* number, or 0 */
	int			title_column;	/* number, or 0 */
	int			text_column;
	uint32	   *order;			/* the documents as they are kept, then the
								 * texts */
	bool		numbers;		/* the argument */
	RepeatableQuery query;		/* if it is read in two passes */
	bool	   *near;			/* is each document near another one? */
	uint32	   *documents_of_texts; /* NULL: each document has its number */
	uint32	   *texts_of_documents; /* or NO_TEXT */
	FingerprintSet *set;		/* of the texts */
	uint64		ntexts;
} DuplicatesState;

/* ----------
 * Queries
 * ----------
 */

/* Is a column of a type that is stored as text is?  char(n) has blanks at its end, which do not count. */
static bool
is_text(TupleDesc desc, int column)
{
	Oid			type = TupleDescAttr(desc, column - 1)->atttypid;

	return IsBinaryCoercible(type, TEXTOID) || getBaseType(type) == BPCHAROID;
}

static void
require_text(TupleDesc desc, int column, const char *what)
{
	if (!is_text(desc, column))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %d of the query, the %s, must be of type text", column, what),
				 errdetail("It is of type %s.",
						   format_type_be(TupleDescAttr(desc, column - 1)->atttypid)),
				 errhint(ADVICE)));
}

static void
begin_documents(TupleDesc desc, void *arg)
{
	DuplicatesState *state = arg;

	if (desc->natts < 2 || desc->natts > 4)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must return two to four columns"),
				 errdetail_plural("It returns %d column.", "It returns %d columns.",
								  desc->natts, desc->natts),
				 errhint(ADVICE)));
	state->text_column = desc->natts;
	if (desc->natts > 2 &&
		is_fingerprint_type(TupleDescAttr(desc, 1)->atttypid, state->simhash_type))
		state->fp_column = 2;
	if (desc->natts == 4 && state->fp_column == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column 2 of the query, the fingerprint, must be of type %s or bit",
						format_type_be(state->simhash_type)),
				 errdetail("It is of type %s.",
						   format_type_be(TupleDescAttr(desc, 1)->atttypid)),
				 errhint(ADVICE)));
	if (desc->natts == 4 || (desc->natts == 3 && state->fp_column == 0))
		state->title_column = desc->natts - 1;
	state->documents->id_column =
		check_id_column(desc, 1, state->id_type, "the query",
						is_fingerprint_type(TupleDescAttr(desc, 0)->atttypid, state->simhash_type) ?
						ADVICE : NULL);
	if (state->title_column > 0)
		require_text(desc, state->title_column, "title");
	require_text(desc, state->text_column, "text");
	if (state->fp_column > 0)
		documents_set_type(state->documents, TupleDescAttr(desc, 1)->atttypid);
	else
		state->documents->nbits = DEFAULT_WORDS * WORD_BITS;
	simhash_duplicates_set_titles(state->duplicates, state->title_column > 0);
}

/* A text of a column as UTF-8; "whole" is to be freed if it is not the Datum. */
static Utf8Text
column_text(Datum value, text **whole)
{
	*whole = DatumGetTextPP(value);
	return utf8_text(VARDATA_ANY(*whole), VARSIZE_ANY_EXHDR(*whole));
}

/* title || ' ' || text */
static char *
join_title(const Utf8Text *title, const Utf8Text *body)
{
	char	   *joined = MemoryContextAllocHuge(CurrentMemoryContext, title->len + 1 + body->len);

	memcpy(joined, title->bytes, title->len);
	joined[title->len] = ' ';
	memcpy(joined + title->len + 1, body->bytes, body->len);
	return joined;
}

/* Add a text with its title, which may be NULL.  Return false if the text has no words. */
static bool
add_text(DuplicatesState *state, const Utf8Text *title, const Utf8Text *body)
{
	char	   *joined;
	bool		added;

	if (title == NULL)
		return simhash_duplicates_add(state->duplicates, body->bytes, 0, body->len);
	joined = join_title(title, body);
	added = simhash_duplicates_add(state->duplicates, joined, title->len,
								   title->len + 1 + body->len);
	pfree(joined);
	return added;
}

/*
 * Add a text of these columns of a row, which has a title if title_column is not 0.  Return false
 * if it has no words.
 */
static bool
add_text_of_row(DuplicatesState *state, TupleTableSlot *slot, int title_column, int text_column)
{
	Datum		value = slot->tts_values[text_column - 1];
	text	   *whole_body;
	text	   *whole_title = NULL;
	Utf8Text	body = column_text(value, &whole_body);
	Utf8Text	title = {NULL, 0, NULL};
	bool		added;

	if (title_column > 0 && !slot->tts_isnull[title_column - 1])
		title = column_text(slot->tts_values[title_column - 1], &whole_title);
	added = add_text(state, whole_title != NULL ? &title : NULL, &body);
	utf8_text_free(&body);
	utf8_text_free(&title);
	if ((Pointer) whole_body != DatumGetPointer(value))
		pfree(whole_body);
	if (whole_title != NULL &&
		(Pointer) whole_title != DatumGetPointer(slot->tts_values[title_column - 1]))
		pfree(whole_title);
	return added;
}

/* Compute the fingerprint of a text.  Return false if it has no words. */
static bool
fingerprint_of_text(Datum value, uint64 *words)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	text	   *whole;
	Utf8Text	body = column_text(value, &whole);
	bool		any = simhash_minwise_text(body.bytes, body.len, &options, text_env(), DEFAULT_WORDS,
										   words);

	utf8_text_free(&body);
	if ((Pointer) whole != DatumGetPointer(value))
		pfree(whole);
	return any;
}

static void
require_id(TupleTableSlot *slot)
{
	if (slot->tts_isnull[0])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("id of a document must not be null")));
}

/* ----------
 * One pass
 * ----------
 */

/* Add a document, or leave it out: without a text, a fingerprint, or words. */
static bool
receive_document(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;
	Datum	   *text_value;
	Datum		stored;
	uint64		words[MOST_WORDS];

	slot_getallattrs(slot);
	if (slot->tts_isnull[state->text_column - 1] ||
		(state->fp_column > 0 && slot->tts_isnull[state->fp_column - 1]))
		return true;
	require_id(slot);
	text_value = &slot->tts_values[state->text_column - 1];
	stored = *text_value;
	*text_value = PointerGetDatum(DatumGetTextPP(stored));
	if ((state->fp_column > 0 || fingerprint_of_text(*text_value, words)) &&
		add_text_of_row(state, slot, state->title_column, state->text_column))
	{
		if (state->fp_column > 0)
			documents_add(state->documents, slot->tts_values[0],
						  slot->tts_values[state->fp_column - 1]);
		else
			documents_add_words(state->documents, slot->tts_values[0], words);
	}
	if (*text_value != stored)
		pfree(DatumGetPointer(*text_value));
	*text_value = stored;
	return true;
}

/* ----------
 * Two passes: ids and fingerprints, then the texts of near documents
 * ----------
 */

/* The FROM item of a pass: the query with columns c1, c2, ... */
static void
append_query(StringInfo sql, const RepeatableQuery *query)
{
	appendStringInfo(sql, "(%s\n) AS q (c1", query->sql);
	for (int i = 2; i <= query->desc->natts; i++)
		appendStringInfo(sql, ", c%d", i);
	appendStringInfoChar(sql, ')');
}

/* The operator that compares ids for equality, or InvalidOid */
static Oid
equality_of_ids(const DuplicatesState *state)
{
	return lookup_type_cache(state->id_type.type, TYPECACHE_EQ_OPR)->eq_opr;
}

/*
 * Can the second pass look up documents by their ids?  It needs arrays of them and their equality,
 * and equal ids must be the same one.
 */
static bool
can_look_up(const DuplicatesState *state, TupleDesc desc)
{
	Oid			collation = TupleDescAttr(desc, 0)->attcollation;

	return OidIsValid(get_array_type(state->id_type.type)) && OidIsValid(equality_of_ids(state)) &&
		(!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

static void
ignore_columns(TupleDesc desc, void *arg)
{
}

/* Add the id and the fingerprint of a document, or leave it out. */
static bool
receive_fingerprint(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;
	uint64		words[MOST_WORDS];

	slot_getallattrs(slot);
	if (slot->tts_isnull[1])
		return true;
	require_id(slot);
	if (state->fp_column > 0)
		documents_add(state->documents, slot->tts_values[0], slot->tts_values[1]);
	else if (fingerprint_of_text(slot->tts_values[1], words))
		documents_add_words(state->documents, slot->tts_values[0], words);
	return true;
}

static void
read_fingerprints(DuplicatesState *state)
{
	StringInfoData sql;

	begin_documents(state->query.desc, state);
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT c1, c%d FROM ",
					 state->fp_column > 0 ? state->fp_column : state->text_column);
	append_query(&sql, &state->query);
	read_query(sql.data, "SELECT id, body FROM docs", ignore_columns, receive_fingerprint, state);
	pfree(sql.data);
}

static void
mark_near(void *arg, uint32_t document, uint32_t first)
{
	bool	   *near = arg;

	near[document] = near[first] = true;
}

/* Find the documents that are near another one.  Copies have equal fingerprints. */
static void
find_near(DuplicatesState *state, int distance, const PairsSource *source)
{
	Documents  *documents = state->documents;

	state->near = MemoryContextAllocExtended(documents->context, documents->file->set->n,
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	simhash_components(documents->file->set, Max(distance, 0), join_memory() / 4 * 3,
					   &documents->env, source, mark_near, state->near);
}

/* Columns of the second pass: the number of a document, its text, and its title */
#define PASS_NUMBER	1
#define PASS_TEXT	2
#define PASS_TITLE	3

/* Add the text of a near document.  A row that the first pass has not seen has no number. */
static bool
receive_text(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;
	uint32		document;

	slot_getallattrs(slot);
	document = (uint32) DatumGetInt64(slot->tts_values[PASS_NUMBER - 1]);
	if (slot->tts_isnull[PASS_TEXT - 1] || state->texts_of_documents[document] != NO_TEXT)
		return true;
	if (add_text_of_row(state, slot, state->title_column > 0 ? PASS_TITLE : 0, PASS_TEXT))
	{
		state->texts_of_documents[document] = (uint32) state->ntexts;
		state->documents_of_texts[state->ntexts++] = document;
	}
	return true;
}

/* Read the texts of n documents with these ids and numbers, which are freed. */
static void
read_texts_of(DuplicatesState *state, const char *sql, Datum *ids, Datum *numbers, int n)
{
	TypeCacheEntry *type = state->documents->type;
	Oid			types[2] = {get_array_type(type->type_id), INT8ARRAYOID};
	Datum		values[2];

	values[0] = PointerGetDatum(construct_array(ids, n, type->type_id, type->typlen,
												type->typbyval, type->typalign));
	values[1] = PointerGetDatum(construct_array(numbers, n, INT8OID, sizeof(int64),
												FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	if (!type->typbyval)
		for (int i = 0; i < n; i++)
			pfree(DatumGetPointer(ids[i]));
	read_query_with(sql, 2, types, values, receive_text, state);
	pfree(DatumGetPointer(values[0]));
	pfree(DatumGetPointer(values[1]));
}

/*
 * Does PostgreSQL hash the array of "id = ANY (array)"?  Otherwise it compares each row's id with
 * every id of the array.
 */
static bool
can_hash(Oid equality, Oid type)
{
	RegProcedure left;
	RegProcedure right;

	return op_hashjoinable(equality, type) &&
		get_op_hash_functions(equality, &left, &right) && left == right;
}

/*
 * Append the FROM item of the second pass.  postgres_fdw would fetch whole tables for the join with
 * the arrays, but it ships a condition with an array of the column's type.  With OFFSET 0 the join
 * cannot become another condition of the same scan, which would then compare the whole array for
 * each id.
 */
static void
append_query_of_texts(StringInfo sql, const DuplicatesState *state, Oid equality,
					  const char *cast, const char *operator)
{
	Oid			type = state->id_type.type;
	Oid			column = state->id_type.is_argument ? type :
		getBaseType(TupleDescAttr(state->query.desc, 0)->atttypid);

	if (!state->query.foreign || !can_hash(equality, type))
	{
		append_query(sql, &state->query);
		return;
	}
	appendStringInfoString(sql, "(SELECT * FROM ");
	append_query(sql, &state->query);
	appendStringInfo(sql, " WHERE c1%s %s ANY ($1::%s) OFFSET 0) AS q", cast, operator,
					 format_type_be_qualified(get_array_type(column)));
}

/* The query of the second pass.  Its parameters are ids and numbers. */
static char *
query_of_texts(const DuplicatesState *state)
{
	Oid			type = state->id_type.type;
	Oid			equality = equality_of_ids(state);
	Form_pg_operator equals;
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(equality));
	const char *operator;
	const char *cast = "";
	StringInfoData sql;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", equality);
	equals = (Form_pg_operator) GETSTRUCT(tuple);
	operator = psprintf("OPERATOR(%s.%s)",
						quote_identifier(get_namespace_name(equals->oprnamespace)),
						NameStr(equals->oprname));
	ReleaseSysCache(tuple);
	if (state->id_type.is_argument && TupleDescAttr(state->query.desc, 0)->atttypid != type)
		cast = psprintf("::%s", format_type_be_qualified(type));
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT d.number, q.c%d", state->text_column);
	if (state->title_column > 0)
		appendStringInfo(&sql, ", q.c%d", state->title_column);
	appendStringInfoString(&sql, " FROM ");
	append_query_of_texts(&sql, state, equality, cast, operator);
	appendStringInfo(&sql, " JOIN (SELECT pg_catalog.unnest($1), pg_catalog.unnest($2)) AS d (id, number) ON q.c1%s %s d.id",
					 cast, operator);
	return sql.data;
}

/* Read the texts of the near documents, as many at a time as their ids fit into memory. */
static void
read_texts(DuplicatesState *state)
{
	Documents  *documents = state->documents;
	uint64		n = documents->file->set->n;
	char	   *sql = query_of_texts(state);
	size_t		most_bytes = Min(Max(join_memory() / 8, FEWEST_BYTES), MaxAllocSize / 4);
	int			room = (int) Min(Min(n, most_bytes / 16),
								 state->query.remote ? MOST_REMOTE_IDS : n);
	Datum	   *ids = palloc(room * sizeof(Datum));
	Datum	   *numbers = palloc(room * sizeof(Datum));
	size_t		bytes = 0;
	int			nread = 0;

	state->texts_of_documents = MemoryContextAllocHuge(documents->context, n * sizeof(uint32));
	state->documents_of_texts = MemoryContextAllocHuge(documents->context, n * sizeof(uint32));
	memset(state->texts_of_documents, 0xFF, n * sizeof(uint32));
	for (uint64 document = 0; document < n; document++)
	{
		if (!state->near[document])
			continue;
		ids[nread] = document_file_id(documents->file, document);
		numbers[nread] = Int64GetDatum((int64) document);
		bytes += datumGetSize(ids[nread], documents->type->typbyval, documents->type->typlen);
		if (++nread == room || bytes > most_bytes)
		{
			read_texts_of(state, sql, ids, numbers, nread);
			nread = 0;
			bytes = 0;
		}
	}
	if (nread > 0)
		read_texts_of(state, sql, ids, numbers, nread);
	pfree(state->near);
	pfree(ids);
	pfree(numbers);
	pfree(sql);
}

/* Let fingerprints and order be those of the texts that were read. */
static void
choose_near(DuplicatesState *state)
{
	Documents  *documents = state->documents;
	FingerprintSet *set = simhash_set_begin(documents->file->set->nwords, &documents->env);
	uint64		words[MOST_WORDS];
	uint64		n = 0;
	uint32		row;

	for (uint64 i = 0; i < state->ntexts; i++)
	{
		simhash_set_read(documents->file->set, state->documents_of_texts[i], 1, words, &row);
		simhash_set_add(set, words, (uint32) i);
		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	for (uint64 rank = 0; rank < documents->file->set->n; rank++)
		if (state->texts_of_documents[state->order[rank]] != NO_TEXT)
			state->order[n++] = state->texts_of_documents[state->order[rank]];
	pfree(state->texts_of_documents);
	state->set = set;
}

/* ----------
 * The order of keeping
 * ----------
 */

static void
put_id(DuplicatesState *state, Datum id, uint64 number)
{
	Datum		values[2] = {id, Int64GetDatum((int64) number)};

	tuple_sort_put(state->ids, values);
}

static void
begin_keep(TupleDesc desc, void *arg)
{
	DuplicatesState *state = arg;

	if (desc->natts != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keep query must return one column, the id"),
				 errdetail_plural("It returns %d column.", "It returns %d columns.",
								  desc->natts, desc->natts)));
	state->keep_column = check_id_column(desc, 1, state->id_type, "the keep query", NULL);
}

/* NULL is no document. */
static bool
receive_wish(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;

	slot_getsomeattrs(slot, 1);
	if (!slot->tts_isnull[0])
		put_id(state, widened_id(state->keep_column, slot->tts_values[0]), state->nwishes++);
	return true;
}

/* An id for a message, the beginning of it if it is long. */
static char *
shown_id(const Documents *documents, Datum id)
{
	Oid			output;
	bool		is_varlena;
	char	   *shown;

	getTypeOutputInfo(documents->type->type_id, &output, &is_varlena);
	shown = OidOutputFunctionCall(output, id);
	shown[pg_mbcliplen(shown, (int) strlen(shown), MOST_SHOWN)] = '\0';
	return shown;
}

static void
report_same_id(const Documents *documents, Datum id)
{
	ereport(ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("query returns more than one document with id %s", shown_id(documents, id)),
			 errhint("Return each document once, so that no document is marked as a copy of itself.")));
}

/*
 * The order of the documents: first those of "keep" in its order, then the others by their ids.  All
 * ids have been put into the sort.
 */
static void
set_order(DuplicatesState *state)
{
	Documents  *documents = state->documents;
	DocumentFile *file = documents->file;
	uint64		n = file->set->n;
	ExternalSort *order = simhash_external_sort_begin(LONG_KEYS, join_memory() / 4, &documents->env);
	const Datum *values;
	Datum		id = (Datum) 0;
	bool		have_id = false;
	bool		have_document = false;
	uint64		place = 0;		/* of the present id */
	uint64		nplaces = state->nwishes;
	uint64		rank = 0;
	uint64		number;

	tuplesort_performsort(state->ids->state);
	while ((values = tuple_sort_next(state->ids)) != NULL)
	{
		number = (uint64) DatumGetInt64(values[1]);
		if (!have_id || document_file_compare(file, id, values[0]) != 0)
		{
			if (have_id && !documents->type->typbyval)
				pfree(DatumGetPointer(id));
			id = datumCopy(values[0], documents->type->typbyval, documents->type->typlen);
			have_id = true;
			have_document = false;
			place = number < state->nwishes ? number : nplaces++;
		}
		if (number < state->nwishes)
			continue;
		if (have_document)
			report_same_id(documents, id);
		have_document = true;
		simhash_external_sort_add(order, place, number - state->nwishes);
	}
	tuple_sort_end(state->ids);
	state->ids = NULL;
	simhash_external_sort_finish(order);
	state->order = MemoryContextAllocHuge(documents->context, n * sizeof(uint32));
	while (simhash_external_sort_next(order, &place, &number))
		state->order[rank++] = (uint32) number;
	simhash_external_sort_end(order);
}

static void
find_order(DuplicatesState *state, const char *keep)
{
	Documents  *documents = state->documents;
	TupleSortColumn columns[2] = {
		{documents->type->type_id, documents->type->lt_opr, documents->collation}, INT8_COLUMN
	};

	state->ids = tuple_sort_begin(columns, 2, 2, join_memory() / 4, TUPLESORT_NONE);
	if (keep != NULL)
		read_query(keep, "SELECT id FROM docs ORDER BY length(body) DESC", begin_keep,
				   receive_wish, state);
	for (uint64 document = 0; document < documents->file->set->n; document++)
	{
		Datum		id = document_file_id(documents->file, document);

		put_id(state, id, state->nwishes + document);
		if (!documents->type->typbyval)
			pfree(DatumGetPointer(id));
	}
	set_order(state);
}

/* ----------
 * Rows
 * ----------
 */

/* The id of the document with a text */
static Datum
id_of_text(const DuplicatesState *state, uint32 text)
{
	return document_file_id(state->documents->file, state->documents_of_texts != NULL ?
							state->documents_of_texts[text] : text);
}

static char *
shown_document(const DuplicatesState *state, uint32 text)
{
	return shown_id(state->documents, id_of_text(state, text));
}

static void
report_what_is_left(const DuplicatesState *state)
{
	TextCount	siblings = simhash_most_siblings(state->duplicates);
	TextCount	versions = simhash_most_versions(state->duplicates);
	uint32		by_numbers = simhash_count_number_siblings(state->duplicates);

	if (siblings.n >= MANY_DOCUMENTS)
		ereport(NOTICE,
				(errmsg("%u documents are near document %s but are different documents",
						siblings.n, shown_document(state, siblings.text)),
				 errdetail("They seem to share a template, and comparing them takes time."),
				 errhint("Remove the text that all of them have in common.")));
	if (versions.n >= MANY_DOCUMENTS)
		ereport(NOTICE,
				(errmsg("%u documents are revisions of document %s", versions.n,
						shown_document(state, versions.text)),
				 errdetail("Different documents that share a template can be mistaken for revisions."),
				 errhint("Look at what differs in some of them with simhash_changes().")));
	if (by_numbers > 0)
		ereport(NOTICE,
				(errmsg_plural("%u document differs from an earlier one in numbers only, and was left out",
							   "%u documents differ from an earlier one in numbers only, and were left out",
							   by_numbers, by_numbers),
				 state->numbers ?
				 errhint("If these are dates, counters or reference numbers, pass numbers => false.") :
				 errhint("Three or more have different numbers in one place. If these are dates, counters or reference numbers, remove them from the texts.")));
}

static void *
begin_duplicates(FunctionCallInfo fcinfo)
{
	DuplicatesState *state;
	DuplicateOptions options = {true, join_memory()};
	ParallelSource parallel;
	PairsSource source = parallel_pairs(&parallel);
	const char *query;
	int			option;
	int			distance;

	if (PG_ARGISNULL(0))
		return NULL;
	query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	state = palloc0(sizeof(DuplicatesState));
	state->id_type = id_type_of_call(fcinfo, 5);
	state->simhash_type = own_type(own_schema(fcinfo->flinfo->fn_oid), "simhash");
	option = first_option(state->id_type);
	options.numbers = PG_ARGISNULL(option + 1) || PG_GETARG_BOOL(option + 1);
	state->numbers = options.numbers;
	state->documents = documents_begin(state->id_type.type, PG_GET_COLLATION());
	state->documents->distance_arg = option + 2;
	state->documents->texts_decide = true;
	state->duplicates = simhash_duplicates_begin(&options, &state->documents->env, text_env());
	state->query = repeatable_query(query);
	if (state->query.sql != NULL && !can_look_up(state, state->query.desc))
		state->query.sql = NULL;
	if (state->query.sql != NULL)
		read_fingerprints(state);
	else
		read_query(query, "SELECT id, body FROM docs", begin_documents, receive_document, state);
	if (state->documents->file == NULL)
	{
		temp_files_end(state->documents->files);
		return NULL;
	}
	find_order(state, PG_ARGISNULL(option) ? NULL :
			   text_to_cstring(PG_GETARG_TEXT_PP(option)));
	parallel.files = state->documents->files;
	parallel.function = fcinfo->flinfo->fn_oid;
	distance = documents_distance(state->documents, fcinfo);
	state->set = state->documents->file->set;
	if (state->query.sql != NULL)
	{
		find_near(state, distance, &source);
		read_texts(state);
		choose_near(state);
	}
	simhash_duplicates_find(state->duplicates, state->set, state->order, distance, &source);
	report_what_is_left(state);
	state->row_context = AllocSetContextCreate(CurrentMemoryContext, "simhash duplicates",
											   ALLOCSET_DEFAULT_SIZES);
	return state;
}

static bool
next_row(void *arg, Datum *values)
{
	DuplicatesState *state = arg;
	Duplicate	duplicate;
	MemoryContext old;

	if (!simhash_duplicates_next(state->duplicates, &duplicate))
		return false;
	MemoryContextReset(state->row_context);
	old = MemoryContextSwitchTo(state->row_context);
	values[0] = id_of_text(state, duplicate.text);
	values[1] = id_of_text(state, duplicate.original);
	values[2] = CStringGetTextDatum(duplicate.kind == DUPLICATE_COPY ? "copy" : "revision");
	values[3] = Int32GetDatum(duplicate.distance);
	MemoryContextSwitchTo(old);
	return true;
}

static void
end_duplicates(Datum arg)
{
	DuplicatesState *state = (DuplicatesState *) DatumGetPointer(arg);

	simhash_duplicates_end(state->duplicates);
	temp_files_end(state->documents->files);
}

/* simhash_duplicates(query, id_type, keep, numbers, within) returns (id, original, kind, distance). */
Datum
simhash_duplicates_of_query(PG_FUNCTION_ARGS)
{
	static const RowSource source = {begin_duplicates, next_row, end_duplicates};

	return return_rows(fcinfo, &source);
}
