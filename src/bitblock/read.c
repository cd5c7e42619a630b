/*-------------------------------------------------------------------------
 *
 * read.c
 *		Matches of a query from the trees of a bitblock index.
 *
 * A query is a number of steps, each of which reads the leaves of one tree
 * where a block is at certain distances from the query's.  An entry may be met
 * in several steps; it is a match of the first one that its blocks belong to.
 * That can be told from the fingerprint alone, so that nothing is reported
 * twice and nothing has to be remembered.
 *
 * Which radii are the cheapest depends on how the blocks are distributed.
 * They are chosen as if the distribution were even; before any leaf is read,
 * the inner pages tell how many leaves that means, and where they are many
 * more than was thought, the choice is made again with what is known now.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "compat.h"
#include "scan.h"

/* Are these many more leaves than estimated? */
#define IS_SURPRISE(leaves, estimate)	((leaves) > 2 * (estimate) + 8)

/* So many leaves are always worth a list. */
#define MIN_LEAF_LIST			64

/* After so many surprises the choice stands. */
#define MAX_CHOICES				8

/* Prepare for steps.  Memory for them will be of the current context. */
void
bb_reader_init(BBReader *reader, Relation index, Snapshot snapshot, BBBall ball)
{
	reader->index = index;
	reader->snapshot = snapshot;
	reader->ball = ball;
	reader->nsteps = 0;
	reader->step = 0;
	reader->walking = false;
	reader->tree_leaves = 0;
	memset(reader->first_step, BB_NO_STEP, sizeof(reader->first_step));
}

/* Find the leaves for a step, without adding it yet */
static void
prepare_step(BBReader *reader, int tree, int rmin, int rmax, double estimate,
			 BBStep *step)
{
	step->tree = tree;
	step->rmin = rmin;
	step->rmax = rmax;
	step->all = false;
	step->probes.values = palloc(bb_ball_size(rmin, rmax) * sizeof(uint16));
	step->probes.n = bb_ball_values(bb_block(reader->ball.center, tree),
									rmin, rmax, step->probes.values);
	bb_list_leaves(reader->index, tree, &step->probes,
				   (int) Max(4 * estimate, MIN_LEAF_LIST), &step->leaves);
	reader->tree_leaves = step->leaves.tree_leaves;
}

static void
discard_step(BBStep *step)
{
	pfree(step->probes.values);
	pfree(step->leaves.leaves);
}

static void
add_step(BBReader *reader, const BBStep *step)
{
	for (int r = step->rmin; r <= step->rmax; r++)
		if (reader->first_step[step->tree][r] == BB_NO_STEP)
			reader->first_step[step->tree][r] = reader->nsteps;
	reader->steps[reader->nsteps++] = *step;
}

/* Read every leaf of a tree, as the only step. */
void
bb_reader_set_all(BBReader *reader, int tree)
{
	BBStep	   *step = &reader->steps[0];

	bb_forget_roots(reader->index);
	memset(step, 0, sizeof(BBStep));
	step->tree = tree;
	step->all = true;
	reader->nsteps = 1;
	reader->step = 0;
	reader->walking = false;
}

/*
 * Add a step for block distance r in a tree, unless its leaves are many more
 * than the estimate.  *leaves is set to their number.
 */
bool
bb_reader_add_shell(BBReader *reader, int tree, int r, double estimate,
					double *leaves)
{
	BBStep		step;

	prepare_step(reader, tree, r, r, estimate, &step);
	*leaves = step.leaves.count;
	if (IS_SURPRISE(*leaves, estimate))
	{
		discard_step(&step);
		return false;
	}
	add_step(reader, &step);
	return true;
}

/* The costs as they are expected before more is known */
static void
start_costs(const BBReader *reader, BBTreeCost *costs)
{
	bb_tree_cost(reader->tree_leaves, &costs[0]);
	for (int t = 1; t < BB_BLOCKS; t++)
		costs[t] = costs[0];
}

/* Add the steps that find all that is in the reader's ball. */
void
bb_reader_set_within(BBReader *reader)
{
	int			k = reader->ball.radius;
	BBTreeCost	costs[BB_BLOCKS];
	BBStep		steps[BB_BLOCKS];	/* of radius prepared[t] */
	int			prepared[BB_BLOCKS];
	BBRadii		radii;
	double		total;

	if (k < 0)
		return;
	if (k >= BB_BITS)
	{
		bb_reader_set_all(reader, 0);
		return;
	}

	for (int t = 0; t < BB_BLOCKS; t++)
		prepared[t] = -1;
	for (int choice = 0; choice < MAX_CHOICES; choice++)
	{
		bool		surprise = false;

		if (choice == 0)
		{
			/* radius 0 is the beginning of all, and tells the trees' size */
			for (int t = 0; t < BB_BLOCKS; t++)
				radii.radius[t] = t == 0 || (t <= k && k < BB_BLOCKS) ? 0 : -1;
		}
		else
		{
			total = bb_choose_radii(costs, k, &radii);
			if (total > reader->tree_leaves * BB_SEQUENTIAL_COST)
				break;
		}

		for (int t = 0; t < BB_BLOCKS; t++)
		{
			int			r = radii.radius[t];
			double		excess;

			if (r < 0 || r == prepared[t])
				continue;
			if (prepared[t] >= 0)
				discard_step(&steps[t]);
			prepare_step(reader, t, 0, r, choice == 0 ? 0 : costs[t].leaves[r + 1],
						 &steps[t]);
			prepared[t] = r;
			if (choice == 0 && t == 0 && k >= BB_BLOCKS)
				start_costs(reader, costs);
			if (choice == 0 && k < BB_BLOCKS)
			{
				/* the usual case, without more ado than is needed */
				if (!IS_SURPRISE(steps[t].leaves.count, 1))
					continue;
				if (!surprise)
					start_costs(reader, costs);
			}
			excess = steps[t].leaves.count - costs[t].leaves[r + 1];
			if (IS_SURPRISE(steps[t].leaves.count, costs[t].leaves[r + 1]))
			{
				surprise = true;
				for (int i = r; i <= BB_BLOCK_BITS; i++)
					costs[t].leaves[i + 1] += excess;
			}
		}
		if (!surprise && (choice > 0 || k < BB_BLOCKS))
			break;
	}

	total = 0;
	for (int t = 0; t < BB_BLOCKS; t++)
		if (radii.radius[t] >= 0)
			total += radii.radius[t] == prepared[t] ? steps[t].leaves.count :
				costs[t].leaves[radii.radius[t] + 1];
	if (total > reader->tree_leaves * BB_SEQUENTIAL_COST)
	{
		bb_reader_set_all(reader, 0);
		return;
	}
	for (int t = 0; t < BB_BLOCKS; t++)
		if (radii.radius[t] >= 0)
			add_step(reader, &steps[t]);
}

/* Is the present step the first one that finds a fingerprint? */
static bool
is_first(const BBReader *reader, BBPrint print)
{
	BBPrint		difference = print ^ reader->ball.center;
	int			first = BB_NO_STEP;

	for (int t = 0; t < BB_BLOCKS; t++)
	{
		int			r = pg_popcount32((uint32) bb_block(difference, t));

		first = Min(first, reader->first_step[t][r]);
	}
	return first == reader->step;
}

/*
 * The numbers of the entries of a leaf that are in the ball; those of other
 * block values than the step wants may be missing.
 */
static int
find_hits(const BBReader *reader, const BBStep *step, Page page, uint16 *hits)
{
	const uint64_t *prints = (const uint64_t *) BBPageGetPrints(page);
	BBPrint		center = bb_rotate(reader->ball.center, step->tree % BB_BLOCKS);
	const uint64_t *query = (const uint64_t *) &center;
	int			radius = reader->ball.radius;
	int			n = bb_count(page);
	int			sorted = BBPageGetOpaque(page)->sorted;
	int			from = 0;
	int			to = sorted;
	int			nhits;
	int			nsorted;

	if (!step->all)
		bb_find_sorted(page, reader->walk.first_value, reader->walk.last_value,
					   &from, &to);
	if (to == sorted)
		to = n;
	nhits = hamming_within(prints + from * BB_WORDS, to - from, query, BB_WORDS,
						   radius, hits);
	for (int i = 0; i < nhits && from > 0; i++)
		hits[i] += from;
	if (to == n)
		return nhits;

	/* behind those in order */
	nsorted = nhits;
	nhits += hamming_within(prints + sorted * BB_WORDS, n - sorted, query, BB_WORDS,
							radius, hits + nhits);
	for (int i = nsorted; i < nhits; i++)
		hits[i] += sorted;
	return nhits;
}

/*
 * The matches of the next leaf that has any; matches has room for
 * BB_LEAF_CAPACITY.  Returns their number, 0 at the end of the last step.
 *
 * If pin is not NULL, the leaf remains pinned in *pin.
 */
int
bb_reader_next(BBReader *reader, BBEntry *matches, Buffer *pin)
{
	uint16		hits[BB_LEAF_CAPACITY];

	for (;;)
	{
		BBStep	   *step;
		Buffer		buffer;
		Page		page;
		BBPrint    *prints;
		int			nhits;
		int			n = 0;

		if (reader->step >= reader->nsteps)
			return 0;
		step = &reader->steps[reader->step];
		if (!reader->walking)
		{
			bb_walk_start(&reader->walk, reader->index, step->tree,
						  step->all ? NULL : &step->probes,
						  step->all ? NULL : &step->leaves);
			reader->walking = true;
		}
		buffer = bb_walk_next(&reader->walk);
		if (!BufferIsValid(buffer))
		{
			reader->walking = false;
			reader->step++;
			if (!step->all)
				discard_step(step);
			continue;
		}

		page = BufferGetPage(buffer);
		TestForOldSnapshot(reader->snapshot, reader->index, page);
		prints = BBPageGetPrints(page);
		nhits = find_hits(reader, step, page, hits);
		for (int i = 0; i < nhits; i++)
		{
			int			h = hits[i];
			BBPrint		print;

			if (reader->walk.filter &&
				bb_compare(bb_key_at(page, h), reader->walk.from) < 0)
				continue;
			print = bb_unrotate(prints[h], step->tree % BB_BLOCKS);
			if (!step->all && !is_first(reader, print))
				continue;
			matches[n].print = print;
			matches[n].tid = bb_rest(page, h)->tid;
			if (unlikely(!bb_tid_is_valid(&matches[n].tid)))
				bb_report_corruption(reader->index, BufferGetBlockNumber(buffer),
									 "an entry has an invalid TID");
			n++;
		}
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		if (n > 0 && pin != NULL)
			*pin = buffer;
		else
			ReleaseBuffer(buffer);
		if (n > 0)
			return n;
	}
}
