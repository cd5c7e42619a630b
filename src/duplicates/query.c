/*-------------------------------------------------------------------------
 *
 * query.c
 *		Reading the rows of a query that the caller gives as a text, and returning rows one
 *		by one; see query.h.
 *
 * The query cannot write unless it calls functions that write.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "query.h"
#include "tcop/pquery.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

/*
 * A destination of a query, which needs no memory for the rows.  While a query runs, its
 * portal is the current resource owner, and what it owns ends with it.  So "receive" runs
 * with the owner of the call that made the receiver, and may open files and sorts that
 * outlive the query.  Its memory is freed after each row.
 */
typedef struct RowReceiver
{
	DestReceiver pub;
	ReceiveRow	receive;
	void	   *arg;
	ResourceOwner owner;
	MemoryContext context;		/* of a row */
} RowReceiver;

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	ResourceOwner of_query = CurrentResourceOwner;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);
	bool		more;

	CurrentResourceOwner = receiver->owner;
	more = receiver->receive(slot, receiver->arg);
	CurrentResourceOwner = of_query;
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->context);
	return more;
}

static void
receiver_done(DestReceiver *self)
{
}

/* Make a receiver after SPI has been connected, which then ends with it. */
static RowReceiver
row_receiver(ReceiveRow receive, void *arg)
{
	RowReceiver receiver = {{receive_row, receiver_startup, receiver_done, receiver_done,
	DestNone}, receive, arg, CurrentResourceOwner,
	AllocSetContextCreate(CurrentMemoryContext, "simhash row", ALLOCSET_DEFAULT_SIZES)};

	return receiver;
}

void
require_columns(TupleDesc desc, int fewest, int most, const char *message, const char *hint)
{
	if (desc->natts < fewest || desc->natts > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", message),
				 errdetail_plural("It returns %d column.", "It returns %d columns.",
								  desc->natts, desc->natts),
				 hint != NULL ? errhint("%s", hint) : 0));
}

void
read_query(const char *query, const char *example, void (*begin) (TupleDesc desc, void *arg),
		   ReceiveRow receive, void *arg)
{
	RowReceiver receiver;
	SPIPlanPtr	plan;
	Portal		portal;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	if (!SPI_is_cursor_plan(plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must be a single command that returns rows"),
				 errhint("Pass a query such as %s.", example)));
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	begin(portal->tupDesc, arg);
	receiver = row_receiver(receive, arg);
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, &receiver.pub);
	SPI_cursor_close(portal);
	SPI_finish();
}

/*
 * Does a query or one of its subqueries contain anything that may let two runs return
 * different rows or columns?
 */
static bool
may_vary(Node *node, void *unused)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;

		return query->commandType != CMD_SELECT || query->rowMarks != NIL ||
			query->hasModifyingCTE || query->limitCount != NULL || query->limitOffset != NULL ||
			query->hasDistinctOn || query->hasWindowFuncs || query->hasAggs ||
			query->hasTargetSRFs ||
			query_tree_walker(query, may_vary, NULL, QTW_EXAMINE_RTES_BEFORE);
	}
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		return entry->tablesample != NULL || entry->rtekind == RTE_TABLEFUNC ||
			(entry->rtekind == RTE_FUNCTION && contain_mutable_functions((Node *) entry->functions));
	}
	return expression_tree_walker(node, may_vary, NULL);
}

/*
 * Find out whether a query reads foreign tables or other servers.  Its plan names all
 * partitions.
 */
static void
find_tables(SPIPlanPtr plan, RepeatableQuery *query)
{
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	PlannedStmt *stmt;
	ListCell   *cell;

	if (cached == NULL)
		return;
	stmt = linitial_node(PlannedStmt, cached->stmt_list);
	foreach(cell, stmt->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind != RTE_RELATION)
			continue;
		query->remote |= entry->relkind == RELKIND_FOREIGN_TABLE;
		query->divided |= entry->inh;
	}
	for (Plan *node = stmt->planTree; node != NULL; node = outerPlan(node))
		if (IsA(node, CustomScan) &&
			strncmp(((CustomScan *) node)->methods->CustomName, "Citus", 5) == 0)
			query->remote = true;
	query->divided &= !query->remote;
	ReleaseCachedPlan(cached, NULL);
}

RepeatableQuery
repeatable_query(const char *query)
{
	MemoryContext context = CurrentMemoryContext;
	RepeatableQuery repeatable = {NULL};
	SPIPlanPtr	plan;
	CachedPlanSource *source;
	RawStmt    *raw;
	Node	   *tree;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan != NULL && SPI_is_cursor_plan(plan))
	{
		source = linitial(SPI_plan_get_plan_sources(plan));
		raw = source->raw_parse_tree;
		tree = linitial(source->query_list);
		if (list_length(source->query_list) == 1 && IsA(raw->stmt, SelectStmt) &&
			!may_vary(tree, NULL) && !contain_volatile_functions(tree))
		{
			repeatable.desc = MemoryContextAlloc(context, TupleDescSize(source->resultDesc));
			TupleDescCopy(repeatable.desc, source->resultDesc);
			repeatable.sql = MemoryContextStrdup(context, query + Max(raw->stmt_location, 0));
			if (raw->stmt_len > 0)
				repeatable.sql[raw->stmt_len] = '\0';
			find_tables(plan, &repeatable);
		}
	}
	SPI_finish();
	return repeatable;
}

int
run_plan(SPIPlanPtr plan, ParamListInfo parameters, ReceiveRow receive, void *arg)
{
	RowReceiver receiver = row_receiver(receive, arg);
	SPIExecuteOptions options = {0};

	options.params = parameters;
	options.read_only = true;	/* otherwise SPI takes a snapshot of its own */
	options.dest = &receiver.pub;
	return SPI_execute_plan_extended(plan, &options);
}

void
read_query_with(const char *query, int nparameters, Oid *types, Datum *values,
				ReceiveRow receive, void *arg)
{
	ParamListInfo parameters;
	SPIPlanPtr	plan;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	/* some extensions do not expect a list without parameters */
	parameters = nparameters > 0 ? makeParamList(nparameters) : NULL;
	for (int i = 0; i < nparameters; i++)
	{
		parameters->params[i].value = values[i];
		parameters->params[i].isnull = false;
		parameters->params[i].pflags = PARAM_FLAG_CONST;
		parameters->params[i].ptype = types[i];
	}
	plan = SPI_prepare_cursor(query, nparameters, types,
							  CURSOR_OPT_NO_SCROLL | CURSOR_OPT_PARALLEL_OK);
	if (plan == NULL || run_plan(plan, parameters, receive, arg) < 0)
		elog(ERROR, "could not run a query again: %s", SPI_result_code_string(SPI_result));
	SPI_finish();
}

/* Begin a function that returns rows one by one. */
static void
begin_rows(FunctionCallInfo fcinfo, const RowSource *source)
{
	FuncCallContext *funcctx = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	funcctx->tuple_desc = BlessTupleDesc(desc);
	funcctx->user_fctx = source->begin(fcinfo);

	/*
	 * The query may end before the function has returned all rows.  After an
	 * error the resource owner closes files.
	 */
	if (funcctx->user_fctx != NULL)
		RegisterExprContextCallback(((ReturnSetInfo *) fcinfo->resultinfo)->econtext,
									source->end, PointerGetDatum(funcctx->user_fctx));
	MemoryContextSwitchTo(old);
}

Datum
return_rows(FunctionCallInfo fcinfo, const RowSource *source)
{
	FuncCallContext *funcctx;
	Datum		values[MOST_COLUMNS];
	bool		nulls[MOST_COLUMNS] = {false};
	Datum		state;

	if (SRF_IS_FIRSTCALL())
		begin_rows(fcinfo, source);
	funcctx = SRF_PERCALL_SETUP();

	CHECK_FOR_INTERRUPTS();
	if (funcctx->user_fctx == NULL)
		SRF_RETURN_DONE(funcctx);
	if (source->next(funcctx->user_fctx, values))
		SRF_RETURN_NEXT(funcctx,
						HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values, nulls)));
	state = PointerGetDatum(funcctx->user_fctx);
	UnregisterExprContextCallback(((ReturnSetInfo *) fcinfo->resultinfo)->econtext, source->end,
								  state);
	source->end(state);
	SRF_RETURN_DONE(funcctx);
}
