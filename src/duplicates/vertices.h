/*-------------------------------------------------------------------------
 *
 * vertices.h
 *		Ids of edges as vertices, which are numbers below 2^32 in the order of the ids.
 *
 * A caller adds all edges, reads them again as edges of vertices, and sets the groups of
 * the vertices.  Then it reads the ids with the ids of their groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_VERTICES_H
#define SIMHASH_VERTICES_H

#include "postgres.h"

#include "core/store/external_sort.h"
#include "rows/keep_order.h"
#include "server/temp_files.h"

typedef struct Vertices
{
	TempFiles  *files;
	Env			env;			/* of all sorts */
	MemoryContext context;		/* of all memory */
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	/* of the ends of edges; NULL after vertices_rank */
	KeepOrder  *order;
	uint64		nends;
	/* after vertices_rank, all vertices are below it */
	uint64		bound;
	ExternalSort *ends;			/* numbers of ends with their vertices */
	IdSort	   *ids;			/* vertices with their ids */
	IdSort	   *rows;			/* groups with the ids in them */
	uint64		vertex;			/* the next one without a group */
	Datum		vertex_id;
	bool		have_vertex;
	uint64		group;			/* the group of the last row */
	Datum		group_id;		/* copy of its id */
	bool		have_group;
} Vertices;

extern Vertices *vertices_begin(IdType id_type, Oid collation, const char *keep);
extern void vertices_add_edge(Vertices *vertices, Datum a, Datum b);
extern void vertices_rank(Vertices *vertices);
extern bool vertices_next_edge(Vertices *vertices, uint32 *a, uint32 *b);
extern void vertices_begin_groups(Vertices *vertices, size_t memory);
extern void vertices_set_group(Vertices *vertices, uint32 vertex, uint32 group);
extern void vertices_end_groups(Vertices *vertices);
extern bool vertices_next(Vertices *vertices, Datum *id, Datum *group);
extern void vertices_end(Vertices *vertices);

#endif							/* SIMHASH_VERTICES_H */
