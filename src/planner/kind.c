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

/* ----------
 * simhash
 * ----------
 */

static int32
simhash_count_bits(Datum value)
{
	return SIMHASH_BITS;
}

static int32
simhash_bits_of_typmod(int32 typmod)
{
	return SIMHASH_BITS;
}

static bool
simhash_read_words(Datum value, int32 bits, uint64 *words)
{
	*words = DatumGetSimhash(value);
	return bits == SIMHASH_BITS;
}

static void
simhash_split_ball(Datum ball, Datum *center, int32 *radius)
{
	*center = SimhashGetDatum(DatumGetSimhashBallP(ball)->center);
	*radius = DatumGetSimhashBallP(ball)->radius;
}

/* ----------
 * bit
 * ----------
 */

static int32
bit_count_bits(Datum value)
{
	return DatumGetBitValue(value).nbits;
}

static int32
bit_bits_of_typmod(int32 typmod)
{
	return Max(typmod, 0);
}

static bool
bit_read_words(Datum value, int32 bits, uint64 *words)
{
	BitValue	string = DatumGetBitValue(value);

	if (string.nbits != bits)
		return false;
	bit_value_words(string, words);
	return true;
}

static void
bit_split_ball(Datum ball, Datum *center, int32 *radius)
{
	BitBall    *b = DatumGetBitBallP(ball);

	*center = make_bit_value(b->bits, b->nbits);
	*radius = b->radius;
}

/* ----------
 * All kinds
 * ----------
 */

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
		.count_bits = simhash_count_bits,
		.bits_of_typmod = simhash_bits_of_typmod,
		.read_words = simhash_read_words,
		.split_ball = simhash_split_ball
	},
	{
		.builtin_type = BITOID,
		.ball = "bit_ball",
		.ball_at_least = "bit_ball_at_least",
		.distance = "bit_distance",
		.distance_integer = "bit_distance_integer",
		.distance_operator = "<#~>",	/* <~> on bit is pgvector's */
		.within = "bit_within",
		.at_least = "bit_at_least",
		.count_bits = bit_count_bits,
		.bits_of_typmod = bit_bits_of_typmod,
		.read_words = bit_read_words,
		.split_ball = bit_split_ball
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
		Datum		value = (Datum) 0;
		int32		radius = RADIUS_NONE;

		if (!isnull)
			kind->traits->split_ball(((Const *) ball)->constvalue, &value, &radius);
		*center = make_fingerprint_const(kind, value, isnull);
		*bound = make_integer_const(radius);
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
