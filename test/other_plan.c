/*
 * A planner for query_types.pl: it plans the query of other_plan.query in place of each query whose text
 * contains other_plan.marker, as an extension with a planner of its own could.
 */
#include "postgres.h"

#include "optimizer/planner.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static planner_hook_type next_planner;

static Query *
other_query(const char *sql)
{
	RawStmt    *raw = linitial_node(RawStmt, pg_parse_query(sql));

#if PG_VERSION_NUM >= 150000
	return linitial_node(Query, pg_analyze_and_rewrite_fixedparams(raw, sql, NULL, 0, NULL));
#else
	return linitial_node(Query, pg_analyze_and_rewrite(raw, sql, NULL, 0, NULL));
#endif
}

#if PG_VERSION_NUM >= 190000
#define MORE_PARAMETERS , ExplainState *es
#define MORE_ARGUMENTS , es
#else
#define MORE_PARAMETERS
#define MORE_ARGUMENTS
#endif

static PlannedStmt *
other_plan(Query *query, const char *sql, int options, ParamListInfo parameters MORE_PARAMETERS)
{
	const char *marker = GetConfigOption("other_plan.marker", true, false);

	if (marker != NULL && *marker != '\0' && sql != NULL && strstr(sql, marker) != NULL &&
		strstr(sql, "other_plan") == NULL)
		query = other_query(GetConfigOption("other_plan.query", false, false));
	return (next_planner != NULL ? next_planner : standard_planner) (query, sql, options, parameters MORE_ARGUMENTS);
}

void
_PG_init(void)
{
	next_planner = planner_hook;
	planner_hook = other_plan;
}
