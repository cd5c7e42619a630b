/*-------------------------------------------------------------------------
 *
 * compare.c
 *		Comparisons of a join: all of one column with all of another.
 *
 * A comparison decides whether a pair is near, and whether the join has found it before.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "join_state.h"

static inline uint32_t
number_of(const Column *column, size_t i)
{
	return column->numbers == NULL ? (uint32_t) i : column->numbers[i];
}

/* Begin to compare all of a with all of b. */
void
simhash_comparison_begin(Join *join, Column a, Column b, bool self)
{
	Comparison *comparison = &join->comparison;

	comparison->active = true;
	comparison->self = self;
	comparison->whole = false;
	comparison->a = a;
	comparison->b = b;
	comparison->tile = 0;
	comparison->next = 0;
}

/*
 * Begin to compare the whole fingerprints of all pairs.  That finds every pair that no
 * earlier word has reported, so the present word is the last.
 */
void
simhash_comparison_begin_whole(Join *join)
{
	Column		a = {NULL, NULL, join->a.n};
	Column		b = {NULL, NULL, join->b.n};

	simhash_comparison_begin(join, a, b, join->self);
	join->comparison.whole = true;
	join->last_word = join->word;
}

/* Has the pair been found by an earlier block of this word? */
static inline bool
found_before(const Join *join, uint64_t difference)
{
	for (int f = 0; f < join->nframes; f++)
	{
		const Frame *frame = &join->frames[f];

		for (int block = 0; block < frame->block; block++)
			if (hamming_weight(difference & frame->plan.masks[block]) <=
				frame->plan.radii[block])
				return true;
	}
	return false;
}

/* Are two fingerprints within the distance, but in no earlier word within its radius? */
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
 * Is a hit a pair that no earlier word or block has found?  "difference" is the XOR of
 * the pair's present words.  The blocks of a word find only pairs within its radius.
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
 * The whole fingerprints of b with numbers from "first" to before "end", one after the
 * other
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

/* Compare until the comparison ends; false if there is no more room for pairs. */
bool
simhash_comparison_run(Join *join)
{
	Comparison *comparison = &join->comparison;
	BlockWork  *work = &join->frames[join->nframes - 1].done;
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
			const uint64_t *others;
			int			nhits;

			if (comparison->self && comparison->next >= first)
				first = comparison->next + 1;
			spend(join, (long) (end - first) * words + 16);
			if (join->npairs + (end - first) > MAX_PAIRS)
				return false;
			others = tile + (first - comparison->tile) * (size_t) words;
			nhits = hamming_within(others, (int) (end - first), fp, words, radius,
								   join->hits);
			work->compared += (double) (end - first);
			work->hits += nhits;
			for (int i = 0; i < nhits; i++)
			{
				size_t		hit = join->hits[i];
				int			word = comparison->whole ? join->word : 0;
				FingerprintPair *pair = &join->pairs[join->npairs];

				pair->a = number_of(&comparison->a, comparison->next);
				pair->b = number_of(&comparison->b, first + hit);
				if (!is_new_pair(join, pair->a, pair->b,
								 fp[word] ^ others[hit * (size_t) words + word],
								 &pair->distance))
					continue;
				join->npairs++;
				work->found++;
			}
		}
		comparison->tile = end;
		comparison->next = 0;
	}
	comparison->active = false;
	return true;
}
