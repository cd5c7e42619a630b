/*-------------------------------------------------------------------------
 *
 * stored_stars.c
 *		Stars of fingerprints in a temporary file.
 *
 * All pairs of the distinct rows are links.  star_links.c makes stars of the links.
 *
 * If there are too many pairs, there are few keepers.  Then a chunk of the rows is in
 * memory at a time, as in stars.c, and the keepers so far are in a file.  The chunk is
 * joined with one piece of the keepers after the other.  The first piece that has a
 * keeper near a row has the row's keeper.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "random.h"
#include "star_links.h"
#include "stars.h"
#include "stored_groups.h"

#define NO_KEEPER	UINT32_MAX

/* With more pairs than this for each row, chunks take less time. */
#define LINKS_A_ROW		8

/* Pairs of a sample from which on they tell the number of all pairs, and its largest size */
#define FEWEST_PAIRS	16
#define MOST_SAMPLE		4096

/* ----------
 * Pairs
 * ----------
 */

/* The later row has the same fingerprint, and no other links. */
static void
link_equal(void *links, uint32_t first, uint32_t other)
{
	simhash_number_sort_add(links, first, other);
}

/* The pairs of a sample, if the set has "pairs" pairs */
static inline double
expected_pairs(const StoredSet *set, size_t sample, uint64_t pairs)
{
	double		share = (double) sample / (double) set->n;

	return (double) pairs * share * share;
}

/* Does a random sample of the set tell that there are more pairs than "most"? */
static bool
sample_has_many_pairs(StoredSet *set, int distance, uint64_t most)
{
	const JoinEnv *env = set->env;
	size_t		nwords = (size_t) set->nwords;
	size_t		size = 1;
	uint64_t	state = 1;
	uint64_t	n = 0;
	uint64_t   *sample;
	uint16_t   *hits;
	uint32_t	row;

	while (size < MOST_SAMPLE && expected_pairs(set, size, most) < FEWEST_PAIRS)
		size *= 2;
	sample = join_alloc(env, size * nwords * sizeof(uint64_t));
	hits = join_alloc(env, size * sizeof(uint16_t));
	for (size_t i = 0; i < size; i++)
	{
		simhash_stored_read(set, random_below(&state, set->n), 1, sample + i * nwords, &row);
		n += (uint64_t) hamming_within(sample, (int) i, sample + i * nwords, set->nwords,
									   distance, hits);
	}
	join_free(env, sample);
	join_free(env, hits);
	return n >= FEWEST_PAIRS && (double) n > expected_pairs(set, size, most);
}

/* Add links for all pairs; false if there are too many. */
static bool
link_pairs(StoredSet *set, int distance, size_t memory, const JoinEnv *env,
		   const PairsSource *source, NumberSort *links)
{
	uint64_t	most = set->n * LINKS_A_ROW;
	uint64_t	npairs = 0;
	const FingerprintPair *found;
	size_t		n;
	void	   *pairs;

	if (most < (uint64_t) FEWEST * FEWEST / 2)
		most = (uint64_t) FEWEST * FEWEST / 2;
	if (sample_has_many_pairs(set, distance, most))
		return false;
	pairs = source->begin(source->arg, set, distance, memory, env);
	while (npairs <= most && (n = source->next(pairs, &found)) > 0)
	{
		npairs += n;
		for (size_t i = 0; i < n; i++)
			if (found[i].a < found[i].b)
				simhash_number_sort_add(links, found[i].b, found[i].a);
			else
				simhash_number_sort_add(links, found[i].a, found[i].b);
	}
	source->end(pairs);
	return npairs <= most;
}

/* Find the keepers by all pairs; false, without a member, if there are too many pairs. */
static bool
find_by_pairs(StoredSet *set, int distance, size_t memory, const JoinEnv *env,
			  const PairsSource *source, GroupMember member, void *arg)
{
	NumberSort *links = simhash_number_sort_begin(SHORT_NUMBERS, memory / 8, env);
	StoredSet  *distinct = simhash_stored_distinct(set, memory / 2, env, link_equal, links);
	bool		found = link_pairs(distinct, distance, memory / 8 * 7, env, source, links);

	simhash_stored_end(distinct);
	if (found)
		simhash_star_of_links(links, set->n, memory / 8, env, member, arg);
	simhash_number_sort_end(links);
	return found;
}

/* ----------
 * Chunks
 * ----------
 */

/*
 * A row has a number in the set, and a place in memory: the places below "room" are for a
 * piece of the keepers, and those from "room" on are for the chunk.  The arrays are by
 * place, and "stars" knows places only.
 */
typedef struct StoredStars
{
	Stars		stars;
	Fingerprints fps;
	uint64_t   *words;
	size_t		room;			/* of the piece, and of the chunk */
	uint32_t   *rows;
	uint32_t   *keeper_of;		/* rows, for places of the chunk */
	StoredSet  *keepers;
	GroupMember member;
	void	   *arg;
} StoredStars;

/* Find keepers of some places of the chunk in the file; returns the number of places left. */
static size_t
find_stored_keepers(StoredStars *stored, uint32_t *places, size_t n)
{
	StoredSet  *keepers = stored->keepers;
	uint32_t   *clusters = stored->stars.clusters;

	for (uint64_t done = 0; done < keepers->n && n > 0; done += stored->room)
	{
		uint64_t	rest = keepers->n - done;
		FingerprintSet set = {places, n, 0};
		FingerprintSet piece = {NULL, rest < stored->room ? (size_t) rest : stored->room, 0};

		simhash_stored_read(keepers, done, piece.n, stored->words, stored->rows);
		simhash_find_keepers(&stored->stars, &set, &piece);
		for (size_t i = 0; i < n; i++)
			if (clusters[places[i]] != places[i])
				stored->keeper_of[places[i]] = stored->rows[clusters[places[i]]];
		n = simhash_drop_members(&stored->stars, places, n);
	}
	return n;
}

/* Find the keepers of the chunk's n rows. */
static void
add_chunk(StoredStars *stored, size_t n)
{
	const JoinEnv *env = stored->stars.env;
	size_t		first = stored->room;
	size_t		end = first + n;
	const uint32_t *rows = stored->rows;
	uint32_t   *keeper_of = stored->keeper_of;
	uint32_t   *clusters = stored->stars.clusters;
	uint32_t   *places = join_alloc(env, n * sizeof(uint32_t));
	size_t		nplaces;
	Collapsed	chunk;

	stored->fps.n = end;
	for (size_t place = first; place < end; place++)
	{
		places[place - first] = clusters[place] = (uint32_t) place;
		keeper_of[place] = NO_KEEPER;
	}
	simhash_collapse(&stored->fps, places, n, env, &chunk);
	places = join_alloc(env, chunk.n * sizeof(uint32_t));
	memcpy(places, chunk.first_rows, chunk.n * sizeof(uint32_t));
	nplaces = find_stored_keepers(stored, places, chunk.n);
	simhash_find_stars(&stored->stars, places, nplaces, first, end);
	join_free(env, places);

	for (size_t i = 0; i < chunk.n; i++)
	{
		uint32_t	place = chunk.first_rows[i];

		if (keeper_of[place] == NO_KEEPER)
			keeper_of[place] = rows[clusters[place]];
		for (uint32_t k = chunk.starts[i]; k < chunk.starts[i + 1]; k++)
			keeper_of[chunk.other_rows[k]] = keeper_of[place];
	}
	simhash_collapsed_free(&chunk, env);
	for (size_t place = first; place < end; place++)
		if (keeper_of[place] != rows[place])
			stored->member(stored->arg, rows[place], keeper_of[place]);
		else
			simhash_stored_add(stored->keepers,
							   fingerprint_of_row(&stored->fps, place), rows[place]);
}

static void
find_by_chunks(StoredSet *set, int distance, size_t memory, const JoinEnv *env,
			   GroupMember member, void *arg)
{
	StoredStars stored = {0};
	Fingerprints sample = stored_sample(set);
	size_t		nwords = (size_t) set->nwords;
	size_t		row_bytes = CHUNK_ROW_BYTES + 2 * (nwords * 8 + 12) + 4;

	simhash_plan_words(&sample, distance, &stored.stars.words);
	stored.stars.env = env;
	stored.stars.fps = &stored.fps;
	simhash_stars_limits(&stored.stars, memory);
	stored.room = memory / 2 / row_bytes;
	if (stored.room < FEWEST)
		stored.room = FEWEST;
	if (stored.room > set->n)
		stored.room = (size_t) set->n;
	stored.words = join_alloc(env, 2 * stored.room * nwords * sizeof(uint64_t));
	stored.fps.words = stored.words;
	stored.fps.nwords = set->nwords;
	stored.rows = join_alloc(env, 2 * stored.room * sizeof(uint32_t));
	stored.stars.clusters = join_alloc(env, 2 * stored.room * sizeof(uint32_t));
	stored.keeper_of = join_alloc(env, 2 * stored.room * sizeof(uint32_t));
	stored.keepers = simhash_stored_begin(set->nwords, env);
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
	simhash_stored_end(stored.keepers);
	join_free(env, stored.words);
	join_free(env, stored.rows);
	join_free(env, stored.stars.clusters);
	join_free(env, stored.keeper_of);
}

/* The rows of the set are in the order of their numbers, which are from 0 on. */
void
simhash_stored_stars(StoredSet *set, int distance, size_t memory, const JoinEnv *env,
					 const PairsSource *source, GroupMember member, void *arg)
{
	if (distance >= 0 && set->n > 1 &&
		!find_by_pairs(set, distance, memory, env, source, member, arg))
		find_by_chunks(set, distance, memory, env, member, arg);
}
