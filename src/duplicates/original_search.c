/*-------------------------------------------------------------------------
 *
 * original_search.c
 *		The search for the original of a new row: a query by an index, its plans, and
 *		the lock and the snapshots under which it runs.
 *
 * record_original.c says which row is the original.
 *
 * Plans live for the session: one for each set of columns of "equal" that
 * were NULL together, because only "column IS NULL" and "column = value" can
 * be conditions of an index.  All partitions and child tables of a table
 * share these plans, because a plan searches the whole table and its size
 * grows with their number.  The session keeps the MOST_PLANS plans that it
 * has used last.  There is a new plan when the server declares the plan invalid.
 * The server does that when anything changes that the plan depends on, and
 * when the trigger is dropped.  So a call that makes a plan first frees the
 * invalid plans.  There is also a new plan after the table has doubled its
 * size, because in a nearly empty table another index of the table may look
 * as good as that of the fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "lib/ilist.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "original_confirm.h"
#include "original_search.h"
#include "query.h"
#include "server/catalog.h"
#include "server/compat.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* A table of so few pages needs no new plan when it has doubled its size */
#define MIN_GROWTH				4

/* The plans that a session keeps, of some 50 kB each; those in use may be more */
#define MOST_PLANS				100

/* A plan of a topmost trigger, for the session. */
typedef struct KeptPlan
{
	dlist_node	node;
	Oid			trigger;		/* topmost */
	uint32		nulls;			/* bits: the columns of "equal" that are NULL */
	SPIPlanPtr	plan;
	BlockNumber pages;			/* of the table when the plan was made */
	int			users;			/* calls that are executing the plan now */
} KeptPlan;

/* The kept plans; the one that was used last comes first */
static dlist_head searches = DLIST_STATIC_INIT(searches);

/* ----------
 * The query and its plans
 * ----------
 */

/*
 * A column as an operand of type "wanted", to which the column's type is binary-coercible.
 *
 * The trigger runs with the rights of whoever inserts.  So the search must not call what
 * another user has created.  The search calls operators only.  A schema has one operator of a
 * name for exactly two types, and PostgreSQL prefers it to all others.  So every operand has
 * exactly the type of the wanted operator, also if the column is of a domain.  (A function
 * with default arguments could make the call of another function ambiguous.)
 */
static char *
operand(const char *name, Oid type, Oid wanted)
{
	char	   *column = psprintf("t.%s", quote_identifier(name));

	if (type == wanted)
		return column;
	return psprintf("%s::%s", column,
					format_type_extended(wanted, -1,
										 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

/*
 * Append " AND (column = $n)", with PostgreSQL's "=" for the column's type.  The parameter is of
 * the base type (see make_plan).  PostgreSQL casts no domain to anyenum or anyarray, so a column
 * that is of a domain is cast to its base type first.
 */
static void
append_equality(StringInfo query, const char *name, Oid type, Oid operator, int parameter)
{
	Oid			base = getBaseType(type);

	appendStringInfoString(query, " AND (");
	generate_operator_clause(query, operand(name, type, base), base, operator,
							 psprintf("$%d", parameter), base);
	appendStringInfoChar(query, ')');
}

/*
 * Append the condition that a column is NULL.  "IS NULL" is also true for a row of NULLs, which
 * "=" and GROUP BY distinguish from NULL.  "IS NOT DISTINCT FROM NULL" is true for NULL only.
 * With both, an index with the predicate "column IS NULL" serves the search.
 */
static void
append_null_test(StringInfo query, const char *name, Oid type)
{
	appendStringInfo(query, " AND t.%s IS NULL", quote_identifier(name));
	if (type_is_rowtype(type))
		appendStringInfo(query, " AND t.%s IS NOT DISTINCT FROM NULL", quote_identifier(name));
}

/* The columns that the search returns: the id, the title, and those of the option "confirm". */
static char *
returned_columns(const Arguments *a)
{
	StringInfoData columns;
	ListCell   *lc;

	initStringInfo(&columns);
	appendStringInfoString(&columns, quote_identifier(a->id));
	foreach(lc, a->confirm)
		appendStringInfo(&columns, ", %s", quote_identifier(lfirst(lc)));
	return columns.data;
}

/*
 * The search for a new row whose columns of the option "equal" are NULL as "nulls" says.  With
 * "confirm" it returns all near originals in the order of their ids.
 *
 * PostgreSQL plans a subquery with OFFSET separately.  So the planner cannot
 * expect to find the smallest id soon in an index of ids.
 */
static char *
search_query(const Target *target, Relation table, uint32 nulls)
{
	const Arguments *a = &target->arguments;
	const char *columns = returned_columns(a);
	const char *schema = quote_identifier(get_namespace_name(target->kind.schema));
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s FROM (SELECT %s FROM %s t WHERE (%s OPERATOR(%s.<->) $1) OPERATOR(%s.<=) %d",
					 columns, columns,
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
												RelationGetRelationName(table)),
					 operand(a->fingerprint, target->fingerprint.type, target->kind.type),
					 schema, schema, target->distance);
	append_null_test(&query, a->duplicate_of, target->id.type);
	append_equality(&query, a->id, target->id.type,
					target_equality(target->id.type, true), 2);
	appendStringInfoString(&query, " IS NOT TRUE");
	for (int i = 0; i < target->nequal; i++)
	{
		const char *name = list_nth(a->equal, i);
		Oid			type = target->equal[i].type;

		if (nulls & ((uint32) 1 << i))
			append_null_test(&query, name, type);
		else
			append_equality(&query, name, type, target_equality(type, false), 3 + i);
	}
	appendStringInfoString(&query, " OFFSET 0) s ORDER BY 1");
	if (a->confirm == NIL)
		appendStringInfoString(&query, " LIMIT 1");
	return query.data;
}

/* A plan that lives until SPI is disconnected, unless it is kept. */
static SPIPlanPtr
make_plan(const Target *target, Trigger *trigger, uint32 nulls)
{
	Relation	table = table_open(target->table, AccessShareLock);
	Oid			parameters[2 + MAX_COLUMNS];
	SPIPlanPtr	plan;

	original_require_index(target, trigger, table, nulls);

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

/* The size of a new row's table, or partition. */
static BlockNumber
table_pages(Relation table)
{
	return RELKIND_HAS_STORAGE(table->rd_rel->relkind) ? RelationGetNumberOfBlocks(table) : 0;
}

/* Should the next search have another plan, which takes the place of this one? */
static bool
is_outdated(const KeptPlan *search, BlockNumber pages)
{
	return search->users == 0 &&
		(!SPI_plan_is_valid(search->plan) || pages / 2 > search->pages + MIN_GROWTH);
}

static void
free_search(KeptPlan *search)
{
	SPI_freeplan(search->plan);
	dlist_delete(&search->node);
	pfree(search);
}

/*
 * Free the plans that are invalid, and those that were used longest ago, so that there is room for
 * another one.  Plans that a call is executing stay.
 */
static void
make_room(void)
{
	int			n = 0;
	dlist_mutable_iter i;

	dlist_foreach_modify(i, &searches)
	{
		KeptPlan   *search = dlist_container(KeptPlan, node, i.cur);

		if (search->users == 0 && (n >= MOST_PLANS - 1 || !SPI_plan_is_valid(search->plan)))
			free_search(search);
		else
			n++;
	}
}

/* The kept plan of a topmost trigger, or NULL. */
static KeptPlan *
kept_search(Oid trigger, uint32 nulls)
{
	dlist_iter	i;

	dlist_foreach(i, &searches)
	{
		KeptPlan   *search = dlist_container(KeptPlan, node, i.cur);

		if (search->trigger == trigger && search->nulls == nulls)
		{
			dlist_move_head(&searches, &search->node);
			return search;
		}
	}
	return NULL;
}

/* Keep a plan for the session. */
static KeptPlan *
keep_search(Oid trigger, uint32 nulls, SPIPlanPtr plan, BlockNumber pages)
{
	KeptPlan   *search;

	make_room();
	search = MemoryContextAlloc(TopMemoryContext, sizeof(KeptPlan));
	SPI_keepplan(plan);
	search->trigger = trigger;
	search->nulls = nulls;
	search->plan = plan;
	search->pages = pages;
	search->users = 0;
	dlist_push_head(&searches, &search->node);
	return search;
}

/* The columns of the option "equal" that are NULL in the new row, as bits. */
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
static KeptPlan *
get_search(const Target *target, TriggerData *trigger_data, const NewRow *row)
{
	uint32		nulls = null_columns(target, row);
	BlockNumber pages = table_pages(trigger_data->tg_relation);
	KeptPlan   *search = kept_search(target->topmost, nulls);
	SPIPlanPtr	plan;

	if (search != NULL && !is_outdated(search, pages))
		return search;
	if (search != NULL)
		free_search(search);
	plan = make_plan(target, trigger_data->tg_trigger, nulls);

	/* a function in an index's predicate might have kept one */
	search = kept_search(target->topmost, nulls);
	return search != NULL ? search : keep_search(target->topmost, nulls, plan, pages);
}

/* ----------
 * The search
 * ----------
 */

/* What the rows of a search are for. */
typedef struct Seeker
{
	const Target *target;
	Confirmation *confirmation;
	NullableDatum original;		/* its id; NULL so far */
} Seeker;

/* Returns false at the original, which ends the search. */
static bool
receive_original(TupleTableSlot *slot, void *arg)
{
	Seeker	   *seeker = arg;
	NullableDatum id;
	NullableDatum columns[MAX_TEXT_COLUMNS];

	id.value = slot_getattr(slot, 1, &id.isnull);
	for (int i = 0; i < seeker->target->nconfirm; i++)
		columns[i].value = slot_getattr(slot, i + 2, &columns[i].isnull);
	if (id.isnull || !is_confirmed(seeker->confirmation, columns))
		return true;
	seeker->original.value = SPI_datumTransfer(id.value, seeker->target->id.by_value,
											   seeker->target->id.length);
	seeker->original.isnull = false;
	return false;
}

static ParamListInfo
search_parameters(const Target *target, const KeptPlan *search, const NewRow *row)
{
	int			n = 2 + target->nequal;
	ParamListInfo parameters = makeParamList(n);

	for (int i = 0; i < n; i++)
	{
		ParamExternData *p = &parameters->params[i];

		p->ptype = SPI_getargtypeid(search->plan, i);
		p->value = i == 0 ? row->fingerprint : i == 1 ? row->id.value : row->equal[i - 2].value;
		p->isnull = i == 0 ? false : i == 1 ? row->id.isnull : row->equal[i - 2].isnull;
		p->pflags = PARAM_FLAG_CONST;
	}
	return parameters;
}

/*
 * The id of the original of a new row; NULL if there is none.  The search runs under the
 * snapshot that the transaction's next command would take, or under a new snapshot.
 */
static NullableDatum
find_original(const Target *target, KeptPlan *search, const NewRow *row,
			  Confirmation *confirmation, bool new_snapshot)
{
	Seeker		seeker = {target, confirmation, {0, true}};
	RowReceiver receiver = row_receiver(receive_original, &seeker);
	SPIExecuteOptions options = {0};
	int			result;

	options.params = search_parameters(target, search, row);
	options.dest = &receiver.pub;
	if (new_snapshot)
	{
		/* SPI has a new snapshot for each command unless they are "read only" */
		CommandCounterIncrement();
		PushActiveSnapshot(GetLatestSnapshot());
		options.read_only = true;
	}
	search->users++;
	PG_TRY();
	{
		result = SPI_execute_plan_extended(search->plan, &options);
	}
	PG_FINALLY();
	{
		search->users--;
	}
	PG_END_TRY();
	if (new_snapshot)
		PopActiveSnapshot();
	if (result < 0)
		elog(ERROR, "could not search for an original: %s",
			 SPI_result_code_string(result));
	return seeker.original;
}

static bool
is_same_id(const TargetColumn *id, NullableDatum a, NullableDatum b)
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
find_original_in_turn(const Target *target, KeptPlan *search, const NewRow *row,
					  Confirmation *confirmation)
{
	NullableDatum original = find_original(target, search, row, confirmation, false);

	if (IsolationUsesXactSnapshot() &&
		!is_same_id(&target->id, original,
					find_original(target, search, row, confirmation, true)))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent changes to originals"),
				 errdetail("The original of the new row differs from the one in the transaction's snapshot."),
				 errhint("The transaction might succeed if retried.")));
	return original;
}

/*
 * Look for the original by a search of the session, in turn if the trigger has the option
 * "lock".
 */
NullableDatum
search_original(const Target *target, TriggerData *trigger_data, const NewRow *row)
{
	NullableDatum original;
	KeptPlan   *search;
	Confirmation confirmation;

	if (target->arguments.lock)
		LockDatabaseObject(TriggerRelationId, target->topmost, 0, ExclusiveLock);
	SPI_connect();
	search = get_search(target, trigger_data, row);
	confirmation = begin_confirmation(target, row->confirm);
	original = target->arguments.lock ?
		find_original_in_turn(target, search, row, &confirmation) :
		find_original(target, search, row, &confirmation, false);
	SPI_finish();
	return original;
}
