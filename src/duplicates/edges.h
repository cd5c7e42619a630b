/*-------------------------------------------------------------------------
 *
 * edges.h
 *		Edges that a query of the caller returns, and functions that group their ids.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_EDGES_H
#define SIMHASH_EDGES_H

#include "postgres.h"

#include "funcapi.h"
#include "utils/typcache.h"

typedef void (*AddEdge) (void *arg, Datum a, Datum b);

extern void read_edges(const char *query, const TypeCacheEntry *type, AddEdge add, void *arg);

/* A function that returns rows of two ids */
typedef struct IdRows
{
	void	   *(*begin) (FunctionCallInfo fcinfo); /* NULL: there are no rows */
	bool		(*next) (void *state, Datum *first, Datum *second);
	ExprContextCallbackFunction end;
} IdRows;

extern Datum return_id_rows(FunctionCallInfo fcinfo, const IdRows *rows);

#endif							/* SIMHASH_EDGES_H */
