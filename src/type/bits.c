/*-------------------------------------------------------------------------
 *
 * bits.c
 *		Bit operators and functions of "simhash".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "simhash.h"

PG_FUNCTION_INFO_V1(simhash_xor);
PG_FUNCTION_INFO_V1(simhash_and);
PG_FUNCTION_INFO_V1(simhash_or);
PG_FUNCTION_INFO_V1(simhash_not);
PG_FUNCTION_INFO_V1(simhash_bit_count);
PG_FUNCTION_INFO_V1(simhash_get_bit);

Datum
simhash_xor(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(PG_GETARG_SIMHASH(0) ^ PG_GETARG_SIMHASH(1));
}

Datum
simhash_and(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(PG_GETARG_SIMHASH(0) & PG_GETARG_SIMHASH(1));
}

Datum
simhash_or(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(PG_GETARG_SIMHASH(0) | PG_GETARG_SIMHASH(1));
}

Datum
simhash_not(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(~PG_GETARG_SIMHASH(0));
}

/* Number of bits set, 0..64; bigint, as bit_count(bit) */
Datum
simhash_bit_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(pg_popcount64(PG_GETARG_SIMHASH(0)));
}

/* Bit n, 0..63, where bit 0 is the least significant */
Datum
simhash_get_bit(PG_FUNCTION_ARGS)
{
	Simhash		f = PG_GETARG_SIMHASH(0);
	int32		n = PG_GETARG_INT32(1);

	if (n < 0 || n >= SIMHASH_BITS)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("bit index %d out of valid range (0..%d)",
						n, SIMHASH_BITS - 1)));

	PG_RETURN_INT32((int32) (f >> n & 1));
}
