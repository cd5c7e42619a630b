/*-------------------------------------------------------------------------
 *
 * row_pairs.c
 *		The pairs of rows whose fingerprints are within a distance.
 *
 * Equal fingerprints are collapsed.  Their rows are paired among themselves.
 * Each pair of distinct fingerprints that the join finds stands for all pairs
 * of rows that have these fingerprints.
 *
 * If the rows do not fit in memory, the join makes passes.  For each block of
 * each word, it makes one pass for each range of the block's values that fits
 * in memory.  A word with radius r has r + 1 blocks.  So the rows of a pair
 * agree in a block of some word, and are together in a pass.  Each pass is the
 * same join on fewer rows.  If a word would need more than MAX_BLOCKS blocks,
 * all rows are compared with all, which needs no memory.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "collapse.h"
#include "radix.h"
#include "row_pairs.h"

/*
 * Bytes of memory for each row: 8 for the collapsed rows, 8 for a word in the join, 12
 * for the sorted word and its number, and up to 4 for counters.  Collapsing takes less, 24
 * bytes.  If there are several passes, counts[] takes up to 4 bytes more.  BUFFER_BYTES
 * are needed besides.
 */
#define ONLY_PASS_ROW_BYTES	32
#define PASS_ROW_BYTES		36
#define BUFFER_BYTES		(256 * 1024)

typedef enum Step
{
	STEP_NEXT_PASS,
	STEP_EQUAL,
	STEP_JOIN,
	STEP_END
} Step;

typedef enum Passes
{
	KIND_UNKNOWN,
	ONE_PASS,
	PASSES_OF_BLOCKS,
	ALL_WITH_ALL
} Passes;

struct RowPairs
{
	const JoinEnv *env;
	Fingerprints fps;
	WordPlan	words;
	bool		connecting;
	size_t		memory;
	size_t		capacity;		/* rows of a pass */
	Step		step;

	/* the kind of passes, and the present word and block */
	Passes		kind;
	int			word;
	BlockPlan	plan;			/* of this word */
	int			block;
	BlockKey	key;
	uint32_t   *counts;			/* rows of each value of the block */
	size_t		next_value;		/* first value of the next pass */

	Collapsed	collapsed;
	bool		have_collapsed;

	/* equal fingerprints: rows i < k of fingerprint fp */
	bool		equal_found;	/* have the passes of the first block ended? */
	size_t		fp;
	size_t		i;
	size_t		k;

	/* distinct fingerprints: rows i and k of the two of found[at] */
	Join	   *join;
	const FingerprintPair *found;	/* the join's pairs */
	size_t		nfound;
	size_t		at;
};

/*
 * Begin to find the pairs of all rows, in about "memory" bytes.  The caller keeps the
 * words of the fingerprints and env until the end.
 */
RowPairs *
simhash_row_pairs_begin(const Fingerprints *fps, int distance, RowPairsWanted wanted,
						size_t memory, const JoinEnv *env)
{
	RowPairs   *pairs = join_alloc(env, sizeof(RowPairs));

	memset(pairs, 0, sizeof(RowPairs));
	pairs->env = env;
	pairs->fps = *fps;
	simhash_plan_words(fps, distance, &pairs->words);
	pairs->connecting = wanted == CONNECTING_PAIRS;
	pairs->memory = memory >= 4 * BUFFER_BYTES ? memory - BUFFER_BYTES : memory;
	pairs->capacity = pairs->memory / PASS_ROW_BYTES;
	pairs->step = fps->n < 2 || distance < 0 ? STEP_END : STEP_NEXT_PASS;
	pairs->word = -1;
	return pairs;
}

/* ----------
 * Passes
 * ----------
 */

static FingerprintSet
collapse(RowPairs *pairs, uint32_t *rows, size_t n)
{
	FingerprintSet set;

	simhash_collapse(&pairs->fps, rows, n, pairs->env, &pairs->collapsed);
	pairs->have_collapsed = true;
	set.rows = pairs->collapsed.first_rows;
	set.n = pairs->collapsed.n;
	return set;
}

static void
begin_only_pass(RowPairs *pairs)
{
	uint32_t   *rows = join_alloc(pairs->env, pairs->fps.n * sizeof(uint32_t));
	FingerprintSet set;

	for (size_t i = 0; i < pairs->fps.n; i++)
		rows[i] = (uint32_t) i;
	set = collapse(pairs, rows, pairs->fps.n);
	pairs->join = simhash_join_begin(&pairs->fps, &pairs->words, &set, NULL, pairs->env);
}

static inline uint32_t
block_value_of_row(const RowPairs *pairs, size_t row)
{
	return simhash_block_value(&pairs->key, fingerprint_of_row(&pairs->fps, row)[pairs->word]);
}

static void
count_values(RowPairs *pairs)
{
	size_t		values = (size_t) 1 << pairs->plan.block_bits;

	join_free(pairs->env, pairs->counts);
	pairs->counts = join_alloc(pairs->env, values * sizeof(uint32_t));
	memset(pairs->counts, 0, values * sizeof(uint32_t));
	simhash_block_key_init(&pairs->key, pairs->plan.masks[pairs->block]);
	for (size_t i = 0; i < pairs->fps.n; i++)
	{
		if (i % ROWS_BETWEEN_CHECKS == 0)
			join_check_interrupts(pairs->env);
		pairs->counts[block_value_of_row(pairs, i)]++;
	}
	pairs->next_value = 0;
}

/*
 * Begin a pass over as many values of the present block as fit, at least one; false if
 * no value is left.
 */
static bool
begin_pass_of_block(RowPairs *pairs)
{
	size_t		values = (size_t) 1 << pairs->plan.block_bits;
	size_t		first = pairs->next_value;
	size_t		room = 0;
	size_t		n = 0;
	uint32_t   *rows;
	FingerprintSet set;

	/* skip values that no row has */
	while (first < values && pairs->counts[first] == 0)
		first++;
	if (first == values)
		return false;
	pairs->next_value = first;
	do
		room += pairs->counts[pairs->next_value++];
	while (pairs->next_value < values &&
		   room + pairs->counts[pairs->next_value] <= pairs->capacity);
	rows = join_alloc(pairs->env, room * sizeof(uint32_t));
	for (size_t i = 0; i < pairs->fps.n && n < room; i++)
	{
		uint32_t	value = block_value_of_row(pairs, i);

		if (i % ROWS_BETWEEN_CHECKS == 0)
			join_check_interrupts(pairs->env);
		if (value >= first && value < pairs->next_value)
			rows[n++] = (uint32_t) i;
	}
	set = collapse(pairs, rows, n);
	pairs->join = simhash_join_begin_block(&pairs->fps, &pairs->words, &set, pairs->word,
										   &pairs->plan, pairs->block, pairs->env);
	return true;
}

/*
 * Go to the next block, or to the first block of the next word; false if there is none.
 */
static bool
next_block(RowPairs *pairs)
{
	const int  *radii = pairs->words.radii;

	if (pairs->block + 1 < pairs->plan.nblocks)
		pairs->block++;
	else
	{
		do
			pairs->word++;
		while (pairs->word < pairs->fps.nwords && radii[pairs->word] < 0);
		if (pairs->word >= pairs->fps.nwords)
			return false;
		simhash_plan_equal_blocks(&pairs->fps, pairs->word, radii[pairs->word],
								  simhash_most_block_bits(pairs->capacity), &pairs->plan);
		pairs->block = 0;
	}
	count_values(pairs);
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

static bool
can_make_passes(const RowPairs *pairs)
{
	for (int word = 0; word < pairs->fps.nwords; word++)
		if (pairs->words.radii[word] >= MAX_BLOCKS)
			return false;
	return true;
}

/* Begin the next pass, of any kind; false if there is none. */
static bool
next_pass(RowPairs *pairs)
{
	bool		first = pairs->kind == KIND_UNKNOWN;

	end_pass(pairs);
	if (first)
	{
		if (pairs->fps.n <= pairs->memory / ONLY_PASS_ROW_BYTES)
			pairs->kind = ONE_PASS;
		else if (can_make_passes(pairs))
			pairs->kind = PASSES_OF_BLOCKS;
		else
			pairs->kind = ALL_WITH_ALL;
	}
	switch (pairs->kind)
	{
		case ONE_PASS:
			if (first)
				begin_only_pass(pairs);
			return first;
		case ALL_WITH_ALL:

			/*
			 * nothing is collapsed, so the join also reports equal
			 * fingerprints
			 */
			if (first)
				pairs->join = simhash_join_begin_all(&pairs->fps, &pairs->words, pairs->env);
			return first;
		default:
			if (first && !next_block(pairs))
				return false;
			while (!begin_pass_of_block(pairs))
			{
				pairs->equal_found = true;
				if (!next_block(pairs))
					return false;
			}
			return true;
	}
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
		size_t		n = collapsed_count(collapsed, pairs->fp);

		if (pairs->k < n)
		{
			pair->a = collapsed_row(collapsed, pairs->fp, pairs->i);
			pair->b = collapsed_row(collapsed, pairs->fp, pairs->k++);
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
		pair->a = collapsed_row(collapsed, found->a, pairs->i);
		pair->b = collapsed_row(collapsed, found->b, pairs->k);
		pair->distance = found->distance;
		pairs->k++;
		if (pairs->connecting || pairs->k == collapsed_count(collapsed, found->b))
		{
			pairs->k = 0;
			pairs->i++;
			if (pairs->connecting || pairs->i == collapsed_count(collapsed, found->a))
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

				/* the passes of the first block find all equal fingerprints */
				pairs->step = pairs->have_collapsed && !pairs->equal_found ?
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
