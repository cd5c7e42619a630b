/*-------------------------------------------------------------------------
 *
 * vertices.h
 *		Ids of edges as vertices, which are numbers below 2^32 in the order of the ids.
 *
 * A caller adds all edges, reads them again as edges of vertices, and sets the groups of the
 * vertices.  Then it reads the ids with the ids of their groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_VERTICES_H
#define SIMHASH_VERTICES_H

#include "postgres.h"

#include "core/join/external_sort.h"
#include "core/join/join_env.h"
#include "executor/tuptable.h"
#include "server/temp_files.h"
#include "utils/typcache.h"

/* Wishes and ends of edges of a call */
#define MOST_VERTICES	(PG_UINT32_MAX - 1)

typedef struct IdSort IdSort;

typedef struct Vertices
{
	TempFiles  *files;
	JoinEnv		env;			/* of all sorts */
	MemoryContext context;		/* of all memory */
	MemoryContext row_context;	/* of the ids of an edge */
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	bool		have_wishes;
	uint64		nwishes;
	uint64		nends;			/* of edges */
	uint64		bound;			/* of vertices, after vertices_rank */
	IdSort	   *by_id;			/* ids with their numbers among all wishes and
								 * ends */
	ExternalSort *ends;			/* numbers of ends with their vertices */
	IdSort	   *ids;			/* vertices with their ids */
	IdSort	   *rows;			/* groups with the ids in them */
	Datum		id;				/* copy of an id */
	bool		have_id;
	uint64		vertex;			/* the next one without a group */
	Datum		vertex_id;
	bool		have_vertex;
	uint64		group;			/* of the last row; "id" is its id */
} Vertices;

extern Vertices *vertices_begin(TypeCacheEntry *type, Oid collation, bool have_wishes);
extern void vertices_add_wish(Vertices *vertices, Datum id);
extern void vertices_add_edge(Vertices *vertices, Datum a, Datum b);
extern void vertices_rank(Vertices *vertices);
extern bool vertices_next_edge(Vertices *vertices, uint32 *a, uint32 *b);
extern void vertices_begin_groups(Vertices *vertices, size_t memory);
extern void vertices_set_group(Vertices *vertices, uint32 vertex, uint32 group);
extern void vertices_end_groups(Vertices *vertices);
extern bool vertices_next(Vertices *vertices, Datum *id, Datum *group);
extern void vertices_end(Vertices *vertices);

#endif							/* SIMHASH_VERTICES_H */
