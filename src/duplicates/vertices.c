/*-------------------------------------------------------------------------
 *
 * vertices.c
 *		Ids of edges as vertices, which are numbers below 2^32 in the order of the ids.
 *
 * A sort by ids gives each end of an edge its vertex.  A sort by ends brings the vertices of an
 * edge's two ends together.  Groups are set in the order of vertices, which is that of the ids,
 * and a sort by groups has the id of a group first.
 *
 * A wish is an id that the caller wants earlier than the order of the ids has it.  The vertex of
 * such an id is the number of its first wish.  The vertices of all other ids follow.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "ids.h"
#include "miscadmin.h"
#include "server/progress.h"
#include "server/server_join.h"
#include "server/tuple_sort.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "vertices.h"

#define ENDS_BETWEEN_NOTICES	(1 << 16)

/* ----------
 * Sorts of ids
 * ----------
 */

/*
 * A sort of ids that have numbers: by ids, or by the upper halves of the numbers.  Ids that are
 * equal in that, and are wished for or in a sort by numbers, are in the order of their numbers,
 * and were added in that order.
 */
struct IdSort
{
	ExternalSort *numbers;		/* of integers */
	bool		by_number;
	TupleSort  *tuples;			/* of other ids: id and number, in a sort by
								 * numbers number and id */
};

static TupleSort *
begin_tuples(const Vertices *vertices, bool by_number, size_t memory)
{
	TupleSortColumn id = {vertices->type->type_id, vertices->type->lt_opr, vertices->collation};
	TupleSortColumn number = INT8_COLUMN;
	TupleSortColumn columns[2] = {by_number ? number : id, by_number ? id : number};

	return tuple_sort_begin(columns, 2, !by_number && vertices->have_wishes ? 2 : 1, memory,
							TUPLESORT_NONE);
}

static IdSort *
begin_sort(const Vertices *vertices, bool by_number, size_t memory)
{
	MemoryContext old = MemoryContextSwitchTo(vertices->context);
	IdSort	   *sort = palloc0(sizeof(IdSort));
	uint64		rank;

	sort->by_number = by_number;
	if (integer_rank(vertices->type->type_id, (Datum) 0, &rank))
		sort->numbers = simhash_external_sort_begin(by_number ? LONG_VALUES : LONG_KEYS, memory,
													&vertices->env);
	else
		sort->tuples = begin_tuples(vertices, by_number, memory);
	MemoryContextSwitchTo(old);
	return sort;
}

/* An order of all numbers as signed ones. */
static inline int64
signed_number(uint64 number)
{
	return (int64) (number ^ UINT64CONST(1) << 63);
}

static void
put_id(const Vertices *vertices, IdSort *sort, Datum id, uint64 number)
{
	uint64		rank;

	if (sort->numbers == NULL)
	{
		Datum		n = Int64GetDatum(signed_number(number));
		Datum		values[2] = {sort->by_number ? n : id, sort->by_number ? id : n};

		tuple_sort_put(sort->tuples, values);
	}
	else if (integer_rank(vertices->type->type_id, id, &rank))
	{
		if (sort->by_number)
			simhash_external_sort_add(sort->numbers, number >> 32, rank);
		else
			simhash_external_sort_add(sort->numbers, rank, number);
	}
}

static void
finish_sort(IdSort *sort)
{
	if (sort->numbers != NULL)
		simhash_external_sort_finish(sort->numbers);
	else
		tuplesort_performsort(sort->tuples->state);
}

/*
 * Get the next id and its number; false at the end.  The id is valid until the next call.  A
 * sort of integers by numbers has only the upper half of the number.
 */
static bool
get_id(const Vertices *vertices, IdSort *sort, Datum *id, uint64 *number)
{
	const Datum *values;
	uint64		key;
	uint64		value;

	CHECK_FOR_INTERRUPTS();
	if (sort->numbers != NULL)
	{
		if (!simhash_external_sort_next(sort->numbers, &key, &value))
			return false;
		*id = id_of_rank(vertices->type->type_id, sort->by_number ? value : key);
		*number = sort->by_number ? key << 32 : value;
		return true;
	}
	values = tuple_sort_next(sort->tuples);
	if (values == NULL)
		return false;
	*id = values[sort->by_number ? 1 : 0];
	*number = (uint64) signed_number((uint64) DatumGetInt64(values[sort->by_number ? 0 : 1]));
	return true;
}

static void
end_sort(IdSort **sort)
{
	if (*sort == NULL)
		return;
	if ((*sort)->numbers != NULL)
		simhash_external_sort_end((*sort)->numbers);
	else
		tuple_sort_end((*sort)->tuples);
	*sort = NULL;
}

/* ----------
 * Ids
 * ----------
 */

/* Begin in the current memory context. */
Vertices *
vertices_begin(TypeCacheEntry *type, Oid collation, bool have_wishes)
{
	Vertices   *vertices = palloc0(sizeof(Vertices));

	vertices->files = temp_files_begin(false);
	vertices->context = CurrentMemoryContext;
	vertices->env = join_env(vertices->context, vertices->files);
	vertices->row_context = AllocSetContextCreate(CurrentMemoryContext, "simhash edges",
												  ALLOCSET_DEFAULT_SIZES);
	vertices->type = type;
	vertices->collation = collation;
	vertices->have_wishes = have_wishes;
	vertices->by_id = begin_sort(vertices, false, join_memory() / 2);
	return vertices;
}

/* Put ids into the sort by ids. */
static void
put_by_id(Vertices *vertices, const Datum *ids, int n, uint64 number)
{
	MemoryContext old = MemoryContextSwitchTo(vertices->row_context);

	for (int i = 0; i < n; i++)
	{
		Datum		id = ids[i];

		if (vertices->type->typlen == -1)
			id = PointerGetDatum(PG_DETOAST_DATUM_PACKED(id));
		put_id(vertices, vertices->by_id, id, number + i);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(vertices->row_context);
}

/* Add a wish, after all earlier ones and before all edges. */
void
vertices_add_wish(Vertices *vertices, Datum id)
{
	if (vertices->nwishes == MOST_VERTICES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many ids in the keep query"),
				 errdetail("It can return at most %u ids.", MOST_VERTICES)));
	put_by_id(vertices, &id, 1, vertices->nwishes++);
}

void
vertices_add_edge(Vertices *vertices, Datum a, Datum b)
{
	Datum		ids[2] = {a, b};

	if (vertices->nwishes + vertices->nends + 2 > MOST_VERTICES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many edges"),
				 vertices->nwishes == 0 ?
				 errdetail("At most %u edges can be grouped at a time.", MOST_VERTICES / 2) :
				 errdetail("At most " UINT64_FORMAT " edges can be grouped after " UINT64_FORMAT " ids of the keep query.",
						   (MOST_VERTICES - vertices->nwishes) / 2, vertices->nwishes)));
	put_by_id(vertices, ids, 2, vertices->nwishes + vertices->nends);
	vertices->nends += 2;
}

/* Keep a copy of an id, and free the one before. */
static void
keep_id(Vertices *vertices, Datum id)
{
	const TypeCacheEntry *type = vertices->type;
	MemoryContext old = MemoryContextSwitchTo(vertices->context);

	if (vertices->have_id && !type->typbyval)
		pfree(DatumGetPointer(vertices->id));
	vertices->id = datumCopy(id, type->typbyval, type->typlen);
	vertices->have_id = true;
	MemoryContextSwitchTo(old);
}

/* Is the id another than the one that was kept? */
static inline bool
is_new_id(const Vertices *vertices, Datum id)
{
	if (!vertices->have_id)
		return true;
	if (vertices->by_id->numbers != NULL)
		return vertices->id != id;
	return DatumGetInt32(FunctionCall2Coll(&vertices->type->cmp_proc_finfo, vertices->collation,
										   vertices->id, id)) != 0;
}

/* All edges have been added: vertices_next_edge gives them as edges of vertices. */
void
vertices_rank(Vertices *vertices)
{
	bool		is_known = false;	/* is the vertex of the present id in
									 * "ids"? */
	uint64		vertex = 0;
	uint64		nranked = 0;
	Datum		id;
	uint64		number;

	finish_sort(vertices->by_id);
	vertices->ends = simhash_external_sort_begin(SHORT_NUMBERS, join_memory() / 4, &vertices->env);
	vertices->ids = begin_sort(vertices, true, join_memory() / 4);
	vertices->bound = vertices->nwishes;
	while (get_id(vertices, vertices->by_id, &id, &number))
	{
		if (is_new_id(vertices, id))
		{
			keep_id(vertices, id);
			vertex = number < vertices->nwishes ? number : vertices->bound++;
			is_known = false;
		}
		/* a wish for an id without edges has no vertex */
		if (number < vertices->nwishes)
			continue;
		if (!is_known)
			put_id(vertices, vertices->ids, vertices->id, vertex << 32);
		is_known = true;
		simhash_external_sort_add(vertices->ends, number - vertices->nwishes, vertex);
		if (++nranked % ENDS_BETWEEN_NOTICES == 0 && progress_is_due())
			ereport(NOTICE,
					(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " ends of edges have been ranked",
							nranked, vertices->nends)));
	}
	end_sort(&vertices->by_id);
	finish_sort(vertices->ids);
	simhash_external_sort_finish(vertices->ends);
}

/* The next edge, in the order in which edges were added; false at the end. */
bool
vertices_next_edge(Vertices *vertices, uint32 *a, uint32 *b)
{
	uint64		end;
	uint64		vertex_a;
	uint64		vertex_b;

	CHECK_FOR_INTERRUPTS();
	if (!simhash_external_sort_next(vertices->ends, &end, &vertex_a) ||
		!simhash_external_sort_next(vertices->ends, &end, &vertex_b))
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
	vertices->have_vertex = get_id(vertices, vertices->ids, &vertices->vertex_id,
								   &vertices->vertex);
	vertices->vertex >>= 32;
}

static void
put_row(Vertices *vertices, uint64 group)
{
	put_id(vertices, vertices->rows, vertices->vertex_id, group << 32 | vertices->vertex);
	next_vertex(vertices);
}

/* All edges have been read.  The sort of the rows takes about "memory" bytes. */
void
vertices_begin_groups(Vertices *vertices, size_t memory)
{
	simhash_external_sort_end(vertices->ends);
	vertices->ends = NULL;
	vertices->rows = begin_sort(vertices, true, memory);
	next_vertex(vertices);
}

/*
 * Set the group of a vertex: the first vertex of the group.  Vertices ascend from call to call.
 * One that is left out is the first of its own group.
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

/* All groups have been set: vertices_next gives the ids. */
void
vertices_end_groups(Vertices *vertices)
{
	while (vertices->have_vertex)
		put_row(vertices, vertices->vertex);
	end_sort(&vertices->ids);
	finish_sort(vertices->rows);
	vertices->group = PG_UINT64_MAX;
}

/* Get the next id and that of its group, both valid until the next call; false at the end. */
bool
vertices_next(Vertices *vertices, Datum *id, Datum *group)
{
	uint64		number;

	if (!get_id(vertices, vertices->rows, id, &number))
		return false;
	if (number >> 32 != vertices->group)
	{
		vertices->group = number >> 32;
		keep_id(vertices, *id);
	}
	*group = vertices->id;
	return true;
}

/* End sorts and their files. */
void
vertices_end(Vertices *vertices)
{
	end_sort(&vertices->by_id);
	end_sort(&vertices->ids);
	end_sort(&vertices->rows);
	if (vertices->ends != NULL)
		simhash_external_sort_end(vertices->ends);
	vertices->ends = NULL;
	temp_files_end(vertices->files);
}
