/*-------------------------------------------------------------------------
 *
 * row_pairs.c
 *		The pairs of rows whose fingerprints are within a distance.
 *
 * Equal fingerprints are collapsed.  Their rows are paired among themselves.
 * Each pair of distinct fingerprints that the join finds stands for all pairs
 * of rows that have these fingerprints.  The join takes JOIN_ROW_BYTES for each row.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "collapse.h"
#include "row_pairs.h"

typedef enum State
{
	STATE_BEGIN,
	STATE_EQUAL,
	STATE_JOIN,
	STATE_END
} State;

struct RowPairs
{
	const JoinEnv *env;
	Fingerprints fps;
	WordPlan	words;
	bool		connecting;
	State		state;

	Collapsed	collapsed;		/* if there is a join */

	/* equal fingerprints: rows i < k of fingerprint fp */
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
 * Begin to find the pairs of all rows.  The caller keeps the words of the fingerprints and
 * env until the end.
 */
RowPairs *
simhash_row_pairs_begin(const Fingerprints *fps, int distance, RowPairsWanted wanted,
						const JoinEnv *env)
{
	RowPairs   *pairs = join_alloc(env, sizeof(RowPairs));

	memset(pairs, 0, sizeof(RowPairs));
	pairs->env = env;
	pairs->fps = *fps;
	simhash_plan_words(fps, distance, &pairs->words);
	pairs->connecting = wanted == CONNECTING_PAIRS;
	pairs->state = fps->n < 2 || distance < 0 ? STATE_END : STATE_BEGIN;
	return pairs;
}

static void
begin_join(RowPairs *pairs)
{
	uint32_t   *rows = join_alloc(pairs->env, pairs->fps.n * sizeof(uint32_t));
	FingerprintSet set = {0};

	for (size_t i = 0; i < pairs->fps.n; i++)
		rows[i] = (uint32_t) i;
	simhash_collapse(&pairs->fps, rows, pairs->fps.n, pairs->env, &pairs->collapsed);
	set.rows = pairs->collapsed.first_rows;
	set.n = pairs->collapsed.n;
	pairs->join = simhash_join_begin(&pairs->fps, &pairs->words, &set, NULL, pairs->env);
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
		switch (pairs->state)
		{
			case STATE_BEGIN:
				begin_join(pairs);
				pairs->k = 1;
				pairs->state = STATE_EQUAL;
				break;
			case STATE_EQUAL:
				if (next_equal(pairs, pair))
					return true;
				pairs->state = STATE_JOIN;
				break;
			case STATE_JOIN:
				if (next_joined(pairs, pair))
					return true;
				pairs->state = STATE_END;
				break;
			case STATE_END:
				return false;
		}
	}
}

void
simhash_row_pairs_end(RowPairs *pairs)
{
	if (pairs->join != NULL)
	{
		simhash_join_end(pairs->join);
		simhash_collapsed_free(&pairs->collapsed, pairs->env);
	}
	join_free(pairs->env, pairs);
}
