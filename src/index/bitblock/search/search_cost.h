/*-------------------------------------------------------------------------
 *
 * search_cost.h
 *		The estimated work of a search.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_SEARCH_COST_H
#define BITBLOCK_SEARCH_COST_H

#include "condition.h"
#include "leaf_list.h"

typedef struct BBWork
{
	double		leaves;
	double		searches;		/* trees searched */
	/* leaves whose wanted entries are listed for several balls */
	double		lists;
	double		compares;		/* comparisons of a list with a ball */
	bool		sequential;		/* does it read a whole tree? */
} BBWork;

/* Return work in units of cpu_operator_cost. */
extern double bb_operations(const BBWork *work);

/* Estimate the work of a search within k. */
extern BBWork bb_work_within(BBShape shape, double tree_leaves, int k);

/* Estimate the work of reading all entries once, for several balls. */
extern BBWork bb_work_together(BBShape shape, double tree_leaves, double balls);

/* Does reading all entries once cost less than a search for each ball? */
extern bool bb_is_cheaper_together(BBShape shape, double tree_leaves,
								   const BBCondition *condition);

#endif							/* BITBLOCK_SEARCH_COST_H */
