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
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_relation.h"
#include "query.h"
#include "server/compat.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

/*
 * A destination of a query, which needs no memory for the rows.  The receiver runs with the
 * resource owner of the call that made the destination, and may open files and sorts that
 * outlive the query.  Its memory is freed after each row.
 */
typedef struct Destination
{
	DestReceiver pub;
	RowReceiver receiver;
	ResourceOwner owner;
	MemoryContext caller;
	MemoryContext row;
} Destination;

static void
begin_destination(DestReceiver *self, int operation, TupleDesc desc)
{
	Destination *destination = (Destination *) self;
	MemoryContext old = MemoryContextSwitchTo(destination->caller);

	destination->receiver.begin(desc, destination->receiver.arg);
	MemoryContextSwitchTo(old);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	Destination *destination = (Destination *) self;
	ResourceOwner of_query = CurrentResourceOwner;
	MemoryContext old = MemoryContextSwitchTo(destination->row);
	bool		more;

	CurrentResourceOwner = destination->owner;
	more = destination->receiver.receive(slot, destination->receiver.arg);
	CurrentResourceOwner = of_query;
	MemoryContextSwitchTo(old);
	MemoryContextReset(destination->row);
	return more;
}

static void
end_destination(DestReceiver *self)
{
}

/*
 * Make a destination whose memory for rows is a child of the current context.  "caller" is the
 * memory context in which the receiver begins.
 */
static Destination
make_destination(RowReceiver receiver, MemoryContext caller)
{
	Destination destination = {{receive_row, begin_destination, end_destination, end_destination,
	DestNone}, receiver, CurrentResourceOwner, caller,
	AllocSetContextCreate(CurrentMemoryContext, "simhash row", ALLOCSET_DEFAULT_SIZES)};

	return destination;
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
require_types(TupleDesc desc, int n, const Oid *types)
{
	if (desc->natts != n)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("query returns other columns than before"),
				 errdetail("It returns %d columns instead of %d.", desc->natts, n)));
	for (int i = 0; i < n; i++)
		if (TupleDescAttr(desc, i)->atttypid != types[i])
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("query returns other columns than before"),
					 errdetail("Column %d is of type %s instead of type %s.", i + 1,
							   format_type_be(TupleDescAttr(desc, i)->atttypid),
							   format_type_be(types[i]))));
}

static void
require_reading(bool reads)
{
	if (!reads)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("query must be a SELECT command that neither changes nor locks rows")));
}

/*
 * The rewritten query has the tables of its views and the policies of the current user.
 */
AnalyzedQuery
analyze_query(const char *sql, const char *example)
{
	MemoryContext context = CurrentMemoryContext;
	AnalyzedQuery query = {sql};
	MemoryContext old;
	CachedPlanSource *source;
	SPIPlanPtr	plan;
	ListCell   *cell;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare(sql, 0, NULL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	if (!SPI_is_cursor_plan(plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must be a single command that returns rows"),
				 errhint("Pass a query such as %s.", example)));
	source = linitial(SPI_plan_get_plan_sources(plan));

	/* a rule may add queries with other columns to a command that writes */
	foreach(cell, source->query_list)
		require_reading(lfirst_node(Query, cell)->commandType == CMD_SELECT);
	old = MemoryContextSwitchTo(context);
	query.query = copyObject(linitial_node(Query, source->query_list));
	query.desc = CreateTupleDescCopy(source->resultDesc);
	foreach(cell, source->relationOids)
		query.relations = lappend(query.relations,
								  relation_open(lfirst_oid(cell), AccessShareLock));
	MemoryContextSwitchTo(old);
	SPI_finish();
	return query;
}

void
close_query(AnalyzedQuery *query)
{
	ListCell   *cell;

	foreach(cell, query->relations)
		relation_close(lfirst(cell), NoLock);
	query->relations = NIL;
}

/*
 * Find out whether a plan reads foreign tables or other servers.  It names all partitions.
 */
static void
find_tables(const PlannedStmt *stmt, AnalyzedQuery *query)
{
	ListCell   *cell;

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
}

/* Portals are not used: a function that the planner calls could close them. */
static void
execute_plan(PlannedStmt *stmt, const char *sql, ParamListInfo parameters, Destination destination)
{
	QueryDesc  *run = CreateQueryDesc(stmt, sql, GetActiveSnapshot(), InvalidSnapshot,
									  &destination.pub, parameters, NULL, 0);

	ExecutorStart(run, 0);
	ExecutorRun(run, ForwardScanDirection, 0);
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
}

/*
 * Plan and run a query that was made from an analyzed one, under the active snapshot.  The planner
 * changes the query.
 */
static void
execute(AnalyzedQuery *analyzed, Query *query, int options, ParamListInfo parameters,
		RowReceiver receiver, MemoryContext caller)
{
	PlannedStmt *stmt = pg_plan_query(query, analyzed->sql, options, parameters, NULL);

	require_reading(CommandIsReadOnly(stmt));
	find_tables(stmt, analyzed);
	execute_plan(stmt, analyzed->sql, parameters, make_destination(receiver, caller));
}

/* Begin to make and run a query, in memory that end_run frees.  Returns the caller's memory context. */
static MemoryContext
begin_run(void)
{
	return MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "simhash query",
													   ALLOCSET_DEFAULT_SIZES));
}

static void
end_run(MemoryContext caller)
{
	MemoryContext of_run = MemoryContextSwitchTo(caller);

	MemoryContextDelete(of_run);
}

void
run_query(AnalyzedQuery *query, RowReceiver receiver)
{
	MemoryContext caller = begin_run();

	execute(query, copyObject(query->query), 0, NULL, receiver, caller);
	end_run(caller);
}

void
read_query(const char *sql, const char *example, RowReceiver receiver)
{
	AnalyzedQuery query = analyze_query(sql, example);

	run_query(&query, receiver);
	close_query(&query);
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

bool
is_repeatable(const AnalyzedQuery *query)
{
	Node	   *tree = (Node *) query->query;

	return !may_vary(tree, NULL) && !contain_volatile_functions(tree);
}

Node *
column_of_pass(const AnalyzedQuery *query, int column, Oid type)
{
	Form_pg_attribute attribute = TupleDescAttr(query->desc, column - 1);
	Node	   *var = (Node *) makeVar(1, column, attribute->atttypid, attribute->atttypmod,
									   attribute->attcollation, 0);

	return coerce_to_target_type(NULL, var, attribute->atttypid, type, -1, COERCION_EXPLICIT,
								 COERCE_EXPLICIT_CAST, -1);
}

void
run_pass(AnalyzedQuery *analyzed, List *columns, Node *condition, bool apart,
		 ParamListInfo parameters, RowReceiver receiver)
{
	MemoryContext caller = begin_run();
	ParseState *pstate = make_parsestate(NULL);
	Query	   *inner = copyObject(analyzed->query);
	Query	   *query = makeNode(Query);
	RangeTblRef *from = makeNode(RangeTblRef);
	ListCell   *cell;

	/* the planner does not move conditions into a subquery with OFFSET */
	if (apart)
		inner->limitOffset = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
												Int64GetDatum(0), false, true);
	addRangeTableEntryForSubquery(pstate, inner, makeAlias("documents", NIL), false, true);
	from->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->hasRowSecurity = inner->hasRowSecurity;
	query->rtable = pstate->p_rtable;
	query->jointree = makeFromExpr(list_make1(from), condition);
	foreach(cell, columns)
		query->targetList = lappend(query->targetList,
									makeTargetEntry(lfirst(cell), list_length(query->targetList) + 1,
													"column", false));
	assign_query_collations(pstate, query);
	free_parsestate(pstate);
	execute(analyzed, query, CURSOR_OPT_PARALLEL_OK, parameters, receiver, caller);
	end_run(caller);
}

static void
add_statement(void *sql)
{
	errcontext("SQL statement \"%s\"", (const char *) sql);
}

void
run_plan(PlannedStmt *stmt, const char *sql, ParamListInfo parameters, RowReceiver receiver)
{
	ErrorContextCallback context = {error_context_stack, add_statement, unconstify(char *, sql)};
	MemoryContext caller = begin_run();

	error_context_stack = &context;
	execute_plan(stmt, sql, parameters, make_destination(receiver, caller));
	error_context_stack = context.previous;
	end_run(caller);
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
