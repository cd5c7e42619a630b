/*-------------------------------------------------------------------------
 *
 * blocks.c
 *		simhash_blocks(): the keys of a fingerprint.  Two fingerprints within the
 *		distance have at least one key in common.
 *
 * The bits are cut into distance + 1 blocks of nearly equal width.  Each differing
 * bit changes one block, so at least one block is equal (the pigeonhole principle).
 * A key is a block's value with the block's number in the bits above, so an
 * equi-join never compares different blocks.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "simhash.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(simhash_blocks);

/* At a distance of all bits one block is empty.  All fingerprints share its key. */
#define MAX_BLOCKS				(SIMHASH_BITS + 1)

/* The key of block i of n.  Block 0 has the most significant bits. */
static uint64
block_key(Simhash f, int i, int n)
{
	int			begin = i * SIMHASH_BITS / n;
	int			end = (i + 1) * SIMHASH_BITS / n;
	int			widest = (SIMHASH_BITS + n - 1) / n;

	if (n == 1)
		return f;
	if (begin == end)
		return (uint64) i << widest;
	return (uint64) i << widest | f << begin >> (SIMHASH_BITS - (end - begin));
}

Datum
simhash_blocks(PG_FUNCTION_ARGS)
{
	Simhash		f = PG_GETARG_SIMHASH(0);
	int			n = radius_clamp(PG_GETARG_INT32(1)) + 1;
	Datum		keys[MAX_BLOCKS];

	for (int i = 0; i < n; i++)
		keys[i] = Int64GetDatum((int64) block_key(f, i, n));
	PG_RETURN_ARRAYTYPE_P(construct_array(keys, n, INT8OID, sizeof(int64), true,
										  TYPALIGN_DOUBLE));
}
