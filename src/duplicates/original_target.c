/*-------------------------------------------------------------------------
 *
 * original_target.c
 *		The arguments of the trigger simhash_record_original, and the columns that
 *		they name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "optimizer/optimizer.h"
#include "original_target.h"
#include "rewrite/rewriteHandler.h"
#include "simhash.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#define MIN_ARGUMENTS			3
#define MAX_ARGUMENTS			6
#define LOCK_OPTION				"lock"
#define EQUAL_OPTION			"equal="

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
						   largest)));
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
	int			option = MIN_ARGUMENTS;

	if (trigger->tgnargs < MIN_ARGUMENTS || trigger->tgnargs > MAX_ARGUMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of arguments in trigger \"%s\"", trigger->tgname),
				 errdetail("The number of arguments is %d. Function %s takes %d to %d.",
						   trigger->tgnargs, "simhash_record_original",
						   MIN_ARGUMENTS, MAX_ARGUMENTS),
				 errhint("The arguments are the columns of the fingerprint, of the original's id and of the id, and if wanted the distance and options: simhash_record_original('fp', 'duplicate_of', 'id', 5, 'lock').")));
	a.fingerprint = trigger->tgargs[0];
	a.duplicate_of = trigger->tgargs[1];
	a.id = trigger->tgargs[2];
	/* an option begins with a letter, so anything else is meant as the distance */
	if (trigger->tgnargs > option && !isalpha((unsigned char) trigger->tgargs[option][0]))
		a.distance = trigger->tgargs[option++];
	for (; option < trigger->tgnargs; option++)
		read_option(trigger, trigger->tgargs[option], &a);
	return a;
}

/* The column of this name.  Raises an error if there is none. */
Form_pg_attribute
target_column(Relation rel, Trigger *trigger, const char *name)
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
 * The operator "=" of the type of ids, or of a column that must be equal.  Raises an error if
 * there is none.
 */
Oid
target_equality(Oid type, bool is_id)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

	if (!OidIsValid(operator))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an equality operator for type %s",
						format_type_be(type)),
				 is_id ?
				 errhint("Ids must be of a type that has an order.") :
				 errhint("Columns that must be equal must be of a type that has an equality operator.")));
	return operator;
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
		Form_pg_attribute attribute = target_column(rel, trigger, lfirst(lc));

		if (list_member_int(attnos, attribute->attnum))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("trigger \"%s\" names column \"%s\" twice",
							trigger->tgname, NameStr(attribute->attname))));
		target_equality(attribute->atttypid, false);
		attnos = lappend_int(attnos, attribute->attnum);
		target->equal[target->nequal++] = new_column(rel, attribute);
	}
}

/* Check the trigger's arguments and return them, in the current memory context. */
Target *
target_of_trigger(TriggerData *trigger_data, Oid schema)
{
	Relation	rel = trigger_data->tg_relation;
	Trigger    *trigger = trigger_data->tg_trigger;
	Arguments	a = read_arguments(trigger);
	Form_pg_attribute fingerprint = target_column(rel, trigger, a.fingerprint);
	Form_pg_attribute duplicate_of = target_column(rel, trigger, a.duplicate_of);
	Form_pg_attribute id = target_column(rel, trigger, a.id);
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
