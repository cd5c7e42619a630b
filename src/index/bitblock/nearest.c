/*-------------------------------------------------------------------------
 *
 * nearest.c
 *		Matches of a bitblock index in the order of distance.
 *
 * The search keeps the entries that it has found in buckets, one for each
 * distance.  The search has found all entries at a distance up to "proven".
 * It returns these buckets, and then goes on.
 *
 * The search first probes.  It raises the radius of one tree by one, the
 * cheapest, and so proves one distance more (see probes.c).  When raising a
 * radius has become dearer than reading all leaves of a tree, the search
 * reads all leaves in passes.
 *
 * A pass takes only entries within a window of distances, proven < d <= hi,
 * and proves hi.  A later pass takes the next window.  If a pass finds more
 * entries than work_mem has room for, it lowers hi.  If the entries of a
 * single distance are too many, the next step depends on their order:
 *
 *	- Entries of equal distance need no order.  The pass pauses while the
 *	  search returns the entries found so far, and then goes on.
 *
 *	- With several ORDER BY distances the others order entries of equal first
 *	  distance.  Those entries go to a tuplesort, which keeps to work_mem.  The
 *	  search returns them when the pass is over.
 *
 * So a search can return any number of rows in limited memory.
 *
 * A condition may ask for a ball around another center than the order's.  The
 * search checks such a condition on the entries that it finds.  If looking
 * the ball up costs little, the passes read the ball in place of a whole
 * tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nearest.h"
#include "server/compat.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

/*
 * Radii are raised until that has cost this share of a pass: the larger one if
 * it is likely to find enough by then, the smaller one if there would have to be
 * more near the query than by chance.
 */
#define PROBE_SHARE_LIKELY		0.8
#define PROBE_SHARE_UNLIKELY	0.2

/* A ball is read in place of a tree if it costs at most this share of it */
#define BALL_SHARE				0.3

/* The rows that the first pass is to find, and the growth from pass to pass */
#define FIRST_TARGET			200
#define TARGET_GROWTH			16

/*
 * The entries that are held at most, unless more come from a leaf.  Tests with small
 * pages want many passes over few rows.
 */
#ifndef BB_TEST_CAPACITY
#define MAX_HELD				((int64) work_mem * 1024 / sizeof(BBEntry))
#else
#define MAX_HELD				((int64) work_mem / 4)
#endif

/*
 * What a search is doing.  The states come in this order; a search may leave out
 * any but the last.
 */
typedef enum State
{
	PROBING,					/* raising radii */
	BETWEEN_PASSES,
	IN_PASS,					/* the window is partly read */
	PAUSED,						/* a pass over a single distance, part of
								 * whose entries are being returned */
	DONE						/* all that is wanted has been found */
} State;

typedef struct Bucket
{
	int64		n;
	int64		allocated;
	BBEntry    *entries;
} Bucket;

struct BBNearest
{
	Relation	index;
	Snapshot	snapshot;
	MemoryContext context;		/* of it all */
	MemoryContext pass_context; /* of one pass or step */
	const BBFingerprint *centers;	/* the first orders, the others break ties */
	int			ncenters;
	const BBBall *balls;
	int			nballs;
	const BBBall *driver;		/* ball that passes read, NULL for all */

	State		state;
	int			proven;			/* all up to this distance has been found */
	int			farthest;		/* nothing wanted is beyond this distance */
	double		tree_leaves;

	/* PROBING */
	int			probe_limit;	/* what is beyond is left to the passes; never
								 * raised, as entries beyond are dropped */
	BBTreeCost	costs[BB_BLOCKS];
	BBRadii		radii;			/* of the steps read so far */
	double		spent;			/* in leaves */

	/* IN_PASS, PAUSED */
	int			hi;				/* the window is proven < d <= hi */
	double		target;			/* rows that the next pass is to find */

	/* what has been found */
	BBReader	reader;
	int64		held;			/* entries in all buckets */
	int64		max_held;
	Bucket		buckets[BB_BITS + 1];
	Tuplesortstate *ties;		/* entries at distance proven + 1 during a
								 * pass, at proven after it; or NULL */
	BBEntry		matches[BB_LEAF_CAPACITY];

	/* what is being returned */
	int			bucket;			/* all before have been returned */
	int64		next;			/* next entry of the bucket */
};

/* Is an entry within all of the balls? */
static inline bool
is_wanted(const BBNearest *nearest, const BBEntry *entry)
{
	return bb_in_balls(entry->fp, nearest->balls, nearest->nballs);
}

/* Its distance to the center by which it is ordered first */
static inline int
first_distance(const BBNearest *nearest, const BBEntry *entry)
{
	return bb_distance(entry->fp, nearest->centers[0]);
}

/* All up to that distance has been found. */
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
	if (bucket->entries != NULL)
		pfree(bucket->entries);
	bucket->entries = NULL;
	bucket->allocated = 0;
}

static void
put(BBNearest *nearest, int distance, const BBEntry *entry)
{
	Bucket	   *bucket = &nearest->buckets[distance];

	if (bucket->n == bucket->allocated)
	{
		int64		allocated = Max(2 * bucket->allocated, 16);

		if (bucket->entries == NULL)
			bucket->entries = MemoryContextAlloc(nearest->context,
												 allocated * sizeof(BBEntry));
		else
			bucket->entries = repalloc_huge(bucket->entries,
											allocated * sizeof(BBEntry));
		bucket->allocated = allocated;
	}
	bucket->entries[bucket->n++] = *entry;
	nearest->held++;
}

static bool
is_full(const BBNearest *nearest)
{
	return nearest->held > nearest->max_held;
}

/* ----------
 * Ties: entries at the same distance from the first center, ordered by the others
 * ----------
 */

/*
 * An entry as a string of bytes, which compare as the entries are to be ordered:
 * its distances, two bytes each, from the second on; then the entry itself.
 */
#define TIE_SIZE(nearest) \
	(VARHDRSZ + 2 * ((nearest)->ncenters - 1) + sizeof(BBEntry))

static void
put_tie(BBNearest *nearest, const BBEntry *entry)
{
	bytea	   *tie = palloc0(TIE_SIZE(nearest));
	unsigned char *at = (unsigned char *) VARDATA(tie);

	SET_VARSIZE(tie, TIE_SIZE(nearest));
	for (int i = 1; i < nearest->ncenters; i++)
	{
		int			distance = bb_distance(entry->fp, nearest->centers[i]);

		*at++ = (unsigned char) (distance >> 8);
		*at++ = (unsigned char) distance;
	}
	memcpy(at, entry, sizeof(BBEntry));
	tuplesort_putdatum(nearest->ties, PointerGetDatum(tie), false);
	pfree(tie);
}

static bool
next_tie(BBNearest *nearest, BBEntry *entry)
{
	Datum		value;
	bool		isnull;

	if (!tuplesort_getdatum(nearest->ties, true, true, &value, &isnull, NULL))
		return false;
	memcpy(entry, VARDATA(DatumGetPointer(value)) + 2 * (nearest->ncenters - 1),
		   sizeof(BBEntry));
	pfree(DatumGetPointer(value));
	return true;
}

static void
end_ties(BBNearest *nearest)
{
	if (nearest->ties != NULL)
		tuplesort_end(nearest->ties);
	nearest->ties = NULL;
}

/* The entries of the pass, which is over a single distance, are to be sorted. */
static void
begin_ties(BBNearest *nearest)
{
	Bucket	   *bucket = &nearest->buckets[nearest->hi];
	MemoryContext old = MemoryContextSwitchTo(nearest->context);

	nearest->ties = tuplesort_begin_datum(BYTEAOID, ByteaLessOperator, InvalidOid,
										  false, work_mem, NULL, false);
	MemoryContextSwitchTo(old);
	for (int64 i = 0; i < bucket->n; i++)
		put_tie(nearest, &bucket->entries[i]);
	empty_bucket(nearest, nearest->hi);
}

static int
compare_ties(const void *a, const void *b, void *arg)
{
	const BBNearest *nearest = arg;

	CHECK_FOR_INTERRUPTS();
	for (int i = 1; i < nearest->ncenters; i++)
	{
		int			x = bb_distance(((const BBEntry *) a)->fp, nearest->centers[i]);
		int			y = bb_distance(((const BBEntry *) b)->fp, nearest->centers[i]);

		if (x != y)
			return x - y;
	}
	return 0;
}

/* ----------
 * Raising radii
 * ----------
 */

/* The step from radii to the next that costs least: its tree, and its cost */
static int
next_step(BBNearest *nearest, const BBRadii *radii, double *cost)
{
	int			t = bb_next_tree(nearest->costs, radii);

	*cost = 0;
	if (t >= 0)
	{
		const double *leaves = nearest->costs[t].leaves;
		int			r = radii->radius[t] + 1;

		/* a leaf that holds values of two distances is read for both */
		*cost = leaves[r + 1];
	}
	return t;
}

/* How far probing goes for a share of a pass, by the costs known now */
static int
limit_for_share(BBNearest *nearest, double share)
{
	BBRadii		radii = nearest->radii;
	double		spent = nearest->spent;
	int			limit = nearest->proven;

	while (limit < nearest->farthest)
	{
		double		cost;
		int			t = next_step(nearest, &radii, &cost);

		if (t < 0 ||
			spent + cost > nearest->tree_leaves * BB_SEQUENTIAL_COST * share)
			break;
		spent += cost;
		radii.radius[t]++;
		limit++;
	}
	return limit;
}

static int
find_probe_limit(BBNearest *nearest)
{
	int			wanted = bb_expected_radius(nearest->tree_leaves * BB_USUAL_LEAF,
											BB_EXPECTED_LIMIT);
	int			limit = limit_for_share(nearest, PROBE_SHARE_LIKELY);

	if (limit < Min(wanted + 1, nearest->farthest))
		limit = limit_for_share(nearest, PROBE_SHARE_UNLIKELY);
	return limit;
}

/* Leave the rest to passes; what is not proven will be found again. */
static void
end_probing(BBNearest *nearest)
{
	nearest->state = BETWEEN_PASSES;
	for (int d = nearest->proven + 1; d <= BB_BITS; d++)
		empty_bucket(nearest, d);
	MemoryContextReset(nearest->pass_context);
}

/* Prove one distance more, or end probing */
static void
probe(BBNearest *nearest)
{
	double		cost;
	double		leaves;
	int			t;
	int			r;
	int			n;

	MemoryContextReset(nearest->pass_context);
	if (nearest->proven >= nearest->probe_limit)
	{
		end_probing(nearest);
		return;
	}
	t = next_step(nearest, &nearest->radii, &cost);
	r = nearest->radii.radius[t] + 1;
	nearest->reader.ball.radius = nearest->probe_limit;
	if (!bb_reader_add_shell(&nearest->reader, t, r, cost, &leaves))
	{
		bb_raise_cost(&nearest->costs[t], r, leaves - cost);
		nearest->probe_limit = Min(nearest->probe_limit, find_probe_limit(nearest));
		return;
	}
	nearest->spent += leaves;
	while ((n = bb_reader_next(&nearest->reader, nearest->matches, NULL)) > 0)
	{
		for (int i = 0; i < n; i++)
			if (is_wanted(nearest, &nearest->matches[i]))
				put(nearest, first_distance(nearest, &nearest->matches[i]),
					&nearest->matches[i]);
		if (is_full(nearest))
		{
			end_probing(nearest);
			return;
		}
	}
	nearest->radii.radius[t] = r;
	prove(nearest, nearest->proven + 1);
}

/* ----------
 * Passes
 * ----------
 */

static void
start_pass(BBNearest *nearest)
{
	BBBall		ball;

	MemoryContextReset(nearest->pass_context);
	nearest->state = IN_PASS;
	nearest->hi = nearest->farthest;
	if (nearest->driver != NULL)
	{
		bb_reader_init(&nearest->reader, nearest->index, nearest->snapshot,
					   *nearest->driver);
		bb_reader_set_within(&nearest->reader);
	}
	else
	{
		double		entries = nearest->tree_leaves * BB_USUAL_LEAF;
		int			expected = bb_expected_radius(entries, nearest->target);

		nearest->hi = Min(nearest->hi, Max(nearest->proven + 1, expected));
		nearest->target *= TARGET_GROWTH;
		ball.center = nearest->centers[0];
		ball.radius = nearest->hi;
		bb_reader_init(&nearest->reader, nearest->index, nearest->snapshot, ball);
		bb_reader_set_all(&nearest->reader, 0);
	}
}

/* Narrow the window while there is no room for all that is in it. */
static void
lower_hi(BBNearest *nearest)
{
	while (is_full(nearest) && nearest->hi > nearest->proven + 1)
	{
		empty_bucket(nearest, nearest->hi);
		nearest->hi--;
	}
	if (nearest->driver == NULL)
		nearest->reader.ball.radius = nearest->hi;
}

/*
 * Carry the pass on, to its end or to where it has to pause.
 */
static void
carry_on_pass(BBNearest *nearest)
{
	int			n;

	nearest->state = IN_PASS;
	while ((n = bb_reader_next(&nearest->reader, nearest->matches, NULL)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			BBEntry    *entry = &nearest->matches[i];
			int			distance = first_distance(nearest, entry);

			if (distance <= nearest->proven || distance > nearest->hi ||
				!is_wanted(nearest, entry))
				continue;
			if (nearest->ties != NULL)
				put_tie(nearest, entry);
			else
				put(nearest, distance, entry);
		}
		if (!is_full(nearest))
			continue;
		lower_hi(nearest);
		if (!is_full(nearest))
			continue;
		if (nearest->ncenters == 1)
		{
			nearest->state = PAUSED;
			return;
		}
		begin_ties(nearest);
	}
	if (nearest->ties != NULL)
		tuplesort_performsort(nearest->ties);
	nearest->state = BETWEEN_PASSES;
	prove(nearest, nearest->hi);
}

/* ----------
 * Interface
 * ----------
 */

/*
 * Start a search for the entries that are in all of the balls, in the order
 * of the distance to the first center, then to the second and so on.  The
 * first ball must be the smallest.  The search allocates in the current
 * context, which must be the same at each call.  The caller keeps centers and
 * balls.
 */
BBNearest *
bb_nearest_begin(Relation index, Snapshot snapshot, const BBFingerprint *centers,
				 int ncenters, const BBBall *balls, int nballs)
{
	BBNearest  *nearest = palloc0(sizeof(BBNearest));
	BBBall		ball;

	nearest->index = index;
	nearest->snapshot = snapshot;
	nearest->context = CurrentMemoryContext;
	nearest->pass_context = AllocSetContextCreate(CurrentMemoryContext,
												  "bitblock nearest",
												  ALLOCSET_SMALL_SIZES);
	nearest->centers = centers;
	nearest->ncenters = ncenters;
	nearest->balls = balls;
	nearest->nballs = nballs;
	nearest->max_held = Max(MAX_HELD, 2 * BB_LEAF_CAPACITY);
	nearest->target = FIRST_TARGET;

	/* by the triangle inequality */
	nearest->farthest = BB_BITS;
	for (int i = 0; i < nballs; i++)
		nearest->farthest = Min(nearest->farthest,
								balls[i].radius < 0 ? -1 :
								balls[i].radius +
								bb_distance(centers[0], balls[i].center));
	nearest->state = BETWEEN_PASSES;
	prove(nearest, -1);
	if (nearest->state == DONE)
		return nearest;

	nearest->tree_leaves = bb_tree_leaves(index, 0, bb_block(centers[0], 0));
	bb_even_costs(nearest->tree_leaves, nearest->costs);
	if (nballs > 0 && bb_compare_fps(balls[0].center, centers[0]) != 0 &&
		bb_choose_radii(nearest->costs, balls[0].radius, &nearest->radii) <=
		nearest->tree_leaves * BB_SEQUENTIAL_COST * BALL_SHARE)
	{
		nearest->driver = &balls[0];
		return nearest;
	}

	nearest->state = PROBING;
	for (int t = 0; t < BB_BLOCKS; t++)
		nearest->radii.radius[t] = -1;
	nearest->probe_limit = find_probe_limit(nearest);
	ball.center = centers[0];
	ball.radius = nearest->probe_limit;
	bb_reader_init(&nearest->reader, index, snapshot, ball);
	return nearest;
}

/* Take the next entry of the bucket that is being returned. */
static bool
take(BBNearest *nearest, BBEntry *match)
{
	Bucket	   *bucket = &nearest->buckets[nearest->bucket];

	if (nearest->ties != NULL && nearest->bucket == nearest->proven)
	{
		if (next_tie(nearest, match))
			return true;
		end_ties(nearest);
	}
	if (nearest->next == 0 && bucket->n > 1 && nearest->ncenters > 1)
		qsort_arg(bucket->entries, bucket->n, sizeof(BBEntry), compare_ties, nearest);
	if (nearest->next == bucket->n)
		return false;
	*match = bucket->entries[nearest->next++];
	return true;
}

/* The next nearest of what has been found; false if the search has to go on. */
static bool
next_found(BBNearest *nearest, BBEntry *match)
{
	int			complete = nearest->proven;

	/* what a paused pass has found of its only distance needs no order */
	if (nearest->state == PAUSED)
		complete = nearest->hi;
	while (nearest->bucket <= complete)
	{
		if (take(nearest, match))
			return true;
		empty_bucket(nearest, nearest->bucket);
		nearest->next = 0;

		/* the rest of the pass will fill it again */
		if (nearest->state == PAUSED && nearest->bucket == nearest->hi)
			break;
		nearest->bucket++;
	}
	return false;
}

/* The next nearest; false at the end */
bool
bb_nearest_next(BBNearest *nearest, BBEntry *match)
{
	while (!next_found(nearest, match))
	{
		MemoryContext old = MemoryContextSwitchTo(nearest->pass_context);

		CHECK_FOR_INTERRUPTS();
		switch (nearest->state)
		{
			case PROBING:
				probe(nearest);
				break;
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
	return true;
}

/* To be called before the search's memory is let go, as it may have files. */
void
bb_nearest_end(BBNearest *nearest)
{
	end_ties(nearest);
}
