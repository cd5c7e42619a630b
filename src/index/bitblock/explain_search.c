/*-------------------------------------------------------------------------
 *
 * explain_search.c
 *		bitblock_explain() and EXPLAIN (ANALYZE): what a search of a bitblock index reads.
 *
 * The function searches the index as a scan does, and reports what each step of the
 * search has done.  It visits no row of the table.  From PostgreSQL 18 on, EXPLAIN
 * (ANALYZE) shows the sums at each node of a plan that scans a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bitblock.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "funcapi.h"
#include "index/bitblock/search/nearest.h"
#include "index/bitblock/store/column_value.h"
#include "index/bitblock/store/open.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "server/compat.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(bitblock_explain);

/* Where report_steps writes the steps. */
typedef struct Report
{
	ReturnSetInfo *result;
	int			pass;			/* passes reported so far */
} Report;

/* A BBObserve that appends a row for each step of a pass to arg, a Report. */
static void
report_steps(void *arg, const BBReader *reader)
{
	Report	   *report = arg;

	report->pass++;
	for (int i = 0; i < reader->nsteps; i++)
	{
		const BBStep *step = &reader->steps[i];
		const BBCounts *counts = &reader->counts[i];
		Datum		values[9];
		bool		nulls[9] = {false};

		values[0] = Int32GetDatum(report->pass);
		values[1] = Int32GetDatum(step->tree);
		nulls[2] = nulls[3] = step->all;
		values[2] = Int32GetDatum(step->rmax);
		values[3] = Int32GetDatum(step->probes.n);
		values[4] = Int64GetDatum(counts->leaves);
		values[5] = Int64GetDatum(Max(counts->leaves - counts->misses, 0));
		values[6] = Int64GetDatum(counts->candidates);
		values[7] = Int64GetDatum(counts->rows);
		values[8] = Int64GetDatum(counts->matches);
		tuplestore_putvalues(report->result->setResult, report->result->setDesc,
							 values, nulls);
	}
}

/*
 * Raises an error unless the user may read all fingerprints of the index: the search
 * tells whether one is in the table, and it does not apply the policies of row-level
 * security.
 */
static void
check_privileges(Relation heap, Relation index)
{
	Oid			heap_oid = RelationGetRelid(heap);
	AttrNumber	column = index->rd_index->indkey.values[0];

	/* an expression or a predicate may depend on any column */
	if (pg_class_aclcheck(heap_oid, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		(column == InvalidAttrNumber || RelationGetIndexPredicate(index) != NIL ||
		 pg_attribute_aclcheck(heap_oid, column, GetUserId(), ACL_SELECT) != ACLCHECK_OK))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, RelationGetRelationName(heap));
	if (check_enable_rls(heap_oid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("bitblock_explain does not apply the row-level security policies of table \"%s\"",
						RelationGetRelationName(heap))));
}

/* Raises an error unless the index can be searched for a value of that type. */
static void
check_query(Relation index, BBShape shape, Oid type)
{
	Oid			stored = getBaseType(TupleDescAttr(RelationGetDescr(index), 0)->atttypid);

	if (bb_is_tagged(shape) || bb_holds_balls(shape))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("bitblock_explain does not support index \"%s\"",
						RelationGetRelationName(index)),
				 errdetail("The index has columns in front of the fingerprint, or contains balls.")));
	type = OidIsValid(type) ? getBaseType(type) : InvalidOid;
	if (type != stored && !(bb_is_bit(shape) && (type == BITOID || type == VARBITOID)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("index \"%s\" has fingerprints of type %s, not of type %s",
						RelationGetRelationName(index), format_type_be(stored),
						OidIsValid(type) ? format_type_be(type) : "unknown")));
}

static void
explain_within(Relation index, BBShape shape, const BBBall *ball, Report *report)
{
	BBSweep    *sweep = palloc0(sizeof(BBSweep));
	BBMatch    *matches = palloc(BB_MAX_ENTRIES * bb_match_size(shape));
	BBCondition wanted = bb_condition_of_ball(ball);

	sweep->observe = report_steps;
	sweep->observe_arg = report;
	bb_sweep_begin(sweep, index, shape, GetActiveSnapshot(), &bb_untagged, &wanted, BB_WITHIN);
	while (bb_sweep_next(sweep, matches, NULL) > 0)
		CHECK_FOR_INTERRUPTS();
	bb_sweep_report(sweep);
}

static void
explain_nearest(Relation index, BBShape shape, const uint64 *center, Report *report)
{
	BBFingerprint *query = palloc(sizeof(BBFingerprint));
	BBMatch    *match = palloc(bb_match_size(shape));
	BBConditions none = {.fps = true};
	BBNearest  *nearest;
	int			rows = 0;

	bb_copy_fp(shape, query->words, center);
	nearest = bb_nearest_begin(index, shape, GetActiveSnapshot(), &bb_untagged, query, 1,
							   &none);
	bb_nearest_observe(nearest, report_steps, report);
	while (rows < BB_EXPECTED_LIMIT && bb_nearest_next(nearest, match))
		rows++;
	bb_nearest_end(nearest);
}

Datum
bitblock_explain(PG_FUNCTION_ARGS)
{
	Relation	heap;
	Relation	index;
	BBShape		shape;
	BBBall		ball;
	Report		report = {(ReturnSetInfo *) fcinfo->resultinfo, 0};

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	index = bb_open(PG_GETARG_OID(0), AccessShareLock, &heap);
	check_privileges(heap, index);
	shape = bb_shape(index);
	check_query(index, shape, get_fn_expr_argtype(fcinfo->flinfo, 1));
	bb_value_fp(shape, PG_GETARG_DATUM(1), ball.center);
	if (PG_ARGISNULL(2))
		explain_nearest(index, shape, ball.center, &report);
	else
	{
		ball.radius = PG_GETARG_INT32(2);
		explain_within(index, shape, &ball, &report);
	}
	bb_close(index, heap, AccessShareLock);
	return (Datum) 0;
}

/* ----------
 * EXPLAIN (ANALYZE)
 * ----------
 */

static explain_per_node_hook_type next_hook;
static explain_validate_options_hook_type next_validate_hook;

/* An explain_validate_options_hook that notes EXPLAIN (ANALYZE) before the statement runs. */
static void
note_explain(struct ExplainState *es, List *options, struct ParseState *pstate)
{
	if (es->analyze)
		bb_set_explained();
	if (next_validate_hook != NULL)
		next_validate_hook(es, options, pstate);
}

/* The scan of a node of a plan that has run; or NULL. */
static IndexScanDesc
node_scan(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_IndexScanState:
			return ((IndexScanState *) node)->iss_ScanDesc;
		case T_IndexOnlyScanState:
			return ((IndexOnlyScanState *) node)->ioss_ScanDesc;
		case T_BitmapIndexScanState:
			return ((BitmapIndexScanState *) node)->biss_ScanDesc;
		default:
			return NULL;
	}
}

/* An explain_per_node_hook that adds the sums of a bitblock scan to its node. */
static void
explain_node(PlanState *node, List *ancestors, const char *relationship,
			 const char *plan_name, struct ExplainState *es)
{
	IndexScanDesc scan = node_scan(node);

	if (es->analyze && bb_is_explained() && scan != NULL &&
		scan->indexRelation->rd_indam->ambeginscan == bb_beginscan)
	{
		const BBCounts *counts = bb_scan_counts(scan);

		ExplainPropertyInteger("Index Leaves", NULL, counts->leaves, es);
		ExplainPropertyInteger("Index Leaves Cached", NULL,
							   Max(counts->leaves - counts->misses, 0), es);
		ExplainPropertyInteger("Index Candidates", NULL, counts->candidates, es);
		ExplainPropertyInteger("Index Rows Looked Up", NULL, counts->rows, es);
		ExplainPropertyInteger("Index Matches", NULL, counts->matches, es);
	}
	if (next_hook != NULL)
		next_hook(node, ancestors, relationship, plan_name, es);
}

void
bb_define_explain(void)
{
	next_hook = explain_per_node_hook;
	explain_per_node_hook = explain_node;
	next_validate_hook = explain_validate_options_hook;
	explain_validate_options_hook = note_explain;
}
