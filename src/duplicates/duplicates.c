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

#include "core/duplicates/duplicates.h"
#include "core/join/external_sort.h"
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
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(simhash_duplicates_of_query);

#define ADVICE	"Return the id first, then the fingerprint and the title, if any, and then the text."

/* Words of the fingerprint of a document whose query returns none: minhash_bits */
#define DEFAULT_WORDS	4

/* From this number of siblings or versions of one document on, the function tells it. */
#define MANY_DOCUMENTS	1000

#define MOST_SHOWN		100		/* bytes of an id in a message */

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
	uint32	   *order;			/* the documents as they are kept */
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

/* Add a document, or leave it out: without a text, a fingerprint, or words. */
static void
add_document(DuplicatesState *state, TupleTableSlot *slot)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	Documents  *documents = state->documents;
	Datum	   *values = slot->tts_values;
	bool	   *nulls = slot->tts_isnull;
	int			title_column = state->title_column;
	uint64		words[MOST_WORDS];
	text	   *whole_body;
	text	   *whole_title = NULL;
	Utf8Text	body;
	Utf8Text	title = {NULL, 0, NULL};
	char	   *joined = NULL;
	bool		added;

	if (nulls[state->text_column - 1] || (state->fp_column > 0 && nulls[1]))
		return;
	if (nulls[0])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("id of a document must not be null")));
	body = column_text(values[state->text_column - 1], &whole_body);
	if (title_column > 0 && !nulls[title_column - 1])
		title = column_text(values[title_column - 1], &whole_title);
	added = state->fp_column > 0 ||
		simhash_minwise_text(body.bytes, body.len, &options, text_env(), DEFAULT_WORDS, words);
	if (added)
	{
		if (whole_title != NULL)
			joined = join_title(&title, &body);
		added = simhash_duplicates_add(state->duplicates, joined != NULL ? joined : body.bytes,
									   title.len,
									   joined != NULL ? title.len + 1 + body.len : body.len);
	}
	if (added && state->fp_column > 0)
		documents_add(documents, values[0], values[1]);
	else if (added)
		documents_add_words(documents, values[0], words);
	if (joined != NULL)
		pfree(joined);
	utf8_text_free(&body);
	utf8_text_free(&title);
	if ((Pointer) whole_body != DatumGetPointer(values[state->text_column - 1]))
		pfree(whole_body);
	if (whole_title != NULL && (Pointer) whole_title != DatumGetPointer(values[title_column - 1]))
		pfree(whole_title);
}

static bool
receive_document(TupleTableSlot *slot, void *arg)
{
	slot_getallattrs(slot);
	add_document(arg, slot);
	return true;
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

static char *
shown_document(const DuplicatesState *state, uint32 document)
{
	return shown_id(state->documents, document_file_id(state->documents->file, document));
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
				 errhint("If these are dates, counters or reference numbers, pass numbers => false.")));
}

static void *
begin_duplicates(FunctionCallInfo fcinfo)
{
	DuplicatesState *state;
	DuplicateOptions options = {true, join_memory()};
	ParallelSource parallel;
	PairsSource source = parallel_pairs(&parallel);
	int			option;

	if (PG_ARGISNULL(0))
		return NULL;
	state = palloc0(sizeof(DuplicatesState));
	state->id_type = id_type_of_call(fcinfo, 5);
	state->simhash_type = own_type(own_schema(fcinfo->flinfo->fn_oid), "simhash");
	option = first_option(state->id_type);
	options.numbers = PG_ARGISNULL(option + 1) || PG_GETARG_BOOL(option + 1);
	state->documents = documents_begin(state->id_type.type, PG_GET_COLLATION());
	state->documents->distance_arg = option + 2;
	state->documents->texts_decide = true;
	state->duplicates = simhash_duplicates_begin(&options, &state->documents->env, text_env());
	read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), "SELECT id, body FROM docs",
			   begin_documents, receive_document, state);
	if (state->documents->file == NULL)
	{
		temp_files_end(state->documents->files);
		return NULL;
	}
	find_order(state, PG_ARGISNULL(option) ? NULL :
			   text_to_cstring(PG_GETARG_TEXT_PP(option)));
	parallel.files = state->documents->files;
	parallel.function = fcinfo->flinfo->fn_oid;
	simhash_duplicates_find(state->duplicates, state->documents->file->set, state->order,
							documents_distance(state->documents, fcinfo), &source);
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
	values[0] = document_file_id(state->documents->file, duplicate.text);
	values[1] = document_file_id(state->documents->file, duplicate.original);
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
