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
 * In a large template not all originals are compared (original_search.c).
 *
 * The trigger searches by its own query, under a new snapshot.  So it sees the rows that
 * the same command has inserted before.  It does not see the rows of concurrent
 * transactions unless "lock" makes the transactions wait for each other.
 *
 * A generated column has no value yet when BEFORE triggers run.  So the trigger evaluates
 * the column's expression.
 *
 * The trigger looks up its arguments and the table's columns once a statement
 * (original_target.c).  The search keeps plans for the session (original_search.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "original_search.h"
#include "original_target.h"
#include "server/catalog.h"
#include "simhash.h"
#include "utils/datum.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(simhash_record_original);

/* A value of the new row, computed if the column is generated. */
static NullableDatum
new_value(const TargetColumn *column, TriggerData *trigger_data)
{
	NullableDatum result;
	ExprContext *context;

	if (column->generated == NULL)
	{
		result.value = heap_getattr(trigger_data->tg_trigtuple, column->attno,
									RelationGetDescr(trigger_data->tg_relation),
									&result.isnull);
		return result;
	}

	context = CreateStandaloneExprContext();
	context->ecxt_scantuple = trigger_data->tg_trigslot;
	result.value = ExecEvalExprSwitchContext(column->generated, context, &result.isnull);
	if (!result.isnull)
		result.value = datumCopy(result.value, column->by_value, column->length);
	FreeExprContext(context, true);
	return result;
}

static void
check_call(FunctionCallInfo fcinfo)
{
	TriggerEvent event;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager",
						"simhash_record_original")));
	event = ((TriggerData *) fcinfo->context)->tg_event;
	if (!TRIGGER_FIRED_BEFORE(event) || !TRIGGER_FIRED_FOR_ROW(event) ||
		!TRIGGER_FIRED_BY_INSERT(event))
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

		function->fn_extra = target_of_trigger(trigger_data, own_schema(function->fn_oid));
		MemoryContextSwitchTo(old);
	}
	return function->fn_extra;
}

Datum
simhash_record_original(PG_FUNCTION_ARGS)
{
	TriggerData *trigger_data = (TriggerData *) fcinfo->context;
	const Target *target;
	HeapTuple	row;
	TupleDesc	desc;
	NullableDatum fingerprint;
	NewRow		new_row;
	NullableDatum original;

	check_call(fcinfo);
	target = get_target(fcinfo->flinfo, trigger_data);
	row = trigger_data->tg_trigtuple;
	desc = RelationGetDescr(trigger_data->tg_relation);

	/* Keep an original that the row already names. */
	if (!heap_attisnull(row, target->duplicate_of, desc))
		return PointerGetDatum(row);
	fingerprint = new_value(&target->fingerprint, trigger_data);
	if (fingerprint.isnull)
		return PointerGetDatum(row);
	new_row.fingerprint = fingerprint.value;
	new_row.id = new_value(&target->id, trigger_data);
	for (int i = 0; i < target->nequal; i++)
		new_row.equal[i] = new_value(&target->equal[i], trigger_data);
	for (int i = 0; i < target->nconfirm; i++)
		new_row.confirm[i] = new_value(&target->confirm[i], trigger_data);
	original = search_original(target, trigger_data, &new_row);
	if (!original.isnull)
	{
		int			attno = target->duplicate_of;

		row = heap_modify_tuple_by_cols(row, desc, 1, &attno, &original.value,
										&original.isnull);
	}
	return PointerGetDatum(row);
}
