/*-------------------------------------------------------------------------
 *
 * stars.c
 *		simhash_stars: stars of the edges that a query returns.  clusters.c has the stars of
 *		documents.
 *
 * Documents are vertices (vertices.c), and join keepers in the order of vertices.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/join/star_links.h"
#include "documents.h"
#include "edges.h"
#include "ids.h"
#include "query.h"
#include "server/progress.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(simhash_stars_of_query);

#define WISHES_BETWEEN_NOTICES	(1 << 16)

static void
begin_keep(TupleDesc desc, void *arg)
{
	const Vertices *vertices = arg;

	if (desc->natts != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keep must return one column, the id"),
				 errdetail("It returns %d.", desc->natts)));
	check_id_column(desc, 1, vertices->type->type_id, "keep");
}

/* NULL is no vertex. */
static void
receive_wish(TupleTableSlot *slot, void *arg)
{
	Vertices   *vertices = arg;

	slot_getsomeattrs(slot, 1);
	if (slot->tts_isnull[0])
		return;
	vertices_add_wish(vertices, slot->tts_values[0]);
	if (vertices->nwishes % WISHES_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " ids in order have been read", vertices->nwishes)));
}

static void
set_keeper(void *vertices, uint32_t vertex, uint32_t keeper)
{
	vertices_set_group(vertices, vertex, keeper);
}

/* Set the stars as groups. */
static void
link_vertices(Vertices *vertices)
{
	NumberSort *links;
	uint32		a;
	uint32		b;

	vertices_rank(vertices);
	links = simhash_number_sort_begin(SHORT_NUMBERS, join_memory() / 4, &vertices->env);
	while (vertices_next_edge(vertices, &a, &b))
		if (a != b)
			simhash_number_sort_add(links, Max(a, b), Min(a, b));
	vertices_begin_groups(vertices, join_memory() / 8 * 3);
	simhash_star_of_links(links, vertices->bound, join_memory() / 8, &vertices->env,
						  set_keeper, vertices);
	simhash_number_sort_end(links);
	vertices_end_groups(vertices);
}

static void *
find_stars(FunctionCallInfo fcinfo)
{
	Vertices   *vertices;

	if (PG_ARGISNULL(0))
		return NULL;
	progress_begin();
	vertices = vertices_begin(type_of_ids(id_type_of_args(fcinfo)), PG_GET_COLLATION(),
							  !PG_ARGISNULL(2));
	if (!PG_ARGISNULL(2))
		read_query(text_to_cstring(PG_GETARG_TEXT_PP(2)),
				   "SELECT id FROM docs ORDER BY length(body) DESC", begin_keep, receive_wish,
				   vertices);
	read_edges(text_to_cstring(PG_GETARG_TEXT_PP(0)), vertices);
	link_vertices(vertices);
	return vertices;
}

/* simhash_stars(edges, id_type, keep) returns (id, keeper). */
Datum
simhash_stars_of_query(PG_FUNCTION_ARGS)
{
	return return_groups(fcinfo, find_stars);
}
