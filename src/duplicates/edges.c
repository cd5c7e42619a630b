/*-------------------------------------------------------------------------
 *
 * edges.c
 *		Edges that a query of the caller returns, and functions that group their ids.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "edges.h"
#include "ids.h"
#include "query.h"
#include "server/progress.h"

#define MOST_EDGES	PG_INT32_MAX	/* they have fewer than 2^32 vertices */

#define ROWS_BETWEEN_NOTICES	(1 << 16)

typedef struct EdgeReader
{
	Vertices   *vertices;
	uint64		n;
} EdgeReader;

static void
begin_edges(TupleDesc desc, void *arg)
{
	Oid			id_type = ((EdgeReader *) arg)->vertices->type->type_id;

	if (desc->natts != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must return two columns, the ids of an edge"),
				 errdetail("It returns %d.", desc->natts)));
	check_id_column(desc, 1, id_type, "the query");
	check_id_column(desc, 2, id_type, "the query");
}

/* NULL is no vertex: an edge to it tells only that the other end is a vertex. */
static void
receive_edge(TupleTableSlot *slot, void *arg)
{
	EdgeReader *reader = arg;

	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] && slot->tts_isnull[1])
		return;
	if (++reader->n > MOST_EDGES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many edges"),
				 errdetail("At most %d can be joined at a time.", MOST_EDGES)));
	if (reader->n % ROWS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " edges have been read", reader->n)));
	vertices_add_edge(reader->vertices, slot->tts_values[slot->tts_isnull[0] ? 1 : 0],
					  slot->tts_values[slot->tts_isnull[1] ? 0 : 1]);
}

/* Add all edges of a query of two ids. */
void
read_edges(const char *query, Vertices *vertices)
{
	EdgeReader	reader = {vertices, 0};

	read_query(query, "SELECT a, b FROM edges", begin_edges, receive_edge, &reader);
}

static bool
next_row(void *vertices, Datum *values)
{
	return vertices_next(vertices, &values[0], &values[1]);
}

static void
end_groups(Datum vertices)
{
	vertices_end((Vertices *) DatumGetPointer(vertices));
}

/* Return a row of two ids for each vertex: its own, and that of its group. */
Datum
return_groups(FunctionCallInfo fcinfo, void *(*find) (FunctionCallInfo fcinfo))
{
	RowSource	source = {find, next_row, end_groups};

	return return_rows(fcinfo, &source);
}
