/*-------------------------------------------------------------------------
 *
 * components.c
 *		Connected components: rows that a chain of near fingerprints connects.
 *
 *-------------------------------------------------------------------------
 */
#include "groups.h"
#include "row_pairs.h"

/*
 * The row that stands for a row's component.  The function shortens the path to that row.
 */
static inline uint32_t
find_root(uint32_t *parents, uint32_t row)
{
	while (parents[row] != row)
	{
		parents[row] = parents[parents[row]];
		row = parents[row];
	}
	return row;
}

/* clusters[row] becomes the first row of its component. */
void
simhash_components(const Fingerprints *fps, int distance, const JoinEnv *env,
				   uint32_t *clusters)
{
	RowPairs   *pairs = simhash_row_pairs_begin(fps, distance, CONNECTING_PAIRS, env);
	FingerprintPair pair;

	for (size_t row = 0; row < fps->n; row++)
		clusters[row] = (uint32_t) row;
	while (simhash_row_pairs_next(pairs, &pair))
	{
		uint32_t	a = find_root(clusters, pair.a);
		uint32_t	b = find_root(clusters, pair.b);

		if (a < b)
			clusters[b] = a;
		else
			clusters[a] = b;
	}
	simhash_row_pairs_end(pairs);

	/* a row's parent comes before it */
	for (size_t row = 0; row < fps->n; row++)
		clusters[row] = clusters[clusters[row]];
}
