/*-------------------------------------------------------------------------
 *
 * sweep.c
 *		The matches of several searches, one after the other.
 *
 * A condition such as tenant = ANY ('{7,8}') gives a scan several scopes, and a condition such
 * as fp <@ ANY (...) several balls.  Each scope and ball is a search of its own.  The sweep has
 * one reader, and frees the memory of a search before the next one.
 *
 * No row is a match twice: scopes are disjoint, and the sweep leaves out a match that an
 * earlier ball of the same scope contains.  A bitmap scan does not need that, because it notes
 * each row once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "miscadmin.h"
#include "sweep.h"
#include "utils/memutils.h"

/*
 * Report the steps of the present search, if there is one and the caller wants the report.  The
 * sweep reports all searches but the last one itself.
 */
void
bb_sweep_report(const BBSweep *sweep)
{
	if (sweep->observe != NULL && sweep->reader.nsteps > 0)
		sweep->observe(sweep->observe_arg, &sweep->reader);
}

static void
start_search(BBSweep *sweep)
{
	const BBCondition *wanted = sweep->wanted;
	MemoryContext old = CurrentMemoryContext;

	if (sweep->nsearches > 1)
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
	bb_reader_init(&sweep->reader, sweep->index, sweep->shape, sweep->snapshot,
				   bb_scope(sweep->scopes, (int) (sweep->search / wanted->n)),
				   &wanted->balls[sweep->search % wanted->n]);
	if (sweep->observe != NULL)
		bb_reader_count(&sweep->reader);
	if (sweep->tree == BB_WITHIN)
		bb_reader_set_within(&sweep->reader);
	else
		bb_reader_set_all(&sweep->reader, sweep->tree);
	sweep->dense += sweep->reader.nsteps == 1 && sweep->reader.steps[0].all;
	MemoryContextSwitchTo(old);
}

/*
 * Start the searches for the rows of the scopes that are in one of the wanted balls, or that
 * are in a tree.  In a row tree the radius counts, too.  The sweep allocates in the context
 * that is current now, and bb_sweep_next in that which is current then.  The caller keeps
 * scopes and balls, and has set "observe".
 */
void
bb_sweep_begin(BBSweep *sweep, Relation index, BBShape shape, Snapshot snapshot,
			   const BBScopes *scopes, const BBCondition *wanted, int tree)
{
	sweep->index = index;
	sweep->shape = shape;
	sweep->snapshot = snapshot;
	sweep->scopes = scopes;
	sweep->wanted = wanted;
	sweep->tree = tree;
	sweep->nsearches = (int64) scopes->n * wanted->n;
	sweep->search = 0;
	sweep->dense = 0;
	sweep->repeats = false;
	sweep->context = NULL;
	sweep->reader.nsteps = 0;
	if (sweep->nsearches > 0)
		start_search(sweep);
}

/* Leave out the matches that an earlier search has found.  Returns the number of the others. */
static int
leave_out_found(const BBSweep *sweep, BBMatch *matches, int n)
{
	const BBCondition *wanted = sweep->wanted;
	int			remain = 0;

	for (int i = 0; i < n; i++)
	{
		const BBMatch *match = bb_match_at(sweep->shape, matches, i);

		if (bb_in_balls(sweep->shape, match->fp, wanted, (int) (sweep->search % wanted->n)))
			continue;
		if (remain < i)
			memcpy(bb_match_at(sweep->shape, matches, remain), match,
				   bb_match_size(sweep->shape));
		remain++;
	}
	return remain;
}

/*
 * The next matches, as bb_reader_next returns them; 0 at the end of the last search.  They have
 * the tag of sweep->reader.
 */
int
bb_sweep_next(BBSweep *sweep, BBMatch *matches, Buffer *pin)
{
	while (sweep->search < sweep->nsearches)
	{
		MemoryContext old = CurrentMemoryContext;
		int			n;

		if (sweep->context != NULL)
			MemoryContextSwitchTo(sweep->context);
		n = bb_reader_next(&sweep->reader, matches, pin);
		MemoryContextSwitchTo(old);
		if (n == 0)
		{
			if (++sweep->search < sweep->nsearches)
				start_search(sweep);
			continue;
		}
		/* balls of radius 0 are disjoint */
		if (sweep->wanted->n > 1 && sweep->wanted->largest > 0 && !sweep->repeats)
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
