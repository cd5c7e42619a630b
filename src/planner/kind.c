/*-------------------------------------------------------------------------
 *
 * kind.c
 *		Kinds of fingerprints: the types whose distance the planner support
 *		knows.
 *
 * This file has every difference between kinds.  support.c and selectivity.c
 * are the same for all kinds.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/hamming.h"
#include "kind.h"
#include "nodes/makefuncs.h"
#include "server/catalog.h"
#include "simhash.h"
#include "utils/lsyscache.h"

StaticAssertDecl(sizeof(Datum) == sizeof(uint64_t),
				 "the kernel takes an array of Datums for fingerprints");

static int
simhash_find_within(const Datum *values, int n, Datum q, int32 radius,
					uint16 *hits)
{
	uint64_t	center = DatumGetSimhash(q);

	return hamming_within((const uint64_t *) values, n, &center, 1, radius, hits);
}

static void
simhash_split_ball(Datum ball, Datum *center, int32 *radius)
{
	*center = SimhashGetDatum(DatumGetSimhashBallP(ball)->center);
	*radius = DatumGetSimhashBallP(ball)->radius;
}

static const KindTraits kinds[] = {
	{
		.type = "simhash",
		.ball = "simhash_ball",
		.distance = "simhash_distance",
		.distance_integer = "simhash_distance_integer",
		.within = "simhash_within",
		.within_complement = "simhash_within_complement",
		.bits = SIMHASH_BITS,
		.find_within = simhash_find_within,
		.split_ball = simhash_split_ball
	}
};

/* The kind whose fingerprint or ball has the given type; false if there is none */
bool
find_kind(Oid schema, Oid type, Kind *kind)
{
	if (!OidIsValid(type))
		return false;
	for (int i = 0; i < lengthof(kinds); i++)
	{
		kind->traits = &kinds[i];
		kind->schema = schema;
		kind->type = own_type(schema, kinds[i].type);
		kind->ball = own_type(schema, kinds[i].ball);
		if (type == kind->type || type == kind->ball)
			return true;
	}
	return false;
}

/* The kind of a function's first argument */
bool
find_kind_of_function(Oid schema, Oid function, Kind *kind)
{
	Oid		   *argtypes;
	int			nargs;

	get_func_signature(function, &argtypes, &nargs);
	return nargs > 0 && find_kind(schema, argtypes[0], kind);
}

/* The function of two fingerprints, with nargs 3 also of an integer; or InvalidOid */
Oid
kind_pair_function(const Kind *kind, const char *name, int nargs)
{
	Oid			argtypes[3] = {kind->type, kind->type, INT4OID};

	return own_function(kind->schema, name, nargs, argtypes);
}

/* The function that makes a ball, or InvalidOid */
Oid
kind_ball_function(const Kind *kind)
{
	Oid			argtypes[2] = {kind->type, INT4OID};

	return own_function(kind->schema, kind->traits->ball, 2, argtypes);
}

/* A radius or a number of bits, for plans and estimates */
Node *
make_integer_const(int32 value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(value), false, true);
}
