/*-------------------------------------------------------------------------
 *
 * resemblance.c
 *		minhash_resemblance: the resemblance of two texts, estimated from their min-wise
 *		fingerprints; minhash_bound: the bound on the distance for a resemblance.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "core/text/methods/bound.h"
#include "type/bit_value.h"
#include "width.h"

PG_FUNCTION_INFO_V1(minhash_resemblance);
PG_FUNCTION_INFO_V1(minhash_bits_resemblance);
PG_FUNCTION_INFO_V1(minhash_bound);

/* A bit differs with the probability (1 - J) / 2. */
static double
estimated_resemblance(int32 distance, int32 nbits)
{
	return 1.0 - 2.0 * distance / Max(nbits, 1);
}

Datum
minhash_resemblance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(estimated_resemblance(hamming_distance(PG_GETARG_SIMHASH(0),
															PG_GETARG_SIMHASH(1)),
										   SIMHASH_BITS));
}

Datum
minhash_bits_resemblance(PG_FUNCTION_ARGS)
{
	BitValue	a = PG_GETARG_BIT_VALUE(0);
	BitValue	b = PG_GETARG_BIT_VALUE(1);

	if (a.nbits != b.nbits)
		report_unlike_lengths(a.nbits, b.nbits);
	PG_RETURN_FLOAT8(estimated_resemblance(bit_value_distance(a, b), a.nbits));
}

/* minhash_bound(resemblance, bits, recall) */
Datum
minhash_bound(PG_FUNCTION_ARGS)
{
	double		resemblance = PG_GETARG_FLOAT8(0);
	int32		bits = PG_GETARG_INT32(1);
	double		recall = PG_GETARG_FLOAT8(2);

	check_width(bits, BITS_STEP);
	if (!(resemblance >= 0 && resemblance <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("resemblance must be between 0 and 1"),
				 errhint("The resemblance of equal texts is 1, and that of texts with no common feature is 0.")));
	if (!(recall > 0 && recall <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("recall must be greater than 0 and at most 1"),
				 errhint("The recall is the share of pairs with that resemblance that are within the bound, such as 0.95.")));
	PG_RETURN_INT32(core_minwise_bound(resemblance, bits, recall));
}
