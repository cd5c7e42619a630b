/*-------------------------------------------------------------------------
 *
 * duplicates.c
 *		simhash_duplicates: which documents of a query are copies of others, and which are edited
 *		versions.
 *
 * core/duplicates/ finds them, in several processes (parallel_parts.c).  This file reads
 * the documents of the query, and sorts their ids behind those of the queries "keep" and "new".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "core/duplicates/duplicate_search.h"
#include "core/store/external_sort.h"
#include "core/text/methods/fingerprint.h"
#include "rows/documents.h"
#include "rows/keep_order.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parallel/parallel_pairs.h"
#include "parallel/parallel_parts.h"
#include "parser/parse_coerce.h"
#include "rows/query.h"
#include "server/catalog.h"
#include "server/progress.h"
#include "server/server_text.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(simhash_duplicates_of_query);

#define ADVICE	"Return the id first, then the fingerprint and the title, if any, and then the text."

/* The number of words of minhash_bits, which is computed if the query returns no fingerprints */
#define DEFAULT_WORDS	4

/* Report a document that has at least this many siblings or versions. */
#define MANY_DOCUMENTS	1000

#define MOST_SHOWN		100		/* bytes of an id in a message */

/* Read the texts of at least this many bytes of ids at a time, whatever the memory is. */
#define FEWEST_BYTES	(1024 * 1024)

#define TEXTS_BETWEEN_NOTICES	1024

/*
 * The most ids in a condition that the planner sees.  Texts on other servers are read for at
 * most this number of ids at a time, because the command to each server or shard contains the ids,
 * and planning needs up to 8 kB of memory for each.  Partitions would each have a copy.
 */
#define MOST_PLANNED_IDS	10000

#define MOST_PASS		3		/* columns that a pass returns */

typedef struct DuplicatesState
{
	Documents  *documents;
	Duplicates *duplicates;
	IdType		id_type;
	Oid			simhash_type;
	int			fp_column;		/* number, or 0 */
	int			title_column;	/* number, or 0 */
	int			text_column;
	uint32	   *order;			/* the documents, most preferred first */
	bool	   *is_new;			/* by documents; NULL: all are */
	DuplicateOptions options;
	AnalyzedQuery query;
	int			npass;			/* columns that the current pass returns */
	Oid			pass[MOST_PASS];	/* their types */
	/* does the first pass return texts, whose fingerprints are computed here? */
	bool		gets_texts;
	uint64		nnear;			/* documents that are near another one */
	struct NearDocument *batch; /* documents whose texts are read together */
	int			nbatch;
	uint64		ntexts;			/* texts that have been read */
} DuplicatesState;

/* ----------
 * Queries
 * ----------
 */

/* Raise an error unless the column can be read as text, as char(n) can: blanks at its end do not count. */
static void
require_text(TupleDesc desc, int column, const char *what)
{
	Oid			type = TupleDescAttr(desc, column - 1)->atttypid;

	if (!IsBinaryCoercible(type, TEXTOID) && getBaseType(type) != BPCHAROID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %d of the query, the %s, must be of type text", column, what),
				 errdetail("It is of type %s.", format_type_be(type)),
				 errhint(ADVICE)));
}

static void
begin_documents(TupleDesc desc, void *arg)
{
	DuplicatesState *state = arg;

	require_columns(desc, 2, 4, "query must return two to four columns", ADVICE);
	state->text_column = desc->natts;
	if (desc->natts == 4)
		require_fingerprint(desc, state->simhash_type, ADVICE);
	state->fp_column = desc->natts > 2 &&
		is_fingerprint_type(TupleDescAttr(desc, 1)->atttypid, state->simhash_type) ? 2 : 0;
	state->title_column = desc->natts == 4 || (desc->natts == 3 && state->fp_column == 0) ?
		desc->natts - 1 : 0;
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
	state->options.titles = state->title_column > 0;
}

/* Convert a text to UTF-8, in the current memory context. */
static Utf8Text
column_text(Datum value)
{
	text	   *whole = DatumGetTextPP(value);

	return utf8_text(VARDATA_ANY(whole), VARSIZE_ANY_EXHDR(whole));
}

/* Get the text of a document.  title_column is the column of its row, or 0. */
static TitledText
text_of_row(TupleTableSlot *slot, int text_column, int title_column)
{
	Utf8Text	body = column_text(slot->tts_values[text_column - 1]);
	TitledText	text = {.body = body.bytes,.body_len = body.len};

	if (title_column > 0 && !slot->tts_isnull[title_column - 1])
	{
		Utf8Text	title = column_text(slot->tts_values[title_column - 1]);

		text.title = title.bytes;
		text.title_len = title.len;
	}
	return text;
}

/* Compute the fingerprint of title and text.  Return false if they have no words. */
static bool
fingerprint_of_text(const TitledText *text, uint64 *words)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	StringInfoData whole;

	if (text->title_len == 0)
		return core_minwise_text(text->body, text->body_len, &options, server_env(),
								 DEFAULT_WORDS, words);
	initStringInfo(&whole);
	appendBinaryStringInfo(&whole, text->title, (int) text->title_len);
	appendStringInfoChar(&whole, ' ');
	appendBinaryStringInfo(&whole, text->body, (int) text->body_len);
	return core_minwise_text(whole.data, (size_t) whole.len, &options, server_env(),
							 DEFAULT_WORDS, words);
}

/* ----------
 * One pass
 * ----------
 */

/* Add the document of a row, unless it has no text, no fingerprint or no words. */
static bool
receive_document(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;
	TitledText	text;
	uint64		words[MOST_WORDS];

	slot_getallattrs(slot);
	if (slot->tts_isnull[state->fp_column > 0 ? state->fp_column - 1 : state->text_column - 1])
		return true;
	require_id(slot);
	/* like two passes, which find near documents before they read texts */
	if (state->fp_column > 0)
		documents_add(state->documents, slot->tts_values[0],
					  slot->tts_values[state->fp_column - 1]);
	if (slot->tts_isnull[state->text_column - 1])
		return true;
	text = text_of_row(slot, state->text_column, state->title_column);
	if (state->fp_column == 0)
	{
		if (!fingerprint_of_text(&text, words))
			return true;
		documents_add_words(state->documents, slot->tts_values[0], words);
	}
	core_duplicates_add(state->duplicates, (uint32) (state->documents->file->set->n - 1), &text);
	return true;
}

/* ----------
 * Two passes: ids and fingerprints, then the texts of near documents
 * ----------
 */

/* Return the operator that compares ids for equality, or InvalidOid. */
static Oid
equality_of_ids(const DuplicatesState *state)
{
	Oid			type = state->id_type.is_argument ? state->id_type.type :
		TupleDescAttr(state->query.desc, 0)->atttypid;

	return lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
}

/*
 * Return the type in which the second pass compares ids: that of the operator's operands, or the
 * base type of the ids if the operator is for any enum, array, range or row.
 */
static Oid
compared_type(const DuplicatesState *state)
{
	Oid			left;
	Oid			right;

	op_input_types(equality_of_ids(state), &left, &right);
	if (IsPolymorphicType(left) || left == RECORDOID)
		return getBaseType(state->id_type.is_argument ? state->id_type.type :
						   TupleDescAttr(state->query.desc, 0)->atttypid);
	return left;
}

/*
 * Can the second pass look up documents by their ids?  The type must have arrays that
 * PostgreSQL hashes for "id = ANY (array)", and only identical ids may be equal.
 */
static bool
can_look_up(const DuplicatesState *state)
{
	Oid			collation = TupleDescAttr(state->query.desc, 0)->attcollation;
	Oid			equality = equality_of_ids(state);
	RegProcedure left;
	RegProcedure right;

	return OidIsValid(equality) && OidIsValid(get_array_type(compared_type(state))) &&
		op_hashjoinable(equality, compared_type(state)) &&
		get_op_hash_functions(equality, &left, &right) && left == right &&
		(!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

/* Begin a pass, and check that its columns have the types that were asked for. */
static void
begin_pass(TupleDesc desc, void *arg)
{
	const DuplicatesState *state = arg;

	require_types(desc, state->npass, state->pass);
}

/* Run a pass that returns these expressions. */
static void
read_pass(DuplicatesState *state, List *columns, Node *condition, ParamListInfo parameters,
		 bool (*receive) (TupleTableSlot *slot, void *arg))
{
	const RowReceiver receiver = {begin_pass, receive, state};
	ListCell   *cell;

	state->npass = 0;
	foreach(cell, columns)
		state->pass[state->npass++] = exprType(lfirst(cell));
	run_pass(&state->query, columns, condition,
			 condition != NULL && state->query.divided && state->nnear > MOST_PLANNED_IDS,
			 parameters, receiver);
}

/* Return a column of the query as it is. */
static Node *
column_of_query(const DuplicatesState *state, int column)
{
	return column_of_pass(&state->query, column,
							 TupleDescAttr(state->query.desc, column - 1)->atttypid);
}

/* Columns of a pass that returns texts */
#define PASS_ID		1
#define PASS_TEXT	2
#define PASS_TITLE	3

/* Return the column of the title in such a pass, or 0. */
static int
title_of_pass(const DuplicatesState *state)
{
	return state->title_column > 0 ? PASS_TITLE : 0;
}

/* Add the id and the fingerprint of a document, unless it has none. */
static bool
receive_fingerprint(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;
	TitledText	text;
	uint64		words[MOST_WORDS];

	slot_getallattrs(slot);
	if (slot->tts_isnull[1])
		return true;
	require_id(slot);
	if (!state->gets_texts)
	{
		documents_add(state->documents, slot->tts_values[0], slot->tts_values[1]);
		return true;
	}
	text = text_of_row(slot, PASS_TEXT, title_of_pass(state));
	if (fingerprint_of_text(&text, words))
		documents_add_words(state->documents, slot->tts_values[0], words);
	return true;
}

/*
 * Return the function that computes fingerprints, or InvalidOid if the caller may not call it, or not
 * the function that joins title and text.
 */
static Oid
computing_function(const DuplicatesState *state, Oid schema)
{
	static const Oid types[] = {TEXTOID, INT4OID, TEXTOID, INT4OID, BOOLOID, BOOLOID};
	Oid			function = own_function(schema, "minhash_bits", lengthof(types), types);

	return OidIsValid(function) && may_execute(function) &&
		(state->title_column == 0 || may_execute(F_TEXTCAT)) ? function : InvalidOid;
}

static Node *
constant_text(const char *text)
{
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text),
							  false, false);
}

static Node *
joined_texts(Node *a, Node *b)
{
	return (Node *) makeFuncExpr(F_TEXTCAT, TEXTOID, list_make2(a, b), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* Return the text whose fingerprint is computed: coalesce(title, '') || ' ' || text, or the text alone. */
static Node *
whole_text(const DuplicatesState *state)
{
	Node	   *text = column_of_pass(&state->query, state->text_column, TEXTOID);
	CoalesceExpr *title;

	if (state->title_column == 0)
		return text;
	title = makeNode(CoalesceExpr);
	title->coalescetype = TEXTOID;
	title->coalescecollid = DEFAULT_COLLATION_OID;
	title->args = list_make2(column_of_pass(&state->query, state->title_column, TEXTOID),
							 constant_text(""));
	title->location = -1;
	return joined_texts(joined_texts((Node *) title, constant_text(" ")), text);
}

/*
 * Read ids and fingerprints.  If the query returns no fingerprints, the command that
 * reads it computes them, so that parallel workers can do that.
 */
static void
read_fingerprints(DuplicatesState *state, Oid schema)
{
	Oid			function = computing_function(state, schema);
	List	   *columns = list_make1(column_of_query(state, 1));

	state->gets_texts = state->fp_column == 0 && !OidIsValid(function);
	if (state->fp_column > 0)
		columns = lappend(columns, column_of_query(state, state->fp_column));
	else if (state->gets_texts)
	{
		columns = lappend(columns, column_of_query(state, state->text_column));
		if (state->title_column > 0)
			columns = lappend(columns, column_of_query(state, state->title_column));
	}
	else
	{
		columns = lappend(columns, makeFuncExpr(function, BITOID, list_make1(whole_text(state)),
												InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
		documents_set_type(state->documents, BITOID);
	}
	read_pass(state, columns, NULL, NULL, receive_fingerprint);
}

/* A document whose text is read in the second pass */
typedef struct NearDocument
{
	Datum		id;
	uint32		document;
} NearDocument;

static int
compare_ids(const void *a, const void *b, void *arg)
{
	return document_file_compare(arg, ((const NearDocument *) a)->id,
								 ((const NearDocument *) b)->id);
}

/* Find the document with this id, or return NULL if the first pass has not seen it. */
static const NearDocument *
find_document(const DuplicatesState *state, Datum id)
{
	NearDocument key = {id, 0};

	return bsearch_arg(&key, state->batch, state->nbatch, sizeof(NearDocument), compare_ids,
					   state->documents->file);
}

/* Add the text of a near document. */
static bool
receive_text(TupleTableSlot *slot, void *arg)
{
	DuplicatesState *state = arg;
	const NearDocument *near;
	TitledText	text;

	slot_getallattrs(slot);
	if (slot->tts_isnull[PASS_ID - 1] || slot->tts_isnull[PASS_TEXT - 1])
		return true;
	near = find_document(state, widened_id(state->documents->id_column,
										   slot->tts_values[PASS_ID - 1]));
	if (near == NULL || core_duplicates_have(state->duplicates, near->document))
		return true;
	text = text_of_row(slot, PASS_TEXT, title_of_pass(state));
	core_duplicates_add(state->duplicates, near->document, &text);
	if (++state->ntexts % TEXTS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " texts of near documents have been read",
						state->ntexts, state->nnear)));
	return true;
}

/*
 * Return an expression that copies a text column, so that workers of a parallel plan fetch the
 * texts from their TOAST table.
 */
static Node *
fetched_text(const DuplicatesState *state, int column)
{
	if (!may_execute(F_TEXTCAT))
		return column_of_query(state, column);
	return joined_texts(column_of_pass(&state->query, column, TEXTOID), constant_text(""));
}

/*
 * Return the condition "id = ANY ($1)", whose parameter is an array of ids.  postgres_fdw ships
 * it.
 */
static Node *
lookup_condition(const DuplicatesState *state, Oid array_type)
{
	ScalarArrayOpExpr *any = makeNode(ScalarArrayOpExpr);
	Param	   *ids = makeNode(Param);

	ids->paramkind = PARAM_EXTERN;
	ids->paramid = 1;
	ids->paramtype = array_type;
	ids->paramtypmod = -1;
	ids->paramcollid = get_typcollation(array_type);
	ids->location = -1;
	any->opno = equality_of_ids(state);
	any->opfuncid = get_opcode(any->opno);
	any->useOr = true;
	any->args = list_make2(column_of_pass(&state->query, 1, compared_type(state)), ids);
	any->location = -1;
	return (Node *) any;
}

/*
 * Read the texts of the documents of the batch, and empty it.  With many ids, each partition does
 * not get a copy of them, which would cost memory and time, but the query's expressions are
 * computed for all rows.
 */
static void
read_texts_of_batch(DuplicatesState *state)
{
	Oid			type = compared_type(state);
	Oid			array_type = get_array_type(type);
	Datum	   *ids = palloc(state->nbatch * sizeof(Datum));
	List	   *columns = list_make2(column_of_query(state, 1),
									 fetched_text(state, state->text_column));
	ParamListInfo parameters = makeParamList(1);
	ParamExternData *array = &parameters->params[0];
	int16		typlen;
	bool		typbyval;
	char		typalign;

	if (state->title_column > 0)
		columns = lappend(columns, fetched_text(state, state->title_column));
	get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
	for (int i = 0; i < state->nbatch; i++)
		ids[i] = narrowed_id(state->documents->id_column, state->batch[i].id);
	array->value = PointerGetDatum(construct_array(ids, state->nbatch, type, typlen, typbyval,
												   typalign));
	array->isnull = false;
	array->pflags = PARAM_FLAG_CONST;
	array->ptype = array_type;
	pfree(ids);
	qsort_arg(state->batch, state->nbatch, sizeof(NearDocument), compare_ids,
			  state->documents->file);
	read_pass(state, columns, lookup_condition(state, array_type), parameters, receive_text);
	pfree(DatumGetPointer(array->value));
	if (!state->documents->type->typbyval)
		for (int i = 0; i < state->nbatch; i++)
			pfree(DatumGetPointer(state->batch[i].id));
	state->nbatch = 0;
}

/* Read the texts of the near documents, as many at a time as their ids fit into memory. */
static void
read_texts(DuplicatesState *state)
{
	Documents  *documents = state->documents;
	uint64		n = documents->file->set->n;
	size_t		most_bytes = Min(Max(join_memory() / 8, FEWEST_BYTES), MaxAllocSize / 4);
	int			room = (int) Min(Min(n, most_bytes / sizeof(NearDocument)),
								 state->query.remote ? MOST_PLANNED_IDS : n);
	size_t		bytes = 0;
	int			nesting = NewGUCNestLevel();

	/*
	 * the planner does not know how much more it costs to fetch a text than
	 * to pass it on
	 */
	set_config_option("parallel_tuple_cost", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
					  true, 0, false);
	state->batch = palloc(room * sizeof(NearDocument));
	for (uint64 document = 0; document < n; document++)
		state->nnear += state->duplicates->near[document];
	for (uint64 document = 0; document < n; document++)
	{
		NearDocument *added = &state->batch[state->nbatch];

		if (!state->duplicates->near[document])
			continue;
		added->id = document_file_id(documents->file, document);
		added->document = (uint32) document;
		bytes += datumGetSize(added->id, documents->type->typbyval, documents->type->typlen);
		if (++state->nbatch == room || bytes > most_bytes)
		{
			read_texts_of_batch(state);
			bytes = 0;
		}
	}
	if (state->nbatch > 0)
		read_texts_of_batch(state);
	pfree(state->batch);
	AtEOXact_GUC(true, nesting);
}

/* ----------
 * The order of keeping
 * ----------
 */

/* Return an id for a message, or its beginning if it is long. */
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

/* Sort the ids of all documents, with those that a query returns. */
static KeepOrder *
begin_order(const DuplicatesState *state, const char *query, const char *argument)
{
	Documents  *documents = state->documents;
	KeepOrder  *order = keep_order_begin(state->id_type, documents->collation, query, argument,
										 join_memory() / 4, &documents->env);

	for (uint64 document = 0; document < documents->file->set->n; document++)
	{
		Datum		id = document_file_id(documents->file, document);

		keep_order_put(order, id, document);
		if (!documents->type->typbyval)
			pfree(DatumGetPointer(id));
	}
	keep_order_finish(order);
	return order;
}

/* Set state->order.  Raises an error if two documents have the same id. */
static void
find_order(DuplicatesState *state, const char *keep)
{
	Documents  *documents = state->documents;
	uint64		n = documents->file->set->n;
	KeepOrder  *order = begin_order(state, keep, "keep");
	ExternalSort *ranks = core_external_sort_begin(LONG_KEYS, join_memory() / 4,
												   &documents->env);
	KeptNumber	kept;
	uint64		rank;
	uint64		document;

	while (keep_order_next(order, &kept))
	{
		if (!kept.is_first)
			report_same_id(documents, order->id);
		core_external_sort_add(ranks, kept.rank, kept.number);
	}
	keep_order_end(order);
	core_external_sort_finish(ranks);
	state->order = MemoryContextAllocHuge(documents->context, n * sizeof(uint32));
	for (n = 0; core_external_sort_next(ranks, &rank, &document); n++)
		state->order[n] = (uint32) document;
	core_external_sort_end(ranks);
}

/* Set state->is_new: the query returns the ids of new documents. */
static void
find_new(DuplicatesState *state, const char *query)
{
	Documents  *documents = state->documents;
	KeepOrder  *order = begin_order(state, query, "new");
	KeptNumber	kept;

	state->is_new = MemoryContextAllocHuge(documents->context, documents->file->set->n);
	while (keep_order_next(order, &kept))
		state->is_new[kept.number] = kept.rank < order->npreferred;
	keep_order_end(order);
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
	TextCount	siblings = state->duplicates->counts.siblings;
	TextCount	versions = state->duplicates->counts.versions;
	TextCount	limited = state->duplicates->counts.limited;
	uint32		by_numbers = state->duplicates->counts.number_siblings;

	ereport(DEBUG1,
			(errmsg_internal("simhash_duplicates compared " UINT64_FORMAT " pairs by sketches and " UINT64_FORMAT " by texts, and read " UINT64_FORMAT " texts",
							 state->duplicates->counts.sketch_pairs,
							 state->duplicates->counts.text_pairs,
							 state->duplicates->counts.texts_read)));
	if (siblings.n >= MANY_DOCUMENTS)
		ereport(NOTICE,
				(errmsg("%u documents are near document %s but are different documents",
						siblings.n, shown_document(state, siblings.row)),
				 errdetail("They seem to share a template."),
				 errhint("Remove the text that all of them have in common.")));
	if (limited.n > 0)
		ereport(NOTICE,
				(errmsg_plural("%u document reached the limit of comparisons",
							   "%u documents reached the limit of comparisons",
							   limited.n, limited.n),
				 errdetail("The first one is document %s. Many others share all of its words, and its original can be missed.",
						   shown_document(state, limited.row)),
				 errhint("Remove the text that all of them have in common.")));
	if (versions.n >= MANY_DOCUMENTS)
		ereport(NOTICE,
				(errmsg("%u documents are revisions of document %s", versions.n,
						shown_document(state, versions.row)),
				 errdetail("Different documents that share a template can be mistaken for revisions."),
				 errhint("Look at what differs in some of them with simhash_changes().")));
	if (by_numbers > 0)
		ereport(NOTICE,
				(errmsg_plural("%u document differs from an earlier one in numbers only, and was not marked",
							   "%u documents differ from an earlier one in numbers only, and were not marked",
							   by_numbers, by_numbers),
				 state->options.numbers ?
				 errhint("If these are dates, counters or reference numbers, pass numbers => false.") :
				 errhint("Three or more have different numbers in one place. If these are dates, counters or reference numbers, remove them from the texts.")));
}

static void *
begin_duplicates(FunctionCallInfo fcinfo)
{
	DuplicatesState *state;
	ParallelSource parallel;
	PairsSource source = parallel_pairs(&parallel);
	Oid			schema = own_schema(fcinfo->flinfo->fn_oid);
	RowReceiver all_columns = {begin_documents, receive_document};
	bool		two_passes = false;
	int			option;
	FingerprintSet *set;

	if (PG_ARGISNULL(0))
		return NULL;
	state = palloc0(sizeof(DuplicatesState));
	all_columns.arg = state;
	state->id_type = id_type_of_call(fcinfo, 6);
	state->simhash_type = own_type(schema, "simhash");
	option = first_option(state->id_type);
	state->options.numbers = PG_ARGISNULL(option + 1) || PG_GETARG_BOOL(option + 1);
	state->documents = documents_begin(state->id_type.type, PG_GET_COLLATION());
	state->documents->distance_arg = option + 2;
	state->documents->texts_decide = true;
	state->duplicates = core_duplicates_begin(&state->documents->env);
	state->query = analyze_query(text_to_cstring(PG_GETARG_TEXT_PP(0)),
								 "SELECT id, body FROM docs");
	if (is_repeatable(&state->query))
	{
		begin_documents(state->query.desc, state);
		two_passes = can_look_up(state);
	}
	if (two_passes)
		read_fingerprints(state, schema);
	else
		run_query(&state->query, all_columns);
	if (state->documents->file == NULL)
	{
		close_query(&state->query);
		temp_files_end(state->documents->files);
		return NULL;
	}
	find_order(state, PG_ARGISNULL(option) ? NULL :
			   text_to_cstring(PG_GETARG_TEXT_PP(option)));
	if (!PG_ARGISNULL(option + 3))
		find_new(state, text_to_cstring(PG_GETARG_TEXT_PP(option + 3)));
	parallel.files = state->documents->files;
	parallel.function = fcinfo->flinfo->fn_oid;
	state->options.distance = documents_distance(state->documents, fcinfo);
	set = state->documents->file->set;
	core_duplicates_find_near(state->duplicates, set, state->is_new, state->options.distance,
							  join_memory() / 4 * 3, &source);
	if (two_passes)
		read_texts(state);
	close_query(&state->query);
	core_duplicates_divide(state->duplicates, state->order);
	parallel_parts_find(state->duplicates, &state->options, &parallel);
	report_what_is_left(state);
	return state;
}

static bool
next_duplicate_row(void *arg, Datum *values)
{
	DuplicatesState *state = arg;
	DocumentFile *file = state->documents->file;
	Duplicate	duplicate;

	if (!core_duplicates_next(state->duplicates, &duplicate))
		return false;
	values[0] = document_file_id(file, duplicate.row);
	values[1] = document_file_id(file, duplicate.original);
	values[2] = CStringGetTextDatum(duplicate.kind == DUPLICATE_COPY ? "copy" : "revision");
	values[3] = Int32GetDatum(duplicate.distance);
	return true;
}

static void
end_duplicates(Datum arg)
{
	DuplicatesState *state = (DuplicatesState *) DatumGetPointer(arg);

	core_duplicates_end(state->duplicates);
	temp_files_end(state->documents->files);
}

/*
 * simhash_duplicates(query, id_type, keep, numbers, within, new) returns (id, original, kind,
 * distance).
 */
Datum
simhash_duplicates_of_query(PG_FUNCTION_ARGS)
{
	static const RowSource source = {begin_duplicates, next_duplicate_row, end_duplicates};

	return return_rows(fcinfo, &source);
}
