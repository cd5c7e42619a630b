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

#include "fmgr.h"
#include "vertices.h"

extern void read_edges(const char *query, Vertices *vertices);

/* "find" sets the groups of Vertices, or returns NULL: there are no rows. */
extern Datum return_groups(FunctionCallInfo fcinfo, void *(*find) (FunctionCallInfo fcinfo));

#endif							/* SIMHASH_EDGES_H */
