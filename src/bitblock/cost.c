/*-------------------------------------------------------------------------
 *
 * cost.c
 *		The planner's estimate of a scan of a bitblock index.
 *
 * The leaves that a scan reads are counted by the functions by which the scan
 * itself chooses its steps (see probes.c), for blocks that are evenly
 * distributed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "bitblock.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "probes.h"
#include "simhash.h"
#include "utils/index_selfuncs.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

/* A distance that the planner cannot know */
#define DEFAULT_RADIUS			NEAR_DISTANCE

/*
 * What it takes to compare the entries of a leaf, and to find one, in units of
 * cpu_operator_cost
 */
#define LEAF_OPERATIONS			100.0
#define SEARCH_OPERATIONS		150.0

/* What a search takes at most of the cost that GiST claims */
#define GIST_SHARE				0.9

/* The radius of "column <@ ball" */
static int
radius_of(Node *ball)
{
	if (IsA(ball, Const))
	{
		Const	   *value = (Const *) ball;

		return value->constisnull ? RADIUS_NONE :
			DatumGetSimhashBallP(value->constvalue)->radius;
	}

	/* simhash_ball(center, radius), with a center that is not known */
	if (IsA(ball, FuncExpr) && list_length(((FuncExpr *) ball)->args) == 2)
	{
		Node	   *radius = lsecond(((FuncExpr *) ball)->args);

		if (IsA(radius, Const) && ((Const *) radius)->consttype == INT4OID &&
			!((Const *) radius)->constisnull)
			return radius_clamp(DatumGetInt32(((Const *) radius)->constvalue));
	}
	return DEFAULT_RADIUS;
}

/*
 * The smallest radius that the conditions ask for; RADIUS_ALL if they do not.
 */
static int
smallest_radius(IndexPath *path)
{
	int			smallest = RADIUS_ALL;
	ListCell   *lc;

	foreach(lc, path->indexclauses)
	{
		ListCell   *lc2;

		foreach(lc2, lfirst_node(IndexClause, lc)->indexquals)
		{
			Expr	   *clause = lfirst_node(RestrictInfo, lc2)->clause;
			int			radius = RADIUS_ALL;

			if (IsA(clause, NullTest))
			{
				if (((NullTest *) clause)->nulltesttype == IS_NULL)
					radius = RADIUS_NONE;
			}
			else if (IsA(clause, OpExpr))
			{
				OpExpr	   *op = (OpExpr *) clause;

				switch (get_op_opfamily_strategy(op->opno,
												 path->indexinfo->opfamily[0]))
				{
					case BB_NEAR_STRATEGY:
						radius = NEAR_DISTANCE;
						break;
					case BB_WITHIN_STRATEGY:
					case BB_OVERLAP_STRATEGY:
						radius = radius_of(lsecond(op->args));
						break;
					case BB_EQUAL_STRATEGY:
						radius = 0;
						break;
				}
			}
			smallest = Min(smallest, radius);
		}
	}
	return smallest;
}

/* An estimate of what a scan does */
typedef struct Work
{
	double		leaves;
	double		searches;		/* trees searched */
	bool		sequential;
} Work;

static Work
work_within(double tree_leaves, int k)
{
	BBTreeCost	costs[BB_BLOCKS];
	BBRadii		radii;
	Work		work = {0};

	if (k < 0)
		return work;
	bb_tree_cost(tree_leaves, &costs[0]);
	for (int t = 1; t < BB_BLOCKS; t++)
		costs[t] = costs[0];
	work.leaves = bb_choose_radii(costs, k, &radii);
	for (int t = 0; t < BB_BLOCKS; t++)
		work.searches += radii.radius[t] >= 0;
	if (k >= BB_BITS || work.leaves > tree_leaves * BB_SEQUENTIAL_COST)
	{
		work.leaves = tree_leaves;
		work.searches = 1;
		work.sequential = true;
	}
	return work;
}

/*
 * GiST prices itself by PostgreSQL's generic estimate, which takes a query to
 * read the matches' share of the index's pages.  That is far too low: bounding
 * masks of fingerprints exclude little.  Compared with it, an estimate of what
 * really is read would lose to the slower index wherever both exist.  So what
 * is asked here is not more than what a GiST index on the same column says.
 */
static void
undercut_gist(PlannerInfo *root, IndexPath *path, double loop_count,
			  Cost *startup, Cost *total)
{
	IndexOptInfo *index = path->indexinfo;
	ListCell   *lc;

	foreach(lc, index->rel->indexlist)
	{
		IndexOptInfo *other = lfirst_node(IndexOptInfo, lc);
		IndexPath	as_gist = *path;
		Cost		gist_startup;
		Cost		gist_total;
		Selectivity selectivity;
		double		correlation;
		double		pages;

		if (other->relam != GIST_AM_OID || other->hypothetical ||
			other->indexkeys[0] != index->indexkeys[0] ||
			(other->indexkeys[0] == 0 &&
			 !equal(linitial(other->indexprs), linitial(index->indexprs))) ||
			other->opcintype[0] != index->opcintype[0] ||
			(other->indpred != NIL && !other->predOK))
			continue;
		as_gist.indexinfo = other;
		gistcostestimate(root, &as_gist, loop_count, &gist_startup, &gist_total,
						 &selectivity, &correlation, &pages);
		*startup = Min(*startup, gist_startup * GIST_SHARE);
		*total = Min(*total, gist_total * GIST_SHARE);
	}
}

void
bb_costestimate(PlannerInfo *root, IndexPath *path, double loop_count,
				Cost *startup, Cost *total, Selectivity *selectivity,
				double *correlation, double *pages)
{
	IndexOptInfo *index = path->indexinfo;
	GenericCosts generic;
	double		tree_leaves = Max((double) index->pages - BB_RESERVED_PAGES, 4) /
		BB_BLOCKS;
	int			k = smallest_radius(path);
	double		random_page_cost;
	double		seq_page_cost;
	double		fetched;
	Work		work;
	Cost		read;

	/* the selectivity, and what the conditions' operands cost */
	MemSet(&generic, 0, sizeof(generic));
	genericcostestimate(root, path, loop_count, &generic);

	work = work_within(tree_leaves, k);
	if (path->indexorderbys != NIL)
	{
		/* a nearest search may end before it has read all that is wanted */
		Work		nearest = work_within(tree_leaves,
										  bb_expected_radius(index->tuples,
															 BB_EXPECTED_LIMIT));

		if (nearest.leaves < work.leaves)
			work = nearest;
	}

	/* index pages are fetched again in the loops of a join */
	fetched = work.leaves;
	if (loop_count > 1)
		fetched = index_pages_fetched(fetched * loop_count, index->pages,
									  (double) index->pages, root) / loop_count;
	get_tablespace_page_costs(index->reltablespace, &random_page_cost,
							  &seq_page_cost);
	read = fetched * (work.sequential && loop_count <= 1 ? seq_page_cost :
					  random_page_cost) +
		work.leaves * LEAF_OPERATIONS * cpu_operator_cost +
		work.searches * SEARCH_OPERATIONS * cpu_operator_cost;

	*startup = index_other_operands_eval_cost(root, get_quals_from_indexclauses(path->indexclauses)) +
		index_other_operands_eval_cost(root, path->indexorderbys);
	*total = *startup + read + generic.numIndexTuples * cpu_index_tuple_cost;
	/* a nearest search has read nearly all before it returns the first */
	if (path->indexorderbys != NIL)
		*startup += read;
	undercut_gist(root, path, loop_count, startup, total);

	/*
	 * No index-only scan on a standby, see scan.c.  When no column is needed the
	 * planner does not ask bb_canreturn; then this becomes a usual scan, whose
	 * visits to pages that are all-visible the caller leaves out.
	 */
	if (path->path.pathtype == T_IndexOnlyScan && RecoveryInProgress())
	{
		double		rows = clamp_row_est(generic.indexSelectivity * index->rel->tuples);

		path->path.pathtype = T_IndexScan;
		*total += index_pages_fetched(rows, index->rel->pages, index->pages, root) *
			index->rel->allvisfrac * random_page_cost;
	}
	*selectivity = generic.indexSelectivity;
	*correlation = 0;
	*pages = work.leaves;
}
