/*-------------------------------------------------------------------------
 *
 * strategy.h
 *		The operators that both index methods serve, by their strategy numbers.
 *
 * The SQL script has the same numbers.  An operator has the R-tree's number if the R-tree
 * has a similar operator.  "%" has the number of the R-tree's overlap, so "&&" has
 * another number.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STRATEGY_H
#define SIMHASH_STRATEGY_H

#include "postgres.h"

#include "access/stratnum.h"
#include "simhash.h"

#define NEAR_STRATEGY			RTOverlapStrategyNumber /* fp % q */
#define WITHIN_STRATEGY			RTContainedByStrategyNumber /* fp <@ ball */
#define EQUAL_STRATEGY			RTEqualStrategyNumber	/* fp = q */
#define OVERLAP_STRATEGY		31	/* ball && ball */
#define DISTANCE_STRATEGY		RTKNNSearchStrategyNumber	/* ORDER BY fp <~> q */

/* The operand of the condition is a ball, which has the radius */
#define RADIUS_OF_OPERAND		(RADIUS_NONE - 1)

/*
 * The rows of a condition are in a ball around its operand, a fingerprint of nbits bits.
 * Returns the radius of that ball, or RADIUS_OF_OPERAND.  With OVERLAP_STRATEGY some rows
 * in the ball do not fulfil the condition.
 */
static inline int32
strategy_radius(StrategyNumber strategy, int32 nbits)
{
	switch (strategy)
	{
		case NEAR_STRATEGY:
			return near_distance(nbits);
		case EQUAL_STRATEGY:
			return 0;
		case WITHIN_STRATEGY:
		case OVERLAP_STRATEGY:
			return RADIUS_OF_OPERAND;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
}

/* The ball of a condition on a column of type simhash or simhash_ball. */
static inline SimhashBall
strategy_ball(StrategyNumber strategy, Datum query)
{
	SimhashBall ball = {.radius = strategy_radius(strategy, SIMHASH_BITS)};

	if (ball.radius == RADIUS_OF_OPERAND)
		return *DatumGetSimhashBallP(query);
	ball.center = DatumGetSimhash(query);
	return ball;
}

#endif							/* SIMHASH_STRATEGY_H */
