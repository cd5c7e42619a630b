/*-------------------------------------------------------------------------
 *
 * row_pairs.c
 *		The pairs of rows whose fingerprints are within a distance.
 *
 * Equal fingerprints are collapsed.  Their rows are paired among themselves.
 * Each pair of distinct fingerprints that the join finds stands for all pairs
 * of rows that have these fingerprints.
 *
 * If the rows do not fit in memory, the join makes passes: one for each of
 * distance + 1 blocks, and for each range of the block's values that fits.
 * Rows that agree in the block are together in a pass, so that each pass is
 * the same join on fewer rows.  This needs one block more than the distance
 * has bits.  If the distance leaves no block wide enough, all rows are
 * compared with all, which needs no memory.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "collapse.h"
#include "radix.h"
#include "row_pairs.h"

/*
 * Bytes of memory for each fingerprint: 16 collapsed, and 12 sorted by the
 * join, with up to 4 for its counters (24 while they are collapsed).  One of
 * several passes takes up to 4 more, for the counters that cut the passes.
 * The buffers come on top.
 */
#define ROW_BYTES		32
#define PASS_ROW_BYTES	36
#define BUFFER_BYTES	(256 * 1024)

/* Rows looked at between two interrupt checks */
#define BATCH			(1 << 20)

typedef enum Step
{
	STEP_NEXT_PASS,
	STEP_EQUAL,
	STEP_JOIN,
	STEP_END
} Step;

struct RowPairs
{
	const JoinEnv *env;
	const uint64_t *fps;
	size_t		n;
	int			distance;
	bool		connecting;
	size_t		memory;
	size_t		capacity;		/* rows of a pass */
	Step		step;

	/* passes; without a plan there is one over everything */
	BlockPlan	plan;
	int			block;
	BlockKey	key;
	uint32_t   *counts;			/* rows of each value of the block */
	size_t		next_value;		/* first of the next pass */

	Collapsed	collapsed;
	bool		have_collapsed;

	/* equal ones: rows i < k of one fingerprint */
	size_t		fp;
	size_t		i;
	size_t		k;

	/* distinct ones: of the join's pairs, rows i and k of this one's */
	Join	   *join;
	const FingerprintPair *found;
	size_t		nfound;
	size_t		at;
};

/*
 * Begin with the pairs of n rows, fewer than 2^32, within about so much memory.
 * The array stays where it is until the end.
 */
RowPairs *
simhash_row_pairs_begin(const uint64_t *fps, size_t n, int distance,
						RowPairsWanted wanted, size_t memory, const JoinEnv *env)
{
	RowPairs   *pairs = join_alloc(env, sizeof(RowPairs));

	memset(pairs, 0, sizeof(RowPairs));
	pairs->env = env;
	pairs->fps = fps;
	pairs->n = n;
	pairs->distance = distance;
	pairs->connecting = wanted == CONNECTING_PAIRS;
	pairs->memory = memory >= 4 * BUFFER_BYTES ? memory - BUFFER_BYTES : memory;
	pairs->step = n < 2 || distance < 0 ? STEP_END : STEP_NEXT_PASS;
	pairs->block = -1;
	return pairs;
}

/* ----------
 * Passes
 * ----------
 */

static void
begin_collapsed(RowPairs *pairs, uint64_t *fps, uint32_t *rows, size_t n)
{
	simhash_collapse(fps, rows, n, pairs->env, &pairs->collapsed);
	pairs->have_collapsed = true;
}

static void
begin_only_pass(RowPairs *pairs)
{
	uint64_t   *fps = join_alloc(pairs->env, pairs->n * sizeof(uint64_t));
	uint32_t   *rows = join_alloc(pairs->env, pairs->n * sizeof(uint32_t));
	FingerprintSet set;

	memcpy(fps, pairs->fps, pairs->n * sizeof(uint64_t));
	for (size_t i = 0; i < pairs->n; i++)
		rows[i] = (uint32_t) i;
	begin_collapsed(pairs, fps, rows, pairs->n);
	set.fps = pairs->collapsed.fps;
	set.tags = NULL;
	set.n = pairs->collapsed.n;
	pairs->join = simhash_join_begin(&set, NULL, pairs->distance, pairs->env);
}

static void
count_values(RowPairs *pairs)
{
	size_t		values = (size_t) 1 << pairs->plan.block_bits;

	if (pairs->counts == NULL)
		pairs->counts = join_alloc(pairs->env, values * sizeof(uint32_t));
	memset(pairs->counts, 0, values * sizeof(uint32_t));
	simhash_block_key_init(&pairs->key, pairs->plan.masks[pairs->block]);
	for (size_t i = 0; i < pairs->n; i++)
	{
		if (i % BATCH == 0)
			join_check_interrupts(pairs->env);
		pairs->counts[simhash_block_value(&pairs->key, pairs->fps[i])]++;
	}
	pairs->next_value = 0;
}

/* As many values of the present block as fit, at least one; false at its end */
static bool
begin_pass_of_block(RowPairs *pairs)
{
	size_t		values = (size_t) 1 << pairs->plan.block_bits;
	size_t		first = pairs->next_value;
	size_t		room = 0;
	size_t		n = 0;
	uint64_t   *fps;
	uint32_t   *rows;
	FingerprintSet set;

	if (first == values)
		return false;
	do
		room += pairs->counts[pairs->next_value++];
	while (pairs->next_value < values &&
		   room + pairs->counts[pairs->next_value] <= pairs->capacity);
	fps = join_alloc(pairs->env, room * sizeof(uint64_t));
	rows = join_alloc(pairs->env, room * sizeof(uint32_t));
	for (size_t i = 0; i < pairs->n && n < room; i++)
	{
		uint32_t	value = simhash_block_value(&pairs->key, pairs->fps[i]);

		if (i % BATCH == 0)
			join_check_interrupts(pairs->env);
		if (value < first || value >= pairs->next_value)
			continue;
		fps[n] = pairs->fps[i];
		rows[n++] = (uint32_t) i;
	}
	begin_collapsed(pairs, fps, rows, n);
	set.fps = pairs->collapsed.fps;
	set.tags = NULL;
	set.n = pairs->collapsed.n;
	pairs->join = simhash_join_begin_block(&set, pairs->distance, &pairs->plan,
										   pairs->block, pairs->env);
	return true;
}

static void
end_pass(RowPairs *pairs)
{
	if (pairs->join != NULL)
		simhash_join_end(pairs->join);
	pairs->join = NULL;
	if (pairs->have_collapsed)
		simhash_collapsed_free(&pairs->collapsed, pairs->env);
	pairs->have_collapsed = false;
}

/* Begin the next pass, of whichever kind; false if there is none. */
static bool
next_pass(RowPairs *pairs)
{
	bool		first = pairs->block < 0;
	FingerprintSet all;

	end_pass(pairs);
	if (first)
	{
		pairs->block = 0;
		pairs->capacity = pairs->memory / PASS_ROW_BYTES;
		if (pairs->n <= pairs->memory / ROW_BYTES)
			begin_only_pass(pairs);
		else if (simhash_plan_equal_blocks(pairs->fps, pairs->n, pairs->distance,
										   simhash_most_block_bits(pairs->capacity),
										   &pairs->plan))
			count_values(pairs);
		else
		{
			BlockPlan	no_plan;

			/*
			 * the rows are the fingerprints' numbers; equal ones are pairs,
			 * too
			 */
			no_plan.nblocks = 0;
			all.fps = pairs->fps;
			all.tags = NULL;
			all.n = pairs->n;
			pairs->join = simhash_join_begin_block(&all, pairs->distance, &no_plan, 0,
												   pairs->env);
		}
		if (pairs->join != NULL)
			return true;
	}
	while (pairs->block < pairs->plan.nblocks)
	{
		if (begin_pass_of_block(pairs))
			return true;
		pairs->block++;
		if (pairs->block < pairs->plan.nblocks)
			count_values(pairs);
	}
	return false;
}

/* ----------
 * Pairs
 * ----------
 */

/* Two rows with the same fingerprint; false if there are no more. */
static bool
next_equal(RowPairs *pairs, FingerprintPair *pair)
{
	const Collapsed *collapsed = &pairs->collapsed;

	while (pairs->fp < collapsed->n)
	{
		const uint32_t *rows = collapsed->rows + collapsed->starts[pairs->fp];
		size_t		n = collapsed->starts[pairs->fp + 1] -
			collapsed->starts[pairs->fp];

		if (pairs->k < n)
		{
			pair->a = rows[pairs->i];
			pair->b = rows[pairs->k++];
			pair->distance = 0;
			return true;
		}
		pairs->i++;
		if (pairs->connecting || pairs->i + 1 >= n)
		{
			pairs->i = 0;
			pairs->fp++;
		}
		pairs->k = pairs->i + 1;
	}
	return false;
}

/* Two rows with different fingerprints */
static bool
next_joined(RowPairs *pairs, FingerprintPair *pair)
{
	const Collapsed *collapsed = &pairs->collapsed;

	for (;;)
	{
		const FingerprintPair *found;
		const uint32_t *starts = collapsed->starts;

		if (pairs->at == pairs->nfound)
		{
			pairs->nfound = simhash_join_next(pairs->join, &pairs->found);
			if (pairs->nfound == 0)
				return false;
			pairs->at = pairs->i = pairs->k = 0;
			continue;
		}
		found = &pairs->found[pairs->at];
		if (!pairs->have_collapsed)
		{
			*pair = *found;
			pairs->at++;
			return true;
		}
		pair->a = collapsed->rows[starts[found->a] + pairs->i];
		pair->b = collapsed->rows[starts[found->b] + pairs->k];
		pair->distance = found->distance;
		pairs->k++;
		if (pairs->connecting || starts[found->b] + pairs->k == starts[found->b + 1])
		{
			pairs->k = 0;
			pairs->i++;
			if (pairs->connecting || starts[found->a] + pairs->i == starts[found->a + 1])
			{
				pairs->i = 0;
				pairs->at++;
			}
		}
		return true;
	}
}

/* The next pair of rows, in no particular order; false if there is none. */
bool
simhash_row_pairs_next(RowPairs *pairs, FingerprintPair *pair)
{
	for (;;)
	{
		switch (pairs->step)
		{
			case STEP_NEXT_PASS:
				pairs->step = STEP_END;
				if (!next_pass(pairs))
					break;
				pairs->fp = pairs->i = 0;
				pairs->k = 1;

				/*
				 * equal ones agree in every block, the first of which has
				 * them
				 */
				pairs->step = pairs->have_collapsed && pairs->block == 0 ?
					STEP_EQUAL : STEP_JOIN;
				pairs->nfound = pairs->at = 0;
				break;
			case STEP_EQUAL:
				if (next_equal(pairs, pair))
					return true;
				pairs->step = STEP_JOIN;
				break;
			case STEP_JOIN:
				if (next_joined(pairs, pair))
					return true;
				pairs->step = STEP_NEXT_PASS;
				break;
			case STEP_END:
				return false;
		}
	}
}

void
simhash_row_pairs_end(RowPairs *pairs)
{
	end_pass(pairs);
	join_free(pairs->env, pairs->counts);
	join_free(pairs->env, pairs);
}
