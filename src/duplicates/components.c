/*-------------------------------------------------------------------------
 *
 * components.c
 *		simhash_components: connected components of the edges that a query returns.
 *		clusters.c has the components of documents.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/join/roots.h"
#include "documents.h"
#include "edges.h"
#include "ids.h"
#include "server/progress.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(simhash_components_of_query);

/* Set the components as groups. */
static void
connect_vertices(Vertices *vertices)
{
	uint32	   *parents;
	size_t		array;
	uint32		a;
	uint32		b;

	vertices_rank(vertices);
	array = vertices->bound * sizeof(uint32);
	parents = join_alloc(&vertices->env, array);
	begin_roots(parents, vertices->bound);
	while (vertices_next_edge(vertices, &a, &b))
		join_roots(parents, a, b);
	end_roots(parents, vertices->bound);

	/*
	 * The array takes its memory even if that is more than join_memory().  The rows have at least
	 * a quarter of join_memory(), beside the quarter of the vertices' ids.
	 */
	vertices_begin_groups(vertices, join_memory() / 2 - Min(array, join_memory() / 4));
	for (uint64 vertex = 0; vertex < vertices->bound; vertex++)
		vertices_set_group(vertices, (uint32) vertex, parents[vertex]);
	join_free(&vertices->env, parents);
	vertices_end_groups(vertices);
}

static void *
find_components(FunctionCallInfo fcinfo)
{
	Vertices   *vertices;

	if (PG_ARGISNULL(0))
		return NULL;
	progress_begin();
	vertices = vertices_begin(type_of_ids(id_type_of_args(fcinfo)), PG_GET_COLLATION(), false);
	read_edges(text_to_cstring(PG_GETARG_TEXT_PP(0)), vertices);
	connect_vertices(vertices);
	return vertices;
}

/* simhash_components(query, id_type) returns (id, component). */
Datum
simhash_components_of_query(PG_FUNCTION_ARGS)
{
	return return_groups(fcinfo, find_components);
}
