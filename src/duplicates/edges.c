/*-------------------------------------------------------------------------
 *
 * edges.c
 *		simhash_components, simhash_stars: groups of the ids of edges that a query returns.
 *		clusters.c has the groups of documents.
 *
 * Ids are vertices (vertices.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/groups/groups.h"
#include "core/store/roots.h"
#include "rows/query.h"
#include "server/progress.h"
#include "server/server_env.h"
#include "utils/builtins.h"
#include "vertices.h"

PG_FUNCTION_INFO_V1(simhash_components_of_query);
PG_FUNCTION_INFO_V1(simhash_stars_of_query);

#define ROWS_BETWEEN_NOTICES	(1 << 16)

/* ----------
 * Queries
 * ----------
 */

/* The vertices that a query of edges adds, and the types of its columns */
typedef struct Edges
{
	Vertices   *vertices;
	IdType		id_type;
	Oid			columns[2];		/* what widened_id needs to know */
} Edges;

static void
begin_edges(TupleDesc desc, void *arg)
{
	Edges	   *edges = arg;
	const char *hint = NULL;

	require_columns(desc, 2, 2, "query must return two columns: the two ids of each edge", NULL);
	if (edges->id_type.is_argument &&
		TupleDescAttr(desc, 0)->atttypid != TupleDescAttr(desc, 1)->atttypid)
		hint = "Both ids of an edge must have the same type.";
	edges->columns[0] = check_id_column(desc, 1, edges->id_type, "the query", hint);
	edges->columns[1] = check_id_column(desc, 2, edges->id_type, "the query", hint);
}

/* Add the edge of a row.  If one end is NULL, add the other end as a vertex without edges. */
static bool
receive_edge(TupleTableSlot *slot, void *arg)
{
	const Edges *edges = arg;
	Vertices   *vertices = edges->vertices;
	int			a;
	int			b;
	uint64		n;

	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] && slot->tts_isnull[1])
		return true;
	a = slot->tts_isnull[0] ? 1 : 0;
	b = slot->tts_isnull[1] ? 0 : 1;
	vertices_add_edge(vertices, widened_id(edges->columns[a], slot->tts_values[a]),
					  widened_id(edges->columns[b], slot->tts_values[b]));
	n = vertices->nends / 2;
	if (n % ROWS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " edges have been read", n)));
	return true;
}

/* ----------
 * Groups
 * ----------
 */

/* Set the components as groups. */
static void
set_components(Vertices *vertices)
{
	uint32	   *parents;
	size_t		array;
	uint32		a;
	uint32		b;

	vertices_rank(vertices);
	array = vertices->bound * sizeof(uint32);
	parents = env_alloc(&vertices->env, array);
	begin_roots(parents, vertices->bound);
	while (vertices_next_edge(vertices, &a, &b))
		join_roots(parents, a, b);
	end_roots(parents, vertices->bound);

	/*
	 * The array may need more than join_memory().  The sort of the rows
	 * always has at least a quarter of it, and the sort of the vertices' ids
	 * another quarter.
	 */
	vertices_begin_groups(vertices, join_memory() / 2 - Min(array, join_memory() / 4));
	for (uint64 vertex = 0; vertex < vertices->bound; vertex++)
		vertices_set_group(vertices, (uint32) vertex, parents[vertex]);
	env_free(&vertices->env, parents);
	vertices_end_groups(vertices);
}

static void
set_keeper(void *vertices, uint32_t vertex, uint32_t keeper)
{
	vertices_set_group(vertices, vertex, keeper);
}

/* Set the stars as groups. */
static void
set_stars(Vertices *vertices)
{
	ExternalSort *links;
	uint32		a;
	uint32		b;

	vertices_rank(vertices);
	links = core_external_sort_begin(SHORT_NUMBERS, join_memory() / 4, &vertices->env);
	while (vertices_next_edge(vertices, &a, &b))
		if (a != b)
			core_external_sort_add(links, Max(a, b), Min(a, b));
	vertices_begin_groups(vertices, join_memory() / 8 * 3);
	core_star_of_links(links, vertices->bound, &vertices->env, set_keeper, vertices);
	core_external_sort_end(links);
	vertices_end_groups(vertices);
}

/*
 * Run the query of edges that is the first argument of the call, and group its vertices
 * by calling set_groups.  If "keep" is not NULL, that query returns the ids to keep, the
 * most preferred first.
 */
static void *
find_groups(FunctionCallInfo fcinfo, IdType id_type, const char *keep,
			void (*set_groups) (Vertices *vertices))
{
	Edges		edges = {.id_type = id_type};
	const RowReceiver receiver = {begin_edges, receive_edge, &edges};

	progress_begin();
	edges.vertices = vertices_begin(id_type, PG_GET_COLLATION(), keep);
	read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), "SELECT a, b FROM edges", receiver);
	set_groups(edges.vertices);
	return edges.vertices;
}

static void *
find_components(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		return NULL;
	return find_groups(fcinfo, id_type_of_call(fcinfo, 2), NULL, set_components);
}

static void *
find_stars(FunctionCallInfo fcinfo)
{
	IdType		id_type = id_type_of_call(fcinfo, 3);
	int			keep = first_option(id_type);

	if (PG_ARGISNULL(0))
		return NULL;
	return find_groups(fcinfo, id_type,
					   PG_ARGISNULL(keep) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(keep)),
					   set_stars);
}

/* ----------
 * Rows
 * ----------
 */

/* Return the row of the next vertex: its id, and the id of its group. */
static bool
next_vertex_row(void *vertices, Datum *values)
{
	return vertices_next(vertices, &values[0], &values[1]);
}

static void
end_groups(Datum vertices)
{
	vertices_end((Vertices *) DatumGetPointer(vertices));
}

/* simhash_components(query, id_type) returns (id, component). */
Datum
simhash_components_of_query(PG_FUNCTION_ARGS)
{
	static const RowSource source = {find_components, next_vertex_row, end_groups};

	return return_rows(fcinfo, &source);
}

/* simhash_stars(edges, id_type, keep) returns (id, keeper). */
Datum
simhash_stars_of_query(PG_FUNCTION_ARGS)
{
	static const RowSource source = {find_stars, next_vertex_row, end_groups};

	return return_rows(fcinfo, &source);
}
