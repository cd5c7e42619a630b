/*-------------------------------------------------------------------------
 *
 * record_original.c
 *		simhash_record_original(): a BEFORE INSERT trigger.  If a new row is a
 *		near-duplicate, the trigger keeps the row and records the id of its original.
 *
 *		simhash_record_original(fingerprint column, duplicate_of column,
 *								id column [, distance [, option ...]])
 *
 * The options are 'lock' and 'equal=column, ...', in any order.
 *
 * The original of a row is the row with the smallest id among the rows within
 * the distance that are not duplicates themselves.  The search leaves out a
 * row with the new row's id, because an upsert is about to replace that row.
 * With "equal", the original has the same values in these columns as the row.
 * NULL equals NULL here.
 *
 * The trigger searches by its own query, under a new snapshot.  So it sees
 * the rows that the same command has inserted before.  It does not see the
 * rows of concurrent transactions unless "lock" makes the transactions wait
 * for each other.
 *
 * A generated column has no value yet when BEFORE triggers run.  So the
 * trigger evaluates the column's expression.
 *
 * The trigger looks up its arguments and the table's columns once a
 * statement.  It keeps plans for the session: one for each set of columns of
 * "equal" that were NULL together, because only "column IS NULL" and
 * "column = value" can be conditions of an index.  All partitions of a table
 * share these plans, because a plan searches the whole table and its size
 * grows with their number.  The trigger makes a new plan when the server
 * declares the plan invalid.  The server does that when anything changes that
 * the plan depends on, and when the trigger is dropped.  So a call that makes
 * a plan first frees the invalid plans.  The trigger also makes a new plan
 * after the table has doubled its size, because in a nearly empty table
 * another index of the table may look as good as that of the fingerprints.
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
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

PG_FUNCTION_INFO_V1(simhash_record_original);

#define MIN_ARGUMENTS			3
#define MAX_ARGUMENTS			6
#define LOCK_OPTION				"lock"
#define EQUAL_OPTION			"equal="

/* The largest number of columns of "equal", each of which is a bit of SearchKey.nulls */
#define MAX_EQUAL				31

/* A table of so few pages needs no new plan when it has doubled its size */
#define MIN_GROWTH				4

/* The arguments of a trigger */
typedef struct Arguments
{
	const char *fingerprint;	/* columns */
	const char *duplicate_of;
	const char *id;
	const char *distance;		/* NULL if it is left out */
	bool		lock;
	List	   *equal;			/* columns (char *) */
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
	int			nequal;
	Column		equal[MAX_EQUAL];
} Target;

/* What the search for a new row depends on */
typedef struct NewRow
{
	Datum		fingerprint;
	NullableDatum id;
	NullableDatum equal[MAX_EQUAL];
} NewRow;

typedef struct SearchKey
{
	Oid			trigger;		/* topmost */
	uint32		nulls;			/* bits: the columns of "equal" that are NULL */
} SearchKey;

/* A plan of a topmost trigger, for the session */
typedef struct Search
{
	SearchKey	key;
	SPIPlanPtr	plan;
	BlockNumber pages;			/* of the table when the plan was made */
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
				 strcmp(s, LOCK_OPTION) == 0 ||
				 strncmp(s, EQUAL_OPTION, strlen(EQUAL_OPTION)) == 0 ?
				 errhint("Options stand after the distance.") : 0));
	return (int32) distance;
}

/* Read the list of columns of the option "equal" */
static List *
read_columns(Trigger *trigger, const char *list)
{
	List	   *columns;

	if (!SplitIdentifierString(pstrdup(list), ',', &columns) || columns == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid list of columns in trigger \"%s\": \"%s\"",
						trigger->tgname, list),
				 errhint("Write columns as in SQL, separated by commas: 'equal=tenant, \"Language\"'.")));
	return columns;
}

static void
read_option(Trigger *trigger, const char *s, Arguments *a)
{
	if (strcmp(s, LOCK_OPTION) == 0 && !a->lock)
		a->lock = true;
	else if (strncmp(s, EQUAL_OPTION, strlen(EQUAL_OPTION)) == 0 && a->equal == NIL)
		a->equal = read_columns(trigger, s + strlen(EQUAL_OPTION));
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized or repeated option in trigger \"%s\": \"%s\"",
						trigger->tgname, s),
				 errhint("The options are 'lock' and 'equal=column, ...', each at most once.")));
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
				 errhint("The arguments are the columns of the fingerprint, of the original's id and of the id, the distance, and options: simhash_record_original('fp', 'duplicate_of', 'id', 3).")));
	a.fingerprint = trigger->tgargs[0];
	a.duplicate_of = trigger->tgargs[1];
	a.id = trigger->tgargs[2];
	if (trigger->tgnargs > 3)
		a.distance = trigger->tgargs[3];
	for (int i = 4; i < trigger->tgnargs; i++)
		read_option(trigger, trigger->tgargs[i], &a);
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

/* The operator "=" of a type.  Raises an error if there is none. */
static Oid
equality(Oid type, const char *hint)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

	if (!OidIsValid(operator))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an equality operator for type %s",
						format_type_be(type)),
				 errhint("%s", hint)));
	return operator;
}

static Oid
equality_of_column(Oid type)
{
	return equality(type, "Columns that must be equal must be of a type that has an equality operator.");
}

/* Can an index column find equal values of a column of the option "equal"? */
static bool
finds_equal(Relation rel, Relation index, int index_column, const List *equal)
{
	ListCell   *lc;

	foreach(lc, equal)
	{
		int			attno = SPI_fnumber(RelationGetDescr(rel), lfirst(lc));
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(rel), attno - 1);

		if (attno == index->rd_index->indkey.values[index_column])
			return index->rd_indcollation[index_column] == attribute->attcollation &&
				op_in_opfamily(equality_of_column(attribute->atttypid),
							   index->rd_opfamily[index_column]);
	}
	return false;
}

/*
 * Is there an index that serves the search?  "searched" has the search's conditions, from
 * which the predicate must follow.  The columns before the fingerprint must be among those
 * that must be equal, because any other search by a later column would read most of the index.
 */
static bool
has_index(Relation rel, Form_pg_attribute fingerprint, Oid within_operator,
		  const List *equal, List *searched)
{
	List	   *indexes = RelationGetIndexList(rel);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		int			nkeys = IndexRelationGetNumberOfKeyAttributes(index);
		int			i = 0;

		while (i < nkeys && index->rd_index->indkey.values[i] != fingerprint->attnum &&
			   finds_equal(rel, index, i, equal))
			i++;
		if (index->rd_index->indisvalid && i < nkeys &&
			index->rd_index->indkey.values[i] == fingerprint->attnum &&
			op_in_opfamily(within_operator, index->rd_opfamily[i]) &&
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

/* Find the columns of the option "equal" */
static void
find_equal_columns(Relation rel, Trigger *trigger, Target *target)
{
	const Arguments *a = &target->arguments;
	List	   *attnos = list_make3_int(target->fingerprint.attno, target->id.attno,
										target->duplicate_of);
	ListCell   *lc;

	if (list_length(a->equal) > MAX_EQUAL)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("trigger \"%s\" names more than %d columns that must be equal",
						trigger->tgname, MAX_EQUAL)));
	foreach(lc, a->equal)
	{
		Form_pg_attribute attribute = column(rel, trigger, lfirst(lc));

		if (list_member_int(attnos, attribute->attnum))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("trigger \"%s\" names column \"%s\" twice",
							trigger->tgname, NameStr(attribute->attname))));
		equality_of_column(attribute->atttypid);
		attnos = lappend_int(attnos, attribute->attnum);
		target->equal[target->nequal++] = new_column(rel, attribute);
	}
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
	find_equal_columns(rel, trigger, target);
	return target;
}

/* ----------
 * The query
 * ----------
 */

/*
 * Append " AND (column = $n)", with PostgreSQL's "=" for the column's type.  The parameter is of
 * the base type (see make_plan).  PostgreSQL casts no domain to anyenum or anyarray, so a column
 * that is of a domain is cast to its base type first.
 */
static void
append_equality(StringInfo query, const char *name, Oid type, Oid operator, int parameter)
{
	Oid			base = getBaseType(type);
	char	   *operand = psprintf("t.%s", quote_identifier(name));

	if (base != type)
		operand = psprintf("%s::%s", operand,
						   format_type_extended(base, -1,
												FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	appendStringInfoString(query, " AND (");
	generate_operator_clause(query, operand, base, operator, psprintf("$%d", parameter), base);
	appendStringInfoChar(query, ')');
}

/*
 * The search for a new row whose columns of the option "equal" are NULL as "nulls" says.
 *
 * PostgreSQL plans a subquery with OFFSET separately.  So the planner cannot
 * expect to find the smallest id soon in an index of ids.
 */
static char *
search_query(const Target *target, Relation table, uint32 nulls)
{
	const Arguments *a = &target->arguments;
	const char *id = quote_identifier(a->id);
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s FROM (SELECT %s FROM %s t WHERE %s.%s(t.%s, $1, %d)",
					 id, id,
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
												RelationGetRelationName(table)),
					 quote_identifier(get_namespace_name(target->kind.schema)),
					 target->kind.traits->within, quote_identifier(a->fingerprint),
					 target->distance);
	appendStringInfo(&query, " AND t.%s IS NULL",
					 quote_identifier(a->duplicate_of));
	append_equality(&query, a->id, target->id.type,
					equality(target->id.type, "Ids must be of a type that has an order."), 2);
	appendStringInfoString(&query, " IS NOT TRUE");
	for (int i = 0; i < target->nequal; i++)
	{
		const char *name = list_nth(a->equal, i);
		Oid			type = target->equal[i].type;

		if (nulls & ((uint32) 1 << i))
			appendStringInfo(&query, " AND t.%s IS NULL", quote_identifier(name));
		else
			append_equality(&query, name, type, equality_of_column(type), 3 + i);
	}
	appendStringInfoString(&query, " OFFSET 0) s ORDER BY 1 LIMIT 1");
	return query.data;
}

/* Raise an error unless the table has an index for the search. */
static void
require_index(const Target *target, Trigger *trigger, Relation table, uint32 nulls)
{
	const Arguments *a = &target->arguments;
	const Kind *kind = &target->kind;
	Form_pg_attribute fingerprint = column(table, trigger, a->fingerprint);
	List	   *searched = list_make2(null_test(fingerprint, IS_NOT_NULL),
									  null_test(column(table, trigger, a->duplicate_of), IS_NULL));
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < target->nequal; i++)
	{
		const char *name = list_nth(a->equal, i);

		searched = lappend(searched,
						   null_test(column(table, trigger, name),
									 nulls & ((uint32) 1 << i) ? IS_NULL : IS_NOT_NULL));
		appendStringInfo(&columns, "%s, ", quote_identifier(name));
	}
	if (has_index(table, fingerprint, own_operator(kind->schema, "<@", kind->type, kind->ball),
				  a->equal, searched))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of table \"%s\" has no suitable index",
					a->fingerprint, RelationGetRelationName(table)),
			 errdetail(a->equal == NIL ?
					   "Trigger \"%s\" needs a valid index that begins with the column and contains all originals." :
					   "Trigger \"%s\" needs a valid index that contains all originals. Only columns that must be equal may stand before the column.",
					   trigger->tgname),
			 errhint("Create an index, for example: CREATE INDEX ON %s USING bitblock (%s%s) WHERE %s IS NULL;",
					 quote_identifier(RelationGetRelationName(table)), columns.data,
					 quote_identifier(a->fingerprint),
					 quote_identifier(a->duplicate_of))));
}

/* A plan that lives until SPI is disconnected, unless it is kept */
static SPIPlanPtr
make_plan(const Target *target, Trigger *trigger, uint32 nulls)
{
	Relation	table = table_open(target->table, AccessShareLock);
	Oid			parameters[2 + MAX_EQUAL];
	SPIPlanPtr	plan;

	require_index(target, trigger, table, nulls);

	/*
	 * The parameters are not of domains, because a domain may have another
	 * collation than the column.
	 */
	parameters[0] = target->kind.type;
	parameters[1] = getBaseType(target->id.type);
	for (int i = 0; i < target->nequal; i++)
		parameters[2 + i] = getBaseType(target->equal[i].type);

	/* generic, because a plan for each row would take longer than the search */
	plan = SPI_prepare_cursor(search_query(target, table, nulls), 2 + target->nequal,
							  parameters, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query of trigger \"%s\": %s",
			 trigger->tgname, SPI_result_code_string(SPI_result));
	table_close(table, AccessShareLock);
	return plan;
}

/* The size of a new row's table, or partition */
static BlockNumber
table_pages(Relation table)
{
	return RELKIND_HAS_STORAGE(table->rd_rel->relkind) ? RelationGetNumberOfBlocks(table) : 0;
}

/* Should the next search have another plan, which takes the place of this one? */
static bool
is_outdated(const Search *search, BlockNumber pages)
{
	return search->users == 0 &&
		(!SPI_plan_is_valid(search->plan) || pages / 2 > search->pages + MIN_GROWTH);
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
			hash_search(searches, &search->key, HASH_REMOVE, NULL);
		}
}

/* The columns of the option "equal" that are NULL in the new row, as bits */
static uint32
null_columns(const Target *target, const NewRow *row)
{
	uint32		nulls = 0;

	for (int i = 0; i < target->nequal; i++)
		if (row->equal[i].isnull)
			nulls |= (uint32) 1 << i;
	return nulls;
}

/*
 * The search for the original of a new row; SPI is connected.  The next call may free
 * the search unless a call is executing it.  If a plan in use is invalid, the
 * server makes it valid again itself.
 */
static Search *
get_search(const Target *target, TriggerData *trigger_data, const NewRow *row)
{
	SearchKey	key = {target->topmost, null_columns(target, row)};
	BlockNumber pages = table_pages(trigger_data->tg_relation);
	Search	   *search;

	if (searches == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(SearchKey);
		control.entrysize = sizeof(Search);
		searches = hash_create("simhash_record_original", 16, &control,
							   HASH_ELEM | HASH_BLOBS);
	}
	search = hash_search(searches, &key, HASH_FIND, NULL);
	if (search != NULL && is_outdated(search, pages))
	{
		SPI_freeplan(search->plan);
		hash_search(searches, &key, HASH_REMOVE, NULL);
		search = NULL;
	}
	if (search == NULL)
	{
		SPIPlanPtr	plan = make_plan(target, trigger_data->tg_trigger, key.nulls);
		bool		found;

		free_invalid_searches();
		search = hash_search(searches, &key, HASH_ENTER, &found);

		/* a function in an index's predicate might have made the entry */
		if (!found)
		{
			SPI_keepplan(plan);
			search->plan = plan;
			search->pages = pages;
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
find_original(const Target *target, Search *search, const NewRow *row, Snapshot snapshot)
{
	NullableDatum original = {0, true};
	Datum		values[2 + MAX_EQUAL];
	char		nulls[2 + MAX_EQUAL];
	int			result;

	values[0] = row->fingerprint;
	nulls[0] = ' ';
	values[1] = row->id.value;
	nulls[1] = row->id.isnull ? 'n' : ' ';
	for (int i = 0; i < target->nequal; i++)
	{
		values[2 + i] = row->equal[i].value;
		nulls[2 + i] = row->equal[i].isnull ? 'n' : ' ';
	}
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
find_original_in_turn(const Target *target, Search *search, const NewRow *row)
{
	NullableDatum original = find_original(target, search, row, InvalidSnapshot);

	if (IsolationUsesXactSnapshot() &&
		!is_same_id(&target->id, original,
					find_original(target, search, row, GetLatestSnapshot())))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent changes of originals"),
				 errdetail("The original of a new row is not the same as in the transaction's snapshot."),
				 errhint("The transaction might succeed if retried.")));
	return original;
}

/*
 * Look for the original by a search of the session, in turn if the trigger has the option
 * "lock".
 */
static NullableDatum
search_original(const Target *target, TriggerData *trigger_data, const NewRow *row)
{
	NullableDatum original;
	Search	   *search;

	if (target->arguments.lock)
		LockDatabaseObject(TriggerRelationId, target->topmost, 0, ExclusiveLock);
	SPI_connect();
	search = get_search(target, trigger_data, row);
	original = target->arguments.lock ?
		find_original_in_turn(target, search, row) :
		find_original(target, search, row, InvalidSnapshot);
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
	original = search_original(target, trigger_data, &new_row);
	if (!original.isnull)
	{
		int			attno = target->duplicate_of;

		row = heap_modify_tuple_by_cols(row, desc, 1, &attno, &original.value,
										&original.isnull);
	}
	return PointerGetDatum(row);
}
