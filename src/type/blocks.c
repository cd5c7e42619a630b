/*-------------------------------------------------------------------------
 *
 * blocks.c
 *		simhash_blocks() and bit_blocks(): the keys of a fingerprint.  Two
 *		fingerprints within the distance have at least one key in common.
 *
 * The bits are cut into distance + 1 blocks of nearly equal width.  Each differing
 * bit changes one block, so at least one block is equal (the pigeonhole principle).
 * A key is a block's value with the block's number in the bits above, so an
 * equi-join never compares different blocks.
 *
 * A value with more bits than a key has room for is folded.  Equal values remain
 * equal.  Different values may become equal, so a join by keys must also check the
 * distance.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "port/pg_bswap.h"
#include "simhash.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(simhash_blocks);
PG_FUNCTION_INFO_V1(bit_blocks);

/*
 * The largest number of bits of a value.  If there are several blocks, their numbers take
 * the other 16 bits of a key.
 */
#define MAX_VALUE_BITS(nblocks)	((nblocks) == 1 ? 64 : 48)
#define MAX_KEYS				PG_UINT16_MAX

/* The number in n bits of a bit string, from bit number "begin" on; n is at most 64 */
static uint64
read_bits(const bits8 *bits, int64 begin, int n)
{
	uint64		result = 0;

	while (n > 0)
	{
		int			left = BITS_PER_BYTE - begin % BITS_PER_BYTE;
		int			taken = Min(left, n);

		result = result << taken |
			(bits[begin / BITS_PER_BYTE] >> (left - taken) & ((1 << taken) - 1));
		begin += taken;
		n -= taken;
	}
	return result;
}

/*
 * The number in the bits from begin to before end, folded to "digit" bits: the XOR of its
 * digits of "digit" bits
 */
static uint64
folded_value(const bits8 *bits, int64 begin, int64 end, int digit)
{
	uint64		result = 0;

	while (begin < end)
	{
		int			n = (int) Min(digit, end - begin);

		result ^= read_bits(bits, end - n, n);
		end -= n;
	}
	return result;
}

/* The keys of a fingerprint, an array of bigint.  The distance can be any integer. */
static Datum
block_keys(BitValue fp, int32 distance)
{
	int64		n = Max(RADIUS_NONE, Min(distance, fp.nbits)) + (int64) 1;
	int			width;			/* of the widest value */
	Datum	   *keys;

	if (n > MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many keys"),
				 errdetail("A fingerprint has at most %d keys.", MAX_KEYS)));
	keys = palloc(Max(n, 1) * sizeof(Datum));
	width = n == 0 ? 0 : (int) Min(MAX_VALUE_BITS(n), (fp.nbits + n - 1) / n);
	for (int64 i = 0; i < n; i++)
	{
		uint64		value = folded_value(fp.bits, i * fp.nbits / n,
										 (i + 1) * fp.nbits / n, width);

		/* the number of the only block is 0 */
		keys[i] = Int64GetDatum((int64) (n == 1 ? value : (uint64) i << width | value));
	}
	return PointerGetDatum(construct_array(keys, (int) n, INT8OID, sizeof(int64),
										   true, TYPALIGN_DOUBLE));
}

Datum
simhash_blocks(PG_FUNCTION_ARGS)
{
	uint64		be = pg_hton64(PG_GETARG_SIMHASH(0));
	BitValue	fp = {SIMHASH_BITS, (const bits8 *) &be};

	return block_keys(fp, PG_GETARG_INT32(1));
}

Datum
bit_blocks(PG_FUNCTION_ARGS)
{
	return block_keys(PG_GETARG_BIT_VALUE(0), PG_GETARG_INT32(1));
}
