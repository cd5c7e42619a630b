/*-------------------------------------------------------------------------
 *
 * vacuum.c
 *		Removal of entries and pages from a bitblock index.
 *
 * README.md, "VACUUM", says what VACUUM removes and which pages it merges.  "Order of the
 * trees" says why it processes the row tree last, and "Why no TID is mistaken for
 * another" why it needs a cleanup lock on every leaf.
 *
 * Only one VACUUM at a time works on an index, and no other process removes pages.  So a
 * page that VACUUM has seen remains a page of that tree and level until VACUUM itself
 * removes it.  The left page of a merge takes over the right page's range, so no other
 * page's low changes.  VACUUM gives up a merge if it cannot get a cleanup lock on the
 * right page at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "bitblock.h"
#include "commands/vacuum.h"
#include "index/bitblock/store/cache.h"
#include "index/bitblock/store/read_ahead.h"
#include "index/bitblock/store/tree.h"
#include "miscadmin.h"
#include "storage/indexfsm.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Merge two pages if the result is at most this full. */
#define MERGE_SHARE				0.6

typedef struct VacuumState
{
	IndexVacuumInfo *info;
	BBAhead		ahead;
	BBShape		shape;
	IndexBulkDeleteResult *stats;
	IndexBulkDeleteCallback callback;
	void	   *callback_state;
	bool		removes;		/* false: it only asks the callback */
	BlockNumber pages;			/* pages seen in the trees */
	double		entries;
	double		dead;			/* entries that the callback wants removed */

	/* the callback's answers, two bits for each TID (asked, dead), or NULL */
	uint8	   *answers;
	uint64		max_answers;	/* TIDs for which there is room */
} VacuumState;

/* The TIDs of a page of the table */
#define TIDS_OF_PAGE			(MaxHeapTuplesPerPage + 1)

/*
 * Allocate memory for the callback's answers, if it is at most maintenance_work_mem.
 * Every tree asks about the same rows, and the callback takes most of the time of a
 * VACUUM in memory.
 */
static void
prepare_answers(VacuumState *state)
{
	Relation	table = RelationIdGetRelation(state->info->index->rd_index->indrelid);
	uint64		tids = (uint64) RelationGetNumberOfBlocks(table) * TIDS_OF_PAGE;
	Size		size = tids / 4 + 1;

	RelationClose(table);
	if (size > (Size) maintenance_work_mem * 1024)
		return;
	state->answers = MemoryContextAllocExtended(CurrentMemoryContext, size,
												MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM |
												MCXT_ALLOC_ZERO);
	state->max_answers = state->answers != NULL ? tids : 0;
}

/* Does the callback want the entries of a row removed? */
static bool
is_dead(VacuumState *state, ItemPointerData tid)
{
	uint64		i = (uint64) ItemPointerGetBlockNumberNoCheck(&tid) * TIDS_OF_PAGE +
		ItemPointerGetOffsetNumberNoCheck(&tid);
	int			shift = (int) (i % 4) * 2;
	bool		dead;

	if (i >= state->max_answers ||
		ItemPointerGetOffsetNumberNoCheck(&tid) >= TIDS_OF_PAGE)
		return state->callback(&tid, state->callback_state);
	if (state->answers[i / 4] >> shift & 1)
		return (state->answers[i / 4] >> shift & 2) != 0;
	dead = state->callback(&tid, state->callback_state);
	state->answers[i / 4] |= (dead ? 3 : 1) << shift;
	return dead;
}

/*
 * Ask the callback about each entry of a leaf.  If state->removes is true, remove the
 * dead entries; then the caller has locked the leaf for cleanup.
 */
static void
clean_leaf(VacuumState *state, Buffer buffer)
{
	Page		page = BufferGetPage(buffer);
	bool		dead[BB_MAX_ENTRIES];
	int			n = bb_count(page);
	int			ndead = 0;
	GenericXLogState *xlog;

	for (int i = 0; i < n; i++)
	{
		ItemPointerData tid = bb_rest(page, i)->tid;

		bb_check_tid(state->info->index, buffer, &tid);
		dead[i] = is_dead(state, tid);
		ndead += dead[i];
	}
	state->dead += ndead;
	if (ndead == 0 || !state->removes)
		return;

	xlog = GenericXLogStart(state->info->index);
	page = GenericXLogRegisterBuffer(xlog, buffer, 0);

	/*
	 * begin at the end, so that the last entry, which fills the gap, is not
	 * dead
	 */
	for (int i = n - 1; i >= 0; i--)
		if (dead[i])
			bb_remove_unsorted(page, i);
	GenericXLogFinish(xlog);
}

/* The most entries that a page may have after a merge. */
static int
most_merged(Page page)
{
	return (int) (MERGE_SHARE * bb_capacity(page));
}

/* May the right page be merged into the left page?  The left page's right-link leads to it. */
static bool
can_merge(Page left, Page right)
{
	BBPageOpaque opaque = BBPageGetOpaque(left);

	return bb_is_on_path(right, opaque->tree, opaque->level, bb_high(left)) &&
		!(BBPageGetOpaque(right)->flags & BB_INCOMPLETE_SPLIT) &&
		bb_count(left) + bb_count(right) <= most_merged(left);
}

/*
 * Move the entries of the right page to the left page.  Remove the right page's downlink,
 * which is entry "child" of the parent.
 */
static void
merge_pages(Relation index, Buffer left, Buffer right, Buffer parent, int child)
{
	GenericXLogState *xlog = GenericXLogStart(index);
	Page		left_page = GenericXLogRegisterBuffer(xlog, left, 0);
	Page		right_page = GenericXLogRegisterBuffer(xlog, right, 0);
	Page		parent_page = GenericXLogRegisterBuffer(xlog, parent, 0);
	int			nleft = bb_count(left_page);
	int			nright = bb_count(right_page);

	bb_set_count(left_page, nleft + nright);
	for (int i = 0; i < nright; i++)
		bb_copy_entry(left_page, nleft + i, right_page, i);
	bb_set_right(left_page, bb_high(right_page), BBPageGetOpaque(right_page)->right);
	bb_remove_sorted(parent_page, child);
	bb_set_count(right_page, 0);
	BBPageGetOpaque(right_page)->flags |= BB_DELETED;
	GenericXLogFinish(xlog);
}

/*
 * Merge a page into its left neighbour, if the two are still neighbours and can be
 * merged.  Returns whether it has merged them.
 */
static bool
merge(VacuumState *state, BlockNumber left_blkno, BlockNumber right_blkno)
{
	Relation	index = state->info->index;
	Buffer		left = bb_pin_with(index, left_blkno, state->info->strategy);
	Buffer		right = InvalidBuffer;
	Buffer		parent = InvalidBuffer;
	BBPageOpaque opaque = BBPageGetOpaque(BufferGetPage(left));
	BBLocked	locked_right = {right_blkno, NULL};
	BBLocked	locked = {left_blkno, &locked_right};
	bool		merged = false;
	BBKey		low;
	int			child;

	LockBuffer(left, BUFFER_LOCK_EXCLUSIVE);
	bb_check_buffer(index, left);
	if (opaque->right != right_blkno || (opaque->flags & BB_INCOMPLETE_SPLIT))
		goto done;
	right = bb_pin_with(index, right_blkno, state->info->strategy);
	if (!ConditionalLockBufferForCleanup(right))
	{
		ReleaseBuffer(right);
		right = InvalidBuffer;
		goto done;
	}
	bb_check_buffer(index, right);
	if (!can_merge(BufferGetPage(left), BufferGetPage(right)))
		goto done;

	low = bb_low(BufferGetPage(right));
	parent = bb_find_parent(index, opaque->tree, low, opaque->level + 1, &locked);
	if (!BufferIsValid(parent))
		goto done;
	child = bb_find_child(BufferGetPage(parent), low);
	if (child <= 0 || bb_child(BufferGetPage(parent), child) != right_blkno ||
		bb_compare(bb_key_at(BufferGetPage(parent), child), low) != 0)
		goto done;
	merge_pages(index, left, right, parent, child);
	merged = true;

done:
	if (BufferIsValid(parent))
		UnlockReleaseBuffer(parent);
	if (BufferIsValid(right))
		UnlockReleaseBuffer(right);
	UnlockReleaseBuffer(left);
	if (merged)
		RecordFreeIndexPage(index, right_blkno);
	return merged;
}

/* The first page of a level; InvalidBlockNumber if the tree is not that high. */
static BlockNumber
first_of_level(Relation index, int tree, int level)
{
	Buffer		buffer = bb_find(index, tree, bb_lowest_key(), level,
								 BUFFER_LOCK_SHARE, NULL);
	BlockNumber blkno;

	if (!BufferIsValid(buffer))
		return InvalidBlockNumber;
	blkno = BufferGetBlockNumber(buffer);
	UnlockReleaseBuffer(buffer);
	return blkno;
}

/*
 * Read, lock and check the next page of a level.  Its low must be "low".  If VACUUM
 * removes dead entries, a leaf is locked for cleanup.  Returns InvalidBuffer if the page
 * is the root and has grown beyond that level.
 */
static Buffer
read_next(VacuumState *state, int tree, int level, BlockNumber blkno, BBKey low)
{
	Relation	index = state->info->index;
	Buffer		buffer = bb_pin_with(index, blkno, state->info->strategy);
	Page		page = BufferGetPage(buffer);
	BBPageOpaque opaque;

	if (level == 0 && state->removes)
		LockBufferForCleanup(buffer);
	else
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
	bb_check_buffer(index, buffer);
	opaque = BBPageGetOpaque(page);
	if (opaque->level > level && blkno == BB_ROOT(tree) &&
		bb_compare(low, bb_lowest_key()) == 0)
	{
		UnlockReleaseBuffer(buffer);
		return InvalidBuffer;
	}
	if ((opaque->flags & BB_DELETED) || opaque->tree != tree || opaque->level != level)
		bb_report_corruption(index, blkno, "right-link to another tree or level");
	if (bb_compare(bb_low(page), low) != 0)
		bb_report_corruption(index, blkno,
							 "low key of page is not high key of left neighbour");
	return buffer;
}

/*
 * Process one level of a tree.  In leaves, ask which entries are dead.  If VACUUM removes
 * dead entries, remove them and merge pages where possible.  Returns false if the tree is
 * not that high.
 */
static bool
vacuum_level(VacuumState *state, int tree, int level)
{
	Relation	index = state->info->index;
	BlockNumber blkno = first_of_level(index, tree, level);
	BlockNumber left = InvalidBlockNumber;
	int			left_count = 0;

	/* the low that the next page must have */
	BBKey		low = bb_lowest_key();
	BBAheadLevel coming;

	if (blkno == InvalidBlockNumber)
		return false;
	bb_ahead_level_init(&coming, &state->ahead, tree, level, &bb_all_rows);
	while (blkno != InvalidBlockNumber)
	{
		BlockNumber next;
		Buffer		buffer;
		Page		page;
		int			count;
		int			most;		/* entries of two pages that are merged */

		vacuum_delay_point(false);
		bb_ask_level(&coming, low);
		buffer = read_next(state, tree, level, blkno, low);
		if (!BufferIsValid(buffer))
		{
			/*
			 * the root has grown, and its former entries are on a page below
			 * it
			 */
			blkno = first_of_level(index, tree, level);
			continue;
		}
		if (level == 0)
			clean_leaf(state, buffer);
		page = BufferGetPage(buffer);
		count = bb_count(page);
		most = most_merged(page);
		if (level == 0)
			state->entries += count;
		next = BBPageGetOpaque(page)->right;
		low = bb_high(page);
		UnlockReleaseBuffer(buffer);
		state->pages++;

		/* VACUUM has already asked about the entries of a merged page */
		if (left != InvalidBlockNumber && state->removes &&
			left_count + count <= most &&
			merge(state, left, blkno))
		{
			left_count += count;
			state->pages--;
		}
		else
		{
			left = blkno;
			left_count = count;
		}
		blkno = next;
	}
	return true;
}

/*
 * Enter all pages that belong to no tree in the free space map.  A crash or an error may
 * have left pages of no tree, or the map may have lost some.
 */
static void
find_free_pages(VacuumState *state)
{
	Relation	index = state->info->index;
	BlockNumber npages;
	BlockNumber nfree = 0;
	bool		lock = !RELATION_IS_LOCAL(index);

	if (lock)
		LockRelationForExtension(index, ExclusiveLock);
	npages = RelationGetNumberOfBlocks(index);
	if (lock)
		UnlockRelationForExtension(index, ExclusiveLock);

	if (npages > state->pages + 1)
		for (BlockNumber blkno = bb_reserved_pages(bb_shape(index)); blkno < npages; blkno++)
		{
			Buffer		buffer;
			bool		is_free;
			int			depth = bb_depth(&state->ahead);

			vacuum_delay_point(false);
			if (depth > 0 && npages - blkno > depth)
				bb_ask(&state->ahead, blkno + depth);
			buffer = bb_pin_with(index, blkno, state->info->strategy);
			LockBuffer(buffer, BUFFER_LOCK_SHARE);
			is_free = bb_is_free(index, buffer);
			UnlockReleaseBuffer(buffer);
			nfree += is_free;
			if (is_free)
				RecordFreeIndexPage(index, blkno);
		}
	IndexFreeSpaceMapVacuum(index);
	state->stats->num_pages = npages;
	state->stats->pages_deleted = nfree;
	state->stats->pages_free = nfree;
}

/*
 * Are all rows of the index alive?  The function asks the callback once about each row.
 * It reads the rows from the row tree and from the tree of rows without a fingerprint.
 */
static bool
all_are_alive(VacuumState *state)
{
	state->removes = false;
	state->entries = state->dead = 0;
	vacuum_level(state, bb_row_tree(state->shape), 0);
	vacuum_level(state, bb_null_tree(state->shape), 0);
	state->stats->num_index_tuples = state->entries;
	state->stats->num_pages = RelationGetNumberOfBlocks(state->info->index);
	return state->dead == 0;
}

static void
remove_dead_of(VacuumState *state, int tree)
{
	int			level = 0;

	state->entries = state->dead = 0;
	while (vacuum_level(state, tree, level))
		level++;

	/* a row is in all trees of fingerprints, and counts once */
	if (tree == bb_row_tree(state->shape) || tree == bb_null_tree(state->shape))
	{
		state->stats->num_index_tuples += state->entries;
		state->stats->tuples_removed += state->dead;
	}
}

static void
remove_dead(VacuumState *state)
{
	state->removes = true;
	state->pages = 0;
	state->stats->num_index_tuples = 0;

	/* the first window tree may be the row tree, see above */
	for (int tree = state->shape.blocks - 1; tree >= 0; tree--)
		remove_dead_of(state, tree);
	if (bb_is_wide(state->shape))
		remove_dead_of(state, bb_row_tree(state->shape));
	remove_dead_of(state, bb_null_tree(state->shape));
	find_free_pages(state);
}

/*
 * Remove the entries of the rows that the callback calls dead.
 *
 * CREATE INDEX CONCURRENTLY and REINDEX CONCURRENTLY call this function too.  They
 * collect and sort all TIDs and remove none, so the function should report each TID once.
 * No argument tells for certain who calls, but only these commands ask for a progress
 * report.  If a VACUUM asked for one, it would take longer, but would remove the same
 * entries: if no row of the row tree is dead, no entry of another tree is dead.  For wide
 * fingerprints VACUUM asks the row tree first in any case, because one tree takes little
 * time compared with all.
 */
IndexBulkDeleteResult *
bb_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
			  IndexBulkDeleteCallback callback, void *callback_state)
{
	VacuumState state = {0};

	state.shape = bb_shape(info->index);
	bb_ahead_init(&state.ahead, info->index, true);
	if (stats == NULL)
		stats = palloc0(sizeof(IndexBulkDeleteResult));
	state.info = info;
	state.stats = stats;
	state.callback = callback;
	state.callback_state = callback_state;
	prepare_answers(&state);
	if ((!info->report_progress && !bb_is_wide(state.shape)) || !all_are_alive(&state))
		remove_dead(&state);
	if (state.answers != NULL)
		pfree(state.answers);
	return stats;
}

IndexBulkDeleteResult *
bb_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only || stats != NULL)
		return stats;

	/*
	 * Nothing was removed.  If the index is not partial, it has as many rows
	 * as the heap.
	 */
	if (RelationGetIndexPredicate(info->index) != NIL)
		return NULL;
	stats = palloc0(sizeof(IndexBulkDeleteResult));
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	stats->num_index_tuples = info->num_heap_tuples;
	stats->estimated_count = info->estimated_count;
	return stats;
}
