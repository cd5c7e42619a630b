/*-------------------------------------------------------------------------
 *
 * vacuum.c
 *		Removal of entries and pages from a bitblock index.
 *
 * VACUUM goes through the leaves of each tree by their right-links.  It
 * misses no entry, because a split moves entries to the right only.  VACUUM
 * takes a cleanup lock on every leaf, also on leaves with nothing to remove;
 * scan.c explains why.
 *
 * Behind that, VACUUM merges a page into its left neighbour if the entries of
 * both fit into one page.  One WAL record moves the entries and removes the
 * downlink.  The right page is marked BB_DELETED and may be used again at
 * once (see tree.c).  The left page takes over the right page's range, so no
 * other page's low changes.  A page whose downlink is the first one of its
 * parent has its left neighbour below another parent.  Such a page stays
 * until the parent itself has been merged; VACUUM merges the inner levels
 * after the leaves.  A merge needs the right page without pins, because some
 * scans rely on their pins.  VACUUM gives the merge up if it cannot get the
 * page at once.
 *
 * Only one VACUUM at a time works on an index, and no other process removes
 * pages.  So a page that VACUUM has seen remains a page of that tree and
 * level until VACUUM itself removes it.
 *
 * The row tree (for narrow fingerprints the first tree) has a row's entry before and
 * after all other trees: an insertion's first record is that of the row tree, and VACUUM
 * goes through the row tree last.  So the row tree tells VACUUM of all rows in
 * the index, whichever operation ended halfway.  The validation of an index
 * that was built concurrently needs that.  If no row of a row tree of wide fingerprints
 * is dead, VACUUM leaves the many window trees alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "bitblock.h"
#include "cache.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/indexfsm.h"
#include "storage/lmgr.h"
#include "tree.h"

/* Pages are merged if the result is full to this share at most */
#define MERGE_SHARE				0.6

typedef struct VacuumState
{
	IndexVacuumInfo *info;
	BBShape		shape;
	IndexBulkDeleteResult *stats;
	IndexBulkDeleteCallback callback;
	void	   *callback_state;
	bool		removes;		/* or is the callback only asked? */
	BlockNumber pages;			/* pages seen in the trees */
	double		entries;
	double		dead;			/* entries that the callback wants removed */
} VacuumState;

/*
 * Ask the callback of each entry of a leaf, and remove the dead ones if that is
 * wanted: then the leaf is locked for cleanup.
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

		dead[i] = state->callback(&tid, state->callback_state);
		ndead += dead[i];
	}
	state->dead += ndead;
	if (ndead == 0 || !state->removes)
		return;

	xlog = GenericXLogStart(state->info->index);
	page = GenericXLogRegisterBuffer(xlog, buffer, 0);
	/* from the end, so that what takes an entry's place is alive */
	for (int i = n - 1; i >= 0; i--)
		if (dead[i])
			bb_remove_unsorted(page, i);
	GenericXLogFinish(xlog);
}

/* May the right page, which the left one leads to, be merged into it? */
static bool
can_merge(Page left, Page right)
{
	BBPageOpaque opaque = BBPageGetOpaque(left);

	return bb_is_on_path(right, opaque->tree, opaque->level, bb_high(left)) &&
		!(BBPageGetOpaque(right)->flags & BB_INCOMPLETE_SPLIT) &&
		bb_count(left) + bb_count(right) <= MERGE_SHARE * bb_capacity(left);
}

/*
 * Move the entries of the right page to the left one, and remove its downlink,
 * entry "child" of the parent.
 */
static void
merge_pages(Relation index, Buffer left, Buffer right, Buffer parent, int child)
{
	GenericXLogState *xlog = GenericXLogStart(index);
	Page		left_page = GenericXLogRegisterBuffer(xlog, left, 0);
	Page		right_page = GenericXLogRegisterBuffer(xlog, right, 0);
	Page		parent_page = GenericXLogRegisterBuffer(xlog, parent, 0);

	for (int i = 0; i < bb_count(right_page); i++)
		bb_append_copy(left_page, right_page, i);
	bb_set_right(left_page, bb_high(right_page), BBPageGetOpaque(right_page)->right);
	bb_remove_sorted(parent_page, child);
	bb_set_count(right_page, 0);
	BBPageGetOpaque(right_page)->flags = BB_DELETED;
	GenericXLogFinish(xlog);
}

/*
 * Merge a page into its left neighbour, if that is still so and both fit
 * into one.  Returns whether it was done.
 */
static bool
merge(VacuumState *state, BlockNumber left_block, BlockNumber right_block)
{
	Relation	index = state->info->index;
	Buffer		left = bb_read_with(index, left_block, BUFFER_LOCK_EXCLUSIVE,
									state->info->strategy);
	Buffer		right = InvalidBuffer;
	Buffer		parent = InvalidBuffer;
	BBPageOpaque opaque = BBPageGetOpaque(BufferGetPage(left));
	BBLocked	locked_right = {right_block, NULL};
	BBLocked	locked = {left_block, &locked_right};
	bool		merged = false;
	BBKey		low;
	int			child;

	if (opaque->right != right_block || (opaque->flags & BB_INCOMPLETE_SPLIT))
		goto done;
	right = ReadBufferExtended(index, MAIN_FORKNUM, right_block, RBM_NORMAL,
							   state->info->strategy);
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
	if (child <= 0 || bb_child(BufferGetPage(parent), child) != right_block ||
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
		RecordFreeIndexPage(index, right_block);
	return merged;
}

/* The first page of a level; InvalidBlockNumber if the tree is not that high */
static BlockNumber
first_of_level(Relation index, int tree, int level)
{
	Buffer		buffer = bb_find(index, tree, bb_lowest_key(), level,
								 BUFFER_LOCK_SHARE, NULL);
	BlockNumber block;

	if (!BufferIsValid(buffer))
		return InvalidBlockNumber;
	block = BufferGetBlockNumber(buffer);
	UnlockReleaseBuffer(buffer);
	return block;
}

/*
 * Read and check the next page of a level, whose low is to be "low".  A leaf is
 * locked for cleanup if dead entries are to be removed.  InvalidBuffer if the page
 * is the root, which has grown beyond that level.
 */
static Buffer
read_next(VacuumState *state, int tree, int level, BlockNumber block, BBKey low)
{
	Relation	index = state->info->index;
	Buffer		buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL,
											state->info->strategy);
	Page		page = BufferGetPage(buffer);
	BBPageOpaque opaque;

	if (level == 0 && state->removes)
		LockBufferForCleanup(buffer);
	else
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
	bb_check_buffer(index, buffer);
	opaque = BBPageGetOpaque(page);
	if (opaque->level > level && block == BB_ROOT(tree) &&
		bb_compare(low, bb_lowest_key()) == 0)
	{
		UnlockReleaseBuffer(buffer);
		return InvalidBuffer;
	}
	if ((opaque->flags & BB_DELETED) || opaque->tree != tree || opaque->level != level)
		bb_report_corruption(index, block, "right-link to another tree or level");
	if (bb_compare(bb_low(page), low) != 0)
		bb_report_corruption(index, block,
							 "low key of page is not high key of left neighbour");
	return buffer;
}

/*
 * Go through one level of a tree.  On the level of the leaves, ask which
 * entries are dead.  If dead entries are to be removed, merge pages where
 * possible.  Returns whether the tree has such a level.
 */
static bool
vacuum_level(VacuumState *state, int tree, int level)
{
	Relation	index = state->info->index;
	BlockNumber block = first_of_level(index, tree, level);
	BlockNumber left = InvalidBlockNumber;
	int			left_count = 0;
	BBKey		low = bb_lowest_key();	/* what the next page's low is to be */

	if (block == InvalidBlockNumber)
		return false;
	while (block != InvalidBlockNumber)
	{
		BlockNumber next;
		Buffer		buffer;
		Page		page;
		int			count;

		vacuum_delay_point(false);
		buffer = read_next(state, tree, level, block, low);
		if (!BufferIsValid(buffer))
		{
			/* the former entries of the root are below it now */
			block = first_of_level(index, tree, level);
			continue;
		}
		if (level == 0)
			clean_leaf(state, buffer);
		page = BufferGetPage(buffer);
		count = bb_count(page);
		if (level == 0)
			state->entries += count;
		next = BBPageGetOpaque(page)->right;
		low = bb_high(page);
		UnlockReleaseBuffer(buffer);
		state->pages++;

		/* a page that is merged has been seen, and so has what it held */
		if (left != InvalidBlockNumber && state->removes &&
			left_count + count <= MERGE_SHARE * bb_capacity(page) &&
			merge(state, left, block))
		{
			left_count += count;
			state->pages--;
		}
		else
		{
			left = block;
			left_count = count;
		}
		block = next;
	}
	return true;
}

/*
 * Enter all pages that belong to no tree in the free space map: those that a
 * crash or an error left behind, and those that the map has lost.
 */
static void
find_free_pages(VacuumState *state)
{
	Relation	index = state->info->index;
	BlockNumber blocks;
	BlockNumber nfree = 0;
	bool		lock = !RELATION_IS_LOCAL(index);

	if (lock)
		LockRelationForExtension(index, ExclusiveLock);
	blocks = RelationGetNumberOfBlocks(index);
	if (lock)
		UnlockRelationForExtension(index, ExclusiveLock);

	if (blocks > state->pages + 1)
		for (BlockNumber block = bb_reserved_pages(bb_shape(index)); block < blocks; block++)
		{
			Buffer		buffer;
			Page		page;

			vacuum_delay_point(false);
			buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL,
										state->info->strategy);
			LockBuffer(buffer, BUFFER_LOCK_SHARE);
			page = BufferGetPage(buffer);
			if (PageIsNew(page))
				nfree++;
			else
			{
				bb_check_buffer(index, buffer);
				if (BBPageGetOpaque(page)->flags & BB_DELETED)
					nfree++;
				else
				{
					UnlockReleaseBuffer(buffer);
					continue;
				}
			}
			UnlockReleaseBuffer(buffer);
			RecordFreeIndexPage(index, block);
		}
	IndexFreeSpaceMapVacuum(index);
	state->stats->num_pages = blocks;
	state->stats->pages_deleted = nfree;
	state->stats->pages_free = nfree;
}

/*
 * Is no entry dead?  The callback is asked once of each row, by the entries of the
 * row tree and those without a fingerprint.
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

	/* a row is in all of the trees of fingerprints, and counts once */
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
 * Besides VACUUM it is CREATE INDEX CONCURRENTLY (and REINDEX) that calls this: it
 * wants to know all TIDs, of which none is dead, and sorts them, so that each is to
 * be told once.  Nothing says for certain who calls; only that one wants progress
 * to be reported.  Should a VACUUM want it too, it takes longer, and removes no
 * less: where no row is dead in the row tree, none is in the others.  For wide fingerprints
 * it is VACUUM's way, too: one tree is little beside all.
 */
IndexBulkDeleteResult *
bb_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
			  IndexBulkDeleteCallback callback, void *callback_state)
{
	VacuumState state = {0};

	state.shape = bb_shape(info->index);
	if (stats == NULL)
		stats = palloc0(sizeof(IndexBulkDeleteResult));
	state.info = info;
	state.stats = stats;
	state.callback = callback;
	state.callback_state = callback_state;
	if ((!info->report_progress && !bb_is_wide(state.shape)) || !all_are_alive(&state))
		remove_dead(&state);
	return stats;
}

IndexBulkDeleteResult *
bb_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only || stats != NULL)
		return stats;

	/*
	 * nothing was removed: the heap's number of rows is the index's, if it
	 * has all
	 */
	if (RelationGetIndexPredicate(info->index) != NIL)
		return NULL;
	stats = palloc0(sizeof(IndexBulkDeleteResult));
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	stats->num_index_tuples = info->num_heap_tuples;
	stats->estimated_count = info->estimated_count;
	return stats;
}
