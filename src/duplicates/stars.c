/*-------------------------------------------------------------------------
 *
 * stars.c
 *		simhash_stars: stars of the edges that a query returns.
 *
 * The order in which documents join keepers is that of vertices.
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
#include "vertices.h"

PG_FUNCTION_INFO_V1(simhash_stars_of_query);

#define WISHES_BETWEEN_NOTICES	(1 << 16)

typedef struct StarsState
{
	TempFiles  *files;
	JoinEnv		env;
	Vertices   *vertices;
} StarsState;

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
add_edge(void *vertices, Datum a, Datum b)
{
	vertices_add_edge(vertices, a, b);
}

static void
set_keeper(void *vertices, uint32_t vertex, uint32_t keeper)
{
	vertices_set_group(vertices, vertex, keeper);
}

/* Set the stars as groups. */
static void
link_vertices(StarsState *state)
{
	Vertices   *vertices = state->vertices;
	NumberSort *links;
	uint32		a;
	uint32		b;

	vertices_rank(vertices);
	links = simhash_number_sort_begin(SHORT_NUMBERS, join_memory() / 4, &state->env);
	while (vertices_next_edge(vertices, &a, &b))
		if (a != b)
			simhash_number_sort_add(links, Max(a, b), Min(a, b));
	vertices_begin_groups(vertices, join_memory() / 8 * 3);
	simhash_star_of_links(links, vertices->bound, join_memory() / 8, &state->env, set_keeper,
						  vertices);
	simhash_number_sort_end(links);
	vertices_end_groups(vertices);
}

static void *
find_stars(FunctionCallInfo fcinfo)
{
	StarsState *state;
	TypeCacheEntry *type;
	char	   *edges;

	if (PG_ARGISNULL(0))
		return NULL;
	edges = text_to_cstring(PG_GETARG_TEXT_PP(0));
	progress_begin();
	state = palloc0(sizeof(StarsState));
	state->files = temp_files_begin(false);
	state->env = join_env(CurrentMemoryContext, state->files);
	type = type_of_ids(id_type_of_args(fcinfo));
	state->vertices = vertices_begin(type, PG_GET_COLLATION(), !PG_ARGISNULL(2), state->files,
									 &state->env);
	if (!PG_ARGISNULL(2))
		read_query(text_to_cstring(PG_GETARG_TEXT_PP(2)),
				   "SELECT id FROM docs ORDER BY length(body) DESC", begin_keep, receive_wish,
				   state->vertices);
	read_edges(edges, type, add_edge, state->vertices);
	link_vertices(state);
	return state;
}

static bool
next_id(void *state, Datum *id, Datum *keeper)
{
	return vertices_next(((StarsState *) state)->vertices, id, keeper);
}

static void
end_stars(Datum arg)
{
	StarsState *state = (StarsState *) DatumGetPointer(arg);

	vertices_end(state->vertices);
	temp_files_end(state->files);
}

/* simhash_stars(edges, id_type, keep) returns (id, keeper). */
Datum
simhash_stars_of_query(PG_FUNCTION_ARGS)
{
	static const IdRows rows = {find_stars, next_id, end_stars};

	return return_id_rows(fcinfo, &rows);
}
