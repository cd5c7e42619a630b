/*-------------------------------------------------------------------------
 *
 * stored_stars.c
 *		Stars of fingerprints in a temporary file.
 *
 * A chunk of the rows is in memory at a time, as in stars.c, and the
 * representatives so far are in a file.  The chunk is joined with one piece of
 * the representatives after the other.  The first piece that has a near
 * representative of a row has the row's owner.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "stars.h"
#include "stored_groups.h"

#define NO_OWNER	UINT32_MAX

/*
 * In memory, a piece of the representatives is before the chunk.  A row of both has its
 * number there.
 */
typedef struct StoredStars
{
	Stars		stars;
	Fingerprints fps;
	uint64_t   *words;
	size_t		room;			/* of the piece, and of the chunk */
	uint32_t   *rows;
	uint32_t   *owners;			/* of the chunk */
	StoredSet  *representatives;
	GroupMember member;
	void	   *arg;
} StoredStars;

/* Find the owners of some rows of the chunk in the file; returns the number of rows left. */
static size_t
find_stored_owners(StoredStars *stored, uint32_t *left, size_t n)
{
	StoredSet  *representatives = stored->representatives;
	uint32_t   *clusters = stored->stars.clusters;

	for (uint64_t done = 0; done < representatives->n && n > 0; done += stored->room)
	{
		uint64_t	rest = representatives->n - done;
		FingerprintSet set = {left, n, 0};
		FingerprintSet piece = {NULL, rest < stored->room ? (size_t) rest : stored->room, 0};

		simhash_stored_read(representatives, done, piece.n, stored->words, stored->rows);
		simhash_find_owners(&stored->stars, &set, &piece);
		for (size_t i = 0; i < n; i++)
			if (clusters[left[i]] != left[i])
				stored->owners[left[i] - stored->room] = stored->rows[clusters[left[i]]];
		n = simhash_keep_without_owner(&stored->stars, left, n);
	}
	return n;
}

/* Find the owners of the chunk's n rows. */
static void
add_chunk(StoredStars *stored, size_t n)
{
	const JoinEnv *env = stored->stars.env;
	size_t		first = stored->room;
	const uint32_t *rows = stored->rows + first;
	uint32_t   *clusters = stored->stars.clusters;
	uint32_t   *numbers = join_alloc(env, n * sizeof(uint32_t));
	uint32_t   *left;
	size_t		nleft;
	Collapsed	chunk;

	stored->fps.n = first + n;
	for (size_t i = 0; i < n; i++)
	{
		numbers[i] = clusters[first + i] = (uint32_t) (first + i);
		stored->owners[i] = NO_OWNER;
	}
	simhash_collapse(&stored->fps, numbers, n, env, &chunk);
	left = join_alloc(env, chunk.n * sizeof(uint32_t));
	memcpy(left, chunk.first_rows, chunk.n * sizeof(uint32_t));
	nleft = find_stored_owners(stored, left, chunk.n);
	simhash_find_stars(&stored->stars, left, nleft, first, first + n);
	join_free(env, left);

	for (size_t i = 0; i < chunk.n; i++)
	{
		uint32_t	row = chunk.first_rows[i];
		uint32_t	owner = stored->owners[row - first];

		if (owner == NO_OWNER)
			owner = rows[clusters[row] - first];
		stored->owners[row - first] = owner;
		for (uint32_t k = chunk.starts[i]; k < chunk.starts[i + 1]; k++)
			stored->owners[chunk.other_rows[k] - first] = owner;
	}
	simhash_collapsed_free(&chunk, env);
	for (size_t i = 0; i < n; i++)
		if (stored->owners[i] != rows[i])
			stored->member(stored->arg, rows[i], stored->owners[i]);
		else
			simhash_stored_add(stored->representatives,
							   fingerprint_of_row(&stored->fps, first + i), rows[i]);
}

/* The rows of the set are in the order of their numbers. */
void
simhash_stored_stars(StoredSet *set, int distance, size_t memory, const JoinEnv *env,
					 const PairsSource *source, GroupMember member, void *arg)
{
	StoredStars stored = {0};
	Fingerprints sample = stored_sample(set);
	size_t		nwords = (size_t) set->nwords;
	size_t		row_bytes = CHUNK_ROW_BYTES + 2 * (nwords * 8 + 8) + 8;

	(void) source;
	if (distance < 0)
		return;
	simhash_plan_words(&sample, distance, &stored.stars.words);
	stored.stars.env = env;
	stored.stars.fps = &stored.fps;
	simhash_stars_limits(&stored.stars, memory);
	stored.room = memory / 2 / row_bytes;
	if (stored.room < FEWEST)
		stored.room = FEWEST;
	stored.words = join_alloc(env, 2 * stored.room * nwords * sizeof(uint64_t));
	stored.fps.words = stored.words;
	stored.fps.nwords = set->nwords;
	stored.rows = join_alloc(env, 2 * stored.room * sizeof(uint32_t));
	stored.stars.clusters = join_alloc(env, 2 * stored.room * sizeof(uint32_t));
	stored.owners = join_alloc(env, stored.room * sizeof(uint32_t));
	stored.representatives = simhash_stored_begin(set->nwords, env);
	stored.member = member;
	stored.arg = arg;
	for (uint64_t done = 0; done < set->n; done += stored.room)
	{
		uint64_t	left = set->n - done;
		size_t		n = left < stored.room ? (size_t) left : stored.room;

		simhash_stored_read(set, done, n, stored.words + stored.room * nwords,
							stored.rows + stored.room);
		add_chunk(&stored, n);
	}
	simhash_stored_end(stored.representatives);
	join_free(env, stored.words);
	join_free(env, stored.rows);
	join_free(env, stored.stars.clusters);
	join_free(env, stored.owners);
}
