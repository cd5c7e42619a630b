/*-------------------------------------------------------------------------
 *
 * reader.c
 *		Matches of a query from the trees of a bitblock index.
 *
 * A query is divided into steps.  Each step reads the leaves of one tree where a block is
 * at certain distances from the query's block.  Several steps may find the same row.  It
 * is a match only of the first of them.  The fingerprint alone decides which step that
 * is, so the reader returns no row twice although it does not remember rows.
 *
 * For a wide fingerprint, an entry of a window tree has only one window.  If the window
 * is within the limits of the pigeonring (core/ring.h), the entry is a candidate, and the
 * reader looks up its whole fingerprint in the row tree.  Few rows are candidates without
 * being matches.  The reader first releases the leaf of the window tree, because an
 * insertion locks a leaf of the row tree before other leaves.  Most trees have a given
 * match among their candidates, so the reader remembers the TIDs that it has looked up.
 * It may forget a TID, and then looks it up again.
 *
 * A query normally has one scope, so all entries that it wants have one tag.  If it has
 * several scopes, or wants all rows, its only step reads every entry of these scopes in a
 * single tree: one that has whole fingerprints, or the tree of rows without a
 * fingerprint.
 *
 * Which radii are the cheapest depends on the distribution of the blocks.  radii.c
 * chooses the radii.  To compare their costs, it asks the reader how many leaves a search
 * within a radius reads in a tree, and the reader finds the number in the inner pages.  A
 * scan then reads the leaves that were counted last for each tree.  If a block value has
 * many leaves, the reader looks for pairs of blocks instead.  Then a row is a match of
 * the first step whose limits of the pigeonring its window is within.
 *
 * In a cold index (read_ahead.c) the reader asks for the listed leaves in advance.  It
 * also lets candidates wait until there are several whose rows it can ask for at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/hamming.h"
#include "index/bitblock/store/cache.h"
#include "miscadmin.h"
#include "reader.h"
#include "row.h"
#include "server/compat.h"

/* Prefetch a row this many rows before it is read */
#define PREFETCH_ROWS			3

/* The initial size of the table of rows that were looked up, in bits of the hash value */
#ifndef BB_TEST_CAPACITY
#define JUDGED_BITS				9
#else
#define JUDGED_BITS				2
#endif

/*
 * The number of leaves for which a list always has room, and the largest number if the
 * leaves are asked for in advance.
 */
#define MIN_LEAF_LIST			64
#define MAX_LEAF_LIST			(1 << 20)

/*
 * Initialize a reader that has no steps yet.  The other functions allocate in the memory
 * context that is current when they are called.
 */
void
bb_reader_init(BBReader *reader, Relation index, BBShape shape, Snapshot snapshot,
			   BBScopes scopes, const BBBall *ball)
{
	reader->index = index;
	bb_ahead_init(&reader->ahead, index, false);
	reader->shape = shape;
	reader->snapshot = snapshot;
	reader->scopes = scopes;
	reader->ball.radius = ball->radius;
	bb_copy_fp(shape, reader->ball.center, ball->center);
	reader->several = NULL;
	reader->before = NULL;
	reader->nsteps = 0;
	reader->step = 0;
	reader->walking = false;
	memset(&reader->judged, 0, sizeof(reader->judged));
	reader->counts = NULL;
	reader->ring = bb_is_wide(shape);
	reader->asked_inner = false;
	reader->ask_step = reader->ask_leaf = 0;
	reader->nwaiting = 0;
}

/* The fingerprint of one word whose window at block b is "window". */
static inline uint64
unwindow(BBWindow window, int b)
{
	return b == 0 ? window : bb_rotate_window(window, BB_WINDOW_BLOCKS - b);
}

/* The distance of a block of two fingerprints. */
static inline int
block_distance(const uint64 *a, const uint64 *b, int block)
{
	return pg_popcount32((uint32) (bb_block(a, block) ^ bb_block(b, block)));
}

/*
 * Leave out the block values within a radius of a block value.  Returns the number of the
 * others.
 */
static int
leave_out_values(int center, int radius, uint32 *pairs, int n)
{
	int			remain = 0;

	for (int i = 0; i < n; i++)
		if (pg_popcount32((pairs[i] >> BB_BLOCK_BITS) ^ (uint32) center) > radius)
			pairs[remain++] = pairs[i];
	return remain;
}

/* Find the leaves for a step of block distances up to rmax, but do not add the step. */
static void
prepare_step(BBReader *reader, int tree, int rmax, double expected, BBStep *step)
{
	int			center = bb_block(reader->ball.center, tree);
	uint32	   *pairs;
	int			n;

	step->tree = tree;
	step->rmax = rmax;
	step->all = false;
	step->probes.tag = bb_reader_tag(reader);
	pairs = palloc(bb_ball_size(rmax) * sizeof(uint32));
	n = bb_ball_values(center, rmax, pairs);
	if (reader->before != NULL && reader->before->radius[tree] < rmax)
		n = leave_out_values(center, reader->before->radius[tree], pairs, n);
	bb_set_probes(&step->probes, pairs, n, true);
	bb_list_leaves(&reader->ahead, tree, &step->probes,
				   (int) Max(4 * expected, MIN_LEAF_LIST), &step->leaves);
}

/* A block value with fewer leaves is looked for as a whole. */
#ifndef BB_TEST_CAPACITY
#define MANY_LEAVES				8
#else
#define MANY_LEAVES				1
#endif

/* Pairs of blocks must leave out this share of the leaves of their first blocks. */
#define PAIRS_SHARE				0.7

/*
 * If a block value has many leaves, look for pairs of blocks instead.  The limits of the
 * pigeonring bound the distance of the tree's block and the next one together.  The
 * leaves of a block value are in the order of the next block, so the pairs are on fewer
 * leaves.  Returns whether the step looks for pairs now.
 */
static bool
use_pairs(BBReader *reader, BBStep *step, const BBRadii *radii)
{
	const uint64 *center = reader->ball.center;
	double		per_value;
	int			next;
	int			both;
	int			npairs;
	uint32	   *pairs;

	if (likely(step->leaves.count < MANY_LEAVES * step->probes.n))
		return false;
	per_value = step->leaves.count / step->probes.n;
	next = (step->tree + 1) % reader->shape.blocks;
	both = step->rmax + radii->radius[next] + 1;
	if (bb_pair_leaves(step->rmax, both, per_value, &npairs) > PAIRS_SHARE * step->leaves.count)
		return false;
	pairs = palloc(npairs * sizeof(uint32));
	npairs = bb_ball_pairs(bb_block(center, step->tree), bb_block(center, next), both,
						   step->probes.pairs, step->probes.n, pairs);
	pfree(step->probes.pairs);
	bb_set_probes(&step->probes, pairs, npairs, false);
	pfree(step->leaves.leaves);
	bb_list_leaves(&reader->ahead, step->tree, &step->probes, MAX_LEAF_LIST, &step->leaves);
	return true;
}

/*
 * List the leaves of a step again if the list has not all of them.  In memory a walk
 * needs no list, because it follows the right-links.
 */
static void
complete_list(BBReader *reader, BBStep *step)
{
	if (step->leaves.complete || bb_depth(&reader->ahead) == 0)
		return;
	pfree(step->leaves.leaves);
	bb_list_leaves(&reader->ahead, step->tree, &step->probes, MAX_LEAF_LIST, &step->leaves);
}

static void
discard_step(BBStep *step)
{
	pfree(step->probes.pairs);
	pfree(step->leaves.leaves);
}

static inline void
add_step(BBReader *reader, const BBStep *step)
{
	BBStep	   *added = &reader->steps[reader->nsteps];

	*added = *step;
	added->leaves_before = reader->nsteps == 0 ? 0 :
		added[-1].leaves_before + added[-1].leaves.n;
	reader->nsteps++;
}

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

bool
bb_reader_reads_all(const BBReader *reader)
{
	return reader->nsteps == 1 && reader->steps[0].all;
}

/*
 * Ask for the inner pages that lead to the query's own block values.  The first k + 1
 * trees are searched for these values in any case.
 */
static pg_noinline void
ask_for_inner_pages(BBReader *reader)
{
	BBPath		paths[BB_MAX_BLOCKS];
	int			n = Min(Min(reader->ball.radius + 1, reader->shape.blocks),
						bb_depth(&reader->ahead));

	if (n < 2 || reader->asked_inner)
		return;
	reader->asked_inner = true;
	for (int t = 0; t < n; t++)
	{
		paths[t].tree = t;
		paths[t].key = bb_first_key(bb_reader_tag(reader),
									bb_from_prefix(bb_block(reader->ball.center, t)));
	}
	bb_ask_paths(&reader->ahead, paths, n, false);
}

/* The steps of a choice of radii that is not complete, at most one for each tree. */
typedef struct Choice
{
	BBReader   *reader;
	bool		prepared[BB_MAX_BLOCKS];
	BBStep		steps[BB_MAX_BLOCKS];
} Choice;

/*
 * A BBCountLeaves that lists the leaves as it counts them.  The list becomes the tree's
 * step and replaces an earlier one, so the step is always the one that was counted last.
 */
static double
prepare_counted(void *arg, int tree, int radius, double expected,
				double *tree_leaves)
{
	Choice	   *choice = arg;
	BBStep	   *step = &choice->steps[tree];

	if (unlikely(bb_is_cold(choice->reader->index)))
		ask_for_inner_pages(choice->reader);
	if (choice->prepared[tree])
		discard_step(step);
	prepare_step(choice->reader, tree, radius, expected, step);
	choice->prepared[tree] = true;
	*tree_leaves = bb_is_tagged(choice->reader->shape) ?
		choice->reader->tag_leaves : step->leaves.tree_leaves;
	return step->leaves.count;
}

/*
 * Add the steps that find all rows of the only scope in the reader's ball.  If "before" is
 * not NULL, an earlier search has read these radii in full, and the steps find only the
 * rows that are not within them.  The caller keeps "before".
 */
void
bb_reader_set_within(BBReader *reader, const BBRadii *before)
{
	BBShape		shape = reader->shape;
	BBForest	forest = bb_forest(shape);
	int			k = reader->ball.radius;
	int			reach = 0;		/* sum(r + 1) */
	Choice		choice;
	BBRadii    *radii = &reader->radii;
	bool		probe;

	reader->before = before;
	if (k < 0)
		return;
	if (k >= bb_bits(shape) || reader->scopes.all)
	{
		bb_reader_set_all(reader, bb_row_tree(shape));
		return;
	}

	if (bb_is_tagged(shape))
	{
		reader->tag_leaves = bb_tag_leaves(reader->index, 0, bb_reader_tag(reader));

		/*
		 * bb_choose_counted would decide the same, because it counts at least
		 * one leaf in each of k + 1 trees
		 */
		if (k < shape.blocks &&
			k + 1 > reader->tag_leaves * forest.scan_leaves * BB_SEQUENTIAL_COST)
		{
			bb_reader_set_all(reader, bb_row_tree(shape));
			return;
		}
	}
	choice.reader = reader;
	memset(choice.prepared, false, shape.blocks * sizeof(bool));
	probe = bb_choose_counted(&forest, k, before, prepare_counted, &choice, radii);
	for (int t = 0; t < shape.blocks; t++)
	{
		BBStep	   *step = &choice.steps[t];

		reach += radii->radius[t] + 1;
		if (!choice.prepared[t])
			continue;
		if (!probe || radii->radius[t] <= (before == NULL ? -1 : before->radius[t]))
		{
			discard_step(step);
			continue;
		}
		Assert(step->rmax == radii->radius[t]);
		if (before == NULL && use_pairs(reader, step, radii))
			reader->ring = true;
		complete_list(reader, step);
		add_step(reader, step);
	}

	if (!probe)
		bb_reader_set_all(reader, bb_row_tree(shape));
	else if (reach != k + 1)
		/* the scan would miss rows: see the pigeonhole principle in radii.c */
		elog(ERROR, "steps of a bitblock scan reach %d instead of %d",
			 reach - 1, k);
	else if (reader->ring)
	{
		for (int t = 0; t < shape.blocks; t++)
			ring_limits(radii->radius, shape.blocks, t, &reader->limits[t]);
		if (bb_is_wide(shape))
			reader->waiting = palloc(2 * BB_MAX_ENTRIES * sizeof(BBCandidate));
	}
}

/* ----------
 * Matches
 * ----------
 */

/* Is a step the first one that finds a fingerprint, and did no earlier search find it? */
static bool
is_first_step(const BBReader *reader, const uint64 *fp, int step)
{
	BBShape		shape = reader->shape;
	const uint64 *center = reader->ball.center;

	for (int t = 0; reader->before != NULL && t < shape.blocks; t++)
		if (block_distance(fp, center, t) <= reader->before->radius[t])
			return false;
	for (int i = 0; i <= step; i++)
	{
		int			t = reader->steps[i].tree;

		if (block_distance(fp, center, t) <= reader->steps[i].rmax &&
			(!reader->ring ||
			 ring_holds(bb_window(shape, fp, t), bb_window(shape, center, t),
						&reader->limits[t])))
			return i == step;
	}
	return false;
}

/*
 * Write to hits the numbers of the entries of a leaf that may be matches, and return how
 * many they are.  Entries with a block value that the step does not want may be missing.
 * The leaf is locked.
 */
static int
find_hits(const BBReader *reader, const BBStep *step, Page page, uint16 *hits)
{
	BBShape		shape = reader->shape;
	const uint64 *words = BBPageGetWords(page);
	int			nwords = BBPageGetOpaque(page)->words;
	uint64		center[BB_MAX_WORDS];
	int			radius = reader->ball.radius;
	int			n = bb_count(page);
	int			sorted = BBPageGetOpaque(page)->sorted;
	int			from = 0;
	int			to = sorted;
	int			nhits;
	int			nsorted;

	if (bb_is_row_tree(shape, step->tree))
		bb_copy_fp(shape, center, reader->ball.center);
	else if (step->tree < shape.blocks)
		center[0] = bb_window(shape, reader->ball.center, step->tree);
	else
	{
		for (int i = 0; i < n; i++)
			hits[i] = i;
		return n;
	}
	if (!step->all)
	{
		bb_find_sorted(page, bb_reader_tag(reader), reader->walk.first, reader->walk.last,
					   &from, &to);
		if (bb_is_wide(shape))
			radius = reader->limits[step->tree].most[RING_CHAIN - 1];
	}
	if (to == sorted)
		to = n;
	nhits = hamming_within(words + from * nwords, to - from, center, nwords, radius, hits);
	for (int i = 0; i < nhits && from > 0; i++)
		hits[i] += from;
	if (to == n)
		return nhits;

	/* the entries after the sorted ones */
	nsorted = nhits;
	nhits += hamming_within(words + sorted * nwords, n - sorted, center, nwords, radius,
							hits + nhits);
	for (int i = nsorted; i < nhits; i++)
		hits[i] += sorted;
	return nhits;
}

/* Is entry i of a leaf outside of the scopes, or has the walk seen it before? */
static inline bool
is_unwanted(const BBReader *reader, Page page, int i)
{
	if (!bb_walk_wants(&reader->walk, bb_tag_at(page, i)))
		return true;
	return reader->walk.filter && bb_compare(bb_key_at(page, i), reader->walk.from) < 0;
}

/*
 * Find the matches among the hits of a leaf whose entries are whole fingerprints, or have
 * no fingerprint.  "page" is the leaf, locked, or a copy of it.  Returns the number of
 * matches.
 */
static int
match_whole(const BBReader *reader, const BBStep *step, Buffer buffer, Page page,
			const uint16 *hits, int nhits, BBMatch *matches)
{
	BBShape		shape = reader->shape;
	int			n = 0;

	for (int i = 0; i < nhits; i++)
	{
		int			h = hits[i];
		BBMatch    *match = bb_match_at(shape, matches, n);

		if (is_unwanted(reader, page, h))
			continue;
		if (step->tree < shape.blocks)
			match->fp[0] = unwindow(BBPageGetWords(page)[h], step->tree);
		else if (bb_is_row_tree(shape, step->tree))
			bb_copy_fp(shape, match->fp, bb_words_at(page, h));
		if (!step->all && !is_first_step(reader, match->fp, reader->step))
			continue;
		match->tid = bb_rest(page, h)->tid;
		bb_check_tid(reader->index, buffer, &match->tid);
		n++;
	}
	return n;
}

/*
 * Find the matches of a leaf with whole fingerprints if there are several balls.  The
 * function unlocks the leaf before it compares, because there may be many balls.  Returns
 * the number of matches.
 */
static pg_noinline int
match_several(const BBReader *reader, const BBStep *step, Buffer buffer, int *nhits,
			  BBMatch *matches)
{
	BBShape		shape = reader->shape;
	PGAlignedBlock copy;
	Page		page = (Page) copy.data;
	uint64		fps[BLCKSZ / sizeof(uint64)];	/* of the wanted entries */
	uint16		entries[BB_MAX_ENTRIES];	/* their numbers */
	uint16		hits[BB_MAX_ENTRIES];
	const BBScopes *scopes = &reader->walk.leaf_scopes;
	int			sorted;
	int			from = 0;
	int			other;
	int			to;
	int			n = 0;

	memcpy(page, BufferGetPage(buffer), BLCKSZ);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	sorted = to = BBPageGetOpaque(page)->sorted;
	if (!scopes->all)
	{
		bb_find_tag(page, sorted, scopes->tags[0], &from, &to);
		if (scopes->n > 1)
			bb_find_tag(page, sorted, scopes->tags[scopes->n - 1], &other, &to);
	}
	for (int i = from;; i++)
	{
		if (i == to)
			i = sorted;			/* skip sorted entries, which have other tags */
		if (i == bb_count(page))
			break;
		if (is_unwanted(reader, page, i))
			continue;
		bb_copy_fp(shape, fps + n * shape.words, bb_words_at(page, i));
		entries[n++] = i;
	}
	*nhits = bb_find_in_balls(shape, fps, n, reader->several, hits);
	for (int i = 0; i < *nhits; i++)
		hits[i] = entries[hits[i]];
	return match_whole(reader, step, buffer, page, hits, *nhits, matches);
}

/* ----------
 * Matches of windows
 * ----------
 */

/*
 * List the candidates of a leaf behind those that wait: the hits whose windows are within
 * the limits of the pigeonring.  Returns their number.  The leaf is locked.
 */
static int
list_candidates(const BBReader *reader, const BBStep *step, Buffer buffer,
				const uint16 *hits, int nhits)
{
	Page		page = BufferGetPage(buffer);
	BBWindow	center = bb_window(reader->shape, reader->ball.center, step->tree);
	int			n = 0;

	for (int i = 0; i < nhits; i++)
	{
		int			h = hits[i];
		BBCandidate *candidate = &reader->waiting[reader->nwaiting + n];

		candidate->window = BBPageGetWords(page)[h];
		if (!ring_holds(candidate->window, center, &reader->limits[step->tree]) ||
			is_unwanted(reader, page, h))
			continue;
		candidate->tid = bb_rest(page, h)->tid;
		bb_check_tid(reader->index, buffer, &candidate->tid);
		candidate->step = reader->step;
		n++;
	}
	return n;
}

static inline uint64 *
judged_slot(const BBJudged *judged, uint64 tid)
{
	return &judged->tids[tid * UINT64CONST(0x9e3779b97f4a7c15) >> (64 - judged->bits)];
}

/*
 * Make the table four times as large.  If two rows have the same slot in the new table,
 * it forgets one of them.
 */
static void
grow_judged(BBJudged *judged)
{
	BBJudged	old = *judged;

	judged->bits = old.tids == NULL ? JUDGED_BITS : old.bits + 2;
	judged->tids = palloc0(((Size) 1 << judged->bits) * sizeof(uint64));
	if (old.tids == NULL)
		return;
	for (int i = 0; i < 1 << old.bits; i++)
		if (old.tids[i] != 0)
			*judged_slot(judged, old.tids[i]) = old.tids[i];
	pfree(old.tids);
}

/* Has the row been looked up before?  The answer may be "no" although it has. */
static inline bool
is_judged(const BBJudged *judged, uint64 tid)
{
	return judged->tids != NULL && *judged_slot(judged, tid) == tid;
}

/* Remember a row that was looked up.  The table grows, but not beyond work_mem. */
static void
put_judged(BBJudged *judged, uint64 tid)
{
	if (judged->tids == NULL ||
		(judged->n > 1 << (judged->bits - 1) &&
		 ((Size) 4 << judged->bits) * sizeof(uint64) <=
		 Min((Size) work_mem * 1024, MaxAllocSize)))
		grow_judged(judged);
	*judged_slot(judged, tid) = tid;
	judged->n++;
}

/* Leave out the candidates that were looked up before.  Returns the number of the others. */
static int
leave_out_judged(const BBReader *reader, BBCandidate *candidates, int n)
{
	int			remain = 0;

	for (int i = 0; i < n; i++)
		if (!is_judged(&reader->judged, bb_tid_number(&candidates[i].tid)))
			candidates[remain++] = candidates[i];
	return remain;
}

/* Ask for the leaves of the row tree that hold the candidates' rows. */
static void
ask_for_rows(BBReader *reader, const BBCandidate *candidates, int n)
{
	BBPath	   *paths;

	if (n < 2)
		return;
	paths = palloc(n * sizeof(BBPath));
	for (int i = 0; i < n; i++)
	{
		paths[i].tree = bb_row_tree(reader->shape);
		paths[i].key = bb_row_key(bb_reader_tag(reader), &candidates[i].tid);
	}
	bb_ask_paths(&reader->ahead, paths, n, true);
	pfree(paths);
}

/*
 * Look up candidates that were not looked up before, and find the matches among them, at
 * most BB_MAX_ENTRIES.  Returns the number of matches.  No page is locked before and
 * after the call.
 */
static int
match_candidates(BBReader *reader, const BBCandidate *candidates, int ncandidates,
				 BBMatch *matches)
{
	BBShape		shape = reader->shape;
	BBRowPlace	places[BB_MAX_ENTRIES];
	int			n = 0;

	for (int i = 0; i < ncandidates; i++)
		bb_locate_row(reader->index, shape,
					  bb_row_key(bb_reader_tag(reader), &candidates[i].tid), &places[i]);
	for (int i = 0; i < Min(ncandidates, PREFETCH_ROWS); i++)
		bb_prefetch_row(reader->index, shape, &places[i]);
	for (int i = 0; i < ncandidates; i++)
	{
		const BBCandidate *candidate = &candidates[i];
		BBStep	   *step = &reader->steps[candidate->step];
		BBMatch    *match = bb_match_at(shape, matches, n);

		if (i + PREFETCH_ROWS < ncandidates)
			bb_prefetch_row(reader->index, shape, &places[i + PREFETCH_ROWS]);
		if (reader->counts != NULL)
			reader->counts[candidate->step].rows++;

		/*
		 * skip the entry of a dead row, whose TID may belong to another row
		 * now
		 */
		if (!bb_find_row(reader->index, shape, reader->snapshot,
						 bb_row_key(bb_reader_tag(reader), &candidate->tid),
						 &places[i], match->fp) ||
			bb_window(shape, match->fp, step->tree) != candidate->window)
			continue;
		put_judged(&reader->judged, bb_tid_number(&candidate->tid));
		if (bb_distance(shape, match->fp, reader->ball.center) > reader->ball.radius ||
			!is_first_step(reader, match->fp, candidate->step))
			continue;
		match->tid = candidate->tid;
		if (reader->counts != NULL)
			reader->counts[candidate->step].matches++;
		n++;
	}
	return n;
}

/*
 * The number of candidates to look up at once.  In a cold index these are as many as
 * pages may be under way.
 */
static inline int
waiting_room(BBReader *reader)
{
	return Max(1, Min(bb_depth(&reader->ahead), BB_MAX_ENTRIES));
}

/*
 * Look up waiting candidates, in the order in which they were found, until there is a
 * match.  Before the last leaf was read, stop when few enough candidates wait.  Returns
 * the number of matches.
 */
static pg_noinline int
match_waiting(BBReader *reader, BBMatch *matches)
{
	int			matched = 0;

	while (matched == 0 && reader->nwaiting > 0 &&
		   (reader->step == reader->nsteps || reader->nwaiting >= waiting_room(reader)))
	{
		int			n = Min(reader->nwaiting, BB_MAX_ENTRIES);
		int			taken;

		if (bb_depth(&reader->ahead) > 1)
			n = Min(n, waiting_room(reader));
		taken = n;
		n = leave_out_judged(reader, reader->waiting, n);
		if (bb_depth(&reader->ahead) > 1)
			ask_for_rows(reader, reader->waiting, n);
		matched = match_candidates(reader, reader->waiting, n, matches);
		reader->nwaiting -= taken;
		memmove(reader->waiting, reader->waiting + taken,
				reader->nwaiting * sizeof(BBCandidate));
	}
	return matched;
}

/* ----------
 * Leaves
 * ----------
 */

/*
 * Ask for the next listed leaves, also those of later steps, until as many are under way
 * as may be.
 */
static pg_noinline void
ask_for_listed_leaves(BBReader *reader)
{
	const BBStep *step = &reader->steps[reader->step];
	int			depth = bb_depth(&reader->ahead);
	int			position = step->leaves_before + reader->walk.leaf;

	if (depth == 0)
		return;
	if (reader->ask_step < reader->step)
	{
		reader->ask_step = reader->step;
		reader->ask_leaf = 0;
	}
	if (reader->ask_step == reader->step)
		reader->ask_leaf = Max(reader->ask_leaf, reader->walk.leaf);
	while (reader->ask_step < reader->nsteps)
	{
		const BBStep *asked = &reader->steps[reader->ask_step];

		if (!asked->leaves.complete || reader->ask_leaf >= asked->leaves.n)
		{
			reader->ask_step++;
			reader->ask_leaf = 0;
			continue;
		}
		if (asked->leaves_before + reader->ask_leaf >= position + depth)
			return;
		bb_ask(&reader->ahead, asked->leaves.leaves[reader->ask_leaf++].blkno);
	}
}

/* The next leaf of the current step, pinned and locked; or InvalidBuffer at its end. */
static Buffer
next_leaf(BBReader *reader, BBStep *step)
{
	if (!reader->walking)
	{
		bb_walk_start(&reader->walk, &reader->ahead, step->tree, reader->scopes,
					  step->all ? NULL : &step->probes,
					  step->all ? NULL : &step->leaves);
		reader->walking = true;
	}
	if (unlikely(bb_is_cold(reader->index)) && !step->all)
		ask_for_listed_leaves(reader);
	return bb_walk_next(&reader->walk);
}

static void
end_step(BBReader *reader, BBStep *step)
{
	reader->walking = false;
	reader->step++;
	if (!step->all)
		discard_step(step);
}

/* Count a leaf of the current step. */
static pg_noinline void
count_leaf(BBReader *reader, int candidates, int matches)
{
	BBCounts   *counts = &reader->counts[reader->step];

	counts->leaves++;
	counts->misses += bb_pages_read() - reader->pages_read;
	counts->candidates += candidates;
	counts->matches += matches;
}

/*
 * Find the matches of the next leaf that has any.  "matches" has room for BB_MAX_ENTRIES
 * matches.  Returns their number, or 0 at the end of the last step.
 *
 * If pin is not NULL and the leaf has whole fingerprints, the leaf remains pinned in
 * *pin, without a lock.  If the leaf has windows, the function does not change *pin.  So
 * the caller sets *pin to InvalidBuffer first.  If *pin is still InvalidBuffer
 * afterwards, the caller pins each row itself (bb_pin_row).
 */
int
bb_reader_next(BBReader *reader, BBMatch *matches, Buffer *pin)
{
	uint16		hits[BB_MAX_ENTRIES];
	int			n = 0;

	if (unlikely(reader->nwaiting > 0))
		n = match_waiting(reader, matches);
	while (n == 0 && reader->step < reader->nsteps)
	{
		BBStep	   *step = &reader->steps[reader->step];
		bool		windows = bb_is_wide(reader->shape) && step->tree < reader->shape.blocks;
		Buffer		buffer;
		int			nhits;

		if (unlikely(reader->counts != NULL))
			reader->pages_read = bb_pages_read();
		buffer = next_leaf(reader, step);
		if (!BufferIsValid(buffer))
		{
			end_step(reader, step);
			continue;
		}

		TestForOldSnapshot(reader->snapshot, reader->index, BufferGetPage(buffer));
		if (unlikely(reader->several != NULL))
			n = match_several(reader, step, buffer, &nhits, matches);
		else
		{
			nhits = find_hits(reader, step, BufferGetPage(buffer), hits);
			n = windows ? list_candidates(reader, step, buffer, hits, nhits) :
				match_whole(reader, step, buffer, BufferGetPage(buffer), hits, nhits, matches);
			LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		}
		if (unlikely(reader->counts != NULL))
			count_leaf(reader, windows ? n : nhits, windows ? 0 : n);
		if (n > 0 && pin != NULL && !windows)
			*pin = buffer;
		else
			ReleaseBuffer(buffer);
		if (windows)
		{
			reader->nwaiting += leave_out_judged(reader, reader->waiting + reader->nwaiting, n);
			n = match_waiting(reader, matches);
		}
	}
	if (n == 0 && unlikely(reader->nwaiting > 0))
		n = match_waiting(reader, matches);
	return n;
}
