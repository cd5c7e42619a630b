/*-------------------------------------------------------------------------
 *
 * connections.c
 *		Connected components of any edges, in a given amount of memory.
 *
 * A table of vertices joins them to trees (union-find).  Once the table is full,
 * edges of vertices that are not in it go to a file.  If many edges connect the
 * same vertices, the file grows too large.  It is then replaced by as many edges
 * as connect its vertices.
 *
 * When all edges are known, the trees of a full table become edges of the file,
 * too.  The vertices are divided in parts by their order, so that the table has
 * room for the vertices of a part, and each edge goes to the part of its larger
 * end.  From the last part to the first, the table joins the vertices of a part.
 * The smallest neighbour of a tree in earlier parts becomes the parent of the
 * tree's vertices and of the tree's other neighbours there, which are edges of
 * earlier parts.  So no vertex of later parts matters any more.  A vertex without
 * a parent has the label of its component, the smallest vertex of the tree.  Other
 * vertices ask their parents.  From the first part to the last, the vertices of a
 * part know their labels, and answer those that asked.  Each part is in memory
 * once in both directions.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "connections.h"
#include "radix.h"

#define EDGES_IN_BUFFER		4096
#define MOST_PARTS			4096	/* their smallest blocks take 6 MB */
#define MOST_IN_BLOCK		512
#define MOST_SAMPLES		(1 << 20)

#ifndef JOIN_TEST_SIZES
#define FEWEST_SLOTS		4096
#define FEWEST_IN_BLOCK		32
#else
#define FEWEST_SLOTS		16
#define FEWEST_IN_BLOCK		3
#endif
#define NO_NODE				UINT32_MAX

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

/*
 * Edges of each part.  A part is a list of blocks in the file, and a block that is not in the
 * file yet.  "a" of a block's first edge is the number of the list's next block, or 0.
 */
typedef struct Parts
{
	JoinFile   *file;
	size_t		in_block;		/* edges, with the first */
	Edge	   *blocks;			/* of each part, not in the file yet */
	size_t	   *used;			/* edges in them */
	uint64_t	nblocks;		/* in the file */
	Edge	   *copy;			/* of a block of the file */
	const Edge *block;			/* to read: "next" of "n" edges */
	size_t		next;
	size_t		n;
} Parts;

/* "link" is the number of the tree's parent */
typedef struct Node
{
	uint64_t	vertex;
	uint32_t	link;
} Node;

struct Connections
{
	const JoinEnv *env;
	size_t		memory;
	Node	   *nodes;			/* in the order in which they came */
	size_t		nnodes;
	uint32_t   *slots;			/* numbers of nodes by hashes of vertices, or NO_NODE */
	size_t		nslots;
	size_t		most_slots;
	EdgeFile	edges;			/* that did not fit */
	uint64_t	most_edges;		/* before they are replaced by fewer */
	size_t		at;				/* next node of the result, if it is in the table */
	size_t		nparts;			/* 0: the result is in the table */
	uint64_t   *bounds;			/* smallest vertices of parts from the second on */
	size_t		part;			/* of the result */
	Parts		part_edges;
	Parts		questions;		/* (parent, vertex), in the part of the parent */
	Parts		answers;		/* (vertex, label), in the part of the vertex */
	uint64_t   *values;			/* of nodes: parents of trees, or labels */
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
 * Edges in parts
 * ----------
 */

static void
begin_parts(Parts *parts, size_t nparts, size_t in_block, const JoinEnv *env)
{
	memset(parts, 0, sizeof(Parts));
	parts->in_block = in_block;
	parts->blocks = join_alloc(env, nparts * in_block * sizeof(Edge));
	parts->used = join_alloc(env, nparts * sizeof(size_t));
	parts->copy = join_alloc(env, in_block * sizeof(Edge));
	for (size_t part = 0; part < nparts; part++)
	{
		parts->blocks[part * in_block].a = parts->blocks[part * in_block].b = 0;
		parts->used[part] = 1;
	}
}

static void
add_to_part(Parts *parts, size_t part, uint64_t a, uint64_t b, const JoinEnv *env)
{
	Edge	   *block = parts->blocks + part * parts->in_block;

	if (parts->used[part] == parts->in_block)
	{
		if (parts->file == NULL)
			parts->file = env->create_file(env->file_arg);
		env->append(parts->file, block, parts->in_block * sizeof(Edge));
		block->a = ++parts->nblocks;
		parts->used[part] = 1;
		join_check_interrupts(env);
	}
	block[parts->used[part]].a = a;
	block[parts->used[part]++].b = b;
}

/* Read a part from the beginning on.  No edge is added to it meanwhile. */
static void
read_part(Parts *parts, size_t part)
{
	parts->block = parts->blocks + part * parts->in_block;
	parts->next = 1;
	parts->n = parts->used[part];
}

/* The next edge of the part that is read; false at the end */
static bool
next_in_part(Parts *parts, Edge *edge, const JoinEnv *env)
{
	size_t		size = parts->in_block * sizeof(Edge);

	if (parts->next == parts->n)
	{
		if (parts->block->a == 0)
			return false;
		env->read(parts->file, (parts->block->a - 1) * size, parts->copy, size);
		parts->block = parts->copy;
		parts->next = 1;
		parts->n = parts->in_block;
		join_check_interrupts(env);
	}
	*edge = parts->block[parts->next++];
	return true;
}

static void
free_parts(Parts *parts, const JoinEnv *env)
{
	if (parts->file != NULL)
		env->remove_file(parts->file);
	join_free(env, parts->blocks);
	join_free(env, parts->used);
	join_free(env, parts->copy);
	memset(parts, 0, sizeof(Parts));
}

/* ----------
 * Table
 * ----------
 */

/* Room for nodes: at most three of four slots are used. */
static inline size_t
most_nodes(const Connections *connections)
{
	return connections->nslots / 4 * 3;
}

static void
clear_table(Connections *connections)
{
	memset(connections->slots, 0xff, connections->nslots * sizeof(uint32_t));
	connections->nnodes = 0;
}

static void
make_table(Connections *connections, size_t nslots)
{
	connections->nslots = nslots;
	connections->nodes = join_alloc(connections->env, most_nodes(connections) * sizeof(Node));
	connections->slots = join_alloc(connections->env, nslots * sizeof(uint32_t));
	clear_table(connections);
}

static void
free_table(Connections *connections)
{
	join_free(connections->env, connections->nodes);
	join_free(connections->env, connections->slots);
	connections->nodes = NULL;
	connections->slots = NULL;
}

/*
 * The slot of a vertex, or the empty slot where it belongs.  The salt decides the place, so nobody
 * can choose vertices that make the search slow.  No result depends on the place.
 */
static inline size_t
slot_of(const Connections *connections, uint64_t vertex)
{
	uint64_t	hash = vertex * (connections->env->salt | 1);
	size_t		slot;

	hash ^= hash >> 29;
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	slot = (size_t) ((hash >> 32) * connections->nslots >> 32);
	while (connections->slots[slot] != NO_NODE &&
		   connections->nodes[connections->slots[slot]].vertex != vertex)
		if (++slot == connections->nslots)
			slot = 0;
	return slot;
}

/* The node of a vertex that is in the table */
static inline uint32_t
node_of(const Connections *connections, uint64_t vertex)
{
	return connections->slots[slot_of(connections, vertex)];
}

static inline uint32_t
find_root(Node *nodes, uint32_t node)
{
	while (nodes[node].link != node)
	{
		nodes[node].link = nodes[nodes[node].link].link;
		node = nodes[node].link;
	}
	return node;
}

/* Join two trees.  The smallest vertex of a tree is its root. */
static inline void
join_trees(Node *nodes, uint32_t a, uint32_t b)
{
	a = find_root(nodes, a);
	b = find_root(nodes, b);
	if (nodes[a].vertex < nodes[b].vertex)
		nodes[b].link = a;
	else
		nodes[a].link = b;
}

static void
grow(Connections *connections)
{
	const JoinEnv *env = connections->env;
	size_t		nslots = connections->nslots;

	connections->nslots = nslots > connections->most_slots / 2 ? connections->most_slots :
		nslots * 2;
	join_free(env, connections->slots);
	connections->nodes = env->resize(env->arg, connections->nodes,
									 most_nodes(connections) * sizeof(Node));
	connections->slots = join_alloc(env, connections->nslots * sizeof(uint32_t));
	memset(connections->slots, 0xff, connections->nslots * sizeof(uint32_t));
	for (size_t node = 0; node < connections->nnodes; node++)
		connections->slots[slot_of(connections, connections->nodes[node].vertex)] = (uint32_t) node;
}

/* The node of a vertex, which is added unless the table is full: then NO_NODE */
static inline uint32_t
find_or_add(Connections *connections, uint64_t vertex)
{
	size_t		slot = slot_of(connections, vertex);
	uint32_t	node = connections->slots[slot];

	if (node != NO_NODE)
		return node;
	if (connections->nnodes >= most_nodes(connections))
	{
		if (connections->nslots >= connections->most_slots)
			return NO_NODE;
		join_check_interrupts(connections->env);
		grow(connections);
		slot = slot_of(connections, vertex);
	}
	node = (uint32_t) connections->nnodes++;
	connections->slots[slot] = node;
	connections->nodes[node].vertex = vertex;
	connections->nodes[node].link = node;
	return node;
}

/* The root of a vertex, or the vertex itself if it is not in the table */
static inline uint64_t
root_of(const Connections *connections, uint32_t node, uint64_t vertex)
{
	return node == NO_NODE ? vertex :
		connections->nodes[find_root(connections->nodes, node)].vertex;
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
	connections->most_slots = memory / 2 / 3 * 2 / sizeof(Node);
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
	uint32_t	node_a = find_or_add(connections, a);
	uint32_t	node_b = find_or_add(connections, b);

	if (++connections->until_interrupts % ROWS_BETWEEN_CHECKS == 0)
		join_check_interrupts(connections->env);
	if (node_a != NO_NODE && node_b != NO_NODE)
	{
		join_trees(connections->nodes, node_a, node_b);
		return;
	}
	add_edge(&connections->edges, root_of(connections, node_a, a),
			 root_of(connections, node_b, b), connections->env);
	if (connections->edges.n > connections->most_edges)
		reduce_edges(connections);
}

/* ----------
 * Parts
 * ----------
 */

/* The part of a vertex: the number of bounds up to it */
static inline size_t
part_of(const Connections *connections, uint64_t vertex)
{
	size_t		part = 0;
	size_t		n = connections->nparts - 1;

	while (n > 0)
	{
		size_t		half = n / 2;

		if (connections->bounds[part + half] <= vertex)
		{
			part += half + 1;
			n -= half + 1;
		}
		else
			n = half;
	}
	return part;
}

/* Choose the bounds of parts by a sample of the edges: parts have about as many ends of edges. */
static void
choose_bounds(Connections *connections)
{
	const JoinEnv *env = connections->env;
	EdgeFile   *edges = &connections->edges;
	size_t		nparts = connections->nparts;
	size_t		room = connections->memory / 4 / sizeof(uint64_t);
	size_t		n = 0;
	uint64_t   *samples;
	uint32_t   *order;
	uint64_t	step;
	uint64_t	take = 0;		/* an edge after this many */
	Edge		edge;

	room = room > MOST_SAMPLES ? MOST_SAMPLES : room;
	room = room < 16 * nparts ? 16 * nparts : room;
	step = edges->n * 4 / room + 1;
	samples = join_alloc(env, room * sizeof(uint64_t));
	order = join_alloc(env, room * sizeof(uint32_t));
	while (n + 2 <= room && next_edge(edges, &edge, env))
		if (edges->next > take)
		{
			samples[n++] = edge.a;
			samples[n++] = edge.b;
			/* random steps of this mean, because the edges may repeat a pattern */
			take = edges->next +
				(edges->next * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (2 * step - 1);
		}
	memset(order, 0, n * sizeof(uint32_t));
	simhash_sort_fps(samples, order, n, env);
	connections->bounds = join_alloc(env, nparts * sizeof(uint64_t));
	for (size_t part = 1; part < nparts; part++)
		connections->bounds[part - 1] = samples[n * part / nparts];
	join_free(env, samples);
	join_free(env, order);
	edges->next = 0;
}

/* Move all edges to the parts of their larger ends. */
static void
divide_edges(Connections *connections)
{
	const JoinEnv *env = connections->env;
	uint64_t	ends = 2 * connections->edges.n;
	size_t		in_block;
	Edge		edge;

	/* a part may have half as many ends again as the mean */
	connections->nparts = (size_t) (ends / (connections->most_slots / 2)) + 1;
	if (connections->nparts > MOST_PARTS)
		connections->nparts = MOST_PARTS;
	choose_bounds(connections);
	in_block = connections->memory / 4 / 3 / connections->nparts / sizeof(Edge);
	in_block = in_block < FEWEST_IN_BLOCK ? FEWEST_IN_BLOCK : in_block;
	in_block = in_block > MOST_IN_BLOCK ? MOST_IN_BLOCK : in_block;
	begin_parts(&connections->part_edges, connections->nparts, in_block, env);
	begin_parts(&connections->questions, connections->nparts, in_block, env);
	begin_parts(&connections->answers, connections->nparts, in_block, env);
	while (next_edge(&connections->edges, &edge, env))
	{
		uint64_t	a = edge.a > edge.b ? edge.a : edge.b;

		add_to_part(&connections->part_edges, part_of(connections, a), a,
					edge.a ^ edge.b ^ a, env);
	}
	free_edges(&connections->edges, env);
}

/* Join the vertices of a part.  Neighbours in earlier parts are not in the table. */
static void
join_part(Connections *connections, size_t part, uint64_t first)
{
	Edge		edge;

	clear_table(connections);
	read_part(&connections->part_edges, part);
	while (next_in_part(&connections->part_edges, &edge, connections->env))
		if (edge.b >= first)
			simhash_connections_add(connections, edge.a, edge.b);
		else
			find_or_add(connections, edge.a);
	/* no edge may be left of a vertex that is asked */
	read_part(&connections->questions, part);
	while (next_in_part(&connections->questions, &edge, connections->env))
		find_or_add(connections, edge.a);
}

/* Find the parents of a part's trees, and join the trees' other neighbours to them. */
static void
find_parents(Connections *connections, size_t part, uint64_t first)
{
	const JoinEnv *env = connections->env;
	Node	   *nodes = connections->nodes;
	uint64_t   *parents = connections->values;
	Edge		edge;

	for (size_t node = 0; node < connections->nnodes; node++)
		parents[node] = nodes[node].vertex;
	read_part(&connections->part_edges, part);
	while (next_in_part(&connections->part_edges, &edge, env))
		if (edge.b < first)
		{
			uint32_t	root = find_root(nodes, node_of(connections, edge.a));

			if (parents[root] > edge.b)
				parents[root] = edge.b;
		}
	read_part(&connections->part_edges, part);
	while (next_in_part(&connections->part_edges, &edge, env))
		if (edge.b < first)
		{
			uint32_t	root = find_root(nodes, node_of(connections, edge.a));

			if (parents[root] != edge.b)
				add_to_part(&connections->part_edges, part_of(connections, edge.b), edge.b,
							parents[root], env);
		}
}

/* From the last part to the first: vertices have labels or ask their parents. */
static void
ask_parents(Connections *connections)
{
	const JoinEnv *env = connections->env;

	for (size_t part = connections->nparts; part-- > 0;)
	{
		uint64_t	first = part == 0 ? 0 : connections->bounds[part - 1];
		Node	   *nodes;

		join_part(connections, part, first);
		nodes = connections->nodes;
		connections->values = env->resize(env->arg, connections->values,
										  most_nodes(connections) * sizeof(uint64_t));
		find_parents(connections, part, first);
		for (size_t node = 0; node < connections->nnodes; node++)
		{
			uint64_t	parent = connections->values[find_root(nodes, (uint32_t) node)];

			if (parent >= first)
				add_to_part(&connections->answers, part, nodes[node].vertex, parent, env);
			else
				add_to_part(&connections->questions, part_of(connections, parent), parent,
							nodes[node].vertex, env);
		}
	}
	free_parts(&connections->part_edges, env);
}

/* The labels of a part are known: answer the questions of later parts.  The table has room. */
static void
answer_part(Connections *connections, size_t part)
{
	const JoinEnv *env = connections->env;
	Edge		edge;

	clear_table(connections);
	read_part(&connections->answers, part);
	while (next_in_part(&connections->answers, &edge, env))
		connections->values[find_or_add(connections, edge.a)] = edge.b;
	read_part(&connections->questions, part);
	while (next_in_part(&connections->questions, &edge, env))
		add_to_part(&connections->answers, part_of(connections, edge.b), edge.b,
					connections->values[node_of(connections, edge.a)], env);
	read_part(&connections->answers, part);
}

/* All edges have been added: simhash_connections_next gives the components. */
void
simhash_connections_finish(Connections *connections)
{
	const JoinEnv *env = connections->env;

	if (connections->edges.n == 0)
		return;
	for (size_t node = 0; node < connections->nnodes; node++)
		add_edge(&connections->edges, connections->nodes[node].vertex,
				 root_of(connections, (uint32_t) node, 0), env);
	free_table(connections);
	divide_edges(connections);
	/* a part has no other way than the table, even if the sample was wrong */
	make_table(connections, connections->most_slots);
	connections->most_slots = UINT32_MAX;
	ask_parents(connections);
	answer_part(connections, 0);
}

/*
 * The next vertex, and the smallest vertex of its component; false if there is none.  Each
 * vertex comes once.  The same edges in the same order give the same order.
 */
bool
simhash_connections_next(Connections *connections, uint64_t *vertex, uint64_t *root)
{
	Edge		label;

	if (connections->nparts > 0)
	{
		while (!next_in_part(&connections->answers, &label, connections->env))
		{
			if (connections->part + 1 == connections->nparts)
				return false;
			answer_part(connections, ++connections->part);
		}
		*vertex = label.a;
		*root = label.b;
		return true;
	}
	if (connections->at == connections->nnodes)
		return false;
	*vertex = connections->nodes[connections->at].vertex;
	*root = root_of(connections, (uint32_t) connections->at, *vertex);
	connections->at++;
	return true;
}

void
simhash_connections_end(Connections *connections)
{
	const JoinEnv *env = connections->env;

	free_edges(&connections->edges, env);
	free_parts(&connections->part_edges, env);
	free_parts(&connections->questions, env);
	free_parts(&connections->answers, env);
	join_free(env, connections->bounds);
	join_free(env, connections->values);
	free_table(connections);
	join_free(env, connections);
}
