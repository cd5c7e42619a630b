/*-------------------------------------------------------------------------
 *
 * search_cost.c
 *		The estimated work of a search.
 *
 * The planner computes the cost of a scan from this work.  A scan for several balls
 * compares the work to choose whether to search for each ball, or to read all entries
 * once and compare them with all balls.  The estimate assumes that blocks are evenly
 * distributed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "search_cost.h"

/*
 * The cost of reading a leaf and comparing its entries, of finding the first leaf in a
 * tree, of listing the wanted entries of a leaf for several balls, and of comparing them
 * with a ball, in units of cpu_operator_cost.  ../README.md says how the planner uses
 * them.
 */
#define LEAF_OPERATIONS			60.0
#define SEARCH_OPERATIONS		25.0
#define LIST_OPERATIONS			150.0
#define COMPARE_OPERATIONS		6.0

/* Work in units of cpu_operator_cost, without the reading of pages from disk. */
double
bb_operations(const BBWork *work)
{
	return work->leaves * LEAF_OPERATIONS * (work->sequential ? BB_SEQUENTIAL_COST : 1) +
		work->searches * SEARCH_OPERATIONS + work->lists * LIST_OPERATIONS +
		work->compares * COMPARE_OPERATIONS;
}

/* The work of a search within k, if a window tree has tree_leaves leaves */
BBWork
bb_work_within(BBShape shape, double tree_leaves, int k)
{
	BBTreeCost	costs[BB_MAX_BLOCKS];
	BBRadii		radii;
	double		scan_leaves = tree_leaves * bb_forest(shape).scan_leaves;
	BBWork		work = {0};

	if (k < 0)
		return work;
	bb_even_costs(shape.blocks, tree_leaves, costs);
	work.leaves = bb_choose_radii(shape.blocks, costs, Min(k, bb_bits(shape)), &radii);
	for (int t = 0; t < shape.blocks; t++)
		work.searches += radii.radius[t] >= 0;
	if (k >= bb_bits(shape) || work.leaves > scan_leaves * BB_SEQUENTIAL_COST)
		work = bb_work_together(shape, tree_leaves, 1);
	return work;
}

/*
 * The work of reading all entries once, for several balls.  The entries fill tree_leaves
 * leaves of a window tree, which may be less than one.
 */
BBWork
bb_work_together(BBShape shape, double tree_leaves, double balls)
{
	double		scan_leaves = bb_forest(shape).scan_leaves;
	BBWork		work = {.searches = 1,.sequential = true};

	work.leaves = Max(tree_leaves, 1) * scan_leaves;
	if (balls > 1)
	{
		work.lists = tree_leaves * scan_leaves;
		work.compares = work.lists * balls;
	}
	return work;
}

/*
 * Does it cost less to read all entries of a scope once than to search for each ball of a
 * condition?  The entries are in tree_leaves leaves, but the first and the last of these
 * leaves also have other entries.
 */
bool
bb_is_cheaper_together(BBShape shape, double tree_leaves, const BBCondition *condition)
{
	BBWork		work = bb_work_together(shape, tree_leaves - 1, condition->n);
	double		together = bb_operations(&work);
	double		each = 0;
	double		of_radius[MOST_BITS + 1];

	for (int k = 0; k <= condition->largest; k++)
		of_radius[k] = -1;
	for (int i = 0; i < condition->n && each < together; i++)
	{
		int			k = condition->balls[i].radius;

		if (of_radius[k] < 0)
		{
			CHECK_FOR_INTERRUPTS();
			work = bb_work_within(shape, tree_leaves, k);
			of_radius[k] = bb_operations(&work);
		}
		each += of_radius[k];
	}
	return each >= together;
}
