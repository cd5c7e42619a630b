/*-------------------------------------------------------------------------
 *
 * keep_order.c
 *		The order in which a caller keeps documents; see keep_order.h.
 *
 * A sort by ids brings each id together with the rows of the query "keep" or "new" that prefer it
 * that have it.  The rank of such an id is the number of its first wish.  The ranks of
 * all other ids follow.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "keep_order.h"
#include "query.h"
#include "server/progress.h"

#define ROWS_BETWEEN_NOTICES	(1 << 16)

static void
begin_keep(TupleDesc desc, void *arg)
{
	KeepOrder  *order = arg;

	require_columns(desc, 1, 1, psprintf("%s query must return one column, the id", order->argument),
					NULL);
	order->column = check_id_column(desc, 1, order->id_type,
									psprintf("the %s query", order->argument),
									order->id_type.is_argument ?
									"The ids of both queries must have the type of argument id_type." : NULL);
}

/* Add an id to the sort.  Equal ids are sorted by number, so the preferences for an id come first. */
static void
put_id(KeepOrder *order, Datum id, uint64 number)
{
	if (order->type->typlen == -1)
		id = PointerGetDatum(PG_DETOAST_DATUM_PACKED(id));
	id_sort_put(order->sort, id, number);
}

/* Add the id of a row of the query, unless it is NULL. */
static bool
receive_wish(TupleTableSlot *slot, void *arg)
{
	KeepOrder  *order = arg;

	slot_getsomeattrs(slot, 1);
	if (slot->tts_isnull[0])
		return true;
	if (order->npreferred == MOST_KEPT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many ids in the %s query", order->argument),
				 errdetail("It can return at most %u ids.", MOST_KEPT)));
	put_id(order, widened_id(order->column, slot->tts_values[0]), order->npreferred++);
	if (order->npreferred % ROWS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " ids of the %s query have been read", order->npreferred,
						order->argument)));
	return true;
}

KeepOrder *
keep_order_begin(IdType id_type, Oid collation, const char *query, const char *argument,
				 size_t memory, const Env *env)
{
	KeepOrder  *order = palloc0(sizeof(KeepOrder));
	const RowReceiver receiver = {begin_keep, receive_wish, order};

	order->id_type = id_type;
	order->argument = argument;
	order->type = type_of_ids(id_type.type);
	order->collation = collation;
	order->sort = id_sort_begin(order->type, collation, query != NULL ? BY_ID_AND_NUMBER : BY_ID,
								memory, env);
	order->context = CurrentMemoryContext;
	if (query != NULL)
		read_query(query, strcmp(argument, "new") == 0 ? "SELECT id FROM docs WHERE batch = 17" :
				   "SELECT id FROM docs ORDER BY length(body) DESC", receiver);
	order->bound = order->npreferred;
	return order;
}

void
keep_order_put(KeepOrder *order, Datum id, uint64 number)
{
	put_id(order, id, order->npreferred + number);
}

void
keep_order_finish(KeepOrder *order)
{
	id_sort_finish(order->sort);
}

/* Does the id differ from the current one? */
static inline bool
is_new_id(const KeepOrder *order, Datum id)
{
	return !order->have_id ||
		DatumGetInt32(FunctionCall2Coll(&order->type->cmp_proc_finfo, order->collation, order->id,
										id)) != 0;
}

bool
keep_order_next(KeepOrder *order, KeptNumber *kept)
{
	Datum		id;
	uint64		number;

	while (id_sort_next(order->sort, &id, &number))
	{
		if (is_new_id(order, id))
		{
			replace_id(&order->id, &order->have_id, id, order->type, order->context);
			order->is_known = false;
			order->rank = number < order->npreferred ? number : order->bound++;
		}
		/* skip the preferences, which only set the rank of their id */
		if (number < order->npreferred)
			continue;
		kept->number = number - order->npreferred;
		kept->rank = order->rank;
		kept->is_first = !order->is_known;
		order->is_known = true;
		return true;
	}
	return false;
}

void
keep_order_end(KeepOrder *order)
{
	id_sort_end(order->sort);
	pfree(order);
}
