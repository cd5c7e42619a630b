/*-------------------------------------------------------------------------
 *
 * strategy.h
 *		The operators that both index methods serve, by their strategy numbers.
 *
 * The numbers are those of the SQL script.  Where the R-tree has a like operator it
 * is the R-tree's number; "&&" has a number of its own, as "%" has that of the
 * R-tree's overlap.
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
 * The ball in which a condition's rows are.  With OVERLAP_STRATEGY not all rows in
 * the ball fulfil the condition.
 */
static inline SimhashBall
strategy_ball(StrategyNumber strategy, Datum query)
{
	SimhashBall ball;

	switch (strategy)
	{
		case NEAR_STRATEGY:
			ball.center = DatumGetSimhash(query);
			ball.radius = NEAR_DISTANCE;
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
