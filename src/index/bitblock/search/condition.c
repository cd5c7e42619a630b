/*-------------------------------------------------------------------------
 *
 * condition.c
 *		The conditions of a scan on the fingerprint.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "condition.h"
#include "core/hamming.h"
#include "index/bitblock/store/column_value.h"
#include "index/bitblock/store/page.h"
#include "index/strategy.h"
#include "miscadmin.h"
#include "radii.h"
#include "utils/array.h"

/* The ball of all fingerprints of any width. */
static const BBBall everything = {.radius = MOST_BITS};
const BBCondition bb_everything = {
	.n = 1,.balls = &everything,.centers = everything.center,.largest = MOST_BITS
};

/* Make a condition of one ball.  The caller keeps the ball as long as the condition. */
BBCondition
bb_condition_of_ball(const BBBall *ball)
{
	BBCondition condition = {
		.n = ball->radius > RADIUS_NONE,.balls = ball,.centers = ball->center,
		.largest = ball->radius
	};

	return condition;
}

bool
bb_in_several(BBShape shape, const uint64 *fp, const BBCondition *condition, int n)
{
	uint16		hits[256];

	for (int from = 0; from < n; from += lengthof(hits))
	{
		const uint64 *centers = condition->centers + (Size) from * shape.words;
		int			nhits = hamming_within(centers, Min(n - from, (int) lengthof(hits)), fp,
										   shape.words, condition->largest, hits);

		for (int i = 0; i < nhits; i++)
			if (bb_distance(shape, fp, centers + hits[i] * shape.words) <=
				condition->balls[from + hits[i]].radius)
				return true;
	}
	return false;
}

/*
 * Find those of n fingerprints that are in one of the balls.  Write their numbers to
 * hits, in ascending order, and return how many they are.  n is at most BB_MAX_ENTRIES.
 * The loop goes through the balls or the fingerprints, whichever are fewer, because the
 * kernel compares one of them with many of the others.
 */
int
bb_find_in_balls(BBShape shape, const uint64 *fps, int n, const BBCondition *condition,
				 uint16 *hits)
{
	bool		found[BB_MAX_ENTRIES] = {false};
	int			nhits = 0;

	for (int j = 0; j < condition->n && condition->n < n; j++)
	{
		CHECK_FOR_INTERRUPTS();
		nhits = hamming_within(fps, n, condition->balls[j].center, shape.words,
							   condition->balls[j].radius, hits);
		for (int i = 0; i < nhits; i++)
			found[hits[i]] = true;
	}
	for (int i = 0; i < n && condition->n >= n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found[i] = bb_in_balls(shape, fps + i * shape.words, condition, condition->n);
	}
	nhits = 0;
	for (int i = 0; i < n; i++)
		if (found[i])
			hits[nhits++] = i;
	return nhits;
}

/*
 * Compare balls by their centers, and balls with the same center by their radius, the
 * largest first.
 */
static int
compare_balls(const void *a, const void *b)
{
	const BBBall *x = a;
	const BBBall *y = b;
	int			order;

	CHECK_FOR_INTERRUPTS();
	order = memcmp(x->center, y->center, sizeof(x->center));

	return order != 0 ? order : y->radius - x->radius;
}

/*
 * Make a condition of the elements of an array.  NULL adds no ball, because a comparison
 * with NULL holds for no row.  If several balls have the same center, only the largest is
 * kept.
 */
static BBCondition
condition_of_array(BBShape shape, const ScanKeyData *key)
{
	ArrayType  *array = DatumGetArrayTypeP(key->sk_argument);
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Size		room = Max(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), 1);
	BBBall	   *balls = palloc_extended(room * sizeof(BBBall), MCXT_ALLOC_HUGE);
	uint64	   *centers = palloc_extended(room * shape.words * sizeof(uint64), MCXT_ALLOC_HUGE);
	BBCondition condition = {.balls = balls,.centers = centers,.largest = RADIUS_NONE};
	Datum		query;
	bool		isnull;
	int			n = 0;

	while (array_iterate(iterator, &query, &isnull))
	{
		/* compare_balls reads all words */
		memset(&balls[n], 0, sizeof(BBBall));
		if (!isnull)
			bb_condition_ball(shape, key->sk_strategy, query, &balls[n]);
		if (!isnull && balls[n].radius > RADIUS_NONE)
			n++;
	}
	array_free_iterator(iterator);
	qsort(balls, n, sizeof(BBBall), compare_balls);
	for (int i = 0; i < n; i++)
	{
		if (condition.n > 0 &&
			bb_equal_fps(shape, balls[i].center, balls[condition.n - 1].center))
			continue;
		bb_copy_fp(shape, centers + (Size) condition.n * shape.words, balls[i].center);
		condition.largest = Max(condition.largest, balls[i].radius);
		balls[condition.n++] = balls[i];
	}
	return condition;
}

static BBCondition
read_condition(BBShape shape, const ScanKeyData *key)
{
	BBBall	   *ball;

	if (key->sk_flags & SK_SEARCHARRAY)
		return condition_of_array(shape, key);
	ball = palloc(sizeof(BBBall));
	bb_condition_ball(shape, key->sk_strategy, key->sk_argument, ball);
	return bb_condition_of_ball(ball);
}

/*
 * Estimate the cost of searching for a condition's balls.  Only the comparison with other
 * conditions is meaningful, because the size of the index is not known here.
 */
static double
condition_cost(BBShape shape, const BBCondition *condition)
{
	BBTreeCost	costs[BB_MAX_BLOCKS];
	BBRadii		radii;

	bb_even_costs(shape.blocks, BB_BLOCK_VALUES, costs);
	return condition->n *
		bb_choose_radii(shape.blocks, costs, Min(condition->largest, bb_bits(shape)), &radii);
}

static bool
is_cheaper(BBShape shape, const BBCondition *a, const BBCondition *b)
{
	if (a->n == 1 && b->n == 1)
		return a->largest < b->largest;
	return condition_cost(shape, a) < condition_cost(shape, b);
}

/*
 * Read the conditions on the fingerprint among those of a scan.  The function allocates
 * in the current memory context.
 */
void
bb_read_conditions(BBShape shape, const ScanKeyData *keys, int nkeys,
				   BBConditions *conditions)
{
	conditions->fps = conditions->nulls = true;
	conditions->lossy = false;
	conditions->n = 0;
	conditions->list = nkeys > 0 ? palloc(nkeys * sizeof(BBCondition)) : NULL;
	for (int i = 0; i < nkeys; i++)
	{
		const ScanKeyData *key = &keys[i];
		BBCondition condition;

		if (key->sk_attno <= shape.leading)
			continue;
		if (key->sk_flags & SK_SEARCHNULL)
		{
			conditions->fps = false;
			continue;
		}
		conditions->nulls = false;
		if (key->sk_flags & SK_ISNULL)
		{
			/*
			 * IS NOT NULL, or a comparison with NULL, which holds for no row
			 */
			if (!(key->sk_flags & SK_SEARCHNOTNULL))
				conditions->fps = false;
			continue;
		}
		if (key->sk_strategy == OVERLAP_STRATEGY)
			conditions->lossy = true;
		condition = read_condition(shape, key);
		if (condition.n == 0)
			conditions->fps = false;
		conditions->list[conditions->n++] = condition;
		if (is_cheaper(shape, &condition, &conditions->list[0]))
		{
			conditions->list[conditions->n - 1] = conditions->list[0];
			conditions->list[0] = condition;
		}
	}
}
