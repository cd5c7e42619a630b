/*-------------------------------------------------------------------------
 *
 * probes.h
 *		Which block values a query looks for, and what that costs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PROBES_H
#define BITBLOCK_PROBES_H

#include "print.h"

/* Block values, ascending */
typedef struct BBProbes
{
	int			n;
	uint16	   *values;
} BBProbes;

/*
 * One radius per tree, that is, per block: -1 leaves the tree out.
 */
typedef struct BBRadii
{
	int			radius[BB_BLOCKS];
} BBRadii;

/* Of a tree, the cost of each radius from -1 on, in leaves read */
typedef struct BBTreeCost
{
	double		leaves[BB_BLOCK_BITS + 2];	/* at radius + 1 */
} BBTreeCost;

/*
 * Reading a leaf in sequence costs so much of one that is looked up.
 */
#define BB_SEQUENTIAL_COST		0.5

/* The rows that a nearest search is expected to be for */
#define BB_EXPECTED_LIMIT		10

extern int	bb_expected_radius(double entries, double wanted);
extern int	bb_ball_size(int rmin, int rmax);
extern int	bb_ball_values(int center, int rmin, int rmax, uint16 *values);
extern void bb_tree_cost(double tree_leaves, BBTreeCost *cost);
extern int	bb_next_tree(const BBTreeCost *costs, const BBRadii *radii);
extern double bb_choose_radii(const BBTreeCost *costs, int k, BBRadii *radii);

#endif							/* BITBLOCK_PROBES_H */
