/*-------------------------------------------------------------------------
 *
 * components.c
 *		simhash_components: connected components of the edges that a query returns.
 *
 * Integer ids are connected as they are, so an edge needs no memory.  Of other ids the vertices
 * are connected.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/join/connections.h"
#include "documents.h"
#include "edges.h"
#include "ids.h"
#include "server/progress.h"
#include "utils/builtins.h"
#include "vertices.h"

PG_FUNCTION_INFO_V1(simhash_components_of_query);

typedef struct ComponentsState
{
	TempFiles  *files;
	JoinEnv		env;
	TypeCacheEntry *type;		/* of the ids */
	Connections *connections;	/* of integers */
	Vertices   *vertices;		/* of other ids, or NULL */
} ComponentsState;

static void
connect_integers(void *arg, Datum a, Datum b)
{
	ComponentsState *state = arg;
	uint64		rank_a;
	uint64		rank_b;

	if (integer_rank(state->type->type_id, a, &rank_a) &&
		integer_rank(state->type->type_id, b, &rank_b))
		simhash_connections_add(state->connections, rank_a, rank_b);
}

static void
add_edge(void *arg, Datum a, Datum b)
{
	vertices_add_edge(((ComponentsState *) arg)->vertices, a, b);
}

/* Connect the vertices, and set their components as groups. */
static void
connect_vertices(ComponentsState *state)
{
	Vertices   *vertices = state->vertices;
	Connections *connections;
	NumberSort *found;
	uint32		a;
	uint32		b;
	uint64		vertex;
	uint64		root;

	vertices_rank(vertices);
	connections = simhash_connections_begin(join_memory() / 2, &state->env);
	while (vertices_next_edge(vertices, &a, &b))
		simhash_connections_add(connections, a, b);
	simhash_connections_finish(connections);
	found = simhash_number_sort_begin(SHORT_NUMBERS, join_memory() / 4, &state->env);
	while (simhash_connections_next(connections, &vertex, &root))
		simhash_number_sort_add(found, vertex, root);
	simhash_connections_end(connections);
	simhash_number_sort_finish(found);
	vertices_begin_groups(vertices, join_memory() / 2);
	while (simhash_number_sort_next(found, &vertex, &root))
		vertices_set_group(vertices, (uint32) vertex, (uint32) root);
	simhash_number_sort_end(found);
	vertices_end_groups(vertices);
}

static void *
find_components(FunctionCallInfo fcinfo)
{
	ComponentsState *state;
	uint64		rank;
	char	   *query;

	if (PG_ARGISNULL(0))
		return NULL;
	query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	progress_begin();
	state = palloc0(sizeof(ComponentsState));
	state->files = temp_files_begin(false);
	state->env = join_env(CurrentMemoryContext, state->files);
	state->type = type_of_ids(id_type_of_args(fcinfo));
	if (integer_rank(state->type->type_id, (Datum) 0, &rank))
	{
		state->connections = simhash_connections_begin(join_memory(), &state->env);
		read_edges(query, state->type, connect_integers, state);
		simhash_connections_finish(state->connections);
	}
	else
	{
		state->vertices = vertices_begin(state->type, PG_GET_COLLATION(), false, state->files,
										 &state->env);
		read_edges(query, state->type, add_edge, state);
		connect_vertices(state);
	}
	return state;
}

static bool
next_id(void *arg, Datum *id, Datum *component)
{
	ComponentsState *state = arg;
	uint64		vertex;
	uint64		root;

	if (state->vertices != NULL)
		return vertices_next(state->vertices, id, component);
	if (!simhash_connections_next(state->connections, &vertex, &root))
		return false;
	*id = id_of_rank(state->type->type_id, vertex);
	*component = id_of_rank(state->type->type_id, root);
	return true;
}

static void
end_components(Datum arg)
{
	ComponentsState *state = (ComponentsState *) DatumGetPointer(arg);

	if (state->vertices != NULL)
		vertices_end(state->vertices);
	temp_files_end(state->files);
}

/* simhash_components(query, id_type) returns (id, component). */
Datum
simhash_components_of_query(PG_FUNCTION_ARGS)
{
	static const IdRows rows = {find_components, next_id, end_components};

	return return_id_rows(fcinfo, &rows);
}
