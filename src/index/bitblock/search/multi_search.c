/*-------------------------------------------------------------------------
 *
 * multi_search.c
 *		The matches of several searches, one after the other.
 *
 * A condition such as tenant = ANY ('{7,8}') gives a scan several scopes, and a condition
 * such as fp <@ ANY (...) gives it several balls.  This file, the "sweep", divides the
 * scan into searches.  If it costs less to read all entries of a scope once than to
 * search for each ball (search_cost.c), the scope is read whole, and one search reads all
 * these scopes together.  In each other scope, each ball is a search of its own.  The
 * sweep has one reader, and frees the memory of a search before the next one.
 *
 * The sweep returns no row twice: scopes are disjoint, and it omits a match that an
 * earlier ball of the same scope contains.  For a bitmap scan it does not need to,
 * because a bitmap contains each row once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "index/bitblock/store/cache.h"
#include "miscadmin.h"
#include "multi_search.h"
#include "search_cost.h"
#include "utils/memutils.h"

/*
 * Report the steps of the current search, if there is one and the caller wants the
 * report.  The sweep does this itself at the end of each search except the last one.
 */
void
bb_sweep_report(const BBSweep *sweep)
{
	if (sweep->observe != NULL && sweep->reader.nsteps > 0)
		sweep->observe(sweep->observe_arg, &sweep->reader);
}

/* ----------
 * Which scopes are read together
 * ----------
 */

/* Estimate the number of leaves of a window tree that have entries of a scope. */
static double
scope_leaves(const BBSweep *sweep, uint32 tag)
{
	return bb_scope_leaves(sweep->index, sweep->shape, tag, sweep->wanted->balls[0].center);
}

/*
 * Set together[i] for each scope that should be read together with others, and return how
 * many they are.  The fewer leaves a scope has, the better it is to read it whole.  So
 * only a scope whose number of leaves is between those of the earlier decisions needs
 * another comparison of costs.
 */
static int
choose_together(const BBSweep *sweep, const BBScopes *scopes, bool *together)
{
	double		most = 0;		/* leaves of a scope that is read together */
	double		least = HUGE_VAL;	/* leaves of one that is not */
	int			n = 0;

	for (int i = 0; i < scopes->n; i++)
	{
		double		leaves = scope_leaves(sweep, scopes->tags[i]);

		CHECK_FOR_INTERRUPTS();
		if (leaves > most && leaves < least)
		{
			if (bb_is_cheaper_together(sweep->shape, leaves, sweep->wanted))
				most = leaves;
			else
				least = leaves;
		}
		together[i] = leaves <= most;
		n += together[i];
	}
	return n;
}

/*
 * Would reading the whole index cost no more than the cheapest search for each scope?
 * Then the leaves of the scopes need not be counted.
 */
static bool
reads_everything(const BBSweep *sweep, const BBScopes *scopes)
{
	BBWork		all = bb_work_together(sweep->shape,
									   bb_leaves_of_file(sweep->shape,
														 RelationGetNumberOfBlocks(sweep->index)),
									   sweep->wanted->n);
	BBWork		least = bb_work_together(sweep->shape, 1, 1);

	return bb_operations(&all) <= scopes->n * bb_operations(&least);
}

/* Set the scopes of the sweep: first those that are read together, then the others. */
static void
order_scopes(BBSweep *sweep, const BBScopes *scopes)
{
	bool	   *together;
	uint32	   *tags;

	/*
	 * place of the next one not read together, and of the next one read
	 * together
	 */
	int			n[2];

	sweep->scopes = *scopes;
	sweep->together = 0;
	if (sweep->npairs == 0)
		return;
	/* a single search for one ball in one scope makes this choice itself */
	if (sweep->tree == BB_WITHIN && sweep->npairs == 1)
		return;
	if (sweep->tree != BB_WITHIN || scopes->all || reads_everything(sweep, scopes))
	{
		sweep->together = scopes->n;
		return;
	}
	together = palloc_extended(scopes->n * sizeof(bool), MCXT_ALLOC_HUGE);
	sweep->together = choose_together(sweep, scopes, together);
	if (sweep->together > 0 && sweep->together < scopes->n)
	{
		tags = palloc_extended(scopes->n * sizeof(uint32), MCXT_ALLOC_HUGE);
		n[true] = 0;
		n[false] = sweep->together;
		for (int i = 0; i < scopes->n; i++)
			tags[n[together[i]]++] = scopes->tags[i];
		sweep->scopes.tags = tags;
	}
	pfree(together);
}

/* ----------
 * Searches
 * ----------
 */

/* Start the search that reads scopes together. */
static void
start_together(BBSweep *sweep)
{
	const BBCondition *wanted = sweep->wanted;

	bb_reader_init(&sweep->reader, sweep->index, sweep->shape, sweep->snapshot,
				   bb_part_of_scopes(&sweep->scopes, 0, sweep->together), &wanted->balls[0]);
	bb_reader_set_all(&sweep->reader,
					  sweep->tree == BB_WITHIN ? bb_row_tree(sweep->shape) : sweep->tree);
	if (wanted->n > 1)
		sweep->reader.several = wanted;
	sweep->taken = (int64) sweep->together * wanted->n;
}

/*
 * Start to search a scope for a ball.  If the search unexpectedly reads the whole scope,
 * the entries are not evenly distributed, and a search for the next ball would read the
 * whole scope again.  So this search then compares the entries with all remaining balls.
 */
static void
start_within(BBSweep *sweep, int scope, int ball)
{
	const BBCondition *wanted = sweep->wanted;
	BBReader   *reader = &sweep->reader;

	bb_reader_init(reader, sweep->index, sweep->shape, sweep->snapshot,
				   bb_part_of_scopes(&sweep->scopes, scope, 1), &wanted->balls[ball]);
	bb_reader_set_within(reader, sweep->before);
	sweep->taken = 1;
	if (ball + 1 < wanted->n && bb_reader_reads_all(reader) &&
		!bb_work_within(sweep->shape, scope_leaves(sweep, bb_reader_tag(reader)),
						wanted->balls[ball].radius).sequential)
	{
		reader->several = wanted;
		sweep->taken = wanted->n - ball;
	}
}

static void
start_search(BBSweep *sweep)
{
	int			scope = (int) (sweep->pair / sweep->wanted->n);
	MemoryContext old = CurrentMemoryContext;

	if (sweep->npairs > 1)
	{
		CHECK_FOR_INTERRUPTS();
		if (sweep->context == NULL)
			sweep->context = AllocSetContextCreate(CurrentMemoryContext, "bitblock search",
												   ALLOCSET_SMALL_SIZES);
		else
		{
			bb_sweep_report(sweep);
			MemoryContextReset(sweep->context);
			bb_count_scan(sweep->index);
		}
		old = MemoryContextSwitchTo(sweep->context);
	}
	if (scope < sweep->together)
		start_together(sweep);
	else
		start_within(sweep, scope, (int) (sweep->pair % sweep->wanted->n));
	if (sweep->observe != NULL)
		sweep->reader.counts = palloc0(BB_MAX_BLOCKS * sizeof(BBCounts));
	if (bb_reader_reads_all(&sweep->reader))
		sweep->dense += sweep->taken;
	MemoryContextSwitchTo(old);
}

/*
 * Start the searches for the rows of the scopes that are in one of the wanted balls.  If
 * tree is not BB_WITHIN, read all entries of the scopes in that tree instead.  In a row
 * tree the balls count even then.  The sweep allocates in the context that is current
 * now, and bb_sweep_next in the one that is current then.  The caller keeps scopes and
 * balls, and has set "observe" and "before".
 */
void
bb_sweep_begin(BBSweep *sweep, Relation index, BBShape shape, Snapshot snapshot,
			   const BBScopes *scopes, const BBCondition *wanted, int tree)
{
	sweep->index = index;
	sweep->shape = shape;
	sweep->snapshot = snapshot;
	sweep->wanted = wanted;
	sweep->tree = tree;
	sweep->npairs = (int64) scopes->n * wanted->n;
	sweep->pair = 0;
	sweep->dense = 0;
	sweep->repeats = false;
	sweep->context = NULL;
	sweep->reader.nsteps = 0;
	order_scopes(sweep, scopes);
	if (sweep->npairs > 0)
		start_search(sweep);
}

/* Omit the matches that an earlier search has found.  Returns the number of the others. */
static int
leave_out_found(const BBSweep *sweep, BBMatch *matches, int n)
{
	const BBCondition *wanted = sweep->wanted;
	int			remain = 0;

	for (int i = 0; i < n; i++)
	{
		const BBMatch *match = bb_match_at(sweep->shape, matches, i);

		CHECK_FOR_INTERRUPTS();
		if (bb_in_balls(sweep->shape, match->fp, wanted, (int) (sweep->pair % wanted->n)))
			continue;
		if (remain < i)
			memcpy(bb_match_at(sweep->shape, matches, remain), match,
				   bb_match_size(sweep->shape));
		remain++;
	}
	return remain;
}

/*
 * The next matches, as bb_reader_next returns them; 0 at the end of the last search.  If
 * the matches are of windows, they have the tag of sweep->reader.
 */
int
bb_sweep_next(BBSweep *sweep, BBMatch *matches, Buffer *pin)
{
	while (sweep->pair < sweep->npairs)
	{
		MemoryContext old = CurrentMemoryContext;
		int			n;

		if (sweep->context != NULL)
			MemoryContextSwitchTo(sweep->context);
		n = bb_reader_next(&sweep->reader, matches, pin);
		MemoryContextSwitchTo(old);
		if (n == 0)
		{
			sweep->pair += sweep->taken;
			if (sweep->pair < sweep->npairs)
				start_search(sweep);
			continue;
		}
		/* balls of radius 0 are disjoint */
		if (sweep->pair % sweep->wanted->n > 0 && sweep->wanted->largest > 0 && !sweep->repeats)
			n = leave_out_found(sweep, matches, n);
		if (n > 0)
			return n;
		if (pin != NULL && BufferIsValid(*pin))
		{
			ReleaseBuffer(*pin);
			*pin = InvalidBuffer;
		}
	}
	return 0;
}
