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

/*
 * Gets each row of a query, in memory that is freed after the row.  If it returns false, the
 * query ends.
 */
typedef bool (*ReceiveRow) (TupleTableSlot *slot, void *arg);

/*
 * Run a query with the rights of the caller.  "begin" gets its columns before the first
 * row, and raises an error if they are wrong.  "receive" gets each row, and runs with the
 * caller's resource owner.  "example" is a query for a hint.
 */
extern void read_query(const char *query, const char *example,
					   void (*begin) (TupleDesc desc, void *arg),
					   ReceiveRow receive, void *arg);

/*
 * Raise an error with this message unless a query returns as many columns.  hint may be NULL.
 */
extern void require_columns(TupleDesc desc, int fewest, int most, const char *message,
							const char *hint);

/*
 * A query that can be run several times under one snapshot, each time for some of its
 * columns: a plain SELECT without volatile functions, and without anything that chooses
 * among its rows.
 */
typedef struct RepeatableQuery
{
	/* without a semicolon at its end; NULL if it cannot be repeated */
	char	   *sql;
	TupleDesc	desc;
	bool		remote;			/* does it read tables of other servers? */
	bool		divided;		/* does it read partitions, of this server
								 * only? */
} RepeatableQuery;

extern RepeatableQuery repeatable_query(const char *query);

/* Run a query like read_query, with parameters $1, $2, ... that are not NULL. */
extern void read_query_with(const char *query, int nparameters, Oid *types, Datum *values,
							ReceiveRow receive, void *arg);

/* Execute a plan under the active snapshot, and return SPI's code. */
extern int	run_plan(SPIPlanPtr plan, ParamListInfo parameters, ReceiveRow receive, void *arg);

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
