/*-------------------------------------------------------------------------
 *
 * ball.c
 *		The type "simhash_ball": every fingerprint within a radius of a center.
 *
 * Its text form is that of PostgreSQL's circle: <0123456789abcdef,3>.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/literal.h"
#include "libpq/pqformat.h"
#include "simhash.h"

PG_FUNCTION_INFO_V1(simhash_ball_in);
PG_FUNCTION_INFO_V1(simhash_ball_out);
PG_FUNCTION_INFO_V1(simhash_ball_recv);
PG_FUNCTION_INFO_V1(simhash_ball_send);
PG_FUNCTION_INFO_V1(simhash_ball_make);
PG_FUNCTION_INFO_V1(simhash_ball_center);
PG_FUNCTION_INFO_V1(simhash_ball_radius);
PG_FUNCTION_INFO_V1(simhash_ball_contains);
PG_FUNCTION_INFO_V1(simhash_ball_contained);
PG_FUNCTION_INFO_V1(simhash_ball_overlaps);

/* A palloc'd ball.  The radius can be any integer and is clamped. */
Datum
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
	char	   *open = s + strspn(s, " \t\n\v\f\r");
	char	   *comma = strchr(s, ',');
	uint64		center;

	if (*open == '<' && comma != NULL &&
		fingerprint_parse(open + 1, comma - open - 1, &center))
	{
		char	   *end;
		long long	radius;

		errno = 0;
		radius = strtoll(comma + 1, &end, 10);
		if (errno == 0 && end > comma + 1)
		{
			end += strspn(end, " \t\n\v\f\r");
			if (*end == '>' && end[1 + strspn(end + 1, " \t\n\v\f\r")] == '\0')
				return make_ball(center, radius);
		}
	}
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

Datum
simhash_ball_center(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(PG_GETARG_SIMHASH_BALL_P(0)->center);
}

Datum
simhash_ball_radius(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(PG_GETARG_SIMHASH_BALL_P(0)->radius);
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
 * a && b: does each ball contain the other's center?  This is not the question
 * whether the balls have a common fingerprint: balls of radius 8 may have one if
 * their centers are 16 apart.  An exclusion constraint of balls must keep centers
 * farther apart than the radius.
 */
Datum
simhash_ball_overlaps(PG_FUNCTION_ARGS)
{
	SimhashBall *a = PG_GETARG_SIMHASH_BALL_P(0);
	SimhashBall *b = PG_GETARG_SIMHASH_BALL_P(1);

	PG_RETURN_BOOL(ball_contains(a, b->center) && ball_contains(b, a->center));
}
