/*-------------------------------------------------------------------------
 *
 * stars.c
 *		Stars: each row belongs to the first representative within the distance,
 *		or else is one itself.
 *
 * Rows are dealt with in chunks.  Those of a chunk are joined with the
 * representatives so far; those that have none near are joined among themselves,
 * and the pairs, in the order of their first rows, tell which of them are
 * representatives.  If there is no room for the pairs the chunk is made smaller.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "clusters.h"
#include "collapse.h"
#include "join.h"
#include "radix.h"

#define NONE			UINT32_MAX

/* Of memory, for each row of a chunk, and for each pair of them */
#define ROW_BYTES		56
#define PAIR_BYTES		24

/* Of either, however little memory there is */
#ifndef JOIN_TEST_SIZES
#define FEWEST			1024
#else
#define FEWEST			4
#endif

typedef struct Stars
{
	const JoinEnv *env;
	const uint64_t *prints;
	int			distance;
	uint32_t   *clusters;

	size_t		nrepresentatives;
	size_t		room;
	uint64_t   *representative_prints;
	uint32_t   *representatives;	/* their rows, ascending */

	size_t		most_rows;		/* of a chunk */
	size_t		most_pairs;
} Stars;

static void
add_representative(Stars *stars, uint32_t row)
{
	if (stars->nrepresentatives == stars->room)
	{
		stars->room = stars->room == 0 ? 1024 : stars->room * 2;
		stars->representative_prints =
			stars->env->resize(stars->env->arg, stars->representative_prints,
							   stars->room * sizeof(uint64_t));
		stars->representatives =
			stars->env->resize(stars->env->arg, stars->representatives,
							   stars->room * sizeof(uint32_t));
	}
	stars->representative_prints[stars->nrepresentatives] = stars->prints[row];
	stars->representatives[stars->nrepresentatives++] = row;
}

/* owners[i] becomes the first representative within the distance of chunk's i. */
static void
find_owners(Stars *stars, const Collapsed *chunk, uint32_t *owners)
{
	PrintSet	set;

	set.prints = chunk->prints;
	set.tags = NULL;
	set.n = chunk->n;
	for (size_t i = 0; i < chunk->n; i++)
		owners[i] = NONE;
	for (size_t first = 0; first < stars->nrepresentatives; first += stars->most_rows)
	{
		PrintSet	some;
		const PrintPair *pairs;
		size_t		npairs;
		Join	   *join;

		some.prints = stars->representative_prints + first;
		some.tags = stars->representatives + first;
		some.n = stars->nrepresentatives - first;
		if (some.n > stars->most_rows)
			some.n = stars->most_rows;
		join = simhash_join_begin(&set, &some, stars->distance, stars->env);
		while ((npairs = simhash_join_next(join, &pairs)) > 0)
			for (size_t i = 0; i < npairs; i++)
				if (pairs[i].b < owners[pairs[i].a])
					owners[pairs[i].a] = pairs[i].b;
		simhash_join_end(join);
	}
}

/*
 * The pairs of those that have no owner, each as its earlier row and the number
 * of the later one, in the order of the earlier row.  Returns their number, or
 * most_pairs + 1 if they are too many.
 */
static size_t
pairs_without_owner(Stars *stars, const Collapsed *chunk, const uint32_t *owners,
					uint64_t **earlier, uint32_t **later)
{
	const JoinEnv *env = stars->env;
	uint64_t   *prints = join_alloc(env, chunk->n * sizeof(uint64_t));
	uint32_t   *tags = join_alloc(env, chunk->n * sizeof(uint32_t));
	size_t		room = 0;
	size_t		n = 0;
	size_t		npairs;
	const PrintPair *pairs;
	PrintSet	set;
	Join	   *join;

	for (size_t i = 0; i < chunk->n; i++)
		if (owners[i] == NONE)
		{
			prints[n] = chunk->prints[i];
			tags[n++] = (uint32_t) i;
		}
	set.prints = prints;
	set.tags = tags;
	set.n = n;
	n = 0;
	*earlier = NULL;
	*later = NULL;
	join = simhash_join_begin(&set, NULL, stars->distance, env);
	while (n <= stars->most_pairs && (npairs = simhash_join_next(join, &pairs)) > 0)
	{
		if (n + npairs > room)
		{
			room = room * 2 + npairs;
			*earlier = env->resize(env->arg, *earlier, room * sizeof(uint64_t));
			*later = env->resize(env->arg, *later, room * sizeof(uint32_t));
		}
		for (size_t i = 0; i < npairs; i++)
		{
			uint32_t	a = chunk->rows[chunk->starts[pairs[i].a]];
			uint32_t	b = chunk->rows[chunk->starts[pairs[i].b]];

			(*earlier)[n] = a < b ? a : b;
			(*later)[n++] = a < b ? pairs[i].b : pairs[i].a;
		}
	}
	simhash_join_end(join);
	join_free(env, prints);
	join_free(env, tags);
	if (n > stars->most_pairs)
		return stars->most_pairs + 1;
	if (n > 0)
		simhash_sort_prints(*earlier, *later, n, env);
	return n;
}

/* Rows first to first + n; false if there was not enough room for their pairs. */
static bool
add_chunk(Stars *stars, size_t first, size_t n)
{
	const JoinEnv *env = stars->env;
	uint64_t   *prints = join_alloc(env, n * sizeof(uint64_t));
	uint32_t   *rows = join_alloc(env, n * sizeof(uint32_t));
	uint32_t   *owners;
	uint64_t   *earlier;
	uint32_t   *later;
	size_t		npairs;
	bool		enough;
	Collapsed	chunk;

	memcpy(prints, stars->prints + first, n * sizeof(uint64_t));
	for (size_t i = 0; i < n; i++)
		rows[i] = (uint32_t) (first + i);
	simhash_collapse(prints, rows, n, env, &chunk);
	owners = join_alloc(env, chunk.n * sizeof(uint32_t));
	find_owners(stars, &chunk, owners);
	npairs = pairs_without_owner(stars, &chunk, owners, &earlier, &later);
	enough = npairs <= stars->most_pairs;
	if (enough)
	{
		/* a row that owns another; what may own it has been dealt with */
		uint32_t   *clusters = stars->clusters;

		for (size_t i = 0; i < chunk.n; i++)
			for (uint32_t k = chunk.starts[i]; k < chunk.starts[i + 1]; k++)
				clusters[chunk.rows[k]] = owners[i] == NONE ?
					chunk.rows[chunk.starts[i]] : owners[i];
		for (size_t i = 0; i < npairs; i++)
		{
			uint32_t	a = (uint32_t) earlier[i];
			uint32_t	b = chunk.rows[chunk.starts[later[i]]];

			/* b has no owner yet, and a is a representative */
			if (clusters[b] != b || clusters[a] != a)
				continue;
			for (uint32_t k = chunk.starts[later[i]]; k < chunk.starts[later[i] + 1]; k++)
				clusters[chunk.rows[k]] = a;
		}
		for (size_t row = first; row < first + n; row++)
			if (clusters[row] == row)
				add_representative(stars, (uint32_t) row);
	}
	join_free(env, earlier);
	join_free(env, later);
	join_free(env, owners);
	simhash_collapsed_free(&chunk, env);
	return enough;
}

/* clusters[row] becomes the first representative within the distance. */
void
simhash_stars(const uint64_t *prints, size_t n, int distance, size_t memory,
			  const JoinEnv *env, uint32_t *clusters)
{
	Stars		stars;
	size_t		done = 0;
	size_t		rows;

	if (distance < 0)
	{
		for (size_t row = 0; row < n; row++)
			clusters[row] = (uint32_t) row;
		return;
	}
	memset(&stars, 0, sizeof(Stars));
	stars.env = env;
	stars.prints = prints;
	stars.distance = distance;
	stars.clusters = clusters;
	stars.most_rows = memory / 2 / ROW_BYTES;
	if (stars.most_rows < FEWEST)
		stars.most_rows = FEWEST;
	stars.most_pairs = memory / 2 / PAIR_BYTES;
	if (stars.most_pairs < FEWEST)
		stars.most_pairs = FEWEST;
	rows = stars.most_rows;
	while (done < n)
	{
		size_t		chunk = n - done < rows ? n - done : rows;

		if (add_chunk(&stars, done, chunk))
		{
			done += chunk;
			rows = rows * 2 < stars.most_rows ? rows * 2 : stars.most_rows;
		}
		else
			rows = chunk / 2;
	}
	join_free(env, stars.representative_prints);
	join_free(env, stars.representatives);
}
