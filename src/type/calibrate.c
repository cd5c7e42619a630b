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
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(simhash_calibrate);
PG_FUNCTION_INFO_V1(bit_calibrate);

/* The fingerprints of a sample, all of the same length. */
typedef struct Sample
{
	int			nbits;			/* of a fingerprint; 0 before the first one */
	int			words;			/* of a fingerprint */
	size_t		n;
	uint64	   *fps;
} Sample;

static void
add_bit_value(Sample *sample, BitValue value, size_t room)
{
	uint64	   *fp;

	if (sample->n == 0)
	{
		if (value.nbits > MOST_SHARE_BITS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("bit strings of more than %d bits are not supported",
							MOST_SHARE_BITS)));
		sample->nbits = value.nbits;
		sample->words = words_of_bits(value.nbits);
		sample->fps = MemoryContextAllocHuge(CurrentMemoryContext,
											 Max(room * sample->words, 1) *
											 sizeof(uint64));
	}
	if (value.nbits != sample->nbits)
		report_unlike_lengths(sample->nbits, value.nbits);
	fp = sample->fps + sample->n++ * sample->words;
	bit_value_words(value, fp);
}

/*
 * Collect the elements of an array that are not NULL.  They are bit strings if nbits is
 * 0, and otherwise of type simhash.
 */
static Sample
array_sample(ArrayType *array, int nbits)
{
	size_t		room = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Sample		sample = {.nbits = nbits};
	Datum		d;
	bool		isnull;

	while (array_iterate(iterator, &d, &isnull))
	{
		if (isnull)
			continue;
		if (nbits == 0)
			add_bit_value(&sample, DatumGetBitValue(d), room);
		else
		{
			Simhash		f = DatumGetSimhash(d);
			BitValue	value = {nbits, (const uint8 *) &f};

			add_bit_value(&sample, value, room);
		}
	}
	return sample;
}

static int
sample_distance(const Sample *sample, size_t i, size_t k)
{
	const uint64 *a = sample->fps + i * sample->words;
	const uint64 *b = sample->fps + k * sample->words;
	int			distance = 0;

	for (int w = 0; w < sample->words; w++)
		distance += pg_popcount64(a[w] ^ b[w]);
	return distance;
}

static Datum
calibrate(FunctionCallInfo fcinfo, int nbits)
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
	sample = array_sample(PG_GETARG_ARRAYTYPE_P(0), nbits);
	for (size_t i = 1; i < sample.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (size_t k = 0; k < i; k++)
			pairs[sample_distance(&sample, i, k)]++;
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

Datum
simhash_calibrate(PG_FUNCTION_ARGS)
{
	return calibrate(fcinfo, SIMHASH_BITS);
}

Datum
bit_calibrate(PG_FUNCTION_ARGS)
{
	return calibrate(fcinfo, 0);
}
