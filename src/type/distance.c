/*-------------------------------------------------------------------------
 *
 * distance.c
 *		Hamming distance of two fingerprints of type "simhash" or "bit", and
 *		comparisons of the distance with a bound.
 *
 * planner/support.c turns these functions into index conditions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "type/bit_value.h"

PG_FUNCTION_INFO_V1(simhash_distance);
PG_FUNCTION_INFO_V1(simhash_within);
PG_FUNCTION_INFO_V1(simhash_at_least);
PG_FUNCTION_INFO_V1(simhash_near);
PG_FUNCTION_INFO_V1(bit_distance);
PG_FUNCTION_INFO_V1(bit_within);
PG_FUNCTION_INFO_V1(bit_at_least);
PG_FUNCTION_INFO_V1(bit_near);
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

/* simhash_within(a, b, k): is the distance at most k?  k is any integer. */
Datum
simhash_within(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) <= PG_GETARG_INT32(2));
}

/* simhash_at_least(a, b, k): is the distance at least k?  k is any integer. */
Datum
simhash_at_least(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) >= PG_GETARG_INT32(2));
}

/* a % b */
Datum
simhash_near(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(distance_of_args(fcinfo) <= near_distance(SIMHASH_BITS));
}

/*
 * Set *distance and *nbits for the bit strings in the first two arguments; false if their
 * lengths differ.
 */
static bool
bit_distance_of_args(FunctionCallInfo fcinfo, int32 *distance, int32 *nbits)
{
	BitValue	a = PG_GETARG_BIT_VALUE(0);
	BitValue	b = PG_GETARG_BIT_VALUE(1);

	if (a.nbits != b.nbits)
		return false;
	*distance = bit_value_distance(a, b);
	*nbits = a.nbits;
	return true;
}

/* a <-> b and a <#~> b: the number of differing bits; an error if the lengths differ */
Datum
bit_distance(PG_FUNCTION_ARGS)
{
	int32		distance;
	int32		nbits;

	if (!bit_distance_of_args(fcinfo, &distance, &nbits))
		report_unlike_lengths(PG_GETARG_BIT_VALUE(0).nbits,
							  PG_GETARG_BIT_VALUE(1).nbits);
	PG_RETURN_INT32(distance);
}

/*
 * bit_within(a, b, k): is the distance at most k?  NULL if the lengths differ.  An error
 * would reveal the length of a value in a row that row-level security hides.
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

/* bit_at_least(a, b, k): is the distance at least k?  NULL if the lengths differ */
Datum
bit_at_least(PG_FUNCTION_ARGS)
{
	int32		distance;
	int32		nbits;

	if (!bit_distance_of_args(fcinfo, &distance, &nbits))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(distance >= PG_GETARG_INT32(2));
}

/*
 * a % b; false if the lengths differ, and not NULL, because an exclusion constraint calls
 * the operator
 */
Datum
bit_near(PG_FUNCTION_ARGS)
{
	int32		distance;
	int32		nbits;

	PG_RETURN_BOOL(bit_distance_of_args(fcinfo, &distance, &nbits) &&
				   distance <= near_distance(nbits));
}

/*
 * hamming_bound(bound, added): the third argument of the four functions above in a plan,
 * if the planner does not know the bound
 */
Datum
hamming_bound(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(bound_plus(PG_GETARG_INT64(0), PG_GETARG_INT32(1)));
}
