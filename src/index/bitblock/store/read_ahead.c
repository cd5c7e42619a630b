/*-------------------------------------------------------------------------
 *
 * read_ahead.c
 *		Asking for the pages of a bitblock index before they are read.
 *
 * A scan knows the pages that it will read: the inner pages list the leaves.  If the
 * pages are not in shared buffers, the scan asks the operating system for many of them at
 * once, and then reads them one after the other.  So it waits about as long as for a
 * single page.
 *
 * The number of pages under way is effective_io_concurrency of the index's tablespace, or
 * maintenance_io_concurrency for VACUUM and bitblock_check.  0 switches reading ahead
 * off.
 *
 * Asking for a page that is in shared buffers takes as long as finding it there, and a
 * search in memory should not spend that time.  So a backend asks only while the index is
 * "cold": after it has met a page that was not in shared buffers, and until BB_COLD_ASKS
 * pages in a row were there already.  The backend remembers this for each index
 * (cache.c), so that a scan which follows a scan that has read from disk asks for its
 * first page too.
 *
 * This file uses PrefetchBuffer on all versions of PostgreSQL.  The read streams of
 * PostgreSQL 17 pin the pages that they read ahead.  VACUUM waits for the pin of any leaf
 * (see scan.c), and a scan may stop between two rows for as long as its client likes.  A
 * scan that holds pins would stop VACUUM for as long.  PrefetchBuffer leaves no pin and
 * nothing to release after an error.
 *
 * Asking for a page is only a hint.  If the page splits or moves before it is read, it
 * was fetched needlessly.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "miscadmin.h"
#include "read_ahead.h"
#include "utils/spccache.h"

void
bb_ahead_init(BBAhead *ahead, Relation index, bool maintenance)
{
	ahead->index = index;
	ahead->maintenance = maintenance;
	ahead->depth = -1;
}

/* The number of pages of a relation that may be under way. */
static int
depth_of(Relation rel, bool maintenance)
{
	Oid			tablespace = rel->rd_rel->reltablespace;

	return maintenance ? get_tablespace_maintenance_io_concurrency(tablespace) :
		get_tablespace_io_concurrency(tablespace);
}

/* The value of bb_depth for a cold index. */
int
bb_find_depth(BBAhead *ahead)
{
	if (ahead->depth < 0)
		ahead->depth = depth_of(ahead->index, ahead->maintenance);
	return ahead->depth;
}

/*
 * Ask for a page that will be read soon.  The caller has asked bb_depth first.  A link
 * beyond the end of the file is an error only when the page is read.
 */
void
bb_ask(BBAhead *ahead, BlockNumber blkno)
{
	if (bb_has_page(ahead->index, blkno))
	{
		PrefetchBufferResult result = PrefetchBuffer(ahead->index, MAIN_FORKNUM, blkno);

		bb_note_reading(ahead->index, !BufferIsValid(result.recent_buffer));
	}
}

/* ----------
 * Paths
 * ----------
 */

/*
 * Go one step down a path, from the page "blkno".  Returns the child; or
 * InvalidBlockNumber at the end of the path.  *is_leaf becomes true if the child is a
 * leaf.
 */
static BlockNumber
step_down(BBAhead *ahead, const BBPath *path, BlockNumber blkno, bool *is_leaf)
{
	Buffer		buffer;
	Page		page = bb_read_inner(ahead->index, path->tree, blkno, &buffer);
	BlockNumber child = InvalidBlockNumber;

	if (BBPageGetOpaque(page)->level > 0 &&
		bb_is_on_path(page, path->tree, BBPageGetOpaque(page)->level, path->key))
	{
		int			i = bb_find_child(page, path->key);

		child = i < 0 ? InvalidBlockNumber : bb_child(page, i);
		*is_leaf = BBPageGetOpaque(page)->level == 1;
	}
	bb_release_inner(buffer);
	return child;
}

/*
 * Ask for the inner pages of n paths, level by level, and finally for the leaves if
 * "leaves" is true.  The caller holds no page lock.  n must not be larger than the depth.
 */
void
bb_ask_paths(BBAhead *ahead, const BBPath *paths, int n, bool leaves)
{
	BlockNumber *blknos = palloc(n * sizeof(BlockNumber));
	bool	   *ended = palloc0(n * sizeof(bool));
	int			remain = n;

	for (int i = 0; i < n; i++)
	{
		blknos[i] = BB_ROOT(paths[i].tree);
		if (bb_remembered_root(ahead->index, paths[i].tree) == NULL)
			bb_ask(ahead, blknos[i]);
	}
	for (int level = 0; remain > 0 && level <= BB_MAX_LEVEL; level++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
		{
			bool		is_leaf = false;

			if (ended[i])
				continue;
			blknos[i] = step_down(ahead, &paths[i], blknos[i], &is_leaf);
			if (blknos[i] != InvalidBlockNumber && (leaves || !is_leaf))
				bb_ask(ahead, blknos[i]);
			ended[i] = is_leaf || blknos[i] == InvalidBlockNumber;
			remain -= ended[i];
		}
	}
	pfree(blknos);
	pfree(ended);
}

/* ----------
 * Levels
 * ----------
 */

/*
 * Prepare for a walk over the pages of a level of a tree that may hold keys of the
 * scopes.  The caller keeps the scopes.
 */
void
bb_ahead_level_init(BBAheadLevel *state, BBAhead *ahead, int tree, int level,
					const BBScopes *scopes)
{
	state->ahead = ahead;
	state->tree = tree;
	state->level = level;
	state->scopes = scopes;
	state->begun = false;
}

/*
 * Copy the downlinks of the next page of the level above that may have keys of the
 * scopes.  Returns false at the end.
 */
static bool
take_downlinks(BBAheadLevel *state)
{
	Relation	index = state->ahead->index;
	Buffer		buffer;
	Page		page;

	if (state->done || !bb_skip_to_scope(state->scopes, &state->scope, &state->from))
		return false;
	buffer = bb_find(index, state->tree, state->from, state->level + 1, BUFFER_LOCK_SHARE,
					 NULL);
	if (!BufferIsValid(buffer))
	{
		state->done = true;
		return false;
	}
	page = BufferGetPage(buffer);
	state->next = 0;
	state->n = bb_count(page);
	for (int i = 0; i < state->n; i++)
	{
		state->lows[i] = bb_key_at(page, i);
		state->blknos[i] = bb_child(page, i);
	}
	state->from = bb_high(page);
	state->done = bb_is_rightmost(page);
	UnlockReleaseBuffer(buffer);
	return true;
}

/* May the page of downlink i hold keys of the scopes? */
static bool
is_wanted(BBAheadLevel *state, int i)
{
	BBKey		key = state->lows[i];

	if (!bb_skip_to_scope(state->scopes, &state->scope, &key))
		return false;
	if (i + 1 < state->n)
		return bb_compare(key, state->lows[i + 1]) < 0;
	return state->done || bb_compare(key, state->from) < 0;
}

/*
 * Ask for the pages that a walk will read after its next page, which is the one that is
 * responsible for "position".  The caller holds no page lock.
 */
void
bb_ask_level(BBAheadLevel *state, BBKey position)
{
	int			depth = bb_depth(state->ahead);

	if (depth == 0)
	{
		state->begun = false;
		return;
	}
	if (!state->begun)
	{
		state->begun = true;
		state->done = false;
		state->from = position;
		state->under_way = state->next = state->n = state->scope = 0;
	}
	if (state->under_way > 0)
		state->under_way--;
	while (state->under_way < depth && (state->next < state->n || take_downlinks(state)))
	{
		int			i = state->next;

		if (i == state->n)
			continue;			/* the page has no downlinks */
		state->next++;
		if (bb_compare(state->lows[i], position) <= 0)
			/* the walk has already passed the beginning of this page */
			state->under_way = 0;
		else if (is_wanted(state, i))
		{
			bb_ask(state->ahead, state->blknos[i]);
			state->under_way++;
		}
	}
}

/* ----------
 * Rows
 * ----------
 */

void
bb_ahead_rows_init(BBAheadRows *rows, Relation table, bool maintenance)
{
	memset(rows, 0, sizeof(BBAheadRows));
	if (table != NULL && table->rd_tableam == GetHeapamTableAmRoutine())
		rows->table = table;
	rows->maintenance = maintenance;
}

/*
 * Ask for the table pages of the rows that will be returned next.  The executor may want
 * no more rows, so the function asks for at most as many as have been returned.
 */
void
bb_ask_rows(BBAheadRows *rows, BBComing coming, void *arg)
{
	if (rows->table == NULL)
		return;
	if (rows->npages == 0)
	{
		rows->npages = RelationGetNumberOfBlocks(rows->table);
		rows->depth = depth_of(rows->table, rows->maintenance);
	}
	while (rows->asked < Min(rows->depth, rows->returned))
	{
		const ItemPointerData *tid = coming(arg, rows->asked);
		BlockNumber blkno;

		if (tid == NULL)
			return;
		blkno = ItemPointerGetBlockNumberNoCheck(tid);
		rows->asked++;
		if (blkno < rows->npages &&
			!BufferIsValid(PrefetchBuffer(rows->table, MAIN_FORKNUM, blkno).recent_buffer))
			rows->cold = BB_COLD_ASKS;
		else if (rows->cold > 0)
			rows->cold--;
	}
}
