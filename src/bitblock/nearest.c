/*-------------------------------------------------------------------------
 *
 * nearest.c
 *		Matches of a bitblock index in the order of distance.
 *
 * Found entries wait in buckets, one for each distance.  What is at a distance
 * up to "proven" has all been found, and is returned; then the search is
 * carried on.  At first it raises the radius of one tree by one, the cheapest,
 * which proves one distance more (see probes.c).  When that has become dearer
 * than to read all leaves of a tree, it does the latter.
 *
 * Such a pass takes only entries within a window of distances, lo < d <= hi,
 * and proves hi; a later one takes the next window.  If more are found than
 * memory is allowed for, hi is lowered during the pass.  If they are too many
 * even of a single distance, these need no order among each other any more, and
 * are returned while the pass goes on.  So any number of rows can be returned
 * in limited memory.
 *
 * A condition that asks for a ball around another center than the order's is
 * either checked on what is found, or, if looking it up costs little, is what
 * the passes read in place of a whole tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "scan.h"
#include "utils/memutils.h"

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

/* What a leaf is expected to hold, for estimates */
#define USUAL_LEAF				(0.8 * BB_LEAF_CAPACITY)

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
	const BBPrint *centers;		/* the first orders, the others break ties */
	int			ncenters;
	const BBBall *balls;
	int			nballs;
	const BBBall *driver;		/* ball that passes read, NULL for all */

	int			proven;			/* all up to this distance has been found */
	int			farthest;		/* nothing wanted is beyond this distance */

	/* raising radii */
	bool		probing;
	int			probe_limit;	/* what is beyond is left to the passes */
	BBTreeCost	costs[BB_BLOCKS];
	BBRadii		radii;
	double		spent;			/* in leaves */
	double		tree_leaves;

	/* passes */
	bool		in_pass;
	int			hi;
	double		target;

	BBReader	reader;
	int64		held;			/* entries in all buckets */
	int64		max_held;
	Bucket		buckets[BB_BITS + 1];
	int			bucket;			/* the one that is being returned */
	int64		next;			/* its next entry */
	BBEntry		matches[BB_LEAF_CAPACITY];
};

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
	int			wanted = bb_expected_radius(nearest->tree_leaves * USUAL_LEAF,
											BB_EXPECTED_LIMIT);
	int			limit = limit_for_share(nearest, PROBE_SHARE_LIKELY);

	if (limit < Min(wanted + 1, nearest->farthest))
		limit = limit_for_share(nearest, PROBE_SHARE_UNLIKELY);
	return limit;
}

/* Leave the rest to passes; what is not proven will be found again */
static void
end_probing(BBNearest *nearest)
{
	nearest->probing = false;
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
	int			n;

	MemoryContextReset(nearest->pass_context);
	if (nearest->proven >= nearest->probe_limit)
	{
		end_probing(nearest);
		return;
	}
	t = next_step(nearest, &nearest->radii, &cost);
	nearest->reader.ball.radius = nearest->probe_limit;
	if (!bb_reader_add_shell(&nearest->reader, t, nearest->radii.radius[t] + 1,
							 cost, &leaves))
	{
		for (int r = nearest->radii.radius[t] + 1; r <= BB_BLOCK_BITS; r++)
			nearest->costs[t].leaves[r + 1] += leaves - cost;

		/* entries beyond a lowered limit wait in vain, but do no harm */
		nearest->probe_limit = Min(nearest->probe_limit, find_probe_limit(nearest));
		return;
	}
	nearest->spent += leaves;
	while ((n = bb_reader_next(&nearest->reader, nearest->matches, NULL)) > 0)
	{
		for (int i = 0; i < n; i++)
			if (bb_in_balls(nearest->matches[i].print, nearest->balls, nearest->nballs))
				put(nearest, bb_distance(nearest->matches[i].print,
										 nearest->centers[0]),
					&nearest->matches[i]);
		if (nearest->held > nearest->max_held)
		{
			end_probing(nearest);
			return;
		}
	}
	nearest->radii.radius[t]++;
	nearest->proven++;
}

/* ----------
 * Passes
 * ----------
 */

static void
start_pass(BBNearest *nearest)
{
	double		entries = nearest->tree_leaves * USUAL_LEAF;
	BBBall		ball;

	MemoryContextReset(nearest->pass_context);
	nearest->hi = nearest->farthest;
	if (nearest->driver == NULL)
		nearest->hi = Min(nearest->hi,
						  Max(nearest->proven + 1,
							  bb_expected_radius(entries, nearest->target)));
	nearest->target *= TARGET_GROWTH;

	if (nearest->driver != NULL)
	{
		bb_reader_init(&nearest->reader, nearest->index, nearest->snapshot,
					   *nearest->driver);
		bb_reader_set_within(&nearest->reader);
	}
	else
	{
		ball.center = nearest->centers[0];
		ball.radius = nearest->hi;
		bb_reader_init(&nearest->reader, nearest->index, nearest->snapshot, ball);
		bb_reader_set_all(&nearest->reader, 0);
	}
	nearest->in_pass = true;
}

/*
 * Carry the pass on, to its end or, if memory is full of entries of a single
 * distance, to where these can be returned.
 */
static void
carry_on_pass(BBNearest *nearest)
{
	int			n;

	while ((n = bb_reader_next(&nearest->reader, nearest->matches, NULL)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			BBPrint		print = nearest->matches[i].print;
			int			distance = bb_distance(print, nearest->centers[0]);

			if (distance > nearest->proven && distance <= nearest->hi &&
				bb_in_balls(print, nearest->balls, nearest->nballs))
				put(nearest, distance, &nearest->matches[i]);
		}
		while (nearest->held > nearest->max_held && nearest->hi > nearest->proven + 1)
		{
			empty_bucket(nearest, nearest->hi);
			nearest->hi--;
			if (nearest->driver == NULL)
				nearest->reader.ball.radius = nearest->hi;
		}
		if (nearest->held > nearest->max_held && nearest->ncenters == 1)
			return;
	}
	nearest->in_pass = false;
	nearest->proven = nearest->hi;
}

/* ----------
 * Interface
 * ----------
 */

/*
 * Start a search in the order of the distance to the first center, then to the
 * second and so on, of what is in all of the balls, of which the first is the
 * smallest.  Memory is of the current context, which is to be that at each
 * call; centers and balls stay the caller's.
 */
BBNearest *
bb_nearest_begin(Relation index, Snapshot snapshot, const BBPrint *centers,
				 int ncenters, const BBBall *balls, int nballs)
{
	BBNearest  *nearest = palloc0(sizeof(BBNearest));
	BBBall		ball;
	double		leaves;
	MemoryContext old;

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
	nearest->max_held = Max((int64) work_mem * 1024 / sizeof(BBEntry),
							2 * BB_LEAF_CAPACITY);
	nearest->target = FIRST_TARGET;
	nearest->proven = -1;

	/* by the triangle inequality */
	nearest->farthest = BB_BITS;
	for (int i = 0; i < nballs; i++)
		nearest->farthest = Min(nearest->farthest,
								balls[i].radius < 0 ? -1 :
								balls[i].radius +
								bb_distance(centers[0], balls[i].center));
	if (nearest->farthest < 0)
		return nearest;

	/* the first step tells the size of the trees */
	ball.center = centers[0];
	ball.radius = nearest->farthest;
	old = MemoryContextSwitchTo(nearest->pass_context);
	bb_reader_init(&nearest->reader, index, snapshot, ball);
	bb_reader_add_shell(&nearest->reader, 0, 0, 0, &leaves);
	nearest->tree_leaves = nearest->reader.tree_leaves;
	bb_reader_init(&nearest->reader, index, snapshot, ball);
	MemoryContextSwitchTo(old);
	MemoryContextReset(nearest->pass_context);

	for (int t = 0; t < BB_BLOCKS; t++)
	{
		bb_tree_cost(nearest->tree_leaves, &nearest->costs[t]);
		nearest->radii.radius[t] = -1;
	}
	if (nballs > 0 && balls[0].center != centers[0] &&
		bb_choose_radii(nearest->costs, balls[0].radius, &nearest->radii) <=
		nearest->tree_leaves * BB_SEQUENTIAL_COST * BALL_SHARE)
		nearest->driver = &balls[0];
	else
	{
		for (int t = 0; t < BB_BLOCKS; t++)
			nearest->radii.radius[t] = -1;
		nearest->probing = true;
		nearest->probe_limit = find_probe_limit(nearest);
	}
	return nearest;
}

static int
compare_ties(const void *a, const void *b, void *arg)
{
	const BBNearest *nearest = arg;

	CHECK_FOR_INTERRUPTS();
	for (int i = 1; i < nearest->ncenters; i++)
	{
		int			x = bb_distance(((const BBEntry *) a)->print, nearest->centers[i]);
		int			y = bb_distance(((const BBEntry *) b)->print, nearest->centers[i]);

		if (x != y)
			return x - y;
	}
	return 0;
}

/* The next nearest; false at the end */
bool
bb_nearest_next(BBNearest *nearest, BBEntry *match)
{
	for (;;)
	{
		int			complete = nearest->proven;
		MemoryContext old;

		/* a pass that was interrupted has one distance only */
		if (nearest->in_pass)
			complete = nearest->hi;
		while (nearest->bucket <= complete)
		{
			Bucket	   *bucket = &nearest->buckets[nearest->bucket];

			if (nearest->next == 0 && bucket->n > 1 && nearest->ncenters > 1)
				qsort_arg(bucket->entries, bucket->n, sizeof(BBEntry),
						  compare_ties, nearest);
			if (nearest->next < bucket->n)
			{
				*match = bucket->entries[nearest->next++];
				return true;
			}
			empty_bucket(nearest, nearest->bucket);
			nearest->next = 0;
			if (nearest->bucket == complete && nearest->in_pass)
				break;
			nearest->bucket++;
		}
		if (nearest->proven >= nearest->farthest)
			return false;

		CHECK_FOR_INTERRUPTS();
		old = MemoryContextSwitchTo(nearest->pass_context);
		if (nearest->probing)
			probe(nearest);
		else
		{
			if (!nearest->in_pass)
				start_pass(nearest);
			carry_on_pass(nearest);
		}
		MemoryContextSwitchTo(old);
	}
}
