/*-------------------------------------------------------------------------
 *
 * strategy.h
 *		The operators that both index methods serve, by their strategy numbers.
 *
 * The SQL script has the same numbers.  An operator has the R-tree's number if the
 * R-tree has a similar operator.  "%" has the number of the R-tree's overlap, so "&&"
 * has another number.
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

/*
 * The ball that contains the rows of a condition.  With OVERLAP_STRATEGY some rows
 * in the ball do not fulfil the condition.
 */
static inline SimhashBall
strategy_ball(StrategyNumber strategy, Datum query)
{
	SimhashBall ball;

	switch (strategy)
	{
		case NEAR_STRATEGY:
			ball.center = DatumGetSimhash(query);
			ball.radius = near_distance(SIMHASH_BITS);
			break;
		case WITHIN_STRATEGY:
		case OVERLAP_STRATEGY:
			ball = *DatumGetSimhashBallP(query);
			break;
		case EQUAL_STRATEGY:
			ball.center = DatumGetSimhash(query);
			ball.radius = 0;
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	return ball;
}

#endif							/* SIMHASH_STRATEGY_H */
