/*-------------------------------------------------------------------------
 *
 * selectivity.c
 *		How many rows are within a distance, or at least at a distance: estimators
 *		for the operators <@, && and %, and for the functions simhash_within,
 *		simhash_at_least and those of bit.
 *
 * Theory of operation
 *
 * Fingerprints of unrelated documents differ like random bits: a share of
 * sum(C(n, i), i = 0..k) / 2^n of all pairs of n bits is within k by chance.
 * Every estimate is at least that share.  Documents of a table are more similar
 * than random ones.  The statistics that ANALYZE keeps of the column show that:
 *
 * - the most common values: the estimator compares each with the query;
 * - the histogram's bounds, which are a sample of the other values.  A single
 *	 match among the bounds does not count, because it may be the queried row;
 * - one row of equal value, if the column's values are nearly unique.
 *
 * The query of a join is each row of the other column.  So the estimator
 * takes the most common values and histogram bounds of that column in place
 * of the query, and averages.
 *
 * A query may be unknown (a parameter of a generic plan, a subquery).  The
 * estimator then assumes any of the column's distinct values, as PostgreSQL
 * does for "=", because a mean over rows would be the mean of the largest
 * group of near-duplicates.  Such a group may consist of distinct values,
 * too, so the mean is the geometric one: the estimate is as many times too
 * low for some queries as it is too high for others.
 *
 * An average is over at most MAX_SAMPLE values of each kind.  The kernel that
 * compares a leaf's fingerprints compares each of them with all values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "core/pigeonhole.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "selectivity.h"
#include "server/catalog.h"
#include "simhash.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

PG_FUNCTION_INFO_V1(hamming_sel);
PG_FUNCTION_INFO_V1(hamming_joinsel);

/* The largest number of values of each kind of statistics in an average */
#define MAX_SAMPLE		100

/* The length of bit strings if neither types, values nor statistics tell it */
#define USUAL_BITS		256

/* The wanted distances: at most the bound, or at least the bound */
typedef struct Search
{
	int32		bound;
	bool		at_least;
	double		by_chance;		/* share of pairs of random fingerprints at
								 * these distances */
} Search;

/* A column's statistics */
typedef struct ColumnSample
{
	const Kind *kind;
	double		nullfrac;
	double		ndistinct;
	AttStatsSlot mcv;			/* most common values and their shares */
	AttStatsSlot histogram;		/* bounds: a sample of the other values */
	double		mcvfrac;		/* sum of the shares of mcv */
	uint16	   *hits;			/* room for the result of find_within */
} ColumnSample;

/*
 * A search for fingerprints of "bits" bits.  If bound is NULL, the bound is unknown, and the
 * search is for near-duplicates of the query or, if at_least, of its complement.
 */
static Search
make_search(int32 bits, const Const *bound, bool at_least)
{
	Search		search;
	int32		radius;			/* of the ball around the query, or around its
								 * complement if at_least */

	if (bound != NULL)
		search.bound = DatumGetInt32(bound->constvalue);
	else
		search.bound = at_least ? bits - near_distance(bits) : near_distance(bits);

	/* larger bounds give the same rows; clamped bounds cannot overflow below */
	search.bound = at_least ? Max(0, Min(search.bound, bits + 1)) :
		Max(RADIUS_NONE, Min(search.bound, bits));
	search.at_least = at_least;

	radius = at_least ? bits - search.bound : search.bound;
	if (bits > MOST_SHARE_BITS)
	{
		radius = (int32) ((int64) radius * MOST_SHARE_BITS / bits);
		bits = MOST_SHARE_BITS;
	}
	search.by_chance = pigeonhole_share(bits, radius);
	return search;
}

/* The number of bits of a node's values by its constant or type; 0 if unknown */
static int32
bits_of_node(const Kind *kind, Node *node)
{
	int32		typmod;

	while (IsA(node, RelabelType) && exprTypmod(node) < 0)
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, Const) && !((Const *) node)->constisnull &&
		((Const *) node)->consttype == kind->type)
		return kind->traits->count_bits(((Const *) node)->constvalue);
	typmod = exprTypmod(node);
	if (getBaseTypeAndTypmod(exprType(node), &typmod) != kind->type)
		typmod = -1;
	return kind->traits->bits_of_typmod(typmod);
}

/* ----------
 * Statistics of a column
 * ----------
 */

/* Load a column's statistics.  The caller frees them with free_sample. */
static void
load_sample(VariableStatData *vardata, const Kind *kind, Oid function,
			ColumnSample *sample)
{
	bool		isdefault;

	memset(sample, 0, sizeof(*sample));
	sample->kind = kind;
	sample->ndistinct = get_variable_numdistinct(vardata, &isdefault);

	/* if the column is not analyzed, its fingerprints are nearly unique */
	if (isdefault && vardata->rel != NULL && vardata->rel->tuples > 0)
		sample->ndistinct = vardata->rel->tuples;
	if (!HeapTupleIsValid(vardata->statsTuple))
		return;
	sample->nullfrac =
		((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac;
	if (getBaseType(vardata->vartype) != kind->type ||
		!statistic_proc_security_check(vardata, function))
		return;

	if (get_attstatsslot(&sample->mcv, vardata->statsTuple,
						 STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < sample->mcv.nnumbers; i++)
			sample->mcvfrac += sample->mcv.numbers[i];
	}
	get_attstatsslot(&sample->histogram, vardata->statsTuple,
					 STATISTIC_KIND_HISTOGRAM, InvalidOid,
					 ATTSTATSSLOT_VALUES);
	sample->mcv.nvalues = Min(Min(sample->mcv.nvalues, sample->mcv.nnumbers),
							  MAX_COMPARED);
	sample->histogram.nvalues = Min(sample->histogram.nvalues, MAX_COMPARED);
	sample->hits = palloc(Max(Max(sample->mcv.nvalues, sample->histogram.nvalues), 1) *
						  sizeof(uint16));
}

/* The number of bits of a column's values by its statistics; 0 if unknown */
static int32
bits_of_sample(const ColumnSample *sample)
{
	const AttStatsSlot *slot = sample->mcv.nvalues > 0 ? &sample->mcv : &sample->histogram;

	return slot->nvalues > 0 ? sample->kind->traits->count_bits(slot->values[0]) : 0;
}

/*
 * The number of bits of the fingerprints a and b.  sample and other are statistics of their
 * columns, or NULL.
 */
static int32
bits_of_pair(const Kind *kind, Node *a, Node *b, const ColumnSample *sample,
			 const ColumnSample *other)
{
	int32		bits = bits_of_node(kind, a);

	if (bits == 0)
		bits = bits_of_node(kind, b);
	if (bits == 0 && sample != NULL)
		bits = bits_of_sample(sample);
	if (bits == 0 && other != NULL)
		bits = bits_of_sample(other);
	return bits == 0 ? USUAL_BITS : bits;
}

static void
free_sample(ColumnSample *sample)
{
	free_attstatsslot(&sample->mcv);
	free_attstatsslot(&sample->histogram);
	if (sample->hits != NULL)
		pfree(sample->hits);
}

/* The share of rows that neither are null nor have a most common value */
static double
rest_fraction(const ColumnSample *sample)
{
	return Max(0.0, 1.0 - sample->nullfrac - sample->mcvfrac);
}

/*
 * Count the values of a slot of the statistics whose distance from q is a wanted one.
 * If share is not NULL, *share becomes the sum of these values' shares.
 */
static int
count_matches(const ColumnSample *sample, const AttStatsSlot *slot, Datum q,
			  const Search *search, double *share)
{
	int			n = slot->nvalues;
	int			hits = 0;
	double		hits_share = 0;
	double		all_share = 0;

	if (n > 0)
		hits = sample->kind->traits->find_within(slot->values, n, q,
												 search->bound - search->at_least,
												 sample->hits);
	if (share != NULL)
	{
		for (int i = 0; i < hits; i++)
			hits_share += slot->numbers[sample->hits[i]];
		for (int i = 0; i < n; i++)
			all_share += slot->numbers[i];
		*share = search->at_least ? Max(all_share - hits_share, 0) : hits_share;
	}
	return search->at_least ? n - hits : hits;
}

/*
 * The share of the column's rows at these distances from q.  "self" is the number of
 * matches in the histogram that are q's own row.
 */
static double
fraction_within(const ColumnSample *sample, Datum q, const Search *search, int self)
{
	double		common;
	double		other = search->by_chance;
	int			hits;

	count_matches(sample, &sample->mcv, q, search, &common);
	hits = count_matches(sample, &sample->histogram, q, search, NULL);
	if (search->at_least)
		self = 0;
	if (hits > self)
		other = Max(other, (double) (hits - self) / sample->histogram.nvalues);

	return Min(common, sample->mcvfrac) + other * rest_fraction(sample);
}

/* Does a search for a fingerprint find the fingerprint itself? */
static bool
finds_itself(const Search *search)
{
	return !search->at_least && search->bound >= 0;
}

/* The share of the rows with one distinct value; 0 if the search does not find them */
static double
equal_fraction(const ColumnSample *sample, const Search *search)
{
	if (!finds_itself(search) || sample->ndistinct < 1)
		return 0;
	return (1.0 - sample->nullfrac) / sample->ndistinct;
}

/* A step through n values that visits at most MAX_SAMPLE of them */
static int
sample_step(int n)
{
	return Max((n + MAX_SAMPLE - 1) / MAX_SAMPLE, 1);
}

/*
 * The average of fraction_within(inner, q) over the rows of outer, q: the
 * share of all pairs of rows that are at these distances.
 */
static double
average_within(const ColumnSample *outer, const ColumnSample *inner,
			   const Search *search, bool same_column)
{
	double		sum = 0;
	double		others = 0;
	int			step;
	int			seen = 0;

	step = sample_step(outer->mcv.nvalues);
	for (int i = 0; i < outer->mcv.nvalues; i += step)
	{
		double		rows = 0;	/* share of the values that this value
								 * represents */

		for (int j = i; j < Min(i + step, outer->mcv.nvalues); j++)
			rows += outer->mcv.numbers[j];
		sum += rows * fraction_within(inner, outer->mcv.values[i], search, 0);
	}

	step = sample_step(outer->histogram.nvalues);
	for (int i = 0; i < outer->histogram.nvalues; i += step, seen++)
		others += fraction_within(inner, outer->histogram.values[i], search,
								  same_column ? 1 : 0);
	if (seen > 0)
		sum += rest_fraction(outer) * others / seen;
	else
		sum += rest_fraction(outer) * search->by_chance * (1.0 - inner->nullfrac);

	if (finds_itself(search))
		sum = Max(sum, (1.0 - outer->nullfrac) * (1.0 - inner->nullfrac) /
				  Max(1.0, Max(outer->ndistinct, inner->ndistinct)));
	return sum;
}

/*
 * The share of the column's rows at these distances from an unknown value: the geometric
 * mean over the column's distinct values.
 */
static double
typical_within(const ColumnSample *sample, const Search *search)
{
	double		least = Max(equal_fraction(sample, search),
							search->by_chance * (1.0 - sample->nullfrac));
	double		rare = Max(sample->ndistinct - sample->mcv.nvalues, 0);
	double		logs = 0;
	double		values = 0;
	double		rare_logs = 0;
	int			step;
	int			seen = 0;

	if (least <= 0)
		return 0;
	step = sample_step(sample->mcv.nvalues);
	for (int i = 0; i < sample->mcv.nvalues; i += step)
	{
		double		fraction = fraction_within(sample, sample->mcv.values[i],
											   search, 0);
		int			n = Min(step, sample->mcv.nvalues - i);

		logs += n * log(Max(fraction, least));
		values += n;
	}

	step = sample_step(sample->histogram.nvalues);
	for (int i = 0; i < sample->histogram.nvalues; i += step, seen++)
		rare_logs += log(Max(fraction_within(sample, sample->histogram.values[i],
											 search, 1),
							 least));
	if (seen > 0)
	{
		logs += rare * rare_logs / seen;
		values += rare;
	}
	return values > 0 ? exp(logs / values) : least;
}

/* ----------
 * Clauses
 * ----------
 */

/* Selectivity of a restriction of a column.  The other argument may be a constant. */
static double
restriction_selectivity(PlannerInfo *root, const Kind *kind, Oid function,
						Node *a, Node *b, const Const *bound, bool at_least,
						int varRelid)
{
	Search		search;
	VariableStatData vardata;
	ColumnSample sample;
	Node	   *other;
	bool		varonleft;
	double		selec;

	if (!get_restriction_variable(root, list_make2(a, b), varRelid,
								  &vardata, &other, &varonleft))
	{
		search = make_search(bits_of_pair(kind, a, b, NULL, NULL), bound, at_least);
		return search.by_chance;
	}

	if (IsA(other, Const) && ((Const *) other)->constisnull)
	{
		ReleaseVariableStats(vardata);
		return 0.0;
	}

	load_sample(&vardata, kind, function, &sample);
	search = make_search(bits_of_pair(kind, a, b, &sample, NULL), bound, at_least);
	if (IsA(other, Const))
	{
		selec = fraction_within(&sample, ((Const *) other)->constvalue, &search, 1);
		if (sample.mcv.nvalues == 0)
			selec = Max(selec, equal_fraction(&sample, &search));
	}
	else
		selec = typical_within(&sample, &search);
	free_sample(&sample);
	ReleaseVariableStats(vardata);
	return selec;
}

static double
join_selectivity(PlannerInfo *root, const Kind *kind, Oid function, Node *a,
				 Node *b, const Const *bound, bool at_least, SpecialJoinInfo *sjinfo)
{
	Search		search;
	VariableStatData vardata1;
	VariableStatData vardata2;
	ColumnSample sample1;
	ColumnSample sample2;
	bool		reversed;
	bool		same_column;
	double		selec;

	get_join_variables(root, list_make2(a, b), sjinfo,
					   &vardata1, &vardata2, &reversed);
	load_sample(&vardata1, kind, function, &sample1);
	load_sample(&vardata2, kind, function, &sample2);

	same_column = vardata1.statsTuple != NULL && vardata2.statsTuple != NULL &&
		((Form_pg_statistic) GETSTRUCT(vardata1.statsTuple))->starelid ==
		((Form_pg_statistic) GETSTRUCT(vardata2.statsTuple))->starelid &&
		((Form_pg_statistic) GETSTRUCT(vardata1.statsTuple))->staattnum ==
		((Form_pg_statistic) GETSTRUCT(vardata2.statsTuple))->staattnum;
	search = make_search(bits_of_pair(kind, a, b, &sample1, &sample2), bound, at_least);
	selec = average_within(&sample1, &sample2, &search, same_column);

	/* semijoin and antijoin ask for the share of outer rows with any match */
	if (sjinfo->jointype == JOIN_SEMI || sjinfo->jointype == JOIN_ANTI)
	{
		RelOptInfo *inner = reversed ? vardata1.rel : vardata2.rel;

		if (inner != NULL)
			selec *= Max(1.0, inner->rows);
	}

	free_sample(&sample1);
	free_sample(&sample2);
	ReleaseVariableStats(vardata1);
	ReleaseVariableStats(vardata2);
	return selec;
}

/*
 * Selectivity of "distance of a and b is at most bound" or, if at_least, "at least bound".
 * a, b and bound may be expressions.  bound is NULL if the caller does not know it.  sjinfo
 * is NULL for a restriction.  The estimate applies function to the column's statistics;
 * PostgreSQL checks whether the user may see them.
 */
Selectivity
distance_selectivity(PlannerInfo *root, const Kind *kind, Oid function, Node *a,
					 Node *b, Node *bound, bool at_least, int varRelid,
					 SpecialJoinInfo *sjinfo)
{
	const Const *known = NULL;
	double		selec;

	if (bound != NULL)
		bound = estimate_expression_value(root, bound);
	if (bound != NULL && IsA(bound, Const))
	{
		known = (Const *) bound;
		if (known->constisnull)
			return 0.0;
	}

	if (sjinfo != NULL)
		selec = join_selectivity(root, kind, function, a, b, known, at_least, sjinfo);
	else
		selec = restriction_selectivity(root, kind, function, a, b, known, at_least,
										varRelid);
	CLAMP_PROBABILITY(selec);
	return selec;
}

/* ----------
 * Estimators of the operators % and <@, @>, &&
 * ----------
 */

/*
 * Take a ball apart; see split_ball.  If that is impossible, *bound becomes NULL, and *center
 * the ball itself as an unknown expression.
 */
static void
split_estimated(PlannerInfo *root, const Kind *kind, Node *ball, Node **center,
				Node **bound, bool *at_least)
{
	Node	   *value = estimate_expression_value(root, ball);

	if (split_ball(kind, IsA(value, Const) ? value : ball, center, bound, at_least))
		return;
	*center = ball;
	*bound = NULL;
	*at_least = false;
}

/*
 * The smaller of two radii.  An operand that is NULL or that the planner does not know is
 * ignored if the planner knows the other one.
 */
static Node *
smaller_radius(PlannerInfo *root, Node *a, Node *b)
{
	a = a ? estimate_expression_value(root, a) : NULL;
	b = b ? estimate_expression_value(root, b) : NULL;
	if (a == NULL || !IsA(a, Const))
		return b;
	if (b == NULL || !IsA(b, Const) || ((Const *) a)->constisnull)
		return a;
	if (((Const *) b)->constisnull)
		return b;
	return DatumGetInt32(((Const *) a)->constvalue) <
		DatumGetInt32(((Const *) b)->constvalue) ? a : b;
}

/*
 * The schema is the estimator's and not the operator's.  Every user who may
 * create operators can name this estimator for an operator, and a type
 * simhash_ball in the user's schema need not be ours.
 */
static Datum
operator_selectivity(FunctionCallInfo fcinfo, SpecialJoinInfo *sjinfo)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			function = get_opcode(PG_GETARG_OID(1));
	List	   *args = (List *) PG_GETARG_POINTER(2);
	Node	   *bound = NULL;
	Node	   *other_bound = NULL;
	bool		at_least = false;
	bool		other_at_least = false;
	Node	   *a;
	Node	   *b;
	Kind		kind;
	Kind		other_kind;

	if (list_length(args) != 2)
		PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);
	a = linitial(args);
	b = lsecond(args);
	if (!find_kind(own_schema(fcinfo->flinfo->fn_oid), exprType(a), &kind) ||
		!find_kind(kind.schema, exprType(b), &other_kind) ||
		kind.traits != other_kind.traits)
		PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);

	if (exprType(a) == kind.ball)
		split_estimated(root, &kind, a, &a, &bound, &at_least);
	if (exprType(b) == kind.ball)
		split_estimated(root, &kind, b, &b, &other_bound, &other_at_least);
	at_least |= other_at_least;
	if (bound == NULL || other_bound == NULL || !at_least)
		bound = smaller_radius(root, bound, other_bound);
	else
	{
		/* two balls, one of them by at_least: no estimate */
		bound = NULL;
		at_least = false;
	}
	PG_RETURN_FLOAT8(distance_selectivity(root, &kind, function, a, b, bound, at_least,
										  sjinfo ? 0 : PG_GETARG_INT32(3),
										  sjinfo));
}

Datum
hamming_sel(PG_FUNCTION_ARGS)
{
	return operator_selectivity(fcinfo, NULL);
}

Datum
hamming_joinsel(PG_FUNCTION_ARGS)
{
	return operator_selectivity(fcinfo, (SpecialJoinInfo *) PG_GETARG_POINTER(4));
}
