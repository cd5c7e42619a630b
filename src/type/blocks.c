/*-------------------------------------------------------------------------
 *
 * blocks.c
 *		simhash_blocks() and bit_blocks(): the keys of a fingerprint, called from SQL.
 *
 * The code that computes them is in src/core/block_keys.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/block_keys.h"
#include "port/pg_bswap.h"
#include "type/bit_value.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(simhash_blocks);
PG_FUNCTION_INFO_V1(bit_blocks);

/* Return the block keys as an array of bigint.  The distance can be any integer. */
static Datum
block_keys_array(BitValue fp, int32 distance)
{
	int64		n = block_key_count(fp.nbits, distance);
	int64	   *keys;

	if (n > MOST_BLOCK_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many keys"),
				 errdetail("A function call can return at most %d keys.", MOST_BLOCK_KEYS)));
	keys = palloc(Max(n, 1) * sizeof(int64));
	block_keys(fp.bits, fp.nbits, (int) n, keys);

	/* the Datum of a bigint is its bits */
	return PointerGetDatum(construct_array((Datum *) keys, (int) n, INT8OID, sizeof(int64),
										   true, TYPALIGN_DOUBLE));
}

Datum
simhash_blocks(PG_FUNCTION_ARGS)
{
	uint64		be = pg_hton64(PG_GETARG_SIMHASH(0));
	BitValue	fp = {SIMHASH_BITS, (const uint8 *) &be};

	return block_keys_array(fp, PG_GETARG_INT32(1));
}

Datum
bit_blocks(PG_FUNCTION_ARGS)
{
	return block_keys_array(PG_GETARG_BIT_VALUE(0), PG_GETARG_INT32(1));
}
