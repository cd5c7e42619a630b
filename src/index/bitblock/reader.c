/*-------------------------------------------------------------------------
 *
 * reader.c
 *		Matches of a query from the trees of a bitblock index.
 *
 * A query is a number of steps.  Each step reads the leaves of one tree where
 * a block is at certain distances from the query's block.  Several steps may
 * meet an entry.  The entry is a match of the first step that its blocks
 * belong to.  The fingerprint alone decides that, so the reader reports no
 * entry twice and remembers no entries.
 *
 * The distribution of the blocks decides which radii are the cheapest.
 * probes.c chooses the radii.  It asks the reader how many leaves a radius
 * means in a tree, and the reader finds the number in the inner pages.  A
 * scan reads the leaves that were counted last for each tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "reader.h"
#include "server/compat.h"

/* So many leaves are always worth a list. */
#define MIN_LEAF_LIST			64

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
	memset(reader->first_step, BB_NO_STEP, sizeof(reader->first_step));
}

/* Find the leaves for a step, without adding it yet */
static void
prepare_step(BBReader *reader, int tree, int rmin, int rmax, double expected,
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
				   (int) Max(4 * expected, MIN_LEAF_LIST), &step->leaves);
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
 * than expected.  *leaves is set to their number.
 */
bool
bb_reader_add_shell(BBReader *reader, int tree, int r, double expected,
					double *leaves)
{
	BBStep		step;

	prepare_step(reader, tree, r, r, expected, &step);
	*leaves = step.leaves.count;
	if (bb_is_surprise(*leaves, expected))
	{
		discard_step(&step);
		return false;
	}
	add_step(reader, &step);
	return true;
}

/* The steps that a choice of radii is being made from, at most one for a tree */
typedef struct Candidates
{
	BBReader   *reader;
	bool		prepared[BB_BLOCKS];
	BBStep		steps[BB_BLOCKS];
} Candidates;

/*
 * A BBCountLeaves: what is counted becomes the tree's candidate, in place of any
 * other, so that the last count and the candidate are one.
 */
static double
prepare_candidate(void *arg, int tree, int radius, double expected,
				  double *tree_leaves)
{
	Candidates *candidates = arg;
	BBStep	   *step = &candidates->steps[tree];

	if (candidates->prepared[tree])
		discard_step(step);
	prepare_step(candidates->reader, tree, 0, radius, expected, step);
	candidates->prepared[tree] = true;
	*tree_leaves = step->leaves.tree_leaves;
	return step->leaves.count;
}

/* Add the steps that find all that is in the reader's ball. */
void
bb_reader_set_within(BBReader *reader)
{
	int			k = reader->ball.radius;
	int			reach = 0;		/* sum(r + 1) of the steps added */
	Candidates	candidates;
	BBRadii		radii;
	bool		probe;

	if (k < 0)
		return;
	if (k >= BB_BITS)
	{
		bb_reader_set_all(reader, 0);
		return;
	}

	candidates.reader = reader;
	memset(candidates.prepared, false, sizeof(candidates.prepared));
	probe = bb_choose_counted(k, prepare_candidate, &candidates, &radii);
	for (int t = 0; t < BB_BLOCKS; t++)
	{
		BBStep	   *step = &candidates.steps[t];

		if (!candidates.prepared[t])
			continue;
		if (!probe || radii.radius[t] < 0)
		{
			discard_step(step);
			continue;
		}
		Assert(step->rmax == radii.radius[t]);
		add_step(reader, step);
		reach += step->rmax + 1;
	}

	if (!probe)
		bb_reader_set_all(reader, 0);
	else if (reach != k + 1)
		/* rows would be missed: see the pigeonhole principle in probes.c */
		elog(ERROR, "steps of a bitblock scan reach %d instead of %d",
			 reach - 1, k);
}

/* Is the present step the first one that finds a fingerprint? */
static bool
is_first(const BBReader *reader, BBFingerprint fp)
{
	int			first = BB_NO_STEP;

	for (int t = 0; t < BB_BLOCKS; t++)
	{
		int			r = bb_block_distance(fp, reader->ball.center, t);

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
	const BBFingerprint *fps = BBPageGetFingerprints(page);
	BBFingerprint center = bb_rotate(reader->ball.center, step->tree % BB_BLOCKS);
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
	nhits = bb_within(fps + from, to - from, center, radius, hits);
	for (int i = 0; i < nhits && from > 0; i++)
		hits[i] += from;
	if (to == n)
		return nhits;

	/* behind those in order */
	nsorted = nhits;
	nhits += bb_within(fps + sorted, n - sorted, center, radius, hits + nhits);
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
		BBFingerprint *fps;
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
		fps = BBPageGetFingerprints(page);
		nhits = find_hits(reader, step, page, hits);
		for (int i = 0; i < nhits; i++)
		{
			int			h = hits[i];
			BBFingerprint fp;

			if (reader->walk.filter &&
				bb_compare(bb_key_at(page, h), reader->walk.from) < 0)
				continue;
			fp = bb_unrotate(fps[h], step->tree % BB_BLOCKS);
			if (!step->all && !is_first(reader, fp))
				continue;
			matches[n].fp = fp;
			matches[n].tid = bb_rest(page, h)->tid;
			if (unlikely(!bb_tid_is_valid(&matches[n].tid)))
				bb_report_corruption(reader->index, BufferGetBlockNumber(buffer),
									 "entry has an invalid TID");
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
