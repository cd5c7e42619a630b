/*-------------------------------------------------------------------------
 *
 * condition.h
 *		The conditions of a scan on the fingerprint.
 *
 * The operand of a condition is a ball, or an array of balls: all fingerprints within a radius
 * of a center.  A row fulfils the condition if its fingerprint is in one of the balls.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_CONDITION_H
#define BITBLOCK_CONDITION_H

#include "postgres.h"

#include "access/skey.h"
#include "shape.h"

typedef struct BBCondition
{
	int			n;
	const BBBall *balls;		/* of unequal centers */
	bool		disjoint;		/* is no fingerprint in two of the balls? */
} BBCondition;

typedef struct BBConditions
{
	bool		fps;			/* may a row with a fingerprint fulfil them? */
	bool		nulls;			/* may a row without? */
	bool		lossy;			/* may a row in the balls not fulfil them? */
	int			n;
	BBCondition *list;			/* the cheapest to search for comes first */
} BBConditions;

/* Does a fingerprint fulfil the conditions from number "first" on? */
static inline bool
bb_fulfils(BBShape shape, const uint64 *fp, const BBConditions *conditions, int first)
{
	for (int i = first; i < conditions->n; i++)
		if (!bb_in_balls(shape, fp, conditions->list[i].balls, conditions->list[i].n))
			return false;
	return true;
}

extern const BBCondition bb_everything;

extern int	bb_largest_radius(const BBCondition *condition);
extern void bb_read_conditions(BBShape shape, const ScanKeyData *keys, int nkeys,
							   BBConditions *conditions);

#endif							/* BITBLOCK_CONDITION_H */
