/*-------------------------------------------------------------------------
 *
 * selectivity.c
 *		How many rows are within a distance, or at least at a distance: estimators
 *		for the operators <@, && and %, and for the functions simhash_within,
 *		simhash_at_least and those of bit.
 *
 * Theory of operation
 *
 * Fingerprints of unrelated documents differ like random bits: of all pairs of n bits, a
 * share of sum(C(n, i), i = 0..k) / 2^n is within k by chance.  Every estimate is at least
 * that share.  Documents of a table are more similar than random ones.  The statistics
 * that ANALYZE keeps of the column show that:
 *
 * - the most common values: the estimator compares each with the query;
 * - the histogram's bounds, which are a sample of the other values.  A single
 *	 match among the bounds does not count, because it may be the queried row;
 * - one row of equal value, if the column's values are nearly unique.
 *
 * The query of a join is each row of the other column.  So the estimator takes the most
 * common values and histogram bounds of that column in place of the query, and averages.
 *
 * A query may be unknown (a parameter of a generic plan, a subquery).  The estimator then
 * assumes any of the column's distinct values, as PostgreSQL does for "=", because a mean
 * over rows would be the mean of the largest group of near-duplicates.  Such a group may
 * consist of distinct values, too, so the mean is the geometric one: the estimate is as
 * many times too low for some queries as it is too high for others.
 *
 * An average is over at most MAX_SAMPLE values of each kind, and compares each with the
 * common values and with as many bounds as MAX_COMPARED_WORDS allows.  The kernel that
 * compares a leaf's fingerprints compares them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "core/hamming.h"
#include "core/pigeonhole.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "selectivity.h"
#include "server/catalog.h"
#include "type/bit_value.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(hamming_sel);
PG_FUNCTION_INFO_V1(hamming_joinsel);

/* The largest number of values of each kind of statistics in an average */
#define MAX_SAMPLE		100

/* The largest number of words of a histogram with which each of them is compared */
#define MAX_COMPARED_WORDS	2000

/* The kernel compares at most this number of values, which exceeds the statistics targets. */
#define MAX_COMPARED	65536

/* The length of bit strings if neither types, values nor statistics tell it */
#define USUAL_BITS		256

/* The wanted distances: at most the bound, or at least the bound. */
typedef struct WantedPairs
{
	int32		bound;
	bool		at_least;
	/* share of pairs of random fingerprints at these distances */
	double		by_chance;
	int32		bits;
	int			words;			/* of a fingerprint */
} WantedPairs;

/* Fingerprints of a column's statistics, of the search's number of bits. */
typedef struct Values
{
	int			total;			/* number of values, also of another length */
	int			n;				/* number of fingerprints */
	uint64	   *fps;			/* "words" words of each */
	float4	   *shares;			/* of the column's rows; NULL for a histogram */
} Values;

/* A column's statistics, without values if the user may not see them. */
typedef struct ColumnSample
{
	const Kind *kind;
	double		nullfrac;
	double		ndistinct;
	AttStatsSlot mcv;			/* most common values and their shares */
	AttStatsSlot histogram;		/* bounds: a sample of the other values */
	double		mcvfrac;		/* sum of the shares of mcv */
	Values		common;			/* of mcv */
	Values		others;			/* of histogram */
	uint16	   *hits;			/* room for the matches among either */
} ColumnSample;

/*
 * A search for fingerprints of "bits" bits.  If the bound is unknown, the search is for
 * near-duplicates of the query or, if at_least, of its complement.
 */
static WantedPairs
make_search(const Question *question, int32 bits)
{
	const Const *bound = (const Const *) question->bound;
	bool		at_least = question->at_least;
	WantedPairs search;

	/* of the ball around the query, or around its complement if at_least */
	int32		radius;

	if (bound != NULL)
		search.bound = DatumGetInt32(bound->constvalue);
	else
		search.bound = at_least ? bits - near_distance(bits) : near_distance(bits);

	/* larger bounds give the same rows; clamped bounds cannot overflow below */
	search.bound = at_least ? Max(0, Min(search.bound, bits + 1)) :
		Max(RADIUS_NONE, Min(search.bound, bits));
	search.at_least = at_least;
	search.bits = bits;
	search.words = words_of_bits(bits);

	radius = at_least ? bits - search.bound : search.bound;
	if (bits > MOST_SHARE_BITS)
	{
		radius = (int32) ((int64) radius * MOST_SHARE_BITS / bits);
		bits = MOST_SHARE_BITS;
	}
	search.by_chance = pigeonhole_share(bits, radius);
	return search;
}

/* The number of bits of a node's values by its constant or type; 0 if unknown. */
static int32
bits_of_node(const Kind *kind, Node *node)
{
	int32		typmod;

	while (IsA(node, RelabelType) && exprTypmod(node) < 0)
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, Const) && !((Const *) node)->constisnull &&
		((Const *) node)->consttype == kind->type)
		return kind_bits_of_value(kind, ((Const *) node)->constvalue);
	typmod = exprTypmod(node);
	if (getBaseTypeAndTypmod(exprType(node), &typmod) != kind->type)
		typmod = -1;
	return kind_bits_of_type(kind, typmod);
}

/* The number of bits of the fingerprints that are compared; 0 if unknown. */
static int32
bits_of_question(const Question *question)
{
	int32		bits = bits_of_node(question->kind, question->a);

	return bits == 0 ? bits_of_node(question->kind, question->b) : bits;
}

/* ----------
 * Statistics of a column
 * ----------
 */

/* Set *sample to what is known of a column.  The sample refers to vardata. */
static void
load_sample(const Question *question, VariableStatData *vardata, ColumnSample *sample)
{
	const Kind *kind = question->kind;
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
		!statistic_proc_security_check(vardata, question->function))
		return;
	if (get_attstatsslot(&sample->mcv, vardata->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < sample->mcv.nnumbers; i++)
			sample->mcvfrac += sample->mcv.numbers[i];
	}
	get_attstatsslot(&sample->histogram, vardata->statsTuple, STATISTIC_KIND_HISTOGRAM,
					 InvalidOid, ATTSTATSSLOT_VALUES);
	sample->mcv.nvalues = Min(sample->mcv.nvalues, sample->mcv.nnumbers);
}

/* Return a step for a loop over n values that visits at most "most" of them. */
static int
sample_step(int n, int most)
{
	return Max((n + most - 1) / most, 1);
}

/*
 * Read at most "most" values of a slot, evenly distributed, as fingerprints of the
 * search.  The search can be for more bits than any value has, so memory is allocated for
 * the values that have its number of bits.
 */
static void
read_slot(const Kind *kind, const AttStatsSlot *slot, const WantedPairs *search,
		  int most, Values *values)
{
	int			step = sample_step(slot->nvalues, most);
	int			n = 0;

	for (int i = 0; i < slot->nvalues; i += step)
		n += kind_bits_of_value(kind, slot->values[i]) == search->bits;
	values->total = (slot->nvalues + step - 1) / step;
	if (n == 0)
		return;
	values->fps = palloc((Size) n * search->words * sizeof(uint64));
	values->shares = slot->numbers != NULL ? palloc(n * sizeof(float4)) : NULL;
	for (int i = 0; i < slot->nvalues; i += step)
	{
		if (kind_bits_of_value(kind, slot->values[i]) != search->bits)
			continue;
		kind_read_words(kind, slot->values[i], values->fps + (Size) values->n * search->words);
		if (values->shares != NULL)
			values->shares[values->n] = slot->numbers[i];
		values->n++;
	}
}

/*
 * Read the loaded values of a sample.  An average compares some of the histogram, but all
 * common values, because each of them matches itself.
 */
static void
read_values(ColumnSample *sample, const WantedPairs *search, bool is_average)
{
	int			most = is_average ? MAX_COMPARED_WORDS / search->words + 1 : MAX_COMPARED;

	read_slot(sample->kind, &sample->mcv, search, MAX_COMPARED, &sample->common);
	read_slot(sample->kind, &sample->histogram, search, most, &sample->others);
	sample->hits = palloc(Max(Max(sample->common.n, sample->others.n), 1) * sizeof(uint16));
}

/* The number of bits of a column's values by its statistics; 0 if unknown. */
static int32
bits_of_sample(const ColumnSample *sample)
{
	const AttStatsSlot *slot = sample->mcv.nvalues > 0 ? &sample->mcv : &sample->histogram;

	return slot->nvalues > 0 ? kind_bits_of_value(sample->kind, slot->values[0]) : 0;
}

/*
 * The number of bits of the fingerprints of a clause: "bits", or if that is 0, by
 * statistics.  Each sample may be NULL.
 */
static int32
bits_by_samples(int32 bits, const ColumnSample *sample, const ColumnSample *other)
{
	if (bits == 0 && sample != NULL)
		bits = bits_of_sample(sample);
	if (bits == 0 && other != NULL)
		bits = bits_of_sample(other);
	return bits == 0 ? USUAL_BITS : bits;
}

/* The share of rows that neither are null nor have a most common value. */
static double
rest_fraction(const ColumnSample *sample)
{
	return Max(0.0, 1.0 - sample->nullfrac - sample->mcvfrac);
}

/*
 * Count the fingerprints whose distance from q is a wanted one.  If share is not NULL,
 * *share becomes the sum of their shares.
 */
static int
count_matches(const ColumnSample *sample, const Values *values, const uint64 *q,
			  const WantedPairs *search, double *share)
{
	int			hits = hamming_within(values->fps, values->n, q, search->words,
									  search->bound - search->at_least, sample->hits);
	double		hits_share = 0;
	double		all_share = 0;

	if (share != NULL)
	{
		for (int i = 0; i < hits; i++)
			hits_share += values->shares[sample->hits[i]];
		if (search->at_least)
			for (int i = 0; i < values->n; i++)
				all_share += values->shares[i];
		*share = search->at_least ? Max(all_share - hits_share, 0) : hits_share;
	}
	return search->at_least ? values->n - hits : hits;
}

/*
 * The share of the column's rows at these distances from q.  "self" is the number of
 * matches in the histogram that are q's own row.
 */
static double
fraction_within(const ColumnSample *sample, const uint64 *q, const WantedPairs *search, int self)
{
	double		common = 0;
	double		other = search->by_chance;
	int			hits;

	if (sample->common.n > 0)
		count_matches(sample, &sample->common, q, search, &common);
	hits = sample->others.n > 0 ? count_matches(sample, &sample->others, q, search, NULL) : 0;
	if (search->at_least)
		self = 0;
	if (hits > self)
		other = Max(other, (double) (hits - self) / sample->others.total);

	return Min(common, sample->mcvfrac) + other * rest_fraction(sample);
}

/* Does a search for a fingerprint find the fingerprint itself? */
static bool
finds_itself(const WantedPairs *search)
{
	return !search->at_least && search->bound >= 0;
}

/* The share of the rows with one distinct value; 0 if the search does not find them. */
static double
equal_fraction(const ColumnSample *sample, const WantedPairs *search)
{
	if (!finds_itself(search) || sample->ndistinct < 1)
		return 0;
	return (1.0 - sample->nullfrac) / sample->ndistinct;
}

/* A fingerprint of the statistics. */
static const uint64 *
value_of(const Values *values, const WantedPairs *search, int i)
{
	return values->fps + (Size) i * search->words;
}

/*
 * The average of fraction_within(inner, q) over the rows of outer, q: the share of all
 * pairs of rows that are at these distances.
 */
static double
average_within(const ColumnSample *outer, const ColumnSample *inner,
			   const WantedPairs *search, bool same_column)
{
	double		sum = 0;
	double		others = 0;
	int			step;
	int			seen = 0;

	step = sample_step(outer->common.n, MAX_SAMPLE);
	for (int i = 0; i < outer->common.n; i += step)
	{
		/* share of the values that this value represents */
		double		rows = 0;

		for (int j = i; j < Min(i + step, outer->common.n); j++)
			rows += outer->common.shares[j];
		sum += rows * fraction_within(inner, value_of(&outer->common, search, i), search, 0);
	}

	step = sample_step(outer->others.n, MAX_SAMPLE);
	for (int i = 0; i < outer->others.n; i += step, seen++)
		others += fraction_within(inner, value_of(&outer->others, search, i), search,
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
typical_within(const ColumnSample *sample, const WantedPairs *search)
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
	step = sample_step(sample->common.n, MAX_SAMPLE);
	for (int i = 0; i < sample->common.n; i += step)
	{
		double		fraction = fraction_within(sample, value_of(&sample->common, search, i),
											   search, 0);
		int			n = Min(step, sample->common.n - i);

		logs += n * log(Max(fraction, least));
		values += n;
	}

	step = sample_step(sample->others.n, MAX_SAMPLE);
	for (int i = 0; i < sample->others.n; i += step, seen++)
		rare_logs += log(Max(fraction_within(sample, value_of(&sample->others, search, i),
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

/*
 * The share of a column's rows at the distances from a constant fingerprint.  It is 0 if
 * the column's values have other numbers of bits.
 */
static double
constant_selectivity(ColumnSample *sample, Datum q, const WantedPairs *search)
{
	uint64	   *words = NULL;
	double		selec;

	read_values(sample, search, false);
	if (kind_bits_of_value(sample->kind, q) != search->bits)
		return 0;
	if (sample->common.n + sample->others.n > 0)
	{
		words = palloc(search->words * sizeof(uint64));
		kind_read_words(sample->kind, q, words);
	}
	else if (sample->common.total + sample->others.total > 0)
		return 0;
	selec = fraction_within(sample, words, search, 1);
	if (sample->mcv.nvalues == 0)
		selec = Max(selec, equal_fraction(sample, search));
	return selec;
}

/* Selectivity of a restriction of a column.  The other argument may be a constant. */
static double
restriction_selectivity(const Question *question)
{
	int32		bits = bits_of_question(question);
	WantedPairs search;
	VariableStatData vardata;
	ColumnSample sample;
	Node	   *other;
	bool		varonleft;
	double		selec;

	if (!get_restriction_variable(question->root, list_make2(question->a, question->b),
								  question->varRelid, &vardata, &other, &varonleft))
	{
		search = make_search(question, bits_by_samples(bits, NULL, NULL));
		return search.by_chance;
	}

	load_sample(question, &vardata, &sample);
	search = make_search(question, bits_by_samples(bits, &sample, NULL));
	if (!IsA(other, Const))
	{
		read_values(&sample, &search, true);
		selec = typical_within(&sample, &search);
	}
	else
		selec = ((Const *) other)->constisnull ? 0.0 :
			constant_selectivity(&sample, ((Const *) other)->constvalue, &search);
	ReleaseVariableStats(vardata);
	return selec;
}

/* Are the statistics those of one column? */
static bool
is_same_column(const VariableStatData *a, const VariableStatData *b)
{
	Form_pg_statistic stats_a;
	Form_pg_statistic stats_b;

	if (a->statsTuple == NULL || b->statsTuple == NULL)
		return false;
	stats_a = (Form_pg_statistic) GETSTRUCT(a->statsTuple);
	stats_b = (Form_pg_statistic) GETSTRUCT(b->statsTuple);
	return stats_a->starelid == stats_b->starelid && stats_a->staattnum == stats_b->staattnum;
}

static double
join_selectivity(const Question *question)
{
	JoinType	jointype = question->sjinfo->jointype;
	WantedPairs search;
	VariableStatData vardata1;
	VariableStatData vardata2;
	ColumnSample sample1;
	ColumnSample sample2;
	bool		reversed;
	double		selec;

	get_join_variables(question->root, list_make2(question->a, question->b), question->sjinfo,
					   &vardata1, &vardata2, &reversed);
	load_sample(question, &vardata1, &sample1);
	load_sample(question, &vardata2, &sample2);
	search = make_search(question,
						 bits_by_samples(bits_of_question(question), &sample1, &sample2));
	read_values(&sample1, &search, true);
	read_values(&sample2, &search, true);
	selec = average_within(&sample1, &sample2, &search, is_same_column(&vardata1, &vardata2));

	/* semijoin and antijoin ask for the share of outer rows with any match */
	if (jointype == JOIN_SEMI || jointype == JOIN_ANTI)
	{
		RelOptInfo *inner = reversed ? vardata1.rel : vardata2.rel;

		if (inner != NULL)
			selec *= Max(1.0, inner->rows);
	}

	ReleaseVariableStats(vardata1);
	ReleaseVariableStats(vardata2);
	return selec;
}

/* The share of rows, or of pairs of rows for a join, at the distances of the question. */
Selectivity
distance_selectivity(Question *question)
{
	MemoryContext context;
	MemoryContext old;
	double		selec;

	if (question->bound != NULL)
		question->bound = estimate_expression_value(question->root, question->bound);
	if (question->bound != NULL && !IsA(question->bound, Const))
		question->bound = NULL;
	if (question->bound != NULL && ((Const *) question->bound)->constisnull)
		return 0.0;

	/* a plan with many paths asks often */
	context = AllocSetContextCreate(CurrentMemoryContext, "simhash selectivity",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	selec = question->sjinfo != NULL ? join_selectivity(question) :
		restriction_selectivity(question);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	CLAMP_PROBABILITY(selec);
	return selec;
}

/* ----------
 * Estimators of the operators % and <@, @>, &&
 * ----------
 */

/*
 * If *value is a ball, replace it by its center, and set *bound and *at_least; see
 * split_ball.  If that is impossible, *value remains, as an unknown expression.
 */
static void
split_estimated(const Question *question, Node **value, Node **bound, bool *at_least)
{
	Node	   *estimated;

	*bound = NULL;
	*at_least = false;
	if (exprType(*value) != question->kind->ball)
		return;
	estimated = estimate_expression_value(question->root, *value);
	split_ball(question->kind, IsA(estimated, Const) ? estimated : *value, value, bound, at_least);
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
 * The schema is the estimator's and not the operator's.  Every user who may create
 * operators can name this estimator for an operator, and a type simhash_ball in the
 * user's schema need not be ours.
 */
static Datum
operator_selectivity(FunctionCallInfo fcinfo, SpecialJoinInfo *sjinfo)
{
	List	   *args = (List *) PG_GETARG_POINTER(2);
	Question	question;
	Kind		kind;
	Kind		other_kind;
	Node	   *other_bound;
	bool		other_at_least;

	if (list_length(args) != 2)
		PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);
	question.root = (PlannerInfo *) PG_GETARG_POINTER(0);
	question.kind = &kind;
	question.function = get_opcode(PG_GETARG_OID(1));
	question.a = linitial(args);
	question.b = lsecond(args);
	question.varRelid = sjinfo ? 0 : PG_GETARG_INT32(3);
	question.sjinfo = sjinfo;
	if (!find_kind(own_schema(fcinfo->flinfo->fn_oid), exprType(question.a), &kind) ||
		!find_kind(kind.schema, exprType(question.b), &other_kind) ||
		kind.traits != other_kind.traits)
		PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);

	split_estimated(&question, &question.a, &question.bound, &question.at_least);
	split_estimated(&question, &question.b, &other_bound, &other_at_least);
	question.at_least |= other_at_least;
	if (question.bound == NULL || other_bound == NULL || !question.at_least)
		question.bound = smaller_radius(question.root, question.bound, other_bound);
	else
	{
		/* two balls, one of them by at_least: no estimate */
		question.bound = NULL;
		question.at_least = false;
	}
	PG_RETURN_FLOAT8(distance_selectivity(&question));
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
