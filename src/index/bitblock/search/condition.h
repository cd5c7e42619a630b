/*-------------------------------------------------------------------------
 *
 * condition.h
 *		The conditions of a scan on the fingerprint.
 *
 * The operand of a condition is a ball, or an array of balls: all fingerprints within a
 * radius of a center.  A row fulfils the condition if its fingerprint is in one of the
 * balls.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_CONDITION_H
#define BITBLOCK_CONDITION_H

#include "postgres.h"

#include "access/skey.h"
#include "index/bitblock/store/shape.h"

typedef struct BBCondition
{
	int			n;
	const BBBall *balls;		/* of unequal centers */
	const uint64 *centers;		/* the same centers, without gaps */
	int			largest;		/* radius; RADIUS_NONE if there is no ball */
} BBCondition;

typedef struct BBConditions
{
	bool		fps;			/* may a row with a fingerprint fulfil them? */
	bool		nulls;			/* may a row without one? */
	bool		lossy;			/* must rows in the balls be rechecked? */
	int			n;
	BBCondition *list;			/* the cheapest to search for comes first */
} BBConditions;

/* The condition that every fingerprint fulfils */
extern const BBCondition bb_everything;

/* Make a condition of one ball. */
extern BBCondition bb_condition_of_ball(const BBBall *ball);

/* Is a fingerprint in one of the first n balls of a condition? */
extern bool bb_in_several(BBShape shape, const uint64 *fp, const BBCondition *condition, int n);

/* Find those of n fingerprints that are in one of the balls. */
extern int	bb_find_in_balls(BBShape shape, const uint64 *fps, int n,
							 const BBCondition *condition, uint16 *hits);

/* Read the conditions on the fingerprint among those of a scan. */
extern void bb_read_conditions(BBShape shape, const ScanKeyData *keys, int nkeys,
							   BBConditions *conditions);

/* Is a fingerprint in one of the first n balls of a condition? */
static inline bool
bb_in_balls(BBShape shape, const uint64 *fp, const BBCondition *condition, int n)
{
	if (n == 1)
		return bb_distance(shape, fp, condition->balls[0].center) <= condition->balls[0].radius;
	return bb_in_several(shape, fp, condition, n);
}

/* Does a fingerprint fulfil the conditions from number "first" on? */
static inline bool
bb_fulfils(BBShape shape, const uint64 *fp, const BBConditions *conditions, int first)
{
	for (int i = first; i < conditions->n; i++)
		if (!bb_in_balls(shape, fp, &conditions->list[i], conditions->list[i].n))
			return false;
	return true;
}

#endif							/* BITBLOCK_CONDITION_H */
