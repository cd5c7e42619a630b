/*-------------------------------------------------------------------------
 *
 * stars.c
 *		Stars: each row belongs to the first keeper within the distance, or else is
 *		a keeper itself.
 *
 * Normally all pairs of rows with distinct fingerprints become links, and star_links.c makes stars
 * of the links.
 *
 * If most rows are near each other, the number of pairs would be quadratic, although a single
 * keeper is near almost all of the rows.  So if there are too many pairs, or a rule, the rows are
 * processed in chunks that fit in memory, and the keepers so far are in a file.  A chunk is joined
 * with one piece of the keepers after the other.  The first piece that has a keeper near a row, to
 * which the row belongs by the rule, has the row's keeper.  The rows without such a keeper are
 * joined among themselves.  Their pairs, in the order of their first rows, decide which of these
 * rows are keepers.  Pairs that the rule refuses at once do not count.
 *
 * If the rows of a chunk have too many pairs as well, their join is given up and the rows are
 * halved.  The keepers of the earlier half are found first, in the same manner, and the later half
 * is then joined with them.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "../hamming.h"
#include "groups.h"
#include "../store/radix.h"
#include "../store/random.h"

#define NO_KEEPER	UINT32_MAX

/* If there are more links than this for each row, chunks are faster. */
#define LINKS_A_ROW		8

/* If there are more pairs than this for each row of a chunk, halves are faster than sorting. */
#define PAIRS_A_ROW		16

/* The least number of rows of a chunk and of pairs, for any amount of memory */
#ifndef JOIN_TEST_SIZES
#define FEWEST			1024
#else
#define FEWEST			4
#endif

/* A sample with fewer pairs does not show that the set has many. */
#define FEWEST_PAIRS	16

/* The largest size of the sample */
#define MOST_SAMPLE		4096

/* ----------
 * Pairs
 * ----------
 */

/* Link two rows with the same fingerprint.  The later row has no other links. */
static void
link_equal(void *links, uint32_t first, uint32_t other)
{
	core_external_sort_add(links, first, other);
}

/* The expected number of pairs of a sample, if the set has "pairs" pairs. */
static inline double
expected_pairs(const FingerprintSet *set, size_t sample, uint64_t pairs)
{
	double		share = (double) sample / (double) set->n;

	return (double) pairs * share * share;
}

/* Does a random sample show that the set has more than "most" pairs? */
static bool
sample_has_many_pairs(FingerprintSet *set, int distance, uint64_t most)
{
	const Env  *env = set->env;
	size_t		nwords = (size_t) set->nwords;
	size_t		size = 1;
	uint64_t	state = 1;
	uint64_t	n = 0;
	uint64_t   *sample;
	uint16_t   *hits;
	uint32_t	row;

	while (size < MOST_SAMPLE && expected_pairs(set, size, most) < FEWEST_PAIRS)
		size *= 2;
	sample = env_alloc(env, size * nwords * sizeof(uint64_t));
	hits = env_alloc(env, size * sizeof(uint16_t));
	for (size_t i = 0; i < size; i++)
	{
		core_set_read(set, random_below(&state, set->n), 1, sample + i * nwords, &row);
		n += (uint64_t) hamming_within(sample, (int) i, sample + i * nwords, set->nwords,
									   distance, hits);
	}
	env_free(env, sample);
	env_free(env, hits);
	return n >= FEWEST_PAIRS && (double) n > expected_pairs(set, size, most);
}

/* Add links for all pairs.  Returns false if there are too many. */
static bool
link_pairs(FingerprintSet *set, int distance, size_t memory,
		   const PairsSource *source, ExternalSort *links)
{
	const Env  *env = set->env;
	uint64_t	most = set->n * LINKS_A_ROW;
	uint64_t	nlinks = 0;
	const FingerprintPair *found;
	size_t		n;
	void	   *pairs;

	if (most < (uint64_t) FEWEST * FEWEST / 2)
		most = (uint64_t) FEWEST * FEWEST / 2;
	if (sample_has_many_pairs(set, distance, most))
		return false;
	pairs = source->begin(source->arg, set, distance, most, NULL, memory);
	if (pairs == NULL)
		return false;
	while (nlinks <= most && (n = source->next(pairs, &found)) > 0)
	{
		check_interrupts(env);
		for (size_t i = 0; i < n; i++)
			if (found[i].a < found[i].b)
				core_external_sort_add(links, found[i].b, found[i].a);
			else
				core_external_sort_add(links, found[i].a, found[i].b);
		nlinks += n;
	}
	source->end(pairs);
	return nlinks <= most;
}

/*
 * Find the keepers by all pairs.  If there are too many pairs, the function returns false and has
 * not called "member".
 */
static bool
find_by_pairs(FingerprintSet *set, int distance, size_t memory,
			  const PairsSource *source, GroupMember member, void *arg)
{
	const Env  *env = set->env;
	ExternalSort *links = core_external_sort_begin(SHORT_NUMBERS, memory / 8, env);
	FingerprintSet *distinct = core_distinct(set, memory / 2, link_equal, links);
	bool		found = link_pairs(distinct, distance, memory / 8 * 7, source, links);

	core_set_end(distinct);
	if (found)
		core_star_of_links(links, set->n, env, member, arg);
	core_external_sort_end(links);
	return found;
}

/* ----------
 * Chunks
 * ----------
 */

/*
 * Bytes for each row of a chunk, and for the row of a keeper that is in memory at the same time.
 * JOIN_BYTES are 4 for a place, and 24 each for a row and a keeper in the join: 8 for a word, 12
 * for the sorted word and its number, 4 for a counter.  Before the join, linking equal rows needs
 * 24 bytes for each row.
 */
#define JOIN_BYTES			52
#define CHUNK_ROW_BYTES(nwords)	(JOIN_BYTES + 2 * ((nwords) * 8 + 12) + 4)

/* Bytes of a pair, and of its copy during the sort */
#define PAIR_BYTES			24

/*
 * A row has a number in the set, and a place in memory: the places below "room" are for a
 * piece of the keepers, and those from "room" on are for the chunk.  The arrays are by
 * place.
 */
typedef struct Stars
{
	const Env  *env;
	WordPlan	plan;
	size_t		room;			/* of the piece, and of the chunk */
	size_t		most_pairs;
	uint64_t   *words;
	Fingerprints fps;			/* of these words */
	uint32_t   *rows;
	uint32_t   *keeper_places;	/* a keeper near the place, or the place */
	uint32_t   *keeper_rows;	/* for places of the chunk */
	FingerprintSet *keepers;
	const StarRule *rule;
	GroupMember member;
	void	   *arg;
} Stars;

static inline uint32_t
place_in_set(const RowSet *set, uint32_t number)
{
	return set->rows != NULL ? set->rows[number] : (uint32_t) set->first + number;
}

/* Could a row near an earlier one belong to it? */
static inline bool
may_belong(const StarRule *rule, uint32_t earlier, uint32_t row)
{
	return rule == NULL || rule->may_belong(rule->arg, earlier, row);
}

/* Does a row near a keeper belong to it, if it may? */
static inline bool
belongs(const StarRule *rule, uint32_t keeper, uint32_t row)
{
	return rule == NULL || rule->belongs(rule->arg, keeper, row);
}

/*
 * Find which places of a set are keepers, and for every other place its keeper, by all pairs that
 * may belong to each other: those of the set, or those of the set and of earlier keepers.  Returns
 * false if there are more than "most_pairs".
 */
static bool
find_stars_by_pairs(Stars *stars, const RowSet *set, const RowSet *keepers, size_t most_pairs)
{
	const Env  *env = stars->env;
	uint32_t   *keeper_places = stars->keeper_places;
	uint64_t   *earlier = NULL; /* the earlier place of each pair */
	uint32_t   *later = NULL;	/* the later place */
	size_t		room = 0;
	size_t		n = 0;
	size_t		npairs;
	FingerprintPair *pairs;
	Join	   *join = core_join_begin(&stars->fps, &stars->plan, set, keepers, env);

	while (n <= most_pairs && (npairs = core_join_next(join, &pairs)) > 0)
	{
		check_interrupts(env);
		if (n + npairs > room)
		{
			room = room * 2 + npairs;
			earlier = env_resize(env, earlier, room * sizeof(uint64_t));
			later = env_resize(env, later, room * sizeof(uint32_t));
		}
		for (size_t i = 0; i < npairs; i++)
		{
			uint32_t	a = place_in_set(set, pairs[i].a);
			uint32_t	b = place_in_set(keepers != NULL ? keepers : set, pairs[i].b);

			earlier[n] = a < b ? a : b;
			later[n] = a < b ? b : a;
			n += keeper_places[later[n]] == later[n] &&
				may_belong(stars->rule, stars->rows[earlier[n]], stars->rows[later[n]]);
		}
	}
	core_join_end(join);
	if (n > 0 && n <= most_pairs)
	{
		core_sort_fps(earlier, later, n, env);
		for (size_t i = 0; i < n; i++)
		{
			/* the pairs of places before a have been handled */
			uint32_t	a = (uint32_t) earlier[i];
			uint32_t	b = later[i];

			tick(env, i);
			if (keeper_places[a] == a && keeper_places[b] == b &&
				belongs(stars->rule, stars->rows[a], stars->rows[b]))
				keeper_places[b] = a;
		}
	}
	env_free(env, earlier);
	env_free(env, later);
	return n <= most_pairs;
}

/*
 * Find the first of these keepers, whose places ascend, to which each place of the set belongs.  If
 * there are too many pairs, the earlier half of the keepers comes first.  A single keeper does not
 * have too many.
 */
static void
find_near(Stars *stars, const RowSet *set, const RowSet *keepers)
{
	RowSet		half = *keepers;

	if (find_stars_by_pairs(stars, set, keepers, stars->most_pairs))
		return;
	half.n = keepers->n / 2;
	find_near(stars, set, &half);
	if (half.rows != NULL)
		half.rows += half.n;
	half.first += half.n;
	half.n = keepers->n - half.n;
	find_near(stars, set, &half);
}

/* Compare places for qsort. */
static int
compare_places(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

/* Remove the places that belong to another keeper.  Returns the number of the others. */
static size_t
drop_members(const Stars *stars, uint32_t *places, size_t n)
{
	size_t		kept = 0;

	for (size_t i = 0; i < n; i++)
		if (stars->keeper_places[places[i]] == places[i])
			places[kept++] = places[i];
	return kept;
}

/*
 * Find which of n places are keepers, and for every other one its keeper.  The places are from "first"
 * to before "end", and none of them belongs to a keeper outside that range.  The function changes
 * the order of "places", and returns how many places at its front include all keepers.
 */
static size_t
find_stars(Stars *stars, uint32_t *places, size_t n, size_t first, size_t end)
{
	size_t		middle = first + (end - first) / 2;
	size_t		most_pairs = n * PAIRS_A_ROW;
	size_t		nearlier = 0;
	size_t		nstars;
	size_t		nlater;
	RowSet		set = {places, n, 0};
	RowSet		found = {places, 0, 0};

	/*
	 * If there are few enough pairs, find_stars_by_pairs does all the work.
	 * It leaves "places" as it is, so its front of n places includes all
	 * keepers.
	 *
	 * Otherwise halve the range, and find the keepers of the earlier half.
	 * That is possible without the later half, because a keeper comes before
	 * the members of its star.  A place of the later half belongs to the
	 * first keeper of the earlier half that is near it, because that keeper
	 * comes before all keepers of the later half.  The places that remain
	 * have no near keeper in the earlier half, so the later half can be
	 * solved alone, too.  The recursion ends because a range of one place has
	 * no pairs.
	 */
	if (most_pairs < (size_t) FEWEST * FEWEST / 2)
		most_pairs = (size_t) FEWEST * FEWEST / 2;
	if (most_pairs > stars->most_pairs)
		most_pairs = stars->most_pairs;
	if (n < 2 || find_stars_by_pairs(stars, &set, NULL, most_pairs))
		return n;

	for (size_t i = 0; i < n; i++)
		if (places[i] < middle)
		{
			uint32_t	place = places[i];

			places[i] = places[nearlier];
			places[nearlier++] = place;
		}

	/*
	 * Only the keepers of the earlier half are joined with the later half. So
	 * if most rows are near each other, few places remain.
	 */
	nstars = find_stars(stars, places, nearlier, first, middle);
	nstars = drop_members(stars, places, nstars);
	qsort(places, nstars, sizeof(uint32_t), compare_places);
	found.n = nstars;
	set.rows = places + nearlier;
	set.n = n - nearlier;
	find_near(stars, &set, &found);
	nlater = drop_members(stars, places + nearlier, set.n);
	nlater = find_stars(stars, places + nearlier, nlater, middle, end);
	/* put the keepers of the later half after those of the earlier one */
	memmove(places + nstars, places + nearlier, nlater * sizeof(uint32_t));
	return nstars + nlater;
}

/*
 * Find the keepers in the file to which places of the chunk belong.  Returns the number of places
 * that have no near keeper there.
 */
static size_t
find_earlier_keepers(Stars *stars, uint32_t *places, size_t n)
{
	FingerprintSet *keepers = stars->keepers;
	uint32_t   *keeper_places = stars->keeper_places;

	for (uint64_t done = 0; done < keepers->n && n > 0; done += stars->room)
	{
		uint64_t	rest = keepers->n - done;
		RowSet		set = {places, n, 0};
		RowSet		piece = {NULL, rest < stars->room ? (size_t) rest : stars->room, 0};

		core_set_read(keepers, done, piece.n, stars->words, stars->rows);
		for (size_t i = 0; i < piece.n; i++)
			keeper_places[i] = (uint32_t) i;
		find_near(stars, &set, &piece);
		for (size_t i = 0; i < n; i++)
			if (keeper_places[places[i]] != places[i])
				stars->keeper_rows[places[i]] = stars->rows[keeper_places[places[i]]];
		n = drop_members(stars, places, n);
	}
	return n;
}

/*
 * Link each of n places from "first" on to an earlier one with the same fingerprint, if there is
 * one.  A sort by hashes puts equal fingerprints next to each other.  If a different fingerprint
 * with the same hash is between them, they may remain unlinked, and are joined like others.
 */
static void
link_equal_places(Stars *stars, size_t first, size_t n)
{
	const Env  *env = stars->env;
	const Fingerprints *fps = &stars->fps;
	uint64_t   *hashes = env_alloc(env, n * sizeof(uint64_t));
	uint32_t   *places = env_alloc(env, n * sizeof(uint32_t));
	uint32_t	earlier = 0;

	for (size_t i = 0; i < n; i++)
	{
		places[i] = (uint32_t) (first + i);
		hashes[i] = hash_fingerprint(fingerprint_of_row(fps, places[i]), fps->nwords);
	}
	core_sort_fps(hashes, places, n, env);
	for (size_t i = 0; i < n; i++)
		if (i > 0 && hashes[i] == hashes[i - 1] &&
			same_fingerprint(fingerprint_of_row(fps, places[i]),
							 fingerprint_of_row(fps, earlier), fps->nwords))
			stars->keeper_places[places[i]] = earlier;
		else
			earlier = places[i];
	env_free(env, hashes);
	env_free(env, places);
}

/* Find the keepers of the chunk's n rows. */
static void
find_keepers_of_chunk(Stars *stars, size_t n)
{
	const Env  *env = stars->env;
	size_t		first = stars->room;
	size_t		end = first + n;
	const uint32_t *rows = stars->rows;
	uint32_t   *keeper_rows = stars->keeper_rows;
	uint32_t   *places;
	size_t		nplaces;

	stars->fps.n = end;
	for (size_t place = first; place < end; place++)
	{
		stars->keeper_places[place] = (uint32_t) place;
		keeper_rows[place] = NO_KEEPER;
	}
	if (stars->rule == NULL)
		link_equal_places(stars, first, n);
	places = env_alloc(env, n * sizeof(uint32_t));
	for (size_t i = 0; i < n; i++)
		places[i] = (uint32_t) (first + i);
	nplaces = drop_members(stars, places, n);
	nplaces = find_earlier_keepers(stars, places, nplaces);
	find_stars(stars, places, nplaces, first, end);
	env_free(env, places);

	for (size_t place = first; place < end; place++)
	{
		uint32_t	keeper = stars->keeper_places[place];

		/*
		 * a keeper of the chunk has an earlier place, whose row is known; the
		 * row of a keeper in the file has been set
		 */
		if (keeper_rows[place] == NO_KEEPER)
			keeper_rows[place] = keeper == place ? rows[place] : keeper_rows[keeper];
		if (keeper_rows[place] != rows[place])
			stars->member(stars->arg, rows[place], keeper_rows[place]);
		else
			core_set_add(stars->keepers, fingerprint_of_row(&stars->fps, place),
						 rows[place]);
	}
}

static inline size_t
at_least_fewest(size_t n)
{
	return n < FEWEST ? FEWEST : n;
}

void
core_stars_by_rule(FingerprintSet *set, int distance, size_t memory,
				   const StarRule *rule, GroupMember member, void *arg)
{
	const Env  *env = set->env;
	Fingerprints sample = sample_of_set(set);
	size_t		nwords = (size_t) set->nwords;
	Stars		stars = {.env = env,.rule = rule,.member = member,.arg = arg};

	if (distance < 0 || set->n < 2)
		return;
	core_plan_words(&sample, distance, &stars.plan);
	stars.room = at_least_fewest(memory / 2 / CHUNK_ROW_BYTES(nwords));
	if (stars.room > set->n)
		stars.room = (size_t) set->n;
	stars.most_pairs = at_least_fewest(memory / 2 / PAIR_BYTES);
	stars.words = env_alloc(env, 2 * stars.room * nwords * sizeof(uint64_t));
	stars.fps.words = stars.words;
	stars.fps.nwords = set->nwords;
	stars.rows = env_alloc(env, 2 * stars.room * sizeof(uint32_t));
	stars.keeper_places = env_alloc(env, 2 * stars.room * sizeof(uint32_t));
	stars.keeper_rows = env_alloc(env, 2 * stars.room * sizeof(uint32_t));
	stars.keepers = core_set_begin(set->nwords, env);
	for (uint64_t done = 0; done < set->n; done += stars.room)
	{
		uint64_t	left = set->n - done;
		size_t		n = left < stars.room ? (size_t) left : stars.room;

		core_set_read(set, done, n, stars.words + stars.room * nwords,
					  stars.rows + stars.room);
		find_keepers_of_chunk(&stars, n);
	}
	core_set_end(stars.keepers);
	env_free(env, stars.words);
	env_free(env, stars.rows);
	env_free(env, stars.keeper_places);
	env_free(env, stars.keeper_rows);
}

void
core_stars(FingerprintSet *set, int distance, size_t memory,
		   const PairsSource *source, GroupMember member, void *arg)
{
	if (distance >= 0 && set->n > 1 &&
		!find_by_pairs(set, distance, memory, source, member, arg))
		core_stars_by_rule(set, distance, memory, NULL, member, arg);
}
