/*-------------------------------------------------------------------------
 *
 * components.c
 *		Connected components: rows that a chain of near fingerprints connects.
 *
 *-------------------------------------------------------------------------
 */
#include "groups.h"
#include "roots.h"
#include "row_pairs.h"

/* clusters[row] becomes the first row of its component. */
void
simhash_components(const Fingerprints *fps, int distance, const JoinEnv *env,
				   uint32_t *clusters)
{
	RowPairs   *pairs = simhash_row_pairs_begin(fps, distance, CONNECTING_PAIRS, env);
	FingerprintPair pair;

	begin_roots(clusters, fps->n);
	while (simhash_row_pairs_next(pairs, &pair))
		join_roots(clusters, pair.a, pair.b);
	simhash_row_pairs_end(pairs);
	end_roots(clusters, fps->n);
}
