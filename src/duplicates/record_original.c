/*-------------------------------------------------------------------------
 *
 * record_original.c
 *		simhash_record_original(): a BEFORE INSERT trigger.  If a new row is a
 *		near-duplicate, the trigger keeps the row and records the id of its original.
 *
 *		simhash_record_original(fingerprint column, duplicate_of column,
 *								id column [, distance [, 'lock']])
 *
 * The original of a row is the row with the smallest id among the rows within
 * the distance that are not duplicates themselves.  The search leaves out a
 * row with the new row's id, because an upsert is about to replace that row.
 * The trigger searches by its own query, under a new snapshot.  So it sees
 * the rows that the same command has inserted before.  It does not see the
 * rows of concurrent transactions unless "lock" makes the transactions wait
 * for each other.
 *
 * A generated column has no value yet when BEFORE triggers run.  So the
 * trigger evaluates the column's expression.
 *
 * The trigger looks up its arguments and the table's columns once a
 * statement.  It keeps plans for the session.  All partitions of a table
 * share one plan, because the plan searches the whole table and its size
 * grows with their number.  The trigger makes a new plan when the server
 * declares the plan invalid.  The server does that when anything changes that
 * the plan depends on, and when the trigger is dropped.  So a call that makes
 * a plan first frees the invalid plans.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "planner/kind.h"
#include "rewrite/rewriteHandler.h"
#include "server/catalog.h"
#include "simhash.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(simhash_record_original);

#define MIN_ARGUMENTS			3
#define MAX_ARGUMENTS			5
#define LOCK_ARGUMENT			"lock"

/* The arguments of a trigger */
typedef struct Arguments
{
	const char *fingerprint;	/* columns */
	const char *duplicate_of;
	const char *id;
	const char *distance;		/* NULL if it is left out */
	bool		lock;
} Arguments;

/* A column of the new row */
typedef struct Column
{
	AttrNumber	attno;
	Oid			type;
	int16		length;
	bool		by_value;
	ExprState  *generated;		/* the expression of a generated column, or
								 * NULL */
} Column;

/* A trigger, for one statement */
typedef struct Target
{
	Arguments	arguments;
	Kind		kind;			/* of the fingerprint */
	int32		distance;
	Oid			topmost;		/* for a partition's trigger, the root's */
	Oid			table;			/* topmost trigger's */
	Column		fingerprint;
	Column		id;
	AttrNumber	duplicate_of;
} Target;

/* The plan of a topmost trigger, for the session */
typedef struct Search
{
	Oid			trigger;		/* hash key */
	SPIPlanPtr	plan;
	int			users;			/* calls that are executing the plan now */
} Search;

static HTAB *searches = NULL;

/* ----------
 * Arguments and columns
 * ----------
 */

/*
 * Read the argument "distance" of a trigger.  "bits" is the number of bits of the
 * fingerprints, or 0 if their type does not say it.  s is NULL if the argument is left out.
 */
static int32
read_distance(Trigger *trigger, const char *s, int32 bits)
{
	int32		largest = bits == 0 ? PG_INT32_MAX : bits;
	long		distance;

	if (s == NULL)
	{
		if (bits == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("distance is missing in trigger \"%s\"", trigger->tgname),
					 errdetail("The type of the fingerprints has no length, so there is no default distance.")));
		return near_distance(bits);
	}
	errno = 0;
	distance = strtol(s, NULL, 10);
	if (s[0] == '\0' || s[strspn(s, "0123456789")] != '\0' ||
		errno != 0 || distance > largest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid distance in trigger \"%s\": \"%s\"",
						trigger->tgname, s),
				 errdetail("The distance must be an integer from 0 to %d.",
						   largest),
				 strcmp(s, LOCK_ARGUMENT) == 0 ?
				 errhint("\"%s\" is the fifth argument, after the distance.",
						 LOCK_ARGUMENT) : 0));
	return (int32) distance;
}

static void
require_lock_argument(Trigger *trigger, const char *s)
{
	if (strcmp(s, LOCK_ARGUMENT) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized option in trigger \"%s\": \"%s\"",
						trigger->tgname, s),
				 errhint("The only option is \"%s\".", LOCK_ARGUMENT)));
}

static Arguments
read_arguments(Trigger *trigger)
{
	Arguments	a = {0};

	if (trigger->tgnargs < MIN_ARGUMENTS || trigger->tgnargs > MAX_ARGUMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of arguments in trigger \"%s\"", trigger->tgname),
				 errdetail("The number of arguments is %d. Function %s takes %d to %d.",
						   trigger->tgnargs, "simhash_record_original",
						   MIN_ARGUMENTS, MAX_ARGUMENTS),
				 errhint("The arguments are the columns of the fingerprint, of the original's id and of the id, the distance, and 'lock': simhash_record_original('fp', 'duplicate_of', 'id', 3).")));
	a.fingerprint = trigger->tgargs[0];
	a.duplicate_of = trigger->tgargs[1];
	a.id = trigger->tgargs[2];
	if (trigger->tgnargs > 3)
		a.distance = trigger->tgargs[3];
	if (trigger->tgnargs > 4)
	{
		require_lock_argument(trigger, trigger->tgargs[4]);
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
				 errdetail("Column \"%s\" is an argument of trigger \"%s\".",
						   name, trigger->tgname)));
	return TupleDescAttr(RelationGetDescr(rel), attno - 1);
}

/*
 * The condition that a column is null, or not null, in the form of an index's
 * predicate
 */
static Expr *
null_test(Form_pg_attribute column, NullTestType type)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = (Expr *) makeVar(1, column->attnum, column->atttypid,
								 column->atttypmod, column->attcollation, 0);
	test->nulltesttype = type;
	test->argisrow = type_is_rowtype(column->atttypid);
	test->location = -1;
	return (Expr *) test;
}

/*
 * Is there an index that serves the search?  The predicate must follow from the
 * search's conditions.  The fingerprint must be the first column, because a search
 * by a later column would read most of the index.
 */
static bool
has_index(Relation rel, Form_pg_attribute fingerprint,
		  Form_pg_attribute duplicate_of, Oid within_operator)
{
	List	   *searched = list_make2(null_test(fingerprint, IS_NOT_NULL),
									  null_test(duplicate_of, IS_NULL));
	List	   *indexes = RelationGetIndexList(rel);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (index->rd_index->indisvalid &&
			index->rd_index->indkey.values[0] == fingerprint->attnum &&
			op_in_opfamily(within_operator, index->rd_opfamily[0]) &&
			predicate_implied_by(RelationGetIndexPredicate(index), searched, false))
			found = true;
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

/*
 * The topmost trigger: the trigger that the partitions' triggers are copies of, or
 * the trigger itself.  *table is its table.
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

/* The expression of a generated column, allocated in the current memory context */
static Column
new_column(Relation rel, Form_pg_attribute attribute)
{
	Column		column;

	column.attno = attribute->attnum;
	column.type = attribute->atttypid;
	column.length = attribute->attlen;
	column.by_value = attribute->attbyval;
	column.generated = NULL;
	if (attribute->attgenerated)
		column.generated =
			ExecInitExpr(expression_planner((Expr *) build_column_default(rel, attribute->attnum)),
						 NULL);
	return column;
}

/*
 * The kind of the fingerprints.  *bits is their number of bits, or 0 if the type does not say
 * it.  Raises an error if the column has no fingerprints.
 */
static Kind
fingerprint_kind(Trigger *trigger, Form_pg_attribute fingerprint, Oid schema, int32 *bits)
{
	int32		typmod = fingerprint->atttypmod;
	Oid			type = getBaseTypeAndTypmod(fingerprint->atttypid, &typmod);
	Kind		kind;

	/* the functions of bit accept bit varying, whose lengths vary */
	if (type == VARBITOID)
	{
		type = BITOID;
		typmod = -1;
	}
	if (!find_kind(schema, type, &kind) || type != kind.type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is of type %s, not %s or %s",
						NameStr(fingerprint->attname),
						format_type_be(fingerprint->atttypid), "simhash", "bit"),
				 errdetail("Column \"%s\" is an argument of trigger \"%s\".",
						   NameStr(fingerprint->attname), trigger->tgname)));
	*bits = kind.traits->bits_of_typmod(typmod);
	return kind;
}

/* Raise an error unless the types of the columns fit together */
static void
check_columns(Trigger *trigger, Form_pg_attribute duplicate_of, Form_pg_attribute id)
{
	const char *duplicate_of_name = NameStr(duplicate_of->attname);
	const char *id_name = NameStr(id->attname);

	if (duplicate_of->attnum == id->attnum)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("trigger \"%s\" names column \"%s\" twice",
						trigger->tgname, id_name)));
	if (duplicate_of->atttypid != id->atttypid ||
		duplicate_of->atttypmod != id->atttypmod)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("columns \"%s\" and \"%s\" must have the same type",
						duplicate_of_name, id_name),
				 errdetail("Column \"%s\" is of type %s. Column \"%s\" is of type %s. Trigger \"%s\" stores values of column \"%s\" in column \"%s\".",
						   duplicate_of_name,
						   format_type_with_typemod(duplicate_of->atttypid, duplicate_of->atttypmod),
						   id_name, format_type_with_typemod(id->atttypid, id->atttypmod),
						   trigger->tgname, id_name, duplicate_of_name)));
	if (duplicate_of->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
				 errmsg("column \"%s\" is a generated column", duplicate_of_name),
				 errdetail("Trigger \"%s\" stores values in the column.",
						   trigger->tgname)));
}

/* Check the trigger's arguments and return them, in the current memory context */
static Target *
make_target(TriggerData *trigger_data, Oid schema)
{
	Relation	rel = trigger_data->tg_relation;
	Trigger    *trigger = trigger_data->tg_trigger;
	Arguments	a = read_arguments(trigger);
	Form_pg_attribute fingerprint = column(rel, trigger, a.fingerprint);
	Form_pg_attribute duplicate_of = column(rel, trigger, a.duplicate_of);
	Form_pg_attribute id = column(rel, trigger, a.id);
	Target	   *target = palloc0(sizeof(Target));
	int32		bits;

	target->kind = fingerprint_kind(trigger, fingerprint, schema, &bits);
	check_columns(trigger, duplicate_of, id);
	target->arguments = a;
	target->distance = read_distance(trigger, a.distance, bits);
	target->topmost = trigger->tgoid;
	target->table = RelationGetRelid(rel);
	if (rel->rd_rel->relispartition)
		target->topmost = topmost_trigger(trigger->tgoid, &target->table);
	target->fingerprint = new_column(rel, fingerprint);
	target->id = new_column(rel, id);
	target->duplicate_of = duplicate_of->attnum;
	return target;
}

/* ----------
 * The query
 * ----------
 */

/*
 * PostgreSQL plans a subquery with OFFSET separately.  So the planner cannot
 * expect to find the smallest id soon in an index of ids.
 */
static char *
search_query(const Target *target, Relation table)
{
	const Arguments *a = &target->arguments;
	const char *id = quote_identifier(a->id);
	TypeCacheEntry *type = lookup_type_cache(target->id.type, TYPECACHE_EQ_OPR);
	StringInfoData query;

	if (!OidIsValid(type->eq_opr))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an equality operator for type %s",
						format_type_be(target->id.type)),
				 errhint("Ids must be of a type that has an order.")));
	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s FROM (SELECT %s FROM %s t WHERE %s.%s(t.%s, $1, %d)",
					 id, id,
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
												RelationGetRelationName(table)),
					 quote_identifier(get_namespace_name(target->kind.schema)),
					 target->kind.traits->within, quote_identifier(a->fingerprint),
					 target->distance);
	appendStringInfo(&query, " AND t.%s IS NULL AND (",
					 quote_identifier(a->duplicate_of));
	generate_operator_clause(&query, psprintf("t.%s", id), target->id.type,
							 type->eq_opr, "$2", target->id.type);
	appendStringInfoString(&query, ") IS NOT TRUE OFFSET 0) s ORDER BY 1 LIMIT 1");
	return query.data;
}

/* A plan that lives until SPI is disconnected, unless it is kept */
static SPIPlanPtr
make_plan(const Target *target, Trigger *trigger)
{
	const Arguments *a = &target->arguments;
	Relation	table = table_open(target->table, AccessShareLock);
	const Kind *kind = &target->kind;
	Oid			within = own_operator(kind->schema, "<@", kind->type, kind->ball);
	Oid			parameters[2];
	SPIPlanPtr	plan;

	if (!has_index(table, column(table, trigger, a->fingerprint),
				   column(table, trigger, a->duplicate_of), within))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of table \"%s\" has no suitable index",
						a->fingerprint, RelationGetRelationName(table)),
				 errdetail("Trigger \"%s\" needs a valid index that begins with the column and contains all originals.",
						   trigger->tgname),
				 errhint("Create an index, for example: CREATE INDEX ON %s USING bitblock (%s) WHERE %s IS NULL;",
						 quote_identifier(RelationGetRelationName(table)),
						 quote_identifier(a->fingerprint),
						 quote_identifier(a->duplicate_of))));

	/* generic, because no value could make a custom plan better */
	parameters[0] = kind->type;
	parameters[1] = target->id.type;
	plan = SPI_prepare_cursor(search_query(target, table), 2, parameters,
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query of trigger \"%s\": %s",
			 trigger->tgname, SPI_result_code_string(SPI_result));
	table_close(table, AccessShareLock);
	return plan;
}

/* Free the plans that are invalid and that no call is executing. */
static void
free_invalid_searches(void)
{
	HASH_SEQ_STATUS status;
	Search	   *search;

	hash_seq_init(&status, searches);
	while ((search = hash_seq_search(&status)) != NULL)
		if (search->users == 0 && !SPI_plan_is_valid(search->plan))
		{
			SPI_freeplan(search->plan);
			hash_search(searches, &search->trigger, HASH_REMOVE, NULL);
		}
}

/*
 * The search for a trigger's originals; SPI is connected.  The next call may free
 * the search unless a call is executing it.  If a plan in use is invalid, the
 * server makes it valid again itself.
 */
static Search *
get_search(const Target *target, Trigger *trigger)
{
	Search	   *search;

	if (searches == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(Search);
		searches = hash_create("simhash_record_original", 16, &control,
							   HASH_ELEM | HASH_BLOBS);
	}
	search = hash_search(searches, &target->topmost, HASH_FIND, NULL);
	if (search == NULL ||
		(search->users == 0 && !SPI_plan_is_valid(search->plan)))
	{
		SPIPlanPtr	plan = make_plan(target, trigger);
		bool		found;

		free_invalid_searches();
		search = hash_search(searches, &target->topmost, HASH_ENTER, &found);

		/* a function in an index's predicate might have made the entry */
		if (!found)
		{
			SPI_keepplan(plan);
			search->plan = plan;
			search->users = 0;
		}
	}
	return search;
}

/* ----------
 * The trigger
 * ----------
 */

/* A value of the new row, computed if the column is generated */
static NullableDatum
new_value(const Column *column, TriggerData *trigger_data)
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

/*
 * The id of the original of a new row; NULL if there is none.  InvalidSnapshot
 * stands for the snapshot that the transaction's next command would take.
 */
static NullableDatum
find_original(const Target *target, Search *search, Datum fingerprint,
			  NullableDatum own_id, Snapshot snapshot)
{
	NullableDatum original = {0, true};
	Datum		values[2];
	char		nulls[2];
	int			result;

	values[0] = fingerprint;
	nulls[0] = ' ';
	values[1] = own_id.value;
	nulls[1] = own_id.isnull ? 'n' : ' ';
	search->users++;
	PG_TRY();
	{
		result = SPI_execute_snapshot(search->plan, values, nulls, snapshot,
									  InvalidSnapshot, false, true, 1);
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
		original.value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
									   1, &original.isnull);
	if (!original.isnull)
		original.value = SPI_datumTransfer(original.value, target->id.by_value,
										   target->id.length);
	return original;
}

static bool
is_same_id(const Column *id, NullableDatum a, NullableDatum b)
{
	if (a.isnull || b.isnull)
		return a.isnull && b.isnull;
	return datumIsEqual(a.value, b.value, id->by_value, id->length);
}

/*
 * The same, while no other transaction can insert an original.  A transaction
 * that has one snapshot for all of its commands may have taken the snapshot
 * before other transactions inserted originals.  So the search under that
 * snapshot must find the same original as a search under a new snapshot.
 */
static NullableDatum
find_original_in_turn(const Target *target, Search *search, Datum fingerprint,
					  NullableDatum own_id)
{
	NullableDatum original = find_original(target, search, fingerprint, own_id,
										   InvalidSnapshot);

	if (IsolationUsesXactSnapshot() &&
		!is_same_id(&target->id, original,
					find_original(target, search, fingerprint, own_id,
								  GetLatestSnapshot())))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent changes of originals"),
				 errdetail("The original of a new row is not the same as in the transaction's snapshot."),
				 errhint("The transaction might succeed if retried.")));
	return original;
}

/*
 * Look for the original by a search of the session, in turn if the trigger has the argument
 * "lock".
 */
static NullableDatum
search_original(const Target *target, Trigger *trigger, Datum fingerprint,
				NullableDatum own_id)
{
	NullableDatum original;
	Search	   *search;

	if (target->arguments.lock)
		LockDatabaseObject(TriggerRelationId, target->topmost, 0, ExclusiveLock);
	SPI_connect();
	search = get_search(target, trigger);
	original = target->arguments.lock ?
		find_original_in_turn(target, search, fingerprint, own_id) :
		find_original(target, search, fingerprint, own_id, InvalidSnapshot);
	SPI_finish();
	return original;
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

		function->fn_extra = make_target(trigger_data, own_schema(function->fn_oid));
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
	original = search_original(target, trigger_data->tg_trigger, fingerprint.value,
							   new_value(&target->id, trigger_data));
	if (!original.isnull)
	{
		int			attno = target->duplicate_of;

		row = heap_modify_tuple_by_cols(row, desc, 1, &attno, &original.value,
										&original.isnull);
	}
	return PointerGetDatum(row);
}
