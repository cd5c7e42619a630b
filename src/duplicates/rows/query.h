/*-------------------------------------------------------------------------
 *
 * query.h
 *		Reading the rows of a query that the caller gives as a text, and returning rows one
 *		by one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_QUERY_H
#define SIMHASH_QUERY_H

#include "postgres.h"

#include "executor/spi.h"
#include "funcapi.h"

/* What gets the rows of a query */
typedef struct RowReceiver
{
	/*
	 * Gets the columns before the first row of each run, and raises an error
	 * unless they are those that "receive" expects.
	 */
	void		(*begin) (TupleDesc desc, void *arg);

	/*
	 * Gets each row, in memory that is freed after the row, with the
	 * resource owner of the caller.  If it returns false, the query ends.
	 */
	bool		(*receive) (TupleTableSlot *slot, void *arg);
	void	   *arg;
} RowReceiver;

/*
 * Raise an error with this message unless a query returns as many columns.  hint may be NULL.
 */
extern void require_columns(TupleDesc desc, int fewest, int most, const char *message,
							const char *hint);

/* Raise an error unless the columns of a plan still have these types. */
extern void require_types(TupleDesc desc, int n, const Oid *types);

/*
 * A query of the caller, which is analyzed once, so its names have the same meaning in each run.
 * Its tables and views are open, so that no function that it calls can change or drop them.
 */
typedef struct AnalyzedQuery
{
	const char *sql;
	struct Query *query;
	TupleDesc	desc;
	List	   *relations;		/* open */
	bool		remote;			/* did a run read tables of other servers? */
	bool		divided;		/* did a run read partitions, of this server
								 * only? */
} AnalyzedQuery;

/* Analyze a query.  "example" is a query for a hint. */
extern AnalyzedQuery analyze_query(const char *sql, const char *example);

/* Close the tables of a query. */
extern void close_query(AnalyzedQuery *query);

/* Run a query with the rights of the caller. */
extern void run_query(AnalyzedQuery *query, RowReceiver receiver);

/* Analyze, run and close a query. */
extern void read_query(const char *sql, const char *example, RowReceiver receiver);

/*
 * Can a query be run several times under one snapshot, each time for some of its columns?  It must
 * be a plain SELECT without volatile functions, and without anything that chooses among its rows.
 */
extern bool is_repeatable(const AnalyzedQuery *query);

/* Return an expression for a column of a query in a pass, counted from 1, cast to a type. */
extern Node *column_of_pass(const AnalyzedQuery *query, int column, Oid type);

/*
 * Run a repeatable query, and return these expressions of the rows for which the condition is
 * true.  The condition may be NULL.  Its parameters are not NULL.  If "apart" is true, the
 * condition does not become one of each partition.
 */
extern void run_pass(AnalyzedQuery *query, List *columns, Node *condition, bool apart,
					 ParamListInfo parameters, RowReceiver receiver);

/* Run the plan of an SQL statement under the active snapshot. */
extern void run_plan(PlannedStmt *stmt, const char *sql, ParamListInfo parameters, RowReceiver receiver);

/* Columns of a row that return_rows returns */
#define MOST_COLUMNS	4

/* What a function returns row by row, in columns that are not NULL. */
typedef struct RowSource
{
	/* in memory that lives until the end; NULL: there are no rows */
	void	   *(*begin) (FunctionCallInfo fcinfo);
	/* false after the last row; called in memory that is freed after the row */
	bool		(*next) (void *state, Datum *values);
	/* with the state; not called after an error */
	ExprContextCallbackFunction end;
} RowSource;

extern Datum return_rows(FunctionCallInfo fcinfo, const RowSource *source);

#endif							/* SIMHASH_QUERY_H */
