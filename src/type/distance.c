/*-------------------------------------------------------------------------
 *
 * distance.c
 *		Hamming distance of two fingerprints, and functions of the distance.
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
PG_FUNCTION_INFO_V1(simhash_within_complement);
PG_FUNCTION_INFO_V1(simhash_near);
PG_FUNCTION_INFO_V1(hamming_radius);
PG_FUNCTION_INFO_V1(hamming_radius_of_complement);

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

/* simhash_within_complement(a, b, k): the same of a and the complement of b */
Datum
simhash_within_complement(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SIMHASH_BITS - distance_of_args(fcinfo) <= PG_GETARG_INT32(2));
}

/* a % b */
Datum
simhash_near(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) <= NEAR_DISTANCE);
}

/* Radii for bounds that are unknown when the query is planned */
Datum
hamming_radius(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(radius_of_bound(PG_GETARG_INT64(0), PG_GETARG_BOOL(1)));
}

Datum
hamming_radius_of_complement(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(radius_of_complement(PG_GETARG_INT64(0), PG_GETARG_BOOL(1),
										 PG_GETARG_INT32(2)));
}
