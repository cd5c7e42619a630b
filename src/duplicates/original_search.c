/*-------------------------------------------------------------------------
 *
 * original_search.c
 *		The search for the original of a new row: queries by an index, their plans, and
 *		the lock and the snapshots under which they run.
 *
 * record_original.c says which row is the original.
 *
 * A template may have any number of siblings, which are all near.  So with "confirm" the
 * search compares the words of at most MOST_COMPARED originals, and reads no other original
 * after MOST_READ bytes of texts.  These are the nearest of the first MOST_NEAR originals
 * that the index returns.  If more than MOST_COMPARED are near, it then looks for copies
 * among the originals with the fingerprint of the new row, until it has read MOST_READ bytes.
 * Comparing a sibling with the new row ends at the first difference there.  Slots
 * (core/duplicates/slots.h) are those that the first MOST_VERSIONS originals show that
 * are versions of the new row.
 *
 * Plans live for the session: one for each query and set of columns of "equal" that were
 * NULL together, because only "column IS NULL" and "column = value" can be conditions of
 * an index.  All partitions and child tables of a table share these plans, because a plan
 * searches the whole table and its size grows with their number.  The session keeps the
 * MOST_PLANS plans that it has used last.  There is a new plan when the server declares
 * the plan invalid.  The server does that when anything changes that the plan depends on,
 * and when the trigger is dropped.  So a call that makes a plan first frees the invalid
 * plans.  There is also a new plan after the table has doubled its size, because in a
 * nearly empty table another index of the table may look as good as that of the
 * fingerprints.
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
#include "miscadmin.h"
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
#include "utils/typcache.h"

/* Plan again when the table has more than 2 * (old pages + MIN_GROWTH) pages */
#define MIN_GROWTH				4

/* Near originals that the index returns, and those of them whose words are compared */
#define MOST_NEAR				5000
#define MOST_COMPARED			100

/* Compare the new row with at most this many originals that are versions of it to find slots */
#define MOST_VERSIONS			3

/*
 * An insert reads no other text after MOST_READ bytes of texts.  In the search for a copy a
 * row counts as ROW_READ bytes more.
 */
#define MOST_READ				(16 * 1024 * 1024)
#define ROW_READ				200

/* The queries of a search.  Without "confirm" only the first one is used. */
typedef enum SearchKind
{
	/*
	 * near originals, one more than are compared; without "confirm", only the
	 * one with the smallest id
	 */
	NEAR,
	NEAREST,					/* the near originals to compare */
	SAME_FINGERPRINT			/* originals that may be copies */
} SearchKind;

/* The largest number of plans that a session keeps beside those in use; each takes about 50 kB */
#define MOST_PLANS				100

/* A plan that the session keeps for a topmost trigger. */
typedef struct KeptPlan
{
	dlist_node	node;
	Oid			trigger;		/* topmost */
	/* a bit for each column of "equal" that is NULL */
	uint32		nulls;
	SearchKind	kind;
	SPIPlanPtr	plan;
	BlockNumber pages;			/* of the table when the plan was made */

	/*
	 * the start of the statement that made the plan, if it had to do without
	 * the index of the fingerprints; otherwise 0
	 */
	TimestampTz without_index;
	int			users;			/* calls that are executing the plan now */
} KeptPlan;

/* The kept plans; the one that was used last comes first */
static dlist_head searches = DLIST_STATIC_INIT(searches);

/* ----------
 * The query and its plans
 * ----------
 */

/*
 * A column as an operand of type "wanted", to which the column's type is
 * binary-coercible.
 *
 * The trigger runs with the rights of whoever inserts.  So the search must not call what
 * another user has created.  The search calls operators only.  A schema has one operator
 * of a name for exactly two types, and PostgreSQL prefers it to all others.  So every
 * operand has exactly the type of the wanted operator, also if the column is of a domain.
 * (A function with default arguments could make the call of another function ambiguous.)
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
 * Append " AND (column = $n)", with PostgreSQL's "=" for the column's type.  The
 * parameter is of the base type (see make_plan).  PostgreSQL casts no domain to anyenum
 * or anyarray, so a column that is of a domain is cast to its base type first.
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
 * Append the condition that a column is NULL.  "IS NULL" is also true for a row of NULLs,
 * which "=" and GROUP BY distinguish from NULL.  "IS NOT DISTINCT FROM NULL" is true for
 * NULL only.  With both, an index with the predicate "column IS NULL" serves the search.
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
 * A query for a new row whose columns of the option "equal" are NULL as "nulls" says.
 *
 * PostgreSQL plans a subquery with OFFSET or LIMIT separately.  So the planner cannot
 * expect to find the smallest id soon in an index of ids.
 */
static char *
search_query(const Target *target, Relation table, uint32 nulls, SearchKind kind)
{
	const Arguments *a = &target->arguments;
	const char *columns = returned_columns(a);
	const char *schema = quote_identifier(get_namespace_name(target->kind.schema));
	const char *distance = psprintf("(%s OPERATOR(%s.<->) $1)",
									operand(a->fingerprint, target->fingerprint.type,
											target->kind.type), schema);
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s", columns);
	if (a->confirm == NIL)
		appendStringInfo(&query, " FROM (SELECT %s", columns);
	else if (kind == NEAREST)
		appendStringInfo(&query, " FROM (SELECT %s, %s", columns,
						 quote_identifier(a->fingerprint));
	appendStringInfo(&query, " FROM %s t WHERE %s OPERATOR(%s.<=) %d",
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
												RelationGetRelationName(table)),
					 distance, schema, kind == SAME_FINGERPRINT ? 0 : target->distance);
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
	if (a->confirm == NIL)
		appendStringInfoString(&query, " OFFSET 0) s ORDER BY 1 LIMIT 1");
	else if (kind == NEAR)
		appendStringInfo(&query, " LIMIT %d", MOST_COMPARED + 1);
	else if (kind == NEAREST)
		appendStringInfo(&query, " LIMIT %d) t ORDER BY %s LIMIT %d", MOST_NEAR, distance,
						 MOST_COMPARED);
	return query.data;
}

/*
 * The type of a parameter of the query, counted from 0.  It is not a domain, because a domain may
 * have another collation than the column.
 */
static Oid
parameter_type(const Target *target, int i)
{
	return i == 0 ? target->kind.type :
		getBaseType(i == 1 ? target->id.type : target->equal[i - 2].type);
}

/*
 * A plan that lives until SPI is disconnected, unless it is kept.  *indexed is whether it
 * can use the index of the fingerprints.  If it cannot, warns of it if "warn" is true.
 */
static SPIPlanPtr
make_plan(const Target *target, Trigger *trigger, uint32 nulls, SearchKind kind, bool warn,
		  bool *indexed)
{
	Relation	table = table_open(target->table, AccessShareLock);
	Oid			parameters[2 + MAX_COLUMNS];
	SPIPlanPtr	plan;

	*indexed = original_require_index(target, trigger, table, nulls, warn);
	for (int i = 0; i < 2 + target->nequal; i++)
		parameters[i] = parameter_type(target, i);

	/* generic, because a plan for each row would take longer than the search */
	plan = SPI_prepare_cursor(search_query(target, table, nulls, kind), 2 + target->nequal,
							  parameters, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query of trigger \"%s\": %s",
			 trigger->tgname, SPI_result_code_string(SPI_result));
	table_close(table, AccessShareLock);
	return plan;
}

/* Return the size of a new row's table or partition. */
static BlockNumber
table_pages(Relation table)
{
	return RELKIND_HAS_STORAGE(table->rd_rel->relkind) ? RelationGetNumberOfBlocks(table) : 0;
}

/*
 * Should the next search make a new plan in place of this one?  Each statement makes its
 * own plans without the index, and so is warned of them.
 */
static bool
is_outdated(const KeptPlan *search, BlockNumber pages)
{
	return !SPI_plan_is_valid(search->plan) ||
		(search->users == 0 &&
		 (pages / 2 > search->pages + MIN_GROWTH ||
		  (search->without_index != 0 &&
		   search->without_index != GetCurrentStatementStartTimestamp())));
}

static void
free_search(KeptPlan *search)
{
	SPI_freeplan(search->plan);
	dlist_delete(&search->node);
	pfree(search);
}

/*
 * Free the plans that are invalid, and those that were used longest ago, so that there is
 * room for another one.  Plans that a call is executing stay.
 */
static void
free_old_plans(void)
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

/* Return the plan of a topmost trigger that was kept last, or NULL. */
static KeptPlan *
kept_search(Oid trigger, uint32 nulls, SearchKind kind)
{
	dlist_iter	i;

	dlist_foreach(i, &searches)
	{
		KeptPlan   *search = dlist_container(KeptPlan, node, i.cur);

		if (search->trigger == trigger && search->nulls == nulls && search->kind == kind)
		{
			dlist_move_head(&searches, &search->node);
			return search;
		}
	}
	return NULL;
}

/* Has the statement been warned that it searches for originals without the index? */
static bool
is_warned(Oid trigger)
{
	dlist_iter	i;

	dlist_foreach(i, &searches)
	{
		const KeptPlan *search = dlist_container(KeptPlan, node, i.cur);

		if (search->trigger == trigger &&
			search->without_index == GetCurrentStatementStartTimestamp())
			return true;
	}
	return false;
}

/* Keep a plan for the session. */
static KeptPlan *
keep_search(Oid trigger, uint32 nulls, SearchKind kind, SPIPlanPtr plan, BlockNumber pages,
			bool indexed)
{
	KeptPlan   *search;

	free_old_plans();
	search = MemoryContextAlloc(TopMemoryContext, sizeof(KeptPlan));
	SPI_keepplan(plan);
	search->trigger = trigger;
	search->nulls = nulls;
	search->kind = kind;
	search->plan = plan;
	search->pages = pages;
	search->without_index = indexed ? 0 : GetCurrentStatementStartTimestamp();
	search->users = 0;
	dlist_push_head(&searches, &search->node);
	return search;
}

/* Return a bit for each column of the option "equal" that is NULL in the new row. */
static uint32
null_columns(const Target *target, const NewRow *row)
{
	uint32		nulls = 0;

	for (int i = 0; i < target->nequal; i++)
		if (row->equal[i].isnull)
			nulls |= (uint32) 1 << i;
	return nulls;
}

/* ----------
 * The search
 * ----------
 */

/* A search for the original of a new row. */
typedef struct Seeker
{
	const Target *target;
	TriggerData *trigger_data;
	const NewRow *row;
	MemoryContext context;		/* of the search */
	Confirmation confirmation;
	int			n;
	NullableDatum *near[MOST_COMPARED + 1]; /* id and columns of n originals */
	NullableDatum original;		/* its id; NULL if none has been found */
} Seeker;

/* Keep an original, whose texts are not detoasted yet. */
static bool
receive_near(TupleTableSlot *slot, void *arg)
{
	Seeker	   *seeker = arg;
	const TargetColumn *id = &seeker->target->id;
	MemoryContext old = MemoryContextSwitchTo(seeker->context);
	int			n = 1 + seeker->target->nconfirm;
	NullableDatum *columns = palloc(n * sizeof(NullableDatum));

	for (int i = 0; i < n; i++)
	{
		Datum		value = slot_getattr(slot, i + 1, &columns[i].isnull);

		columns[i].value = columns[i].isnull ? 0 :
			i == 0 ? datumCopy(value, id->by_value, id->length) : datumCopy(value, false, -1);
	}
	seeker->near[seeker->n++] = columns;
	MemoryContextSwitchTo(old);
	return true;
}

/* Compare two ids; NULL comes last, as in ORDER BY. */
static int
compare_ids(const TargetColumn *id, NullableDatum a, NullableDatum b)
{
	TypeCacheEntry *type = lookup_type_cache(id->type, TYPECACHE_CMP_PROC_FINFO);

	if (a.isnull || b.isnull)
		return a.isnull - b.isnull;
	return DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, id->collation,
										   a.value, b.value));
}

static int
compare_near_ids(const void *a, const void *b, void *arg)
{
	return compare_ids(arg, **(NullableDatum *const *) a, **(NullableDatum *const *) b);
}

/*
 * May the text of an original be compared?  Its title must agree, and enough must be left
 * of MOST_READ.  Counts the text as read.
 */
static bool
may_compare(Seeker *seeker, const NullableDatum *columns)
{
	Confirmation *c = &seeker->confirmation;

	if (c->read >= MOST_READ || !confirm_title(c, columns))
		return false;
	c->read += confirm_text_size(seeker->target, columns);
	return true;
}

/* Find the copy with the smallest id.  Returns false if enough has been read. */
static bool
receive_equal(TupleTableSlot *slot, void *arg)
{
	Seeker	   *seeker = arg;
	const TargetColumn *id = &seeker->target->id;
	NullableDatum columns[1 + MAX_TEXT_COLUMNS];

	for (int i = 0; i <= seeker->target->nconfirm; i++)
		columns[i].value = slot_getattr(slot, i + 1, &columns[i].isnull);
	if (compare_ids(id, columns[0], seeker->original) < 0 &&
		may_compare(seeker, columns + 1) &&
		confirm(&seeker->confirmation, columns + 1, NULL) == COPY)
	{
		MemoryContext old = MemoryContextSwitchTo(seeker->context);

		seeker->original.value = datumCopy(columns[0].value, id->by_value, id->length);
		seeker->original.isnull = false;
		MemoryContextSwitchTo(old);
	}
	seeker->confirmation.read += ROW_READ;
	return seeker->confirmation.read < MOST_READ;
}

/*
 * Find the first of n versions that parts from the new row at no slot, where these
 * versions show the slots.  Returns n if there is none.
 */
static int
first_version(const PartedPair *pairs, int n)
{
	int			i = 0;

	while (i < n && core_few_part(pairs, n, i))
		i++;
	return i;
}

/*
 * Find the original with the smallest id among those that were kept: a copy of the new
 * row, or a version of it that does not part from it at a slot.  MOST_VERSIONS versions
 * show the slots.
 */
static void
compare_near(Seeker *seeker)
{
	const TargetColumn *id = &seeker->target->id;
	NullableDatum copy = seeker->original;
	NullableDatum versions[MOST_VERSIONS];
	PartedPair	pairs[MOST_VERSIONS];
	int			n = 0;

	qsort_arg(seeker->near, seeker->n, sizeof(seeker->near[0]), compare_near_ids,
			  unconstify(TargetColumn *, id));
	for (int i = 0; i < seeker->n; i++)
	{
		const NullableDatum *columns = seeker->near[i];
		bool		full = n == MOST_VERSIONS;
		Confirmed	confirmed;

		CHECK_FOR_INTERRUPTS();
		if (compare_ids(id, columns[0], copy) >= 0 || (full && first_version(pairs, n) < n))
			break;
		confirmed = confirm(&seeker->confirmation, columns + 1, full ? NULL : pairs[n].partings);
		if (confirmed == COPY)
			copy = columns[0];
		else if (confirmed == VERSION)
			versions[n++] = columns[0];
	}
	seeker->original = first_version(pairs, n) < n ? versions[first_version(pairs, n)] : copy;
}

/* Are there more near originals, or larger texts, than can be compared? */
static bool
are_too_many(const Seeker *seeker)
{
	size_t		size = 0;

	for (int i = 0; i < seeker->n; i++)
		size += confirm_text_size(seeker->target, seeker->near[i] + 1);
	return seeker->n > MOST_COMPARED || size > MOST_READ;
}

/* Of the originals that were kept, keep those that may be compared.  The first ones come first. */
static void
choose_near(Seeker *seeker)
{
	int			n = 0;

	for (int i = 0; i < seeker->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (may_compare(seeker, seeker->near[i] + 1))
			seeker->near[n++] = seeker->near[i];
	}
	seeker->n = n;
}

/*
 * Return the kept plan of a search for a new row, or make it.  SPI is connected.  The
 * next call may free the plan unless a call is executing it.  An invalid plan is not used
 * again, even if a call is executing it: PostgreSQL would make it valid by looking up its names,
 * which may have another meaning by now.
 */
static KeptPlan *
get_search(const Seeker *seeker, SearchKind kind)
{
	const Target *target = seeker->target;
	uint32		nulls = null_columns(target, seeker->row);
	BlockNumber pages = table_pages(seeker->trigger_data->tg_relation);
	KeptPlan   *search = kept_search(target->topmost, nulls, kind);
	bool		warn;
	bool		indexed;
	SPIPlanPtr	plan;

	if (search != NULL && !is_outdated(search, pages))
		return search;
	warn = !is_warned(target->topmost);
	if (search != NULL && search->users == 0)
		free_search(search);
	plan = make_plan(target, seeker->trigger_data->tg_trigger, nulls, kind, warn, &indexed);

	/*
	 * planning may call a function in an index's predicate, which may have
	 * kept the same plan
	 */
	search = kept_search(target->topmost, nulls, kind);
	if (search != NULL && SPI_plan_is_valid(search->plan))
		return search;
	return keep_search(target->topmost, nulls, kind, plan, pages, indexed);
}

/*
 * The parameters of a search.  A function of a policy may have renamed columns or replaced the
 * trigger, and kept a plan for other columns than those of the command's target.
 */
static ParamListInfo
search_parameters(const Target *target, const KeptPlan *search, const NewRow *row)
{
	int			n = 2 + target->nequal;
	ParamListInfo parameters = makeParamList(n);

	for (int i = 0; i < n; i++)
	{
		ParamExternData *p = &parameters->params[i];

		p->ptype = SPI_getargtypeid(search->plan, i);
		if (p->ptype != parameter_type(target, i))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("trigger of table \"%s\" searches other columns than before",
							get_rel_name(target->table))));
		p->value = i == 0 ? row->fingerprint : i == 1 ? row->id.value : row->equal[i - 2].value;
		p->isnull = i == 0 ? false : i == 1 ? row->id.isnull : row->equal[i - 2].isnull;
		p->pflags = PARAM_FLAG_CONST;
	}
	return parameters;
}

/* Check that a search returns the id and the columns of "confirm" with the types of this table. */
static void
begin_search(TupleDesc desc, void *arg)
{
	const Target *target = ((Seeker *) arg)->target;
	Oid			types[1 + MAX_TEXT_COLUMNS];

	types[0] = target->id.type;
	for (int i = 0; i < target->nconfirm; i++)
		types[1 + i] = target->confirm[i].type;
	require_types(desc, 1 + target->nconfirm, types);
}

/* Run a query under the active snapshot. */
static void
run_search(Seeker *seeker, KeptPlan *search,
		   bool (*receive) (TupleTableSlot *slot, void *arg))
{
	const RowReceiver receiver = {begin_search, receive, seeker};
	ParamListInfo parameters = search_parameters(seeker->target, search, seeker->row);
	int			result;

	search->users++;
	PG_TRY();
	{
		result = run_plan(search->plan, parameters, receiver);
	}
	PG_FINALLY();
	{
		search->users--;
	}
	PG_END_TRY();
	if (result < 0)
		elog(ERROR, "could not search for an original: %s",
			 SPI_result_code_string(result));
}

/*
 * The id of the original of a new row; NULL if there is none.  The search runs under the
 * snapshot that the transaction's next command would take, or under a new snapshot.
 */
static NullableDatum
find_original(Seeker *seeker, bool new_snapshot)
{
	bool		many;

	seeker->n = 0;
	seeker->original.isnull = true;
	seeker->confirmation.read = 0;
	CommandCounterIncrement();
	PushActiveSnapshot(new_snapshot ? GetLatestSnapshot() : GetTransactionSnapshot());
	run_search(seeker, get_search(seeker, NEAR), receive_near);
	many = seeker->n > MOST_COMPARED;
	if (are_too_many(seeker))
	{
		seeker->n = 0;
		run_search(seeker, get_search(seeker, NEAREST), receive_near);
	}
	choose_near(seeker);
	if (many && seeker->confirmation.read < MOST_READ)
		run_search(seeker, get_search(seeker, SAME_FINGERPRINT), receive_equal);
	compare_near(seeker);
	PopActiveSnapshot();
	return seeker->original;
}

static bool
is_same_id(const TargetColumn *id, NullableDatum a, NullableDatum b)
{
	if (a.isnull || b.isnull)
		return a.isnull && b.isnull;
	return datumIsEqual(a.value, b.value, id->by_value, id->length);
}

/*
 * Like find_original, but under a lock, so that no other transaction can insert an
 * original meanwhile.  A transaction that has one snapshot for all of its commands may
 * have taken the snapshot before other transactions inserted originals.  So the search
 * under that snapshot must find the same original as a search under a new snapshot.
 */
static NullableDatum
find_original_in_turn(Seeker *seeker)
{
	NullableDatum original = find_original(seeker, false);

	if (IsolationUsesXactSnapshot() &&
		!is_same_id(&seeker->target->id, original, find_original(seeker, true)))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent changes to originals"),
				 errdetail("The original of the new row differs from the one in the transaction's snapshot."),
				 errhint("The transaction might succeed if retried.")));
	return original;
}

/*
 * Look for the original by searches of the session, in turn if the trigger has the option
 * "lock".
 */
NullableDatum
search_original(const Target *target, TriggerData *trigger_data, const NewRow *row)
{
	Seeker		seeker = {target, trigger_data, row};
	NullableDatum original;

	if (target->arguments.lock)
		LockDatabaseObject(TriggerRelationId, target->topmost, 0, ExclusiveLock);
	SPI_connect();
	seeker.context = seeker.confirmation.context = CurrentMemoryContext;
	seeker.confirmation.target = target;
	seeker.confirmation.new_columns = row->confirm;
	original = target->arguments.lock ?
		find_original_in_turn(&seeker) : find_original(&seeker, false);
	if (!original.isnull)
		original.value = SPI_datumTransfer(original.value, target->id.by_value,
										   target->id.length);
	SPI_finish();
	return original;
}
