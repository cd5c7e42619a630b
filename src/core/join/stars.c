/*-------------------------------------------------------------------------
 *
 * stars.c
 *		Stars: each row belongs to the first keeper within the distance, or else is
 *		a keeper itself.
 *
 * Rows are handled in chunks, as many rows at a time as fit in memory.  The rows of a
 * chunk are joined with the keepers so far.  The rows without a near keeper are joined
 * among themselves.  The pairs, in the order of their first rows, decide which of these
 * rows are keepers.
 *
 * If most rows are near each other, these pairs would be quadratic, though the first
 * keeper alone is near almost all of the rows.  So, if there are many pairs, the join is
 * given up and the rows are halved.  The keepers of the earlier half are found first, in
 * the same manner, and the later half is joined with them.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "radix.h"
#include "stars.h"

/* With more pairs than this for each row, halves take less time than sorting. */
#define PAIRS_A_ROW		16


/* Set the largest numbers of rows and of pairs by the memory. */
void
simhash_stars_limits(Stars *stars, size_t memory)
{
	stars->most_rows = memory / 2 / CHUNK_ROW_BYTES;
	if (stars->most_rows < FEWEST)
		stars->most_rows = FEWEST;
	stars->most_pairs = memory / 2 / PAIR_BYTES;
	if (stars->most_pairs < FEWEST)
		stars->most_pairs = FEWEST;
}

static void
add_keeper(Stars *stars, uint32_t row)
{
	if (stars->nkeepers == stars->room)
	{
		stars->room = stars->room == 0 ? 1024 : stars->room * 2;
		stars->keepers = stars->env->resize(stars->env->arg, stars->keepers,
											stars->room * sizeof(uint32_t));
	}
	stars->keepers[stars->nkeepers++] = row;
}

/* Let each row of a set belong to the first of these keepers within the distance. */
void
simhash_find_keepers(Stars *stars, const FingerprintSet *set, const FingerprintSet *keepers)
{
	uint32_t   *clusters = stars->clusters;
	const FingerprintPair *pairs;
	size_t		npairs;
	Join	   *join = simhash_join_begin(stars->fps, &stars->words, set, keepers,
										  stars->env);

	while ((npairs = simhash_join_next(join, &pairs)) > 0)
		for (size_t i = 0; i < npairs; i++)
		{
			uint32_t	row = set->rows[pairs[i].a];
			uint32_t	keeper = keepers->rows == NULL ? pairs[i].b :
				keepers->rows[pairs[i].b];

			/* a keeper comes before the rows of its star */
			if (keeper < clusters[row])
				clusters[row] = keeper;
		}
	simhash_join_end(join);
}

/* Leave out the rows that have a keeper; returns the number of the others. */
size_t
simhash_drop_members(const Stars *stars, uint32_t *rows, size_t n)
{
	size_t		kept = 0;

	for (size_t i = 0; i < n; i++)
		if (stars->clusters[rows[i]] == rows[i])
			rows[kept++] = rows[i];
	return kept;
}

/*
 * Find the keepers of a set, and the keeper of each other row, by all pairs of the set;
 * false if there are too many pairs.
 */
static bool
find_stars_by_pairs(Stars *stars, const FingerprintSet *set)
{
	const JoinEnv *env = stars->env;
	uint32_t   *clusters = stars->clusters;
	uint64_t   *earlier = NULL; /* the earlier row of each pair */
	uint32_t   *later = NULL;	/* the later row */
	size_t		most_pairs = set->n * PAIRS_A_ROW;
	size_t		room = 0;
	size_t		n = 0;
	size_t		npairs;
	const FingerprintPair *pairs;
	Join	   *join;

	if (most_pairs < (size_t) FEWEST * FEWEST / 2)
		most_pairs = (size_t) FEWEST * FEWEST / 2;
	if (most_pairs > stars->most_pairs)
		most_pairs = stars->most_pairs;
	join = simhash_join_begin(stars->fps, &stars->words, set, NULL, env);
	while (n <= most_pairs && (npairs = simhash_join_next(join, &pairs)) > 0)
	{
		if (n + npairs > room)
		{
			room = room * 2 + npairs;
			earlier = env->resize(env->arg, earlier, room * sizeof(uint64_t));
			later = env->resize(env->arg, later, room * sizeof(uint32_t));
		}
		for (size_t i = 0; i < npairs; i++)
		{
			uint32_t	a = set->rows[pairs[i].a];
			uint32_t	b = set->rows[pairs[i].b];

			earlier[n] = a < b ? a : b;
			later[n++] = a < b ? b : a;
		}
	}
	simhash_join_end(join);
	if (n > 0 && n <= most_pairs)
	{
		simhash_sort_fps(earlier, later, n, env);
		for (size_t i = 0; i < n; i++)
		{
			/* the pairs of rows before a have been handled */
			uint32_t	a = (uint32_t) earlier[i];
			uint32_t	b = later[i];

			if (clusters[a] == a && clusters[b] == b)
				clusters[b] = a;
		}
	}
	join_free(env, earlier);
	join_free(env, later);
	return n <= most_pairs;
}

/*
 * Find the keepers among n rows, and the keeper of each other row.  The rows are from
 * "first" to before "end", and no row outside that range is the keeper of any of them.  The
 * function changes the order of "rows".  It returns the number of rows at the front that
 * include all keepers.
 */
size_t
simhash_find_stars(Stars *stars, uint32_t *rows, size_t n, size_t first, size_t end)
{
	size_t		middle = first + (end - first) / 2;
	size_t		nearlier = 0;
	size_t		nstars;
	size_t		nlater;
	FingerprintSet set = {rows, n, 0};
	FingerprintSet found = {rows, 0, 0};

	if (n < 2 || find_stars_by_pairs(stars, &set))
		return n;

	for (size_t i = 0; i < n; i++)
		if (rows[i] < middle)
		{
			uint32_t	row = rows[i];

			rows[i] = rows[nearlier];
			rows[nearlier++] = row;
		}
	nstars = simhash_find_stars(stars, rows, nearlier, first, middle);
	nstars = simhash_drop_members(stars, rows, nstars);
	found.n = nstars;
	set.rows = rows + nearlier;
	set.n = n - nearlier;
	simhash_find_keepers(stars, &set, &found);
	nlater = simhash_drop_members(stars, rows + nearlier, set.n);
	nlater = simhash_find_stars(stars, rows + nearlier, nlater, middle, end);
	memmove(rows + nstars, rows + nearlier, nlater * sizeof(uint32_t));
	return nstars + nlater;
}

/* Handle the rows from "first" to before first + n. */
static void
add_chunk(Stars *stars, size_t first, size_t n)
{
	const JoinEnv *env = stars->env;
	uint32_t   *clusters = stars->clusters;
	uint32_t   *rows = join_alloc(env, n * sizeof(uint32_t));
	size_t		left;
	FingerprintSet set = {0};
	Collapsed	chunk;

	for (size_t i = 0; i < n; i++)
		rows[i] = clusters[first + i] = (uint32_t) (first + i);
	simhash_collapse(stars->fps, rows, n, env, &chunk);

	set.rows = chunk.first_rows;
	set.n = chunk.n;
	for (size_t done = 0; done < stars->nkeepers; done += stars->most_rows)
	{
		FingerprintSet some = {0};

		some.rows = stars->keepers + done;
		some.n = stars->nkeepers - done;
		if (some.n > stars->most_rows)
			some.n = stars->most_rows;
		simhash_find_keepers(stars, &set, &some);
	}

	rows = join_alloc(env, chunk.n * sizeof(uint32_t));
	memcpy(rows, chunk.first_rows, chunk.n * sizeof(uint32_t));
	left = chunk.n;
	if (stars->nkeepers > 0)
		left = simhash_drop_members(stars, rows, left);
	simhash_find_stars(stars, rows, left, first, first + n);
	join_free(env, rows);

	for (size_t i = 0; i < chunk.n; i++)
		for (uint32_t k = chunk.starts[i]; k < chunk.starts[i + 1]; k++)
			clusters[chunk.other_rows[k]] = clusters[chunk.first_rows[i]];
	for (size_t row = first; row < first + n; row++)
		if (clusters[row] == row)
			add_keeper(stars, (uint32_t) row);
	simhash_collapsed_free(&chunk, env);
}

/* clusters[row] becomes the first keeper within the distance; for a keeper, the row itself. */
void
simhash_stars(const Fingerprints *fps, int distance, size_t memory, const JoinEnv *env,
			  uint32_t *clusters)
{
	Stars		stars;

	if (distance < 0)
	{
		for (size_t row = 0; row < fps->n; row++)
			clusters[row] = (uint32_t) row;
		return;
	}
	memset(&stars, 0, sizeof(Stars));
	stars.env = env;
	stars.fps = fps;
	simhash_plan_words(fps, distance, &stars.words);
	stars.clusters = clusters;
	simhash_stars_limits(&stars, memory);
	for (size_t done = 0; done < fps->n; done += stars.most_rows)
		add_chunk(&stars, done,
				  fps->n - done < stars.most_rows ? fps->n - done : stars.most_rows);
	join_free(env, stars.keepers);
}
