/*-------------------------------------------------------------------------
 *
 * original_plan.c
 *		The query for the originals near a new row, and its plans.
 *
 * The query asks for the order of distances, and is planned without sorts.  So the plan uses an
 * index of the fingerprints, however small the table is, and serves while the table grows.  A
 * plan without such an index is an error.
 *
 * Plans live for the session, as those of foreign keys do: one for each topmost trigger, role
 * and set of columns of "equal" that are NULL together, because only "column IS NULL" and "column =
 * value" can be conditions of an index.  All partitions and child tables share these plans.
 * A call takes its plan out of the table of plans while it runs.  So a nested call, by a
 * function in a policy, makes a plan of its own, and nobody frees a plan that is in use.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "commands/defrem.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "original_plan.h"
#include "parser/parsetree.h"
#include "server/catalog.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* The largest number of plans that a session keeps; each takes about 50 kB */
#define MOST_PLANS				100

typedef struct PlanKey
{
	Oid			trigger;		/* topmost */
	uint32		nulls;			/* a bit for each column of "equal" that is NULL */
	uint64		search;			/* of the target; a function can replace its trigger */
	Oid			role;			/* whose policies the plan has */
	uint32		unused;			/* 0: the key has no padding */
} PlanKey;

typedef struct KeptPlan
{
	PlanKey		key;
	SPIPlanPtr	plan;
	int			generation;		/* of PostgreSQL's generic plan; 0 if there is none */

	/*
	 * the start of the statement that made the plan, if it had to do without
	 * the index of the fingerprints; otherwise 0
	 */
	TimestampTz without_index;
} KeptPlan;

static HTAB *plans = NULL;		/* those that no call is using */

/* ----------
 * The query
 * ----------
 */

/*
 * A column as an operand of its base type.
 *
 * The trigger runs with the rights of whoever inserts.  So the search must not call what
 * another user has created.  The search calls operators only.  A schema has one operator
 * of a name for exactly two types, and PostgreSQL prefers it to all others.  So every
 * operand has exactly the type of the wanted operator, also if the column is of a domain.
 * (A function with default arguments could make the call of another function ambiguous.)
 */
static char *
operand(const TargetColumn *column)
{
	const char *name = quote_identifier(column->name);

	if (column->type == column->base)
		return psprintf("t.%s", name);
	return psprintf("t.%s::%s", name,
					format_type_extended(column->base, -1,
										 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

/* Append "column = $n", with PostgreSQL's "=" for the column's type. */
static void
append_equality(StringInfo query, const TargetColumn *column, int parameter)
{
	appendStringInfoString(query, " AND (");
	generate_operator_clause(query, operand(column), column->base, column->equality,
							 psprintf("$%d", parameter), column->base);
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

/* Check that a name exists: a function of the caller's can drop what the trigger searches. */
static const char *
existing(const Target *target, const char *name)
{
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("trigger \"%s\" searches a table or schema that was dropped",
						target->trigger->tgname)));
	return name;
}

static char *
search_query(const Target *target, uint32 nulls)
{
	const char *schema = quote_identifier(existing(target, get_namespace_name(target->kind.schema)));
	const char *fingerprint = operand(&target->columns[FINGERPRINT]);
	const char *distance = psprintf("%s OPERATOR(%s.%s) $1", fingerprint, schema,
									target->kind.traits->distance_operator);
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT t.%s, ", quote_identifier(target->columns[ID].name));
	for (int i = 0; i < target->ntexts; i++)
		appendStringInfo(&query, "t.%s, ", quote_identifier(target->texts[i].name));
	appendStringInfo(&query, "%s FROM %s t WHERE (%s OPERATOR(%s.<->) $1) OPERATOR(%s.<=) %d", distance,
					 quote_qualified_identifier(existing(target, get_namespace_name(get_rel_namespace(target->table))),
												existing(target, get_rel_name(target->table))),
					 fingerprint, schema, schema, target->distance);
	append_null_test(&query, target->duplicate_of, target->columns[ID].type);
	append_equality(&query, &target->columns[ID], 1 + ID);
	appendStringInfoString(&query, " IS NOT TRUE");
	for (int i = FIRST_EQUAL; i < target->nparameters; i++)
		if (nulls & (uint32) 1 << (i - FIRST_EQUAL))
			append_null_test(&query, target->columns[i].name, target->columns[i].type);
		else
			append_equality(&query, &target->columns[i], 1 + i);
	appendStringInfo(&query, " ORDER BY %s", distance);
	return query.data;
}

/* ----------
 * Its index
 * ----------
 */

/*
 * Does a scan search an index for near fingerprints?  Each column of the index in front must
 * have a condition, because any other search by a later column would read most of the index.
 */
static bool
finds_near(Plan *plan, Oid within_operator)
{
	Bitmapset  *columns = NULL;
	int			near = 0;
	ListCell   *lc;

	if (!IsA(plan, IndexScan))
		return false;
	foreach(lc, ((IndexScan *) plan)->indexqual)
	{
		Node	   *condition = lfirst(lc);
		Node	   *column = IsA(condition, NullTest) ? (Node *) ((NullTest *) condition)->arg :
			IsA(condition, OpExpr) ? linitial(((OpExpr *) condition)->args) : NULL;

		if (column == NULL || !IsA(column, Var))
			continue;
		columns = bms_add_member(columns, ((Var *) column)->varattno);
		if (IsA(condition, OpExpr) && ((OpExpr *) condition)->opno == within_operator)
			near = ((Var *) column)->varattno;
	}
	for (int i = 1; i < near; i++)
		if (!bms_is_member(i, columns))
			return false;
	return near > 0;
}

/*
 * Find an index of near fingerprints, if possible one that the planner uses in this
 * transaction.  One that was built while older versions of updated rows could still be seen
 * waits (see get_relation_info).
 */
static Oid
near_index(Relation rel, AttrNumber fingerprint, Oid within_operator, bool *waits)
{
	Oid			found = InvalidOid;
	ListCell   *lc;

	*waits = true;
	foreach(lc, RelationGetIndexList(rel))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index) && *waits; i++)
			if (index->rd_index->indisvalid && index->rd_index->indkey.values[i] == fingerprint &&
				op_in_opfamily(within_operator, index->rd_opfamily[i]))
			{
				found = RelationGetRelid(index);
				*waits = index->rd_index->indcheckxmin &&
					!TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
										   TransactionXmin);
			}
		index_close(index, AccessShareLock);
	}
	return found;
}

static void
report_missing_index(const Target *target, Relation rel)
{
	Oid			bitblock = get_index_am_oid("bitblock", true);
	bool		equal = target->nparameters > FIRST_EQUAL;
	StringInfoData columns;

	/* those that bitblock can have in front of the fingerprint */
	initStringInfo(&columns);
	for (int i = FIRST_EQUAL; i < target->nparameters; i++)
		if (OidIsValid(bitblock) && OidIsValid(GetDefaultOpClass(target->columns[i].type, bitblock)))
			appendStringInfo(&columns, "%s, ", quote_identifier(target->columns[i].name));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of table \"%s\" has no suitable index",
					target->columns[FINGERPRINT].name, RelationGetRelationName(rel)),
			 errdetail(equal ?
					   "Trigger \"%s\" requires a valid index that contains all originals. Only columns of option \"equal\" may precede it." :
					   "Trigger \"%s\" requires a valid index that begins with the column and contains all originals.",
					   target->trigger->tgname),
			 errhint("Create an index, for example: CREATE INDEX ON %s USING bitblock (%s%s) WHERE %s IS NULL;",
					 quote_identifier(RelationGetRelationName(rel)), columns.data,
					 quote_identifier(target->columns[FINGERPRINT].name),
					 quote_identifier(target->duplicate_of))));
}

/*
 * Raise an error unless a plan finds near originals by indexes.  Returns an index that the plan
 * lacks because it cannot be used yet, or InvalidOid.  Tables on other servers need no index.
 * Beside them a plan must sort, and may then use another index of a small table.
 */
static Oid
check_indexes(const Target *target, const PlannedStmt *stmt, Plan *plan)
{
	Oid			within = own_operator(target->kind.schema, "<@", target->kind.type, target->kind.ball);
	List	   *children = IsA(plan, Append) ? ((Append *) plan)->appendplans :
		IsA(plan, MergeAppend) ? ((MergeAppend *) plan)->mergeplans :
		outerPlan(plan) != NULL ? list_make1(outerPlan(plan)) : NIL;
	Oid			waiting = InvalidOid;
	ListCell   *lc;

	foreach(lc, children)
	{
		Oid			index = check_indexes(target, stmt, lfirst(lc));

		waiting = OidIsValid(waiting) ? waiting : index;
	}
	if ((IsA(plan, SeqScan) || IsA(plan, IndexScan) || IsA(plan, IndexOnlyScan) ||
		 IsA(plan, BitmapHeapScan)) && !finds_near(plan, within))
	{
		Relation	rel = table_open(rt_fetch(((Scan *) plan)->scanrelid, stmt->rtable)->relid, NoLock);
		AttrNumber	fingerprint = get_attnum(RelationGetRelid(rel), target->columns[FINGERPRINT].name);
		bool		remote = false;
		bool		waits;

		foreach(lc, stmt->rtable)
			remote |= ((RangeTblEntry *) lfirst(lc))->relkind == RELKIND_FOREIGN_TABLE;
		waiting = near_index(rel, fingerprint, within, &waits);
		if (!OidIsValid(waiting) || !(waits || remote))
			report_missing_index(target, rel);
		table_close(rel, NoLock);
		waiting = waits ? waiting : InvalidOid;
	}
	return waiting;
}

/* Warn once a statement that the search cannot use an index yet. */
static void
warn_of_index(const Target *target, Oid index)
{
	static Oid	warned = InvalidOid;
	static TimestampTz warned_at = 0;
	const char *name = get_rel_name(index);

	if (warned == target->topmost && warned_at == GetCurrentStatementStartTimestamp())
		return;
	warned = target->topmost;
	warned_at = GetCurrentStatementStartTimestamp();
	ereport(WARNING,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("trigger \"%s\" reads the whole table for each new row", target->trigger->tgname),
			 errdetail("Index \"%s\" cannot be used yet: rows had been updated before it was built, and a transaction that was running then has not ended.",
					   name),
			 errhint("End the transactions that began before the index was built, also those in other databases, or run REINDEX INDEX CONCURRENTLY %s;",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(index)), name))));
}

/* ----------
 * Plans
 * ----------
 */

/* Change a setting until the end of the nest level. */
static void
turn_off(const char *setting)
{
	(void) set_config_option(setting, "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Prepare the query for the session. */
static SPIPlanPtr
prepare(const Target *target, uint32 nulls)
{
	Oid			parameters[FIRST_EQUAL + MAX_COLUMNS];
	SPIPlanPtr	plan;

	for (int i = 0; i < target->nparameters; i++)
		parameters[i] = target->columns[i].base;
	plan = SPI_prepare_cursor(search_query(target, nulls), target->nparameters, parameters,
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query of trigger \"%s\": %s",
			 target->trigger->tgname, SPI_result_code_string(SPI_result));
	SPI_keepplan(plan);
	return plan;
}

static CachedPlan *
get_cached_plan(const Target *target, SPIPlanPtr plan)
{
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);

	if (cached == NULL)
		elog(ERROR, "could not plan the query of trigger \"%s\"", target->trigger->tgname);
	return cached;
}

/*
 * Plan a query, and check that it uses an index.  The plan is generic, because planning takes
 * longer than the search.  JIT would compile it at each insert.
 */
static CachedPlan *
make_plan(const Target *target, KeptPlan *made)
{
	int			nest_level = NewGUCNestLevel();
	CachedPlan *cached;
	PlannedStmt *stmt;
	Oid			waiting;

	turn_off("enable_sort");
	turn_off("enable_seqscan");
	turn_off("enable_bitmapscan");
	turn_off("jit");
	cached = get_cached_plan(target, made->plan);
	AtEOXact_GUC(false, nest_level);
	stmt = linitial_node(PlannedStmt, cached->stmt_list);
	waiting = check_indexes(target, stmt, stmt->planTree);
	made->generation = cached->generation;
	if (OidIsValid(waiting))
	{
		warn_of_index(target, waiting);
		made->without_index = GetCurrentStatementStartTimestamp();
	}
	return cached;
}

/*
 * Return the plan that make_plan has made and checked.  If the server has replaced it, such as for
 * another search_path, make it again.
 */
static CachedPlan *
checked_plan(const Target *target, KeptPlan *taken)
{
	CachedPlan *cached;

	if (taken->generation != 0)
	{
		cached = get_cached_plan(target, taken->plan);
		if (cached->generation == taken->generation)
			return cached;
		ReleaseCachedPlan(cached, CurrentResourceOwner);
		SPI_freeplan(taken->plan);
		taken->plan = prepare(target, taken->key.nulls);
	}
	return make_plan(target, taken);
}

/* Free the plans that nobody is using, all or those that are invalid. */
static void
free_plans(bool all)
{
	HASH_SEQ_STATUS status;
	KeptPlan   *kept;

	hash_seq_init(&status, plans);
	while ((kept = hash_seq_search(&status)) != NULL)
		if (all || !SPI_plan_is_valid(kept->plan))
		{
			SPI_freeplan(kept->plan);
			hash_search(plans, &kept->key, HASH_REMOVE, NULL);
		}
}

/*
 * Take a plan, or prepare it.  An invalid plan is not used again: PostgreSQL would make it
 * valid by looking up its names, which may have another meaning by now.  Each statement makes
 * its own plans without the index, and so is warned of them.
 */
static KeptPlan *
take_plan(const Target *target, PlanKey key)
{
	HASHCTL		info = {.keysize = sizeof(PlanKey),.entrysize = sizeof(KeptPlan)};
	KeptPlan   *taken = palloc0(sizeof(KeptPlan));
	KeptPlan   *kept;

	if (plans == NULL)
		plans = hash_create("simhash plans", MOST_PLANS, &info, HASH_ELEM | HASH_BLOBS);
	kept = hash_search(plans, &key, HASH_REMOVE, NULL);
	if (kept != NULL)
	{
		*taken = *kept;
		if (SPI_plan_is_valid(taken->plan) &&
			(taken->without_index == 0 || taken->without_index == GetCurrentStatementStartTimestamp()))
			return taken;
		SPI_freeplan(taken->plan);
	}
	free_plans(false);
	taken->key = key;
	taken->plan = prepare(target, key.nulls);
	taken->generation = taken->without_index = 0;
	return taken;
}

/* Give a plan back, in place of that of a nested call. */
static void
give_plan_back(const KeptPlan *taken)
{
	KeptPlan   *kept;
	bool		found;

	if (hash_get_num_entries(plans) >= MOST_PLANS)
		free_plans(true);
	kept = hash_search(plans, &taken->key, HASH_ENTER, &found);
	if (found)
		SPI_freeplan(kept->plan);
	*kept = *taken;
}

/* Run a plan. */
static void
run_search(const Target *target, KeptPlan *taken, const NullableDatum *row, RowReceiver receiver)
{
	ParamListInfo parameters = makeParamList(target->nparameters);
	const CachedPlanSource *source;
	CachedPlan *cached;

	for (int i = 0; i < target->nparameters; i++)
	{
		ParamExternData *p = &parameters->params[i];

		p->ptype = target->columns[i].base;
		if (p->ptype != SPI_getargtypeid(taken->plan, i))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("trigger of table \"%s\" searches other columns than before",
							get_rel_name(target->table))));
		p->value = row[i].value;
		p->isnull = row[i].isnull;
		p->pflags = PARAM_FLAG_CONST;
	}
	cached = checked_plan(target, taken);
	source = linitial(SPI_plan_get_plan_sources(taken->plan));
	run_plan(linitial_node(PlannedStmt, cached->stmt_list), source->query_string, parameters, receiver);
	ReleaseCachedPlan(cached, CurrentResourceOwner);
}

uint64
search_of_target(const Target *target)
{
	const char *query = search_query(target, 0);

	return DatumGetUInt64(hash_any_extended((const unsigned char *) query, strlen(query), 0));
}

void
search_originals(const Target *target, const NullableDatum *row, RowReceiver receiver)
{
	PlanKey		key = {target->topmost, 0, target->search, GetUserId(), 0};
	KeptPlan   *taken;

	for (int i = FIRST_EQUAL; i < target->nparameters; i++)
		key.nulls |= (uint32) row[i].isnull << (i - FIRST_EQUAL);
	taken = take_plan(target, key);
	PG_TRY();
	{
		run_search(target, taken, row, receiver);
	}
	PG_FINALLY();
	{
		give_plan_back(taken);
	}
	PG_END_TRY();
}
