/*-------------------------------------------------------------------------
 *
 * connections.c
 *		Connected components of any edges, in a given amount of memory.
 *
 * A table of vertices joins them to trees (union-find).  Once the table is full,
 * edges of vertices that are not in it go to a file.  When all edges are known,
 * the vertices of these edges are replaced by the roots of their trees, the
 * trees go to a file of labels, and the remaining edges fill the table again:
 * the next level.  A vertex that is not a root does not occur in later levels.
 * So the labels of a level, from the last to the first, are resolved by those of
 * later levels.
 *
 * If many edges connect the same vertices, the file of edges grows too large.
 * It is then replaced by as many edges as connect its vertices.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "connections.h"

#define EDGES_IN_BUFFER		4096

#ifndef JOIN_TEST_SIZES
#define FEWEST_SLOTS		4096
#else
#define FEWEST_SLOTS		16
#endif
#define NO_SLOT				UINT64_MAX

typedef struct Edge
{
	uint64_t	a;
	uint64_t	b;
} Edge;

/*
 * Edges in a file; with few edges there is no file.  Edges can be added after all were read,
 * and then be read again from the first on.
 */
typedef struct EdgeFile
{
	JoinFile   *file;
	Edge	   *buffer;
	size_t		buffered;
	uint64_t	n;
	uint64_t	next;			/* to read */
} EdgeFile;

/* "link" is a slot of the tree's parent; when labels are resolved, the label of "vertex" */
typedef struct Slot
{
	uint64_t	vertex;
	uint64_t	link;			/* NO_SLOT: the slot is empty */
} Slot;

struct Connections
{
	const JoinEnv *env;
	size_t		memory;
	Slot	   *slots;
	size_t		nslots;
	size_t		most_slots;
	size_t		used;
	EdgeFile	edges;			/* that did not fit */
	uint64_t	most_edges;		/* before they are replaced by fewer */
	EdgeFile   *labels;			/* of each level, and the result */
	int			nlevels;
	size_t		at;				/* next slot of the result, if it is in the table */
	size_t		until_interrupts;
};

/* ----------
 * Edges in files
 * ----------
 */

static void
flush_edges(EdgeFile *edges, const JoinEnv *env)
{
	if (edges->file == NULL)
		edges->file = env->create_file(env->file_arg);
	env->append(edges->file, edges->buffer, edges->buffered * sizeof(Edge));
	edges->buffered = 0;
	join_check_interrupts(env);
}

static void
add_edge(EdgeFile *edges, uint64_t a, uint64_t b, const JoinEnv *env)
{
	if (edges->buffer == NULL)
		edges->buffer = join_alloc(env, EDGES_IN_BUFFER * sizeof(Edge));
	if (edges->buffered == EDGES_IN_BUFFER)
		flush_edges(edges, env);
	edges->buffer[edges->buffered].a = a;
	edges->buffer[edges->buffered++].b = b;
	edges->n++;
}

/* The next edge, from the first on if "next" is 0; false at the end */
static bool
next_edge(EdgeFile *edges, Edge *edge, const JoinEnv *env)
{
	size_t		place = edges->next % EDGES_IN_BUFFER;

	if (edges->next == edges->n)
		return false;
	if (edges->file != NULL)
	{
		if (edges->buffered > 0)
			flush_edges(edges, env);
		if (place == 0)
		{
			uint64_t	left = edges->n - edges->next;

			env->read(edges->file, edges->next * sizeof(Edge), edges->buffer,
					  (left < EDGES_IN_BUFFER ? left : EDGES_IN_BUFFER) * sizeof(Edge));
			join_check_interrupts(env);
		}
	}
	*edge = edges->buffer[place];
	edges->next++;
	return true;
}

static void
free_edges(EdgeFile *edges, const JoinEnv *env)
{
	if (edges->file != NULL)
		env->remove_file(edges->file);
	join_free(env, edges->buffer);
	memset(edges, 0, sizeof(EdgeFile));
}

/* ----------
 * Table
 * ----------
 */

static void
make_table(Connections *connections, size_t nslots)
{
	const JoinEnv *env = connections->env;

	connections->slots = join_alloc(env, nslots * sizeof(Slot));
	memset(connections->slots, 0xff, nslots * sizeof(Slot));
	connections->nslots = nslots;
	connections->used = 0;
}

/* The slot of a vertex, or the empty slot where it belongs */
static inline size_t
slot_of(const Connections *connections, uint64_t vertex)
{
	uint64_t	hash = vertex * UINT64_C(0x9e3779b97f4a7c15);
	size_t		slot;

	hash ^= hash >> 29;
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	slot = (size_t) ((hash >> 32) * connections->nslots >> 32);
	while (connections->slots[slot].link != NO_SLOT &&
		   connections->slots[slot].vertex != vertex)
		if (++slot == connections->nslots)
			slot = 0;
	return slot;
}

static inline size_t
find_root(Slot *slots, size_t slot)
{
	while (slots[slot].link != slot)
	{
		slots[slot].link = slots[slots[slot].link].link;
		slot = slots[slot].link;
	}
	return slot;
}

static void
grow(Connections *connections)
{
	Slot	   *old = connections->slots;
	size_t		nold = connections->nslots;
	size_t		used = connections->used;

	make_table(connections, nold > connections->most_slots / 2 ? connections->most_slots :
			   nold * 2);
	for (size_t i = 0; i < nold; i++)
		if (old[i].link != NO_SLOT)
		{
			size_t		slot = slot_of(connections, old[i].vertex);
			size_t		parent;

			connections->slots[slot].vertex = old[i].vertex;
			if (connections->slots[slot].link == NO_SLOT)
				connections->slots[slot].link = slot;
			parent = slot_of(connections, old[old[i].link].vertex);
			connections->slots[parent].vertex = old[old[i].link].vertex;
			if (connections->slots[parent].link == NO_SLOT)
				connections->slots[parent].link = parent;
			connections->slots[slot].link = parent;
		}
	connections->used = used;
	join_free(connections->env, old);
}

/* The slot of a vertex, which is added unless the table is full: then NO_SLOT */
static inline size_t
find_or_add(Connections *connections, uint64_t vertex)
{
	size_t		slot = slot_of(connections, vertex);

	if (connections->slots[slot].link != NO_SLOT)
		return slot;
	if (connections->used >= connections->nslots / 4 * 3)
	{
		if (connections->nslots >= connections->most_slots)
			return NO_SLOT;
		join_check_interrupts(connections->env);
		grow(connections);
		slot = slot_of(connections, vertex);
	}
	connections->slots[slot].vertex = vertex;
	connections->slots[slot].link = slot;
	connections->used++;
	return slot;
}

/* The root of a vertex, or the vertex itself if it is not in the table */
static inline uint64_t
root_of(const Connections *connections, size_t slot, uint64_t vertex)
{
	return slot == NO_SLOT ? vertex :
		connections->slots[find_root(connections->slots, slot)].vertex;
}

/* ----------
 * Edges
 * ----------
 */

Connections *
simhash_connections_begin(size_t memory, const JoinEnv *env)
{
	Connections *connections = join_alloc(env, sizeof(Connections));

	memset(connections, 0, sizeof(Connections));
	connections->env = env;
	connections->memory = memory;
	/* while the table grows there are two; half is for replacing edges by fewer */
	connections->most_slots = memory / 2 / 3 * 2 / sizeof(Slot);
	if (connections->most_slots < FEWEST_SLOTS)
		connections->most_slots = FEWEST_SLOTS;
	if (connections->most_slots > UINT32_MAX)
		connections->most_slots = UINT32_MAX;
	connections->most_edges = 4 * (uint64_t) connections->most_slots;
	make_table(connections, FEWEST_SLOTS);
	return connections;
}

/* Replace the edges in the file by as many as connect their vertices. */
static void
reduce_edges(Connections *connections)
{
	const JoinEnv *env = connections->env;
	Connections *forest = simhash_connections_begin(connections->memory / 2, env);
	EdgeFile	edges = connections->edges;
	Edge		edge;

	forest->most_edges = UINT64_MAX;
	memset(&connections->edges, 0, sizeof(EdgeFile));
	while (next_edge(&edges, &edge, env))
		simhash_connections_add(forest, edge.a, edge.b);
	free_edges(&edges, env);
	simhash_connections_finish(forest);
	while (simhash_connections_next(forest, &edge.a, &edge.b))
		add_edge(&connections->edges, edge.a, edge.b, env);
	simhash_connections_end(forest);
	if (connections->most_edges < 4 * connections->edges.n)
		connections->most_edges = 4 * connections->edges.n;
}

/* Add an edge, or, if both are the same, a vertex. */
void
simhash_connections_add(Connections *connections, uint64_t a, uint64_t b)
{
	size_t		slot_a = find_or_add(connections, a);
	size_t		slot_b;
	Slot	   *slots;

	if (++connections->until_interrupts % ROWS_BETWEEN_CHECKS == 0)
		join_check_interrupts(connections->env);
	slot_b = find_or_add(connections, b);
	slots = connections->slots;
	if (slot_a != NO_SLOT && slot_b != NO_SLOT)
	{
		/* the table may have grown for b */
		if (slot_a >= connections->nslots || slots[slot_a].vertex != a ||
			slots[slot_a].link == NO_SLOT)
			slot_a = slot_of(connections, a);
		slot_a = find_root(slots, slot_a);
		slot_b = find_root(slots, slot_b);
		if (slots[slot_a].vertex < slots[slot_b].vertex)
			slots[slot_b].link = slot_a;
		else
			slots[slot_a].link = slot_b;
		return;
	}
	add_edge(&connections->edges, root_of(connections, slot_a, a),
			 root_of(connections, slot_b, b), connections->env);
	if (connections->edges.n > connections->most_edges)
		reduce_edges(connections);
}

/* ----------
 * Levels
 * ----------
 */

/* The slot of a vertex, or NO_SLOT */
static inline size_t
find_vertex(const Connections *connections, uint64_t vertex)
{
	size_t		slot = slot_of(connections, vertex);

	return connections->slots[slot].link == NO_SLOT ? NO_SLOT : slot;
}

static EdgeFile *
new_labels(Connections *connections)
{
	const JoinEnv *env = connections->env;
	EdgeFile   *labels;

	connections->labels = env->resize(env->arg, connections->labels,
									  (size_t) (connections->nlevels + 1) * sizeof(EdgeFile));
	labels = &connections->labels[connections->nlevels++];
	memset(labels, 0, sizeof(EdgeFile));
	return labels;
}

/* Write the labels of the table, except of roots that later levels have. */
static void
write_labels(Connections *connections, const bool *later)
{
	EdgeFile   *labels = new_labels(connections);
	Slot	   *slots = connections->slots;

	for (size_t slot = 0; slot < connections->nslots; slot++)
		if (slots[slot].link != NO_SLOT)
		{
			size_t		root = find_root(slots, slot);

			if (root != slot || later == NULL || !later[slot])
				add_edge(labels, slots[slot].vertex, slots[root].vertex, connections->env);
		}
}

/* End a level: the edges of the file become the edges of the next one. */
static void
next_level(Connections *connections)
{
	const JoinEnv *env = connections->env;
	EdgeFile	old = connections->edges;
	EdgeFile	edges = {0};
	bool	   *later = join_alloc(env, connections->nslots * sizeof(bool));
	Edge		edge;

	memset(later, 0, connections->nslots * sizeof(bool));
	while (next_edge(&old, &edge, env))
	{
		size_t		a = find_vertex(connections, edge.a);
		size_t		b = find_vertex(connections, edge.b);

		if (a != NO_SLOT)
			a = find_root(connections->slots, a);
		if (b != NO_SLOT)
			b = find_root(connections->slots, b);
		if (a != NO_SLOT && a == b)
			continue;
		add_edge(&edges, root_of(connections, a, edge.a), root_of(connections, b, edge.b), env);
		if (a != NO_SLOT)
			later[a] = true;
		if (b != NO_SLOT)
			later[b] = true;
	}
	free_edges(&old, env);
	write_labels(connections, later);
	join_free(env, later);
	join_free(env, connections->slots);
	make_table(connections, FEWEST_SLOTS);
	memset(&connections->edges, 0, sizeof(EdgeFile));
	while (next_edge(&edges, &edge, env))
		simhash_connections_add(connections, edge.a, edge.b);
	free_edges(&edges, env);
}

/* Replace the labels of a level by those of "result", and add them to it. */
static void
resolve_level(Connections *connections, EdgeFile *level, EdgeFile *result)
{
	const JoinEnv *env = connections->env;
	Edge		label;
	size_t		slot;

	join_free(env, connections->slots);
	make_table(connections, FEWEST_SLOTS);
	while (next_edge(level, &label, env))
		if (label.a != label.b)
			find_or_add(connections, label.b);
	for (slot = 0; slot < connections->nslots; slot++)
		if (connections->slots[slot].link != NO_SLOT)
			connections->slots[slot].link = connections->slots[slot].vertex;
	result->next = 0;
	while (next_edge(result, &label, env))
	{
		slot = slot_of(connections, label.a);
		if (connections->slots[slot].vertex == label.a)
			connections->slots[slot].link = label.b;
	}
	level->next = 0;
	while (next_edge(level, &label, env))
		add_edge(result, label.a, label.a == label.b ? label.b :
				 connections->slots[slot_of(connections, label.b)].link, env);
	free_edges(level, env);
}

/* All edges have been added: simhash_connections_next gives the components. */
void
simhash_connections_finish(Connections *connections)
{
	EdgeFile   *labels;

	if (connections->edges.n == 0)
		return;
	while (connections->edges.n > 0)
		next_level(connections);
	write_labels(connections, NULL);
	labels = connections->labels;
	for (int level = connections->nlevels - 2; level >= 0; level--)
		resolve_level(connections, &labels[level], &labels[connections->nlevels - 1]);
	labels[connections->nlevels - 1].next = 0;
}

/*
 * The next vertex, and the smallest vertex of its component; false if there is none.  Each
 * vertex comes once, in no particular order.
 */
bool
simhash_connections_next(Connections *connections, uint64_t *vertex, uint64_t *root)
{
	Slot	   *slots = connections->slots;
	Edge		label;

	if (connections->nlevels > 0)
	{
		if (!next_edge(&connections->labels[connections->nlevels - 1], &label,
					   connections->env))
			return false;
		*vertex = label.a;
		*root = label.b;
		return true;
	}
	while (connections->at < connections->nslots && slots[connections->at].link == NO_SLOT)
		connections->at++;
	if (connections->at == connections->nslots)
		return false;
	*vertex = slots[connections->at].vertex;
	*root = root_of(connections, connections->at, *vertex);
	connections->at++;
	return true;
}

void
simhash_connections_end(Connections *connections)
{
	const JoinEnv *env = connections->env;

	for (int level = 0; level < connections->nlevels; level++)
		free_edges(&connections->labels[level], env);
	join_free(env, connections->labels);
	free_edges(&connections->edges, env);
	join_free(env, connections->slots);
	join_free(env, connections);
}
