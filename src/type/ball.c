/*-------------------------------------------------------------------------
 *
 * ball.c
 *		The types "simhash_ball" and "bit_ball": every fingerprint within a radius of
 *		a center.
 *
 * Their text form is that of PostgreSQL's circle: <0123456789abcdef,3>, <0101...,3>.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/literal.h"
#include "libpq/pqformat.h"
#include "type/bit_value.h"
#include "utils/fmgrprotos.h"

PG_FUNCTION_INFO_V1(simhash_ball_in);
PG_FUNCTION_INFO_V1(simhash_ball_out);
PG_FUNCTION_INFO_V1(simhash_ball_recv);
PG_FUNCTION_INFO_V1(simhash_ball_send);
PG_FUNCTION_INFO_V1(simhash_ball_make);
PG_FUNCTION_INFO_V1(simhash_ball_at_least);
PG_FUNCTION_INFO_V1(simhash_ball_contains);
PG_FUNCTION_INFO_V1(simhash_ball_contained);
PG_FUNCTION_INFO_V1(simhash_ball_overlaps);
PG_FUNCTION_INFO_V1(bit_ball_in);
PG_FUNCTION_INFO_V1(bit_ball_out);
PG_FUNCTION_INFO_V1(bit_ball_recv);
PG_FUNCTION_INFO_V1(bit_ball_send);
PG_FUNCTION_INFO_V1(bit_ball_make);
PG_FUNCTION_INFO_V1(bit_ball_at_least);
PG_FUNCTION_INFO_V1(bit_ball_contains);
PG_FUNCTION_INFO_V1(bit_ball_contained);
PG_FUNCTION_INFO_V1(bit_ball_overlaps);

#define WHITE_SPACE		" \t\n\v\f\r"

/*
 * Split "<center,radius>"; false if s has another form.  White space may be before and
 * after each part.  *center is not terminated: it has *len characters.
 */
static bool
split_text(const char *s, const char **center, size_t *len, long long *radius)
{
	const char *open = s + strspn(s, WHITE_SPACE);
	const char *comma = strchr(s, ',');
	char	   *end;

	if (*open != '<' || comma == NULL)
		return false;
	*center = open + 1;
	*len = comma - *center;
	errno = 0;
	*radius = strtoll(comma + 1, &end, 10);
	if (errno != 0 || end == comma + 1)
		return false;
	end += strspn(end, WHITE_SPACE);
	return *end == '>' && end[1 + strspn(end + 1, WHITE_SPACE)] == '\0';
}

/* ----------
 * simhash_ball
 * ----------
 */

/* A palloc'd ball.  The radius can be any integer and is clamped. */
static Datum
make_ball(Simhash center, int64 radius)
{
	SimhashBall *ball = palloc0(sizeof(SimhashBall));

	ball->center = center;
	ball->radius = radius_clamp(radius);
	return PointerGetDatum(ball);
}

Datum
simhash_ball_in(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);
	const char *digits;
	size_t		len;
	long long	radius;
	uint64		center;

	if (split_text(s, &digits, &len, &radius) && fingerprint_parse(digits, len, &center))
		return make_ball(center, radius);
	ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"",
					"simhash_ball", s),
			 errhint("A ball is written as <center,radius>, for example <0123456789abcdef,3>.")));
}

Datum
simhash_ball_out(PG_FUNCTION_ARGS)
{
	SimhashBall *ball = PG_GETARG_SIMHASH_BALL_P(0);
	char		center[FINGERPRINT_HEX_DIGITS + 1];

	fingerprint_format(ball->center, center);
	PG_RETURN_CSTRING(psprintf("<%s,%d>", center, ball->radius));
}

/* Binary format: the center, then the radius as a 32-bit integer. */
Datum
simhash_ball_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	Simhash		center = (Simhash) pq_getmsgint64(buf);

	return make_ball(center, (int32) pq_getmsgint(buf, sizeof(int32)));
}

Datum
simhash_ball_send(PG_FUNCTION_ARGS)
{
	SimhashBall *ball = PG_GETARG_SIMHASH_BALL_P(0);
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint64(&buf, ball->center);
	pq_sendint32(&buf, ball->radius);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* simhash_ball(center, radius) */
Datum
simhash_ball_make(PG_FUNCTION_ARGS)
{
	return make_ball(PG_GETARG_SIMHASH(0), PG_GETARG_INT32(1));
}

/*
 * simhash_ball_at_least(f, k): the ball of all fingerprints at a distance of at least k
 * from f.  Every bit differs either from f's bit or from the bit of f's complement.  So
 * that ball is around the complement of f.
 */
Datum
simhash_ball_at_least(PG_FUNCTION_ARGS)
{
	return make_ball(~PG_GETARG_SIMHASH(0), SIMHASH_BITS - (int64) PG_GETARG_INT32(1));
}

/* ball @> f */
Datum
simhash_ball_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ball_contains(PG_GETARG_SIMHASH_BALL_P(0),
								 PG_GETARG_SIMHASH(1)));
}

/* f <@ ball */
Datum
simhash_ball_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ball_contains(PG_GETARG_SIMHASH_BALL_P(1),
								 PG_GETARG_SIMHASH(0)));
}

/*
 * a && b: does each ball contain the other's center?  This is not the question whether
 * the balls have a common fingerprint: balls of radius 8 may have one if their centers
 * are 16 apart.  An exclusion constraint of balls must keep centers farther apart than
 * the radius.
 */
Datum
simhash_ball_overlaps(PG_FUNCTION_ARGS)
{
	SimhashBall *a = PG_GETARG_SIMHASH_BALL_P(0);
	SimhashBall *b = PG_GETARG_SIMHASH_BALL_P(1);

	PG_RETURN_BOOL(ball_contains(a, b->center) && ball_contains(b, a->center));
}

/* ----------
 * bit_ball
 * ----------
 */

/* A palloc'd ball.  The radius can be any integer and is clamped. */
static BitBall *
make_bit_ball(BitValue center, int64 radius)
{
	Size		size = offsetof(BitBall, bits) + bytes_of_bits(center.nbits);
	BitBall    *ball = palloc(size);

	SET_VARSIZE(ball, size);
	ball->nbits = center.nbits;
	ball->radius = (int32) Max(RADIUS_NONE, Min(radius, center.nbits));
	memcpy(ball->bits, center.bits, bytes_of_bits(center.nbits));
	return ball;
}

Datum
bit_ball_in(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);
	const char *digits;
	size_t		len;
	long long	radius;

	if (split_text(s, &digits, &len, &radius))
	{
		size_t		begin = Min(strspn(digits, WHITE_SPACE), len);
		size_t		n = Min(strspn(digits + begin, "01"), len - begin);

		if (begin + n + strspn(digits + begin + n, WHITE_SPACE) == len)
		{
			Datum		center = DirectFunctionCall3(varbit_in,
													 CStringGetDatum(pnstrdup(digits + begin, n)),
													 ObjectIdGetDatum(InvalidOid),
													 Int32GetDatum(-1));

			PG_RETURN_POINTER(make_bit_ball(DatumGetBitValue(center), radius));
		}
	}
	ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "bit_ball", s),
			 errhint("A ball is written as <center,radius>, for example <01100101,3>.")));
}

Datum
bit_ball_out(PG_FUNCTION_ARGS)
{
	BitBall    *ball = PG_GETARG_BIT_BALL_P(0);
	Datum		center = make_bit_value(ball->bits, ball->nbits);

	PG_RETURN_CSTRING(psprintf("<%s,%d>", DatumGetCString(DirectFunctionCall1(bit_out, center)),
							   ball->radius));
}

/* Binary format: the center in the format of bit, then the radius as a 32-bit integer. */
Datum
bit_ball_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	Datum		center = DirectFunctionCall3(varbit_recv, PointerGetDatum(buf),
											 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	PG_RETURN_POINTER(make_bit_ball(DatumGetBitValue(center),
									(int32) pq_getmsgint(buf, sizeof(int32))));
}

Datum
bit_ball_send(PG_FUNCTION_ARGS)
{
	BitBall    *ball = PG_GETARG_BIT_BALL_P(0);
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint32(&buf, ball->nbits);
	pq_sendbytes(&buf, (const char *) ball->bits, bytes_of_bits(ball->nbits));
	pq_sendint32(&buf, ball->radius);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* bit_ball(center, radius) */
Datum
bit_ball_make(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(make_bit_ball(PG_GETARG_BIT_VALUE(0), PG_GETARG_INT32(1)));
}

/* bit_ball_at_least(b, k): see simhash_ball_at_least */
Datum
bit_ball_at_least(PG_FUNCTION_ARGS)
{
	BitValue	complement = DatumGetBitValue(DirectFunctionCall1(bitnot, PG_GETARG_DATUM(0)));

	PG_RETURN_POINTER(make_bit_ball(complement,
									complement.nbits - (int64) PG_GETARG_INT32(1)));
}

/* ball @> b */
Datum
bit_ball_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(bit_ball_holds(PG_GETARG_BIT_BALL_P(0), PG_GETARG_BIT_VALUE(1)));
}

/* b <@ ball */
Datum
bit_ball_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(bit_ball_holds(PG_GETARG_BIT_BALL_P(1), PG_GETARG_BIT_VALUE(0)));
}

/* a && b: does each ball contain the other's center?  See simhash_ball_overlaps. */
Datum
bit_ball_overlaps(PG_FUNCTION_ARGS)
{
	BitBall    *a = PG_GETARG_BIT_BALL_P(0);
	BitBall    *b = PG_GETARG_BIT_BALL_P(1);

	PG_RETURN_BOOL(bit_ball_holds(a, bit_ball_center(b)) &&
				   bit_ball_holds(b, bit_ball_center(a)));
}
