/*-------------------------------------------------------------------------
 *
 * kind.c
 *		Kinds of fingerprints: the types whose distance the planner support
 *		knows.
 *
 * This file has every difference between kinds.  support.c, selectivity.c and the cost
 * function of bitblock are the same for all kinds.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "kind.h"
#include "nodes/makefuncs.h"
#include "server/catalog.h"
#include "type/bit_value.h"
#include "utils/lsyscache.h"

static const KindTraits kinds[] = {
	{
		.type = "simhash",
		.ball = "simhash_ball",
		.ball_at_least = "simhash_ball_at_least",
		.distance = "simhash_distance",
		.distance_integer = "simhash_distance_integer",
		.distance_operator = "<~>",
		.within = "simhash_within",
		.at_least = "simhash_at_least",
		.bits = SIMHASH_BITS
	},
	{
		.builtin_type = BITOID,
		.ball = "bit_ball",
		.ball_at_least = "bit_ball_at_least",
		.distance = "bit_distance",
		.distance_integer = "bit_distance_integer",
		.distance_operator = "<#~>",	/* <~> on bit is pgvector's */
		.within = "bit_within",
		.at_least = "bit_at_least"
	}
};

/*
 * Set *kind to the kind whose fingerprint or ball has the given type; false if there is
 * none.  The type bit varying is as bit.  "schema" is the schema of the extension.
 */
bool
find_kind(Oid schema, Oid type, Kind *kind)
{
	if (!OidIsValid(type))
		return false;
	if (type == VARBITOID)
		type = BITOID;
	for (int i = 0; i < lengthof(kinds); i++)
	{
		kind->traits = &kinds[i];
		kind->schema = schema;
		kind->type = OidIsValid(kinds[i].builtin_type) ? kinds[i].builtin_type :
			own_type(schema, kinds[i].type);
		kind->ball = own_type(schema, kinds[i].ball);
		if (type == kind->type || type == kind->ball)
			return true;
	}
	return false;
}

/* Set *kind to the kind of a function's first argument; false if there is none. */
bool
find_kind_of_function(Oid schema, Oid function, Kind *kind)
{
	Oid		   *argtypes;
	int			nargs;

	get_func_signature(function, &argtypes, &nargs);
	return nargs > 0 && find_kind(schema, argtypes[0], kind);
}

int32
kind_bits_of_type(const Kind *kind, int32 typmod)
{
	return kind->traits->bits != 0 ? kind->traits->bits : Max(typmod, 0);
}

int32
kind_bits_of_value(const Kind *kind, Datum value)
{
	return kind->traits->bits != 0 ? kind->traits->bits : DatumGetBitValue(value).nbits;
}

void
kind_read_words(const Kind *kind, Datum value, uint64 *words)
{
	if (kind->traits->bits != 0)
		*words = DatumGetSimhash(value);
	else
		bit_value_words(DatumGetBitValue(value), words);
}

int32
kind_radius(const Kind *kind, Datum ball)
{
	return kind->traits->bits != 0 ? DatumGetSimhashBallP(ball)->radius :
		DatumGetBitBallP(ball)->radius;
}

static Datum
kind_center(const Kind *kind, Datum ball)
{
	BitBall    *bit_ball;

	if (kind->traits->bits != 0)
		return SimhashGetDatum(DatumGetSimhashBallP(ball)->center);
	bit_ball = DatumGetBitBallP(ball);
	return make_bit_value(bit_ball->bits, bit_ball->nbits);
}

/*
 * The function with that name and two fingerprints as arguments; if nargs is 3, an
 * integer follows them.  InvalidOid if there is none.
 */
Oid
kind_pair_function(const Kind *kind, const char *name, int nargs)
{
	Oid			argtypes[3] = {kind->type, kind->type, INT4OID};

	return own_function(kind->schema, name, nargs, argtypes);
}

/*
 * The function that makes the ball of all fingerprints within a distance of a
 * fingerprint, or at least at that distance; InvalidOid if there is none.
 */
Oid
kind_ball_function(const Kind *kind, bool at_least)
{
	Oid			argtypes[2] = {kind->type, INT4OID};

	return own_function(kind->schema,
						at_least ? kind->traits->ball_at_least : kind->traits->ball,
						2, argtypes);
}

/* A constant of type integer, for plans and estimates */
Node *
make_integer_const(int32 value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(value), false, true);
}

static Node *
make_fingerprint_const(const Kind *kind, Datum value, bool isnull)
{
	int16		length;
	bool		byval;

	get_typlenbyval(kind->type, &length, &byval);
	return (Node *) makeConst(kind->type, -1, InvalidOid, length, value, isnull, byval);
}

/*
 * Take an expression apart whose value is a ball: a constant, or a call of a function
 * that makes balls.  The ball contains the fingerprints at most *bound from *center or,
 * if *at_least, at least *bound from *center.  The function returns false for other
 * expressions.
 */
bool
split_ball(const Kind *kind, Node *ball, Node **center, Node **bound, bool *at_least)
{
	FuncExpr   *call = (FuncExpr *) ball;

	*at_least = false;
	if (IsA(ball, Const))
	{
		bool		isnull = ((Const *) ball)->constisnull;
		Datum		value = ((Const *) ball)->constvalue;

		*center = make_fingerprint_const(kind, isnull ? 0 : kind_center(kind, value), isnull);
		*bound = make_integer_const(isnull ? RADIUS_NONE : kind_radius(kind, value));
		return true;
	}
	if (!IsA(ball, FuncExpr))
		return false;
	*at_least = call->funcid == kind_ball_function(kind, true);
	if (!*at_least && call->funcid != kind_ball_function(kind, false))
		return false;
	*center = linitial(call->args);
	*bound = lsecond(call->args);
	return true;
}
