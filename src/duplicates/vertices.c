/*-------------------------------------------------------------------------
 *
 * vertices.c
 *		Ids of edges as vertices, which are numbers below 2^32 in the order of the ids.
 *
 * The vertex of an id is its rank in the order of keeping (keep_order.c), which gives
 * each end of an edge its vertex.  A sort by ends brings the vertices of an edge's two
 * ends together.  Groups are set in the order of vertices, and a sort by groups has the
 * id of a group first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "server/progress.h"
#include "server/server_env.h"
#include "vertices.h"

#define ENDS_BETWEEN_NOTICES	(1 << 16)

/* ----------
 * Edges
 * ----------
 */

/* Begin a sort of ids by their vertices or groups. */
static IdSort *
begin_vertex_sort(const Vertices *vertices, size_t memory)
{
	MemoryContext old = MemoryContextSwitchTo(vertices->context);
	IdSort	   *sort = id_sort_begin(vertices->type, vertices->collation, BY_UPPER_HALF, memory,
									 &vertices->env);

	MemoryContextSwitchTo(old);
	return sort;
}

/*
 * Begin to collect edges in the current memory context.  First read the query "keep",
 * unless it is NULL.
 */
Vertices *
vertices_begin(IdType id_type, Oid collation, const char *keep)
{
	Vertices   *vertices = palloc0(sizeof(Vertices));

	vertices->files = temp_files_begin(false);
	vertices->context = CurrentMemoryContext;
	vertices->env = env_with_files(vertices->context, vertices->files);
	vertices->order = keep_order_begin(id_type, collation, keep, "keep", join_memory() / 2, &vertices->env);
	vertices->type = vertices->order->type;
	vertices->collation = collation;
	return vertices;
}

void
vertices_add_edge(Vertices *vertices, Datum a, Datum b)
{
	uint64		npreferred = vertices->order->npreferred;

	if (npreferred + vertices->nends + 2 > MOST_KEPT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many edges"),
				 npreferred == 0 ?
				 errdetail("At most %u edges can be grouped at a time.", MOST_KEPT / 2) :
				 errdetail("At most " UINT64_FORMAT " edges can be grouped after " UINT64_FORMAT " ids of the keep query.",
						   (MOST_KEPT - npreferred) / 2, npreferred)));
	keep_order_put(vertices->order, a, vertices->nends++);
	keep_order_put(vertices->order, b, vertices->nends++);
}

/*
 * Number the vertices, after all edges have been added.  vertices_next_edge then returns
 * the edges.
 */
void
vertices_rank(Vertices *vertices)
{
	KeepOrder  *order = vertices->order;
	uint64		nranked = 0;
	KeptNumber	kept;

	keep_order_finish(order);
	vertices->ends = core_external_sort_begin(SHORT_NUMBERS, join_memory() / 4, &vertices->env);
	vertices->ids = begin_vertex_sort(vertices, join_memory() / 4);
	while (keep_order_next(order, &kept))
	{
		if (kept.is_first)
			id_sort_put(vertices->ids, order->id, kept.rank << 32);
		core_external_sort_add(vertices->ends, kept.number, kept.rank);
		if (++nranked % ENDS_BETWEEN_NOTICES == 0 && progress_is_due())
			ereport(NOTICE,
					(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " ends of edges have been ranked",
							nranked, vertices->nends)));
	}
	vertices->bound = order->bound;
	keep_order_end(order);
	vertices->order = NULL;
	id_sort_finish(vertices->ids);
	core_external_sort_finish(vertices->ends);
}

/* Get the next edge, in the order in which edges were added; false at the end. */
bool
vertices_next_edge(Vertices *vertices, uint32 *a, uint32 *b)
{
	uint64		end;
	uint64		vertex_a;
	uint64		vertex_b;

	CHECK_FOR_INTERRUPTS();
	if (!core_external_sort_next(vertices->ends, &end, &vertex_a) ||
		!core_external_sort_next(vertices->ends, &end, &vertex_b))
		return false;
	*a = (uint32) vertex_a;
	*b = (uint32) vertex_b;
	return true;
}

/* ----------
 * Groups
 * ----------
 */

static void
next_vertex(Vertices *vertices)
{
	vertices->have_vertex = id_sort_next(vertices->ids, &vertices->vertex_id,
										 &vertices->vertex);
	vertices->vertex >>= 32;
}

static void
put_row(Vertices *vertices, uint64 group)
{
	id_sort_put(vertices->rows, vertices->vertex_id, group << 32 | vertices->vertex);
	next_vertex(vertices);
}

/*
 * Begin to set groups, after all edges have been read.  The sort of the rows takes about
 * "memory" bytes.
 */
void
vertices_begin_groups(Vertices *vertices, size_t memory)
{
	core_external_sort_end(vertices->ends);
	vertices->ends = NULL;
	vertices->rows = begin_vertex_sort(vertices, memory);
	next_vertex(vertices);
}

/*
 * Set the group of a vertex.  A group is named by its first vertex.  Vertices ascend from
 * call to call.  A vertex that is left out is the first of its own group.
 */
void
vertices_set_group(Vertices *vertices, uint32 vertex, uint32 group)
{
	while (vertices->have_vertex && vertices->vertex < vertex)
		put_row(vertices, vertices->vertex);
	if (!vertices->have_vertex || vertices->vertex != vertex)
		elog(ERROR, "there is no id for vertex %u", vertex);
	put_row(vertices, group);
}

/* End the setting of groups.  vertices_next then returns the ids. */
void
vertices_end_groups(Vertices *vertices)
{
	while (vertices->have_vertex)
		put_row(vertices, vertices->vertex);
	id_sort_end(vertices->ids);
	vertices->ids = NULL;
	id_sort_finish(vertices->rows);
	vertices->group = PG_UINT64_MAX;
}

/* Get the next id and that of its group, both valid until the next call; false at the end. */
bool
vertices_next(Vertices *vertices, Datum *id, Datum *group)
{
	uint64		number;

	if (!id_sort_next(vertices->rows, id, &number))
		return false;
	if (number >> 32 != vertices->group)
	{
		vertices->group = number >> 32;
		replace_id(&vertices->group_id, &vertices->have_group, *id, vertices->type,
				   vertices->context);
	}
	*group = vertices->group_id;
	return true;
}

/* End sorts and their files. */
void
vertices_end(Vertices *vertices)
{
	if (vertices->order != NULL)
		keep_order_end(vertices->order);
	if (vertices->ids != NULL)
		id_sort_end(vertices->ids);
	if (vertices->rows != NULL)
		id_sort_end(vertices->rows);
	if (vertices->ends != NULL)
		core_external_sort_end(vertices->ends);
	temp_files_end(vertices->files);
}
