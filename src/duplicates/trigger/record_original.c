/*-------------------------------------------------------------------------
 *
 * record_original.c
 *		simhash_record_original(): a BEFORE INSERT trigger.  If a new row is a
 *		near-duplicate, the trigger keeps the row and records the id of its original.
 *
 *		simhash_record_original(fingerprint column, duplicate_of column,
 *								id column [, option ...])
 *
 * The options are 'within=distance', 'lock', 'equal=column, ...', 'confirm=column, ...',
 * 'title=column' and 'numbers=false', in any order.
 *
 * The original of a row is the row with the smallest id among the rows within the
 * distance that are not duplicates themselves.  The search leaves out a row with the new
 * row's id, because an upsert is about to replace that row.  With "equal", the original
 * has the same values in these columns as the row.  NULL equals NULL here.  With
 * "confirm", the texts of these columns, joined by a space, are the same document.  With
 * "title", the texts begin with this column, and the titles agree (original_confirm.c).
 *
 * A template may have any number of siblings, which are all near.  So with "confirm" an insert
 * compares the words of the MOST_COMPARED nearest originals.  If there are more, it then looks
 * for copies among those with the fingerprint of the new row.  It reads no other original
 * after MOST_READ bytes of texts.  Slots (core/duplicates/slots.h) are those that MOST_VERSIONS
 * originals show that are versions of the new row.
 *
 * The trigger searches by its own query, under a new snapshot.  So it sees the rows that
 * the same command has inserted before.  It does not see the rows of concurrent
 * transactions unless "lock" makes the transactions wait for each other.
 *
 * A generated column has no value yet when BEFORE triggers run.  So the trigger evaluates
 * the column's expression.
 *
 * The trigger looks up its arguments and the table's columns once a statement
 * (original_target.c).  Plans live for the session (original_plan.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "original_confirm.h"
#include "original_plan.h"
#include "server/catalog.h"
#include "simhash.h"
#include "storage/lmgr.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(simhash_record_original);

/* Near originals whose words are compared */
#define MOST_COMPARED			100

/* Versions of the new row among them that show slots */
#define MOST_VERSIONS			3

/*
 * An insert reads no other text after MOST_READ bytes of texts.  In the search for a copy a
 * row counts as ROW_READ bytes more.
 */
#define MOST_READ				(16 * 1024 * 1024)
#define ROW_READ				200

/* A search for the original of a new row. */
typedef struct Search
{
	const Target *target;
	const NullableDatum *row;	/* values of the target's columns */
	MemoryContext context;
	Confirmation confirmation;
	int			received;
	NullableDatum copy;			/* the smallest id of a copy; NULL if there is none */
	int			n;
	NullableDatum versions[MOST_VERSIONS];	/* the smallest ids of versions, ascending */
	PartedPair	pairs[MOST_VERSIONS];
} Search;

/* Compare two ids; NULL comes last, as in ORDER BY. */
static int
compare_ids(const Search *search, NullableDatum a, NullableDatum b)
{
	const TargetColumn *id = &search->target->columns[ID];
	TypeCacheEntry *type = lookup_type_cache(id->type, TYPECACHE_CMP_PROC_FINFO);

	if (a.isnull || b.isnull)
		return (int) a.isnull - (int) b.isnull;
	return DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, id->collation, a.value, b.value));
}

/* Add a version, unless there are enough of them with smaller ids. */
static void
add_version(Search *search, NullableDatum id, const PartedPair *pair)
{
	int			i;

	if (search->n < MOST_VERSIONS)
		search->n++;
	else if (compare_ids(search, id, search->versions[MOST_VERSIONS - 1]) >= 0)
		return;
	for (i = search->n - 1; i > 0 && compare_ids(search, id, search->versions[i - 1]) < 0; i--)
	{
		search->versions[i] = search->versions[i - 1];
		search->pairs[i] = search->pairs[i - 1];
	}
	search->versions[i] = id;
	search->pairs[i] = *pair;
}

/* Check that a search returns the id, the texts and the distance with the types of this table. */
static void
begin_originals(TupleDesc desc, void *arg)
{
	const Target *target = ((Search *) arg)->target;
	Oid			types[2 + MAX_TEXTS];

	types[0] = target->columns[ID].type;
	for (int i = 0; i < target->ntexts; i++)
		types[1 + i] = target->texts[i].type;
	types[1 + target->ntexts] = INT4OID;
	require_types(desc, 2 + target->ntexts, types);
}

/*
 * Compare a near original with the new row.  Returns false if no further one may be the
 * original.
 */
static bool
receive_original(TupleTableSlot *slot, void *arg)
{
	Search	   *search = arg;
	const TargetColumn *id = &search->target->columns[ID];
	int			ntexts = search->target->ntexts;
	size_t	   *read = &search->confirmation.read;
	bool		many = ntexts > 0 && search->received++ >= MOST_COMPARED;
	NullableDatum columns[2 + MAX_TEXTS];
	PartedPair	pair;
	Confirmed	confirmed;

	for (int i = 0; i < 2 + ntexts; i++)
		columns[i].value = slot_getattr(slot, i + 1, &columns[i].isnull);
	if (many && DatumGetInt32(columns[1 + ntexts].value) > 0)
		return false;
	if (many)
		*read += ROW_READ;
	if (*read >= MOST_READ)
		return false;
	if (compare_ids(search, columns[0], search->copy) >= 0)
		return true;
	confirmed = confirm(&search->confirmation, columns + 1, many ? NULL : pair.partings);
	if (confirmed != ANOTHER_DOCUMENT)
	{
		MemoryContext old = MemoryContextSwitchTo(search->context);

		columns[0].value = datumCopy(columns[0].value, id->by_value, id->length);
		MemoryContextSwitchTo(old);
	}
	if (confirmed == COPY)
		search->copy = columns[0];
	if (confirmed == VERSION)
		add_version(search, columns[0], &pair);
	return true;
}

/*
 * Choose the copy or version with the smallest id.  A version must not part from the new row at a
 * slot that the versions before the copy show.
 */
static NullableDatum
choose_original(const Search *search)
{
	int			n = 0;

	while (n < search->n && compare_ids(search, search->versions[n], search->copy) < 0)
		n++;
	for (int i = 0; i < n; i++)
		if (!core_few_part(search->pairs, n, i))
			return search->versions[i];
	return search->copy;
}

/*
 * The id of the original of a new row; NULL if there is none.  The search runs under the
 * snapshot that the transaction's next command would take, or under a new snapshot.
 */
static NullableDatum
find_original(Search *search, bool new_snapshot)
{
	const RowReceiver receiver = {begin_originals, receive_original, search};

	search->received = search->n = 0;
	search->copy.isnull = true;
	search->confirmation.read = 0;
	CommandCounterIncrement();
	PushActiveSnapshot(new_snapshot ? GetLatestSnapshot() : GetTransactionSnapshot());
	search_originals(search->target, search->row, receiver);
	PopActiveSnapshot();
	return choose_original(search);
}

/*
 * Find the original of a new row, with the option "lock" under a lock, so that no other
 * transaction can insert an original meanwhile.  A transaction that has one snapshot for all of
 * its commands may have taken the snapshot before other transactions inserted originals.  So
 * the search under that snapshot must find the same original as a search under a new snapshot.
 */
static NullableDatum
find_original_in_turn(Search *search)
{
	const Target *target = search->target;
	const TargetColumn *id = &target->columns[ID];
	NullableDatum original;
	NullableDatum newest;

	if (target->lock)
		LockDatabaseObject(TriggerRelationId, target->topmost, 0, ExclusiveLock);
	original = newest = find_original(search, false);
	if (target->lock && IsolationUsesXactSnapshot())
		newest = find_original(search, true);
	if (original.isnull != newest.isnull ||
		(!original.isnull &&
		 !datumIsEqual(original.value, newest.value, id->by_value, id->length)))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent changes to originals"),
				 errdetail("The original of the new row differs from the one in the transaction's snapshot."),
				 errhint("The transaction might succeed if retried.")));
	return original;
}

/* A value of the new row, computed if the column is generated. */
static NullableDatum
new_value(const Target *target, const TargetColumn *column, TriggerData *trigger_data)
{
	NullableDatum result;

	if (column->generated == NULL)
		result.value = heap_getattr(trigger_data->tg_trigtuple, column->attno,
									RelationGetDescr(trigger_data->tg_relation),
									&result.isnull);
	else
	{
		target->context->ecxt_scantuple = trigger_data->tg_trigslot;
		result.value = ExecEvalExprSwitchContext(column->generated, target->context,
												 &result.isnull);
	}
	return result;
}

static void
check_call(FunctionCallInfo fcinfo)
{
	TriggerEvent event = CALLED_AS_TRIGGER(fcinfo) ? ((TriggerData *) fcinfo->context)->tg_event : 0;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(event) ||
		!TRIGGER_FIRED_FOR_ROW(event) || !TRIGGER_FIRED_BY_INSERT(event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" must be fired BEFORE INSERT FOR EACH ROW",
						"simhash_record_original")));
}

/* The target of a call.  The server keeps one for each table and trigger of a statement. */
static const Target *
get_target(FmgrInfo *function, TriggerData *trigger_data)
{
	if (function->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(function->fn_mcxt);

		Target	   *target = target_of_trigger(trigger_data, own_schema(function->fn_oid));

		target->search = search_of_target(target);
		function->fn_extra = target;
		MemoryContextSwitchTo(old);
	}
	return function->fn_extra;
}

Datum
simhash_record_original(PG_FUNCTION_ARGS)
{
	TriggerData *trigger_data = (TriggerData *) fcinfo->context;
	NullableDatum values[MAX_TARGET_COLUMNS];
	Search		search = {NULL, values};
	const Target *target;
	HeapTuple	row;
	TupleDesc	desc;
	NullableDatum original;

	check_call(fcinfo);
	search.target = target = get_target(fcinfo->flinfo, trigger_data);
	row = trigger_data->tg_trigtuple;
	desc = RelationGetDescr(trigger_data->tg_relation);

	/* Keep an original that the row already names. */
	if (!heap_attisnull(row, target->duplicate_of_attno, desc))
		return PointerGetDatum(row);
	ResetExprContext(target->context);
	for (int i = 0; i < target->ncolumns; i++)
	{
		values[i] = new_value(target, &target->columns[i], trigger_data);
		if (values[FINGERPRINT].isnull)
			return PointerGetDatum(row);
	}
	SPI_connect();
	search.context = search.confirmation.context = CurrentMemoryContext;
	search.confirmation.target = target;
	search.confirmation.new_texts = values + target->nparameters;
	original = find_original_in_turn(&search);
	if (!original.isnull)
		original.value = SPI_datumTransfer(original.value, target->columns[ID].by_value,
										   target->columns[ID].length);
	SPI_finish();
	if (!original.isnull)
	{
		int			attno = target->duplicate_of_attno;

		row = heap_modify_tuple_by_cols(row, desc, 1, &attno, &original.value,
										&original.isnull);
	}
	return PointerGetDatum(row);
}
