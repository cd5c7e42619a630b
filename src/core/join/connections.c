/*-------------------------------------------------------------------------
 *
 * connections.c
 *		Connected components of any edges.
 *
 * Union-find over the vertices, which a hash table numbers in the order in which they come.
 * A tree's root is its smallest vertex.  Most accesses miss the caches, so edges are
 * connected in batches, whose memory is fetched ahead.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "connections.h"

#define BATCH_EDGES		64

#ifndef JOIN_TEST_SIZES
#define FEWEST_SLOTS	4096
#else
#define FEWEST_SLOTS	16
#endif

#ifdef __GNUC__
#define fetch_ahead(address) __builtin_prefetch(address)
#else
#define fetch_ahead(address) ((void) (address))
#endif

typedef struct Vertex
{
	uint64_t	vertex;
	uint64_t	parent;			/* number of a smaller vertex, or of itself */
} Vertex;

struct Connections
{
	const JoinEnv *env;
	Vertex	   *vertices;		/* numbered from 1 on */
	size_t		n;
	uint32_t   *slots;			/* numbers of vertices; 0: empty */
	size_t		nslots;			/* a power of two, more than 4/3 of the vertices */
	uint64_t	batch[BATCH_EDGES][2];
	int			nbatch;
	size_t		nbatches;
	size_t		next;			/* vertices that the result has had */
};

static inline size_t
first_slot(const Connections *connections, uint64_t vertex)
{
	uint64_t	hash = vertex * UINT64_C(0x9e3779b97f4a7c15);

	hash ^= hash >> 29;
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t) (hash >> 32) & (connections->nslots - 1);
}

/* The slot of a vertex, or the empty slot where it belongs */
static inline size_t
slot_of(const Connections *connections, uint64_t vertex)
{
	size_t		slot = first_slot(connections, vertex);

	while (connections->slots[slot] != 0 &&
		   connections->vertices[connections->slots[slot]].vertex != vertex)
		slot = (slot + 1) & (connections->nslots - 1);
	return slot;
}

/* Make room for the vertices of a batch. */
static void
reserve_batch(Connections *connections)
{
	const JoinEnv *env = connections->env;
	size_t		nslots = connections->nslots;

	if (connections->n + 2 * BATCH_EDGES <= nslots / 4 * 3)
		return;
	nslots = nslots == 0 ? FEWEST_SLOTS : nslots * 2;
	while (nslots / 4 * 3 < connections->n + 2 * BATCH_EDGES)
		nslots *= 2;
	join_free(env, connections->slots);
	connections->slots = join_alloc(env, nslots * sizeof(uint32_t));
	connections->nslots = nslots;
	memset(connections->slots, 0, nslots * sizeof(uint32_t));
	connections->vertices = env->resize(env->arg, connections->vertices,
										(nslots / 4 * 3 + 1) * sizeof(Vertex));
	for (size_t i = 1; i <= connections->n; i++)
	{
		if (i % ROWS_BETWEEN_CHECKS == 0)
			join_check_interrupts(env);
		connections->slots[slot_of(connections, connections->vertices[i].vertex)] =
			(uint32_t) i;
	}
}

/* The number of a vertex, which is new or not */
static inline uint64_t
number_of(Connections *connections, uint64_t vertex)
{
	size_t		slot = slot_of(connections, vertex);

	if (connections->slots[slot] == 0)
	{
		connections->slots[slot] = (uint32_t) ++connections->n;
		connections->vertices[connections->n].vertex = vertex;
		connections->vertices[connections->n].parent = connections->n;
	}
	return connections->slots[slot];
}

/* The number of the root of a vertex's tree.  The function shortens the path to it. */
static inline uint64_t
find_root(Vertex *vertices, uint64_t number)
{
	while (vertices[number].parent != number)
	{
		vertices[number].parent = vertices[vertices[number].parent].parent;
		number = vertices[number].parent;
	}
	return number;
}

static void
connect(Connections *connections, uint64_t a, uint64_t b)
{
	Vertex	   *vertices = connections->vertices;

	a = find_root(vertices, a);
	b = find_root(vertices, b);
	if (vertices[a].vertex < vertices[b].vertex)
		vertices[b].parent = a;
	else
		vertices[a].parent = b;
}

static void
connect_batch(Connections *connections)
{
	uint64_t   *ends = &connections->batch[0][0];
	int			n = 2 * connections->nbatch;

	if (++connections->nbatches % (ROWS_BETWEEN_CHECKS / BATCH_EDGES) == 0)
		join_check_interrupts(connections->env);
	reserve_batch(connections);
	for (int i = 0; i < n; i++)
		fetch_ahead(&connections->slots[first_slot(connections, ends[i])]);
	for (int i = 0; i < n; i++)
		fetch_ahead(&connections->vertices[connections->slots[first_slot(connections,
																		 ends[i])]]);
	for (int i = 0; i < n; i++)
	{
		ends[i] = number_of(connections, ends[i]);
		fetch_ahead(&connections->vertices[connections->vertices[ends[i]].parent]);
	}
	for (int i = 0; i < n; i += 2)
		connect(connections, ends[i], ends[i + 1]);
	connections->nbatch = 0;
}

Connections *
simhash_connections_begin(const JoinEnv *env)
{
	Connections *connections = join_alloc(env, sizeof(Connections));

	memset(connections, 0, sizeof(Connections));
	connections->env = env;
	return connections;
}

/*
 * Add an edge, or, if both ends are the same, a vertex.  There may be fewer than 2^32
 * vertices.
 */
void
simhash_connections_add(Connections *connections, uint64_t a, uint64_t b)
{
	if (connections->nbatch == BATCH_EDGES)
		connect_batch(connections);
	connections->batch[connections->nbatch][0] = a;
	connections->batch[connections->nbatch++][1] = b;
}

/* No edge may be added any more. */
void
simhash_connections_finish(Connections *connections)
{
	connect_batch(connections);
}

/* The next vertex and the smallest vertex of its component; false after the last */
bool
simhash_connections_next(Connections *connections, uint64_t *vertex, uint64_t *root)
{
	Vertex	   *vertices = connections->vertices;

	if (connections->next == connections->n)
		return false;
	connections->next++;
	*vertex = vertices[connections->next].vertex;
	*root = vertices[find_root(vertices, connections->next)].vertex;
	return true;
}

void
simhash_connections_end(Connections *connections)
{
	join_free(connections->env, connections->slots);
	join_free(connections->env, connections->vertices);
	join_free(connections->env, connections);
}
