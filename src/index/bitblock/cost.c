/*-------------------------------------------------------------------------
 *
 * cost.c
 *		The planner's estimate of a scan of a bitblock index.
 *
 * The functions by which a scan chooses its steps (see radii.c) also count the leaves for
 * the estimate.  The estimate assumes that blocks are evenly distributed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "bitblock.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "index/bitblock/search/search_cost.h"
#include "index/bitblock/store/promises.h"
#include "index/strategy.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "planner/kind.h"
#include "server/catalog.h"
#include "server/compat.h"
#include "simhash.h"
#include "utils/array.h"
#include "utils/index_selfuncs.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

/* Radii of conditions that do not bound the distance, or whose bound the planner does not know */
#define RADIUS_UNBOUNDED		MOST_BITS
#define RADIUS_UNKNOWN			(RADIUS_UNBOUNDED + 1)

/* The cost of finding the whole fingerprint of a row, in units of cpu_operator_cost */
#define LOOKUP_OPERATIONS		60.0

/*
 * Cut the estimate of a search to this share of GiST's estimate.  The planner prefers a
 * path that is cheaper by more than 1%.  About half of the cost of a lookup is the cost
 * of the index.  The other half, the rows of the table, is the same for both index
 * methods.
 */
#define GIST_SHARE				0.9

/*
 * The distance to assume if the planner does not know it: the largest that one probe in
 * each tree finds.  It is less than near_distance, because a generic plan must not look
 * more expensive than a custom plan for a small distance.
 */
static int
default_radius(BBShape shape)
{
	return shape.blocks - 1;
}

/* The radius of "column <@ ball".  "bits" is the width of the index's fingerprints. */
static int
radius_of(const Kind *kind, int bits, Node *ball)
{
	Node	   *center;
	Node	   *bound;
	bool		at_least;
	int64		radius;

	if (!split_ball(kind, ball, &center, &bound, &at_least) || !IsA(bound, Const) ||
		((Const *) bound)->constisnull)
		return RADIUS_UNKNOWN;
	radius = DatumGetInt32(((Const *) bound)->constvalue);
	return (int) Max(RADIUS_NONE, Min(at_least ? bits - radius : radius, bits));
}

/* The largest radius of "column <@ ANY (balls)". */
static int
largest_radius_of(const Kind *kind, int bits, Node *balls)
{
	int			largest = RADIUS_NONE;

	if (IsA(balls, Const) && !((Const *) balls)->constisnull)
	{
		ArrayType  *array = DatumGetArrayTypeP(((Const *) balls)->constvalue);
		ArrayIterator iterator = array_create_iterator(array, 0, NULL);
		Datum		ball;
		bool		isnull;

		while (array_iterate(iterator, &ball, &isnull))
			if (!isnull)
				largest = Max(largest, kind_radius(kind, ball));
		array_free_iterator(iterator);
		return largest;
	}
	if (IsA(balls, ArrayExpr) && !((ArrayExpr *) balls)->multidims)
	{
		ListCell   *lc;

		foreach(lc, ((ArrayExpr *) balls)->elements)
			largest = Max(largest, radius_of(kind, bits, lfirst(lc)));
		return largest;
	}
	return IsA(balls, Const) ? RADIUS_NONE : RADIUS_UNKNOWN;
}

/* The operator of a condition; InvalidOid if it has none. */
static Oid
condition_operator(Expr *clause)
{
	if (IsA(clause, OpExpr))
		return ((OpExpr *) clause)->opno;
	if (IsA(clause, ScalarArrayOpExpr))
		return ((ScalarArrayOpExpr *) clause)->opno;
	return InvalidOid;
}

/* The second operand of a condition that has an operator. */
static Node *
condition_operand(Expr *clause)
{
	return lsecond(IsA(clause, ScalarArrayOpExpr) ? ((ScalarArrayOpExpr *) clause)->args :
				   ((OpExpr *) clause)->args);
}

/*
 * The radius that a condition on the fingerprint asks for; RADIUS_UNBOUNDED if it does
 * not ask for one.
 */
static int
condition_radius(const IndexOptInfo *index, BBShape shape, Expr *clause)
{
	int			column = index->nkeycolumns - 1;
	Oid			operator = condition_operator(clause);
	int			strategy;
	int			radius;
	Kind		kind;

	if (IsA(clause, NullTest))
		return ((NullTest *) clause)->nulltesttype == IS_NULL ? RADIUS_NONE : RADIUS_UNBOUNDED;
	if (!OidIsValid(operator))
		return RADIUS_UNBOUNDED;
	strategy = get_op_opfamily_strategy(operator, index->opfamily[column]);
	if (strategy == InvalidStrategy)
		return RADIUS_UNBOUNDED;
	radius = strategy_radius(strategy, bb_bits(shape));
	if (radius != RADIUS_OF_OPERAND)
		return radius;
	if (!find_kind(own_schema(get_opcode(operator)), index->opcintype[column], &kind))
		return RADIUS_UNKNOWN;
	return IsA(clause, ScalarArrayOpExpr) ?
		largest_radius_of(&kind, bb_bits(shape), condition_operand(clause)) :
		radius_of(&kind, bb_bits(shape), condition_operand(clause));
}

/* The conditions of a path on a column, a list of RestrictInfo. */
static List *
column_quals(const IndexPath *path, int column)
{
	List	   *quals = NIL;
	ListCell   *lc;

	foreach(lc, path->indexclauses)
	{
		IndexClause *iclause = lfirst_node(IndexClause, lc);

		if (iclause->indexcol == column)
			quals = list_concat(quals, iclause->indexquals);
	}
	return quals;
}

/*
 * The smallest radius that the conditions ask for; RADIUS_UNBOUNDED if they ask for none.
 * RADIUS_UNKNOWN if a radius is unknown and no known radius is that of "%" or smaller.
 */
static int
smallest_radius(const IndexPath *path, BBShape shape)
{
	int			smallest = RADIUS_UNBOUNDED;
	bool		unknown = false;
	ListCell   *lc;

	foreach(lc, column_quals(path, shape.leading))
	{
		Expr	   *clause = lfirst_node(RestrictInfo, lc)->clause;
		int			radius = condition_radius(path->indexinfo, shape, clause);

		if (radius == RADIUS_UNKNOWN)
			unknown = true;
		else
			smallest = Min(smallest, radius);
	}
	return unknown && smallest > near_distance(bb_bits(shape)) ? RADIUS_UNKNOWN : smallest;
}

/* ----------
 * Conditions on leading columns
 * ----------
 */

/* Does the condition require a leading column to equal a value, or one of several values? */
static bool
is_equality(const IndexOptInfo *index, int column, Expr *clause)
{
	Oid			operator = condition_operator(clause);

	if (IsA(clause, NullTest))
		return ((NullTest *) clause)->nulltesttype == IS_NULL;
	return OidIsValid(operator) &&
		get_op_opfamily_strategy(operator, index->opfamily[column]) == EQUAL_STRATEGY;
}

/*
 * Estimate the share of the index's rows that fulfil the path's conditions on leading
 * columns.  If a column has no condition that is_equality accepts, the scan reads all
 * rows: *reads_all becomes true, and the share is 1.
 */
static double
leading_share(PlannerInfo *root, const IndexPath *path, BBShape shape, bool *reads_all)
{
	const IndexOptInfo *index = path->indexinfo;
	List	   *quals = NIL;

	*reads_all = false;
	for (int column = 0; column < shape.leading; column++)
	{
		int			others = list_length(quals);
		ListCell   *lc;

		foreach(lc, column_quals(path, column))
			if (is_equality(index, column, lfirst_node(RestrictInfo, lc)->clause))
			quals = lappend(quals, lfirst(lc));
		if (list_length(quals) == others)
		{
			*reads_all = true;
			return 1;
		}
	}
	return clauselist_selectivity(root, quals, index->rel->relid, JOIN_INNER, NULL);
}

/* ----------
 * The work of a scan
 * ----------
 */

/* What a scan searches. */
typedef struct Searches
{
	bool		reads_all;		/* does a leading column have no condition? */
	double		share;			/* of the index's rows; see leading_share */
	double		scopes;			/* combinations of values of leading columns */
	double		balls;			/* of a condition on the fingerprint */
} Searches;

/*
 * Count what a path's scan searches.  If a column has several conditions, the scan uses
 * the one with the fewest elements.
 */
static Searches
count_searches(PlannerInfo *root, const IndexPath *path, BBShape shape)
{
	Searches	searches = {.scopes = 1,.balls = 1};

	searches.share = leading_share(root, path, shape, &searches.reads_all);
	for (int column = 0; column <= shape.leading; column++)
	{
		double		least = 0;
		ListCell   *lc;

		foreach(lc, column_quals(path, column))
		{
			Expr	   *clause = lfirst_node(RestrictInfo, lc)->clause;
			double		n = 1;

			/* IS NOT NULL does not restrict the search */
			if (IsA(clause, NullTest) && ((NullTest *) clause)->nulltesttype == IS_NOT_NULL)
				continue;
			if (IsA(clause, ScalarArrayOpExpr))
				n = Max(estimate_array_length(root, condition_operand(clause)), 1);
			least = least > 0 ? Min(least, n) : n;
		}
		if (column < shape.leading)
			searches.scopes *= Max(least, 1);

		/*
		 * a nearest search does not search for each ball, but compares the
		 * rows that it finds with the balls
		 */
		else if (path->indexorderbys == NIL)
			searches.balls = Max(least, 1);
	}
	return searches;
}

/* Return the work of repeating a search. */
static BBWork
repeated(BBWork work, double times)
{
	work.leaves *= times;
	work.searches *= times;
	work.lists *= times;
	work.compares *= times;
	return work;
}

/*
 * The shape of an index.  For a hypothetical index, which some tools let the planner
 * consider, the function assumes 64 bits.
 */
static BBShape
planned_shape(const IndexOptInfo *index)
{
	BBShape		shape = {.blocks = BB_WINDOW_BLOCKS,.words = 1,.leading = index->nkeycolumns - 1};
	Relation	relation;

	if (index->hypothetical)
		return shape;
	relation = index_open(index->indexoid, NoLock);
	shape = bb_shape(relation);
	index_close(relation, NoLock);
	return shape;
}

/* The work of a scan, and the pages of the index that it reads. */
typedef struct ScanWork
{
	BBWork		work;
	double		pages;
	double		runs;			/* of pages that follow each other */
} ScanWork;

/* The work of a scan with conditions of radius k, or of a nearest search. */
static ScanWork
scan_work(const IndexPath *path, BBShape shape, int k, const Searches *searches)
{
	const IndexOptInfo *index = path->indexinfo;
	double		all_leaves = bb_leaves_of_file(shape, index->pages);
	double		tree_leaves = all_leaves * searches->share / searches->scopes;
	BBWork		together = bb_work_together(shape, tree_leaves, searches->balls);
	BBWork		work = bb_work_within(shape, Max(tree_leaves, 1),
									  searches->reads_all ? bb_bits(shape) : k);
	BBWork		each;
	double		scopes = searches->scopes;
	ScanWork	result;

	if (path->indexorderbys != NIL && !searches->reads_all)
	{
		/* a nearest search may end before it has read all wanted rows */
		BBWork		nearest = bb_work_within(shape, Max(tree_leaves, 1),
											 bb_expected_radius(bb_bits(shape),
																index->tuples * searches->share / scopes,
																BB_EXPECTED_LIMIT));

		if (nearest.leaves < work.leaves)
			work = nearest;
	}
	each = repeated(work, searches->balls);
	result.runs = scopes;
	if (path->indexorderbys == NIL && bb_operations(&together) <= bb_operations(&each))
	{
		/* neighbouring scopes have leaves in common */
		if (scopes * together.leaves > all_leaves * bb_forest(shape).scan_leaves)
		{
			scopes = all_leaves * bb_forest(shape).scan_leaves / together.leaves;
			result.runs = 1;
		}
		result.work = repeated(together, scopes);
		result.pages = result.work.leaves;
		return result;
	}
	result.work = repeated(each, scopes);
	result.pages = result.work.leaves;
	if (work.sequential)
		result.pages = work.leaves * scopes;	/* the same for each ball */
	else
		result.runs = scopes * searches->balls;
	return result;
}

/* The cost of a scan's work in one loop, if there are loop_count loops. */
static Cost
work_cost(PlannerInfo *root, const IndexOptInfo *index, const ScanWork *scan, double loop_count)
{
	double		random_page_cost;
	double		seq_page_cost;
	double		fetched = scan->pages;

	/* index pages are fetched again in the loops of a join */
	if (loop_count * scan->runs > 1)
		fetched = index_pages_fetched(fetched * loop_count, index->pages,
									  (double) index->pages, root) / loop_count;
	get_tablespace_page_costs(index->reltablespace, &random_page_cost,
							  &seq_page_cost);
	return fetched * (scan->work.sequential && loop_count * scan->runs <= 1 ? seq_page_cost :
					  random_page_cost) +
		bb_operations(&scan->work) * cpu_operator_cost;
}

/* Does an operator family have the operators of all quals? */
static bool
has_operators(Oid opfamily, List *quals)
{
	ListCell   *lc;

	foreach(lc, quals)
	{
		Oid			operator = condition_operator(lfirst_node(RestrictInfo, lc)->clause);

		if (OidIsValid(operator) && !op_in_opfamily(operator, opfamily))
			return false;
	}
	return true;
}

/* Does an operator family have the path's ORDER BY operators? */
static bool
has_orders(Oid opfamily, const IndexPath *path)
{
	ListCell   *lc;

	foreach(lc, path->indexorderbys)
	{
		if (!OidIsValid(get_op_opfamily_sortfamily(lfirst_node(OpExpr, lc)->opno, opfamily)))
			return false;
	}
	return true;
}

/*
 * Find the key column of another index that has the same column or expression as the
 * given column of the path's index, and whose operator class supports the quals.  Returns
 * -1 if there is none.
 */
static int
serving_column(const IndexOptInfo *other, const IndexPath *path, int column, List *quals)
{
	const IndexOptInfo *index = path->indexinfo;
	Node	   *operand = (Node *) list_nth_node(TargetEntry, index->indextlist, column)->expr;

	for (int i = 0; i < other->nkeycolumns; i++)
		if (match_index_to_operand(operand, i, unconstify(IndexOptInfo *, other)) &&
			has_operators(other->opfamily[i], quals))
			return i;
	return -1;
}

/*
 * List the path's conditions that another index supports.  *serves becomes true if it
 * supports all conditions on the fingerprint, and the ORDER BY.
 */
static List *
served_clauses(const IndexOptInfo *other, const IndexPath *path, BBShape shape, bool *serves)
{
	const IndexOptInfo *index = path->indexinfo;
	int			column = serving_column(other, path, shape.leading,
										column_quals(path, shape.leading));
	List	   *clauses = NIL;
	ListCell   *lc;

	*serves = column >= 0 && other->opcintype[column] == index->opcintype[shape.leading] &&
		has_orders(other->opfamily[column], path);
	foreach(lc, path->indexclauses)
	{
		IndexClause *iclause = lfirst_node(IndexClause, lc);

		if (serving_column(other, path, iclause->indexcol, iclause->indexquals) >= 0)
			clauses = lappend(clauses, iclause);
	}
	return clauses;
}

/*
 * Does the path search for the nearest rows with a leading value that is known only at
 * execution?  That value may have many more rows than the average.
 */
static bool
is_nearest_of_unknown(const IndexPath *path, BBShape shape)
{
	if (path->indexorderbys == NIL)
		return false;
	for (int column = 0; column < shape.leading; column++)
	{
		ListCell   *lc;

		foreach(lc, column_quals(path, column))
		{
			Expr	   *clause = lfirst_node(RestrictInfo, lc)->clause;

			if (OidIsValid(condition_operator(clause)) &&
				!IsA(condition_operand(clause), Const))
				return true;
		}
	}
	return false;
}

/*
 * Keep the estimate below the estimate of each GiST index that has the fingerprint, in
 * any position, for those of the conditions that it serves.  GiST uses PostgreSQL's
 * generic estimate, which assumes that a query reads the matches' share of the index's
 * pages.  That is far too low, because bounding masks of fingerprints exclude little.
 * With a true estimate bitblock would lose to the slower index.
 *
 * No operator class can change PostgreSQL's estimate of a GiST scan.  A GiST index with
 * other columns keeps its advantage if conditions on those columns leave fewer rows,
 * because this function compares only estimates for the conditions on our columns.
 */
static void
undercut_gist(PlannerInfo *root, const IndexPath *path, BBShape shape, double loop_count,
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
		bool		serves;

		if (other->relam != GIST_AM_OID || other->hypothetical ||
			(other->indpred != NIL && !other->predOK))
			continue;
		as_gist.indexclauses = served_clauses(other, path, shape, &serves);
		if (!serves)
			continue;
		as_gist.indexinfo = other;
		gistcostestimate(root, &as_gist, loop_count, &gist_startup, &gist_total,
						 &selectivity, &correlation, &pages);
		*startup = Min(*startup, gist_startup * GIST_SHARE);
		*total = Min(*total, gist_total * GIST_SHARE);
	}
}

/*
 * Does the query run this scan only once, and want all of its rows?  Then it is better to
 * visit the table in the order of its pages.  That costs a microsecond if there are few
 * rows, and saves most of the time if there are many.
 */
static bool
wants_table_order(PlannerInfo *root, const IndexPath *path, double loop_count)
{
	bool		first_rows = root->tuple_fraction > 0 && root->query_pathkeys == NIL &&
		!root->parse->hasAggs && !root->parse->hasWindowFuncs;

	return loop_count <= 1 && path->indexorderbys == NIL && !first_rows;
}

/*
 * Change an index-only scan to a usual index scan if the index must not return values,
 * that is, on a standby or if it has leading columns (see README.md).  bb_canreturn says
 * so, but the planner does not call bb_canreturn if the query needs no column, for
 * example count(*) without conditions.  An estimate should not change its path, but the
 * planner has no other hook.  The caller leaves out the visits to all-visible pages, so
 * the function adds their cost.
 *
 * Without this a scan on a standby could count a row that VACUUM has removed, because the
 * replay of VACUUM does not wait for the scan's pin.  A prohibitive cost is not enough:
 * with enable_seqscan off every other plan has a prohibitive cost too.
 */
static void
avoid_index_only_scan(PlannerInfo *root, IndexPath *path, Selectivity selectivity,
					  Cost *total)
{
	IndexOptInfo *index = path->indexinfo;
	double		rows;
	double		random_page_cost;

	if (path->path.pathtype != T_IndexOnlyScan ||
		(index->nkeycolumns == 1 && !RecoveryInProgress()))
		return;
	if (!BB_STEERS_PLANNER)
	{
		*total += disable_cost;
		return;
	}
	rows = clamp_row_est(selectivity * index->rel->tuples);
	get_tablespace_page_costs(index->reltablespace, &random_page_cost, NULL);
	path->path.pathtype = T_IndexScan;
	*total += index_pages_fetched(rows, index->rel->pages, index->pages, root) *
		index->rel->allvisfrac * random_page_cost;
}

/*
 * Make the planner prefer a bitmap scan, because it does not know the radius.  A plan for
 * any radius must suit large radii too, but it must not cost more than a plan for the
 * usual radii, or the plan cache would make a plan for each execution.  A bitmap scan
 * does both.  If there are at least two rows, a bitmap scan costs slightly less than an
 * index scan, and the planner prefers it unless the index scan starts sooner.  So the
 * startup cost of the index scan becomes its total cost plus the cost of one operator.
 * The startup cost of the bitmap scan is the same total cost plus less than one operator.
 */
static void
prefer_bitmap_scan(const IndexOptInfo *index, Cost *startup, Cost total,
				   Selectivity *selectivity)
{
	*selectivity = Max(*selectivity, Min(2 / Max(index->rel->tuples, 1), 1));
	*startup = total + cpu_operator_cost;
}

/*
 * Return the correlation to report to the planner.  If a leading value is known only at
 * execution, the plan must not read all its rows and sort them.  For a value with fewer
 * rows than the query wants, that costs as much as this scan, but for a value with many
 * more rows it costs hundreds of times as much.  So the estimate claims that the rows are
 * neighbours in the table, which makes this scan cheaper.
 */
static double
claimed_correlation(PlannerInfo *root, const IndexPath *path, BBShape shape, bool reads_all)
{
	return BB_STEERS_PLANNER && !reads_all && root->limit_tuples > 0 &&
		is_nearest_of_unknown(path, shape) ? 1 : 0;
}

/* Can the index search for the elements of a condition's array in a column? */
static bool
is_array_condition(IndexOptInfo *index, int column, RestrictInfo *rinfo)
{
	ScalarArrayOpExpr *clause = (ScalarArrayOpExpr *) rinfo->clause;
	Node	   *array;

	if (!IsA(clause, ScalarArrayOpExpr) || !clause->useOr || rinfo->pseudoconstant ||
		!op_in_opfamily(clause->opno, index->opfamily[column]) ||
		!match_index_to_operand(linitial(clause->args), column, index))
		return false;
	array = condition_operand((Expr *) clause);
	return (!OidIsValid(index->indexcollations[column]) ||
			index->indexcollations[column] == clause->inputcollid) &&
		!contain_var_clause(array) && !contain_volatile_functions(array) &&
		restriction_is_securely_promotable(rinfo, index->rel);
}

/*
 * Add conditions with arrays to the conditions of an ordered path.  Before PostgreSQL 17
 * the planner omits arrays on all columns but the first from an ordered scan, because a
 * btree would lose the order.  A bitblock index keeps the order, and without the array it
 * would read all rows.  The planner has no other hook.
 */
static void
add_arrays(IndexPath *path, BBShape shape)
{
	IndexOptInfo *index = path->indexinfo;
	List	   *clauses = NIL;
	ListCell   *next = list_head(path->indexclauses);

	if (!BB_STEERS_PLANNER || path->indexorderbys == NIL)
		return;
	for (int column = 0; column <= shape.leading; column++)
	{
		List	   *of_column = NIL;
		ListCell   *lc;

		for (; next != NULL && lfirst_node(IndexClause, next)->indexcol == column;
			 next = lnext(path->indexclauses, next))
		{
			clauses = lappend(clauses, lfirst(next));
			of_column = lappend(of_column, lfirst_node(IndexClause, next)->rinfo);
		}
		if (column == 0)
			continue;
		foreach(lc, index->indrestrictinfo)
		{
			IndexClause *clause;

			if (list_member_ptr(of_column, lfirst(lc)) ||
				!is_array_condition(index, column, lfirst_node(RestrictInfo, lc)))
				continue;
			clause = makeNode(IndexClause);
			clause->rinfo = lfirst_node(RestrictInfo, lc);
			clause->indexquals = list_make1(clause->rinfo);
			clause->indexcol = column;
			clauses = lappend(clauses, clause);
		}
	}
	path->indexclauses = clauses;
}

void
bb_costestimate(PlannerInfo *root, IndexPath *path, double loop_count,
				Cost *startup, Cost *total, Selectivity *selectivity,
				double *correlation, double *pages)
{
	IndexOptInfo *index = path->indexinfo;
	GenericCosts generic;
	BBShape		shape = planned_shape(index);
	int			radius = smallest_radius(path, shape);
	Searches	searches;
	ScanWork	scan;
	Cost		read;

	add_arrays(path, shape);
	searches = count_searches(root, path, shape);

	/* the selectivity, and the cost of the conditions' operands */
	MemSet(&generic, 0, sizeof(generic));
	genericcostestimate(root, path, loop_count, &generic);

	/* an empty array needs no scan */
	generic.num_sa_scans = Max(generic.num_sa_scans, 1);
	if (searches.reads_all)
	{
		/* only conditions on the fingerprint keep the scan from visiting rows */
		generic.indexSelectivity = clauselist_selectivity(root, column_quals(path, shape.leading),
														  index->rel->relid, JOIN_INNER, NULL);
		generic.numIndexTuples = clamp_row_est(generic.indexSelectivity * index->rel->tuples /
											   generic.num_sa_scans);
	}
	scan = scan_work(path, shape, radius == RADIUS_UNKNOWN ? default_radius(shape) : radius,
					 &searches);

	/* a scan that reads all tags costs more than a dense scan for all rows */
	scan.work.sequential = scan.work.sequential && !searches.reads_all;
	read = work_cost(root, index, &scan, loop_count);
	if (bb_is_wide(shape) && !scan.work.sequential)
		read += generic.numIndexTuples * LOOKUP_OPERATIONS * cpu_operator_cost;

	*startup = index_other_operands_eval_cost(root, get_quals_from_indexclauses(path->indexclauses)) +
		index_other_operands_eval_cost(root, path->indexorderbys);
	*total = *startup + read +
		generic.numIndexTuples * generic.num_sa_scans * cpu_index_tuple_cost;

	/*
	 * a nearest search has read nearly all pages before it returns the first
	 * row
	 */
	if (path->indexorderbys != NIL)
		*startup += read;
	if (BB_STEERS_PLANNER && !searches.reads_all)
		undercut_gist(root, path, shape, loop_count, startup, total);
	avoid_index_only_scan(root, path, generic.indexSelectivity, total);
	*selectivity = generic.indexSelectivity;

	*correlation = claimed_correlation(root, path, shape, searches.reads_all);
	if (BB_STEERS_PLANNER && radius == RADIUS_UNKNOWN && wants_table_order(root, path, loop_count))
		prefer_bitmap_scan(index, startup, *total, selectivity);
	*pages = scan.pages;
}
