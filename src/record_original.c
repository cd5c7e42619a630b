/*-------------------------------------------------------------------------
 *
 * record_original.c
 *		simhash_record_original(): a BEFORE INSERT trigger that records of a new
 *		row which earlier one it is a near-duplicate of, instead of refusing it.
 *
 *		simhash_record_original(fingerprint column, duplicate_of column,
 *								id column [, distance [, 'lock']])
 *
 * The original of a row is that with the smallest id among the rows within the
 * distance that are no duplicates themselves.  It is looked for by a query of
 * its own, under a new snapshot, so that the rows that the same command has
 * inserted before are seen; those of concurrent transactions are not, unless
 * "lock" makes the transactions wait for each other.
 *
 * A generated column has no value yet when BEFORE triggers run: here its
 * expression is evaluated.
 *
 * Plans are kept for the session, one for each trigger, with the expression of a
 * generated column.  They are made anew as soon as the server holds one of them for
 * invalid, which is when anything has changed that it depends on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog.h"
#include "catalog/indexing.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "rewrite/rewriteHandler.h"
#include "simhash.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(simhash_record_original);

#define MIN_ARGUMENTS			3
#define MAX_ARGUMENTS			5
#define LOCK_ARGUMENT			"lock"

/* What a trigger's arguments say */
typedef struct Arguments
{
	const char *fingerprint;	/* columns */
	const char *duplicate_of;
	const char *id;
	int			distance;
	bool		lock;
} Arguments;

/* What is kept of a trigger */
typedef struct Search
{
	Oid			trigger;		/* hash key */
	Oid			topmost;		/* of a partition's trigger, that of the root */
	SPIPlanPtr	plan;			/* NULL if none */
	int			users;			/* calls that are executing the plan */
	CachedExpression *generated;	/* of the fingerprint, or NULL */
	AttrNumber	fingerprint;
	AttrNumber	duplicate_of;
	bool		lock;
	int16		id_length;
	bool		id_by_value;
} Search;

static HTAB *searches = NULL;

/* ----------
 * Arguments and columns
 * ----------
 */

static Arguments
read_arguments(Trigger *trigger)
{
	Arguments	a = {0};

	if (trigger->tgnargs < MIN_ARGUMENTS || trigger->tgnargs > MAX_ARGUMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("trigger \"%s\" has %d arguments, but %s takes %d to %d",
						trigger->tgname, trigger->tgnargs,
						"simhash_record_original", MIN_ARGUMENTS, MAX_ARGUMENTS),
				 errhint("They are the columns of the fingerprint, of the original's id and of the id, the distance, and 'lock': simhash_record_original('fp', 'duplicate_of', 'id', 3).")));
	a.fingerprint = trigger->tgargs[0];
	a.duplicate_of = trigger->tgargs[1];
	a.id = trigger->tgargs[2];
	a.distance = NEAR_DISTANCE;
	if (trigger->tgnargs > 3)
	{
		const char *s = trigger->tgargs[3];
		char	   *end;
		long		distance;

		errno = 0;
		distance = strtol(s, &end, 10);
		if (errno != 0 || end == s || *end != '\0' ||
			distance < 0 || distance > SIMHASH_BITS)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid distance in trigger \"%s\": \"%s\"",
							trigger->tgname, s),
					 errdetail("It must be an integer from 0 to %d.", SIMHASH_BITS)));
		a.distance = (int) distance;
	}
	if (trigger->tgnargs > 4)
	{
		if (strcmp(trigger->tgargs[4], LOCK_ARGUMENT) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unrecognized option in trigger \"%s\": \"%s\"",
							trigger->tgname, trigger->tgargs[4]),
					 errhint("The only option is \"%s\".", LOCK_ARGUMENT)));
		a.lock = true;
	}
	return a;
}

static Form_pg_attribute
column(Relation rel, Trigger *trigger, const char *name)
{
	int			attno = SPI_fnumber(RelationGetDescr(rel), name);

	if (attno <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						name, RelationGetRelationName(rel)),
				 errdetail("It is an argument of trigger \"%s\".", trigger->tgname)));
	return TupleDescAttr(RelationGetDescr(rel), attno - 1);
}

/*
 * Is there an index of the column that finds what is within a distance?
 */
static bool
has_index(Relation rel, AttrNumber attno, Oid within_operator)
{
	List	   *indexes = RelationGetIndexList(rel);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++)
			if (index->rd_index->indisvalid &&
				index->rd_index->indkey.values[i] == attno &&
				op_in_opfamily(within_operator, index->rd_opfamily[i]))
				found = true;
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

/*
 * The trigger of which this one is a partition's copy, or itself; *table is its
 * table.
 */
static Oid
topmost_trigger(Oid trigger, Oid *table)
{
	Relation	catalog = table_open(TriggerRelationId, AccessShareLock);

	for (;;)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;
		Oid			parent = InvalidOid;

		ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(trigger));
		scan = systable_beginscan(catalog, TriggerOidIndexId, true, NULL, 1, &key);
		tuple = systable_getnext(scan);
		if (HeapTupleIsValid(tuple))
		{
			parent = ((Form_pg_trigger) GETSTRUCT(tuple))->tgparentid;
			*table = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
		}
		systable_endscan(scan);
		if (!OidIsValid(parent))
			break;
		trigger = parent;
	}
	table_close(catalog, AccessShareLock);
	return trigger;
}

/* ----------
 * The query
 * ----------
 */

/*
 * The subquery with OFFSET is planned by itself, so that the planner cannot
 * hope to find the smallest id soon by going through an index of ids.
 */
static char *
search_query(Relation table, Oid schema, const Arguments *a)
{
	const char *id = quote_identifier(a->id);
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s FROM (SELECT %s FROM %s t WHERE %s.simhash_within(t.%s, $1, %d)",
					 id, id,
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
												RelationGetRelationName(table)),
					 quote_identifier(get_namespace_name(schema)),
					 quote_identifier(a->fingerprint), a->distance);
	appendStringInfo(&query, " AND t.%s IS NULL OFFSET 0) s ORDER BY 1 LIMIT 1",
					 quote_identifier(a->duplicate_of));
	return query.data;
}

/* Check the trigger's arguments, and prepare its query; SPI is connected. */
static void
prepare_search(Search *search, TriggerData *trigger_data, Oid schema)
{
	Relation	rel = trigger_data->tg_relation;
	Trigger    *trigger = trigger_data->tg_trigger;
	Arguments	a = read_arguments(trigger);
	Form_pg_attribute fingerprint = column(rel, trigger, a.fingerprint);
	Form_pg_attribute duplicate_of = column(rel, trigger, a.duplicate_of);
	Form_pg_attribute id = column(rel, trigger, a.id);
	Oid			type = own_type(schema, "simhash");
	Oid			ball = own_type(schema, "simhash_ball");
	Oid			table_oid = RelationGetRelid(rel);
	Relation	table;
	SPIPlanPtr	plan;

	if (getBaseType(fingerprint->atttypid) != type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is of type %s, not %s", a.fingerprint,
						format_type_be(fingerprint->atttypid), "simhash"),
				 errdetail("It is an argument of trigger \"%s\".", trigger->tgname)));
	if (duplicate_of->attnum == id->attnum)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("trigger \"%s\" names column \"%s\" twice",
						trigger->tgname, a.id)));
	if (duplicate_of->atttypid != id->atttypid ||
		duplicate_of->atttypmod != id->atttypmod)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is of type %s, but column \"%s\", of which it is to hold values, is of type %s",
						a.duplicate_of,
						format_type_with_typemod(duplicate_of->atttypid, duplicate_of->atttypmod),
						a.id, format_type_with_typemod(id->atttypid, id->atttypmod)),
				 errdetail("They are arguments of trigger \"%s\".", trigger->tgname)));
	if (duplicate_of->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
				 errmsg("column \"%s\" is a generated column", a.duplicate_of),
				 errdetail("Trigger \"%s\" is to set it.", trigger->tgname)));

	search->topmost = topmost_trigger(trigger->tgoid, &table_oid);
	table = table_open(table_oid, AccessShareLock);
	if (!has_index(table, SPI_fnumber(RelationGetDescr(table), a.fingerprint),
				   own_operator(schema, "<@", type, ball)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no index of column \"%s\" of table \"%s\" by which trigger \"%s\" could find originals",
						a.fingerprint, RelationGetRelationName(table), trigger->tgname),
				 errhint("Create one, for example: CREATE INDEX ON %s USING bitblock (%s) WHERE %s IS NULL;",
						 quote_identifier(RelationGetRelationName(table)),
						 quote_identifier(a.fingerprint),
						 quote_identifier(a.duplicate_of))));

	/* the values are not known by which a custom plan could be better */
	plan = SPI_prepare_cursor(search_query(table, schema, &a), 1, &type,
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query of trigger \"%s\": %s",
			 trigger->tgname, SPI_result_code_string(SPI_result));
	table_close(table, AccessShareLock);

	search->generated = NULL;
	if (fingerprint->attgenerated)
		search->generated = GetCachedExpression(build_column_default(rel,
																	 fingerprint->attnum));
	SPI_keepplan(plan);
	search->fingerprint = fingerprint->attnum;
	search->duplicate_of = duplicate_of->attnum;
	search->lock = a.lock;
	search->id_length = id->attlen;
	search->id_by_value = id->attbyval;
	search->plan = plan;
}

/* What is needed for the trigger, made anew if it may be out of date */
static Search *
get_search(TriggerData *trigger_data, Oid schema)
{
	Oid			trigger = trigger_data->tg_trigger->tgoid;
	Search	   *search;
	bool		found;

	if (searches == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(Search);
		searches = hash_create("simhash_record_original", 16, &control,
							   HASH_ELEM | HASH_BLOBS);
	}
	search = hash_search(searches, &trigger, HASH_ENTER, &found);
	if (!found)
	{
		search->plan = NULL;
		search->users = 0;
	}
	if (search->plan != NULL &&
		!(SPI_plan_is_valid(search->plan) &&
		  (search->generated == NULL || search->generated->is_valid)))
	{
		/* a call that is executing it goes on with it; then it is lost */
		if (search->users == 0)
		{
			SPI_freeplan(search->plan);
			if (search->generated != NULL)
				FreeCachedExpression(search->generated);
		}
		search->plan = NULL;
	}
	if (search->plan == NULL)
		prepare_search(search, trigger_data, schema);
	return search;
}

/* ----------
 * The trigger
 * ----------
 */

/* The new row's fingerprint, also if it is still to be generated */
static Datum
new_fingerprint(Search *search, TriggerData *trigger_data, bool *isnull)
{
	ExprContext *context;
	Datum		fingerprint;

	if (search->generated == NULL)
		return heap_getattr(trigger_data->tg_trigtuple, search->fingerprint,
							RelationGetDescr(trigger_data->tg_relation), isnull);

	context = CreateStandaloneExprContext();
	context->ecxt_scantuple = trigger_data->tg_trigslot;
	fingerprint = ExecEvalExpr(ExecInitExpr((Expr *) search->generated->expr, NULL),
							   context, isnull);
	FreeExprContext(context, true);
	return fingerprint;
}

/* The id of the original of a fingerprint; false if there is none. */
static bool
find_original(Search *search, Datum fingerprint, Datum *id)
{
	bool		isnull = true;
	int			result;

	search->users++;
	PG_TRY();
	{
		result = SPI_execute_plan(search->plan, &fingerprint, NULL, false, 1);
	}
	PG_FINALLY();
	{
		search->users--;
	}
	PG_END_TRY();
	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not look for an original: %s",
			 SPI_result_code_string(result));
	if (SPI_processed > 0)
		*id = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull)
		*id = SPI_datumTransfer(*id, search->id_by_value, search->id_length);
	return !isnull;
}

Datum
simhash_record_original(PG_FUNCTION_ARGS)
{
	TriggerData *trigger_data = (TriggerData *) fcinfo->context;
	HeapTuple	row;
	TupleDesc	desc;
	Search	   *search;
	Datum		fingerprint;
	Datum		id;
	bool		isnull;
	bool		found;
	int			attno;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager",
						"simhash_record_original")));
	if (!TRIGGER_FIRED_BEFORE(trigger_data->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger_data->tg_event) ||
		!TRIGGER_FIRED_BY_INSERT(trigger_data->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" must be fired BEFORE INSERT FOR EACH ROW",
						"simhash_record_original")));
	row = trigger_data->tg_trigtuple;
	desc = RelationGetDescr(trigger_data->tg_relation);

	SPI_connect();
	search = get_search(trigger_data, own_schema(fcinfo->flinfo->fn_oid));
	attno = search->duplicate_of;

	/* what the row says itself, is so */
	heap_getattr(row, attno, desc, &isnull);
	if (isnull)
		fingerprint = new_fingerprint(search, trigger_data, &isnull);
	else
		isnull = true;
	if (isnull)
	{
		SPI_finish();
		return PointerGetDatum(row);
	}

	if (search->lock)
	{
		if (XactIsoLevel == XACT_REPEATABLE_READ)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("trigger \"%s\" cannot take its turn in a REPEATABLE READ transaction",
							trigger_data->tg_trigger->tgname),
					 errdetail("What the transactions before it have inserted is not in its snapshot."),
					 errhint("Use READ COMMITTED or SERIALIZABLE.")));
		LockDatabaseObject(TriggerRelationId, search->topmost, 0, ExclusiveLock);
	}
	found = find_original(search, fingerprint, &id);
	SPI_finish();
	if (found)
	{
		isnull = false;
		row = heap_modify_tuple_by_cols(row, desc, 1, &attno, &id, &isnull);
	}
	return PointerGetDatum(row);
}
