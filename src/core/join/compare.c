/*-------------------------------------------------------------------------
 *
 * compare.c
 *		Comparisons of a join: all of one column with all of another.
 *
 * A comparison decides whether a pair is near, and whether the join has found it before.
 *
 * If the caller wants connected components, most pairs of rows that are already connected are
 * omitted.  The column b is compared in tiles (join_state.h).  Once many hits in a tile were
 * connected to the row that was compared with it, the tile is split: the fingerprints that are not
 * connected to this row, the "others", are listed.  From then on, a fingerprint that is connected
 * to the same row is compared only with the others.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "join_state.h"
#include "../store/roots.h"

static inline uint32_t
number_of(const WordColumn *column, size_t i)
{
	return column->numbers == NULL ? (uint32_t) i : column->numbers[i];
}

/* Begin to compare all of a with all of b. */
void
core_comparison_begin(Join *join, WordColumn a, WordColumn b, bool self)
{
	Comparison	comparison = {.active = true,.self = self,.a = a,.b = b};

	join->comparison = comparison;
}

void
core_comparison_begin_whole(Join *join)
{
	WordColumn	a = {NULL, NULL, join->a.n};
	WordColumn	b = {NULL, NULL, join->b.n};

	core_comparison_begin(join, a, b, join->self);
	join->comparison.whole = true;
	join->last_word = join->word;
}

/* Has the pair been found by an earlier block of this word? */
static inline bool
found_before(const Join *join, uint64_t difference)
{
	for (int f = 0; f < join->nlevels; f++)
	{
		const JoinLevel *level = &join->levels[f];

		for (int block = 0; block < level->block; block++)
			if (hamming_weight(difference & level->plan.masks[block]) <=
				level->plan.radii[block])
				return true;
	}
	return false;
}

/*
 * Are two fingerprints within the distance, and outside the radius of each earlier word?  An
 * earlier word has already reported the pairs within its radius.
 */
static bool
is_near(const Join *join, uint32_t a, uint32_t b, int *distance)
{
	const uint64_t *fp_a = fingerprint_of(join, &join->a, a);
	const uint64_t *fp_b = fingerprint_of(join, &join->b, b);

	*distance = hamming_between(fp_a, fp_b, join->fps->nwords);
	if (*distance > join->plan->distance)
		return false;
	for (int word = 0; word < join->word; word++)
		if (hamming_weight(fp_a[word] ^ fp_b[word]) <= join->plan->radii[word])
			return false;
	return true;
}

/*
 * Is a hit a pair that no earlier word or block has found?  "difference" is the XOR of the current
 * words of the two.  The blocks of a word find only pairs within its radius.
 */
static inline bool
is_new_pair(const Join *join, uint32_t a, uint32_t b, uint64_t difference, int *distance)
{
	*distance = hamming_weight(difference);
	if (*distance <= join->plan->radii[join->word] && found_before(join, difference))
		return false;
	return join->fps->nwords == 1 || is_near(join, a, b, distance);
}

/*
 * Return the whole fingerprints of b with numbers from "first" to before "end", one after the
 * other.
 */
static const uint64_t *
gather_whole(Join *join, size_t first, size_t end)
{
	int			nwords = join->fps->nwords;

	if (join->b.rows == NULL)
		return fingerprint_of_row(join->fps, join->b.first + first);
	for (size_t i = first; i < end; i++)
		memcpy(join->gathered + (i - first) * (size_t) nwords,
			   fingerprint_of(join, &join->b, i), (size_t) nwords * sizeof(uint64_t));
	return join->gathered;
}

/* ----------
 * Connected rows
 * ----------
 */

static inline uint32_t
root_of_a(const Join *join, size_t i)
{
	return find_root(join->parents, join->rows_a[number_of(&join->comparison.a, i)]);
}

static inline uint32_t
root_of_b(const Join *join, size_t i)
{
	return find_root(join->parents, join->rows_b[number_of(&join->comparison.b, i)]);
}

/*
 * Omit the hits in the tile that are connected to a's next row.  Returns the number of the others.
 */
static int
drop_connected(Join *join, int nhits)
{
	Comparison *comparison = &join->comparison;
	uint32_t	root = root_of_a(join, comparison->next);
	int			kept = 0;

	for (int i = 0; i < nhits; i++)
		if (root_of_b(join, comparison->tile + join->places[i]) != root)
			join->places[kept++] = join->places[i];
	if (kept < nhits)
		comparison->left_out = root;
	comparison->connected += (size_t) (nhits - kept);
	return kept;
}

/*
 * List the fingerprints of the tile, which ends before "end", that are not connected to
 * those that were left out last.
 */
static void
split_tile(Join *join, const uint64_t *tile, size_t end, int words)
{
	Comparison *comparison = &join->comparison;
	uint32_t	root = find_root(join->parents, comparison->left_out);
	size_t		n = 0;

	for (size_t i = comparison->tile; i < end; i++)
	{
		size_t		place = i - comparison->tile;

		if (root_of_b(join, i) == root)
			continue;
		memcpy(join->others + n * (size_t) words, tile + place * (size_t) words,
			   (size_t) words * sizeof(uint64_t));
		join->other_places[n++] = (uint16_t) place;
	}
	comparison->split = true;
	comparison->row = root;
	comparison->connected = 0;
	comparison->nothers = n;
	comparison->next_other = 0;
}

/* Is a's next row connected to all of the tile except the listed others? */
static inline bool
is_connected(const Join *join)
{
	const Comparison *comparison = &join->comparison;

	return comparison->split &&
		root_of_a(join, comparison->next) == find_root(join->parents, comparison->row);
}

/*
 * Compare a's next fingerprint with those of the tile from "first" to before "end", except for
 * those that are known to be connected.  Writes the places in the tile of those that are near to
 * join->places, and returns their number.
 */
static int
compare_with_tile(Join *join, const uint64_t *fp, const uint64_t *tile, size_t first, size_t end,
				  int words, int radius)
{
	Comparison *comparison = &join->comparison;
	size_t		skipped = first - comparison->tile;
	size_t		n = end - first;
	const uint64_t *fps = tile + skipped * (size_t) words;
	const uint16_t *places = NULL;
	int			nhits;

	if (is_connected(join))
	{
		while (comparison->next_other < comparison->nothers &&
			   join->other_places[comparison->next_other] < skipped)
			comparison->next_other++;
		n = comparison->nothers - comparison->next_other;
		fps = join->others + comparison->next_other * (size_t) words;
		places = join->other_places + comparison->next_other;
	}
	spend(join, (long) n * words + 16);
	join->spent += COST_BEGIN + COST_COMPARE * (double) n * words;
	nhits = hamming_within(fps, (int) n, fp, words, radius, join->places);
	join->compared += (double) n;
	join->hits += nhits;
	for (int i = 0; i < nhits; i++)
		join->places[i] = places != NULL ? places[join->places[i]] :
			(uint16_t) (join->places[i] + skipped);
	return nhits > MANY_HITS && join->parents != NULL ? drop_connected(join, nhits) : nhits;
}

bool
core_comparison_run(Join *join)
{
	Comparison *comparison = &join->comparison;
	int			words = comparison->whole ? join->fps->nwords : 1;
	int			radius = comparison->whole ? join->plan->distance : join->plan->radii[join->word];
	size_t		most = (size_t) (TILE_SIZE / words);

	while (comparison->tile < comparison->b.n)
	{
		size_t		end = comparison->b.n - comparison->tile < most ? comparison->b.n : comparison->tile + most;
		size_t		last = comparison->self ? end : comparison->a.n;
		const uint64_t *tile = comparison->whole ? gather_whole(join, comparison->tile, end) :
			comparison->b.words + comparison->tile;

		for (; comparison->next < last; comparison->next++)
		{
			const uint64_t *fp = comparison->whole ? fingerprint_of(join, &join->a, comparison->next) :
				comparison->a.words + comparison->next;
			size_t		first = comparison->tile;
			int			nhits;
			size_t		npairs;

			if (comparison->self && comparison->next >= first)
				first = comparison->next + 1;
			if (join->npairs + (end - first) > MAX_PAIRS)
				return false;
			if (comparison->connected >= most)
				split_tile(join, tile, end, words);
			nhits = compare_with_tile(join, fp, tile, first, end, words, radius);
			npairs = join->npairs;
			for (int i = 0; i < nhits; i++)
			{
				size_t		hit = join->places[i];
				int			word = comparison->whole ? join->word : 0;
				FingerprintPair *pair = &join->pairs[join->npairs];

				pair->a = number_of(&comparison->a, comparison->next);
				pair->b = number_of(&comparison->b, comparison->tile + hit);
				if (!is_new_pair(join, pair->a, pair->b,
								 fp[word] ^ tile[hit * (size_t) words + word],
								 &pair->distance))
					continue;
				join->npairs++;
			}
			join->found += (double) (join->npairs - npairs);
			join->spent += COST_AGAIN * ((double) nhits - (double) (join->npairs - npairs));
		}

		/*
		 * if this tile was split, split the next one at once: connected rows
		 * usually fill several tiles
		 */
		comparison->connected = comparison->split ? most : 0;
		comparison->split = false;
		comparison->tile = end;
		comparison->next = 0;
	}
	comparison->active = false;
	return true;
}
