/*-------------------------------------------------------------------------
 *
 * calibrate.c
 *		simhash_calibrate(simhash[]): the distances of all pairs of fingerprints,
 *		and the expected distances of random fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "core/pigeonhole.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "simhash.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(simhash_calibrate);

/* The elements that are not NULL; *n is their number */
static Simhash *
array_fingerprints(ArrayType *array, size_t *n)
{
	size_t		room = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	Simhash    *fps = palloc(Max(room, 1) * sizeof(Simhash));
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Datum		d;
	bool		isnull;

	*n = 0;
	while (array_iterate(iterator, &d, &isnull))
	{
		if (!isnull)
			fps[(*n)++] = DatumGetSimhash(d);
	}
	return fps;
}

Datum
simhash_calibrate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int64		pairs[SIMHASH_BITS + 1] = {0};
	Simhash    *fps;
	size_t		n;
	size_t		i;
	size_t		k;
	int64		within = 0;
	double		expected_within = 0;
	double		expected;		/* expected number of pairs of random
								 * fingerprints */
	int			distance;

	InitMaterializedSRF(fcinfo, 0);
	fps = array_fingerprints(PG_GETARG_ARRAYTYPE_P(0), &n);
	for (i = 1; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (k = 0; k < i; k++)
			pairs[hamming_distance(fps[i], fps[k])]++;
	}

	for (distance = 0; distance <= SIMHASH_BITS; distance++)
	{
		Datum		values[5];
		bool		nulls[5] = {false};

		expected = n == 0 ? 0 : ldexp(n * (n - 1.0) / 2, -SIMHASH_BITS) *
			pigeonhole_binomial(SIMHASH_BITS, distance);
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
