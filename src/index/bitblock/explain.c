/*-------------------------------------------------------------------------
 *
 * explain.c
 *		bitblock_explain(): what a search of a bitblock index reads.
 *
 * The function searches the index as a scan does, and reports what each step of the search has
 * done.  It visits no row of the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nearest.h"
#include "open.h"
#include "server/compat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"
#include "value.h"

PG_FUNCTION_INFO_V1(bitblock_explain);

/* Where the steps go */
typedef struct Report
{
	ReturnSetInfo *result;
	int			pass;			/* passes reported so far */
} Report;

/* A BBObserve that appends a row for each step of a pass to arg, a Report */
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
				 errdetail("The index has columns in front of the fingerprint, or balls.")));
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
	BBReader   *reader = palloc(sizeof(BBReader));
	BBMatch    *matches = palloc(BB_MAX_ENTRIES * bb_match_size(shape));

	bb_reader_init(reader, index, shape, GetActiveSnapshot(), bb_scope(&bb_untagged, 0), ball);
	bb_reader_count(reader);
	bb_reader_set_within(reader);
	while (bb_reader_next(reader, matches, NULL) > 0)
		CHECK_FOR_INTERRUPTS();
	report_steps(report, reader);
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
	shape = bb_shape(index);
	check_query(index, shape, get_fn_expr_argtype(fcinfo->flinfo, 1));
	bb_order_center(shape, PG_GETARG_DATUM(1), ball.center);
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
