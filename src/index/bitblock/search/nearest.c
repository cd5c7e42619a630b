/*-------------------------------------------------------------------------
 *
 * nearest.c
 *		Matches of a bitblock index in the order of distance.
 *
 * README.md, "Nearest neighbours", lists the states of a search.  The search keeps the
 * entries that it has found in buckets, one for each distance.  Once it has found all
 * entries at a distance up to "proven", it returns the buckets of these distances.
 *
 * A condition may ask for a ball around another center than that of the ORDER BY, or for
 * several balls.  The search checks the condition on the entries that it finds.  If it
 * costs little to search for these balls, the passes do so instead of reading a whole
 * tree.
 *
 * With several scopes (tenant = ANY (...)), each pass reads all of them for one range of
 * distances.  So the search needs no more memory than for one scope.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nearest.h"
#include "server/compat.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

/*
 * A search is likely to end within the distance at which this many times as many rows are
 * expected as were returned, or BB_EXPECTED_LIMIT rows at first.  If getting there costs
 * at most the larger share of reading a whole tree, the passes search within distances.
 * Otherwise they would be enough only if more rows than by chance are near the query, and
 * may cost the smaller share.
 */
#define LIKELY_GROWTH			4
#define PROBE_SHARE_LIKELY		0.5
#define PROBE_SHARE_UNLIKELY	0.16

/* Entries this far beyond the likely end are kept for later passes.  Each costs some time. */
#define KEPT_BEYOND				3

/* A pass searches a ball instead of reading a whole tree if that costs at most this share. */
#define BALL_SHARE				0.3

/* The growth of the cost of a pass within a distance from pass to pass */
#define PASS_GROWTH				4

/*
 * A pass over a whole tree should find at least this number of rows, and this many times
 * as many as the search has returned.  Its range becomes narrower while it finds more.
 */
#define LEAST_TARGET			200
#define TARGET_GROWTH			16

/*
 * The largest number of held entries of "size" bytes.  The entries of one leaf may exceed
 * it.  Tests with small pages need many passes over few rows.
 */
#ifndef BB_TEST_CAPACITY
#define MAX_HELD(size)			((int64) work_mem * 1024 / (size))
#else
#define MAX_HELD(size)			((int64) work_mem / 4)
#endif

/*
 * The state of a search.  Each search ends with DONE.  It may skip the other states, and
 * may enter BETWEEN_PASSES, IN_PASS and PAUSED more than once.
 */
typedef enum State
{
	BETWEEN_PASSES,
	IN_PASS,					/* the range is partly read */

	/*
	 * in a pass over a single distance, while the search returns a part of
	 * its entries
	 */
	PAUSED,
	DONE						/* all wanted entries have been found */
} State;

/* The entries at one distance. */
typedef struct Bucket
{
	int64		n;
	int64		allocated;		/* number for which there is room */
	BBMatch    *matches;
} Bucket;

struct BBNearest
{
	Relation	index;
	BBShape		shape;
	Size		match_size;
	Snapshot	snapshot;
	const BBScopes *scopes;
	MemoryContext context;		/* of the search */
	MemoryContext pass_context; /* of one pass */

	/*
	 * the distance from the first center decides the order, and the distances
	 * from the others order ties
	 */
	const BBFingerprint *centers;
	int			ncenters;
	const BBConditions *conditions;
	const BBCondition *pass_balls;	/* what passes read; NULL: all */

	State		state;
	int			proven;			/* all up to this distance has been found */
	int			farthest;		/* no wanted entry is beyond this distance */
	/* estimate: the leaves of a window tree with entries of the scopes */
	double		tree_leaves;

	BBTreeCost	costs[BB_MAX_BLOCKS];	/* in all scopes */
	double		spent;			/* cost of the last pass within a distance, in
								 * leaves */

	/*
	 * IN_PASS, PAUSED: the range is proven < d <= hi.  The pass finds all
	 * entries up to "reach", and some of those beyond it.
	 */
	int			reach;
	int			hi;
	BBRadii		before;			/* of the last pass within a distance */
	BBBall		pass_ball;		/* all within hi or reach */
	BBCondition pass;			/* this ball */

	/*
	 * the current pass narrows its range while a narrower range has this many
	 * rows
	 */
	double		enough;

	/* the entries found */
	BBSweep		sweep;
	int64		held;			/* entries in all buckets */
	int64		max_held;
	Bucket	   *buckets;		/* for each distance from 0 on */

	/* the entries of the nearest bucket with any, if they are sorted; or NULL */
	Tuplesortstate *ties;
	BBMatch    *matches;		/* room for BB_MAX_ENTRIES */

	int64		returned;		/* number of entries returned */

	/* the next entry to return */
	int			bucket;			/* number of its bucket */
	int64		next;			/* its number in the bucket */
};

/* The distance of a match from the first center. */
static inline int
first_distance(const BBNearest *nearest, const BBMatch *match)
{
	return bb_distance(nearest->shape, match->fp, nearest->centers[0].words);
}

/* Note that all entries up to a distance have been found. */
static void
prove(BBNearest *nearest, int distance)
{
	nearest->proven = distance;
	if (distance >= nearest->farthest)
		nearest->state = DONE;
}

/* ----------
 * Buckets
 * ----------
 */

static void
empty_bucket(BBNearest *nearest, int distance)
{
	Bucket	   *bucket = &nearest->buckets[distance];

	nearest->held -= bucket->n;
	bucket->n = 0;
	if (bucket->matches != NULL)
		pfree(bucket->matches);
	bucket->matches = NULL;
	bucket->allocated = 0;
}

/* Add a copy of a match to the bucket of a distance. */
static void
put_match(BBNearest *nearest, int distance, const BBMatch *match)
{
	Bucket	   *bucket = &nearest->buckets[distance];

	if (bucket->n == bucket->allocated)
	{
		int64		allocated = Max(2 * bucket->allocated, 16);

		if (bucket->matches == NULL)
			bucket->matches = MemoryContextAlloc(nearest->context,
												 allocated * nearest->match_size);
		else
			bucket->matches = repalloc_huge(bucket->matches,
											allocated * nearest->match_size);
		bucket->allocated = allocated;
	}
	memcpy(bb_match_at(nearest->shape, bucket->matches, bucket->n++), match,
		   nearest->match_size);
	nearest->held++;
}

static bool
is_full(const BBNearest *nearest)
{
	return nearest->held > nearest->max_held;
}

/* ----------
 * Ties: entries at the same distance from the first center
 * ----------
 */

/*
 * A tie is sorted as a bytea.  It contains the distances of the match from the second
 * center on, two bytes each with the most significant first, and then the match itself.
 * So the order of the bytes is the order of the ties.
 */
static inline Size
size_of_distances(const BBNearest *nearest)
{
	return 2 * (nearest->ncenters - 1);
}

static void
put_tie(BBNearest *nearest, const BBMatch *match)
{
	Size		size = VARHDRSZ + size_of_distances(nearest) + nearest->match_size;
	bytea	   *tie = palloc0(size);
	unsigned char *at = (unsigned char *) VARDATA(tie);

	SET_VARSIZE(tie, size);
	for (int i = 1; i < nearest->ncenters; i++)
	{
		int			distance = bb_distance(nearest->shape, match->fp, nearest->centers[i].words);

		*at++ = (unsigned char) (distance >> 8);
		*at++ = (unsigned char) distance;
	}
	/* leave out the padding after the TID, which may be uninitialised */
	memcpy(at + offsetof(BBMatch, tid), &match->tid, sizeof(match->tid));
	memcpy(at + offsetof(BBMatch, fp), match->fp, nearest->match_size - offsetof(BBMatch, fp));
	tuplesort_putdatum(nearest->ties, PointerGetDatum(tie), false);
	pfree(tie);
}

/*
 * Begin to sort the entries at a distance by the other centers.  The sort uses at most
 * work_mem, and files beyond that.
 */
static void
begin_ties(BBNearest *nearest, int distance)
{
	Bucket	   *bucket = &nearest->buckets[distance];
	MemoryContext old = MemoryContextSwitchTo(nearest->context);

	nearest->ties = tuplesort_begin_datum(BYTEAOID, ByteaLessOperator, InvalidOid,
										  false, work_mem, NULL, false);
	MemoryContextSwitchTo(old);
	for (int64 i = 0; i < bucket->n; i++)
		put_tie(nearest, bb_match_at(nearest->shape, bucket->matches, i));
	empty_bucket(nearest, distance);
}

static void
end_ties(BBNearest *nearest)
{
	if (nearest->ties != NULL)
		tuplesort_end(nearest->ties);
	nearest->ties = NULL;
}

/* Copy the next tie in order to "match".  Ends the sort and returns false at its end. */
static bool
next_tie(BBNearest *nearest, BBMatch *match)
{
	Datum		value;
	bool		isnull;

	if (!tuplesort_getdatum(nearest->ties, true, true, &value, &isnull, NULL))
	{
		end_ties(nearest);
		return false;
	}
	memcpy(match, VARDATA(DatumGetPointer(value)) + size_of_distances(nearest),
		   nearest->match_size);
	pfree(DatumGetPointer(value));
	return true;
}

/* ----------
 * Passes
 * ----------
 */

/*
 * Find the largest distance within which a search costs at most a number of leaves of a
 * window tree; -1 if there is none.
 */
static int
affordable_distance(const BBNearest *nearest, double budget)
{
	BBShape		shape = nearest->shape;
	BBRadii		radii;
	double		cost = 0;
	int			distance = -1;

	for (int t = 0; t < shape.blocks; t++)
		radii.radius[t] = -1;
	for (;;)
	{
		int			t = bb_next_tree(shape.blocks, nearest->costs, &radii);
		const double *leaves;

		if (t < 0)
			return distance;
		leaves = nearest->costs[t].leaves + radii.radius[t] + 1;
		cost += leaves[1] - leaves[0];
		if (cost > budget)
			return distance;
		radii.radius[t]++;
		distance++;
	}
}

/* The cost of a search within a distance, in leaves of a window tree. */
static double
cost_within(const BBNearest *nearest, int distance)
{
	BBRadii		radii;

	return bb_choose_radii(nearest->shape.blocks, nearest->costs, distance, &radii);
}

/*
 * The distance within which the next pass searches, or -1 if the pass should read all of
 * the scopes.  The first pass may read about a leaf of each tree.  Each later pass
 * reaches at least one distance further.  *keep becomes the largest distance of entries to
 * keep for later passes.
 */
static int
probe_distance(BBNearest *nearest, int *keep)
{
	BBShape		shape = nearest->shape;
	double		entries = nearest->tree_leaves * bb_usual_leaf(shape, 0);
	double		scan_cost = nearest->tree_leaves * bb_forest(shape).scan_leaves *
		BB_SEQUENTIAL_COST;
	bool		kept = nearest->hi > nearest->proven;
	int			enough = bb_expected_radius(bb_bits(shape), entries,
											Max(BB_EXPECTED_LIMIT,
												LIKELY_GROWTH * nearest->returned));
	int			distance;

	if (nearest->spent == HUGE_VAL)
		return -1;
	*keep = Min(affordable_distance(nearest, scan_cost), enough + KEPT_BEYOND);
	distance = affordable_distance(nearest, Max(nearest->spent * PASS_GROWTH,
												(double) shape.blocks * nearest->scopes->n));
	distance = Max(distance, nearest->proven + 1);
	if (enough <= (kept ? nearest->hi : *keep) &&
		cost_within(nearest, enough) - (kept ? nearest->spent : 0) <=
		scan_cost * PROBE_SHARE_LIKELY)
		distance = Min(distance, enough);
	else
	{
		int			limit = affordable_distance(nearest, scan_cost * PROBE_SHARE_UNLIKELY);

		if (distance > limit)
			distance = Min(limit, nearest->hi);
	}
	if (distance <= nearest->proven)
		return -1;
	nearest->spent = cost_within(nearest, distance);
	return distance;
}

/* Drop the entries that are kept for later passes.  The next pass then omits no leaves. */
static void
forget_unproven(BBNearest *nearest)
{
	for (int d = nearest->proven + 1; d <= bb_bits(nearest->shape); d++)
		empty_bucket(nearest, d);
	nearest->sweep.before = NULL;
}

/* Begin to read the scopes in a pass. */
static void
begin_sweep(BBNearest *nearest, const BBCondition *wanted, int tree)
{
	bb_sweep_begin(&nearest->sweep, nearest->index, nearest->shape, nearest->snapshot,
				   nearest->scopes, wanted, tree);
}

/* Report the steps of the current pass, if there is one and the caller wants the report. */
void
bb_nearest_report(BBNearest *nearest)
{
	bb_sweep_report(&nearest->sweep);
}

/*
 * Start a pass within a distance, unless reading all of the scopes costs less.  Returns
 * whether it has started.
 *
 * A pass in one scope keeps the entries that it meets beyond its distance, so the next
 * pass reads only the block values beyond the radii of this one.  That is not possible if
 * the limits of the pigeonring have rejected entries, because the limits of the next pass
 * are larger.
 */
static bool
start_pass_within(BBNearest *nearest)
{
	BBReader   *reader = &nearest->sweep.reader;
	int			keep;
	int			distance = probe_distance(nearest, &keep);

	if (distance < 0)
		return false;
	nearest->before = reader->radii;
	nearest->sweep.before = &nearest->before;
	if (distance > nearest->hi)
		forget_unproven(nearest);
	else
		keep = nearest->hi;		/* what is beyond was dropped */
	nearest->reach = nearest->hi = nearest->pass_ball.radius = Min(nearest->farthest, distance);
	begin_sweep(nearest, &nearest->pass, BB_WITHIN);
	if (nearest->scopes->n > 1)
		return true;
	/* if the search reads the whole row tree, a larger range costs nothing */
	if (nearest->sweep.dense > 0)
		return false;
	if (!reader->ring)
		nearest->hi = reader->ball.radius = Min(nearest->farthest, Max(distance, keep));
	return true;
}

/*
 * Start the next pass: choose the range of distances that it covers, and whether it
 * searches for the balls of a condition, within a distance, or reads all of the scopes.
 */
static void
start_pass(BBNearest *nearest)
{
	bb_sweep_report(&nearest->sweep);
	MemoryContextReset(nearest->pass_context);
	nearest->state = IN_PASS;
	nearest->enough = HUGE_VAL;
	if (nearest->pass_balls == NULL && !nearest->scopes->all && start_pass_within(nearest))
		return;

	forget_unproven(nearest);
	nearest->reach = nearest->hi = nearest->pass_ball.radius = nearest->farthest;
	if (nearest->pass_balls != NULL)
		begin_sweep(nearest, nearest->pass_balls, BB_WITHIN);
	else
	{
		nearest->enough = Max(LEAST_TARGET, TARGET_GROWTH * nearest->returned);
		begin_sweep(nearest, &nearest->pass, bb_row_tree(nearest->shape));
	}
}

/*
 * Narrow the range while its entries exceed the limit, or while a narrower range has
 * enough of them.  All held entries are in the range, because a pass begins only after
 * the entries up to "proven" were returned.
 */
static void
lower_hi(BBNearest *nearest)
{
	while (nearest->hi > nearest->proven + 1 &&
		   (is_full(nearest) ||
			nearest->held - nearest->buckets[nearest->hi].n >= nearest->enough))
	{
		empty_bucket(nearest, nearest->hi);
		nearest->hi--;
	}
	nearest->pass_ball.radius = nearest->hi;
	if (nearest->pass_balls == NULL)
		nearest->sweep.reader.ball.radius = nearest->hi;
}

/* Continue the pass until it ends or pauses. */
static void
carry_on_pass(BBNearest *nearest)
{
	int			n;

	nearest->state = IN_PASS;
	while ((n = bb_sweep_next(&nearest->sweep, nearest->matches, NULL)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			const BBMatch *match = bb_match_at(nearest->shape, nearest->matches, i);
			int			distance = first_distance(nearest, match);

			if (distance <= nearest->proven || distance > nearest->hi ||
				!bb_fulfils(nearest->shape, match->fp, nearest->conditions, 0))
				continue;
			if (nearest->ties != NULL)
				put_tie(nearest, match);
			else
				put_match(nearest, distance, match);
		}
		if (is_full(nearest) || nearest->held >= nearest->enough)
			lower_hi(nearest);
		if (!is_full(nearest))
			continue;
		if (nearest->ncenters == 1)
		{
			nearest->state = PAUSED;
			return;
		}
		begin_ties(nearest, nearest->hi);
	}
	if (nearest->ties != NULL)
		tuplesort_performsort(nearest->ties);

	/*
	 * if this pass has read most scopes whole, a pass within a larger
	 * distance would do so too, so search within no distance again
	 */
	if (nearest->sweep.dense > nearest->sweep.npairs / 2)
		nearest->spent = HUGE_VAL;
	nearest->state = BETWEEN_PASSES;
	prove(nearest, Min(nearest->hi, nearest->reach));
}

/* ----------
 * Interface
 * ----------
 */

/*
 * The largest distance from the first center at which an entry can fulfil the conditions,
 * by the triangle inequality; -1 if no entry can.
 */
static int
farthest_distance(BBShape shape, const uint64 *center, const BBConditions *conditions)
{
	int			farthest = bb_bits(shape);

	for (int i = 0; i < conditions->n; i++)
	{
		const BBCondition *condition = &conditions->list[i];
		int			reach = -1;

		for (int j = 0; j < condition->n; j++)
			reach = Max(reach, condition->balls[j].radius +
						bb_distance(shape, center, condition->balls[j].center));
		farthest = Min(farthest, reach);
	}
	return farthest;
}

/* Estimate the leaves of the scopes, and what radii cost in them. */
static void
count_leaves(BBNearest *nearest)
{
	BBShape		shape = nearest->shape;

	if (nearest->scopes->all)
	{
		/* passes read all leaves */
		nearest->tree_leaves = bb_leaves_of_file(shape,
												 RelationGetNumberOfBlocks(nearest->index));
		return;
	}
	for (int i = 0; i < nearest->scopes->n; i++)
	{
		double		leaves = bb_scope_leaves(nearest->index, shape, nearest->scopes->tags[i],
											 nearest->centers[0].words);
		BBTreeCost	costs[BB_MAX_BLOCKS];

		nearest->tree_leaves += leaves;
		bb_even_costs(shape.blocks, leaves, costs);
		for (int t = 0; t < shape.blocks; t++)
			for (int r = 0; r < lengthof(costs[t].leaves); r++)
				nearest->costs[t].leaves[r] += costs[t].leaves[r];
	}
}

/*
 * Choose a condition whose balls the passes should search for, instead of reading all of
 * the scopes.  Returns NULL if there is none.
 */
static const BBCondition *
choose_pass_balls(const BBNearest *nearest)
{
	const BBConditions *conditions = nearest->conditions;
	const BBCondition *cheapest = &conditions->list[0];
	BBShape		shape = nearest->shape;
	double		most = nearest->tree_leaves * bb_forest(shape).scan_leaves *
		BB_SEQUENTIAL_COST * BALL_SHARE;
	double		cost = 0;

	if (nearest->scopes->all || conditions->n == 0 ||
		(cheapest->n == 1 &&
		 bb_equal_fps(shape, cheapest->balls[0].center, nearest->centers[0].words)))
		return NULL;
	for (int i = 0; i < cheapest->n && cost <= most; i++)
	{
		BBRadii		radii;

		cost += bb_choose_radii(shape.blocks, nearest->costs, cheapest->balls[i].radius, &radii);
	}
	return cost <= most ? cheapest : NULL;
}

/*
 * Start a search for the entries of the scopes that fulfil the conditions, in the order
 * of the distance to the first center, then to the second and so on.  There is at least
 * one scope.  The search allocates in the current context, which must be the same at each
 * call.  The caller keeps scopes, centers and conditions.
 */
BBNearest *
bb_nearest_begin(Relation index, BBShape shape, Snapshot snapshot, const BBScopes *scopes,
				 const BBFingerprint *centers, int ncenters,
				 const BBConditions *conditions)
{
	BBNearest  *nearest = palloc0(sizeof(BBNearest));

	nearest->index = index;
	nearest->shape = shape;
	nearest->match_size = bb_match_size(shape);
	nearest->snapshot = snapshot;
	nearest->scopes = scopes;
	nearest->context = CurrentMemoryContext;
	nearest->pass_context = AllocSetContextCreate(CurrentMemoryContext,
												  "bitblock nearest",
												  ALLOCSET_SMALL_SIZES);
	nearest->centers = centers;
	nearest->ncenters = ncenters;
	nearest->conditions = conditions;
	nearest->buckets = palloc0((bb_bits(shape) + 1) * sizeof(Bucket));
	nearest->matches = palloc(BB_MAX_ENTRIES * nearest->match_size);
	nearest->max_held = Max(MAX_HELD(nearest->match_size), 2 * BB_MAX_ENTRIES);
	bb_copy_fp(shape, nearest->pass_ball.center, centers[0].words);
	nearest->pass = bb_condition_of_ball(&nearest->pass_ball);

	nearest->farthest = farthest_distance(shape, centers[0].words, conditions);
	nearest->state = BETWEEN_PASSES;
	nearest->hi = -1;
	prove(nearest, -1);
	if (nearest->state == DONE)
		return nearest;
	count_leaves(nearest);
	nearest->pass_balls = choose_pass_balls(nearest);
	return nearest;
}

/* Copy the next entry of the current bucket to "match".  Returns false at the end of the bucket. */
static bool
take(BBNearest *nearest, BBMatch *match)
{
	Bucket	   *bucket = &nearest->buckets[nearest->bucket];

	if (nearest->ncenters > 1 && bucket->n > 1)
	{
		begin_ties(nearest, nearest->bucket);
		tuplesort_performsort(nearest->ties);
	}
	if (nearest->ties != NULL && next_tie(nearest, match))
		return true;
	if (nearest->next == bucket->n)
		return false;
	memcpy(match, bb_match_at(nearest->shape, bucket->matches, nearest->next++),
		   nearest->match_size);
	return true;
}

/* Return the next nearest of the entries found, or false if the search has to go on first. */
static bool
next_found(BBNearest *nearest, BBMatch *match)
{
	int			complete = nearest->proven;

	/* the entries of a paused pass are at one distance, and need no order */
	if (nearest->state == PAUSED)
		complete = nearest->hi;
	while (nearest->bucket <= complete)
	{
		if (take(nearest, match))
			return true;
		empty_bucket(nearest, nearest->bucket);
		nearest->next = 0;

		/* the rest of the pass will fill the bucket again */
		if (nearest->state == PAUSED && nearest->bucket == nearest->hi)
			break;
		nearest->bucket++;
	}
	return false;
}

/* The next nearest; false at the end. */
bool
bb_nearest_next(BBNearest *nearest, BBMatch *match)
{
	while (!next_found(nearest, match))
	{
		MemoryContext old = MemoryContextSwitchTo(nearest->pass_context);

		CHECK_FOR_INTERRUPTS();
		switch (nearest->state)
		{
			case BETWEEN_PASSES:
				start_pass(nearest);
				break;
			case IN_PASS:
			case PAUSED:
				carry_on_pass(nearest);
				break;
			case DONE:
				MemoryContextSwitchTo(old);
				return false;
		}
		MemoryContextSwitchTo(old);
	}
	nearest->returned++;
	return true;
}

/*
 * The match that bb_nearest_next returns after n others; NULL if it has not been found
 * yet, or if the order of the entries is not known yet.
 */
const BBMatch *
bb_nearest_coming(BBNearest *nearest, int n)
{
	int64		next = nearest->next + n;

	if (nearest->ties != NULL || nearest->ncenters > 1)
		return NULL;
	for (int d = nearest->bucket; d <= nearest->proven; d++)
	{
		const Bucket *bucket = &nearest->buckets[d];

		if (next < bucket->n)
			return bb_match_at(nearest->shape, bucket->matches, next);
		next -= bucket->n;
	}
	return NULL;
}

void
bb_nearest_observe(BBNearest *nearest, BBObserve observe, void *arg)
{
	nearest->sweep.observe = observe;
	nearest->sweep.observe_arg = arg;
}

/* End a search.  The caller calls this before it frees the memory: there may be files. */
void
bb_nearest_end(BBNearest *nearest)
{
	bb_nearest_report(nearest);
	end_ties(nearest);
}
