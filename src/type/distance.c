/*-------------------------------------------------------------------------
 *
 * distance.c
 *		Hamming distance of two fingerprints, of type "simhash" or "bit", and what
 *		follows from it.
 *
 * planner/support.c turns these functions into index conditions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "simhash.h"

PG_FUNCTION_INFO_V1(simhash_distance);
PG_FUNCTION_INFO_V1(simhash_similarity);
PG_FUNCTION_INFO_V1(simhash_within);
PG_FUNCTION_INFO_V1(simhash_at_least);
PG_FUNCTION_INFO_V1(simhash_near);
PG_FUNCTION_INFO_V1(bit_distance);
PG_FUNCTION_INFO_V1(bit_similarity);
PG_FUNCTION_INFO_V1(bit_within);
PG_FUNCTION_INFO_V1(bit_at_least);
PG_FUNCTION_INFO_V1(hamming_bound);

static int32
distance_of_args(FunctionCallInfo fcinfo)
{
	return hamming_distance(PG_GETARG_SIMHASH(0), PG_GETARG_SIMHASH(1));
}

/* a <-> b and a <~> b: the number of differing bits, 0..64 */
Datum
simhash_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(distance_of_args(fcinfo));
}

/* 1 - distance / 64: 1 for equal fingerprints, about 0.5 for unrelated ones */
Datum
simhash_similarity(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(1.0 - (double) distance_of_args(fcinfo) / SIMHASH_BITS);
}

/* simhash_within(a, b, k): distance at most k, any integer */
Datum
simhash_within(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) <= PG_GETARG_INT32(2));
}

/* simhash_at_least(a, b, k): distance at least k, any integer */
Datum
simhash_at_least(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) >= PG_GETARG_INT32(2));
}

/* a % b */
Datum
simhash_near(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) <= NEAR_DISTANCE);
}

/*
 * The distance of two bit strings; false if it is not defined, because their lengths
 * differ.
 */
static bool
bit_distance_of_args(FunctionCallInfo fcinfo, int32 *distance, int32 *nbits)
{
	BitValue	a = PG_GETARG_BIT_VALUE(0);
	BitValue	b = PG_GETARG_BIT_VALUE(1);

	if (a.nbits != b.nbits)
		return false;
	*distance = bit_string_distance(a, b);
	*nbits = a.nbits;
	return true;
}

/* The same, or an error */
static int32
bit_distance_or_error(FunctionCallInfo fcinfo, int32 *nbits)
{
	int32		distance;

	if (!bit_distance_of_args(fcinfo, &distance, nbits))
		report_unlike_lengths(PG_GETARG_BIT_VALUE(0).nbits,
							  PG_GETARG_BIT_VALUE(1).nbits);
	return distance;
}

/* a <-> b and a <#~> b: the number of differing bits */
Datum
bit_distance(PG_FUNCTION_ARGS)
{
	int32		nbits;

	PG_RETURN_INT32(bit_distance_or_error(fcinfo, &nbits));
}

/* 1 - distance / length; strings of no bits are equal */
Datum
bit_similarity(PG_FUNCTION_ARGS)
{
	int32		nbits;
	int32		distance = bit_distance_or_error(fcinfo, &nbits);

	PG_RETURN_FLOAT8(1.0 - (double) distance / Max(nbits, 1));
}

/*
 * bit_within(a, b, k): distance at most k.  NULL, rather than an error, if the lengths
 * differ: then it tells nothing about a row that row-level security hides.
 */
Datum
bit_within(PG_FUNCTION_ARGS)
{
	int32		distance;
	int32		nbits;

	if (!bit_distance_of_args(fcinfo, &distance, &nbits))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(distance <= PG_GETARG_INT32(2));
}

/* bit_at_least(a, b, k): distance at least k, or NULL */
Datum
bit_at_least(PG_FUNCTION_ARGS)
{
	int32		distance;
	int32		nbits;

	if (!bit_distance_of_args(fcinfo, &distance, &nbits))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(distance >= PG_GETARG_INT32(2));
}

/* The third argument of these functions for a bound that is not known in planning */
Datum
hamming_bound(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(bound_plus(PG_GETARG_INT64(0), PG_GETARG_INT32(1)));
}
