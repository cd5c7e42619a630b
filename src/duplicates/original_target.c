/*-------------------------------------------------------------------------
 *
 * original_target.c
 *		The arguments of the trigger simhash_record_original, and the columns that
 *		they name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
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
#define MAX_ARGUMENTS			9
#define WITHIN_OPTION			"within="
#define LOCK_OPTION				"lock"
#define EQUAL_OPTION			"equal="
#define CONFIRM_OPTION			"confirm="
#define TITLE_OPTION			"title="
#define NUMBERS_OPTION			"numbers="
#define ARGUMENTS_HINT \
	"The arguments are the column of the fingerprint, the column for the id of the original and the column of the id, optionally followed by options: simhash_record_original('fp', 'duplicate_of', 'id', 'within=5', 'lock')."
#define DIGITS					"0123456789"

/*
 * Read the option "within", the distance.  "bits" is the number of bits of the
 * fingerprints, or 0 if their type does not say it.  The option may be left out.
 */
static int32
read_distance(Trigger *trigger, const Arguments *arguments, int32 bits)
{
	const char *s = arguments->within;
	int32		largest = bits == 0 ? PG_INT32_MAX : bits;
	long		distance;

	if (s == NULL && bits == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("distance is missing in trigger \"%s\"", trigger->tgname),
				 errdetail("Without option \"%s\", the type of the fingerprint column must have a length.",
						   "within")));
	if (s == NULL)
		return arguments->confirm != NIL ? candidate_distance(bits) : near_distance(bits);
	errno = 0;
	distance = strtol(s, NULL, 10);
	if (s[0] == '\0' || s[strspn(s, DIGITS)] != '\0' || errno != 0 || distance > largest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for option \"%s\" in trigger \"%s\": \"%s\"",
						"within", trigger->tgname, s),
				 errdetail("The distance must be an integer from 0 to %d.", largest)));
	return (int32) distance;
}

/* Raise an error unless the trigger has the option "confirm", which "option" needs. */
static void
require_confirm(Trigger *trigger, const List *confirm, const char *option, const char *example)
{
	if (confirm == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" requires option \"%s\" in trigger \"%s\"",
						option, "confirm", trigger->tgname),
				 errhint("Name the columns that contain the text, for example: %s.", example)));
}

/* Read the option "numbers".  s is NULL if the option is left out. */
static bool
read_numbers(Trigger *trigger, const char *s, const List *confirm)
{
	bool		numbers;

	if (s == NULL)
		return true;
	require_confirm(trigger, confirm, "numbers", "'confirm=title, body'");
	if (!parse_bool(s, &numbers))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for option \"%s\" in trigger \"%s\": \"%s\"",
						"numbers", trigger->tgname, s),
				 errhint("Write 'numbers=false' if a changed number, such as a version, does not make a different document.")));
	return numbers;
}

/* Read the list of columns of an option, whose name is "option". */
static List *
read_columns(Trigger *trigger, const char *list, const char *option, const char *example)
{
	List	   *columns;

	if (!SplitIdentifierString(pstrdup(list), ',', &columns) || columns == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid list of columns in trigger \"%s\": \"%s\"",
						trigger->tgname, list),
				 errhint("Write column names as in SQL, separated by commas: %s.", example)));
	if (list_length(columns) > MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("trigger \"%s\" names more than %d columns in option \"%s\"",
						trigger->tgname, MAX_COLUMNS, option)));
	return columns;
}

/* Read the column of the option "title". */
static char *
read_title(Trigger *trigger, const char *s)
{
	List	   *columns;

	if (!SplitIdentifierString(pstrdup(s), ',', &columns) || list_length(columns) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must name one column in trigger \"%s\": \"%s\"",
						"title", trigger->tgname, s),
				 errhint("Write the column name as in SQL: 'title=\"Title\"'. Option \"confirm\" names the columns that contain the text after the title.")));
	return linitial(columns);
}

/* Return the value of an option that begins with "name", or NULL if s is another option. */
static const char *
option_value(const char *s, const char *name)
{
	return strncmp(s, name, strlen(name)) == 0 ? s + strlen(name) : NULL;
}

static void
read_option(Trigger *trigger, const char *s, Arguments *a)
{
	const char *value;

	if ((value = option_value(s, WITHIN_OPTION)) != NULL && a->within == NULL)
		a->within = value;
	else if (strcmp(s, LOCK_OPTION) == 0 && !a->lock)
		a->lock = true;
	else if ((value = option_value(s, EQUAL_OPTION)) != NULL && a->equal == NIL)
		a->equal = read_columns(trigger, value, "equal", "'equal=tenant, \"Language\"'");
	else if ((value = option_value(s, CONFIRM_OPTION)) != NULL && a->confirm == NIL)
		a->confirm = read_columns(trigger, value, "confirm", "'confirm=\"Title\", body'");
	else if ((value = option_value(s, TITLE_OPTION)) != NULL && a->title == NULL)
		a->title = read_title(trigger, value);
	else if ((value = option_value(s, NUMBERS_OPTION)) != NULL && a->numbers == NULL)
		a->numbers = value;
	else if (s[0] != '\0' && s[strspn(s, DIGITS)] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("distance must be an option in trigger \"%s\": \"%s\"",
						trigger->tgname, s),
				 errhint("Write 'within=%s'.", s)));
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized or repeated option in trigger \"%s\": \"%s\"",
						trigger->tgname, s),
				 errhint("The options are 'within=distance', 'lock', 'equal=column, ...', 'confirm=column, ...', 'title=column' and 'numbers=false', each at most once.")));
}

static Arguments
read_arguments(Trigger *trigger)
{
	Arguments	a = {0};

	if (trigger->tgnargs < MIN_ARGUMENTS || trigger->tgnargs > MAX_ARGUMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of arguments in trigger \"%s\"", trigger->tgname),
				 errdetail("Function %s accepts %d to %d arguments, not %d.",
						   "simhash_record_original",
						   MIN_ARGUMENTS, MAX_ARGUMENTS, trigger->tgnargs),
				 errhint(ARGUMENTS_HINT)));
	a.fingerprint = trigger->tgargs[0];
	a.duplicate_of = trigger->tgargs[1];
	a.id = trigger->tgargs[2];
	for (int i = MIN_ARGUMENTS; i < trigger->tgnargs; i++)
		read_option(trigger, trigger->tgargs[i], &a);
	if (a.title != NULL)
	{
		require_confirm(trigger, a.confirm, "title", "'title=title', 'confirm=body'");
		a.confirm = lcons(a.title, a.confirm);
	}
	return a;
}

/* Return the column of this name.  Raises an error if there is none. */
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
 * The operator "=" of the type of ids, which can be sorted, or of a column that must be
 * equal.  Raises an error if there is none.
 */
Oid
target_equality(Oid type, bool is_id)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_CMP_PROC);

	if (is_id && !OidIsValid(entry->cmp_proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a comparison function for type %s",
						format_type_be(type)),
				 errhint("Ids must be of a type that can be sorted.")));
	if (!OidIsValid(entry->eq_opr))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an equality operator for type %s",
						format_type_be(type)),
				 errhint("Columns of option \"equal\" must be of a type that has an equality operator.")));
	return entry->eq_opr;
}

/* The tables from which a table inherits directly. */
static List *
parents_of(Oid table)
{
	Relation	catalog = table_open(InheritsRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *parents = NIL;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(table));
	scan = systable_beginscan(catalog, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		parents = lappend_oid(parents, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return parents;
}

/* Return the table's trigger that has the same function and arguments, or InvalidOid. */
static Oid
same_trigger(Oid table, const Trigger *trigger)
{
	Relation	rel = table_open(table, AccessShareLock);
	int			n = rel->trigdesc == NULL ? 0 : rel->trigdesc->numtriggers;
	Oid			found = InvalidOid;

	for (int i = 0; i < n; i++)
	{
		const Trigger *other = &rel->trigdesc->triggers[i];
		bool		same = other->tgfoid == trigger->tgfoid && other->tgnargs == trigger->tgnargs;

		for (int j = 0; same && j < trigger->tgnargs; j++)
			same = strcmp(other->tgargs[j], trigger->tgargs[j]) == 0;
		if (same)
			found = other->tgoid;
	}
	table_close(rel, NoLock);
	return found;
}

/*
 * Among the tables from which a table inherits and that have the same trigger, return the
 * topmost ones.
 */
static List *
topmost_tables(Oid table, const Trigger *trigger)
{
	List	   *found = NIL;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, parents_of(table))
	{
		List	   *above = topmost_tables(lfirst_oid(lc), trigger);

		if (above == NIL && OidIsValid(same_trigger(lfirst_oid(lc), trigger)))
			above = list_make1_oid(lfirst_oid(lc));
		found = list_concat_unique_oid(found, above);
	}
	return found;
}

/*
 * Go up from a partition or a child table to the topmost parent that has the same
 * trigger.  So the chunks of TimescaleDB, which are child tables with triggers of their
 * own, are searched together.
 */
static void
climb_inheritance(Target *target, const Trigger *trigger)
{
	List	   *tables = topmost_tables(target->table, trigger);

	if (tables == NIL)
		return;
	if (list_length(tables) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" inherits from several tables that have trigger \"%s\"",
						get_rel_name(target->table), trigger->tgname),
				 errdetail("Originals are searched for in one inheritance tree."),
				 errhint("Drop the trigger of the tables that are not to be searched.")));
	target->table = linitial_oid(tables);
	target->topmost = same_trigger(target->table, trigger);
}

/* Describe a column.  If it is generated, prepare its expression in the current memory context. */
static TargetColumn
new_column(Relation rel, Form_pg_attribute attribute)
{
	TargetColumn column;

	column.attno = attribute->attnum;
	column.type = attribute->atttypid;
	column.collation = attribute->attcollation;
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
 * The kind of the fingerprints.  *bits is their number of bits, or 0 if the type does not
 * say it.  Raises an error if the column has no fingerprints.
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
	*bits = kind_bits_of_type(&kind, typmod);
	return kind;
}

/* Raise an error unless the types of the columns fit together. */
static void
check_column_types(Trigger *trigger, Form_pg_attribute duplicate_of, Form_pg_attribute id)
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
	if (duplicate_of->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not allow null values", duplicate_of_name),
				 errdetail("Trigger \"%s\" stores the id of the original in the column, and NULL in an original.",
						   trigger->tgname),
				 errhint(ARGUMENTS_HINT)));
	if (duplicate_of->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
				 errmsg("column \"%s\" is a generated column", duplicate_of_name),
				 errdetail("Trigger \"%s\" stores values in the column.",
						   trigger->tgname)));
}

/*
 * Find the columns of an option, which are neither the first three arguments nor named
 * twice.  "check" raises an error unless a column is of a suitable type.  Returns their
 * number.
 */
static int
find_columns(Relation rel, Trigger *trigger, const Target *target, const List *names,
			 void (*check) (Trigger *, Form_pg_attribute), TargetColumn *columns)
{
	List	   *attnos = list_make3_int(target->fingerprint.attno, target->id.attno,
										target->duplicate_of);
	int			n = 0;
	ListCell   *lc;

	foreach(lc, names)
	{
		Form_pg_attribute attribute = target_column(rel, trigger, lfirst(lc));

		if (list_member_int(attnos, attribute->attnum))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("trigger \"%s\" names column \"%s\" twice",
							trigger->tgname, NameStr(attribute->attname))));
		check(trigger, attribute);
		attnos = lappend_int(attnos, attribute->attnum);
		columns[n++] = new_column(rel, attribute);
	}
	return n;
}

static void
check_equal_column(Trigger *trigger, Form_pg_attribute column)
{
	target_equality(column->atttypid, false);
}

static void
check_confirm_column(Trigger *trigger, Form_pg_attribute column)
{
	Oid			type = getBaseType(column->atttypid);

	if (type != TEXTOID && type != VARCHAROID && type != BPCHAROID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is of type %s, not %s, %s or %s",
						NameStr(column->attname), format_type_be(column->atttypid),
						"text", "varchar", "char"),
				 errdetail("Column \"%s\" is an argument of trigger \"%s\".",
						   NameStr(column->attname), trigger->tgname),
				 errhint("Use a column of one of these types, or of a domain over one of them. A generated column can cast another type to text.")));
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
	check_column_types(trigger, duplicate_of, id);
	target->arguments = a;
	target->distance = read_distance(trigger, &a, bits);
	target->numbers = read_numbers(trigger, a.numbers, a.confirm);
	target->topmost = trigger->tgoid;
	target->table = RelationGetRelid(rel);
	if (fingerprint->attinhcount > 0)
		climb_inheritance(target, trigger);
	target->fingerprint = new_column(rel, fingerprint);
	target->id = new_column(rel, id);
	target->duplicate_of = duplicate_of->attnum;
	target->nequal = find_columns(rel, trigger, target, a.equal, check_equal_column,
								  target->equal);
	target->nconfirm = find_columns(rel, trigger, target, a.confirm, check_confirm_column,
									target->confirm);
	return target;
}
