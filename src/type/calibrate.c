/*-------------------------------------------------------------------------
 *
 * calibrate.c
 *		simhash_calibrate(simhash[]) and bit_calibrate(bit[]): the distances of all
 *		pairs of fingerprints, and the expected distances of random fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "core/pigeonhole.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "type/bit_value.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(simhash_calibrate);

/* The fingerprints of a sample, all of the same length. */
typedef struct Sample
{
	int32		nbits;			/* of a fingerprint; 0 for no bit strings */
	int			n;
	BitValue   *fps;
} Sample;

/* Collect the elements of an array of simhash or bit that are not NULL. */
static Sample
array_sample(ArrayType *array)
{
	Sample		sample = {0};
	int16		length;
	bool		byval;
	char		align;
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &byval, &align);
	sample.nbits = byval ? SIMHASH_BITS : 0;
	deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align, &elements, &nulls, &n);
	sample.fps = palloc_extended(Max(n, 1) * sizeof(BitValue), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		BitValue	value = {SIMHASH_BITS, (const uint8 *) &elements[i]};

		if (nulls[i])
			continue;
		if (!byval)
			value = DatumGetBitValue(elements[i]);
		if (sample.n == 0)
			sample.nbits = value.nbits;
		if (value.nbits > MOST_SHARE_BITS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("bit strings of more than %d bits are not supported",
							MOST_SHARE_BITS)));
		if (value.nbits != sample.nbits)
			report_unlike_lengths(sample.nbits, value.nbits);
		sample.fps[sample.n++] = value;
	}
	return sample;
}

Datum
simhash_calibrate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int64		pairs[MOST_SHARE_BITS + 1] = {0};
	Sample		sample;
	double		all_pairs;
	int64		within = 0;
	double		expected_within = 0;

	/* expected number of pairs of random fingerprints */
	double		expected;

	InitMaterializedSRF(fcinfo, 0);
	sample = array_sample(PG_GETARG_ARRAYTYPE_P(0));
	for (int i = 1; i < sample.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < i; k++)
			pairs[bit_value_distance(sample.fps[i], sample.fps[k])]++;
	}
	if (sample.nbits == 0)
		return (Datum) 0;

	all_pairs = sample.n < 2 ? 0 : sample.n * (sample.n - 1.0) / 2;
	for (int distance = 0; distance <= sample.nbits; distance++)
	{
		Datum		values[5];
		bool		nulls[5] = {false};

		expected = all_pairs * pigeonhole_share_at(sample.nbits, distance);
		within += pairs[distance];
		expected_within += expected;
		values[0] = Int32GetDatum(distance);
		values[1] = Int64GetDatum(pairs[distance]);
		values[2] = Float8GetDatum(expected);
		values[3] = Int64GetDatum(within);
		values[4] = Float8GetDatum(expected_within);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
