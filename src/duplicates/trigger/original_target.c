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
#include "parser/parse_oper.h"
#include "rewrite/rewriteHandler.h"
#include "server/compat.h"
#include "simhash.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#define MIN_ARGUMENTS			3
#define MAX_ARGUMENTS			9
#define ARGUMENTS_HINT \
	"The arguments are the column of the fingerprint, the column for the id of the original and the column of the id, optionally followed by options: simhash_record_original('fp', 'duplicate_of', 'id', 'within=5', 'lock')."

typedef enum Option
{
	WITHIN_OPTION, LOCK_OPTION, EQUAL_OPTION, CONFIRM_OPTION, TITLE_OPTION, NUMBERS_OPTION, N_OPTIONS
} Option;

static const char *const option_names[] = {"within=", "lock", "equal=", "confirm=", "title=", "numbers="};

pg_noreturn static void
refuse_argument(const Trigger *trigger, const char *argument, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid argument of trigger \"%s\": \"%s\"", trigger->tgname, argument),
			 errhint("%s", hint)));
}

/* Read the options, as whole arguments.  One that is left out is NULL. */
static void
read_options(Trigger *trigger, const char **options)
{
	if (trigger->tgnargs < MIN_ARGUMENTS || trigger->tgnargs > MAX_ARGUMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of arguments in trigger \"%s\"", trigger->tgname),
				 errhint(ARGUMENTS_HINT)));
	for (int i = MIN_ARGUMENTS; i < trigger->tgnargs; i++)
	{
		const char *s = trigger->tgargs[i];
		int			option = 0;

		while (option < N_OPTIONS &&
			   strncmp(s, option_names[option], strlen(option_names[option])) != 0)
			option++;
		if (option == N_OPTIONS || options[option] != NULL ||
			(option == LOCK_OPTION && strcmp(s, option_names[option]) != 0))
			refuse_argument(trigger, s, "The options are 'within=distance', 'lock', 'equal=column, ...', 'confirm=column, ...', 'title=column' and 'numbers=false', each at most once.");
		options[option] = s;
	}
	if (options[CONFIRM_OPTION] == NULL &&
		(options[TITLE_OPTION] != NULL || options[NUMBERS_OPTION] != NULL))
		refuse_argument(trigger, options[TITLE_OPTION] ? options[TITLE_OPTION] : options[NUMBERS_OPTION],
						"The option requires 'confirm=column, ...', the columns that contain the text.");
}

/* The value of an option that is not left out */
static const char *
value_of(const char *argument)
{
	return strchr(argument, '=') + 1;
}

/*
 * Read the option "within", the distance.  "bits" is the number of bits of the
 * fingerprints, or 0 if their type does not say it.
 */
static int32
read_distance(Trigger *trigger, const char **options, int32 bits)
{
	int32		largest = bits == 0 ? PG_INT32_MAX : bits;
	const char *s = options[WITHIN_OPTION];
	long		distance;

	if (s == NULL && bits == 0)
		refuse_argument(trigger, trigger->tgargs[0], "The type of the column has no length, so option 'within=distance' is required.");
	if (s == NULL)
		return options[CONFIRM_OPTION] != NULL ? candidate_distance(bits) : near_distance(bits);
	errno = 0;
	distance = strtol(value_of(s), NULL, 10);
	if (*value_of(s) == '\0' || value_of(s)[strspn(value_of(s), "0123456789")] != '\0' || errno != 0 ||
		distance > largest)
		refuse_argument(trigger, s, psprintf("The distance must be an integer from 0 to %d.", largest));
	return (int32) distance;
}

/* Read the option "numbers". */
static bool
read_numbers(Trigger *trigger, const char *s)
{
	bool		numbers = true;

	if (s != NULL && !parse_bool(value_of(s), &numbers))
		refuse_argument(trigger, s, "Write 'numbers=false' if a changed number, such as a version, does not make a different document.");
	return numbers;
}

/* Return the names of the columns (char *) of an option, at least one, or NIL without the option. */
static List *
read_columns(Trigger *trigger, const char *s, int most)
{
	List	   *columns = NIL;

	if (s != NULL &&
		(!SplitIdentifierString(pstrdup(value_of(s)), ',', &columns) || columns == NIL ||
		 list_length(columns) > most))
		refuse_argument(trigger, s, most == 1 ? "Write a column name as in SQL: 'title=\"Title\"'." :
						psprintf("Write up to %d column names as in SQL, separated by commas, such as: tenant, \"Language\".", most));
	return columns;
}

/* Return the column of this name.  Raises an error if there is none, or if it is named twice. */
static Form_pg_attribute
find_column(Relation rel, const Target *target, const char *name)
{
	int			attno = SPI_fnumber(RelationGetDescr(rel), name);
	bool		twice = attno == target->duplicate_of_attno;

	if (attno <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						name, RelationGetRelationName(rel)),
				 errdetail("Column \"%s\" is an argument of trigger \"%s\".",
						   name, target->trigger->tgname)));
	for (int i = 0; i < target->ncolumns; i++)
		twice |= attno == target->columns[i].attno;
	if (twice)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("trigger \"%s\" names column \"%s\" twice", target->trigger->tgname, name)));
	return TupleDescAttr(RelationGetDescr(rel), attno - 1);
}

/* Add a column.  If it is generated, prepare its expression in the current memory context. */
static Form_pg_attribute
add_column(Relation rel, Target *target, const char *name)
{
	Form_pg_attribute attribute = find_column(rel, target, name);
	TargetColumn *column = &target->columns[target->ncolumns++];

	column->name = name;
	column->attno = attribute->attnum;
	column->type = attribute->atttypid;
	column->base = getBaseType(attribute->atttypid);
	column->collation = attribute->attcollation;
	column->length = attribute->attlen;
	column->by_value = attribute->attbyval;
	if (attribute->attgenerated)
		column->generated =
			ExecInitExpr(expression_planner((Expr *) build_column_default(rel, attribute->attnum)),
						 NULL);
	return attribute;
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
 * Among a table and those that it inherits from, return the topmost ones that have the same
 * trigger.
 */
static List *
topmost_tables(Oid table, const Trigger *trigger)
{
	Relation	catalog = table_open(InheritsRelationId, AccessShareLock);
	List	   *found = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	check_stack_depth();
	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(table));
	scan = systable_beginscan(catalog, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = list_concat_unique_oid(found,
									   topmost_tables(((Form_pg_inherits) GETSTRUCT(tuple))->inhparent,
													  trigger));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	if (found == NIL && OidIsValid(same_trigger(table, trigger)))
		found = list_make1_oid(table);
	return found;
}

/*
 * Go up from a partition or a child table to the topmost parent that has the same
 * trigger.  So the chunks of TimescaleDB, which are child tables with triggers of their
 * own, are searched together.
 */
static void
climb_inheritance(Target *target)
{
	List	   *tables = topmost_tables(target->table, target->trigger);

	if (list_length(tables) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" inherits from several tables that have trigger \"%s\"",
						get_rel_name(target->table), target->trigger->tgname),
				 errdetail("Originals are searched for in one inheritance tree."),
				 errhint("Drop the trigger of the tables that are not to be searched.")));
	target->table = linitial_oid(tables);
	target->topmost = same_trigger(target->table, target->trigger);
}

pg_noreturn static void
refuse_type(Trigger *trigger, Form_pg_attribute column, const char *wanted, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" is of type %s, not %s", NameStr(column->attname),
					format_type_be(column->atttypid), wanted),
			 errdetail("Column \"%s\" is an argument of trigger \"%s\".",
					   NameStr(column->attname), trigger->tgname),
			 hint != NULL ? errhint("%s", hint) : 0));
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
		refuse_type(trigger, fingerprint, "simhash or bit", NULL);
	*bits = kind_bits_of_type(&kind, typmod);
	return kind;
}

/* Raise an error unless the types of the columns fit together. */
static void
check_column_types(Trigger *trigger, Form_pg_attribute duplicate_of, Form_pg_attribute id)
{
	const char *duplicate_of_name = NameStr(duplicate_of->attname);
	const char *id_name = NameStr(id->attname);

	if (duplicate_of->atttypid != id->atttypid ||
		duplicate_of->atttypmod != id->atttypmod)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("columns \"%s\" and \"%s\" must have the same type",
						duplicate_of_name, id_name),
				 errdetail("Column \"%s\" is of type %s. Column \"%s\" is of type %s.",
						   duplicate_of_name,
						   format_type_with_typemod(duplicate_of->atttypid, duplicate_of->atttypmod),
						   id_name, format_type_with_typemod(id->atttypid, id->atttypmod)),
				 errhint(ARGUMENTS_HINT)));
	if (duplicate_of->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not allow null values", duplicate_of_name),
				 errhint(ARGUMENTS_HINT)));
	if (duplicate_of->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
				 errmsg("column \"%s\" is a generated column", duplicate_of_name),
				 errhint(ARGUMENTS_HINT)));
}

/* Check the trigger's arguments and return them, in the current memory context. */
Target *
target_of_trigger(TriggerData *trigger_data, Oid schema)
{
	Relation	rel = trigger_data->tg_relation;
	Trigger    *trigger = trigger_data->tg_trigger;
	Target	   *target = palloc0(sizeof(Target));
	const char *options[N_OPTIONS] = {NULL};
	Form_pg_attribute fingerprint;
	Form_pg_attribute duplicate_of;
	List	   *equal;
	List	   *texts;
	ListCell   *lc;
	int32		bits;

	read_options(trigger, options);
	equal = read_columns(trigger, options[EQUAL_OPTION], MAX_COLUMNS);
	texts = list_concat(read_columns(trigger, options[TITLE_OPTION], 1),
						read_columns(trigger, options[CONFIRM_OPTION], MAX_COLUMNS));
	target->trigger = trigger;
	target->context = CreateStandaloneExprContext();
	target->lock = options[LOCK_OPTION] != NULL;
	target->has_title = options[TITLE_OPTION] != NULL;
	target->numbers = read_numbers(trigger, options[NUMBERS_OPTION]);
	target->topmost = trigger->tgoid;
	target->table = RelationGetRelid(rel);

	fingerprint = add_column(rel, target, trigger->tgargs[0]);
	duplicate_of = find_column(rel, target, trigger->tgargs[1]);
	target->kind = fingerprint_kind(trigger, fingerprint, schema, &bits);
	target->columns[FINGERPRINT].base = target->kind.type;
	target->distance = read_distance(trigger, options, bits);
	target->duplicate_of = trigger->tgargs[1];
	target->duplicate_of_attno = duplicate_of->attnum;
	check_column_types(trigger, duplicate_of, add_column(rel, target, trigger->tgargs[2]));
	if (fingerprint->attinhcount > 0)
		climb_inheritance(target);
	foreach(lc, equal)
		add_column(rel, target, lfirst(lc));
	target->nparameters = target->ncolumns;
	for (int i = ID; i < target->nparameters; i++)
		get_sort_group_operators(target->columns[i].type, i == ID, true, false, NULL,
								 &target->columns[i].equality, NULL, NULL);
	target->texts = &target->columns[target->ncolumns];
	target->ntexts = list_length(texts);
	foreach(lc, texts)
	{
		Form_pg_attribute column = add_column(rel, target, lfirst(lc));
		Oid			type = getBaseType(column->atttypid);

		if (type != TEXTOID && type != VARCHAROID && type != BPCHAROID)
			refuse_type(trigger, column, "text, varchar or char",
						"A generated column can cast another type to text.");
	}
	return target;
}
