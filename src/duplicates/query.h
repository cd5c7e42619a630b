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

#include "executor/tuptable.h"
#include "funcapi.h"

/*
 * Run a query with the rights of the caller.  "begin" sees its columns before the first row,
 * and raises an error if they are wrong.  "receive" sees each row, in a memory context that
 * is current in neither call of the caller.  "example" is a query for a hint.
 */
extern void read_query(const char *query, const char *example,
					   void (*begin) (TupleDesc desc, void *arg),
					   void (*receive) (TupleTableSlot *slot, void *arg), void *arg);
extern FuncCallContext *begin_rows(FunctionCallInfo fcinfo);
extern void at_early_end(FunctionCallInfo fcinfo, ExprContextCallbackFunction end, void *arg);
extern void at_end(FunctionCallInfo fcinfo, ExprContextCallbackFunction end, void *arg);

#endif							/* SIMHASH_QUERY_H */
