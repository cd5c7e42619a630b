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

/* Sets the groups of vertices, or returns NULL: there are no rows. */
typedef Vertices *(*FindGroups) (FunctionCallInfo fcinfo);

extern Datum return_groups(FunctionCallInfo fcinfo, FindGroups find);

#endif							/* SIMHASH_EDGES_H */
