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

extern double bb_operations(const BBWork *work);
extern BBWork bb_work_within(BBShape shape, double tree_leaves, int k);
extern BBWork bb_work_together(BBShape shape, double tree_leaves, double balls);
extern bool bb_is_cheaper_together(BBShape shape, double tree_leaves,
								   const BBCondition *condition);

#endif							/* BITBLOCK_SEARCH_COST_H */
