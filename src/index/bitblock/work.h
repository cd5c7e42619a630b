/*-------------------------------------------------------------------------
 *
 * work.h
 *		The estimated work of a search.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_WORK_H
#define BITBLOCK_WORK_H

#include "condition.h"
#include "leaves.h"

/*
 * The cost of reading a leaf and comparing its entries, of finding the first leaf in a tree, and
 * of comparing the entries of a leaf with one more ball, in units of cpu_operator_cost.
 * README.md has the measurements.
 */
#define LEAF_OPERATIONS			60.0
#define SEARCH_OPERATIONS		25.0
#define COMPARE_OPERATIONS		20.0

typedef struct BBWork
{
	double		leaves;
	double		searches;		/* trees searched */
	double		compares;		/* leaves for each ball but the first */
	bool		sequential;		/* does it read a whole tree? */
} BBWork;

/* The work in units of cpu_operator_cost, without the reading of pages from disk */
static inline double
bb_operations(const BBWork *work)
{
	return work->leaves * LEAF_OPERATIONS + work->searches * SEARCH_OPERATIONS +
		work->compares * COMPARE_OPERATIONS;
}

extern BBWork bb_work_within(BBShape shape, double tree_leaves, int k);
extern BBWork bb_work_together(BBShape shape, double tree_leaves, double balls);
extern bool bb_is_cheaper_together(BBShape shape, double tree_leaves,
								   const BBCondition *condition);

#endif							/* BITBLOCK_WORK_H */
