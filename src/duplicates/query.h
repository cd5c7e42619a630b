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
 * Run a query with the rights of the caller.  "example" is a query for a hint.
 */
extern void read_query(const char *query, const char *example, RowReceiver receiver);

/*
 * Raise an error with this message unless a query returns as many columns.  hint may be NULL.
 */
extern void require_columns(TupleDesc desc, int fewest, int most, const char *message,
							const char *hint);

/* Raise an error unless the columns of a plan still have these types. */
extern void require_types(TupleDesc desc, int n, const Oid *types);

/*
 * A query that can be run several times under one snapshot, each time for some of its
 * columns: a plain SELECT without volatile functions, and without anything that chooses
 * among its rows.  It is analyzed once, so its names have the same meaning in each run.
 */
typedef struct RepeatableQuery
{
	const char *sql;
	struct Query *query;		/* NULL if it cannot be repeated */
	TupleDesc	desc;
	List	   *relations;		/* open */
	bool		remote;			/* did a run read tables of other servers? */
	bool		divided;		/* did a run read partitions, of this server
								 * only? */
} RepeatableQuery;

/*
 * Analyze a query.  Its tables and views stay open until end_repeatable_query, so that no function
 * that the query calls can change or drop them.
 */
extern RepeatableQuery repeatable_query(const char *query);
extern void end_repeatable_query(RepeatableQuery *query);

/* Return an expression for a column of a repeatable query, counted from 1, cast to a type. */
extern Node *repeatable_column(const RepeatableQuery *query, int column, Oid type);

/*
 * Run a repeatable query, and return these expressions of the rows for which the condition is
 * true.  The condition may be NULL.  Its parameters are not NULL.  If "apart" is true, the
 * condition does not become one of each partition.
 */
extern void run_repeatable_query(RepeatableQuery *query, List *columns, Node *condition,
								 bool apart, ParamListInfo parameters, RowReceiver receiver);

/* Execute a plan under the active snapshot, and return SPI's code. */
extern int	run_plan(SPIPlanPtr plan, ParamListInfo parameters, RowReceiver receiver);

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
